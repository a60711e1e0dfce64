//! What a signature says of buffers: layouts, and whether they are what was declared.

use crate::access::Access;
use crate::elem::ElementType;
use crate::error::{Error, ErrorKind};
use crate::program::Declared;
use crate::signature::Layout;
use crate::tensor::element_count;
use alloc::{format, string::String};

pub(super) fn layout_access(layout: &Layout, dims: &[usize]) -> Access {
    if dims.contains(&0) {
        return Access::fixed(0, dims.len());
    }
    // A stride that no step takes may be any number; only those that count are known to fit.
    let strides = layout.strides.iter().zip(dims);
    let strides = strides
        .map(|(&stride, &dim)| if dim == 1 { 0 } else { stride as i64 })
        .collect();
    Access::affine(layout.offset as i64, strides)
}

/// Elements that a buffer of this layout has at least.
pub(super) fn layout_len(layout: &Layout, dims: &[usize]) -> Result<usize, Error> {
    let refuse = |text: String| Error::new(ErrorKind::OperandLayout, text);
    if layout.strides.len() != dims.len() {
        return Err(refuse(format!(
            "{} strides for shape {dims:?}",
            layout.strides.len()
        ))
        .value(layout.strides.len())
        .allowed(format!("{} strides", dims.len())));
    }
    element_count(dims)?;
    if dims.contains(&0) {
        return Ok(0);
    }
    let (mut low, mut high) = (layout.offset as i128, layout.offset as i128);
    for (&stride, &dim) in layout.strides.iter().zip(dims) {
        let reach = stride as i128 * (dim as i128 - 1);
        if reach < 0 {
            low += reach
        } else {
            high += reach
        }
    }
    if low < 0 {
        return Err(refuse(format!(
            "strides {:?} from offset {} reach position {low}",
            layout.strides, layout.offset
        ))
        .value(low)
        .allowed("positions from 0 on")
        .hint("a negative stride starts at the far end: raise the offset"));
    }
    match isize::try_from(high) {
        Ok(high) if high < isize::MAX => Ok(high as usize + 1),
        _ => Err(crate::tensor::too_large(&format!(
            "strides reach position {high}"
        ))),
    }
}

/// Compares an operand with what was declared.
pub(super) fn expect_operand(
    declared: Option<&Declared>,
    name: &str,
    ty: ElementType,
    shape: &[usize],
) -> Result<(), Error> {
    let Some(declared) = declared else {
        return Ok(());
    };
    let refuse = |kind, text| Error::new(kind, text).parameter(String::from(name));
    if declared.element_type != ty {
        let text = format!("`{name}` has element type {ty}");
        return Err(refuse(ErrorKind::OperandType, text)
            .value(ty)
            .allowed(declared.element_type.name()));
    }
    if declared.admits(shape) {
        return Ok(());
    }
    let text = format!("`{name}` has shape {shape:?}");
    Err(refuse(ErrorKind::OperandShape, text)
        .value(format!("{shape:?}"))
        .allowed(declared.shape_text()))
}

/// Compares the result with what the program expects.
pub(super) fn expect_result(
    expected: Option<&Declared>,
    ty: ElementType,
    shape: &[usize],
) -> Result<(), Error> {
    match expected {
        Some(expected) if expected.element_type != ty || !expected.admits(shape) => {
            let given = format!("{ty}{shape:?}");
            let declared = format!("{}{}", expected.element_type, expected.shape_text());
            Err(Error::new(
                ErrorKind::ResultType,
                format!("the result is {given}, not {declared}"),
            )
            .parameter("result")
            .value(given)
            .allowed(declared))
        }
        _ => Ok(()),
    }
}
