//! The operators, with their attributes exactly as the texts write them.
//!
//! What an attribute *means* is decided in [`crate::resolve`]; what a version *has* is decided here: which attributes exist and which are
//! required, in `table.rs`; which element types are admitted, in [`Op::check_data_type`] and [`Op::check_param_type`]. Each builder names the
//! text it comes from; a value given as a string is the name of an operand whose value arrives at run time.

use crate::elem::ElementType;
use crate::error::{Error, ErrorKind};
use crate::tensor::Tensor;
use alloc::{borrow::Cow, format, string::String, sync::Arc, vec::Vec};

mod build;
mod table;
pub(crate) mod text;

pub use build::{
    Gather, OnnxGather, OnnxRange, OnnxSlice, OpenVinoSlice, OpenVinoStridedSlice, Range, Slice,
    StridedSlice,
};
pub(crate) use table::{OpKind, Takes};
pub use table::{refuse_later, refuse_missing, refuse_twice, refuse_type, refuse_version};

/// Where a text leaves a choice or contradicts its runtime: which answer is wanted.
///
/// Of one operator by the `dialect` of its builder, of all by [`Program::in_dialect`](crate::Program::in_dialect).
///
/// ```
/// # use xslice_core::{Dialect, ElementType, Program, Signature, Slice};
/// let signature = Signature::new().operand(ElementType::I64, &[4]);
/// let backwards = Slice::onnx(13).starts([3]).ends([i64::MAX]).axes([0]).steps([-1]);
/// for (dialect, shape) in [(Dialect::Standard, [0]), (Dialect::OnnxRuntime, [4])] {
///     let program = Program::chain("x").then(backwards.clone().dialect(dialect)).build()?;
///     assert_eq!(program.output_shape(&signature)?, shape);
/// }
/// # Ok::<(), xslice_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// One documented answer for each choice. The default.
    #[default]
    Standard,
    /// The values of ONNX Runtime: a reversed Slice takes `INT32_MAX` and `INT64_MAX` as an end for "to the end"; a float
    /// Range accumulates; an integer Range counts in `f64`.
    OnnxRuntime,
    /// The text of StridedSlice-1 literally: `begin == end` is one element, a reversed end mask stops before element 0, a shrunk
    /// axis clamps.
    OpenVinoText,
}

impl Dialect {
    pub(crate) const ALL: [Self; 3] = [Self::Standard, Self::OnnxRuntime, Self::OpenVinoText];

    /// The name in the notation and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::OnnxRuntime => "onnxruntime",
            Self::OpenVinoText => "openvino_text",
        }
    }

    /// The dialect of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|d| d.name() == name)
    }
}

/// A value of a [`Graph`](crate::Graph): an operand, a constant, or the result of an operator. It means nothing in another graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub(crate) u32);

impl ValueId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a parameter's value comes from. Builders take whatever becomes one: integers and lists of them are constants, a text is the
/// name of an operand.
///
/// ```
/// # use xslice_core::{Param, Tensor};
/// assert_eq!(Param::from([0, -1]), Param::from(Tensor::vector(&[0, -1])));
/// assert_eq!(Param::from("ids"), Param::Operand("ids".to_string()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Param {
    /// Known when the program is built.
    Constant(Arc<Tensor>),
    /// The operand of that name; becomes [`Param::Value`] when the operator joins a program.
    Operand(String),
    /// A value of the program.
    Value(ValueId),
}

impl Param {
    /// The value of the program that it is, if it is one.
    pub(crate) fn value(&self) -> Option<ValueId> {
        match self {
            Self::Value(id) => Some(*id),
            Self::Constant(_) | Self::Operand(_) => None,
        }
    }
}

impl From<Tensor> for Param {
    fn from(tensor: Tensor) -> Self {
        Self::Constant(Arc::new(tensor))
    }
}

impl From<Arc<Tensor>> for Param {
    fn from(tensor: Arc<Tensor>) -> Self {
        Self::Constant(tensor)
    }
}

impl From<i64> for Param {
    fn from(value: i64) -> Self {
        Tensor::scalar(value).into()
    }
}

