//! The innermost loops of a schedule: what machine code leaves to the precompiled Moves.
//!
//! Machine code drives the loops around it ([`Schedule::outer_loops`] of them) and calls [`Schedule::run_innermost`] with the positions
//! where they stand. So rows are moved here as the runner moves them: many at once where a Move can do that, by the widest vectors,
//! past the caches where the result is larger.

use super::at::{At, Turns, each_turn, turns};
use super::copy::{self, Mover, by_width};
use super::few;
use super::one_turn::full_turn;
use super::rows::Way;
use super::together::Together;
use super::{Call, MOST_INLINE, Rows};
use crate::access::{Access, Buffer};
use crate::level::Level;
use crate::nest::schedule::{LookedUp, Move, MovedTables, Schedule, Strided};
use crate::operand::Input;
use crate::sources::Sources;

/// Fewer turns that begin where indices say are quicker one by one than what is set up for all.
const LEAST_TURNS: usize = 6;

impl Schedule {
    /// Loops around [`Schedule::run_innermost`]: all but the innermost one or those whose rows are moved together; none where rows or runs, or their
    /// places, are known for all, or are long and near, so that a call would weigh as much as a turn; all where indices say where each turn of
    /// the innermost one begins, or it has few.
    #[doc(hidden)]
    #[must_use]
    pub fn outer_loops(&self) -> usize {
        let loops = self.extents().len();
        match self.src().is_affine() {
            true if self.knows_rows() || self.kept_in_loops().is_some() => 0,
            true => {
                let together = self.whole_together();
                let inner = if self.has_near_rows() {
                    loops
                } else {
                    loops.min(1)
                };
                loops - together.map_or(inner, |together| together.loops)
            }
            false => match self.extents().split_last() {
                Some((&turns, around)) if turns >= LEAST_TURNS && self.innermost_is_still() => {
                    around.len()
                }
                Some(_) | None => loops,
            },
        }
    }

