//! When two tensors are the same: type, shape and every bit, a NaN's too.
//!
//! The one exception are floats that a Range computes, where ONNX's own tests allow a relative 1e-3 (and 1e-7 around zero):
//! writers of expected values sum up, or compute in another precision.

use crate::coordinates::coordinates;
use crate::scalar;
use xslice::{ElementType, Tensor};

/// Says where two tensors differ.
pub fn same(got: &Tensor, expected: &Tensor, computed: bool) -> Result<(), String> {
    if got.element_type() != expected.element_type() || got.shape() != expected.shape() {
        return Err(format!(
            "{} {:?}, expected {} {:?}",
            got.element_type(),
            got.shape(),
            expected.element_type(),
            expected.shape()
        ));
    }
    let at = match (got.strings(), expected.strings()) {
        (Some(got), Some(expected)) => got.iter().zip(expected).position(|(a, b)| a != b),
        _ if got.bytes() == expected.bytes() => None,
        _ => differing_bits(got, expected, computed),
    };
    match at {
        None => Ok(()),
        Some(at) => Err(difference(got, expected, at)),
    }
}

fn difference(got: &Tensor, expected: &Tensor, at: usize) -> String {
    let [mut is, mut wanted] = [got, expected].map(|tensor| scalar::show(tensor, at));
    // Such as two NaNs.
    if is == wanted && got.strings().is_none() {
        is = format!("{is} ({})", scalar::show_hex(got, at));
        wanted = format!("{wanted} ({})", scalar::show_hex(expected, at));
    }
    let at = coordinates(got.shape(), at);
    format!("element {at:?} is {is}, expected {wanted}")
}

fn differing_bits(got: &Tensor, expected: &Tensor, computed: bool) -> Option<usize> {
    let ty = got.element_type();
    let tolerant = computed && matches!(ty, ElementType::F32 | ElementType::F64);
    let elements = got.bytes().chunks_exact(ty.size());
    let mut pairs = elements.zip(expected.bytes().chunks_exact(ty.size()));
    pairs.position(|(a, b)| a != b && !(tolerant && close(a, b)))
}

fn close(got: &[u8], expected: &[u8]) -> bool {
    let float = |bytes: &[u8]| match (bytes.try_into(), bytes.try_into()) {
        (Ok(four), _) => Some(f64::from(f32::from_ne_bytes(four))),
        (_, Ok(eight)) => Some(f64::from_ne_bytes(eight)),
        _ => None,
    };
    match (float(got), float(expected)) {
        (Some(a), Some(b)) => a == b || (b.is_finite() && (a - b).abs() <= 1e-7 + 1e-3 * b.abs()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_payloads_must_match_and_only_computed_floats_may_differ() {
        let tensor = |bits: u32| Tensor::new(&[1], &[f32::from_bits(bits)]).unwrap();
        let (nan, other_nan) = (tensor(0x7fc0_0000), tensor(0x7fc0_0001));
        assert!(same(&nan, &nan, false).is_ok());
        assert!(same(&nan, &other_nan, false).is_err());
        assert_eq!(
            same(&nan, &other_nan, false).unwrap_err(),
            "element [0] is NaN (0x7fc00000), expected NaN (0x7fc00001)"
        );
        let pair = |bits: u32| {
            let parts = [0x3f80_0000, bits].map(u32::to_ne_bytes).concat();
            Tensor::from_bytes(ElementType::C64, &[1], parts).unwrap()
        };
        assert_eq!(
            same(&pair(0x7fc0_0000), &pair(0x7fc0_0001), false).unwrap_err(),
            "element [0] is 1+NaNi (0x3f800000 0x7fc00000), expected 1+NaNi (0x3f800000 0x7fc00001)"
        );
        let (one, near) = (tensor(0x3f80_0000), tensor(0x3f80_0001));
        assert!(same(&near, &one, false).is_err());
        assert!(same(&near, &one, true).is_ok());
        assert!(same(&tensor(0x3f90_0000), &one, true).is_err());
        let infinity = tensor(f32::INFINITY.to_bits());
        assert!(same(&one, &infinity, true).is_err());
        assert!(same(&infinity, &infinity, true).is_ok());
    }

    #[test]
    fn an_element_is_named_by_its_coordinates() {
        let tensor = |last: i32| Tensor::new(&[2, 1, 3], &[0, 1, 2, 3, 4, last]).unwrap();
        let text = same(&tensor(7), &tensor(5), false).unwrap_err();
        assert_eq!(text, "element [1, 0, 2] is 7, expected 5");
        let scalar = |value: i32| Tensor::new(&[], &[value]).unwrap();
        let text = same(&scalar(7), &scalar(5), false).unwrap_err();
        assert_eq!(text, "element [] is 7, expected 5");
    }

    #[test]
    fn type_and_shape_count() {
        let row = Tensor::new(&[1, 2], &[1i32, 2]).unwrap();
        let column = Tensor::new(&[2, 1], &[1i32, 2]).unwrap();
        let bits = Tensor::new(&[1, 2], &[1u32, 2]).unwrap();
        assert!(same(&row, &column, false).is_err());
        assert!(same(&row, &bits, false).is_err());
    }
}
