//! Pixels of three and four bytes.

use super::{ahead, load, store};
use std::arch::x86_64::*;

/// Of a picture.
pub(super) const PIXELS: usize = 1080 * 1920;

/// The most bytes that 64 bytes of whole and cut pixels of three come from.
const SPAN: usize = 66;

/// For each byte of a vector its place in [`SPAN`] bytes: in the first 64 of them, or, where a bit of `behind` is set, in the last 64.
struct Order {
    places: [u8; 64],
    behind: u64,
}

impl Order {
    /// For a vector that begins at byte `phase` of a pixel: pixels in order with their bytes backwards, or pixels backwards.
    const fn new(phase: usize, pixels_backwards: bool) -> Self {
        let (mut places, mut behind) = ([0; 64], 0);
        let mut k = 0;
        while k < 64 {
            let (pixel, byte) = ((phase + k) / 3, (phase + k) % 3);
            let place = match pixels_backwards {
                true => (SPAN / 3 - 1 - pixel) * 3 + byte,
                false => pixel * 3 + 2 - byte,
            };
            let is_behind = place >= 64;
            places[k] = (if is_behind {
                place - (SPAN - 64)
            } else {
                place
            }) as u8;
            behind |= (is_behind as u64) << k;
            k += 1;
        }
        Self { places, behind }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    fn of(&self, span: &[u8; SPAN]) -> Option<__m512i> {
        let places = load(&self.places);
        let low = _mm512_permutexvar_epi8(places, load(span.first_chunk::<64>()?));
        let high = load(span.last_chunk::<64>()?);
        Some(_mm512_mask_permutexvar_epi8(low, self.behind, places, high))
    }
}

static FLIPS: [Order; 3] = [
    Order::new(0, true),
    Order::new(1, true),
    Order::new(2, true),
];
static SWAPS: [Order; 3] = [
    Order::new(0, false),
    Order::new(1, false),
    Order::new(2, false),
];

/// Rows of 224 pixels backwards; they are `APART` bytes, and the pixels begin at `FIRST`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
pub(super) fn flipped<
    const APART: usize,
    const FIRST: usize,
    const READ: usize,
    const WRITE: usize,
>(
    x: &[u8],
    y: &mut [u8],
) -> Option<()> {
    let rows = x.as_chunks::<APART>().0.iter();
    for (k, (x, y)) in rows.zip(y.as_chunks_mut::<672>().0).enumerate() {
        let x: &[u8; 672] = x[FIRST..FIRST + 672].try_into().ok()?;
        ahead::<READ, WRITE, _, _>(x, y);
        // A row is ten and a half lines of the result: one vector overlaps its neighbour, the others are aligned.
        let aligned = k % 2 * 32;
        for vector in 0..11 {
            let at = (vector * 64_usize).saturating_sub(aligned).min(672 - 64);
            let from = (224 - SPAN / 3 - at / 3) * 3;
            let span = x.get(from..from + SPAN)?.first_chunk()?;
            let to = y.get_mut(at..at + 64)?.first_chunk_mut::<64>()?;
            store(to, FLIPS[at % 3].of(span)?);
        }
    }
    Some(())
}

/// The bytes of each pixel backwards.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
pub(super) fn swapped<const READ: usize, const WRITE: usize>(
    x: &[u8; PIXELS * 3],
    y: &mut [u8; PIXELS * 3],
) -> Option<()> {
    for (x, y) in x
        .as_chunks::<192>()
        .0
        .iter()
        .zip(y.as_chunks_mut::<192>().0)
    {
        ahead::<READ, WRITE, _, _>(x, y);
        for (vector, y) in y.as_chunks_mut::<64>().0.iter_mut().enumerate() {
            let from = vector * 63;
            let span = x.get(from..from + SPAN)?.first_chunk()?;
            store(y, SWAPS[vector].of(span)?);
        }
    }
    Some(())
}

/// The first three bytes of pixels of four.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
pub(super) fn without_alpha<const READ: usize, const WRITE: usize>(
    x: &[u8; PIXELS * 4],
    y: &mut [u8; PIXELS * 3],
) -> Option<()> {
    // Vector `v` of the result begins at byte 16 * v of the packed 48 of vector `v`, and ends in vector `v + 1`.
    static PLACES: [[u8; 64]; 3] = {
        let mut places = [[0; 64]; 3];
        let mut at = 0;
        while at < 192 {
            places[at / 64][at % 64] = (at / 3 * 4 + at % 3 - at / 64 * 64) as u8;
            at += 1;
        }
        places
    };
    let places = PLACES.each_ref().map(|places| load(places));
    for (x, y) in x
        .as_chunks::<256>()
        .0
        .iter()
        .zip(y.as_chunks_mut::<192>().0)
    {
        ahead::<READ, WRITE, _, _>(x, y);
        let [a, b, c, d] = x.as_chunks::<64>().0 else {
            return None;
        };
        let [a, b, c, d] = [a, b, c, d].map(|x| load(x));
        let pairs = [(a, b), (b, c), (c, d)];
        for (((low, high), places), y) in pairs.into_iter().zip(places).zip(y.as_chunks_mut().0) {
            store::<u8, 64>(y, _mm512_permutex2var_epi8(low, places, high));
        }
    }
    Some(())
}

/// The first byte of pixels of three.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
pub(super) fn red<const READ: usize, const WRITE: usize>(
    x: &[u8; PIXELS * 3],
    y: &mut [u8; PIXELS],
) -> Option<()> {
    let places = load(&std::array::from_fn::<u8, 64, _>(|k| (k * 3 % 64) as u8));
    // Bytes 0, 3, .. 63 come from the first vector, 66, .. 126 from the second.
    let (second, third) = (((1 << 43) - 1) & !((1 << 22) - 1), !((1 << 43) - 1));
    for (x, y) in x.as_chunks::<192>().0.iter().zip(y.as_chunks_mut::<64>().0) {
        ahead::<READ, WRITE, _, _>(x, y);
        let [a, b, c] = x.as_chunks::<64>().0 else {
            return None;
        };
        let low = _mm512_permutexvar_epi8(places, load(a));
        let both = _mm512_mask_permutexvar_epi8(low, second, places, load(b));
        store(
            y,
            _mm512_mask_permutexvar_epi8(both, third, places, load(c)),
        );
    }
    Some(())
}
