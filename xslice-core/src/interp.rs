//! The reference: always right, never clever.
//!
//! An odometer over the nest, element by element, every position computed anew from the access as it is printed. What is decided once
//! for a nest is only how large its elements are and whether they are read or computed. No fast path, no
//! schedule, and no `unsafe`: what the other engines do is compared with this.

use crate::access::{Access, Buffer, IndexType, Lookup};
use crate::elem::ElementType;
use crate::error::Error;
use crate::nest::{LoopNest, Source};
use crate::operand::{Input, Output};
use crate::plan::{Check, Plan, Step};
use crate::scratch::{Earlier, Scratch};
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
    earlier: Earlier<'a>,
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

    #[inline]
    fn position(&self, access: &Access, counters: &[usize]) -> i64 {
        let mut position = access.offset;
        for (&stride, &counter) in access.strides.iter().zip(counters) {
            position += stride * counter as i64;
        }
        if access.is_affine() {
            return position;
        }
        position + self.looked_up(&access.lookups, counters)
    }

    fn looked_up(&self, lookups: &[Lookup], counters: &[usize]) -> i64 {
        let each = lookups.iter().map(|lookup| {
            let position = self.position(&lookup.access, counters);
            lookup.adds(self.index(lookup.table, lookup.index, position))
        });
        each.sum()
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
        use ElementType as E;
        match nest.element_type() {
            E::Bool | E::I8 | E::U8 => self.elements::<1>(nest, output),
            E::I16 | E::U16 | E::F16 | E::Bf16 => self.elements::<2>(nest, output),
            E::I32 | E::U32 | E::F32 => self.elements::<4>(nest, output),
            E::I64 | E::U64 | E::F64 | E::C64 => self.elements::<8>(nest, output),
            E::C128 => self.elements::<16>(nest, output),
            E::String => self.strings(nest, output),
        }
    }

    /// Elements of `N` bytes.
    fn elements<const N: usize>(&self, nest: &LoopNest, output: &mut Output<'_>) {
        let (to, _) = output.bytes_mut().as_chunks_mut::<N>();
        match nest.source() {
            Source::Buffer(buffer) => {
                let (from, _) = self.buffer(buffer).bytes().as_chunks::<N>();
                self.each(nest, |src, dst| to[dst] = from[src].map(MaybeUninit::new));
            }
            Source::Range(values) => self.each(nest, |at, dst| {
                to[dst] = low_bytes(values.bits(at as i64)).map(MaybeUninit::new);
            }),
        }
    }

    fn strings(&self, nest: &LoopNest, output: &mut Output<'_>) {
        let (Source::Buffer(buffer), Some(to)) = (nest.source(), output.strings_mut()) else {
            return;
        };
        if let Some(from) = self.buffer(buffer).strings() {
            self.each(nest, |src, dst| to[dst].clone_from(&from[src]));
        }
    }

    /// Every element of a nest, in order: where it lies in the source, and where in the destination.
    fn each(&self, nest: &LoopNest, mut element: impl FnMut(usize, usize)) {
        let mut counters = vec![0; nest.extents().len()];
        loop {
            let src = self.position(nest.src(), &counters) as usize;
            let dst = self.position(nest.dst(), &counters) as usize;
            for k in 0..nest.block() {
                element(src + k, dst + k);
            }
            if !advance(&mut counters, nest.extents()) {
                return;
            }
        }
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
fn low_bytes<const N: usize>(number: u64) -> [u8; N] {
    let all = u128::from(number).to_ne_bytes();
    let low = if cfg!(target_endian = "little") {
        all.first_chunk()
    } else {
        all.last_chunk()
    };
    // No element has more than 16 bytes.
    *low.unwrap_or(&[0; N])
}
