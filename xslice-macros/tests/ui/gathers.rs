//! Lists and run-time indices.

use xslice::xslice;

fn main() -> Result<(), xslice::Error> {
    let x = [0.0f32; 24];
    let ids = [0i64; 2];
    let floats = [0.0f32; 2];
    let mask = [true; 2];
    let _ = xslice!(<f32[2, 3, 4]> x[[0, 1], [0, 1]]);
    let _ = xslice!(<f32[2, 3, 4]> x[0, :, [0, 2]]);
    let _ = xslice!(<f32[2, 3, 4]> x[[0, 2]]);
    let _ = xslice!(<f32[2, 3, 4]> x[[[0, 1], [0]]]);
    let _ = xslice!(<f32[2, 3, 4], floats: f32[2]> x[@floats]);
    let _ = xslice!(<f32[2, 3, 4], mask: bool[2]> x[@mask]);
    let _ = xslice!(<f32[2, 3, 4], ids: i64[2]> x[@ids, @ids]);
    let _ = xslice!(<f32[2, 3, 4]> x[@ids]);
    let _ = xslice!(<f32[2, 3, 4], idx: i64[2]> x[@ids]);
    let _ = xslice!(<f32[2, 3, 4], ids: i64[2]> x[0]);
    let _ = xslice!(<f32[2, 3, 4], ids: i64[2], ids: i64[2]> x[@ids]);
    let _ = xslice!(<f32[2, 3, 4]> x[@(<i64> onnx::Range@11(start = 0, limit = 3, delta = 1))]);
    let rows: [f32; 4] = xslice!(<f32[2, 3, 4], ids: i64[2]> x[7][@ids])?;
    Ok(())
}
