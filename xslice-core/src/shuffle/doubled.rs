//! Tiles by vectors of 32 bytes.
//!
//! Where a processor permutes bytes within halves of a vector only, each load costs a permutation. So loads are placed here where each gives
//! bytes that stand in other places than those of all others: blended, they are the bytes of the vector, and are put in order once.

use super::tables::{GIVEN, Tables, read};
use super::{Level, Pattern};
use alloc::vec::Vec;

/// Bytes of such a vector, and of its halves.
const BYTES: usize = 2 * HALF;
const HALF: usize = Level::SHORTEST_VECTOR;

/// Vectors, and loads of each, at most: their masks and orders stay in registers.
const MOST_VECTORS: usize = 2;
const MOST_LOADS: usize = 4;

/// How vectors of 32 bytes have those of one tile, or of two that are neighbours.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Doubled {
    /// Tiles that the vectors have together.
    pub tiles: usize,
    /// Loads of all vectors, as many for each.
    pub loads: Vec<Blend>,
    /// Loads of one vector.
    pub per_vector: usize,
    /// What puts the bytes of each vector in order.
    pub orders: Vec<[[u8; BYTES]; 2]>,
    /// What the orders mean.
    pub kind: Order,
}

/// A load, and the bytes of it that are taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Blend {
    /// Where it begins, from the place of the first tile.
    pub offset: isize,
    /// All bits of each byte that is taken.
    pub mask: [u8; BYTES],
}

/// What puts blended bytes in order: the cheapest that can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Order {
    /// Words of 4 bytes, from anywhere; the first order says nothing.
    Words,
    /// Bytes, each from its half, then words.
    Halves,
    /// Bytes, each from its half by the first order or from the other one by the second; the other has the top bit set for it.
    Any,
}

impl Doubled {
    /// That of the tiles of a pattern, if it takes fewer instructions than they do.
    pub fn new(pattern: &Pattern, tables: &Tables<HALF>) -> Option<Self> {
        let tiles = 1 + tables.vectors % 2;
        let vectors = tiles * tables.vectors / 2;
        let is_long = tables.loads.len() > 1 && vectors <= MOST_VECTORS;
        if pattern.is_alone() || !tables.fill_vectors() || !is_long {
            return None;
        }
        let reach = tables.reach_to((tiles as isize - 1) * tables.src_stride);
        let found = (0..vectors).map(|v| Found::new(pattern, v * BYTES, reach));
        let found = found.collect::<Option<Vec<_>>>()?;
        let per_vector = found.iter().map(|found| found.loads.len()).max()?;
        let kind = [Order::Words, Order::Halves].into_iter();
        let mut kind =
            kind.filter(|kind| found.iter().all(|found| kind.of(&found.places).is_some()));
        let kind = kind.next().unwrap_or(Order::Any);
        let orders = found.iter().map(|found| kind.of(&found.places));
        let all = Self {
            tiles,
            per_vector,
            orders: orders.collect::<Option<_>>()?,
            kind,
            loads: found
                .iter()
                .flat_map(|found| found.padded(per_vector))
                .collect(),
        };
        (all.instructions() < tables.instructions(tiles)).then_some(all)
    }

    /// For each vector: its loads, what blends them, what puts it in order, and its store. What crosses the halves counts twice: it takes two
    /// steps of a processor.
    fn instructions(&self) -> usize {
        let order = match self.kind {
            Order::Words => 2,
            Order::Halves => 3,
            Order::Any => 5,
        };
        self.orders.len() * (2 * self.per_vector + order)
    }

    /// Bytes of all vectors.
    pub fn bytes(&self) -> usize {
        self.orders.len() * BYTES
    }

    pub fn heap_bytes(&self) -> usize {
        self.loads.capacity() * size_of::<Blend>() + self.orders.capacity() * 2 * BYTES
    }
}

impl Tables<HALF> {
    /// What `tiles` tiles take: loads, a permutation of each, what merges them, and stores. Two tiles of one vector are permuted and stored
    /// at once; larger tables are read from memory.
    fn instructions(&self, tiles: usize) -> usize {
        let loads = self.vectors * self.per_vector;
        match (self.vectors, self.per_vector) {
            (1, _) => 4 * loads,
            (2, ..=3) => tiles * 3 * loads,
            _ => tiles * (5 * loads + 3 * self.vectors),
        }
    }
}

/// The loads of one vector, and where its bytes stand when they are blended.
struct Found {
    loads: Vec<Blend>,
    places: [u8; BYTES],
}

