//! What the test targets share: the oracle, the engines, and the way between their tensors.

#![allow(
    dead_code,
    reason = "each test target includes this module and uses a part of it"
)]

#[cfg(target_os = "linux")]
pub mod guarded;
pub mod naive;
pub mod rng;

use naive::Elem;
use xslice::{
    Element, ElementType, Error, Input, Output, Plan, Program, Scratch, Signature, Tensor,
};

/// The oracle's tensor with the same elements.
pub fn to_naive(tensor: &Tensor) -> naive::Tensor {
    let ty = tensor.element_type();
    let elems = match tensor.strings() {
        Some(strings) => strings.iter().cloned().map(Elem::Text).collect(),
        None => tensor
            .bytes()
            .chunks_exact(ty.size())
            .map(bits)
            .map(Elem::Bits)
            .collect(),
    };
    naive::Tensor {
        dtype: ty.name(),
        shape: tensor.shape().to_vec(),
        elems,
    }
}

fn bits(bytes: &[u8]) -> u128 {
    let mut word = [0; 16];
    word[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(word)
}

/// The tensor with the same elements as the oracle's.
pub fn from_naive(tensor: &naive::Tensor) -> Tensor {
    let ty = ElementType::from_name(tensor.dtype).expect("the oracle's names are ours");
    if ty == ElementType::String {
        let text = |elem: &Elem| match elem {
            Elem::Text(text) => text.clone(),
            Elem::Bits(_) => panic!("bits in a tensor of strings"),
        };
        return Tensor::from_strings(&tensor.shape, tensor.elems.iter().map(text).collect())
            .expect("its shape");
    }
    let bytes = |elem: &Elem| match elem {
        Elem::Bits(bits) => bits.to_le_bytes()[..ty.size()].to_vec(),
        Elem::Text(_) => panic!("text in a tensor of numbers"),
    };
    Tensor::from_bytes(
        ty,
        &tensor.shape,
        tensor.elems.iter().flat_map(bytes).collect(),
    )
    .expect("its shape")
}

/// An engine under test: runs a program on inputs into an output.
pub type Run = fn(&Program, &Signature, &[Input<'_>], Output<'_>) -> Result<(), Error>;

/// Every engine that this build has.
pub const ENGINES: &[(&str, Run)] = &[
    ("interpreter", |program, signature, inputs, output| {
        let plan = program.compile(signature)?;
        xslice::interp::run(&plan, inputs, output, &mut Scratch::new())
    }),
    ("runner", |program, signature, inputs, output| {
        let plan = program.compile(signature)?;
        xslice::runner::run(&plan, inputs, output, &mut Scratch::new())
    }),
    // The levels below the best one, which the runner above takes.
    ("runner, scalar", |program, signature, inputs, output| {
        let plan = program.compile(signature)?;
        let level = xslice::Level::SCALAR;
        xslice::runner::run_at(level, &plan, inputs, output, &mut Scratch::new())
    }),
    (
        "runner, second level",
        |program, signature, inputs, output| {
            let plan = program.compile(signature)?;
            let level = xslice::Level::all().nth(1).unwrap_or(xslice::Level::SCALAR);
            xslice::runner::run_at(level, &plan, inputs, output, &mut Scratch::new())
        },
    ),
    // Shared out however small it is.
    #[cfg(feature = "rayon")]
    (
        "runner, in 2 parts",
        |program, signature, inputs, output| in_parts(2, program, signature, inputs, output),
    ),
    #[cfg(feature = "rayon")]
    (
        "runner, in 5 parts",
        |program, signature, inputs, output| in_parts(5, program, signature, inputs, output),
    ),
    #[cfg(feature = "jit")]
    ("JIT keyed", |program, signature, inputs, output| {
        jit(xslice::Strategy::Keyed)
            .compile(program, signature)?
            .run(inputs, output)
    }),
    #[cfg(feature = "jit")]
    ("JIT baked", |program, signature, inputs, output| {
        jit(xslice::Strategy::Baked)
            .compile(program, signature)?
            .run(inputs, output)
    }),
    #[cfg(feature = "jit")]
    ("JIT auto", |program, signature, inputs, output| {
        jit(xslice::Strategy::Auto)
            .compile(program, signature)?
            .run(inputs, output)
    }),
];

/// Runs in `parts` parts, on as many threads as there are.
#[cfg(feature = "rayon")]
fn in_parts(
    parts: usize,
    program: &Program,
    signature: &Signature,
    inputs: &[Input<'_>],
    mut output: Output<'_>,
) -> Result<(), Error> {
    let plan = program.compile(signature)?;
    let mut scratch = Scratch::new();
    let output = &mut output;
    xslice::runner::run_parallel_on(Some(parts), &plan, inputs, output, |run| run(&mut scratch))
}

/// One Jit a strategy for the whole process, so that its caches are tried too.
#[cfg(feature = "jit")]
pub fn jit(strategy: xslice::Strategy) -> &'static xslice::Jit {
    use std::sync::OnceLock;
    static JITS: [OnceLock<xslice::Jit>; 4] = [const { OnceLock::new() }; 4];
    let at = match strategy {
        xslice::Strategy::Auto => 0,
        xslice::Strategy::Runner => 1,
        xslice::Strategy::Keyed => 2,
        xslice::Strategy::Baked => 3,
    };
    JITS[at].get_or_init(|| xslice::Jit::with_strategy(strategy))
}

/// Runs a program on an engine, into a fresh tensor filled with a pattern that must vanish.
pub fn run(
    run: Run,
    program: &Program,
    signature: &Signature,
    inputs: &[&Tensor],
) -> Result<Tensor, Error> {
    let (ty, shape) = program.output_type(signature)?;
    let mut result = filled(ty, &shape)?;
    let inputs: Vec<_> = inputs.iter().map(|tensor| tensor.as_input()).collect();
    run(program, signature, &inputs, result.as_output())?;
    Ok(result)
}

/// A tensor of a pattern that no test data hold.
pub fn filled(ty: ElementType, shape: &[usize]) -> Result<Tensor, Error> {
    let zeros = Tensor::zeros(ty, shape)?;
    match ty {
        ElementType::String => Tensor::from_strings(shape, vec!["untouched".into(); zeros.len()]),
        ElementType::Bool => Ok(zeros),
        _ => Tensor::from_bytes(ty, shape, vec![0xA5; zeros.bytes().len()]),
    }
}

/// Elements that all differ, as far as the type can tell them apart: bits `seed`, `seed + 1`, ...
pub fn numbered(ty: ElementType, shape: &[usize], seed: u64) -> Tensor {
    let zeros = Tensor::zeros(ty, shape).expect("a shape for tests");
    let count = zeros.len() as u64;
    match ty {
        ElementType::String => {
            let text = |k: u64| format!("s{}", k.wrapping_add(seed));
            Tensor::from_strings(shape, (0..count).map(text).collect()).expect("its shape")
        }
        ElementType::Bool => {
            let bit =
                |k: u64| (k.wrapping_add(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 63) as u8;
            Tensor::from_bytes(ty, shape, (0..count).map(bit).collect()).expect("its shape")
        }
        _ => {
            // Bits are spread over the width, so that NaNs with payloads occur among the floats.
            let wide = |k: u64| {
                let word = u128::from(k.wrapping_add(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15));
                (word << 64 | word).to_le_bytes()[16 - ty.size()..].to_vec()
            };
            Tensor::from_bytes(ty, shape, (0..count).flat_map(wide).collect()).expect("its shape")
        }
    }
}

/// A signature of row-major operands of these tensors' types; parameters with their values.
pub fn signature(program: &Program, inputs: &[&Tensor]) -> Signature {
    program.parameters().into_iter().zip(inputs).fold(
        Signature::new(),
        |signature, (is_parameter, tensor)| {
            if is_parameter {
                signature.value((*tensor).clone())
            } else {
                signature.operand(tensor.element_type(), tensor.shape())
            }
        },
    )
}

/// A plan that must compile.
pub fn plan(program: &Program, signature: &Signature) -> Plan {
    program.compile(signature).expect("the program compiles")
}

/// A tensor of typed elements.
pub fn tensor<T: Element>(shape: &[usize], elements: &[T]) -> Tensor {
    Tensor::new(shape, elements).expect("the shape holds the elements")
}
