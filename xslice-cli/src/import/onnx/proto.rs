//! The messages of `onnx.proto` that data movement needs, field by field.
//!
//! Names and numbers are those of ONNX; fields that are not declared are skipped when a file is read. Where only the
//! *presence* of a field matters (a graph attribute, a segment, a sparse tensor), it is declared as bytes, and no more of it is decoded than a
//! name for its refusal: nothing here nests by more than a handful of levels.
//!
//! These messages are public so that programs can write models with them:
//!
//! ```
//! use xslice_cli::onnx::{GraphProto, Message, ModelProto, NodeProto, OperatorSetIdProto, ValueInfoProto};
//! let model = ModelProto {
//!     ir_version: 8,
//!     opset_import: vec![OperatorSetIdProto { domain: String::new(), version: 13 }],
//!     graph: Some(GraphProto {
//!         name: "rows".into(),
//!         input: vec![ValueInfoProto::tensor("x", 1, &[]), ValueInfoProto::tensor("ids", 7, &["n".into()])],
//!         output: vec![ValueInfoProto::tensor("y", 1, &[])],
//!         node: vec![NodeProto::new("Gather", "rows", &["x", "ids"], &["y"])],
//!         ..GraphProto::default()
//!     }),
//!     ..ModelProto::default()
//! };
//! assert!(!model.encode_to_vec().is_empty());
//! ```

pub use prost::Message;

/// A model: operator sets and one graph.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ModelProto {
    /// Version of the format.
    #[prost(int64, tag = "1")]
    pub ir_version: i64,
    /// Who wrote it.
    #[prost(string, tag = "2")]
    pub producer_name: String,
    /// The graph.
    #[prost(message, optional, tag = "7")]
    pub graph: Option<GraphProto>,
    /// One operator set version for each domain.
    #[prost(message, repeated, tag = "8")]
    pub opset_import: Vec<OperatorSetIdProto>,
    /// Functions that the model defines.
    #[prost(message, repeated, tag = "25")]
    pub functions: Vec<FunctionProto>,
}

/// The version of the operators of one domain.
#[derive(Clone, PartialEq, prost::Message)]
pub struct OperatorSetIdProto {
    /// The domain; empty is ONNX itself.
    #[prost(string, tag = "1")]
    pub domain: String,
    /// The version.
    #[prost(int64, tag = "2")]
    pub version: i64,
}

/// A function of the model; only its name is read.
#[derive(Clone, PartialEq, prost::Message)]
pub struct FunctionProto {
    /// The operator that it defines.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The domain of that operator.
    #[prost(string, tag = "10")]
    pub domain: String,
}

/// Nodes in order, and the values that go in and out.
#[derive(Clone, PartialEq, prost::Message)]
pub struct GraphProto {
    /// The nodes, each after those whose results it reads.
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeProto>,
    /// The name of the graph.
    #[prost(string, tag = "2")]
    pub name: String,
    /// Constants; one that is also an input is its default.
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<TensorProto>,
    /// The inputs.
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<ValueInfoProto>,
    /// The outputs.
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<ValueInfoProto>,
    /// What is known of values between nodes.
    #[prost(message, repeated, tag = "13")]
    pub value_info: Vec<ValueInfoProto>,
    /// Sparse constants, undecoded.
    #[prost(bytes = "vec", repeated, tag = "15")]
    pub sparse_initializer: Vec<Vec<u8>>,
}

/// An operator with its inputs and outputs by name.
#[derive(Clone, PartialEq, prost::Message)]
pub struct NodeProto {
    /// Names of the inputs; an empty one is an optional input left out.
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    /// Names of the outputs.
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    /// The name of the node; may be empty.
    #[prost(string, tag = "3")]
    pub name: String,
    /// The operator.
    #[prost(string, tag = "4")]
    pub op_type: String,
    /// The attributes.
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<AttributeProto>,
    /// The domain of the operator; empty is ONNX itself.
    #[prost(string, tag = "7")]
    pub domain: String,
}

