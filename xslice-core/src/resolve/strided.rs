//! StridedSlice: entries, mask bits, and the axes that they mean.

use super::{
    AxisIndex, Entries, Lists, Values, axes_of, bounded, first, progression, step_zero,
    too_many_entries, within,
};
use crate::error::{Error, ErrorKind};
use crate::index::from_start;
use crate::list::List;
use crate::op::{Dialect, OpenVinoStridedSlice};
use crate::tensor::MOST_AXES;
use alloc::{format, vec::Vec};

/// What one entry of a StridedSlice is, after its mask bits.
pub(super) enum Slot {
    Ellipsis,
    NewAxis,
    /// Its index as it is given; `None` is element 0, by a begin mask bit.
    Shrink(Option<i128>),
    Plain {
        begin: Option<i64>,
        end: Option<i64>,
        stride: i64,
        one: Option<i64>,
    },
}

/// Row 33: masks hold 0 and 1. Each value that is neither, as far as a mask may have entries to bear on.
pub(super) fn masks(slice: &OpenVinoStridedSlice) -> impl Iterator<Item = Error> {
    let refused = |name: &'static str, at: usize, bit: i64| {
        Error::new(ErrorKind::MaskValue, format!("`{name}[{at}]` = {bit}"))
            .parameter(name)
            .position(at)
            .value(bit)
            .allowed("0 or 1")
    };
    slice.masks().into_iter().flat_map(move |(name, mask)| {
        let wrong = mask.iter().enumerate();
        let wrong = wrong.filter(|(_, bit)| !matches!(**bit, 0 | 1));
        wrong
            .take(MOST_AXES)
            .map(move |(at, bit)| refused(name, at, *bit))
    })
}

/// The entries with their masks applied; lists that are not known yet, or too short, read as 1 (so that nothing is refused for them).
pub(super) fn slots(
    slice: &OpenVinoStridedSlice,
    lists: &Lists<'_, 3>,
    entries: usize,
    refusals: &mut Vec<Error>,
) -> Vec<Slot> {
    // Row 32: masks are extended by zeros, surplus bits are ignored.
    let bit = |mask: &[i64], at: usize| mask.get(at).is_some_and(|&bit| bit == 1);
    let &Lists([begin, end, stride]) = lists;
    let value = |list: Values<'_>, at: usize| list.and_then(|list| list.get(at)).unwrap_or(1);
    let given = |list: Values<'_>, at: usize| list.map_or(1, |list| list.given(at));
    let mut ellipses = 0;
    let mut slots = Vec::with_capacity(entries);
    for at in 0..entries {
        let (begin_bit, end_bit) = (bit(&slice.begin_mask, at), bit(&slice.end_mask, at));
        // Row 31: ellipsis over new axis over shrink.
        slots.push(if bit(&slice.ellipsis_mask, at) {
            ellipses += 1;
            Slot::Ellipsis
        } else if bit(&slice.new_axis_mask, at) {
            Slot::NewAxis
        } else if bit(&slice.shrink_axis_mask, at) {
            // Row 30: a begin mask bit means element 0.
            Slot::Shrink((!begin_bit).then_some(given(begin, at)))
        } else {
            // Row 25 in the dialect: compared as given.
            let text = slice.dialect == Dialect::OpenVinoText;
            let is_one = text && given(begin, at) == given(end, at) && !begin_bit && !end_bit;
            let (begin, end, stride) = (value(begin, at), value(end, at), value(stride, at));
            // Row 34: on an empty dimension too.
            if stride == 0 {
                refusals.push(step_zero("stride", at));
            }
            // Row 26 in the dialect: a reversed end mask stops before element 0.
            let masked_end = if text && stride < 0 { Some(0) } else { None };
            Slot::Plain {
                begin: (!begin_bit).then_some(begin),
                end: if end_bit { masked_end } else { Some(end) },
                stride,
                one: is_one.then_some(begin),
            }
        });
    }
    if ellipses > 1 {
        let text = format!("`ellipsis_mask` sets {ellipses} bits");
        refusals.push(
            Error::new(ErrorKind::EllipsisMask, text)
                .parameter("ellipsis_mask")
                .value(ellipses)
                .allowed("one bit at most"),
        );
    }
    slots
}

pub(super) fn axes(
    slice: &OpenVinoStridedSlice,
    lists: &Lists<'_, 3>,
    dims: &[usize],
) -> Result<List<AxisIndex>, Error> {
    let entries = lists.0[0].map_or(0, Entries::len);
    let mut refusals = Vec::new();
    let slots = slots(slice, lists, entries, &mut refusals);
    first(refusals)?;
    // Row 33: rank 0 is the identity.
    if dims.is_empty() {
        return Ok(List::new());
    }
    // Row 32: only new-axis bits of entries count; row 37: such an entry consumes no dimension.
    let real = slots
        .iter()
        .filter(|slot| matches!(slot, Slot::Shrink(_) | Slot::Plain { .. }))
        .count();
    if real > dims.len() {
        return Err(too_many_real(real, entries, dims.len()));
    }
    let mut result = List::new();
    let mut axis = 0;
    for (at, slot) in slots.into_iter().enumerate() {
        match slot {
            Slot::NewAxis => result.push(AxisIndex::NewAxis),
            Slot::Ellipsis => {
                let skipped = dims.len() - real;
                result.extend(AxisIndex::wholes(&dims[axis..axis + skipped]));
                axis += skipped;
            }
            Slot::Shrink(begin) => {
                result.push(AxisIndex::Fixed(shrink(
                    begin,
                    at,
                    axis,
                    dims[axis],
                    slice.dialect,
                )?));
                axis += 1;
            }
            Slot::Plain {
                begin,
                end,
                stride,
                one,
            } => {
                result.push(match one {
                    Some(begin) if dims[axis] > 0 => progression(clamped(begin, dims[axis]), 1, 1),
                    _ => bounded(begin, end, stride, dims[axis], 0),
                });
                axis += 1;
            }
        }
    }
    // Row 33: fewer entries than dimensions, the rest whole.
    result.extend(AxisIndex::wholes(&dims[axis..]));
    Ok(result)
}

/// Wrapped and clamped into a dimension of at least 1.
fn clamped(index: impl Into<i128>, dim: usize) -> i128 {
    from_start(index, dim).clamp(0, dim as i128 - 1)
}

/// Rows 29, 36: only `begin` counts; out of range is an error, or clamps in the dialect (not into an empty axis).
fn shrink(
    begin: Option<i128>,
    at: usize,
    axis: usize,
    dim: usize,
    dialect: Dialect,
) -> Result<i64, Error> {
    // Row 30: what a begin mask bit sets is not what `begin` says.
    let (begin, named) = match begin {
        Some(begin) => (begin, Some(("begin", at))),
        None => (0, None),
    };
    if dialect == Dialect::OpenVinoText && dim > 0 {
        return Ok(i64::try_from(clamped(begin, dim)).unwrap_or_default());
    }
    within(begin, named, axis, dim).map_err(|error| error.parameter("begin").position(at))
}

/// Row 33: entries that are an ellipsis or a new axis take no axis of the data, and are not among those that are too many.
fn too_many_real(real: usize, entries: usize, rank: usize) -> Error {
    if real == entries {
        return too_many_entries("begin", entries, rank);
    }
    let data = axes_of(rank);
    Error::new(
        ErrorKind::TooManyEntries,
        format!("{real} entries of `begin` take an axis but the data has {data}"),
    )
    .parameter("begin")
    .value(real)
    .allowed(format!("0..={rank} that are no new axis or ellipsis"))
}
