//! The functions that the macro expands to, as a person reads them, and their size whatever the shape.

#[path = "suite/cases/mod.rs"]
mod cases;
#[path = "suite/mod.rs"]
mod suite;

use proc_macro2::{TokenStream, TokenTree};
use xslice::emit::{self, Destination, Function};
use xslice::{ElementType, Gather, Graph, Plan, Program, Signature, Slice};

/// The plan of a text that declares everything.
fn plan(text: &str) -> Plan {
    let program = Program::parse(text).expect("a legal text");
    let signature = program
        .operands()
        .iter()
        .fold(Signature::new(), |signature, operand| {
            let declared = operand.declared.as_ref().expect("declared");
            let dims = declared.shape.iter().flatten();
            let dims: Vec<usize> = dims.map(|dim| dim.expect("declared")).collect();
            signature.operand(declared.element_type, &dims)
        });
    program.compile(&signature).expect("a legal program")
}

fn emitted(plan: &Plan, names: &[&str], destination: Destination) -> String {
    let wanted = Function {
        head: match destination {
            Destination::Constant => "const fn run",
            Destination::Parameter => "fn run",
        },
        root: "xslice",
        parameters: names,
        variables: "",
        destination,
        fallible: plan.checks().next().is_some(),
    };
    emit::function(plan, &wanted).expect("it fits")
}

#[test]
fn expansions_read_like_rust() {
    let show = |name: &str, text: &str, destination| {
        let names: Vec<String> = Program::parse(text)
            .expect("a legal text")
            .operands()
            .iter()
            .map(|operand| operand.name.clone())
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let source = emitted(&plan(text), &names, destination);
        insta::with_settings!({ snapshot_path => "macro/snapshots", prepend_module_to_snapshot => false, description => text, omit_expression => true }, {
            insta::assert_snapshot!(name, source);
        });
    };
    use Destination::{Constant, Parameter};
    show(
        "a_tiny_nest_is_written_out",
        "<f32[2, 3, 4]> x[1:, :, ::-1]",
        Parameter,
    );
    show(
        "rows_are_copied",
        "<f32[64, 768]> x[::-2, 128:256]",
        Parameter,
    );
    show(
        "pixels_are_moved_byte_by_byte",
        "<u8[12, 20, 4]> frame[2:10, ::-1, 0:3]",
        Parameter,
    );
    show(
        "a_move_does_many_pixels",
        "<u8[1080, 1920, 4]> frame[100:900, ::-1, 0:3]",
        Parameter,
    );
    show(
        "a_move_does_narrow_rows",
        "<u8[256, 3], ids: i32[1080, 1920]> palette[@ids]",
        Parameter,
    );
    show(
        "a_move_does_rows_and_columns_by_two_tables",
        "<f32[512, 700], a: i64[300], b: i32[200]> x[@a][:, @b]",
        Parameter,
    );
    show(
        "a_move_does_known_channels_of_images",
        "<u8[90, 40, 30, 3], a: i64[8]> x[@a][..., [2, 0, 1]]",
        Parameter,
    );
    show(
        "a_move_does_values_of_a_range",
        "<f32> onnx::Range@11(start = 0.5, limit = 6400, delta = 0.1)",
        Parameter,
    );
    show(
        "indices_are_checked_before_anything_moves",
        "<f32[30, 12], ids: i64[2, 4]> table[@ids, :6]",
        Parameter,
    );
    show(
        "indices_that_turns_share_are_wrapped_once",
        "<u8[3, 18], ids: i32[30]> x[:, @ids]",
        Parameter,
    );
    show(
        "indices_through_indices",
        "<f32[90, 20], a: i64[40], b: i32[30]> x[@(a[::2] |> [@b])]",
        Parameter,
    );
    show(
        "a_short_constant_table_is_a_list",
        "<f32[9, 64]> x[[0, 5, 2, 7, 1, 8, 3], ::2]",
        Parameter,
    );
    show(
        "a_long_constant_table_is_one_literal",
        "<f32[2, 300]> x[:, [9, 299, 3, 4, 100, 41, 2, 8, 7, 77, 1, 0, 5, 25, 6, 61, 11, 12, 19, 18, 17, 16, 15, 14, 13, 20, 29, 28, 27, 26, 21, 24, 23, 22]]",
        Parameter,
    );
    show(
        "a_range_of_floats",
        "<f32> onnx::Range@11(start = 0.5, limit = 6.4, delta = 0.1)",
        Parameter,
    );
    show(
        "a_constant_function_has_plain_loops",
        "<i32[16, 8]> x[::2, 2:6]",
        Constant,
    );
    show("strings_are_cloned", "<string[100, 4]> x[::-1]", Parameter);
}

