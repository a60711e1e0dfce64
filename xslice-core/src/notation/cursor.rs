//! The parser's place in the tokens: looking ahead, stepping, refusing, and going on after a refusal.
//!
//! Delimiters are matched before anything is parsed, so that the parser skips a group in a single step, and after a refusal goes on at the
//! next comma of the group it is in: no token is skipped twice. It recurses into groups only, and no deeper than [`DEEPEST`].
//!
//! Who refuses is said where it is known: what parses an operator, a bracket or an argument gives its name to every refusal made inside.

use super::{Delimiter, Diagnostic, Span, Token, TokenKind};
use crate::error::{Error, ErrorKind};
use crate::op::text::DEEPEST;
use alloc::{format, string::String, vec, vec::Vec};
use core::fmt::Display;

/// Who reads a refusal: its hints differ, its rules do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// The writer of a text for run time.
    Text,
    /// The writer of a macro, who knows every shape.
    Macro,
}

/// The parser of one text.
pub(super) struct Parser<'t, 'a> {
    pub(super) reader: Reader,
    tokens: &'t [Token<'a>],
    /// For each opening delimiter the token that closes it.
    partner: Vec<usize>,
    pub(super) at: usize,
    /// Groups that are open here.
    depth: usize,
    /// Elements read so far of the list that is being read.
    pub(super) elements: usize,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// What stood in a group, an item that was refused being absent in its place, and whether any part was.
pub(super) struct Group<T> {
    pub items: Vec<Option<T>>,
    pub broken: bool,
    pub span: Span,
}

impl<'t, 'a> Parser<'t, 'a> {
    /// # Errors
    /// Delimiters that do not match.
    pub(super) fn new(tokens: &'t [Token<'a>], reader: Reader) -> Result<Self, Diagnostic> {
        Ok(Self {
            reader,
            tokens,
            partner: partners(tokens)?,
            at: 0,
            depth: 0,
            elements: 0,
            diagnostics: Vec::new(),
        })
    }

    pub(super) fn peek(&self) -> Option<&'t TokenKind<'a>> {
        self.look(0)
    }

    /// The token that many places ahead.
    pub(super) fn look(&self, ahead: usize) -> Option<&'t TokenKind<'a>> {
        self.tokens.get(self.at + ahead).map(|token| &token.kind)
    }

    pub(super) fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(super) fn is(&self, char: char) -> bool {
        self.peek().is_some_and(|token| token.is_punct(char))
    }

    pub(super) fn looks(&self, ahead: usize, char: char) -> bool {
        self.look(ahead).is_some_and(|token| token.is_punct(char))
    }

    /// Whether the next two are these, without a space between.
    pub(super) fn is_pair(&self, first: char, second: char) -> bool {
        self.peek().is_some_and(|token| token.is_joint(first)) && self.looks(1, second)
    }

    pub(super) fn is_open(&self, delimiter: Delimiter) -> bool {
        self.peek() == Some(&TokenKind::Open(delimiter))
    }

    pub(super) fn is_close(&self) -> bool {
        matches!(self.peek(), Some(TokenKind::Close(_)))
    }

    pub(super) fn advance(&mut self, tokens: usize) {
        self.at = self.tokens.len().min(self.at + tokens);
    }

    /// Steps over that punctuation, if it is next.
    pub(super) fn eat(&mut self, char: char) -> bool {
        let found = self.is(char);
        self.advance(usize::from(found));
        found
    }

    /// Whether the group that opens here holds no token.
    pub(super) fn opens_empty(&self) -> bool {
        self.group_end() == Some(self.at + 1)
    }

    /// The span of the next token; at the end, the empty one after the last.
    pub(super) fn here(&self) -> Span {
        match (self.tokens.get(self.at), self.tokens.last()) {
            (Some(token), _) => token.span.clone(),
            (None, Some(last)) => last.span.end..last.span.end,
            (None, None) => 0..0,
        }
    }

    /// The span from token `start` to the last one stepped over; the next token's if none was.
    pub(super) fn since(&self, start: usize) -> Span {
        match self.at.checked_sub(1) {
            Some(last) if last >= start => {
                self.tokens[start].span.start..self.tokens[last].span.end
            }
            _ => self.here(),
        }
    }

    /// The span of the next `count` tokens.
    pub(super) fn ahead(&self, count: usize) -> Span {
        let here = self.here();
        let last = (self.at + count).min(self.tokens.len()).checked_sub(1);
        match last {
            Some(last) if last >= self.at => here.start..self.tokens[last].span.end,
            _ => here,
        }
    }

    /// The next token, or the end, as a refusal shows it.
    pub(super) fn shown(&self) -> String {
        match self.peek() {
            Some(token) => format!("`{token}`"),
            None => String::from("end"),
        }
    }

    /// Records a refusal. Returns `None` so that a caller can leave with it.
    pub(super) fn refuse<T>(&mut self, span: Span, error: Error) -> Option<T> {
        self.diagnostics.push(Diagnostic { error, span });
        None
    }

    /// Refuses the next token as bad syntax.
    pub(super) fn refuse_here<T>(&mut self, error: Error) -> Option<T> {
        self.refuse(self.here(), error)
    }

    /// What `inside` parses, its refusals in the name of that operator.
    pub(super) fn in_operator<T>(
        &mut self,
        label: &dyn Display,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let first = self.diagnostics.len();
        let parsed = inside(self);
        super::name_operator(&mut self.diagnostics[first..], label);
        parsed
    }

    /// What `inside` parses, its refusals about that parameter.
    pub(super) fn in_parameter<T>(&mut self, name: &str, inside: impl FnOnce(&mut Self) -> T) -> T {
        let first = self.diagnostics.len();
        let parsed = inside(self);
        super::name_parameter(&mut self.diagnostics[first..], name);
        parsed
    }

    /// What `inside` parses, its refusals at that element or entry. Those of an operator inside, or of the indices of an entry, have places of
    /// their own.
    pub(super) fn at_position<T>(
        &mut self,
        position: usize,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let first = self.diagnostics.len();
        let parsed = inside(self);
        for Diagnostic { error, .. } in &mut self.diagnostics[first..] {
            if error.operator_name().is_none() && error.parameter_name() != Some("indices") {
                *error = error.clone().position(position);
            }
        }
        parsed
    }

    /// The refusal of the next token, or of the end.
    fn unexpected(&self) -> Error {
        let error = syntax(format!("unexpected {}", self.shown()));
        match self.peek() {
            Some(token) => error.value(token),
            None => error,
        }
    }

    /// Refuses the next token where `what` should stand.
    pub(super) fn expected<T>(&mut self, what: &'static str, hint: &'static str) -> Option<T> {
        let error = self.unexpected().allowed(what);
        let error = if hint.is_empty() {
            error
        } else {
            error.hint(hint)
        };
        self.refuse_here(error)
    }

    /// Steps over tokens, groups whole, until `stop` or the end of the group.
    pub(super) fn skip_until(&mut self, stop: impl Fn(&Self) -> bool) {
        while !self.at_end() && !self.is_close() && !stop(self) {
            self.step();
        }
    }

    /// Steps over a token, or over a whole group.
    fn step(&mut self) {
        self.at = self.group_end().unwrap_or(self.at) + 1;
    }

    /// The token that closes the group that opens here.
    pub(super) fn group_end(&self) -> Option<usize> {
        match self.peek() {
            Some(TokenKind::Open(_)) => self.partner.get(self.at).copied(),
            _ => None,
        }
    }

    /// The comma-separated items of the group that opens here, and the step over its end. After an item that is refused, goes on at
    /// the next comma.
    pub(super) fn group<T>(&mut self, item: impl FnMut(&mut Self) -> Option<T>) -> Group<T> {
        let start = self.at;
        let items = self.nested(|parser, end| Some(parser.items(end, item)));
        let broken = items
            .as_ref()
            .is_none_or(|items| items.iter().any(Option::is_none));
        Group {
            items: items.unwrap_or_default(),
            broken,
            span: self.since(start),
        }
    }

    /// What `inside` makes of the group that opens here, from its first token up to the one that closes it, and the step over its end. A group
    /// that is nested too deep is refused.
    pub(super) fn nested<T>(
        &mut self,
        inside: impl FnOnce(&mut Self, usize) -> Option<T>,
    ) -> Option<T> {
        let end = self.group_end().unwrap_or(self.at);
        let parsed = if self.depth == DEEPEST {
            let text = format!("brackets are nested more than {DEEPEST} deep");
            let error = Error::new(ErrorKind::TooDeep, text).value(DEEPEST + 1);
            self.refuse_here(error.allowed(format!("depth 1..={DEEPEST}")))
        } else {
            self.depth += 1;
            self.advance(1);
            let parsed = inside(self, end);
            self.depth -= 1;
            parsed
        };
        self.at = end + 1;
        parsed
    }

    /// Items up to token `end`.
    fn items<T>(
        &mut self,
        end: usize,
        mut item: impl FnMut(&mut Self) -> Option<T>,
    ) -> Vec<Option<T>> {
        let mut items = Vec::new();
        while self.at < end {
            let mut parsed = item(self);
            if self.at < end && !self.is(',') {
                // With more after it, it is not what was meant.
                if parsed.take().is_some() {
                    let close = self.tokens[end].kind.clone();
                    let error = self.unexpected().allowed(format!("`,` or `{close}`"));
                    self.refuse_here::<()>(error);
                }
                while self.at < end && !self.is(',') {
                    self.step();
                }
            }
            items.push(parsed);
            self.eat(',');
        }
        items
    }
}

