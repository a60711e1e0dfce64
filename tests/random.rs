//! Random chains of all operators: every engine and the oracle agree bit for bit, or all refuse, with one refusal among the engines.
//!
//! The oracle goes step by step with a temporary after each operator; the engines run what the compiler has fused.

#[path = "suite/mod.rs"]
mod suite;

use std::collections::BTreeMap;
use suite::naive::{self, Dialect, Entry, Masks};
use suite::rng::Rng;
use suite::{ENGINES, from_naive, numbered, to_naive};
use xslice::{
    ElementType, Gather, Graph, Index, Param, Program, Range, Reshape, ReshapeRule, Signature,
    Slice, StridedSlice, Tensor, ValueId,
};

/// A value of the program under construction, and what the oracle says it is.
struct Both {
    id: ValueId,
    expected: Result<naive::Tensor, String>,
}

/// A program, its operands, and the oracle's result.
struct Case {
    graph: Graph,
    operands: Vec<Tensor>,
    text: String,
}

impl Case {
    fn new() -> Self {
        Self {
            graph: Graph::new(),
            operands: Vec::new(),
            text: String::new(),
        }
    }

    fn operand(&mut self, tensor: Tensor) -> ValueId {
        let name = format!("x{}", self.operands.len());
        self.operands.push(tensor);
        self.graph.operand(&name, None).expect("a new name")
    }

    /// A parameter: a constant, or an operand whose value arrives later.
    fn param(&mut self, rng: &mut Rng, tensor: Tensor) -> Param {
        if rng.once_in(3) {
            self.operand(tensor).into()
        } else {
            tensor.into()
        }
    }

    fn ints(&mut self, rng: &mut Rng, values: &[i64], ty: ElementType) -> Param {
        let tensor = integers(&[values.len()], values, ty);
        self.param(rng, tensor)
    }
}

fn integers(shape: &[usize], values: &[i64], ty: ElementType) -> Tensor {
    let bytes = values
        .iter()
        .flat_map(|v| v.to_le_bytes()[..ty.size()].to_vec())
        .collect();
    Tensor::from_bytes(ty, shape, bytes).expect("its shape")
}

/// An index near an axis, or one of the extremes that fit the type.
fn coordinate(rng: &mut Rng, dim: usize, ty: ElementType) -> i64 {
    let dim = dim as i64;
    if rng.once_in(9) {
        return match ty {
            ElementType::I64 => rng.pick(&[
                i64::MIN,
                i64::MIN + 1,
                i64::MAX,
                i64::MAX - 1,
                i64::from(i32::MAX),
            ]),
            _ => rng.pick(&[
                i64::from(i32::MIN),
                i64::from(i32::MAX),
                i64::from(i32::MAX) - 1,
            ]),
        };
    }
    rng.within(-dim - 2, dim + 2)
}

fn step(rng: &mut Rng, ty: ElementType) -> i64 {
    match rng.below(40) {
        0 => 0,
        1 if ty == ElementType::I64 => rng.pick(&[i64::MIN, i64::MAX]),
        2 => rng.pick(&[i64::from(i32::MIN), i64::from(i32::MAX)]),
        _ => rng.pick(&[1, 1, 1, -1, -1, 2, -2, 3, -3, 7]),
    }
}

fn shape(rng: &mut Rng) -> Vec<usize> {
    let rank = rng.pick(&[0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 8]);
    let most = [9, 9, 8, 6, 5, 4, 3, 3, 2][rank];
    // One shape in three is long in its last two dimensions, so that whole vectors move.
    let long = [0, 400, 60, 20, 12, 5, 4, 3, 2][rank];
    let is_long = rng.once_in(3);
    (0..rank)
        .map(|k| match (rng.once_in(25), is_long && k + 2 >= rank) {
            (true, _) => 0,
            (false, true) => 1 + rng.below(long),
            (false, false) => 1 + rng.below(most),
        })
        .collect()
}

