//! Every level against plain loops: random patterns, rows, Ranges, buffers that end where the operand does.

use super::cache::Cache;
use super::copy::Rows;
use super::copy_block;
use super::processor::on_each_processor;
use super::rows::Way;
use crate::level::Level;
use crate::shuffle::{Anchor, Pattern, Shuffle, Tables};
use alloc::{
    collections::BTreeSet,
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use core::cell::RefCell;
use known::KnownTrial;
use trial::Trial;

mod fill;
mod known;
mod picks;
mod runs;
mod trial;

/// Numbers that look random, the same in each run.
pub(super) struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        for eight in bytes.chunks_mut(8) {
            eight.copy_from_slice(&self.next().to_le_bytes()[..eight.len()]);
        }
        bytes
    }
}

/// What no move has written.
pub(super) const UNTOUCHED: u8 = 0xA5;

/// A few elements of `width` bytes a period, in any order, from any of a few neighbours.
fn pattern(random: &mut Random, width: usize) -> Option<Pattern> {
    let elements = 1 + random.below((64 / width).min(9));
    let reach = 1 + random.below(3 * elements);
    let stride = (random.below(16 * elements + 1) * width) as i64;
    let sign = [1, -1][random.below(2)];
    // Any will do: it says only where loads had better begin.
    let anchor = Anchor::Line(random.below(64) as u8);
    let from = (0..elements).map(|_| (random.below(reach) * width) as i32);
    let offsets = from.flat_map(|first| (0..width as i32).map(move |byte| first + byte));
    let offsets = offsets.collect();
    let stride = match random.below(4) {
        0 => None,
        1 => Some(0),
        _ => Some(sign * stride),
    };
    let lines = Pattern::new(offsets, stride, true, anchor)?;
    let other = lines
        .by_other_loads(1 + random.below(9), (64, 1), |_| true)
        .nth(random.below(6));
    Some(other.unwrap_or(lines))
}

/// Tries a shuffle at every level, with the habits of every processor.
fn shuffle(random: &mut Random, shuffle: &Shuffle, periods: usize, slack: (usize, usize)) {
    let trial = Trial::new(random, shuffle, periods, slack);
    on_each_processor(|| Level::all().for_each(|level| trial.run(level)));
}

#[test]
fn shuffles_move_what_their_patterns_say() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut narrow, mut wide) = (0, 0);
    for width in 1..=16 {
        for round in 0..150 {
            let Some(pattern) = pattern(&mut random, width) else {
                continue;
            };
            let tried = Shuffle::new(pattern);
            if !tried.is_quick([64; 2], true) {
                continue;
            }
            narrow += usize::from(tried.narrow().is_some());
            wide += usize::from(tried.wide().is_some());
            let periods = [1, 3, 16, 21, 64, 150][round % 6];
            let slack = [(0, 0), (1, 7), (64, 64)][random.below(3)];
            shuffle(&mut random, &tried, periods, slack);
        }
    }
    assert!(narrow > 1000 && wide > 1000, "{narrow} and {wide} tables");
}

#[test]
fn known_rows_are_what_their_patterns_say() {
    let mut random = Random(0x3C6E_F372);
    let mut known = 0;
    #[cfg(target_arch = "x86_64")]
    let mut kinds = [0; 4];
    for round in 0..3000 {
        let Some(pattern) = pattern(&mut random, 1 + round % 16) else {
            continue;
        };
        let tried = Shuffle::new(pattern);
        let periods = [1, 2, 3, 5, 16, 21][random.below(6)];
        let slack = [(0, 0), (1, 7), (64, 64)][random.below(3)];
        let loops = random.below(4);
        // Of a single loop more rows than are listed, too.
        let most = if loops == 1 { 30 } else { 5 };
        let extents: Vec<usize> = (0..loops).map(|_| 1 + random.below(most)).collect();
        let trial = KnownTrial::new(&mut random, &tried, periods, &extents, slack);
        known += Level::all().map(|level| trial.run(level)).sum::<usize>();
        #[cfg(target_arch = "x86_64")]
        for (count, is_one) in kinds.iter_mut().zip(trial.kinds()) {
            *count += usize::from(is_one);
        }
    }
    assert!(known > 1000 || Level::best() == Level::SCALAR, "{known}");
    #[cfg(target_arch = "x86_64")]
    assert!(
        kinds.iter().all(|&kind| kind > 5) || Level::best().vector() < 64,
        "{kinds:?}"
    );
}

