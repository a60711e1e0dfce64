//! One case table, every engine, every way to lay out a call; expected values come from the naive oracle.
//!
//! What an engine declines is counted: machine code may decline strings and nothing else.

#[path = "suite/cases/mod.rs"]
mod cases;
#[path = "suite/mod.rs"]
mod suite;

use cases::describe::{Step, at};
use cases::ways;
use std::collections::BTreeSet;
use suite::{ENGINES, from_naive, naive, tensor};
use xslice::ElementType::I64;
use xslice::{ElementType, Error, ErrorKind, Gather, Graph, Program, Range, Signature, ValueId};

#[test]
fn every_engine_gives_what_the_oracle_says() {
    let (mut given, mut refused, mut runs) = (0, 0, 0);
    for case in cases::all() {
        match case.expected() {
            Ok(expected) => {
                runs += ways::gives(&case, &from_naive(&expected));
                given += 1;
            }
            Err(error) => {
                assert!(error != naive::TOO_LARGE, "{}: {error}", case.name);
                ways::refuses(&case);
                refused += 1;
            }
        }
    }
    println!("{given} cases give values in {runs} runs, {refused} are refused");
    assert!(given > 300 && refused > 50, "{given} and {refused}");
}

/// A text also says where: `column 7: ` after the operator. The words are the same without.
fn without_column(text: &str) -> String {
    let Some((before, after)) = text.split_once("column ") else {
        return text.to_string();
    };
    match after.split_once(": ") {
        Some((number, rest)) if number.parse::<usize>().is_ok() => format!("{before}{rest}"),
        _ => text.to_string(),
    }
}

#[test]
fn the_notation_of_a_case_gives_the_same() {
    let (mut given, mut refused, mut other_words) = (0, 0, Vec::new());
    for case in cases::all() {
        let Some(text) = case.text else { continue };
        let name = &case.name;
        let run = |run| {
            let program = xslice::Program::parse(text)?;
            ways::call(&case, &program, run)
        };
        let expected = case.expected();
        if expected.is_ok() {
            given += 1
        } else {
            refused += 1
        }
        for (engine, engine_run) in ENGINES {
            match (&expected, run(*engine_run)) {
                (Ok(tensor), Ok(got)) => {
                    assert!(
                        got == from_naive(tensor),
                        "{name}: the {engine} differs on {text}"
                    );
                }
                (Err(_), Err(error)) => {
                    let built = ways::refuses(&case).to_string();
                    let parsed = without_column(&error.to_string());
                    if built != parsed {
                        other_words.push(format!("{name}: {text}\n  {built}\n  {parsed}"));
                    }
                }
                (Ok(_), Err(error)) => panic!("{name}: {text} is refused: {error}"),
                (Err(_), Ok(_)) => panic!("{name}: the {engine} computes {text}"),
            }
        }
    }
    println!("{given} texts give values, {refused} are refused");
    other_words.dedup();
    assert!(
        other_words.is_empty(),
        "refused in other words:\n{}",
        other_words.join("\n")
    );
    assert!(given > 180, "{given}");
}

#[test]
fn a_case_says_in_its_name_that_it_is_refused() {
    for case in cases::all() {
        let says = case.name.ends_with("refused") || case.name.contains("_is_still_refused");
        let says = says || case.name.contains("refused_") || case.name.ends_with("refuses");
        let is = case.expected().is_err();
        assert_eq!(says, is, "{}", case.name);
    }
}

#[test]
fn names_are_different() {
    let mut names = BTreeSet::new();
    for case in cases::all() {
        assert!(!case.name.is_empty(), "{case:?}");
        assert!(names.insert(case.name.clone()), "{} twice", case.name);
    }
}

/// The four slices of the YOLO focus write disjoint parts of one buffer, so that the concatenation costs nothing.
#[test]
fn four_results_share_one_buffer() {
    for (engine, run) in ENGINES {
        let mut buffer = vec![f32::NAN; 4 * 3 * 4 * 4];
        let mut expected = Vec::new();
        for (corner, case) in cases::workloads::focus_corners().into_iter().enumerate() {
            let program = case.program().expect("a valid program");
            let x = &case.operands[0].1;
            let signature = suite::signature(&program, &[x]).output(&[0, 16, 4, 1], corner * 48);
            run(&program, &signature, &[x.as_input()], (&mut buffer).into())
                .unwrap_or_else(|error| panic!("{engine}: {error}"));
            expected.extend(case.expected().expect("the oracle computes it").elems);
        }
        let bits = |v: &f32| naive::Elem::Bits(v.to_bits().into());
        let got: Vec<_> = buffer.iter().map(bits).collect();
        assert!(got == expected, "{engine}");
    }
}

