//! What a protobuf message takes once it is decoded, found out before it is.
//!
//! Two bytes of a file may be an empty message, which takes hundreds decoded, and nothing there can refuse memory. So one pass over the
//! bytes counts what they decode to, as far as the messages of ONNX are declared. It need not understand what is malformed: up to the first
//! malformed place it sees the same fields as the decoder, which reads no further.

use crate::error::{Fault, too_large};
use crate::files;
use crate::onnx::{Message, ModelProto, TensorProto};

/// Fields that a file may have outside of lists of numbers and strings. The largest networks have a tenth of it; an attack by a large
/// file has more.
const MOST_FIELDS: u64 = 1 << 22;

/// What a field takes at most: the largest message, in a list that grew to twice its length.
const FIELD_BYTES: u64 = 1 << 10;

/// What a number of such a list takes: itself, the same in a list that grew, and in the tensor.
const NUMBER_BYTES: u64 = 24;

/// A message of ONNX, as far as it is decoded.
struct Layout {
    /// Fields that are messages.
    messages: &'static [(u64, &'static Layout)],
    /// Lists of numbers that take one byte or more each.
    numbers: &'static [u64],
    /// Lists of numbers that take as many bytes in the file as decoded.
    floats: &'static [u64],
    /// Lists of strings that are elements of tensors.
    strings: &'static [u64],
}

const PLAIN: Layout = Layout {
    messages: &[],
    numbers: &[],
    floats: &[],
    strings: &[],
};

static ENTRY: Layout = PLAIN;
static TENSOR: Layout = Layout {
    messages: &[(13, &ENTRY)],
    numbers: &[1, 5, 7, 11],
    floats: &[4, 10],
    strings: &[6],
};
static ATTRIBUTE: Layout = Layout {
    messages: &[(5, &TENSOR)],
    numbers: &[8],
    floats: &[7],
    ..PLAIN
};
static NODE: Layout = Layout {
    messages: &[(5, &ATTRIBUTE)],
    ..PLAIN
};
static SHAPE: Layout = Layout {
    messages: &[(1, &ENTRY)],
    ..PLAIN
};
static TENSOR_TYPE: Layout = Layout {
    messages: &[(2, &SHAPE)],
    ..PLAIN
};
static TYPE: Layout = Layout {
    messages: &[(1, &TENSOR_TYPE)],
    ..PLAIN
};
static VALUE: Layout = Layout {
    messages: &[(2, &TYPE)],
    ..PLAIN
};
static GRAPH: Layout = Layout {
    messages: &[
        (1, &NODE),
        (5, &TENSOR),
        (11, &VALUE),
        (12, &VALUE),
        (13, &VALUE),
    ],
    ..PLAIN
};
static MODEL: Layout = Layout {
    messages: &[(7, &GRAPH), (8, &ENTRY), (25, &ENTRY)],
    ..PLAIN
};

/// A model, of which numbers and strings take at most `max_bytes`.
///
/// # Errors
/// Bytes that are not such a message; one that takes too much.
pub fn model(file: &[u8], max_bytes: u64) -> Result<ModelProto, Fault> {
    decode(file, &MODEL, "model", max_bytes)
}

/// A tensor, of which numbers and strings take at most `max_bytes`.
///
/// # Errors
/// Bytes that are not such a message; one that takes too much.
pub fn tensor(file: &[u8], max_bytes: u64) -> Result<TensorProto, Fault> {
    decode(file, &TENSOR, "tensor", max_bytes)
}

fn decode<M: Message + Default>(
    file: &[u8],
    layout: &Layout,
    what: &str,
    max_bytes: u64,
) -> Result<M, Fault> {
    let mut count = Count::default();
    count.message(file, layout);
    count.admit(file.len() as u64, max_bytes)?;
    M::decode(file).map_err(|error| Fault::Format(format!("not an ONNX {what}: {error}")))
}

/// What there is in a message.
#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    fields: u64,
    numbers: u64,
    strings: u64,
}

impl Count {
    fn admit(&self, file: u64, max_bytes: u64) -> Result<(), Fault> {
        let Self {
            fields,
            numbers,
            strings,
        } = *self;
        if fields > MOST_FIELDS {
            return Err(Fault::Format(format!(
                "too many fields of messages (allowed: {MOST_FIELDS})"
            )));
        }
        let elements = 8 * numbers + size_of::<String>() as u64 * strings;
        if elements > max_bytes {
            let what = "the file, its numbers and strings decoded,";
            return Err(too_large(what, elements, max_bytes));
        }
        // The decoder, which cannot refuse, takes bytes out of the file into a buffer and copies that into the message. One buffer at a
        // time; but where each is larger than those before, the gaps that they leave serve none, and only twice the file is enough.
        let strings = files::STRING_BYTES * strings;
        files::admit(2 * file + FIELD_BYTES * fields + NUMBER_BYTES * numbers + strings)
    }

