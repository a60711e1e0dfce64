//! Look-ups of narrow entries with AVX2: some indices are tested at once and read again; if one of them is negative, and where they are few,
//! eight are wrapped, tested and scaled at once, in 32 bits, but for entries of three bytes, whose indices are wrapped before they are read
//! again. Entries are put together, so that some move by each store.
//!
//! There is no gather here: on processors where that is slower than as many loads, these moves take the place of those of AVX-512. What is
//! saved is the way of each place through 64 bits and a buffer of many; and where indices count up for a while, as in windows of samples,
//! their rows are one.

use super::indices::ASKED;
use super::{Index, Indices, small_tables};
use crate::move_::copy::{self, Rows};
use crate::move_::prefetch::{self, LEAST_OF_PAGES, PAGE};
use crate::move_::processor::habits;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

/// Bytes between the indices that are read and those that are fetched.
const AHEAD: usize = 1 << 10;

/// Fewer rows are over before it pays to ask [`ASKED`] indices at once.
const LEAST_ASKED: usize = 2 * ASKED;

/// Rows that are moved at once.
pub(super) const EIGHT: usize = 8;

/// Whether [`run`] moves such rows: their places have 32 bits.
pub(in crate::move_) fn takes<I: Index>(rows: &Rows, indices: &Indices<I>) -> bool {
    matches!(rows.bytes, 1 | 2 | 4 | 8) && indices.scale > 0 && indices.reach() <= i32::MAX as usize
}

/// Neighbouring rows of 1, 2, 4 or 8 bytes. Gives how many are done; the rest is fewer than eight. `None`: an index lies outside.
///
/// # Safety
/// As [`super::run`], for rows that it [`takes`]; the processor has AVX2; rows and indices are packed, the source stands still.
#[target_feature(enable = "avx2")]
pub(in crate::move_) unsafe fn run<I: Index>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> Option<usize> {
    // SAFETY: by the contract of this function.
    unsafe {
        match rows.bytes {
            1 => of_width::<I, 1, ASKED>(dst, src, rows, indices),
            2 => of_width::<I, 2, { 2 * ASKED }>(dst, src, rows, indices),
            4 => of_width::<I, 4, { 4 * ASKED }>(dst, src, rows, indices),
            _ => of_width::<I, 8, { 8 * ASKED }>(dst, src, rows, indices),
        }
    }
}

/// As [`run`], for rows of `N` bytes, [`ASKED`] at once: as one row of `ALL` bytes where their indices count up.
///
/// # Safety
/// As [`run`]; `ALL` is `N` times `ASKED`.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn of_width<I: Index, const N: usize, const ALL: usize>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> Option<usize> {
    let touch = indices.scale == N as isize;
    let asked = match rows.count {
        ..LEAST_ASKED => 0,
        count => count / ASKED * ASKED,
    };
    let fetched = Fetched::of(rows.count * (size_of::<I>() + N));
    let pages = |indices: &Indices<I>, to: *mut u8| {
        if indices.table.addr() % PAGE < size_of::<[I; ASKED]>() {
            prefetch::pages(indices.table.cast(), to, 1);
        }
    };
    let mut done = 0;
    // SAFETY: by the contract of this function, for the rows of each part.
    unsafe {
        while done < asked {
            let count = asked - done;
            let (to, rows) = (dst.add(done * N), Rows { count, ..rows });
            let indices = indices.from(done);
            let in_a_row = match (touch, fetched) {
                (false, _) => 0,
                (true, Fetched::None) => in_a_row::<I, N, ALL>(to, src, rows, &indices, |_, _| {}),
                (true, Fetched::Lines) => {
                    in_a_row::<I, N, ALL>(to, src, rows, &indices, |indices, _| indices.fetch())
                }
                (true, Fetched::Pages) => in_a_row::<I, N, ALL>(to, src, rows, &indices, pages),
            };
            done += match in_a_row {
                0 => apart::<I, N>(to, src, rows, &indices)?,
                rows => rows,
            };
        }
        let count = rows.count - done;
        let to = dst.add(done * N);
        let eight = |to, places| wrapped::<N>(to, src, places);
        Some(done + each_eight(to, Rows { count, ..rows }, &indices.from(done), eight)?)
    }
}

