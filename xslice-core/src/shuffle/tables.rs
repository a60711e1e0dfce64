//! The tables that vectors of one width read a pattern by: which loads make each vector, and how their bytes are permuted and merged.

#[cfg(test)]
mod tests;

use super::{Anchor, LINE, NEAR, Pattern};
use crate::level::Level;
use alloc::vec::Vec;
#[cfg(target_arch = "x86_64")]
use core::ops::Range;

/// Most loads that may make one vector.
const MOST_LOADS: usize = 16;

/// What a load of 64 bytes and its permutation cost, in the unit of [`Pattern::cost_of_runs`].
pub(crate) const LOAD_COST: usize = 9;

/// The same of a load from the first cache, with its share of a store to it.
const NEAR_COST: usize = 5;

/// The same of a load that is merged by words into one before it, where a vector has at most [`FEW_MERGED`].
const MERGED_COST: usize = 7;

/// Vectors of so many loads take longer for each.
const MANY_LOADS: usize = 7;

/// Fewer tiles of vectors of more loads do not pay.
const FEW_TILES: usize = 6;

/// Loads that a tile of so many takes besides if it fills no vectors: its store straddles two lines.
const STRADDLING: usize = 2;

/// More loads of a vector lie too far apart to gain from how they are merged.
const FEW_MERGED: usize = 3;

/// What a row costs beside its runs, in the same unit.
const ROW_COST: usize = 8;

/// Loads that make a vector of periods that are far apart, at most: their tables stay in registers.
const MOST_FAR: usize = 8;

/// Registers for masks.
pub(crate) const MASKS: usize = 7;

/// Tiles of these numbers of vectors are filled by whole periods: each number has a loop of its own.
const SHORT_TILES: [usize; 4] = [1, 3, 5, 7];

/// A load and where its bytes go in one vector.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Load<const N: usize> {
    /// Where the load begins, from the place of the tile.
    pub offset: isize,
    /// The byte of the load for each byte of the vector; with the top bit set where another load gives it.
    pub bytes: [u8; N],
    /// A bit for each byte of the vector that the load gives.
    pub mask: u64,
    /// A bit for each byte of the load that is one of these.
    pub used: u64,
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
    /// Bytes of a period, and what the next one is further in the source.
    #[cfg(target_arch = "x86_64")]
    pub period: (usize, isize),
    /// Bytes of its vectors that loads give: all, or those of the tile where periods are far apart.
    pub given: usize,
    /// What the next tile is further in the source.
    pub src_stride: isize,
    /// First byte that a load of the tile reads, and the byte after the last, from its place.
    pub reach: (isize, isize),
    /// Whether each vector has the loads of the first; where they are one more than vectors, bytes of two neighbours alone.
    #[cfg(target_arch = "x86_64")]
    pub shares_loads: bool,
    /// How loads merge by units of 4 bytes, where they can: for each vector, as many orders as it has loads after the first.
    #[cfg(target_arch = "x86_64")]
    pub words: Option<Vec<[u32; WORDS]>>,
    /// How tiles are moved by vectors of 32 bytes, where that takes fewer instructions.
    #[cfg(target_arch = "x86_64")]
    pub doubled: Option<super::Doubled>,
    /// 2^64 / tile: a division would take as long as the rows of a short call.
    inverse: u64,
}

/// In the order of a load, for a byte that another one gives.
pub(crate) const NONE: u8 = 0x80;

/// Units of 4 bytes in a vector of 64.
pub(crate) const WORDS: usize = 64 / 4;

/// The order by which one instruction merges a load into a vector by units of 4 bytes, each counted from the first of the vector, and those of
/// the load after all of these; `before` is the order of what the vector has in the order in which it was loaded: of the load before, if that is
/// the first, or of none. `None`: not all units stay together.
pub(crate) const fn merged_by_words(before: &[u8; 64], load: &[u8; 64]) -> Option<[u32; WORDS]> {
    let (mut order, mut word) = ([0; WORDS], 0);
    while word < WORDS {
        order[word] = match (word_of(before, word), word_of(load, word)) {
            (None, _) | (_, None) => return None,
            (_, Some(Some(from))) => from + WORDS as u32,
            (Some(Some(from)), Some(None)) => from,
            (Some(None), Some(None)) => word as u32,
        };
        word += 1;
    }
    Some(order)
}

