//! What moves ask of a schedule.

use super::cache::Cache;
use super::copy::Rows;
use super::rows;
use crate::level::Level;
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

    /// Rows of it that are read from nearby. Not inlined: else the loops that move them are compiled anew for what is known here, and were
    /// slower.
    #[inline(never)]
    pub(super) fn near_rows(&self, level: Level, rows: Rows) -> Rows {
        let cache = self.cache_of_rows(level, rows.bytes);
        Rows { cache, ..rows }
    }

    /// The cache that keeps its result.
    pub(super) fn cache(&self) -> Cache {
        Cache::of(self.bytes())
    }

    /// The same where rows of so many bytes are all that comes into the first cache, or nearly so.
    pub(super) fn cache_of_rows(&self, level: Level, bytes: usize) -> Cache {
        match rows::stay_near(level, bytes) && self.bytes() <= Cache::most_of_first() {
            true => Cache::Near,
            false => self.cache(),
        }
    }
}

impl Periods {
    /// The buffer of their source, which starts at `start`.
    pub(super) fn operand(&self, start: *const u8) -> Range<*const u8> {
        start..start.wrapping_add(self.source_bytes)
    }
}
