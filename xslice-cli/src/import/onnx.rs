//! ONNX models.
//!
//! What is decided here: the names of a graph. Values are inputs, initializers and results of nodes; each name is given once, and a
//! node reads only names above it, so there is no cycle and nothing to sort. An initializer that is also an input is that input's
//! default. The version of the default domain's operator set decides the version of every operator. What a node means is in `node`,
//! what a constant holds in `constant`.

mod constant;
mod cut;
mod node;
pub mod proto;

pub use cut::{Chain, Cut, cut};

use super::value::{Builder, Value};
use super::{Budget, Dimension, Model, ModelInput, Options};
use crate::error::{Fault, Result};
use crate::number::MOST_DIMENSION;
use crate::pb;
use crate::wire;
use constant::Constants;
use proto::{
    DimensionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto,
    ValueInfoProto,
};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use xslice::{Declared, ElementType, Tensor};

/// The model in the bytes of an `.onnx` file; `folder` is where its external data lies.
///
/// # Errors
/// Every fault of the model.
pub fn import(file: &[u8], folder: &Path, options: &Options) -> Result<Model> {
    import_message(wire::model(file, options.max_bytes)?, folder, options)
}

/// The functions that a model defines, by domain and name.
fn functions(model: &ModelProto) -> HashSet<(String, String)> {
    let functions = model.functions.iter();
    functions
        .map(|function| {
            (
                default_domain(function.domain.clone()),
                function.name.clone(),
            )
        })
        .collect()
}

fn import_message(model: ModelProto, folder: &Path, options: &Options) -> Result<Model> {
    let opset = default_opset(&model.opset_import)?;
    let functions = functions(&model);
    let graph = model.graph.ok_or_else(no_graph)?;
    import_graph(graph, opset, functions, folder, options)
}

fn no_graph() -> Fault {
    Fault::Format("not an ONNX model: there is no graph".into())
}

fn import_graph(
    graph: GraphProto,
    opset: u32,
    functions: HashSet<(String, String)>,
    folder: &Path,
    options: &Options,
) -> Result<Model> {
    let mut importer = Importer {
        builder: Builder::default(),
        constants: Constants::new(folder, Budget::new(options)),
        values: HashMap::new(),
        dialect: options.dialect,
        opset,
        functions,
    };
    importer.graph(graph)?;
    Ok(importer.builder.finish()?)
}

/// The domain of ONNX itself has two names.
fn default_domain(domain: String) -> String {
    if domain == "ai.onnx" {
        String::new()
    } else {
        domain
    }
}

/// The operator set of the default domain; 1 where none is named.
fn default_opset(imports: &[OperatorSetIdProto]) -> Result<u32, Fault> {
    let mut found = None;
    for import in imports {
        if !default_domain(import.domain.clone()).is_empty() {
            continue;
        }
        if import.version < 1 {
            let what = format!(
                "operator set version {} (allowed: 1 and above)",
                import.version
            );
            return Err(Fault::model(None, what));
        }
        if found.is_some_and(|version| version != import.version) {
            return Err(Fault::model(
                None,
                "the default domain has two operator set versions",
            ));
        }
        found = Some(import.version);
    }
    Ok(u32::try_from(found.unwrap_or(1)).unwrap_or(u32::MAX))
}

/// A graph on its way into a [`Builder`].
struct Importer<'a> {
    builder: Builder,
    constants: Constants<'a>,
    values: HashMap<String, Value>,
    dialect: xslice::Dialect,
    opset: u32,
    functions: HashSet<(String, String)>,
}