/// The unit of 4 bytes that a load gives to a unit of the vector, if it gives any; `None` if it gives bytes of one otherwise.
const fn word_of(order: &[u8; 64], word: usize) -> Option<Option<u32>> {
    let at = 4 * word;
    let [a, b, c, d] = [order[at], order[at + 1], order[at + 2], order[at + 3]];
    match (a | b | c | d) & NONE {
        0 if a % 4 == 0 && b == a + 1 && c == a + 2 && d == a + 3 => Some(Some(a as u32 / 4)),
        _ if a & b & c & d == NONE => Some(None),
        _ => None,
    }
}

impl Tables<64> {
    /// The tables of a pattern, with how units of 4 bytes merge.
    pub fn wide(pattern: &Pattern) -> Option<Self> {
        let tables = Self::new(pattern);
        #[cfg(target_arch = "x86_64")]
        let tables = tables.map(|tables| Self {
            words: tables.by_words(),
            ..tables
        });
        tables
    }

    /// The orders by which one instruction each merges a load after the first of a vector into what those before it gave; `None` where
    /// there is one load, or units of 4 bytes do not stay together.
    pub fn by_words(&self) -> Option<Vec<[u32; WORDS]>> {
        let mut orders = Vec::new();
        for v in 0..self.vectors {
            let (first, others) = self.of_vector(v).split_first()?;
            for (at, load) in others.iter().enumerate() {
                let before = if at == 0 { &first.bytes } else { &[NONE; 64] };
                orders.push(merged_by_words(before, &load.bytes)?);
            }
        }
        (!orders.is_empty()).then_some(orders)
    }

    /// Whether they cost less than the runs that they give, in rows of `periods` periods, `all` of them in all; `is_near`: all that is read
    /// and written is in the first cache.
    pub fn pays(&self, pattern: &Pattern, [periods, all]: [usize; 2], is_near: bool) -> bool {
        let (loads, in_tile) = (self.loads.len(), self.tile / pattern.period());
        let are_many = self.per_vector >= MANY_LOADS;
        if self.per_vector > MANY_LOADS && all < FEW_TILES * in_tile {
            return false;
        }
        let straddling = match are_many && !self.fill_vectors() {
            true => STRADDLING,
            false => 0,
        };
        // The loop around near rows is there either way.
        let runs = pattern.cost_of_runs();
        let each = runs + if pattern.is_alone() { ROW_COST } else { 0 };
        let of_row = periods.saturating_mul(each);
        in_tile * each > LOAD_COST * (loads + straddling)
            || is_near && !are_many && in_tile * runs > NEAR_COST * loads
            || self.merge_few_words() && of_row > self.cost_of_merged(periods * pattern.period())
    }

    /// Whether whole vectors are merged of a few loads, an instruction for each after the first.
    fn merge_few_words(&self) -> bool {
        #[cfg(target_arch = "x86_64")]
        let by_words = self.words.is_some();
        #[cfg(not(target_arch = "x86_64"))]
        let by_words = self.by_words().is_some();
        by_words && self.per_vector <= FEW_MERGED && self.fill_vectors()
    }

    /// What tiles of such vectors cost that give a row of `bytes` bytes: its last one as much as each.
    fn cost_of_merged(&self, bytes: usize) -> usize {
        let merged = self.loads.len() - self.vectors;
        let of_tile = LOAD_COST * self.vectors + MERGED_COST * merged;
        bytes.div_ceil(self.tile).saturating_mul(of_tile)
    }

    /// Whether the loads of a tile have what another one reads, whose place is `apart` from its own: each byte as far from the first's.
    #[cfg(target_arch = "x86_64")]
    pub fn gives_two(&self, apart: isize) -> bool {
        let lost = |load: &Load<64>| match apart {
            0.. => load.used >> (64 - apart),
            _ => load.used << (64 + apart),
        };
        apart != 0 && (-63..64).contains(&apart) && self.loads.iter().all(|load| lost(load) == 0)
    }
}

impl<const N: usize> Tables<N> {
    /// Vectors of a tile that whole periods fill, at most, to look for no other form: shorter vectors have no masks.
    const KEPT: usize = if N == Level::SHORTEST_VECTOR { 3 } else { 1 };

    /// The tables of a pattern; `None` if a vector takes too many loads.
    pub fn new(pattern: &Pattern) -> Option<Self> {
        if pattern.is_alone() {
            return Self::given(pattern, 1);
        }
        if let Some(periods) = pattern.most {
            return Self::given(pattern, periods);
        }
        let is_near = pattern.src_stride().unsigned_abs() as usize <= NEAR * pattern.period();
        let dense = is_near.then(|| Self::dense(pattern)).flatten();
        let dense = dense.filter(|dense| N < LINE || dense.stay_in_registers());
        let dense = dense.filter(|dense| match pattern.anchor {
            Anchor::Line(_) | Anchor::First => true,
            // The first bytes of the next tile lie past the last one.
            Anchor::Inside | Anchor::Last => dense.tile == dense.given,
        });
        match dense {
            None => Self::sparse(pattern),
            Some(dense) if dense.is_kept() => Some(dense),
            Some(dense) => match Self::sparse(pattern) {
                Some(sparse) if sparse.moves() * dense.tile < dense.moves() * sparse.tile => {
                    Some(sparse)
                }
                Some(_) | None => Some(dense),
            },
        }
    }

