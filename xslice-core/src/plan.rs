//! What every engine runs: nests, checks, numbers, constants.
//!
//! A [`Plan`] is for one signature. Its steps run in order: a check refuses an index outside its axis before any nest uses it, a nest
//! moves. Engines read plans and nothing behind them (not the notation, not the operators).

use crate::access::{Access, Buffer, Counter, IndexType, Names, Shown};
use crate::elem::ElementType;
use crate::error::{Error, ErrorKind, counted};
use crate::index;
use crate::list::List;
use crate::nest::LoopNest;
use crate::nest::schedule::{Move, Schedule};
use crate::operand::{Input, Output};
use crate::scratch::Temporary;
use crate::tensor::Tensor;
use alloc::{
    boxed::Box,
    format,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};
use core::fmt;

mod direct;

pub(crate) use direct::{Direct, OneTurn, Picks};

/// What a call must give for one operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OperandNeed {
    pub ty: ElementType,
    /// Elements of the buffer: exactly this many where `exact`, at least this many otherwise.
    pub len: usize,
    pub exact: bool,
    /// The value that the plan was compiled for, for a parameter.
    pub value: Option<Arc<Tensor>>,
}

/// Who owns a check: named in its refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub operator: Arc<str>,
    pub node: Option<Arc<str>>,
    /// The axis of the data that is gathered.
    pub axis: usize,
    /// The shape of the indices.
    pub dims: List<usize>,
}

impl Origin {
    /// The one refusal of an index outside its axis of size `size`, known early or late; `at` is its flat position.
    #[cold]
    pub fn refuse(&self, size: i64, value: i64, at: usize) -> Error {
        let axis = self.axis;
        let mut rest = at;
        let mut coordinates: Vec<usize> = self
            .dims
            .iter()
            .rev()
            .map(|&dim| (rest % dim, rest /= dim).0)
            .collect();
        coordinates.reverse();
        let error = Error::new(
            ErrorKind::IndexRange,
            format!(
                "`indices{coordinates:?}` = {value} is out of range for axis {axis} of size {size}"
            ),
        )
        .parameter("indices")
        .axis(axis)
        .position(at)
        .value(value)
        .operator(self.operator.to_string())
        .allowed(index::allowed(size.into()));
        match &self.node {
            Some(node) => error.node(node.to_string()),
            None => error,
        }
    }
}

/// `check ids[4 + 2*i], i in 0..512, in -s..s`: refuses the first index outside its axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub(crate) table: Buffer,
    pub(crate) index: IndexType,
    pub(crate) extents: List<usize>,
    pub(crate) access: Access,
    pub(crate) size: i64,
    pub(crate) origin: Origin,
    pub(crate) reader: Option<Reader>,
}

/// What of the nest right after a check reads its very indices, each before it is used, and so can test them in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// Its Move, a look-up.
    Move,
    /// Its loops, before the first turn: there is one index.
    Loops,
}

impl Check {
    /// The table whose indices are checked.
    #[must_use]
    pub fn table(&self) -> Buffer {
        self.table
    }

    /// The element type of the table.
    #[must_use]
    pub fn index(&self) -> IndexType {
        self.index
    }

    /// Turns of each loop over the indices.
    #[must_use]
    pub fn extents(&self) -> &[usize] {
        &self.extents
    }

    /// Position of the index in the table, in elements.
    #[must_use]
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The size `s` of the axis: allowed is `-s..s`.
    #[must_use]
    pub fn size(&self) -> i64 {
        self.size
    }

    /// What of the nest after it reads these very indices: then the check needs no pass of its own where that tests them.
    #[must_use]
    pub fn reader(&self) -> Option<Reader> {
        self.reader
    }

