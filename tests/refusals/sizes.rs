//! Sizes: products that overflow, limits, memory that is not there. Nothing aborts.

use crate::{Refusal, refusal};
use xslice::ElementType::{C128, F32, F64, I64, U8};
use xslice::{
    ElementType, Error, ErrorKind as E, Gather, Graph, Program, Range, Scratch, Signature, Slice,
    Tensor,
};

const HUGE: usize = 1 << 62;
const MEMORY: &str = "0..=9223372036854775807 bytes";

fn shape(ty: ElementType, dims: &[usize], limit: Option<usize>) -> Result<Vec<usize>, Error> {
    let program = Program::chain("x")
        .then(Slice::onnx(13).starts([0]).ends([i64::MAX]))
        .build()?;
    let signature = Signature::new().operand(ty, dims);
    match limit {
        Some(bytes) => program.output_shape(&signature.limit(bytes)),
        None => program.output_shape(&signature),
    }
}

fn range(limit: i64, signature: &Signature) -> Result<Vec<usize>, Error> {
    Program::generate(Range::onnx(11).start(0).limit(limit).delta(1))?.output_shape(signature)
}

/// A gather on axis 0, then one on axis 1: each result is larger than the one before.
fn growing(signature: &Signature) -> Result<Vec<usize>, Error> {
    let gather = || Gather::onnx(13).indices("ids");
    let program = Program::chain("x")
        .then(gather())
        .then(gather().axis(1))
        .build()?;
    program.output_shape(signature)
}

/// Two gathers by Ranges on both sides of 0, which each run writes: 1.6 MB each.
fn written_indices(limit: usize) -> Result<Vec<usize>, Error> {
    let mut graph = Graph::new();
    let mut rows = graph.operand("x", None)?;
    for _ in 0..2 {
        let ids = Range::onnx(11).start(-100_000).limit(100_000).delta(1);
        let ids = graph.apply(ids, None, None)?;
        rows = graph.apply(Gather::onnx(13).indices(ids), Some(rows), None)?;
    }
    let signature = Signature::new().operand(U8, &[200_000]);
    graph.finish(rows)?.output_shape(&signature.limit(limit))
}

/// Sizes that are refused.
#[rustfmt::skip]
pub fn table() -> Vec<Refusal> {
    let huge_rows = Signature::new().operand(U8, &[1, 1, 1 << 20]).operand(I64, &[1 << 40]);
    let limited = Signature::new().operand(F32, &[4, 4, 4]).operand(I64, &[100]).limit(6400);
    vec![
        refusal("elements that overflow", shape(F32, &[HUGE, HUGE], None), E::TooLarge, ["-", "x", "-", MEMORY]),
        refusal("elements beyond isize", shape(U8, &[HUGE, 2], None), E::TooLarge, ["-", "x", "-", MEMORY]),
        refusal("a dimension beyond isize beside a 0", shape(U8, &[0, 1 << 63], None), E::TooLarge, ["-", "x", "9223372036854775808", "0..=9223372036854775807"]),
        refusal("bytes that overflow", shape(C128, &[HUGE], None), E::TooLarge, ["-", "x", "-", MEMORY]),
        refusal("bytes beyond isize", shape(F64, &[1 << 60], None), E::TooLarge, ["-", "x", "-", MEMORY]),
        refusal("one byte above the limit", shape(F32, &[4, 4], Some(63)), E::TooLarge, ["onnx::Slice@13", "-", "64", "0..=63 bytes"]),
        refusal("a range of 2^62 values", range(1 << 62, &Signature::new()), E::TooLarge, ["onnx::Range@11", "-", "-", MEMORY]),
        refusal("a range above the limit", range(100, &Signature::new().limit(799)), E::TooLarge, ["onnx::Range@11", "-", "800", "0..=799 bytes"]),
        refusal("a gather that overflows", growing(&huge_rows), E::TooLarge, ["onnx::Gather@13", "-", "-", MEMORY]),
        refusal("an intermediate result above the limit", growing(&limited), E::TooLarge, ["onnx::Gather@13", "-", "160000", "0..=6400 bytes"]),
        refusal("temporaries that together are above the limit", written_indices(3_199_999), E::TooLarge, ["onnx::Gather@13", "-", "3200000", "0..=3199999 bytes"]),
        refusal("a tensor whose bytes overflow", Tensor::zeros(F64, &[1 << 60]), E::TooLarge, ["-", "-", "-", MEMORY]),
        refusal("a tensor of 2^50 bytes", Tensor::zeros(U8, &[1 << 50]), E::OutOfMemory, ["-", "-", "1125899906842624", "-"]),
        refusal("strings of 2^50 bytes", Tensor::zeros(ElementType::String, &[1 << 46]), E::OutOfMemory, ["-", "-", "1688849860263936", "-"]),
        refusal("elements for another shape", Tensor::new(&[2, 2], &[1_i64, 2, 3]), E::OperandLength, ["-", "-", "24", "32 bytes"]),
        refusal("strings for another shape", Tensor::from_strings(&[2], vec![String::new()]), E::OperandLength, ["-", "-", "1", "2 strings"]),
        refusal("a bool of 2", Tensor::from_bytes(ElementType::Bool, &[2], vec![1, 2]), E::OperandType, ["-", "-", "2", "0 or 1"]),
        refusal("bytes for strings", Tensor::from_bytes(ElementType::String, &[0], Vec::new()), E::OperandType, ["-", "-", "-", "-"]),
    ]
}

