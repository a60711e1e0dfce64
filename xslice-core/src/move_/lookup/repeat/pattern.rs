//! Rows of turns that follow each other closely, as a pattern that is known once the indices are: channels in another order, some columns of
//! narrow tables. A vector moves the rows of many turns at once. So few turns that a vector has room for more, and rows that are patterns
//! themselves, are parts of one.

use super::{KeptPlaces, Starts, Turns, columns, suits_many};
use crate::level::{Kind, Level};
use crate::move_::at::Listed;
use crate::move_::copy::Rows;
use crate::move_::lookup::looked_ahead;
use crate::move_::shuffled::Places;
use crate::shuffle::{Named, Pattern, Shuffle};
use alloc::sync::Arc;

/// Fewer rows have moved before the tables are made.
const LEAST_ROWS: usize = 1024;

/// What the tables cost, in half cycles.
const TABLES: usize = 24_000;

/// What finding them costs, and keeping them for later calls with the same places, which have them from the second on.
const LEAST_SAVED: usize = if cfg!(feature = "std") { 4000 } else { TABLES };

/// What windows cost for each of several starts, and patterns do not. Their turns cost about the same.
const OF_START: usize = 120;

/// What the run of a pattern costs by itself, if there are several.
const OF_RUN: usize = 40;

/// What a vector of a pattern costs that stands alone, but with AVX-512.
const OF_VECTOR: usize = 24;

/// What the rows of a single turn cost, beside what each of them costs.
const OF_LISTED: usize = 12;

/// Bytes of the vectors that are loaded, but with AVX-512.
const VECTOR: usize = 16;

/// Whether the rows of all turns may be a pattern, whatever their places are.
pub(super) fn takes(level: Level, rows: &Rows, reach: usize, starts: usize, turns: Turns) -> bool {
    let period = rows.count.saturating_mul(rows.bytes);
    level.kind() != Kind::Scalar
        && rows.touch()
        && turns.dst_stride == period as isize
        && (1..=Pattern::LONGEST).contains(&period)
        && rows.count.saturating_mul(starts * turns.count) >= LEAST_ROWS
        && reach <= Pattern::WIDEST
}

/// Rows of the turns of a loop, from all its starts.
#[derive(Clone, Copy)]
struct Same<'a> {
    starts: Starts<'a>,
    rows: Rows,
    places: KeptPlaces<'a>,
    turns: Turns,
    /// What windows would cost more, if these move them otherwise; `None`: rows move otherwise.
    saved: Option<usize>,
}

/// Moves `rows` in each of the turns. `false`, and nothing is moved, where they are no pattern that vectors read at less cost than rows.
///
/// # Safety
/// As [`super::moved`].
pub(super) unsafe fn moved(
    level: Level,
    starts: Starts<'_>,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
) -> bool {
    if rows.count.saturating_mul(rows.bytes) > Pattern::LONGEST {
        return false;
    }
    let is_list = starts.as_list().is_some();
    let by_windows = !is_list && level.kind() == Kind::Avx512 && suits_many(&rows, starts, turns);
    let same = Same {
        starts,
        rows,
        places,
        turns,
        saved: by_windows.then(|| OF_START.saturating_mul(starts.count() - 1)),
    };
    // SAFETY: by the contract of this function.
    unsafe { same.moved(level) }
}

/// The same of rows that are each `count` periods of a pattern, by their bytes.
///
/// # Safety
/// As [`super::moved`], of such rows.
pub(super) unsafe fn of_periods(
    level: Level,
    starts: Starts<'_>,
    rows: Rows,
    (pattern, count): (&Pattern, usize),
    places: KeptPlaces<'_>,
    turns: Turns,
) -> bool {
    let all = rows.count.saturating_mul(rows.bytes);
    if all > Pattern::LONGEST || !rows.touch() {
        return false;
    }
    let mut bytes = [0; Pattern::LONGEST];
    let (each, entries) = (&mut bytes[..all], places.reach - rows.bytes);
    let (first, end) = pattern.reads(count);
    for (row, place) in each.chunks_mut(rows.bytes).zip(places.each) {
        for (byte, at) in row.iter_mut().zip(pattern.places()) {
            *byte = place + at - first;
        }
    }
    let same = Same {
        starts: starts.shifted(first),
        rows: Rows {
            count: all,
            dst_stride: 1,
            ..Rows::one(1, rows.cache)
        },
        places: KeptPlaces {
            each,
            reach: entries.saturating_add(first.abs_diff(end)),
        },
        turns,
        saved: None,
    };
    // SAFETY: by the contract of this function: what the rows of all entries read is readable, from the first byte to the last.
    unsafe { same.moved(level) }
}