    /// What of a schedule reads these very indices, in whatever order, each before the row that it points to.
    pub(crate) fn reader_in(&self, schedule: &Schedule) -> Option<Reader> {
        let (lookup, reader, of_move) = match (schedule.inner(), &schedule.src().lookups[..]) {
            (Move::Lookup(rows), []) => {
                let of_move = Some((rows.count, rows.index_stride));
                (&rows.lookup, Reader::Move, of_move)
            }
            (Move::Lookup(_), _) => return None,
            (_, [lookup]) if self.extents.is_empty() => (lookup, Reader::Loops, None),
            _ => return None,
        };
        let (checked, read) = (&self.access, &lookup.access);
        let same_table =
            (self.table, self.index, self.size) == (lookup.table, lookup.index, lookup.size);
        let is_empty = self.extents.contains(&0) || schedule.extents().contains(&0);
        if is_empty || !same_table || !checked.is_affine() || !read.is_affine() {
            return None;
        }
        let bytes = lookup.index.size() as i64;
        let strides = checked.strides.iter().map(|stride| stride * bytes);
        let of_check = self.extents.iter().copied().zip(strides);
        let of_loops = schedule.extents().iter().copied();
        let of_loops = of_loops.zip(read.strides.iter().copied());
        let same_indices = Positions::new(checked.offset * bytes, of_check)
            == Positions::new(read.offset, of_loops.chain(of_move));
        same_indices.then_some(reader)
    }

    /// The refusal of `value`, which is at flat position `position` of the indices.
    #[cold]
    #[must_use]
    pub fn refuse(&self, value: i64, position: usize) -> Error {
        self.origin.refuse(self.size, value, position)
    }

    /// The operator, as refusals call it, the axis of its data that is gathered, and the shape of the indices.
    #[must_use]
    pub fn origin(&self) -> (&str, usize, &[usize]) {
        let Origin {
            operator,
            axis,
            dims,
            ..
        } = &self.origin;
        (operator, *axis, dims)
    }

    pub(crate) fn write(&self, names: Names<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("check ")?;
        names.write(self.table, f)?;
        write!(f, "[{}]", Shown(&self.access, names))?;
        for (k, extent) in self.extents.iter().enumerate() {
            write!(f, ", {} in 0..{extent}", Counter(k))?;
        }
        writeln!(f, ", in {}..{}", -self.size, self.size)
    }
}

/// Where loops lead, in one form whatever their order and their directions.
#[derive(PartialEq)]
struct Positions {
    first: i64,
    /// Distances, the smallest first, and how often each is gone; one that only goes on where another ends is part of it.
    distances: List<(i64, usize)>,
}

impl Positions {
    /// Those from `first` on by turns of loops and what each turn adds.
    fn new(mut first: i64, loops: impl Iterator<Item = (usize, i64)>) -> Self {
        let mut all: List<(i64, usize)> = List::new();
        for (turns, stride) in loops.filter(|&(turns, stride)| turns != 1 && stride != 0) {
            if stride < 0 {
                first = first.wrapping_add(stride.wrapping_mul(turns as i64 - 1));
            }
            all.push((stride.wrapping_abs(), turns));
        }
        all.sort_unstable();
        let mut distances: List<(i64, usize)> = List::new();
        for &(distance, turns) in &*all {
            match distances.last_mut() {
                Some((of_last, last)) if of_last.wrapping_mul(*last as i64) == distance => {
                    *last = last.wrapping_mul(turns);
                }
                _ => distances.push((distance, turns)),
            }
        }
        Self { first, distances }
    }
}

/// The refusal of [`Check::refuse`] for code that has no [`Check`] any more: what [`crate::emit`] writes.
#[cold]
#[doc(hidden)]
#[must_use]
pub fn refuse_index(
    (operator, axis, dims): (&str, usize, &[usize]),
    size: i64,
    value: i64,
    position: usize,
) -> Error {
    let origin = Origin {
        operator: Arc::from(operator),
        node: None,
        axis,
        dims: dims.into(),
    };
    origin.refuse(size, value, position)
}

/// One step of a plan.
#[allow(
    clippy::large_enum_variant,
    reason = "a plan has few steps, and a box would be an allocation for each gather"
)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Refuses a bad index.
    Check(Check),
    /// Moves elements.
    Nest(Box<PlannedNest>),
}

/// A nest, its schedule, and where it writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedNest {
    pub(crate) nest: LoopNest,
    pub(crate) schedule: Option<Arc<Schedule>>,
    /// The temporary that it writes; `None`: the result.
    pub(crate) scratch: Option<usize>,
}

