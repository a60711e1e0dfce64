//! Shuffles of bytes by AVX2: its instructions for the loops of [`lanes`], and loops of its own by vectors of 32 bytes.
//!
//! AVX2 permutes bytes within 16 of them. What that means for two tiles of 16 bytes, or longer ones, depends on their loads:
//!   blended  loads of 32 bytes that take bytes from different places, put in order once
//!   halves   each half of a vector is one of a tile of its own: that saves half of the instructions that merge and store, and, by
//!            [tables that share their loads](Tables::shared), most of the loads
//!
//! Rows of few vectors end with one that overlaps the one before it; long rows have their vectors where those of the result begin.

mod blended;
mod halves;

use super::lanes::{self, Lanes, Tiles};
use super::{Places, Run, periods_to};
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::move_::prefetch;
use crate::move_::processor::{FetchesPatterns, habits};
use crate::nest::schedule::KEPT;
use crate::shuffle::{KnownRows, LINE, Pattern, Tables};
use core::arch::x86_64::{__m128i, _mm_or_si128, _mm_shuffle_epi8};
use halves::BothHalves;

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
    unsafe fn tiles(first: &Run, tables: &Tables<16>, tiles: &Tiles<'_>) {
        // SAFETY: by the contract of this function.
        unsafe {
            if !each(first, tables, tiles) {
                lanes::each::<Self>(first, tables, tiles);
            }
        }
    }

    #[target_feature(enable = "avx2")]
    unsafe fn few(run: &Run, tables: &Tables<16>, known: &KnownRows) -> bool {
        // SAFETY: by the contract of this function.
        unsafe { few(run, tables, known) }
    }

    #[target_feature(enable = "avx2")]
    unsafe fn spilling(run: &Run, tables: &Tables<16>, known: &KnownRows) {
        // SAFETY: by the contract of this function.
        unsafe { lanes::known::each_spilling::<Self>(run, tables, known) }
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

/// Calls the function for halves of the shape of the tables. `false`: there is none, and nothing has moved.
macro_rules! by_halves {
    ($tables:expr, $function:ident($($argument:expr),*)) => {{
        match ($tables.vectors, $tables.per_vector) {
            (1, 1) => $function::<1, 1>($($argument),*),
            (1, 2) => $function::<1, 2>($($argument),*),
            (1, 3) => $function::<1, 3>($($argument),*),
            (1, 4) => $function::<1, 4>($($argument),*),
            (3, 3) if $tables.shares_loads => $function::<3, 3>($($argument),*),
            (3, 4) if $tables.shares_loads => $function::<3, 4>($($argument),*),
            _ => return false,
        }
        true
    }};
}

/// Moves tiles of rows. `false`: tables of this shape are not moved here, and nothing has moved.
///
/// # Safety
/// As [`lanes::each`]; the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn each(first: &Run, tables: &Tables<16>, tiles: &Tiles<'_>) -> bool {
    if !tables.fill_vectors() {
        return false;
    }
    // SAFETY: by the contract of this function.
    unsafe {
        if let Some(doubled) = &tables.doubled
            && tiles.count >= doubled.tiles
        {
            return blended::each(doubled, first, tables, tiles);
        }
        by_halves!(tables, each_by(first, tables, tiles))
    }
}

/// # Safety
/// As [`each`], of tables of that shape.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn each_by<const VECTORS: usize, const LOADS: usize>(
    first: &Run,
    tables: &Tables<16>,
    tiles: &Tiles<'_>,
) {
    let halves = BothHalves::<VECTORS, LOADS>::new(tables);
    // SAFETY: by the contract of this function.
    unsafe { walk(&halves, first, tables, tiles) }
}

/// Moves the tiles of rows that are known, and too short to be aligned. `false`: they are moved by other loops, and nothing has moved.
///
/// # Safety
/// As [`lanes::known::inside`]; the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn few(run: &Run, tables: &Tables<16>, known: &KnownRows) -> bool {
    if known.bytes >= LEAST_ALIGNED || !tables.fill_vectors() {
        return false;
    }
    // SAFETY: by the contract of this function.
    unsafe { by_halves!(tables, few_by(run, tables, known)) }
}

