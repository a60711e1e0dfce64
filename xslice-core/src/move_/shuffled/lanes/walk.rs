//! From tile to tile, and from row to row.

use super::{Run, Tile, Tiles};
use crate::move_::copy::Rows;

/// `steps` is what the next tile is further in the destination and in the source.
///
/// # Safety
/// As [`each`](super::each).
#[inline(always)]
pub(super) unsafe fn walk<T: Tile>(
    first: &Run,
    tiles: &Tiles<'_>,
    steps: (usize, isize),
    tile: &T,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        match *tiles {
            Tiles {
                count: 1,
                last: None,
                places: None,
                rows,
                ..
            } => walk_singles(first, rows, tile),
            _ => walk_rows(first, tiles, steps, tile),
        }
    }
}

/// Rows of one tile: what else a row may have would take as long as the tile.
///
/// # Safety
/// As [`each`](super::each).
#[inline(always)]
unsafe fn walk_singles<T: Tile>(first: &Run, rows: Rows, tile: &T) {
    let (mut src, mut dst) = (first.src, first.dst);
    for _ in 0..rows.count {
        // SAFETY: by the contract of this function.
        unsafe { tile.run(src, dst) };
        src = src.wrapping_offset(rows.src_stride);
        dst = dst.wrapping_offset(rows.dst_stride);
    }
}

/// # Safety
/// As [`walk`].
#[inline(always)]
unsafe fn walk_rows<T: Tile>(first: &Run, tiles: &Tiles<'_>, steps: (usize, isize), tile: &T) {
    for k in 0..tiles.rows.count {
        let row = tiles.row(first, k);
        tiles.fetch(first, k, row.dst);
        let (mut src, mut dst) = (row.src, row.dst);
        // SAFETY: by the contract of this function.
        unsafe {
            for _ in 0..tiles.count / T::TURN {
                for _ in 0..T::TURN {
                    tile.run(src, dst);
                    dst = dst.wrapping_add(steps.0);
                    src = src.wrapping_offset(steps.1);
                }
            }
            for _ in 0..tiles.count % T::TURN {
                tile.run(src, dst);
                dst = dst.wrapping_add(steps.0);
                src = src.wrapping_offset(steps.1);
            }
            if let Some((at, place)) = tiles.last {
                tile.run(row.src.offset(place), row.dst.add(at));
            }
        }
    }
}
