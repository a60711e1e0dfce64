//! Slices of every kind: one nest, as few loops as the axes allow, the longest block.

use crate::golden;

golden! {
    tiny_slice_is_one_block
    "<f32[10]> x[1:8]" => "
nest f32 block 7
  dst[0] <- x[1]
  x 1..=7 of 10, dst 0..=6 of 7
";

    the_whole_is_one_block_whatever_the_rank
    "<f32[2, 3, 4, 5]> x[...]" => "
nest f32 block 120
  dst[0] <- x[0]
  x 0..=119 of 120, dst 0..=119 of 120
";

    rows_in_reverse_keep_their_block
    "<f32[4, 8]> x[::-2, :]" => "
nest f32 block 8
  for i in 0..2
    dst[8*i] <- x[24 - 16*i]
  x 8..=31 of 32, dst 0..=15 of 16
";

    cropped_rows_fold_the_axes_outside
    "<u8[16, 256, 256, 3]> x[:, 16:240, 16:240]" => "
nest u8 block 672
  for i in 0..16
    for j in 0..224
      dst[150528*i + 672*j] <- x[12336 + 196608*i + 768*j]
  x 12336..=3133391 of 3145728, dst 0..=2408447 of 2408448
";

    crop_and_flip_are_one_nest
    "<u8[16, 256, 256, 3]> x[:, 16:240, 16:240][:, :, ::-1]" => "
nest u8 block 3
  for i in 0..16
    for j in 0..224
      for k in 0..224
        dst[150528*i + 672*j + 3*k] <- x[13005 + 196608*i + 768*j - 3*k]
  x 12336..=3133391 of 3145728, dst 0..=2408447 of 2408448
";

    pixels_lose_their_alpha
    "<u8[1, 1080, 1920, 4]> x[..., 0:3]" => "
nest u8 block 3
  for i in 0..2073600
    dst[3*i] <- x[4*i]
  x 0..=8294398 of 8294400, dst 0..=6220799 of 6220800
";

    channels_are_swapped
    "<u8[1, 1080, 1920, 3]> x[..., ::-1]" => "
nest u8 block 1
  for i in 0..2073600
    for j in 0..3
      dst[3*i + j] <- x[2 + 3*i - j]
  x 0..=6220799 of 6220800, dst 0..=6220799 of 6220800
";

    a_reversed_vector_has_stride_minus_one
    "<i64[4194304]> x[::-1]" => "
nest i64 block 1
  for i in 0..4194304
    dst[i] <- x[4194303 - i]
  x 0..=4194303 of 4194304, dst 0..=4194303 of 4194304
";

    every_axis_reversed_is_one_loop
    "<f32[4, 5, 6]> x[::-1, ::-1, ::-1]" => "
nest f32 block 1
  for i in 0..120
    dst[i] <- x[119 - i]
  x 0..=119 of 120, dst 0..=119 of 120
";

    the_six_axes_of_the_seed
    "<f32[4, 4, 4, 4, 4, 4]> x[0:4, 1:4, 0:4:2, 1:4:2, 3:0:-1, 3:0:-2]" => "
nest f32 block 1
  for i in 0..4
    for j in 0..6
      for k in 0..2
        for l in 0..6
          dst[72*i + 12*j + 6*k + l] <- x[287 + 1024*i + 128*j + 32*k - 2*l]
  x 277..=4031 of 4096, dst 0..=287 of 288
";

    yolo_focus_steps_on_two_axes
    "<f32[1, 3, 640, 640]> x |> onnx::Slice@13(starts = [1, 1], ends = [640, 640], axes = [2, 3], steps = [2, 2])" => "
nest f32 block 1
  for i in 0..960
    for j in 0..320
      dst[320*i + j] <- x[641 + 1280*i + 2*j]
  x 641..=1228799 of 1228800, dst 0..=307199 of 307200
";

    the_class_token
    "<f32[32, 197, 768]> x |> onnx::Slice@13(starts = [0], ends = [1], axes = [1])" => "
nest f32 block 768
  for i in 0..32
    dst[768*i] <- x[151296*i]
  x 0..=4690943 of 4841472, dst 0..=24575 of 24576
";

    the_query_of_qkv
    "<f32[8, 512, 3, 12, 64]> x |> openvino::StridedSlice@1(begin = [0, 0, 0], end = [0, 0, 0], begin_mask = [1, 1], end_mask = [1, 1], shrink_axis_mask = [0, 0, 1])" => "
nest f32 block 768
  for i in 0..4096
    dst[768*i] <- x[2304*i]
  x 0..=9435647 of 9437184, dst 0..=3145727 of 3145728
";

    new_axes_leave_no_trace
    "<f32[3, 4]> x[newaxis, ::2, newaxis, :]" => "
nest f32 block 4
  for i in 0..2
    dst[4*i] <- x[8*i]
  x 0..=11 of 12, dst 0..=7 of 8
";

    rank_0_is_one_element
    "<f64[3, 3]> x[1, 2]" => "
nest f64 block 1
  dst[0] <- x[5]
  x 5..=5 of 9, dst 0..=0 of 1
";

    strings_have_a_nest
    "<string[4, 2]> x[::-1]" => "
nest string block 2
  for i in 0..4
    dst[2*i] <- x[6 - 2*i]
  x 0..=7 of 8, dst 0..=7 of 8
";

    nothing_is_moved_of_an_empty_result
    "<f32[4, 8]> x[2:2]" => "
nothing to move
";
}
