//! By AVX2: the first and the last vector lie where the values begin and end, those between them where vectors of the result begin, unless
//! values straddle these. The vectors at the ends overlap others, of the same values.

use super::{MANY, SHORT, any, before_lines, is_exact, position, side_by_side};
use crate::move_::cache::Cache;
use crate::move_::stream;
use crate::nest::schedule::Fill;
use crate::range::Progression;
use core::arch::x86_64::*;

/// # Safety
/// As [`super::run`], of [`SHORT`] values or more that lie side by side; the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline(never)]
pub(super) unsafe fn run(to: *mut u8, count: usize, first: i64, fill: &Fill) {
    // SAFETY: by the contract of this function.
    unsafe {
        match count {
            ..MANY => vectors(to, count, first, fill),
            _ => many(to, count, first, fill),
        }
    }
}

/// Past the caches if none keeps the values. Out of the way of [`run`], which has nothing to remember without it.
///
/// # Safety
/// As [`run`].
#[target_feature(enable = "avx2")]
#[inline(never)]
unsafe fn many(to: *mut u8, count: usize, first: i64, fill: &Fill) {
    // SAFETY: by the contract of this function.
    unsafe {
        match Cache::of(count * fill.values.element_type().size()) {
            Cache::None => streamed(to, count, first, fill),
            _ => vectors(to, count, first, fill),
        }
    }
}

/// Past the caches where values fill lines.
///
/// # Safety
/// As [`run`].
#[target_feature(enable = "avx2")]
pub(in crate::move_) unsafe fn streamed(to: *mut u8, count: usize, first: i64, fill: &Fill) {
    let size = fill.values.element_type().size();
    let from = |k: usize| position(first, fill.step, k);
    let mut done = before_lines(to, count, fill);
    // SAFETY: by the contract of this function; a part has room for its values, of which there are more than `SHORT`.
    unsafe {
        any(to, done, first, fill);
        let lines = to.add(done * size);
        if lines.addr().is_multiple_of(64) {
            let head = done;
            let part = |part: *mut u8, at: usize| {
                vectors(part, stream::PART / size, from(head + at / size), fill);
            };
            done += stream::in_parts(lines, (count - head) * size, part) / size;
        }
        let (rest, left) = (to.add(done * size), count - done);
        match left {
            ..SHORT => any(rest, left, from(done), fill),
            _ => vectors(rest, left, from(done), fill),
        }
    }
}

/// Values of a vector.
const fn lanes<T>() -> usize {
    32 / size_of::<T>()
}

/// Stores `$value` of each vector `$at` for `$count` values from `$to` on. Vectors are sums of `$first(k)`, which has the value of number `k`
/// in every lane, and of `$lanes`, what each lane adds to it; `$step` leads from one to the next.
macro_rules! in_vectors {
    ($ty:ty, ($to:expr, $count:expr), $first:expr, $lanes:expr, $step:expr, $add:ident, |$at:ident| $value:expr) => {{
        const LANES: usize = lanes::<$ty>();
        const { assert!(LANES <= SHORT) };
        let (to, count, lanes, step) = ($to.cast::<$ty>(), $count, $lanes, $step);
        let from = |k: usize| $add($first(k), lanes);
        let store = |k: usize, $at| {
            // SAFETY: by the contract of `vectors`; the callers below have `LANES` values from number `k` on.
            unsafe { _mm256_storeu_si256(to.add(k).cast(), $value) };
        };
        store(0, from(0));
        let mut k = to_vector(to);
        let mut at = from(k);
        let two = $add(step, step);
        let (three, four) = ($add(two, step), $add(two, two));
        while count - k >= 4 * LANES {
            store(k, at);
            store(k + LANES, $add(at, step));
            store(k + 2 * LANES, $add(at, two));
            store(k + 3 * LANES, $add(at, three));
            at = $add(at, four);
            k += 4 * LANES;
        }
        while count - k >= LANES {
            store(k, at);
            at = $add(at, step);
            k += LANES;
        }
        if k < count {
            store(count - LANES, from(count - LANES));
        }
    }};
}

/// Values up to the next vector of the result, at least one; all of a vector where values straddle vectors.
fn to_vector<T>(to: *mut T) -> usize {
    let bytes = 32 - to.addr() % 32;
    match bytes.is_multiple_of(size_of::<T>()) {
        true => bytes / size_of::<T>(),
        false => lanes::<T>(),
    }
}

