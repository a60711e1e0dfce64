//! A program as text.
//!
//! What the notation can express prints as a text that parses to an equal program: a chain on the first operand, in brackets and pipes,
//! with computed indices in place. What it cannot express prints for the eye: a reshape as `reshape(..)`, a constant by its type,
//! an unknown dimension as `?`. Long constants print as type and shape, whole with `{:#}`.

use crate::elem::ElementType;
use crate::op::text::{DEEPEST, ELEMENTS, constant, entry, tensor_type, type_text};
use crate::op::{Dialect, Entry, OnnxRange, Op, Param, Reshape, ValueId};
use crate::program::{Apply, Declared, Operand, Program, Value};
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

/// Elements of a constant that print one by one with `{:#}`; no constant that a text can hold is longer in practice.
const ALL_ELEMENTS: usize = 1 << 20;

/// Operators that print: a program that shares values has no bound as a tree.
const OPERATORS: usize = 4096;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = if f.alternate() {
            ALL_ELEMENTS
        } else {
            ELEMENTS
        };
        let mut printer = Printer {
            program: self,
            typed: false,
            most,
            left: OPERATORS,
            out: String::new(),
        };
        printer.text();
        f.write_str(&printer.out)
    }
}

/// `f32[2, 3]`; `?` where a dimension is not known, `..` where none is.
fn declared_text(declared: &Declared) -> String {
    type_text(declared.element_type, &declared.dims_text())
}

struct Printer<'p> {
    program: &'p Program,
    /// Whether `<...>` declares every operand.
    typed: bool,
    most: usize,
    left: usize,
    out: String,
}

impl<'p> Printer<'p> {
    fn text(&mut self) {
        let (source, chain) = self.trace(self.program.result());
        self.header(source, chain.first().copied());
        self.chain(source, &chain, 0);
        if let Some(result) = self.program.result_type() {
            self.out.push_str(" -> ");
            self.out.push_str(&declared_text(result));
        }
    }

    /// What a value comes from (`None`: a generator, which then is the first operator), and the operators on the way.
    fn trace(&self, value: ValueId) -> (Option<&'p Value>, Vec<&'p Apply>) {
        let values = self.program.values();
        let mut chain = Vec::new();
        let mut at = Some(value);
        let mut source = None;
        while let Some(id) = at {
            match values.get(id.index()) {
                Some(Value::Apply(apply)) => {
                    chain.push(&**apply);
                    at = apply.data;
                }
                found => {
                    source = found;
                    at = None;
                }
            }
        }
        chain.reverse();
        (source, chain)
    }

    /// `<f32[2, 3], ids: i64[4]> `, where every operand has a declared shape and the first one, or a constant, is the data.
    fn header(&mut self, source: Option<&Value>, first: Option<&Apply>) {
        let operands = self.program.operands();
        let shaped = |operand: &Operand| {
            operand
                .declared
                .as_ref()
                .filter(|declared| declared.shape.is_some())
                .cloned()
        };
        let Some(types) = operands.iter().map(shaped).collect::<Option<Vec<_>>>() else {
            return self.generator_header(source, first);
        };
        let data = match (source, first) {
            (Some(Value::Operand(0)), _) => types.first().map(declared_text),
            (Some(Value::Constant(tensor)), _) => Some(tensor_type(tensor)),
            (None, Some(generator)) => self.generated(&generator.op, true).map(|ty| ty.to_string()),
            (Some(Value::Operand(_) | Value::Apply(_)), _) | (None, None) => None,
        };
        let Some(data) = data else { return };
        self.typed = true;
        let others = usize::from(matches!(source, Some(Value::Operand(_))));
        let rest = operands.iter().zip(&types).skip(others);
        let rest = rest.map(|(operand, ty)| {
            format!(", {}: {}", operand.name.escape_debug(), declared_text(ty))
        });
        self.out
            .push_str(&format!("<{data}{}> ", rest.collect::<String>()));
    }

    /// The type before a generator whose operands are not declared: none, since `<...>` would have to declare them.
    fn generator_header(&mut self, source: Option<&Value>, first: Option<&Apply>) {
        let has_operands = !self.program.operands().is_empty();
        if let (None, Some(generator), false) = (source, first, has_operands)
            && let Some(ty) = self.generated(&generator.op, false)
        {
            self.out.push_str(&format!("<{ty}> "));
        }
    }

    /// The type of a generator's values: that of a constant, or, if `any`, of an operand; without `any` only of operands whose
    /// shape is not declared.
    fn generated(&self, generator: &Op, any: bool) -> Option<ElementType> {
        if let Op::OnnxRange(OnnxRange { untyped: true, .. }) = generator {
            return None;
        }
        let constant = generator.params().find_map(|(_, param)| match param {
            Param::Constant(tensor) => Some(tensor.element_type()),
            Param::Operand(_) | Param::Value(_) => None,
        });
        let operands = generator
            .params()
            .filter_map(|(_, param)| self.operand(param));
        let of_operand = operands
            .filter_map(|operand| operand.declared.as_ref())
            .filter(|declared| any || declared.shape.is_none())
            .map(|declared| declared.element_type)
            .next();
        constant.or(of_operand)
    }

