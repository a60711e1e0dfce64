//! The order of the loops, where it decides how often memory is read.
//!
//! A nest has its loops in the order of the destination, which is right for stores, and for loads as long as the source has the same order.
//! A strided operand may have another: a transposed matrix, the channels of interleaved pixels, the four phases of an image. Then turns
//! that lie far apart read the same lines, and a cache has lost them in between. Two rewrites bring such turns together:
//!   interchange  the loops around a row take the order of the source
//!   tile         a row of single elements, each in a line of its own, is cut into parts; all rows that read these lines take a part each
//!
//! Rows keep whole lines of the destination in both, so stores lose nothing. Positions stay the same, only their order changes (I3, I4,
//! I6).

use super::{Move, Schedule};
use crate::list::List;

/// Bytes that one load brings from memory.
const LINE: u64 = crate::shuffle::LINE as u64;

/// Lines that are read again are still near as long as no more than this many bytes of others were read in between: a part of the
/// second-level cache of any processor of today.
pub(crate) const KEPT: u64 = 512 << 10;

/// Rows of at least this many lines are cut: they and their translations overflow the first level.
const LONG_ROW: usize = 256;

/// The most rows in a part of a row that is cut.
const MOST_ROWS: usize = 64;

impl Schedule {
    /// Puts the loops in the order that reads memory least often.
    pub(super) fn order(&mut self) {
        if !self.src.is_affine() {
            return;
        }
        let Some(row) = SourceRow::of(&self.inner) else {
            return;
        };
        if self.reads_again(&row) {
            self.interchange();
        }
        self.tile(&row);
    }

    /// Whether turns of some loop read the same lines when a cache has lost them.
    fn reads_again(&self, row: &SourceRow) -> bool {
        let mut between = row.lines.saturating_mul(LINE);
        for (&extent, &stride) in self.extents.iter().zip(&*self.src.strides).rev() {
            if row.overlaps(stride) {
                if between > KEPT {
                    return true;
                }
            } else {
                between = between.saturating_mul(extent as u64);
            }
        }
        false
    }

    /// The loops in the order of the source, those with the largest strides outside.
    fn interchange(&mut self) {
        let mut order: List<usize> = (0..self.extents.len()).collect();
        let strides = self.src.strides.clone();
        order.sort_by_key(|&k| core::cmp::Reverse(strides[k].unsigned_abs()));
        let ordered = |strides: &mut List<i64>| {
            *strides = order.iter().map(|&k| strides[k]).collect();
        };
        self.src.edit_strides(&ordered);
        self.dst.edit_strides(&ordered);
        self.extents = order.iter().map(|&k| self.extents[k]).collect();
    }

    /// Cuts long rows of elements in lines of their own, where the innermost loop reads their neighbours.
    fn tile(&mut self, row: &SourceRow) {
        let Some(inner) = self.extents.len().checked_sub(1) else {
            return;
        };
        let Move::Strided(elements) = &mut self.inner else {
            return;
        };
        if elements.count < LONG_ROW || !row.is_sparse || !row.overlaps(self.src.strides[inner]) {
            return;
        }
        // A line of the destination, at least.
        let least = (LINE as usize).div_ceil(elements.bytes);
        let fits = |rows: &usize| elements.count.is_multiple_of(*rows);
        let Some(rows) = (least..=MOST_ROWS).rev().find(fits) else {
            return;
        };
        let parts = elements.count / rows;
        elements.count = rows;
        let strides = [&mut self.src, &mut self.dst]
            .into_iter()
            .zip([elements.src_stride, elements.dst_stride]);
        for (access, stride) in strides {
            let last = access.strides[inner];
            access.strides[inner] = stride.wrapping_mul(rows as i64);
            access.strides.push(last);
        }
        let turns = self.extents[inner];
        self.extents[inner] = parts;
        self.extents.push(turns);
    }
}

/// What one turn of the outer loops reads.
struct SourceRow {
    lines: u64,
    /// Bytes from the first to the last; of one line if each element has its own.
    reach: u64,
    /// Each element has a line of its own.
    is_sparse: bool,
}

impl SourceRow {
    /// The row of a move that writes whole lines; `None` for a move that loses by another order, or has nothing to gain.
    fn of(inner: &Move) -> Option<Self> {
        let (count, bytes, stride) = match inner {
            Move::Shuffle(periods) => {
                let pattern = periods.shuffle.pattern();
                (periods.count, pattern.period(), pattern.src_stride().into())
            }
            Move::Strided(rows) if rows.dst_stride == rows.bytes as i64 => {
                (rows.count, rows.bytes, rows.src_stride)
            }
            Move::Copy { .. } | Move::Strided(_) | Move::Lookup(_) | Move::Fill(_) => return None,
        };
        if ((count * bytes) as u64) < LINE {
            return None;
        }
        let stride = i64::unsigned_abs(stride);
        let reach = stride.saturating_mul(count as u64 - 1) + bytes as u64;
        let is_sparse = stride >= LINE.max(bytes as u64);
        Some(match is_sparse {
            true => Self {
                lines: count as u64 * (bytes as u64).div_ceil(LINE),
                reach: LINE.max(bytes as u64),
                is_sparse,
            },
            false => Self {
                lines: reach.div_ceil(LINE),
                reach,
                is_sparse,
            },
        })
    }

    /// Whether rows that lie `stride` apart read mostly the same lines.
    fn overlaps(&self, stride: i64) -> bool {
        stride.unsigned_abs().saturating_mul(2) <= self.reach
    }
}
