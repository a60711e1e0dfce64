//! A tensor that owns its elements: constants of a program, values of parameters, results for those who want one.
//!
//! Elements lie row-major, as bits in native byte order; strings as Rust strings. Shape arithmetic that a caller's
//! numbers may overflow, and asking for memory by it, lives here too, once.

use crate::elem::{Element, ElementType};
use crate::error::{Error, ErrorKind, counted};
use crate::operand::{Input, Output};
use alloc::{format, string::String, vec::Vec};
use core::hash::{Hash, Hasher};

/// The largest rank of an operand or result.
pub(crate) const MOST_AXES: usize = 1024;

/// The number of elements of a shape: a product with a 0 in it is 0, also beside 2^62.
///
/// # Errors
/// [`ErrorKind::TooLarge`] if a dimension or the product does not fit `isize`.
pub fn element_count(shape: &[usize]) -> Result<usize, Error> {
    let product = shape.iter().try_fold(1usize, |n, &dim| n.checked_mul(dim));
    if let Some(n @ 1..) = product
        && isize::try_from(n).is_ok()
    {
        return Ok(n);
    }
    if let Some(dim) = shape.iter().find(|&&dim| isize::try_from(dim).is_err()) {
        let text = format!("shape {shape:?} has a dimension of {dim}");
        return Err(Error::new(ErrorKind::TooLarge, text)
            .value(dim)
            .allowed(format!("0..={}", isize::MAX)));
    }
    if shape.contains(&0) {
        return Ok(0);
    }
    Err(too_large(&format!(
        "shape {shape:?} has more elements than memory can hold"
    )))
}

/// Bytes of that many elements.
///
/// # Errors
/// [`ErrorKind::TooLarge`] if the product does not fit `isize`.
pub fn byte_count(count: usize, ty: ElementType) -> Result<usize, Error> {
    match count.checked_mul(ty.size()) {
        Some(n) if isize::try_from(n).is_ok() => Ok(n),
        _ => Err(too_large(&format!(
            "{count} elements of {ty} are more bytes than memory can hold"
        ))),
    }
}

pub(crate) fn too_large(text: &str) -> Error {
    Error::new(ErrorKind::TooLarge, String::from(text)).allowed(format!("0..={} bytes", isize::MAX))
}

/// An empty vector with room for `len` elements of a type, which is that of `T` or is refused.
pub(crate) fn room_for<T: Element>(ty: ElementType, len: usize) -> Result<Vec<T>, Error> {
    if T::TYPE != ty {
        return Err(Error::new(
            ErrorKind::OperandType,
            format!("a vector of {} is asked for", T::TYPE),
        )
        .parameter("output")
        .value(T::TYPE)
        .allowed(ty.name()));
    }
    reserved(len, byte_count(len, ty)?)
}

/// An empty vector with room for `len` elements, which take `bytes` bytes.
fn reserved<T>(len: usize, bytes: usize) -> Result<Vec<T>, Error> {
    let mut room = Vec::new();
    room.try_reserve_exact(len)
        .map_err(|_| Error::out_of_memory(bytes))?;
    Ok(room)
}

/// The same of a tensor, which no kernel has a part in.
fn reserved_for_tensor<T>(len: usize, bytes: usize) -> Result<Vec<T>, Error> {
    const HINT: &str =
        "a tensor holds all of its elements: take a smaller shape, or free memory first";
    reserved(len, bytes).map_err(|error| error.hint(HINT))
}

/// A tensor in memory: element type, shape, elements in row-major order.
///
/// ```
/// # use xslice_core::{ElementType, Tensor};
/// let x = Tensor::new(&[2, 3], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// assert_eq!((x.element_type(), x.shape(), x.len()), (ElementType::F32, &[2, 3][..], 6));
/// assert!(Tensor::new(&[2, 3], &[1.0f32]).is_err());
/// # Ok::<(), xslice_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tensor {
    ty: ElementType,
    shape: Vec<usize>,
    data: Data,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Data {
    Bytes(Vec<u8>),
    Strings(Vec<String>),
}