/// So many rows that vectors of 16 bytes move them, a level may have longer ones or not.
#[test]
fn many_rows_that_stand_alone_are_what_their_patterns_say() {
    let mut random = Random(0x510E_527F);
    let mut known = 0;
    for round in 0..400 {
        let bytes = 1 + random.below(32);
        let reach = bytes + random.below(4);
        let offsets = (0..bytes).map(|_| random.below(reach) as i32).collect();
        let Some(pattern) = Pattern::new(offsets, None, false, Anchor::First) else {
            continue;
        };
        let tried = Shuffle::new(pattern);
        let slack = [(0, 0), (1, 7), (64, 64)][round % 3];
        let extents = [40 + random.below(100)];
        let trial = KnownTrial::new(&mut random, &tried, 1, &extents, slack);
        for level in Level::all() {
            known += trial.run(level);
            trial.run_unknown(level);
        }
    }
    assert!(known > 200 || Level::best() == Level::SCALAR, "{known}");
}

/// Rows of many tiles that are lines of the result, wherever that begins in a line.
#[test]
fn long_known_rows_are_what_their_patterns_say() {
    // Of several loads, several rows are too long to be known.
    let mut random = Random(0x5BE0_CD19);
    let mut known = 0;
    for (width, step, bytes) in [
        (1, -1, 1300),
        (2, -1, 1410),
        (4, -1, 1284),
        (8, -1, 2000),
        (16, -1, 1360),
        (3, -1, 1500),
        (4, 2, 8500),
        (1, 2, 8300),
        (8, -2, 8240),
    ] {
        let offsets = (0..width).collect();
        let stride = Some(step * i64::from(width));
        let pattern = Pattern::new(offsets, stride, false, Anchor::First).expect("near enough");
        let tried = Shuffle::new(pattern);
        for _ in 0..40 {
            let extents = [1 + random.below(6)];
            let periods = bytes / width as usize;
            let slack = [(0, 0), (1, 7), (64, 64)][random.below(3)];
            let trial = KnownTrial::new(&mut random, &tried, periods, &extents, slack);
            known += Level::all().map(|level| trial.run(level)).sum::<usize>();
        }
    }
    assert!(known > 400 || Level::best().vector() < 64, "{known}");
}

/// Asserts that each byte of the vectors is given by one load, the one that reads it, and that both forms of a load say so: those of
/// processors that are not here, too.
fn gives<const N: usize>(tables: Option<Tables<N>>, pattern: &Pattern) -> usize {
    let Some(tables) = tables else { return 0 };
    for (v, loads) in tables.loads.chunks_exact(tables.per_vector).enumerate() {
        for k in 0..N {
            let at = v * N + k;
            let source = pattern.place(at) + pattern.offsets()[at % pattern.period()] as isize;
            let wanted: Vec<_> = (at < tables.given).then_some(source).into_iter().collect();
            let given = |is_given: &dyn Fn(u8, u64) -> bool| -> Vec<isize> {
                let given = loads.iter().filter(|l| is_given(l.bytes[k], l.mask));
                given.map(|l| l.offset + l.bytes[k] as isize).collect()
            };
            assert_eq!(given(&|byte, _| byte < 0x80), wanted, "{at}: {tables:?}");
            assert_eq!(given(&|_, m| m >> k & 1 == 1), wanted, "{at}: {tables:?}");
        }
    }
    for load in &tables.loads {
        let used = load.bytes.iter().filter(|&&byte| byte < 0x80);
        let used = used.fold(0, |used, byte| used | 1 << byte);
        assert_eq!(load.used, used, "{load:?}");
    }
    1
}

