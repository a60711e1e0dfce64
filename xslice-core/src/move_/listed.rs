//! Turns that begin where indices say, and look up the same rows: where they begin is listed, and those of many move at once.
//!
//! The outermost loops whose turns begin where no index says do not move the list: where it and the rows of a turn are few, both are one
//! list of rows, which the turns of these loops share.

use super::Call;
use super::at::{At, Listed, Starts, Turns};
use super::copy::Rows;
use super::lookup::repeat::{KeptPlaces, MOST_KEPT};
use crate::nest::schedule::{LookedUp, MovedTables, Schedule};
use core::mem::MaybeUninit;
use core::ops::Range;

/// Turns that are listed at once: several blocks.
const MOST_LISTED: usize = 1024;

/// Fewer turns do not pay for one list of the rows of all others.
const LEAST_SHARING: usize = 8;

/// Where turns begin that lie at one distance in the destination.
struct Begun {
    first: At,
    /// Known from the second on.
    apart: i64,
    /// In the source, from where the first begins; so many are written.
    places: [MaybeUninit<isize>; MOST_LISTED],
    count: usize,
}

impl Begun {
    fn none() -> Self {
        Self {
            first: At::default(),
            apart: 0,
            places: [const { MaybeUninit::uninit() }; MOST_LISTED],
            count: 0,
        }
    }

    fn places(&self) -> &[isize] {
        let written = &self.places[..self.count];
        // SAFETY: these are.
        unsafe { &*(&raw const *written as *const [isize]) }
    }

    /// Whether `count` more, so far apart, of which the first stands there, go on where these end, and have room.
    fn go_on(&self, at: At, count: usize, apart: At) -> bool {
        let from_first = at.dst.wrapping_sub(self.first.dst);
        let known = match self.count {
            0 => return true,
            1 => from_first,
            _ => self.apart,
        };
        self.count + count <= MOST_LISTED
            && from_first == known.wrapping_mul(self.count as i64)
            && (count == 1 || apart.dst == known)
    }

    /// Adds turns that [go on](Self::go_on).
    fn add(&mut self, at: At, places: &[isize], apart: At) {
        match self.count {
            0 => (self.first, self.apart) = (at, apart.dst),
            1 => self.apart = at.dst.wrapping_sub(self.first.dst),
            _ => {}
        }
        let begin = at.src.wrapping_sub(self.first.src) as isize;
        let list = &mut self.places[self.count..][..places.len()];
        for (to, place) in list.iter_mut().zip(places) {
            to.write(begin.wrapping_add(*place));
        }
        self.count += places.len();
    }
}

impl Schedule {
    /// The loops from the first to the last whose turns begin where indices say; there may be none, where a single index says it for all.
    pub(super) fn loops_by_tables(&self) -> Range<usize> {
        let is_moved = |&k: &usize| !matches!(self.moved_tables(k), MovedTables::None);
        let mut moved = (0..self.extents().len()).filter(is_moved);
        match moved.next() {
            Some(first) => first..moved.next_back().unwrap_or(first) + 1,
            None => 0..0,
        }
    }

    /// Rows that its move looks up from each start, and from all.
    pub(crate) fn rows_of_starts(&self, runs: &LookedUp) -> (usize, usize) {
        let rows = |turns: &[usize]| {
            let turns = turns.iter();
            turns.fold(runs.count, |rows, &turns| rows.saturating_mul(turns))
        };
        let extents = self.extents();
        (rows(&extents[self.loops_by_tables().end..]), rows(extents))
    }
}

