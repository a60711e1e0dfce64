//! Known rows of random loops, byte by byte beside their pattern.

use super::{Random, UNTOUCHED};
use crate::level::Level;
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::shuffle::{RowLoop, RowLoops, Shuffle};
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
        extents: &[usize],
        slack: (usize, usize),
    ) -> Self {
        let pattern = shuffle.pattern();
        let bytes = periods * pattern.period();
        let loops = extents.len();
        let src_strides: Vec<i64> = (0..loops).map(|_| random.below(800) as i64 - 400).collect();
        // Rows touch, or turns of a loop lie apart.
        let (mut next, mut dst_strides) = (bytes, vec![0; loops]);
        for (stride, extent) in dst_strides.iter_mut().zip(extents).rev() {
            next += [0, 0, 0, 5][random.below(4)];
            *stride = next as i64;
            next *= extent;
        }
        let Some(rows) = RowLoops::new(extents, &dst_strides, &src_strides) else {
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

    /// Runs the rows of a single loop as if a level knew nothing of them.
    pub fn run_unknown(&self, level: Level) {
        let RowLoop { turns, apart } = self.loops.inner();
        let rows = Rows {
            count: turns,
            dst_stride: apart.0,
            src_stride: apart.1,
            ..Rows::one(
                self.periods * self.shuffle.pattern().period(),
                Cache::Second,
            )
        };
        let operand = self.src.as_ptr_range();
        let src = operand.start.wrapping_offset(self.start);
        let mut moved = vec![UNTOUCHED; self.expected.len()];
        // SAFETY: every place of the rows lies in the source, and the result has room for them.
        unsafe {
            self.shuffle
                .rows(level, moved.as_mut_ptr(), src, rows, operand)
        };
        assert!(moved == self.expected, "{}: {:?}", level.name(), self.loops);
    }

    /// Whether the best level knows the rows, of these, tile by tile, some of them at the ends of the source, or as single short vectors, or
    /// several in loops over them.
    #[cfg(target_arch = "x86_64")]
    pub fn kinds(&self) -> [bool; 4] {
        let known = self
            .shuffle
            .known(Level::best(), self.periods, self.loops, self.holds());
        let listed = known.as_ref().and_then(|known| known.listed.as_ref());
        let at_ends = listed.is_some_and(|tiles| !tiles.at_ends.is_empty());
        let is_alone = self.periods == 1 && self.shuffle.alone_in_one_vector().is_some();
        let is_whole = known.as_ref().is_some_and(|known| {
            known.listed.is_none() && known.tiles.whole == 1 && known.tiles.cut == 0
        });
        let is_alone = is_alone && is_whole && self.loops.count() > 1;
        let are_several = known.is_some() && listed.is_none() && self.loops.count() > 1;
        [
            listed.is_some(),
            at_ends,
            is_alone,
            are_several && !is_alone,
        ]
    }

    /// Whether what a row reads lies in the source.
    fn holds(&self) -> impl Fn((isize, isize)) -> bool + use<> {
        let (start, len) = (self.start, self.src.len());
        move |(first, last)| {
            let [first, last] = [first, last].map(|end| start + end);
            first >= 0 && last.unsigned_abs() <= len
        }
    }

    /// Runs what a level knows of the rows: with their place, and wherever they begin, so that each call sees whether they are inside. Gives
    /// how often it knew them.
    pub fn run(&self, level: Level) -> usize {
        let operand = self.src.as_ptr_range();
        let src = operand.start.wrapping_offset(self.start);
        let inside = self.holds();
        let known = |holds: &dyn Fn((isize, isize)) -> bool| {
            self.shuffle.known(level, self.periods, self.loops, holds)
        };
        let known = [known(&inside), known(&|_| true)];
        // And by another level than the one that knows them.
        let levels = [level, Level::SCALAR].into_iter();
        for (level, known) in
            levels.flat_map(|level| known.iter().flatten().map(move |k| (level, k)))
        {
            // Anywhere in a line.
            let shift = self.src.len() % 64;
            let mut moved = vec![UNTOUCHED; shift + self.expected.len()];
            let dst = moved[shift..].as_mut_ptr();
            // SAFETY: every place of the rows lies in the source, and the result has room for them.
            unsafe {
                self.shuffle
                    .run_known(level, dst, src, known, operand.clone())
            };
            let (name, loops, pattern) = (level.name(), self.loops, self.shuffle.pattern());
            let is_equal =
                moved.drain(..shift).all(|byte| byte == UNTOUCHED) && moved == self.expected;
            let periods = self.periods;
            assert!(
                is_equal,
                "{name}: {loops:?} of {periods} periods, {pattern:?}"
            );
        }
        known.iter().flatten().count()
    }
}
