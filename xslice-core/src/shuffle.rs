//! The pattern of a Shuffle, and the tables that each vector width reads it by.
//!
//! A [`Pattern`] says where the bytes of one period of the destination come from; the next period reads the same way, one source stride
//! further. Any affine innermost part is such a pattern: every second element, reversed rows, three channels of four, swapped
//! channels, and all their combinations. From it, [`Tables`] derives for a vector width which loads make each vector of
//! the destination, and how their bytes are permuted and merged. No pattern is a special case.

use crate::move_::Level;
use alloc::{vec, vec::Vec};

/// Most loads that may make one vector.
const MOST_LOADS: usize = 8;

/// Most vectors in a tile.
const MOST_VECTORS: usize = 16;

/// Where the bytes of one period come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    offsets: Vec<i32>,
    src_stride: i32,
    /// Bytes that stay together: 1, 2, 4 or 8.
    unit: usize,
}

impl Pattern {
    /// A pattern of `offsets.len()` bytes a period, each read `offsets[k]` bytes from the place of its period, the places
    /// `src_stride` bytes apart; `None` if the reach is too long for a few nearby loads.
    pub(crate) fn new(offsets: Vec<i32>, src_stride: i64) -> Option<Self> {
        let period = offsets.len();
        let src_stride = i32::try_from(src_stride).ok()?;
        let reach = usize::try_from(src_stride.unsigned_abs()).ok()?;
        let spread = offsets.iter().max()?.abs_diff(*offsets.iter().min()?) as usize;
        let dense = (1..=64).contains(&period) && reach <= 8 * period && spread <= 256;
        let unit = [8, 4, 2]
            .into_iter()
            .find(|&unit| stays_together(&offsets, unit));
        dense.then_some(Self {
            unit: unit.unwrap_or(1),
            offsets,
            src_stride,
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

    /// The place of the period that byte `at` of a run belongs to, from that of the first.
    pub(crate) fn place(&self, at: usize) -> isize {
        (at / self.period()) as isize * self.src_stride as isize
    }

    /// Where byte `at` of a run of periods is read, from the place of the first period.
    pub(crate) fn source(&self, at: usize) -> isize {
        self.place(at) + self.offsets[at % self.period()] as isize
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

/// The loads of each vector of a tile: the shortest run of periods that fills whole vectors of `N` bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tables<const N: usize> {
    /// Loads of all vectors, as many for each.
    pub loads: Vec<Load<N>>,
    /// Loads of one vector.
    pub per_vector: usize,
    /// Vectors in a tile.
    pub vectors: usize,
    /// Periods in a tile.
    pub periods: usize,
    /// What the next tile is further in the source.
    pub src_stride: isize,
    /// First byte that a load of the tile reads, and the byte after the last, from its place.
    pub reach: (isize, isize),
}

impl<const N: usize> Tables<N> {
    /// The tables of a pattern; `None` if a vector takes too many loads or a tile too many vectors.
    pub fn new(pattern: &Pattern) -> Option<Self> {
        let period = pattern.period();
        let vectors = period / gcd(period, N);
        if vectors > MOST_VECTORS {
            return None;
        }
        let mut each: Vec<Vec<Load<N>>> = Vec::with_capacity(vectors);
        for vector in 0..vectors {
            each.push(loads(pattern, vector * N)?);
        }
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
        let periods = vectors * N / period;
        Some(Self {
            loads,
            per_vector,
            vectors,
            periods,
            src_stride: periods as isize * pattern.src_stride() as isize,
            reach: (first, last + N as isize),
        })
    }
}

/// The loads of the vector that begins at byte `first` of a tile.
fn loads<const N: usize>(pattern: &Pattern, first: usize) -> Option<Vec<Load<N>>> {
    let mut sources = [0; N];
    for (k, source) in sources.iter_mut().enumerate() {
        *source = pattern.source(first + k);
    }
    let mut done = 0u64;
    let all = if N == 64 { u64::MAX } else { (1 << N) - 1 };
    let mut result = Vec::new();
    while done != all {
        if result.len() == MOST_LOADS {
            return None;
        }
        // The next load begins at the first byte that no load has given yet.
        let missing = (0..N).filter(|k| done >> k & 1 == 0);
        let offset = missing.map(|k| sources[k]).min()?;
        let mut load = Load {
            offset,
            bytes: [0x80; N],
            mask: 0,
        };
        for (k, &source) in sources.iter().enumerate() {
            let within = source - offset;
            if done >> k & 1 == 0 && (0..N as isize).contains(&within) {
                load.bytes[k] = within as u8;
                load.mask |= 1 << k;
            }
        }
        done |= load.mask;
        result.push(load);
    }
    Some(result)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A Shuffle with its tables: data of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shuffle {
    pattern: Pattern,
    pub(crate) narrow: Option<Tables<16>>,
    pub(crate) wide: Option<Tables<64>>,
    level: Level,
}

impl Shuffle {
    /// The pattern with its tables; `None` where no vector width reads it by a few loads.
    pub(crate) fn new(pattern: Pattern) -> Option<Self> {
        let (narrow, wide) = (Tables::new(&pattern), Tables::new(&pattern));
        (narrow.is_some() || wide.is_some()).then(|| Self {
            pattern,
            narrow,
            wide,
            level: Level::best(),
        })
    }

    /// The best level at the time when the tables were made.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// The pattern.
    #[must_use]
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }
}

/// Where the bytes of `inner` loops, innermost last, come from: `(extent, source stride)` around a block of `block` bytes.
pub(crate) fn offsets(inner: &[(usize, i64)], block: usize) -> Option<Vec<i32>> {
    let mut places = vec![0i64];
    for &(extent, stride) in inner {
        places = places
            .iter()
            .flat_map(|&place| (0..extent as i64).map(move |turn| place + turn * stride))
            .collect();
    }
    let bytes = places
        .iter()
        .flat_map(|&place| (0..block as i64).map(move |byte| place + byte));
    bytes.map(|at| i32::try_from(at).ok()).collect()
}
