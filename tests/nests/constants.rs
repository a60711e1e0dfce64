//! Indices that are known: affine where they are a progression, else a table; never a check.

use crate::golden;

golden! {
    gather_by_a_range_is_a_slice
    "<f32[4096, 256]> x[@(<i64> onnx::Range@11(start = 0, limit = 4096, delta = 2))]" => "
nest f32 block 256
  for i in 0..2048
    dst[256*i] <- x[512*i]
  x 0..=1048319 of 1048576, dst 0..=524287 of 524288
";

    gather_by_a_progression_is_a_slice
    "<f32[9, 2]> x[[8, 5, 2]]" => "
nest f32 block 2
  for i in 0..3
    dst[2*i] <- x[16 - 6*i]
  x 4..=17 of 18, dst 0..=5 of 6
";

    gather_by_negative_constants_is_a_slice
    "<f32[9, 2]> x[[-9, -8, -7]]" => "
nest f32 block 6
  dst[0] <- x[0]
  x 0..=5 of 18, dst 0..=5 of 6
";

    gather_by_a_matrix_of_constants_in_progression
    "<f32[12]> x[[[0, 1, 2], [6, 7, 8]]]" => "
nest f32 block 3
  for i in 0..2
    dst[3*i] <- x[6*i]
  x 0..=8 of 12, dst 0..=5 of 6
";

    gather_by_a_constant_scalar_is_a_slice
    "<f32[4, 9, 2]> x |> onnx::Gather@13(indices = -1, axis = 1)" => "
nest f32 block 2
  for i in 0..4
    dst[2*i] <- x[16 + 18*i]
  x 16..=71 of 72, dst 0..=7 of 8
";

    framing_of_audio_by_constants_overlaps
    "<f32[1, 16]> x[:, [[0, 1, 2, 3], [2, 3, 4, 5], [4, 5, 6, 7]]]" => "
nest f32 block 4
  for i in 0..3
    dst[4*i] <- x[2*i]
  x 0..=7 of 16, dst 0..=11 of 12
";

    constants_without_a_rule_are_a_table_without_a_check
    "<f32[9, 2]> x[[8, 0, 3]]" => "
nest f32 block 2
  for i in 0..3
    dst[2*i] <- x[2*wrap(const0[i])]
  x 0..=17 of 18, dst 0..=5 of 6
";

    constants_of_constants_are_a_table
    "<f32[9]> x[[8, 0, 3]][[2, 2, 0]]" => "
nest f32 block 1
  for i in 0..3
    dst[i] <- x[wrap(const2[i])]
  x 0..=8 of 9, dst 0..=2 of 3
";

    a_range_is_a_nest_without_a_source
    "<i64> onnx::Range@11(start = 10, limit = 4, delta = -2)" => "
nest i64 block 1
  for i in 0..3
    dst[i] <- (10 + -2*p)[i]
  range 0..=2 of 3, dst 0..=2 of 3
";

    a_slice_of_a_range_is_a_range
    "<f32> onnx::Range@11(start = 0.0, limit = 10.0, delta = 0.5) |> [12:2:-4]" => "
nest f32 block 1
  for i in 0..3
    dst[i] <- (0.0 + 0.5*p)[12 - 4*i]
  range 4..=12 of 20, dst 0..=2 of 3
";

    a_gather_of_a_range_reads_its_indices
    "<i32, ids: i64[2, 2]> onnx::Range@11(start = 0, limit = 8, delta = 2) |> [@ids]" => "
check ids[i], i in 0..4, in -4..4
nest i32 block 1
  for i in 0..4
    dst[i] <- (0 + 2*p)[wrap(ids[i])]
  range 0..=3 of 4, dst 0..=3 of 4
";
    indices_that_are_gathered_from_a_range_are_one_look_up
    "<f32[8, 2], ids: i64[3]> x[@(<i64> onnx::Range@11(start = 7, limit = 0, delta = -2) |> [@ids])]" => "
check ids[i], i in 0..3, in -4..4
nest f32 block 2
  for i in 0..3
    dst[2*i] <- x[14 - 4*wrap(ids[i])]
  x 2..=15 of 16, dst 0..=5 of 6
";

    indices_that_are_gathered_from_a_range_across_zero_are_written_first
    "<f32[8], ids: i64[3]> x[@(<i64> onnx::Range@11(start = -4, limit = 4, delta = 1) |> [@ids])]" => "
check ids[i], i in 0..3, in -8..8
scratch0:
nest i64 block 1
  for i in 0..3
    dst[i] <- (-4 + 1*p)[wrap(ids[i])]
  range 0..=7 of 8, dst 0..=2 of 3
check scratch0[i], i in 0..3, in -8..8
nest f32 block 1
  for i in 0..3
    dst[i] <- x[wrap(scratch0[i])]
  x 0..=7 of 8, dst 0..=2 of 3
";

    a_range_of_a_billion_indices_is_in_no_plan
    "<u8[1000000000]> x[@(<i64> onnx::Range@11(start = -1000000000, limit = 1000000000, delta = 1))]" => "
scratch0:
nest i64 block 1
  for i in 0..2000000000
    dst[i] <- (-1000000000 + 1*p)[i]
  range 0..=1999999999 of 2000000000, dst 0..=1999999999 of 2000000000
check scratch0[i], i in 0..2000000000, in -1000000000..1000000000
nest u8 block 1
  for i in 0..2000000000
    dst[i] <- x[wrap(scratch0[i])]
  x 0..=999999999 of 1000000000, dst 0..=1999999999 of 2000000000
";
}
