//! Results that no cache keeps: their whole lines are written past the caches.
//!
//! A streamed store does not read the line that it overwrites, but leaves the result in memory: below the size of the last-level cache that
//! loses, above it wins.

use super::cache::Cache;
use super::copy::{Rows, run};
use super::prefetch::{self, PAGE};
use super::processor::{Streams, habits};
use super::rows::{self, ahead};
use crate::level::{Kind, Level};
use core::arch::x86_64::{
    __m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128, _mm256_loadu_si256,
    _mm256_stream_si256, _mm512_loadu_si512, _mm512_stream_si512,
};

/// Shorter rows share too many of their lines with others.
const LEAST_ROW: usize = 256;

/// The same where shorter rows that lie close to each other go in sequence: those left have gaps, or are read backwards.
const LEAST_APART: usize = 1024;

/// The same of rows in no order, which are fetched ahead.
const LEAST_SCATTERED: usize = 512;

/// Whether rows are moved here.
pub(super) fn takes(rows: &Rows) -> bool {
    if rows.cache != Cache::None {
        return false;
    }
    let least = match habits().streams {
        _ if are_scattered(rows) => LEAST_SCATTERED,
        Streams::SideBySide => LEAST_ROW,
        _ if lie_close(rows, LARGEST_GAP) => rows::LEAST_ROW,
        _ => LEAST_APART,
    };
    rows.bytes >= least
}

/// Whether rows have no distance of their own in the source: indices say where each begins.
fn are_scattered(rows: &Rows) -> bool {
    rows.src_stride == 0
}

/// The processor's own prefetchers get over gaps of up to this many bytes.
const LARGEST_GAP: isize = 512;

/// The same where what is read is fetched ahead.
const LARGEST_GAP_FETCHED: isize = 4 << 10;

/// Whether rows touch in the result, and lie close to each other in the source: with gaps up to `largest`.
fn lie_close(rows: &Rows, largest: isize) -> bool {
    let gap = rows.src_stride.wrapping_sub(rows.bytes as isize);
    rows.touch() && (0..=largest).contains(&gap)
}

/// How rows go.
enum Order {
    /// One after the other.
    InSequence,
    /// The same, with what they read fetched ahead.
    Fetched,
    /// [`SIDE_BY_SIDE`] in turn.
    SideBySide,
}

impl Order {
    fn of(rows: &Rows) -> Self {
        match habits().streams {
            Streams::Fetched if lie_close(rows, LARGEST_GAP_FETCHED) => Self::Fetched,
            Streams::InSequence if lie_close(rows, LARGEST_GAP) => Self::InSequence,
            Streams::ShortInSequence if rows.bytes < LONG && lie_close(rows, LARGEST_GAP) => {
                Self::InSequence
            }
            _ => Self::SideBySide,
        }
    }
}

/// This many rows are moved line by line in turn: each reads and writes pages of its own, and the memory serves them side by side.
pub(super) const SIDE_BY_SIDE: usize = 4;

/// Rows of at least this many bytes go side by side where shorter ones do not. On Zen 3 rows of 3 to 5 KiB take a tenth to a fifth less time in
/// sequence, those of 6 KiB as long, and from 8 KiB on up to a fifth more.
const LONG: usize = 5 << 10;

/// In turn, a row begins this many bytes further in than the one before it, if their lines would have the same places in pages.
const STAGGER: usize = 256;

/// Whether some of [`SIDE_BY_SIDE`] rows have lines at the same places in pages of the result, or at the next: a processor that puts lines
/// together before they are written takes them for the same, and writes them in parts. Zen 3 takes up to seven times as long then.
fn collide(rows: &Rows) -> bool {
    (1..SIDE_BY_SIDE).any(|k| {
        let apart = rows.dst_stride.unsigned_abs().wrapping_mul(k) % PAGE;
        apart <= 2 * 64 || apart > PAGE - 64
    })
}

/// Moves rows, row `k` from `src` plus `place(k)` bytes; places are asked for up to `known`.
///
/// # Safety
/// As [`run`], for each of the rows, which [`takes`] admits; there is at least one, and `rows.count <= known`.
pub(super) unsafe fn moved(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    known: usize,
    place: impl Fn(usize) -> isize,
) {
    let from = |k: usize| src.wrapping_offset(place(k.min(known - 1)));
    // SAFETY: by the contract of this function; holding `level` is the proof that the processor has its instructions.
    unsafe {
        match level.kind() {
            Kind::Avx512 => by_avx512(dst, rows, from),
            Kind::Avx2 => by_avx2(dst, rows, from),
            Kind::Scalar => in_order(dst, rows, from, |to, from| line(to, from)),
        }
    }
    complete();
}

