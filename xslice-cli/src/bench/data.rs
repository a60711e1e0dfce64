//! Buffers of a movement: typed, because the macro wants arrays; at the start of a cache line, so that every run of the program has the
//! same lines; of random bits that are the same each time.

use crate::error::{self, Error};
use crate::files::no_memory;
use std::ops::Range;
use xslice::half::{bf16, f16};
use xslice::ir::IndexType;
use xslice::num_complex::Complex;
use xslice::{Element, ElementType, ErrorKind, Input, Output, Tensor};

/// Bytes of a cache line.
pub const LINE: usize = 64;

/// Elements at the start of a line.
#[derive(Debug)]
pub struct Lines<T> {
    elements: Vec<T>,
    range: Range<usize>,
}

impl<T: Copy> Lines<T> {
    fn new(len: usize, zero: T) -> error::Result<Self> {
        let whole = len.saturating_add(LINE / size_of::<T>());
        let mut elements = Vec::new();
        if elements.try_reserve_exact(whole).is_err() {
            return Err(no_memory(whole.saturating_mul(size_of::<T>()) as u64).into());
        }
        elements.resize(whole, zero);
        let first = elements.as_ptr().align_offset(LINE);
        let range = first..first + len;
        Ok(Self { elements, range })
    }

    fn get(&self) -> &[T] {
        &self.elements[self.range.clone()]
    }

    fn get_mut(&mut self) -> &mut [T] {
        &mut self.elements[self.range.clone()]
    }
}

/// An element type that is timed: all but strings.
pub trait Held: Element + Copy {
    /// The elements, if they are of this type.
    fn of(data: &Data) -> Option<&[Self]>;
    /// The same, to be written.
    fn of_mut(data: &mut Data) -> Option<&mut [Self]>;
}

macro_rules! held {
    ($($variant:ident $ty:ty, $random:expr;)*) => {
        /// The buffer of an operand or a result.
        #[derive(Debug)]
        pub enum Data {
            $(#[doc = concat!("`", stringify!($ty), "`")] $variant(Lines<$ty>),)*
        }

        impl Data {
            /// `len` elements of zero bits.
            ///
            /// # Errors
            /// Strings; no memory.
            pub fn zeros(ty: ElementType, len: usize) -> error::Result<Self> {
                match ty {
                    $(ElementType::$variant => Ok(Self::$variant(Lines::new(len, <$ty>::default())?)),)*
                    ElementType::String => Err(Error::argument("strings are not timed")),
                }
            }

            /// `len` elements of random bits.
            ///
            /// # Errors
            /// As [`Self::zeros`].
            pub fn random(ty: ElementType, len: usize) -> error::Result<Self> {
                let mut data = Self::zeros(ty, len)?;
                match &mut data {
                    $(Self::$variant(lines) => fill(lines.get_mut(), $random),)*
                }
                Ok(data)
            }

            /// The elements of a tensor.
            ///
            /// # Errors
            /// As [`Self::zeros`].
            pub fn of(tensor: &Tensor) -> error::Result<Self> {
                let mut data = Self::zeros(tensor.element_type(), tensor.len())?;
                match &mut data {
                    $(Self::$variant(lines) => lines.get_mut().copy_from_slice(&tensor.to_vec()?),)*
                }
                Ok(data)
            }

            /// The element type.
            #[must_use]
            pub fn element_type(&self) -> ElementType {
                match self {
                    $(Self::$variant(_) => ElementType::$variant,)*
                }
            }

            /// As an operand.
            #[must_use]
            pub fn input(&self) -> Input<'_> {
                match self {
                    $(Self::$variant(lines) => lines.get().into(),)*
                }
            }

            /// As a result.
            pub fn output(&mut self) -> Output<'_> {
                match self {
                    $(Self::$variant(lines) => lines.get_mut().into(),)*
                }
            }

            /// Writes the elements of `from`, which are of the same type and number, by `memcpy`.
            pub fn copy(&mut self, from: &Self) {
                match (self, from) {
                    $((Self::$variant(to), Self::$variant(from)) => to.get_mut().copy_from_slice(from.get()),)*
                    _ => {}
                }
            }

            /// Writes zeros everywhere.
            pub fn zero(&mut self) {
                match self {
                    $(Self::$variant(to) => to.get_mut().fill(<$ty>::default()),)*
                }
            }

            /// Writes the first element of `from` everywhere.
            pub fn fill(&mut self, from: &Self) {
                match (self, from) {
                    $((Self::$variant(to), Self::$variant(from)) => {
                        let first = from.get().first().copied().unwrap_or_default();
                        to.get_mut().fill(std::hint::black_box(first));
                    })*
                    _ => {}
                }
            }
        }

        $(impl Held for $ty {
            fn of(data: &Data) -> Option<&[Self]> {
                match data {
                    Data::$variant(lines) => Some(lines.get()),
                    _ => None,
                }
            }

            fn of_mut(data: &mut Data) -> Option<&mut [Self]> {
                match data {
                    Data::$variant(lines) => Some(lines.get_mut()),
                    _ => None,
                }
            }
        })*
    };
}

