//! The naive oracle: every operator once more, as plainly as its text can be followed.
//!
//! What is decided here: which elements a request means, and whether a rule refuses it. An operator writes down, for
//! each axis of its operand, the coordinates that it takes, found by walking from the start to the end one step after
//! another; `take` then visits every combination of them. Nothing is fast, nothing is clever, and nothing but `std` is
//! imported: a mistake in the compiler cannot be repeated here by sharing code.
//!
//! What is not decided here: notation, file formats, the types of parameters (they arrive as `i64`), the kind and the
//! wording of an error, memory limits. `Err` means "a rule refuses this", except for [`TOO_LARGE`], which means
//! "not by element-by-element walking" and says nothing about the request.
//!
//! `row N` cites the numbered table of semantics: one documented answer wherever the operator texts leave a choice.

#![allow(dead_code, reason = "each test target uses a part of it")]

use std::ops::{Add, Mul};

/// The bits of one element, zero-extended, never interpreted except by Range; or one string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elem {
    /// A number of any type: its bit pattern, so that NaN payloads survive.
    Bits(u128),
    /// An element of a `string` tensor.
    Text(String),
}

/// A dense row-major tensor. `dtype` is one of bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, c64,
/// c128, string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The element type by its short name.
    pub dtype: &'static str,
    /// The dimensions, outermost first; empty for rank 0.
    pub shape: Vec<usize>,
    /// As many elements as the product of the dimensions.
    pub elems: Vec<Elem>,
}

/// Whose answer is wanted where the texts and their own runtimes differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The documented answer.
    Standard,
    /// The values of ONNX Runtime: rows 2, 16, 18.
    OnnxRuntime,
    /// The StridedSlice text taken literally: rows 25, 26, 29.
    OpenVinoText,
}

/// The five masks of StridedSlice; a short one continues with zeros.
#[derive(Clone, Copy, Debug, Default)]
pub struct Masks<'a> {
    /// 1: start at the first element of the walk, whatever `begin` says.
    pub begin: &'a [i64],
    /// 1: walk to the last element, whatever `end` says.
    pub end: &'a [i64],
    /// 1: insert a dimension of size 1.
    pub new_axis: &'a [i64],
    /// 1: take the element at `begin` and drop the dimension.
    pub shrink_axis: &'a [i64],
    /// 1: the dimensions that no other entry speaks of, whole.
    pub ellipsis: &'a [i64],
}

/// One entry between the brackets of the NumPy-like notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// One element; the axis is dropped.
    Int(i64),
    /// `start:end:step`; an absent start or end is that end of the walk over the whole axis, an absent step is 1.
    Slice {
        start: Option<i64>,
        end: Option<i64>,
        step: Option<i64>,
    },
    /// `...`
    Ellipsis,
    /// `newaxis`
    NewAxis,
    /// A tensor of indices, in row-major order; its dimensions replace the axis.
    Tensor { shape: Vec<usize>, values: Vec<i64> },
}

/// More elements than this, in a result or on one axis, are not walked.
pub const MAX_ELEMENTS: usize = 1 << 22;

/// The one `Err` that is no refusal: the oracle declines to walk more than [`MAX_ELEMENTS`] elements.
pub const TOO_LARGE: &str = "too large for the naive oracle";

/// ONNX Slice, versions 1, 10, 11 and 13. In version 1 the parameters are attributes and `steps` is absent.
pub fn onnx_slice(
    version: u32,
    data: &Tensor,
    starts: &[i64],
    ends: &[i64],
    axes: Option<&[i64]>,
    steps: Option<&[i64]>,
    dialect: Dialect,
) -> Result<Tensor, String> {
    onnx_version(&[1, 10, 11, 13], version, data)?;
    if version == 1 && steps.is_some() {
        return refuse("slice version 1 has no steps"); // row 7
    }
    let ones = vec![1; starts.len()]; // row 9: steps and axes are absent independently of each other
    slice(data, starts, ends, steps.unwrap_or(&ones), axes, dialect)
}

