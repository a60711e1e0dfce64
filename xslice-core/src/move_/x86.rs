//! Shuffles of bytes on x86-64: AVX-512 VBMI on 64-byte vectors, AVX2 on 16-byte lanes and, by [`pairs`], on 32-byte vectors.
//!
//! AVX2 brings its instructions to the loops of [`lanes`]. AVX-512 has tiles of its own, for masks: the ends of a run go by masked loads
//! and stores.

use super::cache::Cache;
use super::copy::Rows;
use super::lanes::{self, Lanes, Tiles, by_shape, inside};
use super::pairs;
use super::rows::{AHEAD_WRITE, prefetch, prefetch_write};
use super::shuffled::{Places, Run};
use super::stream;
use crate::shuffle::{Pattern, Tables};
use core::arch::x86_64::{
    __m128i, __m512i, _mm_or_si128, _mm_shuffle_epi8, _mm512_loadu_si512,
    _mm512_mask_permutexvar_epi8, _mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8,
    _mm512_setzero_si512, _mm512_storeu_si512, _mm512_stream_si512,
};
use core::ops::Range;

// SAFETY: 16 bytes, of any value.
unsafe impl Lanes for __m128i {
    #[inline(always)]
    unsafe fn picked(self, order: Self) -> Self {
        // SAFETY: by the contract of the trait.
        unsafe { _mm_shuffle_epi8(self, order) }
    }

    #[inline(always)]
    unsafe fn merged(self, loaded: Self, order: Self) -> Self {
        // SAFETY: by the contract of the trait.
        unsafe { _mm_or_si128(self, loaded.picked(order)) }
    }

    #[target_feature(enable = "avx2")]
    unsafe fn tiles(first: &Run, tables: &Tables<16>, tiles: Tiles<'_>) {
        // SAFETY: by the contract of this function.
        unsafe {
            if !pairs::each(first, tables, tiles) {
                lanes::each::<Self>(first, tables, tiles);
            }
        }
    }

    #[target_feature(enable = "avx2")]
    unsafe fn alone(
        first: &Run,
        pattern: &Pattern,
        tables: &Tables<16>,
        rows: Rows,
        places: Places<'_>,
    ) {
        // SAFETY: by the contract of this function.
        unsafe { lanes::each_alone::<Self>(first, pattern, tables, rows, places) }
    }
}

/// What is fetched of a later row with each tile.
#[derive(Clone, Copy)]
pub(super) struct Fetch {
    /// How far behind the place of the tile.
    pub ahead: isize,
    pub lines: usize,
}

impl Fetch {
    pub const NONE: Self = Self { ahead: 0, lines: 0 };
}

/// So many lines a tile, or more, are fetched in a loop of their own.
pub(super) const MANY: usize = 3;

/// Tables as values.
pub(super) struct InRegisters<const VECTORS: usize, const LOADS: usize> {
    bytes: [[__m512i; LOADS]; VECTORS],
    masks: [[u64; LOADS]; VECTORS],
    offsets: [[isize; LOADS]; VECTORS],
}

impl<const VECTORS: usize, const LOADS: usize> InRegisters<VECTORS, LOADS> {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    pub fn new(tables: &Tables<64>) -> Self {
        let table = |v: usize, l: usize| &tables.loads[v * LOADS + l];
        Self {
            bytes: core::array::from_fn(|v| {
                core::array::from_fn(|l| {
                    // SAFETY: the table is an array of 64 bytes.
                    unsafe { _mm512_loadu_si512(table(v, l).bytes.as_ptr().cast()) }
                })
            }),
            masks: core::array::from_fn(|v| core::array::from_fn(|l| table(v, l).mask)),
            offsets: core::array::from_fn(|v| core::array::from_fn(|l| table(v, l).offset)),
        }
    }