/// Half of the other table is not looked at, so no Move reads either; a constant that nothing reads would be a warning.
#[test]
fn constants_have_one_form_where_a_nest_has_loops_after_all() {
    let columns: Vec<String> = (0..90).map(|k| (k * k * 7 % 97).to_string()).collect();
    let text = format!(
        "<u8[90, 100], a: i64[128]> x[@(a[::2])][:, [{}]]",
        columns.join(", ")
    );
    let source = emitted(&plan(&text), &["x", "a"], Destination::Parameter);
    assert_eq!(source.matches("const ").count(), 1, "{source}");
}

/// What a `const` proves is the whole table, and an index that is never selected may be anything.
/// Compilers have vectors of 16 bytes where a Move may have those of 64.
#[test]
fn rows_of_a_line_or_two_are_calls_of_a_move_from_2_kib_on() {
    let is_call = |text: &str| {
        let plan = plan(text);
        let code = emitted(&plan, &["x"], Destination::Parameter);
        code.contains("static NEST0")
    };
    assert!(is_call("<f64[220, 16]> x[::3]") && is_call("<u8[66, 64]> x[::2]"));
    assert!(!is_call("<u8[62, 64]> x[::2]") && !is_call("<u8[300, 62]> x[::2]"));
    assert!(!is_call("<u8[300, 129]> x[::2]"));
}

#[test]
fn an_unselected_index_is_in_no_proof() {
    let mut graph = Graph::new();
    let x = graph.operand("x", None).expect("a name");
    let table = graph.constant(suite::tensor(&[4], &[0_i64, 2, 1, 99]));
    let first = Slice::onnx(13).starts([0_i64]).ends([3_i64]);
    let order = graph.apply(first, Some(table), None).expect("a slice");
    let channels = Gather::onnx(13).axis(1).indices(order);
    let channels = graph.apply(channels, Some(x), None).expect("a gather");
    let program = graph.finish(channels).expect("a program");
    let signature = Signature::new().operand(ElementType::U8, &[1000, 3]);
    let plan = program.compile(&signature).expect("a plan");
    let source = emitted(&plan, &["x"], Destination::Parameter);
    assert!(!source.contains("Checked"), "{source}");
}

/// Tokens of a text, delimiters counted, with room for the paths that the macro writes before primitive types.
fn tokens(stream: TokenStream) -> usize {
    let each = stream.into_iter().map(|tree| match tree {
        TokenTree::Group(group) => 2 + tokens(group.stream()),
        TokenTree::Ident(ident) if ElementType::from_name(&ident.to_string()).is_some() => 9,
        _ => 1,
    });
    each.sum()
}

#[test]
fn expansions_are_small_whatever_the_shape() {
    let (mut most, mut count) = (0, 0);
    for case in cases::all() {
        let Ok(program) = case.program() else {
            continue;
        };
        let operands: Vec<_> = case.operands.iter().map(|(_, tensor)| tensor).collect();
        let Ok(plan) = program.compile(&suite::signature(&program, &operands)) else {
            continue;
        };
        let names: Vec<&str> = case
            .operands
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let source = emitted(&plan, &names, Destination::Parameter);
        let size = tokens(source.parse().expect("Rust"));
        assert!(size <= 3900, "{}: {size} tokens\n{source}", case.name);
        let statements = source.lines().filter(|line| line.contains("dst[")).count();
        assert!(
            statements <= 64,
            "{}: {statements} statements\n{source}",
            case.name
        );
        (most, count) = (most.max(size), count + 1);
    }
    println!("{count} expansions, at most {most} tokens");
    assert!(count > 250, "{count}");
}
