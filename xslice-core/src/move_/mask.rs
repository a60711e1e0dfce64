//! Masks of vectors of 64 bytes: what AVX-512 reads and writes where less than a vector is there.

/// A bit for each of the first `bytes` bytes of a vector.
#[inline]
pub(super) fn mask_of(bytes: usize) -> u64 {
    match bytes {
        0 => 0,
        bytes => u64::MAX >> (64 - bytes.min(64)),
    }
}
