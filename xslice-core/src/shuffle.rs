//! The pattern of a Shuffle, and the tables that each vector width reads it by.
//!
//! A [`Pattern`] says where the bytes of one period of the destination come from; the next period reads the same way, one source stride
//! further. Any affine innermost part is such a pattern: every second element, reversed rows, three channels of four, swapped
//! channels, and all their combinations. From it, [`Tables`] derives for a vector width which loads make each vector of
//! the destination, and how their bytes are permuted and merged. No pattern is a special case.

use crate::list::List;
use crate::move_::Level;
use alloc::{sync::Arc, vec, vec::Vec};
use core::hash::{Hash, Hasher};

/// Most loads that may make one vector.
const MOST_LOADS: usize = 16;

/// Periods this many times as far apart as they are long, or closer, are worth their loads.
const NEAR: usize = 8;

/// What a load of 64 bytes and its permutation cost, beside the runs that it gives one by one: see [`Pattern::cost_of_runs`].
const LOAD_COST: usize = 9;

/// Loads that make a vector of periods that are far apart, at most: their tables stay in registers.
const MOST_FAR: usize = 8;

/// Tiles of so many vectors are filled by whole periods: each number has a loop of its own.
const SHORT_TILES: [usize; 4] = [1, 3, 5, 7];

/// Where the bytes of one period come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    offsets: Vec<i32>,
    src_stride: i32,
    /// Bytes that stay together: 1, 2, 4 or 8.
    unit: usize,
    /// Whether a table of constants says where the runs are.
    looked_up: bool,
}

impl Pattern {
    /// A pattern of `offsets.len()` bytes a period, each read `offsets[k]` bytes from the place of its period, the places
    /// `src_stride` bytes apart; `None` if the reach is too long for a few nearby loads.
    pub(crate) fn new(offsets: Vec<i32>, src_stride: i64, looked_up: bool) -> Option<Self> {
        let period = offsets.len();
        let src_stride = i32::try_from(src_stride).ok()?;
        let reach = usize::try_from(src_stride.unsigned_abs()).ok()?;
        let spread = offsets.iter().max()?.abs_diff(*offsets.iter().min()?) as usize;
        let dense = (1..=64).contains(&period) && reach <= 2 * NEAR * period && spread <= 256;
        let unit = [8, 4, 2]
            .into_iter()
            .find(|&unit| stays_together(&offsets, unit));
        dense.then_some(Self {
            unit: unit.unwrap_or(1),
            offsets,
            src_stride,
            looked_up,
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

    /// Distance of the places of two periods.
    #[must_use]
    pub fn src_stride(&self) -> i32 {
        self.src_stride
    }

    /// Bytes that stay together and in order: 1, 2, 4 or 8.
    pub(crate) fn unit(&self) -> usize {
        self.unit
    }

    /// What the runs of a period cost one by one: by the loads and stores that each takes, and by the loop around them.
    fn cost_of_runs(&self) -> usize {
        let runs = self
            .offsets
            .chunk_by(|&one, &next| one.checked_add(1) == Some(next));
        let (mut each, mut count) = (0, 0);
        for run in runs {
            count += 1;
            each += match run.len() {
                8 => 3,
                1 | 2 | 4 | 16 => 4,
                ..=32 => 10,
                _ => 20,
            };
        }
        match (self.looked_up, count) {
            (true, _) => 3 * each,
            (false, 1) => each,
            (false, _) => each + 4,
        }
    }

    /// The place of the period that byte `at` of a run belongs to, from that of the first.
    pub(crate) fn place(&self, at: usize) -> isize {
        (at / self.period()) as isize * self.src_stride as isize
    }
}

fn stays_together(offsets: &[i32], unit: usize) -> bool {
    let (units, rest) = (offsets.chunks_exact(unit), offsets.len() % unit);
    let in_order = |bytes: &[i32]| {
        bytes
            .iter()
            .zip(bytes[0]..)
            .all(|(&offset, expected)| offset == expected)
    };
    rest == 0 && units.into_iter().all(in_order)
}

/// A load and where its bytes go in one vector.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Load<const N: usize> {
    /// Where the load begins, from the place of the tile.
    pub offset: isize,
    /// The byte of the load for each byte of the vector; with the top bit set where another load gives it.
    pub bytes: [u8; N],
    /// A bit for each byte of the vector that the load gives.
    pub mask: u64,
}

/// The loads of each vector of a tile: a few whole periods.
///
/// A tile of few vectors is filled by its periods. Where that took many, a tile is the periods that fit into fewest vectors, and the rest
/// of the last vector has the first bytes of the next tile, which writes them again, the same. Where periods are far apart, or that takes
/// fewer loads and stores, a tile is those periods of one vector that few loads give, or one period of several vectors, and the rest of
/// the last vector is left to the next tile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tables<const N: usize> {
    /// Loads of all vectors, as many for each.
    pub loads: Vec<Load<N>>,
    /// Loads of one vector.
    pub per_vector: usize,
    /// Vectors in a tile.
    pub vectors: usize,
    /// Bytes of a tile, at most those of its vectors.
    pub tile: usize,
    /// Bytes of its vectors that loads give: all, or those of the tile where periods are far apart.
    pub given: usize,
    /// What the next tile is further in the source.
    pub src_stride: isize,
    /// First byte that a load of the tile reads, and the byte after the last, from its place.
    pub reach: (isize, isize),
    /// 2^64 / tile: a division would take as long as the rows of a short call.
    pub inverse: u64,
}

impl<const N: usize> Tables<N> {
    /// Vectors of a tile that whole periods fill, at most, to look for no other form: shorter vectors have no masks.
    const KEPT: usize = if N == Level::SHORTEST_VECTOR { 3 } else { 1 };

