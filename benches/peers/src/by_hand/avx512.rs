//! What compilers do badly, by AVX-512: strides, pixels, look-ups.
//!
//! Where a body stands twice, it once fetches ahead what it reads and writes, and once leaves that to the processor.

use super::rows::{prefetch, prefetch_write};
use super::{Candidate, Target};
use std::arch::x86_64::*;
use std::hint::black_box;
use xslice::{Error, ErrorKind};
use xslice_cli::bench::data::{Data, Held, operand, result};

mod pixels;
mod tables;

use pixels::{PIXELS, flipped, red, swapped, without_alpha};
use tables::{columns, looked_up, windows};

#[target_feature(enable = "avx512f")]
#[inline]
fn load<T: Held, const N: usize>(from: &[T; N]) -> __m512i {
    const { assert!(size_of::<[T; N]>() == 64) };
    // SAFETY: these are 64 bytes.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store<T: Held, const N: usize>(to: &mut [T; N], vector: __m512i) {
    const { assert!(size_of::<[T; N]>() == 64) };
    // SAFETY: these are 64 bytes, and a `Held` type has any bits.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), vector) }
}

/// Fetches what lies `READ` bytes further than `from`, and `WRITE` further than `to`; nothing where that is 0.
#[inline(always)]
fn ahead<const READ: usize, const WRITE: usize, T, U>(from: &[T], to: &mut [U]) {
    if READ > 0 {
        for line in (0..size_of_val(from)).step_by(64) {
            prefetch(from.as_ptr().wrapping_byte_add(READ + line));
        }
    }
    if WRITE > 0 {
        for line in (0..size_of_val(to)).step_by(64) {
            prefetch_write(to.as_mut_ptr().wrapping_byte_add(WRITE + line));
        }
    }
}

/// The places of every second of 32 elements.
const fn second(first: i32) -> [i32; 16] {
    let mut places = [first; 16];
    let mut k = 0;
    while k < 16 {
        places[k] += 2 * k as i32;
        k += 1;
    }
    places
}

const EVEN: [i32; 16] = second(0);
const ODD: [i32; 16] = second(1);

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
fn every_second<const READ: usize, const WRITE: usize>(
    places: &[i32; 16],
    x: &[f32],
    y: &mut [f32],
) {
    let places = load(places);
    for (x, y) in x.as_chunks::<32>().0.iter().zip(y.as_chunks_mut::<16>().0) {
        ahead::<READ, WRITE, _, _>(x, y);
        let [low, high] = x.as_chunks::<16>().0 else {
            return;
        };
        store(y, _mm512_permutex2var_epi32(load(low), places, load(high)));
    }
}

/// One pass: a pair of rows is read once and written to the four parts.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
fn phases<const READ: usize, const WRITE: usize>(
    x: &[f32; 3 * 640 * 640],
    y: &mut [f32; 3 * 640 * 640],
) -> Option<()> {
    let (even, odd) = (load(&EVEN), load(&ODD));
    let [a, b, c, d] = y.as_chunks_mut::<{ 3 * 320 * 320 }>().0 else {
        return None;
    };
    let [a, b, c, d] = [a, b, c, d].map(|part| part.as_chunks_mut::<320>().0.iter_mut());
    for ((((rows, a), b), c), d) in x.as_chunks::<1280>().0.iter().zip(a).zip(b).zip(c).zip(d) {
        let (first, second) = rows.split_at(640);
        let rows = first
            .as_chunks::<32>()
            .0
            .iter()
            .zip(second.as_chunks::<32>().0);
        let [a, b, c, d] = [a, b, c, d].map(|row| row.as_chunks_mut::<16>().0.iter_mut());
        for (((((first, second), a), b), c), d) in rows.zip(a).zip(b).zip(c).zip(d) {
            for (x, from_even, from_odd) in [(first, a, c), (second, b, d)] {
                ahead::<READ, WRITE, _, _>(x, from_even);
                ahead::<0, WRITE, _, _>(x, from_odd);
                let [low, high] = x.as_chunks::<16>().0 else {
                    return None;
                };
                let (low, high) = (load(low), load(high));
                store(from_even, _mm512_permutex2var_epi32(low, even, high));
                store(from_odd, _mm512_permutex2var_epi32(low, odd, high));
            }
        }
    }
    Some(())
}

