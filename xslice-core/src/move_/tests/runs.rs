//! Known runs of random loops, byte by byte beside what they are.

use super::{Random, UNTOUCHED};
use crate::level::Level;
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::move_::processor::on_each_processor;
use crate::nest::schedule::KnownRuns;
use crate::shuffle::{RowLoop, RowLoops};
use alloc::{vec, vec::Vec};

/// Widths at both sides of where another function takes over, and some between.
pub(super) const WIDTHS: [usize; 24] = [
    1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 112, 113, 128, 192, 193, 256,
];

/// Loops of up to 12 turns, or of more runs of up to a line, the innermost last, whose runs touch in the result, or lie apart in steps that may
/// keep them at lines of it.
pub(super) fn loops(random: &mut Random, bytes: usize) -> RowLoops {
    let step = [1, 64][random.below(2)];
    let mut next = bytes;
    let mut all = [RowLoop {
        turns: 1,
        apart: (0, 0),
    }; 3];
    let count = 1 + random.below(3);
    for (k, one) in all.iter_mut().rev().take(count).enumerate() {
        let are_short = k == 0 && bytes <= 64;
        let turns = 1 + random.below(if are_short { 70 } else { 12 });
        next = (next + [0, 0, 5][random.below(3)]).next_multiple_of(step);
        *one = RowLoop {
            turns,
            apart: (next as isize, random.below(1200) as isize - 600),
        };
        next *= turns;
    }
    RowLoops(all)
}

/// Where every run is written and read, counted from the first.
pub(super) fn places(RowLoops([i, j, k]): RowLoops) -> Vec<(isize, isize)> {
    let turns = |one: RowLoop| {
        (0..one.turns as isize).map(move |turn| (turn * one.apart.0, turn * one.apart.1))
    };
    let plus = |a: (isize, isize), b: (isize, isize)| (a.0 + b.0, a.1 + b.1);
    let outer = turns(i).flat_map(|a| turns(j).map(move |b| plus(a, b)));
    outer
        .flat_map(|a| turns(k).map(move |b| plus(a, b)))
        .collect()
}

/// Runs, where they are written and read, and what they have to give.
struct Trial {
    rows: Rows,
    loops: RowLoops,
    src: Vec<u8>,
    /// The first run in the source.
    first: isize,
    expected: Vec<u8>,
    /// The first run in the result, from a line of it on.
    at: usize,
}

impl Trial {
    fn new(random: &mut Random, bytes: usize, loops: RowLoops) -> Self {
        let places = places(loops);
        let lowest = places.iter().map(|place| place.1).min().unwrap_or(0);
        let highest = places.iter().map(|place| place.1).max().unwrap_or(0);
        let end = places.iter().map(|place| place.0).max().unwrap_or(0);
        let src = random.bytes((highest - lowest) as usize + bytes);
        // With a line of the result, with a short vector of it, or anywhere.
        let at = [0, 16, random.below(64)][random.below(3)];
        let mut expected = vec![UNTOUCHED; at + end as usize + bytes + 64];
        for &(to, from) in &places {
            let (to, from) = (at + to as usize, (from - lowest) as usize);
            expected[to..to + bytes].copy_from_slice(&src[from..from + bytes]);
        }
        let RowLoop { turns, apart } = loops.inner();
        Self {
            rows: Rows {
                count: turns,
                dst_stride: apart.0,
                src_stride: apart.1,
                ..Rows::one(bytes, Cache::Near)
            },
            loops,
            src,
            first: -lowest,
            expected,
            at,
        }
    }

    /// Runs what a level knows of the runs, by itself and by another level; whether it knows them.
    fn run(&self, level: Level) -> bool {
        self.run_known(level, KnownRuns::new(level, &self.rows, self.loops))
    }

    fn run_known(&self, level: Level, runs: Option<KnownRuns>) -> bool {
        let Some(runs) = runs else { return false };
        let len = self.expected.len();
        for by in [level, Level::SCALAR] {
            let mut moved = vec![UNTOUCHED; len + 2 * 64];
            let line = moved.as_ptr().align_offset(64).min(64) + 64;
            let to = moved[line + self.at..].as_mut_ptr();
            let from = self.src.as_ptr().wrapping_offset(self.first);
            // SAFETY: every run lies in the source, and the result has room for them.
            unsafe { runs.run(by, to, from) };
            let (bytes, name) = (self.rows.bytes, by.name());
            let (result, around) = (moved.drain(line..line + len).collect::<Vec<_>>(), moved);
            let is_equal = result == self.expected && around.iter().all(|&byte| byte == UNTOUCHED);
            assert!(is_equal, "{name}: {bytes} bytes, {:?}", self.loops);
        }
        true
    }
}

#[test]
fn known_runs_move_what_they_are() {
    on_each_processor(|| {
        let mut random = Random(19);
        let trials = if cfg!(miri) { 9 } else { 3000 };
        let mut known = [0; 4];
        for trial in 0..trials {
            let bytes = match trial % 4 {
                0 => 1 + random.below(700),
                1 => [256, 320, 384, 512][random.below(4)],
                _ => WIDTHS[random.below(WIDTHS.len())],
            };
            let loops = loops(&mut random, bytes);
            let trial = Trial::new(&mut random, bytes, loops);
            for (known, level) in known.iter_mut().zip(Level::all()) {
                *known += usize::from(trial.run(level));
            }
        }
        // Every level knows runs of up to a line, and vectors as long know longer ones.
        for (known, level) in known.into_iter().zip(Level::all()) {
            let least = if level.vector() == 64 {
                trials * 9 / 10
            } else {
                trials / 3
            };
            assert!(known >= least, "{}: {known} of {trials}", level.name());
        }
    });
}

#[test]
fn a_run_alone_moves_what_it_is() {
    let mut random = Random(23);
    for bytes in (0..=300).chain([1023, 1024, 4095, 16384, 16385]) {
        for _ in 0..if cfg!(miri) { 1 } else { 4 } {
            let trial = Trial::new(&mut random, bytes, RowLoops::ONE);
            for level in Level::all() {
                let is_known = trial.run_known(level, KnownRuns::alone(level, bytes));
                let most = match level.vector() {
                    64 => 16384,
                    32 => 2048,
                    _ => 64,
                };
                assert_eq!(is_known, bytes <= most, "{}: {bytes}", level.name());
            }
        }
    }
}
