//! Rows where indices point.
//!
//! Indices are turned into places block by block, ahead of the rows that move: wrapped, tested, and scaled to bytes in one loop without
//! a branch, which the compiler vectorises at each level. So a row costs a load, a load and a store, the processor can be told of rows
//! some way ahead, and an index is tested while it is read anyway: no row moves before the index that points to it has passed.

use super::cache::Cache;
use super::copy::{self, Mover, Rows, by_width};
use super::level::{self, Kind, Level};
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use super::neon;
use super::rows;
use super::shuffled::Places;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::shuffle::Shuffle;
use core::mem::MaybeUninit;
use core::ops::Range;

/// Indices at constant distances, each worth `scale` bytes, of an axis of `size`.
#[derive(Clone, Copy)]
pub(super) struct Indices<I> {
    pub table: *const I,
    pub stride: isize,
    pub scale: isize,
    pub size: i64,
}

/// An index in a table.
pub(super) trait Index: Copy + Into<i64> {}
impl Index for i32 {}
impl Index for i64 {}

/// Places that are found at once.
const BLOCK: usize = 256;

/// So few rows, if they are short or near, need no blocks.
const FEW: usize = 8;

/// Narrower rows come several out of one line: looking ahead costs more than it gains.
const LEAST_AHEAD: usize = 32;

/// Rows of tables of so many bytes come from the last cache or from memory: as many as can be have to be on their way at any time.
const FAR_TABLE: usize = 16 << 20;

impl<I: Index> Indices<I> {
    /// Bytes of the source that the axis spans.
    pub(super) fn reach(&self) -> usize {
        (self.size as usize).saturating_mul(self.scale.unsigned_abs())
    }

    /// Whether rows are moved in turn with their indices. A processor without AVX-512 took a sixth longer for it than for blocks.
    fn is_far(&self) -> bool {
        self.reach() >= FAR_TABLE && !level::is_without_avx512()
    }

    /// The place that an index is worth; `None`: it lies outside the axis.
    #[inline(always)]
    fn place(&self, index: i64) -> Option<isize> {
        let wrapped = index + (index >> 63 & self.size);
        let inside = (0..self.size).contains(&wrapped);
        inside.then(|| (wrapped as isize).wrapping_mul(self.scale))
    }

    /// The places of rows `first..`, one for each of `places`, and whether all indices lie in the axis.
    ///
    /// # Safety
    /// As many indices lie in the table; the processor has the instructions of `level`.
    pub(super) unsafe fn places(
        &self,
        level: Level,
        first: usize,
        src_stride: isize,
        places: &mut [MaybeUninit<isize>],
    ) -> bool {
        // SAFETY: by the contract of this function; holding `level` is the proof that the processor has its instructions.
        unsafe {
            match level.kind() {
                #[cfg(target_arch = "x86_64")]
                Kind::Avx512 => self.places_avx512(first, src_stride, places),
                #[cfg(target_arch = "x86_64")]
                Kind::Avx2 => self.places_avx2(first, src_stride, places),
                // Part of what the crate is compiled for.
                #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
                Kind::Neon => self.places_any(first, src_stride, places),
                Kind::Scalar => self.places_any(first, src_stride, places),
            }
        }
    }

    /// # Safety
    /// As [`Indices::places`]; the processor has AVX-512 F, VL and DQ.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512vl,avx512dq")]
    unsafe fn places_avx512(
        &self,
        first: usize,
        src_stride: isize,
        places: &mut [MaybeUninit<isize>],
    ) -> bool {
        // SAFETY: by the contract of this function.
        unsafe { self.places_any(first, src_stride, places) }
    }

