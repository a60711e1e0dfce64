//! What machine code costs and gains: a call, a cache hit, a rebind, a cold compilation, and some nests on every engine.
//!
//! `cargo run --release -p xslice-jit --example costs`

use std::hint::black_box;
use std::time::{Duration, Instant};
use xslice_core::{
    ElementType, Gather, Input, OnnxSlice, Op, Program, Range, Signature, Slice, Tensor,
};
use xslice_jit::{Jit, Strategy};

fn main() {
    call();
    hit();
    rebind();
    cold();
    nests();
}

/// Nanoseconds of one `run`, the smallest of several rounds.
fn time(mut run: impl FnMut()) -> f64 {
    let mut turns = 1u32;
    loop {
        let start = Instant::now();
        (0..turns).for_each(|_| run());
        let spent = start.elapsed();
        if spent > Duration::from_millis(5) {
            break;
        }
        turns *= 2;
    }
    let round = || {
        let start = Instant::now();
        (0..turns).for_each(|_| run());
        start.elapsed().as_secs_f64() * 1e9 / f64::from(turns)
    };
    std::iter::repeat_with(round)
        .take(9)
        .fold(f64::INFINITY, f64::min)
}

fn slice(starts: &[i64], ends: &[i64], axes: &[i64], steps: &[i64]) -> OnnxSlice {
    Slice::onnx(13)
        .starts(starts)
        .ends(ends)
        .axes(axes)
        .steps(steps)
}

fn chain(op: impl Into<Op>) -> Program {
    Program::chain("x").then(op).build().expect("a program")
}

fn call() {
    let program = chain(slice(&[1], &[8], &[0], &[1]));
    let signature = Signature::new().operand(ElementType::F32, &[10]);
    let x = [1.0f32; 10];
    let mut y = [0.0f32; 7];
    for strategy in [Strategy::Runner, Strategy::Keyed, Strategy::Baked] {
        let kernel = Jit::with_strategy(strategy)
            .compile(&program, &signature)
            .expect("a kernel");
        let ns = time(|| {
            kernel
                .run(&[Input::from(black_box(&x))], black_box(&mut y))
                .expect("a run");
        });
        println!(
            "call      f32 [10] 1:8            {:8}  {ns:8.1} ns",
            kernel.engine()
        );
    }
}

fn hit() {
    let jit = Jit::with_strategy(Strategy::Keyed);
    let program = chain(slice(&[1, 0], &[8, 3], &[0, 1], &[1, 2]));
    let signatures: Vec<Signature> = (0..1000)
        .map(|rows| Signature::new().operand(ElementType::F32, &[9 + rows, 7, 5]))
        .collect();
    for signature in &signatures {
        jit.compile(&program, signature).expect("a kernel");
    }
    let mut at = 0;
    let ns = time(|| {
        at = (at + 617) % signatures.len();
        black_box(jit.compile(&program, &signatures[at]).expect("a kernel"));
    });
    println!("hit       1000 in the cache       keyed     {ns:8.1} ns");
}

fn rebind() {
    let f32s = |rows: usize, inner: &[usize]| {
        Signature::new().operand(ElementType::F32, &[&[rows], inner].concat())
    };
    let slice = chain(slice(&[1, 0], &[8, 3], &[0, 1], &[1, 2]));
    rebind_of("slice", &slice, &|rows| f32s(rows, &[7, 5]));
    let shuffle = Program::parse("x[1:, :, ::2]").expect("a program");
    rebind_of("shuffle", &shuffle, &|rows| f32s(rows, &[7, 128]));
    let rgb = Program::parse("x[1:, 1:, :3]").expect("a program");
    rebind_of("pixels", &rgb, &|rows| {
        Signature::new().operand(ElementType::U8, &[rows, 90, 4])
    });
    let gather = Program::parse("x[@ids][1:, :, :3]").expect("a program");
    rebind_of("gather", &gather, &|rows| {
        f32s(rows, &[7, 5]).operand(ElementType::I64, &[rows])
    });
}

/// A known structure with numbers never seen.
fn rebind_of(name: &str, program: &Program, signature: &dyn Fn(usize) -> Signature) {
    let jit = Jit::builder()
        .strategy(Strategy::Keyed)
        .kernels(1000)
        .build();
    let mut rows = 600;
    let ns = time(|| {
        rows += 1;
        let kernel = jit.compile(program, &signature(rows));
        black_box(kernel.expect("a kernel"));
    });
    let compiled = jit.stats().compiled;
    println!("rebind    {name:<23} keyed     {ns:8.1} ns  ({compiled} compiled)");
    let mut rows = 600;
    let plan = time(|| {
        rows += 1;
        black_box(program.compile(&signature(rows)).expect("a plan"));
    });
    println!("          of it the plan                    {plan:8.1} ns");
}

