//! Which way to take the loops around a Move is best, for the runner and for machine code.

use super::MOST_INLINE;
use super::cache::Cache;
use super::few;
use super::lookup::repeat;
use super::rows::{LEAST_ROW, Way};
use super::together::FEW_ROWS;
use crate::level::Level;
use crate::nest::schedule::{Drive, Move, MovedTables, Periods, Schedule, Strided, Together};
use crate::shuffle::LINE;

/// Fewer turns that begin where indices say are quicker one by one than what is set up for all.
const LEAST_TURNS: usize = 6;

/// Fewer rows behind tables have moved turn by turn before they are listed.
const LEAST_BY_TABLES: usize = 32;

/// Longer rows take so long that it costs nothing to begin anew.
const LONGEST: usize = 2048;

/// The rows of the innermost loop, or those that the move has in itself.
struct InnerRows {
    /// Bytes of each.
    bytes: usize,
    rows: usize,
    /// Where the row after them would lie in the destination, from the first of them.
    next: i64,
    /// At least this many loops are worth it.
    least_loops: usize,
    /// They may lie anywhere in the destination.
    anywhere: bool,
}

impl Schedule {
    /// How this level takes loops of `extents` turns around `count` elements of the move: all of the schedule, or a part of it. Whether places
    /// are kept is asked of the whole schedule.
    pub(super) fn drive_at(&self, level: Level, extents: &[usize], count: usize) -> Drive {
        if let Some(together) = self.together(level, extents, count) {
            return Drive::Together(together);
        }
        if self.lists_rows(level, extents, count) {
            return Drive::Listed;
        }
        match self.inner() {
            Move::Strided(strided) if self.has_few_rows(strided, extents, count) => Drive::Few,
            Move::Strided(strided) if strided.bytes <= MOST_INLINE => Drive::Short,
            Move::Lookup(_) if self.keeps_places() => Drive::Kept,
            Move::Strided(_) | Move::Shuffle(_) | Move::Lookup(_) => Drive::Innermost,
            Move::Copy { .. } | Move::Fill(_) => Drive::Each,
        }
    }

    /// Loops that machine code takes itself, where the best level takes all of them by `drive`: all but the innermost one or those whose rows
    /// are moved together; none where rows or runs, or their places, are known for all, or are long and quick, so that a call would weigh as
    /// much as a turn; all where indices say where each turn of the innermost one begins, or it has few.
    pub(super) fn loops_of_code(&self, drive: Drive) -> usize {
        let Some((&turns, around)) = self.extents().split_last() else {
            return 0;
        };
        let (loops, around) = (self.extents().len(), around.len());
        if !self.src().is_affine() {
            let at_once = turns >= LEAST_TURNS && self.innermost_is_still();
            return if at_once { around } else { loops };
        }
        if self.knows_rows() || self.has_quick_rows(Level::best()) {
            return 0;
        }
        match drive {
            Drive::Kept => 0,
            Drive::Together(together) => loops - together.loops(),
            Drive::Each | Drive::Innermost | Drive::Few | Drive::Short => around,
            Drive::Listed | Drive::Begun(_) => around,
        }
    }

    /// Whether no index says where a turn of the innermost loop begins.
    fn innermost_is_still(&self) -> bool {
        let last = self.extents().len().saturating_sub(1);
        matches!(self.moved_tables(last), MovedTables::None)
    }

    /// Whether all turns of several loops, or those that begin where indices say, look up the same rows, which are found once for them.
    fn keeps_places(&self) -> bool {
        let Move::Lookup(runs) = self.inner() else {
            return false;
        };
        !(self.src().is_affine() && self.extents().len() < 2)
            && runs.lookup.access.strides.iter().all(|&stride| stride == 0)
            && repeat::pays(runs.count, self.extents().iter().product())
    }

    /// Whether the turns of the innermost loop are moved without a loop over the rows of each.
    fn has_few_rows(&self, strided: &Strided, extents: &[usize], count: usize) -> bool {
        let are_few = |&turns: &usize| self.are_few(strided, count, turns);
        self.src().is_affine() && extents.last().is_some_and(are_few)
    }

    /// Whether `count` rows of a strided move are few in each of many turns.
    pub(super) fn are_few(&self, strided: &Strided, count: usize, turns: usize) -> bool {
        few::pays(strided.bytes, count, turns, self.cache())
    }

