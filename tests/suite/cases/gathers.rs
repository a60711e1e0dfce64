//! ONNX Gather, versions 1, 11, 13. Rows 11 to 15.

use super::describe::{Case, gather, of, x};
use super::table;
use crate::suite::tensor;
use xslice::ElementType::{Bf16, Bool, C64, F16, F32, F64, I32, I64, String, U8};

const BIG: i64 = 1 << 32;

table! {
    gather_counts_from_the_end (<u8[3, 2], ids: i64[3]> x[@ids]) => x(U8, [3, 2]).ids(&[3], [0, -1, 0]).gather("ids");
    the_first_example_of_gather (<f32[3, 2], ids: i64[2, 2]> x |> onnx::Gather@13(indices = @ids))
        => x(F32, [3, 2]).ids(&[2, 2], [0, 1, 1, 2]).gather("ids");
    the_second_example_of_gather (<f32[3, 3], ids: i64[1, 2]> x |> onnx::Gather@13(indices = @ids, axis = 1))
        => x(F32, [3, 3]).ids(&[1, 2], [0, 2]).then(gather(13, "ids").axis(1));
    version_1_counts_from_the_end (<f32[3], ids: i64[2]> x |> onnx::Gather@1(indices = @ids))
        => x(F32, [3]).ids(&[2], [-3, -1]).then(gather(1, "ids"));
    version_11_counts_from_the_end (<f32[3], ids: i64[2]> x |> onnx::Gather@11(indices = @ids))
        => x(F32, [3]).ids(&[2], [-3, -1]).then(gather(11, "ids"));
    row_11_every_negative_index (<f64[4], ids: i64[4]> x[@ids])
        => x(F64, [4]).ids(&[4], [-1, -2, -3, -4]).gather("ids");
    row_12_an_index_past_the_end_is_refused (<f32[4], ids: i64[2]> x |> onnx::Gather@13(indices = @ids))
        => x(F32, [4]).ids(&[2], [0, 4]).gather("ids");
    row_12_an_index_below_the_start_is_refused (<f32[4], ids: i64[2]> x |> onnx::Gather@13(indices = @ids))
        => x(F32, [4]).ids(&[2], [0, -5]).gather("ids");
    row_12_refused_beside_an_empty_result (<f32[4, 0], ids: i64[1]> x |> onnx::Gather@13(indices = @ids))
        => x(F32, [4, 0]).ids(&[1], [4]).gather("ids");
    row_12_any_index_into_an_empty_axis_is_refused (<f32[0, 3], ids: i64[1]> x |> onnx::Gather@13(indices = @ids))
        => x(F32, [0, 3]).ids(&[1], [0]).gather("ids");
    row_12_no_index_into_an_empty_axis (<f32[0, 3], ids: i64[0]> x[@ids])
        => x(F32, [0, 3]).ids(&[0], []).gather("ids");
    row_12_no_index_of_rank_2 (<f32[4, 3], ids: i64[2, 0]> x[@ids]) => x(F32, [4, 3]).ids(&[2, 0], []).gather("ids");
    row_12_indices_in_range_beside_an_empty_axis (<f32[4, 0], ids: i64[2]> x[@ids])
        => x(F32, [4, 0]).ids(&[2], [-4, 3]).gather("ids");
    row_13_an_index_beyond_32_bits_is_refused (<f32[4], ids: i64[1]> x |> onnx::Gather@13(indices = @ids))
        => x(F32, [4]).ids(&[1], [BIG + 1]).gather("ids");
    row_13_an_index_below_32_bits_is_refused (<f32[4], ids: i64[1]> x |> onnx::Gather@13(indices = @ids))
        => x(F32, [4]).ids(&[1], [-BIG - 1]).gather("ids");
    row_13_the_extremes_are_refused (<f32[4], ids: i64[1]> x |> onnx::Gather@13(indices = @ids))
        => x(F32, [4]).ids(&[1], [i64::MIN]).gather("ids");
    row_13_the_constant_extremes_are_refused (<f32[4]> x |> onnx::Gather@13(indices = [9223372036854775807]))
        => x(F32, [4]).gather([i64::MAX]);
    row_14_every_string_of_each_block (<string[3, 4], ids: i64[2]> x[@ids])
        => x(String, [3, 4]).ids(&[2], [2, 0]).gather("ids");
    row_14_strings_on_the_last_axis (<string[3, 4], ids: i64[3]> x[:, @ids])
        => x(String, [3, 4]).ids(&[3], [3, -4, 3]).then(gather(13, "ids").axis(-1));
    row_15_the_output_has_rank_0 (<f32[5], ids: i64[]> x[@ids]) => x(F32, [5]).ids(&[], [-2]).gather("ids");
    row_15_scalar_indices_drop_an_axis (<f32[3, 4], ids: i64[]> x[:, @ids])
        => x(F32, [3, 4]).ids(&[], [1]).then(gather(13, "ids").axis(1));
    row_15_a_constant_scalar_drops_an_axis (<f32[3, 4]> x |> onnx::Gather@13(indices = -1, axis = 1))
        => x(F32, [3, 4]).then(gather(13, -1).axis(1));
    row_15_a_scalar_out_of_range_is_refused (<f32[3, 4], ids: i64[]> x |> onnx::Gather@13(indices = @ids))
        => x(F32, [3, 4]).ids(&[], [3]).gather("ids");
    row_15_indices_of_rank_4 (<u8[3, 2], ids: i64[1, 2, 2, 1]> x[@ids])
        => x(U8, [3, 2]).ids(&[1, 2, 2, 1], [0, 1, 2, -1]).gather("ids");
    gather_on_the_middle_axis (<f32[2, 5, 3], ids: i64[2, 2]> x[:, @ids])
        => x(F32, [2, 5, 3]).ids(&[2, 2], [4, 0, -2, 1]).then(gather(13, "ids").axis(1));
    gather_on_a_negative_axis (<f32[2, 5, 3], ids: i64[2]> x |> onnx::Gather@13(indices = @ids, axis = -2))
        => x(F32, [2, 5, 3]).ids(&[2], [4, -5]).then(gather(13, "ids").axis(-2));
    gather_on_an_axis_past_the_rank_is_refused (<f32[2, 5], ids: i64[2]> x |> onnx::Gather@13(indices = @ids, axis = 2))
        => x(F32, [2, 5]).ids(&[2], [0, 0]).then(gather(13, "ids").axis(2));
    gather_on_rank_0_is_refused (<f32[], ids: i64[1]> x |> onnx::Gather@13(indices = @ids))
        => x(F32, []).ids(&[1], [0]).gather("ids");
    indices_of_i32 (<f32[5, 2], ids: i32[4]> x[@ids])
        => x(F32, [5, 2]).given("ids", tensor(&[4], &[4_i32, -5, 0, -1])).gather("ids");
    indices_of_i32_out_of_range_are_refused (<f32[5, 2], ids: i32[4]> x |> onnx::Gather@13(indices = @ids))
        => x(F32, [5, 2]).given("ids", tensor(&[4], &[4_i32, -5, 5, -1])).gather("ids");
    indices_of_i32_at_their_extremes_are_refused (<f32[5], ids: i32[1]> x |> onnx::Gather@13(indices = @ids))
        => x(F32, [5]).given("ids", tensor(&[1], &[i32::MIN])).gather("ids");
    scalar_indices_of_i32 (<f32[5, 2], ids: i32[]> x[@ids])
        => x(F32, [5, 2]).given("ids", tensor(&[], &[-5_i32])).gather("ids");
    constant_indices_of_i32 => x(F32, [5, 2]).gather(tensor(&[3], &[3_i32, 0, -1]));
    constant_indices_in_progression (<f32[6, 2]> x[[4, 2, 0]]) => x(F32, [6, 2]).gather([4, 2, 0]);
    constant_indices_in_progression_across_zero (<f32[6, 2]> x[[1, 0, -1, -2]])
        => x(F32, [6, 2]).gather([1, 0, -1, -2]);
    constant_indices_that_repeat_one (<f32[6, 2]> x[[3, 3, 3]]) => x(F32, [6, 2]).gather([3, 3, 3]);
    constant_indices_of_a_permutation (<f32[4, 3]> x[[2, 0, 3, 1]]) => x(F32, [4, 3]).gather([2, 0, 3, 1]);
    constant_indices_of_rank_2 (<f32[6]> x[[[0, 1], [2, 3]]])
        => x(F32, [6]).gather(tensor(&[2, 2], &[0_i64, 1, 2, 3]));
    constant_indices_of_rank_2_without_a_rule (<f32[6]> x[[[0, 5], [2, 1]]])
        => x(F32, [6]).gather(tensor(&[2, 2], &[0_i64, 5, 2, 1]));
    constant_data_and_run_time_indices
        => of(tensor(&[3, 2], &[1.5_f32, 2.5, 3.5, 4.5, 5.5, 6.5])).ids(&[2], [2, -3]).gather("ids");
    version_13_takes_bf16_gathers (<bf16[3, 2], ids: i64[2]> x |> onnx::Gather@13(indices = @ids))
        => x(Bf16, [3, 2]).ids(&[2], [2, 1]).gather("ids");
    bf16_before_version_13_is_refused_by_gather (<bf16[3, 2], ids: i64[2]> x |> onnx::Gather@11(indices = @ids))
        => x(Bf16, [3, 2]).ids(&[2], [2, 1]).then(gather(11, "ids"));
    gather_of_bools (<bool[9], ids: i64[9]> x[@ids])
        => x(Bool, [9]).ids(&[9], [8, 7, 6, 5, 4, 3, 2, 1, 0]).gather("ids");
    gather_of_half_rows (<f16[4, 16], ids: i64[3]> x[@ids]) => x(F16, [4, 16]).ids(&[3], [3, 3, 0]).gather("ids");
    gather_of_complex_columns (<c64[3, 5], ids: i64[4]> x[:, @ids])
        => x(C64, [3, 5]).ids(&[4], [4, 0, 0, -4]).then(gather(13, "ids").axis(1));
    more_indices_than_rows (<i64[2], ids: i64[300]> x[@ids]) => x(I64, [2]).given("ids", many(300)).gather("ids");
    the_last_of_many_indices_is_refused (<i32[2], ids: i64[301]> x |> onnx::Gather@13(indices = @ids))
        => x(I32, [2]).given("ids", tensor(&[301], &[&[1_i64; 300][..], &[2]].concat())).gather("ids");
}

/// 0, -1, 1, -2, 0, -1, ...
fn many(count: usize) -> xslice::Tensor {
    let values: Vec<i64> = (0..count).map(|k| [0, -1, 1, -2][k % 4]).collect();
    tensor(&[count], &values)
}
