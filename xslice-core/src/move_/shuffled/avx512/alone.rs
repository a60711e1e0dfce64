//! Known rows of up to 16 bytes, each of which one vector of 16 bytes reads and writes: those of 64 bytes would lie in two lines each.

use crate::level::Level;
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::move_::mask::mask_of;
use crate::move_::shuffled::{Run, move_anyhow};
use crate::shuffle::{KnownRows, RowLoops, RowTiles, Shuffle, Spilled, Tables};
use core::arch::x86_64::{
    __m128i, _mm_loadu_si128, _mm_mask_storeu_epi8, _mm_shuffle_epi8, _mm_storeu_si128,
};

/// Bytes of a vector.
const VECTOR: usize = 16;

/// Rows of one period of `bytes` bytes, by tables of one vector and one load.
pub(in crate::move_::shuffled) fn known(
    level: Level,
    bytes: usize,
    tables: &Tables<VECTOR>,
    loops: RowLoops,
) -> KnownRows {
    let all = Rows {
        count: loops.count(),
        dst_stride: bytes as isize,
        ..Rows::one(bytes, Cache::Near)
    };
    // Those without room for a vector are the last of all, where all touch.
    let spilling = if loops.touch(bytes) {
        all.with_room_for(VECTOR)
    } else {
        0
    };
    let each = loops.inner().turns;
    let spilled = match each.checked_sub(all.count - spilling) {
        Some(last) => Spilled { each, last },
        None => Spilled { each: 0, last: 0 },
    };
    KnownRows {
        moved_by: moved,
        level,
        loops,
        bytes,
        tiles: RowTiles::whole(1),
        spilled,
        last: None,
        reach: tables.reach,
        reach_of_all: loops.reach(tables.reach),
        listed: None,
    }
}

/// Moves rows that are [`known`].
///
/// # Safety
/// As [`super::known::one_row`], for all of them.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
unsafe fn moved(
    shuffle: &Shuffle,
    dst: *mut u8,
    src: *const u8,
    known: &KnownRows,
    low: *const u8,
    high: *const u8,
) {
    let row = Run::new(dst, src, known.bytes, low..high);
    let load = shuffle.alone_in_one_vector().map(|tables| &tables.loads[0]);
    let (Some(load), true) = (load, row.holds(known.reach_of_all)) else {
        // SAFETY: by the contract of this function.
        return unsafe { move_anyhow(shuffle, dst, src, known, low, high) };
    };
    let (turns, apart) = (known.loops.inner().turns, known.loops.inner().apart);
    let of_row = mask_of(known.bytes) as u16;
    let src = src.wrapping_offset(load.offset);
    // SAFETY: an array of 16 bytes.
    let order: __m128i = unsafe { _mm_loadu_si128(load.bytes.as_ptr().cast()) };
    let mut left = known.loops.count();
    known.loops.outer(|to, from| {
        left -= turns;
        let spilled = known.spilled.of_turn(left == 0);
        let (mut dst, mut src) = (dst.wrapping_offset(to), src.wrapping_offset(from));
        for k in 0..turns {
            // SAFETY: by the comparison above the loads of all rows lie inside the operand (I3); what a vector has too many lies in later
            // rows, which write it again (I4), or is masked.
            unsafe {
                let vector = _mm_shuffle_epi8(_mm_loadu_si128(src.cast()), order);
                match k < spilled {
                    true => _mm_storeu_si128(dst.cast(), vector),
                    false => _mm_mask_storeu_epi8(dst.cast(), of_row, vector),
                }
            }
            dst = dst.wrapping_offset(apart.0);
            src = src.wrapping_offset(apart.1);
        }
    });
}
