//! Which engine runs, what is cached, and what happens when there is no machine code.

mod common;

use common::{gather_of_constants, ids64, signature, slice, table, tensor};
use xslice_core::{ElementType, Gather, Input, Program, Signature, StridedSlice, Tensor};
use xslice_jit::{Decline, Engine, Form, Jit, Kernel, MemoryPolicy, Strategy};

/// Far enough apart that no few nearby loads make a vector: scalar moves, where machine code gains.
const STEP: usize = 20;

fn every_twentieth() -> Program {
    Program::chain("x")
        .then(slice([0, 0], [i64::MAX; 2], [1, STEP as i64]))
        .build()
        .unwrap()
}

fn matrix(rows: usize, columns: usize) -> Signature {
    Signature::new().operand(ElementType::F32, &[rows, columns])
}

fn check(kernel: &Kernel, rows: usize, columns: usize) {
    let x: Vec<f32> = (0..rows * columns).map(|at| at as f32).collect();
    let expected: Vec<f32> = x
        .chunks(columns)
        .flat_map(|row| row.iter().copied().step_by(STEP))
        .collect();
    assert_eq!(kernel.collect::<f32>(&[Input::from(&x)]).unwrap(), expected);
}

#[test]
fn kernels_and_jits_cross_threads() {
    fn crosses<T: Send + Sync>() {}
    crosses::<Kernel>();
    crosses::<Jit>();
}

#[test]
fn auto_runs_at_once_and_compiles_what_varies() {
    let (jit, program) = (Jit::new(), every_twentieth());
    for rows in 2..12 {
        let kernel = jit.compile(&program, &matrix(rows, 90)).unwrap();
        let engine = if rows < 5 {
            Engine::Runner
        } else {
            Engine::Keyed
        };
        assert_eq!(kernel.engine(), engine, "{rows} rows");
        check(&kernel, rows, 90);
    }
    assert_eq!(jit.stats().compiled, 1);
}

#[test]
fn auto_bakes_what_repeats() {
    let (jit, program) = (Jit::new(), every_twentieth());
    for request in 0..200 {
        let kernel = jit.compile(&program, &matrix(3, 80)).unwrap();
        let engine = if request < 16 {
            Engine::Runner
        } else {
            Engine::Baked
        };
        assert_eq!(kernel.engine(), engine, "request {request}");
        check(&kernel, 3, 80);
    }
    let stats = jit.stats();
    assert_eq!(
        (stats.hits, stats.misses, stats.compiled, stats.kernels),
        (199, 1, 1, 1)
    );
}

#[test]
fn auto_leaves_plain_copies_to_the_runner() {
    let jit = Jit::new();
    let one = Program::chain("x")
        .then(slice([1], [8], [1]))
        .build()
        .unwrap();
    let rows = Program::chain("x")
        .then(slice([0, 0], [90, 64], [1, 1]))
        .build()
        .unwrap();
    for _ in 0..40 {
        let vector = Signature::new().operand(ElementType::F32, &[10]);
        for (program, signature) in [(&one, &vector), (&rows, &matrix(90, 100))] {
            assert_eq!(
                jit.compile(program, signature).unwrap().engine(),
                Engine::Runner
            );
        }
    }
    assert_eq!(jit.stats().compiled, 0);
}

#[test]
fn one_keyed_code_serves_every_shape() {
    let (jit, program) = (Jit::with_strategy(Strategy::Keyed), every_twentieth());
    for rows in 5..40 {
        for columns in [20, 30, 100, 330] {
            let kernel = jit.compile(&program, &matrix(rows, columns)).unwrap();
            assert_eq!(kernel.engine(), Engine::Keyed);
            check(&kernel, rows, columns);
        }
    }
    // One element a row, two of them (few enough for straight code), more, and so many at once that a Move takes them: four structures.
    assert_eq!(jit.stats().compiled, 4);
}

