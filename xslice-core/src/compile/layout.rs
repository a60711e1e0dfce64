//! What a signature says of buffers: layouts, and whether they are what was declared.

use crate::access::Access;
use crate::elem::ElementType;
use crate::error::{Error, ErrorKind};
use crate::program::{Declared, Layout};
use crate::tensor::element_count;
use alloc::{format, string::String, vec::Vec};

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

/// Compares what is given with what was declared.
pub(super) fn expect_type(
    declared: Option<&Declared>,
    ty: ElementType,
    shape: &[usize],
    what: &str,
) -> Result<(), Error> {
    let Some(declared) = declared else {
        return Ok(());
    };
    if declared.element_type != ty {
        return Err(Error::new(
            ErrorKind::OperandType,
            format!("{what} has element type {ty}"),
        )
        .value(ty)
        .allowed(declared.element_type.name()));
    }
    let Some(dims) = &declared.shape else {
        return Ok(());
    };
    let fits = dims.len() == shape.len()
        && dims
            .iter()
            .zip(shape)
            .all(|(dim, given)| dim.is_none_or(|dim| dim == *given));
    if fits {
        return Ok(());
    }
    let words: Vec<_> = dims
        .iter()
        .map(|dim| dim.map_or_else(|| String::from("?"), |dim| format!("{dim}")))
        .collect();
    Err(Error::new(
        ErrorKind::OperandShape,
        format!("{what} has shape {shape:?}"),
    )
    .value(format!("{shape:?}"))
    .allowed(format!("[{}]", words.join(", "))))
}