/// What is fetched before indices that count up are read.
#[derive(Clone, Copy)]
enum Fetched {
    None,
    Lines,
    Pages,
}

impl Fetched {
    /// For `bytes` bytes of indices and rows.
    fn of(bytes: usize) -> Self {
        match habits() {
            habits if !habits.outruns_caches => Self::Lines,
            habits if habits.asks_for_pages && bytes >= LEAST_OF_PAGES => Self::Pages,
            _ => Self::None,
        }
    }
}

/// The first rows, [`ASKED`] at once, as long as their indices count up; `ask` is called with the indices of each, and where their rows go.
/// Gives how many these are.
///
/// # Safety
/// As [`of_width`]; each index is worth `N` bytes.
#[target_feature(enable = "avx2")]
#[inline(never)]
unsafe fn in_a_row<I: Index, const N: usize, const ALL: usize>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
    ask: impl Fn(&Indices<I>, *mut u8),
) -> usize {
    const { assert!(ALL == N * ASKED) };
    let mut done = 0;
    // SAFETY: by the contract of this function, for the rows of each part.
    unsafe {
        while rows.count - done >= ASKED
            && let Some(place) = indices.from(done).count_up()
        {
            let to = dst.add(done * N);
            ask(&indices.from(done), to);
            copy::fixed::<ALL>(to, src.offset(place));
            done += ASKED;
        }
    }
    done
}

impl<I: Index> Indices<I> {
    /// Asks for the [`ASKED`] that come [`AHEAD`] bytes after the next ones.
    #[inline(always)]
    fn fetch(&self) {
        let ahead = self.table.wrapping_byte_add(AHEAD);
        for line in (0..ASKED).step_by(64 / size_of::<I>()) {
            prefetch::line(ahead.wrapping_add(line).cast());
        }
    }

    /// Whether the last of [`ASKED`] neighbouring indices is as much larger than the first as if they counted up.
    ///
    /// # Safety
    /// They lie in the table, which is packed.
    #[inline(always)]
    unsafe fn seem_to_count_up(&self) -> bool {
        // SAFETY: by the contract of this function; at any alignment.
        let index = |k: usize| -> i64 { unsafe { self.table.add(k).read_unaligned() }.into() };
        index(ASKED - 1).wrapping_sub(index(0)) == ASKED as i64 - 1
    }

    /// The place of the first of [`ASKED`] neighbouring indices that count up within the axis; `None` for others, most of which are told by
    /// the last alone.
    ///
    /// # Safety
    /// They lie in the table, which is packed; the processor has AVX2.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn count_up(&self) -> Option<isize> {
        // SAFETY: by the contract of this function; at any alignment.
        let first: i64 = unsafe { self.table.read_unaligned() }.into();
        let last = first.wrapping_add(ASKED as i64 - 1);
        let axis = match first {
            ..0 => -self.size..0,
            0.. => 0..self.size,
        };
        // SAFETY: by the contract of this function.
        let counts_up = unsafe { self.seem_to_count_up() && counts_up(self.table, first) };
        (counts_up && axis.contains(&first) && axis.contains(&last)).then(|| self.place(first).0)
    }
}

