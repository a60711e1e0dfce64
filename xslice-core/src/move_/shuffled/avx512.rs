//! Shuffles of bytes by AVX-512 VBMI, by vectors of 64 bytes.
//!
//! Its tiles are its own, for masks: the ends of a run go by masked loads and stores. Runs of many tiles are moved here; rows of few tiles
//! and near ones have ways of their own:
//!   short   rows at constant distances
//!   picked  rows that each begin at a place of their own
//!   known   rows that were found when they were planned
//!   listed  those of few tiles, tile by tile
//!   alone   those that are one vector of 16 bytes each
//!   fixed   rows of an expansion, which the compiler knows

pub(super) mod alone;
pub(super) mod fixed;
pub(super) mod known;
mod listed;
pub(super) mod picked;
pub(super) mod short;
mod tile;

use super::lanes::{by_shape, inside};
use super::{Run, periods_to};
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::move_::mask::mask_of;
use crate::move_::prefetch::{LEAST_OF_PAGES, PAGE};
use crate::move_::processor::{FetchesPatterns, habits};
use crate::move_::stream;
use crate::shuffle::{MASKS, Pattern, Tables};
use core::arch::x86_64::{
    _mm512_loadu_si512, _mm512_mask_permutexvar_epi8, _mm512_mask_storeu_epi8,
    _mm512_maskz_loadu_epi8, _mm512_setzero_si512, _mm512_storeu_si512, _mm512_stream_si512,
};
use core::ops::Range;
use tile::{Fetch, MANY, Pace, Place, WideInRegisters};

/// What moves tiles whose loads lie inside the operand: [`vectors`] or [`streamed`].
pub(super) type Vectors = unsafe fn(&Run, &Tables<64>, Range<usize>);

/// Moves a run: tiles whose loads lie inside the operand by `vectors`, those before and after them by masks.
///
/// # Safety
/// The processor has AVX-512 F, BW, VL, DQ and VBMI; `run` as [`Shuffle::run`](crate::ir::Shuffle::run) says.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
pub(super) unsafe fn wide(run: &Run, pattern: &Pattern, tables: &Tables<64>, vectors: Vectors) {
    // SAFETY: by the contract of this function; no part writes a byte outside the run, and the last that writes one writes its value.
    unsafe {
        let turns = head(run, pattern, tables);
        masked(run, tables, 0, turns * pattern.period());
        let run = &run.turned(turns, pattern);
        let inside = inside(run, tables);
        masked(run, tables, 0, inside.start * tables.tile);
        vectors(run, tables, inside.clone());
        masked(run, tables, inside.end, run.bytes);
    }
}

/// Periods before the destination is aligned to a vector, for a run long enough to gain from it, and vectors that stay aligned.
fn head(run: &Run, pattern: &Pattern, tables: &Tables<64>) -> usize {
    match run.bytes >= 16 * tables.tile && tables.tile.is_multiple_of(64) {
        true => periods_to::<64>(run.dst, pattern.period()),
        false => 0,
    }
}

/// # Safety
/// As [`wide`], for tiles whose loads lie inside the operand.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
pub(super) unsafe fn vectors(run: &Run, tables: &Tables<64>, tiles: Range<usize>) {
    if tiles.is_empty() {
        return;
    }
    // SAFETY: by the contract of this function.
    unsafe {
        by_shape!(
            tables,
            vectors_of(run, tables, tiles),
            vectors_any(run, tables, tiles)
        )
    }
}

/// # Safety
/// As [`vectors`], with the tables of that shape.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
unsafe fn vectors_of<const VECTORS: usize, const LOADS: usize>(
    run: &Run,
    tables: &Tables<64>,
    tiles: Range<usize>,
) {
    let in_registers = WideInRegisters::<VECTORS, LOADS>::new(tables);
    let first = place(run, tables, tiles.start);
    // SAFETY: by the contract of this function.
    unsafe {
        if const { LOADS <= MOST_PACED && VECTORS * LOADS <= MASKS }
            && let Some(pace) = pace(tables, first.0, tiles.len())
        {
            in_registers.paced(tables, first, tiles.len(), pace);
        } else if let Some(fetch) = fetched(tables, tiles.len()) {
            // A loop over their number was slower.
            match fetch.lines {
                1 => in_registers.tiles::<false, 1>(tables, first, tiles.len(), fetch),
                2 => in_registers.tiles::<false, 2>(tables, first, tiles.len(), fetch),
                _ => in_registers.tiles::<false, MANY>(tables, first, tiles.len(), fetch),
            };
        } else {
            in_registers.tiles::<false, 0>(tables, first, tiles.len(), Fetch::NONE);
        }
    }
}

/// Bytes that are read and written together, more read than written, whose lines are fetched: fewer of them are still in the second cache,
/// more come from memory.
const FETCHED: Range<usize> = 2 << 20..8 << 20;

