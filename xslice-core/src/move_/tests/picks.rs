//! Known picks in random loops, byte by byte beside what they are.

use super::runs::{WIDTHS, loops, places};
use super::{Random, UNTOUCHED};
use crate::access::{Access, Buffer, IndexType, Lookup};
use crate::level::Level;
use crate::move_::processor::on_each_processor;
use crate::nest::schedule::{KnownPicks, LookedUp, Row};
use crate::shuffle::{LINE, RowLoop, RowLoops};
use alloc::{vec, vec::Vec};

/// Rows that indices pick in every turn of some loops, the table of indices, and what they have to give.
struct Trial {
    picks: LookedUp,
    loops: RowLoops,
    /// The bytes of the indices, with others between and around them.
    table: Vec<u8>,
    /// Where the first index begins, and where one does that a test changes.
    index: (usize, usize),
    src: Vec<u8>,
    /// The first row of the axis in the source.
    first: isize,
    expected: Vec<u8>,
    /// The first row in the result, from a line of it on.
    at: usize,
}

impl Trial {
    fn new(random: &mut Random, bytes: usize, mut loops: RowLoops) -> Self {
        // The innermost loop is that of the indices, which seldom move the source besides.
        let inner = &mut loops.0[2];
        inner.apart.1 *= isize::from(random.below(4) == 0);
        let count = inner.turns;
        let size = [1 + random.below(5), 1 + random.below(300)][random.below(2)];
        let scale = (bytes + [0, 0, 3][random.below(3)]) as isize;
        // An axis may run backwards.
        let scale = [scale, scale, -scale][random.below(3)];
        // Half of all trials have indices that count from the end of the axis.
        let back = size * random.below(2);
        let ids: Vec<i64> = (0..count)
            .map(|_| random.below(size + back) as i64 - back as i64)
            .collect();
        let index = [IndexType::I32, IndexType::I64][random.below(2)];
        let distance = [1, 1, 1, 2, -1][random.below(5)];
        let (table, first) = laid(&ids, index, distance, size as i64);
        let changed = first.wrapping_add_signed(random.below(count) as isize * distance);
        let wrapped = |id: i64| id.rem_euclid(size as i64) as isize;
        let entry = |k: usize| wrapped(ids[k % count]) * scale;
        let places = places(loops);
        let reads: Vec<isize> = (0..places.len()).map(|k| places[k].1 + entry(k)).collect();
        // The whole axis lies in the source, from every turn on.
        let lowest = places.iter().map(|place| place.1).min().unwrap_or(0);
        let highest = places.iter().map(|place| place.1).max().unwrap_or(0);
        let axis = scale * (size as isize - 1);
        let (lowest, highest) = (lowest + axis.min(0), highest + axis.max(0));
        let src = random.bytes((highest - lowest) as usize + bytes);
        let end = places.iter().map(|place| place.0).max().unwrap_or(0) as usize;
        let at = [0, 16, random.below(64)][random.below(3)];
        let mut expected = vec![UNTOUCHED; at + end + bytes + LINE];
        for (&(to, _), from) in places.iter().zip(reads) {
            let (to, from) = (at + to as usize, (from - lowest) as usize);
            expected[to..to + bytes].copy_from_slice(&src[from..from + bytes]);
        }
        let RowLoop { turns, apart } = loops.inner();
        let bytes_of = |index: IndexType| index.size() as i64;
        Self {
            picks: LookedUp {
                count: turns,
                bytes,
                row: Row::Run,
                dst_stride: apart.0 as i64,
                src_stride: apart.1 as i64,
                lookup: Lookup {
                    scale: scale as i64,
                    table: Buffer::Operand(1),
                    index,
                    size: size as i64,
                    access: Access::affine(0, [].into_iter().collect()),
                },
                index_stride: distance as i64 * bytes_of(index),
            },
            loops,
            table,
            index: (first, changed),
            src,
            first: -lowest,
            expected,
            at,
        }
    }

    /// Runs what a level knows of the picks; the result, with what lies around it.
    fn moved(&self, level: Level) -> Option<(bool, Vec<u8>, Vec<u8>)> {
        let picks = KnownPicks::new(level, &self.picks, self.loops)?;
        let len = self.expected.len();
        let mut moved = vec![UNTOUCHED; len + 2 * LINE];
        let line = moved.as_ptr().align_offset(LINE).min(LINE) + LINE;
        let to = moved[line + self.at..].as_mut_ptr();
        let from = self.src.as_ptr().wrapping_offset(self.first);
        let first = self.index.0 * self.picks.lookup.index.size();
        // SAFETY: every row of the axis lies in the source from every turn on, the indices lie in the table, and the result has room for all.
        let passed = unsafe { picks.run(to, from, self.table[first..].as_ptr()) };
        let result = moved.drain(line..line + len).collect();
        Some((passed, result, moved))
    }

    /// Tries it at a level, and once more with one of the indices outside of its axis; whether the level knows these picks.
    fn run(&mut self, random: &mut Random, level: Level) -> bool {
        let Some((passed, result, around)) = self.moved(level) else {
            return false;
        };
        let (bytes, name) = (self.picks.bytes, level.name());
        let untouched = |around: Vec<u8>| around.iter().all(|&byte| byte == UNTOUCHED);
        let is_equal = passed && result == self.expected && untouched(around);
        assert!(is_equal, "{name}: {bytes} bytes, {:?}", self.loops);
        let outside = self.outside(random);
        let index = self.picks.lookup.index.size();
        let place = self.index.1 * index..(self.index.1 + 1) * index;
        let kept = self.table[place.clone()].to_vec();
        self.table[place.clone()].copy_from_slice(&outside.to_ne_bytes_of(index));
        let moved = self.moved(level);
        self.table[place].copy_from_slice(&kept);
        let is_refused = moved.is_some_and(|(passed, _, around)| !passed && untouched(around));
        assert!(
            is_refused,
            "{name}: index {outside} of {:?}",
            self.picks.lookup
        );
        true
    }

