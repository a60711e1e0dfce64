//! So few narrow rows in each of many turns that a loop over them would take longer than they do: their places stay in registers.

use super::MOST_INLINE;
use super::at::Turns;
use super::cache::Cache;
#[cfg(target_arch = "x86_64")]
use super::copy::Vectors;
use super::copy::{Mover, Rows, by_width, pair};
#[cfg(target_arch = "x86_64")]
use crate::level::Kind;
use crate::level::Level;
use crate::nest::schedule::{KnownRuns, MoveRuns};
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::{__m256i as Half, __m512i as Line};

/// More rows are too many for the registers.
pub(super) const MOST: usize = 7;

/// Wider rows are fetched ahead, unless the result stays near.
const WIDEST: usize = 31;

/// Fewer turns are over before the function for them is found.
const LEAST_TURNS: usize = 8;

/// Whether `count` rows of `bytes` bytes, of a result that this cache keeps, are moved here.
pub(super) fn takes(bytes: usize, count: usize, cache: Cache) -> bool {
    let widest = if cache == Cache::Near {
        MOST_INLINE
    } else {
        WIDEST
    };
    bytes <= widest && count <= MOST
}

/// Whether turns that have so many of such rows each are more than what finding their function takes.
pub(super) fn pays(bytes: usize, count: usize, turns: usize, cache: Cache) -> bool {
    turns >= LEAST_TURNS && takes(bytes, count, cache)
}

/// Whether these rows are moved here in each of several turns.
pub(super) fn takes_turns(rows: &Rows, turns: Turns) -> bool {
    turns.count > 1 && takes(rows.bytes, rows.count, rows.cache)
}

/// Moves rows in each of the turns, to their distance from each other, and from the same places.
///
/// # Safety
/// As [`run`](super::copy::run), for each of the rows of each turn; there are as many places as rows, which [`takes`] admits.
pub(super) unsafe fn moved(
    dst: *mut u8,
    src: *const u8,
    rows: &Rows,
    places: &[isize],
    turns: Turns,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        by_width!(
            rows.bytes,
            by_count(Any, dst, src, rows.dst_stride, places, turns)
        )
    }
}

/// Whether rows of these bytes are one vector of a level, or two.
pub(super) fn are_vectors(level: Level, bytes: usize) -> bool {
    matches!(bytes, 32 | 64) && level.vector() >= 32
}

/// The same of rows that [`are_vectors`], by these where no row straddles a line more than it has to: then parts take less time.
///
/// # Safety
/// As [`moved`], for such rows.
pub(super) unsafe fn moved_by_vectors(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: &Rows,
    places: &[isize],
    turns: Turns,
) {
    let (bytes, apart) = (rows.bytes, rows.dst_stride);
    let begins = dst.addr() | apart.unsigned_abs() | turns.dst_stride.unsigned_abs();
    let vector = if begins & (bytes - 1) == 0 { bytes } else { 0 };
    // SAFETY: by the contract of this function; holding `level` is the proof that the processor has its instructions.
    unsafe {
        match (level.kind(), vector) {
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx512, 64) => {
                let line = Vectors::<Line, 0, Line>::of(bytes);
                by_count(line, Avx512, dst, src, apart, places, turns);
            }
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx2, 64) => {
                let halves = Vectors::<Half, 1, Half>::of(bytes);
                by_count(halves, Avx2, dst, src, apart, places, turns);
            }
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx2 | Kind::Avx512, 32) => {
                let half = Vectors::<Half, 0, Half>::of(bytes);
                by_count(half, Avx2, dst, src, apart, places, turns);
            }
            _ => moved(dst, src, rows, places, turns),
        }
    }
}

/// What moves known runs of these bytes, so many in each turn of the loops around the innermost one; `None` if they are too many.
pub(super) fn moving(bytes: usize, count: usize) -> Option<MoveRuns> {
    by_width!(bytes, moving_by(count))
}

fn moving_by<M: Mover>(_: M, count: usize) -> Option<MoveRuns> {
    const { assert!(MOST == 7, "as many as there are functions") };
    Some(match count {
        1 => known::<M, 1>,
        2 => known::<M, 2>,
        3 => known::<M, 3>,
        4 => known::<M, 4>,
        5 => known::<M, 5>,
        6 => known::<M, 6>,
        7 => known::<M, 7>,
        _ => return None,
    })
}

