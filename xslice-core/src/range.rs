//! The values of a Range. The one place that computes (I7); how many there are is decided in `resolve/range.rs`.
//!
//! Position `p` has the value `start + p * delta` in the element type: multiply, then add, no fused multiply-add; integers wrap,
//! which is exact for every value below the limit. Engines evaluate [`Progression`], they do not count.

use crate::elem::ElementType;
use core::fmt;

/// The values of a Range, as bits of its element type: `start + p * delta` at position `p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Progression {
    /// Wrapping, exact modulo 2^16.
    I16(i16, i16),
    /// Wrapping, exact modulo 2^32.
    I32(i32, i32),
    /// Wrapping, exact modulo 2^64.
    I64(i64, i64),
    /// Bits of `f32`: the position is rounded to `f32`, multiplied, added.
    F32(u32, u32),
    /// Bits of `f64`: likewise.
    F64(u64, u64),
}

impl Progression {
    /// The element type.
    #[must_use]
    pub const fn element_type(self) -> ElementType {
        match self {
            Self::I16(..) => ElementType::I16,
            Self::I32(..) => ElementType::I32,
            Self::I64(..) => ElementType::I64,
            Self::F32(..) => ElementType::F32,
            Self::F64(..) => ElementType::F64,
        }
    }

    /// The bits of the value at position `p`, in the low bytes.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "exact modulo the width of the type"
    )]
    #[expect(
        clippy::cast_precision_loss,
        reason = "the position is rounded to the element type, as documented"
    )]
    pub fn bits(self, p: i64) -> u64 {
        match self {
            Self::I16(start, delta) => {
                u64::from(start.wrapping_add((p as i16).wrapping_mul(delta)) as u16)
            }
            Self::I32(start, delta) => {
                u64::from(start.wrapping_add((p as i32).wrapping_mul(delta)) as u32)
            }
            Self::I64(start, delta) => start.wrapping_add(p.wrapping_mul(delta)) as u64,
            Self::F32(start, delta) => {
                let step = p as f32 * f32::from_bits(delta);
                u64::from((f32::from_bits(start) + step).to_bits())
            }
            Self::F64(start, delta) => {
                let step = p as f64 * f64::from_bits(delta);
                (f64::from_bits(start) + step).to_bits()
            }
        }
    }

    /// The integer progression as `(start, delta)`; `None` for floats.
    pub(crate) fn integers(self) -> Option<(i64, i64)> {
        match self {
            Self::I16(start, delta) => Some((start.into(), delta.into())),
            Self::I32(start, delta) => Some((start.into(), delta.into())),
            Self::I64(start, delta) => Some((start, delta)),
            Self::F32(..) | Self::F64(..) => None,
        }
    }
}

impl fmt::Display for Progression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::I16(start, delta) => write!(f, "{start} + {delta}*p"),
            Self::I32(start, delta) => write!(f, "{start} + {delta}*p"),
            Self::I64(start, delta) => write!(f, "{start} + {delta}*p"),
            Self::F32(start, delta) => write!(
                f,
                "{:?} + {:?}*p",
                f32::from_bits(start),
                f32::from_bits(delta)
            ),
            Self::F64(start, delta) => write!(
                f,
                "{:?} + {:?}*p",
                f64::from_bits(start),
                f64::from_bits(delta)
            ),
        }
    }
}
