//! Values that are known before the call: what a loop over them begins with is laid out when they are planned, for any place of the result.
//!
//! A short loop is over before a vector of first values would have been computed.

use super::{is_exact, is_packed, position};
use crate::level::{Kind, Level};
use crate::move_::cache::Cache;
use crate::nest::schedule::{Fill, KnownValues, Schedule, WriteValues};
use crate::range::Progression;
use crate::shuffle::LINE;
use alloc::boxed::Box;
use core::arch::x86_64::*;

/// The values of a verified schedule as the best level writes them, if they are all that it writes, and a near cache keeps them.
pub(in crate::move_) fn known(schedule: &Schedule, fill: &Fill) -> Option<Box<KnownValues>> {
    let is_near = matches!(schedule.cache(), Cache::Near | Cache::Second);
    let is_all = schedule.extents().is_empty() && schedule.src().is_affine();
    (is_near && is_all)
        .then(|| KnownValues::new(Level::best(), schedule.src().offset, fill))
        .flatten()
}

impl KnownValues {
    /// Those from position `at` on, if they lie side by side, are a line or more, and are found by additions that round nothing.
    pub(in crate::move_) fn new(level: Level, at: i64, fill: &Fill) -> Option<Box<Self>> {
        let Fill {
            count,
            step,
            values,
            ..
        } = *fill;
        let size = values.element_type().size();
        let bytes = count * size;
        if bytes < LINE || !is_packed(fill) {
            return None;
        }
        let (added, floats) = match values {
            Progression::I16(_, delta) => (Progression::I16(0, delta), None),
            Progression::I32(_, delta) => (Progression::I32(0, delta), None),
            Progression::I64(_, delta) => (Progression::I64(0, delta), None),
            Progression::F32(start, delta) => {
                let positions = Progression::F32(0, 1f32.to_bits());
                let is_exact = is_exact(
                    at,
                    step,
                    count.max(Self::FIRST / size),
                    f32::MANTISSA_DIGITS,
                );
                (positions, Some(([start.into(), delta.into()], is_exact)))
            }
            Progression::F64(start, delta) => {
                let positions = Progression::F64(0, 1f64.to_bits());
                let is_exact = is_exact(
                    at,
                    step,
                    count.max(Self::FIRST / size),
                    f64::MANTISSA_DIGITS,
                );
                (positions, Some(([start, delta], is_exact)))
            }
        };
        if let Some((_, false)) = floats {
            return None;
        }
        let value = |k: usize| values.bits(position(at, step, k));
        let first = if floats.is_some() { added } else { values };
        Some(Box::new(Self {
            written_by: writing(level, values)?,
            level,
            bytes,
            first: laid_out(size, |k| first.bits(position(at, step, k))),
            further: laid_out(size, |_| added.bits(position(0, step, Self::ROUND / size))),
            last: laid_out(size, |k| value(count - LINE / size + k)),
            floats: floats.map_or([0; 2], |(bits, _)| bits),
        }))
    }
}

/// Values of `size` bytes, one after the other.
fn laid_out<const BYTES: usize>(size: usize, value: impl Fn(usize) -> u64) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    for (k, to) in bytes.chunks_exact_mut(size).enumerate() {
        to.copy_from_slice(&value(k).to_le_bytes()[..size]);
    }
    bytes
}

/// What writes values of this type by the vectors of a level.
fn writing(level: Level, values: Progression) -> Option<WriteValues> {
    macro_rules! of {
        ($level:ident) => {
            match values {
                Progression::I16(..) => $level::i16,
                Progression::I32(..) => $level::i32,
                Progression::I64(..) => $level::i64,
                Progression::F32(..) => $level::f32,
                Progression::F64(..) => $level::f64,
            }
        };
    }
    match level.kind() {
        Kind::Avx512 => Some(of!(avx512)),
        Kind::Avx2 => Some(of!(avx2)),
        _ => None,
    }
}

/// Writes known values of `$ty`, which are `$value` of what vectors hold: those up to the first whole line of the result, if
/// one begins with a value, then a round of vectors after the other, each the one before with `further` added, then the last line.
macro_rules! written {
    ($ty:ty, $vector:ty, ($to:expr, $known:expr), $load:ident, $store:ident, $add:ident, $value:expr) => {{
        const WIDTH: usize = size_of::<$vector>();
        const VECTORS: usize = KnownValues::ROUND / WIDTH;
        let (to, known): (*mut u8, &KnownValues) = ($to, $known);
        let to_line = to.addr().wrapping_neg() % LINE;
        let head = if to_line.is_multiple_of(size_of::<$ty>()) { to_line } else { 0 };
        // SAFETY: by the contract of the function there is room for a line at each end, and for what is left in between; `first`
        // has a round from each place in its first line on.
        unsafe {
            let load = |at: usize| $load(known.first.as_ptr().add(at).cast());
            let store = |to: *mut u8, at: $vector| $store(to.cast(), $value(at));
            if head > 0 {
                for k in 0..LINE / WIDTH {
                    store(to.add(k * WIDTH), load(k * WIDTH));
                }
            }
            let further = $load(known.further.as_ptr().cast());
            let mut round: [$vector; VECTORS] = core::array::from_fn(|k| load(head + k * WIDTH));
            let (mut to, mut left) = (to.add(head), known.bytes - head);
            while left >= KnownValues::ROUND {
                for (k, at) in round.iter_mut().enumerate() {
                    store(to.add(k * WIDTH), *at);
                    *at = $add(*at, further);
                }
                to = to.add(KnownValues::ROUND);
                left -= KnownValues::ROUND;
            }
            for (k, at) in round.into_iter().enumerate() {
                if left < (k + 1) * WIDTH {
                    break;
                }
                store(to.add(k * WIDTH), at);
            }
            if !left.is_multiple_of(WIDTH) {
                let end = to.add(left).sub(LINE);
                end.cast::<[u8; LINE]>().write_unaligned(known.last);
            }
        }
    }};
}

/// Functions that write values of each type, by the vectors of one level.
macro_rules! writes {
    (
        ($features:literal)
        $($name:ident: $vector:ty, $load:ident, $store:ident, $add:ident $(, $mul:ident, $set:ident)?;)*
    ) => {$(
        /// # Safety
        /// There is room for the values from `to` on; the processor has these instructions.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $name(to: *mut u8, known: &KnownValues) {
            $(let [start, delta] = known.floats.map(|bits| $set($name::from_bits(bits as _)));)?
            let value = |at: $vector| {
                $(let at = $add(start, $mul(at, delta));)?
                at
            };
            written!($name, $vector, (to, known), $load, $store, $add, value);
        }
    )*};
}

/// By vectors of 64 bytes.
mod avx512 {
    use super::*;

    writes! {
        ("avx512f,avx512bw")
        i16: __m512i, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_add_epi16;
        i32: __m512i, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_add_epi32;
        i64: __m512i, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_add_epi64;
        f32: __m512, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_add_ps, _mm512_mul_ps, _mm512_set1_ps;
        f64: __m512d, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_add_pd, _mm512_mul_pd, _mm512_set1_pd;
    }
}

/// By vectors of 32 bytes.
mod avx2 {
    use super::*;

    writes! {
        ("avx2")
        i16: __m256i, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_add_epi16;
        i32: __m256i, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_add_epi32;
        i64: __m256i, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_add_epi64;
        f32: __m256, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_add_ps, _mm256_mul_ps, _mm256_set1_ps;
        f64: __m256d, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_add_pd, _mm256_mul_pd, _mm256_set1_pd;
    }
}
