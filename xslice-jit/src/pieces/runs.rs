//! Where the bytes of a result come from, all of them.

use super::around;
use super::{LINE, Turns};
use crate::origin::{self, Loop, Run, bytes_of, joined};
use std::ops::Range;
use xslice_core::ir::{Move, Progression, Schedule};

/// Bytes of a result at most that is moved without loops around pieces, and units that stay together of what these move: to find where each
/// comes from takes time.
const MOST_BYTES: usize = 16 << 10;
pub(super) const MOST_ELEMENTS: usize = 4 << 10;

/// Bytes of a Range at most: its values lie behind the code.
const MOST_FILLED: usize = 4 << 10;

/// Bytes from the start of a buffer at most: places are immediates, and sums of them do not overflow.
pub(super) const MOST_REACH: i64 = 1 << 29;

/// Neighbouring bytes of the destination: their place, and where each element comes from.
pub(super) type Span = (i32, Vec<i32>);

/// All that a schedule moves, or what the loops around move in their first turn.
#[derive(Debug)]
pub(super) struct Moved {
    pub around: Vec<Turns>,
    /// By their places.
    pub spans: Vec<Span>,
    /// Bytes of all spans.
    pub bytes: usize,
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
        if !schedule.src().is_affine() {
            return None;
        }
        // From the starts of the buffers. In a Range, places in the source are positions.
        let (mut runs, loops) = origin::of(schedule)?;
        for run in &mut runs {
            run.dst = run.dst.wrapping_add(schedule.dst().offset);
            run.src = run.src.wrapping_add(schedule.src().offset);
        }
        let unit = unit(&runs, &loops, schedule.inner());
        let most = match schedule.inner() {
            Move::Fill(_) => MOST_FILLED,
            Move::Copy { .. } | Move::Strided(_) | Move::Shuffle(_) | Move::Lookup(_) => {
                MOST_BYTES.min(MOST_ELEMENTS * unit)
            }
        };
        let (around, loops) = match (schedule.bytes(), schedule.inner()) {
            (0, _) => return None,
            (bytes, _) if bytes <= most => (Vec::new(), loops),
            (_, inner) if around::pays(inner) => around::split(loops, bytes_of(&runs), unit)?,
            _ => return None,
        };
        for turns in loops.iter().rev() {
            runs = turns.repeated(&runs);
        }
        if !runs.is_sorted_by_key(|run| run.dst) {
            runs.sort_unstable_by_key(|run| run.dst);
        }
        let data = match schedule.inner() {
            Move::Fill(fill) => values(fill.values, &mut runs),
            Move::Copy { .. } | Move::Strided(_) | Move::Shuffle(_) | Move::Lookup(_) => Vec::new(),
        };
        runs.dedup_by(joined);
        let low = runs.iter().map(|run| run.src).min()?;
        let high = runs.iter().map(|run| run.src + run.bytes as i64).max()?;
        let end = runs.last().map(|run| run.dst + run.bytes as i64)?;
        if high - low < LINE as i64 || high.max(end) > MOST_REACH {
            return None;
        }
        let bytes = bytes_of(&runs);
        let spans = runs.chunk_by(|one, next| one.dst + one.bytes as i64 == next.dst);
        let spans = spans.map(|span| {
            let each = |run: &Run| (run.src..run.src + run.bytes as i64).step_by(unit);
            let from = span.iter().flat_map(each).map(|at| at as i32);
            (span[0].dst as i32, from.collect())
        });
        Some(Self {
            around,
            spans: spans.collect(),
            bytes,
            unit,
            reach: low as i32..high as i32,
            data,
        })
    }

    /// The spans taken apart where turns of the move end, if these have more than so many bytes each.
    pub fn rows(&self, schedule: &Schedule, least: usize) -> Option<Vec<Span>> {
        let row = of_turn(schedule);
        if row <= least || !row.is_multiple_of(self.unit) || row >= self.bytes {
            return None;
        }
        let rows = self.spans.iter().flat_map(|(dst, from)| {
            let rows = from.chunks(row / self.unit).zip(0..);
            rows.map(move |(from, number)| (dst + number * row as i32, from.to_vec()))
        });
        Some(rows.collect())
    }
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

/// Bytes that stay together in all turns, counted from the first byte that is read and in lines of the destination.
fn unit(runs: &[Run], loops: &[Loop], inner: &Move) -> usize {
    // The values of a Range will lie side by side.
    let reads = !matches!(inner, Move::Fill(_));
    let low = runs.iter().map(|run| run.src).min().unwrap_or(0);
    let loops = loops.iter().filter(|turns| turns.count > 1);
    let strides = loops.flat_map(|turns| [turns.dst, if reads { turns.src } else { 0 }]);
    let places = runs
        .iter()
        .flat_map(|run| [run.bytes as i64, run.src - low, run.dst]);
    let together = places.chain(strides).fold(0, |all, place| all | place);
    1 << together.trailing_zeros().min(3)
}