impl PlannedNest {
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
            Step::Check(check) => check.access.heap_bytes(),
            Step::Nest(planned) => {
                let schedule = planned
                    .schedule()
                    .map_or(0, |schedule| size_of_val(schedule) + schedule.heap_bytes());
                size_of::<PlannedNest>() + planned.nest.heap_bytes() + schedule
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

    /// Compares a call with the signature: number, types and lengths of the buffers, values of the parameters. Every engine calls
    /// this first, or compares as strictly itself; what passes satisfies I3 and I5 for this plan.
    ///
    /// # Errors
    /// [`ErrorKind::OperandCount`], [`ErrorKind::OperandType`], [`ErrorKind::OperandLength`], [`ErrorKind::OperandValue`].
    #[inline]
    pub fn admit(&self, inputs: &[Input<'_>], output: &Output<'_>) -> Result<(), Error> {
        // What differs is looked for once something does, and values of parameters are compared there.
        let mut operands = self.operands.iter().zip(inputs);
        let fits = inputs.len() == self.operands.len()
            && operands.all(|(need, input)| {
                let given = (input.element_type(), input.len());
                is_admitted((need.ty, need.len), need.exact, given) && need.value.is_none()
            });
        let given = (output.element_type(), output.len());
        if fits && is_admitted((self.ty, self.output_len), self.exact_output, given) {
            return Ok(());
        }
        self.compare(inputs, output)
    }

    #[inline(never)]
    fn compare(&self, inputs: &[Input<'_>], output: &Output<'_>) -> Result<(), Error> {
        if inputs.len() != self.operands.len() {
            return Err(refuse_count(&self.names, inputs.len()));
        }
        for (at, (need, input)) in self.operands.iter().zip(inputs).enumerate() {
            let name = || self.names.get(at).map_or("an operand", String::as_str);
            let given = (input.element_type(), input.len());
            admit_buffer((need.ty, need.len), need.exact, given, name)?;
            if let Some(value) = &need.value {
                admit_value(value, input, &name)?;
            }
        }
        let given = (output.element_type(), output.len());
        let need = (self.ty, self.output_len);
        admit_buffer(need, self.exact_output, given, || "output")
    }
}

/// The refusal of a call, or of a signature, with another number of operands than these.
#[cold]
pub(crate) fn refuse_count(names: &[String], given: usize) -> Error {
    let text = counted(given, "operand is given", "operands are given");
    let allowed = match names {
        [] => String::from("0"),
        names => format!("{}: {}", names.len(), names.join(", ")),
    };
    Error::new(ErrorKind::OperandCount, text)
        .value(given)
        .allowed(allowed)
}

#[inline]
fn is_admitted(
    (ty, len): (ElementType, usize),
    exact: bool,
    (given_ty, given): (ElementType, usize),
) -> bool {
    ty == given_ty && (given == len || (given > len && !exact))
}

fn admit_buffer<'a>(
    (ty, len): (ElementType, usize),
    exact: bool,
    given: (ElementType, usize),
    name: impl FnOnce() -> &'a str,
) -> Result<(), Error> {
    if is_admitted((ty, len), exact, given) {
        return Ok(());
    }
    Err(refuse_buffer((ty, len), exact, given, name()))
}

#[cold]
fn refuse_buffer(
    (ty, len): (ElementType, usize),
    exact: bool,
    (given_ty, given): (ElementType, usize),
    name: &str,
) -> Error {
    let name = String::from(name);
    if ty != given_ty {
        return Error::new(ErrorKind::OperandType, format!("`{name}` holds {given_ty}"))
            .parameter(name)
            .value(given_ty)
            .allowed(ty.name());
    }
    let error = refuse_length(name, given, len);
    match exact {
        true => error,
        false => error.allowed(format!("at least {}", elements_of(len))),
    }
}

/// The refusal of a buffer that has not as many elements as the plan names. For engines.
#[doc(hidden)]
#[cold]
#[must_use]
pub fn refuse_length(name: String, given: usize, needed: usize) -> Error {
    let text = format!("`{name}` has {}", elements_of(given));
    Error::new(ErrorKind::OperandLength, text)
        .parameter(name)
        .value(given)
        .allowed(elements_of(needed))
}

fn elements_of(len: usize) -> String {
    counted(len, "element", "elements")
}

fn admit_value<'a>(
    value: &Tensor,
    input: &Input<'_>,
    name: &dyn Fn() -> &'a str,
) -> Result<(), Error> {
    if value.bytes() == input.bytes() {
        return Ok(());
    }
    let name = String::from(name());
    Err(Error::new(
        ErrorKind::OperandValue,
        format!("`{name}` has another value than the signature"),
    )
    .parameter(name)
    .hint("compile again with the new value: it decides the shape"))
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
