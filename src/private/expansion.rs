//! What expansions of [`xslice!`](crate::xslice) call. Not for use by hand: nothing here is stable.
//!
//! Operands become references to flat arrays by [`Source`] and [`Destination`]; their `Error` says whether that can fail, and [`value`]
//! makes the value of the invocation from it. What runs on the arrays is in the expansion itself.

pub mod data;

extern crate alloc;

pub use alloc::string::String;
pub use xslice_core::Progression;
pub use xslice_core::fixed::{Checked, Fill, Gather, Nest};
pub use xslice_macros::expand;

use crate::{Error, ErrorKind};
use alloc::{boxed::Box, format, vec::Vec};
use core::convert::Infallible;

/// What can go wrong with operands, and so what the value of an invocation is. There is one type for each case, so that a form which
/// cannot fail has no way to.
pub trait Failure: Sized {
    /// What a value becomes: itself, or a `Result`.
    type Out<R>;

    /// The value of an invocation.
    fn out<R>(result: Result<R, Self>) -> Self::Out<R>;
}

/// Nothing: the length is in the type.
#[derive(Debug)]
pub struct Never(Infallible);

/// What can go wrong with either of two operands.
#[derive(Debug)]
pub enum Either<A, B> {
    /// With the first.
    First(A),
    /// With the second.
    Second(B),
}

impl Failure for Never {
    type Out<R> = R;

    #[inline(always)]
    fn out<R>(result: Result<R, Self>) -> R {
        match result {
            Ok(value) => value,
            Err(Self(never)) => match never {},
        }
    }
}

impl Failure for Error {
    type Out<R> = Result<R, Self>;

    #[inline(always)]
    fn out<R>(result: Result<R, Self>) -> Result<R, Self> {
        result
    }
}

impl Failure for Either<Never, Never> {
    type Out<R> = R;

    #[inline(always)]
    fn out<R>(result: Result<R, Self>) -> R {
        match result {
            Ok(value) => value,
            Err(Self::First(Never(never)) | Self::Second(Never(never))) => match never {},
        }
    }
}

macro_rules! either_fails {
    ($($first:ty, $second:ty;)*) => {$(
        impl Failure for Either<$first, $second> {
            type Out<R> = Result<R, Error>;

            #[inline(always)]
            fn out<R>(result: Result<R, Self>) -> Result<R, Error> {
                match result {
                    Ok(value) => Ok(value),
                    Err(Self::First(error)) => Err(error.into_error()),
                    Err(Self::Second(error)) => Err(error.into_error()),
                }
            }
        }
    )*};
}

either_fails! {
    Error, Never;
    Never, Error;
    Error, Error;
}

/// What can go wrong with one operand, as a refusal.
pub trait IntoError {
    /// The refusal.
    fn into_error(self) -> Error;
}

impl IntoError for Never {
    fn into_error(self) -> Error {
        match self.0 {}
    }
}

impl IntoError for Error {
    #[inline(always)]
    fn into_error(self) -> Error {
        self
    }
}

/// The value of a form without run-time indices.
#[inline(always)]
pub fn value<R, F: Failure>(result: Result<R, F>) -> F::Out<R> {
    F::out(result)
}

/// What can be the source of `N` elements.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no source of {N} elements of `{T}`",
    label = "an array, a nested array, a slice or a `Vec` of `{T}` is needed",
    note = "the element type and the dimensions stand in `<...>`"
)]
pub trait Source<T, const N: usize> {
    /// [`Never`], or a length that is looked at.
    type Error: IntoError;

    /// The elements; `name` is for the refusal.
    ///
    /// # Errors
    /// Another length than `N`.
    fn view(&self, name: &'static str) -> Result<&[T; N], Self::Error>;
}

/// What can be the destination of `N` elements.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no destination of {N} elements of `{T}`",
    label = "an array, a nested array, a slice or a `Vec` of `{T}` is needed",
    note = "the number of elements is that of the result"
)]
pub trait Destination<T, const N: usize> {
    /// [`Never`], or a length that is looked at.
    type Error: IntoError;

    /// The elements; `name` is for the refusal.
    ///
    /// # Errors
    /// Another length than `N`.
    fn view(&mut self, name: &'static str) -> Result<&mut [T; N], Self::Error>;
}

/// A mutable borrow of anything, by a method call.
pub trait Borrow {
    /// The borrow.
    fn __xslice_borrow(&mut self) -> &mut Self;
}

impl<D: ?Sized> Borrow for D {
    #[inline(always)]
    fn __xslice_borrow(&mut self) -> &mut Self {
        self
    }
}

/// Pointers to what can be an operand.
macro_rules! behind {
    ($($what:ident [$($mut:ident)?] $pointer:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<S: $what<T, N> + ?Sized, T, const N: usize> $what<T, N> for $pointer {
            type Error = S::Error;

            #[inline(always)]
            fn view(&$($mut)? self, name: &'static str) -> Result<&$($mut)? [T; N], S::Error> {
                (**self).view(name)
            }
        }
    )*};
}

behind! {
    Source [] &S;
    Source [] &mut S;
    Source [] Box<S>;
    Source [] alloc::rc::Rc<S>;
    Source [] alloc::sync::Arc<S>;
    Destination [mut] &mut S;
    Destination [mut] Box<S>;
}

#[diagnostic::do_not_recommend]
impl<T, const N: usize> Source<T, N> for [T; N] {
    type Error = Never;

