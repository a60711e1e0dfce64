//! Signatures that are changed in place.

use super::*;
use alloc::string::ToString;

#[test]
fn a_signature_changed_in_place_is_the_one_that_is_built_anew() {
    let (long, short) = ([1, 2, 3, 4, 5, 6], [7, 8]);
    let mut signature = Signature::new()
        .operand(ElementType::F32, &[2, 3])
        .strided(ElementType::U8, &[4], &[-1], 3)
        .value(Tensor::vector(&[1]));
    for shape in [&long[..], &short, &[], &long] {
        let strides = alloc::vec![1; shape.len()];
        signature.set_shape(0, shape).unwrap();
        signature.set_strided(1, shape, &strides, 5).unwrap();
        let value = Tensor::new(&[1], &[shape.len() as i32]).unwrap();
        signature.set_value(2, value.clone()).unwrap();
        let anew = Signature::new()
            .operand(ElementType::F32, shape)
            .strided(ElementType::U8, shape, &strides, 5)
            .value(value);
        assert_eq!(signature, anew);
    }
    signature.set_shape(1, &short).unwrap();
    let layout = signature.operands()[1].layout.as_ref().unwrap();
    assert_eq!((layout.strides.len(), layout.offset), (long.len(), 5));
    signature.set_value(0, Tensor::scalar(2i64)).unwrap();
    assert_eq!(signature.operands()[0].element_type, ElementType::I64);
}

#[test]
fn what_cannot_be_set_is_refused_and_nothing_changes() {
    let mut signature = Signature::new()
        .operand(ElementType::F32, &[2, 3])
        .value(Tensor::vector(&[1]));
    let before = signature.clone();
    let refusals = [
        signature.set_shape(2, &[1]),
        signature.set_strided(usize::MAX, &[1], &[1], 0),
        signature.set_value(2, Tensor::vector(&[1])),
        signature.set_shape(1, &[2]),
        signature.set_strided(1, &[1], &[1], 0),
    ];
    let texts = refusals.map(|refusal| refusal.unwrap_err().to_string());
    let missing = |at: usize| {
        format!(
            "operand {at} is set, and the signature has 2 (allowed: 0..=1) [E401 operand-count]"
        )
    };
    let valued = "operand 1 has the shape of its value (allowed: [1]); `Signature::set_value` changes both [E403 operand-shape]";
    assert_eq!(texts[..3], [missing(2), missing(usize::MAX), missing(2)]);
    assert_eq!(texts[3..], [valued, valued]);
    assert_eq!(signature, before);
    let refusal = Signature::new().set_shape(0, &[1]).unwrap_err();
    assert_eq!(refusal.allowed_range(), Some("none: add it first"));
}
