//! The naive oracle against values written by hand: the worked examples of the operator texts, and for each numbered
//! row of the semantics table at least one case with the answer that the row gives.
//!
//! Nothing of the compiler is used here. What the compiler does with these requests is for the other test targets.

#[path = "suite/naive.rs"]
mod naive;

use naive::Dialect::{OnnxRuntime, OpenVinoText, Standard};
use naive::Entry::{Ellipsis, Int, NewAxis};
use naive::{Dialect, Elem, Entry, Masks, TOO_LARGE, Tensor};

type Outcome = Result<Tensor, String>;

/// One element from its decimal form.
fn parsed(dtype: &str, text: &str) -> Elem {
    const NUMBER: &str = "a number of the type in hand";
    Elem::Bits(match dtype {
        "i16" => text.parse::<i16>().expect(NUMBER) as u16 as u128,
        "i32" => text.parse::<i32>().expect(NUMBER) as u32 as u128,
        "i64" => text.parse::<i64>().expect(NUMBER) as u64 as u128,
        "f32" => text.parse::<f32>().expect(NUMBER).to_bits() as u128,
        "f64" => text.parse::<f64>().expect(NUMBER).to_bits() as u128,
        "string" => return Elem::Text(text.to_string()),
        _ => text.parse::<u128>().expect(NUMBER),
    })
}

fn tensor(dtype: &'static str, shape: &[usize], elems: &str) -> Tensor {
    Tensor {
        dtype,
        shape: shape.to_vec(),
        elems: elems.split(' ').map(|e| parsed(dtype, e)).collect(),
    }
}

/// Element i is i.
fn iota(shape: &[usize]) -> Tensor {
    Tensor {
        dtype: "u64",
        shape: shape.to_vec(),
        elems: (0..shape.iter().product::<usize>() as u128)
            .map(Elem::Bits)
            .collect(),
    }
}

/// The result is this: its dimensions, then its elements.
#[track_caller]
fn gives(outcome: Outcome, want: &str) {
    let got = outcome.expect("no rule refuses this");
    let (shape, elems) = want.split_once(']').expect("dimensions in brackets");
    assert_eq!(format!("{:?}", got.shape), format!("{shape}]"));
    let elems: Vec<_> = elems.split_whitespace().collect();
    let elems: Vec<_> = elems.iter().map(|e| parsed(got.dtype, e)).collect();
    assert_eq!(got.elems, elems);
}

#[track_caller]
fn has_shape(outcome: Outcome, shape: &[usize]) {
    assert_eq!(outcome.expect("no rule refuses this").shape, shape);
}

#[track_caller]
fn is_refused(outcome: Outcome) {
    assert_ne!(outcome.expect_err("a rule refuses this"), TOO_LARGE);
}

// ---- ONNX Slice ----

/// Version 13 with steps, on the first axes.
fn slice(x: &Tensor, starts: &[i64], ends: &[i64], steps: &[i64], dialect: Dialect) -> Outcome {
    naive::onnx_slice(13, x, starts, ends, None, Some(steps), dialect)
}

/// Without steps.
fn slice_axes(v: u32, x: &Tensor, starts: &[i64], ends: &[i64], axes: &[i64]) -> Outcome {
    naive::onnx_slice(v, x, starts, ends, Some(axes), None, Standard)
}

#[test]
fn onnx_slice_examples_of_the_text() {
    let x = tensor("i64", &[2, 4], "1 2 3 4 5 6 7 8");
    let (axes, steps) = (Some(&[0, 1][..]), Some(&[1, 2][..]));
    for version in [10, 11, 13] {
        let first = naive::onnx_slice(version, &x, &[1, 0], &[2, 3], axes, steps, Standard);
        gives(first, "[1, 2] 5 7");
    }
    gives(slice_axes(1, &x, &[1, 0], &[2, 3], &[0, 1]), "[1, 3] 5 6 7");
    for version in [1, 10, 11, 13] {
        let second = naive::onnx_slice(version, &x, &[0, 1], &[-1, 1000], None, None, Standard);
        gives(second, "[1, 3] 2 3 4");
    }
}

