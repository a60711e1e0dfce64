//! Refusals for what is missing: they name all of it, and say what to give in words that the command knows.

mod common;

use common::{Files, INT64, any, graph, iota, list, model, refusal, text, xslice};
use xslice::Tensor;
use xslice_cli::onnx::{AttributeProto, NodeProto, StringStringEntryProto, ValueInfoProto};
use xslice_cli::to_proto;

#[test]
fn advice_names_only_options_that_the_command_has() {
    let no_values = refusal(&xslice(&["emit", "x[0]"]));
    assert!(no_values.contains("`<f32[2, 3]> x[1:]`"), "{no_values}");
    assert!(!no_values.contains("--input"), "{no_values}");
    let values = refusal(&xslice(&["explain", "x[0]"]));
    assert!(values.contains("give a value with --input"), "{values}");
    let files = Files::new();
    let path = files.model("m.onnx", &common::slice_model());
    let path = path.display().to_string();
    for command in ["explain", "emit"] {
        let line = refusal(&xslice(&[command, &path, "--shape", "fn"]));
        assert!(line.contains("`fn` is not NAME=1,3,640,640"), "{line}");
    }
}

#[test]
fn check_says_which_file_is_missing() {
    let files = Files::new();
    let node = NodeProto::new("Gather", "g", &["x", "ids"], &["y"]);
    let mut graph = graph(vec![node], vec![]);
    graph.input.push(any("ids", INT64));
    files.model("model.onnx", &model(13, graph));
    files.tensor("output_0.npy", &iota(&[1]));
    let check = || text(&xslice(&["check".into(), files.path("")]).stdout);
    let shown = check();
    assert!(shown.contains("input_0.npy (or .pb) is missing"), "{shown}");
    assert!(!shown.contains("--input"), "{shown}");
    files.tensor("input_0.npy", &iota(&[3]));
    let shown = check();
    assert!(shown.contains("`ids`"), "{shown}");
    assert!(shown.contains("input_1.npy (or .pb) is missing"), "{shown}");
}

#[test]
fn a_limit_of_the_command_names_its_option() {
    let range = "<f32> onnx::Range@11(start = 0, limit = 5e9, delta = 1)";
    for command in ["index", "explain", "emit"] {
        let line = refusal(&xslice(&[command, range, "--max-bytes", "1G"]));
        assert!(line.contains("--max-bytes raises the limit"), "{line}");
    }
    // The file is within the limit; what the Gather takes of it is not.
    let files = Files::new();
    let node = NodeProto::new("Gather", "g", &["x", "i"], &["y"]);
    let repeats = model(13, graph(vec![node], vec![list("i", &[0; 9])]));
    let path = files.model("model.onnx", &repeats).display().to_string();
    let x = files.tensor("input_0.npy", &iota(&[4, 1000]));
    files.tensor("output_0.npy", &iota(&[9, 1000]));
    let x = format!("x={}", x.display());
    let run = ["run", &path, "-i", &x, "--max-bytes", "17K"];
    let folder = files.path("").display().to_string();
    let check = xslice(&["check", &folder, "--max-bytes", "17K"]);
    for line in [refusal(&xslice(&run)), text(&check.stdout)] {
        assert!(line.contains("node `g`"), "{line}");
        assert!(line.contains("--max-bytes raises the limit"), "{line}");
    }
}

/// Three i64 count as 96 bytes, however many plans a command makes of them.
#[test]
fn known_indices_count_once() {
    let text = "<u8[9]> x[[8, 0, 3]]";
    for arguments in [
        &["explain", "--svg", "-"][..],
        &["explain", "--code"],
        &["emit"],
        &["bench", "--rounds", "1"],
    ] {
        let with = |limit| xslice(&[arguments, &[text, "--max-bytes", limit]].concat());
        let ran = with("96");
        assert!(ran.status.success(), "{arguments:?}: {ran:?}");
        assert!(
            !self::text(&ran.stdout).contains("rust     none"),
            "{ran:?}"
        );
        let line = refusal(&with("95"));
        assert!(line.contains("count as 96 bytes"), "{line}");
    }
}

#[test]
fn a_limit_that_no_option_raises_names_none() {
    let files = Files::new();
    files.write("expect_error.txt", " ".repeat((1 << 20) + 1));
    let folder = files.path("").display().to_string();
    let shown = text(&xslice(&["check", &folder]).stdout);
    assert!(shown.contains("longer than 1048576 bytes"), "{shown}");
    assert!(!shown.contains("--max-bytes"), "{shown}");
}

