//! When a test directory passes.
//!
//! With outputs: every engine gives exactly them. With an expected refusal: an operator's own rule refuses, when the model is read or
//! when it runs; where it runs, every engine refuses with the same words. Being unable to read a model is never such a refusal.

use super::case::{Case, Refusal, Set};
use super::compare;
use crate::call::Call;
use crate::engine::Engine;
use crate::error::{Error, Fault};
use crate::files;
use crate::guard;
use crate::import::{self, Model, Options};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xslice::{Program, Signature, Tensor, counted};

/// What became of a test directory.
#[derive(Debug)]
pub enum Verdict {
    /// As expected.
    Passed,
    /// Not as expected: why.
    Failed(String),
    /// The model holds something outside the scope: what.
    Skipped(String),
}

/// Runs a test directory on every engine.
pub fn directory(directory: &Path, engines: &mut [Engine], options: &Options) -> Verdict {
    let case = match Case::open(directory) {
        Ok(case) => case,
        Err(why) => return Verdict::Failed(why),
    };
    let loaded = import::load(&case.model, options);
    let result = match (&loaded, &case.refusal) {
        (Ok(model), None) => with_outputs(&case, model, engines, options),
        (Ok(model), Some(refusal)) => refused(&case, model, refusal, engines, options),
        (Err(error), None) => match error.fault() {
            Fault::OutsideScope { .. } => return Verdict::Skipped(error.to_string()),
            _ => Err(error.to_string()),
        },
        (Err(error), Some(refusal)) => match error.fault() {
            Fault::Refused { error, .. } => by_a_rule(error, refusal),
            _ => Err(not_by_a_rule(error)),
        },
    };
    match result {
        Ok(()) => Verdict::Passed,
        Err(why) => Verdict::Failed(why),
    }
}

/// What a test directory asks the library for: the program of each output with the signature of each data set.
pub fn requests(directory: &Path, options: &Options) -> Result<Vec<(Program, Signature)>, String> {
    let case = Case::open(directory)?;
    let model = import::load(&case.model, options).map_err(|error| error.to_string())?;
    let mut requests = Vec::new();
    for set in &case.sets {
        let call = read_call(&model, set, options).map_err(|error| error.to_string())?;
        let programs = model.outputs.iter().map(|output| &output.program);
        requests.extend(programs.map(|program| (program.clone(), call.signature(program))));
    }
    Ok(requests)
}

fn with_outputs(
    case: &Case,
    model: &Model,
    engines: &mut [Engine],
    options: &Options,
) -> Result<(), String> {
    for set in &case.sets {
        outputs_of(set, model, engines, options).map_err(|why| match case.sets.len() {
            1 => why,
            _ => format!("{}: {why}", set.name),
        })?;
    }
    Ok(())
}

fn outputs_of(
    set: &Set,
    model: &Model,
    engines: &mut [Engine],
    options: &Options,
) -> Result<(), String> {
    let call = read_call(model, set, options).map_err(|error| error.to_string())?;
    let mut expected: Option<Vec<Tensor>> = None;
    for engine in engines.iter_mut() {
        let kind = engine.kind();
        let results = run(&call, engine, model)?
            .map_err(|error| format!("{kind}: {}", Fault::from(error)))?;
        let expected = match &mut expected {
            Some(expected) => expected,
            none => none.insert(read_outputs(set, &results, options)?),
        };
        compare_outputs(model, &results, expected).map_err(|why| format!("{kind}: {why}"))?;
    }
    Ok(())
}

fn compare_outputs(model: &Model, results: &[Tensor], expected: &[Tensor]) -> Result<(), String> {
    for ((output, got), expected) in model.outputs.iter().zip(results).zip(expected) {
        compare::same(got, expected, output.from_range)
            .map_err(|why| format!("output `{}`: {why}", output.name))?;
    }
    Ok(())
}

/// The expected outputs. Those of type bf16 may lie in `.npy` files as 16-bit patterns.
fn read_outputs(set: &Set, results: &[Tensor], options: &Options) -> Result<Vec<Tensor>, String> {
    if set.outputs.len() != results.len() {
        let (got, expected) = (results.len(), set.outputs.len());
        let got = counted(got, "output", "outputs");
        return Err(format!("{got}, expected {expected}"));
    }
    let files = set.outputs.iter().zip(results);
    files
        .map(|(path, result)| {
            let wanted = Some(result.element_type());
            let read = files::read_tensor(path, wanted, options.max_bytes);
            read.map(|(_, tensor)| tensor)
                .map_err(|error| error.to_string())
        })
        .collect()
}

