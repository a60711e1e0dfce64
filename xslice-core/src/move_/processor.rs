//! What processors with the same instructions differ in, as it was measured: Sapphire Rapids on one side, Zen 3, 4 and 5 on the other, told
//! apart by their vendor; Zen 5 from those before it by its family, and Zen 3 from all by what it lacks. Only speed depends on it.

use crate::level;

/// Whether the lines of the result are fetched before rows are written to them. With that, rows took up to a third less time on Sapphire
/// Rapids, by whatever vectors; up to a third more on Zen 3, and a twentieth more on Zen 4 and Zen 5.
#[inline]
pub(super) fn fetches_written() -> bool {
    side() == Side::Intel
}

/// Whether rows are fetched from farther ahead where no line of the result is. On Zen 5 rows of some kilobytes take up to 5 % less time with
/// that. Not timed on Zen 4.
#[inline]
pub(super) fn fetches_far_ahead() -> bool {
    side() == Side::FromZen5
}

/// Whether rows that are copied forwards with small gaps between them are fetched ahead with AVX-512. On Zen 4, whose own prefetchers keep
/// their pace there, that takes up to a fifth longer; on Zen 5 up to an eighth less.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn fetches_behind_gaps() -> bool {
    side() != Side::BeforeZen5
}

/// The same of short rows of a pattern. On Zen 4 and Zen 5 that takes up to a tenth longer.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn fetches_patterns_behind_gaps() -> bool {
    side() == Side::Intel
}

/// Whether rows of a few lines are copied by whole lines with AVX-512, with what they read and write fetched ahead. On Zen 5 that takes up
/// to an eighth less time than by vectors of 32 bytes with what they read alone. Not timed on Zen 4 and Sapphire Rapids.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn fetches_both_of_short_rows() -> bool {
    side() == Side::FromZen5
}

/// Whether rows in the second cache are quicker when nothing is fetched ahead: by whole lines with AVX-512. On Zen 5 that takes up to a
/// quarter less time. Not timed on Zen 4 and Sapphire Rapids.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn has_second_cache_at_hand() -> bool {
    side() == Side::FromZen5
}

/// Whether rows of some kilobytes are quickest by the string instruction. On Zen 5 they take up to a fifth less time than by `memcpy` or by
/// vectors. Not timed elsewhere.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn has_quick_strings() -> bool {
    side() == Side::FromZen5
}

/// Whether long runs of a pattern that reads more than it writes are fetched ahead with AVX-512, where the second cache does not hold both.
/// On Zen 5 that takes up to a sixth less time; on Zen 4 more. Not timed on Sapphire Rapids.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn fetches_long_patterns() -> bool {
    side() == Side::FromZen5
}

/// Whether lines that values of a Range fill are fetched before. On Zen 5 results of some megabytes take up to a fifth less time with that.
/// Not timed elsewhere.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn fetches_filled() -> bool {
    side() == Side::FromZen5
}

/// Whether a gather is quicker than as many loads. On Zen 4 it takes up to two thirds longer, on Zen 5 up to twice as long.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn has_quick_gathers() -> bool {
    side() == Side::Intel
}

/// Whether rows of far tables move in turn with their indices. With that, Zen 4 takes a fifth less time than for block after block, as does
/// Sapphire Rapids, and Zen 5 as much; Zen 3, which is told from them by what it lacks, a sixth more.
#[inline]
pub(super) fn takes_far_rows_in_turn() -> bool {
    !level::is_without_avx512()
}

/// Whether rows of half a line or a line that indices pick are quicker where each moves when its index has been read, and nothing is fetched
/// ahead: a processor with room for hundreds of instructions has as many rows on their way. On Zen 5 that takes up to a third less time
/// than blocks of indices with their rows fetched, up to a tenth more out of tables of some megabytes for large results. Not timed elsewhere.
#[inline]
pub(super) fn finds_rows_by_itself() -> bool {
    side() == Side::FromZen5
}

/// Whether a loop that asks for lines as fast as it can makes the last cache slower. On Zen 4, runs of some megabytes take up to a fifth less
/// time when it does not; why is not known: fetching ahead makes it worse, by whatever vectors lines are asked for. Zen 5 does not.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn outruns_caches() -> bool {
    side() == Side::BeforeZen5
}

/// Whether rows that no cache keeps, and that lie close to each other, are quicker one after the other than some of them side by side. On
/// Zen 4 rows of some kilobytes take a fifth less time with that, rows of 400 to 1000 bytes half the time. Not timed on Zen 3.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn streams_in_sequence() -> bool {
    side() != Side::Intel
}

/// Whether what such rows read is fetched ahead, and those with larger gaps go so too, and long patterns. On Zen 5 rows of some hundred bytes
/// take half the time with that, patterns a third to a tenth less. Not timed on Zen 4.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn fetches_streamed() -> bool {
    side() == Side::FromZen5
}

/// The sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// Every vendor but AMD.
    Intel,
    /// Processors of AMD up to Zen 4.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "only tests run as there")
    )]
    BeforeZen5,
    /// Those from Zen 5 on.
    FromZen5,
}

#[inline]
fn side() -> Side {
    #[cfg(all(test, feature = "std"))]
    if let Some(side) = pretended::SIDE.get() {
        return side;
    }
    #[cfg(target_arch = "x86_64")]
    {
        own::side()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        Side::Intel
    }
}

#[cfg(target_arch = "x86_64")]
mod own {
    use super::Side;
    use crate::move_::cache::cpuid;
    use core::sync::atomic::{AtomicU8, Ordering};

    /// Kept once it has been asked for: that takes a microsecond or more where the processor is a virtual one.
    static KNOWN: AtomicU8 = AtomicU8::new(UNKNOWN);
    const UNKNOWN: u8 = 0;
    const INTEL: u8 = 1;
    const BEFORE_ZEN_5: u8 = 2;
    const FROM_ZEN_5: u8 = 3;

    /// The family of Zen 5.
    const ZEN_5: u32 = 0x1a;

    #[inline]
    pub fn side() -> Side {
        let known = match KNOWN.load(Ordering::Relaxed) {
            UNKNOWN => ask(),
            known => known,
        };
        match known {
            BEFORE_ZEN_5 => Side::BeforeZen5,
            FROM_ZEN_5 => Side::FromZen5,
            _ => Side::Intel,
        }
    }

    #[cold]
    fn ask() -> u8 {
        let name = cpuid(0, 0);
        let name = [name.ebx, name.edx, name.ecx].map(u32::to_le_bytes);
        let known = match name.as_flattened() {
            b"AuthenticAMD" if family(cpuid(1, 0).eax) >= ZEN_5 => FROM_ZEN_5,
            b"AuthenticAMD" => BEFORE_ZEN_5,
            _ => INTEL,
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
    use super::Side;
    use std::cell::Cell;

    std::thread_local! {
        pub static SIDE: Cell<Option<Side>> = const { Cell::new(None) };
    }
}

/// Runs a test as on each side.
#[cfg(test)]
pub(super) fn on_each_side(test: impl Fn()) {
    #[cfg(feature = "std")]
    for side in [Side::Intel, Side::BeforeZen5, Side::FromZen5] {
        pretended::SIDE.set(Some(side));
        test();
    }
    #[cfg(feature = "std")]
    pretended::SIDE.set(None);
    #[cfg(not(feature = "std"))]
    test();
}