/// Rows and columns that indices pick, into a larger buffer: turns that begin where indices say lie at other distances from image to image.
#[test]
fn picked_rows_go_where_the_result_has_gaps() {
    let program = xslice::Program::parse("x[:, @a][:, :, @b]").expect("a valid program");
    let (images, rows, columns) = (12, 9, 8);
    let x: Vec<i64> = (0..(images * rows * columns) as i64).collect();
    let (a, b) = ([7_i64, -9, 3], [5_i64, 0, -1, 2]);
    let signature = Signature::new()
        .operand(xslice::ElementType::I64, &[images, rows, columns])
        .operand(xslice::ElementType::I64, &[a.len()])
        .operand(xslice::ElementType::I64, &[b.len()]);
    for [image, row, column] in [[40, 5, 1], [12, 4, 1], [40, 8, 2], [1, 12, 36]] {
        let signature = signature.clone().output(&[image, row, column], 2);
        let len = 3 + 11 * image + 2 * row + 3 * column;
        let mut expected = vec![-1; len as usize];
        for (i, j, k) in (0..images)
            .flat_map(|i| (0..a.len()).map(move |j| (i, j)))
            .flat_map(|(i, j)| (0..b.len()).map(move |k| (i, j, k)))
        {
            let to = 2 + i as isize * image + j as isize * row + k as isize * column;
            let wrapped = |index: i64, size: usize| index.rem_euclid(size as i64) as usize;
            let from = (i * rows + wrapped(a[j], rows)) * columns + wrapped(b[k], columns);
            expected[to as usize] = x[from];
        }
        for (engine, run) in ENGINES {
            let mut output = vec![-1; expected.len()];
            let inputs = [(&x).into(), (&a).into(), (&b).into()];
            let ran = run(&program, &signature, &inputs, (&mut output).into());
            assert_eq!(ran, Ok(()), "{engine}, {signature:?}");
            assert!(output == expected, "{engine}, {signature:?}");
        }
    }
}

/// An operand in a larger buffer: shape, strides, offset, the elements of the buffer, and what `x[...]` gives.
type Spread = (
    &'static [usize],
    &'static [isize],
    usize,
    i64,
    &'static [i64],
);

const SPREADS: &[Spread] = &[
    // Repeated rows, repeated elements, windows that overlap.
    (&[3, 2], &[0, 1], 4, 6, &[4, 5, 4, 5, 4, 5]),
    (&[2, 3], &[1, 0], 0, 2, &[0, 0, 0, 1, 1, 1]),
    (&[3, 3], &[1, 1], 0, 5, &[0, 1, 2, 1, 2, 3, 2, 3, 4]),
    // Transposed, reversed, with gaps.
    (&[2, 3], &[1, 2], 0, 6, &[0, 2, 4, 1, 3, 5]),
    (&[2, 2], &[-4, -1], 7, 8, &[7, 6, 3, 2]),
    // A stride that no step takes may be any number.
    (&[1, 2], &[isize::MIN, 1], 0, 2, &[0, 1]),
    (&[2, 1], &[1, isize::MAX], 1, 3, &[1, 2]),
    // Without an element, nothing of the layout counts.
    (&[0, 2], &[isize::MAX, isize::MIN], usize::MAX, 0, &[]),
];

/// A whole operand of this signature, by every engine.
fn all_give(signature: &Signature, buffer: &[i64], expected: &[i64]) {
    let program = xslice::Program::parse("x[...]").expect("a valid program");
    for (engine, run) in ENGINES {
        let mut output = vec![-1; expected.len()];
        let ran = run(&program, signature, &[buffer.into()], (&mut output).into());
        assert_eq!(ran, Ok(()), "{engine}, {signature:?}");
        assert!(output == expected, "{engine}, {signature:?}");
    }
}

#[test]
fn operands_lie_in_memory_as_their_strides_say() {
    for &(shape, strides, offset, len, expected) in SPREADS {
        let signature = Signature::new().strided(I64, shape, strides, offset);
        let buffer: Vec<i64> = (0..len).collect();
        all_give(&signature, &buffer, expected);
    }
}

/// A shape, and the strides of a view of a buffer.
type View = (&'static [usize], &'static [isize]);

