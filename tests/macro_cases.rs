//! The case table and random cases through the macro: every invocation gives the bits that the oracle says, or refuses with the words
//! of the interpreter.
//!
//! The invocations are in `macro/generated.rs`, which a test writes and compares: `XSLICE_BLESS=1 cargo test --test macro_cases`
//! brings it up to date.

#[path = "macro/call.rs"]
mod call;
#[path = "suite/cases/mod.rs"]
mod cases;
#[path = "macro/generated.rs"]
#[rustfmt::skip]
mod generated;
#[path = "macro/notation.rs"]
mod notation;
#[path = "macro/random.rs"]
mod random;
#[path = "suite/mod.rs"]
mod suite;
#[path = "macro/write.rs"]
mod write;

use call::Call;
use std::path::Path;
use suite::from_naive;

#[test]
fn generated_invocations_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/macro/generated.rs");
    let wanted = write::source();
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    if std::env::var_os("XSLICE_BLESS").is_some() {
        std::fs::write(&path, &wanted).expect("the file can be written");
    } else {
        assert!(
            found == wanted,
            "run the test again with XSLICE_BLESS=1, and look at the difference"
        );
    }
}

#[test]
fn the_macro_gives_what_the_oracle_says() {
    let (mut given, mut refused) = (0, 0);
    assert_eq!(
        write::CASES.len(),
        generated::CALLS.len(),
        "the generated invocations are out of date"
    );
    for ((case, text), run) in write::CASES.iter().zip(generated::CALLS) {
        let expected = case.expected().ok().map(|tensor| from_naive(&tensor));
        let call = Call {
            case,
            expected: expected.as_ref(),
        };
        match (run(&call), &expected) {
            (Ok(()), Some(_)) => given += 1,
            (Err(error), None) => {
                let by_interpreter = interpreter(case, text).expect_err("the oracle refuses");
                assert_eq!(error, by_interpreter, "{}: {text}", case.name);
                refused += 1;
            }
            (Ok(()), None) => panic!("{}: the macro computes {text}", case.name),
            (Err(error), Some(_)) => panic!("{}: {text}: {error}", case.name),
        }
    }
    println!("{given} invocations give values, {refused} are refused");
    assert!(given > 450 && refused > 10, "{given} and {refused}");
}

fn interpreter(case: &cases::describe::Case, text: &str) -> Result<(), xslice::Error> {
    let program = xslice::Program::parse(text)?;
    let operands: Vec<_> = case.operands.iter().map(|(_, tensor)| tensor).collect();
    let signature = suite::signature(&program, &operands);
    suite::run(suite::ENGINES[0].1, &program, &signature, &operands).map(|_| ())
}
