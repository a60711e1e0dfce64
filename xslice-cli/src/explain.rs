//! `xslice explain`: what a model or a text compiles to.
//!
//! Prints the stages between a program and its engines, in the one text form that they have in documentation, tests and bug reports;
//! then a verdict and the bytes, which say how far from the least possible work the plan is.

mod survey;

use crate::cli::print;
use crate::emit;
use crate::error::{Error, Fault, Result};
use crate::files;
use crate::import::{Model, ModelOutput};
use crate::request::{self, Known, Request};
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use survey::survey;
use xslice::{Engine, Move, Plan, PlannedNest, Source, Step, View};

const HELP: &str = "\
Examples:
  xslice explain '<f32[2, 3, 4]> x[1:, :, ::-1]'
  xslice explain '<f32[30522, 768], ids: i64[8, 128]> table[@ids, :384]'
  xslice explain focus.onnx --shape images=1,3,640,640         dimensions that the model leaves open
  xslice explain trim.onnx --shape cache=1,32,512,128 --input start=start.npy
  xslice explain '<u8[4, 4]> x[::-1]' --code                   Rust, CLIF and assembly too
  xslice explain yolo.onnx                                     of a network with other operators: its parts that move data

A text needs its `<...>`. Operands whose values decide shapes need those values.";

/// Arguments of `xslice explain`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    #[command(flatten)]
    what: request::What,

    /// The value of an input
    #[arg(long = "input", short, value_name = "NAME=FILE")]
    inputs: Vec<String>,

    /// Also prints the Rust, the code generator's intermediate form and the machine code
    #[arg(long)]
    code: bool,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode> {
    let text = args
        .what
        .open(&args.inputs, |request| explain(request, args.code));
    let text = match (text, args.what.model_file()) {
        (Err(error), Some(path)) if is_network(&error, &path) => {
            survey(&args.what, &args.inputs, args.code, &path).map_err(|error| error.at(&path))?
        }
        (text, _) => text?,
    };
    print(out, text)?;
    Ok(ExitCode::SUCCESS)
}

/// Whether a model was refused for holding more than xslice compiles.
fn is_network(error: &Error, path: &Path) -> bool {
    let is_outside = matches!(error.fault(), Fault::OutsideScope { .. });
    is_outside && files::extension(path).as_deref() == Some("onnx")
}

fn explain(request: &Request<'_>, with_code: bool) -> Result<String> {
    let mut text = String::new();
    for output in &request.model.outputs {
        let signature = request.signature(&output.program)?;
        let plan = output.program.compile(&signature)?;
        let view = output.program.view(&signature)?;
        describe(&mut text, request, output, &plan, view.as_ref());
        if with_code {
            rust(&mut text, request.model, &plan);
            code(&mut text, &plan);
        }
    }
    Ok(text)
}

fn describe(
    text: &mut String,
    request: &Request<'_>,
    output: &ModelOutput,
    plan: &Plan,
    view: Option<&View>,
) {
    let Request {
        model, operands, ..
    } = request;
    if !text.is_empty() {
        text.push('\n');
    }
    for (input, operand) in model.inputs.iter().zip(operands) {
        let name = input.name.escape_debug();
        let line = match operand {
            Known::Value(tensor) => {
                format!(
                    "{} {:?}, value given",
                    tensor.element_type(),
                    tensor.shape()
                )
            }
            Known::Type(declared, shape) => format!("{} {shape:?}", declared.element_type),
        };
        line_of(text, "operand", &format!("{name}: {line}"));
    }
    let program = output.program.to_string();
    line_of(text, "program", program.trim_end());
    let (ty, shape) = (plan.element_type(), plan.shape());
    line_of(
        text,
        "result",
        &format!("{}: {ty} {shape:?}", output.name.escape_debug()),
    );
    for line in plan.to_string().lines() {
        let _ = writeln!(text, "  {line}");
    }
    line_of(text, "verdict", &verdict(model, plan, view));
    line_of(text, "bytes", &bytes(plan));
}

fn line_of(text: &mut String, name: &str, line: &str) {
    let _ = writeln!(text, "{name:8} {line}");
}

fn nests(plan: &Plan) -> Vec<&PlannedNest> {
    let steps = plan.steps().iter();
    steps
        .filter_map(|step| match step {
            Step::Nest(nest) => Some(&**nest),
            Step::Check(_) => None,
        })
        .collect()
}

/// What kind of work it is, in a few words.
fn verdict(model: &Model, plan: &Plan, view: Option<&View>) -> String {
    let nests = nests(plan);
    let work = match nests[..] {
        [] => "nothing to move".into(),
        [nest] => match nest.schedule() {
            None => "strings, by clone".into(),
            Some(schedule) => {
                let turns: usize = schedule.extents().iter().product();
                match schedule.inner() {
                    Move::Copy { .. } if turns == 1 => "one copy".into(),
                    Move::Copy { bytes } => format!("{turns} copies of {bytes} bytes"),
                    other => other.name().into(),
                }
            }
        },
        _ => format!("{} nests: a temporary lies between them", nests.len()),
    };
    match view {
        Some(view) => {
            let operand = model.inputs.get(view.operand);
            let operand = operand.map_or("", |input| &input.name);
            format!(
                "a view of `{}`, strides {:?}, offset {}; moved: {work}",
                operand.escape_debug(),
                view.strides,
                view.offset
            )
        }
        None => work,
    }
}

/// What the plan reads and writes, beside the size of the result.
fn bytes(plan: &Plan) -> String {
    let size = plan.element_type().size();
    let (mut read, mut written, mut indices) = (0usize, 0usize, 0usize);
    for step in plan.steps() {
        match step {
            Step::Nest(planned) => {
                let nest = planned.nest();
                let bytes = nest
                    .element_count()
                    .saturating_mul(nest.element_type().size());
                written = written.saturating_add(bytes);
                if matches!(nest.source(), Source::Buffer(_)) {
                    read = read.saturating_add(bytes);
                }
            }
            Step::Check(check) => {
                let count = check.extents().iter().product::<usize>();
                indices = indices.saturating_add(count.saturating_mul(check.index().size()));
            }
        }
    }
    let result = plan.shape().iter().product::<usize>().saturating_mul(size);
    let checked = match indices {
        0 => String::new(),
        _ => format!(", {indices} of indices checked"),
    };
    format!("{read} read, {written} written{checked}; the result takes {result}")
}

/// The function that `emit` and the macro write.
fn rust(text: &mut String, model: &Model, plan: &Plan) {
    match emit::function(model, plan, "fn run") {
        Err(error) => line_of(text, "rust", &format!("none: {error}")),
        Ok(function) => {
            line_of(text, "rust", "");
            for line in function.lines() {
                let _ = writeln!(text, "  {line}");
            }
        }
    }
}

fn code(text: &mut String, plan: &Plan) {
    for engine in [Engine::Keyed, Engine::Baked] {
        match xslice::listing(plan, engine) {
            Err(declined) => line_of(text, engine.name(), &format!("none: {declined}")),
            Ok(listings) => {
                for listing in listings {
                    line_of(text, engine.name(), "");
                    for part in [&listing.clif, &listing.assembly] {
                        for line in part.lines() {
                            let _ = writeln!(text, "  {line}");
                        }
                    }
                }
            }
        }
    }
}
