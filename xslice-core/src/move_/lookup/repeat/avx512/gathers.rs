//! Rows from the same places in every turn of a loop, with AVX-512, by gathers of words.
//!
//! A row narrower than a word is the low bytes of one, which are put side by side. No word ends past all of the rows, where the operand may
//! end: one that would is gathered that many bytes earlier, and shifted.

use super::Cost;
use crate::move_::copy::Rows;
use crate::move_::few;
use crate::move_::lookup::repeat::{KeptPlaces, MOST_KEPT, Starts, Turns};
use crate::move_::mask::mask_of;
use crate::move_::prefetch;
use crate::move_::processor::habits;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

/// Lines of the next turn that are fetched with each vector, at most: where there are more, most of them hold no row that is wanted.
const MOST_LINES: usize = 4;

/// Bytes of a word that holds such a row.
const fn word(bytes: usize) -> usize {
    if bytes <= 4 { 4 } else { 8 }
}

/// Rows that are put side by side and lie farther from each other on average, nearly each on a page of its own, are quicker one by one.
const FARTHEST: usize = 2 << 10;

/// Whether [`moved`] moves neighbouring rows that lie within `reach` bytes, which 32 bits hold. At its best, a gather is no quicker than as many loads
/// and stores of one or two bytes.
pub(super) fn takes(rows: &Rows, reach: usize) -> bool {
    // Fewer rows are quicker one by one, and what is put side by side takes some more.
    let (least, farthest) = match rows.bytes {
        4 | 8 => (few::MOST + 1, usize::MAX),
        6 => (8, FARTHEST),
        3 => (12, FARTHEST),
        _ => return false,
    };
    habits().has_quick_gathers
        && rows.touch()
        && rows.count >= least
        && reach <= rows.count.saturating_mul(farthest)
        && (word(rows.bytes)..=i32::MAX as usize).contains(&reach)
}

/// About what words of 4 or 8 bytes cost.
pub(super) fn cost(bytes: usize) -> Cost {
    Cost {
        cycles: 3,
        written: 2 * bytes,
    }
}

/// Moves neighbouring rows in each of the turns.
///
/// # Safety
/// As [`super::super::moved`]; the processor has AVX-512 F, BW, VL, DQ and VBMI, and [`takes`] holds.
#[inline]
pub(super) unsafe fn moved(starts: Starts<'_>, rows: Rows, places: KeptPlaces<'_>, turns: Turns) {
    // SAFETY: by the contract of this function.
    unsafe {
        match rows.bytes {
            3 => gathered::<3>(starts, rows, places, turns),
            4 => gathered::<4>(starts, rows, places, turns),
            6 => gathered::<6>(starts, rows, places, turns),
            _ => gathered::<8>(starts, rows, places, turns),
        }
    }
}

/// # Safety
/// As [`moved`], for rows of `BYTES`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
unsafe fn gathered<const BYTES: usize>(
    starts: Starts<'_>,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
) {
    let mut narrow = [const { MaybeUninit::<i32>::uninit() }; MOST_KEPT];
    for (narrow, &place) in narrow.iter_mut().zip(places.each) {
        #[expect(clippy::cast_possible_truncation, reason = "less than the reach")]
        narrow.write(place as i32);
    }
    let last = (places.reach - word(BYTES)) as i32;
    let lanes = 64 / word(BYTES);
    let lines = places
        .reach
        .div_ceil(64)
        .div_ceil(rows.count.div_ceil(lanes));
    let lines = if lines > MOST_LINES { 0 } else { lines };
    starts.each(|dst, src| {
        for (to, from) in turns.each(dst, src) {
            let mut next = from.wrapping_offset(turns.src_stride);
            for k in (0..rows.count).step_by(lanes) {
                for _ in 0..lines {
                    prefetch::line(next);
                    next = next.wrapping_add(64);
                }
                prefetch::next_to_write(to.wrapping_add(k * BYTES));
                let count = (rows.count - k).min(lanes);
                let to = to.wrapping_add(k * BYTES);
                // SAFETY: these rows have places, which are written, and are side by side in the result.
                unsafe {
                    let places =
                        |mask| _mm512_maskz_loadu_epi32(mask, narrow.as_ptr().add(k).cast());
                    if count == lanes {
                        // Whose masks the compiler knows: rows that are near take up to a fifth less time.
                        let places = places(u16::MAX >> (16 - lanes));
                        vector::<BYTES>(to, from, places, last, lanes);
                    } else {
                        let places = places(u16::MAX >> (16 - count));
                        vector::<BYTES>(to, from, places, last, count);
                    }
                }
            }
        }
    });
}

/// Moves as many rows as a vector has words, or fewer.
///
/// # Safety
/// The first `count` of the places are those of rows of `BYTES`, and words may be read up to `last`; the rows are writable at `dst`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
unsafe fn vector<const BYTES: usize>(
    dst: *mut u8,
    src: *const u8,
    places: __m512i,
    last: i32,
    count: usize,
) {
    let mask = u16::MAX >> (16 - count);
    let none = _mm512_setzero_si512();
    // A row that is a word ends no later than the last one.
    let is_word = BYTES == word(BYTES);
    let at = match is_word {
        true => places,
        false => _mm512_min_epi32(places, _mm512_set1_epi32(last)),
    };
    let beyond = _mm512_slli_epi32::<3>(_mm512_sub_epi32(places, at));
    // SAFETY: by the contract of this function; a lane outside of the mask reads and writes nothing.
    unsafe {
        let words = if word(BYTES) == 4 {
            let words = _mm512_mask_i32gather_epi32::<1>(none, mask, at, src.cast());
            if is_word {
                return _mm512_mask_storeu_epi32(dst.cast(), mask, words);
            }
            _mm512_srlv_epi32(words, beyond)
        } else {
            let (mask, at) = (mask as u8, _mm512_castsi512_si256(at));
            let words = _mm512_mask_i32gather_epi64::<1>(none, mask, at, src.cast());
            if is_word {
                return _mm512_mask_storeu_epi64(dst.cast(), mask, words);
            }
            let beyond = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(beyond));
            _mm512_srlv_epi64(words, beyond)
        };
        let order = const { &packed::<BYTES>() };
        let order = _mm512_loadu_si512(order.as_ptr().cast());
        let packed = _mm512_permutexvar_epi8(order, words);
        _mm512_mask_storeu_epi8(dst.cast(), mask_of(count * BYTES), packed);
    }
}

/// Where the bytes of rows of `BYTES` stand in words.
const fn packed<const BYTES: usize>() -> [u8; 64] {
    let mut order = [0; 64];
    let mut k = 0;
    while k < 64 / word(BYTES) * BYTES {
        order[k] = (k / BYTES * word(BYTES) + k % BYTES) as u8;
        k += 1;
    }
    order
}