    /// Vector `v` of the tile at `src`.
    ///
    /// # Safety
    /// The loads of the tile are readable.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    unsafe fn vector(&self, v: usize, src: *const u8) -> __m512i {
        let mut vector = _mm512_setzero_si512();
        for l in 0..LOADS {
            // SAFETY: by the contract of this function.
            let loaded = unsafe { _mm512_loadu_si512(src.offset(self.offsets[v][l]).cast()) };
            let (mask, order) = (self.masks[v][l], self.bytes[v][l]);
            vector = _mm512_mask_permutexvar_epi8(vector, mask, order, loaded);
        }
        vector
    }

    /// Moves the tile at `src` to `dst`.
    ///
    /// # Safety
    /// As [`InRegisters::vector`]; the tile is writable.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    unsafe fn tile(&self, dst: *mut u8, src: *const u8) {
        for v in 0..VECTORS {
            // SAFETY: by the contract of this function.
            unsafe { _mm512_storeu_si512(dst.add(v * 64).cast(), self.vector(v, src)) };
        }
    }

    /// Moves whole tiles side by side, the first of them from and to a place, and gives those of the next one. With `WRITE`, lines are
    /// fetched before they are written; `READ` are the lines to fetch of a later row, [`MANY`] standing for as many as there are.
    ///
    /// # Safety
    /// As [`InRegisters::tile`], for each of the tiles.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    pub unsafe fn tiles<const WRITE: bool, const READ: usize>(
        &self,
        tables: &Tables<64>,
        (mut src, mut dst): (*const u8, *mut u8),
        count: usize,
        fetch: Fetch,
    ) -> (*const u8, *mut u8) {
        for _ in 0..count {
            for line in 0..if READ < MANY { READ } else { fetch.lines } {
                prefetch(src.wrapping_offset(fetch.ahead).wrapping_add(64 * line));
            }
            for v in 0..if WRITE { VECTORS } else { 0 } {
                prefetch_write(dst.wrapping_add(AHEAD_WRITE + 64 * v));
            }
            // SAFETY: by the contract of this function.
            unsafe { self.tile(dst, src) };
            src = src.wrapping_offset(tables.src_stride);
            dst = dst.wrapping_add(tables.tile);
        }
        (src, dst)
    }

    /// The same of the first bytes of a tile.
    ///
    /// # Safety
    /// As [`InRegisters::tile`], for so many bytes.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    pub unsafe fn cut(&self, dst: *mut u8, src: *const u8, bytes: usize) {
        for v in 0..VECTORS {
            if v * 64 < bytes {
                let mask = mask_of(bytes - v * 64);
                // SAFETY: by the contract of this function; the mask leaves out every byte behind the last.
                unsafe {
                    let vector = self.vector(v, src);
                    _mm512_mask_storeu_epi8(dst.add(v * 64).cast(), mask, vector);
                }
            }
        }
    }
}

impl<const VECTORS: usize, const LOADS: usize> InRegisters<VECTORS, LOADS> {
    /// Moves a tile some of whose loads may lie outside the operand of `run`, or what a row has left of it, and gives the places of the next one.
    ///
    /// # Safety
    /// As [`wide`], for the tile from and to these places, of which `rest` bytes belong to the run.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    pub unsafe fn masked(
        &self,
        run: &Run,
        tables: &Tables<64>,
        (src, dst): (*const u8, *mut u8),
        rest: usize,
    ) -> (*const u8, *mut u8) {
        let given = rest.min(tables.given);
        for v in 0..VECTORS {
            if v * 64 >= given {
                break;
            }
            let mut vector = _mm512_setzero_si512();
            for l in 0..LOADS {
                let from = src.wrapping_offset(self.offsets[v][l]);
                // SAFETY: the mask leaves out every byte outside the operand.
                let loaded = unsafe { _mm512_maskz_loadu_epi8(readable(run, from), from.cast()) };
                let (mask, order) = (self.masks[v][l], self.bytes[v][l]);
                vector = _mm512_mask_permutexvar_epi8(vector, mask, order, loaded);
            }
            let given = mask_of(given - v * 64);
            // SAFETY: the mask leaves out every byte behind the run.
            unsafe { _mm512_mask_storeu_epi8(dst.add(v * 64).cast(), given, vector) };
        }
        let next = src.wrapping_offset(tables.src_stride);
        (next, dst.wrapping_add(tables.tile))
    }
}

