//! What processors with the same instructions differ in, as it was measured: [`Habits`] for each kind that was timed. Sapphire Rapids is told
//! from Zen by its vendor, Zen 5 from those before it by its family, and Zen 3 from all by what it lacks. Only speed depends on it.

use crate::shuffle::LINE;
use core::ops::RangeInclusive;

/// What is quick on a processor.
pub(super) struct Habits {
    /// The lines of the result are fetched before rows are written to them. With that, rows took up to a third less time on Sapphire
    /// Rapids, by whatever vectors; up to a third more on Zen 3, and a twentieth more on Zen 4 and Zen 5.
    pub fetches_written: bool,
    /// Rows are fetched from farther ahead where no line of the result is. On Zen 5 rows of some kilobytes take up to 5 % less time with
    /// that. Not timed on Zen 4.
    pub fetches_far_ahead: bool,
    /// Rows that are copied forwards with small gaps between them are fetched ahead with AVX-512. On Zen 4, whose own prefetchers keep
    /// their pace there, that takes up to a fifth longer; on Zen 5 up to an eighth less.
    pub fetches_behind_gaps: bool,
    /// The same of short rows of a pattern. On Zen 4 and Zen 5 that takes up to a tenth longer.
    pub fetches_patterns_behind_gaps: bool,
    /// Of these, rows that read two KiB and more have the next one fetched, and no other. On Zen 4 that takes up to a quarter less time. Not
    /// timed elsewhere.
    pub fetches_next_of_long_rows: bool,
    /// Which rows are copied by whole lines with AVX-512, with what they read and write fetched ahead.
    pub fetches_both: FetchesBoth,
    /// Rows in the second cache are quicker when nothing is fetched ahead: by whole lines with AVX-512, and with AVX2 by whole vectors, if
    /// no index picks them, or as short rows of a pattern. On Zen 5 that takes up to a quarter less time, on Zen 4 as well, on Zen 3 a third and
    /// more; on Emerald Rapids up to half as much again. Patterns were not timed on Zen 5.
    pub has_second_cache_at_hand: bool,
    /// Rows of some kilobytes are quickest by the string instruction. On Zen 5 they take up to a fifth less time than by `memcpy` or by
    /// vectors, on Emerald Rapids as long. Not timed elsewhere.
    pub has_quick_strings: bool,
    /// Rows of a line and some more are quickest in parts of 16 bytes, without what finds the lines of the result, where the first cache keeps
    /// it, shorter ones where the second does. On Emerald Rapids they take half to three quarters of the time, where a row begins 4 bytes
    /// after a part up to as long. Not timed elsewhere.
    pub moves_in_parts: bool,
    /// Rows of one to three lines are quickest by a few vectors of 32 bytes, where the first two caches keep the result, or none does and they
    /// are dense. On Zen 4 they take six tenths to nine tenths of the time of longer vectors, or of lines whose next ones are fetched. Not timed
    /// elsewhere with AVX-512.
    pub moves_in_halves: bool,
    /// What copies long rows. `memcpy` uses the string instruction from 2 KiB on, which moves each byte by itself where the result lies 1 to
    /// 31 bytes further than the source in their pages: on Zen 3 that takes 20 to 40 times as long as vectors do, on Zen 4 it is known, on
    /// Zen 5 it was not timed. Elsewhere Zen 3 takes up to two fifths less time by vectors for rows of 2 to 16 KiB, and as long for others.
    pub copies: Copies,
    /// Which rows of half a line and more that indices pick are quickest without anything fetched, where the second cache keeps their table, and
    /// not the first one the result.
    pub picks_beyond_first_cache: Picks,
    /// Which runs of a pattern are fetched ahead, where the first cache does not hold the result; with AVX-512, where the second does not hold
    /// what is read and written.
    pub fetches_patterns: FetchesPatterns,
    /// Lines that values of a Range fill are fetched before. On Zen 5 results of some megabytes take up to a sixth less time with that, on
    /// Emerald Rapids up to an eighth. Not timed on Zen 3 and Zen 4.
    pub fetches_filled: bool,
    /// A gather is quicker than as many loads. On Zen 4 it takes up to two thirds longer, on Zen 5 up to twice as long.
    pub has_quick_gathers: bool,
    /// Rows of up to a line that indices pick are quicker where each moves when its index has been read: a processor with room for hundreds
    /// of instructions has as many rows on their way. `None`: they move in blocks, whose places are found and fetched before.
    pub finds_rows_by_itself: Option<FoundRows>,
    /// Other such rows out of far tables, of half a line and more, move in turn with their indices. On Zen 4 and Sapphire Rapids that takes a
    /// fifth less time than block after block, on Zen 3 a sixth more. Not timed on Zen 5.
    pub takes_far_rows_in_turn: bool,
    /// A loop that asks for lines as fast as it can makes the last cache slower, and so does what is fetched line by line, by whatever
    /// vectors. On Zen 4, patterns of some megabytes take up to a tenth less time when it does not, and up to a quarter less by tiles that
    /// are whole lines; indices that count up a sixth less when they are not fetched. Zen 5 does not. Not timed on Zen 3.
    pub outruns_caches: bool,
    /// A line of each page is asked for before it comes, on both sides. On Zen 4 patterns and look-ups that read and write many megabytes
    /// take up to a fifth less time with that, rows of a few lines up to an eighth. Not timed elsewhere.
    pub asks_for_pages: bool,
    /// How rows that no cache keeps are streamed.
    pub streams: Streams,
    /// Which long patterns that no cache keeps go in sequence, with what they read fetched ahead, and shorter ones are not streamed. They
    /// take a third to a tenth less time with that on Zen 5; on Zen 4 up to a third less, or up to a seventh more if they read twice what
    /// they write. Not timed elsewhere.
    pub patterns_in_sequence: Patterns,
}

