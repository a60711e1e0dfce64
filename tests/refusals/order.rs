//! Several faults: which one is refused. The first failing check in the order of the chain, at its smallest position.

use crate::cases::describe::{Case, Step, Value, at, by, gather, of, range, slice, x};
use crate::cases::ways;
use crate::suite::{ENGINES, filled, numbered, signature, tensor};
use xslice::ElementType::{Bool, F32, I32, String, U8};
use xslice::{Error, ErrorKind, Tensor};

/// Refused by every engine: value and position of the index.
#[track_caller]
fn refuses(case: Case, value: i64, position: usize) -> Error {
    let error = ways::refuses(&case);
    assert_eq!(error.kind(), ErrorKind::IndexRange, "{error}");
    assert_eq!(
        error.offending_value(),
        Some(value.to_string().as_str()),
        "{error}"
    );
    assert_eq!(error.offender_position(), Some(position), "{error}");
    crate::reads_well(&error);
    error
}

fn two(a: [i64; 3], b: [i64; 3]) -> Case {
    let case = x(F32, [5, 6])
        .given("a", tensor(&[3], &a))
        .given("b", tensor(&[3], &b));
    case.at(at!["a"]).at(at![.., "b"])
}

#[test]
fn the_smallest_position_of_one_gather() {
    refuses(x(F32, [5]).ids(&[4], [0, 9, 8, -7]).gather("ids"), 9, 1);
    refuses(x(F32, [5]).ids(&[4], [-6, 9, 8, -7]).gather("ids"), -6, 0);
    let many: Vec<i64> = (0..1000)
        .map(|k| if k >= 777 { 99 } else { k % 5 })
        .collect();
    refuses(
        x(F32, [5])
            .given("ids", tensor(&[10, 100], &many))
            .gather("ids"),
        99,
        777,
    );
    let narrow: Vec<i32> = many.iter().map(|&id| id as i32).collect();
    refuses(
        x(U8, [5, 7])
            .given("ids", tensor(&[1000], &narrow))
            .gather("ids"),
        99,
        777,
    );
}

#[test]
fn the_first_gather_of_a_chain() {
    refuses(two([0, 0, 5], [6, 0, 0]), 5, 2);
    refuses(two([0, 0, 4], [0, 6, -7]), 6, 1);
    refuses(two([-6, 5, 4], [0, 6, -7]), -6, 0);
}

#[test]
fn every_index_that_reaches_a_gather_counts_though_its_rows_are_dropped() {
    refuses(two([0, 0, 5], [0, 0, 0]).at(at![0, 0]), 5, 2);
    refuses(two([0, 5, 0], [0, 0, 0]).at(at![..0]), 5, 1);
    // What a slice of the indices takes away never reaches the gather.
    let sliced = |entries| Value::from("ids").then(Step::Index(entries));
    let case = x(F32, [5]).ids(&[4], [9, 1, 8, 2]);
    let rows = case.at(at![sliced(vec![by(1.., 2)])]);
    assert!(rows.expected().is_ok());
    ways::gives(
        &rows,
        &crate::suite::from_naive(&rows.expected().expect("1 and 2")),
    );
    // Reversed, position 0 is the last index.
    let case = x(F32, [5]).ids(&[4], [9, 1, 8, 2]);
    refuses(case.at(at![sliced(vec![by(.., -1)])]), 8, 1);
}

#[test]
fn the_position_counts_in_the_indices_as_they_reach_the_gather() {
    let ids = || tensor(&[2, 3], &[0_i64, 1, 2, 3, 9, 4]);
    let error = refuses(x(F32, [5]).given("ids", ids()).gather("ids"), 9, 4);
    assert!(error.to_string().contains("`indices[1, 1]` = 9"), "{error}");
    let column = Value::from("ids").at(at![.., 1]);
    let error = refuses(x(F32, [5]).given("ids", ids()).gather(column), 9, 1);
    assert!(error.to_string().contains("`indices[1]` = 9"), "{error}");
    let flat = Value::from("ids").then(Step::Reshape(vec![6]));
    let error = refuses(x(F32, [5]).given("ids", ids()).gather(flat), 9, 4);
    assert!(error.to_string().contains("`indices[4]` = 9"), "{error}");
}

