//! Words that indices name, the same ones in every turn of a loop, by gathers.
//!
//! A gather reads words at places of 32 bits, which are narrowed once for all turns. Those that fill no vector are gathered with some before
//! them, which are written twice with the same bytes (I4).

use super::BLOCK;
use crate::move_::at::Turns;
use crate::nest::schedule::KnownPicks;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;
use core::ops::RangeInclusive;

/// Words of a turn.
pub(super) const TAKEN: RangeInclusive<usize> = 4..=BLOCK;

/// Moves words of 4 bytes. Those of 8 are as quick in pairs.
///
/// # Safety
/// As [`KnownPicks::run`], of rows of 4 bytes that touch in the result, as many in a turn as are [`TAKEN`], out of a table whose places have
/// 31 bits; the processor has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn words(
    dst: *mut u8,
    src: *const u8,
    table: *const u8,
    known: &KnownPicks,
) -> bool {
    let mut room = [const { MaybeUninit::uninit() }; BLOCK];
    let mut narrow = [const { MaybeUninit::<i32>::uninit() }; BLOCK];
    let [outermost, around, rows] = known.loops.0.map(Turns::of);
    // SAFETY: by the contract of this function; as many of the narrow places are written as there are rows.
    unsafe {
        let Some(places) = known.found(table, 0, &mut room[..rows.count]) else {
            return false;
        };
        for (narrow, &place) in narrow.iter_mut().zip(places) {
            #[expect(clippy::cast_possible_truncation, reason = "31 bits hold it")]
            narrow.write(place as i32);
        }
        let places = &*(&raw const narrow[..places.len()] as *const [i32]);
        for (to, from) in outermost.each(dst, src) {
            for (to, from) in around.each(to, from) {
                turn(to, from, places);
            }
        }
    }
    true
}

/// Gathers the words of a turn.
///
/// # Safety
/// As [`words`], for words at these places, which are as many as are [`TAKEN`].
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn turn(dst: *mut u8, src: *const u8, places: &[i32]) {
    // SAFETY: by the contract of this function, for each of the words.
    unsafe {
        let four = |k: usize| {
            let at = _mm_loadu_si128(places[k..].as_ptr().cast());
            let words = _mm_i32gather_epi32::<1>(src.cast(), at);
            _mm_storeu_si128(dst.add(4 * k).cast(), words);
        };
        let eights = places.len() & !7;
        for k in (0..eights).step_by(8) {
            let at = _mm256_loadu_si256(places[k..].as_ptr().cast());
            let words = _mm256_i32gather_epi32::<1>(src.cast(), at);
            _mm256_storeu_si256(dst.add(4 * k).cast(), words);
        }
        if places.len() - eights > 4 {
            four(eights);
        }
        if places.len() > eights {
            four(places.len() - 4);
        }
    }
}