held! {
    Bool bool, |bits| bits & 1 == 1;
    I8 i8, |bits| bits as i8;
    I16 i16, |bits| bits as i16;
    I32 i32, |bits| bits as i32;
    I64 i64, u64::cast_signed;
    U8 u8, |bits| bits as u8;
    U16 u16, |bits| bits as u16;
    U32 u32, |bits| bits as u32;
    U64 u64, |bits| bits;
    F16 f16, |bits| f16::from_bits(bits as u16);
    Bf16 bf16, |bits| bf16::from_bits(bits as u16);
    F32 f32, |bits| f32::from_bits(bits as u32);
    F64 f64, f64::from_bits;
    C64 Complex<f32>, |bits| Complex::new(f32::from_bits(bits as u32), f32::from_bits((bits >> 32) as u32));
    C128 Complex<f64>, |bits| Complex::new(f64::from_bits(bits), f64::from_bits(bits.reverse_bits()));
}

impl Data {
    /// These elements.
    ///
    /// # Errors
    /// No memory.
    pub fn indices<T: Held>(values: impl ExactSizeIterator<Item = T>) -> error::Result<Self> {
        let mut data = Self::zeros(T::TYPE, values.len())?;
        for (slot, value) in T::of_mut(&mut data).into_iter().flatten().zip(values) {
            *slot = value;
        }
        Ok(data)
    }

    /// `len` random indices of an axis of this size.
    ///
    /// # Errors
    /// No memory.
    pub fn random_indices(ty: IndexType, len: usize, size: u64) -> error::Result<Self> {
        let mut random = Random::new();
        let each = (0..len).map(|_| random.below(size));
        match ty {
            IndexType::I32 => Self::indices(each.map(|index| index as i32)),
            IndexType::I64 => Self::indices(each.map(u64::cast_signed)),
        }
    }

    /// The number of bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.input().bytes().len()
    }

    /// Element `at`, where indices are held.
    #[must_use]
    pub fn index(&self, at: usize) -> Option<i64> {
        match self {
            Self::I32(lines) => lines.get().get(at).map(|index| i64::from(*index)),
            Self::I64(lines) => lines.get().get(at).copied(),
            _ => None,
        }
    }
}

/// Operand `at` as an array.
///
/// # Errors
/// Another type or length.
pub fn operand<T: Held, const N: usize>(
    operands: &[Data],
    at: usize,
) -> Result<&[T; N], xslice::Error> {
    let elements = operands.get(at).and_then(T::of);
    elements
        .and_then(|elements| elements.try_into().ok())
        .ok_or_else(|| xslice::Error::new(ErrorKind::OperandLength, format!("operand {at}")))
}

/// The result as an array.
///
/// # Errors
/// Another type or length.
pub fn result<T: Held, const N: usize>(output: &mut Data) -> Result<&mut [T; N], xslice::Error> {
    T::of_mut(output)
        .and_then(|elements| elements.try_into().ok())
        .ok_or_else(|| xslice::Error::new(ErrorKind::OperandLength, "output"))
}

/// Random bits, the same each time: a prime number of them, repeated, because the largest operand has more than a hundred million.
fn fill<T: Copy>(slice: &mut [T], from: impl Fn(u64) -> T) {
    const PERIOD: usize = 100_003;
    let mut random = Random::new();
    let (first, mut rest) = slice.split_at_mut(slice.len().min(PERIOD));
    first.fill_with(|| from(random.bits()));
    while !rest.is_empty() {
        let (next, after) = rest.split_at_mut(rest.len().min(PERIOD));
        next.copy_from_slice(&first[..next.len()]);
        rest = after;
    }
}

/// A small generator of random numbers.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// From the seed of all workloads.
    #[must_use]
    pub fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number in `0..size`.
    pub fn below(&mut self, size: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(size)) >> 64) as u64
    }
}

impl Default for Random {
    fn default() -> Self {
        Self::new()
    }
}
