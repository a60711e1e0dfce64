//! Every small case there is: all axes of up to 6 elements, all starts and ends in `-8..=8` with the extremes, all steps, every operator,
//! version and dialect, against the oracle.
//!
//! All of it where the tests are built with `--release`; otherwise every 17th case.

#[path = "suite/mod.rs"]
mod suite;

use suite::naive::{self, Masks};
use suite::{from_naive, numbered, to_naive};
use xslice::{
    Dialect, ElementType, Entry, Error, Gather, Graph, Index, Level, OnnxGather, OnnxSlice, Op,
    Program, Range, Scratch, Signature, Slice, StridedSlice, Tensor, interp, runner,
};

const LARGEST_AXIS: usize = 6;

const STEPS: [i64; 10] = [1, -1, 2, -2, 3, -3, 0, i64::MIN, i64::MAX, i32::MIN as i64];

/// `-8..=8`, and what stands for "to the end" in other people's models.
fn coordinates() -> Vec<i64> {
    let extremes = [
        i64::MIN,
        i64::MIN + 1,
        i64::from(i32::MIN),
        i64::from(i32::MAX),
        i64::MAX - 1,
        i64::MAX,
    ];
    (-8..=8).chain(extremes).collect()
}

/// Counts cases, and says which are tried.
#[derive(Default)]
struct World {
    number: usize,
    computed: usize,
    refused: usize,
}

impl World {
    fn is_tried(&mut self) -> bool {
        self.number += 1;
        !cfg!(debug_assertions) || self.number.is_multiple_of(17)
    }

    /// One operator on one operand.
    fn one(&mut self, op: impl Into<Op>, x: &Tensor, expected: Result<naive::Tensor, String>) {
        let program = chain(op.into());
        let signature = Signature::new().operand(x.element_type(), x.shape());
        self.compare(&program, &signature, Some(x), expected);
    }

    /// Interpreter and runner give what the oracle gives, or refuse what it refuses, alike.
    fn compare(
        &mut self,
        program: &Result<Program, Error>,
        signature: &Signature,
        x: Option<&Tensor>,
        expected: Result<naive::Tensor, String>,
    ) {
        let results = [true, false].map(|reference| {
            let program = program.as_ref().map_err(Clone::clone)?;
            run(reference, program, signature, x)
        });
        let what = || program.as_ref().map(ToString::to_string);
        match (&results, expected) {
            ([Ok(first), Ok(second)], Ok(expected)) => {
                let expected = from_naive(&expected);
                assert!(*first == expected && *second == expected, "{:?}", what());
                self.computed += 1;
            }
            ([Err(first), Err(second)], Err(_)) => {
                assert_eq!(first.to_string(), second.to_string());
                assert!(first.kind().is_rule(), "{first}");
                self.refused += 1;
            }
            (results, expected) => panic!("{:?}: {results:?}, but the oracle {expected:?}", what()),
        }
    }

    fn report(&self, what: &str) {
        println!(
            "{what}: {} computed, {} refused",
            self.computed, self.refused
        );
        assert!(self.computed > 0 && self.refused > 0);
    }
}

fn chain(op: Op) -> Result<Program, Error> {
    let mut graph = Graph::new();
    let x = graph.operand("x", None)?;
    let y = graph.apply(op, Some(x), None)?;
    graph.finish(y)
}

fn run(
    reference: bool,
    program: &Program,
    signature: &Signature,
    x: Option<&Tensor>,
) -> Result<Tensor, Error> {
    let plan = program.compile(signature)?;
    let mut result = suite::filled(plan.element_type(), plan.shape())?;
    let inputs: Vec<_> = x.iter().map(|x| x.as_input()).collect();
    let (output, scratch) = (result.as_output(), &mut Scratch::new());
    match reference {
        true => interp::run(&plan, &inputs, output, scratch)?,
        false => runner::run_at(Level::best(), &plan, &inputs, output, scratch)?,
    }
    Ok(result)
}

/// Every axis, start, end and step.
fn each_walk(mut walk: impl FnMut(usize, i64, i64, i64)) {
    let coordinates = coordinates();
    for dim in 0..=LARGEST_AXIS {
        for &start in &coordinates {
            for &end in &coordinates {
                for step in STEPS {
                    walk(dim, start, end, step);
                }
            }
        }
    }
}

fn axis(dim: usize) -> (Tensor, naive::Tensor) {
    let x = numbered(ElementType::U16, &[dim], 5);
    let oracle = to_naive(&x);
    (x, oracle)
}

#[test]
fn onnx_slices() {
    let mut world = World::default();
    let dialects = [
        (Dialect::Standard, naive::Dialect::Standard),
        (Dialect::OnnxRuntime, naive::Dialect::OnnxRuntime),
    ];
    each_walk(|dim, start, end, step| {
        for version in [1, 10, 11, 13] {
            for (ours, theirs) in dialects {
                if (version == 1 && step != 1) || !world.is_tried() {
                    continue;
                }
                let (x, oracle) = axis(dim);
                let with_steps = version != 1;
                let mut op: OnnxSlice = Slice::onnx(version).dialect(ours);
                op = op.starts([start]).ends([end]).axes([0]);
                if with_steps {
                    op = op.steps([step]);
                }
                let steps = [step];
                let steps = with_steps.then_some(&steps[..]);
                let expected = naive::onnx_slice(
                    version,
                    &oracle,
                    &[start],
                    &[end],
                    Some(&[0]),
                    steps,
                    theirs,
                );
                world.one(op, &x, expected);
            }
        }
    });
    world.report("ONNX Slice");
}

