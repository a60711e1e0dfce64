//! Small damage to good inputs.

use crate::suite::rng::Rng;

/// Words of the formats, in which a random byte is seldom found.
const WORDS: &[&[u8]] = &[
    b"i64::MIN",
    b"i64::MAX",
    b"-1",
    b"0",
    b"9223372036854775807",
    b"18446744073709551616",
    b"@x",
    b"@(",
    b"...",
    b"newaxis",
    b"|>",
    b"->",
    b"::-1",
    b"[",
    b"]",
    b"[[",
    b"]]",
    b"(",
    b")",
    b",",
    b"<f32[2, 3]>",
    b"<string[2]>",
    b"onnx::Slice@13(",
    b"onnx::Gather@13(",
    b"onnx::Range@11(",
    b"openvino::StridedSlice@1(",
    b"openvino::Gather@8(",
    b"dialect = onnxruntime",
    b"starts = ",
    b"axis = ",
    b"<layer ",
    b"</layer>",
    b"<edge ",
    b"from-layer=\"0\"",
    b"<dim>",
    b"</dim>",
    b"<port id=\"0\">",
    b"offset=\"",
    b"size=\"",
    b"element_type=\"i64\"",
    b"shape=\"",
    b"type=\"Const\"",
    b"type=\"Gather\"",
    b"&lt;",
    b"<!DOCTYPE x [<!ENTITY a \"b\">]>",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\x80\x80\x80\x80\x08",
    b"\0\0\0\0\0\0\0\x80",
    b"\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"\x7f",
    b"\x08\x0d",
];

/// A seed with one to eight pieces of damage.
pub fn mutated(rng: &mut Rng<'_>, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut input = rng.pick(seeds);
    for _ in 0..1 + rng.below(8) {
        damage(rng, &mut input, seeds);
    }
    input.truncate(1 << 16);
    input
}

fn damage(rng: &mut Rng<'_>, input: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let at = rng.below(input.len() + 1);
    let len = rng.below(9).min(input.len() - at);
    match rng.below(9) {
        0 if at < input.len() => input[at] ^= 1 << rng.below(8),
        1 if at < input.len() => input[at] = rng.word() as u8,
        2 => input.insert(at, rng.word() as u8),
        3 => drop(input.drain(at..at + len)),
        4 => {
            let piece = input[at..at + len].to_vec();
            let to = rng.below(input.len() + 1);
            input.splice(to..to, piece);
        }
        5 if rng.once_in(4) => input.truncate(at),
        6 => {
            let word = rng.pick(WORDS);
            let end = if rng.once_in(2) { at } else { at + len };
            input.splice(at..end, word.iter().copied());
        }
        7 => {
            let other = &seeds[rng.below(seeds.len())];
            let from = rng.below(other.len() + 1);
            let until = from + rng.below(64).min(other.len() - from);
            input.splice(at..at + len, other[from..until].iter().copied());
        }
        _ if at < input.len() => input[at] = input[at].wrapping_add(1 + rng.below(3) as u8),
        _ => {}
    }
}
