//! What operators, brackets and graphs refuse.

use crate::cases::describe::{
    At, Case, Step, Value, at, by, gather, list, of, on, ov_slice, range, range_of, slice, strided,
    x,
};
use crate::cases::ways;
use crate::suite::{numbered, tensor};
use crate::{Refusal, refusal};
use xslice::ElementType::{Bf16, F32};
use xslice::{
    Dialect, Element, Error, ErrorKind as E, Gather, Graph, Index, Program, Range, Reshape,
    ReshapeRule, Slice, StridedSlice, Tensor,
};

/// Every engine refuses it in the same words: these.
#[track_caller]
fn all(case: Case) -> Result<(), Error> {
    Err(ways::refuses(&case))
}

fn four() -> Case {
    x(F32, [4, 4])
}

fn typed<T: Element, const N: usize>(values: [T; N]) -> Value {
    tensor(&[N], &values).into()
}

fn scalar() -> Value {
    Tensor::scalar(0_i64).into()
}

const S13: &str = "onnx::Slice@13";
const G13: &str = "onnx::Gather@13";
const R11: &str = "onnx::Range@11";
const O8: &str = "openvino::Slice@8";
const SS1: &str = "openvino::StridedSlice@1";
/// Above `i64::MAX`: starts, ends and steps saturate, axes and indices are refused by this value.
const BEYOND: u64 = 9_223_372_036_854_775_813;
const INTEGERS: &str = "i8, i16, i32, i64, u8, u16, u32, u64";