/// Rows for which both lines that they read and lines of the result are fetched.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FetchesBoth {
    /// Not timed on Zen 4.
    Never,
    /// Those of a few lines that are read forwards. On Zen 5 they take up to an eighth less time than by vectors of 32 bytes with what they
    /// read alone; rows of four lines take a tenth less once more where nothing is fetched.
    OfFewLines,
    /// Those of more than two lines whose result the second cache keeps. On Emerald Rapids they take up to a third less time than line by
    /// line from their first byte on, and as long if each begins with a vector, or if the second cache does not keep them.
    InSecondCache,
}

/// Some runs of patterns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FetchesPatterns {
    /// With AVX2, those of some hundred bytes to some kilobytes. On Zen 3 longer ones take up to an eighth less time without where no cache
    /// keeps them, shorter ones up to a third less; these take up to a third more.
    OfSomeRows,
    /// With AVX2, all; no other processor was timed. With AVX-512, no long ones: they take longer so on Zen 4, and as long on Emerald Rapids.
    WithAvx2,
    /// All. With AVX-512, long ones take up to a sixth less time on Zen 5.
    Always,
}

/// How long rows are copied, where nothing is known of the next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Copies {
    Memcpy,
    /// By `memcpy`, but by vectors if the two sides seem to overlap.
    Apart,
    Vectors,
}

/// Some rows that indices pick.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Picks {
    /// Not timed on Zen 5.
    None,
    /// Those of up to three lines whose result the second cache keeps. On Sapphire Rapids they take up to a third less time.
    ToSecond,
    /// Those of up to three lines whose result any cache keeps, and longer ones where the second keeps all that they read and write. On Zen 3
    /// those of more than a line take a quarter less time, up to half; on Zen 4 those of half a line and more up to half.
    All,
}

/// Which rows that no cache keeps go one after the other, of those that lie close to each other, and not some side by side.
#[derive(Clone, Copy)]
pub(super) enum Streams {
    /// None.
    SideBySide,
    /// All. On Zen 4 rows of some kilobytes take a fifth less time with that, rows of 400 to 1000 bytes half the time.
    InSequence,
    /// All, those with larger gaps too, with what they read fetched ahead. On Zen 5 rows of some hundred bytes take half the time with
    /// that; on Zen 4 from a quarter less to half as much again, by their gaps.
    Fetched,
    /// Rows of up to some kilobytes. On Zen 3 they take up to two fifths less time with that, and longer ones up to a quarter more.
    ShortInSequence,
}

/// Some patterns, by what they read.
#[derive(Clone, Copy)]
pub(super) enum Patterns {
    None,
    /// Those that read less than twice what they write.
    Dense,
    All,
}

impl Habits {
    /// How rows of half a line and more are found, if the processor finds them by itself.
    pub fn finds_half_lines(&self) -> Option<&FoundRows> {
        let found = self.finds_rows_by_itself.as_ref();
        found.filter(|found| *found.asked.end() >= LINE / 2)
    }
}

