//! Buffers of a call: element type, address, length. The second address of `unsafe` (see the invariants in the crate's head).
//!
//! What lies here turns typed slices into bytes and back, and nothing else. Layout (shape, strides, offset) belongs to the
//! signature; which bytes are touched is proved by the nest (I3) and compared with these lengths once a call.

use crate::elem::{Element, ElementType};
use alloc::{string::String, vec::Vec};
use core::marker::PhantomData;
use core::mem::MaybeUninit;

/// A source operand of a call: a borrowed buffer of elements.
///
/// Made from `&[T]`, `&[T; N]` or `&Vec<T>` for any [`Element`].
///
/// ```
/// # use xslice_core::{ElementType, Input};
/// let ids = vec![3i64, -1];
/// let input = Input::from(&ids);
/// assert_eq!((input.element_type(), input.len()), (ElementType::I64, 2));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    ty: ElementType,
    start: *const u8,
    len: usize,
    borrow: PhantomData<&'a [u8]>,
}

// SAFETY: an Input is a shared borrow of elements, and every Element is Sync.
unsafe impl Send for Input<'_> {}
// SAFETY: as above.
unsafe impl Sync for Input<'_> {}

impl<'a> Input<'a> {
    /// Elements given by their bits, native byte order; any alignment. `ty` is not `String`, and bytes of `bool` are 0 or 1.
    pub(crate) fn from_bits(ty: ElementType, bytes: &'a [u8]) -> Self {
        assert!(ty != ElementType::String, "strings are no bits");
        Self {
            ty,
            start: bytes.as_ptr(),
            len: bytes.len() / ty.size(),
            borrow: PhantomData,
        }
    }

    /// The start of a buffer whose elements nobody has counted: it has none as an input.
    pub(crate) fn starting_at(start: *const u8) -> Self {
        Self {
            ty: ElementType::U8,
            start,
            len: 0,
            borrow: PhantomData,
        }
    }

    /// The element type.
    #[must_use]
    pub fn element_type(&self) -> ElementType {
        self.ty
    }

    /// The number of elements in the buffer.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the buffer is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Address of the first element.
    #[must_use]
    pub fn as_ptr(&self) -> *const u8 {
        self.start
    }

    /// The bytes of the elements; empty for strings.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        if self.ty == ElementType::String {
            return &[];
        }
        // SAFETY: `start` and `len` come from one slice that is borrowed for 'a (both constructors), and no element
        // type other than String has padding.
        unsafe { core::slice::from_raw_parts(self.start, self.len * self.ty.size()) }
    }

    /// The strings, if that is the element type.
    #[must_use]
    pub fn strings(&self) -> Option<&'a [String]> {
        // SAFETY: the type says that `start` and `len` come from a `&'a [String]`; `from_bits` never sets it.
        (self.ty == ElementType::String)
            .then(|| unsafe { core::slice::from_raw_parts(self.start.cast(), self.len) })
    }
}

impl<'a, T: Element> From<&'a [T]> for Input<'a> {
    fn from(elements: &'a [T]) -> Self {
        Self {
            ty: T::TYPE,
            start: elements.as_ptr().cast(),
            len: elements.len(),
            borrow: PhantomData,
        }
    }
}

impl<'a, T: Element, const N: usize> From<&'a [T; N]> for Input<'a> {
    fn from(elements: &'a [T; N]) -> Self {
        Self::from(&elements[..])
    }
}

impl<'a, T: Element> From<&'a Vec<T>> for Input<'a> {
    fn from(elements: &'a Vec<T>) -> Self {
        Self::from(&elements[..])
    }
}

/// The destination of a call: an exclusively borrowed buffer of elements.
///
/// Made from `&mut [T]`, `&mut [T; N]` or `&mut Vec<T>` for any [`Element`]. A call writes the elements that are there; it never makes
/// a vector longer.
///
/// ```
/// # use xslice_core::{ElementType, Output};
/// let mut rows = vec![0.0f32; 6];
/// let mut output = Output::from(&mut rows);
/// assert_eq!((output.element_type(), output.len()), (ElementType::F32, 6));
/// // One output for several calls, one after the other.
/// let _first = output.reborrow();
/// let _second = output.reborrow();
/// ```
#[derive(Debug)]
pub struct Output<'a> {
    ty: ElementType,
    start: *mut u8,
    len: usize,
    borrow: PhantomData<&'a mut [u8]>,
}

// SAFETY: an Output is an exclusive borrow of elements, and every Element is Send.
unsafe impl Send for Output<'_> {}

impl<'a> Output<'a> {
    /// Elements given by their bits, native byte order; any alignment. `ty` is not `String`.
    pub(crate) fn from_bits(ty: ElementType, bytes: &'a mut [u8]) -> Self {
        assert!(ty != ElementType::String, "strings are no bits");
        Self {
            ty,
            start: bytes.as_mut_ptr(),
            len: bytes.len() / ty.size(),
            borrow: PhantomData,
        }
    }

    /// Memory that may be uninitialised: only for a nest that covers its destination (I4), and not for strings.
    pub(crate) fn from_uninit<T: Element>(elements: &'a mut [MaybeUninit<T>]) -> Self {
        assert!(T::TYPE != ElementType::String, "strings are no bits");
        Self {
            ty: T::TYPE,
            start: elements.as_mut_ptr().cast(),
            len: elements.len(),
            borrow: PhantomData,
        }
    }

    /// The element type.
    #[must_use]
    pub fn element_type(&self) -> ElementType {
        self.ty
    }

    /// The number of elements in the buffer.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the buffer is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Address of the first element.
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.start
    }

    /// The bytes of the elements, to be overwritten with bits of elements of the same type; empty for strings.
    pub(crate) fn bytes_mut(&mut self) -> &mut [MaybeUninit<u8>] {
        if self.ty == ElementType::String {
            return &mut [];
        }
        // SAFETY: `start` and `len` come from one slice that is exclusively borrowed for 'a; no element type other than
        // String has padding; MaybeUninit admits memory of `from_uninit`. Callers are the engines, which write only bits
        // moved from a source of the same type or computed for it (I7).
        unsafe { core::slice::from_raw_parts_mut(self.start.cast(), self.len * self.ty.size()) }
    }

    /// The strings, if that is the element type.
    pub(crate) fn strings_mut(&mut self) -> Option<&mut [String]> {
        // SAFETY: the type says that `start` and `len` come from a `&'a mut [String]`: neither `from_bits` nor
        // `from_uninit` sets it.
        (self.ty == ElementType::String)
            .then(|| unsafe { core::slice::from_raw_parts_mut(self.start.cast(), self.len) })
    }

    /// The same destination for a shorter time.
    pub fn reborrow(&mut self) -> Output<'_> {
        Output {
            ty: self.ty,
            start: self.start,
            len: self.len,
            borrow: PhantomData,
        }
    }
}

impl<'a, T: Element> From<&'a mut [T]> for Output<'a> {
    fn from(elements: &'a mut [T]) -> Self {
        Self {
            ty: T::TYPE,
            start: elements.as_mut_ptr().cast(),
            len: elements.len(),
            borrow: PhantomData,
        }
    }
}

impl<'a, T: Element, const N: usize> From<&'a mut [T; N]> for Output<'a> {
    fn from(elements: &'a mut [T; N]) -> Self {
        Self::from(&mut elements[..])
    }
}

impl<'a, T: Element> From<&'a mut Vec<T>> for Output<'a> {
    fn from(elements: &'a mut Vec<T>) -> Self {
        Self::from(&mut elements[..])
    }
}
