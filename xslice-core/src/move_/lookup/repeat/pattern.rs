//! Rows of turns that follow each other closely, as a pattern that is known once the indices are: channels in another order, some columns of
//! narrow tables. A vector moves the rows of many turns at once.

use super::{KeptPlaces, Turns, columns};
use crate::level::Level;
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::shuffle::{Named, Pattern, Shuffle};
use alloc::sync::Arc;

/// Fewer rows have moved before the tables are made.
const LEAST_ROWS: usize = 1024;

/// What the tables cost, in half cycles.
const TABLES: usize = 24_000;

/// What finding them costs, and keeping them for later calls with the same places, which have them from the second on.
const LEAST_SAVED: usize = if cfg!(feature = "std") { 4000 } else { TABLES };

/// Bytes of the vectors that are loaded.
const VECTOR: usize = 16;

/// Whether the rows of all turns may be a pattern, whatever their places are.
fn takes(rows: &Rows, reach: usize, turns: Turns) -> bool {
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
) -> Option<Arc<Shuffle>> {
    if !takes(rows, places.reach, turns) {
        return None;
    }
    let mut offsets = [0; Pattern::LONGEST];
    let bytes = |&place: &isize| (place as i32..).take(rows.bytes);
    let bytes = places.each.iter().flat_map(bytes);
    for (offset, byte) in offsets.iter_mut().zip(bytes) {
        *offset = byte;
    }
    let named = Named {
        offsets,
        period: rows.count * rows.bytes,
        src_stride: i32::try_from(turns.src_stride).ok()?,
    };
    let loads = cost_of_loads(&named.offsets[..named.period], named.src_stride);
    let saved = cost_of_rows(level, rows, places.reach).checked_sub(loads)?;
    let saved = saved.saturating_mul(turns.count);
    if saved < LEAST_SAVED {
        return None;
    }
    let (shuffle, is_known) = named.shuffle()?;
    let has_tables = (is_known || saved >= TABLES) && shuffle.tables(level).1.is_some();
    has_tables.then_some(shuffle)
}

/// What the rows of a turn cost, in half cycles: eight are put into vectors, those that are left move one by one; some are found in columns.
fn cost_of_rows(level: Level, rows: &Rows, reach: usize) -> usize {
    let (eights, rest) = (rows.count / 8, rows.count % 8);
    let one_by_one = match eights {
        0 if rows.bytes < 8 => 3 * rest,
        0 => 5 * rest,
        _ => 24 * eights + 4 * rest,
    };
    match columns::are_near(level, rows, reach) {
        true => one_by_one.min(8 + (reach + rows.count * rows.bytes) / 5),
        false => one_by_one,
    }
}

/// What the loads of a turn cost, before tables say how many these are: as many as give each vector of the result. The tables of a few
/// vectors, of few loads each, stay in registers.
fn cost_of_loads(offsets: &[i32], src_stride: i32) -> usize {
    let in_vector = (VECTOR / offsets.len()).max(1);
    let (mut most, mut all) = (0, 0);
    for vector in offsets.chunks(VECTOR) {
        let loads = loads_of(vector, in_vector, src_stride);
        most = most.max(loads);
        all += loads;
    }
    let each = match (offsets.len().div_ceil(VECTOR), most) {
        (1, ..=8) | (_, ..=4) => 4,
        _ => 8,
    };
    (each * all).div_ceil(in_vector)
}

/// Loads that give these bytes of `turns` turns, which a vector has room for: each begins with the first byte that no other has given.
fn loads_of(bytes: &[i32], turns: usize, src_stride: i32) -> usize {
    const GIVEN: i64 = i64::MAX;
    let of_turn = |turn: i64| {
        let place = turn * i64::from(src_stride);
        bytes.iter().map(move |&at| place + i64::from(at))
    };
    let mut left = [GIVEN; VECTOR];
    for (left, at) in left.iter_mut().zip((0..turns as i64).flat_map(of_turn)) {
        *left = at;
    }
    let mut loads = 0;
    while let Some(first) = left.into_iter().min().filter(|&first| first != GIVEN) {
        let load = first..first + VECTOR as i64;
        let given = left.iter_mut().filter(|at| load.contains(at));
        given.for_each(|at| *at = GIVEN);
        loads += 1;
    }
    loads
}