/// Programs of many structures, with a signature each.
fn structures() -> Vec<(Program, Signature)> {
    let mut all = Vec::new();
    let types = [
        ElementType::U8,
        ElementType::F16,
        ElementType::F32,
        ElementType::F64,
        ElementType::C128,
    ];
    for ty in types {
        for rank in 1..=5usize {
            let shape = vec![6; rank];
            let list = |value: i64| vec![value; rank];
            let axes: Vec<i64> = (0..rank as i64).collect();
            for (start, end, step) in [(1, 5, 1), (0, 6, 2), (-1, -7, -1), (4, 0, -2)] {
                let op = slice(&list(start), &list(end), &axes, &list(step));
                all.push((chain(op), Signature::new().operand(ty, &shape)));
            }
            for index in [ElementType::I32, ElementType::I64] {
                let program = chain(Gather::onnx(13).indices("ids").axis(rank as i64 / 2));
                let signature = Signature::new().operand(ty, &shape).operand(index, &[3, 7]);
                all.push((program, signature));
                let program = Program::chain("x")
                    .then(slice(&[1], &[6], &[0], &[2]))
                    .then(Gather::onnx(13).indices("ids"))
                    .then(slice(&[0], &[6], &[-1], &[2]))
                    .build()
                    .expect("a program");
                let signature = Signature::new().operand(ty, &shape).operand(index, &[7]);
                all.push((program, signature));
            }
        }
    }
    for delta in [
        Tensor::scalar(1i16),
        Tensor::scalar(1i32),
        Tensor::scalar(1i64),
    ] {
        let zero = Tensor::zeros(delta.element_type(), &[]).expect("a scalar");
        let limit = Tensor::from_bytes(
            delta.element_type(),
            &[],
            delta.bytes().iter().map(|b| b * 99).collect(),
        );
        let range = Range::onnx(11)
            .start(zero)
            .limit(limit.expect("a scalar"))
            .delta(delta);
        all.push((
            Program::generate(range).expect("a program"),
            Signature::new(),
        ));
    }
    let range = Range::onnx(11)
        .start(Tensor::scalar(0f32))
        .limit(Tensor::scalar(9f32))
        .delta(Tensor::scalar(0.1f32));
    all.push((
        Program::generate(range).expect("a program"),
        Signature::new(),
    ));
    all
}

fn cold() {
    let programs = structures();
    for strategy in [Strategy::Keyed, Strategy::Baked] {
        let mut micros: Vec<f64> = Vec::new();
        for _ in 0..5 {
            for (program, signature) in &programs {
                let jit = Jit::with_strategy(strategy);
                let start = Instant::now();
                black_box(jit.compile(program, signature).expect("a kernel"));
                let spent = start.elapsed();
                if jit.stats().compiled > 0 {
                    micros.push(spent.as_secs_f64() * 1e6);
                }
            }
        }
        micros.sort_by(f64::total_cmp);
        let at = |share: f64| micros[((micros.len() - 1) as f64 * share) as usize];
        let (median, p95, worst) = (at(0.5), at(0.95), at(1.0));
        let count = micros.len();
        println!(
            "cold      {count:4} compilations       {strategy:8?}  median {median:.0} us, p95 {p95:.0} us, worst {worst:.0} us"
        );
    }
}

/// Name, program, type and shape of the data, indices.
type Case = (
    &'static str,
    Program,
    ElementType,
    Vec<usize>,
    Option<Tensor>,
);

/// A slice of data of this type and shape.
fn sliced(name: &'static str, ty: ElementType, shape: &[usize], op: OnnxSlice) -> Case {
    (name, chain(op), ty, shape.to_vec(), None)
}

fn gathered(name: &'static str, ty: ElementType, shape: &[usize], axis: i64, ids: Tensor) -> Case {
    let program = chain(Gather::onnx(13).indices("ids").axis(axis));
    (name, program, ty, shape.to_vec(), Some(ids))
}

