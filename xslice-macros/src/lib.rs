//! The `xslice!` macro: entry points only.
//!
//! ```text
//! tokens.rs    the compiler's tokens as the notation's, and the way back to their spans
//! parse.rs     the Rust around the notation: `const`, operands, `=>`, attributes, visibility, names
//! expand.rs    from plans to tokens; the functions themselves are text by `xslice_core::emit`
//! template.rs  from text to tokens, with the user's own tokens in their places
//! report.rs    refusals, each at its tokens, and a value so that an editor goes on
//! ```
//! The notation is parsed and compiled in `xslice-core`, so it means what it means at run time. The crate needs nothing else: what a
//! macro usually has a parser for is a few tokens here, and an expansion is mostly one function as text.
//!
//! Users call `xslice::xslice!`, which passes its own path on: so a renamed dependency and a re-exported macro work.

mod expand;
mod parse;
mod report;
mod template;
mod tokens;

use proc_macro::TokenStream;

/// Behind `xslice::xslice!`: the path of the facade, then what the user wrote.
#[proc_macro]
pub fn expand(input: TokenStream) -> TokenStream {
    expand::invocation(input)
}
