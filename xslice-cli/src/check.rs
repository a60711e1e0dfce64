//! `xslice check`: runs and compares every test directory.
//!
//! Decided here: what is printed and counted. Which directories are tests is in `walk`, what one holds in `case`, when one passes
//! in `judge`, when two tensors are the same in `compare`. Directories are taken in the order of their names, each model is read once
//! for all engines, and a directory counts once: it passes when it passes on every engine asked for.

mod case;
mod compare;
mod judge;
mod walk;

use crate::cli::{Common, print, progress};
use crate::engine::{Engine, Kind};
use crate::error::{Error, Result};
use crate::guard;
use crate::import::Options;
use clap::ValueEnum;
use judge::Verdict;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use xslice::{Program, Signature, breaks_line};

const HELP: &str = "\
Examples:
  xslice check tests/                          one test directory or a tree of them
  xslice check --engine all examples/models    interpreter, runner, and both kinds of machine code
  xslice check --dialect onnxruntime tests/

A test directory is one of
  model.onnx   test_data_set_N/input_N.pb   test_data_set_N/output_N.pb
  model.xml    model.bin   input_N.npy      output_N.npy
(with either model, tensors in either place and format) or has expect_error.txt instead of outputs: then an operator's rule must refuse it, with the kind that a
first line `kind=NAME` names (such as kind=step-zero or kind=E201). Elements are compared bit by bit; floats
that a Range computes may differ by 1e-3 of their value.

A line for each failure, then `declined: N`: how often machine code was asked for and the runner took over.
Models with an operator outside the scope are skipped; standard error names it. Exit code 0 only if none failed.";

/// Arguments of `xslice check`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// Where to look for test directories
    #[arg(required = true, value_name = "DIR")]
    roots: Vec<PathBuf>,

    /// What runs the models
    #[arg(long, value_enum, default_value_t = EngineNames::Runner)]
    engine: EngineNames,

    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum EngineNames {
    /// The reference, element by element
    #[value(name = Kind::Interp.name())]
    Interp,
    /// Precompiled moves, nothing to compile
    #[value(name = Kind::Runner.name())]
    Runner,
    /// Machine code, with numbers as arguments and as constants
    Jit,
    /// All of them; every one must give the same
    All,
}

impl EngineNames {
    fn engines(self) -> Vec<Engine> {
        let kinds: &[Kind] = match self {
            Self::Interp => &[Kind::Interp],
            Self::Runner => &[Kind::Runner],
            Self::Jit => &[Kind::Keyed, Kind::Baked],
            Self::All => &Kind::ALL,
        };
        kinds.iter().map(|&kind| Engine::new(kind)).collect()
    }
}

/// How many directories had each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Everything was as expected.
    pub passed: usize,
    /// Something was not.
    pub failed: usize,
    /// The model holds an operator outside the scope.
    pub skipped: usize,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode> {
    let directories = walk::test_directories(&args.roots)?;
    if directories.is_empty() {
        let roots: Vec<_> = args.roots.iter().map(|r| r.display().to_string()).collect();
        let what = format!(
            "no test directory below {}: a model.onnx or model.xml, with its test data",
            roots.join(", ")
        );
        return Err(Error::argument(what));
    }
    let mut engines = args.engine.engines();
    let options = args.common.options();
    let progress = progress(directories.len(), "{eta}");
    let mut counts = Counts::default();
    for directory in &directories {
        let judged = guard::quietly(|| judge::directory(directory, &mut engines, &options));
        match judged.unwrap_or_else(|panic| Verdict::Failed(format!("panic: {panic}"))) {
            Verdict::Passed => counts.passed += 1,
            Verdict::Skipped(why) => {
                counts.skipped += 1;
                let line = one_line("SKIP", directory, &why);
                progress.suspend(|| print(&mut io::stderr(), line))?;
            }
            Verdict::Failed(why) => {
                counts.failed += 1;
                let line = one_line("FAIL", directory, &why);
                progress.suspend(|| print(out, line))?;
            }
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    summary(&engines, counts, out)?;
    Ok(if counts.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What became of a directory, whatever its name and its files hold.
fn one_line(verdict: &str, directory: &Path, why: &str) -> String {
    let printable = |c: char| if breaks_line(c) { ' ' } else { c };
    let line = format!("{verdict} {}: {why}", directory.display());
    let line: String = line.chars().map(printable).collect();
    line + "\n"
}

/// Every request that the complete test directories below `roots` make, for measuring.
///
/// # Errors
/// A root that is not there.
pub fn requests(roots: &[PathBuf], options: &Options) -> Result<Vec<(Program, Signature)>> {
    let directories = walk::test_directories(roots)?;
    let complete = directories
        .iter()
        .filter_map(|directory| judge::requests(directory, options).ok());
    Ok(complete.flatten().collect())
}

fn summary(engines: &[Engine], counts: Counts, out: &mut dyn Write) -> Result<()> {
    let declined = engines.iter().map(Engine::declined);
    let (strings, others) = declined.fold((0, 0), |(strings, others), declined| {
        (strings + declined.strings, others + declined.others)
    });
    if others > 0 {
        print(
            out,
            format!("declined for other reasons than strings: {others}\n"),
        )?;
    }
    print(out, format!("declined: {}\n", strings + others))?;
    let Counts {
        passed,
        failed,
        skipped,
    } = counts;
    print(
        out,
        format!("{passed} passed, {failed} failed, {skipped} skipped\n"),
    )
}
