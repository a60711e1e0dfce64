//! `xslice explain` on networks that are more than data movement.

mod common;

use common::{FLOAT, Files, INT64, any, graph, list, model, refusal, text, xslice};
use xslice_cli::onnx::{ModelProto, NodeProto, TensorProto, ValueInfoProto};

/// Relu, then rows of its result, a slice of them, Relu; and the shape of `x`, whose first entry is gathered.
fn network() -> ModelProto {
    let node = NodeProto::new;
    let nodes = vec![
        node("Relu", "before", &["x"], &["h"]),
        node("Gather", "rows", &["h", "ids"], &["r"]),
        node("Slice", "cut", &["r", "s", "e"], &["c"]),
        node("Relu", "after", &["c"], &["y"]),
        node("Shape", "shape", &["x"], &["dims"]),
        node("Gather", "first", &["dims", "zero"], &["n"]),
        node("Reshape", "plain", &["h", "flat"], &["f"]),
        node("Relu", "last", &["f"], &["z"]),
    ];
    let lists = vec![
        list("s", &[1]),
        list("e", &[4]),
        list("zero", &[0]),
        list("flat", &[-1]),
    ];
    let mut graph = graph(nodes, lists);
    graph
        .input
        .push(ValueInfoProto::tensor("ids", INT64, &[5.into()]));
    graph.output = vec![any("y", FLOAT), any("n", INT64), any("z", FLOAT)];
    graph.value_info = vec![ValueInfoProto::tensor("h", FLOAT, &[10.into(), 8.into()])];
    model(13, graph)
}

/// Weights are not read for what only needs to know that there are operators beside them.
#[test]
fn a_network_without_its_weights_is_still_one() {
    let files = Files::new();
    let mut network = network();
    let weights = TensorProto {
        name: "weights".into(),
        dims: vec![1 << 40],
        data_type: FLOAT,
        data_location: 1,
        ..TensorProto::default()
    };
    network.graph.as_mut().unwrap().initializer.push(weights);
    let path = files.model("test/model.onnx", &network);
    files.tensor("test/test_data_set_0/output_0.pb", &common::iota(&[3]));
    let folder = files.path("test").display().to_string();
    let output = xslice(&["check", &folder]);
    let last = text(&output.stdout).lines().last().map(String::from);
    assert_eq!(last.as_deref(), Some("0 passed, 0 failed, 1 skipped"));
    let output = xslice(&["explain", &path.display().to_string()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn a_network_is_explained_by_its_parts() {
    let files = Files::new();
    let path = files.model("m.onnx", &network()).display().to_string();
    let output = xslice(&["explain", &path]);
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for word in [
        "model    4 of 8 nodes are understood; others: Relu 3, Shape 1\n",
        // In front, what each chain costs.
        "nodes  passes  bytes read  written  moved    chain\n\
         2      1       96          96       lookup   Gather `rows`, Slice `cut`\n\
         1      ?       ?           ?        unknown  Gather `first`\n",
        "chain    Gather `rows`, Slice `cut`\noperand  h: f32 [10, 8]\noperand  ids: i64 [5]\n",
        "result   c: f32 [3, 8]\n",
        "passes   1, of 2 nodes that move\n",
        // Nothing says what `dims` is: its type is left open, and no later part suffers.
        "chain    Gather `first`\nunknown  the type of `dims` is not known here",
    ] {
        assert!(shown.contains(word), "`{word}` is missing in: {shown}");
    }
    assert!(
        !shown.contains("`plain`"),
        "a reshape moves nothing: {shown}"
    );
}

#[test]
fn shapes_that_a_network_leaves_open_can_be_given() {
    let files = Files::new();
    let mut network = network();
    let values = &mut network.graph.as_mut().unwrap().value_info;
    values[0] = any("h", FLOAT);
    let path = files.model("m.onnx", &network).display().to_string();
    let shown = text(&xslice(&["explain", &path]).stdout);
    assert!(shown.contains("unknown  the shape of `h`"), "{shown}");
    let shown = text(&xslice(&["explain", &path, "--shape", "h=20,3"]).stdout);
    assert!(shown.contains("result   c: f32 [3, 3]\n"), "{shown}");
    let line = refusal(&xslice(&["explain", &path, "--shape", "nobody=20,3"]));
    assert!(
        line.contains("`nobody=20,3`") && line.contains("E505"),
        "{line}"
    );
}

#[test]
fn a_dimension_of_a_network_goes_by_its_name() {
    let files = Files::new();
    let mut network = network();
    let values = &mut network.graph.as_mut().unwrap().value_info;
    // One is called as a tensor is.
    let open = ["rows".into(), "h".into()];
    values[0] = ValueInfoProto::tensor("h", FLOAT, &open);
    let path = files.model("m.onnx", &network).display().to_string();
    let explain = |shapes: &[&str]| {
        let shapes = shapes.iter().flat_map(|shape| ["--shape", shape]);
        let args: Vec<_> = ["explain", &path].into_iter().chain(shapes).collect();
        xslice(&args)
    };
    let shown = text(&explain(&[]).stdout);
    assert!(shown.contains("give it with --shape h=1,1 ["), "{shown}");
    let shown = text(&explain(&["rows=20", "h=20,3"]).stdout);
    assert!(shown.contains("result   c: f32 [3, 3]\n"), "{shown}");
    let values = &mut network.graph.as_mut().unwrap().value_info;
    values[0] = ValueInfoProto::tensor("h", FLOAT, &["rows".into(), "columns".into()]);
    files.model("m.onnx", &network);
    let shown = text(&explain(&["rows=20"]).stdout);
    assert!(
        shown.contains("give it with --shape columns=1 ["),
        "{shown}"
    );
    let shown = text(&explain(&["rows=20", "columns=3"]).stdout);
    assert!(shown.contains("result   c: f32 [3, 3]\n"), "{shown}");
    let line = refusal(&explain(&["rows=20,3", "columns=3"]));
    assert!(line.contains("`rows=20,3` is about nothing"), "{line}");
}

#[test]
fn what_is_said_of_a_broken_part_is_no_mistake() {
    let files = Files::new();
    let mut network = network();
    let graph = network.graph.as_mut().unwrap();
    graph.value_info[0] = any("h", FLOAT);
    // Its slice lacks a required input.
    graph.node[2].input = vec!["r".into(), "s".into()];
    let path = files.model("m.onnx", &network).display().to_string();
    let output = xslice(&["explain", &path, "--shape", "h=20,3"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn a_broken_part_is_a_line_and_other_commands_refuse_as_before() {
    let files = Files::new();
    let mut network = network();
    let nodes = &mut network.graph.as_mut().unwrap().node;
    nodes[2].input = vec!["r".into(), "s".into()];
    let path = files.model("m.onnx", &network).display().to_string();
    let output = xslice(&["explain", &path]);
    let shown = text(&output.stdout);
    assert!(
        shown.contains("chain    Gather `rows`, Slice `cut`\nunknown  node `cut`"),
        "{shown}"
    );
    for command in ["run", "emit"] {
        let line = refusal(&xslice(&[command, &path]));
        assert!(
            line.contains("onnx::Relu") && line.contains("E504"),
            "{line}"
        );
    }
}
