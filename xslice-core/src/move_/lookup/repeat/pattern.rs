//! Rows of turns that follow each other closely, as a pattern that is known once the indices are: channels in another order, some columns of
//! narrow tables. A vector moves the rows of many turns at once.

use super::{KeptPlaces, Turns};
use crate::level::Level;
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::shuffle::{Pattern, Shuffle};
use alloc::vec::Vec;

/// Fewer rows have moved before the tables are made.
const LEAST_ROWS: usize = 4096;

/// What the tables cost at most, in half cycles.
const TABLES: usize = 48_000;

/// What a load, its permutation and the stores cost, likewise.
const LOAD: usize = 5;

/// Bytes of the vectors that are loaded.
const VECTOR: usize = 16;

/// Whether the rows of all turns may be a pattern, whatever their places are.
pub(super) fn takes(rows: &Rows, reach: usize, turns: Turns) -> bool {
    let period = rows.count.saturating_mul(rows.bytes);
    rows.touch()
        && turns.dst_stride == period as isize
        && (1..=Pattern::LONGEST).contains(&period)
        && rows.count.saturating_mul(turns.count) >= LEAST_ROWS
        && reach <= Pattern::WIDEST
}

/// Moves `rows` in each of the turns. `false`, and nothing is moved, where they are no pattern that vectors read at less cost than rows.
///
/// # Safety
/// As [`super::moved`].
pub(super) unsafe fn moved(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
) -> bool {
    let Some(shuffle) = shuffle(level, &rows, places, turns) else {
        return false;
    };
    let bytes = shuffle.pattern().period() * turns.count;
    let last = src.wrapping_offset((turns.count - 1) as isize * turns.src_stride);
    let operand = src.min(last)..src.max(last).wrapping_add(places.reach);
    // SAFETY: by the contract of this function, which says of all between two turns that it is readable, as what each of them reaches.
    unsafe { shuffle.rows(level, dst, src, Rows::one(bytes, Cache::of(bytes)), operand) };
    true
}

fn shuffle(
    level: Level,
    rows: &Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
) -> Option<Shuffle> {
    if !takes(rows, places.reach, turns) {
        return None;
    }
    let bytes = |&place: &isize| (place..).take(rows.bytes).map(|at| at as i32);
    let offsets: Vec<i32> = places.each.iter().flat_map(bytes).collect();
    let saved = cost_of_rows(rows.count).checked_sub(cost_of_loads(&offsets, turns.src_stride))?;
    if saved.saturating_mul(turns.count) < TABLES {
        return None;
    }
    let pattern = Pattern::new(offsets, Some(turns.src_stride as i64), true, None)?;
    let shuffle = Shuffle::new(pattern);
    let (_, narrow) = shuffle.tables(level);
    narrow.is_some().then_some(shuffle)
}

/// What so many rows of a turn cost, in half cycles: eight are put into vectors, those that are left move one by one.
fn cost_of_rows(count: usize) -> usize {
    count + 6 * (count % 8)
}

/// What the loads of a turn cost, before tables say how many these are: as many for each vector of the result as its bytes span.
fn cost_of_loads(offsets: &[i32], src_stride: isize) -> usize {
    let in_vector = (VECTOR / offsets.len()).max(1);
    let others = (in_vector - 1) * src_stride.unsigned_abs();
    let loads = |vector: &[i32]| {
        let ends = vector.iter().min().zip(vector.iter().max());
        let span = ends.map_or(0, |(low, high)| low.abs_diff(*high) as usize);
        (span + others) / VECTOR + 1
    };
    let loads: usize = offsets.chunks(VECTOR).map(loads).sum();
    (LOAD * loads).div_ceil(in_vector)
}
