//! The data movement of real models, in small shapes.

use super::describe::{At, Case, Step, Value, at, by, gather, of, range, slice, strided, x};
use super::table;
use crate::suite::tensor;
use At::Dots;
use xslice::ElementType::{F16, F32, F64, I64, U8};
use xslice::Tensor;

const MAX: i64 = i64::MAX;

/// Indices that jump about, a third of them negative.
fn spread(shape: &[usize], size: i64) -> Tensor {
    let count: usize = shape.iter().product();
    let value = |k: i64| (k * 7919 + 3) % size - if k % 3 == 0 { size } else { 0 };
    tensor(shape, &(0..count as i64).map(value).collect::<Vec<_>>())
}

/// The same in 32 bits.
fn spread_i32(shape: &[usize], size: i64) -> Tensor {
    let wide = spread(shape, size).integers().expect("integers");
    tensor(shape, &wide.iter().map(|&v| v as i32).collect::<Vec<_>>())
}

table! {
    yolo_focus_h (<f32[1, 3, 8, 8]> x |> onnx::Slice@13(starts = [0], ends = [i64::MAX], axes = [2], steps = [2]))
        => x(F32, [1, 3, 8, 8]).then(slice(13, [0], [MAX]).axes([2]).by([2]));
    yolo_focus_w (<f32[1, 3, 4, 8]> x |> onnx::Slice@13(starts = [0], ends = [i64::MAX], axes = [3], steps = [2]))
        => x(F32, [1, 3, 4, 8]).then(slice(13, [0], [MAX]).axes([3]).by([2]));
    yolo_focus_hw (<f32[1, 3, 8, 8]> x |> onnx::Slice@13(starts = [1, 1], ends = [i64::MAX, i64::MAX], axes = [2, 3], steps = [2, 2]))
        => x(F32, [1, 3, 8, 8]).then(slice(13, [1, 1], [MAX, MAX]).axes([2, 3]).by([2, 2]));
    yolo_focus_hw_in_two_slices
        => x(F32, [1, 3, 8, 8]).then(slice(10, [1], [MAX]).axes([2]).by([2])).then(slice(10, [0], [MAX]).axes([3]).by([2]));
    vit_cls (<f32[4, 9, 16]> x |> onnx::Slice@13(starts = [0], ends = [1], axes = [1]))
        => x(F32, [4, 9, 16]).then(slice(13, [0], [1]).axes([1]));
    vit_cls_by_gather (<f32[4, 9, 16]> x |> onnx::Gather@13(indices = 0, axis = 1))
        => x(F32, [4, 9, 16]).then(gather(13, 0).axis(1));
    rope_half (<f32[1, 2, 5, 16]> x[..., :8]) => x(F32, [1, 2, 5, 16]).at(at![Dots, ..8]);
    rope_other_half (<f32[1, 2, 5, 16]> x[..., 8:]) => x(F32, [1, 2, 5, 16]).at(at![Dots, 8..]);
    center_crop (<u8[2, 16, 16, 3]> x[:, 2:14, 2:14]) => x(U8, [2, 16, 16, 3]).at(at![.., 2..14, 2..14]);
    hflip_nhwc (<u8[2, 8, 12, 3]> x[:, :, ::-1]) => x(U8, [2, 8, 12, 3]).at(at![.., .., by(.., -1)]);
    vflip (<f32[2, 3, 8, 8]> x[:, :, ::-1]) => x(F32, [2, 3, 8, 8]).at(at![.., .., by(.., -1)]);
    last_token (<f32[2, 7, 16]> x[:, -1:]) => x(F32, [2, 7, 16]).at(at![.., -1..]);
    qkv_q (<f32[2, 5, 3, 4, 8]> x
            |> openvino::StridedSlice@1(begin = [0, 0, 0], end = [0, 0, 1], begin_mask = [1, 1, 0], end_mask = [1, 1, 0],
            shrink_axis_mask = [0, 0, 1]))
        => x(F32, [2, 5, 3, 4, 8]).then(strided([0, 0, 0], [0, 0, 1]).begin_mask([1, 1, 0]).end_mask([1, 1, 0]).shrink([0, 0, 1]));
    rgba_to_rgb (<u8[1, 11, 13, 4]> x[..., 0:3]) => x(U8, [1, 11, 13, 4]).at(at![Dots, 0..3]);
    red_plane (<u8[1, 11, 13, 3]> x[..., 0:1]) => x(U8, [1, 11, 13, 3]).at(at![Dots, 0..1]);
    bgr_swap (<u8[1, 11, 13, 3]> x[..., ::-1]) => x(U8, [1, 11, 13, 3]).at(at![Dots, by(.., -1)]);
    seed_6d (<f32[4, 4, 4, 4, 4, 4]> x
            |> openvino::StridedSlice@1(begin = [0, 1, 0, 1, 3, 3], end = [4, 4, 4, 4, 0, 0], stride = [1, 1, 2, 2, -1, -2]))
        => x(F32, [4, 4, 4, 4, 4, 4]).then(strided([0, 1, 0, 1, 3, 3], [4, 4, 4, 4, 0, 0]).by([1, 1, 2, 2, -1, -2]));
    tiny_1d (<f32[10]> x[1:8]) => x(F32, [10]).at(at![1..8]);
    step7_f64 (<f64[10, 100]> x[:, ::7]) => x(F64, [10, 100]).at(at![.., by(.., 7)]);
    reverse_1d_i64 (<i64[1000]> x[::-1]) => x(I64, [1000]).at(at![by(.., -1)]);
    big_copy (<f32[3, 16, 64]> x[:, :, :60]) => x(F32, [3, 16, 64]).at(at![.., .., ..60]);
    bert_embed (<f32[50, 24], ids: i64[3, 5]> x[@ids])
        => x(F32, [50, 24]).given("ids", spread(&[3, 5], 50)).gather("ids");
    llama_embed (<f16[32, 128], ids: i64[1, 7]> x[@ids])
        => x(F16, [32, 128]).given("ids", spread(&[1, 7], 32)).gather("ids");
    gather_cols (<f32[12, 64], ids: i64[20]> x[:, @ids])
        => x(F32, [12, 64]).given("ids", spread(&[20], 64)).then(gather(13, "ids").axis(1));
    beam_reorder (<f16[4, 2, 5, 8], ids: i64[4]> x[@ids])
        => x(F16, [4, 2, 5, 8]).given("ids", spread(&[4], 4)).gather("ids");
    recsys (<f32[999, 16], ids: i64[64]> x[@ids]) => x(F32, [999, 16]).given("ids", spread(&[64], 999)).gather("ids");
    palette (<u8[256, 3], ids: i32[9, 14]> x[@ids])
        => x(U8, [256, 3]).given("ids", spread_i32(&[9, 14], 256)).gather("ids");
    scalar_idx (<f32[32, 48], ids: i64[]> x[@ids]) => x(F32, [32, 48]).ids(&[], [17]).gather("ids");
    range_i64_512 (<i64> onnx::Range@11(start = 0, limit = 512, delta = 1)) => of(range(0_i64, 512, 1));
    range_f32 (<f32> onnx::Range@11(start = 0, limit = 100, delta = 0.1)) => of(range(0.0_f32, 100.0, 0.1));
    range_i64_long (<i64> onnx::Range@11(start = 0, limit = 5000, delta = 1)) => of(range(0_i64, 5000, 1));
    crop_flip (<u8[2, 16, 16, 3]> x[:, 2:14, 2:14][:, :, ::-1])
        => x(U8, [2, 16, 16, 3]).at(at![.., 2..14, 2..14]).at(at![.., .., by(.., -1)]);
    slice_gather (<f32[50, 24], ids: i64[3, 5]> x[@ids][..., :12])
        => x(F32, [50, 24]).given("ids", spread(&[3, 5], 50)).gather("ids").at(at![Dots, ..12]);
    gather_range (<f32[64, 16]> x[@(<i64> onnx::Range@11(start = 0, limit = 64, delta = 2))])
        => x(F32, [64, 16]).gather(range(0_i64, 64, 2));
    birdnet (<f32[1, 300, 2], ids: i64[11, 16]> x[:, @ids])
        => x(F32, [1, 300, 2]).given("ids", spread(&[11, 16], 300)).then(gather(13, "ids").axis(1));
    kv_cache_trim (<f16[1, 2, 16, 8], s: i64[1], e: i64[1]> x |> onnx::Slice@13(starts = @s, ends = @e, axes = [2]))
        => x(F16, [1, 2, 16, 8]).given("s", tensor(&[1], &[-9_i64])).given("e", tensor(&[1], &[MAX])).then(slice(13, "s", "e").axes([2]));
    swin_position_bias
        => x(F32, [25, 3]).given("ids", spread(&[9, 9], 25)).gather(Value::from("ids").then(Step::Reshape(vec![-1])))
            .then(Step::Reshape(vec![9, 9, -1]));
    audio_framing (<f32[1, 80], ids: i64[9, 16]> x[:, @ids])
        => x(F32, [1, 80]).given("ids", frames()).then(gather(13, "ids").axis(1));
    audio_framing_with_constant_frames => x(F32, [1, 80]).then(gather(13, frames()).axis(1));
}

/// Frames of 16 samples, 8 apart.
fn frames() -> Tensor {
    let sample = |k: i64| k / 16 * 8 + k % 16;
    tensor(&[9, 16], &(0..9 * 16).map(sample).collect::<Vec<_>>())
}

/// The four corners of the YOLO focus, each into its part of one buffer.
pub fn focus_corners() -> [Case; 4] {
    [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(h, w)| {
        let step = slice(13, [h, w], [MAX, MAX]).axes([2, 3]).by([2, 2]);
        x(F32, [1, 3, 8, 8]).then(step)
    })
}
