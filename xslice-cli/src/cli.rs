//! Arguments of the commands, and what becomes of their results.
//!
//! Exit codes: 0 when all is well, 1 for any refusal (one `error:` line on standard error) and for a `check` with failures, 2 for
//! wrong usage.

use crate::engine::{Engine, Kind};
use crate::error::{Error, Fault, Result};
use crate::import::Options;
use crate::number::number;
use crate::{bench, check, emit, explain, guard, index, run};
use clap::{Args, Parser, Subcommand, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;
use xslice::{Dialect, Program};

const ABOUT: &str = "Runs and explains tensor data movement: Slice, StridedSlice, Gather, Range";

const HELP: &str = "\
Examples:
  xslice run model.onnx --input x=x.npy               what the model gives, as a table
  xslice run model.xml --input x=x.npy --output-dir out
  xslice check --engine all tests/                    every test directory, on every engine
  xslice index 'x[:, ::-1, 0:3]' in.npy -o out.npy    NumPy's brackets on a file
  xslice emit '<f32[2, 3, 4]> x[1:, :, ::-1]'         a Rust function
  xslice explain '<f32[2, 3, 4]> x[1:, :, ::-1]'      loops, moves and bytes
  xslice bench --filter embed                         how far from the limit of the memory
  xslice bench '<u8[720, 1280, 3]> x[:, ::-1]'        the same for a movement of your own

Exit code: 0; 1 with one `error:` line for anything refused; 2 for wrong usage.";

#[derive(Debug, Parser)]
#[command(name = "xslice", version, about = ABOUT, after_help = HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Executes a model: `.onnx`, or OpenVINO's `.xml` with its `.bin`
    Run(run::Args),
    /// Runs and compares every test directory below some directories
    Check(check::Args),
    /// Applies the notation to a tensor file
    Index(index::Args),
    /// Writes a model or a text as Rust
    Emit(emit::Args),
    /// Shows what a model or a text compiles to
    Explain(explain::Args),
    /// Times every strategy beside the limit of the memory
    Bench(bench::Args),
}

/// Options of every command.
#[derive(Clone, Copy, Debug, Args)]
pub struct Common {
    /// Which answers are wanted where the operator texts leave a choice: `onnxruntime` and `openvino_text` hold for every operator of a model
    /// or a text, whatever the text says; `standard` leaves a text its own
    #[arg(long, value_enum, default_value_t = DialectName::Standard)]
    dialect: DialectName,

    /// The most bytes that a file, a tensor or the results of a model may take; K, M and G multiply by 1024
    #[arg(long, value_name = "N", default_value = "8G", value_parser = parse_bytes)]
    max_bytes: u64,
}

impl Common {
    /// How to read a model.
    pub fn options(&self) -> Options {
        Options {
            dialect: self.dialect.into(),
            max_bytes: self.max_bytes(),
        }
    }

    /// The most bytes that anything may take.
    pub fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// The program of a text. A dialect of the command line goes before that of the text, but for the standard one, which is the default.
    ///
    /// # Errors
    /// Every refusal of the notation.
    pub fn parse(&self, text: &str) -> Result<Program> {
        let program = Program::parse(text)?;
        Ok(match self.dialect.into() {
            Dialect::Standard => program,
            other @ (Dialect::OnnxRuntime | Dialect::OpenVinoText) => program.in_dialect(other),
        })
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DialectName {
    /// One documented answer for each choice
    Standard,
    /// The values of ONNX Runtime
    Onnxruntime,
    /// The text of StridedSlice-1, literally
    #[value(name = "openvino_text")]
    OpenvinoText,
}

impl From<DialectName> for Dialect {
    fn from(name: DialectName) -> Self {
        match name {
            DialectName::Standard => Self::Standard,
            DialectName::Onnxruntime => Self::OnnxRuntime,
            DialectName::OpenvinoText => Self::OpenVinoText,
        }
    }
}

/// One engine.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum EngineName {
    /// The reference, element by element
    #[value(name = Kind::Interp.name())]
    Interp,
    /// Precompiled moves, nothing to compile
    #[value(name = Kind::Runner.name())]
    Runner,
    /// Machine code
    Jit,
}

impl EngineName {
    /// The engine. One call knows all numbers, so the JIT bakes them in.
    pub fn engine(self) -> Engine {
        Engine::new(match self {
            Self::Interp => Kind::Interp,
            Self::Runner => Kind::Runner,
            Self::Jit => Kind::Baked,
        })
    }
}

fn parse_bytes(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&text[..at], 10),
        Some((at, 'm' | 'M')) => (&text[..at], 20),
        Some((at, 'g' | 'G')) => (&text[..at], 30),
        _ => (text, 0),
    };
    let number = number::<u64>(digits);
    number
        .and_then(|number| number.checked_mul(1 << shift))
        .ok_or_else(|| "a number of bytes is expected, such as 1000000, 512M or 8G".into())
}

