//! Rows of a pattern as rows of its units: bytes that stay together are found in registers and in columns wherever they lie, so what a row
//! is takes no time of its own.

use super::{KeptPlaces, MOST_KEPT, Starts, Turns, avx512, columns, near, window_of};
use crate::level::{Kind, Level};
use crate::move_::copy::Rows;
use crate::shuffle::Pattern;
use core::mem::MaybeUninit;

/// What finding the places of units costs, in half cycles: once, and for each.
const SETUP: usize = 1000;
const OF_UNIT: usize = 8;

/// Moves rows that are each `count` periods of a pattern, where their units are near each other; gives what is left, from each of the starts.
///
/// # Safety
/// As [`super::moved`], of such rows.
pub(super) unsafe fn moved<'a>(
    level: Level,
    starts: Starts<'a>,
    rows: Rows,
    (pattern, count): (&Pattern, usize),
    places: KeptPlaces<'_>,
    turns: Turns,
) -> (Starts<'a>, Turns) {
    let bytes = pattern.unit();
    let of_row = rows.bytes / bytes;
    let units = Rows {
        count: rows.count.saturating_mul(of_row),
        dst_stride: bytes as isize,
        ..Rows::one(bytes, rows.cache)
    };
    let (first, end) = pattern.reads(count);
    let span = first.abs_diff(end);
    let reach = (places.reach - rows.bytes).saturating_add(span);
    let by_rows = rows.count * cost_of_row(level, span);
    if !rows.touch() || !pays(level, &units, reach, by_rows, starts.count(), turns) {
        return (starts, turns);
    }
    let mut each = [const { MaybeUninit::uninit() }; MOST_KEPT];
    let each = &mut each[..units.count];
    let (of_first, others) = each.split_at_mut(of_row);
    let of_units = pattern.places().step_by(bytes);
    for (unit, at) in of_first.iter_mut().zip(of_units) {
        unit.write(places.each[0] + at - first);
    }
    // SAFETY: all of them are written, of as many as a row has.
    let of_first = unsafe { &*(&raw const *of_first as *const [isize]) };
    for (row, place) in others.chunks_mut(of_row).zip(&places.each[1..]) {
        let further = place - places.each[0];
        for (unit, of_first) in row.iter_mut().zip(of_first) {
            unit.write(of_first + further);
        }
    }
    // SAFETY: all of them are written, by as many rows as there are places.
    let each = unsafe { &*(&raw const *each as *const [isize]) };
    let places = KeptPlaces { each, reach };
    let window = window_of(level, &units, reach, starts.count(), turns);
    let starts = starts.shifted(first);
    // SAFETY: by the contract of this function: what the rows of all entries read is readable, from the first byte to the last.
    let (starts, turns) = unsafe { near(level, starts, units, places, turns, window) };
    (starts.shifted(-first), turns)
}

/// Whether units that may lie anywhere within `reach` bytes take less time than the rows that they are, which cost so much in a turn.
fn pays(
    level: Level,
    units: &Rows,
    reach: usize,
    by_rows: usize,
    starts: usize,
    turns: Turns,
) -> bool {
    let (turns_of_all, setup) = (starts * turns.count, SETUP + OF_UNIT * units.count);
    if units.count > MOST_KEPT || by_rows.saturating_mul(turns_of_all) < setup {
        return false;
    }
    let by_registers = match level.kind() {
        Kind::Avx512 => avx512::cost_of_near(units, reach, starts, turns),
        Kind::Avx2 => None,
        Kind::Scalar => return false,
    };
    let by_columns = columns::are_near(level, units, reach).then(|| columns::cost(units, reach));
    let cost = by_registers.or(by_columns);
    let saved = cost.and_then(|cost| by_rows.checked_sub(cost));
    saved.is_some_and(|saved| saved.saturating_mul(turns_of_all) >= setup)
}

/// What a row of a pattern that reads `span` bytes costs by itself, in half cycles.
fn cost_of_row(level: Level, span: usize) -> usize {
    match (level.kind(), span) {
        (Kind::Avx512, ..=16) => 4,
        (Kind::Avx512, ..=32) => 6,
        (_, ..=16) | (Kind::Avx512, ..=64) => 9,
        _ => 18,
    }
}
