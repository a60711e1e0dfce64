//! Values of a Range: by the formula of [`Progression`], as vectors where they lie side by side.

#[cfg(target_arch = "x86_64")]
use super::level::Kind;
use super::level::Level;
use crate::range::Progression;

/// `count` values from position `first` of a Range by `step`.
///
/// # Safety
/// Each value has room at its place from `to` on; the processor has `level`.
pub(super) unsafe fn run(
    level: Level,
    to: *mut u8,
    count: usize,
    dst_stride: isize,
    first: i64,
    step: i64,
    values: Progression,
) {
    let size = values.element_type().size();
    let packed = dst_stride == size as isize;
    // SAFETY: by the contract of this function.
    unsafe {
        match level.kind() {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 if packed && count >= SHORT => avx512(to, count, first, step, values),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 if packed && count >= SHORT => avx2(to, count, first, step, values),
            // Elsewhere vectors are part of what the crate is compiled for.
            _ if packed => side_by_side(to, count, first, step, values),
            _ => apart(to, count, dst_stride, first, step, values),
        }
    }
}

/// Fewer values are not worth a call of their own.
#[cfg(target_arch = "x86_64")]
const SHORT: usize = 16;

/// # Safety
/// As [`run`]; the processor has AVX-512 F, BW, VL and DQ.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
unsafe fn avx512(to: *mut u8, count: usize, first: i64, step: i64, values: Progression) {
    // SAFETY: by the contract of this function.
    unsafe { side_by_side(to, count, first, step, values) }
}

/// # Safety
/// As [`run`]; the processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2(to: *mut u8, count: usize, first: i64, step: i64, values: Progression) {
    // SAFETY: by the contract of this function.
    unsafe { side_by_side(to, count, first, step, values) }
}

/// `$integers` with the start and the difference of neighbours, or `$floats` with start and delta, of the type.
macro_rules! by_type {
    ($values:expr, $first:expr, $step:expr, $integers:ident, $floats:ident) => {{
        #[expect(
            clippy::cast_possible_truncation,
            reason = "exact modulo the width of the type, see Progression"
        )]
        match $values {
            Progression::I16(start, delta) => {
                $integers!(
                    start.wrapping_add(($first as i16).wrapping_mul(delta)),
                    ($step as i16).wrapping_mul(delta)
                )
            }
            Progression::I32(start, delta) => {
                $integers!(
                    start.wrapping_add(($first as i32).wrapping_mul(delta)),
                    ($step as i32).wrapping_mul(delta)
                )
            }
            Progression::I64(start, delta) => {
                $integers!(
                    start.wrapping_add($first.wrapping_mul(delta)),
                    $step.wrapping_mul(delta)
                )
            }
            Progression::F32(start, delta) => {
                $floats!(f32, f32::from_bits(start), f32::from_bits(delta))
            }
            Progression::F64(start, delta) => {
                $floats!(f64, f64::from_bits(start), f64::from_bits(delta))
            }
        }
    }};
}

/// Positions of floats that fit 32 bits are counted in 32 bits: their conversion is a vector instruction everywhere.
///
/// # Safety
/// As [`run`], with the values side by side.
#[inline(always)]
unsafe fn side_by_side(to: *mut u8, count: usize, first: i64, step: i64, values: Progression) {
    macro_rules! integers {
        ($start:expr, $difference:expr) => {{
            let (mut value, difference) = ($start, $difference);
            let to = typed(to, value);
            for k in 0..count {
                // SAFETY: by the contract of this function.
                unsafe { to.add(k).write_unaligned(value) };
                value = value.wrapping_add(difference);
            }
        }};
    }
    macro_rules! floats {
        ($ty:ty, $start:expr, $delta:expr) => {{
            let (start, delta, to) = ($start, $delta, to.cast::<$ty>());
            if let Some((first, step, count)) = narrow(first, step, count) {
                for k in 0..count {
                    let p = first.wrapping_add(k.wrapping_mul(step));
                    // SAFETY: by the contract of this function.
                    unsafe { to.add(k as usize).write_unaligned(start + p as $ty * delta) };
                }
            } else {
                for k in 0..count {
                    let p = first.wrapping_add((k as i64).wrapping_mul(step));
                    // SAFETY: likewise.
                    unsafe { to.add(k).write_unaligned(start + p as $ty * delta) };
                }
            }
        }};
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "the position is rounded to the element type, see Progression"
    )]
    {
        by_type!(values, first, step, integers, floats);
    }
}

/// The address as one of values like `_value`.
fn typed<T>(at: *mut u8, _value: T) -> *mut T {
    at.cast()
}

/// Positions in 32 bits, if all of them fit.
fn narrow(first: i64, step: i64, count: usize) -> Option<(i32, i32, i32)> {
    let last = i128::from(first) + i128::from(step) * (count as i128 - 1);
    i32::try_from(last).ok()?;
    Some((
        first.try_into().ok()?,
        step.try_into().ok()?,
        count.try_into().ok()?,
    ))
}

/// # Safety
/// As [`run`].
unsafe fn apart(
    to: *mut u8,
    count: usize,
    dst_stride: isize,
    first: i64,
    step: i64,
    values: Progression,
) {
    let place = |k: usize| to.wrapping_offset(k as isize * dst_stride);
    macro_rules! integers {
        ($start:expr, $difference:expr) => {{
            let (mut value, difference) = ($start, $difference);
            for k in 0..count {
                // SAFETY: by the contract of this function.
                unsafe { typed(place(k), value).write_unaligned(value) };
                value = value.wrapping_add(difference);
            }
        }};
    }
    macro_rules! floats {
        ($ty:ty, $start:expr, $delta:expr) => {
            for k in 0..count {
                let p = first.wrapping_add((k as i64).wrapping_mul(step));
                // SAFETY: by the contract of this function.
                unsafe {
                    place(k)
                        .cast::<$ty>()
                        .write_unaligned($start + p as $ty * $delta)
                };
            }
        };
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "the position is rounded to the element type, see Progression"
    )]
    {
        by_type!(values, first, step, integers, floats);
    }
}
