//! `xslice!(<...> x[1:] => y)`: the function inside of a block, called on the user's operands.
//!
//! Operands are borrowed by the traits of the facade, each once, outside of the block in which the function stands: so no name of
//! the expansion is in the sight of the user's expressions. The traits decide which operands have a length to be looked at,
//! and with it whether the value is a `Result`.

use super::{ALLOW, compile, function, not_constant};
use crate::parse::{Expression, Notation, Rust};
use crate::report::{self, Refusal};
use crate::template::{ROOT, Template};
use crate::tokens::Ends;
use proc_macro::{Span, TokenStream, TokenTree};
use xslice_core::emit::{self, Destination};
use xslice_core::{Error, ErrorKind, Plan};

const RESULT: &str = "::core::result::Result";

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
    let template = Template::new(ROOT, root);
    let run = plan
        .as_ref()
        .and_then(|plan| function(plan, notation, head, destination, &mut refusals));
    match (run, plan) {
        (Some(run), Some(plan)) if refusals.is_empty() => {
            let run = format!("{ALLOW} {run}");
            if destination == Destination::Constant {
                constant(&template, &run, expression.source, &plan)
            } else {
                call(&template, &run, expression, &plan)
            }
        }
        _ => dummy(template, &mut refusals, &expression),
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

/// The function and its call on the user's operands.
fn call(template: &Template, run: &str, expression: Expression, plan: &Plan) -> TokenStream {
    let fallible = expression.notation.run_time().is_some();
    let borrow = match expression.destination {
        Some(_) => format!("use {ROOT}::__private::Borrow as _;"),
        None => String::new(),
    };
    let mut operands = sources(template, plan, &expression.notation, expression.source);
    let place = expression.destination.map(|to| to.place);
    operands.extend(place.map(|place| destination(template, plan, place)));
    if operands.is_empty() {
        return template.fill(&format!("{{ {run} __xslice_run() }}"));
    }
    let value = matches(run, operands.len(), fallible);
    let mut template = template.clone();
    for (at, operand) in operands.into_iter().enumerate() {
        template = template.with(&format!("__xslice_view{at}"), operand);
    }
    template.fill(&format!("{{ {borrow} {value} }}"))
}

/// A match on each borrowed operand, inside of the one before, and the call in the innermost: what is borrowed lives that long, and what is
/// wrong with the first operand with which anything is, is the value.
fn matches(run: &str, count: usize, fallible: bool) -> String {
    let names: Vec<String> = (0..count).map(|at| format!("__xslice_{at}")).collect();
    let call = format!("__xslice_run({})", names.join(", "));
    let mut value = match fallible {
        true => format!("{{ {run} {call} }}"),
        false => format!("{{ {run} {RESULT}::Ok({call}) }}"),
    };
    for (at, name) in names.iter().enumerate().rev() {
        let error = match (fallible, count, at) {
            (true, _, _) => format!("{ROOT}::__private::IntoError::into_error(error)"),
            (false, 1, _) => String::from("error"),
            (false, _, 0) => format!("{ROOT}::__private::Either::First(error)"),
            (false, _, _) => format!("{ROOT}::__private::Either::Second(error)"),
        };
        value = format!(
            "match __xslice_view{at} {{ {RESULT}::Ok({name}) => {value}, {RESULT}::Err(error) => {RESULT}::Err({error}) }}"
        );
    }
    match fallible {
        true => value,
        false => format!("{ROOT}::__private::value({value})"),
    }
}

/// The data and the operands that are declared, borrowed.
fn sources(
    template: &Template,
    plan: &Plan,
    notation: &Notation,
    data: Option<Rust>,
) -> Vec<TokenStream> {
    let data = data.map(|data| {
        let name = notation.flat.tokens()[notation.chain].kind.to_string();
        (data, name)
    });
    let others = notation.names.iter().map(|name| {
        let operand = Rust {
            tokens: TokenTree::Ident(name.clone()).into(),
            ends: (name.span(), name.span()),
        };
        (operand, name.to_string())
    });
    let operands = data.into_iter().chain(others).zip(plan.operand_types());
    let borrowed = operands.map(|((operand, name), (ty, len))| {
        let element = emit::element(ty, ROOT);
        let text = format!(
            "<_ as {ROOT}::__private::Source<{element}, {len}>>::view(&__xslice_operand, {name:?})"
        );
        borrow(template, operand, &text)
    });
    borrowed.collect()
}

fn destination(template: &Template, plan: &Plan, place: Rust) -> TokenStream {
    let (element, len) = (emit::element(plan.element_type(), ROOT), plan.output_len());
    // A method call borrows what is no reference yet and borrows again what is one.
    let text = format!(
        "<_ as {ROOT}::__private::Destination<{element}, {len}>>::view((__xslice_operand).__xslice_borrow(), \"output\")"
    );
    borrow(template, place, &text)
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
