//! `xslice explain`: what a model or a text compiles to.
//!
//! Prints the stages between a program and its engines, in the one text form that they have in documentation, tests and bug reports;
//! then a verdict and the bytes, which say how far from the least possible work the plan is.

mod picture;
mod reason;
mod survey;
mod svg;

use crate::cli::print;
use crate::emit;
use crate::error::{Error, Fault, Result};
use crate::files::{self, Staged};
use crate::import::{Model, ModelOutput};
use crate::request::{self, Known, Request};
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use survey::survey;
use svg::Sheet;
use xslice::emit::STACK;
use xslice::ir::{Form, Move, Source};
use xslice::{Engine, Plan, Signature, View, element_count};

const HELP: &str = "\
Examples:
  xslice explain '<f32[2, 3, 4]> x[1:, :, ::-1]'
  xslice explain '<f32[30522, 768], ids: i64[8, 128]> table[@ids, :384]'
  xslice explain focus.onnx --shape images=1,3,640,640         dimensions that the model leaves open
  xslice explain trim.onnx --shape cache=1,32,512,128 --input start=start.npy
  xslice explain '<u8[4, 4]> x[::-1]' --code                   Rust and machine code too
  xslice explain '<u8[6, 8]> x[::2, ::-1]' --svg x.svg         a picture of what is taken
  xslice explain yolo.onnx                                     of a network: a table of its parts that move data, then each

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

    /// Also draws which elements are taken, in which order: a picture for each output; with `-` it is printed instead of the text
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Outputs that one file of pictures has at most.
const MOST_PICTURES: usize = 8;

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode> {
    let mut staged = Staged::default();
    let text = args.what.open(Some(&args.inputs), |request| {
        let outputs = explained(request)?;
        if let Some(path) = &args.svg {
            let picture = draw(request, &outputs)?;
            if files::is_standard_output(path) {
                return Ok(picture);
            }
            staged.write_text(path, ("SVG", "svg"), picture)?;
        }
        Ok(text_of(request, &outputs, args.code))
    });
    let text = match (text, args.what.model_file()) {
        (Err(error), Some(path)) if args.svg.is_none() && is_network(&error, &path) => {
            survey(&args.what, &args.inputs, args.code, &path).map_err(|error| error.at(&path))?
        }
        (text, _) => text?,
    };
    staged.publish(|| print(out, text))?;
    Ok(ExitCode::SUCCESS)
}

/// Whether a model was refused for holding more than xslice compiles.
fn is_network(error: &Error, path: &Path) -> bool {
    let is_outside = matches!(error.fault(), Fault::OutsideScope { .. });
    is_outside && files::extension(path).as_deref() == Some("onnx")
}

/// An output, and what is said about it.
struct Explained<'a> {
    output: &'a ModelOutput,
    signature: Signature,
    plan: Plan,
    map: String,
    view: Option<View>,
    /// Why the plan moves as it does, and what would run it.
    reasons: Vec<(&'static str, String)>,
}

fn explained<'a>(request: &Request<'a>) -> Result<Vec<Explained<'a>>> {
    let explained = |output: &'a ModelOutput| {
        let (signature, plan) = request.compile(output)?;
        let moves = reason::moves(&plan).into_iter();
        let mut reasons: Vec<_> = moves.map(|line| ("move", line)).collect();
        reasons.push(("auto", reason::auto(&output.program, &signature, &plan)?));
        let name = output.name.escape_debug().to_string();
        Ok(Explained {
            output,
            map: output
                .program
                .map(&signature.clone().temporaries(0), &name)?,
            view: output.program.view(&signature)?,
            plan,
            signature,
            reasons,
        })
    };
    request.model.outputs.iter().map(explained).collect()
}

fn text_of(request: &Request<'_>, outputs: &[Explained<'_>], with_code: bool) -> String {
    let mut text = String::new();
    for explained in outputs {
        describe(&mut text, request, explained);
        if with_code {
            rust(&mut text, request, explained);
            code(&mut text, &explained.plan);
        }
    }
    text
}

