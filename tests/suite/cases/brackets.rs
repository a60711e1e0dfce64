//! Brackets of the notation. Rows 40, 41, 42.

use super::describe::{At, Case, at, by, list, walk, x};
use super::table;
use At::{Dots, New};
use xslice::ElementType::{Bf16, C64, F32, F64, I16, I32, I64, String, U8, U16};

const MIN: i64 = i64::MIN;
const MAX: i64 = i64::MAX;

table! {
    every_other_row_backwards (<f32[4, 8]> x[::-2, :]) => x(F32, [4, 8]).at(at![by(.., -2), ..]);
    the_whole_by_an_ellipsis (<f32[2, 3, 4]> x[...]) => x(F32, [2, 3, 4]).at(at![Dots]);
    the_whole_by_a_colon (<f32[7]> x[:]) => x(F32, [7]).at(at![..]);
    the_worked_example_of_the_design (<f32[2, 3, 4]> x[1:, :, ::-1])
        => x(F32, [2, 3, 4]).at(at![1.., .., by(.., -1)]);
    an_integer_drops_its_axis (<i32[3, 4]> x[1]) => x(I32, [3, 4]).at(at![1]);
    an_integer_counts_from_the_end (<i32[3, 4]> x[:, -1]) => x(I32, [3, 4]).at(at![.., -1]);
    an_integer_on_every_axis_gives_rank_0 (<f64[3, 4]> x[2, -4]) => x(F64, [3, 4]).at(at![2, -4]);
    row_42_an_integer_past_the_end_is_refused (<f32[3]> x[3]) => x(F32, [3]).at(at![3]);
    row_42_an_integer_before_the_start_is_refused (<f32[3]> x[-4]) => x(F32, [3]).at(at![-4]);
    row_42_an_integer_into_an_empty_axis_is_refused (<f32[0]> x[0]) => x(F32, [0]).at(at![0]);
    row_42_the_extreme_integers_are_refused (<f32[3]> x[i64::MIN]) => x(F32, [3]).at(at![MIN]);
    row_42_a_slice_clamps (<f32[3]> x[1:100]) => x(F32, [3]).at(at![1..100]);
    row_42_a_slice_clamps_on_both_sides (<f32[3]> x[-100:100]) => x(F32, [3]).at(at![-100..100]);
    row_42_fewer_entries_leave_the_rest_whole (<u8[4, 3, 2]> x[1:3]) => x(U8, [4, 3, 2]).at(at![1..3]);
    row_42_more_entries_than_axes_are_refused (<u8[4]> x[0, 0]) => x(U8, [4]).at(at![0, 0]);
    row_40_a_reversed_start_below_the_axis_gives_nothing (<f32[4]> x[-100:-200:-1])
        => x(F32, [4]).at(at![walk(-100, -200, -1)]);
    row_40_a_reversed_end_of_int_max_gives_nothing (<f32[4]> x[3:9223372036854775807:-1])
        => x(F32, [4]).at(at![walk(3, MAX, -1)]);
    row_40_the_smallest_start_is_the_first_element (<f32[4]> x[i64::MIN:2]) => x(F32, [4]).at(at![MIN..2]);
    row_40_the_largest_end_is_the_end (<f32[4]> x[1:i64::MAX]) => x(F32, [4]).at(at![1..MAX]);
    row_40_the_largest_step_takes_one (<f32[4]> x[1::i64::MAX]) => x(F32, [4]).at(at![by(1.., MAX)]);
    row_40_the_smallest_step_takes_one (<f32[4]> x[::i64::MIN]) => x(F32, [4]).at(at![by(.., MIN)]);
    row_40_reversed_through_the_first_by_a_missing_end (<f32[6]> x[4::-2]) => x(F32, [6]).at(at![by(4.., -2)]);
    row_40_reversed_from_the_last_by_a_missing_start (<f32[6]> x[:1:-1]) => x(F32, [6]).at(at![by(..1, -1)]);
    row_40_a_reversed_negative_end (<f32[6]> x[::-1][-2:-5:-1])
        => x(F32, [6]).at(at![by(.., -1)]).at(at![walk(-2, -5, -1)]);
    row_40_a_step_beyond_the_axis_takes_the_first (<f32[6]> x[::7]) => x(F32, [6]).at(at![by(.., 7)]);
    row_40_a_step_that_divides (<f32[6]> x[::3]) => x(F32, [6]).at(at![by(.., 3)]);
    row_40_a_step_that_leaves_a_rest (<f32[7]> x[1::3]) => x(F32, [7]).at(at![by(1.., 3)]);
    row_40_an_empty_axis_reversed (<f32[0, 3]> x[::-1, ::-1]) => x(F32, [0, 3]).at(at![by(.., -1), by(.., -1)]);
    row_40_step_0_is_refused (<f32[4]> x[::0]) => x(F32, [4]).at(at![by(.., 0)]);
    row_40_an_empty_slice_in_the_middle (<f32[2, 3, 4]> x[:, 2:2]) => x(F32, [2, 3, 4]).at(at![.., 2..2]);
    a_start_after_the_end_gives_nothing (<f32[5]> x[4:2]) => x(F32, [5]).at(at![walk(4, 2, 1)]);
    an_ellipsis_in_front (<f32[2, 3, 4]> x[..., 1]) => x(F32, [2, 3, 4]).at(at![Dots, 1]);
    an_ellipsis_in_the_middle (<f32[2, 3, 4, 5]> x[1, ..., ::2]) => x(F32, [2, 3, 4, 5]).at(at![1, Dots, by(.., 2)]);
    an_ellipsis_over_no_axis (<f32[2, 3]> x[0, ..., 1]) => x(F32, [2, 3]).at(at![0, Dots, 1]);
    an_ellipsis_on_rank_0 (<f32[]> x[...]) => x(F32, []).at(at![Dots]);
    a_new_axis_in_front (<u16[2, 3]> x[newaxis]) => x(U16, [2, 3]).at(at![New]);
    a_new_axis_at_the_end (<u16[2, 3]> x[..., newaxis]) => x(U16, [2, 3]).at(at![Dots, New]);
    a_new_axis_between_slices (<u16[2, 3]> x[::-1, newaxis, 1:]) => x(U16, [2, 3]).at(at![by(.., -1), New, 1..]);
    a_new_axis_on_rank_0 (<i16[]> x[newaxis]) => x(I16, []).at(at![New]);
    several_new_axes (<u16[2]> x[newaxis, :, newaxis, newaxis]) => x(U16, [2]).at(at![New, .., New, New]);
    two_ellipses_are_refused (<f32[2, 3]> x[..., ...]) => x(F32, [2, 3]).at(at![Dots, Dots]);
    a_list_keeps_its_axis (<f32[3, 3]> x[:, [0, 2]]) => x(F32, [3, 3]).at(at![.., list([0, 2])]);
    a_list_of_one_keeps_its_axis (<f32[3, 3]> x[[2]]) => x(F32, [3, 3]).at(at![list([2])]);
    a_list_repeats_and_counts_from_the_end (<string[3]> x[[0, -1, 0, 1, -3]])
        => x(String, [3]).at(at![list([0, -1, 0, 1, -3])]);
    an_empty_list_gives_no_element (<f32[3, 2]> x[[]]) => x(F32, [3, 2]).at(at![list([])]);
    an_empty_list_into_an_empty_axis (<f32[0, 2]> x[[]]) => x(F32, [0, 2]).at(at![list([])]);
    a_list_out_of_range_is_refused (<f32[3]> x[[0, 3]]) => x(F32, [3]).at(at![list([0, 3])]);
    a_list_into_an_empty_axis_is_refused (<f32[0]> x[[0]]) => x(F32, [0]).at(at![list([0])]);
    row_41_an_integer_directly_before_a_list (<f32[3, 4, 5]> x[1, [0, 2]])
        => x(F32, [3, 4, 5]).at(at![1, list([0, 2])]);
    row_41_an_integer_directly_after_a_list (<f32[3, 4, 5]> x[:, [0, 2], -1])
        => x(F32, [3, 4, 5]).at(at![.., list([0, 2]), -1]);
    row_41_integers_on_both_sides_of_a_list (<f32[3, 4, 5]> x[2, [3, 0], 4])
        => x(F32, [3, 4, 5]).at(at![2, list([3, 0]), 4]);
    row_41_a_slice_between_integer_and_list_is_refused (<f32[3, 4, 5]> x[0, :, [0, 2]])
        => x(F32, [3, 4, 5]).at(at![0, .., list([0, 2])]);
    row_41_an_ellipsis_between_list_and_integer_is_refused (<f32[3, 4, 5]> x[[0, 2], ..., 0])
        => x(F32, [3, 4, 5]).at(at![list([0, 2]), Dots, 0]);
    row_41_a_new_axis_between_integer_and_list_is_refused (<f32[3, 4]> x[0, newaxis, [1]])
        => x(F32, [3, 4]).at(at![0, New, list([1])]);
    row_41_two_lists_are_refused (<f32[3, 4]> x[[0, 1], [0, 1]])
        => x(F32, [3, 4]).at(at![list([0, 1]), list([0, 1])]);
    row_41_the_chain_that_is_meant (<f32[3, 4, 5]> x[0][:, [0, 2]])
        => x(F32, [3, 4, 5]).at(at![0]).at(at![.., list([0, 2])]);
    a_tensor_of_rank_2_replaces_its_axis (<u8[5, 2], ids: i64[2, 3]> x[@ids])
        => x(U8, [5, 2]).ids(&[2, 3], [0, -1, 4, -5, 2, 2]).at(at!["ids"]);
    a_tensor_beside_a_reversed_axis (<c64[4, 3, 2], ids: i64[2]> x[::-1, @ids])
        => x(C64, [4, 3, 2]).ids(&[2], [2, -3]).at(at![by(.., -1), "ids"]);
    a_tensor_after_an_ellipsis (<bf16[4, 3, 2], ids: i64[3]> x[..., @ids])
        => x(Bf16, [4, 3, 2]).ids(&[3], [1, 0, -1]).at(at![Dots, "ids"]);
    a_tensor_beside_a_new_axis (<i64[4, 3], ids: i64[2]> x[newaxis, @ids])
        => x(I64, [4, 3]).ids(&[2], [3, 0]).at(at![New, "ids"]);
}
