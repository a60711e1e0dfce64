//! ONNX Range, version 11. Rows 16 to 21.

use super::describe::{Case, Value, at, by, of, range, range_of, walk, x};
use super::{describe, table};
use crate::suite::tensor;
use xslice::Dialect::{OnnxRuntime, Standard};
use xslice::ElementType::F32;
use xslice::{Element, Tensor};

/// A case on this Range in this dialect.
fn ort<T: Element>(start: T, limit: T, delta: T) -> Case {
    of(range_of(
        [start, limit, delta].map(Tensor::scalar),
        OnnxRuntime,
    ))
}

/// A shape `[1]` where the text wants a scalar.
fn one(value: i64) -> Value {
    tensor(&[1], &[value]).into()
}

table! {
    the_first_example_of_range (<f32> onnx::Range@11(start = 1.0, limit = 5.0, delta = 2.0))
        => of(range(1.0_f32, 5.0, 2.0));
    the_second_example_of_range (<i32> onnx::Range@11(start = 10, limit = 6, delta = -3)) => of(range(10_i32, 6, -3));
    a_range_of_i16 (<i16> onnx::Range@11(start = -5, limit = 6, delta = 5)) => of(range(-5_i16, 6, 5));
    a_range_of_i64 (<i64> onnx::Range@11(start = 10, limit = 4, delta = -2)) => of(range(10_i64, 4, -2));
    a_range_of_f64 (<f64> onnx::Range@11(start = 0.0, limit = 1.0, delta = 0.1)) => of(range(0.0_f64, 1.0, 0.1));
    a_range_without_a_value (<i64> onnx::Range@11(start = 3, limit = 3, delta = 1)) => of(range(3_i64, 3, 1));
    a_range_away_from_its_limit (<i64> onnx::Range@11(start = 3, limit = 5, delta = -1)) => of(range(3_i64, 5, -1));
    a_range_whose_count_is_exact (<i64> onnx::Range@11(start = 0, limit = 9, delta = 3)) => of(range(0_i64, 9, 3));
    row_16_multiply_then_add => of(range(0.1_f32, 100.0, 0.3));
    row_16_multiply_then_add_in_f64 => of(range(0.1_f64, 30.0, 0.1));
    a_slice_of_a_float_range => of(range(0.1_f32, 100.0, 0.3)).then(describe::slice(13, [100], [300]).by([7]));
    row_16_accumulated_floats => ort(0.1_f32, 100.0, 0.3);
    row_16_accumulated_floats_then_sliced => ort(0.1_f32, 100.0, 0.3).at(at![by(.., -7)]);
    row_16_accumulated_doubles => ort(0.1_f64, 20.0, 0.1);
    row_17_the_count_of_floats => of(range(0.0_f32, 1.0, 0.1));
    row_17_the_count_of_downward_floats => of(range(1.0_f32, -0.3, -0.1));
    row_18_the_count_of_large_integers => of(range((1_i64 << 53) + 1, (1 << 53) + 4, 1));
    row_18_the_dialect_counts_in_f64 => ort(0_i64, (1 << 53) + 1, 1 << 52);
    row_18_large_steps => of(range(i64::MIN, i64::MAX, i64::MAX));
    row_19_the_difference_overflows_i64 => of(range(i64::MIN, i64::MAX, 1 << 61));
    row_19_the_difference_overflows_i64_downward => of(range(i64::MAX, i64::MIN, i64::MIN));
    row_19_the_difference_overflows_i16 => of(range(i16::MIN, i16::MAX, 1000));
    row_19_the_difference_overflows_i32 => of(range(i32::MAX, i32::MIN, -1_000_000_000));
    row_20_delta_0_is_refused (<i64> onnx::Range@11(start = 0, limit = 5, delta = 0)) => of(range(0_i64, 5, 0));
    row_20_delta_0_is_refused_when_start_is_the_limit => of(range(5_i64, 5, 0));
    row_20_delta_minus_0_is_refused => of(range(0.0_f32, 5.0, -0.0));
    row_20_nan_is_refused => of(range(0.0_f32, f32::NAN, 1.0));
    row_20_a_nan_delta_is_refused => of(range(0.0_f64, 1.0, f64::NAN));
    row_20_an_infinite_count_is_refused => of(range(0.0_f32, f32::INFINITY, 1.0));
    row_20_infinities_on_both_sides_are_refused => of(range(f64::INFINITY, f64::INFINITY, 1.0));
    row_20_an_infinite_delta_gives_nothing => of(range(0.0_f32, 5.0, f32::INFINITY));
    row_20_an_infinite_negative_delta_gives_nothing => of(range(0.0_f64, 5.0, f64::NEG_INFINITY));
    row_20_an_infinite_limit_behind_gives_nothing => of(range(0.0_f32, f32::NEG_INFINITY, 1.0));
    row_21_shape_1_is_a_scalar => of(range_of([one(1), one(9), one(3)], Standard));
    row_21_shape_1_beside_a_scalar => of(range_of([one(1), 9.into(), one(3)], Standard));
    parameters_of_a_range_at_run_time (<i64, a: i64[], b: i64[], c: i64[]> onnx::Range@11(start = @a, limit = @b, delta = @c))
        => of(range_of(["a", "b", "c"], Standard))
        .given("a", Tensor::scalar(7_i64)).given("b", Tensor::scalar(-8_i64)).given("c", Tensor::scalar(-4_i64));
    slice_of_a_range (<i64> onnx::Range@11(start = 0, limit = 20, delta = 3) |> [4:1:-2])
        => of(range(0_i64, 20, 3)).at(at![walk(4, 1, -2)]);
    gather_of_a_range (<f64, ids: i64[2, 2]> onnx::Range@11(start = 0.5, limit = 4.0, delta = 0.5) |> [@ids])
        => of(range(0.5_f64, 4.0, 0.5)).ids(&[2, 2], [0, -1, 3, -7]).at(at!["ids"]);
    gather_of_a_range_out_of_range_is_refused => of(range(0_i64, 4, 1)).ids(&[2], [3, 4]).at(at!["ids"]);
    gather_by_a_range (<f32[8, 2]> x[@(<i64> onnx::Range@11(start = 0, limit = 8, delta = 2))])
        => x(F32, [8, 2]).gather(range(0_i64, 8, 2));
    gather_by_a_reversed_range => x(F32, [8, 2]).gather(range(7_i64, -1, -3));
    gather_by_a_range_across_zero => x(F32, [8, 2]).gather(range(2_i64, -4, -1));
    gather_by_a_negative_range => x(F32, [8, 2]).gather(range(-8_i64, 0, 3));
    gather_by_a_range_of_i32 => x(F32, [8, 2]).gather(range(1_i32, 8, 5));
    gather_by_a_range_that_ends_on_the_last => x(F32, [8, 2]).gather(range(1_i64, 8, 2));
    gather_by_a_range_that_ends_on_the_first => x(F32, [8, 2]).gather(range(-1_i64, -9, -1));
    gather_by_a_range_one_past_the_end_is_refused => x(F32, [8, 2]).gather(range(0_i64, 9, 4));
    gather_by_a_range_one_below_the_start_is_refused => x(F32, [8, 2]).gather(range(-1_i64, -10, -4));
    gather_by_a_range_past_the_end_is_refused => x(F32, [8, 2]).gather(range(0_i64, 10, 3));
    gather_by_an_empty_range => x(F32, [8, 2]).gather(range(0_i64, 0, 1));
    gather_by_a_sliced_range => x(F32, [8, 2]).gather(range(0_i64, 100, 1).at(at![walk(6, 1, -2)]));
    gather_by_a_gathered_range => x(F32, [8, 2]).ids(&[3], [3, 0, -1]).gather(range(0_i64, 8, 2).at(at!["ids"]));
    gather_by_a_gathered_reversed_range => x(F32, [8, 2]).ids(&[3], [3, 0, -1]).gather(range(7_i64, -1, -2).at(at!["ids"]));
    gather_by_a_gathered_range_below_zero => x(F32, [8, 2]).ids(&[3], [3, 0, -1]).gather(range(-8_i64, 0, 2).at(at!["ids"]));
    gather_by_a_gathered_range_across_zero => x(F32, [8, 2]).ids(&[2, 2], [3, 0, -1, 0]).gather(range(-6_i64, 7, 4).at(at!["ids"]));
    gather_by_a_gathered_range_of_i32 => x(F32, [8, 2]).ids(&[3], [3, 0, -1]).gather(range(6_i32, -1, -2).at(at!["ids"]));
    gather_by_a_slice_of_a_gathered_range
        => x(F32, [8, 2]).ids(&[4], [3, 0, -1, 2]).gather(range(0_i64, 8, 2).at(at!["ids"]).at(at![walk(3, 0, -2)]));
    gather_by_what_is_within_of_a_gathered_range_beyond_the_axis => x(F32, [8, 2]).ids(&[3], [2, 0, 1]).gather(range(-4_i64, 90, 4).at(at!["ids"]));
    gather_by_a_gathered_range_beyond_the_axis_is_refused
        => x(F32, [8, 2]).ids(&[3], [0, 2, -1]).gather(range(0_i64, 100, 5).at(at!["ids"]));
    gather_by_a_gathered_range_out_of_range_is_refused
        => x(F32, [8, 2]).ids(&[3], [0, 4, -1]).gather(range(0_i64, 8, 2).at(at!["ids"]));
    range_of_gathered_bounds
        => of(range_of([Value::from("x").at(at![1]), Value::from("x").at(at![-1]), Value::from("x")
            .at(at![0])], Standard)).given("x", tensor(&[3], &[3_i64, -2, 11]));
}
