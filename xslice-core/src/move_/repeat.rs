//! Rows from the same places in every turn of a loop.
//!
//! Columns and channels that indices name are the same in each row and pixel. So their indices are wrapped and tested once, and what the
//! places are is known before the first turn.

use super::copy::{Mover, Rows, by_width};
#[cfg(target_arch = "x86_64")]
use super::level::Kind;
use super::level::Level;
use super::lookup::{looked_ahead, pick};
use super::rows;
#[cfg(target_arch = "x86_64")]
use super::{avx2, windows};

/// Turns of a loop at constant distances.
#[derive(Clone, Copy)]
pub(super) struct Turns {
    pub count: usize,
    pub dst_stride: isize,
    pub src_stride: isize,
}

/// Places that are kept for all turns of a loop, at most: 8 KiB on the stack.
pub(super) const MOST_KEPT: usize = 1024;

/// Fewer rows in all turns are over before places kept for them pay.
const LEAST_REPEATED: usize = 64;

/// Whether `count` rows from the same places in each of `turns` pay for keeping the places.
pub(super) fn pays(count: usize, turns: usize) -> bool {
    turns > 1 && count <= MOST_KEPT && count.saturating_mul(turns) >= LEAST_REPEATED
}

/// Whether vectors find the rows of a turn together, which lie within `reach` bytes.
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(unused_variables, reason = "there are no such vectors")
)]
pub(super) fn pays_in_vectors(level: Level, rows: &Rows, reach: usize, turns: Turns) -> bool {
    #[cfg(target_arch = "x86_64")]
    if level.kind() == Kind::Avx512 {
        return windows::Form::of(rows, reach, turns).is_some();
    }
    false
}

/// Where the rows of a turn begin, and within how many bytes they all lie; `usize::MAX`: that is not known.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    pub each: &'a [isize],
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "read for vectors alone")
    )]
    pub reach: usize,
}

/// Moves `rows` in each of the turns, always from the same places.
///
/// # Safety
/// As [`super::copy::run`], for each of the runs of each turn; there are as many places as rows. If `places.reach` is known, so many bytes
/// are readable from where each turn begins, and all between those of two turns.
pub(super) unsafe fn moved(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    places: Places<'_>,
    turns: Turns,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if level.kind() == Kind::Avx512 && windows::moved(dst, src, rows, places, turns) {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if level.kind() == Kind::Avx2 && avx2::in_turns(dst, src, rows, places.each, turns) {
            return;
        }
        if rows::takes(level, &rows) {
            let (mut to, mut from) = (dst, src);
            for _ in 0..turns.count {
                let places = places.each;
                rows::moved(level, to, from, rows, places.len(), |k| places[k]);
                to = to.wrapping_offset(turns.dst_stride);
                from = from.wrapping_offset(turns.src_stride);
            }
            return;
        }
        by_width!(
            rows.bytes,
            pick_in_turns(dst, src, rows, places.each, turns)
        );
    }
}

/// A function for each mover, so that a turn of few rows takes as long whatever stands around the call.
///
/// # Safety
/// As [`moved`]; the mover is for `rows.bytes`.
#[inline(never)]
unsafe fn pick_in_turns(
    mover: impl Mover,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    places: &[isize],
    turns: Turns,
) {
    let ahead = looked_ahead(rows.cache, rows.bytes);
    let (mut to, mut from) = (dst, src);
    for _ in 0..turns.count {
        // SAFETY: by the contract of this function.
        unsafe { pick(mover, to, from, rows, places, ahead) };
        to = to.wrapping_offset(turns.dst_stride);
        from = from.wrapping_offset(turns.src_stride);
    }
}
