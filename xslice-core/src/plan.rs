//! What every engine runs: nests, checks, numbers, constants.
//!
//! A [`Plan`] is for one signature. Its steps run in order: a check refuses an index outside its axis before any nest uses it, a nest
//! moves. Engines read plans and nothing behind them (not the notation, not the operators).

mod admit;
mod check;
mod direct;

pub use admit::refuse_length;
pub(crate) use admit::{OperandNeed, refuse_count};
pub(crate) use check::Origin;
pub use check::{Check, Reader, Tested, refuse_index};
pub(crate) use direct::{Direct, OneTurn, Picks};

use crate::access::Names;
use crate::elem::ElementType;
use crate::list::List;
use crate::nest::LoopNest;
use crate::nest::schedule::Schedule;
use crate::scratch::Temporary;
use crate::tensor::Tensor;
use alloc::{boxed::Box, string::String, sync::Arc, vec::Vec};
use core::fmt;

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Refuses a bad index.
    Check(Box<Check>),
    /// Moves elements.
    Nest(Box<PlannedNest>),
}

/// A nest, its schedule, the check that it may do itself, and where it writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedNest {
    pub(crate) tested: Option<Tested>,
    pub(crate) nest: LoopNest,
    pub(crate) schedule: Option<Arc<Schedule>>,
    /// The temporary that it writes; `None`: the result.
    pub(crate) scratch: Option<usize>,
}

impl PlannedNest {
    /// The check of indices that the nest reads, each before it is used: engines that do not test them as they are read run it first.
    #[must_use]
    pub fn tested(&self) -> Option<&Tested> {
        self.tested.as_ref()
    }

    /// The nest.
    #[must_use]
    pub fn nest(&self) -> &LoopNest {
        &self.nest
    }

    /// The schedule in bytes; `None` for strings.
    #[must_use]
    pub fn schedule(&self) -> Option<&Schedule> {
        self.schedule.as_deref()
    }

    /// The temporary that it writes; `None`: the result.
    #[must_use]
    pub fn scratch(&self) -> Option<usize> {
        self.scratch
    }
}

/// Everything an engine needs for one signature: which elements move, proved to be in bounds. From
/// [`Program::compile`](crate::Program::compile).
///
/// It is printed as the loops that it is; [`ir`](crate::ir) has the types of its parts.
///
/// ```
/// # use xslice_core::{ElementType, Program, Signature};
/// let signature = Signature::new().operand(ElementType::U8, &[2, 3]);
/// let plan = Program::parse("x[:, ::-1]")?.compile(&signature)?;
/// assert_eq!((plan.element_type(), plan.shape(), plan.output_len()), (ElementType::U8, &[2, 3][..], 6));
/// assert_eq!(plan.operand_types().next(), Some((ElementType::U8, 6)));
/// assert!(plan.to_string().contains("dst[3*i + j] <- x[2 + 3*i - j]"));
/// # Ok::<(), xslice_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The name of each operand.
    pub(crate) names: Arc<[String]>,
    pub(crate) operands: Vec<OperandNeed>,
    pub(crate) constants: Vec<Arc<Tensor>>,
    /// Bytes of the constants that it does not share with its program.
    pub(crate) own_constants: usize,
    pub(crate) temporaries: Vec<Temporary>,
    pub(crate) known_cost: usize,
    pub(crate) steps: Vec<Step>,
    pub(crate) ty: ElementType,
    pub(crate) shape: List<usize>,
    /// Elements of the destination buffer: exactly this many where `exact_output`.
    pub(crate) output_len: usize,
    pub(crate) exact_output: bool,
    pub(crate) direct: Option<Direct>,
}

impl Plan {
    /// The element type of the result.
    #[must_use]
    pub fn element_type(&self) -> ElementType {
        self.ty
    }

    /// The shape of the result, outermost dimension first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// What indices and parameters that were known before the call cost to compile, in bytes of
    /// [`Signature::limit`](crate::Signature::limit).
    #[must_use]
    pub fn known_cost(&self) -> usize {
        self.known_cost
    }

    /// Elements of the destination buffer that a call needs: those of the result, or as far as they reach in a larger buffer
    /// ([`Signature::output`](crate::Signature::output)).
    #[must_use]
    pub fn output_len(&self) -> usize {
        self.output_len
    }

