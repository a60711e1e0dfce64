//! Rows of few tiles by AVX-512: what is done once for all of them weighs more than what a long run gains from aligned stores.
//!
//! Whole tiles need no masks. So a single row ends with one that overlaps the tile before it, and rows that touch in the destination end
//! with one whose last bytes later rows write again. All other ends are cut by masks, and so are loads that would leave the operand. Longer
//! rows that do not begin with a line of the result have inner tiles that do, where that pays, and overlap those at both ends.

use super::tile::{Fetch, MANY, Place, WideInRegisters};
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::move_::processor::habits;
use crate::move_::shuffled::Run;
use crate::move_::shuffled::lanes::{by_shape, fitting, inside, last_tile};
use crate::shuffle::{Load, Pattern, RowTiles, Tables};
use core::ops::Range;

/// Whether rows are that short.
pub(in crate::move_::shuffled) fn takes(bytes: usize, tables: &Tables<64>) -> bool {
    bytes < 128 * tables.tile
}

/// Rows with gaps between them are fetched this many rows ahead.
const ROWS_AHEAD: isize = 2;

/// Where only the next of long rows is fetched, shorter ones are not.
const LEAST_FETCHED: usize = 2 << 10;

/// A tile that is cut leaves out loads that give nothing of it where these are so many, and is cut then even if it might spill: fewer take
/// less time than to leave them out.
const LEAST_LEFT_OUT: usize = 3;

/// The same as a part of all loads of a row.
const LEAST_PART: usize = 5;

/// What short rows have in common.
pub(super) struct Short {
    pub tiles: RowTiles,
    /// What all of them read, from the row's place.
    pub reach: (isize, isize),
    /// What all of them write if none is cut.
    written: usize,
}

impl Short {
    pub fn of(tables: &Tables<64>, bytes: usize) -> Self {
        let whole = tables.tiles(bytes);
        let rest = bytes - whole * tables.tile;
        let cut = match rest <= tables.given {
            true => usize::from(rest > 0),
            // A tile that does not fill its vector is whole only if the vector lies inside the row: several may begin after the last.
            false => tables.count_in(rest + tables.tile - 1),
        };
        let others = (whole + cut).saturating_sub(1);
        Self {
            tiles: RowTiles {
                cut,
                rest,
                loads: loads_that_give(tables, rest),
                ..RowTiles::whole(whole)
            },
            reach: tables.reach_to(others as isize * tables.src_stride),
            written: others * tables.tile + tables.vectors * 64,
        }
    }

    /// What a single row has, and where its last tile begins if that overlaps the one before it.
    #[inline(always)]
    pub fn alone(
        pattern: &Pattern,
        tables: &Tables<64>,
        bytes: usize,
    ) -> (Self, Option<(usize, isize)>) {
        let last = last_tile(pattern, tables, bytes);
        let short = match last {
            None => Self::of(tables, bytes),
            Some((_, place)) => Self {
                tiles: RowTiles::whole(tables.tiles(bytes)),
                reach: tables.reach_to(place),
                written: bytes,
            },
        };
        (short, last)
    }

    /// The same of a row that no other follows, where one tile of a vector is cut: it gives all that a tile does, and begins as much earlier. So
    /// its loads read no further than those of a tile that ends with the row.
    pub fn ending_with_a_tile(self, pattern: &Pattern, tables: &Tables<64>, bytes: usize) -> Self {
        let RowTiles {
            whole, cut, rest, ..
        } = self.tiles;
        let is_single = (tables.vectors, tables.tile, cut) == (1, tables.given, 1);
        if !is_single || whole == 0 || rest == tables.tile {
            return self;
        }
        let place = pattern.place(bytes - tables.tile);
        let earlier = whole as isize * tables.src_stride - place;
        let tiles = RowTiles {
            rest: tables.tile,
            loads: tables.per_vector,
            earlier: (tables.tile - rest, earlier),
            ..self.tiles
        };
        // That of the last whole one lies before it.
        let reach = tables.reach_to(place);
        Self {
            tiles,
            reach,
            ..self
        }
    }