/// An attribute of a node.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AttributeProto {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// A float.
    #[prost(float, optional, tag = "2")]
    pub f: Option<f32>,
    /// An integer.
    #[prost(int64, optional, tag = "3")]
    pub i: Option<i64>,
    /// A string.
    #[prost(bytes = "vec", optional, tag = "4")]
    pub s: Option<Vec<u8>>,
    /// A tensor.
    #[prost(message, optional, tag = "5")]
    pub t: Option<TensorProto>,
    /// Floats.
    #[prost(float, repeated, packed = "false", tag = "7")]
    pub floats: Vec<f32>,
    /// Integers.
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub ints: Vec<i64>,
    /// Strings.
    #[prost(bytes = "vec", repeated, tag = "9")]
    pub strings: Vec<Vec<u8>>,
    /// Which of the fields holds the value; 0 where an old writer left it out.
    #[prost(int32, tag = "20")]
    pub r#type: i32,
    /// A reference to an attribute of the function around the node.
    #[prost(string, tag = "21")]
    pub ref_attr_name: String,
}

/// The values of [`AttributeProto::type`].
pub mod attribute_type {
    /// `f`.
    pub const FLOAT: i32 = 1;
    /// `i`.
    pub const INT: i32 = 2;
    /// `s`.
    pub const STRING: i32 = 3;
    /// `t`.
    pub const TENSOR: i32 = 4;
    /// `floats`.
    pub const FLOATS: i32 = 6;
    /// `ints`.
    pub const INTS: i32 = 7;
    /// `strings`.
    pub const STRINGS: i32 = 8;
}

/// A tensor, in a model or as a file of its own.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TensorProto {
    /// The dimensions.
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub dims: Vec<i64>,
    /// The element type, as ONNX numbers them.
    #[prost(int32, tag = "2")]
    pub data_type: i32,
    /// A part of a larger tensor, undecoded.
    #[prost(bytes = "vec", optional, tag = "3")]
    pub segment: Option<Vec<u8>>,
    /// Elements of `f32`; halves of `c64`.
    #[prost(float, repeated, tag = "4")]
    pub float_data: Vec<f32>,
    /// Elements of `bool`, the integers up to 32 bits without `u32`, and the bits of `f16` and `bf16`.
    #[prost(int32, repeated, tag = "5")]
    pub int32_data: Vec<i32>,
    /// Elements of `string`.
    #[prost(bytes = "vec", repeated, tag = "6")]
    pub string_data: Vec<Vec<u8>>,
    /// Elements of `i64`.
    #[prost(int64, repeated, tag = "7")]
    pub int64_data: Vec<i64>,
    /// The name.
    #[prost(string, tag = "8")]
    pub name: String,
    /// Elements as little-endian bytes, instead of one of the lists.
    #[prost(bytes = "vec", optional, tag = "9")]
    pub raw_data: Option<Vec<u8>>,
    /// Elements of `f64`; halves of `c128`.
    #[prost(double, repeated, tag = "10")]
    pub double_data: Vec<f64>,
    /// Elements of `u32` and `u64`.
    #[prost(uint64, repeated, tag = "11")]
    pub uint64_data: Vec<u64>,
    /// Where the bytes are, if they are in another file.
    #[prost(message, repeated, tag = "13")]
    pub external_data: Vec<StringStringEntryProto>,
    /// 1: in another file.
    #[prost(int32, tag = "14")]
    pub data_location: i32,
}

/// A key and a value.
#[derive(Clone, PartialEq, prost::Message)]
pub struct StringStringEntryProto {
    /// The key.
    #[prost(string, tag = "1")]
    pub key: String,
    /// The value.
    #[prost(string, tag = "2")]
    pub value: String,
}

/// An input or output of a graph.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ValueInfoProto {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its type.
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<TypeProto>,
}

/// The type of a value; all but tensors undecoded.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TypeProto {
    /// A tensor.
    #[prost(message, optional, tag = "1")]
    pub tensor_type: Option<TensorTypeProto>,
    /// A sequence.
    #[prost(bytes = "vec", optional, tag = "4")]
    pub sequence_type: Option<Vec<u8>>,
    /// A map.
    #[prost(bytes = "vec", optional, tag = "5")]
    pub map_type: Option<Vec<u8>>,
    /// A sparse tensor.
    #[prost(bytes = "vec", optional, tag = "8")]
    pub sparse_tensor_type: Option<Vec<u8>>,
    /// An optional.
    #[prost(bytes = "vec", optional, tag = "9")]
    pub optional_type: Option<Vec<u8>>,
}

