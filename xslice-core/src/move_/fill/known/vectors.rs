//! The loops over them, for the types of a Range and the vectors of x86-64.

use crate::nest::schedule::KnownValues;
use crate::shuffle::LINE;

/// Writes known values of `$ty`, which are `$value` of what vectors hold: those up to the first whole line of the result, if
/// one begins with a value, then a round of vectors after the other, each the one before with `further` added, then the last line.
macro_rules! written {
    ($ty:ty, $vector:ty, ($to:expr, $known:expr), $load:ident, $store:ident, $add:ident, $value:expr) => {{
        const WIDTH: usize = size_of::<$vector>();
        const VECTORS: usize = KnownValues::ROUND / WIDTH;
        let (to, known): (*mut u8, &KnownValues) = ($to, $known);
        let to_line = to.addr().wrapping_neg() % LINE;
        let head = if to_line.is_multiple_of(size_of::<$ty>()) { to_line } else { 0 };
        // SAFETY: `KnownValues::new` has made them of a line or more, for which there is room by the contract of the function: for a line at
        // each end, and for what is left between; `first` has a round from each place in its first line on.
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
        /// `known` was made by [`KnownValues::new`] for this type, and there is room for the values from `to` on; the processor has these
        /// instructions.
        #[target_feature(enable = $features)]
        pub(in crate::move_::fill) unsafe fn $name(to: *mut u8, known: &KnownValues) {
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
pub(super) mod avx512 {
    use super::{KnownValues, LINE};
    use core::arch::x86_64::*;

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
pub(super) mod avx2 {
    use super::{KnownValues, LINE};
    use core::arch::x86_64::*;

    writes! {
        ("avx2")
        i16: __m256i, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_add_epi16;
        i32: __m256i, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_add_epi32;
        i64: __m256i, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_add_epi64;
        f32: __m256, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_add_ps, _mm256_mul_ps, _mm256_set1_ps;
        f64: __m256d, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_add_pd, _mm256_mul_pd, _mm256_set1_pd;
    }
}
