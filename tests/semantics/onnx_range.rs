//! Rows 16 to 21.

use crate::cases::describe::{Case, of, range, range_of};
use crate::{empty, lists, refuses, suite, typed};
use xslice::Dialect::{OnnxRuntime, OpenVinoText, Standard};
use xslice::{Dialect, Element, ErrorKind, Program, Range, Signature, Tensor};

fn in_dialect<T: Element>(dialect: Dialect, start: T, limit: T, delta: T) -> Case {
    of(range_of([start, limit, delta].map(Tensor::scalar), dialect))
}

#[test]
fn row_16_a_value_is_start_plus_i_times_delta_rounded_twice() {
    // A fused multiply-add would give 2.7755575615628914e-17 at the end, and so does adding again and again.
    let ours = [
        -0.3_f64,
        -0.19999999999999998,
        -0.09999999999999998,
        5.551115123125783e-17,
    ];
    let sums = [
        -0.3_f64,
        -0.19999999999999998,
        -0.09999999999999998,
        2.7755575615628914e-17,
    ];
    lists(in_dialect(Standard, -0.3, 0.05, 0.1), &ours);
    lists(in_dialect(OpenVinoText, -0.3, 0.05, 0.1), &ours);
    lists(in_dialect(OnnxRuntime, -0.3, 0.05, 0.1), &sums);
    lists(
        in_dialect(Standard, 0.0_f32, 0.35, 0.1),
        &[0.0_f32, 0.1, 0.2, 0.3],
    );
    for dialect in [Standard, OnnxRuntime, OpenVinoText] {
        lists(in_dialect(dialect, 5_i64, 50, 20), &[5_i64, 25, 45]);
        lists(in_dialect(dialect, 5_i16, -6, -5), &[5_i16, 0, -5]);
    }
}

#[test]
fn row_17_the_count_of_floats_divides_in_f64() {
    let count = |case: Case| {
        let program = case.program().expect("a valid program");
        program.output_shape(&Signature::new()).expect("a shape")[0]
    };
    assert_eq!(count(of(range(0.0_f64, 1.0, 0.1))), 10);
    // In f32, 1.0 - 0.0 and 0.1: the quotient in f64 is 9.99999985, its ceiling 10.
    assert_eq!(count(of(range(0.0_f32, 1.0, 0.1))), 10);
    // 0.3 in f32 lies above 0.3: the quotient in f64 is below 10, whatever f32 makes of it.
    assert_eq!(count(of(range(0.0_f32, 3.0, 0.3))), 10);
    // The difference is taken in f32: 2^24 + 1 is 2^24 there.
    assert_eq!(count(of(range(-1.0_f32, 16_777_216.0, 1_048_576.0))), 16);
    assert_eq!(count(of(range(-1.0_f64, 16_777_216.0, 1_048_576.0))), 17);
}

#[test]
fn row_18_the_count_of_integers_is_exact() {
    let big = 1_i64 << 53;
    lists(of(range(0, big + 1, big / 2)), &[0, big / 2, big]);
    lists(of(range(big, big + 3, 1)), &[big, big + 1, big + 2]);
    // The dialect counts in f64, where 2^53 + 1 is 2^53.
    lists(in_dialect(OnnxRuntime, 0, big + 1, big / 2), &[0, big / 2]);
}

#[test]
fn row_19_the_difference_may_overflow_the_type() {
    lists(
        of(range(i64::MIN, i64::MAX, i64::MAX)),
        &[i64::MIN, -1, i64::MAX - 1],
    );
    lists(of(range(i64::MAX, i64::MIN, i64::MIN)), &[i64::MAX, -1]);
    lists(
        of(range(i16::MIN, i16::MAX, 30_000)),
        &[-32_768_i16, -2_768, 27_232],
    );
    lists(
        of(range(i32::MIN, i32::MAX, i32::MAX)),
        &[i32::MIN, -1, i32::MAX - 1],
    );
}