/// ONNX Gather, versions 1, 11 and 13. `indices` are the values of a tensor of dimensions `indices_shape`.
pub fn onnx_gather(
    version: u32,
    data: &Tensor,
    indices_shape: &[usize],
    indices: &[i64],
    axis: i64,
) -> Result<Tensor, String> {
    onnx_version(&[1, 11, 13], version, data)?;
    let Some(axis) = element(axis, data.shape.len()) else {
        return refuse("gather: the axis is out of range, or data has rank 0");
    };
    let axis = axis as usize;
    let mut shape = data.shape[..axis].to_vec();
    shape.extend(indices_shape); // row 15: rank 0 gives no dimension
    shape.extend(&data.shape[axis + 1..]);
    let indices = gathered(indices_shape, indices, data.shape[axis])?;
    let every: Result<Vec<_>, _> = data.shape.iter().map(|&dim| whole(dim)).collect();
    let mut coords = every?;
    coords[axis] = indices;
    take(data, shape, &coords)
}

/// ONNX Range, version 11.
pub fn onnx_range(
    start: &Tensor,
    limit: &Tensor,
    delta: &Tensor,
    dialect: Dialect,
) -> Result<Tensor, String> {
    let mut bits = [0; 3];
    for (b, scalar) in bits.iter_mut().zip([start, limit, delta]) {
        if scalar.dtype != start.dtype {
            return refuse("range: start, limit and delta differ in type");
        }
        match (&scalar.shape[..], &scalar.elems[..]) {
            ([] | [1], [Elem::Bits(value)]) => *b = *value, // row 21
            _ => return refuse("range: an input is not a number"),
        }
    }
    let values: Vec<u128> = match start.dtype {
        "i16" => {
            let values = integers(bits.map(|b| b as i16 as i128), dialect)?;
            values.iter().map(|&v| v as u16 as u128).collect()
        }
        "i32" => {
            let values = integers(bits.map(|b| b as i32 as i128), dialect)?;
            values.iter().map(|&v| v as u32 as u128).collect()
        }
        "i64" => {
            let values = integers(bits.map(|b| b as i64 as i128), dialect)?;
            values.iter().map(|&v| v as u64 as u128).collect()
        }
        "f32" => {
            let [s, l, d] = bits.map(|b| f32::from_bits(b as u32));
            let count = float_count((l - s) as f64, d as f64)?; // row 17: l - s in f32
            let values = floats(s, d, (0..count).map(|i| i as f32), dialect);
            values.iter().map(|v| v.to_bits() as u128).collect()
        }
        "f64" => {
            let [s, l, d] = bits.map(|b| f64::from_bits(b as u64));
            let count = float_count(l - s, d)?;
            let values = floats(s, d, (0..count).map(|i| i as f64), dialect);
            values.iter().map(|v| v.to_bits() as u128).collect()
        }
        _ => return refuse("range: its types are i16, i32, i64, f32 and f64"),
    };
    Ok(Tensor {
        dtype: start.dtype,
        shape: vec![values.len()],
        elems: values.into_iter().map(Elem::Bits).collect(),
    })
}

/// OpenVINO Slice-8. Row 24: `step` is required, `axes` may be absent.
pub fn openvino_slice(
    data: &Tensor,
    start: &[i64],
    stop: &[i64],
    step: &[i64],
    axes: Option<&[i64]>,
) -> Result<Tensor, String> {
    slice(data, start, stop, step, axes, Dialect::Standard) // rows 22, 23: the rules of ONNX Slice
}

