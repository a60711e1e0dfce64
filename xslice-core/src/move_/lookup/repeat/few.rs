//! So few narrow rows in each turn that a loop over them would take longer than they do: their places stay in registers.

use super::Turns;
use crate::move_::copy;

/// More rows are too many for the registers.
pub(super) const MOST: usize = 7;

/// Moves up to [`MOST`] rows of 1, 2, 4, 8 or 16 bytes in each of the turns, each `dst_stride` behind the one before it; `false`, and nothing is
/// moved, for others.
///
/// # Safety
/// As [`super::moved`].
pub(super) unsafe fn moved(
    dst: *mut u8,
    src: *const u8,
    (bytes, dst_stride): (usize, isize),
    places: &[isize],
    turns: Turns,
) -> bool {
    // SAFETY: by the contract of this function.
    unsafe {
        match bytes {
            1 => by_count::<1>(dst, src, dst_stride, places, turns),
            2 => by_count::<2>(dst, src, dst_stride, places, turns),
            4 => by_count::<4>(dst, src, dst_stride, places, turns),
            8 => by_count::<8>(dst, src, dst_stride, places, turns),
            16 => by_count::<16>(dst, src, dst_stride, places, turns),
            _ => false,
        }
    }
}

/// # Safety
/// As [`moved`], for rows of so many bytes.
#[inline]
unsafe fn by_count<const BYTES: usize>(
    dst: *mut u8,
    src: *const u8,
    dst_stride: isize,
    places: &[isize],
    turns: Turns,
) -> bool {
    macro_rules! with_places {
        ($($count:literal),*) => {
            match places.len() {
                0 => true,
                // SAFETY: by the contract of this function.
                $($count => unsafe {
                    let places = core::array::from_fn(|k| places[k]);
                    each::<BYTES, $count>(dst, src, dst_stride, places, turns);
                    true
                },)*
                _ => false,
            }
        };
    }
    with_places!(1, 2, 3, 4, 5, 6, 7)
}

/// # Safety
/// As [`by_count`].
#[inline(never)]
unsafe fn each<const BYTES: usize, const COUNT: usize>(
    dst: *mut u8,
    src: *const u8,
    dst_stride: isize,
    places: [isize; COUNT],
    turns: Turns,
) {
    const { assert!(COUNT <= MOST) };
    for (to, from) in turns.each(dst, src) {
        for (k, place) in places.into_iter().enumerate() {
            let to = to.wrapping_offset(k as isize * dst_stride);
            // SAFETY: by the contract of this function.
            unsafe { copy::fixed::<BYTES>(to, from.wrapping_offset(place)) };
        }
    }
}
