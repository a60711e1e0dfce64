//! The grammar inside of brackets: entries, slices, lists, run-time tensors; and what people write there by mistake.

use super::ast::{Bracket, Computed, Element, Entry, EntryKind, Integer, List, Tensor};
use super::cursor::{Parser, syntax};
use super::{Delimiter, TokenKind, words};
use crate::error::{Error, ErrorKind};
use alloc::{boxed::Box, format, string::String};

const ENTRY: &str =
    "an integer, a slice such as `1:`, `...`, `newaxis`, `@name` or a list such as `[0, 2]`";
const RUN_TIME_BOUND: &str = "bounds are literals; run-time bounds go through `onnx::Slice@13(starts = @start, ends = @end)`";

/// A boolean mask, which no bracket takes.
pub(super) fn boolean_mask(what: &str) -> Error {
    Error::new(ErrorKind::BooleanMask, format!("{what} is a boolean mask"))
        .allowed("integers")
        .hint("give the positions that are true: a list such as `[0, 2]`, or a run-time operand `@ids`")
}

impl Parser<'_, '_> {
    /// `[1:, ..., @ids]`
    pub(super) fn bracket(&mut self) -> Option<Bracket> {
        let empty = self.opens_empty();
        let group = self.in_operator(&"index", |parser| {
            let mut entries = 0..;
            parser.group(|parser| parser.at_position(entries.next()?, Self::entry))
        });
        if empty {
            // The words of the rule for a bracket that a builder made.
            let refusals = crate::resolve::bracket_refusals(&[]);
            for (_, error) in refusals {
                self.refuse::<()>(group.span.clone(), error);
            }
        }
        Some(Bracket {
            entries: group.items,
            broken: group.broken || empty,
            span: group.span,
        })
    }

    fn entry(&mut self) -> Option<Entry> {
        let start = self.at;
        let kind = match self.peek() {
            Some(token) if token.is_punct('.') => self.dots()?,
            Some(token) if token.is_punct(':') => self.slice(None)?,
            Some(token) if token.is_punct('@') => self.gathered(start)?,
            Some(TokenKind::Open(Delimiter::Bracket)) => {
                EntryKind::List(self.in_parameter("indices", Self::list)?)
            }
            _ if self.starts_integer() => self.integer_or_slice(start)?,
            Some(TokenKind::Float(_)) => return self.float_as_index(start),
            Some(TokenKind::Ident(name)) if name == "newaxis" => {
                self.advance(1);
                EntryKind::NewAxis
            }
            _ => return self.no_entry(),
        };
        let span = self.since(start);
        Some(Entry { kind, span })
    }

    /// `...`, or the two dots of a Rust range.
    fn dots(&mut self) -> Option<EntryKind> {
        let joint = |ahead: usize| self.look(ahead).is_some_and(|token| token.is_joint('.'));
        let three = joint(0) && joint(1) && self.looks(2, '.');
        let four = three && joint(2) && self.looks(3, '.');
        if three && !four {
            self.advance(3);
            return Some(EntryKind::Ellipsis);
        }
        if joint(0) && self.looks(1, '.') && !three {
            let start = self.at;
            return self.rust_range(start, String::new());
        }
        let dots = if four { 4 } else { 1 };
        let error = syntax("dots that are no ellipsis").allowed("`...`");
        let error = error.value(".".repeat(dots));
        let span = self.ahead(dots);
        self.refuse(
            span,
            error.hint("`...` stands for all axes that the other entries leave"),
        )
    }

    /// Refuses `a..b`; the cursor is at the dots.
    fn rust_range<T>(&mut self, start: usize, from: String) -> Option<T> {
        let inclusive = self.looks(2, '=');
        self.advance(2 + usize::from(inclusive));
        let mut to = String::new();
        let minus = self.is('-');
        let bound = self.look(usize::from(minus));
        if bound.is_some_and(|token| matches!(token, TokenKind::Integer(_) | TokenKind::Ident(_))) {
            to = self.ahead_text(usize::from(minus), minus);
            self.advance(1 + usize::from(minus));
        }
        let span = self.since(start);
        let dots = if inclusive { "..=" } else { ".." };
        let range = format!("{from}{dots}{to}");
        let error = syntax(format!("`{range}` is a Rust range")).value(range);
        let is_number = |text: &str| text.is_empty() || text.parse::<i64>().is_ok();
        let hint = match (from.is_empty() && to.is_empty(), inclusive) {
            _ if !is_number(&from) || !is_number(&to) => {
                String::from("a slice is written `start:end`, with literal bounds")
            }
            (true, _) => {
                String::from("write `:` for a whole axis, `...` for all axes that are left")
            }
            (false, true) if to.is_empty() => format!("write `{from}:`"),
            (false, false) => format!("write `{from}:{to}`"),
            (false, true) => match to.parse::<i64>().ok().and_then(|to| to.checked_add(1)) {
                // The element before the end of the axis is the last one of `-1` inclusive.
                Some(0) => format!("write `{from}:`"),
                Some(end) => format!("write `{from}:{end}`"),
                None => format!("write `{from}:` and one more than `{to}`"),
            },
        };
        self.refuse(span, error.hint(hint))
    }

