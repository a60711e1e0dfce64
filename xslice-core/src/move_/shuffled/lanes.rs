//! Shuffles by vectors of 16 bytes: one set of loops for every instruction set that permutes the bytes of such a vector.
//!
//! A run of periods is a row of tiles, each made of whole vectors by the same tables. Tiles whose loads all lie inside the operand go
//! through a loop with the tables in registers; the ends go by one more tile that overlaps the one before it with the same bytes, by one
//! that writes past its row, where later rows write again, or unit by unit. What an instruction set brings is a vector that is [`Lanes`].

mod alone;
pub(super) mod known;
mod tile;
mod walk;

use super::{Places, Run, units};
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::shuffle::{KnownRows, Pattern, Tables};
pub(super) use alone::each_alone;
use core::ops::Range;
use tile::InRegisters;
pub(super) use tile::{InMemory, Tile};
use walk::walk;

/// A vector of 16 bytes.
///
/// # Safety
/// It has that size, and every pattern of bits is a value of it.
pub(super) unsafe trait Lanes: Copy {
    /// The bytes that `order` names; 0 where the top bit of a name is set.
    ///
    /// # Safety
    /// The processor has the instruction set of the vector.
    unsafe fn picked(self, order: Self) -> Self;

    /// The same with the bytes of `loaded` that `order` names, each in the place of a 0.
    ///
    /// # Safety
    /// As [`Lanes::picked`].
    unsafe fn merged(self, loaded: Self, order: Self) -> Self;

    /// [`each`], compiled for the instruction set.
    ///
    /// # Safety
    /// As [`each`].
    unsafe fn tiles(first: &Run, tables: &Tables<16>, tiles: &Tiles<'_>);

    /// Moves the tiles of a run that is known, if there is a way for that few. `false`: nothing has moved.
    ///
    /// # Safety
    /// As [`known::inside`].
    unsafe fn few(_run: &Run, _tables: &Tables<16>, _known: &KnownRows) -> bool {
        false
    }

    /// [`known::each_spilling`], compiled for the instruction set.
    ///
    /// # Safety
    /// As [`known::each_spilling`].
    unsafe fn spilling(run: &Run, tables: &Tables<16>, known: &KnownRows);

    /// [`each_alone`], compiled for the instruction set.
    ///
    /// # Safety
    /// As [`each_alone`].
    unsafe fn alone(
        first: &Run,
        pattern: &Pattern,
        tables: &Tables<16>,
        rows: Rows,
        places: Places<'_>,
    );
}

impl Run {
    /// Whether the operand has all bytes from the first of `reach`, counted from the place of the run, to before the last (I3).
    #[inline(always)]
    pub fn holds(&self, reach: (isize, isize)) -> bool {
        let place = self.src as isize;
        place + reach.0 >= self.low as isize && place + reach.1 <= self.high as isize
    }

    /// The run without its first `turns` periods.
    pub fn turned(&self, turns: usize, pattern: &Pattern) -> Self {
        let done = turns * pattern.period();
        Self {
            dst: self.dst.wrapping_add(done),
            src: self
                .src
                .wrapping_offset(turns as isize * pattern.src_stride() as isize),
            bytes: self.bytes - done,
            ..*self
        }
    }
}

/// Tiles of rows.
#[derive(Clone, Copy)]
pub(super) struct Tiles<'a> {
    pub rows: Rows,
    /// Where the rows begin; `None`: at constant distances.
    pub places: Option<Places<'a>>,
    /// Of each row, from its place on.
    pub count: usize,
    /// Where one more begins, from the row's place: in the destination and in the source.
    pub last: Option<(usize, isize)>,
    /// What a row reads, from its place.
    pub reach: (isize, isize),
}

impl<'a> Tiles<'a> {
    fn new(pattern: &Pattern, tables: &Tables<16>, rows: Rows) -> Self {
        let count = tables.tiles(rows.bytes);
        let last = last_tile(pattern, tables, rows.bytes);
        Self::of(tables, rows, count, last)
    }