    /// Whether rows of turns that begin where indices say are listed, and moved together: those of a turn are few and lie in sequence, so what
    /// is done once for each turn weighs more than they do.
    fn lists_rows(&self, level: Level, extents: &[usize], count: usize) -> bool {
        if self.src().is_affine() {
            return false;
        }
        let (bytes, mut rows, mut next) = match self.inner() {
            Move::Shuffle(Periods { shuffle, .. }) => {
                let bytes = count.saturating_mul(shuffle.pattern().period());
                (bytes, 1, bytes as i64)
            }
            Move::Strided(strided) => {
                let next = strided.dst_stride.wrapping_mul(count as i64);
                (strided.bytes, count, next)
            }
            Move::Copy { .. } | Move::Lookup(_) | Move::Fill(_) => return false,
        };
        // What tells the others from these takes as long as to move them.
        if !(LEAST_ROW..=LONGEST).contains(&bytes) || rows > FEW_ROWS {
            return false;
        }
        let (around, inner) = extents.split_at(self.loops_by_tables().end);
        for (&turns, &stride) in inner.iter().zip(&self.dst().strides[around.len()..]).rev() {
            if stride != next {
                return false;
            }
            rows *= turns;
            next = next.wrapping_mul(turns as i64);
        }
        let turns: usize = around.iter().product();
        let are_few = rows <= FEW_ROWS && rows.saturating_mul(turns) >= LEAST_BY_TABLES;
        are_few
            && match self.inner() {
                Move::Shuffle(Periods { shuffle, .. }) => {
                    let each = self.strided_rows(1, bytes, 0, 0);
                    shuffle.moves_anywhere(level, &each)
                }
                _ => true,
            }
    }

    /// Whether its rows are runs of more than a line that are moved as quickly as they are listed: in a result that the first cache keeps, or
    /// nearly so, or in a way that gains nothing by what is known of the next. Far rows of some lines do gain: what is listed is fetched.
    fn has_quick_rows(&self, level: Level) -> bool {
        const LONGEST_FAR: usize = 3 * LINE - 1;
        let Move::Strided(strided) = self.inner() else {
            return false;
        };
        match self.cache_of_rows(level, strided.bytes) {
            _ if strided.bytes < LEAST_ROW => false,
            Cache::Near => true,
            Cache::Far if strided.bytes > LONGEST_FAR => false,
            _ => {
                let way = Way::of(level, &self.rows_of(strided, strided.count));
                way.is_some_and(|way| !way.looks_ahead())
            }
        }
    }

    /// The innermost loops whose rows are moved together, of `extents` turns, with `count` elements of the move; `None` where rows are
    /// long, or runs that are quick, or those of the innermost loop are many, or nothing would be done less often.
    fn together(&self, level: Level, extents: &[usize], count: usize) -> Option<Together> {
        let innermost = self.innermost_rows(level, extents, count)?;
        let are_short = innermost.bytes <= LONGEST && innermost.rows <= FEW_ROWS;
        if !are_short || !self.src().is_affine() {
            return None;
        }
        let mut next = innermost.next;
        let loops = extents.iter().zip(&self.dst().strides).rev();
        let following = loops.take_while(|&(&extent, &stride)| {
            let follows = stride == next;
            next = next.wrapping_mul(extent as i64);
            follows
        });
        match following.count() {
            loops if loops >= innermost.least_loops => Some(Together::new(loops, true)),
            _ if innermost.anywhere && extents.len() >= innermost.least_loops => {
                Some(Together::new(extents.len(), false))
            }
            _ => None,
        }
    }

    /// The rows of the innermost loop of a shuffle, or those of a strided move that are more than a line, if they are not quick.
    fn innermost_rows(&self, level: Level, extents: &[usize], count: usize) -> Option<InnerRows> {
        let last = extents.len().checked_sub(1)?;
        match self.inner() {
            Move::Shuffle(Periods { shuffle, .. }) => {
                let bytes = count.saturating_mul(shuffle.pattern().period());
                let rows = self.strided_rows(1, bytes, 0, 0);
                let next = self.dst().strides[last];
                Some(InnerRows {
                    bytes,
                    rows: extents[last],
                    next,
                    least_loops: 2,
                    anywhere: shuffle.moves_anywhere(level, &rows),
                })
            }
            Move::Strided(strided) if strided.bytes >= LEAST_ROW && !self.has_quick_rows(level) => {
                Some(InnerRows {
                    bytes: strided.bytes,
                    rows: count,
                    next: strided.dst_stride.wrapping_mul(count as i64),
                    least_loops: 1,
                    anywhere: false,
                })
            }
            Move::Copy { .. } | Move::Strided(_) | Move::Lookup(_) | Move::Fill(_) => None,
        }
    }
}