#[test]
fn row_20_delta_0_and_counts_that_are_no_number_are_refused() {
    for dialect in [Standard, OnnxRuntime] {
        refuses(in_dialect(dialect, 0_i64, 5, 0), ErrorKind::DeltaZero);
        refuses(in_dialect(dialect, 5_i16, 5, 0), ErrorKind::DeltaZero);
        refuses(in_dialect(dialect, 0.0_f32, 5.0, 0.0), ErrorKind::DeltaZero);
        refuses(
            in_dialect(dialect, 0.0_f32, 5.0, -0.0),
            ErrorKind::DeltaZero,
        );
        refuses(
            in_dialect(dialect, 5.0_f64, 5.0, -0.0),
            ErrorKind::DeltaZero,
        );
        let not_finite = ErrorKind::CountNotFinite;
        refuses(in_dialect(dialect, f32::NAN, 1.0, 1.0), not_finite);
        refuses(in_dialect(dialect, 0.0, f64::NAN, 1.0), not_finite);
        refuses(in_dialect(dialect, 0.0, 1.0, f64::NAN), not_finite);
        refuses(in_dialect(dialect, 0.0, f32::INFINITY, 1.0), not_finite);
        refuses(
            in_dialect(dialect, f32::INFINITY, f32::INFINITY, 1.0),
            not_finite,
        );
        lists::<f32>(in_dialect(dialect, 0.0, f32::NEG_INFINITY, 1.0), &[]);
        lists::<f32>(in_dialect(dialect, 0.0, 5.0, f32::INFINITY), &[]);
        lists::<f64>(in_dialect(dialect, 0.0, 5.0, f64::NEG_INFINITY), &[]);
    }
}

#[test]
fn row_21_shape_1_is_a_scalar_and_a_huge_count_is_refused_before_memory() {
    let ones = [typed([2_i64]), typed([9_i64]), typed([3_i64])];
    lists(of(range_of(ones, Standard)), &[2_i64, 5, 8]);
    let two = [typed([2_i64, 2]), typed([9_i64, 9]), typed([3_i64, 3])];
    refuses(of(range_of(two, Standard)), ErrorKind::ParameterRank);
    let square = suite::tensor(&[1, 1], &[2_i64]);
    let ranks = [square, Tensor::scalar(9_i64), Tensor::scalar(3_i64)];
    refuses(of(range_of(ranks, Standard)), ErrorKind::ParameterRank);
    refuses(of(range(0_i64, i64::MAX, 1)), ErrorKind::TooLarge);
    refuses(of(range(0_i64, 1 << 61, 1)), ErrorKind::TooLarge);
    refuses(of(range(0.0_f64, 1e300, 1.0)), ErrorKind::TooLarge);
    empty(of(range(i64::MAX, 0, 1)), &[0]);
    let op = Range::onnx(11).start(0).limit(1000).delta(1);
    let program = Program::generate(op).expect("a valid program");
    assert!(program.compile(&Signature::new().limit(8000)).is_ok());
    let refused = program.compile(&Signature::new().limit(7999));
    assert_eq!(refused.map_err(|e| e.kind()), Err(ErrorKind::TooLarge));
}

/// What every engine gives for a text, of its operands in order; the values of all but the first are in the signature.
fn runs<T: Element + PartialEq + std::fmt::Debug>(text: &str, operands: &[Tensor], wanted: &[T]) {
    let program = Program::parse(text).expect(text);
    let data = &operands[0];
    let signature = Signature::new().operand(data.element_type(), data.shape());
    let signature = operands[1..].iter().fold(signature, |signature, operand| {
        signature.value(operand.clone())
    });
    let inputs: Vec<_> = operands.iter().map(Tensor::as_input).collect();
    let wanted = suite::tensor(&[wanted.len()], wanted);
    for (engine, run) in suite::ENGINES {
        let mut result = Tensor::zeros(T::TYPE, &[wanted.len()]).expect("a few elements");
        run(&program, &signature, &inputs, result.as_output())
            .unwrap_or_else(|error| panic!("{engine}: {text}: {error}"));
        assert_eq!(result, wanted, "{engine}: {text}");
    }
}

#[test]
fn literals_take_the_type_of_an_operand_that_no_text_declares() {
    let x = suite::tensor(&[5], &[10_u8, 11, 12, 13, 14]);
    let text = "x[@(onnx::Range@11(start = @s, limit = 4, delta = 1))]";
    runs(text, &[x.clone(), Tensor::scalar(1_i32)], &[11_u8, 12, 13]);
    runs(text, &[x.clone(), Tensor::scalar(2_i64)], &[12_u8, 13]);
    // Computed indices decide how many there are.
    let text = "x[@(onnx::Range@11(start = 3, limit = @(l[1]), delta = -1))]";
    let l = suite::tensor(&[2], &[7_i32, 0]);
    runs(text, &[x, l], &[13_u8, 12, 11]);
}
