//! Memory for the temporaries between the nests of one plan, kept for the next call.

use crate::elem::ElementType;
use crate::error::Error;
use crate::operand::{Input, Output};
use crate::tensor::byte_count;
use alloc::{string::String, vec::Vec};

/// A temporary between two nests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Temporary {
    /// The element type.
    pub element_type: ElementType,
    /// The number of elements.
    pub len: usize,
}

/// Reusable memory for temporaries: empty at first, grown to what a plan needs, never shrunk. Most plans have no temporary.
///
/// One is for any number of plans, one call after the other; calls at the same time need one each.
///
/// ```
/// use xslice_core::{ElementType, Program, Scratch, Signature, runner};
/// let mut scratch = Scratch::new();
/// for text in ["x[::-1]", "x[1:]"] {
///     let plan = Program::parse(text)?.compile(&Signature::new().operand(ElementType::U8, &[3]))?;
///     let mut y = vec![0u8; plan.output_len()];
///     runner::run(&plan, &[(&[1u8, 2, 3]).into()], (&mut y).into(), &mut scratch)?;
/// }
/// # Ok::<(), xslice_core::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Scratch {
    slots: Vec<Slot>,
}

/// The memory of one temporary, and what it holds now.
#[derive(Debug)]
struct Slot {
    holds: Temporary,
    bytes: Vec<u8>,
    strings: Vec<String>,
}

impl Slot {
    const EMPTY: Self = Self {
        holds: Temporary {
            element_type: ElementType::U8,
            len: 0,
        },
        bytes: Vec::new(),
        strings: Vec::new(),
    };

    /// Makes room. Bytes of an earlier plan are no bools.
    fn prepare(&mut self, holds: Temporary) -> Result<(), Error> {
        let Temporary { element_type, len } = holds;
        let bytes = byte_count(len, element_type)?;
        match element_type {
            ElementType::String => grow(&mut self.strings, len, bytes)?,
            _ => grow(&mut self.bytes, bytes, bytes)?,
        }
        if element_type == ElementType::Bool {
            self.bytes[..bytes].fill(0);
        }
        self.holds = holds;
        Ok(())
    }

    fn input(&self) -> Input<'_> {
        let Temporary { element_type, len } = self.holds;
        match element_type {
            ElementType::String => Input::from(&self.strings[..len]),
            ty => Input::from_bits(ty, &self.bytes[..len * ty.size()]),
        }
    }

    fn output(&mut self) -> Output<'_> {
        let Temporary { element_type, len } = self.holds;
        match element_type {
            ElementType::String => Output::from(&mut self.strings[..len]),
            ty => Output::from_bits(ty, &mut self.bytes[..len * ty.size()]),
        }
    }
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
            self.slots.resize_with(temporaries.len(), || Slot::EMPTY);
        }
        let mut slots = self.slots.iter_mut().zip(temporaries);
        slots.try_for_each(|(slot, temporary)| slot.prepare(*temporary))
    }

    /// Temporary `at` as the destination, and the earlier ones as sources.
    ///
    /// # Panics
    /// If [`Scratch::prepare`] has not made that many temporaries.
    pub(crate) fn split(&mut self, at: usize) -> (Earlier<'_>, Output<'_>) {
        let (earlier, rest) = self.slots.split_at_mut(at);
        (Earlier { slots: earlier }, rest[0].output())
    }

    /// All temporaries as sources.
    pub(crate) fn sources(&self) -> Earlier<'_> {
        Earlier { slots: &self.slots }
    }
}

/// Temporaries that are already written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Earlier<'a> {
    slots: &'a [Slot],
}

impl<'a> Earlier<'a> {
    /// Temporary `at` as a source.
    pub(crate) fn input(&self, at: usize) -> Input<'a> {
        self.slots[at].input()
    }
}

fn grow<T: Clone + Default>(buffer: &mut Vec<T>, len: usize, bytes: usize) -> Result<(), Error> {
    if buffer.len() < len {
        buffer
            .try_reserve_exact(len - buffer.len())
            .map_err(|_| Error::out_of_memory(bytes))?;
        buffer.resize(len, T::default());
    }
    Ok(())
}
