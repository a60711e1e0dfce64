//! What the operands of an expression can be: arrays, nested arrays, slices, `Vec`, views, and pointers to them, as references to flat
//! arrays. Whether a length must be looked at is said by the type of the operand, and so is whether the value is a `Result`.
//!
//! A crate may have hundreds of invocations, each with types of its own, so what counts here is how many functions the compiler makes for
//! one: a single method call for a source, and one more for a destination.

use super::alloc::{self, boxed::Box, format, vec::Vec};
use crate::{Element, Error, ErrorKind};

/// What can be the source of `N` elements. Its methods are called as such, so that a reference costs no step of its own; all that they take
/// is in the type of the function that moves.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no source of {N} elements of `{T}`",
    label = "an array, a nested array, a slice or a `Vec` of `{T}` is needed",
    note = "the element type and the dimensions stand in `<...>`"
)]
pub trait Source<T, const N: usize> {
    /// What the value of an invocation becomes: itself if the length is in the type, so that such a form has no way to fail, or a `Result`.
    type Out<R>;

    /// Calls the function; `name` is for the refusal.
    fn __xslice_call<R>(&self, name: &'static str, run: fn(&[T; N]) -> R) -> Self::Out<R>;

    /// The same with a destination.
    fn __xslice_into<U, const M: usize>(
        &self,
        name: &'static str,
        run: fn(&[T; N], &mut [U; M]),
        dst: &mut [U; M],
    ) -> Self::Out<()>;

    /// The elements.
    ///
    /// # Errors
    /// Another length than `N`.
    fn __xslice_source(&self, name: &'static str) -> Result<&[T; N], Error>;
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
    fn __xslice_fill(&mut self, run: fn(&mut [T; N])) -> Self::Out<()>;

    /// Calls the function on a source.
    fn __xslice_move<S: Source<U, M> + ?Sized, U, const M: usize>(
        &mut self,
        src: &S,
        name: &'static str,
        run: fn(&[U; M], &mut [T; N]),
    ) -> Self::Out<S::Out<()>>;

    /// The elements.
    ///
    /// # Errors
    /// Another length than `N`.
    fn __xslice_destination(&mut self) -> Result<&mut [T; N], Error>;
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
                name: &'static str,
                run: fn(&[$unresolved; 0]) -> R,
            ) -> Result<R, Error> {
                self.__xslice_source(name).map(run)
            }

            fn __xslice_into<U, const M: usize>(
                &self,
                name: &'static str,
                run: fn(&[$unresolved; 0], &mut [U; M]),
                dst: &mut [U; M],
            ) -> Result<(), Error> {
                self.__xslice_source(name).map(|src| run(src, dst))
            }

            fn __xslice_source(&self, _: &'static str) -> Result<&[$unresolved; 0], Error> {
                Ok(&[])
            }
        }

        #[diagnostic::do_not_recommend]
        impl<D: ?Sized> Destination<$unresolved, 0> for D {
            type Out<R> = Result<(), Error>;

            fn __xslice_fill(&mut self, run: fn(&mut [$unresolved; 0])) -> Result<(), Error> {
                self.__xslice_destination().map(run)
            }

            fn __xslice_move<S: Source<U, M> + ?Sized, U, const M: usize>(
                &mut self,
                src: &S,
                name: &'static str,
                run: fn(&[U; M], &mut [$unresolved; 0]),
            ) -> Result<(), Error> {
                run(src.__xslice_source(name)?, self.__xslice_destination()?);
                Ok(())
            }