    #[inline(always)]
    fn view(&self, _: &'static str) -> Result<&[T; N], Never> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T, const N: usize> Destination<T, N> for [T; N] {
    type Error = Never;

    #[inline(always)]
    fn view(&mut self, _: &'static str) -> Result<&mut [T; N], Never> {
        Ok(self)
    }
}

/// Operands whose length is known when they are given.
macro_rules! by_length {
    ($($(#[$cfg:meta])* [$($generics:tt)*] $operand:ty => $shared:ident, $unique:ident;)*) => {$(
        $(#[$cfg])*
        #[diagnostic::do_not_recommend]
        impl<$($generics)*, const N: usize> Source<T, N> for $operand {
            type Error = Error;

            #[inline]
            fn view(&self, name: &'static str) -> Result<&[T; N], Error> {
                $shared(self, name)
            }
        }

        $(#[$cfg])*
        #[diagnostic::do_not_recommend]
        impl<$($generics)*, const N: usize> Destination<T, N> for $operand {
            type Error = Error;

            #[inline]
            fn view(&mut self, name: &'static str) -> Result<&mut [T; N], Error> {
                $unique(self, name)
            }
        }
    )*};
}

by_length! {
    [T] [T] => shared, unique;
    [T] Vec<T> => shared, unique;
}

#[inline]
fn shared<'a, T, const N: usize>(
    elements: &'a [T],
    name: &'static str,
) -> Result<&'a [T; N], Error> {
    elements
        .as_array()
        .ok_or_else(|| wrong_length(elements.len(), N, name))
}

#[inline]
fn unique<'a, T, const N: usize>(
    elements: &'a mut [T],
    name: &'static str,
) -> Result<&'a mut [T; N], Error> {
    let len = elements.len();
    elements
        .as_mut_array()
        .ok_or_else(|| wrong_length(len, N, name))
}

/// The refusal that a kernel's call gives.
#[cold]
fn wrong_length(given: usize, needed: usize, name: &'static str) -> Error {
    Error::new(
        ErrorKind::OperandLength,
        format!("`{name}` has {given} elements"),
    )
    .parameter(name)
    .value(given)
    .allowed(format!("{needed} elements"))
}

#[cfg(feature = "ndarray")]
mod views {
    use super::{Destination, Error, ErrorKind, Source, format};
    use ndarray::{ArrayBase, Data, DataMut, Dimension};

    #[diagnostic::do_not_recommend]
    impl<T, S, D, const N: usize> Source<T, N> for ArrayBase<S, D, T>
    where
        S: Data<Elem = T>,
        D: Dimension,
    {
        type Error = Error;

        fn view(&self, name: &'static str) -> Result<&[T; N], Error> {
            let elements = self
                .as_slice()
                .ok_or_else(|| wrong_layout(self.strides(), name));
            elements.and_then(|elements| super::shared(elements, name))
        }
    }

    #[diagnostic::do_not_recommend]
    impl<T, S, D, const N: usize> Destination<T, N> for ArrayBase<S, D, T>
    where
        S: DataMut<Elem = T>,
        D: Dimension,
    {
        type Error = Error;

        fn view(&mut self, name: &'static str) -> Result<&mut [T; N], Error> {
            if !self.is_standard_layout() {
                return Err(wrong_layout(self.strides(), name));
            }
            super::unique(self.as_slice_mut().unwrap_or_default(), name)
        }
    }

    #[cold]
    fn wrong_layout(strides: &[isize], name: &'static str) -> Error {
        let text = format!("`{name}` has strides {strides:?}");
        Error::new(ErrorKind::OperandLayout, text)
            .parameter(name)
            .value(format!("{strides:?}"))
            .allowed("row-major elements in one piece")
            .hint("copy it first, or use `Jit`, which takes any strides")
    }
}

/// An array of a constant, flat or nested; `T` is its element.
#[derive(Debug)]
pub struct Flat<'a, A: ?Sized, T>(&'a A, core::marker::PhantomData<T>);

impl<'a, A: ?Sized, T> Flat<'a, A, T> {
    /// Of this array.
    #[must_use]
    pub const fn of(array: &'a A) -> Self {
        Self(array, core::marker::PhantomData)
    }
}