#[test]
fn rows_1_and_2_clamping_of_reversed_slices() {
    let x = iota(&[4]);
    gives(slice(&x, &[-100], &[-200], &[-1], Standard), "[1] 0"); // row 1
    for int_max in [i32::MAX as i64, i64::MAX] {
        gives(slice(&x, &[-1], &[int_max], &[-1], Standard), "[0]");
        let runtime = slice(&x, &[-1], &[int_max], &[-1], OnnxRuntime);
        gives(runtime, "[4] 3 2 1 0");
        let another_end = slice(&x, &[-1], &[int_max - 1], &[-1], OnnxRuntime);
        gives(another_end, "[0]");
        gives(slice(&x, &[1], &[int_max], &[1], OnnxRuntime), "[3] 1 2 3");
    }
    for int_min in [i32::MIN as i64, i64::MIN] {
        let through_element_0 = slice(&x, &[i64::MAX], &[int_min], &[-1], Standard);
        gives(through_element_0, "[4] 3 2 1 0");
    }
}

#[test]
fn rows_3_to_6_what_slice_refuses_and_what_is_empty() {
    let empty = slice(&iota(&[0]), &[-1], &[i64::MIN], &[-1], Standard);
    gives(empty, "[0]"); // row 3
    let x = iota(&[2, 3]);
    is_refused(slice_axes(11, &x, &[0, 0], &[9, 9], &[1, 1])); // row 4
    is_refused(slice_axes(11, &x, &[0, 0], &[9, 9], &[-1, 1])); // row 4
    is_refused(slice_axes(11, &x, &[0], &[9], &[2]));
    is_refused(slice_axes(11, &x, &[0], &[9], &[-3]));
    is_refused(slice(&iota(&[]), &[], &[], &[], Standard)); // row 5
    is_refused(slice(&x, &[0], &[1, 2], &[1], Standard)); // row 6
    is_refused(slice(&x, &[0], &[1], &[1, 1], Standard)); // row 6
    is_refused(slice_axes(11, &x, &[0], &[9], &[0, 1])); // row 6
    is_refused(slice(&x, &[0; 3], &[1; 3], &[1; 3], Standard)); // row 6
    gives(slice(&x, &[], &[], &[], Standard), "[2, 3] 0 1 2 3 4 5"); // row 6
}

#[test]
fn rows_7_to_10_axes_and_steps_of_slice() {
    let x = iota(&[2, 3]);
    for version in [1, 10] {
        gives(slice_axes(version, &x, &[2], &[3], &[-1]), "[2, 1] 2 5"); // row 7
    }
    let steps = Some(&[1][..]);
    is_refused(naive::onnx_slice(1, &x, &[0], &[1], None, steps, Standard)); // row 7
    let line = iota(&[4]);
    gives(slice(&line, &[1], &[4], &[i64::MAX], Standard), "[1] 1"); // row 8
    gives(slice(&line, &[2], &[-9], &[i64::MIN], Standard), "[1] 2"); // row 8
    let rows_reversed = slice(&x, &[1], &[-9], &[-1], Standard);
    gives(rows_reversed, "[2, 3] 3 4 5 0 1 2"); // row 9
    is_refused(slice(&iota(&[0]), &[0], &[0], &[0], Standard)); // row 10
    is_refused(slice(&x, &[5], &[5], &[0], Standard)); // row 10
}

#[test]
fn versions_and_types_have_limits() {
    let nan = tensor("bf16", &[1], "32705");
    for version in [1, 10, 11] {
        is_refused(slice_axes(version, &nan, &[0], &[1], &[0]));
    }
    is_refused(naive::onnx_gather(11, &nan, &[1], &[0], 0));
    gives(slice_axes(13, &nan, &[0], &[1], &[0]), "[1] 32705"); // its payload survives
    is_refused(slice_axes(12, &iota(&[1]), &[0], &[1], &[0]));
    is_refused(naive::onnx_gather(10, &iota(&[1]), &[1], &[0], 0));
}