#[test]
fn each_byte_of_a_vector_is_given_by_one_load() {
    let mut random = Random(0x1F83_D9AB);
    let mut tried = [0; 4];
    for round in 0..1000 {
        let Some(pattern) = pattern(&mut random, 1 + round % 16) else {
            continue;
        };
        tried[0] += gives(Tables::<16>::new(&pattern), &pattern);
        tried[1] += gives(Tables::<64>::new(&pattern), &pattern);
        #[cfg(target_arch = "x86_64")]
        {
            tried[2] += gives(Tables::<64>::whole(&pattern), &pattern);
            tried[3] += gives(Tables::<16>::shared(&pattern), &pattern);
        }
    }
    let vectors = if cfg!(target_arch = "x86_64") { 4 } else { 2 };
    assert!(
        tried[..vectors].iter().all(|&tried| tried > 10),
        "{tried:?}"
    );
}

#[test]
fn no_periods_are_moved_to_nowhere() {
    for period in [3, 8, 16, 40] {
        let offsets = (0..period).map(|at| at * 2).collect();
        let pattern = Pattern::new(offsets, Some(2 * i64::from(period)), false, Anchor::First)
            .expect("near enough");
        let shuffle = Shuffle::new(pattern);
        for level in Level::all() {
            let (mut dst, src) = ([UNTOUCHED; 64], [0; 64]);
            // SAFETY: no byte is read or written.
            unsafe { shuffle.run(level, dst.as_mut_ptr(), src.as_ptr(), 0, src.as_ptr_range()) };
            assert_eq!(dst, [UNTOUCHED; 64]);
        }
    }
}

/// Three vectors of a tile that have the same loads: of neighbours alone, as pixels have, and of bytes from anywhere in them.
#[test]
fn vectors_with_the_same_loads_move_what_their_patterns_say() {
    let mut random = Random(0x2545_F491);
    for loads in [3, 4] {
        for round in 0..40 {
            let byte = |k: usize, within: usize| match round % 2 {
                0 => (k * loads / 3 / 4 * 4 + within % 4).min(16 * loads - 1),
                _ if k % 16 < loads => k % 16 * 16,
                _ => within,
            };
            let offsets = (0..48).map(|k| byte(k, random.below(16 * loads)) as i32);
            let stride = [1, -1][round / 2 % 2] * 16 * loads as i64;
            let pattern = Pattern::new(offsets.collect(), Some(stride), true, Anchor::First);
            let tried = pattern.map(Shuffle::new).expect("it is dense");
            let periods = [1, 2, 3, 7, 50, 201][random.below(6)];
            let slack = [(0, 0), (64, 64)][random.below(2)];
            shuffle(&mut random, &tried, periods, slack);
        }
    }
}

/// Periods that fill vectors of 16 bytes: of one or two of 32, in each of their orders.
#[cfg(target_arch = "x86_64")]
#[test]
fn doubled_vectors_move_what_their_patterns_say() {
    let mut random = Random(0xD0B1_ED32);
    let mut tried = [[0; 3]; 2];
    for round in 0..3000 {
        let unit = [1, 2, 4, 8][round % 4];
        let units = (64 >> random.below(7)) / unit;
        // Every second unit, or any of some.
        let any = units + random.below(3 * units + 3);
        let aligned = [1, unit][random.below(2)];
        let mut start = |k: usize| match round % 3 {
            0 => 2 * k * unit,
            _ => random.below(any) * aligned,
        };
        let starts: Vec<_> = (0..units).map(&mut start).collect();
        let bytes = |&start: &usize| (start..start + unit).map(|at| at as i32);
        let offsets = starts.iter().flat_map(bytes).collect();
        let stride = (any.max(2 * units) * unit) as i64 * [1, -1][random.below(2)];
        let Some(pattern) = Pattern::new(offsets, Some(stride), false, Anchor::First) else {
            continue;
        };
        let tables = Tables::narrow(&pattern).expect("few loads give a period");
        let Some(doubled) = &tables.doubled else {
            continue;
        };
        tried[doubled.orders.len() - 1][doubled.kind as usize] += 1;
        let last = (doubled.tiles - 1) as isize * tables.src_stride;
        let (low, high) = tables.reach_to(last);
        let lies_within = |begin: isize| low <= begin && begin + 32 <= high;
        assert!(doubled.loads.iter().all(|load| lies_within(load.offset)));
        let bytes = [1, 2, 3, 7, 50, 101][random.below(6)] * 64;
        let periods = bytes / pattern.period() + random.below(3);
        let slack = [(0, 0), (64, 64)][random.below(2)];
        shuffle(&mut random, &Shuffle::new(pattern), periods, slack);
    }
    assert!(
        tried.as_flattened().iter().all(|&tried| tried > 30),
        "by vectors and orders: {tried:?}"
    );
}