impl<'a, T, const N: usize> Flat<'a, [T; N], T> {
    /// The elements.
    #[must_use]
    pub const fn array(self) -> &'a [T; N] {
        self.0
    }
}

impl<'a, T, const N: usize> Flat<'a, &[T; N], T> {
    /// The elements.
    #[must_use]
    pub const fn array(self) -> &'a [T; N] {
        self.0
    }
}

/// Arrays in arrays: what holds as many elements, row-major.
macro_rules! nested {
    ($($array:ty, $len:expr, [$($dim:ident),+], $($flatten:ident).+;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T, $(const $dim: usize,)+ const N: usize> Source<T, N> for $array {
            type Error = Never;

            #[inline(always)]
            fn view(&self, _: &'static str) -> Result<&[T; N], Never> {
                Ok(Flat::<Self, T>::of(self).array())
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T, $(const $dim: usize,)+ const N: usize> Destination<T, N> for $array {
            type Error = Never;

            #[inline(always)]
            fn view(&mut self, _: &'static str) -> Result<&mut [T; N], Never> {
                const { same_length($len, N) };
                Ok(nested!(mut self, $($flatten).+))
            }
        }

        impl<'a, T, $(const $dim: usize,)+> Flat<'a, $array, T> {
            /// The elements.
            #[must_use]
            #[inline(always)]
            pub const fn array<const N: usize>(self) -> &'a [T; N] {
                const { same_length($len, N) };
                match self.0$(.$flatten())+.as_array() {
                    Some(array) => array,
                    None => unreachable!(),
                }
            }
        }
    )*};
    (mut $array:ident, $($flatten:ident).+) => {
        match nested!(@ $array, $($flatten).+).as_mut_array() {
            Some(array) => array,
            None => unreachable!(),
        }
    };
    (@ $array:expr, $first:ident) => { $array.as_flattened_mut() };
    (@ $array:expr, $first:ident.$($rest:ident).+) => {
        nested!(@ $array.as_flattened_mut(), $($rest).+)
    };
}

nested! {
    [[T; B]; A], A * B, [A, B], as_flattened;
    [[[T; C]; B]; A], A * B * C, [A, B, C], as_flattened.as_flattened;
    [[[[T; D]; C]; B]; A], A * B * C * D, [A, B, C, D], as_flattened.as_flattened.as_flattened;
    [[[[[T; E]; D]; C]; B]; A], A * B * C * D * E, [A, B, C, D, E],
        as_flattened.as_flattened.as_flattened.as_flattened;
    [[[[[[T; F]; E]; D]; C]; B]; A], A * B * C * D * E * F, [A, B, C, D, E, F],
        as_flattened.as_flattened.as_flattened.as_flattened.as_flattened;
}

/// Fails at compile time.
const fn same_length(given: usize, needed: usize) {
    assert!(
        given == needed,
        "a nested array has another number of elements than `xslice!` needs"
    );
}

/// An index counted from the end if it is negative. It has been checked.
#[inline(always)]
#[must_use]
pub const fn wrap(index: i64, size: i64) -> usize {
    (if index < 0 { index + size } else { index }) as usize
}

type Origin<'a> = (&'a str, usize, &'a [usize]);

/// Refuses the first index outside of `-size..size`; `loops` are turns and strides in the table.
///
/// # Errors
/// That of every engine.
pub fn check<I: Copy + Into<i64>>(
    table: &[I],
    offset: usize,
    loops: &[(usize, isize)],
    size: i64,
    origin: Origin<'_>,
) -> Result<(), Error> {
    let outside = |index: &I| !(-size..size).contains(&(*index).into());
    if let [(count, 1)] = *loops
        && let Some(run) = table.get(offset..offset + count)
    {
        // Without a branch for each, so that the compiler vectorises it.
        if !run.iter().fold(false, |any, index| any | outside(index)) {
            return Ok(());
        }
    }
    let mut counters = [0usize; 32];
    let count: usize = loops.iter().map(|(extent, _)| extent).product();
    for at in 0..count {
        let mut rest = at;
        for (counter, (extent, _)) in counters.iter_mut().zip(loops).rev() {
            *counter = rest % extent;
            rest /= extent;
        }
        let step = |(counter, (_, stride)): (&usize, &(usize, isize))| {
            counter.wrapping_mul(stride.cast_unsigned())
        };
        let position = counters
            .iter()
            .zip(loops)
            .map(step)
            .fold(offset, usize::wrapping_add);
        if let Some(index) = table.get(position) {
            check_one(*index, size, at, origin)?;
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
    if (-size..size).contains(&index) {
        return Ok(());
    }
    Err(crate::refuse_index(origin, size, index, at))
}

/// A value of any type, never made: what stands where an invocation is refused.
#[must_use]
pub const fn dummy<T>() -> T {
    panic!("the invocation is refused")
}
