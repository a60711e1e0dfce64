//! A movement of one's own: an output of a model or a text, ready to be timed. What has no value gets random bits; indices are random ones of
//! their axis.

use super::data::Data;
use super::prepared::{Movement, Prepared, Strategy};
use super::traffic::index_axes;
use crate::error::{Error, Result, too_large};
use crate::import::ModelOutput;
use crate::request::{Known, Request};
use xslice::ir::IndexType;

/// One output, of operands that take at most so many bytes each.
///
/// # Errors
/// Every refusal of the operators; strings; a result of no element.
pub fn prepared(request: &Request<'_>, output: &ModelOutput, max_bytes: u64) -> Result<Prepared> {
    let (signature, plan) = request.compile(output)?;
    let refused = |error| Error::from(request.model.refusal(output, error));
    if plan.output_len() == 0 {
        let (name, shape) = (output.name.escape_debug(), plan.shape());
        let what = format!("`{name}` of shape {shape:?} has no element: there is nothing to time");
        return Err(Error::argument(what));
    }
    let inputs = request.model.inputs.iter();
    let operands = inputs.zip(&request.operands).zip(index_axes(&plan));
    let operands = operands.map(|((input, known), axis)| {
        let (ty, shape) = known.type_and_shape();
        let bytes = shape.iter().product::<usize>() as u64 * ty.size() as u64;
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
    Ok(prepared)
}

/// The elements of an operand, which may be indices of an axis.
fn numbers(known: &Known, axis: Option<(IndexType, u64)>) -> Result<Data> {
    let (ty, shape) = known.type_and_shape();
    let len = shape.iter().product();
    match (known, axis) {
        (Known::Value(tensor), _) => Data::of(tensor),
        (Known::Type(..), Some((index, size))) => Data::random_indices(index, len, size),
        (Known::Type(..), None) => Data::random(ty, len),
    }
}
