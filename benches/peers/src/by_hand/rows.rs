//! Long rows: by `memcpy`; by vectors, with the row that comes next and the lines that will be written fetched ahead.

use xslice_cli::bench::data::Held;

/// How far ahead of a store its line is fetched, in bytes.
const AHEAD_WRITE: usize = 1024;

/// What a store of AVX2 writes; every row is a number of them.
const VECTOR: usize = 32;

/// Elements as rows of bytes.
pub(super) trait Row {
    /// Row `k` of rows side by side.
    fn row<const BYTES: usize>(&self, k: usize) -> Option<&[u8; BYTES]>;

    /// Writes rows side by side, row `k` from `row(k)`; row `k + AHEAD` is fetched meanwhile.
    fn moved<'a, const BYTES: usize, const AHEAD: usize>(
        &mut self,
        row: impl Fn(usize) -> Option<&'a [u8; BYTES]>,
    ) -> Option<()>;
}

impl<T: Held> Row for [T] {
    #[inline(always)]
    fn row<const BYTES: usize>(&self, k: usize) -> Option<&[u8; BYTES]> {
        bytes(self).as_chunks().0.get(k)
    }

    #[inline(always)]
    fn moved<'a, const BYTES: usize, const AHEAD: usize>(
        &mut self,
        row: impl Fn(usize) -> Option<&'a [u8; BYTES]>,
    ) -> Option<()> {
        const { assert!(BYTES.is_multiple_of(VECTOR)) };
        let rows = bytes_mut(self).as_chunks_mut::<BYTES>().0;
        let last = rows.len() - 1;
        for (k, to) in rows.iter_mut().enumerate() {
            let (from, next) = (row(k)?, row((k + AHEAD).min(last))?);
            let (to, from) = (to.as_chunks_mut::<VECTOR>().0, from.as_chunks().0);
            for (at, (to, from)) in to.iter_mut().zip(from).enumerate() {
                if at % 2 == 0 {
                    prefetch(next.as_ptr().wrapping_add(at * VECTOR));
                    prefetch_write(to.as_mut_ptr().wrapping_add(AHEAD_WRITE));
                }
                *to = *from;
            }
        }
        Some(())
    }
}

/// The first `ROW` elements of rows that are `APART`.
#[inline(always)]
pub(super) fn heads<T: Copy, const APART: usize, const ROW: usize>(x: &[T], y: &mut [T]) {
    for (x, y) in x
        .as_chunks::<APART>()
        .0
        .iter()
        .zip(y.as_chunks_mut::<ROW>().0)
    {
        y.copy_from_slice(&x[..ROW]);
    }
}

/// The same in bytes, with row `k + AHEAD` fetched while row `k` moves.
#[inline(always)]
pub(super) fn heads_fetched<T: Held, const APART: usize, const ROW: usize, const AHEAD: usize>(
    x: &[T],
    y: &mut [T],
) {
    y.moved::<ROW, AHEAD>(|k| x.row::<APART>(k)?.first_chunk());
}

/// The row that an index names, counted from the end if it is negative.
#[inline(always)]
fn named<R>(rows: &[R], id: i64) -> Option<&R> {
    let size = rows.len() as i64;
    rows.get(usize::try_from(if id < 0 { id + size } else { id }).ok()?)
}

/// The first `KEPT` elements of the rows of `ROW` that indices name.
#[inline(always)]
pub(super) fn taken<T: Copy, const ROW: usize, const KEPT: usize>(
    x: &[T],
    ids: &[i64],
    y: &mut [T],
) -> Option<()> {
    let rows = x.as_chunks::<ROW>().0;
    for (id, y) in ids.iter().zip(y.as_chunks_mut::<KEPT>().0) {
        y.copy_from_slice(&named(rows, *id)?[..KEPT]);
    }
    Some(())
}

/// The same in bytes, with row `k + AHEAD` fetched while row `k` moves.
#[inline(always)]
pub(super) fn taken_fetched<T: Held, const ROW: usize, const KEPT: usize, const AHEAD: usize>(
    x: &[T],
    ids: &[i64],
    y: &mut [T],
) -> Option<()> {
    let rows = bytes(x).as_chunks::<ROW>().0;
    y.moved::<KEPT, AHEAD>(|k| named(rows, *ids.get(k)?)?.first_chunk())
}

#[inline(always)]
fn bytes<T: Held>(x: &[T]) -> &[u8] {
    // SAFETY: a `Held` type is a number, without padding.
    unsafe { std::slice::from_raw_parts(x.as_ptr().cast(), size_of_val(x)) }
}

#[inline(always)]
fn bytes_mut<T: Held>(x: &mut [T]) -> &mut [u8] {
    // SAFETY: a `Held` type is a number, without padding and of any bits.
    unsafe { std::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), size_of_val(x)) }
}

/// Asks for a line to read.
#[inline(always)]
pub(super) fn prefetch<T>(line: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of x86-64, and a prefetch of any address has no effect that a program can see.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(line.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// Asks for a line to write to.
#[inline(always)]
pub(super) fn prefetch_write<T>(line: *mut T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address has no effect that a program can see; processors without the instruction pass over it.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) line, options(nostack, readonly, preserves_flags));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}
