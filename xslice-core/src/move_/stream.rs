//! Rows past the caches, for results that no cache keeps.
//!
//! A streamed store does not read the line that it overwrites, but leaves the result in memory: below the size of the
//! last-level cache that loses, above it wins.

use super::copy::{Rows, run};
use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};

/// Shorter rows have too few whole lines.
const LEAST_ROW: usize = 256;

/// Whether rows of `row` bytes, of a result of `all` bytes, are moved here.
pub(super) fn takes(row: usize, all: usize) -> bool {
    row >= LEAST_ROW && all >= least_result()
}

/// Results of at least so many bytes are written past the caches: three quarters of the last-level cache, which then would not
/// keep them. `usize::MAX` where its size is not known.
fn least_result() -> usize {
    #[cfg(feature = "std")]
    {
        static BYTES: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
        *BYTES.get_or_init(|| last_level_cache().map_or(usize::MAX, |bytes| bytes / 4 * 3))
    }
    #[cfg(not(feature = "std"))]
    {
        usize::MAX
    }
}

/// Bytes of the largest cache that `cpuid` describes.
#[cfg(feature = "std")]
fn last_level_cache() -> Option<usize> {
    // Intel describes caches in leaf 4, AMD in the same form in leaf 0x8000_001d.
    let leaves = [(0, 4), (0x8000_0000, 0x8000_001d)];
    let known = leaves
        .into_iter()
        .filter(|&(first, leaf)| cpuid(first, 0).eax >= leaf);
    let caches = known.flat_map(|(_, leaf)| (0..8).map(move |cache| cpuid(leaf, cache)));
    let described = caches.filter(|cache| cache.eax & 0x1f != 0);
    let bytes = described.map(|cache| {
        let ways = (cache.ebx >> 22) as usize + 1;
        let partitions = (cache.ebx >> 12 & 0x3ff) as usize + 1;
        let line = (cache.ebx & 0xfff) as usize + 1;
        ways * partitions * line * (cache.ecx as usize + 1)
    });
    bytes.max()
}

#[cfg(feature = "std")]
#[allow(
    unused_unsafe,
    reason = "in Rust 1.89 the call is unsafe, in newer ones it is not"
)]
fn cpuid(leaf: u32, part: u32) -> core::arch::x86_64::CpuidResult {
    // SAFETY: every x86-64 processor has the instruction; it touches no memory (I3).
    unsafe { core::arch::x86_64::__cpuid_count(leaf, part) }
}

/// Rows at constant distances.
///
/// # Safety
/// As [`super::copy::strided`], for rows that [`takes`] admits.
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