    /// Counts the fields up to the end or the first malformed place, where it says `None`.
    fn message(&mut self, mut bytes: &[u8], layout: &Layout) -> Option<()> {
        let mut groups = 0u64;
        while !bytes.is_empty() {
            let key = varint(&mut bytes)?;
            let (tag, value) = (key >> 3, value(&mut bytes, key & 7)?);
            match value {
                Value::GroupStart => groups += 1,
                Value::GroupEnd => groups = groups.checked_sub(1)?,
                _ if groups > 0 => {}
                Value::Number if layout.numbers.contains(&tag) || layout.floats.contains(&tag) => {
                    self.numbers += 1;
                }
                Value::Bytes(list) if layout.numbers.contains(&tag) => {
                    self.numbers += list.iter().filter(|byte| **byte < 0x80).count() as u64;
                }
                Value::Bytes(list) if layout.floats.contains(&tag) => {
                    self.numbers += (list.len() as u64).div_ceil(8);
                }
                Value::Bytes(_) if layout.strings.contains(&tag) => self.strings += 1,
                Value::Number | Value::Bytes(_) => self.fields += 1,
            }
            let inner = layout.messages.iter().find(|(field, _)| *field == tag);
            if let (Value::Bytes(message), Some((_, layout)), 0) = (value, inner, groups) {
                self.message(message, layout)?;
            }
        }
        Some(())
    }
}

/// The value of a field.
#[derive(Clone, Copy)]
enum Value<'a> {
    Number,
    Bytes(&'a [u8]),
    GroupStart,
    GroupEnd,
}

fn value<'a>(bytes: &mut &'a [u8], wire_type: u64) -> Option<Value<'a>> {
    let taken = match wire_type {
        0 => return varint(bytes).map(|_| Value::Number),
        1 => 8,
        2 => {
            let len = usize::try_from(varint(bytes)?).ok()?;
            return bytes.split_off(..len).map(Value::Bytes);
        }
        3 => return Some(Value::GroupStart),
        4 => return Some(Value::GroupEnd),
        5 => 4,
        _ => return None,
    };
    bytes.split_off(..taken).map(|_| Value::Number)
}

/// A number of seven bits a byte, the lowest first.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes.split_off_first()?;
        value |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::onnx::{
        AttributeProto, GraphProto, NodeProto, StringStringEntryProto, ValueInfoProto,
    };

    fn count(message: &impl Message, layout: &Layout) -> Count {
        let mut count = Count::default();
        count.message(&message.encode_to_vec(), layout).unwrap();
        count
    }

    fn elements() -> TensorProto {
        TensorProto {
            dims: vec![1, 1000],
            float_data: vec![1.0; 3],
            int32_data: vec![-1, 1],
            string_data: vec![Vec::new(); 5],
            int64_data: vec![-1, 1000, 3],
            double_data: vec![1.0; 2],
            uint64_data: vec![u64::MAX],
            external_data: vec![StringStringEntryProto {
                key: "k".into(),
                value: "v".into(),
            }],
            ..TensorProto::default()
        }
    }

    #[test]
    fn every_list_of_a_tensor_is_counted() {
        let tensor = count(&elements(), &TENSOR);
        // dims 2, floats 12 bytes, int32 2, int64 3, doubles 16 bytes, uint64 1; the entry, its key and its value.
        let expected = Count {
            fields: 3,
            numbers: 2 + 2 + 2 + 3 + 2 + 1,
            strings: 5,
        };
        assert_eq!(tensor, expected);
    }

    #[test]
    fn every_message_of_a_model_is_counted() {
        let attribute = AttributeProto {
            floats: vec![1.0; 4],
            ints: vec![1, 2],
            strings: vec![Vec::new(); 3],
            t: Some(elements()),
            ..AttributeProto::default()
        };
        let value = ValueInfoProto::tensor("x", 1, &[2.into(), "n".into()]);
        let info = count(&value, &VALUE).fields;
        // Name, type, tensor type, element type, shape, two dimensions with a value each.
        assert_eq!(info, 9);
        let model = ModelProto {
            graph: Some(GraphProto {
                node: vec![NodeProto::new("Slice", "", &["a", "b"], &["c"]).with(attribute)],
                initializer: vec![elements()],
                input: vec![value.clone()],
                output: vec![value.clone()],
                value_info: vec![value],
                ..GraphProto::default()
            }),
            opset_import: vec![Default::default(); 2],
            functions: vec![Default::default(); 3],
            ..ModelProto::default()
        };
        let model = count(&model, &MODEL);
        let tensor = count(&elements(), &TENSOR);
        // The node has two inputs, an output, an operator; its attribute three strings and a tensor.
        let node = 1 + 4 + 1 + 3 + 1 + tensor.fields;
        let expected = Count {
            fields: 1 + 2 + 3 + node + 1 + tensor.fields + 3 * (1 + info),
            numbers: 2 * tensor.numbers + 4 + 2,
            strings: 2 * tensor.strings,
        };
        assert_eq!(model, expected);
    }

    #[test]
    fn what_is_malformed_is_left_to_the_decoder() {
        for bytes in [
            &[0x80][..],
            &[0x0a, 5, 1],
            &[0x0e],
            &[0x0c],
            &[0x09, 1],
            &[0xff; 11],
        ] {
            assert_eq!(Count::default().message(bytes, &MODEL), None, "{bytes:?}");
        }
        // A group, and in it what would be a graph.
        let group = [0x0b, 0x3a, 2, 0x0a, 0, 0x0c];
        let mut count = Count::default();
        assert_eq!(count.message(&group, &MODEL), Some(()));
        assert_eq!(count, Count::default());
    }
}
