//! `xslice run`: executes a model.
//!
//! Nothing is written before every output is computed; then all files appear, or none.

use crate::call::{Call, read_inputs};
use crate::cli::{Common, EngineName, print};
use crate::error::{Fault, Result};
use crate::files::{self, Staged};
use crate::import;
use crate::table;
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use xslice::{ElementType, Tensor};

const HELP: &str = "\
Examples:
  xslice run focus.onnx --input images=images.npy
  xslice run embed.onnx --input ids=ids.npy --output-dir out        writes out/NAME.npy for every output
  xslice run trim.onnx --input cache=c.npy --input start=start.pb --engine jit
  xslice run crop.xml --input image=image.npy                       reads crop.bin too

Tensors are .npy files or ONNX TensorProto (.pb) files. bf16 lies in .npy as its 16-bit patterns (u2, and V2
as numpy.save writes it, is read); strings need .pb. An input that contradicts a static type or shape of the model is refused.";

/// Arguments of `xslice run`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The model: .onnx, or .xml with .bin beside it
    model: PathBuf,

    /// The value of an input
    #[arg(long = "input", short, value_name = "NAME=FILE")]
    inputs: Vec<String>,

    /// Where to write each output as NAME.npy (strings: NAME.pb); without it, a table is printed
    #[arg(long, short, value_name = "DIR")]
    output_dir: Option<PathBuf>,

    /// What runs the model
    #[arg(long, value_enum, default_value_t = EngineName::Runner)]
    engine: EngineName,

    #[command(flatten)]
    common: Common,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<ExitCode> {
    let model = import::load(&args.model, &args.common.options())?;
    let values = read_inputs(&model, &args.inputs, args.common.max_bytes())
        .map_err(|error| error.at(&args.model))?;
    let call = Call::bind(&model, values, args.common.max_bytes())
        .map_err(|error| error.at(&args.model))?;
    let tensors = call
        .run_outputs(&mut args.engine.engine(), &model)
        .map_err(|(output, error)| model.refusal(output, error).at(&args.model))?;
    let names = model.outputs.iter().map(|output| output.name.clone());
    let results: Vec<_> = names.zip(tensors).collect();
    match &args.output_dir {
        Some(folder) => write_outputs(folder, &results, out)?,
        None => print(out, table::of(&results))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn write_outputs(folder: &Path, results: &[(String, Tensor)], out: &mut dyn Write) -> Result<()> {
    if folder.exists() && !folder.is_dir() {
        let what = "cannot write into it: a file is in the way, and --output-dir names a directory";
        return Err(Fault::File(what.into()).at(folder));
    }
    let mut staged = Staged::default();
    staged.make_folder(folder)?;
    let mut taken = HashSet::new();
    let mut lines = String::new();
    for (name, tensor) in results {
        let extension = if tensor.element_type() == ElementType::String {
            "pb"
        } else {
            "npy"
        };
        let safe = files::safe_name(name);
        let mut file = format!("{safe}.{extension}");
        let mut copy = 2;
        // Different names may have the same safe form, or differ in case alone.
        while !taken.insert(file.to_lowercase()) {
            file = format!("{safe}_{copy}.{extension}");
            copy += 1;
        }
        let path = folder.join(file);
        lines += &staged.write_tensor(&path, name, tensor)?;
    }
    staged.publish(|| print(out, lines))
}
