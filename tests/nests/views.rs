//! Zero-copy views: where the composed map is affine over one operand, and nowhere else.

use crate::{declared, parse};
use xslice::{ElementType, Program, Signature, View};

fn view(text: &str) -> Option<View> {
    let program = parse(text);
    let view = program.view(&declared(&program));
    view.unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Shape, strides, offset.
#[track_caller]
fn sees(text: &str, shape: &[usize], strides: &[isize], offset: usize) {
    let Some(view) = view(text) else {
        panic!("{text} has no view")
    };
    let seen = (
        &view.shape[..],
        &view.strides[..],
        view.offset,
        view.operand,
    );
    assert_eq!(seen, (shape, strides, offset, 0), "{text}");
}

#[test]
fn a_slice_is_a_view() {
    sees("<f32[4, 8]> x[::-2, :]", &[2, 8], &[-16, 1], 24);
    sees("<f32[10]> x[1:8]", &[7], &[1], 1);
    sees("<f32[3, 4, 5]> x[:, 1, ::-1]", &[3, 5], &[20, -1], 9);
}

#[test]
fn a_chain_of_slices_is_a_view() {
    let flip = "<u8[2, 8, 8, 3]> x[:, 2:6, 2:6][:, :, ::-1]";
    sees(flip, &[2, 4, 4, 3], &[192, 24, -3, 1], 63);
}

#[test]
fn a_gather_in_progression_is_a_view() {
    let range = "<f32[8, 2]> x[@(<i64> onnx::Range@11(start = 0, limit = 8, delta = 2))]";
    sees(range, &[4, 2], &[4, 1], 0);
    sees("<f32[9, 2]> x[[8, 5, 2]]", &[3, 2], &[-6, 1], 16);
    sees("<f32[9, 2]> x[[4, 4, 4]]", &[3, 2], &[0, 1], 8);
    // Frames that overlap: the view repeats elements.
    sees("<f32[8]> x[[[0, 1, 2], [2, 3, 4]]]", &[2, 3], &[2, 1], 0);
}

#[test]
fn rank_0_and_an_empty_result_have_views() {
    sees("<f32[3, 3]> x[1, 2]", &[], &[], 5);
    assert_eq!(
        view("<f32[3, 4]> x[3:]").map(|view| view.shape),
        Some(vec![0, 4])
    );
}

#[test]
fn strings_have_views_too() {
    sees("<string[3]> x[::-1]", &[3], &[-1], 2);
}

#[test]
fn what_a_table_selects_has_no_view() {
    assert_eq!(view("<f32[9, 2], ids: i64[4]> x[@ids]"), None);
    assert_eq!(view("<f32[9, 2]> x[[8, 0, 3]]"), None);
}

/// The index has to be checked, whatever comes after it.
#[test]
fn what_is_checked_at_run_time_has_no_view() {
    assert_eq!(view("<f32[9, 2], ids: i64[]> x[@ids]"), None);
    assert_eq!(view("<f32[9, 2], ids: i64[4]> x[@ids, 2:]"), None);
}

#[test]
fn a_range_has_no_view() {
    assert_eq!(
        view("<i64> onnx::Range@11(start = 0, limit = 8, delta = 2)"),
        None
    );
}

#[test]
fn a_view_of_a_strided_operand_counts_in_its_buffer() {
    let program = Program::parse("x[::-1, 1:]").expect("valid");
    let signature = Signature::new().strided(ElementType::F32, &[3, 4], &[-10, 2], 25);
    let view = program.view(&signature).expect("valid").expect("affine");
    assert_eq!(
        (&view.shape[..], &view.strides[..], view.offset),
        (&[3, 3][..], &[10, 2][..], 7)
    );
}

#[test]
fn the_operand_of_a_view_is_named_by_its_number() {
    let program = parse("<f32[3], unused: i64[0]> x[@unused]");
    let view = program.view(&declared(&program)).expect("valid");
    assert_eq!(
        view.map(|view| (view.operand, view.shape)),
        Some((0, vec![0]))
    );
}
