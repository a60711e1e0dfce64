//! Rows from the same places in every turn of a loop, with AVX2, out of registers: the rows of some turns lie in a window of up to 64 bytes.
//!
//! A window is some parts of 16 bytes, each in both halves of a vector. For a vector of the result each part gives the bytes that it has, by
//! one shuffle, and nothing in the place of others.

use super::order::{EIGHT, put_order};
use super::{KeptPlaces, Starts, Turns};
use crate::move_::copy::Rows;
use core::arch::x86_64::*;
use core::ptr::copy_nonoverlapping;

/// Bytes of a part of a window, and of a vector of the result.
const PART: usize = 16;
const VECTOR: usize = 32;

/// Parts of a window, and vectors that come out of it, at most.
const MOST_PARTS: usize = 4;
const MOST_VECTORS: usize = 4;
const MOST_WRITTEN: usize = MOST_VECTORS * VECTOR;

/// What a row costs by itself, and a window beside its parts and vectors, in half cycles.
const OF_ROW: usize = 2;
const LOOP: usize = 8;

/// Bytes of the source that registers hold, and what they give.
#[derive(Clone, Copy)]
pub(super) struct Window {
    parts: usize,
    /// Turns that take their rows from it.
    at_once: usize,
}

impl Window {
    /// The shortest for neighbouring rows in turns that touch; `None`: none holds those of one turn, or they are quicker by themselves.
    pub fn of(rows: &Rows, reach: usize, turns: Turns) -> Option<Self> {
        let written = rows.count * rows.bytes;
        let touch = rows.touch() && turns.dst_stride == written as isize;
        if !touch || turns.count < 2 || reach > MOST_PARTS * PART || written > MOST_WRITTEN {
            return None;
        }
        let parts = reach.div_ceil(PART);
        let stride = turns.src_stride.cast_unsigned().max(1);
        let read = (PART * parts - reach) / stride + 1;
        let at_once = read
            .min(MOST_WRITTEN.checked_div(written)?)
            .min(turns.count);
        let vectors = (at_once * written).div_ceil(VECTOR);
        let cost = LOOP + parts + vectors * (1 + 2 * parts);
        (cost < OF_ROW * at_once * rows.count).then_some(Self { parts, at_once })
    }
}

/// Moves neighbouring rows in each of the turns out of windows.
///
/// # Safety
/// As [`super::moved`], for what [`Window::of`] gives; the processor has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn moved(
    starts: Starts<'_>,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
    window: Window,
) {
    let mut order = [0; MOST_WRITTEN + EIGHT];
    put_order(
        &mut order,
        rows.bytes,
        places.each,
        turns.src_stride,
        window.at_once,
    );
    let windows = Windows {
        starts,
        turns,
        at_once: window.at_once,
        of_turn: rows.count * rows.bytes,
        reach: places.reach,
        order: &order,
    };
    // SAFETY: by the contract of this function.
    unsafe {
        match window.parts {
            1 => windows.moved::<1>(),
            2 => windows.moved::<2>(),
            3 => windows.moved::<3>(),
            _ => windows.moved::<4>(),
        }
    }
}

/// Turns whose rows come out of windows, some at once.
struct Windows<'a> {
    starts: Starts<'a>,
    turns: Turns,
    at_once: usize,
    /// Bytes that a turn writes, and within how many it reads.
    of_turn: usize,
    reach: usize,
    /// Where in a window each byte lies.
    order: &'a [u8; MOST_WRITTEN + EIGHT],
}

