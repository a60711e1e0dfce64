//! What the operands of an expression can be: arrays, nested arrays, slices, `Vec`, views, and pointers to them, as flat slices. Whether a
//! length must be looked at is said by the type of the operand, and so is whether the value is a `Result`.
//!
//! A crate may have hundreds of invocations, each with types of its own, so what counts here is how many functions the compiler makes for
//! one: a method without a loop or a branch for each array, and nothing else that knows a length. What is needed is a constant, whose value
//! a slice is compared with, and whose type has been compared with that of an array.

use super::alloc::{self, boxed::Box, format, vec::Vec};
use crate::{Element, Error, ErrorKind};
use core::convert::Infallible;
use core::marker::PhantomData;

/// The number of elements of `T` that are needed of an operand of type `S`: what is in the type has been compared.
#[derive(Debug)]
pub struct Need<S: ?Sized, T> {
    len: usize,
    of: PhantomData<(*const S, T)>,
}

impl<S: ?Sized, T> Need<S, T> {
    const fn of(len: usize) -> Self {
        let of = PhantomData;
        Self { len, of }
    }
}

/// What can be the source of `N` elements.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no source of {N} elements of `{T}`",
    label = "an array, a nested array, a slice or a `Vec` of `{T}` is needed",
    note = "the element type and the dimensions stand in `<...>`"
)]
pub trait Source<T, const N: usize>: AsSource<T> {
    /// `N`, which the compiler compares where the length is in the type.
    const NEED: Need<Self, T> = Need::of(N);
}

/// What can be the destination of `N` elements.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no destination of {N} elements of `{T}`",
    label = "an array, a nested array, a slice or a `Vec` of `{T}` is needed",
    note = "the number of elements is that of the result"
)]
pub trait Destination<T, const N: usize>: AsDestination<T> {
    /// `N`, which the compiler compares where the length is in the type.
    const NEED: Need<Self, T> = Need::of(N);
}

/// A source as a slice. Its method is called as such, so that a reference costs no step of its own, and knows no length but that of its own
/// type.
pub trait AsSource<T> {
    /// What may be wrong with it: nothing if the number of its elements is in the type, so that such a form has no way to fail.
    type Refusal: Refusal;

    /// The elements; `name` is for the refusal.
    fn __xslice_source(
        &self,
        name: &'static str,
        need: Need<Self, T>,
    ) -> Given<'_, &[T], Self::Refusal>;
}

/// A destination as a slice. A method call borrows what is no reference yet and borrows again what is one.
pub trait AsDestination<T> {
    /// What may be wrong with it.
    type Refusal: Refusal;

    /// The elements.
    fn __xslice_destination(&mut self, need: Need<Self, T>) -> Given<'_, &mut [T], Self::Refusal>;
}

/// What may be wrong with operands: nothing, which is [`Infallible`], or an error.
pub trait Refusal: Sized {
    /// What may be wrong with these operands or others.
    type Or<B: Refusal>: Refusal;
    /// A value, or a `Result` if there may be a refusal.
    type Value<V>;

    /// What a look at an operand says, if there may be anything.
    ///
    /// # Errors
    /// That.
    fn look(look: impl FnOnce() -> Result<(), Error>) -> Result<(), Self>;

    /// It was with these operands.
    fn first<B: Refusal>(self) -> Self::Or<B>;

    /// It was with the others.
    fn second<B: Refusal>(other: B) -> Self::Or<B>;

    /// As an error.
    fn error(self) -> Error;

    /// The value, if nothing was refused.
    fn value<V>(outcome: Result<(), Self>, value: V) -> Self::Value<V>;
}

impl Refusal for Infallible {
    type Or<B: Refusal> = B;
    type Value<V> = V;

    #[inline]
    fn look(_: impl FnOnce() -> Result<(), Error>) -> Result<(), Self> {
        Ok(())
    }

    #[inline]
    fn first<B: Refusal>(self) -> B {
        match self {}
    }

    #[inline]
    fn second<B: Refusal>(other: B) -> B {
        other
    }

    #[inline]
    fn error(self) -> Error {
        match self {}
    }

    #[inline]
    fn value<V>(_: Result<(), Self>, value: V) -> V {
        value
    }
}

impl Refusal for Error {
    type Or<B: Refusal> = Self;
    type Value<V> = Result<V, Self>;

    #[inline]
    fn look(look: impl FnOnce() -> Result<(), Error>) -> Result<(), Self> {
        look()
    }

    #[inline]
    fn first<B: Refusal>(self) -> Self {
        self
    }

