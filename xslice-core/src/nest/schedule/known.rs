//! How all that a schedule moves is moved, where that was found when it was planned.

use crate::access::IndexType;
use crate::level::Level;
use crate::shuffle::{KnownRows, LINE, RowLoops};
use alloc::boxed::Box;
use core::hash::{Hash, Hasher};
use core::mem::discriminant;

/// What is known of a Move, with loops around it: that of the best level.
#[derive(Clone, Debug)]
pub(crate) enum KnownMove {
    /// Rows of a Shuffle.
    Rows(KnownRows),
    /// Runs of a Strided, or the one of a Copy.
    Runs(KnownRuns),
    /// Values of a Fill.
    Values(Box<KnownValues>),
}

impl KnownMove {
    /// The level that it is known for.
    #[inline]
    pub fn level(&self) -> Level {
        match self {
            Self::Rows(rows) => rows.level,
            Self::Runs(runs) => runs.level,
            Self::Values(values) => values.level,
        }
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.heap_bytes(),
            Self::Runs(_) => 0,
            Self::Values(values) => size_of_val(&**values),
        }
    }
}

impl PartialEq for KnownMove {
    /// All else follows from the schedule, which is compared, too.
    fn eq(&self, other: &Self) -> bool {
        (self.level(), discriminant(self)) == (other.level(), discriminant(other))
    }
}

impl Eq for KnownMove {}

impl Hash for KnownMove {
    fn hash<H: Hasher>(&self, state: &mut H) {
        discriminant(self).hash(state);
    }
}

/// What moves known runs: where the first is written and read, and the runs.
pub(crate) type MoveRuns = unsafe fn(*mut u8, *const u8, &KnownRuns);

/// Runs at constant distances, or a single one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownRuns {
    /// What moves all of them.
    pub moved_by: MoveRuns,
    /// What moves those of the innermost loop, where there are several.
    pub turn_by: MoveRuns,
    pub level: Level,
    /// Of each.
    pub bytes: usize,
    /// The innermost one is that of the Move.
    pub loops: RowLoops,
}

/// What moves known picks: where the first turn of their loops is written and read, where the first index lies, and the picks. `false`: an
/// index lies outside its axis.
pub(crate) type MovePicks = unsafe fn(*mut u8, *const u8, *const u8, &KnownPicks) -> bool;

/// Rows that indices name, the same ones in every turn of the loops around them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownPicks {
    /// What moves all of them.
    pub moved_by: MovePicks,
    pub level: Level,
    /// Of each.
    pub bytes: usize,
    /// The innermost one is that of the Move.
    pub loops: RowLoops,
    pub index: IndexType,
    /// What one step of an index is worth in the source, in bytes.
    pub scale: i64,
    /// Of the axis.
    pub size: i64,
    /// Distance of neighbouring indices in the table, in bytes.
    pub index_stride: i64,
}

impl PartialEq for KnownPicks {
    /// All else follows from the schedule, which is compared, too.
    fn eq(&self, other: &Self) -> bool {
        self.level == other.level
    }
}

impl Eq for KnownPicks {}

impl Hash for KnownPicks {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// What writes known values: where the first is written, and the values.
pub(crate) type WriteValues = unsafe fn(*mut u8, &KnownValues);

/// Values of a Range side by side, of which those are laid out that the others follow from by additions: what they follow from is loaded,
/// from wherever a line of the result begins, and not computed.
#[derive(Clone, Debug)]
#[repr(align(64))]
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(dead_code, reason = "only vectors of x86-64 begin with them")
)]
pub(crate) struct KnownValues {
    /// The first ones; of floats their positions, as floats of that type, which are exact.
    pub first: [u8; KnownValues::FIRST],
    /// What leads from each of these to the one a round later, in all lanes of a vector.
    pub further: [u8; LINE],
    /// The last values.
    pub last: [u8; LINE],
    /// Start and delta of floats, as bits.
    pub floats: [u64; 2],
    pub written_by: WriteValues,
    pub level: Level,
    /// Of all of them.
    pub bytes: usize,
}

impl KnownValues {
    /// Bytes that are written in a turn of the loop over them.
    pub const ROUND: usize = 4 * LINE;

    /// Those of a round, from anywhere in the first line on.
    pub const FIRST: usize = Self::ROUND + LINE;
}