    /// Whether no other form has fewer loads and stores; or, by vectors without masks, none saves as much as ends that are no whole tiles cost.
    fn is_kept(&self) -> bool {
        let needs_all = N < LINE || self.tile == self.given;
        needs_all && self.per_vector <= 2 && self.vectors <= Self::KEPT
    }

    /// The tables whose tiles are whole vectors, of the forms that whole periods fill; `None` where there is none, or its loads are too
    /// many to stay in registers.
    #[cfg(target_arch = "x86_64")]
    pub fn whole(pattern: &Pattern) -> Option<Self> {
        Self::dense(pattern).filter(|tables| tables.fill_vectors() && tables.stay_in_registers())
    }

    /// Whether there is a loop for this number of vectors and loads that keeps the orders of 64 bytes in registers.
    fn stay_in_registers(&self) -> bool {
        let most = if self.vectors == 1 { MOST_FAR } else { 3 };
        self.per_vector <= most
    }

    /// The loads of vector `v`.
    pub fn of_vector(&self, v: usize) -> &[Load<N>] {
        &self.loads[v * self.per_vector..][..self.per_vector]
    }

    /// Loads that give `bytes` bytes.
    pub fn loads_of(&self, bytes: usize) -> usize {
        bytes.div_ceil(self.tile).saturating_mul(self.loads.len())
    }

    /// What tiles read from the place of the first up to the one that is `last` bytes from it.
    #[cfg(target_arch = "x86_64")]
    pub fn reach_to(&self, last: isize) -> (isize, isize) {
        (self.reach.0 + last.min(0), self.reach.1 + last.max(0))
    }

    /// Whether a tile is whole vectors.
    pub fn fill_vectors(&self) -> bool {
        self.tile == self.vectors * N
    }

    /// Loads and stores of a tile. Masks of more loads than there are registers for twice over are made anew for each, which was found to
    /// take as long as three.
    fn moves(&self) -> usize {
        let masks = if N == LINE { self.loads.len() } else { 0 };
        self.loads.len() + self.vectors + 3 * masks.saturating_sub(2 * MASKS)
    }

    /// The tables whose vectors all have the same loads: three vectors that whole periods fill, of as many loads side by side in the source,
    /// or of four of which each vector has the bytes of two neighbours. `None` for other patterns.
    #[cfg(target_arch = "x86_64")]
    pub fn shared(pattern: &Pattern) -> Option<Self> {
        const VECTORS: usize = 3;
        let period = pattern.period();
        if pattern.is_alone() || period / gcd(period, N) != VECTORS {
            return None;
        }
        let sources: Vec<isize> = read(pattern, 0).take(VECTORS * N).collect();
        let (first, last) = ends::<N>(&sources)?;
        let lines = (last - first).unsigned_abs().div_ceil(N) + 1;
        if !(VECTORS..=VECTORS + 1).contains(&lines) {
            return None;
        }
        // Vector `v` by the loads `of(v)` of these.
        let by = |begins: &[isize], of: fn(usize) -> Range<usize>| {
            let each = sources.chunks_exact(N).enumerate().map(|(v, sources)| {
                let mut left: [isize; N] = core::array::from_fn(|k| sources[k]);
                let load = |(l, &begin)| match of(v).contains(&l) {
                    true => Load::at(begin, &mut left),
                    false => Load::idle(begin),
                };
                let loads: Vec<Load<N>> = begins.iter().enumerate().map(load).collect();
                (left == [GIVEN; N]).then_some(loads)
            });
            let each = each.collect::<Option<Vec<_>>>()?;
            let tables = Self::of(pattern, each, VECTORS * N / period, VECTORS * N)?;
            let shares_loads = true;
            Some(Self {
                shares_loads,
                ..tables
            })
        };
        let side_by_side = [0, N, 2 * N].map(|at| (first + at as isize).min(last));
        by(&side_by_side, |_| 0..VECTORS).or_else(|| by(&neighbours::<N>(&sources)?, |v| v..v + 2))
    }