/// Moves a run: its middle by `vectors`, which is [`vectors`] or [`streamed`].
///
/// # Safety
/// The processor has AVX-512 F, BW, VL, DQ and VBMI; `run` as [`Shuffle::run`](crate::ir::Shuffle::run) says.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
pub(super) unsafe fn wide(
    run: &Run,
    pattern: &Pattern,
    tables: &Tables<64>,
    vectors: unsafe fn(&Run, &Tables<64>, Range<usize>),
) {
    // SAFETY: by the contract of this function; no part writes a byte outside the run, and the last that writes one writes its value.
    unsafe {
        let turns = head(run, pattern, tables);
        masked(run, tables, 0, turns * pattern.period());
        let run = &run.turned(turns, pattern);
        within(run, tables, |tiles| vectors(run, tables, tiles));
    }
}

/// Moves a run: `vectors` moves the tiles whose loads lie inside the operand, masks those before and behind them.
///
/// # Safety
/// As [`wide`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
pub(super) unsafe fn within<T>(
    run: &Run,
    tables: &Tables<64>,
    vectors: impl FnOnce(Range<usize>) -> T,
) {
    let inside = inside(run, tables);
    // SAFETY: by the contract of this function.
    unsafe {
        masked(run, tables, 0, inside.start * tables.tile);
        vectors(inside.clone());
        masked(run, tables, inside.end, run.bytes);
    }
}

/// Periods before the destination is aligned to a vector, for a run long enough to gain from it, and vectors that stay aligned.
fn head(run: &Run, pattern: &Pattern, tables: &Tables<64>) -> usize {
    let period = pattern.period();
    if run.bytes < 16 * tables.tile || !tables.tile.is_multiple_of(64) {
        return 0;
    }
    let address = run.dst as usize;
    (0..64)
        .find(|turns| (address + turns * period).is_multiple_of(64))
        .unwrap_or(0)
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
    let in_registers = InRegisters::<VECTORS, LOADS>::new(tables);
    let first = place(run, tables, tiles.start);
    // SAFETY: by the contract of this function.
    unsafe { in_registers.tiles::<false, 0>(tables, first, tiles.len(), Fetch::NONE) };
}

/// Where tile `at` is read and written.
fn place(run: &Run, tables: &Tables<64>, at: usize) -> (*const u8, *mut u8) {
    let src = run.src.wrapping_offset(at as isize * tables.src_stride);
    (src, run.dst.wrapping_add(at * tables.tile))
}

/// Shorter rows have few whole lines beside their ends.
const LEAST_STREAMED: usize = 1 << 10;

/// Whether rows are moved by [`streamed`].
pub(super) fn streams(rows: &Rows) -> bool {
    rows.cache == Cache::None && rows.bytes >= LEAST_STREAMED
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

/// Tiles of a few pages in turn, as [`stream`] moves rows.
///
/// # Safety
/// As [`streamed`], with the tables of that shape, for tiles that are whole lines.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
unsafe fn streamed_of<const VECTORS: usize, const LOADS: usize>(
    run: &Run,
    tables: &Tables<64>,
    tiles: Range<usize>,
) {
    const PAGE: usize = 4096;
    let in_registers = InRegisters::<VECTORS, LOADS>::new(tables);
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
    let (mut at, pages) = (tiles.start, stream::TOGETHER * page);
    while at + pages <= tiles.end {
        for first in at..at + page {
            for k in 0..stream::TOGETHER {
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

/// A bit for each of the first so many bytes of a vector.
#[inline]
pub(super) fn mask_of(bytes: usize) -> u64 {
    match bytes {
        0 => 0,
        bytes => u64::MAX >> (64 - bytes.min(64)),
    }
}