    #[inline]
    fn second<B: Refusal>(other: B) -> Self {
        other.error()
    }

    #[inline]
    fn error(self) -> Self {
        self
    }

    #[inline]
    fn value<V>(outcome: Result<(), Self>, value: V) -> Result<V, Self> {
        match outcome {
            Ok(()) => Ok(value),
            Err(error) => Err(error),
        }
    }
}

/// An operand as a slice `E`, and what is to be compared if anything is. It owns nothing, so the compiler writes no way to drop it at every
/// call.
#[derive(Debug)]
pub struct Given<'a, E, R> {
    elements: E,
    len: usize,
    need: usize,
    /// Those of what is not row-major in one piece.
    strides: Option<&'a [isize]>,
    name: &'static str,
    refusal: PhantomData<R>,
}

impl<E> Given<'_, E, Infallible> {
    /// An operand with which nothing can be wrong.
    #[inline]
    pub(super) const fn whole(elements: E) -> Self {
        Self {
            elements,
            len: 0,
            need: 0,
            strides: None,
            name: "",
            refusal: PhantomData,
        }
    }
}

/// Operands as they were given: none, one, or pairs of operands.
pub trait Operands {
    /// The elements, in pairs as the operands are.
    type Elements;
    /// What may be wrong with them: lengths, strides.
    type Refusal: Refusal;

    /// The elements.
    ///
    /// # Errors
    /// What is wrong with the first operand with which anything is.
    fn admit(self) -> Result<Self::Elements, Self::Refusal>;
}

impl Operands for () {
    type Elements = ();
    type Refusal = Infallible;

    #[inline]
    fn admit(self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl<E, R: Refusal> Operands for Given<'_, E, R> {
    type Elements = E;
    type Refusal = R;

    #[inline]
    fn admit(self) -> Result<E, R> {
        let look = R::look(|| match self.strides {
            None if self.len == self.need => Ok(()),
            None => Err(wrong_length(self.name, self.len, self.need)),
            Some(strides) => Err(wrong_layout(strides, self.name)),
        });
        match look {
            Ok(()) => Ok(self.elements),
            Err(refusal) => Err(refusal),
        }
    }
}

impl<A: Operands, B: Operands> Operands for (A, B) {
    type Elements = (A::Elements, B::Elements);
    type Refusal = <A::Refusal as Refusal>::Or<B::Refusal>;

    #[inline]
    fn admit(self) -> Result<Self::Elements, Self::Refusal> {
        match self.0.admit() {
            Ok(first) => match self.1.admit() {
                Ok(second) => Ok((first, second)),
                Err(refusal) => Err(A::Refusal::second(refusal)),
            },
            Err(refusal) => Err(refusal.first()),
        }
    }
}

/// No elements, for which everything is implemented: the compiler takes the only implementation that fits an operand, and would refuse the
/// function instead of the operand. With two more it looks at the function first.
macro_rules! unresolved {
    ($($unresolved:ident)*) => {$(
        #[derive(Debug)]
        pub struct $unresolved;

        #[diagnostic::do_not_recommend]
        impl<S: ?Sized> AsSource<$unresolved> for S {
            type Refusal = Infallible;

            fn __xslice_source(
                &self,
                _: &'static str,
                _: Need<S, $unresolved>,
            ) -> Given<'_, &[$unresolved], Infallible> {
                Given::whole(&[])
            }
        }

        #[diagnostic::do_not_recommend]
        impl<D: ?Sized> AsDestination<$unresolved> for D {
            type Refusal = Infallible;

            fn __xslice_destination(
                &mut self,
                _: Need<D, $unresolved>,
            ) -> Given<'_, &mut [$unresolved], Infallible> {
                Given::whole(&mut [])
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
            const NEED: Need<Self, T> = Need::of(S::NEED.len);
        }

        #[diagnostic::do_not_recommend]
        impl<S: AsSource<T> + ?Sized, T: Element> AsSource<T> for $pointer {
            type Refusal = S::Refusal;

            #[inline]
            fn __xslice_source(
                &self,
                name: &'static str,
                need: Need<Self, T>,
            ) -> Given<'_, &[T], S::Refusal> {
                (**self).__xslice_source(name, Need::of(need.len))
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
            const NEED: Need<Self, T> = Need::of(D::NEED.len);
        }

        #[diagnostic::do_not_recommend]
        impl<D: AsDestination<T> + ?Sized, T: Element> AsDestination<T> for $pointer {
            type Refusal = D::Refusal;

            #[inline]
            fn __xslice_destination(
                &mut self,
                need: Need<Self, T>,
            ) -> Given<'_, &mut [T], D::Refusal> {
                (**self).__xslice_destination(Need::of(need.len))
            }
        }
    )*};
}

