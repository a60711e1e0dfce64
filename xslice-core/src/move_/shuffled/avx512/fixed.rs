//! Rows of an expansion, which the compiler knows: nothing is found out but where the destination lies.

use super::tile::Place;
use crate::fixed::{VectorRows, Vectors};
use crate::move_::mask::mask_of;
use core::arch::x86_64::{
    __m512i, _mm_mask_storeu_epi8, _mm_storel_epi64, _mm_storeu_si128, _mm256_mask_storeu_epi8,
    _mm256_storeu_si256, _mm512_castsi512_si128, _mm512_castsi512_si256, _mm512_extracti32x4_epi32,
    _mm512_loadu_si512, _mm512_mask_permutexvar_epi8, _mm512_mask_storeu_epi8,
    _mm512_maskz_loadu_epi8, _mm512_permutex2var_epi32, _mm512_permutexvar_epi8,
    _mm512_setzero_si512, _mm512_storeu_si512,
};
use core::array::from_fn;

/// Moves them all.
///
/// # Safety
/// The processor has AVX-512 F, BW, VL, DQ and VBMI; `src` is readable and `dst` writable for as many bytes as the rows say.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
pub unsafe fn rows<R: Vectors<VECTORS, LOADS>, const VECTORS: usize, const LOADS: usize>(
    dst: *mut u8,
    src: *const u8,
) {
    let rows = const { &R::ROWS };
    let in_registers = InRegisters::of(rows);
    let ([outermost, middle, inner], tiles) = (rows.around, rows.tiles);
    let further = |(from, to): Place, [dst, src]: [isize; 2], turn: usize| {
        let turn = turn as isize;
        (
            from.wrapping_offset(src * turn),
            to.wrapping_offset(dst * turn),
        )
    };
    let first = further((src, dst), rows.first, 1);
    for i in 0..outermost.0 {
        let place = further(first, outermost.1, i);
        for j in 0..middle.0 {
            let place = further(place, middle.1, j);
            for k in 0..inner.0 {
                let row = further(place, inner.1, k);
                // SAFETY: by the contract of this function; the constructor of the rows has proved that they lie inside their buffers (I3).
                unsafe {
                    if const { R::ROWS.align() } && in_registers.aligned::<R>(row) {
                        continue;
                    }
                    let (spilled, width) = rows.spilled;
                    for t in 0..spilled {
                        in_registers.tile::<R>(further(row, tiles.1, t), width);
                    }
                    for t in spilled..tiles.0 {
                        in_registers.tile::<R>(further(row, tiles.1, t), rows.stored);
                    }
                    in_registers.tile::<R>(further(row, rows.last.1, 1), rows.last.0);
                }
            }
        }
    }
}

/// What all tiles need.
struct InRegisters<const VECTORS: usize, const LOADS: usize> {
    /// Of words where loads merge by these.
    orders: [[__m512i; LOADS]; VECTORS],
    /// What a load gives, of bytes of the vector.
    gives: [[u64; LOADS]; VECTORS],
    /// What it reads, of its own.
    reads: [[u64; LOADS]; VECTORS],
}

impl<const VECTORS: usize, const LOADS: usize> InRegisters<VECTORS, LOADS> {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    fn of(rows: &'static VectorRows<VECTORS, LOADS>) -> Self {
        let order = |v: usize, l: usize| {
            let order = match &rows.words {
                Some(words) => words[v][l].as_ptr().cast(),
                None => rows.loads[v][l].1.as_ptr().cast(),
            };
            // SAFETY: either is an array of 64 bytes.
            unsafe { _mm512_loadu_si512(order) }
        };
        // As a constant it would be made anew for each tile, by the unit that permutes; copies have none.
        let kept = |mask: &u64| match rows.are_copies && !rows.is_masked {
            true => *mask,
            // SAFETY: a reference is read.
            false => unsafe { core::ptr::read_volatile(mask) },
        };
        Self {
            orders: from_fn(|v| from_fn(|l| order(v, l))),
            gives: from_fn(|v| from_fn(|l| kept(&rows.gives[v][l]))),
            reads: from_fn(|v| from_fn(|l| kept(&rows.reads[v][l]))),
        }
    }

