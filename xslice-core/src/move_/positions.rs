//! Positions in what a call reads.

use crate::access::{Access, IndexType};
use crate::sources::Sources;

impl Sources<'_> {
    /// A position in bytes, or in a Range.
    ///
    /// # Safety
    /// The access is one of a schedule of the plan, the counters lie within its extents, the checks of its tables have passed.
    #[inline]
    pub(super) unsafe fn position(&self, access: &Access, counters: &[usize]) -> i64 {
        access.position(counters, &|lookup, at| {
            let table = self.start(lookup.table);
            // SAFETY: by the contract of this function, an index lies there in the table (I3).
            unsafe { load(table.offset(at as isize), lookup.index) }
        })
    }
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
