//! A program: operands, constants and operators in order, and which value is the result.
//!
//! Every front door builds the same thing, by [`Graph`] or by the fluent [`Chain`] ([`graph`]). A program knows no shape: shapes, strides
//! and the values of run-time parameters arrive with a [`Signature`](crate::Signature), and both together are
//! compiled to a [`Plan`](crate::Plan).

use crate::elem::ElementType;
use crate::error::Error;
use crate::op::{Dialect, Op, ValueId};
use crate::tensor::Tensor;
use alloc::{
    boxed::Box,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

mod graph;
mod role;

pub use graph::{Chain, Graph};
pub(crate) use role::Role;

/// What is declared of an operand: its type, and its shape as far as it is known.
///
/// ```
/// # use xslice_core::{Declared, ElementType, Graph};
/// // Rows of 768 floats, as many as there are.
/// let declared = Declared { element_type: ElementType::F32, shape: Some(vec![None, Some(768)]) };
/// Graph::new().operand("table", Some(declared))?;
/// # Ok::<(), xslice_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Declared {
    /// The element type.
    pub element_type: ElementType,
    /// The dimensions, `None` where one is known only at run time; `None` altogether if not even the rank is known.
    pub shape: Option<Vec<Option<usize>>>,
}

impl Declared {
    /// Whether a shape is what is declared, as far as that is known.
    pub(crate) fn admits(&self, shape: &[usize]) -> bool {
        self.shape.as_ref().is_none_or(|dims| {
            let fits = |(dim, given): (&Option<usize>, &usize)| dim.is_none_or(|dim| dim == *given);
            dims.len() == shape.len() && dims.iter().zip(shape).all(fits)
        })
    }

    /// The dimensions, `?` where one is known only at run time, `..` where not even the rank is.
    pub(crate) fn dims_text(&self) -> String {
        let word = |dim: &Option<usize>| dim.map_or_else(|| "?".to_string(), |dim| dim.to_string());
        match &self.shape {
            Some(dims) => dims.iter().map(word).collect::<Vec<_>>().join(", "),
            None => "..".to_string(),
        }
    }
}

