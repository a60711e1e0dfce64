//! Asking for lines of memory before they are read or written: no address is too wild to ask for, and nothing but time depends on it.

use crate::shuffle::LINE;

/// How far ahead of a store its line is fetched.
const AHEAD_WRITE: usize = 2 << 10;

/// The shortest pages of any processor.
pub(super) const PAGE: usize = 4096;

/// Where the pages of fewer bytes are, a processor remembers.
#[cfg(target_arch = "x86_64")]
pub(super) const LEAST_OF_PAGES: usize = 11 << 20;

/// Asks for a line to read.
#[inline(always)]
pub(super) fn line(line: *const u8) {
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
pub(super) fn line_to_write(line: *mut u8) {
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

/// Asks for the line that a store will reach soon, which now writes to `dst`.
#[inline(always)]
pub(super) fn next_to_write(dst: *mut u8) {
    line_to_write(dst.wrapping_add(AHEAD_WRITE));
}

/// Asks for the first lines of a row.
#[inline(always)]
pub(super) fn row(row: *const u8, bytes: usize) {
    /// Of a longer row, its first ones.
    const MOST_LINES: usize = 4;
    for at in 0..bytes.div_ceil(LINE).min(MOST_LINES) {
        line(row.wrapping_add(LINE * at));
    }
}

/// Asks for a line of the next page that is read, forwards or backwards as `direction` says, and one of the next that is written: where they
/// are is known when the first vector comes to them.
#[inline(always)]
pub(super) fn pages(src: *const u8, dst: *mut u8, direction: isize) {
    line(src.wrapping_offset(PAGE as isize * direction));
    line_to_write(dst.wrapping_add(PAGE));
}
