//! The values of a model under construction, by name or number.
//!
//! Shared by the importers: it turns inputs, constants and operators into values of one [`Graph`], remembers which of them come
//! out of a Range, and hands the finished [`Model`] out.

use super::{Model, ModelInput, ModelOutput};
use crate::error::Fault;
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use xslice::{Declared, ElementType, Graph, Op, Param, Tensor, ValueId};

/// Values that the programs of all outputs may have together: each has its own, so the sum grows with the square.
const MOST_VALUES: usize = 1 << 15;

/// Outputs that a model may have: each is compiled, to machine code where that is wanted.
const MOST_OUTPUTS: usize = 1 << 11;

/// A value: an operand, a constant or the result of an operator.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    id: ValueId,
    from_range: bool,
    element_type: Option<ElementType>,
}

impl Value {
    /// The element type, where the model says it of an input or holds the elements. A Range computes it.
    pub fn element_type(&self) -> Option<ElementType> {
        self.element_type
    }
}

impl From<Value> for Param {
    fn from(value: Value) -> Self {
        Self::Value(value.id)
    }
}

/// The name of an operand in a program: a plan prints it as it is, and a model may hold control characters in it.
pub(super) fn printable(name: &str) -> Cow<'_, str> {
    if name.contains(char::is_control) {
        name.escape_debug().to_string().into()
    } else {
        name.into()
    }
}

/// A model under construction.
#[derive(Debug, Default)]
pub struct Builder {
    graph: Graph,
    inputs: Vec<ModelInput>,
    outputs: Vec<ModelOutput>,
    output_names: HashSet<String>,
    /// Values of the programs up to now.
    used: usize,
}

impl Builder {
    pub fn input(&mut self, input: ModelInput) -> Result<Value, Fault> {
        let name = printable(&input.name);
        let id = self.graph.operand(&name, input.declared())?;
        let initial = input.initial.as_ref();
        let known = initial.map(|initial| initial.element_type());
        let element_type = input.element_type.or(known);
        self.inputs.push(input);
        Ok(Value {
            id,
            from_range: false,
            element_type,
        })
    }

    pub fn constant(&mut self, tensor: impl Into<Arc<Tensor>>) -> Value {
        let tensor = tensor.into();
        let element_type = Some(tensor.element_type());
        Value {
            id: self.graph.constant(tensor),
            from_range: false,
            element_type,
        }
    }

    /// An operator on `data`, called `node` in refusals.
    pub fn apply(
        &mut self,
        op: impl Into<Op>,
        data: Option<Value>,
        node: &str,
    ) -> Result<Value, Fault> {
        let op = op.into();
        let from_range = match data {
            Some(data) => data.from_range,
            None => op.is_generator(),
        };
        let id = self.graph.apply(op, data.map(|data| data.id), Some(node))?;
        Ok(Value {
            id,
            from_range,
            element_type: data.and_then(|data| data.element_type),
        })
    }

    /// `value` is an output of the model.
    pub fn output(
        &mut self,
        name: &str,
        value: Value,
        declared: Option<Declared>,
    ) -> Result<(), Fault> {
        if self.outputs.len() == MOST_OUTPUTS {
            let what = format!("too many outputs (allowed: {MOST_OUTPUTS})");
            return Err(Fault::model(None, what));
        }
        let mut program = self.graph.finish(value.id)?;
        self.used = self.used.saturating_add(program.value_count());
        if self.used > MOST_VALUES {
            let what = format!(
                "the outputs up to `{}` need more than {MOST_VALUES} values together",
                name.escape_debug()
            );
            return Err(Fault::model(None, what));
        }
        if let Some(declared) = declared {
            program = program.expecting(declared);
        }
        self.output_names.insert(name.into());
        self.outputs.push(ModelOutput {
            name: name.into(),
            program,
            from_range: value.from_range,
        });
        Ok(())
    }

    pub fn has_output(&self, name: &str) -> bool {
        self.output_names.contains(name)
    }

    pub fn finish(self) -> Result<Model, Fault> {
        if self.outputs.is_empty() {
            return Err(Fault::model(None, "the model has no output"));
        }
        Ok(Model {
            inputs: self.inputs,
            outputs: self.outputs,
        })
    }
}
