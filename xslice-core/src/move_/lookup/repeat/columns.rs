//! Narrow rows from the same places in every turn of a loop, with AVX2, out of columns.
//!
//! As many turns as fill 16 bytes with a row of each go together. What they read is transposed first, so that rows from the same place of
//! these turns lie side by side: a column. Then one load takes what were as many, and the columns are transposed back into the result.

use super::{KeptPlaces, MOST_KEPT, Starts, Turns};
use crate::level::{Kind, Level};
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::move_::processor::habits;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

/// Bytes of a vector.
const VECTOR: usize = 32;

/// Bytes of a column, of which a vector has two.
const COLUMN: usize = 16;

/// Columns that are made at once, at most: with 32 KiB they stay in the nearest cache.
const MOST_COLUMNS: usize = 2048;

/// Fewer groups of turns are over before finding the columns has paid.
const LEAST_GROUPS: usize = 4;

/// The columns of one group of turns.
#[repr(align(64))]
struct Columns([MaybeUninit<u8>; MOST_COLUMNS * COLUMN]);

/// Moves neighbouring rows of 1, 2, 4 or 8 bytes in each of the turns. Gives how many of the turns are done from each start: none where
/// columns do not pay, else all but those that fill no group.
///
/// # Safety
/// As [`super::moved`]; the processor has AVX2.
pub(super) unsafe fn moved(
    level: Level,
    starts: Starts<'_>,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
) -> usize {
    // SAFETY: by the contract of this function.
    unsafe {
        match rows.bytes {
            _ if !pays(level, &rows, places, starts.count(), turns) => 0,
            1 => groups::<1, 16>(starts, places, turns),
            2 => groups::<2, 8>(starts, places, turns),
            4 => groups::<4, 4>(starts, places, turns),
            8 => groups::<8, 2>(starts, places, turns),
            _ => 0,
        }
    }
}

/// Whether making columns of all within reach, and loading those of the rows, takes less time than rows one by one.
fn pays(level: Level, rows: &Rows, places: KeptPlaces<'_>, starts: usize, turns: Turns) -> bool {
    are_near(level, rows, places.reach)
        && rows.touch()
        && starts * (turns.count / (COLUMN / rows.bytes)) >= LEAST_GROUPS
        && bits_of(places).is_multiple_of(rows.bytes)
}

/// Whether rows lie so near each other that columns pay, if there are enough turns.
pub(super) fn are_near(level: Level, rows: &Rows, reach: usize) -> bool {
    let bytes = rows.bytes;
    // For each row that is no longer loaded alone, this many columns may be made. A processor that gathers quickly is quick at loads one by
    // one, too. Words that it gathers take up to a quarter less time than by columns, but up to a fifth more than by columns that are no
    // more than they where the second cache keeps the result.
    let stays_near = matches!(rows.cache, Cache::Near | Cache::Second);
    let most = match (bytes, habits().has_quick_gathers) {
        (1, _) => 8,
        (2, _) => 6,
        (4, false) => 4,
        (4, true) if level.kind() == Kind::Avx2 => 2,
        (4, true) if stays_near => 1,
        (8, false) => 1,
        _ => return false,
    };
    rows.count * bytes >= VECTOR
        && (VECTOR..=MOST_COLUMNS * bytes).contains(&reach)
        && reach / bytes <= rows.count * most
}

/// About what they cost in a turn, in half cycles.
pub(super) fn cost(rows: &Rows, reach: usize) -> usize {
    8 + (reach + rows.count * rows.bytes) / 5
}

/// All their bits: a power of two divides them if it divides all places, and what they lie in.
fn bits_of(places: KeptPlaces<'_>) -> usize {
    let bits = |bits, place: &isize| bits | place.cast_unsigned();
    places.each.iter().fold(places.reach, bits)
}

/// Turns in groups of `N`, for rows of `BYTES`: together as many as a column has.
///
/// # Safety
/// As [`moved`], where that [`pays`].
#[target_feature(enable = "avx2")]
unsafe fn groups<const BYTES: usize, const N: usize>(
    starts: Starts<'_>,
    places: KeptPlaces<'_>,
    turns: Turns,
) -> usize {
    const { assert!(BYTES * N == COLUMN) };
    let reach = places.reach;
    let mut kept = [const { MaybeUninit::uninit() }; MOST_KEPT];
    let kept = &mut kept[..places.each.len()];
    for (kept, &place) in kept.iter_mut().zip(places.each) {
        kept.write(column_at::<BYTES>(place.cast_unsigned(), reach));
    }
    // SAFETY: all of them are written.
    let kept = unsafe { &*(&raw const *kept as *const [u16]) };
    let mut columns = Columns([const { MaybeUninit::uninit() }; _]);
    let columns = columns.0.as_mut_ptr().cast::<u8>();
    starts.each(|dst, src| {
        for (to, from) in turns.in_groups(N).each(dst, src) {
            // SAFETY: by the contract of this function; there is room for the columns of as many bytes as `pays` allows, and all are made
            // before one is read.
            unsafe {
                made::<BYTES, N>(columns, from, turns.src_stride, reach);
                picked::<BYTES, N>(to, turns.dst_stride, columns, kept);
            }
        }
    });
    turns.that_fill(N)
}