    fn operand(&self, param: &Param) -> Option<&'p Operand> {
        match self.program.values().get(param.value()?.index())? {
            Value::Operand(at) => self.program.operands().get(*at),
            Value::Constant(_) | Value::Apply(_) => None,
        }
    }

    fn chain(&mut self, source: Option<&'p Value>, chain: &[&'p Apply], depth: usize) {
        match source {
            Some(Value::Operand(at)) => {
                let name = self
                    .program
                    .operands()
                    .get(*at)
                    .map(|operand| operand.name.escape_debug().to_string());
                self.out.push_str(&name.unwrap_or_default());
            }
            Some(Value::Constant(tensor)) => {
                let text = constant(tensor, self.most);
                self.out.push_str(&text);
            }
            Some(Value::Apply(_)) | None => {}
        }
        let mut brackets = source.is_some();
        for (at, apply) in chain.iter().enumerate() {
            let bracket = matches!(apply.op, Op::Index(_));
            let starts = at == 0 && source.is_none();
            let joins = bracket && brackets;
            if !starts && !joins {
                self.out.push_str(" |> ");
            }
            brackets = bracket;
            if self.left == 0 {
                self.out.push_str("..");
                return;
            }
            self.left -= 1;
            self.op(&apply.op, depth);
        }
    }

    fn op(&mut self, op: &'p Op, depth: usize) {
        match op {
            Op::Index(index) => {
                self.out.push('[');
                for (at, part) in index.entries.iter().enumerate() {
                    self.separate(at);
                    match part {
                        Entry::Gather(param) => self.param(param, depth),
                        Entry::Integer(_)
                        | Entry::Slice { .. }
                        | Entry::Ellipsis
                        | Entry::NewAxis => {
                            self.out.push_str(&entry(part));
                        }
                    }
                }
                self.out.push(']');
            }
            Op::Reshape(Reshape { label, .. }) => {
                self.out
                    .push_str(&format!("reshape({}", label.escape_debug()));
                self.params(op, 1, depth);
                self.out.push(')');
            }
            Op::OnnxSlice(_)
            | Op::OnnxGather(_)
            | Op::OnnxRange(_)
            | Op::OpenVinoSlice(_)
            | Op::StridedSlice(_) => {
                self.out.push_str(&op.label());
                self.out.push('(');
                let params = self.params(op, 0, depth);
                for (given, (name, value)) in (params..).zip(plain_attributes(op)) {
                    self.separate(given);
                    self.out.push_str(&format!("{name} = {value}"));
                }
                self.out.push(')');
            }
        }
    }

    /// The parameters after `given` others; how many there are then.
    fn params(&mut self, op: &'p Op, mut given: usize, depth: usize) -> usize {
        let has_type = depth > 0 && op.is_generator() && self.generated(op, false).is_some();
        for (name, param) in op.params() {
            self.separate(given);
            self.out.push_str(name);
            self.out.push_str(" = ");
            match (float_text(op, param), self.operand(param)) {
                (Some(text), _) => self.out.push_str(text),
                // In parentheses, where the type before the generator does not declare it.
                (None, Some(operand)) if has_type && operand.declared.is_none() => {
                    let name = operand.name.escape_debug();
                    self.out.push_str(&format!("@({name})"));
                }
                (None, _) => self.param(param, depth),
            }
            given += 1;
        }
        given
    }

    fn separate(&mut self, given: usize) {
        if given > 0 {
            self.out.push_str(", ");
        }
    }

    fn param(&mut self, param: &'p Param, depth: usize) {
        if let Param::Constant(tensor) = param {
            let text = constant(tensor, self.most);
            return self.out.push_str(&text);
        }
        self.out.push('@');
        if let Some(operand) = self.operand(param) {
            let name = operand.name.escape_debug().to_string();
            return self.out.push_str(&name);
        }
        self.out.push('(');
        match param.value() {
            Some(id) if depth < DEEPEST => {
                let (source, chain) = self.trace(id);
                if let Some(ty) = self.computed_type(source, chain.first().copied()) {
                    self.out.push_str(&format!("<{ty}> "));
                }
                self.chain(source, &chain, depth + 1);
            }
            Some(_) | None => self.out.push_str(".."),
        }
        self.out.push(')');
    }

    /// What stands in `@(<i64> ...)`: the type of a generator, or of an operand that is declared without a shape.
    fn computed_type(&self, source: Option<&Value>, first: Option<&Apply>) -> Option<ElementType> {
        match (source, first) {
            (None, Some(generator)) => self.generated(&generator.op, false),
            (Some(Value::Operand(at)), _) if !self.typed => {
                let declared = self.program.operands().get(*at)?.declared.as_ref()?;
                declared.shape.is_none().then_some(declared.element_type)
            }
            _ => None,
        }
    }
}

/// A float of a Range whose type is not known.
fn float_text<'o>(op: &Op, param: &'o Param) -> Option<&'o str> {
    match (op, param) {
        (Op::OnnxRange(OnnxRange { untyped: true, .. }), Param::Constant(literal)) => {
            literal.strings()?.first().map(String::as_str)
        }
        _ => None,
    }
}

/// Attributes that are no parameters, where they differ from their defaults.
fn plain_attributes(op: &Op) -> Vec<(&'static str, String)> {
    let mut given = Vec::new();
    let dialect = match op {
        Op::OnnxSlice(op) => op.dialect,
        Op::OnnxGather(op) => {
            if op.axis != 0 {
                given.push(("axis", op.axis.to_string()));
            }
            op.dialect
        }
        Op::OnnxRange(op) => op.dialect,
        Op::StridedSlice(op) => {
            let masks = op.masks().into_iter().filter(|(_, mask)| !mask.is_empty());
            given.extend(masks.map(|(name, mask)| (name, format!("{mask:?}"))));
            op.dialect
        }
        Op::OpenVinoSlice(_) | Op::Index(_) | Op::Reshape(_) => Dialect::Standard,
    };
    if dialect != Dialect::Standard {
        given.push(("dialect", dialect.name().to_string()));
    }
    given
}
