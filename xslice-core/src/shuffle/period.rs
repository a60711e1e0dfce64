//! The numbers that a pattern is made of.

#[cfg(feature = "std")]
use super::recent::Recent;
use super::{Anchor, Pattern, Shuffle};
use crate::level::Level;
use crate::list::List;
use alloc::{sync::Arc, vec, vec::Vec};

/// The numbers of a period: loops around a block of bytes, side by side in the destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Period {
    /// Turns and source stride of each loop, innermost last.
    pub loops: List<(usize, i64)>,
    /// What tables add to the source place of each block, in the order of the loops; empty if there is none.
    pub picked: List<i64>,
    /// Neighbouring bytes.
    pub block: usize,
    /// Distance of the places of two periods; `None` if each has one of its own.
    pub src_stride: Option<i64>,
    /// Where loads begin.
    pub anchor: Anchor,
}

impl Period {
    /// The Shuffle of such periods; `None` if their reach is too long for a few nearby loads. Deriving one takes longer than all else of a
    /// plan; and plans of one structure differ in shapes, seldom in the pattern, though it may begin elsewhere in a line.
    pub fn shuffle(&self) -> Option<Arc<Shuffle>> {
        #[cfg(feature = "std")]
        {
            static OF_PLANS: Recent<Period, Option<Arc<Shuffle>>, 64> = Recent::new();
            OF_PLANS.get(self, Self::derive).0
        }
        #[cfg(not(feature = "std"))]
        {
            self.derive()
        }
    }

    fn derive(&self) -> Option<Arc<Shuffle>> {
        let looked_up = !self.picked.is_empty();
        let pattern = Pattern::new(self.offsets()?, self.src_stride, looked_up, self.anchor)?;
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

impl Shuffle {
    /// Those of the same bytes [by other loads](Pattern::by_other_loads) of a level. Plans that are made anew for shapes nearby ask for the same
    /// ones.
    pub(crate) fn by_other_loads(
        &self,
        level: Level,
        count: usize,
        holds: impl Fn((isize, isize)) -> bool,
    ) -> impl Iterator<Item = Arc<Self>> {
        let derive = |pattern: &Pattern| Arc::new(Self::new(pattern.clone()));
        // Single vectors of 16 bytes, which most such rows go by.
        let has_vectors = level != Level::SCALAR;
        let alone = has_vectors.then(|| self.alone_in_one_vector()).flatten();
        let tiles = alone.map(|tables| (Level::SHORTEST_VECTOR, tables.tile));
        let tiles = tiles.or_else(|| match self.tables(level) {
            (Some(wide), _) => Some((64, wide.tile)),
            (None, narrow) => narrow.map(|narrow| (Level::SHORTEST_VECTOR, narrow.each.tile)),
        });
        let others = tiles.map(|(vector, tile)| {
            let periods = tile / self.pattern.period();
            self.pattern.by_other_loads(count, (vector, periods), holds)
        });
        others.into_iter().flatten().map(move |pattern| {
            #[cfg(feature = "std")]
            {
                static OF_PLANS: Recent<Pattern, Arc<Shuffle>, 64> = Recent::new();
                OF_PLANS.get(&pattern, derive).0
            }
            #[cfg(not(feature = "std"))]
            {
                derive(&pattern)
            }
        })
    }
}

/// A pattern that the indices of a call name.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Named {
    /// Where each byte is read, from the place of the period: as many as this has.
    pub offsets: [i32; Pattern::LONGEST],
    pub period: usize,
    /// Distance of the places of two periods; `None` if each has one of its own.
    pub src_stride: Option<i32>,
}

#[cfg(target_arch = "x86_64")]
impl Named {
    /// Its Shuffle, and whether one of the last calls had it, so that its tables are there: calls differ in elements, seldom in the channels
    /// that they pick. Nothing is allocated for what is known.
    pub fn shuffle(&self) -> Option<(Arc<Shuffle>, bool)> {
        #[cfg(feature = "std")]
        let (shuffle, is_known) = {
            static OF_CALLS: Recent<Named, Option<Arc<Shuffle>>, 16> = Recent::new();
            OF_CALLS.get(self, Self::derive)
        };
        #[cfg(not(feature = "std"))]
        let (shuffle, is_known) = (self.derive(), false);
        Some((shuffle?, is_known))
    }

    fn derive(&self) -> Option<Arc<Shuffle>> {
        let offsets = self.offsets[..self.period].to_vec();
        let src_stride = self.src_stride.map(i64::from);
        let pattern = Pattern::new(offsets, src_stride, true, Anchor::First)?;
        Some(Arc::new(Shuffle::new(pattern)))
    }
}

/// The places of all turns of nested loops, in their order: where they start, then turns and stride of each loop, innermost last.
pub(crate) fn places(first: i64, loops: impl Iterator<Item = (usize, i64)>) -> Vec<i64> {
    loops.fold(vec![first], |places, (extent, stride)| {
        let turns = |&place: &i64| (0..extent as i64).map(move |turn| place + turn * stride);
        places.iter().flat_map(turns).collect()
    })
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
            src_stride: Some(src_stride),
            anchor: Anchor::Line(4),
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