/// An operand: a name, and what is declared of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// The name in the notation or the model.
    pub name: String,
    /// What is declared; `None`: everything comes with the signature.
    pub declared: Option<Declared>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    Operand(usize),
    Constant(Arc<Tensor>),
    Apply(Box<Apply>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Apply {
    pub op: Op,
    /// What errors call the operator.
    pub label: Arc<str>,
    pub data: Option<ValueId>,
    pub node: Option<Arc<str>>,
}

impl Apply {
    /// The values that the operator reads: its data, then its parameters.
    pub fn inputs(&self) -> impl Iterator<Item = ValueId> {
        let params = self.op.params().filter_map(|(_, param)| param.value());
        self.data.into_iter().chain(params.collect::<Vec<_>>())
    }

    /// The refusal, with the operator and the node named.
    pub fn named(&self, error: Error) -> Error {
        let error = error.operator(self.label.to_string());
        match &self.node {
            Some(node) => error.node(node.to_string()),
            None => error,
        }
    }
}

/// Which elements are wanted, free of any shape: what a [`Plan`](crate::Plan) is compiled from.
///
/// ```
/// # use xslice_core::{ElementType, Program, Signature};
/// let program = Program::parse("x[1:, ::-1]")?;
/// for rows in [3, 300] {
///     let signature = Signature::new().operand(ElementType::F32, &[rows, 4]);
///     assert_eq!(program.output_shape(&signature)?, [rows - 1, 4]);
/// }
/// # Ok::<(), xslice_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program(Arc<Inner>);

#[derive(Debug, PartialEq, Eq)]
struct Inner {
    operands: Vec<Operand>,
    values: Vec<Value>,
    result: ValueId,
    result_type: Option<Declared>,
    fingerprint: u64,
    /// What each value is needed for.
    roles: Vec<Role>,
    /// The name of each operand.
    names: Arc<[String]>,
    /// Bytes, with constants.
    memory: usize,
}

impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Eq for Program {}

impl Program {
    fn new(
        operands: Vec<Operand>,
        values: Vec<Value>,
        result: ValueId,
        result_type: Option<Declared>,
    ) -> Self {
        let mut hash = crate::hash::WordHash::default();
        core::hash::Hash::hash(&(&operands, &values, &result, &result_type), &mut hash);
        let fingerprint = core::hash::Hasher::finish(&hash);
        Self(Arc::new(Inner {
            roles: role::roles(&values, result),
            memory: memory_of(&operands, &values),
            names: operands
                .iter()
                .map(|operand| operand.name.clone())
                .collect(),
            operands,
            values,
            result,
            result_type,
            fingerprint,
        }))
    }

    /// Starts a chain on a data operand of that name.
    #[must_use]
    pub fn chain(operand: &str) -> Chain {
        Chain::on(operand)
    }

    /// The program of a generator, such as [`Range`](crate::Range), alone: it has no data operand.
    ///
    /// ```
    /// # use xslice_core::{Program, Range, Signature};
    /// let program = Program::generate(Range::onnx(11).start(10).limit(4).delta(-2))?;
    /// assert_eq!(program.output_shape(&Signature::new())?, [3]);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Graph::apply`].
    pub fn generate(op: impl Into<Op>) -> Result<Self, Error> {
        Graph::generate(op.into())
    }

    /// The same program, refusing a result of another type.
    ///
    /// ```
    /// # use xslice_core::{Declared, ElementType, ErrorKind, Program, Signature};
    /// let two = Declared { element_type: ElementType::U8, shape: Some(vec![Some(2)]) };
    /// let program = Program::parse("x[1:]")?.expecting(two);
    /// assert!(program.compile(&Signature::new().operand(ElementType::U8, &[3])).is_ok());
    /// let refusal = program.compile(&Signature::new().operand(ElementType::U8, &[4])).unwrap_err();
    /// assert_eq!(refusal.kind(), ErrorKind::ResultType);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    #[must_use]
    pub fn expecting(&self, result: Declared) -> Self {
        Self::new(
            self.0.operands.clone(),
            self.0.values.clone(),
            self.0.result,
            Some(result),
        )
    }

    /// The same program with the dialect of every operator that has one.
    ///
    /// ```
    /// # use xslice_core::{Dialect, ElementType, Program, Signature, Slice};
    /// let program = Program::chain("x").then(Slice::onnx(13).starts([3]).ends([i64::MAX]).axes([0]).steps([-1])).build()?;
    /// let signature = Signature::new().operand(ElementType::I64, &[4]);
    /// assert_eq!(program.output_shape(&signature)?, [0]);
    /// assert_eq!(program.in_dialect(Dialect::OnnxRuntime).output_shape(&signature)?, [4]);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    #[must_use]
    pub fn in_dialect(&self, dialect: Dialect) -> Self {
        let mut values = self.0.values.clone();
        for value in &mut values {
            if let Value::Apply(apply) = value {
                apply.op.set_dialect(dialect);
            }
        }
        Self::new(
            self.0.operands.clone(),
            values,
            self.0.result,
            self.0.result_type.clone(),
        )
    }

    /// The operands, in the order in which a call gives them.
    #[must_use]
    pub fn operands(&self) -> &[Operand] {
        &self.0.operands
    }

    /// How many operands, constants and operators it holds: what compiling it takes grows with this.
    #[must_use]
    pub fn value_count(&self) -> usize {
        self.0.operands.len() + self.0.values.len()
    }

    /// For each operand, whether its value decides the shape of the result and so belongs into the signature.
    ///
    /// ```
    /// # use xslice_core::{Program, Slice};
    /// let tail = Program::chain("x").then(Slice::onnx(13).starts("from").ends([i64::MAX])).build()?;
    /// assert_eq!(tail.parameters(), [false, true]);
    /// // Indices of a gather decide no shape by their values.
    /// assert_eq!(Program::parse("table[@ids]")?.parameters(), [false, false]);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    #[must_use]
    pub fn parameters(&self) -> Vec<bool> {
        role::parameter_operands(self)
    }

    /// A hash of the whole program, computed once.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.0.fingerprint
    }

    /// About the bytes of memory that it takes, constants included. Clones of a program share them.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.0.memory
    }

    /// Where it lies in memory: the same for its clones, another for every other program that lives.
    #[must_use]
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    pub(crate) fn values(&self) -> &[Value] {
        &self.0.values
    }

    pub(crate) fn roles(&self) -> &[Role] {
        &self.0.roles
    }

    pub(crate) fn names(&self) -> &Arc<[String]> {
        &self.0.names
    }

    pub(crate) fn result(&self) -> ValueId {
        self.0.result
    }

    pub(crate) fn result_type(&self) -> Option<&Declared> {
        self.0.result_type.as_ref()
    }
}

/// About the bytes of memory of a program, with all that a text or a model makes as long as it likes. The names of operands are there twice.
fn memory_of(operands: &[Operand], values: &[Value]) -> usize {
    let operands = operands.iter().map(|operand| {
        let shape = operand
            .declared
            .as_ref()
            .and_then(|declared| declared.shape.as_ref());
        let shape = shape.map_or(0, |shape| size_of_val(&shape[..]));
        size_of::<Operand>() + size_of::<String>() + 2 * operand.name.len() + shape
    });
    let each = values.iter().map(|value| match value {
        Value::Operand(_) => 0,
        Value::Constant(tensor) => tensor.memory(),
        Value::Apply(apply) => {
            let node = apply.node.as_deref().map_or(0, str::len);
            size_of::<Apply>() + apply.label.len() + node + apply.op.heap_bytes()
        }
    });
    let roles = values.len() * size_of::<Role>();
    size_of::<Inner>() + size_of_val(values) + roles + operands.sum::<usize>() + each.sum::<usize>()
}