impl Call<'_> {
    /// All turns of a schedule whose places are kept, some of which begin where indices say; `first` is where the first of them stands, but for
    /// what these add.
    ///
    /// # Safety
    /// As [`Call::kept`].
    #[inline(never)]
    pub(super) unsafe fn kept_by_tables(&self, runs: &LookedUp, first: At) -> bool {
        let mut places = [const { MaybeUninit::uninit() }; MOST_KEPT];
        // SAFETY: by the contract of this function.
        unsafe {
            let Some(found) = self.places(runs, first.table, &mut places) else {
                return false;
            };
            if !self.as_one_list(runs, first, found) {
                self.by_list(runs, found);
            }
        }
        true
    }

    /// Moves the turns of the innermost loops from all starts that are listed.
    ///
    /// # Safety
    /// As [`Call::kept`]; these are the rows of a turn.
    unsafe fn by_list(&self, runs: &LookedUp, (rows, places): (Rows, KeptPlaces<'_>)) {
        let (loops, listed) = (self.loops(), self.schedule.loops_by_tables().end);
        let skipped = self.skipped_from(listed);
        let (dst, src) = (self.schedule.dst(), self.schedule.src());
        let strides = (&dst.strides[listed..], &src.strides[listed..]);
        let last = self.stride(loops.extents.len() - 1);
        let (turns, around) = match loops.extents[listed..].split_last() {
            Some((&turns, around)) => (Turns::new(turns, last), around),
            None => (Turns::once(rows.count as isize * rows.dst_stride), &[][..]),
        };
        let mut begun = Begun::none();
        // SAFETY: by the contract of this function; `walk_blocks` gives the positions of turns within the extents.
        unsafe {
            let move_from = |begun: &Begun| {
                let listed = Listed {
                    places: begun.places(),
                    apart: begun.apart as isize,
                };
                let starts = Starts::new(self.ends(begun.first), around, strides.0, strides.1);
                self.at_places(runs, (rows, places), starts.in_each(listed), turns);
            };
            self.walk_blocks(0..listed, |first, places, apart| {
                let first = first.plus(skipped);
                if !begun.go_on(first, places.len(), apart) {
                    move_from(&begun);
                    begun.count = 0;
                }
                begun.add(first, places, apart);
                true
            });
            move_from(&begun);
        }
    }

    /// Moves the rows of all turns of the loops by tables as those of one turn of the loop around. `false`, and nothing is moved, where there
    /// is none, or they do not follow each other, or are too many.
    ///
    /// # Safety
    /// As [`Call::by_list`]; `first` is as [`Call::kept_by_tables`] says.
    unsafe fn as_one_list(
        &self,
        runs: &LookedUp,
        first: At,
        (rows, places): (Rows, KeptPlaces<'_>),
    ) -> bool {
        let (extents, by_tables) = (self.extents(), self.schedule.loops_by_tables());
        let turns_listed = extents[by_tables.clone()].iter();
        let count = turns_listed.fold(rows.count, |count, &turns| count.saturating_mul(turns));
        let (around, inside) = (&extents[..by_tables.start], &extents[by_tables.end..]);
        let Some((&turns, around)) = around.split_last() else {
            return false;
        };
        if count > MOST_KEPT || turns < LEAST_SHARING || !inside.is_empty() {
            return false;
        }
        let mut begun = Begun::none();
        // SAFETY: by the contract of this function.
        let go_on = unsafe {
            self.walk_blocks(by_tables.clone(), |at, places, apart| {
                let go_on = begun.go_on(at, places.len(), apart);
                if go_on {
                    begun.add(at, places, apart);
                }
                go_on
            })
        };
        if !go_on || begun.apart != rows.dst_stride as i64 * rows.count as i64 {
            return false;
        }
        let mut each = [0; MOST_KEPT];
        let from_first = begun.first.src.wrapping_sub(first.src) as isize;
        for (to, begin) in each.chunks_mut(rows.count).zip(begun.places()) {
            let rows = to.iter_mut().zip(places.each);
            rows.for_each(|(to, place)| *to = from_first + begin + place);
        }
        let rows = Rows { count, ..rows };
        let places = KeptPlaces {
            each: &each[..count],
            reach: places
                .reach
                .saturating_add(self.reach_of(by_tables.clone())),
        };
        let (dst, src) = (self.schedule.dst(), self.schedule.src());
        // SAFETY: by the contract of this function: what index 0 says lies in the operand as what any other does.
        unsafe {
            let starts = Starts::new(self.ends(first), around, &dst.strides, &src.strides);
            let turns = Turns::new(turns, self.stride(by_tables.start - 1));
            self.at_places(runs, (rows, places), starts, turns);
        }
        true
    }

    /// Bytes that turns of these loops, with whatever indices, add to a place at most; `usize::MAX`: some may take from it.
    fn reach_of(&self, loops: Range<usize>) -> usize {
        let source = self.schedule.src();
        let strides = source.strides[loops.clone()].iter();
        let affine = strides.zip(&self.extents()[loops]);
        let by_index = source.lookups.iter();
        let by_index = by_index.map(|lookup| (lookup.scale, lookup.size as usize));
        let steps = affine
            .map(|(&stride, &turns)| (stride, turns))
            .chain(by_index);
        steps.fold(0, |reach: usize, (step, turns)| {
            let step = usize::try_from(step).unwrap_or(usize::MAX);
            reach.saturating_add(step.saturating_mul(turns.saturating_sub(1)))
        })
    }
}
