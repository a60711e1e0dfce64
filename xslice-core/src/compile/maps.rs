//! The maps of a program's values while it is compiled: each is handed to the operators that read it, the last of which may keep it.

use crate::coord::CoordMap;
use crate::op::ValueId;
use alloc::{boxed::Box, vec::Vec};

/// The maps of some values, by ascending value. Boxed, because a map is large and handed on several times.
pub(super) struct Maps(Vec<Kept>);

struct Kept {
    value: usize,
    /// `None` after the last read.
    map: Option<Box<CoordMap>>,
    /// Reads to come; an operator may read a value as its data and as its indices.
    reads: usize,
}

impl Maps {
    pub fn with_capacity(values: usize) -> Self {
        Self(Vec::with_capacity(values))
    }

    /// Keeps the map of a value for `reads` reads.
    pub fn keep(&mut self, value: usize, map: Box<CoordMap>, reads: usize) {
        let map = Some(map);
        let kept = Kept { value, map, reads };
        match self.find(value) {
            Ok(at) => self.0[at] = kept,
            Err(at) => self.0.insert(at, kept),
        }
    }

    /// The map of a value for one of its reads: the map itself for the last, a copy before.
    pub fn read(&mut self, id: ValueId) -> Option<Box<CoordMap>> {
        let at = self.find(id.index()).ok()?;
        let kept = &mut self.0[at];
        kept.reads = kept.reads.saturating_sub(1);
        match kept.reads {
            0 => kept.map.take(),
            _ => kept.map.clone(),
        }
    }

    fn find(&self, value: usize) -> Result<usize, usize> {
        self.0.binary_search_by_key(&value, |kept| kept.value)
    }
}
