//! Rows from the same places in every turn of some loops.
//!
//! Columns and channels that indices name are the same in each row and pixel. So their indices are wrapped and tested once, and what the
//! places are is known before the first turn of the first loop.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod columns;
#[cfg(target_arch = "x86_64")]
mod order;
#[cfg(target_arch = "x86_64")]
mod pattern;
#[cfg(target_arch = "x86_64")]
mod units;
#[cfg(target_arch = "x86_64")]
mod windows;

use super::{looked_ahead, pick};
#[cfg(target_arch = "x86_64")]
use crate::level::Kind;
use crate::level::Level;
use crate::move_::MOST_INLINE;
use crate::move_::at::{Listed, Starts, Turns};
use crate::move_::cache::Cache;
use crate::move_::copy::{Mover, Rows, by_width};
use crate::move_::few;
use crate::move_::rows::Way;
use crate::shuffle::Pattern;
use core::mem::MaybeUninit;

/// Places that are kept for all turns of a loop, at most: 8 KiB on the stack.
pub(in crate::move_) const MOST_KEPT: usize = 1024;

/// Fewer rows in the turns of a loop are over before what suits many of them is set up, if there are loops around it.
pub(in crate::move_) const LEAST_AT_ONCE: usize = 192;

/// Rows of several turns are listed up to this many.
const MOST_LISTED: usize = 256;

/// If each turn has [few](few::takes) rows, and all turns at most this many, they move one by one: to find a quicker way takes longer.
const MOST_ANYHOW: usize = 640;

/// Whether places of `count` rows are kept for `turns` turns.
pub(in crate::move_) fn pays(count: usize, turns: usize) -> bool {
    turns > 1 && count <= MOST_KEPT
}

/// Whether rows in the turns of a loop, from so many starts, may move as a pattern, wherever their places are within `reach` bytes.
pub(in crate::move_) fn may_be_patterns(
    rows: &Rows,
    reach: usize,
    starts: usize,
    turns: Turns,
) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        pattern::takes(Level::settled(), rows, reach, starts, turns)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (rows, reach, starts, turns);
        false
    }
}

/// Where the rows of a turn begin, and within how many bytes they all lie; `usize::MAX`: that is not known.
#[derive(Clone, Copy)]
pub(in crate::move_) struct KeptPlaces<'a> {
    pub each: &'a [isize],
    pub reach: usize,
}

/// Moves `rows` in each of the turns of a loop, from all its starts, always from the same places.
///
/// # Safety
/// As [`copy::run`](crate::move_::copy::run), for each of the runs of each turn; there are as many places as rows. If `places.reach` is
/// known, that many bytes are readable from where each turn begins, and all between those of any two turns, from whichever starts.
pub(in crate::move_) unsafe fn moved(
    level: Level,
    starts: Starts<'_>,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        // Wide rows of results that stay near, and few rows in few turns, move sooner than a way for many would be set up.
        let is_near = rows.bytes > MOST_INLINE && rows.cache == Cache::Near;
        let in_all = starts.count() * turns.count * rows.count;
        if is_near || in_all <= MOST_ANYHOW && few::takes_turns(&rows, turns) {
            return one_by_one(level, starts, rows, places.each, turns);
        }
        #[cfg(target_arch = "x86_64")]
        if pattern::moved(level, starts, rows, places, turns) {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        let (starts, turns) = match suits_many(&rows, starts, turns) {
            true => many(level, starts, rows, places, turns),
            false => (starts, turns),
        };
        if turns.count > 0 {
            one_by_one(level, starts, rows, places.each, turns);
        }
    }
}

/// Moves rows that are each so many periods of a pattern, by what suits rows of all turns; gives what is left, from each of the starts.
///
/// # Safety
/// As [`moved`], of such rows.
pub(in crate::move_) unsafe fn periods_moved<'a>(
    level: Level,
    starts: Starts<'a>,
    rows: Rows,
    pattern: (&Pattern, usize),
    places: KeptPlaces<'_>,
    turns: Turns,
) -> (Starts<'a>, Turns) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: by the contract of this function.
    unsafe {
        match pattern::of_periods(level, starts, rows, pattern, places, turns) {
            true => (starts, Turns { count: 0, ..turns }),
            false => units::moved(level, starts, rows, pattern, places, turns),
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (level, rows, pattern, places);
        (starts, turns)
    }
}

/// Whether what is set up anew for each start of a loop pays for its turns, or for all single ones that are listed.
#[cfg(target_arch = "x86_64")]
fn suits_many(rows: &Rows, starts: Starts<'_>, turns: Turns) -> bool {
    let at_once = match starts.as_list() {
        Some((_, _, list)) if turns.count == 1 => list.places.len(),
        Some(_) | None => turns.count,
    };
    starts.count() == 1 || rows.count * at_once >= LEAST_AT_ONCE
}

/// Moves rows by what suits many of them; gives what is left, from each of the starts.
///
/// # Safety
/// As [`moved`].
#[cfg(target_arch = "x86_64")]
unsafe fn many<'a>(
    level: Level,
    starts: Starts<'a>,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
) -> (Starts<'a>, Turns) {
    let is_wide = match level.kind() {
        Kind::Avx512 => true,
        Kind::Avx2 => false,
        Kind::Scalar => return (starts, turns),
    };
    let window = window_of(level, &rows, places.reach, starts.count(), turns);
    if window.is_some_and(|window| avx512::few_are_quicker(&rows, window, starts.count(), turns)) {
        return (starts, turns);
    }
    // SAFETY: by the contract of this function.
    unsafe {
        let (starts, turns) = near(level, starts, rows, places, turns, window);
        if turns.count == 0 || turns.count == 1 && starts.as_list().is_some() {
            return (starts, turns);
        }
        match is_wide && avx512::gathered(starts, rows, places, turns)
            || avx2::moved(starts, rows, places.each, turns)
        {
            true => (starts, Turns { count: 0, ..turns }),
            false => (starts, turns),
        }
    }
}