impl Patterns {
    /// Whether those are among them that read and write this many bytes.
    #[cfg(target_arch = "x86_64")]
    pub fn have(self, read: usize, written: usize) -> bool {
        match self {
            Self::None => false,
            Self::Dense => read < 2 * written,
            Self::All => true,
        }
    }
}

/// How rows are moved by a processor that finds them by itself. Zen 5 takes up to a third less time so than in blocks, for rows out of far
/// tables half if no cache has them, and up to an eighth more if the last one has all. Zen 3 takes up to two fifths less out of tables that
/// the second cache has or none, a twentieth less out of the last one. Emerald Rapids takes up to a third less for rows of less than 16 bytes,
/// as long for others of less than half a line, and more for longer ones. Zen 4 takes up to two fifths less
/// for many out of far tables; for others up to a third less, or up to two thirds more if some indices are negative. Not timed on other
/// architectures, nor on Zen 5 for far rows under half a line.
pub(super) struct FoundRows {
    /// Rows of this many bytes have their indices tested several at once, if they are packed.
    pub asked: RangeInclusive<usize>,
    /// Those of half a line or more are fetched out of tables of at least this many bytes, shorter ones out of far ones,
    pub least_table: usize,
    /// this many rows ahead,
    pub ahead: usize,
    /// both lines of one that may lie in two.
    pub fetches_both_lines: bool,
    /// None but those of which many come out of far tables.
    pub only_many_far: bool,
}

/// Every processor that is not of AMD, as Sapphire Rapids and Emerald Rapids, and those of other architectures.
static OTHERS: Habits = Habits {
    fetches_written: true,
    fetches_far_ahead: false,
    fetches_behind_gaps: true,
    fetches_patterns_behind_gaps: true,
    fetches_next_of_long_rows: false,
    fetches_both: FetchesBoth::InSecondCache,
    has_second_cache_at_hand: false,
    has_quick_strings: false,
    moves_in_parts: cfg!(target_arch = "x86_64"),
    moves_in_halves: false,
    copies: Copies::Memcpy,
    picks_beyond_first_cache: match cfg!(target_arch = "x86_64") {
        true => Picks::ToSecond,
        false => Picks::None,
    },
    fetches_patterns: FetchesPatterns::WithAvx2,
    fetches_filled: true,
    has_quick_gathers: true,
    finds_rows_by_itself: match cfg!(target_arch = "x86_64") {
        true => Some(FoundRows {
            asked: 3..=31,
            least_table: 512 << 10,
            ahead: 24,
            fetches_both_lines: false,
            only_many_far: false,
        }),
        false => None,
    },
    takes_far_rows_in_turn: true,
    outruns_caches: false,
    asks_for_pages: false,
    streams: Streams::SideBySide,
    patterns_in_sequence: Patterns::None,
};

/// Processors of AMD up to Zen 3: those without AVX-512.
const TO_ZEN_3: Habits = Habits {
    fetches_written: false,
    fetches_far_ahead: false,
    fetches_behind_gaps: false,
    fetches_patterns_behind_gaps: false,
    fetches_next_of_long_rows: false,
    fetches_both: FetchesBoth::Never,
    has_second_cache_at_hand: true,
    has_quick_strings: false,
    moves_in_parts: false,
    moves_in_halves: false,
    copies: Copies::Vectors,
    picks_beyond_first_cache: Picks::All,
    fetches_patterns: FetchesPatterns::OfSomeRows,
    fetches_filled: false,
    has_quick_gathers: false,
    finds_rows_by_itself: Some(FoundRows {
        asked: 3..=64,
        least_table: 512 << 10,
        ahead: 24,
        fetches_both_lines: false,
        only_many_far: false,
    }),
    takes_far_rows_in_turn: false,
    outruns_caches: false,
    asks_for_pages: false,
    streams: Streams::ShortInSequence,
    patterns_in_sequence: Patterns::None,
};

/// Zen 4.
static ZEN_4: Habits = Habits {
    moves_in_halves: true,
    fetches_next_of_long_rows: true,
    fetches_patterns: FetchesPatterns::WithAvx2,
    outruns_caches: true,
    asks_for_pages: true,
    streams: Streams::InSequence,
    patterns_in_sequence: Patterns::Dense,
    finds_rows_by_itself: Some(FoundRows {
        asked: 3..=31,
        least_table: usize::MAX,
        ahead: 24,
        fetches_both_lines: true,
        only_many_far: true,
    }),
    takes_far_rows_in_turn: true,
    copies: Copies::Apart,
    ..TO_ZEN_3
};