/// # Safety
/// As [`moved`]; the processor has AVX-512 F.
#[target_feature(enable = "avx512f")]
unsafe fn by_avx512(dst: *mut u8, rows: Rows, from: impl Fn(usize) -> *const u8) {
    // SAFETY: by the contracts of this function and of `in_order`.
    unsafe {
        in_order(dst, rows, from, |to, from| {
            _mm512_stream_si512(to.cast(), _mm512_loadu_si512(from.cast()));
        });
    }
}

/// # Safety
/// As [`moved`]; the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn by_avx2(dst: *mut u8, rows: Rows, from: impl Fn(usize) -> *const u8) {
    // SAFETY: by the contracts of this function and of `in_order`.
    unsafe {
        in_order(dst, rows, from, |to, from| line_by_avx2(to, from));
    }
}

/// Row `k` comes `from(k)`, which gives a place for rows past the last one too; `line` streams 64 bytes to where a line begins.
///
/// # Safety
/// As [`moved`].
#[inline(always)]
unsafe fn in_order(
    dst: *mut u8,
    rows: Rows,
    from: impl Fn(usize) -> *const u8,
    line: impl Fn(*mut u8, *const u8) + Copy,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        match Order::of(&rows) {
            Order::InSequence => in_sequence::<false>(dst, rows, from, line),
            Order::Fetched => in_sequence::<true>(dst, rows, from, line),
            Order::SideBySide => in_turn(dst, rows, from, line),
        }
    }
}

/// Row `k` and `line` as in [`in_order`].
///
/// # Safety
/// As [`moved`].
#[inline(always)]
unsafe fn in_turn(
    dst: *mut u8,
    rows: Rows,
    from: impl Fn(usize) -> *const u8,
    line: impl Fn(*mut u8, *const u8) + Copy,
) {
    let ahead = ahead(rows.bytes).max(SIDE_BY_SIDE);
    let row = |k: usize| StreamedRow {
        to: dst.wrapping_offset(k as isize * rows.dst_stride),
        from: from(k),
        next: from(k + ahead),
    };
    let most = rows.count / SIDE_BY_SIDE * SIDE_BY_SIDE;
    let stagger = match collide(&rows) {
        true => STAGGER,
        false => 0,
    };
    let fetched = |row: StreamedRow, at: usize| prefetch::line(row.next.wrapping_add(at));
    // SAFETY: these are the rows.
    unsafe {
        for first in (0..most).step_by(SIDE_BY_SIDE) {
            let some: [_; SIDE_BY_SIDE] = core::array::from_fn(|k| row(first + k));
            match are_scattered(&rows) {
                true => side_by_side(some, rows.bytes, stagger, line, fetched),
                // The processor's own prefetchers are quicker.
                false => side_by_side(some, rows.bytes, stagger, line, |_, _| {}),
            }
        }
        for last in most..rows.count {
            side_by_side([row(last)], rows.bytes, 0, line, fetched);
        }
    }
}

/// How far ahead of rows in sequence to fetch.
const AHEAD: usize = 4 << 10;

/// Moves rows one after the other, with `FETCH` what lies ahead fetched. A line that two of them share is put together first, and streamed
/// like others.
///
/// # Safety
/// As [`moved`], for rows that touch and have at least a line.
#[inline(always)]
unsafe fn in_sequence<const FETCH: bool>(
    dst: *mut u8,
    rows: Rows,
    from: impl Fn(usize) -> *const u8,
    line: impl Fn(*mut u8, *const u8),
) {
    let mut to = dst;
    // Bytes of the row that comes next that are written.
    let mut done = dst.addr().wrapping_neg() % 64;
    // SAFETY: by the contract of this function: the parts lie within their rows, and streamed stores begin at a line.
    unsafe {
        run(to, from(0), done);
        to = to.add(done);
        for k in 0..rows.count {
            let mut row = from(k).add(done);
            let left = rows.bytes - done;
            for _ in 0..left / 64 {
                if FETCH {
                    prefetch::line(row.wrapping_add(AHEAD));
                }
                line(to, row);
                (to, row) = (to.add(64), row.add(64));
            }
            let left = left % 64;
            if k + 1 == rows.count {
                return run(to, row, left);
            }
            done = 0;
            if left > 0 {
                done = 64 - left;
                let mut shared = [0; 64];
                run(shared.as_mut_ptr(), row, left);
                run(shared.as_mut_ptr().add(left), from(k + 1), done);
                line(to, shared.as_ptr());
                to = to.add(64);
            }
        }
    }
}

