//! Constants and entries of brackets as the notation writes them: in programs that print, and in refusals that show what to write.

use super::{Entry, Param};
use crate::elem::ElementType;
use crate::tensor::Tensor;
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

/// Elements of a constant that are written one by one.
pub(crate) const ELEMENTS: usize = 64;

/// Lists, and computed indices, inside one another, at most: the notation reads no more.
pub(crate) const DEEPEST: usize = 16;

/// An entry of a bracket. A value of a program prints as `@(...)`.
pub(crate) fn entry(entry: &Entry) -> String {
    let bound = |bound: &Option<i64>| bound.map(|value| value.to_string()).unwrap_or_default();
    match entry {
        Entry::Integer(value) => value.to_string(),
        Entry::Slice { start, end, step } => {
            let step = step.map(|step| format!(":{step}")).unwrap_or_default();
            format!("{}:{}{step}", bound(start), bound(end))
        }
        Entry::Ellipsis => String::from("..."),
        Entry::NewAxis => String::from("newaxis"),
        Entry::Gather(Param::Constant(indices)) => constant(indices, ELEMENTS),
        Entry::Gather(Param::Operand(name)) => format!("@{}", name.escape_debug()),
        Entry::Gather(Param::Value(_)) => String::from("@(...)"),
    }
}

/// A constant: a number or nested lists; one of another kind, or of more than `most` elements, by its type.
pub(crate) fn constant(tensor: &Tensor, most: usize) -> String {
    let shape = tensor.shape();
    let size = shape
        .iter()
        .fold(1usize, |size, &dim| size.saturating_mul(dim.max(1)));
    let is_short = size <= most && shape.len() <= DEEPEST;
    match is_short.then(|| scalars(tensor)).flatten() {
        Some(scalars) => {
            let mut out = String::new();
            nested(shape, &mut scalars.into_iter(), &mut out);
            out
        }
        None => tensor_type(tensor),
    }
}

/// `f32[2, 3]`: the type of a constant.
pub(crate) fn tensor_type(tensor: &Tensor) -> String {
    let dims: Vec<_> = tensor.shape().iter().map(ToString::to_string).collect();
    type_text(tensor.element_type(), &dims.join(", "))
}

/// `f32[2, 3]`: an element type with its dimensions, as they are written; a scalar has none.
pub(crate) fn type_text(ty: ElementType, dims: &str) -> String {
    match dims {
        "" => ty.to_string(),
        dims => format!("{ty}[{dims}]"),
    }
}

/// Each element as the notation writes it; `None` for types that it has no literals for.
fn scalars(tensor: &Tensor) -> Option<Vec<String>> {
    let bytes = tensor.bytes();
    let in_list = !tensor.shape().is_empty();
    match tensor.element_type() {
        ElementType::F32 => {
            let (values, _) = bytes.as_chunks::<4>();
            let values = values.iter().map(|bits| f32::from_ne_bytes(*bits));
            Some(
                values
                    .map(|value| float(value.into(), format!("{value:?}"), in_list))
                    .collect(),
            )
        }
        ElementType::F64 => {
            let (values, _) = bytes.as_chunks::<8>();
            let values = values.iter().map(|bits| f64::from_ne_bytes(*bits));
            Some(
                values
                    .map(|value| float(value, format!("{value:?}"), in_list))
                    .collect(),
            )
        }
        ElementType::U64 => {
            let (values, _) = bytes.as_chunks::<8>();
            Some(
                values
                    .iter()
                    .map(|bits| u64::from_ne_bytes(*bits).to_string())
                    .collect(),
            )
        }
        _ => Some(tensor.integers()?.iter().map(ToString::to_string).collect()),
    }
}

/// A float as it is `shown`; in a list, which holds integers only, a whole one as an integer.
fn float(value: f64, shown: String, in_list: bool) -> String {
    let whole = value as i64;
    if in_list && (whole as f64).to_bits() == value.to_bits() {
        return whole.to_string();
    }
    shown
}

fn nested(shape: &[usize], scalars: &mut impl Iterator<Item = String>, out: &mut String) {
    let Some((&len, inner)) = shape.split_first() else {
        out.push_str(&scalars.next().unwrap_or_default());
        return;
    };
    out.push('[');
    for at in 0..len {
        if at > 0 {
            out.push_str(", ");
        }
        nested(inner, scalars, out);
    }
    out.push(']');
}
