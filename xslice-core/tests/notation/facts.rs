//! What a refusal names: operator, parameter, value, what is allowed and where, whether the parser refuses or the rules behind it.

use xslice_core::Program;
use xslice_core::notation::{self, Diagnostic};

/// Text; operator, parameter, offending value, what is allowed; `-` where there is none.
type Facts = (&'static str, [&'static str; 4]);

const I64: &str = "-9223372036854775808..=9223372036854775807";
const ATTRIBUTES: &str = "starts, ends, axes, steps, dialect";
const VALUE: &str = "a number, a list such as `[0, 2]`, `@name`, or the name of a dialect";
const ARGUMENT: &str = "an argument such as `starts = [0]`";
const ELEMENT: &str = "an integer or a list";
const TENSOR: &str = "an integer, a list, `@name`";
const ENTRY: &str =
    "an integer, a slice such as `1:`, `...`, `newaxis`, `@name` or a list such as `[0, 2]`";
const BOUND: &str = "an integer, or nothing";
const OPERATORS: &str =
    "onnx::Slice, onnx::Gather, onnx::Range, openvino::Slice, openvino::StridedSlice";
const NAME: &str = "the name of a run-time operand, or computed indices in parentheses";
const STAGE: &str = "an operator such as `onnx::Slice@13(...)` or a bracket such as `[1:]`";
const DIALECTS: &str = "standard, onnxruntime, openvino_text";

