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
use crate::shuffle::{Doubled, LINE, Order, Tables};
use core::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm_storeu_si128, _mm256_blend_epi32, _mm256_blendv_epi8,
    _mm256_broadcastsi128_si256, _mm256_castsi128_si256, _mm256_castsi256_si128,
    _mm256_inserti128_si256, _mm256_loadu_si256, _mm256_or_si256, _mm256_permute2x128_si256,
    _mm256_permute4x64_epi64, _mm256_permutevar8x32_epi32, _mm256_shuffle_epi8,
    _mm256_storeu_si256,
};
use core::marker::PhantomData;

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
            && tiles.count >= doubled.tiles
        {
            return match doubled.kind {
                Order::Words => blended::<Words>(doubled, first, tables, tiles),
                Order::Halves => blended::<InHalves>(doubled, first, tables, tiles),
                Order::Any => blended::<Any>(doubled, first, tables, tiles),
            };
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

/// Moves tiles by vectors of 32 bytes. `false`: there are too many of these.
///
/// # Safety
/// As [`each`]; `doubled` is of the tables, and of this order.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn blended<O: InOrder>(
    doubled: &Doubled,
    first: &Run,
    tables: &Tables<16>,
    tiles: Tiles<'_>,
) -> bool {
    macro_rules! by_shape {
        ($(($vectors:literal, $loads:literal)),*) => {
            match (doubled.orders.len(), doubled.per_vector) {
                $(($vectors, $loads) => {
                    let blends = Blends::<O, $vectors, $loads>::new(doubled, tables);
                    walk(&blends, first, tables, tiles);
                })*
                _ => return false,
            }
        };
    }
    // SAFETY: by the contract of this function.
    unsafe {
        by_shape!(
            (1, 1),
            (1, 2),
            (1, 3),
            (1, 4),
            (2, 1),
            (2, 2),
            (2, 3),
            (2, 4)
        )
    }
    true
}

/// How far ahead of the tiles that move the processor is told to fetch, in bytes that rows read. Its own prefetchers lose their pace where
/// rows end, and where they are read backwards.
const AHEAD: usize = 2 << 10;

/// Longer rows are fetched ahead in themselves.
const LONG_ROW: usize = 8 << 10;

/// As long as no more is read, it is in the second-level cache already.
const KEPT: usize = 512 << 10;

/// Lines that a turn of the loop asks for.
#[derive(Clone, Copy)]
struct Ahead {
    /// From the place of the turn.
    first: isize,
    count: usize,
    apart: isize,
}

impl Ahead {
    /// For turns of so many tiles: lines that a later turn reads.
    fn of(tables: &Tables<16>, tiles: &Tiles<'_>, turn: usize) -> Self {
        let stride = tables.src_stride.unsigned_abs();
        let read = tiles.count * stride;
        let first = match read {
            1..LONG_ROW if tiles.rows.src_stride.unsigned_abs() >= read => tiles
                .rows
                .src_stride
                .wrapping_mul(AHEAD.div_ceil(read) as isize),
            _ => AHEAD as isize * tables.src_stride.signum(),
        };
        // The first lines of rows that begin anywhere are fetched as those of a look-up.
        let (count, apart) = if tiles.rows.cache == Cache::Near || tiles.places.is_some() {
            (0, 0)
        } else if stride > LINE && read * tiles.rows.count > KEPT {
            // Tiles have lines of their own.
            (turn, tables.src_stride)
        } else {
            // More of them were slower.
            ((turn * stride / LINE).min(2), LINE as isize)
        };
        Self {
            first,
            count,
            apart,
        }
    }
}

/// What moves tiles.
trait Steps {
    /// Steps that a turn of the loop takes.
    const TURN: usize;

    /// Bytes that a step writes.
    const BYTES: usize;

    /// Tiles of a step, one or two.
    fn tiles(&self) -> usize;

