//! Where the rules of the operator texts end.
//!
//! An operator, the values of its parameters and the shape of its data become one [`AxisIndex`] an axis, and the parameters of a Range its
//! values: every wrap, clamp, mask, ellipsis, default and dialect is decided in this file and those below it, and nowhere else. Row numbers
//! refer to the semantics table of the documentation. Rules that need no shape are in [`validate`], which also runs when a program is built.

use crate::error::{Error, ErrorKind, counted};
use crate::index::{self, from_start};
use crate::list::List;
use crate::op::{Dialect, OnnxGather, OnnxSlice, Op, OpenVinoSlice, Param};
use crate::tensor::{MOST_AXES, Tensor};
use alloc::{borrow::Cow, format, string::String, vec::Vec};

mod bracket;
pub(crate) mod literal;
pub(crate) mod range;
mod reshape;
mod strided;

pub(crate) use bracket::refusals as bracket_refusals;
pub(crate) use reshape::reshaped;

/// What a result axis, or no axis, takes from one axis of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AxisIndex {
    /// `len` elements from `start` by `step`; `step` is 0 where `len` is at most 1, `start` is 0 where there is none.
    Affine { start: i64, step: i64, len: usize },
    /// One element; the axis disappears.
    Fixed(i64),
    /// A new axis of length 1; no axis of the data is consumed.
    #[default]
    NewAxis,
    /// The axis is gathered: the shape of the indices stands in its place.
    Gather,
}

impl AxisIndex {
    fn whole(dim: usize) -> Self {
        progression(0, 1, dim as i128)
    }

    /// Axes of these dimensions, all whole.
    fn wholes(dims: &[usize]) -> impl Iterator<Item = Self> {
        dims.iter().map(|&dim| Self::whole(dim))
    }
}

/// The value of a parameter as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Known<'a> {
    /// Not given.
    Absent,
    /// Arrives at run time.
    Later,
    /// This.
    Value(&'a Tensor),
}

/// Parameters by name.
pub(crate) type Params<'a> = &'a dyn Fn(&'static str) -> Known<'a>;

/// The integers of a 1-D parameter.
#[derive(Clone, Copy)]
struct Entries<'a>(&'a Tensor);

impl Entries<'_> {
    fn len(self) -> usize {
        self.0.len()
    }

    /// An entry; `None` if there are fewer.
    fn get(self, at: usize) -> Option<i64> {
        self.0.integer(at)
    }

    /// An entry as it is given: axes and indices beyond `i64` are refused by their own value, not by the one they saturate to.
    fn given(self, at: usize) -> i128 {
        self.0.given_integer(at).unwrap_or_default()
    }

    /// All of them as they are given.
    fn all_given(self) -> List<i128> {
        (0..self.len()).map(|at| self.given(at)).collect()
    }
}

/// The entries of a parameter, if it is known: what `validate` passes on to `axes`.
type Values<'a> = Option<Entries<'a>>;

/// Reads parameter `name` as a list of integers, checking its type and rank. Rows 6, 23: such parameters are 1-D.
fn list<'a>(op: &Op, name: &'static str, known: Params<'a>) -> Result<Values<'a>, Error> {
    list_or_scalar(op, name, known, false)
}

/// The same; where `takes_scalar`, a scalar is the only entry.
fn list_or_scalar<'a>(
    op: &Op,
    name: &'static str,
    known: Params<'a>,
    takes_scalar: bool,
) -> Result<Values<'a>, Error> {
    let Known::Value(tensor) = known(name) else {
        return Ok(None);
    };
    op.check_param_type(name, tensor.element_type())?;
    let is_scalar = tensor.shape().is_empty();
    if tensor.shape().len() != 1 && !(takes_scalar && is_scalar) {
        let shape = format!("{:?}", tensor.shape());
        return Err(Error::new(
            ErrorKind::ParameterRank,
            format!("`{name}` has shape {shape}"),
        )
        .parameter(name)
        .value(shape)
        .allowed(if takes_scalar {
            "rank 0 or 1"
        } else {
            "rank 1"
        }));
    }
    // No data has as many axes, and a list may be a parameter of thousands of operators.
    if tensor.len() > MOST_AXES {
        let len = tensor.len();
        return Err(Error::new(
            ErrorKind::TooManyEntries,
            format!("`{name}` has {len} entries"),
        )
        .parameter(name)
        .value(len)
        .allowed(format!("0..={MOST_AXES} entries")));
    }
    Ok(Some(Entries(tensor)))
}

