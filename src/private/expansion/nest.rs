//! Nests by their numbers. Loops that are written out are compiled anew in every invocation, and a call is not: here is one function for
//! each element type. Called with literals they are inlined, and the loops for these numbers are left.
//!
//! Each takes what it reads, what it writes, then its numbers: the elements of a block if it moves blocks, the turns of its loops, where
//! they start in the destination and what a turn of each adds, outermost first, then the same of the source. They are arrays by value and
//! nothing nested: their reader's compiler has less to do than for tuples.

use super::{check_run, copy, wrap};
use crate::{Element, Error};
use xslice_core::Input;
use xslice_core::fixed::{Checked, Fill, Gather, Gathers, Indices, LookedUp, Nest, Side};
use xslice_core::ir::Progression;

/// Where loops start in an array, and what a turn of each adds.
type Position<const LOOPS: usize> = (usize, [isize; LOOPS]);

/// The turns of loops around elements, where they start in the destination, and where in the source.
type Elements<const LOOPS: usize> = ([usize; LOOPS], Position<LOOPS>, Position<LOOPS>);

/// The same around blocks, whose length comes first.
type Blocks<const LOOPS: usize> = (usize, [usize; LOOPS], Position<LOOPS>, Position<LOOPS>);

/// What a refusal of an index says: operator, axis, shape of the indices.
pub type Origin<'a, const RANK: usize> = (&'a str, usize, [usize; RANK]);

/// Moves one element.
#[inline]
fn elements0<T: Element + Copy>(src: &[T], dst: &mut [T], (_, (to, []), (from, [])): Elements<0>) {
    dst[to] = src[from];
}

/// Copies one block.
#[inline]
fn blocks0<T: Element + Copy>(src: &[T], dst: &mut [T], (len, _, (to, []), (from, [])): Blocks<0>) {
    copy(dst, to, src, from, len);
}

/// A loop around a body, which sees the number of each turn and the positions in destination and source. No function takes the body: one
/// that the compiler does not inline would not know the numbers.
macro_rules! turns {
    ($count:expr, ($to:ident, $to_step:expr), ($from:ident, $from_step:expr), $i:ident => $body:expr) => {
        let (mut $to, mut $from, mut $i) = ($to, $from, 0);
        while $i < $count {
            $body;
            $to = $to.wrapping_add_signed($to_step);
            $from = $from.wrapping_add_signed($from_step);
            $i += 1;
        }
    };
}

/// Elements of an array up to the last one that loops of `len` elements reach which start there.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
fn end<const LOOPS: usize>(
    extents: &[usize; LOOPS],
    start: usize,
    steps: &[isize; LOOPS],
    len: usize,
) -> usize {
    let (mut end, mut k) = (start + len, 0);
    while k < LOOPS {
        if extents[k] == 0 {
            return 0;
        }
        end += (extents[k] - 1) * steps[k].max(0).cast_unsigned();
        k += 1;
    }
    end
}

