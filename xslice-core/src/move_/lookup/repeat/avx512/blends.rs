//! Rows from the same places in every turn of a loop, with AVX-512: each vector of the result out of several windows.
//!
//! A window is 64 bytes of the source. One permute under a mask takes from it all that a vector of the result wants of it: a step. Where
//! places are near each other, because all lie within some windows or because they are sorted, a vector has far fewer steps than rows.
//! The steps are found once.

use crate::move_::copy::Rows;
use crate::move_::lookup::repeat::{KeptPlaces, MOST_KEPT, Starts, Turns};
use crate::move_::mask::mask_of;
use crate::move_::prefetch;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

/// Bytes of a vector, and of a window.
const VECTOR: usize = 64;

/// Wider rows are as quick by gathers, or one by one.
const MOST_BYTES: usize = 3;

/// Fewer turns are over before finding the steps has paid.
const LEAST_TURNS: usize = 32;

/// The same of rows in a turn.
const LEAST_ROWS: usize = 32;

/// A step is slower than fewer rows one by one.
const LEAST_OF_STEP: usize = 3;

/// Vectors of the result in one turn, at most.
const MOST_VECTORS: usize = MOST_KEPT.div_ceil(VECTOR / MOST_BYTES);

/// Steps of all these vectors, at most: a few more than [`share_windows`] foresees where a row begins in one window and ends in the next.
const MOST_STEPS: usize = MOST_KEPT / 2;

/// Turns that take a step together, so that its mask is loaded once for all of them.
const AT_ONCE: usize = 4;

/// What a vector of the result wants of one window.
#[derive(Clone, Copy)]
struct Step {
    mask: u64,
    /// Where the window begins.
    window: u32,
}

/// A vector of the result: as many whole rows as it has room for.
#[derive(Clone, Copy)]
struct Vector {
    /// Where each byte stands in its window.
    order: [u8; VECTOR],
    bytes: u8,
    steps: u8,
}

/// What is done in each turn.
struct Blend {
    vectors: [MaybeUninit<Vector>; MOST_VECTORS],
    steps: [MaybeUninit<Step>; MOST_STEPS],
}

/// Whether these rows and turns are enough to pay for finding the steps, and their numbers fit.
#[inline]
fn fits(rows: &Rows, reach: usize, turns: usize) -> bool {
    (1..=MOST_BYTES).contains(&rows.bytes)
        && rows.count >= LEAST_ROWS
        && turns >= LEAST_TURNS
        && rows.touch()
        && (VECTOR..=i32::MAX as usize).contains(&reach)
}

/// Vectors of the result in a turn.
fn vectors_of(rows: &Rows) -> usize {
    rows.count.div_ceil(VECTOR / rows.bytes)
}

/// Steps of a turn, at most, whose rows lie anywhere within `reach`; `None` where they may be too many.
fn most_steps(rows: &Rows, reach: usize) -> Option<usize> {
    let steps = vectors_of(rows) * reach.div_ceil(VECTOR);
    (steps <= rows.count / LEAST_OF_STEP).then_some(steps)
}

/// About what [`moved`] costs in a turn, in half cycles, wherever within `reach` rows lie; `None` where it moves none of them.
pub(super) fn cost(rows: &Rows, reach: usize, turns: usize) -> Option<usize> {
    const OF_STEP: usize = 3;
    let fits = fits(rows, reach, turns);
    let steps = fits.then(|| most_steps(rows, reach))?;
    steps.map(|steps| OF_STEP * steps)
}

/// Whether rows have windows in common: because there are few, or because that of a row is mostly that of the row before.
fn share_windows(rows: &Rows, places: KeptPlaces<'_>) -> bool {
    let window = |place: isize| place as usize / VECTOR;
    let changes = || {
        let pairs = places.each.windows(2);
        pairs.filter(|two| window(two[0]) != window(two[1])).count()
    };
    most_steps(rows, places.reach).is_some()
        || vectors_of(rows) + changes() <= rows.count / LEAST_OF_STEP
}

/// Moves neighbouring rows in each of the turns; `false`, and nothing is moved, if that does not pay.
///
/// # Safety
/// As [`super::super::moved`]; the processor has AVX-512 F, BW, VL, DQ and VBMI.
#[inline]
pub(super) unsafe fn moved(
    starts: Starts<'_>,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
) -> bool {
    fits(&rows, places.reach, starts.count() * turns.count)
        && share_windows(&rows, places)
        // SAFETY: by the contract of this function.
        && unsafe { blended(starts, rows, places, turns) }
}

