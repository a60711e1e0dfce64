//! Narrow rows from the same places in every turn of a loop, with AVX2: eight of them are put into vectors.

use super::Turns;
use crate::move_::copy::{self, Rows};
use crate::move_::lookup::avx2::{EIGHT, doubles, words};
use core::arch::x86_64::*;

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
            1 => turns_of::<1>(dst, src, places, turns, |to, from| one_byte(to, from)),
            2 => turns_of::<2>(dst, src, places, turns, |to, from| two_bytes(to, from)),
            4 => turns_of::<4>(dst, src, places, turns, |to, from| words(to, from)),
            8 => turns_of::<8>(dst, src, places, turns, |to, from| doubles(to, from)),
            _ => return false,
        }
    }
    true
}

/// Turns that move the same eight rows one after the other: their places stay in registers.
const AT_ONCE: usize = 2;

/// Moves rows of `N` bytes in turns, by what moves eight of them.
///
/// # Safety
/// As [`moved`], for rows of so many bytes; `move_` is given the places of eight, and room for them.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn turns_of<const N: usize>(
    dst: *mut u8,
    src: *const u8,
    places: &[isize],
    turns: Turns,
    move_: impl Fn(*mut u8, [*const u8; EIGHT]),
) {
    // SAFETY: by the contract of this function.
    unsafe {
        for (to, from) in turns.in_groups(AT_ONCE).each(dst, src) {
            some_turns::<N, AT_ONCE>(to, from, places, turns, &move_);
        }
        let (dst, src, rest) = turns.after(turns.that_fill(AT_ONCE), dst, src);
        for (to, from) in rest.each(dst, src) {
            some_turns::<N, 1>(to, from, places, turns, &move_);
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
    move_: &impl Fn(*mut u8, [*const u8; EIGHT]),
) {
    let to: [_; TURNS] =
        core::array::from_fn(|t| dst.wrapping_offset(t as isize * turns.dst_stride));
    let from: [_; TURNS] =
        core::array::from_fn(|t| src.wrapping_offset(t as isize * turns.src_stride));
    let (eights, rest) = places.as_chunks::<EIGHT>();
    let mut at = 0;
    for eight in eights {
        for t in 0..TURNS {
            move_(
                to[t].wrapping_add(at),
                eight.map(|place| from[t].wrapping_offset(place)),
            );
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

/// # Safety
/// A byte is readable at each of the places, and as many are writable at `to`.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn one_byte(to: *mut u8, from: [*const u8; EIGHT]) {
    // SAFETY: by the contract of this function.
    unsafe {
        let [a, b, c, d, e, f, g, h] = from.map(|from| from.cast::<i8>().read());
        let eight = _mm_setr_epi8(a, b, c, d, e, f, g, h, 0, 0, 0, 0, 0, 0, 0, 0);
        _mm_storel_epi64(to.cast(), eight);
    }
}

/// # Safety
/// As [`one_byte`], of two bytes.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn two_bytes(to: *mut u8, from: [*const u8; EIGHT]) {
    // SAFETY: by the contract of this function; at any alignment.
    unsafe {
        let [a, b, c, d, e, f, g, h] = from.map(|from| from.cast::<i16>().read_unaligned());
        _mm_storeu_si128(to.cast(), _mm_setr_epi16(a, b, c, d, e, f, g, h));
    }
}
