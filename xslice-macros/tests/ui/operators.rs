//! The operators by name.

use xslice::xslice;

fn main() {
    let x = [0.0f32; 24];
    let s = [0i64; 1];
    let b = [xslice::half::bf16::ZERO; 4];
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Slice@12(starts = [0], ends = [1]));
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Slise@13(starts = [0], ends = [1]));
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Slice@1(starts = [0], ends = [1], steps = [1]));
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Slice@13(starts = [0], ends = [1], axis = [1]));
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Slice@13(starts = [0, 0], ends = [1, 1], axes = [1, -2]));
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Slice@13(starts = [0, 0], ends = [1]));
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Slice@13(starts = [0], ends = [1], axes = [3]));
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Slice@13(starts = [0]));
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Slice@13(starts = [0], starts = [0], ends = [1]));
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Slice@13(starts = [0], ends = [1], dialect = numpy));
    let _ = xslice!(<f32[2, 3, 4], s: i64[1]> x |> onnx::Slice@13(starts = @s, ends = [1]));
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Gather@13(indices = [0, 3], axis = 1));
    let _ = xslice!(<bf16[4]> b |> onnx::Gather@11(indices = [0]));
    let _ = xslice!(<f32[2, 3, 4]> x |> openvino::StridedSlice@1(begin = [0], end = [9], stride = [0]));
    let _ = xslice!(<f32[2, 3, 4]> x |> openvino::StridedSlice@1(begin = [5], end = [9], shrink_axis_mask = [1]));
    let _ = xslice!(<f32[2, 3, 4]> x |> openvino::Slice@8(start = [0], stop = [1]));
    let _ = xslice!(<i64> onnx::Range@11(start = 0, limit = 3, delta = 0));
    let _ = xslice!(<i64> onnx::Range@11(start = 0, limit = 3.5, delta = 1));
    let _ = xslice!(<i64[3]> onnx::Range@11(start = 0, limit = 3, delta = 1));
    let _ = xslice!(<u8> onnx::Range@11(start = 0, limit = 3, delta = 1));
    let _ = xslice!(<f32[2, 3, 4]> x |> Slice(starts = [0], ends = [1]));
    let _ = xslice!(<f32[2, 3, 4]> x | > onnx::Slice@13(starts = [0], ends = [1]));
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Slice@13(starts = [0, 99999999999999999999], ends = [1, 1]));
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Slice@13(starts = [0], ends = [1], axes = [0.5]));
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Slice@13(starts = , ends = [1]));
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Gather@13(indices = [[0], [1, 2]]));
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Gather@13(indices = [0], axis = "a"));
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Gather@99999999999(indices = [0]));
    let _ = xslice!(<f32[2, 3, 4]> x |> onnx::Slice@13(starts = [[0]], ends = [1, 2], steps = [0]));
}
