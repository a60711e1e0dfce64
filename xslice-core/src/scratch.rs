//! Memory for the temporaries between the nests of one plan, kept for the next call.

use crate::elem::ElementType;
use crate::error::Error;
use crate::operand::{Input, Output};
use crate::plan::Temporary;
use crate::tensor::{byte_count, out_of_memory};
use alloc::{string::String, vec::Vec};

/// Reusable memory for temporaries: empty at first, grown to what a plan needs, never shrunk.
#[derive(Debug, Default)]
pub struct Scratch {
    slots: Vec<Slot>,
}

#[derive(Debug, Default)]
struct Slot {
    bytes: Vec<u8>,
    strings: Vec<String>,
}

impl Scratch {
    /// No memory yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { slots: Vec::new() }
    }

    /// Makes room for these temporaries.
    ///
    /// # Errors
    /// [`TooLarge`](crate::ErrorKind::TooLarge) or [`OutOfMemory`](crate::ErrorKind::OutOfMemory).
    pub fn prepare(&mut self, temporaries: &[Temporary]) -> Result<(), Error> {
        if self.slots.len() < temporaries.len() {
            self.slots.resize_with(temporaries.len(), Slot::default);
        }
        for (slot, temporary) in self.slots.iter_mut().zip(temporaries) {
            let bytes = byte_count(temporary.len, temporary.element_type)?;
            if temporary.element_type == ElementType::String {
                grow(&mut slot.strings, temporary.len, bytes)?;
            } else {
                grow(&mut slot.bytes, bytes, bytes)?;
            }
        }
        Ok(())
    }

    /// Temporary `at` as the destination, and the earlier ones as sources.
    pub fn split(&mut self, at: usize, temporary: Temporary) -> (Sources<'_>, Output<'_>) {
        let (earlier, rest) = self.slots.split_at_mut(at);
        let output = match (&mut rest[0], temporary.element_type) {
            (slot, ElementType::String) => Output::from(&mut slot.strings[..temporary.len]),
            (slot, ty) => Output::from_bits(ty, &mut slot.bytes[..temporary.len * ty.size()]),
        };
        (Sources { slots: earlier }, output)
    }

    /// All temporaries as sources.
    #[must_use]
    pub fn sources(&self) -> Sources<'_> {
        Sources { slots: &self.slots }
    }
}

/// Temporaries that are already written.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    slots: &'a [Slot],
}

impl<'a> Sources<'a> {
    /// Temporary `at` as a source.
    #[must_use]
    pub fn input(&self, at: usize, temporary: Temporary) -> Input<'a> {
        match temporary.element_type {
            ElementType::String => Input::from(&self.slots[at].strings[..temporary.len]),
            ty => Input::from_bits(ty, &self.slots[at].bytes[..temporary.len * ty.size()]),
        }
    }
}

fn grow<T: Clone + Default>(buffer: &mut Vec<T>, len: usize, bytes: usize) -> Result<(), Error> {
    if buffer.len() < len {
        buffer
            .try_reserve_exact(len - buffer.len())
            .map_err(|_| out_of_memory(bytes))?;
        buffer.resize(len, T::default());
    }
    Ok(())
}
