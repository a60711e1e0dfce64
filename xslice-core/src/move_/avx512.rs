//! Look-ups with AVX-512: neighbouring words by gathers, narrow entries through a table in L1.
//!
//! Everything here moves the same bytes as [`super::copy`], which is also what takes over where a case does not fit. Long rows are left
//! to `memcpy`: loops of whole vectors gained nothing over it.

use super::copy::{self, Index, Indices, Rows};
use core::arch::x86_64::*;

/// Entries of a table that is widened to one word an entry, at most: 16 KiB on the stack.
const MOST_ENTRIES: usize = 4096;

/// Eight indices from `k` on, wrapped and scaled to bytes; the table is packed.
///
/// # Safety
/// The indices lie in the table.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
unsafe fn offsets<I: Index>(indices: &Indices<I>, k: usize) -> __m512i {
    // SAFETY: by the contract of this function.
    let index = unsafe {
        let at = indices.table.add(k);
        match size_of::<I>() {
            4 => _mm512_cvtepi32_epi64(_mm256_loadu_si256(at.cast())),
            _ => _mm512_loadu_si512(at.cast()),
        }
    };
    let negative = _mm512_movepi64_mask(index);
    let wrapped = _mm512_mask_add_epi64(index, negative, index, _mm512_set1_epi64(indices.size));
    match (indices.scale as u64).is_power_of_two() {
        true => _mm512_sll_epi64(
            wrapped,
            _mm_cvtsi64_si128(i64::from(indices.scale.trailing_zeros())),
        ),
        false => _mm512_mullo_epi64(wrapped, _mm512_set1_epi64(indices.scale as i64)),
    }
}

/// Neighbouring words of 4 or 8 bytes, by gathers. Gives how many are done; the rest is fewer than a vector.
///
/// # Safety
/// As [`copy::lookup`], the processor has AVX-512 F, BW, VL, DQ and VBMI; rows and table are packed, the source stands still, `rows.bytes` is 4 or 8.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
pub(super) unsafe fn words<I: Index>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> usize {
    let whole = rows.count / 8 * 8;
    for k in (0..whole).step_by(8) {
        // SAFETY: by the contract: each lane reads one row, and the rows are side by side in the destination.
        unsafe {
            let offsets = offsets(indices, k);
            let to = dst.add(k * rows.bytes);
            match rows.bytes {
                4 => {
                    _mm256_storeu_si256(to.cast(), _mm512_i64gather_epi32::<1>(offsets, src.cast()))
                }
                _ => {
                    _mm512_storeu_si512(to.cast(), _mm512_i64gather_epi64::<1>(offsets, src.cast()))
                }
            }
        }
    }
    whole
}

/// Fewer look-ups do not pay for clearing the table.
const LEAST_ROWS: usize = 2048;

/// Whether entries go through a widened table: narrow ones, few, and so many look-ups that widening costs nothing.
pub(super) fn widens<I>(rows: &Rows, indices: &Indices<I>) -> bool {
    let entries = usize::try_from(indices.size).unwrap_or(usize::MAX);
    rows.bytes <= 3
        && entries <= MOST_ENTRIES
        && rows.count >= LEAST_ROWS
        && rows.count / 4 >= entries
}

/// Entries of 1 to 3 bytes, through a table of one word an entry. Gives how many are done; the rest is fewer than a vector.
///
/// # Safety
/// As [`words`], and [`widens`] holds.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
pub(super) unsafe fn narrow<I: Index>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> usize {
    let mut table = [0u32; MOST_ENTRIES];
    for (entry, word) in table.iter_mut().enumerate().take(indices.size as usize) {
        let mut bytes = [0; 4];
        // SAFETY: the entry lies in the source.
        unsafe {
            copy::run(
                bytes.as_mut_ptr(),
                src.offset(entry as isize * indices.scale),
                rows.bytes,
            )
        };
        *word = u32::from_ne_bytes(bytes);
    }
    // Byte k of the packed entries of three bytes, out of words.
    let packed: [u8; 64] =
        core::array::from_fn(|k| if k < 48 { (k / 3 * 4 + k % 3) as u8 } else { 0 });
    let whole = rows.count / 16 * 16;
    for k in (0..whole).step_by(16) {
        // SAFETY: wrapped indices lie in the table; the destination has room for 16 entries.
        unsafe {
            let words = _mm512_i32gather_epi32::<4>(wrapped(indices, k), table.as_ptr().cast());
            let to = dst.add(k * rows.bytes);
            match rows.bytes {
                1 => _mm_storeu_si128(to.cast(), _mm512_cvtepi32_epi8(words)),
                2 => _mm256_storeu_si256(to.cast(), _mm512_cvtepi32_epi16(words)),
                _ => {
                    let order = _mm512_loadu_si512(packed.as_ptr().cast());
                    let entries = _mm512_permutexvar_epi8(order, words);
                    _mm512_mask_storeu_epi8(to.cast(), (1 << 48) - 1, entries);
                }
            }
        }
    }
    whole
}

/// Sixteen indices from `k` on, wrapped; the table is packed and the axis small.
///
/// # Safety
/// The indices lie in the table.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
unsafe fn wrapped<I: Index>(indices: &Indices<I>, k: usize) -> __m512i {
    // SAFETY: by the contract of this function.
    let index = unsafe {
        let at = indices.table.add(k);
        match size_of::<I>() {
            4 => _mm512_loadu_si512(at.cast()),
            _ => {
                let low = _mm512_cvtepi64_epi32(_mm512_loadu_si512(at.cast()));
                let high = _mm512_cvtepi64_epi32(_mm512_loadu_si512(at.add(8).cast()));
                _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
            }
        }
    };
    #[expect(clippy::cast_possible_truncation, reason = "at most MOST_ENTRIES")]
    let size = _mm512_set1_epi32(indices.size as i32);
    _mm512_mask_add_epi32(index, _mm512_movepi32_mask(index), index, size)
}
