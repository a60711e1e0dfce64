//! What moves ask of a schedule.

use super::cache::Cache;
use super::copy::Rows;
use crate::nest::schedule::{Periods, Schedule, Strided};
use core::ops::Range;

impl Schedule {
    /// `count` of its rows.
    pub(super) fn rows_of(&self, rows: &Strided, count: usize) -> Rows {
        self.strided_rows(count, rows.bytes, rows.dst_stride, rows.src_stride)
    }

    /// Rows of its result, at these strides.
    pub(super) fn strided_rows(
        &self,
        count: usize,
        bytes: usize,
        dst_stride: i64,
        src_stride: i64,
    ) -> Rows {
        Rows {
            count,
            bytes,
            dst_stride: dst_stride as isize,
            src_stride: src_stride as isize,
            cache: self.cache(),
        }
    }

    /// The cache that keeps its result.
    pub(super) fn cache(&self) -> Cache {
        Cache::of(self.bytes())
    }
}

impl Periods {
    /// The buffer of their source, which starts at `start`.
    pub(super) fn operand(&self, start: *const u8) -> Range<*const u8> {
        start..start.wrapping_add(self.source_bytes)
    }
}
