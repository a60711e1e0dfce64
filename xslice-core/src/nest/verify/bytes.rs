//! The rules of a nest, asked again of its schedule: what every pass has left, as it will run.
//!
//! In bytes, and with the loop that a Move has in itself. A seventh rule is that a schedule writes as many bytes as its nest moves.

use super::{is_injective, lies_in};
use crate::access::{Access, Buffer, Lookup, widen};
use crate::nest::schedule::{Move, Periods, Row, Schedule};
use crate::nest::{LoopNest, Source};

/// Whether a schedule keeps the rules; it is one of this nest. `table_len` gives the elements of an index table.
pub(crate) fn schedule(
    schedule: &Schedule,
    nest: &LoopNest,
    table_len: &dyn Fn(Buffer) -> usize,
) -> bool {
    let size = nest.element_type().size();
    let (extents, src, dst) = (schedule.extents(), schedule.src(), schedule.dst());
    let inner = Inner::of(schedule.inner(), size);
    let in_step = |access: &Access| access.strides.len() == extents.len();
    let source_len = match schedule.source() {
        Source::Buffer(_) => nest.source_len().saturating_mul(size),
        Source::Range(_) => nest.source_len(),
    };
    let (low, high) = src.span(extents);
    let reads = (
        low.saturating_add(inner.reads.0),
        high.saturating_add(inner.reads.1),
    );
    let writes = widen(dst.span(extents), inner.dst_stride, inner.turns as i128);
    let turns = |k: usize| match extents.get(k) {
        Some(&extent) => (extent, dst.strides[k]),
        None => (inner.turns, inner.dst_stride),
    };
    let tables = Tables { extents, table_len };
    let extents = extents.iter().chain([&inner.turns, &inner.block]);
    let written = extents.clone().try_fold(1, |n: usize, &x| n.checked_mul(x));

    extents.clone().all(|&extent| extent > 0)
        && in_step(src)
        && in_step(dst)
        && dst.is_affine()
        && lies_in(
            writes,
            inner.block,
            nest.destination_len().saturating_mul(size),
        )
        && lies_in(reads, 0, source_len)
        && inner.vectors_read.is_none_or(|bytes| bytes <= source_len)
        && tables.hold(src)
        && inner
            .lookup
            .is_none_or(|(index, stride)| tables.holds(index, stride, inner.turns))
        && is_injective(schedule.extents().len() + 1, turns, inner.block).is_ok()
        && written == nest.element_count().checked_mul(size)
}

/// The loop of a Move, in bytes; in a Range, in its positions.
struct Inner<'a> {
    turns: usize,
    dst_stride: i64,
    /// Neighbouring bytes that a turn writes.
    block: usize,
    /// From the first byte that any turn reads to just past the last, from the position in the source.
    reads: (i128, i128),
    /// Bytes from the start of the source that vectors may read, beyond those that are moved.
    vectors_read: Option<usize>,
    /// The index that says where a row begins, and what a turn adds to its position in the table.
    lookup: Option<(&'a Lookup, i64)>,
}

impl<'a> Inner<'a> {
    fn of(inner: &'a Move, size: usize) -> Self {
        let side_by_side = |block: usize, reads| Self {
            turns: 1,
            dst_stride: 0,
            block,
            reads,
            vectors_read: None,
            lookup: None,
        };
        let run = |bytes: usize| (0, bytes as i128);
        match inner {
            Move::Copy { bytes } => side_by_side(*bytes, run(*bytes)),
            Move::Shuffle(periods) => Self {
                vectors_read: Some(periods.source_bytes),
                ..side_by_side(periods.bytes(), read_by(periods))
            },
            Move::Strided(rows) => {
                let reads = widen(run(rows.bytes), rows.src_stride, rows.count as i128);
                Self {
                    turns: rows.count,
                    dst_stride: rows.dst_stride,
                    ..side_by_side(rows.bytes, reads)
                }
            }
            Move::Lookup(rows) => {
                let (row, vectors_read) = match &rows.row {
                    Row::Run => (run(rows.bytes), None),
                    Row::Periods(periods) => (read_by(periods), Some(periods.source_bytes)),
                };
                let (lookup, reads) = (
                    &rows.lookup,
                    widen(row, rows.src_stride, rows.count as i128),
                );
                Self {
                    turns: rows.count,
                    dst_stride: rows.dst_stride,
                    vectors_read,
                    lookup: Some((lookup, rows.index_stride)),
                    ..side_by_side(rows.bytes, widen(reads, lookup.scale, lookup.size.into()))
                }
            }
            Move::Fill(fill) => Self {
                turns: fill.count,
                dst_stride: fill.dst_stride,
                ..side_by_side(size, widen(run(1), fill.step, fill.count as i128))
            },
        }
    }
}

/// From the first byte that periods read to just past the last.
fn read_by(periods: &Periods) -> (i128, i128) {
    let pattern = periods.shuffle.pattern();
    let (first, last) = pattern.ends();
    let one = (first.into(), i128::from(last) + 1);
    widen(one, pattern.src_stride().into(), periods.count as i128)
}

/// The index tables of a schedule.
struct Tables<'a> {
    extents: &'a [usize],
    table_len: &'a dyn Fn(Buffer) -> usize,
}

impl Tables<'_> {
    /// Whether every table of an access is read inside.
    fn hold(&self, access: &Access) -> bool {
        let mut lookups = access.lookups.iter();
        lookups.all(|lookup| self.holds(lookup, 0, 1))
    }

    /// Whether an index is read inside its table, in each of `turns` turns of the Move.
    fn holds(&self, lookup: &Lookup, stride: i64, turns: usize) -> bool {
        let bytes = lookup.index.size();
        let len = (self.table_len)(lookup.table).saturating_mul(bytes);
        let at = widen(lookup.access.span(self.extents), stride, turns as i128);
        lookup.size > 0
            && lookup.access.strides.len() == self.extents.len()
            && lies_in(at, bytes, len)
            && self.hold(&lookup.access)
    }
}