/// A start and an end, most of the time with something between them in the direction of the step.
fn bounds(rng: &mut Rng, dim: usize, step: i64, ty: ElementType) -> (i64, i64) {
    if dim == 0 || rng.once_in(3) {
        return (coordinate(rng, dim, ty), coordinate(rng, dim, ty));
    }
    let dim = dim as i64;
    let (a, b) = (rng.within(0, dim - 1), rng.within(0, dim - 1));
    let (low, high) = (a.min(b), a.max(b) + 1);
    // From the end where that says the same.
    let from_end = |at: i64, rng: &mut Rng| {
        if at < dim && rng.once_in(3) {
            at - dim
        } else {
            at
        }
    };
    if step < 0 {
        (
            from_end(high - 1, rng),
            if low == 0 { -dim - 1 } else { low - 1 },
        )
    } else {
        (from_end(low, rng), from_end(high, rng))
    }
}

/// Applies a random operator to both sides.
fn apply(case: &mut Case, rng: &mut Rng, data: &Both) -> Option<Both> {
    let input = data.expected.as_ref().ok()?.clone();
    let result = match rng.below(6) {
        0 => slice(case, rng, data.id, &input),
        1 => openvino_slice(case, rng, data.id, &input),
        2 => strided_slice(case, rng, data.id, &input),
        3 => gather(case, rng, data.id, &input),
        4 => reshape(case, rng, data.id, &input),
        _ => bracket(case, rng, data.id, &input),
    };
    result.map(|(id, expected)| Both { id, expected })
}

type Applied = Option<(ValueId, Result<naive::Tensor, String>)>;

fn index_type(rng: &mut Rng) -> ElementType {
    rng.pick(&[ElementType::I32, ElementType::I64])
}

fn slice(case: &mut Case, rng: &mut Rng, id: ValueId, input: &naive::Tensor) -> Applied {
    let rank = input.shape.len();
    let version = rng.pick(&[1, 10, 11, 13]);
    let ty = if version == 1 {
        ElementType::I64
    } else {
        index_type(rng)
    };
    let mut axes: Vec<i64> = (0..rank as i64).filter(|_| !rng.once_in(3)).collect();
    if rng.once_in(30) {
        axes.push(rng.within(-9, 9));
    }
    let explicit = rng.once_in(2) || axes.iter().enumerate().any(|(k, &axis)| k as i64 != axis);
    let dims: Vec<usize> = axes
        .iter()
        .map(|&axis| input.shape.get(axis as usize).copied().unwrap_or(3))
        .collect();
    let axes: Vec<i64> = axes
        .iter()
        .map(|&a| if rng.once_in(3) { a - rank as i64 } else { a })
        .collect();
    let steps: Vec<i64> = dims.iter().map(|_| step(rng, ty)).collect();
    let with_steps = version != 1 && !rng.once_in(4);
    let step_at = |k: usize| if with_steps { steps[k] } else { 1 };
    let (starts, mut ends): (Vec<i64>, Vec<i64>) = dims
        .iter()
        .enumerate()
        .map(|(k, &dim)| bounds(rng, dim, step_at(k), ty))
        .unzip();
    if rng.once_in(60) {
        ends.push(1);
    }
    let dialect = rng.pick(&[
        (xslice::Dialect::Standard, Dialect::Standard),
        (xslice::Dialect::OnnxRuntime, Dialect::OnnxRuntime),
    ]);
    let mut op = Slice::onnx(version).dialect(dialect.0);
    op = op
        .starts(case.ints(rng, &starts, ty))
        .ends(case.ints(rng, &ends, ty));
    if explicit {
        op = op.axes(case.ints(rng, &axes, ty));
    }
    if with_steps {
        op = op.steps(case.ints(rng, &steps, ty));
    }
    case.text += &format!(
        "\n  Slice@{version} {starts:?} {ends:?} {explicit} {axes:?} {with_steps} {steps:?} {ty} {:?}",
        dialect.1
    );
    let (axes, steps) = (
        explicit.then_some(&axes[..]),
        with_steps.then_some(&steps[..]),
    );
    let expected = naive::onnx_slice(version, input, &starts, &ends, axes, steps, dialect.1);
    refusable(case.graph.apply(op, Some(id), None), expected)
}

