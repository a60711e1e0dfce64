//! Values of a Range: by the formula of [`Progression`], as vectors where they lie side by side.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
pub(super) mod known;

#[cfg(target_arch = "x86_64")]
use crate::level::Kind;
use crate::level::Level;
use crate::nest::schedule::Fill;
use crate::range::Progression;

/// `count` values of a fill from position `first` of its Range on.
///
/// # Safety
/// Each value has room at its place from `to` on; the processor has `level`.
#[inline]
pub(super) unsafe fn run(level: Level, to: *mut u8, count: usize, first: i64, fill: &Fill) {
    // SAFETY: by the contract of this function.
    unsafe {
        match level.kind() {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 if count >= SHORT && is_packed(fill) => {
                avx512::run(to, count, first, fill)
            }
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 if count >= SHORT && is_packed(fill) => avx2::run(to, count, first, fill),
            _ => any(to, count, first, fill),
        }
    }
}

/// That of value `k`, `step` after `step` from the `first` one on.
#[inline]
fn position(first: i64, step: i64, k: usize) -> i64 {
    first.wrapping_add(step.wrapping_mul(k as i64))
}

/// Whether the values lie side by side.
#[inline]
fn is_packed(fill: &Fill) -> bool {
    fill.dst_stride == fill.values.element_type().size() as i64
}

/// As the compiler makes it: beyond x86-64, vectors are part of what the crate is compiled for.
///
/// # Safety
/// As [`run`].
#[inline(never)]
unsafe fn any(to: *mut u8, count: usize, first: i64, fill: &Fill) {
    let Fill {
        dst_stride,
        step,
        values,
        ..
    } = *fill;
    // SAFETY: by the contract of this function.
    unsafe {
        match is_packed(fill) {
            true => side_by_side(to, count, first, step, values),
            false => apart(to, count, dst_stride as isize, first, step, values),
        }
    }
}

/// So few values are kept by a cache, whatever their type: it need not be asked.
#[cfg(target_arch = "x86_64")]
const MANY: usize = 1 << 17;

/// Fewer values are not worth a call of their own. At least as many as a vector of AVX2 has: these are stored whole.
#[cfg(target_arch = "x86_64")]
const SHORT: usize = 16;

/// Values before the first whole line of the result: a vector that straddles two lines is stored in twice the time. 0 where that does not
/// pay, or where every vector would straddle.
#[cfg(target_arch = "x86_64")]
fn before_lines(to: *mut u8, count: usize, fill: &Fill) -> usize {
    const LEAST_BYTES: usize = 1024;
    let size = fill.values.element_type().size();
    let bytes = to.addr().wrapping_neg() % 64;
    if count * size < LEAST_BYTES || !bytes.is_multiple_of(size) {
        return 0;
    }
    bytes / size
}

/// Whether floats of `digits` binary digits hold each of these positions, and thus every sum of steps from one to another.
fn is_exact(first: i64, step: i64, count: usize, digits: u32) -> bool {
    let most = 1u64 << digits;
    let last = step
        .checked_mul(count as i64 - 1)
        .and_then(|steps| steps.checked_add(first));
    first.unsigned_abs() <= most && last.is_some_and(|last| last.unsigned_abs() <= most)
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
            if let Some((mut p, step)) = narrow(first, step, count) {
                for k in 0..count {
                    // SAFETY: by the contract of this function.
                    unsafe { to.add(k).write_unaligned(start + p as $ty * delta) };
                    // A sum, which a vector takes in one instruction, where a product takes two of the slowest.
                    p = p.wrapping_add(step);
                }
            } else {
                for k in 0..count {
                    let p = position(first, step, k);
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

/// The first position and their distance in 32 bits, if all positions fit.
fn narrow(first: i64, step: i64, count: usize) -> Option<(i32, i32)> {
    let last = i128::from(first) + i128::from(step) * (count as i128 - 1);
    i32::try_from(last).ok()?;
    Some((first.try_into().ok()?, step.try_into().ok()?))
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
                let p = position(first, step, k);
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
