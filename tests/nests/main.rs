//! The printed form of plans, compared with text that a person has read; views; what holds of every plan.
//!
//! The nests are the subject: the line of the move is left out, except in `moves`, because how a nest is moved may improve
//! while what it means stays.

#[path = "../suite/cases/mod.rs"]
mod cases;
mod constants;
mod gathers;
mod moves;
mod properties;
mod reshapes;
mod slices;
#[path = "../suite/mod.rs"]
mod suite;
mod views;

use xslice::{Plan, Program, Signature};

/// Golden plans: a name, a program in the notation with its types, the nests.
macro_rules! golden {
    ($($name:ident $text:literal => $nests:literal;)*) => {
        $(#[test]
        fn $name() {
            $crate::compare($text, &$crate::nests(&$crate::compile($text)), $nests);
        })*
    };
}
pub(crate) use golden;

/// The signature of a program that declares all of its operands and has no parameters.
fn declared(program: &Program) -> Signature {
    let declared = program
        .operands()
        .iter()
        .map(|operand| operand.declared.as_ref());
    declared.fold(Signature::new(), |signature, declared| {
        let declared = declared.expect("the text declares its operands");
        let dims = declared
            .shape
            .iter()
            .flatten()
            .map(|dim| dim.expect("a dimension"));
        signature.operand(declared.element_type, &dims.collect::<Vec<_>>())
    })
}

fn parse(text: &str) -> Program {
    Program::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn compile(text: &str) -> Plan {
    let program = parse(text);
    let plan = program.compile(&declared(&program));
    plan.unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The printed form without its moves.
fn nests(plan: &Plan) -> String {
    let printed = plan.to_string();
    let lines = printed.lines().filter(|line| !line.starts_with("  move "));
    lines.map(|line| format!("{line}\n")).collect()
}

#[track_caller]
fn compare(text: &str, printed: &str, wanted: &str) {
    let wanted = wanted.trim_start();
    assert!(
        printed == wanted,
        "{text} prints\n{printed}instead of\n{wanted}"
    );
}

/// How many nests and how many checks.
fn steps(plan: &Plan) -> (usize, usize) {
    let nests = plan.nests().count();
    (nests, plan.checks().count())
}
