//! Memory: a call allocates nothing, a collected result once, and what is compiled and dropped is given back.
//!
//! The allocator of this process counts the allocations of each thread. Resident size is read where the system tells it
//! (Linux); elsewhere those tests say so and pass.

#[path = "suite/cases/mod.rs"]
mod cases;
#[path = "suite/mod.rs"]
mod suite;

use cases::describe::{Case, Step, Value, at, by, of, range, slice, x};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::{Mutex, PoisonError};
use suite::filled;
use xslice::ElementType::{F32, I64, U8};
use xslice::{ErrorKind, Graph, Input, Plan, Program, Scratch, Signature, Slice, Tensor};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    /// Bytes asked for by this thread, in all.
    static BYTES: Cell<usize> = const { Cell::new(0) };
    /// A larger allocation of this thread is refused.
    static LARGEST: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn count(bytes: usize) {
    // A thread that ends has no counter any more.
    let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + 1));
    let _ = BYTES.try_with(|n| n.set(n.get() + bytes));
}

fn is_refused(layout: Layout) -> bool {
    LARGEST
        .try_with(|most| layout.size() > most.get())
        .unwrap_or(false)
}

// SAFETY: every request is refused, or handed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        if is_refused(layout) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(start, layout, size) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of this thread during a call.
fn allocations<R>(call: impl FnOnce() -> R) -> (usize, R) {
    let before = ALLOCATIONS.get();
    let result = call();
    (ALLOCATIONS.get() - before, result)
}

/// Time that grows with the square of a chain shows in the memory that it walks through.
#[test]
fn a_computed_parameter_of_four_times_the_operators_takes_four_times_the_memory() {
    let bytes_of = |operators: usize| {
        let mut graph = Graph::new();
        let x = graph.operand("x", None).unwrap();
        let mut starts = graph.operand("starts", None).unwrap();
        for _ in 0..operators {
            let reversed = Slice::onnx(13).starts([-1]).ends([-9]).steps([-1]);
            starts = graph.apply(reversed, Some(starts), None).unwrap();
        }
        let tail = Slice::onnx(13).starts(starts).ends([9, 9]);
        let result = graph.apply(tail, Some(x), None).unwrap();
        let program = graph.finish(result).unwrap();
        let signature = Signature::new()
            .operand(F32, &[4, 4])
            .value(Tensor::vector(&[1, 2]));
        let before = BYTES.get();
        let shape = program.output_shape(&signature).unwrap();
        assert_eq!(shape, [3 - operators % 2, 2 + operators % 2]);
        BYTES.get() - before
    };
    let (few, many) = (bytes_of(500), bytes_of(2000));
    assert!(many < 5 * few, "{few} bytes, then {many}");
}

/// Programs of every kind: blocks, strides, tables, tables of tables, ranges, temporaries, many loops, nothing.
fn programs() -> Vec<Case> {
    let ids = || x(F32, [50, 24]).ids(&[4], [3, -1, 19, 0]);
    let reversed = Value::from("ids").at(at![by(.., -1)]);
    let table = Value::from("a").at(at!["ids"]);
    let a = Tensor::vector(&[4, 3, 2, 1]);
    let every_axis: [_; 8] = std::array::from_fn(|_| by(.., -1));
    vec![
        x(F32, [10]).at(at![1..8]).named("a block"),
        x(U8, [9, 11, 4]).at(at![.., .., 0..3]).named("pixels"),
        x(F32, [7, 30])
            .at(at![by(.., -1), by(.., 2)])
            .named("strides"),
        x(U8, [99, 3]).at(at![.., by(.., -1)]).named("a shuffle"),
        x(F32, [4000, 20, 3])
            .at(at![.., 3..4, by(.., -1)])
            .named("many rows that stand alone"),
        x(F32, [2, 3, 2, 3, 2, 3, 2, 3])
            .at(every_axis)
            .named("one loop"),
        x(U8, [3, 3, 3, 3, 3, 3])
            .at([0; 6].map(|_: i32| by(.., 2)))
            .named("six loops"),
        ids().gather("ids").named("a table"),
        ids().gather(reversed).named("a strided table"),
        ids()
            .then(cases::describe::gather(13, "ids").axis(1))
            .named("columns"),
        ids().gather("ids").at(at![.., "ids"]).named("two tables"),
        x(F32, [9])
            .ids(&[3], [0, -1, 2])
            .given("a", a)
            .gather(table)
            .named("a table of a table"),
        of(range(0_i64, 100, 3)).named("a range"),
        x(I64, [4, 6])
            .at(at![.., 1..4])
            .then(Step::Reshape(vec![12]))
            .at(at![by(.., -1)])
            .named("a temporary"),
        x(F32, [8])
            .given("s", Tensor::vector(&[2]))
            .then(slice(13, "s", [7]))
            .named("a parameter"),
        x(F32, [8]).at(at![8..]).named("nothing"),
    ]
}

