//! Loads of 32 bytes that take bytes from different places, put in order once: see [`Doubled`].

use super::{Steps, walk};
use crate::move_::shuffled::Run;
use crate::move_::shuffled::lanes::{InMemory, Tile, Tiles};
use crate::shuffle::{Doubled, Order, Tables};
use core::arch::x86_64::{
    __m128i, __m256i, _mm256_blendv_epi8, _mm256_loadu_si256, _mm256_or_si256,
    _mm256_permute4x64_epi64, _mm256_permutevar8x32_epi32, _mm256_shuffle_epi8,
    _mm256_storeu_si256,
};
use core::marker::PhantomData;

/// Moves tiles. `false`: there is no loop for that many vectors and loads, and nothing has moved.
///
/// # Safety
/// As [`super::each`]; `doubled` is of the tables.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn each(
    doubled: &Doubled,
    first: &Run,
    tables: &Tables<16>,
    tiles: &Tiles<'_>,
) -> bool {
    // SAFETY: by the contract of this function.
    unsafe {
        match doubled.kind {
            Order::Words => each_by::<PutWords>(doubled, first, tables, tiles),
            Order::Halves => each_by::<PutHalves>(doubled, first, tables, tiles),
            Order::Any => each_by::<PutAny>(doubled, first, tables, tiles),
        }
    }
}

/// # Safety
/// As [`each`]; `doubled` is of this order.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn each_by<O: InOrder>(
    doubled: &Doubled,
    first: &Run,
    tables: &Tables<16>,
    tiles: &Tiles<'_>,
) -> bool {
    macro_rules! by_blends {
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
        by_blends!(
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

/// What puts blended bytes in order: see [`Order`].
trait InOrder {
    /// # Safety
    /// The processor has AVX2.
    unsafe fn put(blended: __m256i, orders: [__m256i; 2]) -> __m256i;
}

struct PutWords;
struct PutHalves;
struct PutAny;

impl InOrder for PutWords {
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn put(blended: __m256i, [_, words]: [__m256i; 2]) -> __m256i {
        _mm256_permutevar8x32_epi32(blended, words)
    }
}

impl InOrder for PutHalves {
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn put(blended: __m256i, [bytes, words]: [__m256i; 2]) -> __m256i {
        _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(blended, bytes), words)
    }
}

impl InOrder for PutAny {
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
    const IS_LIGHT: bool = false;

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
