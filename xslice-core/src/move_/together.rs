//! Short rows of several loops, moved together.
//!
//! A loop of few short rows is over before what is done once for all of them has paid, and before lines that are fetched ahead have come.
//! But rows that lie at one distance in the destination make one long sequence, whatever their places in the source: these are listed, block
//! by block, and the rows move as those of a look-up do.

use super::Call;
use super::at::{At, turns};
use super::copy::Rows;
use super::lookup::{self, looked_ahead};
use super::rows::MOST_AHEAD;
use super::shuffled::Places;
use crate::nest::schedule::{Move, Schedule};
use core::mem::MaybeUninit;

/// More rows of one loop are moved at their distance.
const FEW_ROWS: usize = 16;

/// Longer rows take so long that it costs nothing to begin anew.
const LONGEST: usize = 2048;

/// Runs of at most a line have loops of their own, which are as quick.
const SHORTEST_RUN: usize = 65;

/// Rows whose places are listed at once.
const BLOCK: usize = 128;

impl Schedule {
    /// The number of innermost loops whose rows are moved together, of so many turns each, with so many elements of the move; `None` where
    /// rows are long, or those of the innermost loop are many, or lie at several distances in the destination.
    pub(super) fn together(&self, extents: &[usize], count: usize) -> Option<usize> {
        let last = extents.len().checked_sub(1)?;
        let dst = &self.dst().strides;
        // Bytes of a row, how many there are already, what the next loop has to be apart, and how many loops are worth it.
        let (bytes, few, mut apart, least) = match *self.inner() {
            Move::Shuffle { ref shuffle, .. } => {
                let bytes = count.saturating_mul(shuffle.pattern().period());
                (bytes, extents[last], dst[last], 2)
            }
            Move::Strided {
                bytes, dst_stride, ..
            } if bytes >= SHORTEST_RUN => {
                let apart = dst_stride.wrapping_mul(count as i64);
                (bytes, count, apart, 1)
            }
            _ => return None,
        };
        if bytes > LONGEST || few > FEW_ROWS || !self.src().is_affine() {
            return None;
        }
        let loops = extents.iter().zip(dst).rev();
        let touching = loops.take_while(|&(&extent, &stride)| {
            let touches = stride == apart;
            apart = apart.wrapping_mul(extent as i64);
            touches
        });
        Some(touching.count()).filter(|&loops| loops >= least)
    }
}

impl Call<'_> {
    /// All turns of a schedule, the rows of so many innermost loops together.
    ///
    /// # Safety
    /// As [`nest`](super::nest); the loops are those that [`Schedule::together`] gives.
    pub(super) unsafe fn together(&self, loops: usize) -> bool {
        let extents = self.extents();
        let (outer, inner) = extents.split_at(extents.len() - loops);
        let stride = |k| self.stride(k);
        // SAFETY: by the contract of this function.
        turns(outer, self.first(), &stride, |first| unsafe {
            self.rows_of(inner, first)
        })
    }

    /// The turns of the innermost loops, the first of them at a position.
    ///
    /// # Safety
    /// As [`Call::together`], for each of the turns.
    #[inline(never)]
    pub(super) unsafe fn rows_of(&self, inner: &[usize], first: At) -> bool {
        let loops = self.extents().len();
        let strides = &self.schedule.src().strides[loops - inner.len()..];
        // The rows, those of a turn and their distance in the source, and how many of them to look ahead.
        let (rows, of_turn, ahead) = match *self.schedule.inner() {
            Move::Shuffle { ref shuffle, .. } => {
                let pattern = shuffle.pattern();
                let bytes = self.count * pattern.period();
                let rows = self.rows(0, bytes, self.stride(loops - 1).dst, 0);
                let ahead = looked_ahead(rows.cache, pattern.span(self.count));
                (rows, (1, 0), ahead)
            }
            Move::Strided {
                bytes,
                dst_stride,
                src_stride,
                ..
            } => {
                let rows = self.rows(0, bytes, dst_stride, 0);
                let ahead = looked_ahead(rows.cache, bytes);
                (rows, (self.count, src_stride as isize), ahead)
            }
            Move::Copy { .. } | Move::Lookup { .. } | Move::Fill(_) => return false,
        };
        let mut places = [const { MaybeUninit::uninit() }; BLOCK + MOST_AHEAD];
        let mut known = 0;
        let mut to = self.dst.wrapping_offset(first.dst as isize);
        let mut move_some = |count: usize, places: &[MaybeUninit<isize>]| {
            let rows = Rows { count, ..rows };
            // SAFETY: by the contract of this function; these places are written.
            unsafe {
                let each = &*(&raw const *places as *const [isize]);
                self.rows_from(to, rows, Places { each, ahead });
            }
            to = to.wrapping_offset(count as isize * rows.dst_stride);
        };
        let stride = |k: usize| At {
            src: strides[k],
            ..At::default()
        };
        turns(inner, first, &stride, |at| {
            for row in 0..of_turn.0 as isize {
                places[known].write(at.src as isize + row * of_turn.1);
                known += 1;
                if known == places.len() {
                    // What is fetched ahead waits for the next block.
                    let count = known - ahead;
                    move_some(count, &places);
                    places.copy_within(count.., 0);
                    known = ahead;
                }
            }
            true
        });
        if known > 0 {
            move_some(known, &places[..known]);
        }
        true
    }

    /// Moves rows of the schedule, each from the next of the places in its source.
    ///
    /// # Safety
    /// As [`Call::together`], for each of the rows.
    unsafe fn rows_from(&self, to: *mut u8, rows: Rows, places: Places<'_>) {
        // SAFETY: by the contract of this function.
        unsafe {
            match *self.schedule.inner() {
                Move::Shuffle {
                    source_bytes,
                    ref shuffle,
                    ..
                } => {
                    let operand = self.src..self.src.wrapping_add(source_bytes);
                    shuffle.rows_from(self.level, to, self.src, rows, places, operand);
                }
                _ => lookup::block(self.level, to, self.src, rows, places),
            }
        }
    }
}
