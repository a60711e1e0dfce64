//! Running a plan on raw memory: loops around Moves.
//!
//! The first address of `unsafe`. A [`Schedule`] is verified when its plan is made (I2), so that its numbers are proved to stay inside
//! buffers of the lengths that the plan names (I3) and to write no byte twice (I4). [`run`] compares these lengths with the call before
//! anything moves and takes the steps of the plan in order. So every check has passed before a nest loads an index, or is left to the
//! very move that reads these indices: one that is outside is never used as an address. What is left to choose here is speed. Small patterns
//! and rows of expansions come without a schedule, by [`by_vectors`]: the compiler has proved their numbers.
//!
//! A file for each kind of move, and below it one for each set of instructions that it has code of its own for:
//!   copy, rows, stream  copies and strided moves: short runs, rows in one of several ways, results that no cache keeps
//!   runs                copies and strided moves of results that stay near, found when they are planned: longer ones by `vectors`
//!   few                 so few narrow rows in each of many turns that their places stay in registers
//!   fill                values of a Range, the first ones laid out when they are planned
//!   shuffled            shuffles, by `lanes` of 16 bytes for any set: `avx2`, `avx512`, `neon`
//!   picks               rows where indices point, of results that stay near, found when they are planned: by `vectors`, words by `gathers`
//!   lookup              rows where indices point: `single` ones, `avx2`, `avx512`, `neon`; those that `repeat` in each turn: `pattern`, `units`,
//!                       `columns`, `avx2`, `avx512`
//! And what calls them: `one_turn` moves one turn, which is all that most calls are, `prepare` finds what it can when a plan is made, `drive`
//! which way to take the loops around a move: `walk` goes through them turn by turn, `turns` takes the innermost ones at once, `kept` finds rows that
//! turns share once, `listed` where these turns begin if indices say that, `together` lists few rows of many turns, `begun` takes turns that
//! indices begin and are known inside. `parallel` shares turns out, `machine` is what machine code calls. `prefetch` asks for lines; `schedule`
//! is what moves ask of a schedule, and `processor` knows what is quick on which.

mod at;
mod begun;
mod cache;
mod collect;
mod copy;
mod drive;
mod few;
mod fill;
mod kept;
mod listed;
mod lookup;
mod machine;
#[cfg(target_arch = "x86_64")]
mod mask;
mod one_turn;
#[cfg(feature = "rayon")]
mod parallel;
#[cfg_attr(
    not(feature = "rayon"),
    expect(dead_code, reason = "on one thread nothing is shared out")
)]
mod part;
mod picks;
mod positions;
mod prefetch;
mod prepare;
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(dead_code, reason = "most is asked by moves of x86-64")
)]
mod processor;
mod rows;
mod runs;
mod schedule;
mod shuffled;
#[cfg(target_arch = "x86_64")]
mod stream;
#[cfg(feature = "rayon")]
mod team;
#[cfg(test)]
mod tests;
mod together;
mod turns;
mod walk;

use at::At;
use cache::Cache;
pub use collect::collect;
use copy::{Rows, by_width};
use one_turn::{full_turn, picked, turn};
pub(crate) use one_turn::{only_picks, only_turn};

#[cfg(feature = "rayon")]
pub(crate) use parallel::{pays, run_parallel};
use part::Part;
pub(crate) use prepare::prepared;
pub use shuffled::by_vectors;

use crate::access::{IndexType, Lookup};
use crate::elem::{Element, ElementType};
use crate::error::Error;
use crate::fixed::Proven;
use crate::level::Level;
use crate::nest::schedule::{Drive, LookedUp, Move, Row, Schedule};
use crate::operand::{Input, Output};
use crate::plan::{Plan, PlannedNest, Reader};
use crate::shuffle::LINE;
use crate::sources::Sources;
use crate::steps::{self, OnScratch};

