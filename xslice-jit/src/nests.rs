//! The nests of a plan, for machine code: taken apart, asked whether code gains, and shown as text.

use crate::kernel;
use crate::key::{self, Body};
use crate::{Decline, Form};
use xslice_core::Plan;
use xslice_core::ir::{Move, PlannedNest, Reader, Schedule, Tested};

/// Every nest of a plan, taken apart by `split`, which is told what reads the indices of its check.
pub(crate) fn apart<P>(
    plan: &Plan,
    split: impl Fn(&Schedule, Option<Reader>) -> P,
) -> Result<Vec<P>, Decline> {
    plan.nests()
        .map(|planned| {
            let schedule = planned.schedule().ok_or(Decline::Strings)?;
            Ok(split(schedule, planned.tested().map(Tested::reader)))
        })
        .collect()
}

/// Whether machine code does better than the runner in some nest, whatever its numbers: by moving itself, or by reading indices in its
/// loops.
#[must_use]
pub fn gains(plan: &Plan) -> bool {
    plan.nests()
        .filter_map(PlannedNest::schedule)
        .any(|schedule| {
            let is_one_run =
                schedule.extents().is_empty() && matches!(schedule.inner(), Move::Copy { .. });
            let is_whole = schedule.is_quicker_whole();
            let reads_indices = !schedule.src().is_affine() && !is_whole;
            reads_indices || !(is_one_run || is_whole || key::is_long(schedule))
        })
}

/// The machine code of a plan, to be read by people: for each nest what it is made of, and its assembly.
///
/// ```
/// use xslice_core::{ElementType, Program, Signature};
/// let plan = Program::parse("x[::-1]")?.compile(&Signature::new().operand(ElementType::F32, &[9]))?;
/// if let Ok(code) = xslice_jit::listing(&plan, xslice_jit::Form::Baked) {
///     assert!(code[0].clif.contains("function"));
/// }
/// # Ok::<(), xslice_core::Error>(())
/// ```
///
/// # Errors
/// Why there is no machine code.
pub fn listing(plan: &Plan, form: Form) -> Result<Vec<Listing>, Decline> {
    let code = match form {
        Form::Keyed => apart(plan, |schedule, reader| {
            let parts = key::split(schedule, reader);
            kernel::listing(Body::Keyed(&parts.structure))
        }),
        Form::Baked => apart(plan, |schedule, reader| {
            kernel::listing(key::split_known(schedule, reader).body())
        }),
    };
    code?.into_iter().collect()
}

/// The code of one nest as text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Listing {
    /// The code generator's intermediate form, or the pieces of code that is made without it.
    pub clif: String,
    /// Assembly of this host.
    pub assembly: String,
}
