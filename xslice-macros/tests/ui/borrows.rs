//! Destinations that cannot be written.

use xslice::xslice;

fn main() {
    let mut x = [0.0f32; 24];
    let y = [0.0f32; 24];
    xslice!(<f32[2, 3, 4]> x[::-1] => y);
    xslice!(<f32[2, 3, 4]> x[::-1] => x);
}
