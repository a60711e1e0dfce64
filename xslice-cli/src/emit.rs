//! `xslice emit`: a model or a text as Rust.
//!
//! The functions are those of the macro, from the same emitter. Decided here: what stands around them in a file of its own (names,
//! documentation, shapes), and what a function for fixed shapes cannot be.

mod layout;
mod names;

use crate::cli::print;
use crate::error::{Error, Result};
use crate::files::{self, Staged};
use crate::import::{Model, ModelOutput};
use crate::request::{self, Request};
use names::Names;
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use xslice::Plan;
use xslice::emit::{Destination, Function, STACK};

const HELP: &str = "\
Examples:
  xslice emit '<f32[2, 3, 4]> x[1:, :, ::-1]'                  a function `run` on standard output
  xslice emit '<f32[30522, 768], ids: i64[8, 128]> table[@ids, :384]' -o src/embed.rs
  xslice emit focus.onnx --shape images=1,3,640,640 -o src/focus.rs   a function for each output

The file needs the crate `xslice`, with its feature `macros` (a default one), and nothing else. Beside each function stands its shape:

  mod embed;
  embed::run(&table, &ids, &mut rows)?;                        arrays, whose lengths the types say
  assert_eq!(embed::run::SHAPE, [8, 128, 384]);

Shapes are fixed when the file is written: a text needs its `<...>`, and no operand may decide a shape by its value.";

/// The crate, whatever the names in the file are.
const ROOT: &str = "::xslice";

/// What a strict reader would not like in generated text.
const ALLOW: &str = "\
#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::restriction,
    dead_code,
    unreachable_pub,
    unused_assignments,
    unused_mut,
    unused_qualifications,
    unused_variables,
    reason = \"generated\"
)]
";

/// Arguments of `xslice emit`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    #[command(flatten)]
    what: request::What,

    /// Where to write the file; without it, or with `-`, it is printed
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode> {
    let name = match args.what.model_file() {
        Some(path) => path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned()),
        None => None,
    };
    let text = args
        .what
        .open(None, |request| file(request, name.as_deref()))?;
    match &args.output {
        Some(path) if !files::is_standard_output(path) => {
            let mut staged = Staged::default();
            staged.write_text(path, ("Rust", "rs"), text)?;
            staged.publish(|| print(out, format!("{}\n", path.display())))?;
        }
        Some(_) | None => print(out, text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The whole file; `source` is the model's, `None` for a text.
fn file(request: &Request<'_>, source: Option<&str>) -> Result<String> {
    let mut text = match source {
        Some(source) => format!("//! The outputs of `{}`", quoted(source)),
        None => String::from("//! A program of xslice"),
    };
    text.push_str(
        " for fixed shapes, as `xslice emit` writes it.\n\
         //! It needs the crate `xslice` only, with the feature `macros`, which is a default one.\n\n",
    );
    text.push_str(ALLOW);
    let mut names = Names::default();
    for output in &request.model.outputs {
        let name = match source {
            Some(_) => names.give(&output.name, "output"),
            None => String::from("run"),
        };
        let within = |error: Error| match source {
            Some(_) => error.within("output", &output.name),
            None => error,
        };
        let (_, plan) = request.compile_with(output, STACK)?;
        text.push('\n');
        text.push_str(&item(request, output, &plan, &name).map_err(within)?);
    }
    Ok(text)
}

/// A function, and the module with its shape.
fn item(request: &Request<'_>, output: &ModelOutput, plan: &Plan, name: &str) -> Result<String> {
    let model = request.model;
    let function = function(model, plan, &format!("pub fn {name}"))?;
    let (ty, shape) = (plan.element_type(), plan.shape());
    let mut text = format!(
        "/// `{}`: {ty} {shape:?}, from\n///\n",
        quoted(&output.name)
    );
    for (input, known) in model.inputs.iter().zip(&request.operands) {
        let (ty, shape) = known.type_and_shape();
        let _ = writeln!(text, "/// - `{}`: {ty} {shape:?}", quoted(&input.name));
    }
    if model.inputs.is_empty() {
        text.push_str("/// nothing\n");
    }
    text.push_str("///\n/// ```text\n");
    for line in output.program.to_string().trim_end().lines() {
        let _ = writeln!(text, "/// {}", quoted(line));
    }
    text.push_str("/// ```\n");
    if is_fallible(plan) {
        text.push_str(
            "///\n/// # Errors\n/// An index outside its axis; then `dst` may hold anything.\n",
        );
    }
    text.push_str(&function);
    let _ = write!(
        text,
        "\n/// About the function of this name.\npub mod {name} {{\n    /// The shape of its result.\n    \
         pub const SHAPE: [usize; {}] = {shape:?};\n}}\n",
        shape.len()
    );
    Ok(text)
}

fn is_fallible(plan: &Plan) -> bool {
    plan.checks().next().is_some()
}

/// The function of a plan over the inputs of a model, formatted; `head` is such as `pub fn run`.
///
/// # Errors
/// Temporaries and constants too large for a function.
pub fn function(model: &Model, plan: &Plan, head: &str) -> Result<String> {
    let mut names = Names::default();
    let parameters: Vec<_> = model
        .inputs
        .iter()
        .map(|input| names.give(&input.name, "input"))
        .collect();
    let parameters: Vec<_> = parameters.iter().map(String::as_str).collect();
    let wanted = Function {
        head,
        root: ROOT,
        parameters: &parameters,
        variables: "",
        destination: Destination::Parameter,
        fallible: is_fallible(plan),
    };
    Ok(layout::lay_out(&xslice::emit::function(plan, &wanted)?))
}

/// A foreign name on a line of documentation.
fn quoted(text: &str) -> String {
    let printable = |char: char| match char {
        ' '..='~' if char != '`' => char.to_string(),
        _ if char.is_alphanumeric() => char.to_string(),
        _ => char.escape_unicode().to_string(),
    };
    text.chars().map(printable).collect()
}
