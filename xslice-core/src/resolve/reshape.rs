//! Reshape, Squeeze and Unsqueeze: the dimensions afterwards.

use super::{Entries, Params, Values, axis_repeated, list_or_scalar, normalize_axis};
use crate::error::{Error, ErrorKind, counted};
use crate::list::List;
use crate::op::{Op, Reshape, ReshapeRule};
use crate::tensor::element_count;
use alloc::{format, string::String, vec};

/// The dimensions after a Reshape, Squeeze or Unsqueeze.
pub(crate) fn reshaped(
    op: &Op,
    reshape: &Reshape,
    known: Params<'_>,
    dims: &[usize],
) -> Result<List<usize>, Error> {
    let values = parameter(op, reshape, known)?.map(Entries::all_given);
    match (reshape.rule, values) {
        (ReshapeRule::Reshape { zero_copies }, values) => {
            reshape_dims(&values.unwrap_or_default(), zero_copies, dims)
        }
        (ReshapeRule::Squeeze { keeps_others }, axes) => match axes.unwrap_or_default() {
            axes if axes.is_empty() => Ok(dims.iter().copied().filter(|&dim| dim != 1).collect()),
            axes => squeeze_dims(&axes, keeps_others, dims),
        },
        (ReshapeRule::Unsqueeze, axes) => unsqueeze_dims(&axes.unwrap_or_default(), dims),
    }
}

/// The dimensions, or the axes: of these there may be one alone, as OpenVINO's text says and ONNX Runtime reads them.
pub(super) fn parameter<'a>(
    op: &Op,
    reshape: &Reshape,
    known: Params<'a>,
) -> Result<Values<'a>, Error> {
    let are_axes = !matches!(reshape.rule, ReshapeRule::Reshape { .. });
    list_or_scalar(op, reshape.rule.parameter(), known, are_axes)
}

fn reshape_dims(values: &[i128], zero_copies: bool, dims: &[usize]) -> Result<List<usize>, Error> {
    let refuse = |text: String| {
        Error::new(ErrorKind::Reshape, text)
            .parameter("shape")
            .value(format!("{values:?}"))
    };
    let mut result = List::new();
    let mut free = None;
    for (at, &value) in values.iter().enumerate() {
        match value {
            -1 if free.is_none() => {
                free = Some(at);
                result.push(1);
            }
            -1 => {
                return Err(
                    refuse(format!("`shape[{at}]` = -1 is the second -1")).allowed("one -1")
                );
            }
            0 if zero_copies => match dims.get(at) {
                Some(&dim) => result.push(dim),
                None => {
                    let rank = dims.len();
                    let text = format!(
                        "`shape[{at}]` = 0 copies an axis that data of rank {rank} does not have"
                    );
                    return Err(refuse(text).allowed(format!("0 in the first {rank} places")));
                }
            },
            _ => match usize::try_from(value) {
                Ok(dim) => result.push(dim),
                Err(_) => {
                    return Err(refuse(format!("`shape[{at}]` = {value}")).allowed("-1 or more"));
                }
            },
        }
    }
    let (count, rest) = (element_count(dims)?, element_count(&result)?);
    if let Some(at) = free {
        if rest == 0 || count % rest != 0 {
            let text = format!(
                "{count} elements of {dims:?} leave no dimension for `shape[{at}]` = -1 in {values:?}"
            );
            return Err(refuse(text).allowed(match rest {
                0 => String::from("no -1 where another dimension is 0"),
                _ => format!("dimensions that divide {count}"),
            }));
        }
        result[at] = count / rest;
    } else if count != rest {
        let elements = counted(count, "element", "elements");
        let text = format!("{dims:?} has {elements} but {values:?} has {rest}");
        return Err(refuse(text).allowed(elements));
    }
    Ok(result)
}

fn squeeze_dims(axes: &[i128], keeps_others: bool, dims: &[usize]) -> Result<List<usize>, Error> {
    let mut dropped = vec![false; dims.len()];
    for (at, &axis) in axes.iter().enumerate() {
        let axis = normalize_axis(axis, dims.len(), "axes", Some(at))?;
        if dims[axis] != 1 && !keeps_others {
            let text = format!("axis {axis} has size {} and cannot be squeezed", dims[axis]);
            return Err(Error::new(ErrorKind::Reshape, text)
                .parameter("axes")
                .axis(axis)
                .position(at)
                .value(dims[axis])
                .allowed("size 1"));
        }
        dropped[axis] = dims[axis] == 1;
    }
    Ok(dims
        .iter()
        .zip(dropped)
        .filter(|(_, dropped)| !dropped)
        .map(|(&dim, _)| dim)
        .collect())
}

fn unsqueeze_dims(axes: &[i128], dims: &[usize]) -> Result<List<usize>, Error> {
    let rank = dims.len() + axes.len();
    let mut inserted = vec![false; rank];
    for (at, &axis) in axes.iter().enumerate() {
        let normalized = normalize_axis(axis, rank, "axes", Some(at))?;
        if core::mem::replace(&mut inserted[normalized], true) {
            return Err(axis_repeated("axes", at, axis, normalized));
        }
    }
    let mut old = dims.iter().copied();
    Ok(inserted
        .into_iter()
        .map(|new| if new { 1 } else { old.next().unwrap_or(1) })
        .collect())
}