/// The window that turns of each of the starts take their rows from, with AVX-512, if one is quick.
#[cfg(target_arch = "x86_64")]
fn window_of(
    level: Level,
    rows: &Rows,
    reach: usize,
    starts: usize,
    turns: Turns,
) -> Option<avx512::Window> {
    match level.kind() {
        Kind::Avx512 => avx512::one_window(rows, reach, starts, turns),
        Kind::Avx2 | Kind::Scalar => None,
    }
}

/// The same of rows that are near each other, out of registers, of which this is the window, or columns.
///
/// # Safety
/// As [`moved`]; the level is not the scalar one, and the window what [`window_of`] gives for these rows.
#[cfg(target_arch = "x86_64")]
unsafe fn near<'a>(
    level: Level,
    starts: Starts<'a>,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
    window: Option<avx512::Window>,
) -> (Starts<'a>, Turns) {
    // SAFETY: by the contract of this function.
    unsafe {
        if level.kind() == Kind::Avx512 && avx512::near(starts, rows, places, turns, window) {
            return (starts, Turns { count: 0, ..turns });
        }
        if turns.count == 1 && starts.as_list().is_some() {
            return (starts, turns);
        }
        if level.kind() == Kind::Avx2
            && let Some(window) = windows::Window::of(&rows, places.reach, turns)
        {
            windows::moved(starts, rows, places, turns, window);
            return (starts, Turns { count: 0, ..turns });
        }
        let done = columns::moved(level, starts, rows, places, turns);
        starts.after(done, turns)
    }
}

/// Moves rows each by itself.
///
/// # Safety
/// As [`moved`].
unsafe fn one_by_one(level: Level, starts: Starts<'_>, rows: Rows, places: &[isize], turns: Turns) {
    // SAFETY: by the contract of this function.
    unsafe {
        // Short rows of a single turn have moved before anything is set up.
        if turns.count == 1
            && rows.bytes <= MOST_INLINE
            && let Some(list) = starts.as_list()
        {
            return by_width!(rows.bytes, pick_from_list(list, rows, places));
        }
        if few::takes(rows.bytes, places.len(), rows.cache) {
            return starts.each(|dst, src| few::moved(dst, src, &rows, places, turns));
        }
        if let Some(way) = Way::of(level, &rows) {
            return match way.looks_ahead() {
                true => listed(starts, rows, places, turns, |to, from, rows, each| {
                    way.moves(level, to, from, rows, each.len(), |k| each[k]);
                }),
                false => starts.each(|dst, src| {
                    way.moves_turns(level, dst, src, rows, turns, |k| places[k]);
                }),
            };
        }
        by_width!(rows.bytes, pick_in_turns(starts, rows, places, turns));
    }
}

/// Calls `some` with the rows of as many turns as can be listed together, and their places: those of turns that touch in the destination.
#[inline]
pub(in crate::move_) fn listed(
    starts: Starts<'_>,
    rows: Rows,
    places: &[isize],
    turns: Turns,
    some: impl Fn(*mut u8, *const u8, Rows, &[isize]),
) {
    let of_turn = rows.dst_stride * rows.count as isize;
    let of_loop = of_turn * turns.count as isize;
    let touch = turns.count == 1 || turns.dst_stride == of_turn;
    let most = MOST_LISTED / rows.count.max(1);
    if !touch || most < 2 {
        return starts.each_turn(turns, |to, from| some(to, from, rows, places));
    }
    let mut list = List::default();
    if starts.count() > 1 && turns.count < most && starts.touch(of_loop) {
        starts.each_turn(turns, |to, from| {
            if list.count + rows.count > MOST_LISTED {
                list.moved(rows, &some);
            }
            list.add((to, from), places);
        });
        return list.moved(rows, &some);
    }
    // Those of other turns lie to the first of them as these do.
    let at_once = most.min(turns.count);
    for turn in 0..at_once {
        list.add_at(turn as isize * turns.src_stride, places);
    }
    starts.each(|dst, src| {
        for done in (0..turns.count).step_by(at_once) {
            let count = at_once.min(turns.count - done) * rows.count;
            let to = dst.wrapping_offset(done as isize * turns.dst_stride);
            let from = src.wrapping_offset(done as isize * turns.src_stride);
            some(to, from, Rows { count, ..rows }, list.first_places(count));
        }
    });
}