#[test]
fn indices_that_are_gathered_are_checked_before_what_they_gather() {
    let case = x(F32, [5])
        .given("a", tensor(&[3], &[0_i64, 99, 1]))
        .ids(&[2], [1, 3]);
    refuses(case.gather(Value::from("a").at(at!["ids"])), 3, 1);
    let case = x(F32, [5])
        .given("a", tensor(&[3], &[0_i64, 99, 1]))
        .ids(&[2], [0, 1]);
    refuses(case.gather(Value::from("a").at(at!["ids"])), 99, 1);
}

#[test]
fn an_axis_that_is_named_is_the_axis_of_the_gather() {
    let case = x(F32, [2, 3, 4]).ids(&[1], [4]);
    let error = refuses(case.then(gather(13, "ids").axis(-1)), 4, 0);
    assert_eq!(error.axis_number(), Some(2));
    let case = x(F32, [2, 3, 4]).ids(&[1], [3]);
    let error = refuses(
        case.at(at![1])
            .at(at![crate::cases::describe::At::New, "ids"]),
        3,
        0,
    );
    assert_eq!(error.axis_number(), Some(0));
}

#[test]
fn a_gather_of_a_range_is_refused_at_the_same_place() {
    refuses(
        of(range(0_i64, 4, 1)).ids(&[3], [0, 4, 5]).at(at!["ids"]),
        4,
        1,
    );
    refuses(x(I32, [6]).gather(range(4_i64, 9, 1)), 6, 2);
    // The last value alone is one too far, on both sides.
    refuses(x(I32, [6, 2]).gather(range(0_i64, 7, 1)), 6, 6);
    refuses(x(I32, [6, 2]).gather(range(-1_i64, -8, -1)), -7, 6);
    refuses(
        x(I32, [6, 2]).then(gather(13, range(0_i64, 3, 2)).axis(1)),
        2,
        1,
    );
    refuses(x(I32, [6]).gather(range(-5_i64, -9, -1)), -7, 2);
    refuses(
        x(I32, [6]).gather(range(0_i64, 30, 1).at(at![by(.., -4)])),
        29,
        0,
    );
}

#[test]
fn rules_are_refused_before_indices() {
    // The second operator breaks a rule that is known when the program is built or compiled.
    let case = x(F32, [5, 6]).ids(&[1], [99]).gather("ids");
    let error = ways::refuses(&case.clone().then(slice(13, [0], [1]).axes([7])));
    assert_eq!(error.kind(), ErrorKind::AxisRange, "{error}");
    let error = ways::refuses(&case.then(slice(13, [0], [1]).by([0])));
    assert_eq!(error.kind(), ErrorKind::StepZero, "{error}");
}

/// After a refusal at run time the buffer holds initialised memory: for strings and bools that is what can be seen.
#[test]
fn the_buffer_of_a_refused_call_stays_valid() {
    for ty in [String, Bool, F32] {
        let data = numbered(ty, &[4, 3], 9);
        let case = crate::cases::describe::on(data).ids(&[40], [0; 40]);
        let mut case = case.gather("ids");
        let mut ids = vec![1_i64; 40];
        ids[39] = 4;
        case.operands[1].1 = tensor(&[40], &ids);
        let program = case.program().expect("a valid program");
        let operands: Vec<&Tensor> = case.operands.iter().map(|(_, t)| t).collect();
        let signature = signature(&program, &operands);
        for (engine, run) in ENGINES {
            let mut output = filled(ty, &[40, 3]).expect("memory");
            let inputs: Vec<_> = operands.iter().map(|t| t.as_input()).collect();
            let refused = run(&program, &signature, &inputs, output.as_output());
            assert!(refused.is_err(), "the {engine} on {ty}");
            if let Some(strings) = output.strings() {
                let known = |s: &std::string::String| s == "untouched" || s.starts_with('s');
                assert!(strings.iter().all(known), "the {engine}");
            }
            if ty == Bool {
                assert!(output.bytes().iter().all(|&byte| byte < 2), "the {engine}");
            }
        }
    }
}