/// Copies a slice into one of the same length: what is long goes as the rows of nests do, and not by `memcpy` wherever that is slow.
///
/// # Panics
/// If the lengths differ.
#[inline]
pub fn copy_block<T: Element>(dst: &mut [T], src: &[T]) {
    match (T::TYPE, size_of_val(src)) {
        (ElementType::String, _) => dst.clone_from_slice(src),
        (_, bytes @ 17..=128) => {
            assert_eq!(dst.len(), src.len(), "a block goes where it fits");
            // SAFETY: as in `long_block`.
            unsafe { copy::by_parts(dst.as_mut_ptr().cast(), src.as_ptr().cast(), bytes) };
        }
        (_, LONG_BLOCK..) => long_block(dst, src),
        _ => dst.clone_from_slice(src),
    }
}

/// Bytes of a block from which `memcpy` takes the string instruction.
const LONG_BLOCK: usize = 2 << 10;

#[inline(never)]
fn long_block<T: Element>(dst: &mut [T], src: &[T]) {
    assert_eq!(dst.len(), src.len(), "a block goes where it fits");
    let bytes = size_of_val(src);
    // SAFETY: both sides have `bytes` bytes, and an exclusive reference overlaps no other; elements but strings, which do not come here,
    // are copied by their bytes.
    unsafe {
        rows::one(
            Level::best(),
            dst.as_mut_ptr().cast(),
            src.as_ptr().cast(),
            bytes,
        )
    };
}

