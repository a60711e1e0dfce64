//! Rows that indices name, most of them in a result that stays near: what moves them is found when they are planned.
//!
//! A small call is over before it has been found whether its rows are neighbours, columns or channels, and which loops are around them. Here
//! a block of indices becomes places on the stack, and every turn of these loops moves a row from each of the places; a few rows of a single
//! turn move when their index has been read. For many narrow rows, `lookup` has quicker ways, one of which is found here, too: that of elements
//! with AVX2.

#[cfg(target_arch = "x86_64")]
mod gathers;
#[cfg(target_arch = "x86_64")]
mod vectors;

use super::at::Turns;
use super::cache::Cache;
use super::copy::{Mover, Rows, by_width, fixed, pair};
use super::few;
use super::lookup::{BLOCK, FAR_TABLE, Index, Indices, LEAST_AHEAD};
use super::processor::{Picks, habits};
use super::rows::LEAST_ROW;
use crate::access::IndexType;
use crate::level::Level;
use crate::nest::schedule::{KnownPicks, LookedUp, MovePicks, Schedule};
use crate::shuffle::{LINE, RowLoop, RowLoops};
use core::mem::MaybeUninit;

/// Rows of up to so many bytes are narrow: from some number on they are quicker by what `lookup` sets up for many.
const NARROW: usize = 8;

/// Most narrow rows of a single turn.
const MOST_ALONE: usize = 64;

/// The same by vectors of half a line, by indices of 32 bits, and by those of 64, of which fewer are tested at once.
const MOST_BY_I32: usize = 256;
const MOST_BY_I64: usize = 640;

/// Most narrow rows in all, where turns share their places. Where each turn has [few](KnownPicks::are_few), and the axis is longer than a
/// line, there may be any number.
const MOST_SHARED: usize = 640;

/// The same of words, where they are quick to gather and the axis is a [`WINDOW`]; of a longer axis any number.
const MOST_WORDS: usize = 2 * MOST_SHARED;

/// Most rows of 9 to 31 bytes of a single turn.
const MOST_SHORT: usize = 256;

/// Bytes of an axis whose rows are all in some registers: many narrow ones are put in order there.
const WINDOW: usize = 256;

/// The longest rows that are quickest so where the second cache keeps the result, or another one.
const LONGEST_BEYOND: usize = 3 * LINE;

/// The same where the second cache keeps what they read as well.
const LONGEST_SECOND: usize = 32 * LINE;

/// From so many rows of a single turn on, places are found before the first row moves.
const LEAST_FOUND: usize = 24;

/// How the best level moves all runs that a schedule looks up, if they are the same in all turns, it pays, and their loops are few.
pub(super) fn known(schedule: &Schedule, picks: &LookedUp) -> Option<KnownPicks> {
    let access = &picks.lookup.access;
    let repeats = access.is_affine() && access.strides.iter().all(|&stride| stride == 0);
    if !schedule.src().is_affine() || !repeats {
        return None;
    }
    let inner = RowLoop {
        turns: picks.count,
        apart: (picks.dst_stride as isize, picks.src_stride as isize),
    };
    let (dst, src) = (&schedule.dst().strides, &schedule.src().strides);
    let loops = RowLoops::around(inner, schedule.extents(), dst, src)?;
    let known = KnownPicks::new(Level::best(), picks, loops)?;
    known.pays(schedule.cache()).then_some(known)
}

impl KnownPicks {
    /// Rows that are those of the innermost loop, as a level moves them, if it has what moves them.
    pub(super) fn new(level: Level, picks: &LookedUp, loops: RowLoops) -> Option<Self> {
        let mut known = Self {
            moved_by: nothing,
            level,
            bytes: picks.bytes,
            loops,
            index: picks.lookup.index,
            scale: picks.lookup.scale,
            size: picks.lookup.size,
            index_stride: picks.index_stride,
        };
        known.moved_by = known.moving()?;
        Some(known)
    }