#[test]
fn a_refusal_of_one_of_several_outputs_names_it() {
    let nodes = ["a", "b"].map(|y| NodeProto::new("Identity", y, &["c"], &[y]));
    let mut graph = graph(nodes.to_vec(), vec![list("c", &[1])]);
    graph.input.clear();
    graph.output = vec![any("a", INT64), any("b", 1)];
    let files = Files::new();
    let path = files.model("m.onnx", &model(13, graph));
    let path = path.display().to_string();
    for command in ["run", "explain", "emit"] {
        let line = refusal(&xslice(&[command, &path]));
        assert!(line.contains("`b`: the result is i64[1]"), "{line}");
    }
}

#[test]
fn what_is_mistyped_is_said_to_be_so() {
    let files = Files::new();
    let path = files.model("m.onnx", &common::slice_model());
    let path = path.display().to_string();
    let twice = ["--shape", "x=4", "--shape", "x=5"];
    for (args, words) in [
        (
            &["explain", "model.xmll"][..],
            "there is no file of that name",
        ),
        (
            &[&["explain", &path][..], &twice].concat(),
            "`x` is given twice",
        ),
        (
            &["run", &path, "-i", "x="],
            "--input: no file is named for `x`",
        ),
        (
            &["index", "x[@i]", "--index", "i="],
            "--index: no file is named for `i`",
        ),
        (&["index", "x", "-"], "not read from standard input"),
        (&["emit", "x[model.xml]"], "column"),
    ] {
        let line = refusal(&xslice(args));
        assert!(line.contains(words), "{line}");
    }
}

#[test]
fn all_that_is_missing_is_named_at_once() {
    let gather = NodeProto::new("Gather", "g", &["x", "ids"], &["z"]);
    let cut = NodeProto::new("Slice", "c", &["z", "s", "e"], &["y"]);
    let mut graph = graph(
        vec![gather, cut],
        vec![list("s", &[0]), list("e", &[i64::MAX])],
    );
    let open = ["n".into(), 3.into()];
    graph.input = vec![ValueInfoProto::tensor("x", 1, &open), any("ids", INT64)];
    let files = Files::new();
    let path = files.model("m.onnx", &model(13, graph));
    let path = path.display().to_string();
    let line = refusal(&xslice(&["run", &path]));
    let words = "no value for input `x` (f32 [?, 3]), `ids` (i64); give one with --input NAME=FILE";
    assert!(line.contains(words), "{line}");
    for command in ["explain", "emit"] {
        let line = refusal(&xslice(&[command, &path]));
        let words =
            "the shape of `x`, `ids` is not known here; give it with --shape n=1 --shape ids=1,2,3";
        assert!(line.contains(words), "{line}");
    }
    let line = refusal(&xslice(&["explain", "table[@a][@b]"]));
    assert!(
        line.contains("the type of `table`, `a`, `b` is not known"),
        "{line}"
    );
}

#[test]
fn values_that_decide_shapes_are_asked_for_at_once() {
    let cut = NodeProto::new("Slice", "c", &["x", "s", "e"], &["y"]);
    let mut graph = graph(vec![cut], vec![]);
    let open = ["n".into(), 3.into()];
    graph.input = vec![ValueInfoProto::tensor("x", 1, &open)];
    graph.input.extend(["s", "e"].map(|name| any(name, INT64)));
    let files = Files::new();
    let path = files.model("m.onnx", &model(13, graph));
    let path = path.display().to_string();
    let values = "the value of `s`, `e` decide shapes; give it with --input s=FILE --input e=FILE";
    for command in ["explain", "bench"] {
        let line = refusal(&xslice(&[command, &path]));
        let shape = "the shape of `x` is not known here; give it with --shape n=1; ";
        assert!(line.contains(&format!("{shape}{values}")), "{line}");
        let shapes = ["--shape", "x=4,3", "--shape", "s=1", "--shape", "e=1"];
        let line = refusal(&xslice(&[&[command, &path][..], &shapes].concat()));
        assert!(line.contains(values), "{line}");
    }
    // What takes no values does not ask for shapes first.
    let line = refusal(&xslice(&["emit", &path]));
    assert!(
        line.contains("the value of `s`, `e` decide the shape of the result"),
        "{line}"
    );
    assert!(line.contains("output `y`"), "{line}");
}

