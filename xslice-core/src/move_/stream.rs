//! Results that no cache keeps: their whole lines are written past the caches.
//!
//! A streamed store does not read the line that it overwrites, but leaves the result in memory: below the size of the last-level cache that
//! loses, above it wins.

use super::cache::Cache;
use super::copy::{Rows, run};
use super::level::{Kind, Level};
use core::arch::x86_64::{
    __m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128, _mm512_loadu_si512, _mm512_stream_si512,
};

/// Shorter rows have too few whole lines.
const LEAST_ROW: usize = 256;

/// Whether rows are moved here.
pub(super) fn takes(rows: &Rows) -> bool {
    rows.cache == Cache::None && rows.bytes >= LEAST_ROW
}

/// So many rows are moved line by line in turn: each reads and writes pages of its own, and the memory serves them side by side.
pub(super) const TOGETHER: usize = 4;

/// Moves rows, row `k` from `place(k)` bytes behind `src`.
///
/// # Safety
/// As [`run`], for each of the rows, which [`takes`] admits.
pub(super) unsafe fn moved(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    place: impl Fn(usize) -> isize,
) {
    // SAFETY: by the contract of this function; holding `level` is the proof that the processor has its instructions.
    unsafe {
        match level.kind() {
            Kind::Avx512 => by_avx512(dst, src, rows, place),
            Kind::Avx2 | Kind::Scalar => each(dst, src, rows, place, |to, from| line(to, from)),
        }
    }
}

/// # Safety
/// As [`moved`]; the processor has AVX-512 F.
#[target_feature(enable = "avx512f")]
unsafe fn by_avx512(dst: *mut u8, src: *const u8, rows: Rows, place: impl Fn(usize) -> isize) {
    // SAFETY: by the contracts of this function and of `each`.
    unsafe {
        each(dst, src, rows, place, |to, from| {
            _mm512_stream_si512(to.cast(), _mm512_loadu_si512(from.cast()));
        });
    }
}

/// `line` streams 64 bytes to where a line begins.
///
/// # Safety
/// As [`moved`].
#[inline(always)]
unsafe fn each(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    place: impl Fn(usize) -> isize,
    line: impl Fn(*mut u8, *const u8) + Copy,
) {
    let row = |k: usize| {
        let to = dst.wrapping_offset(k as isize * rows.dst_stride);
        (to, src.wrapping_offset(place(k)))
    };
    let most = rows.count / TOGETHER * TOGETHER;
    // SAFETY: these are the rows. SSE is part of x86-64. I4: streamed stores are complete before the Move returns.
    unsafe {
        for first in (0..most).step_by(TOGETHER) {
            let some: [_; TOGETHER] = core::array::from_fn(|k| row(first + k));
            together(some, rows.bytes, line);
        }
        for last in most..rows.count {
            together([row(last)], rows.bytes, line);
        }
        _mm_sfence();
    }
}

/// Some rows: their whole lines are streamed, what is before the first and after the last of each is copied.
///
/// # Safety
/// As [`run`] for each of them, with at least [`LEAST_ROW`] bytes.
#[inline(always)]
unsafe fn together<const ROWS: usize>(
    rows: [(*mut u8, *const u8); ROWS],
    bytes: usize,
    line: impl Fn(*mut u8, *const u8),
) {
    let heads = rows.map(|(dst, _)| dst.addr().wrapping_neg() % 64);
    // Bytes in lines of every row; one may have one line more.
    let most = heads.into_iter().max().unwrap_or(0);
    let common = (bytes - most) / 64 * 64;
    // SAFETY: the parts lie within `bytes`; streamed stores begin at a line.
    unsafe {
        for ((dst, src), head) in rows.into_iter().zip(heads) {
            run(dst, src, head);
        }
        let lines: [_; ROWS] = core::array::from_fn(|k| {
            let ((dst, src), head) = (rows[k], heads[k]);
            (dst.add(head), src.add(head))
        });
        let mut at = 0;
        while at < common {
            for (dst, src) in lines {
                line(dst.add(at), src.add(at));
            }
            at += 64;
        }
        for ((dst, src), head) in rows.into_iter().zip(heads) {
            let mut done = head + common;
            if bytes - done >= 64 {
                line(dst.add(done), src.add(done));
                done += 64;
            }
            run(dst.add(done), src.add(done), bytes - done);
        }
    }
}

/// Streams a line with what every x86-64 processor has.
///
/// # Safety
/// 64 bytes are readable at `src` and writable at `dst`, where a line begins.
#[inline(always)]
unsafe fn line(dst: *mut u8, src: *const u8) {
    // SAFETY: by the contract of this function.
    unsafe {
        let load = |k: usize| _mm_loadu_si128(src.add(16 * k).cast());
        let parts: [__m128i; 4] = [load(0), load(1), load(2), load(3)];
        for (k, part) in parts.into_iter().enumerate() {
            _mm_stream_si128(dst.add(16 * k).cast(), part);
        }
    }
}
