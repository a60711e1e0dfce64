//! `xslice!(<...> x[1:] => y)`: a function that moves and its numbers, in a block, called on the user's operands.
//!
//! Operands are borrowed by the traits of the facade, each once. They stand in a block where every name is one that no user has. The
//! traits decide which operands have a length to be looked at, and with it whether the value is a `Result`.
//!
//! Every token of a template costs a call of the compiler, and a crate may have hundreds of invocations: what is common is text here, which
//! is lexed in one.

use super::{compile, not_constant, text};
use crate::parse::{Expression, Notation, Rust};
use crate::report::{self, Refusal};
use crate::template::{self, ROOT, Template};
use crate::tokens::Ends;
use proc_macro::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use xslice_core::emit::{self, Destination, Function, Moved};
use xslice_core::{ElementType, Error, ErrorKind, Plan};

/// How `scope` calls the facade.
const IN_SCOPE: &str = "__xslice";

/// The array of a result.
const DST: &str = "__xslice_dst";

/// The function that moves, where it is the expansion's own.
const RUN: &str = "__xslice_run";

/// Bytes of a result that is returned as an array.
const ARRAY: usize = 16 << 10;

pub fn expand(
    root: TokenStream,
    expression: Expression,
    mut refusals: Vec<Refusal>,
) -> TokenStream {
    let notation = &expression.notation;
    let plan = compile(notation, &mut refusals);
    let is_constant = expression.constant.is_some();
    if is_constant {
        let arrow = expression.destination.as_ref().map(|to| to.arrow);
        refusals.extend(not_constant(notation, plan.as_ref(), arrow));
    } else if let (None, Some(plan)) = (&expression.destination, &plan) {
        refusals.extend(too_large(plan, notation.chain_ends()));
    }
    let (root_of_text, destination) = match is_constant {
        true => (ROOT, Destination::Constant),
        false => (IN_SCOPE, Destination::Parameter),
    };
    let form = Function {
        head: RUN,
        root: root_of_text,
        parameters: &[],
        destination,
        fallible: false,
    };
    let written = plan.as_ref().and_then(|plan| {
        let refusals = &mut refusals;
        if is_constant {
            let head = format!("const fn {RUN}");
            let form = Function {
                head: &head,
                ..form
            };
            text(plan, notation, form, refusals, emit::function).map(Written::Constant)
        } else {
            text(plan, notation, form, refusals, emit::moved).map(Written::Moved)
        }
    });
    match (written, plan) {
        (Some(written), Some(plan)) if refusals.is_empty() => match written {
            Written::Constant(run) => {
                constant(&Template::new(ROOT, root), &run, expression.source, &plan)
            }
            Written::Moved(moved) => call(root, &moved, expression, &plan),
        },
        _ => dummy(Template::new(ROOT, root), &mut refusals, &expression),
    }
}

/// What moves.
enum Written {
    /// A function that is `const`.
    Constant(String),
    Moved(Moved),
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
        return template.fill(&format!("{{ {run} {RUN}() }}"));
    };
    let element = emit::element(plan.element_type(), ROOT);
    let view = format!("{ROOT}::__private::Flat::<_, {element}>::of(&__xslice_operand).array()");
    let view = borrow(template, source, &view);
    let template = template.with("__xslice_view", view);
    template.fill(&format!("{{ {run} {RUN}(__xslice_view) }}"))
}

/// The call on the user's operands, in a block that sees `scope` of the facade.
fn call(root: TokenStream, moved: &Moved, expression: Expression, plan: &Plan) -> TokenStream {
    let sources = sources(&expression.notation, expression.source, plan);
    let (before, run, mut arguments, behind) = match expression.destination {
        Some(to) => {
            let need = need("Destination", plan.element_type(), plan.output_len());
            let place = method("__xslice_destination", to.place, &need);
            (String::new(), "run", pair(sources, place), String::new())
        }
        None => {
            let mut operands = sources;
            operands.extend(template::tokens(&format!(", &mut {DST}")));
            let zeros = emit::zeros(plan, IN_SCOPE);
            let before = format!("let mut {DST} = {zeros}; let {DST} =");
            // In a variable: a result of another type than is wanted is refused as such, and not as an argument.
            let behind = format!(".__xslice_value({DST}); {DST}");
            (before, "run_into", operands, behind)
        }
    };
    let Moved {
        items,
        function,
        numbers,
    } = moved;
    arguments.extend(template::tokens(&format!(", {numbers}, {function}")));
    let mut block = template::tokens("use");
    block.extend(root);
    block.extend(template::tokens(&template::qualified(&format!(
        "::__private::scope::*; {items} {before} {IN_SCOPE}::__private::{run}"
    ))));
    block.extend([group(Delimiter::Parenthesis, arguments)]);
    block.extend(template::tokens(&behind));
    group(Delimiter::Brace, block).into()
}

/// The data and the operands by their names, borrowed, in pairs.
fn sources(notation: &Notation, data: Option<Rust>, plan: &Plan) -> TokenStream {
    let data = data.map(|rust| {
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
        let arguments = format!("{name:?}, {}", need("Source", ty, len));
        method("__xslice_source", rust, &arguments)
    });
    sources
        .reduce(pair)
        .unwrap_or_else(|| template::tokens("()"))
}

fn group(delimiter: Delimiter, stream: TokenStream) -> TokenTree {
    TokenTree::Group(Group::new(delimiter, stream))
}

fn pair(mut first: TokenStream, second: TokenStream) -> TokenStream {
    first.extend([TokenTree::Punct(Punct::new(',', Spacing::Alone))]);
    first.extend(second);
    group(Delimiter::Parenthesis, first).into()
}

/// How many elements of a type an operand needs, as `scope` calls it.
fn need(of: &str, ty: ElementType, len: usize) -> String {
    let element = emit::element(ty, IN_SCOPE);
    template::qualified(&format!("<_ as __Xslice{of}<{element}, {len}>>::NEED"))
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
    let is_written = expression.constant.is_none() && expression.destination.is_some();
    let value = if is_written { "()" } else { "_" };
    let ty = match fallible {
        true => format!("::core::result::Result<{value}, {ROOT}::Error>"),
        false => String::from(value),
    };
    let template = template.with("__xslice_refusals", report::compile_errors(refusals));
    template.fill(&format!(
        "{{ __xslice_refusals {ROOT}::__private::dummy::<{ty}>() }}"
    ))
}