fn openvino_slice(case: &mut Case, rng: &mut Rng, id: ValueId, input: &naive::Tensor) -> Applied {
    let ty = index_type(rng);
    let count = if rng.once_in(20) {
        input.shape.len() + 1
    } else {
        rng.below(input.shape.len() + 1)
    };
    let dim = |k: usize| input.shape.get(k).copied().unwrap_or(2);
    let steps: Vec<i64> = (0..count).map(|_| step(rng, ty)).collect();
    let (starts, stops): (Vec<i64>, Vec<i64>) = (0..count)
        .map(|k| bounds(rng, dim(k), steps[k], ty))
        .unzip();
    let mut op = Slice::openvino(8);
    op = op
        .start(case.ints(rng, &starts, ty))
        .stop(case.ints(rng, &stops, ty))
        .step(case.ints(rng, &steps, ty));
    case.text += &format!("\n  OpenVINO Slice {starts:?} {stops:?} {steps:?}");
    refusable(
        case.graph.apply(op, Some(id), None),
        naive::openvino_slice(input, &starts, &stops, &steps, None),
    )
}

fn strided_slice(case: &mut Case, rng: &mut Rng, id: ValueId, input: &naive::Tensor) -> Applied {
    let ty = index_type(rng);
    let count = rng.below(input.shape.len() + 3);
    let dim = |k: usize| input.shape.get(k).copied().unwrap_or(2);
    let stride: Vec<i64> = (0..count).map(|_| step(rng, ty)).collect();
    let (begin, end): (Vec<i64>, Vec<i64>) = (0..count)
        .map(|k| match bounds(rng, dim(k), stride[k], ty) {
            (begin, _) if rng.once_in(9) => (begin, begin),
            pair => pair,
        })
        .unzip();
    let mut mask = |odds: usize| -> Vec<i64> {
        let len = rng.below(count + 2);
        (0..len).map(|_| i64::from(rng.once_in(odds))).collect()
    };
    let (begin_mask, end_mask) = (mask(3), mask(3));
    let (new_axis, shrink, ellipsis) = (mask(5), mask(5), mask(7));
    let dialect = rng.pick(&[
        (xslice::Dialect::Standard, Dialect::Standard),
        (xslice::Dialect::OpenVinoText, Dialect::OpenVinoText),
    ]);
    let mut op = StridedSlice::openvino(1)
        .begin_mask(begin_mask.clone())
        .end_mask(end_mask.clone())
        .new_axis_mask(new_axis.clone())
        .shrink_axis_mask(shrink.clone())
        .ellipsis_mask(ellipsis.clone())
        .dialect(dialect.0);
    op = op
        .begin(case.ints(rng, &begin, ty))
        .end(case.ints(rng, &end, ty));
    let with_stride = !rng.once_in(4);
    if with_stride {
        op = op.stride(case.ints(rng, &stride, ty));
    }
    case.text += &format!(
        "\n  StridedSlice {begin:?} {end:?} {with_stride} {stride:?} begin {begin_mask:?} end {end_mask:?} new {new_axis:?} shrink {shrink:?} ellipsis {ellipsis:?} {:?}",
        dialect.1
    );
    let masks = Masks {
        begin: &begin_mask,
        end: &end_mask,
        new_axis: &new_axis,
        shrink_axis: &shrink,
        ellipsis: &ellipsis,
    };
    let stride = with_stride.then_some(&stride[..]);
    refusable(
        case.graph.apply(op, Some(id), None),
        naive::openvino_strided_slice(input, &begin, &end, stride, masks, dialect.1),
    )
}

