//! The steps of a plan in their order, for the runner and for machine code, and those that need no raw memory: index checks, and strings,
//! which are cloned.
//!
//! [`steps`] is where a call is admitted and where no nest begins before its checks have passed (I3). What a nest may read are its
//! [`Sources`]. How bytes move is in `move_`.

use crate::access::Access;
use crate::elem::ElementType;
use crate::error::Error;
use crate::index::{any_is_outside, any_is_outside_i32, is_outside};
use crate::list::List;
use crate::nest::{LoopNest, Source};
use crate::odometer::{Loops, Odometer};
use crate::operand::{Input, Output};
use crate::plan::{Check, Plan, PlannedNest, Reader, Step};
use crate::scratch::{self, Scratch};
use crate::sources::Sources;

/// What runs on the temporaries that it is given.
#[doc(hidden)]
pub type OnScratch<'a> = &'a mut dyn FnMut(&mut Scratch) -> Result<(), Error>;

/// Admits a call, then takes the steps of the plan in order: checks are run here, nests by `nest`, which gets the number of the
/// nest in the plan, what it may read, and where it writes. For engines: when `nest` is called, the buffers have the lengths that the
/// nest was verified for, and the checks of its indices have passed (I3), but for [its own](PlannedNest::tested) where `tests` says that
/// this reader tests as it reads: then it says `false` where an index is outside.
///
/// # Errors
/// As [`runner::run`](crate::runner::run).
#[doc(hidden)]
#[inline]
pub fn steps(
    plan: &Plan,
    inputs: &[Input<'_>],
    output: &mut Output<'_>,
    temporaries: impl FnOnce(OnScratch<'_>) -> Result<(), Error>,
    tests: fn(Reader) -> bool,
    mut nest: impl FnMut(usize, &PlannedNest, &Sources<'_>, &mut Output<'_>) -> bool,
) -> Result<(), Error> {
    plan.admit(inputs, output)?;
    // Most plans are one nest, perhaps after one check, and a small one is over before the general way has begun.
    let (check, planned) = match plan.steps() {
        [Step::Nest(planned)] if planned.scratch().is_none() => (None, planned),
        [Step::Check(check), Step::Nest(planned)] if planned.scratch().is_none() => {
            (Some(check), planned)
        }
        _ => return many_steps(plan, inputs, output, temporaries, tests, &mut nest),
    };
    let sources = Sources::new(plan, inputs, scratch::Earlier::default());
    check.map_or(Ok(()), |check| self::check(check, &sources))?;
    let left = left_to(planned, &sources, tests)?;
    match nest(0, planned, &sources, output) {
        true => Ok(()),
        false => stopped(left, &sources),
    }
}

/// The steps of an admitted call, on temporaries if there are some.
fn many_steps(
    plan: &Plan,
    inputs: &[Input<'_>],
    output: &mut Output<'_>,
    temporaries: impl FnOnce(OnScratch<'_>) -> Result<(), Error>,
    tests: fn(Reader) -> bool,
    nest: &mut dyn FnMut(usize, &PlannedNest, &Sources<'_>, &mut Output<'_>) -> bool,
) -> Result<(), Error> {
    let run = &mut |scratch: &mut Scratch| each_step(plan, inputs, output, scratch, tests, nest);
    match plan.temporaries() {
        [] => run(&mut Scratch::new()),
        _ => temporaries(run),
    }
}

/// The steps of an admitted call.
fn each_step(
    plan: &Plan,
    inputs: &[Input<'_>],
    output: &mut Output<'_>,
    scratch: &mut Scratch,
    tests: fn(Reader) -> bool,
    nest: &mut dyn FnMut(usize, &PlannedNest, &Sources<'_>, &mut Output<'_>) -> bool,
) -> Result<(), Error> {
    scratch.prepare(plan.temporaries())?;
    let mut number = 0;
    for step in plan.steps() {
        let planned = match step {
            Step::Check(check) => {
                self::check(check, &Sources::new(plan, inputs, scratch.sources()))?;
                continue;
            }
            Step::Nest(planned) => planned,
        };
        let sources = Sources::new(plan, inputs, scratch.sources());
        let left = left_to(planned, &sources, tests)?;
        let passed = match planned.scratch() {
            None => nest(number, planned, &sources, output),
            Some(at) => {
                let (earlier, mut temporary) = scratch.split(at);
                let sources = Sources::new(plan, inputs, earlier);
                nest(number, planned, &sources, &mut temporary)
            }
        };
        if !passed {
            stopped(left, &Sources::new(plan, inputs, scratch.sources()))?;
        }
        number += 1;
    }
    Ok(())
}

/// The check of a nest that tests as it reads; any other is run here.
///
/// # Errors
/// As [`check`].
#[inline]
fn left_to<'p>(
    planned: &'p PlannedNest,
    sources: &Sources<'_>,
    tests: fn(Reader) -> bool,
) -> Result<Option<&'p Check>, Error> {
    match planned.tested() {
        Some(tested) if tests(tested.reader()) => Ok(Some(tested.check())),
        Some(tested) => check(tested.check(), sources).map(|()| None),
        None => Ok(None),
    }
}

/// Why a nest has not come to its end: the check that was left to it refuses.
///
/// # Errors
/// Always.
#[cold]
fn stopped(left: Option<&Check>, sources: &Sources<'_>) -> Result<(), Error> {
    left.map_or(Ok(()), |check| self::check(check, sources))?;
    Err(Error::internal("a nest stopped whose indices are in range"))
}

/// Clones strings block by block.
pub(crate) fn strings(nest: &LoopNest, sources: &Sources<'_>, output: &mut Output<'_>) {
    let (Source::Buffer(buffer), Some(to)) = (nest.source(), output.strings_mut()) else {
        return;
    };
    let Some(from) = sources.buffer(buffer).strings() else {
        return;
    };
    let mut odometer = Odometer::new(Loops::whole(nest.extents()));
    loop {
        let src = position(nest.src(), odometer.counters(), sources) as usize;
        let dst = position(nest.dst(), odometer.counters(), sources) as usize;
        to[dst..dst + nest.block()].clone_from_slice(&from[src..src + nest.block()]);
        if !odometer.advance() {
            return;
        }
    }
}

/// Refuses the first index outside its axis.
///
/// # Errors
/// [`IndexRange`](crate::ErrorKind::IndexRange).
fn check(check: &Check, sources: &Sources<'_>) -> Result<(), Error> {
    let (table, access) = (sources.buffer(check.table()), check.access());
    let first = access.offset;
    let found = match (check.extents(), &access.strides[..]) {
        _ if !access.is_affine() => return check_each_row(check, table, sources),
        ([], []) => {
            let index = check.index().load(&table, first as usize);
            is_outside(index, check.size()).then_some((0, index))
        }
        (&[count], &[stride]) if stride != 0 => {
            let row = Row {
                first,
                count,
                stride,
            };
            find_outside(table, row, check.size())
        }
        _ => return check_each_row(check, table, sources),
    };
    found.map_or(Ok(()), |(at, value)| Err(check.refuse(value, at)))
}

/// Row after row of the innermost loop, or index after index where tables say where they lie.
fn check_each_row(check: &Check, table: Input<'_>, sources: &Sources<'_>) -> Result<(), Error> {
    let (access, extents) = (check.access(), check.extents());
    if extents.contains(&0) {
        return Ok(());
    }
    // A loop that moves neither the index nor what leads to it reads the same in every turn.
    let turns = extents.iter().enumerate().map(|(k, &extent)| {
        let stays = access.all_strides(&|strides| strides[k] == 0);
        if stays { 1 } else { extent }
    });
    let turns: List<usize> = turns.collect();
    let (outer, count, stride) = match (turns.split_last(), access.strides.last()) {
        (Some((&count, outer)), Some(&stride)) if access.is_affine() => (outer, count, stride),
        _ => (&turns[..], 1, 1),
    };
    let mut odometer = Odometer::new(Loops::whole(outer));
    loop {
        let counters = odometer.counters();
        let row = Row {
            first: position(access, counters, sources),
            count,
            stride,
        };
        if let Some((within, value)) = find_outside(table, row, check.size()) {
            let counters = counters.iter().chain([&within]);
            let flat = |flat, (extent, counter)| flat * extent + counter;
            let flat = extents.iter().zip(counters).fold(0, flat);
            return Err(check.refuse(value, flat));
        }
        if !odometer.advance() {
            return Ok(());
        }
    }
}

/// Indices of a table, at positions in elements.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub first: i64,
    pub count: usize,
    pub stride: i64,
}

impl Row {
    /// All that a table has.
    pub fn all(count: usize) -> Self {
        Self {
            first: 0,
            count,
            stride: 1,
        }
    }
}

/// The bytes of an index.
trait Word {
    fn any_is_outside<'w>(words: impl Iterator<Item = &'w Self>, size: i64) -> bool
    where
        Self: 'w;
    fn value(&self) -> i64;
}

impl Word for [u8; 4] {
    fn any_is_outside<'w>(words: impl Iterator<Item = &'w Self>, size: i64) -> bool {
        any_is_outside_i32(words.map(|&word| i32::from_ne_bytes(word)), size)
    }

    fn value(&self) -> i64 {
        i32::from_ne_bytes(*self).into()
    }
}

