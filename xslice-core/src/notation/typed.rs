//! From tokens that declare every type to a plan: what a macro needs, with every refusal at its tokens.
//!
//! A plan is made where every front door has it made, in [`Program::compile`]; a refusal from there names an operator and a parameter, and
//! is given its tokens here: the operator is the first one whose own result cannot be compiled.

use super::ast::{Operator, Source, Text, Type, Value};
use super::build::{self, Built};
use super::cursor::Reader;
use super::place::Place;
use super::{Diagnostic, Span, Token, cursor, parse, words};
use crate::emit::STACK;
use crate::error::{Error, ErrorKind};
use crate::op::OpKind;
use crate::plan::Plan;
use crate::program::Program;
use crate::signature::Signature;
use alloc::{collections::BTreeSet, format, string::ToString, vec, vec::Vec};

/// A program whose operands are all declared, and its plan.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program; the shape of every operand is known.
    pub program: Program,
    /// The plan for the declared types.
    pub plan: Plan,
}

/// The plan of tokens that declare every operand in `<...>`; results of more than `max_bytes` are refused.
///
/// ```
/// use xslice_core::notation::{self, Token, TokenKind};
/// let name = Token { kind: TokenKind::Ident("x".into()), span: 0..1 };
/// let refusals = notation::compile(&[name], usize::MAX).unwrap_err();
/// assert!(refusals[0].error.to_string().starts_with("the operands have no types"));
/// ```
///
/// # Errors
/// At least one refusal, in the order of the tokens: those of [`super::from_tokens`], else the first that needs shapes.
pub fn compile(tokens: &[Token<'_>], max_bytes: usize) -> Result<Compiled, Vec<Diagnostic>> {
    let (text, mut diagnostics) = parse::text(tokens, Reader::Macro);
    let Some(text) = text else {
        return Err(super::sorted(diagnostics));
    };
    if text.types.is_none() {
        diagnostics.push(untyped(tokens));
    }
    let Some(built) = build::program(&text, Reader::Macro, &mut diagnostics) else {
        return Err(super::sorted(diagnostics));
    };
    diagnostics.extend(run_time_parameters(&built));
    if !diagnostics.is_empty() {
        return Err(super::sorted(diagnostics));
    }
    let signature = signature(&built.program).limit(max_bytes);
    let signature = signature.temporaries(STACK);
    match built.program.compile(&signature) {
        Ok(plan) => Ok(Compiled {
            program: built.program,
            plan,
        }),
        Err(error) => {
            let span = locate(&text, &built, &signature, &error);
            Err(vec![Diagnostic { error, span }])
        }
    }
}

/// Whether a path names an operator without data, such as `onnx::Range`.
#[must_use]
pub fn is_generator(path: &str) -> bool {
    OpKind::from_name(path).is_some_and(OpKind::is_generator)
}

fn untyped(tokens: &[Token<'_>]) -> Diagnostic {
    let error = cursor::syntax("the operands have no types")
        .allowed("`<...>` in front")
        .hint("declare them: `<f32[2, 3]> x[1:]`; a shape that is known only at run time goes through `Jit`");
    Diagnostic {
        error,
        span: tokens.first().map_or(0..0, |token| token.span.clone()),
    }
}

/// The types and shapes that the program declares.
fn signature(program: &Program) -> Signature {
    let declared = program.operands().iter().filter_map(|operand| {
        let declared = operand.declared.as_ref()?;
        let dims = declared.shape.iter().flatten();
        Some((declared.element_type, dims.filter_map(|dim| *dim).collect()))
    });
    declared.fold(
        Signature::new(),
        |signature, (ty, dims): (_, Vec<usize>)| signature.operand(ty, &dims),
    )
}

/// Refuses parameters whose values arrive with the call: they decide shapes.
fn run_time_parameters(built: &Built<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for (_, place) in &built.places {
        let Place::Operator(operator) = place else {
            continue;
        };
        if OpKind::from_name(&operator.path.text) != Some(OpKind::OnnxGather) {
            diagnostics.extend(run_time_arguments(operator));
        }
    }
    diagnostics
}

fn run_time_arguments(operator: &Operator) -> impl Iterator<Item = Diagnostic> {
    operator.arguments.iter().filter_map(|argument| {
        let Value::Tensor(tensor) = &argument.value else {
            return None;
        };
        let mut names = BTreeSet::new();
        build::mentioned_by(tensor, &mut names);
        let operand = words::cut(names.first()?);
        let name = words::cut(&argument.name.text);
        let error = Error::new(
            ErrorKind::OperandValue,
            format!("`{name}` is known only at run time"),
        )
        .operator(operator.label().to_string())
        .parameter(name)
        .value(format!("@{operand}"))
        .allowed("constants")
        .hint("its value decides the shape of the result: compile at run time, with `Jit`");
        Some(Diagnostic {
            error,
            span: argument.span.clone(),
        })
    })
}

/// The tokens that a refusal of the compiler is about.
fn locate(text: &Text, built: &Built<'_>, signature: &Signature, error: &Error) -> Span {
    // First: an operand may be called `result` too.
    if error.kind() == ErrorKind::ResultType
        && let Some(result) = &text.result
    {
        return result.span.clone();
    }
    let refused = built.places.iter().find(|(value, _)| {
        let prefix = built.graph.finish(*value);
        prefix.is_ok_and(|prefix| prefix.compile(signature).is_err())
    });
    if let Some((_, place)) = refused
        && declared_span(text, error).is_none()
    {
        return place.locate(error);
    }
    declared_span(text, error).unwrap_or_else(|| match &text.chain.source {
        Source::Operand(name) => name.span.clone(),
        Source::Generator(operator) => operator.head.clone(),
    })
}

/// The type of the operand that an error of its declaration names.
fn declared_span(text: &Text, error: &Error) -> Option<Span> {
    if error.operator_name().is_some() {
        return None;
    }
    let name = error.parameter_name()?;
    let types = text.types.as_ref()?;
    let data = match &text.chain.source {
        Source::Operand(source) => Some((source.text.as_str(), types.data.as_ref())),
        Source::Generator(_) => None,
    };
    let others = types
        .operands
        .iter()
        .map(|(name, ty)| (name.text.as_str(), ty.as_ref()));
    let found: Option<&Type> = data
        .into_iter()
        .chain(others)
        .find(|(known, _)| *known == name)?
        .1;
    found.map(|ty| ty.span.clone())
}
