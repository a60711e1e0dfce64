//! Turns of the innermost loop: many rows at once where a Move can do that.

use super::at::{At, Turns, each_turn};
use super::copy::{self, Mover, by_width};
use super::few;
use super::rows::Way;
use super::{Call, MOST_INLINE, Rows};
use crate::nest::schedule::{Move, Strided};

impl Call<'_> {
    /// Some turns of one loop, `stride` apart. `false`: an index that the move reads lies outside its axis.
    ///
    /// # Safety
    /// As [`Call::inner`], for each of the turns.
    pub(super) unsafe fn turns(&self, first: At, turns: usize, stride: At) -> bool {
        // SAFETY: by the contract of this function.
        unsafe {
            match self.schedule.inner() {
                Move::Shuffle(periods) => {
                    let bytes = self.count * periods.shuffle.pattern().period();
                    let rows = self
                        .schedule
                        .strided_rows(turns, bytes, stride.dst, stride.src);
                    let (operand, (to, from)) = (periods.operand(self.src), self.ends(first));
                    periods.shuffle.rows(self.level, to, from, rows, operand);
                    true
                }
                Move::Strided(strided) if strided.bytes <= MOST_INLINE => {
                    let rows = self.schedule.rows_of(strided, self.count);
                    match self.schedule.are_few(strided, self.count, turns) {
                        true => self.few_turns(first, turns, stride, rows),
                        false => {
                            by_width!(rows.bytes, short_turns(self, first, turns, stride, rows))
                        }
                    }
                }
                Move::Strided(strided) => self.long_turns(strided, first, turns, stride),
                Move::Lookup(runs) => match self.sharing(runs, turns, stride) {
                    1 => each_turn(first, turns, stride, |at| self.inner(at)),
                    at_once => self.repeated(runs, first, (turns, stride), at_once),
                },
                _ => each_turn(first, turns, stride, |at| self.inner(at)),
            }
        }
    }

    /// Turns of which each has few rows; `true`, as no index is read.
    ///
    /// # Safety
    /// As [`Call::turns`], of turns that `Schedule::are_few` says this of.
    pub(super) unsafe fn few_turns(&self, first: At, turns: usize, stride: At, rows: Rows) -> bool {
        let places: [isize; few::MOST] =
            core::array::from_fn(|k| rows.src_stride.wrapping_mul(k as isize));
        // SAFETY: by the contract of this function.
        unsafe {
            let (to, from) = self.ends(first);
            let turns = Turns::new(turns, stride);
            few::moved(to, from, &rows, &places[..rows.count], turns);
        }
        true
    }

    /// Turns of rows whose way is found once for all of them; `true`, as no index is read.
    ///
    /// # Safety
    /// As [`Call::turns`], of turns of such rows.
    #[inline(never)]
    unsafe fn long_turns(&self, strided: &Strided, first: At, turns: usize, stride: At) -> bool {
        let rows = self.schedule.rows_of(strided, self.count);
        // SAFETY: by the contract of this function.
        unsafe {
            let Some(way) = Way::of(self.level, &rows) else {
                return by_width!(rows.bytes, short_turns(self, first, turns, stride, rows));
            };
            let (to, from) = self.ends(first);
            let turns = Turns::new(turns, stride);
            way.moves_turns(self.level, to, from, rows, turns, rows.place());
        }
        true
    }

    /// Short rows at constant distances.
    ///
    /// # Safety
    /// As [`Call::inner`]; the mover is for `rows.bytes`.
    #[inline(always)]
    pub(super) unsafe fn short(&self, mover: impl Mover, at: At, rows: Rows) {
        // SAFETY: by the contract of this function.
        unsafe {
            let (to, from) = self.ends(at);
            copy::each(mover, to, from, rows);
        }
    }
}

/// # Safety
/// As [`Call::turns`]; the mover is for `rows.bytes`.
unsafe fn short_turns(
    mover: impl Mover,
    call: &Call<'_>,
    first: At,
    turns: usize,
    stride: At,
    rows: Rows,
) -> bool {
    each_turn(first, turns, stride, |at| {
        // SAFETY: by the contract of this function.
        unsafe { call.short(mover, at, rows) };
        true
    })
}
