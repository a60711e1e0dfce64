//! Two tiles, each in one half of a vector, by the tables of [`lanes`](crate::move_::shuffled::lanes), given to both halves.

use super::Steps;
use crate::shuffle::Tables;
use core::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm_storeu_si128, _mm256_blend_epi32, _mm256_broadcastsi128_si256,
    _mm256_castsi128_si256, _mm256_castsi256_si128, _mm256_inserti128_si256, _mm256_or_si256,
    _mm256_permute2x128_si256, _mm256_shuffle_epi8, _mm256_storeu_si256,
};

/// Tables as values, in both halves.
pub(super) struct BothHalves<const VECTORS: usize, const LOADS: usize> {
    orders: [[__m256i; LOADS]; VECTORS],
    /// Of the loads that all vectors share.
    offsets: [isize; LOADS],
}

impl<const VECTORS: usize, const LOADS: usize> BothHalves<VECTORS, LOADS> {
    #[target_feature(enable = "avx2")]
    #[inline]
    pub fn new(tables: &Tables<16>) -> Self {
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

impl<const VECTORS: usize, const LOADS: usize> Steps for BothHalves<VECTORS, LOADS> {
    /// 64 bytes, or two tiles where these are longer.
    const TURN: usize = if VECTORS == 1 { 2 } else { 1 };
    const BYTES: usize = 2 * VECTORS * 16;
    const IS_LIGHT: bool = VECTORS * LOADS == 1;

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
        // Others fill no halves.
        const { assert!(VECTORS == 1 || VECTORS == 3) };
        match vectors[..] {
            [only] => store(0, only),
            // The first halves are one tile, the second ones the next.
            [a, b, c] => {
                store(0, _mm256_permute2x128_si256::<0x20>(a, b));
                store(32, _mm256_blend_epi32::<0xf0>(c, a));
                store(64, _mm256_permute2x128_si256::<0x31>(b, c));
            }
            _ => {}
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