#[test]
fn denied_memory_falls_back_to_the_runner() {
    for policy in [MemoryPolicy::NoPages, MemoryPolicy::NeverExecutable] {
        for strategy in [Strategy::Keyed, Strategy::Baked, Strategy::Auto] {
            let jit = Jit::builder().strategy(strategy).memory(policy).build();
            for request in 0..40 {
                let kernel = jit.compile(&every_twentieth(), &matrix(3, 80)).unwrap();
                assert_eq!(kernel.engine(), Engine::Runner);
                if strategy != Strategy::Auto || request >= 16 {
                    assert_eq!(kernel.declined(), Some(Decline::Memory));
                }
                check(&kernel, 3, 80);
            }
            let stats = jit.stats();
            assert_eq!(
                (stats.declined, stats.reasons),
                (1, vec![(Decline::Memory, 1)])
            );
            assert_eq!((stats.code_bytes, stats.code_bytes_in_use), (0, 0));
        }
    }
}

#[test]
fn strings_go_through_the_runner_and_are_counted() {
    let x = tensor(ElementType::String, &[4, 3]);
    let program = Program::chain("x")
        .then(Gather::onnx(13).indices("ids"))
        .build()
        .unwrap();
    let tensors = [x, ids64(&[2], &[-1, 0])];
    let jit = Jit::with_strategy(Strategy::Baked);
    let kernel = jit.compile(&program, &signature(&tensors)).unwrap();
    assert_eq!(
        (kernel.engine(), kernel.declined()),
        (Engine::Runner, Some(Decline::Strings))
    );
    let found: Vec<String> = kernel
        .collect(&[tensors[0].as_input(), tensors[1].as_input()])
        .unwrap();
    assert_eq!(found[0], "string 9");
    assert_eq!(jit.stats().reasons, [(Decline::Strings, 1)]);
}

#[test]
fn errors_are_not_cached() {
    let jit = Jit::new();
    let program = Program::chain("x")
        .then(slice([0, 0], [1, 1], [1, 1]))
        .build()
        .unwrap();
    for _ in 0..3 {
        let rank_one = Signature::new().operand(ElementType::F32, &[10]);
        assert!(jit.compile(&program, &rank_one).is_err());
    }
    assert_eq!(
        (jit.stats().kernels, jit.stats().hits, jit.stats().misses),
        (0, 0, 3)
    );
}

/// A system may have larger pages than others, and a function takes a page at least.
#[test]
fn code_counts_in_the_pages_of_the_system() {
    let jit = Jit::with_strategy(Strategy::Baked);
    let kernels = [3, 4].map(|rows| jit.compile(&every_twentieth(), &matrix(rows, 80)).unwrap());
    let stats = jit.stats();
    let pages = 2 * region::page::size();
    assert_eq!((stats.code_bytes, stats.code_bytes_in_use), (pages, pages));
    drop(kernels);
}

#[test]
fn the_cache_stays_within_its_bounds() {
    for strategy in [Strategy::Keyed, Strategy::Baked] {
        let bound = 5 * region::page::size();
        let jit = Jit::builder()
            .strategy(strategy)
            .code_bytes(bound)
            .kernels(20)
            .build();
        let mut kept = Vec::new();
        for width in 1..60usize {
            let program = Program::chain("x")
                .then(slice([0, 0], [9, width as i64], [2, 1]))
                .build()
                .unwrap();
            let signature = Signature::new().operand(ElementType::U8, &[9, 100]);
            let kernel = jit.compile(&program, &signature).unwrap();
            assert_ne!(kernel.engine(), Engine::Runner);
            let stats = jit.stats();
            assert!(
                stats.code_bytes <= bound && stats.kernels <= 20,
                "{stats:?}"
            );
            kept.push((kernel, width));
        }
        assert!(jit.stats().code_bytes > 0);
        assert!(jit.stats().code_bytes_in_use > bound);
        // Kernels outlive the cache.
        jit.clear();
        let x = tensor(ElementType::U8, &[9, 100]);
        for (kernel, width) in &kept {
            let found: Vec<u8> = kernel.collect(&[x.as_input()]).unwrap();
            let rows = x.bytes().chunks(100).step_by(2);
            assert_eq!(
                found,
                rows.flat_map(|row| row[..*width].to_vec())
                    .collect::<Vec<_>>()
            );
        }
        drop(kept);
        assert_eq!(jit.stats().code_bytes_in_use, 0);
    }
}

