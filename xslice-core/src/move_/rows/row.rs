//! One row, whatever comes before or after it: those of more than a line by vectors where these are quicker than `memcpy`.

#[cfg(target_arch = "x86_64")]
use super::way::fills_lines;
#[cfg(target_arch = "x86_64")]
use crate::level::Kind;
use crate::level::Level;
#[cfg(target_arch = "x86_64")]
use crate::move_::copy::Mover;
use crate::move_::copy::run;
#[cfg(target_arch = "x86_64")]
use crate::move_::prefetch::{self, PAGE};
#[cfg(target_arch = "x86_64")]
use crate::move_::processor::{Copies, habits};

/// Shorter rows are as quick by `memcpy`.
#[cfg(target_arch = "x86_64")]
pub(super) const LEAST_BY_VECTORS: usize = FOUR_VECTORS;

/// Bytes that [`whole_vectors`] moves in a turn, and at least.
#[cfg(target_arch = "x86_64")]
const FOUR_VECTORS: usize = 4 * 32;

/// Whether a row is moved by vectors instead of `memcpy`.
#[cfg(target_arch = "x86_64")]
fn goes_by_vectors(dst: *const u8, src: *const u8, bytes: usize) -> bool {
    bytes >= LEAST_BY_VECTORS
        && match habits().copies {
            Copies::Memcpy => false,
            Copies::Apart => seem_to_overlap(dst, src),
            Copies::Vectors => true,
        }
}

/// Whether a row would overlap the next bytes of its source if the two began in the same page.
#[cfg(target_arch = "x86_64")]
fn seem_to_overlap(dst: *const u8, src: *const u8) -> bool {
    (1..32).contains(&(dst.addr().wrapping_sub(src.addr()) % PAGE))
}

/// Moves one row, which is all that a turn or a call moves.
///
/// # Safety
/// As [`run`].
#[inline(always)]
pub(in crate::move_) unsafe fn one(level: Level, dst: *mut u8, src: *const u8, bytes: usize) {
    // SAFETY: by the contract of this function; holding `level` is the proof that the processor has its instructions.
    unsafe {
        match level.kind() {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 if fills_lines(level, bytes) || goes_by_vectors(dst, src, bytes) => {
                whole_lines(dst, src, bytes);
            }
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 if goes_by_vectors(dst, src, bytes) => whole_vectors(dst, src, bytes),
            _ => run(dst, src, bytes),
        }
    }
}

/// Moves one row by vectors that fill whole lines of the result: no store straddles two, but for the first and the last, which overlap
/// their neighbours.
///
/// # Safety
/// As [`run`], for at least a line; the processor has AVX-512 F.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
pub(in crate::move_) unsafe fn whole_lines(dst: *mut u8, src: *const u8, bytes: usize) {
    use core::arch::x86_64::{__m512i, _mm512_loadu_si512, _mm512_storeu_si512};
    let load = |at: usize| {
        // SAFETY: by the contract of this function, for places up to `bytes - 64`.
        unsafe { _mm512_loadu_si512(src.add(at).cast()) }
    };
    let store = |at: usize, line: __m512i| {
        // SAFETY: likewise.
        unsafe { _mm512_storeu_si512(dst.add(at).cast(), line) }
    };
    let end = bytes - 64;
    store(0, load(0));
    let mut at = 64 - dst.addr() % 64;
    while at + FOUR_LINES <= end {
        // SAFETY: likewise.
        unsafe { four_lines(dst.add(at), src.add(at)) };
        at += FOUR_LINES;
    }
    while at < end {
        store(at, load(at));
        at += 64;
    }
    store(end, load(end));
}

/// Moves one row of `LINES` lines, or of less, where the last one overlaps the one before it. All are loaded first.
///
/// # Safety
/// As [`run`], for more bytes than one line less has, and for at least a line; the processor has AVX-512 F.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
pub(in crate::move_) unsafe fn lines<const LINES: usize>(
    dst: *mut u8,
    src: *const u8,
    bytes: usize,
) {
    use core::arch::x86_64::{__m512i, _mm512_loadu_si512, _mm512_storeu_si512};
    let at = |line: usize| (line * 64).min(bytes - 64);
    // SAFETY: the lines lie within the row, by the contract.
    unsafe {
        let read: [__m512i; LINES] =
            core::array::from_fn(|line| _mm512_loadu_si512(src.add(at(line)).cast()));
        for (line, bytes) in read.into_iter().enumerate() {
            _mm512_storeu_si512(dst.add(at(line)).cast(), bytes);
        }
    }
}