    /// The tables of a pattern; `None` if a vector takes too many loads.
    pub fn new(pattern: &Pattern) -> Option<Self> {
        let is_near = pattern.src_stride().unsigned_abs() as usize <= NEAR * pattern.period();
        let dense = is_near.then(|| Self::dense(pattern)).flatten();
        match dense {
            None => Self::sparse(pattern),
            // No other form has fewer loads and stores; or, where none has masks, ends that are no whole tiles cost more than it saves.
            Some(dense) if dense.per_vector <= 2 && dense.vectors <= Self::KEPT => Some(dense),
            Some(dense) => match Self::sparse(pattern) {
                Some(sparse) if sparse.moves() * dense.tile < dense.moves() * sparse.tile => {
                    Some(sparse)
                }
                Some(_) | None => Some(dense),
            },
        }
    }

    /// Loads and stores of a tile.
    fn moves(&self) -> usize {
        self.loads.len() + self.vectors
    }

    /// Whether they cost less than the runs that they give.
    fn pays(&self, pattern: &Pattern) -> bool {
        self.tile / pattern.period() * pattern.cost_of_runs() > LOAD_COST * self.loads.len()
    }

    /// Few vectors that whole periods fill.
    fn dense(pattern: &Pattern) -> Option<Self> {
        let period = pattern.period();
        let filled = period / gcd(period, N);
        let vectors = match SHORT_TILES.contains(&filled) {
            true => filled,
            false => period.div_ceil(N),
        };
        let each: Option<Vec<_>> = (0..vectors)
            .map(|vector| loads(pattern, vector * N, N, MOST_LOADS))
            .collect();
        Self::of(pattern, each?, vectors * N / period, vectors * N)
    }

    /// As many periods as a few loads give and a vector holds; one, in several vectors, where it is longer.
    fn sparse(pattern: &Pattern) -> Option<Self> {
        let period = pattern.period();
        (1..=(N / period).max(1)).rev().find_map(|periods| {
            let given = periods * period;
            let vector = |first| loads(pattern, first, N.min(given - first), MOST_FAR);
            let each: Option<Vec<_>> = (0..given).step_by(N).map(vector).collect();
            Self::of(pattern, each?, periods, given)
        })
    }

