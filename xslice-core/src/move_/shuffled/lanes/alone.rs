//! Rows of one tile, each from a place of its own.

use super::{InMemory, InRegisters, Lanes, Places, Run, Tile, by_shape, units};
use crate::move_::copy::Rows;
use crate::shuffle::{Pattern, Tables};
use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr::copy_nonoverlapping;

/// Bytes that a tile reads and writes, at most, if it moves at the ends of both operands too.
const MOST_READ: usize = 512;
const MOST_WRITTEN: usize = 256;

/// Moves rows of one tile that touch in the destination: whole vectors, whose last bytes the rows after them write again.
///
/// # Safety
/// As [`rows`](super::rows), of such rows.
#[inline(always)]
pub(in super::super) unsafe fn each_alone<V: Lanes>(
    first: &Run,
    pattern: &Pattern,
    tables: &Tables<16>,
    rows: Rows,
    places: Places<'_>,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        let in_memory = InMemory::<V>::new(tables);
        by_shape!(
            tables,
            alone_of<V>(first, pattern, tables, rows, places),
            alone(first, pattern, tables, rows, places, &in_memory)
        )
    }
}

/// # Safety
/// As [`each_alone`], with the tables of that shape.
#[inline(always)]
unsafe fn alone_of<V: Lanes, const VECTORS: usize, const LOADS: usize>(
    first: &Run,
    pattern: &Pattern,
    tables: &Tables<16>,
    rows: Rows,
    places: Places<'_>,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        let in_registers = InRegisters::<V, VECTORS, LOADS>::new(tables);
        alone(first, pattern, tables, rows, places, &in_registers);
    }
}

/// # Safety
/// As [`each_alone`].
#[inline(always)]
unsafe fn alone(
    first: &Run,
    pattern: &Pattern,
    tables: &Tables<16>,
    rows: Rows,
    places: Places<'_>,
    tile: &impl Tile,
) {
    let Run { src, low, high, .. } = *first;
    let written = tables.vectors * 16;
    let spilling = rows.with_room_for(written);
    // A tile whose row lies in this range of places reads inside the operand (I3).
    let (begin, end) = (
        (low as isize - src as isize) - tables.reach.0,
        (high as isize - src as isize) - tables.reach.1,
    );
    let read = (tables.reach.1 - tables.reach.0).unsigned_abs();
    let mut apart = (read <= MOST_READ && written <= MOST_WRITTEN).then(Apart::default);
    let each = &places.each[..rows.count];
    let (mut dst, mut done) = (first.dst, 0);
    while done < rows.count {
        // Few values, so that they stay in registers beside the tables.
        for &place in each.get(done..spilling).unwrap_or_default() {
            if place < begin || place > end {
                break;
            }
            if places.ahead > 0 {
                places.fetch(done, src, tables.reach, dst);
            }
            // SAFETY: by the contract of this function; what a tile writes too much is in later rows (I4).
            unsafe { tile.run(src.wrapping_offset(place), dst) };
            dst = dst.wrapping_add(rows.bytes);
            done += 1;
        }
        let Some(&place) = each.get(done) else {
            return;
        };
        let from = src.wrapping_offset(place);
        // SAFETY: by the contract of this function; what a tile reads and writes too much is apart.
        unsafe {
            match &mut apart {
                Some(Apart { read, written }) => {
                    let from = read_apart(read, from, tables.reach, low..high);
                    let to = written.as_mut_ptr().cast::<u8>();
                    tile.run(from, to);
                    copy_nonoverlapping(to, dst, rows.bytes);
                }
                None => {
                    let src = from;
                    let row = Run { dst, src, ..*first };
                    units(&row, pattern, 0..rows.bytes);
                }
            }
        }
        dst = dst.wrapping_add(rows.bytes);
        done += 1;
    }
}

/// What a tile reads and writes, where the operands end before these.
struct Apart {
    read: [MaybeUninit<u8>; MOST_READ],
    written: [MaybeUninit<u8>; MOST_WRITTEN],
}

impl Default for Apart {
    fn default() -> Self {
        Self {
            read: [MaybeUninit::uninit(); _],
            written: [MaybeUninit::uninit(); _],
        }
    }
}

/// Where a tile reads the same as at `src`, `reach` bytes from there, as far as the operand has it, and 0 else: in `room`.
///
/// # Safety
/// The operand is readable; the reach is of at most [`MOST_READ`] bytes, begins before the end of the operand, and ends after its begin.
#[inline(never)]
unsafe fn read_apart(
    room: &mut [MaybeUninit<u8>; MOST_READ],
    src: *const u8,
    reach: (isize, isize),
    operand: Range<*const u8>,
) -> *const u8 {
    let (first, last) = (src.wrapping_offset(reach.0), src.wrapping_offset(reach.1));
    let (low, high) = (first.max(operand.start), last.min(operand.end));
    room[..last.addr() - first.addr()].fill(MaybeUninit::new(0));
    let begin = room.as_mut_ptr().cast::<u8>();
    // SAFETY: by the contract of this function: from `low` to `high` lies in the operand and in the reach.
    unsafe {
        let to = begin.add(low.addr() - first.addr());
        copy_nonoverlapping(low, to, high.addr() - low.addr());
    }
    begin.wrapping_offset(-reach.0)
}
