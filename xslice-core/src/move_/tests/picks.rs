//! Known picks in random loops, byte by byte beside what they are.

use super::runs::{WIDTHS, loops, places};
use super::{Random, UNTOUCHED};
use crate::access::{Access, Buffer, IndexType, Lookup};
use crate::level::Level;
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
        let scale = bytes + [0, 0, 3][random.below(3)];
        let ids: Vec<i64> = (0..count)
            .map(|_| random.below(2 * size) as i64 - size as i64)
            .collect();
        let index = [IndexType::I32, IndexType::I64][random.below(2)];
        let distance = [1, 1, 1, 2, -1][random.below(5)];
        let (table, first) = laid(&ids, index, distance, size as i64);
        let changed = first.wrapping_add_signed(random.below(count) as isize * distance);
        let wrapped = |id: i64| id.rem_euclid(size as i64) as isize;
        let entry = |k: usize| wrapped(ids[k % count]) * scale as isize;
        let places = places(loops);
        let reads: Vec<isize> = (0..places.len()).map(|k| places[k].1 + entry(k)).collect();
        // The whole axis lies in the source, from every turn on.
        let lowest = places.iter().map(|place| place.1).min().unwrap_or(0);
        let highest = places.iter().map(|place| place.1).max().unwrap_or(0);
        let axis = scale * (size - 1) + bytes;
        let src = random.bytes((highest - lowest) as usize + axis);
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
    fn moved(&self, level: Level) -> (bool, Vec<u8>, Vec<u8>) {
        let picks = KnownPicks::new(level, &self.picks, self.loops);
        let len = self.expected.len();
        let mut moved = vec![UNTOUCHED; len + 2 * LINE];
        let line = moved.as_ptr().align_offset(LINE).min(LINE) + LINE;
        let to = moved[line + self.at..].as_mut_ptr();
        let from = self.src.as_ptr().wrapping_offset(self.first);
        let first = self.index.0 * self.picks.lookup.index.size();
        // SAFETY: every row of the axis lies in the source from every turn on, the indices lie in the table, and the result has room for all.
        let passed = unsafe { picks.run(to, from, self.table[first..].as_ptr()) };
        let result = moved.drain(line..line + len).collect();
        (passed, result, moved)
    }

    /// Tries it at a level, and once more with one of the indices outside of its axis.
    fn run(&mut self, random: &mut Random, level: Level) {
        let (passed, result, around) = self.moved(level);
        let (bytes, name) = (self.picks.bytes, level.name());
        let is_equal = passed && result == self.expected;
        assert!(is_equal, "{name}: {bytes} bytes, {:?}", self.loops);
        assert!(
            around.iter().all(|&byte| byte == UNTOUCHED),
            "{name}: {bytes} bytes"
        );
        let size = self.picks.lookup.size;
        let outside = [size, -size - 1, i32::MIN.into(), i32::MAX.into()][random.below(4)];
        let index = self.picks.lookup.index.size();
        let place = self.index.1 * index..(self.index.1 + 1) * index;
        let kept = self.table[place.clone()].to_vec();
        self.table[place.clone()].copy_from_slice(&outside.to_ne_bytes_of(index));
        let (passed, _, around) = self.moved(level);
        assert!(!passed, "{name}: index {outside} of {size}");
        assert!(
            around.iter().all(|&byte| byte == UNTOUCHED),
            "{name}: {bytes} bytes"
        );
        self.table[place].copy_from_slice(&kept);
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

#[test]
fn known_picks_move_what_indices_name() {
    let mut random = Random(29);
    let trials = if cfg!(miri) { 9 } else { 4000 };
    for trial in 0..trials {
        let bytes = match trial % 3 {
            0 => 1 + random.below(300),
            _ => WIDTHS[random.below(WIDTHS.len())],
        };
        let mut loops = loops(&mut random, bytes);
        // More indices than become places at once.
        if trial % 8 == 0 {
            let turns = 250 + random.below(300);
            let apart = (bytes as isize, 0);
            loops = RowLoops::ONE;
            loops.0[2] = RowLoop { turns, apart };
        }
        let mut trial = Trial::new(&mut random, bytes, loops);
        Level::all().for_each(|level| trial.run(&mut random, level));
    }
}