impl Found {
    /// Those of the vector from byte `first` of a pattern on, in loads that lie within `reach`.
    fn new(pattern: &Pattern, first: usize, reach: (isize, isize)) -> Option<Self> {
        let mut sources = [GIVEN; BYTES];
        for (source, from) in sources.iter_mut().zip(read(pattern, first)) {
            *source = from;
        }
        let (mut loads, mut taken) = (Vec::new(), 0);
        let mut places = [0; BYTES];
        while sources.iter().any(|&source| source != GIVEN) {
            if loads.len() == MOST_LOADS {
                return None;
            }
            let (offset, given) = best_load(&sources, taken, pattern.unit(), reach)?;
            let mut mask = [0; BYTES];
            for (source, to) in sources.iter_mut().zip(&mut places) {
                let place = source.wrapping_sub(offset) as usize;
                if place < BYTES && given >> place & 1 != 0 {
                    *source = GIVEN;
                    *to = place as u8;
                    mask[place] = 0xff;
                }
            }
            taken |= given;
            loads.push(Blend { offset, mask });
        }
        Some(Self { loads, places })
    }

    /// `count` loads: the first one stands for those that are not needed, and gives nothing again.
    fn padded(&self, count: usize) -> Vec<Blend> {
        let idle = Blend {
            offset: self.loads[0].offset,
            mask: [0; BYTES],
        };
        let mut loads = self.loads.clone();
        loads.resize(count, idle);
        loads
    }
}

/// Where the load begins that gives the first of the bytes, and most others, in places that are not taken; and a bit for each of these
/// places. `None`: no load within `low..high` does.
fn best_load(
    sources: &[isize; BYTES],
    taken: u32,
    unit: usize,
    (low, high): (isize, isize),
) -> Option<(isize, u32)> {
    let first = *sources.iter().min()?;
    let behind = sources
        .iter()
        .map(|source| source.wrapping_sub(first) as usize);
    let wanted = behind
        .filter(|&at| at < BYTES)
        .fold(0, |wanted, at| wanted | 1u32 << at);
    // A load that begins earlier has each byte that much further on.
    let loads = (0..BYTES).step_by(unit).rev().map(|back| {
        let given = (wanted << back) & !taken;
        (back, first - back as isize, given)
    });
    loads
        .filter(|&(back, begin, given)| {
            given >> back & 1 != 0 && low <= begin && begin + BYTES as isize <= high
        })
        .max_by_key(|&(_, _, given)| given.count_ones())
        .map(|(_, begin, given)| (begin, given))
}

impl Order {
    /// The order of bytes that stand in these places, if it is one of this kind.
    fn of(self, places: &[u8; BYTES]) -> Option<[[u8; BYTES]; 2]> {
        match self {
            Self::Words => words(places),
            Self::Halves => halves(places),
            Self::Any => Some(any(places)),
        }
    }
}

fn words(places: &[u8; BYTES]) -> Option<[[u8; BYTES]; 2]> {
    let mut order = [0; BYTES];
    let words = places.as_chunks::<4>().0.iter();
    for (to, &[a, b, c, d]) in order.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        if a % 4 != 0 || [b, c, d] != [a + 1, a + 2, a + 3] {
            return None;
        }
        *to = u32::from(a / 4).to_ne_bytes();
    }
    Some([[0; BYTES], order])
}

/// Each half has four words of the result, in the order in which the result has them.
fn halves(places: &[u8; BYTES]) -> Option<[[u8; BYTES]; 2]> {
    let half_of = |place: u8| usize::from(place) / HALF;
    let (mut bytes, mut order) = ([0; BYTES], [0; BYTES]);
    let mut filled = [0; 2];
    let words = places.as_chunks::<4>().0.iter();
    for (to, from) in order.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        let half = half_of(from[0]);
        if filled[half] == HALF || from.iter().any(|&place| half_of(place) != half) {
            return None;
        }
        let at = half * HALF + filled[half];
        filled[half] += 4;
        *to = (at as u32 / 4).to_ne_bytes();
        for (byte, place) in bytes[at..].iter_mut().zip(from) {
            *byte = place % HALF as u8;
        }
    }
    Some([bytes, order])
}

fn any(places: &[u8; BYTES]) -> [[u8; BYTES]; 2] {
    [true, false].map(|own| {
        core::array::from_fn(|k| {
            let place = usize::from(places[k]);
            let is_own = place / HALF == k / HALF;
            if is_own == own {
                (place % HALF) as u8
            } else {
                0x80
            }
        })
    })
}
