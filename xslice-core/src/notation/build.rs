//! From the tree of a text to a program.
//!
//! Decided here: which operand a name is, which type a literal of a Range has, and what the rules of grammar and brackets refuse
//! without a shape. Operators are checked where every front door has them checked, in [`Graph::apply`]; a refusal from there is
//! given its place in the text. Checking goes on after a refusal; the program is thrown away then.

use super::ast::{
    Bracket, Chain, Computed, Entry, EntryKind, Integer, List, Name, Operator, Source, Stage,
    Tensor, Text, Type, Types,
};
use super::cursor::Reader;
use super::operator::{self, Arguments};
use super::place::Place;
use super::{Diagnostic, Span, bracket, words};
use crate::elem::ElementType;
use crate::error::{Error, ErrorKind};
use crate::op::{self, Index, Param, ValueId};
use crate::program::{Declared, Graph, Program};
use crate::tensor;
use alloc::{
    collections::{BTreeMap, BTreeSet},
    format,
    vec::Vec,
};
use core::fmt::Display;

/// A program with the way back to its text.
pub(super) struct Built<'t> {
    pub program: Program,
    pub graph: Graph,
    /// Every operator, in the order of the program.
    pub places: Vec<(ValueId, Place<'t>)>,
}

/// The program of a text, its refusals added to those of the parser. The program counts only if there is none.
pub(super) fn program<'t>(
    text: &'t Text,
    reader: Reader,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Built<'t>> {
    let parsed = diagnostics.is_empty();
    let mut builder = Builder {
        graph: Graph::new(),
        names: BTreeMap::new(),
        typed: text.types.is_some(),
        places: Vec::new(),
        reader,
        diagnostics,
    };
    if let Some(types) = &text.types {
        builder.declare(types, &text.chain.source);
    }
    let element = builder.generated(text.types.as_ref(), &text.chain.source);
    builder.expect_types(&text.chain, element.as_ref());
    let result = builder.chain(&text.chain, element.as_ref());
    if let (true, Some(types)) = (parsed, &text.types) {
        builder.refuse_unused(types, &text.chain);
    }
    let program = builder.graph.finish(result?).ok()?;
    let program = match &text.result {
        Some(result) => program.expecting(declared(result)),
        None => program,
    };
    Some(Built {
        program,
        graph: builder.graph,
        places: builder.places,
    })
}

pub(super) fn declared(ty: &Type) -> Declared {
    let dims = ty.shape.as_deref().unwrap_or_default();
    Declared {
        element_type: ty.element,
        shape: Some(dims.iter().map(|&dim| Some(dim)).collect()),
    }
}

/// What is known of an operand.
struct Operand {
    /// Its value, once it has one.
    id: Option<ValueId>,
    element: Option<ElementType>,
}

/// An element type and where it is written.
pub(super) type Element = (ElementType, Span);

