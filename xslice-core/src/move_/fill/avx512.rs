//! By AVX-512: from whole line to whole line, the last vector by a mask.

use super::{MANY, before_lines, is_exact, position, side_by_side};
use crate::move_::cache::Cache;
use crate::move_::processor::habits;
use crate::move_::{prefetch, stream};
use crate::nest::schedule::Fill;
use crate::range::Progression;
use core::arch::x86_64::*;
use core::ops::Range;

/// # Safety
/// As [`super::run`], with the values side by side; the processor has AVX-512 F, BW, VL and DQ.
#[inline(never)]
pub(super) unsafe fn run(to: *mut u8, count: usize, first: i64, fill: &Fill) {
    // SAFETY: by the contract of this function.
    unsafe {
        match before_lines(to, count, fill) {
            0 if count < MANY => vectors::<false, false>(to, count, first, fill),
            head => long(to, [head, count - head], first, fill),
        }
    }
}

/// As [`in_lines`], by the cache that keeps so many. Out of the way of [`run`], which has nothing to remember without it: what a call
/// saves of its caller's waits behind the values of the call before.
///
/// # Safety
/// As [`run`], for both counts.
#[inline(never)]
unsafe fn long(to: *mut u8, [head, count]: [usize; 2], first: i64, fill: &Fill) {
    let cache = Cache::of((head + count) * fill.values.element_type().size());
    // SAFETY: by the contract of this function.
    unsafe { in_lines(to, [head, count], first, fill, cache) }
}

/// Values up to the first whole line of the result, then those in lines: past the caches if none keeps them, or with lines fetched ahead.
///
/// # Safety
/// As [`run`], for both counts.
pub(in crate::move_) unsafe fn in_lines(
    to: *mut u8,
    [head, count]: [usize; 2],
    first: i64,
    fill: &Fill,
    cache: Cache,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        let size = fill.values.element_type().size();
        vectors::<false, false>(to, head, first, fill);
        let first = position(first, fill.step, head);
        let to = to.add(head * size);
        match cache {
            Cache::None if to.addr().is_multiple_of(64) => {
                vectors::<true, false>(to, count, first, fill);
            }
            _ if FETCHED.contains(&(count * size)) && habits().fetches_filled => {
                vectors::<false, true>(to, count, first, fill);
            }
            _ => vectors::<false, false>(to, count, first, fill),
        }
    }
}

/// Bytes of results whose lines are fetched ahead, if that pays: the second cache has most of smaller ones; larger ones were slower with it.
const FETCHED: Range<usize> = 3 << 19..12 << 20;

/// How far ahead, in bytes.
const AHEAD: usize = 1024;

/// Stores what position `$first + k * $step` is worth at value `k`, for `$count` of them from `$to` on, by vectors with a `$mask` bit for
/// each lane. Four of them step side by side, so that a value waits for the one four vectors before; with `STREAM` they go past the
/// caches, as `$bits`; with `FETCH` lines are asked for before they are written. What follows the last whole vector is stored by a mask.
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
        // SAFETY: by the contract of `vectors`; `left` values are still to be written from `to` on.
        unsafe {
            while left >= 4 * LANES {
                let round = [at, $add(at, step), $add(at, two), $add(at, three)];
                for (k, $at) in round.into_iter().enumerate() {
                    let to = to.add(k * LANES);
                    if FETCH {
                        prefetch::line_to_write(to.cast::<u8>().wrapping_add(AHEAD));
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
/// As [`run`]; with `STREAM`, a line begins at `to`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
unsafe fn vectors<const STREAM: bool, const FETCH: bool>(
    to: *mut u8,
    count: usize,
    first: i64,
    fill: &Fill,
) {
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
