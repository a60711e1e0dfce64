//! OpenVINO IR, versions 10 and 11: an XML file and a `.bin` with the constants.
//!
//! What is decided here: the structure of the network. Layers are known by number, in any order; edges join an output port to an
//! input port, one edge an input. Layers are sorted here, without recursion; a cycle is refused. Port dimensions printed on other layers
//! than Parameter are not read (the texts' own examples print wrong ones). What one layer says is read in `layer`, what it means
//! is in `operator`.

mod layer;
mod operator;
mod scan;

use super::value::{Builder, Value};
use super::{Budget, Model, Options};
use crate::error::{Fault, Result};
use layer::{Layer, Port, number};
use operator::Constants;
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// No network of these operators is near this many elements; an attack by a large file is.
const MOST_NODES: u32 = 16_000_000;

/// The model in the text of an `.xml` file; `bin` is where its constants lie.
///
/// # Errors
/// Every fault of the model.
pub fn import(text: &str, bin: &Path, options: &Options) -> Result<Model> {
    scan::scan(text, options.max_bytes)?;
    let parsing = ParsingOptions {
        allow_dtd: false,
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, parsing)
        .map_err(|error| Fault::Format(format!("not XML: {error}")))?;
    let net = document.root_element();
    if !net.has_tag_name("net") {
        let name = net.tag_name().name();
        let what = format!("not an OpenVINO IR: the root element is `{name}` (allowed: net)");
        return Err(Fault::Format(what).into());
    }
    match net.attribute("version") {
        None | Some("10" | "11") => {}
        Some(other) => {
            let what = format!("IR version `{other}` (allowed: 10 or 11)");
            return Err(Fault::Format(what).into());
        }
    }
    let network = Network::read(net)?;
    let constants = Constants::new(bin, Budget::new(options));
    network.build(constants, options)
}

/// Layers, and for each input port of each the output that feeds it.
struct Network<'a> {
    layers: Vec<Layer<'a>>,
    /// By layer and position of the input port: the layer that feeds it.
    sources: Vec<Vec<Option<usize>>>,
}

impl<'a> Network<'a> {
    fn read(net: Node<'a, '_>) -> Result<Self, Fault> {
        let list = only_child(net, "layers")?;
        let mut layers: Vec<Layer<'a>> = Vec::new();
        let mut by_id = HashMap::new();
        for node in list.children().filter(|node| node.has_tag_name("layer")) {
            let layer = Layer::read(node)?;
            if by_id.insert(layer.id, layers.len()).is_some() {
                let what = format!("layer id {} is given twice", layer.id);
                return Err(Fault::model(Some(layer.name), what));
            }
            layers.push(layer);
        }
        let sources = layers.iter().map(|layer| vec![None; layer.inputs.len()]);
        let mut network = Self {
            sources: sources.collect(),
            layers,
        };
        let edges = only_child(net, "edges")?;
        for edge in edges.children().filter(|node| node.has_tag_name("edge")) {
            network.edge(edge, &by_id)?;
        }
        network.complete()?;
        Ok(network)
    }

    fn edge(&mut self, edge: Node<'_, '_>, by_id: &HashMap<u64, usize>) -> Result<(), Fault> {
        let get = |name: &str| number(edge, name, "edge");
        let (from, from_port) = (get("from-layer")?, get("from-port")?);
        let (to, to_port) = (get("to-layer")?, get("to-port")?);
        let layer = |id| {
            by_id.get(&id).copied().ok_or_else(|| {
                let what = format!("an edge names layer {id}, which does not exist");
                Fault::model(None, what)
            })
        };
        let (source, target) = (layer(from)?, layer(to)?);
        let outputs = &self.layers[source].outputs;
        if !outputs.iter().any(|port| port.id == from_port) {
            let what = format!("an edge leaves output port {from_port}, which does not exist");
            return Err(Fault::model(Some(self.layers[source].name), what));
        }
        let inputs = &self.layers[target].inputs;
        let Some(at) = inputs.iter().position(|port| port.id == to_port) else {
            let what = format!("an edge enters input port {to_port}, which does not exist");
            return Err(Fault::model(Some(self.layers[target].name), what));
        };
        if self.sources[target][at].replace(source).is_some() {
            let what = format!("two edges enter input port {to_port}");
            return Err(Fault::model(Some(self.layers[target].name), what));
        }
        Ok(())
    }

