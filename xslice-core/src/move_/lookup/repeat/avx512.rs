//! Rows from the same places in every turn of a loop, with AVX-512.
//!
//! What the places are is known before the first turn, so that each of them costs no more than the loads and stores:
//!   windows  out of registers, where the rows of some turns lie in a window of 256 bytes
//!   blends   blended from several windows, where narrow rows are near each other
//!   gathers  else by gathers, where the processor is quick at them and rows are words, or fill them nearly

mod blends;
mod gathers;
mod windows;

use super::{KeptPlaces, Turns};
use crate::move_::copy::Rows;

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
        match Form::of(&rows, places.reach, turns) {
            Some(Form::Windows { at_once }) => {
                windows::moved(dst, src, rows, places, turns, at_once);
                true
            }
            _ => blends::moved(dst, src, rows, places, turns),
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
    let takes = rows.touch() && gathers::takes(&rows, places.reach);
    if takes {
        // SAFETY: by the contract of this function.
        unsafe { gathers::moved(dst, src, rows, places, turns) };
    }
    takes
}

/// Gathers of words are quicker than a window that serves fewer turns.
const LEAST_AT_ONCE: usize = 4;

/// How neighbouring rows are moved, wherever in their reach they lie.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// Out of windows, each of which serves so many turns.
    Windows { at_once: usize },
    /// By gathers.
    Gathers,
}

impl Form {
    /// The quickest for rows that lie within `reach` bytes.
    pub(super) fn of(rows: &Rows, reach: usize, turns: Turns) -> Option<Self> {
        if !rows.touch() {
            return None;
        }
        let gathers = gathers::takes(rows, reach).then_some(Self::Gathers);
        let are_words = gathers.is_some() && matches!(rows.bytes, 4 | 8);
        match windows::at_once(rows, reach, turns) {
            Some(at_once) if at_once >= LEAST_AT_ONCE || !are_words => {
                Some(Self::Windows { at_once })
            }
            _ => gathers,
        }
    }
}