#[test]
fn a_cache_of_nothing_still_compiles() {
    let jit = Jit::builder()
        .strategy(Strategy::Baked)
        .code_bytes(0)
        .kernels(0)
        .build();
    for _ in 0..3 {
        let kernel = jit.compile(&every_twentieth(), &matrix(3, 80)).unwrap();
        check(&kernel, 3, 80);
    }
    assert_eq!(
        (
            jit.stats().kernels,
            jit.stats().code_bytes,
            jit.stats().hits
        ),
        (0, 0, 0)
    );
}

#[test]
fn eight_threads_compile_and_run() {
    for strategy in [Strategy::Auto, Strategy::Keyed, Strategy::Baked] {
        let bound = 8 * region::page::size();
        let jit = Jit::builder()
            .strategy(strategy)
            .kernels(16)
            .code_bytes(bound)
            .build();
        let program = every_twentieth();
        let shared = jit.compile(&program, &matrix(4, 4)).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (jit, program, shared) = (&jit, &program, shared.clone());
                scope.spawn(move || {
                    for round in 0..200usize {
                        let (rows, columns) = (1 + (round + thread) % 13, 2 + round % 7);
                        let kernel = jit.compile(program, &matrix(rows, columns)).unwrap();
                        check(&kernel, rows, columns);
                        check(&shared, 4, 4);
                    }
                });
            }
        });
        assert!(jit.stats().code_bytes <= bound);
    }
}

#[test]
fn a_panic_in_one_thread_poisons_nothing() {
    let jit = Jit::with_strategy(Strategy::Keyed);
    let kernel = jit.compile(&every_twentieth(), &matrix(3, 80)).unwrap();
    let panicked = std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let _kernel = jit.compile(&every_twentieth(), &matrix(5, 80)).unwrap();
            panic!("on purpose");
        });
        running.join()
    });
    assert!(panicked.is_err());
    check(&kernel, 3, 80);
    check(
        &jit.compile(&every_twentieth(), &matrix(6, 80)).unwrap(),
        6,
        80,
    );
}

#[test]
fn a_wrong_call_is_refused_before_anything_moves() {
    let kernel = Jit::with_strategy(Strategy::Baked)
        .compile(&every_twentieth(), &matrix(3, 80))
        .unwrap();
    let x = [0.0f32; 240];
    let mut y = [7.0f32; 12];
    assert!(kernel.run(&[], &mut y).is_err());
    assert!(kernel.run(&[Input::from(&x[..239])], &mut y).is_err());
    assert!(kernel.run(&[Input::from(&[0i32; 240])], &mut y).is_err());
    assert!(kernel.run(&[Input::from(&x)], &mut y[..11]).is_err());
    assert!(kernel.collect::<f64>(&[Input::from(&x)]).is_err());
    assert_eq!(y, [7.0; 12]);
}

#[test]
fn a_listing_shows_both_forms() {
    let plan = every_twentieth().compile(&matrix(3, 80)).unwrap();
    for form in [Form::Keyed, Form::Baked] {
        let listing = xslice_jit::listing(&plan, form).unwrap();
        assert!(listing[0].clif.contains("function"), "{}", listing[0].clif);
        assert!(
            listing[0].assembly.contains("ret"),
            "{}",
            listing[0].assembly
        );
    }
}

