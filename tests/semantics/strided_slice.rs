//! Rows 25 to 39. `Standard` and `OpenVinoText` side by side.

use crate::cases::describe::{Case, Step, strided};
use crate::suite::tensor;
use crate::{empty, gives, iota, lists, refuses, typed};
use xslice::Dialect::OpenVinoText;
use xslice::ErrorKind;

const MIN: i64 = i64::MIN;
const MAX: i64 = i64::MAX;

fn four(begin: i64, end: i64, stride: i64) -> Step {
    strided([begin], [end]).by([stride])
}

fn theirs(step: Step) -> Case {
    iota([4]).then(step.dialect(OpenVinoText))
}

fn ours(step: Step) -> Case {
    iota([4]).then(step)
}

#[test]
fn row_25_begin_equal_to_end_is_nothing_and_one_element_in_the_dialect() {
    for stride in [1, -1, 3, MIN] {
        empty(ours(four(2, 2, stride)), &[0]);
        lists(theirs(four(2, 2, stride)), &[2_i64]);
        lists(theirs(four(-1, -1, stride)), &[3_i64]);
        // Begin is wrapped and clamped into the axis.
        lists(theirs(four(100, 100, stride)), &[3_i64]);
        lists(theirs(four(MIN, MIN, stride)), &[0_i64]);
    }
    // Compared as given: 3 and -1 are different, and so nothing.
    empty(theirs(four(3, -1, 1)), &[0]);
    let number = |n: u64| tensor(&[1], &[n]);
    let unsigned = |begin, end| theirs(strided(number(begin), number(end)).by(number(1)));
    empty(unsigned(1 << 63, u64::MAX), &[0]);
    lists(unsigned(u64::MAX, u64::MAX), &[3_i64]);
    // Not where a mask bit is set, and not on an empty axis.
    lists(theirs(four(1, 1, 1).begin_mask([1])), &[0_i64]);
    lists(theirs(four(1, 1, 1).end_mask([1])), &[1_i64, 2, 3]);
    empty(iota([0]).then(four(0, 0, 1).dialect(OpenVinoText)), &[0]);
}

#[test]
fn row_26_a_reversed_end_mask_is_through_element_zero_but_stops_before_it_in_the_dialect() {
    lists(ours(four(3, 3, -1).end_mask([1])), &[3_i64, 2, 1, 0]);
    lists(theirs(four(3, 2, -1).end_mask([1])), &[3_i64, 2, 1]);
    lists(
        ours(four(3, 2, -2).begin_mask([1]).end_mask([1])),
        &[3_i64, 1],
    );
    lists(
        theirs(four(3, 2, -3).begin_mask([1]).end_mask([1])),
        &[3_i64],
    );
    empty(theirs(four(0, 5, -1).end_mask([1])), &[0]);
}

#[test]
fn row_27_the_printed_results_of_two_examples_are_not_right() {
    lists(ours(four(3, 0, -1)), &[3_i64, 2, 1]);
    let clamped = iota([2, 3]).then(strided([2, 3], [100, 200]));
    empty(clamped, &[0, 0]);
}

#[test]
fn row_28_reversed_bounds_clamp_to_the_ends_of_the_walk() {
    lists(ours(four(4, 1, -1)), &[3_i64, 2]);
    lists(ours(four(MAX, 1, -1)), &[3_i64, 2]);
    lists(ours(four(-100, -200, -1)), &[0_i64]);
    lists(ours(four(3, -100, -1)), &[3_i64, 2, 1, 0]);
    lists(ours(four(3, MIN, MIN)), &[3_i64]);
    empty(ours(four(3, 4, -1)), &[0]);
    empty(ours(four(3, MAX, -1)), &[0]);
}

#[test]
fn row_29_shrink_reads_begin_only_and_clamps_in_the_dialect() {
    for stride in [1, 0, -1] {
        gives(ours(four(-1, 0, stride).shrink([1])), &[], &[3_i64]);
        gives(theirs(four(-1, 0, stride).shrink([1])), &[], &[3_i64]);
    }
    for begin in [4, -5, MAX, MIN] {
        let error = refuses(ours(four(begin, 9, 1).shrink([1])), ErrorKind::IndexRange);
        assert_eq!(error.parameter_name(), Some("begin"));
        assert_eq!(error.axis_number(), Some(0));
        let clamped = if begin > 0 { 3_i64 } else { 0 };
        gives(theirs(four(begin, 9, 1).shrink([1])), &[], &[clamped]);
    }
}

#[test]
fn row_30_begin_mask_and_shrink_on_one_entry_is_element_zero() {
    gives(
        ours(four(3, 4, 1).begin_mask([1]).shrink([1])),
        &[],
        &[0_i64],
    );
    gives(
        theirs(four(100, 4, -1).begin_mask([1]).shrink([1])),
        &[],
        &[0_i64],
    );
}

#[test]
fn row_31_ellipsis_goes_over_new_axis_over_shrink() {
    let all = four(1, 2, 1).new_axis([1]).shrink([1]).ellipsis([1]);
    lists(ours(all), &[0_i64, 1, 2, 3]);
    let two = four(1, 2, 1).new_axis([1]).shrink([1]);
    gives(ours(two), &[1, 4], &[0_i64, 1, 2, 3]);
}