    /// # Safety
    /// As [`Indices::places`]; the processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn places_avx2(
        &self,
        first: usize,
        src_stride: isize,
        places: &mut [MaybeUninit<isize>],
    ) -> bool {
        // SAFETY: by the contract of this function.
        unsafe { self.places_any(first, src_stride, places) }
    }

    /// # Safety
    /// As [`Indices::places`].
    #[inline(always)]
    unsafe fn places_any(
        &self,
        first: usize,
        src_stride: isize,
        places: &mut [MaybeUninit<isize>],
    ) -> bool {
        // Loops of their own for neighbours, which vectors can load, and for shifts, which they do quicker than products.
        let neighbours = size_of::<I>() as isize;
        let (scale, shift) = (self.scale, self.scale.trailing_zeros() % isize::BITS);
        // SAFETY: by the contract of this function.
        unsafe {
            if (self.stride, src_stride) != (neighbours, 0) {
                let place = |row, index: isize| {
                    index
                        .wrapping_mul(scale)
                        .wrapping_add(row as isize * src_stride)
                };
                self.places_by(self.stride, first, place, places)
            } else if scale == 1 << shift {
                self.places_by(neighbours, first, |_, index| index << shift, places)
            } else {
                let place = |_, index: isize| index.wrapping_mul(scale);
                self.places_by(neighbours, first, place, places)
            }
        }
    }

    /// # Safety
    /// As [`Indices::places`]; `stride` is that of the table, `place` gives the place of a row with a wrapped index.
    #[inline(always)]
    unsafe fn places_by(
        &self,
        stride: isize,
        first: usize,
        place: impl Fn(usize, isize) -> isize,
        places: &mut [MaybeUninit<isize>],
    ) -> bool {
        let table = self.table.wrapping_byte_offset(first as isize * stride);
        let last = self.size - 1;
        // The sign says whether any is outside: below zero once wrapped, or beyond the last.
        let mut outside = 0;
        for (k, to) in places.iter_mut().enumerate() {
            let at = table.wrapping_byte_offset(k as isize * stride);
            // SAFETY: by the contract of this function; one of the type lies there, at any alignment.
            let index: i64 = unsafe { at.read_unaligned() }.into();
            let wrapped = index + (index >> 63 & self.size);
            outside |= wrapped | last.wrapping_sub(wrapped);
            to.write(place(first + k, wrapped as isize));
        }
        outside >= 0
    }
}

/// Moves `rows`, each from where the next index points. `false`: an index lies outside its axis; no row of its block has moved.
///
/// # Safety
/// As [`copy::run`], for each of the runs whose index lies in the axis; the indices lie in the table.
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
        if rows.count <= FEW && (rows.cache == Cache::Near || rows.bytes <= LEAST_AHEAD) {
            return few(level, dst, src, rows, &indices);
        }
        let Some(done) = vectors(level, dst, src, rows, &indices) else {
            return false;
        };
        let rest = Rows {
            count: rows.count - done,
            ..rows
        };
        let indices = Indices {
            table: indices
                .table
                .wrapping_byte_offset(done as isize * indices.stride),
            ..indices
        };
        let dst = dst.wrapping_offset(done as isize * rows.dst_stride);
        let src = src.wrapping_offset(done as isize * rows.src_stride);
        blocks(level, dst, src, rest, &indices)
    }
}

/// Moves few rows, each when its index has been read: they are over before blocks would have been set up.
///
/// # Safety
/// As [`run`].
#[inline]
unsafe fn few<I: Index>(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> bool {
    let (mut to, mut from, mut at) = (dst, src, indices.table);
    for _ in 0..rows.count {
        // SAFETY: by the contract of `run`; an index of the type lies there, at any alignment, and the row moves only if it lies in its
        // axis.
        unsafe {
            let Some(place) = indices.place(at.read_unaligned().into()) else {
                return false;
            };
            rows::one(level, to, from.wrapping_offset(place), rows.bytes);
        }
        to = to.wrapping_offset(rows.dst_stride);
        from = from.wrapping_offset(rows.src_stride);
        at = at.wrapping_byte_offset(indices.stride);
    }
    true
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
    let packed = rows.dst_stride == rows.bytes as isize
        && indices.stride == size_of::<I>() as isize
        && rows.src_stride == 0;
    if !packed {
        return Some(0);
    }
    // SAFETY: by the contract of this function.
    unsafe {
        match (level.kind(), rows.bytes) {
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx512, 1..=4) if pays(&rows, indices, PLANE) => {
                avx512::planes(dst, src, rows, indices)
            }
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            (Kind::Neon, bytes @ 1..=4) if pays(&rows, indices, neon::in_registers(bytes)) => {
                neon::planes(dst, src, rows, indices)
            }
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx512, 4 | 8) => avx512::words(dst, src, rows, indices),
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx512, 1..=3) if pays(&rows, indices, MOST_ENTRIES) => {
                avx512::narrow(dst, src, rows, indices)
            }
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx2, _) if avx2::takes(&rows, indices) => avx2::run(dst, src, rows, indices),
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx2, 3) if pays(&rows, indices, MOST_ENTRIES) => {
                avx2::threes(dst, src, rows, indices)
            }
            (_, 3) if pays(&rows, indices, MOST_ENTRIES) => widened(level, dst, src, rows, indices),
            _ => Some(0),
        }
    }
}

