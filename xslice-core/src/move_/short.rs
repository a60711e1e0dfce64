//! Rows of few tiles by AVX-512: what is done once for all of them weighs more than what a long run gains from aligned stores.

use super::cache::Cache;
use super::copy::Rows;
use super::lanes::{by_shape, inside};
use super::shuffled::Run;
use super::x86::{Fetch, InRegisters, MANY};
use crate::shuffle::Tables;

/// Whether rows are that short.
pub(super) fn takes(run: &Run, tables: &Tables<64>) -> bool {
    run.bytes < 128 * tables.tile
}

/// Rows with gaps between them are fetched so many rows ahead.
const ROWS_AHEAD: isize = 2;

/// What short rows have in common.
struct Short {
    /// Tiles of a row that are whole, and those of the bytes behind them.
    tiles: usize,
    cut: usize,
    rest: usize,
    /// What all of these read, from the row's place.
    reach: (isize, isize),
    fetch: Fetch,
}

impl Short {
    fn of(tables: &Tables<64>, rows: &Rows) -> Self {
        let tiles = tables.tiles(rows.bytes);
        let rest = rows.bytes - tiles * tables.tile;
        let cut = match tables.given == tables.tile {
            true => tables.count_in(rest + tables.tile - 1),
            // Fewer bytes than the vectors have.
            false => usize::from(rest > 0),
        };
        let last = ((tiles + cut) as isize - 1) * tables.src_stride;
        let reach = (tables.reach.0 + last.min(0), tables.reach.1 + last.max(0));
        // The processor's own prefetchers find their way through rows that touch, and lose it at each gap.
        let has_gaps = rows.src_stride.unsigned_abs() > (reach.1 - reach.0).unsigned_abs() + 64;
        let fetch = Fetch {
            ahead: ROWS_AHEAD * rows.src_stride + tables.reach.0,
            lines: match has_gaps {
                true => tables.src_stride.unsigned_abs().div_ceil(64),
                false => 0,
            },
        };
        Self {
            tiles,
            cut,
            rest,
            reach,
            fetch,
        }
    }
}

/// Moves short rows, the tables in registers throughout; `false`, and nothing is moved, if there are too many for that.
///
/// # Safety
/// As [`super::x86::wide`], for each of the rows; the first is `run`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
pub(super) unsafe fn run(run: &Run, tables: &Tables<64>, rows: &Rows) -> bool {
    // SAFETY: by the contract of this function.
    unsafe { by_shape!(tables, shaped(run, tables, rows), return false) }
    true
}

/// # Safety
/// As [`run`], with the tables of that shape.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
unsafe fn shaped<const VECTORS: usize, const LOADS: usize>(
    run: &Run,
    tables: &Tables<64>,
    rows: &Rows,
) {
    let short = Short::of(tables, rows);
    // SAFETY: by the contract of this function.
    unsafe {
        match short.fetch.lines {
            _ if rows.cache == Cache::Near => {
                fetched::<VECTORS, LOADS, false, 0>(run, tables, rows, &short)
            }
            0 => fetched::<VECTORS, LOADS, true, 0>(run, tables, rows, &short),
            2 => fetched::<VECTORS, LOADS, true, 2>(run, tables, rows, &short),
            _ => fetched::<VECTORS, LOADS, true, MANY>(run, tables, rows, &short),
        }
    }
}

/// As [`InRegisters::tiles`] fetches.
///
/// # Safety
/// As [`shaped`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline(never)]
unsafe fn fetched<
    const VECTORS: usize,
    const LOADS: usize,
    const WRITE: bool,
    const READ: usize,
>(
    run: &Run,
    tables: &Tables<64>,
    rows: &Rows,
    short: &Short,
) {
    let tables_of = InRegisters::<VECTORS, LOADS>::new(tables);
    // Place by place: a copy of a row that has just been put together in memory waits until that is done.
    let (mut src, mut dst) = (run.src, run.dst);
    for _ in 0..rows.count {
        let first = src.wrapping_offset(short.reach.0);
        let end = src.wrapping_offset(short.reach.1);
        // SAFETY: by the contract of this function; a row all of whose loads lie inside the operand needs no masks for them.
        unsafe {
            if first >= run.low && end <= run.high {
                let places = (src, dst);
                let (mut src, mut dst) =
                    tables_of.tiles::<WRITE, READ>(tables, places, short.tiles, short.fetch);
                let mut rest = short.rest;
                for _ in 0..short.cut {
                    let given = rest.min(tables.given);
                    tables_of.cut(dst, src, given);
                    src = src.wrapping_offset(tables.src_stride);
                    dst = dst.wrapping_add(tables.tile);
                    rest -= given;
                }
            } else {
                at_an_end::<VECTORS, LOADS>(&Run { src, dst, ..*run }, tables);
            }
        }
        dst = dst.wrapping_offset(rows.dst_stride);
        src = src.wrapping_offset(rows.src_stride);
    }
}

/// Moves a row some of whose loads lie outside the operand: its first and last tiles by masks.
///
/// # Safety
/// As [`shaped`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline(never)]
unsafe fn at_an_end<const VECTORS: usize, const LOADS: usize>(row: &Run, tables: &Tables<64>) {
    let in_registers = InRegisters::<VECTORS, LOADS>::new(tables);
    let inside = inside(row, tables);
    let (mut places, mut rest) = ((row.src, row.dst), row.bytes);
    // SAFETY: by the contract of this function; masks leave out what lies outside the operand and the row.
    unsafe {
        for _ in 0..inside.start {
            places = in_registers.masked(row, tables, places, rest);
            rest -= tables.tile;
        }
        places = in_registers.tiles::<false, 0>(tables, places, inside.len(), Fetch::NONE);
        rest -= inside.len() * tables.tile;
        while rest > 0 {
            places = in_registers.masked(row, tables, places, rest);
            rest = rest.saturating_sub(tables.tile);
        }
    }
}
