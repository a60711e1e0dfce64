//! The arguments of operators: from values as they are written to parameters, masks and names.
//!
//! How an attribute may be written is refused here; what its value may be is refused by the core. The literals of a Range have no type of
//! their own: it stands in front, or is that of a run-time operand beside them.

use super::ast::{Argument, Operator, Value};
use super::build::{Builder, Element};
use super::operator::{self, Arguments, Known, Takes};
use super::{cursor, words};
use crate::elem::ElementType;
use crate::error::{Error, ErrorKind};
use crate::op::{Op, Param};
use alloc::{collections::BTreeSet, format, string::String, vec::Vec};

impl<'t> Builder<'_, 't> {
    /// The operator that a text means; `None` if a part of it is refused.
    pub(super) fn operator(&mut self, ast: &'t Operator, element: Option<&Element>) -> Option<Op> {
        let known = match Known::find(&ast.path.text) {
            Ok(known) => known,
            Err(error) => return self.refuse(&ast.path.span, error),
        };
        let version = ast.version.0;
        let mut sound = !ast.broken;
        if let Err(error) = Arguments::default().operator(known, version).validate()
            && error.kind() == ErrorKind::UnknownVersion
        {
            self.refuse::<()>(&ast.version.1, error);
            sound = false;
        }
        let scalar = match known {
            Known::OnnxRange => self.range_type(ast, element),
            Known::OnnxSlice | Known::OnnxGather | Known::OpenVinoSlice | Known::StridedSlice => {
                Some(None)
            }
        };
        sound &= scalar.is_some();
        let mut arguments = Arguments::default();
        let mut given = BTreeSet::new();
        for argument in &ast.arguments {
            let (name, takes) = match known.takes(&argument.name.text, version) {
                Ok(found) => found,
                Err(error) => {
                    self.refuse::<()>(&argument.name.span, error);
                    sound = false;
                    continue;
                }
            };
            if !given.insert(name) {
                let error = Error::new(
                    ErrorKind::RepeatedAttribute,
                    format!("`{name}` is given twice"),
                );
                self.refuse::<()>(
                    &argument.name.span,
                    error.parameter(name).allowed("each attribute once"),
                );
                sound = false;
                continue;
            }
            // An operator whose type is refused has said so once.
            let scalar = scalar.unwrap_or(Some(ElementType::F64));
            sound &= self
                .argument(argument, (name, takes), scalar, &mut arguments)
                .is_some();
        }
        sound.then(|| arguments.operator(known, version))
    }

    /// The type of the literals of a Range: the one declared, else that of an operand. `Some(None)` if it comes with the signature,
    /// `None` if it is refused.
    fn range_type(
        &mut self,
        ast: &Operator,
        element: Option<&Element>,
    ) -> Option<Option<ElementType>> {
        if let Some((ty, span)) = element {
            let op = Arguments::default().operator(Known::OnnxRange, ast.version.0);
            return match op.check_param_type("start", *ty) {
                Ok(()) => Some(Some(*ty)),
                Err(error) => self.refuse(span, error.operator(op.label())),
            };
        }
        let mut tensors = ast.tensors().peekable();
        if tensors.peek().is_some() {
            return Some(tensors.find_map(|tensor| self.tensor_type(tensor)));
        }
        if ast.broken || ast.arguments.is_empty() {
            return Some(Some(ElementType::F64));
        }
        let ty = match ast
            .arguments
            .iter()
            .any(|argument| matches!(argument.value, Value::Float(_)))
        {
            true => "f32",
            false => "i64",
        };
        let error = cursor::syntax("the element type of the Range is not known")
            .allowed("i16, i32, i64, f32, f64")
            .hint(format!(
                "write it in front: `<{ty}> onnx::Range@{}(...)`",
                ast.version.0
            ));
        self.refuse(&ast.head, error)
    }

    /// Takes an argument; `scalar` is the type of literals in a Range.
    fn argument(
        &mut self,
        argument: &'t Argument,
        (name, takes): (&'static str, Takes),
        scalar: Option<ElementType>,
        arguments: &mut Arguments,
    ) -> Option<()> {
        match (takes, &argument.value) {
            (Takes::Tensor | Takes::Scalar, Value::Tensor(tensor)) => {
                arguments.params.insert(name, self.tensor(tensor)?);
            }
            (Takes::Tensor, Value::Integer(integer)) => {
                arguments.params.insert(name, integer.value.into());
            }
            (Takes::Tensor, Value::List(list)) => {
                arguments.params.insert(name, self.list(list)?);
            }
            (Takes::Scalar, Value::Integer(_) | Value::Float(_) | Value::List(_)) => {
                arguments
                    .params
                    .insert(name, self.scalar(argument, scalar)?);
            }
            (Takes::Axis, Value::Integer(integer)) => arguments.axis = integer.value,
            (Takes::Mask, Value::List(list)) => {
                let (shape, values) = match operator::flatten(list) {
                    Ok(flat) => flat,
                    Err(diagnostic) => return self.refuse(&diagnostic.span, diagnostic.error),
                };
                if shape.len() != 1 {
                    return self.refuse(&argument.span, mask_rank(name, &shape));
                }
                arguments.masks.insert(name, values);
            }
            (Takes::Mask, Value::Integer(_)) => {
                return self.refuse(&argument.span, mask_rank(name, &[]));
            }
            (Takes::Dialect, Value::Name(dialect)) => match operator::dialect(&dialect.text) {
                Ok(dialect) => arguments.dialect = dialect,
                Err(error) => return self.refuse(&argument.span, error),
            },
            (takes, value) => return self.refuse(&argument.span, wrong_value(name, takes, value)),
        }
        Some(())
    }

    /// A literal of a Range in its type; `None` for a type that comes with the signature, where integers are `i64`.
    fn scalar(&mut self, argument: &Argument, ty: Option<ElementType>) -> Option<Param> {
        let known = ty.unwrap_or(ElementType::I64);
        let (shape, values) = match &argument.value {
            Value::Float(float) => {
                let tensor = operator::float_as(known, &float.text);
                let tensor = tensor.map_err(|error| error.parameter(argument.name.text.clone()));
                return self.constant(tensor, &float.span);
            }
            Value::Integer(integer) => (Vec::new(), alloc::vec![integer.value]),
            Value::List(list) => match operator::flatten(list) {
                Ok(flat) => flat,
                Err(diagnostic) => return self.refuse(&diagnostic.span, diagnostic.error),
            },
            Value::Tensor(_) | Value::Name(_) => return None,
        };
        match operator::integers_as(known, &shape, &values) {
            Ok(tensor) => self.constant(tensor, &argument.span),
            Err(at) => {
                let span = match &argument.value {
                    Value::List(list) => operator::element_span(list, at),
                    _ => argument.span.clone(),
                };
                let allowed = match known {
                    ElementType::I16 => format!("{}..={}", i16::MIN, i16::MAX),
                    _ => format!("{}..={}", i32::MIN, i32::MAX),
                };
                let error = Error::new(
                    ErrorKind::NumberRange,
                    format!("number {} does not fit {known}", values[at]),
                );
                self.refuse(
                    &span,
                    error
                        .parameter(argument.name.text.clone())
                        .value(values[at])
                        .allowed(allowed),
                )
            }
        }
    }
}

