//! The notation's bracket: integers, slices as Python resolves them, one gather.
//!
//! A bracket out of a text and one out of a builder are refused in the same words; a text adds where.

use super::{AxisIndex, axes_of, bounded, element, step_zero};
use crate::error::{Error, ErrorKind, counted};
use crate::list::List;
use crate::op::{Entry, Index, Op, Param, text};
use alloc::{format, string::String, vec::Vec};

/// The rules that need no shape.
pub(super) fn validate(op: &Op, index: &Index) -> impl Iterator<Item = Error> {
    let types = index.entries.iter().filter_map(|entry| match entry {
        Entry::Gather(Param::Constant(tensor)) => {
            op.check_param_type("indices", tensor.element_type()).err()
        }
        Entry::Gather(_) | Entry::Integer(_) | Entry::Slice { .. } => None,
        Entry::Ellipsis | Entry::NewAxis => None,
    });
    let rules = refusals(&index.entries).into_iter().map(|(_, error)| error);
    rules.chain(types)
}

/// What is wrong with the entries of a bracket, and which entry it is (0 for the bracket as a whole), in order.
///
/// Rules: at least one entry, no step 0, at most one ellipsis and one gather, and beside a gather only integers that no slice,
/// ellipsis or newaxis separates from it (row 41).
pub(crate) fn refusals(entries: &[Entry]) -> Vec<(usize, Error)> {
    let mut refusals = Vec::new();
    if entries.is_empty() {
        let error = Error::new(ErrorKind::Syntax, "an empty bracket").hint("the whole is `[...]`");
        refusals.push((0, error));
    }
    let (mut ellipses, mut gathers) = (0, 0);
    for (at, entry) in entries.iter().enumerate() {
        match entry {
            Entry::Slice { step: Some(0), .. } => refusals.push((at, step_zero("step", at))),
            Entry::Ellipsis => {
                ellipses += 1;
                if ellipses == 2 {
                    refusals.push((at, two_ellipses()));
                }
            }
            Entry::Gather(_) => {
                gathers += 1;
                if gathers == 2 {
                    refusals.push((at, two_gathers()));
                }
            }
            Entry::Integer(_) | Entry::Slice { .. } | Entry::NewAxis => {}
        }
    }
    if gathers == 1 && ellipses < 2 {
        refusals.extend(mixed_gather(entries));
    }
    let named = |(at, error): (usize, Error)| (at, error.operator("index").position(at));
    refusals.into_iter().map(named).collect()
}

fn two_ellipses() -> Error {
    Error::new(ErrorKind::TwoEllipses, "two ellipses in one bracket").allowed("one `...`")
}

fn two_gathers() -> Error {
    Error::new(ErrorKind::TwoGathers, "two gathers in one bracket")
        .allowed("one `@name` or list a bracket")
        .hint("NumPy would pair the lists; write a chain such as `x[[0, 2]][:, [0, 2]]`")
}

/// An integer with something else than integers between it and the gather.
fn mixed_gather(entries: &[Entry]) -> Option<(usize, Error)> {
    let gather = entries
        .iter()
        .position(|entry| matches!(entry, Entry::Gather(_)))?;
    let is_integer = |entry: &Entry| matches!(entry, Entry::Integer(_));
    let joined_before = entries[..gather]
        .iter()
        .rev()
        .take_while(|entry| is_integer(entry))
        .count();
    let joined_after = entries[gather + 1..]
        .iter()
        .take_while(|entry| is_integer(entry))
        .count();
    let joined = gather - joined_before..=gather + joined_after;
    let at = (0..entries.len()).find(|at| is_integer(&entries[*at]) && !joined.contains(at))?;
    let Entry::Integer(value) = entries[at] else {
        return None;
    };
    let text = "an integer and a gather with a slice, ellipsis or newaxis between them";
    let error = Error::new(ErrorKind::MixedGather, text)
        .value(value)
        .allowed("an integer directly beside the gather")
        .hint(format!(
            "NumPy would move axes; write the chain that is meant: `x{}`",
            chain(entries)
        ));
    Some((at, error))
}

/// Two brackets for one: the integers first, the rest on what they leave.
fn chain(entries: &[Entry]) -> String {
    let whole = Entry::Slice {
        start: None,
        end: None,
        step: None,
    };
    let is_integer = |entry: &&Entry| matches!(entry, Entry::Integer(_));
    let mut first: Vec<&Entry> = entries
        .iter()
        .filter(|entry| !matches!(entry, Entry::NewAxis))
        .map(|entry| match entry {
            Entry::Integer(_) | Entry::Ellipsis => entry,
            Entry::Slice { .. } | Entry::NewAxis | Entry::Gather(_) => &whole,
        })
        .collect();
    // Whole axes at the end go without saying, unless an ellipsis counts them.
    let last = first.iter().rposition(is_integer).unwrap_or(0);
    if !first[..=last]
        .iter()
        .any(|entry| matches!(entry, Entry::Ellipsis))
    {
        first.truncate(last + 1);
    }
    let second = entries.iter().filter(|entry| !is_integer(entry));
    let joined = |entries: Vec<String>| entries.join(", ");
    format!(
        "[{}][{}]",
        joined(first.into_iter().map(text::entry).collect()),
        joined(second.map(text::entry).collect())
    )
}

pub(super) fn axes(index: &Index, dims: &[usize]) -> Result<List<AxisIndex>, Error> {
    let consumes = |entry: &&Entry| !matches!(entry, Entry::Ellipsis | Entry::NewAxis);
    let real = index.entries.iter().filter(consumes).count();
    let surplus = index.entries.iter().enumerate();
    if let Some((at, _)) = surplus.filter(|(_, entry)| consumes(entry)).nth(dims.len()) {
        return Err(Error::new(
            ErrorKind::TooManyIndices,
            format!(
                "{} for data with {}",
                counted(real, "index", "indices"),
                axes_of(dims.len())
            ),
        )
        .position(at)
        .value(real)
        .allowed(format!("0..={} indices", dims.len())));
    }
    let mut result = List::new();
    let mut axis = 0;
    for (at, entry) in index.entries.iter().enumerate() {
        match entry {
            Entry::NewAxis => {
                result.push(AxisIndex::NewAxis);
                continue;
            }
            Entry::Ellipsis => {
                let skipped = dims.len() - real;
                result.extend(AxisIndex::wholes(&dims[axis..axis + skipped]));
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
    result.extend(AxisIndex::wholes(&dims[axis..]));
    Ok(result)
}
