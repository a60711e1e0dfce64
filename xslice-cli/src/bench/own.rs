//! A movement of one's own: an output of a model or a text, ready to be timed. What has no value gets random bits; indices are random ones of
//! their axis.

use super::data::Data;
use super::prepared::{Movement, Prepared, Strategy};
use super::traffic::index_axes;
use crate::error::{Error, Result, too_large};
use crate::import::ModelOutput;
use crate::request::{Known, Request};
use xslice::ir::IndexType;
use xslice::{ElementType, Plan, byte_count, element_count};

/// Why there is nothing to time of a plan, if so.
fn refusal(plan: &Plan) -> Option<String> {
    let types = plan.operand_types().map(|(ty, _)| ty);
    let mut types = types.chain([plan.element_type()]);
    if types.any(|ty| ty == ElementType::String) {
        return Some("strings are moved by clone, which is the allocator's time".into());
    }
    let shape = plan.shape();
    (plan.output_len() == 0).then(|| format!("shape {shape:?} has no element"))
}

/// One output, of operands that take at most `max_bytes` bytes each; or why it is not timed.
///
/// # Errors
/// Every refusal of the operators.
pub fn prepared(
    request: &Request<'_>,
    output: &ModelOutput,
    max_bytes: u64,
) -> Result<Result<Prepared, String>> {
    let (signature, plan) = request.compile(output)?;
    if let Some(reason) = refusal(&plan) {
        return Ok(Err(reason));
    }
    let refused = |error| Error::from(request.model.refusal(output, error));
    let inputs = request.model.inputs.iter();
    let axes = index_axes(&request.again(output, &signature, 0)?);
    let operands = inputs.zip(&request.operands).zip(axes);
    let operands = operands.map(|((input, known), axis)| {
        let (ty, shape) = known.type_and_shape();
        let bytes = byte_count(element_count(shape)?, ty)? as u64;
        if bytes > max_bytes {
            return Err(too_large(&input.name, bytes, max_bytes).into());
        }
        numbers(known, axis)
    });
    let mut prepared = Prepared::of(Movement {
        name: &output.name,
        program: &output.program,
        signature: &signature,
        operands: operands.collect::<Result<_>>()?,
        compiled: None,
    })?;
    // Indices that are given may be outside, and those that others pick, random, too.
    prepared.run(Strategy::Runner, 1).map_err(refused)?;
    Ok(Ok(prepared))
}

/// The elements of an operand, which may be indices of an axis.
fn numbers(known: &Known, axis: Option<(IndexType, u64)>) -> Result<Data> {
    let (ty, shape) = known.type_and_shape();
    let len = element_count(shape)?;
    match (known, axis) {
        (Known::Value(tensor), _) => Data::of(tensor),
        (Known::Type(..), Some((index, size))) => Data::random_indices(index, len, size),
        (Known::Type(..), None) => Data::random(ty, len),
    }
}