/// OpenVINO StridedSlice-1.
pub fn openvino_strided_slice(
    data: &Tensor,
    begin: &[i64],
    end: &[i64],
    stride: Option<&[i64]>,
    masks: Masks,
    dialect: Dialect,
) -> Result<Tensor, String> {
    let rank = data.shape.len();
    let m = begin.len();
    let ones = vec![1; m];
    let stride = stride.unwrap_or(&ones);
    if end.len() != m || stride.len() != m {
        return refuse("strided slice: begin, end and stride differ in length"); // row 39
    }
    let bits = |mask| entry_bits(mask, m);
    let (begin_bit, end_bit) = (bits(masks.begin)?, bits(masks.end)?);
    let (new_axis, shrink_axis) = (bits(masks.new_axis)?, bits(masks.shrink_axis)?);
    let ellipsis = bits(masks.ellipsis)?;
    if ellipsis.iter().filter(|&&bit| bit).count() > 1 {
        return refuse("strided slice: two ellipses"); // row 33
    }
    let plain = |i: usize| !ellipsis[i] && !new_axis[i] && !shrink_axis[i];
    if (0..m).any(|i| plain(i) && stride[i] == 0) {
        return refuse("strided slice: stride 0"); // row 34
    }
    if rank == 0 {
        return Ok(data.clone()); // row 33: rank 0 is the identity
    }
    // rows 31, 32, 37: an ellipsis hides a new_axis bit on the same entry, and neither consumes a dimension
    let real = (0..m).filter(|&i| !ellipsis[i] && !new_axis[i]).count();
    if real > rank {
        return refuse("strided slice: more entries than dimensions"); // row 33
    }
    let mut shape = Vec::new();
    let mut coords = Vec::new(); // one list for each dimension of data that has been dealt with
    for i in 0..m {
        if ellipsis[i] {
            // row 33: possibly over no dimension
            for _ in 0..rank - real {
                append_whole(data, &mut shape, &mut coords)?;
            }
        } else if new_axis[i] {
            shape.push(1);
        } else if shrink_axis[i] {
            let dim = data.shape[coords.len()];
            // row 30: under a begin_mask bit it is element 0
            let at = if begin_bit[i] { 0 } else { begin[i] };
            coords.push(vec![shrunk(dim, at, dialect)?]);
        } else {
            let dim = data.shape[coords.len()] as i128;
            let begin = (!begin_bit[i]).then_some(begin[i]);
            let end = (!end_bit[i]).then_some(end[i]);
            let list = strided(dim, begin, end, stride[i], dialect)?;
            shape.push(list.len());
            coords.push(list);
        }
    }
    while coords.len() < rank {
        append_whole(data, &mut shape, &mut coords)?; // row 33: the rest whole; no entry: identity
    }
    take(data, shape, &coords)
}

/// The NumPy-like bracket. Row 40: slices resolve as Python's `slice.indices`, whatever rows 1 and 2 say.
pub fn index(data: &Tensor, entries: &[Entry]) -> Result<Tensor, String> {
    let rank = data.shape.len();
    let kind = |wanted: fn(&Entry) -> bool| entries.iter().filter(|e| wanted(e)).count();
    let ellipses = kind(|e| matches!(e, Entry::Ellipsis));
    if ellipses > 1 || kind(|e| matches!(e, Entry::Tensor { .. })) > 1 {
        return refuse("index: two ellipses, or two tensors in one bracket"); // row 41
    }
    integers_beside_the_tensor(entries)?;
    let real = entries.len() - ellipses - kind(|e| matches!(e, Entry::NewAxis));
    if real > rank {
        return refuse("index: more entries than dimensions");
    }
    let mut shape = Vec::new();
    let mut coords = Vec::new();
    for entry in entries {
        match entry {
            Entry::Ellipsis => {
                for _ in 0..rank - real {
                    append_whole(data, &mut shape, &mut coords)?;
                }
            }
            Entry::NewAxis => shape.push(1),
            Entry::Int(i) => match element(*i, data.shape[coords.len()]) {
                Some(c) => coords.push(vec![c]),
                None => return refuse("index: an integer is out of range"), // row 42
            },
            Entry::Slice { start, end, step } => {
                let dim = data.shape[coords.len()] as i128;
                let list = python_slice(dim, *start, *end, step.unwrap_or(1))?;
                shape.push(list.len());
                coords.push(list);
            }
            Entry::Tensor { shape: q, values } => {
                let list = gathered(q, values, data.shape[coords.len()])?;
                shape.extend(q);
                coords.push(list);
            }
        }
    }
    while coords.len() < rank {
        append_whole(data, &mut shape, &mut coords)?; // row 42
    }
    take(data, shape, &coords)
}

