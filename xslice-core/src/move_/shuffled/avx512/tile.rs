//! Tiles by their tables in registers, and what is fetched with each.

use super::readable;
use crate::move_::mask::mask_of;
use crate::move_::prefetch::{self, PAGE};
use crate::move_::shuffled::Run;
use crate::shuffle::Tables;
use core::arch::x86_64::{
    __m512i, _mm512_add_epi8, _mm512_loadu_si512, _mm512_mask_permutexvar_epi8,
    _mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8, _mm512_permutex2var_epi32, _mm512_set1_epi8,
    _mm512_setzero_si512, _mm512_storeu_si512,
};

/// What is fetched of a later row with each tile.
#[derive(Clone, Copy)]
pub(super) struct Fetch {
    /// How far from the place of the tile; negative: before it.
    pub ahead: isize,
    pub lines: usize,
}

impl Fetch {
    pub const NONE: Self = Self { ahead: 0, lines: 0 };

    /// What the tile reads that is `bytes` bytes ahead, in the direction in which tiles are read.
    pub fn of_tile(tables: &Tables<64>, bytes: isize) -> Self {
        let lines = tables.src_stride.unsigned_abs().div_ceil(64);
        let ahead = match tables.src_stride > 0 {
            true => bytes,
            false => -bytes - 64 * lines as isize,
        };
        Self { ahead, lines }
    }

    /// Asks for `LINES` lines of it, [`MANY`] standing for as many as there are, for the tile at `src`.
    #[inline(always)]
    pub fn ask<const LINES: usize>(self, src: *const u8) {
        for line in 0..if LINES < MANY { LINES } else { self.lines } {
            prefetch::line(src.wrapping_offset(self.ahead).wrapping_add(64 * line));
        }
    }
}

/// This many lines a tile, or more, are fetched in a loop of their own.
pub(super) const MANY: usize = 3;

/// How tiles are moved that the last cache has to give and take: not faster than it answers.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    /// Cycles that pass idle after each vector: 3, 4, 5 or 7.
    pub idle: usize,
    /// Whether a line of each page is asked for that comes next: the processor has forgotten where more of them are than it can keep.
    pub asks_for_pages: bool,
}

/// Keeps the four adders of a Zen 4 busy for a cycle, and touches nothing.
#[inline(always)]
fn idle() {
    // SAFETY: additions to registers that nobody reads.
    unsafe {
        core::arch::asm!(
            "lea {0}, [{0} + 1]", "lea {1}, [{1} + 1]", "lea {2}, [{2} + 1]", "lea {3}, [{3} + 1]",
            out(reg) _, out(reg) _, out(reg) _, out(reg) _,
            options(nomem, nostack, preserves_flags),
        );
    }
}

/// Where a tile is read and written.
pub(super) type Place = (*const u8, *mut u8);

/// Tables as values: how loads merge byte by byte, by an instruction each, or by `WORDS` of 4 bytes, by an instruction each after the first.
pub(super) struct WideInRegisters<
    const VECTORS: usize,
    const LOADS: usize,
    const WORDS: bool = false,
> {
    /// Of bytes or of words; the first of a vector of words is none.
    orders: [[__m512i; LOADS]; VECTORS],
    /// Of bytes.
    masks: [[u64; LOADS]; VECTORS],
    offsets: [[isize; LOADS]; VECTORS],
}