/// Types, ranks and lengths of parameters.
#[rustfmt::skip]
pub fn parameters() -> Vec<Refusal> {
    vec![
        refusal("a parameter of f32", all(four().then(slice(13, typed([0.0_f32]), [1]))), E::ParameterType, [S13, "starts", "f32", "i32, i64"]),
        refusal("a parameter of bool", all(four().then(slice(13, [0], typed([true])))), E::ParameterType, [S13, "ends", "bool", "i32, i64"]),
        refusal("axes of u8", all(four().then(slice(13, [0], [1]).axes(typed([0_u8])))), E::ParameterType, [S13, "axes", "u8", "i32, i64"]),
        refusal("two integer types", all(four().then(slice(10, [0], typed([1_i32])))), E::ParameterType, ["onnx::Slice@10", "ends", "i32", "i64"]),
        refusal("version 1 with i32", all(four().then(slice(1, typed([0_i32]), [1]))), E::ParameterType, ["onnx::Slice@1", "starts", "i32", "i64"]),
        refusal("indices of f32", all(four().gather(typed([0.0_f32]))), E::ParameterType, [G13, "indices", "f32", "i32, i64"]),
        refusal("indices of u64", all(four().gather(typed([0_u64]))), E::ParameterType, [G13, "indices", "u64", "i32, i64"]),
        refusal("indices of strings", all(four().gather(numbered(xslice::ElementType::String, &[1], 0))), E::ParameterType, [G13, "indices", "string", "i32, i64"]),
        refusal("a boolean mask as indices", all(four().at(at![typed([true, false, true, true])])), E::ParameterType, ["index", "indices", "bool", "i32, i64"]),
        refusal("openvino with f64", all(four().then(ov_slice([0], typed([1.0_f64]), [1]))), E::ParameterType, [O8, "stop", "f64", INTEGERS]),
        refusal("strided slice with f16 bits", all(four().then(strided([0], [1]).by(numbered(xslice::ElementType::F16, &[1], 0)))), E::ParameterType, [SS1, "stride", "f16", INTEGERS]),
        refusal("a range of u8", all(of(range(0_u8, 1, 1))), E::ElementType, [R11, "start", "u8", "i16, i32, i64, f32, f64"]),
        refusal("a range of strings", all(of(range(String::new(), String::new(), String::new()))), E::ElementType, [R11, "start", "string", "i16, i32, i64, f32, f64"]),
        refusal("a range of two types", all(of(range_of([Tensor::scalar(0_i64), Tensor::scalar(5_i32), Tensor::scalar(1_i64)], Dialect::Standard))), E::ParameterType, [R11, "limit", "i32", "i64"]),
        refusal("scalar starts", all(four().then(slice(13, scalar(), [1]))), E::ParameterRank, [S13, "starts", "[]", "rank 1"]),
        refusal("a matrix of axes", all(four().then(slice(13, [0], [1]).axes(tensor(&[1, 1], &[0_i64])))), E::ParameterRank, [S13, "axes", "[1, 1]", "rank 1"]),
        refusal("scalar begin", all(four().then(strided(scalar(), [1]))), E::ParameterRank, [SS1, "begin", "[]", "rank 1"]),
        refusal("a vector for a scalar", all(of(range_of([tensor(&[2], &[0_i64, 1]), Tensor::scalar(5_i64), Tensor::scalar(1_i64)], Dialect::Standard))), E::ParameterRank, [R11, "start", "[2]", "a scalar: shape [] or [1]"]),
        refusal("an empty vector for a scalar", all(of(range_of([Tensor::scalar(0_i64), tensor::<i64>(&[0], &[]), Tensor::scalar(1_i64)], Dialect::Standard))), E::ParameterRank, [R11, "limit", "[0]", "a scalar: shape [] or [1]"]),
        refusal("fewer ends than starts", all(four().then(slice(13, [0, 0], [1]))), E::LengthMismatch, [S13, "ends", "1", "2 entries"]),
        refusal("more axes than starts", all(four().then(slice(13, [0], [1]).axes([0, 1]))), E::LengthMismatch, [S13, "axes", "2", "1 entry"]),
        refusal("fewer steps than starts", all(four().then(slice(11, [0, 0], [1, 1]).by([1]))), E::LengthMismatch, ["onnx::Slice@11", "steps", "1", "2 entries"]),
        refusal("fewer stops than starts", all(four().then(ov_slice([0, 0], [1], [1, 1]))), E::LengthMismatch, [O8, "stop", "1", "2 entries"]),
        refusal("more strides than begins", all(four().then(strided([0], [1]).by([1, 1]))), E::LengthMismatch, [SS1, "stride", "2", "1 entry"]),
        refusal("more starts than axes", all(x(F32, [4]).then(slice(13, [0, 0], [1, 1]))), E::TooManyEntries, [S13, "starts", "2", "0..=1 entries"]),
        refusal("more begins than axes", all(x(F32, [4]).then(strided([0, 0], [1, 1]))), E::TooManyEntries, [SS1, "begin", "2", "0..=1 entries"]),
        refusal("more begins that take an axis than axes", all(x(F32, [4]).then(strided([9, 0, 0], [0, 0, 0]).new_axis([1]))), E::TooManyEntries, [SS1, "begin", "2", "0..=1 that are no new axis or ellipsis"]),
        refusal("more begins than axes beside an ellipsis", all(x(F32, [4]).then(strided([0, 1, 1], [0, 0, 0]).ellipsis([1]))), E::TooManyEntries, [SS1, "begin", "2", "0..=1 that are no new axis or ellipsis"]),
        refusal("more starts than axes in openvino", all(x(F32, [4]).then(ov_slice([0, 0], [1, 1], [1, 1]))), E::TooManyEntries, [O8, "start", "2", "0..=1 entries"]),
    ]
}

