//! Moves of bytes: one run, runs at constant distances.
//!
//! Widths of an element are fixed-size loads and stores, in loops of their own; runs of up to 16 bytes are two overlapping ones, longer ones
//! parts of 16 bytes that are all loaded first; runs of more than a line go in one of the ways of `rows`, or by `memcpy`.

use super::cache::Cache;
use super::prefetch;
use super::processor::habits;
use super::rows::Way;
use crate::level::Level;
use crate::shuffle::LINE;
use core::hint::black_box;
#[cfg(target_arch = "x86_64")]
use core::marker::PhantomData;
use core::ptr::copy_nonoverlapping;

/// Runs at constant distances.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub count: usize,
    pub bytes: usize,
    pub dst_stride: isize,
    pub src_stride: isize,
    /// What keeps the result that they belong to.
    pub cache: Cache,
}

impl Rows {
    /// One row.
    pub fn one(bytes: usize, cache: Cache) -> Self {
        Self {
            count: 1,
            bytes,
            dst_stride: 0,
            src_stride: 0,
            cache,
        }
    }

    /// Whether each begins in the destination where the one before it ends.
    pub fn touch(&self) -> bool {
        self.dst_stride == self.bytes as isize
    }

    /// How many of rows that touch, from the first on, may write `written` bytes each: what is too much for a row lies in rows after it,
    /// which write it again (I4).
    #[cfg_attr(
        not(any(
            target_arch = "x86_64",
            all(target_arch = "aarch64", target_feature = "neon")
        )),
        expect(dead_code, reason = "there are no vectors that are longer than a row")
    )]
    pub fn with_room_for(&self, written: usize) -> usize {
        let last = (self.count * self.bytes).checked_sub(written);
        let last = last.and_then(|last| last.checked_div(self.bytes));
        last.map_or(0, |last| last + 1)
    }
}

/// Moves `N` bytes.
///
/// # Safety
/// `N` bytes are readable at `src` and writable at `dst`.
#[inline(always)]
pub(super) unsafe fn fixed<const N: usize>(dst: *mut u8, src: *const u8) {
    // SAFETY: by the contract of this function; arrays of bytes have no alignment.
    unsafe { dst.cast::<[u8; N]>().write(src.cast::<[u8; N]>().read()) }
}

/// Moves `N..=2 * N` bytes as two overlapping halves.
///
/// # Safety
/// As [`run`], with `bytes` in that range.
#[inline(always)]
unsafe fn halves<const N: usize>(dst: *mut u8, src: *const u8, bytes: usize) {
    // SAFETY: both halves lie within `bytes`, by the contract.
    unsafe {
        fixed::<N>(dst, src);
        fixed::<N>(dst.add(bytes - N), src.add(bytes - N));
    }
}

/// 16 bytes in a register.
#[cfg(target_arch = "x86_64")]
type Part = core::arch::x86_64::__m128i;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
type Part = core::arch::aarch64::uint8x16_t;
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon")
)))]
type Part = [u8; 16];

/// Moves more bytes than `COUNT - 1` parts have, up to `COUNT`, the last of which overlaps the one before it. All are loaded first, and stored
/// in their order: the compiler would begin with the last, and go back and forth between the lines of rows that straddle them.
///
/// # Safety
/// As [`run`], with `bytes` in that range, and at least those of a part.
#[inline(always)]
unsafe fn parts<const COUNT: usize>(dst: *mut u8, src: *const u8, bytes: usize) {
    const PART: usize = size_of::<Part>();
    let at = |k: usize| match k + 1 == COUNT {
        true => bytes - PART,
        false => k * PART,
    };
    // SAFETY: the parts lie within `bytes`, by the contract; at any alignment.
    unsafe {
        let read: [Part; COUNT] =
            core::array::from_fn(|k| src.add(at(k)).cast::<Part>().read_unaligned());
        for (k, part) in read.into_iter().enumerate() {
            dst.add(at(k)).cast::<Part>().write_unaligned(part);
        }
    }
}

