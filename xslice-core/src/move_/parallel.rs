//! One nest on many threads.
//!
//! Checks run before, on the calling thread and in the order of the plan; where a move tests its indices itself and some part meets a bad
//! one, the check runs after it: so a call is refused as it is on one thread. A schedule is cut into parts ([`part`](super::part)), a few
//! for each thread, and every thread, the calling one first, takes the next part that nobody has. A thread that comes late finds less to
//! do, and nobody waits for one that has not come ([`team`](super::team)): so a call takes little longer than on one thread even where all
//! others are busy. Parts write different bytes, and none is written outside the range that a Move was given. Nests follow each other: the
//! next one begins when every part is done.

use super::part::{Part, Split};
use super::{nest, scheduled, team, tested_by_move};
use crate::error::Error;
use crate::level::Level;
use crate::nest::schedule::Schedule;
use crate::operand::{Input, Output};
use crate::plan::{Plan, PlannedNest, Step};
use crate::sources::Sources;
use crate::steps::{self, OnScratch};
use core::error::Error as _;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::panic::catch_unwind;
use std::sync::OnceLock;

/// A nest that writes fewer bytes is often over before another thread has begun: on two processors results of 256 to 768 KiB took 0.7 to 1.15
/// times as long as on one in calls that follow each other, and 1.3 to 3.5 times where the other thread had gone to sleep.
const LEAST_BYTES: usize = 1 << 20;

/// At least this many parts for each thread, so that the last ones end at about the same time.
const PARTS: usize = 4;

/// Longer parts are cut where loops admit it: a thread that is held up holds up that many bytes.
const LONGEST_PART: usize = 256 << 10;

/// Whether some nest of a plan would be shared out.
pub(crate) fn pays(plan: &Plan) -> bool {
    let large = |step: &Step| match step {
        Step::Nest(planned) => planned.schedule().is_some_and(is_large),
        Step::Check(_) => false,
    };
    plan.steps().iter().any(large) && threads() > 1
}

/// The threads of the current pool. One, where the system starts none for that of all the process: to ask for it then panics.
fn threads() -> usize {
    static HAS_POOL: OnceLock<bool> = OnceLock::new();
    let start = || match rayon::ThreadPoolBuilder::new().build_global() {
        Ok(()) => true,
        // Without a cause it says that the pool was asked for before, not whether it could be had.
        Err(error) => error.source().is_none() && catch_unwind(rayon::current_num_threads).is_ok(),
    };
    let is_in_pool = rayon::current_thread_index().is_some();
    match is_in_pool || *HAS_POOL.get_or_init(start) {
        true => rayon::current_num_threads(),
        false => 1,
    }
}

fn is_large(schedule: &Schedule) -> bool {
    schedule.bytes() >= LEAST_BYTES
}

/// Runs a plan on the threads of the current pool; each nest in `parts` parts, however small, if that is given.
pub(crate) fn run_parallel(
    parts: Option<usize>,
    plan: &Plan,
    inputs: &[Input<'_>],
    output: &mut Output<'_>,
    temporaries: impl FnOnce(OnScratch<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let level = Level::best();
    let threads = threads();
    let run = |_: usize, planned: &PlannedNest, sources: &Sources<'_>, output: &mut Output<'_>| {
        let least =
            |all: &Schedule| parts.or((threads > 1 && is_large(all)).then_some(threads * PARTS));
        let shared = planned.schedule().and_then(|all| Some((all, least(all)?)));
        let Some((schedule, least)) = shared else {
            // SAFETY: `steps` calls this for nests of an admitted call, each when its checks have passed, but for what its move checks.
            return unsafe { nest(level, planned, sources, output) };
        };
        let (split, pieces) = Split::of(schedule, least);
        let parts = parts.unwrap_or(least.max(schedule.bytes() / LONGEST_PART));
        let all = Shared {
            level,
            schedule,
            sources,
            dst: Destination(output.as_mut_ptr()),
            split,
            pieces,
            parts: parts.min(pieces).max(1),
            next: AtomicUsize::new(0),
            passed: AtomicBool::new(true),
        };
        // SAFETY: as above; `output` and the sources live until `run` returns.
        unsafe { team::run(&all, threads.min(all.parts) - 1) };
        all.passed.into_inner()
    };
    steps::steps(plan, inputs, output, temporaries, tested_by_move, run)
}

/// The start of a result that threads write different parts of.
#[derive(Clone, Copy)]
struct Destination(*mut u8);

// SAFETY: no two parts of a schedule write the same byte (I4), and nobody else has the result while they run: it is exclusively
// borrowed (I5).
unsafe impl Send for Destination {}
// SAFETY: as above.
unsafe impl Sync for Destination {}

/// A schedule that is shared out.
pub(super) struct Shared<'a> {
    level: Level,
    schedule: &'a Schedule,
    sources: &'a Sources<'a>,
    dst: Destination,
    split: Split,
    pieces: usize,
    parts: usize,
    /// The first part that nobody has taken.
    next: AtomicUsize,
    /// No part has met an index outside its axis.
    passed: AtomicBool,
}

impl Shared<'_> {
    /// Takes parts as long as there are some.
    ///
    /// # Safety
    /// The schedule is one of the plan of `sources`; sources and destination have the lengths that the plan names, and its checks have
    /// passed, but for that of the indices that its move reads.
    pub(super) unsafe fn run(&self) {
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            if at >= self.parts {
                return;
            }
            let range = self.begin(at)..self.begin(at + 1);
            let part = Part::new(self.schedule, self.split, range);
            // SAFETY: by the contract of this function. The part is one of this schedule, and `next` gives it to nobody else.
            let passed = unsafe {
                scheduled(
                    self.level,
                    self.schedule,
                    self.sources,
                    self.dst.0,
                    Some(&part),
                )
            };
            if !passed {
                self.passed.store(false, Ordering::Relaxed);
            }
        }
    }

    /// The first piece of part `at`. Parts of elements meet where lines of the cache do, as far as the result begins at one.
    fn begin(&self, at: usize) -> usize {
        let first = (self.pieces as u128 * at as u128 / self.parts as u128) as usize;
        match self.split {
            Split::Elements if at < self.parts && self.pieces / self.parts >= 1024 => {
                first / 64 * 64
            }
            Split::Elements | Split::Loop(_) => first,
        }
    }
}

#[cfg(test)]
mod tests;
