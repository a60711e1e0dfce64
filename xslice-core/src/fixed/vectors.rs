//! Small patterns and short rows as vectors of 64 bytes that the reader's compiler knows: what a plan finds for a processor that has these, as
//! constants.
//!
//! The call of a Move takes 10 to 20 ns before the first byte moves: it asks a schedule what there is to do. Here that is over when the
//! program is compiled, and so is the proof that nothing lies outside.

use crate::shuffle::{NONE, WORDS, merged_by_words};

/// Rows of a pattern, by vectors of 64 bytes; every number is in bytes.
///
/// A row is a number of tiles, and then what is left of it: the first bytes of another tile. A tile is `VECTORS` vectors, each made by
/// `LOADS` loads.
#[derive(Clone, Copy, Debug)]
pub struct VectorRows<const VECTORS: usize, const LOADS: usize> {
    pub(crate) lens: [usize; 2],
    pub(crate) first: [isize; 2],
    /// Around the tiles of a row.
    pub(crate) around: [VectorLoop; MOST_AROUND],
    pub(crate) tiles: VectorLoop,
    /// Bytes of the destination after which another tile may begin, if tiles are lines: a part of their distance further in the source.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "there are no vectors of 64 bytes")
    )]
    pub(crate) period: usize,
    /// What is stored of a tile.
    pub(crate) stored: usize,
    pub(crate) last: (usize, [isize; 2]),
    pub(crate) loads: [[VectorLoad; LOADS]; VECTORS],
    /// So many tiles of a row are stored by a vector of so many bytes: what that has too many, the tiles after it write again (I4).
    pub(crate) spilled: (usize, usize),
    /// Whether some loads would leave the source, so that each reads only what it gives (I3).
    pub(crate) is_masked: bool,
    /// What a load gives, a bit for each byte of its vector.
    pub(crate) gives: [[u64; LOADS]; VECTORS],
    /// What is read of a load for what is stored of its tile, a bit for each byte.
    pub(crate) reads: [[u64; LOADS]; VECTORS],
    /// Whether vectors are stored as they are loaded.
    pub(crate) are_copies: bool,
    /// How loads after the first of a vector merge by words, where all do.
    pub(crate) words: Option<[[[u32; WORDS]; LOADS]; VECTORS]>,
}

/// Loops around rows, at most.
pub(crate) const MOST_AROUND: usize = 3;

/// Turns of a loop, and what each adds in the destination and in the source.
pub type VectorLoop = (usize, [isize; 2]);

/// Where a load begins, from the place of its tile; and for each byte of the vector which one of the load it is, with the top bit set where
/// that is one of another load.
pub type VectorLoad = (isize, [u8; 64]);

/// What lies between two places: the first byte, and the one after the last.
type Reach = (isize, isize);

/// That of nothing: before it, whatever is [moved].
const NOTHING: Reach = (isize::MAX / 2, isize::MIN / 2);

/// Farther than any byte of a buffer from its first; a few distances up to this add up without overflow.
const FAR: isize = isize::MAX / 32;

/// Vectors of a tile, and loads of each, at most.
const MOST: usize = 16;

/// The sides of a nest.
const DST: usize = 0;
const SRC: usize = 1;

/// Rows as a type, for which the compiler makes a function.
pub trait Vectors<const VECTORS: usize, const LOADS: usize> {
    /// The rows.
    const ROWS: VectorRows<VECTORS, LOADS>;
}