/// Rules of the texts.
#[rustfmt::skip]
pub fn rules() -> Vec<Refusal> {
    let bf16 = || on(numbered(Bf16, &[4], 0));
    vec![
        refusal("step 0", all(four().then(slice(13, [0, 0], [1, 1]).by([1, 0]))), E::StepZero, [S13, "steps", "0", "any value but 0"]),
        refusal("step 0 in openvino", all(four().then(ov_slice([0], [1], [0]))), E::StepZero, [O8, "step", "0", "any value but 0"]),
        refusal("stride 0", all(four().then(strided([0], [1]).by([0]))), E::StepZero, [SS1, "stride", "0", "any value but 0"]),
        refusal("axis 2 of rank 2", all(four().then(slice(13, [0], [1]).axes([2]))), E::AxisRange, [S13, "axes", "2", "-2..=1"]),
        refusal("axis -3 of rank 2", all(four().then(ov_slice([0], [1], [1]).axes([-3]))), E::AxisRange, [O8, "axes", "-3", "-2..=1"]),
        refusal("an axis that only u64 holds", all(four().then(ov_slice([0], [1], [1]).axes(typed([BEYOND])))), E::AxisRange, [O8, "axes", "9223372036854775813", "-2..=1"]),
        refusal("the smallest axis", all(four().then(slice(13, [0], [1]).axes([i64::MIN]))), E::AxisRange, [S13, "axes", "-9223372036854775808", "-2..=1"]),
        refusal("gather on axis 2 of rank 2", all(four().then(gather(13, [0]).axis(2))), E::AxisRange, [G13, "axis", "2", "-2..=1"]),
        refusal("gather on the largest axis", all(four().then(gather(1, [0]).axis(i64::MAX))), E::AxisRange, ["onnx::Gather@1", "axis", "9223372036854775807", "-2..=1"]),
        refusal("an axis twice", all(four().then(slice(13, [0, 0], [1, 1]).axes([1, -1]))), E::AxisRepeated, [S13, "axes", "-1", "each axis once"]),
        refusal("an axis twice in openvino", all(four().then(ov_slice([0, 0], [1, 1], [1, 1]).axes([0, 0]))), E::AxisRepeated, [O8, "axes", "0", "each axis once"]),
        refusal("slice of rank 0", all(x(F32, []).then(slice(13, [0_i64; 0], [0_i64; 0]))), E::RankZero, [S13, "data", "0", "rank 1 or more"]),
        refusal("gather of rank 0", all(x(F32, []).gather([0])), E::RankZero, [G13, "data", "0", "rank 1 or more"]),
        refusal("openvino slice of rank 0", all(x(F32, []).then(ov_slice([0_i64; 0], [0_i64; 0], [0_i64; 0]))), E::RankZero, [O8, "data", "0", "rank 1 or more"]),
        refusal("bf16 in slice 11", all(bf16().then(slice(11, [0], [1]))), E::ElementType, ["onnx::Slice@11", "data", "bf16", "every other element type"]),
        refusal("bf16 in gather 11", all(bf16().then(gather(11, [0]))), E::ElementType, ["onnx::Gather@11", "data", "bf16", "every other element type"]),
        refusal("a mask of 2", all(four().then(strided([0], [1]).shrink([0, 2]))), E::MaskValue, [SS1, "shrink_axis_mask", "2", "0 or 1"]),
        refusal("a mask of -1", all(four().then(strided([0], [1]).new_axis([-1]))), E::MaskValue, [SS1, "new_axis_mask", "-1", "0 or 1"]),
        refusal("two ellipses", all(four().then(strided([0, 0], [1, 1]).ellipsis([1, 1]))), E::EllipsisMask, [SS1, "ellipsis_mask", "2", "one bit at most"]),
        refusal("shrink out of range", all(four().then(strided([0, -5], [1, 1]).shrink([0, 1]))), E::IndexRange, [SS1, "begin", "-5", "-4..=3"]),
        refusal("shrink by an index that only u64 holds", all(four().then(strided(typed([BEYOND]), [0]).shrink([1]))), E::IndexRange, [SS1, "begin", "9223372036854775813", "-4..=3"]),
        refusal("shrink of an empty axis", all(x(F32, [0]).then(strided([0], [1]).shrink([1]))), E::IndexRange, [SS1, "begin", "0", "no index: the axis is empty"]),
        refusal("a constant index", all(four().then(gather(13, [0, 4]).axis(1))), E::IndexRange, [G13, "indices", "4", "-4..=3"]),
        refusal("a run-time index", all(four().ids(&[3], [0, 1, -5]).gather("ids")), E::IndexRange, [G13, "indices", "-5", "-4..=3"]),
        refusal("an index out of a range", all(four().gather(range(2_i64, 6, 1))), E::IndexRange, [G13, "indices", "4", "-4..=3"]),
        refusal("an index into an empty axis", all(x(F32, [0]).ids(&[1], [0]).gather("ids")), E::IndexRange, [G13, "indices", "0", "no index: the axis is empty"]),
    ]
}

