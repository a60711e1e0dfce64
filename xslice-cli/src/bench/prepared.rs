//! A movement ready to run: buffers, plans, machine code, and the copies that it is held against.

use super::data::Data;
use super::workloads::{Compiled, Workload};
use crate::engine::Kind;
use crate::error::Result;
use std::hint::black_box;
use xslice::ir::Source;
use xslice::{Engine, Input, Jit, Kernel, Plan, Program, Scratch, Signature, interp, runner};

/// A way to run a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Strategy {
    /// The reference, element by element
    #[value(name = Kind::Interp.name())]
    Interp,
    /// Precompiled moves, nothing to compile
    #[value(name = Kind::Runner.name())]
    Runner,
    /// Machine code, with numbers as arguments
    #[value(name = Kind::Keyed.name())]
    Keyed,
    /// Machine code, with numbers as constants
    #[value(name = Kind::Baked.name())]
    Baked,
    /// The Rust of the macro
    Macro,
    /// A copy of the bytes of the result; for a Range, a fill
    Memcpy,
}

impl Strategy {
    /// Every strategy.
    pub const ALL: [Self; 6] = [
        Self::Interp,
        Self::Runner,
        Self::Keyed,
        Self::Baked,
        Self::Macro,
        Self::Memcpy,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Interp => Kind::Interp.name(),
            Self::Runner => Kind::Runner.name(),
            Self::Keyed => Kind::Keyed.name(),
            Self::Baked => Kind::Baked.name(),
            Self::Macro => "macro",
            Self::Memcpy => "memcpy",
        }
    }
}

/// A candidate for the fastest way to write the bytes of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copy {
    /// The standard library's copy.
    Memcpy,
    /// The runner's copy, which streams what no cache holds.
    Runner,
    /// The copy in machine code.
    Baked,
    /// One value everywhere.
    Fill,
    /// Zero everywhere.
    Zero,
}

impl Copy {
    /// The candidates for a workload that reads, or for one that generates; the first is [`Strategy::Memcpy`].
    #[must_use]
    pub fn candidates(generates: bool) -> &'static [Self] {
        if generates {
            &[Self::Fill, Self::Zero]
        } else {
            &[Self::Memcpy, Self::Runner, Self::Baked]
        }
    }
}

/// What is timed: a workload, or a movement of one's own.
#[derive(Debug)]
pub struct Movement<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it does.
    pub program: &'a Program,
    /// On what.
    pub signature: &'a Signature,
    /// The numbers for it.
    pub operands: Vec<Data>,
    /// Its form by the macro, if it was there when this was compiled.
    pub compiled: Option<Compiled>,
}

/// A movement ready to run.
#[derive(Debug)]
pub struct Prepared {
    name: String,
    compiled: Option<Compiled>,
    operands: Vec<Data>,
    output: Data,
    plan: Plan,
    /// What it does in as few nests as can say it: what these read has to be read.
    fused: Plan,
    keyed: Kernel,
    baked: Kernel,
    /// As many elements as the output has, and what copies them.
    source: Data,
    copy_runner: Kernel,
    copy_baked: Kernel,
    scratch: Scratch,
}

impl Prepared {
    /// A workload.
    ///
    /// # Errors
    /// One that does not compile; no memory.
    pub fn new(workload: Workload) -> Result<Self> {
        let (program, signature) = workload.program()?;
        Self::of(Movement {
            name: workload.name,
            program: &program,
            signature: &signature,
            operands: workload.operands(&signature)?,
            compiled: Some(workload.compiled),
        })
    }

    /// Makes the buffers and compiles.
    ///
    /// # Errors
    /// A movement that does not compile; strings; no memory.
    pub fn of(movement: Movement<'_>) -> Result<Self> {
        let (program, signature) = (movement.program, movement.signature);
        let plan = program.compile(signature)?;
        let fused = program.compile(&signature.clone().temporaries(0))?;
        let kernel = |strategy| Jit::with_strategy(strategy).compile(program, signature);
        let (ty, len) = (plan.element_type(), plan.output_len());
        let copy = Program::parse("x[...]")?;
        let bytes = Signature::new().operand(ty, &[len]);
        Ok(Self {
            name: movement.name.into(),
            compiled: movement.compiled,
            operands: movement.operands,
            output: Data::zeros(ty, len)?,
            source: Data::random(ty, len)?,
            copy_runner: Jit::with_strategy(xslice::Strategy::Runner).compile(&copy, &bytes)?,
            copy_baked: Jit::with_strategy(xslice::Strategy::Baked).compile(&copy, &bytes)?,
            keyed: kernel(xslice::Strategy::Keyed)?,
            baked: kernel(xslice::Strategy::Baked)?,
            plan,
            fused,
            scratch: Scratch::new(),
        })
    }

