//! The names that a user sees: those of `src/lib.rs` and `src/ir.rs`, which list them one by one. A change here is one for the changelog.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeSet;

const ROOT: &str = "
    Array ArrayOperand Chain Decline Declared Dialect Element ElementType Engine Entry Error ErrorKind
    Gather Graph Index Input Jit JitBuilder Kernel Layout Level Nested OnnxGather OnnxRange OnnxSlice
    Op OpenVinoSlice OpenVinoStridedSlice Operand OperandType Output Param Plan Program Range Reshape
    ReshapeRule Scratch Signature Slice Stats Strategy StridedSlice Tensor ValueId View
    emit global half index index_with interp ir notation num_complex runner
";

const IR: &str = "
    Access Buffer Check Fill Form IndexType List Listing LookedUp Lookup LoopNest Move NoShuffle Pattern Periods
    PlannedNest Progression Reader Row Schedule Shuffle Source Step Strided Temporary Tested listing
";

/// The names of every `pub use` and `pub mod` that is not hidden.
fn public_names(file: &str) -> BTreeSet<String> {
    let tokens: TokenStream = file.parse().expect("Rust");
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut names = BTreeSet::new();
    // Attributes stand before their item, so what they say holds up to its end.
    let mut hidden = false;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
                hidden |= group.to_string() == "[doc (hidden)]";
            }
            TokenTree::Ident(word) if word == "pub" => {
                let is_end = |token: &&TokenTree| token.to_string() != ";";
                let item = tokens[at + 2..].iter().take_while(is_end).cloned();
                if !hidden {
                    last_names(item.collect(), &mut names);
                }
                hidden = false;
            }
            _ => {}
        }
    }
    names
}

/// The last name of each path of a `use` tree.
fn last_names(tree: TokenStream, names: &mut BTreeSet<String>) {
    let mut last = None;
    for token in tree {
        match token {
            TokenTree::Ident(name) => last = Some(name.to_string()),
            TokenTree::Group(group) => {
                last_names(group.stream(), names);
                last = None;
            }
            TokenTree::Punct(mark) => match mark.as_char() {
                ',' => names.extend(last.take()),
                '*' => panic!("a list that nobody wrote"),
                _ => {}
            },
            TokenTree::Literal(_) => {}
        }
    }
    names.extend(last);
}

fn words(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(String::from).collect()
}

#[test]
fn the_root_shows_what_users_need_and_nothing_else() {
    let names = public_names(include_str!("../../src/lib.rs"));
    assert_eq!(names, words(ROOT));
}

#[test]
fn what_the_compiler_makes_of_a_program_is_named_in_one_module() {
    let names = public_names(include_str!("../../src/ir.rs"));
    assert_eq!(names, words(IR));
}
