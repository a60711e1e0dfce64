//! Moves of bytes: one run, runs at constant distances, runs where an index points.
//!
//! Widths of an element are fixed-size loads and stores, in loops of their own; short runs are two overlapping ones; long runs are
//! `memcpy`.

use core::ptr::copy_nonoverlapping;

/// Runs at constant distances.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub count: usize,
    pub bytes: usize,
    pub dst_stride: isize,
    pub src_stride: isize,
}

/// Indices at constant distances, each worth `scale` bytes.
#[derive(Clone, Copy)]
pub(super) struct Indices {
    pub table: *const u8,
    pub stride: isize,
    pub scale: isize,
    pub size: i64,
}

/// An index in a table.
pub(super) trait Index: Copy + Into<i64> {}
impl Index for i32 {}
impl Index for i64 {}

/// Moves `N` bytes.
///
/// # Safety
/// `N` bytes are readable at `src` and writable at `dst`.
#[inline(always)]
unsafe fn fixed<const N: usize>(dst: *mut u8, src: *const u8) {
    // SAFETY: by the contract of this function; arrays of bytes have no alignment.
    unsafe { dst.cast::<[u8; N]>().write(src.cast::<[u8; N]>().read()) }
}

/// Moves `N..=2 * N` bytes as two overlapping halves.
///
/// # Safety
/// As [`run`], with `bytes` in that range.
#[inline(always)]
unsafe fn halves<const N: usize>(dst: *mut u8, src: *const u8, bytes: usize) {
    // SAFETY: both halves lie within `bytes`, by the contract; both are read before either is written.
    unsafe {
        let head = src.cast::<[u8; N]>().read();
        let tail = src.add(bytes - N).cast::<[u8; N]>().read();
        dst.cast::<[u8; N]>().write(head);
        dst.add(bytes - N).cast::<[u8; N]>().write(tail);
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
            17..=32 => halves::<16>(dst, src, bytes),
            33..=64 => halves::<32>(dst, src, bytes),
            _ => copy_nonoverlapping(src, dst, bytes),
        }
    }
}

/// Calls `$do` with a function that moves one run of `bytes` bytes, specialised for common widths.
macro_rules! by_width {
    ($bytes:expr, |$mover:ident| $do:expr) => {{
        macro_rules! with {
            ($f:expr) => {{
                let $mover = $f;
                $do
            }};
        }
        // SAFETY (all): each moves exactly `bytes` bytes; `$do` passes on the contract of `run`.
        match $bytes {
            1 => with!(|dst, src| unsafe { fixed::<1>(dst, src) }),
            2 => with!(|dst, src| unsafe { fixed::<2>(dst, src) }),
            3 => with!(|dst, src| unsafe { fixed::<3>(dst, src) }),
            4 => with!(|dst, src| unsafe { fixed::<4>(dst, src) }),
            8 => with!(|dst, src| unsafe { fixed::<8>(dst, src) }),
            12 => with!(|dst, src| unsafe { fixed::<12>(dst, src) }),
            16 => with!(|dst, src| unsafe { fixed::<16>(dst, src) }),
            32 => with!(|dst, src| unsafe { fixed::<32>(dst, src) }),
            64 => with!(|dst, src| unsafe { fixed::<64>(dst, src) }),
            bytes => with!(|dst, src| unsafe { run(dst, src, bytes) }),
        }
    }};
}

/// Moves `count` runs at constant distances.
///
/// # Safety
/// As [`run`], for each of the runs.
#[inline]
pub(super) unsafe fn strided(
    dst: *mut u8,
    src: *const u8,
    count: usize,
    bytes: usize,
    dst_stride: isize,
    src_stride: isize,
) {
    by_width!(bytes, |mover| rows(dst, src, Rows { count, bytes, dst_stride, src_stride }, mover));
}

#[inline(always)]
fn rows(dst: *mut u8, src: *const u8, rows: Rows, mover: impl Fn(*mut u8, *const u8)) {
    let (mut to, mut from) = (dst, src);
    for _ in 0..rows.count {
        mover(to, from);
        to = to.wrapping_offset(rows.dst_stride);
        from = from.wrapping_offset(rows.src_stride);
    }
}

/// Moves `rows`, each from where the next index points.
///
/// # Safety
/// As [`run`], for each of the runs; the indices lie in the table and within their axis.
#[inline]
pub(super) unsafe fn lookup<I: Index>(dst: *mut u8, src: *const u8, rows: Rows, indices: Indices) {
    by_width!(rows.bytes, |mover| pick::<I>(dst, src, rows, indices, mover));
}

#[inline(always)]
fn pick<I: Index>(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    indices: Indices,
    mover: impl Fn(*mut u8, *const u8),
) {
    let (mut to, mut from, mut table) = (dst, src, indices.table);
    for _ in 0..rows.count {
        // SAFETY: the caller of `lookup` vouches for the table.
        let index: i64 = unsafe { table.cast::<I>().read_unaligned() }.into();
        let index = if index < 0 { index + indices.size } else { index };
        mover(to, from.wrapping_offset(index as isize * indices.scale));
        to = to.wrapping_offset(rows.dst_stride);
        from = from.wrapping_offset(rows.src_stride);
        table = table.wrapping_offset(indices.stride);
    }
}
