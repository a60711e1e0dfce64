//! How all that a schedule moves is moved, where that was found when it was planned.

use crate::level::Level;
use crate::shuffle::{KnownRows, RowLoops};
use core::hash::{Hash, Hasher};

/// What is known of a Move, all its loops with it: that of the best level.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum KnownMove {
    /// Rows of a Shuffle.
    Rows(KnownRows),
    /// Runs of a Strided.
    Runs(KnownRuns),
}

impl KnownMove {
    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.heap_bytes(),
            Self::Runs(_) => 0,
        }
    }
}

/// What moves known runs: where the first is written and read, and the runs.
pub(crate) type MoveRuns = unsafe fn(*mut u8, *const u8, &KnownRuns);

/// Runs at constant distances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownRuns {
    /// What moves all of them.
    pub moved_by: MoveRuns,
    /// What moves those of the innermost loop.
    pub turn_by: MoveRuns,
    pub level: Level,
    /// Of each.
    pub bytes: usize,
    /// The innermost one is that of the Move.
    pub loops: RowLoops,
}

impl PartialEq for KnownRuns {
    /// What moves them follows from these.
    fn eq(&self, other: &Self) -> bool {
        (self.level, self.loops, self.bytes) == (other.level, other.loops, other.bytes)
    }
}

impl Eq for KnownRuns {}

impl Hash for KnownRuns {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.loops, self.bytes).hash(state);
    }
}