/// What a call needs, made ready before anything is counted.
struct Call {
    program: Program,
    signature: Signature,
    operands: Vec<Tensor>,
    output: Tensor,
}

impl Call {
    fn new(case: &Case) -> Self {
        let program = case.program().expect("a valid program");
        let operands: Vec<_> = case
            .operands
            .iter()
            .map(|(_, tensor)| tensor.clone())
            .collect();
        let signature = suite::signature(&program, &operands.iter().collect::<Vec<_>>());
        let (ty, shape) = program.output_type(&signature).expect("a valid signature");
        let output = filled(ty, &shape).expect("memory");
        Self {
            program,
            signature,
            operands,
            output,
        }
    }

    fn plan(&self) -> Plan {
        suite::plan(&self.program, &self.signature)
    }

    fn inputs(&self) -> Vec<Input<'_>> {
        self.operands.iter().map(Tensor::as_input).collect()
    }
}

#[test]
fn the_runner_allocates_nothing_once_it_has_its_temporaries() {
    for case in programs() {
        let call = Call::new(&case);
        let (plan, mut output, inputs) = (call.plan(), call.output.clone(), call.inputs());
        let mut scratch = Scratch::new();
        let mut run = || xslice::runner::run(&plan, &inputs, output.as_output(), &mut scratch);
        let (first, ran) = allocations(&mut run);
        ran.expect("a valid call");
        let most = if plan.temporaries().is_empty() { 0 } else { 2 };
        assert!(
            first <= most,
            "{}: {first} allocations in the first call",
            case.name
        );
        let (later, ran) = allocations(|| (0..100).try_for_each(|_| run()));
        ran.expect("a valid call");
        assert_eq!(later, 0, "{}", case.name);
    }
}

#[cfg(feature = "jit")]
const STRATEGIES: [xslice::Strategy; 4] = [
    xslice::Strategy::Auto,
    xslice::Strategy::Runner,
    xslice::Strategy::Keyed,
    xslice::Strategy::Baked,
];

#[cfg(feature = "jit")]
#[test]
fn a_kernel_allocates_nothing_after_its_first_call_on_a_thread() {
    for strategy in STRATEGIES {
        let jit = xslice::Jit::with_strategy(strategy);
        for case in programs() {
            let call = Call::new(&case);
            let kernel = jit
                .compile(&call.program, &call.signature)
                .expect("it compiles");
            let (mut output, inputs) = (call.output.clone(), call.inputs());
            let mut run = || kernel.run(&inputs, output.as_output());
            run().expect("a valid call");
            let (later, ran) = allocations(|| (0..100).try_for_each(|_| run()));
            ran.expect("a valid call");
            assert_eq!(later, 0, "{}, {strategy:?}", case.name);
        }
    }
}

#[cfg(feature = "jit")]
#[test]
fn a_collected_result_is_allocated_once() {
    for strategy in STRATEGIES {
        let jit = xslice::Jit::with_strategy(strategy);
        for case in programs() {
            let call = Call::new(&case);
            let kernel = jit
                .compile(&call.program, &call.signature)
                .expect("it compiles");
            let inputs = call.inputs();
            let collect = || match call.output.element_type() {
                F32 => kernel.collect::<f32>(&inputs).map(|result| result.len()),
                U8 => kernel.collect::<u8>(&inputs).map(|result| result.len()),
                _ => kernel.collect::<i64>(&inputs).map(|result| result.len()),
            };
            collect().expect("a valid call");
            let (once, len) = allocations(collect);
            let len = len.expect("a valid call");
            assert_eq!(len, call.output.len(), "{}", case.name);
            assert_eq!(once, usize::from(len > 0), "{}, {strategy:?}", case.name);
        }
    }
}