    /// Whether they are quicker so than by what is set up for many, in a result that this cache keeps.
    fn pays(&self, cache: Cache) -> bool {
        let reach = self.reach();
        let is_one = self.loops.is_one();
        let most = match self.bytes {
            #[cfg(target_arch = "x86_64")]
            _ if vectors::elements(self).is_some() => usize::MAX,
            ..=NARROW if is_one => self.most_alone(),
            ..=NARROW if self.are_few() && reach > LINE => usize::MAX,
            4 | 8 if self.gathers_words() && reach > WINDOW => usize::MAX,
            4 | 8 if self.gathers_words() => MOST_WORDS,
            ..=NARROW => MOST_SHARED,
            ..LEAST_AHEAD if is_one => MOST_SHORT,
            _ => usize::MAX,
        };
        match cache {
            Cache::Near => self.loops.count() <= most && reach < self.least_fetched(),
            Cache::Second => match habits().picks_beyond_first_cache {
                Picks::None => false,
                Picks::All if self.stays_in_second() => self.pays_beyond_first(LONGEST_SECOND),
                Picks::ToSecond | Picks::All => self.pays_beyond_first(LONGEST_BEYOND),
            },
            Cache::Far => {
                habits().picks_beyond_first_cache == Picks::All
                    && self.pays_beyond_first(LONGEST_BEYOND)
            }
            Cache::None => false,
        }
    }

    /// The same of rows of up to so many bytes, in a result that the first cache does not keep.
    fn pays_beyond_first(&self, longest: usize) -> bool {
        // Those of a single turn whose indices are tested several at once, and single lines, are as quick when each index has been read.
        let found = habits().finds_rows_by_itself.as_ref();
        let are_asked = found.is_some_and(|found| found.asked.contains(&self.bytes));
        let as_read = self.loops.is_one() && (are_asked || self.bytes == LINE);
        (LEAST_AHEAD..=longest).contains(&self.bytes)
            && !as_read
            && matches!(Cache::of(self.reach()), Cache::Near | Cache::Second)
    }

    /// Whether the second cache keeps the result and what the axis spans.
    fn stays_in_second(&self) -> bool {
        let written = self.loops.count() * self.bytes;
        let all = self.reach().saturating_add(written);
        matches!(Cache::of(all), Cache::Near | Cache::Second)
    }

    /// Bytes of the source that the axis spans.
    fn reach(&self) -> usize {
        self.indices::<i64>(core::ptr::null()).reach()
    }

    /// So many narrow rows at most, if they are those of a single turn.
    fn most_alone(&self) -> usize {
        match self.index {
            _ if self.level.vector() != LINE / 2 => MOST_ALONE,
            IndexType::I32 => MOST_BY_I32,
            IndexType::I64 => MOST_BY_I64,
        }
    }

    /// Rows of tables of so many bytes are fetched ahead, which no known picks are.
    fn least_fetched(&self) -> usize {
        let found = habits().finds_half_lines();
        let found = found.filter(|found| found.asked.contains(&self.bytes));
        found.map_or(FAR_TABLE, |found| found.least_table.min(FAR_TABLE))
    }

