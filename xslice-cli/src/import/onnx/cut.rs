//! The parts of a graph that only move data, cut out of it.
//!
//! A network is more than data movement. Decided here: which of its nodes are understood, and where a part that consists of them ends: at
//! a value that another node or the world outside reads. Each such value becomes a model of its own, whose inputs are
//! what the other nodes compute; what it means is the importer's business.

use super::node::{is_understood, moves};
use super::proto::{GraphProto, Message, NodeProto, TensorProto, ValueInfoProto};
use super::{Model, Options, default_opset, functions, import_graph, label, no_graph};
use crate::error::Result;
use crate::wire;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

/// Nodes, and values that they read, that all chains of a model may have together: a value may need all nodes before it, so the sum
/// grows with the square.
const MOST: usize = 100_000;

/// Bytes of constants that all chains of a model may have together: each has its own.
const MOST_BYTES: usize = 4 << 30;

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
    values: Values,
    opset: u32,
}

/// Where in a graph the values are that no node makes, by name.
#[derive(Debug, Default)]
struct Values {
    known: HashMap<String, ValueInfoProto>,
    given: HashSet<String>,
    constants: HashMap<String, Vec<usize>>,
}

impl Values {
    fn of(graph: &GraphProto) -> Self {
        let mut values = Self::default();
        for value in graph
            .input
            .iter()
            .chain(&graph.value_info)
            .chain(&graph.output)
        {
            let known = values.known.entry(value.name.clone());
            known.or_insert_with(|| value.clone());
        }
        values
            .given
            .extend(graph.input.iter().map(|value| value.name.clone()));
        for (at, value) in graph.initializer.iter().enumerate() {
            let list = values.constants.entry(value.name.clone()).or_default();
            list.push(at);
        }
        values
    }

    /// Those of the names that no constant has, or that a constant is only the default of.
    fn inputs<'a>(&self, read: &[&'a str]) -> Vec<&'a str> {
        let is_input =
            |name: &&str| !self.constants.contains_key(*name) || self.given.contains(*name);
        read.iter().copied().filter(is_input).collect()
    }

    /// The initializers of these names.
    fn constants<'a>(&self, graph: &'a GraphProto, read: &[&str]) -> Vec<&'a TensorProto> {
        let places = read.iter().filter_map(|name| self.constants.get(*name));
        places.flatten().map(|&at| &graph.initializer[at]).collect()
    }

    fn info(&self, name: &str) -> ValueInfoProto {
        let known = self.known.get(name).cloned();
        known.unwrap_or_else(|| ValueInfoProto {
            name: name.into(),
            r#type: None,
        })
    }
}

impl Cut {
    /// A chain as a model of one output; `folder` is where external data lies.
    ///
    /// # Errors
    /// Every fault of its nodes.
    pub fn model(&self, chain: &Chain, folder: &Path, options: &Options) -> Result<Model> {
        let part = part(&self.graph, &self.values, &chain.members, &chain.end);
        // A node that is understood is none of the functions.
        import_graph(part, self.opset, HashSet::new(), folder, options)
    }
}

/// Cuts the chains out of the model in the bytes of an `.onnx` file.
///
/// # Errors
/// A file that is no model; one that takes more than `max_bytes`.
pub fn cut(file: &[u8], max_bytes: u64) -> Result<Cut> {
    let model = wire::model(file, max_bytes)?;
    let functions = functions(&model);
    let opset = default_opset(&model.opset_import)?;
    let graph = model.graph.ok_or_else(no_graph)?;
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
    let values = Values::of(&graph);
    let (mut chains, mut taken, mut held, mut is_partial) = (Vec::new(), 0, 0, false);
    for (at, end) in ends.filter(|(_, end)| wanted.contains(end.as_str())) {
        let members = behind(at, &graph.node, &made_by);
        let read = read(&graph, &members);
        let constants = values.constants(&graph, &read).into_iter();
        taken += members.len() + read.len();
        held += constants.map(Message::encoded_len).sum::<usize>();
        // One chain may hold whatever the model holds.
        is_partial = taken > MOST || held > MOST_BYTES && !chains.is_empty();
        if is_partial {
            break;
        }
        let inputs = values.inputs(&read);
        chains.extend(chain(&graph, members, &inputs, end));
    }
    Ok(Cut {
        chains,
        is_partial,
        understood: understood.len(),
        others,
        graph,
        values,
        opset,
    })
}

/// `None` for nodes that only rename elements.
fn chain(
    graph: &GraphProto,
    members: BTreeSet<usize>,
    inputs: &[&str],
    end: &str,
) -> Option<Chain> {
    let nodes = || members.iter().map(|&at| (at, &graph.node[at]));
    let name = |(at, node): (usize, &NodeProto)| format!("{} `{}`", node.op_type, label(node, at));
    let moves = nodes().filter(|(_, node)| moves(node)).count();
    let chain = Chain {
        nodes: nodes().map(name).collect(),
        moves,
        inputs: inputs.iter().copied().map(String::from).collect(),
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

/// A graph of these nodes that ends at one value.
fn part(graph: &GraphProto, values: &Values, members: &BTreeSet<usize>, end: &str) -> GraphProto {
    let read = read(graph, members);
    let inputs = values.inputs(&read).into_iter();
    let constants = values.constants(graph, &read).into_iter();
    GraphProto {
        name: graph.name.clone(),
        node: members.iter().map(|at| graph.node[*at].clone()).collect(),
        input: inputs.map(|name| values.info(name)).collect(),
        initializer: constants.cloned().collect(),
        output: vec![values.info(end)],
        ..GraphProto::default()
    }
}
