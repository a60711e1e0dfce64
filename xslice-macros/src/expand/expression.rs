//! `xslice!(<...> x[1:] => y)`: the call of a function that moves, on the user's operands, in a block.
//!
//! Operands are borrowed by the traits of the facade, each once. They stand in a block where every name is one that no user has. The
//! traits decide which operands have a length to be looked at, and with it whether the value is a `Result`.
//!
//! A crate may have hundreds of invocations, and a macro runs without optimisation where its user builds without: what stands at the
//! operands is made token by token, what else is common is text, which is lexed in one.

use super::{VARIABLES, compile, not_constant, text};
use crate::parse::{Expression, Notation, Rust};
use crate::report::{self, Refusal};
use crate::template::{self, ROOT, Template};
use crate::tokens::Ends;
use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use std::slice;
use xslice_core::emit::{self, By, Destination, Function, Moved};
use xslice_core::{ElementType, Error, ErrorKind, Plan};

/// How `scope` calls the facade.
const IN_SCOPE: &str = "__xslice";

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
        variables: VARIABLES,
        destination,
        fallible: false,
    };
    let names = parameters(notation);
    let written = plan.as_ref().and_then(|plan| {
        let refusals = &mut refusals;
        if is_constant {
            let head = format!("const fn {RUN}");
            let form = Function {
                head: &head,
                ..form
            };
            text(plan, notation, &names, form, refusals, emit::function).map(Written::Constant)
        } else {
            text(plan, notation, &names, form, refusals, emit::moved).map(Written::Moved)
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

/// The parameters of the function that moves: names that no user has. By the name of a `static` or a `const`, a parameter would be a pattern
/// that means it.
fn parameters(notation: &Notation) -> Vec<String> {
    let count = usize::from(notation.has_data) + notation.names.len();
    (0..count).map(|at| format!("{IN_SCOPE}_{at}")).collect()
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
    let fallible = expression.notation.run_time().is_some();
    let (function, numbers) = match &moved.by {
        By::Call { function, numbers } => (function.as_str(), numbers.as_str()),
        By::Own if fallible => ("try_run", RUN),
        By::Own => ("run", RUN),
    };
    let mut operands = sources(&expression.notation, expression.source, plan);
    if matches!(moved.by, By::Own) {
        operands = vec![paired(operands)];
    }
    let to = match expression.destination {
        Some(to) => {
            let need = (plan.element_type(), plan.output_len());
            operands.push(borrowed(to.place, None, need));
            String::from("To")
        }
        None => format!("Array::<{}>", plan.output_len()),
    };
    let operands = operands.into_iter().flat_map(|mut operand| {
        operand.push(punct(','));
        operand
    });
    let mut arguments: TokenStream = operands.collect();
    arguments.extend(template::tokens(&template::qualified(numbers)));
    let before = format!(
        "::__private::scope::*; {} {IN_SCOPE}::__private::{to}::{function}",
        template::qualified(&moved.items)
    );
    let mut block = TokenStream::from(word("use"));
    block.extend(root);
    block.extend(template::tokens(&before));
    block.extend([group(Delimiter::Parenthesis, arguments)]);
    group(Delimiter::Brace, block).into()
}

/// The data and the operands by their names, borrowed.
fn sources(notation: &Notation, data: Option<Rust>, plan: &Plan) -> Vec<Vec<TokenTree>> {
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
    let borrowed = sources.map(|((rust, name), need)| borrowed(rust, Some(&name), need));
    borrowed.collect()
}

/// An operand of the user's by the method that borrows it: a source by its name, a destination without. All of it stands at the operand,
/// where a wrong type is refused.
fn borrowed(operand: Rust, name: Option<&str>, (ty, len): (ElementType, usize)) -> Vec<TokenTree> {
    let (method, need) = match name {
        Some(_) => ("__xslice_source", "__XsliceSource"),
        None => ("__xslice_destination", "__XsliceDestination"),
    };
    let mut arguments = Vec::with_capacity(16);
    if let Some(name) = name {
        arguments.extend([Literal::string(name).into(), punct(',')]);
    }
    // `__XsliceSource::<__xslice::f32, 24>::NEED`
    arguments.push(word(need));
    arguments.extend(colons());
    arguments.extend([punct('<'), word(IN_SCOPE)]);
    arguments.extend(colons());
    arguments.extend([
        word(ty.name()),
        punct(','),
        Literal::usize_unsuffixed(len).into(),
        punct('>'),
    ]);
    arguments.extend(colons());
    arguments.push(word("NEED"));
    let span = Span::call_site().located_at(operand.ends.0);
    let at = |mut tree: TokenTree| {
        tree.set_span(span);
        tree
    };
    let call = [
        group(Delimiter::Parenthesis, operand.tokens),
        punct('.'),
        word(method),
        group(
            Delimiter::Parenthesis,
            arguments.into_iter().map(at).collect(),
        ),
    ];
    call.map(at).into()
}

fn word(text: &str) -> TokenTree {
    Ident::new(text, Span::call_site()).into()
}

fn punct(char: char) -> TokenTree {
    Punct::new(char, Spacing::Alone).into()
}

/// `::`
fn colons() -> [TokenTree; 2] {
    [Punct::new(':', Spacing::Joint).into(), punct(':')]
}

fn group(delimiter: Delimiter, stream: TokenStream) -> TokenTree {
    Group::new(delimiter, stream).into()
}

/// `((a, b), c)`, and `()` for none.
fn paired(operands: Vec<Vec<TokenTree>>) -> Vec<TokenTree> {
    let pair = |mut first: Vec<TokenTree>, second: Vec<TokenTree>| {
        first.push(punct(','));
        first.extend(second);
        vec![group(Delimiter::Parenthesis, first.into_iter().collect())]
    };
    let all = operands.into_iter().reduce(pair);
    all.unwrap_or_else(|| vec![group(Delimiter::Parenthesis, TokenStream::new())])
}

/// A call on an operand of the user's, all of it at the operand: there a wrong type is refused.
fn borrow(template: &Template, operand: Rust, text: &str) -> TokenStream {
    let span = Span::call_site().located_at(operand.ends.0);
    template
        .with("__xslice_operand", operand.tokens)
        .at(span)
        .fill(text)
}

/// The refusals, and a value of the kind that the form has. One alone is its own value, and it can stand among items too, where the compiler
/// would not look into a block; what begins with no types may have been meant as an item, so that only the first is told.
fn dummy(template: Template, refusals: &mut [Refusal], expression: &Expression) -> TokenStream {
    match refusals {
        [only] => return report::compile_errors(slice::from_mut(only)),
        [first, ..] if expression.notation.chain == 0 => {
            return report::compile_errors(slice::from_mut(first));
        }
        _ => {}
    }
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
