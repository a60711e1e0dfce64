//! `xslice explain`: what a model or a text compiles to.
//!
//! Prints the stages between a program and its engines, in the one text form that they have in documentation, tests and bug reports;
//! then a verdict and the bytes, which say how far from the least possible work the plan is.

use crate::cli::{Common, list_names, print, split_assignment};
use crate::error::{Error, Result};
use crate::files;
use crate::import::{self, Model, ModelInput, ModelOutput};
use crate::index;
use crate::run::read_inputs;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use xslice::{
    Declared, Engine, Move, Plan, PlannedNest, Program, Signature, Source, Step, Tensor, View,
};

const HELP: &str = "\
Examples:
  xslice explain '<f32[2, 3, 4]> x[1:, :, ::-1]'
  xslice explain '<f32[30522, 768], ids: i64[8, 128]> table[@ids, :384]'
  xslice explain focus.onnx --shape images=1,3,640,640         dimensions that the model leaves open
  xslice explain trim.onnx --shape cache=1,32,512,128 --input start=start.npy
  xslice explain '<u8[4, 4]> x[::-1]' --code                   CLIF and assembly too

A text needs its `<...>`. Operands whose values decide shapes need those values.";

/// Arguments of `xslice explain`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// A model (.onnx, .xml), or a text in the notation
    #[arg(value_name = "MODEL|TEXT")]
    what: String,

    /// The dimensions of an input that the model leaves open
    #[arg(long = "shape", value_name = "NAME=1,3,640,640")]
    shapes: Vec<String>,

    /// The value of an input
    #[arg(long = "input", short, value_name = "NAME=FILE")]
    inputs: Vec<String>,

    /// Also prints the code generator's intermediate form and the machine code
    #[arg(long)]
    code: bool,

    #[command(flatten)]
    common: Common,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode> {
    let path = Path::new(&args.what);
    let is_model = matches!(files::extension(path).as_deref(), Some("onnx" | "xml"));
    let (model, place) = if is_model {
        let model = import::load(path, &args.common.options())?;
        (model, Some(path.to_path_buf()))
    } else {
        let program = index::parse(&args.what, args.common.dialect())?;
        (model_of(program), None)
    };
    let text = explain(&model, args).map_err(|error| match &place {
        Some(path) => error.at(path),
        None => error,
    })?;
    print(out, text)?;
    Ok(ExitCode::SUCCESS)
}

/// A text as a model of one output.
fn model_of(program: Program) -> Model {
    let inputs = program.operands().iter().map(|operand| ModelInput {
        name: operand.name.clone(),
        aliases: Vec::new(),
        declared: operand.declared.clone(),
        initial: None,
    });
    Model {
        inputs: inputs.collect(),
        outputs: vec![ModelOutput {
            name: "result".into(),
            program,
            from_range: false,
        }],
    }
}

fn explain(model: &Model, args: &Args) -> Result<String> {
    let values = read_inputs(model, &args.inputs, args.common.max_bytes)?;
    let shapes = read_shapes(model, &args.shapes)?;
    let operands = operands(model, values, shapes)?;
    let mut text = String::new();
    for output in &model.outputs {
        let signature = signature(model, &operands, &output.program, args)?;
        let plan = output.program.compile(&signature)?;
        let view = output.program.view(&signature)?;
        describe(&mut text, model, output, &operands, &plan, view.as_ref());
        if args.code {
            code(&mut text, &plan);
        }
    }
    Ok(text)
}

/// What is known of an operand.
enum Known {
    Value(Arc<Tensor>),
    Type(Declared, Vec<usize>),
}

fn read_shapes(model: &Model, assignments: &[String]) -> Result<Vec<Option<Vec<usize>>>> {
    let names = list_names(model.inputs.iter().map(|input| input.name.as_str()));
    let mut shapes = vec![None; model.inputs.len()];
    for text in assignments {
        let find = |name: &str| model.inputs.iter().position(|input| input.is_called(name));
        let known = |name: &str| find(name).is_some();
        let (name, list) = split_assignment("--shape", text, known, &names)?;
        // The name was found a line ago.
        let Some(at) = find(name) else { continue };
        let list = list.trim().trim_start_matches('[').trim_end_matches(']');
        let dims = list.split(',').map(str::trim).filter(|dim| !dim.is_empty());
        let dims: Result<Vec<usize>, _> = dims.map(str::parse).collect();
        let dims = dims.map_err(|_| {
            Error::argument(format!(
                "--shape {name}: `{list}` is not a list of dimensions such as 1,3,640,640"
            ))
        })?;
        shapes[at] = Some(dims);
    }
    Ok(shapes)
}

fn operands(
    model: &Model,
    values: Vec<Option<Arc<Tensor>>>,
    shapes: Vec<Option<Vec<usize>>>,
) -> Result<Vec<Known>> {
    let given = model.inputs.iter().zip(values).zip(shapes);
    given
        .map(|((input, value), shape)| {
            if let Some(value) = value {
                return Ok(Known::Value(value));
            }
            let unknown = |what: &str, advice: &str| {
                let name = &input.name;
                Error::argument(format!(
                    "the {what} of `{name}` is not known here; {advice}"
                ))
            };
            let fixed = |declared: &Declared| declared.shape.clone()?.into_iter().collect();
            match (&input.declared, shape, &input.initial) {
                (_, None, Some(initial)) => Ok(Known::Value(initial.clone())),
                (Some(declared), Some(shape), _) => Ok(Known::Type(declared.clone(), shape)),
                (Some(declared), None, None) => match fixed(declared) {
                    Some(shape) => Ok(Known::Type(declared.clone(), shape)),
                    None => {
                        let advice = format!("give it with --shape {}=1,2,3", input.name);
                        Err(unknown("shape", &advice))
                    }
                },
                (None, _, _) => {
                    let advice = "give a value with --input, or write a text with its types, as in \
                                  `<f32[2, 3]> x[1:]`";
                    Err(unknown("type", advice))
                }
            }
        })
        .collect()
}

fn signature(
    model: &Model,
    operands: &[Known],
    program: &Program,
    args: &Args,
) -> Result<Signature> {
    let limit = usize::try_from(args.common.max_bytes).unwrap_or(usize::MAX);
    let mut signature = Signature::new().limit(limit);
    let inputs = model.inputs.iter().zip(operands);
    for ((input, operand), is_parameter) in inputs.zip(program.parameters()) {
        signature = match operand {
            Known::Value(value) if is_parameter => signature.value(value.clone()),
            Known::Value(value) => signature.operand(value.element_type(), value.shape()),
            Known::Type(declared, shape) if !is_parameter => {
                signature.operand(declared.element_type, shape)
            }
            Known::Type(..) => {
                let name = &input.name;
                let what = format!(
                    "the value of `{name}` decides the shape; give it with --input {name}=FILE"
                );
                return Err(Error::argument(what));
            }
        };
    }
    Ok(signature)
}

fn describe(
    text: &mut String,
    model: &Model,
    output: &ModelOutput,
    operands: &[Known],
    plan: &Plan,
    view: Option<&View>,
) {
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
