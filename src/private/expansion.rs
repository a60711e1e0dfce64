//! What expansions of [`xslice!`](crate::xslice) call. Not for use by hand: nothing here is stable.
//!
//! Operands become slices of known length by [`Source`] and [`Destination`]. What runs on them is one function of the module `nest` with
//! its numbers, or stands in the expansion itself; it is called by [`To`] or [`Array`].

mod call;
pub mod data;
mod nest;
mod operand;

extern crate alloc;

pub use alloc::string::String;
use xslice_core::fixed::copy_block;
pub use xslice_core::fixed::{
    Checked, Fill, Gather, Gathers, Indices, Nest, VectorRows, Vectors, by_vectors,
};
pub use xslice_core::ir::Progression;
pub use xslice_macros::expand;

use crate::{Element, Error};
pub use call::{Array, To};
pub use nest::{
    blocks1, blocks2, elements1, elements2, elements3, fill, gather, gather_blocks1,
    gather_blocks2, gather_elements1, gather_elements2, gather_elements3, gather_fixed, gathers,
    gathers_fixed, given, nest,
};
pub use operand::{AsDestination, AsSource, Destination, Flat, Source};

/// What an expression sees of this crate. It is imported whole into the block of an invocation, so every name is one that no user has.
pub mod scope {
    pub use super::operand::{AsDestination as _, AsSource as _};
    pub use super::operand::{Destination as __XsliceDestination, Source as __XsliceSource};

    /// The facade, for texts of `xslice_core::emit`, and the element types by their names in the notation: a user may have other types of
    /// these.
    pub mod __xslice {
        pub use crate::private::expansion as __private;
        pub use crate::{Error, half, num_complex};

        pub use super::super::String as string;
        pub use core::primitive::{bool, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64};
        pub use half::{bf16, f16};
        pub use num_complex::{Complex32 as c64, Complex64 as c128};
    }
}

/// An index counted from the end if it is negative. It has been checked.
#[inline]
#[must_use]
pub const fn wrap(index: i64, size: i64) -> usize {
    xslice_core::wrapped_index(index, size) as usize
}

/// The same of a run of a table.
#[inline]
pub fn wrap_run<I: Element + Copy + Into<i64>>(
    table: &[I],
    first: usize,
    size: i64,
    rows: &mut [u32],
) {
    for (row, &index) in rows.iter_mut().zip(&table[first..]) {
        *row = wrap(index.into(), size) as u32;
    }
}

/// Copies a block of elements, at `to` and `from`. One function for each element type, where ranges of arrays would be some for each
/// length.
#[inline]
pub fn copy<T: Element>(dst: &mut [T], to: usize, src: &[T], from: usize, len: usize) {
    copy_block(&mut dst[to..to + len], &src[from..from + len]);
}

type Origin<'a> = (&'a str, usize, &'a [usize]);

/// Refuses the first index outside of `-size..size`; `loops` are turns and strides in the table.
///
/// # Errors
/// That of every engine.
#[inline]
pub fn check<I: Element + Copy + Into<i64>>(
    table: &[I],
    offset: usize,
    loops: &[(usize, isize)],
    size: i64,
    origin: Origin<'_>,
) -> Result<(), Error> {
    // The loops are a literal: of what follows, the compiler keeps one.
    match *loops {
        [] => {
            if let Some(&index) = table.get(offset) {
                return check_one(index, size, 0, origin);
            }
        }
        [(count, 1)] => {
            if let Some(run) = table.get(offset..offset + count) {
                return check_run(run, size, origin);
            }
        }
        _ => {}
    }
    let index = |at: usize| table.get(at).map(|index| (*index).into());
    check_each(&index, offset, loops, size, origin)
}

/// The same of a whole table.
///
/// # Errors
/// That of every engine.
#[inline]
pub fn check_run<I: Element + Copy + Into<i64>>(
    table: &[I],
    size: i64,
    origin: Origin<'_>,
) -> Result<(), Error> {
    // Without a branch for each, so that the compiler vectorises it.
    let (mut any, mut at) = (false, 0);
    while at < table.len() {
        any |= xslice_core::is_index_outside(table[at].into(), size);
        at += 1;
    }
    match any {
        false => Ok(()),
        true => Checked::new(table, size, origin).map(|_| ()),
    }
}

/// [`check`], one by one; not made anew for each type.
fn check_each(
    index: &dyn Fn(usize) -> Option<i64>,
    offset: usize,
    loops: &[(usize, isize)],
    size: i64,
    origin: Origin<'_>,
) -> Result<(), Error> {
    let count: usize = loops.iter().map(|(extent, _)| extent).product();
    for at in 0..count {
        let (mut rest, mut position) = (at, offset);
        for (extent, stride) in loops.iter().rev() {
            let counter = rest % extent;
            position = position.wrapping_add(counter.wrapping_mul(stride.cast_unsigned()));
            rest /= extent;
        }
        if let Some(index) = index(position) {
            check_one(index, size, at, origin)?;
        }
    }
    Ok(())
}

/// Refuses an index outside of `-size..size`.
///
/// # Errors
/// That of every engine.
#[inline]
pub fn check_one(
    index: impl Into<i64>,
    size: i64,
    at: usize,
    origin: Origin<'_>,
) -> Result<(), Error> {
    let index = index.into();
    if xslice_core::is_index_outside(index, size) {
        return Err(xslice_core::refuse_index(origin, size, index, at));
    }
    Ok(())
}

/// A value of any type, never made: what stands where an invocation is refused.
#[must_use]
pub const fn dummy<T>() -> T {
    panic!("the invocation is refused")
}
