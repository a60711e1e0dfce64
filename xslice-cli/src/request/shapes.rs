//! `--shape`: the dimensions that a model leaves open, of an input by its name, or wherever the model has the same name for one.

use crate::cli::{list_names, split_assignment};
use crate::error::{Error, Result};
use crate::import::{Dimension, Model, ModelInput};
use crate::number::{MOST_DIMENSION, dimension};
use crate::request::sizes::Sizes;
use std::collections::BTreeSet;
use std::sync::Arc;
use xslice::Tensor;

/// What is given.
pub struct Shapes<'a> {
    /// By input.
    of_inputs: Vec<Option<Vec<usize>>>,
    /// Of dimensions that have names.
    of_names: Sizes<'a>,
}

impl<'a> Shapes<'a> {
    /// Reads `NAME=1,3,640,640` of inputs and `NAME=1` of dimensions. An input comes before a dimension of its name. What is known of
    /// the values of inputs tells dimensions, too.
    ///
    /// # Errors
    /// An unknown name, one given twice, what is no dimension, and two sizes that options give to one.
    pub fn read(
        model: &'a Model,
        assignments: &[String],
        values: &[Option<Arc<Tensor>>],
    ) -> Result<Self> {
        let inputs = model.inputs.len();
        let named: BTreeSet<_> = model.inputs.iter().flat_map(open_names).collect();
        let named: Vec<_> = named.into_iter().collect();
        let names = model.inputs.iter().map(|input| input.name.as_str());
        let names = list_names(names.chain(named.iter().copied()));
        let mut shapes = Self {
            of_inputs: vec![None; inputs],
            of_names: Sizes::default(),
        };
        for text in assignments {
            let dimension = |name: &str| named.iter().position(|known| *known == name);
            let find = |name: &str| {
                let dimension = || dimension(name).map(|at| inputs + at);
                model.input(name).or_else(dimension)
            };
            let (at, name, list) =
                split_assignment(("--shape", "NAME=1,3,640,640"), text, find, &names)?;
            let dims = dimensions(name, list)?;
            let before = match (at.checked_sub(inputs), &dims[..]) {
                (None, _) => shapes.of_inputs[at].replace(dims).is_some(),
                (Some(at), [_]) if shapes.of_names.get(named[at]).is_some() => true,
                (Some(at), [size]) => {
                    let place = format!("`--shape {name}={size}`");
                    shapes.of_names.set(named[at], *size, place)?;
                    false
                }
                (Some(_), _) => {
                    let what = format!("--shape {name}: `{list}` is not one dimension such as 4");
                    return Err(Error::argument(what));
                }
            };
            if before {
                let what = format!("--shape: `{name}` is given twice");
                return Err(Error::argument(what));
            }
        }
        shapes.complete(model, values)?;
        Ok(shapes)
    }

    /// Adds the dimensions that the shapes of inputs tell: those given, then those of their values.
    fn complete(&mut self, model: &'a Model, values: &[Option<Arc<Tensor>>]) -> Result<()> {
        for (input, given) in model.inputs.iter().zip(&self.of_inputs) {
            if let Some(shape) = given {
                let dims: Vec<_> = shape.iter().map(ToString::to_string).collect();
                let name = input.name.escape_debug();
                let place = format!("`--shape {name}={}`", dims.join(","));
                self.of_names.of_input(input, shape, &place)?;
            }
        }
        for (input, value) in model.inputs.iter().zip(values) {
            if let Some(value) = value.as_ref().or(input.initial.as_ref()) {
                self.of_names.of_value(input, value.shape());
            }
        }
        Ok(())
    }

    /// The shape that is given for an input itself.
    pub fn of_input(&self, at: usize) -> Option<&[usize]> {
        self.of_inputs[at].as_deref()
    }

    /// The shape that is declared of an input, with the dimensions that have names; `None` if one is not known.
    pub fn completed(&self, input: &ModelInput) -> Option<Vec<usize>> {
        let completed = |dim: &Dimension| {
            let named = || self.of_names.get(dim.name()?);
            dim.size().or_else(named)
        };
        input.dimensions.as_ref()?.iter().map(completed).collect()
    }

    /// The options that complete the shape of an input, with 1 for what the model leaves open.
    pub fn advice(&self, model: &Model, input: &ModelInput) -> Vec<String> {
        let dims = input.dimensions.iter().flatten();
        let open = dims.filter(|dim| dim.size().is_none()).count();
        let names = open_names(input).filter(|name| model.input(name).is_none());
        let names: Vec<_> = names.collect();
        if open > 0 && names.len() == open {
            let unknown = names
                .iter()
                .filter(|name| self.of_names.get(name).is_none());
            return unknown.map(|name| format!("--shape {name}=1")).collect();
        }
        vec![format!("--shape {}={}", input.name, example(input))]
    }
}

/// The names of the dimensions that an input leaves open.
pub fn open_names(input: &ModelInput) -> impl Iterator<Item = &str> {
    let dims = input.dimensions.iter().flatten();
    dims.filter_map(Dimension::name)
}

fn dimensions(name: &str, list: &str) -> Result<Vec<usize>> {
    let list = list.trim().trim_start_matches('[').trim_end_matches(']');
    let dims: Option<Vec<usize>> = match list.trim() {
        "" => Some(Vec::new()),
        list => list.split(',').map(|dim| dimension(dim.trim())).collect(),
    };
    dims.ok_or_else(|| {
        Error::argument(format!(
            "--shape {name}: `{list}` is not a list of dimensions such as 1,3,640,640 (allowed: each 0..={MOST_DIMENSION})"
        ))
    })
}

/// Dimensions to begin with: 1 for what the model leaves open, or what is nearest to it of what the model allows.
fn example(input: &ModelInput) -> String {
    let Some(dims) = &input.dimensions else {
        return "1,2,3".into();
    };
    let dims = dims.iter().map(|dim| dim.size_near(1).to_string());
    dims.collect::<Vec<_>>().join(",")
}
