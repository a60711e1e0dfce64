//! Indices of an axis: in `-size..size`, the negative ones counted from its end. Every stage asks here.

use alloc::{borrow::Cow, format};

/// An index of any integer type, counted from the start of the axis. It is outside where the index is.
pub(crate) fn from_start(index: impl Into<i128>, size: usize) -> i128 {
    let index = index.into();
    index + if index < 0 { size as i128 } else { 0 }
}

/// The same of an index that is not [outside](is_outside).
#[inline(always)]
#[must_use]
pub const fn wrapped(index: i64, size: i64) -> i64 {
    index.wrapping_add((index >> 63) & size)
}

/// Whether an index is outside of an axis of `size`; every one is, if that is negative. Without a branch, so that the compiler vectorises it.
#[inline(always)]
#[must_use]
pub const fn is_outside(index: i64, size: i64) -> bool {
    from_either_end(index) >= size
}

/// Whether any of some indices is [outside](is_outside). Their signs are gathered: processors that cannot compare numbers of 64 bits by
/// vectors can subtract them.
#[inline(always)]
pub(crate) fn any_is_outside(indices: impl Iterator<Item = i64>, size: i64) -> bool {
    let last = size.max(0) - 1;
    indices.fold(0, |signs, index| signs | (last - from_either_end(index))) < 0
}

/// The same for 32 bits, where a size beyond them admits everything.
#[inline(always)]
pub(crate) fn any_is_outside_i32(indices: impl Iterator<Item = i32>, size: i64) -> bool {
    let last = i32::try_from(size.max(0) - 1).unwrap_or(i32::MAX);
    indices.fold(0, |signs, index| signs | (last - (index ^ (index >> 31)))) < 0
}

/// The indices that an axis of `size` has, as a refusal says them.
#[cold]
pub(crate) fn allowed(size: i128) -> Cow<'static, str> {
    match size {
        0 => "no index: the axis is empty".into(),
        _ => format!("{}..={}", -size, size - 1).into(),
    }
}

/// The distance from the nearer way in: from element 0, or from the last one for a negative index.
const fn from_either_end(index: i64) -> i64 {
    index ^ (index >> 63)
}

#[cfg(test)]
mod tests;
