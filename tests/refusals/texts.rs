//! What the notation refuses before any shape is known.

use crate::{Refusal, refusal};
use xslice::{ErrorKind as E, Program, Signature};

fn parse(text: &str) -> Result<Program, xslice::Error> {
    Program::parse(text)
}

/// The kind, the text, and the byte at which it is wrong.
#[rustfmt::skip]
const TEXTS: &[(E, &str, usize)] = &[
    (E::Syntax, "", 0),
    (E::Syntax, "x[", 1),
    (E::Syntax, "x[]", 1),
    (E::Syntax, "x[1 2]", 4),
    (E::Syntax, "x[1..3]", 2),
    (E::Syntax, "x |>", 4),
    (E::UnknownOperator, "x |> onnx::Concat@13(axis = 0)", 5),
    (E::UnknownVersion, "x |> onnx::Slice@12(starts = [0], ends = [1])", 17),
    (E::UnknownAttribute, "x |> onnx::Slice@13(starts = [0], ends = [1], stride = [1])", 46),
    (E::MissingAttribute, "x |> onnx::Slice@13(starts = [0])", 5),
    (E::RepeatedAttribute, "x |> onnx::Slice@13(starts = [0], starts = [1], ends = [1])", 34),
    (E::UnknownType, "<float[3]> x[0]", 1),
    (E::UnknownOperand, "<f32[3]> x[@ids]", 12),
    (E::UnusedOperand, "<f32[3], ids: i64[1]> x[0]", 9),
    (E::RepeatedOperand, "<f32[3], ids: i64[1], ids: i64[1]> x[@ids]", 22),
    (E::TooManyIndices, "<f32[3]> x[0, 0]", 14),
    (E::TwoEllipses, "x[..., ...]", 7),
    (E::TwoGathers, "x[[0], [1]]", 7),
    (E::MixedGather, "x[0, :, [1]]", 2),
    (E::BooleanMask, "x[[true, false]]", 2),
    (E::NumberRange, "x[9223372036854775808]", 2),
    (E::RaggedList, "x[[[0, 1], [2]]]", 11),
    (E::ResultType, "<f32[3]> x[0:2] -> f32[3]", 19),
    (E::StepZero, "x[::0]", 4),
];

/// One line for each kind.
pub fn table() -> Vec<Refusal> {
    let deep = format!("x[{}0{}]", "[".repeat(40), "]".repeat(40));
    let mut all = vec![taken(refusal(
        "a list nested 40 deep",
        parse(&deep),
        E::TooDeep,
        FREE,
    ))];
    for &(kind, text, _) in TEXTS {
        let refused = parse(text).and_then(|program| {
            // What needs a shape is refused by the declared one.
            let declared = program
                .operands()
                .iter()
                .map(|operand| operand.declared.clone());
            let signature = declared
                .flatten()
                .fold(Signature::new(), |signature, declared| {
                    let dims = declared.shape.unwrap_or_default();
                    let dims: Vec<_> = dims.into_iter().flatten().collect();
                    signature.operand(declared.element_type, &dims)
                });
            program.compile(&signature).map(|_| program)
        });
        all.push(taken(refusal(text, refused, kind, FREE)));
    }
    all
}

const FREE: [&str; 4] = ["-"; 4];

/// The facts of a text's refusal are free: what counts here are kind, words and place.
fn taken(mut refusal: Refusal) -> Refusal {
    let error = &refusal.error;
    let facts = [
        error.operator_name(),
        error.parameter_name(),
        error.offending_value(),
        error.allowed_range(),
    ];
    refusal.facts = facts.map(|fact| match fact {
        Some(fact) => fact.to_string().leak(),
        None => "-",
    });
    refusal
}

#[test]
fn a_text_is_refused_at_its_wrong_token() {
    let mut wrong = Vec::new();
    for &(kind, text, at) in TEXTS {
        let Err(error) = parse(text) else { continue };
        if (error.kind(), error.text_position()) != (kind, Some(at)) {
            wrong.push(format!("{text}: wanted {kind:?} at {at}: {error:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
