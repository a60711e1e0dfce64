//! What the operands of an expression can be: arrays, nested arrays, slices, `Vec`, views, and pointers to them, as references to flat
//! arrays. Whether a length must be looked at is said by the type of the operand, and so is whether the value is a `Result`.
//!
//! A crate may have hundreds of invocations, each with types of its own, so what counts here is how many functions the compiler makes for
//! one: a single method call for a source, and one more for a destination.

use super::alloc::{self, boxed::Box, format, vec::Vec};
use crate::{Element, Error, ErrorKind};
use core::marker::PhantomData;

/// What is needed, as a type: the compiler compares it.
type Need<T, const N: usize> = PhantomData<[T; N]>;

/// What can be the source of `N` elements. Its methods are called as such, so that a reference costs no step of its own. Functions take
/// slices: for each type of array the compiler would make them anew, and pointers to them, and results.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no source of {N} elements of `{T}`",
    label = "an array, a nested array, a slice or a `Vec` of `{T}` is needed",
    note = "the element type and the dimensions stand in `<...>`"
)]
pub trait Source<T, const N: usize> {
    /// What the value of an invocation becomes: itself if the length is in the type, so that such a form has no way to fail, or a `Result`.
    type Out<R>;

    /// Calls the function; `name` is for the refusal.
    fn __xslice_call<R>(
        &self,
        name: &'static str,
        need: Need<T, N>,
        run: fn(&[T]) -> R,
    ) -> Self::Out<R>;

    /// The same with a destination.
    fn __xslice_into<U>(
        &self,
        name: &'static str,
        run: fn(&[T], &mut [U]),
        dst: &mut [U],
    ) -> Self::Out<()>;

    /// The elements.
    fn __xslice_source(&self, name: &'static str, need: Need<T, N>) -> Given<'_, T>;
}

/// What can be the destination of `N` elements. A method call borrows what is no reference yet and borrows again what is one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no destination of {N} elements of `{T}`",
    label = "an array, a nested array, a slice or a `Vec` of `{T}` is needed",
    note = "the number of elements is that of the result"
)]
pub trait Destination<T, const N: usize> {
    /// What the value of an invocation becomes, given what the source makes of it.
    type Out<R>;

    /// Calls the function.
    fn __xslice_fill(&mut self, need: Need<T, N>, run: fn(&mut [T])) -> Self::Out<()>;

    /// Calls the function on a source of `M` elements.
    fn __xslice_move<S: Source<U, M> + ?Sized, U, const M: usize>(
        &mut self,
        src: &S,
        name: &'static str,
        needs: (Need<U, M>, Need<T, N>),
        run: fn(&[U], &mut [T]),
    ) -> Self::Out<S::Out<()>>;

    /// The elements.
    fn __xslice_destination(&mut self, need: Need<T, N>) -> Place<'_, T>;
}

/// The name of a destination in refusals.
const OUTPUT: &str = "output";

