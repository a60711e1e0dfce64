//! Range: how many values, and which. They are a [`Progression`], or, where a dialect adds up, a constant.

use crate::elem::{Element, ElementType};
use crate::error::{Error, ErrorKind};
use crate::op::Dialect;
use crate::range::Progression;
use crate::tensor::{Tensor, byte_count, too_large};
use alloc::{format, vec::Vec};
use core::{fmt::Debug, ops::AddAssign};

/// A Range with everything known: its values by formula, or, where a dialect accumulates, its values one by one.
#[derive(Clone, Debug)]
pub(crate) enum Resolved {
    Formula(Progression, usize),
    Accumulated(Tensor),
}

/// Resolves the three scalars of one type. `admit` refuses a count that is too large before memory is asked for.
pub(crate) fn resolve(
    start: &Tensor,
    limit: &Tensor,
    delta: &Tensor,
    dialect: Dialect,
    admit: &dyn Fn(usize) -> Result<(), Error>,
) -> Result<Resolved, Error> {
    admit_scalars(start, limit, delta)?;
    let count_and_formula = match start.element_type() {
        ElementType::F32 => {
            let [start, limit, delta] = [start, limit, delta].map(read_f32);
            // Row 17: the difference in T, division and ceiling in f64.
            let count = float_count(f64::from(limit - start), [start, limit, delta])?;
            (count, Progression::F32(start.to_bits(), delta.to_bits()))
        }
        ElementType::F64 => {
            let [start, limit, delta] = [start, limit, delta].map(read_f64);
            (
                float_count(limit - start, [start, limit, delta])?,
                Progression::F64(start.to_bits(), delta.to_bits()),
            )
        }
        ty => {
            let [start, limit, delta] =
                [start, limit, delta].map(|tensor| tensor.integer(0).unwrap_or_default());
            (
                integer_count(start, limit, delta, dialect)?,
                integer_progression(ty, start, delta),
            )
        }
    };
    let (count, formula) = count_and_formula;
    admit(count)?;
    // Row 16: the dialect adds delta again and again, rounding each time.
    Ok(match (dialect, formula) {
        (Dialect::OnnxRuntime, Progression::F32(start, delta)) => {
            let [start, delta] = [start, delta].map(f32::from_bits);
            Resolved::Accumulated(accumulate(count, start, delta, f32::to_ne_bytes)?)
        }
        (Dialect::OnnxRuntime, Progression::F64(start, delta)) => {
            let [start, delta] = [start, delta].map(f64::from_bits);
            Resolved::Accumulated(accumulate(count, start, delta, f64::to_ne_bytes)?)
        }
        _ => Resolved::Formula(formula, count),
    })
}

/// Row 21: three scalars of one type; of shape `[1]` they are taken as scalars.
fn admit_scalars(start: &Tensor, limit: &Tensor, delta: &Tensor) -> Result<(), Error> {
    for (name, tensor) in [("start", start), ("limit", limit), ("delta", delta)] {
        if !matches!(tensor.shape(), [] | [1]) {
            return Err(Error::new(
                ErrorKind::ParameterRank,
                format!("`{name}` has shape {:?}", tensor.shape()),
            )
            .parameter(name)
            .value(format!("{:?}", tensor.shape()))
            .allowed("a scalar: shape [] or [1]"));
        }
        if tensor.element_type() != start.element_type() {
            let (ty, first) = (tensor.element_type(), start.element_type());
            return Err(Error::new(
                ErrorKind::ParameterType,
                format!("`{name}` is {ty} but `start` is {first}"),
            )
            .parameter(name)
            .value(ty)
            .allowed(first.name()));
        }
    }
    Ok(())
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the values were read from tensors of the narrower type"
)]
fn integer_progression(ty: ElementType, start: i64, delta: i64) -> Progression {
    match ty {
        ElementType::I16 => Progression::I16(start as i16, delta as i16),
        ElementType::I32 => Progression::I32(start as i32, delta as i32),
        _ => Progression::I64(start, delta),
    }
}

fn read_f32(tensor: &Tensor) -> f32 {
    f32::from_ne_bytes(tensor.bytes().try_into().unwrap_or_default())
}

