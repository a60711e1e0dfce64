//! Rows that are known before the call, by AVX-512: nothing is found out, and all of a row's tiles but the last need no mask.
//!
//! Where a row ends with a part of a tile, that is moved whole as long as later rows write again what it has too many. Rows some of whose
//! loads leave the operand are moved one by one, by masks. Long rows go by tiles that are lines of the result, if one begins
//! with a period.

use super::listed;
use super::short::{Short, at_an_end, takes};
use super::tile::{Fetch, Place, WideInRegisters};
use crate::level::Level;
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::move_::shuffled::lanes::by_shape;
use crate::move_::shuffled::{Run, move_anyhow};
use crate::shuffle::{
    KnownRows, LINE, MoveRows, Pattern, RowLoop, RowLoops, Shuffle, Spilled, Tables,
};
use core::ops::Range;

/// A row, or several if they are short, if their tables stay in registers. `holds` says of what tiles read whether it lies inside the operand.
pub(in crate::move_::shuffled) fn known(
    (level, periods): (Level, usize),
    pattern: &Pattern,
    tables: &Tables<64>,
    loops: RowLoops,
    holds: impl Fn((isize, isize)) -> bool,
) -> Option<KnownRows> {
    const fn moving<const VECTORS: usize, const LOADS: usize>(
        (is_one, is_long): (bool, bool),
        by_words: bool,
    ) -> Option<MoveRows> {
        Some(match (is_one, is_long, by_words && LOADS > 1) {
            (true, false, false) => one_row::<VECTORS, LOADS, false, false>,
            (true, false, true) => one_row::<VECTORS, LOADS, true, false>,
            (true, true, false) => one_row::<VECTORS, LOADS, false, true>,
            (true, true, true) => one_row::<VECTORS, LOADS, true, true>,
            (false, _, false) => several_rows::<VECTORS, LOADS, false>,
            (false, _, true) => several_rows::<VECTORS, LOADS, true>,
        })
    }
    const fn listed<const VECTORS: usize, const LOADS: usize>(
        has_ends: bool,
        by_words: bool,
    ) -> Option<MoveRows> {
        Some(match (has_ends, by_words && LOADS > 1) {
            (false, false) => listed::moved::<VECTORS, LOADS, false, false>,
            (false, true) => listed::moved::<VECTORS, LOADS, true, false>,
            (true, false) => listed::moved::<VECTORS, LOADS, false, true>,
            (true, true) => listed::moved::<VECTORS, LOADS, true, true>,
        })
    }
    let (count, bytes) = (loops.count(), periods * pattern.period());
    if count > 1 && !takes(bytes, tables) {
        return None;
    }
    let by_words = tables.words.is_some();
    let row = (count == 1, are_long(bytes, tables));
    let moved_by = by_shape!(tables, moving(row, by_words), None)?;
    let (short, last) = Short::alone(pattern, tables, bytes);
    // Of rows that others follow some are moved by whole tiles only, from where they begin without that: they would read further.
    let short = match count {
        1 => short.ending_with_a_tile(pattern, tables, bytes),
        _ => short,
    };
    let known = KnownRows {
        moved_by,
        level,
        loops,
        bytes,
        tiles: short.tiles,
        spilled: short.spilled_of(&loops, bytes),
        last,
        reach: short.reach,
        reach_of_all: loops.reach(short.reach),
        listed: None,
    };
    Some(match listed::of(&known, tables, holds) {
        None => known,
        Some(tiles) => KnownRows {
            moved_by: by_shape!(tables, listed(!tiles.at_ends.is_empty(), by_words), None)?,
            listed: Some(tiles),
            ..known
        },
    })
}

/// Moves a row that is [`known`], by the tables of that shape; a `LONG` one by tiles that are lines of the result.
///
/// # Safety
/// The processor has AVX-512 F, BW, VL, DQ and VBMI; what the pattern names for the rows from `src` on lies inside the operand, from `low` to
/// `high`, and their bytes are writable from `dst` on. One that is said to be long [is long](are_long).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
unsafe fn one_row<const VECTORS: usize, const LOADS: usize, const WORDS: bool, const LONG: bool>(
    shuffle: &Shuffle,
    dst: *mut u8,
    src: *const u8,
    known: &KnownRows,
    low: *const u8,
    high: *const u8,
) {
    // SAFETY: by the contract of this function; the loads of a row that fits lie inside the operand, and one that is long has room for its
    // tiles.
    unsafe {
        let Some(tables) = shuffle.wide() else {
            return move_anyhow(shuffle, dst, src, known, low, high);
        };
        if !Run::new(dst, src, known.bytes, low..high).holds(known.reach) {
            return one_row_at_an_end::<VECTORS, LOADS>(tables, dst, src, known, low, high);
        }
        let in_registers = WideInRegisters::<VECTORS, LOADS, WORDS>::new(tables);
        match LONG && VECTORS == 1 {
            true => in_registers.long_row(tables, (src, dst), known),
            false => {
                in_registers.row::<false, 0, false>(tables, (src, dst), known.tiles, Fetch::NONE);
                in_registers.last(known, (src, dst));
            }
        }
    }
}