// ---- ONNX Gather ----

fn gather(x: &Tensor, shape: &[usize], indices: &[i64], axis: i64) -> Outcome {
    naive::onnx_gather(13, x, shape, indices, axis)
}

#[test]
fn onnx_gather_examples_of_the_text() {
    let rows = tensor("f32", &[3, 2], "1.0 1.2 2.3 3.4 4.5 5.7");
    let square = tensor("f32", &[3, 3], "1.0 1.2 1.9 2.3 3.4 3.9 4.5 5.7 5.9");
    for version in [1, 11, 13] {
        let first = naive::onnx_gather(version, &rows, &[2, 2], &[0, 1, 1, 2], 0);
        gives(first, "[2, 2, 2] 1.0 1.2 2.3 3.4 2.3 3.4 4.5 5.7");
        let second = naive::onnx_gather(version, &square, &[1, 2], &[0, 2], 1);
        gives(second, "[3, 1, 2] 1.0 1.9 2.3 3.9 4.5 5.9");
    }
}

#[test]
fn rows_11_to_15_indices_of_gather() {
    let x = iota(&[4]);
    for version in [1, 11, 13] {
        let from_the_end = naive::onnx_gather(version, &x, &[3], &[-1, 0, -4], 0);
        gives(from_the_end, "[3] 3 0 0"); // row 11
    }
    is_refused(gather(&x, &[1], &[4], 0)); // row 12
    is_refused(gather(&x, &[1], &[-5], 0)); // row 12
    is_refused(gather(&iota(&[4, 0]), &[1], &[4], 0)); // row 12: the result is empty
    is_refused(gather(&iota(&[0]), &[1], &[0], 0)); // row 12
    gives(gather(&iota(&[0]), &[0], &[], 0), "[0]"); // row 12
    is_refused(gather(&x, &[1], &[(1 << 32) + 1], 0)); // row 13
    let strings = tensor("string", &[2, 3], "a b c d e f");
    gives(gather(&strings, &[2], &[1, 0], 0), "[2, 3] d e f a b c"); // row 14
    gives(gather(&x, &[], &[2], 0), "[] 2"); // row 15
    gives(gather(&iota(&[2, 3]), &[], &[-1], -1), "[2] 2 5"); // row 15
    is_refused(gather(&x, &[1], &[0], 1));
    is_refused(gather(&iota(&[]), &[1], &[0], 0));
    let first_bad = gather(&x, &[4], &[0, 9, 1, -7], 0).expect_err("two are out of range");
    assert!(first_bad.contains("index 9 at position 1"), "{first_bad}");
}

// ---- ONNX Range ----

/// `numbers` are start, limit and delta.
fn range(dtype: &'static str, numbers: &str, dialect: Dialect) -> Outcome {
    let inputs: Vec<_> = numbers.split(' ').map(|n| tensor(dtype, &[], n)).collect();
    naive::onnx_range(&inputs[0], &inputs[1], &inputs[2], dialect)
}

#[test]
fn onnx_range_examples_of_the_text() {
    for dialect in [Standard, OnnxRuntime] {
        for dtype in ["i16", "i32", "i64", "f32", "f64"] {
            gives(range(dtype, "3 9 3", dialect), "[2] 3 6");
            gives(range(dtype, "10 4 -2", dialect), "[3] 10 8 6");
        }
    }
}

