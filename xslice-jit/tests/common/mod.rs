//! What the tests share: tensors of bytes, a small generator, and the comparison of machine code with the interpreter.

#![allow(dead_code, reason = "each test file uses its part")]

use xslice_core::{
    ElementType, Error, Gather, Input, OnnxSlice, Plan, Program, Scratch, Signature, Slice, Tensor,
    interp, runner,
};
use xslice_jit::{Engine, Form, Jit, Strategy};

/// Resident memory in KiB, by the second field of `statm`.
#[cfg(target_os = "linux")]
pub fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = statm.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4
}

/// A gather by so many indices, all of them known and in no progression.
pub fn gather_of_constants(indices: usize, seed: usize) -> Program {
    let indices: Vec<i64> = (0..indices)
        .map(|at| (at * at + seed) as i64 % 97)
        .collect();
    let indices = std::sync::Arc::new(Tensor::vector(&indices));
    let program = Program::chain("x").then(Gather::onnx(13).indices(indices));
    program.build().expect("a legal gather")
}

/// A table of so many rows.
pub fn table(rows: usize) -> Signature {
    Signature::new().operand(ElementType::F32, &[rows, 3])
}

/// Numbers that look random and never change.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }
}

/// A tensor whose bytes all differ from their neighbours; strings are numbers in words.
pub fn tensor(ty: ElementType, shape: &[usize]) -> Tensor {
    let count: usize = shape.iter().product();
    if ty == ElementType::String {
        let strings = (0..count).map(|at| format!("string {at}")).collect();
        return Tensor::from_strings(shape, strings).unwrap();
    }
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15 ^ count as u64);
    let bytes = (0..count * ty.size()).map(|_| match ty {
        ElementType::Bool => (numbers.next() & 1) as u8,
        _ => (numbers.next() >> 24) as u8,
    });
    Tensor::from_bytes(ty, shape, bytes.collect()).unwrap()
}

pub fn ids64(shape: &[usize], values: &[i64]) -> Tensor {
    Tensor::new(shape, values).unwrap()
}

pub fn ids32(shape: &[usize], values: &[i32]) -> Tensor {
    Tensor::new(shape, values).unwrap()
}

/// `x[starts:ends:steps]` on the first axes.
pub fn slice<const N: usize>(starts: [i64; N], ends: [i64; N], steps: [i64; N]) -> OnnxSlice {
    let axes: [i64; N] = std::array::from_fn(|k| k as i64);
    Slice::onnx(13)
        .starts(starts)
        .ends(ends)
        .axes(axes)
        .steps(steps)
}

/// Operands without layout.
pub fn signature(tensors: &[Tensor]) -> Signature {
    tensors.iter().fold(Signature::new(), |signature, tensor| {
        signature.operand(tensor.element_type(), tensor.shape())
    })
}

/// The result of a run: the output, or the refusal.
pub fn output(
    plan: &Plan,
    run: impl FnOnce(&mut Tensor) -> Result<(), Error>,
) -> Result<Tensor, Error> {
    let mut output = Tensor::zeros(plan.element_type(), &[plan.output_len()]).unwrap();
    run(&mut output).map(|()| output)
}

/// Runs runner, keyed, baked and the interpreter on the same tensors, and compares outputs or refusals. Gives what all agree on.
#[track_caller]
pub fn agree(
    name: &str,
    program: &Program,
    signature: &Signature,
    tensors: &[Tensor],
) -> Result<Tensor, Error> {
    let inputs: Vec<Input<'_>> = tensors.iter().map(Tensor::as_input).collect();
    let plan = program.compile(signature)?;
    let expected = output(&plan, |output| {
        interp::run(&plan, &inputs, output.as_output(), &mut Scratch::new())
    });
    let by_runner = output(&plan, |output| {
        runner::run(&plan, &inputs, output.as_output(), &mut Scratch::new())
    });
    assert_eq!(by_runner, expected, "{name}, runner\n{plan}");
    for (strategy, form) in [
        (Strategy::Keyed, Form::Keyed),
        (Strategy::Baked, Form::Baked),
    ] {
        let kernel = Jit::with_strategy(strategy)
            .compile(program, signature)
            .unwrap();
        // Only strings have no schedule; a plan that moves nothing has no nest.
        let strings = plan.nests().any(|nest| nest.schedule().is_none());
        let engine = if strings { Engine::Runner } else { form.into() };
        assert_eq!(
            kernel.engine(),
            engine,
            "{name}: {:?}\n{plan}",
            kernel.declined()
        );
        let found = output(&plan, |output| kernel.run(&inputs, output.as_output()));
        if found != expected {
            let listing = xslice_jit::listing(&plan, form);
            let clif: Vec<_> = listing
                .iter()
                .flatten()
                .map(|code| code.clif.as_str())
                .collect();
            panic!(
                "{name}, {engine}: {found:?} instead of {expected:?}\n{plan}\n{}",
                clif.join("\n")
            );
        }
    }
    expected
}
