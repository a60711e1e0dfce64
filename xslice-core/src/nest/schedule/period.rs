//! The innermost loops of a nest as periods of a pattern, for a Shuffle.
//!
//! Loops that lie side by side in the destination and are short make a period; the next loop counts the periods. Where the bytes of a
//! period come from is free, so a table of constants may say it as well: channels in any order.

use super::{Known, MovedTables, Periods, Schedule};
use crate::access::Lookup;
use crate::list::List;
use crate::shuffle::{Anchor, LINE, Pattern, Period, Shuffle, places};
use alloc::sync::Arc;
use core::fmt;

/// Longer runs of neighbouring bytes are moved as runs, unless they fit into a vector of a line, with most of the bytes between them. All others
/// are put in order by 16 bytes, which hold one of them at most: as runs they take as many loads and stores, and nothing else.
const MOST_BLOCK: usize = 12;

/// Bytes of the source, in units of those moved, that a vector may be loaded with for the sake of such long runs.
const MOST_LOADED: u64 = 2;

/// Bytes that the first cache keeps: of Intel's processors since Ice Lake, and from Zen 5 on. Others keep 32 KiB, and have the rest in the second
/// one.
const FIRST_CACHE: usize = 48 << 10;

/// Fewer rows of one period are over before they are put together.
const LEAST_ROWS: usize = 64;

/// The same by vectors of a line, if the [runs are not too few](pays).
const LEAST_ROWS_BY_LINES: usize = 8;

/// Longer rows of a look-up are turns of their own.
const MOST_ROW: usize = 2048;

/// One row of fewer runs is as quick by scalar moves: what a shuffle sets up weighs more.
const LEAST_RUNS: usize = 48;

/// Many rows set up once: with at least this many runs in all, rows of [`LEAST_RUNS_EACH`] gain. Fewer are quicker in place, by the loads
/// and stores of compiled code.
const LEAST_RUNS_IN_ALL: usize = 96;

/// Rows of fewer runs are never worth a vector.
const LEAST_RUNS_EACH: usize = 4;

/// Why the innermost part of a nest is no [`Move::Shuffle`](super::Move::Shuffle), for people who ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoShuffle {
    /// There is no loop: it is one run.
    OneRun,
    /// This many neighbouring bytes move together.
    LongRun(usize),
    /// Turns of the innermost loops do not lie side by side in the destination.
    Apart,
    /// An index that is not known, or moves with other loops, says where the bytes are.
    Table,
    /// A row has too few runs, and there are too few rows.
    FewRuns {
        /// In a row.
        runs: usize,
        /// In all.
        rows: usize,
    },
    /// The source bytes of one vector lie so far apart that its loads would cost more than the runs, for how long a row is and where it is kept.
    Far,
}

impl fmt::Display for NoShuffle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneRun => f.write_str("there is only one run"),
            Self::LongRun(bytes) => write!(
                f,
                "{bytes} neighbouring bytes move together, and a shuffle pays up to {MOST_BLOCK}, or to a vector of {LINE} with few between"
            ),
            Self::Apart => f.write_str("turns do not lie side by side in the result"),
            Self::Table => f.write_str("an index says where its bytes are"),
            Self::FewRuns { runs, rows } => write!(
                f,
                "{rows} x {runs} runs are few, and a shuffle pays from {LEAST_RUNS} in one row, {LEAST_RUNS_IN_ALL} in rows of \
                 {LEAST_RUNS_EACH} and more, or {LEAST_ROWS} rows of one period"
            ),
            Self::Far => f.write_str(
                "the bytes of one vector lie so far apart that its loads cost more than the runs",
            ),
        }
    }
}

/// The innermost loops, as periods side by side.
pub(super) struct InnerLoops {
    /// How many, the one that counts the periods included.
    loops: usize,
    count: usize,
    shuffle: Arc<Shuffle>,
}

impl InnerLoops {
    /// Runs of a row, those of more than 8 bytes as several.
    fn runs(&self) -> usize {
        let pattern = self.shuffle.pattern();
        self.count * pattern.period() / pattern.unit()
    }
}

impl Schedule {
    /// The innermost loops as periods of a pattern, for vectors of `vector` bytes.
    pub(super) fn periods(
        &self,
        block: usize,
        known: Known<'_>,
        vector: usize,
    ) -> Result<InnerLoops, NoShuffle> {
        let loops = self.extents.len();
        let (mut taken, mut period) = (0, block);
        while taken < loops {
            let k = loops - 1 - taken;
            let row = period * self.extents[k];
            if !self.moves_only_known(k, known) {
                return Err(NoShuffle::Table);
            }
            if self.dst.strides[k] != period as i64 {
                return Err(NoShuffle::Apart);
            }
            taken += 1;
            // The last loop that lies side by side counts, and so does one that is too long for a period.
            let touches = |k: &usize| self.dst.strides[*k] == row as i64;
            let next = k.checked_sub(1).filter(touches);
            let next = next.filter(|&k| self.moves_only_known(k, known));
            if row > Pattern::LONGEST || next.is_none() {
                return self.counted_by(k, (period, block), known, vector);
            }
            period = row;
        }
        Err(NoShuffle::OneRun)
    }