/// Every seventh of 1000: eight of them lie in seven vectors, each in a lane of its own.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
fn every_seventh<const READ: usize, const WRITE: usize>(
    x: &[f64; 1_000_000],
    y: &mut [f64; 143_000],
) {
    const LANES: [u8; 7] = [0x81, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02];
    let places = load(&[0i64, 7, 6, 5, 4, 3, 2, 1]);
    let seventh = |x: &[f64]| {
        let mut merged = _mm512_setzero_si512();
        for (x, lanes) in x.as_chunks::<8>().0.iter().zip(LANES) {
            merged = _mm512_mask_blend_epi64(lanes, merged, load(x));
        }
        _mm512_permutexvar_epi64(places, merged)
    };
    for (x, y) in x
        .as_chunks::<1000>()
        .0
        .iter()
        .zip(y.as_chunks_mut::<143>().0)
    {
        let (x, last) = x.as_chunks::<56>();
        let (y, rest) = y.as_chunks_mut::<8>();
        for (x, y) in x.iter().zip(y) {
            ahead::<READ, WRITE, _, _>(x, y);
            store(y, seventh(x));
        }
        let mut block = [0.0; 8];
        store(&mut block, seventh(last));
        rest.copy_from_slice(&block[..7]);
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
fn reversed<const READ: usize, const WRITE: usize>(x: &[i64], y: &mut [i64]) {
    let places = load(&[7i64, 6, 5, 4, 3, 2, 1, 0]);
    for (x, y) in x
        .as_chunks::<8>()
        .0
        .iter()
        .rev()
        .zip(y.as_chunks_mut::<8>().0)
    {
        if READ > 0 {
            prefetch(x.as_ptr().wrapping_byte_sub(READ));
        }
        ahead::<0, WRITE, _, _>(x, y);
        store(y, _mm512_permutexvar_epi64(places, load(x)));
    }
}

/// `[0:4, 1:4, 0:4:2, 1:4:2, 3:0:-1, 3:0:-2]` of `[4] * 6`: six of each vector that the first four axes pick, four vectors at a time.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
fn six_axes(x: &[f32; 4096], y: &mut [f32; 288]) -> Option<()> {
    let first = load(&[15, 13, 11, 9, 7, 5, 31, 29, 27, 25, 23, 21, 0, 0, 0, 0i32]);
    let rotated = load(&[27, 25, 23, 21, 0, 0, 0, 0, 0, 0, 0, 0, 15, 13, 11, 9i32]);
    let rest = load(&[7, 5, 31, 29, 27, 25, 23, 21, 0, 0, 0, 0, 0, 0, 0, 0i32]);
    let rotated = _mm512_mask_blend_epi32(0x00ff, rotated, rest);
    let vectors = x.as_chunks::<16>().0;
    let groups = (0..4).flat_map(|a| (1..4).map(move |b| a * 64 + b * 16));
    for (group, y) in groups.zip(y.as_chunks_mut::<24>().0) {
        let [p, q, r, s] = [1, 3, 9, 11].map(|at| load(&vectors[group + at]));
        let low = _mm512_permutex2var_epi32(p, first, q);
        let high = _mm512_permutex2var_epi32(r, rotated, s);
        store(
            y.first_chunk_mut::<16>()?,
            _mm512_mask_blend_epi32(0xf000, low, high),
        );
        let end = y.last_chunk_mut::<8>()?;
        // SAFETY: these are 32 bytes.
        unsafe { _mm256_storeu_si256(end.as_mut_ptr().cast(), _mm512_castsi512_si256(high)) };
    }
    Some(())
}

table! { for [Avx512]

yolo_focus_w(x: f32[3 * 320 * 640]) -> y: f32[3 * 320 * 320]
    { every_second::<0, 0>(&EVEN, x, y); }
    { every_second::<0, 512>(&EVEN, x, y); }
    { every_second::<2048, 1024>(&EVEN, x, y); }

yolo_focus_hw(x: f32[3 * 640 * 640]) -> y: f32[3 * 320 * 320]
    {
        for (rows, y) in x.as_chunks::<1280>().0.iter().zip(y.as_chunks_mut::<320>().0) {
            every_second::<0, 0>(&ODD, &rows[640..], y);
        }
    }
    {
        for (rows, y) in x.as_chunks::<1280>().0.iter().zip(y.as_chunks_mut::<320>().0) {
            every_second::<5120, 1280>(&ODD, &rows[640..], y);
        }
    }
    {
        for (rows, y) in x.as_chunks::<1280>().0.iter().zip(y.as_chunks_mut::<320>().0) {
            every_second::<20480, 1280>(&ODD, &rows[640..], y);
        }
    }

hflip_nhwc(x: u8[16 * 224 * 672]) -> y: u8[16 * 224 * 672]
    { flipped::<672, 0, 0, 0>(x, y)?; }
    { flipped::<672, 0, 672, 1344>(x, y)?; }

rgba_to_rgb(x: u8[1080 * 1920 * 4]) -> y: u8[1080 * 1920 * 3]
    { without_alpha::<0, 0>(x, y)?; }
    { without_alpha::<0, 768>(x, y)?; }
    { without_alpha::<2048, 1536>(x, y)?; }

red_plane(x: u8[PIXELS * 3]) -> y: u8[PIXELS]
    { red::<0, 0>(x, y)?; }
    { red::<3072, 1024>(x, y)?; }

bgr_swap(x: u8[PIXELS * 3]) -> y: u8[PIXELS * 3]
    { swapped::<0, 0>(x, y)?; }
    { swapped::<0, 768>(x, y)?; }
    { swapped::<1536, 1536>(x, y)?; }

seed_6d(x: f32[4096]) -> y: f32[288]
    { six_axes(x, y)?; }

step7_f64(x: f64[1000 * 1000]) -> y: f64[1000 * 143]
    { every_seventh::<0, 0>(x, y); }
    { every_seventh::<0, 512>(x, y); }
    { every_seventh::<4096, 1024>(x, y); }

reverse_1d_i64(x: i64[4_194_304]) -> y: i64[4_194_304]
    { reversed::<0, 0>(x, y); }
    { reversed::<0, 1024>(x, y); }
    { reversed::<2048, 1024>(x, y); }

gather_cols(x: f32[1024 * 1024], ids: i64[512]) -> y: f32[1024 * 512]
    { columns::<0, 0>(x, ids, y)?; }
    { columns::<4096, 2048>(x, ids, y)?; }

palette(x: u8[256 * 3], ids: i32[PIXELS]) -> y: u8[PIXELS * 3]
    { looked_up::<0, 0>(x, ids, y)?; }
    { looked_up::<0, 1536>(x, ids, y)?; }
    { looked_up::<2048, 1536>(x, ids, y)?; }

crop_flip(x: u8[16 * 256 * 768]) -> y: u8[16 * 224 * 672]
    {
        for (x, y) in x.as_chunks::<{ 256 * 768 }>().0.iter().zip(y.as_chunks_mut::<{ 224 * 672 }>().0) {
            flipped::<768, 48, 0, 0>(&x[16 * 768..], y)?;
        }
    }
    {
        for (x, y) in x.as_chunks::<{ 256 * 768 }>().0.iter().zip(y.as_chunks_mut::<{ 224 * 672 }>().0) {
            flipped::<768, 48, 768, 1344>(&x[16 * 768..], y)?;
        }
    }

birdnet(x: f32[72000 * 2], ids: i64[511 * 1024]) -> y: f32[511 * 1024 * 2]
    { windows::<0, 0>(x, ids, y)?; }
    { windows::<1024, 1024>(x, ids, y)?; }

focus_cat4(x: f32[3 * 640 * 640]) -> y: f32[3 * 640 * 640]
    { phases::<0, 0>(x, y)?; }
    { phases::<0, 512>(x, y)?; }
    { phases::<5120, 512>(x, y)?; }
    { phases::<5120, 1280>(x, y)?; }
    { phases::<20480, 1280>(x, y)?; }

}
