//! The functions of the module `nest` on operands as a user gave them: into a destination, by [`To`], and into an array, by [`Array`].
//!
//! An invocation is one such call. It names no function but this, takes no pointer to one, and knows the operands by slices and by what may
//! be wrong with them: what the compiler does for a call, it does for every invocation. What knows the length of a result is made anew for
//! each, so that is an array and a call, nothing else.

use super::alloc::string::String;
use super::nest::{self, Looked, Origin};
use super::operand::{Given, Operands, Refusal};
use crate::{Element, Error};
use core::convert::Infallible;
use xslice_core::fixed::{Checked, Fill, Gather, Gathers, Nest};
use xslice_core::ir::Progression;

/// A source of `T`.
type Source<'a, T, R> = Given<'a, &'a [T], R>;

/// A destination of `T`.
type Place<'a, T, D> = Given<'a, &'a mut [T], D>;

/// The result goes to a destination of the user's.
#[derive(Debug)]
pub struct To;

/// The result is an array.
#[derive(Debug)]
pub struct Array<const N: usize>;

/// What does not know which.
struct Any;

/// An element that an array holds before anything moves.
pub trait Zero: Element {
    /// That element.
    const ZERO: Self;
}

macro_rules! zero {
    ($($ty:ty: $zero:expr;)*) => {$(
        impl Zero for $ty {
            const ZERO: Self = $zero;
        }
    )*};
}

zero! {
    bool: false;
    i8: 0;
    i16: 0;
    i32: 0;
    i64: 0;
    u8: 0;
    u16: 0;
    u32: 0;
    u64: 0;
    crate::half::f16: Self::from_bits(0);
    crate::half::bf16: Self::from_bits(0);
    f32: 0.0;
    f64: 0.0;
    crate::num_complex::Complex<f32>: Self { re: 0.0, im: 0.0 };
    crate::num_complex::Complex<f64>: Self { re: 0.0, im: 0.0 };
    String: Self::new();
}

/// What a function gives that refuses nothing, and what refuses operands before it.
macro_rules! admitted {
    (refused $refusal:ident) => {
        $refusal
    };
    ($moves:expr) => {{
        $moves;
        Ok(())
    }};
}

/// The same of one that may refuse an index.
macro_rules! checked {
    (refused $refusal:ident) => {
        $refusal.error()
    };
    ($moves:expr) => {
        $moves
    };
}

/// Moves if nothing is wrong with the operands.
#[inline]
fn admitted<S: Operands, D: Operands>(
    sources: S,
    dst: D,
    moves: impl FnOnce(S::Elements, D::Elements),
) -> Result<(), <S::Refusal as Refusal>::Or<D::Refusal>> {
    match (sources, dst).admit() {
        Ok((sources, dst)) => admitted!(moves(sources, dst)),
        Err(refusal) => Err(admitted!(refused refusal)),
    }
}

/// The same by what may refuse an index.
#[inline]
fn checked<S: Operands, D: Operands>(
    sources: S,
    dst: D,
    moves: impl FnOnce(S::Elements, D::Elements) -> Result<(), Error>,
) -> Result<(), Error> {
    match (sources, dst).admit() {
        Ok((sources, dst)) => checked!(moves(sources, dst)),
        Err(refusal) => Err(checked!(refused refusal)),
    }
}

impl To {
    /// By a function of the expansion's own.
    #[inline]
    pub fn run<S: Operands, T, D: Refusal>(
        sources: S,
        dst: Place<'_, T, D>,
        moves: fn(S::Elements, &mut [T]),
    ) -> <<S::Refusal as Refusal>::Or<D> as Refusal>::Value<()> {
        Refusal::value(admitted(sources, dst, moves), ())
    }