/// Where the column of a place begins, in the order in which [`made`] makes them.
fn column_at<const BYTES: usize>(place: usize, reach: usize) -> u16 {
    let block = place / VECTOR;
    let within = place - block_at(block, reach);
    let column = within % COLUMN / BYTES * 2 + within / COLUMN;
    const { assert!(MOST_COLUMNS * COLUMN <= 1 << u16::BITS) };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "less than MOST_COLUMNS columns lie before it"
    )]
    let at = (block * (VECTOR / BYTES) * COLUMN + column * COLUMN) as u16;
    at
}

/// Where a block of what is read begins: the last one ends where all does.
#[inline(always)]
fn block_at(block: usize, reach: usize) -> usize {
    (block * VECTOR).min(reach - VECTOR)
}

/// Makes the columns of `N` turns.
///
/// # Safety
/// `reach` bytes, at least a vector, are readable from where each turn begins; `columns` is aligned to vectors, and has room for `N` times as
/// many bytes, up to whole vectors.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn made<const BYTES: usize, const N: usize>(
    columns: *mut u8,
    src: *const u8,
    src_stride: isize,
    reach: usize,
) {
    for block in 0..reach.div_ceil(VECTOR) {
        let from = src.wrapping_add(block_at(block, reach));
        let to = columns.wrapping_add(block * VECTOR * N);
        // SAFETY: by the contract of this function.
        unsafe {
            let rows = core::array::from_fn(|turn| {
                _mm256_loadu_si256(from.wrapping_offset(turn as isize * src_stride).cast())
            });
            for (k, column) in transposed::<BYTES, N>(rows).into_iter().enumerate() {
                _mm256_store_si256(to.add(k * VECTOR).cast(), column);
            }
        }
    }
}

/// Writes the columns at `places` to the rows of `N` turns.
///
/// # Safety
/// Columns lie there, aligned to [`COLUMN`] bytes, and each of the turns has room for as many rows, which are at least a vector.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn picked<const BYTES: usize, const N: usize>(
    dst: *mut u8,
    dst_stride: isize,
    columns: *const u8,
    places: &[u16],
) {
    let vector = |at: usize| {
        let places = &places[at..][..2 * N];
        // SAFETY: by the contract of this function.
        unsafe {
            let column = |k: usize| _mm_load_si128(columns.add(usize::from(places[k])).cast());
            let columns = core::array::from_fn(|k| _mm256_set_m128i(column(k + N), column(k)));
            for (turn, row) in transposed::<BYTES, N>(columns).into_iter().enumerate() {
                let to = dst.wrapping_offset(turn as isize * dst_stride);
                _mm256_storeu_si256(to.add(at * BYTES).cast(), row);
            }
        }
    };
    for at in (0..places.len() / (2 * N)).map(|k| k * 2 * N) {
        vector(at);
    }
    if !places.len().is_multiple_of(2 * N) {
        // The same values once more, and those that are left.
        vector(places.len() - 2 * N);
    }
}

/// Transposes `N` times `N` units of `BYTES` in either half of the vectors.
#[target_feature(enable = "avx2")]
#[inline]
fn transposed<const BYTES: usize, const N: usize>(mut rows: [__m256i; N]) -> [__m256i; N] {
    // Rows half of all apart put together as often as it takes to bring the first next to each other.
    for _ in 0..N.ilog2() {
        rows = core::array::from_fn(|k| {
            let (one, other) = (rows[k / 2], rows[k / 2 + N / 2]);
            match k % 2 {
                0 => low_halves::<BYTES>(one, other),
                _ => high_halves::<BYTES>(one, other),
            }
        });
    }
    rows
}

/// Units of `BYTES` in turn, out of the lower half of each column.
#[target_feature(enable = "avx2")]
#[inline]
fn low_halves<const BYTES: usize>(one: __m256i, other: __m256i) -> __m256i {
    match BYTES {
        1 => _mm256_unpacklo_epi8(one, other),
        2 => _mm256_unpacklo_epi16(one, other),
        4 => _mm256_unpacklo_epi32(one, other),
        _ => _mm256_unpacklo_epi64(one, other),
    }
}

/// The same of the upper half.
#[target_feature(enable = "avx2")]
#[inline]
fn high_halves<const BYTES: usize>(one: __m256i, other: __m256i) -> __m256i {
    match BYTES {
        1 => _mm256_unpackhi_epi8(one, other),
        2 => _mm256_unpackhi_epi16(one, other),
        4 => _mm256_unpackhi_epi32(one, other),
        _ => _mm256_unpackhi_epi64(one, other),
    }
}
