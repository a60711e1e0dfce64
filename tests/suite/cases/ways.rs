//! Every way to run one case: on each engine, with operands and results spread in memory, with parameters early and late.
//!
//! A case is run as it stands; with operands in larger buffers, column-major, axes reversed, with gaps; into a strided
//! part of a larger buffer; and all of that again with every constant as an operand whose value arrives with the call.

use super::describe::Case;
use crate::suite::{ENGINES, Run, filled, from_naive, numbered, signature, to_naive};
use std::collections::BTreeSet;
use xslice::{Error, Program, Signature, Tensor};

/// How the buffers of a call lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    RowMajor,
    SpreadOperands,
    SpreadResult,
}

const WAYS: [Way; 3] = [Way::RowMajor, Way::SpreadOperands, Way::SpreadResult];

/// Runs a case every way, which must give `expected`. Returns how many runs that were.
#[track_caller]
pub fn gives(case: &Case, expected: &Tensor) -> usize {
    let mut runs = 0;
    for case in early_and_late(case) {
        let program = case.program();
        let program = program.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        for way in WAYS {
            for (engine, run) in ENGINES {
                check(&case, &program, way, (engine, *run), expected);
                runs += 1;
            }
        }
    }
    runs
}

/// Runs a case every way, all of which must refuse, and in the same words. Returns them. A hint may quote the program, and so
/// differ where a parameter comes early or late.
#[track_caller]
pub fn refuses(case: &Case) -> Error {
    let mut refusals = Vec::new();
    for case in early_and_late(case) {
        match case.program() {
            Err(error) => refusals.push(error),
            Ok(program) => {
                for (engine, run) in ENGINES {
                    match call(&case, &program, *run) {
                        Err(error) => refusals.push(error),
                        Ok(_) => panic!("{}: the {engine} computes it", case.name),
                    }
                }
            }
        }
    }
    let words: BTreeSet<String> = refusals.iter().map(without_hint).collect();
    assert!(
        words.len() == 1,
        "{}: different refusals {words:#?}",
        case.name
    );
    refusals.swap_remove(0)
}

fn without_hint(error: &Error) -> String {
    let hint = error.hint_text().unwrap_or_default();
    error.to_string().replace(hint, "")
}

/// The case, and the same with its constants as operands if it has any.
fn early_and_late(case: &Case) -> Vec<Case> {
    let late = case.late();
    let differs = late.operands.len() > case.operands.len();
    let mut both = vec![case.clone()];
    both.extend(differs.then_some(late));
    both
}

/// Runs a program on the operands of a case, row-major.
pub fn call(case: &Case, program: &Program, run: Run) -> Result<Tensor, Error> {
    let operands: Vec<_> = case.operands.iter().map(|(_, tensor)| tensor).collect();
    crate::suite::run(run, program, &signature(program, &operands), &operands)
}

#[track_caller]
fn check(case: &Case, program: &Program, way: Way, engine: (&str, Run), expected: &Tensor) {
    let (engine, run) = engine;
    let name = &case.name;
    let (mut signature, buffers) = operands(case, program, way);
    let ty = program.output_type(&signature);
    let ty = ty.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(
        ty,
        (expected.element_type(), expected.shape().to_vec()),
        "{name}"
    );
    let (mut result, after) = if way == Way::SpreadResult {
        let (strides, offset, len) = layout(expected.shape());
        signature = signature.output(&strides, offset);
        let buffer = numbered(expected.element_type(), &[len], 77);
        let after = written(
            &buffer,
            expected,
            &positions(expected.shape(), &strides, offset),
        );
        (buffer, after)
    } else {
        let blank = filled(expected.element_type(), expected.shape());
        (blank.expect("memory for a small result"), expected.clone())
    };
    let inputs: Vec<_> = buffers.iter().map(Tensor::as_input).collect();
    if let Err(error) = run(program, &signature, &inputs, result.as_output()) {
        panic!("{name}, {way:?}: the {engine} refuses it: {error}");
    }
    assert!(
        result == after,
        "{name}, {way:?}: the {engine} gives {result:?}\ninstead of {after:?}\n{}",
        crate::suite::plan(program, &signature)
    );
}

/// The signature and, for each operand, its buffer.
fn operands(case: &Case, program: &Program, way: Way) -> (Signature, Vec<Tensor>) {
    let mut signature = Signature::new();
    let mut buffers = Vec::new();
    for ((_, tensor), is_parameter) in case.operands.iter().zip(program.parameters()) {
        let (ty, shape) = (tensor.element_type(), tensor.shape());
        if is_parameter {
            signature = signature.value(tensor.clone());
            buffers.push(tensor.clone());
        } else if way == Way::SpreadOperands {
            let (strides, offset, len) = layout(shape);
            let blank = numbered(ty, &[len], 1000);
            signature = signature.strided(ty, shape, &strides, offset);
            buffers.push(written(&blank, tensor, &positions(shape, &strides, offset)));
        } else {
            signature = signature.operand(ty, shape);
            buffers.push(tensor.clone());
        }
    }
    (signature, buffers)
}

/// Column-major, every other axis reversed, with gaps: strides, offset, and the elements of the buffer.
fn layout(shape: &[usize]) -> (Vec<isize>, usize, usize) {
    let (mut stride, mut offset) = (2, 3);
    let mut strides = Vec::new();
    for (axis, &dim) in shape.iter().enumerate() {
        if axis % 2 == 0 {
            strides.push(-(stride as isize));
            offset += stride * dim.saturating_sub(1);
        } else {
            strides.push(stride as isize);
        }
        stride = stride * dim.max(1) + 1;
    }
    (strides, offset, offset + stride + 1)
}

/// Where each element lies, in row-major order.
fn positions(shape: &[usize], strides: &[isize], offset: usize) -> Vec<usize> {
    let mut positions = vec![offset as isize];
    for (&dim, &stride) in shape.iter().zip(strides) {
        let steps = |&p: &isize| (0..dim as isize).map(move |i| p + i * stride);
        positions = positions.iter().flat_map(steps).collect();
    }
    positions.into_iter().map(|p| p as usize).collect()
}

/// The buffer after these elements have been written to these positions.
fn written(buffer: &Tensor, elements: &Tensor, positions: &[usize]) -> Tensor {
    let mut result = to_naive(buffer);
    for (elem, &at) in to_naive(elements).elems.into_iter().zip(positions) {
        result.elems[at] = elem;
    }
    from_naive(&result)
}
