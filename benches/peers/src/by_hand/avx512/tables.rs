//! Look-ups of less than a line.

use super::pixels::PIXELS;
use super::{ahead, load, store};
use std::arch::x86_64::*;

/// The columns that indices name, of rows of 1024.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
pub(super) fn columns<const READ: usize, const WRITE: usize>(
    x: &[f32; 1024 * 1024],
    ids: &[i64; 512],
    y: &mut [f32; 1024 * 512],
) -> Option<()> {
    let mut columns = [0; 512];
    for (column, id) in columns.iter_mut().zip(ids) {
        let wrapped = if *id < 0 { *id + 1024 } else { *id };
        *column = i32::try_from(wrapped)
            .ok()
            .filter(|column| (0..1024).contains(column))?;
    }
    for (x, y) in x
        .as_chunks::<1024>()
        .0
        .iter()
        .zip(y.as_chunks_mut::<512>().0)
    {
        let vectors = columns
            .as_chunks::<16>()
            .0
            .iter()
            .zip(y.as_chunks_mut::<16>().0);
        for ((columns, y), x_here) in vectors.zip(x.as_chunks::<32>().0) {
            ahead::<READ, WRITE, _, _>(x_here, y);
            // SAFETY: all columns are below 1024, the length of the row.
            let found = unsafe { _mm512_i32gather_epi32::<4>(load(columns), x.as_ptr().cast()) };
            store(y, found);
        }
    }
    Some(())
}

/// Pairs that indices name. Where eight of them are neighbours, as in windows of samples, they are one vector.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
pub(super) fn windows<const READ: usize, const WRITE: usize>(
    x: &[f32; 72000 * 2],
    ids: &[i64; 511 * 1024],
    y: &mut [f32; 511 * 1024 * 2],
) -> Option<()> {
    let pairs = x.as_chunks::<2>().0;
    let size = _mm512_set1_epi64(72000);
    let run = load(&[0i64, 1, 2, 3, 4, 5, 6, 7]);
    for (ids, y) in ids.as_chunks::<8>().0.iter().zip(y.as_chunks_mut::<16>().0) {
        ahead::<READ, WRITE, _, _>(ids, y);
        let id = load(ids);
        let id = _mm512_mask_add_epi64(id, _mm512_movepi64_mask(id), id, size);
        if _mm512_cmplt_epu64_mask(id, size) != 0xff {
            return None;
        }
        let first = _mm_cvtsi128_si64(_mm512_castsi512_si128(id));
        let neighbours = _mm512_add_epi64(_mm512_set1_epi64(first), run);
        let found = match _mm512_cmpeq_epi64_mask(id, neighbours) {
            0xff => load(
                pairs
                    .get(first as usize..)?
                    .as_flattened()
                    .first_chunk::<16>()?,
            ),
            // SAFETY: all of `id` are below 72000, the number of pairs.
            _ => unsafe { _mm512_i64gather_epi64::<8>(id, x.as_ptr().cast()) },
        };
        store(y, found);
    }
    Some(())
}

/// The colours that indices name: a plane for each byte of a colour, four vectors of which hold all 256.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
pub(super) fn looked_up<const READ: usize, const WRITE: usize>(
    x: &[u8; 256 * 3],
    ids: &[i32; PIXELS],
    y: &mut [u8; PIXELS * 3],
) -> Option<()> {
    let plane = |byte: usize| {
        std::array::from_fn::<_, 4, _>(|quarter| {
            load(&std::array::from_fn::<u8, 64, _>(|k| {
                x[(quarter * 64 + k) * 3 + byte]
            }))
        })
    };
    let planes = [plane(0), plane(1), plane(2)];
    // Byte k of vector v is byte (64 * v + k) % 3 of its colour.
    let places: [_; 3] = std::array::from_fn(|v| {
        load(&std::array::from_fn::<u8, 64, _>(|k| {
            ((64 * v + k) / 3) as u8
        }))
    });
    let masks: [[u64; 3]; 3] = std::array::from_fn(|v| {
        std::array::from_fn(|byte| {
            (0..64)
                .filter(|k| (64 * v + k) % 3 == byte)
                .fold(0, |mask, k| mask | 1 << k)
        })
    });
    let mut outside = _mm512_setzero_si512();
    for (ids, y) in ids
        .as_chunks::<64>()
        .0
        .iter()
        .zip(y.as_chunks_mut::<192>().0)
    {
        ahead::<READ, WRITE, _, _>(ids, y);
        let [a, b, c, d] = ids.as_chunks::<16>().0 else {
            return None;
        };
        let quarters = [a, b, c, d].map(|ids| load(ids));
        for quarter in quarters {
            let shifted = _mm512_add_epi32(quarter, _mm512_set1_epi32(256));
            let wrong = _mm512_andnot_si512(_mm512_set1_epi32(511), shifted);
            outside = _mm512_or_si512(outside, wrong);
        }
        let ids = low_bytes(quarters);
        let found = planes.map(|[a, b, c, d]| {
            let low = _mm512_permutex2var_epi8(a, ids, b);
            let high = _mm512_permutex2var_epi8(c, ids, d);
            _mm512_mask_blend_epi8(_mm512_movepi8_mask(ids), low, high)
        });
        for ((y, places), masks) in y.as_chunks_mut::<64>().0.iter_mut().zip(places).zip(masks) {
            let mut vector = _mm512_permutexvar_epi8(places, found[0]);
            for byte in 1..3 {
                vector = _mm512_mask_permutexvar_epi8(vector, masks[byte], places, found[byte]);
            }
            store(y, vector);
        }
    }
    (_mm512_test_epi32_mask(outside, outside) == 0).then_some(())
}

/// The low byte of each of 64: counted from the end or not, it is the place of an index in 256.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
fn low_bytes(words: [__m512i; 4]) -> __m512i {
    let [a, b, c, d] = words.map(|words| _mm512_and_si512(words, _mm512_set1_epi32(255)));
    let packed = _mm512_packus_epi16(_mm512_packus_epi32(a, b), _mm512_packus_epi32(c, d));
    // Packing goes lane by lane of 128 bits: four bytes of each of the four.
    let order = load(&[0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15i32]);
    _mm512_permutexvar_epi32(order, packed)
}
