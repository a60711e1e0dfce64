//! Narrow rows from the same places in every turn of a loop, with AVX2: eight of them are put into vectors.

use super::Turns;
use crate::move_::copy::{self, Rows};
use crate::move_::lookup::avx2::{EIGHT, eight_of};

/// Moves neighbouring rows of 1, 2, 4 or 8 bytes in each of the turns, always from the same places; `false`, and nothing is moved, for
/// others.
///
/// # Safety
/// As [`super::moved`]; the processor has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn moved(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    places: &[isize],
    turns: Turns,
) -> bool {
    if !rows.touch() || rows.count < EIGHT {
        return false;
    }
    // SAFETY: by the contract of this function.
    unsafe {
        match rows.bytes {
            1 => turns_of::<1>(dst, src, places, turns),
            2 => turns_of::<2>(dst, src, places, turns),
            4 => turns_of::<4>(dst, src, places, turns),
            8 => turns_of::<8>(dst, src, places, turns),
            _ => return false,
        }
    }
    true
}

/// Turns that move the same eight rows one after the other: their places stay in registers.
const AT_ONCE: usize = 2;

/// Moves rows of `N` bytes in turns.
///
/// # Safety
/// As [`moved`], for rows of so many bytes.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn turns_of<const N: usize>(dst: *mut u8, src: *const u8, places: &[isize], turns: Turns) {
    // SAFETY: by the contract of this function.
    unsafe {
        for (to, from) in turns.in_groups(AT_ONCE).each(dst, src) {
            some_turns::<N, AT_ONCE>(to, from, places, turns);
        }
        let (dst, src, rest) = turns.after(turns.that_fill(AT_ONCE), dst, src);
        for (to, from) in rest.each(dst, src) {
            some_turns::<N, 1>(to, from, places, turns);
        }
    }
}

/// `TURNS` turns.
///
/// # Safety
/// As [`turns_of`].
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn some_turns<const N: usize, const TURNS: usize>(
    dst: *mut u8,
    src: *const u8,
    places: &[isize],
    turns: Turns,
) {
    let to: [_; TURNS] =
        core::array::from_fn(|t| dst.wrapping_offset(t as isize * turns.dst_stride));
    let from: [_; TURNS] =
        core::array::from_fn(|t| src.wrapping_offset(t as isize * turns.src_stride));
    let (eights, rest) = places.as_chunks::<EIGHT>();
    let mut at = 0;
    for eight in eights {
        for t in 0..TURNS {
            let from = eight.map(|place| from[t].wrapping_offset(place));
            // SAFETY: by the contract of this function.
            unsafe { eight_of::<N>(to[t].add(at), from) };
        }
        at += EIGHT * N;
    }
    for &place in rest {
        for t in 0..TURNS {
            // SAFETY: by the contract of this function.
            unsafe { copy::fixed::<N>(to[t].add(at), from[t].wrapping_offset(place)) };
        }
        at += N;
    }
}