/// Brackets.
#[rustfmt::skip]
pub fn brackets() -> Vec<Refusal> {
    vec![
        refusal("an empty bracket", all(four().at(Vec::<At>::new())), E::Syntax, ["index", "-", "-", "-"]),
        refusal("step 0 in a bracket", all(four().at(at![.., by(.., 0)])), E::StepZero, ["index", "step", "0", "any value but 0"]),
        refusal("three indices for two axes", all(four().at(at![0, 1, 2])), E::TooManyIndices, ["index", "-", "3", "0..=2 indices"]),
        refusal("two ellipses in a bracket", all(four().at(at![At::Dots, At::Dots])), E::TwoEllipses, ["index", "-", "-", "one `...`"]),
        refusal("two lists in a bracket", all(four().at(at![list([0]), list([0])])), E::TwoGathers, ["index", "-", "-", "one `@name` or list a bracket"]),
        refusal("an integer away from a list", all(four().at(at![0, At::New, list([0])])), E::MixedGather, ["index", "-", "0", "an integer directly beside the gather"]),
        refusal("an integer out of range", all(four().at(at![.., 4])), E::IndexRange, ["index", "-", "4", "-4..=3"]),
        refusal("an integer into an empty axis", all(x(F32, [3, 0]).at(at![.., 0])), E::IndexRange, ["index", "-", "0", "no index: the axis is empty"]),
        refusal("a list out of range", all(four().at(at![list([0, -5])])), E::IndexRange, ["index", "indices", "-5", "-4..=3"]),
    ]
}

/// Range, Reshape, Squeeze, Unsqueeze.
#[rustfmt::skip]
pub fn ranges_and_reshapes() -> Vec<Refusal> {
    const FINITE: &str = "values whose (limit - start) / delta is finite";
    const RESHAPE: &str = "onnx::Reshape@14";
    let reshape = |shape: &[i64]| all(four().then(Step::Reshape(shape.to_vec())));
    vec![
        refusal("delta 0", all(of(range(0_i64, 5, 0))), E::DeltaZero, [R11, "delta", "0", "any value but 0"]),
        refusal("delta -0.0", all(of(range(0.0_f32, 5.0, -0.0))), E::DeltaZero, [R11, "delta", "-0.0", "any value but 0"]),
        refusal("a start of NaN", all(of(range(f32::NAN, 5.0, 1.0))), E::CountNotFinite, [R11, "start", "NaN", FINITE]),
        refusal("a count beyond f32", all(of(range(-3e38_f32, 3e38, 1e38))), E::CountNotFinite, [R11, "limit", "3e38", FINITE]),
        refusal("an infinite limit", all(of(range(0.0_f64, f64::INFINITY, 1.0))), E::CountNotFinite, [R11, "limit", "inf", FINITE]),
        refusal("an infinite start", all(of(range(f64::NEG_INFINITY, 0.0, 1.0))), E::CountNotFinite, [R11, "start", "-inf", FINITE]),
        refusal("another number of elements", reshape(&[3, 5]), E::Reshape, [RESHAPE, "shape", "[3, 5]", "16 elements"]),
        refusal("two free dimensions", reshape(&[-1, -1]), E::Reshape, [RESHAPE, "shape", "[-1, -1]", "one -1"]),
        refusal("no free dimension fits", reshape(&[3, -1]), E::Reshape, [RESHAPE, "shape", "[3, -1]", "dimensions that divide 16"]),
        refusal("no free dimension beside a 0", chain(Reshape::new(RESHAPE, ReshapeRule::Reshape { zero_copies: false }, Some(vec![0, -1].into()))).and_then(|all| all.output_shape(&xslice::Signature::new().operand(F32, &[4, 4]))), E::Reshape, [RESHAPE, "shape", "[0, -1]", "no -1 where another dimension is 0"]),
        refusal("a dimension of -2", reshape(&[-2, 8]), E::Reshape, [RESHAPE, "shape", "[-2, 8]", "-1 or more"]),
        refusal("a copied axis that is not there", reshape(&[4, 4, 0]), E::Reshape, [RESHAPE, "shape", "[4, 4, 0]", "0 in the first 2 places"]),
        refusal("a squeezed axis of 4", all(four().then(Step::Squeeze(vec![1]))), E::Reshape, ["onnx::Squeeze@13", "axes", "4", "size 1"]),
        refusal("a shape of u8 by ONNX's text", chain(Reshape::new(RESHAPE, ReshapeRule::Reshape { zero_copies: true }, Some(tensor(&[1], &[16_u8]).into())).onnx(14)), E::ParameterType, [RESHAPE, "shape", "u8", "i64"]),
        refusal("a matrix of squeezed axes", chain(Reshape::new("onnx::Squeeze@13", ReshapeRule::Squeeze { keeps_others: false }, Some(Tensor::new(&[1, 1], &[0_i64]).expect("a matrix").into()))), E::ParameterRank, ["onnx::Squeeze@13", "axes", "[1, 1]", "rank 0 or 1"]),
        refusal("a squeezed axis of a scalar", all(x(F32, []).then(Step::Squeeze(vec![0]))), E::AxisRange, ["onnx::Squeeze@13", "axes", "0", "no axis"]),
        refusal("a squeezed axis that is not there", all(four().then(Step::Squeeze(vec![2]))), E::AxisRange, ["onnx::Squeeze@13", "axes", "2", "-2..=1"]),
        refusal("an unsqueezed axis twice", all(four().then(Step::Unsqueeze(vec![0, -4]))), E::AxisRepeated, ["onnx::Unsqueeze@13", "axes", "-4", "each axis once"]),
        refusal("an unsqueezed axis too far", all(four().then(Step::Unsqueeze(vec![3]))), E::AxisRange, ["onnx::Unsqueeze@13", "axes", "3", "-3..=2"]),
    ]
}

