//! The numbered rows of the semantics table, one test each, with values written by hand.
//!
//! Every test runs on every engine, with operands and results row-major and spread, with parameters as constants and as
//! operands; where a dialect answers differently, both answers stand side by side. What the oracle says of the same rows is
//! for its own test target.

#[path = "../suite/cases/mod.rs"]
mod cases;
mod general;
mod notation;
mod onnx_gather;
mod onnx_range;
mod onnx_slice;
mod openvino_slice;
mod strided_slice;
#[path = "../suite/mod.rs"]
mod suite;

use cases::describe::{Case, on};
use cases::ways;
use xslice::{Element, Error, ErrorKind, Tensor};

/// A case on one operand `x` of `i64`, element `i` being `i`.
fn iota<const N: usize>(shape: [usize; N]) -> Case {
    let count: usize = shape.iter().product();
    on(suite::tensor(
        &shape,
        &(0..count as i64).collect::<Vec<_>>(),
    ))
}

/// Every engine gives this shape and these elements, whatever the layout and whenever parameters arrive.
#[track_caller]
fn gives<T: Element>(case: Case, shape: &[usize], elements: &[T]) {
    ways::gives(&case, &suite::tensor(shape, elements));
}

/// Every engine gives these elements, of rank 1.
#[track_caller]
fn lists<T: Element>(case: Case, elements: &[T]) {
    gives(case, &[elements.len()], elements);
}

/// Every engine gives nothing, of this shape.
#[track_caller]
fn empty(case: Case, shape: &[usize]) {
    gives::<i64>(case, shape, &[]);
}

/// Every engine refuses, in the same words, with this kind.
#[track_caller]
fn refuses(case: Case, kind: ErrorKind) -> Error {
    let error = ways::refuses(&case);
    assert_eq!(error.kind(), kind, "{error}");
    error
}

/// A parameter of another type than `i64`.
fn typed<T: Element, const N: usize>(values: [T; N]) -> Tensor {
    suite::tensor(&[N], &values)
}

/// The rows of the table of semantics: each has a test that is called by its number.
#[test]
fn every_row_has_a_test() {
    let sources = [
        include_str!("general.rs"),
        include_str!("notation.rs"),
        include_str!("onnx_gather.rs"),
        include_str!("onnx_range.rs"),
        include_str!("onnx_slice.rs"),
        include_str!("openvino_slice.rs"),
        include_str!("strided_slice.rs"),
    ];
    for row in 1..=42 {
        let test = format!("\n#[test]\nfn row_{row:02}_");
        let tests: usize = sources
            .iter()
            .map(|source| source.matches(&test).count())
            .sum();
        assert!(tests > 0, "row {row}");
    }
}
