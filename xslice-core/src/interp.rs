//! The reference: always right, never clever.
//!
//! An odometer over the nest, element by element, every position computed anew from the access as it is printed. No fast path, no
//! schedule, and no `unsafe`: what the other engines do is compared with this.

use crate::access::{Access, Buffer, IndexType};
use crate::elem::ElementType;
use crate::error::Error;
use crate::nest::{LoopNest, Source};
use crate::operand::{Input, Output};
use crate::plan::{Check, Plan, Step};
use crate::scratch::{Scratch, Sources};
use alloc::vec;
use core::mem::MaybeUninit;

/// Runs a plan.
///
/// ```
/// use xslice_core::{ElementType, Program, Scratch, Signature, interp};
/// let plan = Program::parse("x[:, ::-1]")?.compile(&Signature::new().operand(ElementType::U8, &[2, 2]))?;
/// let mut y = [0u8; 4];
/// interp::run(&plan, &[(&[1u8, 2, 3, 4]).into()], (&mut y).into(), &mut Scratch::new())?;
/// assert_eq!(y, [2, 1, 4, 3]);
/// # Ok::<(), xslice_core::Error>(())
/// ```
///
/// # Errors
/// What [`Plan::admit`] refuses, the first failing check in the order of the program, and memory for temporaries.
pub fn run(
    plan: &Plan,
    inputs: &[Input<'_>],
    mut output: Output<'_>,
    scratch: &mut Scratch,
) -> Result<(), Error> {
    plan.admit(inputs, &output)?;
    scratch.prepare(plan.temporaries())?;
    for step in plan.steps() {
        match step {
            Step::Check(check) => {
                let memory = Memory {
                    plan,
                    inputs,
                    earlier: scratch.sources(),
                };
                memory.check(check)?;
            }
            Step::Nest(planned) => match planned.scratch() {
                None => {
                    let memory = Memory {
                        plan,
                        inputs,
                        earlier: scratch.sources(),
                    };
                    memory.run(planned.nest(), &mut output);
                }
                Some(at) => {
                    let (earlier, mut output) = scratch.split(at);
                    Memory {
                        plan,
                        inputs,
                        earlier,
                    }
                    .run(planned.nest(), &mut output);
                }
            },
        }
    }
    Ok(())
}

/// Everything that a nest may read.
struct Memory<'a> {
    plan: &'a Plan,
    inputs: &'a [Input<'a>],
    earlier: Sources<'a>,
}

impl Memory<'_> {
    fn buffer(&self, buffer: Buffer) -> Input<'_> {
        match buffer {
            Buffer::Operand(at) => self.inputs[at],
            Buffer::Constant(at) => self.plan.constants()[at].as_input(),
            Buffer::Scratch(at) => self.earlier.input(at),
        }
    }

    /// The index at an element position of a table.
    fn index(&self, table: Buffer, ty: IndexType, position: i64) -> i64 {
        let bytes = self.buffer(table).bytes();
        let at = position as usize;
        match ty {
            IndexType::I32 => {
                let (words, _) = bytes.as_chunks::<4>();
                i64::from(i32::from_ne_bytes(words[at]))
            }
            IndexType::I64 => {
                let (words, _) = bytes.as_chunks::<8>();
                i64::from_ne_bytes(words[at])
            }
        }
    }

    fn position(&self, access: &Access, counters: &[usize]) -> i64 {
        let mut position = access.offset;
        for (&stride, &counter) in access.strides.iter().zip(counters) {
            position += stride * counter as i64;
        }
        for lookup in &access.lookups {
            let index = self.index(
                lookup.table,
                lookup.index,
                self.position(&lookup.access, counters),
            );
            position += lookup.scale
                * if index < 0 {
                    index + lookup.size
                } else {
                    index
                };
        }
        position
    }

    fn check(&self, check: &Check) -> Result<(), Error> {
        let mut counters = vec![0; check.extents().len()];
        if check.extents().contains(&0) {
            return Ok(());
        }
        for flat in 0.. {
            let position = self.position(check.access(), &counters);
            let index = self.index(check.table(), check.index(), position);
            if index < -check.size() || index >= check.size() {
                return Err(check.refuse(index, flat));
            }
            if !advance(&mut counters, check.extents()) {
                break;
            }
        }
        Ok(())
    }

    fn run(&self, nest: &LoopNest, output: &mut Output<'_>) {
        let mut counters = vec![0; nest.extents().len()];
        loop {
            let src = self.position(nest.src(), &counters);
            let dst = self.position(nest.dst(), &counters);
            for k in 0..nest.block() as i64 {
                self.element(nest, src + k, (dst + k) as usize, output);
            }
            if !advance(&mut counters, nest.extents()) {
                return;
            }
        }
    }

    fn element(&self, nest: &LoopNest, src: i64, dst: usize, output: &mut Output<'_>) {
        let ty = nest.element_type();
        if let (Source::Buffer(buffer), ElementType::String) = (nest.source(), ty) {
            if let (Some(from), Some(to)) = (self.buffer(buffer).strings(), output.strings_mut()) {
                to[dst].clone_from(&from[src as usize]);
            }
            return;
        }
        let size = ty.size();
        let to = &mut output.bytes_mut()[dst * size..][..size];
        match nest.source() {
            Source::Buffer(buffer) => {
                write(to, &self.buffer(buffer).bytes()[src as usize * size..]);
            }
            Source::Range(values) => write(to, low_bytes(&values.bits(src).to_ne_bytes(), size)),
        }
    }
}

fn write(to: &mut [MaybeUninit<u8>], from: &[u8]) {
    for (slot, byte) in to.iter_mut().zip(from) {
        slot.write(*byte);
    }
}

/// The next counters, innermost first; `false` after the last.
fn advance(counters: &mut [usize], extents: &[usize]) -> bool {
    for (counter, &extent) in counters.iter_mut().zip(extents).rev() {
        *counter += 1;
        if *counter < extent {
            return true;
        }
        *counter = 0;
    }
    false
}

/// The bytes of the lowest bits of a number.
fn low_bytes(number: &[u8; 8], size: usize) -> &[u8] {
    if cfg!(target_endian = "little") {
        &number[..size]
    } else {
        &number[8 - size..]
    }
}
