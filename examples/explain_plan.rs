//! What a chain of operators becomes: one loop nest, printed.
//!
//! ```text
//! cargo run --example explain_plan
//! ```
//!
//! `xslice explain` on the command line says more.

use xslice::{ElementType, Program, Signature};

fn main() -> Result<(), xslice::Error> {
    let image = Signature::new().operand(ElementType::U8, &[16, 256, 256, 3]);
    let rows = Signature::new()
        .operand(ElementType::F32, &[30522, 768])
        .operand(ElementType::I64, &[8, 128]);
    let table = Signature::new().operand(ElementType::F32, &[4096, 256]);

    explain(
        "Crop, then flip: two slices are one.",
        "x[:, 16:240, 16:240][:, :, ::-1]",
        &image,
    )?;
    explain(
        "Gather, then slice: the check comes first, and only the bytes that are wanted are read.",
        "table[@ids][..., :384]",
        &rows,
    )?;
    explain(
        "Slice the indices: half of them are checked, half of the rows are read.",
        "table[@(ids[:, ::2])]",
        &rows,
    )?;
    explain(
        "Indices out of a Range, or a list in arithmetic progression, are a slice.",
        "x[@(<i64> onnx::Range@11(start = 0, limit = 4096, delta = 2))][:, [6, 4, 2, 0]]",
        &table,
    )
}

fn explain(what: &str, text: &str, signature: &Signature) -> Result<(), xslice::Error> {
    let program = Program::parse(text)?;
    let plan = program.compile(signature)?;
    println!("{what}\n  {text}\n");
    for line in plan.to_string().lines() {
        println!("    {line}");
    }
    let verdict = match program.view(signature)? {
        Some(view) => format!("a view with strides {:?}", view.strides),
        None => "no view: elements have to move".to_string(),
    };
    println!(
        "\n  {} {:?}, {verdict}\n",
        plan.element_type(),
        plan.shape()
    );

    // However long the chain: it is one nest, and there is no temporary.
    assert_eq!(plan.nests().count(), 1);
    assert!(plan.temporaries().is_empty());
    Ok(())
}