/// # Safety
/// As [`few`], of tables of that shape.
#[target_feature(enable = "avx2")]
#[inline(never)]
unsafe fn few_by<const VECTORS: usize, const LOADS: usize>(
    run: &Run,
    tables: &Tables<16>,
    known: &KnownRows,
) {
    let halves = BothHalves::<VECTORS, LOADS>::new(tables);
    let (stride, whole) = (tables.src_stride, known.tiles.whole);
    let (mut row_src, mut row_dst) = (run.src, run.dst);
    let rows = known.loops.inner();
    for _ in 0..rows.turns {
        let (mut src, mut dst) = (row_src, row_dst);
        // SAFETY: by the contract of this function.
        unsafe {
            for _ in 0..whole / 2 {
                halves.step(src, dst, stride);
                src = src.wrapping_offset(2 * stride);
                dst = dst.wrapping_add(2 * tables.tile);
            }
            if whole % 2 > 0 {
                halves.one(src, dst);
            }
            if let Some((at, place)) = known.last {
                halves.one(row_src.offset(place), row_dst.add(at));
            }
        }
        row_dst = row_dst.wrapping_offset(rows.apart.0);
        row_src = row_src.wrapping_offset(rows.apart.1);
    }
}

/// How far ahead of the tiles that move the processor is told to fetch, in bytes that rows read. Its own prefetchers lose their pace where
/// rows end, and where they are read backwards.
const AHEAD: usize = 2 << 10;

/// Shorter rows are near each other: the processor's own prefetchers see no end of them.
const SHORT_ROW: usize = 256;

/// Shorter rows are not fetched ahead where the second cache has them at hand, or the processor is quicker alone.
const LEAST_FETCHED: usize = 448;

/// Longer rows are fetched ahead in themselves.
const LONG_ROW: usize = 8 << 10;

/// Lines that a turn of the loop asks for.
#[derive(Clone, Copy)]
struct Ahead {
    /// From the place of the turn.
    first: isize,
    count: usize,
    apart: isize,
    /// From the place of a row: where the row ends that is fetched with it, if turns are no whole lines, so that they may miss one.
    end: Option<isize>,
}

impl Ahead {
    const NONE: Self = Self {
        first: 0,
        count: 0,
        apart: 0,
        end: None,
    };

    /// For turns of `turn` tiles: lines that a later turn reads.
    fn of(tables: &Tables<16>, tiles: &Tiles<'_>, turn: usize) -> Self {
        // The first lines of rows that begin anywhere are fetched as those of a look-up.
        if tiles.rows.cache == Cache::Near || tiles.places.is_some() {
            return Self::NONE;
        }
        let stride = tables.src_stride.unsigned_abs();
        let direction = tables.src_stride.signum();
        let read = tiles.count * stride;
        let all = tiles.rows.src_stride.unsigned_abs() * tiles.rows.count;
        let (is_short, is_long) = (read < LEAST_FETCHED, read >= LONG_ROW);
        let stays = tiles.rows.cache == Cache::Second && all as u64 <= KEPT;
        let is_quicker_alone = match habits().fetches_patterns {
            FetchesPatterns::OfSomeRows => (is_short || is_long) && stride <= LINE,
            FetchesPatterns::WithAvx2 | FetchesPatterns::Always => false,
        };
        if is_quicker_alone || is_short && stays && habits().has_second_cache_at_hand {
            return Self::NONE;
        }
        let first = match read {
            1..LONG_ROW if tiles.rows.src_stride.unsigned_abs() >= read => tiles
                .rows
                .src_stride
                .wrapping_mul(AHEAD.div_ceil(read) as isize),
            _ => AHEAD as isize * direction,
        };
        if stride > LINE && (read * tiles.rows.count) as u64 > KEPT {
            // Tiles have lines of their own, which are not near already.
            return Self {
                first,
                count: turn,
                apart: tables.src_stride,
                end: None,
            };
        }
        let (lines, part) = (turn * stride / LINE, turn * stride % LINE);
        // All of them in rows that end often; in others more were slower.
        let all = part > 0 && (SHORT_ROW..LONG_ROW).contains(&read);
        let end = match direction {
            -1 => tiles.reach.0,
            _ => tiles.reach.1 - 1,
        };
        Self {
            first,
            count: (lines + usize::from(all)).clamp(1, 2),
            apart: LINE as isize * direction,
            end: all.then_some(first.wrapping_add(end)),
        }
    }
}

/// What moves tiles.
trait Steps {
    /// Steps that a turn of the loop takes.
    const TURN: usize;

    /// Bytes that a step writes.
    const BYTES: usize;

    /// Whether a step takes so little that a loop over a few is longer.
    const IS_LIGHT: bool;

    /// Tiles of a step, one or two.
    fn tiles(&self) -> usize;