/// Lanes that begin at 0 and are `step` apart.
#[target_feature(enable = "avx2")]
fn apart_i16(step: i16) -> __m256i {
    let numbers = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    _mm256_mullo_epi16(numbers, _mm256_set1_epi16(step))
}

/// As [`apart_i16`].
#[target_feature(enable = "avx2")]
fn apart_i32(step: i32) -> __m256i {
    let numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_mullo_epi32(numbers, _mm256_set1_epi32(step))
}

/// As [`apart_i16`].
#[target_feature(enable = "avx2")]
fn apart_i64(step: i64) -> __m256i {
    let two = step.wrapping_add(step);
    _mm256_setr_epi64x(0, step, two, two.wrapping_add(step))
}

/// As [`apart_i16`].
#[target_feature(enable = "avx2")]
fn apart_f32(step: f32) -> __m256 {
    _mm256_mul_ps(
        _mm256_setr_ps(0., 1., 2., 3., 4., 5., 6., 7.),
        _mm256_set1_ps(step),
    )
}

/// As [`apart_i16`].
#[target_feature(enable = "avx2")]
fn apart_f64(step: f64) -> __m256d {
    _mm256_mul_pd(_mm256_setr_pd(0., 1., 2., 3.), _mm256_set1_pd(step))
}

/// By [`in_vectors`]. Positions of floats that their type holds exactly are counted in it, which takes no conversion.
///
/// # Safety
/// As [`run`].
#[target_feature(enable = "avx2")]
unsafe fn vectors(to: *mut u8, count: usize, first: i64, fill: &Fill) {
    debug_assert!(count >= SHORT);
    let Fill { step, values, .. } = *fill;

    macro_rules! integers {
        ($ty:ty: $each:ident, $set:ident, $add:ident, $start:expr, $delta:expr) => {{
            let (start, delta): ($ty, $ty) = ($start, $delta);
            let first = start.wrapping_add((first as $ty).wrapping_mul(delta));
            let step = (step as $ty).wrapping_mul(delta);
            let from = |k: usize| $set(first.wrapping_add(step.wrapping_mul(k as $ty)));
            let next = $set(step.wrapping_mul(lanes::<$ty>() as $ty));
            in_vectors!($ty, (to, count), from, $each(step), next, $add, |at| at)
        }};
    }
    macro_rules! floats {
        ($ty:ty: $each:ident, $set:ident, $add:ident, $mul:ident, $bits:ident, $start:expr, $delta:expr) => {{
            if !is_exact(first, step, count, <$ty>::MANTISSA_DIGITS) {
                // SAFETY: by the contract of this function.
                return unsafe { side_by_side(to, count, first, step, values) };
            }
            let start = $set(<$ty>::from_bits($start));
            let delta = $set(<$ty>::from_bits($delta));
            let from = |k: usize| $set((first + step * k as i64) as $ty);
            let next = $set(step as $ty * lanes::<$ty>() as $ty);
            in_vectors!(
                $ty,
                (to, count),
                from,
                $each(step as $ty),
                next,
                $add,
                |at| $bits($add(start, $mul(at, delta)))
            )
        }};
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        reason = "integers are exact modulo the width of the type, see Progression; positions of floats are exact"
    )]
    match values {
        Progression::I16(start, delta) => {
            integers!(i16: apart_i16, _mm256_set1_epi16, _mm256_add_epi16, start, delta);
        }
        Progression::I32(start, delta) => {
            integers!(i32: apart_i32, _mm256_set1_epi32, _mm256_add_epi32, start, delta);
        }
        Progression::I64(start, delta) => {
            integers!(i64: apart_i64, _mm256_set1_epi64x, _mm256_add_epi64, start, delta);
        }
        Progression::F32(start, delta) => {
            floats!(f32: apart_f32, _mm256_set1_ps, _mm256_add_ps, _mm256_mul_ps, _mm256_castps_si256, start, delta);
        }
        Progression::F64(start, delta) => {
            floats!(f64: apart_f64, _mm256_set1_pd, _mm256_add_pd, _mm256_mul_pd, _mm256_castpd_si256, start, delta);
        }
    }
}