    /// Tiles that reach beyond their row where rows touch: what the last one writes there is written again. And the number of rows, from the
    /// first on, that have room for it after them.
    fn spilling(pattern: &Pattern, tables: &Tables<16>, rows: Rows) -> (Self, usize) {
        let bytes = rows.bytes;
        if bytes == 0 || !rows.touch() || (tables.fill_vectors() && tables.tile <= bytes) {
            return (Self::new(pattern, tables, rows), rows.count);
        }
        Self::beyond(tables, rows)
    }

    /// The same for rows of some bytes that touch, whatever their tiles are.
    fn beyond(tables: &Tables<16>, rows: Rows) -> (Self, usize) {
        let count = tables.count_in(rows.bytes + tables.tile - 1);
        let written = (count - 1) * tables.tile + tables.vectors * 16;
        (
            Self::of(tables, rows, count, None),
            rows.with_room_for(written),
        )
    }

    fn of(tables: &Tables<16>, rows: Rows, count: usize, last: Option<(usize, isize)>) -> Self {
        let end = count.saturating_sub(1) as isize * tables.src_stride;
        let places = [0, end, last.map_or(0, |(_, place)| place)];
        let (low, high) = places.iter().fold((0, 0), |(low, high), &place| {
            (place.min(low), place.max(high))
        });
        Self {
            rows,
            places: None,
            count,
            last,
            reach: (tables.reach.0 + low, tables.reach.1 + high),
        }
    }

    /// Whether the loads of a row lie inside its operand.
    fn fit(&self, row: &Run) -> bool {
        self.count > 0 && row.holds(self.reach)
    }

    /// Row `k` of those whose first is `first`.
    #[inline(always)]
    pub fn row(&self, first: &Run, k: usize) -> Run {
        match self.places {
            None => first.row(k, self.rows),
            Some(places) => places.row(first, k, &self.rows),
        }
    }

    /// Asks for what the row some rows after row `k` reads, if rows begin anywhere.
    #[inline(always)]
    pub fn fetch(&self, first: &Run, k: usize, dst: *mut u8) {
        if let Some(places) = self.places
            && places.ahead > 0
        {
            places.fetch(k, first.src, self.reach, dst);
        }
    }

    /// `count` of the rows, from row `k` on.
    fn from(&self, k: usize, count: usize) -> Self {
        let rows = Rows { count, ..self.rows };
        let behind = |places: Places<'a>| Places {
            each: &places.each[k..],
            to: places.to.map(|to| &to[k..]),
            ..places
        };
        Self {
            rows,
            places: self.places.map(behind),
            ..*self
        }
    }
}

/// Moves rows: those whose loads all lie inside the operand with the tables in registers, each of the others by [`run`].
///
/// # Safety
/// As [`Shuffle::run`](crate::ir::Shuffle::run), for each of the rows, of which `first` is one; the processor has the instructions of `V`.
pub(super) unsafe fn rows<V: Lanes>(
    first: &Run,
    pattern: &Pattern,
    tables: &Tables<16>,
    rows: Rows,
) {
    let (tiles, most) = Tiles::spilling(pattern, tables, rows);
    let Range { start, end } = fitting(most, usize::MAX, |k| tiles.fit(&first.row(k, rows)));
    // SAFETY: by the contract of this function.
    unsafe {
        (0..start).for_each(|k| run::<V>(&first.row(k, rows), pattern, tables));
        fitting_rows::<V>(first, pattern, tables, &tiles, start..end);
        (end..rows.count).for_each(|k| run::<V>(&first.row(k, rows), pattern, tables));
    }
}

/// Moves some of the rows.
///
/// # Safety
/// As [`rows`], for rows that [fit](Tiles::fit), with room after them for what the tiles write there.
unsafe fn fitting_rows<V: Lanes>(
    first: &Run,
    pattern: &Pattern,
    tables: &Tables<16>,
    tiles: &Tiles<'_>,
    rows: Range<usize>,
) {
    if rows.is_empty() {
        return;
    }
    let from = match tiles.places {
        None => first.row(rows.start, tiles.rows),
        Some(Places { to: Some(_), .. }) => *first,
        Some(_) => Run {
            dst: tiles.row(first, rows.start).dst,
            ..*first
        },
    };
    let some = tiles.from(rows.start, rows.len());
    let done = tiles.count * tables.tile;
    // SAFETY: by the contract of this function.
    unsafe {
        V::tiles(&from, tables, &some);
        if tiles.last.is_none() && done < tiles.rows.bytes {
            rows.for_each(|k| units(&tiles.row(first, k), pattern, done..tiles.rows.bytes));
        }
    }
}

