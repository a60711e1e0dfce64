//! The arguments of operators: from values as they are written to parameters, masks and names.
//!
//! How an attribute may be written is refused here, in the name of its operator; what its value may be is refused by the core. The
//! literals of a Range have no type of their own: it stands in front, or is that of a run-time operand beside them.

use super::ast::{Argument, Operator, Tensor, Value};
use super::build::{Builder, Element};
use super::operator::{self, Arguments};
use super::place::Place;
use super::{Diagnostic, Span, cursor, words};
use crate::elem::ElementType;
use crate::error::{Error, ErrorKind};
use crate::op::{Op, OpKind, Takes, refuse_twice};
use crate::resolve::{self, literal};
use crate::tensor;
use alloc::{
    collections::BTreeSet,
    format,
    string::{String, ToString},
    vec::Vec,
};

impl<'t> Builder<'_, 't> {
    /// The operator that a text means; `None` if a part of it is refused.
    pub(super) fn operator(&mut self, ast: &'t Operator, element: Option<&Element>) -> Option<Op> {
        let kind = match operator::find(&ast.path.text) {
            Ok(kind) => kind,
            Err(error) => return self.refuse(&ast.path.span, error),
        };
        self.in_operator(&ast.label(), |builder| {
            builder.operator_of_kind(kind, ast, element)
        })
    }

    fn operator_of_kind(
        &mut self,
        kind: OpKind,
        ast: &'t Operator,
        element: Option<&Element>,
    ) -> Option<Op> {
        let version = ast.version.0;
        let mut sound = !ast.broken;
        if let Err(error) = kind.check_version(version) {
            self.refuse::<()>(&ast.version.1, error);
            sound = false;
        }
        let scalar = match kind {
            OpKind::OnnxRange => self.range_type(ast, element),
            OpKind::OnnxSlice
            | OpKind::OnnxGather
            | OpKind::OpenVinoSlice
            | OpKind::StridedSlice => Some(None),
        };
        sound &= scalar.is_some();
        // An operator whose type is refused has said so once.
        let scalar = scalar.unwrap_or(Some(ElementType::F64));
        let mut arguments = Arguments::default();
        let mut given = BTreeSet::new();
        for argument in &ast.arguments {
            let taken = operator::takes(kind, &argument.name.text, version)
                .and_then(|(name, takes)| match given.insert(name) {
                    true => Ok((name, takes)),
                    false => Err(refuse_twice(name)),
                })
                .map_err(|error| at(&argument.name.span, error))
                .and_then(|taken| self.argument(argument, taken, scalar, &mut arguments));
            let taken = taken.unwrap_or_else(|Diagnostic { error, span }| {
                self.refuse(&span, error.of_parameter(words::cut(&argument.name.text)))
            });
            sound &= taken.is_some();
        }
        let op = arguments.operator(kind, version);
        self.keeps_rules(ast, &op, sound).then_some(op)
    }

    /// Whether an operator keeps the rules that need no shape; a refusal for each that it breaks. Of one that is not sound, a part of which
    /// is refused, what is left is judged where it stands for itself: the masks of StridedSlice decide what of the rest counts.
    fn keeps_rules(&mut self, ast: &Operator, op: &Op, sound: bool) -> bool {
        let missing = if sound { op.validate().err() } else { None };
        let broken = match op {
            Op::StridedSlice(_) if !sound => Vec::new(),
            _ => resolve::constant_refusals(op),
        };
        let refusals: Vec<_> = missing.into_iter().chain(broken).collect();
        let keeps = sound && refusals.is_empty();
        for error in refusals {
            self.refuse::<()>(&Place::Operator(ast).locate(&error), error);
        }
        keeps
    }

    /// The type of the literals of a Range: the one declared, else that of an operand. `Some(None)` if it comes with the signature,
    /// `None` if it is refused.
    fn range_type(
        &mut self,
        ast: &Operator,
        element: Option<&Element>,
    ) -> Option<Option<ElementType>> {
        if let Some((ty, span)) = element {
            let op = Arguments::default().operator(OpKind::OnnxRange, ast.version.0);
            return match op.check_param_type("start", *ty) {
                Ok(()) => Some(Some(*ty)),
                Err(error) => self.refuse(span, error),
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

    /// Takes an argument; `scalar` is the type of literals in a Range. `None` if a part of a run-time tensor is refused.
    fn argument(
        &mut self,
        argument: &'t Argument,
        (name, takes): (&'static str, Takes),
        scalar: Option<ElementType>,
        arguments: &mut Arguments,
    ) -> Result<Option<()>, Diagnostic> {
        let refused = |error| at(&argument.span, error);
        let param = match (takes, &argument.value) {
            (Takes::Tensor | Takes::Scalar, Value::Tensor(tensor)) => match self.tensor(tensor) {
                Some(param) => param,
                None => return Ok(None),
            },
            (Takes::Tensor, Value::Integer(integer)) => integer.value.into(),
            (Takes::Tensor, Value::List(list)) => {
                let (shape, values) = operator::flatten(list)?;
                tensor::Tensor::new(&shape, &values)
                    .map_err(refused)?
                    .into()
            }
            (Takes::Scalar, Value::Integer(_) | Value::Float(_) | Value::List(_)) => {
                arguments.untyped |= scalar.is_none();
                number(argument, scalar)?.into()
            }
            (Takes::Axis, Value::Integer(integer)) => {
                arguments.axis = integer.value;
                return Ok(Some(()));
            }
            (Takes::Mask, Value::List(list)) => {
                let (shape, values) = operator::flatten(list)?;
                if shape.len() != 1 {
                    return Err(refused(mask_rank(name, &shape)));
                }
                arguments.masks.insert(name, values);
                return Ok(Some(()));
            }
            (Takes::Mask, Value::Integer(_)) => return Err(refused(mask_rank(name, &[]))),
            (Takes::Dialect, Value::Name(dialect)) => {
                arguments.dialect = operator::dialect(&dialect.text).map_err(refused)?;
                return Ok(Some(()));
            }
            (takes, value) => return Err(refused(wrong_value(name, takes, value))),
        };
        arguments.params.insert(name, param);
        Ok(Some(()))
    }
}

/// A refusal at that place.
fn at(span: &Span, error: Error) -> Diagnostic {
    let span = span.clone();
    Diagnostic { error, span }
}

/// A literal of a Range in its type; as it is written for a type that comes with the signature.
fn number(argument: &Argument, ty: Option<ElementType>) -> Result<tensor::Tensor, Diagnostic> {
    let (shape, values) = match &argument.value {
        Value::Float(float) => {
            // What no type holds is refused at once.
            let tensor = literal::float(ty.unwrap_or(ElementType::F64), &float.text)
                .map_err(|error| at(&float.span, error))?;
            return Ok(match ty {
                Some(_) => tensor,
                None => tensor::Tensor::scalar(float.text.clone()),
            });
        }
        Value::Integer(integer) => (Vec::new(), alloc::vec![integer.value]),
        Value::List(list) => operator::flatten(list)?,
        Value::Tensor(_) | Value::Name(_) => (Vec::new(), Vec::new()),
    };
    literal::integers(ty.unwrap_or(ElementType::I64), &shape, &values).map_err(|error| {
        let span = match (&argument.value, error.offender_position()) {
            (Value::List(list), Some(position)) => &operator::element_span(list, position),
            _ => &argument.span,
        };
        at(span, error)
    })
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
    let (what, shown, hint) = match value {
        Value::Integer(integer) => ("integer", Some(integer.value.to_string()), String::new()),
        Value::Float(float) => ("float", Some(words::cut(&float.text)), String::new()),
        Value::List(_) => ("a list", None, String::new()),
        Value::Tensor(tensor) => {
            let hint = "this attribute is part of the operator, not one of its inputs";
            let shown = match tensor {
                Tensor::Operand(name) => Some(format!("@{}", words::cut(&name.text))),
                Tensor::Computed(_) => None,
            };
            ("run-time operand", shown, hint.into())
        }
        Value::Name(name) => {
            let name = words::cut(&name.text);
            let hint = format!("a run-time operand is written `@{name}`");
            ("name", Some(name), hint)
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
    let error = match shown {
        Some(shown) => cursor::syntax(format!("{what} `{shown}` as `{name}`")).value(shown),
        None => cursor::syntax(format!("{what} as `{name}`")),
    };
    let error = error.parameter(name).allowed(allowed);
    match hint.is_empty() {
        true => error,
        false => error.hint(hint),
    }
}