/// In the parentheses of an operator.
#[rustfmt::skip]
const ARGUMENTS: &[Facts] = &[
    // The form of an argument.
    ("x |> onnx::Slice@13(7)", ["onnx::Slice@13", "-", "7", ARGUMENT]),
    ("x |> onnx::Slice@13(= [0])", ["onnx::Slice@13", "-", "=", ARGUMENT]),
    ("x |> onnx::Slice@13(starts: [0])", ["onnx::Slice@13", "starts", ":", "`=` and a value"]),
    ("x |> onnx::Slice@13(starts)", ["onnx::Slice@13", "starts", ")", "`=` and a value"]),
    ("x |> onnx::Slice@13(starts = )", ["onnx::Slice@13", "starts", ")", VALUE]),
    ("x |> onnx::Slice@13(starts = , ends = [1])", ["onnx::Slice@13", "starts", ",", VALUE]),
    ("x |> onnx::Slice@13(starts = \"a\", ends = [1])", ["onnx::Slice@13", "starts", "\"a\"", VALUE]),
    ("x |> onnx::Slice@13(starts = (0), ends = [1])", ["onnx::Slice@13", "starts", "(", VALUE]),
    ("x |> onnx::Slice@13(starts = [0] ends = [1])", ["onnx::Slice@13", "-", "ends", "`,` or `)`"]),
    ("x |> onnx::Slice@13(starts = 1:3, ends = [1])", ["onnx::Slice@13", "-", ":", "`,` or `)`"]),
    // Which attributes there are.
    ("x |> onnx::Slice@13(stepz = 1)", ["onnx::Slice@13", "stepz", "stepz", ATTRIBUTES]),
    ("x |> onnx::Slice@1(stepz = 1)", ["onnx::Slice@1", "stepz", "stepz", "starts, ends, axes, dialect"]),
    ("x |> onnx::Slice@13(ends = [0], ends = [1])", ["onnx::Slice@13", "ends", "-", "each attribute once"]),
    ("x |> onnx::Slice@13(ends = [0])", ["onnx::Slice@13", "starts", "-", "-"]),
    ("x |> onnx::Slice@13()", ["onnx::Slice@13", "starts", "-", "-"]),
    ("x |> onnx::Slice@1(starts = [0], ends = [1], steps = [1])", ["onnx::Slice@1", "steps", "-", "starts, ends, axes"]),
    // Numbers.
    ("x |> onnx::Slice@13(starts = [0, 99999999999999999999], ends = [1, 1])", ["onnx::Slice@13", "starts", "99999999999999999999", I64]),
    ("x |> onnx::Slice@13(starts = 99999999999999999999, ends = [1])", ["onnx::Slice@13", "starts", "99999999999999999999", I64]),
    ("x |> onnx::Slice@13(starts = [0], ends = [-9223372036854775809])", ["onnx::Slice@13", "ends", "-9223372036854775809", I64]),
    ("x |> onnx::Gather@13(indices = [[0, 1], [2, 9223372036854775808]])", ["onnx::Gather@13", "indices", "9223372036854775808", I64]),
    ("x |> onnx::Gather@13(indices = [0], axis = 9223372036854775808)", ["onnx::Gather@13", "axis", "9223372036854775808", I64]),
    ("x |> onnx::Slice@13(starts = [3usize], ends = [1])", ["onnx::Slice@13", "starts", "3usize", "-"]),
    ("x |> onnx::Slice@13(starts = [0b12], ends = [1])", ["onnx::Slice@13", "starts", "0b12", "-"]),
    ("x |> onnx::Slice@13(starts = [0x], ends = [1])", ["onnx::Slice@13", "starts", "0x", "-"]),
    ("x |> onnx::Slice@13(starts = [i64::MED], ends = [1])", ["onnx::Slice@13", "starts", "MED", "`MIN` or `MAX`"]),
    ("x |> onnx::Slice@13(starts = [-i64::MAX], ends = [1])", ["onnx::Slice@13", "starts", "i64", "an integer literal after `-`"]),
    ("x |> onnx::Slice@13(starts = -, ends = [1])", ["onnx::Slice@13", "starts", ",", "an integer"]),
    ("x |> onnx::Slice@13(starts = [0.5], ends = [1])", ["onnx::Slice@13", "starts", "0.5", "an integer"]),
    ("x |> onnx::Slice@13(starts = [-0.5], ends = [1])", ["onnx::Slice@13", "starts", "-0.5", "an integer"]),
    ("<f32> onnx::Range@11(start = 1.0f32, limit = 1, delta = 1)", ["onnx::Range@11", "start", "1.0f32", "-"]),
    ("<i16> onnx::Range@11(start = 0, limit = 32768, delta = 1)", ["onnx::Range@11", "limit", "32768", "-32768..=32767"]),
    ("<i64> onnx::Range@11(start = 0, limit = 0.5, delta = 1)", ["onnx::Range@11", "limit", "0.5", "integers"]),
    ("<f32> onnx::Range@11(start = 0, limit = 1e39, delta = 1)", ["onnx::Range@11", "limit", "1e39", "finite numbers"]),
    // Lists.
    ("x |> onnx::Slice@13(starts = [0, [1]], ends = [1])", ["onnx::Slice@13", "starts", "-", "an integer"]),
    ("x |> onnx::Gather@13(indices = [[0], 1])", ["onnx::Gather@13", "indices", "1", "a list"]),
    ("x |> onnx::Gather@13(indices = [[0], [1, 2]])", ["onnx::Gather@13", "indices", "2", "length 1"]),
    ("<f32> onnx::Range@11(start = 0, limit = [1, [2]], delta = 1)", ["onnx::Range@11", "limit", "-", "an integer"]),
    ("x |> onnx::Slice@13(starts = [0; 3], ends = [1])", ["onnx::Slice@13", "starts", ";", "`,` or `]`"]),
    ("x |> onnx::Slice@13(starts = [0 1], ends = [1])", ["onnx::Slice@13", "starts", "1", "`,` or `]`"]),
    ("x |> onnx::Slice@13(starts = [a], ends = [1])", ["onnx::Slice@13", "starts", "a", ELEMENT]),
    ("x |> onnx::Slice@13(starts = [@a], ends = [1])", ["onnx::Slice@13", "starts", "@", ELEMENT]),
    ("x |> onnx::Slice@13(starts = [:], ends = [1])", ["onnx::Slice@13", "starts", ":", ELEMENT]),
    ("x |> onnx::Slice@13(starts = [,], ends = [1])", ["onnx::Slice@13", "starts", ",", ELEMENT]),
    ("x |> onnx::Gather@13(indices = [true, false])", ["onnx::Gather@13", "indices", "-", "integers"]),
    ("x |> onnx::Gather@13(indices = [0, true])", ["onnx::Gather@13", "indices", "true", "integers"]),
    ("x |> onnx::Gather@13(indices = [[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]])", ["onnx::Gather@13", "indices", "17", "depth 1..=16"]),
    // Values of a wrong type.
    ("x |> onnx::Slice@13(starts = s, ends = [1])", ["onnx::Slice@13", "starts", "s", TENSOR]),
    ("x |> onnx::Slice@13(starts = -0.5, ends = [1])", ["onnx::Slice@13", "starts", "-0.5", TENSOR]),
    ("x |> onnx::Gather@13(indices = [0], axis = \"a\")", ["onnx::Gather@13", "axis", "\"a\"", VALUE]),
    ("x |> onnx::Gather@13(indices = [0], axis = a)", ["onnx::Gather@13", "axis", "a", "an integer"]),
    ("x |> onnx::Gather@13(indices = [0], axis = 0.5)", ["onnx::Gather@13", "axis", "0.5", "an integer"]),
    ("x |> onnx::Gather@13(indices = [0], axis = [0])", ["onnx::Gather@13", "axis", "-", "an integer"]),
    ("x |> onnx::Gather@13(indices = [0], axis = @a)", ["onnx::Gather@13", "axis", "@a", "an integer"]),
    ("x |> onnx::Gather@13(indices = [0], dialect = onnx)", ["onnx::Gather@13", "dialect", "onnx", DIALECTS]),
    ("x |> onnx::Gather@13(indices = [0], dialect = 3)", ["onnx::Gather@13", "dialect", "3", DIALECTS]),
    ("x |> openvino::StridedSlice@1(begin = [0], end = [1], end_mask = 1)", ["openvino::StridedSlice@1", "end_mask", "[]", "rank 1"]),
    ("x |> openvino::StridedSlice@1(begin = [0], end = [1], end_mask = m)", ["openvino::StridedSlice@1", "end_mask", "m", "a list of 0 and 1"]),
    ("x |> openvino::StridedSlice@1(begin = [0], end = [1], end_mask = [2])", ["openvino::StridedSlice@1", "end_mask", "2", "0 or 1"]),
    // Run-time operands.
    ("x |> onnx::Slice@13(starts = @, ends = [1])", ["onnx::Slice@13", "starts", ",", NAME]),
    ("x |> onnx::Slice@13(starts = @3, ends = [1])", ["onnx::Slice@13", "starts", "3", NAME]),
    ("x |> onnx::Slice@13(starts = @(), ends = [1])", ["onnx::Slice@13", "starts", ")", "a name, or an operator such as `onnx::Range@11(...)`"]),
    ("x |> onnx::Slice@13(starts = @(s t), ends = [1])", ["onnx::Slice@13", "starts", "t", "`[`, `|>` or `)`"]),
    ("x |> onnx::Slice@13(starts = @(s |> t), ends = [1])", ["onnx::Slice@13", "starts", "t", STAGE]),
    ("x |> onnx::Slice@13(starts = @(<i65> s), ends = [1])", ["onnx::Slice@13", "starts", "i65", "bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, c64, c128, string"]),
    ("<f32[3], s: i64[1]> x |> onnx::Slice@13(starts = @s, ends = @t)", ["onnx::Slice@13", "t", "-", "-"]),
    ("x |> onnx::Gather@13(indices = @(<i32> a)) |> onnx::Gather@13(indices = @(<i64> a))", ["onnx::Gather@13", "a", "i32", "i64"]),
    // What is refused inside of an argument has its own operator.
    ("x |> onnx::Slice@13(starts = @(s[0..3]), ends = [1])", ["index", "-", "0..3", "-"]),
    ("x |> onnx::Slice@13(starts = @(s |> onnx::Gather@1(indices = [[0], 1])), ends = [1])", ["onnx::Gather@1", "indices", "1", "a list"]),
    ("x |> onnx::Slice@13(starts = @(s |> onnx::Gather@1(7)), ends = [1])", ["onnx::Gather@1", "-", "7", ARGUMENT]),
    ("x |> onnx::Gather@13(indices = @(onnx::Range@11(start = 0, limit = 1, delta = 1)))", ["onnx::Range@11", "-", "-", "i16, i32, i64, f32, f64"]),
];

