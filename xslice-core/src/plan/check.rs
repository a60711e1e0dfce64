//! Checks of indices: which, what they refuse, and which of them a nest does as it reads.

use super::Step;
use crate::access::{Access, Buffer, Counter, IndexType, Names, Shown};
use crate::error::{Error, ErrorKind};
use crate::index;
use crate::list::List;
use crate::nest::schedule::{Move, Schedule};
use alloc::{boxed::Box, format, string::ToString, sync::Arc, vec::Vec};
use core::fmt;

/// Who owns a check: named in its refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub operator: Arc<str>,
    pub node: Option<Arc<str>>,
    /// The axis of the data that is gathered.
    pub axis: usize,
    /// The shape of the indices.
    pub dims: List<usize>,
}

impl Origin {
    /// The one refusal of an index outside its axis of size `size`, known early or late; `at` is its flat position.
    #[cold]
    pub fn refuse(&self, size: i64, value: i64, at: usize) -> Error {
        let axis = self.axis;
        let mut rest = at;
        let mut coordinates: Vec<usize> = self
            .dims
            .iter()
            .rev()
            .map(|&dim| (rest % dim, rest /= dim).0)
            .collect();
        coordinates.reverse();
        let error = Error::new(
            ErrorKind::IndexRange,
            format!(
                "`indices{coordinates:?}` = {value} is out of range for axis {axis} of size {size}"
            ),
        )
        .parameter("indices")
        .axis(axis)
        .position(at)
        .value(value)
        .operator(self.operator.to_string())
        .allowed(index::allowed(size.into()));
        match &self.node {
            Some(node) => error.node(node.to_string()),
            None => error,
        }
    }
}

/// `check ids[4 + 2*i], i in 0..512, in -s..s`: refuses the first index outside its axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub(crate) table: Buffer,
    pub(crate) index: IndexType,
    pub(crate) extents: List<usize>,
    pub(crate) access: Access,
    pub(crate) size: i64,
    pub(crate) origin: Origin,
}

impl Check {
    /// The table whose indices are checked.
    #[must_use]
    pub fn table(&self) -> Buffer {
        self.table
    }

    /// The element type of the table.
    #[must_use]
    pub fn index(&self) -> IndexType {
        self.index
    }

    /// Turns of each loop over the indices.
    #[must_use]
    pub fn extents(&self) -> &[usize] {
        &self.extents
    }

    /// Position of the index in the table, in elements.
    #[must_use]
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The size `s` of the axis: allowed is `-s..s`.
    #[must_use]
    pub fn size(&self) -> i64 {
        self.size
    }

    /// The bytes of memory that it takes.
    pub(super) fn memory(&self) -> usize {
        let lists = self.extents.heap_bytes() + self.origin.dims.heap_bytes();
        size_of::<Self>() + lists + self.access.heap_bytes()
    }

    /// What of a schedule reads these very indices, in whatever order, each before the row that it points to.
    fn reader_in(&self, schedule: &Schedule) -> Option<Reader> {
        let (lookup, reader, of_move) = match (schedule.inner(), &schedule.src().lookups[..]) {
            (Move::Lookup(rows), []) => {
                let of_move = Some((rows.count, rows.index_stride));
                (&rows.lookup, Reader::Move, of_move)
            }
            (Move::Lookup(_), _) => return None,
            (_, [lookup]) if self.extents.is_empty() => (lookup, Reader::Loops, None),
            _ => return None,
        };
        let (checked, read) = (&self.access, &lookup.access);
        let same_table =
            (self.table, self.index, self.size) == (lookup.table, lookup.index, lookup.size);
        let is_empty = self.extents.contains(&0) || schedule.extents().contains(&0);
        if is_empty || !same_table || !checked.is_affine() || !read.is_affine() {
            return None;
        }
        let bytes = lookup.index.size() as i64;
        let strides = checked.strides.iter().map(|stride| stride * bytes);
        let of_check = self.extents.iter().copied().zip(strides);
        let of_loops = schedule.extents().iter().copied();
        let of_loops = of_loops.zip(read.strides.iter().copied());
        let same_indices = Positions::new(checked.offset * bytes, of_check)
            == Positions::new(read.offset, of_loops.chain(of_move));
        same_indices.then_some(reader)
    }

