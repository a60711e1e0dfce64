//! Known runs of random loops, byte by byte beside what they are.

use super::{Random, UNTOUCHED};
use crate::level::Level;
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::nest::schedule::KnownRuns;
use crate::shuffle::{RowLoop, RowLoops};
use alloc::{vec, vec::Vec};

/// Widths at both sides of where another function takes over, and some between.
const WIDTHS: [usize; 24] = [
    1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 112, 113, 128, 192, 193, 256,
];

/// Loops of up to 12 turns, or of more elements, the innermost last, whose runs touch in the result, or lie apart in steps that may keep them at lines of it.
fn loops(random: &mut Random, bytes: usize) -> RowLoops {
    let step = [1, 64][random.below(2)];
    let mut next = bytes;
    let mut all = [RowLoop {
        turns: 1,
        apart: (0, 0),
    }; 3];
    let count = 1 + random.below(3);
    for (k, one) in all.iter_mut().rev().take(count).enumerate() {
        let are_elements = k == 0 && bytes <= 8;
        let turns = 1 + random.below(if are_elements { 70 } else { 12 });
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
fn places(RowLoops([i, j, k]): RowLoops) -> Vec<(isize, isize)> {
    let turns = |one: RowLoop| {
        (0..one.turns as isize).map(move |turn| (turn * one.apart.0, turn * one.apart.1))
    };
    let plus = |a: (isize, isize), b: (isize, isize)| (a.0 + b.0, a.1 + b.1);
    let outer = turns(i).flat_map(|a| turns(j).map(move |b| plus(a, b)));
    outer
        .flat_map(|a| turns(k).map(move |b| plus(a, b)))
        .collect()
}

#[test]
fn known_runs_move_what_they_are() {
    let mut random = Random(19);
    let mut known = 0;
    for trial in 0..if cfg!(miri) { 30 } else { 6000 } {
        let bytes = match trial % 4 {
            0 => 1 + random.below(700),
            1 => [320, 384, 512][random.below(3)],
            _ => WIDTHS[random.below(WIDTHS.len())],
        };
        let loops = loops(&mut random, bytes);
        let places = places(loops);
        let first = places.iter().map(|place| place.1).min().unwrap_or(0);
        let last = places.iter().map(|place| place.1).max().unwrap_or(0);
        let end = places.iter().map(|place| place.0).max().unwrap_or(0);
        let src = random.bytes((last - first) as usize + bytes);
        // At a line of the result, at a short vector of it, or anywhere.
        let at = [0, 16, random.below(64)][random.below(3)];
        let mut moved = vec![UNTOUCHED; end as usize + bytes + 128];
        let start = moved.as_ptr().align_offset(64).min(63) + at;
        let mut expected = moved.clone();
        for &(to, from) in &places {
            let (to, from) = (start + to as usize, (from - first) as usize);
            expected[to..to + bytes].copy_from_slice(&src[from..from + bytes]);
        }
        let RowLoop { turns, apart } = loops.inner();
        let rows = Rows {
            count: turns,
            dst_stride: apart.0,
            src_stride: apart.1,
            ..Rows::one(bytes, Cache::Near)
        };
        for level in Level::all() {
            let Some(runs) = KnownRuns::new(level, &rows, loops) else {
                continue;
            };
            known += 1;
            for by in [level, Level::SCALAR] {
                moved.fill(UNTOUCHED);
                let from = src.as_ptr().wrapping_offset(-first);
                // SAFETY: every run lies in the source, and the result has room for them.
                unsafe { runs.run(by, moved.as_mut_ptr().wrapping_add(start), from) };
                assert!(moved == expected, "{}: {bytes} bytes, {loops:?}", by.name());
            }
        }
    }
    assert!(known > 20, "{known}");
}
