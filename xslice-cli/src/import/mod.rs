//! Models from files, as programs.
//!
//! Each importer turns its format into the same neutral [`Model`]: operands with what is declared of them, and one program an
//! output over all operands. What an operator *does* is not known here: importers give attributes and inputs to the builders of
//! the library as the file writes them, and the library's rules decide. What is decided here is what a model may hold at all.

mod input;
pub mod onnx;
pub mod openvino;
mod refusal;
mod value;

pub(crate) use input::admit;
pub use input::{Dimension, ModelInput};

use crate::error::{Fault, Result, too_large};
use crate::files;
use std::path::Path;
use xslice::{Dialect, Program};

/// How to read a model.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Which answers are wanted where the operator texts leave a choice.
    pub dialect: Dialect,
    /// The most bytes that a file, or the constants of a model together, may take.
    pub max_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            dialect: Dialect::Standard,
            max_bytes: files::DEFAULT_MAX_BYTES,
        }
    }
}

/// A model: what goes in, and one program for each value that comes out.
#[derive(Clone, Debug)]
pub struct Model {
    /// The operands of every program, in order.
    pub inputs: Vec<ModelInput>,
    /// The outputs, in order.
    pub outputs: Vec<ModelOutput>,
}

impl Model {
    /// Which input the model calls so: the one of that name, before one that has it as another name.
    #[must_use]
    pub fn input(&self, name: &str) -> Option<usize> {
        let mut inputs = self.inputs.iter();
        let exact = inputs.position(|input| input.name == name);
        exact.or_else(|| {
            let is_called = |input: &ModelInput| input.aliases.iter().any(|alias| alias == name);
            self.inputs.iter().position(is_called)
        })
    }

    /// The refusal of an output. It is named where there are several and the library names no node.
    #[must_use]
    pub fn refusal(&self, output: &ModelOutput, error: xslice::Error) -> Fault {
        let is_clear = error.node_name().is_some() || self.outputs.len() == 1;
        let fault = Fault::from(error);
        if is_clear {
            return fault;
        }
        fault.within("output", &output.name)
    }
}

/// An output of a model.
#[derive(Clone, Debug)]
pub struct ModelOutput {
    /// Its name.
    pub name: String,
    /// The program that computes it.
    pub program: Program,
    /// Whether its elements are computed by a Range rather than moved.
    pub from_range: bool,
}

/// Reads a model: `.onnx`, or `.xml` with its `.bin` beside it.
///
/// # Errors
/// Every fault of the file, and every rule that an operator of the model breaks whatever its inputs are.
pub fn load(path: &Path, options: &Options) -> Result<Model> {
    match files::extension(path).as_deref() {
        Some("onnx") => {
            let file = files::read(path, options.max_bytes)?;
            let folder = path.parent().unwrap_or(Path::new(""));
            onnx::import(&file, folder, options).map_err(|error| error.at(path))
        }
        Some("xml") => {
            let file = files::read(path, options.max_bytes)?;
            let text = String::from_utf8(file)
                .map_err(|_| Fault::Format("the file is not UTF-8 text".into()).at(path))?;
            openvino::import(&text, &path.with_extension("bin"), options)
                .map_err(|error| error.at(path))
        }
        _ => Err(Fault::Format(
            "the name says no known format (allowed: .onnx, or .xml with .bin)".into(),
        )
        .at(path)),
    }
}

/// Keeps account of the constants of a model, which may name the same bytes of a file many times.
#[derive(Debug)]
struct Budget {
    used: u64,
    limit: u64,
}

impl Budget {
    fn new(options: &Options) -> Self {
        Self {
            used: 0,
            limit: options.max_bytes,
        }
    }

    fn take(&mut self, bytes: usize) -> Result<(), Fault> {
        self.used = self.used.saturating_add(bytes as u64);
        if self.used > self.limit {
            let what = "the model with its constants up to this one";
            return Err(too_large(what, self.used, self.limit));
        }
        Ok(())
    }
}
