//! Rows where indices point.
//!
//! Indices are turned into places block by block, ahead of the rows that move: wrapped, tested, and scaled to bytes in one loop without
//! a branch, which the compiler vectorises at each level. So a row costs a load, a load and a store, the processor can be told of rows
//! some way ahead, and an index is tested while it is read anyway. Short rows, near ones and far ones, move when their index has been read;
//! some indices that a vector has tested are read again. An index that is outside its axis is never used as an address (I3): rows before
//! it may have moved, and a vector that looks up many rows at once reads none for it, but may write what is in its place.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod indices;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon;
pub(super) mod repeat;
mod single;
mod small_tables;
#[cfg(test)]
mod tests;

use super::cache::Cache;
use super::copy::{Mover, Rows, by_width};
use super::prefetch;
use super::processor::habits;
use super::rows::{self, Way};
use super::shuffled::Places;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon")
))]
use crate::level::Kind;
use crate::level::Level;
use crate::shuffle::Shuffle;
use core::mem::MaybeUninit;
use core::ops::Range;
pub(super) use indices::{ASKED, BLOCK, FAR_TABLE, Index, Indices};
use single::{Found, as_read, asked_first, in_turn};
pub(super) use single::{Picked, alone};
use small_tables::{MOST_ENTRIES, pays, threes, widen};

/// At most this many rows of half a line and more need no blocks, if they are near, or not wider than those that are fetched ahead.
const FEW: usize = 8;

/// Narrower rows come several out of one line: looking ahead costs more than it gains.
pub(super) const LEAST_AHEAD: usize = 32;

/// Moves `rows`, each from where the next index points. `false`: an index lies outside its axis, and the rows hold anything.
///
/// # Safety
/// As [`copy::run`](super::copy::run), for each of the runs whose index lies in the axis; the indices lie in the table.
#[inline]
pub(super) unsafe fn run<I: Index>(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: Indices<I>,
) -> bool {
    // SAFETY: by the contract of this function; what a vector loop leaves over is the end of the same rows.
    unsafe {
        if are_few(&rows) {
            let picked = Picked {
                dst,
                src,
                rows,
                indices,
                ahead: 0,
            };
            return match rows::go_by_width(&rows) {
                true => by_width!(rows.bytes, alone(picked)),
                false => as_read(picked, |to, from| rows::one(level, to, from, rows.bytes)),
            };
        }
        match rows.bytes < LEAST_AHEAD && rows.src_stride == 0 && !indices.are_neighbours() {
            true => scattered(level, dst, src, rows, &indices),
            false => many(level, dst, src, rows, &indices),
        }
    }
}

/// Narrow rows whose indices are no neighbours, block by block as if they were.
///
/// # Safety
/// As [`run`]; the source stands still.
#[inline(never)]
unsafe fn scattered<I: Index>(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> bool {
    let mut room = [const { MaybeUninit::uninit() }; BLOCK];
    (0..rows.count).step_by(BLOCK).all(|done| {
        let count = BLOCK.min(rows.count - done);
        let to = dst.wrapping_offset(done as isize * rows.dst_stride);
        // SAFETY: by the contract of this function, for the rows of the block.
        unsafe {
            let indices = indices.from(done).as_neighbours(count, &mut room);
            many(level, to, src, Rows { count, ..rows }, &indices)
        }
    })
}

/// Rows that are more than a few: by vectors as far as they go, the rest in blocks.
///
/// # Safety
/// As [`run`].
#[inline]
unsafe fn many<I: Index>(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> bool {
    // SAFETY: by the contract of this function; what a vector loop leaves over is the end of the same rows.
    unsafe {
        let Some(done) = vectors(level, dst, src, rows, indices) else {
            return false;
        };
        let rest = Rows {
            count: rows.count - done,
            ..rows
        };
        let indices = indices.from(done);
        let dst = dst.wrapping_offset(done as isize * rows.dst_stride);
        let src = src.wrapping_offset(done as isize * rows.src_stride);
        blocks(level, dst, src, rest, &indices)
    }
}

/// Whether rows move one by one, each when its index has been read: narrow ones unless vectors could ask for them at once.
fn are_few(rows: &Rows) -> bool {
    match rows.bytes {
        ..LEAST_AHEAD => rows.count < ASKED,
        bytes => rows.count <= FEW && (rows.cache == Cache::Near || bytes == LEAST_AHEAD),
    }
}

/// Rows that vectors move whole: how many, or none where an index lies outside.
///
/// # Safety
/// As [`run`].
#[inline]
unsafe fn vectors<I: Index>(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> Option<usize> {
    if !rows.touch() || !indices.are_packed(rows.src_stride) {
        return Some(0);
    }
    // SAFETY: by the contract of this function.
    unsafe {
        match (level.kind(), rows.bytes) {
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx512, 1..=4) if pays(&rows, indices, small_tables::PLANE) => {
                avx512::planes(dst, src, rows, indices)
            }
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            (Kind::Neon, bytes @ 1..=4) if pays(&rows, indices, neon::in_registers(bytes)) => {
                neon::planes(dst, src, rows, indices)
            }
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx512, bytes @ (1..=4 | 8)) if habits().has_quick_gathers => match bytes {
                4 | 8 => avx512::words(dst, src, rows, indices),
                _ => avx512::narrow(dst, src, rows, indices),
            },
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx2 | Kind::Avx512, _) if avx2::takes(&rows, indices) => {
                avx2::run(dst, src, rows, indices)
            }
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx2 | Kind::Avx512, 3) if pays(&rows, indices, MOST_ENTRIES) => {
                avx2::threes(dst, src, rows, indices)
            }
            (_, 3) if pays(&rows, indices, MOST_ENTRIES) => widened(level, dst, src, rows, indices),
            _ => Some(0),
        }
    }
}

