//! Where a turn of the loops stands in the buffers of a call, and the loops.

use crate::odometer::MOST_LOOPS;
use core::mem::MaybeUninit;

/// Positions in bytes (in a Range: its position).
#[derive(Clone, Copy, Default)]
pub(super) struct At {
    pub src: i64,
    pub dst: i64,
    /// In the table of a lookup.
    pub table: i64,
}

impl At {
    /// One turn further. Past the last turn the position may leave the buffer; it is not used there.
    #[inline]
    pub fn plus(self, stride: Self) -> Self {
        Self {
            src: self.src.wrapping_add(stride.src),
            dst: self.dst.wrapping_add(stride.dst),
            table: self.table.wrapping_add(stride.table),
        }
    }

    /// `count` times as far.
    pub fn times(self, count: usize) -> Self {
        let times = |step: i64| step.wrapping_mul(count as i64);
        Self {
            src: times(self.src),
            dst: times(self.dst),
            table: times(self.table),
        }
    }

    /// All turns of a loop back.
    #[inline]
    pub fn minus(self, stride: Self, turns: usize) -> Self {
        let back = |from: i64, stride: i64| from.wrapping_sub(stride.wrapping_mul(turns as i64));
        Self {
            src: back(self.src, stride.src),
            dst: back(self.dst, stride.dst),
            table: back(self.table, stride.table),
        }
    }
}

/// Turns of a loop at constant distances.
#[derive(Clone, Copy)]
pub(super) struct Turns {
    pub count: usize,
    pub dst_stride: isize,
    pub src_stride: isize,
}

impl Turns {
    /// `count` turns of a loop.
    pub fn new(count: usize, stride: At) -> Self {
        Self {
            count,
            dst_stride: stride.dst as isize,
            src_stride: stride.src as isize,
        }
    }

    /// Where each turn begins, in the destination and in the source, from where the first does.
    #[inline(always)]
    pub fn each(self, dst: *mut u8, src: *const u8) -> impl Iterator<Item = (*mut u8, *const u8)> {
        let (mut to, mut from) = (dst, src);
        (0..self.count).map(move |_| {
            let turn = (to, from);
            to = to.wrapping_offset(self.dst_stride);
            from = from.wrapping_offset(self.src_stride);
            turn
        })
    }
}

#[cfg(target_arch = "x86_64")]
impl Turns {
    /// The turns after the first `done`, and where they begin.
    #[inline(always)]
    pub fn after(self, done: usize, dst: *mut u8, src: *const u8) -> (*mut u8, *const u8, Self) {
        let turns = done as isize;
        let dst = dst.wrapping_offset(turns * self.dst_stride);
        let src = src.wrapping_offset(turns * self.src_stride);
        let count = self.count - done;
        (dst, src, Self { count, ..self })
    }

    /// Groups of `of` turns as turns of their own, without the turns that fill none.
    #[inline(always)]
    pub fn in_groups(self, of: usize) -> Self {
        Self {
            count: self.count / of,
            dst_stride: of as isize * self.dst_stride,
            src_stride: of as isize * self.src_stride,
        }
    }

    /// How many turns fill groups of `of` turns.
    #[inline(always)]
    pub fn that_fill(self, of: usize) -> usize {
        self.count - self.count % of
    }
}

/// Calls `turn` with the position of each turn of nested loops, the last one fastest, as long as it says `true`.
#[inline(always)]
pub(super) fn turns(
    extents: &[usize],
    first: At,
    stride: &impl Fn(usize) -> At,
    mut turn: impl FnMut(At) -> bool,
) -> bool {
    let mut at = first;
    // Only as many as there are loops are written: most calls are short.
    let mut counters = [MaybeUninit::uninit(); MOST_LOOPS];
    for counter in &mut counters[..extents.len()] {
        counter.write(0usize);
    }
    while turn(at) {
        // The innermost loop that has turns left takes one; those inside it begin again.
        let mut k = extents.len();
        loop {
            let Some(inner) = k.checked_sub(1) else {
                return true;
            };
            k = inner;
            // SAFETY: as many counters as there are loops are written above.
            let counter = unsafe { counters[k].assume_init_mut() };
            *counter += 1;
            at = at.plus(stride(k));
            if *counter < extents[k] {
                break;
            }
            *counter = 0;
            at = at.minus(stride(k), extents[k]);
        }
    }
    false
}

/// Calls `turn` with the position of each turn of one loop, as long as it says `true`.
#[inline(always)]
pub(super) fn each_turn(first: At, turns: usize, stride: At, turn: impl Fn(At) -> bool) -> bool {
    let mut at = first;
    for _ in 0..turns {
        if !turn(at) {
            return false;
        }
        at = at.plus(stride);
    }
    true
}