/// Moves rows, the next one from each of the places.
///
/// # Safety
/// As [`rows`].
pub(super) unsafe fn rows_from<V: Lanes>(
    first: &Run,
    pattern: &Pattern,
    tables: &Tables<16>,
    rows: Rows,
    places: Places<'_>,
) {
    if tables.tile == rows.bytes && rows.touch() {
        // SAFETY: by the contract of this function.
        return unsafe { V::alone(first, pattern, tables, rows, places) };
    }
    let (tiles, most) = Tiles::spilling(pattern, tables, rows);
    let tiles = Tiles {
        places: Some(places),
        ..tiles
    };
    let mut start = 0;
    while start < rows.count {
        let fits = |&k: &usize| k < most && tiles.fit(&tiles.row(first, k));
        let end = (start..rows.count).find(|k| !fits(k)).unwrap_or(rows.count);
        // SAFETY: by the contract of this function.
        unsafe {
            fitting_rows::<V>(first, pattern, tables, &tiles, start..end);
            if end < rows.count {
                run::<V>(&tiles.row(first, end), pattern, tables);
            }
        }
        start = end + 1;
    }
}

/// Those that fit, of `count` whose places are linear in their number, so that all between the first and the last of them do; at most `most`
/// at each end do not.
pub(super) fn fitting(count: usize, most: usize, fits: impl Fn(usize) -> bool) -> Range<usize> {
    if count == 0 || (fits(0) && fits(count - 1)) {
        return 0..count;
    }
    let start = (0..count).take(most).find(|&at| fits(at)).unwrap_or(count);
    let end = (start..count).rev().take(most).find(|&at| fits(at));
    start..end.map_or(start, |last| last + 1)
}

/// Where a tile begins that ends where a row of `bytes` bytes ends; `None` if whole tiles end there too, or do not fill their vectors.
pub(super) fn last_tile<const N: usize>(
    pattern: &Pattern,
    tables: &Tables<N>,
    bytes: usize,
) -> Option<(usize, isize)> {
    let tile = tables.tile;
    if !tables.fill_vectors() || bytes < tile || bytes == tables.count_in(bytes) * tile {
        return None;
    }
    let first = bytes - tile;
    Some((first, pattern.place(first)))
}

/// Moves a run.
///
/// # Safety
/// As [`rows`].
unsafe fn run<V: Lanes>(run: &Run, pattern: &Pattern, tables: &Tables<16>) {
    let inside = inside(run, tables);
    let first = inside.start * tables.tile;
    let done = inside.end * tables.tile;
    // One more tile, if its loads lie inside as well.
    let last = last_tile(pattern, tables, run.bytes)
        .filter(|_| done > first && run.bytes - done < tables.tile)
        .filter(|&(_, place)| fits(run, tables, place));
    let rows = Rows::one(run.bytes, Cache::Far);
    // SAFETY: the bytes before and after the inner tiles go unit by unit; the loads of the inner tiles lie inside the operand and their
    // stores inside the run.
    unsafe {
        units(run, pattern, 0..first);
        let moved = run.turned(first / pattern.period(), pattern);
        let tiles = Tiles {
            count: inside.len(),
            last: None,
            ..Tiles::new(pattern, tables, rows)
        };
        V::tiles(&moved, tables, &tiles);
        match last {
            Some((at, _)) => {
                let end = run.turned(at / pattern.period(), pattern);
                V::tiles(&end, tables, &Tiles { count: 1, ..tiles });
            }
            None => units(run, pattern, done..run.bytes),
        }
    }
}

