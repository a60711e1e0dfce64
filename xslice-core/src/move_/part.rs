//! Parts of a schedule: a range of the turns of one loop, or of the elements of its move.
//!
//! Parts of one schedule with ranges that do not overlap write different bytes (I4), whatever runs them and when. The *elements* of a
//! move are the bytes of a copy, the rows of a strided move and of a lookup, the periods of a shuffle, the values of a fill.

use super::At;
use crate::nest::schedule::{Move, Schedule};
use crate::odometer::{Loops, MOST_LOOPS};
use core::ops::Range;

/// Some turns and elements of a schedule.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Turns of each loop.
    extents: [usize; MOST_LOOPS],
    loops: usize,
    /// The loop that does not begin at 0, and where it begins.
    late: Option<(usize, usize)>,
    /// Of the move, in each turn.
    pub elements: Range<usize>,
}

/// What of a schedule is shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Split {
    /// The turns of this loop.
    Loop(usize),
    /// The elements of the move.
    Elements,
}

impl Split {
    /// How to share a schedule out among `parts`, and into how many pieces: the outermost loop that has a turn for each, else the
    /// elements, else the longest loop.
    pub fn of(schedule: &Schedule, parts: usize) -> (Self, usize) {
        let (extents, count) = (schedule.extents(), schedule.inner().count());
        if let Some(k) = extents.iter().position(|&extent| extent >= parts) {
            return (Self::Loop(k), extents[k]);
        }
        let longest = (0..extents.len()).max_by_key(|&k| extents[k]);
        match longest {
            Some(k) if count < parts && extents[k] > count => (Self::Loop(k), extents[k]),
            _ => (Self::Elements, count),
        }
    }
}

impl Part {
    /// The pieces `range` of a split.
    pub fn new(schedule: &Schedule, split: Split, range: Range<usize>) -> Self {
        let extents = schedule.extents();
        let mut part = Self {
            extents: [0; MOST_LOOPS],
            loops: extents.len(),
            late: None,
            elements: 0..schedule.inner().count(),
        };
        part.extents[..extents.len()].copy_from_slice(extents);
        match split {
            Split::Elements => part.elements = range,
            Split::Loop(k) => {
                part.extents[k] = range.len();
                part.late = Some((k, range.start));
            }
        }
        part
    }

    /// The loops, with the turns that it takes of each.
    pub fn loops(&self) -> Loops<'_> {
        Loops {
            extents: &self.extents[..self.loops],
            late: self.late,
        }
    }
}

impl At {
    /// What one element adds to the positions.
    pub(super) fn element(inner: &Move) -> Self {
        let (src, dst, table) = match inner {
            Move::Copy { .. } => (1, 1, 0),
            Move::Strided(rows) => (rows.src_stride, rows.dst_stride, 0),
            Move::Shuffle(periods) => {
                let pattern = periods.shuffle.pattern();
                (pattern.src_stride().into(), pattern.period() as i64, 0)
            }
            Move::Lookup(rows) => (rows.src_stride, rows.dst_stride, rows.index_stride),
            Move::Fill(fill) => (fill.step, fill.dst_stride, 0),
        };
        Self { src, dst, table }
    }
}