#[test]
fn row_16_values_are_multiplied_or_accumulated_by_dialect() {
    let multiplied =
        "[9] 0 0.1 0.2 0.30000000000000004 0.4 0.5 0.6000000000000001 0.7000000000000001 0.8";
    gives(range("f64", "0 0.85 0.1", Standard), multiplied);
    let accumulated = "[9] 0 0.1 0.2 0.30000000000000004 0.4 0.5 0.6 0.7 0.7999999999999999";
    gives(range("f64", "0 0.85 0.1", OnnxRuntime), accumulated);
    // a fused multiply-add would leave the rounding error of 3 * 0.1 in the last one
    let through_zero = range("f64", "-0.30000000000000004 0.05 0.1", Standard);
    let Some(Elem::Bits(last)) = through_zero.expect("no rule refuses this").elems.pop() else {
        panic!("a range of numbers");
    };
    assert_eq!(f64::from_bits(last as u64), 0.0);
}

#[test]
fn rows_17_to_19_counts_of_range() {
    gives(range("f32", "-1e-9 1 1", Standard), "[1] -1e-9"); // row 17: the distance is 1 in f32
    let close = "0 9007199254740993 9007199254740992"; // 2^53 + 1, 2^53
    gives(range("i64", close, Standard), "[2] 0 9007199254740992"); // row 18
    gives(range("i64", close, OnnxRuntime), "[1] 0"); // row 18
    let all = range("i32", "-2147483648 2147483647 2147483647", Standard);
    gives(all, "[3] -2147483648 -1 2147483646"); // row 19
    gives(
        range("i16", "32767 -32768 -32768", Standard),
        "[2] 32767 -1",
    ); // row 19
}

#[test]
fn rows_20_and_21_what_range_refuses() {
    is_refused(range("i64", "5 5 0", Standard)); // row 20
    for numbers in [
        "1 1 -0.0",
        "0 NaN 1",
        "NaN 1 1",
        "0 1 NaN",
        "0 inf 1",
        "0 inf inf",
    ] {
        is_refused(range("f32", numbers, Standard)); // row 20
        is_refused(range("f64", numbers, OnnxRuntime)); // row 20
    }
    gives(range("f32", "0 5 inf", Standard), "[0]"); // row 20
    gives(range("f32", "0 5 -1", Standard), "[0]");
    let (one, three) = (tensor("i32", &[], "1"), tensor("i32", &[1], "3"));
    gives(naive::onnx_range(&one, &three, &one, Standard), "[2] 1 2"); // row 21
    let pair = tensor("i32", &[2], "3 3");
    is_refused(naive::onnx_range(&one, &pair, &one, Standard)); // row 21
    let other_type = tensor("i64", &[], "3");
    is_refused(naive::onnx_range(&one, &other_type, &one, Standard));
    is_refused(range("u8", "0 3 1", Standard));
    let declined = Err(TOO_LARGE.to_string());
    assert_eq!(range("i64", "0 9223372036854775807 1", Standard), declined);
    assert_eq!(range("f32", "0 1e30 1", Standard), declined);
}

// ---- OpenVINO Slice-8 ----

#[test]
fn openvino_slice_examples_of_the_text() {
    let x = iota(&[10]);
    let one = |start, stop, step| naive::openvino_slice(&x, &[start], &[stop], &[step], Some(&[0]));
    gives(one(1, 8, 1), "[7] 1 2 3 4 5 6 7");
    let no_axes = naive::openvino_slice(&x, &[1], &[8], &[1], None);
    gives(no_axes, "[7] 1 2 3 4 5 6 7");
    gives(one(1, 8, 2), "[4] 1 3 5 7");
    gives(one(-100, 100, 1), "[10] 0 1 2 3 4 5 6 7 8 9");
    gives(one(9, -11, -1), "[10] 9 8 7 6 5 4 3 2 1 0");
    gives(one(9, 0, -1), "[9] 9 8 7 6 5 4 3 2 1");
    gives(one(9, -10, -1), "[9] 9 8 7 6 5 4 3 2 1");
    gives(one(9, -11, -2), "[5] 9 7 5 3 1");
    gives(one(100, -100, -1), "[10] 9 8 7 6 5 4 3 2 1 0");
    let both = naive::openvino_slice(&iota(&[2, 5]), &[0, 1], &[2, 4], &[1, 2], Some(&[0, 1]));
    gives(both, "[2, 2] 1 3 6 8");
    let x = iota(&[20, 10, 5]);
    let axes = Some(&[0, 1, 2][..]);
    let three = naive::openvino_slice(&x, &[0; 3], &[4, 10, 5], &[1; 3], axes);
    has_shape(three, &[4, 10, 5]);
    let two = naive::openvino_slice(&x, &[0, 0], &[4, 10], &[1, 1], Some(&[0, 1]));
    has_shape(two, &[4, 10, 5]);
}

