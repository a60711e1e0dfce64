//! Small tables in other forms, for look-ups so many that these cost nothing.

use super::Indices;
use crate::move_::copy::{self, Rows};
use core::mem::MaybeUninit;

/// Entries of a table that is widened to one word an entry, at most: 16 KiB on the stack.
pub const MOST_ENTRIES: usize = 4096;

/// Fewer look-ups do not pay for another form of the table.
const LEAST_ROWS: usize = 2048;

/// Whether a table is so small, and look-ups are so many, that another form of it costs nothing.
pub fn pays<I>(rows: &Rows, indices: &Indices<I>, most: usize) -> bool {
    let entries = usize::try_from(indices.size).unwrap_or(usize::MAX);
    entries <= most && rows.count >= LEAST_ROWS && rows.count / 4 >= entries
}

/// Entries of a plane: as many as a byte names.
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon")
))]
pub const PLANE: usize = 256;

/// A table as planes: the first bytes of its entries, the second ones, and so on.
///
/// # Safety
/// The entries lie in the source and have `N` bytes; there are at most [`PLANE`].
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon")
))]
#[inline]
pub unsafe fn planes<const N: usize, I>(src: *const u8, indices: &Indices<I>) -> [[u8; PLANE]; N] {
    let mut planes = [[0; PLANE]; N];
    for entry in 0..indices.size as usize {
        for (n, plane) in planes.iter_mut().enumerate() {
            // SAFETY: by the contract of this function.
            plane[entry] = unsafe { src.offset(entry as isize * indices.scale).add(n).read() };
        }
    }
    planes
}

/// A table of one word an entry, as far as it has entries.
pub type Words = [MaybeUninit<u32>; MOST_ENTRIES];

/// Writes the entries of a source into a table that holds nothing: of each the bytes at these offsets from its place, in this order.
///
/// # Safety
/// These bytes of the entries lie in the source; `N` is at most 4, and [`pays`] holds for [`MOST_ENTRIES`].
#[inline(always)]
pub unsafe fn widen<const N: usize, I>(
    table: &mut Words,
    src: *const u8,
    offsets: [isize; N],
    indices: &Indices<I>,
) {
    for (entry, word) in table.iter_mut().enumerate().take(indices.size as usize) {
        let mut bytes = [0; 4];
        let from = src.wrapping_offset(entry as isize * indices.scale);
        for (byte, offset) in bytes.iter_mut().zip(offsets) {
            // SAFETY: by the contract of this function.
            *byte = unsafe { from.wrapping_offset(offset).read() };
        }
        word.write(u32::from_ne_bytes(bytes));
    }
}

/// Rows of three bytes out of words whose fourth byte is 0; what is left of four, each by a word.
///
/// # Safety
/// A word is readable at each of the places, and one more byte than the rows have is writable.
pub unsafe fn threes(dst: *mut u8, src: *const u8, places: &[isize]) {
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
pub unsafe fn four_of_three(dst: *mut u8, src: *const u8, places: [isize; 4]) {
    // SAFETY: by the contract of this function; at any alignment.
    unsafe {
        let word = |place| src.wrapping_offset(place).cast::<u32>().read_unaligned();
        let [a, b, c, d] = places.map(|place| u64::from(word(place).to_le()));
        let (low, high) = (a | b << 24 | c << 48, (c >> 16 | d << 8) as u32);
        dst.cast::<u64>().write_unaligned(low.to_le());
        dst.add(8).cast::<u32>().write_unaligned(high.to_le());
    }
}
