//! Rows 11 to 15.

use crate::cases::describe::{Value, gather, on};
use crate::{empty, gives, iota, lists, refuses, suite, typed};
use xslice::{ErrorKind, Tensor};

#[test]
fn row_11_negative_indices_count_from_the_end_in_every_version() {
    for version in [1, 11, 13] {
        lists(
            iota([4]).then(gather(version, [-1, -4, 0, 3])),
            &[3_i64, 0, 0, 3],
        );
        let narrow = Value::from(typed([-1_i32, -4]));
        lists(iota([4]).then(gather(version, narrow)), &[3_i64, 0]);
    }
}

#[test]
fn row_12_an_index_outside_its_axis_is_refused_also_beside_an_empty_result() {
    for version in [1, 11, 13] {
        for bad in [4, -5, i64::MAX, i64::MIN] {
            let error = refuses(
                iota([4]).then(gather(version, [0, bad])),
                ErrorKind::IndexRange,
            );
            assert_eq!(error.parameter_name(), Some("indices"));
            assert_eq!(error.offender_position(), Some(1));
            assert_eq!(error.axis_number(), Some(0));
            assert_eq!(error.offending_value(), Some(bad.to_string().as_str()));
            assert_eq!(error.allowed_range(), Some("-4..=3"));
        }
        refuses(
            iota([4, 0]).then(gather(version, [4])),
            ErrorKind::IndexRange,
        );
        refuses(iota([0]).then(gather(version, [0])), ErrorKind::IndexRange);
        refuses(iota([0]).then(gather(version, [-1])), ErrorKind::IndexRange);
        empty(iota([0]).then(gather(version, [0_i64; 0])), &[0]);
        empty(iota([4, 0]).then(gather(version, [3, -4])), &[2, 0]);
    }
}

#[test]
fn row_13_indices_are_compared_in_64_bits() {
    for bad in [
        (1 << 32) + 1,
        -(1 << 32) - 1,
        1 << 32,
        1 << 63,
        (1 << 31) + 1,
    ] {
        refuses(iota([4]).gather([bad]), ErrorKind::IndexRange);
    }
    refuses(iota([4]).gather(typed([i32::MIN])), ErrorKind::IndexRange);
    refuses(iota([4]).gather(typed([i32::MAX])), ErrorKind::IndexRange);
}

#[test]
fn row_14_every_string_of_each_block_is_moved() {
    let strings = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    let data = strings(&["a", "b", "c", "d", "e", "f"]);
    let data = suite::tensor(&[2, 3], &data);
    let rows = on(data.clone()).gather([1, 0, -1]);
    let expected = ["d", "e", "f", "a", "b", "c", "d", "e", "f"];
    gives(rows, &[3, 3], &strings(&expected));
    let columns = on(data).then(gather(13, [2, 0]).axis(1));
    gives(columns, &[2, 2], &strings(&["c", "a", "f", "d"]));
}

#[test]
fn row_15_indices_have_any_rank_and_the_result_may_have_rank_0() {
    gives(iota([4]).gather(2), &[], &[2_i64]);
    gives(iota([4]).gather(-4), &[], &[0_i64]);
    gives(iota([2, 3]).then(gather(13, 1).axis(1)), &[2], &[1_i64, 4]);
    let cube = suite::tensor(&[2, 1, 2], &[0_i64, 1, 2, 3]);
    gives(iota([4]).gather(cube), &[2, 1, 2], &[0_i64, 1, 2, 3]);
    // The refusal names the place in indices of any rank.
    let square = suite::tensor(&[2, 2], &[0_i64, 1, 9, 9]);
    let error = refuses(iota([4]).gather(square), ErrorKind::IndexRange);
    assert!(error.to_string().contains("`indices[1, 0]` = 9"), "{error}");
    let error = refuses(
        iota([4]).gather(Tensor::scalar(4_i64)),
        ErrorKind::IndexRange,
    );
    assert_eq!(error.offender_position(), Some(0));
}