#[test]
fn rows_22_and_23_edges_of_openvino_slice() {
    let line = iota(&[4]);
    let slice = |x: &Tensor, start: &[i64], stop: &[i64], step: &[i64], axes: Option<&[i64]>| {
        naive::openvino_slice(x, start, stop, step, axes)
    };
    gives(slice(&line, &[-100], &[-200], &[-1], None), "[1] 0"); // row 22
    gives(slice(&line, &[3], &[i64::MAX], &[-1], None), "[0]"); // row 22
    let x = iota(&[2, 2]);
    is_refused(slice(&x, &[0, 0], &[1, 1], &[1, 1], Some(&[1, -1]))); // row 23
    is_refused(slice(&x, &[0], &[1], &[1], Some(&[2]))); // row 23
    is_refused(slice(&x, &[0], &[1], &[0], None)); // row 23
    is_refused(slice(&x, &[0], &[1], &[1, 1], None)); // row 23
    is_refused(slice(&x, &[0; 3], &[1; 3], &[1; 3], None)); // row 23
    is_refused(slice(&iota(&[]), &[], &[], &[], None)); // row 23
}

// ---- OpenVINO StridedSlice-1 ----

/// StridedSlice of an iota, without masks.
fn plain(shape: &[usize], begin: &[i64], end: &[i64], stride: &[i64], dialect: Dialect) -> Outcome {
    masked(shape, begin, end, stride, Masks::default(), dialect)
}

/// StridedSlice of an iota.
fn masked(
    shape: &[usize],
    begin: &[i64],
    end: &[i64],
    stride: &[i64],
    masks: Masks,
    dialect: Dialect,
) -> Outcome {
    naive::openvino_strided_slice(&iota(shape), begin, end, Some(stride), masks, dialect)
}

fn begin_end_masks<'a>(begin: &'a [i64], end: &'a [i64]) -> Masks<'a> {
    Masks {
        begin,
        end,
        ..Masks::default()
    }
}

fn axis_masks<'a>(new_axis: &'a [i64], shrink_axis: &'a [i64], ellipsis: &'a [i64]) -> Masks<'a> {
    Masks {
        new_axis,
        shrink_axis,
        ellipsis,
        ..Masks::default()
    }
}

#[test]
fn strided_slice_examples_of_the_text_without_masks() {
    let (begin, end) = (&[0, 1, 0, 1, 3, 3], &[4, 4, 4, 4, 0, 0]);
    for dialect in [Standard, OpenVinoText] {
        let first = plain(&[4; 6], begin, end, &[1, 1, 2, 2, -1, -2], dialect);
        has_shape(first, &[4, 3, 2, 2, 3, 2]); // row 27: 3:0:-1 has not 4 elements
        gives(plain(&[4], &[3], &[0], &[-1], dialect), "[3] 3 2 1");
        gives(plain(&[4], &[3], &[0], &[-2], dialect), "[2] 3 1");
        let third = plain(&[2, 3, 4], &[0; 3], &[2, 2, -1], &[1; 3], dialect);
        gives(third, "[2, 2, 3] 0 1 2 4 5 6 12 13 14 16 17 18");
    }
    let second = |dialect| plain(&[2, 2], &[1234, 2], &[1234, 4321], &[1, -1], dialect);
    gives(second(Standard), "[0, 0]"); // row 27
    gives(second(OpenVinoText), "[1, 0]"); // row 25
}

