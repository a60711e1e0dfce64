//! Rows from the same places in every turn of a loop, with AVX-512, out of registers: the rows of some turns lie in a window of 256 bytes.

use crate::move_::copy::Rows;
use crate::move_::lookup::avx512::look_up;
use crate::move_::lookup::repeat::{KeptPlaces, Turns};
use crate::move_::mask::mask_of;
use core::arch::x86_64::*;

/// Bytes of the source that registers hold: as many as a byte names.
const WINDOW: usize = 256;

/// Bytes of the result that come out of one window, at most.
const MOST_WRITTEN: usize = 1024;

/// Fewer windows than this for each byte of a row do not pay for the order of bytes.
const LEAST_WINDOWS: usize = 4;

/// How many turns take their neighbouring rows from one window; `None`: it is too small for one, or there are too few turns.
pub(super) fn at_once(rows: &Rows, reach: usize, turns: Turns) -> Option<usize> {
    let written = rows.count * rows.bytes;
    if reach > WINDOW || written > MOST_WRITTEN || !rows.touch() {
        return None;
    }
    let touch = turns.dst_stride == written as isize;
    let at_once = match usize::try_from(turns.src_stride) {
        Ok(stride @ 1..) if touch => {
            let read = (WINDOW - reach) / stride + 1;
            read.min(MOST_WRITTEN.checked_div(written)?)
        }
        _ => 1,
    };
    (turns.count / at_once >= LEAST_WINDOWS * rows.bytes).then_some(at_once)
}

/// Moves neighbouring rows in each of the turns, of which `at_once` take theirs from one window.
///
/// # Safety
/// As [`super::moved`], for what [`at_once`] gives.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
pub(super) unsafe fn moved(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
    at_once: usize,
) {
    let mut order = [0; MOST_WRITTEN];
    let mut bytes = order.iter_mut();
    for turn in 0..at_once {
        for place in places.each {
            let first = turn as isize * turns.src_stride + place;
            for (byte, to) in (first as usize..).zip(bytes.by_ref().take(rows.bytes)) {
                #[expect(clippy::cast_possible_truncation, reason = "less than WINDOW")]
                let byte = byte as u8;
                *to = byte;
            }
        }
    }
    let some = |now: usize, to: *mut u8, from: *const u8| {
        let read = (now - 1) * turns.src_stride.unsigned_abs() + places.reach;
        let order = &order[..now * rows.count * rows.bytes];
        // SAFETY: by the contract of this function all bytes from the first to the last of these turns lie in the operand, and what they
        // write in the result.
        unsafe {
            match read {
                ..=64 => window::<1>(to, from, read, order),
                65..=128 => window::<2>(to, from, read, order),
                _ => window::<4>(to, from, read, order),
            }
        }
    };
    for (to, from) in turns.in_groups(at_once).each(dst, src) {
        some(at_once, to, from);
    }
    let (to, from, rest) = turns.after(turns.that_fill(at_once), dst, src);
    if rest.count > 0 {
        some(rest.count, to, from);
    }
}

/// Writes the bytes of a window of `read`, at most `64 * N`, in the given order.
///
/// # Safety
/// These bytes are readable at `src`; `order` names no others; as many as it has are writable at `dst`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
unsafe fn window<const N: usize>(dst: *mut u8, src: *const u8, read: usize, order: &[u8]) {
    let vectors: [__m512i; N] = core::array::from_fn(|v| {
        let from = src.wrapping_add(64 * v);
        // SAFETY: the mask leaves out every byte past the window.
        unsafe { _mm512_maskz_loadu_epi8(mask_of(read.saturating_sub(64 * v)), from.cast()) }
    });
    for at in (0..order.len()).step_by(64) {
        let mask = mask_of(order.len() - at);
        // SAFETY: the mask leaves out every byte past the order, and the same ones of the result.
        unsafe {
            let order = _mm512_maskz_loadu_epi8(mask, order.as_ptr().add(at).cast());
            let bytes = match *vectors.as_slice() {
                [only] => _mm512_permutexvar_epi8(order, only),
                [low, high] => _mm512_permutex2var_epi8(low, order, high),
                [a, b, c, d] => look_up(&[a, b, c, d], order),
                _ => return,
            };
            _mm512_mask_storeu_epi8(dst.add(at).cast(), mask, bytes);
        }
    }
}
