//! Signatures that do not fit a program, and calls that do not fit a signature.

use crate::suite::{ENGINES, tensor};
use crate::{Refusal, refusal};
use std::collections::BTreeSet;
use xslice::ElementType::{F32, I32, I64, U8};
use xslice::{
    Declared, ElementType, Entry, Error, ErrorKind as E, Gather, Graph, Index, Input, Output, Plan,
    Program, Scratch, Signature, Slice, Tensor,
};

fn rows() -> Program {
    let op = Gather::onnx(13).indices("ids");
    Program::chain("x")
        .then(op)
        .build()
        .expect("a valid program")
}

/// `x[s:]`, the start at run time.
fn tail() -> Program {
    let op = Slice::onnx(13).starts("s").ends([i64::MAX]);
    Program::chain("x")
        .then(op)
        .build()
        .expect("a valid program")
}

fn whole() -> Program {
    let op = Index::new([Entry::Ellipsis]);
    Program::chain("x")
        .then(op)
        .build()
        .expect("a valid program")
}

fn declared(ty: ElementType, shape: Option<Vec<Option<usize>>>) -> Program {
    let mut graph = Graph::new();
    let declared = Declared {
        element_type: ty,
        shape,
    };
    let x = graph.operand("x", Some(declared)).expect("a new name");
    let y = graph.apply(Index::new([Entry::Integer(0)]), Some(x), None);
    graph
        .finish(y.expect("valid"))
        .expect("a value of this graph")
}

fn expecting(ty: ElementType, shape: Option<Vec<Option<usize>>>) -> Program {
    whole().expecting(Declared {
        element_type: ty,
        shape,
    })
}

fn compile(program: &Program, signature: Signature) -> Result<Plan, Error> {
    program.compile(&signature)
}

fn f32s(shape: &[usize]) -> Signature {
    Signature::new().operand(F32, shape)
}

/// Signatures that are refused when a program is compiled.
#[rustfmt::skip]
pub fn signatures() -> Vec<Refusal> {
    let (x, ids) = (f32s(&[4, 4]), |ty| f32s(&[4, 4]).operand(ty, &[3]));
    let strided = |strides: &[isize], offset| compile(&whole(), Signature::new().strided(F32, &[4, 4], strides, offset));
    let output = |strides: &[isize], offset| compile(&whole(), f32s(&[4, 4]).output(strides, offset));
    vec![
        refusal("one operand of two", compile(&rows(), x), E::OperandCount, ["-", "-", "1", "2: x, ids"]),
        refusal("three operands of two", compile(&rows(), ids(I64).operand(I64, &[])), E::OperandCount, ["-", "-", "3", "2: x, ids"]),
        refusal("no operand", compile(&whole(), Signature::new()), E::OperandCount, ["-", "-", "0", "1: x"]),
        refusal("indices of u8", compile(&rows(), ids(U8)), E::ParameterType, ["onnx::Gather@13", "indices", "u8", "i32, i64"]),
        refusal("a parameter without its value", compile(&tail(), f32s(&[4]).operand(I64, &[1])), E::OperandValue, ["-", "s", "-", "-"]),
        refusal("another type than declared", compile(&declared(I32, None), f32s(&[4])), E::OperandType, ["-", "x", "f32", "i32"]),
        refusal("another rank than declared", compile(&declared(F32, Some(vec![None])), f32s(&[4, 4])), E::OperandShape, ["-", "x", "[4, 4]", "[?]"]),
        refusal("another dimension than declared", compile(&declared(F32, Some(vec![None, Some(3)])), f32s(&[4, 4])), E::OperandShape, ["-", "x", "[4, 4]", "[?, 3]"]),
        refusal("another result type than declared", compile(&expecting(I32, None), f32s(&[4])), E::ResultType, ["-", "result", "f32[4]", "i32[..]"]),
        refusal("another result shape than declared", compile(&expecting(F32, Some(vec![Some(3)])), f32s(&[4])), E::ResultType, ["-", "result", "f32[4]", "f32[3]"]),
        refusal("one stride for two axes", strided(&[1], 0), E::OperandLayout, ["-", "x", "1", "2 strides"]),
        refusal("strides that reach below the buffer", strided(&[-4, 1], 11), E::OperandLayout, ["-", "x", "-1", "positions from 0 on"]),
        refusal("strides that reach beyond memory", strided(&[isize::MAX, 1], 0), E::TooLarge, ["-", "x", "27670116110564327424", "positions 0..=2305843009213693950 of f32"]),
        refusal("the smallest stride", strided(&[isize::MIN, 1], 0), E::OperandLayout, ["-", "x", "-27670116110564327424", "positions from 0 on"]),
        refusal("an offset beyond memory", strided(&[4, 1], usize::MAX), E::TooLarge, ["-", "x", "18446744073709551630", "positions 0..=2305843009213693950 of f32"]),
        refusal("three output strides for two axes", output(&[16, 4, 1], 0), E::OperandLayout, ["-", "output", "3", "2 strides"]),
        refusal("output strides below the buffer", output(&[4, -1], 2), E::OperandLayout, ["-", "output", "-1", "positions from 0 on"]),
        refusal("output rows that overlap", output(&[3, 1], 0), E::OperandLayout, ["-", "output", "3", "4 or more, or -4 or less"]),
        refusal("an output stride of 0", output(&[1, 0], 0), E::OperandLayout, ["-", "output", "0", "1 or more, or -1 or less"]),
        refusal("output strides beyond memory", output(&[isize::MAX, 1], 0), E::TooLarge, ["-", "output", "27670116110564327424", "positions 0..=2305843009213693950 of f32"]),
    ]
}