#[test]
fn strided_slice_examples_of_the_text_with_masks() {
    let masks = Masks {
        new_axis: &[0; 5],
        shrink_axis: &[0; 2],
        ellipsis: &[0],
        ..begin_end_masks(&[0, 1, 1], &[1, 1, 1])
    };
    let (begin, end, stride) = (&[1, 1, 123], &[0, 0, 2], &[1, 1, -1]);
    let reversed = |dialect| masked(&[2, 3, 4], begin, end, stride, masks, dialect);
    let through_0 = "[1, 3, 4] 15 14 13 12 19 18 17 16 23 22 21 20";
    gives(reversed(Standard), through_0); // row 26
    let before_0 = "[1, 3, 3] 15 14 13 19 18 17 23 22 21";
    gives(reversed(OpenVinoText), before_0); // row 26

    let (begin, end, stride) = (&[1234, 0, -1, 0], &[1234, 2, 9876, 4], &[132, 1, 241, 1]);
    let masks = axis_masks(&[1, 0, 1, 0], &[0; 4], &[0; 4]);
    let inserted = masked(&[2, 4], begin, end, stride, masks, Standard);
    gives(inserted, "[1, 2, 1, 4] 0 1 2 3 4 5 6 7"); // row 37

    // the text's 384, 640 and 8 made smaller
    let masks = axis_masks(&[0; 5], &[0, 1, 0, 0, 0], &[0; 5]);
    let (shape, end) = (&[1, 2, 3, 2, 2], &[1, 0, 3, 2, 2]);
    let dropped = masked(shape, &[0; 5], end, &[1; 5], masks, Standard);
    gives(dropped, "[1, 3, 2, 2] 0 1 2 3 4 5 6 7 8 9 10 11");
}

#[test]
fn strided_slice_examples_of_the_text_with_an_ellipsis() {
    // the text's ten dimensions of 10, the skipped ones made smaller; row 38: its ports list twelve
    let shape = &[10, 1, 1, 2, 1, 1, 1, 1, 1, 10];
    let masks = axis_masks(&[0; 3], &[0; 3], &[0, 1, 0]);
    let ends = masked(shape, &[0; 3], &[4, 0, 5], &[1, -1, 1], masks, Standard);
    has_shape(ends, &[4, 1, 1, 2, 1, 1, 1, 1, 1, 5]);
    let masks = Masks {
        begin: &[0, 0, 1, 1],
        end: &[1, 1, 0, 0],
        ..axis_masks(&[0, 0, 1], &[0], &[0, 1])
    };
    let (begin, end, stride) = (&[2, 1, 10, 10], &[123, 1, 10, 5], &[1, -1, 1, 1]);
    let inserted = masked(shape, begin, end, stride, masks, Standard).expect("no rule refuses");
    assert_eq!(inserted.shape, [8, 1, 1, 2, 1, 1, 1, 1, 1, 1, 5]);
    let first_six = [40, 41, 42, 43, 44, 50].map(Elem::Bits);
    assert_eq!(inserted.elems[..6], first_six);
}

#[test]
fn row_25_equal_begin_and_end() {
    let both = |dim, at, stride, dialect| plain(&[dim], &[at], &[at], &[stride], dialect);
    for stride in [1, -1, 3, -3] {
        for (at, element) in [(1, "[1] 1"), (-1, "[1] 3"), (99, "[1] 3")] {
            gives(both(4, at, stride, Standard), "[0]");
            gives(both(4, at, stride, OpenVinoText), element);
            gives(both(0, at, stride, OpenVinoText), "[0]");
        }
        gives(both(4, -99, stride, OpenVinoText), "[1] 0");
    }
    gives(both(4, -99, 1, Standard), "[0]");
    gives(both(4, -99, -1, Standard), "[1] 0"); // equal as given, but row 28 makes it 0 and -1
    gives(plain(&[4], &[3], &[-1], &[1], OpenVinoText), "[0]"); // equal only after the wrap
    for masks in [begin_end_masks(&[1], &[]), begin_end_masks(&[], &[1])] {
        has_shape(masked(&[4], &[2], &[2], &[1], masks, OpenVinoText), &[2]);
    }
}