destinations_behind! {
    &mut D;
    Box<D>;
}

/// Operands whose length is in their type: what is needed of them, and how they become flat.
macro_rules! arrays {
    ($([$($dim:ident)*] [$($n:tt)*] $array:ty, $need:expr, $self:ident => $shared:expr, $unique:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Element, $(const $dim: usize,)* $($n)*> Source<T, N> for $array {
            const NEED: Need<Self, T> = $need;
        }

        #[diagnostic::do_not_recommend]
        impl<T: Element, $(const $dim: usize,)* $($n)*> Destination<T, N> for $array {
            const NEED: Need<Self, T> = $need;
        }

        #[diagnostic::do_not_recommend]
        impl<T: Element, $(const $dim: usize,)*> AsSource<T> for $array {
            type Refusal = Infallible;

            #[inline]
            fn __xslice_source(
                &$self,
                _: &'static str,
                _: Need<Self, T>,
            ) -> Given<'_, &[T], Infallible> {
                Given::whole($shared)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: Element, $(const $dim: usize,)*> AsDestination<T> for $array {
            type Refusal = Infallible;

            #[inline]
            fn __xslice_destination(
                &mut $self,
                _: Need<Self, T>,
            ) -> Given<'_, &mut [T], Infallible> {
                Given::whole($unique)
            }
        }
    )*};
}

arrays! {
    [N] [] [T; N], Need::of(N), self => self, self;
}

/// Operands whose length is known when they are given: their elements in one piece, or their strides.
macro_rules! by_length {
    ($([$($source:tt)*] [$($destination:tt)*] $operand:ty, $self:ident => $shared:expr, $unique:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($source)*, const N: usize> Source<T, N> for $operand {}

        #[diagnostic::do_not_recommend]
        impl<$($destination)*, const N: usize> Destination<T, N> for $operand {}

        #[diagnostic::do_not_recommend]
        impl<$($source)*> AsSource<T> for $operand {
            type Refusal = Error;

            #[inline]
            fn __xslice_source(
                &$self,
                name: &'static str,
                need: Need<Self, T>,
            ) -> Given<'_, &[T], Error> {
                let (elements, strides) = $shared;
                let (len, need) = (elements.len(), need.len);
                Given { elements, len, need, strides, name, refusal: PhantomData }
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($destination)*> AsDestination<T> for $operand {
            type Refusal = Error;

            #[inline]
            fn __xslice_destination(
                &mut $self,
                need: Need<Self, T>,
            ) -> Given<'_, &mut [T], Error> {
                let (elements, strides): (&mut [T], _) = $unique;
                let (len, need) = (elements.len(), need.len);
                Given { elements, len, need, strides, name: "output", refusal: PhantomData }
            }
        }
    )*};
}

by_length! {
    [T: Element] [T: Element] [T], self => (self, None), (self, None);
    [T: Element] [T: Element] Vec<T>, self => (self.as_slice(), None), (self, None);
}

#[cold]
fn wrong_length(name: &'static str, len: usize, need: usize) -> Error {
    xslice_core::refuse_length(name.into(), len, need)
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
    use super::{AsDestination, AsSource, Destination, Element, Error, Given, Need, Source};
    use core::marker::PhantomData;
    use ndarray::{ArrayBase, Data, DataMut, Dimension};

    by_length! {
        [T: Element, V: Data<Elem = T>, D: Dimension] [T: Element, V: DataMut<Elem = T>, D: Dimension]
        ArrayBase<V, D, T>, self => match self.as_slice() {
            Some(elements) => (elements, None),
            None => (&[][..], Some(self.strides())),
        },
        match self.is_standard_layout() {
            true => (self.as_slice_mut().unwrap_or_default(), None),
            false => (&mut [], Some(self.strides())),
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
            [$($dim)+] [const N: usize] $array, {
                same_length($len, N);
                Need::of(N)
            }, self => self$(.$flatten())+, nested!(self, $($flatten).+);
        }

        impl<'a, T, $(const $dim: usize,)+> Flat<'a, $array, T> {
            /// The elements.
            #[must_use]
            #[inline(always)]
            pub const fn array<const N: usize>(self) -> &'a [T; N] {
                const { same_length($len, N) };
                match self.0$(.$flatten())+.first_chunk() {
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
