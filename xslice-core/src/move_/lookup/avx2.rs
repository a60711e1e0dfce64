//! Look-ups of narrow entries with AVX2: eight indices are wrapped, tested and scaled at once, in 32 bits.
//!
//! There is no gather here: on processors where that is slower than as many loads, these moves take the place of those of AVX-512. What is
//! saved is the way of each place through 64 bits and a buffer of many; and where indices count up for a while, as in windows of samples,
//! their rows are one.

use super::{Index, Indices, small_tables};
use crate::move_::copy::{self, Rows};
use core::arch::x86_64::*;

/// Rows that are moved at once.
pub(super) const EIGHT: usize = 8;

/// Rows that are one, where their indices count up: so many of the indices are asked at once.
const ASKED: usize = 32;

/// Whether [`run`] moves such rows: their places have 32 bits.
pub(super) fn takes<I: Index>(rows: &Rows, indices: &Indices<I>) -> bool {
    matches!(rows.bytes, 1 | 2 | 4 | 8) && indices.scale > 0 && indices.reach() <= i32::MAX as usize
}

/// Neighbouring rows of 1, 2, 4 or 8 bytes. Gives how many are done; the rest is fewer than eight. `None`: an index lies outside.
///
/// # Safety
/// As [`super::run`], for rows that it [`takes`]; the processor has AVX2; rows and indices are packed, the source stands still.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn run<I: Index>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> Option<usize> {
    // SAFETY: by the contract of this function.
    unsafe {
        match rows.bytes {
            1 => {
                let one = |to, from| copy::fixed::<ASKED>(to, from);
                let apart = |to, places| fixed::<1>(to, src, places);
                asked_first(dst, src, rows, indices, one, apart)
            }
            2 => {
                let one = |to, from| copy::fixed::<{ 2 * ASKED }>(to, from);
                let apart = |to, places| fixed::<2>(to, src, places);
                asked_first(dst, src, rows, indices, one, apart)
            }
            4 => {
                let one = |to, from| copy::fixed::<{ 4 * ASKED }>(to, from);
                let apart = |to, places| words(to, each(src, places));
                asked_first(dst, src, rows, indices, one, apart)
            }
            _ => {
                let one = |to, from| copy::fixed::<{ 8 * ASKED }>(to, from);
                let apart = |to, places| doubles(to, each(src, places));
                asked_first(dst, src, rows, indices, one, apart)
            }
        }
    }
}

/// As [`each_eight`], but rows whose indices count up are moved by `one`, from the place of the first, as many as are asked at once.
///
/// # Safety
/// As [`each_eight`]; `one` moves [`ASKED`] rows, which lie in the axis.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn asked_first<I: Index>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
    one: impl Fn(*mut u8, *const u8),
    apart: impl Fn(*mut u8, [u32; EIGHT]),
) -> Option<usize> {
    // SAFETY: by the contract of this function, for the rows of each part.
    unsafe {
        if indices.scale != rows.bytes as isize {
            return each_eight(dst, rows, indices, apart);
        }
        let mut done = 0;
        while rows.count - done >= ASKED {
            let indices = indices.from(done);
            let to = dst.wrapping_add(done * rows.bytes);
            match indices.count_up::<ASKED>() {
                Some(place) => one(to, src.offset(place)),
                None => {
                    let count = ASKED;
                    each_eight(to, Rows { count, ..rows }, &indices, &apart)?;
                }
            }
            done += ASKED;
        }
        let to = dst.wrapping_add(done * rows.bytes);
        let count = rows.count - done;
        let rest = each_eight(to, Rows { count, ..rows }, &indices.from(done), &apart)?;
        Some(done + rest)
    }
}

/// Neighbouring rows of three bytes of a small table, through one of a word an entry. Gives how many are done; the rest is fewer than
/// eight. `None`: an index lies outside.
///
/// # Safety
/// As [`run`] but for the bytes of a row, with at most [`small_tables::MOST_ENTRIES`] entries.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn threes<I: Index>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> Option<usize> {
    // SAFETY: by the contract of this function; the entries of the table are those of the source.
    unsafe {
        let table = small_tables::words(src, &rows, indices);
        let table = table.as_ptr().cast();
        let words = Indices {
            scale: 4,
            ..*indices
        };
        each_eight(dst, rows, &words, |to, places| {
            let (fours, _) = places.as_chunks::<4>();
            for (k, four) in fours.iter().enumerate() {
                small_tables::four_of_three(
                    to.add(12 * k),
                    table,
                    four.map(|place| place as isize),
                );
            }
        })
    }
}