impl From<&[i64]> for Param {
    fn from(values: &[i64]) -> Self {
        Tensor::vector(values).into()
    }
}

impl<const N: usize> From<[i64; N]> for Param {
    fn from(values: [i64; N]) -> Self {
        Tensor::vector(&values).into()
    }
}

impl From<Vec<i64>> for Param {
    fn from(values: Vec<i64>) -> Self {
        Tensor::vector(&values).into()
    }
}

impl From<&str> for Param {
    fn from(operand: &str) -> Self {
        Self::Operand(String::from(operand))
    }
}

impl From<ValueId> for Param {
    fn from(value: ValueId) -> Self {
        Self::Value(value)
    }
}

/// One entry of a bracket.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// `3`: takes one element and drops the axis; out of range is an error.
    Integer(i64),
    /// `start:end:step`, as Python resolves it.
    Slice {
        /// First index; absent: the first element, the last one when reversed.
        start: Option<i64>,
        /// Index to stop before; absent: through the end.
        end: Option<i64>,
        /// Step, not 0; absent: 1.
        step: Option<i64>,
    },
    /// `...`: as many whole axes as the others leave.
    Ellipsis,
    /// `newaxis`: a new axis of length 1.
    NewAxis,
    /// `@ids` or `[0, 2]`: a Gather; the rank of the indices replaces the axis.
    Gather(Param),
}

/// The notation's own bracket, `x[1:, ..., @ids]`: slices resolve as Python's `slice.indices`, integers and gathers refuse
/// what is out of range. Rows 40 to 42 of `docs/semantics.md`.
///
/// ```
/// # use xslice_core::{Entry, Index, Program};
/// let from_1 = Entry::Slice { start: Some(1), end: None, step: None };
/// let op = Index::new([from_1, Entry::Ellipsis, Entry::Integer(0)]);
/// assert_eq!(Program::chain("x").then(op).build()?, Program::parse("x[1:, ..., 0]")?);
/// # Ok::<(), xslice_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Index {
    pub(crate) entries: Vec<Entry>,
}

impl Index {
    /// A bracket of these entries.
    #[must_use]
    pub fn new(entries: impl Into<Vec<Entry>>) -> Self {
        Self {
            entries: entries.into(),
        }
    }
}

/// What a [`Reshape`] does with the dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReshapeRule {
    /// The dimensions are the parameter; one may be -1 and is computed. With `zero_copies`, 0 means the dimension of the data at
    /// the same place (ONNX without `allowzero`, OpenVINO with `special_zero`).
    Reshape {
        /// Whether 0 copies.
        zero_copies: bool,
    },
    /// Drops the axes of the parameter; every axis of size 1 where it is missing or, as OpenVINO's text says and ONNX Runtime does, empty.
    /// With `keeps_others`, an axis of another size stays (OpenVINO since 2024.3); without, it is refused (ONNX).
    Squeeze {
        /// Whether an axis of another size stays.
        keeps_others: bool,
    },
    /// Inserts axes of size 1 at the places of the parameter.
    Unsqueeze,
}

impl ReshapeRule {
    /// What the text calls the parameter.
    pub(crate) fn parameter(self) -> &'static str {
        match self {
            Self::Reshape { .. } => "shape",
            Self::Squeeze { .. } | Self::Unsqueeze => "axes",
        }
    }
}

/// Reshape, Squeeze and Unsqueeze: what stands between the operators in models. The elements and their order stay.
///
/// ```
/// # use xslice_core::{ElementType, Program, Reshape, ReshapeRule, Signature};
/// let rule = ReshapeRule::Squeeze { keeps_others: false };
/// let op = Reshape::new("onnx::Squeeze@13", rule, Some([0].into())).onnx(13);
/// let program = Program::chain("x").then(op).build()?;
/// let signature = Signature::new().operand(ElementType::F32, &[1, 5]);
/// assert_eq!(program.output_shape(&signature)?, [5]);
/// // One axis may be a scalar.
/// let op = Reshape::new("openvino::Unsqueeze@1", ReshapeRule::Unsqueeze, Some((-1).into()));
/// let program = Program::chain("x").then(op).build()?;
/// assert_eq!(program.output_shape(&signature)?, [1, 5, 1]);
/// # Ok::<(), xslice_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reshape {
    pub(crate) label: Cow<'static, str>,
    pub(crate) rule: ReshapeRule,
    pub(crate) shape: Option<Param>,
    /// The version, if the rules about types are ONNX's.
    pub(crate) onnx: Option<u32>,
}