impl<const VECTORS: usize, const LOADS: usize> VectorRows<VECTORS, LOADS> {
    /// Rows in buffers of these lengths, of destination and source: where the first begins in each, the loops around them, outermost first,
    /// the loop over tiles, the period of the pattern, what is stored of a tile, what is left of a row after them (how much, and where it
    /// begins from the row's place), and the loads of each vector.
    ///
    /// Four bytes of the second half of eight, backwards:
    ///
    /// ```
    /// use xslice_core::fixed::{VectorRows, Vectors, by_vectors};
    /// struct Backwards;
    /// impl Vectors<1, 1> for Backwards {
    ///     const ROWS: VectorRows<1, 1> = {
    ///         let mut order = [0x80; 64];
    ///         (order[0], order[1], order[2], order[3]) = (3, 2, 1, 0);
    ///         VectorRows::new([4, 8], [0, 7], &[], (1, [0, 0]), [4, 4], (0, [0, 0]), [[(-3, order)]])
    ///     };
    /// }
    /// let (x, mut y) = ([1_u8, 2, 3, 4, 5, 6, 7, 8], [0; 4]);
    /// if !by_vectors(&x, &mut y, Backwards) {
    ///     y = [8, 7, 6, 5]; // as any other processor does it
    /// }
    /// assert_eq!(y, [8, 7, 6, 5]);
    /// ```
    /// ```compile_fail
    /// # use xslice_core::fixed::VectorRows;
    /// const BEFORE_THE_FIRST: VectorRows<1, 1> = {
    ///     let mut order = [0x80; 64];
    ///     (order[0], order[1], order[2], order[3]) = (3, 2, 1, 0);
    ///     VectorRows::new([4, 8], [0, 2], &[], (1, [0, 0]), [4, 4], (0, [0, 0]), [[(-3, order)]])
    /// };
    /// # let _ = BEFORE_THE_FIRST;
    /// ```
    ///
    /// That they move what a nest says is the caller's word, as is the period: it is only proved that they stay in their buffers.
    ///
    /// # Panics
    /// If a byte would be read or written outside (I3), if a tile has no load or more than 16, if more is left of a row than is stored of
    /// a tile, or loops are more than three. In a constant, that is an error of the compiler.
    #[must_use]
    pub const fn new(
        lens: [usize; 2],
        first: [isize; 2],
        around: &[VectorLoop],
        tiles: VectorLoop,
        [period, stored]: [usize; 2],
        last: (usize, [isize; 2]),
        loads: [[VectorLoad; LOADS]; VECTORS],
    ) -> Self {
        assert!(around.len() <= MOST_AROUND, "loops are more than three");
        let mut rows = Self {
            lens,
            first,
            around: [(1, [0, 0]); MOST_AROUND],
            tiles,
            period,
            stored,
            last,
            loads,
            spilled: (0, stored),
            is_masked: false,
            gives: [[0; LOADS]; VECTORS],
            reads: [[0; LOADS]; VECTORS],
            are_copies: false,
            words: None,
        };
        let mut k = 0;
        while k < around.len() {
            rows.around[MOST_AROUND - around.len() + k] = around[k];
            k += 1;
        }
        rows.verify();
        rows.spilled = rows.spilled();
        rows.is_masked = !rows.is_inside(SRC, rows.loaded(), rows.loaded());
        (rows.gives, rows.reads, rows.words) = (rows.gives(), rows.reads(), rows.words());
        rows.are_copies = rows.are_copies();
        rows
    }

    /// Proves I3.
    const fn verify(&self) {
        let has_loads = 0 < VECTORS && VECTORS <= MOST && 0 < LOADS && LOADS <= MOST;
        assert!(has_loads, "a tile has 1 to 16 vectors of 1 to 16 loads");
        let (stored, last) = (self.stored, self.last.0);
        let fit = last <= stored && stored <= 64 * VECTORS;
        assert!(fit, "more is stored of a tile than it has");
        let is_inside = self.is_inside(DST, (0, stored as isize), (0, last as isize));
        assert!(is_inside, "a byte is written outside the destination");
        let is_inside = self.is_inside(SRC, self.read(stored), self.read(last));
        assert!(is_inside, "a byte is read outside the source");
    }

    /// Whether what each tile reaches on a side, and what the last one of a row does, from their places on, lies in its buffer.
    const fn is_inside(&self, side: usize, of_tile: Reach, of_last: Reach) -> bool {
        let (mut row, (tiles, further)) = (NOTHING, self.tiles);
        if tiles > 0 {
            row = both(of_tile, moved(of_tile, others(tiles, further[side])));
        }
        if self.last.0 > 0 {
            row = both(row, moved(of_last, self.last.1[side]));
        }
        let (mut all, mut k) = (moved(row, self.first[side]), 0);
        while k < MOST_AROUND {
            let (turns, further) = self.around[k];
            all = both(all, moved(all, others(turns, further[side])));
            k += 1;
        }
        0 <= all.0 && all.1 <= self.lens[side] as isize
    }

    /// What the loads of a tile reach.
    const fn loaded(&self) -> Reach {
        let (mut all, mut at) = (NOTHING, 0);
        while at < VECTORS * LOADS {
            let (offset, _) = self.loads[at / LOADS][at % LOADS];
            all = both(all, moved((0, 64), offset));
            at += 1;
        }
        all
    }

    /// What is read for the first `bytes` bytes of a tile.
    const fn read(&self, bytes: usize) -> Reach {
        let (mut all, mut at) = (NOTHING, 0);
        while at < VECTORS * LOADS {
            let ((offset, _), used) = (self.loads[at / LOADS][at % LOADS], self.used(at, bytes));
            if used != 0 {
                let (first, end) = (used.trailing_zeros(), 64 - used.leading_zeros());
                all = both(all, moved((first as isize, end as isize), offset));
            }
            at += 1;
        }
        all
    }

