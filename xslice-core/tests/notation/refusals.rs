//! What is refused: kind, offending token, words; one line of the table for each rule.

use xslice_core::notation::{self, Diagnostic};
use xslice_core::{ErrorKind, Program};

/// Text, kind, the offending tokens, a part of the message.
type Refusal = (&'static str, ErrorKind, &'static str, &'static str);

const REFUSALS: &[Refusal] = {
    use ErrorKind as K;
    &[
        // Shape of the text.
        ("", K::Syntax, "", "unexpected end"),
        ("x y", K::Syntax, "y", "`|>`"),
        ("x -> f32 |> [0]", K::Syntax, "|", "comes last"),
        ("x => y", K::Syntax, "=", "belongs to the macro"),
        ("x | > [0]", K::Syntax, "|", "without a space"),
        ("x |> ", K::Syntax, "", "a bracket such as"),
        ("x |> y", K::Syntax, "y", "onnx::Slice@13"),
        ("x |> @ids", K::Syntax, "@", "[@ids]"),
        ("x.y[0]", K::Syntax, ".", "single name"),
        ("a::b[0]", K::Syntax, "[", "single name"),
        ("x@ids", K::Syntax, "ids", "x[@ids]"),
        ("@x[0]", K::Syntax, "@", "without `@`"),
        ("(x)[0]", K::Syntax, "(", "belong to the macro"),
        ("[0]", K::Syntax, "[", "operand first"),
        ("const <f32[3]> x[0]", K::Syntax, "const", "macro"),
        ("x[0", K::Syntax, "[", "not closed"),
        ("x[0)", K::Syntax, ")", "closes `[`"),
        ("x]", K::Syntax, "]", "closes nothing"),
        ("x[0] /* open", K::Syntax, "/* open", "unexpected"),
        (
            "x[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]",
            K::TooDeep,
            "[",
            "16",
        ),
        // Entries.
        ("x[]", K::Syntax, "[]", "`[...]`"),
        ("x[,]", K::Syntax, ",", "an integer"),
        ("x[0..3]", K::Syntax, "0..3", "write `0:3`"),
        ("x[0..=3]", K::Syntax, "0..=3", "write `0:4`"),
        ("x[0..=]", K::Syntax, "0..=", "write `0:`"),
        ("x[0..-]", K::Syntax, "0..", "write `0:`"),
        ("x[-4..=-1]", K::Syntax, "-4..=-1", "write `-4:`"),
        ("x[1..]", K::Syntax, "1..", "write `1:`"),
        ("x[..3]", K::Syntax, "..3", "write `:3`"),
        ("x[a..b]", K::Syntax, "a..b", "literal bounds"),
        ("x[..]", K::Syntax, "..", "`...`"),
        ("x[....]", K::Syntax, "....", "`...`"),
        ("x[None]", K::Syntax, "None", "`newaxis`"),
        ("x['a']", K::Syntax, "'a'", "axes have no labels"),
        ("x['name']", K::Syntax, "'name'", "axes have no labels"),
        ("x[\"a\"]", K::Syntax, "\"a\"", "axes have no labels"),
        ("x['\\n']", K::Syntax, "'\\n'", "`@name` or a list"),
        ("x[1:'a']", K::Syntax, "'a'", "`,` or `]`"),
        ("x['a]", K::Syntax, "'", "`@name` or a list"),
        ("x['', 1]", K::Syntax, "'", "`@name` or a list"),
        ("x[None:3]", K::Syntax, "None", "leave the bound out"),
        ("x[1:None]", K::Syntax, "None", "leave the bound out"),
        ("x[?]", K::Syntax, "?", "`@name`"),
        ("x[true]", K::BooleanMask, "true", "positions"),
        (
            "x[[true, false]]",
            K::BooleanMask,
            "[true, false]",
            "positions",
        ),
        ("x[!m]", K::BooleanMask, "!", "positions"),
        ("x[x > 0]", K::BooleanMask, "x", "comparison"),
        (
            "<f32[3], m: bool[3]> x[@m]",
            K::BooleanMask,
            "@m",
            "positions",
        ),
        ("x[1.5]", K::Syntax, "1.5", "whole numbers"),
        ("x[-1.0]", K::Syntax, "-1.0", "whole numbers"),
        ("x[:2.5]", K::Syntax, "2.5", "whole numbers"),
        ("x[[0, 1e3]]", K::Syntax, "1e3", "whole numbers"),
        ("x[ids]", K::Syntax, "ids", "`@ids`"),
        ("x[a:b]", K::Syntax, "a", "onnx::Slice@13"),
        ("x[1:n]", K::Syntax, "n", "onnx::Slice@13"),
        ("x[@a:]", K::Syntax, ":", "onnx::Slice@13"),
        ("x[@ids[0]]", K::Syntax, "[", "@(ids[0])"),
        ("x[@3]", K::Syntax, "3", "name"),
        ("x[usize::MAX]", K::Syntax, "usize", "`i32` and `i64`"),
        ("x[i64::MED]", K::Syntax, "MED", "`MIN` or `MAX`"),
        ("x[-i64::MAX]", K::Syntax, "i64", "literal"),
        ("x[1 + 2]", K::Syntax, "+", "`,` or `]`"),
        ("x[(0, 2)]", K::Syntax, "(", "in brackets"),
        ("x[1:2:3:4]", K::Syntax, ":", "two colons"),
        ("x[[0:2]]", K::Syntax, ":", "`,` or `]`"),
        ("x[[@a]]", K::Syntax, "@", "constants"),
        ("x[1:5:0]", K::StepZero, "0", "any value but 0"),
        ("x[..., 0, ...]", K::TwoEllipses, "...", "two ellipses"),
        ("x[@a, [0]]", K::TwoGathers, "[0]", "chain"),
        ("x[[0], [1]]", K::TwoGathers, "[1]", "chain"),
        ("x[0, :, [0, 2]]", K::MixedGather, "0", "`x[0][:, [0, 2]]`"),
        (
            "x[[0, 2], :, 1]",
            K::MixedGather,
            "1",
            "`x[:, :, 1][[0, 2], :]`",
        ),
        (
            "x[1, newaxis, @a]",
            K::MixedGather,
            "1",
            "`x[1][newaxis, @a]`",
        ),
        ("x[3, ..., @a]", K::MixedGather, "3", "`x[3][..., @a]`"),
        (
            "x[..., 3, :, @a]",
            K::MixedGather,
            "3",
            "`x[..., 3, :, :][..., :, @a]`",
        ),
        ("x[[0, [1]]]", K::RaggedList, "[1]", "beside an integer"),
        ("x[[[0], 1]]", K::RaggedList, "1", "beside a list"),
        (
            "x[[[0], [1, 2]]]",
            K::RaggedList,
            "[1, 2]",
            "length 2 beside one of length 1",
        ),
        (
            "x[[[], [1]]]",
            K::RaggedList,
            "[1]",
            "length 1 beside one of length 0",
        ),
        // Numbers.
        (
            "x[9223372036854775808]",
            K::NumberRange,
            "9223372036854775808",
            "i64",
        ),
        (
            "x[-9223372036854775809]",
            K::NumberRange,
            "-9223372036854775809",
            "i64",
        ),
        (
            "x[0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF]",
            K::NumberRange,
            "0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
            "i64",
        ),
        ("x[3usize]", K::Syntax, "3usize", "write `3`"),
        ("x[0b12]", K::Syntax, "0b12", "binary"),
        ("x[0x]", K::Syntax, "0x", "no digit"),
        // Types.
        ("<f33[2]> x", K::UnknownType, "f33", "`f32` is nearest"),
        (
            "<float32[2]> x",
            K::UnknownType,
            "float32",
            "`f32` is nearest",
        ),
        (
            "<complex128> x",
            K::UnknownType,
            "complex128",
            "`c128` is nearest",
        ),
        ("<usize> x", K::UnknownType, "usize", "`u64` is nearest"),
        ("x -> Int8[3]", K::UnknownType, "Int8", "`i8` is nearest"),
        ("<f32[N]> x", K::Syntax, "N", "leave `<...>` out"),
        ("<f32[?]> x", K::Syntax, "?", "leave `<...>` out"),
        ("<f32[2.0]> x", K::Syntax, "2.0", "leave `<...>` out"),
        ("<f32[-1]> x", K::NumberRange, "-1", "0 and above"),
        (
            "<f32[9223372036854775808]> x",
            K::NumberRange,
            "9223372036854775808",
            "(allowed: 0..=",
        ),
        ("<x: f32[3]> x", K::Syntax, "x", "has no name"),
        ("<f32[3], i64[2]> x", K::Syntax, "[", "only the first type"),
        ("<f32[3] x", K::Syntax, "x", "`>`"),
        (
            "<f32[3], x: i64[2]> x[@x]",
            K::RepeatedOperand,
            "x",
            "twice",
        ),
        (
            "<f32[3], a: i64, a: i64> x[@a]",
            K::RepeatedOperand,
            "a",
            "twice",
        ),
        ("<f32[3], a: i64> x", K::UnusedOperand, "a", "`@a`"),
        (
            "<f32[3], ids: i64> x[@idz]",
            K::UnknownOperand,
            "idz",
            "`ids` is nearest",
        ),
        (
            "<f32[3]> x[@(ids[0])]",
            K::UnknownOperand,
            "ids",
            "declare it",
        ),
        (
            "<f32[3], a: i32[4]> x[@(<i64> a[0])]",
            K::OperandType,
            "a",
            "i32",
        ),
        (
            "x[@(<i32> a[0])][@(<i64> a[1])]",
            K::OperandType,
            "a",
            "i32",
        ),
        // Operators.
        (
            "x |> onnx::Slise@13()",
            K::UnknownOperator,
            "onnx::Slise",
            "`onnx::Slice` is nearest",
        ),
        (
            "x |> Gather@13(indices = [0])",
            K::UnknownOperator,
            "Gather",
            "`onnx::Gather` is nearest",
        ),
        (
            "x |> openvino::Gather@8(indices = [0])",
            K::UnknownOperator,
            "openvino::Gather",
            "`onnx::Gather` is nearest",
        ),
        (
            "x |> tensor::Reverse@1()",
            K::UnknownOperator,
            "tensor::Reverse",
            "openvino::StridedSlice",
        ),
        (
            "x |> onnx::Slice@12(starts = [0], ends = [1])",
            K::UnknownVersion,
            "12",
            "11 or 13",
        ),
        (
            "x |> onnx::Gather@13.5(indices = [0])",
            K::Syntax,
            "13.5",
            "version",
        ),
        (
            "x |> onnx::Gather@99999999999(indices = [0])",
            K::NumberRange,
            "99999999999",
            "0..=4294967295",
        ),
        ("x |> onnx::Slice(starts = [0])", K::Syntax, "(", "version"),
        ("x |> onnx::Slice@13", K::Syntax, "", "arguments"),
        (
            "x |> onnx::Slice@13(start = [0], ends = [1])",
            K::UnknownAttribute,
            "start",
            "`starts` is nearest",
        ),
        (
            "x |> onnx::Slice@1(starts = [0], ends = [1], steps = [1])",
            K::UnknownAttribute,
            "steps",
            "version 10",
        ),
        (
            "x |> onnx::Slice@13(ends = [0], ends = [1])",
            K::RepeatedAttribute,
            "ends",
            "twice",
        ),
        (
            "x |> onnx::Slice@13(ends = [0])",
            K::MissingAttribute,
            "onnx::Slice@13",
            "`starts` is required",
        ),
        (
            "x |> openvino::Slice@8(start = [0], stop = [1])",
            K::MissingAttribute,
            "openvino::Slice@8",
            "`step` is required",
        ),
        (
            "x |> onnx::Slice@13(starts: [0])",
            K::Syntax,
            ":",
            "name = value",
        ),
        (
            "x |> onnx::Slice@13(starts = )",
            K::Syntax,
            ")",
            "a list such as",
        ),
        (
            "x |> onnx::Slice@13(starts = s, ends = [1])",
            K::Syntax,
            "s",
            "`@s`",
        ),
        (
            "x |> onnx::Slice@13(starts = 0.5, ends = [1])",
            K::Syntax,
            "0.5",
            "float `0.5` as `starts`",
        ),
        (
            "x |> onnx::Gather@13(indices = [0], axis = @a)",
            K::Syntax,
            "@a",
            "not one of its inputs",
        ),
        (
            "x |> onnx::Gather@13(indices = [0], axis = [0])",
            K::Syntax,
            "[0]",
            "an integer",
        ),
        (
            "x |> onnx::Gather@13(indices = [0], dialect = onnx)",
            K::Syntax,
            "onnx",
            "onnxruntime",
        ),
        (
            "x |> openvino::StridedSlice@1(begin = [0], end = [1], end_mask = 1)",
            K::ParameterRank,
            "1",
            "rank 1",
        ),
        (
            "x |> openvino::StridedSlice@1(begin = [0], end = [1], end_mask = [[1]])",
            K::ParameterRank,
            "[[1]]",
            "rank 1",
        ),
        (
            "onnx::Slice@13(starts = [0], ends = [1])",
            K::MissingAttribute,
            "onnx::Slice@13",
            "x |> ...",
        ),
        (
            "x |> onnx::Range@11(start = 0, limit = 1, delta = 1)",
            K::OperandCount,
            "onnx::Range@11",
            "no data",
        ),
        (
            "<i64> onnx::Range@11(start = 0, limit = 1, delta = 1)[0]",
            K::Syntax,
            "[",
            "|> [...]",
        ),
        // Range.
        (
            "onnx::Range@11(start = 0, limit = 1, delta = 1)",
            K::Syntax,
            "onnx::Range@11",
            "`<i64>",
        ),
        (
            "onnx::Range@11(start = 0, limit = 1, delta = 0.5)",
            K::Syntax,
            "onnx::Range@11",
            "`<f32>",
        ),
        (
            "x[@(onnx::Range@11(start = 0, limit = 1, delta = 1))]",
            K::Syntax,
            "onnx::Range@11",
            "`<i64>",
        ),
        (
            "<f32[4]> onnx::Range@11(start = 0, limit = 1, delta = 1)",
            K::Syntax,
            "f32[4]",
            "alone",
        ),
        (
            "<u8> onnx::Range@11(start = 0, limit = 1, delta = 1)",
            K::ElementType,
            "u8",
            "i16, i32, i64",
        ),
        (
            "<i64> onnx::Range@11(start = 0, limit = 0.5, delta = 1)",
            K::NumberRange,
            "0.5",
            "<f32>",
        ),
        (
            "<f32[4], s: i64> x[@(onnx::Range@11(start = @s, limit = 0.5, delta = 1))]",
            K::NumberRange,
            "0.5",
            "that of a run-time operand",
        ),
        (
            "onnx::Range@11(start = @s, limit = 1e309, delta = 1)",
            K::NumberRange,
            "1e309",
            "f64",
        ),
        (
            "<i16> onnx::Range@11(start = 0, limit = 32768, delta = 1)",
            K::NumberRange,
            "32768",
            "-32768..=32767",
        ),
        (
            "<i32> onnx::Range@11(start = 0, limit = [2147483648], delta = 1)",
            K::NumberRange,
            "2147483648",
            "i32",
        ),
        (
            "<f32> onnx::Range@11(start = 0, limit = 1e39, delta = 1)",
            K::NumberRange,
            "1e39",
            "f32",
        ),
        (
            "<f64> onnx::Range@11(start = 0, limit = -1e309, delta = 1)",
            K::NumberRange,
            "-1e309",
            "f64",
        ),
        (
            "<f32> onnx::Range@11(start = 0, limit = 1.0f32, delta = 1)",
            K::Syntax,
            "1.0f32",
            "write `1.0`",
        ),
        (
            "<f32> onnx::Range@11(start = 0, limit = inf, delta = 1)",
            K::Syntax,
            "inf",
            "a number",
        ),
        (
            "<f32, s: f64> onnx::Range@11(start = @s, limit = 1, delta = 1)",
            K::OperandType,
            "s",
            "f64",
        ),
    ]
};

#[test]
fn each_rule_refuses_on_the_offending_token() {
    let mut wrong = Vec::new();
    for (text, kind, token, words) in REFUSALS {
        let diagnostics = notation::diagnose(text).expect_err(text);
        let Diagnostic { error, span } = &diagnostics[0];
        let shown = error.to_string();
        let found = (error.kind(), &text[span.clone()], diagnostics.len());
        if found != (*kind, *token, 1) || !shown.contains(words) || shown.contains('\n') {
            wrong.push(format!("{text}: {found:?} {shown}"));
        }
        let first = Program::parse(text).expect_err(text);
        assert_eq!(first, error.clone().in_text(text, span.start), "{text}");
        let column = text[..span.start].chars().count() + 1;
        let place = (first.text_position(), first.column_number());
        assert_eq!(place, (Some(span.start), Some(column)), "{text}");
        assert_eq!((error.text_position(), error.column_number()), (None, None));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rules_of_the_core_are_refused_on_their_argument() {
    for (text, kind, token) in [
        (
            "x |> onnx::Slice@13(starts = [0, 0], ends = [1, 1], steps = [1, 0])",
            ErrorKind::StepZero,
            "0",
        ),
        (
            "x |> onnx::Slice@13(starts = 0, ends = [1])",
            ErrorKind::ParameterRank,
            "0",
        ),
        (
            "x |> openvino::StridedSlice@1(begin = [0], end = [1], end_mask = [2])",
            ErrorKind::MaskValue,
            "2",
        ),
    ] {
        let diagnostics = notation::diagnose(text).expect_err(text);
        let Diagnostic { error, span } = &diagnostics[0];
        assert_eq!(
            (error.kind(), &text[span.clone()]),
            (kind, token),
            "{text}: {error}"
        );
    }
}

#[test]
fn what_is_refused_of_an_argument_names_the_operator() {
    for (operator, arguments) in [
        ("onnx::Slice@13", "starts = [0], starts = [1], ends = [1]"),
        ("onnx::Slice@13", "startz = [0], ends = [1]"),
        ("onnx::Slice@13", "starts = s, ends = [1]"),
        ("onnx::Slice@13", "starts = [[0], 1], ends = [1]"),
        ("onnx::Slice@13", "starts = 0, ends = [1]"),
        ("onnx::Gather@13", "indices = [0], axis = 0.5"),
        ("onnx::Gather@11", "indices = [0], axis = @a"),
        ("onnx::Gather@1", "indices = [0], dialect = numpy"),
        ("onnx::Gather@1", "indices = [0], dialect = 3"),
        (
            "openvino::StridedSlice@1",
            "begin = [0], end = [1], begin_mask = 1",
        ),
        (
            "openvino::StridedSlice@1",
            "begin = [0], end = [1], begin_mask = [[1]]",
        ),
        (
            "openvino::StridedSlice@1",
            "begin = [0], end = [1], begin_mask = [2]",
        ),
    ] {
        let text = format!("x |> {operator}({arguments})");
        let error = Program::parse(&text).expect_err(&text);
        assert_eq!(error.operator_name(), Some(operator), "{error}");
    }
    for arguments in [
        "start = 0, limit = 1e39, delta = 1",
        "start = 0, limit = [1, [2]], delta = 1",
        "start = 0, limit = 1, delta = one",
    ] {
        let text = format!("<f32> onnx::Range@11({arguments})");
        let error = Program::parse(&text).expect_err(&text);
        assert_eq!(error.operator_name(), Some("onnx::Range@11"), "{error}");
    }
    // What another operator refuses inside an argument is its own.
    let text = "x |> onnx::Slice@13(starts = @(s |> onnx::Gather@1(indices = [0], axis = [0])), ends = [1])";
    let error = Program::parse(text).expect_err(text);
    assert_eq!(error.operator_name(), Some("onnx::Gather@1"), "{error}");
}

#[test]
fn long_and_odd_tokens_are_shown_on_one_short_line() {
    let name = "y".repeat(100_000);
    for text in [
        format!("x[{name}]"),
        format!("<f32, a: i64> x[@{name}]"),
        String::from("x[\"a\nb\"]"),
        String::from("x[\u{7}]"),
    ] {
        let shown = Program::parse(&text).expect_err("no entry").to_string();
        assert!(
            shown.len() < 400 && !shown.contains(char::is_control),
            "{shown}"
        );
    }
}
