//! Where a refusal of the core stands in a text: as near to the offender as the tree goes.

use super::Span;
use super::ast::{Bracket, EntryKind, Operator, Value};
use super::operator::element_span;
use crate::error::{Error, ErrorKind};

/// Where the operator of a value stands.
pub(super) enum Place<'t> {
    Bracket(&'t Bracket),
    Operator(&'t Operator),
}

impl Place<'_> {
    /// The span of what a refusal is about.
    pub(super) fn locate(&self, error: &Error) -> Span {
        match self {
            Self::Bracket(bracket) => in_bracket(bracket, error),
            Self::Operator(operator) => in_operator(operator, error),
        }
    }
}

/// The element of a list, the entry, or the whole bracket.
fn in_bracket(bracket: &Bracket, error: &Error) -> Span {
    let gather = bracket
        .entries
        .iter()
        .flatten()
        .find(|entry| matches!(entry.kind, EntryKind::List(_) | EntryKind::Tensor(_)));
    let position = error.offender_position();
    match (error.parameter_name(), gather) {
        (Some("indices"), Some(entry)) => match (&entry.kind, position) {
            (EntryKind::List(list), Some(at)) => element_span(list, at),
            _ => entry.span.clone(),
        },
        _ => position
            .and_then(|at| bracket.entries.get(at)?.as_ref())
            .map_or(&bracket.span, |entry| &entry.span)
            .clone(),
    }
}

/// The element of a list, the argument, the version, or the operator's name.
fn in_operator(operator: &Operator, error: &Error) -> Span {
    if error.kind() == ErrorKind::UnknownVersion {
        return operator.version.1.clone();
    }
    let mut arguments = operator.arguments.iter();
    let Some(argument) =
        arguments.find(|argument| error.parameter_name() == Some(&argument.name.text))
    else {
        return operator.head.clone();
    };
    match (&argument.value, error.offender_position()) {
        _ if error.kind() == ErrorKind::UnknownAttribute => argument.name.span.clone(),
        (Value::List(list), Some(position)) => element_span(list, position),
        _ => argument.span.clone(),
    }
}
