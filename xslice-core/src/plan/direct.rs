//! Calls of one nest on a few operands.
//!
//! A small call is over before the steps of a plan have been looked at. So what they would compare is kept side by side, with the schedule
//! where one turn of its Move is all: where a call fits it, an engine may move at once. What does not fit goes the way of all plans, which
//! knows what is wrong and in which words.

use super::{OperandNeed, Plan, PlannedNest, Reader, Step, Tested};
use crate::access::{Buffer, IndexType, Lookup};
use crate::elem::{Element, ElementType};
use crate::index::{is_outside, wrapped};
use crate::nest::Source;
use crate::nest::schedule::Schedule;
use crate::operand::{Input, Output};
use alloc::boxed::Box;
use alloc::sync::Arc;
use core::marker::PhantomData;

/// Operands of such a call, at most.
pub(crate) const MOST_OPERANDS: usize = 2;

/// What is compared before such a call: types and lengths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Direct {
    operands: [(ElementType, usize); MOST_OPERANDS],
    count: usize,
    output: (ElementType, usize),
    shortcut: Shortcut,
}

/// How a call that has been compared gets around the steps of its plan, for a nest that reads nothing but the first operand or a Range, and
/// indices of the second.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shortcut {
    /// It is one turn of its Move, and reads no index.
    Turn(Turn),
    /// The same from where an index says; boxed, so that what most calls are compared with lies in few lines of the cache.
    Begun(Box<Index>, Turn),
    /// It is one turn of its Move, which tests all indices that it reads, from so many bytes of their operand on.
    Picks(Turn, i64),
    /// There is none.
    None,
}

/// A schedule that is one turn of its Move, and where it begins in its buffers, which would be loaded from other lines of the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Turn {
    schedule: Arc<Schedule>,
    src: i64,
    dst: i64,
}

/// The only index that is read, which says where in the source a turn begins.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Index {
    ty: IndexType,
    /// Its position in the operand.
    at: usize,
    /// What one step of it is worth, in bytes.
    scale: i64,
    /// The size of its axis.
    size: i64,
}

impl Shortcut {
    /// That of a nest.
    fn of(planned: &PlannedNest) -> Self {
        let Some(schedule) = &planned.schedule else {
            return Self::None;
        };
        let reads_first = match schedule.source() {
            Source::Buffer(buffer) => buffer == Buffer::Operand(0),
            Source::Range(_) => true,
        };
        let reads_second =
            |lookup: &Lookup| lookup.access.is_affine() && lookup.table == Buffer::Operand(1);
        let turn = || Turn {
            schedule: Arc::clone(schedule),
            src: schedule.src().offset,
            dst: schedule.dst().offset,
        };
        let reader = planned.tested().map(Tested::reader);
        match (
            reader,
            schedule.inner().lookup(),
            &schedule.src().lookups[..],
        ) {
            _ if !reads_first => Self::None,
            (None, None, []) if schedule.is_one_turn() => Self::Turn(turn()),
            (Some(Reader::Loops), None, [lookup])
                if schedule.extents().is_empty() && reads_second(lookup) =>
            {
                let index = Index {
                    ty: lookup.index,
                    at: lookup.access.offset as usize / lookup.index.size(),
                    scale: lookup.scale,
                    size: lookup.size,
                };
                Self::Begun(Box::new(index), turn())
            }
            (Some(Reader::Move), Some(lookup), [])
                if schedule.known_picks().is_some() && reads_second(lookup) =>
            {
                Self::Picks(turn(), lookup.access.offset)
            }
            _ => Self::None,
        }
    }
}

impl Turn {
    /// So far in the source, in buffers of which the first operand starts there.
    #[inline]
    fn at<'c>(&'c self, place: i64, start: *const u8, output: &'c mut Output<'_>) -> OneTurn<'c> {
        OneTurn {
            schedule: &self.schedule,
            start,
            at: self.src.wrapping_add(place),
            dst: output.as_mut_ptr().wrapping_offset(self.dst as isize),
            _buffers: PhantomData,
        }
    }
}

impl Index {
    /// The place that it is worth in the source; `None` if it lies outside its axis.
    #[inline]
    fn place(&self, table: &Input<'_>) -> Option<i64> {
        let index = self.ty.load(table, self.at);
        let inside = !is_outside(index, self.size);
        inside.then(|| wrapped(index, self.size).wrapping_mul(self.scale))
    }
}

impl Direct {
    /// That of a plan which is one nest, if types and lengths are all that a call of it is compared with.
    pub fn of(
        operands: &[OperandNeed],
        steps: &[Step],
        output: (ElementType, usize),
    ) -> Option<Self> {
        let [Step::Nest(planned)] = steps else {
            return None;
        };
        let has_values = operands.iter().any(|need| need.value.is_some());
        if planned.scratch.is_some() || has_values || operands.len() > MOST_OPERANDS {
            return None;
        }
        let mut needs = [output; MOST_OPERANDS];
        for (to, need) in needs.iter_mut().zip(operands) {
            *to = (need.ty, need.len);
        }
        Some(Self {
            operands: needs,
            count: operands.len(),
            output,
            shortcut: Shortcut::of(planned),
        })
    }

