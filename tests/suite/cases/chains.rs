//! Chains: one nest where maps compose, several where a reshape stands between.

use super::describe::{
    self, At, Case, Step, Value, at, by, gather, list, of, on, range, slice, strided, walk, x,
};
use super::table;
use crate::suite::tensor;
use At::Dots;
use xslice::ElementType::{F32, I16, I32, I64, String, U8};

fn ids(steps: Step) -> Value {
    Value::from("ids").then(steps)
}

table! {
    crop_then_flip (<u8[2, 8, 8, 3]> x[:, 2:6, 2:6][:, :, ::-1])
        => x(U8, [2, 8, 8, 3]).at(at![.., 2..6, 2..6]).at(at![.., .., by(.., -1)]);
    slice_of_a_gather (<f32[9, 8], ids: i64[2, 3]> x[@ids][..., :4])
        => x(F32, [9, 8]).ids(&[2, 3], [8, 0, -1, 3, 3, -9]).at(at!["ids"]).at(at![Dots, ..4]);
    slice_of_gathered_rows_that_drops_an_index (<f32[9, 8], ids: i64[4]> x[@ids][1:3])
        => x(F32, [9, 8]).ids(&[4], [0, 1, 2, 3]).at(at!["ids"]).at(at![1..3]);
    a_dropped_index_out_of_range_is_still_refused (<f32[9, 8], ids: i64[4]> x[@ids][1:3])
        => x(F32, [9, 8]).ids(&[4], [9, 1, 2, 3]).at(at!["ids"]).at(at![1..3]);
    an_index_out_of_range_is_refused_before_an_empty_slice (<f32[9, 8], ids: i64[4]> x[@ids][:0])
        => x(F32, [9, 8]).ids(&[4], [0, 1, -10, 3]).at(at!["ids"]).at(at![..0]);
    gather_of_a_slice (<f32[9, 8], ids: i64[3]> x[2:7:2, @ids])
        => x(F32, [9, 8]).ids(&[3], [7, -8, 0]).at(at![walk(2, 7, 2), "ids"]);
    an_index_is_relative_to_the_slice_before (<f32[9], ids: i64[3]> x[5:][@ids])
        => x(F32, [9]).ids(&[3], [0, -1, -4]).at(at![5..]).at(at!["ids"]);
    an_index_within_the_data_but_not_the_slice_is_refused (<f32[9], ids: i64[1]> x[5:][@ids])
        => x(F32, [9]).ids(&[1], [4]).at(at![5..]).at(at!["ids"]);
    gather_of_slice_of_gather (<i32[9, 8], a: i64[4], b: i64[3]> x[@a][::-1, 2:][:, @b])
        => x(I32, [9, 8]).given("a", tensor(&[4], &[8_i64, -9, 3, 3])).given("b", tensor(&[3], &[5_i64, -6, 0]))
            .at(at!["a"]).at(at![by(.., -1), 2..]).at(at![.., "b"]);
    gather_of_a_gather_on_one_axis (<f32[9, 2], a: i64[4], b: i64[2, 2]> x[@a][@b])
        => x(F32, [9, 2]).given("a", tensor(&[4], &[8_i64, 0, -3, 1])).given("b", tensor(&[2, 2], &[3_i64, -4, 2, 0]))
            .at(at!["a"]).at(at!["b"]);
    gather_of_a_gather_on_two_axes (<f32[5, 6], a: i64[3], b: i64[2]> x[@a][:, @b])
        => x(F32, [5, 6]).given("a", tensor(&[3], &[4_i64, 0, -5])).given("b", tensor(&[2], &[5_i64, -6])).at(at!["a"]).at(at![.., "b"]);
    the_first_of_two_gathers_refuses
        => x(F32, [5, 6]).given("a", tensor(&[3], &[4_i64, 7, -5])).given("b", tensor(&[2], &[5_i64, 99])).at(at!["a"]).at(at![.., "b"]);
    the_second_of_two_gathers_refuses
        => x(F32, [5, 6]).given("a", tensor(&[3], &[4_i64, 0, -5])).given("b", tensor(&[2], &[5_i64, 99])).at(at!["a"]).at(at![.., "b"]);
    gather_by_gathered_indices (<f32[9, 2], a: i64[4], b: i64[3]> x[@(a[@b])])
        => x(F32, [9, 2]).given("a", tensor(&[4], &[8_i64, 0, -3, 1])).given("b", tensor(&[3], &[-1_i64, 0, 2]))
            .at(at![Value::from("a").at(at!["b"])]);
    an_unused_index_of_the_table_may_be_anything (<f32[9], a: i64[3], b: i64[2]> x[@(a[@b])])
        => x(F32, [9]).given("a", tensor(&[3], &[8_i64, 1000, 0])).given("b", tensor(&[2], &[0_i64, 2]))
            .at(at![Value::from("a").at(at!["b"])]);
    a_used_index_of_the_table_is_refused (<f32[9], a: i64[3], b: i64[2]> x[@(a[@b])])
        => x(F32, [9]).given("a", tensor(&[3], &[8_i64, 1000, 0])).given("b", tensor(&[2], &[0_i64, 1]))
            .at(at![Value::from("a").at(at!["b"])]);
    sliced_indices (<f32[9, 2], ids: i64[6]> x[@(ids[1:6:2])])
        => x(F32, [9, 2]).ids(&[6], [99, 0, 99, 8, 99, -9]).at(at![ids(Step::Index(vec![walk(1, 6, 2)]))]);
    reversed_indices (<f32[9, 2], ids: i64[6]> x[@(ids[::-1])])
        => x(F32, [9, 2]).ids(&[6], [1, 0, 3, 8, 5, -9]).at(at![ids(Step::Index(vec![by(.., -1)]))]);
    transposing_indices_by_a_slice_of_columns (<f32[9], ids: i32[3, 4]> x[@(ids[:, 1])])
        => x(F32, [9]).given("ids", tensor(&[3, 4], &[0_i32, 1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3]))
            .at(at![ids(Step::Index(at![.., 1].to_vec()))]);
    one_index_out_of_a_tensor (<f32[9, 3], ids: i64[4]> x[@(ids[2])])
        => x(F32, [9, 3]).ids(&[4], [0, 1, -2, 3]).at(at![ids(Step::Index(at![2].to_vec()))]);
    indices_by_onnx_slice => x(F32, [9, 3]).ids(&[4], [0, 1, -2, 3]).gather(ids(slice(13, [3], [0]).by([-2])));
    indices_by_strided_slice_that_shrinks
        => x(F32, [9, 3]).ids(&[2, 2], [0, 1, -2, 3]).gather(ids(strided([0, 1], [0, 1]).begin_mask([1]).end_mask([1]).shrink([0, 1])));
    many_indices_read_backwards (<u8[3, 700], ids: i64[600]> x[:, @ids][:, ::-1])
        => x(U8, [3, 700]).ids(&[600], some::<600>(700)).at(at![.., "ids"]).at(at![.., by(.., -1)]);
    columns_of_many_indices (<f32[2, 90], ids: i64[300, 2]> x[:, @(ids[:, 1])])
        => x(F32, [2, 90]).ids(&[300, 2], some::<600>(90)).at(at![.., ids(Step::Index(at![.., 1].to_vec()))]);
    the_first_index_out_of_range_is_refused_though_it_is_read_last (<f32[9, 2], ids: i64[2, 3]> x[@ids][:, ::-1])
        => x(F32, [9, 2]).ids(&[2, 3], [0, 1, 9, 3, -10, 5]).at(at!["ids"]).at(at![.., by(.., -1)]);
    more_indices_than_places_are_kept_for (<u8[9, 300], ids: i64[2300]> x[:, @ids])
        => x(U8, [9, 300]).ids(&[2300], some::<2300>(300)).at(at![.., "ids"]);
    the_same_in_some_turns_at_once (<i16[7, 20000], ids: i64[1100]> x[:, @ids])
        => x(I16, [7, 20000]).ids(&[1100], some::<1100>(20000)).at(at![.., "ids"]);
    the_same_of_patterns (<f32[40, 60, 3], ids: i64[1500]> x[:, @ids, ::-1])
        => x(F32, [40, 60, 3]).ids(&[1500], some::<1500>(60)).at(at![.., "ids", by(.., -1)]);
    the_last_of_more_is_refused (<u8[5, 300], ids: i64[1200]> x[:, @ids])
        => x(U8, [5, 300]).ids(&[1200], with_last(300, some::<1200>(300))).at(at![.., "ids"]);
    the_same_elements_of_few_in_each_of_many (<u8[40, 3, 10], ids: i64[6]> x[:, 0:2, @ids])
        => x(U8, [40, 3, 10]).ids(&[6], some::<6>(10)).at(at![.., 0..2]).at(at![.., .., "ids"]);
    the_same_rows_of_few_in_each_of_many (<i16[6, 5, 9, 5], ids: i64[20]> x[:, 0:4, @ids])
        => x(I16, [6, 5, 9, 5]).ids(&[20], some::<20>(9)).at(at![.., 0..4]).at(at![.., .., "ids"]);
    the_same_reversed_rows_in_each_of_many (<i64[50, 8, 10], ids: i64[7]> x[:, @ids][..., ::-1])
        => x(I64, [50, 8, 10]).ids(&[7], some::<7>(8)).at(at![.., "ids"]).at(at![Dots, by(.., -1)]);
    the_same_long_rows_in_each_of_many (<f32[50, 8, 30], ids: i64[7]> x[:, @ids])
        => x(F32, [50, 8, 30]).ids(&[7], some::<7>(8)).at(at![.., "ids"]);
    channels_of_a_palette_turned_around (<u8[40, 3], ids: i64[2100]> x[@ids][:, ::-1])
        => x(U8, [40, 3]).ids(&[2100], some::<2100>(40)).at(at!["ids"]).at(at![.., by(.., -1)]);
    some_channels_of_a_palette (<u8[500, 4], ids: i64[2100]> x[@ids][:, ::2])
        => x(U8, [500, 4]).ids(&[2100], some::<2100>(500)).at(at!["ids"]).at(at![.., by(.., 2)]);
    halves_of_a_palette_turned_around (<i16[40, 2], ids: i64[2100]> x[@ids][:, ::-1])
        => x(I16, [40, 2]).ids(&[2100], some::<2100>(40)).at(at!["ids"]).at(at![.., by(.., -1)]);
    self_gather (<i64[5]> x[@x]) => on(tensor(&[5], &[4_i64, -1, 0, 2, -5])).at(at!["x"]);
    self_gather_of_rank_2 (<i64[3, 2]> x[@x]) => on(tensor(&[3, 2], &[2_i64, -1, 0, 2, -3, 1])).at(at!["x"]);
    self_gather_twice (<i32[4]> x[@x][@x]) => on(tensor(&[4], &[3_i32, 2, 0, -3])).at(at!["x"]).at(at!["x"]);
    self_gather_out_of_range_is_refused (<i64[3]> x[@x]) => on(tensor(&[3], &[0_i64, 3, 0])).at(at!["x"]);
    one_index_operand_used_twice (<f32[5, 5], ids: i64[2]> x[@ids][:, @ids])
        => x(F32, [5, 5]).ids(&[2], [4, -5]).at(at!["ids"]).at(at![.., "ids"]);
    nine_gathers_in_a_row => deep(9);
    twelve_gathers_in_a_row => deep(12);
    seven_gathers_on_seven_axes => wide();
    constant_gather_of_a_run_time_gather (<f32[5, 6], ids: i64[3]> x[@ids][:, [5, 0, 2]])
        => x(F32, [5, 6]).ids(&[3], [4, 0, 2]).at(at!["ids"]).at(at![.., list([5, 0, 2])]);
    constant_gather_of_a_constant_gather (<f32[5]> x[[4, 0, 2]][[2, 0, -2]])
        => x(F32, [5]).at(at![list([4, 0, 2])]).at(at![list([2, 0, -2])]);
    slice_of_a_slice_of_a_range => of(range(5_i16, 200, 7)).at(at![walk(20, 3, -3)]).at(at![1..]);
    channels_of_crops (<u8[3, 24, 26, 3], ids: i64[3]> x[:, 2:22, 3:23, @ids])
        => x(U8, [3, 24, 26, 3]).ids(&[3], [2, 0, -3]).at(at![.., 2..22, 3..23, "ids"]);
    channels_of_images_upside_down (<u8[40, 200, 2], ids: i64[6]> x[::-1, :, @ids])
        => x(U8, [40, 200, 2]).ids(&[6], some::<6>(2)).at(at![by(.., -1), .., "ids"]);
    words_of_every_second_turn (<f32[40, 30, 8], ids: i64[3]> x[::-1, ::2, @ids])
        => x(F32, [40, 30, 8]).ids(&[3], some::<3>(8)).at(at![by(.., -1), by(.., 2), "ids"]);
    channels_of_so_few_turns_that_they_are_one (<i16[12, 26, 2, 5], ids: i64[12]> x[::-1, :, ::-1, @ids])
        => x(I16, [12, 26, 2, 5]).ids(&[12], some::<12>(5)).at(at![by(.., -1), .., by(.., -1), "ids"]);
    bytes_of_patterns_of_an_entry (<u8[300, 1, 3], ids: i64[5]> x[:, @ids, ::2])
        => x(U8, [300, 1, 3]).ids(&[5], some::<5>(1)).at(at![.., "ids", by(.., 2)]);
    bytes_of_patterns_of_every_second_turn (<u8[150, 8, 4], ids: i64[3]> x[::2, @ids, ::-1])
        => x(U8, [150, 8, 4]).ids(&[3], some::<3>(8)).at(at![by(.., 2), "ids", by(.., -1)]);
    pixels_of_columns_turned_around (<u8[300, 40, 3], ids: i64[30]> x[:, @ids, ::-1])
        => x(U8, [300, 40, 3]).ids(&[30], from_last(some::<30>(40))).at(at![.., "ids", by(.., -1)]);
    pixels_of_far_columns_turned_around (<u8[130, 100, 3], ids: i64[60]> x[::-1, @ids, ::-1])
        => x(U8, [130, 100, 3]).ids(&[60], from_last(some::<60>(100))).at(at![by(.., -1), "ids", by(.., -1)]);
    every_second_word_of_columns (<i16[90, 12, 5], ids: i64[40]> x[:, @ids, ::2])
        => x(I16, [90, 12, 5]).ids(&[40], some::<40>(12)).at(at![.., "ids", by(.., 2)]);
    halves_of_columns_of_images (<f32[30, 7, 9, 2], ids: i64[21]> x[:, ::-2, @ids, ::-1])
        => x(F32, [30, 7, 9, 2]).ids(&[21], from_last(some::<21>(9))).at(at![.., by(.., -2), "ids", by(.., -1)]);
    patterns_of_an_entry_backwards (<i16[150, 8, 4], ids: i64[3]> x[::-1, @ids, ::-3])
        => x(I16, [150, 8, 4]).ids(&[3], some::<3>(8)).at(at![by(.., -1), "ids", by(.., -3)]);
    columns_of_rows_that_indices_pick (<i16[90, 27], a: i64[700], b: i64[27]> x[@a][:, @b])
        => x(I16, [90, 27]).given("a", tensor(&[700], &some::<700>(90))).given("b", tensor(&[27], &some::<27>(27)))
            .at(at!["a"]).at(at![.., "b"]);
    a_bad_column_of_rows_that_indices_pick_is_refused
        => x(I16, [90, 27]).given("a", tensor(&[700], &some::<700>(90))).given("b", tensor(&[27], &with_last::<27>(27, some(27))))
            .at(at!["a"]).at(at![.., "b"]);
    a_bad_row_whose_columns_indices_pick_is_refused
        => x(I16, [90, 27]).given("a", tensor(&[700], &with_last::<700>(-91, some(90)))).given("b", tensor(&[27], &some::<27>(27)))
            .at(at!["a"]).at(at![.., "b"]);
    channels_of_images_that_indices_pick (<u8[30, 6, 7, 3], a: i64[50], b: i64[3]> x[@a][..., @b])
        => x(U8, [30, 6, 7, 3]).given("a", tensor(&[50], &some::<50>(30))).given("b", tensor(&[3], &[2_i64, 0, -3]))
            .at(at!["a"]).at(at![Dots, "b"]);
    channels_of_crops_that_indices_pick (<u8[30, 6, 9, 4], a: i32[50], b: i64[3]> x[@a, :, 1:8][..., @b])
        => x(U8, [30, 6, 9, 4]).given("a", tensor(&[50], &some::<50>(30).map(|index| index as i32))).given("b", tensor(&[3], &[2_i64, 0, -3]))
            .at(at!["a", .., 1..8]).at(at![Dots, "b"]);
    channels_of_upside_down_rows_that_indices_pick (<i16[12, 40, 5], a: i64[90], b: i64[4]> x[@a][:, ::-1, @b])
        => x(I16, [12, 40, 5]).given("a", tensor(&[90], &some::<90>(12))).given("b", tensor(&[4], &[4_i64, 0, -3, 1]))
            .at(at!["a"]).at(at![.., by(.., -1), "b"]);
    rows_and_columns_of_each_image (<f32[30, 9, 8], a: i64[5], b: i64[4]> x[:, @a][:, :, @b])
        => x(F32, [30, 9, 8]).given("a", tensor(&[5], &from_last(some::<5>(9)))).given("b", tensor(&[4], &some::<4>(8)))
            .at(at![.., "a"]).at(at![.., .., "b"]);
    rows_and_columns_of_each_image_backwards (<f32[30, 9, 8], a: i64[5], b: i64[4]> x[::-1, ::-1][:, @a][:, :, @b])
        => x(F32, [30, 9, 8]).given("a", tensor(&[5], &from_last(some::<5>(9)))).given("b", tensor(&[4], &some::<4>(8)))
            .at(at![by(.., -1), by(.., -1)]).at(at![.., "a"]).at(at![.., .., "b"]);
    many_rows_and_columns_of_each_image (<u8[12, 50, 60], a: i64[40], b: i64[50]> x[:, @a][:, :, @b])
        => x(U8, [12, 50, 60]).given("a", tensor(&[40], &from_last(some::<40>(50)))).given("b", tensor(&[50], &some::<50>(60)))
            .at(at![.., "a"]).at(at![.., .., "b"]);
    words_of_rows_of_images (<i64[10, 5, 6], a: i64[3], b: i64[4], c: i64[2]> x[@a][:, @b][:, :, @c])
        => x(I64, [10, 5, 6]).given("a", tensor(&[3], &[-1_i64, 0, 7])).given("b", tensor(&[4], &some::<4>(5))).given("c", tensor(&[2], &[5_i64, -6]))
            .at(at!["a"]).at(at![.., "b"]).at(at![.., .., "c"]);
    one_image_in_each_of_many (<u8[60, 6, 11], a: i64[], b: i64[4]> x[:, @a][:, @b])
        => x(U8, [60, 6, 11]).given("a", tensor(&[], &[-2_i64])).given("b", tensor(&[4], &some::<4>(11)))
            .at(at![.., "a"]).at(at![.., "b"]);
    a_single_index_after_those_of_many_rows
        => x(U8, [60, 6, 11]).given("a", tensor(&[4], &some::<4>(11))).given("b", tensor(&[], &[-2_i64]))
            .at(at![.., .., "a"]).at(at![.., "b"]);
    a_bad_single_index_after_those_of_many_rows_is_refused
        => x(U8, [60, 6, 11]).given("a", tensor(&[4], &some::<4>(11))).given("b", tensor(&[], &[-7_i64]))
            .at(at![.., .., "a"]).at(at![.., "b"]);
    long_rows_of_images_that_indices_pick (<f32[20, 9, 33], a: i64[25], b: i64[6]> x[@a][:, @b])
        => x(F32, [20, 9, 33]).given("a", tensor(&[25], &some::<25>(20))).given("b", tensor(&[6], &some::<6>(9)))
            .at(at!["a"]).at(at![.., "b"]);
    few_reversed_rows_of_picked_images (<f32[70, 3, 19], a: i64[90]> x[@a, ::-1, ::-1])
        => x(F32, [70, 3, 19]).given("a", tensor(&[90], &from_last(some::<90>(70)))).at(at!["a", by(.., -1), by(.., -1)]);
    few_rows_of_crops_of_picked_images (<i16[30, 9, 70], a: i32[40]> x[@a, 1:8:3, :50])
        => x(I16, [30, 9, 70]).given("a", tensor(&[40], &some::<40>(30).map(|index| index as i32))).at(at!["a", by(1..8, 3), ..50]);
    few_rows_of_crops_of_images_picked_twice (<i64[12, 6, 5, 20], a: i64[9], b: i64[7]> x[@a][:, @b, ::2, 3::2])
        => x(I64, [12, 6, 5, 20]).given("a", tensor(&[9], &from_last(some::<9>(12)))).given("b", tensor(&[7], &some::<7>(6)))
            .at(at!["a"]).at(at![.., "b", by(.., 2), by(3.., 2)]);
    few_rows_of_picked_images_of_each_batch (<u8[5, 20, 4, 90], a: i64[30]> x[::-1, @a, 1::2, ::-2])
        => x(U8, [5, 20, 4, 90]).given("a", tensor(&[30], &some::<30>(20))).at(at![by(.., -1), "a", by(1.., 2), by(.., -2)]);
    reversed_rows_of_images_that_indices_pick (<i16[20, 9, 10], a: i64[25], b: i64[6]> x[@a][:, @b, ::-1])
        => x(I16, [20, 9, 10]).given("a", tensor(&[25], &some::<25>(20))).given("b", tensor(&[6], &some::<6>(9)))
            .at(at!["a"]).at(at![.., "b", by(.., -1)]);
    indices_of_indices_of_indices (<f32[9, 2], a: i64[4], b: i32[5], c: i64[6]> x[@(a[@(b[@c])])])
        => x(F32, [9, 2]).given("a", tensor(&[4], &[8_i64, 0, -3, 1])).given("b", tensor(&[5], &[3_i32, -4, 1, 2, 0]))
            .given("c", tensor(&[6], &[0_i64, -1, 4, 2, -5, 1])).at(at![Value::from("a").at(at![Value::from("b").at(at!["c"])])]);
    a_bad_index_of_indices_of_indices_is_refused
        => x(F32, [9, 2]).given("a", tensor(&[4], &[8_i64, 0, -3, 9])).given("b", tensor(&[5], &[3_i32, -4, 1, 2, 0]))
            .given("c", tensor(&[6], &[1_i64, -1, 4, 2, 0, 1])).at(at![Value::from("a").at(at![Value::from("b").at(at!["c"])])]);
    channels_that_other_indices_name (<u8[300, 11], a: i64[6], b: i64[12]> x[:, @(a[@b])])
        => x(U8, [300, 11]).given("a", tensor(&[6], &some::<6>(11))).given("b", tensor(&[12], &some::<12>(6)))
            .at(at![.., Value::from("a").at(at!["b"])]);
    rows_of_small_loops_with_gaps (<i32[10, 2, 3, 2, 32], ids: i64[2]> x[::3, :, :, @ids])
        => x(I32, [10, 2, 3, 2, 32]).ids(&[2], [1, -1]).at(at![by(.., 3), .., .., "ids"]);
    patterns_of_small_loops_with_gaps (<i64[6, 4, 8, 10], ids: i64[3]> x[::2, :, @ids, ::-1])
        => x(I64, [6, 4, 8, 10]).ids(&[3], some::<3>(8)).at(at![by(.., 2), .., "ids", by(.., -1)]);
    range_by_range (<i64> onnx::Range@11(start = 0, limit = 30, delta = 3) |> [@(<i64> onnx::Range@11(start = 9, limit = 0, delta = -4))])
        => of(range(0_i64, 30, 3)).at(at![range(9_i64, 0, -4)]);
    starts_gathered_at_run_time
        => x(I32, [9]).given("a", tensor(&[3], &[7_i64, 4, 2])).then(slice(13, Value::from("a")
            .at(at![list([2])]), Value::from("a").at(at![list([0])])));

    reshape_of_a_contiguous_slice => x(F32, [4, 6]).at(at![1..3]).then(Step::Reshape(vec![3, 4]));
    reshape_that_splits_a_strided_axis => x(F32, [12, 3]).at(at![by(.., -2)]).then(Step::Reshape(vec![2, 3, -1]));
    reshape_that_merges_sliced_axes_takes_two_nests
        => x(F32, [4, 6]).at(at![by(.., 2), 1..4]).then(Step::Reshape(vec![6])).at(at![by(.., -1)]);
    reshape_of_a_gathered_axis_that_splits
        => x(F32, [5, 3]).ids(&[4], [4, 0, -1, 2]).at(at!["ids"]).then(Step::Reshape(vec![2, 2, 3]));
    reshape_that_merges_a_gathered_axis_takes_two_nests
        => x(F32, [5, 3]).ids(&[4], [4, 0, -1, 2]).at(at!["ids"]).then(Step::Reshape(vec![12])).at(at![walk(10, 1, -3)]);
    two_reshapes_that_end_the_chain_twice
        => x(I16, [6, 4]).at(at![.., by(.., 3)]).then(Step::Reshape(vec![4, 3])).at(at![.., by(.., -1)]).then(Step::Reshape(vec![12]));
    a_reshaped_temporary_gathered_by_itself
        => x(F32, [4, 6]).ids(&[2, 2], [0, 3, -1, 5]).at(at![.., ids(Step::Index(at![by(.., -1)].to_vec()))])
            .then(Step::Reshape(vec![2, -1])).at(at![.., walk(6, 1, -2)]);
    reshape_of_strings_takes_two_nests => x(String, [4, 6]).at(at![by(.., 2), 1..4]).then(Step::Reshape(vec![6]));
    reshape_of_indices_that_fuses
        => x(F32, [9]).ids(&[6], [0, 1, -2, 3, 8, -9]).at(at![ids(Step::Reshape(vec![2, 3]))]);
    reshape_of_indices_that_takes_a_temporary
        => x(F32, [9]).ids(&[3, 2], [0, 1, -2, 3, 8, -9]).at(at![ids(Step::Index(at![.., by(.., -1)].to_vec()))
            .then(Step::Reshape(vec![6]))]);
    reshape_of_a_range => of(range(0_i64, 12, 1)).then(Step::Reshape(vec![3, 4])).at(at![.., by(.., -1)]);
    reshape_to_rank_0 => x(F32, [3, 2]).at(at![1..2, 1..]).then(Step::Reshape(vec![]));
    reshape_of_an_empty_result => x(F32, [3, 2]).at(at![3..]).then(Step::Reshape(vec![0, 2]));
    squeeze_between_gathers
        => x(F32, [3, 1, 5]).ids(&[2], [2, 0]).at(at!["ids"]).then(Step::Squeeze(vec![1])).at(at![.., list([4, -5])]);
    unsqueeze_between_slices
        => x(F32, [3, 5]).at(at![by(.., -1)]).then(Step::Unsqueeze(vec![0, -1])).at(at![.., .., 1..4]);
    squeeze_of_a_negative_axis => x(I64, [3, 5]).at(at![.., 2..3]).then(Step::Squeeze(vec![-1]));
}

