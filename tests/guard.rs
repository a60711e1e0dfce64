//! No byte outside: operands and results lie flush against pages that nobody may touch, before and after.
//!
//! A read or write of one byte too many ends the process, whatever the compiler or a sanitizer sees of generated code and vector
//! instructions. Every pattern also gives what the interpreter gives, at every level.

#![cfg(target_os = "linux")]

#[path = "suite/mod.rs"]
mod suite;

use std::cell::Cell;
use suite::guarded::Guarded;
use suite::rng::Rng;
use suite::{ENGINES, numbered};
use xslice::{ElementType, Input, Level, Output, Program, Scratch, Signature, Tensor};

/// Elements of 1, 2, 4 and 8 bytes, by their bits. Guarded memory of any alignment holds bytes; wider elements begin where their
/// alignment allows, which every length that is a multiple of their size does at both ends of a page.
macro_rules! typed {
    ($ty:expr, $bytes:expr, |$slice:ident| $do:expr) => {{
        let bytes = $bytes;
        match $ty.size() {
            1 => {
                let $slice = bytes;
                $do
            }
            2 => typed!(@ u16, bytes, $slice, $do),
            4 => typed!(@ u32, bytes, $slice, $do),
            _ => typed!(@ u64, bytes, $slice, $do),
        }
    }};
    (@ $word:ty, $bytes:ident, $slice:ident, $do:expr) => {{
        // SAFETY: plain words; what does not fit is empty because of the alignment above.
        let (before, $slice, after) = unsafe { $bytes.align_to_mut::<$word>() };
        assert!(before.is_empty() && after.is_empty());
        $do
    }};
}

const TYPES: [ElementType; 4] = [
    ElementType::U8,
    ElementType::U16,
    ElementType::U32,
    ElementType::U64,
];