    /// Where the operands of a call start; `None` if one has not exactly the type and the length of the plan.
    #[inline]
    fn starts(
        &self,
        inputs: &[Input<'_>],
        output: &Output<'_>,
    ) -> Option<[*const u8; MOST_OPERANDS]> {
        if inputs.len() != self.count || (output.element_type(), output.len()) != self.output {
            return None;
        }
        let mut operands = inputs.iter().zip(&self.operands);
        if operands.any(|(input, operand)| (input.element_type(), input.len()) != *operand) {
            return None;
        }
        // In registers: an array that is filled place by place and copied as a vector waits for all stores before it.
        let start = |at: usize| inputs.get(at).map_or(core::ptr::null(), Input::as_ptr);
        Some(core::array::from_fn(start))
    }
}

impl Plan {
    /// Where the operands of a call start, if it has exactly the types and lengths that [`Plan::admit`] admits, and the plan is one nest on
    /// few operands without values. The check of the nest is still to be done. For engines.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn direct(
        &self,
        inputs: &[Input<'_>],
        output: &Output<'_>,
    ) -> Option<[*const u8; MOST_OPERANDS]> {
        self.direct.as_ref()?.starts(inputs, output)
    }

    /// The turn of its Move that is all of a call, if it is, reads no index, and [`Plan::direct`] knows the call. For engines.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn one_turn<'c>(
        &'c self,
        inputs: &'c [Input<'_>],
        output: &'c mut Output<'_>,
    ) -> Option<OneTurn<'c>> {
        let direct = self.direct.as_ref()?;
        let Shortcut::Turn(turn) = &direct.shortcut else {
            return None;
        };
        let [start, _] = direct.starts(inputs, output)?;
        Some(turn.at(0, start, output))
    }

    /// The same of a turn by indices: the one that says where it begins has been tested, and its Move tests those that it reads. For engines.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn picks<'c>(
        &'c self,
        inputs: &'c [Input<'_>],
        output: &'c mut Output<'_>,
    ) -> Option<Picks<'c>> {
        let direct = self.direct.as_ref()?;
        let (index, turn, first) = match &direct.shortcut {
            Shortcut::Begun(index, turn) => (Some(index), turn, 0),
            Shortcut::Picks(turn, first) => (None, turn, *first),
            Shortcut::Turn(_) | Shortcut::None => return None,
        };
        let [start, table] = direct.starts(inputs, output)?;
        let place = match index {
            Some(index) => index.place(inputs.get(1)?)?,
            None => 0,
        };
        Some(Picks {
            turn: turn.at(place, start, output),
            table: table.wrapping_offset(first as isize),
        })
    }

    /// Whether [`Plan::one_turn`] or [`Plan::picks`] know calls of it. For engines.
    #[doc(hidden)]
    #[must_use]
    pub fn has_turn(&self) -> bool {
        let direct = self.direct.as_ref();
        direct.is_some_and(|direct| !matches!(direct.shortcut, Shortcut::None))
    }
}

/// One turn of a Move, and buffers of the lengths that it was verified for, from which it reads and to which it writes. For engines.
#[doc(hidden)]
pub struct OneTurn<'c> {
    pub(crate) schedule: &'c Schedule,
    /// The start of the source's buffer; of a Range, anything: nothing is read there.
    pub(crate) start: *const u8,
    /// The position in the source where the turn begins.
    pub(crate) at: i64,
    /// Where it begins in the destination.
    pub(crate) dst: *mut u8,
    _buffers: PhantomData<(&'c [u8], &'c mut [u8])>,
}

impl<'c> OneTurn<'c> {
    /// For buffers that have been compared with these lengths; the source of a Range is empty.
    #[inline]
    pub(crate) fn new<T: Element>(schedule: &'c Schedule, src: &'c [T], dst: &'c mut [T]) -> Self {
        Self {
            schedule,
            start: src.as_ptr().cast(),
            at: schedule.src().offset,
            dst: dst
                .as_mut_ptr()
                .cast::<u8>()
                .wrapping_offset(schedule.dst().offset as isize),
            _buffers: PhantomData,
        }
    }
}

/// One turn of a Move by indices: it begins where one says that has been tested, or finds its rows by some that it tests itself. For engines.
#[doc(hidden)]
pub struct Picks<'c> {
    pub(crate) turn: OneTurn<'c>,
    /// The first index that its Move reads, if it reads some.
    pub(crate) table: *const u8,
}

impl<'c> Picks<'c> {
    /// As [`OneTurn::new`], by the indices of this table.
    #[inline]
    pub(crate) fn new<T: Element, I: Element>(
        schedule: &'c Schedule,
        src: &'c [T],
        indices: &'c [I],
        dst: &'c mut [T],
    ) -> Self {
        let lookup = schedule.inner().lookup();
        let first = lookup.map_or(0, |lookup| lookup.access.offset);
        Self {
            turn: OneTurn::new(schedule, src, dst),
            table: indices
                .as_ptr()
                .cast::<u8>()
                .wrapping_offset(first as isize),
        }
    }
}