/// Whether [`ASKED`] neighbouring indices count up from `first`.
///
/// # Safety
/// They are readable; the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn counts_up<I: Index>(table: *const I, first: i64) -> bool {
    let mut same = _mm256_set1_epi32(-1);
    // SAFETY: by the contract of this function.
    let load = |k: usize| unsafe { _mm256_loadu_si256(table.add(k).cast()) };
    if size_of::<I>() == 4 {
        #[expect(clippy::cast_possible_truncation, reason = "it is one of them")]
        let first = _mm256_set1_epi32(first as i32);
        let mut next = _mm256_add_epi32(first, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        for k in (0..ASKED).step_by(8) {
            same = _mm256_and_si256(same, _mm256_cmpeq_epi32(load(k), next));
            next = _mm256_add_epi32(next, _mm256_set1_epi32(8));
        }
    } else {
        let first = _mm256_set1_epi64x(first);
        let mut next = _mm256_add_epi64(first, _mm256_setr_epi64x(0, 1, 2, 3));
        for k in (0..ASKED).step_by(4) {
            same = _mm256_and_si256(same, _mm256_cmpeq_epi64(load(k), next));
            next = _mm256_add_epi64(next, _mm256_set1_epi64x(4));
        }
    }
    _mm256_movemask_epi8(same) == -1
}

/// As [`run`], [`ASKED`] rows at once, up to those whose indices seem to count up. Where none of them is outside or negative, each index is
/// read once more and its row moved, which takes half the instructions that it takes to part a vector of places.
///
/// # Safety
/// As [`run`], for [`ASKED`] rows of `N` bytes or more.
#[target_feature(enable = "avx2")]
#[inline(never)]
unsafe fn apart<I: Index, const N: usize>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> Option<usize> {
    let touch = indices.scale == N as isize;
    let mut done = 0;
    // SAFETY: by the contract of this function, for the rows of each part.
    unsafe {
        loop {
            let (to, some) = (dst.add(done * N), indices.from(done));
            if some.count_from_start_avx2(some.size) {
                match touch {
                    true => from_start::<I, N, true>(to, src, some),
                    false => from_start::<I, N, false>(to, src, some),
                }
            } else {
                let count = ASKED;
                let eight = |to, places| wrapped::<N>(to, src, places);
                each_eight(to, Rows { count, ..rows }, &some, eight)?;
            }
            done += ASKED;
            if rows.count - done < ASKED || (touch && indices.from(done).seem_to_count_up()) {
                return Some(done);
            }
        }
    }
}

/// [`ASKED`] rows of `N` bytes; with `TOUCH`, each index is worth as many, a scale that the compiler knows.
///
/// # Safety
/// As [`apart`], for indices that count from the start of the axis.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn from_start<I: Index, const N: usize, const TOUCH: bool>(
    dst: *mut u8,
    src: *const u8,
    mut indices: Indices<I>,
) {
    if TOUCH {
        indices.scale = N as isize;
    }
    for k in (0..ASKED).step_by(EIGHT) {
        // SAFETY: by the contract of this function.
        unsafe {
            let places = [0, 2, 4, 6].map(|two| indices.two_from_start(k + two));
            let from = core::array::from_fn(|k| src.offset(places[k / 2][k % 2]));
            eight_of::<N>(dst.add(N * k), from);
        }
    }
}

/// Neighbouring rows of three bytes of a small table, through one of a word an entry. Gives how many are done; the rest is fewer than
/// eight. `None`: an index lies outside.
///
/// # Safety
/// As [`run`] but for the bytes of a row, with at most [`small_tables::MOST_ENTRIES`] entries.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn threes<I: Index>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: &Indices<I>,
) -> Option<usize> {
    // A pair writes two bytes of the row that comes next, so one is left.
    let asked = rows.count.saturating_sub(1) / ASKED * ASKED;
    let fetched = !habits().outruns_caches;
    // SAFETY: by the contract of this function; the entries of the table are those of the source, and a row follows those of pairs.
    unsafe {
        let mut room = [const { MaybeUninit::uninit() }; ASKED];
        let mut table = [MaybeUninit::uninit(); small_tables::MOST_ENTRIES];
        small_tables::widen(&mut table, src, [0, 1, 2], indices);
        for done in (0..asked).step_by(ASKED) {
            let (to, some) = (dst.add(3 * done), indices.from(done));
            if fetched {
                some.fetch();
            }
            let counted = match some.count_from_start_avx2(some.size) {
                true => Some(some),
                false => some.wrapped_avx2(&mut room),
            };
            match counted {
                Some(some) => pairs_of_three(to, &table, &some),
                None => {
                    let count = ASKED;
                    eights_of_three(to, &table, Rows { count, ..rows }, &some)?;
                }
            }
        }
        let count = rows.count - asked;
        let to = dst.add(3 * asked);
        let rest = eights_of_three(to, &table, Rows { count, ..rows }, &indices.from(asked))?;
        Some(asked + rest)
    }
}

