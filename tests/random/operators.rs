//! Random operators, applied to the program and, by the oracle, to its value.

use crate::program::{Both, Case, bounds, coordinate, integers, step};
use crate::suite::naive::{self, Dialect, Entry, Masks};
use crate::suite::rng::Rng;
use crate::suite::to_naive;
use xslice::{
    ElementType, Gather, Index, Param, Range, Reshape, ReshapeRule, Slice, StridedSlice, ValueId,
};

/// Applies a random operator to both sides.
pub fn apply(case: &mut Case, rng: &mut Rng, data: &Both) -> Option<Both> {
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

pub type Applied = Option<(ValueId, Result<naive::Tensor, String>)>;

pub fn index_type(rng: &mut Rng) -> ElementType {
    rng.pick(&[ElementType::I32, ElementType::I64])
}

pub fn slice(case: &mut Case, rng: &mut Rng, id: ValueId, input: &naive::Tensor) -> Applied {
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

pub fn openvino_slice(
    case: &mut Case,
    rng: &mut Rng,
    id: ValueId,
    input: &naive::Tensor,
) -> Applied {
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

pub fn strided_slice(
    case: &mut Case,
    rng: &mut Rng,
    id: ValueId,
    input: &naive::Tensor,
) -> Applied {
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
pub fn indices(
    case: &mut Case,
    rng: &mut Rng,
    dim: usize,
) -> (Param, Result<naive::Tensor, String>) {
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

pub fn range_indices(
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

pub fn values(tensor: &naive::Tensor) -> Vec<i64> {
    let wide = |elem: &naive::Elem| match elem {
        naive::Elem::Bits(bits) if tensor.dtype == "i32" => i64::from(*bits as u32 as i32),
        naive::Elem::Bits(bits) => *bits as u64 as i64,
        naive::Elem::Text(_) => panic!("text as an index"),
    };
    tensor.elems.iter().map(wide).collect()
}

pub fn gather(case: &mut Case, rng: &mut Rng, id: ValueId, input: &naive::Tensor) -> Applied {
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
pub fn reshape(case: &mut Case, rng: &mut Rng, id: ValueId, input: &naive::Tensor) -> Applied {
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

pub fn bracket(case: &mut Case, rng: &mut Rng, id: ValueId, input: &naive::Tensor) -> Applied {
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
pub fn refusable(
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
