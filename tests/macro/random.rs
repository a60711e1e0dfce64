//! Random cases of everything that the notation can say.

use crate::cases::describe::{
    At, Case, Step, Value, gather, of, on, ov_slice, range_of, slice, strided,
};
use crate::suite::numbered;
use crate::suite::rng::Rng;
use xslice::{Dialect, ElementType, Tensor};

/// A case that the oracle gives a value for, or refuses for an index at run time.
pub fn case(seed: u64) -> Case {
    let mut rng = Rng::new(seed);
    let mut case = if rng.once_in(12) {
        range(&mut rng)
    } else {
        data(&mut rng)
    };
    for _ in 0..1 + rng.below(3) {
        let Ok(now) = case.expected() else { break };
        let (longer, id) = step(&mut rng, case.clone(), &now.shape);
        let refused = longer.expected().is_err();
        // What constants decide is refused by the compiler; only indices at run time may be wrong.
        if !refused || id {
            case = longer;
        }
    }
    case.named(&format!("random_{seed}"))
}

fn data(rng: &mut Rng) -> Case {
    let rank = rng.pick(&[0, 1, 1, 2, 2, 3, 3, 4, 5]);
    // Large ones are what Moves do.
    let most = match rng.once_in(5) {
        true => [1, 2500, 70, 18, 9, 6][rank],
        false => [1, 40, 9, 6, 4, 3][rank],
    };
    let shape: Vec<usize> = (0..rank)
        .map(|_| {
            if rng.once_in(30) {
                0
            } else {
                1 + rng.below(most)
            }
        })
        .collect();
    on(numbered(
        rng.pick(&ElementType::ALL),
        &shape,
        rng.word() >> 1,
    ))
}

fn range(rng: &mut Rng) -> Case {
    let dialect = rng.pick(&[Dialect::Standard, Dialect::OnnxRuntime]);
    let (start, delta) = (rng.within(-20, 20), rng.pick(&[-3, -1, 1, 2, 7]));
    let most = if rng.once_in(3) { 1500 } else { 40 };
    let limit = start + delta * rng.within(0, most) + rng.within(0, 1);
    let scalars = [start, limit, delta];
    of(match rng.below(4) {
        0 => range_of(scalars.map(Tensor::scalar), dialect),
        1 => range_of(scalars.map(|value| Tensor::scalar(value as i16)), dialect),
        2 => range_of(
            scalars.map(|value| Tensor::scalar(value as f32 / 8.0 + 0.1)),
            dialect,
        ),
        _ => range_of(
            scalars.map(|value| Tensor::scalar(value as f64 / 3.0)),
            dialect,
        ),
    })
}

/// Another step, and whether it takes indices at run time.
fn step(rng: &mut Rng, mut case: Case, shape: &[usize]) -> (Case, bool) {
    let before = case.operands.len();
    let step = match rng.below(9) {
        0 | 1 => onnx_slice(rng, shape),
        2 => openvino_slice(rng, shape),
        3 | 4 => strided_slice(rng, shape),
        5 if !shape.is_empty() => {
            let axis = rng.below(shape.len());
            let (version, rank) = (rng.pick(&[1, 11, 13]), shape.len() as i64);
            let indices = indices(rng, &mut case, shape[axis]);
            let step = gather(version, indices);
            step.axis(if rng.once_in(2) {
                axis as i64
            } else {
                axis as i64 - rank
            })
        }
        _ => bracket(rng, &mut case, shape),
    };
    let at_run_time = case.operands.len() > before;
    (case.then(step), at_run_time)
}

fn near(rng: &mut Rng, dim: usize) -> i64 {
    match rng.below(12) {
        0 => rng.pick(&[i64::MIN, i64::MAX, i64::from(i32::MAX), i64::from(i32::MIN)]),
        _ => rng.within(-(dim as i64) - 1, dim as i64 + 1),
    }
}

fn stride(rng: &mut Rng) -> i64 {
    rng.pick(&[1, 1, 2, 3, -1, -1, -2, i64::MAX, i64::MIN])
}

fn lists(rng: &mut Rng, dims: &[usize]) -> [Value; 3] {
    let near: [Vec<i64>; 2] =
        core::array::from_fn(|_| dims.iter().map(|&dim| near(rng, dim)).collect());
    let strides: Vec<i64> = dims.iter().map(|_| stride(rng)).collect();
    let [starts, ends] = near;
    [starts, ends, strides].map(|list| Tensor::vector(&list).into())
}

