//! Random cases of everything that the notation can say.

use crate::cases::describe::{
    At, Case, Step, Value, gather, of, on, ov_slice, range_of, slice, strided,
};
use crate::suite::rng::Rng;
use crate::suite::{from_naive, numbered};
use xslice::{Dialect, ElementType, Tensor};

/// A case that the oracle gives a value for, or refuses for an index at run time.
pub fn case(seed: u64) -> Case {
    let draw = Draw {
        rng: Rng::new(seed),
        large: false,
    };
    draw.case().named(&format!("random_{seed}"))
}

/// One whose result has from 200 bytes to 400 KB: both sides of each size from which the expansion takes another form.
pub fn large(seed: u64) -> Case {
    let sized = (0..).find_map(|again| {
        let draw = Draw {
            rng: Rng::new(seed + (again << 32)),
            large: true,
        };
        let case = draw.case();
        let tensor = from_naive(&case.expected().ok()?);
        let bytes = tensor.len() * tensor.element_type().size();
        (200..=400_000).contains(&bytes).then_some(case)
    });
    let case = sized.expect("some of them are of that size");
    case.named(&format!("large_{seed}"))
}

/// What a case is drawn from.
struct Draw {
    rng: Rng<'static>,
    /// Whether axes are long and steps leave most of them.
    large: bool,
}

impl Draw {
    fn case(mut self) -> Case {
        let mut case = if self.rng.once_in(if self.large { 5 } else { 12 }) {
            self.range()
        } else {
            self.data()
        };
        for _ in 0..1 + self.rng.below(3) {
            let Ok(now) = case.expected() else { break };
            if now.shape.iter().product::<usize>() > 20_000 {
                break;
            }
            let (longer, id) = self.step(case.clone(), &now.shape);
            let refused = longer.expected().is_err();
            // What constants decide is refused by the compiler; only indices at run time may be wrong.
            if !refused || id {
                case = longer;
            }
        }
        case
    }

    fn data(&mut self) -> Case {
        let rank = self.rng.pick(&[0, 1, 1, 2, 2, 3, 3, 4, 5]);
        let most = match (self.large, self.rng.once_in(5)) {
            (true, true) => [1, 40_000, 300, 40, 16, 8],
            (true, false) => [1, 9000, 120, 30, 13, 8],
            (false, true) => [1, 2500, 70, 18, 9, 6],
            (false, false) => [1, 40, 9, 6, 4, 3],
        };
        let shape: Vec<usize> = (0..rank)
            .map(|_| {
                if self.rng.once_in(30) {
                    0
                } else {
                    1 + self.rng.below(most[rank])
                }
            })
            .collect();
        on(numbered(
            self.rng.pick(&ElementType::ALL),
            &shape,
            self.rng.word() >> 1,
        ))
    }

