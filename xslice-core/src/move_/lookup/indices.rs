//! Indices as places of rows.

use crate::index::wrapped;
use crate::level::{Kind, Level};
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

/// Indices at constant distances, each worth `scale` bytes, of an axis of `size`.
#[derive(Clone, Copy)]
pub struct Indices<I> {
    pub table: *const I,
    pub stride: isize,
    pub scale: isize,
    pub size: i64,
}

/// An index in a table.
pub trait Index: Copy + Into<i64> {}
impl Index for i32 {}
impl Index for i64 {}

/// Indices that are asked at once.
pub const ASKED: usize = 32;

/// Indices that are turned into places, or laid side by side, at once.
pub const BLOCK: usize = 256;

/// Room for some indices that are asked at once.
pub type Asked<I> = [MaybeUninit<I>; ASKED];

/// Room for a block of indices.
pub type Neighbours<I> = [MaybeUninit<I>; BLOCK];

/// Rows of tables of this size or more come from the last cache or from memory: as many as can be have to be on their way at any time.
pub const FAR_TABLE: usize = 16 << 20;

impl<I: Index> Indices<I> {
    /// Whether indices are neighbours, of rows whose place they alone decide.
    pub fn are_packed(&self, src_stride: isize) -> bool {
        self.are_neighbours() && src_stride == 0
    }

    /// Whether each lies behind the one before it.
    pub fn are_neighbours(&self) -> bool {
        self.stride == size_of::<I>() as isize
    }

    /// The first `count` as neighbours, which vectors can load: where they are, or copied to `room`.
    ///
    /// # Safety
    /// They lie in the table; they are at most [`BLOCK`], and `room` outlives what is made of it.
    #[inline(always)]
    pub unsafe fn as_neighbours(&self, count: usize, room: &mut Neighbours<I>) -> Self {
        if self.are_neighbours() {
            return *self;
        }
        let size = size_of::<I>() as isize;
        // A loop of its own for what goes backwards, which vectors can turn around.
        // SAFETY: by the contract of this function.
        unsafe {
            match self.stride == -size {
                true => self.copied(-size, &mut room[..count]),
                false => self.copied(self.stride, &mut room[..count]),
            }
        }
        Self {
            table: room.as_ptr().cast(),
            stride: size,
            ..*self
        }
    }

    /// Copies indices that lie `stride` bytes apart.
    ///
    /// # Safety
    /// They lie in the table.
    #[inline(always)]
    unsafe fn copied(&self, stride: isize, to: &mut [MaybeUninit<I>]) {
        for (k, to) in to.iter_mut().enumerate() {
            let at = self.table.wrapping_byte_offset(k as isize * stride);
            // SAFETY: by the contract of this function; at any alignment.
            to.write(unsafe { at.read_unaligned() });
        }
    }

    /// Bytes of the source that the axis spans.
    pub fn reach(&self) -> usize {
        (self.size as usize).saturating_mul(self.scale.unsigned_abs())
    }

    /// Whether no near cache has the table.
    pub fn is_far(&self) -> bool {
        self.reach() >= FAR_TABLE
    }

    /// An index, counted from the start of the axis.
    #[inline(always)]
    fn wrapped(&self, index: i64) -> i64 {
        wrapped(index, self.size)
    }

    /// The place that an index is worth, and whether it lies in the axis.
    #[inline(always)]
    pub fn place(&self, index: i64) -> (isize, bool) {
        let wrapped = self.wrapped(index);
        let place = (wrapped as isize).wrapping_mul(self.scale);
        (place, (wrapped as u64) < self.size as u64)
    }

    /// Those after the first `skipped`.
    #[inline(always)]
    pub fn from(&self, skipped: usize) -> Self {
        Self {
            table: self
                .table
                .wrapping_byte_offset(skipped as isize * self.stride),
            ..*self
        }
    }

