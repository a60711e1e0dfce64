//! The notation's bracket: integers, slices as Python resolves them, one gather.

use super::{AxisIndex, bounded, element, step_zero};
use crate::error::{Error, ErrorKind};
use crate::op::{Entry, Index, Op, Param};
use alloc::{format, vec::Vec};

/// Row 41 and the bracket rules that need no shape.
pub(super) fn validate(index: &Index) -> Result<(), Error> {
    let count =
        |wanted: fn(&Entry) -> bool| index.entries.iter().filter(|entry| wanted(entry)).count();
    if index.entries.is_empty() {
        return Err(Error::new(ErrorKind::Syntax, "an empty bracket").hint("the whole is `[...]`"));
    }
    if count(|entry| matches!(entry, Entry::Ellipsis)) > 1 {
        return Err(
            Error::new(ErrorKind::TwoEllipses, "two ellipses in one bracket").allowed("one `...`"),
        );
    }
    let gathers = count(|entry| matches!(entry, Entry::Gather(_)));
    if gathers > 1 {
        return Err(
            Error::new(ErrorKind::TwoGathers, "two gathers in one bracket")
                .allowed("one `@name` or list a bracket")
                .hint("NumPy would pair the lists; write a chain such as `x[[0, 2]][:, [0, 2]]`"),
        );
    }
    for (at, entry) in index.entries.iter().enumerate() {
        if let Entry::Slice { step: Some(0), .. } = entry {
            return Err(step_zero("step", at));
        }
        if let Entry::Gather(Param::Constant(tensor)) = entry {
            Op::Index(index.clone()).check_param_type("indices", tensor.element_type())?;
        }
    }
    if gathers == 1 {
        mixed_gather(&index.entries)
    } else {
        Ok(())
    }
}

/// An integer beside a gather is fine where only integers stand between the two.
fn mixed_gather(entries: &[Entry]) -> Result<(), Error> {
    let advanced = |entry: &Entry| matches!(entry, Entry::Integer(_) | Entry::Gather(_));
    let first = entries.iter().position(advanced).unwrap_or(0);
    let last = entries.iter().rposition(advanced).unwrap_or(0);
    if entries[first..=last].iter().all(advanced) {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::MixedGather,
        "an integer and a gather with a slice, ellipsis or newaxis between them",
    )
    .allowed("an integer directly beside the gather")
    .hint(
        "NumPy would move the gathered axis to the front; write a chain such as `x[0][:, [0, 2]]`",
    ))
}

pub(super) fn axes(index: &Index, dims: &[usize]) -> Result<Vec<AxisIndex>, Error> {
    let consumes = |entry: &&Entry| !matches!(entry, Entry::Ellipsis | Entry::NewAxis);
    let real = index.entries.iter().filter(consumes).count();
    if real > dims.len() {
        return Err(Error::new(
            ErrorKind::TooManyIndices,
            format!("{real} indices for data with {} axes", dims.len()),
        )
        .value(real)
        .allowed(format!("0..={} indices", dims.len())));
    }
    let mut result = Vec::with_capacity(dims.len() + index.entries.len());
    let mut axis = 0;
    for (at, entry) in index.entries.iter().enumerate() {
        match entry {
            Entry::NewAxis => {
                result.push(AxisIndex::NewAxis);
                continue;
            }
            Entry::Ellipsis => {
                let skipped = dims.len() - real;
                result.extend(
                    dims[axis..axis + skipped]
                        .iter()
                        .map(|&dim| AxisIndex::whole(dim)),
                );
                axis += skipped;
                continue;
            }
            Entry::Integer(value) => {
                result.push(AxisIndex::Fixed(
                    element(*value, axis, dims[axis]).map_err(|error| error.position(at))?,
                ));
            }
            // Row 40: as Python's `slice.indices`.
            Entry::Slice { start, end, step } => {
                result.push(bounded(*start, *end, step.unwrap_or(1), dims[axis], -1));
            }
            Entry::Gather(_) => result.push(AxisIndex::Gather),
        }
        axis += 1;
    }
    result.extend(dims[axis..].iter().map(|&dim| AxisIndex::whole(dim)));
    Ok(result)
}