#[test]
fn rows_28_and_35_reversed_clamping() {
    let one = |dim, begin, end, stride| plain(&[dim], &[begin], &[end], &[stride], Standard);
    gives(one(4, 99, -99, -1), "[4] 3 2 1 0");
    gives(one(4, -99, -5, -1), "[1] 0");
    gives(one(4, 3, 4, -1), "[0]");
    gives(one(4, 3, 99, -1), "[0]");
    gives(one(4, 3, i64::MIN, i64::MIN), "[1] 3");
    gives(one(4, 0, i64::MAX, i64::MAX), "[1] 0");
    gives(one(0, 5, -5, -1), "[0]"); // row 35
}

#[test]
fn rows_29_30_and_36_dropped_dimensions() {
    let shrink = |dim, at: i64, begin_bit: i64, dialect| {
        let masks = Masks {
            begin: &[begin_bit],
            ..axis_masks(&[], &[1], &[])
        };
        masked(&[dim], &[at], &[77], &[-3], masks, dialect)
    };
    gives(shrink(4, 2, 0, Standard), "[] 2");
    gives(shrink(4, -4, 0, Standard), "[] 0");
    for (at, clamped) in [(4, "[] 3"), (-5, "[] 0"), (i64::MIN, "[] 0")] {
        is_refused(shrink(4, at, 0, Standard)); // row 29
        gives(shrink(4, at, 0, OpenVinoText), clamped); // row 29
    }
    gives(shrink(4, 3, 1, Standard), "[] 0"); // row 30
    for dialect in [Standard, OpenVinoText] {
        is_refused(shrink(0, 0, 0, dialect)); // row 36
        is_refused(shrink(0, 0, 1, dialect)); // rows 30, 36
    }
}

#[test]
fn rows_31_to_34_masks_of_strided_slice() {
    let run = |begin: &[i64], end: &[i64], masks| {
        masked(&[2, 3], begin, end, &vec![1; begin.len()], masks, Standard)
    };
    let nested = axis_masks(&[1, 1], &[1, 1, 1], &[1]);
    let ignored = masked(&[2, 3], &[0, 0, 1], &[0; 3], &[0; 3], nested, Standard);
    gives(ignored, "[2, 1] 1 4"); // rows 31, 34
    let surplus = axis_masks(&[0, 0, 1, 1], &[], &[1, 0, 1]);
    gives(run(&[0, 1], &[0, 2], surplus), "[2, 1] 1 4"); // row 32
    is_refused(run(&[0], &[1], begin_end_masks(&[2], &[]))); // row 33
    is_refused(run(&[0, 0], &[1, 1], axis_masks(&[], &[], &[1, 1]))); // row 33
    is_refused(run(&[0; 3], &[1; 3], Masks::default())); // row 33
    is_refused(run(&[0; 4], &[1; 4], axis_masks(&[], &[], &[1]))); // row 33
    let over_nothing = run(&[1, 0, 1], &[2, 0, 3], axis_masks(&[], &[], &[0, 1]));
    gives(over_nothing, "[1, 2] 4 5"); // row 33
    gives(run(&[1], &[2], Masks::default()), "[1, 3] 3 4 5"); // row 33
    gives(run(&[], &[], Masks::default()), "[2, 3] 0 1 2 3 4 5"); // row 33
    gives(plain(&[], &[], &[], &[], Standard), "[] 0"); // row 33
    is_refused(plain(&[4], &[0], &[4], &[0], Standard)); // row 34
    is_refused(plain(&[0], &[0], &[0], &[0], Standard)); // row 34
    is_refused(plain(&[4], &[1], &[1], &[0], OpenVinoText)); // row 34
}

