//! The pattern of a Shuffle, and the tables that each vector width reads it by.
//!
//! A [`Pattern`] says where the bytes of one period of the destination come from; the next period reads the same way, one source stride
//! further. Any affine innermost part is such a pattern: every second element, reversed rows, three channels of four, swapped
//! channels, and all their combinations. From it, [`Tables`] derives for a vector width which loads make each vector of
//! the destination, and how their bytes are permuted and merged. No pattern is a special case.

#[cfg(target_arch = "x86_64")]
mod doubled;
#[cfg_attr(
    not(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_feature = "neon")
    )),
    expect(dead_code, reason = "there are no such vectors")
)]
mod known;
mod period;
#[cfg(feature = "std")]
mod recent;
mod tables;

#[cfg(target_arch = "x86_64")]
pub(crate) use doubled::{Doubled, Order};
pub(crate) use known::{KnownRows, RowLoop, RowLoops};
#[cfg(target_arch = "x86_64")]
pub(crate) use known::{ListedTiles, MoveRows, TileAt};
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon")
))]
pub(crate) use known::{RowTiles, Spilled};
#[cfg(target_arch = "x86_64")]
pub(crate) use period::Named;
pub(crate) use period::{Period, places};
pub(crate) use tables::{LOAD_COST, Load, MASKS, NONE, Tables, WORDS, merged_by_words};

use crate::level::Level;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// Bytes of a line of memory.
pub(crate) const LINE: usize = 64;

/// Periods this many times as far apart as they are long, or closer, are worth their loads.
const NEAR: usize = 8;

/// Where the bytes of one period come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    offsets: Vec<i32>,
    /// The smallest of them, and the largest.
    ends: (i32, i32),
    src_stride: i32,
    /// Whether each period stands alone, at a place of its own.
    alone: bool,
    /// Bytes that stay together: 1, 2, 4 or 8.
    unit: usize,
    /// Whether a table of constants says where the runs are.
    looked_up: bool,
    anchor: Anchor,
    /// Periods of a tile, where it is made for rows of that few; `None`: as many as vectors hold.
    most: Option<usize>,
}

/// Where the loads of a pattern begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Anchor {
    /// At lines of the operand: that many bytes after one lies the first place of each row, and rows are lines apart.
    Line(u8),
    /// With the first byte that they give.
    First,
    /// The same, or earlier, so that none reads past the last byte of its tile, unless the tile reads less than a load.
    Inside,
    /// The same, and a load that has all bytes of its tile ends with the last one.
    Last,
}

impl Pattern {
    /// Bytes of a period at most.
    pub(crate) const LONGEST: usize = 64;

    /// Periods are at most this many times as far apart as they are long.
    const FARTHEST: usize = 2 * NEAR;

    /// Bytes between the first and the last that a period reads, at most.
    pub(crate) const WIDEST: usize = 256;

    /// Bytes of a row at most for which a tile is made.
    const LONGEST_TILE: usize = 2 * LINE;

    /// A pattern of `offsets.len()` bytes a period, each read `offsets[k]` bytes from the place of its period, the places
    /// `src_stride` bytes apart, or each at a place of its own; `None` if the reach is too long for a few nearby loads.
    pub(crate) fn new(
        offsets: Vec<i32>,
        src_stride: Option<i64>,
        looked_up: bool,
        anchor: Anchor,
    ) -> Option<Self> {
        let period = offsets.len();
        let alone = src_stride.is_none();
        let src_stride = i32::try_from(src_stride.unwrap_or(0)).ok()?;
        let reach = usize::try_from(src_stride.unsigned_abs()).ok()?;
        let ends = (*offsets.iter().min()?, *offsets.iter().max()?);
        let spread = ends.0.abs_diff(ends.1);
        let dense = (1..=Self::LONGEST).contains(&period)
            && reach <= Self::FARTHEST * period
            && spread as usize <= Self::WIDEST;
        let unit = [8, 4, 2]
            .into_iter()
            .find(|&unit| stays_together(&offsets, unit));
        dense.then_some(Self {
            unit: unit.unwrap_or(1),
            offsets,
            ends,
            src_stride,
            alone,
            looked_up,
            anchor,
            most: None,
        })
    }