/// Some of the axes.
fn some(rng: &mut Rng, shape: &[usize]) -> (Vec<i64>, Vec<usize>) {
    let mut axes: Vec<usize> = (0..shape.len()).filter(|_| !rng.once_in(3)).collect();
    if rng.once_in(2) {
        axes.reverse();
    }
    let dims = axes.iter().map(|&axis| shape[axis]).collect();
    let rank = shape.len() as i64;
    let sign = |&axis: &usize| {
        if rng.once_in(3) {
            axis as i64 - rank
        } else {
            axis as i64
        }
    };
    (axes.iter().map(sign).collect(), dims)
}

fn onnx_slice(rng: &mut Rng, shape: &[usize]) -> Step {
    let version = rng.pick(&[1, 10, 11, 13]);
    let (axes, dims) = some(rng, shape);
    let [starts, ends, steps] = lists(rng, &dims);
    let step = slice(version, starts, ends).axes(Tensor::vector(&axes));
    let step = if version == 1 { step } else { step.by(steps) };
    step.dialect(rng.pick(&[Dialect::Standard, Dialect::OnnxRuntime]))
}

fn openvino_slice(rng: &mut Rng, shape: &[usize]) -> Step {
    let (axes, dims) = some(rng, shape);
    let [start, stop, step] = lists(rng, &dims);
    ov_slice(start, stop, step).axes(Tensor::vector(&axes))
}

fn strided_slice(rng: &mut Rng, shape: &[usize]) -> Step {
    let count = rng.below(shape.len() + 2);
    let dims: Vec<usize> = (0..count)
        .map(|k| shape.get(k).copied().unwrap_or(1))
        .collect();
    let [begin, end, stride] = lists(rng, &dims);
    let mut step = strided(begin, end).by(stride);
    if let Step::StridedSlice { masks, .. } = &mut step {
        for (mask, odds) in masks.iter_mut().zip([3, 3, 5, 6, 8]) {
            *mask = (0..count).map(|_| i64::from(rng.once_in(odds))).collect();
        }
    }
    step.dialect(rng.pick(&[Dialect::Standard, Dialect::OpenVinoText]))
}

/// Indices for an axis: constants, or an operand.
fn indices(rng: &mut Rng, case: &mut Case, dim: usize) -> Value {
    let shape: Vec<usize> = match rng.below(5) {
        0 => vec![],
        1 | 2 => vec![rng.below(6)],
        3 => vec![1 + rng.below(3), 1 + rng.below(4)],
        4 if rng.once_in(3) => vec![900 + rng.below(30)],
        _ => vec![17 + rng.below(30)],
    };
    let count: usize = shape.iter().product();
    let bound = dim as i64;
    let at_run_time = rng.once_in(2);
    let mut index = || match at_run_time && rng.once_in(80) {
        true => bound,
        false => rng.within(-bound, (bound - 1).max(-bound)),
    };
    let values: Vec<i64> = (0..count).map(|_| index()).collect();
    let tensor = Tensor::new(&shape, &values).expect("its shape");
    if !at_run_time {
        return tensor.into();
    }
    let narrow: Vec<i32> = values.iter().map(|&value| value as i32).collect();
    let tensor = match rng.once_in(3) {
        true => Tensor::new(&shape, &narrow).expect("its shape"),
        false => tensor,
    };
    let name = format!("ids{}", case.operands.len());
    case.operands.push((name.clone(), tensor));
    name.as_str().into()
}

fn bracket(rng: &mut Rng, case: &mut Case, shape: &[usize]) -> Step {
    let mut entries = Vec::new();
    let (mut axis, mut gathered, mut dots) = (0, false, false);
    while axis < shape.len() && !rng.once_in(5) {
        let dim = shape[axis];
        axis += 1;
        entries.push(match rng.below(10) {
            0 if !dots => {
                dots = true;
                axis = shape.len() - rng.below(shape.len() + 1 - axis);
                At::Dots
            }
            1 => {
                axis -= 1;
                At::New
            }
            2 if !gathered => {
                gathered = true;
                At::Gather(indices(rng, case, dim))
            }
            3 | 4 if dim > 0 => At::Int(rng.within(-(dim as i64), dim as i64 - 1)),
            _ => {
                let mut bound = |odds: usize| (!rng.once_in(odds)).then(|| near(rng, dim));
                let (start, end) = (bound(2), bound(2));
                At::Slice([start, end, (!rng.once_in(2)).then(|| stride(rng))])
            }
        });
    }
    if entries.is_empty() {
        entries.push(At::Dots);
    }
    Step::Index(entries)
}
