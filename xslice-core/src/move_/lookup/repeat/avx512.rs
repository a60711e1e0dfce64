//! Rows from the same places in every turn of a loop, with AVX-512.
//!
//! What the places are is known before the first turn, so that each of them costs no more than the loads and stores:
//!   windows  out of registers, where the rows of some turns lie in a window of 256 bytes
//!   blends   blended from several windows, where narrow rows are near each other
//!   gathers  where columns do not pay, the processor is quick at gathers, and rows are words, or fill them nearly

mod blends;
mod gathers;
mod windows;

use super::{KeptPlaces, Turns};
use crate::move_::copy::Rows;

/// Gathers of words are quicker than a window that serves fewer turns.
const LEAST_AT_ONCE: usize = 4;

/// How many turns take their rows from one window, if that pays.
fn of_one_window(rows: &Rows, reach: usize, turns: Turns) -> Option<usize> {
    let at_once = windows::at_once(rows, reach, turns)?;
    let by_gathers = matches!(rows.bytes, 4 | 8) && gathers::takes(rows, reach);
    (at_once >= LEAST_AT_ONCE || !by_gathers).then_some(at_once)
}

/// Moves rows that lie near each other, out of windows; `false`, and nothing is moved, for others.
///
/// # Safety
/// As [`super::moved`]; the processor has AVX-512 F, BW, VL, DQ and VBMI.
pub(super) unsafe fn near(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
) -> bool {
    // SAFETY: by the contract of this function.
    unsafe {
        match of_one_window(&rows, places.reach, turns) {
            Some(at_once) => {
                windows::moved(dst, src, rows, places, turns, at_once);
                true
            }
            None => blends::moved(dst, src, rows, places, turns),
        }
    }
}

/// Moves rows by gathers; `false`, and nothing is moved, where that is slower.
///
/// # Safety
/// As [`near`].
pub(super) unsafe fn gathered(
    dst: *mut u8,
    src: *const u8,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
) -> bool {
    let takes = gathers::takes(&rows, places.reach);
    if takes {
        // SAFETY: by the contract of this function.
        unsafe { gathers::moved(dst, src, rows, places, turns) };
    }
    takes
}
