//! Machine code: who owns it, and how it is called. The only `unsafe` of this crate.
//!
//! [`Code`] owns machine code. A [`Kernel`] is a plan and, for each of its nests, code with the arguments that it runs on. Which code a
//! kernel gets is not decided here.

mod code;

pub use code::MemoryPolicy;
pub(crate) use code::{Code, listing};

use crate::codegen::IN_REGISTERS;
use crate::key::Arguments;
use crate::{Decline, Engine, Form};
use std::cell::RefCell;
use std::sync::Arc;
use xslice_core::ir::{Buffer, Reader, Step};
use xslice_core::{Element, Error, Input, Output, Plan, Scratch, Sources, runner};

/// Code and what it runs on: one nest of a plan.
#[derive(Debug)]
pub(crate) struct Bound {
    /// Compiled for what the arguments were split off from.
    pub(crate) code: Arc<Code>,
    pub(crate) arguments: Arguments,
}

/// A plan, and the engine that runs it. Cheap to clone, `Send` and `Sync`.
///
/// ```
/// use xslice_core::{ElementType, Program, Signature};
/// let signature = Signature::new().operand(ElementType::F32, &[4, 2]).operand(ElementType::I64, &[2]);
/// let kernel = xslice_jit::global().compile(&Program::parse("table[@ids]")?, &signature)?;
/// let table = [0.0f32, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5];
/// let mut rows = [0.0f32; 4];
/// kernel.run(&[(&table).into(), (&[-1i64, 1]).into()], &mut rows)?;
/// assert_eq!(rows, [3.0, 3.5, 1.0, 1.5]);
/// // or into a new vector
/// assert_eq!(kernel.collect::<f32>(&[(&table).into(), (&[0i64, 0]).into()])?, [0.0, 0.5, 0.0, 0.5]);
/// # Ok::<(), xslice_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Kernel(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    plan: Arc<Plan>,
    engine: Engine,
    declined: Option<Decline>,
    /// One for each nest, in order; empty for the runner.
    nests: Box<[Bound]>,
    short: Shortcut,
}

/// How a call of operands of the right types and lengths gets around the steps of its plan.
#[derive(Clone, Copy, Debug)]
enum Shortcut {
    /// By one turn of a Move, where [`Plan::one_turn`] or [`Plan::picks`] know the call: there is no code, or it does no more.
    Turn,
    /// By the code of the one nest, on the operands as they are, where [`Plan::direct`] knows the call.
    Code,
    /// Not at all.
    None,
}

impl Kernel {
    pub(crate) fn runner(plan: Arc<Plan>, declined: Option<Decline>) -> Self {
        let short = match plan.has_turn() {
            true => Shortcut::Turn,
            false => Shortcut::None,
        };
        Self(Arc::new(Shared {
            plan,
            engine: Engine::Runner,
            declined,
            nests: Box::default(),
            short,
        }))
    }

