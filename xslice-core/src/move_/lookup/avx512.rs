//! Look-ups with AVX-512: narrow entries of small tables in registers, those of larger ones and words by gathers where the processor is
//! quick at them.
//!
//! Everything here moves the same bytes as [`lookup`](super), which is also what takes over where a case does not fit. Each lane's
//! index is tested before it is used; what lies outside its axis is not loaded.

use super::{Index, Indices, small_tables};
use crate::move_::copy::Rows;
use crate::move_::prefetch::{self, PAGE};
use crate::move_::processor::habits;
use core::arch::x86_64::*;

/// Eight indices from `k` on, wrapped, and a bit for each that then lies in the axis.
///
/// # Safety
/// The indices lie in the table, which is packed.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
unsafe fn eight<I: Index>(indices: &Indices<I>, k: usize) -> (__m512i, __mmask8) {
    // SAFETY: by the contract of this function.
    let index = unsafe {
        let at = indices.table.add(k);
        match size_of::<I>() {
            4 => _mm512_cvtepi32_epi64(_mm256_loadu_si256(at.cast())),
            _ => _mm512_loadu_si512(at.cast()),
        }
    };
    let size = _mm512_set1_epi64(indices.size);
    let wrapped = _mm512_mask_add_epi64(index, _mm512_movepi64_mask(index), index, size);
    (wrapped, _mm512_cmplt_epu64_mask(wrapped, size))
}

/// Sixteen indices from `k` on, wrapped, and a bit for each that then lies in the axis, whose places fit 32 bits.
///
/// # Safety
/// As [`eight`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
unsafe fn sixteen<I: Index>(indices: &Indices<I>, k: usize) -> (__m512i, __mmask16) {
    // SAFETY: by the contract of this function.
    unsafe {
        if size_of::<I>() == 4 {
            let index = _mm512_loadu_si512(indices.table.add(k).cast());
            #[expect(clippy::cast_possible_truncation, reason = "its places fit 32 bits")]
            let size = _mm512_set1_epi32(indices.size as i32);
            let wrapped = _mm512_mask_add_epi32(index, _mm512_movepi32_mask(index), index, size);
            return (wrapped, _mm512_cmplt_epu32_mask(wrapped, size));
        }
        let ((low, first), (high, second)) = (eight(indices, k), eight(indices, k + 8));
        let low = _mm512_castsi256_si512(_mm512_cvtepi64_epi32(low));
        let both = _mm512_inserti64x4::<1>(low, _mm512_cvtepi64_epi32(high));
        (both, u16::from(first) | u16::from(second) << 8)
    }
}

/// Places in bytes of wrapped indices.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
fn scaled(wrapped: __m512i, scale: isize) -> __m512i {
    match (scale as u64).is_power_of_two() {
        true => _mm512_sll_epi64(
            wrapped,
            _mm_cvtsi64_si128(i64::from(scale.trailing_zeros())),
        ),
        false => _mm512_mullo_epi64(wrapped, _mm512_set1_epi64(scale as i64)),
    }
}

/// Neighbouring words of 4 or 8 bytes, by gathers. Gives how many are done; the rest is fewer than a vector. `None`: an index lies outside.
///
/// # Safety
/// As [`super::run`], the processor has AVX-512 F, BW, VL, DQ and VBMI; rows and table are packed, the source stands still,
/// `rows.bytes` is 4 or 8.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
pub(super) unsafe fn words<I: Index>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> Option<usize> {
    let whole = rows.count / 8 * 8;
    let mut all = 0xff;
    for k in (0..whole).step_by(8) {
        // SAFETY: by the contract: each lane whose index lies in the axis reads one row, and the rows are side by side in the destination.
        unsafe {
            let (wrapped, inside) = eight(indices, k);
            all &= inside;
            let places = scaled(wrapped, indices.scale);
            let to = dst.add(k * rows.bytes);
            match rows.bytes {
                4 => {
                    let none = _mm256_setzero_si256();
                    let words = _mm512_mask_i64gather_epi32::<1>(none, inside, places, src.cast());
                    _mm256_storeu_si256(to.cast(), words);
                }
                _ => {
                    let none = _mm512_setzero_si512();
                    let words = _mm512_mask_i64gather_epi64::<1>(none, inside, places, src.cast());
                    _mm512_storeu_si512(to.cast(), words);
                }
            }
        }
    }
    (all == 0xff).then_some(whole)
}

