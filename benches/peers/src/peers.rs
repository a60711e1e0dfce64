//! Peers of this process, each held against xslice before it is timed.

use crate::by_hand;
use crate::forms::Form;
use crate::in_candle;
use crate::in_ndarray::{self, Assign};
use crate::in_onnxruntime::{self, Library};
use std::fmt::Display;
use xslice::ElementType;
use xslice_cli::bench::Peer;
use xslice_cli::bench::data::{Data, Held};
use xslice_cli::bench::prepared::{Prepared, Strategy};
use xslice_cli::{Error, Fault, Result};

/// A peer whose result can be looked at.
pub trait Verified: Peer {
    /// Writes the result of the last run into `output`, if it is not there.
    ///
    /// # Errors
    /// Another type or length.
    fn result(&mut self, output: &mut Data) -> Result<()>;
}

/// Calls a function generic over the element type.
macro_rules! by_type {
    ($ty:expr, $function:ident $arguments:tt) => {
        match $ty {
            ElementType::U8 => $function::<u8> $arguments,
            ElementType::F16 => $function::<xslice::half::f16> $arguments,
            ElementType::F32 => $function::<f32> $arguments,
            ElementType::F64 => $function::<f64> $arguments,
            ElementType::I32 => $function::<i32> $arguments,
            ElementType::I64 => $function::<i64> $arguments,
            other => Err(xslice::Error::internal(format_args!("no workload has {other}")).into()),
        }
    };
}
pub(crate) use by_type;

/// What a peer cannot do.
pub fn failed(peer: &str, error: impl Display) -> Error {
    let fault = Fault::OutsideScope {
        node: None,
        what: format!("{peer}: {error}"),
    };
    fault.into()
}

/// The elements of an operand.
pub(crate) fn elements<T: Held>(data: &Data) -> Result<&[T]> {
    T::of(data).ok_or_else(|| failed("a peer", "an operand of another type"))
}

/// Writes elements into a result.
pub(crate) fn put<T: Held>(output: &mut Data, values: &[T]) -> Result<()> {
    let room = T::of_mut(output).filter(|room| room.len() == values.len());
    let room = room.ok_or_else(|| failed("a peer", "another type or length of the result"))?;
    room.copy_from_slice(values);
    Ok(())
}

struct NdArray(Assign);

impl Peer for NdArray {
    fn name(&self) -> &'static str {
        "ndarray"
    }

    fn run(&mut self, operands: &[Data], output: &mut Data, times: u64) -> Result<()> {
        for _ in 0..times {
            (self.0)(std::hint::black_box(operands), std::hint::black_box(output));
        }
        Ok(())
    }
}

impl Verified for NdArray {
    fn result(&mut self, _: &mut Data) -> Result<()> {
        Ok(())
    }
}

/// The peers that can run the workload and give what xslice gives. What is left out is said on standard error.
///
/// # Errors
/// None that a workload of ours has.
pub fn prepare(
    form: &Form,
    prepared: &mut Prepared,
    library: Option<&Library>,
) -> Result<Vec<Box<dyn Peer>>> {
    prepared.run(Strategy::Runner, 1)?;
    let expected = bytes(prepared.output());
    let mut candidates: Vec<Result<Box<dyn Verified>>> = Vec::new();
    candidates.extend(in_ndarray::form(form.name).map(|assign| {
        let peer: Box<dyn Verified> = Box::new(NdArray(assign));
        Ok(peer)
    }));
    candidates.push(in_candle::prepare(form, prepared.operands()));
    if let Some(library) = library {
        candidates.push(in_onnxruntime::prepare(form, prepared.operands(), library));
    }
    let mut peers: Vec<Box<dyn Peer>> = Vec::new();
    let mut hands = by_hand::candidates(form.name, expected.len());
    hands.retain_mut(|hand| is_kept(form, check(hand, form, prepared, &expected)));
    if let Some(hand) = by_hand::fastest(hands, prepared)? {
        peers.push(Box::new(hand));
    }
    for candidate in candidates {
        let checked = candidate.and_then(|mut peer| {
            check(&mut *peer, form, prepared, &expected)?;
            peers.push(peer);
            Ok(())
        });
        is_kept(form, checked);
    }
    Ok(peers)
}

/// Whether a peer gives what is expected.
fn check(
    peer: &mut dyn Verified,
    form: &Form,
    prepared: &mut Prepared,
    expected: &[u8],
) -> Result<()> {
    prepared.clear();
    let (operands, output) = prepared.buffers();
    peer.run(operands, output, 1)?;
    peer.result(output)?;
    if is_same(form, &bytes(output), expected) {
        Ok(())
    } else {
        Err(failed(peer.name(), "another result"))
    }
}

/// Says why a peer is left out, if it is.
fn is_kept(form: &Form, checked: Result<()>) -> bool {
    let said = checked.inspect_err(|error| eprintln!("{}: left out: {error}", form.name));
    said.is_ok()
}

fn bytes(data: &Data) -> Vec<u8> {
    data.input().bytes().to_vec()
}

/// Bit for bit; a Range of floats, which is computed, within what ONNX's own tests allow.
fn is_same(form: &Form, result: &[u8], expected: &[u8]) -> bool {
    if form.range.is_none() || form.part.ty != ElementType::F32 {
        return result == expected;
    }
    let (result, _) = result.as_chunks();
    let (expected, _) = expected.as_chunks();
    result.len() == expected.len()
        && result.iter().zip(expected).all(|(result, expected)| {
            let (result, expected) = (f32::from_le_bytes(*result), f32::from_le_bytes(*expected));
            (result - expected).abs() <= 1e-7 + 1e-3 * expected.abs()
        })
}
