//! Turns that begin where the indices of one table say, in a result that stays near: what moves all that is inside them is found when they are
//! planned.
//!
//! Heads of a few rows of a cache, crops of a few images: each turn is over before what is around it would be set up anew.

use super::at::{each_turn, turns};
use super::one_turn::known_turn;
use super::positions::load;
use super::{At, Call, MOST_INLINE, runs, shuffled};
use crate::nest::schedule::{KnownMove, Move, Schedule};

/// More turns of short rows are worth it to find a mover of rows once for all of them.
const MOST_OF_SHORT: usize = 32;

/// The loops of a schedule up to the only one whose turns begin where indices say, and how the best level moves all that is inside it, if that
/// is known to be quick.
pub(super) fn known(schedule: &Schedule) -> Option<(u8, KnownMove)> {
    let [lookup] = &schedule.src().lookups[..] else {
        return None;
    };
    let by_table = schedule.loops_by_tables();
    if by_table.len() != 1 || !lookup.access.is_affine() {
        return None;
    }
    let turns: usize = schedule.extents()[..by_table.end].iter().product();
    let known = match schedule.inner() {
        Move::Strided(rows) if rows.bytes > MOST_INLINE || turns <= MOST_OF_SHORT => {
            KnownMove::Runs(runs::known_from(by_table.end, schedule, rows)?)
        }
        Move::Shuffle(periods) => {
            KnownMove::Rows(shuffled::known_from(by_table.end, schedule, periods)?)
        }
        _ => return None,
    };
    Some((by_table.end as u8, known))
}

impl Call<'_> {
    /// All turns of a schedule that [begin](crate::nest::schedule::Drive::Begun) so, by the last of so many loops. `false`: that is not
    /// known of it.
    ///
    /// # Safety
    /// As [`nest`](super::nest), of all of the schedule; its [`Schedule::inside`] is what moves all that is inside these loops.
    #[inline(never)]
    pub(super) unsafe fn begun(&self, loops: usize) -> bool {
        let (Some(known), [lookup]) = (self.schedule.inside(), &self.schedule.src().lookups[..])
        else {
            debug_assert!(
                false,
                "what is inside is known, and one table says where it begins"
            );
            return false;
        };
        let Some((&count, around)) = self.extents()[..loops].split_last() else {
            return false;
        };
        let table = self.sources.start(lookup.table);
        let (stride, apart) = (|k: usize| self.stride(k), self.stride(around.len()));
        let first = At {
            table: lookup.access.offset,
            ..self.first()
        };
        let next = At {
            table: lookup.access.strides[around.len()],
            ..apart
        };
        turns(around, first, &stride, |first| {
            each_turn(first, count, next, |at| {
                // SAFETY: by the contract of this function, these are positions of turns within the extents, and each index lies in its axis.
                unsafe {
                    let index = load(table.offset(at.table as isize), lookup.index);
                    let src = at.src.wrapping_add(lookup.adds(index));
                    let to = self.dst.offset(at.dst as isize);
                    let from = self.src.wrapping_offset(src as isize);
                    match known {
                        KnownMove::Runs(runs) => runs.run(self.level, to, from),
                        KnownMove::Rows(rows) => {
                            known_turn(self.level, self.schedule, rows, to, (self.src, from));
                        }
                        // Of what is inside, runs and rows alone are known.
                        KnownMove::Values(_) => return false,
                    }
                }
                true
            })
        })
    }
}
