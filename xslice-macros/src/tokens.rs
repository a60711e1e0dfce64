//! The compiler's tokens as the notation's, and the way back to their spans.

use proc_macro::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};
use std::collections::VecDeque;
use xslice_core::notation::{self, Token, TokenKind};

/// Where a token begins and ends; the same span for all but the user's own expressions.
pub type Ends = (Span, Span);

/// A sequence of token trees, from the front. Groups without delimiters, which `macro_rules` puts around its fragments, are opened
/// when they are reached.
pub struct Trees(VecDeque<TokenTree>);

impl Trees {
    pub fn new(stream: TokenStream) -> Self {
        Self(stream.into_iter().collect())
    }

    /// The next tree as it is.
    pub fn peek_closed(&self) -> Option<&TokenTree> {
        self.0.front()
    }

    /// The next tree, after opening.
    pub fn peek(&mut self) -> Option<&TokenTree> {
        self.peek_at(0)
    }

    /// The tree that many places ahead, after opening what stands before it.
    pub fn peek_at(&mut self, ahead: usize) -> Option<&TokenTree> {
        loop {
            match self.0.iter().take(ahead + 1).position(is_transparent) {
                Some(at) => self.open(at),
                None => return self.0.get(ahead),
            }
        }
    }

    fn open(&mut self, at: usize) {
        if let Some(TokenTree::Group(group)) = self.0.remove(at) {
            for (k, tree) in group.stream().into_iter().enumerate() {
                self.0.insert(at + k, tree);
            }
        }
    }

    /// Takes the next tree, after opening.
    pub fn next(&mut self) -> Option<TokenTree> {
        self.peek();
        self.0.pop_front()
    }

    /// Takes the next tree as it is.
    pub fn next_closed(&mut self) -> Option<TokenTree> {
        self.0.pop_front()
    }

    pub fn is_punct(&mut self, ahead: usize, wanted: char) -> bool {
        matches!(self.peek_at(ahead), Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
    }

    /// Whether the next two are these, without a space between.
    pub fn is_pair(&mut self, first: char, second: char) -> bool {
        let joint = matches!(
            self.peek(),
            Some(TokenTree::Punct(punct)) if punct.as_char() == first && punct.spacing() == Spacing::Joint
        );
        joint && self.is_punct(1, second)
    }

    pub fn is_ident(&mut self, ahead: usize, wanted: &str) -> bool {
        self.ident(ahead)
            .is_some_and(|ident| ident.to_string() == wanted)
    }

    pub fn ident(&mut self, ahead: usize) -> Option<Ident> {
        match self.peek_at(ahead) {
            Some(TokenTree::Ident(ident)) => Some(ident.clone()),
            _ => None,
        }
    }

    /// Everything that is left.
    pub fn rest(self) -> TokenStream {
        self.0.into_iter().collect()
    }
}

fn is_transparent(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::None)
}

/// Tokens for the parser of the notation. Their spans count tokens.
#[derive(Default)]
pub struct Flat {
    tokens: Vec<Token<'static>>,
    ends: Vec<Ends>,
}

impl Flat {
    pub fn tokens(&self) -> &[Token<'static>] {
        &self.tokens
    }

    /// The number of tokens so far.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The compiler's spans of some of them; past the end, those of the last one.
    pub fn ends(&self, span: &notation::Span) -> Ends {
        let last = self.ends.len().checked_sub(1);
        let at = |at: usize| last.map(|last| self.ends[at.min(last)]);
        match (
            at(span.start),
            at(span.end.saturating_sub(1).max(span.start)),
        ) {
            (Some((first, _)), Some((_, last))) => (first, last),
            _ => (Span::call_site(), Span::call_site()),
        }
    }

    /// Adds a token.
    pub fn push(&mut self, kind: TokenKind<'static>, ends: Ends) {
        let at = self.tokens.len();
        // In the body of a `macro_rules` the compiler forgets what stands side by side, unless it is one token of Rust.
        if let (Some(Token { kind: before, .. }), Some((_, end))) =
            (self.tokens.last_mut(), self.ends.last())
            && let TokenKind::Punct { joint, .. } = before
            && matches!(kind, TokenKind::Punct { .. })
        {
            *joint |= touch(*end, ends.0);
        }
        self.tokens.push(Token {
            kind,
            span: at..at + 1,
        });
        self.ends.push(ends);
    }

    /// Adds a tree, groups with what is in them.
    pub fn tree(&mut self, tree: &TokenTree) {
        let span = (tree.span(), tree.span());
        match tree {
            TokenTree::Group(group) => self.group(group),
            TokenTree::Ident(ident) => self.push(TokenKind::Ident(ident.to_string().into()), span),
            TokenTree::Literal(literal) => {
                self.push(TokenKind::literal(literal.to_string()), span);
            }
            TokenTree::Punct(punct) => {
                let kind = TokenKind::Punct {
                    char: punct.as_char(),
                    joint: punct.spacing() == Spacing::Joint,
                };
                self.push(kind, span);
            }
        }
    }

    fn group(&mut self, group: &Group) {
        let delimiter = match group.delimiter() {
            Delimiter::Parenthesis => Some(notation::Delimiter::Parenthesis),
            Delimiter::Bracket => Some(notation::Delimiter::Bracket),
            Delimiter::Brace => Some(notation::Delimiter::Brace),
            Delimiter::None => None,
        };
        let (open, close) = (group.span_open(), group.span_close());
        if let Some(delimiter) = delimiter {
            self.push(TokenKind::Open(delimiter), (open, open));
        }
        for tree in group.stream() {
            self.tree(&tree);
        }
        if let Some(delimiter) = delimiter {
            self.push(TokenKind::Close(delimiter), (close, close));
        }
    }
}

/// Whether one begins where the other ends.
fn touch(one: Span, next: Span) -> bool {
    let place = |span: Span| (span.file(), span.line(), span.column());
    place(one.end()) == place(next.start())
}