impl<'a> Same<'a> {
    /// # Safety
    /// As [`moved`].
    unsafe fn moved(self, level: Level) -> bool {
        let mut places = [0; Pattern::LONGEST];
        // SAFETY: by the contract of this function.
        unsafe {
            let unrolled = self.unrolled(&mut places);
            unrolled.is_some_and(|same| same.moved_as_it_is(level)) || self.moved_as_it_is(level)
        }
    }

    /// The rows of all turns as those of one turn of the loop around, if they go on there and are few, or as those of a single turn from each
    /// of the starts that are listed.
    fn unrolled(&self, places: &'a mut [isize; Pattern::LONGEST]) -> Option<Self> {
        let (rows, turns) = (self.rows, self.turns);
        let count = rows.count.checked_mul(turns.count)?;
        let each = places.get_mut(..count)?;
        let apart = (count * rows.bytes) as isize;
        let (starts, around) = match self.starts.as_list() {
            Some(_) => (self.starts, Turns::once(apart)),
            None => self.starts.of_innermost(),
        };
        let go_on = rows.touch()
            && turns.dst_stride == (rows.count * rows.bytes) as isize
            && turns.count > 1
            && around.dst_stride == apart;
        let others = turns.count.checked_sub(1)? as isize * turns.src_stride;
        let reach = self.places.reach.checked_add(others.unsigned_abs())?;
        if !go_on {
            return None;
        }
        for (turn, each) in each.chunks_mut(rows.count).enumerate() {
            let begin = turn as isize * turns.src_stride - others.min(0);
            for (to, place) in each.iter_mut().zip(self.places.each) {
                *to = begin + place;
            }
        }
        Some(Self {
            starts: starts.shifted(others.min(0)),
            rows: Rows { count, ..rows },
            places: KeptPlaces { each, reach },
            turns: around,
            ..*self
        })
    }

    /// # Safety
    /// As [`moved`].
    unsafe fn moved_as_it_is(self, level: Level) -> bool {
        let Self {
            starts,
            rows,
            places,
            turns,
            ..
        } = self;
        let Some(shuffle) = self.shuffle(level) else {
            return false;
        };
        if let Some(list) = starts.as_list() {
            // SAFETY: by the contract of this function.
            unsafe { self.moved_from_list(level, &shuffle, list) };
            return true;
        }
        let (starts, runs) = starts.of_innermost();
        let runs = Rows {
            count: runs.count,
            bytes: shuffle.pattern().period() * turns.count,
            dst_stride: runs.dst_stride,
            src_stride: runs.src_stride,
            cache: rows.cache,
        };
        let from_first = |count: usize, stride: isize| (count as isize - 1) * stride;
        let last_turn = from_first(turns.count, turns.src_stride);
        let last_run = from_first(runs.count, runs.src_stride);
        let first = last_turn.min(0) + last_run.min(0);
        let last = last_turn.max(0) + last_run.max(0);
        starts.each(|dst, src| {
            let end = src.wrapping_offset(last).wrapping_add(places.reach);
            let operand = src.wrapping_offset(first)..end;
            // SAFETY: by the contract of this function, which says of all between two turns that it is readable, as what each of them reaches.
            unsafe { shuffle.rows(level, dst, src, runs, operand) };
        });
        true
    }