#[test]
fn a_parameter_s_value_is_part_of_the_key() {
    let program = Program::chain("x")
        .then(xslice_core::Slice::onnx(13).starts("starts").ends("ends"))
        .build()
        .unwrap();
    let jit = Jit::with_strategy(Strategy::Keyed);
    let x: Vec<i64> = (0..50).collect();
    for start in 0..20 {
        let (starts, ends) = (Tensor::vector(&[start]), Tensor::vector(&[start + 7]));
        let signature = Signature::new()
            .operand(ElementType::I64, &[50])
            .value(starts.clone())
            .value(ends.clone());
        let kernel = jit.compile(&program, &signature).unwrap();
        let found: Vec<i64> = kernel
            .collect(&[Input::from(&x), starts.as_input(), ends.as_input()])
            .unwrap();
        assert_eq!(found, (start..start + 7).collect::<Vec<_>>());
    }
    assert_eq!(jit.stats().misses, 20);
}

/// Runs itself once more with `XSLICE_JIT=off`.
#[test]
fn the_environment_forces_the_runner() {
    let off = std::env::var_os("XSLICE_JIT").is_some_and(|value| value == "off");
    let jit = Jit::with_strategy(Strategy::Keyed);
    let kernel = jit.compile(&every_twentieth(), &matrix(3, 80)).unwrap();
    check(&kernel, 3, 80);
    if off {
        assert_eq!(
            (jit.strategy(), kernel.engine()),
            (Strategy::Runner, Engine::Runner)
        );
        assert_eq!((kernel.declined(), jit.stats().compiled), (None, 0));
        return;
    }
    assert_eq!(kernel.engine(), Engine::Keyed);
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_environment_forces_the_runner"])
        .env("XSLICE_JIT", "off")
        .status();
    assert!(status.unwrap().success());
}

/// Runs itself once more with a profile to write, whose file cannot be.
#[cfg(unix)]
#[test]
fn a_profile_that_cannot_be_written_is_no_panic() {
    const TEST: &str = "a_profile_that_cannot_be_written_is_no_panic";
    let compile = || {
        let jit = Jit::with_strategy(Strategy::Keyed);
        let kernel = jit.compile(&every_twentieth(), &matrix(3, 80)).unwrap();
        check(&kernel, 3, 80);
        kernel.declined()
    };
    if std::env::var_os("PERF_BUILDID_DIR").is_some() {
        let map = format!("/tmp/perf-{}.map", std::process::id());
        std::fs::create_dir(&map).unwrap();
        let declined = std::panic::catch_unwind(compile);
        std::fs::remove_dir(&map).unwrap();
        assert_eq!(declined.ok(), Some(Some(Decline::Codegen)));
        return;
    }
    assert_eq!(compile(), None);
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", TEST])
        .env("PERF_BUILDID_DIR", "/nowhere")
        .status();
    assert!(status.unwrap().success());
}

/// A machine without executable memory declines every request, and is not asked for it each time.
#[test]
fn without_executable_memory_every_request_is_declined() {
    let jit = Jit::builder()
        .strategy(Strategy::Baked)
        .memory(MemoryPolicy::NeverExecutable)
        .build();
    for rows in 2..12 {
        let kernel = jit.compile(&every_twentieth(), &matrix(rows, 80)).unwrap();
        check(&kernel, rows, 80);
        assert_eq!(kernel.declined(), Some(Decline::Memory));
    }
    assert_eq!(jit.stats().reasons, [(Decline::Memory, 10)]);
}

