//! Short rows of a pattern by AVX-512, each from a place of its own.
//!
//! Rows that touch in the destination are written by whole vectors, whose last bytes later rows write again; only the last ones are cut by
//! masks. Where one load gives a row, the vector is as narrow as that allows: a narrow store straddles fewer lines.

use super::short::{Short, at_an_end};
use super::tile::{Fetch, WideInRegisters};
use crate::move_::copy::Rows;
use crate::move_::mask::mask_of;
use crate::move_::shuffled::lanes::by_shape;
use crate::move_::shuffled::{Places, Run};
use crate::shuffle::{Pattern, Tables};
use core::arch::x86_64::*;

/// Moves rows, the next one from each of the places. `false`, and nothing is moved, if there are too many tables for registers.
///
/// # Safety
/// As [`super::wide`], for each of the rows.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
pub(in crate::move_::shuffled) unsafe fn run(
    run: &Run,
    pattern: &Pattern,
    tables: &Tables<64>,
    rows: &Rows,
    places: Places<'_>,
) -> bool {
    // SAFETY: by the contract of this function.
    unsafe {
        match (places.ahead, bytes_of_one(tables, rows)) {
            (0, Some(..=16)) => by_16::<false>(run, tables, rows, places),
            (0, Some(..=32)) => by_32::<false>(run, tables, rows, places),
            (0, Some(_)) => by_64::<false>(run, tables, rows, places),
            (_, Some(..=16)) => by_16::<true>(run, tables, rows, places),
            (_, Some(..=32)) => by_32::<true>(run, tables, rows, places),
            (_, Some(_)) => by_64::<true>(run, tables, rows, places),
            (_, None) => by_shape!(
                tables,
                shaped(run, pattern, tables, rows, places),
                return false
            ),
        }
    }
    true
}

/// The lowest and the highest of the first `rows` places.
fn ends(places: Places<'_>, rows: usize) -> (isize, isize) {
    let (mut first, mut last) = (isize::MAX, isize::MIN);
    for &place in &places.each[..rows] {
        first = first.min(place);
        last = last.max(place);
    }
    (first, last)
}

/// Bytes of a vector that is loaded and stored for each row, at least, if one is enough.
fn bytes_of_one(tables: &Tables<64>, rows: &Rows) -> Option<usize> {
    // A tile that gives more has bytes of the next one.
    let is_row = tables.tile == rows.bytes && tables.given == rows.bytes;
    match &tables.loads[..] {
        [only] if is_row && rows.touch() => Some(rows.bytes.max(span(only.used))),
        _ => None,
    }
}

/// Bytes up to the last that is named.
fn span(used: u64) -> usize {
    64 - used.leading_zeros() as usize
}

macro_rules! by_vectors {
    ($name:ident, $bytes:literal, $mask:ty, $load:ident, $load_masked:ident, $permute:ident, $store:ident, $store_masked:ident) => {
        /// Rows of one vector each, of which one load gives all.
        ///
        /// # Safety
        /// As [`run`], for rows that a load and a store of `$bytes` bytes hold.
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
        #[inline(never)]
        unsafe fn $name<const FETCH: bool>(
            run: &Run,
            tables: &Tables<64>,
            rows: &Rows,
            places: Places<'_>,
        ) {
            let [table, ..] = &tables.loads[..] else {
                return;
            };
            let reach = (table.offset, table.offset + $bytes);
            let (first, last) = ends(places, rows.count);
            let fit = run.holds((first + reach.0, last + reach.1));
            let whole = rows.with_room_for($bytes);
            let src = run.src.wrapping_offset(table.offset);
            let mut to = run.dst;
            // SAFETY: by the contract of this function: the table is longer; loads that fit lie inside the operand, of others only what they
            // give is read; whole vectors end before the last row does, and what they spill is in later rows.
            unsafe {
                let order = $load(table.bytes.as_ptr().cast());
                let (used, written) = (table.used as $mask, mask_of(rows.bytes) as $mask);
                let row = |place: isize, fit: bool| {
                    let from = src.wrapping_offset(place).cast();
                    $permute(
                        order,
                        if fit {
                            $load(from)
                        } else {
                            $load_masked(used, from)
                        },
                    )
                };
                for (k, &place) in places.each[..whole].iter().enumerate() {
                    if FETCH {
                        places.fetch(k, run.src, reach, to);
                    }
                    $store(to.cast(), row(place, fit));
                    to = to.wrapping_add(rows.bytes);
                }
                for &place in &places.each[whole..rows.count] {
                    $store_masked(to.cast(), written, row(place, fit));
                    to = to.wrapping_add(rows.bytes);
                }
            }
        }
    };
}

