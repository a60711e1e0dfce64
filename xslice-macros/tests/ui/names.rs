//! What the compiler says of an operand's name stands at the name.

use xslice::xslice;

const IDS: [i64; 2] = [0, 1];

xslice! {
    fn taken<f32[4], IDS: i64[2], str: i64[2]>
        [@IDS][@str]
}

fn main() {
    let mut y = [0.0; 2];
    let _ = taken(&[0.0; 4], &IDS, &[0, 1], &mut y);
}
