//! Types and dimensions.

use xslice::xslice;

const N: usize = 2;

fn main() {
    let x = [0.0f32; 24];
    let _ = xslice!(<float32[2, 3, 4]> x[0]);
    let _ = xslice!(<f31[2, 3, 4]> x[0]);
    let _ = xslice!(<f32[N, ?, 4]> x[0]);
    let _ = xslice!(<f32[2, -3, 4.0]> x[0]);
    let _ = xslice!(<f32[2, 3, 4]> x[1:] -> f32[2, 3, 4]);
    let _ = xslice!(<f32[2, 3, 4]> x[1:] -> f64[1, 3, 4]);
    let _ = xslice!(<f32[24], result: i64[2]> x[@result] -> f32[5]);
    let _ = xslice!(x[0]);
    let _ = xslice!(<f32[2, 3, 4] x[0]);
    let _ = xslice!(<x: f32[2, 3, 4]> x[0]);
    let _ = xslice!(<f32[9223372036854775807, 3]> x[0]);
    let _ = xslice!(<f32[100, 100]> x[...]);
    let _ = xslice!(<f32[1000000, 1000000]> x[...] => x);
}
