//! How rows of more than a line are moved: by what they are, and by what is quick on this processor.

#[cfg(target_arch = "x86_64")]
use super::row::{FOUR_LINES, LEAST_BY_VECTORS};
#[cfg(target_arch = "x86_64")]
use crate::level::Kind;
use crate::level::Level;
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
#[cfg(target_arch = "x86_64")]
use crate::move_::processor::FetchesBoth;
use crate::move_::processor::{Copies, habits};
#[cfg(target_arch = "x86_64")]
use crate::move_::stream;
use crate::shuffle::LINE;
#[cfg(target_arch = "x86_64")]
use core::ops::RangeInclusive;

/// Shorter rows always go by movers of their width; some longer ones do, too: see [`go_by_width`].
pub(in crate::move_) const LEAST_ROW: usize = LINE + 1;

/// How rows are moved.
#[derive(Clone, Copy, Debug)]
pub(in crate::move_) enum Way {
    /// Past the caches.
    #[cfg(target_arch = "x86_64")]
    Streamed,
    /// Each by the string instruction.
    #[cfg(target_arch = "x86_64")]
    Strings,
    /// Each as if it were alone.
    Alone,
    /// Each by vectors that fill lines of the result.
    #[cfg(target_arch = "x86_64")]
    WholeLines,
    /// The same, with the next row and lines of the result fetched.
    #[cfg(target_arch = "x86_64")]
    FetchedLines,
    /// Each of four lines, all of which are loaded first.
    #[cfg(target_arch = "x86_64")]
    FourLines,
    /// Each by vectors of 32 bytes that lie in lines of the result.
    #[cfg(target_arch = "x86_64")]
    WholeVectors,
    /// Each by a few vectors of 32 bytes, wherever these lie.
    #[cfg(target_arch = "x86_64")]
    Halves,
    /// Line by line from the first byte on.
    Lines(Fetched),
}

/// What is fetched ahead where rows are moved line by line.
#[derive(Clone, Copy, Debug)]
pub(in crate::move_) enum Fetched {
    /// The row that comes next.
    Next,
    /// The same, and lines of the result.
    Written,
    /// The same as [`Self::Next`], and lines of the next pages.
    Pages,
}

impl Fetched {
    /// What is quick here.
    fn here() -> Self {
        match habits() {
            habits if habits.fetches_written => Self::Written,
            habits if habits.asks_for_pages => Self::Pages,
            _ => Self::Next,
        }
    }
}

impl Way {
    /// That of rows at a level. `None`: they gain nothing from what is known of the others, and go by their width.
    #[inline(always)]
    pub fn of(level: Level, rows: &Rows) -> Option<Self> {
        if go_by_width(rows) {
            return None;
        }
        #[cfg(target_arch = "x86_64")]
        if stream::takes(rows) {
            return Some(Self::Streamed);
        }
        if level == Level::SCALAR {
            return None;
        }
        #[cfg(target_arch = "x86_64")]
        if go_by_strings(rows) {
            return Some(Self::Strings);
        }
        if rows.bytes > longest(level, rows) {
            return (habits().copies != Copies::Memcpy).then_some(Self::Alone);
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(filling) = Self::filling(level, rows) {
            return Some(filling);
        }
        // From memory, wider vectors cross a line with every load that is not aligned to them, and were slower.
        Some(Self::Lines(Fetched::here()))
    }

    /// Whether it gains by what is known of the rows after the next.
    pub fn looks_ahead(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Streamed | Self::FetchedLines => true,
            Self::Lines(_) => true,
            _ => false,
        }
    }

    /// That of rows which gain by stores that fill lines or vectors of the result.
    #[cfg(target_arch = "x86_64")]
    fn filling(level: Level, rows: &Rows) -> Option<Self> {
        match level.kind() {
            _ if are_quicker_by_halves(rows) => Some(Self::Halves),
            Kind::Avx512 if are_at_hand(rows) || keep_pace(rows) => Some(Self::WholeLines),
            Kind::Avx512 => Self::with_both_fetched(rows),
            Kind::Avx2 if fill_vectors(rows) => Some(Self::WholeVectors),
            _ => None,
        }
    }

    /// That of rows which are quicker by lines that are fetched on both sides.
    #[cfg(target_arch = "x86_64")]
    fn with_both_fetched(rows: &Rows) -> Option<Self> {
        const A_FEW_LINES: RangeInclusive<usize> = 256..=640;
        const TWO_LINES: usize = 2 * 64;
        match habits().fetches_both {
            FetchesBoth::OfFewLines if rows.src_stride > 0 => match rows.bytes {
                FOUR_LINES => Some(Self::FourLines),
                bytes if A_FEW_LINES.contains(&bytes) => Some(Self::FetchedLines),
                _ => None,
            },
            FetchesBoth::InSecondCache if rows.cache == Cache::Second => {
                (rows.bytes > TWO_LINES).then_some(Self::FetchedLines)
            }
            FetchesBoth::Never | FetchesBoth::OfFewLines | FetchesBoth::InSecondCache => None,
        }
    }
}

/// Whether rows are so short, for where their result goes, that movers of their width are the quickest.
#[inline(always)]
pub(in crate::move_) fn go_by_width(rows: &Rows) -> bool {
    rows.bytes < LEAST_ROW || are_quicker_in_parts(rows)
}

