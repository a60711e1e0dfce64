//! From text to tokens, with other tokens in the places of names.

use proc_macro::{Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
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
        // The text is ours: one that is no Rust would be a fault of this crate, which every use shows.
        TokenStream::from_str(text)
            .map_or_else(|_| TokenStream::new(), |stream| self.stream(stream))
    }

    fn stream(&self, stream: TokenStream) -> TokenStream {
        let mut result = Vec::new();
        let mut colons = 0;
        for mut tree in stream {
            if let Some(span) = self.span {
                tree.set_span(span);
            }
            let colon = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == ':');
            match tree {
                TokenTree::Group(group) => {
                    let mut filled = Group::new(group.delimiter(), self.stream(group.stream()));
                    filled.set_span(group.span());
                    result.push(TokenTree::Group(filled));
                }
                TokenTree::Ident(ident) => self.ident(ident, colons == 2, &mut result),
                TokenTree::Punct(_) | TokenTree::Literal(_) => result.push(tree),
            }
            colons = if colon { colons + 1 } else { 0 };
        }
        result.into_iter().collect()
    }

    fn ident(&self, ident: Ident, in_path: bool, result: &mut Vec<TokenTree>) {
        let name = ident.to_string();
        if let Some((_, part)) = self.parts.iter().find(|(known, _)| *known == name) {
            result.extend(part.clone());
            return;
        }
        if !in_path && PRIMITIVES.contains(&name.as_str()) {
            for module in ["core", "primitive"] {
                colons(ident.span(), result);
                result.push(TokenTree::Ident(Ident::new(module, ident.span())));
            }
            colons(ident.span(), result);
        }
        result.push(TokenTree::Ident(ident));
    }
}

fn colons(span: Span, result: &mut Vec<TokenTree>) {
    for spacing in [Spacing::Joint, Spacing::Alone] {
        let mut colon = Punct::new(':', spacing);
        colon.set_span(span);
        result.push(TokenTree::Punct(colon));
    }
}
