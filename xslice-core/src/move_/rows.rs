//! Many rows of more than a line: [`Way`] picks how by their length, what keeps the result, and the processor; `row` moves one of them, and is
//! what most ways call.
//!
//! Rows with gaps between them, or in no order, end where the processor's own prefetchers have just found their pace. Told of the row that
//! is some kilobytes ahead, and of the lines that will be written, it moves them as fast as one long run; `memcpy` does not know of the
//! next row.

pub(super) mod row;
mod way;

pub(super) use row::one;
pub(super) use way::{LEAST_ROW, Way, go_by_width, stay_near};
#[cfg(target_arch = "x86_64")]
pub(super) use way::{are_quicker_by_halves, fills_lines};

use super::at::Turns;
#[cfg(target_arch = "x86_64")]
use super::copy::{Bytes, Mover, by_halves};
use super::copy::{Rows, fixed};
use super::prefetch::{self, PAGE};
use super::processor::habits;
#[cfg(target_arch = "x86_64")]
use super::stream;
use crate::level::Level;
use crate::shuffle::LINE;
#[cfg(target_arch = "x86_64")]
use row::{WholeLines, WholeVectors};
use way::Fetched;

/// The most rows to look ahead.
pub(super) const MOST_AHEAD: usize = 32;

/// How many rows ahead of the one that moves to fetch: some kilobytes of them.
pub(super) fn ahead(bytes: usize) -> usize {
    const DISTANCE: usize = 6 << 10;
    DISTANCE.div_ceil(bytes).min(MOST_AHEAD)
}

/// The same where lines are not fetched before they are written.
fn alone_ahead(bytes: usize) -> usize {
    let distance: usize = match habits().fetches_far_ahead {
        true => 4 << 10,
        false => 2 << 10,
    };
    distance.div_ceil(bytes).min(MOST_AHEAD)
}

/// Calls `row` with the places of each of the rows, in the destination and in the source.
#[inline(always)]
fn one_by_one(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    place: impl Fn(usize) -> isize,
    row: impl Fn(*mut u8, *const u8),
) {
    for k in 0..rows.count {
        let to = dst.wrapping_offset(k as isize * rows.dst_stride);
        row(to, src.wrapping_offset(place(k)));
    }
}

impl Way {
    /// Moves rows in each of the turns, always from the same places.
    ///
    /// # Safety
    /// As [`Way::moves`], for the rows of each turn.
    pub unsafe fn moves_turns(
        self,
        level: Level,
        dst: *mut u8,
        src: *const u8,
        rows: Rows,
        turns: Turns,
        place: impl Fn(usize) -> isize,
    ) {
        // SAFETY: by the contract of this function.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            if self.by_movers((dst, src), rows, turns, &place) {
                return;
            }
            turns.each(dst, src).for_each(|(to, from)| {
                self.moves(level, to, from, rows, rows.count, &place);
            });
        }
    }

    /// The same of rows that have movers of their own. `false`, and nothing is moved, of others.
    ///
    /// # Safety
    /// As [`Way::moves_turns`].
    #[cfg(target_arch = "x86_64")]
    #[inline]
    unsafe fn by_movers(
        self,
        places: (*mut u8, *const u8),
        rows: Rows,
        turns: Turns,
        place: &impl Fn(usize) -> isize,
    ) -> bool {
        let bytes = rows.bytes;
        // SAFETY: by the contract of this function; the way is the proof that the processor has the instructions.
        unsafe {
            match self {
                Self::WholeLines => by_avx512(WholeLines::of(bytes), places, rows, turns, place),
                Self::WholeVectors => by_avx2(WholeVectors::of(bytes), places, rows, turns, place),
                Self::Halves => by_halves!(
                    bytes,
                    by_avx2(places, rows, turns, place),
                    by_avx2(Bytes(bytes), places, rows, turns, place)
                ),
                _ => return false,
            }
        }
        true
    }

    /// Moves rows, row `k` from `src` plus `place(k)` bytes; places are asked for up to `known`.
    ///
    /// # Safety
    /// As [`super::copy::run`], for each of the rows, whose way at `level` this is; `rows.count <= known`.
    #[inline]
    pub unsafe fn moves(
        self,
        level: Level,
        dst: *mut u8,
        src: *const u8,
        rows: Rows,
        known: usize,
        place: impl Fn(usize) -> isize,
    ) {
        let bytes = rows.bytes;
        // SAFETY: by the contract of this function; holding `level` is the proof that the processor has its instructions, and that of
        // a way, too.
        unsafe {
            match self {
                #[cfg(target_arch = "x86_64")]
                Self::Streamed => stream::moved(level, dst, src, rows, known, place),
                #[cfg(target_arch = "x86_64")]
                Self::Strings => one_by_one(dst, src, rows, place, |to, from| {
                    row::by_string(level, to, from, bytes);
                }),
                Self::Alone => one_by_one(dst, src, rows, place, |to, from| {
                    one(level, to, from, bytes);
                }),
                #[cfg(target_arch = "x86_64")]
                Self::WholeLines | Self::WholeVectors | Self::Halves => {
                    self.by_movers((dst, src), rows, Turns::once(0), &place);
                }
                #[cfg(target_arch = "x86_64")]
                Self::FetchedLines => {
                    const AHEAD: usize = 2 << 10;
                    let ahead = AHEAD.div_ceil(bytes);
                    let next = |k: usize| src.wrapping_offset(place((k + ahead).min(known - 1)));
                    for k in 0..rows.count {
                        let to = dst.wrapping_offset(k as isize * rows.dst_stride);
                        row::fetched_lines(to, src.wrapping_offset(place(k)), bytes, next(k));
                    }
                }
                #[cfg(target_arch = "x86_64")]
                Self::FourLines => one_by_one(dst, src, rows, place, |to, from| {
                    row::four_lines(to, from);
                }),
                Self::Lines(Fetched::Next) => lines::<false, false>(dst, src, rows, known, place),
                Self::Lines(Fetched::Written) => lines::<true, false>(dst, src, rows, known, place),
                Self::Lines(Fetched::Pages) => lines::<false, true>(dst, src, rows, known, place),
            }
        }
    }
}