/// Moves known runs.
///
/// # Safety
/// As [`KnownRuns::run`]; the innermost loop has `COUNT` turns.
unsafe fn known<M: Mover, const COUNT: usize>(dst: *mut u8, src: *const u8, known: &KnownRuns) {
    let [outermost, turns, rows] = known.loops.0;
    let places = core::array::from_fn(|k| k as isize * rows.apart.1);
    for (to, from) in Turns::of(outermost).each(dst, src) {
        let (mover, turns) = (M::of(known.bytes), Turns::of(turns));
        // SAFETY: by the contract of this function.
        unsafe { Any::each::<M, COUNT>(mover, to, from, rows.apart.0, &places, turns) };
    }
}

/// # Safety
/// As [`moved`]; the mover is for the bytes of a row, and the processor has the instructions.
#[inline(always)]
unsafe fn by_count<I: Instructions>(
    mover: impl Mover,
    _: I,
    dst: *mut u8,
    src: *const u8,
    dst_stride: isize,
    places: &[isize],
    turns: Turns,
) {
    const { assert!(MOST == 7, "as many as there are functions") };
    macro_rules! with_places {
        ($($count:literal),*) => {
            match places.len() {
                // SAFETY: by the contract of this function.
                $($count => unsafe {
                    if let Some(places) = places.first_chunk::<$count>() {
                        I::each(mover, dst, src, dst_stride, places, turns);
                    }
                },)*
                none => debug_assert_eq!(none, 0, "no more are taken"),
            }
        };
    }
    with_places!(1, 2, 3, 4, 5, 6, 7);
}

/// Instructions that functions are compiled for.
trait Instructions: Copy {
    /// # Safety
    /// As [`moved`]; the mover is for the bytes of a row, and the processor has the instructions.
    unsafe fn each<M: Mover, const COUNT: usize>(
        mover: M,
        dst: *mut u8,
        src: *const u8,
        dst_stride: isize,
        places: &[isize; COUNT],
        turns: Turns,
    );
}

/// Functions of some instructions.
macro_rules! instructions {
    ($(#[doc = $doc:literal] $name:ident: $attribute:meta;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy)]
        struct $name;

        impl Instructions for $name {
            #[$attribute]
            unsafe fn each<M: Mover, const COUNT: usize>(
                mover: M,
                dst: *mut u8,
                src: *const u8,
                dst_stride: isize,
                places: &[isize; COUNT],
                turns: Turns,
            ) {
                // SAFETY: by the contract of the trait.
                unsafe { each(mover, dst, src, dst_stride, *places, turns) }
            }
        }
    )*};
}
instructions! {
    /// Those that all processors have.
    Any: inline(never);
}
#[cfg(target_arch = "x86_64")]
instructions! {
    /// Vectors of 32 bytes.
    Avx2: target_feature(enable = "avx2");
    /// Vectors of 64 bytes.
    Avx512: target_feature(enable = "avx512f");
}

/// # Safety
/// As [`moved`]; the mover is for the bytes of a row.
#[inline(always)]
unsafe fn each<M: Mover, const COUNT: usize>(
    mover: M,
    dst: *mut u8,
    src: *const u8,
    dst_stride: isize,
    places: [isize; COUNT],
    turns: Turns,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        if COUNT > 1 && matches!(M::WIDTH, 1 | 2 | 4 | 8) && dst_stride == M::WIDTH as isize {
            return touching(mover, dst, src, places, turns);
        }
        for (to, from) in turns.each(dst, src) {
            for (k, place) in places.into_iter().enumerate() {
                let to = to.wrapping_offset(k as isize * dst_stride);
                mover.run(to, from.wrapping_offset(place));
            }
        }
    }
}

/// The same of rows that touch in the destination, by one store for two of them.
///
/// # Safety
/// As [`by_count`]; the width of the mover is 1, 2, 4 or 8 bytes, and rows lie that far apart in the destination.
#[inline(always)]
unsafe fn touching<M: Mover, const COUNT: usize>(
    mover: M,
    dst: *mut u8,
    src: *const u8,
    places: [isize; COUNT],
    turns: Turns,
) {
    let (pairs, rest) = places.as_chunks::<2>();
    for (mut to, from) in turns.each(dst, src) {
        // SAFETY: by the contract of this function.
        unsafe {
            for &[one, other] in pairs {
                let [one, other] = [one, other].map(|place| from.wrapping_offset(place));
                match M::WIDTH {
                    1 => pair::<1>(to, one, other),
                    2 => pair::<2>(to, one, other),
                    4 => pair::<4>(to, one, other),
                    8 => pair::<8>(to, one, other),
                    _ => debug_assert!(false, "there is one store for two"),
                }
                to = to.wrapping_add(2 * M::WIDTH);
            }
            for &place in rest {
                mover.run(to, from.wrapping_offset(place));
            }
        }
    }
}