/// Some processors are asked for lines more slowly than a loop could, and for a line of each page before.
#[test]
fn shuffles_of_some_megabytes_move_what_their_patterns_say() {
    let mut random = Random(0x5EED_0011);
    let every_other = (vec![0, 1, 2, 3], 8, 300_000);
    let reversed_pixels = (vec![2, 1, 0], 3, 1_500_000);
    let first_channels = (vec![0, 1, 2], 4, 1_700_000);
    let fewer = (vec![2, 1, 0], 3, 600_000);
    for (offsets, stride, periods) in [every_other, reversed_pixels, fewer, first_channels] {
        let src = random.bytes(periods * stride);
        let starts = src.chunks(stride);
        let expected: Vec<u8> = starts
            .flat_map(|period| offsets.iter().map(|&at: &i32| period[at as usize]))
            .collect();
        let Some(pattern) = Pattern::new(offsets.clone(), Some(stride as i64), true, Anchor::First)
        else {
            panic!("no pattern of {offsets:?}");
        };
        let long = Shuffle::new(pattern);
        let run = |level: Level| {
            let mut dst = vec![UNTOUCHED; expected.len()];
            let operand = src.as_ptr_range();
            // SAFETY: the periods are all that `src` and `dst` hold.
            unsafe { long.run(level, dst.as_mut_ptr(), src.as_ptr(), periods, operand) };
            assert!(dst == expected, "{}: {offsets:?}", level.name());
        };
        on_each_processor(|| Level::all().for_each(run));
    }
}

