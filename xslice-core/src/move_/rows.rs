//! Rows of more than a line, by vectors, with both sides fetched ahead; longer ones by the string instruction, where that is quick.
//!
//! Rows with gaps between them, or in no order, end where the processor's own prefetchers have just found their pace. Told of the row that
//! is some kilobytes ahead, and of the lines that will be written, it moves them as fast as one long run; `memcpy` does not know of the
//! next row.

use super::cache::Cache;
use super::copy::{Rows, fixed, run};
use super::processor::{Copies, habits};
#[cfg(target_arch = "x86_64")]
use super::stream;
use crate::level::{Kind, Level};

/// Shorter rows have movers of their own.
pub(super) const LEAST_ROW: usize = 65;

/// Longer rows leave their prefetches behind: `memcpy` is as quick, or the string instruction.
const LONGEST_ROW: usize = 8 << 10;

/// The same in a result that is small, without vectors as long as a line: there `memcpy` is only slower by its call.
const LONGEST_NEAR: usize = 256;

/// Shorter rows are not moved by the string instruction where the second cache has the result.
#[cfg(target_arch = "x86_64")]
const LEAST_IN_SECOND: usize = 2 << 10;

/// The same where another one has it.
#[cfg(target_arch = "x86_64")]
const LEAST_FAR: usize = LONGEST_ROW + 1;

/// Longer rows take so long that `memcpy` may begin as slowly as it does.
#[cfg(target_arch = "x86_64")]
const LONGEST_BY_STRING: usize = 256 << 10;

/// How far ahead of the row that moves the processor is told to fetch, in bytes of rows.
const AHEAD: usize = 6 << 10;

/// The most rows to look ahead.
pub(super) const MOST_AHEAD: usize = 32;

/// How far ahead of a store its line is fetched.
pub(super) const AHEAD_WRITE: usize = 2 << 10;

/// Whether such rows are moved here.
pub(super) fn takes(level: Level, rows: &Rows) -> bool {
    #[cfg(target_arch = "x86_64")]
    if stream::takes(rows) || (level != Level::SCALAR && goes_by_string(rows)) {
        return true;
    }
    let most = match habits().copies == Copies::Memcpy {
        true => longest(level, rows),
        false => usize::MAX,
    };
    level != Level::SCALAR && (LEAST_ROW..=most).contains(&rows.bytes)
}

/// Longer rows gain nothing from what is known of the others.
fn longest(level: Level, rows: &Rows) -> usize {
    match rows.cache {
        Cache::Near if fill_lines(level, rows.bytes) => Cache::NEAR,
        Cache::Near => LONGEST_NEAR,
        Cache::Second | Cache::Far | Cache::None => LONGEST_ROW,
    }
}

/// Whether rows are moved by the string instruction.
#[cfg(target_arch = "x86_64")]
fn goes_by_string(rows: &Rows) -> bool {
    let least = match rows.cache {
        Cache::Second => LEAST_IN_SECOND,
        Cache::Far => LEAST_FAR,
        Cache::Near | Cache::None => return false,
    };
    (least..=LONGEST_BY_STRING).contains(&rows.bytes)
        && cfg!(target_pointer_width = "64")
        && habits().has_quick_strings
}

/// Whether rows of a small result are moved by [`whole_lines`].
fn fill_lines(level: Level, bytes: usize) -> bool {
    level.vector() == 64 && (LEAST_ROW..=Cache::NEAR).contains(&bytes)
}