    /// Moves the tile at `src`, and the next one, `stride` further, if a step has two.
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
/// As [`each`], of tables that the steps are made of.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn walk<T: Steps>(steps: &T, first: &Run, tables: &Tables<16>, tiles: &Tiles<'_>) {
    let ahead = Ahead::of(tables, tiles, T::TURN * steps.tiles());
    // SAFETY: by the contract of this function.
    unsafe {
        if let Some(short) = Short::new(steps, tables, tiles, ahead) {
            return match ahead.count {
                0 => short.by_steps::<T, false>(steps, first, tables, tiles, ahead),
                _ => short.by_steps::<T, true>(steps, first, tables, tiles, ahead),
            };
        }
        match ahead.count {
            0 => walk_fetching::<T, 0>(steps, first, tables, tiles, ahead),
            1 => walk_fetching::<T, 1>(steps, first, tables, tiles, ahead),
            2 => walk_fetching::<T, 2>(steps, first, tables, tiles, ahead),
            _ => walk_fetching::<T, 4>(steps, first, tables, tiles, ahead),
        }
    }
}

/// Rows of few steps: the loop around them takes as long as they do. Where whole steps do not end with the row, one more does, which overlaps
/// the one before it.
struct Short {
    /// Steps from the beginning of the row on.
    whole: usize,
    /// Where one more begins, from the place of its row, in the destination and in the source.
    last: Option<(usize, isize)>,
}

impl Short {
    /// Bytes of such rows at most.
    const LONGEST: usize = 512;

    /// The same where lines are fetched ahead: only the first of each is.
    const LONGEST_FETCHED: usize = 192;

    /// Bytes of all rows at most there: what comes from memory has to be fetched line by line.
    const MOST_FETCHED: usize = 2 << 20;

    /// Bytes of a step at most: one more of a longer one takes longer than what is left.
    const LONGEST_STEP: usize = 64;

    /// The steps of such rows; `None` for others.
    fn new<T: Steps>(
        steps: &T,
        tables: &Tables<16>,
        tiles: &Tiles<'_>,
        ahead: Ahead,
    ) -> Option<Self> {
        // A row alone goes by the tiles that are known of it, which may leave units at its end.
        if tiles.rows.count < 2 || T::BYTES > Self::LONGEST_STEP {
            return None;
        }
        let tile_at = |k: usize| (k * tables.tile, k as isize * tables.src_stride);
        let (at, place) = match tiles.last {
            Some(last) => last,
            None => tile_at(tiles.count.checked_sub(1)?),
        };
        let bytes = at + tables.tile;
        let written = bytes * tiles.rows.count;
        let longest = match ahead.count {
            0 => Self::LONGEST,
            _ if written <= Self::MOST_FETCHED => Self::LONGEST_FETCHED,
            _ => return None,
        };
        if !(T::BYTES..=longest).contains(&bytes) {
            return None;
        }
        let others = tile_at(steps.tiles() - 1);
        Some(Self {
            whole: bytes / T::BYTES,
            last: (!bytes.is_multiple_of(T::BYTES)).then_some((at - others.0, place - others.1)),
        })
    }

    /// Moves the rows: those of few light steps by a loop without one in it.
    ///
    /// # Safety
    /// As [`walk`], for rows of which these are the steps.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn by_steps<T: Steps, const FETCH: bool>(
        &self,
        steps: &T,
        first: &Run,
        tables: &Tables<16>,
        tiles: &Tiles<'_>,
        ahead: Ahead,
    ) {
        // SAFETY: by the contract of this function.
        unsafe {
            match self.whole {
                1 if T::IS_LIGHT => self.rows::<T, FETCH, 1>(steps, first, tables, tiles, ahead),
                2 if T::IS_LIGHT => self.rows::<T, FETCH, 2>(steps, first, tables, tiles, ahead),
                3 if T::IS_LIGHT => self.rows::<T, FETCH, 3>(steps, first, tables, tiles, ahead),
                4 if T::IS_LIGHT => self.rows::<T, FETCH, 4>(steps, first, tables, tiles, ahead),
                5 if T::IS_LIGHT => self.rows::<T, FETCH, 5>(steps, first, tables, tiles, ahead),
                6 if T::IS_LIGHT => self.rows::<T, FETCH, 6>(steps, first, tables, tiles, ahead),
                _ => self.rows::<T, FETCH, 0>(steps, first, tables, tiles, ahead),
            }
        }
    }

    /// With `WHOLE`, that many whole steps a row; if it is 0, as many as there are.
    ///
    /// # Safety
    /// As [`Self::by_steps`].
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn rows<T: Steps, const FETCH: bool, const WHOLE: usize>(
        &self,
        steps: &T,
        first: &Run,
        tables: &Tables<16>,
        tiles: &Tiles<'_>,
        ahead: Ahead,
    ) {
        let stride = tables.src_stride;
        let further = steps.tiles() as isize * stride;
        for k in 0..tiles.rows.count {
            let row = tiles.row(first, k);
            tiles.fetch(first, k, row.dst);
            if FETCH {
                prefetch::line(row.src.wrapping_offset(ahead.first));
            }
            let (mut src, mut dst) = (row.src, row.dst);
            // SAFETY: by the contract of this function.
            unsafe {
                let whole = match WHOLE {
                    0 => self.whole,
                    known => known,
                };
                for _ in 0..whole {
                    steps.step(src, dst, stride);
                    src = src.wrapping_offset(further);
                    dst = dst.wrapping_add(T::BYTES);
                }
                if let Some((at, place)) = self.last {
                    steps.step(row.src.wrapping_offset(place), row.dst.add(at), stride);
                }
            }
        }
    }
}

