//! What machine code costs before the first call, by workload: the least over a few tries.

use std::hint::black_box;
use std::time::Instant;
use xslice::{Error, Jit, Program, Signature, Strategy};
use xslice_cli::Result;
use xslice_cli::bench::workloads::Workload;

const TRIES: usize = 15;

/// Nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// A plan, which is all that the runner needs.
    pub plan: f64,
    /// Machine code that takes its numbers as arguments, with Cranelift really run.
    pub keyed: f64,
    /// The same with constants.
    pub baked: f64,
    /// New numbers for keyed code that exists; `None` where no neighbouring shape has the same structure.
    pub rebind: Option<f64>,
    /// A kernel that is in the cache.
    pub hit: f64,
}

impl Costs {
    /// Measures a workload.
    ///
    /// # Errors
    /// None that a workload of ours has.
    pub fn measure(workload: Workload) -> Result<Self> {
        let (program, signature) = workload.program()?;
        let cold =
            |strategy| least(|| compile(&Jit::with_strategy(strategy), &program, &signature));
        let known = Jit::with_strategy(Strategy::Baked);
        compile(&known, &program, &signature)?;
        Ok(Self {
            plan: cold(Strategy::Runner)?,
            keyed: cold(Strategy::Keyed)?,
            baked: cold(Strategy::Baked)?,
            rebind: rebind(workload, &signature)?,
            hit: least(|| compile(&known, &program, &signature))?,
        })
    }

    /// As an object of JSON, with the size of the result.
    #[must_use]
    pub fn json(&self, workload: &str, bytes: usize) -> String {
        let rebind = self
            .rebind
            .map_or_else(|| String::from("null"), |rebind| format!("{rebind:.0}"));
        format!(
            "{{\"workload\": \"{workload}\", \"bytes\": {bytes}, \"plan\": {:.0}, \"keyed\": {:.0}, \"baked\": {:.0}, \"rebind\": {rebind}, \"hit\": {:.0}}}",
            self.plan, self.keyed, self.baked, self.hit
        )
    }
}

fn compile(jit: &Jit, program: &Program, signature: &Signature) -> Result<(), Error> {
    black_box(jit.compile(black_box(program), black_box(signature))?);
    Ok(())
}

fn least(mut work: impl FnMut() -> Result<(), Error>) -> Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..TRIES {
        let start = Instant::now();
        work()?;
        least = least.min(start.elapsed().as_nanos() as f64);
    }
    Ok(least)
}

/// Asks for shapes that differ in one dimension of the first operand, until one needs no new code.
fn rebind(workload: Workload, signature: &Signature) -> Result<Option<f64>> {
    // Without the declared shapes, which allow no other.
    let Some((_, chain)) = workload.text.split_once("> x") else {
        return Ok(None);
    };
    let program = Program::parse(&format!("x{chain}"))?;
    let rank = signature
        .operands()
        .first()
        .map_or(0, |operand| operand.shape.len());
    for axis in 0..rank {
        let jit = Jit::with_strategy(Strategy::Keyed);
        compile(&jit, &program, signature)?;
        let compiled = jit.stats().compiled;
        let mut more = 0;
        let least = least(|| {
            more += 1;
            compile(&jit, &program, &grown(signature, axis, more))
        });
        if let (Ok(least), true) = (least, jit.stats().compiled == compiled) {
            return Ok(Some(least));
        }
    }
    Ok(None)
}

fn grown(signature: &Signature, axis: usize, more: usize) -> Signature {
    let operands = signature.operands().iter().enumerate();
    operands.fold(Signature::new(), |signature, (at, operand)| {
        let mut shape = operand.shape.clone();
        if let (0, Some(dim)) = (at, shape.get_mut(axis)) {
            *dim += more;
        }
        signature.operand(operand.element_type, &shape)
    })
}