/// Runs a plan: at once where its call is one turn, else step by step.
#[inline]
pub(crate) fn run(
    level: Level,
    plan: &Plan,
    inputs: &[Input<'_>],
    output: &mut Output<'_>,
    temporaries: impl FnOnce(OnScratch<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    if level == Level::settled()
        && let Some(turn) = plan.one_turn(inputs, output)
    {
        only_turn(turn);
        return Ok(());
    }
    if level == Level::settled()
        && let Some(picks) = plan.picks(inputs, output)
        && only_picks(picks)
    {
        return Ok(());
    }
    each_step(level, plan, inputs, output, temporaries)
}

/// Runs any plan step by step, and finds what is wrong with a call.
#[inline(never)]
pub(crate) fn each_step(
    level: Level,
    plan: &Plan,
    inputs: &[Input<'_>],
    output: &mut Output<'_>,
    temporaries: impl FnOnce(OnScratch<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let run = |_: usize, planned: &_, sources: &Sources<'_>, output: &mut Output<'_>| {
        // SAFETY: `steps` calls this for nests of an admitted call, each when its checks have passed, but for what its move checks.
        unsafe { nest(level, planned, sources, output) }
    };
    steps::steps(plan, inputs, output, temporaries, tested_by_move, run)
}

/// Whether a nest tests the indices of its check: a precompiled Move does, loops of precompiled code do not.
fn tested_by_move(reader: Reader) -> bool {
    reader == Reader::Move
}

/// Runs a nest that was proved alone, without a plan, and its call. `false`: an index that its Move tests is outside.
#[inline(never)]
pub(crate) fn proven(call: Proven<'_>) -> bool {
    let (level, schedule, inputs, mut output) = call.call();
    // It reads operands only.
    let sources = Sources {
        inputs,
        ..Sources::found(&[])
    };
    // SAFETY: holding the call is the proof of I2 and I3: its buffers have the lengths that the schedule names, and its indices have been
    // checked, but for those that its move tests.
    unsafe { whole(level, schedule, &sources, output.as_mut_ptr()) }
}

/// Runs one nest. `false`: an index that its move reads lies outside its axis; then some rows may not have moved.
///
/// # Safety
/// The nest is one of the plan of `sources`; sources and output have the lengths that the plan names, and its checks have passed, but
/// for that of the indices that its move reads.
unsafe fn nest(
    level: Level,
    planned: &PlannedNest,
    sources: &Sources<'_>,
    output: &mut Output<'_>,
) -> bool {
    match planned.schedule() {
        // SAFETY: by the contract of this function.
        Some(schedule) => unsafe { whole(level, schedule, sources, output.as_mut_ptr()) },
        None => {
            steps::strings(planned.nest(), sources, output);
            true
        }
    }
}

/// Runs a schedule. Where one turn is all of it, there is nothing to set up for loops.
///
/// # Safety
/// As [`nest`].
#[inline]
unsafe fn whole(level: Level, schedule: &Schedule, sources: &Sources<'_>, dst: *mut u8) -> bool {
    if let Some(picks) = schedule.known_picks()
        && picks.level == level
    {
        // SAFETY: by the contract of this function.
        return unsafe { picked(schedule, picks, sources, dst) };
    }
    if let (Drive::Begun(loops), Some(inside)) = (schedule.drive(), schedule.inside())
        && inside.level() == level
    {
        // SAFETY: by the contract of this function.
        return unsafe { Call::new(level, schedule, sources, dst).begun(loops.into()) };
    }
    if !schedule.extents().is_empty() && !schedule.is_one_turn() {
        // SAFETY: by the contract of this function.
        return unsafe { scheduled(level, schedule, sources, dst, None) };
    }
    let start = sources.start_of(schedule.source());
    // SAFETY: by the contract of this function; all begins at the offsets.
    unsafe {
        let at = sources.position(schedule.src(), &[]);
        let to = dst.offset(schedule.dst().offset as isize);
        if full_turn(level, schedule, to, (start, at)) {
            return true;
        }
        let call = Call::new(level, schedule, sources, dst);
        call.inner(At {
            src: at,
            dst: schedule.dst().offset,
            table: call.indices().map_or(0, |table| table.offset),
        })
    }
}

/// Runs the schedule of a nest, or a part of it, into the buffer at `dst`.
///
/// # Safety
/// As [`nest`]; the part is one of this schedule.
#[inline(never)]
unsafe fn scheduled(
    level: Level,
    schedule: &Schedule,
    sources: &Sources<'_>,
    dst: *mut u8,
    part: Option<&Part>,
) -> bool {
    let inner = schedule.inner();
    let (count, within) = match part {
        None => (inner.count(), At::default()),
        Some(part) => {
            let elements = &part.elements;
            (elements.len(), At::element(inner).times(elements.start))
        }
    };
    let call = Call {
        part,
        count,
        within,
        ..Call::new(level, schedule, sources, dst)
    };
    let drive = match part {
        None if level == Level::settled() => schedule.drive(),
        _ => schedule.drive_at(level, call.extents(), count),
    };
    // SAFETY: `walk` gives the positions of turns within the extents; the rest is the contract of this function.
    unsafe {
        match (drive, inner) {
            (Drive::Together(together), _) => call.together(together),
            (Drive::Listed, _) => call.rows_by_tables(),
            (Drive::Few, Move::Strided(strided)) => {
                let rows = schedule.rows_of(strided, count);
                call.walk_outer(|first, turns, stride| call.few_turns(first, turns, stride, rows))
            }
            (Drive::Short, Move::Strided(strided)) => {
                let rows = schedule.rows_of(strided, count);
                by_width!(rows.bytes, short_rows(&call, rows))
            }
            (Drive::Kept, Move::Lookup(runs)) => call.kept(runs),
            (Drive::Innermost, _) => {
                call.walk_outer(|first, turns, stride| call.turns(first, turns, stride))
            }
            // Few, Short and Kept are found for these Moves only, Begun for all of a schedule at the level that it was planned for.
            (Drive::Each | Drive::Few | Drive::Short | Drive::Kept | Drive::Begun(_), _) => {
                call.walk(|at| call.inner(at))
            }
        }
    }
}

/// Rows of up to this many bytes are moved without a call, by a mover that is chosen before the loops. Machine code moves them in place.
const MOST_INLINE: usize = LINE;

/// Rows at constant distances, in the outer loops.
///
/// # Safety
/// As [`nest`]; the mover is for `rows.bytes`.
unsafe fn short_rows(mover: impl copy::Mover, call: &Call<'_>, rows: Rows) -> bool {
    // SAFETY: as in `Call::inner`.
    unsafe {
        call.walk(|at| {
            call.short(mover, at, rows);
            true
        })
    }
}

/// One call of one schedule.
struct Call<'a> {
    level: Level,
    schedule: &'a Schedule,
    sources: &'a Sources<'a>,
    /// The first byte of the source; null for a Range.
    src: *const u8,
    dst: *mut u8,
    /// The first byte of the table of a lookup.
    table: *const u8,
    /// The turns that are taken; `None`: all.
    part: Option<&'a Part>,
    /// Elements of the move that each turn moves, and what the first of them adds to the position of the turn.
    count: usize,
    within: At,
}

impl<'a> Call<'a> {
    /// All of a schedule.
    #[inline]
    fn new(level: Level, schedule: &'a Schedule, sources: &'a Sources<'a>, dst: *mut u8) -> Self {
        let src = sources.start_of(schedule.source());
        let table = schedule.inner().lookup();
        let table = table.map_or(core::ptr::null(), |lookup| sources.start(lookup.table));
        Self {
            level,
            schedule,
            sources,
            src,
            dst,
            table,
            part: None,
            count: schedule.inner().count(),
            within: At::default(),
        }
    }
}

impl Call<'_> {
    /// Where a turn begins in the destination and in the source.
    ///
    /// # Safety
    /// `at` is the position of a turn within the extents.
    #[inline(always)]
    unsafe fn ends(&self, at: At) -> (*mut u8, *const u8) {
        // SAFETY: by the contract of this function, both lie in their buffers (I3).
        unsafe {
            let to = self.dst.offset(at.dst as isize);
            (to, self.src.offset(at.src as isize))
        }
    }

    /// One turn of the outer loops. `false`: an index that the move reads lies outside its axis.
    ///
    /// # Safety
    /// `at` is the position of a turn within the extents, and the checks of the tables have passed, but for that of the indices that the
    /// move reads.
    #[inline]
    unsafe fn inner(&self, at: At) -> bool {
        // SAFETY: every position that a verified schedule reaches lies inside its buffer (I3), for turns within the extents and indices
        // within their axes; source and destination are distinct borrows (I5), and no byte is written twice (I4).
        unsafe {
            let to = self.dst.offset(at.dst as isize);
            match self.schedule.inner() {
                Move::Lookup(looked_up) => match looked_up.lookup.index {
                    IndexType::I32 => self.looked_up::<i32>(looked_up, at),
                    IndexType::I64 => self.looked_up::<i64>(looked_up, at),
                },
                _ => {
                    let source = (self.src, at.src);
                    match self.part {
                        None => full_turn(self.level, self.schedule, to, source),
                        Some(_) => turn(self.level, self.schedule, self.count, to, source),
                    }
                }
            }
        }
    }

    /// One turn of a look-up by indices of a type.
    ///
    /// # Safety
    /// As [`Call::inner`]; it is what the move of the schedule looks up, by such indices.
    #[inline]
    unsafe fn looked_up<I: lookup::Index>(&self, looked_up: &LookedUp, at: At) -> bool {
        // SAFETY: as in `Call::inner`.
        unsafe {
            let (to, from) = self.ends(at);
            let rows = self.rows_looked_up(looked_up);
            let table = self.table.offset(at.table as isize);
            let indices = indices::<I>(table, &looked_up.lookup, looked_up.index_stride);
            let rows = match (&looked_up.row, rows.cache) {
                (Row::Run, Cache::Second) if Cache::of(indices.reach()) == Cache::Near => {
                    self.schedule.near_rows(self.level, rows)
                }
                _ => rows,
            };
            match &looked_up.row {
                Row::Run => lookup::run(self.level, to, from, rows, indices),
                Row::Periods(row) => {
                    let operand = row.operand(self.src);
                    let row = (&*row.shuffle, row.count);
                    lookup::run_periods(self.level, to, from, rows, indices, row, operand)
                }
            }
        }
    }

    /// The rows of a turn of a look-up.
    fn rows_looked_up(&self, rows: &LookedUp) -> Rows {
        self.schedule
            .strided_rows(self.count, rows.bytes, rows.dst_stride, rows.src_stride)
    }
}

fn indices<I>(table: *const u8, lookup: &Lookup, stride: i64) -> lookup::Indices<I> {
    let (scale, stride) = (lookup.scale as isize, stride as isize);
    lookup::Indices {
        table: table.cast(),
        stride,
        scale,
        size: lookup.size,
    }
}
