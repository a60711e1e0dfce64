//! Nests by their numbers. Loops that are written out are compiled anew in every invocation, and a call is not: here is one function for
//! each element type. Called with literals they are inlined, and the loops for these numbers are left.
//!
//! Each takes what it moves, sources in pairs and the destination behind them, then its numbers.

use super::{check_run, copy, wrap};
use crate::{Element, Error};
use xslice_core::fixed::{Checked, Copied, Fill, Filled, Gather, Gathered, Nest};

/// Where a nest starts in an array, and what a turn of each loop adds, outermost first.
type Position<const LOOPS: usize> = (usize, [isize; LOOPS]);

/// The turns of loops around elements, where they start in the destination, and where in the source.
type Elements<const LOOPS: usize> = ([usize; LOOPS], Position<LOOPS>, Position<LOOPS>);

/// The same around blocks, whose length comes first.
type Blocks<const LOOPS: usize> = (usize, [usize; LOOPS], Position<LOOPS>, Position<LOOPS>);

/// What a refusal of an index says: operator, axis, shape of the indices.
type Origin<'a, const RANK: usize> = (&'a str, usize, [usize; RANK]);

/// The size of an axis, the elements of the source that an index of it counts, and what a refusal says.
type Axis<'a, const RANK: usize> = (i64, isize, Origin<'a, RANK>);

/// A gather by a Move and its numbers.
type Kept<'a, T, I, const LOOPS: usize> = (&'a Gather<T, I>, Gathered<LOOPS>);

/// Moves one element.
#[inline]
fn elements0<T: Copy>((src, dst): (&[T], &mut [T]), (_, (to, []), (from, [])): Elements<0>) {
    dst[to] = src[from];
}

/// Copies one block.
#[inline]
fn blocks0<T: Copy>((src, dst): (&[T], &mut [T]), (len, _, (to, []), (from, [])): Blocks<0>) {
    copy(dst, to, src, from, len);
}

/// A loop: calls the function with the number of each turn and the positions in destination and source.
#[inline]
fn turns(
    count: usize,
    (mut to, to_step): (usize, isize),
    (mut from, from_step): (usize, isize),
    mut turn: impl FnMut(usize, usize, usize),
) {
    let mut i = 0;
    while i < count {
        turn(i, to, from);
        to = to.wrapping_add_signed(to_step);
        from = from.wrapping_add_signed(from_step);
        i += 1;
    }
}

/// A loop around another function, and one by indices.
macro_rules! around {
    ($($name:ident, $gather:ident: $numbers:ident<$loops:literal>, $inner:ident($($len:ident)?);)*) => {$(
        /// Elements or blocks in that many loops.
        #[inline]
        pub fn $name<T: Copy>(
            (src, dst): (&[T], &mut [T]),
            (
                $($len,)?
                [count, extents @ ..],
                (to, [to_step, to_inner @ ..]),
                (from, [from_step, from_inner @ ..]),
            ): $numbers<$loops>,
        ) {
            turns(count, (to, to_step), (from, from_step), |_, to, from| {
                $inner((src, dst), ($($len,)? extents, (to, to_inner), (from, from_inner)));
            });
        }

        /// Elements or blocks in that many loops, the outermost of which looks up an index.
        ///
        /// # Errors
        /// That of every engine, before anything moves.
        #[inline]
        pub fn $gather<T: Copy, I: Element + Copy + Into<i64>, const RANK: usize>(
            ((src, indices), dst): ((&[T], &[I]), &mut [T]),
            (
                (size, scale, (operator, axis, shape)),
                (
                    $($len,)?
                    [count, extents @ ..],
                    (to, [to_step, to_inner @ ..]),
                    (from, [from_step, from_inner @ ..]),
                ),
            ): (Axis<'_, RANK>, $numbers<$loops>),
        ) -> Result<(), Error> {
            check_run(indices, size, (operator, axis, &shape))?;
            turns(count, (to, to_step), (from, from_step), |i, to, from| {
                let row = wrap(indices[i].into(), size).cast_signed() * scale;
                let at = (from.wrapping_add_signed(row), from_inner);
                $inner((src, dst), ($($len,)? extents, (to, to_inner), at));
            });
            Ok(())
        }
    )*};
}

around! {
    elements1, gather_elements1: Elements<1>, elements0();
    elements2, gather_elements2: Elements<2>, elements1();
    elements3, gather_elements3: Elements<3>, elements2();
    blocks1, gather_blocks1: Blocks<1>, blocks0(len);
    blocks2, gather_blocks2: Blocks<2>, blocks1(len);
}

/// A nest that a Move does, behind the `static` that keeps its schedule.
#[inline]
pub fn nest<T: Element, const LOOPS: usize>(
    (src, dst): (&[T], &mut [T]),
    (nest, numbers): (&Nest<T>, Copied<LOOPS>),
) {
    nest.run(numbers, src, dst);
}

/// Values of a Range by a Move.
#[inline]
pub fn fill<T: Element, const LOOPS: usize>(
    ((), dst): ((), &mut [T]),
    (fill, numbers): (&Fill<T>, Filled<LOOPS>),
) {
    fill.run(numbers, dst);
}

/// A gather by a Move, which looks at the indices.
///
/// # Errors
/// That of every engine.
#[inline]
pub fn gather<T: Element, I: Element, const LOOPS: usize, const RANK: usize>(
    (sources, dst): ((&[T], &[I]), &mut [T]),
    ((gather, numbers), (operator, axis, shape)): (Kept<'_, T, I, LOOPS>, Origin<'_, RANK>),
) -> Result<(), Error> {
    gather.run(numbers, sources, (operator, axis, &shape), dst)
}

/// A gather by a Move and constant indices.
#[inline]
pub fn gather_fixed<T: Element, const LOOPS: usize>(
    (src, dst): (&[T], &mut [T]),
    ((gather, numbers), indices): (Kept<'_, T, i64, LOOPS>, Checked<'static, i64>),
) {
    gather.run_fixed(numbers, src, indices, dst);
}
