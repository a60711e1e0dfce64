//! The bytes of numbers in files and in memory.
//!
//! Files are little-endian, tensors in memory are native. A complex number is two numbers, so what is swapped are its
//! halves; that width is decided here, and how an element looks when it is printed.

use half::{bf16, f16};
use xslice::{ElementType, Tensor};

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

/// Element `at` of a tensor, as text.
#[must_use]
pub fn show(tensor: &Tensor, at: usize) -> String {
    if let Some(strings) = tensor.strings() {
        return strings
            .get(at)
            .map_or_else(String::new, |text| format!("{text:?}"));
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

fn show_bits(ty: ElementType, b: &[u8]) -> Option<String> {
    Some(match ty {
        ElementType::Bool => (b != [0]).to_string(),
        ElementType::U64 => u64::from_ne_bytes(b.try_into().ok()?).to_string(),
        ElementType::F16 => f16::from_ne_bytes(b.try_into().ok()?).to_string(),
        ElementType::Bf16 => bf16::from_ne_bytes(b.try_into().ok()?).to_string(),
        ElementType::F32 => f32::from_ne_bytes(b.try_into().ok()?).to_string(),
        ElementType::F64 => f64::from_ne_bytes(b.try_into().ok()?).to_string(),
        ElementType::C64 | ElementType::C128 => {
            let half = if ty == ElementType::C64 {
                ElementType::F32
            } else {
                ElementType::F64
            };
            let (re, im) = b.split_at(b.len() / 2);
            format!("{}+{}i", show_bits(half, re)?, show_bits(half, im)?)
        }
        _ => return None,
    })
}
