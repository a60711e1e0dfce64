//! Tokens: Rust's, as far as the notation needs them, and the lexer for texts.
//!
//! What is a token is decided here; what a number is worth is decided in `number.rs`. The lexer never refuses: what is no
//! token of the notation becomes [`TokenKind::Other`], and the parser refuses it where it stands.

use super::{Span, number, words};
use alloc::{borrow::Cow, vec::Vec};
use core::fmt;

/// A token and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: TokenKind<'a>,
    /// Where it stands. The parser only joins spans: from the start of a first token to the end of a last one.
    pub span: Span,
}

/// The three kinds of brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delimiter {
    /// `( )`
    Parenthesis,
    /// `[ ]`
    Bracket,
    /// `{ }`
    Brace,
}

impl Delimiter {
    pub(super) const fn open(self) -> char {
        match self {
            Self::Parenthesis => '(',
            Self::Bracket => '[',
            Self::Brace => '{',
        }
    }

    pub(super) const fn close(self) -> char {
        match self {
            Self::Parenthesis => ')',
            Self::Bracket => ']',
            Self::Brace => '}',
        }
    }
}

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind<'a> {
    /// A name or keyword.
    Ident(Cow<'a, str>),
    /// An unsigned integer literal: decimal, hex, octal or binary, with `_`.
    Integer(Cow<'a, str>),
    /// A float literal.
    Float(Cow<'a, str>),
    /// One character of punctuation; `joint` if another one follows without a space.
    Punct {
        /// The character.
        char: char,
        /// Whether punctuation follows at once.
        joint: bool,
    },
    /// An opening delimiter.
    Open(Delimiter),
    /// A closing delimiter.
    Close(Delimiter),
    /// Anything else: a string, a character that no token starts with.
    Other(Cow<'a, str>),
}

impl<'a> TokenKind<'a> {
    /// The token of a Rust literal, from its source text.
    pub fn literal(text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        let shape = number::scan(&text);
        match shape.end {
            0 => Self::Other(text),
            end if end < text.len() => Self::Other(text),
            _ if shape.float => Self::Float(text),
            _ => Self::Integer(text),
        }
    }

    pub(super) fn is_punct(&self, wanted: char) -> bool {
        matches!(self, Self::Punct { char, .. } if *char == wanted)
    }

    pub(super) fn is_joint(&self, wanted: char) -> bool {
        matches!(self, Self::Punct { char, joint: true } if *char == wanted)
    }

    pub(super) fn ident(&self) -> Option<&str> {
        match self {
            Self::Ident(name) => Some(name),
            _ => None,
        }
    }
}

/// As refusals show it: on one line, long ones cut.
impl fmt::Display for TokenKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ident(text) | Self::Integer(text) | Self::Float(text) | Self::Other(text) => {
                f.write_str(&words::cut(text))
            }
            Self::Punct { char, .. } => write!(f, "{char}"),
            Self::Open(delimiter) => write!(f, "{}", delimiter.open()),
            Self::Close(delimiter) => write!(f, "{}", delimiter.close()),
        }
    }
}

const PUNCTUATION: &str = "=<>!~+-*/%^&|@.,;:#$?'";

/// Cuts a text into tokens; spans are bytes. White space and Rust's comments separate tokens.
pub(super) fn lex(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let skipped = blank(rest);
        if skipped > 0 {
            at += skipped;
            continue;
        }
        let (kind, len) = token(rest, first);
        tokens.push(Token {
            kind,
            span: at..at + len,
        });
        at += len;
    }
    tokens
}

/// Bytes of white space or of one comment at the start. A block comment without end is none.
fn blank(rest: &str) -> usize {
    let spaces = rest.len() - rest.trim_start().len();
    if spaces > 0 {
        return spaces;
    }
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return block_comment(rest).unwrap_or(0);
    }
    0
}

/// Bytes of the block comment that the text starts with; they nest.
fn block_comment(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => (depth, at) = (depth.saturating_sub(1), at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The token at the start of `rest`, and its length in bytes.
fn token(rest: &str, first: char) -> (TokenKind<'_>, usize) {
    let one = first.len_utf8();
    let delimiter = match first {
        '(' | ')' => Some(Delimiter::Parenthesis),
        '[' | ']' => Some(Delimiter::Bracket),
        '{' | '}' => Some(Delimiter::Brace),
        _ => None,
    };
    if let Some(delimiter) = delimiter {
        let kind = if first == delimiter.open() {
            TokenKind::Open(delimiter)
        } else {
            TokenKind::Close(delimiter)
        };
        return (kind, one);
    }
    if first == '_' || begins_word(first) {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        return (TokenKind::Ident(rest[..end].into()), end);
    }
    let shape = number::scan(rest);
    if shape.end > 0 {
        let text = Cow::Borrowed(&rest[..shape.end]);
        let kind = if shape.float {
            TokenKind::Float(text)
        } else {
            TokenKind::Integer(text)
        };
        return (kind, shape.end);
    }
    if rest.starts_with("/*") {
        // A comment without end: nothing after it is a token.
        return (TokenKind::Other(rest.into()), rest.len());
    }
    if let Some(end) = single_quoted(rest) {
        return (TokenKind::Other(rest[..end].into()), end);
    }
    if PUNCTUATION.contains(first) {
        let joint = rest[one..].starts_with(|c| PUNCTUATION.contains(c));
        return (TokenKind::Punct { char: first, joint }, one);
    }
    let end = if first == '"' { string(rest) } else { one };
    (TokenKind::Other(rest[..end].into()), end)
}

/// Bytes of the string literal that the text starts with; one without end goes to the end of the text.
fn string(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Bytes of the character in single quotes that the text starts with, or of the word: no Rust, but what other languages call a string.
/// `'a` without a second quote is a lifetime.
fn single_quoted(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('\'')?;
    let one = match inside.strip_prefix('\\') {
        Some(escaped) => 1 + escaped.chars().next()?.len_utf8(),
        None => inside.chars().next()?.len_utf8(),
    };
    let more = inside[one..].find(|c| !is_word(c))?;
    let end = one + more;
    inside[end..].starts_with('\'').then_some(end + 2)
}

/// A letter that stands by itself: marks that join the letter before them print escaped.
fn begins_word(c: char) -> bool {
    c.is_alphabetic() && c.escape_debug().len() == 1
}

pub(super) fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}