/// The place of the last word of the table, in bytes. `None`: it is shorter, or the last row too far for such places.
fn last_word<I: Index>(rows: &Rows, indices: &Indices<I>) -> Option<i32> {
    let last_row = (indices.size - 1).checked_mul(indices.scale as i64)?;
    let last_row = i32::try_from(last_row).ok().filter(|&row| row >= 0)?;
    let last_word = last_row - (4 - rows.bytes as i32);
    (indices.scale > 0 && last_word >= 0).then_some(last_word)
}

/// Rows of 1 to 3 bytes, by gathers of words: of one that would leave the table, the last one is read and shifted. Gives how many are done;
/// the rest is fewer than a vector, or all where places do not fit 32 bits. `None`: an index lies outside.
///
/// # Safety
/// As [`words`], but for the bytes of a row.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
pub(super) unsafe fn narrow<I: Index>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> Option<usize> {
    let Some(last) = last_word(&rows, indices) else {
        return Some(0);
    };
    // Byte k of the packed rows of three bytes, out of words.
    let packed: [u8; 64] =
        core::array::from_fn(|k| if k < 48 { (k / 3 * 4 + k % 3) as u8 } else { 0 });
    // SAFETY: an array of 64 bytes.
    let order = unsafe { _mm512_loadu_si512(packed.as_ptr().cast()) };
    #[expect(clippy::cast_possible_truncation, reason = "places fit 32 bits")]
    let (last, scale) = (
        _mm512_set1_epi32(last),
        _mm512_set1_epi32(indices.scale as i32),
    );
    let whole = rows.count / 16 * 16;
    let mut all = u16::MAX;
    for k in (0..whole).step_by(16) {
        // SAFETY: lanes whose index lies in the axis read a word of the table; the destination has room for 16 rows.
        unsafe {
            let (wrapped, inside) = sixteen(indices, k);
            all &= inside;
            let places = _mm512_mullo_epi32(wrapped, scale);
            let read = _mm512_min_epi32(places, last);
            let beyond = _mm512_slli_epi32::<3>(_mm512_sub_epi32(places, read));
            let none = _mm512_setzero_si512();
            let words = _mm512_mask_i32gather_epi32::<1>(none, inside, read, src.cast());
            let words = _mm512_srlv_epi32(words, beyond);
            let to = dst.add(k * rows.bytes);
            match rows.bytes {
                1 => _mm_storeu_si128(to.cast(), _mm512_cvtepi32_epi8(words)),
                2 => _mm256_storeu_si256(to.cast(), _mm512_cvtepi32_epi16(words)),
                _ => {
                    let rows = _mm512_permutexvar_epi8(order, words);
                    _mm512_mask_storeu_epi8(to.cast(), (1 << 48) - 1, rows);
                }
            }
        }
    }
    (all == u16::MAX).then_some(whole)
}

/// Entries of 1 to 4 bytes of a table of up to 256: a plane for each byte of an entry, looked up in registers. Gives how many are done;
/// the rest is fewer than a vector. `None`: an index lies outside.
///
/// # Safety
/// As [`words`] but for the bytes of a row, with at most [`small_tables::PLANE`] entries.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
pub(super) unsafe fn planes<I: Index>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> Option<usize> {
    // SAFETY: by the contract of this function.
    unsafe {
        match rows.bytes {
            1 => planes_of::<1, I>(dst, src, rows, indices),
            2 => planes_of::<2, I>(dst, src, rows, indices),
            3 => planes_of::<3, I>(dst, src, rows, indices),
            _ => planes_of::<4, I>(dst, src, rows, indices),
        }
    }
}

/// # Safety
/// As [`planes`], for entries of `N` bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
unsafe fn planes_of<const N: usize, I: Index>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> Option<usize> {
    // SAFETY: by the contract of this function.
    let bytes: [_; N] = unsafe { small_tables::planes(src, indices) };
    // SAFETY: loads of whole arrays.
    let load = |bytes: &[u8; 64]| unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
    let planes = bytes.map(|plane| {
        let (quarters, _) = plane.as_chunks();
        core::array::from_fn(|quarter| load(&quarters[quarter]))
    });
    let orders: [__m512i; N] = core::array::from_fn(|v| load(&const { orders::<N>() }[v]));
    let late: [u64; N] = const { late() };
    let whole = rows.count / 64 * 64;
    let (asks, of_page) = (habits().asks_for_pages, PAGE / size_of::<I>());
    let mut all = u32::MAX;
    for k in (0..whole).step_by(64) {
        if asks && k.is_multiple_of(of_page) {
            prefetch::pages(
                indices.table.wrapping_add(k).cast(),
                dst.wrapping_add(k * N),
                1,
            );
        }
        // SAFETY: the indices lie in the table of indices; the destination has room for 64 entries.
        unsafe {
            let (index, inside) = sixty_four(indices, k);
            all &= inside;
            let found = planes.map(|plane| look_up(&plane, index));
            for v in 0..N {
                let mut vector = match N {
                    1 => found[0],
                    _ => _mm512_permutex2var_epi8(found[0], orders[v], found[1]),
                };
                if N == 3 {
                    vector = _mm512_mask_permutexvar_epi8(vector, late[v], orders[v], found[2]);
                } else if N == 4 {
                    let others = _mm512_permutex2var_epi8(found[2], orders[v], found[3]);
                    vector = _mm512_mask_blend_epi8(late[v], vector, others);
                }
                _mm512_storeu_si512(dst.add(k * N + v * 64).cast(), vector);
            }
        }
    }
    (all == u32::MAX).then_some(whole)
}

