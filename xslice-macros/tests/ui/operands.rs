//! Operands that are not what the types say, and places that are none.

use xslice::xslice;

struct Image {
    pixels: Vec<f32>,
}

impl Image {
    fn pixels(&self) -> &[f32] {
        &self.pixels
    }
}

fn main() {
    let image = Image { pixels: Vec::new() };
    let doubles = vec![0.0f64; 24];
    let short = [0.0f32; 23];
    let x = [0.0f32; 24];
    let ids = [0u8; 2];
    let mut small = [0.0f32; 11];
    let _ = xslice!(<f32[2, 3, 4]> doubles[0]);
    let _ = xslice!(<f32[2, 3, 4]> short[0]);
    let _ = xslice!(<f32[2, 3, 4]> (3)[0]);
    let _ = xslice!(<f32[2, 3, 4]> image.pixels()[0]);
    let _ = xslice!(<f32[2, 3, 4]> missing[0]);
    let _ = xslice!(<f32[2, 3, 4], ids: i64[2]> x[@ids]);
    xslice!(<f32[2, 3, 4]> x[0] => small);
    xslice!(<f32[2, 3, 4]> x[0] => );
    let y: [f32; 11] = xslice!(<f32[2, 3, 4]> x[0]);
}
