//! The notation against its grammar: what parses, what it means, what is refused, where and in which words; and that no text
//! brings the parser down.
//!
//! What a program then computes is for other tests: here stand programs and refusals only.

#[path = "notation/facts.rs"]
mod facts;
#[path = "notation/never.rs"]
mod never;
#[path = "notation/refusals.rs"]
mod refusals;
#[path = "notation/several.rs"]
mod several;

use xslice_core::{
    Declared, Dialect, ElementType, Entry, ErrorKind, Gather, Graph, Index, Op, Param, Program,
    Range, Reshape, ReshapeRule, Signature, Slice, StridedSlice, Tensor,
};

#[track_caller]
fn parsed(text: &str) -> Program {
    Program::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Both spell the same chain on `x`.
#[track_caller]
fn means(text: &str, ops: impl IntoIterator<Item = Op>) {
    let chain = ops
        .into_iter()
        .fold(Program::chain("x"), |chain, op| chain.then(op));
    let built = chain.build().expect("a legal chain");
    assert_eq!(parsed(text), built, "{text}");
}

fn index(entries: impl Into<Vec<Entry>>) -> Op {
    Index::new(entries).into()
}

fn slice(
    start: impl Into<Option<i64>>,
    end: impl Into<Option<i64>>,
    step: impl Into<Option<i64>>,
) -> Entry {
    Entry::Slice {
        start: start.into(),
        end: end.into(),
        step: step.into(),
    }
}

fn gather(indices: impl Into<Param>) -> Entry {
    Entry::Gather(indices.into())
}

fn ints(shape: &[usize], values: &[i64]) -> Tensor {
    Tensor::new(shape, values).expect("a legal tensor")
}

// ---- What parses ----

/// Each once as written in the documentation, without what belongs to the macro.
const EXAMPLES: &[&str] = &[
    "<f32[2, 3, 4]> x[1:, :, ::-1]",
    "<u8[1080, 1920, 4]> frame[100:900, ::-1, 0:3]",
    "<f32[30522, 768], ids: i64[8, 128]> table[@ids, :384]",
    "<f32[3, 3]> x[:, [0, 2]]",
    "<u8[16, 256, 256, 3]> x[:, 16:240, 16:240][:, :, ::-1]",
    "<f32[20, 10, 5]> x |> onnx::Slice@13(starts = [0, 0], ends = [3, 10], axes = [0, 1]) |> onnx::Gather@13(indices = [4, 0], axis = 2)",
    "<f32[3, 3], ids: i64[1, 2]> x |> onnx::Gather@13(indices = @ids, axis = 1)",
    "<i64> onnx::Range@11(start = 10, limit = 4, delta = -2)",
    "<f32[1, 3, 640, 640]> x[..., ::2, ::2]",
    "x[:, ::-1, 0:3]",
    "x[:, ::-1]",
    "x[0][:, [0, 2]]",
    "x[...]",
    "x",
    "x[newaxis, ..., 5, -1]",
    "x[@a][@b]",
    "x[@(a[@b])]",
    "x[@(<i64> ids[:, 1:] |> onnx::Slice@13(starts = [0], ends = [4]))]",
    "x[@(<i32> onnx::Range@11(start = 0, limit = 4096, delta = 2)), :]",
    "x[@(onnx::Range@11(start = @s, limit = @l, delta = @d))]",
    "x |> onnx::Slice@1(starts = [0], ends = [i64::MAX], axes = [1])",
    "x |> onnx::Slice@10(starts = @starts, ends = @ends, steps = [i32::MIN])",
    "x |> onnx::Slice@11(starts = [-1], ends = [i64::MIN], steps = [-1], dialect = onnxruntime)",
    "x |> onnx::Gather@1(indices = 2)",
    "x |> onnx::Gather@11(indices = [[0, 1], [2, 3]], axis = -1, dialect = standard)",
    "x |> openvino::Slice@8(start = [0], stop = [4], step = [1], axes = [0])",
    "x |> openvino::StridedSlice@1(begin = [1, 0], end = [0, 0], stride = [1, -1], begin_mask = [0, 1], end_mask = [1, 1], \
     new_axis_mask = [0], shrink_axis_mask = [0], ellipsis_mask = [0], dialect = openvino_text)",
    "<f64> onnx::Range@11(start = -1.5e3, limit = 1, delta = 1_0.5, dialect = onnxruntime)",
    "<f32> onnx::Range@11(start = 0, limit = 64, delta = 1) |> [0] -> f32",
    "<f32> onnx::Range@11(start = [i64::MAX, -3], limit = 1e30, delta = 1e16)",
    "<f32, s: f32> onnx::Range@11(start = @s, limit = 64, delta = 1.5)",
    "onnx::Range@11(start = @s, limit = 64, delta = 1)",
    "onnx::Range@11(start = @s, limit = -6.4e1, delta = [1])",
    "x[@(onnx::Range@11(start = @(s[0]), limit = 4, delta = 1) |> [1:])]",
    "x[@(<i64> onnx::Range@11(start = @(s[0]), limit = 4, delta = 1))]",
    "x[@(<i64> onnx::Range@11(start = @(s), limit = 4, delta = 1))]",
    "x[@(<i32> onnx::Range@11(start = @(s), limit = @l, delta = @d))]",
    "<i64[4]> x[@x]",
    "<f32[0, 3,], ids: i32[],> x[@ids,] -> f32[3]",
    "<string> x |> [...] -> string[]",
];

#[test]
fn every_example_parses() {
    for text in EXAMPLES {
        parsed(text);
    }
}

#[test]
fn spacing_and_comments_do_not_matter() {
    for text in [
        "x[::2,1]",
        " x [ : : 2 , 1 , ] ",
        "x\n[::2, // every other\n1]",
        "/* a /* b */ */x |> [::2, 1]",
    ] {
        means(text, [index([slice(None, None, 2), Entry::Integer(1)])]);
    }
}

#[test]
fn entries_mean_what_the_builders_mean() {
    means(
        "x[1:, :, ::-1, 3:-3:2, :5]",
        [index([
            slice(1, None, None),
            slice(None, None, None),
            slice(None, None, -1),
            slice(3, -3, 2),
            slice(None, 5, None),
        ])],
    );
    means(
        "x[..., newaxis, -1]",
        [index([Entry::Ellipsis, Entry::NewAxis, Entry::Integer(-1)])],
    );
    means("x[0, @ids]", [index([Entry::Integer(0), gather("ids")])]);
    means(
        "x[1][2]",
        [index([Entry::Integer(1)]), index([Entry::Integer(2)])],
    );
    means(
        "x |> [1][2] |> [3]",
        [1, 2, 3].map(|at| index([Entry::Integer(at)])),
    );
}

#[test]
fn lists_keep_their_shape() {
    means("x[[2]]", [index([gather(ints(&[1], &[2]))])]);
    means("x[[]]", [index([gather(ints(&[0], &[]))])]);
    means("x[[[]]]", [index([gather(ints(&[1, 0], &[]))])]);
    means(
        "x[:, [[0, 1,], [2, -3]]]",
        [index([
            slice(None, None, None),
            gather(ints(&[2, 2], &[0, 1, 2, -3])),
        ])],
    );
}

#[test]
fn integers_are_read_in_every_base_up_to_the_ends_of_i64() {
    let cases: &[(&str, i64)] = &[
        ("0", 0),
        ("-0", 0),
        ("0x1F", 31),
        ("0xff_ff", 65535),
        ("-0o17", -15),
        ("0b1_01", 5),
        ("1_000_000", 1_000_000),
        ("9223372036854775807", i64::MAX),
        ("-9223372036854775808", i64::MIN),
        ("-0x8000_0000_0000_0000", i64::MIN),
        ("i64::MAX", i64::MAX),
        ("i64 :: MIN", i64::MIN),
        ("i32::MAX", i32::MAX as i64),
        ("i32::MIN", i32::MIN as i64),
        ("- 3", -3),
        ("0x1e5", 0x1e5),
    ];
    for (text, value) in cases {
        means(&format!("x[{text}]"), [index([Entry::Integer(*value)])]);
    }
    means("x[i64::MIN::2]", [index([slice(i64::MIN, None, 2)])]);
    means("x[::i64::MIN]", [index([slice(None, None, i64::MIN)])]);
}

#[test]
fn operators_mean_what_the_builders_mean() {
    means(
        "x |> onnx::Slice@13(ends = [8], starts = [0], steps = [2], axes = [1], dialect = onnxruntime)",
        [Slice::onnx(13)
            .starts([0])
            .ends([8])
            .axes([1])
            .steps([2])
            .dialect(Dialect::OnnxRuntime)
            .into()],
    );
    means(
        "x |> onnx::Slice@1(starts = @s, ends = @e)",
        [Slice::onnx(1).starts("s").ends("e").into()],
    );
    means(
        "x |> onnx::Gather@1(indices = 2)",
        [Gather::onnx(1).indices(2).into()],
    );
    means(
        "x |> onnx::Gather@11(indices = [2], axis = -1)",
        [Gather::onnx(11).indices([2]).axis(-1).into()],
    );
    means(
        "x |> openvino::Slice@8(start = [0], stop = [4], step = @step, axes = [0], dialect = standard)",
        [Slice::openvino(8)
            .start([0])
            .stop([4])
            .step("step")
            .axes([0])
            .into()],
    );
    means(
        "x |> openvino::StridedSlice@1(begin = [1], end = [2], ellipsis_mask = [1], new_axis_mask = [0], dialect = openvino_text)",
        [StridedSlice::openvino(1)
            .begin([1])
            .end([2])
            .ellipsis_mask([1])
            .new_axis_mask([0])
            .dialect(Dialect::OpenVinoText)
            .into()],
    );
}

#[test]
fn literals_of_a_range_have_its_type() {
    fn range<T: xslice_core::Element>(start: T, limit: T, delta: T) -> Program {
        let [start, limit, delta] = [start, limit, delta].map(Tensor::scalar);
        Program::generate(Range::onnx(11).start(start).limit(limit).delta(delta))
            .expect("a legal Range")
    }
    assert_eq!(
        parsed("<i16> onnx::Range@11(start = -32768, limit = 4, delta = 1)"),
        range(i16::MIN, 4, 1)
    );
    assert_eq!(
        parsed("<i32> onnx::Range@11(start = i32::MIN, limit = 4, delta = 1)"),
        range(i32::MIN, 4, 1)
    );
    assert_eq!(
        parsed("<i64> onnx::Range@11(start = 1, limit = 4, delta = 1)"),
        range(1i64, 4, 1)
    );
    assert_eq!(
        parsed("<f32> onnx::Range@11(start = 1, limit = 0.1, delta = -2.5e-3)"),
        range(1f32, 0.1, -2.5e-3)
    );
    // Rounded once: through f64 it would be another f32.
    assert_eq!(
        parsed("<f32> onnx::Range@11(start = 0, limit = 1.00000017881393432617187499, delta = 1.)"),
        range(0f32, 1.000_000_1, 1.0)
    );
    assert_eq!(
        parsed("<f64> onnx::Range@11(start = 0, limit = 0.1, delta = 1)"),
        range(0f64, 0.1, 1.0)
    );
    // An operand lends its type.
    let lent = parsed("<f32[4], s: f64> x[@(onnx::Range@11(start = @s, limit = 0.1, delta = 1))]");
    assert_eq!(
        lent,
        parsed("<f32[4], s: f64> x[@(<f64> onnx::Range@11(start = @s, limit = 0.1, delta = 1))]")
    );
}

/// What a Range compiles to, for a `start` of that value.
fn ranged(text: &str, start: Tensor) -> Result<String, xslice_core::Error> {
    let signature = Signature::new().value(start);
    let plan = parsed(text).compile(&signature)?;
    Ok(plan.to_string())
}

#[test]
fn literals_beside_an_operand_of_no_declared_type_have_the_type_it_comes_with() {
    let scalars = [
        ("i16", Tensor::scalar(-3_i16)),
        ("i32", Tensor::scalar(-3_i32)),
        ("i64", Tensor::scalar(-3_i64)),
        ("f32", Tensor::scalar(-3_f32)),
        ("f64", Tensor::scalar(-3_f64)),
    ];
    for (ty, start) in scalars {
        // The largest one fits every type. Written in front, the type gives the same plan.
        for limits in ["limit = 0x7FFF, delta = 5000", "limit = [7], delta = 2"] {
            let bare = format!("onnx::Range@11(start = @s, {limits})");
            let plan = ranged(&bare, start.clone()).expect(&bare);
            let typed = format!("<{ty}, s: {ty}[]> {bare}");
            assert_eq!(plan, ranged(&typed, start.clone()).expect(&typed));
            assert!(plan.contains(ty), "{plan}");
        }
        let fractions =
            "onnx::Range@11(start = @s, limit = 1.00000017881393432617187499, delta = 0.1)";
        let plan = ranged(fractions, start.clone());
        match ty {
            // Rounded once: through f64 it would be another f32.
            "f32" | "f64" => {
                let typed = format!("<{ty}, s: {ty}[]> {fractions}");
                assert_eq!(plan, ranged(&typed, start), "{ty}");
            }
            _ => {
                let error = plan.expect_err(ty);
                assert_eq!(error.kind(), ErrorKind::NumberRange);
                let shown = error.to_string();
                let words = format!(
                    "onnx::Range@11: `limit`: float 1.00000017881393432617187499 in a Range of {ty} (allowed: integers)"
                );
                assert!(shown.starts_with(&words), "{shown}");
            }
        }
    }
}

#[test]
fn literals_that_do_not_fit_the_type_of_the_operand_are_refused_as_beside_a_type() {
    for (literal, ty, start, allowed) in [
        ("32768", "i16", Tensor::scalar(0_i16), "-32768..=32767"),
        ("-32769", "i16", Tensor::scalar(0_i16), "-32768..=32767"),
        (
            "2147483648",
            "i32",
            Tensor::scalar(0_i32),
            "-2147483648..=2147483647",
        ),
        ("1e39", "f32", Tensor::scalar(0_f32), "finite numbers"),
    ] {
        let arguments = format!("onnx::Range@11(start = @s, limit = {literal}, delta = 1)");
        let late = ranged(&arguments, start).expect_err(&arguments);
        let typed = format!("<{ty}, s: {ty}[]> {arguments}");
        let early = Program::parse(&typed).expect_err(&typed);
        let facts = |error: &xslice_core::Error| {
            let names = [error.operator_name(), error.parameter_name()];
            let values = [error.offending_value(), error.allowed_range()];
            (
                error.kind(),
                [names, values].map(|facts| facts.map(|fact| fact.map(String::from))),
            )
        };
        assert_eq!(facts(&late), facts(&early), "{late} {early}");
        assert_eq!(late.allowed_range(), Some(allowed), "{late}");
    }
    // Of a type that no Range has, the operand is refused.
    let text = "onnx::Range@11(start = @s, limit = 4, delta = 1)";
    let error = ranged(text, Tensor::scalar(0_u8)).expect_err("u8");
    assert_eq!(error.kind(), ErrorKind::ElementType, "{error}");
}

#[test]
fn literals_without_a_type_are_part_of_what_a_program_is() {
    let with = |literals: &str| parsed(&format!("onnx::Range@11(start = @s, {literals})"));
    let program = with("limit = 4, delta = 1");
    for other in [
        "limit = 4.0, delta = 1",
        "limit = [4], delta = 1",
        "limit = 5, delta = 1",
    ] {
        assert_ne!(program, with(other));
        assert_ne!(program.fingerprint(), with(other).fingerprint());
    }
    let typed = Range::onnx(11).start("s").limit(4).delta(1);
    let typed = Program::generate(typed).expect("a legal Range");
    assert_ne!(program, typed);
    assert_ne!(program.fingerprint(), typed.fingerprint());
    assert_eq!(
        with("limit = 0x10, delta = -1_0.50").to_string(),
        "onnx::Range@11(start = @s, limit = 16, delta = -10.50)"
    );
}

#[test]
fn operands_are_declared_in_order_of_first_appearance() {
    let names = |text: &str| {
        parsed(text)
            .operands()
            .iter()
            .map(|operand| operand.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names("x[@b][@a][@b]"), ["x", "b", "a"]);
    assert_eq!(
        names("x |> onnx::Slice@13(ends = @e, starts = @s)"),
        ["x", "e", "s"]
    );
    assert_eq!(names("x[@(i[@j])]"), ["x", "i", "j"]);
    assert_eq!(
        names("<f32[9], b: i64[1], a: i64[1]> x[@a][@b]"),
        ["x", "b", "a"]
    );
}

#[test]
fn types_become_declarations() {
    let program = parsed("<f32[2, 3], ids: i64[]> x[@ids]");
    let declared = |element_type, shape: &[usize]| {
        Some(Declared {
            element_type,
            shape: Some(shape.iter().copied().map(Some).collect()),
        })
    };
    assert_eq!(
        program.operands()[0].declared,
        declared(ElementType::F32, &[2, 3])
    );
    assert_eq!(
        program.operands()[1].declared,
        declared(ElementType::I64, &[])
    );
    let expecting =
        parsed("x[0]").expecting(declared(ElementType::F32, &[3]).expect("given above"));
    assert_eq!(parsed("x[0] -> f32[3]"), expecting);
    assert_ne!(parsed("x[0]"), expecting);
    // Computed indices may give the type of their operand alone.
    let computed = parsed("x[@(<i32> ids[0])]");
    assert_eq!(
        computed.operands()[1].declared,
        Some(Declared {
            element_type: ElementType::I32,
            shape: None
        })
    );
}

#[test]
fn computed_indices_are_values_of_the_program() {
    let mut graph = Graph::new();
    let x = graph.operand("x", None).unwrap();
    let ids = graph.operand("ids", None).unwrap();
    let row = graph
        .apply(index([Entry::Integer(0)]), Some(ids), None)
        .unwrap();
    let y = graph.apply(index([gather(row)]), Some(x), None).unwrap();
    assert_eq!(parsed("x[@(ids[0])]"), graph.finish(y).unwrap());
    assert_eq!(parsed("x[@(ids)]"), parsed("x[@ids]"));
}

// ---- What prints ----

#[test]
fn a_chain_prints_as_a_text_that_gives_it_back() {
    for text in EXAMPLES {
        let program = parsed(text);
        let printed = program.to_string();
        assert_eq!(parsed(&printed), program, "{text} printed as {printed}");
    }
}

#[test]
fn printing_is_plain() {
    for (text, printed) in [
        (
            "x|>onnx::Slice@13(ends=[8],starts=[0],dialect=standard)",
            "x |> onnx::Slice@13(starts = [0], ends = [8])",
        ),
        ("x|>[1 :][ : : -1 ]", "x[1:][::-1]"),
        (
            "<f32[ 2,3 ],i:i64>x[@i]->f32[3]",
            "<f32[2, 3], i: i64> x[@i] -> f32[3]",
        ),
        (
            "<f32>onnx::Range@11(start=0,limit=1_0,delta=0.50)",
            "<f32> onnx::Range@11(start = 0.0, limit = 10.0, delta = 0.5)",
        ),
        (
            "x |> onnx::Gather@13(indices = [0x1F], axis = 0)",
            "x |> onnx::Gather@13(indices = [31])",
        ),
        (
            "x |> onnx::Slice@1(starts = [1], ends = [2]) |> [0]",
            "x |> onnx::Slice@1(starts = [1], ends = [2]) |> [0]",
        ),
    ] {
        assert_eq!(parsed(text).to_string(), printed);
    }
}

#[test]
fn what_the_notation_cannot_say_prints_for_the_eye() {
    let dims = Param::from([2, -1]);
    let reshape = Reshape::new(
        "onnx::Reshape@13",
        ReshapeRule::Reshape { zero_copies: true },
        Some(dims),
    );
    let program = Program::chain("x")
        .then(reshape)
        .then(Index::new([Entry::Integer(0)]))
        .build()
        .unwrap();
    assert_eq!(
        program.to_string(),
        "x |> reshape(onnx::Reshape@13, shape = [2, -1]) |> [0]"
    );
    let long: Vec<i64> = (0..1000).collect();
    let program = Program::chain("a\nb")
        .then(Gather::onnx(13).indices(long))
        .build()
        .unwrap();
    assert_eq!(
        program.to_string(),
        "a\\nb |> onnx::Gather@13(indices = i64[1000])"
    );
    assert!(format!("{program:#}").ends_with("998, 999])"));
}

#[test]
fn programs_that_share_values_print_in_bounded_space() {
    let mut graph = Graph::new();
    let mut value = graph.operand("x", None).unwrap();
    for _ in 0..200 {
        value = graph
            .apply(Gather::onnx(13).indices(value), Some(value), None)
            .unwrap();
    }
    assert!(graph.finish(value).unwrap().to_string().len() < 1 << 20);
    let none = Tensor::new::<i64>(&[1 << 30, 0], &[]).unwrap();
    let program = Program::chain("x")
        .then(Gather::onnx(13).indices(none))
        .build()
        .unwrap();
    assert!(format!("{program:#}").contains("i64[1073741824, 0]"));
}