/// The name of an operator, its version, and what it stands on.
#[rustfmt::skip]
const HEADS: &[Facts] = &[
    ("x |> onnx::Slise@13()", ["-", "-", "onnx::Slise", OPERATORS]),
    ("x |> onnx::Slice@12(starts = [0], ends = [1])", ["onnx::Slice@12", "-", "12", "1, 10, 11 or 13"]),
    ("x |> onnx::Slice@99999999999(starts = [0])", ["onnx::Slice", "-", "99999999999", "0..=4294967295"]),
    ("x |> onnx::Slice@99999999999999999999(starts = [0])", ["onnx::Slice", "-", "99999999999999999999", "0..=4294967295"]),
    ("x |> onnx::Slice@13u8(starts = [0])", ["onnx::Slice", "-", "13u8", "-"]),
    ("x |> onnx::Slice@(starts = [0])", ["onnx::Slice", "-", "(", "the version of the operator, such as 13"]),
    ("x |> onnx::Slice(starts = [0])", ["onnx::Slice", "-", "(", "`@` and the version of the operator"]),
    ("x |> onnx::Slice@13[0]", ["onnx::Slice@13", "-", "[", "`(` and the arguments"]),
    ("x |> onnx::Slice@13", ["onnx::Slice@13", "-", "-", "`(` and the arguments"]),
    ("onnx::Slice@13(starts = [0], ends = [1])", ["onnx::Slice@13", "data", "-", "-"]),
    ("x |> onnx::Range@11(start = 0, limit = 1, delta = 1)", ["onnx::Range@11", "data", "-", "-"]),
    ("onnx::Range@11(start = 0, limit = 1, delta = 1)", ["onnx::Range@11", "-", "-", "i16, i32, i64, f32, f64"]),
    ("<u8> onnx::Range@11(start = 0, limit = 1, delta = 1)", ["onnx::Range@11", "start", "u8", "i16, i32, i64, f32, f64"]),
    ("<f32, s: f64> onnx::Range@11(start = @s, limit = 1, delta = 1)", ["onnx::Range@11", "s", "f64", "f32"]),
];

