//! `xslice index`: the notation on tensor files.
//!
//! The text names operands, the command line gives each a file: the first positional file is the first operand, `--index` gives the
//! others. Types and shapes come from the files; a text with types of its own (`<...>`) must agree with them.

use crate::call::{Call, Values};
use crate::cli::{Common, EngineName, list_names, print};
use crate::error::{Error, Result};
use crate::files::Staged;
use crate::table;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use xslice::{Program, Tensor};

const HELP: &str = "\
Examples:
  xslice index 'x[:, ::-1, 0:3]' in.npy -o out.npy
  xslice index 'x[..., newaxis, 2]' in.npy                               without -o, a table is printed
  xslice index 'table[@ids, :384]' table.npy --index ids=ids.npy -o y.npy
  xslice index 'x[:, 16:240][:, :, ::-1]' image.npy -o crop.npy          a chain is one pass over memory
  xslice index 'x[:, ::-1, 0:3]' in.png -o mirrored.png                  an image is [height, width, channels]
  xslice index 'x |> onnx::Slice@13(starts = [0], ends = [3])' in.npy -o out.npy

Brackets follow NumPy; `@name` gathers by a tensor of i32 or i64. Strings are read and written as .pb files.
A .png is u8 or u16, [height, width] where it is gray; palettes are expanded.";

/// Arguments of `xslice index`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// Which elements, in the notation
    text: String,

    /// The value of the first operand, .npy, .pb or .png
    file: Option<PathBuf>,

    /// The value of another operand
    #[arg(long = "index", value_name = "NAME=FILE")]
    indices: Vec<String>,

    /// Where to write the result, .npy, .pb or .png; without it, a table is printed
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// What runs it
    #[arg(long, value_enum, default_value_t = EngineName::Runner)]
    engine: EngineName,

    #[command(flatten)]
    common: Common,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode> {
    if Path::new(&args.text).is_file() {
        let what = format!(
            "`{}` is a file; the text comes first: xslice index 'x[1:]' FILE",
            args.text
        );
        return Err(Error::argument(what));
    }
    let program = args.common.parse(&args.text)?;
    let call = Call::new(read_operands(&program, args)?, args.common.max_bytes());
    let result = call.run(&mut args.engine.engine(), &program)?;
    match &args.output {
        None => print(out, table::of(&[("result".into(), result)]))?,
        Some(path) => {
            let mut staged = Staged::default();
            let line = staged.write_tensor(path, "", &result)?;
            staged.publish(|| print(out, line))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn read_operands(program: &Program, args: &Args) -> Result<Vec<Arc<Tensor>>> {
    let operands = program.operands();
    let max_bytes = args.common.max_bytes();
    let names = operands.iter().map(|operand| operand.name.as_str());
    let names: Vec<_> = names.collect();
    let declared = operands.iter().map(|operand| operand.declared.as_ref());
    let types = declared.map(|declared| declared.map(|declared| declared.element_type));
    let mut values = Values {
        option: "--index",
        names: list_names(names.iter().copied()),
        types: types.collect(),
        values: vec![None; operands.len()],
    };
    if let Some(path) = &args.file {
        if operands.is_empty() {
            let what = format!("{} is given, but the text has no operand", path.display());
            return Err(Error::argument(what));
        }
        values.read_from(0, path, max_bytes)?;
    }
    for text in &args.indices {
        let find = |name: &str| names.iter().position(|known| *known == name);
        values.read(text, find, max_bytes)?;
    }
    let missing = |at: usize| {
        let name = names[at];
        let advice = if at == 0 {
            "name its file after the text".into()
        } else {
            format!("give it with --index {name}=FILE")
        };
        Error::argument(format!("operand `{name}` has no value; {advice}"))
    };
    let values = values.values.into_iter().enumerate();
    values
        .map(|(at, value)| value.ok_or_else(|| missing(at)))
        .collect()
}
