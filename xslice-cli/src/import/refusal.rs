//! What every importer refuses, in the same words.

use crate::error::Fault;
use xslice::{Error, ErrorKind, counted};

/// An operator that is none of `known`; `more` says what to do, after its own `; ` where there is something.
pub fn not_compiled(node: &str, operator: &str, known: &[&str], more: &str) -> Fault {
    let what = format!(
        "operator `{}` is not one that xslice compiles (allowed: {}){more}",
        operator.escape_debug(),
        known.join(", ")
    );
    Fault::outside_scope(Some(node), what)
}

/// So many inputs, where an operator has at most `most`.
pub fn too_many_inputs(count: usize, most: usize) -> Error {
    let text = counted(count, "input is given", "inputs are given");
    let error = Error::new(ErrorKind::UnknownAttribute, text);
    error.value(count).allowed(format!("at most {most}"))
}

/// So many outputs, if they are too many: every operator has one.
pub fn too_many_outputs(count: usize) -> Option<Error> {
    let text = format!("{count} outputs are given");
    let error = || Error::new(ErrorKind::UnknownAttribute, text);
    (count > 1).then(|| error().value(count).allowed("1 output"))
}

/// An attribute that is none of `known`; `place` is such as " in this version".
pub fn unknown_attribute(name: &str, known: &[&str], place: &str) -> Error {
    let allowed = match known {
        [] => "no attribute".into(),
        _ => known.join(", "),
    };
    let text = format!("attribute `{}` does not exist{place}", name.escape_debug());
    let error = Error::new(ErrorKind::UnknownAttribute, text);
    error.parameter(name.to_string()).allowed(allowed)
}
