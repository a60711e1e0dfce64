//! One chain on every engine and on the oracle.
//!
//! The oracle goes step by step with a temporary after each operator; the engines run what the compiler has fused.

use crate::call::{call, layout, positions};
use crate::operators::apply;
use crate::program::{Case, source};
use crate::suite::rng::Rng;
use crate::suite::{self, ENGINES, from_naive, naive, numbered, to_naive};
use std::collections::BTreeMap;
use xslice::ir::PlannedNest;
use xslice::{ElementType, Plan, Program, Signature, Tensor};

#[derive(Default, Debug)]
pub struct Tally {
    pub equal: usize,
    refused: usize,
    beyond: usize,
    /// Valid chains that needed a temporary, and those with a check at run time.
    temporaries: usize,
    checks: usize,
    /// Valid chains by the Move of their last nest.
    moves: BTreeMap<&'static str, usize>,
}

/// What a call is given and, where the oracle computes it, the buffer before and after.
struct Asked {
    label: String,
    program: Program,
    signature: Signature,
    operands: Vec<Tensor>,
    buffers: Option<(Tensor, Tensor)>,
}

/// Makes a chain and tries it; `label` says which.
pub fn check(label: &str, rng: &mut Rng<'_>, tally: &mut Tally) {
    let mut case = Case::new();
    let mut value = source(&mut case, rng);
    for _ in 0..1 + rng.below(4) {
        match apply(&mut case, rng, &value) {
            Some(next) => value = next,
            None if value.expected.is_ok() => {
                tally.refused += 1;
                return;
            }
            None => break,
        }
    }
    if value
        .expected
        .as_ref()
        .is_err_and(|error| error == naive::TOO_LARGE)
    {
        tally.beyond += 1;
        return;
    }
    let program = case.graph.finish(value.id).expect("a value of this graph");
    let (signature, operands) = call(&program, &case.operands, rng);
    let mut asked = Asked {
        label: format!("{label}{}", case.text),
        program,
        signature,
        operands,
        buffers: None,
    };
    match &value.expected {
        Ok(tensor) => {
            let (signature, buffers) = destination(tensor, asked.signature, rng);
            (asked.signature, asked.buffers) = (signature, Some(buffers));
            asked.all_engines_compute();
            tally.count(
                &asked
                    .program
                    .compile(&asked.signature)
                    .expect("compiled before"),
            );
        }
        Err(_) => {
            asked.all_engines_refuse();
            tally.refused += 1;
        }
    }
}

/// Where a result goes: in one call of four, a strided part of a larger buffer.
fn destination(
    result: &naive::Tensor,
    signature: Signature,
    rng: &mut Rng<'_>,
) -> (Signature, (Tensor, Tensor)) {
    if !rng.once_in(4) {
        let after = from_naive(result);
        let before = suite::filled(after.element_type(), after.shape()).expect("memory");
        return (signature, (before, after));
    }
    let (strides, offset, len) = layout(&result.shape, rng);
    let ty = ElementType::from_name(result.dtype).expect("a type");
    let before = numbered(ty, &[len], 77);
    let mut after = to_naive(&before);
    let places = positions(&result.shape, &strides, offset);
    for (elem, at) in result.elems.iter().zip(places) {
        after.elems[at] = elem.clone();
    }
    (
        signature.output(&strides, offset),
        (before, from_naive(&after)),
    )
}

impl Asked {
    fn all_engines_compute(&self) {
        let Some((before, after)) = &self.buffers else {
            return;
        };
        for (name, run) in ENGINES {
            let mut buffer = before.clone();
            let inputs: Vec<_> = self.operands.iter().map(Tensor::as_input).collect();
            let result = run(&self.program, &self.signature, &inputs, buffer.as_output());
            let label = &self.label;
            if let Err(error) = result {
                panic!("the {name} refuses what the oracle computes: {error}\n{label}");
            }
            let plan = suite::plan(&self.program, &self.signature);
            assert!(buffer == *after, "the {name} differs: {label}\n{plan}");
        }
    }

    fn all_engines_refuse(&self) {
        let label = &self.label;
        let mut refusals = BTreeMap::new();
        for (name, run) in ENGINES {
            let inputs: Vec<_> = self.operands.iter().map(Tensor::as_input).collect();
            let ty = self.program.output_type(&self.signature);
            let result = ty.and_then(|(ty, shape)| {
                let mut buffer = Tensor::zeros(ty, &shape)?;
                run(&self.program, &self.signature, &inputs, buffer.as_output())
            });
            match result {
                Ok(()) => panic!("the {name} computes what the oracle refuses: {label}"),
                Err(error) => refusals.insert(error.to_string(), *name),
            };
        }
        assert!(
            refusals.len() < 2,
            "different refusals {refusals:?}: {label}"
        );
    }
}

impl Tally {
    fn count(&mut self, plan: &Plan) {
        self.equal += 1;
        self.temporaries += usize::from(!plan.temporaries().is_empty());
        self.checks += usize::from(plan.checks().next().is_some());
        let last = plan.nests().rev().find_map(PlannedNest::schedule);
        let last = last.map(|schedule| schedule.inner().name());
        *self.moves.entry(last.unwrap_or("none")).or_default() += 1;
    }
}