impl Importer<'_> {
    fn graph(&mut self, graph: GraphProto) -> Result<()> {
        if let Some(sparse) = graph.sparse_initializer.first() {
            let refused = |what: &str| {
                Fault::outside_scope(None, format!("{what} is sparse (allowed: {DENSE})"))
            };
            return Err(match proto::sparse_name(sparse).as_str() {
                "" => refused("an initializer without a name"),
                name => refused("it").within("initializer", name),
            }
            .into());
        }
        // Before anything is read: a network's weights may be beyond every limit, or not there.
        for (at, node) in graph.node.iter().enumerate() {
            self.in_scope(node, &label(node, at))?;
        }
        let mut initializers = self.initializers(graph.initializer)?;
        for input in graph.input {
            self.input(input, &mut initializers)?;
        }
        for (name, tensor) in initializers.in_order() {
            let value = self.builder.constant(tensor);
            self.define(name, value, None)?;
        }
        for (at, node) in graph.node.into_iter().enumerate() {
            let label = label(&node, at);
            self.node(node, &label)?;
        }
        self.outputs(graph.output)
    }

    fn initializers(&mut self, list: Vec<TensorProto>) -> Result<Initializers> {
        let mut initializers = Initializers::default();
        for mut proto in list {
            let name = std::mem::take(&mut proto.name);
            if name.is_empty() {
                return Err(Fault::model(None, "an initializer has no name").into());
            }
            let tensor = self
                .constants
                .tensor(proto)
                .map_err(|error| error.within("initializer", &name))?;
            if !initializers.add(name.clone(), tensor) {
                return Err(given_twice(&name, None).into());
            }
        }
        Ok(initializers)
    }

    fn input(&mut self, input: ValueInfoProto, initializers: &mut Initializers) -> Result<()> {
        if input.name.is_empty() {
            return Err(Fault::model(None, "a graph input has no name").into());
        }
        let (element_type, mut dimensions) = declared(&input)?;
        let initial = initializers.by_name.remove(&input.name);
        if let Some(initial) = &initial {
            // Some writers print no dimensions of what has a default: that is no scalar.
            let none_printed = dimensions.as_ref().is_some_and(Vec::is_empty);
            if none_printed && !initial.shape().is_empty() {
                dimensions = None;
            }
        }
        let value = self.builder.input(ModelInput {
            name: input.name.clone(),
            aliases: Vec::new(),
            element_type,
            dimensions,
            initial,
        })?;
        self.define(input.name, value, None)
    }

    fn define(&mut self, name: String, value: Value, node: Option<&str>) -> Result<()> {
        if self.values.contains_key(&name) {
            return Err(given_twice(&name, node).into());
        }
        self.values.insert(name, value);
        Ok(())
    }

    fn outputs(&mut self, outputs: Vec<ValueInfoProto>) -> Result<()> {
        let mut seen = HashSet::new();
        for output in outputs {
            let name = &output.name;
            let Some(&value) = self.values.get(name) else {
                let what = format!(
                    "no node computes the graph output `{}`",
                    name.escape_debug()
                );
                return Err(Fault::model(None, what).into());
            };
            if !seen.insert(name.clone()) {
                let what = format!("the graph output `{}` is named twice", name.escape_debug());
                return Err(Fault::model(None, what).into());
            }
            // Printed output shapes are often wrong or dynamic: only the type is compared.
            let (element_type, _) = declared(&output)?;
            let declared = element_type.map(|element_type| Declared {
                element_type,
                shape: None,
            });
            self.builder.output(name, value, declared)?;
        }
        Ok(())
    }
}

/// The initializers that are left, in the order of the file.
#[derive(Default)]
struct Initializers {
    by_name: HashMap<String, Arc<Tensor>>,
    order: Vec<String>,
}

impl Initializers {
    fn add(&mut self, name: String, tensor: Tensor) -> bool {
        self.order.push(name.clone());
        self.by_name.insert(name, Arc::new(tensor)).is_none()
    }

    fn in_order(mut self) -> impl Iterator<Item = (String, Arc<Tensor>)> {
        self.order.into_iter().filter_map(move |name| {
            let tensor = self.by_name.remove(&name)?;
            Some((name, tensor))
        })
    }
}

fn given_twice(name: &str, node: Option<&str>) -> Fault {
    Fault::model(
        node,
        format!("the value name `{}` is given twice", name.escape_debug()),
    )
}

/// What errors call a node: its name, else its first result, else its place.
fn label(node: &NodeProto, at: usize) -> String {
    let mut names = std::iter::once(&node.name).chain(node.output.first());
    match names.find(|name| !name.is_empty()) {
        Some(name) => name.clone(),
        None => format!("#{at}"),
    }
}

/// What is moved.
const DENSE: &str = "a dense tensor, which holds all of its elements";

/// What is said of an input or output: its element type and its dimensions, each where it is not left open.
fn declared(info: &ValueInfoProto) -> Result<(Option<ElementType>, Option<Vec<Dimension>>), Fault> {
    let Some(ty) = &info.r#type else {
        return Ok((None, None));
    };
    let others = [
        (&ty.sequence_type, "a sequence"),
        (&ty.map_type, "a map"),
        (&ty.optional_type, "an optional value"),
        (&ty.sparse_tensor_type, "a sparse tensor"),
    ];
    if let Some((_, kind)) = others.into_iter().find(|(ty, _)| ty.is_some()) {
        let what = format!("it is {kind} (allowed: {DENSE})");
        return Err(Fault::outside_scope(None, what).within("value", &info.name));
    }
    let Some(tensor) = &ty.tensor_type else {
        return Ok((None, None));
    };
    let within = |fault: Fault| fault.within("value", &info.name);
    let element_type = match tensor.elem_type {
        0 => None,
        number => Some(pb::element_type(number).ok_or_else(|| within(pb::unknown_type(number)))?),
    };
    let dimensions = match &tensor.shape {
        Some(shape) => Some(
            shape
                .dim
                .iter()
                .map(dimension)
                .collect::<Result<_, _>>()
                .map_err(within)?,
        ),
        None => None,
    };
    Ok((element_type, dimensions))
}

fn dimension(proto: &DimensionProto) -> Result<Dimension, Fault> {
    match &proto.value {
        Some(proto::Dimension::DimParam(name)) if !name.is_empty() => Ok(Dimension::named(name)),
        // Some writers print an unknown dimension as -1.
        None | Some(proto::Dimension::DimParam(_) | proto::Dimension::DimValue(-1)) => {
            Ok(Dimension::open())
        }
        Some(proto::Dimension::DimValue(size)) => match usize::try_from(*size) {
            Ok(size) if size <= MOST_DIMENSION => Ok(Dimension::fixed(size)),
            _ => {
                let what = format!("dimension {size} (allowed: 0..={MOST_DIMENSION})");
                Err(Fault::model(None, what))
            }
        },
    }
}
