//! Random numbers: from a seed, the same on every machine, or out of given bytes, so that a fuzzer decides what is tried.

use arbitrary::Unstructured;

/// A source of decisions.
#[derive(Debug)]
pub struct Rng<'a>(Source<'a>);

#[derive(Debug)]
enum Source<'a> {
    /// xorshift64*.
    Seed(u64),
    /// Where the bytes are used up, everything is 0.
    Bytes(Unstructured<'a>),
}

impl Rng<'static> {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self(Source::Seed(seed.wrapping_mul(0x2545_F491_4F6C_DD1D) | 1))
    }
}

impl<'a> Rng<'a> {
    /// Out of bytes.
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        Self(Source::Bytes(Unstructured::new(bytes)))
    }

    /// Any 64 bits.
    pub fn word(&mut self) -> u64 {
        match &mut self.0 {
            Source::Seed(state) => {
                *state ^= *state >> 12;
                *state ^= *state << 25;
                *state ^= *state >> 27;
                state.wrapping_mul(0x2545_F491_4F6C_DD1D)
            }
            Source::Bytes(bytes) => bytes.arbitrary().unwrap_or(0),
        }
    }

    /// Uniform in `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        if let Source::Bytes(bytes) = &mut self.0 {
            return bytes.int_in_range(0..=n.max(1) - 1).unwrap_or(0);
        }
        (self.word() >> 16) as usize % n.max(1)
    }

    /// Uniform in `low..=high`.
    pub fn within(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// True once in `n`.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of these.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}
