//! Rows of more than a line, by vectors, with both sides fetched ahead.
//!
//! Rows with gaps between them, or in no order, end where the processor's own prefetchers have just found their pace. Told of the row
//! that is some kilobytes ahead, and of the lines that will be written, it moves them as fast as one long run; `memcpy` does not know of the
//! next row.

use super::copy::{Rows, fixed};
use super::level::{Kind, Level};

/// Shorter rows have movers of their own.
const LEAST_ROW: usize = 65;

/// Longer rows leave their prefetches behind: `memcpy` is as quick.
const LONGEST_ROW: usize = 8 << 10;

/// The same in a result that is small: there `memcpy` is only slower by its call.
const LONGEST_NEAR: usize = 256;

/// How far ahead of the row that moves the processor is told to fetch, in bytes of rows.
const AHEAD: usize = 6 << 10;

/// The most rows to look ahead.
pub(super) const MOST_AHEAD: usize = 32;

/// How far ahead of a store its line is fetched.
pub(super) const AHEAD_WRITE: usize = 2 << 10;

/// Whether such rows are moved here.
pub(super) fn takes(level: Level, rows: &Rows) -> bool {
    let longest = if rows.near { LONGEST_NEAR } else { LONGEST_ROW };
    level != Level::SCALAR && (LEAST_ROW..=longest).contains(&rows.bytes)
}

/// How many rows ahead of the one that moves to fetch.
pub(super) fn ahead(bytes: usize) -> usize {
    AHEAD.div_ceil(bytes).min(MOST_AHEAD)
}

/// Moves rows, row `k` from `place(k)` bytes behind `src`; places are asked for up to `known`.
///
/// # Safety
/// As [`super::copy::run`], for each of the rows, which [`takes`] admits at this level; `rows.count <= known`.
#[inline]
pub(super) unsafe fn moved(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    known: usize,
    place: impl Fn(usize) -> isize,
) {
    // SAFETY: by the contract of this function; holding `level` is the proof that the processor has its instructions.
    unsafe {
        match level.kind() {
            // Wider vectors cross a line with every load that is not aligned to them, and were slower.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 | Kind::Avx2 => avx2(dst, src, rows, known, place),
            // Part of what the crate is compiled for.
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Kind::Neon => each(dst, src, rows, known, place),
            Kind::Scalar => each(dst, src, rows, known, place),
        }
    }
}

/// # Safety
/// As [`moved`]; the processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    known: usize,
    place: impl Fn(usize) -> isize,
) {
    // SAFETY: by the contract of this function.
    unsafe { each(dst, src, rows, known, place) }
}

/// # Safety
/// As [`moved`].
#[inline(always)]
unsafe fn each(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    known: usize,
    place: impl Fn(usize) -> isize,
) {
    let ahead = ahead(rows.bytes);
    let mut to = dst;
    for k in 0..rows.count {
        let next = src.wrapping_offset(place((k + ahead).min(known - 1)));
        // SAFETY: this is one of the rows.
        unsafe { lines(to, src.wrapping_offset(place(k)), rows.bytes, next) };
        to = to.wrapping_offset(rows.dst_stride);
    }
}

/// Moves one row, and fetches `next`: line by line, wherever the lines of memory begin, the last one overlapping the one before it.
///
/// # Safety
/// As [`super::copy::run`], for at least a line.
#[inline(always)]
unsafe fn lines(dst: *mut u8, src: *const u8, bytes: usize, next: *const u8) {
    let end = bytes - 64;
    let mut at = 0;
    while at < end {
        prefetch(next.wrapping_add(at));
        prefetch_write(dst.wrapping_add(at + AHEAD_WRITE));
        // SAFETY: the line lies within the row.
        unsafe { fixed::<64>(dst.add(at), src.add(at)) };
        at += 64;
    }
    prefetch(next.wrapping_add(end));
    // SAFETY: the row has at least one line.
    unsafe { fixed::<64>(dst.add(end), src.add(end)) };
}

/// Asks for a line to read.
#[inline(always)]
pub(super) fn prefetch(line: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of x86-64, and a prefetch of any address has no effect that a program can see.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(line.cast());
    }
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    // SAFETY: a prefetch of any address has no effect that a program can see.
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{}]", in(reg) line, options(nostack, readonly, preserves_flags));
    }
    #[cfg(not(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_feature = "neon")
    )))]
    let _ = line;
}

/// Asks for a line to write to.
#[inline(always)]
pub(super) fn prefetch_write(line: *mut u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address has no effect that a program can see; processors without the instruction pass over it.
    unsafe {
        core::arch::asm!("prefetchw [{}]", in(reg) line, options(nostack, readonly, preserves_flags));
    }
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    // SAFETY: a prefetch of any address has no effect that a program can see.
    unsafe {
        core::arch::asm!("prfm pstl1keep, [{}]", in(reg) line, options(nostack, readonly, preserves_flags));
    }
    #[cfg(not(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_feature = "neon")
    )))]
    let _ = line;
}
