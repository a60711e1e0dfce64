//! Rows past the caches: a streamed store does not read the line that it overwrites.

use super::{Candidate, Target};
use std::arch::x86_64::{__m256i, _mm_sfence, _mm256_loadu_si256, _mm256_stream_si256};
use std::hint::black_box;
use xslice::{Error, ErrorKind};
use xslice_cli::bench::data::{Data, operand, result};

table! { for [Streamed]

big_copy(x: f32[64 * 1024 * 1024]) -> y: f32[64 * 1024 * 1000]
    { heads::<1>(x, y); }
    { heads::<4>(x, y); }

}

/// The first 1000 of each 1024 elements, `ROWS` rows in turn: each has pages of its own.
fn heads<const ROWS: usize>(x: &[f32], y: &mut [f32]) {
    assert!(
        y.as_ptr().cast::<__m256i>().is_aligned(),
        "a result begins at a line"
    );
    let (x, y) = (x.as_chunks::<1024>().0, y.as_chunks_mut::<1000>().0);
    for (x, y) in x.chunks(ROWS).zip(y.chunks_mut(ROWS)) {
        for at in (0..1000).step_by(8) {
            for (x, y) in x.iter().zip(&mut *y) {
                // SAFETY: both sides are 32 bytes; those of the result, which is aligned to them, are too.
                unsafe {
                    let vector = _mm256_loadu_si256(x[at..at + 8].as_ptr().cast());
                    _mm256_stream_si256(y[at..at + 8].as_mut_ptr().cast(), vector);
                }
            }
        }
    }
    // SAFETY: every processor of the target has the instruction.
    unsafe { _mm_sfence() };
}