/// What a stranger's text may make long counts as memory.
#[test]
fn names_masks_and_long_shapes_count_as_bytes() {
    const MIB: usize = 1 << 20;
    let bytes_of = |program: &Program, signature: &Signature| {
        let jit = Jit::new();
        jit.compile(program, signature).expect("a legal request");
        jit.stats().bytes
    };
    let name = "n".repeat(MIB);
    let named = Program::parse(&format!("{name}[::-1]")).expect("a legal text");
    let three = Signature::new().operand(ElementType::U8, &[3]);
    let found = bytes_of(&named, &three);
    assert!((2 * MIB..3 * MIB).contains(&found), "{found}");

    let mask = vec![0; MIB / 8];
    let masks = StridedSlice::openvino(1)
        .begin([0])
        .end([2])
        .begin_mask(mask.clone())
        .end_mask(mask);
    let masked = Program::chain("x").then(masks).build().expect("legal");
    let found = bytes_of(&masked, &three);
    assert!((2 * MIB..3 * MIB).contains(&found), "{found}");

    let ones = [1; 1024];
    let long = Signature::new().strided(ElementType::U8, &ones, &[1; 1024], 0);
    assert!(
        long.memory() >= three.memory() + 16 * 1024,
        "{}",
        long.memory()
    );
}

/// Tables that differ in one element in the middle have places of their own in the cache.
#[test]
fn programs_whose_constants_differ_in_the_middle_are_both_kept() {
    let gather = |patched: i64| {
        let mut ids = vec![0; 100_000];
        ids[50_000] = patched;
        let gather = Gather::onnx(13).indices(ids);
        Program::chain("x").then(gather).build().expect("legal")
    };
    let (jit, programs) = (Jit::new(), [gather(0), gather(1)]);
    let signature = Signature::new().operand(ElementType::U8, &[2]);
    for _ in 0..5 {
        for program in &programs {
            jit.compile(program, &signature).expect("a legal request");
        }
    }
    let stats = jit.stats();
    assert_eq!((stats.misses, stats.hits), (2, 8), "{stats:?}");
}

/// Structures that fill the bytes give way to the kernels of what repeats.
#[test]
fn a_kernel_is_kept_where_structures_fill_the_bytes() {
    let jit = Jit::builder()
        .strategy(Strategy::Keyed)
        .bytes(256 << 10)
        .build();
    for rank in 1..5 {
        let steps = [vec![2; rank], vec![1]].concat();
        let shape = [vec![5; rank], vec![64]].concat();
        for columns in 1..60 {
            let ends = [vec![i64::MAX; rank], vec![columns]].concat();
            let part = Program::chain("x").then(
                xslice_core::Slice::onnx(13)
                    .starts(vec![0; rank + 1])
                    .ends(ends)
                    .steps(steps.clone()),
            );
            let signature = Signature::new().operand(ElementType::U8, &shape);
            jit.compile(&part.build().unwrap(), &signature).unwrap();
        }
    }
    let (program, signature) = (every_twentieth(), matrix(3, 80));
    let before = jit.stats();
    assert!(before.compiled > 60, "{before:?}");
    for _ in 0..10 {
        jit.compile(&program, &signature).unwrap();
    }
    assert_eq!(jit.stats().hits - before.hits, 9, "{:?}", jit.stats());
}

#[test]
fn a_program_is_counted_once_for_all_its_shapes_and_not_kept_if_it_is_too_large() {
    const MIB: usize = 1 << 20;
    let (jit, program) = (
        Jit::builder().bytes(16 * MIB).build(),
        gather_of_constants(MIB / 8, 1),
    );
    for rows in 97..117 {
        jit.compile(&program, &table(rows)).expect("a legal shape");
    }
    let stats = jit.stats();
    assert_eq!(stats.kernels, 20, "{stats:?}");
    assert!((MIB..MIB + 128 * 1024).contains(&stats.bytes), "{stats:?}");

    let large = gather_of_constants(3 * MIB, 2);
    for _ in 0..2 {
        let kernel = jit.compile(&large, &table(97)).expect("a legal shape");
        assert_eq!(kernel.plan().shape(), [3 * MIB, 3]);
    }
    assert_eq!(jit.stats().hits, 0);
    assert_eq!(jit.stats().kernels, 20, "nothing else went for it");
}
