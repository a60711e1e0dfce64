//! What a case is: operands and steps, described once, without a word of the compiler's own.
//!
//! A [`Value`] is where elements come from and what is done to them; every parameter of a step is a value again, so that
//! indices may be sliced and starts may be gathered. `build` turns a description into a program, `oracle` into calls of the naive
//! oracle; the notation text of a case, where it has one, is a third side.

use crate::suite::{numbered, tensor};
use std::ops;
use xslice::{Dialect, Element, ElementType, Tensor};

/// A name, operands, a value, and the same in the notation where that can say it.
#[derive(Clone, Debug)]
pub struct Case {
    /// A sentence in `snake_case`.
    pub name: String,
    /// The program in the notation.
    pub text: Option<&'static str>,
    /// Names and elements, in the order of a call.
    pub operands: Vec<(String, Tensor)>,
    /// What is wanted.
    pub value: Value,
}

/// Elements, and the steps that they go through.
#[derive(Clone, Debug)]
pub struct Value {
    /// Where they come from.
    pub source: Source,
    /// What is done to them, in order.
    pub steps: Vec<Step>,
}

/// Where elements come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// The operand of that name.
    Operand(String),
    /// The text of the program.
    Constant(Tensor),
    /// ONNX Range by start, limit and delta.
    Range(Box<[Value; 3]>, Dialect),
}

/// One operator with its parameters.
#[derive(Clone, Debug)]
pub enum Step {
    /// ONNX Slice.
    Slice {
        /// 1, 10, 11 or 13.
        version: u32,
        /// `starts`, `ends`, `axes`, `steps`.
        params: [Option<Value>; 4],
        /// Where the text leaves a choice.
        dialect: Dialect,
    },
    /// OpenVINO Slice-8: `start`, `stop`, `step`, `axes`.
    OpenVinoSlice([Option<Value>; 4]),
    /// OpenVINO StridedSlice-1.
    StridedSlice {
        /// `begin`, `end`, `stride`.
        params: [Option<Value>; 3],
        /// begin, end, new axis, shrink axis, ellipsis.
        masks: [Vec<i64>; 5],
        /// Where the text leaves a choice.
        dialect: Dialect,
    },
    /// ONNX Gather.
    Gather {
        /// 1, 11 or 13.
        version: u32,
        /// The axis.
        axis: i64,
        /// Which entries of it.
        indices: Value,
    },
    /// The bracket of the notation.
    Index(Vec<At>),
    /// ONNX Reshape: 0 copies a dimension, one -1 is computed.
    Reshape(Vec<i64>),
    /// Drops these axes.
    Squeeze(Vec<i64>),
    /// Inserts axes of size 1 at these places.
    Unsqueeze(Vec<i64>),
}

/// One entry of a bracket.
#[derive(Clone, Debug)]
pub enum At {
    /// `3`
    Int(i64),
    /// `1:5:2`
    Slice([Option<i64>; 3]),
    /// `...`
    Dots,
    /// `newaxis`
    New,
    /// `@ids` or `[0, 2]`
    Gather(Value),
}

/// A case on one operand `x` of numbered elements.
pub fn x<const N: usize>(ty: ElementType, shape: [usize; N]) -> Case {
    on(numbered(ty, &shape, 1))
}

/// A case on one operand `x` of these elements.
pub fn on(x: Tensor) -> Case {
    of("x").given("x", x)
}

/// A case without any operand yet.
pub fn of(value: impl Into<Value>) -> Case {
    Case {
        name: String::new(),
        text: None,
        operands: Vec::new(),
        value: value.into(),
    }
}

impl Case {
    /// The same case with another operand.
    pub fn given(mut self, name: &str, tensor: Tensor) -> Self {
        self.operands.push((name.to_string(), tensor));
        self
    }

    /// The same case with another operand of `i64`.
    pub fn ids<const N: usize>(self, shape: &[usize], values: [i64; N]) -> Self {
        self.given("ids", tensor(shape, &values))
    }

    /// Then this operator.
    pub fn then(mut self, step: Step) -> Self {
        self.value.steps.push(step);
        self
    }

    /// Then this bracket.
    pub fn at(self, entries: impl Into<Vec<At>>) -> Self {
        self.then(Step::Index(entries.into()))
    }

    /// Then ONNX Gather-13 on axis 0.
    pub fn gather(self, indices: impl Into<Value>) -> Self {
        self.then(gather(13, indices))
    }