    /// What of load `at` of all makes the first `bytes` bytes of a tile, a bit for each byte.
    pub(crate) const fn used(&self, at: usize, bytes: usize) -> u64 {
        let (v, (_, order)) = (at / LOADS, &self.loads[at / LOADS][at % LOADS]);
        let (mut used, mut byte) = (0, 0);
        while byte < 64 && v * 64 + byte < bytes {
            if order[byte] < 64 {
                used |= 1 << order[byte];
            }
            byte += 1;
        }
        used
    }

    const fn reads(&self) -> [[u64; LOADS]; VECTORS] {
        let (mut reads, mut at) = ([[0; LOADS]; VECTORS], 0);
        while at < VECTORS * LOADS {
            reads[at / LOADS][at % LOADS] = self.used(at, self.stored);
            at += 1;
        }
        reads
    }

    const fn gives(&self) -> [[u64; LOADS]; VECTORS] {
        let (mut gives, mut at) = ([[0; LOADS]; VECTORS], 0);
        while at < VECTORS * LOADS * 64 {
            let (v, l, byte) = (at / 64 / LOADS, at / 64 % LOADS, at % 64);
            gives[v][l] |= ((self.loads[v][l].1[byte] < 64) as u64) << byte;
            at += 1;
        }
        gives
    }

    const fn are_copies(&self) -> bool {
        let mut at = 0;
        while at < VECTORS * 64 {
            if self.loads[at / 64][0].1[at % 64] as usize != at % 64 {
                return false;
            }
            at += 1;
        }
        LOADS == 1
    }

    const fn words(&self) -> Option<[[[u32; WORDS]; LOADS]; VECTORS]> {
        let (mut words, mut at) = ([[[0; WORDS]; LOADS]; VECTORS], 0);
        while at < VECTORS * LOADS {
            let (v, l) = (at / LOADS, at % LOADS);
            if l > 0 {
                let before = if l == 1 {
                    self.loads[v][0].1
                } else {
                    [NONE; 64]
                };
                match merged_by_words(&before, &self.loads[v][l].1) {
                    Some(order) => words[v][l] = order,
                    None => return None,
                }
            }
            at += 1;
        }
        if LOADS > 1 { Some(words) } else { None }
    }

    /// Fewer tiles have as many at their ends as between them.
    #[cfg(target_arch = "x86_64")]
    const LEAST_ALIGNED: usize = 4;

    /// Whether the tiles of a row may begin with lines of the destination: they are vectors that begin at any period, and the last one may
    /// overlap the one before it.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn align(&self) -> bool {
        let (tiles, [tile, _]) = self.tiles;
        let are_lines = VECTORS == 1 && tile == 64 && self.stored == 64;
        let begin = matches!(self.period, 1 | 2 | 4 | 8 | 16 | 32 | 64);
        // What is read between the first and the last tile lies between what these read (I3).
        let ends = match self.last {
            (0, _) => true,
            (64, [at, place]) => {
                at >= 0 && self.bytes() == at as usize + 64 && place == self.further(at)
            }
            _ => false,
        };
        are_lines && begin && ends && tiles >= Self::LEAST_ALIGNED
    }

    /// How much further a tile is read than the first of its row that is `at` bytes further in the destination, where tiles are lines;
    /// between two periods not further than at the next one.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn further(&self, at: isize) -> isize {
        (self.tiles.1[SRC] as i128 * at as i128 / 64) as isize
    }

    /// Bytes of a row, from its place on.
    pub(crate) const fn bytes(&self) -> usize {
        let done = self.tiles.0 * self.stored;
        match self.last {
            (bytes @ 1.., [at, _]) if 0 <= at && at <= done as isize => {
                let end = at as usize + bytes;
                if end > done { end } else { done }
            }
            _ => done,
        }
    }

    /// The tiles whose vector may end past them: they touch, and the row has these bytes.
    const fn spilled(&self) -> (usize, usize) {
        let (tiles, [apart, _]) = self.tiles;
        let touch = VECTORS == 1 && apart == self.stored as isize && self.stored > 0;
        let width = match self.stored {
            ..=16 => 16,
            17..=32 => 32,
            // As quick by two stores.
            48 => 48,
            _ => 64,
        };
        let end = self.bytes();
        if !touch || end < width {
            return (0, self.stored);
        }
        let most = (end - width) / self.stored + 1;
        (if most < tiles { most } else { tiles }, width)
    }
}