fn refused(
    case: &Case,
    model: &Model,
    refusal: &Refusal,
    engines: &mut [Engine],
    options: &Options,
) -> Result<(), String> {
    let none = [Set::default()];
    let sets = if case.sets.is_empty() {
        &none[..]
    } else {
        &case.sets
    };
    for set in sets {
        let call = read_call(model, set, options).map_err(|error| match error.fault() {
            Fault::Refused { .. } => not_by_a_rule(&error),
            _ => error.to_string(),
        })?;
        let mut first: Option<xslice::Error> = None;
        for engine in engines.iter_mut() {
            let kind = engine.kind();
            let Err(error) = run(&call, engine, model)? else {
                return Err(format!("{kind}: not refused"));
            };
            by_a_rule(&error, refusal).map_err(|why| format!("{kind}: {why}"))?;
            match &first {
                Some(first) if *first != error => {
                    return Err(format!("{kind} says `{error}`, another engine `{first}`"));
                }
                _ => first = Some(error),
            }
        }
    }
    Ok(())
}

fn not_by_a_rule(error: &dyn std::fmt::Display) -> String {
    format!("refused, but not by a rule: {error}")
}

/// Whether the text of an operator refuses, and in the way that was expected.
fn by_a_rule(error: &xslice::Error, refusal: &Refusal) -> Result<(), String> {
    let kind = error.kind();
    // A file may be too large as well; a rule is an operator's.
    if !kind.is_rule() || error.operator_name().is_none() {
        return Err(not_by_a_rule(error));
    }
    match &refusal.kind {
        Some(expected) if expected != kind.name() && expected != kind.code() => {
            Err(format!("expected {expected}: {error}"))
        }
        _ => Ok(()),
    }
}

fn run(
    call: &Call,
    engine: &mut Engine,
    model: &Model,
) -> Result<Result<Vec<Tensor>, xslice::Error>, String> {
    let kind = engine.kind();
    guard::quietly(|| call.run_all(engine, model))
        .map_err(|panic| format!("{kind}: panic: {panic}"))
}

/// The values in the files of a set, each for its input.
fn read_call(model: &Model, set: &Set, options: &Options) -> Result<Call, Error> {
    let places = places(model, set)?;
    let mut read = Vec::with_capacity(places.len());
    for (&at, path) in places.iter().zip(&set.inputs) {
        let wanted = model.inputs[at].element_type;
        read.push(files::read_tensor(path, wanted, options.max_bytes)?);
    }
    let named = by_name(model, &read, &set.inputs);
    let mut values = vec![None; model.inputs.len()];
    for (at, (_, tensor)) in named.unwrap_or(places).into_iter().zip(read) {
        values[at] = Some(Arc::new(tensor));
    }
    // Files are numbered from 0 without a gap, whatever inputs they are for.
    let advice = format!("input_{}.npy (or .pb) is missing", set.inputs.len());
    Call::bind_or(model, values, options.max_bytes, &advice)
}

/// Which input each file is for, by order: those without a value of their own, or all.
fn places(model: &Model, set: &Set) -> Result<Vec<usize>, Error> {
    let open = |&at: &usize| model.inputs[at].initial.is_none();
    let open: Vec<_> = (0..model.inputs.len()).filter(open).collect();
    let files = set.inputs.len();
    if files > model.inputs.len() {
        let inputs = counted(model.inputs.len(), "input", "inputs");
        let files = counted(files, "input file", "input files");
        let what = format!("{files} for {inputs} of the model");
        return Err(Error::argument(what));
    }
    if files == open.len() {
        return Ok(open);
    }
    Ok((0..files).collect())
}

/// The same by the names in the files, if these name different inputs of the model.
fn by_name(model: &Model, read: &[(String, Tensor)], files: &[PathBuf]) -> Option<Vec<usize>> {
    let mut places = Vec::with_capacity(files.len());
    for (name, _) in read {
        let at = model.input(name)?;
        if places.contains(&at) {
            return None;
        }
        places.push(at);
    }
    Some(places)
}
