//! `MODEL|TEXT`: what the commands that compile without running are asked for.
//!
//! Decided here: what is known of each operand (a declared type, a shape that `--shape` completes, a value), and that all of it is
//! known before anything compiles.

mod shapes;
mod sizes;

pub use shapes::open_names;

use crate::call::read_inputs;
use crate::cli::{Common, list_names};
use crate::error::{Error, Fault, Result};
use crate::files;
use crate::import::{self, Dimension, Model, ModelInput, ModelOutput};
use shapes::Shapes;
use std::cell::Cell;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xslice::{Declared, ElementType, Plan, Program, Signature, Tensor};

/// The arguments that say it.
#[derive(Debug, clap::Args)]
pub struct What {
    /// A model (.onnx, .xml), or a text in the notation
    #[arg(value_name = "MODEL|TEXT")]
    what: OsString,

    /// The dimensions of an input that the model leaves open, or the size of one by its own name
    #[arg(long = "shape", value_name = "NAME=1,3,640,640")]
    pub shapes: Vec<String>,

    #[command(flatten)]
    pub common: Common,
}

impl What {
    /// What a command of other forms, too, is asked for.
    pub fn new(what: &OsStr, shapes: &[String], common: Common) -> Self {
        Self {
            what: what.into(),
            shapes: shapes.to_vec(),
            common,
        }
    }

    /// The file, if one is named: by how it ends, or because it is there.
    pub fn model_file(&self) -> Option<PathBuf> {
        let path = Path::new(&self.what);
        let is_model = matches!(files::extension(path).as_deref(), Some("onnx" | "xml"));
        (is_model || path.exists()).then(|| path.to_path_buf())
    }

    /// Does `work` on what is asked for, with the values that `inputs` (`NAME=FILE`) give; `None` for a command that takes none.
    ///
    /// # Errors
    /// Every fault of the files, unknown shapes, and those of `work`; in a model they name its file.
    pub fn open<T>(
        &self,
        inputs: Option<&[String]>,
        work: impl FnOnce(&Request<'_>) -> Result<T>,
    ) -> Result<T> {
        let file = self.model_file();
        let model = match &file {
            Some(path) => import::load(path, &self.common.options())?,
            None => model_of(self.parse()?),
        };
        let request = || work(&self.request(&model, inputs, &self.shapes)?);
        request().map_err(|error| match &file {
            Some(path) => error.at(path),
            None => error,
        })
    }

    /// The text; what looks like a path may be one that leads nowhere.
    fn parse(&self) -> Result<Program> {
        let text = self.what.to_string_lossy();
        self.common.parse(&text).map_err(|error| {
            let ending = files::extension(Path::new(&self.what)).unwrap_or_default();
            let is_name = !ending.is_empty() && ending.chars().all(char::is_alphanumeric);
            match is_name && !text.contains(['[', '(', '<', '|']) {
                true => Error::argument(format!(
                    "`{text}` is no text of the notation, and there is no file of that name (models end in .onnx or .xml)"
                )),
                false => error,
            }
        })
    }

    /// What is asked of a model that was read already, with these of the assignments.
    ///
    /// # Errors
    /// Faults of the files, unknown shapes.
    pub fn request<'a>(
        &self,
        model: &'a Model,
        inputs: Option<&[String]>,
        shapes: &[String],
    ) -> Result<Request<'a>> {
        if inputs.is_none() {
            self.without_values(model)?;
        }
        let values = read_inputs(model, inputs.unwrap_or_default(), self.common.max_bytes())?;
        let shapes = Shapes::read(model, shapes, &values)?;
        let type_advice = self.type_advice(inputs.is_some());
        Ok(Request {
            model,
            operands: operands(model, values, &shapes, &type_advice)?,
            limit: usize::try_from(self.common.max_bytes()).unwrap_or(usize::MAX),
            spent: Cell::new(0),
        })
    }

    /// Refuses an output whose shape a value decides, for a command that takes none.
    fn without_values(&self, model: &Model) -> Result<()> {
        for output in &model.outputs {
            let names: Vec<_> = deciding(model, output)
                .map(|name| format!("`{name}`"))
                .collect();
            let (verb, them) = match names[..] {
                [] => continue,
                [_] => ("decides", "it a constant"),
                _ => ("decide", "them constants"),
            };
            let names = list_names(names.iter().map(String::as_str));
            let what = format!(
                "the value of {names} {verb} the shape of the result, and a function is for one shape; make {them}, \
                 or compile at run time with `Jit`",
            );
            let error = Error::from(Fault::outside_scope(None, what));
            return Err(match self.model_file() {
                Some(_) => error.within("output", &output.name),
                None => error,
            });
        }
        Ok(())
    }

    /// How a type becomes known; a value has one.
    fn type_advice(&self, takes_values: bool) -> String {
        let (value, written) = match self.model_file() {
            Some(_) => (
                "give a value with --input NAME=FILE; ",
                "into a model that leaves types out, `onnx.shape_inference.infer_shapes` of Python writes them",
            ),
            None => (
                "give a value with --input NAME=FILE, or ",
                "write a text with its types, as in `<f32[2, 3]> x[1:]`",
            ),
        };
        let value = if takes_values { value } else { "" };
        format!("{value}{written}")
    }
}

