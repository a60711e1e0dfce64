//! From a program and a signature to a plan.
use crate::{
    elem::ElementType,
    error::Error,
    op::Op,
    plan::{Plan, View},
    program::{Program, Signature},
};
use alloc::vec::Vec;
pub(crate) fn compile(_p: &Program, _s: &Signature) -> Result<Plan, Error> {
    unimplemented!()
}
pub(crate) fn view(_p: &Program, _s: &Signature) -> Result<Option<View>, Error> {
    unimplemented!()
}
pub(crate) fn result_type(
    _p: &Program,
    _s: &Signature,
) -> Result<(ElementType, Vec<usize>), Error> {
    unimplemented!()
}
pub(crate) fn parameter_operands(_p: &Program) -> Vec<bool> {
    unimplemented!()
}
pub(crate) fn validate_constants(_op: &Op) -> Result<(), Error> {
    Ok(())
}