const ONNX_SLICE: [&str; 4] = ["starts", "ends", "axes", "steps"];
const OPENVINO_SLICE: [&str; 4] = ["start", "stop", "step", "axes"];
const STRIDED_SLICE: [&str; 3] = ["begin", "end", "stride"];

/// The lists of a slice-like operator, in the order of its names.
struct Lists<'a, const N: usize>([Values<'a>; N]);

impl<'a, const N: usize> Lists<'a, N> {
    /// The lists as far as they may be read, and what is wrong with them.
    fn examine(
        op: &Op,
        names: [&'static str; N],
        known: Params<'a>,
        refusals: &mut Vec<Error>,
    ) -> Self {
        let lists = names.map(|name| {
            list(op, name, known).unwrap_or_else(|error| {
                refusals.push(error);
                None
            })
        });
        let mut given = names
            .iter()
            .zip(&lists)
            .filter_map(|(name, list)| Some((name, list.as_ref()?.len())));
        // Rows 6, 23, 39: all lists are equally long.
        if let Some((first, len)) = given.next() {
            refusals.extend(
                given
                    .filter(|(_, other)| *other != len)
                    .map(|(name, other)| {
                        let has = entries_of(other);
                        let text = format!("`{name}` has {has} but `{first}` has {len}");
                        Error::new(ErrorKind::LengthMismatch, text)
                            .parameter(*name)
                            .value(other)
                            .allowed(entries_of(len))
                    }),
            );
        }
        Self(lists)
    }

    /// The lists, or the first thing that is wrong with them.
    fn read(op: &Op, names: [&'static str; N], known: Params<'a>) -> Result<Self, Error> {
        let mut refusals = Vec::new();
        let lists = Self::examine(op, names, known, &mut refusals);
        first(refusals).map(|()| lists)
    }
}

fn first(refusals: Vec<Error>) -> Result<(), Error> {
    refusals.into_iter().next().map_or(Ok(()), Err)
}

/// The rules that need no shape, as far as parameters are known.
pub(crate) fn validate(op: &Op, known: Params<'_>) -> Result<(), Error> {
    first(refusals(op, known))
}

/// The same rules: each that is broken, as often as it is.
fn refusals(op: &Op, known: Params<'_>) -> Vec<Error> {
    let mut refusals = Vec::new();
    match op {
        Op::OnnxSlice(_) => {
            let Lists([_, _, _, steps]) = Lists::examine(op, ONNX_SLICE, known, &mut refusals);
            one_type(op, known, &mut refusals);
            refusals.extend(zeros(steps, "steps"));
        }
        Op::OpenVinoSlice(_) => {
            let Lists([_, _, step, _]) = Lists::examine(op, OPENVINO_SLICE, known, &mut refusals);
            refusals.extend(zeros(step, "step"));
        }
        Op::StridedSlice(slice) => {
            refusals.extend(strided::masks(slice));
            let masks_hold = refusals.is_empty();
            let lists = Lists::examine(op, STRIDED_SLICE, known, &mut refusals);
            // Without its masks nothing is known of an entry.
            if masks_hold {
                let entries = lists.0.iter().flatten().map(|list| list.len()).max();
                strided::slots(slice, &lists, entries.unwrap_or(0), &mut refusals);
            }
        }
        Op::OnnxGather(_) | Op::OnnxRange(_) => {
            // Literals without a type get one that is checked where it comes from.
            let untyped = matches!(op, Op::OnnxRange(range) if range.untyped);
            for (name, param) in op.params() {
                if untyped && matches!(param, Param::Constant(_)) {
                    continue;
                }
                if let Known::Value(tensor) = known(name) {
                    refusals.extend(op.check_param_type(name, tensor.element_type()).err());
                }
            }
        }
        Op::Index(index) => refusals.extend(bracket::validate(op, index)),
        Op::Reshape(reshape) => refusals.extend(reshape::parameter(op, reshape, known).err()),
    }
    refusals
}

/// The rules that constants break without any shape; run when a program is built.
pub(crate) fn validate_constants(op: &Op) -> Result<(), Error> {
    first(constant_refusals(op))
}

/// The same rules: each that is broken, as often as it is.
pub(crate) fn constant_refusals(op: &Op) -> Vec<Error> {
    refusals(op, &|name| match op.param(name) {
        None => Known::Absent,
        Some(Param::Constant(tensor)) => Known::Value(tensor),
        Some(Param::Operand(_) | Param::Value(_)) => Known::Later,
    })
}

/// ONNX binds one type variable to all index inputs of Slice. Types that none of them may have are refused where the lists are read.
fn one_type(op: &Op, known: Params<'_>, refusals: &mut Vec<Error>) {
    let mut first = None;
    for (name, _) in op.params() {
        let Known::Value(tensor) = known(name) else {
            continue;
        };
        let ty = tensor.element_type();
        if op.check_param_type(name, ty).is_err() {
            continue;
        }
        let (first_name, first_ty) = *first.get_or_insert((name, ty));
        if ty != first_ty {
            let text = format!("`{name}` is {ty} but `{first_name}` is {first_ty}");
            refusals.push(
                Error::new(ErrorKind::ParameterType, text)
                    .parameter(name)
                    .value(ty)
                    .allowed(first_ty.name()),
            );
        }
    }
}

/// Rows 10, 23: step 0 is refused, on an empty or unselected dimension too.
fn zeros(steps: Values<'_>, name: &'static str) -> impl Iterator<Item = Error> {
    let steps = steps
        .into_iter()
        .flat_map(|steps| (0..steps.len()).map(move |at| (at, steps.get(at))));
    steps
        .filter(|(_, step)| *step == Some(0))
        .map(move |(at, _)| step_zero(name, at))
}

fn step_zero(name: &'static str, at: usize) -> Error {
    Error::new(ErrorKind::StepZero, format!("`{name}[{at}]` = 0"))
        .parameter(name)
        .position(at)
        .value(0)
        .allowed("any value but 0")
}

/// The axes of the result, from the operator, its parameters (all known and validated by now) and the shape of its data. Range and Reshape
/// have their own functions.
pub(crate) fn axes(op: &Op, known: Params<'_>, dims: &[usize]) -> Result<List<AxisIndex>, Error> {
    match op {
        Op::OnnxSlice(OnnxSlice { dialect, .. }) => {
            let Lists([starts, ends, axes, steps]) = Lists::read(op, ONNX_SLICE, known)?;
            slice(
                &Slices {
                    names: ["starts", "axes"],
                    starts,
                    ends,
                    axes,
                    steps,
                    dialect: *dialect,
                },
                dims,
            )
        }
        Op::OpenVinoSlice(OpenVinoSlice { .. }) => {
            let Lists([starts, ends, steps, axes]) = Lists::read(op, OPENVINO_SLICE, known)?;
            let dialect = Dialect::Standard;
            slice(
                &Slices {
                    names: ["start", "axes"],
                    starts,
                    ends,
                    axes,
                    steps,
                    dialect,
                },
                dims,
            )
        }
        Op::StridedSlice(slice) => {
            strided::axes(slice, &Lists::read(op, STRIDED_SLICE, known)?, dims)
        }
        Op::OnnxGather(OnnxGather { axis, .. }) => {
            needs_rank(dims)?;
            let axis = normalize_axis((*axis).into(), dims.len(), "axis", None)?;
            let mut result: List<_> = AxisIndex::wholes(dims).collect();
            result[axis] = AxisIndex::Gather;
            Ok(result)
        }
        Op::Index(index) => bracket::axes(index, dims),
        Op::OnnxRange(_) | Op::Reshape(_) => Ok(List::new()),
    }
}

/// ONNX Slice and OpenVINO Slice, which differ in names only.
struct Slices<'a> {
    names: [&'static str; 2],
    starts: Values<'a>,
    ends: Values<'a>,
    axes: Values<'a>,
    steps: Values<'a>,
    dialect: Dialect,
}

fn slice(slices: &Slices<'_>, dims: &[usize]) -> Result<List<AxisIndex>, Error> {
    needs_rank(dims)?;
    let entries = slices.starts.map_or(0, Entries::len);
    let [starts_name, axes_name] = slices.names;
    // Row 6: more entries than dimensions.
    if entries > dims.len() {
        return Err(too_many_entries(starts_name, entries, dims.len()));
    }
    let value = |list: Values<'_>, at: usize| list.and_then(|list| list.get(at));
    let mut result: List<_> = AxisIndex::wholes(dims).collect();
    let mut taken = List::repeat(false, dims.len());
    for at in 0..entries {
        let (start, end) = (value(slices.starts, at), value(slices.ends, at));
        let axis = match slices.axes {
            Some(axes) => normalize_axis(axes.given(at), dims.len(), axes_name, Some(at))?,
            None => at,
        };
        // Rows 4, 23: a repeated axis, in mixed signs too.
        if core::mem::replace(&mut taken[axis], true) {
            let given = slices.axes.map_or(0, |axes| axes.given(at));
            return Err(axis_repeated(axes_name, at, given, axis));
        }
        let step = value(slices.steps, at).unwrap_or(1);
        // Row 2 in the dialect: exactly these two values mean "to the end" of a reversed slice.
        let to_the_end = slices.dialect == Dialect::OnnxRuntime
            && step < 0
            && (end == Some(i64::MAX) || end == Some(i64::from(i32::MAX)));
        let end = if to_the_end { None } else { end };
        result[axis] = bounded(start, end, step, dims[axis], 0);
    }
    Ok(result)
}

/// Rows 1, 2, 3, 22, 28, 40: wraps and clamps `start` and `end` (`None`: from the first, through the last element in walking
/// order) and counts. `lowest` is what a reversed start clamps to from below: element 0, or -1 (nothing) as in Python.
fn bounded(
    start: Option<i64>,
    end: Option<i64>,
    step: i64,
    size: usize,
    lowest: i128,
) -> AxisIndex {
    let dim = size as i128;
    // A size-0 axis has no element whatever the step: the clamp range of a reversed one would be [0, -1].
    if dim == 0 {
        return progression(0, 1, 0);
    }
    let wrap = |value: i64| from_start(value, size);
    let (start, end) = if step > 0 {
        (
            start.map_or(0, |start| wrap(start).clamp(0, dim)),
            end.map_or(dim, |end| wrap(end).clamp(0, dim)),
        )
    } else {
        let start = start.map_or(dim - 1, |start| wrap(start).clamp(lowest, dim - 1));
        (start, end.map_or(-1, |end| wrap(end).clamp(-1, dim)))
    };
    let distance = if step > 0 { end - start } else { start - end };
    // At most a dimension.
    let distance = u64::try_from(distance).unwrap_or(0);
    let len = distance.div_ceil(step.unsigned_abs());
    progression(start, step.into(), len.into())
}

/// `len` is at most a dimension; `start` is within it and `step` too where they count.
#[expect(
    clippy::cast_possible_truncation,
    reason = "bounded by a dimension, see above"
)]
#[expect(clippy::cast_sign_loss, reason = "a length is at least 0")]
fn progression(start: i128, step: i128, len: i128) -> AxisIndex {
    let start = if len == 0 { 0 } else { start as i64 };
    let step = if len <= 1 { 0 } else { step as i64 };
    AxisIndex::Affine {
        start,
        step,
        len: len as usize,
    }
}

