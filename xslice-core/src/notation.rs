//! The notation: from `x[1:, ..., @ids]` to a [`Program`].
//!
//! ```text
//! text -> tokens     Rust's tokens, each with its span                        token.rs, number.rs
//!      -> tree       the grammar; several refusals at once                    cursor.rs, parse.rs, bracket.rs
//!      -> program    names, types, attributes, the rules of a bracket         build.rs, argument.rs, operator.rs
//!      -> plan       for tokens that declare every type                       typed.rs, place.rs
//! ```
//!
//! There is one parser. It reads [`Token`]s only, so that a macro, whose tokens come from the compiler, is understood and refused
//! exactly as a text is: a text counts spans in bytes, a macro in whatever it can map back to its tokens. What an
//! operator *means* is not decided here, and neither is what needs a shape: both come after the program, in `resolve`.
//!
//! The way back is in `print.rs`: a program prints (all of it with `{:#}`) as a text that gives the same program.

mod argument;
mod ast;
mod bracket;
mod build;
mod cursor;
mod number;
mod operator;
mod parse;
mod place;
mod print;
mod token;
mod typed;
mod words;

pub use token::{Delimiter, Token, TokenKind};
pub use typed::{Compiled, compile, is_generator};

use crate::error::{Error, ErrorKind};
use crate::program::Program;
use alloc::{string::ToString, vec::Vec};
use core::fmt::Display;

/// Where something stands: bytes of a text, or what the maker of the tokens counts in.
pub type Span = core::ops::Range<usize>;

/// One refusal and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong.
    pub error: Error,
    /// The offending tokens, from the start of the first to the end of the last.
    pub span: Span,
}

/// The program of a text, or everything that is wrong with it, in source order.
///
/// ```
/// use xslice_core::notation;
/// let refusals = notation::diagnose("x[0..3, 1.5]").unwrap_err();
/// assert_eq!(refusals.len(), 2);
/// assert_eq!(refusals[0].span, 2..6);
/// assert_eq!(refusals[1].span, 8..11);
/// ```
///
/// # Errors
/// At least one refusal; [`Program::parse`] gives the first.
pub fn diagnose(text: &str) -> Result<Program, Vec<Diagnostic>> {
    from_tokens(&token::lex(text))
}

/// The program of a text that is already cut into tokens: what a macro calls.
///
/// ```
/// use xslice_core::{Index, Entry, Program};
/// use xslice_core::notation::{self, Delimiter, Token, TokenKind};
/// let kinds = [
///     TokenKind::Ident("x".into()),
///     TokenKind::Open(Delimiter::Bracket),
///     TokenKind::literal("7"),
///     TokenKind::Close(Delimiter::Bracket),
/// ];
/// let tokens: Vec<_> = kinds.into_iter().zip(0..).map(|(kind, at)| Token { kind, span: at..at + 1 }).collect();
/// let program = notation::from_tokens(&tokens).unwrap();
/// assert_eq!(program, Program::chain("x").then(Index::new([Entry::Integer(7)])).build()?);
/// # Ok::<(), xslice_core::Error>(())
/// ```
///
/// # Errors
/// At least one refusal, in the order of the tokens.
pub fn from_tokens(tokens: &[Token<'_>]) -> Result<Program, Vec<Diagnostic>> {
    let (text, mut diagnostics) = parse::text(tokens, cursor::Reader::Text);
    let program = text.and_then(|text| {
        Some(build::program(&text, cursor::Reader::Text, &mut diagnostics)?.program)
    });
    match program {
        Some(program) if diagnostics.is_empty() => Ok(program),
        _ => Err(sorted(diagnostics)),
    }
}

/// Gives refusals the name of the operator in which they were made. One that was made in an operator inside of it has its name already.
fn name_operator(refused: &mut [Diagnostic], label: &dyn Display) {
    for Diagnostic { error, .. } in refused {
        if error.operator_name().is_none() {
            *error = error.clone().operator(label.to_string());
        }
    }
}

/// Gives refusals the name of the parameter in which they were made, but none that has an operator inside of it.
fn name_parameter(refused: &mut [Diagnostic], name: &str) {
    for Diagnostic { error, .. } in refused {
        if error.operator_name().is_none() {
            *error = error.clone().of_parameter(words::cut(name));
        }
    }
}

fn sorted(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    diagnostics
}

impl Program {
    /// The program that a text in the notation means.
    ///
    /// In brackets stand integers (which drop their axis), slices as in Python, `...`, `newaxis`, one gather by a list or by a run-time
    /// operand `@name`. Brackets chain; `|>` pipes into an operator by its own name and version, with the attribute names of
    /// its text.
    ///
    /// ```
    /// use xslice_core::{Gather, Program, Slice};
    /// let program = Program::parse("x |> onnx::Slice@13(starts = [0], ends = [8]) |> onnx::Gather@13(indices = @ids, axis = 1)")?;
    /// let built = Program::chain("x")
    ///     .then(Slice::onnx(13).starts([0]).ends([8]))
    ///     .then(Gather::onnx(13).indices("ids").axis(1))
    ///     .build()?;
    /// assert_eq!(program, built);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    ///
    /// Operands are the data, then what `@` names, in order of first appearance; their types and shapes come with the signature.
    /// Where the text opens with `<...>`, it declares them all, in that order:
    ///
    /// ```
    /// use xslice_core::{ElementType, Program};
    /// let program = Program::parse("<f32[30522, 768], ids: i64[8, 128]> table[@ids, :384] -> f32[8, 128, 384]")?;
    /// assert_eq!(program.operands()[1].name, "ids");
    /// let declared = program.operands()[1].declared.as_ref().unwrap();
    /// assert_eq!(declared.element_type, ElementType::I64);
    /// assert_eq!(declared.shape, Some(vec![Some(8), Some(128)]));
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    ///
    /// A Range has no data; the type stands before it. Indices may be computed:
    ///
    /// ```
    /// use xslice_core::Program;
    /// Program::parse("<f32> onnx::Range@11(start = 0, limit = 1, delta = 0.25)")?;
    /// Program::parse("table[@(ids[:, 1:] |> onnx::Slice@13(starts = [0], ends = [4]))]")?;
    /// Program::parse("x[:, @(<i64> onnx::Range@11(start = 0, limit = 64, delta = 2))]")?;
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first refusal in the order of the text, with its place there ([`Error::text_position`]); [`diagnose`] gives all.
    /// Kinds: those of codes `E1..`, and the rules of the operators that constants break without any shape.
    ///
    /// ```
    /// use xslice_core::{ErrorKind, Program};
    /// let error = Program::parse("x[0, :, [0, 2]]").unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::MixedGather);
    /// assert_eq!((error.text_position(), error.column_number()), (Some(2), Some(3)));
    /// assert!(error.hint_text().unwrap().contains("x[0][:, [0, 2]]"));
    /// ```
    pub fn parse(text: &str) -> Result<Self, Error> {
        diagnose(text).map_err(|diagnostics| match diagnostics.into_iter().next() {
            Some(first) => first.error.in_text(text, first.span.start),
            None => Error::new(ErrorKind::Syntax, "the text does not parse"),
        })
    }
}