/// Past the caches, tiles of several pages are written in turn.
#[test]
fn shuffles_of_many_pages_move_what_their_patterns_say() {
    let mut random = Random(0x0DD0_B175);
    let mut tried = 0;
    for round in 0..120 {
        let width = [1, 2, 3, 4, 8, 12][round % 6];
        let Some(pattern) = pattern(&mut random, width) else {
            continue;
        };
        let long = Shuffle::new(pattern);
        if long.is_quick([64; 2], true) {
            let periods = (40_000 + random.below(5000)) / long.pattern().period();
            shuffle(&mut random, &long, periods, (0, 0));
            tried += 1;
        }
    }
    assert!(tried > 30, "{tried} patterns");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn tiles_are_counted_as_by_division() {
    let mut random = Random(0x7D4A_11E9);
    for period in 1..=64 {
        let offsets = (0..period).map(|at| at * 2).collect();
        let pattern = Pattern::new(offsets, Some(i64::from(3 * period)), false, Anchor::First)
            .expect("near enough");
        let Some(tables) = Tables::<64>::new(&pattern) else {
            continue;
        };
        let some = (0..1000).chain((0..100).map(|_| random.below(usize::MAX >> 10)));
        for bytes in some {
            assert_eq!(tables.count_in(bytes), bytes / tables.tile, "{period}");
        }
    }
}

/// Rows at a distance, and rows wherever places say, past the caches or not.
#[test]
fn rows_of_more_than_a_line_are_written_like_others() {
    let mut random = Random(0x5EED_57E4);
    let ways = RefCell::new(BTreeSet::new());
    for round in 0..800 {
        let bytes = match random.below(7) {
            0 => 65 + random.below(64),
            1 => 256,
            some => [65, 512, 1024, 2048, 8192][some - 2] + [0, random.below(600)][random.below(2)],
        };
        let gap = [0, 512, 513, random.below(600)][random.below(4)];
        let apart = [1, bytes][random.below(2)] + gap;
        let mut rows = Rows {
            count: 1 + random.below(9),
            bytes,
            dst_stride: (bytes + random.below(3) * 40) as isize,
            src_stride: apart as isize,
            cache: [Cache::Near, Cache::Second, Cache::Far, Cache::None][random.below(4)],
        };
        let src = random.bytes(rows.count * apart + bytes);
        let places: Vec<isize> = match round % 2 {
            0 => (0..rows.count as isize)
                .map(|k| k * rows.src_stride)
                .collect(),
            _ => (0..rows.count)
                .map(|_| random.below(src.len() - bytes) as isize)
                .collect(),
        };
        if round % 2 == 1 {
            rows.src_stride = 0;
        }
        let skipped = random.below(64);
        let mut expected = vec![UNTOUCHED; skipped + rows.count * (bytes + 80) + 64];
        for (k, &place) in places.iter().enumerate() {
            let to = skipped + k * rows.dst_stride as usize;
            expected[to..to + bytes].copy_from_slice(&src[place as usize..][..bytes]);
        }
        let run = |level| {
            let Some(way) = Way::of(level, &rows) else {
                return;
            };
            ways.borrow_mut().insert(format!("{way:?}"));
            let mut dst = vec![UNTOUCHED; expected.len()];
            let (to, from) = (dst[skipped..].as_mut_ptr(), src.as_ptr());
            let known = places.len();
            // SAFETY: `src` and `dst` have room for the rows.
            unsafe { way.moves(level, to, from, rows, known, |k| places[k]) };
            assert!(dst == expected, "{}, {way:?}: round {round}", level.name());
        };
        on_each_processor(|| Level::all().for_each(run));
    }
    let ways = ways.into_inner();
    // As on each processor that is told from others, if tests can pretend to be, but by the vectors that are here.
    let least = match Level::best().vector() {
        64 if cfg!(feature = "std") => 11,
        32 if cfg!(feature = "std") => 8,
        _ => 1,
    };
    assert!(ways.len() >= least, "{ways:?}");
}

#[test]
#[cfg(feature = "std")]
fn a_name_lowers_to_its_level_and_an_unknown_one_to_none() {
    for level in Level::all() {
        assert_eq!(Level::up_to(level.name()), level);
        assert_eq!(Level::up_to(&level.name().to_uppercase()), level);
    }
    assert_eq!(Level::all().next(), Some(Level::SCALAR));
    assert_eq!(Level::up_to("sse9"), Level::SCALAR);
}

/// Blocks at any place, shorter and longer than those that `memcpy` moves.
#[test]
fn blocks_are_copied_whole() {
    let source: Vec<u16> = (0..5000).collect();
    let words: Vec<String> = (0..600).map(|k| k.to_string()).collect();
    on_each_processor(|| {
        for len in [0, 1, 31, 1023, 1024, 1025, 1088, 4000] {
            for (from, to) in [(0, 0), (0, 3), (16, 1), (7, 0)] {
                let mut result = vec![0xA5A5; to + len + 1];
                copy_block(&mut result[to..to + len], &source[from..from + len]);
                let (before, rest) = result.split_at(to);
                let (block, behind) = rest.split_at(len);
                assert!(
                    block == &source[from..from + len],
                    "{len} from {from} to {to}"
                );
                assert!(
                    before
                        .iter()
                        .chain(behind)
                        .all(|&untouched| untouched == 0xA5A5)
                );
            }
        }
        let mut result = vec![String::new(); words.len()];
        copy_block(&mut result, &words);
        assert!(result == words);
    });
}

#[test]
#[should_panic = "a block goes where it fits"]
fn a_long_block_needs_room() {
    copy_block(&mut [0u8; 4095], &[0; 4096]);
}