/// The coordinates that an operator takes along one axis, in order.
type Coords = Result<Vec<i128>, String>;

/// A refusal by a rule.
fn refuse<T>(rule: &str) -> Result<T, String> {
    Err(rule.to_string())
}

/// The version must exist, and ONNX knows bf16 from version 13 on.
fn onnx_version(known: &[u32], version: u32, data: &Tensor) -> Result<(), String> {
    if !known.contains(&version) {
        return refuse("onnx has no such version of this operator");
    }
    if data.dtype == "bf16" && version < 13 {
        return refuse("bf16 needs version 13");
    }
    Ok(())
}

/// `value`, or `value + dim` if it counts from the end; it may still lie anywhere.
fn from_end(value: i64, dim: i128) -> i128 {
    value as i128 + if value < 0 { dim } else { 0 }
}

/// The coordinate that `value` names on an axis of size `dim`; none outside `-dim..dim`.
fn element(value: i64, dim: usize) -> Option<i128> {
    let c = from_end(value, dim as i128);
    (0 <= c && c < dim as i128).then_some(c)
}

/// `start`, `start + step`, and so on, as long as `end` is not reached.
fn walk(start: i128, end: i128, step: i128) -> Coords {
    let mut list = Vec::new();
    let mut c = start;
    while (step > 0 && c < end) || (step < 0 && c > end) {
        if list.len() == MAX_ELEMENTS {
            return Err(TOO_LARGE.to_string());
        }
        list.push(c);
        c += step;
    }
    Ok(list)
}

/// Every coordinate of an axis.
fn whole(dim: usize) -> Coords {
    walk(0, dim as i128, 1)
}

/// The next dimension of `data`, whole.
fn append_whole(
    data: &Tensor,
    shape: &mut Vec<usize>,
    coords: &mut Vec<Vec<i128>>,
) -> Result<(), String> {
    let dim = data.shape[coords.len()];
    shape.push(dim);
    coords.push(whole(dim)?);
    Ok(())
}

/// The elements of `data` at every combination of the coordinates, the last axis running fastest.
fn take(data: &Tensor, shape: Vec<usize>, coords: &[Vec<i128>]) -> Result<Tensor, String> {
    assert_eq!(product(&data.shape), data.elems.len() as i128);
    assert_eq!(data.shape.len(), coords.len());
    let counts: Vec<usize> = coords.iter().map(Vec::len).collect();
    assert_eq!(product(&shape), product(&counts));
    if product(&counts) > MAX_ELEMENTS as i128 {
        return Err(TOO_LARGE.to_string());
    }
    let mut elems = Vec::new();
    let mut at = vec![0; counts.len()]; // an odometer: which coordinate of each list
    for _ in 0..product(&counts) {
        let mut offset = 0;
        for j in 0..at.len() {
            offset = offset * data.shape[j] as i128 + coords[j][at[j]];
        }
        elems.push(data.elems[offset as usize].clone());
        for j in (0..at.len()).rev() {
            at[j] += 1;
            if at[j] < counts[j] {
                break;
            }
            at[j] = 0;
        }
    }
    Ok(Tensor {
        dtype: data.dtype,
        shape,
        elems,
    })
}

/// The number of elements of a shape; with a 0 in it, 0, whatever stands beside.
fn product(shape: &[usize]) -> i128 {
    if shape.contains(&0) {
        return 0;
    }
    let times = |n: i128, &dim: &usize| n.saturating_mul(dim as i128);
    shape.iter().fold(1, times)
}

