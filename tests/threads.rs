//! `run_parallel`: the same results and refusals on many threads, at sizes that are really shared out.

#![cfg(feature = "rayon")]

#[path = "suite/mod.rs"]
mod suite;

use suite::numbered;
use xslice::ElementType::{self, F32, I64, U8};
use xslice::{Error, Kernel, Program, Scratch, Signature, Strategy, Tensor, runner};

/// Programs of about 1 MiB: text, type and shape of the data, number of indices.
const PROGRAMS: [(&str, ElementType, &[usize], usize); 8] = [
    ("x[1:]", F32, &[300_000], 0),
    ("x[::-1]", U8, &[1_000_003], 0),
    ("x[..., 0:3]", U8, &[600, 700, 4], 0),
    ("x[::2, :, ::-1]", F32, &[4, 500, 301], 0),
    ("x[@ids]", F32, &[5000, 3], 100_001),
    ("x[:, @ids]", F32, &[33, 5000], 9001),
    ("x[@ids][:, ::2]", I64, &[5000, 64], 5001),
    (
        "x[:, 1:][::2] |> onnx::Slice@13(starts = [1], ends = [400])",
        U8,
        &[1000, 1001],
        0,
    ),
];

fn compiled(text: &str, ty: ElementType, shape: &[usize], ids: usize) -> (Program, Signature) {
    let program = Program::parse(text).expect(text);
    let signature = Signature::new().operand(ty, shape);
    let signature = match ids {
        0 => signature,
        _ => signature.operand(I64, &[ids]),
    };
    (program, signature)
}

fn kernel(strategy: Strategy, (program, signature): &(Program, Signature)) -> Kernel {
    suite::jit(strategy)
        .compile(program, signature)
        .expect("it compiles")
}

/// Indices all over an axis of 5000, of both signs.
fn ids(count: usize) -> Tensor {
    let index = |k: usize| (k * 7919 % 10_000) as i64 - 5000;
    suite::tensor(&[count], &(0..count).map(index).collect::<Vec<_>>())
}

fn pool(threads: usize) -> rayon::ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().expect("threads")
}

#[test]
fn threads_give_what_one_gives() {
    let pools = [1, 2, 3, 16].map(pool);
    for (text, ty, shape, count) in PROGRAMS {
        let request = compiled(text, ty, shape, count);
        let (x, ids) = (numbered(ty, shape, 5), ids(count));
        let inputs = [x.as_input(), ids.as_input()];
        let inputs = &inputs[..if count > 0 { 2 } else { 1 }];
        // The interpreter runs on one thread and shares nothing out.
        let (reference, blank) = (suite::ENGINES[0].1, {
            let plan = suite::plan(&request.0, &request.1);
            suite::filled(ty, plan.shape()).expect("memory")
        });
        let mut expected = blank.clone();
        reference(&request.0, &request.1, inputs, expected.as_output()).expect("a valid call");
        for strategy in [Strategy::Runner, Strategy::Keyed, Strategy::Baked] {
            let kernel = kernel(strategy, &request);
            for pool in &pools {
                let mut got = blank.clone();
                pool.install(|| kernel.run_parallel(inputs, got.as_output()))
                    .expect("a valid call");
                assert!(got == expected, "{text}, {strategy:?}");
            }
        }
    }
}

/// Two bad indices, the second of which lies in another part and is met first there.
#[test]
fn the_first_bad_index_is_refused_whatever_the_split() {
    let count = 400_000;
    let data: [(&str, &[usize]); 3] = [
        ("x[@ids]", &[5000]),
        ("x[:, @ids]", &[8, 5000]),
        ("x[@ids][@ids]", &[5000]),
    ];
    for (text, shape) in data {
        let (program, signature) = compiled(text, U8, shape, count);
        let plan = suite::plan(&program, &signature);
        let x = numbered(U8, shape, 5);
        let mut bad = ids(count).integers().expect("integers");
        (bad[60_000], bad[190_000]) = (-5001, 7000);
        let mut output = vec![0u8; plan.output_len()];
        let inputs = [x.as_input(), (&bad).into()];
        let one = runner::run(&plan, &inputs, (&mut output).into(), &mut Scratch::new());
        let one = one.expect_err("a bad index");
        assert!(one.to_string().contains("indices[60000]"), "{one}");
        for threads in [1, 2, 7] {
            let run = |output: &mut Vec<u8>| -> Result<(), Error> {
                runner::run_parallel(&plan, &inputs, output.into(), &mut Scratch::new())
            };
            let many = pool(threads).install(|| run(&mut output));
            assert_eq!(many, Err(one.clone()), "{text}, {threads} threads");
        }
    }
}

