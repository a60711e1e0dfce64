//! Rows that are known before the call, by vectors of 16 bytes.

use super::{InMemory, InRegisters, Lanes, Tile, Tiles, by_shape};
use crate::level::Level;
use crate::move_::at::Turns;
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::move_::shuffled::{Run, move_anyhow, units};
use crate::shuffle::{KnownRows, Pattern, RowLoop, RowLoops, RowTiles, Shuffle, Spilled, Tables};

/// Rows by tiles whose loads lie inside the operand, which `holds` says of what they read. Units at the end of a single one may be left to
/// move one by one: those of the last tile, if that leaves the operand, and those that fill none.
pub(in crate::move_::shuffled) fn known<V: Lanes>(
    (level, periods): (Level, usize),
    pattern: &Pattern,
    tables: &Tables<16>,
    loops: RowLoops,
    holds: impl Fn((isize, isize)) -> bool,
) -> Option<KnownRows> {
    let rows = Rows::one(periods * pattern.period(), Cache::Near);
    let count = loops.count();
    let all = Tiles::new(pattern, tables, rows);
    let without = |dropped| Tiles::of(tables, rows, all.count.saturating_sub(dropped), None);
    let fits = |tiles: &Tiles<'_>| {
        let is_covered = tiles.last.is_some() || tiles.count * tables.tile == rows.bytes;
        tiles.count > 0 && (is_covered || count == 1) && holds(loops.reach(tiles.reach))
    };
    let Some(tiles) = [all, without(0), without(1)].into_iter().find(fits) else {
        return spilling::<V>(level, tables, rows, loops, holds);
    };
    Some(KnownRows {
        moved_by: several_rows::<V>,
        level,
        loops,
        bytes: rows.bytes,
        tiles: RowTiles {
            rest: match tiles.last {
                Some(_) => 0,
                None => rows.bytes - tiles.count * tables.tile,
            },
            ..RowTiles::whole(tiles.count)
        },
        spilled: Spilled { each: 0, last: 0 },
        last: tiles.last,
        reach: tiles.reach,
        reach_of_all: loops.reach(tiles.reach),
        #[cfg(target_arch = "x86_64")]
        listed: None,
    })
}

/// Rows by tiles that are no whole vectors, likewise: what the last one has too much lies in later rows, which write it again. Those that have
/// no room for it after them, or whose loads leave the operand, are left to move unit by unit.
fn spilling<V: Lanes>(
    level: Level,
    tables: &Tables<16>,
    row: Rows,
    loops: RowLoops,
    holds: impl Fn((isize, isize)) -> bool,
) -> Option<KnownRows> {
    /// Rows that are left to units at most.
    const MOST_LEFT: usize = 8;
    let (count, inner) = (loops.count(), loops.inner().turns);
    let is_empty = row.bytes == 0 || tables.fill_vectors();
    if is_empty || !loops.touch(row.bytes) || count < 2 * MOST_LEFT {
        return None;
    }
    let all = Rows {
        count,
        dst_stride: row.bytes as isize,
        ..row
    };
    let (tiles, with_room) = Tiles::beyond(tables, all);
    let reach_without = |left: usize| {
        let places = loops.rows().take(count - left).map(|(_, from, _)| from);
        let (low, high) = places.fold((0, 0), |(low, high), at| (at.min(low), at.max(high)));
        (tiles.reach.0 + low, tiles.reach.1 + high)
    };
    let mut left = count - with_room..=MOST_LEFT.min(inner);
    let (left, reach_of_all) = left.find_map(|left| {
        let reach = reach_without(left);
        holds(reach).then_some((left, reach))
    })?;
    Some(KnownRows {
        moved_by: spilling_rows::<V>,
        level,
        loops,
        bytes: row.bytes,
        tiles: RowTiles {
            rest: left * row.bytes,
            ..RowTiles::whole(tiles.count)
        },
        spilled: Spilled {
            each: inner,
            last: inner - left,
        },
        last: None,
        reach: tiles.reach,
        reach_of_all,
        #[cfg(target_arch = "x86_64")]
        listed: None,
    })
}

/// Moves rows that are known to be [`spilling`].
///
/// # Safety
/// As [`several_rows`].
unsafe fn spilling_rows<V: Lanes>(
    shuffle: &Shuffle,
    dst: *mut u8,
    src: *const u8,
    known: &KnownRows,
    low: *const u8,
    high: *const u8,
) {
    let run = Run::new(dst, src, known.bytes, low..high);
    // SAFETY: by the contract of this function; loads of rows that are moved whole lie inside the operand, and what they write past themselves
    // lies in later ones (I4).
    unsafe {
        match shuffle.narrow() {
            Some(narrow) if run.holds(known.reach_of_all) => {
                V::spilling(&run, narrow.of_rows(known.bytes), known);
                let (to, from) = known.loops.last_turn();
                let first = Run {
                    dst: dst.wrapping_offset(to),
                    src: src.wrapping_offset(from),
                    ..run
                };
                for k in known.spilled.last..known.loops.inner().turns {
                    let row = first.row(k, known.rows());
                    units(&row, shuffle.pattern(), 0..known.bytes);
                }
            }
            _ => move_anyhow(shuffle, dst, src, known, low, high),
        }
    }
}

