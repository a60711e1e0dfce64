//! Calls of one nest on a few operands.
//!
//! A small call is over before the steps of a plan have been looked at. So what they would compare is kept side by side, with the schedule
//! where one turn of its Move is all: where a call fits it, an engine may move at once. What does not fit goes the way of all plans, which
//! knows what is wrong and in which words.

use super::{Check, Input, OperandNeed, Output, Plan, Reader, Step};
use crate::access::Buffer;
use crate::elem::{Element, ElementType};
use crate::nest::Source;
use crate::nest::schedule::Schedule;
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
    /// The nest, if it is one turn of its Move, which reads nothing but the first operand or a Range, and indices of the second.
    turn: Option<Turn>,
}

/// A schedule that is one turn of its Move, and where it begins in its buffers, which would be loaded from other lines of the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Turn {
    schedule: Arc<Schedule>,
    src: i64,
    dst: i64,
}

impl Direct {
    /// That of a plan which is one nest, perhaps after a check, if types and lengths are all that a call of it is compared with.
    pub fn of(
        operands: &[OperandNeed],
        steps: &[Step],
        output: (ElementType, usize),
    ) -> Option<Self> {
        let (check, planned) = match steps {
            [Step::Nest(planned)] => (None, planned),
            [Step::Check(check), Step::Nest(planned)] => (Some(check), planned),
            _ => return None,
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
            turn: planned
                .schedule
                .as_ref()
                .filter(|schedule| is_one_turn(check, schedule))
                .map(|schedule| Turn {
                    schedule: Arc::clone(schedule),
                    src: schedule.src().offset,
                    dst: schedule.dst().offset,
                }),
        })
    }

    /// Where the operands of a call start; `None` if one has not exactly the type and the length of the plan.
    #[inline]
    fn starts(
        &self,
        inputs: &[Input<'_>],
        output: &Output<'_>,
    ) -> Option<[*const u8; MOST_OPERANDS]> {
        let mut starts = [core::ptr::null(); MOST_OPERANDS];
        if inputs.len() != self.count || (output.element_type(), output.len()) != self.output {
            return None;
        }
        for ((start, input), operand) in starts.iter_mut().zip(inputs).zip(&self.operands) {
            if (input.element_type(), input.len()) != *operand {
                return None;
            }
            *start = input.as_ptr();
        }
        Some(starts)
    }
}

/// Whether one turn of its Move, which tests the indices that it reads, is all of a nest after this check.
fn is_one_turn(check: Option<&Check>, schedule: &Schedule) -> bool {
    let reads_first = match schedule.source() {
        Source::Buffer(buffer) => buffer == Buffer::Operand(0),
        Source::Range(_) => true,
    };
    let is_turn = match (check.map(Check::reader), schedule.inner().lookup()) {
        (None, None) => schedule.is_one_turn(),
        (Some(Some(Reader::Move)), Some(lookup)) => {
            let begins = lookup.table == Buffer::Operand(1) && lookup.access.offset == 0;
            begins && schedule.known_picks().is_some()
        }
        _ => false,
    };
    reads_first && is_turn
}

impl Plan {
    /// Where the operands of a call start, if it has exactly the types and lengths that [`Plan::admit`] admits, and the plan is one nest,
    /// perhaps after a check, on few operands without values. For engines.
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

    /// The turn of its Move that is all of a call, if it is, and [`Plan::direct`] knows the call. Its Move tests the indices that it reads. For
    /// engines.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn one_turn<'c>(
        &'c self,
        inputs: &'c [Input<'_>],
        output: &'c mut Output<'_>,
    ) -> Option<OneTurn<'c>> {
        let direct = self.direct.as_ref()?;
        let turn = direct.turn.as_ref()?;
        let [start, table] = direct.starts(inputs, output)?;
        Some(OneTurn {
            schedule: &turn.schedule,
            start,
            table,
            at: turn.src,
            dst: output.as_mut_ptr().wrapping_offset(turn.dst as isize),
            _buffers: PhantomData,
        })
    }
}

/// One turn of a Move that tests the indices which it reads, if any, and buffers of the lengths that it was verified for, from which it reads
/// and to which it writes. For engines.
#[doc(hidden)]
pub struct OneTurn<'c> {
    pub(crate) schedule: &'c Schedule,
    /// The start of the source's buffer; of a Range, anything: nothing is read there.
    pub(crate) start: *const u8,
    /// The first of the indices, if it reads some.
    pub(crate) table: *const u8,
    /// The position in the source where the turn begins.
    pub(crate) at: i64,
    /// Where it begins in the destination.
    pub(crate) dst: *mut u8,
    _buffers: PhantomData<(&'c [u8], &'c mut [u8])>,
}

impl<'c> OneTurn<'c> {
    /// For buffers that have been compared with these lengths; the source of a Range is empty, and so are indices where none are read.
    #[inline]
    pub(crate) fn new<T: Element, I>(
        schedule: &'c Schedule,
        src: &'c [T],
        indices: &'c [I],
        dst: &'c mut [T],
    ) -> Self {
        Self {
            schedule,
            start: src.as_ptr().cast(),
            table: indices.as_ptr().cast(),
            at: schedule.src().offset,
            dst: dst
                .as_mut_ptr()
                .cast::<u8>()
                .wrapping_offset(schedule.dst().offset as isize),
            _buffers: PhantomData,
        }
    }
}
