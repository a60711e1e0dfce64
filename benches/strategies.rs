//! What a call, a known request, a known structure and a new one cost, by engine; and how fast each strategy moves, by workload.
//!
//! The workloads are those of `xslice bench`, which holds them against the memory limit and is the quicker way to a figure. Here they
//! stand beside ndarray, where that has a short form. `cargo bench` prints criterion's figures, and after them the distribution of cold compiles (Cranelift really run) over the models of
//! `examples/models` and of every further folder named in `XSLICE_BENCH_MODELS` (separated by `:`).

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use std::collections::HashSet;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};
use xslice::ir::PlannedNest;
use xslice::{ElementType, Gather, Input, Jit, Program, Scratch, Signature, Slice, Strategy};
use xslice_cli::bench::prepared::{Prepared, Strategy as Way};
use xslice_cli::bench::workloads;
use xslice_cli::check;
use xslice_cli::import::Options;

#[path = "common/in_ndarray.rs"]
mod in_ndarray;

fn tiny() -> (Program, Signature) {
    let program = Program::chain("x")
        .then(Slice::onnx(13).starts([1]).ends([8]))
        .build();
    (
        program.expect("a slice"),
        Signature::new().operand(ElementType::F32, &[10]),
    )
}

/// One call that moves 7 floats.
fn call(c: &mut Criterion) {
    let (program, signature) = tiny();
    let mut group = c.benchmark_group("call f32 [10] 1:8");
    let x = [1.0f32; 10];
    let mut y = [0.0f32; 7];
    let plan = program.compile(&signature).expect("a plan");
    let mut scratch = Scratch::new();
    group.bench_function("runner", |b| {
        b.iter(|| {
            xslice::runner::run(
                &plan,
                &[Input::from(black_box(&x))],
                (&mut y).into(),
                &mut scratch,
            )
        });
    });
    for strategy in [Strategy::Runner, Strategy::Keyed, Strategy::Baked] {
        let kernel = Jit::with_strategy(strategy)
            .compile(&program, &signature)
            .expect("a kernel");
        let mut y = [0.0f32; 7];
        group.bench_function(format!("kernel {strategy:?}"), |b| {
            b.iter(|| kernel.run(&[Input::from(black_box(&x))], &mut y));
        });
    }
    group.finish();
}

/// `compile` of what is in the cache, beside 1000 others; and of a known structure with numbers never seen.
fn compile(c: &mut Criterion) {
    let mut group = c.benchmark_group("compile");
    let (program, signature) = tiny();
    let jit = Jit::with_strategy(Strategy::Keyed);
    for dim in 0..1000 {
        let other = Signature::new().operand(ElementType::F32, &[11 + dim]);
        jit.compile(&program, &other).expect("a kernel");
    }
    jit.compile(&program, &signature).expect("a kernel");
    group.bench_function("known program and signature, 1000 in the cache", |b| {
        b.iter(|| jit.compile(black_box(&program), black_box(&signature)));
    });
    for rank in 1..=4 {
        let jit = Jit::with_strategy(Strategy::Keyed);
        let axes: Vec<i64> = (0..rank as i64).collect();
        let (starts, ends) = (vec![1; rank], vec![-1; rank]);
        let op = Slice::onnx(13).starts(starts).ends(ends).axes(axes);
        let program = Program::chain("x").then(op).build().expect("a slice");
        let mut shape = vec![40; rank];
        let name = format!("known structure, new numbers, slice of rank {rank}");
        group.bench_function(name, |b| {
            b.iter(|| {
                shape[0] += 1;
                jit.compile(
                    &program,
                    &Signature::new().operand(ElementType::F32, &shape),
                )
            });
        });
        assert!(
            jit.stats().compiled <= 1,
            "one structure: {:?}",
            jit.stats()
        );
    }
    let jit = Jit::with_strategy(Strategy::Keyed);
    let chain = Program::chain("table").then(Gather::onnx(13).indices("ids"));
    let program = chain
        .then(Slice::onnx(13).starts([0]).ends([4]).axes([-1]))
        .build()
        .expect("a chain");
    let mut rows = 8;
    group.bench_function("known structure, new numbers, slice of gather", |b| {
        b.iter(|| {
            rows += 1;
            let signature = Signature::new().operand(ElementType::F32, &[rows, 8]);
            jit.compile(&program, &signature.operand(ElementType::I64, &[rows]))
        });
    });
    group.finish();
}

/// Every workload by every strategy; the interpreter only where it is not slow beyond use.
fn workloads(c: &mut Criterion) {
    for workload in workloads::all() {
        let mut prepared = Prepared::new(workload).expect("a workload");
        let bytes = prepared.output().bytes();
        let mut group = c.benchmark_group("workload");
        group.warm_up_time(Duration::from_millis(100));
        group.measurement_time(Duration::from_millis(400));
        group.sample_size(10);
        group.throughput(Throughput::Bytes(bytes as u64));
        for way in Way::ALL {
            if way == Way::Interp && bytes > 64 << 10 || !prepared.has(way) {
                continue;
            }
            group.bench_function(BenchmarkId::new(workload.name, way.name()), |b| {
                b.iter_custom(|times| {
                    let start = Instant::now();
                    prepared.run(way, times).expect("it runs");
                    start.elapsed()
                });
            });
        }
        if let Some(assign) = in_ndarray::form(workload.name) {
            prepared.run(Way::Runner, 1).expect("it runs");
            let expected = prepared.output().input().bytes().to_vec();
            prepared.clear();
            let (operands, output) = prepared.buffers();
            assign(operands, output);
            let is_equal = output.input().bytes() == expected;
            assert!(is_equal, "ndarray has another {}", workload.name);
            group.bench_function(BenchmarkId::new(workload.name, "ndarray"), |b| {
                b.iter(|| assign(black_box(operands), black_box(output)));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, call, compile, workloads);

/// Compiles each distinct schedule by a `Jit` of its own and prints the distribution of times.
fn cold() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/models")];
    let more = std::env::var_os("XSLICE_BENCH_MODELS").unwrap_or_default();
    folders.extend(std::env::split_paths(&more).filter(|path| !path.as_os_str().is_empty()));
    let mut requests = check::requests(&folders, &Options::default()).expect("the folders exist");
    #[expect(
        clippy::mutable_key_type,
        reason = "tables that are built late are no part of what is hashed"
    )]
    let mut distinct = HashSet::new();
    requests.retain(|(program, signature)| {
        let Ok(plan) = program.compile(signature) else {
            return false;
        };
        let first = plan.nests().find_map(PlannedNest::schedule);
        first.is_some_and(|schedule| distinct.insert(schedule.clone()))
    });
    for strategy in [Strategy::Keyed, Strategy::Baked] {
        let mut times: Vec<Duration> = requests
            .iter()
            .map(|(program, signature)| {
                let jit = Jit::with_strategy(strategy);
                let start = Instant::now();
                black_box(jit.compile(program, signature)).expect("compiled before");
                start.elapsed()
            })
            .collect();
        times.sort();
        let at = |percent: usize| {
            times
                .get(times.len() * percent / 100)
                .copied()
                .unwrap_or_default()
        };
        println!(
            "cold compile, {strategy:?}: {} schedules, median {:?}, p95 {:?}, most {:?}",
            times.len(),
            at(50),
            at(95),
            times.last().copied().unwrap_or_default()
        );
    }
}

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
    cold();
}