/// Bytes of memory that this process has in use, where the system tells.
fn resident() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: usize = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib << 10)
}

/// Runs `round` often: what is in use after half of the rounds must not have grown by more than `slack` at the end.
fn levels_off(what: &str, rounds: usize, slack: usize, mut round: impl FnMut(usize)) {
    // One at a time: the size is that of the whole process.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    (0..rounds / 2).for_each(&mut round);
    let Some(half) = resident() else {
        println!("SKIPPED: {what}: this system does not tell the resident size");
        return;
    };
    (rounds / 2..rounds).for_each(&mut round);
    let end = resident().expect("it was told before");
    println!(
        "{what}: {} KiB after half of {rounds} rounds, {} KiB at the end",
        half >> 10,
        end >> 10
    );
    assert!(
        end < half + slack,
        "{what}: grows from {half} to {end} bytes"
    );
}

const MIB: usize = 1 << 20;

/// A slice whose numbers are new in each round.
fn varied(round: usize) -> (Program, Signature) {
    let step = slice(13, [1], [round as i64 + 2]).by([1 + round as i64 % 3]);
    let program = of("x").given("x", Tensor::vector(&[])).then(step).program();
    let signature = Signature::new().operand(F32, &[round + 3, 2 + round % 5]);
    (program.expect("a valid program"), signature)
}

#[test]
fn plans_that_are_dropped_are_given_back() {
    levels_off("plans", 20_000, 4 * MIB, |round| {
        let (program, signature) = varied(round % 100);
        let plan = suite::plan(&program, &signature);
        assert_eq!(plan.shape().len(), 2);
    });
}

#[cfg(feature = "jit")]
#[test]
fn machine_code_that_is_dropped_is_given_back() {
    use xslice::{Jit, Strategy};
    for strategy in [Strategy::Keyed, Strategy::Baked] {
        levels_off(
            &format!("{strategy:?} kernels with their Jit"),
            2000,
            4 * MIB,
            |round| {
                let jit = Jit::with_strategy(strategy);
                let (program, signature) = varied(round % 100);
                let kernel = jit.compile(&program, &signature).expect("it compiles");
                assert_eq!(kernel.declined(), None);
            },
        );
    }
    let jit = Jit::builder()
        .strategy(Strategy::Baked)
        .code_bytes(256 << 10)
        .kernels(64)
        .build();
    levels_off("one bounded Jit", 3000, 4 * MIB, |round| {
        let (program, signature) = varied(round);
        jit.compile(&program, &signature).expect("it compiles");
    });
    let stats = jit.stats();
    assert!(
        stats.code_bytes <= 256 << 10 && stats.kernels <= 64,
        "{stats:?}"
    );
    assert!(stats.code_bytes_in_use <= stats.code_bytes, "{stats:?}");
    jit.clear();
    assert_eq!(jit.stats().code_bytes_in_use, 0);
}

/// A kernel lives on when the cache forgets it and when its Jit is gone.
#[cfg(feature = "jit")]
#[test]
fn a_kernel_outlives_its_jit() {
    let call = Call::new(&x(F32, [64, 9]).at(at![by(.., -1), by(.., 2)]));
    let jit = xslice::Jit::with_strategy(xslice::Strategy::Baked);
    let kernel = jit
        .compile(&call.program, &call.signature)
        .expect("it compiles");
    jit.clear();
    drop(jit);
    let mut output = call.output.clone();
    kernel
        .run(&call.inputs(), output.as_output())
        .expect("a valid call");
    let expected = suite::ENGINES[0].1;
    let wanted = suite::run(
        expected,
        &call.program,
        &call.signature,
        &[&call.operands[0]],
    );
    assert_eq!(Ok(output), wanted);
}

#[test]
fn a_tensor_that_memory_does_not_hold_is_refused() {
    let (numbers, strings) = (vec![0_i64; 1 << 17], vec![String::new(); 1 << 16]);
    LARGEST.set(1 << 19);
    let results = [
        Tensor::new(&[numbers.len()], &numbers),
        Tensor::new(&[strings.len()], &strings),
    ];
    LARGEST.set(usize::MAX);
    for (result, bytes) in results.into_iter().zip([1 << 20, 3 << 19]) {
        let error = result.expect_err("more than the allocator gives");
        assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{error}");
        assert_eq!(error.offending_value(), Some(bytes.to_string().as_str()));
    }
}