    /// The loops inside the one whose turns look up, as a row of periods: one period where it is short.
    pub(super) fn looked_up_rows(
        &self,
        block: usize,
        known: Known<'_>,
        vector: usize,
    ) -> Option<InnerLoops> {
        let loops = self.extents.len();
        let around = (0..loops)
            .rev()
            .find(|&k| !self.moves_only_known(k, known))?;
        let inside = loops - 1 - around;
        if inside == 0 || !matches!(self.moved_tables(around), MovedTables::One(_)) {
            return None;
        }
        match self.row(around + 1, block)? {
            0..=Pattern::LONGEST => self.alone(around + 1, block, known),
            row if row <= MOST_ROW => {
                let periods = self.periods(block, known, vector).ok();
                periods.filter(|inner| inner.loops == inside)
            }
            _ => None,
        }
    }

    /// The innermost loops as a shuffle: periods that follow each other, or else rows of one, each alone.
    pub(super) fn shuffled(
        &self,
        block: usize,
        known: Known<'_>,
        vector: usize,
    ) -> Result<InnerLoops, NoShuffle> {
        self.periods(block, known, vector).or_else(|reason| {
            let loops = self.extents.len();
            let is_period = |k: &usize| {
                self.row(*k, block)
                    .is_some_and(|row| row <= Pattern::LONGEST)
            };
            let first = (0..loops).rev().take_while(is_period).last();
            let rows = |first: usize| self.extents[..first].iter().product::<usize>();
            let least = match vector {
                LINE => LEAST_ROWS_BY_LINES,
                _ => LEAST_ROWS,
            };
            let first = first.filter(|&first| rows(first) >= least);
            let are_many = first.is_some_and(|first| rows(first) >= LEAST_ROWS);
            let mut shorter = first.map_or(0..0, |first| first..loops);
            let alone = shorter.find_map(|k| {
                let are_enough = |row: &InnerLoops| are_many || pays(row.runs(), rows(k));
                self.alone(k, block, known).filter(are_enough)
            });
            match (alone, reason) {
                (Some(alone), _) => Ok(alone),
                (None, NoShuffle::FewRuns { .. }) if are_many => Err(NoShuffle::Far),
                (None, reason) => Err(reason),
            }
        })
    }

    /// The loops from `k` on as a row of one period that stands alone.
    fn alone(&self, k: usize, block: usize, known: Known<'_>) -> Option<InnerLoops> {
        let mut loops = k..self.extents.len();
        if !loops.all(|k| self.moves_only_known(k, known)) {
            return None;
        }
        let loops = self.extents[k..].iter().copied();
        let numbers = Period {
            loops: loops.zip(self.src.strides[k..].iter().copied()).collect(),
            picked: self.picked(k, known)?,
            block,
            src_stride: None,
            anchor: Anchor::First,
        };
        let is_quick = |shuffle: &Arc<Shuffle>| self.is_quick(k, 1, shuffle);
        let shuffle = numbers.shuffle().filter(is_quick)?;
        Some(InnerLoops {
            loops: self.extents.len() - k,
            count: 1,
            shuffle,
        })
    }

    /// Whether a shuffle moves rows of `periods` periods at less cost than run by run, one in each turn of the loops around loop `k`.
    fn is_quick(&self, k: usize, periods: usize, shuffle: &Shuffle) -> bool {
        let lines = shuffle.pattern().span(periods).next_multiple_of(LINE) + LINE;
        // Rows that lie close to each other have lines in common.
        let of_next = match self.src.strides[..k].last() {
            None | Some(0) => lines,
            Some(stride) => lines.min(stride.unsigned_abs() as usize),
        };
        let mut turns = self.extents[..k].iter().rev();
        let of_rows = turns.next().map_or(lines, |&rows| {
            let others = rows.saturating_sub(1);
            others.saturating_mul(of_next).saturating_add(lines)
        });
        let read = turns.fold(of_rows, |read, &turns| read.saturating_mul(turns));
        let rows: usize = self.extents[..k].iter().product();
        let periods = [periods, rows.saturating_mul(periods)];
        shuffle.is_quick(periods, self.bytes.saturating_add(read) <= FIRST_CACHE)
    }

    /// Bytes that the loops from `k` on write side by side, if they do.
    fn row(&self, k: usize, block: usize) -> Option<usize> {
        let inner = self.extents[k..].iter().zip(&self.dst.strides[k..]);
        inner.rev().try_fold(block, |row, (&extent, &stride)| {
            (stride == row as i64).then_some(row * extent)
        })
    }

