//! `xslice!(<...> x[1:] => y)`: the function inside of a block, called on the user's operands.
//!
//! Operands are borrowed by the traits of the facade, each once. They stand in the block of the function, where every name is one that no
//! user has. The traits decide which operands have a length to be looked at, and with it whether the value is a `Result`.
//!
//! Every token of a template costs a call of the compiler, and a crate may have hundreds of invocations: what is common is text here, which
//! is lexed in one.

use super::{compile, function, not_constant};
use crate::parse::{Expression, Rust};
use crate::report::{self, Refusal};
use crate::template::{self, ROOT, Template};
use crate::tokens::Ends;
use proc_macro::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use xslice_core::emit::{self, Destination, Function, Taken};
use xslice_core::{ElementType, Error, ErrorKind, Plan};

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
    let form = Function {
        head,
        root: if is_constant { ROOT } else { IN_SCOPE },
        parameters: &[],
        destination,
        fallible: false,
        taken: if is_constant {
            Taken::Arrays
        } else {
            Taken::Slices
        },
    };
    let run = plan
        .as_ref()
        .and_then(|plan| function(plan, notation, form, &mut refusals));
    match (run, plan) {
        (Some(run), Some(plan)) if refusals.is_empty() => {
            if is_constant {
                constant(&Template::new(ROOT, root), &run, expression.source, &plan)
            } else {
                call(root, &run, expression, &plan)
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
fn call(root: TokenStream, run: &str, expression: Expression, plan: &Plan) -> TokenStream {
    let notation = &expression.notation;
    let data = expression.source.map(|rust| {
        let name = notation.flat.tokens()[notation.chain].kind.to_string();
        (rust, name)
    });
    let named = notation.names.iter().map(|name| {
        let tokens = TokenTree::Ident(name.clone()).into();
        let ends = (name.span(), name.span());
        (Rust { tokens, ends }, name.to_string())
    });
    let sources = data.into_iter().chain(named).zip(plan.operand_types());
    let sources = sources.map(|((rust, name), (ty, len))| {
        let arguments = format!("{name:?}, {}", need(ty, len));
        method("__xslice_source", rust, &arguments)
    });
    let place = expression.destination.map(|to| {
        let need = need(plan.element_type(), plan.output_len());
        method("__xslice_destination", to.place, &need)
    });
    let comma = || TokenTree::Punct(Punct::new(',', Spacing::Alone));
    let operands = sources.chain(place).reduce(|mut pair, operand| {
        pair.extend([comma()]);
        pair.extend(operand);
        TokenTree::Group(Group::new(Delimiter::Parenthesis, pair)).into()
    });
    let mut arguments = operands.unwrap_or_else(|| template::tokens("()"));
    arguments.extend([comma()]);
    arguments.extend(template::tokens("__xslice_run"));
    let run_by = match notation.run_time() {
        Some(_) => "try_run",
        None => "run",
    };
    let mut value = template::tokens(&format!("{IN_SCOPE}::__private::{run_by}"));
    let arguments = Group::new(Delimiter::Parenthesis, arguments);
    value.extend([TokenTree::Group(arguments)]);
    let mut block = template::tokens("use");
    block.extend(root);
    block.extend(template::tokens(&format!(
        "::__private::scope::*; {}",
        template::qualified(run)
    )));
    block.extend(value);
    TokenTree::Group(Group::new(Delimiter::Brace, block)).into()
}

/// Elements of a type and their number, as `scope` calls them.
fn need(ty: ElementType, len: usize) -> String {
    let element = emit::element(ty, IN_SCOPE);
    template::qualified(&format!("__XsliceOf::<[{element}; {len}]>"))
}

/// A call of a method on an operand of the user's. All of it stands at the operand, where a wrong type is refused.
fn method(method: &str, operand: Rust, arguments: &str) -> TokenStream {
    let span = Span::call_site().located_at(operand.ends.0);
    let at = |mut tree: TokenTree| {
        tree.set_span(span);
        tree
    };
    let arguments = template::tokens(arguments).into_iter().map(at).collect();
    let call = [
        TokenTree::Group(Group::new(Delimiter::Parenthesis, operand.tokens)),
        TokenTree::Punct(Punct::new('.', Spacing::Alone)),
        TokenTree::Ident(Ident::new(method, span)),
        TokenTree::Group(Group::new(Delimiter::Parenthesis, arguments)),
    ];
    call.into_iter().map(at).collect()
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