impl Reshape {
    /// A reshape by `rule`; `label` is what errors call it, such as `onnx::Squeeze@13`; `shape` is the parameter: dimensions
    /// or axes, 1-D integers, or one axis as a scalar.
    #[must_use]
    pub fn new(
        label: impl Into<Cow<'static, str>>,
        rule: ReshapeRule,
        shape: Option<Param>,
    ) -> Self {
        Self {
            label: label.into(),
            rule,
            shape,
            onnx: None,
        }
    }

    /// The same by this version of ONNX's text: the parameter is i64 alone, and bf16 came with version 13. Without it every integer type
    /// and every element type is taken, as OpenVINO's text says.
    #[must_use]
    pub fn onnx(mut self, version: u32) -> Self {
        self.onnx = Some(version);
        self
    }
}

/// An operator with its attributes, whichever it is: what a chain and a graph take, and importers make. Builders become one by `into`.
///
/// ```
/// # use xslice_core::{Gather, Op};
/// let op: Op = Gather::onnx(13).indices("ids").into();
/// assert_eq!(op.label(), "onnx::Gather@13");
/// // A model of opset 17 means version 13.
/// assert_eq!(Op::version_at("onnx::Gather", 17), Some(13));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// ONNX Slice 1, 10, 11, 13.
    OnnxSlice(OnnxSlice),
    /// ONNX Gather 1, 11, 13.
    OnnxGather(OnnxGather),
    /// ONNX Range 11.
    OnnxRange(OnnxRange),
    /// OpenVINO Slice 8.
    OpenVinoSlice(OpenVinoSlice),
    /// OpenVINO StridedSlice 1.
    StridedSlice(OpenVinoStridedSlice),
    /// The notation's bracket.
    Index(Index),
    /// Reshape, Squeeze, Unsqueeze.
    Reshape(Reshape),
}

macro_rules! into_op {
    ($($from:ident => $variant:ident,)*) => {$(
        impl From<$from> for Op {
            fn from(op: $from) -> Self { Self::$variant(op) }
        }
    )*};
}

into_op! {
    OnnxSlice => OnnxSlice,
    OnnxGather => OnnxGather,
    OnnxRange => OnnxRange,
    OpenVinoSlice => OpenVinoSlice,
    OpenVinoStridedSlice => StridedSlice,
    Index => Index,
    Reshape => Reshape,
}

/// The parameters of an operator by name, each as `$as` borrows it.
macro_rules! named_params {
    ($op:expr, $as:ident) => {
        match $op {
            Self::OnnxSlice(op) => [
                ("starts", op.starts.$as()),
                ("ends", op.ends.$as()),
                ("axes", op.axes.$as()),
                ("steps", op.steps.$as()),
            ],
            Self::OnnxGather(op) => [
                ("indices", op.indices.$as()),
                ("", None),
                ("", None),
                ("", None),
            ],
            Self::OnnxRange(op) => [
                ("start", op.start.$as()),
                ("limit", op.limit.$as()),
                ("delta", op.delta.$as()),
                ("", None),
            ],
            Self::OpenVinoSlice(op) => [
                ("start", op.start.$as()),
                ("stop", op.stop.$as()),
                ("step", op.step.$as()),
                ("axes", op.axes.$as()),
            ],
            Self::StridedSlice(op) => [
                ("begin", op.begin.$as()),
                ("end", op.end.$as()),
                ("stride", op.stride.$as()),
                ("", None),
            ],
            Self::Index(_) => [("", None), ("", None), ("", None), ("", None)],
            Self::Reshape(op) => [
                (op.rule.parameter(), op.shape.$as()),
                ("", None),
                ("", None),
                ("", None),
            ],
        }
    };
}