impl Windows<'_> {
    /// # Safety
    /// As [`moved`], by windows of `N` parts.
    #[target_feature(enable = "avx2")]
    unsafe fn moved<const N: usize>(&self) {
        // SAFETY: by the contract of this function.
        unsafe {
            match (self.at_once * self.of_turn).div_ceil(VECTOR) {
                1 => self.by_vectors::<N, 1>(),
                2 => self.by_vectors::<N, 2>(),
                3 => self.by_vectors::<N, 3>(),
                _ => self.by_vectors::<N, MOST_VECTORS>(),
            }
        }
    }

    /// # Safety
    /// As [`moved`], by windows of `N` parts, each of which gives `S` vectors.
    #[target_feature(enable = "avx2")]
    unsafe fn by_vectors<const N: usize, const S: usize>(&self) {
        let shuffles = shuffles::<N, S>(self.order);
        let of_loop = self.of_turn * self.turns.count;
        let touch = self.starts.touch(of_loop as isize);
        let all = self
            .starts
            .first()
            .wrapping_add(of_loop * self.starts.count());
        let last_read = self.last_read().wrapping_sub(PART * N);
        self.starts.each(|dst, src| {
            let end = if touch {
                all
            } else {
                dst.wrapping_add(of_loop)
            };
            let last = (end.wrapping_sub(VECTOR * S), last_read);
            // SAFETY: by the contract of this function.
            unsafe { self.turns_from(&shuffles, (dst, src), last) };
        });
    }

    /// The turns from one start: by whole windows and vectors up to the `last` places of both.
    ///
    /// # Safety
    /// As [`moved`], for the turns from this start. Up to its last place, what `S` vectors write is of these turns, or of later ones; up to its
    /// own, what `N` parts read lies before the end of some turn.
    #[target_feature(enable = "avx2")]
    unsafe fn turns_from<const N: usize, const S: usize>(
        &self,
        shuffles: &Shuffles<N, S>,
        (mut to, mut from): (*mut u8, *const u8),
        (last_written, last_read): (*mut u8, *const u8),
    ) {
        let shuffles = *shuffles;
        let groups = self.turns.in_groups(self.at_once);
        let mut left = self.turns.count;
        while left > 0 {
            // SAFETY: by the contract of this function: what is read too much lies in the operand (I3), and what is written too much is
            // written again (I4).
            unsafe {
                match from <= last_read && to <= last_written {
                    true => put(&shuffles, to, from),
                    false => self.put_parts(&shuffles, to, from, self.at_once.min(left)),
                }
            }
            to = to.wrapping_offset(groups.dst_stride);
            from = from.wrapping_offset(groups.src_stride);
            left = left.saturating_sub(self.at_once);
        }
    }

    /// Where the end of what all turns read is.
    fn last_read(&self) -> *const u8 {
        let last_turn = (self.turns.count as isize - 1) * self.turns.src_stride;
        let last = self.starts.last_in_source();
        last.wrapping_offset(last_turn.max(0))
            .wrapping_add(self.reach)
    }

    /// The rows of `now` turns, without a byte more that is read or written.
    ///
    /// # Safety
    /// What these read is readable at `from`, and as many bytes as they are writable at `to`; the processor has AVX2.
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    unsafe fn put_parts<const N: usize, const S: usize>(
        &self,
        shuffles: &Shuffles<N, S>,
        to: *mut u8,
        from: *const u8,
        now: usize,
    ) {
        let (mut window, mut result) = ([0; MOST_PARTS * PART], [0; MOST_WRITTEN]);
        let read = (now - 1) * self.turns.src_stride.unsigned_abs() + self.reach;
        // SAFETY: by the contract of this function; a window holds what some turns read, and `S` vectors what they write.
        unsafe {
            copy_nonoverlapping(from, window.as_mut_ptr(), read);
            put(shuffles, result.as_mut_ptr(), window.as_ptr());
            copy_nonoverlapping(result.as_ptr(), to, now * self.of_turn);
        }
    }
}

/// For `S` vectors of the result, which bytes of each of `N` parts go where.
type Shuffles<const N: usize, const S: usize> = [[__m256i; N]; S];

/// Those of an order: of another part a byte has a sign, which gives nothing.
#[target_feature(enable = "avx2")]
fn shuffles<const N: usize, const S: usize>(order: &[u8; MOST_WRITTEN + EIGHT]) -> Shuffles<N, S> {
    const NO_PART: i8 = 0x7f - (PART as i8 - 1);
    let mut shuffles = [[_mm256_setzero_si256(); N]; S];
    for (order, shuffles) in order.as_chunks::<VECTOR>().0.iter().zip(&mut shuffles) {
        // SAFETY: a vector is readable there.
        let order = unsafe { _mm256_loadu_si256(order.as_ptr().cast()) };
        for (part, shuffle) in (0..).zip(shuffles) {
            let within = _mm256_sub_epi8(order, _mm256_set1_epi8(part * PART as i8));
            *shuffle = _mm256_adds_epu8(within, _mm256_set1_epi8(NO_PART));
        }
    }
    shuffles
}

/// Writes the vectors that come out of one window.
///
/// # Safety
/// `N` parts are readable at `from`, and `S` vectors writable at `to`.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn put<const N: usize, const S: usize>(
    shuffles: &Shuffles<N, S>,
    to: *mut u8,
    from: *const u8,
) {
    let mut parts = [_mm256_setzero_si256(); N];
    for (n, part) in parts.iter_mut().enumerate() {
        // SAFETY: by the contract of this function.
        let read = unsafe { _mm_loadu_si128(from.add(n * PART).cast()) };
        *part = _mm256_broadcastsi128_si256(read);
    }
    for (s, shuffles) in shuffles.iter().enumerate() {
        let mut vector = _mm256_setzero_si256();
        for (part, shuffle) in parts.iter().zip(shuffles) {
            vector = _mm256_or_si256(vector, _mm256_shuffle_epi8(*part, *shuffle));
        }
        // SAFETY: by the contract of this function.
        unsafe { _mm256_storeu_si256(to.add(s * VECTOR).cast(), vector) };
    }
}
