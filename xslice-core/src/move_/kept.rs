//! Turns that look up the same rows: indices are wrapped and tested once for all of them, and the places of rows are kept.

use super::at::{At, Turns};
use super::copy::{Mover, by_width};
use super::few;
use super::lookup::repeat::{self, KeptPlaces, MOST_KEPT};
use super::lookup::{looked_ahead, pick};
use super::shuffled::Places;
use super::{Call, MOST_INLINE, Rows, indices};
use crate::access::IndexType;
use crate::nest::schedule::{LookedUp, Move, Periods, Row, Schedule};
use core::mem::MaybeUninit;

/// Fewer rows in the turns of the innermost loop are over before what suits many of them is set up.
const LEAST_AT_ONCE: usize = 192;

/// Fewer than these are over in machine code before all turns share their places.
const LEAST_IN_CODE: usize = 48;

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
        let least = match self.keeps_places() {
            true => LEAST_IN_CODE,
            false => LEAST_AT_ONCE,
        };
        self.src().is_affine()
            && stride.is_none_or(|&stride| stride == 0)
            && repeat::pays(runs.count, turns)
            && runs.count.saturating_mul(turns) >= least
    }

    /// Whether all turns look up the same rows, which are found once for them: where turns begin where indices say, or the innermost loop has
    /// so few that what it sets up for its own would take longer than they do. Code that reads each index anew is slower.
    #[doc(hidden)]
    #[must_use]
    pub fn keeps_places(&self) -> bool {
        let Move::Lookup(runs @ LookedUp { row: Row::Run, .. }) = self.inner() else {
            return false;
        };
        let has_few_turns = match self.extents() {
            [_, .., turns] => runs.count.saturating_mul(*turns) < LEAST_AT_ONCE,
            [] | [_] => false,
        };
        let turns = self.extents().iter().product();
        (has_few_turns || !self.src().is_affine())
            && runs.bytes <= MOST_INLINE
            && runs.lookup.access.strides.iter().all(|&stride| stride == 0)
            && repeat::pays(runs.count, turns)
    }

    /// What all its turns look up, if they [keep places](Self::keeps_places) and none begins where an index says.
    pub(super) fn kept_in_loops(&self) -> Option<&LookedUp> {
        match (self.inner(), self.extents()) {
            (Move::Lookup(runs), [_, _, ..]) if self.src().is_affine() && self.keeps_places() => {
                Some(runs)
            }
            _ => None,
        }
    }
}

/// Bytes from a turn's place on in which all entries of the axis lie; `usize::MAX`: that is not known.
fn reach(runs: &LookedUp) -> usize {
    match (usize::try_from(runs.lookup.scale), runs.src_stride) {
        (Ok(scale), 0) => {
            let last = (runs.lookup.size as usize).saturating_sub(1);
            runs.bytes.saturating_add(scale.saturating_mul(last))
        }
        _ => usize::MAX,
    }
}