impl Op {
    /// What errors call the operator: `onnx::Slice@13`; a bracket is `index`.
    #[must_use]
    pub fn label(&self) -> Cow<'static, str> {
        match self.kind_and_version() {
            Some((kind, version)) => Cow::Owned(format!("{}@{version}", kind.name())),
            None => match self {
                Self::Reshape(op) => op.label.clone(),
                _ => Cow::Borrowed("index"),
            },
        }
    }

    fn kind_and_version(&self) -> Option<(OpKind, u32)> {
        match self {
            Self::OnnxSlice(op) => Some((OpKind::OnnxSlice, op.version)),
            Self::OnnxGather(op) => Some((OpKind::OnnxGather, op.version)),
            Self::OnnxRange(op) => Some((OpKind::OnnxRange, op.version)),
            Self::OpenVinoSlice(op) => Some((OpKind::OpenVinoSlice, op.version)),
            Self::StridedSlice(op) => Some((OpKind::StridedSlice, op.version)),
            Self::Index(_) | Self::Reshape(_) => None,
        }
    }

    /// The version that a model of this opset means: the newest one not above it.
    ///
    /// `None` if the operator does not exist here, or not yet at that opset.
    #[must_use]
    pub fn version_at(name: &str, opset: u32) -> Option<u32> {
        let versions = Self::versions(name)?.iter().copied();
        versions.rev().find(|&version| version <= opset)
    }

    /// The versions of an operator, such as `onnx::Slice`; `None` if it does not exist here.
    #[must_use]
    pub fn versions(name: &str) -> Option<&'static [u32]> {
        OpKind::from_name(name).map(OpKind::versions)
    }

    /// The parameters by name, in the order of the text, with those that are absent left out.
    pub fn params(&self) -> impl Iterator<Item = (&'static str, &Param)> {
        let named = self.named_params().into_iter();
        let entries = match self {
            Self::Index(op) => &op.entries[..],
            _ => &[],
        };
        let gathers = entries.iter().filter_map(gather_entry);
        named
            .filter_map(|(name, param)| Some((name, param?)))
            .chain(gathers.map(|param| ("indices", param)))
    }

    /// The parameter of that name, which is none of a bracket; `None` if it is absent.
    pub(crate) fn param(&self, name: &'static str) -> Option<&Param> {
        let named = self.named_params().into_iter();
        named
            .filter_map(|(given, param)| param.filter(|_| given == name))
            .next()
    }

    /// The parameters that an operator has by name. A bracket has none.
    fn named_params(&self) -> [(&'static str, Option<&Param>); 4] {
        named_params!(self, as_ref)
    }

    pub(crate) fn params_mut(&mut self) -> Vec<&mut Param> {
        if let Self::Index(op) = self {
            let entries = op.entries.iter_mut();
            let gathers = entries.filter_map(|entry| match entry {
                Entry::Gather(param) => Some(param),
                Entry::Integer(_) | Entry::Slice { .. } | Entry::Ellipsis | Entry::NewAxis => None,
            });
            return gathers.collect();
        }
        let named = named_params!(self, as_mut).into_iter();
        named.filter_map(|(_, param)| param).collect()
    }

    /// Bytes on the heap: constants, and lists that are as long as a text makes them.
    pub(crate) fn heap_bytes(&self) -> usize {
        let constants = self.params().map(|(_, param)| match param {
            Param::Constant(tensor) => tensor.memory(),
            Param::Operand(name) => name.len(),
            Param::Value(_) => 0,
        });
        let own = match self {
            Self::StridedSlice(op) => {
                let masks = op.masks().into_iter();
                masks.map(|(_, mask)| size_of_val(mask)).sum()
            }
            Self::Index(op) => size_of_val(&op.entries[..]),
            Self::Reshape(op) => op.label.len(),
            Self::OnnxSlice(_)
            | Self::OnnxGather(_)
            | Self::OnnxRange(_)
            | Self::OpenVinoSlice(_) => 0,
        };
        own + constants.sum::<usize>()
    }

    pub(crate) fn set_dialect(&mut self, dialect: Dialect) {
        match self {
            Self::OnnxSlice(op) => op.dialect = dialect,
            Self::OnnxGather(op) => op.dialect = dialect,
            Self::OnnxRange(op) => op.dialect = dialect,
            Self::StridedSlice(op) => op.dialect = dialect,
            Self::OpenVinoSlice(_) | Self::Index(_) | Self::Reshape(_) => {}
        }
    }

    /// Whether a parameter's values only select elements at run time (the indices of a gather); the values of every other
    /// parameter decide the shape and must be known when a kernel is compiled.
    #[must_use]
    pub fn selects(&self) -> bool {
        matches!(self, Self::OnnxGather(_) | Self::Index(_))
    }

    /// Whether the operator has no data operand.
    #[must_use]
    pub fn is_generator(&self) -> bool {
        self.kind_and_version()
            .is_some_and(|(kind, _)| kind.is_generator())
    }

    /// What the version of the operator has: version, required inputs, inputs it does not know.
    pub(crate) fn validate(&self) -> Result<(), Error> {
        if let Some((kind, version)) = self.kind_and_version() {
            kind.check_version(version)?;
            return kind.check_params(version, |name| self.param(name).is_some());
        }
        match self {
            Self::Reshape(op)
                if op.shape.is_none() && !matches!(op.rule, ReshapeRule::Squeeze { .. }) =>
            {
                Err(refuse_missing(op.rule.parameter()))
            }
            _ => Ok(()),
        }
    }

    /// Refuses data of an element type that the version does not take.
    pub(crate) fn check_data_type(&self, ty: ElementType) -> Result<(), Error> {
        let version = match self {
            Self::OnnxSlice(op) => Some(op.version),
            Self::OnnxGather(op) => Some(op.version),
            Self::Reshape(op) => op.onnx,
            Self::OnnxRange(_) | Self::OpenVinoSlice(_) => None,
            Self::StridedSlice(_) | Self::Index(_) => None,
        };
        let refused = version.and_then(|version| refuse_type(version, ty));
        refused.map_or(Ok(()), |error| Err(error.parameter("data")))
    }

    /// The element types that a parameter may have.
    pub(crate) fn check_param_type(
        &self,
        name: &'static str,
        ty: ElementType,
    ) -> Result<(), Error> {
        use ElementType::{F32, F64, I16, I32, I64};
        let (fits, allowed) = match self {
            Self::OnnxSlice(OnnxSlice { version: 1, .. })
            | Self::Reshape(Reshape { onnx: Some(_), .. }) => (ty == I64, "i64"),
            Self::OnnxSlice(_) | Self::OnnxGather(_) | Self::Index(_) => {
                (matches!(ty, I32 | I64), "i32, i64")
            }
            Self::OnnxRange(_) => (
                matches!(ty, I16 | I32 | I64 | F32 | F64),
                "i16, i32, i64, f32, f64",
            ),
            Self::OpenVinoSlice(_) | Self::StridedSlice(_) | Self::Reshape(_) => {
                (ty.is_integer(), "i8, i16, i32, i64, u8, u16, u32, u64")
            }
        };
        if fits {
            return Ok(());
        }
        // The parameters of a Range have the type of its elements.
        let kind = match self {
            Self::OnnxRange(_) => ErrorKind::ElementType,
            _ => ErrorKind::ParameterType,
        };
        Err(Error::new(kind, format!("`{name}` has element type {ty}"))
            .parameter(name)
            .value(ty)
            .allowed(allowed))
    }
}

fn gather_entry(entry: &Entry) -> Option<&Param> {
    match entry {
        Entry::Gather(param) => Some(param),
        Entry::Integer(_) | Entry::Slice { .. } | Entry::Ellipsis | Entry::NewAxis => None,
    }
}

/// `a, b or c`.
fn list_words(words: impl Iterator<Item = String>) -> String {
    let words: Vec<_> = words.collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
