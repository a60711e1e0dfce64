//! `xslice bench`: the strategies beside each other and beside the memory limit, on this machine.
//!
//! ```text
//! workloads   what is timed, in one place
//! own         what is timed instead, where a model or a text is named
//! data        the buffers of either
//! prepared    either ready to run by every strategy
//! traffic     the bytes that it cannot avoid
//! measure     rounds and minima
//! report      the table, JSON
//! ```

pub mod data;
mod measure;
mod own;
pub mod prepared;
mod report;
mod traffic;
pub mod workloads;

pub use measure::{Peer, Row, measure};
pub use report::json;
pub use traffic::traffic;

use crate::cli::{Common, list_names, print, progress};
use crate::error::{Error, Result, too_large};
use crate::files::{self, Staged};
use crate::number::number;
use crate::request::{Request, What};
use prepared::{Prepared, Strategy};
use std::ffi::OsString;
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
  xslice bench '<u8[1080, 1920, 4]> x[:, ::-1, :3]'                  a movement of your own
  xslice bench '<f32[5000, 64], ids: i64[256]> x[@ids]' --input ids=ids.npy
  xslice bench focus.onnx --shape images=1,3,640,640                 each output of a model

A ratio of 1 is the speed of the fastest copy of as many bytes: nothing that moves them can be faster. Times of different machines
do not compare, ratios do; where the spread is far above 1, something else was running. The interpreter is timed in one round, and
only for results of up to 1 MiB.";

/// The figures for programs, and how names of such files end.
const JSON: (&str, &str) = ("JSON", "json");

/// Arguments of `xslice bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// A model (.onnx, .xml) or a text in the notation: its movements are timed, not the workloads
    #[arg(value_name = "MODEL|TEXT")]
    what: Option<OsString>,

    /// The dimensions of an input that the model leaves open, or the size of one by its own name
    #[arg(long = "shape", value_name = "NAME=1,3,640,640", requires = "what")]
    shapes: Vec<String>,

    /// The value of an input; others get random bits, and indices random ones of their axis
    #[arg(long = "input", short, value_name = "NAME=FILE", requires = "what")]
    inputs: Vec<String>,

    /// Only workloads whose names hold this
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        conflicts_with = "what"
    )]
    filter: String,

    /// Only these strategies
    #[arg(long = "strategy", value_enum, value_name = "NAME")]
    strategies: Vec<Strategy>,

    /// How often each strategy is timed; a movement has at most 3 seconds
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = parse_rounds)]
    rounds: u32,

    /// Also writes every figure to this file; with `-` they are printed instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    #[command(flatten)]
    common: Common,
}

fn parse_rounds(text: &str) -> std::result::Result<u32, &'static str> {
    let rounds = number(text).filter(|&rounds: &u32| rounds > 0);
    rounds.ok_or("a whole number from 1 on is expected")
}

/// The workloads that are wanted, and the names of those that take too much.
fn chosen(args: &Args) -> Result<(Vec<Workload>, Vec<&'static str>)> {
    let (mut chosen, mut left_out) = (Vec::new(), Vec::new());
    let mut refusal = None;
    for workload in workloads::all().filter(|workload| workload.name.contains(&args.filter)) {
        let (bytes, limit) = (workload.largest()?, args.common.max_bytes());
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

/// What is timed by: without `--strategy` all that can be.
fn strategies(args: &Args) -> Result<Vec<Strategy>> {
    let is_own = args.what.is_some();
    if is_own && args.strategies.contains(&Strategy::Macro) {
        return Err(Error::argument(
            "--strategy macro: its Rust is compiled before this runs, which is so of the workloads alone; `xslice emit` prints it",
        ));
    }
    let wanted = |strategy: &Strategy| match args.strategies[..] {
        [] => !(is_own && *strategy == Strategy::Macro),
        _ => args.strategies.contains(strategy),
    };
    Ok(Strategy::ALL.into_iter().filter(wanted).collect())
}

fn timed(mut prepared: Prepared, strategies: &[Strategy], rounds: u32) -> Result<Row> {
    let mut row = measure(&mut prepared, strategies, &mut [], rounds as usize)?;
    row.times
        .retain(|(name, _)| strategies.iter().any(|wanted| wanted.name() == *name));
    Ok(row)
}

/// The rows of the workloads.
fn of_workloads(chosen: Vec<Workload>, strategies: &[Strategy], rounds: u32) -> Result<Vec<Row>> {
    let progress = progress(chosen.len(), "{msg}");
    let rows = chosen.into_iter().map(|workload| {
        progress.set_message(workload.name);
        let row = timed(Prepared::new(workload)?, strategies, rounds);
        progress.inc(1);
        row
    });
    let rows = rows.collect();
    progress.finish_and_clear();
    rows
}

/// The rows of a model or a text: one for each output. And which are left out, and why.
fn of_request(
    args: &Args,
    request: &Request<'_>,
    strategies: &[Strategy],
) -> Result<(Vec<Row>, Vec<String>)> {
    let outputs = &request.model.outputs;
    let (mut rows, mut left_out) = (Vec::new(), Vec::new());
    let progress = progress(outputs.len(), "");
    for output in outputs {
        match own::prepared(request, output, args.common.max_bytes())? {
            Ok(prepared) => rows.push(timed(prepared, strategies, args.rounds)?),
            Err(reason) => left_out.push(format!("`{}`: {reason}", output.name.escape_debug())),
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    if rows.is_empty() {
        let all = left_out.join("; ");
        return Err(Error::argument(format!("nothing to time: {all}")));
    }
    Ok((rows, left_out))
}

/// What stands in the place of the workloads, if anything does.
fn own(args: &Args) -> Result<Option<What>> {
    let Some(what) = &args.what else {
        return Ok(None);
    };
    if let Some(Workload { name, .. }) = workloads::all().find(|workload| what == workload.name) {
        let what = format!("`{name}` is a workload: --filter {name} times it");
        return Err(Error::argument(what));
    }
    Ok(Some(What::new(what, &args.shapes, args.common)))
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode> {
    let (own, strategies) = (own(args)?, strategies(args)?);
    let (chosen, too_large) = match own {
        Some(_) => (Vec::new(), Vec::new()),
        None => chosen(args)?,
    };
    let file = args.json.as_deref();
    let file = file.filter(|path| !files::is_standard_output(path));
    if let Some(path) = file {
        // That it cannot be written is better known now than after all the work.
        Staged::default().write_text(path, JSON, String::new())?;
    }
    let (rows, left_out) = match &own {
        Some(what) => what.open(Some(&args.inputs), |request| {
            of_request(args, request, &strategies)
        })?,
        None => (of_workloads(chosen, &strategies, args.rounds)?, Vec::new()),
    };
    let mut staged = Staged::default();
    if let Some(path) = file {
        staged.write_text(path, JSON, json(&rows))?;
    }
    let printed = match (&args.json, file) {
        (Some(_), None) => json(&rows),
        _ if own.is_some() => report::of_own(&rows, &strategies, &left_out),
        _ => report::of_workloads(&rows, &strategies, &too_large),
    };
    staged.publish(|| print(out, printed))?;
    Ok(ExitCode::SUCCESS)
}