    /// By one that may refuse an index.
    ///
    /// # Errors
    /// Of the operands and of the function.
    #[inline]
    pub fn try_run<S: Operands, T, D: Refusal>(
        sources: S,
        dst: Place<'_, T, D>,
        moves: fn(S::Elements, &mut [T]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        checked(sources, dst, moves)
    }
}

impl<const N: usize> Array<N> {
    /// By a function of the expansion's own.
    #[inline]
    pub fn run<S: Operands, T: Zero>(
        sources: S,
        moves: fn(S::Elements, &mut [T]),
    ) -> <<S::Refusal as Refusal>::Or<Infallible> as Refusal>::Value<[T; N]> {
        let mut dst = [T::ZERO; N];
        let outcome = admitted(sources, Given::whole(&mut dst[..]), moves);
        Refusal::value(outcome, dst)
    }

    /// By one that may refuse an index.
    ///
    /// # Errors
    /// Of the operands and of the function.
    #[inline]
    pub fn try_run<S: Operands, T: Zero>(
        sources: S,
        moves: fn(S::Elements, &mut [T]) -> Result<(), Error>,
    ) -> Result<[T; N], Error> {
        let mut dst = [T::ZERO; N];
        let outcome = checked(sources, Given::whole(&mut dst[..]), moves);
        Refusal::value(outcome, dst)
    }
}

/// The functions of the module `nest`: how all of these are inlined, then for each how operands are admitted, the name, the sources with
/// their elements and what may be wrong with each, the numbers, and what may be wrong before the destination is looked at.
macro_rules! calls {
    (#[$inlined:meta] $(
        $by:ident $name:ident[$($generics:tt)*]($($source:ident: $element:ident, $wrong:ident;)*) $($number:ident: $numbers:ty),* => $refusal:ty;
    )*) => {
        #[expect(clippy::too_many_arguments, reason = "numbers, not nested")]
        #[expect(unused_parens, reason = "one source is no pair")]
        impl Any {
            $(
                #[$inlined]
                fn $name<T: Element + Copy, D: Refusal, $($wrong: Refusal,)* $($generics)*>(
                    $($source: Source<'_, $element, $wrong>,)*
                    dst: Place<'_, T, D>,
                    $($number: $numbers,)*
                ) -> Result<(), <$refusal as Refusal>::Or<D>> {
                    match (($($source),*), dst).admit() {
                        Ok((($($source),*), dst)) => {
                            $by!(nest::$name($($source,)* dst, $($number),*))
                        }
                        Err(refusal) => Err($by!(refused refusal)),
                    }
                }
            )*
        }

        #[expect(clippy::too_many_arguments, reason = "numbers, not nested")]
        impl To {
            $(
                /// By the function of that name.
                #[$inlined]
                pub fn $name<T: Element + Copy, D: Refusal, $($wrong: Refusal,)* $($generics)*>(
                    $($source: Source<'_, $element, $wrong>,)*
                    dst: Place<'_, T, D>,
                    $($number: $numbers,)*
                ) -> <<$refusal as Refusal>::Or<D> as Refusal>::Value<()> {
                    Refusal::value(Any::$name($($source,)* dst, $($number),*), ())
                }
            )*
        }

        #[expect(clippy::too_many_arguments, reason = "numbers, not nested")]
        impl<const N: usize> Array<N> {
            $(
                /// By the function of that name.
                #[$inlined]
                pub fn $name<T: Zero + Copy, $($wrong: Refusal,)* $($generics)*>(
                    $($source: Source<'_, $element, $wrong>,)*
                    $($number: $numbers,)*
                ) -> <<$refusal as Refusal>::Or<Infallible> as Refusal>::Value<[T; N]> {
                    let mut dst = [T::ZERO; N];
                    let outcome = Any::$name($($source,)* Given::whole(&mut dst), $($number),*);
                    Refusal::value(outcome, dst)
                }
            )*
        }
    };
}

// Loops that know their numbers: a function or a closure that the compiler does not inline would not.
calls! {
    #[cfg_attr(not(debug_assertions), inline(always))]
    admitted elements1[](src: T, R;)
        extents: [usize; 1], to: [isize; 2], from: [isize; 2] => R;
    admitted elements2[](src: T, R;)
        extents: [usize; 2], to: [isize; 3], from: [isize; 3] => R;
    admitted elements3[](src: T, R;)
        extents: [usize; 3], to: [isize; 4], from: [isize; 4] => R;
    admitted blocks1[](src: T, R;)
        len: usize, extents: [usize; 1], to: [isize; 2], from: [isize; 2] => R;
    admitted blocks2[](src: T, R;)
        len: usize, extents: [usize; 2], to: [isize; 3], from: [isize; 3] => R;
    checked gather_elements1[I: Element + Copy + Into<i64>, const RANK: usize](src: T, R; indices: I, Q;)
        origin: Origin<'_, RANK>, axis: [i64; 2], extents: [usize; 1], to: [isize; 2], from: [isize; 2] => Error;
    checked gather_elements2[I: Element + Copy + Into<i64>, const RANK: usize](src: T, R; indices: I, Q;)
        origin: Origin<'_, RANK>, axis: [i64; 2], extents: [usize; 2], to: [isize; 3], from: [isize; 3] => Error;
    checked gather_elements3[I: Element + Copy + Into<i64>, const RANK: usize](src: T, R; indices: I, Q;)
        origin: Origin<'_, RANK>, axis: [i64; 2], extents: [usize; 3], to: [isize; 4], from: [isize; 4] => Error;
    checked gather_blocks1[I: Element + Copy + Into<i64>, const RANK: usize](src: T, R; indices: I, Q;)
        origin: Origin<'_, RANK>, axis: [i64; 2], len: usize, extents: [usize; 1], to: [isize; 2], from: [isize; 2] => Error;
    checked gather_blocks2[I: Element + Copy + Into<i64>, const RANK: usize](src: T, R; indices: I, Q;)
        origin: Origin<'_, RANK>, axis: [i64; 2], len: usize, extents: [usize; 2], to: [isize; 3], from: [isize; 3] => Error;
}

calls! {
    #[inline]
    admitted nest[const LOOPS: usize](src: T, R;)
        kept: &Nest<T>, extents: [usize; LOOPS], block: usize, from: [i64; 2], from_steps: [i64; LOOPS], to: [i64; 2],
        to_steps: [i64; LOOPS] => R;
    admitted fill[const LOOPS: usize]()
        kept: &Fill<T>, extents: [usize; LOOPS], values: Progression, start: i64, steps: [i64; LOOPS],
        to: [i64; 2], to_steps: [i64; LOOPS] => Infallible;
    admitted gather_fixed[const LOOPS: usize](src: T, R;)
        kept: &Gather<T, i64>, extents: [usize; LOOPS], block: usize, from: [i64; 2], from_steps: [i64; LOOPS], to: [i64; 2],
        to_steps: [i64; LOOPS],
        scale: [i64; 2], table: [i64; 2], table_steps: [i64; LOOPS], indices: Checked<'static, i64> => R;
    admitted gathers_fixed[const LOOPS: usize, const TABLES: usize](src: T, R;)
        kept: &Gathers<T>, extents: [usize; LOOPS], block: usize, from: [i64; 2], from_steps: [i64; LOOPS], to: [i64; 2],
        to_steps: [i64; LOOPS], tables: [Looked<LOOPS>; TABLES], indices: [Checked<'static, i64>; TABLES] => R;
    checked gather[I: Element, const LOOPS: usize, const RANK: usize](src: T, R; indices: I, Q;)
        kept: &Gather<T, I>, extents: [usize; LOOPS], block: usize, from: [i64; 2], from_steps: [i64; LOOPS], to: [i64; 2],
        to_steps: [i64; LOOPS],
        scale: [i64; 2], table: [i64; 2], table_steps: [i64; LOOPS], origin: Origin<'_, RANK> => Error;
}
