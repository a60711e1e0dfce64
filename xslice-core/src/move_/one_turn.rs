//! One turn of a schedule: what every call does in the end, and all that a short one does.
//!
//! A call that is one turn comes here as soon as its buffers have been compared, with nothing set up for loops. Most of these are over in some
//! nanoseconds, so that what is not needed for each stands out of the way of the others.

use super::{copy, fill, rows};
use crate::level::Level;
use crate::nest::schedule::{Fill, KnownMove, KnownPicks, Move, Schedule, Strided};
use crate::plan::{OneTurn, Picks};
use crate::shuffle::KnownRows;
use crate::sources::Sources;

/// Runs what is one turn of one Move, by the best level.
#[inline]
pub(crate) fn only_turn(turn: OneTurn<'_>) {
    // SAFETY: holding the turn is the proof that the call has the lengths for which the schedule was verified, and that the index which it
    // begins at, if any, has been tested (I3).
    unsafe { only_turn_of(turn.schedule, (turn.start, turn.at), turn.dst) };
}

/// Most calls of one turn are short, and this puts nothing on the stack.
///
/// # Safety
/// As [`full_turn`], from and to these places.
#[inline(never)]
unsafe fn only_turn_of(schedule: &Schedule, source: (*const u8, i64), dst: *mut u8) {
    // What is known is known for the best level: it need not be asked which that is.
    let level = schedule
        .known()
        .map_or_else(Level::settled, KnownMove::level);
    // SAFETY: by the contract of this function.
    unsafe { full_turn(level, schedule, dst, source) };
}

/// Runs what is one turn of one Move, by indices. `false`: one lies outside its axis, and the result holds anything.
#[inline]
pub(crate) fn only_picks(picks: Picks<'_>) -> bool {
    let Picks { turn, table } = picks;
    let Some(known) = turn.schedule.known_picks() else {
        only_turn(turn);
        return true;
    };
    let from = turn.start.wrapping_offset(turn.at as isize);
    // SAFETY: holding the picks is the proof that the call has the lengths for which the schedule was verified, and that the first of its
    // indices lies there; each is tested before it is used (I3).
    unsafe { known.run(turn.dst, from, table) }
}

/// Moves the known rows that the schedule's Lookup finds, all of them. `false`: an index lies outside its axis.
///
/// # Safety
/// As [`nest`](super::nest).
#[inline]
pub(super) unsafe fn picked(
    schedule: &Schedule,
    picks: &KnownPicks,
    sources: &Sources<'_>,
    dst: *mut u8,
) -> bool {
    let Some(lookup) = schedule.inner().lookup() else {
        debug_assert!(false, "picks are known of look-ups");
        return false;
    };
    // SAFETY: by the contract of this function; the first turn begins at the offsets.
    unsafe {
        let dst = dst.offset(schedule.dst().offset as isize);
        let src = sources.start_of(schedule.source());
        let src = src.wrapping_offset(schedule.src().offset as isize);
        let table = sources.start(lookup.table);
        picks.run(dst, src, table.offset(lookup.access.offset as isize))
    }
}

/// One turn of a schedule whose move reads no index, from position `at` of the source, which starts at `start`: all rows or runs where they
/// are known. `false`: it reads indices, and nothing has moved.
///
/// # Safety
/// As `Call::inner`, for these places.
#[inline(always)]
pub(super) unsafe fn full_turn(
    level: Level,
    schedule: &Schedule,
    to: *mut u8,
    (start, at): (*const u8, i64),
) -> bool {
    let from = start.wrapping_offset(at as isize);
    // SAFETY: by the contract of this function; what a schedule keeps is known of its own Move.
    unsafe {
        match schedule.known() {
            Some(KnownMove::Runs(runs)) => runs.run(level, to, from),
            Some(KnownMove::Rows(rows)) => known_turn(level, schedule, rows, to, (start, from)),
            Some(KnownMove::Values(values)) if values.level == level => {
                debug_assert_eq!(at, schedule.src().offset, "they are known from there on");
                (values.written_by)(to, values);
            }
            Some(KnownMove::Values(_)) | None => {
                return turn(level, schedule, schedule.inner().count(), to, (start, at));
            }
        }
    }
    true
}

/// Moves the known rows of the schedule's Shuffle.
///
/// # Safety
/// As [`full_turn`].
#[inline(always)]
pub(super) unsafe fn known_turn(
    level: Level,
    schedule: &Schedule,
    known: &KnownRows,
    to: *mut u8,
    (start, from): (*const u8, *const u8),
) {
    let Move::Shuffle(periods) = schedule.inner() else {
        return debug_assert!(false, "rows are known of shuffles");
    };
    let operand = periods.operand(start);
    // SAFETY: by the contract of this function.
    unsafe {
        periods.shuffle.run_known(level, to, from, known, operand);
    }
}

/// One turn of `count` elements, likewise.
///
/// # Safety
/// As [`full_turn`].
#[inline(always)]
pub(super) unsafe fn turn(
    level: Level,
    schedule: &Schedule,
    count: usize,
    to: *mut u8,
    (start, at): (*const u8, i64),
) -> bool {
    // A Range has no place in memory.
    let from = start.wrapping_offset(at as isize);
    // SAFETY: by the contract of this function.
    unsafe {
        match schedule.inner() {
            Move::Copy { .. } => copy_turn(level, to, from, count),
            Move::Strided(strided) => strided_turn(level, schedule, strided, count, to, from),
            Move::Shuffle(_) => shuffle_turn(level, schedule, count, to, (start, from)),
            Move::Fill(fill) => fill_turn(level, to, count, at, fill),
            Move::Lookup(_) => return false,
        }
    }
    true
}

// The arms of `turn`, each out of the way of the others: what one of them has to remember, no other has to save.

/// # Safety
/// As [`turn`].
#[inline(never)]
unsafe fn copy_turn(level: Level, to: *mut u8, from: *const u8, bytes: usize) {
    // SAFETY: by the contract of this function.
    unsafe { rows::one(level, to, from, bytes) };
}

/// # Safety
/// As [`turn`], of a schedule with this move.
#[inline(never)]
unsafe fn strided_turn(
    level: Level,
    schedule: &Schedule,
    strided: &Strided,
    count: usize,
    to: *mut u8,
    from: *const u8,
) {
    let rows = schedule.rows_of(strided, count);
    // SAFETY: by the contract of this function.
    unsafe { copy::strided(level, to, from, rows) };
}

/// Finds its periods in the schedule, as [`known_turn`] does.
///
/// # Safety
/// As [`turn`]; the source starts at `start`.
#[inline(never)]
unsafe fn shuffle_turn(
    level: Level,
    schedule: &Schedule,
    count: usize,
    to: *mut u8,
    (start, from): (*const u8, *const u8),
) {
    let Move::Shuffle(periods) = schedule.inner() else {
        return;
    };
    let operand = periods.operand(start);
    // SAFETY: by the contract of this function.
    unsafe { periods.shuffle.run(level, to, from, count, operand) };
}

/// # Safety
/// As [`turn`].
#[inline(never)]
unsafe fn fill_turn(level: Level, to: *mut u8, count: usize, first: i64, fill: &Fill) {
    // SAFETY: by the contract of this function.
    unsafe { fill::run(level, to, count, first, fill) };
}
