//! What more threads gain: workloads that are shared out, by the runner on the calling thread and on all of the pool, of as many threads
//! as there are processors or `RAYON_NUM_THREADS` says. Prints the minimum of each over rounds in turn: what another process takes of a
//! processor would else count as that of a thread.
//!
//! `cargo bench --features rayon --bench threads -- embed` measures the workloads with `embed` in their name; `--test` calls each once.

use std::hint::black_box;
use std::time::{Duration, Instant};
use xslice::{Error, Input, Output, Plan, Scratch, runner};
use xslice_cli::bench::data::Data;
use xslice_cli::bench::prepared::Prepared;
use xslice_cli::bench::workloads;

type Run = fn(&Plan, &[Input<'_>], Output<'_>, &mut Scratch) -> Result<(), Error>;

const WAYS: [Run; 2] = [runner::run, runner::run_parallel];

const ROUNDS: usize = 40;

/// A round takes this long, in calls that follow each other. They count by their mean.
const ROUND: Duration = Duration::from_millis(5);

/// The shortest time of a call, by each of the ways, of `rounds` rounds.
fn shortest(
    prepared: &mut Prepared,
    rounds: usize,
    round: Duration,
) -> Result<[Duration; 2], Error> {
    let plan = prepared.plan().clone();
    let (operands, output) = prepared.buffers();
    let inputs: Vec<Input<'_>> = operands.iter().map(Data::input).collect();
    let mut scratch = Scratch::new();
    let mut shortest = [Duration::MAX; 2];
    for _ in 0..rounds {
        for (run, shortest) in WAYS.iter().zip(&mut shortest) {
            let (begin, mut calls) = (Instant::now(), 0);
            while calls == 0 || begin.elapsed() < round {
                run(&plan, black_box(&inputs), output.output(), &mut scratch)?;
                calls += 1;
            }
            *shortest = begin.elapsed().div_f64(f64::from(calls)).min(*shortest);
        }
    }
    Ok(shortest)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (options, names): (Vec<_>, Vec<_>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with("--"));
    let (rounds, round) = match options.iter().any(|option| option == "--test") {
        true => (1, Duration::ZERO),
        false => (ROUNDS, ROUND),
    };
    println!(
        "{:16} {:>12} {:>12}  times as fast",
        "workload", "one", "all"
    );
    let is_wanted = |name: &str| names.iter().all(|part| name.contains(part));
    for workload in workloads::all() {
        if !is_wanted(workload.name) {
            continue;
        }
        let mut prepared = Prepared::new(workload)?;
        if runner::parallel_pays(prepared.plan()) {
            let [one, all] = shortest(&mut prepared, rounds, round)?;
            let gain = one.as_secs_f64() / all.as_secs_f64();
            println!(
                "{:16} {one:>12.1?} {all:>12.1?}  {gain:.2}",
                prepared.name()
            );
        }
    }
    Ok(())
}