/// For each byte of `N` vectors of entries of `N` bytes the place of its entry, in the first of two vectors that have one byte of each entry or,
/// for the second byte and the fourth, in the other.
const fn orders<const N: usize>() -> [[u8; 64]; N] {
    let mut orders = [[0; 64]; N];
    let mut at = 0;
    while at < 64 * N {
        orders[at / 64][at % 64] = (at / N + 64 * (at % N % 2)) as u8;
        at += 1;
    }
    orders
}

/// For each of these vectors a bit for each byte that is an entry's third or fourth.
const fn late<const N: usize>() -> [u64; N] {
    let mut late = [0; N];
    let mut at = 0;
    while at < 64 * N {
        late[at / 64] |= ((at % N >= 2) as u64) << (at % 64);
        at += 1;
    }
    late
}

/// Sixty-four indices from `k` on, wrapped, as bytes; a bit is clear if any lies outside the axis of at most 256.
///
/// # Safety
/// As [`eight`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
unsafe fn sixty_four<I: Index>(indices: &Indices<I>, k: usize) -> (__m512i, __mmask32) {
    // Those that two bytes do not hold are far outside, and stay so.
    // SAFETY: by the contract of this function.
    let (halves, order) = unsafe {
        let table = indices.table.add(k);
        match size_of::<I>() {
            4 => (halves_of_words(table.cast()), PACKED_TWICE),
            _ => (halves_of_doubles(table.cast()), PACKED_ONCE),
        }
    };
    #[expect(clippy::cast_possible_truncation, reason = "at most 256")]
    let size = _mm512_set1_epi16(indices.size as i16);
    let [low, high] =
        halves.map(|half| _mm512_mask_add_epi16(half, _mm512_movepi16_mask(half), half, size));
    let inside = _mm512_cmplt_epu16_mask(low, size) & _mm512_cmplt_epu16_mask(high, size);
    // SAFETY: an array of 64 bytes.
    let order = unsafe { _mm512_loadu_si512(order.as_ptr().cast()) };
    let packed = _mm512_permutexvar_epi32(order, _mm512_packus_epi16(low, high));
    (packed, inside)
}

/// Packing goes lane by lane of 16 bytes: what was packed once has eight bytes of each half in a lane, what was packed twice four of each
/// quarter.
const PACKED_ONCE: &[i32; 16] = &[0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15];
const PACKED_TWICE: &[i32; 16] = &[0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];

/// # Safety
/// 64 indices of four bytes are readable.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
unsafe fn halves_of_words(table: *const __m512i) -> [__m512i; 2] {
    // SAFETY: by the contract of this function; at any alignment.
    let quarter = |k: usize| unsafe { _mm512_loadu_si512(table.add(k)) };
    [0, 2].map(|k| _mm512_packs_epi32(quarter(k), quarter(k + 1)))
}

/// # Safety
/// 64 indices of eight bytes are readable.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
unsafe fn halves_of_doubles(table: *const __m512i) -> [__m512i; 2] {
    // SAFETY: by the contract of this function; at any alignment.
    let eighth = |k: usize| _mm512_cvtsepi64_epi16(unsafe { _mm512_loadu_si512(table.add(k)) });
    let quarter = |k: usize| {
        let low = _mm256_castsi128_si256(eighth(k));
        _mm256_inserti128_si256::<1>(low, eighth(k + 1))
    };
    [0, 4].map(|k| {
        let low = _mm512_castsi256_si512(quarter(k));
        _mm512_inserti64x4::<1>(low, quarter(k + 2))
    })
}

/// The bytes that 64 indices name in a plane of 256.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
pub(super) fn look_up(plane: &[__m512i; 4], index: __m512i) -> __m512i {
    let low = _mm512_permutex2var_epi8(plane[0], index, plane[1]);
    let high = _mm512_permutex2var_epi8(plane[2], index, plane[3]);
    _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high)
}