fn read_f64(tensor: &Tensor) -> f64 {
    f64::from_ne_bytes(tensor.bytes().try_into().unwrap_or_default())
}

/// Rows 18, 19, 20: exact; the dialect counts in `f64` as the text's function body does.
#[expect(clippy::cast_precision_loss, reason = "the dialect rounds here")]
fn integer_count(start: i64, limit: i64, delta: i64, dialect: Dialect) -> Result<usize, Error> {
    if delta == 0 {
        return Err(delta_zero("0"));
    }
    if dialect == Dialect::OnnxRuntime {
        return float_count(
            (i128::from(limit) - i128::from(start)) as f64,
            [start, limit, delta].map(|value| value as f64),
        );
    }
    let (difference, delta) = (i128::from(limit) - i128::from(start), i128::from(delta));
    let count = if (difference > 0) != (delta > 0) {
        0
    } else {
        (difference.unsigned_abs()).div_ceil(delta.unsigned_abs())
    };
    usize::try_from(count).map_err(|_| too_large(&format!("a Range of {count} elements")))
}

/// Rows 17, 20: `max(0, ceil(difference / delta))`; NaN or an infinite count is refused, an infinite delta gives nothing. A refusal shows a
/// value as its own type does.
fn float_count<T>(difference: f64, given: [T; 3]) -> Result<usize, Error>
where
    T: Copy + Into<f64> + Debug,
{
    let [start, limit, delta]: [f64; 3] = given.map(Into::into);
    let refused = |at: usize| not_finite(["start", "limit", "delta"][at], &given[at]);
    if delta == 0.0 {
        return Err(delta_zero(&format!("{delta:?}")));
    }
    if let Some(at) = [start, limit, delta]
        .iter()
        .position(|value| value.is_nan())
    {
        return Err(refused(at));
    }
    if delta.is_infinite() && difference.is_finite() {
        return Ok(0);
    }
    let count = ceil(difference / delta);
    if count.is_nan() || count == f64::INFINITY {
        return Err(refused(if start.is_infinite() { 0 } else { 1 }));
    }
    // 2^63: beyond it no count fits memory.
    if count >= 9_223_372_036_854_775_808.0 {
        return Err(too_large(&format!("a Range of {count:e} elements")));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 <= count < 2^63"
    )]
    let count = count.max(0.0) as usize;
    Ok(count)
}

/// `ceil` without the standard library.
fn ceil(x: f64) -> f64 {
    // From 2^52 on every float is whole.
    if x.is_nan() || x.abs() >= 4_503_599_627_370_496.0 {
        return x;
    }
    #[expect(clippy::cast_possible_truncation, reason = "|x| < 2^52")]
    let whole = x as i64;
    #[expect(clippy::cast_precision_loss, reason = "|whole| < 2^52")]
    let floor_toward_zero = whole as f64;
    if floor_toward_zero < x {
        floor_toward_zero + 1.0
    } else {
        floor_toward_zero
    }
}

fn delta_zero(value: &str) -> Error {
    Error::new(ErrorKind::DeltaZero, format!("`delta` = {value}"))
        .parameter("delta")
        .value(value)
        .allowed("any value but 0")
}

fn not_finite(name: &'static str, value: &dyn Debug) -> Error {
    Error::new(
        ErrorKind::CountNotFinite,
        format!("`{name}` = {value:?} gives no finite count"),
    )
    .parameter(name)
    .value(format!("{value:?}"))
    .allowed("values whose (limit - start) / delta is finite")
}

/// `count` values, the first of them `start`, each `delta` more than the one before it.
fn accumulate<T: Element + Copy + AddAssign, const N: usize>(
    count: usize,
    start: T,
    delta: T,
    bytes_of: fn(T) -> [u8; N],
) -> Result<Tensor, Error> {
    let size = byte_count(count, T::TYPE)?;
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(size)
        .map_err(|_| Error::out_of_memory(size))?;
    let mut value = start;
    for _ in 0..count {
        bytes.extend(bytes_of(value));
        value += delta;
    }
    Tensor::from_bytes(T::TYPE, &[count], bytes)
}