/// The same for a row some of whose loads leave the operand. Told in registers what [`one_row`] is told, which has only to jump here, and
/// nothing to keep for it.
///
/// # Safety
/// As [`one_row`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline(never)]
unsafe fn one_row_at_an_end<const VECTORS: usize, const LOADS: usize>(
    tables: &Tables<64>,
    dst: *mut u8,
    src: *const u8,
    known: &KnownRows,
    low: *const u8,
    high: *const u8,
) {
    let row = Run::new(dst, src, known.bytes, low..high);
    // SAFETY: by the contract of this function.
    unsafe { at_an_end::<VECTORS, LOADS>(&row, tables) };
}

/// Whether rows of so many bytes are so long that their tiles, of one line, had better be lines of the result: shorter ones are over before
/// those at both ends have paid, and several loads take their time anyway.
fn are_long(bytes: usize, tables: &Tables<64>) -> bool {
    let least = match tables.per_vector {
        1 => 20 * LINE,
        _ => 128 * LINE,
    };
    bytes >= least && (tables.tile, tables.given) == (LINE, LINE)
}

/// The same for rows.
///
/// # Safety
/// As [`one_row`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
unsafe fn several_rows<const VECTORS: usize, const LOADS: usize, const WORDS: bool>(
    shuffle: &Shuffle,
    dst: *mut u8,
    src: *const u8,
    known: &KnownRows,
    low: *const u8,
    high: *const u8,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        let Some(tables) = shuffle.wide() else {
            return move_anyhow(shuffle, dst, src, known, low, high);
        };
        if !Run::new(dst, src, known.bytes, low..high).holds(known.reach_of_all) {
            return at_the_ends::<VECTORS, LOADS>(tables, dst, src, known, low, high);
        }
        if (VECTORS, LOADS) == (1, 1) && are_long(known.bytes, tables) {
            return long_rows::<VECTORS, LOADS, WORDS>(tables, dst, src, known);
        }
        match known.loops.is_one() {
            true => {
                let rows = known.spilled.last..known.loops.inner().turns;
                inside::<VECTORS, LOADS, WORDS>(tables, dst, src, known, rows);
            }
            false => in_turns::<VECTORS, LOADS, WORDS>(tables, dst, src, known),
        }
    }
}

/// Moves known rows of several loops, turn by turn of those around the innermost one.
///
/// # Safety
/// As [`inside`], for all rows.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline(never)]
unsafe fn in_turns<const VECTORS: usize, const LOADS: usize, const WORDS: bool>(
    tables: &Tables<64>,
    dst: *mut u8,
    src: *const u8,
    known: &KnownRows,
) {
    let turns = known.loops.inner().turns;
    let mut left = known.loops.count();
    known.loops.outer(|to, from| {
        left -= turns;
        let rows = known.spilled.of_turn(left == 0)..turns;
        let (dst, src) = (dst.wrapping_offset(to), src.wrapping_offset(from));
        // SAFETY: by the contract of this function.
        unsafe { inside::<VECTORS, LOADS, WORDS>(tables, dst, src, known, rows) };
    });
}

/// Moves known rows of the innermost loop, up to the end of `rows`, and the tiles of those before its start whole.
///
/// # Safety
/// As [`one_row`], for rows whose loads lie inside the operand; what is too much for one lies in later rows.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline(never)]
unsafe fn inside<const VECTORS: usize, const LOADS: usize, const WORDS: bool>(
    tables: &Tables<64>,
    mut dst: *mut u8,
    mut src: *const u8,
    known: &KnownRows,
    rows: Range<usize>,
) {
    let in_registers = WideInRegisters::<VECTORS, LOADS, WORDS>::new(tables);
    let (tiles, apart) = (known.tiles, known.loops.inner().apart);
    // SAFETY: by the contract of this function.
    unsafe {
        for _ in 0..rows.start {
            let all = tiles.whole + tiles.cut;
            in_registers.tiles::<false, 0>(tables, (src, dst), all, Fetch::NONE);
            in_registers.last(known, (src, dst));
            dst = dst.wrapping_offset(apart.0);
            src = src.wrapping_offset(apart.1);
        }
        for _ in rows {
            in_registers.row::<false, 0, false>(tables, (src, dst), tiles, Fetch::NONE);
            dst = dst.wrapping_offset(apart.0);
            src = src.wrapping_offset(apart.1);
        }
    }
}

