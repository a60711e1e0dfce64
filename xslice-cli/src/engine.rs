//! Which engine runs a program: the one place where the command line meets the engines.
//!
//! An [`Engine`] takes a program, a signature and operands and gives the result as a tensor. Every engine gives the same bits and
//! the same refusals; where a JIT has no machine code for a kernel, its runner takes over, which is counted here.

use std::fmt;
use xslice::{
    Decline, Error, Input, Jit, Plan, Program, Scratch, Signature, Strategy, Tensor, interp, runner,
};

/// An engine, as the command line names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The reference, element by element.
    Interp,
    /// The precompiled runner.
    Runner,
    /// Machine code for each structure, numbers as arguments.
    Keyed,
    /// Machine code for each signature, numbers as constants.
    Baked,
}

impl Kind {
    /// Every engine: what `--engine all` means.
    pub const ALL: [Self; 4] = [Self::Interp, Self::Runner, Self::Keyed, Self::Baked];

    /// Its name, on the command line too.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interp => "interp",
            Self::Runner => "runner",
            Self::Keyed => "jit-keyed",
            Self::Baked => "jit-baked",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An engine, with what it keeps between calls.
#[derive(Debug)]
pub struct Engine {
    kind: Kind,
    jit: Option<Jit>,
    scratch: Scratch,
    declined: Declined,
}

/// Kernels for which a JIT had no machine code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Declined {
    /// Those that move strings, which no machine code does.
    pub strings: u64,
    /// All others.
    pub others: u64,
}

impl Engine {
    /// An engine of that kind.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        let jit = match kind {
            Kind::Interp | Kind::Runner => None,
            Kind::Keyed => Some(Jit::with_strategy(Strategy::Keyed)),
            Kind::Baked => Some(Jit::with_strategy(Strategy::Baked)),
        };
        Self {
            kind,
            jit,
            scratch: Scratch::new(),
            declined: Declined::default(),
        }
    }

    /// Which engine it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What the JIT declined so far.
    #[must_use]
    pub fn declined(&self) -> Declined {
        self.declined
    }

    /// The result of `program` on `inputs`, which are as the signature says, and what both cost of the limit.
    ///
    /// # Errors
    /// Every refusal of the operators; sizes beyond the limit of the signature.
    pub fn run(
        &mut self,
        program: &Program,
        signature: &Signature,
        inputs: &[Input<'_>],
    ) -> Result<(Tensor, usize), Error> {
        if let Some(jit) = &self.jit {
            let kernel = jit.compile(program, signature)?;
            match kernel.declined() {
                Some(Decline::Strings) => self.declined.strings += 1,
                Some(_) => self.declined.others += 1,
                // The environment forbids machine code.
                None if kernel.engine() == xslice::Engine::Runner => self.declined.others += 1,
                None => {}
            }
            let mut result = result_of(kernel.plan())?;
            kernel.run(inputs, result.as_output())?;
            return Ok((result, bytes_of(kernel.plan())));
        }
        let plan = program.compile(signature)?;
        let mut result = result_of(&plan)?;
        let output = result.as_output();
        if self.kind == Kind::Interp {
            interp::run(&plan, inputs, output, &mut self.scratch)?;
        } else {
            runner::run(&plan, inputs, output, &mut self.scratch)?;
        }
        Ok((result, bytes_of(&plan)))
    }
}

fn bytes_of(plan: &Plan) -> usize {
    let result = plan.output_len().saturating_mul(plan.element_type().size());
    result.saturating_add(plan.known_cost())
}

fn result_of(plan: &Plan) -> Result<Tensor, Error> {
    Tensor::zeros(plan.element_type(), plan.shape())
}
