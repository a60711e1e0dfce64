//! What the documents say of the command line: every code is there, and every command prints what stands below it.

mod common;

use common::{Files, graph, list, model, slice_model, text, xslice};
use std::process::Command;
use xslice_cli::onnx::NodeProto;

const ERRORS: &str = include_str!("../../docs/errors.md");
const ARCHITECTURE: &str = include_str!("../../docs/architecture.md");
const SOURCE: &str = include_str!("../src/error.rs");

/// Codes and names in the source: `E501 file`.
fn codes() -> Vec<&'static str> {
    let codes = SOURCE.split("[E5").skip(1);
    codes
        .filter_map(|rest| Some(&rest[..rest.find(']')?]))
        .filter(|code| code.split_once(' ').is_some())
        .collect()
}

#[test]
fn every_code_of_the_command_line_has_its_row() {
    assert!(codes().len() >= 6);
    for code in codes() {
        assert!(ERRORS.contains(&format!("| `E5{code}` |")), "E5{code}");
    }
}

#[test]
fn every_command_is_refused_with_its_message() {
    let files = Files::new();
    files.model("slice.onnx", &slice_model());
    let node = |kind, inputs: &[&str]| vec![NodeProto::new(kind, "act", inputs, &["y"])];
    files.model("relu.onnx", &model(13, graph(node("Relu", &["x"]), vec![])));
    let starts = vec![list("s", &[0])];
    let torn = graph(node("Slice", &["x", "s", "nowhere"]), starts);
    files.model("torn.onnx", &model(13, torn));
    files.write("x.txt", "1 2 3");
    let mut seen = Vec::new();
    for line in ERRORS.lines().filter(|line| line.starts_with("| `E5")) {
        let cells: Vec<&str> = line.split(" | ").collect();
        let code = |cell: &str| cell.trim_matches(['|', ' ', '`']).to_string();
        let [_, _, _, command, message] = cells[..] else {
            continue;
        };
        let command = code(command);
        let arguments = command.strip_prefix("xslice ").expect("a command");
        let output = Command::new(env!("CARGO_BIN_EXE_xslice"))
            .args(arguments.split(' '))
            .current_dir(files.path(""))
            .output()
            .expect("the program starts");
        assert_eq!(
            text(&output.stderr),
            format!("error: {}\n", code(message)),
            "{command}"
        );
        assert_eq!(output.status.code(), Some(1), "{command}");
        seen.push(code(cells[0]));
    }
    assert_eq!(seen.len(), 5, "{seen:?}");
}

/// A console block is a command and the end of what it prints.
#[test]
fn every_command_of_the_architecture_prints_what_is_shown() {
    let blocks = ARCHITECTURE.split("```console\n$ xslice ").skip(1);
    let mut count = 0;
    for block in blocks {
        let (command, shown) = block.split_once('\n').expect("a command");
        let (shown, _) = shown.split_once("```").expect("the end of the block");
        let (name, text) = command.split_once(' ').expect("a text");
        let output = xslice(&[name, text.trim_matches('\'')]);
        assert!(output.status.success(), "{command}");
        let printed = common::text(&output.stdout);
        assert!(
            !shown.is_empty() && printed.ends_with(shown),
            "{command}\n{printed}"
        );
        count += 1;
    }
    assert!(count >= 3);
}