    /// The same case under this name.
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_string();
        self
    }

    /// The same case, also said in the notation.
    pub fn text(mut self, text: &'static str) -> Self {
        self.text = Some(text);
        self
    }

    /// The same case with every constant as an operand whose value arrives with the call. The notation says something else then.
    pub fn late(&self) -> Self {
        let mut late = self.clone();
        late.text = None;
        late.name += " (parameters as operands)";
        let mut moved = Vec::new();
        late.value.late(&mut moved);
        late.operands.extend(moved);
        late
    }
}

impl Value {
    /// Then this operator.
    pub fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Then this bracket.
    pub fn at(self, entries: impl Into<Vec<At>>) -> Self {
        self.then(Step::Index(entries.into()))
    }

    /// Moves constants out into operands.
    fn late(&mut self, moved: &mut Vec<(String, Tensor)>) {
        match &mut self.source {
            Source::Operand(_) => {}
            Source::Constant(tensor) => {
                let name = format!("p{}", moved.len());
                moved.push((name.clone(), tensor.clone()));
                self.source = Source::Operand(name);
            }
            Source::Range(scalars, _) => scalars.iter_mut().for_each(|value| value.late(moved)),
        }
        for step in &mut self.steps {
            step.late(moved);
        }
    }
}

impl Step {
    fn late(&mut self, moved: &mut Vec<(String, Tensor)>) {
        let values: Vec<&mut Value> = match self {
            // In version 1 the parameters are attributes.
            Self::Slice { version: 1, .. } => Vec::new(),
            Self::Slice { params, .. } | Self::OpenVinoSlice(params) => {
                params.iter_mut().flatten().collect()
            }
            Self::StridedSlice { params, .. } => params.iter_mut().flatten().collect(),
            Self::Gather { indices, .. } => vec![indices],
            Self::Index(entries) => entries.iter_mut().filter_map(At::value).collect(),
            Self::Reshape(_) | Self::Squeeze(_) | Self::Unsqueeze(_) => Vec::new(),
        };
        values.into_iter().for_each(|value| value.late(moved));
    }

    /// The same slice on these axes.
    pub fn axes(mut self, axes: impl Into<Value>) -> Self {
        match &mut self {
            Self::Slice { params, .. } => params[2] = Some(axes.into()),
            Self::OpenVinoSlice(params) => params[3] = Some(axes.into()),
            _ => panic!("no axes here"),
        }
        self
    }

    /// The same slice by these steps.
    pub fn by(mut self, steps: impl Into<Value>) -> Self {
        match &mut self {
            Self::Slice { params, .. } => params[3] = Some(steps.into()),
            Self::StridedSlice { params, .. } => params[2] = Some(steps.into()),
            _ => panic!("no optional steps here"),
        }
        self
    }

    /// The same gather on this axis.
    pub fn axis(mut self, on: i64) -> Self {
        match &mut self {
            Self::Gather { axis, .. } => *axis = on,
            _ => panic!("no axis here"),
        }
        self
    }

    /// The same step in this dialect.
    pub fn dialect(mut self, wanted: Dialect) -> Self {
        match &mut self {
            Self::Slice { dialect, .. } | Self::StridedSlice { dialect, .. } => *dialect = wanted,
            _ => panic!("no dialect here"),
        }
        self
    }

    fn mask<const N: usize>(mut self, which: usize, bits: [i64; N]) -> Self {
        match &mut self {
            Self::StridedSlice { masks, .. } => masks[which] = bits.to_vec(),
            _ => panic!("no mask here"),
        }
        self
    }

    /// With this `begin_mask`.
    pub fn begin_mask<const N: usize>(self, bits: [i64; N]) -> Self {
        self.mask(0, bits)
    }

    /// With this `end_mask`.
    pub fn end_mask<const N: usize>(self, bits: [i64; N]) -> Self {
        self.mask(1, bits)
    }

    /// With this `new_axis_mask`.
    pub fn new_axis<const N: usize>(self, bits: [i64; N]) -> Self {
        self.mask(2, bits)
    }

    /// With this `shrink_axis_mask`.
    pub fn shrink<const N: usize>(self, bits: [i64; N]) -> Self {
        self.mask(3, bits)
    }

    /// With this `ellipsis_mask`.
    pub fn ellipsis<const N: usize>(self, bits: [i64; N]) -> Self {
        self.mask(4, bits)
    }
}

