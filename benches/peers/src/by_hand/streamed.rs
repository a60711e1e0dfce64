//! Rows past the caches: a streamed store does not read the line that it overwrites.

use super::{Candidate, Target};
use std::arch::x86_64::{__m256i, _mm_sfence, _mm256_loadu_si256, _mm256_stream_si256};
use std::hint::black_box;
use xslice::{Error, ErrorKind};
use xslice_cli::bench::data::{Data, operand, result};

table! { for [Streamed]

big_copy(x: f32[64 * 1024 * 1024]) -> y: f32[64 * 1024 * 1000] {
    assert!(y.as_ptr().cast::<__m256i>().is_aligned(), "a result begins at a line");
    let rows = x.as_chunks::<1024>().0.iter().zip(y.as_chunks_mut::<1000>().0);
    for (x, y) in rows {
        for (x, y) in x.as_chunks::<8>().0.iter().zip(y.as_chunks_mut::<8>().0) {
            // SAFETY: both sides are 32 bytes; those of the result, which is aligned to them, are too.
            unsafe {
                let vector = _mm256_loadu_si256(x.as_ptr().cast());
                _mm256_stream_si256(y.as_mut_ptr().cast(), vector);
            }
        }
    }
    _mm_sfence();
}

}