/// # Safety
/// As [`moved`], of rows that it [`fits`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
unsafe fn blended(starts: Starts<'_>, rows: Rows, places: KeptPlaces<'_>, turns: Turns) -> bool {
    let mut blend = Blend {
        vectors: [const { MaybeUninit::uninit() }; MOST_VECTORS],
        steps: [const { MaybeUninit::uninit() }; MOST_STEPS],
    };
    let vectors = match rows.bytes {
        1 => blend.find::<1>(places),
        2 => blend.find::<2>(places),
        _ => blend.find::<3>(places),
    };
    let Some(vectors) = vectors else {
        return false;
    };
    // SAFETY: by the contract of this function; these vectors and their steps are found.
    starts.each(|dst, src| unsafe {
        for (to, from) in turns.in_groups(AT_ONCE).each(dst, src) {
            blend.run::<AT_ONCE>(vectors, to, from, turns);
        }
        let (dst, src, rest) = turns.after(turns.that_fill(AT_ONCE), dst, src);
        for (to, from) in rest.each(dst, src) {
            blend.run::<1>(vectors, to, from, turns);
        }
    });
    true
}

impl Blend {
    /// Finds the vectors of rows of `BYTES`, and their steps: how many vectors, or `None` where there are too many steps.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    fn find<const BYTES: usize>(&mut self, places: KeptPlaces<'_>) -> Option<usize> {
        // The last window ends where the operand may end.
        let last = (places.reach - VECTOR) as u32;
        let rows = places.each.chunks(VECTOR / BYTES);
        let vectors = rows.len();
        let mut steps = self.steps.iter_mut();
        for (vector, rows) in self.vectors.iter_mut().zip(rows) {
            let mut from = [[0; BYTES]; VECTOR];
            for (from, &place) in from.iter_mut().zip(rows) {
                *from = core::array::from_fn(|byte| place as u32 + byte as u32);
            }
            let from: [u32; VECTOR] = core::array::from_fn(|k| from.as_flattened()[k]);
            let windows = from.map(|byte| (byte / VECTOR as u32 * VECTOR as u32).min(last));
            let bytes = rows.len() * BYTES;
            let mut rest = mask_of(bytes);
            let mut count = 0;
            while rest != 0 {
                let window = windows[rest.trailing_zeros() as usize];
                let mask = rest & equal(&windows, window);
                steps.next()?.write(Step { mask, window });
                rest &= !mask;
                count += 1;
            }
            vector.write(Vector {
                order: core::array::from_fn(|k| (from[k].wrapping_sub(windows[k])) as u8),
                bytes: bytes as u8,
                steps: count as u8,
            });
        }
        Some(vectors)
    }

    /// Takes all steps in `TURNS` turns.
    ///
    /// # Safety
    /// As [`moved`], for `TURNS` turns; `vectors` vectors are found.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    unsafe fn run<const TURNS: usize>(
        &self,
        vectors: usize,
        mut dst: *mut u8,
        src: *const u8,
        turns: Turns,
    ) {
        let mut steps = self.steps.as_slice();
        for vector in &self.vectors[..vectors] {
            // SAFETY: by the contract of this function: a window lies within the reach of the places, and the bytes of a vector in the
            // result; there are as many steps as all vectors have.
            unsafe {
                let vector = vector.assume_init_ref();
                let (mine, others) = steps.split_at_unchecked(usize::from(vector.steps));
                steps = others;
                let order = _mm512_loadu_si512(vector.order.as_ptr().cast());
                let mut blended = [_mm512_setzero_si512(); TURNS];
                for step in mine {
                    let step = step.assume_init_ref();
                    let mut from = src.wrapping_add(step.window as usize);
                    for bytes in &mut blended {
                        let window = _mm512_loadu_si512(from.cast());
                        *bytes = _mm512_mask_permutexvar_epi8(*bytes, step.mask, order, window);
                        from = from.wrapping_offset(turns.src_stride);
                    }
                }
                let written = usize::from(vector.bytes);
                let mut to = dst;
                for bytes in blended {
                    prefetch::next_to_write(to);
                    _mm512_mask_storeu_epi8(to.cast(), mask_of(written), bytes);
                    to = to.wrapping_offset(turns.dst_stride);
                }
                dst = dst.wrapping_add(written);
            }
        }
    }
}

/// A bit for each of the windows that is this one.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
fn equal(windows: &[u32; VECTOR], window: u32) -> u64 {
    let window = _mm512_set1_epi32(window.cast_signed());
    (0..4).fold(0, |mask, quarter| {
        // SAFETY: a quarter of the array.
        let windows = unsafe { _mm512_loadu_si512(windows.as_ptr().add(16 * quarter).cast()) };
        mask | u64::from(_mm512_cmpeq_epi32_mask(windows, window)) << (16 * quarter)
    })
}
