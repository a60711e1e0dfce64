//! A sliding window over a cache that grows: shapes and bounds are new in every step.
//!
//! ```text
//! cargo run --example kv_cache
//! ```

use std::sync::Arc;
use xslice::{ElementType, Jit, Program, Signature, Slice, Tensor};

const HEADS: usize = 4;
const FEATURES: usize = 16;
const WINDOW: usize = 8;

fn main() -> Result<(), xslice::Error> {
    // `start` and `end` are operands. Their values decide the shape of the result, so they belong to the signature.
    let program = Program::chain("cache")
        .then(Slice::onnx(13).starts("start").ends("end").axes([1]))
        .build()?;
    assert_eq!(program.parameters(), [false, true, true]);

    // One signature for all steps: its shape and values are set in place.
    let mut signature = Signature::new()
        .operand(ElementType::F32, &[HEADS, 1, FEATURES])
        .value(Tensor::vector(&[0]))
        .value(Tensor::vector(&[1]));
    let jit = Jit::new();
    for length in 1..=24 {
        let cache = cache(length);
        let start = Arc::new(Tensor::vector(&[length.saturating_sub(WINDOW) as i64]));
        let end = Arc::new(Tensor::vector(&[length as i64]));

        // Asking again is cheap: a known request is found in the cache. A new one is planned, and compiles nothing where rows are long.
        signature.set_shape(0, &[HEADS, length, FEATURES])?;
        signature.set_value(1, Arc::clone(&start))?;
        signature.set_value(2, Arc::clone(&end))?;
        let kernel = jit.compile(&program, &signature)?;
        let inputs = [(&cache).into(), start.as_input(), end.as_input()];
        let window: Vec<f32> = kernel.collect(&inputs)?;

        let shape = kernel.plan().shape();
        if length % 6 == 0 {
            let (first, last) = (window[0], window[shape[1] * FEATURES - 1]);
            let engine = kernel.engine();
            println!("{length:>2} steps: window {shape:?}, positions {first}..={last}, {engine}");
        }
        assert_eq!(window, plain_window(&cache, length));
    }
    let stats = jit.stats();
    println!(
        "{} requests, {} of them new, {} functions compiled, {} bytes of code",
        stats.hits + stats.misses,
        stats.misses,
        stats.compiled,
        stats.code_bytes
    );
    Ok(())
}

/// Every element is its position in time.
fn cache(length: usize) -> Vec<f32> {
    (0..HEADS * length * FEATURES)
        .map(|at| (at / FEATURES % length) as f32)
        .collect()
}

/// The same by hand.
fn plain_window(cache: &[f32], length: usize) -> Vec<f32> {
    let skipped = length.saturating_sub(WINDOW) * FEATURES;
    let heads = cache.chunks_exact(length * FEATURES);
    heads.flat_map(|head| &head[skipped..]).copied().collect()
}
