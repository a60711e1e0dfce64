//! `xslice run`: executes a model.
//!
//! Nothing is written before every output is computed; then all files appear, or none.

use crate::call::Call;
use crate::cli::{Common, EngineName, list_names, print, split_assignment};
use crate::error::{Error, Fault, Result};
use crate::files::{self, Staged};
use crate::import::{self, Model};
use crate::table;
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
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

/// The values that `--input` gives, by input.
pub fn read_inputs(
    model: &Model,
    assignments: &[String],
    max_bytes: u64,
) -> Result<Vec<Option<Arc<Tensor>>>> {
    let names = list_names(model.inputs.iter().map(|input| input.name.as_str()));
    let mut values = vec![None; model.inputs.len()];
    for text in assignments {
        let find = |name: &str| model.input(name);
        let (at, name, file) = split_assignment(("--input", "NAME=FILE"), text, find, &names)?;
        if file.is_empty() {
            let what = format!("--input: no file is named for `{name}`");
            return Err(Error::argument(what));
        }
        let wanted = model.inputs[at].declared.as_ref();
        let wanted = wanted.map(|declared| declared.element_type);
        let (_, tensor) = files::read_tensor(Path::new(file), wanted, max_bytes)?;
        if values[at].replace(Arc::new(tensor)).is_some() {
            let what = format!("--input: `{name}` is given twice");
            return Err(Error::argument(what));
        }
    }
    Ok(values)
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
        staged.write_tensor(&path, name, tensor)?;
        let (ty, shape) = (tensor.element_type(), tensor.shape());
        lines.push_str(&format!("{}  {ty} {shape:?}\n", path.display()));
    }
    staged.publish(|| print(out, lines))
}