/// The tiles of a run whose loads lie inside the operand: from the first to before the last.
pub(super) fn inside<const N: usize>(run: &Run, tables: &Tables<N>) -> Range<usize> {
    let tiles = tables.tiles(run.bytes);
    let place = run.src as isize;
    let (low, high) = (run.low as isize - place, run.high as isize - place);
    // Tile t reads from t * stride + reach.0 up to t * stride + reach.1; both bounds are linear in t.
    let (first, last) = tables.reach;
    let stride = tables.src_stride;
    let fits = |t: usize| t as isize * stride + first >= low && t as isize * stride + last <= high;
    fitting(tiles, MOST_ENDS, fits)
}

/// More tiles than this at one end never leave the operand: a tile reads at most this many tiles' lengths beyond itself.
const MOST_ENDS: usize = 512;

/// Whether the loads of the tile at `place` lie inside the operand.
fn fits(run: &Run, tables: &Tables<16>, place: isize) -> bool {
    run.holds((place + tables.reach.0, place + tables.reach.1))
}

/// `$f::<vectors, loads>(args)` for the shapes of tables that are worth a loop of their own; `$else` for all others. With the vector named
/// before them, for those that vectors of 16 bytes have besides: up to four of them give a period, and tables that leave the registers are
/// near still.
macro_rules! by_shape {
    ($tables:ident, $f:ident ($($arg:expr),*), $else:expr) => {
        by_shape!(@ $tables, ($f) ($($arg),*), $else,
            (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (1, 7), (1, 8),
            (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3), (5, 1), (5, 2), (5, 3), (7, 1), (7, 2), (7, 3))
    };
    ($tables:ident, $f:ident <$lanes:ident> ($($arg:expr),*), $else:expr) => {
        by_shape!(@ $tables, ($f $lanes) ($($arg),*), $else,
            (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (1, 7), (1, 8), (2, 1), (2, 2), (2, 3), (2, 4),
            (3, 1), (3, 2), (3, 3), (3, 4), (4, 1), (4, 2), (4, 3), (4, 4), (5, 1), (5, 2), (5, 3), (5, 4),
            (7, 1), (7, 2), (7, 3), (7, 4))
    };
    (@ $tables:ident, $f:tt $args:tt, $else:expr, $(($vectors:literal, $loads:literal)),*) => {
        match ($tables.vectors, $tables.per_vector) {
            $(($vectors, $loads) => by_shape!(@@ $f, $vectors, $loads, $args),)*
            _ => $else,
        }
    };
    (@@ ($f:ident $($lanes:ident)?), $vectors:literal, $loads:literal, ($($arg:expr),*)) => {
        $f::<$($lanes,)? $vectors, $loads>($($arg),*)
    };
}
pub(super) use by_shape;

/// Moves tiles of rows.
///
/// # Safety
/// As [`rows`], for tiles whose loads lie inside the operand; what they write past their rows lies in rows that have not moved.
#[inline(always)]
pub(super) unsafe fn each<V: Lanes>(first: &Run, tables: &Tables<16>, tiles: &Tiles<'_>) {
    if tiles.count == 0 {
        return;
    }
    // SAFETY: by the contract of this function.
    unsafe {
        by_shape!(
            tables,
            each_of<V>(first, tables, tiles),
            each_any::<V>(first, tables, tiles)
        )
    }
}

/// # Safety
/// As [`each`], with the tables of that shape.
#[inline(always)]
unsafe fn each_of<V: Lanes, const VECTORS: usize, const LOADS: usize>(
    first: &Run,
    tables: &Tables<16>,
    tiles: &Tiles<'_>,
) {
    let step = tables.src_stride;
    // SAFETY: by the contract of this function.
    unsafe {
        let in_registers = InRegisters::<V, VECTORS, LOADS>::new(tables);
        // A constant to the compiler, where tiles fill their vectors.
        match tables.fill_vectors() {
            true => walk(first, tiles, (VECTORS * 16, step), &in_registers),
            false => walk(first, tiles, (tables.tile, step), &in_registers),
        }
    }
}

/// # Safety
/// As [`each`].
#[inline(always)]
unsafe fn each_any<V: Lanes>(first: &Run, tables: &Tables<16>, tiles: &Tiles<'_>) {
    let in_memory = InMemory::<V>::new(tables);
    // SAFETY: by the contract of this function.
    unsafe { walk(first, tiles, (tables.tile, tables.src_stride), &in_memory) }
}
