//! What a call is compared with before anything moves: number, types and lengths of its buffers, values of its parameters.

use super::Plan;
use crate::elem::ElementType;
use crate::error::{Error, ErrorKind, counted};
use crate::operand::{Input, Output};
use crate::tensor::Tensor;
use alloc::{format, string::String, sync::Arc};

/// What a call must give for one operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OperandNeed {
    pub ty: ElementType,
    /// Elements of the buffer: exactly this many where `exact`, at least this many otherwise.
    pub len: usize,
    pub exact: bool,
    /// The value that the plan was compiled for, for a parameter.
    pub value: Option<Arc<Tensor>>,
}

impl Plan {
    /// Compares a call with the signature: number, types and lengths of the buffers, values of the parameters. Every engine calls
    /// this first, or compares as strictly itself; what passes satisfies I3 and I5 for this plan.
    ///
    /// # Errors
    /// [`ErrorKind::OperandCount`], [`ErrorKind::OperandType`], [`ErrorKind::OperandLength`], [`ErrorKind::OperandValue`].
    #[inline]
    pub fn admit(&self, inputs: &[Input<'_>], output: &Output<'_>) -> Result<(), Error> {
        // What differs is looked for once something does, and values of parameters are compared there.
        let mut operands = self.operands.iter().zip(inputs);
        let fits = inputs.len() == self.operands.len()
            && operands.all(|(need, input)| {
                let given = (input.element_type(), input.len());
                is_admitted((need.ty, need.len), need.exact, given) && need.value.is_none()
            });
        let given = (output.element_type(), output.len());
        if fits && is_admitted((self.ty, self.output_len), self.exact_output, given) {
            return Ok(());
        }
        self.compare(inputs, output)
    }

    #[inline(never)]
    fn compare(&self, inputs: &[Input<'_>], output: &Output<'_>) -> Result<(), Error> {
        if inputs.len() != self.operands.len() {
            return Err(refuse_count(&self.names, inputs.len()));
        }
        for (at, (need, input)) in self.operands.iter().zip(inputs).enumerate() {
            let name = || self.names.get(at).map_or("an operand", String::as_str);
            let given = (input.element_type(), input.len());
            admit_buffer((need.ty, need.len), need.exact, given, name)?;
            if let Some(value) = &need.value {
                admit_value(value, input, &name)?;
            }
        }
        let given = (output.element_type(), output.len());
        let need = (self.ty, self.output_len);
        admit_buffer(need, self.exact_output, given, || "output")
    }
}

/// The refusal of a call, or of a signature, with another number of operands than these.
#[cold]
pub(crate) fn refuse_count(names: &[String], given: usize) -> Error {
    let text = counted(given, "operand is given", "operands are given");
    let allowed = match names {
        [] => String::from("0"),
        names => format!("{}: {}", names.len(), names.join(", ")),
    };
    Error::new(ErrorKind::OperandCount, text)
        .value(given)
        .allowed(allowed)
}

#[inline]
fn is_admitted(
    (ty, len): (ElementType, usize),
    exact: bool,
    (given_ty, given): (ElementType, usize),
) -> bool {
    ty == given_ty && (given == len || (given > len && !exact))
}

fn admit_buffer<'a>(
    (ty, len): (ElementType, usize),
    exact: bool,
    given: (ElementType, usize),
    name: impl FnOnce() -> &'a str,
) -> Result<(), Error> {
    if is_admitted((ty, len), exact, given) {
        return Ok(());
    }
    Err(refuse_buffer((ty, len), exact, given, name()))
}

#[cold]
fn refuse_buffer(
    (ty, len): (ElementType, usize),
    exact: bool,
    (given_ty, given): (ElementType, usize),
    name: &str,
) -> Error {
    let name = String::from(name);
    if ty != given_ty {
        return Error::new(ErrorKind::OperandType, format!("`{name}` holds {given_ty}"))
            .parameter(name)
            .value(given_ty)
            .allowed(ty.name());
    }
    let error = refuse_length(name, given, len);
    match exact {
        true => error,
        false => error.allowed(format!("at least {}", elements_of(len))),
    }
}

/// The refusal of a buffer that has not as many elements as the plan names. For engines.
#[doc(hidden)]
#[cold]
#[must_use]
pub fn refuse_length(name: String, given: usize, needed: usize) -> Error {
    let text = format!("`{name}` has {}", elements_of(given));
    Error::new(ErrorKind::OperandLength, text)
        .parameter(name)
        .value(given)
        .allowed(elements_of(needed))
}

fn elements_of(len: usize) -> String {
    counted(len, "element", "elements")
}

fn admit_value<'a>(
    value: &Tensor,
    input: &Input<'_>,
    name: &dyn Fn() -> &'a str,
) -> Result<(), Error> {
    if value.bytes() == input.bytes() {
        return Ok(());
    }
    let name = String::from(name());
    Err(Error::new(
        ErrorKind::OperandValue,
        format!("`{name}` has another value than the signature"),
    )
    .parameter(name)
    .hint("compile again with the new value: it decides the shape"))
}