/// The one refusal of a call by every engine.
#[track_caller]
fn call(
    program: &Program,
    signature: &Signature,
    inputs: &[Input<'_>],
    mut output: Tensor,
) -> Result<(), Error> {
    let mut refusals = Vec::new();
    for (engine, run) in ENGINES {
        match run(program, signature, inputs, output.as_output()) {
            Ok(()) => panic!("the {engine} accepts the call"),
            Err(error) => refusals.push(error),
        }
    }
    let words: BTreeSet<_> = refusals.iter().map(ToString::to_string).collect();
    assert_eq!(words.len(), 1, "different refusals {words:#?}");
    Err(refusals.swap_remove(0))
}

fn f32_tensor(count: usize) -> Tensor {
    tensor(&[count], &vec![1.0_f32; count])
}

/// Calls that are refused before an element moves.
#[rustfmt::skip]
pub fn buffers() -> Vec<Refusal> {
    let (whole, tail) = (whole(), tail());
    let (eight, seven, nine) = ([0.0_f32; 8], [0.0_f32; 7], [0.0_f32; 9]);
    let exact = f32s(&[8]);
    let loose = Signature::new().strided(F32, &[4], &[-2], 6);
    let part = f32s(&[8]).output(&[2], 1);
    let s = f32s(&[8]).value(Tensor::vector(&[3]));
    let on = |x: Input<'_>| call(&whole, &exact, &[x], f32_tensor(8));
    let into = |output| call(&whole, &exact, &[(&eight).into()], output);
    let by = |start: Input<'_>| call(&tail, &s, &[(&eight).into(), start], f32_tensor(5));
    vec![
        refusal("a call without operands", call(&whole, &exact, &[], f32_tensor(8)), E::OperandCount, ["-", "-", "0", "1: x"]),
        refusal("a call with two operands", call(&whole, &exact, &[(&eight).into(), (&eight).into()], f32_tensor(8)), E::OperandCount, ["-", "-", "2", "1: x"]),
        refusal("an operand of another type", on((&[0_i32; 8]).into()), E::OperandType, ["-", "x", "i32", "f32"]),
        refusal("an operand one too short", on((&seven).into()), E::OperandLength, ["-", "x", "7", "8 elements"]),
        refusal("an operand one too long", on((&nine).into()), E::OperandLength, ["-", "x", "9", "8 elements"]),
        refusal("a strided operand too short", call(&whole, &loose, &[(&[0.0_f32; 6]).into()], f32_tensor(4)), E::OperandLength, ["-", "x", "6", "at least 7 elements"]),
        refusal("an output of another type", into(tensor(&[8], &[0_i32; 8])), E::OperandType, ["-", "output", "i32", "f32"]),
        refusal("an output one too short", into(f32_tensor(7)), E::OperandLength, ["-", "output", "7", "8 elements"]),
        refusal("an output one too long", into(f32_tensor(9)), E::OperandLength, ["-", "output", "9", "8 elements"]),
        refusal("no output at all", into(f32_tensor(0)), E::OperandLength, ["-", "output", "0", "8 elements"]),
        refusal("a strided output too short", call(&whole, &part, &[(&eight).into()], f32_tensor(15)), E::OperandLength, ["-", "output", "15", "at least 16 elements"]),
        refusal("another value than compiled for", by((&[4_i64]).into()), E::OperandValue, ["-", "s", "-", "-"]),
        refusal("a parameter of another type", by((&[3_i32]).into()), E::OperandType, ["-", "s", "i32", "i64"]),
        refusal("a parameter of another length", by((&[3_i64, 3]).into()), E::OperandLength, ["-", "s", "2", "1 element"]),
        refusal("a string where numbers are", on((&[const { String::new() }; 8]).into()), E::OperandType, ["-", "x", "string", "f32"]),
    ]
}

#[test]
fn a_strided_buffer_may_be_longer_than_its_layout() {
    let signature = Signature::new()
        .strided(F32, &[2], &[-2], 2)
        .output(&[3], 1);
    for (engine, run) in ENGINES {
        let x: Vec<f32> = (0..50_u8).map(f32::from).collect();
        let mut y = vec![-1.0_f32; 9];
        run(&whole(), &signature, &[(&x).into()], Output::from(&mut y))
            .unwrap_or_else(|error| panic!("{engine}: {error}"));
        assert_eq!(
            y,
            [-1.0, 2.0, -1.0, -1.0, 0.0, -1.0, -1.0, -1.0, -1.0],
            "{engine}"
        );
    }
}

/// Before a refusal of the call nothing has been written.
#[test]
fn a_refused_call_leaves_the_output_as_it_is() {
    for (engine, run) in ENGINES {
        let mut y = [5.0_f32; 8];
        let refused = run(
            &whole(),
            &f32s(&[8]),
            &[(&[1.0_f32; 7]).into()],
            (&mut y).into(),
        );
        assert!(refused.is_err(), "{engine}");
        assert_eq!(y, [5.0; 8], "{engine}");
    }
}

#[test]
fn the_expectation_of_a_result_holds_for_its_shape_alone_too() {
    let program = expecting(F32, Some(vec![Some(3)]));
    let signature = f32s(&[4]);
    let kind = |refused: Result<(), Error>| refused.map_err(|error| error.kind());
    assert_eq!(
        kind(program.output_shape(&signature).map(|_| ())),
        Err(E::ResultType)
    );
    assert_eq!(
        kind(program.output_type(&signature).map(|_| ())),
        Err(E::ResultType)
    );
    assert_eq!(
        kind(program.view(&signature).map(|_| ())),
        Err(E::ResultType)
    );
    assert!(program.compile(&f32s(&[3])).is_ok());
}

/// The front door that does everything in one call says the same words.
#[cfg(feature = "jit")]
#[test]
fn the_one_call_front_door_refuses_in_the_same_words() {
    let x = [[0.0_f32; 4]; 4];
    let text = "x |> onnx::Gather@13(indices = @ids, axis = 1)";
    let refused = xslice::index_with(&x, text, &[&Tensor::vector(&[0, 4])]);
    let program = Program::parse(text).expect("a valid program");
    let signature = f32s(&[4, 4]).operand(I64, &[2]);
    let inputs = [(&[0.0_f32; 16]).into(), (&[0_i64, 4]).into()];
    let by_engines = call(&program, &signature, &inputs, f32_tensor(8));
    assert_eq!(refused.map(|_| ()), by_engines);
    let refused = xslice::index(&x, "x[0, 0, 0]").map(|_| ());
    let program = Program::parse("x[0, 0, 0]").expect("a valid program");
    assert_eq!(refused, program.compile(&f32s(&[4, 4])).map(|_| ()));
}

/// The place of an index is its first among all that it stands for.
#[test]
fn repeated_indices_are_refused_at_their_first_place() {
    let program = Program::parse("x[@ids][:, :2]").expect("a valid program");
    let repeated = |times| f32s(&[4]).strided(I64, &[3, times], &[1, 0], 0);
    let (x, ids, outside) = ([0.0_f32; 4], [0_i64, -4, 3], [0_i64, 4, -5]);
    let inputs = [(&x).into(), (&outside).into()];
    let refused = call(&program, &repeated(5), &inputs, f32_tensor(6));
    let refused = refused.expect_err("4 is outside").to_string();
    assert!(
        refused.contains("`indices[1, 0]` = 4 is out of range for axis 0 of size 4"),
        "{refused}"
    );
    // Where they lie in memory once, they are looked at once, or this would not end.
    let plan = compile(&program, repeated(1 << 40)).expect("a small result");
    let run = |ids: &[i64; 3]| {
        let (mut y, inputs) = ([0.0_f32; 6], [(&x).into(), ids.into()]);
        xslice::runner::run(&plan, &inputs, (&mut y).into(), &mut Scratch::new())
    };
    assert_eq!(run(&ids), Ok(()));
    let found = run(&outside).expect_err("4 is outside").to_string();
    assert!(found.contains("`indices[1, 0]` = 4"), "{found}");
}

/// The words name what the caller gave: strides, shape, offset and the type whose elements they count.
#[test]
fn a_layout_is_refused_by_its_own_numbers() {
    let says = |signature: Signature, words: &str| {
        let error = compile(&whole(), signature).expect_err(words).to_string();
        assert!(error.starts_with(words), "{error}");
    };
    says(
        f32s(&[2, 3]).output(&[1, 1], 0),
        "`output`: strides [1, 1] of shape [2, 3] might write one element twice: that of axis 1 is 1 (allowed: 2 or more, or -2 or less)",
    );
    says(
        f32s(&[2, 3]).output(&[1], 0),
        "`output`: 1 stride for shape [2, 3] (allowed: 2 strides)",
    );
    says(
        f32s(&[2]).output(&[-1], 0),
        "`output`: strides [-1] from offset 0 reach position -1 (allowed: positions from 0 on)",
    );
    says(
        Signature::new().strided(F32, &[2], &[isize::MAX], 0),
        "`x`: strides [9223372036854775807] from offset 0 reach position 9223372036854775807 (allowed: positions 0..=2305843009213693950 of f32)",
    );
    says(
        f32s(&[1 << 62, 4]),
        "`x`: shape [4611686018427387904, 4] has more elements than memory can hold",
    );
    // The last position that memory has.
    let last = isize::MAX / 4 - 1;
    let signature = Signature::new().strided(F32, &[2], &[last], 0);
    assert!(compile(&whole(), signature).is_ok());
    // No element, or one: no stride is ever taken.
    assert!(compile(&whole(), f32s(&[0, 3]).output(&[0, 0], 0)).is_ok());
    assert!(compile(&whole(), f32s(&[1, 1]).output(&[0, 0], 0)).is_ok());
}