#[test]
fn row_32_masks_are_extended_by_zeros_and_surplus_bits_ignored() {
    let short = strided([1, 1], [2, 2]).shrink([1]);
    gives(iota([2, 2]).then(short), &[1], &[3_i64]);
    let surplus = strided([1], [2])
        .shrink([0, 1, 1])
        .new_axis([0, 1])
        .ellipsis([0, 1]);
    gives(iota([2, 2]).then(surplus), &[1, 2], &[2_i64, 3]);
    // A new-axis bit beyond the entries does not make the ellipsis wider.
    let beyond = strided([0, 1], [0, 2]).ellipsis([1]).new_axis([0, 0, 1]);
    gives(iota([2, 1, 2]).then(beyond), &[2, 1, 1], &[1_i64, 3]);
}

#[test]
fn row_33_what_the_masks_may_not_say() {
    for mask in [2, -1, MAX] {
        let error = refuses(ours(four(0, 1, 1).end_mask([mask])), ErrorKind::MaskValue);
        assert_eq!(error.parameter_name(), Some("end_mask"));
        assert_eq!(error.allowed_range(), Some("0 or 1"));
    }
    let two = strided([0, 0], [1, 1]).ellipsis([1, 1]);
    refuses(iota([2, 2]).then(two), ErrorKind::EllipsisMask);
    refuses(ours(strided([0, 0], [1, 1])), ErrorKind::TooManyEntries);
    let with_ellipsis = strided([0, 0, 0], [1, 1, 1]).ellipsis([1]);
    refuses(ours(with_ellipsis), ErrorKind::TooManyEntries);
    lists(ours(strided([0, 1], [0, 3]).ellipsis([1])), &[1_i64, 2]);
    gives(iota([2, 2]).then(strided([1], [2])), &[1, 2], &[2_i64, 3]);
    lists(ours(strided([0_i64; 0], [0_i64; 0])), &[0_i64, 1, 2, 3]);
    gives(iota([]).then(strided([0, 5], [1, 9])), &[], &[0_i64]);
}

#[test]
fn row_34_stride_0_is_refused_on_a_plain_entry_and_ignored_elsewhere() {
    let error = refuses(ours(four(0, 1, 0)), ErrorKind::StepZero);
    assert_eq!(error.parameter_name(), Some("stride"));
    refuses(iota([0]).then(four(0, 1, 0)), ErrorKind::StepZero);
    gives(
        ours(four(0, 1, 0).new_axis([1])),
        &[1, 4],
        &[0_i64, 1, 2, 3],
    );
    lists(ours(four(0, 1, 0).ellipsis([1])), &[0_i64, 1, 2, 3]);
    gives(ours(four(2, 1, 0).shrink([1])), &[], &[2_i64]);
}

#[test]
fn row_35_an_empty_axis_reversed_has_no_element() {
    let masked = || four(0, 0, -1).begin_mask([1]).end_mask([1]);
    empty(iota([0]).then(four(-1, -9, -1)), &[0]);
    empty(iota([0]).then(masked()), &[0]);
    empty(iota([0]).then(masked().dialect(OpenVinoText)), &[0]);
}

#[test]
fn row_36_shrink_on_an_empty_axis_is_refused_in_both_dialects() {
    let shrink = || four(0, 1, 1).shrink([1]);
    refuses(iota([0, 2]).then(shrink()), ErrorKind::IndexRange);
    refuses(
        iota([0, 2]).then(shrink().dialect(OpenVinoText)),
        ErrorKind::IndexRange,
    );
}

#[test]
fn row_37_a_new_axis_consumes_no_dimension() {
    let step = strided([9, 1, 1], [9, 2, 2]).new_axis([1]);
    gives(iota([2, 2]).then(step), &[1, 1, 1], &[3_i64]);
    let last = strided([1, 9], [2, 9]).new_axis([0, 1]);
    gives(iota([2, 2]).then(last), &[1, 1, 2], &[2_i64, 3]);
}

#[test]
fn row_38_the_data_decide_the_dimensions_not_what_is_printed_of_them() {
    // The shape of the example whose ports list more dimensions than the data has.
    let step = strided([0, 0, 0, 0], [0, 0, 0, 0]);
    let step = step
        .new_axis([1, 0, 1, 0])
        .ellipsis([0, 1])
        .shrink([0, 0, 0, 1]);
    let case = iota([1, 1, 1, 1, 1, 1, 1, 1, 1, 2]).then(step);
    gives(case, &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], &[0_i64]);
}

#[test]
fn row_39_lengths_are_equal_and_stride_may_be_absent() {
    refuses(
        iota([2, 2]).then(strided([0, 0], [1])),
        ErrorKind::LengthMismatch,
    );
    refuses(
        iota([2, 2]).then(strided([0], [1, 1])),
        ErrorKind::LengthMismatch,
    );
    refuses(
        iota([2, 2]).then(strided([0, 0], [1, 1]).by([1])),
        ErrorKind::LengthMismatch,
    );
    lists(ours(strided([1], [3])), &[1_i64, 2]);
    lists(ours(strided(typed([1_u8]), typed([3_i16]))), &[1_i64, 2]);
}