    /// What is fetched of a later row with each tile. The processor's own prefetchers find their way through rows that touch in the source,
    /// and some lose it at each gap.
    fn fetch(&self, tables: &Tables<64>, rows: &Rows) -> Fetch {
        let row = (self.reach.1 - self.reach.0).unsigned_abs();
        let is_long = row >= LEAST_FETCHED && tables.fill_vectors() && tables.src_stride > 64;
        let rows_ahead = match habits().fetches_patterns_behind_gaps {
            true => ROWS_AHEAD,
            false if habits().fetches_next_of_long_rows && is_long => 1,
            false => 0,
        };
        let lines = tables.src_stride.unsigned_abs().div_ceil(64);
        // Most of these would be lines between those that are read.
        let are_sparse = lines > 2 * tables.loads.len();
        let come_by_themselves = rows.cache == Cache::Second && !reads_on(tables);
        let are_near = rows.src_stride.unsigned_abs() <= row + 64;
        if are_near || rows_ahead == 0 || are_sparse || come_by_themselves {
            return Fetch::NONE;
        }
        Fetch {
            ahead: rows_ahead * rows.src_stride + tables.reach.0,
            lines,
        }
    }

    /// The tiles of a row that may be followed by what its last vector has too many.
    pub fn spilled(&self) -> RowTiles {
        debug_assert_eq!(self.tiles.earlier, (0, 0), "none begins earlier");
        RowTiles::whole(self.tiles.whole + self.tiles.cut)
    }

    /// Whether all loads of a row lie inside the operand.
    pub fn fits(&self, row: &Run) -> bool {
        row.holds(self.reach)
    }

    /// The rows all of whose loads lie inside the operand.
    fn inside(&self, first: &Run, rows: &Rows) -> Range<usize> {
        fitting(rows.count, usize::MAX, |k| self.fits(&first.row(k, *rows)))
    }

    /// The number of rows, from the first, whose last vector may write past them: they touch, and later rows write these bytes again.
    pub fn spilling(&self, rows: &Rows) -> usize {
        match self.tiles.cut > 0 && rows.touch() {
            true => rows.with_room_for(self.written),
            false => 0,
        }
    }
}

/// How many loads of a vector, from its first on, give the last of `bytes` bytes of a tile, or of tiles.
fn loads_that_give(tables: &Tables<64>, bytes: usize) -> usize {
    let last = bytes.saturating_sub(1) % tables.given;
    let is_wanted = |load: &Load<64>| load.mask.trailing_zeros() as usize <= last % 64;
    let wanted = tables.of_vector(last / 64).iter().rposition(is_wanted);
    wanted.map_or(tables.per_vector, |last| last + 1)
}

/// Whether the last tile of rows that are not near, of `loads` loads for each vector, is cut by some of them.
fn leaves_out(rows: &Rows, tiles: RowTiles, loads: usize) -> bool {
    if rows.cache == Cache::Near {
        return false;
    }
    let left_out = loads.saturating_sub(tiles.loads);
    tiles.cut > 0
        && left_out >= LEAST_LEFT_OUT
        && LEAST_PART * left_out >= (tiles.whole + 1) * loads
}

/// Whether tiles read forwards, and more than they write, up to twice as much: others come out of the second cache as fast as they are moved,
/// with nothing fetched.
fn reads_on(tables: &Tables<64>) -> bool {
    let tile = tables.tile as isize;
    (tile + 1..=2 * tile).contains(&tables.src_stride)
}

/// Moves short rows, the tables in registers throughout; `false`, and nothing is moved, if there are too many for that.
///
/// # Safety
/// As [`super::wide`], for each of the rows; the first is `run`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
pub(in crate::move_::shuffled) unsafe fn run(
    run: &Run,
    pattern: &Pattern,
    tables: &Tables<64>,
    rows: &Rows,
) -> bool {
    // SAFETY: by the contract of this function.
    unsafe { by_shape!(tables, shaped(run, pattern, tables, rows), return false) }
    true
}

/// # Safety
/// As [`run`], with the tables of that shape.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
unsafe fn shaped<const VECTORS: usize, const LOADS: usize>(
    run: &Run,
    pattern: &Pattern,
    tables: &Tables<64>,
    rows: &Rows,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        match rows.count {
            1 => one::<VECTORS, LOADS>(run, pattern, tables, rows),
            _ => several::<VECTORS, LOADS>(run, pattern, tables, rows),
        }
    }
}

