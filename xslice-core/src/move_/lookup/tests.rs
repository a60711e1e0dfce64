//! Every level against plain loops: look-ups in tables of every size, rows from the same places in every turn.

use super::repeat::{self, KeptPlaces};
use super::{ASKED, Index, Indices, run};
use crate::level::Level;
use crate::move_::at::{Starts, Turns};
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::move_::processor::on_each_processor;
use crate::move_::tests::{Random, UNTOUCHED};
use crate::shuffle::LINE;
use alloc::{vec, vec::Vec};
use core::mem::MaybeUninit;

/// Indices at a distance of so many, backwards if it is negative, with `gap` between them.
struct Laid<I> {
    all: Vec<I>,
    distance: isize,
}

impl<I: Index> Laid<I> {
    fn new(ids: &[I], distance: isize, gap: I) -> Self {
        let apart = distance.unsigned_abs();
        let mut all = vec![gap; ids.len() * apart];
        for (k, &id) in ids.iter().enumerate() {
            let at = if distance < 0 { ids.len() - 1 - k } else { k };
            all[at * apart] = id;
        }
        Self { all, distance }
    }

    fn indices(&self, scale: usize, size: usize) -> Indices<I> {
        let apart = self.distance.unsigned_abs();
        let first = if self.distance < 0 {
            self.all.len() - apart
        } else {
            0
        };
        Indices {
            table: self.all[first..].as_ptr(),
            stride: self.distance * size_of::<I>() as isize,
            scale: scale as isize,
            size: size as i64,
        }
    }
}

/// Neighbours most often.
fn some_distance(random: &mut Random) -> isize {
    [1, 1, 1, 2, -1, -3][random.below(6)]
}

/// Looks up at every level, and compares with the entries; then with an index outside of the axis, which is to be refused. Entries touch, or
/// are some bytes apart; so do indices, with such as are outside between them.
fn look_up<I: Index>(random: &mut Random, bytes: usize, size: usize, mut ids: Vec<I>, outside: I) {
    let scale = bytes + random.below(2) * random.below(4);
    let table = random.bytes(scale * (size - 1) + bytes + LINE);
    // Rows that are whole lines lie in lines.
    let table = &table[table.as_ptr().align_offset(LINE)..];
    let rows = Rows {
        count: ids.len(),
        bytes,
        dst_stride: bytes as isize,
        src_stride: 0,
        cache: [Cache::Near, Cache::Second, Cache::Far][random.below(3)],
    };
    let wrapped = |id: I| match id.into() {
        id if id < 0 => (id + size as i64) as usize,
        id => id as usize,
    };
    let entries = ids.iter().map(|&id| wrapped(id) * scale);
    let rows_of = entries.flat_map(|at| table[at..at + bytes].to_vec());
    // What lies after the rows is not theirs.
    let expected: Vec<u8> = rows_of.chain([UNTOUCHED; LINE]).collect();
    let distance = some_distance(random);
    let look_up = |level, ids: &Laid<I>| {
        let mut dst = vec![UNTOUCHED; expected.len()];
        let indices = ids.indices(scale, size);
        // SAFETY: the entries of the axis lie in `table`, `dst` has room for more than there are indices.
        let passed = unsafe { run(level, dst.as_mut_ptr(), table.as_ptr(), rows, indices) };
        (passed, dst)
    };
    let laid = Laid::new(&ids, distance, outside);
    on_each_processor(|| {
        for level in Level::all() {
            let (passed, dst) = look_up(level, &laid);
            let name = level.name();
            assert!(passed, "{name}: {bytes} bytes of {size}, {distance} apart");
            assert!(
                dst == expected,
                "{name}: {bytes} bytes of {size}, {distance} apart"
            );
        }
    });
    let at = random.below(ids.len());
    ids[at] = outside;
    let laid = Laid::new(&ids, distance, outside);
    on_each_processor(|| {
        for level in Level::all() {
            let (passed, _) = look_up(level, &laid);
            assert!(!passed, "{}: {bytes} bytes of {size}", level.name());
        }
    });
}