/// ONNX Slice with `starts` and `ends`.
pub fn slice(version: u32, starts: impl Into<Value>, ends: impl Into<Value>) -> Step {
    Step::Slice {
        version,
        params: [Some(starts.into()), Some(ends.into()), None, None],
        dialect: Dialect::Standard,
    }
}

/// OpenVINO Slice-8 with `start`, `stop` and `step`.
pub fn ov_slice(start: impl Into<Value>, stop: impl Into<Value>, step: impl Into<Value>) -> Step {
    Step::OpenVinoSlice([
        Some(start.into()),
        Some(stop.into()),
        Some(step.into()),
        None,
    ])
}

/// OpenVINO StridedSlice-1 with `begin` and `end`.
pub fn strided(begin: impl Into<Value>, end: impl Into<Value>) -> Step {
    Step::StridedSlice {
        params: [Some(begin.into()), Some(end.into()), None],
        masks: Default::default(),
        dialect: Dialect::Standard,
    }
}

/// ONNX Gather on axis 0.
pub fn gather(version: u32, indices: impl Into<Value>) -> Step {
    Step::Gather {
        version,
        axis: 0,
        indices: indices.into(),
    }
}

/// ONNX Range of three constants.
pub fn range<T: Element>(start: T, limit: T, delta: T) -> Value {
    range_of([start, limit, delta].map(Tensor::scalar), Dialect::Standard)
}

/// ONNX Range of three values, in a dialect.
pub fn range_of<V: Into<Value>>(scalars: [V; 3], dialect: Dialect) -> Value {
    Source::Range(Box::new(scalars.map(Into::into)), dialect).into()
}

impl From<Source> for Value {
    fn from(source: Source) -> Self {
        Self {
            source,
            steps: Vec::new(),
        }
    }
}

impl From<&str> for Value {
    fn from(operand: &str) -> Self {
        Source::Operand(operand.to_string()).into()
    }
}

impl From<Tensor> for Value {
    fn from(tensor: Tensor) -> Self {
        Source::Constant(tensor).into()
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Tensor::scalar(value).into()
    }
}

impl<const N: usize> From<[i64; N]> for Value {
    fn from(values: [i64; N]) -> Self {
        Tensor::vector(&values).into()
    }
}

impl At {
    fn value(&mut self) -> Option<&mut Value> {
        match self {
            Self::Gather(value) => Some(value),
            Self::Int(_) | Self::Slice(_) | Self::Dots | Self::New => None,
        }
    }
}

impl From<i64> for At {
    fn from(index: i64) -> Self {
        Self::Int(index)
    }
}

impl From<ops::RangeFull> for At {
    fn from(_: ops::RangeFull) -> Self {
        Self::Slice([None; 3])
    }
}

impl From<ops::RangeFrom<i64>> for At {
    fn from(range: ops::RangeFrom<i64>) -> Self {
        Self::Slice([Some(range.start), None, None])
    }
}

impl From<ops::RangeTo<i64>> for At {
    fn from(range: ops::RangeTo<i64>) -> Self {
        Self::Slice([None, Some(range.end), None])
    }
}

impl From<ops::Range<i64>> for At {
    fn from(range: ops::Range<i64>) -> Self {
        Self::Slice([Some(range.start), Some(range.end), None])
    }
}

impl From<&str> for At {
    fn from(operand: &str) -> Self {
        Self::Gather(operand.into())
    }
}

impl From<Value> for At {
    fn from(value: Value) -> Self {
        Self::Gather(value)
    }
}

/// `start:end:step` with some of them left out.
pub fn by(range: impl Into<At>, step: i64) -> At {
    match range.into() {
        At::Slice([start, end, None]) => At::Slice([start, end, Some(step)]),
        other => panic!("no slice without a step: {other:?}"),
    }
}

/// `start:end:step` with all three, `end` before `start` if one likes.
pub fn walk(start: i64, end: i64, step: i64) -> At {
    At::Slice([Some(start), Some(end), Some(step)])
}

/// A list in a bracket: a constant gather.
pub fn list<const N: usize>(values: [i64; N]) -> At {
    At::Gather(values.into())
}

/// The entries of a bracket: `at![1.., .., by(.., -1), 3, "ids"]`.
macro_rules! at {
    ($($entry:expr),* $(,)?) => { [$($crate::cases::describe::At::from($entry)),*] };
}
pub(crate) use at;
