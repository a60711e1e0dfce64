//! What a model says of an input.
//!
//! The library knows an element type and dimensions that are fixed or open. Models say more: what an open dimension is at least and at
//! most, what it is called, and dimensions where the element type is left open. Decided here: which shapes all of that admits.

use super::value::printable;
use crate::number::MOST_DIMENSION;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use xslice::{Declared, ElementType, Error, ErrorKind, Tensor};

/// An input of a model.
#[derive(Clone, Debug)]
pub struct ModelInput {
    /// The name of the operand.
    pub name: String,
    /// Other names that the model has for it.
    pub aliases: Vec<String>,
    /// The element type, where the model says it.
    pub element_type: Option<ElementType>,
    /// The dimensions, where the model says how many there are.
    pub dimensions: Option<Vec<Dimension>>,
    /// The value where none is given.
    pub initial: Option<Arc<Tensor>>,
}

/// What a model says of a dimension. It prints as a refusal says what is allowed: `3`, `?`, `2..=5`, `2..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    sizes: RangeInclusive<usize>,
    name: Option<String>,
}

impl Dimension {
    /// It has this size.
    #[must_use]
    pub fn fixed(size: usize) -> Self {
        Self::within(size..=size)
    }

    /// It has one of these sizes.
    #[must_use]
    pub(crate) fn within(sizes: RangeInclusive<usize>) -> Self {
        Self { sizes, name: None }
    }

    /// It is left open.
    #[must_use]
    pub fn open() -> Self {
        Self::within(0..=MOST_DIMENSION)
    }

    /// It is left open, and has a name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        let name = Some(name.to_string());
        Self {
            name,
            ..Self::open()
        }
    }

    /// Its size, where that is fixed.
    #[must_use]
    pub fn size(&self) -> Option<usize> {
        let (least, most) = (*self.sizes.start(), *self.sizes.end());
        (least == most).then_some(least)
    }

    /// Its name, where it has one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// This size, or the nearest that is allowed.
    #[must_use]
    pub fn size_near(&self, size: usize) -> usize {
        size.clamp(*self.sizes.start(), *self.sizes.end())
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (*self.sizes.start(), *self.sizes.end()) {
            (least, most) if least == most => write!(f, "{least}"),
            (0, MOST_DIMENSION) => f.write_str("?"),
            (least, MOST_DIMENSION) => write!(f, "{least}.."),
            (least, most) => write!(f, "{least}..={most}"),
        }
    }
}

/// Compares the shapes of values, or those that are asked for, with the dimensions of the inputs.
///
/// # Errors
/// The first other shape, in the words in which the library refuses one. It goes operand by operand, and of each the element type goes first:
/// where that is another one, this and all that follows is left to it.
pub fn admit<'a>(
    given: impl Iterator<Item = (&'a ModelInput, ElementType, &'a [usize])>,
) -> Result<(), Error> {
    for (input, ty, shape) in given {
        if input.element_type.is_some_and(|declared| declared != ty) {
            return Ok(());
        }
        input.admit(shape)?;
    }
    Ok(())
}

impl ModelInput {
    /// What the library takes of it.
    #[must_use]
    pub fn declared(&self) -> Option<Declared> {
        let sizes = |dims: &Vec<Dimension>| dims.iter().map(Dimension::size).collect();
        Some(Declared {
            element_type: self.element_type?,
            shape: self.dimensions.as_ref().map(sizes),
        })
    }

    /// The name of a dimension that is left open, if it has one.
    #[must_use]
    pub fn dimension(&self, at: usize) -> Option<&str> {
        self.dimensions.as_ref()?.get(at)?.name()
    }

    /// The dimensions, as `[2, ?]`; `None` where not even their number is known.
    #[must_use]
    pub fn dimensions_text(&self) -> Option<String> {
        let dims = self.dimensions.as_ref()?.iter().map(ToString::to_string);
        Some(format!("[{}]", dims.collect::<Vec<_>>().join(", ")))
    }

    /// Compares the shape of a value, or the one that is asked for, with the dimensions.
    fn admit(&self, shape: &[usize]) -> Result<(), Error> {
        let fits = self.dimensions.as_ref().is_none_or(|dims| {
            let mut pairs = dims.iter().zip(shape);
            dims.len() == shape.len() && pairs.all(|(dim, size)| dim.sizes.contains(size))
        });
        if fits {
            return Ok(());
        }
        let name = printable(&self.name);
        let text = format!("`{name}` has shape {shape:?}");
        Err(Error::new(ErrorKind::OperandShape, text)
            .parameter(name.into_owned())
            .value(format!("{shape:?}"))
            .allowed(self.dimensions_text().unwrap_or_default()))
    }
}
