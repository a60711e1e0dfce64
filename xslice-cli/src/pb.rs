//! `TensorProto` to and from tensors: constants of ONNX models, and the `.pb` files beside them.
//!
//! Elements are either raw little-endian bytes or one typed list; which list holds which type, and which numbers fit it, is
//! decided here. Lengths are compared with the shape before anything is allocated for it.

use crate::error::Fault;
use crate::files;
use crate::number::MOST_DIMENSION;
use crate::onnx::{Message, TensorProto};
use crate::scalar;
use crate::wire;
use std::fmt::Display;
use xslice::{ElementType, Tensor, byte_count, counted, element_count};

/// ONNX's numbers of the element types.
const TYPES: [(i32, ElementType); 16] = [
    (1, ElementType::F32),
    (2, ElementType::U8),
    (3, ElementType::I8),
    (4, ElementType::U16),
    (5, ElementType::I16),
    (6, ElementType::I32),
    (7, ElementType::I64),
    (8, ElementType::String),
    (9, ElementType::Bool),
    (10, ElementType::F16),
    (11, ElementType::F64),
    (12, ElementType::U32),
    (13, ElementType::U64),
    (14, ElementType::C64),
    (15, ElementType::C128),
    (16, ElementType::Bf16),
];

/// The element type that ONNX gives this number.
#[must_use]
pub fn element_type(number: i32) -> Option<ElementType> {
    TYPES.iter().find(|(n, _)| *n == number).map(|(_, ty)| *ty)
}

/// ONNX's number of an element type.
#[must_use]
pub fn type_number(ty: ElementType) -> i32 {
    TYPES.iter().find(|(_, t)| *t == ty).map_or(0, |(n, _)| *n)
}

/// The tensor in the bytes of a `.pb` file, and its name (often empty).
///
/// # Errors
/// [`Fault::Format`] for anything but one whole `TensorProto`; one that takes more than `max_bytes`.
pub fn parse(file: &[u8], max_bytes: u64) -> Result<(String, Tensor), Fault> {
    let mut proto = wire::tensor(file, max_bytes)?;
    let name = std::mem::take(&mut proto.name);
    if proto.data_location != 0 {
        return Err(Fault::Format(
            "the data of a .pb file is in another file".into(),
        ));
    }
    Ok((name, tensor(proto)?))
}

/// The bytes of a `.pb` file with this tensor: a message, with its elements after it as they are.
///
/// # Errors
/// No memory for them.
pub fn to_bytes(name: &str, tensor: &Tensor) -> Result<Vec<u8>, Fault> {
    const STRING: u8 = 6 << 3 | 2;
    const RAW: u8 = 9 << 3 | 2;
    let mut file = without_elements(name, tensor).encode_to_vec();
    let strings = tensor.strings().unwrap_or_default();
    let each = |text: &String| text.len() + FIELD_HEAD;
    let len = FIELD_HEAD + tensor.bytes().len() + strings.iter().map(each).sum::<usize>();
    files::reserve(&mut file, len as u64)?;
    strings
        .iter()
        .for_each(|text| field(&mut file, STRING, text.as_bytes()));
    if tensor.strings().is_none() {
        field(&mut file, RAW, tensor.bytes());
        let data = file.len() - tensor.bytes().len();
        scalar::little_to_native(&mut file[data..], scalar::width(tensor.element_type()));
    }
    Ok(file)
}

/// A field's key of one byte, and the longest length.
const FIELD_HEAD: usize = 11;

fn field(file: &mut Vec<u8>, key: u8, value: &[u8]) {
    file.push(key);
    let mut len = value.len();
    while len >= 0x80 {
        file.push(len as u8 | 0x80);
        len >>= 7;
    }
    file.push(len as u8);
    file.extend_from_slice(value);
}

/// A tensor as a message, its elements as raw data.
#[must_use]
pub fn to_proto(name: &str, tensor: &Tensor) -> TensorProto {
    let mut proto = without_elements(name, tensor);
    match tensor.strings() {
        Some(strings) => {
            proto.string_data = strings.iter().map(|s| s.clone().into_bytes()).collect();
        }
        None => {
            let mut bytes = tensor.bytes().to_vec();
            scalar::little_to_native(&mut bytes, scalar::width(tensor.element_type()));
            proto.raw_data = Some(bytes);
        }
    }
    proto
}

fn without_elements(name: &str, tensor: &Tensor) -> TensorProto {
    TensorProto {
        name: name.into(),
        dims: tensor.shape().iter().map(|&dim| dim as i64).collect(),
        data_type: type_number(tensor.element_type()),
        ..TensorProto::default()
    }
}

