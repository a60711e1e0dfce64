//! What no bracket takes, each on its token.

use xslice::xslice;

fn main() {
    let x = [0.0f32; 24];
    let _ = xslice!(<f32[2, 3, 4]> x[0, 0, 0, 1:]);
    let _ = xslice!(<f32[2, 3, 4]> x[0, -4]);
    let _ = xslice!(<f32[2, 0]> x[:, 0]);
    let _ = xslice!(<f32[2, 3, 4]> x[::0, 1:2:0]);
    let _ = xslice!(<f32[2, 3, 4]> x[..., 1, ...]);
    let _ = xslice!(<f32[2, 3, 4]> x[0..1, 0..=1, ..]);
    let _ = xslice!(<f32[2, 3, 4]> x[1.5, None, 1:None]);
    let _ = xslice!(<f32[2, 3, 4]> x[true, x > 3]);
    let _ = xslice!(<f32[2, 3, 4]> x[[true, false]]);
    let _ = xslice!(<f32[2, 3, 4]> x[i, ?]);
    let _ = xslice!(<f32[2, 3, 4]> x[]);
    let _ = xslice!(<f32[2, 3, 4]> x[0][9][1, 2]);
    let _ = xslice!(<f32[24]> x[18446744073709551616]);
    let _ = xslice!(<f32[2, 3, 4]> x[::0, 1.5]);
    let _ = xslice!(<f32[2, 3, 4]> x['a', "b"]);
}
