//! Known rows tile by tile: where each one lies is found when they are planned, so that no loop over short rows is walked to find it again.

use super::tile::{Place, WideInRegisters};
use crate::move_::shuffled::{Run, move_anyhow};
use crate::shuffle::{KnownRows, ListedTiles, RowTiles, Shuffle, Tables, TileAt};
use alloc::vec::Vec;

/// The list of more tiles takes as much of the first cache as they do.
const MOST: usize = 256;

/// So many tiles are listed whatever their rows are.
const FEW: usize = 48;

/// More tiles only of rows of so many: longer ones are quicker by a loop over these.
const SHORT_ROW: usize = 2;

/// The same where these are all that a turn of the loops around the innermost one moves.
const SHORT_TURN: usize = 16;

/// The tiles of several rows, if they are few. `holds` says of what one reads whether it lies inside the operand.
pub(super) fn of(
    known: &KnownRows,
    tables: &Tables<64>,
    holds: impl Fn((isize, isize)) -> bool,
) -> Option<ListedTiles> {
    let RowTiles {
        whole,
        cut,
        earlier,
        ..
    } = known.tiles;
    let tiles_of_row = whole + cut + usize::from(known.last.is_some());
    let rows = known.loops.count();
    let of_turn = known.loops.inner().turns;
    let tiles = rows.checked_mul(tiles_of_row)?;
    let are_short =
        tiles_of_row <= SHORT_ROW || !known.loops.is_one() && of_turn * tiles_of_row <= SHORT_TURN;
    debug_assert!(rows == 1 || earlier == (0, 0), "none begins earlier");
    if rows < 2 || tiles > MOST || tiles > FEW && !are_short {
        return None;
    }
    let mut list = ListedTiles {
        whole: Vec::with_capacity(tiles),
        ..ListedTiles::default()
    };
    let mut read: Option<(isize, isize)> = None;
    for (at, (to, from, turn)) in known.loops.rows().enumerate() {
        let is_spilled = turn < known.spilled.of_turn(at + of_turn - turn == rows);
        let each = (0..whole + cut).map(|k| (k * tables.tile, k as isize * tables.src_stride));
        for (k, (within, further)) in each.chain(known.last).enumerate() {
            let (to, from) = (to + within as isize, from + further);
            let tile = TileAt {
                to: to.try_into().ok()?,
                from: from.try_into().ok()?,
            };
            let (first, end) = (from + tables.reach.0, from + tables.reach.1);
            let given = (known.bytes - within).min(tables.given);
            let is_cut = (whole..whole + cut).contains(&k) && !is_spilled;
            if !holds((first, end)) {
                list.at_ends.push((tile, given));
                continue;
            }
            let (low, high) = read.unwrap_or((first, end));
            read = Some((low.min(first), high.max(end)));
            match is_cut {
                true => list.cut.push((tile, given)),
                false => list.whole.push(tile),
            }
        }
    }
    list.reach = read.unwrap_or_default();
    Some(list)
}

/// Moves rows that are listed, by the tables of that shape. Without `ENDS` there are no tiles at the ends, and nothing is kept for them.
///
/// # Safety
/// As [`super::known::one_row`], for all of them.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
pub(super) unsafe fn moved<
    const VECTORS: usize,
    const LOADS: usize,
    const WORDS: bool,
    const ENDS: bool,