/// Entries of a table that is widened to one word an entry, at most: 16 KiB on the stack.
pub(super) const MOST_ENTRIES: usize = 4096;

/// Fewer look-ups do not pay for another form of the table.
const LEAST_ROWS: usize = 2048;

/// Whether a table is so small, and look-ups are so many, that another form of it costs nothing.
fn pays<I>(rows: &Rows, indices: &Indices<I>, most: usize) -> bool {
    let entries = usize::try_from(indices.size).unwrap_or(usize::MAX);
    entries <= most && rows.count >= LEAST_ROWS && rows.count / 4 >= entries
}

/// Entries of a plane: as many as a byte names.
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon")
))]
pub(super) const PLANE: usize = 256;

/// A table as planes: the first bytes of its entries, the second ones, and so on.
///
/// # Safety
/// The entries lie in the source and have `N` bytes; there are at most [`PLANE`].
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon")
))]
#[inline]
pub(super) unsafe fn planes<const N: usize, I>(
    src: *const u8,
    indices: &Indices<I>,
) -> [[u8; PLANE]; N] {
    let mut planes = [[0; PLANE]; N];
    for entry in 0..indices.size as usize {
        for (n, plane) in planes.iter_mut().enumerate() {
            // SAFETY: by the contract of this function.
            plane[entry] = unsafe { src.offset(entry as isize * indices.scale).add(n).read() };
        }
    }
    planes
}

/// A table of one word an entry.
///
/// # Safety
/// The entries lie in the source and have at most four bytes; [`pays`] holds for [`MOST_ENTRIES`].
pub(super) unsafe fn words<I>(
    src: *const u8,
    rows: &Rows,
    indices: &Indices<I>,
) -> [u32; MOST_ENTRIES] {
    let mut table = [0; MOST_ENTRIES];
    for (entry, word) in table.iter_mut().enumerate().take(indices.size as usize) {
        let mut bytes = [0; 4];
        let from = src.wrapping_offset(entry as isize * indices.scale);
        // SAFETY: by the contract of this function.
        unsafe { copy::run(bytes.as_mut_ptr(), from, rows.bytes) };
        *word = u32::from_ne_bytes(bytes);
    }
    table
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
        let table = words(src, &rows, indices);
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

/// Rows of three bytes out of words whose fourth byte is 0; what is left of four, each by a word.
///
/// # Safety
/// A word is readable at each of the places, and one more byte than the rows have is writable.
unsafe fn threes(dst: *mut u8, src: *const u8, places: &[isize]) {
    let (fours, rest) = places.as_chunks::<4>();
    let mut to = dst;
    // SAFETY: by the contract of this function.
    unsafe {
        for &four in fours {
            four_of_three(to, src, four);
            to = to.wrapping_add(12);
        }
        for &place in rest {
            copy::fixed::<4>(to, src.wrapping_offset(place));
            to = to.wrapping_add(3);
        }
    }
}

/// Four of them, by two stores.
///
/// # Safety
/// A word is readable at each of the places, and the rows are writable.
#[inline(always)]
pub(super) unsafe fn four_of_three(dst: *mut u8, src: *const u8, places: [isize; 4]) {
    // SAFETY: by the contract of this function; at any alignment.
    unsafe {
        let word = |place| src.wrapping_offset(place).cast::<u32>().read_unaligned();
        let [a, b, c, d] = places.map(|place| u64::from(word(place).to_le()));
        let (low, high) = (a | b << 24 | c << 48, (c >> 16 | d << 8) as u32);
        dst.cast::<u64>().write_unaligned(low.to_le());
        dst.add(8).cast::<u32>().write_unaligned(high.to_le());
    }
}

/// How many rows of so many bytes ahead of the one that moves to fetch.
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
    let ahead = looked_ahead(rows.cache, rows.bytes);
    // SAFETY: by the contract of this function.
    unsafe {
        if ahead > 0 && indices.is_far() && !rows::takes(level, &rows) {
            return by_width!(rows.bytes, in_turn(dst, src, rows, indices, ahead));
        }
        each_block(level, rows, indices, ahead, |done, count, places| {
            let to = dst.wrapping_offset(done as isize * rows.dst_stride);
            let places = Places {
                each: places,
                to: None,
                ahead,
            };
            block(level, to, src, Rows { count, ..rows }, places);
        })
    }
}

