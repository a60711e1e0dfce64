//! The sizes of the dimensions that a model has names for.
//!
//! Decided here: that a name has one size, wherever it stands and whatever gives it.

use super::ModelInput;
use crate::error::{Error, Result};
use std::collections::BTreeMap;

/// What is known of the dimensions that have names.
#[derive(Debug, Default)]
pub struct Sizes<'a>(BTreeMap<&'a str, (usize, String)>);

impl<'a> Sizes<'a> {
    /// The size of a dimension, if it is known.
    pub fn get(&self, name: &str) -> Option<usize> {
        self.0.get(name).map(|(size, _)| *size)
    }

    /// A dimension has this size, as `place` says.
    ///
    /// # Errors
    /// It has another one already.
    pub fn set(&mut self, name: &'a str, size: usize, place: String) -> Result<()> {
        let (known, before) = self.0.entry(name).or_insert_with(|| (size, place.clone()));
        if *known == size {
            return Ok(());
        }
        Err(Error::argument(format!(
            "dimension `{}` is {size} in {place} (allowed: {known}, as in {before}); a dimension has one size wherever its name stands",
            name.escape_debug()
        )))
    }

    /// The dimensions of an input that has this shape, as `place` says.
    ///
    /// # Errors
    /// One has another size already.
    pub fn of_input(&mut self, input: &'a ModelInput, shape: &[usize], place: &str) -> Result<()> {
        for (axis, size) in shape.iter().enumerate() {
            if let Some(name) = input.dimension(axis) {
                self.set(name, *size, format!("axis {axis} of {place}"))?;
            }
        }
        Ok(())
    }

    /// The same of a value for an input.
    ///
    /// # Errors
    /// One has another size already.
    pub fn of_value(&mut self, input: &'a ModelInput, shape: &[usize]) -> Result<()> {
        let place = format!("`{}`", input.name.escape_debug());
        self.of_input(input, shape, &place)
    }
}
