//! Rows of an embedding table: Gather, a chain in one pass, and what a bad index is told.
//!
//! ```text
//! cargo run --example embedding_rows
//! ```

use xslice::{ElementType, ErrorKind, Gather, Jit, Program, Signature, Slice};

const WORDS: usize = 1000;
const FEATURES: usize = 8;

fn main() -> Result<(), xslice::Error> {
    // Element (word, feature) of the table is word + feature / 10.
    let table: Vec<f32> = (0..WORDS * FEATURES)
        .map(|at| (at / FEATURES) as f32 + (at % FEATURES) as f32 / 10.0)
        .collect();

    // The operators by their own names and versions: Gather, then the first four features of each row.
    let program = Program::chain("table")
        .then(Gather::onnx(13).indices("ids"))
        .then(Slice::onnx(13).starts([0]).ends([4]).axes([-1]))
        .build()?;
    let signature = Signature::new()
        .operand(ElementType::F32, &[WORDS, FEATURES])
        .operand(ElementType::I64, &[2, 3]);
    let kernel = Jit::new().compile(&program, &signature)?;

    // Both operators are one loop nest: no row is copied twice, and there is no temporary between them.
    println!("{}", kernel.plan());

    // Negative indices count from the end, as ONNX has it.
    let ids = [7i64, 0, -1, 42, 42, 999];
    let rows: Vec<f32> = kernel.collect(&[(&table).into(), (&ids).into()])?;
    for (id, row) in ids.iter().zip(rows.chunks_exact(4)) {
        println!("{id:>4}: {row:?}");
        let word = if *id < 0 { *id + WORDS as i64 } else { *id } as f32;
        assert_eq!(row, [word, word + 0.1, word + 0.2, word + 0.3]);
    }

    // Every index is checked; the refusal says which one, where, and what is allowed.
    let ids = [7i64, 0, -1, 42, 1000, 999];
    let refusal = kernel
        .collect::<f32>(&[(&table).into(), (&ids).into()])
        .expect_err("1000 is not in the table");
    println!("error: {refusal}");
    assert_eq!(refusal.kind(), ErrorKind::IndexRange);
    assert_eq!(refusal.offender_position(), Some(4));
    assert_eq!(refusal.allowed_range(), Some("-1000..=999"));
    Ok(())
}