/// Runs a program at every level and on every engine with guarded operands, and compares with the interpreter.
fn check(text: &str, ty: ElementType, shape: &[usize], indices: Option<&Tensor>) {
    let program = Program::parse(text).expect(text);
    let mut signature = Signature::new().operand(ty, shape);
    if let Some(indices) = indices {
        signature = signature.operand(indices.element_type(), indices.shape());
    }
    let plan = program.compile(&signature).expect(text);
    let x = numbered(ty, shape, 7);
    let mut expected = Tensor::zeros(ty, plan.shape()).expect("memory");
    xslice::interp::run(
        &plan,
        &call(x.as_input(), indices),
        expected.as_output(),
        &mut Scratch::new(),
    )
    .expect(text);
    let (src_bytes, dst_bytes) = (x.bytes().len(), expected.bytes().len());
    let (mut src, mut dst) = (Guarded::new(src_bytes), Guarded::new(dst_bytes));
    for (src_end, dst_end) in [(false, true), (true, false)] {
        let source = src.bytes(src_bytes, src_end);
        source.copy_from_slice(x.bytes());
        typed!(ty, source, |source| {
            let data = Input::from(&source[..]);
            let mut each = |what: &str, run: &dyn Fn(&[Input<'_>], Output<'_>)| {
                let result = dst.bytes(dst_bytes, dst_end);
                result.fill(0xA5);
                let flat = call(data, indices);
                typed!(ty, &mut *result, |result| run(
                    &flat,
                    Output::from(&mut result[..])
                ));
                let result = dst.bytes(dst_bytes, dst_end);
                assert!(
                    result == expected.bytes(),
                    "{what}: {text} {ty} {shape:?}\n{plan}"
                );
            };
            for level in Level::all() {
                each(level.name(), &|inputs, output| {
                    let mut scratch = Scratch::new();
                    xslice::runner::run_at(level, &plan, inputs, output, &mut scratch).expect(text);
                });
            }
            for (name, run) in ENGINES.iter().filter(|(name, _)| name.starts_with("JIT")) {
                each(name, &|inputs, output| {
                    run(&program, &signature, inputs, output).expect(text)
                });
            }
        });
    }
}

/// The operands of a call.
fn call<'a>(data: Input<'a>, indices: Option<&'a Tensor>) -> Vec<Input<'a>> {
    std::iter::once(data)
        .chain(indices.map(Tensor::as_input))
        .collect()
}

/// Of a list the whole with optimisation; else, where all of this takes a minute, a third: another one at each call of a test.
fn share<T>(all: &[T]) -> impl Iterator<Item = &T> {
    thread_local!(static CALLS: Cell<usize> = const { Cell::new(0) });
    let (first, step) = if cfg!(debug_assertions) {
        (CALLS.replace(CALLS.get() + 1) % 3, 3)
    } else {
        (0, 1)
    };
    all.iter().skip(first).step_by(step)
}

/// Row lengths around vectors, tiles, and where wide vectors take over.
const LENGTHS: [usize; 22] = [
    1, 2, 3, 7, 15, 16, 17, 31, 33, 63, 64, 65, 100, 191, 193, 255, 300, 1000, 1365, 4097, 5000,
    9001,
];

#[test]
fn steps_and_reversals_touch_nothing_outside() {
    for ty in TYPES {
        for step in [-9, -8, -5, -3, -2, -1, 2, 3, 4, 5, 7, 8, 9] {
            for &len in share(&LENGTHS) {
                check(&format!("x[::{step}]"), ty, &[len], None);
                check(&format!("x[1:, ::{step}]"), ty, &[3, len], None);
            }
        }
    }
}

/// Rows of a few tiles, in one loop or two, that lie in either direction of the operand.
#[test]
fn rows_in_loops_touch_nothing_outside() {
    for ty in TYPES {
        for channels in [3, 4, 8] {
            for turns in [5, 9] {
                for rows in share(&[3, 20, 70, 150]) {
                    let shape = [*rows, turns, channels];
                    for entries in [
                        "::-1, :, 2::-1",
                        ":, ::-1, :3",
                        "::-1, ::-1, ::3",
                        "::2, :, 1:3",
                        "::-2, 1:, ::-1",
                        ":, :, 1",
                    ] {
                        check(&format!("x[{entries}]"), ty, &shape, None);
                    }
                }
            }
        }
    }
}

/// Rows of lines, and of a little less.
#[test]
fn rows_of_lines_touch_nothing_outside() {
    for bytes in [60, 64, 120, 128, 184, 192, 248, 256, 320] {
        for shape in [[11, bytes, 1], [7, 2, bytes], [5, 8, bytes]] {
            check("x[::2, ::-1]", ElementType::U8, &shape, None);
            check("x[::-2]", ElementType::U8, &shape, None);
        }
    }
}

#[test]
fn channels_touch_nothing_outside() {
    for channels in [2, 3, 4, 5, 7, 8] {
        for entry in ["::-1", "1:", "0:1", ":-1", "-1:", "1::-1", "::2"] {
            for &len in share(&LENGTHS) {
                for ty in [ElementType::U8, ElementType::U16, ElementType::U32] {
                    check(&format!("x[:, {entry}]"), ty, &[len, channels], None);
                    check(&format!("x[::-1, {entry}]"), ty, &[len, channels], None);
                }
            }
        }
    }
}

/// Orders that are no progression: a table of constants says where each byte is.
#[test]
fn channels_in_any_order_touch_nothing_outside() {
    for (channels, order) in [
        (3, "[0, 2, 1]"),
        (4, "[2, 0, 1]"),
        (4, "[-1, 0, 0, 2, 1]"),
        (5, "[[4, 0], [1, 1]]"),
        (17, "[16, 0, 3]"),
    ] {
        for &len in share(&LENGTHS) {
            for ty in [ElementType::U8, ElementType::U32] {
                check(&format!("x[:, {order}]"), ty, &[len, channels], None);
                check(&format!("x[::-1, {order}]"), ty, &[len, channels], None);
                check(&format!("x[:, {order}, 1:]"), ty, &[len, channels, 3], None);
            }
        }
    }
}

#[test]
fn rows_of_images_touch_nothing_outside() {
    for (height, width) in [(1, 1), (2, 5), (3, 21), (4, 64), (5, 224), (2, 2000)] {
        for text in [
            "x[:, ::-1]",
            "x[:, ::-1, ::-1]",
            "x[1:, 1:-1]",
            "x[::2, ::2]",
            "x[..., 1]",
            "x[:, 1::3, :2]",
        ] {
            check(text, ElementType::U8, &[height, width, 3], None);
            check(text, ElementType::U16, &[height, width, 4], None);
        }
    }
}

#[test]
fn lookups_touch_nothing_outside() {
    let mut rng = Rng::new(11);
    for ty in TYPES {
        for width in [1, 2, 3, 4, 5, 8, 9, 16, 33, 70, 300] {
            // Few and many indices, tables that fit in registers, in L1, and neither.
            for &(rows, count) in share(&[
                (1, 5),
                (3, 17),
                (256, 1100),
                (5000, 40),
                (2, 2100),
                (256, 2500),
                (700, 2850),
            ]) {
                // From the thousandth on they count from the start of the axis, the last row among them.
                let id = |k| match rng.within(-rows, rows - 1) {
                    id @ ..0 if k >= 1000 => !id,
                    id => id,
                };
                let values: Vec<i64> = (0..count).map(id).collect();
                let narrow: Vec<i32> = values.iter().map(|&v| v as i32).collect();
                let shape = [rows as usize, width];
                check(
                    "x[@ids]",
                    ty,
                    &shape,
                    Some(&suite::tensor(&[count], &values)),
                );
                check(
                    "x[@ids]",
                    ty,
                    &shape,
                    Some(&suite::tensor(&[count], &narrow)),
                );
                check(
                    "x[:, @ids]",
                    ty,
                    &[width, rows as usize],
                    Some(&suite::tensor(&[count], &values)),
                );
            }
        }
    }
}

/// A few rows of up to some KiB, the first and the last of the operand among them.
#[test]
fn lookups_of_long_rows_touch_nothing_outside() {
    let ids = suite::tensor(&[7], &[0i64, 4, -5, 2, -1, 1, 3]);
    for ty in TYPES {
        for width in [257, 300, 515, 1000] {
            check("x[@ids]", ty, &[5, width], Some(&ids));
            check("x[:, @ids]", ty, &[2, 5, width], Some(&ids));
            check("x[@ids, 1:]", ty, &[5, width], Some(&ids));
        }
    }
}

/// Rows that are patterns, of one tile and of several; those at both ends of the operand are among them.
#[test]
fn patterns_that_indices_name_touch_nothing_outside() {
    let mut rng = Rng::new(19);
    for ty in TYPES {
        for &(rows, count) in share(&[(1, 40), (3, 90), (17, 300), (5, 1200)]) {
            let values: Vec<i64> = (0..count).map(|_| rng.within(-rows, rows - 1)).collect();
            let indices = suite::tensor(&[count], &values);
            for width in [3, 5, 8, 24, 49, 100] {
                let shape = [rows as usize, width];
                check("x[@ids, ::-1]", ty, &shape, Some(&indices));
                check("x[@ids, ::2]", ty, &shape, Some(&indices));
            }
            for (width, channels) in [(6, 5), (3, 4), (22, 3)] {
                let shape = [rows as usize, width, channels];
                check("x[@ids, :, :2]", ty, &shape, Some(&indices));
                check("x[@ids, ::-1, 1:]", ty, &shape, Some(&indices));
            }
            // Few turns, each with all that is inside it: runs, and rows of a pattern.
            let few = suite::tensor(&[9], &values[..9]);
            for (height, width) in [(3, 5), (4, 24), (7, 90)] {
                let shape = [rows as usize, height, width];
                check("x[@ids, :, 1:]", ty, &shape, Some(&few));
                check("x[@ids, ::2, :-1]", ty, &shape, Some(&few));
                check("x[@ids, ::-1, ::-1]", ty, &shape, Some(&few));
                check("x[::-1] |> [@ids, :, ::2]", ty, &shape, Some(&few));
                let shape = [2, rows as usize, height, width];
                check("x[:, @ids, 1:, 2:]", ty, &shape, Some(&few));
                check("x[::-1, @ids, :, ::-3]", ty, &shape, Some(&few));
            }
        }
    }
}

/// The same indices in every turn of a loop: their places are found once.
#[test]
fn columns_touch_nothing_outside() {
    let mut rng = Rng::new(17);
    for ty in TYPES {
        for columns in [1, 3, 4, 16, 33, 64, 100, 257] {
            let sizes = [(2, 40), (3, 1), (40, 3), (65, 17), (300, 5), (1000, 3)];
            for &(turns, count) in share(&sizes) {
                let values: Vec<i64> = (0..count)
                    .map(|_| rng.within(-columns, columns - 1))
                    .collect();
                let narrow: Vec<i32> = values.iter().map(|&v| v as i32).collect();
                let (wide, narrow) = (
                    suite::tensor(&[count], &values),
                    suite::tensor(&[count], &narrow),
                );
                let shape = [turns, columns as usize];
                check("x[:, @ids]", ty, &shape, Some(&wide));
                check("x[::-1, @ids]", ty, &shape, Some(&narrow));
                check("x[::2, ::-1] |> [:, @ids]", ty, &shape, Some(&wide));
                for width in [2, 3] {
                    let shape = [turns, columns as usize, width];
                    check("x[:, @ids]", ty, &shape, Some(&narrow));
                    check("x[:, @ids, 1]", ty, &shape, Some(&wide));
                    check("x[1:, @ids, :1]", ty, &shape, Some(&wide));
                }
                let mut outside = values;
                outside[rng.below(count)] = rng.pick(&[columns, -columns - 1, 1 << 40]);
                refused("x[:, @ids]", ty, &shape, &suite::tensor(&[count], &outside));
            }
        }
    }
}

/// Narrow rows of turns that are longer than some vectors: in any order and in theirs, the last column among them.
#[test]
fn columns_far_apart_touch_nothing_outside() {
    let mut rng = Rng::new(29);
    for ty in [ElementType::U8, ElementType::U16] {
        for columns in [1, 2, 5, 22, 64, 65, 100, 300, 1100] {
            for &(turns, count) in share(&[(3, 20), (33, 32), (70, 77), (35, 400)]) {
                let mut values: Vec<i64> = (0..count)
                    .map(|_| rng.within(-columns, columns - 1))
                    .collect();
                values[rng.below(count)] = -1;
                let any = suite::tensor(&[count], &values);
                values.sort_by_key(|value| value.rem_euclid(columns));
                let sorted = suite::tensor(&[count], &values);
                for ids in [&any, &sorted] {
                    let columns = columns as usize;
                    check("x[:, @ids]", ty, &[turns, columns], Some(ids));
                    check("x[::-1, @ids]", ty, &[turns, columns], Some(ids));
                    check("x[::-2, @ids]", ty, &[2 * turns, columns, 3], Some(ids));
                }
            }
        }
    }
}

#[test]
fn an_index_outside_is_refused_before_its_row_is_read() {
    let mut rng = Rng::new(23);
    for ty in TYPES {
        for width in [1, 2, 3, 4, 8, 33, 300] {
            for &(rows, count) in share(&[(3, 17), (250, 700), (250, 2500), (700, 3001)]) {
                for _ in 0..4 {
                    let mut values: Vec<i64> =
                        (0..count).map(|_| rng.within(-rows, rows - 1)).collect();
                    let outside = [rows, -rows - 1, 1 << 30, -(1 << 30)];
                    for _ in 0..1 + rng.below(2) {
                        values[rng.below(count)] = rng.pick(&outside);
                    }
                    let narrow: Vec<i32> = values.iter().map(|&v| v as i32).collect();
                    let shape = [rows as usize, width];
                    refused("x[@ids]", ty, &shape, &suite::tensor(&[count], &values));
                    refused("x[@ids]", ty, &shape, &suite::tensor(&[count], &narrow));
                }
            }
        }
    }
}

/// Every level refuses as the interpreter does, with guarded operands.
fn refused(text: &str, ty: ElementType, shape: &[usize], indices: &Tensor) {
    let program = Program::parse(text).expect("a program");
    let signature = Signature::new()
        .operand(ty, shape)
        .operand(indices.element_type(), indices.shape());
    let plan = program.compile(&signature).expect("a plan");
    let mut result = Tensor::zeros(ty, plan.shape()).expect("memory");
    let bytes = numbered(ty, shape, 7).bytes().to_vec();
    let mut src = Guarded::new(bytes.len());
    for at_end in [false, true] {
        let source = src.bytes(bytes.len(), at_end);
        source.copy_from_slice(&bytes);
        typed!(ty, source, |source| {
            let inputs = [Input::from(&source[..]), indices.as_input()];
            let scratch = &mut Scratch::new();
            let expected = xslice::interp::run(&plan, &inputs, result.as_output(), scratch);
            assert!(expected.is_err());
            for level in Level::all() {
                let output = result.as_output();
                let given = xslice::runner::run_at(level, &plan, &inputs, output, scratch);
                assert_eq!(given, expected, "{} {ty} {shape:?}", level.name());
            }
        });
    }
}

#[test]
fn random_patterns_touch_nothing_outside() {
    let mut rng = Rng::new(5);
    for _ in 0..1500 {
        let shape: Vec<usize> = (0..1 + rng.below(4)).map(|_| 1 + rng.below(24)).collect();
        let entries: Vec<String> = shape
            .iter()
            .map(|&dim| {
                let (a, b) = (rng.below(dim), rng.below(dim));
                match rng.below(4) {
                    0 => ":".to_string(),
                    1 => format!("{}:{}:{}", a.min(b), a.max(b) + 1, 1 + rng.below(4)),
                    2 => format!(
                        "{}:{}:-{}",
                        a.max(b),
                        a.min(b) as i64 - dim as i64 - 1,
                        1 + rng.below(4)
                    ),
                    _ => format!("{a}:"),
                }
            })
            .collect();
        check(
            &format!("x[{}]", entries.join(", ")),
            rng.pick(&TYPES),
            &shape,
            None,
        );
    }
}
