//! Known runs by vectors of 32 and of 64 bytes.

use super::{by_mover, moving_by_width};
use crate::level::{Kind, Level};
use crate::move_::at::Turns;
use crate::move_::copy::{Fixed, Mover, Parts, Rows, Vectors, by_halves};
use crate::move_::processor::habits;
use crate::move_::rows::row::WholeVectors;
use crate::move_::rows::{LEAST_ROW, are_quicker_by_halves, fills_lines, go_by_width, row};
use crate::nest::schedule::{KnownRuns, MoveRuns};
use crate::shuffle::LINE;
use core::arch::x86_64::__m256i as Half;

/// Shorter runs in short turns of several loops are quicker in parts of 16 bytes.
const LEAST_IN_TURNS: usize = 49;

/// What moves one run that is all of a schedule.
pub(super) fn moving_alone(level: Level, bytes: usize) -> Option<MoveRuns> {
    match level.kind() {
        Kind::Avx512 if fills_lines(level, bytes) => Some(match bytes.div_ceil(LINE) {
            2 => by_lines::<2>,
            3 => by_lines::<3>,
            _ => alone_by_whole_lines,
        }),
        Kind::Avx2 if bytes >= LEAST_ROW => by_halves(bytes, false),
        Kind::Avx2 | Kind::Avx512 | Kind::Scalar => None,
    }
}

/// What moves a turn of the loops around the innermost one.
pub(super) fn moving_turn(level: Level, rows: &Rows) -> Option<MoveRuns> {
    match level.kind() {
        Kind::Avx512 if are_quicker_by_halves(rows) => by_halves(rows.bytes, false),
        Kind::Avx512 if rows.bytes == LINE => Some(of_a_line),
        Kind::Avx512 if fills_lines(level, rows.bytes) && !go_by_width(rows) => {
            Some(match rows.bytes.div_ceil(LINE) {
                2 => by_lines::<2>,
                3 => by_lines::<3>,
                _ => by_whole_lines,
            })
        }
        Kind::Avx2 if go_by_halves(rows) && may_spill(rows) => Some(turn_by_spilling),
        Kind::Avx2 if go_by_halves(rows) => by_halves(rows.bytes, false),
        Kind::Avx2 | Kind::Avx512 | Kind::Scalar => None,
    }
}

/// What moves all turns of several loops, if to call a function for each would take as long as a few rows.
pub(super) fn moving_turns(level: Level, rows: &Rows) -> Option<MoveRuns> {
    match level.kind() {
        Kind::Avx512 if are_quicker_by_halves(rows) => by_halves(rows.bytes, true),
        Kind::Avx512 if rows.bytes == LINE => Some(of_a_line_in_short_turns),
        Kind::Avx2 if go_by_halves(rows) && rows.bytes >= LEAST_IN_TURNS => {
            by_halves(rows.bytes, true)
        }
        Kind::Avx2 | Kind::Avx512 | Kind::Scalar => None,
    }
}

/// What moves runs by vectors of 32 bytes, if they are not too long or too short for these: those of the innermost loop, or of all.
fn by_halves(bytes: usize, of_all: bool) -> Option<MoveRuns> {
    fn moving<M: Mover>(_: M, of_all: bool) -> MoveRuns {
        match of_all {
            true => turns_by_halves::<M>,
            false => turn_by_halves::<M>,
        }
    }
    let many = || moving(WholeVectors::of(bytes), of_all);
    let have_movers = (size_of::<Half>() + 1..=WholeVectors::LONGEST).contains(&bytes);
    have_movers.then(|| by_halves!(bytes, moving(of_all), many()))
}

/// Whether rows that need more than a part of 16 bytes are moved by vectors of 32.
fn go_by_halves(rows: &Rows) -> bool {
    !(go_by_width(rows) && habits().moves_in_parts)
}

/// Whether a vector of 32 bytes moves each row but the first and the last: what it has besides lies in what other rows read, and is written again
/// by the next one.
fn may_spill(rows: &Rows) -> bool {
    /// Fewer rows are as quick in parts.
    const FEWEST: usize = 8;
    let reaches_next = rows.src_stride.unsigned_abs() + rows.bytes >= size_of::<Half>();
    rows.touch() && rows.count >= FEWEST && (17..32).contains(&rows.bytes) && reaches_next
}

/// Moves the runs of the innermost loop.
///
/// # Safety
/// As [`by_mover`]; the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn turn_by_halves<M: Mover>(dst: *mut u8, src: *const u8, known: &KnownRuns) {
    let mover = M::of(known.bytes);
    // SAFETY: by the contract of this function.
    known.each(dst, src, move |to, from| unsafe { mover.run(to, from) });
}

/// Moves the runs of the innermost loop, of which all but the first and the last have more besides.
///
/// # Safety
/// As [`by_mover`], for runs that [`may_spill`]; the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn turn_by_spilling(dst: *mut u8, src: *const u8, known: &KnownRuns) {
    let alone = Parts::<2>::of(known.bytes);
    let spilling = Vectors::<Half, 0, Half>::of(size_of::<Half>());
    let last = known.loops.inner().turns - 1;
    let runs = Turns::of(known.loops.inner()).each(dst, src);
    for (turn, (to, from)) in runs.enumerate() {
        // SAFETY: by the contract of this function. What a vector reads beyond its run lies before the end of the one after it or before it,
        // and what it writes there in the next one, which is written later (I4).
        unsafe {
            match turn == 0 || turn == last {
                true => alone.run(to, from),
                false => spilling.run(to, from),
            }
        }
    }
}

