//! The entry functions of the fuzzers on a seeded loop, without a fuzzer: what is known to be hostile, then mutations of what is
//! known to be good.
//!
//! `XSLICE_FUZZ_SECONDS=60` gives each entry that long (a second where it is not set), `XSLICE_FUZZ_SEED` begins elsewhere. An input that
//! fails is written to a file, whose name is printed; it belongs into `tests/fuzz/found/ENTRY/` from then on. The long form is `fuzz/` with
//! `cargo fuzz`.

mod entries;
mod mutate;
mod seeds;

#[path = "../random/agree.rs"]
mod agree;
#[path = "../random/call.rs"]
mod call;
#[path = "../suite/cases/mod.rs"]
mod cases;
#[path = "../random/operators.rs"]
mod operators;
#[path = "../random/program.rs"]
mod program;
#[path = "../suite/mod.rs"]
mod suite;

use mutate::mutated;
use std::path::Path;
use std::time::{Duration, Instant};
use suite::rng::Rng;

/// An input on trial: kept as a file if it fails.
struct Trial<'a> {
    entry: &'a str,
    input: &'a [u8],
    passed: bool,
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        if !self.passed {
            let path =
                Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("failed-{}", self.entry));
            let kept = std::fs::write(&path, self.input);
            eprintln!(
                "the input of {} that failed: {} ({kept:?})",
                self.entry,
                path.display()
            );
        }
    }
}

fn try_one(entry: &str, run: fn(&[u8]), input: &[u8]) {
    let mut trial = Trial {
        entry,
        input,
        passed: false,
    };
    run(trial.input);
    trial.passed = true;
}

fn number(variable: &str, otherwise: u64) -> u64 {
    let text = std::env::var(variable).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn fuzz(entry: &str, run: fn(&[u8]), seeds: Vec<Vec<u8>>) {
    let found = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fuzz/found")
        .join(entry);
    for file in std::fs::read_dir(found).into_iter().flatten().flatten() {
        let input = std::fs::read(file.path()).expect("a readable file");
        try_one(entry, run, &input);
    }
    seeds.iter().for_each(|seed| try_one(entry, run, seed));
    let time = Duration::from_secs(number("XSLICE_FUZZ_SECONDS", 1));
    let (start, first) = (Instant::now(), number("XSLICE_FUZZ_SEED", 0));
    let mut count = 0;
    while start.elapsed() < time {
        let input = mutated(&mut Rng::new(first + count), &seeds);
        try_one(entry, run, &input);
        count += 1;
    }
    println!("{entry}: {} seeds, {count} mutations", seeds.len());
}

#[test]
fn programs_agree_with_the_oracle() {
    fuzz("programs", entries::programs, seeds::programs());
}

#[test]
fn notation_is_parsed_or_refused() {
    fuzz("notation", entries::notation, seeds::notation());
}

#[test]
fn onnx_models_run_or_are_refused() {
    fuzz("onnx", entries::onnx, seeds::models("onnx"));
}

#[test]
fn openvino_models_run_or_are_refused() {
    fuzz("openvino", entries::openvino, seeds::models("xml"));
}

#[test]
fn tensor_files_are_read_or_refused() {
    fuzz("tensors", entries::tensors, seeds::tensors());
}