#[rustfmt::skip]
const BRACKETS: &[Facts] = &[
    ("x[]", ["index", "-", "-", "-"]),
    ("x[,]", ["index", "-", ",", ENTRY]),
    ("x[\"a\"]", ["index", "-", "\"a\"", ENTRY]),
    ("x[1 2]", ["index", "-", "2", "`,` or `]`"]),
    ("x[0..3]", ["index", "-", "0..3", "-"]),
    ("x[....]", ["index", "-", "....", "`...`"]),
    ("x[1.5]", ["index", "-", "1.5", "an integer"]),
    ("x[9223372036854775808]", ["index", "-", "9223372036854775808", I64]),
    ("x[9223372036854775808:]", ["index", "start", "9223372036854775808", I64]),
    ("x[:9223372036854775808]", ["index", "end", "9223372036854775808", I64]),
    ("x[::9223372036854775808]", ["index", "step", "9223372036854775808", I64]),
    ("x[::0]", ["index", "step", "0", "any value but 0"]),
    ("x[0:n]", ["index", "end", "n", BOUND]),
    ("x[0::None]", ["index", "step", "None", BOUND]),
    ("x[1:2:3:4]", ["index", "-", ":", "`,` or `]`"]),
    ("x[n]", ["index", "-", "n", ENTRY]),
    ("x[true]", ["index", "-", "true", "integers"]),
    ("x[[true, false]]", ["index", "indices", "-", "integers"]),
    ("<f32[3], m: bool[3]> x[@m]", ["index", "indices", "bool", "integers"]),
    ("x[[0, 99999999999999999999]]", ["index", "indices", "99999999999999999999", I64]),
    ("x[[0, [1]]]", ["index", "indices", "-", "an integer"]),
    ("x[[[0], [1, 2]]]", ["index", "indices", "2", "length 1"]),
    ("x[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]", ["index", "indices", "17", "depth 1..=16"]),
    ("x[@3]", ["index", "indices", "3", NAME]),
    ("x[@(ids |> y)]", ["index", "indices", "y", STAGE]),
    ("x[@ids[0]]", ["index", "-", "[", "`,` or `]`"]),
    ("<f32[3], ids: i64> x[@idz][@ids]", ["index", "idz", "-", "-"]),
    ("<f32[3], a: i32[4]> x[@(<i64> a[0])]", ["index", "a", "i32", "i64"]),
    ("x[@a, [0]]", ["index", "-", "-", "one `@name` or list a bracket"]),
    ("x[0] |> [[0.5]]", ["index", "indices", "0.5", "an integer"]),
];