    /// Moves a row by tiles that begin with lines of the destination, but for the first and the last. `false`, and nothing is moved, if
    /// all tiles do anyway, or none can.
    ///
    /// # Safety
    /// As [`rows`], for a row that may be [aligned](VectorRows::align).
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    unsafe fn aligned<R: Vectors<VECTORS, LOADS>>(&self, (src, dst): Place) -> bool {
        let rows = const { &R::ROWS };
        let (to_line, bytes) = (dst.addr().wrapping_neg() % 64, rows.bytes());
        if to_line == 0 || to_line % rows.period != 0 {
            return false;
        }
        let tile = |at: usize| {
            // Each begins with a period.
            let from = rows.further(at as isize);
            let place = (src.wrapping_offset(from), dst.wrapping_add(at));
            // SAFETY: by the contract of this function: the tile lies in the row, its loads between those of the first and the last one.
            unsafe { self.tile::<R>(place, 64) };
        };
        tile(0);
        let mut at = to_line;
        while at + 64 < bytes {
            tile(at);
            at += 64;
        }
        tile(bytes - 64);
        true
    }

    /// Moves the first `bytes` bytes of a tile.
    ///
    /// # Safety
    /// As [`rows`], for a tile of them.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    unsafe fn tile<R: Vectors<VECTORS, LOADS>>(&self, (src, dst): Place, bytes: usize) {
        let rows = const { &R::ROWS };
        for v in 0..VECTORS {
            if v * 64 >= bytes {
                break;
            }
            let mut vector = _mm512_setzero_si512();
            for l in 0..LOADS {
                let from = src.wrapping_offset(rows.loads[v][l].0).cast();
                let reads = match bytes >= rows.stored {
                    true => self.reads[v][l],
                    false => rows.used(v * LOADS + l, bytes),
                };
                // SAFETY: by the contract of this function; the mask leaves out what lies outside the source.
                let loaded = unsafe {
                    match rows.is_masked {
                        true => _mm512_maskz_loadu_epi8(reads, from),
                        false => _mm512_loadu_si512(from.cast()),
                    }
                };
                let order = self.orders[v][l];
                vector = match (rows.words.is_some(), l) {
                    _ if rows.are_copies => loaded,
                    (true, 0) => loaded,
                    (true, _) => _mm512_permutex2var_epi32(vector, order, loaded),
                    // What it does not give, others do, or nothing is stored of it.
                    (false, 0) => _mm512_permutexvar_epi8(order, loaded),
                    (false, _) => {
                        _mm512_mask_permutexvar_epi8(vector, self.gives[v][l], order, loaded)
                    }
                };
            }
            // SAFETY: by the contract of this function.
            unsafe { store(dst.wrapping_add(v * 64), vector, bytes - v * 64) };
        }
    }
}

/// Stores the first bytes of a vector, by a vector as narrow as they allow.
///
/// # Safety
/// They are writable.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
unsafe fn store(dst: *mut u8, vector: __m512i, bytes: usize) {
    let (half, quarter) = (
        _mm512_castsi512_si256(vector),
        _mm512_castsi512_si128(vector),
    );
    let mask = mask_of(bytes);
    // SAFETY: by the contract of this function; masks leave out every byte after the last.
    unsafe {
        match bytes {
            8 => _mm_storel_epi64(dst.cast(), quarter),
            16 => _mm_storeu_si128(dst.cast(), quarter),
            32 => _mm256_storeu_si256(dst.cast(), half),
            48 => {
                _mm256_storeu_si256(dst.cast(), half);
                let rest = _mm512_extracti32x4_epi32::<2>(vector);
                _mm_storeu_si128(dst.add(32).cast(), rest);
            }
            64.. => _mm512_storeu_si512(dst.cast(), vector),
            ..8 | 9..16 => _mm_mask_storeu_epi8(dst.cast(), mask as u16, quarter),
            17..32 => _mm256_mask_storeu_epi8(dst.cast(), mask as u32, half),
            33..48 | 49..64 => _mm512_mask_storeu_epi8(dst.cast(), mask, vector),
        }
    }
}