/// Packed entries of three bytes, all but the last, through a table of a word an entry. Gives how many are done.
///
/// # Safety
/// As [`run`]; rows are packed, and [`pays`] holds for [`MOST_ENTRIES`].
unsafe fn widened<I: Index>(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> Option<usize> {
    let count = rows.count - 1;
    // SAFETY: the entries of the table are those of the source; four bytes from each row but the last on lie within the result.
    unsafe {
        let mut table = [MaybeUninit::uninit(); MOST_ENTRIES];
        widen(&mut table, src, [0, 1, 2], indices);
        let indices = Indices {
            scale: 4,
            ..*indices
        };
        // Nothing is looked ahead to: each block has the places of its own rows alone.
        let rows = Rows { count, ..rows };
        let moved = each_block(level, rows, &indices, 0, |done, _, places| {
            threes(dst.add(done * 3), table.as_ptr().cast(), places);
        });
        moved.then_some(count)
    }
}

/// The same rows; where rows of far tables are fetched by the dozen, what they read is in no near cache, wherever the result is.
fn out_of_table<I: Index>(rows: Rows, indices: &Indices<I>) -> Rows {
    match rows.cache {
        Cache::Near | Cache::Second
            if habits().finds_half_lines().is_some() && indices.is_far() =>
        {
            Rows {
                cache: Cache::Far,
                ..rows
            }
        }
        _ => rows,
    }
}

/// How many rows ahead of the one that moves to fetch, for rows of `bytes` bytes.
pub(super) fn looked_ahead(cache: Cache, bytes: usize) -> usize {
    match bytes {
        _ if cache == Cache::Near => 0,
        ..LEAST_AHEAD => 0,
        bytes => rows::ahead(bytes),
    }
}

/// # Safety
/// As [`run`].
unsafe fn blocks<I: Index>(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> bool {
    let rows = out_of_table(rows, indices);
    let ahead = looked_ahead(rows.cache, rows.bytes);
    let picked = |ahead| Picked {
        dst,
        src,
        rows,
        indices: *indices,
        ahead,
    };
    // SAFETY: by the contract of this function.
    unsafe {
        match Found::of(&rows, indices, ahead) {
            Found::AskedFirst { ahead } => {
                return by_width!(rows.bytes, asked_first(level, picked(ahead)));
            }
            Found::InTurn { ahead } => {
                return by_width!(rows.bytes, in_turn(level, picked(ahead)));
            }
            Found::Alone => return by_width!(rows.bytes, alone(picked(0))),
            Found::InBlocks => {}
        }
        each_block(level, rows, indices, ahead, |done, count, places| {
            let to = dst.wrapping_offset(done as isize * rows.dst_stride);
            block(level, to, src, Rows { count, ..rows }, places, ahead);
        })
    }
}

/// Moves `rows` that are periods of a pattern, each from where the next index points. `false`: an index lies outside its axis; no row of
/// its block has moved.
///
/// # Safety
/// As [`Shuffle::rows_from`], for each of the rows whose index lies in the axis; the indices lie in the table.
pub(super) unsafe fn run_periods<I: Index>(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: Indices<I>,
    (shuffle, periods): (&Shuffle, usize),
    operand: Range<*const u8>,
) -> bool {
    // SAFETY: by the contract of this function.
    if let Some(moved) = unsafe { run_ordered(level, dst, src, rows, &indices, shuffle) } {
        return moved;
    }
    let rows = out_of_table(rows, &indices);
    let ahead = looked_ahead(rows.cache, shuffle.pattern().span(periods));
    // SAFETY: by the contract of this function.
    unsafe {
        each_block(level, rows, &indices, ahead, |done, count, places| {
            let to = dst.wrapping_offset(done as isize * rows.dst_stride);
            let rows = Rows { count, ..rows };
            let places = Places {
                each: places,
                to: None,
                ahead,
            };
            shuffle.rows_from(level, to, src, rows, places, operand.clone());
        })
    }
}

/// Moves such rows of up to four bytes out of a small table, put in order once for each entry: then the rows are runs of bytes. `None`, and
/// nothing is moved, for others. `Some(false)`: an index lies outside its axis.
///
/// # Safety
/// As [`run_periods`].
unsafe fn run_ordered<I: Index>(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
    shuffle: &Shuffle,
) -> Option<bool> {
    if rows.bytes > 4 || rows.src_stride != 0 || !pays(&rows, indices, MOST_ENTRIES) {
        return None;
    }
    let mut offsets = [0; 4];
    let places = shuffle.pattern().places();
    offsets
        .iter_mut()
        .zip(places)
        .for_each(|(to, place)| *to = place);
    let [a, b, c, d] = offsets;
    let mut table = [MaybeUninit::uninit(); MOST_ENTRIES];
    // SAFETY: by the contract of this function all bytes of each entry of the axis lie in the source; the entries of the table are those of
    // the axis.
    unsafe {
        match rows.bytes {
            1 => widen(&mut table, src, [a], indices),
            2 => widen(&mut table, src, [a, b], indices),
            3 => widen(&mut table, src, [a, b, c], indices),
            _ => widen(&mut table, src, [a, b, c, d], indices),
        }
        let indices = Indices {
            scale: 4,
            ..*indices
        };
        Some(run(level, dst, table.as_ptr().cast(), rows, indices))
    }
}

/// Calls `block` with the number of rows that have moved, of those that move now, and the places of these and of `ahead` more, as far as
/// there are. `false`: an index lies outside its axis.
///
/// # Safety
/// The indices lie in the table.
#[inline(always)]
unsafe fn each_block<I: Index>(
    level: Level,
    rows: Rows,
    indices: &Indices<I>,
    ahead: usize,
    block: impl Fn(usize, usize, &[isize]),
) -> bool {
    let mut places = [const { MaybeUninit::uninit() }; BLOCK + rows::MOST_AHEAD];
    // Rows that have moved, and how many of those after them have their places already.
    let (mut done, mut known) = (0, 0);
    while done < rows.count {
        let fresh = BLOCK.min(rows.count - done - known);
        let (first, new) = (done + known, &mut places[known..known + fresh]);
        known += fresh;
        // What is looked ahead to waits for the next block.
        let count = if done + known == rows.count {
            known
        } else {
            known - ahead
        };
        // SAFETY: by the contract of this function; the first `known` places are written, and their indices lie in the axis.
        unsafe {
            if !indices.places(level, first, rows.src_stride, new) {
                return false;
            }
            block(
                done,
                count,
                &*(&raw const places[..known] as *const [isize]),
            );
        }
        places.copy_within(count..known, 0);
        done += count;
        known -= count;
    }
    true
}

/// Moves `rows.count` rows at their distance, each from the next of the places; rows so many places `ahead` are fetched.
///
/// # Safety
/// As [`copy::run`](super::copy::run), for each of the runs; there are as many places, in the source alone.
#[inline]
pub(super) unsafe fn block(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    each: &[isize],
    ahead: usize,
) {
    // They lie where places say, which have their distance in them.
    let rows = Rows {
        src_stride: 0,
        ..rows
    };
    // SAFETY: by the contract of this function.
    unsafe {
        if let Some(way) = Way::of(level, &rows) {
            return way.moves(level, dst, src, rows, each.len(), |k| each[k]);
        }
        by_width!(rows.bytes, pick(dst, src, rows, each, ahead));
    }
}

/// # Safety
/// As [`block`]; the mover is for `rows.bytes`.
#[inline(always)]
pub(super) unsafe fn pick(
    mover: impl Mover,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    places: &[isize],
    ahead: usize,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        match ahead {
            0 => one_by_one::<false>(mover, dst, src, rows, places, 0),
            _ => one_by_one::<true>(mover, dst, src, rows, places, ahead),
        }
    }
}

/// With `FETCH`, the first line of the row that is `ahead` is asked for, and each line before it is written.
///
/// # Safety
/// As [`pick`].
#[inline(always)]
unsafe fn one_by_one<const FETCH: bool>(
    mover: impl Mover,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    places: &[isize],
    ahead: usize,
) {
    let mut to = dst;
    for (k, &place) in places[..rows.count].iter().enumerate() {
        if FETCH && let Some(&next) = places.get(k + ahead) {
            prefetch::line(src.wrapping_offset(next));
            prefetch::next_to_write(to);
        }
        // SAFETY: this is one of the runs.
        unsafe { mover.run(to, src.wrapping_offset(place)) };
        to = to.wrapping_offset(rows.dst_stride);
    }
}