/// Shorter rows are as quick by `memcpy`.
#[cfg(target_arch = "x86_64")]
const LEAST_BY_VECTORS: usize = 4 * 32;

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
/// As [`super::copy::run`].
#[inline(always)]
pub(super) unsafe fn one(level: Level, dst: *mut u8, src: *const u8, bytes: usize) {
    // SAFETY: by the contract of this function; holding `level` is the proof that the processor has its instructions.
    unsafe {
        match level.kind() {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 if fill_lines(level, bytes) || goes_by_vectors(dst, src, bytes) => {
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
/// As [`super::copy::run`], for at least a line; the processor has AVX-512 F.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn whole_lines(dst: *mut u8, src: *const u8, bytes: usize) {
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

/// Moves one row as [`whole_lines`] does, by vectors of 32 bytes.
///
/// # Safety
/// As [`super::copy::run`], for [`LEAST_BY_VECTORS`] or more; the processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn whole_vectors(dst: *mut u8, src: *const u8, bytes: usize) {
    use core::arch::x86_64::{__m256i, _mm256_loadu_si256, _mm256_storeu_si256};
    // SAFETY: by the contract of this function, for places up to `bytes` less a vector.
    let load = |at: usize| unsafe { _mm256_loadu_si256(src.add(at).cast()) };
    let store = |at: usize, vector: __m256i| {
        // SAFETY: likewise.
        unsafe { _mm256_storeu_si256(dst.add(at).cast(), vector) }
    };
    let places = |at: usize| [0, 32, 64, 96].map(|k| at + k);
    let end = bytes - LEAST_BY_VECTORS;
    let last = places(end).map(load);
    store(0, load(0));
    let mut at = 32 - dst.addr() % 32;
    while at < end {
        let four = places(at).map(load);
        places(at)
            .into_iter()
            .zip(four)
            .for_each(|(at, vector)| store(at, vector));
        at += LEAST_BY_VECTORS;
    }
    places(end)
        .into_iter()
        .zip(last)
        .for_each(|(at, vector)| store(at, vector));
}

/// Moves four lines, all of which are loaded before one is stored: a load does not wait to see whether a store hits it.
///
/// # Safety
/// As [`super::copy::run`], for [`FOUR_LINES`]; the processor has AVX-512 F.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn four_lines(dst: *mut u8, src: *const u8) {
    use core::arch::x86_64::{_mm512_loadu_si512, _mm512_storeu_si512};
    // SAFETY: by the contract of this function.
    unsafe {
        let lines = [0, 64, 128, 192].map(|at| _mm512_loadu_si512(src.add(at).cast()));
        for (at, line) in (0..).step_by(64).zip(lines) {
            _mm512_storeu_si512(dst.add(at).cast(), line);
        }
    }
}

/// Moves one row by the string instruction.
///
/// # Safety
/// As [`super::copy::run`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn by_string(dst: *mut u8, src: *const u8, bytes: usize) {
    // SAFETY: by the contract of this function; the direction flag is clear, as in all Rust code. Addresses of 32 bits, which would leave
    // halves of the registers undefined, are left out by `goes_by_string`.
    unsafe {
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
unsafe fn fetched_lines(dst: *mut u8, src: *const u8, bytes: usize, next: *const u8) {
    use core::arch::x86_64::{_mm512_loadu_si512, _mm512_storeu_si512};
    let line = |at: usize| {
        prefetch(next.wrapping_add(at));
        prefetch_write(dst.wrapping_add(at + AHEAD_WRITE));
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

/// Rows of so many bytes are moved by [`fetched_lines`] where that is quicker, if they are read forwards.
#[cfg(target_arch = "x86_64")]
const FILLED_FETCHED: core::ops::RangeInclusive<usize> = 256..=640;

/// Of these, rows of so many bytes are moved by [`four_lines`], and nothing is fetched.
#[cfg(target_arch = "x86_64")]
const FOUR_LINES: usize = 4 * 64;

/// How far ahead of them to fetch, in bytes of rows.
#[cfg(target_arch = "x86_64")]
const FILLED_AHEAD: usize = 2 << 10;

/// Whether rows are moved by [`fetched_lines`] or [`four_lines`].
#[cfg(target_arch = "x86_64")]
fn fills_fetched(rows: &Rows) -> bool {
    FILLED_FETCHED.contains(&rows.bytes)
        && rows.src_stride > 0
        && habits().fetches_both_of_short_rows
}

/// Whether what rows are written to, and read from, is so near that nothing is fetched ahead.
#[cfg(target_arch = "x86_64")]
fn is_at_hand(rows: &Rows) -> bool {
    match rows.cache {
        Cache::Near => true,
        Cache::Second => habits().has_second_cache_at_hand,
        Cache::Far | Cache::None => false,
    }
}

/// Shorter rows at hand are quicker line by line.
#[cfg(target_arch = "x86_64")]
const LEAST_FILLING: usize = 192;

/// Whether rows at hand, that lie at a distance, are moved by [`whole_vectors`].
#[cfg(target_arch = "x86_64")]
fn fills_vectors(rows: &Rows) -> bool {
    rows.bytes >= LEAST_FILLING && rows.src_stride != 0 && is_at_hand(rows)
}

/// How far ahead of the row that moves to fetch, in bytes of rows, where lines are not fetched before they are written.
fn alone_ahead() -> usize {
    match habits().fetches_far_ahead {
        true => 4 << 10,
        false => 2 << 10,
    }
}

/// How many rows ahead of the one that moves to fetch.
pub(super) fn ahead(bytes: usize) -> usize {
    AHEAD.div_ceil(bytes).min(MOST_AHEAD)
}

/// Rows of so many bytes, read forwards with less than a row between them, that the processor's own prefetchers find their way through.
#[cfg(target_arch = "x86_64")]
const KEEP_PACE: core::ops::RangeInclusive<usize> = 192..=2 << 10;

/// Whether such rows are quicker by stores that fill whole lines than by fetching ahead.
#[cfg(target_arch = "x86_64")]
fn keeps_pace(rows: &Rows) -> bool {
    let row = rows.bytes as isize;
    KEEP_PACE.contains(&rows.bytes)
        && (row..2 * row).contains(&rows.src_stride)
        && !habits().fetches_behind_gaps
}

/// Calls `row` with the places of each of the rows, in the destination and in the source.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn one_by_one(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    place: impl Fn(usize) -> isize,
    row: impl Fn(*mut u8, *const u8),
) {
    for k in 0..rows.count {
        let to = dst.wrapping_offset(k as isize * rows.dst_stride);
        row(to, src.wrapping_offset(place(k)));
    }
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
            #[cfg(target_arch = "x86_64")]
            _ if stream::takes(&rows) => stream::moved(level, dst, src, rows, known, place),
            #[cfg(target_arch = "x86_64")]
            _ if goes_by_string(&rows) => {
                one_by_one(dst, src, rows, place, |to, from| {
                    match goes_by_vectors(to, from, rows.bytes) {
                        true => one(level, to, from, rows.bytes),
                        false => by_string(to, from, rows.bytes),
                    }
                });
            }
            #[cfg(target_arch = "x86_64")]
            _ if rows.bytes > longest(level, &rows) => {
                one_by_one(dst, src, rows, place, |to, from| {
                    one(level, to, from, rows.bytes)
                });
            }
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 if is_at_hand(&rows) || keeps_pace(&rows) => {
                one_by_one(dst, src, rows, place, |to, from| {
                    whole_lines(to, from, rows.bytes)
                });
            }
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 if rows.bytes == FOUR_LINES && fills_fetched(&rows) => {
                one_by_one(dst, src, rows, place, |to, from| four_lines(to, from));
            }
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 if fills_fetched(&rows) => {
                let ahead = FILLED_AHEAD.div_ceil(rows.bytes);
                for k in 0..rows.count {
                    let to = dst.wrapping_offset(k as isize * rows.dst_stride);
                    let next = src.wrapping_offset(place((k + ahead).min(known - 1)));
                    fetched_lines(to, src.wrapping_offset(place(k)), rows.bytes, next);
                }
            }
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 if fills_vectors(&rows) => {
                one_by_one(dst, src, rows, place, |to, from| {
                    whole_vectors(to, from, rows.bytes)
                });
            }
            // From memory, wider vectors cross a line with every load that is not aligned to them, and were slower.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 | Kind::Avx2 => match habits() {
                habits if habits.fetches_written => {
                    avx2::<true, false>(dst, src, rows, known, place)
                }
                habits if habits.asks_for_pages => {
                    avx2::<false, true>(dst, src, rows, known, place)
                }
                _ => avx2::<false, false>(dst, src, rows, known, place),
            },
            // Part of what the crate is compiled for.
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Kind::Neon => each::<true, false>(dst, src, rows, known, place),
            Kind::Scalar => each::<true, false>(dst, src, rows, known, place),
        }
    }
}

/// # Safety
/// As [`moved`]; the processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2<const WRITTEN: bool, const PAGES: bool>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    known: usize,
    place: impl Fn(usize) -> isize,
) {
    // SAFETY: by the contract of this function.
    unsafe { each::<WRITTEN, PAGES>(dst, src, rows, known, place) }
}