/// Of buffers that are larger than a cache.
const LARGE_VIEWS: &[View] = &[
    // Transposed, in tiles and by a prime number of rows; reversed; in three axes.
    (&[512, 1024], &[1, 512]),
    (&[300, 1021], &[1, 300]),
    (&[600, 1000], &[-1, -600]),
    (&[64, 96, 300], &[1, 64 * 300, 64]),
    (&[40, 100, 320], &[1, 40, 4000]),
    // The four phases of an image, and the channels of pixels.
    (&[2, 2, 250, 320], &[1, 640, 1280, 2]),
    (&[3, 400, 500], &[1, 1500, 3]),
    (&[3, 400, 500], &[-1, -1500, 3]),
    // The same with rows so short that those of all loops move together.
    (&[2, 2, 400, 200], &[1, 400, 800, 2]),
    (&[2, 500, 150], &[1, 300, 2]),
    (&[2, 500, 150], &[-1, -300, 2]),
    // Every row again and again.
    (&[4, 300, 500], &[0, 500, 1]),
];

/// Rows of more than a line in small results: machine code leaves all their loops to a Move.
const NEAR_ROWS: &[View] = &[
    (&[3, 4, 5, 12], &[-400, 90, -13, 1]),
    (&[2, 3, 2, 4, 30], &[1000, -300, 120, -31, 1]),
];

/// Loops take another order where a cache would lose what is read again.
#[test]
fn views_give_their_elements_in_order() {
    for &(shape, strides) in LARGE_VIEWS.iter().chain(NEAR_ROWS) {
        let spans = || {
            let axes = shape.iter().zip(strides);
            axes.map(|(&extent, &stride)| (extent as isize - 1) * stride)
        };
        let low: isize = spans().filter(|&span| span < 0).sum();
        let high: isize = spans().filter(|&span| span > 0).sum();
        let signature = Signature::new().strided(I64, shape, strides, low.unsigned_abs());
        let buffer: Vec<i64> = (low as i64..=high as i64).collect();
        let mut expected = vec![0];
        for (&extent, &stride) in shape.iter().zip(strides) {
            let turns = |&at: &i64| (0..extent as i64).map(move |turn| at + turn * stride as i64);
            expected = expected.iter().flat_map(turns).collect();
        }
        all_give(&signature, &buffer, &expected);
    }
}

#[test]
fn a_program_of_constants_needs_no_operand() {
    let table = suite::tensor(&[3, 2], &[1_i64, 2, 3, 4, 5, 6]);
    let case = cases::describe::of(table).gather([2, 0]);
    ways::gives(&case, &suite::tensor(&[2, 2], &[5_i64, 6, 1, 2]));
}

/// Its only nest writes a temporary, of more elements than the result has.
#[test]
fn a_temporary_that_nothing_reads_stays_a_temporary() {
    for ty in [I64, xslice::ElementType::String] {
        let case = cases::describe::x(ty, [4, 6])
            .at(at![.., 1..4])
            .then(Step::Reshape(vec![12]))
            .at(at![12..]);
        let expected = case.expected().expect("the oracle computes it");
        ways::gives(&case, &from_naive(&expected));
    }
}

/// Known indices of more than 1 MiB: of a Range across zero, which each run writes, and of constants that other constants select, which
/// are looked up one by the other. One that is outside is refused by the plan as by a run.
#[test]
fn long_known_indices_are_in_no_plan() {
    const ROWS: i64 = 100_000;
    let gather = |by: &dyn Fn(&mut Graph) -> Result<ValueId, Error>| -> Result<Program, Error> {
        let mut graph = Graph::new();
        let x = graph.operand("x", None)?;
        let ids = by(&mut graph)?;
        let rows = graph.apply(Gather::onnx(13).indices(ids), Some(x), None)?;
        graph.finish(rows)
    };
    let across = gather(&|graph| {
        let range = Range::onnx(11).start(ROWS - 1).limit(-ROWS - 1).delta(-1);
        graph.apply(range, None, None)
    });
    let table: Vec<i64> = (0..500).map(|n| n * n * 31 % (2 * ROWS) - ROWS).collect();
    let which: Vec<i64> = (0..400).map(|n| n * n % 500).collect();
    let selected = gather(&|graph| {
        let table = graph.constant(tensor(&[500, 1], &table));
        let columns = tensor(&[500], &[0_i64; 500]);
        let wide = graph.apply(Gather::onnx(13).indices(columns).axis(1), Some(table), None)?;
        let which = tensor(&[400], &which);
        graph.apply(Gather::onnx(13).indices(which), Some(wide), None)
    });
    let of = |index: i64| (index.rem_euclid(ROWS) % 251) as u8;
    let across_rows: Vec<u8> = (-ROWS..ROWS).rev().map(of).collect();
    let rows = which.iter().map(|&row| of(table[row as usize]));
    let selected_rows: Vec<u8> = rows.flat_map(|value| [value; 500]).collect();
    let x: Vec<u8> = (0..ROWS).map(of).collect();
    for (program, expected) in [(across, across_rows), (selected, selected_rows)] {
        let program = program.expect("a valid program");
        let signature = Signature::new().operand(ElementType::U8, &[x.len()]);
        let plan = program.compile(&signature).expect("a plan");
        assert!(plan.memory() < 1 << 16, "{plan}");
        for (engine, run) in ENGINES {
            let mut got = vec![0; expected.len()];
            run(&program, &signature, &[(&x).into()], (&mut got).into()).expect(engine);
            assert!(got == expected, "{engine}");
        }
        let shorter = Signature::new().operand(ElementType::U8, &[x.len() - 1]);
        let error = program.compile(&shorter).expect_err("outside");
        assert_eq!(error.kind(), ErrorKind::IndexRange);
    }
}

