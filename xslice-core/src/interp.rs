//! Stub.
use crate::{Error, Input, Output, Plan, Scratch};
/// Runs a plan.
///
/// # Errors
/// What [`Plan::admit`] refuses, the first failing check, and memory for temporaries.
pub fn run(
    plan: &Plan,
    inputs: &[Input<'_>],
    output: Output<'_>,
    scratch: &mut Scratch,
) -> Result<(), Error> {
    let _ = (plan, inputs, output, scratch);
    unimplemented!()
}