    /// The name of the movement.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The plan in as few nests as can say it, without temporaries that only make it quicker.
    #[must_use]
    pub fn fused(&self) -> &Plan {
        &self.fused
    }

    /// The operands.
    #[must_use]
    pub fn operands(&self) -> &[Data] {
        &self.operands
    }

    /// The result of the last run.
    #[must_use]
    pub fn output(&self) -> &Data {
        &self.output
    }

    /// The operands, and where the result goes: for strategies of others.
    pub fn buffers(&mut self) -> (&[Data], &mut Data) {
        (&self.operands, &mut self.output)
    }

    /// Whether no elements are read, but those of a Range written.
    #[must_use]
    pub fn generates(&self) -> bool {
        let mut nests = self.plan.nests();
        nests.all(|planned| matches!(planned.nest().source(), Source::Range(_)))
    }

    /// Whether this process can run it: a host may have no machine code, and the macro's form is compiled before.
    #[must_use]
    pub fn has(&self, strategy: Strategy) -> bool {
        match strategy {
            Strategy::Keyed => self.keyed.engine() == Engine::Keyed,
            Strategy::Baked => self.baked.engine() == Engine::Baked,
            Strategy::Macro => self.compiled.is_some(),
            Strategy::Interp | Strategy::Runner | Strategy::Memcpy => true,
        }
    }

    /// Zeros the result, so that what a run leaves out shows.
    pub fn clear(&mut self) {
        self.output.zero();
    }

    /// Runs it that many times.
    ///
    /// # Errors
    /// Indices that are outside; none that a workload of ours has.
    pub fn run(&mut self, strategy: Strategy, times: u64) -> Result<(), xslice::Error> {
        let inputs: Vec<Input<'_>> = self.operands.iter().map(Data::input).collect();
        let run = match strategy {
            Strategy::Interp => interp::run,
            Strategy::Runner => runner::run,
            Strategy::Keyed => return kernel(&self.keyed, &inputs, &mut self.output, times),
            Strategy::Baked => return kernel(&self.baked, &inputs, &mut self.output, times),
            Strategy::Macro => {
                let missing = || xslice::Error::internal("the macro's form is compiled before");
                let compiled = self.compiled.ok_or_else(missing)?;
                return compiled(&self.operands, &mut self.output, times);
            }
            Strategy::Memcpy => {
                let copy = Copy::candidates(self.generates())[0];
                return self.copy(copy, times);
            }
        };
        let mut output = self.output.output();
        for _ in 0..times {
            let output = output.reborrow();
            run(&self.plan, black_box(&inputs), output, &mut self.scratch)?;
        }
        Ok(())
    }

    /// Writes the bytes of the result that many times.
    ///
    /// # Errors
    /// None.
    pub fn copy(&mut self, copy: Copy, times: u64) -> Result<(), xslice::Error> {
        let (source, output) = (&self.source, &mut self.output);
        let write = match copy {
            Copy::Memcpy => Data::copy,
            Copy::Fill => Data::fill,
            Copy::Zero => |output: &mut Data, _: &Data| output.zero(),
            Copy::Runner => {
                return kernel(&self.copy_runner, &[source.input()], output, times);
            }
            Copy::Baked => return kernel(&self.copy_baked, &[source.input()], output, times),
        };
        for _ in 0..times {
            write(black_box(&mut *output), black_box(source));
        }
        Ok(())
    }
}

fn kernel(
    kernel: &Kernel,
    inputs: &[Input<'_>],
    output: &mut Data,
    times: u64,
) -> Result<(), xslice::Error> {
    let mut output = output.output();
    for _ in 0..times {
        kernel.run(black_box(inputs), output.reborrow())?;
    }
    Ok(())
}
