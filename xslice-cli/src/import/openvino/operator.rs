//! Layers of an IR, as inputs, constants and operators.
//!
//! Decided here: which layers are understood, in which operator set, with which attributes and how many inputs. A layer without a
//! `version`, as the operator texts print them, is the first version that is known. The values of attributes go to the builders as
//! they are; the rules about them are the library's.

use super::layer::{Layer, Port};
use crate::error::{Fault, Result};
use crate::files;
use crate::import::refusal;
use crate::import::value::{Builder, Value};
use crate::import::{Budget, Dimension, ModelInput};
use crate::number::number;
use crate::scalar;
use std::path::Path;
use xslice::{
    Dialect, ElementType, Error, ErrorKind, Op, Param, Reshape, ReshapeRule, Slice, StridedSlice,
    Tensor, byte_count, element_count, refuse_missing, refuse_version,
};

/// What is understood of a kind of layer: its name, operator set, most inputs, attributes.
type Operator = (&'static str, u32, usize, &'static [&'static str]);

/// The layers that are understood; those of one kind beside each other, the oldest first.
const LAYERS: [Operator; 10] = [
    ("Parameter", 1, 0, &["shape", "element_type"]),
    ("Const", 1, 0, &["shape", "element_type", "offset", "size"]),
    ("Result", 1, 1, &[]),
    ("Slice", 8, 5, &[]),
    ("StridedSlice", 1, 4, &MASKS),
    ("Reshape", 1, 2, &["special_zero"]),
    ("Squeeze", 1, 2, &[]),
    // What it skips are axes whose size is not known, and every size is when it is compiled.
    ("Squeeze", 15, 2, &["allow_axis_skip"]),
    ("Unsqueeze", 1, 2, &[]),
    ("Identity", 16, 1, &[]),
];

const MASKS: [&str; 5] = [
    "begin_mask",
    "end_mask",
    "new_axis_mask",
    "shrink_axis_mask",
    "ellipsis_mask",
];

/// The operator of a layer, by its set, or else the first of its kind.
fn found(layer: &Layer<'_>) -> Option<&'static Operator> {
    let mut versions = LAYERS.iter().filter(|(kind, ..)| *kind == layer.kind);
    let set = layer.version.and_then(|set| set.strip_prefix("opset"));
    let set: Option<u32> = set.and_then(number);
    let named = versions.clone().find(|operator| set == Some(operator.1));
    named.or_else(|| versions.next())
}

/// How to get layers that are understood, for some that are not.
fn way_around(kind: &str) -> &'static str {
    match kind {
        "Convert" => {
            "; around a constant it says that this is stored as f16, which `openvino.save_model` leaves out with `compress_to_fp16=False`"
        }
        "Gather" | "Range" => "; this operator is compiled as ONNX defines it: of an .onnx file",
        _ => "",
    }
}

/// Refuses a layer that xslice does not compile, and what a layer's version does not have.
pub fn in_scope(layer: &Layer<'_>) -> Result<(), Fault> {
    if let Some(text @ ("" | "opset")) = layer.version {
        return Err(layer.malformed("version", text, "a set such as opset8"));
    }
    let set = layer.version.map_or(Some(""), |v| v.strip_prefix("opset"));
    let (Some((kind, version, inputs, attributes)), Some(set)) = (found(layer), set) else {
        let mut known: Vec<_> = LAYERS.iter().map(|(kind, ..)| *kind).collect();
        known.dedup();
        let operator = format!("{}::{}", layer.version.unwrap_or("openvino"), layer.kind);
        let way = way_around(layer.kind);
        return Err(refusal::not_compiled(layer.name, &operator, &known, way));
    };
    if !set.is_empty() && number(set) != Some(*version) {
        let operator = format!("openvino::{kind}");
        let versions = LAYERS.iter().filter(|(other, ..)| other == kind);
        let versions: Vec<u32> = versions.map(|(_, version, ..)| *version).collect();
        let error = refuse_version(&operator, set, &versions);
        return Err(refuse(layer, error.operator(format!("{operator}@{set}"))));
    }
    if layer.inputs.len() > *inputs {
        let error = refusal::too_many_inputs(layer.inputs.len(), *inputs);
        return Err(refuse(layer, error));
    }
    if let Some(error) = refusal::too_many_outputs(layer.outputs.len()) {
        return Err(refuse(layer, error));
    }
    for (name, _) in &layer.data {
        if !attributes.contains(name) {
            let error = refusal::unknown_attribute(name, attributes, "");
            return Err(refuse(layer, error));
        }
    }
    Ok(())
}

/// What refusals call the operator.
fn label(layer: &Layer<'_>) -> String {
    let version = found(layer).map_or(1, |(_, version, ..)| *version);
    format!("openvino::{}@{version}", layer.kind)
}

fn refuse(layer: &Layer<'_>, error: Error) -> Fault {
    error.operator(label(layer)).node(layer.name).into()
}

/// An input of the model.
pub fn parameter(layer: &Layer<'_>) -> Result<ModelInput, Fault> {
    let port = layer.outputs.first();
    let element_type = layer.element_type()?;
    // A port without dimensions is that of a scalar, or says nothing: where nothing else is said either, anything goes.
    let is_told = layer.attribute("shape").is_some() || element_type.is_some();
    let dimensions = layer.shape()?;
    Ok(ModelInput {
        name: layer.name.into(),
        aliases: port.map(Port::names).unwrap_or_default(),
        element_type,
        dimensions: dimensions.filter(|dims| is_told || !dims.is_empty()),
        initial: None,
    })
}

/// An operator on the values of its input ports.
pub fn apply(
    builder: &mut Builder,
    layer: &Layer<'_>,
    inputs: &[Value],
    dialect: Dialect,
) -> Result<Value> {
    let data = inputs.first().copied();
    let param = |at: usize| inputs.get(at).map(|&value| Param::from(value));
    let op: Op = match layer.kind {
        "Identity" => {
            return data.ok_or_else(|| refuse(layer, refuse_missing("data")).into());
        }
        "Slice" => slice(&[1, 2, 3, 4].map(param)),
        "StridedSlice" => strided_slice(layer, &[1, 2, 3].map(param), dialect)?,
        "Reshape" => {
            let zero_copies = flag(layer, "special_zero")?;
            Reshape::new(label(layer), ReshapeRule::Reshape { zero_copies }, param(1)).into()
        }
        "Squeeze" => {
            let rule = ReshapeRule::Squeeze { keeps_others: true };
            Reshape::new(label(layer), rule, param(1)).into()
        }
        "Unsqueeze" => Reshape::new(label(layer), ReshapeRule::Unsqueeze, param(1)).into(),
        // `in_scope` let nothing else pass.
        other => return Err(Fault::outside_scope(Some(layer.name), other).into()),
    };
    Ok(builder.apply(op, data, layer.name)?)
}

fn slice([start, stop, step, axes]: &[Option<Param>; 4]) -> Op {
    let mut op = Slice::openvino(8);
    if let Some(start) = start {
        op = op.start(start.clone());
    }
    if let Some(stop) = stop {
        op = op.stop(stop.clone());
    }
    if let Some(step) = step {
        op = op.step(step.clone());
    }
    if let Some(axes) = axes {
        op = op.axes(axes.clone());
    }
    op.into()
}

fn strided_slice(
    layer: &Layer<'_>,
    [begin, end, stride]: &[Option<Param>; 3],
    dialect: Dialect,
) -> Result<Op, Fault> {
    let mut op = StridedSlice::openvino(1).dialect(dialect);
    if let Some(begin) = begin {
        op = op.begin(begin.clone());
    }
    if let Some(end) = end {
        op = op.end(end.clone());
    }
    if let Some(stride) = stride {
        op = op.stride(stride.clone());
    }
    let [begin, end, new_axis, shrink_axis, ellipsis] = MASKS;
    op = op
        .begin_mask(mask(layer, begin)?)
        .end_mask(mask(layer, end)?)
        .new_axis_mask(mask(layer, new_axis)?)
        .shrink_axis_mask(mask(layer, shrink_axis)?)
        .ellipsis_mask(mask(layer, ellipsis)?);
    Ok(op.into())
}

/// `0,1,1`; an absent mask is empty.
fn mask(layer: &Layer<'_>, name: &'static str) -> Result<Vec<i64>, Fault> {
    let text = layer.attribute(name).unwrap_or_default().trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let entries = layer.entries(name, text)?.enumerate();
    let entries = entries.map(|(at, entry)| {
        number(entry).ok_or_else(|| {
            let entry = entry.escape_debug().to_string();
            let text = format!("`{name}` holds `{entry}` at position {at}");
            let error = Error::new(ErrorKind::MaskValue, text).parameter(name);
            refuse(layer, error.position(at).value(entry).allowed("0 or 1"))
        })
    });
    entries.collect()
}

fn flag(layer: &Layer<'_>, name: &str) -> Result<bool, Fault> {
    match layer.attribute(name).map(str::trim) {
        None | Some("false" | "False" | "0") => Ok(false),
        Some("true" | "True" | "1") => Ok(true),
        Some(other) => Err(layer.malformed(name, other, "true or false")),
    }
}

/// The `.bin` file, read once, when the first constant needs it.
pub struct Constants<'a> {
    path: &'a Path,
    bytes: Option<Vec<u8>>,
    budget: Budget,
}

impl<'a> Constants<'a> {
    pub fn new(path: &'a Path, budget: Budget) -> Self {
        Self {
            path,
            bytes: None,
            budget,
        }
    }

    /// The value of a Const layer.
    pub fn tensor(&mut self, layer: &Layer<'_>) -> Result<Tensor> {
        let Some(element_type) = layer.element_type()? else {
            return Err(layer.malformed("element_type", "", "a known type").into());
        };
        let dims = layer.shape()?.unwrap_or_default();
        let Some(shape) = dims.iter().map(Dimension::size).collect::<Option<Vec<_>>>() else {
            let text = layer.attribute("shape").unwrap_or_default();
            return Err(layer.malformed("shape", text, "known dimensions").into());
        };
        let (offset, size) = (layer.number("offset")?, layer.number("size")?);
        let within = |fault: Fault| fault.within("node", layer.name);
        let count = element_count(&shape).map_err(|error| within(error.into()))?;
        if count == 0 {
            // Some writers give it a byte, which belongs to no element.
            return Ok(Tensor::zeros(element_type, &shape)?);
        }
        let bytes = self.slice(layer, offset, size)?;
        if element_type == ElementType::String {
            let strings = strings(&bytes, count).map_err(|fault| within(fault).at(self.path))?;
            return Ok(Tensor::from_strings(&shape, strings)?);
        }
        let needed = byte_count(count, element_type).map_err(|error| within(error.into()))?;
        if bytes.len() != needed {
            let allowed = format!("{needed} for {element_type} {shape:?}");
            return Err(layer.malformed("size", &size.to_string(), &allowed).into());
        }
        let mut bytes = bytes;
        scalar::little_to_native(&mut bytes, scalar::width(element_type));
        let tensor = scalar::tensor(element_type, &shape, bytes);
        tensor.map_err(|fault| within(fault).into())
    }

    /// `size` bytes from `offset`.
    fn slice(&mut self, layer: &Layer<'_>, offset: u64, size: u64) -> Result<Vec<u8>> {
        if size == 0 {
            return Ok(Vec::new());
        }
        let file = match &mut self.bytes {
            Some(bytes) => bytes,
            none => none.insert(files::read(self.path, self.budget.limit)?),
        };
        let range = usize::try_from(offset).ok().and_then(|start| {
            let end = start.checked_add(usize::try_from(size).ok()?)?;
            file.get(start..end)
        });
        let Some(part) = range else {
            let what = format!(
                "`offset` {offset} and `size` {size} reach beyond the {} bytes of {}",
                file.len(),
                self.path.display()
            );
            return Err(Fault::model(Some(layer.name), what).into());
        };
        self.budget.take(part.len())?;
        Ok(files::copy(part)?)
    }
}

/// Strings as the `.bin` packs them: their number, where each begins and the last ends, then the bytes; 32-bit integers.
fn strings(bytes: &[u8], count: usize) -> Result<Vec<String>, Fault> {
    let malformed = || Fault::Format("packed strings do not fit their offsets".into());
    let word = |at: usize| {
        let start = at.checked_mul(4)?;
        let word = bytes.get(start..start.checked_add(4)?)?;
        usize::try_from(i32::from_le_bytes(word.try_into().ok()?)).ok()
    };
    if count == 0 {
        return Ok(Vec::new());
    }
    if word(0) != Some(count) {
        return Err(malformed());
    }
    let text = count
        .checked_add(2)
        .and_then(|words| bytes.get(words.checked_mul(4)?..))
        .ok_or_else(malformed)?;
    let part = |at: usize| text.get(word(at + 1)?..word(at + 2)?);
    let parts = (0..count).map(|at| {
        let part = part(at).ok_or_else(malformed)?;
        str::from_utf8(part)
            .map_err(|_| Fault::Format(format!("the string at position {at} is not UTF-8")))
    });
    let total = parts.clone().try_fold(0, |sum: u64, part| {
        Ok::<_, Fault>(sum.saturating_add(part?.len() as u64))
    })?;
    files::admit(total.saturating_add(files::STRING_BYTES * count as u64))?;
    parts.map(|part| part.map(String::from)).collect()
}