/// Moves rows out of a far table, fetched `ahead`, each index read just before its row is asked for: while a block of them were turned
/// into places, nothing would be on its way. `false`: an index lies outside its axis; its row has not moved.
///
/// # Safety
/// As [`run`]; the mover is for `rows.bytes`.
#[inline(never)]
unsafe fn in_turn<I: Index>(
    mover: impl Mover,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
    ahead: usize,
) -> bool {
    const RING: usize = rows::MOST_AHEAD;
    let mut froms = [src; RING];
    let (mut at, mut row) = (indices.table, src);
    let mut next = |fetched: usize, froms: &mut [*const u8; RING]| {
        // SAFETY: by the contract of this function, for as many indices as there are rows; at any alignment.
        let index: i64 = unsafe { at.read_unaligned() }.into();
        let wrapped = index + (index >> 63 & indices.size);
        let from = row.wrapping_offset((wrapped as isize).wrapping_mul(indices.scale));
        copy::prefetch(from, rows.bytes);
        froms[fetched % RING] = from;
        at = at.wrapping_byte_offset(indices.stride);
        row = row.wrapping_offset(rows.src_stride);
        (wrapped as u64) < indices.size as u64
    };
    let ahead = ahead.min(RING).min(rows.count);
    for k in 0..ahead {
        if !next(k, &mut froms) {
            return false;
        }
    }
    let mut to = dst;
    for k in 0..rows.count {
        let from = froms[k % RING];
        if k + ahead < rows.count && !next(k + ahead, &mut froms) {
            return false;
        }
        rows::prefetch_write(to.wrapping_add(rows::AHEAD_WRITE));
        // SAFETY: this is one of the runs, and its index lies in the axis.
        unsafe { mover.run(to, from) };
        to = to.wrapping_offset(rows.dst_stride);
    }
    true
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
    // Rows that have moved, and how many of those behind them have their places already.
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

/// Moves `rows.count` rows, each from the next of the places.
///
/// # Safety
/// As [`copy::run`], for each of the runs; there are as many places.
#[inline]
pub(super) unsafe fn block(
    level: Level,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    places: Places<'_>,
) {
    let Places { each, ahead, .. } = places;
    // SAFETY: by the contract of this function.
    unsafe {
        if rows::takes(level, &rows) {
            return rows::moved(level, dst, src, rows, each.len(), |k| each[k]);
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

/// With `FETCH`, the row that is `ahead` is asked for, and each line before it is written.
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
            copy::prefetch(src.wrapping_offset(next), rows.bytes);
            rows::prefetch_write(to.wrapping_add(rows::AHEAD_WRITE));
        }
        // SAFETY: this is one of the runs.
        unsafe { mover.run(to, src.wrapping_offset(place)) };
        to = to.wrapping_offset(rows.dst_stride);
    }
}
