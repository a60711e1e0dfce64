//! `xslice!(<...> x[1:] => y)`: the function inside of a block, called on the user's operands.
//!
//! Operands are borrowed by the traits of the facade, each once. They stand in the block of the function, where every name is one that no
//! user has. The traits decide which operands have a length to be looked at, and with it whether the value is a `Result`.
//!
//! Every token of a template costs a call of the compiler, and a crate may have hundreds of invocations: what is common is text here, which
//! is lexed in one.

use super::{compile, function, not_constant};
use crate::parse::{Expression, Notation, Rust};
use crate::report::{self, Refusal};
use crate::template::{self, ROOT, Template};
use crate::tokens::Ends;
use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use xslice_core::emit::{self, Destination};
use xslice_core::{Error, ErrorKind, Plan};

const RESULT: &str = "::core::result::Result";

/// The function that moves.
const RUN: &str = "__xslice_run";

/// How `scope` calls the facade.
const IN_SCOPE: &str = "__xslice";

/// Bytes of a result that is returned as an array.
const ARRAY: usize = 16 << 10;

pub fn expand(
    root: TokenStream,
    expression: Expression,
    mut refusals: Vec<Refusal>,
) -> TokenStream {
    let notation = &expression.notation;
    let plan = compile(notation, &mut refusals);
    let (destination, head) = match (expression.constant, &expression.destination) {
        (Some(_), _) => (Destination::Constant, "const fn __xslice_run"),
        (None, None) => (Destination::Returned, "fn __xslice_run"),
        (None, Some(_)) => (Destination::Parameter, "fn __xslice_run"),
    };
    if expression.constant.is_some() {
        let arrow = expression.destination.as_ref().map(|to| to.arrow);
        refusals.extend(not_constant(notation, plan.as_ref(), arrow));
    }
    if let (Destination::Returned, Some(plan)) = (destination, &plan) {
        refusals.extend(too_large(plan, notation.chain_ends()));
    }
    let is_constant = destination == Destination::Constant;
    let path = if is_constant { ROOT } else { IN_SCOPE };
    let run = plan
        .as_ref()
        .and_then(|plan| function(plan, notation, (path, head), destination, &mut refusals));
    match (run, plan) {
        (Some(run), Some(plan)) if refusals.is_empty() => {
            if is_constant {
                constant(&Template::new(ROOT, root), &run, expression.source, &plan)
            } else {
                call(root, &run, expression)
            }
        }
        _ => dummy(Template::new(ROOT, root), &mut refusals, &expression),
    }
}

/// Refuses a result that is too large for the stack.
fn too_large(plan: &Plan, ends: Ends) -> Option<Refusal> {
    let (ty, shape) = (plan.element_type(), plan.shape());
    let bytes = plan.output_len().saturating_mul(ty.size());
    let text = format!("the result {ty}{shape:?} takes {bytes} bytes on the stack");
    let error = Error::new(ErrorKind::TooLarge, text)
        .value(bytes)
        .allowed(format!("0..={ARRAY} bytes"))
        .hint("write it into a buffer: `=> y`");
    (bytes > ARRAY).then_some(Refusal { error, ends })
}

/// Traits cannot be called in a constant: the operand is an array, flat or nested, by inherent functions.
fn constant(template: &Template, run: &str, source: Option<Rust>, plan: &Plan) -> TokenStream {
    let Some(source) = source else {
        return template.fill(&format!("{{ {run} __xslice_run() }}"));
    };
    let element = emit::element(plan.element_type(), ROOT);
    let view = format!("{ROOT}::__private::Flat::<_, {element}>::of(&__xslice_operand).array()");
    let view = borrow(template, source, &view);
    let template = template.with("__xslice_view", view);
    template.fill(&format!("{{ {run} __xslice_run(__xslice_view) }}"))
}

/// The function and its call on the user's operands, in a block that sees `scope` of the facade.
fn call(root: TokenStream, run: &str, expression: Expression) -> TokenStream {
    let data = expression.source.map(|rust| {
        let notation = &expression.notation;
        let name = notation.flat.tokens()[notation.chain].kind.to_string();
        (rust, name)
    });
    let place = expression.destination.map(|to| to.place);
    let value = if expression.notation.run_time().is_some() {
        fallible(data, &expression.notation, place)
    } else {
        match (data, place) {
            (None, None) => template::tokens("__xslice_run()"),
            (None, Some(place)) => method("__xslice_fill", place, None, None, Some(RUN)),
            (Some((data, name)), None) => {
                method("__xslice_call", data, None, Some(&name), Some(RUN))
            }
            (Some((data, name)), Some(place)) => {
                method("__xslice_move", place, Some(data), Some(&name), Some(RUN))
            }
        }
    };
    let mut block = template::tokens("use");
    block.extend(root);
    block.extend(template::tokens(&format!(
        "::__private::scope::*; {}",
        template::qualified(run)
    )));
    block.extend(value);
    TokenTree::Group(Group::new(Delimiter::Brace, block)).into()
}

