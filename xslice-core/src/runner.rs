//! The precompiled engine: an odometer over the plan that calls Moves.
//!
//! Needs no executable memory and nothing to compile, runs on every host, and moves strings by clone. It is what every other compiled
//! engine falls back to. Here is its door, on one thread and on many; in which order the steps of a plan are taken is decided in `steps`,
//! and how bytes move in `move_`.

use crate::error::Error;
use crate::level::Level;
use crate::move_;
use crate::operand::{Input, Output};
use crate::plan::{OneTurn, Picks, Plan};
use crate::scratch::Scratch;

#[doc(hidden)]
pub use crate::steps::{OnScratch, steps};

/// Runs a plan.
///
/// ```
/// use xslice_core::{ElementType, Program, Scratch, Signature, runner};
/// let plan = Program::parse("x[:, ::-1]")?.compile(&Signature::new().operand(ElementType::U8, &[2, 2]))?;
/// let mut y = [0u8; 4];
/// runner::run(&plan, &[(&[1u8, 2, 3, 4]).into()], (&mut y).into(), &mut Scratch::new())?;
/// assert_eq!(y, [2, 1, 4, 3]);
/// # Ok::<(), xslice_core::Error>(())
/// ```
///
/// # Errors
/// What [`Plan::admit`] refuses, the first failing check in the order of the program, and memory for temporaries.
pub fn run(
    plan: &Plan,
    inputs: &[Input<'_>],
    output: Output<'_>,
    scratch: &mut Scratch,
) -> Result<(), Error> {
    run_at(Level::settled(), plan, inputs, output, scratch)
}

/// Runs a plan with the vector instructions of `level`: for tests and comparisons, [`run`] takes the best ones.
///
/// # Errors
/// As [`run`].
pub fn run_at(
    level: Level,
    plan: &Plan,
    inputs: &[Input<'_>],
    mut output: Output<'_>,
    scratch: &mut Scratch,
) -> Result<(), Error> {
    move_::run(level, plan, inputs, &mut output, |run| run(scratch))
}

/// Runs a plan on the threads of the current `rayon` pool.
///
/// Each nest that writes 1 MiB or more is shared out among the threads: by its outermost loop that has 4 turns for each; where no loop has, by
/// the elements of its move, or by its longest loop if that has more turns than the move has elements. Smaller ones, and strings, are moved by the calling thread. It takes part after part itself and waits for
/// no thread that has not come: where the other cores are busy, a call takes little longer than [`run`]. To wake a thread takes longer than
/// many calls: one of the pool that has helped looks for the next call for as long as it has helped, at most 100 us, and goes back to its
/// pool at the end of the call that it helps after 1 ms. Checks run before anything of their nest, on the calling thread: what is refused, and in which words,
/// does not depend on threads. Nothing is allocated but what it takes to wake threads.
///
/// ```
/// use xslice_core::{ElementType, Program, Scratch, Signature, runner};
/// let program = Program::parse("x[:, ::-1]")?;
/// let plan = program.compile(&Signature::new().operand(ElementType::I32, &[1000, 300]))?;
/// let x: Vec<i32> = (0..300_000).collect();
/// let mut y = vec![0; 300_000];
/// runner::run_parallel(&plan, &[(&x).into()], (&mut y).into(), &mut Scratch::new())?;
/// assert_eq!(y[..3], [299, 298, 297]);
/// # Ok::<(), xslice_core::Error>(())
/// ```
///
/// # Errors
/// As [`run`].
#[cfg(feature = "rayon")]
pub fn run_parallel(
    plan: &Plan,
    inputs: &[Input<'_>],
    mut output: Output<'_>,
    scratch: &mut Scratch,
) -> Result<(), Error> {
    run_parallel_on(None, plan, inputs, &mut output, |run| run(scratch))
}

/// Whether [`run_parallel`] would use more than one thread. For engines.
#[cfg(feature = "rayon")]
#[doc(hidden)]
#[must_use]
pub fn parallel_pays(plan: &Plan) -> bool {
    move_::pays(plan)
}

/// As [`run_parallel`], on temporaries that are fetched only if the plan has some; in `parts` parts, however small, where that is given.
/// For engines and tests.
///
/// # Errors
/// As [`run`].
#[cfg(feature = "rayon")]
#[doc(hidden)]
pub fn run_parallel_on(
    parts: Option<usize>,
    plan: &Plan,
    inputs: &[Input<'_>],
    output: &mut Output<'_>,
    temporaries: impl FnOnce(OnScratch<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    move_::run_parallel(parts, plan, inputs, output, temporaries)
}

/// As [`run`], of a call that is one turn of one Move. For engines.
#[doc(hidden)]
#[inline]
pub fn run_turn(turn: OneTurn<'_>) {
    move_::only_turn(turn);
}

/// The same of a Move that reads indices. `false`: the call has to be [`run`], which refuses one of them. For engines.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn run_picks(picks: Picks<'_>) -> bool {
    move_::only_picks(picks)
}

/// As [`run`], step by step, on temporaries that are fetched only if the plan has some. For engines that have looked for a turn.
///
/// # Errors
/// As [`run`].
#[doc(hidden)]
pub fn run_on(
    plan: &Plan,
    inputs: &[Input<'_>],
    output: &mut Output<'_>,
    temporaries: impl FnOnce(OnScratch<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    move_::each_step(Level::settled(), plan, inputs, output, temporaries)
}