    /// The same bytes by other loads, for rows of `count` periods some of whose loads lie outside the operand, which `holds` says of what a row
    /// reads. Loads are of `vector` bytes, and tiles of `periods` periods.
    pub(crate) fn by_other_loads(
        &self,
        count: usize,
        (vector, periods): (usize, usize),
        holds: impl Fn((isize, isize)) -> bool,
    ) -> impl Iterator<Item = Self> {
        let is_short = !self.alone && count.saturating_mul(self.period()) <= Self::LONGEST_TILE;
        let anchors = [Anchor::Inside, Anchor::Last];
        let each = [None, is_short.then_some(count)].into_iter();
        let each = each.flat_map(move |most| anchors.map(|anchor| (most, anchor)));
        // Before tables are made of it.
        let fits = move |&(most, anchor): &(Option<usize>, Anchor)| {
            let (first, end) = self.reads(most.unwrap_or(periods));
            let past = vector.saturating_sub(first.abs_diff(end)) as isize;
            let (first, end) = self.reads(count);
            holds(match anchor {
                Anchor::Last => (first - past, end),
                Anchor::Line(_) | Anchor::First | Anchor::Inside => (first, end + past),
            })
        };
        each.filter(fits).map(|(most, anchor)| Self {
            anchor,
            most,
            ..self.clone()
        })
    }

    /// Bytes of a period in the destination.
    #[must_use]
    pub fn period(&self) -> usize {
        self.offsets.len()
    }

    /// Where each byte of a period is read, from the place of the period.
    #[must_use]
    pub fn offsets(&self) -> &[i32] {
        &self.offsets
    }

    /// The first and the last byte of a period that is read, from its place.
    pub(crate) fn ends(&self) -> (i32, i32) {
        self.ends
    }

    /// Distance of the places of two periods; 0 if each has one of its own.
    #[must_use]
    pub fn src_stride(&self) -> i32 {
        self.src_stride
    }

    /// Whether each period stands alone, at a place of its own.
    pub(crate) fn is_alone(&self) -> bool {
        self.alone
    }

    /// Bytes that stay together and in order: 1, 2, 4 or 8.
    pub(crate) fn unit(&self) -> usize {
        self.unit
    }

    /// The runs of neighbouring bytes of a period.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &[i32]> {
        self.offsets.chunk_by(|&one, &next| follows(one, next))
    }

    /// What the runs of a period cost one by one: by the loads and stores that each takes, and by the loop around them. The unit is about a
    /// quarter of what an element of 1, 2 or 4 bytes costs, load and store together; the numbers were fitted to times of patterns by vectors
    /// and run by run. A run that a table says is three times as dear: its place is read, too.
    pub(crate) fn cost_of_runs(&self) -> usize {
        let (mut each, mut count) = (0, 0);
        for run in self.runs() {
            count += 1;
            each += match run.len() {
                8 => 3,
                1 | 2 | 4 | 16 => 4,
                ..=31 => 10,
                // One vector of 32 bytes, or two.
                _ => 9,
            };
        }
        match (self.looked_up, count) {
            (true, _) => 3 * each,
            (false, 1) => each,
            (false, _) => each + 4,
        }
    }

    /// The first byte that `periods` periods read, from the place of the first of them, and the one after the last.
    pub(crate) fn reads(&self, periods: usize) -> (isize, isize) {
        let (first, last) = (self.ends.0 as isize, self.ends.1 as isize + 1);
        let others = periods.saturating_sub(1) as isize * self.src_stride as isize;
        (first + others.min(0), last + others.max(0))
    }

    /// Bytes from the first to the last that `periods` periods read.
    pub(crate) fn span(&self, periods: usize) -> usize {
        let (first, end) = self.reads(periods);
        first.abs_diff(end)
    }

    /// Where each byte of a run is read, period after period, from the place of the first.
    pub(crate) fn places(&self) -> impl Iterator<Item = isize> {
        let places = (0..).map(|at| self.place(at));
        let each = places.zip(self.offsets.iter().cycle());
        each.map(|(place, &offset)| place + offset as isize)
    }

    /// The place of the period that byte `at` of a run belongs to, from that of the first.
    pub(crate) fn place(&self, at: usize) -> isize {
        (at / self.period()) as isize * self.src_stride as isize
    }
}

/// Whether an offset is that of the byte after another.
fn follows(one: i32, next: i32) -> bool {
    one.checked_add(1) == Some(next)
}

fn stays_together(offsets: &[i32], unit: usize) -> bool {
    let (mut units, rest) = (offsets.chunks_exact(unit), offsets.len() % unit);
    rest == 0 && units.all(|bytes| bytes.is_sorted_by(|one, &next| follows(*one, next)))
}