    /// An index outside of the axis: near it, at the ends of its type, or one whose low bits lie in the axis.
    fn outside(&self, random: &mut Random) -> i64 {
        let size = self.picks.lookup.size;
        let near = [size, -size - 1, i32::MIN.into(), i32::MAX.into()];
        let far = [i64::MIN, i64::MAX, 1 << 32, -1 << 32];
        match (self.picks.lookup.index, random.below(8)) {
            (IndexType::I32, one) => near[one % 4],
            (IndexType::I64, one @ ..4) => near[one],
            (IndexType::I64, one) => far[one - 4],
        }
    }
}

/// The bytes of an index of so many.
trait ToBytes {
    fn to_ne_bytes_of(self, bytes: usize) -> Vec<u8>;
}

impl ToBytes for i64 {
    fn to_ne_bytes_of(self, bytes: usize) -> Vec<u8> {
        match bytes {
            4 => (self as i32).to_ne_bytes().to_vec(),
            _ => self.to_ne_bytes().to_vec(),
        }
    }
}

/// Indices so far apart, backwards if that is negative, with `gap` between them; and which of all is the first.
fn laid(ids: &[i64], index: IndexType, distance: isize, gap: i64) -> (Vec<u8>, usize) {
    let apart = distance.unsigned_abs();
    let mut all = vec![gap; ids.len() * apart];
    let first = if distance < 0 {
        (ids.len() - 1) * apart
    } else {
        0
    };
    for (k, &id) in ids.iter().enumerate() {
        all[first.wrapping_add_signed(k as isize * distance)] = id;
    }
    let bytes = all.iter().flat_map(|id| id.to_ne_bytes_of(index.size()));
    (bytes.collect(), first)
}

/// Loops of these picks, sometimes of more indices than become places at once, in several turns too.
fn loops_of_picks(random: &mut Random, bytes: usize) -> RowLoops {
    let mut all = loops(random, bytes);
    if random.below(8) > 0 {
        return all;
    }
    let turns = 250 + random.below(300);
    let [outermost, around, inner] = &mut all.0;
    outermost.turns = outermost.turns.min(2);
    around.turns = around.turns.min(2);
    *inner = RowLoop {
        turns,
        apart: (bytes as isize, inner.apart.1 % 16),
    };
    around.apart.0 = (turns * bytes + 64) as isize;
    outermost.apart.0 = 2 * around.apart.0;
    all
}

#[test]
fn known_picks_move_what_indices_name() {
    on_each_processor(|| {
        let mut random = Random(29);
        let trials = if cfg!(miri) { 9 } else { 1500 };
        let mut known = [0; 4];
        for trial in 0..trials {
            let bytes = match trial % 3 {
                0 if random.below(9) == 0 => 2000 + random.below(6500),
                0 => 1 + random.below(300),
                _ => WIDTHS[random.below(WIDTHS.len())],
            };
            let loops = loops_of_picks(&mut random, bytes);
            let mut trial = Trial::new(&mut random, bytes, loops);
            for (known, level) in known.iter_mut().zip(Level::all()) {
                *known += usize::from(trial.run(&mut random, level));
            }
        }
        // All levels know rows of up to a line; those with vectors of a line know longer ones, too.
        for (known, level) in known.into_iter().zip(Level::all()) {
            let least = match level.vector() {
                64 => trials,
                _ => trials / 3,
            };
            assert!(known >= least, "{}: {known} of {trials}", level.name());
        }
    });
}

/// Few rows of half a line or a line in each of many turns, which begin with a vector where the result begins with a line.
#[test]
fn few_known_picks_of_vectors_move_what_indices_name() {
    on_each_processor(|| {
        let mut random = Random(37);
        for trial in 0..if cfg!(miri) { 4 } else { 200 } {
            let bytes = [32, 64][trial % 2];
            let turns = [1, 8, 1].map(|least| least + random.below(7));
            let mut apart = bytes as isize;
            let mut all = turns.map(|turns| RowLoop {
                turns,
                apart: (0, random.below(200) as isize - 100),
            });
            for row_loop in all.iter_mut().rev() {
                row_loop.apart.0 = apart;
                apart *= row_loop.turns as isize;
            }
            let mut trial = Trial::new(&mut random, bytes, RowLoops(all));
            for level in Level::all() {
                assert!(trial.run(&mut random, level), "{}", level.name());
            }
        }
    });
}

/// Elements of a single turn, from those whose places are found first to more than these are.
#[test]
fn known_elements_move_what_indices_name() {
    on_each_processor(|| {
        let mut random = Random(41);
        for trial in 0..if cfg!(miri) { 4 } else { 300 } {
            let (bytes, most) = ([1, 2, 4, 8][trial % 4], [40, 300, 1000][random.below(3)]);
            let mut loops = RowLoops(
                [RowLoop {
                    turns: 1,
                    apart: (0, 0),
                }; 3],
            );
            loops.0[2] = RowLoop {
                turns: 1 + random.below(most),
                apart: (bytes as isize, 0),
            };
            let mut trial = Trial::new(&mut random, bytes, loops);
            for level in Level::all() {
                assert!(trial.run(&mut random, level), "{}", level.name());
            }
        }
    });
}
