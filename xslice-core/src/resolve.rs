//! Where the rules of the operator texts end.
//!
//! An operator, the values of its parameters and the shape of its data become one [`AxisIndex`] an axis: every wrap, clamp, mask,
//! ellipsis, default and dialect is decided in this file and nowhere else. Row numbers refer to the semantics table of the
//! documentation. Rules that need no shape are in [`validate`], which also runs when a program is built.

use crate::error::{Error, ErrorKind};
use crate::op::{
    Dialect, Entry, Index, OnnxGather, OnnxSlice, Op, OpenVinoSlice, OpenVinoStridedSlice, Param,
    Reshape, ReshapeRule,
};
use crate::tensor::{Tensor, element_count};
use alloc::{borrow::Cow, format, string::String, vec, vec::Vec};

/// What a result axis, or no axis, takes from one axis of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AxisIndex {
    /// `len` elements from `start` by `step`; `step` is 0 where `len` is at most 1, `start` is 0 where there is none.
    Affine { start: i64, step: i64, len: usize },
    /// One element; the axis disappears.
    Fixed(i64),
    /// A new axis of length 1; no axis of the data is consumed.
    NewAxis,
    /// The axis is gathered: the shape of the indices stands in its place.
    Gather,
}

impl AxisIndex {
    fn whole(dim: usize) -> Self {
        progression(0, 1, dim as i128)
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

/// The integers of a 1-D parameter: what `validate` passes on to `axes`.
type List = Option<Vec<i64>>;

/// Reads parameter `name` as a list of integers, checking its type and rank.
fn list(op: &Op, name: &'static str, known: Params<'_>) -> Result<List, Error> {
    let Known::Value(tensor) = known(name) else { return Ok(None) };
    op.check_param_type(name, tensor.element_type())?;
    // Rows 6, 23: parameters are 1-D.
    if tensor.shape().len() != 1 {
        let shape = format!("{:?}", tensor.shape());
        return Err(Error::new(ErrorKind::ParameterRank, format!("`{name}` has shape {shape}"))
            .parameter(name)
            .value(shape)
            .allowed("rank 1"));
    }
    Ok(tensor.integers())
}

/// The lists of a slice-like operator, in the order of its names.
struct Lists<const N: usize>([List; N]);

impl<const N: usize> Lists<N> {
    fn read(
        op: &Op,
        names: [&'static str; N],
        known: Params<'_>,
    ) -> Result<Self, Error> {
        let mut lists = [const { None }; N];
        for (slot, name) in lists.iter_mut().zip(names) {
            *slot = list(op, name, known)?;
        }
        let mut given = names.iter().zip(&lists).filter_map(|(name, list)| Some((name, list.as_ref()?.len())));
        // Rows 6, 23, 39: all lists are equally long.
        if let Some((first, len)) = given.next()
            && let Some((name, other)) = given.find(|&(_, other)| other != len)
        {
            return Err(Error::new(
                ErrorKind::LengthMismatch,
                format!("`{name}` has {other} entries but `{first}` has {len}"),
            )
            .parameter(*name)
            .value(other)
            .allowed(format!("{len} entries")));
        }
        Ok(Self(lists))
    }
}

/// The rules that need no shape, as far as parameters are known.
pub(crate) fn validate(op: &Op, known: Params<'_>) -> Result<(), Error> {
    match op {
        Op::OnnxSlice(_) => {
            one_type(op, known)?;
            let Lists([_, _, _, steps]) = onnx_slice_lists(op, known)?;
            no_zero(steps.as_deref(), "steps")
        }
        Op::OpenVinoSlice(_) => {
            let Lists([_, _, step, _]) = openvino_slice_lists(op, known)?;
            no_zero(step.as_deref(), "step")
        }
        Op::StridedSlice(slice) => {
            let lists = strided_slice_lists(op, known)?;
            masks(slice)?;
            let entries = lists.0.iter().flatten().map(Vec::len).next();
            entries.map_or(Ok(()), |entries| slots(slice, &lists, entries).map(|_| ()))
        }
        Op::OnnxGather(_) | Op::OnnxRange(_) => {
            for (name, _) in op.params() {
                if let Known::Value(tensor) = known(name) {
                    op.check_param_type(name, tensor.element_type())?;
                }
            }
            Ok(())
        }
        Op::Index(index) => bracket(index),
        Op::Reshape(_) => list(op, "shape", known).map(|_| ()),
    }
}

fn onnx_slice_lists(op: &Op, known: Params<'_>) -> Result<Lists<4>, Error> {
    Lists::read(op, ["starts", "ends", "axes", "steps"], known)
}

fn openvino_slice_lists(op: &Op, known: Params<'_>) -> Result<Lists<4>, Error> {
    Lists::read(op, ["start", "stop", "step", "axes"], known)
}

fn strided_slice_lists(op: &Op, known: Params<'_>) -> Result<Lists<3>, Error> {
    Lists::read(op, ["begin", "end", "stride"], known)
}

/// ONNX binds one type variable to all index inputs of Slice.
fn one_type(op: &Op, known: Params<'_>) -> Result<(), Error> {
    let mut first = None;
    for (name, _) in op.params() {
        let Known::Value(tensor) = known(name) else { continue };
        op.check_param_type(name, tensor.element_type())?;
        let ty = tensor.element_type();
        let (first_name, first_ty) = *first.get_or_insert((name, ty));
        if ty != first_ty {
            return Err(Error::new(
                ErrorKind::ParameterType,
                format!("`{name}` is {ty} but `{first_name}` is {first_ty}"),
            )
            .parameter(name)
            .value(ty)
            .allowed(first_ty.name()));
        }
    }
    Ok(())
}

/// Rows 10, 23: step 0 is refused, on an empty or unselected dimension too.
fn no_zero(steps: Option<&[i64]>, name: &'static str) -> Result<(), Error> {
    match steps.unwrap_or_default().iter().position(|&step| step == 0) {
        Some(at) => Err(step_zero(name, at)),
        None => Ok(()),
    }
}

fn step_zero(name: &'static str, at: usize) -> Error {
    Error::new(ErrorKind::StepZero, format!("`{name}[{at}]` = 0"))
        .parameter(name)
        .position(at)
        .value(0)
        .allowed("any value but 0")
}

/// The axes of the result, from the operator, its parameters (all known by now) and the shape of its data. Range and Reshape have
/// their own functions.
pub(crate) fn axes(
    op: &Op,
    known: Params<'_>,
    dims: &[usize],
) -> Result<Vec<AxisIndex>, Error> {
    validate(op, known)?;
    match op {
        Op::OnnxSlice(OnnxSlice { dialect, .. }) => {
            let Lists([starts, ends, axes, steps]) = onnx_slice_lists(op, known)?;
            slice(&Slices { names: ["starts", "axes"], starts, ends, axes, steps, dialect: *dialect }, dims)
        }
        Op::OpenVinoSlice(OpenVinoSlice { .. }) => {
            let Lists([starts, ends, steps, axes]) = openvino_slice_lists(op, known)?;
            let dialect = Dialect::Standard;
            slice(&Slices { names: ["start", "axes"], starts, ends, axes, steps, dialect }, dims)
        }
        Op::StridedSlice(slice) => strided_slice(slice, &strided_slice_lists(op, known)?, dims),
        Op::OnnxGather(OnnxGather { axis, .. }) => {
            needs_rank(dims)?;
            let axis = normalize_axis(*axis, dims.len(), "axis", None)?;
            let whole = dims.iter().map(|&dim| AxisIndex::whole(dim));
            Ok(whole.enumerate().map(|(k, whole)| if k == axis { AxisIndex::Gather } else { whole }).collect())
        }
        Op::Index(index) => index_axes(index, dims),
        Op::OnnxRange(_) | Op::Reshape(_) => Ok(Vec::new()),
    }
}

/// ONNX Slice and OpenVINO Slice, which differ in names only.
struct Slices {
    names: [&'static str; 2],
    starts: List,
    ends: List,
    axes: List,
    steps: List,
    dialect: Dialect,
}

fn slice(slices: &Slices, dims: &[usize]) -> Result<Vec<AxisIndex>, Error> {
    needs_rank(dims)?;
    let starts = slices.starts.as_deref().unwrap_or_default();
    let ends = slices.ends.as_deref().unwrap_or_default();
    let [starts_name, axes_name] = slices.names;
    // Row 6: more entries than dimensions.
    if starts.len() > dims.len() {
        return Err(too_many_entries(starts_name, starts.len(), dims.len()));
    }
    let mut result: Vec<_> = dims.iter().map(|&dim| AxisIndex::whole(dim)).collect();
    let mut taken = vec![false; dims.len()];
    for (at, (&start, &end)) in starts.iter().zip(ends).enumerate() {
        let axis = match slices.axes.as_deref() {
            Some(axes) => normalize_axis(axes[at], dims.len(), axes_name, Some(at))?,
            None => at,
        };
        // Rows 4, 23: a repeated axis, in mixed signs too.
        if core::mem::replace(&mut taken[axis], true) {
            let value = slices.axes.as_ref().map_or(0, |axes| axes[at]);
            return Err(Error::new(ErrorKind::AxisRepeated, format!("`{axes_name}[{at}]` = {value} names axis {axis} again"))
                .parameter(axes_name)
                .axis(axis)
                .position(at)
                .value(value)
                .allowed("each axis once"));
        }
        let step = slices.steps.as_ref().map_or(1, |steps| steps[at]);
        // Row 2 in the dialect: exactly these two values mean "to the end" of a reversed slice.
        let to_the_end = slices.dialect == Dialect::OnnxRuntime
            && step < 0
            && (end == i64::MAX || end == i64::from(i32::MAX));
        let end = if to_the_end { None } else { Some(end) };
        result[axis] = bounded(Some(start), end, step, dims[axis], 0);
    }
    Ok(result)
}

/// Rows 1, 2, 3, 22, 28, 40: wraps and clamps `start` and `end` (`None`: from the first, through the last element in walking
/// order) and counts. `lowest` is what a reversed start clamps to from below: element 0, or -1 (nothing) as in Python.
fn bounded(start: Option<i64>, end: Option<i64>, step: i64, dim: usize, lowest: i128) -> AxisIndex {
    let dim = dim as i128;
    // A size-0 axis has no element whatever the step: the clamp range of a reversed one would be [0, -1].
    if dim == 0 {
        return progression(0, 1, 0);
    }
    let wrap = |value: i64| i128::from(value) + if value < 0 { dim } else { 0 };
    let step = i128::from(step);
    let (start, end) = if step > 0 {
        (start.map_or(0, |start| wrap(start).clamp(0, dim)), end.map_or(dim, |end| wrap(end).clamp(0, dim)))
    } else {
        let start = start.map_or(dim - 1, |start| wrap(start).clamp(lowest, dim - 1));
        (start, end.map_or(-1, |end| wrap(end).clamp(-1, dim)))
    };
    let (distance, stride) = if step > 0 { (end - start, step) } else { (start - end, -step) };
    let len = if distance <= 0 { 0 } else { (distance + stride - 1) / stride };
    progression(start, step, len)
}

/// `len` is at most a dimension; `start` is within it and `step` too where they count.
#[expect(clippy::cast_possible_truncation, reason = "bounded by a dimension, see above")]
#[expect(clippy::cast_sign_loss, reason = "a length is at least 0")]
fn progression(start: i128, step: i128, len: i128) -> AxisIndex {
    let start = if len == 0 { 0 } else { start as i64 };
    let step = if len <= 1 { 0 } else { step as i64 };
    AxisIndex::Affine { start, step, len: len as usize }
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
    Error::new(ErrorKind::TooManyEntries, format!("`{name}` has {entries} entries but the data has {rank} axes"))
        .parameter(name)
        .value(entries)
        .allowed(format!("0..={rank} entries"))
}

/// Row 7: a negative axis counts from the end, in every version.
fn normalize_axis(axis: i64, rank: usize, name: &'static str, at: Option<usize>) -> Result<usize, Error> {
    let rank = rank as i128;
    let wrapped = i128::from(axis) + if axis < 0 { rank } else { 0 };
    if (0..rank).contains(&wrapped) {
        return Ok(usize::try_from(wrapped).unwrap_or_default());
    }
    let place = at.map_or_else(|| String::from(name), |at| format!("{name}[{at}]"));
    let error = Error::new(ErrorKind::AxisRange, format!("`{place}` = {axis} is no axis of data of rank {rank}"))
        .parameter(name)
        .value(axis)
        .allowed(format!("{}..={}", -rank, rank - 1));
    Err(match at {
        Some(at) => error.position(at),
        None => error,
    })
}

/// What one entry of a StridedSlice is, after its mask bits.
enum Slot {
    Ellipsis,
    NewAxis,
    Shrink(i64),
    Plain { begin: Option<i64>, end: Option<i64>, stride: i64, one: Option<i64> },
}

/// Row 33: masks hold 0 and 1.
fn masks(slice: &OpenVinoStridedSlice) -> Result<(), Error> {
    let masks = [
        ("begin_mask", &slice.begin_mask),
        ("end_mask", &slice.end_mask),
        ("new_axis_mask", &slice.new_axis_mask),
        ("shrink_axis_mask", &slice.shrink_axis_mask),
        ("ellipsis_mask", &slice.ellipsis_mask),
    ];
    for (name, mask) in masks {
        if let Some(at) = mask.iter().position(|&bit| bit != 0 && bit != 1) {
            return Err(Error::new(ErrorKind::MaskValue, format!("`{name}[{at}]` = {}", mask[at]))
                .parameter(name)
                .position(at)
                .value(mask[at])
                .allowed("0 or 1"));
        }
    }
    Ok(())
}

/// The entries with their masks applied; lists that are not known yet read as 1 (so that nothing is refused for them).
fn slots(slice: &OpenVinoStridedSlice, lists: &Lists<3>, entries: usize) -> Result<Vec<Slot>, Error> {
    // Row 32: masks are extended by zeros, surplus bits are ignored.
    let bit = |mask: &[i64], at: usize| mask.get(at).is_some_and(|&bit| bit == 1);
    let Lists([begin, end, stride]) = lists;
    let value = |list: &List, at: usize| list.as_ref().map_or(1, |list| list[at]);
    let mut ellipses = 0;
    let mut slots = Vec::with_capacity(entries);
    for at in 0..entries {
        let (begin_bit, end_bit) = (bit(&slice.begin_mask, at), bit(&slice.end_mask, at));
        // Row 31: ellipsis over new axis over shrink.
        slots.push(if bit(&slice.ellipsis_mask, at) {
            ellipses += 1;
            Slot::Ellipsis
        } else if bit(&slice.new_axis_mask, at) {
            Slot::NewAxis
        } else if bit(&slice.shrink_axis_mask, at) {
            // Row 30: a begin mask bit means element 0.
            Slot::Shrink(if begin_bit { 0 } else { value(begin, at) })
        } else {
            let (begin, end, stride) = (value(begin, at), value(end, at), value(stride, at));
            // Row 34: on an empty dimension too.
            if stride == 0 {
                return Err(step_zero("stride", at));
            }
            let text = slice.dialect == Dialect::OpenVinoText;
            // Row 25 in the dialect: compared as given.
            let one = (text && begin == end && !begin_bit && !end_bit).then_some(begin);
            // Row 26 in the dialect: a reversed end mask stops before element 0.
            let masked_end = if text && stride < 0 { Some(0) } else { None };
            Slot::Plain {
                begin: (!begin_bit).then_some(begin),
                end: if end_bit { masked_end } else { Some(end) },
                stride,
                one,
            }
        });
    }
    if ellipses > 1 {
        return Err(Error::new(ErrorKind::EllipsisMask, format!("`ellipsis_mask` sets {ellipses} bits"))
            .parameter("ellipsis_mask")
            .value(ellipses)
            .allowed("one bit at most"));
    }
    Ok(slots)
}

fn strided_slice(
    slice: &OpenVinoStridedSlice,
    lists: &Lists<3>,
    dims: &[usize],
) -> Result<Vec<AxisIndex>, Error> {
    let entries = lists.0[0].as_ref().map_or(0, Vec::len);
    let slots = slots(slice, lists, entries)?;
    // Row 33: rank 0 is the identity.
    if dims.is_empty() {
        return Ok(Vec::new());
    }
    // Row 32: only new-axis bits of entries count; row 37: such an entry consumes no dimension.
    let real = slots.iter().filter(|slot| matches!(slot, Slot::Shrink(_) | Slot::Plain { .. })).count();
    if real > dims.len() {
        return Err(too_many_entries("begin", real, dims.len()));
    }
    let mut result = Vec::with_capacity(entries.max(dims.len()));
    let mut axis = 0;
    for (at, slot) in slots.into_iter().enumerate() {
        match slot {
            Slot::NewAxis => result.push(AxisIndex::NewAxis),
            Slot::Ellipsis => {
                let skipped = dims.len() - real;
                result.extend(dims[axis..axis + skipped].iter().map(|&dim| AxisIndex::whole(dim)));
                axis += skipped;
            }
            Slot::Shrink(begin) => {
                result.push(AxisIndex::Fixed(shrink(begin, at, axis, dims[axis], slice.dialect)?));
                axis += 1;
            }
            Slot::Plain { begin, end, stride, one } => {
                result.push(match one {
                    Some(begin) if dims[axis] > 0 => progression(clamped(begin, dims[axis]), 1, 1),
                    _ => bounded(begin, end, stride, dims[axis], 0),
                });
                axis += 1;
            }
        }
    }
    // Row 33: fewer entries than dimensions, the rest whole.
    result.extend(dims[axis..].iter().map(|&dim| AxisIndex::whole(dim)));
    Ok(result)
}

/// Wrapped and clamped into a dimension of at least 1.
fn clamped(index: i64, dim: usize) -> i128 {
    let dim = dim as i128;
    (i128::from(index) + if index < 0 { dim } else { 0 }).clamp(0, dim - 1)
}

/// Rows 29, 36: only `begin` counts; out of range is an error, or clamps in the dialect (not into an empty axis).
fn shrink(begin: i64, at: usize, axis: usize, dim: usize, dialect: Dialect) -> Result<i64, Error> {
    if dialect == Dialect::OpenVinoText && dim > 0 {
        return Ok(i64::try_from(clamped(begin, dim)).unwrap_or_default());
    }
    element(begin, axis, dim).map_err(|error| error.parameter("begin").position(at))
}

/// Row 42: an integer takes one element, counted from the end if negative, and refuses what is outside.
fn element(index: i64, axis: usize, dim: usize) -> Result<i64, Error> {
    let wrapped = i128::from(index) + if index < 0 { dim as i128 } else { 0 };
    if (0..dim as i128).contains(&wrapped) {
        return Ok(i64::try_from(wrapped).unwrap_or_default());
    }
    let text = format!("index {index} is out of range for axis {axis} of size {dim}");
    let error = Error::new(ErrorKind::IndexRange, text).axis(axis).value(index);
    Err(if dim == 0 {
        error.allowed("no index: the axis is empty")
    } else {
        error
            .allowed(format!("-{dim}..={}", dim - 1))
            .hint(format!("a slice such as `{index}:` clamps, an index does not"))
    })
}

/// Row 41 and the bracket rules that need no shape.
fn bracket(index: &Index) -> Result<(), Error> {
    let count = |wanted: fn(&Entry) -> bool| index.entries.iter().filter(|entry| wanted(entry)).count();
    if index.entries.is_empty() {
        return Err(Error::new(ErrorKind::Syntax, "an empty bracket").hint("the whole is `[...]`"));
    }
    if count(|entry| matches!(entry, Entry::Ellipsis)) > 1 {
        return Err(Error::new(ErrorKind::TwoEllipses, "two ellipses in one bracket").allowed("one `...`"));
    }
    let gathers = count(|entry| matches!(entry, Entry::Gather(_)));
    if gathers > 1 {
        return Err(Error::new(ErrorKind::TwoGathers, "two gathers in one bracket")
            .allowed("one `@name` or list a bracket")
            .hint("NumPy would pair the lists; write a chain such as `x[[0, 2]][:, [0, 2]]`"));
    }
    for (at, entry) in index.entries.iter().enumerate() {
        if let Entry::Slice { step: Some(0), .. } = entry {
            return Err(step_zero("step", at));
        }
        if let Entry::Gather(Param::Constant(tensor)) = entry {
            Op::Index(index.clone()).check_param_type("indices", tensor.element_type())?;
        }
    }
    if gathers == 1 { mixed_gather(&index.entries) } else { Ok(()) }
}

/// An integer beside a gather is fine where only integers stand between the two.
fn mixed_gather(entries: &[Entry]) -> Result<(), Error> {
    let advanced = |entry: &Entry| matches!(entry, Entry::Integer(_) | Entry::Gather(_));
    let first = entries.iter().position(advanced).unwrap_or(0);
    let last = entries.iter().rposition(advanced).unwrap_or(0);
    if entries[first..=last].iter().all(advanced) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::MixedGather, "an integer and a gather with a slice, ellipsis or newaxis between them")
        .allowed("an integer directly beside the gather")
        .hint("NumPy would move the gathered axis to the front; write a chain such as `x[0][:, [0, 2]]`"))
}

fn index_axes(index: &Index, dims: &[usize]) -> Result<Vec<AxisIndex>, Error> {
    let consumes = |entry: &&Entry| !matches!(entry, Entry::Ellipsis | Entry::NewAxis);
    let real = index.entries.iter().filter(consumes).count();
    if real > dims.len() {
        return Err(Error::new(
            ErrorKind::TooManyIndices,
            format!("{real} indices for data with {} axes", dims.len()),
        )
        .value(real)
        .allowed(format!("0..={} indices", dims.len())));
    }
    let mut result = Vec::with_capacity(dims.len() + index.entries.len());
    let mut axis = 0;
    for (at, entry) in index.entries.iter().enumerate() {
        match entry {
            Entry::NewAxis => {
                result.push(AxisIndex::NewAxis);
                continue;
            }
            Entry::Ellipsis => {
                let skipped = dims.len() - real;
                result.extend(dims[axis..axis + skipped].iter().map(|&dim| AxisIndex::whole(dim)));
                axis += skipped;
                continue;
            }
            Entry::Integer(value) => {
                result.push(AxisIndex::Fixed(element(*value, axis, dims[axis]).map_err(|error| error.position(at))?));
            }
            // Row 40: as Python's `slice.indices`.
            Entry::Slice { start, end, step } => {
                result.push(bounded(*start, *end, step.unwrap_or(1), dims[axis], -1));
            }
            Entry::Gather(_) => result.push(AxisIndex::Gather),
        }
        axis += 1;
    }
    result.extend(dims[axis..].iter().map(|&dim| AxisIndex::whole(dim)));
    Ok(result)
}

/// The dimensions after a Reshape, Squeeze or Unsqueeze.
pub(crate) fn reshaped(
    op: &Op,
    reshape: &Reshape,
    known: Params<'_>,
    dims: &[usize],
) -> Result<Vec<usize>, Error> {
    let values = list(op, "shape", known)?;
    match (reshape.rule, values) {
        (ReshapeRule::Reshape { zero_copies }, values) => {
            reshape_dims(&values.unwrap_or_default(), zero_copies, dims)
        }
        (ReshapeRule::Squeeze, None) => Ok(dims.iter().copied().filter(|&dim| dim != 1).collect()),
        (ReshapeRule::Squeeze, Some(axes)) => squeeze_dims(&axes, dims),
        (ReshapeRule::Unsqueeze, axes) => unsqueeze_dims(&axes.unwrap_or_default(), dims),
    }
}

fn reshape_dims(values: &[i64], zero_copies: bool, dims: &[usize]) -> Result<Vec<usize>, Error> {
    let refuse = |text: String| {
        Error::new(ErrorKind::Reshape, text).parameter("shape").value(format!("{values:?}"))
    };
    let mut result = Vec::with_capacity(values.len());
    let mut free = None;
    for (at, &value) in values.iter().enumerate() {
        match value {
            -1 if free.is_none() => {
                free = Some(at);
                result.push(1);
            }
            -1 => return Err(refuse(format!("`shape[{at}]` = -1 is the second -1")).allowed("one -1")),
            0 if zero_copies => match dims.get(at) {
                Some(&dim) => result.push(dim),
                None => {
                    let rank = dims.len();
                    let text = format!("`shape[{at}]` = 0 copies an axis that data of rank {rank} does not have");
                    return Err(refuse(text).allowed(format!("0 in the first {rank} places")));
                }
            },
            _ => match usize::try_from(value) {
                Ok(dim) => result.push(dim),
                Err(_) => return Err(refuse(format!("`shape[{at}]` = {value}")).allowed("-1 or more")),
            },
        }
    }
    let (count, rest) = (element_count(dims)?, element_count(&result)?);
    if let Some(at) = free {
        if rest == 0 || count % rest != 0 {
            let text = format!("{count} elements of {dims:?} leave no dimension for `shape[{at}]` = -1 in {values:?}");
            return Err(refuse(text).allowed(format!("dimensions that divide {count}")));
        }
        result[at] = count / rest;
    } else if count != rest {
        let text = format!("{dims:?} has {count} elements but {values:?} has {rest}");
        return Err(refuse(text).allowed(format!("{count} elements")));
    }
    Ok(result)
}

fn squeeze_dims(axes: &[i64], dims: &[usize]) -> Result<Vec<usize>, Error> {
    let mut dropped = vec![false; dims.len()];
    for (at, &axis) in axes.iter().enumerate() {
        let axis = normalize_axis(axis, dims.len(), "axes", Some(at))?;
        if dims[axis] != 1 {
            let text = format!("axis {axis} has size {} and cannot be squeezed", dims[axis]);
            return Err(Error::new(ErrorKind::Reshape, text)
                .parameter("axes")
                .axis(axis)
                .position(at)
                .value(dims[axis])
                .allowed("size 1"));
        }
        dropped[axis] = true;
    }
    Ok(dims.iter().zip(dropped).filter(|(_, dropped)| !dropped).map(|(&dim, _)| dim).collect())
}

fn unsqueeze_dims(axes: &[i64], dims: &[usize]) -> Result<Vec<usize>, Error> {
    let rank = dims.len() + axes.len();
    let mut inserted = vec![false; rank];
    for (at, &axis) in axes.iter().enumerate() {
        let normalized = normalize_axis(axis, rank, "axes", Some(at))?;
        if core::mem::replace(&mut inserted[normalized], true) {
            return Err(Error::new(ErrorKind::AxisRepeated, format!("`axes[{at}]` = {axis} names axis {normalized} again"))
                .parameter("axes")
                .axis(normalized)
                .position(at)
                .value(axis)
                .allowed("each axis once"));
        }
    }
    let mut old = dims.iter().copied();
    Ok(inserted.into_iter().map(|new| if new { 1 } else { old.next().unwrap_or(1) }).collect())
}

/// The label of a parameter list, for errors about values that only exist at run time.
pub(crate) fn value_missing(operand: &str) -> Error {
    let name: Cow<'static, str> = Cow::Owned(String::from(operand));
    Error::new(ErrorKind::OperandValue, format!("`{operand}` decides the shape of the result and has no value"))
        .parameter(name)
        .hint("give its value in the signature (`Signature::value`)")
}