/// A Shuffle with its tables: data of the plan. Only the widest tables, which decide whether it pays, and those that the best level reads
/// by are built with it: most of what a plan costs goes into them. Two of one pattern are equal, whatever is built.
#[derive(Clone, Debug)]
pub struct Shuffle {
    pattern: Pattern,
    narrow: Built<16>,
    wide: Built<64>,
    #[cfg(target_arch = "x86_64")]
    shared: Built<16>,
    #[cfg(target_arch = "x86_64")]
    whole: Built<64>,
}

impl Shuffle {
    pub(crate) fn new(pattern: Pattern) -> Self {
        Self {
            narrow: Built::new(&pattern, Tables::narrow),
            wide: Built::new(&pattern, Tables::wide),
            #[cfg(target_arch = "x86_64")]
            shared: Built::new(&pattern, Tables::shared),
            #[cfg(target_arch = "x86_64")]
            whole: Built::new(&pattern, Tables::whole),
            pattern,
        }
    }

    /// Whether vectors read rows of so many periods, and so many in all, at less cost than run by run: the longest ones, so that what is a
    /// shuffle does not depend on the processor. `is_near`: all that is read and written is in the first cache of many processors. The tables
    /// that the best level reads by are built then, those of 16 bytes too where many rows go by them, so that no call has to.
    pub(crate) fn is_quick(&self, periods: [usize; 2], is_near: bool) -> bool {
        let pays = |wide: &Tables<64>| wide.pays(&self.pattern, periods, is_near);
        let pays = self.wide().is_some_and(pays);
        if pays {
            self.tables(Level::best());
            if self.is_in_short_vectors() {
                self.narrow();
            }
        }
        pays
    }

    /// The bytes of memory that it takes with the tables that are built: for a plan the widest, and those that the best level reads by.
    pub(crate) fn memory(&self) -> usize {
        let narrow = self.narrow.built().map_or(0, Tables::heap_bytes);
        let tables = self.wide().map_or(0, Tables::heap_bytes) + narrow;
        #[cfg(target_arch = "x86_64")]
        let tables = tables
            + self.shared.built().map_or(0, Tables::heap_bytes)
            + self.whole.built().map_or(0, Tables::heap_bytes);
        size_of::<Self>() + size_of_val(self.pattern.offsets()) + tables
    }

    /// The pattern.
    #[must_use]
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Loads by which the best level moves `periods` periods; as many as units where it has no vectors for them.
    #[doc(hidden)]
    #[must_use]
    pub fn loads(&self, periods: usize) -> usize {
        let bytes = periods.saturating_mul(self.pattern.period());
        match self.tables(Level::best()) {
            (Some(wide), _) => wide.loads_of(bytes),
            (None, Some(narrow)) => narrow.loads_of(bytes),
            (None, None) => bytes / self.pattern.unit(),
        }
    }

    /// Whether the best level writes no byte twice but at the end of a row: other tiles straddle two lines with nearly every vector.
    #[doc(hidden)]
    #[must_use]
    pub fn fills_vectors(&self) -> bool {
        match self.tables(Level::best()) {
            (Some(wide), _) => wide.fill_vectors(),
            (None, _) => true,
        }
    }

    /// The tables that a level reads by, but for [many rows](Self::tables_of_rows): one of them, or none.
    pub(crate) fn tables(&self, level: Level) -> (Option<&Tables<64>>, Option<Narrow<'_>>) {
        let has_lines = level.vector() == LINE;
        let wide = has_lines.then(|| self.wide()).flatten();
        let has_vectors = level != Level::SCALAR && wide.is_none();
        (wide, has_vectors.then(|| self.narrow()).flatten())
    }

    /// The tables by which a level moves `count` rows at a distance.
    pub(crate) fn tables_of_rows(
        &self,
        level: Level,
        count: usize,
    ) -> (Option<&Tables<64>>, Option<Narrow<'_>>) {
        /// Fewer rows are over before what sets up the loop over them has paid.
        const LEAST: usize = 48;
        match level.vector() == LINE && count >= LEAST && self.is_in_short_vectors() {
            true => (None, self.narrow()),
            false => self.tables(level),
        }
    }

    /// The tables by which one vector of 16 bytes, and one load, give all of a period that stands alone.
    pub(crate) fn alone_in_one_vector(&self) -> Option<&Tables<16>> {
        let is_short = self.pattern.is_alone() && self.pattern.period() <= Level::SHORTEST_VECTOR;
        let tables = is_short.then(|| self.narrow.get(&self.pattern)).flatten();
        tables.filter(|tables| tables.loads.len() == 1)
    }