/// Moves the rows of all turns that are moved whole; `run` is the first.
///
/// # Safety
/// As [`spilling_rows`]; the processor has the instructions of `V`.
#[inline(always)]
pub(in crate::move_::shuffled) unsafe fn each_spilling<V: Lanes>(
    run: &Run,
    tables: &Tables<16>,
    known: &KnownRows,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        by_shape!(
            tables,
            spilling_by<V>(run, tables, known),
            spilling_tiles(run, tables, known, &InMemory::<V>::new(tables))
        )
    }
}

/// # Safety
/// As [`each_spilling`], with the tables of that shape.
#[inline(always)]
unsafe fn spilling_by<V: Lanes, const VECTORS: usize, const LOADS: usize>(
    run: &Run,
    tables: &Tables<16>,
    known: &KnownRows,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        let tile = InRegisters::<V, VECTORS, LOADS>::new(tables);
        spilling_tiles(run, tables, known, &tile);
    }
}

/// # Safety
/// As [`each_spilling`], by what moves a tile.
#[inline(always)]
unsafe fn spilling_tiles(run: &Run, tables: &Tables<16>, known: &KnownRows, tile: &impl Tile) {
    let [outermost, around, inner] = known.loops.0;
    let mut turns = outermost.turns * around.turns;
    for (to, from) in Turns::of(outermost).each(run.dst, run.src) {
        for (to, from) in Turns::of(around).each(to, from) {
            turns -= 1;
            let rows = RowLoop {
                turns: known.spilled.of_turn(turns == 0),
                ..inner
            };
            for (mut dst, mut src) in Turns::of(rows).each(to, from) {
                for _ in 0..known.tiles.whole {
                    // SAFETY: by the contract of this function.
                    unsafe { tile.run(src, dst) };
                    dst = dst.wrapping_add(tables.tile);
                    src = src.wrapping_offset(tables.src_stride);
                }
            }
        }
    }
}

/// Moves rows that are [`known`].
///
/// # Safety
/// As [`rows`](super::rows), for all of them, of an operand from `low` to `high`.
unsafe fn several_rows<V: Lanes>(
    shuffle: &Shuffle,
    dst: *mut u8,
    src: *const u8,
    known: &KnownRows,
    low: *const u8,
    high: *const u8,
) {
    let run = Run::new(dst, src, known.bytes, low..high);
    // SAFETY: by the contract of this function; loads of rows that fit lie inside the operand.
    unsafe {
        match shuffle.narrow() {
            Some(narrow) if run.holds(known.reach_of_all) => {
                let (pattern, tables) = (shuffle.pattern(), narrow.of_rows(known.bytes));
                match known.loops.is_one() {
                    true => inside::<V>(&run, pattern, tables, known),
                    false => in_turns::<V>(&run, pattern, tables, known),
                }
            }
            _ => move_anyhow(shuffle, dst, src, known, low, high),
        }
    }
}

/// Moves the rows of several loops, turn by turn of those around the innermost one; `run` is the first.
///
/// # Safety
/// As [`inside`], for all rows.
#[inline(never)]
unsafe fn in_turns<V: Lanes>(run: &Run, pattern: &Pattern, tables: &Tables<16>, known: &KnownRows) {
    known.loops.outer(|to, from| {
        let run = Run {
            dst: run.dst.wrapping_offset(to),
            src: run.src.wrapping_offset(from),
            ..*run
        };
        // SAFETY: by the contract of this function.
        unsafe { inside::<V>(&run, pattern, tables, known) }
    });
}

/// Moves the rows of the innermost loop, of which `run` is the first.
///
/// # Safety
/// As [`several_rows`], for rows whose loads lie inside the operand.
#[inline(always)]
unsafe fn inside<V: Lanes>(run: &Run, pattern: &Pattern, tables: &Tables<16>, known: &KnownRows) {
    // SAFETY: by the contract of this function. By `fitting_rows`, which singles out rows, short runs took up to a quarter longer.
    unsafe {
        if !V::few(run, tables, known) {
            let tiles = Tiles {
                rows: known.rows(),
                places: None,
                count: known.tiles.whole,
                last: known.last,
                reach: known.reach,
            };
            V::tiles(run, tables, &tiles);
        }
        if known.tiles.rest > 0 {
            units(run, pattern, known.bytes - known.tiles.rest..known.bytes);
        }
    }
}