    /// Whether no index says where a turn of the innermost loop begins.
    fn innermost_is_still(&self) -> bool {
        let last = self.extents().len().saturating_sub(1);
        matches!(self.moved_tables(last), MovedTables::None)
    }

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
        self.whole_together()
            .is_some_and(|together| !together.in_sequence)
    }

    /// [`Schedule::together`] of all turns.
    fn whole_together(&self) -> Option<Together> {
        self.together(Level::settled(), self.extents(), self.inner().count())
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
            let loops = self.extents().len();
            // Most have none, and need not ask.
            let is_turn = loops == 0 || self.is_one_turn() || loops == self.outer_loops();
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
        if let Some(runs) = self.kept_in_loops() {
            let begin = |of: i64, access: &Access| of.wrapping_sub(access.offset);
            let within = At {
                src: begin(at, self.src()),
                dst: begin(0, self.dst()),
                table: begin(0, &runs.lookup.access),
            };
            // SAFETY: by the contract of this function.
            return unsafe { Call { within, ..call }.kept(runs) };
        }
        let (together, loops) = (self.whole_together(), self.outer_loops());
        let inner = &self.extents()[loops..];
        let stride = |k: usize| call.stride(loops + k);
        // SAFETY: by the contract of this function these are positions of turns within the extents.
        unsafe {
            match (together, inner) {
                (Some(together), inner) => call.rows_of(inner, first, together.in_sequence),
                (None, [around @ .., count]) => turns(around, first, &stride, |first| {
                    call.turns(first, *count, stride(around.len()))
                }),
                (None, []) => call.turns(first, 1, At::default()),
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
    /// many, or have few rows each.
    #[doc(hidden)]
    #[must_use]
    pub fn is_quicker_whole(&self) -> bool {
        let lookups = &self.src().lookups;
        let pays = match self.inner() {
            Move::Lookup(runs) => self.keeps_places() && self.has_many_rows(runs),
            inner => self.lists_rows(Level::settled(), self.extents(), inner.count()),
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
            match self.inner() {
                Move::Lookup(runs) => call.kept(runs),
                _ => call.rows_by_tables(),
            }
        }
    }
}

impl Call<'_> {
    /// Some turns of one loop, `stride` apart. `false`: an index that the move reads lies outside its axis.
    ///
    /// # Safety
    /// As [`Call::inner`], for each of the turns.
    pub(super) unsafe fn turns(&self, first: At, turns: usize, stride: At) -> bool {
        // SAFETY: by the contract of this function.
        unsafe {
            match self.schedule.inner() {
                Move::Shuffle(periods) => {
                    let bytes = self.count * periods.shuffle.pattern().period();
                    let rows = self
                        .schedule
                        .strided_rows(turns, bytes, stride.dst, stride.src);
                    let (operand, (to, from)) = (periods.operand(self.src), self.ends(first));
                    periods.shuffle.rows(self.level, to, from, rows, operand);
                    true
                }
                Move::Strided(strided) if strided.bytes <= MOST_INLINE => {
                    let rows = self.schedule.rows_of(strided, self.count);
                    match self.are_few(strided, turns) {
                        true => self.few_turns(first, turns, stride, rows),
                        false => {
                            by_width!(rows.bytes, short_turns(self, first, turns, stride, rows))
                        }
                    }
                }
                Move::Strided(strided) => self.long_turns(strided, first, turns, stride),
                Move::Lookup(runs) => match self.sharing(runs, turns, stride) {
                    1 => each_turn(first, turns, stride, |at| self.inner(at)),
                    at_once => self.repeated(runs, first, (turns, stride), at_once),
                },
                _ => each_turn(first, turns, stride, |at| self.inner(at)),
            }
        }
    }

    /// Whether [`Call::turns`] moves the rows of the turns of the innermost loop without a loop over the rows of each.
    pub(super) fn has_few_rows(&self, strided: &Strided) -> bool {
        let are_few = |&turns: &usize| self.are_few(strided, turns);
        self.schedule.src().is_affine() && self.extents().last().is_some_and(are_few)
    }

    /// Whether the rows of a strided move are few in each of many turns.
    fn are_few(&self, strided: &Strided, turns: usize) -> bool {
        /// Fewer turns are over before their functions are found.
        const LEAST: usize = 8;
        turns >= LEAST && few::takes(strided.bytes, self.count, self.schedule.cache())
    }

    /// Turns of which each has few rows; `true`, as no index is read.
    ///
    /// # Safety
    /// As [`Call::turns`], of turns that [`Call::are_few`] says this of.
    pub(super) unsafe fn few_turns(&self, first: At, turns: usize, stride: At, rows: Rows) -> bool {
        let places: [isize; few::MOST] =
            core::array::from_fn(|k| rows.src_stride.wrapping_mul(k as isize));
        // SAFETY: by the contract of this function.
        unsafe {
            let (to, from) = self.ends(first);
            let turns = Turns::new(turns, stride);
            few::moved(to, from, &rows, &places[..rows.count], turns);
        }
        true
    }

    /// Turns of rows whose way is found once for all of them; `true`, as no index is read.
    ///
    /// # Safety
    /// As [`Call::turns`], of turns of such rows.
    #[inline(never)]
    unsafe fn long_turns(&self, strided: &Strided, first: At, turns: usize, stride: At) -> bool {
        let rows = self.schedule.rows_of(strided, self.count);
        // SAFETY: by the contract of this function.
        unsafe {
            let Some(way) = Way::of(self.level, &rows) else {
                return by_width!(rows.bytes, short_turns(self, first, turns, stride, rows));
            };
            let (to, from) = self.ends(first);
            let turns = Turns::new(turns, stride);
            way.moves_turns(self.level, to, from, rows, turns, rows.place());
        }
        true
    }

    /// Short rows at constant distances.
    ///
    /// # Safety
    /// As [`Call::inner`]; the mover is for `rows.bytes`.
    #[inline(always)]
    pub(super) unsafe fn short(&self, mover: impl Mover, at: At, rows: Rows) {
        // SAFETY: by the contract of this function.
        unsafe {
            let (to, from) = self.ends(at);
            copy::each(mover, to, from, rows);
        }
    }
}

/// # Safety
/// As [`Call::turns`]; the mover is for `rows.bytes`.
unsafe fn short_turns(
    mover: impl Mover,
    call: &Call<'_>,
    first: At,
    turns: usize,
    stride: At,
    rows: Rows,
) -> bool {
    each_turn(first, turns, stride, |at| {
        // SAFETY: by the contract of this function.
        unsafe { call.short(mover, at, rows) };
        true
    })
}
