//! Calls of machine code that is all of a plan.
//!
//! A small call is over before the steps of a plan have been looked at. So what they would compare is kept side by side: where a call fits
//! it, the code runs at once. What does not fit goes the way of all plans, which knows what is wrong and in which words.

use crate::kernel::{Bound, tested_by_code};
use xslice_core::ir::{Buffer, Step};
use xslice_core::{ElementType, Input, Output, Plan};

/// Operands of such a call, at most.
const MOST_OPERANDS: usize = 2;

/// What is compared before a call: types and lengths.
#[derive(Debug)]
pub(crate) struct Direct {
    operands: [(ElementType, usize); MOST_OPERANDS],
    count: usize,
    output: (ElementType, usize),
}

impl Direct {
    /// That of a plan which is one nest that reads its operands in their order, behind a check of indices that the code tests or behind
    /// none.
    pub(crate) fn of(plan: &Plan, nests: &[Bound]) -> Option<Self> {
        let planned = match plan.steps() {
            [Step::Nest(planned)] => planned,
            [Step::Check(check), Step::Nest(planned)] if tested_by_code(check) => planned,
            _ => return None,
        };
        let [nest] = nests else { return None };
        let given = plan.operand_types();
        let count = given.clone().count();
        let reads_operands = match &nest.reads[..] {
            [None] => count == 0,
            reads => (0..count)
                .map(|at| Some(Buffer::Operand(at)))
                .eq(reads.iter().copied()),
        };
        let is_all = planned.scratch().is_none() && plan.takes_any_values() && reads_operands;
        if !is_all || count > MOST_OPERANDS {
            return None;
        }
        let mut operands = [(plan.element_type(), 0); MOST_OPERANDS];
        for (to, given) in operands.iter_mut().zip(given) {
            *to = given;
        }
        Some(Self {
            operands,
            count,
            output: (plan.element_type(), plan.output_len()),
        })
    }

    /// Where the operands of a call start; `None` if one has not exactly the type and the length that [`Plan::admit`] admits.
    #[inline]
    pub(crate) fn starts(
        &self,
        inputs: &[Input<'_>],
        output: &Output<'_>,
    ) -> Option<[*const u8; MOST_OPERANDS]> {
        let mut starts = [std::ptr::null(); MOST_OPERANDS];
        let mut fits =
            inputs.len() == self.count && (output.element_type(), output.len()) == self.output;
        for ((start, input), operand) in starts.iter_mut().zip(inputs).zip(&self.operands) {
            fits &= (input.element_type(), input.len()) == *operand;
            *start = input.as_ptr();
        }
        fits.then_some(starts)
    }
}