/// Rows of some turns, which are one sequence in the destination.
pub(in crate::move_) struct List {
    /// In the source, from where the first turn begins; those of `count` rows are written.
    places: [MaybeUninit<isize>; MOST_LISTED],
    count: usize,
    first: (*mut u8, *const u8),
}

impl Default for List {
    fn default() -> Self {
        Self {
            places: [MaybeUninit::uninit(); _],
            count: 0,
            first: (core::ptr::null_mut(), core::ptr::null()),
        }
    }
}

impl List {
    /// Whether `rows` more go on where these end, so far apart in the destination, and have room.
    #[inline]
    pub fn goes_on(&self, to: *mut u8, rows: usize, apart: isize) -> bool {
        let next = self.first.0.wrapping_offset(self.count as isize * apart);
        self.count == 0 || to == next && self.count + rows <= MOST_LISTED
    }

    /// Adds the rows of a turn, for which there is room.
    #[inline]
    pub fn add(&mut self, turn: (*mut u8, *const u8), places: &[isize]) {
        if self.count == 0 {
            self.first = turn;
        }
        let begin = turn.1.addr().wrapping_sub(self.first.1.addr()) as isize;
        self.add_at(begin, places);
    }

    /// The same, of a turn that begins so far from the first.
    #[inline]
    fn add_at(&mut self, begin: isize, places: &[isize]) {
        let list = &mut self.places[self.count..][..places.len()];
        for (to, place) in list.iter_mut().zip(places) {
            to.write(begin.wrapping_add(*place));
        }
        self.count += places.len();
    }

    /// Those of so many rows, of as many as it has.
    #[inline]
    fn first_places(&self, count: usize) -> &[isize] {
        let places = &self.places[..count.min(self.count)];
        // SAFETY: `add_at` has written those of all rows that it counts.
        unsafe { &*(&raw const *places as *const [isize]) }
    }

    /// Moves them, and is empty again.
    #[inline]
    pub fn moved(&mut self, rows: Rows, some: &impl Fn(*mut u8, *const u8, Rows, &[isize])) {
        let ((to, from), count) = (self.first, self.count);
        if count > 0 {
            some(to, from, Rows { count, ..rows }, self.first_places(count));
        }
        self.count = 0;
    }
}

/// A function for each mover, so that a turn of few rows takes as long whatever stands around the call.
///
/// # Safety
/// As [`moved`]; the mover is for `rows.bytes`.
#[inline(never)]
unsafe fn pick_in_turns(
    mover: impl Mover,
    starts: Starts<'_>,
    rows: Rows,
    places: &[isize],
    turns: Turns,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        if starts.count() == 1 {
            return starts.each(|dst, src| pick_from(mover, (dst, src), rows, places, turns));
        }
        let ahead = looked_ahead(rows.cache, rows.bytes);
        starts.each_turn(turns, |to, from| pick(mover, to, from, rows, places, ahead));
    }
}

/// The same of many turns from one start, which is quicker without what the loops around have to remember.
///
/// # Safety
/// As [`pick_in_turns`], for the start there.
#[inline(never)]
unsafe fn pick_from(
    mover: impl Mover,
    (dst, src): (*mut u8, *const u8),
    rows: Rows,
    places: &[isize],
    turns: Turns,
) {
    let ahead = looked_ahead(rows.cache, rows.bytes);
    for (to, from) in turns.each(dst, src) {
        // SAFETY: by the contract of this function.
        unsafe { pick(mover, to, from, rows, places, ahead) };
    }
}

/// The same of a single turn from each of the starts.
///
/// # Safety
/// As [`pick_in_turns`].
#[inline(never)]
unsafe fn pick_from_list(
    mover: impl Mover,
    (dst, src, list): (*mut u8, *const u8, Listed<'_>),
    rows: Rows,
    places: &[isize],
) {
    let ahead = looked_ahead(rows.cache, rows.bytes);
    let mut to = dst;
    for &place in list.places {
        let from = src.wrapping_offset(place);
        // SAFETY: by the contract of this function.
        unsafe { pick(mover, to, from, rows, places, ahead) };
        to = to.wrapping_offset(list.apart);
    }
}