fn chain(op: impl Into<xslice::Op>) -> Result<Program, Error> {
    Program::chain("x").then(op).build()
}

/// Versions, inputs, and graphs that name what is not there.
#[rustfmt::skip]
pub fn graphs() -> Vec<Refusal> {
    vec![
        refusal("slice 12", chain(Slice::onnx(12).starts([0]).ends([1])), E::UnknownVersion, ["onnx::Slice@12", "-", "12", "1, 10, 11 or 13"]),
        refusal("gather 10", chain(Gather::onnx(10).indices([0])), E::UnknownVersion, ["onnx::Gather@10", "-", "10", "1, 11 or 13"]),
        refusal("range 13", Program::generate(Range::onnx(13).start(0).limit(1).delta(1)), E::UnknownVersion, ["onnx::Range@13", "-", "13", "11"]),
        refusal("openvino slice 7", chain(Slice::openvino(7).start([0]).stop([1]).step([1])), E::UnknownVersion, ["openvino::Slice@7", "-", "7", "8"]),
        refusal("strided slice 2", chain(StridedSlice::openvino(2).begin([0]).end([1])), E::UnknownVersion, ["openvino::StridedSlice@2", "-", "2", "1"]),
        refusal("no starts", chain(Slice::onnx(13).ends([1])), E::MissingAttribute, [S13, "starts", "-", "-"]),
        refusal("no ends", chain(Slice::onnx(1).starts([1])), E::MissingAttribute, ["onnx::Slice@1", "ends", "-", "-"]),
        refusal("no indices", chain(Gather::onnx(13)), E::MissingAttribute, [G13, "indices", "-", "-"]),
        refusal("no step", chain(Slice::openvino(8).start([0]).stop([1])), E::MissingAttribute, [O8, "step", "-", "-"]),
        refusal("no end", chain(StridedSlice::openvino(1).begin([0])), E::MissingAttribute, [SS1, "end", "-", "-"]),
        refusal("no limit", Program::generate(Range::onnx(11).start(0).delta(1)), E::MissingAttribute, [R11, "limit", "-", "-"]),
        refusal("no shape", chain(Reshape::new("onnx::Reshape@5", ReshapeRule::Reshape { zero_copies: true }, None)), E::MissingAttribute, ["onnx::Reshape@5", "shape", "-", "-"]),
        refusal("steps in version 1", chain(Slice::onnx(1).starts([0]).ends([1]).steps([1])), E::UnknownAttribute, ["onnx::Slice@1", "steps", "-", "starts, ends, axes"]),
        refusal("an operand that is not declared", undeclared(), E::UnknownOperand, [G13, "ids", "-", "-"]),
        refusal("a value of another graph", foreign(), E::UnknownOperand, [G13, "-", "-", "-"]),
        refusal("a result of another graph", foreign_result(), E::UnknownOperand, ["-", "-", "-", "-"]),
        refusal("an operand declared twice", twice(), E::RepeatedOperand, ["-", "x", "-", "-"]),
        refusal("data for a generator", generator_with_data(), E::OperandCount, [R11, "data", "-", "-"]),
        refusal("no data", no_data(), E::MissingAttribute, ["index", "data", "-", "-"]),
    ]
}