/// Indices for an axis of size `dim`: a constant, an operand, or computed from one by a slice or a gather, or a Range.
fn indices(case: &mut Case, rng: &mut Rng, dim: usize) -> (Param, Result<naive::Tensor, String>) {
    let ty = index_type(rng);
    if rng.once_in(6) {
        return range_indices(case, rng, dim, ty);
    }
    let shape: Vec<usize> = (0..rng.pick(&[0, 1, 1, 1, 2, 2, 3]))
        .map(|_| if rng.once_in(20) { 0 } else { 1 + rng.below(4) })
        .collect();
    let count: usize = shape.iter().product();
    let bound = dim as i64;
    let start = rng.within(-bound, bound);
    let delta = rng.within(-2, 2);
    let progression = rng.once_in(4);
    let values: Vec<i64> = (0..count as i64)
        .map(|k| match (dim, rng.once_in(60)) {
            (0, _) | (_, true) => coordinate(rng, dim, ty),
            _ if progression => (start + k * delta).clamp(-bound, bound - 1),
            _ => rng.within(-bound, bound - 1),
        })
        .collect();
    case.text += &format!("\n    indices {shape:?} {values:?} {ty}");
    let tensor = integers(&shape, &values, ty);
    let expected = to_naive(&tensor);
    if rng.once_in(3) {
        return (tensor.into(), Ok(expected));
    }
    let id = case.operand(tensor);
    let mut both = Both {
        id,
        expected: Ok(expected),
    };
    while rng.once_in(3) {
        match apply(case, rng, &both) {
            Some(next) => both = next,
            None => break,
        }
    }
    (both.id.into(), both.expected)
}

fn range_indices(
    case: &mut Case,
    rng: &mut Rng,
    dim: usize,
    ty: ElementType,
) -> (Param, Result<naive::Tensor, String>) {
    let bound = dim as i64;
    let scalars = [
        rng.within(-bound, bound),
        rng.within(-bound, bound),
        rng.pick(&[1, 1, 2, -1, -2, 3]),
    ];
    case.text += &format!("\n    indices by Range {scalars:?}");
    let tensors = scalars.map(|v| integers(&[], &[v], ty));
    let expected = naive::onnx_range(
        &to_naive(&tensors[0]),
        &to_naive(&tensors[1]),
        &to_naive(&tensors[2]),
        Dialect::Standard,
    );
    let [start, limit, delta] = tensors;
    let op = Range::onnx(11)
        .start(case.param(rng, start))
        .limit(case.param(rng, limit))
        .delta(delta);
    let id = case.graph.apply(op, None, None).expect("delta is not 0");
    let mut both = Both { id, expected };
    if rng.once_in(2)
        && let Some(next) = apply(case, rng, &both)
    {
        both = next;
    }
    (both.id.into(), both.expected)
}

fn values(tensor: &naive::Tensor) -> Vec<i64> {
    let wide = |elem: &naive::Elem| match elem {
        naive::Elem::Bits(bits) if tensor.dtype == "i32" => i64::from(*bits as u32 as i32),
        naive::Elem::Bits(bits) => *bits as u64 as i64,
        naive::Elem::Text(_) => panic!("text as an index"),
    };
    tensor.elems.iter().map(wide).collect()
}

fn gather(case: &mut Case, rng: &mut Rng, id: ValueId, input: &naive::Tensor) -> Applied {
    let rank = input.shape.len() as i64;
    let axis = if rng.once_in(25) {
        rng.within(-rank - 1, rank)
    } else {
        rng.within(-rank, (rank - 1).max(0))
    };
    let dim = input
        .shape
        .get(axis.rem_euclid(rank.max(1)) as usize)
        .copied()
        .unwrap_or(1);
    let version = rng.pick(&[1, 11, 13]);
    case.text += &format!("\n  Gather@{version} axis {axis}");
    let (param, indices) = indices(case, rng, dim);
    let expected =
        indices.and_then(|q| naive::onnx_gather(version, input, &q.shape, &values(&q), axis));
    refusable(
        case.graph.apply(
            Gather::onnx(version).axis(axis).indices(param),
            Some(id),
            None,
        ),
        expected,
    )
}

