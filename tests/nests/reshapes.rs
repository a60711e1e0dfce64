//! Reshapes: no step of their own where a map expresses them, the end of a nest where none does.

use crate::cases::describe::{Case, Step, Value, at, by, x};
use crate::{compare, nests, steps, suite};
use xslice::ElementType::{F32, U8};
use xslice::Plan;

fn plan(case: &Case) -> Plan {
    let program = case.program().expect("a valid program");
    let operands: Vec<_> = case.operands.iter().map(|(_, tensor)| tensor).collect();
    suite::plan(&program, &suite::signature(&program, &operands))
}

#[track_caller]
fn prints(case: Case, wanted: &str) {
    compare(&case.name, &nests(&plan(&case)), wanted);
}

fn reshape(shape: &[i64]) -> Step {
    Step::Reshape(shape.to_vec())
}

#[test]
fn a_reshape_of_neighbours_is_no_step() {
    prints(
        x(F32, [4, 6])
            .at(at![1..3])
            .then(reshape(&[3, 4]))
            .at(at![.., by(.., -1)]),
        "
nest f32 block 1
  for i in 0..3
    for j in 0..4
      dst[4*i + j] <- x[9 + 4*i - j]
  x 6..=17 of 24, dst 0..=11 of 12
",
    );
}

#[test]
fn a_reshape_that_splits_a_strided_axis_is_no_step() {
    prints(
        x(F32, [12])
            .at(at![by(.., -2)])
            .then(reshape(&[2, 3]))
            .at(at![1]),
        "
nest f32 block 1
  for i in 0..3
    dst[i] <- x[5 - 2*i]
  x 1..=5 of 12, dst 0..=2 of 3
",
    );
}

#[test]
fn a_reshape_of_gathered_rows_that_splits_them_is_no_step() {
    prints(
        x(F32, [5, 6])
            .ids(&[4], [0; 4])
            .at(at!["ids"])
            .then(reshape(&[2, 2, 3, 2])),
        "
check ids[i], i in 0..4, in -5..5
nest f32 block 6
  for i in 0..4
    dst[6*i] <- x[6*wrap(ids[i])]
  x 0..=29 of 30, dst 0..=23 of 24
",
    );
}

#[test]
fn a_reshape_of_indices_is_no_step() {
    let ids = Value::from("ids").then(reshape(&[2, 3]));
    prints(
        x(U8, [5]).ids(&[6], [0; 6]).gather(ids),
        "
check ids[i], i in 0..6, in -5..5
nest u8 block 1
  for i in 0..6
    dst[i] <- x[wrap(ids[i])]
  x 0..=4 of 5, dst 0..=5 of 6
",
    );
}

#[test]
fn squeeze_and_unsqueeze_are_no_steps() {
    let squeezed = x(F32, [3, 1, 5])
        .at(at![by(.., 2)])
        .then(Step::Squeeze(vec![1]));
    prints(
        squeezed.then(Step::Unsqueeze(vec![0])),
        "
nest f32 block 5
  for i in 0..2
    dst[5*i] <- x[10*i]
  x 0..=14 of 15, dst 0..=9 of 10
",
    );
}

#[test]
fn a_reshape_that_merges_sliced_axes_ends_a_nest() {
    prints(
        x(F32, [4, 6])
            .at(at![.., 1..4])
            .then(reshape(&[12]))
            .at(at![by(.., -5)]),
        "
scratch0:
nest f32 block 3
  for i in 0..4
    dst[3*i] <- x[1 + 6*i]
  x 1..=21 of 24, dst 0..=11 of 12
nest f32 block 1
  for i in 0..3
    dst[i] <- scratch0[11 - 5*i]
  scratch0 1..=11 of 12, dst 0..=2 of 3
",
    );
}

#[test]
fn a_reshape_that_merges_gathered_rows_ends_a_nest() {
    prints(
        x(F32, [5, 3])
            .ids(&[4], [0; 4])
            .at(at!["ids"])
            .then(reshape(&[12]))
            .at(at![by(.., 2)]),
        "
check ids[i], i in 0..4, in -5..5
scratch0:
nest f32 block 3
  for i in 0..4
    dst[3*i] <- x[3*wrap(ids[i])]
  x 0..=14 of 15, dst 0..=11 of 12
nest f32 block 1
  for i in 0..6
    dst[i] <- scratch0[2*i]
  scratch0 0..=10 of 12, dst 0..=5 of 6
",
    );
}

#[test]
fn a_chain_ends_as_often_as_a_reshape_ends_it() {
    let merged = |case: Case, count| case.at(at![.., 1..4]).then(reshape(&[count]));
    let case = merged(x(F32, [8, 6]), 24).then(reshape(&[4, 6]));
    let case = merged(case, 12);
    let plan = plan(&case.at(at![by(.., -1)]));
    assert_eq!(steps(&plan), (3, 0), "{plan}");
    assert_eq!(plan.temporaries().len(), 2);
}

/// Each lookup is a load for every element: a chain that has become too deep writes a temporary of its elements, where indices have none.
#[test]
fn a_very_deep_chain_of_gathers_writes_a_temporary() {
    let deep_within = |count, bytes, limit| {
        let case = x(F32, [5]).ids(&[5], [0; 5]);
        let case = (0..count).fold(case, |case, _| case.at(at!["ids"]));
        let program = case.program().expect("a valid program");
        let operands: Vec<_> = case.operands.iter().map(|(_, tensor)| tensor).collect();
        let signature = suite::signature(&program, &operands).temporaries(bytes);
        suite::plan(&program, &signature.limit(limit))
    };
    let deep = |count, bytes| deep_within(count, bytes, 1 << 20);
    assert_eq!(steps(&deep(8, 0)), (1, 8));
    assert_eq!(steps(&deep(9, 0)), (2, 9));
    assert!(steps(&deep(30, 0)).0 < 6, "{}", deep(30, 0));
    // Five f32 that are needed have room; five i64 that would only be quicker leave it to them.
    assert_eq!(steps(&deep(9, 45)), (2, 9));
    assert_eq!(steps(&deep_within(9, usize::MAX, 45)), (2, 9));
    // Two of five i64 have room: the first of them picked by the last.
    assert_eq!(steps(&deep(3, 80)), (3, 3));
    assert_eq!(steps(&deep(4, 80)), (3, 4));
    assert_eq!(steps(&deep(3, 79)), (2, 3));
}