/// Processors of AMD from Zen 5 on.
static FROM_ZEN_5: Habits = Habits {
    fetches_written: false,
    fetches_far_ahead: true,
    fetches_behind_gaps: true,
    fetches_patterns_behind_gaps: false,
    fetches_next_of_long_rows: false,
    fetches_both: FetchesBoth::OfFewLines,
    has_second_cache_at_hand: true,
    has_quick_strings: true,
    moves_in_parts: false,
    moves_in_halves: false,
    copies: Copies::Apart,
    picks_beyond_first_cache: Picks::None,
    fetches_patterns: FetchesPatterns::Always,
    fetches_filled: true,
    has_quick_gathers: false,
    finds_rows_by_itself: Some(FoundRows {
        asked: 17..=64,
        least_table: 16 << 20,
        ahead: 96,
        fetches_both_lines: true,
        only_many_far: false,
    }),
    takes_far_rows_in_turn: true,
    outruns_caches: false,
    asks_for_pages: false,
    streams: Streams::Fetched,
    patterns_in_sequence: Patterns::All,
};

/// Those of the processor that this runs on.
#[inline]
pub(super) fn habits() -> &'static Habits {
    #[cfg(all(test, feature = "std"))]
    if let Some(habits) = pretended::HABITS.get() {
        return habits;
    }
    #[cfg(target_arch = "x86_64")]
    {
        own::habits()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        &OTHERS
    }
}

#[cfg(target_arch = "x86_64")]
mod own {
    use super::{FROM_ZEN_5, Habits, OTHERS, TO_ZEN_3, ZEN_4};
    use crate::level;
    use crate::move_::cache::cpuid;
    use core::sync::atomic::{AtomicU8, Ordering};

    /// Kept once it has been asked for: that takes a microsecond or more where the processor is a virtual one.
    static KNOWN: AtomicU8 = AtomicU8::new(UNKNOWN);
    const UNKNOWN: u8 = 0;
    const IS_OTHER: u8 = 1;
    const IS_TO_ZEN_3: u8 = 2;
    const IS_ZEN_4: u8 = 3;
    const IS_FROM_ZEN_5: u8 = 4;

    /// The family of Zen 5.
    const FAMILY_OF_ZEN_5: u32 = 0x1a;

    #[inline]
    pub fn habits() -> &'static Habits {
        let known = match KNOWN.load(Ordering::Relaxed) {
            UNKNOWN => ask(),
            known => known,
        };
        match known {
            IS_TO_ZEN_3 => &TO_ZEN_3,
            IS_ZEN_4 => &ZEN_4,
            IS_FROM_ZEN_5 => &FROM_ZEN_5,
            _ => &OTHERS,
        }
    }

    #[cold]
    fn ask() -> u8 {
        let name = cpuid(0, 0);
        let name = [name.ebx, name.edx, name.ecx].map(u32::to_le_bytes);
        let known = match name.as_flattened() {
            b"AuthenticAMD" if family(cpuid(1, 0).eax) >= FAMILY_OF_ZEN_5 => IS_FROM_ZEN_5,
            b"AuthenticAMD" if level::is_without_avx512() => IS_TO_ZEN_3,
            b"AuthenticAMD" => IS_ZEN_4,
            _ => IS_OTHER,
        };
        KNOWN.store(known, Ordering::Relaxed);
        known
    }

    /// That of a processor which signs itself so.
    fn family(signature: u32) -> u32 {
        let extended = match signature >> 8 & 0xf {
            0xf => signature >> 20 & 0xff,
            _ => 0,
        };
        (signature >> 8 & 0xf) + extended
    }
}

#[cfg(all(test, feature = "std"))]
mod pretended {
    use super::Habits;
    use std::cell::Cell;

    std::thread_local! {
        pub static HABITS: Cell<Option<&'static Habits>> = const { Cell::new(None) };
    }
}

/// Runs a test as on each processor that is told from others.
#[cfg(test)]
pub(super) fn on_each_processor(test: impl Fn()) {
    #[cfg(feature = "std")]
    for habits in [&OTHERS, &TO_ZEN_3, &ZEN_4, &FROM_ZEN_5] {
        pretended::HABITS.set(Some(habits));
        test();
    }
    #[cfg(feature = "std")]
    pretended::HABITS.set(None);
    #[cfg(not(feature = "std"))]
    test();
}