by_vectors!(
    by_16,
    16,
    __mmask16,
    _mm_loadu_epi8,
    _mm_maskz_loadu_epi8,
    _mm_permutexvar_epi8,
    _mm_storeu_epi8,
    _mm_mask_storeu_epi8
);
by_vectors!(
    by_32,
    32,
    __mmask32,
    _mm256_loadu_epi8,
    _mm256_maskz_loadu_epi8,
    _mm256_permutexvar_epi8,
    _mm256_storeu_epi8,
    _mm256_mask_storeu_epi8
);
by_vectors!(
    by_64,
    64,
    __mmask64,
    _mm512_loadu_epi8,
    _mm512_maskz_loadu_epi8,
    _mm512_permutexvar_epi8,
    _mm512_storeu_epi8,
    _mm512_mask_storeu_epi8
);

/// Rows of some vectors or loads.
///
/// # Safety
/// As [`run`], with the tables of that shape.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline(never)]
unsafe fn shaped<const VECTORS: usize, const LOADS: usize>(
    run: &Run,
    pattern: &Pattern,
    tables: &Tables<64>,
    rows: &Rows,
    places: Places<'_>,
) {
    let short = Short::of(tables, rows.bytes);
    let spilling = short.spilling(rows);
    let row = |place| Run {
        src: run.src.wrapping_offset(place),
        ..*run
    };
    let (first, last) = ends(places, rows.count);
    let fit = |short: &Short| short.fits(&row(first)) && short.fits(&row(last));
    let all_fit = fit(&short);
    let in_registers = WideInRegisters::<VECTORS, LOADS>::new(tables);
    let mut dst = run.dst;
    let fetch = |k: usize, dst: *mut u8| {
        if places.ahead > 0 {
            places.fetch(k, run.src, short.reach, dst);
        }
    };
    if !all_fit
        && let (alone, Some(end)) = Short::alone(pattern, tables, rows.bytes)
        && fit(&alone)
    {
        // SAFETY: by the contract of this function; all loads lie inside the operand.
        return unsafe { each_alone::<VECTORS, LOADS>(run, tables, rows, places, (alone, end)) };
    }
    let spilled = &places.each[..if all_fit { spilling } else { 0 }];
    // SAFETY: by the contract of this function; loads that fit lie inside the operand, and what a row spills is in later ones.
    unsafe {
        let tiles = short.spilled().whole;
        for (k, &place) in spilled.iter().enumerate() {
            fetch(k, dst);
            let from = run.src.wrapping_offset(place);
            in_registers.tiles::<false, 0>(tables, (from, dst), tiles, Fetch::NONE);
            dst = dst.wrapping_offset(rows.dst_stride);
        }
        let mut alone = spilled.len();
        // Of rows that lie anywhere, neighbours read the same lines.
        if all_fit && let Some(to) = places.to {
            let place = |k: usize| {
                let (from, to) = (places.each[k], to[k]);
                (run.src.wrapping_offset(from), run.dst.wrapping_offset(to))
            };
            while alone + 1 < rows.count {
                in_registers.two_rows(tables, place(alone), place(alone + 1), short.tiles);
                alone += 2;
            }
        }
        for k in alone..rows.count {
            let row = places.row(run, k, rows);
            fetch(k, row.dst);
            let place = (row.src, row.dst);
            match (short.tiles.whole, short.tiles.cut) {
                _ if all_fit || short.fits(&row) => {
                    in_registers.row::<false, 0, false>(tables, place, short.tiles, Fetch::NONE);
                }
                (0, 1) => {
                    in_registers.masked(&row, tables, place, rows.bytes);
                }
                _ => at_an_end::<VECTORS, LOADS>(&row, tables),
            }
        }
    }
}

/// The same of rows that each end with a tile which overlaps the one before it.
///
/// # Safety
/// As [`shaped`], for rows whose loads, with those of the last tile, lie inside the operand.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline(never)]
unsafe fn each_alone<const VECTORS: usize, const LOADS: usize>(
    run: &Run,
    tables: &Tables<64>,
    rows: &Rows,
    places: Places<'_>,
    (alone, (at, place)): (Short, (usize, isize)),
) {
    let in_registers = WideInRegisters::<VECTORS, LOADS>::new(tables);
    for k in 0..rows.count {
        let row = places.row(run, k, rows);
        if places.ahead > 0 {
            places.fetch(k, run.src, alone.reach, row.dst);
        }
        // SAFETY: by the contract of this function; the tiles lie inside the row.
        unsafe {
            let tiles = alone.tiles.whole;
            in_registers.tiles::<false, 0>(tables, (row.src, row.dst), tiles, Fetch::NONE);
            in_registers.tile(row.dst.add(at), row.src.offset(place));
        }
    }
}