/// The common rules of ONNX Slice and OpenVINO Slice-8.
fn slice(
    data: &Tensor,
    starts: &[i64],
    ends: &[i64],
    steps: &[i64],
    axes: Option<&[i64]>,
    dialect: Dialect,
) -> Result<Tensor, String> {
    if data.shape.is_empty() {
        return refuse("slice: data has rank 0"); // rows 5, 23
    }
    let first: Vec<i64> = (0..starts.len() as i64).collect();
    let axes = axes.unwrap_or(&first);
    if [ends.len(), axes.len(), steps.len()] != [starts.len(); 3] || axes.len() > data.shape.len() {
        return refuse("slice: the parameters differ in length, or outnumber the dimensions"); // rows 6, 23
    }
    let mut named = vec![None; data.shape.len()];
    for (i, &axis) in axes.iter().enumerate() {
        let Some(axis) = element(axis, data.shape.len()) else {
            return refuse("slice: an axis is out of range"); // rows 7, 23: negative ones are fine
        };
        if named[axis as usize].is_some() {
            return refuse("slice: an axis is named twice"); // rows 4, 23
        }
        named[axis as usize] = Some(i);
    }
    if steps.contains(&0) {
        return refuse("slice: step 0"); // rows 10, 23
    }
    let mut coords = Vec::new();
    for (j, &dim) in data.shape.iter().enumerate() {
        coords.push(match named[j] {
            Some(i) => sliced(dim as i128, starts[i], ends[i], steps[i], dialect)?,
            None => whole(dim)?, // row 6: nothing named is the identity
        });
    }
    let shape = coords.iter().map(Vec::len).collect();
    take(data, shape, &coords)
}

/// One axis of ONNX Slice or OpenVINO Slice-8. Row 8: in i128 every step is an ordinary one.
fn sliced(dim: i128, start: i64, end: i64, step: i64, dialect: Dialect) -> Coords {
    if dim == 0 {
        return Ok(Vec::new()); // row 3
    }
    let (s, e) = (from_end(start, dim), from_end(end, dim));
    if step > 0 {
        return walk(s.clamp(0, dim), e.clamp(0, dim), step as i128);
    }
    let int_max = end == i32::MAX as i64 || end == i64::MAX;
    let e = if int_max && dialect == Dialect::OnnxRuntime {
        -1 // row 2
    } else {
        e.clamp(-1, dim - 1) // rows 2, 22
    };
    walk(s.clamp(0, dim - 1), e, step as i128) // rows 1, 22
}

/// The coordinates that a tensor of indices names on an axis of size `dim`.
fn gathered(shape: &[usize], indices: &[i64], dim: usize) -> Coords {
    assert_eq!(product(shape), indices.len() as i128);
    let mut list = Vec::new();
    for (position, &index) in indices.iter().enumerate() {
        // rows 11, 12, 13: checked also when the result is empty; the first bad position is the one that counts
        let Some(c) = element(index, dim) else {
            return Err(format!(
                "gather: index {index} at position {position} is out of range for size {dim}"
            ));
        };
        list.push(c);
    }
    Ok(list)
}

/// Range in an integer type. Row 18: the exact count, from the walk itself. Row 19: nothing overflows in i128.
fn integers([start, limit, delta]: [i128; 3], dialect: Dialect) -> Coords {
    if delta == 0 {
        return refuse("range: delta is 0"); // row 20
    }
    if dialect == Dialect::OnnxRuntime {
        // row 18: the count goes through f64; row 16: to accumulate integers is to multiply them
        let count = float_count((limit - start) as f64, delta as f64)?;
        return Ok((0..count).map(|i| start + i as i128 * delta).collect());
    }
    walk(start, limit, delta) // row 16
}

/// `max(ceil(distance / delta), 0)`, the division and the ceiling in f64 (row 17). Row 20: an infinite `delta` gives 0
/// by itself, and so does a quotient of minus infinity.
fn float_count(distance: f64, delta: f64) -> Result<usize, String> {
    if delta == 0.0 {
        return refuse("range: delta is 0"); // row 20: -0.0 as well
    }
    let count = (distance / delta).ceil();
    if count.is_nan() || count == f64::INFINITY {
        return refuse("range: the count is not a number, or infinite"); // row 20
    }
    if count > MAX_ELEMENTS as f64 {
        return Err(TOO_LARGE.to_string());
    }
    Ok(if count > 0.0 { count as usize } else { 0 })
}