pub(super) struct Builder<'d, 't> {
    graph: Graph,
    names: BTreeMap<&'t str, Operand>,
    /// Whether the text declares its operands.
    typed: bool,
    places: Vec<(ValueId, Place<'t>)>,
    reader: Reader,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'t> Builder<'_, 't> {
    pub(super) fn refuse<T>(&mut self, span: &Span, error: Error) -> Option<T> {
        let span = span.clone();
        self.diagnostics.push(Diagnostic { error, span });
        None
    }

    /// What `inside` builds, its refusals in the name of that operator.
    pub(super) fn in_operator<T>(
        &mut self,
        label: &dyn Display,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let first = self.diagnostics.len();
        let built = inside(self);
        super::name_operator(&mut self.diagnostics[first..], label);
        built
    }

    /// Declares the operands of `<...>`: the data operand, if the source is one, then the others.
    fn declare(&mut self, types: &'t Types, source: &'t Source) {
        if let Source::Operand(name) = source {
            self.declare_one(name, types.data.as_ref());
        }
        for (name, ty) in &types.operands {
            self.declare_one(name, ty.as_ref());
        }
    }

    fn declare_one(&mut self, name: &'t Name, ty: Option<&Type>) {
        match self.graph.operand(&name.text, ty.map(declared)) {
            Ok(id) => {
                let element = ty.map(|ty| ty.element);
                self.names.insert(
                    &name.text,
                    Operand {
                        id: Some(id),
                        element,
                    },
                );
            }
            Err(error) => {
                let error = error.hint(
                    "the first type is that of the data operand; it has its name from the source",
                );
                self.refuse::<()>(&name.span, error);
            }
        }
    }

    /// Of a text that parses: a part that does not may hold the use, and so may a name that is not declared.
    fn refuse_unused(&mut self, types: &Types, chain: &Chain) {
        if self
            .diagnostics
            .iter()
            .any(|known| known.error.kind() == ErrorKind::UnknownOperand)
        {
            return;
        }
        let mut used = BTreeSet::new();
        mentioned(chain, &mut used);
        for (name, _) in &types.operands {
            if !used.contains(name.text.as_str()) {
                let shown = words::cut(&name.text);
                let error = Error::new(
                    ErrorKind::UnusedOperand,
                    format!("operand `{shown}` is declared but not used"),
                )
                .parameter(shown.clone())
                .hint(format!("use it as `@{shown}`, or leave it out of `<...>`"));
                self.refuse::<()>(&name.span, error);
            }
        }
    }

    /// The declared element type of a generator's result.
    fn generated(&mut self, types: Option<&Types>, source: &Source) -> Option<Element> {
        let (Some(data), Source::Generator(_)) = (types?.data.as_ref(), source) else {
            return None;
        };
        if data.shape.is_some() {
            let error = super::cursor::syntax("a shape before a generator")
                .allowed("the element type alone")
                .hint(format!(
                    "write `<{}>`: the arguments decide the length",
                    data.element
                ));
            self.refuse::<()>(&data.span, error);
        }
        Some((data.element, data.span.clone()))
    }

    /// Takes note of the types that computed indices and generators ask of operands, before any operand is declared by its use.
    fn expect_types(&mut self, chain: &'t Chain, element: Option<&Element>) {
        match (&chain.source, element) {
            (Source::Operand(name), Some(element)) => self.expect_type(name, element),
            (Source::Operand(_), None) => {}
            (Source::Generator(operator), element) => {
                self.expect_in(&operator.label(), operator.tensors(), element);
            }
        }
        for stage in &chain.stages {
            match stage {
                Stage::Bracket(_) => self.expect_in(&"index", stage.tensors(), None),
                Stage::Operator(operator) => {
                    self.expect_in(&operator.label(), operator.tensors(), None);
                }
            }
        }
    }

    /// The same for what one operator names, the operands of that type.
    fn expect_in(
        &mut self,
        label: &dyn Display,
        tensors: impl IntoIterator<Item = &'t Tensor>,
        element: Option<&Element>,
    ) {
        self.in_operator(label, |builder| {
            for tensor in tensors {
                match (tensor, element) {
                    (Tensor::Operand(name), Some(element)) => builder.expect_type(name, element),
                    (Tensor::Operand(_), None) => {}
                    (Tensor::Computed(computed), _) => {
                        builder.expect_types(&computed.chain, computed.element.as_ref());
                    }
                }
            }
        });
    }

    fn expect_type(&mut self, name: &'t Name, (ty, span): &Element) {
        let typed = self.typed;
        let known = match self.names.get(name.text.as_str()) {
            Some(operand) => operand.element,
            None if typed => return,
            None => {
                let element = Some(*ty);
                self.names.insert(&name.text, Operand { id: None, element });
                return;
            }
        };
        if let Some(known) = known
            && known != *ty
        {
            let shown = words::cut(&name.text);
            let text = format!("operand `{shown}` has element type {known}");
            let error = Error::new(ErrorKind::OperandType, text)
                .parameter(shown)
                .value(known)
                .allowed(ty.name());
            // On the type where it is repeated, on the operand where a generator's type stands far away.
            self.refuse::<()>(
                if span.start < name.span.start {
                    &name.span
                } else {
                    span
                },
                error,
            );
        }
    }

    /// The operand of that name; without declarations its first use declares it.
    fn operand(&mut self, name: &'t Name) -> Option<ValueId> {
        let known = self.names.get(name.text.as_str());
        if let Some(id) = known.and_then(|operand| operand.id) {
            return Some(id);
        }
        if self.typed {
            let error = self.unknown_operand(&name.text);
            return self.refuse(&name.span, error);
        }
        let element = known.and_then(|operand| operand.element);
        let declared = element.map(|element_type| Declared {
            element_type,
            shape: None,
        });
        match self.graph.operand(&name.text, declared) {
            Ok(id) => {
                self.names.insert(
                    &name.text,
                    Operand {
                        id: Some(id),
                        element,
                    },
                );
                Some(id)
            }
            Err(error) => self.refuse(&name.span, error),
        }
    }

    fn unknown_operand(&self, name: &str) -> Error {
        let shown = words::cut(name);
        let error = Error::new(
            ErrorKind::UnknownOperand,
            format!("operand `{shown}` is not declared"),
        )
        .parameter(shown.clone());
        let or_else = match self.reader {
            Reader::Text => ", or leave `<...>` out",
            Reader::Macro => "",
        };
        let error = error.hint(format!(
            "declare it: `<f32[2, 3], {shown}: i64[4]>`{or_else}"
        ));
        words::meant(error, words::nearest(name, self.names.keys().copied()))
    }

    /// The value of a chain; after a refusal the stages that are left are checked on what there is.
    fn chain(&mut self, chain: &'t Chain, element: Option<&Element>) -> Option<ValueId> {
        let mut value = match &chain.source {
            Source::Operand(name) => self.operand(name),
            Source::Generator(operator) => self.apply_operator(operator, None, element),
        };
        for stage in &chain.stages {
            let next = match stage {
                Stage::Operator(operator) => match value {
                    Some(data) => self.apply_operator(operator, Some(data), None),
                    None => self.operator(operator, None).and(None),
                },
                Stage::Bracket(bracket) => {
                    let op = self.in_operator(&"index", |builder| builder.bracket(bracket));
                    op.and_then(|op| {
                        let applied = self.graph.apply(op, Some(value?), None);
                        self.placed(applied, Place::Bracket(bracket))
                    })
                }
            };
            value = next.or(value);
        }
        value
    }

    fn apply_operator(
        &mut self,
        ast: &'t Operator,
        data: Option<ValueId>,
        element: Option<&Element>,
    ) -> Option<ValueId> {
        let kind = operator::find(&ast.path.text).ok();
        let misplaced = kind.filter(|kind| kind.is_generator() == data.is_some());
        let op = match misplaced {
            // Refused for where it stands, before its arguments are looked at.
            Some(kind) => Arguments::default().operator(kind, ast.version.0),
            None => self.operator(ast, element)?,
        };
        let applied = self.graph.apply(op, data, None).map_err(|error| {
            if error.parameter_name() == Some("data") && data.is_none() {
                error.hint("pipe the data into it: `x |> ...`")
            } else {
                error
            }
        });
        let value = self.placed(applied, Place::Operator(ast));
        // What its arguments break is refused too, but for a generator, whose literals would need a type in front.
        if misplaced.is_some_and(|kind| !kind.is_generator()) {
            self.operator(ast, element);
        }
        value
    }

    /// Takes note of where an operator stands, or refuses it there.
    fn placed(&mut self, applied: Result<ValueId, Error>, place: Place<'t>) -> Option<ValueId> {
        match applied {
            Ok(value) => {
                self.places.push((value, place));
                Some(value)
            }
            Err(error) => self.refuse(&place.locate(&error), error),
        }
    }

    fn bracket(&mut self, bracket: &'t Bracket) -> Option<Index> {
        let mut entries = Vec::with_capacity(bracket.entries.len());
        for entry in &bracket.entries {
            entries.push(entry.as_ref().and_then(|entry| self.entry(entry)));
        }
        let whole = !bracket.broken && entries.iter().all(Option::is_some);
        let mut refusals = crate::resolve::bracket_refusals(&named(bracket, &entries));
        // Whether an axis would move depends on every entry; that there is none, the parser has said.
        refusals.retain(|(_, error)| {
            whole || !matches!(error.kind(), ErrorKind::MixedGather | ErrorKind::Syntax)
        });
        let sound = whole && refusals.is_empty();
        for (at, error) in refusals {
            let entry = bracket.entries.get(at).and_then(Option::as_ref);
            let span = match entry.map(|entry| &entry.kind) {
                Some(EntryKind::Slice {
                    step: Some(step), ..
                }) => &step.span,
                _ => entry.map_or(&bracket.span, |entry| &entry.span),
            };
            self.refuse::<()>(span, error);
        }
        sound.then(|| Index::new(entries.into_iter().flatten().collect::<Vec<_>>()))
    }

    fn entry(&mut self, entry: &'t Entry) -> Option<op::Entry> {
        let bound = |bound: &Option<Integer>| bound.as_ref().map(|integer| integer.value);
        Some(match &entry.kind {
            EntryKind::Integer(value) => op::Entry::Integer(*value),
            EntryKind::Slice { start, end, step } => op::Entry::Slice {
                start: bound(start),
                end: bound(end),
                step: bound(step),
            },
            EntryKind::Ellipsis => op::Entry::Ellipsis,
            EntryKind::NewAxis => op::Entry::NewAxis,
            EntryKind::List(list) => op::Entry::Gather(self.list(list)?),
            EntryKind::Tensor(tensor) => {
                if self.tensor_type(tensor) == Some(ElementType::Bool) {
                    let error = bracket::boolean_mask("an operand of bool").value("bool");
                    return self.refuse(&entry.span, error.of_parameter("indices"));
                }
                op::Entry::Gather(self.tensor(tensor)?)
            }
        })
    }

    fn list(&mut self, list: &List) -> Option<Param> {
        let (shape, values) = match operator::flatten(list) {
            Ok(flat) => flat,
            Err(Diagnostic { error, span }) => {
                return self.refuse(&span, error.of_parameter("indices"));
            }
        };
        match tensor::Tensor::new(&shape, &values) {
            Ok(tensor) => Some(tensor.into()),
            Err(error) => self.refuse(&list.span, error),
        }
    }

    pub(super) fn tensor(&mut self, tensor: &'t Tensor) -> Option<Param> {
        match tensor {
            Tensor::Operand(name) => self.operand(name),
            Tensor::Computed(Computed { element, chain }) => self.chain(chain, element.as_ref()),
        }
        .map(Param::Value)
    }

    /// The element type of a run-time tensor, where the text tells it.
    pub(super) fn tensor_type(&self, tensor: &Tensor) -> Option<ElementType> {
        match tensor {
            Tensor::Operand(name) => self.names.get(name.text.as_str())?.element,
            Tensor::Computed(Computed {
                element: Some((ty, _)),
                ..
            }) => Some(*ty),
            Tensor::Computed(Computed {
                element: None,
                chain,
            }) => match &chain.source {
                Source::Operand(name) => self.names.get(name.text.as_str())?.element,
                Source::Generator(operator) => operator
                    .tensors()
                    .find_map(|tensor| self.tensor_type(tensor)),
            },
        }
    }
}

/// The entries with operands by their names, as a refusal shows them. One that is refused, whatever it was, stands there as what no rule
/// is about.
fn named(bracket: &Bracket, entries: &[Option<op::Entry>]) -> Vec<op::Entry> {
    let both = bracket.entries.iter().zip(entries);
    both.map(
        |(written, entry)| match written.as_ref().map(|written| &written.kind) {
            Some(EntryKind::Tensor(Tensor::Operand(name))) => {
                op::Entry::Gather(name.text.as_str().into())
            }
            _ => entry.clone().unwrap_or(op::Entry::NewAxis),
        },
    )
    .collect()
}

/// Adds the operands that a chain names.
fn mentioned<'t>(chain: &'t Chain, names: &mut BTreeSet<&'t str>) {
    let source = match &chain.source {
        Source::Operand(name) => {
            names.insert(name.text.as_str());
            Vec::new()
        }
        Source::Generator(operator) => operator.tensors().collect(),
    };
    let stages = chain.stages.iter().flat_map(Stage::tensors);
    for tensor in source.into_iter().chain(stages) {
        mentioned_by(tensor, names);
    }
}

/// Adds the operands that a run-time tensor names.
pub(super) fn mentioned_by<'t>(tensor: &'t Tensor, names: &mut BTreeSet<&'t str>) {
    match tensor {
        Tensor::Operand(name) => {
            names.insert(name.text.as_str());
        }
        Tensor::Computed(computed) => mentioned(&computed.chain, names),
    }
}
