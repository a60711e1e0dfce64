//! Programs under construction: values that refer to earlier values, and the chain, which is the short way to say most of them.
//!
//! Here names of operands become values, and the rules that constants break without any shape are applied, operator by operator, so that
//! a finished [`Program`] has nothing left but what its result needs.

use super::{Apply, Declared, Operand, Program, Value};
use crate::error::{Error, ErrorKind};
use crate::op::{Op, Param, ValueId, refuse_missing};
use crate::resolve;
use crate::tensor::Tensor;
use alloc::{
    boxed::Box,
    collections::{BTreeMap, BTreeSet},
    format,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

/// Operands, constants and operators under construction. Values refer only to earlier ones, so there is no cycle.
///
/// ```
/// use xslice_core::{Gather, Graph, Slice};
/// let mut graph = Graph::new();
/// let x = graph.operand("x", None)?;
/// let ids = graph.operand("ids", None)?;
/// let row = graph.apply(Slice::onnx(13).starts([0]).ends([4]), Some(ids), None)?;
/// let y = graph.apply(Gather::onnx(13).indices(row), Some(x), Some("rows"))?;
/// let program = graph.finish(y)?;
/// assert_eq!(program.operands()[1].name, "ids");
/// # Ok::<(), xslice_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Graph {
    operands: Vec<Operand>,
    values: Vec<Value>,
    /// The value of each operand, by name.
    names: BTreeMap<String, ValueId>,
}

impl Graph {
    /// An empty graph.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A new operand.
    ///
    /// # Errors
    /// [`ErrorKind::RepeatedOperand`] if the name is taken.
    pub fn operand(&mut self, name: &str, declared: Option<Declared>) -> Result<ValueId, Error> {
        if self.names.contains_key(name) {
            return Err(Error::new(
                ErrorKind::RepeatedOperand,
                format!("operand `{name}` is declared twice"),
            )
            .parameter(name.to_string()));
        }
        let name = name.to_string();
        self.operands.push(Operand {
            name: name.clone(),
            declared,
        });
        let id = self.push(Value::Operand(self.operands.len() - 1));
        self.names.insert(name, id);
        Ok(id)
    }

    /// A constant.
    pub fn constant(&mut self, tensor: impl Into<Arc<Tensor>>) -> ValueId {
        self.push(Value::Constant(tensor.into()))
    }

    /// An operator on `data` (`None` for a generator); `node` is what a model calls it.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownVersion`], [`ErrorKind::MissingAttribute`], [`ErrorKind::UnknownAttribute`],
    /// [`ErrorKind::UnknownOperand`] for an operand name that is not declared, and every rule of the operator's text
    /// that constant parameters break without any shape.
    pub fn apply(
        &mut self,
        op: impl Into<Op>,
        data: Option<ValueId>,
        node: Option<&str>,
    ) -> Result<ValueId, Error> {
        let op = op.into();
        let mut apply = Apply {
            label: Arc::from(&*op.label()),
            op,
            data,
            node: node.map(Arc::from),
        };
        let mut params = Ok(());
        for param in apply.op.params_mut() {
            if let Param::Operand(name) = param {
                match self.find_operand(name) {
                    Ok(id) => *param = Param::Value(id),
                    Err(error) => params = params.and(Err(error)),
                }
            }
            // A constant of the graph is a constant of the operator.
            if let Param::Value(id) = param
                && let Some(Value::Constant(tensor)) = self.values.get(id.index())
            {
                *param = Param::Constant(tensor.clone());
            }
        }
        params.map_err(|error| apply.named(error))?;
        if data.is_some() == apply.op.is_generator() {
            return Err(apply.named(match data {
                Some(_) => Error::new(ErrorKind::OperandCount, "a generator takes no data")
                    .parameter("data"),
                None => refuse_missing("data"),
            }));
        }
        if apply.inputs().any(|id| id.index() >= self.values.len()) {
            return Err(apply.named(Error::new(
                ErrorKind::UnknownOperand,
                "an input is no value of this graph",
            )));
        }
        apply
            .op
            .validate()
            .and_then(|()| resolve::validate_constants(&apply.op))
            .map_err(|error| apply.named(error))?;
        Ok(self.push(Value::Apply(Box::new(apply))))
    }

