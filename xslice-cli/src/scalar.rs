//! The bytes of numbers in files and in memory.
//!
//! Files are little-endian, tensors in memory are native. A complex number is two numbers, so what is swapped are its
//! halves; that width is decided here, how an element looks when it is printed, and how one is refused that its type does not have.

use crate::error::Fault;
use half::{bf16, f16};
use std::fmt::{Display, LowerExp};
use xslice::{ElementType, ErrorKind, Tensor};

/// Bytes of one number: half an element where that is complex.
#[must_use]
pub fn width(ty: ElementType) -> usize {
    match ty {
        ElementType::C64 | ElementType::C128 => ty.size() / 2,
        ElementType::String => 1,
        _ => ty.size(),
    }
}

/// Reverses the bytes of every number.
pub fn swap_bytes(bytes: &mut [u8], width: usize) {
    if width > 1 {
        bytes.chunks_exact_mut(width).for_each(<[u8]>::reverse);
    }
}

/// From little-endian to the order of this machine, or back.
pub fn little_to_native(bytes: &mut [u8], width: usize) {
    if cfg!(target_endian = "big") {
        swap_bytes(bytes, width);
    }
}

/// The tensor of these bytes of a file, in the order of this machine.
///
/// # Errors
/// [`Fault::Format`] for a bool that is neither 0 nor 1; what the library refuses of sizes.
pub fn tensor(ty: ElementType, shape: &[usize], bytes: Vec<u8>) -> Result<Tensor, Fault> {
    Tensor::from_bytes(ty, shape, bytes).map_err(|error| {
        let element = error.offending_value().zip(error.offender_position());
        match (error.kind(), element) {
            // Of a file it is the format that is to blame.
            (ErrorKind::OperandType, Some((value, at))) => {
                no_element(value, at, ty, error.allowed_range().unwrap_or_default())
            }
            _ => error.into(),
        }
    })
}

/// The refusal of a number in a file that stands for no element of its type.
pub fn no_element(value: impl Display, at: usize, ty: ElementType, allowed: &str) -> Fault {
    Fault::Format(format!(
        "{value} at position {at} is no {ty} (allowed: {allowed})"
    ))
}

/// Element `at` of a tensor, as text.
#[must_use]
pub fn show(tensor: &Tensor, at: usize) -> String {
    if let Some(strings) = tensor.strings() {
        return strings
            .get(at)
            .map_or_else(String::new, |text| show_string(text));
    }
    if let Some(value) = tensor.integer(at)
        && tensor.element_type() != ElementType::U64
    {
        return value.to_string();
    }
    let size = tensor.element_type().size();
    let Some(b) = tensor.bytes().get(at * size..(at + 1) * size) else {
        return String::new();
    };
    show_bits(tensor.element_type(), b).unwrap_or_default()
}

/// The bits of element `at` of a tensor of numbers, as text.
#[must_use]
pub fn show_hex(tensor: &Tensor, at: usize) -> String {
    let ty = tensor.element_type();
    let Some(element) = tensor.bytes().get(at * ty.size()..(at + 1) * ty.size()) else {
        return String::new();
    };
    let mut element = element.to_vec();
    little_to_native(&mut element, width(ty));
    let numbers = element.chunks_exact(width(ty)).map(|number| {
        let digits = number.iter().rev().map(|byte| format!("{byte:02x}"));
        format!("0x{}", digits.collect::<String>())
    });
    numbers.collect::<Vec<_>>().join(" ")
}

/// The beginning of a string, in quotes.
fn show_string(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// Without an exponent where that is short.
fn show_float<T: Display + LowerExp>(value: T) -> String {
    let plain = value.to_string();
    if plain.len() <= 20 {
        plain
    } else {
        format!("{value:e}")
    }
}

fn show_bits(ty: ElementType, b: &[u8]) -> Option<String> {
    Some(match ty {
        ElementType::Bool => (b != [0]).to_string(),
        ElementType::U64 => u64::from_ne_bytes(b.try_into().ok()?).to_string(),
        ElementType::F16 => show_float(f32::from(f16::from_ne_bytes(b.try_into().ok()?))),
        ElementType::Bf16 => show_float(f32::from(bf16::from_ne_bytes(b.try_into().ok()?))),
        ElementType::F32 => show_float(f32::from_ne_bytes(b.try_into().ok()?)),
        ElementType::F64 => show_float(f64::from_ne_bytes(b.try_into().ok()?)),
        ElementType::C64 | ElementType::C128 => {
            let half = if ty == ElementType::C64 {
                ElementType::F32
            } else {
                ElementType::F64
            };
            let (re, im) = b.split_at(b.len() / 2);
            let (re, im) = (show_bits(half, re)?, show_bits(half, im)?);
            let plus = if im.starts_with('-') { "" } else { "+" };
            format!("{re}{plus}{im}i")
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_short_and_exact() {
        let shown = |tensor: &Tensor| show(tensor, 0);
        assert_eq!(shown(&Tensor::scalar(1.5f32)), "1.5");
        assert_eq!(shown(&Tensor::scalar(f32::MAX)), "3.4028235e38");
        assert_eq!(shown(&Tensor::scalar(f64::NAN)), "NaN");
        assert_eq!(shown(&Tensor::scalar(u64::MAX)), "18446744073709551615");
        assert_eq!(shown(&Tensor::scalar(f16::from_f32(-0.5))), "-0.5");
        assert_eq!(shown(&Tensor::scalar("a\nb".to_string())), r#""a\nb""#);
        let parts = [1.0f32, -2.0].map(f32::to_ne_bytes).concat();
        let complex = Tensor::from_bytes(ElementType::C64, &[], parts).unwrap();
        assert_eq!(shown(&complex), "1-2i");
        let long = Tensor::scalar("x".repeat(1000));
        assert!(shown(&long).len() < 60);
    }
}
