//! Known rows of random loops, byte by byte beside their pattern.

use super::{Random, UNTOUCHED};
use crate::level::Level;
use crate::shuffle::{RowLoops, Shuffle};
use alloc::{vec, vec::Vec};

/// A shuffle, rows of it in loops whose source is as long as what they read and some slack, and what it has to give.
pub(super) struct KnownTrial<'a> {
    shuffle: &'a Shuffle,
    periods: usize,
    loops: RowLoops,
    src: Vec<u8>,
    /// The place of the first row in the source.
    start: isize,
    expected: Vec<u8>,
}

impl<'a> KnownTrial<'a> {
    pub fn new(
        random: &mut Random,
        shuffle: &'a Shuffle,
        periods: usize,
        slack: (usize, usize),
    ) -> Self {
        let pattern = shuffle.pattern();
        let bytes = periods * pattern.period();
        let loops = random.below(4);
        let extents: Vec<usize> = (0..loops).map(|_| 1 + random.below(5)).collect();
        let src_strides: Vec<i64> = (0..loops).map(|_| random.below(800) as i64 - 400).collect();
        // Rows touch, or turns of a loop lie apart.
        let (mut next, mut dst_strides) = (bytes, vec![0; loops]);
        for (stride, extent) in dst_strides.iter_mut().zip(&extents).rev() {
            next += [0, 0, 0, 5][random.below(4)];
            *stride = next as i64;
            next *= extent;
        }
        let Some(rows) = RowLoops::new(&extents, &dst_strides, &src_strides) else {
            panic!("{loops} loops are too many");
        };
        let mut moved = Vec::new();
        for turn in 0..extents.iter().product() {
            let (mut rest, mut to, mut from) = (turn, 0, 0);
            for ((extent, dst), src) in extents.iter().zip(&dst_strides).zip(&src_strides).rev() {
                let at = (rest % extent) as i64;
                (rest, to, from) = (rest / extent, to + at * dst, from + at * src);
            }
            for at in 0..bytes {
                let (period, within) = (at / pattern.period(), at % pattern.period());
                let place = period as i64 * i64::from(pattern.src_stride());
                let offset = i64::from(pattern.offsets()[within]);
                moved.push((to as usize + at, from + place + offset));
            }
        }
        let places = || moved.iter().map(|&(_, from)| from);
        let (first, last) = (places().min().unwrap_or(0), places().max().unwrap_or(0));
        let src = random.bytes((last - first) as usize + 1 + slack.0 + slack.1);
        let start = slack.0 as i64 - first;
        let mut expected = vec![UNTOUCHED; next + 64];
        for (to, from) in moved {
            expected[to] = src[(start + from) as usize];
        }
        Self {
            shuffle,
            periods,
            loops: rows,
            src,
            start: start as isize,
            expected,
        }
    }

    /// Runs what a level knows of the rows: with their place, and wherever they begin, so that each call sees whether they are inside. Gives
    /// how often it knew them.
    pub fn run(&self, level: Level) -> usize {
        let operand = self.src.as_ptr_range();
        let src = operand.start.wrapping_offset(self.start);
        let inside = |(first, last): (isize, isize)| {
            let [first, last] = [first, last].map(|end| self.start + end);
            first >= 0 && last.unsigned_abs() <= self.src.len()
        };
        let known = |holds: &dyn Fn((isize, isize)) -> bool| {
            self.shuffle.known(level, self.periods, self.loops, holds)
        };
        let known = [known(&inside), known(&|_| true)];
        // And by another level than the one that knows them.
        let levels = [level, Level::SCALAR].into_iter();
        for (level, known) in
            levels.flat_map(|level| known.iter().flatten().map(move |k| (level, k)))
        {
            let mut moved = vec![UNTOUCHED; self.expected.len()];
            let dst = moved.as_mut_ptr();
            // SAFETY: every place of the rows lies in the source, and the result has room for them.
            unsafe {
                self.shuffle
                    .run_known(level, dst, src, known, operand.clone())
            };
            let (name, loops, pattern) = (level.name(), self.loops, self.shuffle.pattern());
            let is_equal = moved == self.expected;
            let periods = self.periods;
            assert!(
                is_equal,
                "{name}: {loops:?} of {periods} periods, {pattern:?}"
            );
        }
        known.iter().flatten().count()
    }
}
