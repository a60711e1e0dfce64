//! Why a plan is as it is: its Moves, and the engine that `Auto` gives it.
//!
//! Nothing is decided here. The schedule says why it is no shuffle; the engine is asked of a `Jit`, as a program would ask.

use xslice::ir::{Buffer, Move, PlannedNest, Row, Schedule, Strided};
use xslice::{Engine, Jit, Plan, Program, Signature, Strategy, gains};

/// A `Jit` that is asked this often with one signature has made up its mind.
const REQUESTS: usize = 32;

/// The Move of each nest of a plan, and why no faster one does.
pub fn moves(plan: &Plan) -> Vec<String> {
    plan.nests().map(|nest| one_move(plan, nest)).collect()
}

fn one_move(plan: &Plan, planned: &PlannedNest) -> String {
    let nest = planned.nest();
    let Some(schedule) = planned.schedule() else {
        return "clone: strings have no fixed bytes to move".into();
    };
    let no_shuffle = match Schedule::no_shuffle(nest, plan.constants()) {
        Some(reason) => format!("no shuffle: {reason}"),
        None => String::new(),
    };
    match schedule.inner() {
        Move::Copy { .. } if schedule.extents().is_empty() => {
            "copy: one contiguous run, nothing is faster".into()
        }
        Move::Copy { .. } => {
            format!("copy: a run for each turn, whose place is read from several tables; {no_shuffle}")
        }
        Move::Strided(Strided { count, bytes, .. }) => {
            let gaps = "no copy: their neighbours in the result are none in the source";
            format!("strided: {count} runs of {bytes} bytes; {gaps}; {no_shuffle}")
        }
        Move::Shuffle(_) => {
            "shuffle: the pattern repeats, and whole vectors are loaded, permuted and stored where few loads make one; no copy: neighbours in the result are none in the source"
                .into()
        }
        Move::Lookup(rows) => {
            let bytes = rows.bytes;
            let place = match rows.lookup.table {
                Buffer::Constant(_) => "constants in no arithmetic progression say",
                Buffer::Operand(_) | Buffer::Scratch(_) => "an index at run time says",
            };
            let shared = match schedule.repeats_lookups() {
                true => ", the same for every turn of the innermost loop: once for all is enough",
                false => "",
            };
            match rows.row {
                Row::Run => format!(
                    "lookup: {place} where each run of {bytes} bytes is{shared}; {no_shuffle}"
                ),
                Row::Periods(_) => format!(
                    "lookup: {place} where each row is, and a pattern which {bytes} bytes it gives; whole vectors are loaded, permuted \
                     and stored"
                ),
            }
        }
        Move::Fill(_) => "fill: values are computed, nothing is read".into(),
    }
}

/// How many times the bytes of the runs memory reads at most: it gives whole lines.
pub fn lines_read(planned: &PlannedNest) -> f64 {
    const LINE: u64 = 64;
    let ratio = |bytes: usize, distance: u64| {
        let bytes = bytes.max(1) as u64;
        let lines = bytes.next_multiple_of(LINE);
        (distance.clamp(bytes, lines) as f64 / bytes as f64).max(1.0)
    };
    match planned.schedule().map(Schedule::inner) {
        Some(Move::Strided(rows)) => ratio(rows.bytes, rows.src_stride.unsigned_abs()),
        Some(Move::Shuffle(periods)) => {
            let pattern = periods.shuffle.pattern();
            ratio(
                pattern.period(),
                u64::from(pattern.src_stride().unsigned_abs()),
            )
        }
        Some(Move::Lookup(rows)) => ratio(rows.bytes, rows.lookup.scale.unsigned_abs()),
        Some(Move::Copy { .. } | Move::Fill(_)) | None => 1.0,
    }
}

/// What `Strategy::Auto` runs, and when.
///
/// # Errors
/// As [`Jit::compile`].
pub fn auto(
    program: &Program,
    signature: &Signature,
    plan: &Plan,
) -> Result<String, xslice::Error> {
    let jit = Jit::new();
    if jit.strategy() != Strategy::Auto {
        return Ok("runner: machine code is switched off".into());
    }
    for request in 1..=REQUESTS {
        let kernel = jit.compile(program, signature)?;
        if let Some(reason) = kernel.declined() {
            return Ok(format!("runner always: {reason}"));
        }
        let engine = kernel.engine();
        if engine != Engine::Runner {
            let why = if gains(plan) {
                ", keyed where numbers vary: its runs are short, and loops over them cost less as machine code"
            } else {
                ": it is small, and its vectors in place cost less than a call of the precompiled move"
            };
            return Ok(format!(
                "runner at once; {engine} from request {request} of the same{why}"
            ));
        }
    }
    Ok(format!("runner always: {}", no_gain(plan)))
}

fn no_gain(plan: &Plan) -> &'static str {
    let first = plan.nests().find_map(PlannedNest::schedule);
    match first.map(Schedule::inner) {
        None => "there is nothing to move",
        Some(Move::Lookup(_)) if first.is_some_and(Schedule::repeats_lookups) => {
            "turns share their indices, which the precompiled move looks up once"
        }
        Some(Move::Copy { .. }) => "copying is all there is to do, and it copies as fast",
        Some(Move::Shuffle(_)) => "its shuffle is the one that machine code would call",
        Some(Move::Strided(_) | Move::Lookup(_) | Move::Fill(_)) => {
            "a turn moves much, and the precompiled moves are as fast"
        }
    }
}