    /// Few vectors that whole periods fill.
    fn dense(pattern: &Pattern) -> Option<Self> {
        let period = pattern.period();
        let filled = period / gcd(period, N);
        let vectors = match SHORT_TILES.contains(&filled) {
            true => filled,
            false => period.div_ceil(N),
        };
        let periods = vectors * N / period;
        let begins = Begins::of(pattern, periods);
        let each: Option<Vec<_>> = (0..vectors)
            .map(|vector| loads(pattern, (vector * N, N), MOST_LOADS, begins))
            .collect();
        Self::of(pattern, each?, periods, vectors * N)
    }

    /// As many periods as a few loads give and a vector holds; one, in several vectors, where it is longer.
    fn sparse(pattern: &Pattern) -> Option<Self> {
        let most = (N / pattern.period()).max(1);
        (1..=most)
            .rev()
            .find_map(|periods| Self::given(pattern, periods))
    }

    /// Vectors for `periods` periods and no more.
    fn given(pattern: &Pattern, periods: usize) -> Option<Self> {
        let given = periods * pattern.period();
        let begins = Begins::of(pattern, periods);
        let vector = |first| {
            let bytes = N.min(given - first);
            loads(pattern, (first, bytes), MOST_FAR, begins)
        };
        let each: Option<Vec<_>> = (0..given).step_by(N).map(vector).collect();
        Self::of(pattern, each?, periods, given)
    }

    /// Tiles of `periods` periods, by the loads of each vector, which give `given` bytes.
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
            let idle = Load::idle(list[0].offset);
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
            #[cfg(target_arch = "x86_64")]
            period: (period, pattern.src_stride() as isize),
            given,
            src_stride: periods as isize * pattern.src_stride() as isize,
            reach: (first, last + N as isize),
            #[cfg(target_arch = "x86_64")]
            shares_loads: false,
            #[cfg(target_arch = "x86_64")]
            words: None,
            #[cfg(target_arch = "x86_64")]
            doubled: None,
            inverse: u64::MAX / (periods * period) as u64,
        })
    }
}

#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon")
))]
impl<const N: usize> Tables<N> {
    /// Whole tiles of a run of `bytes` bytes whose vectors lie inside it.
    pub fn tiles(&self, bytes: usize) -> usize {
        match bytes.checked_sub(self.vectors * N) {
            None => 0,
            Some(rest) => self.count_in(rest) + 1,
        }
    }

    /// Whole tiles in `bytes` bytes.
    pub fn count_in(&self, bytes: usize) -> usize {
        // A little less than one part, of a little more: exact as long as their product does not reach 2^64.
        let product = (bytes as u128 + 1) * u128::from(self.inverse);
        (product >> 64) as usize
    }
}

impl<const N: usize> Tables<N> {
    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        let loads = self.loads.capacity() * size_of::<Load<N>>();
        #[cfg(target_arch = "x86_64")]
        {
            let words = self.words.as_ref().map_or(0, Vec::capacity);
            let doubled = self.doubled.as_ref().map_or(0, super::Doubled::heap_bytes);
            loads + words * size_of::<[u32; WORDS]>() + doubled
        }
        #[cfg(not(target_arch = "x86_64"))]
        loads
    }
}

impl Tables<{ Level::SHORTEST_VECTOR }> {
    /// The tables of a pattern, with how vectors of 32 bytes move their tiles.
    pub fn narrow(pattern: &Pattern) -> Option<Self> {
        let tables = Self::new(pattern);
        #[cfg(target_arch = "x86_64")]
        let tables = tables.map(|tables| Self {
            doubled: super::Doubled::new(pattern, &tables),
            ..tables
        });
        tables
    }
}

/// Where the load begins that begins with the first of these bytes, and the one that ends with the last.
#[cfg(target_arch = "x86_64")]
fn ends<const N: usize>(sources: &[isize]) -> Option<(isize, isize)> {
    let (first, last) = (sources.iter().min()?, sources.iter().max()?);
    Some((*first, last + 1 - N as isize))
}

