//! Look-ups with NEON: narrow entries of small tables in registers.
//!
//! `tbl` gives 0 for a name beyond its table, and `tbx` leaves the byte that was there: so an entry is found in one of several tables
//! without a mask. There is no gather; wider entries go by [`lookup`](super).

use super::{Index, Indices, small_tables};
use crate::move_::copy::Rows;
use core::arch::aarch64::*;

/// Entries that one `tbl` reads.
const TABLE: usize = 64;

/// Entries of `bytes` bytes, 1 to 4, that are held in registers, at most: half of the registers, in whole tables.
pub(super) fn in_registers(bytes: usize) -> usize {
    small_tables::PLANE / TABLE / bytes * TABLE
}

/// Entries of 1 to 4 bytes: a plane for each byte of an entry, looked up in registers. Gives how many are done; the rest is fewer than a
/// vector. `None`: an index lies outside.
///
/// # Safety
/// As [`super::run`]; rows and table are packed, the source stands still, and there are at most [`in_registers`] entries.
#[target_feature(enable = "neon")]
pub(super) unsafe fn planes<I: Index>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> Option<usize> {
    let tables = (indices.size as usize).div_ceil(TABLE);
    // SAFETY: by the contract of this function.
    unsafe {
        match (rows.bytes, tables) {
            (1, ..=1) => planes_of::<1, 1, I>(dst, src, rows, indices),
            (1, 2) => planes_of::<1, 2, I>(dst, src, rows, indices),
            (1, _) => planes_of::<1, 4, I>(dst, src, rows, indices),
            (2, ..=1) => planes_of::<2, 1, I>(dst, src, rows, indices),
            (2, _) => planes_of::<2, 2, I>(dst, src, rows, indices),
            (3, _) => planes_of::<3, 1, I>(dst, src, rows, indices),
            _ => planes_of::<4, 1, I>(dst, src, rows, indices),
        }
    }
}

/// # Safety
/// As [`planes`], for entries of `N` bytes in `TABLES` tables for each.
#[target_feature(enable = "neon")]
unsafe fn planes_of<const N: usize, const TABLES: usize, I: Index>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> Option<usize> {
    // SAFETY: by the contract of this function.
    let planes: [_; N] = unsafe { small_tables::planes(src, indices) };
    let planes: [[uint8x16x4_t; TABLES]; N] = planes.map(|plane| {
        let (tables, _) = plane.as_chunks::<TABLE>();
        // SAFETY: loads of whole arrays.
        core::array::from_fn(|t| unsafe { vld1q_u8_x4(tables[t].as_ptr()) })
    });
    let whole = rows.count / 16 * 16;
    let mut outside = vdupq_n_u32(0);
    for k in (0..whole).step_by(16) {
        // SAFETY: the indices lie in the table of indices; the destination has room for 16 entries.
        unsafe {
            let (index, these) = sixteen(indices, k);
            outside = vorrq_u32(outside, these);
            store(dst.add(k * N), planes.map(|plane| look_up(plane, index)));
        }
    }
    (vmaxvq_u32(outside) == 0).then_some(whole)
}

/// The bytes that 16 indices name in a plane.
#[target_feature(enable = "neon")]
#[inline]
fn look_up<const TABLES: usize>(plane: [uint8x16x4_t; TABLES], index: uint8x16_t) -> uint8x16_t {
    let mut found = vqtbl4q_u8(plane[0], index);
    for (t, &table) in plane.iter().enumerate().skip(1) {
        let within = vsubq_u8(index, vdupq_n_u8((t * TABLE) as u8));
        found = vqtbx4q_u8(found, table, within);
    }
    found
}

/// Writes 16 entries, a vector for each of their bytes.
///
/// # Safety
/// There is room for them.
#[target_feature(enable = "neon")]
#[inline]
unsafe fn store<const N: usize>(to: *mut u8, entries: [uint8x16_t; N]) {
    // SAFETY: by the contract of this function.
    unsafe {
        match *entries.as_slice() {
            [a] => vst1q_u8(to, a),
            [a, b] => vst2q_u8(to, uint8x16x2_t(a, b)),
            [a, b, c] => vst3q_u8(to, uint8x16x3_t(a, b, c)),
            [a, b, c, d] => vst4q_u8(to, uint8x16x4_t(a, b, c, d)),
            _ => {}
        }
    }
}

/// Sixteen indices from `k` on, wrapped, as bytes, and what is not 0 if any lies outside the axis, which has at most 256.
///
/// # Safety
/// The indices lie in the table, which is packed.
#[target_feature(enable = "neon")]
#[inline]
unsafe fn sixteen<I: Index>(indices: &Indices<I>, k: usize) -> (uint8x16_t, uint32x4_t) {
    let mut outside = vdupq_n_u32(0);
    let words: [uint32x4_t; 4] = core::array::from_fn(|quarter| {
        // SAFETY: by the contract of this function.
        let (wrapped, these) = unsafe { four(indices, k + 4 * quarter) };
        outside = vorrq_u32(outside, these);
        wrapped
    });
    let words = words.map(|four| vreinterpretq_u16_u32(four));
    let low = vreinterpretq_u8_u16(vuzp1q_u16(words[0], words[1]));
    let high = vreinterpretq_u8_u16(vuzp1q_u16(words[2], words[3]));
    (vuzp1q_u8(low, high), outside)
}

/// Four indices from `k` on, wrapped, their low words; and what is not 0 if any lies outside the axis.
///
/// # Safety
/// As [`sixteen`].
#[target_feature(enable = "neon")]
#[inline]
unsafe fn four<I: Index>(indices: &Indices<I>, k: usize) -> (uint32x4_t, uint32x4_t) {
    let at = indices.table.wrapping_add(k);
    if size_of::<I>() == 4 {
        #[expect(clippy::cast_possible_truncation, reason = "at most 256")]
        let size = vdupq_n_s32(indices.size as i32);
        // SAFETY: by the contract of this function, at any alignment.
        let index = unsafe { at.cast::<int32x4_t>().read_unaligned() };
        let wrapped = vaddq_s32(index, vandq_s32(vshrq_n_s32::<31>(index), size));
        let wrapped = vreinterpretq_u32_s32(wrapped);
        return (wrapped, vcgeq_u32(wrapped, vreinterpretq_u32_s32(size)));
    }
    let size = vdupq_n_s64(indices.size);
    let two = |at: *const I| {
        // SAFETY: as above.
        let index = unsafe { at.cast::<int64x2_t>().read_unaligned() };
        let wrapped = vaddq_s64(index, vandq_s64(vshrq_n_s64::<63>(index), size));
        let wrapped = vreinterpretq_u64_s64(wrapped);
        (wrapped, vcgeq_u64(wrapped, vreinterpretq_u64_s64(size)))
    };
    let ((low, first), (high, second)) = (two(at), two(at.wrapping_add(2)));
    let outside = vreinterpretq_u32_u64(vorrq_u64(first, second));
    let (low, high) = (vreinterpretq_u32_u64(low), vreinterpretq_u32_u64(high));
    (vuzp1q_u32(low, high), outside)
}