impl<const VECTORS: usize, const LOADS: usize, const WORDS: bool>
    WideInRegisters<VECTORS, LOADS, WORDS>
{
    /// The tables of that shape, of words only if they [have](Tables::words) these.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    pub fn new(tables: &Tables<64>) -> Self {
        let loads = &tables.loads[..VECTORS * LOADS];
        let words = match &tables.words {
            Some(words) if WORDS => &words[..VECTORS * (LOADS - 1)],
            _ => &[],
        };
        let order = |v: usize, l: usize| {
            let order = match (WORDS, l) {
                (false, _) => loads[v * LOADS + l].bytes.as_ptr().cast(),
                (true, 0) => return _mm512_setzero_si512(),
                (true, _) => words[v * (LOADS - 1) + l - 1].as_ptr().cast(),
            };
            // SAFETY: either is an array of 64 bytes.
            unsafe { _mm512_loadu_si512(order) }
        };
        Self {
            orders: core::array::from_fn(|v| core::array::from_fn(|l| order(v, l))),
            masks: core::array::from_fn(|v| core::array::from_fn(|l| loads[v * LOADS + l].mask)),
            offsets: core::array::from_fn(|v| {
                core::array::from_fn(|l| loads[v * LOADS + l].offset)
            }),
        }
    }

    /// Vector `v` of the tile at `src`.
    ///
    /// # Safety
    /// The loads of the tile are readable.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    pub unsafe fn vector(&self, v: usize, src: *const u8) -> __m512i {
        // SAFETY: by the contract of this function.
        unsafe { self.vector_by(LOADS, v, src) }
    }

    /// The same by the first `loads` of its loads: bytes that the others give are anything. Of words all are wanted: those of the first are put
    /// in order when the second is merged.
    ///
    /// # Safety
    /// These loads are readable.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    unsafe fn vector_by(&self, loads: usize, v: usize, src: *const u8) -> __m512i {
        debug_assert!(!WORDS || loads == LOADS, "words are merged by all loads");
        let mut vector = _mm512_setzero_si512();
        for l in 0..LOADS {
            if l >= loads {
                break;
            }
            // SAFETY: by the contract of this function.
            let loaded = unsafe { _mm512_loadu_si512(src.offset(self.offsets[v][l]).cast()) };
            let (mask, order) = (self.masks[v][l], self.orders[v][l]);
            vector = match (WORDS, l) {
                (true, 0) => loaded,
                (true, _) => _mm512_permutex2var_epi32(vector, order, loaded),
                (false, _) => _mm512_mask_permutexvar_epi8(vector, mask, order, loaded),
            };
        }
        vector
    }

    /// Moves the tile at `src` to `dst`.
    ///
    /// # Safety
    /// As [`WideInRegisters::vector`]; the tile is writable.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    pub unsafe fn tile(&self, dst: *mut u8, src: *const u8) {
        for v in 0..VECTORS {
            // SAFETY: by the contract of this function.
            unsafe { _mm512_storeu_si512(dst.add(v * 64).cast(), self.vector(v, src)) };
        }
    }

    /// Moves whole tiles side by side, the first of them from and to a place, and gives those of the next one. With `WRITE`, lines are
    /// fetched before they are written; `READ` are the lines to fetch of a later row, [`MANY`] standing for as many as there are.
    ///
    /// # Safety
    /// As [`WideInRegisters::tile`], for each of the tiles.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    pub unsafe fn tiles<const WRITE: bool, const READ: usize>(
        &self,
        tables: &Tables<64>,
        (mut src, mut dst): Place,
        count: usize,
        fetch: Fetch,
    ) -> Place {
        for _ in 0..count {
            fetch.ask::<READ>(src);
            for v in 0..if WRITE { VECTORS } else { 0 } {
                prefetch::next_to_write(dst.wrapping_add(64 * v));
            }
            // SAFETY: by the contract of this function.
            unsafe { self.tile(dst, src) };
            src = src.wrapping_offset(tables.src_stride);
            dst = dst.wrapping_add(tables.tile);
        }
        (src, dst)
    }

    /// Moves the first bytes of a tile; `loads` of the vector that has the last of them give them.
    ///
    /// # Safety
    /// As [`WideInRegisters::tile`], for `bytes` bytes.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    pub unsafe fn cut(&self, dst: *mut u8, src: *const u8, bytes: usize, loads: usize) {
        for v in 0..VECTORS {
            if v * 64 < bytes {
                let left = bytes - v * 64;
                let (mask, loads) = (mask_of(left), if left > 64 { LOADS } else { loads });
                // SAFETY: by the contract of this function; the mask leaves out every byte after the last.
                unsafe {
                    let vector = self.vector_by(loads, v, src);
                    _mm512_mask_storeu_epi8(dst.add(v * 64).cast(), mask, vector);
                }
            }
        }
    }
}