impl Word for [u8; 8] {
    fn any_is_outside<'w>(words: impl Iterator<Item = &'w Self>, size: i64) -> bool {
        any_is_outside(words.map(Self::value), size)
    }

    fn value(&self) -> i64 {
        i64::from_ne_bytes(*self)
    }
}

/// The first of some indices of a table that is outside `-size..size`: its place among them, and its value. Only `i32` and `i64` are
/// indices.
pub(crate) fn find_outside(table: Input<'_>, row: Row, size: i64) -> Option<(usize, i64)> {
    match table.element_type() {
        ElementType::I32 => find(table.bytes().as_chunks::<4>().0, row, size),
        ElementType::I64 => find(table.bytes().as_chunks::<8>().0, row, size),
        _ => None,
    }
}

/// The first word that is outside; whole blocks are tested without a branch, so that the compiler vectorises those of neighbours.
fn find<W: Word>(words: &[W], row: Row, size: i64) -> Option<(usize, i64)> {
    const BLOCK: usize = 64;
    let word = |k: usize| &words[(row.first + k as i64 * row.stride) as usize];
    for done in (0..row.count).step_by(BLOCK) {
        let block = done..row.count.min(done + BLOCK);
        let any_is_outside = match row.stride {
            1 => {
                let first = row.first as usize;
                let block = &words[first + block.start..first + block.end];
                W::any_is_outside(block.iter(), size)
            }
            _ => W::any_is_outside(block.clone().map(word), size),
        };
        if any_is_outside {
            let mut each = block.map(|k| (k, word(k).value()));
            return each.find(|&(_, value)| is_outside(value, size));
        }
    }
    None
}

/// A position in elements.
fn position(access: &Access, counters: &[usize], sources: &Sources<'_>) -> i64 {
    access.position(counters, &|lookup, at| {
        let table = sources.buffer(lookup.table);
        lookup.index.load(&table, at as usize)
    })
}