/// Indices of an axis, from both its ends.
fn some<const COUNT: usize>(size: i64) -> [i64; COUNT] {
    core::array::from_fn(|k| match k as i64 * 7 % (2 * size) {
        index if index < size => index,
        index => index - 2 * size,
    })
}

/// The same indices in the other order: the first is not 0.
fn from_last<const COUNT: usize>(mut indices: [i64; COUNT]) -> [i64; COUNT] {
    indices.reverse();
    indices
}

/// The same indices with another last one.
fn with_last<const COUNT: usize>(last: i64, mut indices: [i64; COUNT]) -> [i64; COUNT] {
    indices[COUNT - 1] = last;
    indices
}

/// A gather of a gather of a gather, on one axis.
fn deep(count: usize) -> Case {
    let case = x(F32, [5, 2]).ids(&[5], [3, -5, 1, -1, 2]);
    (0..count).fold(case, |case, _| case.at(at!["ids"]))
}

/// A gather on every axis.
fn wide() -> Case {
    let case = x(F32, [2, 3, 2, 3, 2, 3, 2]).ids(&[2], [1, -2]);
    (0..7).fold(case, |case, axis| case.then(gather(13, "ids").axis(axis)))
}

/// Chains on every kind of step, for a type.
pub fn chain_of(case: Case) -> Case {
    case.at(at![by(.., -1), 1..])
        .then(describe::gather(13, [1, 0, 1]).axis(1))
}
