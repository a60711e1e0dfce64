//! Short rows of several loops, moved together.
//!
//! A loop of few short rows that are not near is over before what is done once for all of them has paid, and before lines that are fetched
//! ahead have come. But their places can be listed, block by block, and the rows move as those of a look-up do. Rows that lie at one distance
//! in the destination make one long sequence there; rows of a pattern move together wherever they lie. Where indices say where the loops
//! begin, the rows of many of them are one list, too.

use super::Call;
use super::at::{At, turns};
use super::copy::Rows;
use super::lookup::repeat::List;
use super::lookup::{self, looked_ahead};
use super::rows::MOST_AHEAD;
use super::shuffled::Places;
use crate::nest::schedule::{Move, Periods, Together};
use core::mem::MaybeUninit;

/// More rows of one loop are moved at their distance.
pub(super) const FEW_ROWS: usize = 16;

/// Rows whose places are listed, at most.
const BLOCK: usize = 128;

/// The same with those that are fetched ahead.
const LISTED: usize = BLOCK + MOST_AHEAD;

/// Rows that move together.
struct ShortRows<'a> {
    rows: Rows,
    /// What each of them is, if it is no run.
    periods: Option<&'a Periods>,
    /// Those of a turn of the loops, and their distance in the source.
    of_turn: usize,
    apart: isize,
    /// How many of them to look ahead.
    ahead: usize,
}

/// The rows that are listed: those of some turns of one loop and of all that those inside it take. The rows of later turns lie likewise.
struct Block {
    /// The loop.
    cut: usize,
    /// Its turns.
    turns: usize,
    /// Rows of each.
    rows: usize,
}

impl Block {
    fn of(extents: &[usize], of_turn: usize) -> Self {
        let (mut cut, mut rows) = (extents.len() - 1, of_turn);
        while cut > 0 && rows * extents[cut] <= BLOCK {
            rows *= extents[cut];
            cut -= 1;
        }
        // Blocks of about one length.
        let blocks = extents[cut].div_ceil((BLOCK / rows).max(1)).max(1);
        let turns = extents[cut].div_ceil(blocks);
        Self { cut, turns, rows }
    }

    /// The places of its rows, and of as many in the next one as are fetched `ahead`, from the first of them on: `(of_turn, apart)` are
    /// those of a turn of all loops, and their distance.
    fn places<'l>(
        &self,
        list: &'l mut [MaybeUninit<isize>; LISTED],
        extents: &[usize],
        (of_turn, apart): (usize, isize),
        ahead: usize,
        stride: impl Fn(usize) -> isize,
    ) -> &'l [isize] {
        let list = &mut list[..self.turns * self.rows + ahead];
        for (row, place) in list.iter_mut().enumerate().take(of_turn) {
            place.write(row as isize * apart);
        }
        let mut known = of_turn;
        for k in (self.cut..extents.len()).rev() {
            let turns = if k == self.cut {
                list.len().div_ceil(known)
            } else {
                extents[k]
            };
            // Those of later turns, by those of the first one.
            for turn in 1..turns {
                let further = stride(k).wrapping_mul(turn as isize);
                for at in turn * known..list.len().min((turn + 1) * known) {
                    // SAFETY: the known places are written.
                    let first = unsafe { list[at - turn * known].assume_init() };
                    list[at].write(first.wrapping_add(further));
                }
            }
            known *= turns;
        }
        // SAFETY: all are written, by the turns of the last one of the loops.
        unsafe { &*(&raw const *list as *const [isize]) }
    }
}

