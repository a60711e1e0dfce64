//! Shuffles of bytes by AVX2, two tiles at once: each half of a vector of 32 bytes is one of 16, of a tile of its own.
//!
//! AVX2 permutes bytes within 16 of them, so the tables are those of [`lanes`](super::lanes), given to both halves. What it saves is half
//! of the instructions that merge and store, and, by [tables that share their loads](Tables::shared), most of the loads.

use super::cache::Cache;
use super::lanes::Tiles;
use super::rows::prefetch;
use super::shuffled::Run;
use crate::shuffle::Tables;
use core::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm_storeu_si128, _mm256_blend_epi32,
    _mm256_broadcastsi128_si256, _mm256_castsi128_si256, _mm256_castsi256_si128,
    _mm256_inserti128_si256, _mm256_or_si256, _mm256_permute2x128_si256, _mm256_shuffle_epi8,
    _mm256_storeu_si256,
};

/// Moves tiles of rows. `false`: tables of this shape are not moved here, and nothing has moved.
///
/// # Safety
/// As [`lanes::each`](super::lanes::each); the processor has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn each(first: &Run, tables: &Tables<16>, tiles: Tiles<'_>) -> bool {
    if tables.tile != tables.vectors * 16 {
        return false;
    }
    // SAFETY: by the contract of this function.
    unsafe {
        match (tables.vectors, tables.per_vector) {
            (1, 1) => Halves::<1, 1>::moved(tables, first, tiles),
            (1, 2) => Halves::<1, 2>::moved(tables, first, tiles),
            (1, 3) => Halves::<1, 3>::moved(tables, first, tiles),
            (1, 4) => Halves::<1, 4>::moved(tables, first, tiles),
            (3, 3) if tables.shares_loads() => Halves::<3, 3>::moved(tables, first, tiles),
            (3, 4) if tables.shares_loads() => Halves::<3, 4>::moved(tables, first, tiles),
            _ => return false,
        }
    }
    true
}

/// How far ahead of the tiles that move the processor is told to fetch, in bytes that rows read. Its own prefetchers lose their pace where
/// rows end, and where they are read backwards.
const AHEAD: usize = 2 << 10;

/// Longer rows are fetched ahead in themselves.
const LONG_ROW: usize = 8 << 10;

/// From the place of the tile that moves to the one that is fetched, in the source.
fn ahead(tables: &Tables<16>, tiles: &Tiles<'_>) -> isize {
    let read = tiles.count * tables.src_stride.unsigned_abs();
    match read {
        1..LONG_ROW if tiles.rows.count > 1 => {
            AHEAD.div_ceil(read) as isize * tiles.rows.src_stride
        }
        _ => AHEAD as isize * tables.src_stride.signum(),
    }
}

/// Tables as values, in both halves.
struct Halves<const VECTORS: usize, const LOADS: usize> {
    orders: [[__m256i; LOADS]; VECTORS],
    /// Of the loads that all vectors share.
    offsets: [isize; LOADS],
    /// What the next tile is further in the source.
    stride: isize,
}

impl<const VECTORS: usize, const LOADS: usize> Halves<VECTORS, LOADS> {
    /// Bytes of a tile.
    const TILE: usize = VECTORS * 16;

    #[target_feature(enable = "avx2")]
    #[inline]
    fn new(tables: &Tables<16>) -> Self {
        let table = |v: usize, l: usize| &tables.loads[v * LOADS + l];
        Self {
            orders: core::array::from_fn(|v| {
                core::array::from_fn(|l| {
                    // SAFETY: the table is an array of 16 bytes.
                    let order = unsafe { _mm_loadu_si128(table(v, l).bytes.as_ptr().cast()) };
                    _mm256_broadcastsi128_si256(order)
                })
            }),
            offsets: core::array::from_fn(|l| table(0, l).offset),
            stride: tables.src_stride,
        }
    }

