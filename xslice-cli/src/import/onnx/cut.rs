//! The parts of a graph that only move data, cut out of it.
//!
//! A network is more than data movement. Decided here: which of its nodes are understood, and where a part that consists of them ends: at
//! a value that another node or the world outside reads. Each such value becomes a model of its own, whose inputs are
//! what the other nodes compute; what it means is the importer's business.

use super::node::{is_understood, moves};
use super::proto::{GraphProto, ModelProto, NodeProto, ValueInfoProto};
use super::{Model, Options, decode, functions, import_message, label};
use crate::error::{Fault, Result};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

/// Nodes that all chains of a model may have together: a value may need all nodes before it, so the sum grows with the square.
const MOST: usize = 100_000;

/// Nodes that compute one value by moving data.
#[derive(Debug)]
pub struct Chain {
    /// What the nodes are called, in order, with their operators.
    pub nodes: Vec<String>,
    /// How many of them move elements.
    pub moves: usize,
    /// The values that they read and other nodes or the world outside give.
    pub inputs: Vec<String>,
    members: BTreeSet<usize>,
    end: String,
}

/// A graph taken apart.
#[derive(Debug)]
pub struct Cut {
    /// The parts that move data.
    pub chains: Vec<Chain>,
    /// Whether there are more chains than [`Self::chains`] holds.
    pub is_partial: bool,
    /// How many nodes are understood.
    pub understood: usize,
    /// The other nodes: how many of each operator.
    pub others: BTreeMap<String, usize>,
    graph: GraphProto,
    /// All but the graph.
    rest: ModelProto,
}

impl Cut {
    /// A chain as a model of one output; `folder` is where external data lies.
    ///
    /// # Errors
    /// Every fault of its nodes.
    pub fn model(&self, chain: &Chain, folder: &Path, options: &Options) -> Result<Model> {
        let part = ModelProto {
            graph: Some(part(&self.graph, &chain.members, &chain.end)),
            ..self.rest.clone()
        };
        import_message(part, folder, options)
    }
}

/// Cuts the chains out of the model in the bytes of an `.onnx` file.
///
/// # Errors
/// A file that is no model.
pub fn cut(file: &[u8]) -> Result<Cut> {
    let mut rest = decode(file)?;
    let functions = functions(&rest);
    let graph = rest.graph.take();
    let graph =
        graph.ok_or_else(|| Fault::Format("not an ONNX model: there is no graph".into()))?;
    let mut others = BTreeMap::new();
    let mut made_by = HashMap::new();
    let mut wanted: HashSet<&str> = graph
        .output
        .iter()
        .map(|value| value.name.as_str())
        .collect();
    for (at, node) in graph.node.iter().enumerate() {
        if is_understood(node, &functions) {
            made_by.extend(node.output.iter().map(|name| (name.as_str(), at)));
        } else {
            *others.entry(node.op_type.clone()).or_insert(0) += 1;
            wanted.extend(node.input.iter().map(String::as_str));
        }
    }
    let understood: BTreeSet<_> = made_by.values().copied().collect();
    let ends = understood
        .iter()
        .flat_map(|&at| graph.node[at].output.iter().map(move |end| (at, end)));
    let (mut chains, mut taken) = (Vec::new(), 0);
    for (at, end) in ends.filter(|(_, end)| wanted.contains(end.as_str())) {
        let members = behind(at, &graph.node, &made_by);
        taken += members.len();
        if taken > MOST {
            break;
        }
        chains.extend(chain(&graph, members, end));
    }
    Ok(Cut {
        chains,
        is_partial: taken > MOST,
        understood: understood.len(),
        others,
        graph,
        rest,
    })
}

/// `None` for nodes that only rename elements.
fn chain(graph: &GraphProto, members: BTreeSet<usize>, end: &str) -> Option<Chain> {
    let nodes = || members.iter().map(|&at| (at, &graph.node[at]));
    let name = |(at, node): (usize, &NodeProto)| format!("{} `{}`", node.op_type, label(node, at));
    let moves = nodes().filter(|(_, node)| moves(node)).count();
    let chain = Chain {
        nodes: nodes().map(name).collect(),
        moves,
        inputs: inputs(graph, &read(graph, &members))
            .into_iter()
            .map(String::from)
            .collect(),
        end: end.to_string(),
        members,
    };
    (moves > 0).then_some(chain)
}

/// The node at `end`, and those that it needs.
fn behind(end: usize, nodes: &[NodeProto], made_by: &HashMap<&str, usize>) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([end]);
    let mut open = vec![end];
    while let Some(at) = open.pop() {
        let sources = nodes[at].input.iter();
        for &source in sources.filter_map(|name| made_by.get(name.as_str())) {
            if found.insert(source) {
                open.push(source);
            }
        }
    }
    found
}

/// What these nodes read and none of them makes, each name once.
fn read<'a>(graph: &'a GraphProto, members: &BTreeSet<usize>) -> Vec<&'a str> {
    let nodes = || members.iter().map(|at| &graph.node[*at]);
    let made: HashSet<&str> = nodes()
        .flat_map(|node| &node.output)
        .map(String::as_str)
        .collect();
    let mut seen = HashSet::new();
    let names = nodes().flat_map(|node| &node.input).map(String::as_str);
    names
        .filter(|name| !name.is_empty() && !made.contains(name) && seen.insert(*name))
        .collect()
}

/// Those of the names that no constant has, or that a constant is only the default of.
fn inputs<'a>(graph: &GraphProto, read: &[&'a str]) -> Vec<&'a str> {
    let constants: HashSet<&str> = graph
        .initializer
        .iter()
        .map(|value| value.name.as_str())
        .collect();
    let given: HashSet<&str> = graph
        .input
        .iter()
        .map(|value| value.name.as_str())
        .collect();
    let is_input = |name: &&str| !constants.contains(name) || given.contains(name);
    read.iter().copied().filter(is_input).collect()
}

/// A graph of these nodes that ends at one value.
fn part(graph: &GraphProto, members: &BTreeSet<usize>, end: &str) -> GraphProto {
    let read = read(graph, members);
    let known = |name: &str| {
        let mut values = graph
            .input
            .iter()
            .chain(&graph.value_info)
            .chain(&graph.output);
        let known = values.find(|value| value.name == name).cloned();
        known.unwrap_or_else(|| ValueInfoProto {
            name: name.into(),
            r#type: None,
        })
    };
    let constants = graph.initializer.iter();
    GraphProto {
        name: graph.name.clone(),
        node: members.iter().map(|at| graph.node[*at].clone()).collect(),
        input: inputs(graph, &read).into_iter().map(known).collect(),
        initializer: constants
            .filter(|value| read.contains(&value.name.as_str()))
            .cloned()
            .collect(),
        output: vec![known(end)],
        ..GraphProto::default()
    }
}