const fn both(one: Reach, other: Reach) -> Reach {
    let first = if one.0 < other.0 { one.0 } else { other.0 };
    let end = if one.1 > other.1 { one.1 } else { other.1 };
    (first, end)
}

/// How far the last of so many turns is from the first.
///
/// # Panics
/// If that is farther than any buffer reaches.
const fn others(turns: usize, further: isize) -> isize {
    let others = turns.saturating_sub(1);
    assert!(
        others <= FAR as usize,
        "turns are more than a buffer has bytes"
    );
    (others as isize).saturating_mul(further)
}

/// # Panics
/// As [`others`].
const fn moved((first, end): Reach, by: isize) -> Reach {
    assert!(
        -FAR <= by && by <= FAR,
        "a number is farther than any buffer reaches"
    );
    (first + by, end + by)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first four bytes of a load, in its order.
    const FOUR: [u8; 64] = {
        let mut order = [NONE; 64];
        (order[0], order[1], order[2], order[3]) = (0, 1, 2, 3);
        order
    };

    /// Two rows of three tiles, which touch on both sides, and two bytes after each.
    fn rows(lens: [usize; 2], first: [isize; 2], last: (usize, [isize; 2])) -> VectorRows<1, 1> {
        let (around, tiles) = ([(2, [14, 14])], (3, [4, 4]));
        VectorRows::new(lens, first, &around, tiles, [4, 4], last, [[(0, FOUR)]])
    }

    #[test]
    fn what_lies_inside_is_proved() {
        let built = rows([28, 28], [0, 0], (2, [12, 12]));
        assert!(built.is_masked && rows([28, 89], [0, 0], (2, [12, 12])).is_masked);
        assert!(!rows([28, 90], [0, 0], (2, [12, 12])).is_masked);
        assert_eq!((built.used(0, 2), built.used(0, 4)), (0b11, 0b1111));
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn lines_lie_between_the_first_and_the_last() {
        let order = core::array::from_fn(|byte| byte as u8);
        let rows = |last| {
            let loads = [[(0, order)]];
            VectorRows::new([400, 400], [0, 0], &[], (4, [64, 64]), [4, 64], last, loads)
        };
        assert!(rows((0, [0, 0])).align() && rows((64, [200, 200])).align());
        for last in [
            (64, [200, 0]),
            (64, [200, 196]),
            (64, [0, 0]),
            (64, [300, 300]),
            (60, [256, 256]),
        ] {
            assert!(!rows(last).align(), "{last:?}");
        }
        assert_eq!(
            [rows((64, [200, 200])).bytes(), rows((0, [0, 0])).bytes()],
            [264, 256]
        );
    }

    macro_rules! refused {
        ($($name:ident: $what:literal, $rows:expr;)*) => {$(
            #[test]
            #[should_panic(expected = $what)]
            fn $name() {
                let _ = $rows;
            }
        )*};
    }

    refused! {
        one_byte_less_to_write: "written outside", rows([27, 28], [0, 0], (2, [12, 12]));
        one_byte_too_late_to_write: "written outside", rows([28, 28], [1, 0], (2, [12, 12]));
        one_byte_too_early_to_write: "written outside", rows([28, 28], [-1, 0], (2, [12, 12]));
        one_byte_less_to_read: "read outside", rows([28, 27], [0, 0], (2, [12, 12]));
        one_byte_too_early_to_read: "read outside", rows([28, 28], [0, -1], (2, [12, 12]));
        a_last_tile_too_far: "written outside", rows([28, 28], [0, 0], (3, [12, 12]));
        a_last_tile_read_too_far: "read outside", rows([28, 28], [0, 0], (2, [12, 13]));
        more_than_is_stored: "than it has", rows([200, 200], [0, 0], (5, [12, 12]));
        no_loads: "vectors of 1 to 16",
            VectorRows::<1, 0>::new([4, 4], [0, 0], &[], (1, [0, 0]), [4, 4], (0, [0, 0]), [[]]);
        turns_beyond_all_buffers: "than a buffer has",
            VectorRows::new([4, 4], [0, 0], &[(usize::MAX, [isize::MAX, 0])], (1, [0, 0]), [4, 4], (0, [0, 0]), [[(0, FOUR)]]);
        places_beyond_all_buffers: "than any buffer reaches",
            VectorRows::new([4, 4], [0, isize::MAX], &[], (1, [0, 0]), [4, 4], (0, [0, 0]), [[(isize::MAX, FOUR)]]);
        more_loops: "more than three",
            VectorRows::new([4, 4], [0, 0], &[(1, [0, 0]); 4], (1, [0, 0]), [4, 4], (0, [0, 0]), [[(0, FOUR)]]);
    }
}