fn undeclared() -> Result<(), Error> {
    let mut graph = Graph::new();
    let x = graph.operand("x", None)?;
    graph
        .apply(Gather::onnx(13).indices("ids"), Some(x), None)
        .map(|_| ())
}

/// The last of many values of another graph: this one has no value of that number.
fn elsewhere() -> Result<xslice::ValueId, Error> {
    let mut other = Graph::new();
    for k in 0..9 {
        other.operand(&format!("x{k}"), None)?;
    }
    other.operand("last", None)
}

fn foreign() -> Result<(), Error> {
    let mut graph = Graph::new();
    let x = graph.operand("x", None)?;
    let step = Gather::onnx(13).indices(elsewhere()?);
    graph.apply(step, Some(x), None).map(|_| ())
}

fn foreign_result() -> Result<(), Error> {
    let mut graph = Graph::new();
    graph.operand("x", None)?;
    graph.finish(elsewhere()?).map(|_| ())
}

fn twice() -> Result<(), Error> {
    let mut graph = Graph::new();
    graph.operand("x", None)?;
    graph.operand("x", None).map(|_| ())
}

fn generator_with_data() -> Result<(), Error> {
    let mut graph = Graph::new();
    let x = graph.operand("x", None)?;
    let op = Range::onnx(11).start(0).limit(1).delta(1);
    graph.apply(op, Some(x), None).map(|_| ())
}

fn no_data() -> Result<(), Error> {
    let entry = xslice::Entry::Ellipsis;
    Graph::new()
        .apply(Index::new([entry]), None, None)
        .map(|_| ())
}

#[test]
fn a_node_of_a_model_is_named_early_and_late() {
    let mut graph = Graph::new();
    let x = graph.operand("x", None).expect("a new name");
    let early = Slice::onnx(13).starts([0]).ends([1]).steps([0]);
    let error = graph
        .apply(early, Some(x), Some("crop/Slice_3"))
        .expect_err("step 0");
    assert!(
        error
            .to_string()
            .starts_with("node `crop/Slice_3`: onnx::Slice@13: "),
        "{error}"
    );
    assert_eq!(error.node_name(), Some("crop/Slice_3"));
    let gathered = graph.apply(Gather::onnx(13).indices([9]), Some(x), Some("rows"));
    let program = graph
        .finish(gathered.expect("needs a shape"))
        .expect("a value of this graph");
    let signature = xslice::Signature::new().operand(F32, &[3]);
    let error = program.compile(&signature).expect_err("9 of 3");
    assert_eq!(error.node_name(), Some("rows"));
    assert_eq!(error.operator_name(), Some(G13));
}

/// `s` has three values, which decide what `x` is cut to.
fn computed(text: &str) -> Error {
    let program = Program::parse(text).expect("legal without shapes");
    let signature = xslice::Signature::new()
        .operand(F32, &[4])
        .value(tensor(&[3], &[0_i64, 1, 2]));
    program.compile(&signature).expect_err(text)
}