/// Calls `move_` with the destination and the places of each eight rows. Gives how many rows these are; `None`: an index lies outside, and
/// no row of its eight has moved.
///
/// # Safety
/// The indices lie in the table, which is packed; the processor has AVX2; rows are packed, and places have 32 bits.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn each_eight<I: Index>(
    dst: *mut u8,
    rows: Rows,
    indices: &Indices<I>,
    move_: impl Fn(*mut u8, [u32; EIGHT]),
) -> Option<usize> {
    #[expect(clippy::cast_possible_truncation, reason = "places have 32 bits")]
    let (size, scale) = (indices.size as i32, indices.scale as i32);
    let (size, scale) = (_mm256_set1_epi32(size), _mm256_set1_epi32(scale));
    let whole = rows.count / EIGHT * EIGHT;
    for k in (0..whole).step_by(EIGHT) {
        // SAFETY: by the contract of this function, for eight indices from `k` on.
        let (index, known) = unsafe { eight(indices.table.wrapping_add(k)) };
        let negative = _mm256_srai_epi32::<31>(index);
        let wrapped = _mm256_add_epi32(index, _mm256_and_si256(negative, size));
        // What is still below zero is a large number without a sign.
        let outside = _mm256_cmpeq_epi32(_mm256_max_epu32(wrapped, size), wrapped);
        let inside = _mm256_andnot_si256(outside, known);
        if _mm256_movemask_epi8(inside) != -1 {
            return None;
        }
        let places = separate(_mm256_mullo_epi32(wrapped, scale));
        move_(dst.wrapping_add(k * rows.bytes), places);
    }
    Some(whole)
}

/// Eight neighbouring indices as 32 bits, and which of them have no more.
///
/// # Safety
/// They are readable; the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn eight<I: Index>(table: *const I) -> (__m256i, __m256i) {
    // SAFETY: by the contract of this function.
    unsafe {
        if size_of::<I>() == 4 {
            return (_mm256_loadu_si256(table.cast()), _mm256_set1_epi32(-1));
        }
        let half = |k| _mm256_castsi256_ps(_mm256_loadu_si256(table.add(k).cast()));
        let (first, second) = (half(0), half(4));
        let low = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(first, second));
        let high = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(first, second));
        let known = _mm256_cmpeq_epi32(high, _mm256_srai_epi32::<31>(low));
        // Two of the first four, two of the second, then the others of each.
        let in_order = |halves| _mm256_permute4x64_epi64::<0b11_01_10_00>(halves);
        (in_order(low), in_order(known))
    }
}

/// The words of a vector.
#[target_feature(enable = "avx2")]
#[inline]
fn separate(vector: __m256i) -> [u32; EIGHT] {
    let twos = [
        _mm256_extract_epi64::<0>(vector),
        _mm256_extract_epi64::<1>(vector),
        _mm256_extract_epi64::<2>(vector),
        _mm256_extract_epi64::<3>(vector),
    ];
    #[expect(clippy::cast_possible_truncation, reason = "half of it at a time")]
    core::array::from_fn(|k| (twos[k / 2] >> (k % 2 * 32)) as u32)
}

/// # Safety
/// An entry of `N` bytes is readable at each of the places, and as many are writable at `to`.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn fixed<const N: usize>(to: *mut u8, src: *const u8, places: [u32; EIGHT]) {
    for (k, place) in places.into_iter().enumerate() {
        // SAFETY: by the contract of this function.
        unsafe { copy::fixed::<N>(to.add(N * k), src.add(place as usize)) };
    }
}

/// Places in a source.
#[inline(always)]
fn each(src: *const u8, places: [u32; EIGHT]) -> [*const u8; EIGHT] {
    places.map(|place| src.wrapping_add(place as usize))
}

/// # Safety
/// Four bytes are readable at each of the places, and as many times eight are writable at `to`.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn words(to: *mut u8, from: [*const u8; EIGHT]) {
    // SAFETY: by the contract of this function; at any alignment.
    unsafe {
        let [a, b, c, d, e, f, g, h] = from.map(|from| from.cast::<i32>().read_unaligned());
        _mm_storeu_si128(to.cast(), _mm_setr_epi32(a, b, c, d));
        _mm_storeu_si128(to.add(16).cast(), _mm_setr_epi32(e, f, g, h));
    }
}

/// # Safety
/// As [`words`], of eight bytes.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn doubles(to: *mut u8, from: [*const u8; EIGHT]) {
    // SAFETY: by the contract of this function; at any alignment.
    unsafe {
        for k in [0, 2, 4, 6] {
            let (low, high) = (
                _mm_loadl_epi64(from[k].cast()),
                _mm_loadl_epi64(from[k + 1].cast()),
            );
            _mm_storeu_si128(to.add(8 * k).cast(), _mm_unpacklo_epi64(low, high));
        }
    }
}
