//! Rows that indices name, by vectors of 32 and of 64 bytes.

use super::{as_read, by_mover};
use crate::access::IndexType;
use crate::level::{Kind, Level};
use crate::move_::copy::{Mover, Parts, Vectors};
use crate::move_::rows::row::{self, WholeVectors};
use crate::nest::schedule::{KnownPicks, MovePicks};
use crate::shuffle::LINE;
use core::arch::x86_64::{__m128i as Part, __m256i as Half, __m512i as Line};

/// What moves rows of so many bytes, if it needs vectors of more than 16: each when its index has been read, if they are `few` of a single
/// turn.
pub(super) fn moving(level: Level, bytes: usize, few: bool) -> Option<MovePicks> {
    match (level.kind(), few) {
        (Kind::Avx512, false) => by_lines::<false>(bytes),
        (Kind::Avx512, true) => by_lines::<true>(bytes),
        (Kind::Avx2, false) => by_halves::<false>(bytes),
        (Kind::Avx2, true) => by_halves::<true>(bytes),
        (Kind::Scalar, _) => None,
    }
}

/// As few vectors as there can be, none of which is longer than what it is needed for: rows that straddle a line more take as long as those
/// of one vector more.
fn by_lines<const FEW: bool>(bytes: usize) -> Option<MovePicks> {
    Some(match bytes {
        ..32 => return None,
        32 => avx512_or_parts::<Vectors<Half, 0, Half>, Parts<2>, FEW>,
        33..=48 => avx512::<Vectors<Half, 1, Part>, FEW>,
        49..LINE => avx512::<Vectors<Half, 1, Half>, FEW>,
        LINE => avx512_or_parts::<Vectors<Line, 0, Line>, Parts<4>, FEW>,
        65..=80 => avx512::<Vectors<Line, 1, Part>, FEW>,
        96 => avx512_or_parts::<Vectors<Line, 1, Half>, Parts<6>, FEW>,
        81..96 => avx512::<Vectors<Line, 1, Half>, FEW>,
        97..=128 => avx512::<Vectors<Line, 1, Line>, FEW>,
        129..=144 => avx512::<Vectors<Line, 2, Part>, FEW>,
        145..=160 => avx512::<Vectors<Line, 2, Half>, FEW>,
        161..=192 => avx512::<Vectors<Line, 2, Line>, FEW>,
        _ => avx512::<WholeLines, FEW>,
    })
}

/// The same without vectors of 64 bytes.
fn by_halves<const FEW: bool>(bytes: usize) -> Option<MovePicks> {
    Some(match bytes {
        32 => avx2_or_parts::<Vectors<Half, 0, Half>, Parts<2>, FEW>,
        33..=48 => avx2::<Vectors<Half, 1, Part>, FEW>,
        64 => avx2_or_parts::<Vectors<Half, 1, Half>, Parts<4>, FEW>,
        49..64 => avx2::<Vectors<Half, 1, Half>, FEW>,
        65..=80 => avx2::<Vectors<Half, 2, Part>, FEW>,
        96 => avx2_or_parts::<Vectors<Half, 2, Half>, Parts<6>, FEW>,
        81..96 => avx2::<Vectors<Half, 2, Half>, FEW>,
        97..=112 => avx2::<Vectors<Half, 3, Part>, FEW>,
        113..=128 => avx2::<Vectors<Half, 3, Half>, FEW>,
        129..=160 => avx2::<Vectors<Half, 4, Half>, FEW>,
        161..=192 => avx2::<Vectors<Half, 5, Half>, FEW>,
        193..=WholeVectors::LONGEST => avx2::<WholeVectors, FEW>,
        _ => return None,
    })
}

/// A row of more than three lines, by vectors that fill lines of the result.
#[derive(Clone, Copy)]
struct WholeLines(usize);

impl Mover for WholeLines {
    fn of(bytes: usize) -> Self {
        Self(bytes)
    }

    #[inline(always)]
    unsafe fn run(self, dst: *mut u8, src: *const u8) {
        // SAFETY: by the contract of the trait, where the processor has AVX-512 F.
        unsafe { row::whole_lines(dst, src, self.0) }
    }
}

/// Functions that move rows by the vectors of a level: `$by` a mover, `$by_or_parts` rows of whole half lines, in parts of 16 bytes where these
/// vectors would straddle lines of the result.
macro_rules! at_level {
    ($by:ident, $by_or_parts:ident, $features:literal) => {
        /// # Safety
        /// As [`KnownPicks::run`]; the processor has what this is compiled for.
        #[target_feature(enable = $features)]
        unsafe fn $by<M: Mover, const FEW: bool>(
            dst: *mut u8,
            src: *const u8,
            table: *const u8,
            known: &KnownPicks,
        ) -> bool {
            // SAFETY: by the contract of this function.
            unsafe {
                let mover = M::of(known.bytes);
                match (FEW, known.index) {
                    (false, _) => known.by(mover, (dst, src), table),
                    (true, IndexType::I32) => known.as_read::<i32>(mover, (dst, src), table),
                    (true, IndexType::I64) => known.as_read::<i64>(mover, (dst, src), table),
                }
            }
        }

        /// # Safety
        /// The same; `P` moves rows of this width in parts of 16 bytes.
        #[target_feature(enable = $features)]
        unsafe fn $by_or_parts<M: Mover, P: Mover, const FEW: bool>(
            dst: *mut u8,
            src: *const u8,
            table: *const u8,
            known: &KnownPicks,
        ) -> bool {
            // SAFETY: by the contract of this function.
            unsafe {
                match begin_with_parts_only(dst, known) {
                    true if FEW => as_read::<P>(dst, src, table, known),
                    true => by_mover::<P>(dst, src, table, known),
                    false => $by::<M, FEW>(dst, src, table, known),
                }
            }
        }
    };
}

at_level!(avx512, avx512_or_parts, "avx512f");
at_level!(avx2, avx2_or_parts, "avx2");

/// Whether all rows begin with a part of 16 bytes of the result, and not all with a half line.
fn begin_with_parts_only(dst: *mut u8, known: &KnownPicks) -> bool {
    known.loops.begin_with::<16>(dst) && !known.loops.begin_with::<32>(dst)
}
