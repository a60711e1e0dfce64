//! What holds for every operator: 64-bit parameters, element types of versions, products with a 0 in them, bits that survive.

use crate::cases::describe::{at, by, gather, of, on, ov_slice, range, slice, strided};
use crate::{gives, iota, lists, refuses, suite, typed};
use xslice::ElementType::{Bf16, F16, F32};
use xslice::{
    Dialect, ErrorKind, Gather, Graph, Op, Program, Scratch, Signature, Slice, Tensor, runner,
};

#[test]
fn unsigned_parameters_above_the_largest_i64_mean_the_largest() {
    let far = || typed([u64::MAX]);
    lists(
        iota([3]).then(ov_slice(typed([1_u64]), far(), typed([1_u64]))),
        &[1_i64, 2],
    );
    lists(
        iota([3]).then(ov_slice(typed([1_u64]), far(), far())),
        &[1_i64],
    );
    lists(
        iota([3]).then(strided(typed([0_u64]), far())),
        &[0_i64, 1, 2],
    );
    let axes = iota([3]).then(ov_slice([0], [1], [1]).axes(far()));
    refuses(axes, ErrorKind::AxisRange);
}

#[test]
fn parameters_of_onnx_are_i32_or_i64_of_one_type() {
    let mixed = slice(13, [0], typed([2_i32]));
    refuses(iota([3]).then(mixed), ErrorKind::ParameterType);
    let narrow = slice(13, typed([0_i16]), typed([2_i16]));
    refuses(iota([3]).then(narrow), ErrorKind::ParameterType);
    refuses(iota([3]).gather(typed([0_u8])), ErrorKind::ParameterType);
    refuses(
        iota([3]).gather(range(0_i16, 2, 1)),
        ErrorKind::ParameterType,
    );
    refuses(of(range(0_u8, 2, 1)), ErrorKind::ElementType);
}

#[test]
fn bf16_came_with_version_13() {
    let data = || on(suite::numbered(Bf16, &[4], 0));
    for version in [1, 10, 11] {
        refuses(
            data().then(slice(version, [0], [2])),
            ErrorKind::ElementType,
        );
    }
    for version in [1, 11] {
        refuses(data().then(gather(version, [0])), ErrorKind::ElementType);
    }
    let rows = data().then(slice(13, [0], [2])).then(gather(13, [1]));
    assert!(rows.program().is_ok());
    let others = data().then(ov_slice([0], [2], [1])).then(strided([0], [1]));
    assert!(crate::cases::ways::gives(&others, &first(&data().operands[0].1)) > 0);
}

/// The first element alone.
fn first(tensor: &Tensor) -> Tensor {
    let ty = tensor.element_type();
    let bytes = tensor.bytes()[..ty.size()].to_vec();
    Tensor::from_bytes(ty, &[1], bytes).expect("one element")
}

#[test]
fn payloads_of_nan_survive() {
    let quiet = f32::from_bits(0x7fc1_2345);
    let signaling = f32::from_bits(0xff80_0001);
    let data = on(suite::tensor(&[3], &[quiet, signaling, -0.0_f32]));
    let backwards = data.at(at![by(.., -1)]);
    gives(backwards, &[3], &[-0.0_f32, signaling, quiet]);
    let half = on(Tensor::from_bytes(F16, &[2], vec![0x01, 0x7c, 0xff, 0xff]).expect("two halves"));
    let swapped = Tensor::from_bytes(F16, &[2], vec![0xff, 0xff, 0x01, 0x7c]).expect("two halves");
    crate::cases::ways::gives(&half.gather([1, 0]), &swapped);
}

#[test]
fn a_product_with_a_zero_in_it_is_zero_beside_any_dimension() {
    let huge = 1_usize << 62;
    let program = Program::chain("x").then(Slice::onnx(13).starts([0]).ends([1]).axes([0]));
    let program = program.build().expect("a valid program");
    let shape = |dims: &[usize]| program.output_shape(&Signature::new().operand(F32, dims));
    assert_eq!(shape(&[huge, 0, huge]), Ok(vec![1, 0, huge]));
    assert_eq!(shape(&[0, huge, huge]), Ok(vec![0, huge, huge]));
    let refused = shape(&[huge, huge]);
    assert_eq!(refused.map_err(|e| e.kind()), Err(ErrorKind::TooLarge));
}

#[test]
fn a_bool_is_0_or_1() {
    let refused = Tensor::from_bytes(xslice::ElementType::Bool, &[3], vec![0, 1, 2]);
    let error = refused.expect_err("2 is no bool");
    assert_eq!(error.kind(), ErrorKind::OperandType);
    let place = (error.offending_value(), error.offender_position());
    assert_eq!(place, (Some("2"), Some(2)));
}

#[test]
fn a_newer_opset_means_the_newest_known_version() {
    let version = |name, opset| Op::version_at(name, opset);
    assert_eq!(version("onnx::Slice", 9), Some(1));
    assert_eq!(version("onnx::Slice", 10), Some(10));
    assert_eq!(version("onnx::Slice", 12), Some(11));
    assert_eq!(version("onnx::Slice", 21), Some(13));
    assert_eq!(version("onnx::Gather", 10), Some(1));
    assert_eq!(version("onnx::Gather", 99), Some(13));
    assert_eq!(version("onnx::Range", 10), None);
    assert_eq!(version("onnx::Range", 13), Some(11));
    assert_eq!(version("onnx::Concat", 13), None);
}

#[test]
fn dialects_have_names() {
    for dialect in [
        Dialect::Standard,
        Dialect::OnnxRuntime,
        Dialect::OpenVinoText,
    ] {
        assert_eq!(Dialect::from_name(dialect.name()), Some(dialect));
    }
    assert_eq!(Dialect::from_name("numpy"), None);
}

/// `p` is data and indices of one gather, and two operators read what that gives.
#[test]
fn what_several_operators_read_is_the_same_for_each() -> Result<(), xslice::Error> {
    let mut graph = Graph::new();
    let x = graph.operand("x", None)?;
    let p = graph.operand("p", None)?;
    let own = graph.apply(Gather::onnx(13).indices(p), Some(p), None)?;
    let tail = graph.apply(Slice::onnx(13).starts([1]).ends([3]), Some(own), None)?;
    let cut = graph.apply(Slice::onnx(13).starts(own).ends([3, 2, 4]), Some(x), None)?;
    let rows = graph.apply(Gather::onnx(13).indices(tail), Some(cut), None)?;
    let program = graph.finish(rows)?;
    let p = Tensor::vector(&[1_i64, 0, 0]);
    let signature = Signature::new().operand(F32, &[3, 2, 4]).value(p.clone());
    let x: Vec<f32> = (0..24_u8).map(f32::from).collect();
    let plan = program.compile(&signature)?;
    let mut result = [0.0_f32; 6];
    runner::run(
        &plan,
        &[(&x).into(), p.as_input()],
        (&mut result).into(),
        &mut Scratch::new(),
    )?;
    // p[p] = [0, 1, 1]: the cut is x[0:3, 1:2, 1:4], its rows 1 and 1.
    assert_eq!(result, [13., 14., 15., 13., 14., 15.]);
    assert_eq!(plan.shape(), [2, 1, 3]);
    Ok(())
}