/// Rows 5, 23: the operator needs rank 1 or more.
fn needs_rank(dims: &[usize]) -> Result<(), Error> {
    if dims.is_empty() {
        return Err(Error::new(ErrorKind::RankZero, "the data has rank 0")
            .parameter("data")
            .value(0)
            .allowed("rank 1 or more"));
    }
    Ok(())
}

fn too_many_entries(name: &'static str, entries: usize, rank: usize) -> Error {
    Error::new(
        ErrorKind::TooManyEntries,
        format!(
            "`{name}` has {entries} entries but the data has {}",
            axes_of(rank)
        ),
    )
    .parameter(name)
    .value(entries)
    .allowed(format!("0..={rank} entries"))
}

fn axes_of(rank: usize) -> String {
    counted(rank, "axis", "axes")
}

fn entries_of(len: usize) -> String {
    counted(len, "entry", "entries")
}

/// Row 7: a negative axis counts from the end, in every version.
fn normalize_axis(
    axis: i128,
    rank: usize,
    name: &'static str,
    at: Option<usize>,
) -> Result<usize, Error> {
    let found = from_start(axis, rank);
    let rank = rank as i128;
    if (0..rank).contains(&found) {
        return Ok(usize::try_from(found).unwrap_or_default());
    }
    let place = at.map_or_else(|| String::from(name), |at| format!("{name}[{at}]"));
    let error = Error::new(
        ErrorKind::AxisRange,
        format!("`{place}` = {axis} is no axis of data of rank {rank}"),
    )
    .parameter(name)
    .value(axis)
    .allowed(match rank {
        0 => String::from("no axis"),
        _ => format!("{}..={}", -rank, rank - 1),
    });
    Err(match at {
        Some(at) => error.position(at),
        None => error,
    })
}