/// Element type and shape of a tensor (`TypeProto.Tensor`).
#[derive(Clone, PartialEq, prost::Message)]
pub struct TensorTypeProto {
    /// The element type, as ONNX numbers them; 0 if unknown.
    #[prost(int32, tag = "1")]
    pub elem_type: i32,
    /// The shape; absent if not even the rank is known.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
}

/// The dimensions of a value.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TensorShapeProto {
    /// One for each axis.
    #[prost(message, repeated, tag = "1")]
    pub dim: Vec<DimensionProto>,
}

/// One dimension (`TensorShapeProto.Dimension`): a number, a name, or nothing where it is unknown.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DimensionProto {
    /// The number or name.
    #[prost(oneof = "Dimension", tags = "1, 2")]
    pub value: Option<Dimension>,
}

/// What is known of a dimension.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Dimension {
    /// Its size.
    #[prost(int64, tag = "1")]
    DimValue(i64),
    /// A name for a size that is known at run time.
    #[prost(string, tag = "2")]
    DimParam(String),
}

/// The name of a sparse constant, which it has from its values; the rest of it is skipped.
pub(crate) fn sparse_name(bytes: &[u8]) -> String {
    #[derive(Clone, PartialEq, prost::Message)]
    struct Sparse {
        #[prost(message, optional, tag = "1")]
        values: Option<Values>,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    struct Values {
        #[prost(string, tag = "8")]
        name: String,
    }
    let values = Sparse::decode(bytes).ok().and_then(|sparse| sparse.values);
    values.map(|values| values.name).unwrap_or_default()
}

impl From<i64> for Dimension {
    fn from(size: i64) -> Self {
        Self::DimValue(size)
    }
}

impl From<&str> for Dimension {
    fn from(name: &str) -> Self {
        Self::DimParam(name.into())
    }
}

impl ValueInfoProto {
    /// A tensor of this element type (ONNX's number of it) and shape.
    #[must_use]
    pub fn tensor(name: &str, elem_type: i32, shape: &[Dimension]) -> Self {
        let dim = |value: &Dimension| DimensionProto {
            value: Some(value.clone()),
        };
        let shape = TensorShapeProto {
            dim: shape.iter().map(dim).collect(),
        };
        Self {
            name: name.into(),
            r#type: Some(TypeProto {
                tensor_type: Some(TensorTypeProto {
                    elem_type,
                    shape: Some(shape),
                }),
                ..TypeProto::default()
            }),
        }
    }
}

impl NodeProto {
    /// A node of the default domain without attributes.
    #[must_use]
    pub fn new(op_type: &str, name: &str, input: &[&str], output: &[&str]) -> Self {
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        Self {
            input: owned(input),
            output: owned(output),
            name: name.into(),
            op_type: op_type.into(),
            ..Self::default()
        }
    }

    /// The same node with this attribute too.
    #[must_use]
    pub fn with(mut self, attribute: AttributeProto) -> Self {
        self.attribute.push(attribute);
        self
    }
}

impl AttributeProto {
    /// An integer.
    #[must_use]
    pub fn int(name: &str, value: i64) -> Self {
        Self {
            name: name.into(),
            i: Some(value),
            r#type: attribute_type::INT,
            ..Self::default()
        }
    }

    /// A list of integers.
    #[must_use]
    pub fn ints(name: &str, values: &[i64]) -> Self {
        Self {
            name: name.into(),
            ints: values.to_vec(),
            r#type: attribute_type::INTS,
            ..Self::default()
        }
    }

    /// A tensor.
    #[must_use]
    pub fn tensor(name: &str, value: TensorProto) -> Self {
        Self {
            name: name.into(),
            t: Some(value),
            r#type: attribute_type::TENSOR,
            ..Self::default()
        }
    }
}