    /// Element type and number of elements of each operand's buffer.
    pub fn operand_types(&self) -> impl Iterator<Item = (ElementType, usize)> + Clone {
        self.operands.iter().map(|need| (need.ty, need.len))
    }

    /// The steps, in order.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The nests among the steps, in order.
    pub fn nests(&self) -> impl DoubleEndedIterator<Item = &PlannedNest> {
        self.steps.iter().filter_map(|step| match step {
            Step::Nest(planned) => Some(&**planned),
            Step::Check(_) => None,
        })
    }

    /// The checks, in order: those that are steps, and those of nests that may test what they read.
    pub fn checks(&self) -> impl Iterator<Item = &Check> {
        self.steps.iter().filter_map(|step| match step {
            Step::Check(check) => Some(&**check),
            Step::Nest(planned) => planned.tested().map(Tested::check),
        })
    }

    /// The constants that nests and checks read.
    #[must_use]
    pub fn constants(&self) -> &[Arc<Tensor>] {
        &self.constants
    }

    /// The temporaries between nests.
    #[must_use]
    pub fn temporaries(&self) -> &[Temporary] {
        &self.temporaries
    }

    /// About the bytes of memory that it takes, without the constants that it shares with its program.
    #[must_use]
    pub fn memory(&self) -> usize {
        let lists = self.operands.capacity() * size_of::<OperandNeed>()
            + self.constants.capacity() * size_of::<Arc<Tensor>>()
            + self.temporaries.capacity() * size_of::<Temporary>()
            + self.steps.capacity() * size_of::<Step>();
        let behind = self.steps.iter().map(|step| match step {
            Step::Check(check) => check.memory(),
            Step::Nest(planned) => {
                let schedule = planned
                    .schedule()
                    .map_or(0, |schedule| size_of_val(schedule) + schedule.heap_bytes());
                let tested = planned.tested().map_or(0, |tested| tested.check().memory());
                size_of::<PlannedNest>() + planned.nest.heap_bytes() + schedule + tested
            }
        });
        size_of::<Self>() + lists + self.own_constants + behind.sum::<usize>()
    }

    /// Whether every element of the destination buffer is written, so that it may be uninitialised (I4).
    #[must_use]
    pub fn covers_output(&self) -> bool {
        match self.nests().rfind(|planned| planned.scratch.is_none()) {
            Some(last) => last.nest.covers(),
            None => self.output_len == 0,
        }
    }
}

/// Shape, strides and offset of a zero-copy view into one operand, in elements: `[i, j, ..]` of the result lies at
/// `offset + i * strides[0] + j * strides[1] + ..` of the operand's buffer. From [`Program::view`](crate::Program::view).
///
/// ```
/// # use xslice_core::{ElementType, Program, Signature};
/// let signature = Signature::new().operand(ElementType::I32, &[2, 3]);
/// let view = Program::parse("x[1, ::-1]")?.view(&signature)?.expect("slices are affine");
/// let x = [10, 11, 12, 20, 21, 22];
/// let at = |i: usize| x[view.offset.wrapping_add_signed(view.strides[0] * i as isize)];
/// assert_eq!([at(0), at(1), at(2)], [22, 21, 20]);
/// # Ok::<(), xslice_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The operand.
    pub operand: usize,
    /// The dimensions.
    pub shape: Vec<usize>,
    /// Distance between neighbours on each axis.
    pub strides: Vec<isize>,
    /// Position of element `[0, 0, ...]` in the operand's buffer.
    pub offset: usize,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = &*self.names;
        for step in &self.steps {
            match step {
                Step::Check(check) => check.write(Names(names), f)?,
                Step::Nest(planned) => {
                    if let Some(tested) = planned.tested() {
                        tested.check().write(Names(names), f)?;
                    }
                    if let Some(at) = planned.scratch {
                        writeln!(f, "scratch{at}:")?;
                    }
                    planned.nest.write(Names(names), f)?;
                    if let Some(schedule) = &planned.schedule {
                        writeln!(f, "  move {schedule}")?;
                    }
                }
            }
        }
        if self.steps.is_empty() {
            writeln!(f, "nothing to move")?;
        }
        Ok(())
    }
}