/// Loops around another function, by the numbers as they are passed on, as they are written, and by indices.
macro_rules! around {
    ($($looped:ident, $name:ident, $gather:ident: $numbers:ident<$loops:literal>, $places:literal, $inner:ident($($len:ident)?);)*) => {$(
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn $looped<T: Element + Copy>(
            src: &[T],
            dst: &mut [T],
            (
                $($len,)?
                [count, extents @ ..],
                (to, [to_step, to_inner @ ..]),
                (from, [from_step, from_inner @ ..]),
            ): $numbers<$loops>,
        ) {
            turns!(count, (to, to_step), (from, from_step), i =>
                $inner(src, dst, ($($len,)? extents, (to, to_inner), (from, from_inner))));
        }

        /// Elements or blocks in that many loops.
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub fn $name<T: Element + Copy>(
            src: &[T],
            dst: &mut [T],
            $($len: usize,)?
            extents: [usize; $loops],
            [to, to_steps @ ..]: [isize; $places],
            [from, from_steps @ ..]: [isize; $places],
        ) {
            let (to, from) = (to.cast_unsigned(), from.cast_unsigned());
            let len = 1 $(* $len)?;
            // Loops of literals over slices of a known length need no look at each element.
            let src = &src[..end(&extents, from, &from_steps, len)];
            let dst = &mut dst[..end(&extents, to, &to_steps, len)];
            $looped(src, dst, ($($len,)? extents, (to, to_steps), (from, from_steps)));
        }

        /// Elements or blocks in that many loops, the outermost of which looks up an index. Its numbers
        /// begin with what a refusal says, then the size of the axis and the elements of the source that an index of it counts.
        ///
        /// # Errors
        /// That of every engine, before anything moves.
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[expect(clippy::too_many_arguments, reason = "numbers, not nested")]
        pub fn $gather<T: Element + Copy, I: Element + Copy + Into<i64>, const RANK: usize>(
            src: &[T],
            indices: &[I],
            dst: &mut [T],
            (operator, axis, shape): Origin<'_, RANK>,
            [size, scale]: [i64; 2],
            $($len: usize,)?
            [count, extents @ ..]: [usize; $loops],
            [to, to_step, to_inner @ ..]: [isize; $places],
            [from, from_step, from_inner @ ..]: [isize; $places],
        ) -> Result<(), Error> {
            check_run(indices, size, (operator, axis, &shape))?;
            let (to, from) = (to.cast_unsigned(), from.cast_unsigned());
            turns!(count, (to, to_step), (from, from_step), i => {
                let row = (wrap(indices[i].into(), size) as i64 * scale) as isize;
                let at = (from.wrapping_add_signed(row), from_inner);
                $inner(src, dst, ($($len,)? extents, (to, to_inner), at));
            });
            Ok(())
        }
    )*};
}

around! {
    loops1, elements1, gather_elements1: Elements<1>, 2, elements0();
    loops2, elements2, gather_elements2: Elements<2>, 3, loops1();
    loops3, elements3, gather_elements3: Elements<3>, 4, loops2();
    around_blocks1, blocks1, gather_blocks1: Blocks<1>, 2, blocks0(len);
    around_blocks2, blocks2, gather_blocks2: Blocks<2>, 3, around_blocks1(len);
}

/// A buffer as `xslice_core::fixed` takes it.
#[inline]
const fn side<const LOOPS: usize>([len, start]: [i64; 2], steps: [i64; LOOPS]) -> Side<LOOPS> {
    (len as usize, start, steps)
}

/// A nest that a Move does; after the `static` that keeps its schedule: turns, block, then of the source and of the destination the length
/// and where loops start, and what a turn of each adds.
#[inline]
#[expect(clippy::too_many_arguments, reason = "numbers, not nested")]
pub fn nest<T: Element, const LOOPS: usize>(
    src: &[T],
    dst: &mut [T],
    nest: &Nest<T>,
    extents: [usize; LOOPS],
    block: usize,
    from: [i64; 2],
    from_steps: [i64; LOOPS],
    to: [i64; 2],
    to_steps: [i64; LOOPS],
) {
    let numbers = (extents, block, side(from, from_steps), side(to, to_steps));
    nest.run(numbers, src, dst);
}

/// Values of a Range by a Move.
#[inline]
#[expect(clippy::too_many_arguments, reason = "numbers, not nested")]
pub fn fill<T: Element, const LOOPS: usize>(
    dst: &mut [T],
    fill: &Fill<T>,
    extents: [usize; LOOPS],
    values: Progression,
    start: i64,
    steps: [i64; LOOPS],
    to: [i64; 2],
    to_steps: [i64; LOOPS],
) {
    fill.run((extents, values, (start, steps), side(to, to_steps)), dst);
}

/// A gather by a Move, which looks at the indices: numbers as those of [`nest`], then what an index counts, the size of its axis, and the
/// table.
///
/// # Errors
/// That of every engine.
#[inline]
#[expect(clippy::too_many_arguments, reason = "numbers, not nested")]
pub fn gather<T: Element, I: Element, const LOOPS: usize, const RANK: usize>(
    src: &[T],
    indices: &[I],
    dst: &mut [T],
    gather: &Gather<T, I>,
    extents: [usize; LOOPS],
    block: usize,
    from: [i64; 2],
    from_steps: [i64; LOOPS],
    to: [i64; 2],
    to_steps: [i64; LOOPS],
    [scale, size]: [i64; 2],
    table: [i64; 2],
    table_steps: [i64; LOOPS],
    (operator, axis, shape): Origin<'_, RANK>,
) -> Result<(), Error> {
    let copied = (extents, block, side(from, from_steps), side(to, to_steps));
    let numbers = (copied, (scale, size, side(table, table_steps)));
    gather.run(numbers, (src, indices), (operator, axis, &shape), dst)
}