/// No elements, for which everything is implemented: the compiler takes the only implementation that fits an operand, and would refuse the
/// function instead of the operand. With two more it looks at the function first.
macro_rules! unresolved {
    ($($unresolved:ident)*) => {$(
        #[derive(Debug)]
        pub struct $unresolved;

        #[diagnostic::do_not_recommend]
        impl<S: ?Sized> Source<$unresolved, 0> for S {
            type Out<R> = Result<R, Error>;

            fn __xslice_call<R>(
                &self,
                _: &'static str,
                _: Need<$unresolved, 0>,
                run: fn(&[$unresolved]) -> R,
            ) -> Result<R, Error> {
                Ok(run(&[]))
            }

            fn __xslice_into<U>(
                &self,
                _: &'static str,
                run: fn(&[$unresolved], &mut [U]),
                dst: &mut [U],
            ) -> Result<(), Error> {
                run(&[], dst);
                Ok(())
            }

            fn __xslice_source(&self, name: &'static str, _: Need<$unresolved, 0>) -> Given<'_, $unresolved> {
                Given::new(Ok(&[]), 0, name)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<D: ?Sized> Destination<$unresolved, 0> for D {
            type Out<R> = Result<(), Error>;

            fn __xslice_fill(
                &mut self,
                _: Need<$unresolved, 0>,
                run: fn(&mut [$unresolved]),
            ) -> Result<(), Error> {
                run(&mut []);
                Ok(())
            }

            fn __xslice_move<S: Source<U, M> + ?Sized, U, const M: usize>(
                &mut self,
                src: &S,
                name: &'static str,
                (need, _): (Need<U, M>, Need<$unresolved, 0>),
                run: fn(&[U], &mut [$unresolved]),
            ) -> Result<(), Error> {
                run(src.__xslice_source(name, need).admit()?, &mut []);
                Ok(())
            }

            fn __xslice_destination(&mut self, _: Need<$unresolved, 0>) -> Place<'_, $unresolved> {
                Place::new(Ok(&mut []), 0)
            }
        }
    )*};
}

unresolved! { Neither Nor }

/// Pointers to what can be a source.
macro_rules! sources_behind {
    ($($pointer:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<S: Source<T, N> + ?Sized, T: Element, const N: usize> Source<T, N> for $pointer {
            type Out<R> = S::Out<R>;

            #[inline]
            fn __xslice_call<R>(
                &self,
                name: &'static str,
                need: Need<T, N>,
                run: fn(&[T]) -> R,
            ) -> S::Out<R> {
                (**self).__xslice_call(name, need, run)
            }

            #[inline]
            fn __xslice_into<U>(
                &self,
                name: &'static str,
                run: fn(&[T], &mut [U]),
                dst: &mut [U],
            ) -> S::Out<()> {
                (**self).__xslice_into(name, run, dst)
            }

            #[inline]
            fn __xslice_source(&self, name: &'static str, need: Need<T, N>) -> Given<'_, T> {
                (**self).__xslice_source(name, need)
            }
        }
    )*};
}

sources_behind! {
    &S;
    &mut S;
    Box<S>;
    alloc::rc::Rc<S>;
    alloc::sync::Arc<S>;
}

/// Pointers to what can be a destination.
macro_rules! destinations_behind {
    ($($pointer:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<D: Destination<T, N> + ?Sized, T: Element, const N: usize> Destination<T, N> for $pointer {
            type Out<R> = D::Out<R>;

            #[inline]
            fn __xslice_fill(&mut self, need: Need<T, N>, run: fn(&mut [T])) -> D::Out<()> {
                (**self).__xslice_fill(need, run)
            }

            #[inline]
            fn __xslice_move<S: Source<U, M> + ?Sized, U, const M: usize>(
                &mut self,
                src: &S,
                name: &'static str,
                needs: (Need<U, M>, Need<T, N>),
                run: fn(&[U], &mut [T]),
            ) -> D::Out<S::Out<()>> {
                (**self).__xslice_move(src, name, needs, run)
            }

            #[inline]
            fn __xslice_destination(&mut self, need: Need<T, N>) -> Place<'_, T> {
                (**self).__xslice_destination(need)
            }
        }
    )*};
}

destinations_behind! {
    &mut D;
    Box<D>;
}

/// Operands whose length is in their type: how they become flat.
macro_rules! arrays {
    ($([$($dim:ident)*] $array:ty, $self:ident => $shared:expr, $unique:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Element, $(const $dim: usize,)* const N: usize> Source<T, N> for $array {
            type Out<R> = R;

            #[inline]
            fn __xslice_call<R>(&$self, _: &'static str, _: Need<T, N>, run: fn(&[T]) -> R) -> R {
                run($shared)
            }

            #[inline]
            fn __xslice_into<U>(
                &$self,
                _: &'static str,
                run: fn(&[T], &mut [U]),
                dst: &mut [U],
            ) {
                run($shared, dst);
            }

            #[inline]
            fn __xslice_source(&$self, name: &'static str, _: Need<T, N>) -> Given<'_, T> {
                Given::new(Ok($shared), N, name)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: Element, $(const $dim: usize,)* const N: usize> Destination<T, N> for $array {
            type Out<R> = R;

            #[inline]
            fn __xslice_fill(&mut $self, _: Need<T, N>, run: fn(&mut [T])) {
                run($unique);
            }

            #[inline]
            fn __xslice_move<S: Source<U, M> + ?Sized, U, const M: usize>(
                &mut $self,
                src: &S,
                name: &'static str,
                _: (Need<U, M>, Need<T, N>),
                run: fn(&[U], &mut [T]),
            ) -> S::Out<()> {
                src.__xslice_into(name, run, $unique)
            }

            #[inline]
            fn __xslice_destination(&mut $self, _: Need<T, N>) -> Place<'_, T> {
                Place::new(Ok($unique), N)
            }
        }
    )*};
}

arrays! {
    [] [T; N], self => self, self;
}

/// Operands whose length is known when they are given.
macro_rules! by_length {
    ($([$($source:tt)*] [$($destination:tt)*] $operand:ty, $self:ident => $shared:expr, $unique:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($source)*, const N: usize> Source<T, N> for $operand {
            type Out<R> = Result<R, Error>;

            #[inline]
            fn __xslice_call<R>(
                &self,
                name: &'static str,
                need: Need<T, N>,
                run: fn(&[T]) -> R,
            ) -> Result<R, Error> {
                self.__xslice_source(name, need).admit().map(run)
            }

            #[inline]
            fn __xslice_into<U>(
                &self,
                name: &'static str,
                run: fn(&[T], &mut [U]),
                dst: &mut [U],
            ) -> Result<(), Error> {
                run(self.__xslice_source(name, PhantomData::<[T; N]>).admit()?, dst);
                Ok(())
            }

            #[inline]
            fn __xslice_source(&$self, name: &'static str, _: Need<T, N>) -> Given<'_, T> {
                Given::new($shared, N, name)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($destination)*, const N: usize> Destination<T, N> for $operand {
            type Out<R> = Result<(), Error>;

            #[inline]
            fn __xslice_fill(&mut self, need: Need<T, N>, run: fn(&mut [T])) -> Result<(), Error> {
                self.__xslice_destination(need).admit().map(run)
            }

            #[inline]
            fn __xslice_move<S: Source<U, M> + ?Sized, U, const M: usize>(
                &mut self,
                src: &S,
                name: &'static str,
                (from, to): (Need<U, M>, Need<T, N>),
                run: fn(&[U], &mut [T]),
            ) -> Result<(), Error> {
                run(src.__xslice_source(name, from).admit()?, self.__xslice_destination(to).admit()?);
                Ok(())
            }

            #[inline]
            fn __xslice_destination(&mut $self, _: Need<T, N>) -> Place<'_, T> {
                Place::new($unique, N)
            }
        }
    )*};
}

by_length! {
    [T: Element] [T: Element] [T], self => Ok(self), Ok(self);
    [T: Element] [T: Element] Vec<T>, self => Ok(self), Ok(self);
}

/// A source as it was given, before its length is compared. It owns nothing, so the compiler writes no way to drop it at every call.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a, T> {
    /// The elements, or the strides of what is not row-major in one piece.
    elements: Result<&'a [T], &'a [isize]>,
    len: usize,
    name: &'static str,
}

impl<'a, T> Given<'a, T> {
    #[inline]
    fn new(elements: Result<&'a [T], &'a [isize]>, len: usize, name: &'static str) -> Self {
        Self {
            elements,
            len,
            name,
        }
    }
}

/// The same of a destination.
#[derive(Debug)]
pub struct Place<'a, T> {
    elements: Result<&'a mut [T], &'a [isize]>,
    len: usize,
}

impl<'a, T> Place<'a, T> {
    #[inline]
    fn new(elements: Result<&'a mut [T], &'a [isize]>, len: usize) -> Self {
        Self { elements, len }
    }
}

/// Operands as they were given: none, one, or pairs of operands.
pub trait Operands {
    /// The elements, in pairs as the operands are.
    type Elements;

    /// The elements.
    ///
    /// # Errors
    /// What is wrong with the first operand with which anything is: its length, its strides.
    fn admit(self) -> Result<Self::Elements, Error>;
}

impl<'a, T> Operands for Given<'a, T> {
    type Elements = &'a [T];

    #[inline]
    fn admit(self) -> Result<&'a [T], Error> {
        match self.elements {
            Ok(elements) if elements.len() == self.len => Ok(elements),
            Ok(elements) => Err(wrong_length(elements.len(), self.len, self.name)),
            Err(strides) => Err(wrong_layout(strides, self.name)),
        }
    }
}

impl<'a, T> Operands for Place<'a, T> {
    type Elements = &'a mut [T];

    #[inline]
    fn admit(self) -> Result<&'a mut [T], Error> {
        match self.elements {
            Ok(elements) if elements.len() == self.len => Ok(elements),
            Ok(elements) => Err(wrong_length(elements.len(), self.len, OUTPUT)),
            Err(strides) => Err(wrong_layout(strides, OUTPUT)),
        }
    }
}

impl Operands for () {
    type Elements = ();

    #[inline]
    fn admit(self) -> Result<(), Error> {
        Ok(())
    }
}

impl<A: Operands, B: Operands> Operands for (A, B) {
    type Elements = (A::Elements, B::Elements);

    #[inline]
    fn admit(self) -> Result<Self::Elements, Error> {
        Ok((self.0.admit()?, self.1.admit()?))
    }
}

/// Calls the function on the elements of operands.
///
/// # Errors
/// What is wrong with an operand, then what the function finds.
#[inline]
pub fn call<O: Operands, R>(
    operands: O,
    run: fn(O::Elements) -> Result<R, Error>,
) -> Result<R, Error> {
    run(operands.admit()?)
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

#[cold]
fn wrong_layout(strides: &[isize], name: &'static str) -> Error {
    let text = format!("`{name}` has strides {strides:?}");
    Error::new(ErrorKind::OperandLayout, text)
        .parameter(name)
        .value(format!("{strides:?}"))
        .allowed("row-major elements in one piece")
        .hint("copy it first, or use `Jit`, which takes any strides")
}

#[cfg(feature = "ndarray")]
mod views {
    use super::{Destination, Element, Error, Given, Need, Operands, PhantomData, Place, Source};
    use ndarray::{ArrayBase, Data, DataMut, Dimension};

    by_length! {
        [T: Element, V: Data<Elem = T>, D: Dimension] [T: Element, V: DataMut<Elem = T>, D: Dimension]
        ArrayBase<V, D, T>, self => self.as_slice().ok_or(self.strides()),
        match self.is_standard_layout() {
            true => Ok(self.as_slice_mut().unwrap_or_default()),
            false => Err(self.strides()),
        };
    }
}

/// An array of a constant, flat or nested; `T` is its element.
#[derive(Debug)]
pub struct Flat<'a, A: ?Sized, T>(&'a A, PhantomData<T>);

impl<'a, A: ?Sized, T> Flat<'a, A, T> {
    /// Of this array.
    #[must_use]
    pub const fn of(array: &'a A) -> Self {
        Self(array, PhantomData)
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
    ($($array:ty, $len:expr, [$($dim:ident)+], $($flatten:ident).+;)*) => {$(
        arrays! {
            [$($dim)+] $array, self => {
                const { same_length($len, N) };
                self$(.$flatten())+
            }, {
                const { same_length($len, N) };
                nested!(self, $($flatten).+)
            };
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
    ($array:expr, $first:ident) => { $array.as_flattened_mut() };
    ($array:expr, $first:ident.$($rest:ident).+) => {
        nested!($array.as_flattened_mut(), $($rest).+)
    };
}

nested! {
    [[T; B]; A], A * B, [A B], as_flattened;
    [[[T; C]; B]; A], A * B * C, [A B C], as_flattened.as_flattened;
    [[[[T; D]; C]; B]; A], A * B * C * D, [A B C D], as_flattened.as_flattened.as_flattened;
    [[[[[T; E]; D]; C]; B]; A], A * B * C * D * E, [A B C D E],
        as_flattened.as_flattened.as_flattened.as_flattened;
    [[[[[[T; F]; E]; D]; C]; B]; A], A * B * C * D * E * F, [A B C D E F],
        as_flattened.as_flattened.as_flattened.as_flattened.as_flattened;
}

/// Fails at compile time.
const fn same_length(given: usize, needed: usize) {
    assert!(
        given == needed,
        "a nested array has another number of elements than `xslice!` needs"
    );
}