#[test]
fn parameters_that_became_inputs_are_said_to_be_so() {
    let ints = |name: &str| AttributeProto::ints(name, &[1]);
    let slice = || NodeProto::new("Slice", "cut", &["x"], &["y"]);
    let squeeze = NodeProto::new("Squeeze", "cut", &["x"], &["y"]);
    let lists = || ["s", "e"].map(|name| list(name, &[1])).to_vec();
    let inputs = |op: &str| NodeProto::new(op, "cut", &["x", "s", "e"], &["y"]);
    let files = Files::new();
    for (opset, node, initializers, words) in [
        (
            13,
            slice().with(ints("starts")),
            vec![],
            "since version 10 it is an input",
        ),
        (
            13,
            squeeze.with(ints("axes")),
            vec![],
            "since version 13 it is an input",
        ),
        (
            9,
            inputs("Slice"),
            lists(),
            "below version 10, starts, ends, axes are attributes",
        ),
        (
            11,
            inputs("Unsqueeze"),
            lists(),
            "below version 13, axes are attributes",
        ),
    ] {
        let path = files.model("m.onnx", &model(opset, graph(vec![node], initializers)));
        let line = refusal(&xslice(&["run", &path.display().to_string()]));
        assert!(
            line.contains(words) && line.contains("operator set"),
            "{line}"
        );
    }
    // Of what was never an attribute nothing of the kind is said.
    let path = files.model(
        "m.onnx",
        &model(13, graph(vec![slice().with(ints("steps"))], vec![])),
    );
    let line = refusal(&xslice(&["run", &path.display().to_string()]));
    assert!(!line.contains("since"), "{line}");
}

#[test]
fn constant_data_show_their_own_type() {
    let gather = NodeProto::new("Gather", "g", &["table", "ids"], &["y"]);
    let mut graph = graph(vec![gather], vec![to_proto("table", &iota(&[64, 32]))]);
    graph.input = vec![ValueInfoProto::tensor("ids", INT64, &[2.into()])];
    let files = Files::new();
    let path = files.model("m.onnx", &model(13, graph));
    let shown = text(&xslice(&["explain", &path.display().to_string()]).stdout);
    let program =
        "program  <f32[64, 32], ids: i64[2]> f32[64, 32] |> onnx::Gather@13(indices = @ids)";
    assert!(shown.contains(program), "{shown}");
}

#[test]
fn constants_too_large_for_a_function_are_counted_in_bytes() {
    let wide = Tensor::new(&[1100, 1000], &vec![0.5f64; 1_100_000]).unwrap();
    let cut = NodeProto::new("Slice", "c", &["w", "s", "e"], &["y"]);
    let lists = ["s", "e"].map(|name| list(name, &[i64::from(name == "e")]));
    let constants = [vec![to_proto("w", &wide)], lists.to_vec()].concat();
    let mut graph = graph(vec![cut], constants);
    graph.input.clear();
    graph.output = vec![any("y", 11)];
    let files = Files::new();
    let path = files.model("m.onnx", &model(13, graph));
    let line = refusal(&xslice(&["emit", &path.display().to_string()]));
    assert!(line.contains("the constants take 8800000 bytes"), "{line}");
}

#[test]
fn explain_says_when_numbers_that_vary_get_machine_code() {
    for (text, varies) in [
        ("<u8[1024]> x[::-1]", false),
        ("<f32[4, 4]> x[:, 1:3]", true),
    ] {
        let shown = text_of(&["explain", text]);
        assert!(shown.contains("baked from request 17"), "{shown}");
        assert_eq!(
            shown.contains("keyed where numbers vary"),
            varies,
            "{shown}"
        );
    }
}

fn text_of(args: &[&str]) -> String {
    text(&xslice(args).stdout)
}

#[test]
fn numbers_agree_with_what_they_count() {
    let files = Files::new();
    files.model("model.onnx", &common::slice_model());
    files.tensor("input_0.npy", &iota(&[6]));
    for output in ["output_0.npy", "output_1.npy"] {
        files.tensor(output, &iota(&[3]));
    }
    let folder = files.path("").display().to_string();
    let shown = text_of(&["check", &folder]);
    assert!(shown.contains(": 1 output, expected 2\n"), "{shown}");
    files.tensor("input_1.npy", &iota(&[6]));
    let shown = text_of(&["check", &folder]);
    assert!(
        shown.contains("2 input files for 1 input of the model"),
        "{shown}"
    );
    let constant = NodeProto::new("Constant", "c", &["s"], &["y"]);
    let constant = constant.with(AttributeProto::int("value_int", 1));
    let path = files.model(
        "m.onnx",
        &model(13, graph(vec![constant], vec![list("s", &[0])])),
    );
    let path = path.display().to_string();
    let line = refusal(&xslice(&["run", &path]));
    assert!(
        line.contains("1 input is given (allowed: at most 0)"),
        "{line}"
    );
    let mut large = common::slice_model();
    let constant = &mut large.graph.as_mut().unwrap().initializer[0];
    (constant.raw_data, constant.data_location) = (None, 1);
    constant.dims = vec![1 << 40];
    constant.external_data = vec![StringStringEntryProto {
        key: "location".into(),
        value: "m.onnx".into(),
    }];
    let path = files.model("m.onnx", &large).display().to_string();
    let line = refusal(&xslice(&["run", &path]));
    let words = "the model with its constants up to this one takes 8796093022208 bytes";
    assert!(line.contains(words), "{line}");
}