/// Places of as many rows as are kept for all turns of a loop, of some in their midst, of indices that lie anyhow.
#[test]
fn places_are_those_that_indices_say() {
    let mut random = Random(0xA076_1D64_78BD_642F);
    for _ in 0..300 {
        let size = 1 + random.below(1000);
        let count = random.below(repeat::MOST_KEPT) + 1;
        let first = [0, random.below(count)][random.below(2)];
        let ids: Vec<i32> = (0..count)
            .map(|_| random.below(2 * size) as i32 - size as i32)
            .collect();
        let (scale, src_stride) = (
            [1, 3, 4, 64][random.below(4)],
            [0, 0, 5, -8][random.below(4)],
        );
        let laid = Laid::new(&ids, some_distance(&mut random), size as i32);
        let indices = laid.indices(scale, size);
        let place = |(k, &id): (usize, &i32)| {
            let row = if id < 0 {
                id as isize + size as isize
            } else {
                id as isize
            };
            row * scale as isize + k as isize * src_stride
        };
        let expected: Vec<isize> = ids.iter().enumerate().map(place).skip(first).collect();
        for level in Level::all() {
            let mut places = vec![MaybeUninit::new(isize::MIN); count - first];
            // SAFETY: the indices lie in the table; the places are written before they are read.
            let found: Vec<isize> = unsafe {
                assert!(indices.places(level, first, src_stride, &mut places));
                places.iter().map(|place| place.assume_init()).collect()
            };
            assert!(
                found == expected,
                "{}: {count} from {first} on",
                level.name()
            );
        }
    }
}

#[test]
fn lookups_move_what_indices_say_and_refuse_those_outside() {
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    for bytes in (1..=9).chain([12, 16, 20, 32, 33, 100]) {
        // Around what a table of 64, two, and four of them hold, and more; as many rows as are asked at once many times, or some more.
        for size in [1, 5, 63, 64, 65, 128, 129, 255, 256, 257, 600] {
            // From the thousandth on, they count from the start of the axis.
            let many = [2501, 2528][size % 2];
            for count in [37, many] {
                let mut ids = || {
                    let id = |k| match random.below(2 * size) as i64 - size as i64 {
                        id @ ..0 if k >= 1000 => !id,
                        id => id,
                    };
                    (0..count).map(id).collect::<Vec<i64>>()
                };
                let (wide, narrow) = (ids(), ids().iter().map(|&id| id as i32).collect());
                // One bit in a high word: what is left of the index is a good one.
                let far = [1 << 32, 1 << 16, i64::MIN][random.below(3)];
                let ends = [size as i32, -(size as i32) - 1];
                let near = [ends[0], ends[1], 1 << 16, i32::MIN][random.below(4)];
                look_up::<i64>(&mut random, bytes, size, wide, far);
                look_up::<i32>(&mut random, bytes, size, narrow, near);
            }
        }
    }
}

/// Indices that count up, across the end of the axis too, and some that only seem to.
#[test]
fn lookups_of_neighbours_move_what_indices_say() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for bytes in [1, 2, 3, 4, 8] {
        for size in [300, 5000] {
            let mut ids = Vec::new();
            while ids.len() < 1500 {
                let first = random.below(2 * size - 100) as i64 - size as i64;
                let count = 1 + random.below(100) as i64;
                ids.extend(first..first + count);
                if random.below(3) == 0 {
                    let at = random.below(ids.len());
                    ids[at] = 0;
                }
            }
            let narrow = ids.iter().map(|&id| id as i32).collect();
            look_up::<i64>(&mut random, bytes, size, ids, i64::MAX);
            look_up::<i32>(&mut random, bytes, size, narrow, i32::MIN);
        }
    }
}

/// No near cache holds this many bytes.
const FAR: usize = 17 << 20;

