//! `xslice bench`: the strategies beside each other and beside the memory limit, on this machine.
//!
//! ```text
//! workloads   what is timed, in one place
//! data        its buffers
//! prepared    a workload ready to run by every strategy
//! traffic     the bytes that it cannot avoid
//! measure     rounds and minima
//! report      the table, JSON
//! ```

pub mod data;
mod measure;
pub mod prepared;
mod report;
mod traffic;
pub mod workloads;

pub use measure::{Peer, Row, measure};
pub use report::json;
pub use traffic::traffic;

use crate::cli::{Limit, list_names, print, progress};
use crate::error::{Error, Result, too_large};
use crate::files::{self, Staged};
use prepared::{Prepared, Strategy};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use workloads::Workload;

const HELP: &str = "\
Examples:
  xslice bench                                     all of it; below a minute on a quiet machine
  xslice bench --filter embed                      bert_embed, llama_embed
  xslice bench --filter rgb --strategy macro --strategy jit-baked
  xslice bench --rounds 100 --json figures.json    every figure, for programs
  xslice bench --max-bytes 64M                     without the workloads whose operands or result take more

A ratio of 1 is the speed of the fastest copy of as many bytes: nothing that moves them can be faster. Times of different machines
do not compare, ratios do; where the spread is far above 1, something else was running. The interpreter is timed in one round, and
only for results of up to 1 MiB.";

/// Arguments of `xslice bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// Only workloads whose names hold this
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    filter: String,

    /// Only these strategies
    #[arg(long = "strategy", value_enum, value_name = "NAME")]
    strategies: Vec<Strategy>,

    /// How often each strategy is timed; a workload has at most 3 seconds
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// Also writes every figure to this file; with `-` they are printed instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    #[command(flatten)]
    limit: Limit,
}

/// The workloads that are wanted, and the names of those that take too much.
fn chosen(args: &Args) -> Result<(Vec<Workload>, Vec<&'static str>)> {
    let (mut chosen, mut left_out) = (Vec::new(), Vec::new());
    let mut refusal = None;
    for workload in workloads::all().filter(|workload| workload.name.contains(&args.filter)) {
        let (bytes, limit) = (workload.largest()?, args.limit.max_bytes);
        if bytes <= limit {
            chosen.push(workload);
        } else {
            left_out.push(workload.name);
            refusal.get_or_insert(too_large(workload.name, bytes, limit));
        }
    }
    match refusal {
        _ if !chosen.is_empty() => Ok((chosen, left_out)),
        Some(refusal) => Err(refusal.into()),
        None => Err(Error::argument(format!(
            "--filter: no workload holds `{}` (allowed: {})",
            args.filter,
            list_names(workloads::all().map(|workload| workload.name))
        ))),
    }
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode> {
    let (chosen, left_out) = chosen(args)?;
    let file = args.json.as_deref();
    let file = file.filter(|path| !files::is_standard_output(path));
    if let Some(path) = file {
        // That it cannot be written is better known now than after all the work.
        Staged::default().write(path, Vec::new())?;
    }
    let wanted =
        |strategy: &Strategy| args.strategies.is_empty() || args.strategies.contains(strategy);
    let strategies: Vec<_> = Strategy::ALL.into_iter().filter(wanted).collect();
    let progress = progress(chosen.len(), "{msg}");
    let mut rows = Vec::with_capacity(chosen.len());
    for workload in chosen {
        progress.set_message(workload.name);
        let mut prepared = Prepared::new(workload)?;
        let mut row = measure(&mut prepared, &strategies, &mut [], args.rounds as usize)?;
        row.times
            .retain(|(name, _)| strategies.iter().any(|wanted| wanted.name() == *name));
        rows.push(row);
        progress.inc(1);
    }
    progress.finish_and_clear();
    let mut staged = Staged::default();
    if let Some(path) = file {
        staged.write(path, json(&rows).into_bytes())?;
    }
    let printed = match (&args.json, file) {
        (Some(_), None) => json(&rows),
        _ => report::table(&rows, &strategies, &left_out),
    };
    staged.publish(|| print(out, printed))?;
    Ok(ExitCode::SUCCESS)
}
