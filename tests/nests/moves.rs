//! The innermost part of a nest: what moves at once.

use xslice::{ElementType, Plan, Program, Signature};

/// The lines of the moves.
fn moves(text: &str) -> String {
    moves_of(&crate::compile(text))
}

fn moves_of(plan: &Plan) -> String {
    let printed = plan.to_string();
    let lines = printed
        .lines()
        .filter_map(|line| line.strip_prefix("  move "));
    lines.collect::<Vec<_>>().join("; ")
}

#[test]
fn one_block_is_one_copy() {
    assert_eq!(moves("<f32[10]> x[1:8]"), "copy 28 bytes");
    assert_eq!(moves("<c128[3, 4]> x[...]"), "copy 192 bytes");
    assert_eq!(moves("<u8[3, 4]> x[1, 2]"), "copy 1 bytes");
}

#[test]
fn rows_are_copied_as_they_are() {
    assert_eq!(
        moves("<f32[32, 197, 768]> x[:, 0]"),
        "strided 32 x 3072 bytes, dst +3072, src +605184"
    );
}

#[test]
fn rows_by_indices_are_a_lookup() {
    assert_eq!(
        moves("<f32[30522, 768], ids: i64[8, 128]> x[@ids]"),
        "lookup 1024 x 3072 bytes, dst +3072, src by index of 3072 bytes"
    );
}

#[test]
fn channels_by_constants_are_a_shuffle() {
    assert_eq!(
        moves("<u8[1080, 1920, 3]> x[:, :, [0, 2, 1]]"),
        "shuffle 2073600 x [0, 2, 1], src +3"
    );
    assert_eq!(
        moves("<u16[400, 4]> x[:, [-1, 0, 0]]"),
        "shuffle 400 x [6, 7, 0, 1, 0, 1], src +8"
    );
    // One row of them is read as the table says.
    assert_eq!(
        moves("<u8[3]> x[[0, 2, 1]]"),
        "lookup 3 x 1 bytes, dst +1, src by index of 1 bytes"
    );
}

/// A pattern whose bytes are as far apart as 32 bits can say is none, and no overflow.
#[test]
fn rows_at_the_end_of_32_bits_are_strided() {
    assert_eq!(
        moves("<u8[100, 3, 2147483646]> x[:, :2, :2]"),
        "strided 2 x 2 bytes, dst +2, src +2147483646, in loops [100]"
    );
    let columns = "2147483647, 2147483645, 2147483640, 2147483639";
    let text = format!("<u8[100, 2147483648]> x[:, [{columns}]]");
    assert!(
        moves(&text).starts_with("shuffle 1 x [2147483647, "),
        "{}",
        moves(&text)
    );
}

/// The move of a view.
fn view(shape: &[usize], strides: &[isize]) -> String {
    let program = Program::parse("x[...]").expect("valid");
    let signature = Signature::new().strided(ElementType::F32, shape, strides, 0);
    moves_of(&program.compile(&signature).expect("valid"))
}

#[test]
fn what_a_cache_would_lose_is_read_at_once() {
    // The four phases of an image: both rows of a pair, each once.
    assert_eq!(
        view(&[2, 2, 960, 320], &[1, 640, 1280, 2]),
        "shuffle 320 x [0, 1, 2, 3], src +8, in loops [960, 2, 2]"
    );
    // A small one stays in the cache, in the order of the result.
    assert_eq!(
        view(&[2, 2, 96, 32], &[1, 64, 128, 2]),
        "shuffle 32 x [0, 1, 2, 3], src +8, in loops [2, 2, 96]"
    );
    // A transposed matrix goes in tiles, if its rows can be cut.
    assert_eq!(
        view(&[1000, 1000], &[1, 1000]),
        "strided 50 x 4 bytes, dst +4, src +4000, in loops [20, 1000]"
    );
    assert_eq!(
        view(&[1021, 1021], &[1, 1021]),
        "strided 1021 x 4 bytes, dst +4, src +4084, in loops [1021]"
    );
}

#[test]
fn a_range_is_a_fill() {
    let text = "<i64> onnx::Range@11(start = 0, limit = 512, delta = 1)";
    assert_eq!(moves(text), "fill 512 values, dst +8, by 1");
}

#[test]
fn strings_and_nothing_have_no_move() {
    assert_eq!(moves("<string[4]> x[::-1]"), "");
    assert_eq!(moves("<f32[4]> x[4:]"), "");
}