/// [`ASKED`] rows, two by each store.
///
/// # Safety
/// Their indices lie in the table, which is packed, and count from the start of the axis; the rows and one more are writable.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn pairs_of_three<I: Index>(
    dst: *mut u8,
    table: &small_tables::Words,
    indices: &Indices<I>,
) {
    let numbers = Indices {
        scale: 1,
        ..*indices
    };
    for k in (0..ASKED).step_by(2) {
        // SAFETY: by the contract of this function; such indices lie in the axis (I3), and the table has a word for each of its entries.
        unsafe {
            let word = |at: isize| u64::from(table.get_unchecked(at as usize).assume_init());
            let [low, high] = numbers.two_from_start(k).map(word);
            dst.add(3 * k)
                .cast::<u64>()
                .write_unaligned(low | high << 24);
        }
    }
}

/// As [`threes`], of a table of words.
///
/// # Safety
/// As [`threes`]; the table has a word for each entry.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn eights_of_three<I: Index>(
    dst: *mut u8,
    table: &small_tables::Words,
    rows: Rows,
    indices: &Indices<I>,
) -> Option<usize> {
    let table = table.as_ptr().cast();
    let words = Indices {
        scale: 4,
        ..*indices
    };
    // SAFETY: by the contract of this function.
    unsafe {
        each_eight(dst, rows, &words, |to, places| {
            let (fours, _) = places.as_chunks::<4>();
            for (k, four) in fours.iter().enumerate() {
                let four = four.map(|place| place as isize);
                small_tables::four_of_three(to.add(12 * k), table, four);
            }
        })
    }
}

/// Calls `move_` with the destination and the places of each eight rows. Gives how many rows these are; `None`: an index lies outside, and
/// no row of its eight has moved.
///
/// # Safety
/// The indices lie in the table, which is packed; the processor has AVX2; rows are packed, and places have 32 bits.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn each_eight<I: Index>(
    dst: *mut u8,
    rows: Rows,
    indices: &Indices<I>,
    move_: impl Fn(*mut u8, [u32; EIGHT]),
) -> Option<usize> {
    #[expect(clippy::cast_possible_truncation, reason = "places have 32 bits")]
    let (size, scale) = (indices.size as i32, indices.scale as i32);
    let (size, scale) = (_mm256_set1_epi32(size), _mm256_set1_epi32(scale));
    let whole = rows.count / EIGHT * EIGHT;
    for k in (0..whole).step_by(EIGHT) {
        // SAFETY: by the contract of this function, for eight indices from `k` on.
        let (index, known) = unsafe { eight(indices.table.wrapping_add(k)) };
        let negative = _mm256_srai_epi32::<31>(index);
        let wrapped = _mm256_add_epi32(index, _mm256_and_si256(negative, size));
        // What is still below zero is a large number without a sign.
        let outside = _mm256_cmpeq_epi32(_mm256_max_epu32(wrapped, size), wrapped);
        let inside = _mm256_andnot_si256(outside, known);
        if _mm256_movemask_epi8(inside) != -1 {
            return None;
        }
        let places = separate(_mm256_mullo_epi32(wrapped, scale));
        move_(dst.wrapping_add(k * rows.bytes), places);
    }
    Some(whole)
}

