//! One call of a model: values for its inputs, signatures for its programs, results in order.
//!
//! Shared by the commands. Decided here: which value an input gets, and that an operand whose value decides shapes goes into the
//! signature with it. Whether a value fits what the model declares is the library's rule.

use crate::cli::{list_names, split_assignment};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::files;
use crate::import::{self, Model, ModelInput, ModelOutput};
use std::path::Path;
use std::sync::Arc;
use xslice::{ElementType, Input, Program, Signature, Tensor};

/// The name of an input, and what is declared of it; `?` is a dimension that the model leaves open.
fn described(input: &ModelInput) -> String {
    let name = format!("`{}`", input.name);
    let ty = input.element_type.map(|ty| ty.to_string());
    let declared: Vec<_> = ty.into_iter().chain(input.dimensions_text()).collect();
    match declared[..] {
        [] => name,
        _ => format!("{name} ({})", declared.join(" ")),
    }
}

/// The values that `--input` gives, by input.
pub fn read_inputs(
    model: &Model,
    assignments: &[String],
    max_bytes: u64,
) -> Result<Vec<Option<Arc<Tensor>>>> {
    let names = model.inputs.iter().map(|input| input.name.as_str());
    let types = model.inputs.iter().map(|input| input.element_type);
    let mut values = Values {
        option: "--input",
        names: list_names(names),
        types: types.collect(),
        values: vec![None; model.inputs.len()],
    };
    for text in assignments {
        values.read(text, |name| model.input(name), max_bytes)?;
    }
    Ok(values.values)
}

/// Values of operands on their way from the files that an option names.
pub(crate) struct Values {
    /// Such as `--input`.
    pub option: &'static str,
    /// All of the operands, for a message.
    pub names: String,
    /// The element type of each operand, where it is declared.
    pub types: Vec<Option<ElementType>>,
    /// What was read, by operand.
    pub values: Vec<Option<Arc<Tensor>>>,
}

impl Values {
    /// Reads the file that `NAME=FILE` names for the operand that `find` finds.
    pub fn read(
        &mut self,
        text: &str,
        find: impl Fn(&str) -> Option<usize>,
        max_bytes: u64,
    ) -> Result<()> {
        let option = self.option;
        let (at, name, file) = split_assignment((option, "NAME=FILE"), text, find, &self.names)?;
        if file.is_empty() {
            let what = format!("{option}: no file is named for `{name}`");
            return Err(Error::argument(what));
        }
        if self.values[at].is_some() {
            let what = format!("{option}: `{name}` is given twice");
            return Err(Error::argument(what));
        }
        self.read_from(at, Path::new(file), max_bytes)
    }

    /// Reads the value of operand `at`.
    pub fn read_from(&mut self, at: usize, file: &Path, max_bytes: u64) -> Result<()> {
        let (_, tensor) = files::read_tensor(file, self.types[at], max_bytes)?;
        self.values[at] = Some(Arc::new(tensor));
        Ok(())
    }
}

/// A value for every input of a model.
#[derive(Clone, Debug)]
pub struct Call {
    tensors: Vec<Arc<Tensor>>,
    max_bytes: u64,
}

impl Call {
    /// Binds the values that are given; the others take the model's own.
    ///
    /// # Errors
    /// Inputs without a value, and values of other shapes than the model has.
    pub fn bind(model: &Model, given: Vec<Option<Arc<Tensor>>>, max_bytes: u64) -> Result<Self> {
        Self::bind_or(model, given, max_bytes, "give one with --input NAME=FILE")
    }

    /// The same, with what to do where there is no value.
    pub(crate) fn bind_or(
        model: &Model,
        given: Vec<Option<Arc<Tensor>>>,
        max_bytes: u64,
        advice: &str,
    ) -> Result<Self> {
        let mut missing = Vec::new();
        let mut tensors = Vec::with_capacity(model.inputs.len());
        let mut given = given.into_iter();
        for input in &model.inputs {
            match given.next().flatten().or_else(|| input.initial.clone()) {
                Some(tensor) => tensors.push(tensor),
                None => missing.push(described(input)),
            }
        }
        if !missing.is_empty() {
            let inputs = list_names(missing.iter().map(String::as_str));
            let what = format!("no value for input {inputs}; {advice}");
            return Err(Error::argument(what));
        }
        let given = model.inputs.iter().zip(&tensors);
        import::admit(given.map(|(input, tensor)| (input, tensor.element_type(), tensor.shape())))?;
        Ok(Self { tensors, max_bytes })
    }

    /// The values of all operands.
    #[must_use]
    pub fn new(tensors: Vec<Arc<Tensor>>, max_bytes: u64) -> Self {
        Self { tensors, max_bytes }
    }

    /// The signature of these values for one program.
    #[must_use]
    pub fn signature(&self, program: &Program) -> Signature {
        self.signature_after(0, program)
    }

    fn signature_after(&self, spent: usize, program: &Program) -> Signature {
        let limit = usize::try_from(self.max_bytes).unwrap_or(usize::MAX);
        let operands = self.tensors.iter().zip(program.parameters());
        operands.fold(
            Signature::new().limit(limit).spent(spent),
            |signature, (tensor, is_parameter)| {
                if is_parameter {
                    signature.value(tensor.clone())
                } else {
                    signature.operand(tensor.element_type(), tensor.shape())
                }
            },
        )
    }

    /// The result of one program.
    ///
    /// # Errors
    /// Every refusal of the library.
    pub fn run(&self, engine: &mut Engine, program: &Program) -> Result<Tensor, xslice::Error> {
        let (result, _) = self.run_after(0, engine, program)?;
        Ok(result)
    }

    fn run_after(
        &self,
        spent: usize,
        engine: &mut Engine,
        program: &Program,
    ) -> Result<(Tensor, usize), xslice::Error> {
        let inputs: Vec<Input<'_>> = self.tensors.iter().map(|t| t.as_input()).collect();
        engine.run(program, &self.signature_after(spent, program), &inputs)
    }

    /// Every output of a model. Their bytes, and those of known indices that each is compiled with, count together.
    ///
    /// # Errors
    /// The first refusal, in the order of the outputs.
    pub fn run_all(
        &self,
        engine: &mut Engine,
        model: &Model,
    ) -> Result<Vec<Tensor>, xslice::Error> {
        let run = self.run_outputs(engine, model);
        run.map_err(|(_, error)| error)
    }

    /// The same; the refusal comes with the output that it is about.
    pub(crate) fn run_outputs<'a>(
        &self,
        engine: &mut Engine,
        model: &'a Model,
    ) -> Result<Vec<Tensor>, (&'a ModelOutput, xslice::Error)> {
        let mut spent = 0;
        let run = |output: &'a ModelOutput| {
            let (result, bytes) = self
                .run_after(spent, engine, &output.program)
                .map_err(|error| (output, error))?;
            spent = bytes.saturating_add(spent);
            Ok(result)
        };
        model.outputs.iter().map(run).collect()
    }
}
