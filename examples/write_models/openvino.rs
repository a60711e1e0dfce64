//! OpenVINO IRs: every method adds a layer and says, through the oracle, what the layer computes.

use crate::File;
use crate::elements::{self, Dim, integers, little_endian, values};
use crate::naive::{self, Dialect, Masks, Tensor};
use std::fmt::Write as _;

/// A model: its name, what it is, and how it is built.
pub struct Model {
    /// The name of its directory.
    pub name: &'static str,
    /// One line for the list of models.
    pub about: &'static str,
    /// Adds the layers.
    pub describe: fn(&mut Network),
}

/// The files of a model.
pub fn files(model: &Model) -> Vec<File> {
    let mut network = Network::new(model.name);
    (model.describe)(&mut network);
    network.files()
}

/// An output port of a layer: where it is, what it prints, and its elements.
#[derive(Clone)]
pub struct Value {
    layer: usize,
    port: usize,
    dims: String,
    tensor: Tensor,
}

/// A network under construction.
pub struct Network {
    name: &'static str,
    layers: String,
    edges: String,
    count: usize,
    constants: Vec<u8>,
    inputs: Vec<Tensor>,
    outputs: Vec<Tensor>,
}

impl Network {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            layers: String::new(),
            edges: String::new(),
            count: 0,
            constants: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// A parameter; `dims` such as `batch, 3, ?` declares it.
    pub fn parameter(&mut self, name: &str, dims: &str, tensor: Tensor) -> Value {
        let dims = elements::dims(dims, &tensor);
        let shape: Vec<String> = dims.iter().map(|dim| size(dim, "?")).collect();
        let data = format!(
            "<data shape=\"{}\" element_type=\"{}\"/>",
            shape.join(","),
            element_type(tensor.dtype)
        );
        self.inputs.push(tensor.clone());
        self.layer("Parameter", 1, name, &data, &[], tensor, &ports(&dims))
    }

    /// A parameter of random elements.
    pub fn data(&mut self, name: &str, dims: &str, dtype: &'static str, shape: &[usize]) -> Value {
        let seed = format!("{}/{name}", self.name);
        self.parameter(name, dims, elements::random(&seed, dtype, shape))
    }

    /// A list of `i64` as a constant.
    pub fn list(&mut self, name: &str, list: &[i64]) -> Value {
        let tensor = integers("i64", &[list.len()], list);
        // Constants start at multiples of 64 bytes.
        let offset = self.constants.len().next_multiple_of(64);
        self.constants.resize(offset, 0);
        self.constants.extend(little_endian(&tensor));
        let data = format!(
            "<data element_type=\"i64\" shape=\"{}\" offset=\"{offset}\" size=\"{}\"/>",
            list.len(),
            8 * list.len()
        );
        let dims = ports(&[Dim::Fixed(list.len())]);
        self.layer("Const", 1, name, &data, &[], tensor, &dims)
    }

    /// StridedSlice-1; `bounds` are begin, end and strides.
    pub fn strided_slice(
        &mut self,
        name: &str,
        dims: &str,
        data: &Value,
        bounds: [&Value; 3],
        masks: Masks<'_>,
    ) -> Value {
        let [begin, end, strides] = bounds.map(|value| values(&value.tensor));
        let standard = Dialect::Standard;
        let tensor = naive::openvino_strided_slice(
            &data.tensor,
            &begin,
            &end,
            Some(&strides),
            masks,
            standard,
        );
        let tensor = tensor.expect("a legal StridedSlice");
        let mut attributes = String::from("<data");
        for (attribute, mask) in [
            ("begin_mask", masks.begin),
            ("end_mask", masks.end),
            ("new_axis_mask", masks.new_axis),
            ("shrink_axis_mask", masks.shrink_axis),
            ("ellipsis_mask", masks.ellipsis),
        ] {
            let bits: Vec<String> = mask.iter().map(i64::to_string).collect();
            let _ = write!(attributes, " {attribute}=\"{}\"", bits.join(", "));
        }
        attributes.push_str("/>");
        let dims = ports(&elements::dims(dims, &tensor));
        let [begin, end, strides] = bounds;
        let inputs = [data, begin, end, strides];
        self.layer("StridedSlice", 1, name, &attributes, &inputs, tensor, &dims)
    }

    /// Slice-8; `bounds` are start, stop, step and axes.
    pub fn slice(&mut self, name: &str, dims: &str, data: &Value, bounds: [&Value; 4]) -> Value {
        let [start, stop, step, axes] = bounds.map(|value| values(&value.tensor));
        let tensor = naive::openvino_slice(&data.tensor, &start, &stop, &step, Some(&axes))
            .expect("a legal Slice");
        let dims = ports(&elements::dims(dims, &tensor));
        let [start, stop, step, axes] = bounds;
        let inputs = [data, start, stop, step, axes];
        self.layer("Slice", 8, name, "", &inputs, tensor, &dims)
    }

