//! The description of a case as notation, for cases that no one has written.

use crate::cases::describe::{At, Case, Source, Step, Value};
use xslice::{Dialect, ElementType, Tensor};

/// `<f32[2, 3], ids: i64[4]> x[1:] |> ...`
pub fn text(case: &Case) -> String {
    let ty = |tensor: &Tensor| {
        let dims: Vec<_> = tensor.shape().iter().map(ToString::to_string).collect();
        format!("{}[{}]", tensor.element_type(), dims.join(", "))
    };
    let mut types = Vec::new();
    let mut operands = case.operands.iter();
    if let Source::Range(scalars, _) = &case.value.source {
        types.push(constant(&scalars[0]).element_type().to_string());
    } else {
        types.extend(operands.next().map(|(_, tensor)| ty(tensor)));
    }
    types.extend(operands.map(|(name, tensor)| format!("{name}: {}", ty(tensor))));
    let mut text = format!("<{}> {}", types.join(", "), source(&case.value.source));
    for step in &case.value.steps {
        text += &stage(step);
    }
    text
}

fn source(source: &Source) -> String {
    match source {
        Source::Operand(name) => name.clone(),
        Source::Constant(_) => panic!("a constant as data"),
        Source::Range(scalars, dialect) => {
            let [start, limit, delta] = scalars.each_ref().map(|value| number(constant(value)));
            let dialect = said(*dialect);
            format!("onnx::Range@11(start = {start}, limit = {limit}, delta = {delta}{dialect})")
        }
    }
}

fn constant(value: &Value) -> &Tensor {
    match &value.source {
        Source::Constant(tensor) => tensor,
        Source::Operand(_) | Source::Range(..) => panic!("no constant: {value:?}"),
    }
}

fn number(tensor: &Tensor) -> String {
    let bytes = tensor.bytes();
    match tensor.element_type() {
        ElementType::F32 => format!("{:?}", f32::from_le_bytes(bytes.try_into().expect("one"))),
        ElementType::F64 => format!("{:?}", f64::from_le_bytes(bytes.try_into().expect("one"))),
        _ => tensor.integer(0).expect("an integer").to_string(),
    }
}

fn said(dialect: Dialect) -> String {
    match dialect {
        Dialect::Standard => String::new(),
        other => format!(", dialect = {}", other.name()),
    }
}

fn stage(step: &Step) -> String {
    let named = |names: &[&str], values: &[Option<Value>]| {
        let given = names.iter().zip(values);
        let given = given.filter_map(|(name, value)| Some((name, value.as_ref()?)));
        given
            .map(|(name, value)| format!("{name} = {}", list(value)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    match step {
        Step::Slice {
            version,
            params,
            dialect,
        } => {
            let arguments = named(&["starts", "ends", "axes", "steps"], params);
            format!(" |> onnx::Slice@{version}({arguments}{})", said(*dialect))
        }
        Step::OpenVinoSlice(params) => {
            format!(
                " |> openvino::Slice@8({})",
                named(&["start", "stop", "step", "axes"], params)
            )
        }
        Step::StridedSlice {
            params,
            masks,
            dialect,
        } => {
            let names = [
                "begin_mask",
                "end_mask",
                "new_axis_mask",
                "shrink_axis_mask",
                "ellipsis_mask",
            ];
            let masks: String = names
                .iter()
                .zip(masks)
                .filter(|(_, mask)| !mask.is_empty())
                .map(|(name, mask)| format!(", {name} = {mask:?}"))
                .collect();
            let arguments = named(&["begin", "end", "stride"], params);
            format!(
                " |> openvino::StridedSlice@1({arguments}{masks}{})",
                said(*dialect)
            )
        }
        Step::Gather {
            version,
            axis,
            indices,
        } => {
            format!(
                " |> onnx::Gather@{version}(indices = {}, axis = {axis})",
                list(indices)
            )
        }
        Step::Index(entries) => {
            let entries: Vec<_> = entries.iter().map(entry).collect();
            format!(" |> [{}]", entries.join(", "))
        }
        Step::Reshape(_) | Step::Squeeze(_) | Step::Unsqueeze(_) => panic!("not in the notation"),
    }
}

fn entry(at: &At) -> String {
    match at {
        At::Int(index) => index.to_string(),
        At::Slice([start, end, step]) => {
            let bound =
                |bound: &Option<i64>| bound.map(|value| value.to_string()).unwrap_or_default();
            format!("{}:{}:{}", bound(start), bound(end), bound(step))
        }
        At::Dots => String::from("..."),
        At::New => String::from("newaxis"),
        At::Gather(value) => list(value),
    }
}

/// `@ids`, `3`, `[[0, 1], [2, 3]]`
fn list(value: &Value) -> String {
    assert!(value.steps.is_empty(), "computed indices");
    match &value.source {
        Source::Operand(name) => format!("@{name}"),
        Source::Constant(tensor) => {
            let integers = tensor.integers().expect("integers");
            nested(tensor.shape(), &integers)
        }
        Source::Range(..) => panic!("computed indices"),
    }
}

fn nested(shape: &[usize], values: &[i64]) -> String {
    let Some((&len, inner)) = shape.split_first() else {
        return values[0].to_string();
    };
    let size: usize = inner.iter().product();
    let parts: Vec<_> = (0..len)
        .map(|at| nested(inner, &values[at * size..][..size]))
        .collect();
    format!("[{}]", parts.join(", "))
}