    /// Whether it is known that [`ASKED`] neighbouring indices are of the first `size`, none counted from the end of the axis.
    ///
    /// # Safety
    /// They lie in the table, which is packed; `size` is that of the axis or less, and the processor has the instructions of `level`.
    pub unsafe fn count_from_start(&self, level: Level, size: i64) -> bool {
        // SAFETY: by the contract of this function; holding `level` is the proof that the processor has its instructions.
        unsafe {
            match level.kind() {
                #[cfg(target_arch = "x86_64")]
                Kind::Avx2 | Kind::Avx512 => self.count_from_start_avx2(size),
                // Part of what the crate is compiled for.
                #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
                Kind::Neon => self.count_from_start_any(size),
                Kind::Scalar => self.count_from_start_any(size),
            }
        }
    }

    /// [`ASKED`] neighbouring indices in `room`, all counted from the start of the axis; `None`: it is not known that each lies in it, or there
    /// is no vector that wraps several at once.
    ///
    /// # Safety
    /// As [`Indices::count_from_start`]; `room` outlives what is made of it.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(unused_variables, reason = "there are no such vectors")
    )]
    pub unsafe fn wrapped_at_once(&self, level: Level, room: &mut Asked<I>) -> Option<Self> {
        match level.kind() {
            // SAFETY: by the contract of this function; holding `level` is the proof that the processor has its instructions.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 | Kind::Avx512 => unsafe { self.wrapped_avx2(room) },
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Kind::Neon => None,
            Kind::Scalar => None,
        }
    }

    /// # Safety
    /// As [`Indices::count_from_start`]; the processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline]
    pub unsafe fn count_from_start_avx2(&self, size: i64) -> bool {
        let Some(last) = last_of::<I>(size) else {
            return false;
        };
        let mut most = last;
        for k in vectors::<I>() {
            // SAFETY: by the contract of this function; at any alignment.
            let index = unsafe { _mm256_loadu_si256(self.table.add(k).cast()) };
            most = _mm256_max_epu32(most, index);
        }
        is_same(most, last)
    }

    /// # Safety
    /// As [`Indices::wrapped_at_once`]; the processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline]
    pub unsafe fn wrapped_avx2(&self, room: &mut Asked<I>) -> Option<Self> {
        let last = last_of::<I>(self.size)?;
        let mut most = last;
        for k in vectors::<I>() {
            // SAFETY: by the contract of this function; at any alignment.
            let index = unsafe { _mm256_loadu_si256(self.table.add(k).cast()) };
            let wrapped = self.wrapped_vector(index);
            most = _mm256_max_epu32(most, wrapped);
            // SAFETY: there is room for all.
            unsafe { _mm256_storeu_si256(room.as_mut_ptr().add(k).cast(), wrapped) };
        }
        let table = room.as_ptr().cast();
        is_same(most, last).then_some(Self { table, ..*self })
    }

    /// A vector of indices, each counted from the start of the axis; of one of 32 bits that is larger, nothing.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline]
    fn wrapped_vector(&self, index: __m256i) -> __m256i {
        if size_of::<I>() == 8 {
            let negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), index);
            let axis = _mm256_set1_epi64x(self.size);
            _mm256_add_epi64(index, _mm256_and_si256(negative, axis))
        } else {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "an index of 32 bits is negative by no more"
            )]
            let axis = _mm256_set1_epi32(self.size as i32);
            let negative = _mm256_srai_epi32::<31>(index);
            _mm256_add_epi32(index, _mm256_and_si256(negative, axis))
        }
    }

    /// # Safety
    /// As [`Indices::count_from_start`].
    #[inline(always)]
    unsafe fn count_from_start_any(&self, size: i64) -> bool {
        // A loop, which is compiled for the vectors of its caller: the sign says whether any is outside or counted from the end.
        let mut outside = 0;
        for k in 0..ASKED {
            // SAFETY: by the contract of this function; at any alignment.
            let index: i64 = unsafe { self.table.add(k).read_unaligned() }.into();
            outside |= index | (size - 1).wrapping_sub(index);
        }
        outside >= 0
    }

    /// Calls `row` with the number and the place of each of [`ASKED`] neighbouring indices.
    ///
    /// # Safety
    /// They lie in the table, which is packed, and [count from the start](Self::count_from_start) of the axis.
    #[inline(always)]
    pub unsafe fn each_from_start(&self, mut row: impl FnMut(usize, isize)) {
        for k in (0..ASKED).step_by(2) {
            // SAFETY: by the contract of this function.
            let [first, second] = unsafe { self.two_from_start(k) };
            row(k, first);
            row(k + 1, second);
        }
    }

    /// The places of two neighbouring indices from the `first` on, by one load if they are words.
    ///
    /// # Safety
    /// As [`Indices::each_from_start`], for these two.
    #[inline(always)]
    pub unsafe fn two_from_start(&self, first: usize) -> [isize; 2] {
        // SAFETY: by the contract of this function; at any alignment.
        let two = unsafe {
            let at = self.table.add(first);
            if size_of::<I>() == 4 && cfg!(target_endian = "little") {
                let both = at.cast::<u64>().read_unaligned();
                [both as u32 as isize, (both >> 32) as isize]
            } else {
                [0, 1].map(|k| {
                    let index: i64 = at.add(k).read_unaligned().into();
                    index as isize
                })
            }
        };
        two.map(|index| index * self.scale)
    }

    /// The places of rows `first..`, one for each of `places`, and whether all indices lie in the axis.
    ///
    /// # Safety
    /// As many indices lie in the table; the processor has the instructions of `level`.
    pub unsafe fn places(
        &self,
        level: Level,
        first: usize,
        src_stride: isize,
        places: &mut [MaybeUninit<isize>],
    ) -> bool {
        // SAFETY: by the contract of this function.
        unsafe {
            match self.are_neighbours() {
                true => self.places_of_neighbours(level, first, src_stride, places),
                false => self.places_apart(level, first, src_stride, places),
            }
        }
    }

    /// Block by block as neighbours, in a table that is said to begin where row 0 would lie.
    ///
    /// # Safety
    /// As [`Indices::places`].
    #[inline(never)]
    unsafe fn places_apart(
        &self,
        level: Level,
        first: usize,
        src_stride: isize,
        places: &mut [MaybeUninit<isize>],
    ) -> bool {
        let mut room = [const { MaybeUninit::uninit() }; BLOCK];
        let firsts = (first..).step_by(BLOCK);
        places.chunks_mut(BLOCK).zip(firsts).all(|(places, first)| {
            // SAFETY: by the contract of this function, for the indices of a block.
            unsafe {
                let indices = self.from(first).as_neighbours(places.len(), &mut room);
                let table = indices.table.wrapping_sub(first);
                let indices = Self { table, ..indices };
                indices.places_of_neighbours(level, first, src_stride, places)
            }
        })
    }

    /// # Safety
    /// As [`Indices::places`].
    #[inline]
    unsafe fn places_of_neighbours(
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
        unsafe {
            if src_stride == 0
                && let Some(are_inside) = self.places_by_words(first, places)
            {
                return are_inside;
            }
            self.places_any(first, src_stride, places)
        }
    }

    /// The same where the places of indices that lie in the axis are words: products of these are one instruction. `None`: they are not, or
    /// fewer than [`TOGETHER`].
    ///
    /// # Safety
    /// As [`Indices::places`]; the processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn places_by_words(
        &self,
        first: usize,
        places: &mut [MaybeUninit<isize>],
    ) -> Option<bool> {
        // Addresses of 32 bits have no room for what is stored.
        if size_of::<isize>() != size_of::<u64>() {
            return None;
        }
        let end = places.len().checked_sub(TOGETHER)?;
        let last = last_of::<I>(self.size)?;
        let scale = u32::try_from(self.scale).ok()?;
        u32::try_from((self.size - 1).checked_mul(scale.into())?).ok()?;
        let scale = _mm256_set1_epi32(scale.cast_signed());
        let table = self.table.wrapping_add(first);
        let to = places.as_mut_ptr().cast::<isize>();
        let mut most = last;
        // SAFETY: by the contract of this function, as many indices lie there as there are places; the last of them are found, or found again,
        // where the others end.
        unsafe {
            for k in (0..end).step_by(TOGETHER) {
                let wrapped = self.eight_places(table.add(k), scale, to.add(k));
                most = _mm256_max_epu32(most, wrapped);
            }
            let wrapped = self.eight_places(table.add(end), scale, to.add(end));
            Some(is_same(_mm256_max_epu32(most, wrapped), last))
        }
    }

    /// Writes the places of [`TOGETHER`] neighbouring indices, at any alignment; the words that they are from the start of the axis on, or the
    /// larger ones of two vectors.
    ///
    /// # Safety
    /// They lie at `table`, and have room at `to`, in words of 64 bits; the processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn eight_places(&self, table: *const I, scale: __m256i, to: *mut isize) -> __m256i {
        let (table, to) = (table.cast::<__m256i>(), to.cast::<__m256i>());
        // SAFETY: by the contract of this function.
        unsafe {
            let wrapped = self.wrapped_vector(_mm256_loadu_si256(table));
            let words = _mm256_mullo_epi32(wrapped, scale);
            if size_of::<I>() == 8 {
                let other = self.wrapped_vector(_mm256_loadu_si256(table.add(1)));
                _mm256_storeu_si256(to, words);
                _mm256_storeu_si256(to.add(1), _mm256_mullo_epi32(other, scale));
                _mm256_max_epu32(wrapped, other)
            } else {
                let low = _mm256_castsi256_si128(words);
                let high = _mm256_extracti128_si256::<1>(words);
                _mm256_storeu_si256(to, _mm256_cvtepu32_epi64(low));
                _mm256_storeu_si256(to.add(1), _mm256_cvtepu32_epi64(high));
                wrapped
            }
        }
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
        // Loops of their own for shifts, which vectors do quicker than products.
        let (scale, shift) = (self.scale, self.scale.trailing_zeros() % isize::BITS);
        // SAFETY: by the contract of this function.
        unsafe {
            if src_stride != 0 {
                let place = |row, index: isize| {
                    index
                        .wrapping_mul(scale)
                        .wrapping_add(row as isize * src_stride)
                };
                self.places_by(first, place, places)
            } else if scale == 1 << shift {
                self.places_by(first, |_, index| index << shift, places)
            } else {
                self.places_by(first, |_, index| index.wrapping_mul(scale), places)
            }
        }
    }

    /// # Safety
    /// As [`Indices::places`], for neighbours; `place` gives the place of one of the rows with a wrapped index.
    #[inline(always)]
    unsafe fn places_by(
        &self,
        first: usize,
        place: impl Fn(usize, isize) -> isize,
        places: &mut [MaybeUninit<isize>],
    ) -> bool {
        let (table, last) = (self.table.wrapping_add(first), self.size - 1);
        // The sign says whether any is outside: below zero once wrapped, or beyond the last.
        let mut outside = 0;
        for (k, to) in places.iter_mut().enumerate() {
            // SAFETY: by the contract of this function; one of the type lies there, at any alignment.
            let index: i64 = unsafe { table.wrapping_add(k).read_unaligned() }.into();
            let wrapped = self.wrapped(index);
            outside |= wrapped | last.wrapping_sub(wrapped);
            to.write(place(first + k, wrapped as isize));
        }
        outside >= 0
    }
}

/// Indices whose places are found together.
#[cfg(target_arch = "x86_64")]
const TOGETHER: usize = 8;

/// The number of the first in each vector of [`ASKED`] indices.
#[cfg(target_arch = "x86_64")]
fn vectors<I>() -> impl Iterator<Item = usize> {
    (0..ASKED).step_by(size_of::<__m256i>() / size_of::<I>())
}

/// A vector of the last index of an axis. Words are compared with it without a sign: of an index that is negative, or of 64 bits and beyond
/// 32, one is larger than it may be. `None`: an axis of more than 32 bits, or of more than 31 where indices have 32: there it may be as
/// large.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn last_of<I>(size: i64) -> Option<__m256i> {
    match u32::try_from(size - 1) {
        Ok(last) if size_of::<I>() == 8 => Some(_mm256_set1_epi64x(last.into())),
        Ok(last @ 0..=0x7fff_ffff) => Some(_mm256_set1_epi32(last.cast_signed())),
        Ok(_) | Err(_) => None,
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn is_same(one: __m256i, other: __m256i) -> bool {
    _mm256_movemask_epi8(_mm256_cmpeq_epi32(one, other)) == -1
}