impl Rows {
    /// Whether they are some lines, whole ones on both sides, at a distance.
    fn are_lines(&self, dst: *mut u8, src: *const u8) -> bool {
        let strides = self.dst_stride | self.src_stride;
        let all = dst.addr() | src.addr() | self.bytes | strides.cast_unsigned();
        self.src_stride != 0 && self.bytes >= 4 * 64 && all.is_multiple_of(64)
    }
}

/// With `WRITTEN`, lines are fetched before they are written; with `PAGES`, lines of the next pages are asked for where that is quicker.
///
/// # Safety
/// As [`moved`].
#[inline(always)]
unsafe fn each<const WRITTEN: bool, const PAGES: bool>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    known: usize,
    place: impl Fn(usize) -> isize,
) {
    let ahead = match WRITTEN {
        true => ahead(rows.bytes),
        false => alone_ahead().div_ceil(rows.bytes).min(MOST_AHEAD),
    };
    let of_page = PAGE / rows.bytes.max(rows.src_stride.unsigned_abs());
    let direction = rows.src_stride.signum();
    let mut page = match PAGES && rows.are_lines(dst, src) {
        true => 0,
        false => usize::MAX,
    };
    let mut to = dst;
    for k in 0..rows.count {
        let next = src.wrapping_offset(place((k + ahead).min(known - 1)));
        if PAGES && k == page {
            ask_for_pages(src.wrapping_offset(place(k)), to, direction);
            page += of_page.max(1);
        }
        // SAFETY: this is one of the rows.
        unsafe { lines::<WRITTEN>(to, src.wrapping_offset(place(k)), rows.bytes, next) };
        to = to.wrapping_offset(rows.dst_stride);
    }
}

