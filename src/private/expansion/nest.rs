//! Nests by their numbers. Loops that are written out are compiled anew in every invocation, and a call is not: here is one function for
//! each element type. Called with literals they are inlined, and the loops for these numbers are left.

use super::{check, copy, wrap};
use crate::Error;

/// Where a nest starts in an array, and what a turn of each loop adds, outermost first.
type Position<const LOOPS: usize> = (usize, [isize; LOOPS]);

/// Moves one element.
#[inline]
fn elements0<T: Copy>(
    dst: &mut [T],
    src: &[T],
    _: [usize; 0],
    (to, []): Position<0>,
    (from, []): Position<0>,
) {
    dst[to] = src[from];
}

/// Copies one block.
#[inline]
fn blocks0<T: Copy>(
    dst: &mut [T],
    src: &[T],
    len: usize,
    _: [usize; 0],
    (to, []): Position<0>,
    (from, []): Position<0>,
) {
    copy(dst, to, src, from, len);
}

/// A loop around another function.
macro_rules! around {
    ($($name:ident($loops:literal) $inner:ident($($len:ident)?);)*) => {$(
        /// Elements or blocks in that many loops.
        #[inline]
        pub fn $name<T: Copy>(
            dst: &mut [T],
            src: &[T],
            $($len: usize,)?
            [count, extents @ ..]: [usize; $loops],
            (mut to, [to_step, to_inner @ ..]): Position<$loops>,
            (mut from, [from_step, from_inner @ ..]): Position<$loops>,
        ) {
            let mut i = 0;
            while i < count {
                $inner(dst, src, $($len,)? extents, (to, to_inner), (from, from_inner));
                to = to.wrapping_add_signed(to_step);
                from = from.wrapping_add_signed(from_step);
                i += 1;
            }
        }
    )*};
}

around! {
    elements1(1) elements0();
    elements2(2) elements1();
    elements3(3) elements2();
    blocks1(1) blocks0(len);
    blocks2(2) blocks1(len);
}

/// Indices of an axis of that size, the elements of the source that each counts, and what a refusal says: operator, axis, shape.
type Looked<'a, I, const RANK: usize> = (&'a [I], i64, isize, (&'a str, usize, [usize; RANK]));

/// A loop around another function, by indices.
macro_rules! gather {
    ($($name:ident($loops:literal) $inner:ident($($len:ident)?);)*) => {$(
        /// Elements or blocks in that many loops, the outermost of which looks up an index.
        ///
        /// # Errors
        /// That of every engine, before anything moves.
        #[inline]
        pub fn $name<T: Copy, I: Copy + Into<i64>, const RANK: usize>(
            dst: &mut [T],
            src: &[T],
            (indices, size, scale, (operator, axis, shape)): Looked<'_, I, RANK>,
            $($len: usize,)?
            [count, extents @ ..]: [usize; $loops],
            (mut to, [to_step, to_inner @ ..]): Position<$loops>,
            (mut from, [from_step, from_inner @ ..]): Position<$loops>,
        ) -> Result<(), Error> {
            check(indices, 0, &[(count, 1)], size, (operator, axis, &shape))?;
            let mut i = 0;
            while i < count {
                let row = wrap(indices[i].into(), size).cast_signed() * scale;
                let at = (from.wrapping_add_signed(row), from_inner);
                $inner(dst, src, $($len,)? extents, (to, to_inner), at);
                to = to.wrapping_add_signed(to_step);
                from = from.wrapping_add_signed(from_step);
                i += 1;
            }
            Ok(())
        }
    )*};
}

gather! {
    gather_elements1(1) elements0();
    gather_elements2(2) elements1();
    gather_elements3(3) elements2();
    gather_blocks1(1) blocks0(len);
    gather_blocks2(2) blocks1(len);
}
