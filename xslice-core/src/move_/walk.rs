//! The outer loops of a call: where each turn stands.
//!
//! Positions that are sums of strides are stepped. Where a table says where turns are, what the innermost loop does not move is read once for
//! all its turns, and the indices that it does move are read in blocks.

use super::at::{At, each_turn, turns};
use super::part::Part;
use super::positions::load;
use super::{Call, indices};
use crate::access::{Access, IndexType, Lookup};
use crate::nest::schedule::MovedTables;
use crate::odometer::{Loops, MOST_LOOPS, Odometer};
use core::mem::MaybeUninit;
use core::ops::Range;

/// Turns whose indices are read at once.
const BLOCK: usize = 64;

impl Call<'_> {
    /// Turns of each loop that are taken.
    pub(super) fn extents(&self) -> &[usize] {
        self.loops().extents
    }

    /// The loops, where those of a part begin.
    pub(super) fn loops(&self) -> Loops<'_> {
        let whole = || Loops::whole(self.schedule.extents());
        self.part.map_or_else(whole, Part::loops)
    }

    /// How far a part begins in the loops from the `first` on.
    pub(super) fn skipped_from(&self, first: usize) -> At {
        match self.loops().late {
            Some((k, turn)) if k >= first => self.stride(k).times(turn),
            Some(_) | None => At::default(),
        }
    }

    /// Where the indices of a lookup are.
    pub(super) fn indices(&self) -> Option<&Access> {
        let lookup = self.schedule.inner().lookup();
        lookup.map(|lookup| &lookup.access)
    }

    /// What one turn of loop `k` adds, but for what tables do.
    #[inline]
    pub(super) fn stride(&self, k: usize) -> At {
        let of = |access: &Access| access.strides.get(k).copied().unwrap_or(0);
        At {
            src: of(self.schedule.src()),
            dst: of(self.schedule.dst()),
            table: self.indices().map_or(0, of),
        }
    }

    /// The position of the first turn, but for what tables add.
    #[inline(always)]
    pub(super) fn first(&self) -> At {
        let first = self.within.plus(At {
            src: self.schedule.src().offset,
            dst: self.schedule.dst().offset,
            table: self.indices().map_or(0, |table| table.offset),
        });
        match self.loops().late {
            Some((k, turn)) => first.plus(self.stride(k).times(turn)),
            None => first,
        }
    }

    /// Calls `turn` with the position of each turn of the outer loops, as long as it says `true`.
    ///
    /// # Safety
    /// The checks of the tables have passed.
    #[inline(always)]
    pub(super) unsafe fn walk(&self, turn: impl Fn(At) -> bool) -> bool {
        // SAFETY: by the contract of this function.
        unsafe { self.walk_outer(|first, count, stride| each_turn(first, count, stride, &turn)) }
    }

    /// Calls `innermost` for each turn of the outer loops but the innermost of them, as long as it says `true`: with the position of
    /// that loop's first turn, its turns, and their distance. Where that loop moves a table, for each of its turns alone.
    ///
    /// # Safety
    /// As [`Call::walk`].
    #[inline(always)]
    pub(super) unsafe fn walk_outer(&self, innermost: impl Fn(At, usize, At) -> bool) -> bool {
        if !self.schedule.src().is_affine() {
            // SAFETY: by the contract of this function.
            return unsafe { self.walk_by_tables(&innermost) };
        }
        match self.extents().split_last() {
            None => innermost(self.first(), 1, At::default()),
            Some((&count, outer)) => {
                let last = self.stride(outer.len());
                let stride = |k| self.stride(k);
                turns(outer, self.first(), &stride, |first| {
                    innermost(first, count, last)
                })
            }
        }
    }

    /// # Safety
    /// As [`Call::walk_outer`].
    #[inline]
    unsafe fn walk_by_tables(&self, innermost: &impl Fn(At, usize, At) -> bool) -> bool {
        let loops = self.extents();
        let last = loops.len().saturating_sub(1);
        if let (&MovedTables::None, &[.., count]) = (&self.schedule.moved_tables(last), loops) {
            let stride = self.stride(last);
            let skipped = stride.times(self.loops().begin(last));
            // SAFETY: by the contract of this function.
            return unsafe {
                self.walk_blocks(0..last, |first, places, apart| {
                    let turns = |first: At| innermost(first.plus(skipped), count, stride);
                    each_place(first, places, apart, turns)
                })
            };
        }
        let once = |at| innermost(at, 1, At::default());
        // SAFETY: likewise.
        unsafe {
            self.walk_blocks(0..loops.len(), |first, places, apart| {
                each_place(first, places, apart, once)
            })
        }
    }

    /// Calls `block` for turns of these loops in their order, many of the innermost of them at once, as long as it says `true`: with the
    /// position of the first, what each adds to it in the source, and how far apart they are otherwise. Other loops stand at their first turn.
    ///
    /// # Safety
    /// As [`Call::walk`].
    #[inline]
    pub(super) unsafe fn walk_blocks(
        &self,
        walked: Range<usize>,
        mut block: impl FnMut(At, &[isize], At) -> bool,
    ) -> bool {
        let loops = self.loops();
        let mut extents = [1; MOST_LOOPS];
        extents[walked.clone()].copy_from_slice(&loops.extents[walked.clone()]);
        let extents = &extents[..walked.end];
        let last = walked.end.saturating_sub(1);
        let lookup = match self.schedule.moved_tables(last) {
            MovedTables::One(at) if !walked.is_empty() => Some(&self.schedule.src().lookups[at]),
            _ => None,
        };
        let walked = if lookup.is_some() { last } else { walked.end };
        let (extents, rest) = extents.split_at(walked);
        let skipped = loops.begin(last);
        let mut odometer = Odometer::new(Loops { extents, ..loops });
        loop {
            let counters = odometer.counters();
            // SAFETY: the counters lie within the extents, of which those that are not given are at 0; the checks have passed.
            let inside = unsafe {
                let first = self.at(counters);
                match (lookup, rest) {
                    (Some(lookup), &[count]) => {
                        let turns = skipped..skipped + count;
                        self.looked_up_blocks(lookup, counters, first, turns, &mut block)
                    }
                    _ => block(first, &[0], At::default()),
                }
            };
            if !inside {
                return false;
            }
            if !odometer.advance() {
                return true;
            }
        }
    }

    /// The position of a turn; loops without a counter stand at their first turn.
    ///
    /// # Safety
    /// The counters lie within the extents; the checks of the tables have passed.
    unsafe fn at(&self, counters: &[usize]) -> At {
        // SAFETY: by the contract of this function.
        let at = |access: &Access| unsafe { self.sources.position(access, counters) };
        self.within.plus(At {
            src: at(self.schedule.src()),
            dst: at(self.schedule.dst()),
            table: self.indices().map_or(0, at),
        })
    }

    /// Calls `block` with turns of the loop after those with a counter, which moves a table. `first` is where its first turn stands.
    ///
    /// # Safety
    /// As [`Call::at`].
    #[inline]
    unsafe fn looked_up_blocks(
        &self,
        lookup: &Lookup,
        counters: &[usize],
        first: At,
        turns: Range<usize>,
        block: &mut impl FnMut(At, &[isize], At) -> bool,
    ) -> bool {
        let stride = self.stride(counters.len());
        let mut places = [const { MaybeUninit::uninit() }; BLOCK];
        turns.clone().step_by(BLOCK).all(|turn| {
            let places = &mut places[..BLOCK.min(turns.end - turn)];
            // SAFETY: by the contract of this function; all places are written.
            let places = unsafe {
                self.looked_up_places(lookup, counters, turn, places);
                &*(&raw const *places as *const [isize])
            };
            let at = first.plus(stride.times(turn));
            // The places are counted from the first turn.
            let src = first.src;
            block(At { src, ..at }, places, stride)
        })
    }

    /// What turns of the last loop add to the source, with what the table does, those from `turn` on.
    ///
    /// # Safety
    /// As [`Call::at`].
    #[inline(never)]
    unsafe fn looked_up_places(
        &self,
        lookup: &Lookup,
        counters: &[usize],
        turn: usize,
        places: &mut [MaybeUninit<isize>],
    ) {
        let last = counters.len();
        let (index_stride, src_stride) = (
            lookup.access.strides[last],
            self.schedule.src().strides[last] as isize,
        );
        // SAFETY: by the contract of this function.
        unsafe {
            let table = self.sources.start(lookup.table);
            let table = table.offset(lookup.access.affine_position(counters) as isize);
            // The first turn has it already.
            let already = lookup.adds(load(table, lookup.index)) as isize;
            match lookup.index {
                IndexType::I32 => indices::<i32>(table, lookup, index_stride)
                    .places(self.level, turn, src_stride, places),
                IndexType::I64 => indices::<i64>(table, lookup, index_stride)
                    .places(self.level, turn, src_stride, places),
            };
            for place in places {
                *place.assume_init_mut() -= already;
            }
        }
    }
}

/// Calls `turn` with each of these places in the source, counted from the first, the turns so far apart otherwise, as long as it says `true`.
#[inline(always)]
fn each_place(first: At, places: &[isize], apart: At, turn: impl Fn(At) -> bool) -> bool {
    let mut at = first;
    places.iter().all(|&place| {
        let src = first.src.wrapping_add(place as i64);
        let passed = turn(At { src, ..at });
        at = at.plus(apart);
        passed
    })
}