/// Merges or splits a random axis, or inserts or drops axes of length 1: the elements stay.
fn reshape(case: &mut Case, rng: &mut Rng, id: ValueId, input: &naive::Tensor) -> Applied {
    let mut dims = input.shape.clone();
    if dims.len() > 1 && rng.once_in(2) {
        let at = rng.below(dims.len() - 1);
        let merged = dims[at] * dims[at + 1];
        dims.splice(at..at + 2, [merged]);
    } else if let Some(at) = (!dims.is_empty()).then(|| rng.below(dims.len())) {
        let divisors: Vec<usize> = (1..=dims[at])
            .filter(|d| dims[at].is_multiple_of(*d))
            .collect();
        if let Some(&divisor) = divisors.get(rng.below(divisors.len())) {
            let rest = dims[at] / divisor;
            dims.splice(at..=at, [divisor, rest]);
        }
    }
    case.text += &format!("\n  reshape {dims:?}");
    let target: Vec<i64> = dims.iter().map(|&dim| dim as i64).collect();
    let target = case.ints(rng, &target, ElementType::I64);
    let op = Reshape::new(
        "onnx::Reshape@13",
        ReshapeRule::Reshape { zero_copies: false },
        Some(target),
    );
    let expected = naive::Tensor {
        shape: dims,
        ..input.clone()
    };
    refusable(case.graph.apply(op, Some(id), None), Ok(expected))
}

fn bracket(case: &mut Case, rng: &mut Rng, id: ValueId, input: &naive::Tensor) -> Applied {
    let count = 1 + rng.below(input.shape.len() + 1);
    let mut entries = Vec::new();
    let mut expected = Vec::new();
    let mut refused = None;
    let mut axis = 0;
    for _ in 0..count {
        let dim = input.shape.get(axis).copied().unwrap_or(2);
        match rng.below(12) {
            0 => {
                (
                    entries.push(xslice::Entry::NewAxis),
                    expected.push(Entry::NewAxis),
                )
                    .0
            }
            1 => {
                (
                    entries.push(xslice::Entry::Ellipsis),
                    expected.push(Entry::Ellipsis),
                )
                    .0
            }
            2 | 3 => {
                let bound = dim as i64;
                let value = if rng.once_in(12) {
                    bound
                } else {
                    rng.within(-bound, (bound - 1).max(0))
                };
                entries.push(xslice::Entry::Integer(value));
                expected.push(Entry::Int(value));
                axis += 1;
            }
            4 => {
                let (param, indices) = indices(case, rng, dim);
                entries.push(xslice::Entry::Gather(param));
                match indices {
                    Ok(q) => expected.push(Entry::Tensor {
                        values: values(&q),
                        shape: q.shape,
                    }),
                    Err(error) => refused = Some(error),
                }
                axis += 1;
            }
            _ => {
                let step = (!rng.once_in(3)).then(|| step(rng, ElementType::I64));
                let (start, end) = bounds(rng, dim, step.unwrap_or(1), ElementType::I64);
                let start = (!rng.once_in(3)).then_some(start);
                let end = (!rng.once_in(3)).then_some(end);
                entries.push(xslice::Entry::Slice { start, end, step });
                expected.push(Entry::Slice { start, end, step });
                axis += 1;
            }
        }
    }
    case.text += &format!("\n  index {expected:?}");
    let expected = match refused {
        Some(error) => Err(error),
        None => naive::index(input, &expected),
    };
    refusable(
        case.graph.apply(Index::new(entries), Some(id), None),
        expected,
    )
}

/// What is refused when a program is built must be refused by the oracle too, and ends the chain.
fn refusable(
    applied: Result<ValueId, xslice::Error>,
    expected: Result<naive::Tensor, String>,
) -> Applied {
    match applied {
        Ok(id) => Some((id, expected)),
        Err(error) => {
            assert!(
                expected.is_err(),
                "refused when built, but the oracle computes it: {error}"
            );
            None
        }
    }
}

fn source(case: &mut Case, rng: &mut Rng) -> Both {
    if rng.once_in(10) {
        return range_source(case, rng);
    }
    let ty = rng.pick(&ElementType::ALL);
    let tensor = numbered(ty, &shape(rng), rng.word());
    let expected = Ok(to_naive(&tensor));
    case.text += &format!("\n  data {ty} {:?}", tensor.shape());
    let id = if rng.once_in(5) {
        case.graph.constant(tensor)
    } else {
        case.operand(tensor)
    };
    Both { id, expected }
}