    /// # Safety
    /// As [`moved`], by the shuffle of these rows, where the starts are a list.
    unsafe fn moved_from_list(
        self,
        level: Level,
        shuffle: &Shuffle,
        (dst, src, list): (*mut u8, *const u8, Listed<'_>),
    ) {
        let (rows, turns, reach) = (self.rows, self.turns, self.places.reach);
        let last_turn = (turns.count as isize - 1) * turns.src_stride;
        let each = list.places;
        let ends = each
            .iter()
            .fold((0, 0), |(first, last): (isize, isize), &place| {
                (first.min(place), last.max(place))
            });
        let end = src.wrapping_offset(ends.1 + last_turn.max(0));
        let operand = src.wrapping_offset(ends.0 + last_turn.min(0))..end.wrapping_add(reach);
        let periods = Rows {
            count: each.len(),
            bytes: rows.count * rows.bytes * turns.count,
            dst_stride: list.apart,
            src_stride: 0,
            ..rows
        };
        let places = Places {
            each,
            to: None,
            ahead: looked_ahead(rows.cache, reach + last_turn.unsigned_abs()),
        };
        // SAFETY: by the contract of this function, which says of all between two starts that it is readable, as what each of them reaches.
        unsafe { shuffle.rows_from(level, dst, src, periods, places, operand) };
    }

    fn shuffle(&self, level: Level) -> Option<Arc<Shuffle>> {
        let (rows, reach, turns) = (&self.rows, self.places.reach, self.turns);
        let (starts, is_list) = (self.starts.count(), self.starts.as_list().is_some());
        if !takes(level, rows, reach, starts, turns) {
            return None;
        }
        let of_rows = cost_of_rows(level, rows, reach);
        // Most rows that save too little are told before anything is set up: no more is saved than they cost.
        let of_all = || (of_rows * turns.count + OF_LISTED).saturating_mul(starts);
        if self.saved.unwrap_or_else(of_all) < LEAST_SAVED {
            return None;
        }
        let mut offsets = [0; Pattern::LONGEST];
        let bytes = |&place: &isize| (place as i32..).take(rows.bytes);
        let bytes = self.places.each.iter().flat_map(bytes);
        for (offset, byte) in offsets.iter_mut().zip(bytes) {
            *offset = byte;
        }
        let named = Named {
            offsets,
            period: rows.count * rows.bytes,
            src_stride: match (is_list, turns.count) {
                (true, 1) => None,
                _ => Some(i32::try_from(turns.src_stride).ok()?),
            },
        };
        let by_rows = || {
            let loads = match named.src_stride {
                None if level.kind() != Kind::Avx512 => OF_VECTOR * named.period.div_ceil(VECTOR),
                _ => cost_of_loads(&named.offsets[..named.period], named.src_stride),
            };
            let of_turn = of_rows.checked_sub(loads)?;
            let of_start = match named.src_stride {
                None => of_turn + OF_LISTED,
                Some(_) if starts == 1 || is_list => of_turn * turns.count,
                Some(_) => (of_turn * turns.count).checked_sub(OF_RUN)?,
            };
            Some(of_start.saturating_mul(starts))
        };
        let saved = self.saved.or_else(by_rows)?;
        if saved < LEAST_SAVED {
            return None;
        }
        let (shuffle, is_known) = named.shuffle()?;
        let has_tables = || match shuffle.tables(level) {
            (None, None) => false,
            (Some(_), _) | (_, Some(_)) => true,
        };
        ((is_known || saved >= TABLES) && has_tables()).then_some(shuffle)
    }
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
        true => one_by_one.min(columns::cost(rows, reach)),
        false => one_by_one,
    }
}

/// What the loads of a turn cost, before tables say how many these are: as many as give each vector of the result. The tables of a few
/// vectors, of few loads each, stay in registers.
fn cost_of_loads(offsets: &[i32], src_stride: Option<i32>) -> usize {
    match src_stride {
        Some(stride) => of_vectors::<VECTOR>(offsets, (VECTOR / offsets.len()).max(1), stride),
        // A single turn has a vector for itself, the longest.
        None => of_vectors::<{ Pattern::LONGEST }>(offsets, 1, 0),
    }
}

/// The same by vectors of `N` bytes, which have room for so many turns.
fn of_vectors<const N: usize>(offsets: &[i32], in_vector: usize, src_stride: i32) -> usize {
    let (mut most, mut all) = (0, 0);
    for vector in offsets.chunks(N) {
        let loads = loads_of::<N>(vector, in_vector, src_stride);
        most = most.max(loads);
        all += loads;
    }
    let each = match (offsets.len().div_ceil(N), most) {
        (1, ..=8) | (_, ..=4) => 4,
        _ => 8,
    };
    (each * all).div_ceil(in_vector)
}

/// Loads that give these bytes of `turns` turns, which a vector has room for: each begins with the first byte that no other has given.
fn loads_of<const N: usize>(bytes: &[i32], turns: usize, src_stride: i32) -> usize {
    const GIVEN: i64 = i64::MAX;
    let of_turn = |turn: i64| {
        let place = turn * i64::from(src_stride);
        bytes.iter().map(move |&at| place + i64::from(at))
    };
    let mut left = [GIVEN; N];
    for (left, at) in left.iter_mut().zip((0..turns as i64).flat_map(of_turn)) {
        *left = at;
    }
    let mut loads = 0;
    while let Some(first) = left.into_iter().min().filter(|&first| first != GIVEN) {
        let load = first..first + N as i64;
        let given = left.iter_mut().filter(|at| load.contains(at));
        given.for_each(|at| *at = GIVEN);
        loads += 1;
    }
    loads
}
