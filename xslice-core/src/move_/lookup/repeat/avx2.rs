//! Narrow rows from the same places in every turn of a loop, with AVX2: eight of them are put into vectors.

use crate::move_::at::{Starts, Turns};
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::move_::few;
use crate::move_::lookup::avx2::{EIGHT, eight_of};

/// Moves neighbouring rows of 1, 2, 4 or 8 bytes in each of the turns, always from the same places; `false`, and nothing is moved, for
/// others.
///
/// # Safety
/// As [`super::moved`]; the processor has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn moved(starts: Starts<'_>, rows: Rows, places: &[isize], turns: Turns) -> bool {
    if !rows.touch() || rows.count < EIGHT {
        return false;
    }
    // SAFETY: by the contract of this function.
    unsafe {
        match rows.bytes {
            1 => turns_of::<1>(starts, places, turns),
            2 => turns_of::<2>(starts, places, turns),
            4 => turns_of::<4>(starts, places, turns),
            8 => turns_of::<8>(starts, places, turns),
            _ => return false,
        }
    }
    true
}

/// Turns whose eights move before what is left of each: what they read is near still.
const NEAR: usize = 16;

/// Turns that are at least this far apart leave the nearest cache too soon to move the same eight rows, and then the next.
const FAR: usize = 1 << 10;

/// Moves rows of `N` bytes in turns.
///
/// # Safety
/// As [`moved`], for rows of `N` bytes.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn turns_of<const N: usize>(starts: Starts<'_>, places: &[isize], turns: Turns) {
    let near = Turns {
        count: NEAR,
        ..turns
    };
    // SAFETY: by the contract of this function.
    starts.each(|dst, src| unsafe {
        for (to, from) in turns.in_groups(NEAR).each(dst, src) {
            near_turns::<N>(to, from, places, near);
        }
        let (to, from, others) = turns.after(turns.that_fill(NEAR), dst, src);
        near_turns::<N>(to, from, places, others);
    });
}

/// # Safety
/// As [`turns_of`].
#[target_feature(enable = "avx2")]
unsafe fn near_turns<const N: usize>(dst: *mut u8, src: *const u8, places: &[isize], turns: Turns) {
    let (eights, rest) = places.as_chunks::<EIGHT>();
    // SAFETY: by the contract of this function; what is left of a turn begins where its eights end.
    unsafe {
        match turns.src_stride.unsigned_abs() {
            ..FAR => eight_by_eight::<N>(dst, src, eights, turns),
            _ => turn_by_turn::<N>(dst, src, eights, turns),
        }
        let end = dst.wrapping_add(eights.len() * EIGHT * N);
        let rows = Rows {
            count: rest.len(),
            dst_stride: N as isize,
            ..Rows::one(N, Cache::Near)
        };
        few::moved(end, src, &rows, rest, turns);
    }
}

/// The same eight rows of all turns, whose places stay in registers, then the next.
///
/// # Safety
/// As [`turns_of`].
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn eight_by_eight<const N: usize>(
    mut dst: *mut u8,
    src: *const u8,
    eights: &[[isize; EIGHT]],
    turns: Turns,
) {
    for eight in eights {
        for (to, from) in turns.each(dst, src) {
            // SAFETY: by the contract of this function.
            unsafe { eight_of::<N>(to, eight.map(|place| from.wrapping_offset(place))) };
        }
        dst = dst.wrapping_add(EIGHT * N);
    }
}

/// All eights of two turns, then those of the next.
///
/// # Safety
/// As [`turns_of`].
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn turn_by_turn<const N: usize>(
    dst: *mut u8,
    src: *const u8,
    eights: &[[isize; EIGHT]],
    turns: Turns,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        for (to, from) in turns.in_groups(2).each(dst, src) {
            some_turns::<N, 2>(to, from, eights, turns);
        }
        let (to, from, rest) = turns.after(turns.that_fill(2), dst, src);
        if rest.count > 0 {
            some_turns::<N, 1>(to, from, eights, turns);
        }
    }
}

/// # Safety
/// As [`turn_by_turn`], for `TURNS` turns.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn some_turns<const N: usize, const TURNS: usize>(
    dst: *mut u8,
    src: *const u8,
    eights: &[[isize; EIGHT]],
    turns: Turns,
) {
    let to: [_; TURNS] =
        core::array::from_fn(|t| dst.wrapping_offset(t as isize * turns.dst_stride));
    let from: [_; TURNS] =
        core::array::from_fn(|t| src.wrapping_offset(t as isize * turns.src_stride));
    let mut at = 0;
    for eight in eights {
        for t in 0..TURNS {
            let from = eight.map(|place| from[t].wrapping_offset(place));
            // SAFETY: by the contract of this function.
            unsafe { eight_of::<N>(to[t].add(at), from) };
        }
        at += EIGHT * N;
    }
}