    fn range(&mut self) -> Case {
        let dialect = self.rng.pick(&[Dialect::Standard, Dialect::OnnxRuntime]);
        let (start, delta) = (self.rng.within(-20, 20), self.rng.pick(&[-3, -1, 1, 2, 7]));
        let most = match (self.large, self.rng.once_in(3)) {
            (true, true) => 8000,
            (true, false) => 2000,
            (false, true) => 1500,
            (false, false) => 40,
        };
        let limit = start + delta * self.rng.within(0, most) + self.rng.within(0, 1);
        let scalars = [start, limit, delta];
        of(match self.rng.below(4) {
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
    fn step(&mut self, mut case: Case, shape: &[usize]) -> (Case, bool) {
        let before = case.operands.len();
        let gathers = if self.large { 5..8 } else { 5..6 };
        let step = match self.rng.below(9) {
            0 | 1 => self.onnx_slice(shape),
            2 => self.openvino_slice(shape),
            3 | 4 => self.strided_slice(shape),
            kind if !shape.is_empty() && gathers.contains(&kind) => {
                let axis = self.rng.below(shape.len());
                let (version, rank) = (self.rng.pick(&[1, 11, 13]), shape.len() as i64);
                let indices = self.indices(&mut case, shape[axis]);
                let step = gather(version, indices);
                step.axis(if self.rng.once_in(2) {
                    axis as i64
                } else {
                    axis as i64 - rank
                })
            }
            _ => self.bracket(&mut case, shape),
        };
        let at_run_time = case.operands.len() > before;
        (case.then(step), at_run_time)
    }

    fn near(&mut self, dim: usize) -> i64 {
        let dim = dim as i64;
        match self.rng.below(12) {
            1..=6 if self.large => {
                let few = self.rng.within(0, dim / 8 + 1);
                if self.rng.once_in(2) { few } else { dim - few }
            }
            0 => self
                .rng
                .pick(&[i64::MIN, i64::MAX, i64::from(i32::MAX), i64::from(i32::MIN)]),
            _ => self.rng.within(-dim - 1, dim + 1),
        }
    }

    fn stride(&mut self) -> i64 {
        match self.large {
            true => self.rng.pick(&[1, 1, 1, 2, 2, 3, 7, -1, -1, -2, -3, -5]),
            false => self.rng.pick(&[1, 1, 2, 3, -1, -1, -2, i64::MAX, i64::MIN]),
        }
    }

    fn lists(&mut self, dims: &[usize]) -> [Value; 3] {
        let near: [Vec<i64>; 2] =
            core::array::from_fn(|_| dims.iter().map(|&dim| self.near(dim)).collect());
        let strides: Vec<i64> = dims.iter().map(|_| self.stride()).collect();
        let [starts, ends] = near;
        [starts, ends, strides].map(|list| Tensor::vector(&list).into())
    }

    /// Some of the axes.
    fn some(&mut self, shape: &[usize]) -> (Vec<i64>, Vec<usize>) {
        let mut axes: Vec<usize> = (0..shape.len()).filter(|_| !self.rng.once_in(3)).collect();
        if self.rng.once_in(2) {
            axes.reverse();
        }
        let dims = axes.iter().map(|&axis| shape[axis]).collect();
        let rank = shape.len() as i64;
        let sign = |&axis: &usize| {
            if self.rng.once_in(3) {
                axis as i64 - rank
            } else {
                axis as i64
            }
        };
        (axes.iter().map(sign).collect(), dims)
    }

    fn onnx_slice(&mut self, shape: &[usize]) -> Step {
        let version = self.rng.pick(&[1, 10, 11, 13]);
        let (axes, dims) = self.some(shape);
        let [starts, ends, steps] = self.lists(&dims);
        let step = slice(version, starts, ends).axes(Tensor::vector(&axes));
        let step = if version == 1 { step } else { step.by(steps) };
        step.dialect(self.rng.pick(&[Dialect::Standard, Dialect::OnnxRuntime]))
    }

    fn openvino_slice(&mut self, shape: &[usize]) -> Step {
        let (axes, dims) = self.some(shape);
        let [start, stop, step] = self.lists(&dims);
        ov_slice(start, stop, step).axes(Tensor::vector(&axes))
    }

    fn strided_slice(&mut self, shape: &[usize]) -> Step {
        let count = self.rng.below(shape.len() + 2);
        let dims: Vec<usize> = (0..count)
            .map(|k| shape.get(k).copied().unwrap_or(1))
            .collect();
        let [begin, end, stride] = self.lists(&dims);
        let mut step = strided(begin, end).by(stride);
        if let Step::StridedSlice { masks, .. } = &mut step {
            for (mask, odds) in masks.iter_mut().zip([3, 3, 5, 6, 8]) {
                *mask = (0..count)
                    .map(|_| i64::from(self.rng.once_in(odds)))
                    .collect();
            }
        }
        step.dialect(self.rng.pick(&[Dialect::Standard, Dialect::OpenVinoText]))
    }

    /// Indices for an axis: constants, or an operand.
    fn indices(&mut self, case: &mut Case, dim: usize) -> Value {
        let at_run_time = self.rng.once_in(2);
        let shape: Vec<usize> = match self.rng.below(5) {
            0..3 if self.large => vec![if at_run_time { 900 } else { 100 } + self.rng.below(200)],
            0 => vec![],
            1 | 2 => vec![self.rng.below(6)],
            3 => vec![1 + self.rng.below(3), 1 + self.rng.below(4)],
            4 if self.rng.once_in(3) => vec![900 + self.rng.below(30)],
            _ => vec![17 + self.rng.below(30)],
        };
        let count: usize = shape.iter().product();
        let bound = dim as i64;
        let mut index = || match at_run_time && !self.large && self.rng.once_in(80) {
            true => bound,
            false => self.rng.within(-bound, (bound - 1).max(-bound)),
        };
        let values: Vec<i64> = (0..count).map(|_| index()).collect();
        let tensor = Tensor::new(&shape, &values).expect("its shape");
        if !at_run_time {
            return tensor.into();
        }
        let narrow: Vec<i32> = values.iter().map(|&value| value as i32).collect();
        let tensor = match self.rng.once_in(3) {
            true => Tensor::new(&shape, &narrow).expect("its shape"),
            false => tensor,
        };
        let name = format!("ids{}", case.operands.len());
        case.operands.push((name.clone(), tensor));
        name.as_str().into()
    }

    fn bracket(&mut self, case: &mut Case, shape: &[usize]) -> Step {
        let mut entries = Vec::new();
        let (mut axis, mut gathered, mut dots) = (0, false, false);
        while axis < shape.len() && !self.rng.once_in(5) {
            let dim = shape[axis];
            axis += 1;
            entries.push(match self.rng.below(10) {
                0 if !dots => {
                    dots = true;
                    axis = shape.len() - self.rng.below(shape.len() + 1 - axis);
                    At::Dots
                }
                1 => {
                    axis -= 1;
                    At::New
                }
                2 if !gathered => {
                    gathered = true;
                    At::Gather(self.indices(case, dim))
                }
                3 | 4 if dim > 0 => At::Int(self.rng.within(-(dim as i64), dim as i64 - 1)),
                _ => {
                    let mut bound = |odds: usize| (!self.rng.once_in(odds)).then(|| self.near(dim));
                    let (start, end) = (bound(2), bound(2));
                    At::Slice([start, end, (!self.rng.once_in(2)).then(|| self.stride())])
                }
            });
        }
        if entries.is_empty() {
            entries.push(At::Dots);
        }
        Step::Index(entries)
    }
}