/// A model, and what is known of its operands.
pub struct Request<'a> {
    /// The model; a text is one with one output.
    pub model: &'a Model,
    /// By input.
    pub operands: Vec<Known>,
    /// Bytes that the plans of all outputs may cost together.
    limit: usize,
    /// What those so far cost.
    spent: Cell<usize>,
}

impl Request<'_> {
    /// The signature and the plan of one of the outputs.
    ///
    /// # Errors
    /// Every refusal of the operators.
    pub fn compile(&self, output: &ModelOutput) -> Result<(Signature, Plan)> {
        self.compile_with(output, usize::MAX)
    }

    /// The same with so many bytes of temporaries at most, if the plan can do with that.
    ///
    /// # Errors
    /// As [`Request::compile`].
    pub fn compile_with(
        &self,
        output: &ModelOutput,
        temporaries: usize,
    ) -> Result<(Signature, Plan)> {
        let signature = self.signature(&output.program);
        let plan = self.again(output, &signature, temporaries)?;
        let spent = self.spent.get();
        self.spent.set(spent.saturating_add(plan.known_cost()));
        Ok((signature, plan))
    }

    /// Another plan of an output that was compiled for this signature, with so many bytes of temporaries. It costs nothing anew.
    ///
    /// # Errors
    /// As [`Request::compile`].
    pub fn again(
        &self,
        output: &ModelOutput,
        signature: &Signature,
        temporaries: usize,
    ) -> Result<Plan> {
        let signature = signature.clone().temporaries(temporaries);
        let plan = output.program.compile(&signature);
        Ok(plan.map_err(|error| self.model.refusal(output, error))?)
    }

    fn signature(&self, program: &Program) -> Signature {
        let mut signature = Signature::new().limit(self.limit).spent(self.spent.get());
        for (operand, is_parameter) in self.operands.iter().zip(program.parameters()) {
            signature = match operand {
                Known::Value(value) if is_parameter => signature.value(value.clone()),
                Known::Value(value) => signature.operand(value.element_type(), value.shape()),
                Known::Type(ty, shape) => signature.operand(*ty, shape),
            };
        }
        signature
    }
}

/// What is known of an operand.
pub enum Known {
    /// Its value.
    Value(Arc<Tensor>),
    /// Its type and shape.
    Type(ElementType, Vec<usize>),
}

/// The dimensions of an operand of a text.
fn dimensions(declared: &Declared) -> Option<Vec<Dimension>> {
    let dims = declared.shape.as_ref()?.iter();
    Some(
        dims.map(|dim| dim.map_or_else(Dimension::open, Dimension::fixed))
            .collect(),
    )
}

