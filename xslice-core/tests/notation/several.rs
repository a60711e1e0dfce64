//! Several mistakes in one text: all of them at once, each on its tokens, in the order of the text.

use xslice_core::ErrorKind::{self, *};
use xslice_core::notation;

/// Everything that is refused of a text, and where.
#[track_caller]
fn refused(text: &str, expected: &[(ErrorKind, &str)]) {
    let diagnostics = notation::diagnose(text).expect_err("many mistakes");
    let found: Vec<_> = diagnostics
        .iter()
        .map(|found| (found.error.kind(), &text[found.span.clone()]))
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn several_refusals_come_in_source_order() {
    refused(
        "<f33[2], k: i64[N]> x[0..3, true, 0] |> onnx::Slice@12(startz = [0], ends = [[1], 2]) |> [::0] |> [@q] -> g64",
        &[
            (UnknownType, "f33"),
            (Syntax, "N"),
            (Syntax, "0..3"),
            (BooleanMask, "true"),
            (UnknownVersion, "12"),
            (UnknownAttribute, "startz"),
            (RaggedList, "2"),
            (StepZero, "0"),
            (UnknownOperand, "q"),
            (UnknownType, "g64"),
        ],
    );
}

#[test]
fn each_rule_that_the_constants_of_an_operator_break_is_refused() {
    refused(
        "x |> onnx::Slice@13(starts = [[0]], ends = [1, 2], steps = [0])",
        &[
            (ParameterRank, "[[0]]"),
            (LengthMismatch, "[0]"),
            (StepZero, "0"),
        ],
    );
    refused(
        "x |> openvino::Slice@8(start = [0], stop = [1, 2], step = [0, 0])",
        &[
            (LengthMismatch, "[1, 2]"),
            (LengthMismatch, "[0, 0]"),
            (StepZero, "0"),
            (StepZero, "0"),
        ],
    );
    refused(
        "x |> openvino::StridedSlice@1(begin = [0], end = [1], stride = [[0]], begin_mask = [2], end_mask = [3, 1, -1])",
        &[
            (ParameterRank, "[[0]]"),
            (MaskValue, "2"),
            (MaskValue, "3"),
            (MaskValue, "-1"),
        ],
    );
    refused(
        "x |> openvino::StridedSlice@1(begin = [0, 0, 0], end = [1, 1, 1], stride = [0, 1, 1], ellipsis_mask = [0, 1, 1])",
        &[(StepZero, "0"), (EllipsisMask, "[0, 1, 1]")],
    );
}

#[test]
fn what_stands_beside_a_refused_part_of_an_operator_is_still_checked() {
    refused(
        "x |> onnx::Slice@12(starts = [0], ends = 1.5, steps = [0]) |> onnx::Slice@13(steps = [0], starts = 1 2, ends = [1])",
        &[
            (UnknownVersion, "12"),
            (Syntax, "1.5"),
            (StepZero, "0"),
            (StepZero, "0"),
            (Syntax, "2"),
        ],
    );
    refused(
        "onnx::Slice@13(starts = [0], steps = [0])",
        &[
            (MissingAttribute, "onnx::Slice@13"),
            (MissingAttribute, "onnx::Slice@13"),
            (StepZero, "0"),
        ],
    );
    refused(
        "<f32[4]> x[@a] |> onnx::Slice@13(starts = [0], ends = [1], steps = [0])",
        &[(UnknownOperand, "a"), (StepZero, "0")],
    );
    // A mask that is refused may be the one that lets a stride of 0 pass.
    refused(
        "x |> openvino::StridedSlice@1(begin = [0], end = [0], stride = [0], shrink_axis_mask = 1)",
        &[(ParameterRank, "1")],
    );
    refused(
        "x |> openvino::StridedSlice@1(begin = [0], end = [0], stride = [0], shrink_axis_mask = [2])",
        &[(MaskValue, "2")],
    );
}

#[test]
fn what_stands_beside_a_refused_entry_of_a_bracket_is_still_checked() {
    refused("x[::0, 1.5]", &[(StepZero, "0"), (Syntax, "1.5")]);
    refused(
        "<i64[4]> x[@a, ::0, ..., 1 2, ...]",
        &[
            (UnknownOperand, "a"),
            (StepZero, "0"),
            (Syntax, "2"),
            (TwoEllipses, "..."),
        ],
    );
    refused(
        "x[[0], [1], true]",
        &[(TwoGathers, "[1]"), (BooleanMask, "true")],
    );
    // Whether the integer stands beside the list is not known.
    refused("x[0, true, [1]]", &[(BooleanMask, "true")]);
    // The place in the bracket is counted with the entries that are refused.
    let refusals = notation::diagnose("x[1.5, ::0]").expect_err("two mistakes");
    let step = &refusals[1].error;
    assert!(step.to_string().contains("`step[1]` = 0"), "{step}");
    assert_eq!(step.offender_position(), Some(1));
}