/// Each index of a table that no near cache holds is read just before its row is asked for.
#[test]
fn lookups_in_far_tables_move_what_indices_say() {
    let mut random = Random(0x5851_F42D);
    for (bytes, count) in [(40, 1000), (64, 1000), (64, 20), (33, 5), (32, 300)] {
        let size = FAR / bytes;
        // Those in the middle count from the start of the axis.
        let id = |k| match random.below(2 * size) as i64 - size as i64 {
            id @ ..0 if (100..700).contains(&k) => !id,
            id => id,
        };
        let ids = (0..count).map(id).collect::<Vec<i64>>();
        let narrow = ids.iter().map(|&id| id as i32).collect();
        look_up::<i64>(&mut random, bytes, size, ids, i64::MIN);
        look_up::<i32>(&mut random, bytes, size, narrow, size as i32);
    }
}

/// The same where rows and indices are apart, forwards and backwards.
#[test]
fn lookups_in_far_tables_go_any_way() {
    let mut random = Random(0x1405_7B7E);
    let (bytes, scale, count) = (48, 64, 200);
    let size = FAR / scale;
    for (src_stride, index_stride) in [(24, 16), (-8, 8), (0, -24), (40, -8)] {
        let spread = count * 64;
        let table = random.bytes(size * scale + 2 * spread);
        let ids: Vec<i64> = (0..3 * count).map(|_| random.below(size) as i64).collect();
        let first_id = if index_stride < 0 { ids.len() - 1 } else { 0 };
        let rows = Rows {
            count,
            bytes,
            dst_stride: bytes as isize + 3,
            src_stride,
            cache: [Cache::Near, Cache::Second, Cache::Far][random.below(3)],
        };
        let mut expected = vec![UNTOUCHED; count * (bytes + 3)];
        for (k, row) in expected.chunks_mut(bytes + 3).enumerate() {
            let id = ids[(first_id as isize + k as isize * index_stride / 8) as usize];
            let at = (spread as isize + k as isize * src_stride) as usize + id as usize * scale;
            row[..bytes].copy_from_slice(&table[at..at + bytes]);
        }
        let run = |level: Level| {
            let mut dst = vec![UNTOUCHED; expected.len()];
            let indices = Indices {
                table: &raw const ids[first_id],
                stride: index_stride,
                scale: scale as isize,
                size: size as i64,
            };
            let src = table[spread..].as_ptr();
            // SAFETY: `table` has the entries of the axis and what the rows add to their places, `dst` has room for the rows.
            let passed = unsafe { run(level, dst.as_mut_ptr(), src, rows, indices) };
            assert!(passed && dst == expected, "{}: {src_stride}", level.name());
        };
        on_each_processor(|| Level::all().for_each(run));
    }
}

/// Moves rows from the same places in the turns of some loops, the last one innermost, at every level, and compares with a loop over bytes.
/// The operand begins and ends where the reach of a turn does.
fn repeat(random: &mut Random, bytes: usize, reach: usize, places: &[isize], loops: &[usize]) {
    let (mut written, mut read) = (places.len() * bytes, reach);
    let (mut dst_strides, mut src_strides) = (vec![0; loops.len()], vec![0; loops.len()]);
    let mut first = 0;
    for (k, &turns) in loops.iter().enumerate().rev() {
        let gap = random.below(2) * random.below(9);
        let (to, from) = (written + gap, random.below(2 * reach));
        let backwards = random.below(2) == 1;
        written += to * (turns - 1);
        read += from * (turns - 1);
        first += if backwards { from * (turns - 1) } else { 0 };
        dst_strides[k] = to as i64;
        src_strides[k] = if backwards {
            -(from as i64)
        } else {
            from as i64
        };
    }
    let src = random.bytes(read);
    let mut expected = vec![UNTOUCHED; written];
    for turn in 0..loops.iter().product() {
        let (mut left, mut to, mut from) = (turn, 0, first as i64);
        for (k, turns) in loops.iter().enumerate().rev() {
            let counter = (left % turns) as i64;
            left /= turns;
            to += (counter * dst_strides[k]) as usize;
            from += counter * src_strides[k];
        }
        for (row, &place) in places.iter().enumerate() {
            let (to, from) = (to + row * bytes, from as usize + place as usize);
            expected[to..to + bytes].copy_from_slice(&src[from..from + bytes]);
        }
    }
    let rows = Rows {
        count: places.len(),
        bytes,
        dst_stride: bytes as isize,
        src_stride: 0,
        cache: Cache::Far,
    };
    let (&turns, around) = loops.split_last().expect("a loop");
    let innermost = Turns {
        count: turns,
        dst_stride: dst_strides[around.len()] as isize,
        src_stride: src_strides[around.len()] as isize,
    };
    let run = |level| {
        let mut dst = vec![UNTOUCHED; expected.len()];
        let begin = (dst.as_mut_ptr(), src.as_ptr().wrapping_add(first));
        let starts = Starts::new(begin, around, &dst_strides, &src_strides);
        let each = KeptPlaces {
            each: places,
            reach,
        };
        // SAFETY: the reach of each turn lies in `src`, and `dst` has room for the rows of all turns.
        unsafe { repeat::moved(level, starts, rows, each, innermost) };
        assert!(
            dst == expected,
            "{}: {bytes} bytes of {reach} in {loops:?}: {places:?}",
            level.name()
        );
    };
    on_each_processor(|| Level::all().for_each(run));
}