    fn ahead_text(&self, ahead: usize, negative: bool) -> String {
        let sign = if negative { "-" } else { "" };
        match self.look(ahead) {
            Some(token) => format!("{sign}{token}"),
            None => String::from(sign),
        }
    }

    fn integer_or_slice(&mut self, start: usize) -> Option<EntryKind> {
        let first = self.diagnostics.len();
        let integer = self.integer();
        if self.is(':') {
            super::name_parameter(&mut self.diagnostics[first..], "start");
            return self.slice(Some(integer?));
        }
        let integer = integer?;
        if self.peek().is_some_and(|token| token.is_joint('.')) && self.looks(1, '.') {
            return self.rust_range(start, format!("{}", integer.value));
        }
        Some(EntryKind::Integer(integer.value))
    }

    /// The rest of a slice; the cursor is at its first colon.
    fn slice(&mut self, start: Option<Integer>) -> Option<EntryKind> {
        self.advance(1);
        let end = self.in_parameter("end", Self::bound)?;
        let step = if self.eat(':') {
            self.in_parameter("step", Self::bound)?
        } else {
            None
        };
        if self.is(':') {
            return self.expected(
                "`,` or `]`",
                "a slice has at most two colons: `start:end:step`",
            );
        }
        Some(EntryKind::Slice { start, end, step })
    }

    /// A bound of a slice, which may be absent.
    fn bound(&mut self) -> Option<Option<Integer>> {
        if self.starts_integer() {
            return self.integer().map(Some);
        }
        match self.peek() {
            Some(TokenKind::Float(_)) => self.float_as_index(self.at),
            Some(TokenKind::Ident(name)) if name == "None" => {
                self.expected("an integer, or nothing", "leave the bound out: `1:`")
            }
            Some(TokenKind::Ident(_)) => self.expected("an integer, or nothing", RUN_TIME_BOUND),
            Some(token) if token.is_punct('@') => {
                self.expected("an integer, or nothing", RUN_TIME_BOUND)
            }
            _ => Some(None),
        }
    }

    /// A run-time gather, and what people write after one.
    fn gathered(&mut self, start: usize) -> Option<EntryKind> {
        let tensor = self.in_parameter("indices", Self::tensor)?;
        if self.is(':') {
            return self.expected("`,` or `]`", RUN_TIME_BOUND);
        }
        if self.is_open(Delimiter::Bracket) || self.is_pair('|', '>') {
            let hint = "indices that are computed stand in parentheses: `@(ids[0])`";
            return self.expected("`,` or `]`", hint);
        }
        if self.compares() {
            let span = self.since(start);
            return self.refuse(span, boolean_mask("a comparison"));
        }
        Some(EntryKind::Tensor(tensor))
    }

    fn compares(&self) -> bool {
        ['<', '>', '=', '!'].iter().any(|&char| self.is(char))
    }

    /// Refuses a float; the cursor is at it, `start` at its sign.
    pub(super) fn float_as_index<T>(&mut self, start: usize) -> Option<T> {
        let float = self.ahead_text(0, self.at > start);
        self.advance(1);
        let span = self.since(start);
        let error = syntax(format!("float `{float}` where an integer is needed"))
            .value(float)
            .allowed("an integer")
            .hint("positions are whole numbers");
        self.refuse(span, error)
    }

    /// Refuses what is no entry, by what was probably meant.
    fn no_entry(&mut self) -> Option<Entry> {
        let Some(token) = self.peek() else {
            return self.expected(ENTRY, "");
        };
        match token {
            TokenKind::Ident(name) => self.name_as_entry(name),
            TokenKind::Open(Delimiter::Parenthesis) => {
                self.expected(ENTRY, "a list is written in brackets: `[0, 2]`")
            }
            TokenKind::Punct { char: '?', .. } => self.expected(
                ENTRY,
                "an index that is known only at run time is an operand `@name`",
            ),
            TokenKind::Punct { char: '!', .. } => self.refuse_here(boolean_mask("a negation")),
            TokenKind::Punct { char: '+', .. } => {
                self.expected(ENTRY, "write the number without `+`")
            }
            TokenKind::Punct { .. } | TokenKind::Open(_) | TokenKind::Close(_) => {
                self.expected(ENTRY, "")
            }
            TokenKind::Other(text) if text.starts_with(['\'', '"']) => {
                self.expected(ENTRY, "axes have no labels: an entry says positions")
            }
            TokenKind::Integer(_) | TokenKind::Float(_) | TokenKind::Other(_) => {
                self.expected(ENTRY, "")
            }
        }
    }

