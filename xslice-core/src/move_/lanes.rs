//! Shuffles by vectors of 16 bytes: one set of loops for every instruction set that permutes the bytes of such a vector.
//!
//! A run of periods is a row of tiles, each made of whole vectors by the same tables. Tiles whose loads all lie inside the operand go
//! through a loop with the tables in registers; the ends go by one more tile that overlaps the one before it with the same bytes, or
//! unit by unit. What an instruction set brings is a vector that is [`Lanes`].

use super::shuffled::{Run, units};
use crate::shuffle::{Load, Pattern, Tables};
use core::ops::Range;

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
    unsafe fn tiles(run: &Run, tables: &Tables<16>, tiles: Range<usize>);
}

impl Run {
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

/// Moves a run.
///
/// # Safety
/// As [`Shuffle::run`](crate::Shuffle::run); the processor has the instructions of `V`.
pub(super) unsafe fn run<V: Lanes>(run: &Run, pattern: &Pattern, tables: &Tables<16>) {
    let (tile, stored) = (tables.tile, tables.vectors * 16);
    let inside = inside(run, tables);
    // SAFETY: the bytes before and after the inner tiles go unit by unit; the loads of the inner tiles lie inside the operand and their
    // stores inside the run.
    unsafe {
        units(run, pattern, 0..inside.start * tile);
        V::tiles(run, tables, inside.clone());
        let done = inside.end * tile;
        let rest = run.bytes - done;
        // One more tile that ends where the run ends, if its loads lie inside as well.
        let shift = (run.bytes - tile.min(run.bytes)) / pattern.period();
        let back = run.turned(shift, pattern);
        let ends = rest > 0 && rest < tile && tile == stored;
        if ends && inside.end > inside.start && fits(&back, tables) {
            V::tiles(&back, tables, 0..1);
        } else {
            units(run, pattern, done..run.bytes);
        }
    }
}

impl<const N: usize> Tables<N> {
    /// Whole tiles of a run of so many bytes whose vectors lie inside it.
    pub(super) fn tiles(&self, bytes: usize) -> usize {
        match bytes.checked_sub(self.vectors * N) {
            None => 0,
            // Most tiles are one vector, and rows are short: a division is worth avoiding.
            Some(rest) if self.tile == N => rest / N + 1,
            Some(rest) => rest / self.tile + 1,
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
    if tiles == 0 || (fits(0) && fits(tiles - 1)) {
        return 0..tiles;
    }
    let start = (0..tiles).take(MOST_ENDS).position(fits).unwrap_or(tiles);
    let end = (start..tiles)
        .rev()
        .take(MOST_ENDS)
        .find(|&t| fits(t))
        .map_or(start, |t| t + 1);
    start..end
}

/// More tiles than this at one end never leave the operand: a tile reads at most so many tiles' lengths beyond itself.
const MOST_ENDS: usize = 512;

fn fits(run: &Run, tables: &Tables<16>) -> bool {
    let place = run.src as isize;
    place + tables.reach.0 >= run.low as isize && place + tables.reach.1 <= run.high as isize
}

/// `$f::<vectors, loads>(args)`, before them the vector if one is named, for the shapes of tables that are worth a loop of their own;
/// `$else` for all others.
macro_rules! by_shape {
    ($tables:ident, $f:ident $(<$lanes:ident>)? ($($arg:expr),*), $else:expr) => {
        by_shape!(@ $tables, ($f $($lanes)?) ($($arg),*), $else,
            (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (1, 7), (1, 8),
            (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3), (5, 1), (5, 2), (5, 3), (7, 1), (7, 2), (7, 3))
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
#[cfg(target_arch = "x86_64")]
pub(super) use by_shape;

/// Moves tiles of a run.
///
/// # Safety
/// As [`run`], for tiles whose loads lie inside the operand.
#[inline(always)]
pub(super) unsafe fn each<V: Lanes>(run: &Run, tables: &Tables<16>, tiles: Range<usize>) {
    if tiles.is_empty() {
        return;
    }
    // SAFETY: by the contract of this function.
    unsafe {
        by_shape!(
            tables,
            each_of<V>(run, tables, tiles),
            each_any::<V>(run, tables, tiles)
        )
    }
}

/// # Safety
/// As [`each`], with the tables of that shape.
#[inline(always)]
unsafe fn each_of<V: Lanes, const VECTORS: usize, const LOADS: usize>(
    run: &Run,
    tables: &Tables<16>,
    tiles: Range<usize>,
) {
    let table = |v: usize, l: usize| &tables.loads[v * LOADS + l];
    // SAFETY: the tables are arrays of 16 bytes; loads and stores as the contract says.
    unsafe {
        let orders: [[V; LOADS]; VECTORS] =
            core::array::from_fn(|v| core::array::from_fn(|l| load(table(v, l).bytes.as_ptr())));
        let offsets: [[isize; LOADS]; VECTORS] =
            core::array::from_fn(|v| core::array::from_fn(|l| table(v, l).offset));
        let mut src = run.src.offset(tiles.start as isize * tables.src_stride);
        let mut dst = run.dst.add(tiles.start * tables.tile);
        for _ in tiles {
            for v in 0..VECTORS {
                let mut vector = load::<V>(src.offset(offsets[v][0])).picked(orders[v][0]);
                for l in 1..LOADS {
                    vector = vector.merged(load(src.offset(offsets[v][l])), orders[v][l]);
                }
                dst.add(v * 16).cast::<V>().write_unaligned(vector);
            }
            src = src.wrapping_offset(tables.src_stride);
            dst = dst.wrapping_add(tables.tile);
        }
    }
}

/// # Safety
/// As [`each`].
#[inline(always)]
unsafe fn each_any<V: Lanes>(run: &Run, tables: &Tables<16>, tiles: Range<usize>) {
    for t in tiles {
        // SAFETY: by the contract of this function.
        unsafe {
            let src = run.src.offset(t as isize * tables.src_stride);
            let dst = run.dst.add(t * tables.tile);
            for (v, loads) in tables.loads.chunks_exact(tables.per_vector).enumerate() {
                let bytes = |of: &Load<16>| load::<V>(src.offset(of.offset));
                let order = |of: &Load<16>| load::<V>(of.bytes.as_ptr());
                let mut vector = bytes(&loads[0]).picked(order(&loads[0]));
                for next in &loads[1..] {
                    vector = vector.merged(bytes(next), order(next));
                }
                dst.add(v * 16).cast::<V>().write_unaligned(vector);
            }
        }
    }
}

/// # Safety
/// 16 bytes are readable there.
#[inline(always)]
unsafe fn load<V: Lanes>(from: *const u8) -> V {
    // SAFETY: by the contracts of this function and of the trait.
    unsafe { from.cast::<V>().read_unaligned() }
}
