//! Nests that are one call of the facade: its functions take operands as slices, the destination, and numbers.

use super::{Destination, Emitter};
use crate::access::Buffer;
use crate::plan::{PlannedNest, Step, Tested};
use alloc::{format, string::String, vec::Vec};

/// A call of a function that moves.
pub(super) struct Call {
    /// The function, in the facade's `__private`.
    pub name: String,
    /// What it reads, in its order.
    pub sources: Vec<Buffer>,
    /// The temporary that it writes, or the result.
    pub scratch: Option<usize>,
    pub numbers: String,
    /// Whether it gives a `Result`.
    pub fallible: bool,
}

impl Emitter<'_> {
    /// The next step, or checks and the nest after them, as a call, and the steps that follow; `None`: the next step has loops of its own.
    pub(super) fn call<'s>(&mut self, steps: &'s [Step]) -> Option<(Call, &'s [Step])> {
        let mut checks = Vec::new();
        let mut steps = steps.iter();
        let planned = loop {
            match steps.next()? {
                Step::Check(check) => checks.push(&**check),
                Step::Nest(planned) => {
                    checks.extend(planned.tested().map(Tested::check));
                    break planned;
                }
            }
        };
        let rest = steps.as_slice();
        let call = match (&checks[..], rest) {
            ([], _) => self.one_nest(planned)?,
            ([check], []) => {
                let by_index = self.rows_by_index(check, planned);
                by_index.or_else(|| self.checked_by_move(&checks, planned))?
            }
            _ => self.checked_by_move(&checks, planned)?,
        };
        Some((call, rest))
    }

    /// A nest as a call, its indices checked.
    pub(super) fn one_nest(&mut self, planned: &PlannedNest) -> Option<Call> {
        let call = self.by_move(planned, &[]);
        call.or_else(|| self.by_numbers(planned))
    }

    /// The call that is all of the plan, on its operands in their order.
    pub(super) fn one_call(&mut self) -> Option<Call> {
        let steps = self.plan.steps();
        if let [Step::Nest(planned)] = steps
            && self.in_place(planned).is_some()
        {
            return None;
        }
        let (call, rest) = self.call(steps)?;
        let operands = (0..self.plan.operands.len()).map(Buffer::Operand);
        let is_all = rest.is_empty()
            && call.scratch.is_none()
            && call.fallible == self.wanted.fallible
            && call.sources.iter().copied().eq(operands);
        is_all.then_some(call)
    }

    /// Writes a call; the last one is the value if it can be.
    pub(super) fn write(&mut self, call: &Call, is_last: bool) {
        let target = self.target(call.scratch);
        let target = format!("{}{target}", self.mutable(&target));
        let sources = call.sources.iter().map(|source| self.reference(*source));
        let mut operands: Vec<String> = sources.collect();
        operands.push(target);
        let (operands, numbers) = (operands.join(", "), &call.numbers);
        let (root, name) = (self.wanted.root, &call.name);
        let text = format!("{root}::__private::{name}({operands}, {numbers})");
        if !call.fallible {
            return self.line(format_args!("{text};"));
        }
        self.returned = is_last && self.wanted.destination == Destination::Parameter;
        if self.returned {
            self.line(format_args!("{text}"));
        } else {
            self.or_return(format_args!("{text}"));
        }
    }
}