/// How far ahead of a tile they are fetched.
const AHEAD: isize = 2 << 10;

/// The same where no more is read than written.
const FETCHED_EVEN: Range<usize> = 2 << 20..5 << 20;

/// How far ahead of a tile these are.
const AHEAD_EVEN: isize = 1 << 10;

/// What is fetched ahead with each of `tiles` tiles, if that pays.
fn fetched(tables: &Tables<64>, tiles: usize) -> Option<Fetch> {
    let read = tables.src_stride.unsigned_abs();
    let (fetched, ahead) = match read > tables.tile {
        true => (FETCHED, AHEAD),
        false => (FETCHED_EVEN, AHEAD_EVEN),
    };
    let bytes = tiles * (read + tables.tile);
    let is_asked = habits().fetches_patterns == FetchesPatterns::Always;
    let pays = read > 0 && fetched.contains(&bytes) && is_asked;
    pays.then(|| Fetch::of_tile(tables, ahead))
}

/// Vectors of more loads take their time anyway.
const MOST_PACED: usize = 4;

/// Runs that read and write fewer bytes have a share of their lines in nearer caches than the last.
const LEAST_PACED: usize = 3 << 20;

/// The same where a tile is one load, but for lines that are read backwards.
const LEAST_PACED_SINGLE: usize = 8 << 20;

/// Vectors of this many loads or more are paced only from [`LEAST_OF_PAGES`] on.
const MANY_LOADS: usize = 3;

/// How `tiles` tiles are moved, the first of them from `src`, if not as fast as they can be.
fn pace(tables: &Tables<64>, src: *const u8, tiles: usize) -> Option<Pace> {
    let read = tables.src_stride.unsigned_abs();
    let both = tiles * (read + tables.tile);
    if both < LEAST_PACED || !habits().outruns_caches {
        return None;
    }
    let is_long = both >= LEAST_OF_PAGES;
    let is_line = |offset| src.wrapping_offset(offset).addr().is_multiple_of(64);
    let (pays, idle) = match &*tables.loads {
        // Tiles of one load were quickest with these.
        [load] if tables.src_stride == -64 && is_line(load.offset) && !is_long => (true, 3),
        [_] if tables.fill_vectors() => (both >= LEAST_PACED_SINGLE, 4),
        [_] => (is_long, 4),
        _ => {
            let of_vector = (read + tables.tile).div_ceil(tables.vectors);
            let pays = tables.fill_vectors() && (tables.per_vector < MANY_LOADS || is_long);
            (pays, idle_for(of_vector))
        }
    };
    pays.then_some(Pace {
        idle,
        asks_for_pages: habits().asks_for_pages && is_long && tables.loads.len() > 1,
    })
}

/// Idle cycles for a vector that reads and writes `bytes` bytes: 1.7 for each line of them, rounded up from three quarters on, to a number
/// that there is a loop for.
fn idle_for(bytes: usize) -> usize {
    match (17 * bytes + 160) / 640 {
        ..=3 => 3,
        4 => 4,
        5..=6 => 5,
        _ => 7,
    }
}

/// Where tile `at` is read and written.
fn place(run: &Run, tables: &Tables<64>, at: usize) -> Place {
    let src = run.src.wrapping_offset(at as isize * tables.src_stride);
    (src, run.dst.wrapping_add(at * tables.tile))
}

/// Shorter rows have few whole lines beside their ends.
const LEAST_STREAMED: usize = 1 << 10;

/// The same where runs go in sequence: what a run gains is lost at its end.
const LEAST_IN_SEQUENCE: usize = 8 << 10;

/// Whether rows of a pattern are moved by [`streamed`].
pub(super) fn streams(pattern: &Pattern, rows: &Rows) -> bool {
    let read = pattern.src_stride().unsigned_abs() as usize;
    let least = match habits().patterns_in_sequence.have(read, pattern.period()) {
        true => LEAST_IN_SEQUENCE,
        false => LEAST_STREAMED,
    };
    rows.cache == Cache::None && rows.bytes >= least
}

/// Shorter rows are moved by the tables that take the fewest loads and stores.
const LEAST_BY_LINES: usize = 1 << 20;

/// Whether rows are moved by [`vectors`] that are whole lines of the result where tables for them stay in registers: the last cache is what
/// takes time, and is asked twice for a line that two vectors have a part in.
pub(super) fn goes_by_lines(rows: &Rows) -> bool {
    rows.bytes >= LEAST_BY_LINES && habits().outruns_caches
}

/// Whether the masks of a tile stay in their registers.
pub(super) fn has_registers_for(tables: &Tables<64>) -> bool {
    tables.loads.len() <= MASKS
}