impl Call<'_> {
    /// All turns of a schedule, the rows of some innermost loops together.
    ///
    /// # Safety
    /// As [`nest`](super::nest); the loops are those that its [drive](crate::nest::schedule::Drive) has.
    pub(super) unsafe fn together(&self, together: Together) -> bool {
        let extents = self.extents();
        let (outer, inner) = extents.split_at(extents.len() - together.loops());
        let stride = |k| self.stride(k);
        // SAFETY: by the contract of this function.
        turns(outer, self.first(), &stride, |first| unsafe {
            self.rows_of(inner, first, together.in_sequence)
        })
    }

    /// All turns of a schedule whose rows are [listed](crate::nest::schedule::Drive::Listed).
    ///
    /// # Safety
    /// As [`nest`](super::nest).
    #[inline(never)]
    pub(super) unsafe fn rows_by_tables(&self) -> bool {
        let Some(short) = self.rows_of_turn(true) else {
            return false;
        };
        let (loops, listed) = (self.loops(), self.schedule.loops_by_tables().end);
        let skipped = self.skipped_from(listed);
        let mut of_turn = [0; FEW_ROWS];
        let known = short.of_turn;
        (0..known).for_each(|row| of_turn[row] = row as isize * short.apart);
        let inner = loops.extents.iter().enumerate().skip(listed).rev();
        let count = inner.fold(known, |known, (k, &turns)| {
            let stride = self.stride(k).src as isize;
            (known..known * turns).for_each(|at| of_turn[at] = of_turn[at - known] + stride);
            known * turns
        });
        let of_turn = &of_turn[..count];
        let mut list = List::default();
        // SAFETY: by the contract of this function; `walk_blocks` gives the positions of turns within the extents.
        unsafe {
            let some = |to, from, rows, each: &[isize]| {
                let places = Places {
                    each,
                    to: None,
                    ahead: short.ahead,
                };
                self.rows_from((to, from), rows, short.periods, places);
            };
            self.walk_blocks(0..listed, |first, places, apart| {
                let (mut to, from) = self.ends(first.plus(skipped));
                for place in places {
                    if !list.goes_on(to, count, short.rows.dst_stride) {
                        list.moved(short.rows, &some);
                    }
                    list.add((to, from.wrapping_offset(*place)), of_turn);
                    to = to.wrapping_offset(apart.dst as isize);
                }
                true
            });
            list.moved(short.rows, &some);
        }
        true
    }

    /// The turns of the innermost loops, the first of them at a position; in the destination, rows lie one after the other if they are
    /// `in_sequence`.
    ///
    /// # Safety
    /// As [`Call::together`], for each of the turns.
    #[inline(never)]
    pub(super) unsafe fn rows_of(&self, inner: &[usize], first: At, in_sequence: bool) -> bool {
        let Some(short) = self.rows_of_turn(in_sequence) else {
            return false;
        };
        let skipped = self.extents().len() - inner.len();
        let stride = |k: usize| self.stride(skipped + k);
        let block = Block::of(inner, short.of_turn);
        let mut lists = [const { [const { MaybeUninit::uninit() }; LISTED] }; 2];
        let [from, to] = &mut lists;
        let rows = (short.of_turn, short.apart);
        let each = block.places(from, inner, rows, short.ahead, |k| stride(k).src as isize);
        let to = match in_sequence {
            true => None,
            // Only rows of a pattern lie anywhere, one a turn.
            false => Some(block.places(to, inner, (1, 0), 0, |k| stride(k).dst as isize)),
        };
        let places = Places {
            each,
            to,
            ahead: short.ahead,
        };
        turns(&inner[..block.cut], first, &stride, |first| {
            for turn in (0..inner[block.cut]).step_by(block.turns) {
                let at = first.plus(stride(block.cut).times(turn));
                let count = block.turns.min(inner[block.cut] - turn) * block.rows;
                let rows = Rows {
                    count,
                    ..short.rows
                };
                // SAFETY: by the contract of this function, these are positions of turns.
                unsafe { self.rows_from(self.ends(at), rows, short.periods, places) };
            }
            true
        })
    }

    /// The rows of a turn; `None` for a move that has none which move together.
    fn rows_of_turn(&self, in_sequence: bool) -> Option<ShortRows<'_>> {
        match self.schedule.inner() {
            Move::Shuffle(periods) => {
                let pattern = periods.shuffle.pattern();
                let bytes = self.count * pattern.period();
                let innermost = self.extents().len() - 1;
                let apart = if in_sequence {
                    self.stride(innermost).dst
                } else {
                    0
                };
                let rows = self.schedule.strided_rows(0, bytes, apart, 0);
                Some(ShortRows {
                    rows,
                    periods: Some(periods),
                    of_turn: 1,
                    apart: 0,
                    // Rows that lie anywhere have lines of their source in common: fetched ahead, they took longer.
                    ahead: match in_sequence {
                        true => looked_ahead(rows.cache, pattern.span(self.count)),
                        false => 0,
                    },
                })
            }
            Move::Strided(strided) => {
                let rows = self.schedule.rows_of(strided, 0);
                Some(ShortRows {
                    rows: Rows {
                        src_stride: 0,
                        ..rows
                    },
                    periods: None,
                    of_turn: self.count,
                    apart: rows.src_stride,
                    ahead: looked_ahead(rows.cache, rows.bytes),
                })
            }
            Move::Copy { .. } | Move::Lookup(_) | Move::Fill(_) => None,
        }
    }

    /// Moves rows of the schedule, runs or `periods`, each from the next of the places, which are counted from `from`.
    ///
    /// # Safety
    /// As [`Call::together`], for each of the rows, which are those of the move.
    unsafe fn rows_from(
        &self,
        (to, from): (*mut u8, *const u8),
        rows: Rows,
        periods: Option<&Periods>,
        places: Places<'_>,
    ) {
        // SAFETY: by the contract of this function.
        unsafe {
            match periods {
                Some(periods) => {
                    let operand = periods.operand(self.src);
                    let shuffle = &periods.shuffle;
                    shuffle.rows_from(self.level, to, from, rows, places, operand);
                }
                // Only rows of a pattern lie anywhere.
                None => lookup::block(self.level, to, from, rows, places.each, places.ahead),
            }
        }
    }
}