fn range_source(case: &mut Case, rng: &mut Rng) -> Both {
    let ty = rng.pick(&[
        ElementType::I16,
        ElementType::I32,
        ElementType::I64,
        ElementType::F32,
        ElementType::F64,
    ]);
    let [start, limit, delta] = [
        rng.within(-30, 30),
        rng.within(-30, 30),
        rng.pick(&[1, -1, 2, 3, -7]),
    ];
    let scalar = |value: i64| match ty {
        ElementType::F32 => Tensor::scalar(value as f32 * 0.3),
        ElementType::F64 => Tensor::scalar(value as f64 * 0.3),
        _ => integers(&[], &[value], ty),
    };
    let [start, limit, delta] = [start, limit, delta].map(scalar);
    let dialect = rng.pick(&[
        (xslice::Dialect::Standard, Dialect::Standard),
        (xslice::Dialect::OnnxRuntime, Dialect::OnnxRuntime),
    ]);
    let expected = naive::onnx_range(
        &to_naive(&start),
        &to_naive(&limit),
        &to_naive(&delta),
        dialect.1,
    );
    case.text += &format!(
        "\n  Range {ty} {:?}",
        expected.as_ref().map(|t| t.shape.clone())
    );
    let op = Range::onnx(11)
        .start(case.param(rng, start))
        .limit(case.param(rng, limit))
        .delta(case.param(rng, delta));
    let id = case
        .graph
        .apply(op.dialect(dialect.0), None, None)
        .expect("delta is not 0");
    Both { id, expected }
}

/// The signature and, for each operand, the buffer of a call: row-major, or spread with strides of any sign.
fn call(program: &Program, operands: &[Tensor], rng: &mut Rng) -> (Signature, Vec<Tensor>) {
    let mut signature = Signature::new();
    let mut buffers = Vec::new();
    for (tensor, is_parameter) in operands.iter().zip(program.parameters()) {
        if is_parameter {
            signature = signature.value(tensor.clone());
            buffers.push(tensor.clone());
        } else if rng.once_in(3) {
            let (buffer, strides, offset) = spread(tensor, rng);
            signature = signature.strided(tensor.element_type(), tensor.shape(), &strides, offset);
            buffers.push(buffer);
        } else {
            signature = signature.operand(tensor.element_type(), tensor.shape());
            buffers.push(tensor.clone());
        }
    }
    (signature, buffers)
}

/// Strides and offset with gaps, some axes reversed, the axes in any order in memory.
fn layout(shape: &[usize], rng: &mut Rng) -> (Vec<isize>, usize, usize) {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    for k in (1..order.len()).rev() {
        order.swap(k, rng.below(k + 1));
    }
    let (mut stride, mut offset) = (1 + rng.below(2), rng.below(4));
    let mut strides = vec![0; shape.len()];
    for axis in order {
        let reversed = rng.once_in(3);
        strides[axis] = if reversed {
            -(stride as isize)
        } else {
            stride as isize
        };
        if reversed && shape[axis] > 0 {
            offset += stride * (shape[axis] - 1);
        }
        stride = stride * shape[axis].max(1) + rng.below(3);
    }
    (strides, offset, stride + 8)
}

fn positions(shape: &[usize], strides: &[isize], offset: usize) -> Vec<usize> {
    let mut positions = vec![offset as isize];
    for (&dim, &stride) in shape.iter().zip(strides) {
        positions = positions
            .iter()
            .flat_map(|&p| (0..dim as isize).map(move |i| p + i * stride))
            .collect();
    }
    positions.into_iter().map(|p| p as usize).collect()
}

fn spread(tensor: &Tensor, rng: &mut Rng) -> (Tensor, Vec<isize>, usize) {
    let (strides, offset, len) = layout(tensor.shape(), rng);
    let plain = to_naive(tensor);
    let mut buffer = to_naive(&numbered(tensor.element_type(), &[len], rng.word()));
    for (elem, at) in plain
        .elems
        .iter()
        .zip(positions(tensor.shape(), &strides, offset))
    {
        buffer.elems[at] = elem.clone();
    }
    (from_naive(&buffer), strides, offset)
}