/// Rows of at least this many bytes have their vectors where vectors of the result begin, for one more step at each end: rows whose stores
/// straddle lines take up to a fifth longer. Shorter rows lose as much by the steps.
const LEAST_ALIGNED: usize = 4 << 10;

/// Moves rows, with `LINES` lines fetched a turn: a loop over their number was slower.
///
/// # Safety
/// As [`walk`].
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn walk_fetching<T: Steps, const LINES: usize>(
    steps: &T,
    first: &Run,
    tables: &Tables<16>,
    tiles: &Tiles<'_>,
    ahead: Ahead,
) {
    let stride = tables.src_stride;
    let (count, odd) = match steps.tiles() {
        1 => (tiles.count, 0),
        _ => (tiles.count / 2, tiles.count % 2),
    };
    let bytes = tiles.count * tables.tile;
    let (period, apart) = tables.period;
    for k in 0..tiles.rows.count {
        let row = tiles.row(first, k);
        tiles.fetch(first, k, row.dst);
        if let Some(end) = ahead.end {
            prefetch::line(row.src.wrapping_offset(end));
        }
        let skipped = match bytes >= LEAST_ALIGNED {
            true => periods_to::<32>(row.dst, period),
            false => 0,
        };
        // SAFETY: by the contract of this function. A step is whole vectors and whole periods, so the first one has those before a vector,
        // and the last one those that are left. Each tile begins between the first and the last of the row, whose loads the operand has (I3).
        unsafe {
            let (mut from, mut count) = ((row.src, row.dst), count);
            if skipped > 0 {
                steps.step(row.src, row.dst, stride);
                let place = skipped as isize * apart;
                from = (
                    row.src.wrapping_offset(place),
                    row.dst.wrapping_add(skipped * period),
                );
                count = (bytes - skipped * period) / T::BYTES;
            }
            let (src, dst) = each_step::<T, LINES>(steps, from, count, stride, ahead);
            if skipped > 0 {
                let last = tiles.count - steps.tiles();
                let src = row.src.wrapping_offset(last as isize * stride);
                steps.step(src, row.dst.wrapping_add(last * tables.tile), stride);
            } else if odd > 0 {
                steps.one(src, dst);
            }
            if let Some((at, place)) = tiles.last {
                steps.one(row.src.offset(place), row.dst.add(at));
            }
        }
    }
}

/// Takes `count` steps, side by side from these places on. Gives where the next one is.
///
/// # Safety
/// As [`Steps::step`], for each of them.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn each_step<T: Steps, const LINES: usize>(
    steps: &T,
    (mut src, mut dst): (*const u8, *mut u8),
    count: usize,
    stride: isize,
    ahead: Ahead,
) -> (*const u8, *mut u8) {
    const { assert!(T::TURN <= 2) };
    let further = steps.tiles() as isize * stride;
    // Opaque: the compiler would add up the places of steps and halves, each to that of the one before it, which takes as long as they do.
    let [stride, second, turn] =
        [stride, further, T::TURN as isize * further].map(core::hint::black_box);
    // SAFETY: by the contract of this function.
    unsafe {
        for _ in 0..count / T::TURN {
            for line in 0..LINES as isize {
                prefetch::line(src.wrapping_offset(ahead.first.wrapping_add(line * ahead.apart)));
            }
            steps.step(src, dst, stride);
            if T::TURN == 2 {
                let src = src.wrapping_offset(second);
                steps.step(src, dst.wrapping_add(T::BYTES), stride);
            }
            src = src.wrapping_offset(turn);
            dst = dst.wrapping_add(T::TURN * T::BYTES);
        }
        for _ in 0..count % T::TURN {
            steps.step(src, dst, stride);
            src = src.wrapping_offset(further);
            dst = dst.wrapping_add(T::BYTES);
        }
    }
    (src, dst)
}
