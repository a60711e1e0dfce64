//! Two tiles of one vector as one vector of twice the bytes.
//!
//! Where a processor permutes bytes within halves of a vector only, each load costs a permutation. So loads are placed here where each gives
//! bytes that stand in other places than those of all others: blended, they are the bytes of both tiles, and are put in order once.

use super::tables::{GIVEN, Tables, read};
use super::{Level, Pattern};
use alloc::vec::Vec;

/// Bytes of such a vector, and of its halves.
const BYTES: usize = 2 * HALF;
const HALF: usize = Level::SHORTEST_VECTOR;

/// Loads at most: their masks stay in registers.
const MOST_LOADS: usize = 4;

/// How a vector of 32 bytes has those of two tiles.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Doubled {
    pub loads: Vec<Blend>,
    pub order: Order,
}

/// A load, and the bytes of it that are taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Blend {
    /// Where it begins, from the place of the first tile.
    pub offset: isize,
    /// All bits of each byte that is taken.
    pub mask: [u8; BYTES],
}

/// What puts the blended bytes in order: the cheapest that can.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Order {
    /// Words of 4 bytes, from anywhere.
    Words([u32; BYTES / 4]),
    /// Bytes, each from its half, then words.
    Halves([u8; BYTES], [u32; BYTES / 4]),
    /// Bytes, each from its half or from the other one; in both the top bit of a name is set where the byte comes from the other.
    Any([u8; BYTES], [u8; BYTES]),
}

impl Doubled {
    /// That of the tiles of a pattern, if it takes fewer instructions than they do.
    pub fn new(pattern: &Pattern, tables: &Tables<HALF>) -> Option<Self> {
        if pattern.is_alone() || tables.vectors != 1 || tables.tile != HALF {
            return None;
        }
        let (low, high) = tables.reach_to(tables.src_stride);
        let mut sources = [GIVEN; BYTES];
        for (source, from) in sources.iter_mut().zip(read(pattern, 0)) {
            *source = from;
        }
        let (mut loads, mut taken) = (Vec::new(), 0);
        let mut places = [0; BYTES];
        while let Some(&first) = sources.iter().min().filter(|&&first| first != GIVEN) {
            if loads.len() == MOST_LOADS {
                return None;
            }
            let begins = (0..BYTES).step_by(pattern.unit()).rev();
            let offset = begins
                .map(|back| first - back as isize)
                .filter(|&begin| low <= begin && begin + BYTES as isize <= high)
                .filter(|&begin| taken & bit(first - begin) == 0)
                .max_by_key(|&begin| given(&sources, begin, taken).count())?;
            let mut load = Blend {
                offset,
                mask: [0; BYTES],
            };
            let given: Vec<_> = given(&sources, offset, taken).collect();
            for (k, place) in given {
                sources[k] = GIVEN;
                places[k] = place as u8;
                load.mask[place] = 0xff;
                taken |= bit(place as isize);
            }
            loads.push(load);
        }
        let order = Order::of(&places);
        let each_load = 2;
        let instructions = each_load * loads.len() - 1 + order.instructions();
        // Of the tiles: two loads, what makes them one vector, a permutation, and what merges it.
        let each_load_of_tiles = 4;
        let pays = instructions < each_load_of_tiles * tables.per_vector - 1;
        pays.then_some(Self { loads, order })
    }

    pub fn heap_bytes(&self) -> usize {
        self.loads.capacity() * size_of::<Blend>()
    }
}

fn bit(place: isize) -> u32 {
    1 << place
}

/// The bytes that a load gives in places that are not taken: which they are, and their places in it.
fn given(
    sources: &[isize; BYTES],
    begin: isize,
    taken: u32,
) -> impl Iterator<Item = (usize, usize)> {
    let placed = sources
        .iter()
        .enumerate()
        .map(move |(k, source)| (k, source.wrapping_sub(begin)));
    placed
        .filter(move |&(_, place)| (0..BYTES as isize).contains(&place) && taken & bit(place) == 0)
        .map(|(k, place)| (k, place as usize))
}

impl Order {
    /// The order of bytes that stand in these places.
    fn of(places: &[u8; BYTES]) -> Self {
        Self::words(places)
            .or_else(|| Self::halves(places))
            .unwrap_or_else(|| Self::any(places))
    }

    fn words(places: &[u8; BYTES]) -> Option<Self> {
        let words = places.as_chunks::<4>().0;
        let is_word = |&[a, b, c, d]: &[u8; 4]| a % 4 == 0 && [b, c, d] == [a + 1, a + 2, a + 3];
        let order = || core::array::from_fn(|k| u32::from(words[k][0] / 4));
        words.iter().all(is_word).then(|| Self::Words(order()))
    }

    /// Each half has four words of the result, in the order in which the result has them.
    fn halves(places: &[u8; BYTES]) -> Option<Self> {
        let half_of = |place: u8| usize::from(place) / HALF;
        let (mut bytes, mut words) = ([0; BYTES], [0; BYTES / 4]);
        let mut filled = [0; 2];
        for (word, from) in words.iter_mut().zip(places.as_chunks::<4>().0) {
            let half = half_of(from[0]);
            if filled[half] == HALF || from.iter().any(|&place| half_of(place) != half) {
                return None;
            }
            let at = half * HALF + filled[half];
            filled[half] += 4;
            *word = at as u32 / 4;
            for (byte, place) in bytes[at..].iter_mut().zip(from) {
                *byte = place % HALF as u8;
            }
        }
        Some(Self::Halves(bytes, words))
    }

    fn any(places: &[u8; BYTES]) -> Self {
        let from = |is_own: bool| {
            core::array::from_fn(|k| {
                let place = usize::from(places[k]);
                let name = (place % HALF) as u8;
                if (place / HALF == k / HALF) == is_own {
                    name
                } else {
                    0x80
                }
            })
        };
        Self::Any(from(true), from(false))
    }

    fn instructions(&self) -> usize {
        match self {
            Self::Words(_) => 2,
            Self::Halves(..) => 3,
            Self::Any(..) => 5,
        }
    }
}