/// Where a message says that its data is in another file.
pub(crate) const EXTERNAL: i32 = 1;

/// Element type and shape of a message, which has its data in one place at most.
pub(crate) fn type_and_shape(proto: &TensorProto) -> Result<(ElementType, Vec<usize>), Fault> {
    let ty = element_type(proto.data_type).ok_or_else(|| unknown_type(proto.data_type))?;
    if proto.segment.is_some() {
        return Err(Fault::OutsideScope {
            node: None,
            what: "a tensor in segments (allowed: a whole one)".into(),
        });
    }
    let dims = proto.dims.iter().map(|&dim| {
        usize::try_from(dim).map_err(|_| {
            Fault::Format(format!(
                "dimension {dim} of a tensor (allowed: 0..={MOST_DIMENSION})"
            ))
        })
    });
    let shape = dims.collect::<Result<_, _>>()?;
    only_one_source(proto, ty)?;
    Ok((ty, shape))
}

/// An element type that is ONNX's, or nobody's, but not one of the sixteen.
pub(crate) fn unknown_type(number: i32) -> Fault {
    const NEWER: [&str; 10] = [
        "float8e4m3fn",
        "float8e4m3fnuz",
        "float8e5m2",
        "float8e5m2fnuz",
        "uint4",
        "int4",
        "float4e2m1",
        "float8e8m0",
        "uint2",
        "int2",
    ];
    let newer = usize::try_from(number).ok().and_then(|n| n.checked_sub(17));
    match newer.and_then(|at| NEWER.get(at)) {
        Some(name) => {
            let allowed = ElementType::ALL.map(ElementType::name).join(", ");
            let what = format!("element type `{name}` is not moved (allowed: {allowed})");
            Fault::outside_scope(None, what)
        }
        None => Fault::Format(format!("element type {number} (allowed: 1..=16)")),
    }
}

/// The tensor of a message whose data is in the message.
pub(crate) fn tensor(mut proto: TensorProto) -> Result<Tensor, Fault> {
    let (ty, shape) = type_and_shape(&proto)?;
    let count = element_count(&shape)?;
    if ty == ElementType::String {
        return strings(&shape, count, proto.string_data);
    }
    let needed = byte_count(count, ty)?;
    let bytes = match proto.raw_data.take() {
        Some(bytes) => native(ty, bytes),
        None => typed(&proto, ty, count)?,
    };
    if bytes.len() != needed {
        return Err(Fault::Format(format!(
            "{} of data for {ty} {shape:?} (allowed: {})",
            counted(bytes.len(), "byte", "bytes"),
            counted(needed, "byte", "bytes")
        )));
    }
    scalar::tensor(ty, &shape, bytes)
}

/// Raw data in the byte order of this machine.
pub(crate) fn native(ty: ElementType, mut bytes: Vec<u8>) -> Vec<u8> {
    scalar::little_to_native(&mut bytes, scalar::width(ty));
    bytes
}

/// Refuses data in a place that does not belong to the type, and in two places at once.
fn only_one_source(proto: &TensorProto, ty: ElementType) -> Result<(), Fault> {
    let own = data_field(ty);
    let filled = [
        ("raw_data", proto.raw_data.is_some()),
        ("float_data", !proto.float_data.is_empty()),
        ("int32_data", !proto.int32_data.is_empty()),
        ("string_data", !proto.string_data.is_empty()),
        ("int64_data", !proto.int64_data.is_empty()),
        ("double_data", !proto.double_data.is_empty()),
        ("uint64_data", !proto.uint64_data.is_empty()),
        ("external_data", proto.data_location == EXTERNAL),
    ];
    let mut found = filled.iter().filter(|(_, filled)| *filled);
    let Some((first, _)) = found.next() else {
        return Ok(());
    };
    if let Some((second, _)) = found.next() {
        return Err(Fault::Format(format!(
            "a tensor has its data twice, in {first} and in {second}"
        )));
    }
    let (as_bytes, allowed) = match ty {
        ElementType::String => (false, ""),
        _ => (
            matches!(*first, "raw_data" | "external_data"),
            " or raw_data",
        ),
    };
    if *first != own && !as_bytes {
        return Err(Fault::Format(format!(
            "{ty} data in {first} (allowed: {own}{allowed})"
        )));
    }
    Ok(())
}

