//! Turns that look up the same rows: indices are wrapped and tested once for all of them, and the places of rows are kept.

use super::at::{At, Starts, Turns};
use super::lookup::looked_ahead;
use super::lookup::repeat::{self, KeptPlaces, MOST_KEPT};
use super::shuffled::Places;
use super::{Call, Rows, indices};
use crate::access::IndexType;
use crate::nest::schedule::{LookedUp, Periods, Row};
use core::mem::MaybeUninit;

/// Where a turn has more rows than places are kept for, turns share them only while they read at most this many bytes together, which stay near.
const MOST_SHARED: usize = 128 << 10;

/// Fewer of such turns are not worth it.
const LEAST_SHARING: usize = 3;

/// Bytes from a turn's place on in which all entries of the axis lie; `usize::MAX`: that is not known.
pub(super) fn reach(runs: &LookedUp) -> usize {
    match (usize::try_from(runs.lookup.scale), runs.src_stride) {
        (Ok(scale), 0) => {
            let last = (runs.lookup.size as usize).saturating_sub(1);
            runs.bytes.saturating_add(scale.saturating_mul(last))
        }
        _ => usize::MAX,
    }
}

impl Call<'_> {
    /// How many turns of a loop look up the same rows, whose places are kept for them; 1: each of them is moved by itself. What these turns
    /// read has to stay near where there are more rows than places are kept for: some of all turns move, then the next of all.
    pub(super) fn sharing(&self, runs: &LookedUp, turns: usize, stride: At) -> usize {
        let (least, most) = match self.count <= MOST_KEPT {
            true => (1, turns),
            false => (
                LEAST_SHARING,
                MOST_SHARED.checked_div(reach(runs)).unwrap_or(0),
            ),
        };
        match turns.min(most) {
            sharing if stride.table == 0 && sharing >= least => sharing,
            _ => 1,
        }
    }

    /// Some turns of a loop, so many at once by the same indices, which are wrapped and tested once for these.
    ///
    /// # Safety
    /// As [`Call::turns`], of a schedule whose move looks up `runs`; as many turns are [`sharing`](Self::sharing) places.
    #[inline(never)]
    pub(super) unsafe fn repeated(
        &self,
        runs: &LookedUp,
        first: At,
        (turns, stride): (usize, At),
        at_once: usize,
    ) -> bool {
        let elements = At::element(self.schedule.inner());
        (0..turns).step_by(at_once).all(|done| {
            let sharing = Turns::new(at_once.min(turns - done), stride);
            (0..self.count).step_by(MOST_KEPT).all(|row| {
                let count = MOST_KEPT.min(self.count - row);
                let first = first.plus(stride.times(done)).plus(elements.times(row));
                // SAFETY: by the contract of this function.
                unsafe {
                    let (to, from) = self.ends(first);
                    let starts = Starts::one(to, from);
                    Call { count, ..*self }.same_places(runs, first.table, starts, sharing)
                }
            })
        })
    }

    /// All turns of a schedule whose places are [kept](crate::nest::schedule::Drive::Kept).
    ///
    /// # Safety
    /// As [`nest`](super::nest); `runs` are what its move looks up.
    #[inline(never)]
    pub(super) unsafe fn kept(&self, runs: &LookedUp) -> bool {
        let (source, first) = (self.schedule.src(), self.first());
        let Some((&turns, around)) = self.extents().split_last() else {
            return false;
        };
        // SAFETY: by the contract of this function; the first turn, and those that `walk` gives, stand within the extents.
        unsafe {
            if !source.is_affine() {
                return self.kept_by_tables(runs, first);
            }
            let strides = (&*self.schedule.dst().strides, &*source.strides);
            let starts = Starts::new(self.ends(first), around, strides.0, strides.1);
            let turns = Turns::new(turns, self.stride(around.len()));
            self.same_places(runs, first.table, starts, turns)
        }
    }

    /// Turns of a loop, from all its starts, by the same indices, which begin at `table` and are wrapped and tested once.
    ///
    /// # Safety
    /// As [`Call::turns`], for all of them, of a schedule whose move looks up `runs`, at most [`MOST_KEPT`].
    unsafe fn same_places(
        &self,
        runs: &LookedUp,
        table: i64,
        starts: Starts<'_>,
        turns: Turns,
    ) -> bool {
        let mut places = [const { MaybeUninit::uninit() }; MOST_KEPT];
        // SAFETY: by the contract of this function.
        unsafe {
            let places = self.places(runs, table, &mut places);
            let moved = places.map(|found| self.at_places(runs, found, starts, turns));
            moved.is_some()
        }
    }

    /// The same by the places of these rows.
    ///
    /// # Safety
    /// As [`Call::same_places`]; these are the places of the rows that it looks up.
    pub(super) unsafe fn at_places(
        &self,
        runs: &LookedUp,
        (rows, places): (Rows, KeptPlaces<'_>),
        starts: Starts<'_>,
        turns: Turns,
    ) {
        // SAFETY: by the contract of this function. Any index of the axis is proved to lie in the operand (I3), so all of `reach` does, and
        // what is between two turns.
        unsafe {
            match &runs.row {
                Row::Run => repeat::moved(self.level, starts, rows, places, turns),
                Row::Periods(periods) => self.periods(periods, starts, rows, places, turns),
            }
        }
    }

    /// Rows that are periods of a pattern, in each of the turns from the same places.
    ///
    /// # Safety
    /// As [`repeat::moved`], of a schedule whose move looks up such rows.
    unsafe fn periods(
        &self,
        periods: &Periods,
        starts: Starts<'_>,
        rows: Rows,
        places: KeptPlaces<'_>,
        turns: Turns,
    ) {
        let shuffle = &periods.shuffle;
        let pattern = (shuffle.pattern(), periods.count);
        // SAFETY: by the contract of this function.
        let (starts, turns) =
            unsafe { repeat::periods_moved(self.level, starts, rows, pattern, places, turns) };
        if turns.count == 0 {
            return;
        }
        let places = places.each;
        let ahead = looked_ahead(rows.cache, shuffle.pattern().span(periods.count));
        repeat::listed(starts, rows, places, turns, |dst, src, rows, each| {
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

    /// The rows of a look-up whose indices begin there, and their places. `None`: an index lies outside its axis.
    ///
    /// # Safety
    /// `runs` are what the move looks up; their indices lie in the table.
    pub(super) unsafe fn places<'p>(
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