/// An entry of a list of axes that names one of them again.
fn axis_repeated(name: &'static str, at: usize, value: i128, axis: usize) -> Error {
    let text = format!("`{name}[{at}]` = {value} names axis {axis} again");
    Error::new(ErrorKind::AxisRepeated, text)
        .parameter(name)
        .axis(axis)
        .position(at)
        .value(value)
        .allowed("each axis once")
}

/// Row 42: an integer takes one element, counted from the end if negative, and refuses what is outside.
fn element(index: i64, axis: usize, dim: usize) -> Result<i64, Error> {
    within(index.into(), None, axis, dim).map_err(|error| match dim {
        0 => error,
        _ => error.hint(format!(
            "a slice such as `{index}:` clamps, an index does not"
        )),
    })
}

/// The position of an index in its axis, counted from the end if negative; a refusal names the parameter and the place that it is given at.
fn within(
    index: i128,
    named: Option<(&'static str, usize)>,
    axis: usize,
    dim: usize,
) -> Result<i64, Error> {
    let found = from_start(index, dim);
    if (0..dim as i128).contains(&found) {
        return Ok(i64::try_from(found).unwrap_or_default());
    }
    let shown = match named {
        Some((name, at)) => format!("`{name}[{at}]` = {index}"),
        None => format!("index {index}"),
    };
    let text = format!("{shown} is out of range for axis {axis} of size {dim}");
    let error = Error::new(ErrorKind::IndexRange, text)
        .axis(axis)
        .value(index);
    let error = match named {
        Some((name, at)) => error.parameter(name).position(at),
        None => error,
    };
    Err(error.allowed(index::allowed(dim as i128)))
}

/// The refusal of an operand whose value decides shapes and is not in the signature.
pub(crate) fn value_missing(operand: &str) -> Error {
    let name: Cow<'static, str> = Cow::Owned(String::from(operand));
    Error::new(
        ErrorKind::OperandValue,
        format!("`{operand}` decides the shape of the result and has no value"),
    )
    .parameter(name)
    .hint("give its value in the signature (`Signature::value`)")
}
