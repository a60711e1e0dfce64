//! What a signature says of buffers: layouts, and whether they are what was declared.

use crate::access::{Access, widen};
use crate::elem::ElementType;
use crate::error::{Error, ErrorKind, counted};
use crate::nest::verify::is_injective;
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

/// Elements of that type that a buffer of this layout has at least.
pub(super) fn layout_len(layout: &Layout, dims: &[usize], ty: ElementType) -> Result<usize, Error> {
    let refuse = |text: String| Error::new(ErrorKind::OperandLayout, text);
    if layout.strides.len() != dims.len() {
        let strides_of = |rank| counted(rank, "stride", "strides");
        let given = layout.strides.len();
        return Err(refuse(format!("{} for shape {dims:?}", strides_of(given)))
            .value(given)
            .allowed(strides_of(dims.len())));
    }
    element_count(dims)?;
    if dims.contains(&0) {
        return Ok(0);
    }
    let first = (layout.offset as i128, layout.offset as i128);
    let axes = layout.strides.iter().zip(dims);
    let (low, high) = axes.fold(first, |span, (&stride, &dim)| {
        widen(span, stride as i64, dim as i128)
    });
    let reaches = |position: i128| {
        format!(
            "strides {:?} from offset {} reach position {position}",
            layout.strides, layout.offset
        )
    };
    if low < 0 {
        return Err(refuse(reaches(low))
            .value(low)
            .allowed("positions from 0 on")
            .hint("a negative stride starts at the far end: raise the offset"));
    }
    // As many elements have bytes that memory can hold.
    let most = isize::MAX as usize / ty.size();
    match usize::try_from(high) {
        Ok(high) if high < most => Ok(high + 1),
        _ => Err(Error::new(ErrorKind::TooLarge, reaches(high))
            .value(high)
            .allowed(format!("positions 0..={} of {ty}", most - 1))),
    }
}

/// Refuses a result whose strides might put two elements in one place, as (I4) does; here the strides and the axis are known by name.
pub(super) fn expect_distinct(layout: &Layout, dims: &[usize]) -> Result<(), Error> {
    if dims.contains(&0) {
        return Ok(());
    }
    let access = layout_access(layout, dims);
    let turns = |axis: usize| (dims[axis], access.strides[axis]);
    let Err((axis, span)) = is_injective(dims.len(), turns, 1) else {
        return Ok(());
    };
    let (strides, stride) = (&layout.strides, layout.strides[axis]);
    let text = format!(
        "strides {strides:?} of shape {dims:?} might write one element twice: that of axis {axis} is {stride}"
    );
    Err(Error::new(ErrorKind::OperandLayout, text)
        .axis(axis)
        .position(axis)
        .value(stride)
        .allowed(format!("{span} or more, or -{span} or less"))
        .hint("give each stride at least the span of the axes below it"))
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
        .allowed(format!("[{}]", declared.dims_text())))
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
            let declared = format!("{}[{}]", expected.element_type, expected.dims_text());
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
