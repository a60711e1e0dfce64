//! Shuffles of bytes by NEON: its instructions for the loops of [`lanes`].
//!
//! `tbl` gives 0 for a name beyond its table, and `tbx` leaves the byte that was there: so a vector is merged out of several loads without a
//! mask.

use super::lanes::{self, Lanes, Tiles};
use super::{Places, Run};
use crate::move_::copy::Rows;
use crate::shuffle::{KnownRows, Pattern, Tables};
use core::arch::aarch64::{uint8x16_t, vqtbl1q_u8, vqtbx1q_u8};

// SAFETY: 16 bytes, of any value.
unsafe impl Lanes for uint8x16_t {
    #[inline(always)]
    unsafe fn picked(self, order: Self) -> Self {
        // SAFETY: by the contract of the trait.
        unsafe { vqtbl1q_u8(self, order) }
    }

    #[inline(always)]
    unsafe fn merged(self, loaded: Self, order: Self) -> Self {
        // SAFETY: by the contract of the trait.
        unsafe { vqtbx1q_u8(self, loaded, order) }
    }

    #[target_feature(enable = "neon")]
    unsafe fn tiles(first: &Run, tables: &Tables<16>, tiles: &Tiles<'_>) {
        // SAFETY: by the contract of this function.
        unsafe { lanes::each::<Self>(first, tables, tiles) }
    }

    #[target_feature(enable = "neon")]
    unsafe fn spilling(run: &Run, tables: &Tables<16>, known: &KnownRows) {
        // SAFETY: by the contract of this function.
        unsafe { lanes::known::each_spilling::<Self>(run, tables, known) }
    }

    #[target_feature(enable = "neon")]
    unsafe fn alone(
        first: &Run,
        pattern: &Pattern,
        tables: &Tables<16>,
        rows: Rows,
        places: Places<'_>,
    ) {
        // SAFETY: by the contract of this function.
        unsafe { lanes::each_alone::<Self>(first, pattern, tables, rows, places) }
    }
}
