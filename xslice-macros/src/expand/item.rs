//! `xslice! { pub fn crop<...> [1:] }`: the function by its name, and its shape in a module of the same name, which is in another
//! namespace.

use super::{ALLOW, VARIABLES, compile, not_constant, text};
use crate::parse::{Item, Notation};
use crate::report::Refusal;
use crate::template::{self, ROOT, Template};
use proc_macro::{Ident, TokenStream, TokenTree};
use xslice_core::emit::{self, Destination, Function};

/// What is refused is added to `all`.
pub fn expand(root: &TokenStream, item: Item, all: &mut Vec<Refusal>) -> TokenStream {
    let mut refusals = Vec::new();
    let notation = &item.notation;
    let plan = compile(notation, &mut refusals);
    let (destination, constant) = match item.constant {
        Some(_) => (Destination::Constant, "const "),
        None => (Destination::Parameter, ""),
    };
    if item.constant.is_some() {
        refusals.extend(not_constant(notation, plan.as_ref(), None));
    }
    let head =
        format!("__xslice_attributes {ALLOW} __xslice_visibility {constant}fn __xslice_name");
    let form = Function {
        head: &head,
        root: ROOT,
        parameters: &[],
        variables: VARIABLES,
        destination,
        fallible: false,
    };
    let names = parameters(notation);
    let function = plan
        .as_ref()
        .and_then(|plan| text(plan, notation, &names, form, &mut refusals, emit::function))
        .filter(|_| refusals.is_empty())
        .unwrap_or_else(|| dummy(notation, &head, destination));
    let mut template = Template::new(ROOT, item.root.unwrap_or_else(|| root.clone()))
        .with("__xslice_attributes", item.attributes)
        .with("__xslice_conditions", item.conditions)
        .with("__xslice_visibility", item.visibility)
        .with("__xslice_name", TokenTree::Ident(item.name).into());
    // Where the user wrote them: what the compiler says of a name stands there.
    for name in &notation.names {
        let name = parameter(name);
        template = template.with(&name.to_string(), TokenTree::Ident(name).into());
    }
    let shape = plan.as_ref().map_or(&[][..], |plan| plan.shape());
    all.extend(refusals);
    template.fill(&(function + &module(shape)))
}

/// The module with the shape of the result.
fn module(shape: &[usize]) -> String {
    let rank = shape.len();
    format!(
        "__xslice_conditions #[doc = \"About the function of this name.\"] \
         #[allow(dead_code, unreachable_pub, non_snake_case, reason = \"generated\")] \
         __xslice_visibility mod __xslice_name {{ \
         #[doc = \"The shape of its result.\"] pub const SHAPE: [usize; {rank}] = {shape:?}; }}"
    )
}

/// A function of that name that takes anything, so that its callers are not refused too.
fn dummy(notation: &Notation, head: &str, destination: Destination) -> String {
    let count = parameters(notation).len();
    let mut generics: Vec<String> = (0..count).map(|at| format!("T{at}: ?Sized")).collect();
    let mut parameters: Vec<String> = (0..count).map(|at| format!("_: &T{at}")).collect();
    let result = match (destination, notation.run_time().is_some()) {
        (Destination::Parameter, false) => String::new(),
        (Destination::Parameter, true) => format!("-> ::core::result::Result<(), {ROOT}::Error>"),
        (Destination::Constant, _) => String::from("-> R"),
    };
    if destination == Destination::Parameter {
        generics.push(String::from("D: ?Sized"));
        parameters.push(String::from("_: &mut D"));
    } else {
        generics.push(String::from("R"));
    }
    let (generics, parameters) = (generics.join(", "), parameters.join(", "));
    format!("{head}<{generics}>({parameters}) {result} {{ loop {{}} }} ")
}

/// The parameters of a function that its users read: the data, then the operands by their names.
fn parameters(notation: &Notation) -> Vec<String> {
    let names = notation
        .names
        .iter()
        .map(|name| parameter(name).to_string());
    let data = notation.has_data.then(|| notation.data_name());
    data.into_iter().chain(names).collect()
}

/// An operand by its name, which no primitive type has.
fn parameter(name: &Ident) -> Ident {
    match name.to_string() {
        primitive if template::is_primitive(&primitive) => {
            Ident::new(&format!("{primitive}_"), name.span())
        }
        _ => name.clone(),
    }
}