fn data_field(ty: ElementType) -> &'static str {
    match ty {
        ElementType::F32 | ElementType::C64 => "float_data",
        ElementType::F64 | ElementType::C128 => "double_data",
        ElementType::I64 => "int64_data",
        ElementType::U32 | ElementType::U64 => "uint64_data",
        ElementType::String => "string_data",
        ElementType::Bool | ElementType::I8 | ElementType::I16 | ElementType::I32 => "int32_data",
        ElementType::U8 | ElementType::U16 | ElementType::F16 | ElementType::Bf16 => "int32_data",
    }
}

/// The elements of the typed list, as native bytes.
fn typed(proto: &TensorProto, ty: ElementType, count: usize) -> Result<Vec<u8>, Fault> {
    let numbers = count * (ty.size() / scalar::width(ty));
    let given = match data_field(ty) {
        "float_data" => proto.float_data.len(),
        "double_data" => proto.double_data.len(),
        "int64_data" => proto.int64_data.len(),
        "uint64_data" => proto.uint64_data.len(),
        _ => proto.int32_data.len(),
    };
    if given != numbers {
        return Err(Fault::Format(format!(
            "{} in {} for a tensor of {count} {ty} (allowed: {numbers})",
            counted(given, "number", "numbers"),
            data_field(ty)
        )));
    }
    let int32 = || proto.int32_data.iter();
    match ty {
        ElementType::F32 | ElementType::C64 => {
            elements(proto.float_data.iter(), ty, |v| Some(v.to_ne_bytes()))
        }
        ElementType::F64 | ElementType::C128 => {
            elements(proto.double_data.iter(), ty, |v| Some(v.to_ne_bytes()))
        }
        ElementType::I64 => elements(proto.int64_data.iter(), ty, |v| Some(v.to_ne_bytes())),
        ElementType::U64 => elements(proto.uint64_data.iter(), ty, |v| Some(v.to_ne_bytes())),
        ElementType::U32 => elements(proto.uint64_data.iter(), ty, |v| {
            Some(u32::try_from(*v).ok()?.to_ne_bytes())
        }),
        ElementType::I32 => elements(int32(), ty, |v| Some(v.to_ne_bytes())),
        ElementType::I16 => elements(int32(), ty, |v| Some(i16::try_from(*v).ok()?.to_ne_bytes())),
        ElementType::I8 => elements(int32(), ty, |v| Some(i8::try_from(*v).ok()?.to_ne_bytes())),
        ElementType::U8 => elements(int32(), ty, |v| Some([u8::try_from(*v).ok()?])),
        ElementType::Bool => elements(int32(), ty, |v| Some([u8::from(bit(*v)?)])),
        ElementType::U16 | ElementType::F16 | ElementType::Bf16 => {
            elements(int32(), ty, |v| Some(u16::try_from(*v).ok()?.to_ne_bytes()))
        }
        ElementType::String => Ok(Vec::new()),
    }
}

fn bit(value: i32) -> Option<bool> {
    match value {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

fn elements<'a, T: Display + 'a, const N: usize>(
    values: impl ExactSizeIterator<Item = &'a T>,
    ty: ElementType,
    bytes: impl Fn(&T) -> Option<[u8; N]>,
) -> Result<Vec<u8>, Fault> {
    let mut all = Vec::new();
    files::reserve(&mut all, (values.len() * N) as u64)?;
    for (at, value) in values.enumerate() {
        match bytes(value) {
            Some(element) => all.extend_from_slice(&element),
            None => {
                return Err(scalar::no_element(value, at, ty, &integers_of(ty)));
            }
        }
    }
    Ok(all)
}

/// The integers that stand for elements of a type; for floats, those of their bits.
fn integers_of(ty: ElementType) -> String {
    let bits = 8 * ty.size();
    match ty {
        ElementType::Bool => String::from("0 or 1"),
        ElementType::I8 | ElementType::I16 | ElementType::I32 => {
            let most = (1_u64 << (bits - 1)) - 1;
            format!("-{}..={most}", most + 1)
        }
        _ => format!("0..={}", u64::MAX >> (64 - bits.min(64))),
    }
}

fn strings(shape: &[usize], count: usize, data: Vec<Vec<u8>>) -> Result<Tensor, Fault> {
    if data.len() != count {
        return Err(Fault::Format(format!(
            "{} for shape {shape:?} (allowed: {count})",
            counted(data.len(), "string", "strings")
        )));
    }
    let text = data.into_iter().enumerate().map(|(at, bytes)| {
        String::from_utf8(bytes)
            .map_err(|_| Fault::Format(format!("the string at position {at} is not UTF-8")))
    });
    Ok(Tensor::from_strings(
        shape,
        text.collect::<Result<_, _>>()?,
    )?)
}
