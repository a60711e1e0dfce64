//! Rows 1 to 10.

use crate::cases::describe::{Case, Value, of, slice};
use crate::{empty, gives, iota, lists, refuses, suite, typed};
use xslice::Dialect::{OnnxRuntime, OpenVinoText, Standard};
use xslice::{ErrorKind, Slice, Tensor};

const MIN: i64 = i64::MIN;
const MAX: i64 = i64::MAX;

/// One axis of 4 elements, by version 10, 11 or 13.
fn four(version: u32, start: i64, end: i64, step: i64) -> Case {
    iota([4]).then(slice(version, [start], [end]).axes([0]).by([step]))
}

#[test]
fn row_01_reversed_start_below_the_axis_is_element_zero() {
    for version in [10, 11, 13] {
        lists(four(version, -100, -200, -1), &[0_i64]);
        lists(four(version, -5, MIN, -2), &[0_i64]);
        lists(four(version, MIN, MIN, -1), &[0_i64]);
        // Within the axis nothing is clamped.
        lists(four(version, -4, -100, -1), &[0_i64]);
        lists(four(version, -3, -100, -1), &[1_i64, 0]);
    }
}

#[test]
fn row_02_reversed_end_of_int_max_is_nothing_and_int_min_is_through_element_zero() {
    for version in [10, 11, 13] {
        empty(four(version, 3, MAX, -1), &[0]);
        empty(four(version, 3, i64::from(i32::MAX), -1), &[0]);
        lists(four(version, 3, MIN, -1), &[3_i64, 2, 1, 0]);
        lists(four(version, 3, i64::from(i32::MIN), -2), &[3_i64, 1]);
        // "To the end" in the dialect, for these two values and no other.
        let theirs = |end, step| {
            let step = slice(version, [3], [end]).axes([0]).by([step]);
            iota([4]).then(step.dialect(OnnxRuntime))
        };
        lists(theirs(MAX, -1), &[3_i64, 2, 1, 0]);
        lists(theirs(i64::from(i32::MAX), -2), &[3_i64, 1]);
        empty(theirs(MAX - 1, -1), &[0]);
        empty(theirs(i64::from(i32::MAX) + 1, -1), &[0]);
        lists(theirs(MAX, 1), &[3_i64]);
    }
}

#[test]
fn row_03_an_empty_axis_reversed_has_no_element() {
    for (start, end) in [(0, 0), (-1, MIN), (MAX, MIN), (-1, -100)] {
        let step = slice(13, [start], [end]).axes([0]).by([-1]);
        empty(iota([0]).then(step.clone()), &[0]);
        empty(
            iota([0, 3]).then(step.clone().dialect(OnnxRuntime)),
            &[0, 3],
        );
        empty(iota([0]).then(step.dialect(OpenVinoText)), &[0]);
    }
}

#[test]
fn row_04_repeated_axes_are_refused_in_mixed_signs_too() {
    for axes in [[0, 0], [1, -1], [-2, 0]] {
        let case = iota([4, 4]).then(slice(13, [0, 0], [1, 1]).axes(axes));
        let error = refuses(case, ErrorKind::AxisRepeated);
        assert_eq!(error.parameter_name(), Some("axes"));
        assert_eq!(error.offender_position(), Some(1));
        assert_eq!(error.offending_value(), Some(axes[1].to_string().as_str()));
    }
}

#[test]
fn row_05_rank_0_is_refused() {
    let case = iota([]).then(slice(13, [0_i64; 0], [0_i64; 0]));
    refuses(case, ErrorKind::RankZero);
    refuses(iota([]).then(slice(1, [0], [1])), ErrorKind::RankZero);
}

