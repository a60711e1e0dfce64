//! The reference: always right, never clever.
//!
//! An odometer over the nest, element by element, every position computed anew from the access as it is printed. What is decided once
//! for a nest is only how large its elements are and whether they are read or computed. No fast path, no
//! schedule, and no `unsafe`: what the other engines do is compared with this.

use crate::access::{Access, IndexType, Lookup};
use crate::elem::ElementType;
use crate::error::Error;
use crate::nest::{LoopNest, Source};
use crate::operand::{Input, Output};
use crate::plan::{Check, Plan, Step};
use crate::scratch::Scratch;
use crate::sources::Sources;
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
                self::check(check, &Sources::new(plan, inputs, scratch.sources()))?;
            }
            Step::Nest(planned) => {
                if let Some(tested) = planned.tested() {
                    let sources = Sources::new(plan, inputs, scratch.sources());
                    check(tested.check(), &sources)?;
                }
                match planned.scratch() {
                    None => {
                        let sources = Sources::new(plan, inputs, scratch.sources());
                        nest(planned.nest(), &sources, &mut output);
                    }
                    Some(at) => {
                        let (earlier, mut temporary) = scratch.split(at);
                        let sources = Sources::new(plan, inputs, earlier);
                        nest(planned.nest(), &sources, &mut temporary);
                    }
                }
            }
        }
    }
    Ok(())
}

/// The index at an element position of a table.
fn index(table: Input<'_>, ty: IndexType, position: i64) -> i64 {
    let bytes = table.bytes();
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
fn position(access: &Access, counters: &[usize], sources: &Sources<'_>) -> i64 {
    let mut position = access.offset;
    for (&stride, &counter) in access.strides.iter().zip(counters) {
        position += stride * counter as i64;
    }
    if access.is_affine() {
        return position;
    }
    position + looked_up(&access.lookups, counters, sources)
}

fn looked_up(lookups: &[Lookup], counters: &[usize], sources: &Sources<'_>) -> i64 {
    let each = lookups.iter().map(|lookup| {
        let position = position(&lookup.access, counters, sources);
        let table = sources.buffer(lookup.table);
        lookup.adds(index(table, lookup.index, position))
    });
    each.sum()
}

fn check(check: &Check, sources: &Sources<'_>) -> Result<(), Error> {
    let mut counters = vec![0; check.extents().len()];
    if check.extents().contains(&0) {
        return Ok(());
    }
    for flat in 0.. {
        let position = position(check.access(), &counters, sources);
        let index = index(sources.buffer(check.table()), check.index(), position);
        if index < -check.size() || index >= check.size() {
            return Err(check.refuse(index, flat));
        }
        if !advance(&mut counters, check.extents()) {
            break;
        }
    }
    Ok(())
}

fn nest(nest: &LoopNest, sources: &Sources<'_>, output: &mut Output<'_>) {
    use ElementType as E;
    match nest.element_type() {
        E::Bool | E::I8 | E::U8 => elements::<1>(nest, sources, output),
        E::I16 | E::U16 | E::F16 | E::Bf16 => elements::<2>(nest, sources, output),
        E::I32 | E::U32 | E::F32 => elements::<4>(nest, sources, output),
        E::I64 | E::U64 | E::F64 | E::C64 => elements::<8>(nest, sources, output),
        E::C128 => elements::<16>(nest, sources, output),
        E::String => strings(nest, sources, output),
    }
}

/// Elements of `N` bytes.
fn elements<const N: usize>(nest: &LoopNest, sources: &Sources<'_>, output: &mut Output<'_>) {
    let (to, _) = output.bytes_mut().as_chunks_mut::<N>();
    match nest.source() {
        Source::Buffer(buffer) => {
            let (from, _) = sources.buffer(buffer).bytes().as_chunks::<N>();
            each(nest, sources, |src, dst| {
                to[dst] = from[src].map(MaybeUninit::new)
            });
        }
        Source::Range(values) => each(nest, sources, |at, dst| {
            to[dst] = low_bytes(values.bits(at as i64)).map(MaybeUninit::new);
        }),
    }
}

fn strings(nest: &LoopNest, sources: &Sources<'_>, output: &mut Output<'_>) {
    let (Source::Buffer(buffer), Some(to)) = (nest.source(), output.strings_mut()) else {
        return;
    };
    if let Some(from) = sources.buffer(buffer).strings() {
        each(nest, sources, |src, dst| to[dst].clone_from(&from[src]));
    }
}

/// Every element of a nest, in order: where it lies in the source, and where in the destination.
fn each(nest: &LoopNest, sources: &Sources<'_>, mut element: impl FnMut(usize, usize)) {
    let mut counters = vec![0; nest.extents().len()];
    loop {
        let src = position(nest.src(), &counters, sources) as usize;
        let dst = position(nest.dst(), &counters, sources) as usize;
        for k in 0..nest.block() {
            element(src + k, dst + k);
        }
        if !advance(&mut counters, nest.extents()) {
            return;
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