/// Bad syntax.
pub(super) fn syntax(text: impl Into<alloc::borrow::Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Syntax, text)
}

/// For each opening delimiter, where it is closed.
fn partners(tokens: &[Token<'_>]) -> Result<Vec<usize>, Diagnostic> {
    let mut partner = vec![0; tokens.len()];
    let mut open: Vec<(usize, Delimiter)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let refuse = |error| Diagnostic {
            error,
            span: token.span.clone(),
        };
        match token.kind {
            TokenKind::Open(delimiter) => open.push((at, delimiter)),
            TokenKind::Close(delimiter) => match open.pop() {
                Some((start, opened)) if opened == delimiter => partner[start] = at,
                Some((_, opened)) => {
                    let text = format!("`{}` closes `{}`", delimiter.close(), opened.open());
                    return Err(refuse(
                        syntax(text).allowed(format!("`{}`", opened.close())),
                    ));
                }
                None => {
                    let text = format!("`{}` closes nothing", delimiter.close());
                    return Err(refuse(syntax(text)));
                }
            },
            TokenKind::Ident(_) | TokenKind::Integer(_) | TokenKind::Float(_) => {}
            TokenKind::Punct { .. } | TokenKind::Other(_) => {}
        }
    }
    match open.pop() {
        Some((start, delimiter)) => Err(Diagnostic {
            error: syntax(format!("`{}` is not closed", delimiter.open()))
                .hint(format!("write `{}` where it ends", delimiter.close())),
            span: tokens[start].span.clone(),
        }),
        None => Ok(partner),
    }
}
