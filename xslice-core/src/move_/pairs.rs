//! Shuffles of bytes by AVX2, two tiles at once.
//!
//! AVX2 permutes bytes within 16 of them. What that means for two tiles depends on their loads:
//!   blended  loads of 32 bytes that take bytes from different places, put in order once: see [`Doubled`](crate::shuffle::Doubled)
//!   halves   each half of a vector is one of a tile of its own, by the tables of [`lanes`](super::lanes), given to both halves: that saves
//!            half of the instructions that merge and store, and, by [tables that share their loads](Tables::shared), most of the loads

use super::cache::Cache;
use super::lanes::{InMemory, Tile, Tiles};
use super::rows::prefetch;
use super::shuffled::Run;
use super::x86::Fetch;
use crate::shuffle::{Blend, LINE, Order, Tables};
use core::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm_storeu_si128, _mm256_blend_epi32, _mm256_blendv_epi8,
    _mm256_broadcastsi128_si256, _mm256_castsi128_si256, _mm256_castsi256_si128,
    _mm256_inserti128_si256, _mm256_loadu_si256, _mm256_or_si256, _mm256_permute2x128_si256,
    _mm256_permute4x64_epi64, _mm256_permutevar8x32_epi32, _mm256_shuffle_epi8,
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
        if let Some(doubled) = &tables.doubled
            && tiles.count > 1
        {
            match doubled.loads[..] {
                [ref a] => blended([a], &doubled.order, first, tables, tiles),
                [ref a, ref b] => blended([a, b], &doubled.order, first, tables, tiles),
                [ref a, ref b, ref c] => blended([a, b, c], &doubled.order, first, tables, tiles),
                [ref a, ref b, ref c, ref d] => {
                    blended([a, b, c, d], &doubled.order, first, tables, tiles);
                }
                _ => return false,
            }
            return true;
        }
        match (tables.vectors, tables.per_vector) {
            (1, 1) => walk(&Halves::<1, 1>::new(tables), first, tables, tiles),
            (1, 2) => walk(&Halves::<1, 2>::new(tables), first, tables, tiles),
            (1, 3) => walk(&Halves::<1, 3>::new(tables), first, tables, tiles),
            (1, 4) => walk(&Halves::<1, 4>::new(tables), first, tables, tiles),
            (3, 3) if tables.shares_loads() => {
                walk(&Halves::<3, 3>::new(tables), first, tables, tiles);
            }
            (3, 4) if tables.shares_loads() => {
                walk(&Halves::<3, 4>::new(tables), first, tables, tiles);
            }
            _ => return false,
        }
    }
    true
}

/// Moves tiles by so many loads, blended and put in that order.
///
/// # Safety
/// As [`each`]; the loads and the order are those of the tables.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn blended<const LOADS: usize>(
    loads: [&Blend; LOADS],
    order: &Order,
    first: &Run,
    tables: &Tables<16>,
    tiles: Tiles<'_>,
) {
    // SAFETY: by the contract of this function; the arrays have 32 bytes.
    unsafe {
        match order {
            Order::Words(words) => {
                let words = load(words.as_ptr().cast());
                let in_order = |blended| _mm256_permutevar8x32_epi32(blended, words);
                walk(&Blends::new(loads, tables, in_order), first, tables, tiles);
            }
            Order::Halves(bytes, words) => {
                let (bytes, words) = (load(bytes.as_ptr()), load(words.as_ptr().cast()));
                let in_order = |blended| {
                    _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(blended, bytes), words)
                };
                walk(&Blends::new(loads, tables, in_order), first, tables, tiles);
            }
            Order::Any(own, other) => {
                let (own, other) = (load(own.as_ptr()), load(other.as_ptr()));
                let in_order = |blended| {
                    let swapped = _mm256_permute4x64_epi64::<0b0100_1110>(blended);
                    let own = _mm256_shuffle_epi8(blended, own);
                    _mm256_or_si256(own, _mm256_shuffle_epi8(swapped, other))
                };
                walk(&Blends::new(loads, tables, in_order), first, tables, tiles);
            }
        }
    }
}

/// How far ahead of the tiles that move the processor is told to fetch, in bytes that rows read. Its own prefetchers lose their pace where
/// rows end, and where they are read backwards.
const AHEAD: usize = 2 << 10;

/// Longer rows are fetched ahead in themselves.
const LONG_ROW: usize = 8 << 10;

/// What is fetched with each turn of so many tiles: the lines that a later turn reads.
fn fetch(tables: &Tables<16>, tiles: &Tiles<'_>, turn: usize) -> Fetch {
    // The first lines of rows that begin anywhere are fetched as those of a look-up.
    if tiles.rows.cache == Cache::Near || tiles.places.is_some() {
        return Fetch::NONE;
    }
    let stride = tables.src_stride.unsigned_abs();
    let read = tiles.count * stride;
    let ahead = match read {
        1..LONG_ROW if tiles.rows.src_stride.unsigned_abs() >= read => {
            AHEAD.div_ceil(read) as isize * tiles.rows.src_stride
        }
        _ => AHEAD as isize * tables.src_stride.signum(),
    };
    let lines = turn * stride / LINE;
    Fetch { ahead, lines }
}

/// What moves tiles.
trait Two {
    /// Bytes of a tile.
    const TILE: usize;

    /// Tiles that a turn of the loop moves.
    const TURN: usize;

    /// Moves the tile at `src` and the next one, which is so much further.
    ///
    /// # Safety
    /// The loads of both are readable, both are writable at `dst`; the processor has AVX2.
    unsafe fn two(&self, src: *const u8, dst: *mut u8, stride: isize);

