//! The documents of `docs/`: every example gives what stands beside it, every row has one, and every refusal is there.

mod example;
mod markdown;
mod names;
mod refused;

use markdown::{code, rows};
use xslice::{ElementType, ErrorKind, Op};

const SEMANTICS: &str = include_str!("../../docs/semantics.md");
const NOTATION: &str = include_str!("../../docs/notation.md");
const ERRORS: &str = include_str!("../../docs/errors.md");

/// Runs every example of a document.
fn run_examples(document: &str) -> usize {
    let mut count = 0;
    let mut wrong = String::new();
    for row in rows(document, &["example", "result"]) {
        let example = code(&row["example"]);
        match code(&row["result"])[..] {
            _ if example.is_empty() => continue,
            [expected] => wrong += &example::check(&example, expected).err().unwrap_or_default(),
            _ => panic!("one result: {row:?}"),
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{wrong}");
    count
}

#[test]
fn every_example_of_the_semantics_gives_its_result() {
    assert!(run_examples(SEMANTICS) > 80);
}

#[test]
fn every_row_of_the_semantics_has_an_example() {
    let numbered: Vec<String> = rows(SEMANTICS, &["row", "rule"])
        .iter()
        .filter(|row| !row["row"].is_empty())
        .map(|row| {
            let is_run = row.contains_key("result") && !code(&row["example"]).is_empty();
            assert!(is_run, "no example: {row:?}");
            row["row"].clone()
        })
        .collect();
    let general = (1..=8).map(|row| format!("G{row}"));
    let rows: Vec<String> = general.chain((1..=42).map(|row| row.to_string())).collect();
    assert_eq!(numbered, rows);
}

#[test]
fn every_example_of_the_notation_gives_its_result() {
    assert!(run_examples(NOTATION) > 40);
}

#[test]
fn every_operator_and_element_type_is_in_the_notation() {
    for name in [
        "onnx::Slice",
        "onnx::Gather",
        "onnx::Range",
        "openvino::Slice",
        "openvino::StridedSlice",
    ] {
        let row = |line: &&str| line.starts_with(&format!("| `{name}@"));
        let rows: String = NOTATION.lines().filter(row).collect();
        for version in Op::versions(name).expect("an operator") {
            assert!(rows.contains(&format!("@{version}`")), "{name}@{version}");
        }
    }
    for ty in ElementType::ALL {
        assert!(NOTATION.contains(&format!("`{ty}`")), "{ty}");
    }
}

#[test]
fn every_example_of_a_refusal_gives_its_message() {
    assert!(run_examples(ERRORS) > 30);
}

#[test]
fn every_kind_of_refusal_has_its_row_and_message() {
    let rows = rows(ERRORS, &["code", "when", "what to do"]);
    for kind in ErrorKind::ALL {
        let name = format!("`{} {}`", kind.code(), kind.name());
        if *kind == ErrorKind::Internal {
            continue; // its row stands with those of the command line, and nothing that one can write shows it
        }
        let mut found = rows.iter().filter(|row| row["code"] == name);
        let row = found.next().unwrap_or_else(|| panic!("no row for {name}"));
        assert!(found.next().is_none(), "{name} twice");
        let cell = row.get("result").or(row.get("message"));
        let message = code(cell.expect("a column for the message"));
        let end = format!("[{}]", name.trim_matches('`'));
        assert!(
            message.iter().any(|text| text.ends_with(&end)),
            "{name}: {message:?}"
        );
    }
}

#[test]
fn refusals_that_no_text_can_show_have_the_message_of_the_document() {
    let cells: Vec<String> = rows(ERRORS, &["code"])
        .into_iter()
        .flat_map(|mut row| [row.remove("result"), row.remove("message")])
        .flatten()
        .collect();
    for error in refused::all() {
        let line = error.to_string();
        let is_there = cells.iter().any(|cell| code(cell) == [line.as_str()]);
        assert!(is_there, "not in the document: {line}");
    }
}

#[test]
fn every_file_that_a_document_names_is_there() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let documents = [
        include_str!("../../README.md"),
        include_str!("../../CONTRIBUTING.md"),
        include_str!("../../docs/architecture.md"),
        include_str!("../../docs/extending.md"),
        include_str!("../../docs/guide.md"),
    ];
    let folders = ["xslice-", "src/", "tests/", "examples/", "docs/"];
    let mut count = 0;
    for document in documents {
        for line in document.lines() {
            for name in code(line) {
                let is_path = folders.iter().any(|folder| name.starts_with(folder));
                if is_path && name.contains('/') && !name.contains(' ') {
                    assert!(root.join(name).exists(), "{name}");
                    count += 1;
                }
            }
        }
    }
    assert!(count > 40, "{count}");
}
