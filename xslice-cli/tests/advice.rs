//! Refusals for what is missing: they name all of it, and say what to give in words that the command knows.

mod common;

use common::{Files, INT64, any, graph, iota, list, model, refusal, text, xslice};
use xslice_cli::onnx::{NodeProto, ValueInfoProto};

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