/// The same of rows of more than a line.
fn are_quicker_in_parts(rows: &Rows) -> bool {
    const LONGEST_NEAR: usize = 7 * 16;
    const LONGEST_SECOND: usize = 5 * 16;
    let longest = match rows.cache {
        Cache::Near => LONGEST_NEAR,
        Cache::Second => LONGEST_SECOND,
        Cache::Far | Cache::None => return false,
    };
    rows.bytes <= longest && habits().moves_in_parts
}

/// Whether rows are quickest by a few vectors of 32 bytes, even where there are ones as long as a line, with nothing fetched: where they are
/// far, the processor's own prefetchers have to find their way through them.
#[cfg(target_arch = "x86_64")]
pub(in crate::move_) fn are_quicker_by_halves(rows: &Rows) -> bool {
    const LONGEST: usize = 3 * LINE;
    let are_found = match rows.cache {
        Cache::Near => true,
        Cache::Second => rows.src_stride != 0 && !are_scattered(rows),
        Cache::Far => are_dense(rows) && rows.bytes < LONGEST,
        Cache::None => false,
    };
    habits().moves_in_halves && (LINE..=LONGEST).contains(&rows.bytes) && are_found
}

/// Whether short rows are read from so many pages that it takes a while to find each, if it is not asked for before.
#[cfg(target_arch = "x86_64")]
fn are_scattered(rows: &Rows) -> bool {
    const LONGEST: usize = 2 * LINE;
    const MOST_READ: usize = 8 << 20;
    let read = rows.count.saturating_mul(rows.src_stride.unsigned_abs());
    rows.bytes <= LONGEST && read > MOST_READ && habits().asks_for_pages
}

/// Whether rows are read forwards, with less than a row between them.
#[cfg(target_arch = "x86_64")]
fn are_dense(rows: &Rows) -> bool {
    let row = rows.bytes as isize;
    (row..2 * row).contains(&rows.src_stride)
}

/// Longer rows gain nothing from what is known of the others: they leave their prefetches behind.
fn longest(level: Level, rows: &Rows) -> usize {
    const LONGEST_ROW: usize = 8 << 10;
    /// In a result that is small, without vectors as long as a line: there `memcpy` is only slower by its call.
    const LONGEST_NEAR: usize = 256;
    match rows.cache {
        Cache::Near if fills_lines(level, rows.bytes) => Cache::NEAR,
        Cache::Near => LONGEST_NEAR,
        Cache::Second | Cache::Far | Cache::None => LONGEST_ROW,
    }
}

/// Whether a row of a small result is moved by vectors that fill lines of it.
pub(in crate::move_) fn fills_lines(level: Level, bytes: usize) -> bool {
    level.vector() == 64 && (LEAST_ROW..=Cache::NEAR).contains(&bytes)
}

/// Whether rows of a result that nearly fills the first cache are near: out of small tables they are moved as those of a smaller one, where
/// both sides of larger ones are fetched, and no rows are listed. On the Intel processor of model 167 the first took a tenth less time, up
/// to half, others a twentieth.
pub(in crate::move_) fn stay_near(level: Level, bytes: usize) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        fills_lines(level, bytes) && habits().fetches_both == FetchesBoth::InSecondCache
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (level, bytes);
        false
    }
}

#[cfg(target_arch = "x86_64")]
fn go_by_strings(rows: &Rows) -> bool {
    /// Longer rows take so long that `memcpy` may begin as slowly as it does.
    const LONGEST: usize = 256 << 10;
    let least = match rows.cache {
        Cache::Second => 2 << 10,
        Cache::Far => (8 << 10) + 1,
        Cache::Near | Cache::None => return false,
    };
    (least..=LONGEST).contains(&rows.bytes)
        && cfg!(target_pointer_width = "64")
        && habits().has_quick_strings
}

/// Whether what rows are written to, and read from, is so near that nothing is fetched ahead.
#[cfg(target_arch = "x86_64")]
fn are_at_hand(rows: &Rows) -> bool {
    match rows.cache {
        Cache::Near => true,
        Cache::Second => habits().has_second_cache_at_hand && !are_scattered(rows),
        Cache::Far | Cache::None => false,
    }
}

/// Whether the processor's own prefetchers find their way through rows: then stores that fill lines are quicker than fetching ahead.
#[cfg(target_arch = "x86_64")]
fn keep_pace(rows: &Rows) -> bool {
    const KEPT_PACE_WITH: RangeInclusive<usize> = 192..=2 << 10;
    KEPT_PACE_WITH.contains(&rows.bytes) && are_dense(rows) && !habits().fetches_behind_gaps
}

/// Whether rows at hand, at a distance, fill vectors of 32 bytes: shorter ones are quicker line by line.
#[cfg(target_arch = "x86_64")]
fn fill_vectors(rows: &Rows) -> bool {
    let least = match rows.cache {
        Cache::Near => LEAST_BY_VECTORS,
        Cache::Second | Cache::Far | Cache::None => 192,
    };
    rows.bytes >= least && rows.src_stride != 0 && are_at_hand(rows)
}