#[test]
fn a_limit_admits_exactly_so_many_bytes() {
    assert_eq!(shape(F32, &[4, 4], Some(64)), Ok(vec![4, 4]));
    assert_eq!(range(100, &Signature::new().limit(800)), Ok(vec![100]));
    assert_eq!(written_indices(3_200_000), Ok(vec![200_000]));
    assert_eq!(shape(F32, &[0, HUGE], Some(0)), Ok(vec![0, HUGE]));
}

#[test]
fn huge_shapes_without_an_element_are_fine() {
    for dims in [[HUGE, 0], [0, HUGE], [0, isize::MAX as usize]] {
        let got = shape(C128, &dims, None).expect("no element");
        assert!(got.contains(&0), "{got:?}");
    }
}

/// The longest axis there is can only stand beside a 0; an index is within it all the same.
#[test]
fn an_index_into_the_longest_axis_is_fine_beside_a_zero() {
    let gather = Gather::onnx(13).indices("ids").axis(1);
    let program = Program::chain("x")
        .then(gather)
        .build()
        .expect("a valid program");
    let longest = isize::MAX as usize;
    let signature = Signature::new()
        .operand(U8, &[0, longest])
        .operand(I64, &[2]);
    assert_eq!(program.output_shape(&signature), Ok(vec![0, 2]));
    for (engine, run) in crate::suite::ENGINES {
        let inputs = [(&[0_u8; 0]).into(), (&[5_i64, -1]).into()];
        let ran = run(&program, &signature, &inputs, (&mut [0_u8; 0]).into());
        assert_eq!(ran, Ok(()), "{engine}");
    }
}

/// One element, taken from operands whose declared sizes do not exist in memory: the buffers are compared, nothing is read.
#[test]
fn an_operand_that_cannot_exist_is_a_length_that_differs() {
    let program = Program::chain("x")
        .then(Slice::onnx(13).starts([0]).ends([1]))
        .build();
    let program = program.expect("a valid program");
    let signature = Signature::new().operand(U8, &[1 << 60]);
    for (engine, run) in crate::suite::ENGINES {
        let mut y = [0_u8];
        let refused = run(
            &program,
            &signature,
            &[(&[1_u8, 2]).into()],
            (&mut y).into(),
        );
        let error = refused.expect_err("two elements are not 2^60");
        assert_eq!(error.kind(), E::OperandLength, "{engine}: {error}");
        crate::reads_well(&error);
    }
}

/// A result of 2^50 bytes whose operand is one element with stride 0: it compiles, and no vector of it can be had.
#[test]
fn a_result_that_no_allocator_gives_is_refused_and_not_an_abort() {
    let program = Program::chain("x")
        .then(Slice::onnx(13).starts([0]).ends([i64::MAX]))
        .build();
    let program = program.expect("a valid program");
    let signature = Signature::new().strided(U8, &[1 << 50], &[0], 0);
    let plan = program.compile(&signature).expect("one byte, very often");
    assert_eq!(plan.output_len(), 1 << 50);
    let zeros = Tensor::zeros(plan.element_type(), plan.shape());
    assert_eq!(zeros.map_err(|error| error.kind()), Err(E::OutOfMemory));
    collect(&program, &signature);
}

