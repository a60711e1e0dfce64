//! What must hold of a nest before anything runs it. `bytes` asks the same of its schedule.
//!
//! 1. Every extent and the block are at least 1.
//! 2. Strides name as many loops as there are, in the destination, the source and every table.
//! 3. The destination is affine, and its positions lie in the destination (I3).
//! 4. Source positions lie in the source for every index within its axis, which is not empty, table positions in their table (I3).
//! 5. A Range has blocks of one element: its positions are counters, and neighbours of them are turns.
//! 6. The destination is injective (I4): its loops sorted by |stride|, each stride is at least the span of what lies below.
//!    This refuses rare legal maps and accepts no wrong one.
//!
//! All in `i128`: no number that a caller chose can wrap here.

mod bytes;

pub(crate) use bytes::schedule;

use super::{Parts, Source};
use crate::access::{Access, Buffer};
use crate::error::{Error, ErrorKind};
use alloc::format;

/// Checks 1 to 6.
pub(crate) fn nest(parts: &Parts, table_len: &dyn Fn(Buffer) -> usize) -> Result<(), Error> {
    if parts.extents.contains(&0) || parts.block == 0 {
        return Err(layout("a loop or block of length 0"));
    }
    if !parts.dst.is_affine() {
        return Err(layout("a destination that depends on a table"));
    }
    position(
        &parts.dst,
        &parts.extents,
        parts.block,
        parts.dst_len,
        "the destination",
    )?;
    // The positions of a Range are counters, not addresses; they are bounded by its count all the same.
    position(
        &parts.src,
        &parts.extents,
        parts.block,
        parts.src_len,
        "the source",
    )?;
    tables(&parts.src, &parts.extents, table_len)?;
    if let Source::Range(_) = parts.source
        && parts.block != 1
    {
        return Err(layout("a block of a Range"));
    }
    injective(parts)
}

/// Checks of the access of an index check: positions in their tables.
pub(crate) fn table_access(
    access: &Access,
    extents: &[usize],
    table: Buffer,
    table_len: &dyn Fn(Buffer) -> usize,
) -> Result<(), Error> {
    if extents.contains(&0) {
        return Ok(());
    }
    position(access, extents, 1, table_len(table), "an index table")?;
    tables(access, extents, table_len)
}

fn tables(
    access: &Access,
    extents: &[usize],
    table_len: &dyn Fn(Buffer) -> usize,
) -> Result<(), Error> {
    for lookup in &access.lookups {
        if lookup.size < 1 {
            return Err(layout("an index into an axis of size 0"));
        }
        position(
            &lookup.access,
            extents,
            1,
            table_len(lookup.table),
            "an index table",
        )?;
        tables(&lookup.access, extents, table_len)?;
    }
    Ok(())
}

fn position(
    access: &Access,
    extents: &[usize],
    block: usize,
    len: usize,
    what: &str,
) -> Result<(), Error> {
    if access.strides.len() != extents.len() {
        return Err(layout("strides for another number of loops"));
    }
    let (low, high) = access.span(extents);
    if !lies_in((low, high), block, len) {
        let last = high.saturating_add(block as i128 - 1);
        return Err(layout(&format!(
            "positions {low}..={last} do not lie in {what} of {len} elements"
        )));
    }
    Ok(())
}

/// Whether blocks of `block` elements from the first to the second position of `span` lie in a buffer of `len` (I3).
fn lies_in((low, high): (i128, i128), block: usize, len: usize) -> bool {
    low >= 0 && high.saturating_add(block as i128) <= len as i128
}

fn injective(parts: &Parts) -> Result<(), Error> {
    let turns = |k: usize| (parts.extents[k], parts.dst.strides[k]);
    let text = "destination strides that might write one element twice";
    is_injective(parts.extents.len(), turns, parts.block).map_err(|_| layout(text))
}

/// Whether no two turns write one element (I4): rule 6, for positions that lie in a buffer. `of` gives turns and stride of a loop. Else a loop
/// whose stride is too short, and the span of what lies below it.
pub(crate) fn is_injective(
    loops: usize,
    of: impl Fn(usize) -> (usize, i64),
    block: usize,
) -> Result<(), (usize, i128)> {
    // Loops mostly have the order of the destination, and any order in which each stride leaves out what lies below is a proof.
    let mut span = block as i128;
    let leaves_out = |k: usize| adds(&mut span, of(k));
    if (0..loops).rev().all(leaves_out) {
        return Ok(());
    }
    let order = |k: usize| (of(k).1.unsigned_abs(), k);
    let mut span = block as i128;
    let mut last = None;
    loop {
        let following = (0..loops).filter(|&k| last.is_none_or(|last| last < order(k)));
        let Some(k) = following.min_by_key(|&k| order(k)) else {
            return Ok(());
        };
        let below = span;
        if !adds(&mut span, of(k)) {
            return Err((k, below));
        }
        last = Some(order(k));
    }
}

/// Adds a loop to the span of those below it; `false` if its turns touch what they span.
fn adds(span: &mut i128, (extent, stride): (usize, i64)) -> bool {
    let stride = stride.unsigned_abs() as i128;
    let is_clear = extent == 1 || stride >= *span;
    *span = span.saturating_add(stride.saturating_mul(extent as i128 - 1));
    is_clear
}

/// Whether every element of the destination is written: as many distinct positions as elements.
pub(crate) fn covers(parts: &Parts) -> bool {
    element_count(parts).ok() == Some(parts.dst_len)
}

/// The elements that a nest moves; refuses more than any buffer has.
pub(crate) fn element_count(parts: &Parts) -> Result<usize, Error> {
    let mut extents = parts.extents.iter();
    extents
        .try_fold(parts.block, |n, &extent| n.checked_mul(extent))
        .ok_or_else(|| layout("more turns than any destination has elements"))
}

fn layout(text: &str) -> Error {
    Error::new(ErrorKind::OperandLayout, alloc::string::String::from(text))
}

#[cfg(test)]
mod tests;
