//! The maps of a program's values while it is compiled: each is handed to the operators that read it, the last of which may keep it.

use crate::coord::CoordMap;
use crate::op::ValueId;
use alloc::{boxed::Box, vec::Vec};

/// The maps of the values so far, in order. Boxed, because a map is large and handed on several times.
pub(super) struct Maps(Vec<Option<Shared>>);

struct Shared {
    map: Box<CoordMap>,
    /// How many operators are still to read it.
    readers: usize,
}

impl Maps {
    /// Of so many values, none of which has a map.
    pub fn of(values: usize) -> Self {
        let mut maps = Vec::new();
        maps.resize_with(values, || None);
        Self(maps)
    }

    /// Keeps the map of a value for so many readers.
    pub fn keep(&mut self, id: usize, map: Box<CoordMap>, readers: usize) {
        self.0[id] = Some(Shared { map, readers });
    }

    /// The map of a value for one of its readers: the map itself for the last, a copy before.
    pub fn read(&mut self, id: ValueId) -> Option<Box<CoordMap>> {
        let slot = self.0.get_mut(id.index())?;
        let shared = slot.as_mut()?;
        shared.readers = shared.readers.saturating_sub(1);
        match shared.readers {
            0 => slot.take().map(|last| last.map),
            _ => Some(shared.map.clone()),
        }
    }
}
