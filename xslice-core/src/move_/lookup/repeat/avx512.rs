//! Rows from the same places in every turn of a loop, with AVX-512.
//!
//! What the places are is known before the first turn, so that each of them costs no more than the loads and stores:
//!   windows  out of registers, where the rows of some turns lie in a window of up to 256 bytes
//!   blends   blended from several windows, where narrow rows are near each other
//!   gathers  where columns do not pay, the processor is quick at gathers, and rows are words, or fill them nearly

mod blends;
mod gathers;
mod windows;

use super::{KeptPlaces, Starts, Turns};
use crate::move_::copy::Rows;
use windows::Window;

/// Fewer turns are over by gathers before the order of a window has paid.
const LEAST_TURNS: usize = 32;

/// About how many cycles it takes to write so many bytes.
#[derive(Clone, Copy)]
struct Cost {
    cycles: usize,
    written: usize,
}

impl Cost {
    fn is_less(self, other: Self) -> bool {
        self.cycles * other.written < other.cycles * self.written
    }
}

/// The window that turns take their rows from, if it is quicker than gathers.
fn one_window(rows: &Rows, reach: usize, starts: usize, turns: Turns) -> Option<Window> {
    // Single turns are not gathered.
    let by_gathers = matches!(rows.bytes, 4 | 8) && turns.count > 1 && gathers::takes(rows, reach);
    if by_gathers && starts * turns.count < LEAST_TURNS {
        return None;
    }
    let window = Window::of(rows, reach, (starts, turns))?;
    let is_quicker = !by_gathers || window.cost(rows).is_less(gathers::cost(rows.bytes));
    is_quicker.then_some(window)
}

/// Moves rows that lie near each other, out of windows; `false`, and nothing is moved, for others.
///
/// # Safety
/// As [`super::moved`]; the processor has AVX-512 F, BW, VL, DQ and VBMI.
pub(super) unsafe fn near(
    starts: Starts<'_>,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
) -> bool {
    // SAFETY: by the contract of this function.
    unsafe {
        match one_window(&rows, places.reach, starts.count(), turns) {
            Some(window) => {
                windows::moved(starts, rows, places, turns, window);
                true
            }
            None => turns.count > 1 && blends::moved(starts, rows, places, turns),
        }
    }
}

/// About what [`near`] costs in a turn, in half cycles, for rows that lie anywhere within `reach`; `None` where it moves none of them.
pub(super) fn cost_of_near(
    rows: &Rows,
    reach: usize,
    starts: usize,
    turns: Turns,
) -> Option<usize> {
    match one_window(rows, reach, starts, turns) {
        Some(window) => Some(window.cost_of_turn(rows)),
        None if turns.count > 1 => blends::cost(rows, reach, starts * turns.count),
        None => None,
    }
}

/// Moves rows by gathers; `false`, and nothing is moved, where that is slower.
///
/// # Safety
/// As [`near`].
pub(super) unsafe fn gathered(
    starts: Starts<'_>,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
) -> bool {
    let takes = gathers::takes(&rows, places.reach);
    if takes {
        // SAFETY: by the contract of this function.
        unsafe { gathers::moved(starts, rows, places, turns) };
    }
    takes
}