#[test]
fn rows_from_the_same_places_move_in_every_turn() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for bytes in (1..=9).chain([16]) {
        for size in [1, 2, 4, 21, 64, 65, 100, 257, 700] {
            for (most, turns) in [(7, 13), (16, 3), (33, 34), (64, 32), (100, 67), (1000, 33)] {
                let count = most - random.below(7);
                let scale = bytes + random.below(2) * random.below(4);
                let reach = scale * (size - 1) + bytes;
                let mut rows: Vec<_> = (0..count).map(|_| random.below(size)).collect();
                rows[random.below(count)] = size - 1;
                if random.below(2) == 1 {
                    rows.sort_unstable();
                }
                let places: Vec<_> = rows.iter().map(|row| (row * scale) as isize).collect();
                let around: [&[usize]; 4] = [&[], &[], &[3], &[2, 4]];
                let loops = [around[random.below(4)], &[turns]].concat();
                repeat(&mut random, bytes, reach, &places, &loops);
            }
        }
    }
}

/// Few rows in so many turns that they are a pattern.
#[test]
fn rows_from_the_same_places_are_a_pattern() {
    let mut random = Random(0x7E57_A11C);
    for (bytes, count, size) in [(1, 3, 3), (1, 3, 4), (1, 30, 40), (2, 5, 16), (4, 3, 4)] {
        for round in 0..8 {
            let reach = bytes * size;
            let places: Vec<_> = (0..count)
                .map(|_| (random.below(size) * bytes) as isize)
                .collect();
            // Fewer turns are a pattern from the second call on.
            repeat(&mut random, bytes, reach, &places, &[6000 + round]);
            repeat(&mut random, bytes, reach, &places, &[1500 + round]);
            repeat(&mut random, bytes, reach, &places, &[200 + round, 30]);
            repeat(&mut random, bytes, reach, &places, &[5, 40, 1 + 2 * round]);
            // So few turns that they are part of those around them.
            repeat(&mut random, bytes, reach, &places, &[1000, 2 + round / 2]);
            repeat(&mut random, bytes, reach, &places, &[3, 400, 2]);
        }
    }
}

/// As many columns as there is room for.
#[test]
fn rows_from_the_same_places_lie_as_far_apart_as_columns_do() {
    let mut random = Random(0x5C0A_9E11);
    for (bytes, turns) in [(1, 67), (2, 35), (4, 19)] {
        let places: Vec<_> = (0..1000)
            .map(|_| (random.below(2048) * bytes) as isize)
            .collect();
        repeat(&mut random, bytes, 2048 * bytes, &places, &[turns]);
        repeat(&mut random, bytes, 2048 * bytes, &places, &[2, turns]);
    }
}