    /// Whether one or two vectors of 16 bytes, a load each, give all of a period that stands alone: most longer ones would lie in two lines, on
    /// both sides.
    fn is_in_short_vectors(&self) -> bool {
        let is_short = self.pattern.period() <= 2 * Level::SHORTEST_VECTOR;
        let by_one = |narrow: &Tables<16>| narrow.per_vector == 1;
        self.pattern.is_alone() && is_short && self.narrow.get(&self.pattern).is_some_and(by_one)
    }

    /// The tables for vectors of 16 bytes, if a few loads do.
    pub(crate) fn narrow(&self) -> Option<Narrow<'_>> {
        let each = self.narrow.get(&self.pattern)?;
        let shared = self.shared();
        Some(Narrow { each, shared })
    }

    /// The tables for vectors of 64 bytes, if a few loads do.
    pub(crate) fn wide(&self) -> Option<&Tables<64>> {
        self.wide.get(&self.pattern)
    }

    /// The tables for vectors of 16 bytes that share their loads.
    #[cfg(target_arch = "x86_64")]
    fn shared(&self) -> Option<&Tables<16>> {
        self.shared.get(&self.pattern)
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn shared(&self) -> Option<&Tables<16>> {
        None
    }

    /// Those whose tiles are whole vectors, for results that no cache keeps, because only whole lines can be written past them, and for long
    /// ones of a processor that is quicker so.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn whole(&self) -> Option<&Tables<64>> {
        self.whole.get(&self.pattern)
    }
}

/// The tables for vectors of 16 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Narrow<'a> {
    each: &'a Tables<16>,
    /// Those that share their loads, where two tiles are moved at once.
    shared: Option<&'a Tables<16>>,
}

impl<'a> Narrow<'a> {
    /// Those by which rows of `bytes` bytes are moved.
    pub fn of_rows(self, bytes: usize) -> &'a Tables<16> {
        self.shared
            .filter(|shared| bytes >= 2 * shared.tile)
            .unwrap_or(self.each)
    }

    /// Loads that give `bytes` bytes.
    fn loads_of(self, bytes: usize) -> usize {
        let tables = self.of_rows(bytes);
        #[cfg(target_arch = "x86_64")]
        if let Some(doubled) = &tables.doubled {
            return bytes.div_ceil(doubled.bytes()) * doubled.loads.len();
        }
        // The vectors of a tile have the same loads.
        #[cfg(target_arch = "x86_64")]
        if tables.shares_loads {
            return bytes.div_ceil(tables.tile) * tables.per_vector;
        }
        tables.loads_of(bytes)
    }
}

impl PartialEq for Shuffle {
    fn eq(&self, other: &Self) -> bool {
        self.pattern == other.pattern
    }
}

impl Eq for Shuffle {}

impl Hash for Shuffle {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.pattern.hash(state);
    }
}

/// Tables that are built when they are first asked for; at once where there is no standard library to wait with.
#[cfg(feature = "std")]
#[derive(Clone, Debug)]
struct Built<const N: usize> {
    build: Build<N>,
    tables: std::sync::OnceLock<Option<Tables<N>>>,
}

/// Which tables.
type Build<const N: usize> = fn(&Pattern) -> Option<Tables<N>>;

#[cfg(feature = "std")]
impl<const N: usize> Built<N> {
    fn new(_: &Pattern, build: Build<N>) -> Self {
        let tables = std::sync::OnceLock::new();
        Self { build, tables }
    }

    fn get(&self, pattern: &Pattern) -> Option<&Tables<N>> {
        self.tables.get_or_init(|| (self.build)(pattern)).as_ref()
    }

    /// The tables, if they were asked for.
    fn built(&self) -> Option<&Tables<N>> {
        self.tables.get()?.as_ref()
    }
}

#[cfg(not(feature = "std"))]
#[derive(Clone, Debug)]
struct Built<const N: usize>(Option<Tables<N>>);

#[cfg(not(feature = "std"))]
impl<const N: usize> Built<N> {
    fn new(pattern: &Pattern, build: Build<N>) -> Self {
        Self(build(pattern))
    }

    fn get(&self, _: &Pattern) -> Option<&Tables<N>> {
        self.0.as_ref()
    }

    fn built(&self) -> Option<&Tables<N>> {
        self.0.as_ref()
    }
}
