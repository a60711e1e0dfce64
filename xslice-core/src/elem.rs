//! The sixteen element types, and which Rust type holds each.
//!
//! A type is known here by its name in the notation, its size and its class; what an operator version admits
//! is decided in [`crate::op`]. Moving never looks inside an element (I7), so `f16`, `bf16` and complex numbers need
//! no crate here: their Rust types come with the features `half` and `num-complex`.

use alloc::string::String;
use core::fmt;

/// An element type, as `ONNX` and `OpenVINO` name it.
///
/// ```
/// # use xslice_core::ElementType;
/// let ty = ElementType::from_name("bf16").expect("a type");
/// assert_eq!((ty, ty.size(), ty.to_string().as_str()), (ElementType::Bf16, 2, "bf16"));
/// ```
// As wide as an address: a call passes its buffers on word by word, and a word of which one byte has just been written is waited for,
// behind all that is still to be written before it.
#[repr(usize)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each variant is its own name")]
pub enum ElementType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    Bf16,
    F32,
    F64,
    C64,
    C128,
    String,
}

impl ElementType {
    /// Every type, in the order of the notation.
    pub const ALL: [Self; 16] = [
        Self::Bool,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::F16,
        Self::Bf16,
        Self::F32,
        Self::F64,
        Self::C64,
        Self::C128,
        Self::String,
    ];

    /// The name in the notation: `f32`, `bf16`, `c64` (a pair of `f32`), `string`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::C64 => "c64",
            Self::C128 => "c128",
            Self::String => "string",
        }
    }

    /// The type of that name in the notation, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// Bytes of one element in memory. A string is a Rust [`String`] and is moved by clone, never by its bytes.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::Bf16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 | Self::C64 => 8,
            Self::C128 => 16,
            Self::String => size_of::<String>(),
        }
    }

    /// Whether the type is one of `i8`..`i64`, `u8`..`u64`.
    #[must_use]
    pub const fn is_integer(self) -> bool {
        match self {
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => true,
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => true,
            Self::Bool | Self::F16 | Self::Bf16 | Self::F32 | Self::F64 => false,
            Self::C64 | Self::C128 | Self::String => false,
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type whose values are elements of one [`ElementType`].
///
/// Implemented for `bool`, the integers, `f32`, `f64` and `String`; for `half::f16` and `half::bf16` with the feature
/// `half`, for `num_complex::Complex<f32>` and `Complex<f64>` with the feature `num-complex`. Sealed.
///
/// ```
/// # use xslice_core::{Element, Signature};
/// fn rows<T: Element>(elements: &[T], columns: usize) -> Signature {
///     Signature::new().operand(T::TYPE, &[elements.len() / columns, columns])
/// }
/// assert_eq!(rows(&[0.5f32; 6], 3).operands()[0].shape[..], [2, 3]);
/// ```
pub trait Element: sealed::Sealed + Clone + Default + Send + Sync + 'static {
    /// The element type.
    const TYPE: ElementType;
}

macro_rules! elements {
    ($($(#[$cfg:meta])* $rust:ty => $ty:ident;)*) => {$(
        $(#[$cfg])*
        impl sealed::Sealed for $rust {}
        $(#[$cfg])*
        impl Element for $rust {
            const TYPE: ElementType = ElementType::$ty;
        }
        $(#[$cfg])*
        const _: () = assert!(size_of::<$rust>() == ElementType::$ty.size());
    )*};
}

elements! {
    bool => Bool;
    i8 => I8;
    i16 => I16;
    i32 => I32;
    i64 => I64;
    u8 => U8;
    u16 => U16;
    u32 => U32;
    u64 => U64;
    #[cfg(feature = "half")] half::f16 => F16;
    #[cfg(feature = "half")] half::bf16 => Bf16;
    f32 => F32;
    f64 => F64;
    #[cfg(feature = "num-complex")] num_complex::Complex<f32> => C64;
    #[cfg(feature = "num-complex")] num_complex::Complex<f64> => C128;
    String => String;
}