    fn name_as_entry(&mut self, name: &str) -> Option<Entry> {
        match name {
            "true" | "false" => self.refuse_here(boolean_mask(&format!("`{name}`")).value(name)),
            "None" if self.looks(1, ':') => {
                self.expected("an integer, or nothing", "leave the bound out: `:3`")
            }
            "None" => self.expected(ENTRY, "a new axis is written `newaxis`, a whole axis `:`"),
            "Ellipsis" => self.expected(ENTRY, "an ellipsis is written `...`"),
            "slice" => self.expected(ENTRY, "a slice is written `start:end:step`"),
            "i8" | "i16" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize"
                if self.looks(1, ':') && self.looks(2, ':') =>
            {
                self.expected(ENTRY, "only `i32` and `i64` have `MIN` and `MAX` here")
            }
            _ if self.looks(1, ':') => self.expected(ENTRY, RUN_TIME_BOUND),
            _ if self.look(1).is_some_and(|token| token.is_joint('.')) && self.looks(2, '.') => {
                let start = self.at;
                self.advance(1);
                self.rust_range(start, words::cut(name))
            }
            _ => {
                let start = self.at;
                self.advance(1);
                if self.compares() {
                    let span = self.since(start);
                    return self.refuse(span, boolean_mask("a comparison"));
                }
                self.at = start;
                let name = words::cut(name);
                let error = syntax(format!("the name `{name}` as an entry")).allowed(ENTRY);
                let error = error.hint(format!("a run-time operand is written `@{name}`"));
                self.refuse_here(error.value(name))
            }
        }
    }

    /// `[0, [1, 2]]`
    pub(super) fn list(&mut self) -> Option<List> {
        self.elements = 0;
        self.list_part()
    }

    /// A list, or one inside of it.
    fn list_part(&mut self) -> Option<List> {
        let first = self.look(1).and_then(TokenKind::ident);
        if let (Some("true" | "false"), Some(end)) = (first, self.group_end()) {
            let start = self.at;
            self.at = end + 1;
            let span = self.since(start);
            return self.refuse(span, boolean_mask("a list of `true` and `false`"));
        }
        let group = self.group(|parser| match parser.is_open(Delimiter::Bracket) {
            true => parser.list_part().map(Element::List),
            false => {
                let position = parser.elements;
                parser.elements += 1;
                parser
                    .at_position(position, Self::element)
                    .map(Element::Integer)
            }
        });
        (!group.broken).then_some(List {
            elements: group.items.into_iter().flatten().collect(),
            span: group.span,
        })
    }

    fn element(&mut self) -> Option<Integer> {
        const ELEMENT: &str = "an integer or a list";
        if self.starts_integer() {
            return self.integer();
        }
        match self.peek() {
            Some(TokenKind::Float(_)) => self.float_as_index(self.at),
            Some(TokenKind::Ident(name)) if matches!(&**name, "true" | "false") => {
                self.refuse_here(boolean_mask(&format!("`{name}`")).value(name))
            }
            Some(token) if token.is_punct('@') => self.expected(
                ELEMENT,
                "a list holds constants; a run-time operand stands alone: `@ids`",
            ),
            Some(token) if token.is_punct(':') => {
                self.expected(ELEMENT, "a slice stands alone, not in a list")
            }
            _ => self.expected(ELEMENT, ""),
        }
    }

    /// `@ids`, `@(ids[0])`
    pub(super) fn tensor(&mut self) -> Option<Tensor> {
        self.advance(1);
        if !self.is_open(Delimiter::Parenthesis) {
            const WHAT: &str = "the name of a run-time operand, or computed indices in parentheses";
            return self.name(WHAT).map(Tensor::Operand);
        }
        self.nested(Self::computed).map(Tensor::Computed)
    }

    /// What stands in parentheses that close at token `end`.
    fn computed(&mut self, end: usize) -> Option<Computed> {
        let element = if self.eat('<') {
            Some(self.computed_type()?)
        } else {
            None
        };
        let chain = self.chain()?;
        if self.at < end {
            return self.expected("`[`, `|>` or `)`", "");
        }
        Some(Computed {
            element,
            chain: Box::new(chain),
        })
    }

    /// The rest of `<i64>`.
    fn computed_type(&mut self) -> Option<(crate::elem::ElementType, super::Span)> {
        let span = self.here();
        let element = self.element_type()?;
        if !self.eat('>') {
            let hint = "computed indices take the element type alone: `@(<i64> ids[0])`";
            return self.expected("`>`", hint);
        }
        Some((element, span))
    }
}