/// Streamed stores are complete before the Move returns (I4).
#[allow(
    unused_unsafe,
    reason = "in Rust 1.89 the call is unsafe, in newer ones it is not"
)]
pub(super) fn complete() {
    // SAFETY: SSE is part of x86-64; the instruction touches no memory (I3).
    unsafe { _mm_sfence() }
}

/// Where a row is written and read, and one to fetch meanwhile.
#[derive(Clone, Copy)]
struct StreamedRow {
    to: *mut u8,
    from: *const u8,
    next: *const u8,
}

impl StreamedRow {
    /// The row without its first bytes.
    fn without(self, bytes: usize) -> Self {
        Self {
            to: self.to.wrapping_add(bytes),
            from: self.from.wrapping_add(bytes),
            next: self.next.wrapping_add(bytes),
        }
    }
}

/// Some rows: their whole lines are streamed, each row's from `stagger` bytes further in than those of the one before it, and round; what
/// is before the first line and after the last of each is copied.
///
/// # Safety
/// As [`run`] for each of them, with at least a line.
#[inline(always)]
unsafe fn side_by_side<const ROWS: usize>(
    rows: [StreamedRow; ROWS],
    bytes: usize,
    stagger: usize,
    line: impl Fn(*mut u8, *const u8),
    fetch: impl Fn(StreamedRow, usize),
) {
    let heads = rows.map(|row| row.to.addr().wrapping_neg() % 64);
    // Bytes in lines of every row; one may have one line more.
    let most = heads.into_iter().max().unwrap_or(0);
    let common = (bytes - most) / 64 * 64;
    let stagger = stagger.min(common / 64 / ROWS * 64);
    // SAFETY: the parts lie within `bytes`; streamed stores begin at a line.
    unsafe {
        for (row, head) in rows.into_iter().zip(heads) {
            run(row.to, row.from, head);
        }
        let lines: [StreamedRow; ROWS] = core::array::from_fn(|k| rows[k].without(heads[k]));
        let mut at = 0;
        while at < common {
            for (k, row) in lines.into_iter().enumerate() {
                let at = match at + k * stagger {
                    at if at < common => at,
                    at => at - common,
                };
                fetch(row, at);
                line(row.to.add(at), row.from.add(at));
            }
            at += 64;
        }
        for (row, head) in lines.into_iter().zip(heads) {
            let mut end = row.without(common);
            let mut left = bytes - head - common;
            if left >= 64 {
                line(end.to, end.from);
                (end, left) = (end.without(64), left - 64);
            }
            run(end.to, end.from, left);
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

/// Streams a line as [`line`] does.
///
/// # Safety
/// As [`line`]; the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn line_by_avx2(dst: *mut u8, src: *const u8) {
    // SAFETY: by the contract of this function.
    unsafe {
        let halves = [0, 32].map(|at| _mm256_loadu_si256(src.add(at).cast()));
        for (at, half) in [0, 32].into_iter().zip(halves) {
            _mm256_stream_si256(dst.add(at).cast(), half);
        }
    }
}

/// What is written where the first cache has it, before it is streamed.
#[repr(align(64))]
struct Part([u8; PART]);

/// Bytes of it.
pub(super) const PART: usize = 4 << 10;

/// Streams what `write` writes, in parts of [`PART`] bytes: to the address that it is given, from the byte of the result on that it is given.
/// Returns the bytes of these parts: what is left is less than one.
///
/// # Safety
/// From `dst` on, where a line begins, `bytes` are writable; the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn in_parts(dst: *mut u8, bytes: usize, write: impl Fn(*mut u8, usize)) -> usize {
    let mut buffer = Part([0; PART]);
    let to = buffer.0.as_mut_ptr();
    let whole = bytes / PART * PART;
    for at in (0..whole).step_by(PART) {
        write(to, at);
        for line in (0..PART).step_by(64) {
            // SAFETY: the line lies in both.
            unsafe { line_by_avx2(dst.add(at + line), to.add(line)) };
        }
    }
    complete();
    whole
}