    /// The vectors of the tiles whose loads these are.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn vectors(&self, loads: [__m256i; LOADS]) -> [__m256i; VECTORS] {
        core::array::from_fn(|v| {
            // One load more than vectors: each vector has bytes of two neighbours, as `Tables::shared` says.
            let used = if LOADS == VECTORS + 1 {
                v..v + 2
            } else {
                0..LOADS
            };
            let picked = |l: usize| _mm256_shuffle_epi8(loads[l], self.orders[v][l]);
            let first = picked(used.start);
            (used.start + 1..used.end).fold(first, |vector, l| _mm256_or_si256(vector, picked(l)))
        })
    }

    /// Moves the tile at `src` and the next one.
    ///
    /// # Safety
    /// The loads of both are readable, both are writable at `dst`.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn two(&self, src: *const u8, dst: *mut u8) {
        let half = |src: *const u8, l: usize| {
            // SAFETY: by the contract of this function.
            unsafe { _mm_loadu_si128(src.offset(self.offsets[l]).cast()) }
        };
        let vectors = self.vectors(core::array::from_fn(|l| {
            let low = _mm256_castsi128_si256(half(src, l));
            _mm256_inserti128_si256::<1>(low, half(src.wrapping_offset(self.stride), l))
        }));
        let store = |at: usize, vector: __m256i| {
            // SAFETY: by the contract of this function.
            unsafe { _mm256_storeu_si256(dst.add(at).cast(), vector) }
        };
        match vectors[..] {
            [only] => store(0, only),
            // The first halves are one tile, the second ones the next.
            [a, b, c] => {
                store(0, _mm256_permute2x128_si256::<0x20>(a, b));
                store(32, _mm256_blend_epi32::<0xf0>(c, a));
                store(64, _mm256_permute2x128_si256::<0x31>(b, c));
            }
            _ => unreachable!("tiles of one vector or three"),
        }
    }

    /// Moves the tile at `src` alone.
    ///
    /// # Safety
    /// Its loads are readable, it is writable at `dst`.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn one(&self, src: *const u8, dst: *mut u8) {
        let load = |l: usize| {
            // SAFETY: by the contract of this function.
            let half: __m128i = unsafe { _mm_loadu_si128(src.offset(self.offsets[l]).cast()) };
            _mm256_castsi128_si256(half)
        };
        let vectors = self.vectors(core::array::from_fn(load));
        for (v, vector) in vectors.into_iter().enumerate() {
            // SAFETY: by the contract of this function.
            unsafe { _mm_storeu_si128(dst.add(16 * v).cast(), _mm256_castsi256_si128(vector)) };
        }
    }

    /// Tiles that a turn of the loop moves: 64 bytes of them, or two where these are longer.
    const TURN: usize = if VECTORS == 1 { 4 } else { 2 };

    /// # Safety
    /// As [`each`], of tables of this shape.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn moved(tables: &Tables<16>, first: &Run, tiles: Tiles<'_>) {
        let tile = Self::new(tables);
        // SAFETY: by the contract of this function.
        unsafe {
            // The first lines of rows that begin anywhere are fetched as those of a look-up.
            if tiles.rows.cache == Cache::Near || tiles.places.is_some() {
                return tile.walk::<0>(first, tiles, 0);
            }
            match LOADS {
                1 | 3 => tile.walk::<1>(first, tiles, ahead(tables, &tiles)),
                _ => tile.walk::<2>(first, tiles, ahead(tables, &tiles)),
            }
        }
    }

    /// `FETCH` lines are fetched with each turn, so far ahead.
    ///
    /// # Safety
    /// As [`each`], of tables of this shape.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn walk<const FETCH: usize>(&self, first: &Run, tiles: Tiles<'_>, ahead: isize) {
        for k in 0..tiles.rows.count {
            let row = tiles.row(first, k);
            tiles.fetch(first, k, row.dst);
            let (mut src, mut dst, mut left) = (row.src, row.dst, tiles.count);
            // SAFETY: by the contract of this function.
            unsafe {
                while left >= Self::TURN {
                    for line in 0..FETCH {
                        prefetch(src.wrapping_offset(ahead).wrapping_add(64 * line));
                    }
                    for _ in 0..Self::TURN / 2 {
                        self.two(src, dst);
                        src = src.wrapping_offset(2 * self.stride);
                        dst = dst.wrapping_add(2 * Self::TILE);
                    }
                    left -= Self::TURN;
                }
                for _ in 0..left {
                    self.one(src, dst);
                    src = src.wrapping_offset(self.stride);
                    dst = dst.wrapping_add(Self::TILE);
                }
                if let Some((at, place)) = tiles.last {
                    self.one(row.src.offset(place), row.dst.add(at));
                }
            }
        }
    }
}