/// Runs the program with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    guard::install();
    let result = match Cli::try_parse() {
        Ok(cli) => guard::quietly(|| run_command(&cli.command)),
        Err(usage) if usage.use_stderr() => usage.exit(),
        // Help and the version.
        Err(help) => Ok(printed(help.print()).map(|()| ExitCode::SUCCESS)),
    };
    let error = match result {
        Ok(Ok(code)) => return code,
        Ok(Err(error)) => error,
        Err(panic) => Error::from(xslice::Error::internal(panic)),
    };
    let _ = writeln!(io::stderr(), "error: {error}");
    ExitCode::FAILURE
}

fn run_command(command: &Command) -> Result<ExitCode> {
    let mut out = io::stdout().lock();
    match command {
        Command::Run(args) => run::run(args, &mut out),
        Command::Check(args) => check::run(args, &mut out),
        Command::Index(args) => index::run(args, &mut out),
        Command::Emit(args) => emit::run(args, &mut out),
        Command::Explain(args) => explain::run(args, &mut out),
        Command::Bench(args) => bench::run(args, &mut out),
    }
}

/// Writes to standard output. A reader that has seen enough is no error.
///
/// # Errors
/// Any other failure to write.
pub fn print(out: &mut dyn Write, text: impl Display) -> Result<()> {
    printed(write!(out, "{text}").and_then(|()| out.flush()))
}

/// What became of writing to standard output.
fn printed(result: io::Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::from(Fault::File(
            format!("cannot write to standard output: {error}"),
        ))),
        _ => Ok(()),
    }
}

/// A bar on standard error, and only where that is a terminal; `last` is what stands after it.
pub fn progress(len: usize, last: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(len as u64), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template(&format!("{{pos}}/{{len}} [{{wide_bar}}] {last}")) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Names in a message: the first ones, where there are many.
pub fn list_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 16;
    let mut names: Vec<_> = names.take(SHOWN + 1).collect();
    if names.len() > SHOWN {
        names[SHOWN] = "...";
    }
    names.join(", ")
}

/// The parts of what an option takes, in a form such as `NAME=FILE`, and before them what `find` finds by that name. A name may hold `=`
/// itself: the longest that is known is meant.
///
/// # Errors
/// No `=`, or no known name before one.
pub fn split_assignment<'a>(
    (option, form): (&str, &str),
    text: &'a str,
    find: impl Fn(&str) -> Option<usize>,
    names: &str,
) -> Result<(usize, &'a str, &'a str)> {
    let splits = text.match_indices('=').map(|(at, _)| at);
    let mut parts = splits.map(|at| (&text[..at], &text[at + 1..]));
    let found = |(name, value): (&'a str, &'a str)| Some((find(name)?, name, value));
    if let Some(found) = parts.clone().rev().find_map(found) {
        return Ok(found);
    }
    Err(Error::argument(match parts.next() {
        Some((name, _)) => {
            let names = if names.is_empty() { "none" } else { names };
            format!("{option}: nothing is called `{name}` (allowed: {names})")
        }
        None => format!("{option}: `{text}` is not {form}"),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_printed_default_is_the_default() {
        assert_eq!(parse_bytes("8G"), Ok(files::DEFAULT_MAX_BYTES));
        assert!(parse_bytes("99999999999G").is_err());
        assert!(parse_bytes("-1").is_err());
        assert!(parse_bytes("").is_err());
        assert!(parse_bytes("+1G").is_err());
    }

    #[test]
    fn a_name_may_hold_the_sign_that_ends_it() {
        let names = ["a", "a=b"];
        let find = |name: &str| names.iter().position(|known| *known == name);
        for (text, parts) in [
            ("a=b=c=d.npy", (1, "a=b", "c=d.npy")),
            ("a=c=d.npy", (0, "a", "c=d.npy")),
            ("a=b", (0, "a", "b")),
        ] {
            let split = split_assignment(("--input", "NAME=FILE"), text, find, "");
            assert_eq!(split.unwrap(), parts);
        }
    }
}
