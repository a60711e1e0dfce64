//! ONNX graphs: every method adds a node and says, through the oracle, what the node computes.

use crate::File;
use crate::elements::{self, Dim, integers, little_endian, values};
use crate::naive::{self, Dialect, Tensor};
use xslice_cli::onnx::{
    AttributeProto, Dimension, GraphProto, Message, ModelProto, NodeProto, OperatorSetIdProto,
    TensorProto, ValueInfoProto,
};

/// A model: its name, what it is, and how it is built.
pub struct Model {
    /// The name of its directory.
    pub name: &'static str,
    /// Version of the operator set.
    pub opset: u32,
    /// One line for the list of models.
    pub about: &'static str,
    /// Adds the nodes.
    pub describe: fn(&mut Graph),
}

/// The files of a model: the graph once, and two data sets of different sizes.
pub fn files(model: &Model) -> Vec<File> {
    let [first, second] = [0, 1].map(|set| {
        let mut graph = Graph::new(model, set);
        (model.describe)(&mut graph);
        graph
    });
    let bytes = first.model();
    assert_eq!(
        bytes,
        second.model(),
        "the graph of {} is fixed",
        model.name
    );
    let mut files = vec![("model.onnx".to_string(), bytes)];
    files.extend(first.data_set());
    files.extend(second.data_set());
    files
}

/// A value of a graph: its name there, and its elements in this data set.
#[derive(Clone)]
pub struct Value {
    name: String,
    tensor: Tensor,
}

/// One axis of a Slice: axis, start, end, step.
pub type Cut = (i64, i64, i64, i64);

/// A start or end that is beyond every axis: what exporters write for "to the end".
pub const END: i64 = i64::MAX;

/// The same for a walk backwards.
pub const BEGIN: i64 = i64::MIN;

/// A graph under construction, with one of its data sets.
pub struct Graph {
    name: &'static str,
    opset: u32,
    set: usize,
    proto: GraphProto,
    inputs: Vec<Value>,
    outputs: Vec<Value>,
}