/// A file with a picture for each output.
fn draw(request: &Request<'_>, outputs: &[Explained<'_>]) -> Result<String> {
    if outputs.len() > MOST_PICTURES {
        let count = outputs.len();
        let what = format!(
            "{count} outputs are too many for one picture (allowed: 1..={MOST_PICTURES}); draw one of them as a text"
        );
        return Err(Error::argument(what));
    }
    let sheet = |explained: &Explained<'_>| {
        let Explained {
            output,
            signature,
            plan,
            ..
        } = explained;
        let fused = request.again(output, signature, 0)?;
        let mut captions = vec![
            ("verdict", verdict(request.model, explained)),
            ("bytes", bytes(plan)),
        ];
        captions.extend(explained.reasons.iter().cloned());
        Ok(Sheet {
            heading: output.program.to_string().trim_end().into(),
            picture: picture::picture(request, &fused, &output.name)?,
            captions,
            plan: plan.to_string(),
        })
    };
    let sheets: Result<Vec<_>> = outputs.iter().map(sheet).collect();
    Ok(svg::draw(&sheets?))
}

fn describe(text: &mut String, request: &Request<'_>, explained: &Explained<'_>) {
    let Request {
        model, operands, ..
    } = request;
    let Explained { output, plan, .. } = explained;
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
            Known::Type(ty, shape) => format!("{ty} {shape:?}"),
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
    line_of(text, "map", &explained.map);
    for line in plan.to_string().lines() {
        let _ = writeln!(text, "  {line}");
    }
    line_of(text, "verdict", &verdict(model, explained));
    line_of(text, "bytes", &bytes(plan));
    for (name, line) in &explained.reasons {
        line_of(text, name, line);
    }
}

fn line_of(text: &mut String, name: &str, line: &str) {
    let _ = writeln!(text, "{name:8} {line}");
}

/// What kind of work it is, in a few words, and the view that does without.
fn verdict(model: &Model, explained: &Explained<'_>) -> String {
    let work = work(&explained.plan);
    match &explained.view {
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

fn work(plan: &Plan) -> String {
    let nests: Vec<_> = plan.nests().collect();
    match nests[..] {
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
    }
}

/// Bytes that a plan moves.
struct Traffic {
    read: usize,
    written: usize,
    /// Of indices that are checked.
    indices: usize,
}

impl Traffic {
    fn of(plan: &Plan) -> Self {
        let mut traffic = Self {
            read: 0,
            written: 0,
            indices: 0,
        };
        for planned in plan.nests() {
            let nest = planned.nest();
            let size = nest.element_type().size();
            let bytes = nest.element_count().saturating_mul(size);
            traffic.written = traffic.written.saturating_add(bytes);
            if matches!(nest.source(), Source::Buffer(_)) {
                traffic.read = traffic.read.saturating_add(bytes);
            }
        }
        for check in plan.checks() {
            let count = element_count(check.extents()).unwrap_or(usize::MAX);
            let bytes = count.saturating_mul(check.index().size());
            traffic.indices = traffic.indices.saturating_add(bytes);
        }
        traffic
    }
}

/// What the plan reads and writes, beside the size of the result.
fn bytes(plan: &Plan) -> String {
    let Traffic {
        read,
        written,
        indices,
    } = Traffic::of(plan);
    let size = plan.element_type().size();
    let result = plan.output_len().saturating_mul(size);
    let checked = match indices {
        0 => String::new(),
        _ => format!(", {indices} of indices checked"),
    };
    // The least that a program that copies can do: read each element once, write it once.
    let reads = if read > 0 { 2 } else { 1 };
    let ratio = match result {
        0 => 1.0,
        _ => (read + written) as f64 / (reads * result) as f64,
    };
    let lines = plan.nests().map(reason::lines_read);
    let lines = match lines.fold(1.0, f64::max) {
        ..1.05 => String::new(),
        lines => format!("; in lines of 64 bytes up to {lines:.1} times as much is read"),
    };
    format!(
        "{read} read, {written} written{checked}; the result takes {result}: {ratio:.2} times what is needed{lines}"
    )
}

/// The function that `emit` and the macro write.
fn rust(text: &mut String, request: &Request<'_>, explained: &Explained<'_>) {
    let plan = request.again(explained.output, &explained.signature, STACK);
    match plan.and_then(|plan| emit::function(request.model, &plan, "fn run")) {
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
    for form in [Form::Keyed, Form::Baked] {
        let name = Engine::from(form).name();
        match xslice::ir::listing(plan, form) {
            Err(declined) => line_of(text, name, &format!("none: {declined}")),
            Ok(listings) => {
                for listing in listings {
                    line_of(text, name, "");
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
