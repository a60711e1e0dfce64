//! What machine code leaves to the precompiled Moves, and how it calls them.
//!
//! It drives [`Schedule::outer_loops`] loops itself and calls [`Schedule::run_innermost`] with the positions where they stand. So rows are
//! moved here as the runner moves them: many at once where a Move can do that, by the widest vectors, past the caches where the result is
//! larger.

use super::at::{At, Turns, turns};
use super::kept::reach;
use super::lookup::repeat::{self, LEAST_AT_ONCE};
use super::one_turn::full_turn;
use super::{Call, MOST_INLINE};
use crate::access::{Access, Buffer};
use crate::level::Level;
use crate::nest::schedule::{Drive, LookedUp, Move, Row, Schedule};
use crate::operand::Input;
use crate::sources::Sources;

impl Schedule {
    /// Whether it is known how the rows, runs or values are moved that [`Schedule::run_innermost`] moves in a turn of the loops around it: it
    /// has little to find out.
    #[doc(hidden)]
    #[must_use]
    pub fn knows_rows(&self) -> bool {
        self.known().is_some() || self.known_picks().is_some()
    }

    /// Whether [`Schedule::run_innermost`] moves rows together that lie anywhere in the destination.
    #[doc(hidden)]
    #[must_use]
    pub fn rows_lie_anywhere(&self) -> bool {
        matches!(self.drive(), Drive::Together(together) if !together.in_sequence)
    }

    /// Runs the move for all turns of the loops inside the [`Schedule::outer_loops`], or once if there is none. `false`: an index that the move
    /// reads lies outside its axis; then some rows may not have moved. Nothing in it panics.
    ///
    /// # Safety
    /// `dst`, `src` and `table` (of a lookup) are where one turn of the outer loops begins in their buffers, `src` with the offsets of its
    /// indices (for a Range: the position as an address); `operand` is the start of the source's buffer, null for a Range. The
    /// buffers have the lengths that the schedule was verified for.
    #[doc(hidden)]
    pub unsafe fn run_innermost(
        &self,
        dst: *mut u8,
        src: *const u8,
        table: *const u8,
        operand: *const u8,
    ) -> bool {
        let at = src.addr().wrapping_sub(operand.addr()) as i64;
        // SAFETY: by the contract of this function.
        unsafe {
            // Without a loop there is nothing to set up for one.
            let is_turn = self.outer_loops() == self.extents().len() || self.is_one_turn();
            is_turn && full_turn(Level::settled(), self, dst, (operand, at))
                || self.run_turns(dst, at, table, operand)
        }
    }

    /// The same of any schedule, from position `at` of the source on.
    ///
    /// # Safety
    /// As [`Schedule::run_innermost`].
    #[inline(never)]
    unsafe fn run_turns(
        &self,
        dst: *mut u8,
        at: i64,
        table: *const u8,
        operand: *const u8,
    ) -> bool {
        if let Some(picks) = self.known_picks() {
            // SAFETY: by the contract of this function; no loop is around this.
            return unsafe { picks.run(dst, operand.wrapping_offset(at as isize), table) };
        }
        let sources = Sources::found(&[]);
        let call = Call {
            level: Level::settled(),
            schedule: self,
            sources: &sources,
            src: operand,
            dst,
            table,
            part: None,
            count: self.inner().count(),
            within: At::default(),
        };
        let first = At {
            src: at,
            ..At::default()
        };
        let loops = self.outer_loops();
        let inner = &self.extents()[loops..];
        let stride = |k: usize| call.stride(loops + k);
        // SAFETY: by the contract of this function these are positions of turns within the extents.
        unsafe {
            match (self.drive(), self.inner(), inner) {
                (Drive::Kept, Move::Lookup(runs), _) if self.src().is_affine() => {
                    let begin = |of: i64, access: &Access| of.wrapping_sub(access.offset);
                    let within = At {
                        src: begin(at, self.src()),
                        dst: begin(0, self.dst()),
                        table: begin(0, &runs.lookup.access),
                    };
                    Call { within, ..call }.kept(runs)
                }
                (Drive::Together(together), ..) => call.rows_of(inner, first, together.in_sequence),
                (_, _, [around @ .., count]) => turns(around, first, &stride, |first| {
                    call.turns(first, *count, stride(around.len()))
                }),
                (_, _, []) => call.turns(first, 1, At::default()),
            }
        }
    }
}

/// Tables of a schedule that machine code leaves to the Moves with all loops.
const MOST_TABLES: usize = 8;

/// Fewer rows have moved in loops before those of all turns are found.
const LEAST_WHOLE: usize = 800;

/// The same of rows that machine code calls a function for.
const LEAST_LONG: usize = 64;

/// Fewer rows from each start take longer to list than to move.
const LEAST_OF_START: usize = 8;