/// The same by constant indices.
#[inline]
#[expect(clippy::too_many_arguments, reason = "numbers, not nested")]
pub fn gather_fixed<T: Element, const LOOPS: usize>(
    src: &[T],
    dst: &mut [T],
    gather: &Gather<T, i64>,
    extents: [usize; LOOPS],
    block: usize,
    from: [i64; 2],
    from_steps: [i64; LOOPS],
    to: [i64; 2],
    to_steps: [i64; LOOPS],
    [scale, size]: [i64; 2],
    table: [i64; 2],
    table_steps: [i64; LOOPS],
    indices: Checked<'static, i64>,
) {
    let copied = (extents, block, side(from, from_steps), side(to, to_steps));
    let numbers = (copied, (scale, size, side(table, table_steps)));
    gather.run_fixed(numbers, src, indices, dst);
}

/// What indices of a table add, as the numbers of [`gather`].
pub type Looked<const LOOPS: usize> = ([i64; 2], [i64; 2], [i64; LOOPS]);

/// The same as `xslice_core::fixed` takes it.
#[inline]
const fn looked_up<const LOOPS: usize>(
    ([scale, size], table, steps): Looked<LOOPS>,
) -> LookedUp<LOOPS> {
    (scale, size, side(table, steps))
}

/// Indices of a call, and what a refusal says of where they belong.
#[inline]
pub fn given<'a, I: Element>(
    indices: &'a [I],
    origin: (&'a str, usize, &'a [usize]),
) -> Indices<'a> {
    Indices::Given(Input::from(indices), origin)
}

/// A gather by several tables: numbers as those of [`nest`], then what indices of each table add, and the indices.
///
/// # Errors
/// That of every engine.
#[inline]
#[expect(clippy::too_many_arguments, reason = "numbers, not nested")]
pub fn gathers<T: Element, const LOOPS: usize, const TABLES: usize>(
    src: &[T],
    dst: &mut [T],
    gathers: &Gathers<T>,
    extents: [usize; LOOPS],
    block: usize,
    from: [i64; 2],
    from_steps: [i64; LOOPS],
    to: [i64; 2],
    to_steps: [i64; LOOPS],
    tables: [Looked<LOOPS>; TABLES],
    indices: [Indices<'_>; TABLES],
) -> Result<(), Error> {
    let copied = (extents, block, side(from, from_steps), side(to, to_steps));
    gathers.run((copied, tables.map(looked_up)), src, indices, dst)
}

/// The same by constant indices.
#[inline]
#[expect(clippy::too_many_arguments, reason = "numbers, not nested")]
pub fn gathers_fixed<T: Element, const LOOPS: usize, const TABLES: usize>(
    src: &[T],
    dst: &mut [T],
    gathers: &Gathers<T>,
    extents: [usize; LOOPS],
    block: usize,
    from: [i64; 2],
    from_steps: [i64; LOOPS],
    to: [i64; 2],
    to_steps: [i64; LOOPS],
    tables: [Looked<LOOPS>; TABLES],
    indices: [Checked<'static, i64>; TABLES],
) {
    let copied = (extents, block, side(from, from_steps), side(to, to_steps));
    gathers.run_fixed((copied, tables.map(looked_up)), src, indices, dst);
}

#[cfg(test)]
mod tests {
    use super::end;

    #[test]
    fn loops_end_with_the_last_element_that_they_reach() {
        assert_eq!(end(&[], 5, &[], 3), 8);
        assert_eq!(end(&[4], 1, &[3], 1), 11);
        assert_eq!(end(&[4], 9, &[-3], 1), 10);
        assert_eq!(end(&[4, 5], 4, &[10, -1], 2), 36);
        assert_eq!(end(&[4, 0], 4, &[10, -1], 2), 0);
    }
}