/// Outside of any operator there is none to name.
#[rustfmt::skip]
const OUTSIDE: &[Facts] = &[
    ("", ["-", "-", "-", "an operand such as `x[1:]`, or an operator"]),
    ("x y", ["-", "-", "y", "`[`, `|>`, `->` or the end"]),
    ("x |> y", ["-", "-", "y", STAGE]),
    ("x[0", ["-", "-", "-", "-"]),
    ("<f33[2]> x", ["-", "-", "f33", "bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, c64, c128, string"]),
    ("<f32[-1]> x", ["-", "-", "-1", "0 and above"]),
    ("<f32[3]> x[0] -> f32[N]", ["-", "-", "N", "-"]),
    ("<f32[3], a: i64> x", ["-", "a", "-", "-"]),
    ("x[0] |> onnx::Gather@13(indices = [0]) y", ["-", "-", "y", "`[`, `|>`, `->` or the end"]),
    ("a::b[0]", ["-", "-", "[", "`@` and the version of the operator"]),
    ("x@ids", ["-", "-", "ids", "the version of the operator, such as 13"]),
];

#[test]
fn every_refusal_of_a_text_names_operator_parameter_value_and_range() {
    let mut wrong = Vec::new();
    for (text, facts) in [ARGUMENTS, HEADS, BRACKETS, OUTSIDE].concat() {
        let error = Program::parse(text).expect_err(text);
        let said = [
            error.operator_name(),
            error.parameter_name(),
            error.offending_value(),
            error.allowed_range(),
        ];
        let said = said.map(|fact| fact.unwrap_or("-"));
        if said != facts {
            wrong.push(format!(
                "{text}\n  {said:?}, wanted\n  {facts:?}\n  {error}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\n{} wrong",
        wrong.join("\n"),
        wrong.len()
    );
}

#[test]
fn several_refusals_name_each_its_own() {
    let text = "x[0..3, [[0], 1.5]] |> onnx::Slice@13(starts = [0, 99999999999999999999], stepz = 1, ends = \"a\") \
        |> onnx::Gather@12(indices = @(s[n] |> onnx::Slice@1(starts = , axes = 0.5)), axis = [0]) |> y";
    let refused = notation::diagnose(text).expect_err("many mistakes");
    let names = refused.iter().map(|Diagnostic { error, .. }| {
        let names = [error.operator_name(), error.parameter_name()];
        (
            names.map(|name| name.unwrap_or("-")),
            error.offender_position(),
        )
    });
    let expected = [
        (["index", "-"], Some(0)),
        (["index", "indices"], Some(1)),
        (["onnx::Slice@13", "starts"], Some(1)),
        (["onnx::Slice@13", "stepz"], None),
        (["onnx::Slice@13", "ends"], None),
        (["onnx::Gather@12", "-"], None),
        (["index", "-"], Some(0)),
        (["onnx::Slice@1", "starts"], None),
        (["onnx::Slice@1", "axes"], None),
        (["onnx::Gather@12", "axis"], None),
        (["-", "-"], None),
    ];
    assert_eq!(names.collect::<Vec<_>>(), expected, "{refused:#?}");
}

#[test]
fn a_place_in_the_text_is_not_the_position_in_the_parameter() {
    for (text, position, place) in [
        ("x |> onnx::Slice@13(starts = [0, 1e3])", Some(1), 33),
        (
            "x |> onnx::Gather@13(indices = [[0, 1], [2, 9223372036854775808]])",
            Some(3),
            44,
        ),
        ("x |> onnx::Gather@13(indices = [[0, 1], 2])", Some(2), 40),
        (
            "x |> onnx::Slice@13(starts = [0, 0], ends = [1, 1], steps = [1, 0])",
            Some(1),
            64,
        ),
        (
            "<i16> onnx::Range@11(start = 0, limit = 32768, delta = 1)",
            None,
            40,
        ),
        ("x |> onnx::Slice@13(starts = )", None, 29),
        ("x[:, 0..3]", Some(1), 5),
        ("x[:, ::0]", Some(1), 7),
        ("x[:, 1:n]", Some(1), 7),
        ("x[:, [0, 0, 0.5]]", Some(2), 12),
        ("x[\"\u{e9}\u{e9}\"]", Some(0), 2),
        ("x[:, @3]", None, 6),
        ("x y", None, 2),
    ] {
        let error = Program::parse(text).expect_err(text);
        let found = (error.offender_position(), error.text_position());
        assert_eq!(found, (position, Some(place)), "{text}: {error}");
    }
    let error = Program::parse("/* \u{e9}\u{e9} */ x y").expect_err("no pipe");
    let place = (error.text_position(), error.column_number());
    assert_eq!(place, (Some(13), Some(12)));
}
