//! Nests by their numbers. Loops that are written out are compiled anew in every invocation, and a call is not: here is one function for
//! each element type. Called with literals they are inlined, and the loops for these numbers are left.

use super::{Origin, check, copy, wrap};
use crate::Error;

/// Where a nest starts in an array, and what a turn of each loop adds, outermost first.
type Position<const LOOPS: usize> = (usize, [isize; LOOPS]);

/// Moves elements one by one, in one loop.
#[inline]
pub fn elements1<T: Copy>(
    dst: &mut [T],
    src: &[T],
    [count]: [usize; 1],
    (mut to, [to_step]): Position<1>,
    (mut from, [from_step]): Position<1>,
) {
    let mut i = 0;
    while i < count {
        dst[to] = src[from];
        to = to.wrapping_add_signed(to_step);
        from = from.wrapping_add_signed(from_step);
        i += 1;
    }
}

/// Copies blocks, in one loop.
#[inline]
pub fn blocks1<T: Copy>(
    dst: &mut [T],
    src: &[T],
    len: usize,
    [count]: [usize; 1],
    (mut to, [to_step]): Position<1>,
    (mut from, [from_step]): Position<1>,
) {
    let mut i = 0;
    while i < count {
        copy(dst, to, src, from, len);
        to = to.wrapping_add_signed(to_step);
        from = from.wrapping_add_signed(from_step);
        i += 1;
    }
}

/// A loop around another function.
macro_rules! around {
    ($($name:ident($loops:literal) $inner:ident($($len:ident)?);)*) => {$(
        /// The same with a loop around it.
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
    elements2(2) elements1();
    elements3(3) elements2();
    blocks2(2) blocks1(len);
}

/// Copies the blocks that indices name, which lie `scale` elements apart from `from` on, one behind the other.
///
/// # Errors
/// That of every engine, before anything moves.
#[inline]
pub fn gather<T: Copy, I: Copy + Into<i64>, const RANK: usize>(
    dst: &mut [T],
    src: &[T],
    indices: &[I],
    (operator, axis, shape): (&str, usize, [usize; RANK]),
    size: i64,
    (from, scale): (usize, usize),
    len: usize,
) -> Result<(), Error> {
    let origin: Origin<'_> = (operator, axis, &shape);
    check(indices, 0, &[(indices.len(), 1)], size, origin)?;
    let mut i = 0;
    while i < indices.len() {
        let row = wrap(indices[i].into(), size);
        copy(dst, i * len, src, from + row * scale, len);
        i += 1;
    }
    Ok(())
}
