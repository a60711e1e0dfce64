//! A network that is more than data movement: its parts that are, in a table, then each explained.

use super::{Traffic, explained, line_of, text_of, work};
use crate::error::{Error, Result};
use crate::files;
use crate::import::Model;
use crate::import::onnx::{self, Chain};
use crate::request::{What, open_names};
use crate::table;
use std::path::Path;

/// What of an ONNX model xslice compiles.
///
/// # Errors
/// A file that is no model; assignments to what no part reads.
pub fn survey(what: &What, inputs: &[String], with_code: bool, path: &Path) -> Result<String> {
    let file = files::read(path, what.common.max_bytes())?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let cut = onnx::cut(&file, what.common.max_bytes())?;
    let others: usize = cut.others.values().sum();
    let names = cut
        .others
        .iter()
        .map(|(name, count)| format!("{} {count}", name.escape_debug()));
    let names: Vec<_> = names.collect();
    let mut text = String::new();
    let all = cut.understood + others;
    let line = format!(
        "{} of {all} nodes are understood; others: {}",
        cut.understood,
        names.join(", ")
    );
    line_of(&mut text, "model", &line);
    let mut rows = vec![COLUMNS.map(String::from)];
    let mut parts = String::new();
    let mut unread: Vec<_> = inputs.iter().chain(&what.shapes).collect();
    for chain in &cut.chains {
        let model = cut.model(chain, folder, &what.common.options());
        unread.retain(|assignment| !is_input(chain, assignment));
        let part = model.and_then(|model| {
            unread.retain(|assignment| !is_dimension(&model, assignment));
            part(&model, chain, what, inputs, with_code)
        });
        rows.push(row(chain, part.as_ref().ok()));
        parts.push('\n');
        line_of(&mut parts, "chain", &nodes(chain).join(", "));
        match part {
            Ok(part) => parts.push_str(&part.text),
            Err(error) => line_of(&mut parts, "unknown", &error.to_string()),
        }
    }
    if let Some(assignment) = unread.first() {
        let what = format!("`{assignment}` is about nothing that a chain of the model reads");
        return Err(Error::argument(what));
    }
    if !cut.chains.is_empty() {
        text.push('\n');
        text.push_str(&table::aligned(&rows));
    }
    text.push_str(&parts);
    if cut.is_partial {
        text.push_str("\nmore chains are left out\n");
    }
    Ok(text)
}

/// Of the table in front: of each chain how many of its nodes move, in how many passes over memory all of them together, the bytes of
/// these, how, and its nodes.
const COLUMNS: [&str; 6] = ["nodes", "passes", "bytes read", "written", "moved", "chain"];

fn row(chain: &Chain, part: Option<&Part>) -> [String; 6] {
    let nodes = nodes(chain);
    let nodes = match &nodes[..] {
        [first, _, .., last] => format!("{first} .. {last}"),
        few => few.join(", "),
    };
    let moves = chain.moves.to_string();
    match part {
        Some(part) => [
            moves,
            part.passes.to_string(),
            part.read.to_string(),
            part.written.to_string(),
            part.work.join(", "),
            nodes,
        ],
        None => {
            let open = || String::from("?");
            [moves, open(), open(), open(), "unknown".into(), nodes]
        }
    }
}

fn nodes(chain: &Chain) -> Vec<String> {
    let nodes = chain.nodes.iter();
    nodes.map(|node| node.escape_debug().to_string()).collect()
}

/// Whether `NAME=VALUE` is about an input of the chain.
fn is_input(chain: &Chain, assignment: &str) -> bool {
    let mut inputs = chain.inputs.iter();
    inputs.any(|name| value(assignment, name).is_some())
}

/// Whether `NAME=VALUE` is about one dimension of an input, by its own name.
fn is_dimension(model: &Model, assignment: &str) -> bool {
    let mut names = model.inputs.iter().flat_map(open_names);
    names.any(|name| value(assignment, name).is_some_and(|value| !value.contains(',')))
}

/// The value that is assigned to that name.
fn value<'a>(assignment: &'a str, name: &str) -> Option<&'a str> {
    assignment.strip_prefix(name)?.strip_prefix('=')
}

/// A chain, explained.
#[derive(Default)]
struct Part {
    text: String,
    passes: usize,
    read: usize,
    written: usize,
    work: Vec<String>,
}

fn part(
    model: &Model,
    chain: &Chain,
    what: &What,
    inputs: &[String],
    with_code: bool,
) -> Result<Part> {
    let inputs = inputs.iter().filter(|input| is_input(chain, input));
    let inputs: Vec<_> = inputs.cloned().collect();
    let is_about = |shape: &&String| is_input(chain, shape) || is_dimension(model, shape);
    let shapes: Vec<_> = what.shapes.iter().filter(is_about).cloned().collect();
    let request = what.request(model, Some(&inputs), &shapes)?;
    let outputs = explained(&request)?;
    let mut part = Part {
        text: text_of(&request, &outputs, with_code),
        ..Part::default()
    };
    for explained in &outputs {
        let plan = &explained.plan;
        let passes = plan.nests().count();
        let traffic = Traffic::of(plan);
        let or_view = match explained.view {
            Some(_) => ", or a view",
            None => "",
        };
        part.passes += passes;
        part.read = part.read.saturating_add(traffic.read);
        part.written = part.written.saturating_add(traffic.written);
        part.work.push(format!("{}{or_view}", work(plan)));
        let line = format!("{passes}, of {} nodes that move", chain.moves);
        line_of(&mut part.text, "passes", &line);
    }
    Ok(part)
}