/// As [`vectors`], past the caches where tiles are whole lines of the result.
///
/// # Safety
/// As [`wide`], for tiles whose loads lie inside the operand.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
pub(super) unsafe fn streamed(run: &Run, tables: &Tables<64>, tiles: Range<usize>) {
    let are_lines = run.dst.addr().is_multiple_of(64) && tables.fill_vectors();
    // SAFETY: by the contract of this function.
    unsafe {
        if !are_lines || tiles.is_empty() {
            return vectors(run, tables, tiles);
        }
        by_shape!(
            tables,
            streamed_of(run, tables, tiles),
            vectors_any(run, tables, tiles)
        )
    }
}

/// How far ahead of tiles in sequence lines are fetched that no cache holds.
const AHEAD_STREAMED: isize = 4 << 10;

/// Shorter runs that are read backwards are not quicker in sequence: the next one begins anew at its end.
const LEAST_BACKWARDS: usize = 1 << 20;

/// Tiles of a few pages in turn, as [`stream`] moves rows, or in sequence, where that is quicker.
///
/// # Safety
/// As [`streamed`], with the tables of that shape, for tiles that are whole lines.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
unsafe fn streamed_of<const VECTORS: usize, const LOADS: usize>(
    run: &Run,
    tables: &Tables<64>,
    tiles: Range<usize>,
) {
    let in_registers = WideInRegisters::<VECTORS, LOADS>::new(tables);
    let page = (PAGE / tables.tile).max(1);
    let stream = |at: usize| {
        let (src, dst) = place(run, tables, at);
        // SAFETY: by the contract of this function.
        unsafe {
            for v in 0..VECTORS {
                _mm512_stream_si512(dst.add(v * 64).cast(), in_registers.vector(v, src));
            }
        }
    };
    let read = tables.src_stride.unsigned_abs();
    let go_on = tables.src_stride > 0 || run.bytes >= LEAST_BACKWARDS;
    if go_on && habits().patterns_in_sequence.have(read, tables.tile) {
        let fetch = Fetch::of_tile(tables, AHEAD_STREAMED);
        for at in tiles {
            fetch.ask::<MANY>(place(run, tables, at).0);
            stream(at);
        }
        return stream::complete();
    }
    let (mut at, pages) = (tiles.start, stream::SIDE_BY_SIDE * page);
    while at + pages <= tiles.end {
        for first in at..at + page {
            for k in 0..stream::SIDE_BY_SIDE {
                stream(first + k * page);
            }
        }
        at += pages;
    }
    (at..tiles.end).for_each(stream);
    stream::complete();
}

/// # Safety
/// As [`vectors`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
unsafe fn vectors_any(run: &Run, tables: &Tables<64>, tiles: Range<usize>) {
    for t in tiles {
        // SAFETY: by the contract of this function.
        unsafe {
            let src = run.src.offset(t as isize * tables.src_stride);
            let dst = run.dst.add(t * tables.tile);
            for v in 0..tables.vectors {
                let mut vector = _mm512_setzero_si512();
                for load in tables.of_vector(v) {
                    let bytes = _mm512_loadu_si512(src.offset(load.offset).cast());
                    let order = _mm512_loadu_si512(load.bytes.as_ptr().cast());
                    vector = _mm512_mask_permutexvar_epi8(vector, load.mask, order, bytes);
                }
                _mm512_storeu_si512(dst.add(v * 64).cast(), vector);
            }
        }
    }
}

/// The bytes of a run before `last`, from tile `first` on, vector by vector, reading no byte outside the operand.
///
/// # Safety
/// As [`wide`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
unsafe fn masked(run: &Run, tables: &Tables<64>, first: usize, last: usize) {
    let (mut src, _) = place(run, tables, first);
    let mut tile = first * tables.tile;
    while tile < last {
        for v in 0..tables.vectors {
            let at = tile + v * 64;
            if at >= last {
                break;
            }
            let bytes = (last - at).min(tables.given - v * 64);
            let mut vector = _mm512_setzero_si512();
            for load in tables.of_vector(v) {
                let from = src.wrapping_offset(load.offset);
                // SAFETY: the mask leaves out every byte outside the operand.
                unsafe {
                    let bytes = _mm512_maskz_loadu_epi8(readable(run, from), from.cast());
                    let order = _mm512_loadu_si512(load.bytes.as_ptr().cast());
                    vector = _mm512_mask_permutexvar_epi8(vector, load.mask, order, bytes);
                }
            }
            // SAFETY: the mask leaves out every byte after `last`.
            unsafe { _mm512_mask_storeu_epi8(run.dst.add(at).cast(), mask_of(bytes), vector) };
        }
        src = src.wrapping_offset(tables.src_stride);
        tile += tables.tile;
    }
}

/// A bit for each of the 64 bytes from `from` on that lies inside the operand.
#[inline]
fn readable(run: &Run, from: *const u8) -> u64 {
    let (from, low, high) = (from as isize, run.low as isize, run.high as isize);
    let before = |end: isize| mask_of((end - from).clamp(0, 64) as usize);
    before(high) & !before(low)
}
