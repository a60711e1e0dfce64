//! Gathers: a check for each table in the order of the chain, then one nest.

use crate::golden;

golden! {
    embedding_rows_are_checked_then_looked_up
    "<f32[30522, 768], ids: i64[8, 128]> table[@ids]" => "
check ids[i], i in 0..1024, in -30522..30522
nest f32 block 768
  for i in 0..1024
    dst[768*i] <- table[768*wrap(ids[i])]
  table 0..=23440895 of 23440896, dst 0..=786431 of 786432
";

    a_slice_of_embedding_rows_is_one_nest
    "<f32[30522, 768], ids: i64[8, 128]> table[@ids, :384]" => "
check ids[i], i in 0..1024, in -30522..30522
nest f32 block 384
  for i in 0..1024
    dst[384*i] <- table[768*wrap(ids[i])]
  table 0..=23440511 of 23440896, dst 0..=393215 of 393216
";

    columns_are_looked_up_in_every_row
    "<f32[1024, 1024], ids: i64[512]> x[:, @ids]" => "
check ids[i], i in 0..512, in -1024..1024
nest f32 block 1
  for i in 0..1024
    for j in 0..512
      dst[512*i + j] <- x[1024*i + wrap(ids[j])]
  x 0..=1048575 of 1048576, dst 0..=524287 of 524288
";

    a_scalar_index_is_a_nest_without_a_loop
    "<f32[512, 768], ids: i64[]> x[@ids]" => "
check ids[0], in -512..512
nest f32 block 768
  dst[0] <- x[768*wrap(ids[0])]
  x 0..=393215 of 393216, dst 0..=767 of 768
";

    gather_of_slice_of_gather_is_one_nest
    "<i32[9, 8], a: i64[4], b: i32[3]> x[@a][::-1, 2:][:, @b]" => "
check a[i], i in 0..4, in -9..9
check b[i], i in 0..3, in -6..6
nest i32 block 1
  for i in 0..4
    for j in 0..3
      dst[3*i + j] <- x[2 + wrap(b[j]) + 8*wrap(a[3 - i])]
  x 2..=71 of 72, dst 0..=11 of 12
";

    indices_that_others_pick_are_a_table_of_their_own
    "<f32[9, 2], a: i64[4], b: i64[3]> x[@(a[@b])]" => "
check b[i], i in 0..3, in -4..4
scratch0:
nest i64 block 1
  for i in 0..3
    dst[i] <- a[wrap(b[i])]
  a 0..=3 of 4, dst 0..=2 of 3
check scratch0[i], i in 0..3, in -9..9
nest f32 block 2
  for i in 0..3
    dst[2*i] <- x[2*wrap(scratch0[i])]
  x 0..=17 of 18, dst 0..=5 of 6
";

    gathers_on_one_axis_compose
    "<f32[9, 2], a: i64[4], b: i64[3]> x[@a][@b]" => "
check a[i], i in 0..4, in -9..9
check b[i], i in 0..3, in -4..4
scratch0:
nest i64 block 1
  for i in 0..3
    dst[i] <- a[wrap(b[i])]
  a 0..=3 of 4, dst 0..=2 of 3
nest f32 block 2
  for i in 0..3
    dst[2*i] <- x[2*wrap(scratch0[i])]
  x 0..=17 of 18, dst 0..=5 of 6
";

    only_the_indices_that_reach_the_result_are_picked
    "<f32[9, 2], a: i64[4], b: i64[6]> x[@a][@b][::2, 1]" => "
check a[i], i in 0..4, in -9..9
check b[i], i in 0..6, in -4..4
scratch0:
nest i64 block 1
  for i in 0..3
    dst[i] <- a[wrap(b[2*i])]
  a 0..=3 of 4, dst 0..=2 of 3
nest f32 block 1
  for i in 0..3
    dst[i] <- x[1 + 2*wrap(scratch0[i])]
  x 1..=17 of 18, dst 0..=2 of 3
";

    a_table_of_the_loops_that_move_it
    "<u8[9, 4, 2], a: i64[5, 3], b: i64[2]> x[:, @(a[@b, ::2])][::-1]" => "
check b[i], i in 0..2, in -5..5
scratch0:
nest i64 block 1
  for i in 0..2
    for j in 0..2
      dst[2*i + j] <- a[2*j + 3*wrap(b[i])]
  a 0..=14 of 15, dst 0..=3 of 4
check scratch0[i], i in 0..4, in -4..4
nest u8 block 2
  for i in 0..9
    for j in 0..4
      dst[8*i + 2*j] <- x[64 - 8*i + 2*wrap(scratch0[j])]
  x 0..=71 of 72, dst 0..=71 of 72
";

    sliced_indices_are_checked_where_they_are_used
    "<f32[9, 2], ids: i64[12]> x[@(ids[1:12:2])]" => "
check ids[1 + 2*i], i in 0..6, in -9..9
nest f32 block 2
  for i in 0..6
    dst[2*i] <- x[2*wrap(ids[1 + 2*i])]
  x 0..=17 of 18, dst 0..=11 of 12
";

    a_check_comes_before_an_empty_result
    "<f32[9, 2], ids: i64[4]> x[@ids, 2:]" => "
check ids[i], i in 0..4, in -9..9
";

    a_doomed_gather_is_a_check_alone
    "<f32[0, 2], ids: i64[4]> x[@ids]" => "
check ids[i], i in 0..4, in 0..0
";
}