    /// Periods of `period` bytes, one for each turn of loop `k`.
    fn counted_by(
        &self,
        k: usize,
        (period, block): (usize, usize),
        known: Known<'_>,
        vector: usize,
    ) -> Result<InnerLoops, NoShuffle> {
        let inner = k + 1..self.extents.len();
        let src_stride = self.src.strides[k];
        let is_dense = src_stride.unsigned_abs() <= MOST_LOADED * period as u64;
        let fits = vector == LINE && block < vector && is_dense;
        if block > MOST_BLOCK && !fits {
            return Err(NoShuffle::LongRun(block));
        }
        // The loop that counts moves no table.
        let picked = match self.moved_tables(k) {
            MovedTables::None => self.picked(k + 1, known),
            MovedTables::One(_) | MovedTables::Several => None,
        };
        let picked = picked.ok_or(NoShuffle::Table)?;
        let loops = inner.map(|k| (self.extents[k], self.src.strides[k]));
        let numbers = Period {
            loops: loops.collect(),
            picked,
            block,
            src_stride: Some(src_stride),
            anchor: self.anchor(k),
        };
        let shuffle = numbers.shuffle().ok_or(NoShuffle::Far)?;
        let inner = InnerLoops {
            loops: self.extents.len() - k,
            count: self.extents[k],
            shuffle,
        };
        let (runs, rows) = (inner.runs(), self.extents[..k].iter().product());
        if !pays(runs, rows) {
            return Err(NoShuffle::FewRuns { runs, rows });
        }
        match self.is_quick(k, inner.count, &inner.shuffle) {
            true => Ok(inner),
            false => Err(NoShuffle::Far),
        }
    }

    /// Lines of the operand, unless what turns of loop `k` read begins elsewhere in a line with each turn of the loops around it.
    fn anchor(&self, k: usize) -> Anchor {
        let line = LINE as i64;
        let is_lines = |stride: &i64| stride % line == 0;
        let is_still = self.src.lookups.is_empty() && self.src.strides[..k].iter().all(is_lines);
        match is_still {
            true => Anchor::Line(self.src.offset.rem_euclid(line) as u8),
            false => Anchor::First,
        }
    }

    /// Whether loop `k` moves the positions of tables only that are known, or of none.
    fn moves_only_known(&self, k: usize, known: Known<'_>) -> bool {
        let is_still = |lookup: &Lookup| lookup.access.all_strides(&|strides| strides[k] == 0);
        let mut lookups = self.src.lookups.iter();
        lookups.all(|lookup| is_still(lookup) || is_fixed(lookup, known))
    }

    /// What tables add to the place of each block of a period, those of the loops from `k` on; empty where there is none. `None` if one is
    /// moved by other loops too, or not known.
    fn picked(&self, k: usize, known: Known<'_>) -> Option<List<i64>> {
        let mut sums = List::new();
        let mut lookups = self.src.lookups.iter();
        while let Some(lookup) = lookups.find(|lookup| is_inside(lookup, k)) {
            let (outer, inner) = lookup.access.strides.split_at(k);
            if outer.iter().any(|&stride| stride != 0) {
                return None;
            }
            let loops = self.extents[k..].iter().copied();
            let places = places(lookup.access.offset, loops.zip(inner.iter().copied()));
            if sums.is_empty() {
                sums = List::repeat(0, places.len());
            }
            for (sum, place) in sums.iter_mut().zip(places) {
                let at = usize::try_from(place).ok()? / lookup.index.size();
                *sum += lookup.adds(known(lookup.table, at)?);
            }
        }
        Some(sums)
    }

    /// Takes the loops of periods away, and the tables that their pattern holds.
    pub(super) fn take_periods(&mut self, inner: InnerLoops, source_bytes: usize) -> Periods {
        let k = self.extents.len() - inner.loops;
        self.src.lookups.retain(|lookup| !is_inside(lookup, k));
        for _ in 0..inner.loops {
            self.take_innermost();
        }
        Periods {
            count: inner.count,
            source_bytes,
            shuffle: inner.shuffle,
        }
    }
}

/// Whether the elements of a table are known before a call.
fn is_fixed(lookup: &Lookup, known: Known<'_>) -> bool {
    lookup.access.is_affine() && known(lookup.table, 0).is_some()
}

/// Whether a loop from `k` on moves the position in a table.
fn is_inside(lookup: &Lookup, k: usize) -> bool {
    !lookup
        .access
        .all_strides(&|strides| strides[k..].iter().all(|&stride| stride == 0))
}

/// Whether a shuffle of `runs` runs in a row, and `rows` rows, is quicker than scalar moves.
fn pays(runs: usize, rows: usize) -> bool {
    runs >= LEAST_RUNS
        || (runs >= LEAST_RUNS_EACH && runs.saturating_mul(rows) >= LEAST_RUNS_IN_ALL)
}
