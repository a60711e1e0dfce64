//! Operators and attributes by the names that a text gives them, and from arguments to an [`Op`].
//!
//! Which operators and attributes there are is the table of [`crate::op`]; here stands what is said about a name that is none of them.

use super::ast::{Element, List};
use super::words;
use super::{Diagnostic, Span};
use crate::error::{Error, ErrorKind};
use crate::op::{
    Dialect, OnnxGather, OnnxRange, OnnxSlice, Op, OpKind, OpenVinoSlice, OpenVinoStridedSlice,
    Param, Takes,
};
use alloc::{collections::BTreeMap, format, string::String, vec::Vec};

/// The operator of that path.
pub(super) fn find(path: &str) -> Result<OpKind, Error> {
    if let Some(kind) = OpKind::from_name(path) {
        return Ok(kind);
    }
    let names = || OpKind::ALL.iter().map(|kind| kind.name());
    let last = |path: &str| path.rsplit("::").next().map(str::to_lowercase);
    // Without its namespace, or with a wrong one, the name itself still tells.
    let near = names()
        .find(|name| last(name) == last(path))
        .or_else(|| words::nearest(path, names()));
    let path = words::cut(path);
    let error = Error::new(
        ErrorKind::UnknownOperator,
        format!("unknown operator `{path}`"),
    )
    .value(path)
    .allowed(words::listed(names()));
    Err(words::meant(error, near))
}

/// How the attribute of that name is written.
pub(super) fn takes(
    kind: OpKind,
    name: &str,
    version: u32,
) -> Result<(&'static str, Takes), Error> {
    let mut attributes = kind.attributes().iter();
    if let Some(found) = attributes.find(|attribute| attribute.name == name) {
        return Ok((found.name, found.takes));
    }
    let names = || kind.attributes_in(version).map(|attribute| attribute.name);
    let near = words::nearest(name, names());
    let name = words::cut(name);
    let error = Error::new(
        ErrorKind::UnknownAttribute,
        format!("unknown attribute `{name}`"),
    )
    .parameter(name.clone())
    .value(name)
    .allowed(words::listed(names()));
    Err(words::meant(error, near))
}

/// The attributes of an operator, as far as they are given.
#[derive(Default)]
pub(super) struct Arguments {
    pub params: BTreeMap<&'static str, Param>,
    pub masks: BTreeMap<&'static str, Vec<i64>>,
    pub axis: i64,
    pub dialect: Dialect,
    /// Whether literals of a Range have no type yet.
    pub untyped: bool,
}

impl Arguments {
    fn param(&mut self, name: &str) -> Option<Param> {
        self.params.remove(name)
    }

    fn mask(&mut self, name: &str) -> Vec<i64> {
        self.masks.remove(name).unwrap_or_default()
    }

    /// The operator with these attributes.
    pub(super) fn operator(mut self, kind: OpKind, version: u32) -> Op {
        let dialect = self.dialect;
        match kind {
            OpKind::OnnxSlice => Op::OnnxSlice(OnnxSlice {
                version,
                dialect,
                starts: self.param("starts"),
                ends: self.param("ends"),
                axes: self.param("axes"),
                steps: self.param("steps"),
            }),
            OpKind::OnnxGather => Op::OnnxGather(OnnxGather {
                version,
                dialect,
                axis: self.axis,
                indices: self.param("indices"),
            }),
            OpKind::OnnxRange => Op::OnnxRange(OnnxRange {
                version,
                dialect,
                start: self.param("start"),
                limit: self.param("limit"),
                delta: self.param("delta"),
                untyped: self.untyped,
            }),
            // No dialect differs here: the name is accepted, as in Gather.
            OpKind::OpenVinoSlice => Op::OpenVinoSlice(OpenVinoSlice {
                version,
                start: self.param("start"),
                stop: self.param("stop"),
                step: self.param("step"),
                axes: self.param("axes"),
            }),
            OpKind::StridedSlice => Op::StridedSlice(OpenVinoStridedSlice {
                version,
                dialect,
                begin: self.param("begin"),
                end: self.param("end"),
                stride: self.param("stride"),
                begin_mask: self.mask("begin_mask"),
                end_mask: self.mask("end_mask"),
                new_axis_mask: self.mask("new_axis_mask"),
                shrink_axis_mask: self.mask("shrink_axis_mask"),
                ellipsis_mask: self.mask("ellipsis_mask"),
            }),
        }
    }
}

/// The dialect of that name.
pub(super) fn dialect(name: &str) -> Result<Dialect, Error> {
    Dialect::from_name(name).ok_or_else(|| {
        let names = || Dialect::ALL.iter().map(|dialect| dialect.name());
        let shown = words::cut(name);
        let error = Error::new(ErrorKind::Syntax, format!("unknown dialect `{shown}`"))
            .parameter("dialect")
            .value(shown)
            .allowed(words::listed(names()));
        words::meant(error, words::nearest(name, names()))
    })
}

/// Shape and elements of a list, row-major; refused where its parts differ in depth or length.
pub(super) fn flatten(list: &List) -> Result<(Vec<usize>, Vec<i64>), Diagnostic> {
    let mut shape = Vec::new();
    let mut first = Some(list);
    while let Some(list) = first {
        shape.push(list.elements.len());
        first = match list.elements.first() {
            Some(Element::List(list)) => Some(list),
            Some(Element::Integer(_)) | None => None,
        };
    }
    let mut values = Vec::new();
    collect(list, &shape, &mut values)?;
    Ok((shape, values))
}

/// The elements of a list that must have this shape.
fn collect(list: &List, shape: &[usize], values: &mut Vec<i64>) -> Result<(), Diagnostic> {
    let ragged = |span: &Span, error: Error| Diagnostic {
        error: error.hint(
            "all lists of one depth have the same length and hold lists, or all hold integers",
        ),
        span: span.clone(),
    };
    let beside = |text| Error::new(ErrorKind::RaggedList, text);
    let (len, inner) = match shape.split_first() {
        Some((len, inner)) => (*len, inner),
        None => (0, shape),
    };
    if list.elements.len() != len {
        let wrong = list.elements.len();
        let error = beside(format!(
            "a list of length {wrong} beside one of length {len}"
        ));
        let error = error.value(wrong).allowed(format!("length {len}"));
        return Err(ragged(&list.span, error));
    }
    for element in &list.elements {
        match element {
            Element::Integer(integer) if inner.is_empty() => values.push(integer.value),
            Element::Integer(integer) => {
                let error = beside(format!("integer {} beside a list", integer.value));
                let error = error.value(integer.value).allowed("a list");
                return Err(ragged(&integer.span, error.position(values.len())));
            }
            Element::List(list) if inner.is_empty() => {
                let error = beside(String::from("a list beside an integer"));
                let error = error.allowed("an integer").position(values.len());
                return Err(ragged(&list.span, error));
            }
            Element::List(list) => collect(list, inner, values)?,
        }
    }
    Ok(())
}

/// The span of the element at that flat position.
pub(super) fn element_span(list: &List, position: usize) -> Span {
    fn find<'l>(list: &'l List, left: &mut usize) -> Option<&'l Span> {
        list.elements.iter().find_map(|element| match element {
            Element::Integer(_) if *left == 0 => Some(element.span()),
            Element::Integer(_) => {
                *left -= 1;
                None
            }
            Element::List(list) => find(list, left),
        })
    }
    let mut left = position;
    find(list, &mut left).unwrap_or(&list.span).clone()
}