/// Of the ends only, where it is long: a table of gigabytes may be a constant of thousands of programs, and keys are compared whole. Two
/// that differ in their middles then take each other's place in a cache.
impl Hash for Data {
    fn hash<H: Hasher>(&self, state: &mut H) {
        fn ends<T: Hash, H: Hasher>(list: &[T], most: usize, state: &mut H) {
            list.len().hash(state);
            if list.len() <= 2 * most {
                return list.hash(state);
            }
            list[..most].hash(state);
            list[list.len() - most..].hash(state);
        }
        match self {
            Self::Bytes(bytes) => ends(bytes, 512 << 10, state),
            Self::Strings(strings) => ends(strings, 512, state),
        }
    }
}

impl Tensor {
    /// Axes of a tensor at most.
    pub const MOST_AXES: usize = MOST_AXES;

    /// A tensor of `shape` from its elements.
    ///
    /// # Errors
    /// [`ErrorKind::OperandLength`] if the shape does not hold that many elements; [`ErrorKind::TooLarge`] if that many fit in no memory;
    /// [`ErrorKind::OutOfMemory`].
    pub fn new<T: Element>(shape: &[usize], elements: &[T]) -> Result<Self, Error> {
        let input = Input::from(elements);
        match input.strings() {
            Some(strings) => {
                let mut copy = reserved_for_tensor(strings.len(), size_of_val(strings))?;
                copy.extend_from_slice(strings);
                Self::from_strings(shape, copy)
            }
            None => {
                let bytes = input.bytes();
                let mut copy = reserved_for_tensor(bytes.len(), bytes.len())?;
                copy.extend_from_slice(bytes);
                Self::from_bytes(T::TYPE, shape, copy)
            }
        }
    }

    /// A tensor of `shape` from the bytes of its elements, native byte order.
    ///
    /// ```
    /// # use xslice_core::{ElementType, Tensor};
    /// let bytes = [1i32, -2].into_iter().flat_map(i32::to_ne_bytes).collect();
    /// let x = Tensor::from_bytes(ElementType::I32, &[2], bytes)?;
    /// assert_eq!(x.integers(), Some(vec![1, -2]));
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::OperandLength`] if the length is not that of the shape; [`ErrorKind::TooLarge`] if the shape has more elements than any
    /// memory; [`ErrorKind::OperandType`] for strings, and for a `bool` that is neither 0 nor 1.
    pub fn from_bytes(ty: ElementType, shape: &[usize], bytes: Vec<u8>) -> Result<Self, Error> {
        if ty == ElementType::String {
            return Err(Error::new(
                ErrorKind::OperandType,
                "strings have no fixed bytes",
            ));
        }
        let expected = byte_count(element_count(shape)?, ty)?;
        if bytes.len() != expected {
            return Err(Error::new(
                ErrorKind::OperandLength,
                format!(
                    "{} for {ty} {shape:?}",
                    counted(bytes.len(), "byte is given", "bytes are given")
                ),
            )
            .value(bytes.len())
            .allowed(format!("{expected} bytes")));
        }
        if ty == ElementType::Bool
            && let Some(at) = bytes.iter().position(|&b| b > 1)
        {
            return Err(Error::new(
                ErrorKind::OperandType,
                format!("byte {} at position {at} is not a bool", bytes[at]),
            )
            .value(bytes[at])
            .position(at)
            .allowed("0 or 1"));
        }
        Ok(Self {
            ty,
            shape: shape.to_vec(),
            data: Data::Bytes(bytes),
        })
    }

    /// A tensor of strings.
    ///
    /// # Errors
    /// [`ErrorKind::OperandLength`] if the shape does not hold that many strings; [`ErrorKind::TooLarge`] if that many fit in no memory.
    pub fn from_strings(shape: &[usize], strings: Vec<String>) -> Result<Self, Error> {
        let expected = element_count(shape)?;
        if strings.len() != expected {
            return Err(Error::new(
                ErrorKind::OperandLength,
                format!(
                    "{} for shape {shape:?}",
                    counted(strings.len(), "string is given", "strings are given")
                ),
            )
            .value(strings.len())
            .allowed(format!("{expected} strings")));
        }
        Ok(Self {
            ty: ElementType::String,
            shape: shape.to_vec(),
            data: Data::Strings(strings),
        })
    }

    /// A tensor of zeros, `false` or empty strings.
    ///
    /// # Errors
    /// [`ErrorKind::TooLarge`] and [`ErrorKind::OutOfMemory`], before any memory is touched.
    pub fn zeros(ty: ElementType, shape: &[usize]) -> Result<Self, Error> {
        let count = element_count(shape)?;
        let bytes = byte_count(count, ty)?;
        let data = if ty == ElementType::String {
            let mut strings = reserved_for_tensor(count, bytes)?;
            strings.resize(count, String::new());
            Data::Strings(strings)
        } else {
            let mut buffer = reserved_for_tensor(bytes, bytes)?;
            buffer.resize(bytes, 0);
            Data::Bytes(buffer)
        };
        Ok(Self {
            ty,
            shape: shape.to_vec(),
            data,
        })
    }

    /// A tensor of `i64`, rank 1: the usual parameter. It asks for memory as [`Vec`] does; [`Tensor::new`] refuses what is not there.
    ///
    /// ```
    /// # use xslice_core::Tensor;
    /// assert_eq!(Tensor::vector(&[0, -1]), Tensor::new(&[2], &[0i64, -1])?);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    #[must_use]
    pub fn vector(values: &[i64]) -> Self {
        let bytes = values.iter().flat_map(|v| v.to_ne_bytes()).collect();
        Self {
            ty: ElementType::I64,
            shape: alloc::vec![values.len()],
            data: Data::Bytes(bytes),
        }
    }