#[test]
fn openvino_slices_and_brackets() {
    let mut world = World::default();
    each_walk(|dim, start, end, step| {
        if !world.is_tried() {
            return;
        }
        let (x, oracle) = axis(dim);
        let op = Slice::openvino(8).start([start]).stop([end]).step([step]);
        let expected = naive::openvino_slice(&oracle, &[start], &[end], &[step], None);
        world.one(op, &x, expected);
        for (start, end) in [
            (Some(start), Some(end)),
            (None, Some(end)),
            (Some(start), None),
        ] {
            let step = Some(step);
            let entry = naive::Entry::Slice { start, end, step };
            let op = Index::new([Entry::Slice { start, end, step }]);
            world.one(op, &x, naive::index(&oracle, &[entry]));
        }
    });
    world.report("OpenVINO Slice, brackets");
}

#[test]
fn openvino_strided_slices() {
    let mut world = World::default();
    let dialects = [
        (Dialect::Standard, naive::Dialect::Standard),
        (Dialect::OpenVinoText, naive::Dialect::OpenVinoText),
    ];
    each_walk(|dim, begin, end, stride| {
        for bits in 0..32 {
            for (ours, theirs) in dialects {
                if !world.is_tried() {
                    continue;
                }
                let (x, oracle) = axis(dim);
                let mask = |bit: i64| [bits >> bit & 1];
                let masks: [[i64; 1]; 5] = std::array::from_fn(|bit| mask(bit as i64));
                let op = StridedSlice::openvino(1)
                    .begin([begin])
                    .end([end])
                    .stride([stride])
                    .begin_mask(masks[0])
                    .end_mask(masks[1])
                    .new_axis_mask(masks[2])
                    .shrink_axis_mask(masks[3])
                    .ellipsis_mask(masks[4])
                    .dialect(ours);
                let theirs = naive::openvino_strided_slice(
                    &oracle,
                    &[begin],
                    &[end],
                    Some(&[stride]),
                    Masks {
                        begin: &masks[0],
                        end: &masks[1],
                        new_axis: &masks[2],
                        shrink_axis: &masks[3],
                        ellipsis: &masks[4],
                    },
                    theirs,
                );
                world.one(op, &x, theirs);
            }
        }
    });
    world.report("OpenVINO StridedSlice");
}

#[test]
fn gathers() {
    let mut world = World::default();
    for shape in [[0, 3], [3, 0], [1, 2], [2, 5], [6, 1], [4, 6]] {
        let x = numbered(ElementType::U16, &shape, 5);
        let oracle = to_naive(&x);
        for axis in -3..=2 {
            for first in coordinates() {
                for second in coordinates() {
                    for version in [1, 11, 13] {
                        if world.is_tried() {
                            let op: OnnxGather = Gather::onnx(version);
                            let op = op.axis(axis).indices([first, second]);
                            let (dims, indices) = (&[2], &[first, second]);
                            let expected =
                                naive::onnx_gather(version, &oracle, dims, indices, axis);
                            world.one(op, &x, expected);
                        }
                    }
                }
            }
        }
        for integer in coordinates() {
            let entry = naive::Entry::Int(integer);
            let expected = naive::index(&oracle, &[entry]);
            world.one(Index::new([Entry::Integer(integer)]), &x, expected);
        }
    }
    world.report("Gather");
}

#[test]
fn ranges() {
    let mut world = World::default();
    let dialects = [
        (Dialect::Standard, naive::Dialect::Standard),
        (Dialect::OnnxRuntime, naive::Dialect::OnnxRuntime),
    ];
    for start in -8..=8i64 {
        for limit in -8..=8i64 {
            for delta in [-8, -3, -2, -1, 0, 1, 2, 3, 8i64] {
                let scalars = [start, limit, delta];
                let types: [[Tensor; 3]; 5] = [
                    scalars.map(Tensor::scalar),
                    scalars.map(|value| Tensor::scalar(value as i32)),
                    scalars.map(|value| Tensor::scalar(value as i16)),
                    scalars.map(|value| Tensor::scalar(value as f32 * 0.7)),
                    scalars.map(|value| Tensor::scalar(value as f64 * 0.3)),
                ];
                for (tensors, (ours, theirs)) in types
                    .iter()
                    .flat_map(|tensors| dialects.map(|dialect| (tensors, dialect)))
                {
                    let [start, limit, delta] = tensors;
                    let expected = naive::onnx_range(
                        &to_naive(start),
                        &to_naive(limit),
                        &to_naive(delta),
                        theirs,
                    );
                    let op = Range::onnx(11).start(start.clone()).limit(limit.clone());
                    let op = op.delta(delta.clone()).dialect(ours);
                    let mut graph = Graph::new();
                    let program = graph.apply(op, None, None).and_then(|y| graph.finish(y));
                    world.compare(&program, &Signature::new(), None, expected);
                }
            }
        }
    }
    world.report("Range");
}