#[test]
fn row_39_lengths_of_strided_slice() {
    is_refused(plain(&[2, 3], &[0], &[1, 1], &[1], Standard));
    is_refused(plain(&[2, 3], &[0], &[1], &[1, 1], Standard));
    let (x, none) = (iota(&[2, 3]), Masks::default());
    let all_1 = naive::openvino_strided_slice(&x, &[1, 0], &[2, 2], None, none, Standard);
    gives(all_1, "[1, 2] 3 4");
}

// ---- the bracket ----

const fn cut(start: Option<i64>, end: Option<i64>, step: Option<i64>) -> Entry {
    Entry::Slice { start, end, step }
}

const WHOLE: Entry = cut(None, None, None);

fn ids(shape: &[usize], values: &[i64]) -> Entry {
    Entry::Tensor {
        shape: shape.to_vec(),
        values: values.to_vec(),
    }
}

/// The bracket on an iota.
fn index<const N: usize>(shape: &[usize], entries: [Entry; N]) -> Outcome {
    naive::index(&iota(shape), &entries)
}

#[test]
fn row_40_slices_resolve_as_in_python() {
    let one = |start, end, step| index(&[4], [cut(start, end, step)]);
    gives(one(Some(-100), Some(-200), Some(-1)), "[0]"); // row 1 would give element 0
    gives(one(None, None, Some(-1)), "[4] 3 2 1 0");
    gives(one(None, Some(0), Some(-1)), "[3] 3 2 1");
    gives(one(Some(99), Some(-99), Some(-2)), "[2] 3 1");
    gives(one(Some(1), Some(i64::MAX), None), "[3] 1 2 3");
    gives(one(None, None, Some(i64::MIN)), "[1] 3");
    is_refused(one(None, None, Some(0)));
    gives(index(&[0], [cut(None, None, Some(-1))]), "[0]");
}

#[test]
fn row_41_an_integer_beside_a_tensor() {
    let x = &[2, 3, 2];
    let before = index(x, [Int(1), ids(&[2], &[2, 0])]);
    gives(before, "[2, 2] 10 11 6 7");
    let after = index(x, [ids(&[1, 2], &[1, 0]), Int(-1)]);
    gives(after, "[1, 2, 2] 10 11 4 5");
    gives(index(x, [Int(0), Int(1), ids(&[], &[1])]), "[] 3");
    for between in [WHOLE, Ellipsis, NewAxis] {
        is_refused(index(x, [Int(0), between.clone(), ids(&[1], &[0])]));
        is_refused(index(x, [ids(&[1], &[0]), between, Int(0)]));
    }
    is_refused(index(x, [ids(&[1], &[0]), ids(&[1], &[0])]));
    let kept = index(x, [WHOLE, ids(&[1], &[-1]), WHOLE]);
    gives(kept, "[2, 1, 2] 4 5 10 11");
}

#[test]
fn row_42_brackets_with_fewer_entries_and_with_too_many() {
    let x = &[2, 3];
    gives(index(x, [Int(-1)]), "[3] 3 4 5");
    gives(index(x, [Ellipsis, Int(1)]), "[2] 1 4");
    gives(index(x, [NewAxis, WHOLE, Int(0), NewAxis]), "[1, 2, 1] 0 3");
    gives(index(x, [Int(0), Ellipsis, Int(0)]), "[] 0");
    gives(index(&[], [Ellipsis]), "[] 0");
    is_refused(index(x, [Int(2)]));
    is_refused(index(x, [Int(-3)]));
    is_refused(index(x, [WHOLE, WHOLE, WHOLE]));
    is_refused(index(x, [Ellipsis, Ellipsis]));
    is_refused(index(x, [WHOLE, ids(&[1], &[3])]));
    is_refused(index(&[2, 0], [ids(&[1], &[2])])); // also when the result is empty
}
