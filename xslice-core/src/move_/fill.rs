//! Values of a Range: by the formula of [`Progression`], as vectors where they lie side by side.

#[cfg(target_arch = "x86_64")]
use super::cache::Cache;
#[cfg(target_arch = "x86_64")]
use super::processor::habits;
#[cfg(target_arch = "x86_64")]
use super::rows;
#[cfg(target_arch = "x86_64")]
use super::stream;
#[cfg(target_arch = "x86_64")]
use crate::level::Kind;
use crate::level::Level;
use crate::nest::schedule::Fill;
use crate::range::Progression;
#[cfg(target_arch = "x86_64")]
use core::ops::Range;

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
                match before_lines(to, count, fill) {
                    0 if count < MANY => avx512::<false, false>(to, count, first, fill),
                    head => {
                        let cache = Cache::of(count * fill.values.element_type().size());
                        in_lines(to, [head, count - head], first, fill, cache);
                    }
                }
            }
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 if count >= MANY && is_packed(fill) => avx2_many(to, count, first, fill),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 if count >= SHORT && is_packed(fill) => avx2(to, count, first, fill),
            _ => any(to, count, first, fill),
        }
    }
}

/// Whether the values lie side by side.
#[inline]
fn is_packed(fill: &Fill) -> bool {
    fill.dst_stride == fill.values.element_type().size() as i64
}

/// Values up to the first whole line of the result, then those in lines: past the caches if none keeps them, or with lines fetched ahead.
/// Out of the way of [`run`], which has nothing to remember without it.
///
/// # Safety
/// As [`run`], for both counts, at the level of AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub(super) unsafe fn in_lines(
    to: *mut u8,
    [head, count]: [usize; 2],
    first: i64,
    fill: &Fill,
    cache: Cache,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        let size = fill.values.element_type().size();
        avx512::<false, false>(to, head, first, fill);
        let first = first.wrapping_add(fill.step.wrapping_mul(head as i64));
        let to = to.add(head * size);
        match cache {
            Cache::None if to.addr().is_multiple_of(64) => {
                avx512::<true, false>(to, count, first, fill);
            }
            _ if FETCHED.contains(&(count * size)) && habits().fetches_filled => {
                avx512::<false, true>(to, count, first, fill);
            }
            _ => avx512::<false, false>(to, count, first, fill),
        }
    }
}

/// Bytes of results whose lines are fetched ahead, if that pays: the second cache has most of smaller ones; larger ones were slower with it.
#[cfg(target_arch = "x86_64")]
const FETCHED: Range<usize> = 3 << 19..12 << 20;

/// How far ahead, in bytes.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 1024;

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

/// Fewer values are kept by a cache.
#[cfg(target_arch = "x86_64")]
const MANY: usize = 1 << 17;

/// Fewer values are not worth a call of their own.
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

/// Stores what position `$first + k * $step` is worth at value `k`, for `$count` of them from `$to` on, by vectors with a `$mask` bit for
/// each lane. Four of them step side by side, so that a value waits for the one four vectors before; with `STREAM` they go past the
/// caches, as `$bits`; with `FETCH` lines are asked for before they are written. What is behind the last whole vector is stored by a mask.
#[cfg(target_arch = "x86_64")]
macro_rules! in_vectors {
    ($ty:ty, ($to:expr, $count:expr), $first:expr, $step:expr, $add:ident, $mask_add:ident, $store:ident: $mask:ty, $bits:expr, |$at:ident| $value:expr) => {{
        const LANES: usize = <$mask>::BITS as usize;
        let (mut at, mut step) = ($first, $step);
        for lanes in [
            0xaaaa_aaaa_u32,
            0xcccc_cccc,
            0xf0f0_f0f0,
            0xff00_ff00,
            0xffff_0000,
        ]
        .into_iter()
        .take(LANES.ilog2() as usize)
        {
            at = $mask_add(at, lanes as $mask, at, step);
            step = $add(step, step);
        }
        let two = $add(step, step);
        let (three, four) = ($add(two, step), $add(two, two));
        let (mut to, mut left) = ($to.cast::<$ty>(), $count);
        // SAFETY: by the contract of `avx512`; `left` values are still to be written from `to` on.
        unsafe {
            while left >= 4 * LANES {
                let round = [at, $add(at, step), $add(at, two), $add(at, three)];
                for (k, $at) in round.into_iter().enumerate() {
                    let to = to.add(k * LANES);
                    if FETCH {
                        rows::prefetch_write(to.cast::<u8>().wrapping_add(AHEAD));
                    }
                    match STREAM {
                        true => _mm512_stream_si512(to.cast(), $bits($value)),
                        false => $store(to, !0, $value),
                    }
                }
                at = $add(at, four);
                to = to.add(4 * LANES);
                left -= 4 * LANES;
            }
            while left > 0 {
                let some: $mask = match left {
                    ..LANES => (1 << left) - 1,
                    _ => !0,
                };
                let $at = at;
                $store(to, some, $value);
                at = $add(at, step);
                to = to.wrapping_add(LANES);
                left = left.saturating_sub(LANES);
            }
        }
        if STREAM {
            stream::complete();
        }
    }};
}

