//! Loops that the compiler is left to vectorise; rows by `memcpy`, and by vectors with what comes next fetched ahead.

use super::rows::{Row, heads, heads_fetched, taken, taken_fetched};
use super::{Candidate, Target};
use std::hint::black_box;
use xslice::half::f16;
use xslice::{Error, ErrorKind};
use xslice_cli::bench::data::{Data, operand, result};

/// Every second element, from the first or the second on.
#[inline(always)]
fn every_second<const FIRST: usize>(x: &[f32], y: &mut [f32]) {
    for (pair, y) in x.as_chunks::<2>().0.iter().zip(y) {
        *y = pair[FIRST];
    }
}

/// Rows of 224 pixels of three bytes, backwards.
#[inline(always)]
fn flipped(x: &[u8], y: &mut [u8]) {
    let pixels = x.as_chunks::<3>().0.iter().rev();
    for (x, y) in pixels.zip(y.as_chunks_mut::<3>().0) {
        *y = *x;
    }
}

table! { for [Default Avx2 Avx512]

yolo_focus_h(x: f32[3 * 640 * 640]) -> y: f32[3 * 320 * 640]
    { heads::<_, 1280, 640>(x, y); }
    { heads_fetched::<_, 5120, 2560, 1>(x, y); }
    { heads_fetched::<_, 5120, 2560, 4>(x, y); }

yolo_focus_w(x: f32[3 * 320 * 640]) -> y: f32[3 * 320 * 320]
    { every_second::<0>(x, y); }

yolo_focus_hw(x: f32[3 * 640 * 640]) -> y: f32[3 * 320 * 320] {
    for (rows, y) in x.as_chunks::<1280>().0.iter().zip(y.as_chunks_mut::<320>().0) {
        every_second::<1>(&rows[640..], y);
    }
}

vit_cls(x: f32[32 * 197 * 768]) -> y: f32[32 * 768]
    { heads::<_, { 197 * 768 }, 768>(x, y); }
    { heads_fetched::<_, { 197 * 3072 }, 3072, 1>(x, y); }

rope_half(x: f32[32 * 512 * 128]) -> y: f32[32 * 512 * 64]
    { heads::<_, 128, 64>(x, y); }
    { heads_fetched::<_, 512, 256, 8>(x, y); }
    { heads_fetched::<_, 512, 256, 32>(x, y); }

center_crop(x: u8[16 * 256 * 768]) -> y: u8[16 * 224 * 672]
    {
        for (x, y) in x.as_chunks::<{ 256 * 768 }>().0.iter().zip(y.as_chunks_mut::<{ 224 * 672 }>().0) {
            heads::<_, 768, 672>(&x[16 * 768 + 48..], y);
        }
    }
    {
        for (x, y) in x.as_chunks::<{ 256 * 768 }>().0.iter().zip(y.as_chunks_mut::<{ 224 * 672 }>().0) {
            heads_fetched::<_, 768, 672, 2>(&x[16 * 768 + 48..], y);
        }
    }
    {
        for (x, y) in x.as_chunks::<{ 256 * 768 }>().0.iter().zip(y.as_chunks_mut::<{ 224 * 672 }>().0) {
            heads_fetched::<_, 768, 672, 16>(&x[16 * 768 + 48..], y);
        }
    }

hflip_nhwc(x: u8[16 * 224 * 672]) -> y: u8[16 * 224 * 672] {
    for (x, y) in x.as_chunks::<672>().0.iter().zip(y.as_chunks_mut::<672>().0) {
        flipped(x, y);
    }
}

vflip(x: f32[48 * 224 * 224]) -> y: f32[48 * 224 * 224]
    {
        for (x, y) in x.as_chunks::<{ 224 * 224 }>().0.iter().zip(y.as_chunks_mut::<{ 224 * 224 }>().0) {
            for (x, y) in x.as_chunks::<224>().0.iter().rev().zip(y.as_chunks_mut::<224>().0) {
                *y = *x;
            }
        }
    }
    {
        for (x, y) in x.as_chunks::<{ 224 * 224 }>().0.iter().zip(y.as_chunks_mut::<{ 224 * 224 }>().0) {
            y.moved::<896, 2>(|k| x.row::<896>(223 - k));
        }
    }
    {
        for (x, y) in x.as_chunks::<{ 224 * 224 }>().0.iter().zip(y.as_chunks_mut::<{ 224 * 224 }>().0) {
            y.moved::<896, 12>(|k| x.row::<896>(223 - k));
        }
    }

last_token(x: f32[8 * 512 * 4096]) -> y: f32[8 * 4096]
    {
        for (x, y) in x.as_chunks::<{ 512 * 4096 }>().0.iter().zip(y.as_chunks_mut::<4096>().0) {
            y.copy_from_slice(&x[511 * 4096..]);
        }
    }
    { y.moved::<16384, 1>(|k| x.row::<16384>(k * 512 + 511)); }

qkv_q(x: f32[8 * 512 * 3 * 768]) -> y: f32[8 * 512 * 768]
    { heads::<_, 2304, 768>(x, y); }
    { heads_fetched::<_, 9216, 3072, 1>(x, y); }
    { heads_fetched::<_, 9216, 3072, 4>(x, y); }

rgba_to_rgb(x: u8[1080 * 1920 * 4]) -> y: u8[1080 * 1920 * 3] {
    for (x, y) in x.as_chunks::<4>().0.iter().zip(y.as_chunks_mut::<3>().0) {
        *y = [x[0], x[1], x[2]];
    }
}

red_plane(x: u8[1080 * 1920 * 3]) -> y: u8[1080 * 1920] {
    for (x, y) in x.as_chunks::<3>().0.iter().zip(y) {
        *y = x[0];
    }
}

bgr_swap(x: u8[1080 * 1920 * 3]) -> y: u8[1080 * 1920 * 3] {
    for (x, y) in x.as_chunks::<3>().0.iter().zip(y.as_chunks_mut::<3>().0) {
        *y = [x[2], x[1], x[0]];
    }
}

seed_6d(x: f32[4096]) -> y: f32[288] {
    let mut places = y.iter_mut();
    for block in 0..48 {
        let [a, b, c, d] = [block / 12, block / 4 % 3 + 1, block / 2 % 2 * 2, block % 2 * 2 + 1];
        for (last, y) in (0..6).zip(&mut places) {
            *y = x[a * 1024 + b * 256 + c * 64 + d * 16 + 15 - 2 * last];
        }
    }
}

tiny_1d(x: f32[10]) -> y: f32[7]
    { y.copy_from_slice(&x[1..8]); }

step7_f64(x: f64[1000 * 1000]) -> y: f64[1000 * 143] {
    for (x, y) in x.as_chunks::<1000>().0.iter().zip(y.as_chunks_mut::<143>().0) {
        for (k, y) in y.iter_mut().enumerate() {
            *y = x[k * 7];
        }
    }
}

reverse_1d_i64(x: i64[4_194_304]) -> y: i64[4_194_304] {
    for (x, y) in x.iter().rev().zip(y) {
        *y = *x;
    }
}

big_copy(x: f32[64 * 1024 * 1024]) -> y: f32[64 * 1024 * 1000]
    { heads::<_, 1024, 1000>(x, y); }
    { heads_fetched::<_, 4096, 4000, 1>(x, y); }
    { heads_fetched::<_, 4096, 4000, 3>(x, y); }

bert_embed(x: f32[30522 * 768], ids: i64[1024]) -> y: f32[1024 * 768]
    { taken::<_, 768, 768>(x, ids, y)?; }
    { taken_fetched::<_, 3072, 3072, 1>(x, ids, y)?; }
    { taken_fetched::<_, 3072, 3072, 4>(x, ids, y)?; }

llama_embed(x: f16[32000 * 4096], ids: i64[512]) -> y: f16[512 * 4096]
    { taken::<_, 4096, 4096>(x, ids, y)?; }
    { taken_fetched::<_, 8192, 8192, 1>(x, ids, y)?; }
    { taken_fetched::<_, 8192, 8192, 2>(x, ids, y)?; }

gather_cols(x: f32[1024 * 1024], ids: i64[512]) -> y: f32[1024 * 512] {
    let mut columns = [0; 512];
    for (column, id) in columns.iter_mut().zip(ids) {
        let wrapped = if *id < 0 { *id + 1024 } else { *id };
        *column = u16::try_from(wrapped).ok().filter(|column| *column < 1024)?;
    }
    for (x, y) in x.as_chunks::<1024>().0.iter().zip(y.as_chunks_mut::<512>().0) {
        for (column, y) in columns.iter().zip(y) {
            *y = x[usize::from(*column) % 1024];
        }
    }
}

beam_reorder(x: f16[4 * 32 * 512 * 128], ids: i64[4]) -> y: f16[4 * 32 * 512 * 128]
    { taken::<_, { 32 * 512 * 128 }, { 32 * 512 * 128 }>(x, ids, y)?; }
    { taken_fetched::<_, { 32 * 512 * 256 }, { 32 * 512 * 256 }, 1>(x, ids, y)?; }

recsys(x: f32[16_000_000], ids: i64[65536]) -> y: f32[65536 * 16]
    { taken::<_, 16, 16>(x, ids, y)?; }
    { taken_fetched::<_, 64, 64, 16>(x, ids, y)?; }
    { taken_fetched::<_, 64, 64, 32>(x, ids, y)?; }
    { taken_fetched::<_, 64, 64, 64>(x, ids, y)?; }

palette(x: u8[256 * 3], ids: i32[1080 * 1920]) -> y: u8[1080 * 1920 * 3] {
    let colours = x.as_chunks::<3>().0;
    let mut outside = 0;
    for (id, y) in ids.iter().zip(y.as_chunks_mut::<3>().0) {
        // Counted from the end or not, the low byte of an index is its place.
        outside |= (*id + 256) & !511;
        *y = colours[(*id & 255) as usize];
    }
    (outside == 0).then_some(())?;
}

scalar_idx(x: f32[512 * 768], ids: i64[1]) -> y: f32[768]
    { taken::<_, 768, 768>(x, ids, y)?; }
    { taken_fetched::<_, 3072, 3072, 1>(x, ids, y)?; }

range_i64_512() -> y: i64[512] {
    for (y, k) in y.iter_mut().zip(0..) {
        *y = k;
    }
}

range_f32_1m() -> y: f32[1_000_000] {
    for (y, k) in y.iter_mut().zip(0i32..) {
        *y = k as f32 * 0.1;
    }
}

range_i64_1m() -> y: i64[1_000_000] {
    for (y, k) in y.iter_mut().zip(0..) {
        *y = k;
    }
}

crop_flip(x: u8[16 * 256 * 768]) -> y: u8[16 * 224 * 672] {
    for (x, y) in x.as_chunks::<{ 256 * 768 }>().0.iter().zip(y.as_chunks_mut::<{ 224 * 672 }>().0) {
        for (x, y) in x[16 * 768..].as_chunks::<768>().0.iter().zip(y.as_chunks_mut::<672>().0) {
            flipped(&x[48..720], y);
        }
    }
}

slice_gather(x: f32[30522 * 768], ids: i64[1024]) -> y: f32[1024 * 384]
    { taken::<_, 768, 384>(x, ids, y)?; }
    { taken_fetched::<_, 3072, 1536, 1>(x, ids, y)?; }
    { taken_fetched::<_, 3072, 1536, 8>(x, ids, y)?; }

gather_range(x: f32[4096 * 256]) -> y: f32[2048 * 256]
    { heads::<_, 512, 256>(x, y); }
    { heads_fetched::<_, 2048, 1024, 2>(x, y); }
    { heads_fetched::<_, 2048, 1024, 12>(x, y); }

birdnet(x: f32[72000 * 2], ids: i64[511 * 1024]) -> y: f32[511 * 1024 * 2]
    { taken::<_, 2, 2>(x, ids, y)?; }

focus_cat4(x: f32[3 * 640 * 640]) -> y: f32[3 * 640 * 640] {
    let [a, b, c, d] = y.as_chunks_mut::<{ 3 * 320 * 320 }>().0 else { return None };
    let outputs = [a, b, c, d].map(|part| part.as_chunks_mut::<320>().0.iter_mut());
    let [a, b, c, d] = outputs;
    for ((((rows, a), b), c), d) in x.as_chunks::<1280>().0.iter().zip(a).zip(b).zip(c).zip(d) {
        let (even, odd) = rows.split_at(640);
        every_second::<0>(even, a);
        every_second::<0>(odd, b);
        every_second::<1>(even, c);
        every_second::<1>(odd, d);
    }
}

}
