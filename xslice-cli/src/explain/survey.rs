//! A network that is more than data movement: its parts that are, each explained.

use super::{explain, line_of, nests};
use crate::error::{Error, Result};
use crate::files;
use crate::import::Model;
use crate::import::onnx::{self, Chain};
use crate::request::What;
use std::path::Path;

/// What of an ONNX model xslice compiles.
///
/// # Errors
/// A file that is no model; assignments to what no part reads.
pub fn survey(what: &What, inputs: &[String], with_code: bool, path: &Path) -> Result<String> {
    let file = files::read(path, what.common.max_bytes)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let cut = onnx::cut(&file)?;
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
    for assignment in inputs.iter().chain(&what.shapes) {
        if !cut.chains.iter().any(|chain| concerns(chain, assignment)) {
            let what = format!("`{assignment}` is about nothing that a chain of the model reads");
            return Err(Error::argument(what));
        }
    }
    for chain in &cut.chains {
        text.push('\n');
        let nodes: Vec<_> = chain
            .nodes
            .iter()
            .map(|node| node.escape_debug().to_string())
            .collect();
        line_of(&mut text, "chain", &nodes.join(", "));
        let model = cut.model(chain, folder, &what.common.options());
        let explained = model.and_then(|model| explained(&model, chain, what, inputs, with_code));
        match explained {
            Ok(explained) => text.push_str(&explained),
            Err(error) => line_of(&mut text, "unknown", &error.to_string()),
        }
    }
    if cut.is_partial {
        text.push_str("\nmore chains are left out\n");
    }
    Ok(text)
}

/// Whether `NAME=VALUE` is about an input of the chain.
fn concerns(chain: &Chain, assignment: &str) -> bool {
    let mut values = chain
        .inputs
        .iter()
        .filter_map(|name| assignment.strip_prefix(name.as_str()));
    values.any(|rest| rest.starts_with('='))
}

fn explained(
    model: &Model,
    chain: &Chain,
    what: &What,
    inputs: &[String],
    with_code: bool,
) -> Result<String> {
    let concerned = |list: &[String]| -> Vec<String> {
        list.iter()
            .filter(|assignment| concerns(chain, assignment))
            .cloned()
            .collect()
    };
    let request = what.request(model, &concerned(inputs), &concerned(&what.shapes))?;
    let mut text = explain(&request, with_code)?;
    for output in &model.outputs {
        let plan = output
            .program
            .compile(&request.signature(&output.program)?)?;
        let passes = nests(&plan).len();
        line_of(
            &mut text,
            "passes",
            &format!("{passes}, of {} nodes that move", chain.moves),
        );
    }
    Ok(text)
}