/// By [`in_vectors`]. Positions of floats that their type holds exactly are counted in it, which takes no conversion.
///
/// # Safety
/// As [`run`], with the values side by side, to stream them from the beginning of a line on; the processor has AVX-512 F, BW, VL and DQ.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
unsafe fn avx512<const STREAM: bool, const FETCH: bool>(
    to: *mut u8,
    count: usize,
    first: i64,
    fill: &Fill,
) {
    use core::arch::x86_64::*;
    let Fill { step, values, .. } = *fill;

    macro_rules! integers {
        ($ty:ty, $set:ident, $add:ident, $mask_add:ident, $store:ident: $mask:ty, $start:expr, $delta:expr) => {{
            let (start, delta): ($ty, $ty) = ($start, $delta);
            let first = start.wrapping_add((first as $ty).wrapping_mul(delta));
            let step = (step as $ty).wrapping_mul(delta);
            in_vectors!($ty, (to, count), $set(first), $set(step), $add, $mask_add, $store: $mask, core::convert::identity, |at| at)
        }};
    }
    macro_rules! floats {
        ($ty:ty, $set:ident, $add:ident, $mul:ident, $mask_add:ident, $store:ident: $mask:ty, $bits:ident, $start:expr, $delta:expr) => {{
            if !is_exact(first, step, count, <$ty>::MANTISSA_DIGITS) {
                // SAFETY: by the contract of this function.
                return unsafe { side_by_side(to, count, first, step, values) };
            }
            let (start, delta) = ($set(<$ty>::from_bits($start)), $set(<$ty>::from_bits($delta)));
            let (first, step) = ($set(first as $ty), $set(step as $ty));
            in_vectors!($ty, (to, count), first, step, $add, $mask_add, $store: $mask, $bits, |at| $add(start, $mul(at, delta)))
        }};
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "integers are exact modulo the width of the type, see Progression; positions of floats are exact"
    )]
    match values {
        Progression::I16(start, delta) => {
            integers!(i16, _mm512_set1_epi16, _mm512_add_epi16, _mm512_mask_add_epi16, _mm512_mask_storeu_epi16: u32, start, delta);
        }
        Progression::I32(start, delta) => {
            integers!(i32, _mm512_set1_epi32, _mm512_add_epi32, _mm512_mask_add_epi32, _mm512_mask_storeu_epi32: u16, start, delta);
        }
        Progression::I64(start, delta) => {
            integers!(i64, _mm512_set1_epi64, _mm512_add_epi64, _mm512_mask_add_epi64, _mm512_mask_storeu_epi64: u8, start, delta);
        }
        Progression::F32(start, delta) => {
            floats!(f32, _mm512_set1_ps, _mm512_add_ps, _mm512_mul_ps, _mm512_mask_add_ps, _mm512_mask_storeu_ps: u16, _mm512_castps_si512, start, delta);
        }
        Progression::F64(start, delta) => {
            floats!(f64, _mm512_set1_pd, _mm512_add_pd, _mm512_mul_pd, _mm512_mask_add_pd, _mm512_mask_storeu_pd: u8, _mm512_castpd_si512, start, delta);
        }
    }
}

/// Whether a float of so many digits is each of these positions, and thus every sum of steps from one to another.
#[cfg(target_arch = "x86_64")]
fn is_exact(first: i64, step: i64, count: usize, digits: u32) -> bool {
    let most = 1u64 << digits;
    let last = step
        .checked_mul(count as i64 - 1)
        .and_then(|steps| steps.checked_add(first));
    first.unsigned_abs() <= most && last.is_some_and(|last| last.unsigned_abs() <= most)
}

/// # Safety
/// As [`run`], with the values side by side; the processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2(to: *mut u8, count: usize, first: i64, fill: &Fill) {
    // SAFETY: by the contract of this function.
    unsafe { side_by_side(to, count, first, fill.step, fill.values) }
}

/// As [`avx2`], past the caches if none keeps the values. Out of the way of [`run`], as [`in_lines`] is.
///
/// # Safety
/// As [`avx2`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline(never)]
unsafe fn avx2_many(to: *mut u8, count: usize, first: i64, fill: &Fill) {
    // SAFETY: by the contract of this function.
    unsafe {
        match Cache::of(count * fill.values.element_type().size()) {
            Cache::None => avx2_streamed(to, count, first, fill),
            _ => avx2(to, count, first, fill),
        }
    }
}

/// As [`avx2`], past the caches where values fill lines.
///
/// # Safety
/// As [`avx2`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn avx2_streamed(to: *mut u8, count: usize, first: i64, fill: &Fill) {
    let size = fill.values.element_type().size();
    let from = |k: usize| first.wrapping_add(fill.step.wrapping_mul(k as i64));
    let mut done = before_lines(to, count, fill);
    // SAFETY: by the contract of this function.
    unsafe {
        avx2(to, done, first, fill);
        let lines = to.add(done * size);
        if lines.addr().is_multiple_of(64) {
            let head = done;
            let part = |part: *mut u8, at: usize| {
                avx2(part, stream::PART / size, from(head + at / size), fill);
            };
            done += stream::in_parts(lines, (count - head) * size, part) / size;
        }
        avx2(to.add(done * size), count - done, from(done), fill);
    }
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
