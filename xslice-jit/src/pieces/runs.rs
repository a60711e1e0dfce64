//! Where the bytes of a result come from, all of them.

use super::LINE;
use std::ops::Range;
use xslice_core::ir::{Move, Progression, Schedule};

/// Bytes of a result at most, and units of it that stay together: to find where each comes from takes time.
const MOST_BYTES: usize = 16 << 10;
const MOST_ELEMENTS: usize = 4 << 10;

/// Bytes of a Range at most: its values lie behind the code.
const MOST_FILLED: usize = 4 << 10;

/// Bytes from the start of a buffer at most: places are immediates, and sums of them do not overflow.
const MOST_REACH: i64 = 1 << 29;

/// Neighbouring bytes of the source that are neighbours in the destination.
#[derive(Clone, Copy, Debug)]
struct Run {
    dst: i64,
    src: i64,
    bytes: usize,
}

/// Neighbouring bytes of the destination: their place, and where each element comes from.
pub(super) type Span = (i32, Vec<i32>);

/// All that a schedule moves.
#[derive(Debug)]
pub(super) struct Moved {
    /// By their places.
    pub spans: Vec<Span>,
    /// Bytes of an element: as many as stay together.
    pub unit: usize,
    /// From the first byte that is read to the end of the last.
    pub reach: Range<i32>,
    /// What is read, if it is no buffer: the values of a Range.
    pub data: Vec<u8>,
}

impl Moved {
    /// What a schedule moves. `None`: it reads indices, moves nothing, or reads less than a line; it is too much; or it lies too far from
    /// the starts of the buffers.
    pub fn by(schedule: &Schedule) -> Option<Self> {
        let most = match schedule.inner() {
            Move::Fill(_) => MOST_FILLED,
            Move::Copy { .. } | Move::Strided(_) | Move::Shuffle(_) | Move::Lookup(_) => MOST_BYTES,
        };
        if !schedule.src().is_affine() || schedule.bytes() > most {
            return None;
        }
        let mut runs = runs(schedule)?;
        let data = match schedule.inner() {
            Move::Fill(fill) => values(fill.values, &mut runs),
            Move::Copy { .. } | Move::Strided(_) | Move::Shuffle(_) | Move::Lookup(_) => Vec::new(),
        };
        runs.dedup_by(joined);
        let low = runs.iter().map(|run| run.src).min()?;
        let high = runs.iter().map(|run| run.src + run.bytes as i64).max()?;
        let end = runs.last().map(|run| run.dst + run.bytes as i64)?;
        let unit = unit(&runs, low);
        let is_near = high.max(end) <= MOST_REACH;
        if high - low < LINE as i64 || !is_near || schedule.bytes() / unit > MOST_ELEMENTS {
            return None;
        }
        let spans = runs.chunk_by(|one, next| one.dst + one.bytes as i64 == next.dst);
        let spans = spans.map(|span| {
            let each = |run: &Run| (run.src..run.src + run.bytes as i64).step_by(unit);
            let from = span.iter().flat_map(each).map(|at| at as i32);
            (span[0].dst as i32, from.collect())
        });
        Some(Self {
            spans: spans.collect(),
            unit,
            reach: low as i32..high as i32,
            data,
        })
    }

    /// The spans taken apart where turns of the move end, if these have more than a line each.
    pub fn rows(&self, schedule: &Schedule) -> Option<Vec<Span>> {
        let row = of_turn(schedule);
        if row <= LINE || !row.is_multiple_of(self.unit) || row >= schedule.bytes() {
            return None;
        }
        let rows = self.spans.iter().flat_map(|(dst, from)| {
            let rows = from.chunks(row / self.unit).zip(0..);
            rows.map(move |(from, number)| (dst + number * row as i32, from.to_vec()))
        });
        Some(rows.collect())
    }
}

