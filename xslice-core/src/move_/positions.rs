//! Positions in what a call reads.

use crate::access::{Access, IndexType, Lookup};
use crate::sources::Sources;

impl Sources<'_> {
    /// A position in bytes, or in a Range.
    ///
    /// # Safety
    /// The access is one of a schedule of the plan, the counters lie within its extents, the checks of its tables have passed.
    #[inline]
    pub(super) unsafe fn position(&self, access: &Access, counters: &[usize]) -> i64 {
        let affine = affine(access, counters);
        if access.is_affine() {
            return affine;
        }
        // SAFETY: by the contract of this function.
        affine + unsafe { self.looked_up(&access.lookups, counters) }
    }

    /// What tables add to a position.
    ///
    /// # Safety
    /// As [`Sources::position`], for an access with these look-ups.
    unsafe fn looked_up(&self, lookups: &[Lookup], counters: &[usize]) -> i64 {
        let mut sum = 0;
        for lookup in lookups {
            let table = self.start(lookup.table);
            // SAFETY: the position is that of an index in the table (I3).
            let index = unsafe {
                let at = match lookup.access.is_affine() {
                    true => affine(&lookup.access, counters),
                    false => self.position(&lookup.access, counters),
                };
                load(table.offset(at as isize), lookup.index)
            };
            sum += lookup.adds(index);
        }
        sum
    }
}

/// A position without what tables add.
#[inline]
pub(super) fn affine(access: &Access, counters: &[usize]) -> i64 {
    let counted = access.strides.iter().zip(counters);
    let steps = counted.map(|(&stride, &counter)| stride * counter as i64);
    access.offset + steps.sum::<i64>()
}

/// The index at an address.
///
/// # Safety
/// An index of that type lies there, at any alignment.
#[inline]
pub(super) unsafe fn load(at: *const u8, ty: IndexType) -> i64 {
    // SAFETY: by the contract of this function.
    unsafe {
        match ty {
            IndexType::I32 => i64::from(at.cast::<i32>().read_unaligned()),
            IndexType::I64 => at.cast::<i64>().read_unaligned(),
        }
    }
}
