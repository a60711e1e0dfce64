//! Rows from the same places in every turn of a loop.
//!
//! Columns and channels that indices name are the same in each row and pixel. So their indices are wrapped and tested once, and what the
//! places are is known before the first turn.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod columns;
#[cfg(target_arch = "x86_64")]
mod pattern;

use super::{looked_ahead, pick};
#[cfg(target_arch = "x86_64")]
use crate::level::Kind;
use crate::level::Level;
use crate::move_::at::Turns;
use crate::move_::copy::{Mover, Rows, by_width};
use crate::move_::few;
use crate::move_::rows::Way;

/// Places that are kept for all turns of a loop, at most: 8 KiB on the stack.
pub(in crate::move_) const MOST_KEPT: usize = 1024;

/// Rows of several turns are listed up to this many.
const MOST_LISTED: usize = 256;

/// Whether places of `count` rows are kept for `turns` turns.
pub(in crate::move_) fn pays(count: usize, turns: usize) -> bool {
    turns > 1 && count <= MOST_KEPT
}

/// Where the rows of a turn begin, and within how many bytes they all lie; `usize::MAX`: that is not known.
#[derive(Clone, Copy)]
pub(in crate::move_) struct KeptPlaces<'a> {
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
/// As [`copy::run`](crate::move_::copy::run), for each of the runs of each turn; there are as many places as rows. If `places.reach` is
/// known, that many bytes are readable from where each turn begins, and all between those of two turns.
pub(in crate::move_) unsafe fn moved(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if level.kind() == Kind::Avx512 && avx512::near(dst, src, rows, places, turns) {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if level.kind() == Kind::Avx2 && pattern::moved(level, dst, src, rows, places, turns) {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        let (dst, src, turns) = match level.kind() {
            Kind::Avx2 | Kind::Avx512 => {
                let moved = columns::moved(level, dst, src, rows, places, turns);
                turns.after(moved, dst, src)
            }
            _ => (dst, src, turns),
        };
        if turns.count == 0 {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if level.kind() == Kind::Avx512 && avx512::gathered(dst, src, rows, places, turns) {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if matches!(level.kind(), Kind::Avx2 | Kind::Avx512)
            && avx2::moved(dst, src, rows, places.each, turns)
        {
            return;
        }
        if few::takes(rows.bytes, places.each.len(), rows.cache) {
            return few::moved(dst, src, &rows, places.each, turns);
        }
        if let Some(way) = Way::of(level, &rows) {
            let some = |to, from, rows, each: &[isize]| {
                way.moves(level, to, from, rows, each.len(), |k| each[k]);
            };
            let (each, places) = (turns.each(dst, src), places.each);
            return match way.looks_ahead() {
                true => listed(dst, src, rows, places, turns, some),
                false => each.for_each(|(to, from)| some(to, from, rows, places)),
            };
        }
        by_width!(
            rows.bytes,
            pick_in_turns(dst, src, rows, places.each, turns)
        );
    }
}

/// Calls `some` with the rows of as many turns as can be listed together, and their places: those of turns that touch in the destination.
#[inline]
pub(in crate::move_) fn listed(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    places: &[isize],
    turns: Turns,
    some: impl Fn(*mut u8, *const u8, Rows, &[isize]),
) {
    let touch = turns.dst_stride == rows.dst_stride * rows.count as isize;
    let at_once = match touch {
        true => turns.count.min(MOST_LISTED / rows.count.max(1)),
        false => 1,
    };
    if at_once <= 1 {
        return turns
            .each(dst, src)
            .for_each(|(to, from)| some(to, from, rows, places));
    }
    let mut all = [0; MOST_LISTED];
    for (turn, all) in all.chunks_exact_mut(rows.count).take(at_once).enumerate() {
        let begin = turn as isize * turns.src_stride;
        for (to, place) in all.iter_mut().zip(places) {
            *to = begin.wrapping_add(*place);
        }
    }
    for done in (0..turns.count).step_by(at_once) {
        let count = at_once.min(turns.count - done) * rows.count;
        let to = dst.wrapping_offset(done as isize * turns.dst_stride);
        let from = src.wrapping_offset(done as isize * turns.src_stride);
        some(to, from, Rows { count, ..rows }, &all[..count]);
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
    for (to, from) in turns.each(dst, src) {
        // SAFETY: by the contract of this function.
        unsafe { pick(mover, to, from, rows, places, ahead) };
    }
}