>(
    shuffle: &Shuffle,
    dst: *mut u8,
    src: *const u8,
    known: &KnownRows,
    low: *const u8,
    high: *const u8,
) {
    // SAFETY: by the comparison with their reach the loads of tiles that are not at an end lie inside the operand (I3), and those of the others
    // are masked; what a store has too many a later one writes again (I4), or it is masked.
    unsafe {
        let (Some(tables), Some(tiles)) = (shuffle.wide(), &known.listed) else {
            return move_anyhow(shuffle, dst, src, known, low, high);
        };
        let run = Run::new(dst, src, known.bytes, low..high);
        if !run.holds(tiles.reach) {
            return move_anyhow(shuffle, dst, src, known, low, high);
        }
        let in_registers = WideInRegisters::<VECTORS, LOADS, WORDS>::new(tables);
        // Where a processor has a load wait for the places of all stores before it, those of four tiles are known at once.
        let (fours, others) = tiles.whole.as_chunks::<4>();
        for &four in fours {
            for tile in four {
                let (src, dst) = tile.place(src, dst);
                in_registers.tile(dst, src);
            }
        }
        for tile in others {
            let (src, dst) = tile.place(src, dst);
            in_registers.tile(dst, src);
        }
        for &(tile, bytes) in &tiles.cut {
            let (src, dst) = tile.place(src, dst);
            in_registers.cut(dst, src, bytes, LOADS);
        }
        if ENDS {
            at_ends::<VECTORS, LOADS>(&run, tables, &tiles.at_ends);
        }
    }
}

/// Moves tiles some of whose loads leave the operand, by the places of the first row.
///
/// # Safety
/// As [`moved`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline(never)]
unsafe fn at_ends<const VECTORS: usize, const LOADS: usize>(
    first: &Run,
    tables: &Tables<64>,
    tiles: &[(TileAt, usize)],
) {
    let in_registers = WideInRegisters::<VECTORS, LOADS>::new(tables);
    for &(tile, bytes) in tiles {
        // SAFETY: by the contract of this function; what lies outside the operand and the row is masked.
        unsafe { in_registers.masked(first, tables, tile.place(first.src, first.dst), bytes) };
    }
}

impl TileAt {
    /// The places of the tile, by those of the first row.
    #[inline(always)]
    fn place(self, src: *const u8, dst: *mut u8) -> Place {
        let (from, to) = (self.from as isize, self.to as isize);
        (src.wrapping_offset(from), dst.wrapping_offset(to))
    }
}

#[cfg(test)]
mod tests {
    use super::super::known::known;
    use crate::level::Level;
    use crate::shuffle::{Anchor, Pattern, RowLoops, Tables};

    /// Rows of lines that are read backwards in units of 4 bytes, side by side.
    fn tiles(
        extents: &[usize],
        lines: usize,
        holds: impl Fn((isize, isize)) -> bool,
    ) -> Option<[usize; 2]> {
        let pattern = Pattern::new((0..4).collect(), Some(-4), false, Anchor::First)?;
        let tables = Tables::<64>::wide(&pattern)?;
        let mut stride = 64 * lines as i64;
        let mut strides = [0; 3];
        let strides = &mut strides[..extents.len()];
        for (at, extent) in strides.iter_mut().zip(extents).rev() {
            *at = stride;
            stride *= *extent as i64;
        }
        let loops = RowLoops::new(extents, strides, strides)?;
        let known = known((Level::best(), 16 * lines), &pattern, &tables, loops, holds)?;
        let listed = known.listed?;
        assert!(listed.cut.is_empty());
        Some([listed.whole.len(), listed.at_ends.len()])
    }

    #[test]
    fn a_few_tiles_of_short_rows_and_turns_are_listed() {
        let inside = |_| true;
        assert_eq!(tiles(&[256], 1, inside), Some([256, 0]));
        assert_eq!(tiles(&[257], 1, inside), None);
        assert_eq!(tiles(&[1], 1, inside), None);
        assert_eq!(tiles(&[100], 2, inside), Some([200, 0]));
        assert_eq!(tiles(&[16], 3, inside), Some([48, 0]));
        assert_eq!(tiles(&[17], 3, inside), None);
        assert_eq!(tiles(&[8, 5], 3, inside), Some([120, 0]));
        assert_eq!(tiles(&[8, 4], 5, inside), None);
        assert_eq!(tiles(&[0, 5], 3, inside), None);
        // The first row begins with the operand.
        let after = |(first, _)| first >= 0;
        assert_eq!(tiles(&[10], 1, after), Some([9, 1]));
    }
}