    /// `nests` hold the code and the numbers of the nests of `plan`, in order: one for each, or the runner takes over.
    pub(crate) fn machine(plan: Arc<Plan>, form: Form, nests: Box<[Bound]>) -> Self {
        if plan.nests().count() != nests.len() {
            return Self::runner(plan, Some(Decline::Codegen));
        }
        Self(Arc::new(Shared {
            short: shortcut(&plan, &nests),
            plan,
            engine: form.into(),
            declined: None,
            nests,
        }))
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &Arc<Plan> {
        &self.0.plan
    }

    /// The engine that really runs.
    #[must_use]
    pub fn engine(&self) -> Engine {
        self.0.engine
    }

    /// Why the runner took over, if machine code was wanted.
    #[must_use]
    pub fn declined(&self) -> Option<Decline> {
        self.0.declined
    }

    /// About the bytes of memory that it takes, without code and without the constants of its program.
    pub(crate) fn memory(&self) -> usize {
        let Shared { plan, nests, .. } = &*self.0;
        let numbers = nests
            .iter()
            .map(|nest| nest.arguments.numbers.capacity() * size_of::<i64>());
        size_of::<Shared>() + size_of_val(&**nests) + numbers.sum::<usize>() + plan.memory()
    }

    /// The machine code of each nest.
    pub(crate) fn codes(&self) -> impl Iterator<Item = &Arc<Code>> {
        self.0.nests.iter().map(|nest| &nest.code)
    }

    /// Reads `inputs`, in the order of the program's operands, and writes `output`. Allocates nothing, but for a plan
    /// with temporaries on the first call of a thread, and some KiB for indices that many turns share (columns, channels) and that were not
    /// among those of the last calls: tables by which vectors pick them. The program decides the type of the result, and an `output` of another type
    /// is refused here. To be refused when the program is compiled, say which type is wanted:
    /// [`expecting`](xslice_core::Program::expecting). A thread keeps the temporaries of its largest plan until it ends; those of
    /// [`runner::run`] go with their [`Scratch`].
    ///
    /// # Errors
    /// As [`Plan::admit`]; [`IndexRange`](xslice_core::ErrorKind::IndexRange) for an index outside its axis, in which case `output`
    /// is initialised but unspecified; memory for temporaries.
    pub fn run<'o>(
        &self,
        inputs: &[Input<'_>],
        output: impl Into<Output<'o>>,
    ) -> Result<(), Error> {
        self.run_into(inputs, &mut output.into())
    }

    /// As [`Kernel::run`], on the threads of the current `rayon` pool: each nest that writes 1 MiB or more is shared out among them, by
    /// the precompiled Moves of the runner, whatever [`Kernel::engine`] says. Where no nest is that large, and on one thread, it is `run`.
    /// It waits for no thread that has not come, so that it takes little longer than `run` where the other cores are busy.
    /// Allocates what `run` does, and what it takes to wake threads.
    ///
    /// ```
    /// use xslice_core::{ElementType, Program, Signature};
    /// let program = Program::parse("x[:, ::-1]")?;
    /// let signature = Signature::new().operand(ElementType::I32, &[1000, 300]);
    /// let kernel = xslice_jit::global().compile(&program, &signature)?;
    /// let x: Vec<i32> = (0..300_000).collect();
    /// let mut y = vec![0; 300_000];
    /// kernel.run_parallel(&[(&x).into()], &mut y)?;
    /// assert_eq!(y[..3], [299, 298, 297]);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Kernel::run`], in the same words: checks run before anything is shared out.
    #[cfg(feature = "rayon")]
    pub fn run_parallel<'o>(
        &self,
        inputs: &[Input<'_>],
        output: impl Into<Output<'o>>,
    ) -> Result<(), Error> {
        let (plan, output) = (self.plan(), &mut output.into());
        if !runner::parallel_pays(plan) {
            return self.run_into(inputs, output);
        }
        runner::run_parallel_on(None, plan, inputs, output, with_scratch)
    }

    /// The result in a new vector, in the layout of the signature. It is allocated once, and not initialised first where every
    /// element is written.
    ///
    /// # Errors
    /// As [`Kernel::run`]; [`OperandType`](xslice_core::ErrorKind::OperandType) if `T` is not the type of the result; memory for it.
    pub fn collect<T: Element>(&self, inputs: &[Input<'_>]) -> Result<Vec<T>, Error> {
        let run = |mut output: Output<'_>| self.run_into(inputs, &mut output);
        // SAFETY: `run_into` is an engine's way to run this plan: it returns `Ok` only after its last nest has been run to its end.
        unsafe { xslice_core::collect::<T>(&self.0.plan, run) }
    }

    #[inline]
    fn run_into(&self, inputs: &[Input<'_>], output: &mut Output<'_>) -> Result<(), Error> {
        let Shared { plan, nests, .. } = &*self.0;
        if let Shortcut::Code = self.0.short
            && let [nest] = &**nests
            && let Some(starts) = plan.direct(inputs, output)
            && nest.call(&starts, output.as_mut_ptr())
        {
            return Ok(());
        }
        self.run_moves(inputs, output)
    }

    /// What no code runs at once. Out of the way of [`Kernel::run_into`], and [`Kernel::run_steps`] out of the way of this: a short call has
    /// little to remember.
    #[inline(never)]
    fn run_moves(&self, inputs: &[Input<'_>], output: &mut Output<'_>) -> Result<(), Error> {
        if let Shortcut::Turn = self.0.short
            && let Some(turn) = self.0.plan.one_turn(inputs, output)
        {
            runner::run_turn(turn);
            return Ok(());
        }
        self.run_steps(inputs, output)
    }

    /// Any plan and any call: what is wrong is found here too.
    #[inline(never)]
    fn run_steps(&self, inputs: &[Input<'_>], output: &mut Output<'_>) -> Result<(), Error> {
        let Shared {
            plan, nests, short, ..
        } = &*self.0;
        if let Shortcut::Turn = short
            && let Some(picks) = plan.picks(inputs, output)
            && runner::run_picks(picks)
        {
            return Ok(());
        }
        match **nests {
            [] => runner::run_on(plan, inputs, output, with_scratch),
            _ => self.run_code(inputs, output),
        }
    }

    #[inline(never)]
    fn run_code(&self, inputs: &[Input<'_>], output: &mut Output<'_>) -> Result<(), Error> {
        let Shared { plan, nests, .. } = &*self.0;
        let nest = |number: usize, _: &_, sources: &Sources<'_>, output: &mut Output<'_>| {
            nests[number].run(sources, output)
        };
        runner::steps(plan, inputs, output, with_scratch, tested_by_code, nest)
    }
}

/// Machine code tests the indices of its nest's check, whatever reads them: see `key::split`, which is told of the same reader.
fn tested_by_code(_: Reader) -> bool {
    true
}

/// There is one where the only step is a nest whose code reads the operands in their order: it does the check of that nest, too.
fn shortcut(plan: &Plan, nests: &[Bound]) -> Shortcut {
    let is_alone = matches!(plan.steps(), [Step::Nest(_)]);
    let [nest] = nests else { return Shortcut::None };
    let count = plan.operand_types().count();
    let operands = (0..count).map(|at| Some(Buffer::Operand(at)));
    let in_order = match nest.arguments.reads[..] {
        // Positions in a Range count from null.
        [None] => count == 0,
        ref reads => operands.eq(reads.iter().copied()),
    };
    match is_alone && in_order {
        _ if nest.arguments.is_call && plan.has_turn() => Shortcut::Turn,
        true => Shortcut::Code,
        false => Shortcut::None,
    }
}

/// Runs on the temporaries of this thread.
fn with_scratch(run: runner::OnScratch<'_>) -> Result<(), Error> {
    thread_local! {
        static SCRATCH: RefCell<Scratch> = const { RefCell::new(Scratch::new()) };
    }
    let mut scratch = SCRATCH.try_with(RefCell::take).unwrap_or_default();
    let result = run(&mut scratch);
    let _ = SCRATCH.try_with(|kept| kept.replace(scratch));
    result
}

/// Buffers of a nest that fit an array on the stack; a nest with more (a Gather through as many tables) uses one of the thread.
const FEW: usize = 4;

impl Bound {
    /// `false`: an index that it tests is outside.
    fn run(&self, sources: &Sources<'_>, output: &mut Output<'_>) -> bool {
        let start = |buffer: &Option<Buffer>| {
            buffer.map_or(std::ptr::null(), |buffer| sources.start(buffer))
        };
        let reads = &self.arguments.reads;
        if reads.len() <= FEW {
            let mut starts = [std::ptr::null(); FEW];
            for (slot, buffer) in starts.iter_mut().zip(&**reads) {
                *slot = start(buffer);
            }
            return self.call(&starts, output.as_mut_ptr());
        }
        thread_local! {
            static MANY: RefCell<Vec<*const u8>> = const { RefCell::new(Vec::new()) };
        }
        let mut starts = MANY.try_with(RefCell::take).unwrap_or_default();
        starts.clear();
        starts.extend(reads.iter().map(start));
        let passed = self.call(&starts, output.as_mut_ptr());
        let _ = MANY.try_with(|kept| kept.replace(starts));
        passed
    }

    #[inline]
    fn call(&self, starts: &[*const u8], dst: *mut u8) -> bool {
        let start = |at: usize| starts.get(at).copied().unwrap_or(std::ptr::null());
        let [first, second]: [_; IN_REGISTERS] = std::array::from_fn(start);
        let numbers = self.arguments.numbers.as_ptr();
        // SAFETY: the code was compiled for the parts that the numbers and the buffers were split into (`key::split` or
        // `key::split_known`, one schedule), so it reads exactly these arrays, and pieces no numbers; the first two buffers are handed
        // over as well, null where it has no such position. The schedule is of a verified nest (I2); `Plan::admit` or `Direct` has
        // compared the buffers of this call with the lengths it was verified for, and the checks of the plan before it have proved its
        // indices, but for those that it tests before it uses them: every access is in bounds (I3). Pieces take each byte from where the
        // schedule has it, and what they load besides lies between these bytes, or behind the code. `dst` comes from an exclusive
        // borrow, `starts` from shared ones or from earlier temporaries (I5). The pages stay mapped: `self` holds the code.
        unsafe { (self.code.entry)(numbers, starts.as_ptr(), dst, first, second) }
    }
}