    /// What moves them; `None` for rows of more than a line, where there are no vectors for them.
    fn moving(&self) -> Option<MovePicks> {
        fn as_read<M: Mover>(_: M) -> MovePicks {
            self::as_read::<M>
        }
        fn by_mover<M: Mover>(_: M) -> MovePicks {
            self::by_mover::<M>
        }
        let rows = self.loops.inner();
        if self.are_few() {
            return Some(match few::are_vectors(self.level, self.bytes) {
                true => few_in_turns::<true>,
                false => few_in_turns::<false>,
            });
        }
        let few = self.loops.is_one() && rows.turns < LEAST_FOUND;
        #[cfg(target_arch = "x86_64")]
        if let Some(by_vectors) = vectors::moving(self.level, self.bytes, few) {
            return Some(by_vectors);
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(elements) = vectors::elements(self) {
            return Some(elements);
        }
        if few && self.bytes < LEAST_ROW {
            return Some(by_width!(self.bytes, as_read()));
        }
        let touch = rows.apart.0 == self.bytes as isize;
        match self.bytes {
            #[cfg(target_arch = "x86_64")]
            4 if touch && self.are_gathered() => Some(gathers::words),
            1 if touch => Some(in_pairs::<1>),
            2 if touch => Some(in_pairs::<2>),
            4 if touch => Some(in_pairs::<4>),
            8 if touch => Some(in_pairs::<8>),
            ..LEAST_ROW => Some(by_width!(self.bytes, by_mover())),
            _ => None,
        }
    }

    /// Whether they are few and short in each of many turns.
    fn are_few(&self) -> bool {
        let [_, around, rows] = self.loops.0;
        few::pays(self.bytes, rows.turns, around.turns, Cache::Near)
    }

    /// Whether the level has gathers of words, and they are quick.
    fn gathers_words(&self) -> bool {
        habits().has_quick_gathers && self.level.vector() == LINE
    }

    /// Whether gathers move all turns of words.
    #[cfg(target_arch = "x86_64")]
    fn are_gathered(&self) -> bool {
        let rows = self.loops.inner();
        let table = self.size.saturating_mul(self.scale);
        self.gathers_words()
            && !self.loops.is_one()
            && gathers::TAKEN.contains(&rows.turns)
            && rows.apart.1 == 0
            && (0..=i64::from(i32::MAX)).contains(&table)
    }

    /// Moves all, to and from where the first turn begins; `false`: an index lies outside its axis, and the result holds anything.
    ///
    /// # Safety
    /// As [`copy::run`](super::copy::run), for each of the rows whose index lies in the axis; `table` is where the first index lies, and all of
    /// them lie in the table. The processor has the instructions of the level that they are known for.
    #[inline(always)]
    pub(super) unsafe fn run(&self, dst: *mut u8, src: *const u8, table: *const u8) -> bool {
        // SAFETY: by the contract of this function.
        unsafe { (self.moved_by)(dst, src, table, self) }
    }

    /// Calls `turn` with where each turn begins, and the places from there that some of the indices are, block after block; `false`: an index
    /// lies outside its axis, and no row of its block has moved (I3).
    ///
    /// Loops in loops, and `turn` within them: iterators with functions in functions would have no instructions but those that all processors
    /// have.
    ///
    /// # Safety
    /// The indices lie in the table.
    #[inline(always)]
    unsafe fn each_turn(
        &self,
        (dst, src): (*mut u8, *const u8),
        table: *const u8,
        turn: impl Fn(*mut u8, *const u8, &[isize]),
    ) -> bool {
        let mut room = [const { MaybeUninit::uninit() }; BLOCK];
        let [outermost, around, rows] = self.loops.0.map(Turns::of);
        let mut first = 0;
        while first < rows.count {
            let count = BLOCK.min(rows.count - first);
            // SAFETY: by the contract of this function.
            let Some(places) = (unsafe { self.found(table, first, &mut room[..count]) }) else {
                return false;
            };
            let begin = dst.wrapping_offset(first as isize * rows.dst_stride);
            for (to, from) in outermost.each(begin, src) {
                for (to, from) in around.each(to, from) {
                    turn(to, from, places);
                }
            }
            first += count;
        }
        true
    }

    /// The places of rows `first..`; `None`: one of their indices lies outside the axis.
    ///
    /// # Safety
    /// They lie in the table.
    #[inline(always)]
    unsafe fn found<'p>(
        &self,
        table: *const u8,
        first: usize,
        places: &'p mut [MaybeUninit<isize>],
    ) -> Option<&'p [isize]> {
        // SAFETY: by the contract of this function; where all indices lie in the axis, all places are written.
        unsafe {
            let inside = match self.index {
                IndexType::I32 => self.places::<i32>(table, first, places),
                IndexType::I64 => self.places::<i64>(table, first, places),
            };
            inside.then(|| &*(&raw const *places as *const [isize]))
        }
    }

    /// Writes the same for indices of this type; whether all of them lie in the axis.
    ///
    /// # Safety
    /// They lie in the table.
    #[inline(always)]
    unsafe fn places<I: Index>(
        &self,
        table: *const u8,
        first: usize,
        places: &mut [MaybeUninit<isize>],
    ) -> bool {
        let (_, src_stride) = self.loops.inner().apart;
        let indices = self.indices::<I>(table);
        // SAFETY: by the contract of this function.
        unsafe { indices.places(self.level, first, src_stride, places) }
    }

    /// The indices, which are of this type.
    #[inline(always)]
    fn indices<I>(&self, table: *const u8) -> Indices<I> {
        Indices {
            table: table.cast(),
            stride: self.index_stride as isize,
            scale: self.scale as isize,
            size: self.size,
        }
    }

    /// Moves the rows of the only turn, each when its index, of this type, has been read.
    ///
    /// # Safety
    /// As [`KnownPicks::run`]; the mover is for the bytes of a row.
    #[inline(always)]
    unsafe fn as_read<I: Index>(
        &self,
        mover: impl Mover,
        (dst, src): (*mut u8, *const u8),
        table: *const u8,
    ) -> bool {
        let indices = self.indices::<I>(table);
        let rows = Turns::of(self.loops.inner());
        for (k, (to, from)) in rows.each(dst, src).enumerate() {
            // SAFETY: by the contract of this function; at any alignment. The row moves only if its index lies in the axis.
            unsafe {
                let index = indices.from(k).table.read_unaligned();
                let (place, inside) = indices.place(index.into());
                if !inside {
                    return false;
                }
                mover.run(to, from.wrapping_offset(place));
            }
        }
        true
    }

    /// Moves all by a mover; `false` as [`KnownPicks::run`]. Four at a time, so that processors foresee the end of more of the loops.
    ///
    /// # Safety
    /// As [`KnownPicks::run`]; the mover is for the bytes of a row.
    #[inline(always)]
    unsafe fn by(&self, mover: impl Mover, place: (*mut u8, *const u8), table: *const u8) -> bool {
        let (apart, _) = self.loops.inner().apart;
        // SAFETY: by the contract of this function, for each of the rows.
        unsafe {
            self.each_turn(place, table, |mut to, from, places| {
                let mut next = |place| {
                    mover.run(to, from.wrapping_offset(place));
                    to = to.wrapping_offset(apart);
                };
                let (fours, rest) = places.as_chunks::<4>();
                for four in fours {
                    for &place in four {
                        next(place);
                    }
                }
                for &place in rest {
                    next(place);
                }
            })
        }
    }
}