/// Moves one row as [`whole_lines`] does, by vectors of 32 bytes.
///
/// # Safety
/// As [`run`], for [`FOUR_VECTORS`] or more; the processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn whole_vectors(dst: *mut u8, src: *const u8, bytes: usize) {
    use core::arch::x86_64::{__m256i, _mm256_loadu_si256, _mm256_storeu_si256};
    // SAFETY: by the contract of this function, for places up to `bytes` less a vector.
    let load = |at: usize| unsafe { _mm256_loadu_si256(src.add(at).cast()) };
    let store = |at: usize, vector: __m256i| {
        // SAFETY: likewise.
        unsafe { _mm256_storeu_si256(dst.add(at).cast(), vector) }
    };
    let places = |at: usize| [0, 32, 64, 96].map(|k| at + k);
    let end = bytes - FOUR_VECTORS;
    let last = places(end).map(load);
    store(0, load(0));
    let mut at = 32 - dst.addr() % 32;
    while at < end {
        let four = places(at).map(load);
        places(at)
            .into_iter()
            .zip(four)
            .for_each(|(at, vector)| store(at, vector));
        at += FOUR_VECTORS;
    }
    places(end)
        .into_iter()
        .zip(last)
        .for_each(|(at, vector)| store(at, vector));
}

/// A row of more than a line by vectors that fill lines of the result.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(in crate::move_) struct WholeLines(usize);

#[cfg(target_arch = "x86_64")]
impl Mover for WholeLines {
    fn of(bytes: usize) -> Self {
        Self(bytes)
    }

    #[inline(always)]
    unsafe fn run(self, dst: *mut u8, src: *const u8) {
        // SAFETY: by the contract of the trait, where the processor has AVX-512 F.
        unsafe { whole_lines(dst, src, self.0) }
    }
}

/// A row by vectors of 32 bytes that begin where vectors of the result do.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(in crate::move_) struct WholeVectors(usize);

#[cfg(target_arch = "x86_64")]
impl WholeVectors {
    /// Of longer rows it depends on the processor, and on where they lie, whether vectors are quicker than `memcpy`.
    pub const LONGEST: usize = 2 << 10;

    /// The same of rows that indices name, each of which would be a call.
    pub const LONGEST_PICKED: usize = 8 << 10;
}

#[cfg(target_arch = "x86_64")]
impl Mover for WholeVectors {
    fn of(bytes: usize) -> Self {
        Self(bytes)
    }

    #[inline(always)]
    unsafe fn run(self, dst: *mut u8, src: *const u8) {
        // SAFETY: by the contract of the trait, where the processor has AVX2.
        unsafe { whole_vectors(dst, src, self.0) }
    }
}

/// Bytes that [`four_lines`] moves.
#[cfg(target_arch = "x86_64")]
pub(super) const FOUR_LINES: usize = 4 * 64;

/// Moves four lines, all of which are loaded before one is stored: a load does not wait to see whether a store hits it.
///
/// # Safety
/// As [`run`], for [`FOUR_LINES`]; the processor has AVX-512 F.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) unsafe fn four_lines(dst: *mut u8, src: *const u8) {
    use core::arch::x86_64::{_mm512_loadu_si512, _mm512_storeu_si512};
    // SAFETY: by the contract of this function.
    unsafe {
        let lines = [0, 64, 128, 192].map(|at| _mm512_loadu_si512(src.add(at).cast()));
        for (at, line) in (0..).step_by(64).zip(lines) {
            _mm512_storeu_si512(dst.add(at).cast(), line);
        }
    }
}

/// Moves one row by the string instruction, if it does not move each byte by itself.
///
/// # Safety
/// As [`one`]; addresses have 64 bits.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn by_string(level: Level, dst: *mut u8, src: *const u8, bytes: usize) {
    // SAFETY: by the contract of this function; the direction flag is clear, as in all Rust code. Addresses of 32 bits would leave halves
    // of the registers undefined.
    unsafe {
        if goes_by_vectors(dst, src, bytes) {
            return one(level, dst, src, bytes);
        }
        core::arch::asm!(
            "rep movsb",
            inout("rcx") bytes => _,
            inout("rdi") dst => _,
            inout("rsi") src => _,
            options(nostack, preserves_flags)
        );
    }
}

/// Moves one row as [`whole_lines`] does, and fetches `next` and lines of the result that come after.
///
/// # Safety
/// As [`whole_lines`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn fetched_lines(dst: *mut u8, src: *const u8, bytes: usize, next: *const u8) {
    use core::arch::x86_64::{_mm512_loadu_si512, _mm512_storeu_si512};
    let line = |at: usize| {
        prefetch::line(next.wrapping_add(at));
        prefetch::next_to_write(dst.wrapping_add(at));
        // SAFETY: by the contract of this function, for places up to `bytes - 64`.
        unsafe { _mm512_storeu_si512(dst.add(at).cast(), _mm512_loadu_si512(src.add(at).cast())) };
    };
    let end = bytes - 64;
    line(0);
    let mut at = 64 - dst.addr() % 64;
    while at < end {
        line(at);
        at += 64;
    }
    line(end);
}
