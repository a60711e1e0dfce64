//! Refusals, each at its tokens, and a value so that an editor goes on.

use crate::tokens::{Ends, Flat};
use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, TokenStream, TokenTree};
use xslice_core::notation::Diagnostic;
use xslice_core::{Error, ErrorKind};

/// A refusal and the tokens it is about.
pub struct Refusal {
    pub error: Error,
    pub ends: Ends,
}

impl Refusal {
    /// Something that is written wrong around the notation.
    pub fn syntax(text: impl Into<String>, ends: Ends) -> Self {
        Self {
            error: Error::new(ErrorKind::Syntax, text.into()),
            ends,
        }
    }

    pub fn allowed(self, allowed: &'static str) -> Self {
        Self {
            error: self.error.allowed(allowed),
            ..self
        }
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            error: self.error.hint(hint.into()),
            ..self
        }
    }
}

/// The refusals of the notation, at their tokens.
pub fn located(diagnostics: Vec<Diagnostic>, flat: &Flat) -> impl Iterator<Item = Refusal> {
    diagnostics.into_iter().map(|diagnostic| Refusal {
        error: diagnostic.error,
        ends: flat.ends(&diagnostic.span),
    })
}

/// `::core::compile_error! { "..." }` for each: good as an item and as a statement. The path stands at the first token of what
/// is refused and the braces at its last, so that the compiler underlines all between. In the order of the source.
pub fn compile_errors(refusals: &mut [Refusal]) -> TokenStream {
    refusals.sort_by_key(|refusal| {
        let (first, _) = refusal.ends;
        (first.line(), first.column())
    });
    refusals.iter().flat_map(compile_error).collect()
}

fn compile_error(refusal: &Refusal) -> impl Iterator<Item = TokenTree> {
    let (first, last) = refusal.ends;
    let mut text = Literal::string(&refusal.error.to_string());
    text.set_span(last);
    let mut braces = Group::new(
        Delimiter::Brace,
        TokenStream::from(TokenTree::Literal(text)),
    );
    braces.set_span(last);
    let colons = || {
        let mut pair = [
            Punct::new(':', Spacing::Joint),
            Punct::new(':', Spacing::Alone),
        ];
        pair.iter_mut().for_each(|punct| punct.set_span(first));
        pair.map(TokenTree::Punct)
    };
    let mut bang = Punct::new('!', Spacing::Alone);
    bang.set_span(first);
    let mut trees = Vec::with_capacity(8);
    trees.extend(colons());
    trees.push(TokenTree::Ident(Ident::new("core", first)));
    trees.extend(colons());
    trees.push(TokenTree::Ident(Ident::new("compile_error", first)));
    trees.push(TokenTree::Punct(bang));
    trees.push(TokenTree::Group(braces));
    trees.into_iter()
}