#[derive(Default, Debug)]
struct Tally {
    equal: usize,
    refused: usize,
    beyond: usize,
    /// Valid chains that needed a temporary, and those with a check at run time.
    temporaries: usize,
    checks: usize,
    /// Valid chains by the Move of their last nest.
    moves: BTreeMap<&'static str, usize>,
}

fn check(seed: u64, tally: &mut Tally) {
    let mut rng = Rng::new(seed);
    let mut case = Case::new();
    let mut value = source(&mut case, &mut rng);
    for _ in 0..1 + rng.below(4) {
        match apply(&mut case, &mut rng, &value) {
            Some(next) => value = next,
            None if value.expected.is_ok() => {
                tally.refused += 1;
                return;
            }
            None => break,
        }
    }
    let program = case.graph.finish(value.id).expect("a value of this graph");
    let (mut signature, buffers) = call(&program, &case.operands, &mut rng);
    let expected = match value.expected {
        Err(error) if error == naive::TOO_LARGE => {
            tally.beyond += 1;
            return;
        }
        expected => expected,
    };
    // One call in four writes into a strided part of a larger buffer.
    let output = match &expected {
        Ok(tensor) if rng.once_in(4) => {
            let (strides, offset, len) = layout(&tensor.shape, &mut rng);
            signature = signature.output(&strides, offset);
            let ty = ElementType::from_name(tensor.dtype).expect("a type");
            let before = numbered(ty, &[len], 77);
            let mut after = to_naive(&before);
            for (elem, at) in tensor
                .elems
                .iter()
                .zip(positions(&tensor.shape, &strides, offset))
            {
                after.elems[at] = elem.clone();
            }
            Some((before, from_naive(&after)))
        }
        Ok(tensor) => {
            let after = from_naive(tensor);
            Some((
                suite::filled(after.element_type(), after.shape()).expect("memory"),
                after,
            ))
        }
        Err(_) => None,
    };
    let text = &case.text;
    let mut refusals = BTreeMap::new();
    for (name, run) in ENGINES {
        let inputs: Vec<_> = buffers.iter().map(Tensor::as_input).collect();
        match &output {
            Some((before, after)) => {
                let mut buffer = before.clone();
                if let Err(error) = run(&program, &signature, &inputs, buffer.as_output()) {
                    panic!(
                        "seed {seed}: the {name} refuses what the oracle computes: {error}{text}"
                    );
                }
                assert!(
                    buffer == *after,
                    "seed {seed}: the {name} differs{text}\n{}",
                    suite::plan(&program, &signature)
                );
            }
            None => {
                let shape = program.output_type(&signature);
                let error = shape.and_then(|(ty, shape)| {
                    let mut buffer = Tensor::zeros(ty, &shape)?;
                    run(&program, &signature, &inputs, buffer.as_output())
                });
                match error {
                    Ok(()) => {
                        panic!("seed {seed}: the {name} computes what the oracle refuses{text}")
                    }
                    Err(error) => refusals.insert(error.to_string(), *name),
                };
            }
        }
    }
    assert!(
        refusals.len() < 2,
        "seed {seed}: different refusals {refusals:?}{text}"
    );
    if output.is_some() {
        let plan = suite::plan(&program, &signature);
        tally.equal += 1;
        tally.temporaries += usize::from(!plan.temporaries().is_empty());
        let last = plan.steps().iter().rev().find_map(|step| match step {
            xslice::Step::Nest(planned) => Some(planned.schedule()?.inner().name()),
            xslice::Step::Check(_) => None,
        });
        *tally.moves.entry(last.unwrap_or("none")).or_default() += 1;
        tally.checks += usize::from(
            plan.steps()
                .iter()
                .any(|step| matches!(step, xslice::Step::Check(_))),
        );
    } else {
        tally.refused += 1;
    }
}

#[test]
fn engines_agree_with_the_oracle_on_random_chains() {
    let count = std::env::var("XSLICE_RANDOM_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(20_000);
    let mut tally = Tally::default();
    for seed in 0..count {
        check(seed, &mut tally);
    }
    println!("{count} chains: {tally:?}");
    assert!(
        tally.equal * 3 > count as usize,
        "too few valid chains: {tally:?}"
    );
}