    /// Tiles of so many periods, by the loads of each vector, which give so many bytes.
    fn of(
        pattern: &Pattern,
        mut each: Vec<Vec<Load<N>>>,
        periods: usize,
        given: usize,
    ) -> Option<Self> {
        let (period, vectors) = (pattern.period(), each.len());
        let per_vector = each.iter().map(Vec::len).max()?;
        for list in &mut each {
            // A load that gives nothing repeats the first one, so that every vector has as many.
            let idle = Load {
                offset: list[0].offset,
                bytes: [0x80; N],
                mask: 0,
            };
            list.resize(per_vector, idle);
        }
        let loads: Vec<_> = each.into_iter().flatten().collect();
        let first = loads.iter().map(|load| load.offset).min()?;
        let last = loads.iter().map(|load| load.offset).max()?;
        Some(Self {
            loads,
            per_vector,
            vectors,
            tile: periods * period,
            given,
            src_stride: periods as isize * pattern.src_stride() as isize,
            reach: (first, last + N as isize),
            inverse: u64::MAX / (periods * period) as u64,
        })
    }
}

impl<const N: usize> Tables<N> {
    fn heap_bytes(&self) -> usize {
        self.loads.capacity() * size_of::<Load<N>>()
    }
}

/// The loads of the vector that begins at byte `first` of a tile and has so many bytes of it; `None` if they are more than `most`.
fn loads<const N: usize>(
    pattern: &Pattern,
    first: usize,
    bytes: usize,
    most: usize,
) -> Option<Vec<Load<N>>> {
    let mut sources = [GIVEN; N];
    let (mut within, mut place) = (first % pattern.period(), pattern.place(first));
    for source in &mut sources[..bytes] {
        *source = place + pattern.offsets[within] as isize;
        within += 1;
        if within == pattern.period() {
            within = 0;
            place += pattern.src_stride as isize;
        }
    }
    let mut result = Vec::new();
    loop {
        // The next load begins at the first byte that no load has given yet.
        let offset = *sources.iter().min()?;
        if offset == GIVEN {
            return Some(result);
        }
        if result.len() == most {
            return None;
        }
        let mut load = Load {
            offset,
            bytes: [0x80; N],
            mask: 0,
        };
        for (k, source) in sources.iter_mut().enumerate() {
            let within = source.wrapping_sub(offset) as usize;
            if within < N {
                load.bytes[k] = within as u8;
                load.mask |= 1 << k;
                *source = GIVEN;
            }
        }
        result.push(load);
    }
}

/// In the place of a byte that a load gives: farther away than any.
const GIVEN: isize = isize::MAX;

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A Shuffle with its tables: data of the plan. Only the widest tables, which decide whether it pays, and those that the best level reads
/// by are built with it: most of what a plan costs goes into them. Two of one pattern are equal, whatever is built.
#[derive(Clone, Debug)]
pub struct Shuffle {
    pattern: Pattern,
    narrow: Built<16>,
    wide: Built<64>,
}

impl Shuffle {
    pub(crate) fn new(pattern: Pattern) -> Self {
        Self {
            narrow: Built::new(&pattern),
            wide: Built::new(&pattern),
            pattern,
        }
    }

    /// Whether vectors read the pattern at less cost than run by run: the longest ones, so that what is a shuffle does not depend on the
    /// processor. The tables that the best level reads by are built then, so that no call has to.
    pub(crate) fn is_quick(&self) -> bool {
        let pays = self.wide().is_some_and(|wide| wide.pays(&self.pattern));
        if pays {
            self.tables(Level::best());
        }
        pays
    }

    /// The bytes of memory that it takes with the tables that are built for a plan: the widest, and those that the best level reads by.
    pub(crate) fn memory(&self) -> usize {
        let (_, narrow) = self.tables(Level::best());
        let tables =
            self.wide().map_or(0, Tables::heap_bytes) + narrow.map_or(0, Tables::heap_bytes);
        size_of::<Self>() + size_of_val(self.pattern.offsets()) + tables
    }

    /// The pattern.
    #[must_use]
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The tables for vectors of 16 bytes, if a few loads do.
    pub(crate) fn narrow(&self) -> Option<&Tables<16>> {
        self.narrow.get(&self.pattern)
    }

