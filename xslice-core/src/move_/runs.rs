//! Runs at constant distances in a result that stays near, or a single one: what moves them is found when they are planned.
//!
//! A small call is over before it has been found how wide its runs are, which loops are around them, and how few there are in each turn.

#[cfg(target_arch = "x86_64")]
mod vectors;

use super::at::Turns;
use super::cache::Cache;
use super::copy::{self, Mover, Rows, by_width};
use super::few;
use super::rows::{LEAST_ROW, go_by_width};
use crate::level::Level;
use crate::nest::schedule::{KnownRuns, MoveRuns, Schedule, Strided};
use crate::shuffle::{RowLoop, RowLoops};

/// How the best level moves all runs of a schedule whose Move these are, if they stay near and their loops are few.
pub(super) fn known(schedule: &Schedule, strided: &Strided) -> Option<KnownRuns> {
    let is_affine = schedule.src().is_affine();
    is_affine
        .then(|| known_from(0, schedule, strided))
        .flatten()
}

/// The same of those inside the first so many loops.
pub(super) fn known_from(
    first: usize,
    schedule: &Schedule,
    strided: &Strided,
) -> Option<KnownRuns> {
    if schedule.cache() != Cache::Near {
        return None;
    }
    let (dst, src) = (&schedule.dst().strides, &schedule.src().strides);
    let inner = RowLoop {
        turns: strided.count,
        apart: (strided.dst_stride as isize, strided.src_stride as isize),
    };
    let extents = &schedule.extents()[first..];
    let loops = RowLoops::around(inner, extents, &dst[first..], &src[first..])?;
    KnownRuns::new(
        Level::best(),
        &schedule.rows_of(strided, strided.count),
        loops,
    )
}

/// How the best level moves the one run of `bytes` bytes that is all of a schedule, likewise; it may begin where indices say.
pub(super) fn known_alone(schedule: &Schedule, bytes: usize) -> Option<KnownRuns> {
    (schedule.extents().is_empty() && schedule.cache() == Cache::Near)
        .then(|| KnownRuns::alone(Level::best(), bytes))
        .flatten()
}

