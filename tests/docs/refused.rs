//! Refusals that need more than a text: operands of calls, memory, shapes of models.

use xslice::ElementType::{F32, I64};
use xslice::{
    Declared, Error, Graph, Input, Program, Reshape, ReshapeRule, Scratch, Signature, Tensor,
    runner,
};

/// One of each kind, in the order of their codes.
pub fn all() -> Vec<Error> {
    [
        reshape(),
        memory(),
        count(),
        element_type(),
        shape(),
        length(),
        layout(),
        value(),
    ]
    .into_iter()
    .map(|result| result.expect_err("a refusal"))
    .collect()
}

fn four() -> Signature {
    Signature::new().operand(F32, &[4])
}

/// Runs a program on the signature and inputs.
fn call(text: &str, signature: &Signature, inputs: &[Input<'_>]) -> Result<(), Error> {
    let plan = Program::parse(text)?.compile(signature)?;
    let mut result = Tensor::zeros(plan.element_type(), plan.shape())?;
    runner::run(&plan, inputs, result.as_output(), &mut Scratch::new())
}

fn reshape() -> Result<(), Error> {
    let rule = ReshapeRule::Reshape { zero_copies: true };
    let shape = Tensor::vector(&[3, 5]);
    let op = Reshape::new("onnx::Reshape@14", rule, Some(shape.into()));
    let program = Program::chain("x").then(op).build()?;
    program
        .compile(&Signature::new().operand(F32, &[4, 4]))
        .map(|_| ())
}

fn memory() -> Result<(), Error> {
    Tensor::zeros(F32, &[1 << 60]).map(|_| ())
}

fn count() -> Result<(), Error> {
    call("x[@ids]", &four(), &[])
}

fn element_type() -> Result<(), Error> {
    call("x[0]", &four(), &[(&[0_i32; 4]).into()])
}

fn shape() -> Result<(), Error> {
    let mut graph = Graph::new();
    let declared = Declared {
        element_type: F32,
        shape: Some(vec![None, Some(3)]),
    };
    let x = graph.operand("x", Some(declared))?;
    let program = graph.finish(x)?;
    program
        .compile(&Signature::new().operand(F32, &[2, 4]))
        .map(|_| ())
}

fn length() -> Result<(), Error> {
    call("x[0]", &four(), &[(&[0.0_f32; 3]).into()])
}

fn layout() -> Result<(), Error> {
    let backwards = Signature::new().strided(F32, &[4], &[-1], 0);
    call("x[0]", &backwards, &[])
}

fn value() -> Result<(), Error> {
    let text = "x |> onnx::Slice@13(starts = @s, ends = [4])";
    call(text, &four().operand(I64, &[1]), &[])
}