/// What moves picks before it is known what does.
///
/// # Safety
/// None is needed.
unsafe fn nothing(_: *mut u8, _: *const u8, _: *const u8, _: &KnownPicks) -> bool {
    false
}

/// Moves rows of a single turn, each when its index has been read.
///
/// # Safety
/// As [`KnownPicks::run`].
unsafe fn as_read<M: Mover>(
    dst: *mut u8,
    src: *const u8,
    table: *const u8,
    known: &KnownPicks,
) -> bool {
    let mover = M::of(known.bytes);
    // SAFETY: by the contract of this function.
    unsafe {
        match known.index {
            IndexType::I32 => known.as_read::<i32>(mover, (dst, src), table),
            IndexType::I64 => known.as_read::<i64>(mover, (dst, src), table),
        }
    }
}

/// Moves rows of a width that has a mover.
///
/// # Safety
/// As [`KnownPicks::run`].
unsafe fn by_mover<M: Mover>(
    dst: *mut u8,
    src: *const u8,
    table: *const u8,
    known: &KnownPicks,
) -> bool {
    // SAFETY: by the contract of this function.
    unsafe { known.by(M::of(known.bytes), (dst, src), table) }
}

/// Moves rows of `N` bytes that touch in the result, by one store for two of them.
///
/// # Safety
/// As [`KnownPicks::run`].
unsafe fn in_pairs<const N: usize>(
    dst: *mut u8,
    src: *const u8,
    table: *const u8,
    known: &KnownPicks,
) -> bool {
    // SAFETY: by the contract of this function.
    unsafe {
        known.each_turn((dst, src), table, |mut to, from, places| {
            let (fours, rest) = places.as_chunks::<4>();
            for four in fours {
                let [a, b, c, d] = four.map(|place| from.wrapping_offset(place));
                pair::<N>(to, a, b);
                pair::<N>(to.add(2 * N), c, d);
                to = to.wrapping_add(4 * N);
            }
            for &place in rest {
                fixed::<N>(to, from.wrapping_offset(place));
                to = to.wrapping_add(N);
            }
        })
    }
}

/// Moves rows of which each turn has few; whether they are vectors of the level.
///
/// # Safety
/// As [`KnownPicks::run`].
unsafe fn few_in_turns<const VECTORS: bool>(
    dst: *mut u8,
    src: *const u8,
    table: *const u8,
    known: &KnownPicks,
) -> bool {
    let mut room = [const { MaybeUninit::uninit() }; few::MOST];
    let [outermost, around, rows] = known.loops.0.map(Turns::of);
    // SAFETY: by the contract of this function.
    unsafe {
        let Some(places) = known.found(table, 0, &mut room[..rows.count]) else {
            return false;
        };
        let rows = Rows {
            dst_stride: rows.dst_stride,
            ..Rows::one(known.bytes, Cache::Near)
        };
        for (to, from) in outermost.each(dst, src) {
            match VECTORS {
                true => few::moved_by_vectors(known.level, to, from, &rows, places, around),
                false => few::moved(to, from, &rows, places, around),
            }
        }
    }
    true
}
