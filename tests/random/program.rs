//! A random program under construction: operands, sources, and the numbers that are tried.

use crate::suite::naive::{self, Dialect};
use crate::suite::rng::Rng;
use crate::suite::{numbered, to_naive};
use xslice::{ElementType, Graph, Param, Range, Tensor, ValueId};

/// A value of the program under construction, and what the oracle says it is.
pub struct Both {
    pub id: ValueId,
    pub expected: Result<naive::Tensor, String>,
}

/// A program, its operands, and the oracle's result.
pub struct Case {
    pub graph: Graph,
    pub operands: Vec<Tensor>,
    pub text: String,
}

impl Case {
    pub fn new() -> Self {
        Self {
            graph: Graph::new(),
            operands: Vec::new(),
            text: String::new(),
        }
    }

    pub fn operand(&mut self, tensor: Tensor) -> ValueId {
        let name = format!("x{}", self.operands.len());
        self.operands.push(tensor);
        self.graph.operand(&name, None).expect("a new name")
    }

    /// A parameter: a constant, or an operand whose value arrives later.
    pub fn param(&mut self, rng: &mut Rng, tensor: Tensor) -> Param {
        if rng.once_in(3) {
            self.operand(tensor).into()
        } else {
            tensor.into()
        }
    }

    pub fn ints(&mut self, rng: &mut Rng, values: &[i64], ty: ElementType) -> Param {
        let tensor = integers(&[values.len()], values, ty);
        self.param(rng, tensor)
    }
}

pub fn integers(shape: &[usize], values: &[i64], ty: ElementType) -> Tensor {
    let bytes = values
        .iter()
        .flat_map(|v| v.to_le_bytes()[..ty.size()].to_vec())
        .collect();
    Tensor::from_bytes(ty, shape, bytes).expect("its shape")
}

/// An index near an axis, or one of the extremes that fit the type.
pub fn coordinate(rng: &mut Rng, dim: usize, ty: ElementType) -> i64 {
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

pub fn step(rng: &mut Rng, ty: ElementType) -> i64 {
    match rng.below(40) {
        0 => 0,
        1 if ty == ElementType::I64 => rng.pick(&[i64::MIN, i64::MAX]),
        2 => rng.pick(&[i64::from(i32::MIN), i64::from(i32::MAX)]),
        _ => rng.pick(&[1, 1, 1, -1, -1, 2, -2, 3, -3, 7]),
    }
}

pub fn shape(rng: &mut Rng) -> Vec<usize> {
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
pub fn bounds(rng: &mut Rng, dim: usize, step: i64, ty: ElementType) -> (i64, i64) {
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

pub fn source(case: &mut Case, rng: &mut Rng) -> Both {
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

pub fn range_source(case: &mut Case, rng: &mut Rng) -> Both {
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
