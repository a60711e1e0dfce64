//! Rows that are known before the call, by vectors of 16 bytes.

use super::{Lanes, Tiles};
use crate::level::Level;
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::move_::shuffled::{Run, move_anyhow, units};
use crate::shuffle::{KnownRows, Pattern, RowLoops, RowTiles, Shuffle, Spilled, Tables};

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
    let tiles = [all, without(0), without(1)].into_iter().find(fits)?;
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
