//! Where the bytes that a schedule moves come from, as loops around runs.

use xslice_core::ir::{Move, Schedule};

/// Neighbouring bytes of the source that are neighbours in the destination.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub dst: i64,
    pub src: i64,
    pub bytes: usize,
}

/// A loop of a schedule, or of its move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop {
    pub count: usize,
    /// What one turn adds to all places.
    pub dst: i64,
    pub src: i64,
}

impl Loop {
    /// The runs of all turns, by those of one.
    pub fn repeated(self, runs: &[Run]) -> Vec<Run> {
        let turns = (0..self.count as i64).flat_map(|turn| {
            runs.iter().map(move |run| Run {
                dst: run.dst.wrapping_add(turn.wrapping_mul(self.dst)),
                src: run.src.wrapping_add(turn.wrapping_mul(self.src)),
                bytes: run.bytes,
            })
        });
        turns.collect()
    }
}

/// What the innermost turn of a schedule moves, counted from where it stands in both buffers, and the loops around it, the outermost first.
/// `None`: its move reads indices.
pub(crate) fn of(schedule: &Schedule) -> Option<(Vec<Run>, Vec<Loop>)> {
    let (runs, of_move) = of_move(schedule.inner())?;
    let strides = schedule.dst().strides.iter().zip(&schedule.src().strides);
    let loops = schedule.extents().iter().zip(strides);
    let loops = loops.map(|(&count, (&dst, &src))| Loop { count, dst, src });
    Some((runs, loops.chain(of_move).collect()))
}

/// Of a move: what one turn moves, and its turns.
fn of_move(inner: &Move) -> Option<(Vec<Run>, Option<Loop>)> {
    let run = |src: i64, dst: i64, bytes: usize| Run { dst, src, bytes };
    let turns = |count, dst, src| Some(Loop { count, dst, src });
    Some(match inner {
        Move::Copy { bytes } => (vec![run(0, 0, *bytes)], None),
        Move::Strided(rows) => {
            let turns = turns(rows.count, rows.dst_stride, rows.src_stride);
            (vec![run(0, 0, rows.bytes)], turns)
        }
        Move::Shuffle(periods) => {
            let pattern = periods.shuffle.pattern();
            let bytes = pattern.offsets().iter().zip(0..);
            let bytes = bytes.map(|(&src, dst)| run(src.into(), dst, 1));
            let mut period: Vec<_> = bytes.collect();
            period.dedup_by(joined);
            let (dst, src) = (pattern.period() as i64, pattern.src_stride().into());
            (period, turns(periods.count, dst, src))
        }
        Move::Fill(fill) => {
            let value = run(0, 0, fill.values.element_type().size());
            (vec![value], turns(fill.count, fill.dst_stride, fill.step))
        }
        Move::Lookup(_) => return None,
    })
}

/// Makes a run longer by the next one, if it goes on there.
pub(crate) fn joined(next: &mut Run, one: &mut Run) -> bool {
    let bytes = one.bytes as i64;
    let goes_on = (one.dst + bytes, one.src + bytes) == (next.dst, next.src);
    if goes_on {
        one.bytes += next.bytes;
    }
    goes_on
}

pub(crate) fn bytes_of(runs: &[Run]) -> usize {
    runs.iter().map(|run| run.bytes).sum()
}
