//! OpenVINO Slice-8 and StridedSlice-1. Rows 22 to 39.

use super::describe::{Case, Value, ov_slice, strided, x};
use super::table;
use crate::suite::tensor;
use xslice::Dialect::OpenVinoText;
use xslice::Element;
use xslice::ElementType::{Bf16, C128, F32, I32, I64, String, U8};

const MIN: i64 = i64::MIN;
const MAX: i64 = i64::MAX;

/// Parameters of another integer type.
fn of<T: Element, const N: usize>(values: [T; N]) -> Value {
    tensor(&[N], &values).into()
}

table! {
    slice_8_forward (<f32[20, 10, 5]> x |> openvino::Slice@8(start = [0, 0], stop = [4, 6], step = [1, 2], axes = [0, 1]))
        => x(F32, [20, 10, 5]).then(ov_slice([0, 0], [4, 6], [1, 2]).axes([0, 1]));
    slice_8_without_axes (<f32[20, 10, 5]> x |> openvino::Slice@8(start = [18, 0, -2], stop = [i64::MAX, 10, 5], step = [1, 5, 1]))
        => x(F32, [20, 10, 5]).then(ov_slice([18, 0, -2], [MAX, 10, 5], [1, 5, 1]));
    slice_8_reversed (<bf16[10]> x |> openvino::Slice@8(start = [9], stop = [0], step = [-1]))
        => x(Bf16, [10]).then(ov_slice([9], [0], [-1]));
    slice_8_reversed_by_two_through_the_first (<f32[10]> x |> openvino::Slice@8(start = [9], stop = [-11], step = [-2]))
        => x(F32, [10]).then(ov_slice([9], [-11], [-2]));
    slice_8_reversed_through_int_min (<f32[10]> x |> openvino::Slice@8(start = [i64::MAX], stop = [i64::MIN], step = [-1]))
        => x(F32, [10]).then(ov_slice([MAX], [MIN], [-1]));
    row_22_a_reversed_start_below_the_axis_is_element_0 (<f32[4]> x |> openvino::Slice@8(start = [-100], stop = [-200], step = [-1]))
        => x(F32, [4]).then(ov_slice([-100], [-200], [-1]));
    row_22_a_reversed_stop_of_int_max_gives_nothing (<f32[4]> x |> openvino::Slice@8(start = [3], stop = [i64::MAX], step = [-1]))
        => x(F32, [4]).then(ov_slice([3], [MAX], [-1]));
    row_22_an_empty_axis_reversed (<f32[0, 2]> x |> openvino::Slice@8(start = [-1], stop = [i64::MIN], step = [-1]))
        => x(F32, [0, 2]).then(ov_slice([-1], [MIN], [-1]));
    row_23_duplicate_axes_are_refused (<f32[4, 4]> x |> openvino::Slice@8(start = [0, 0], stop = [1, 1], step = [1, 1], axes = [0, 0]))
        => x(F32, [4, 4]).then(ov_slice([0, 0], [1, 1], [1, 1]).axes([0, 0]));
    row_23_duplicate_axes_in_mixed_signs_are_refused (<f32[4, 4]> x
            |> openvino::Slice@8(start = [0, 0], stop = [1, 1], step = [1, 1], axes = [1, -1]))
        => x(F32, [4, 4]).then(ov_slice([0, 0], [1, 1], [1, 1]).axes([1, -1]));
    row_23_an_axis_past_the_rank_is_refused (<f32[4, 4]> x |> openvino::Slice@8(start = [0], stop = [1], step = [1], axes = [2]))
        => x(F32, [4, 4]).then(ov_slice([0], [1], [1]).axes([2]));
    row_23_step_0_is_refused (<f32[4, 4]> x |> openvino::Slice@8(start = [0], stop = [1], step = [0]))
        => x(F32, [4, 4]).then(ov_slice([0], [1], [0]));
    row_23_rank_0_is_refused (<f32[]> x |> openvino::Slice@8(start = [], stop = [], step = []))
        => x(F32, []).then(ov_slice([0_i64; 0], [0_i64; 0], [0_i64; 0]));
    row_23_different_lengths_are_refused (<f32[4, 4]> x |> openvino::Slice@8(start = [0, 0], stop = [1, 1], step = [1]))
        => x(F32, [4, 4]).then(ov_slice([0, 0], [1, 1], [1]));
    row_23_more_entries_than_axes_are_refused (<f32[4]> x |> openvino::Slice@8(start = [0, 0], stop = [1, 1], step = [1, 1]))
        => x(F32, [4]).then(ov_slice([0, 0], [1, 1], [1, 1]));
    row_23_axes_may_have_another_type => x(F32, [4, 6]).then(ov_slice([1, 5], [3, 0], [1, -2]).axes(of([0_u8, 1])));
    parameters_of_i8 => x(F32, [4, 6]).then(ov_slice(of([-1_i8, 0]), of([-128_i8, 127]), of([-1_i8, 2])));
    parameters_of_i16 => x(F32, [6]).then(ov_slice(of([i16::MAX]), of([i16::MIN]), of([-3_i16])));
    parameters_of_i32_in_openvino => x(F32, [6]).then(ov_slice(of([i32::MAX]), of([i32::MIN]), of([-1_i32])));
    parameters_of_u8_and_u16 => x(F32, [6]).then(ov_slice(of([1_u8]), of([u16::MAX]), of([2_u32])));
    parameters_of_u64_above_i64_saturate => x(F32, [6]).then(ov_slice(of([1_u64]), of([u64::MAX]), of([u64::MAX])));
    slice_8_parameters_at_run_time (<string[4, 6], a: i32[2], b: i32[2], c: i32[2]> x
            |> openvino::Slice@8(start = @a, stop = @b, step = @c))
        => x(String, [4, 6])
        .given("a", tensor(&[2], &[3_i32, 1])).given("b", tensor(&[2], &[0_i32, 6])).given("c", tensor(&[2], &[-2_i32, 2]))
        .then(ov_slice("a", "b", "c"));

    strided_slice_with_masks (<f32[2, 3, 4]> x
            |> openvino::StridedSlice@1(begin = [1, 0, 0], end = [0, 0, 2], stride = [1, 1, 1], begin_mask = [0, 1, 1],
            end_mask = [1, 1, 0]))
        => x(F32, [2, 3, 4]).then(strided([1, 0, 0], [0, 0, 2]).by([1, 1, 1]).begin_mask([0, 1, 1]).end_mask([1, 1, 0]));
    strided_slice_without_stride (<f32[2, 3, 4]> x |> openvino::StridedSlice@1(begin = [0, 1], end = [2, 3]))
        => x(F32, [2, 3, 4]).then(strided([0, 1], [2, 3]));
    strided_slice_inserts_an_axis (<f32[2, 3]> x |> openvino::StridedSlice@1(begin = [0, 0, 0], end = [0, 2, 3], new_axis_mask = [1]))
        => x(F32, [2, 3]).then(strided([0, 0, 0], [0, 2, 3]).new_axis([1]));
    strided_slice_drops_an_axis (<f32[2, 3]> x |> openvino::StridedSlice@1(begin = [0, -1], end = [2, 0], shrink_axis_mask = [0, 1]))
        => x(F32, [2, 3]).then(strided([0, -1], [2, 0]).shrink([0, 1]));
    strided_slice_skips_axes (<f32[2, 3, 4, 5]> x
            |> openvino::StridedSlice@1(begin = [1, 0, 4], end = [2, 0, 0], stride = [1, 1, -2], ellipsis_mask = [0, 1]))
        => x(F32, [2, 3, 4, 5]).then(strided([1, 0, 4], [2, 0, 0]).by([1, 1, -2]).ellipsis([0, 1]));
    strided_slice_with_every_mask (<i32[4, 3, 2, 5]> x
            |> openvino::StridedSlice@1(begin = [1, 0, 0, 0, 3], end = [3, 0, 0, 0, 0], stride = [1, 1, 1, 1, -1],
            end_mask = [0, 0, 0, 0, 1], new_axis_mask = [0, 1], shrink_axis_mask = [0, 0, 0, 1], ellipsis_mask = [0, 0, 1]))
        => x(I32, [4, 3, 2, 5]).then(strided([1, 0, 0, 0, 3], [3, 0, 0, 0, 0]).by([1, 1, 1, 1, -1])
            .end_mask([0, 0, 0, 0, 1]).new_axis([0, 1]).shrink([0, 0, 0, 1]).ellipsis([0, 0, 1]));
    row_25_begin_equal_to_end_gives_nothing (<f32[4]> x |> openvino::StridedSlice@1(begin = [2], end = [2]))
        => x(F32, [4]).then(strided([2], [2]));
    row_25_one_element_in_the_dialect (<f32[4]> x |> openvino::StridedSlice@1(begin = [2], end = [2], dialect = openvino_text))
        => x(F32, [4]).then(strided([2], [2]).dialect(OpenVinoText));
    row_25_compared_as_given_in_the_dialect (<f32[4]> x |> openvino::StridedSlice@1(begin = [3], end = [-1], dialect = openvino_text))
        => x(F32, [4]).then(strided([3], [-1]).dialect(OpenVinoText));
    row_25_the_one_element_clamps_in_the_dialect (<f32[4]> x
            |> openvino::StridedSlice@1(begin = [-100], end = [-100], stride = [-1], dialect = openvino_text))
        => x(F32, [4]).then(strided([-100], [-100]).by([-1]).dialect(OpenVinoText));
    row_25_an_empty_axis_in_the_dialect => x(F32, [0]).then(strided([0], [0]).dialect(OpenVinoText));
    row_25_not_where_a_mask_bit_is_set_in_the_dialect
        => x(F32, [4]).then(strided([1], [1]).begin_mask([1]).dialect(OpenVinoText));
    row_26_a_reversed_end_mask_is_through_element_0 (<f32[4]> x
            |> openvino::StridedSlice@1(begin = [3], end = [2], stride = [-1], end_mask = [1]))
        => x(F32, [4]).then(strided([3], [2]).by([-1]).end_mask([1]));
    row_26_stops_before_element_0_in_the_dialect (<f32[4]> x
            |> openvino::StridedSlice@1(begin = [3], end = [2], stride = [-1], end_mask = [1], dialect = openvino_text))
        => x(F32, [4]).then(strided([3], [2]).by([-1]).end_mask([1]).dialect(OpenVinoText));
    row_26_both_masks_reversed (<f32[5]> x
            |> openvino::StridedSlice@1(begin = [0], end = [0], stride = [-2], begin_mask = [1], end_mask = [1]))
        => x(F32, [5]).then(strided([0], [0]).by([-2]).begin_mask([1]).end_mask([1]));
    row_27_the_first_example_has_three_elements (<f32[4]> x |> openvino::StridedSlice@1(begin = [3], end = [0], stride = [-1]))
        => x(F32, [4]).then(strided([3], [0]).by([-1]));
    row_27_the_clamping_example_is_empty (<f32[2, 3]> x |> openvino::StridedSlice@1(begin = [2, 3], end = [100, 200]))
        => x(F32, [2, 3]).then(strided([2, 3], [100, 200]));
    row_28_reversed_begin_past_the_end (<f32[4]> x |> openvino::StridedSlice@1(begin = [100], end = [0], stride = [-1]))
        => x(F32, [4]).then(strided([100], [0]).by([-1]));
    row_28_reversed_begin_below_the_axis (<f32[4]> x |> openvino::StridedSlice@1(begin = [-100], end = [-200], stride = [-1]))
        => x(F32, [4]).then(strided([-100], [-200]).by([-1]));
    row_28_reversed_end_past_the_end (<f32[4]> x |> openvino::StridedSlice@1(begin = [3], end = [100], stride = [-1]))
        => x(F32, [4]).then(strided([3], [100]).by([-1]));
    row_28_reversed_over_the_64_bit_range (<f32[4]> x
            |> openvino::StridedSlice@1(begin = [i64::MAX], end = [i64::MIN], stride = [i64::MIN]))
        => x(F32, [4]).then(strided([MAX], [MIN]).by([MIN]));
    row_29_shrink_ignores_end_and_stride (<f32[3, 4]> x
            |> openvino::StridedSlice@1(begin = [1], end = [0], stride = [0], shrink_axis_mask = [1]))
        => x(F32, [3, 4]).then(strided([1], [0]).by([0]).shrink([1]));
    row_29_shrink_out_of_range_is_refused (<f32[3, 4]> x |> openvino::StridedSlice@1(begin = [3], end = [4], shrink_axis_mask = [1]))
        => x(F32, [3, 4]).then(strided([3], [4]).shrink([1]));
    row_29_shrink_below_the_axis_is_refused (<f32[3, 4]> x |> openvino::StridedSlice@1(begin = [-4], end = [4], shrink_axis_mask = [1]))
        => x(F32, [3, 4]).then(strided([-4], [4]).shrink([1]));
    row_29_shrink_clamps_in_the_dialect (<f32[3, 4]> x
            |> openvino::StridedSlice@1(begin = [100], end = [4], shrink_axis_mask = [1], dialect = openvino_text))
        => x(F32, [3, 4]).then(strided([100], [4]).shrink([1]).dialect(OpenVinoText));
    row_30_begin_mask_and_shrink_is_element_0 (<f32[3, 4]> x
            |> openvino::StridedSlice@1(begin = [2], end = [3], begin_mask = [1], shrink_axis_mask = [1]))
        => x(F32, [3, 4]).then(strided([2], [3]).begin_mask([1]).shrink([1]));
    row_31_ellipsis_over_new_axis_over_shrink (<f32[3, 4]> x
            |> openvino::StridedSlice@1(begin = [0], end = [1], new_axis_mask = [1], shrink_axis_mask = [1],
            ellipsis_mask = [1]))
        => x(F32, [3, 4]).then(strided([0], [1]).new_axis([1]).shrink([1]).ellipsis([1]));
    row_31_new_axis_over_shrink (<f32[3, 4]> x
            |> openvino::StridedSlice@1(begin = [0], end = [1], new_axis_mask = [1], shrink_axis_mask = [1]))
        => x(F32, [3, 4]).then(strided([0], [1]).new_axis([1]).shrink([1]));
    row_32_surplus_mask_bits_are_ignored (<f32[3, 4]> x
            |> openvino::StridedSlice@1(begin = [1], end = [2], new_axis_mask = [0, 1, 1], shrink_axis_mask = [0, 1]))
        => x(F32, [3, 4]).then(strided([1], [2]).new_axis([0, 1, 1]).shrink([0, 1]));
    row_32_new_axis_bits_beyond_the_entries_do_not_widen_the_ellipsis
        => x(F32, [3, 4, 5]).then(strided([0, 1], [0, 2]).new_axis([0, 0, 1]).ellipsis([1]));
    row_33_a_mask_value_of_2_is_refused => x(F32, [3]).then(strided([0], [1]).begin_mask([2]));
    row_33_two_ellipses_are_refused => x(F32, [3, 4]).then(strided([0, 0], [1, 1]).ellipsis([1, 1]));
    row_33_more_entries_than_axes_are_refused => x(F32, [3]).then(strided([0, 0], [1, 1]));
    row_33_more_entries_than_axes_with_an_ellipsis_are_refused
        => x(F32, [3]).then(strided([0, 0, 0], [1, 1, 1]).ellipsis([1]));
    row_33_an_ellipsis_over_no_axis (<f32[3]> x |> openvino::StridedSlice@1(begin = [0, 1], end = [0, 3], ellipsis_mask = [1]))
        => x(F32, [3]).then(strided([0, 1], [0, 3]).ellipsis([1]));
    row_33_fewer_entries_leave_the_rest_whole => x(F32, [3, 2, 2]).then(strided([1], [3]));
    row_33_no_entry_is_the_identity => x(F32, [3, 2]).then(strided([0_i64; 0], [0_i64; 0]));
    row_33_rank_0_is_the_identity => x(F32, []).then(strided([0, 0], [1, 1]).new_axis([1]));
    row_34_stride_0_is_refused => x(F32, [3]).then(strided([0], [1]).by([0]));
    row_34_stride_0_on_an_empty_axis_is_refused => x(F32, [0]).then(strided([0], [1]).by([0]));
    row_34_stride_0_under_a_new_axis_is_ignored => x(F32, [3]).then(strided([0, 1], [0, 3]).by([0, 1]).new_axis([1]));
    row_34_stride_0_under_an_ellipsis_is_ignored
        => x(F32, [3]).then(strided([0, 1], [0, 3]).by([0, 1]).ellipsis([1]));
    row_35_an_empty_axis_reversed
        => x(F32, [0, 2]).then(strided([0, 0], [0, 0]).by([-1, -1]).begin_mask([1, 1]).end_mask([1, 1]));
    row_36_shrink_on_an_empty_axis_is_refused => x(F32, [0, 2]).then(strided([0], [1]).shrink([1]));
    row_36_shrink_on_an_empty_axis_is_refused_in_the_dialect
        => x(F32, [0, 2]).then(strided([0], [1]).shrink([1]).dialect(OpenVinoText));
    row_37_a_new_axis_consumes_no_dimension => x(F32, [2, 3]).then(strided([0, 1, 1], [0, 2, 3]).new_axis([1]));
    row_38_new_axes_on_both_sides_of_ten_dimensions
        => x(U8, [1, 2, 1, 2, 1, 2, 1, 2, 1, 2]).then(strided([0, 0, 0], [0, 0, 0]).new_axis([1, 0, 1]).ellipsis([0, 1]));
    row_39_different_lengths_are_refused => x(F32, [3, 3]).then(strided([0, 0], [1]));
    row_39_a_stride_of_another_length_is_refused => x(F32, [3, 3]).then(strided([0, 0], [1, 1]).by([1]));
    strided_slice_on_complex_numbers => x(C128, [3, 4]).then(strided([0, 3], [3, 0]).by([2, -1]));
    strided_slice_of_strings_at_run_time
        => x(String, [3, 4]).given("b", tensor(&[1], &[-2_i64])).then(strided("b", [3]));
    new_axis_and_shrink_with_fewer_entries_than_dimensions
        => x(I64, [2, 3, 4]).then(strided([0, 1], [1, 2]).new_axis([1]).shrink([0, 1]));
    parameters_of_u8_in_strided_slice => x(F32, [6]).then(strided(of([1_u8]), of([255_u8])).by(of([2_u8])));
}