/// Moves a row that compilers write out where its length is known, as they do with `memcpy`.
///
/// # Safety
/// As [`run`], with `bytes` in `17..=128`.
#[inline(always)]
pub(super) unsafe fn by_parts(dst: *mut u8, src: *const u8, bytes: usize) {
    // SAFETY: by the contract of this function.
    unsafe {
        match bytes.div_ceil(16) {
            2 => parts::<2>(dst, src, bytes),
            3 => parts::<3>(dst, src, bytes),
            4 => parts::<4>(dst, src, bytes),
            5 => parts::<5>(dst, src, bytes),
            6 => parts::<6>(dst, src, bytes),
            7 => parts::<7>(dst, src, bytes),
            _ => parts::<8>(dst, src, bytes),
        }
    }
}

/// Moves one run.
///
/// # Safety
/// `bytes` bytes are readable at `src` and writable at `dst`, and the two do not overlap.
#[inline(always)]
pub(super) unsafe fn run(dst: *mut u8, src: *const u8, bytes: usize) {
    // SAFETY: each arm moves exactly `bytes` bytes, by the contract of this function.
    unsafe {
        match bytes {
            0 => {}
            1 => fixed::<1>(dst, src),
            2..=3 => halves::<2>(dst, src, bytes),
            4..=8 => halves::<4>(dst, src, bytes),
            9..=16 => halves::<8>(dst, src, bytes),
            17..=32 => parts::<2>(dst, src, bytes),
            33..=48 => parts::<3>(dst, src, bytes),
            49..=64 => parts::<4>(dst, src, bytes),
            _ => copy_nonoverlapping(src, dst, bytes),
        }
    }
}

/// A way to move one run of a known length.
pub(super) trait Mover: Copy {
    /// Bytes that one load and one store move where the run takes two of each: the run, and some of what lies after it. 0: it takes one.
    const SPILLING: usize = 0;

    /// Bytes of the run where it is a power of two that one load and one store move, up to 16; else 0.
    const WIDTH: usize = 0;

    /// That of runs of `bytes` bytes, which it is made for.
    fn of(bytes: usize) -> Self;

    /// # Safety
    /// As [`run`], for the length that the mover is made for.
    unsafe fn run(self, dst: *mut u8, src: *const u8);

    /// The same where the compiler has vectors of 32 bytes.
    ///
    /// # Safety
    /// As [`Self::run`].
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn run_wide(self, dst: *mut u8, src: *const u8) {
        // SAFETY: by the contract of this function.
        unsafe { self.run(dst, src) }
    }

    /// Moves [`Self::SPILLING`] bytes.
    ///
    /// # Safety
    /// As [`run`], for as many bytes.
    #[inline(always)]
    unsafe fn spill(self, dst: *mut u8, src: *const u8) {
        // SAFETY: by the contract of this function.
        unsafe {
            match Self::SPILLING {
                4 => fixed::<4>(dst, src),
                8 => fixed::<8>(dst, src),
                16 => fixed::<16>(dst, src),
                _ => self.run(dst, src),
            }
        }
    }
}

/// `N` bytes.
#[derive(Clone, Copy)]
pub(super) struct Fixed<const N: usize>;

impl<const N: usize> Mover for Fixed<N> {
    const SPILLING: usize = match N {
        3 => 4,
        12 => 16,
        _ => 0,
    };

    const WIDTH: usize = match N {
        1 | 2 | 4 | 8 | 16 => N,
        _ => 0,
    };

    fn of(_: usize) -> Self {
        Self
    }