    /// A tensor of one element, rank 0. It asks for memory as [`Vec`] does.
    #[must_use]
    pub fn scalar<T: Element>(value: T) -> Self {
        let input = Input::from(core::slice::from_ref(&value));
        let data = match input.strings() {
            Some(strings) => Data::Strings(strings.to_vec()),
            None => Data::Bytes(input.bytes().to_vec()),
        };
        Self {
            ty: T::TYPE,
            shape: Vec::new(),
            data,
        }
    }

    /// The element type.
    #[must_use]
    pub fn element_type(&self) -> ElementType {
        self.ty
    }

    /// The shape, outermost dimension first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.data {
            Data::Bytes(bytes) => bytes.len() / self.ty.size(),
            Data::Strings(strings) => strings.len(),
        }
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of the elements, native byte order; empty for strings.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match &self.data {
            Data::Bytes(bytes) => bytes,
            Data::Strings(_) => &[],
        }
    }

    /// The strings, if that is the element type.
    #[must_use]
    pub fn strings(&self) -> Option<&[String]> {
        match &self.data {
            Data::Bytes(_) => None,
            Data::Strings(strings) => Some(strings),
        }
    }

    /// All elements, row-major.
    ///
    /// ```
    /// # use xslice_core::Tensor;
    /// let x = Tensor::new(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0])?;
    /// assert_eq!(x.to_vec::<f32>()?, [1.0, 2.0, 3.0, 4.0]);
    /// let error = x.to_vec::<f64>().unwrap_err();
    /// assert_eq!(error.to_string(), "a vector of f64 is asked for (allowed: f32) [E402 operand-type]");
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::OperandType`] if `T` is not the element type; [`ErrorKind::OutOfMemory`].
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, Error> {
        let mut elements = room_for::<T>(self.ty, self.len())?;
        elements.resize(self.len(), T::default());
        let mut output = Output::from(&mut elements[..]);
        if let (Some(to), Some(from)) = (output.strings_mut(), self.strings()) {
            to.clone_from_slice(from);
        }
        for (to, from) in output.bytes_mut().iter_mut().zip(self.bytes()) {
            to.write(*from);
        }
        Ok(elements)
    }

    /// Element `at` (flat, row-major) of an integer tensor; a `u64` above `i64::MAX` saturates, which is exact for
    /// starts, ends and steps. `None` for another type or a position outside.
    #[must_use]
    pub fn integer(&self, at: usize) -> Option<i64> {
        // Most are: without the way through 128 bits.
        if self.ty == ElementType::I64 {
            let words = self.bytes().as_chunks::<8>().0;
            return words.get(at).map(|word| i64::from_ne_bytes(*word));
        }
        let given = self.given_integer(at)?;
        Some(i64::try_from(given).unwrap_or(i64::MAX))
    }

    /// The same as it is given, which is what a refusal names.
    pub(crate) fn given_integer(&self, at: usize) -> Option<i128> {
        let size = self.ty.size();
        let end = at.checked_add(1)?.checked_mul(size)?;
        let b = self.bytes().get(end - size..end)?;
        Some(match self.ty {
            ElementType::I8 => i128::from(i8::from_ne_bytes(b.try_into().ok()?)),
            ElementType::I16 => i128::from(i16::from_ne_bytes(b.try_into().ok()?)),
            ElementType::I32 => i128::from(i32::from_ne_bytes(b.try_into().ok()?)),
            ElementType::I64 => i128::from(i64::from_ne_bytes(b.try_into().ok()?)),
            ElementType::U8 => i128::from(u8::from_ne_bytes(b.try_into().ok()?)),
            ElementType::U16 => i128::from(u16::from_ne_bytes(b.try_into().ok()?)),
            ElementType::U32 => i128::from(u32::from_ne_bytes(b.try_into().ok()?)),
            ElementType::U64 => i128::from(u64::from_ne_bytes(b.try_into().ok()?)),
            ElementType::Bool | ElementType::F16 | ElementType::Bf16 | ElementType::F32 => {
                return None;
            }
            ElementType::F64 | ElementType::C64 | ElementType::C128 | ElementType::String => {
                return None;
            }
        })
    }

    /// The bytes of memory that it takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        let elements = match &self.data {
            Data::Bytes(bytes) => bytes.capacity(),
            Data::Strings(strings) => {
                let heap = strings.iter().map(String::capacity);
                strings.capacity() * size_of::<String>() + heap.sum::<usize>()
            }
        };
        size_of::<Self>() + self.shape.capacity() * size_of::<usize>() + elements
    }

    /// All elements of an integer tensor, as [`Tensor::integer`] reads them; `None` for another type. It asks for memory as [`Vec`] does;
    /// [`Tensor::to_vec`] refuses what is not there.
    #[must_use]
    pub fn integers(&self) -> Option<Vec<i64>> {
        let is_integer = self.ty.is_integer();
        is_integer.then(|| (0..self.len()).filter_map(|at| self.integer(at)).collect())
    }

    /// The elements as an operand of a call.
    #[must_use]
    pub fn as_input(&self) -> Input<'_> {
        match &self.data {
            Data::Bytes(bytes) => Input::from_bits(self.ty, bytes),
            Data::Strings(strings) => Input::from(&strings[..]),
        }
    }

    /// The elements as the destination of a call.
    pub fn as_output(&mut self) -> Output<'_> {
        match &mut self.data {
            Data::Bytes(bytes) => Output::from_bits(self.ty, bytes),
            Data::Strings(strings) => Output::from(&mut strings[..]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_vector_has_the_elements_that_the_tensor_was_made_of() {
        fn there_and_back<T: Element + PartialEq + core::fmt::Debug>(elements: &[T]) {
            let tensor = Tensor::new(&[elements.len()], elements).unwrap();
            assert_eq!(tensor.to_vec::<T>().unwrap(), elements);
            let shape = [0, elements.len()];
            assert_eq!(
                Tensor::new::<T>(&shape, &[])
                    .unwrap()
                    .to_vec::<T>()
                    .unwrap(),
                []
            );
        }
        there_and_back(&[true, false, true]);
        there_and_back(&[i8::MIN, -1, i8::MAX]);
        there_and_back(&[u64::MAX, 0]);
        there_and_back(&[f32::INFINITY, -0.0, 1.5]);
        there_and_back(&["".to_string(), "two".to_string()]);

        let nan = f64::from_bits(0x7ff0_0000_0000_0001);
        let bits = Tensor::scalar(nan).to_vec::<f64>().unwrap()[0].to_bits();
        assert_eq!(bits, nan.to_bits());
    }

    #[test]
    fn memory_that_is_not_there_is_refused_in_words_about_tensors() {
        let zeros = Tensor::zeros(ElementType::U8, &[isize::MAX as usize]);
        let error = zeros.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfMemory);
        let hint = error.hint_text().unwrap();
        assert!(
            hint.starts_with("a tensor ") && !hint.contains("kernel"),
            "{hint}"
        );
    }
}