    /// Refuses an input port that nothing feeds.
    fn complete(&self) -> Result<(), Fault> {
        for (layer, sources) in self.layers.iter().zip(&self.sources) {
            if let Some(at) = sources.iter().position(Option::is_none) {
                let what = format!("no edge enters input port {}", layer.inputs[at].id);
                return Err(Fault::model(Some(layer.name), what));
            }
        }
        Ok(())
    }

    /// The layers in an order in which each comes after those that feed it; otherwise as the file has them.
    fn sorted(&self) -> Result<Vec<usize>, Fault> {
        let mut readers = vec![Vec::new(); self.layers.len()];
        let mut waiting: Vec<usize> = Vec::with_capacity(self.layers.len());
        for (target, sources) in self.sources.iter().enumerate() {
            waiting.push(sources.len());
            for source in sources.iter().flatten() {
                readers[*source].push(target);
            }
        }
        let ready = (0..self.layers.len()).filter(|&at| waiting[at] == 0);
        let mut ready: BTreeSet<usize> = ready.collect();
        let mut order = Vec::with_capacity(self.layers.len());
        while let Some(at) = ready.pop_first() {
            order.push(at);
            for &target in &readers[at] {
                waiting[target] -= 1;
                if waiting[target] == 0 {
                    ready.insert(target);
                }
            }
        }
        match waiting.iter().position(|&count| count > 0) {
            Some(at) => Err(Fault::model(
                Some(self.layers[at].name),
                "the layer is on a cycle, or behind one",
            )),
            None => Ok(order),
        }
    }

    fn build(&self, mut constants: Constants<'_>, options: &Options) -> Result<Model> {
        let order = self.sorted()?;
        for layer in &self.layers {
            operator::in_scope(layer)?;
        }
        let mut builder = Builder::default();
        let mut values: Vec<Option<Value>> = vec![None; self.layers.len()];
        for (at, layer) in self.layers.iter().enumerate() {
            if layer.kind == "Parameter" {
                values[at] = Some(builder.input(operator::parameter(layer)?)?);
            }
        }
        for at in order {
            let layer = &self.layers[at];
            let inputs = self.sources[at].iter().flatten();
            let inputs: Vec<Value> = inputs.filter_map(|&source| values[source]).collect();
            match layer.kind {
                "Parameter" | "Result" => {}
                "Const" => {
                    let tensor = constants.tensor(layer)?;
                    values[at] = Some(builder.constant(tensor));
                }
                _ => {
                    let value = operator::apply(&mut builder, layer, &inputs, options.dialect)?;
                    values[at] = Some(value);
                }
            }
        }
        self.results(&mut builder, &values)?;
        Ok(builder.finish()?)
    }

    /// One output for each Result, in the order of the file.
    fn results(&self, builder: &mut Builder, values: &[Option<Value>]) -> Result<(), Fault> {
        for (layer, sources) in self.layers.iter().zip(&self.sources) {
            if layer.kind != "Result" {
                continue;
            }
            let [Some(source)] = sources[..] else {
                let what = format!("a Result has {} input ports (allowed: 1)", sources.len());
                return Err(Fault::model(Some(layer.name), what));
            };
            let Some(value) = values[source] else {
                let what = "the layer that feeds this Result has no value";
                return Err(Fault::model(Some(layer.name), what));
            };
            // Users know the tensor's names; that of the layer is often made up by the writer of the file.
            let port = self.layers[source].outputs.first();
            let mut names = layer.output_names();
            names.extend(port.map(Port::names).unwrap_or_default());
            let name = names.iter().find(|name| !builder.has_output(name));
            let name = name.map_or(layer.name, String::as_str);
            builder.output(name, value, None)?;
        }
        Ok(())
    }
}

fn only_child<'a, 'b>(net: Node<'a, 'b>, name: &str) -> Result<Node<'a, 'b>, Fault> {
    let mut found = net.children().filter(|node| node.has_tag_name(name));
    match (found.next(), found.next()) {
        (Some(node), None) => Ok(node),
        (None, _) => Err(Fault::Format(format!("the element `{name}` is missing"))),
        (Some(_), Some(_)) => Err(Fault::Format(format!(
            "the element `{name}` is there twice"
        ))),
    }
}