    /// The value is an output.
    pub fn result(&mut self, name: &str, value: &Value) {
        let id = self.count;
        self.count += 1;
        self.open(id, name, "Result", 1);
        self.input_ports(id, &[value]);
        self.layers.push_str("\t\t</layer>\n");
        self.outputs.push(value.tensor.clone());
    }

    fn open(&mut self, id: usize, name: &str, kind: &str, opset: u32) {
        let _ = writeln!(
            self.layers,
            "\t\t<layer id=\"{id}\" name=\"{name}\" type=\"{kind}\" version=\"opset{opset}\">"
        );
    }

    fn input_ports(&mut self, id: usize, inputs: &[&Value]) {
        if inputs.is_empty() {
            return;
        }
        self.layers.push_str("\t\t\t<input>\n");
        for (port, value) in inputs.iter().enumerate() {
            let precision = precision(value.tensor.dtype);
            let _ = writeln!(
                self.layers,
                "\t\t\t\t<port id=\"{port}\" precision=\"{precision}\">{}</port>",
                value.dims
            );
            let _ = writeln!(
                self.edges,
                "\t\t<edge from-layer=\"{}\" from-port=\"{}\" to-layer=\"{id}\" to-port=\"{port}\"/>",
                value.layer, value.port
            );
        }
        self.layers.push_str("\t\t\t</input>\n");
    }

    /// A layer with one output.
    #[expect(clippy::too_many_arguments, reason = "a layer has this many parts")]
    fn layer(
        &mut self,
        kind: &str,
        opset: u32,
        name: &str,
        data: &str,
        inputs: &[&Value],
        tensor: Tensor,
        dims: &str,
    ) -> Value {
        let (id, port) = (self.count, inputs.len());
        self.count += 1;
        self.open(id, name, kind, opset);
        if !data.is_empty() {
            let _ = writeln!(self.layers, "\t\t\t{data}");
        }
        self.input_ports(id, inputs);
        let precision = precision(tensor.dtype);
        let _ = writeln!(
            self.layers,
            "\t\t\t<output>\n\t\t\t\t<port id=\"{port}\" precision=\"{precision}\" names=\"{name}\">{dims}</port>\n\
             \t\t\t</output>\n\t\t</layer>"
        );
        Value {
            layer: id,
            port,
            dims: dims.to_string(),
            tensor,
        }
    }

    fn files(&self) -> Vec<File> {
        let xml = format!(
            "<?xml version=\"1.0\"?>\n<net name=\"{}\" version=\"11\">\n\t<layers>\n{}\t</layers>\n\t<edges>\n{}\t</edges>\n</net>\n",
            self.name, self.layers, self.edges
        );
        let mut files = vec![
            ("model.xml".to_string(), xml.into_bytes()),
            ("model.bin".to_string(), self.constants.clone()),
        ];
        for (kind, tensors) in [("input", &self.inputs), ("output", &self.outputs)] {
            for (at, tensor) in tensors.iter().enumerate() {
                files.push((format!("{kind}_{at}.npy"), npy(tensor)));
            }
        }
        files
    }
}

fn size(dim: &Dim<'_>, unknown: &str) -> String {
    match dim {
        Dim::Fixed(size) => size.to_string(),
        Dim::Named(_) => unknown.to_string(),
    }
}

/// The dimensions inside a port.
fn ports(dims: &[Dim<'_>]) -> String {
    dims.iter()
        .map(|dim| format!("<dim>{}</dim>", size(dim, "-1")))
        .collect()
}

/// The name of a type in a port.
fn precision(dtype: &str) -> &'static str {
    match dtype {
        "bool" => "BOOL",
        "u8" => "U8",
        "i64" => "I64",
        "f16" => "FP16",
        "f32" => "FP32",
        _ => panic!("no network has elements of type {dtype}"),
    }
}

/// The name of a type in an attribute.
fn element_type(dtype: &'static str) -> &'static str {
    if dtype == "bool" { "boolean" } else { dtype }
}

/// A `.npy` file, version 1: magic, version, length of the header, header, elements.
fn npy(tensor: &Tensor) -> Vec<u8> {
    let descr = match tensor.dtype {
        "bool" => "|b1",
        "u8" => "|u1",
        "i64" => "<i8",
        "f16" => "<f2",
        "f32" => "<f4",
        other => panic!("no network has elements of type {other}"),
    };
    let shape: String = tensor.shape.iter().map(|dim| format!("{dim}, ")).collect();
    let mut header = format!(
        "{{'descr': '{descr}', 'fortran_order': False, 'shape': ({}), }}",
        shape.trim_end()
    );
    // Spaces and a line feed fill up to a multiple of 64 bytes.
    let length = (10 + header.len() + 1).next_multiple_of(64) - 10;
    header.extend(std::iter::repeat_n(' ', length - header.len() - 1));
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((length as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(little_endian(tensor));
    file
}
