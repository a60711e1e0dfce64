//! Values that are known before the call: what a loop over them begins with is laid out when they are planned, for any place of the result.
//!
//! A short loop is over before a vector of first values would have been computed.

#[cfg(target_arch = "x86_64")]
mod vectors;

use super::{is_exact, is_packed, position};
#[cfg(target_arch = "x86_64")]
use crate::level::Kind;
use crate::level::Level;
use crate::move_::cache::Cache;
use crate::nest::schedule::{Fill, KnownValues, Schedule, WriteValues};
use crate::range::Progression;
use crate::shuffle::LINE;
use alloc::boxed::Box;

/// The values of a schedule as the best level writes them, if they are all that it writes, and stay near: more of them are no
/// quicker for it.
pub(in crate::move_) fn known(schedule: &Schedule, fill: &Fill) -> Option<Box<KnownValues>> {
    let is_all = schedule.extents().is_empty() && schedule.src().is_affine();
    (is_all && schedule.cache() == Cache::Near)
        .then(|| KnownValues::new(Level::best(), schedule.src().offset, fill))
        .flatten()
}

impl KnownValues {
    /// Those from position `at` on, if they lie side by side, are a line or more, and are found by additions that round nothing.
    pub(in crate::move_) fn new(level: Level, at: i64, fill: &Fill) -> Option<Box<Self>> {
        let Fill {
            count,
            step,
            values,
            ..
        } = *fill;
        let size = values.element_type().size();
        let bytes = count * size;
        if bytes < LINE || !is_packed(fill) {
            return None;
        }
        let laid_out_to = count.max(Self::FIRST / size);
        let (first, added, floats, digits) = match values {
            Progression::I16(_, delta) => (values, Progression::I16(0, delta), [0; 2], None),
            Progression::I32(_, delta) => (values, Progression::I32(0, delta), [0; 2], None),
            Progression::I64(_, delta) => (values, Progression::I64(0, delta), [0; 2], None),
            Progression::F32(start, delta) => {
                let positions = Progression::F32(0, 1f32.to_bits());
                let floats = [start.into(), delta.into()];
                (positions, positions, floats, Some(f32::MANTISSA_DIGITS))
            }
            Progression::F64(start, delta) => {
                let positions = Progression::F64(0, 1f64.to_bits());
                (
                    positions,
                    positions,
                    [start, delta],
                    Some(f64::MANTISSA_DIGITS),
                )
            }
        };
        if digits.is_some_and(|digits| !is_exact(at, step, laid_out_to, digits)) {
            return None;
        }
        let at = |k: usize| position(at, step, k);
        Some(Box::new(Self {
            written_by: writing(level, values)?,
            level,
            bytes,
            first: laid_out(size, |k| first.bits(at(k))),
            further: laid_out(size, |_| added.bits(position(0, step, Self::ROUND / size))),
            last: laid_out(size, |k| values.bits(at(count - LINE / size + k))),
            floats,
        }))
    }
}

/// Values of `size` bytes, one after the other.
fn laid_out<const BYTES: usize>(size: usize, value: impl Fn(usize) -> u64) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    for (k, to) in bytes.chunks_exact_mut(size).enumerate() {
        to.copy_from_slice(&value(k).to_le_bytes()[..size]);
    }
    bytes
}

/// What writes values of this type by the vectors of a level.
fn writing(level: Level, values: Progression) -> Option<WriteValues> {
    #[cfg(target_arch = "x86_64")]
    macro_rules! by_type {
        ($vectors:ident) => {
            match values {
                Progression::I16(..) => vectors::$vectors::i16,
                Progression::I32(..) => vectors::$vectors::i32,
                Progression::I64(..) => vectors::$vectors::i64,
                Progression::F32(..) => vectors::$vectors::f32,
                Progression::F64(..) => vectors::$vectors::f64,
            }
        };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = values;
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 => Some(by_type!(avx512)),
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => Some(by_type!(avx2)),
        _ => None,
    }
}