impl Schedule {
    /// Whether machine code leaves all of it to [`Schedule::run_whole`]: indices say where turns begin that look up the same rows, which are
    /// many, or have few rows each, or are known inside and longer than what it moves itself.
    #[doc(hidden)]
    #[must_use]
    pub fn is_quicker_whole(&self) -> bool {
        let lookups = &self.src().lookups;
        let pays = match (self.drive(), self.inner()) {
            (Drive::Kept, Move::Lookup(runs)) => self.has_many_rows(runs),
            // Short rows move in its own loops.
            (Drive::Begun(_), Move::Strided(rows)) => rows.bytes > MOST_INLINE,
            (Drive::Listed | Drive::Begun(_), _) => true,
            _ => false,
        };
        pays && !self.src().is_affine()
            && self.source().buffer().is_some()
            && lookups.len() < MOST_TABLES
            && lookups.iter().all(|lookup| lookup.access.is_affine())
    }

    /// Whether the rows that its turns look up pay for the list of these turns.
    fn has_many_rows(&self, runs: &LookedUp) -> bool {
        let (of_start, all) = self.rows_of_starts(runs);
        match runs.bytes {
            ..=MOST_INLINE => of_start >= LEAST_OF_START && all >= LEAST_WHOLE,
            _ => all >= LEAST_LONG,
        }
    }

    /// Runs all of a schedule that [is quicker](Schedule::is_quicker_whole) so. `false`: an index that the move reads lies outside its axis; then
    /// some rows may not have moved. Nothing in it panics.
    ///
    /// # Safety
    /// `buffers` are where the source starts, then the table of each look-up of its position, then that of the move; they and what is writable
    /// from `dst` on have the lengths that the schedule was verified for, and do not overlap. The checks of the tables have passed, but for that
    /// of the indices that the move reads.
    #[doc(hidden)]
    pub unsafe fn run_whole(&self, dst: *mut u8, buffers: *const *const u8) -> bool {
        let tables = self.src().lookups.iter().chain(self.inner().lookup());
        let read = self.source().buffer().into_iter();
        let read = read.chain(tables.map(|lookup| lookup.table));
        let none = Input::starting_at(core::ptr::null());
        let mut found = [(Buffer::Constant(usize::MAX), none); MOST_TABLES + 1];
        for (k, (found, buffer)) in found.iter_mut().zip(read).enumerate() {
            // SAFETY: by the contract of this function, there are as many as buffers are read.
            *found = (buffer, Input::starting_at(unsafe { *buffers.add(k) }));
        }
        let sources = Sources::found(&found);
        let call = Call::new(Level::settled(), self, &sources, dst);
        // SAFETY: by the contract of this function.
        unsafe {
            match (self.drive(), self.inner()) {
                (_, Move::Lookup(runs)) => call.kept(runs),
                (Drive::Begun(loops), _) => call.begun(loops.into()),
                _ => call.rows_by_tables(),
            }
        }
    }
}

/// Below this many look-ups in all, machine code that reads each index again is faster than turns that share their places, where several loops
/// are taken at once or it is known how their rows move.
const LEAST_IN_CODE: usize = 48;

/// The same where they may be patterns.
const LEAST_IN_PATTERN: usize = 12;

impl Schedule {
    /// Whether turns of the innermost loop, or all, look up the same indices, so many rows that places kept for them are quicker than code
    /// that reads each index anew.
    #[doc(hidden)]
    #[must_use]
    pub fn repeats_lookups(&self) -> bool {
        let Move::Lookup(runs @ LookedUp { row: Row::Run, .. }) = self.inner() else {
            return false;
        };
        let Some((&turns, outer)) = self.extents().split_last() else {
            return false;
        };
        let stride = runs.lookup.access.strides.get(outer.len());
        let least = match (self.known_picks(), self.drive()) {
            (Some(_), _) => LEAST_IN_CODE,
            (None, Drive::Kept) if self.may_be_patterns(runs) => LEAST_IN_PATTERN,
            (None, Drive::Kept) => LEAST_IN_CODE,
            (None, _) => LEAST_AT_ONCE,
        };
        self.src().is_affine()
            && stride.is_none_or(|&stride| stride == 0)
            && repeat::pays(runs.count, turns)
            && runs.count.saturating_mul(turns) >= least
    }

    /// Whether what several loops look up may be patterns, whatever the indices are.
    fn may_be_patterns(&self, runs: &LookedUp) -> bool {
        let Some((&turns, around)) = self.extents().split_last() else {
            return false;
        };
        let rows = self.strided_rows(runs.count, runs.bytes, runs.dst_stride, runs.src_stride);
        let stride = |access: &Access| access.strides.get(around.len()).copied().unwrap_or(0);
        let turns = Turns {
            count: turns,
            dst_stride: stride(self.dst()) as isize,
            src_stride: stride(self.src()) as isize,
        };
        repeat::may_be_patterns(&rows, reach(runs), around.iter().product(), turns)
    }
}