/// A text as a model of one output.
fn model_of(program: Program) -> Model {
    let inputs = program.operands().iter().map(|operand| ModelInput {
        name: operand.name.clone(),
        aliases: Vec::new(),
        element_type: operand.declared.as_ref().map(|d| d.element_type),
        dimensions: operand.declared.as_ref().and_then(dimensions),
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

impl Known {
    /// The element type and the shape.
    pub fn type_and_shape(&self) -> (ElementType, &[usize]) {
        match self {
            Self::Value(tensor) => (tensor.element_type(), tensor.shape()),
            Self::Type(ty, shape) => (*ty, shape),
        }
    }
}

/// The names of inputs whose values decide the shape of an output.
fn deciding<'a>(model: &'a Model, output: &ModelOutput) -> impl Iterator<Item = &'a str> {
    let inputs = model.inputs.iter().zip(output.program.parameters());
    inputs
        .filter(|(_, is_parameter)| *is_parameter)
        .map(|(input, _)| input.name.as_str())
}

fn operands(
    model: &Model,
    values: Vec<Option<Arc<Tensor>>>,
    shapes: &Shapes<'_>,
    type_advice: &str,
) -> Result<Vec<Known>> {
    let (mut operands, mut unknown) = (Vec::new(), Unknown::default());
    let deciding = model
        .outputs
        .iter()
        .flat_map(|output| deciding(model, output));
    let deciding: HashSet<_> = deciding.collect();
    for (at, (input, value)) in model.inputs.iter().zip(values).enumerate() {
        let shape = shapes.of_input(at);
        let value = match shape {
            None => value.or_else(|| input.initial.clone()),
            Some(_) => value,
        };
        if let (Some(value), Some(shape)) = (&value, shape)
            && value.shape() != shape
        {
            let (name, given) = (input.name.escape_debug(), value.shape());
            let what = format!("--shape {name}: {shape:?} is not the shape {given:?} of its file");
            return Err(Error::argument(what));
        }
        match (value, input.element_type) {
            (Some(value), _) => operands.push(Known::Value(value)),
            (None, _) if deciding.contains(input.name.as_str()) => {
                let option = format!("--input {}=FILE", input.name);
                unknown.values.add(input, vec![option]);
            }
            (None, None) => unknown.types.push(format!("`{}`", input.name)),
            (None, Some(ty)) => {
                let shape = shape.map(<[usize]>::to_vec);
                match shape.or_else(|| shapes.completed(input)) {
                    Some(shape) => operands.push(Known::Type(ty, shape)),
                    None => unknown.shapes.add(input, shapes.advice(model, input)),
                }
            }
        }
    }
    unknown.refuse(type_advice)?;
    let given = model.inputs.iter().zip(&operands);
    import::admit(given.map(|(input, operand)| {
        let (ty, shape) = operand.type_and_shape();
        (input, ty, shape)
    }))?;
    Ok(operands)
}

/// Inputs of which too little is known.
#[derive(Default)]
struct Unknown {
    types: Vec<String>,
    shapes: Missing,
    values: Missing,
}

/// Inputs that lack the same, and the options that give it.
#[derive(Default)]
struct Missing {
    names: Vec<String>,
    options: Vec<String>,
}

impl Missing {
    fn add(&mut self, input: &ModelInput, options: Vec<String>) {
        self.names.push(format!("`{}`", input.name));
        for option in options {
            if !self.options.contains(&option) {
                self.options.push(option);
            }
        }
    }
}

impl Unknown {
    /// Refuses, and names all of them.
    fn refuse(&self, type_advice: &str) -> Result<()> {
        let mut parts = Vec::new();
        let names = |names: &[String]| list_names(names.iter().map(String::as_str));
        if !self.types.is_empty() {
            let names = names(&self.types);
            parts.push(format!(
                "the type of {names} is not known here; {type_advice}"
            ));
        }
        let decide = match self.values.names.len() {
            1 => "decides a shape",
            _ => "decide shapes",
        };
        for (missing, begin, end) in [
            (&self.shapes, "the shape of", "is not known here"),
            (&self.values, "the value of", decide),
        ] {
            if !missing.names.is_empty() {
                let (names, options) = (names(&missing.names), missing.options.join(" "));
                parts.push(format!("{begin} {names} {end}; give it with {options}"));
            }
        }
        match parts[..] {
            [] => Ok(()),
            _ => Err(Error::argument(parts.join("; "))),
        }
    }
}