    #[inline(always)]
    unsafe fn run(self, dst: *mut u8, src: *const u8) {
        // SAFETY: by the contract of this function.
        unsafe {
            match N {
                32 => parts::<2>(dst, src, N),
                64 => parts::<4>(dst, src, N),
                _ => fixed::<N>(dst, src),
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn run_wide(self, dst: *mut u8, src: *const u8) {
        // SAFETY: by the contract of this function.
        unsafe {
            match N {
                64 => halves::<32>(dst, src, N),
                _ => fixed::<N>(dst, src),
            }
        }
    }
}

/// `N..=2 * N` bytes, known before the loop.
#[derive(Clone, Copy)]
pub(super) struct Halves<const N: usize>(pub usize);

impl<const N: usize> Mover for Halves<N> {
    const SPILLING: usize = if N <= 8 { 2 * N } else { 0 };

    fn of(bytes: usize) -> Self {
        Self(bytes)
    }

    #[inline(always)]
    unsafe fn run(self, dst: *mut u8, src: *const u8) {
        // SAFETY: by the contract of this function; the length is in that range.
        unsafe { halves::<N>(dst, src, self.0) }
    }
}

/// Parts of 16 bytes, of which the last overlaps the one before it, known before the loop.
#[derive(Clone, Copy)]
pub(super) struct Parts<const COUNT: usize>(pub usize);

impl<const COUNT: usize> Mover for Parts<COUNT> {
    fn of(bytes: usize) -> Self {
        Self(bytes)
    }

    #[inline(always)]
    unsafe fn run(self, dst: *mut u8, src: *const u8) {
        // SAFETY: by the contract of this function; the length is in that range.
        unsafe { parts::<COUNT>(dst, src, self.0) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn run_wide(self, dst: *mut u8, src: *const u8) {
        // SAFETY: as above.
        unsafe {
            match COUNT {
                4 => halves::<32>(dst, src, self.0),
                _ => self.run(dst, src),
            }
        }
    }
}

/// `WHOLE` vectors of one length and a last one of another, which overlaps the one before it, known before the loop. All are loaded first.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Vectors<V, const WHOLE: usize, L> {
    /// Where the last one begins.
    last: usize,
    of: PhantomData<(V, L)>,
}

#[cfg(target_arch = "x86_64")]
impl<V: Copy, const WHOLE: usize, L: Copy> Mover for Vectors<V, WHOLE, L> {
    fn of(bytes: usize) -> Self {
        Self {
            last: bytes - size_of::<L>(),
            of: PhantomData,
        }
    }

    #[inline(always)]
    unsafe fn run(self, dst: *mut u8, src: *const u8) {
        // SAFETY: by the contract of this function all vectors lie in the run; at any alignment.
        unsafe {
            let whole: [V; WHOLE] =
                core::array::from_fn(|k| src.cast::<V>().add(k).read_unaligned());
            let last: L = src.add(self.last).cast::<L>().read_unaligned();
            for (k, vector) in whole.into_iter().enumerate() {
                dst.cast::<V>().add(k).write_unaligned(vector);
            }
            dst.add(self.last).cast::<L>().write_unaligned(last);
        }
    }
}

/// The mover in it, where the compiler has vectors of 32 bytes.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Wide<M>(pub M);

#[cfg(target_arch = "x86_64")]
impl<M: Mover> Mover for Wide<M> {
    const SPILLING: usize = M::SPILLING;

    fn of(bytes: usize) -> Self {
        Self(M::of(bytes))
    }

    #[inline(always)]
    unsafe fn run(self, dst: *mut u8, src: *const u8) {
        // SAFETY: by the contract of this function.
        unsafe { self.0.run_wide(dst, src) }
    }
}

/// That many bytes.
#[derive(Clone, Copy)]
pub(super) struct Bytes(pub usize);

impl Mover for Bytes {
    fn of(bytes: usize) -> Self {
        Self(bytes)
    }

    #[inline(always)]
    unsafe fn run(self, dst: *mut u8, src: *const u8) {
        // SAFETY: by the contract of this function.
        unsafe { run(dst, src, self.0) }
    }
}

/// `$f(mover, args)` with the mover for `$bytes`: short rows have loops of their own.
macro_rules! by_width {
    ($bytes:expr, $f:ident($($arg:expr),*)) => {{
        use $crate::move_::copy::{Bytes, Fixed, Halves, Parts};
        match $bytes {
            1 => $f(Fixed::<1>, $($arg),*),
            2 => $f(Fixed::<2>, $($arg),*),
            3 => $f(Fixed::<3>, $($arg),*),
            4 => $f(Fixed::<4>, $($arg),*),
            8 => $f(Fixed::<8>, $($arg),*),
            12 => $f(Fixed::<12>, $($arg),*),
            16 => $f(Fixed::<16>, $($arg),*),
            32 => $f(Fixed::<32>, $($arg),*),
            64 => $f(Fixed::<64>, $($arg),*),
            bytes @ 5..8 => $f(Halves::<4>(bytes), $($arg),*),
            bytes @ 9..16 => $f(Halves::<8>(bytes), $($arg),*),
            bytes @ 17..32 => $f(Parts::<2>(bytes), $($arg),*),
            bytes @ 33..=48 => $f(Parts::<3>(bytes), $($arg),*),
            bytes @ 49..64 => $f(Parts::<4>(bytes), $($arg),*),
            bytes @ 65..=80 => $f(Parts::<5>(bytes), $($arg),*),
            bytes @ 81..=96 => $f(Parts::<6>(bytes), $($arg),*),
            bytes @ 97..=112 => $f(Parts::<7>(bytes), $($arg),*),
            bytes => $f(Bytes(bytes), $($arg),*),
        }
    }};
}
pub(super) use by_width;

/// The same by vectors of 32 bytes, for more than one: as few as there can be, none of which is longer than what it is needed for; `$else` for
/// rows of many.
#[cfg(target_arch = "x86_64")]
macro_rules! by_halves {
    ($bytes:expr, $f:ident($($arg:expr),*), $else:expr) => {{
        use core::arch::x86_64::{__m128i as Part, __m256i as Half};
        use $crate::move_::copy::{Mover, Vectors};
        match $bytes {
            bytes @ 33..=40 => $f(Vectors::<Half, 1, u64>::of(bytes), $($arg),*),
            bytes @ 41..=48 => $f(Vectors::<Half, 1, Part>::of(bytes), $($arg),*),
            bytes @ 49..=64 => $f(Vectors::<Half, 1, Half>::of(bytes), $($arg),*),
            bytes @ 65..=80 => $f(Vectors::<Half, 2, Part>::of(bytes), $($arg),*),
            bytes @ 81..=96 => $f(Vectors::<Half, 2, Half>::of(bytes), $($arg),*),
            bytes @ 97..=112 => $f(Vectors::<Half, 3, Part>::of(bytes), $($arg),*),
            bytes @ 113..=128 => $f(Vectors::<Half, 3, Half>::of(bytes), $($arg),*),
            bytes @ 129..=160 => $f(Vectors::<Half, 4, Half>::of(bytes), $($arg),*),
            bytes @ 161..=192 => $f(Vectors::<Half, 5, Half>::of(bytes), $($arg),*),
            _ => $else,
        }
    }};
}
#[cfg(target_arch = "x86_64")]
pub(super) use by_halves;

/// Moves runs at constant distances.
///
/// # Safety
/// As [`run`], for each of the runs.
#[inline]
pub(super) unsafe fn strided(level: Level, dst: *mut u8, src: *const u8, rows: Rows) {
    // SAFETY: by the contract of this function.
    unsafe {
        if let Some(way) = Way::of(level, &rows) {
            return way.moves(level, dst, src, rows, rows.count, rows.place());
        }
        by_width!(rows.bytes, quickly(dst, src, rows));
    }
}

/// Shorter rows come several to a line, which is asked for too often.
const LEAST_FETCHED: usize = 32;

/// # Safety
/// As [`strided`]; the mover is for `rows.bytes`.
#[inline(always)]
pub(super) unsafe fn each(mover: impl Mover, dst: *mut u8, src: *const u8, rows: Rows) {
    // SAFETY: by the contract of this function.
    unsafe {
        // Whatever is not in the nearest cache holds up the stores after it.
        let by_itself = rows.bytes == LINE && !habits().fetches_written;
        match rows.cache != Cache::Near && rows.bytes >= LEAST_FETCHED && !by_itself {
            true => one_by_one::<true>(mover, dst, src, rows),
            false => one_by_one::<false>(mover, dst, src, rows),
        }
    }
}

/// Fewer runs are over before there are four twice.
const FEW: usize = 8;

/// As [`each`], in functions that are not inlined into a loop: it is so much that compilers would not inline it there.
///
/// # Safety
/// As [`each`].
#[inline(always)]
pub(super) unsafe fn quickly<M: Mover>(mover: M, dst: *mut u8, src: *const u8, rows: Rows) {
    let are_fours = rows.touch() && rows.count >= FEW;
    // SAFETY: by the contract of this function; a width is that of the runs.
    unsafe {
        match M::WIDTH {
            1 if are_fours => in_fours::<1>(dst, src, rows),
            2 if are_fours => in_fours::<2>(dst, src, rows),
            4 if are_fours => in_fours::<4>(dst, src, rows),
            8 if are_fours => in_fours::<8>(dst, src, rows),
            16 if are_fours => in_fours::<16>(dst, src, rows),
            _ => each(mover, dst, src, rows),
        }
    }
}

/// Moves runs of `N` bytes that touch in the destination, four at a time. Compilers would step from each to the next, an addition that waits for
/// the one before it, so that they would take a cycle each: they are not to know that the four distances are multiples of one.
///
/// # Safety
/// As [`each`].
#[inline(always)]
unsafe fn in_fours<const N: usize>(dst: *mut u8, src: *const u8, rows: Rows) {
    let [one, two, three, four] = black_box([1, 2, 3, 4].map(|k| k * rows.src_stride));
    let (mut to, mut from) = (dst, src);
    // SAFETY: by the contract of this function.
    unsafe {
        for _ in 0..rows.count / 4 {
            let [a, b, c, d] = [0, one, two, three].map(|place| from.wrapping_offset(place));
            pair::<N>(to, a, b);
            pair::<N>(to.add(2 * N), c, d);
            to = to.wrapping_add(4 * N);
            from = from.wrapping_offset(four);
        }
        for _ in 0..rows.count % 4 {
            fixed::<N>(to, from);
            to = to.wrapping_add(N);
            from = from.wrapping_offset(rows.src_stride);
        }
    }
}

/// Moves two runs of `N` bytes side by side, by one store where there is one: processors complete one or two stores in a cycle.
///
/// # Safety
/// As [`run`], for both of them.
#[inline(always)]
pub(super) unsafe fn pair<const N: usize>(dst: *mut u8, one: *const u8, other: *const u8) {
    // SAFETY: by the contract of this function; all processors of x86-64 have SSE2.
    unsafe {
        match N {
            1 if cfg!(target_endian = "little") => {
                let pair = u16::from(one.read()) | u16::from(other.read()) << 8;
                dst.cast::<u16>().write_unaligned(pair);
            }
            2 if cfg!(target_endian = "little") => {
                let [one, other] = [one, other].map(|src| src.cast::<u16>().read_unaligned());
                let pair = u32::from(one) | u32::from(other) << 16;
                dst.cast::<u32>().write_unaligned(pair);
            }
            4 if cfg!(target_endian = "little") => {
                let [one, other] = [one, other].map(|src| src.cast::<u32>().read_unaligned());
                let pair = u64::from(one) | u64::from(other) << 32;
                dst.cast::<u64>().write_unaligned(pair);
            }
            #[cfg(target_arch = "x86_64")]
            8 => {
                use core::arch::x86_64::{_mm_loadl_epi64, _mm_storeu_si128, _mm_unpacklo_epi64};
                let [one, other] = [one, other].map(|src| _mm_loadl_epi64(src.cast()));
                _mm_storeu_si128(dst.cast(), _mm_unpacklo_epi64(one, other));
            }
            _ => {
                fixed::<N>(dst, one);
                fixed::<N>(dst.add(N), other);
            }
        }
    }
}

/// With `FETCH`, each line is asked for before it is written.
///
/// # Safety
/// As [`each`].
#[inline(always)]
unsafe fn one_by_one<const FETCH: bool>(
    mover: impl Mover,
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
) {
    let (mut to, mut from) = (dst, src);
    for _ in 0..rows.count {
        if FETCH {
            prefetch::next_to_write(to);
        }
        // SAFETY: this is one of the runs.
        unsafe { mover.run(to, from) };
        to = to.wrapping_offset(rows.dst_stride);
        from = from.wrapping_offset(rows.src_stride);
    }
}