    /// The refusal of `value`, which is at flat position `position` of the indices.
    #[cold]
    #[must_use]
    pub fn refuse(&self, value: i64, position: usize) -> Error {
        self.origin.refuse(self.size, value, position)
    }

    /// The operator, as refusals call it, the axis of its data that is gathered, and the shape of the indices.
    #[must_use]
    pub fn origin(&self) -> (&str, usize, &[usize]) {
        let Origin {
            operator,
            axis,
            dims,
            ..
        } = &self.origin;
        (operator, *axis, dims)
    }

    pub(super) fn write(&self, names: Names<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("check ")?;
        names.write(self.table, f)?;
        write!(f, "[{}]", Shown(&self.access, names))?;
        for (k, extent) in self.extents.iter().enumerate() {
            write!(f, ", {} in 0..{extent}", Counter(k))?;
        }
        writeln!(f, ", in {}..{}", -self.size, self.size)
    }
}

/// What of a nest reads the very indices of a check, each before it is used, and so can test them in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// Its Move, a look-up.
    Move,
    /// Its loops, before the first turn: there is one index.
    Loops,
}

/// A check that needs no pass of its own where the nest that it stands before tests the indices as it reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tested {
    check: Box<Check>,
    reader: Reader,
}

impl Tested {
    /// The last of the steps before the nest of a schedule, taken from them, if it is such a check.
    pub(crate) fn take(steps: &mut Vec<Step>, schedule: &Schedule) -> Option<Self> {
        let mut reader = None;
        let last = steps.pop_if(|step| {
            if let Step::Check(check) = step {
                reader = check.reader_in(schedule);
            }
            reader.is_some()
        });
        match (last, reader) {
            (Some(Step::Check(check)), Some(reader)) => Some(Self { check, reader }),
            _ => None,
        }
    }

    /// The check, for those that do not test as they read.
    #[must_use]
    pub fn check(&self) -> &Check {
        &self.check
    }

    /// What of the nest reads the indices.
    #[must_use]
    pub fn reader(&self) -> Reader {
        self.reader
    }
}

/// Where loops lead, in one form whatever their order and their directions.
#[derive(PartialEq)]
struct Positions {
    first: i64,
    /// Distances, the smallest first, and how often each is gone; one that only goes on where another ends is part of it.
    distances: List<(i64, usize)>,
}

impl Positions {
    /// Those from `first` on by turns of loops and what each turn adds.
    fn new(mut first: i64, loops: impl Iterator<Item = (usize, i64)>) -> Self {
        let mut all: List<(i64, usize)> = List::new();
        for (turns, stride) in loops.filter(|&(turns, stride)| turns != 1 && stride != 0) {
            if stride < 0 {
                first = first.wrapping_add(stride.wrapping_mul(turns as i64 - 1));
            }
            all.push((stride.wrapping_abs(), turns));
        }
        all.sort_unstable();
        let mut distances: List<(i64, usize)> = List::new();
        for &(distance, turns) in &*all {
            match distances.last_mut() {
                Some((of_last, last)) if of_last.wrapping_mul(*last as i64) == distance => {
                    *last = last.wrapping_mul(turns);
                }
                _ => distances.push((distance, turns)),
            }
        }
        Self { first, distances }
    }
}

/// The refusal of [`Check::refuse`] for code that has no [`Check`] any more: what [`crate::emit`] writes.
#[cold]
#[doc(hidden)]
#[must_use]
pub fn refuse_index(
    (operator, axis, dims): (&str, usize, &[usize]),
    size: i64,
    value: i64,
    position: usize,
) -> Error {
    let origin = Origin {
        operator: Arc::from(operator),
        node: None,
        axis,
        dims: dims.into(),
    };
    origin.refuse(size, value, position)
}