/// Eight neighbouring indices as 32 bits, and which of them have no more.
///
/// # Safety
/// They are readable; the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn eight<I: Index>(table: *const I) -> (__m256i, __m256i) {
    // SAFETY: by the contract of this function.
    unsafe {
        if size_of::<I>() == 4 {
            return (_mm256_loadu_si256(table.cast()), _mm256_set1_epi32(-1));
        }
        let half = |k| _mm256_castsi256_ps(_mm256_loadu_si256(table.add(k).cast()));
        let (first, second) = (half(0), half(4));
        let low = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(first, second));
        let high = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(first, second));
        let known = _mm256_cmpeq_epi32(high, _mm256_srai_epi32::<31>(low));
        // Two of the first four, two of the second, then the others of each.
        let in_order = |halves| _mm256_permute4x64_epi64::<0b11_01_10_00>(halves);
        (in_order(low), in_order(known))
    }
}

/// The words of a vector.
#[target_feature(enable = "avx2")]
#[inline]
fn separate(vector: __m256i) -> [u32; EIGHT] {
    let twos = [
        _mm256_extract_epi64::<0>(vector),
        _mm256_extract_epi64::<1>(vector),
        _mm256_extract_epi64::<2>(vector),
        _mm256_extract_epi64::<3>(vector),
    ];
    #[expect(clippy::cast_possible_truncation, reason = "half of it at a time")]
    core::array::from_fn(|k| (twos[k / 2] >> (k % 2 * 32)) as u32)
}

/// Eight rows of `N` bytes from places that are counted from `src`.
///
/// # Safety
/// As [`eight_of`].
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn wrapped<const N: usize>(to: *mut u8, src: *const u8, places: [u32; EIGHT]) {
    let from = places.map(|place| src.wrapping_add(place as usize));
    // SAFETY: by the contract of this function.
    unsafe { eight_of::<N>(to, from) };
}

/// Eight rows of `N` bytes, 1, 2, 4 or 8, some of them by each store.
///
/// # Safety
/// `N` bytes are readable at each of the places, and as many times eight are writable at `to`.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn eight_of<const N: usize>(to: *mut u8, from: [*const u8; EIGHT]) {
    // SAFETY: by the contract of this function.
    unsafe {
        match N {
            1 => bytes(to, from),
            2 => halves(to, from),
            4 => words(to, from),
            _ => doubles(to, from),
        }
    }
}

/// # Safety
/// A byte is readable at each of the places, and as many are writable at `to`.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn bytes(to: *mut u8, from: [*const u8; EIGHT]) {
    // SAFETY: by the contract of this function.
    unsafe {
        let [a, b, c, d, e, f, g, h] = from.map(|from| from.cast::<i8>().read());
        let eight = _mm_setr_epi8(a, b, c, d, e, f, g, h, 0, 0, 0, 0, 0, 0, 0, 0);
        _mm_storel_epi64(to.cast(), eight);
    }
}

/// # Safety
/// As [`bytes`], of two.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn halves(to: *mut u8, from: [*const u8; EIGHT]) {
    // SAFETY: by the contract of this function; at any alignment.
    unsafe {
        let [a, b, c, d, e, f, g, h] = from.map(|from| from.cast::<i16>().read_unaligned());
        _mm_storeu_si128(to.cast(), _mm_setr_epi16(a, b, c, d, e, f, g, h));
    }
}

/// # Safety
/// As [`bytes`], of four.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn words(to: *mut u8, from: [*const u8; EIGHT]) {
    // SAFETY: by the contract of this function; at any alignment.
    unsafe {
        let [a, b, c, d, e, f, g, h] = from.map(|from| from.cast::<i32>().read_unaligned());
        _mm_storeu_si128(to.cast(), _mm_setr_epi32(a, b, c, d));
        _mm_storeu_si128(to.add(16).cast(), _mm_setr_epi32(e, f, g, h));
    }
}

/// # Safety
/// As [`bytes`], of eight.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn doubles(to: *mut u8, from: [*const u8; EIGHT]) {
    // SAFETY: by the contract of this function; at any alignment.
    unsafe {
        for k in [0, 2, 4, 6] {
            let (low, high) = (
                _mm_loadl_epi64(from[k].cast()),
                _mm_loadl_epi64(from[k + 1].cast()),
            );
            _mm_storeu_si128(to.add(8 * k).cast(), _mm_unpacklo_epi64(low, high));
        }
    }
}
