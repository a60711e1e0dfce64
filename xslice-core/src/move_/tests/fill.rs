//! Ranges beside their formula.

use super::{Random, UNTOUCHED};
use crate::level::Level;
use crate::move_::fill;
use crate::move_::processor::on_each_processor;
use crate::nest::schedule::{Fill, KnownValues};
use crate::range::Progression;
use alloc::{collections::BTreeSet, vec, vec::Vec};

/// Values of a Range, and the bytes that they have to be.
struct Trial {
    fill: Fill,
    first: i64,
    expected: Vec<u8>,
    /// How far the first is from where a buffer begins.
    skipped: usize,
}

impl Trial {
    /// Positions around those from where on a float holds not every integer, and counts around vectors.
    fn new(random: &mut Random, round: usize) -> Self {
        const AROUND: [i64; 7] = [
            0,
            1 << 24,
            -(1 << 24),
            1 << 31,
            1 << 53,
            -(1 << 53),
            i64::MAX,
        ];
        let mut bits = || u64::from_le_bytes(random.bytes(8).try_into().unwrap());
        let (start, delta) = (bits(), bits());
        let values = match round % 5 {
            0 => Progression::I16(start as i16, delta as i16),
            1 => Progression::I32(start as i32, delta as i32),
            2 => Progression::I64(start as i64, delta as i64),
            3 => Progression::F32(1.5f32.to_bits(), (0.1 + random.below(9) as f32).to_bits()),
            _ => Progression::F64(2.5f64.to_bits(), (0.1 + random.below(9) as f64).to_bits()),
        };
        let first = AROUND[random.below(7)].wrapping_add(random.below(400) as i64 - 200);
        let step = random.below(9) as i64 - 4;
        let count = 1 + random.below(300);
        let width = values.element_type().size();
        let stride = width * (1 + random.below(2));
        let mut expected = vec![UNTOUCHED; count * stride + 64];
        for k in 0..count {
            let value = values.bits(first.wrapping_add(k as i64 * step));
            expected[k * stride..][..width].copy_from_slice(&value.to_le_bytes()[..width]);
        }
        Self {
            fill: Fill {
                count,
                dst_stride: stride as i64,
                step,
                values,
            },
            first,
            expected,
            skipped: random.below(64),
        }
    }

    fn width(&self) -> usize {
        self.fill.values.element_type().size()
    }

    /// Asserts that `write` writes the values to where the first one belongs, and nothing else.
    fn run(&self, name: &str, write: impl FnOnce(*mut u8)) {
        let mut result = vec![UNTOUCHED; self.skipped + self.expected.len()];
        write(result[self.skipped..].as_mut_ptr());
        let (before, from) = result.split_at(self.skipped);
        assert!(
            from == self.expected && before.iter().all(|&byte| byte == UNTOUCHED),
            "{name}: {:?} from {}, {} bytes further",
            self.fill,
            self.first,
            self.skipped
        );
    }

    /// By whole lines, past the caches.
    #[cfg(target_arch = "x86_64")]
    fn run_streamed(&self) {
        use crate::move_::cache::Cache;
        let (width, count) = (self.width(), self.fill.count);
        if Level::all().all(|level| level.vector() < 64) || self.fill.dst_stride != width as i64 {
            return;
        }
        self.run("streamed", |to| {
            let head = (to.addr().wrapping_neg() % 64 / width).min(count);
            let counts = [head, count - head];
            // SAFETY: each value has room; the processor has AVX-512.
            unsafe { fill::avx512::in_lines(to, counts, self.first, &self.fill, Cache::None) };
        });
    }
}

#[test]
fn a_range_is_its_formula_at_every_level_and_ends_where_it_ends() {
    let mut random = Random(0x7a11_5eed);
    let mut are_known = BTreeSet::new();
    for round in 0..4000 {
        let trial = Trial::new(&mut random, round);
        for level in Level::all() {
            let (fill, first) = (&trial.fill, trial.first);
            // SAFETY: each value has room, the last one before the end.
            trial.run(level.name(), |to| unsafe {
                fill::run(level, to, fill.count, first, fill);
            });
            if let Some(known) = KnownValues::new(level, first, fill) {
                are_known.insert((level, trial.width(), known.bytes > KnownValues::ROUND));
                // SAFETY: likewise.
                trial.run("known", |to| unsafe { (known.written_by)(to, &known) });
            }
        }
        #[cfg(target_arch = "x86_64")]
        trial.run_streamed();
    }
    let known_levels = Level::all().filter(|level| level.vector() >= 32).count();
    if cfg!(target_arch = "x86_64") {
        // Types of three widths, shorter and longer than a round.
        assert_eq!(are_known.len(), 6 * known_levels, "{are_known:?}");
    }
}

/// So many values that their lines are fetched ahead.
#[test]
fn a_long_range_is_its_formula() {
    let [f32_start, f32_delta] = [1.5f32, 0.1].map(f32::to_bits);
    let [f64_start, f64_delta] = [2.5f64, 0.1].map(f64::to_bits);
    for (values, count) in [
        (Progression::I16(-7, 3), 1_000_003),
        (Progression::I32(-7, 3), 500_003),
        (Progression::I64(-7, 3), 250_003),
        (Progression::F32(f32_start, f32_delta), 500_003),
        (Progression::F64(f64_start, f64_delta), 250_003),
    ] {
        let width = values.element_type().size();
        let fill = Fill {
            count,
            dst_stride: width as i64,
            step: 1,
            values,
        };
        let value = |k: usize| values.bits(k as i64).to_le_bytes();
        let expected: Vec<u8> = (0..count)
            .flat_map(|k| value(k)[..width].to_vec())
            .collect();
        let run = |level: Level| {
            let mut result = vec![UNTOUCHED; count * width + 1];
            // SAFETY: each value has room.
            unsafe { fill::run(level, result.as_mut_ptr(), count, 0, &fill) };
            assert!(result.pop() == Some(UNTOUCHED) && result == expected);
        };
        on_each_processor(|| Level::all().for_each(run));
        #[cfg(target_arch = "x86_64")]
        for skipped in [0, width, 1] {
            let mut result = vec![UNTOUCHED; skipped + expected.len() + 1];
            let to = result[skipped..].as_mut_ptr();
            if Level::all().any(|level| level.vector() >= 32) {
                // SAFETY: each value has room; the processor has AVX2.
                unsafe { fill::avx2::streamed(to, count, 0, &fill) };
                assert!(result.pop() == Some(UNTOUCHED) && result[skipped..] == expected);
            }
        }
    }
}