/// What moves one run; `None`: that is found by where it lies.
fn moving_alone(level: Level, bytes: usize) -> Option<MoveRuns> {
    fn alone<M: Mover>(_: M) -> MoveRuns {
        self::alone::<M>
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = level;
    #[cfg(target_arch = "x86_64")]
    if let Some(by_vectors) = vectors::moving_alone(level, bytes) {
        return Some(by_vectors);
    }
    (bytes < LEAST_ROW).then(|| by_width!(bytes, alone()))
}

/// What moves such rows in all turns of their loops, by what moves them in one of those around the innermost loop.
fn moving(level: Level, turn_by: MoveRuns, rows: &Rows, loops: &RowLoops) -> MoveRuns {
    #[cfg(not(target_arch = "x86_64"))]
    let _ = level;
    if loops.is_one() {
        return turn_by;
    }
    #[cfg(target_arch = "x86_64")]
    if !are_long_turns(rows)
        && let Some(by_vectors) = vectors::moving_turns(level, rows)
    {
        return by_vectors;
    }
    moving_by_width(rows, loops)
}

/// The same, whatever the level, for several turns.
fn moving_by_width(rows: &Rows, loops: &RowLoops) -> MoveRuns {
    fn in_short_turns<M: Mover>(_: M) -> MoveRuns {
        self::in_short_turns::<M>
    }
    let [_, around, _] = loops.0;
    let are_few = around.turns > 1 && few::takes(rows.bytes, rows.count, rows.cache);
    match are_few
        .then(|| few::moving(rows.bytes, rows.count))
        .flatten()
    {
        Some(few) => few,
        None if go_by_width(rows) && !are_long_turns(rows) => {
            by_width!(rows.bytes, in_short_turns())
        }
        None => in_turns,
    }
}

/// What moves a turn of the loops around the innermost one; `None`: what knows of nothing is as quick.
fn moving_turn(level: Level, rows: &Rows) -> Option<MoveRuns> {
    fn by_mover<M: Mover>(_: M) -> MoveRuns {
        self::by_mover::<M>
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = level;
    #[cfg(target_arch = "x86_64")]
    if let Some(by_vectors) = vectors::moving_turn(level, rows) {
        return Some(by_vectors);
    }
    go_by_width(rows).then(|| by_width!(rows.bytes, by_mover()))
}

/// Turns of so many runs are worth a call of a function each; those of runs that it puts together in pairs, of fewer.
const LONG_TURN: usize = 32;
const LONG_TURN_OF_PAIRS: usize = 16;

fn are_long_turns(rows: &Rows) -> bool {
    let least = match rows.bytes {
        1 | 2 | 4 | 8 if rows.touch() => LONG_TURN_OF_PAIRS,
        _ => LONG_TURN,
    };
    rows.count >= least
}

impl KnownRuns {
    /// Rows that are those of the innermost loop, as a level moves them, if that is known to be quick.
    pub(super) fn new(level: Level, rows: &Rows, loops: RowLoops) -> Option<Self> {
        let turn_by = moving_turn(level, rows)?;
        Some(Self {
            moved_by: moving(level, turn_by, rows, &loops),
            turn_by,
            level,
            bytes: rows.bytes,
            loops,
        })
    }

    /// A single run of `bytes` bytes, likewise.
    pub(super) fn alone(level: Level, bytes: usize) -> Option<Self> {
        let moved_by = moving_alone(level, bytes)?;
        Some(Self {
            moved_by,
            turn_by: moved_by,
            level,
            bytes,
            loops: RowLoops::ONE,
        })
    }

    /// Moves all, the first from `src` to `dst`.
    ///
    /// # Safety
    /// As [`copy::run`], for each of the runs.
    #[inline(always)]
    pub(super) unsafe fn run(&self, level: Level, dst: *mut u8, src: *const u8) {
        // SAFETY: by the contract of this function; holding `level` is the proof that the processor has its instructions.
        unsafe {
            match self.level == level {
                true => (self.moved_by)(dst, src, self),
                false => self.run_unknown(level, dst, src),
            }
        }
    }

    /// The same by another level than the one that they are known for.
    ///
    /// # Safety
    /// As [`KnownRuns::run`].
    #[cold]
    #[inline(never)]
    unsafe fn run_unknown(&self, level: Level, dst: *mut u8, src: *const u8) {
        let rows = self.rows();
        self.loops.outer(|to, from| {
            let (dst, src) = (dst.wrapping_offset(to), src.wrapping_offset(from));
            // SAFETY: by the contract of this function.
            unsafe { copy::strided(level, dst, src, rows) };
        });
    }

    /// Those of the innermost loop.
    fn rows(&self) -> Rows {
        let RowLoop { turns, apart } = self.loops.inner();
        Rows {
            count: turns,
            dst_stride: apart.0,
            src_stride: apart.1,
            ..Rows::one(self.bytes, Cache::Near)
        }
    }
}

/// Moves runs in all turns of several loops.
///
/// # Safety
/// As [`KnownRuns::run`].
unsafe fn in_turns(dst: *mut u8, src: *const u8, known: &KnownRuns) {
    known.loops.outer(|to, from| {
        let (dst, src) = (dst.wrapping_offset(to), src.wrapping_offset(from));
        // SAFETY: by the contract of this function.
        unsafe { (known.turn_by)(dst, src, known) };
    });
}

/// The same for short turns of such runs: to call a function for each would take as long as a few.
///
/// # Safety
/// As [`KnownRuns::run`].
unsafe fn in_short_turns<M: Mover>(dst: *mut u8, src: *const u8, known: &KnownRuns) {
    #[inline(never)]
    unsafe fn turns(mover: impl Mover, dst: *mut u8, src: *const u8, around: Turns, inner: Turns) {
        for (to, from) in around.each(dst, src) {
            for (to, from) in inner.each(to, from) {
                // SAFETY: by the contract of `in_short_turns`.
                unsafe { mover.run(to, from) };
            }
        }
    }
    let [outermost, around, inner] = known.loops.0.map(Turns::of);
    for (to, from) in outermost.each(dst, src) {
        // SAFETY: by the contract of this function.
        unsafe { turns(M::of(known.bytes), to, from, around, inner) };
    }
}

/// Moves one run of a width that has a mover.
///
/// # Safety
/// As [`KnownRuns::run`].
unsafe fn alone<M: Mover>(dst: *mut u8, src: *const u8, known: &KnownRuns) {
    // SAFETY: by the contract of this function.
    unsafe { M::of(known.bytes).run(dst, src) };
}

/// Moves runs of a width that has a mover.
///
/// # Safety
/// As [`KnownRuns::run`], for those of the innermost loop.
#[inline(never)]
unsafe fn by_mover<M: Mover>(dst: *mut u8, src: *const u8, known: &KnownRuns) {
    // SAFETY: by the contract of this function.
    unsafe { copy::quickly(M::of(known.bytes), dst, src, known.rows()) };
}