#[test]
fn an_operator_inside_a_parameter_is_named_and_not_the_one_that_reads_it() {
    let slice = |start: &str| {
        computed(&format!(
            "x |> onnx::Slice@13(starts = @({start}), ends = [3])"
        ))
    };
    for (start, operator, kind) in [
        (
            "s |> onnx::Slice@11(starts = [0], ends = [1], axes = [3])",
            "onnx::Slice@11",
            E::AxisRange,
        ),
        ("s[5]", "index", E::IndexRange),
        ("s[[0, 5]]", "index", E::IndexRange),
        (
            "s |> onnx::Gather@11(indices = [3])",
            "onnx::Gather@11",
            E::IndexRange,
        ),
        (
            "s |> onnx::Gather@11(indices = [0], axis = 1)",
            "onnx::Gather@11",
            E::AxisRange,
        ),
        ("s[:2]", S13, E::LengthMismatch),
    ] {
        let error = slice(start);
        assert_eq!(error.kind(), kind, "{error}");
        assert_eq!(error.operator_name(), Some(operator), "{error}");
    }
}

#[test]
fn a_node_inside_a_parameter_is_named() {
    let mut graph = Graph::new();
    let x = graph.operand("x", None).expect("a new name");
    let s = graph.operand("s", None).expect("a new name");
    let first = Slice::onnx(13).starts([0]).ends([1]).axes([3]);
    let first = graph.apply(first, Some(s), Some("crop/Slice_1"));
    let whole = Slice::onnx(11)
        .starts(first.expect("needs a shape"))
        .ends([3]);
    let whole = graph.apply(whole, Some(x), Some("crop/Slice_2"));
    let program = graph
        .finish(whole.expect("needs a shape"))
        .expect("a value of this graph");
    let signature = xslice::Signature::new()
        .operand(F32, &[4])
        .value(tensor(&[3], &[0_i64, 1, 2]));
    let error = program.compile(&signature).expect_err("axis 3 of rank 1");
    assert_eq!(error.node_name(), Some("crop/Slice_1"), "{error}");
    assert_eq!(error.operator_name(), Some(S13), "{error}");
}

/// The words of a refusal of `x`, an `i64[4]`; `a` is above `i64::MAX`.
#[track_caller]
fn says(text: &str, words: &str) {
    let program = Program::parse(text).expect("legal without shapes");
    let mut signature = xslice::Signature::new().operand(xslice::ElementType::I64, &[4]);
    if program.operands().len() > 1 {
        signature = signature.value(tensor(&[1], &[BEYOND]));
    }
    let error = program.compile(&signature).expect_err(text).to_string();
    assert!(error.contains(words), "{error}");
}

#[test]
fn a_refusal_names_the_parameter_the_place_and_the_value_that_is_given() {
    says(
        "x |> openvino::Slice@8(start = [0], stop = [1], step = [1], axes = @a)",
        "`axes[0]` = 9223372036854775813 is no axis of data of rank 1",
    );
    says(
        "x |> openvino::StridedSlice@1(begin = @a, end = [0], shrink_axis_mask = [1])",
        "`begin[0]` = 9223372036854775813 is out of range for axis 0 of size 4",
    );
    says(
        "x |> openvino::StridedSlice@1(begin = [9], end = [0], shrink_axis_mask = [1])",
        "`begin[0]` = 9 is out of range for axis 0 of size 4",
    );
    says("x[9]", "index 9 is out of range for axis 0 of size 4");
}

#[test]
fn a_refusal_counts_the_entries_that_take_an_axis() {
    let strided = |rest: &str| format!("x |> openvino::StridedSlice@1({rest})");
    says(
        &strided("begin = [9, 0, 0], end = [0, 0, 0], new_axis_mask = [1]"),
        "2 entries of `begin` take an axis but the data has 1 axis ",
    );
    says(
        &strided("begin = [0, 1, 1], end = [0, 0, 0], ellipsis_mask = [1]"),
        "2 entries of `begin` take an axis but the data has 1 axis ",
    );
    says(
        &strided("begin = [0, 1, 1], end = [0, 0, 0]"),
        "`begin` has 3 entries but the data has 1 axis ",
    );
    says("x[0, 0]", "2 indices for data with 1 axis ");
}

#[test]
fn a_float_is_shown_as_its_type_shows_it() {
    let text = "<f32> onnx::Range@11(start = -3e38, limit = 3e38, delta = 1e38)";
    let program = Program::parse(text).expect("legal without values");
    let error = program.compile(&xslice::Signature::new());
    let error = error.expect_err(text).to_string();
    assert!(error.contains("`limit` = 3e38 gives"), "{error}");
}
