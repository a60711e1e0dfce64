//! What a step of a plan may read: constants of the plan, operands of the call, temporaries of earlier steps.

use crate::access::Buffer;
use crate::nest::Source;
use crate::operand::Input;
use crate::plan::Plan;
use crate::scratch;
use crate::tensor::Tensor;
use alloc::sync::Arc;

/// Everything that a step of a plan may read.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    pub(crate) constants: &'a [Arc<Tensor>],
    /// The operands of the call, admitted by the plan.
    pub inputs: &'a [Input<'a>],
    /// Temporaries that earlier steps have written.
    pub(crate) earlier: scratch::Earlier<'a>,
    /// Where buffers start that machine code has found: then nothing else is given.
    pub(crate) found: &'a [(Buffer, Input<'a>)],
}

impl<'a> Sources<'a> {
    /// What a step of `plan` may read.
    #[must_use]
    pub fn new(plan: &'a Plan, inputs: &'a [Input<'a>], earlier: scratch::Earlier<'a>) -> Self {
        Self {
            constants: plan.constants(),
            inputs,
            earlier,
            found: &[],
        }
    }

    /// Buffers that machine code has found, and nothing else.
    pub(crate) fn found(found: &'a [(Buffer, Input<'a>)]) -> Self {
        Self {
            constants: &[],
            inputs: &[],
            earlier: scratch::Earlier::default(),
            found,
        }
    }

    /// Address of the first element of a buffer.
    #[inline]
    #[must_use]
    pub fn start(&self, buffer: Buffer) -> *const u8 {
        let mut found = self.found.iter();
        if let Some((_, start)) = found.find(|(found, _)| *found == buffer) {
            return start.as_ptr();
        }
        match buffer {
            Buffer::Operand(at) => self.inputs[at].as_ptr(),
            Buffer::Constant(_) | Buffer::Scratch(_) => self.buffer(buffer).as_ptr(),
        }
    }

    /// Address of the first element of what a nest reads; null for a Range, which has no place in memory.
    #[inline]
    pub(crate) fn start_of(&self, source: Source) -> *const u8 {
        let buffer = source.buffer();
        buffer.map_or(core::ptr::null(), |buffer| self.start(buffer))
    }

    /// The memory of a buffer.
    pub(crate) fn buffer(&self, buffer: Buffer) -> Input<'_> {
        match buffer {
            Buffer::Operand(at) => self.inputs[at],
            Buffer::Constant(at) => self.constants[at].as_input(),
            Buffer::Scratch(at) => self.earlier.input(at),
        }
    }
}
