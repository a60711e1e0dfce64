//! Indices that lie within their axis, and those of a call, which it looks at.

use super::Origin;
use crate::elem::Element;
use crate::error::Error;
use crate::index::is_outside;
use crate::operand::Input;
use crate::plan::refuse_index;
use crate::steps;

/// The proof that each index lies in `-size..size`. It is made by looking at them, and names the axis:
///
/// ```should_panic
/// use xslice_core::fixed::{Checked, Gather};
/// static FOUR: Gather<u8, i64> = Gather::new();
/// let numbers = (([2], 1, (4, 0, [0]), (2, 0, [1])), (1, 4, (2, 0, [1])));
/// const OF_NINE: Checked<'_, i64> = Checked::fixed(&[8, 0], 9);
/// FOUR.run_fixed(numbers, &[1, 2, 3, 4], OF_NINE, &mut [0; 2]); // a proof for an axis of 9 is none for one of 4
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a, I> {
    indices: &'a [I],
    size: i64,
}

impl<'a> Checked<'a, i64> {
    /// Of indices that are known when they are compiled.
    ///
    /// # Panics
    /// If one is outside.
    #[must_use]
    pub const fn fixed(indices: &'a [i64], size: i64) -> Self {
        let mut at = 0;
        while at < indices.len() {
            assert!(!is_outside(indices[at], size));
            at += 1;
        }
        Self { indices, size }
    }
}

impl<I> Checked<'_, I> {
    /// Panics if they were checked for a larger axis.
    pub(super) fn are_for(&self, axis: i64) {
        assert!(self.size <= axis, "a proof for another axis");
    }
}

impl<'a, I: Element> Checked<'a, I> {
    /// Looks at every index.
    ///
    /// # Errors
    /// [`IndexRange`](crate::ErrorKind::IndexRange) for the first that is outside, as every engine refuses it. An array that is not of
    /// `i32` or `i64` has no such index and is no table of a [`Gather`](super::Gather).
    pub fn new(indices: &'a [I], size: i64, origin: Origin<'_>) -> Result<Self, Error> {
        refuse_outside(indices.into(), size, origin)?;
        Ok(Self { indices, size })
    }

    pub(super) fn as_input(&self) -> Input<'a> {
        self.indices.into()
    }
}

/// Refuses the first index that is outside.
fn refuse_outside(indices: Input<'_>, size: i64, origin: Origin<'_>) -> Result<(), Error> {
    match steps::find_outside(indices, steps::Row::all(indices.len()), size) {
        None => Ok(()),
        Some((at, index)) => Err(refuse_index(origin, size, index, at)),
    }
}

/// The indices of one table of a [`Gathers`](super::Gathers).
#[derive(Clone, Copy, Debug)]
pub enum Indices<'a> {
    /// The same in every call: the schedule may hold them.
    Known(Checked<'static, i64>),
    /// Those of this call, `i32` or `i64`, and where they belong, for a refusal.
    Given(Input<'a>, Origin<'a>),
}

impl<'a> Indices<'a> {
    pub(super) fn as_input(&self) -> Input<'a> {
        match self {
            Self::Known(known) => known.as_input(),
            Self::Given(indices, _) => *indices,
        }
    }

    /// What every call knows of them.
    pub(super) fn known(&self) -> &'static [i64] {
        match self {
            Self::Known(known) => known.indices,
            Self::Given(..) => &[],
        }
    }

    /// Looks at every index that is not known.
    ///
    /// # Errors
    /// As [`Checked::new`].
    ///
    /// # Panics
    /// If they are known, and were checked for a larger axis.
    pub(super) fn check(&self, axis: i64) -> Result<(), Error> {
        match self {
            Self::Known(known) => {
                known.are_for(axis);
                Ok(())
            }
            Self::Given(indices, origin) => refuse_outside(*indices, axis, *origin),
        }
    }
}