#[test]
fn a_dimension_that_has_a_name_is_given_once() {
    let gather = NodeProto::new("Gather", "g", &["x", "ids"], &["y"]);
    let mut graph = graph(vec![gather], vec![]);
    let rows = ["n".into(), "m".into(), "n".into()];
    graph.input = vec![
        ValueInfoProto::tensor("x", 1, &rows),
        ValueInfoProto::tensor("ids", INT64, &["m".into()]),
    ];
    let files = Files::new();
    let path = files
        .model("m.onnx", &model(13, graph))
        .display()
        .to_string();
    let explain = |shapes: &[&str]| {
        let shapes = shapes.iter().flat_map(|shape| ["--shape", shape]);
        let args: Vec<_> = ["explain", &path].into_iter().chain(shapes).collect();
        xslice(&args)
    };
    let line = refusal(&explain(&[]));
    assert!(
        line.contains("give it with --shape n=1 --shape m=1 ["),
        "{line}"
    );
    let line = refusal(&explain(&["n=4"]));
    assert!(
        line.contains("`x`, `ids` is not known here; give it with --shape m=1 ["),
        "{line}"
    );
    for shapes in [&["n=4", "m=2"][..], &["x=4,2,4"], &["ids=2", "n=4"]] {
        let shown = text(&explain(shapes).stdout);
        assert!(shown.contains("result   y: f32 [2, 2, 4]"), "{shown}");
    }
    for (shapes, words) in [
        (&["n=4", "n=5"][..], "`n` is given twice"),
        (
            &["n=4,5"],
            "--shape n: `4,5` is not one dimension such as 4",
        ),
        (&["x=,4,,2,4"], "`,4,,2,4` is not a list of dimensions"),
        (&["x=4,+2,4"], "`4,+2,4` is not a list of dimensions"),
        (
            &["n=99999999999999999999"],
            "(allowed: each 0..=9223372036854775807)",
        ),
        (&["k=4"], "nothing is called `k` (allowed: x, ids, m, n)"),
    ] {
        let line = refusal(&explain(shapes));
        assert!(line.contains(words), "{line}");
    }
}

#[test]
fn options_give_a_dimension_that_has_a_name_one_size() {
    let gather = NodeProto::new("Gather", "g", &["x", "ids"], &["y"]);
    let mut graph = graph(vec![gather], vec![]);
    graph.input = vec![
        ValueInfoProto::tensor("x", 1, &["n".into(), "n".into()]),
        ValueInfoProto::tensor("ids", INT64, &["n".into()]),
    ];
    let files = Files::new();
    let path = files
        .model("m.onnx", &model(13, graph))
        .display()
        .to_string();
    let file = |name: &str, tensor: &Tensor| files.tensor(name, tensor).display().to_string();
    let ids = format!("ids={}", file("ids.npy", &Tensor::vector(&[0, 2, 1])));
    let oblong = format!("x={}", file("x.npy", &iota(&[3, 4])));
    for (args, words) in [
        (
            &["explain", "--shape", "x=3,4"][..],
            "dimension `n` is 4 in axis 1 of `--shape x=3,4` (allowed: 3, as in axis 0 of `--shape x=3,4`)",
        ),
        (
            &["emit", "--shape", "x=3,3", "--shape", "n=5"],
            "dimension `n` is 3 in axis 0 of `--shape x=3,3` (allowed: 5, as in `--shape n=5`)",
        ),
    ] {
        let line = refusal(&xslice(&[args, &[&*path]].concat()));
        assert!(line.contains(words) && line.contains("E505"), "{line}");
    }
    // A value tells a size that no option gives; values need not agree.
    for args in [
        &["explain", "--input", &ids][..],
        &["run", "--input", &oblong, "--input", &ids],
    ] {
        let output = xslice(&[args, &[&*path]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
}
