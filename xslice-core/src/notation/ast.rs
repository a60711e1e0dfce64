//! What a text says, before any rule: the shape of the grammar, with a span on every part.
//!
//! A part that did not parse is absent, or marked `broken`, and its refusal is recorded; what stands beside it is still checked. Nesting
//! is bounded by the parser, so every walk over the tree may recurse.

use super::{Span, words};
use crate::elem::ElementType;
use alloc::{boxed::Box, string::String, vec::Vec};
use core::fmt;

/// `[types] source {"|>" stage} ["->" type]`
#[derive(Debug)]
pub(super) struct Text {
    pub types: Option<Types>,
    pub chain: Chain,
    pub result: Option<Type>,
}

/// `<f32[2, 3], ids: i64[4]>`; a type that did not parse is absent.
#[derive(Debug)]
pub(super) struct Types {
    pub data: Option<Type>,
    pub operands: Vec<(Name, Option<Type>)>,
}

/// `f32[2, 3]`; without brackets `shape` is absent.
#[derive(Debug)]
pub(super) struct Type {
    pub element: ElementType,
    pub shape: Option<Vec<usize>>,
    pub span: Span,
}

/// A name.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub text: String,
    pub span: Span,
}

/// An integer.
#[derive(Clone, Debug)]
pub(super) struct Integer {
    pub value: i64,
    pub span: Span,
}

/// A float, as text that `str::parse` reads: its type is not known yet.
#[derive(Debug)]
pub(super) struct Float {
    pub text: String,
    pub span: Span,
}

/// A source and what is applied to it, of the whole text or of computed indices.
#[derive(Debug)]
pub(super) struct Chain {
    pub source: Source,
    pub stages: Vec<Stage>,
}

/// Where a chain starts. The macro gives a place or an expression as one name, so that an operand is always a name.
#[derive(Debug)]
pub(super) enum Source {
    Operand(Name),
    Generator(Operator),
}

#[derive(Debug)]
pub(super) enum Stage {
    Bracket(Bracket),
    Operator(Operator),
}

/// `[1:, ..., @ids]`
#[derive(Debug)]
pub(super) struct Bracket {
    /// In their places; one that did not parse is absent.
    pub entries: Vec<Option<Entry>>,
    pub broken: bool,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub kind: EntryKind,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum EntryKind {
    Integer(i64),
    Slice {
        start: Option<Integer>,
        end: Option<Integer>,
        step: Option<Integer>,
    },
    Ellipsis,
    NewAxis,
    List(List),
    Tensor(Tensor),
}

/// `[[0, 1], [2, 3]]`
#[derive(Debug)]
pub(super) struct List {
    pub elements: Vec<Element>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum Element {
    Integer(Integer),
    List(List),
}

impl Element {
    pub(super) fn span(&self) -> &Span {
        match self {
            Self::Integer(integer) => &integer.span,
            Self::List(list) => &list.span,
        }
    }
}

/// What stands after `@`.
#[derive(Debug)]
pub(super) enum Tensor {
    Operand(Name),
    Computed(Computed),
}

/// `@(<i64> ids[0] |> ...)`
#[derive(Debug)]
pub(super) struct Computed {
    pub element: Option<(ElementType, Span)>,
    pub chain: Box<Chain>,
}

/// `onnx::Slice@13(starts = [0], ends = [8])`
#[derive(Debug)]
pub(super) struct Operator {
    pub path: Name,
    pub version: (u32, Span),
    pub arguments: Vec<Argument>,
    pub broken: bool,
    /// Path and version.
    pub head: Span,
}

/// What refusals call an operator of that path, and of that version if it is known: `onnx::Slice@13`.
pub(super) struct Label<'t>(pub &'t str, pub Option<u32>);

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&words::cut(self.0))?;
        self.1.map_or(Ok(()), |version| write!(f, "@{version}"))
    }
}

#[derive(Debug)]
pub(super) struct Argument {
    pub name: Name,
    pub value: Value,
    /// Of the value.
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum Value {
    Integer(Integer),
    Float(Float),
    List(List),
    Tensor(Tensor),
    Name(Name),
}

impl Stage {
    /// The run-time tensors that the stage names itself, in the order of the text.
    pub(super) fn tensors(&self) -> Vec<&Tensor> {
        match self {
            Self::Bracket(bracket) => bracket
                .entries
                .iter()
                .flatten()
                .filter_map(|entry| match &entry.kind {
                    EntryKind::Tensor(tensor) => Some(tensor),
                    EntryKind::Integer(_) | EntryKind::Slice { .. } | EntryKind::Ellipsis => None,
                    EntryKind::NewAxis | EntryKind::List(_) => None,
                })
                .collect(),
            Self::Operator(operator) => operator.tensors().collect(),
        }
    }
}

impl Operator {
    /// What refusals call it.
    pub(super) fn label(&self) -> Label<'_> {
        Label(&self.path.text, Some(self.version.0))
    }

    /// The run-time tensors among the arguments, in the order of the text.
    pub(super) fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        self.arguments
            .iter()
            .filter_map(|argument| match &argument.value {
                Value::Tensor(tensor) => Some(tensor),
                Value::Integer(_) | Value::Float(_) | Value::List(_) | Value::Name(_) => None,
            })
    }
}