/// What a schedule moves, from the starts of the buffers, by the destination.
fn runs(schedule: &Schedule) -> Option<Vec<Run>> {
    let mut runs = of_move(schedule.inner())?;
    // In a Range, places in the source are positions.
    for run in &mut runs {
        run.dst = run.dst.wrapping_add(schedule.dst().offset);
        run.src = run.src.wrapping_add(schedule.src().offset);
    }
    let (dst, src) = (&schedule.dst().strides, &schedule.src().strides);
    for (k, &extent) in schedule.extents().iter().enumerate().rev() {
        runs = repeated(&runs, extent, dst[k], src[k]);
    }
    if !runs.is_sorted_by_key(|run| run.dst) {
        runs.sort_unstable_by_key(|run| run.dst);
    }
    Some(runs)
}

/// The values of a Range at the positions where runs are, of one each; the runs then are where these values lie.
fn values(values: Progression, runs: &mut [Run]) -> Vec<u8> {
    let mut data = Vec::with_capacity(runs.len() * size_of::<u64>());
    for run in runs {
        let value = values.bits(run.src).to_le_bytes();
        run.src = data.len() as i64;
        data.extend(&value[..run.bytes]);
    }
    data
}

/// Makes a run longer by the next one, if it goes on there.
fn joined(next: &mut Run, one: &mut Run) -> bool {
    let bytes = one.bytes as i64;
    let goes_on = (one.dst + bytes, one.src + bytes) == (next.dst, next.src);
    if goes_on {
        one.bytes += next.bytes;
    }
    goes_on
}

/// What one turn of a move moves. `None`: it reads indices.
fn of_move(inner: &Move) -> Option<Vec<Run>> {
    let run = |src: i64, dst: i64, bytes: usize| Run { dst, src, bytes };
    Some(match inner {
        Move::Copy { bytes } => vec![run(0, 0, *bytes)],
        Move::Strided(rows) => {
            let row = [run(0, 0, rows.bytes)];
            repeated(&row, rows.count, rows.dst_stride, rows.src_stride)
        }
        Move::Shuffle(periods) => {
            let pattern = periods.shuffle.pattern();
            let bytes = pattern.offsets().iter().zip(0..);
            let bytes = bytes.map(|(&src, dst)| run(src.into(), dst, 1));
            let mut period: Vec<_> = bytes.collect();
            period.dedup_by(joined);
            let (dst_stride, src_stride) = (pattern.period() as i64, pattern.src_stride().into());
            repeated(&period, periods.count, dst_stride, src_stride)
        }
        Move::Fill(fill) => {
            let value = [run(0, 0, fill.values.element_type().size())];
            repeated(&value, fill.count, fill.dst_stride, fill.step)
        }
        Move::Lookup(_) => return None,
    })
}

/// Neighbouring bytes that one turn of a move writes.
fn of_turn(schedule: &Schedule) -> usize {
    match schedule.inner() {
        Move::Copy { bytes } => *bytes,
        Move::Strided(rows) if rows.dst_stride == rows.bytes as i64 => rows.bytes * rows.count,
        Move::Strided(rows) => rows.bytes,
        Move::Shuffle(periods) => periods.count * periods.shuffle.pattern().period(),
        Move::Lookup(_) | Move::Fill(_) => 0,
    }
}

/// The runs of `count` turns, by those of one.
fn repeated(runs: &[Run], count: usize, dst_stride: i64, src_stride: i64) -> Vec<Run> {
    let turns = (0..count as i64).flat_map(|turn| {
        runs.iter().map(move |run| Run {
            dst: run.dst.wrapping_add(turn.wrapping_mul(dst_stride)),
            src: run.src.wrapping_add(turn.wrapping_mul(src_stride)),
            bytes: run.bytes,
        })
    });
    turns.collect()
}

/// Bytes that stay together in all runs, counted from the first byte that is read and in lines of the destination.
fn unit(runs: &[Run], low: i64) -> usize {
    let together = |unit: &usize| {
        runs.iter().all(|run| {
            let places = [run.bytes, (run.src - low) as usize, run.dst as usize];
            places.iter().all(|place| place.is_multiple_of(*unit))
        })
    };
    [8, 4, 2].into_iter().find(together).unwrap_or(1)
}