/// # Safety
/// As [`shaped`], for one row.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
unsafe fn one<const VECTORS: usize, const LOADS: usize>(
    run: &Run,
    pattern: &Pattern,
    tables: &Tables<64>,
    rows: &Rows,
) {
    let (short, last) = Short::alone(pattern, tables, rows.bytes);
    let short = short.ending_with_a_tile(pattern, tables, rows.bytes);
    // SAFETY: by the contract of this function; the loads of a row that fits lie inside the operand.
    unsafe {
        if !short.fits(run) {
            return at_an_end::<VECTORS, LOADS>(run, tables);
        }
        inner::<VECTORS, LOADS>(run, tables, rows, &short, short.tiles);
        if let Some((at, place)) = last {
            let end = Run {
                src: run.src.wrapping_offset(place),
                dst: run.dst.wrapping_add(at),
                ..*run
            };
            inner::<VECTORS, LOADS>(&end, tables, rows, &short, RowTiles::whole(1));
        }
    }
}

/// # Safety
/// As [`shaped`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline(never)]
unsafe fn several<const VECTORS: usize, const LOADS: usize>(
    run: &Run,
    pattern: &Pattern,
    tables: &Tables<64>,
    rows: &Rows,
) {
    let short = &Short::of(tables, rows.bytes);
    let inside = short.inside(run, rows);
    let spilling = short.spilling(rows).clamp(inside.start, inside.end);
    // SAFETY: by the contract of this function; the loads of the inner rows lie inside the operand, and what rows spill is in later rows.
    unsafe {
        for k in 0..inside.start {
            at_an_end::<VECTORS, LOADS>(&run.row(k, *rows), tables);
        }
        let part = |at: Range<usize>, tiles| {
            let rows = Rows {
                count: at.len(),
                ..*rows
            };
            inner::<VECTORS, LOADS>(&run.row(at.start, rows), tables, &rows, short, tiles);
        };
        if straddle(run, pattern, tables, rows) {
            let first = run.row(inside.start, *rows);
            let count = inside.len();
            let (rows, fetch) = (&Rows { count, ..*rows }, short.fetch(tables, rows));
            match fetch.lines {
                0 => aligned::<LOADS, 0>(&first, pattern, tables, rows, fetch),
                2 => aligned::<LOADS, 2>(&first, pattern, tables, rows, fetch),
                _ => aligned::<LOADS, MANY>(&first, pattern, tables, rows, fetch),
            }
        } else {
            if inside.start < spilling {
                let spilled = match leaves_out(rows, short.tiles, LOADS) {
                    true => short.tiles,
                    false => short.spilled(),
                };
                part(inside.start..spilling, spilled);
            }
            if spilling < inside.end {
                part(spilling..inside.end, short.tiles);
            }
        }
        for k in inside.end..rows.count {
            at_an_end::<VECTORS, LOADS>(&run.row(k, *rows), tables);
        }
    }
}

/// Shorter rows have as many tiles at their ends as between them.
const LEAST_ALIGNED: usize = 3 * 64;

/// Whether tiles of one vector would straddle two lines of the result, and need not: at any period of a row such a tile can begin. Where
/// lines are fetched before they are written, rows were not timed without that.
fn straddle(first: &Run, pattern: &Pattern, tables: &Tables<64>, rows: &Rows) -> bool {
    let begin_with_lines = first.dst.addr().is_multiple_of(64) && rows.dst_stride % 64 == 0;
    tables.tile == 64
        && tables.given == 64
        && 64 % pattern.period() == 0
        && rows.bytes >= LEAST_ALIGNED
        && rows.cache != Cache::Near
        && !begin_with_lines
        && !habits().fetches_written
}

