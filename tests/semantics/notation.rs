//! Rows 40 to 42.

use crate::cases::describe::{At, at, by, list, walk};
use crate::{empty, gives, iota, lists, refuses};
use xslice::ErrorKind;

const MIN: i64 = i64::MIN;
const MAX: i64 = i64::MAX;

#[test]
fn row_40_a_slice_in_brackets_resolves_as_python_does() {
    // [0, 1, 2, 3][-100:-200:-1] is [] there, not [0].
    empty(iota([4]).at(at![walk(-100, -200, -1)]), &[0]);
    empty(iota([4]).at(at![walk(MIN, MIN, -1)]), &[0]);
    empty(iota([4]).at(at![walk(3, MAX, -1)]), &[0]);
    lists(iota([4]).at(at![walk(3, MIN, -1)]), &[3_i64, 2, 1, 0]);
    lists(iota([4]).at(at![by(.., -3)]), &[3_i64, 0]);
    lists(iota([4]).at(at![by(-3.., -1)]), &[1_i64, 0]);
    lists(iota([4]).at(at![by(..-3, -1)]), &[3_i64, 2]);
    lists(iota([4]).at(at![-2..]), &[2_i64, 3]);
    lists(iota([4]).at(at![by(.., MIN)]), &[3_i64]);
    lists(iota([4]).at(at![by(1.., MAX)]), &[1_i64]);
    empty(iota([0]).at(at![by(.., -1)]), &[0]);
    refuses(iota([4]).at(at![by(.., 0)]), ErrorKind::StepZero);
}

#[test]
fn row_41_one_gather_a_bracket_and_integers_only_directly_beside_it() {
    let cube = || iota([2, 2, 3]);
    let error = refuses(cube().at(at![list([0]), list([1])]), ErrorKind::TwoGathers);
    assert!(
        error.hint_text().is_some_and(|hint| hint.contains("chain")),
        "{error}"
    );
    for between in [At::from(..), At::Dots, At::New] {
        let entries = at![1, between.clone(), list([0, 2])];
        let error = refuses(cube().at(entries), ErrorKind::MixedGather);
        // The hint writes down the chain that is meant.
        let hint = error.hint_text().unwrap_or_default();
        assert!(
            hint.contains("`x[1][") && hint.contains("[0, 2]]`"),
            "{error}"
        );
        let entries = at![list([0, 1]), between, 1];
        refuses(cube().at(entries), ErrorKind::MixedGather);
    }
    gives(
        cube().at(at![1, list([0, 1, 0])]),
        &[3, 3],
        &[6_i64, 7, 8, 9, 10, 11, 6, 7, 8],
    );
    gives(cube().at(at![.., list([1]), 2]), &[2, 1], &[5_i64, 11]);
    gives(cube().at(at![0, list([1, 0]), 2]), &[2], &[5_i64, 2]);
    // The chain that the refusal proposes.
    gives(
        cube().at(at![1]).at(at![.., list([0, 2])]),
        &[2, 2],
        &[6_i64, 8, 9, 11],
    );
    refuses(cube().at(at![At::Dots, At::Dots]), ErrorKind::TwoEllipses);
}

#[test]
fn row_42_an_integer_refuses_what_is_outside_and_a_slice_clamps() {
    for index in [4, -5, MAX, MIN] {
        let error = refuses(iota([4]).at(at![index]), ErrorKind::IndexRange);
        assert_eq!(error.allowed_range(), Some("-4..=3"));
        assert_eq!(error.offending_value(), Some(index.to_string().as_str()));
    }
    empty(iota([4]).at(at![4..9]), &[0]);
    lists(iota([4]).at(at![-9..9]), &[0_i64, 1, 2, 3]);
    gives(iota([2, 2]).at(at![1]), &[2], &[2_i64, 3]);
    refuses(iota([4]).at(at![0, 0]), ErrorKind::TooManyIndices);
    gives(iota([2, 2]).at(at![-1, -2]), &[], &[2_i64]);
}
