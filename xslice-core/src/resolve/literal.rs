//! Numbers as they are written, in the type of a Range.
//!
//! A literal has no type of its own. Where the type is known, the notation asks for it at once; where it is that of an operand which comes
//! with the signature, the operator keeps what is written: integers as `i64`, a float as its text, so that it is rounded once.

use crate::elem::ElementType;
use crate::error::{Error, ErrorKind, cut};
use crate::op::{OnnxRange, Param};
use crate::tensor::Tensor;
use alloc::{borrow::Cow, format, vec::Vec};

/// `start`, `limit` and `delta` of a Range, literals without a type in that of the first one that is none.
pub(crate) fn typed<'t>(
    op: &OnnxRange,
    scalars: [&'t Tensor; 3],
) -> Result<[Cow<'t, Tensor>; 3], Error> {
    let mut typed = scalars.map(Cow::Borrowed);
    if !op.untyped {
        return Ok(typed);
    }
    let params = [&op.start, &op.limit, &op.delta];
    let is_literal = params.map(|param| matches!(param, Some(Param::Constant(_))));
    let lent = scalars.iter().zip(is_literal).find(|(_, literal)| !literal);
    let ty = lent.map_or(ElementType::I64, |(tensor, _)| tensor.element_type());
    for ((name, scalar), literal) in ["start", "limit", "delta"]
        .into_iter()
        .zip(&mut typed)
        .zip(is_literal)
    {
        if literal {
            let number = match scalar.strings() {
                Some(texts) => float(ty, texts.first().map_or("", |text| text)),
                None => integers(ty, scalar.shape(), &scalar.integers().unwrap_or_default()),
            };
            *scalar = Cow::Owned(number.map_err(|error| error.of_parameter(name))?);
        }
    }
    Ok(typed)
}

/// Integers in the type of a Range.
///
/// # Errors
/// [`ErrorKind::NumberRange`] for the first that does not fit, with its position if they are a list.
pub(crate) fn integers(ty: ElementType, shape: &[usize], values: &[i64]) -> Result<Tensor, Error> {
    fn narrow<T: TryFrom<i64>>(
        values: &[i64],
        refused: impl Fn(usize) -> Error,
    ) -> Result<Vec<T>, Error> {
        let each = values.iter().enumerate();
        each.map(|(at, &value)| T::try_from(value).map_err(|_| refused(at)))
            .collect()
    }
    let refused = |allowed| {
        move |at: usize| {
            let value = values[at];
            let text = format!("number {value} does not fit {ty}");
            let error = Error::new(ErrorKind::NumberRange, text)
                .value(value)
                .allowed(allowed);
            match shape {
                [] => error,
                [..] => error.position(at),
            }
        }
    };
    match ty {
        ElementType::I16 => Tensor::new::<i16>(shape, &narrow(values, refused("-32768..=32767"))?),
        ElementType::I32 => {
            Tensor::new::<i32>(shape, &narrow(values, refused("-2147483648..=2147483647"))?)
        }
        ElementType::F32 => {
            let values = values.iter().map(|&value| value as f32);
            Tensor::new::<f32>(shape, &values.collect::<Vec<_>>())
        }
        ElementType::F64 => {
            let values = values.iter().map(|&value| value as f64);
            Tensor::new::<f64>(shape, &values.collect::<Vec<_>>())
        }
        _ => Tensor::new::<i64>(shape, values),
    }
}

/// A float as a scalar of the type of a Range, rounded once.
///
/// # Errors
/// [`ErrorKind::NumberRange`] for one that does not fit, and in a Range of integers.
pub(crate) fn float(ty: ElementType, text: &str) -> Result<Tensor, Error> {
    let refused = |why: &str, allowed: &'static str| {
        let shown = cut(text);
        Error::new(ErrorKind::NumberRange, format!("float {shown} {why} {ty}"))
            .value(shown)
            .allowed(allowed)
    };
    const FINITE: &str = "finite numbers";
    match ty {
        ElementType::F32 => match text.parse::<f32>() {
            Ok(value) if value.is_finite() => Ok(Tensor::scalar(value)),
            _ => Err(refused("does not fit", FINITE)),
        },
        ElementType::F64 => match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Tensor::scalar(value)),
            _ => Err(refused("does not fit", FINITE)),
        },
        _ => Err(refused("in a Range of", "integers").hint(
            "floats need the element type f32 or f64: that of a run-time operand, else in front, `<f32> onnx::Range@11(...)`",
        )),
    }
}
