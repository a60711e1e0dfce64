//! Where a turn of the loops stands in the buffers of a call, and the loops.

use crate::odometer::MOST_LOOPS;
use crate::shuffle::RowLoop;
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

    /// Those of a loop.
    pub fn of(one: RowLoop) -> Self {
        Self {
            count: one.turns,
            dst_stride: one.apart.0,
            src_stride: one.apart.1,
        }
    }

    /// One turn, of a loop whose turns are so far apart in the destination.
    pub fn once(apart: isize) -> Self {
        Self {
            count: 1,
            dst_stride: apart,
            src_stride: 0,
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

/// Where the first turn of a loop begins, in each turn of the loops around it.
#[derive(Clone, Copy)]
pub(super) struct Starts<'a> {
    dst: *mut u8,
    src: *const u8,
    /// Turns of one more loop around all others.
    listed: Listed<'a>,
    /// Turns of the loops around, outermost first, and what each adds to a position.
    extents: &'a [usize],
    dst_strides: &'a [i64],
    src_strides: &'a [i64],
}

/// Turns that begin at any places in the source, and at one distance in the destination.
#[derive(Clone, Copy)]
pub(super) struct Listed<'a> {
    /// In the source, from one place.
    pub places: &'a [isize],
    pub apart: isize,
}

impl Listed<'_> {
    /// Where turn `k` begins, in the destination and in the source, from where the first does.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub fn turn(self, k: usize, dst: *mut u8, src: *const u8) -> (*mut u8, *const u8) {
        let to = dst.wrapping_offset(k as isize * self.apart);
        (to, src.wrapping_offset(self.places[k]))
    }
}

impl<'a> Starts<'a> {
    /// The one start of a loop that no other is around.
    pub fn one(dst: *mut u8, src: *const u8) -> Self {
        let (extents, strides): (&[usize], &[i64]) = (&[], &[]);
        Self::new((dst, src), extents, strides, strides)
    }

    /// The starts in loops of these turns, the first of them there; there are as many strides as loops, or more.
    pub fn new(
        (dst, src): (*mut u8, *const u8),
        extents: &'a [usize],
        dst_strides: &'a [i64],
        src_strides: &'a [i64],
    ) -> Self {
        Self {
            dst,
            src,
            listed: Listed {
                places: &[0],
                apart: 0,
            },
            extents,
            dst_strides,
            src_strides,
        }
    }

    /// The same in each of these turns of one more loop around them, which has none yet.
    pub fn in_each(self, listed: Listed<'a>) -> Self {
        Self { listed, ..self }
    }

    /// The list of starts, and where the first is, if there are several and no other loop; else `None`.
    pub fn as_list(self) -> Option<(*mut u8, *const u8, Listed<'a>)> {
        let only = self.extents.is_empty() && self.listed.places.len() > 1;
        only.then_some((self.dst, self.src, self.listed))
    }

    /// The first in the destination.
    #[cfg(target_arch = "x86_64")]
    pub fn first(&self) -> *mut u8 {
        self.dst
    }

    /// The one that lies behind all others in the source.
    #[cfg(target_arch = "x86_64")]
    pub fn last_in_source(&self) -> *const u8 {
        let last = |(&turns, &stride): (&usize, &i64)| (turns as i64 - 1) * stride.max(0);
        let in_loops: i64 = self.extents.iter().zip(self.src_strides).map(last).sum();
        let listed = self.listed.places.iter().max().copied().unwrap_or(0);
        self.src.wrapping_offset(listed + in_loops as isize)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.listed.places.len() * self.extents.iter().product::<usize>()
    }

    /// Whether each begins in the destination where the turns of the one before it end, which are that many bytes.
    pub fn touch(&self, bytes: isize) -> bool {
        let mut next = bytes as i64;
        let mut loops = self.extents.iter().zip(self.dst_strides).rev();
        let touch = loops.all(|(&turns, &stride)| {
            let touches = turns == 1 || stride == next;
            next = next.wrapping_mul(turns as i64);
            touches
        });
        touch && (self.listed.places.len() == 1 || self.listed.apart as i64 == next)
    }

    /// What a turn of loop `k` adds.
    #[inline(always)]
    fn stride(&self, k: usize) -> At {
        At {
            src: self.src_strides[k],
            dst: self.dst_strides[k],
            table: 0,
        }
    }

    /// Calls `each` with every one: in the destination and in the source.
    #[inline(always)]
    pub fn each(self, mut each: impl FnMut(*mut u8, *const u8)) {
        let stride = |k| self.stride(k);
        let mut dst = self.dst;
        for &place in self.listed.places {
            let src = self.src.wrapping_offset(place);
            turns(self.extents, At::default(), &stride, |at| {
                let to = dst.wrapping_offset(at.dst as isize);
                each(to, src.wrapping_offset(at.src as isize));
                true
            });
            dst = dst.wrapping_offset(self.listed.apart);
        }
    }

    /// Calls `each` with where every one of the turns begins, from each of the starts.
    #[inline(always)]
    pub fn each_turn(self, turns: Turns, mut each: impl FnMut(*mut u8, *const u8)) {
        self.each(|dst, src| {
            for (to, from) in turns.each(dst, src) {
                each(to, from);
            }
        });
    }

    /// The turns of the innermost loop around, and where the first of them begins in each turn of the others.
    #[cfg(target_arch = "x86_64")]
    pub fn of_innermost(self) -> (Self, Turns) {
        let once = Turns::new(1, At::default());
        match self.extents.split_last() {
            None => (self, once),
            Some((&count, extents)) => {
                let turns = Turns::new(count, self.stride(extents.len()));
                (Self { extents, ..self }, turns)
            }
        }
    }

    /// The same, so far away in the source.
    #[cfg(target_arch = "x86_64")]
    pub fn shifted(self, by: isize) -> Self {
        let src = self.src.wrapping_offset(by);
        Self { src, ..self }
    }

    /// Those of the turns after the first `done`, and these turns.
    #[cfg(target_arch = "x86_64")]
    pub fn after(self, done: usize, turns: Turns) -> (Self, Turns) {
        let (dst, src, rest) = turns.after(done, self.dst, self.src);
        (Self { dst, src, ..self }, rest)
    }
}

#[cfg(target_arch = "x86_64")]
impl Turns {
    /// Where turn `k` begins, in the destination and in the source, from where the first does.
    #[inline(always)]
    pub fn turn(self, k: usize, dst: *mut u8, src: *const u8) -> (*mut u8, *const u8) {
        let (to, from) = (k as isize * self.dst_stride, k as isize * self.src_stride);
        (dst.wrapping_offset(to), src.wrapping_offset(from))
    }

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