/// Moves rows by tiles that fill lines of the result, but for the first and the last of each row; `READ` lines of later rows are fetched as
/// [`WideInRegisters::tiles`] does.
///
/// # Safety
/// As [`shaped`], for rows whose loads lie inside the operand and that [`straddle`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline(never)]
unsafe fn aligned<const LOADS: usize, const READ: usize>(
    first: &Run,
    pattern: &Pattern,
    tables: &Tables<64>,
    rows: &Rows,
    fetch: Fetch,
) {
    let in_registers = WideInRegisters::<1, LOADS>::new(tables);
    // That of a whole number of periods.
    let place = |at: usize| (tables.src_stride * at as isize) >> 6;
    let end = rows.bytes - 64;
    let last = place(end);
    let (mut src, mut dst) = (first.src, first.dst);
    for _ in 0..rows.count {
        let to_line = 64 - dst.addr() % 64;
        let mut at = match to_line % pattern.period() {
            0 => to_line,
            _ => 64,
        };
        let mut from = src.wrapping_offset(place(at));
        // SAFETY: by the contract of this function: each tile begins with a period and lies within the row.
        unsafe {
            in_registers.tile(dst, src);
            while at < end {
                fetch.ask::<READ>(from);
                in_registers.tile(dst.add(at), from);
                from = from.wrapping_offset(tables.src_stride);
                at += 64;
            }
            in_registers.tile(dst.add(end), src.wrapping_offset(last));
        }
        dst = dst.wrapping_offset(rows.dst_stride);
        src = src.wrapping_offset(rows.src_stride);
    }
}

/// Moves these tiles of each row.
///
/// # Safety
/// As [`shaped`], for tiles whose loads lie inside the operand.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
unsafe fn inner<const VECTORS: usize, const LOADS: usize>(
    first: &Run,
    tables: &Tables<64>,
    rows: &Rows,
    short: &Short,
    tiles: RowTiles,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        if rows.cache == Cache::Near {
            return fetched::<VECTORS, LOADS, false, 0, false>(
                first,
                tables,
                rows,
                tiles,
                Fetch::NONE,
            );
        }
        let fetch = short.fetch(tables, rows);
        if LOADS > LEAST_LEFT_OUT && leaves_out(rows, tiles, LOADS) {
            return match fetch.lines {
                0 => fetched::<VECTORS, LOADS, true, 0, true>(first, tables, rows, tiles, fetch),
                _ => fetched::<VECTORS, LOADS, true, MANY, true>(first, tables, rows, tiles, fetch),
            };
        }
        match fetch.lines {
            0 => fetched::<VECTORS, LOADS, true, 0, false>(first, tables, rows, tiles, fetch),
            2 => fetched::<VECTORS, LOADS, true, 2, false>(first, tables, rows, tiles, fetch),
            _ => fetched::<VECTORS, LOADS, true, MANY, false>(first, tables, rows, tiles, fetch),
        }
    }
}

/// Fetches as [`WideInRegisters::tiles`] does; `SOME` as [`WideInRegisters::row`].
///
/// # Safety
/// As [`inner`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline(never)]
unsafe fn fetched<
    const VECTORS: usize,
    const LOADS: usize,
    const WRITE: bool,
    const READ: usize,
    const SOME: bool,
>(
    first: &Run,
    tables: &Tables<64>,
    rows: &Rows,
    tiles: RowTiles,
    fetch: Fetch,
) {
    let tables_of = WideInRegisters::<VECTORS, LOADS>::new(tables);
    // Place by place: a copy of a row that has just been put together in memory waits until that is done.
    let (mut src, mut dst) = (first.src, first.dst);
    for _ in 0..rows.count {
        // SAFETY: by the contract of this function.
        unsafe { tables_of.row::<WRITE, READ, SOME>(tables, (src, dst), tiles, fetch) };
        dst = dst.wrapping_offset(rows.dst_stride);
        src = src.wrapping_offset(rows.src_stride);
    }
}

impl<const VECTORS: usize, const LOADS: usize, const WORDS: bool>
    WideInRegisters<VECTORS, LOADS, WORDS>
{
    /// Moves these tiles of a row. With `SOME`, the one that is cut last has only the loads that give some of it.
    ///
    /// # Safety
    /// As [`inner`].
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    pub unsafe fn row<const WRITE: bool, const READ: usize, const SOME: bool>(
        &self,
        tables: &Tables<64>,
        places: Place,
        tiles: RowTiles,
        fetch: Fetch,
    ) {
        // SAFETY: by the contract of this function.
        unsafe {
            let (src, dst) = self.tiles::<WRITE, READ>(tables, places, tiles.whole, fetch);
            let (to, from) = tiles.earlier;
            let (mut src, mut dst) = (src.wrapping_offset(-from), dst.wrapping_sub(to));
            let mut rest = tiles.rest;
            for _ in 0..tiles.cut {
                let given = rest.min(tables.given);
                let loads = match SOME && given == rest {
                    true => tiles.loads,
                    false => LOADS,
                };
                self.cut(dst, src, given, loads);
                src = src.wrapping_offset(tables.src_stride);
                dst = dst.wrapping_add(tables.tile);
                rest -= given;
            }
        }
    }
}

