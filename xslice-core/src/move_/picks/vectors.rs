//! Rows that indices name, by vectors of 32 and of 64 bytes; elements, by vectors of indices.

use super::{MOST_BY_I64, as_read, by_mover, in_pairs};
use crate::access::IndexType;
use crate::level::{Kind, Level};
use crate::move_::at::Turns;
use crate::move_::cache::Cache;
use crate::move_::copy::{Mover, Parts, Rows, Vectors, by_width};
use crate::move_::lookup::{ASKED, Index, Indices, Picked, alone, avx2};
use crate::move_::processor::habits;
use crate::move_::rows::row::{WholeLines, WholeVectors};
use crate::nest::schedule::{KnownPicks, MovePicks};
use crate::shuffle::LINE;
use core::arch::x86_64::{__m128i as Part, __m256i as Half, __m512i as Line};

/// What moves rows of so many bytes, if it needs vectors of more than 16: each when its index has been read, if they are `few` of a single
/// turn.
pub(super) fn moving(level: Level, bytes: usize, few: bool) -> Option<MovePicks> {
    /// Longer rows take as long by vectors of 64 bytes wherever they are moved.
    const LONGEST_IN_HALVES: usize = 2 * LINE;
    let in_halves = habits().moves_in_halves && (LINE + 1..=LONGEST_IN_HALVES).contains(&bytes);
    match (level.kind(), few) {
        (Kind::Avx512, false) if !in_halves => by_lines::<false>(bytes),
        (Kind::Avx512, true) if !in_halves => by_lines::<true>(bytes),
        (Kind::Avx512 | Kind::Avx2, false) => by_halves::<false>(bytes),
        (Kind::Avx512 | Kind::Avx2, true) => by_halves::<true>(bytes),
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
        193..=WholeVectors::LONGEST_PICKED => avx2::<WholeVectors, FEW>,
        _ => return None,
    })
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

/// Fewer elements are quicker by places that are found first.
const LEAST_BY_I32: usize = 24;
const LEAST_BY_I64: usize = 4 * ASKED;

/// What moves elements of a single turn with AVX2, some of whose indices are tested at once; `None` for other rows.
pub(super) fn elements(known: &KnownPicks) -> Option<MovePicks> {
    let (rows, indices) = (rows_of(known), known.indices::<i64>(core::ptr::null()));
    let least = match known.index {
        IndexType::I32 => LEAST_BY_I32,
        IndexType::I64 => LEAST_BY_I64,
    };
    let are_taken = known.level.kind() == Kind::Avx2
        && known.loops.is_one()
        && rows.count >= least
        && rows.touch()
        && rows.src_stride == 0
        && known.index_stride == known.index.size() as i64
        && avx2::takes(&rows, &indices);
    match known.bytes {
        _ if !are_taken => None,
        1 => Some(elements_of::<1>),
        2 => Some(elements_of::<2>),
        4 => Some(elements_of::<4>),
        8 => Some(elements_of::<8>),
        _ => None,
    }
}

/// The rows of the only turn.
fn rows_of(known: &KnownPicks) -> Rows {
    let rows = Turns::of(known.loops.inner());
    Rows {
        count: rows.count,
        dst_stride: rows.dst_stride,
        src_stride: rows.src_stride,
        ..Rows::one(known.bytes, Cache::Near)
    }
}

/// Moves elements of `N` bytes. If some indices of 64 bits are negative, which the first ones tell, places that are found first are quicker,
/// unless they are many.
///
/// # Safety
/// As [`KnownPicks::run`], for [`elements`] of these bytes; the processor has AVX2.
unsafe fn elements_of<const N: usize>(
    dst: *mut u8,
    src: *const u8,
    table: *const u8,
    known: &KnownPicks,
) -> bool {
    // SAFETY: by the contract of this function; there are at least [`ASKED`] indices of 64 bits.
    unsafe {
        match known.index {
            IndexType::I32 => by_indices::<i32>(dst, src, known, known.indices(table)),
            IndexType::I64 => {
                let indices = known.indices::<i64>(table);
                let are_many = known.loops.count() > MOST_BY_I64;
                match are_many || indices.count_from_start_avx2(indices.size) {
                    true => by_indices(dst, src, known, indices),
                    false => in_pairs::<N>(dst, src, table, known),
                }
            }
        }
    }
}

/// # Safety
/// As [`elements_of`].
unsafe fn by_indices<I: Index>(
    dst: *mut u8,
    src: *const u8,
    known: &KnownPicks,
    indices: Indices<I>,
) -> bool {
    let rows = rows_of(known);
    // SAFETY: by the contract of this function; what the vectors leave over is the end of the same rows.
    unsafe {
        let Some(done) = avx2::run(dst, src, rows, &indices) else {
            return false;
        };
        let rest = Picked {
            dst: dst.add(done * rows.bytes),
            src,
            rows: Rows {
                count: rows.count - done,
                ..rows
            },
            indices: indices.from(done),
            ahead: 0,
        };
        by_width!(rows.bytes, alone(rest))
    }
}
