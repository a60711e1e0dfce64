//! A shuffle on random rows, byte by byte beside its pattern.

use super::{Random, UNTOUCHED};
use crate::level::Level;
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::move_::shuffled;
use crate::shuffle::Shuffle;
use alloc::{vec, vec::Vec};

/// A shuffle, rows for it whose source is as long as what they read and some slack, and what it has to give.
pub(super) struct Trial<'a> {
    shuffle: &'a Shuffle,
    periods: usize,
    rows: Rows,
    src: Vec<u8>,
    /// The place of the first row in the source.
    start: usize,
    /// Rows that come from any place: how far each is, and how far what follows them is, which is fetched.
    from: Vec<isize>,
    /// And go to any: the distance of each.
    to: Vec<isize>,
    /// Rows that are fetched ahead.
    ahead: usize,
    /// The result in the order of rows, from any place, and from any place to any.
    expected: [Vec<u8>; 3],
}

impl<'a> Trial<'a> {
    pub fn new(
        random: &mut Random,
        shuffle: &'a Shuffle,
        periods: usize,
        slack: (usize, usize),
    ) -> Self {
        let bytes = periods * shuffle.pattern().period();
        let rows = rows(random, bytes);
        let places = places(shuffle, &rows);
        let ends = places.iter().min().zip(places.iter().max());
        let (first, last) = ends.map_or((0, 0), |(&first, &last)| (first, last));
        let src = random.bytes((last - first) as usize + 1 + slack.0 + slack.1);
        let start = slack.0.wrapping_add_signed(-first);
        let ahead = [0, 3][random.below(2)];
        let known = rows.count + random.below(ahead + 1);
        let picked: Vec<usize> = (0..known).map(|_| random.below(rows.count)).collect();
        let mut slots: Vec<usize> = (0..known).collect();
        (1..rows.count).for_each(|slot| slots.swap(slot, random.below(slot + 1)));
        let mut expected = [(); 3].map(|()| vec![UNTOUCHED; rows.count * (bytes + 3)]);
        for row in 0..rows.count {
            let ways = [(row, row), (picked[row], row), (picked[row], slots[row])];
            for (expected, (row, slot)) in expected.iter_mut().zip(ways) {
                let expected = &mut expected[slot * rows.dst_stride as usize..][..bytes];
                let places = &places[row * bytes..][..bytes];
                for (expected, &place) in expected.iter_mut().zip(places) {
                    *expected = src[start.wrapping_add_signed(place)];
                }
            }
        }
        let apart =
            |rows: &[usize], stride| rows.iter().map(|&row| row as isize * stride).collect();
        Self {
            from: apart(&picked, rows.src_stride),
            to: apart(&slots, rows.dst_stride),
            shuffle,
            periods,
            rows,
            src,
            start,
            ahead,
            expected,
        }
    }

    /// Runs it in every way that a level has, and compares.
    pub fn run(&self, level: Level) {
        let mut dst = self
            .expected
            .each_ref()
            .map(|dst| vec![UNTOUCHED; dst.len()]);
        self.run_rows(level, dst.each_mut().map(Vec::as_mut_ptr));
        let (name, pattern, periods) = (level.name(), self.shuffle.pattern(), self.periods);
        assert!(
            dst == self.expected,
            "{name}: {pattern:?}, {periods} periods"
        );
    }

    /// All rows in their order, from any place, and from any place to any.
    fn run_rows(&self, level: Level, [in_order, from_any, to_any]: [*mut u8; 3]) {
        let (shuffle, rows, operand) = (self.shuffle, self.rows, self.src.as_ptr_range());
        let src = self.src.as_ptr().wrapping_add(self.start);
        let places = |to| shuffled::Places {
            each: &self.from,
            to,
            ahead: self.ahead,
        };
        let scattered = Rows {
            dst_stride: 0,
            ..rows
        };
        // SAFETY: every place of the rows lies in the source, which begins and ends with them but for the slack; each of the results has
        // room for the rows.
        unsafe {
            shuffle.rows(level, in_order, src, rows, operand.clone());
            shuffle.rows_from(level, from_any, src, rows, places(None), operand.clone());
            let places = places(Some(&self.to[..]));
            shuffle.rows_from(level, to_any, src, scattered, places, operand);
        }
    }
}

/// A few rows of `bytes` bytes, at any distance.
fn rows(random: &mut Random, bytes: usize) -> Rows {
    let most = [6, 40][random.below(2)];
    let apart = [400, 6000][random.below(2)];
    Rows {
        count: 1 + random.below(most),
        bytes,
        dst_stride: (bytes + random.below(3)) as isize,
        src_stride: random.below(apart) as isize - apart as isize / 2,
        cache: [Cache::Near, Cache::Second, Cache::Far, Cache::None][random.below(4)],
    }
}

/// Where each byte of the rows is read, from the place of the first.
fn places(shuffle: &Shuffle, rows: &Rows) -> Vec<isize> {
    let pattern = shuffle.pattern();
    let place = |row: usize, at: usize| {
        let (period, within) = (at / pattern.period(), at % pattern.period());
        let first =
            row as isize * rows.src_stride + period as isize * pattern.src_stride() as isize;
        first + pattern.offsets()[within] as isize
    };
    let all = (0..rows.count).flat_map(|row| (0..rows.bytes).map(move |at| (row, at)));
    all.map(|(row, at)| place(row, at)).collect()
}