/// Moves one row, and fetches `next`: line by line, wherever the lines of memory begin, the last one overlapping the one before it.
///
/// # Safety
/// As [`super::copy::run`], for at least a line.
#[inline(always)]
unsafe fn lines<const WRITTEN: bool>(dst: *mut u8, src: *const u8, bytes: usize, next: *const u8) {
    let end = bytes - 64;
    let mut at = 0;
    loop {
        prefetch(next.wrapping_add(at));
        if WRITTEN {
            prefetch_write(dst.wrapping_add(at + AHEAD_WRITE));
        }
        // SAFETY: the line lies within the row, which has at least one.
        unsafe { fixed::<64>(dst.add(at), src.add(at)) };
        if at == end {
            return;
        }
        at = (at + 64).min(end);
    }
}

/// The shortest pages of any processor.
pub(super) const PAGE: usize = 4096;

/// Where the pages of fewer bytes are, a processor remembers.
#[cfg(target_arch = "x86_64")]
pub(super) const LEAST_OF_PAGES: usize = 11 << 20;

/// Asks for a line of the next page that is read, forwards or backwards as `direction` says, and one of the next that is written: where they
/// are is known when the first vector comes to them.
#[inline(always)]
pub(super) fn ask_for_pages(src: *const u8, dst: *mut u8, direction: isize) {
    prefetch(src.wrapping_offset(PAGE as isize * direction));
    prefetch_write(dst.wrapping_add(PAGE));
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