/// A function that moves rows in each of the turns by a mover with its instructions: to call that for each would take as long as a short row.
#[cfg(target_arch = "x86_64")]
macro_rules! in_turns {
    ($name:ident, $features:literal) => {
        /// Moves rows by their mover, in each of the turns.
        ///
        /// # Safety
        /// As [`Way::moves`]; the processor has its instructions.
        #[target_feature(enable = $features)]
        unsafe fn $name(
            mover: impl Mover,
            (dst, src): (*mut u8, *const u8),
            rows: Rows,
            turns: Turns,
            place: &impl Fn(usize) -> isize,
        ) {
            for (mut to, from) in turns.each(dst, src) {
                for k in 0..rows.count {
                    // SAFETY: by the contract of this function.
                    unsafe { mover.run(to, from.wrapping_offset(place(k))) };
                    to = to.wrapping_offset(rows.dst_stride);
                }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
in_turns!(by_avx512, "avx512f");
#[cfg(target_arch = "x86_64")]
in_turns!(by_avx2, "avx2");

impl Rows {
    /// Where each is read at their distance.
    pub(super) fn place(&self) -> impl Fn(usize) -> isize + use<> {
        let stride = self.src_stride;
        move |k| k as isize * stride
    }

    /// Whether they are some lines, whole ones on both sides, at a distance.
    fn are_lines(&self, dst: *mut u8, src: *const u8) -> bool {
        let strides = self.dst_stride | self.src_stride;
        let all = dst.addr() | src.addr() | self.bytes | strides.cast_unsigned();
        self.src_stride != 0 && self.bytes >= 4 * 64 && all.is_multiple_of(64)
    }
}

/// Moves rows line by line, with the next row fetched; with `WRITTEN` lines of the result too, with `PAGES` lines of the next pages where
/// that is quicker.
///
/// # Safety
/// As [`Way::moves`]; a processor of x86-64 has AVX2.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
unsafe fn lines<const WRITTEN: bool, const PAGES: bool>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    known: usize,
    place: impl Fn(usize) -> isize,
) {
    let ahead = match WRITTEN {
        true => ahead(rows.bytes),
        false => alone_ahead(rows.bytes),
    };
    let of_page = PAGE / rows.bytes.max(rows.src_stride.unsigned_abs());
    let direction = rows.src_stride.signum();
    let mut page = match PAGES && rows.are_lines(dst, src) {
        true => 0,
        false => usize::MAX,
    };
    let by_fours = WRITTEN && are_fours(rows.bytes);
    let mut to = dst;
    for k in 0..rows.count {
        let next = src.wrapping_offset(place((k + ahead).min(known - 1)));
        if PAGES && k == page {
            prefetch::pages(src.wrapping_offset(place(k)), to, direction);
            page += of_page.max(1);
        }
        let from = src.wrapping_offset(place(k));
        // SAFETY: this is one of the rows.
        unsafe {
            match by_fours {
                true => four_by_four(to, from, rows.bytes, next),
                false => line_by_line::<WRITTEN>(to, from, rows.bytes, next),
            }
        }
        to = to.wrapping_offset(rows.dst_stride);
    }
}

/// Whether rows are four or eight lines. Moved [`four_by_four`] they took a tenth to a twentieth less time where lines of the result are
/// fetched, with fewer instructions between one line and the next; longer rows took a little more.
fn are_fours(bytes: usize) -> bool {
    bytes.is_multiple_of(4 * LINE) && bytes <= 8 * LINE
}

/// Moves one row, and fetches `next` and lines of the result: four lines at a time.
///
/// # Safety
/// As [`super::copy::run`], for rows that [`are_fours`].
#[inline(always)]
unsafe fn four_by_four(dst: *mut u8, src: *const u8, bytes: usize, next: *const u8) {
    for four in (0..bytes).step_by(4 * LINE) {
        for k in 0..4 {
            // SAFETY: the line lies within the row.
            unsafe { line::<true>(dst, src, next, four + k * LINE) };
        }
    }
}

/// Moves one row, and fetches `next`: line by line, wherever the lines of memory begin, the last one overlapping the one before it.
///
/// # Safety
/// As [`super::copy::run`], for at least a line.
#[inline(always)]
unsafe fn line_by_line<const WRITTEN: bool>(
    dst: *mut u8,
    src: *const u8,
    bytes: usize,
    next: *const u8,
) {
    let end = bytes - LINE;
    let mut at = 0;
    loop {
        // SAFETY: the line lies within the row, which has at least one.
        unsafe { line::<WRITTEN>(dst, src, next, at) };
        if at == end {
            return;
        }
        at = (at + LINE).min(end);
    }
}

/// Moves the line that begins at byte `at` of a row, and fetches that of `next`; with `WRITTEN` the one that is written soon, too.
///
/// # Safety
/// As [`super::copy::run`], for the bytes of this line.
#[inline(always)]
unsafe fn line<const WRITTEN: bool>(dst: *mut u8, src: *const u8, next: *const u8, at: usize) {
    prefetch::line(next.wrapping_add(at));
    if WRITTEN {
        prefetch::next_to_write(dst.wrapping_add(at));
    }
    // SAFETY: by the contract of this function.
    unsafe { fixed::<LINE>(dst.add(at), src.add(at)) };
}