fn counted(name: &'static str, [start, limit, delta]: [Tensor; 3]) -> Case {
    let ty = start.element_type();
    let range = Range::onnx(11).start(start).limit(limit).delta(delta);
    let program = Program::generate(range).expect("a program");
    (name, program, ty, Vec::new(), None)
}

/// So many indices all over an axis of `size`.
fn ids(count: i64, size: i64) -> Tensor {
    let values: Vec<i64> = (0..count).map(|at| (at * 40503) % size).collect();
    Tensor::new(&[values.len()], &values).expect("indices")
}

/// The nests that are timed.
fn cases() -> Vec<Case> {
    let (bytes, floats) = (ElementType::U8, ElementType::F32);
    let back = |axis| slice(&[-1], &[i64::MIN], &[axis], &[-1]);
    let focus = slice(&[1, 0], &[640, 640], &[2, 3], &[2, 2]);
    let crop = slice(&[16, 16], &[240, 240], &[1, 2], &[1, 1]);
    let six_axes = [0, 1, 2, 3, 4, 5];
    let six = slice(
        &[0, 1, 0, 1, 3, 3],
        &[4, 4, 4, 4, 0, 0],
        &six_axes,
        &[1, 1, 2, 2, -1, -2],
    );
    let seventh = slice(&[0], &[1000], &[1], &[7]);
    let pixels: Vec<i32> = (0..1080 * 1920).map(|at| (at * 40503) % 256).collect();
    let pixels = Tensor::new(&[1080, 1920], &pixels).expect("indices");
    let integers = |values: [i64; 3]| values.map(Tensor::scalar);
    let tenths = [0.0f32, 1e5, 0.1].map(Tensor::scalar);
    vec![
        sliced("yolo_focus_hw", floats, &[1, 3, 640, 640], focus),
        sliced(
            "rope_half",
            floats,
            &[1, 32, 512, 128],
            slice(&[0], &[64], &[3], &[1]),
        ),
        sliced("center_crop", bytes, &[16, 256, 256, 3], crop),
        sliced("hflip_nhwc", bytes, &[16, 224, 224, 3], back(2)),
        sliced("vflip", floats, &[16, 3, 224, 224], back(2)),
        sliced(
            "rgba_to_rgb",
            bytes,
            &[1, 1080, 1920, 4],
            slice(&[0], &[3], &[3], &[1]),
        ),
        sliced("bgr_swap", bytes, &[1, 1080, 1920, 3], back(3)),
        sliced("seed_6d", floats, &[4; 6], six),
        sliced("step7_f64", ElementType::F64, &[1000, 1000], seventh),
        sliced("reverse_1d_i64", ElementType::I64, &[4_194_304], back(0)),
        gathered("bert_embed", floats, &[30522, 768], 0, ids(1024, 30522)),
        gathered("gather_cols", floats, &[1024, 1024], 1, ids(512, 1024)),
        gathered("recsys", floats, &[1_000_000, 16], 0, ids(65536, 1_000_000)),
        gathered("palette", bytes, &[256, 3], 0, pixels),
        counted("range_i64_512", integers([0, 512, 1])),
        counted("range_f32_1m", tenths),
    ]
}

/// Time of each engine on some nests, beside a copy of the output's bytes.
fn nests() {
    println!("nest                   copy        runner         keyed         baked   ns");
    for (name, program, ty, shape, ids) in &cases() {
        let mut signature = Signature::new();
        let mut tensors = Vec::new();
        if !shape.is_empty() {
            signature = signature.operand(*ty, shape);
            tensors.push(Tensor::zeros(*ty, shape).expect("memory"));
        }
        if let Some(ids) = ids {
            signature = signature.operand(ids.element_type(), ids.shape());
            tensors.push(ids.clone());
        }
        let inputs: Vec<Input<'_>> = tensors.iter().map(Tensor::as_input).collect();
        let plan = program.compile(&signature).expect("a plan");
        let mut output = Tensor::zeros(*ty, plan.shape()).expect("memory");
        let from = output.bytes().to_vec();
        let mut to = from.clone();
        print!(
            "{name:16} {:10.0}",
            time(|| black_box(&mut to).copy_from_slice(black_box(&from)))
        );
        for strategy in [Strategy::Runner, Strategy::Keyed, Strategy::Baked] {
            let kernel = Jit::with_strategy(strategy)
                .compile(program, &signature)
                .expect("a kernel");
            print!(
                "    {:10.0}",
                time(|| kernel.run(&inputs, output.as_output()).expect("a run"))
            );
        }
        println!();
    }
}