/// The values of Range in a floating-point type; `steps` are 0, 1, 2 and so on in that type.
fn floats<T>(start: T, delta: T, steps: impl Iterator<Item = T>, dialect: Dialect) -> Vec<T>
where
    T: Copy + Add<Output = T> + Mul<Output = T>,
{
    let mut values = Vec::new();
    let mut sum = start;
    for i in steps {
        let product = i * delta; // row 16: rounded before the addition
        values.push(match dialect {
            Dialect::OnnxRuntime => sum, // row 16: it accumulates
            Dialect::Standard | Dialect::OpenVinoText => start + product,
        });
        sum = sum + delta;
    }
    values
}

/// The bits of a mask for each of the `m` entries. Row 32: zero-extended, surplus ignored.
fn entry_bits(mask: &[i64], m: usize) -> Result<Vec<bool>, String> {
    if mask.iter().any(|&bit| bit != 0 && bit != 1) {
        return refuse("strided slice: a mask value is neither 0 nor 1"); // row 33
    }
    Ok((0..m).map(|i| mask.get(i) == Some(&1)).collect())
}

/// The one coordinate of a StridedSlice entry that drops its dimension; row 29: only its begin counts.
fn shrunk(dim: usize, begin: i64, dialect: Dialect) -> Result<i128, String> {
    if dim > 0 && dialect == Dialect::OpenVinoText {
        return Ok(from_end(begin, dim as i128).clamp(0, dim as i128 - 1)); // row 29
    }
    match element(begin, dim) {
        Some(c) => Ok(c),
        None => refuse("strided slice: a dropped dimension has no such element"), // rows 29, 36
    }
}

/// One plain entry of StridedSlice on an axis of size `dim`; a mask bit leaves `begin` or `end` out.
fn strided(
    dim: i128,
    begin: Option<i64>,
    end: Option<i64>,
    stride: i64,
    dialect: Dialect,
) -> Coords {
    if dim == 0 {
        return Ok(Vec::new()); // row 35
    }
    let text = dialect == Dialect::OpenVinoText;
    let within = |v: i64, low: i128, high: i128| from_end(v, dim).clamp(low, high);
    if let (true, Some(v)) = (text && begin == end, begin) {
        return Ok(vec![within(v, 0, dim - 1)]); // row 25: in Standard the walk below gives nothing
    }
    if stride > 0 {
        let b = begin.map_or(0, |v| within(v, 0, dim));
        let e = end.map_or(dim, |v| within(v, 0, dim));
        return walk(b, e, stride as i128);
    }
    let masked_end = if text { 0 } else { -1 }; // row 26: element 0 is taken only in Standard
    let b = begin.map_or(dim - 1, |v| within(v, 0, dim - 1)); // row 28
    let e = end.map_or(masked_end, |v| within(v, -1, dim)); // row 28
    walk(b, e, stride as i128) // row 27
}

/// One slice of a bracket. Row 40: a reversed start below the axis stays below it, and the walk is over at once.
fn python_slice(dim: i128, start: Option<i64>, end: Option<i64>, step: i64) -> Coords {
    if step == 0 {
        return refuse("index: step 0");
    }
    let (low, high) = if step > 0 { (0, dim) } else { (-1, dim - 1) };
    let (first, last) = if step > 0 { (low, high) } else { (high, low) };
    let s = start.map_or(first, |v| from_end(v, dim).clamp(low, high));
    let e = end.map_or(last, |v| from_end(v, dim).clamp(low, high));
    walk(s, e, step as i128)
}

/// Row 41: between an integer and the tensor of a bracket there are only integers.
fn integers_beside_the_tensor(entries: &[Entry]) -> Result<(), String> {
    let int = |e: &Entry| matches!(e, Entry::Int(_));
    let tensor = |e: &Entry| matches!(e, Entry::Tensor { .. });
    let Some(t) = entries.iter().position(tensor) else {
        return Ok(());
    };
    for i in 0..entries.len() {
        let from_one_to_the_other = &entries[i.min(t)..i.max(t)];
        if int(&entries[i]) && !from_one_to_the_other.iter().all(|e| int(e) || tensor(e)) {
            return refuse("index: an integer and a tensor are not side by side");
        }
    }
    Ok(())
}
