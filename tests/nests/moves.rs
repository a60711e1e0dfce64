//! The innermost part of a nest: what moves at once.

/// The lines of the moves.
fn moves(text: &str) -> String {
    let printed = crate::compile(text).to_string();
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
fn a_range_is_a_fill() {
    let text = "<i64> onnx::Range@11(start = 0, limit = 512, delta = 1)";
    assert_eq!(moves(text), "fill 512 values, dst +8, by 1");
}

#[test]
fn strings_and_nothing_have_no_move() {
    assert_eq!(moves("<string[4]> x[::-1]"), "");
    assert_eq!(moves("<f32[4]> x[4:]"), "");
}