impl Graph {
    fn new(model: &Model, set: usize) -> Self {
        let name = model.name.to_string();
        Self {
            name: model.name,
            opset: model.opset,
            set,
            proto: GraphProto {
                name,
                ..GraphProto::default()
            },
            inputs: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// A size that differs between the data sets.
    pub fn size<T>(&self, first: T, second: T) -> T {
        if self.set == 0 { first } else { second }
    }

    fn seed(&self, name: &str) -> String {
        format!("{}/{name}/{}", self.name, self.set)
    }

    /// An input, declared as `dims` says: `batch, 3, height, width`.
    pub fn input(&mut self, name: &str, dims: &str, tensor: Tensor) -> Value {
        let value = Value {
            name: name.to_string(),
            tensor,
        };
        self.proto.input.push(declaration(&value, dims));
        self.inputs.push(value.clone());
        value
    }

    /// An input of random elements.
    pub fn data(&mut self, name: &str, dims: &str, dtype: &'static str, shape: &[usize]) -> Value {
        let tensor = elements::random(&self.seed(name), dtype, shape);
        self.input(name, dims, tensor)
    }

    /// An input of random indices of the type `i32` or `i64`.
    pub fn ids(
        &mut self,
        name: &str,
        dims: &str,
        dtype: &'static str,
        shape: &[usize],
        range: std::ops::Range<i64>,
    ) -> Value {
        let tensor = elements::random_indices(&self.seed(name), dtype, shape, range);
        self.input(name, dims, tensor)
    }

    /// A constant beside the nodes.
    pub fn initializer(&mut self, name: &str, tensor: Tensor) -> Value {
        self.proto.initializer.push(message(name, &tensor));
        Value {
            name: name.to_string(),
            tensor,
        }
    }

    /// A weight of random elements, the same in every data set.
    pub fn weight(&mut self, name: &str, dtype: &'static str, shape: &[usize]) -> Value {
        let seed = format!("{}/{name}", self.name);
        self.initializer(name, elements::random(&seed, dtype, shape))
    }

    /// A constant out of a node.
    pub fn constant(&mut self, name: &str, tensor: Tensor) -> Value {
        let value = AttributeProto::tensor("value", message("", &tensor));
        self.proto
            .node
            .push(NodeProto::new("Constant", name, &[], &[name]).with(value));
        Value {
            name: name.to_string(),
            tensor,
        }
    }

    /// Slice with known bounds; the steps are left out where all are 1.
    pub fn slice(&mut self, result: &str, data: &Value, cuts: &[Cut]) -> Value {
        let column = |of: fn(&Cut) -> i64| cuts.iter().map(of).collect::<Vec<_>>();
        let (axes, starts, ends) = (column(|c| c.0), column(|c| c.1), column(|c| c.2));
        let steps = cuts.iter().any(|c| c.3 != 1).then(|| column(|c| c.3));
        if self.opset < 10 {
            assert_eq!(steps, None, "Slice-1 has no steps");
            let tensor = self.sliced(data, &starts, &ends, &axes, None);
            let attributes = [("starts", &starts), ("ends", &ends), ("axes", &axes)];
            let attributes = attributes.map(|(name, list)| AttributeProto::ints(name, list));
            return self.node("Slice", result, &[data], attributes, tensor);
        }
        let mut parameter = |name: &str, list: &[i64]| {
            let tensor = integers("i64", &[list.len()], list);
            self.initializer(&format!("{result}_{name}"), tensor)
        };
        let bounds = [
            parameter("starts", &starts),
            parameter("ends", &ends),
            parameter("axes", &axes),
        ];
        let steps = steps.map(|steps| parameter("steps", &steps));
        self.slice_by(result, data, bounds.each_ref(), steps.as_ref())
    }

    /// Slice whose `[starts, ends, axes]` and steps are values.
    pub fn slice_by(
        &mut self,
        result: &str,
        data: &Value,
        [starts, ends, axes]: [&Value; 3],
        steps: Option<&Value>,
    ) -> Value {
        let list = |value: &Value| values(&value.tensor);
        let stepped = steps.map(list);
        let tensor = self.sliced(
            data,
            &list(starts),
            &list(ends),
            &list(axes),
            stepped.as_deref(),
        );
        let mut inputs = vec![data, starts, ends, axes];
        inputs.extend(steps);
        self.node("Slice", result, &inputs, [], tensor)
    }

    fn sliced(
        &self,
        data: &Value,
        starts: &[i64],
        ends: &[i64],
        axes: &[i64],
        steps: Option<&[i64]>,
    ) -> Tensor {
        let version = self.version(&[1, 10, 11, 13]);
        let (data, standard) = (&data.tensor, Dialect::Standard);
        naive::onnx_slice(version, data, starts, ends, Some(axes), steps, standard)
            .expect("a legal Slice")
    }

    /// Gather on one axis.
    pub fn gather(&mut self, result: &str, data: &Value, indices: &Value, axis: i64) -> Value {
        let version = self.version(&[1, 11, 13]);
        let list = values(&indices.tensor);
        let shape = &indices.tensor.shape;
        let tensor =
            naive::onnx_gather(version, &data.tensor, shape, &list, axis).expect("a legal Gather");
        let attribute = (axis != 0).then(|| AttributeProto::int("axis", axis));
        self.node("Gather", result, &[data, indices], attribute, tensor)
    }

    /// Range of three scalars.
    pub fn range(&mut self, result: &str, start: &Value, limit: &Value, delta: &Value) -> Value {
        let [s, l, d] = [start, limit, delta].map(|value| &value.tensor);
        let tensor = naive::onnx_range(s, l, d, Dialect::Standard).expect("a legal Range");
        self.node("Range", result, &[start, limit, delta], [], tensor)
    }

    /// The same value under another name.
    pub fn identity(&mut self, result: &str, data: &Value) -> Value {
        self.node("Identity", result, &[data], [], data.tensor.clone())
    }

    /// Takes an axis of size 1 away.
    pub fn squeeze(&mut self, result: &str, data: &Value, axis: usize) -> Value {
        let mut tensor = data.tensor.clone();
        assert_eq!(tensor.shape.remove(axis), 1, "only a 1 can be squeezed");
        self.axes_node("Squeeze", result, data, axis, tensor)
    }

    /// Puts an axis of size 1 in.
    pub fn unsqueeze(&mut self, result: &str, data: &Value, axis: usize) -> Value {
        let mut tensor = data.tensor.clone();
        tensor.shape.insert(axis, 1);
        self.axes_node("Unsqueeze", result, data, axis, tensor)
    }

    /// The axes are an attribute up to operator set 12, and an input from 13 on.
    fn axes_node(
        &mut self,
        operator: &str,
        result: &str,
        data: &Value,
        axis: usize,
        tensor: Tensor,
    ) -> Value {
        let axes = [axis as i64];
        if self.opset < 13 {
            let attribute = AttributeProto::ints("axes", &axes);
            return self.node(operator, result, &[data], [attribute], tensor);
        }
        let axes = self.initializer(&format!("{result}_axes"), integers("i64", &[1], &axes));
        self.node(operator, result, &[data, &axes], [], tensor)
    }

    /// Other dimensions for the same elements; -1 is what is left.
    pub fn reshape(&mut self, result: &str, data: &Value, shape: &[i64]) -> Value {
        let mut tensor = data.tensor.clone();
        let known: usize = shape
            .iter()
            .filter(|&&d| d >= 0)
            .map(|&d| d as usize)
            .product();
        let left = tensor.elems.len() / known;
        tensor.shape = shape
            .iter()
            .map(|&d| usize::try_from(d).unwrap_or(left))
            .collect();
        assert_eq!(tensor.shape.iter().product::<usize>(), tensor.elems.len());
        let wanted = integers("i64", &[shape.len()], shape);
        let wanted = self.initializer(&format!("{result}_shape"), wanted);
        self.node("Reshape", result, &[data, &wanted], [], tensor)
    }

    /// The value is an output, declared as `dims` says.
    pub fn output(&mut self, value: &Value, dims: &str) {
        self.proto.output.push(declaration(value, dims));
        self.outputs.push(value.clone());
    }

    fn node(
        &mut self,
        operator: &str,
        result: &str,
        inputs: &[&Value],
        attributes: impl IntoIterator<Item = AttributeProto>,
        tensor: Tensor,
    ) -> Value {
        let names: Vec<&str> = inputs.iter().map(|value| value.name.as_str()).collect();
        let mut node = NodeProto::new(operator, result, &names, &[result]);
        node.attribute.extend(attributes);
        self.proto.node.push(node);
        Value {
            name: result.to_string(),
            tensor,
        }
    }

    /// The newest of the versions that the operator set holds.
    fn version(&self, versions: &[u32]) -> u32 {
        let known = versions.iter().rev().find(|&&v| v <= self.opset);
        *known.expect("the operator is in the operator set")
    }

    fn model(&self) -> Vec<u8> {
        // The first version of the format that came with the operator set.
        let ir_version = match self.opset {
            ..=9 => 4,
            10 => 5,
            11 => 6,
            12..=14 => 7,
            15..=18 => 8,
            19..=20 => 9,
            21.. => 10,
        };
        let opset = OperatorSetIdProto {
            domain: String::new(),
            version: self.opset.into(),
        };
        let model = ModelProto {
            ir_version,
            producer_name: "xslice write_models".to_string(),
            graph: Some(self.proto.clone()),
            opset_import: vec![opset],
            ..ModelProto::default()
        };
        model.encode_to_vec()
    }

    fn data_set(&self) -> Vec<File> {
        let folder = format!("test_data_set_{}", self.set);
        let file = |kind: &str, at: usize, value: &Value| {
            let bytes = message(&value.name, &value.tensor).encode_to_vec();
            (format!("{folder}/{kind}_{at}.pb"), bytes)
        };
        let inputs = self.inputs.iter().enumerate();
        let inputs = inputs.map(|(at, value)| file("input", at, value));
        let outputs = self.outputs.iter().enumerate();
        let outputs = outputs.map(|(at, value)| file("output", at, value));
        inputs.chain(outputs).collect()
    }
}

fn declaration(value: &Value, dims: &str) -> ValueInfoProto {
    let dims: Vec<Dimension> = elements::dims(dims, &value.tensor)
        .iter()
        .map(|dim| match dim {
            Dim::Fixed(size) => Dimension::DimValue(*size as i64),
            Dim::Named(name) => Dimension::DimParam(name.to_string()),
        })
        .collect();
    ValueInfoProto::tensor(&value.name, type_number(value.tensor.dtype), &dims)
}

fn message(name: &str, tensor: &Tensor) -> TensorProto {
    TensorProto {
        dims: tensor.shape.iter().map(|&dim| dim as i64).collect(),
        data_type: type_number(tensor.dtype),
        name: name.to_string(),
        raw_data: Some(little_endian(tensor)),
        ..TensorProto::default()
    }
}

/// ONNX's numbers of the element types.
fn type_number(dtype: &str) -> i32 {
    match dtype {
        "f32" => 1,
        "u8" => 2,
        "i32" => 6,
        "i64" => 7,
        "bool" => 9,
        "f16" => 10,
        "bf16" => 16,
        _ => panic!("no model has elements of type {dtype}"),
    }
}
