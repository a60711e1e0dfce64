//! From text to tokens, with other tokens in the places of names.

use proc_macro::{Group, Ident, Span, TokenStream, TokenTree};
use std::str::FromStr;

/// How a template calls the path of the facade.
pub const ROOT: &str = "__xslice_root";

/// What names of a text stand for.
#[derive(Clone)]
pub struct Template {
    parts: Vec<(String, TokenStream)>,
    /// Where the tokens of the text stand; the whole invocation if there is none.
    span: Option<Span>,
}

/// Written with their path: a user may have a type of that name.
const PRIMITIVES: [&str; 14] = [
    "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "usize", "isize",
    "str",
];

impl Template {
    /// One name and its tokens.
    pub fn new(name: &str, tokens: TokenStream) -> Self {
        Self {
            parts: vec![(name.to_string(), tokens)],
            span: None,
        }
    }

    /// The same with one name more.
    pub fn with(&self, name: &str, tokens: TokenStream) -> Self {
        let mut parts = self.parts.clone();
        parts.push((name.to_string(), tokens));
        Self {
            parts,
            span: self.span,
        }
    }

    /// The same with the tokens of the text at that place.
    pub fn at(self, span: Span) -> Self {
        Self {
            span: Some(span),
            ..self
        }
    }

    /// The tokens of a text.
    pub fn fill(&self, text: &str) -> TokenStream {
        self.stream(tokens(&qualified(text)))
    }

    fn stream(&self, stream: TokenStream) -> TokenStream {
        let mut result = Vec::new();
        for mut tree in stream {
            if let Some(span) = self.span {
                tree.set_span(span);
            }
            match tree {
                TokenTree::Group(group) => {
                    let mut filled = Group::new(group.delimiter(), self.stream(group.stream()));
                    filled.set_span(group.span());
                    result.push(TokenTree::Group(filled));
                }
                TokenTree::Ident(ident) => self.ident(ident, &mut result),
                TokenTree::Punct(_) | TokenTree::Literal(_) => result.push(tree),
            }
        }
        result.into_iter().collect()
    }

    fn ident(&self, ident: Ident, result: &mut Vec<TokenTree>) {
        let name = ident.to_string();
        match self.parts.iter().find(|(known, _)| *known == name) {
            Some((_, part)) => result.extend(part.clone()),
            None => result.push(TokenTree::Ident(ident)),
        }
    }
}

/// The tokens of a text of this crate's own: one that is no Rust would be a fault of this crate, which every use shows.
pub fn tokens(text: &str) -> TokenStream {
    TokenStream::from_str(text).unwrap_or_default()
}

/// Whether a text means a primitive type by that name.
pub fn is_primitive(name: &str) -> bool {
    PRIMITIVES.contains(&name)
}

/// The text with the paths of primitive types in front of them. On text and not on tokens: each token costs a call of the compiler.
pub fn qualified(text: &str) -> String {
    let mut result = String::with_capacity(2 * text.len());
    let bytes = text.as_bytes();
    let (mut copied, mut at) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        if byte == b'"' {
            at = end_of_string(bytes, at);
        } else if is_word(byte) {
            at += bytes[at..]
                .iter()
                .take_while(|byte| is_word(**byte))
                .count();
            if is_primitive(&text[start..at]) && !text[..start].ends_with("::") {
                result += &text[copied..start];
                result += "::core::primitive::";
                copied = start;
            }
        }
    }
    result + &text[copied..]
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Just after the quote that closes a literal.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        at += if byte == b'\\' { 2 } else { 1 };
        if byte == b'"' {
            break;
        }
    }
    at.min(bytes.len())
}
