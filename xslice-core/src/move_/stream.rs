//! Rows past the caches, for results that no cache keeps.
//!
//! A streamed store does not read the line that it overwrites, but leaves the result in memory: below the size of the
//! last-level cache that loses, above it wins.

use super::copy::{Rows, run};
use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};

/// Shorter rows have too few whole lines.
pub(super) const LEAST_ROW: usize = 256;

/// Rows at constant distances.
///
/// # Safety
/// As [`super::copy::strided`], with rows of at least [`LEAST_ROW`] bytes.
pub(super) unsafe fn strided(dst: *mut u8, src: *const u8, rows: Rows) {
    let (mut to, mut from) = (dst, src);
    for _ in 0..rows.count {
        // SAFETY: this is one of the rows.
        unsafe { row(to, from, rows.bytes) };
        to = to.wrapping_offset(rows.dst_stride);
        from = from.wrapping_offset(rows.src_stride);
    }
    // SAFETY: SSE is part of x86-64. I4: streamed stores are complete before the Move returns.
    unsafe { _mm_sfence() };
}

/// One row: its whole lines are streamed, what is before the first and after the last is copied.
///
/// # Safety
/// As [`run`], with at least [`LEAST_ROW`] bytes.
unsafe fn row(dst: *mut u8, src: *const u8, bytes: usize) {
    let head = (dst as usize).wrapping_neg() % 64;
    let lines = (bytes - head) / 64 * 64;
    // SAFETY: the three parts lie within `bytes`; streamed stores begin at a line and so are aligned.
    unsafe {
        run(dst, src, head);
        for at in (head..head + lines).step_by(64) {
            let load = |k: usize| _mm_loadu_si128(src.add(at + 16 * k).cast());
            let line: [__m128i; 4] = [load(0), load(1), load(2), load(3)];
            for (k, part) in line.into_iter().enumerate() {
                _mm_stream_si128(dst.add(at + 16 * k).cast(), part);
            }
        }
        let done = head + lines;
        run(dst.add(done), src.add(done), bytes - done);
    }
}