            fn __xslice_destination(&mut self) -> Result<&mut [$unresolved; 0], Error> {
                Ok(&mut [])
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
            fn __xslice_call<R>(&self, name: &'static str, run: fn(&[T; N]) -> R) -> S::Out<R> {
                (**self).__xslice_call(name, run)
            }

            #[inline]
            fn __xslice_into<U, const M: usize>(
                &self,
                name: &'static str,
                run: fn(&[T; N], &mut [U; M]),
                dst: &mut [U; M],
            ) -> S::Out<()> {
                (**self).__xslice_into(name, run, dst)
            }

            #[inline]
            fn __xslice_source(&self, name: &'static str) -> Result<&[T; N], Error> {
                (**self).__xslice_source(name)
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
            fn __xslice_fill(&mut self, run: fn(&mut [T; N])) -> D::Out<()> {
                (**self).__xslice_fill(run)
            }

            #[inline]
            fn __xslice_move<S: Source<U, M> + ?Sized, U, const M: usize>(
                &mut self,
                src: &S,
                name: &'static str,
                run: fn(&[U; M], &mut [T; N]),
            ) -> D::Out<S::Out<()>> {
                (**self).__xslice_move(src, name, run)
            }

            #[inline]
            fn __xslice_destination(&mut self) -> Result<&mut [T; N], Error> {
                (**self).__xslice_destination()
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
            fn __xslice_call<R>(&$self, _: &'static str, run: fn(&[T; N]) -> R) -> R {
                run($shared)
            }

            #[inline]
            fn __xslice_into<U, const M: usize>(
                &$self,
                _: &'static str,
                run: fn(&[T; N], &mut [U; M]),
                dst: &mut [U; M],
            ) {
                run($shared, dst);
            }

            #[inline]
            fn __xslice_source(&$self, _: &'static str) -> Result<&[T; N], Error> {
                Ok($shared)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: Element, $(const $dim: usize,)* const N: usize> Destination<T, N> for $array {
            type Out<R> = R;

            #[inline]
            fn __xslice_fill(&mut $self, run: fn(&mut [T; N])) {
                run($unique);
            }

            #[inline]
            fn __xslice_move<S: Source<U, M> + ?Sized, U, const M: usize>(
                &mut $self,
                src: &S,
                name: &'static str,
                run: fn(&[U; M], &mut [T; N]),
            ) -> S::Out<()> {
                src.__xslice_into(name, run, $unique)
            }

            #[inline]
            fn __xslice_destination(&mut $self) -> Result<&mut [T; N], Error> {
                Ok($unique)
            }
        }
    )*};
}

arrays! {
    [] [T; N], self => self, self;
}

/// Operands whose length is known when they are given.
macro_rules! by_length {
    ($([$($source:tt)*] [$($destination:tt)*] $operand:ty, $self:ident, $name:ident => $shared:expr, $unique:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($source)*, const N: usize> Source<T, N> for $operand {
            type Out<R> = Result<R, Error>;

            fn __xslice_call<R>(
                &self,
                name: &'static str,
                run: fn(&[T; N]) -> R,
            ) -> Result<R, Error> {
                self.__xslice_source(name).map(run)
            }

            fn __xslice_into<U, const M: usize>(
                &self,
                name: &'static str,
                run: fn(&[T; N], &mut [U; M]),
                dst: &mut [U; M],
            ) -> Result<(), Error> {
                run(self.__xslice_source(name)?, dst);
                Ok(())
            }

            #[inline]
            fn __xslice_source(&$self, $name: &'static str) -> Result<&[T; N], Error> {
                $shared
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($destination)*, const N: usize> Destination<T, N> for $operand {
            type Out<R> = Result<(), Error>;

            fn __xslice_fill(&mut self, run: fn(&mut [T; N])) -> Result<(), Error> {
                self.__xslice_destination().map(run)
            }

            fn __xslice_move<S: Source<U, M> + ?Sized, U, const M: usize>(
                &mut self,
                src: &S,
                name: &'static str,
                run: fn(&[U; M], &mut [T; N]),
            ) -> Result<(), Error> {
                run(src.__xslice_source(name)?, self.__xslice_destination()?);
                Ok(())
            }

            #[inline]
            fn __xslice_destination(&mut $self) -> Result<&mut [T; N], Error> {
                $unique
            }
        }
    )*};
}

by_length! {
    [T: Element] [T: Element] [T], self, name => match self.as_array() {
        Some(array) => Ok(array),
        None => Err(wrong_length(self.len(), N, name)),
    }, {
        let len = self.len();
        match self.as_mut_array() {
            Some(array) => Ok(array),
            None => Err(wrong_length(len, N, OUTPUT)),
        }
    };
    [T: Element] [T: Element] Vec<T>, self, name =>
        self.as_slice().__xslice_source(name), self.as_mut_slice().__xslice_destination();
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
    use super::{Destination, Element, Error, ErrorKind, OUTPUT, Source, format};
    use ndarray::{ArrayBase, Data, DataMut, Dimension};

    by_length! {
        [T: Element, V: Data<Elem = T>, D: Dimension] [T: Element, V: DataMut<Elem = T>, D: Dimension]
        ArrayBase<V, D, T>, self, name => match self.as_slice() {
            Some(elements) => elements.__xslice_source(name),
            None => Err(wrong_layout(self.strides(), name)),
        }, match self.is_standard_layout() {
            true => self.as_slice_mut().unwrap_or_default().__xslice_destination(),
            false => Err(wrong_layout(self.strides(), OUTPUT)),
        };
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
    ($($array:ty, $len:expr, [$($dim:ident)+], $($flatten:ident).+;)*) => {$(
        arrays! {
            [$($dim)+] $array, self => Flat::<Self, T>::of(self).array(), {
                const { same_length($len, N) };
                nested!(mut self, $($flatten).+)
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
    (mut $array:expr, $($flatten:ident).+) => {
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
