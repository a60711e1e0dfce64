//! Results in new memory: where a plan writes every element, nothing is written before.

use crate::elem::{Element, ElementType};
use crate::error::Error;
use crate::operand::Output;
use crate::plan::Plan;
use crate::tensor::room_for;
use alloc::vec::Vec;

/// Runs a plan into a new vector, allocated once and not initialised before where the plan covers it.
///
/// # Errors
/// [`OperandType`](crate::ErrorKind::OperandType) if `T` is not the element type of the result;
/// [`TooLarge`](crate::ErrorKind::TooLarge), [`OutOfMemory`](crate::ErrorKind::OutOfMemory); whatever `run` refuses.
///
/// # Safety
/// `run` is an engine's way to run `plan`: it returns `Ok` only after every nest of the plan has been run to its end.
pub unsafe fn collect<T: Element>(
    plan: &Plan,
    run: impl FnOnce(Output<'_>) -> Result<(), Error>,
) -> Result<Vec<T>, Error> {
    let len = plan.output_len();
    let mut result = room_for::<T>(plan.element_type(), len)?;
    if T::TYPE == ElementType::String || !plan.covers_output() {
        result.resize(len, T::default());
        run(Output::from(&mut result[..]))?;
        return Ok(result);
    }
    run(Output::from_uninit(&mut result.spare_capacity_mut()[..len]))?;
    // SAFETY: the plan covers its destination (I4), and `run` has run it to its end, by the contract of this function.
    unsafe { result.set_len(len) };
    Ok(result)
}