fn mask_rank(name: &'static str, shape: &[usize]) -> Error {
    Error::new(
        ErrorKind::ParameterRank,
        format!("`{name}` has shape {shape:?}"),
    )
    .parameter(name)
    .value(format!("{shape:?}"))
    .allowed("rank 1")
    .hint(format!("write a list of 0 and 1: `{name} = [0, 1]`"))
}

/// A value that the attribute is not written with.
fn wrong_value(name: &'static str, takes: Takes, value: &Value) -> Error {
    let (what, hint) = match value {
        Value::Integer(_) => ("an integer", String::new()),
        Value::Float(_) => ("a float", String::new()),
        Value::List(_) => ("a list", String::new()),
        Value::Tensor(_) => (
            "a run-time operand",
            String::from("this attribute is part of the operator, not one of its inputs"),
        ),
        Value::Name(name) => {
            let name = words::cut(&name.text);
            ("a name", format!("a run-time operand is written `@{name}`"))
        }
    };
    let (allowed, hint) = match takes {
        Takes::Tensor => ("an integer, a list, `@name`", hint),
        Takes::Scalar => ("a number, `@name`", hint),
        Takes::Axis => ("an integer", hint),
        Takes::Mask => ("a list of 0 and 1", hint),
        Takes::Dialect => ("standard, onnxruntime, openvino_text", String::new()),
    };
    let hint = match (value, takes) {
        (Value::Name(_), Takes::Axis | Takes::Mask) => {
            String::from("write the number: names are not read")
        }
        _ => hint,
    };
    let error = cursor::syntax(format!("{what} as `{name}`"))
        .parameter(name)
        .allowed(allowed);
    if hint.is_empty() {
        error
    } else {
        error.hint(hint)
    }
}