    /// The tables for vectors of 64 bytes, if a few loads do.
    pub(crate) fn wide(&self) -> Option<&Tables<64>> {
        self.wide.get(&self.pattern)
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
struct Built<const N: usize>(std::sync::OnceLock<Option<Tables<N>>>);

#[cfg(feature = "std")]
impl<const N: usize> Built<N> {
    fn new(_: &Pattern) -> Self {
        Self(std::sync::OnceLock::new())
    }

    fn get(&self, pattern: &Pattern) -> Option<&Tables<N>> {
        self.0.get_or_init(|| Tables::new(pattern)).as_ref()
    }
}

#[cfg(not(feature = "std"))]
#[derive(Clone, Debug)]
struct Built<const N: usize>(Option<Tables<N>>);

#[cfg(not(feature = "std"))]
impl<const N: usize> Built<N> {
    fn new(pattern: &Pattern) -> Self {
        Self(Tables::new(pattern))
    }

    fn get(&self, _: &Pattern) -> Option<&Tables<N>> {
        self.0.as_ref()
    }
}

/// The numbers of a period: loops around a block of bytes, side by side in the destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Period {
    /// Turns and source stride of each loop, innermost last.
    pub loops: List<(usize, i64)>,
    /// What tables add to the source place of each block, in the order of the loops; empty if there is none.
    pub picked: List<i64>,
    /// Neighbouring bytes.
    pub block: usize,
    /// Distance of the places of two periods.
    pub src_stride: i64,
}

impl Period {
    /// The Shuffle of such periods; `None` if their reach is too long for a few nearby loads.
    pub fn shuffle(&self) -> Option<Arc<Shuffle>> {
        #[cfg(feature = "std")]
        {
            recent::shuffle(self)
        }
        #[cfg(not(feature = "std"))]
        {
            self.derive()
        }
    }

    fn derive(&self) -> Option<Arc<Shuffle>> {
        let pattern = Pattern::new(self.offsets()?, self.src_stride, !self.picked.is_empty())?;
        Some(Arc::new(Shuffle::new(pattern)))
    }

    /// Where each byte is read, from the place of the period.
    fn offsets(&self) -> Option<Vec<i32>> {
        let mut places = places(0, self.loops.iter().copied());
        for (place, picked) in places.iter_mut().zip(&self.picked) {
            *place += picked;
        }
        let bytes = places
            .iter()
            .flat_map(|&place| (0..self.block as i64).map(move |byte| place + byte));
        bytes.map(|at| i32::try_from(at).ok()).collect()
    }
}

/// The places of all turns of nested loops, in their order: where they start, then turns and stride of each loop, innermost last.
pub(crate) fn places(first: i64, loops: impl Iterator<Item = (usize, i64)>) -> Vec<i64> {
    loops.fold(vec![first], |places, (extent, stride)| {
        let turns = |&place: &i64| (0..extent as i64).map(move |turn| place + turn * stride);
        places.iter().flat_map(turns).collect()
    })
}

/// The Shuffles that were made last, by their numbers. Deriving one takes longer than all else of a plan, and plans of one structure
/// differ in shapes, seldom in the pattern.
#[cfg(feature = "std")]
mod recent {
    use super::{Arc, Hash, Hasher, Period, Shuffle};
    use crate::hash::WordHash;
    use std::sync::{Mutex, PoisonError};

    /// Each number has one place among so many.
    const PLACES: usize = 64;

    /// A period and what was derived from it.
    type Known = Option<(Period, Option<Arc<Shuffle>>)>;

    static RECENT: Mutex<[Known; PLACES]> = Mutex::new([const { None }; PLACES]);

    pub(super) fn shuffle(period: &Period) -> Option<Arc<Shuffle>> {
        let mut hash = WordHash::default();
        period.hash(&mut hash);
        let place = (hash.finish() >> 32) as usize % PLACES;
        let recent = || RECENT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, shuffle)) = &recent()[place]
            && known == period
        {
            return shuffle.clone();
        }
        // Derived without the lock; two threads that derive the same keep either.
        let shuffle = period.derive();
        recent()[place] = Some((period.clone(), shuffle.clone()));
        shuffle
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;

    /// More periods than are remembered, each asked for twice.
    #[test]
    fn a_remembered_shuffle_is_the_one_that_is_derived() {
        let period = |extent: usize, stride: i64, block, src_stride| Period {
            loops: [(extent, stride)].into_iter().collect(),
            picked: List::new(),
            block,
            src_stride,
        };
        let mut found = 0;
        for _ in 0..2 {
            for (extent, stride) in (1..9).flat_map(|extent| (-9..9).map(move |s| (extent, s))) {
                for period in [1, 3].map(|block| period(extent, stride, block, 3 * stride)) {
                    let shuffle = period.shuffle();
                    assert_eq!(shuffle, period.derive(), "{period:?}");
                    found += usize::from(shuffle.is_some());
                }
            }
        }
        assert!(found > 200, "{found} have a pattern");
    }
}