/// A match on each operand, inside of the one before, and the call in the innermost: what is borrowed lives that long, and what is wrong with
/// the first operand with which anything is, is the value.
fn fallible(data: Option<(Rust, String)>, notation: &Notation, place: Option<Rust>) -> TokenStream {
    let named = notation.names.iter().map(|name| {
        let tokens = TokenTree::Ident(name.clone()).into();
        let ends = (name.span(), name.span());
        (Rust { tokens, ends }, name.to_string())
    });
    let sources = data.into_iter().chain(named);
    let sources =
        sources.map(|(operand, name)| method("__xslice_source", operand, None, Some(&name), None));
    let place = place.map(|place| method("__xslice_destination", place, None, None, None));
    let operands: Vec<TokenStream> = sources.chain(place).collect();
    let names: Vec<String> = (0..operands.len())
        .map(|at| format!("__xslice_{at}"))
        .collect();
    let mut value = template::tokens(&format!("__xslice_run({})", names.join(", ")));
    for (operand, name) in operands.into_iter().zip(names).rev() {
        let mut arms = template::tokens(&format!(
            "{RESULT}::Err(error) => {RESULT}::Err(error), {RESULT}::Ok({name}) =>"
        ));
        arms.extend(value);
        value = template::tokens("match");
        value.extend(operand);
        value.extend([TokenTree::Group(Group::new(Delimiter::Brace, arms))]);
    }
    value
}

/// A call of a method on an operand of the user's, with another one, its name, and the function, where there are. All of it stands at the
/// operand, where a wrong type is refused.
fn method(
    method: &str,
    operand: Rust,
    source: Option<Rust>,
    name: Option<&str>,
    run: Option<&str>,
) -> TokenStream {
    let at = |mut tree: TokenTree, ends: Ends| {
        tree.set_span(Span::call_site().located_at(ends.0));
        tree
    };
    let ends = operand.ends;
    let named = source.as_ref().map_or(ends, |source| source.ends);
    let comma = || TokenTree::Punct(Punct::new(',', Spacing::Alone));
    let mut arguments = TokenStream::new();
    if let Some(source) = source {
        let reference = TokenTree::Punct(Punct::new('&', Spacing::Alone));
        arguments.extend([at(reference, named)]);
        arguments.extend(source.tokens);
        arguments.extend([comma()]);
    }
    if let Some(name) = name {
        arguments.extend([TokenTree::Literal(Literal::string(name)), comma()]);
    }
    let run = run.map(|run| TokenTree::Ident(Ident::new(run, Span::call_site())));
    arguments.extend(run.map(|run| at(run, ends)));
    let receiver = Group::new(Delimiter::Parenthesis, operand.tokens);
    let call = [
        TokenTree::Group(receiver),
        TokenTree::Punct(Punct::new('.', Spacing::Alone)),
        TokenTree::Ident(Ident::new(method, Span::call_site())),
        TokenTree::Group(Group::new(Delimiter::Parenthesis, arguments)),
    ];
    call.into_iter().map(|tree| at(tree, ends)).collect()
}

/// A call on an operand of the user's, all of it at the operand: there a wrong type is refused.
fn borrow(template: &Template, operand: Rust, text: &str) -> TokenStream {
    let span = Span::call_site().located_at(operand.ends.0);
    template
        .with("__xslice_operand", operand.tokens)
        .at(span)
        .fill(text)
}

/// The refusals, and a value of the kind that the form has.
fn dummy(template: Template, refusals: &mut [Refusal], expression: &Expression) -> TokenStream {
    let fallible = expression.notation.run_time().is_some() && expression.constant.is_none();
    let value = if expression.constant.is_some() {
        "_"
    } else if expression.destination.is_some() {
        "()"
    } else {
        "_"
    };
    let ty = match fallible {
        true => format!("::core::result::Result<{value}, {ROOT}::Error>"),
        false => String::from(value),
    };
    let template = template.with("__xslice_refusals", report::compile_errors(refusals));
    template.fill(&format!(
        "{{ __xslice_refusals {ROOT}::__private::dummy::<{ty}>() }}"
    ))
}