#[test]
fn row_06_parameters_are_equally_long_lists_of_at_most_rank_entries() {
    let scalar = || Value::from(Tensor::scalar(0_i64));
    let matrix = || Value::from(suite::tensor(&[1, 1], &[0_i64]));
    refuses(
        iota([4]).then(slice(13, scalar(), [1])),
        ErrorKind::ParameterRank,
    );
    refuses(
        iota([4]).then(slice(13, [0], matrix())),
        ErrorKind::ParameterRank,
    );
    refuses(
        iota([4]).then(slice(13, [0], [1]).axes(scalar())),
        ErrorKind::ParameterRank,
    );
    refuses(
        iota([4, 4]).then(slice(13, [0, 0], [1])),
        ErrorKind::LengthMismatch,
    );
    refuses(
        iota([4, 4]).then(slice(13, [0], [1]).axes([0, 1])),
        ErrorKind::LengthMismatch,
    );
    refuses(
        iota([4, 4]).then(slice(13, [0], [1]).by([1, 1])),
        ErrorKind::LengthMismatch,
    );
    refuses(
        iota([4]).then(slice(13, [0, 0], [1, 1])),
        ErrorKind::TooManyEntries,
    );
    let nothing = || slice(13, [0_i64; 0], [0_i64; 0]);
    gives(iota([2, 2]).then(nothing()), &[2, 2], &[0_i64, 1, 2, 3]);
    let with_all = nothing().axes([0_i64; 0]).by([0_i64; 0]);
    gives(iota([2, 2]).then(with_all), &[2, 2], &[0_i64, 1, 2, 3]);
}

#[test]
fn row_07_negative_axes_are_accepted_in_every_version() {
    for version in [1, 10, 11, 13] {
        let case = iota([2, 3]).then(slice(version, [1], [3]).axes([-1]));
        gives(case, &[2, 2], &[1_i64, 2, 4, 5]);
        let case = iota([2, 3]).then(slice(version, [1], [3]).axes([-3]));
        refuses(case, ErrorKind::AxisRange);
    }
    let steps = iota([4]).then(slice(1, [0], [4]).by([2]));
    let error = refuses(steps, ErrorKind::UnknownAttribute);
    assert_eq!(error.parameter_name(), Some("steps"));
    for version in [0, 2, 9, 12, 14] {
        let op = Slice::onnx(version).starts([0]).ends([1]);
        let refused = xslice::Program::chain("x").then(op).build();
        assert_eq!(
            refused.map_err(|e| e.kind()),
            Err(ErrorKind::UnknownVersion)
        );
    }
}

#[test]
fn row_08_the_extreme_steps_take_one_element() {
    for version in [10, 11, 13] {
        lists(four(version, 0, MAX, MAX), &[0_i64]);
        lists(four(version, 2, 4, MAX), &[2_i64]);
        lists(four(version, 3, MIN, MIN), &[3_i64]);
        lists(four(version, MAX, MIN, MIN), &[3_i64]);
        empty(four(version, 0, MAX, MIN), &[0]);
        empty(four(version, 3, MIN, MAX), &[0]);
    }
}

#[test]
fn row_09_steps_do_not_need_axes() {
    let case = iota([3, 3]).then(slice(10, [2, 0], [0, 3]).by([-1, 2]));
    gives(case, &[2, 2], &[6_i64, 8, 3, 5]);
}

#[test]
fn row_10_step_0_is_refused_on_any_dimension_early_and_late() {
    for shape in [[4, 4], [0, 4], [4, 0]] {
        for steps in [[0, 1], [1, 0]] {
            let case = iota(shape).then(slice(13, [0, 0], [0, 0]).by(steps));
            let error = refuses(case, ErrorKind::StepZero);
            assert_eq!(error.parameter_name(), Some("steps"));
            let at = steps.iter().position(|&step| step == 0);
            assert_eq!(error.offender_position(), at);
        }
    }
    // A constant is refused when the program is built, an operand when its value is known.
    let early = of("x")
        .given("x", typed([1_i64]))
        .then(slice(13, [0], [1]).by([0]));
    assert!(early.program().is_err());
    assert!(early.late().program().is_ok());
}

#[test]
fn the_dialect_of_the_other_text_changes_no_row_of_slice() {
    for dialect in [Standard, OpenVinoText] {
        let step = slice(13, [3], [MAX]).axes([0]).by([-1]).dialect(dialect);
        empty(iota([4]).then(step), &[0]);
    }
}
