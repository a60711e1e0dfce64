//! What a constant cannot be.

use xslice::xslice;

const X: [i64; 4] = [1, 2, 3, 4];
const IDS: [i64; 2] = [0, 1];
static WORDS: [String; 1] = [String::new()];

const A: [i64; 2] = xslice!(const <i64[4], IDS: i64[2]> X[@IDS]);
const B: [i64; 4] = xslice!(const <i64[4]> X[...] => y);
const C: [i64; 4] = xslice!(const <i64[4]> X[9:, 3]);
const D: [i64; 4] = xslice!(const <i64[4]> X[4]);
const E: [i64; 5] = xslice!(const <i64[5]> X[...]);

fn main() {
    let _ = xslice!(const <string[1]> WORDS[...]);
}
