//! ONNX Slice, versions 1, 10, 11, 13. Rows 1 to 10.

use super::describe::{Case, Value, slice, x};
use super::table;
use crate::suite::tensor;
use xslice::Dialect::OnnxRuntime;
use xslice::ElementType::{Bf16, Bool, F16, F32, F64, I8, I32, I64, String, U8};

const MIN: i64 = i64::MIN;
const MAX: i64 = i64::MAX;

/// Parameters of `i32`.
fn narrow<const N: usize>(values: [i32; N]) -> Value {
    tensor(&[N], &values).into()
}

table! {
    the_first_example_of_the_text (<f32[20, 10, 5]> x |> onnx::Slice@13(starts = [0, 0], ends = [3, 10], axes = [0, 1], steps = [1, 1]))
        => x(F32, [20, 10, 5]).then(slice(13, [0, 0], [3, 10]).axes([0, 1]).by([1, 1]));
    the_default_axes_are_the_first (<f32[20, 10, 5]> x |> onnx::Slice@11(starts = [0, 0, 3], ends = [20, 10, 4]))
        => x(F32, [20, 10, 5]).then(slice(11, [0, 0, 3], [20, 10, 4]));
    a_negative_end_counts_from_the_end (<f32[20, 10, 5]> x |> onnx::Slice@10(starts = [0], ends = [-1], axes = [1]))
        => x(F32, [20, 10, 5]).then(slice(10, [0], [-1]).axes([1]));
    a_start_past_the_end_gives_nothing (<f32[20, 10, 5]> x |> onnx::Slice@10(starts = [1000], ends = [1000], axes = [1]))
        => x(F32, [20, 10, 5]).then(slice(10, [1000], [1000]).axes([1]));
    an_end_past_the_end_clamps (<f32[20, 10, 5]> x |> onnx::Slice@1(starts = [1], ends = [1000]))
        => x(F32, [20, 10, 5]).then(slice(1, [1], [1000]));
    negative_steps_on_three_axes (<f32[20, 10, 5]> x
            |> onnx::Slice@11(starts = [20, 10, 4], ends = [0, 0, 1], axes = [0, 1, 2], steps = [-1, -3, -2]))
        => x(F32, [20, 10, 5]).then(slice(11, [20, 10, 4], [0, 0, 1]).axes([0, 1, 2]).by([-1, -3, -2]));
    axes_in_any_order (<i32[4, 5, 6]> x |> onnx::Slice@13(starts = [1, 2], ends = [5, 4], axes = [2, 0]))
        => x(I32, [4, 5, 6]).then(slice(13, [1, 2], [5, 4]).axes([2, 0]));
    version_1_without_axes (<f64[4, 4]> x |> onnx::Slice@1(starts = [0, 1], ends = [2, 3]))
        => x(F64, [4, 4]).then(slice(1, [0, 1], [2, 3]));
    version_10_with_steps (<f64[9]> x |> onnx::Slice@10(starts = [8], ends = [0], axes = [0], steps = [-2]))
        => x(F64, [9]).then(slice(10, [8], [0]).axes([0]).by([-2]));
    version_11_on_half_precision (<f16[9]> x |> onnx::Slice@11(starts = [1], ends = [8], axes = [0], steps = [3]))
        => x(F16, [9]).then(slice(11, [1], [8]).axes([0]).by([3]));
    version_13_takes_bf16 (<bf16[9]> x |> onnx::Slice@13(starts = [2], ends = [7]))
        => x(Bf16, [9]).then(slice(13, [2], [7]));
    bf16_before_version_13_is_refused (<bf16[9]> x |> onnx::Slice@11(starts = [2], ends = [7]))
        => x(Bf16, [9]).then(slice(11, [2], [7]));
    row_1_a_reversed_start_below_the_axis_is_element_0_in_10 (<f32[4]> x
            |> onnx::Slice@10(starts = [-100], ends = [-200], axes = [0], steps = [-1]))
        => x(F32, [4]).then(slice(10, [-100], [-200]).axes([0]).by([-1]));
    row_1_a_reversed_start_below_the_axis_is_element_0_in_11 (<f32[4]> x
            |> onnx::Slice@11(starts = [-100], ends = [-200], axes = [0], steps = [-1]))
        => x(F32, [4]).then(slice(11, [-100], [-200]).axes([0]).by([-1]));
    row_1_a_reversed_start_below_the_axis_is_element_0_in_13 (<f32[4]> x
            |> onnx::Slice@13(starts = [-100], ends = [-200], axes = [0], steps = [-1]))
        => x(F32, [4]).then(slice(13, [-100], [-200]).axes([0]).by([-1]));
    row_2_a_reversed_end_of_int_max_gives_nothing (<f32[4]> x |> onnx::Slice@13(starts = [3], ends = [i64::MAX], axes = [0], steps = [-1]))
        => x(F32, [4]).then(slice(13, [3], [MAX]).axes([0]).by([-1]));
    row_2_a_reversed_end_of_int_min_is_through_element_0 (<f32[4]> x
            |> onnx::Slice@13(starts = [3], ends = [i64::MIN], axes = [0], steps = [-1]))
        => x(F32, [4]).then(slice(13, [3], [MIN]).axes([0]).by([-1]));
    row_2_int_max_is_to_the_end_in_the_other_dialect (<f32[4]> x
            |> onnx::Slice@13(starts = [3], ends = [i64::MAX], axes = [0], steps = [-1], dialect = onnxruntime))
        => x(F32, [4]).then(slice(13, [3], [MAX]).axes([0]).by([-1]).dialect(OnnxRuntime));
    row_2_int32_max_is_to_the_end_in_the_other_dialect (<f32[4]> x
            |> onnx::Slice@13(starts = [2], ends = [i32::MAX], axes = [0], steps = [-2], dialect = onnxruntime))
        => x(F32, [4]).then(slice(13, [2], [i64::from(i32::MAX)]).axes([0]).by([-2]).dialect(OnnxRuntime));
    row_2_one_below_int_max_is_not_special
        => x(F32, [4]).then(slice(13, [3], [MAX - 1]).axes([0]).by([-1]).dialect(OnnxRuntime));
    row_2_a_forward_int_max_is_the_end (<f32[4]> x |> onnx::Slice@13(starts = [1], ends = [i64::MAX]))
        => x(F32, [4]).then(slice(13, [1], [MAX]));
    row_3_an_empty_axis_reversed (<f32[3, 0]> x |> onnx::Slice@13(starts = [-1], ends = [i64::MIN], axes = [1], steps = [-1]))
        => x(F32, [3, 0]).then(slice(13, [-1], [MIN]).axes([1]).by([-1]));
    row_3_an_empty_axis_forward (<f32[0, 3]> x |> onnx::Slice@13(starts = [0], ends = [5]))
        => x(F32, [0, 3]).then(slice(13, [0], [5]));
    row_4_a_repeated_axis_is_refused (<f32[4, 4]> x |> onnx::Slice@13(starts = [0, 0], ends = [1, 1], axes = [1, 1]))
        => x(F32, [4, 4]).then(slice(13, [0, 0], [1, 1]).axes([1, 1]));
    row_4_a_repeated_axis_in_mixed_signs_is_refused (<f32[4, 4]> x |> onnx::Slice@13(starts = [0, 0], ends = [1, 1], axes = [-1, 1]))
        => x(F32, [4, 4]).then(slice(13, [0, 0], [1, 1]).axes([-1, 1]));
    row_4_an_axis_past_the_rank_is_refused (<f32[4, 4]> x |> onnx::Slice@13(starts = [0], ends = [1], axes = [2]))
        => x(F32, [4, 4]).then(slice(13, [0], [1]).axes([2]));
    row_4_an_axis_before_the_first_is_refused (<f32[4, 4]> x |> onnx::Slice@13(starts = [0], ends = [1], axes = [-3]))
        => x(F32, [4, 4]).then(slice(13, [0], [1]).axes([-3]));
    row_5_rank_0_is_refused (<f32[]> x |> onnx::Slice@13(starts = [], ends = []))
        => x(F32, []).then(slice(13, [0_i64; 0], [0_i64; 0]));
    row_6_lists_of_different_lengths_are_refused (<f32[4, 4]> x |> onnx::Slice@13(starts = [0, 0], ends = [1]))
        => x(F32, [4, 4]).then(slice(13, [0, 0], [1]));
    row_6_more_entries_than_axes_are_refused (<f32[4]> x |> onnx::Slice@13(starts = [0, 0], ends = [1, 1]))
        => x(F32, [4]).then(slice(13, [0, 0], [1, 1]));
    row_6_empty_lists_are_the_identity (<i8[4, 2]> x |> onnx::Slice@13(starts = [], ends = []))
        => x(I8, [4, 2]).then(slice(13, [0_i64; 0], [0_i64; 0]));
    row_7_negative_axes_in_version_1 (<f32[4, 5]> x |> onnx::Slice@1(starts = [1], ends = [3], axes = [-1]))
        => x(F32, [4, 5]).then(slice(1, [1], [3]).axes([-1]));
    row_7_negative_axes_in_version_10 (<f32[4, 5]> x |> onnx::Slice@10(starts = [1], ends = [3], axes = [-2]))
        => x(F32, [4, 5]).then(slice(10, [1], [3]).axes([-2]));
    row_8_the_smallest_step_takes_one (<f32[5]> x |> onnx::Slice@13(starts = [3], ends = [i64::MIN], axes = [0], steps = [i64::MIN]))
        => x(F32, [5]).then(slice(13, [3], [MIN]).axes([0]).by([MIN]));
    row_8_the_largest_step_takes_one (<f32[5]> x |> onnx::Slice@13(starts = [1], ends = [i64::MAX], axes = [0], steps = [i64::MAX]))
        => x(F32, [5]).then(slice(13, [1], [MAX]).axes([0]).by([MAX]));
    row_8_extreme_bounds_and_steps_at_once (<u8[3, 3]> x
            |> onnx::Slice@13(starts = [i64::MIN, i64::MAX], ends = [i64::MAX, i64::MIN], axes = [0, 1], steps = [i64::MAX,
            i64::MIN]))
        => x(U8, [3, 3]).then(slice(13, [MIN, MAX], [MAX, MIN]).axes([0, 1]).by([MAX, MIN]));
    row_9_steps_without_axes (<f32[6, 6]> x |> onnx::Slice@13(starts = [5, 0], ends = [0, 6], steps = [-2, 4]))
        => x(F32, [6, 6]).then(slice(13, [5, 0], [0, 6]).by([-2, 4]));
    row_10_step_0_is_refused (<f32[6]> x |> onnx::Slice@13(starts = [0], ends = [6], steps = [0]))
        => x(F32, [6]).then(slice(13, [0], [6]).by([0]));
    row_10_step_0_on_an_empty_axis_is_refused (<f32[0]> x |> onnx::Slice@13(starts = [0], ends = [6], steps = [0]))
        => x(F32, [0]).then(slice(13, [0], [6]).by([0]));
    row_10_step_0_beside_an_empty_result_is_refused (<f32[6, 6]> x |> onnx::Slice@13(starts = [3, 0], ends = [3, 6], steps = [1, 0]))
        => x(F32, [6, 6]).then(slice(13, [3, 0], [3, 6]).by([1, 0]));
    parameters_of_i32
        => x(I64, [6, 5]).then(slice(13, narrow([4, 0]), narrow([0, i32::MAX])).axes(narrow([0, -1])).by(narrow([-2, 3])));
    parameters_of_i32_at_their_extremes
        => x(I64, [6]).then(slice(11, narrow([i32::MAX]), narrow([i32::MIN])).by(narrow([-1])));
    starts_at_run_time (<f32[8, 4], s: i64[1]> x |> onnx::Slice@13(starts = @s, ends = [7]))
        => x(F32, [8, 4]).given("s", tensor(&[1], &[-6_i64])).then(slice(13, "s", [7]));
    every_parameter_at_run_time (<string[8, 4], s: i64[2], e: i64[2], a: i64[2], t: i64[2]> x
            |> onnx::Slice@13(starts = @s, ends = @e, axes = @a, steps = @t))
        => x(String, [8, 4])
        .given("s", tensor(&[2], &[3_i64, 7])).given("e", tensor(&[2], &[0_i64, 1]))
        .given("a", tensor(&[2], &[1_i64, -2])).given("t", tensor(&[2], &[-1_i64, -2]))
        .then(slice(13, "s", "e").axes("a").by("t"));
    slice_of_a_slice_of_a_slice (<bool[30]> x |> onnx::Slice@13(starts = [1], ends = [29], steps = [2])
            |> onnx::Slice@10(starts = [-1], ends = [i64::MIN], axes = [0], steps = [-1])
            |> onnx::Slice@1(starts = [2], ends = [11]))
        => x(Bool, [30]).then(slice(13, [1], [29]).by([2])).then(slice(10, [-1], [MIN]).axes([0]).by([-1])).then(slice(1, [2], [11]));
    a_slice_that_leaves_one_element (<f32[5, 5]> x |> onnx::Slice@13(starts = [-1, 0], ends = [5, 1]))
        => x(F32, [5, 5]).then(slice(13, [-1, 0], [5, 1]));
    a_reversal_of_equal_shapes_is_no_identity (<f32[2, 2]> x |> onnx::Slice@13(starts = [1, 1], ends = [-3, -3], steps = [-1, -1]))
        => x(F32, [2, 2]).then(slice(13, [1, 1], [-3, -3]).by([-1, -1]));
}
