//! Elements at a constant distance, as many at once as a vector has, with AVX-512. One by one each takes a store, and processors complete one in
//! a cycle.

use super::copy::Rows;
use super::mask::mask_of;
use super::processor::habits;
use crate::level::{Kind, Level};
use core::arch::x86_64::*;

/// Fewer are over before their places are put together.
const LEAST: usize = 12;

/// The places of a vector, counted from its first element, are numbers of 32 bits.
const FARTHEST: usize = i32::MAX as usize / 16;

/// Elements that lie farther apart are found ahead one by one, unless the first cache has the lines of all.
const FAR: usize = 256;
const LINES: usize = 512;

/// Whether elements are moved here.
pub(super) fn takes(level: Level, rows: &Rows) -> bool {
    level.kind() == Kind::Avx512
        && matches!(rows.bytes, 4 | 8)
        && rows.count >= LEAST
        && rows.touch()
        && rows.src_stride.unsigned_abs() <= FARTHEST
        && (rows.count <= LINES || rows.src_stride.unsigned_abs() <= FAR)
        && habits().has_quick_gathers
}

/// Moves elements.
///
/// # Safety
/// As [`super::copy::strided`], of rows that [`takes`] admits.
#[inline]
pub(super) unsafe fn moved(dst: *mut u8, src: *const u8, rows: Rows) {
    // SAFETY: by the contract of this function; what is admitted has the instructions.
    unsafe {
        match rows.bytes {
            4 => words(dst, src, rows),
            _ => pairs(dst, src, rows),
        }
    }
}

/// The places of 16 elements.
#[target_feature(enable = "avx512f")]
#[inline]
fn places(apart: isize) -> __m512i {
    #[expect(clippy::cast_possible_truncation, reason = "at most `FARTHEST`")]
    let apart = _mm512_set1_epi32(apart as i32);
    let each = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    _mm512_mullo_epi32(each, apart)
}

/// # Safety
/// As [`moved`], for elements of 4 bytes; the processor has AVX-512 F.
#[target_feature(enable = "avx512f")]
#[inline(never)]
unsafe fn words(mut dst: *mut u8, mut src: *const u8, rows: Rows) {
    const LANES: usize = 16;
    let places = places(rows.src_stride);
    let next = LANES as isize * rows.src_stride;
    // SAFETY: by the contract of this function: a gather reads exactly the elements of its mask, and as many are stored.
    unsafe {
        for _ in 0..rows.count / LANES {
            let some = _mm512_i32gather_epi32::<1>(places, src.cast());
            _mm512_storeu_si512(dst.cast(), some);
            dst = dst.wrapping_add(64);
            src = src.wrapping_offset(next);
        }
        if rows.count.is_multiple_of(LANES) {
            return;
        }
        let rest = mask_of(rows.count % LANES) as __mmask16;
        let none = _mm512_setzero_si512();
        let some = _mm512_mask_i32gather_epi32::<1>(none, rest, places, src.cast());
        _mm512_mask_storeu_epi32(dst.cast(), rest, some);
    }
}

/// # Safety
/// As [`words`], for elements of 8 bytes.
#[target_feature(enable = "avx512f")]
#[inline(never)]
unsafe fn pairs(mut dst: *mut u8, mut src: *const u8, rows: Rows) {
    const LANES: usize = 8;
    let places = _mm512_castsi512_si256(places(rows.src_stride));
    let next = LANES as isize * rows.src_stride;
    // SAFETY: as in `words`.
    unsafe {
        for _ in 0..rows.count / LANES {
            let some = _mm512_i32gather_epi64::<1>(places, src.cast());
            _mm512_storeu_si512(dst.cast(), some);
            dst = dst.wrapping_add(64);
            src = src.wrapping_offset(next);
        }
        if rows.count.is_multiple_of(LANES) {
            return;
        }
        let rest = mask_of(rows.count % LANES) as __mmask8;
        let none = _mm512_setzero_si512();
        let some = _mm512_mask_i32gather_epi64::<1>(none, rest, places, src.cast());
        _mm512_mask_storeu_epi64(dst.cast(), rest, some);
    }
}