/// All threads of a pool but the calling one are busy until the call has returned.
#[test]
fn a_call_waits_for_no_thread_that_has_not_come() {
    let (busy, over) = (std::sync::Barrier::new(4), std::sync::Barrier::new(4));
    let (text, ty, shape, _) = PROGRAMS[0];
    let kernel = kernel(Strategy::Runner, &compiled(text, ty, shape, 0));
    let x = numbered(ty, shape, 5);
    pool(4).in_place_scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|_| {
                busy.wait();
                over.wait();
            });
        }
        scope.spawn(|_| {
            busy.wait();
            for _ in 0..100 {
                let mut output = vec![0f32; shape[0] - 1];
                kernel
                    .run_parallel(&[x.as_input()], &mut output)
                    .expect("a valid call");
                assert_eq!(
                    suite::tensor(&[output.len()], &output).bytes(),
                    &x.bytes()[4..]
                );
            }
            over.wait();
        });
    });
}

/// Calls follow each other faster than threads go to sleep: a helper of one call comes to the next one, and must not take it for the one
/// before. Every call reads another source, and two threads call at once.
#[test]
fn calls_that_follow_each_other_at_once_are_each_complete() {
    let (program, signature) = compiled("x[::-1]", ElementType::U32, &[4_000], 0);
    let plan = &suite::plan(&program, &signature);
    let calls = |first: u32| {
        let (mut scratch, mut output) = (Scratch::new(), vec![0; 4_000]);
        for call in 0..2000 {
            let begin = (first + call) * 7919;
            let x: Vec<u32> = (begin..).take(4_000).collect();
            let output: &mut Vec<u32> = &mut output;
            let (inputs, parts) = ([(&x).into()], 2 + call as usize % 9);
            runner::run_parallel_on(Some(parts), plan, &inputs, &mut output.into(), |run| {
                run(&mut scratch)
            })
            .expect("a valid call");
            assert!(output.iter().eq(x.iter().rev()), "call {call}");
        }
    };
    for threads in [2, 3, 7] {
        pool(threads).in_place_scope(|scope| {
            scope.spawn(|_| calls(1));
            scope.spawn(|_| calls(100_000));
        });
    }
}

/// Where a process may have no further thread, the calling one does all.
#[test]
#[cfg(target_os = "linux")]
fn without_a_pool_one_thread_does_it() {
    const NAME: &str = "without_a_pool_one_thread_does_it";
    const ASKED_BEFORE: &str = "XSLICE_TEST_ASKS_BEFORE";
    let Ok(asked_before) = std::env::var(ASKED_BEFORE) else {
        let here = std::env::current_exe().expect("this test");
        for asked_before in ["no", "yes"] {
            // No address space holds such a stack.
            let child = std::process::Command::new(&here)
                .args(["--exact", NAME, "--test-threads", "1"])
                .env("RUST_MIN_STACK", (1u64 << 48).to_string())
                .env(ASKED_BEFORE, asked_before)
                .output();
            let child = child.expect("this test starts");
            let said = String::from_utf8_lossy(&child.stdout);
            assert!(said.contains("1 passed"), "{asked_before}: {said}");
        }
        return;
    };
    if asked_before == "yes" {
        let pool = rayon::ThreadPoolBuilder::new().build_global();
        pool.expect_err("no room for a thread");
    }
    let (program, signature) = compiled("x[::-1]", U8, &[3 << 20], 0);
    let (x, got) = (numbered(U8, &[3 << 20], 5), suite::filled(U8, &[3 << 20]));
    let mut got = got.expect("memory");
    let kernel = kernel(Strategy::Runner, &(program, signature));
    let shared = kernel.run_parallel(&[x.as_input()], got.as_output());
    shared.expect("a valid call");
    assert!(got.bytes().iter().eq(x.bytes().iter().rev()));
}