#[cfg(feature = "jit")]
fn collect(program: &Program, signature: &Signature) {
    let kernel = xslice::Jit::new()
        .compile(program, signature)
        .expect("it compiles");
    let refused = kernel.collect::<u8>(&[(&[7_u8]).into()]);
    let error = refused.expect_err("no allocator has it");
    assert_eq!(error.kind(), E::OutOfMemory);
    crate::reads_well(&error);
    let refused = kernel.collect::<i8>(&[(&[7_u8]).into()]);
    assert_eq!(refused.map_err(|error| error.kind()), Err(E::OperandType));
}

#[cfg(not(feature = "jit"))]
fn collect(_: &Program, _: &Signature) {
    println!("collect belongs to kernels: not tried without the feature jit");
}

/// A temporary between two nests that no allocator gives: refused at the call, by every engine.
#[test]
fn a_temporary_that_no_allocator_gives_is_refused() {
    let rule = xslice::ReshapeRule::Reshape { zero_copies: false };
    let flat = Tensor::vector(&[1 << 50]);
    let reshape = xslice::Reshape::new("onnx::Reshape@13", rule, Some(flat.into()));
    let row = Slice::onnx(13).starts([0]).ends([1]);
    let program = Program::chain("x")
        .then(reshape)
        .then(row)
        .build()
        .expect("a valid program");
    let signature = Signature::new().strided(U8, &[1 << 25, 1 << 25], &[0, 1], 0);
    let plan = program.compile(&signature).expect("numbers only");
    if plan.temporaries().is_empty() {
        println!("the compiler has found a way without a temporary");
        return;
    }
    let x = vec![0_u8; 1 << 25];
    for (engine, run) in crate::suite::ENGINES {
        let mut y = [0_u8];
        let refused = run(&program, &signature, &[(&x).into()], (&mut y).into());
        let error = refused.expect_err("no allocator has it");
        assert_eq!(error.kind(), E::OutOfMemory, "{engine}: {error}");
    }
    let refused = Scratch::new().prepare(plan.temporaries());
    assert_eq!(refused.map_err(|error| error.kind()), Err(E::OutOfMemory));
}

/// Indices of 2^40 constants by a Range, one of which is outside: found without the memory of all, and without the time.
#[test]
fn a_huge_range_of_indices_is_refused_at_its_first_index_outside() {
    let by = |start: i64, limit: i64, delta: i64, matrix: bool| {
        let mut graph = Graph::new();
        let x = graph.operand("x", None).expect("a new name");
        let ids = Range::onnx(11).start(start).limit(limit).delta(delta);
        let mut ids = graph.apply(ids, None, None).expect("a valid range");
        if matrix {
            let rule = xslice::ReshapeRule::Reshape { zero_copies: false };
            let shape = Tensor::vector(&[1 << 20, -1]);
            let reshape = xslice::Reshape::new("onnx::Reshape@13", rule, Some(shape.into()));
            ids = graph.apply(reshape, Some(ids), None).expect("valid");
            let bottom_up = Slice::onnx(13).starts([-1]).ends([i64::MIN]).steps([-1]);
            ids = graph.apply(bottom_up, Some(ids), None).expect("valid");
        }
        let gather = Gather::onnx(13).indices(ids);
        let rows = graph.apply(gather, Some(x), None).expect("valid");
        let program = graph.finish(rows).expect("a value of this graph");
        let signature = Signature::new().operand(U8, &[1 << 39]);
        let error = program.compile(&signature).expect_err("outside");
        assert_eq!(error.kind(), E::IndexRange);
        let value = error.offending_value().map(String::from);
        (error.offender_position(), value)
    };
    let at = |position: usize, value: i64| (Some(position), Some(value.to_string()));
    let half = 1 << 39;
    assert_eq!(by(0, 1 << 40, 1, false), at(1 << 39, half));
    assert_eq!(
        by(5 - half, 1 << 40, 3, false),
        at(366_503_875_924, half + 1)
    );
    assert_eq!(
        by(1, -(1 << 40), -1, false),
        at(half as usize + 2, -half - 1)
    );
    // Row by row from the last: the first value of the last row is outside at once, or the first row that reaches the bound has it.
    assert_eq!(by(0, 1 << 40, 1, true), at(0, (1 << 40) - (1 << 20)));
    assert_eq!(
        by(-half - 9, (1 << 39) - 9, 1, true),
        at((1 << 40) - (1 << 20), -half - 9)
    );
}