    /// Moves the tile at `src`, and the next one if a step has two, which is so much further.
    ///
    /// # Safety
    /// The loads of the tiles are readable, they are writable at `dst`; the processor has AVX2.
    unsafe fn step(&self, src: *const u8, dst: *mut u8, stride: isize);

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
unsafe fn walk<T: Steps>(steps: &T, first: &Run, tables: &Tables<16>, tiles: Tiles<'_>) {
    let ahead = Ahead::of(tables, &tiles, T::TURN * steps.tiles());
    // SAFETY: by the contract of this function.
    unsafe {
        match ahead.count {
            0 => walk_fetching::<T, 0>(steps, first, tables, tiles, ahead),
            1 => walk_fetching::<T, 1>(steps, first, tables, tiles, ahead),
            2 => walk_fetching::<T, 2>(steps, first, tables, tiles, ahead),
            _ => walk_fetching::<T, 4>(steps, first, tables, tiles, ahead),
        }
    }
}

/// With so many lines fetched a turn: a loop over their number was slower.
///
/// # Safety
/// As [`walk`].
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn walk_fetching<T: Steps, const LINES: usize>(
    steps: &T,
    first: &Run,
    tables: &Tables<16>,
    tiles: Tiles<'_>,
    ahead: Ahead,
) {
    let stride = tables.src_stride;
    let further = steps.tiles() as isize * stride;
    let (count, odd) = match steps.tiles() {
        1 => (tiles.count, 0),
        _ => (tiles.count / 2, tiles.count % 2),
    };
    for k in 0..tiles.rows.count {
        let row = tiles.row(first, k);
        tiles.fetch(first, k, row.dst);
        let (mut src, mut dst) = (row.src, row.dst);
        // SAFETY: by the contract of this function.
        unsafe {
            for _ in 0..count / T::TURN {
                for line in 0..LINES as isize {
                    prefetch(src.wrapping_offset(ahead.first.wrapping_add(line * ahead.apart)));
                }
                for _ in 0..T::TURN {
                    steps.step(src, dst, stride);
                    src = src.wrapping_offset(further);
                    dst = dst.wrapping_add(T::BYTES);
                }
            }
            for _ in 0..count % T::TURN {
                steps.step(src, dst, stride);
                src = src.wrapping_offset(further);
                dst = dst.wrapping_add(T::BYTES);
            }
            if odd > 0 {
                steps.one(src, dst);
            }
            if let Some((at, place)) = tiles.last {
                steps.one(row.src.offset(place), row.dst.add(at));
            }
        }
    }
}

/// What puts blended bytes in order: see [`Order`].
trait InOrder {
    /// # Safety
    /// The processor has AVX2.
    unsafe fn put(blended: __m256i, orders: [__m256i; 2]) -> __m256i;
}

struct Words;
struct InHalves;
struct Any;

impl InOrder for Words {
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn put(blended: __m256i, [_, words]: [__m256i; 2]) -> __m256i {
        _mm256_permutevar8x32_epi32(blended, words)
    }
}

impl InOrder for InHalves {
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn put(blended: __m256i, [bytes, words]: [__m256i; 2]) -> __m256i {
        _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(blended, bytes), words)
    }
}

impl InOrder for Any {
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn put(blended: __m256i, [own, other]: [__m256i; 2]) -> __m256i {
        let swapped = _mm256_permute4x64_epi64::<0b0100_1110>(blended);
        let own = _mm256_shuffle_epi8(blended, own);
        _mm256_or_si256(own, _mm256_shuffle_epi8(swapped, other))
    }
}

/// Loads that are blended, then put in order.
struct Blends<'a, O, const VECTORS: usize, const LOADS: usize> {
    tiles: usize,
    offsets: [[isize; LOADS]; VECTORS],
    masks: [[__m256i; LOADS]; VECTORS],
    orders: [[__m256i; 2]; VECTORS],
    order: PhantomData<O>,
    /// A tile alone, where a step has two.
    one: InMemory<'a, __m128i>,
}

impl<'a, O: InOrder, const VECTORS: usize, const LOADS: usize> Blends<'a, O, VECTORS, LOADS> {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn new(doubled: &Doubled, tables: &'a Tables<16>) -> Self {
        let blend = |v: usize, l: usize| &doubled.loads[v * LOADS + l];
        // SAFETY: masks and orders are arrays of 32 bytes.
        let vector = |bytes: &[u8; 32]| unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
        Self {
            tiles: doubled.tiles,
            offsets: core::array::from_fn(|v| core::array::from_fn(|l| blend(v, l).offset)),
            masks: core::array::from_fn(|v| core::array::from_fn(|l| vector(&blend(v, l).mask))),
            orders: core::array::from_fn(|v| doubled.orders[v].each_ref().map(vector)),
            order: PhantomData,
            one: InMemory::new(tables),
        }
    }
}

impl<O: InOrder, const VECTORS: usize, const LOADS: usize> Steps for Blends<'_, O, VECTORS, LOADS> {
    const TURN: usize = 2 / VECTORS;
    const BYTES: usize = 32 * VECTORS;

    #[inline(always)]
    fn tiles(&self) -> usize {
        self.tiles
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn step(&self, src: *const u8, dst: *mut u8, _: isize) {
        let load = |v: usize, l: usize| {
            // SAFETY: by the contract of the trait: the loads lie within those of the tiles.
            unsafe { _mm256_loadu_si256(src.offset(self.offsets[v][l]).cast()) }
        };
        for v in 0..VECTORS {
            let blended = (1..LOADS).fold(load(v, 0), |blended, l| {
                _mm256_blendv_epi8(blended, load(v, l), self.masks[v][l])
            });
            // SAFETY: by the contract of the trait.
            unsafe {
                let bytes = O::put(blended, self.orders[v]);
                _mm256_storeu_si256(dst.add(32 * v).cast(), bytes);
            }
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn one(&self, src: *const u8, dst: *mut u8) {
        // SAFETY: by the contract of the trait.
        unsafe {
            match self.tiles {
                1 => self.step(src, dst, 0),
                _ => self.one.run(src, dst),
            }
        }
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

impl<const VECTORS: usize, const LOADS: usize> Steps for Halves<VECTORS, LOADS> {
    /// 64 bytes, or two tiles where these are longer.
    const TURN: usize = if VECTORS == 1 { 2 } else { 1 };
    const BYTES: usize = 2 * VECTORS * 16;

    #[inline(always)]
    fn tiles(&self) -> usize {
        2
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn step(&self, src: *const u8, dst: *mut u8, stride: isize) {
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