/// Where four loads begin of which two neighbours each may give the bytes of one of three vectors: the outer ones begin and end with all
/// bytes, the inner ones reach as far into the second vector as what they add to the first and the third allows.
#[cfg(target_arch = "x86_64")]
fn neighbours<const N: usize>(sources: &[isize]) -> Option<[isize; 4]> {
    let mut vectors = sources.chunks_exact(N);
    let [a, b, c] = [vectors.next()?, vectors.next()?, vectors.next()?];
    let [(from_a, to_a), (from_b, to_b), (from_c, to_c)] =
        [ends::<N>(a)?, ends::<N>(b)?, ends::<N>(c)?];
    // The load nearest to `begin` that gives what the outer one leaves of its vector.
    let inner = |begin: isize, vector: &[isize], outer: isize| {
        let left = |&&source: &&isize| !(outer..outer + N as isize).contains(&source);
        let left: Vec<isize> = vector.iter().filter(left).copied().collect();
        match ends::<N>(&left) {
            Some((first, last)) => begin.max(last).min(first),
            None => begin,
        }
    };
    Some(if from_a < from_c {
        [from_a, inner(from_b, a, from_a), inner(to_b, c, to_c), to_c]
    } else {
        [to_a, inner(to_b, a, to_a), inner(from_b, c, from_c), from_c]
    })
}

/// Where the loads of a tile may begin.
#[derive(Clone, Copy)]
struct Begins<const N: usize> {
    /// Bytes from a line of the operand to the place of each tile, if loads are as long as a line and tiles are lines apart.
    past_line: Option<isize>,
    /// No load begins after this, if none is to read past the last byte of the tile.
    last: Option<isize>,
}

impl<const N: usize> Begins<N> {
    /// Those of tiles of `periods` periods.
    fn of(pattern: &Pattern, periods: usize) -> Self {
        let stride = periods as isize * pattern.src_stride() as isize;
        let (first, end) = pattern.reads(periods);
        let last = end - N as isize;
        let (past_line, last) = match pattern.anchor {
            Anchor::Line(past) if N == LINE && stride % LINE as isize == 0 => {
                (Some(past.into()), None)
            }
            Anchor::Line(_) | Anchor::First => (None, None),
            Anchor::Inside => (None, (first <= last).then_some(last)),
            Anchor::Last => (None, Some(last)),
        };
        Self { past_line, last }
    }
}

/// The loads of the vector that begins at byte `first` of a tile and has `bytes` bytes of it; `None` if they are more than `most`. They are
/// lines of the operand if they may be and are no more of them then, and otherwise begin with the first byte that they give or, if need be,
/// earlier.
fn loads<const N: usize>(
    pattern: &Pattern,
    (first, bytes): (usize, usize),
    most: usize,
    begins: Begins<N>,
) -> Option<Vec<Load<N>>> {
    let mut sources = [GIVEN; N];
    for (source, from) in sources[..bytes].iter_mut().zip(read(pattern, first)) {
        *source = from;
    }
    let anywhere = loads_from(sources, most, |first| {
        begins.last.map_or(first, |last| first.min(last))
    })?;
    let lines = begins.past_line.and_then(|past_line| {
        loads_from(sources, anywhere.len(), |first| {
            first - (first + past_line).rem_euclid(N as isize)
        })
    });
    Some(lines.unwrap_or(anywhere))
}

/// The loads that give these bytes; `begin` says where one begins, by the first byte that no other has given.
fn loads_from<const N: usize>(
    mut sources: [isize; N],
    most: usize,
    begin: impl Fn(isize) -> isize,
) -> Option<Vec<Load<N>>> {
    let mut result = Vec::new();
    loop {
        let first = *sources.iter().min()?;
        if first == GIVEN {
            return Some(result);
        }
        if result.len() == most {
            return None;
        }
        result.push(Load::at(begin(first), &mut sources));
    }
}

/// Where the bytes of a tile are read from byte `first` on, from its place.
pub(super) fn read(pattern: &Pattern, first: usize) -> impl Iterator<Item = isize> {
    let (mut within, mut place) = (first % pattern.period(), pattern.place(first));
    core::iter::repeat_with(move || {
        let source = place + pattern.offsets[within] as isize;
        within += 1;
        if within == pattern.period() {
            within = 0;
            place += pattern.src_stride as isize;
        }
        source
    })
}

impl<const N: usize> Load<N> {
    /// The load at `offset`, which gives no byte.
    fn idle(offset: isize) -> Self {
        Self {
            offset,
            bytes: [NONE; N],
            mask: 0,
            used: 0,
        }
    }

    /// The load at `offset`, which gives those of the bytes that lie in it: they are [`GIVEN`] after it.
    fn at(offset: isize, sources: &mut [isize; N]) -> Self {
        let mut load = Self::idle(offset);
        for (k, source) in sources.iter_mut().enumerate() {
            let within = source.wrapping_sub(offset) as usize;
            if within < N {
                load.bytes[k] = within as u8;
                load.mask |= 1 << k;
                load.used |= 1 << within;
                *source = GIVEN;
            }
        }
        load
    }
}

/// In the place of a byte that a load gives: farther away than any.
pub(super) const GIVEN: isize = isize::MAX;

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
