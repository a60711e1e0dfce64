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
use crate::move_::few;
pub(super) use windows::Window;

/// Fewer turns are over by gathers before the order of a window has paid.
const LEAST_TURNS: usize = 4;

/// About how many cycles it takes to write so many bytes.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    cycles: usize,
    written: usize,
}

impl Cost {
    fn is_less(self, other: Self) -> bool {
        self.cycles * other.written < other.cycles * self.written
    }
}

/// The window that turns take their rows from, if it is quicker than gathers.
pub(super) fn one_window(rows: &Rows, reach: usize, starts: usize, turns: Turns) -> Option<Window> {
    // Single turns are not gathered.
    let by_gathers = matches!(rows.bytes, 4 | 8) && turns.count > 1 && gathers::takes(rows, reach);
    if by_gathers && starts * turns.count < LEAST_TURNS {
        return None;
    }
    let window = Window::of(rows, reach, (starts, turns))?;
    let is_quicker = !by_gathers || window.cost(rows).is_less(gathers::cost(rows.bytes));
    is_quicker.then_some(window)
}

/// Moves rows that lie near each other, out of their one window, or of several; `false`, and nothing is moved, for others.
///
/// # Safety
/// As [`super::moved`]; the processor has AVX-512 F, BW, VL, DQ and VBMI; `window` is what [`one_window`] gives for these rows.
pub(super) unsafe fn near(
    starts: Starts<'_>,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
    window: Option<Window>,
) -> bool {
    // SAFETY: by the contract of this function.
    unsafe {
        match window {
            Some(window) => {
                windows::moved(starts, rows, places, turns, window);
                true
            }
            None => turns.count > 1 && blends::moved(starts, rows, places, turns),
        }
    }
}

/// Whether rows are quicker one by one than out of a window.
pub(super) fn few_are_quicker(rows: &Rows, window: Window, starts: usize, turns: Turns) -> bool {
    /// Cycles before the first turn, and for each row whose place in the window is written down.
    const SET_UP: (usize, usize) = (250, 3);
    let takes = few::takes_turns(rows, turns);
    let of_turn = rows.count + rows.count / 4 + 2;
    let set_up = SET_UP.0 + SET_UP.1 * window.rows_at_once(rows);
    let turns = starts * turns.count;
    takes && 2 * turns * of_turn <= 2 * set_up + turns * window.cost_of_turn(rows)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::move_::at::At;
    use crate::move_::cache::Cache;

    /// Picks of `count` elements of `bytes` bytes out of rows of `row` elements, in each of `turns` turns.
    fn are_quicker(count: usize, bytes: usize, row: usize, turns: usize) -> bool {
        let rows = Rows {
            count,
            dst_stride: bytes as isize,
            ..Rows::one(bytes, Cache::Second)
        };
        let stride = At {
            src: (row * bytes) as i64,
            dst: (count * bytes) as i64,
            ..At::default()
        };
        let turns = Turns::new(turns, stride);
        let window = one_window(&rows, row * bytes, 1, turns).expect("rows within 256 bytes");
        few_are_quicker(&rows, window, 1, turns)
    }

    #[test]
    fn few_rows_are_quicker_where_a_window_holds_few_turns() {
        assert!(are_quicker(3, 8, 19, 1526) && are_quicker(2, 2, 100, 2000));
        assert!(!are_quicker(4, 1, 9, 2000) && !are_quicker(7, 4, 9, 300));
        // What is set up weighs more than some turns.
        assert!(are_quicker(7, 4, 19, 100) && !are_quicker(7, 4, 19, 1000));
        // More have no function.
        assert!(!are_quicker(8, 2, 100, 2000));
    }
}
