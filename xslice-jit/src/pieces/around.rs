//! Loops around pieces: a result that is larger than pieces may be is moved some turns at a time.

use super::runs::{MOST_ELEMENTS, MOST_REACH};
use super::{LINE, PHASES, Turns};
use crate::origin::Loop;
use xslice_core::ir::Move;

/// Bytes of a result, and of what it is read from, at most. What the first two caches do not keep the precompiled Moves fetch ahead.
const MOST_BYTES: usize = 512 << 10;

/// Bytes that pieces move in a turn at most.
const MOST_OF_TURN: usize = 8 << 10;

/// Loops at most: a register counts each.
pub(crate) const MOST_LOOPS: usize = 2;

/// Numbers of turns that are tried.
const MOST_TRIED: usize = 32;

impl Loop {
    /// As so many turns of a shorter loop. These overlap where they do not divide it: what two of them move is moved twice.
    fn in_turns(self, turns: usize) -> (Self, Self) {
        let step = self.count / turns;
        let around = Self {
            count: turns,
            dst: self.dst.wrapping_mul(step as i64),
            src: self.src.wrapping_mul(step as i64),
        };
        let count = self.count - step * (turns - 1);
        (around, Self { count, ..self })
    }

    /// Bytes from where the first turn reads to where the last one does.
    fn reach(&self) -> u64 {
        (self.count as u64 - 1).saturating_mul(self.src.unsigned_abs())
    }

    /// Whether each turn begins where there are pieces for, if the first one does.
    fn keeps_phase(&self) -> bool {
        const STEP: u64 = (LINE / PHASES.len()) as u64;
        self.dst.unsigned_abs().is_multiple_of(STEP)
    }

    /// As pieces have them. `None`: there are too many turns, or they go too far.
    fn turns(self) -> Option<Turns> {
        let step = |step: i64| {
            let far = (self.count as i64).checked_mul(step)?;
            i32::try_from(step).ok().filter(|_| far.abs() <= MOST_REACH)
        };
        Some(Turns {
            count: i32::try_from(self.count).ok()?,
            steps: [step(self.dst)?, step(self.src)?],
        })
    }
}

/// Whether pieces in turns are quicker than the move of a large result. Others were as quick, or quicker: the rows of a line or less, which
/// move in registers anyway, and those of many lines, by which the processor finds its way itself.
pub(super) fn pays(inner: &Move) -> bool {
    match inner {
        Move::Shuffle(_) => true,
        Move::Strided(rows) => (LINE + 1..3 * LINE).contains(&rows.bytes),
        Move::Copy { .. } | Move::Lookup(_) | Move::Fill(_) => false,
    }
}

/// Takes those around pieces from `loops`, the outermost first; the innermost turn of all moves so many bytes, in units that stay together.
/// `None`: it is too much, or takes too many loops.
pub(super) fn split(
    mut loops: Vec<Loop>,
    bytes: usize,
    unit: usize,
) -> Option<(Vec<Turns>, Vec<Loop>)> {
    let most = MOST_OF_TURN.min(MOST_ELEMENTS * unit);
    let all = loops.iter().map(|turns| turns.count).product::<usize>();
    let reach = loops.iter().map(Loop::reach).fold(0, u64::saturating_add);
    if bytes * all > MOST_BYTES || reach > MOST_BYTES as u64 {
        return None;
    }
    // The first of the loops that are not too much together, and what they move.
    let (mut inner, mut moved) = (loops.len(), bytes);
    while inner > 0 && moved * loops[inner - 1].count <= most {
        inner -= 1;
        moved *= loops[inner].count;
    }
    let apart = inner.checked_sub(1)?;
    let (around, within) = best(loops[apart], most / moved)?;
    loops[apart] = within;
    let within = loops.split_off(apart);
    loops.push(around);
    if loops.len() > MOST_LOOPS || !loops.iter().all(Loop::keeps_phase) {
        return None;
    }
    let around: Option<Vec<_>> = loops.into_iter().map(Loop::turns).collect();
    Some((around?, within))
}

/// A loop as turns of a shorter one, of at most so many: those that move little twice, and begin where a line does.
fn best(whole: Loop, most: usize) -> Option<(Loop, Loop)> {
    /// The part that is moved twice at most.
    const MOST_TWICE: usize = 8;
    let twice = |around: &Loop, within: &Loop| around.count * within.count - whole.count;
    let fewest = whole.count.div_ceil(most.max(1));
    let ways = (fewest..=whole.count).take(MOST_TRIED);
    let ways = ways.map(|turns| whole.in_turns(turns));
    let fits = ways.filter(|(around, within)| {
        let is_little = MOST_TWICE * twice(around, within) <= whole.count;
        is_little && within.count <= most && around.keeps_phase()
    });
    fits.min_by_key(|(around, within)| {
        let is_anywhere = !around.dst.unsigned_abs().is_multiple_of(LINE as u64);
        16 * twice(around, within) + usize::from(is_anywhere) * whole.count
    })
}
