//! From what the user wrote to what the compiler gets.
//!
//! The function that moves is text of `xslice_core::emit`. Around it stands what only the macro knows: the user's operands, in
//! `expression.rs`; names, attributes and shapes of functions, in `item.rs`.

mod expression;
mod item;

use crate::parse::{self, Invocation, Notation};
use crate::report::{self, Refusal};
use crate::tokens::{Ends, Trees};
use proc_macro::{TokenStream, TokenTree};
use xslice_core::emit::Function;
use xslice_core::notation::{self, Diagnostic};
use xslice_core::{ElementType, Error, Plan, Signature};

/// Bytes of any result, intermediate ones included: constants are computed in the memory of the compiler.
const LARGEST: usize = 1 << 31;

/// What variables of a function begin with: a `static` or a `const` in scope of the same name would be meant instead.
const VARIABLES: &str = "__xslice_";

/// For whatever a generated function does that a strict reader would not.
const ALLOW: &str = "#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, unused_assignments, unused_mut, \
    unused_qualifications, unused_variables, reason = \"generated\")]";

/// The expansion of an invocation: the path of the facade in parentheses, then what the user wrote.
pub fn invocation(input: TokenStream) -> TokenStream {
    let mut trees = Trees::new(input);
    let root = match trees.next() {
        Some(TokenTree::Group(group)) => group.stream(),
        other => other.into_iter().collect(),
    };
    let mut refusals = Vec::new();
    match parse::invocation(trees, &mut refusals) {
        Invocation::Expression(expression) => expression::expand(root, *expression, refusals),
        Invocation::Items(items) => {
            let items = items.into_iter();
            let functions = items.map(|item| item::expand(&root, item, &mut refusals));
            let functions: TokenStream = functions.collect();
            [report::compile_errors(&mut refusals), functions]
                .into_iter()
                .collect()
        }
    }
}

/// The plan of a notation, with what is refused added to `refusals`.
fn compile(notation: &Notation, refusals: &mut Vec<Refusal>) -> Option<Plan> {
    if notation.is_refused {
        return None;
    }
    match notation::compile(notation.flat.tokens(), LARGEST) {
        Ok(compiled) => Some(compiled.plan),
        Err(mut diagnostics) => {
            for Diagnostic { error, .. } in &mut diagnostics {
                // The limit is the macro's own; a shape that no memory holds goes nowhere.
                if error.hint_text() == Some(Signature::RAISE_LIMIT) {
                    *error = error.clone().hint("what is that large goes through `Jit`");
                }
            }
            refusals.extend(report::located(diagnostics, &notation.flat));
            None
        }
    }
}

/// What a `const` form cannot have; `arrow` is that of a destination.
fn not_constant(notation: &Notation, plan: Option<&Plan>, arrow: Option<Ends>) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    if plan.is_some_and(|plan| plan.element_type() == ElementType::String) {
        let refusal = Refusal::syntax("`string` in a `const` form", notation.flat.ends(&(1..2)));
        let refusal = refusal.allowed("every other element type");
        refusals.push(refusal.hint("strings are cloned at run time: leave `const` out"));
    }
    if let Some(span) = notation.run_time() {
        let ends = notation.flat.ends(&span);
        let refusal = Refusal::syntax("run-time indices in a `const` form", ends);
        let refusal = refusal.allowed("constant indices such as `[0, 2]`");
        refusals.push(refusal.hint("leave `const` out: indices are looked at when they arrive"));
    }
    if let Some(arrow) = arrow {
        let refusal = Refusal::syntax("a destination in a `const` form", arrow);
        refusals.push(
            refusal.hint("its value is the result: `const Y: [f32; 12] = xslice!(const ...);`"),
        );
    }
    refusals
}

/// What `emit` makes of a plan, its operands by these names; `form` lacks what the notation says.
fn text<R>(
    plan: &Plan,
    notation: &Notation,
    names: &[String],
    form: Function<'_>,
    refusals: &mut Vec<Refusal>,
    emit: fn(&Plan, &Function<'_>) -> Result<R, Error>,
) -> Option<R> {
    let parameters: Vec<&str> = names.iter().map(String::as_str).collect();
    let wanted = Function {
        parameters: &parameters,
        fallible: notation.run_time().is_some(),
        ..form
    };
    let text = emit(plan, &wanted);
    text.map_err(|error| {
        refusals.push(Refusal {
            error,
            ends: notation.chain_ends(),
        });
    })
    .ok()
}