    /// Moves the tile at `src` alone.
    ///
    /// # Safety
    /// Its loads are readable, it is writable at `dst`; the processor has AVX2.
    unsafe fn one(&self, src: *const u8, dst: *mut u8);
}

/// # Safety
/// As [`each`], of tables that `tile` is made of.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn walk<T: Two>(tile: &T, first: &Run, tables: &Tables<16>, tiles: Tiles<'_>) {
    let Fetch { ahead, lines } = fetch(tables, &tiles, T::TURN);
    // SAFETY: by the contract of this function.
    unsafe {
        match lines {
            0 => walk_fetching::<T, 0>(tile, first, tables, tiles, ahead),
            1 => walk_fetching::<T, 1>(tile, first, tables, tiles, ahead),
            _ => walk_fetching::<T, 2>(tile, first, tables, tiles, ahead),
        }
    }
}

/// # Safety
/// As [`walk`].
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn walk_fetching<T: Two, const LINES: usize>(
    tile: &T,
    first: &Run,
    tables: &Tables<16>,
    tiles: Tiles<'_>,
    ahead: isize,
) {
    let stride = tables.src_stride;
    for k in 0..tiles.rows.count {
        let row = tiles.row(first, k);
        tiles.fetch(first, k, row.dst);
        let (mut src, mut dst, mut left) = (row.src, row.dst, tiles.count);
        // SAFETY: by the contract of this function.
        unsafe {
            while left >= T::TURN {
                for line in 0..LINES {
                    prefetch(src.wrapping_offset(ahead).wrapping_add(LINE * line));
                }
                for _ in 0..T::TURN / 2 {
                    tile.two(src, dst, stride);
                    src = src.wrapping_offset(2 * stride);
                    dst = dst.wrapping_add(2 * T::TILE);
                }
                left -= T::TURN;
            }
            if left >= 2 {
                tile.two(src, dst, stride);
                src = src.wrapping_offset(2 * stride);
                dst = dst.wrapping_add(2 * T::TILE);
                left -= 2;
            }
            if left > 0 {
                tile.one(src, dst);
            }
            if let Some((at, place)) = tiles.last {
                tile.one(row.src.offset(place), row.dst.add(at));
            }
        }
    }
}

/// Loads that are blended, then put in order.
struct Blends<'a, const LOADS: usize, F> {
    offsets: [isize; LOADS],
    masks: [__m256i; LOADS],
    in_order: F,
    /// A tile alone.
    one: InMemory<'a, __m128i>,
}

impl<'a, const LOADS: usize, F: Fn(__m256i) -> __m256i> Blends<'a, LOADS, F> {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn new(loads: [&Blend; LOADS], tables: &'a Tables<16>, in_order: F) -> Self {
        Self {
            offsets: loads.map(|load| load.offset),
            // SAFETY: the mask is an array of 32 bytes.
            masks: loads.map(|blend| unsafe { load(blend.mask.as_ptr()) }),
            in_order,
            one: InMemory::new(tables),
        }
    }
}

impl<const LOADS: usize, F: Fn(__m256i) -> __m256i> Two for Blends<'_, LOADS, F> {
    const TILE: usize = 16;
    const TURN: usize = 4;

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn two(&self, src: *const u8, dst: *mut u8, _: isize) {
        // SAFETY: by the contract of the trait.
        unsafe {
            let mut blended = load(src.offset(self.offsets[0]));
            for l in 1..LOADS {
                let next = load(src.offset(self.offsets[l]));
                blended = _mm256_blendv_epi8(blended, next, self.masks[l]);
            }
            _mm256_storeu_si256(dst.cast(), (self.in_order)(blended));
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn one(&self, src: *const u8, dst: *mut u8) {
        // SAFETY: by the contract of the trait.
        unsafe { self.one.run(src, dst) }
    }
}

/// Tables as values, in both halves.
struct Halves<const VECTORS: usize, const LOADS: usize> {
    orders: [[__m256i; LOADS]; VECTORS],
    /// Of the loads that all vectors share.
    offsets: [isize; LOADS],
}

impl<const VECTORS: usize, const LOADS: usize> Halves<VECTORS, LOADS> {
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
}

impl<const VECTORS: usize, const LOADS: usize> Two for Halves<VECTORS, LOADS> {
    const TILE: usize = VECTORS * 16;

    /// 64 bytes, or two tiles where these are longer.
    const TURN: usize = if VECTORS == 1 { 4 } else { 2 };

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn two(&self, src: *const u8, dst: *mut u8, stride: isize) {
        let half = |src: *const u8, l: usize| {
            // SAFETY: by the contract of the trait.
            unsafe { _mm_loadu_si128(src.offset(self.offsets[l]).cast()) }
        };
        let vectors = self.vectors(core::array::from_fn(|l| {
            let low = _mm256_castsi128_si256(half(src, l));
            _mm256_inserti128_si256::<1>(low, half(src.wrapping_offset(stride), l))
        }));
        let store = |at: usize, vector: __m256i| {
            // SAFETY: by the contract of the trait.
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

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn one(&self, src: *const u8, dst: *mut u8) {
        let load = |l: usize| {
            // SAFETY: by the contract of the trait.
            let half = unsafe { _mm_loadu_si128(src.offset(self.offsets[l]).cast()) };
            _mm256_castsi128_si256(half)
        };
        let vectors = self.vectors(core::array::from_fn(load));
        for (v, vector) in vectors.into_iter().enumerate() {
            // SAFETY: by the contract of the trait.
            unsafe { _mm_storeu_si128(dst.add(16 * v).cast(), _mm256_castsi256_si128(vector)) };
        }
    }
}

/// # Safety
/// 32 bytes are readable there.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn load(from: *const u8) -> __m256i {
    // SAFETY: by the contract of this function.
    unsafe { _mm256_loadu_si256(from.cast()) }
}