impl<const VECTORS: usize, const LOADS: usize> WideInRegisters<VECTORS, LOADS> {
    /// Moves whole tiles of two rows in turn, the second from places `apart` from the first's by loads that give both, as
    /// [`Tables::gives_two`] says.
    ///
    /// # Safety
    /// As [`WideInRegisters::tiles`], for each of the rows.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    pub unsafe fn two_by_loads(
        &self,
        tables: &Tables<64>,
        (mut a, mut b): (Place, Place),
        apart: isize,
        count: usize,
    ) -> (Place, Place) {
        let further = _mm512_set1_epi8(apart as i8);
        let (read, tile) = (tables.src_stride, tables.tile);
        let next = |(src, dst): Place| (src.wrapping_offset(read), dst.wrapping_add(tile));
        for _ in 0..count {
            for v in 0..VECTORS {
                let (mut of_a, mut of_b) = (_mm512_setzero_si512(), _mm512_setzero_si512());
                for l in 0..LOADS {
                    let (mask, order) = (self.masks[v][l], self.orders[v][l]);
                    // SAFETY: by the contract of this function.
                    let loaded =
                        unsafe { _mm512_loadu_si512(a.0.offset(self.offsets[v][l]).cast()) };
                    of_a = _mm512_mask_permutexvar_epi8(of_a, mask, order, loaded);
                    let order = _mm512_add_epi8(order, further);
                    of_b = _mm512_mask_permutexvar_epi8(of_b, mask, order, loaded);
                }
                // SAFETY: by the contract of this function.
                unsafe {
                    _mm512_storeu_si512(a.1.add(v * 64).cast(), of_a);
                    _mm512_storeu_si512(b.1.add(v * 64).cast(), of_b);
                }
            }
            (a, b) = (next(a), next(b));
        }
        (a, b)
    }

    /// Moves whole tiles side by side, about as fast as the last cache answers.
    ///
    /// # Safety
    /// As [`WideInRegisters::tiles`].
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    pub unsafe fn paced(&self, tables: &Tables<64>, first: Place, count: usize, pace: Pace) {
        let pages = pace.asks_for_pages;
        // SAFETY: by the contract of this function. A loop over idle cycles whose number is not constant was slower.
        unsafe {
            match pace.idle {
                3 => self.idling::<3>(tables, first, count, pages),
                4 => self.idling::<4>(tables, first, count, pages),
                5 => self.idling::<5>(tables, first, count, pages),
                _ => self.idling::<7>(tables, first, count, pages),
            }
        }
    }

    /// # Safety
    /// As [`WideInRegisters::paced`].
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    unsafe fn idling<const IDLE: usize>(
        &self,
        tables: &Tables<64>,
        (mut src, mut dst): Place,
        count: usize,
        pages: bool,
    ) {
        let direction = tables.src_stride.signum();
        let of_page = match pages {
            true => PAGE / tables.src_stride.unsigned_abs().max(tables.tile),
            false => count,
        };
        let mut left = count;
        while left > 0 {
            if pages {
                prefetch::pages(src, dst, direction);
            }
            let now = left.min(of_page.max(1));
            for _ in 0..now {
                // SAFETY: by the contract of this function.
                unsafe { self.tile(dst, src) };
                for _ in 0..VECTORS * IDLE {
                    idle();
                }
                src = src.wrapping_offset(tables.src_stride);
                dst = dst.wrapping_add(tables.tile);
            }
            left -= now;
        }
    }

    /// Moves a tile some of whose loads may lie outside the operand of `run`, or what a row has left of it, and gives the places of the next one.
    ///
    /// # Safety
    /// As [`super::wide`], for the tile from and to these places, of which `rest` bytes belong to the run.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    pub unsafe fn masked(
        &self,
        run: &Run,
        tables: &Tables<64>,
        (src, dst): Place,
        rest: usize,
    ) -> Place {
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
                let (mask, order) = (self.masks[v][l], self.orders[v][l]);
                vector = _mm512_mask_permutexvar_epi8(vector, mask, order, loaded);
            }
            let given = mask_of(given - v * 64);
            // SAFETY: the mask leaves out every byte past the run.
            unsafe { _mm512_mask_storeu_epi8(dst.add(v * 64).cast(), given, vector) };
        }
        let next = src.wrapping_offset(tables.src_stride);
        (next, dst.wrapping_add(tables.tile))
    }
}