    /// The program of a generator alone.
    pub(super) fn generate(op: Op) -> Result<Program, Error> {
        let mut graph = Self::new();
        graph.declare_operands(&op)?;
        let value = graph.apply(op, None, None)?;
        graph.finish(value)
    }

    /// Declares what parameters name.
    fn declare_operands(&mut self, op: &Op) -> Result<(), Error> {
        for (_, param) in op.params() {
            if let Param::Operand(name) = param
                && self.find_operand(name).is_err()
            {
                self.operand(name, None)?;
            }
        }
        Ok(())
    }

    /// The operand of that name, as a value.
    fn find_operand(&self, name: &str) -> Result<ValueId, Error> {
        self.names.get(name).copied().ok_or_else(|| {
            Error::new(
                ErrorKind::UnknownOperand,
                format!("operand `{name}` is not declared"),
            )
            .parameter(name.to_string())
        })
    }

    /// The program that computes `result`. Operators it does not need are left out; all operands stay.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownOperand`] if this graph has no such value.
    pub fn finish(&self, result: ValueId) -> Result<Program, Error> {
        if result.index() >= self.values.len() {
            return Err(Error::new(
                ErrorKind::UnknownOperand,
                "the result is no value of this graph",
            ));
        }
        let (values, result) = self.needed(result);
        Ok(Program::new(self.operands.clone(), values, result, None))
    }

    /// The values that `result` needs, in their order, and where it is among them.
    fn needed(&self, result: ValueId) -> (Vec<Value>, ValueId) {
        // From the result downwards, so that a value knows whether it is needed before its inputs are visited.
        let mut needed = BTreeSet::from([result]);
        let mut open = needed.clone();
        while let Some(id) = open.pop_last() {
            if let Value::Apply(apply) = &self.values[id.index()] {
                let fresh = apply.inputs().filter(|input| needed.insert(*input));
                open.extend(fresh.collect::<Vec<_>>());
            }
        }
        let place: BTreeMap<ValueId, ValueId> =
            needed.iter().copied().zip((0..).map(ValueId)).collect();
        let moved = |id: &mut ValueId| *id = place.get(id).copied().unwrap_or(*id);
        let values = needed.iter().map(|id| {
            let mut value = self.values[id.index()].clone();
            if let Value::Apply(apply) = &mut value {
                apply.data.as_mut().map(moved);
                for param in apply.op.params_mut() {
                    if let Param::Value(id) = param {
                        moved(id);
                    }
                }
            }
            value
        });
        let values: Vec<_> = values.collect();
        let last = ValueId(u32::try_from(values.len() - 1).unwrap_or(u32::MAX));
        (values, last)
    }

    fn push(&mut self, value: Value) -> ValueId {
        self.values.push(value);
        ValueId(u32::try_from(self.values.len() - 1).unwrap_or(u32::MAX))
    }
}

/// A chain of operators on one data operand, under construction.
///
/// Operands named by parameters are declared by themselves, in the order of their first use.
///
/// ```
/// # use xslice_core::{Gather, Program, Slice};
/// let program = Program::chain("table")
///     .then(Gather::onnx(13).indices("ids"))
///     .then(Slice::onnx(13).starts([0]).ends([384]).axes([-1]))
///     .build()?;
/// assert_eq!(program.operands()[1].name, "ids");
/// # Ok::<(), xslice_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chain {
    data: String,
    ops: Vec<Op>,
}

impl Chain {
    pub(super) fn on(operand: &str) -> Self {
        Self {
            data: operand.to_string(),
            ops: Vec::new(),
        }
    }

    /// Then this operator, on the result so far.
    #[must_use]
    pub fn then(mut self, op: impl Into<Op>) -> Self {
        self.ops.push(op.into());
        self
    }

    /// The program.
    ///
    /// # Errors
    /// As [`Graph::apply`].
    pub fn build(self) -> Result<Program, Error> {
        let mut graph = Graph::new();
        let mut value = graph.operand(&self.data, None)?;
        for op in self.ops {
            graph.declare_operands(&op)?;
            value = graph.apply(op, Some(value), None)?;
        }
        graph.finish(value)
    }
}