/// Rows whose places are multiples of their bytes, but not the end of what they lie in.
#[test]
fn rows_from_the_same_places_end_before_their_reach() {
    let mut random = Random(0x6C07_8965);
    for (bytes, scale) in [(2, 3), (4, 6), (8, 12)] {
        for size in [22, 60, 100] {
            let places: Vec<_> = (0..70)
                .map(|_| (2 * random.below(size / 2) * scale) as isize)
                .collect();
            let reach = scale * (size - 1) + bytes;
            repeat(&mut random, bytes, reach, &places, &[35]);
            repeat(&mut random, bytes, reach, &places, &[2, 35]);
        }
    }
}

/// Indices of axes about as long as words can count, at every level: what is known of them is true.
#[test]
fn indices_of_long_axes_count_from_their_start() {
    let mut random = Random(43);
    for size in [
        1,
        2,
        0x7fff_ffff,
        1 << 31,
        0x8000_0001,
        0xffff_ffff,
        1 << 32,
        0x1_0000_0001,
    ] {
        let ends = [
            0,
            1,
            size - 2,
            size - 1,
            size,
            -1,
            -2,
            1 - size,
            -size,
            -size - 1,
        ];
        let limits = [
            i32::MIN.into(),
            i32::MAX.into(),
            i64::MIN,
            i64::MAX,
            1 << 32,
            -1 << 32,
        ];
        let all: Vec<i64> = ends.into_iter().chain(limits).collect();
        for id in all {
            let inside = random.below(2) as i64 % size;
            let mut ids = [inside; ASKED];
            ids[random.below(ASKED)] = id;
            counts_from_start(&ids, size);
            if let Ok(id) = i32::try_from(id) {
                let narrow = ids.map(|other| i32::try_from(other).unwrap_or(id));
                counts_from_start(&narrow, size);
            }
        }
    }
}

/// What is said of all these, of the axis and of all its rows but the last.
fn counts_from_start<I: Index>(ids: &[I; ASKED], size: i64) {
    let indices = Indices {
        table: ids.as_ptr(),
        stride: size_of::<I>() as isize,
        scale: 1,
        size,
    };
    let wrapped = ids.map(|id| match id.into() {
        id @ ..0 => id.wrapping_add(size),
        id => id,
    });
    for level in Level::all() {
        for most in [size, size - 1] {
            // SAFETY: as many indices lie in the table.
            let count_from_start = unsafe { indices.count_from_start(level, most) };
            let are_inside = ids.iter().all(|&id| (0..most).contains(&id.into()));
            assert!(are_inside || !count_from_start, "{}: {most}", level.name());
        }
        let mut room = [const { MaybeUninit::uninit() }; ASKED];
        // SAFETY: likewise.
        if let Some(counted) = unsafe { indices.wrapped_at_once(level, &mut room) } {
            // SAFETY: all of them were written.
            let counted = unsafe { counted.table.cast::<[I; ASKED]>().read() };
            assert_eq!(counted.map(Into::into), wrapped, "{}: {size}", level.name());
            assert!(wrapped.iter().all(|id| (0..size).contains(id)));
        }
        for scale in [1, 12, 0xffff_ffff, 1 << 32, -8] {
            for count in [1, 5, 8, 13, ASKED] {
                let indices = Indices { scale, ..indices };
                places_are(level, &indices, &wrapped[..count]);
            }
        }
    }
}

/// The places of some of these, and whether all of them are said to be inside.
fn places_are<I: Index>(level: Level, indices: &Indices<I>, wrapped: &[i64]) {
    let mut places = vec![MaybeUninit::uninit(); wrapped.len()];
    // SAFETY: as many indices lie in the table.
    let are_inside = unsafe { indices.places(level, 0, 0, &mut places) };
    let all = wrapped.iter().all(|id| (0..indices.size).contains(id));
    assert_eq!(are_inside, all, "{}: {wrapped:?}", level.name());
    for (place, &id) in places.iter().zip(wrapped).filter(|_| all) {
        // SAFETY: where all lie in the axis, all places are written.
        let place = unsafe { place.assume_init() };
        assert_eq!(
            place,
            (id as isize).wrapping_mul(indices.scale),
            "{}",
            level.name()
        );
    }
}
