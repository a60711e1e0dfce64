//! Rows 22 to 24.

use crate::cases::describe::{Case, Value, ov_slice};
use crate::{empty, gives, iota, lists, refuses, suite, typed};
use xslice::{ErrorKind, Program, Slice, Tensor};

const MIN: i64 = i64::MIN;
const MAX: i64 = i64::MAX;

fn four(start: i64, stop: i64, step: i64) -> Case {
    iota([4]).then(ov_slice([start], [stop], [step]))
}

#[test]
fn row_22_a_reversed_slice_clamps_as_rows_1_and_2() {
    lists(four(-100, -200, -1), &[0_i64]);
    lists(four(MIN, MIN, -1), &[0_i64]);
    empty(four(3, MAX, -1), &[0]);
    empty(four(3, i64::from(i32::MAX), -1), &[0]);
    lists(four(MAX, MIN, -1), &[3_i64, 2, 1, 0]);
    lists(four(3, MIN, MIN), &[3_i64]);
    lists(four(1, MAX, MAX), &[1_i64]);
    empty(iota([0]).then(ov_slice([-1], [MIN], [-1])), &[0]);
}

#[test]
fn row_23_malformed_parameters_are_refused() {
    let on = |step| iota([4, 4]).then(step);
    let one = || ov_slice([0, 0], [1, 1], [1, 1]);
    refuses(on(one().axes([0, 0])), ErrorKind::AxisRepeated);
    refuses(on(one().axes([1, -1])), ErrorKind::AxisRepeated);
    refuses(on(one().axes([0, 2])), ErrorKind::AxisRange);
    refuses(on(one().axes([0, -3])), ErrorKind::AxisRange);
    refuses(on(one().axes([0])), ErrorKind::LengthMismatch);
    refuses(on(ov_slice([0, 0], [1, 1], [1, 0])), ErrorKind::StepZero);
    refuses(on(ov_slice([0], [1, 1], [1, 1])), ErrorKind::LengthMismatch);
    refuses(
        on(ov_slice([0; 3], [1; 3], [1; 3])),
        ErrorKind::TooManyEntries,
    );
    let nothing = ov_slice([0_i64; 0], [0_i64; 0], [0_i64; 0]);
    refuses(iota([]).then(nothing), ErrorKind::RankZero);
    let scalar = Value::from(Tensor::scalar(0_i64));
    refuses(on(ov_slice(scalar, [1], [1])), ErrorKind::ParameterRank);
    let matrix = Value::from(suite::tensor(&[1, 1], &[1_i64]));
    refuses(
        on(ov_slice([0], [1], [1]).axes(matrix)),
        ErrorKind::ParameterRank,
    );
    refuses(
        on(ov_slice(typed([0.0_f32]), [1], [1])),
        ErrorKind::ParameterType,
    );
    refuses(
        on(ov_slice(typed([true]), [1], [1])),
        ErrorKind::ParameterType,
    );
    refuses(
        on(ov_slice([0], [1], [1]).axes(typed([0.0_f64]))),
        ErrorKind::ParameterType,
    );
    // Axes, and every other parameter, may be of any integer type.
    let mixed = ov_slice(typed([1_i8]), typed([u64::MAX]), typed([2_u16]));
    gives(
        iota([4]).then(mixed.axes(typed([0_i32]))),
        &[2],
        &[1_i64, 3],
    );
}

#[test]
fn row_24_step_is_required_and_axes_are_not() {
    let without_step = Slice::openvino(8).start([0]).stop([1]);
    let refused = Program::chain("x").then(without_step).build();
    let error = refused.expect_err("step is missing");
    assert_eq!(error.kind(), ErrorKind::MissingAttribute);
    assert_eq!(error.parameter_name(), Some("step"));
    lists(iota([4]).then(ov_slice([0], [4], [2])), &[0_i64, 2]);
    lists(
        iota([4]).then(ov_slice([0], [4], [2]).axes([-1])),
        &[0_i64, 2],
    );
}
