//! A small fast hash for keys that we make ourselves and compare whole.

use core::hash::Hasher;

/// Rotate and multiply over words; not for keys that an adversary chooses to collide, which only cost time here: whole keys are compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct WordHash(u64);

impl WordHash {
    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(26) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for WordHash {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.word(u64::from_ne_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_ne_bytes(last) ^ rest.len() as u64);
    }

    fn write_u8(&mut self, word: u8) {
        self.word(u64::from(word));
    }

    fn write_u32(&mut self, word: u32) {
        self.word(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.word(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.word(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}
