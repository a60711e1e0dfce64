//! The sizes of the dimensions that a model has names for.
//!
//! Decided here: that options give a name one size, wherever it stands. Values need not agree with them, nor with each other: exporters use one
//! name, such as `None`, for dimensions that have nothing in common.

use crate::error::{Error, Result};
use crate::import::ModelInput;
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

    /// The dimensions of an input that is given this shape, as `place` says.
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

    /// Adds those dimensions of an input which has a value of this shape that no other has told.
    pub fn of_value(&mut self, input: &'a ModelInput, shape: &[usize]) {
        for (axis, size) in shape.iter().enumerate() {
            if let Some(name) = input.dimension(axis) {
                let of_value = || (*size, format!("axis {axis} of `{}`", input.name));
                self.0.entry(name).or_insert_with(of_value);
            }
        }
    }
}