/// With every request `Auto` may change its engine: from the runner to the code of the structure to that of the nest.
#[cfg(feature = "jit")]
#[test]
fn the_automatic_choice_gives_the_same_each_time() {
    let jit = xslice::Jit::new();
    let mut engines = BTreeSet::new();
    for case in cases::all() {
        let (Ok(expected), Ok(program)) = (case.expected(), case.program()) else {
            continue;
        };
        let expected = from_naive(&expected);
        let operands: Vec<_> = case.operands.iter().map(|(_, tensor)| tensor).collect();
        let signature = suite::signature(&program, &operands);
        let inputs: Vec<_> = operands.iter().map(|tensor| tensor.as_input()).collect();
        for request in 0..20 {
            let kernel = jit.compile(&program, &signature).expect("it compiles");
            let blank = suite::filled(expected.element_type(), expected.shape());
            let mut output = blank.expect("memory");
            kernel
                .run(&inputs, output.as_output())
                .expect("a valid call");
            assert!(
                output == expected,
                "{}, request {request}: {}",
                case.name,
                kernel.engine()
            );
            engines.insert(kernel.engine().name());
        }
    }
    println!("{engines:?}, {:?}", jit.stats());
    if jit.strategy() == xslice::Strategy::Runner {
        println!("SKIPPED: which engines were chosen: XSLICE_JIT=off");
        return;
    }
    assert_eq!(engines.len(), 3, "{engines:?}");
}

/// One kernel, many threads, each with its own operands.
#[cfg(feature = "jit")]
#[test]
fn a_kernel_runs_on_many_threads_at_once() {
    for strategy in [
        xslice::Strategy::Keyed,
        xslice::Strategy::Baked,
        xslice::Strategy::Runner,
    ] {
        let program = xslice::Program::parse("x[@ids][::-1, 1:]").expect("a valid program");
        let signature = Signature::new().operand(I64, &[50, 4]).operand(I64, &[30]);
        let kernel = suite::jit(strategy)
            .compile(&program, &signature)
            .expect("it compiles");
        std::thread::scope(|scope| {
            for thread in 0..4_i64 {
                let kernel = kernel.clone();
                scope.spawn(move || {
                    let x: Vec<i64> = (0..200).map(|k| k + 1000 * thread).collect();
                    let ids: Vec<i64> = (0..30).map(|k| (k * 7 + thread) % 50).collect();
                    let row = |&id: &i64| (1..4).map(move |k| 1000 * thread + 4 * id + k);
                    let expected: Vec<i64> = ids.iter().rev().flat_map(row).collect();
                    for _ in 0..200 {
                        let got = kernel.collect::<i64>(&[(&x).into(), (&ids).into()]);
                        assert_eq!(got.as_ref(), Ok(&expected));
                    }
                });
            }
        });
    }
}

#[cfg(feature = "jit")]
#[test]
fn machine_code_declines_strings_only() {
    use xslice::Strategy;
    let (mut asked, mut strings) = (0, 0);
    for strategy in [Strategy::Keyed, Strategy::Baked] {
        for case in cases::all() {
            let Some(kernel) = kernel(&case, strategy) else {
                continue;
            };
            asked += 1;
            let Some(reason) = kernel.declined() else {
                continue;
            };
            let ty = kernel.plan().element_type();
            assert_eq!(reason, xslice::Decline::Strings, "{}", case.name);
            assert_eq!(ty, xslice::ElementType::String, "{}", case.name);
            strings += 1;
        }
    }
    println!("declined: {strings} of {asked}, all of them strings");
    assert!(strings * 8 < asked);
}

/// The kernel of a case that is not refused.
#[cfg(feature = "jit")]
fn kernel(case: &cases::describe::Case, strategy: xslice::Strategy) -> Option<xslice::Kernel> {
    let program = case.program().ok()?;
    let operands: Vec<_> = case.operands.iter().map(|(_, tensor)| tensor).collect();
    let signature = suite::signature(&program, &operands);
    suite::jit(strategy).compile(&program, &signature).ok()
}