/// The same in all turns of several loops.
///
/// # Safety
/// As [`KnownRuns::run`]; the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn turns_by_halves<M: Mover>(dst: *mut u8, src: *const u8, known: &KnownRuns) {
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    unsafe fn turns<M: Mover>(dst: *mut u8, src: *const u8, known: &KnownRuns) {
        let mover = M::of(known.bytes);
        let [_, around, inner] = known.loops.0;
        for (to, from) in Turns::of(around).each(dst, src) {
            for (to, from) in Turns::of(inner).each(to, from) {
                // SAFETY: by the contract of `turns_by_halves`.
                unsafe { mover.run(to, from) };
            }
        }
    }
    let [outermost, ..] = known.loops.0;
    for (to, from) in Turns::of(outermost).each(dst, src) {
        // SAFETY: by the contract of this function.
        unsafe { turns::<M>(to, from, known) };
    }
}

/// Moves one run by vectors that fill lines of the result.
///
/// # Safety
/// As [`KnownRuns::run`], for more than a line; the processor has AVX-512 F.
#[target_feature(enable = "avx512f")]
unsafe fn alone_by_whole_lines(dst: *mut u8, src: *const u8, known: &KnownRuns) {
    // SAFETY: by the contract of this function.
    unsafe { row::whole_lines(dst, src, known.bytes) };
}

/// Moves runs of a line. Vectors as long would straddle two lines of the result in each, and so would half of those of 32 bytes; of 16
/// bytes, none does where the result begins with one.
///
/// # Safety
/// As [`by_mover`]; the processor has AVX-512 F.
#[target_feature(enable = "avx512f")]
unsafe fn of_a_line(dst: *mut u8, src: *const u8, known: &KnownRuns) {
    // SAFETY: by the contract of this function.
    unsafe {
        match known.begin_with::<16>(dst) && !known.begin_with::<LINE>(dst) {
            true => by_mover::<Fixed<LINE>>(dst, src, known),
            false => by_lines::<1>(dst, src, known),
        }
    }
}

/// The same for short turns of several loops: to call a function for each would take as long as a few.
///
/// # Safety
/// As [`KnownRuns::run`]; the processor has AVX-512 F.
#[target_feature(enable = "avx512f")]
unsafe fn of_a_line_in_short_turns(dst: *mut u8, src: *const u8, known: &KnownRuns) {
    #[target_feature(enable = "avx512f")]
    #[inline(never)]
    unsafe fn turns((dst, src): (*mut u8, *const u8), around: Turns, inner: Turns) {
        for (to, from) in around.each(dst, src) {
            for (to, from) in inner.each(to, from) {
                // SAFETY: by the contract of `of_a_line_in_short_turns`.
                unsafe { row::lines::<1>(to, from, LINE) };
            }
        }
    }
    // SAFETY: by the contract of this function.
    unsafe {
        if known.loops.begin_with::<16>(dst) && !known.loops.begin_with::<LINE>(dst) {
            let by_width = moving_by_width(&known.rows(), &known.loops);
            return by_width(dst, src, known);
        }
        let [outermost, around, inner] = known.loops.0.map(Turns::of);
        for place in outermost.each(dst, src) {
            turns(place, around, inner);
        }
    }
}

/// Moves runs of so many lines, or of less, where the last one overlaps the one before it.
///
/// # Safety
/// As [`of_a_line`].
#[target_feature(enable = "avx512f")]
unsafe fn by_lines<const LINES: usize>(dst: *mut u8, src: *const u8, known: &KnownRuns) {
    let bytes = known.bytes;
    // SAFETY: by the contract of this function.
    known.each(dst, src, move |to, from| unsafe {
        row::lines::<LINES>(to, from, bytes);
    });
}

/// Moves runs by vectors that fill lines of the result.
///
/// # Safety
/// As [`of_a_line`], for runs of more than a line.
#[target_feature(enable = "avx512f")]
unsafe fn by_whole_lines(dst: *mut u8, src: *const u8, known: &KnownRuns) {
    const FOUR: usize = 4 * LINE;
    const FIVE: usize = 5 * LINE;
    // SAFETY: by the contract of this function.
    unsafe {
        match known.bytes {
            FOUR if known.begin_with::<LINE>(dst) => by_lines::<4>(dst, src, known),
            FIVE if known.begin_with::<LINE>(dst) => by_lines::<5>(dst, src, known),
            bytes => known.each(dst, src, move |to, from| row::whole_lines(to, from, bytes)),
        }
    }
}

impl KnownRuns {
    /// Calls `run` with where each of the innermost loop is written and read.
    #[inline(always)]
    fn each(&self, dst: *mut u8, src: *const u8, run: impl Fn(*mut u8, *const u8)) {
        let inner = Turns::of(self.loops.inner());
        inner.each(dst, src).for_each(|(to, from)| run(to, from));
    }

    /// Whether each of the innermost loop begins with a vector of so many bytes of the result.
    fn begin_with<const VECTOR: usize>(&self, dst: *mut u8) -> bool {
        let stride = self.loops.inner().apart.0.cast_unsigned();
        (dst.addr() | stride).is_multiple_of(VECTOR)
    }
}
