//! Where a call reads: the memory of buffers, and positions in it.

use crate::access::{Access, IndexType, Lookup};
use crate::operand::Input;
use crate::plan::Plan;
use crate::scratch;
use crate::tensor::Tensor;
use alloc::sync::Arc;

/// Everything that a step of a plan may read.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    pub(crate) constants: &'a [Arc<Tensor>],
    /// The operands of the call, admitted by the plan.
    pub inputs: &'a [Input<'a>],
    /// Temporaries that earlier steps have written.
    pub(crate) earlier: scratch::Sources<'a>,
}

impl<'a> Sources<'a> {
    /// What a step of `plan` may read.
    #[must_use]
    pub fn new(plan: &'a Plan, inputs: &'a [Input<'a>], earlier: scratch::Sources<'a>) -> Self {
        Self {
            constants: plan.constants(),
            inputs,
            earlier,
        }
    }
}

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