impl Call<'_> {
    /// Whether [`Call::turns`] looks up the same rows in each of the turns of a loop, so few that their places are kept.
    pub(super) fn repeats(&self, turns: usize, stride: At) -> bool {
        stride.table == 0 && repeat::pays(self.count, turns)
    }

    /// Some turns of a loop, each by the same indices, which are wrapped and tested once.
    ///
    /// # Safety
    /// As [`Call::turns`], of a schedule whose move looks up `runs`, in turns that it [`repeats`](Self::repeats).
    #[inline(never)]
    pub(super) unsafe fn repeated(
        &self,
        runs: &LookedUp,
        first: At,
        turns: usize,
        stride: At,
    ) -> bool {
        let mut places = [const { MaybeUninit::uninit() }; MOST_KEPT];
        // SAFETY: by the contract of this function. Any index of the axis is proved to lie in the operand (I3), so all of `reach` does, and
        // what is between two turns.
        unsafe {
            let Some((rows, places)) = self.places(runs, first.table, &mut places) else {
                return false;
            };
            let (to, from) = self.ends(first);
            let turns = Turns::new(turns, stride);
            match &runs.row {
                Row::Run => repeat::moved(self.level, to, from, rows, places, turns),
                Row::Periods(periods) => self.periods(periods, to, from, rows, places.each, turns),
            }
        }
        true
    }

    /// Rows that are periods of a pattern, in each of the turns from the same places.
    ///
    /// # Safety
    /// As [`repeat::moved`], of a schedule whose move looks up such rows.
    unsafe fn periods(
        &self,
        periods: &Periods,
        dst: *mut u8,
        src: *const u8,
        rows: Rows,
        places: &[isize],
        turns: Turns,
    ) {
        let shuffle = &periods.shuffle;
        let ahead = looked_ahead(rows.cache, shuffle.pattern().span(periods.count));
        repeat::listed(dst, src, rows, places, turns, |dst, src, rows, each| {
            let places = Places {
                each,
                to: None,
                ahead,
            };
            let operand = periods.operand(self.src);
            // SAFETY: by the contract of this function.
            unsafe { shuffle.rows_from(self.level, dst, src, rows, places, operand) };
        });
    }

    /// All turns of a schedule that [`keeps_places`](Schedule::keeps_places).
    ///
    /// # Safety
    /// As [`nest`](super::nest); `runs` are what its move looks up.
    #[inline(never)]
    pub(super) unsafe fn kept(&self, runs: &LookedUp) -> bool {
        let mut places = [const { MaybeUninit::uninit() }; MOST_KEPT];
        let table = self.within.table + runs.lookup.access.offset;
        // SAFETY: by the contract of this function; `walk_outer` gives the positions of turns within the extents.
        unsafe {
            let Some((rows, places)) = self.places(runs, table, &mut places) else {
                return false;
            };
            let places = places.each;
            match few::takes(rows.bytes, places.len(), rows.cache) {
                true => self.walk_outer(|first, turns, stride| {
                    let (to, from) = self.ends(first);
                    few::moved(to, from, &rows, places, Turns::new(turns, stride));
                    true
                }),
                false => by_width!(rows.bytes, kept_turns(self, rows, places)),
            }
        }
    }

    /// The rows of a look-up whose indices begin there, and their places. `None`: an index lies outside its axis.
    ///
    /// # Safety
    /// `runs` are what the move looks up; their indices lie in the table.
    unsafe fn places<'p>(
        &self,
        runs: &LookedUp,
        table: i64,
        places: &'p mut [MaybeUninit<isize>; MOST_KEPT],
    ) -> Option<(Rows, KeptPlaces<'p>)> {
        let (lookup, index_stride) = (&runs.lookup, runs.index_stride);
        let rows = self.rows_looked_up(runs);
        let places = places.get_mut(..rows.count)?;
        // SAFETY: by the contract of this function; all places are written.
        unsafe {
            let table = self.table.offset(table as isize);
            let (level, stride) = (self.level, rows.src_stride);
            let inside = match lookup.index {
                IndexType::I32 => {
                    indices::<i32>(table, lookup, index_stride).places(level, 0, stride, places)
                }
                IndexType::I64 => {
                    indices::<i64>(table, lookup, index_stride).places(level, 0, stride, places)
                }
            };
            let each = &*(&raw const *places as *const [isize]);
            let reach = reach(runs);
            inside.then_some((rows, KeptPlaces { each, reach }))
        }
    }
}

/// # Safety
/// As [`Call::kept`]; the mover is for `rows.bytes`.
unsafe fn kept_turns(mover: impl Mover, call: &Call<'_>, rows: Rows, places: &[isize]) -> bool {
    let ahead = looked_ahead(rows.cache, rows.bytes);
    // SAFETY: by the contract of this function; `walk` gives the positions of turns within the extents.
    unsafe {
        call.walk(|at| {
            let (to, from) = call.ends(at);
            pick(mover, to, from, rows, places, ahead);
            true
        })
    }
}