impl<const VECTORS: usize, const LOADS: usize> WideInRegisters<VECTORS, LOADS> {
    /// Moves these tiles of two rows, in turn.
    ///
    /// # Safety
    /// As [`WideInRegisters::row`], for each of them.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    pub unsafe fn two_rows(
        &self,
        tables: &Tables<64>,
        mut a: Place,
        mut b: Place,
        tiles: RowTiles,
    ) {
        let apart = b.0.addr().wrapping_sub(a.0.addr()) as isize;
        // SAFETY: by the contract of this function.
        unsafe {
            if tables.gives_two(apart) {
                (a, b) = self.two_by_loads(tables, (a, b), apart, tiles.whole);
            } else {
                for _ in 0..tiles.whole {
                    a = self.tiles::<false, 0>(tables, a, 1, Fetch::NONE);
                    b = self.tiles::<false, 0>(tables, b, 1, Fetch::NONE);
                }
            }
            let cut = RowTiles { whole: 0, ..tiles };
            self.row::<false, 0, false>(tables, a, cut, Fetch::NONE);
            self.row::<false, 0, false>(tables, b, cut, Fetch::NONE);
        }
    }
}

/// Moves a row some of whose loads lie outside the operand: its first and last tiles by masks.
///
/// # Safety
/// As [`shaped`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline(never)]
pub(super) unsafe fn at_an_end<const VECTORS: usize, const LOADS: usize>(
    row: &Run,
    tables: &Tables<64>,
) {
    let in_registers = WideInRegisters::<VECTORS, LOADS>::new(tables);
    let inside = inside(row, tables);
    let (mut places, mut rest) = ((row.src, row.dst), row.bytes);
    // SAFETY: by the contract of this function; masks leave out what lies outside the operand and the row.
    unsafe {
        for _ in 0..inside.start {
            places = in_registers.masked(row, tables, places, rest);
            rest -= tables.tile;
        }
        places = in_registers.tiles::<false, 0>(tables, places, inside.len(), Fetch::NONE);
        rest -= inside.len() * tables.tile;
        while rest > 0 {
            places = in_registers.masked(row, tables, places, rest);
            rest = rest.saturating_sub(tables.tile);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shuffle::{Anchor, Shuffle};
    use alloc::vec::Vec;

    #[test]
    fn loads_that_give_some_of_a_tile_are_the_fewest() {
        let mut left_out = 0;
        for (unit, apart) in [1, 2, 4, 8]
            .into_iter()
            .flat_map(|unit| (2..40).map(move |apart| (unit, apart)))
        {
            let offsets: Vec<i32> = (0..unit).collect();
            let stride = Some(i64::from(unit * apart));
            let Some(pattern) = Pattern::new(offsets, stride, true, Anchor::Line(0)) else {
                continue;
            };
            let shuffle = Shuffle::new(pattern);
            let Some(tables) = shuffle.wide() else {
                continue;
            };
            for bytes in 1..=tables.given {
                let wanted = u64::MAX >> (63 - (bytes - 1) % 64);
                let gives = |loads: usize| {
                    let loads = &tables.of_vector((bytes - 1) / 64)[..loads];
                    loads.iter().fold(0, |given, load| given | load.mask) & wanted == wanted
                };
                let fewest = (1..=tables.per_vector).find(|&loads| gives(loads));
                assert_eq!(
                    Some(loads_that_give(tables, bytes)),
                    fewest,
                    "{unit} {apart} {bytes}"
                );
                left_out += usize::from(
                    tables.per_vector >= loads_that_give(tables, bytes) + LEAST_LEFT_OUT,
                );
            }
        }
        assert!(left_out > 1000, "{left_out} of them leave out loads");
    }
}