/// Moves known rows that [are long](are_long).
///
/// # Safety
/// As [`inside`], for all rows.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline(never)]
unsafe fn long_rows<const VECTORS: usize, const LOADS: usize, const WORDS: bool>(
    tables: &Tables<64>,
    dst: *mut u8,
    src: *const u8,
    known: &KnownRows,
) {
    let in_registers = WideInRegisters::<VECTORS, LOADS, WORDS>::new(tables);
    let RowLoop { turns, apart } = known.loops.inner();
    known.loops.outer(|to, from| {
        let (mut src, mut dst) = (src.wrapping_offset(from), dst.wrapping_offset(to));
        for _ in 0..turns {
            // SAFETY: by the contract of this function.
            unsafe { in_registers.long_row(tables, (src, dst), known) };
            src = src.wrapping_offset(apart.1);
            dst = dst.wrapping_offset(apart.0);
        }
    });
}

/// The same where some rows have loads that lie outside the operand: the first ones of a loop, or the last ones.
///
/// # Safety
/// As [`one_row`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline(never)]
unsafe fn at_the_ends<const VECTORS: usize, const LOADS: usize>(
    tables: &Tables<64>,
    dst: *mut u8,
    src: *const u8,
    known: &KnownRows,
    low: *const u8,
    high: *const u8,
) {
    let rows = known.rows();
    let mut left = known.loops.count();
    known.loops.outer(|to, from| {
        let (dst, src) = (dst.wrapping_offset(to), src.wrapping_offset(from));
        let first = Run::new(dst, src, known.bytes, low..high);
        let fits = |k: usize| first.row(k, rows).holds(known.reach);
        let start = (0..rows.count).find(|&k| fits(k)).unwrap_or(rows.count);
        let end = (start..rows.count)
            .rfind(|&k| fits(k))
            .map_or(start, |k| k + 1);
        left -= rows.count;
        let spilled = known.spilled.of_turn(left == 0);
        // SAFETY: by the contract of this function; the loads of rows between two that fit lie inside the operand.
        unsafe {
            (0..start).for_each(|k| at_an_end::<VECTORS, LOADS>(&first.row(k, rows), tables));
            let (next, left) = (first.row(start, rows), end - start);
            let between = spilled.clamp(start, end) - start..left;
            inside::<VECTORS, LOADS, false>(tables, next.dst, next.src, known, between);
            (end..rows.count)
                .for_each(|k| at_an_end::<VECTORS, LOADS>(&first.row(k, rows), tables));
        }
    });
}

impl Short {
    /// The rows of known ones whose tiles are moved whole.
    fn spilled_of(&self, loops: &RowLoops, bytes: usize) -> Spilled {
        let (inner, count) = (loops.inner(), loops.count());
        let spilling = |count, apart| {
            let rows = Rows {
                count,
                dst_stride: apart,
                ..Rows::one(bytes, Cache::Near)
            };
            self.spilling(&rows)
        };
        let each = inner.turns;
        if self.tiles.cut == 0 {
            return Spilled { each, last: each };
        }
        // Those without room are the last ones of all, where turns touch.
        let without = loops
            .touch(bytes)
            .then(|| count - spilling(count, bytes as isize));
        match without.and_then(|without| each.checked_sub(without)) {
            Some(last) => Spilled { each, last },
            None => {
                let each = spilling(each, inner.apart.0);
                Spilled { each, last: each }
            }
        }
    }
}

impl<const VECTORS: usize, const LOADS: usize, const WORDS: bool>
    WideInRegisters<VECTORS, LOADS, WORDS>
{
    /// Moves a row by tiles that are lines of the result, if one begins with a period, and a tile at each end that overlaps these.
    ///
    /// # Safety
    /// As [`one_row`], for the row at the place, whose loads lie inside the operand; it [is long](are_long).
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    unsafe fn long_row(&self, tables: &Tables<64>, (src, dst): Place, known: &KnownRows) {
        let (period, stride) = tables.period;
        let place = |at: usize| {
            let periods = (at / period) as isize;
            (src.wrapping_offset(periods * stride), dst.wrapping_add(at))
        };
        let to_line = dst.addr().wrapping_neg() % LINE;
        let first = if to_line.is_multiple_of(period) {
            to_line
        } else {
            0
        };
        let end = known.bytes - LINE;
        // SAFETY: by the contract of this function: each tile lies within the row, and begins with a period.
        unsafe {
            if first > 0 {
                self.tile(dst, src);
            }
            let lines = (end - first).div_ceil(LINE);
            self.tiles::<false, 0>(tables, place(first), lines, Fetch::NONE);
            let (src, dst) = place(end);
            self.tile(dst, src);
        }
    }

    /// Moves the tile that ends with a known row and overlaps the one before it, if there is one.
    ///
    /// # Safety
    /// As [`one_row`], for the row at the place.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    unsafe fn last(&self, known: &KnownRows, (src, dst): Place) {
        if let Some((at, place)) = known.last {
            // SAFETY: by the contract of this function.
            unsafe { self.tile(dst.add(at), src.offset(place)) };
        }
    }
}
