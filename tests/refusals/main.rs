//! Refusals: which kind, in which words, and the same from every engine and front door.
//!
//! A table names for each refusal its kind, the operator and parameter that it speaks of, the offending value and what
//! is allowed. The kinds that a text alone can reach are in `texts`, those of a call in `calls`, of sizes in `sizes`; `order`
//! is about several faults in one program. Together they reach every kind there is.

mod calls;
#[path = "../suite/cases/mod.rs"]
mod cases;
mod operators;
mod order;
mod sizes;
#[path = "../suite/mod.rs"]
mod suite;
mod texts;

use std::collections::BTreeSet;
use xslice::{Error, ErrorKind};

/// A refusal, and what it must say.
struct Refusal {
    name: &'static str,
    error: Error,
    kind: ErrorKind,
    /// Operator, parameter, offending value, allowed range; `-` where there is none.
    facts: [&'static str; 4],
}

/// A line of a table.
#[track_caller]
fn refusal<T>(
    name: &'static str,
    refused: Result<T, Error>,
    kind: ErrorKind,
    facts: [&'static str; 4],
) -> Refusal {
    let Err(error) = refused else {
        panic!("{name}: not refused")
    };
    Refusal {
        name,
        error,
        kind,
        facts,
    }
}

impl Refusal {
    /// What is not as it must be.
    fn fault(&self) -> Option<String> {
        let Self {
            name, error, facts, ..
        } = self;
        let said = [
            error.operator_name(),
            error.parameter_name(),
            error.offending_value(),
            error.allowed_range(),
        ];
        reads_well(error);
        let said = said.map(|fact| fact.unwrap_or("-"));
        let (kind, wanted) = (error.kind(), self.kind);
        let wrong = kind != wanted || said != *facts;
        wrong.then(|| format!("{name}: {kind:?} {said:?}, wanted {wanted:?} {facts:?}: {error}"))
    }
}

/// One line that a user can read: no capital at the start, no trace of Rust's debug form, the code at the end.
#[track_caller]
fn reads_well(error: &Error) {
    let text = error.to_string();
    assert!(!text.contains(['\n', '\r', '\t']), "{text}");
    assert!(text.len() < 400, "{} bytes: {text}", text.len());
    assert!(!text.starts_with(char::is_uppercase), "{text}");
    assert!(
        !text.contains("  ") && !text.contains(": :") && !text.contains("``"),
        "{text}"
    );
    for noise in [
        "Some(",
        "None",
        "Err(",
        "Ok(",
        "Facts",
        "ElementType::",
        "::core",
        "kind:",
    ] {
        assert!(!text.contains(noise), "{text}");
    }
    let end = format!(" [{} {}]", error.kind().code(), error.kind().name());
    assert!(text.ends_with(&end), "{text}");
    if let Some(operator) = error.operator_name() {
        assert!(text.starts_with(&format!("{operator}: ")), "{text}");
    }
    if let Some(allowed) = error.allowed_range() {
        assert!(text.contains(&format!("(allowed: {allowed})")), "{text}");
    }
}

fn every_table() -> Vec<Refusal> {
    let mut all = operators::parameters();
    all.extend(operators::rules());
    all.extend(operators::brackets());
    all.extend(operators::ranges_and_reshapes());
    all.extend(operators::graphs());
    all.extend(sizes::table());
    all.extend(calls::signatures());
    all.extend(calls::buffers());
    all.extend(texts::table());
    all
}

#[test]
fn every_refusal_says_who_what_and_what_is_allowed() {
    let all = every_table();
    let faults: Vec<_> = all.iter().filter_map(Refusal::fault).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    println!("{} refusals", all.len());
    assert!(all.len() > 120, "{}", all.len());
}

#[test]
fn every_kind_is_reached() {
    let reached: BTreeSet<_> = every_table()
        .iter()
        .map(|r| r.error.kind().name())
        .collect();
    // What is internal, nothing reaches.
    let kinds = ErrorKind::ALL.iter();
    let kinds = kinds.filter(|kind| **kind != ErrorKind::Internal);
    let missing: Vec<_> = kinds.map(|kind| kind.name()).collect();
    let missing: Vec<_> = missing
        .into_iter()
        .filter(|name| !reached.contains(name))
        .collect();
    assert!(missing.is_empty(), "no refusal of {missing:?}");
}

#[test]
fn codes_and_names_are_different_and_in_order() {
    let codes: Vec<_> = ErrorKind::ALL.iter().map(|kind| kind.code()).collect();
    assert!(codes.is_sorted() && codes.len() > 40);
    let names: BTreeSet<_> = ErrorKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(names.len(), codes.len());
    let unique: BTreeSet<_> = codes.iter().collect();
    assert_eq!(unique.len(), codes.len());
}

#[test]
fn a_name_with_line_breaks_does_not_break_the_line() {
    let error = Error::new(ErrorKind::StepZero, "`a\nb\r\nc` = 0").node("n\n`1");
    let text = error.to_string();
    assert!(!text.contains(['\n', '\r']), "{text:?}");
    assert!(text.ends_with("[E201 step-zero]"), "{text:?}");
}
