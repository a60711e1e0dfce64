//! Sixteen threads that compile and run on one Jit whose cache is far too small for what they ask.

mod common;

use common::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use xslice_core::{ElementType, Input, Program, Signature};
use xslice_jit::{Jit, Kernel, Strategy};

const KERNELS: usize = 5;

/// Not enough for all kernels and structures that the other bounds admit.
const BYTES: usize = 48 << 10;

/// Columns `0, 9, 18, ..` of a matrix, shortened to `width`.
fn program(width: usize) -> Arc<Program> {
    let program = Program::chain("x")
        .then(slice([0, 0], [i64::MAX, width as i64], [1, 9]))
        .build();
    Arc::new(program.expect("a legal slice"))
}

fn run(kernel: &Kernel, rows: usize, width: usize) {
    let x: Vec<u16> = (0..rows * 100).map(|at| at as u16).collect();
    let expected: Vec<u16> = x
        .chunks(100)
        .flat_map(|row| row[..width].iter().copied().step_by(9))
        .collect();
    let found: Vec<u16> = kernel.collect(&[Input::from(&x)]).expect("a legal call");
    assert_eq!(found, expected);
}

#[test]
fn sixteen_threads_keep_the_cache_within_its_bounds() {
    let programs: Vec<_> = (20..50).map(program).collect();
    let code_bytes = 6 * region::page::size();
    for strategy in [Strategy::Auto, Strategy::Keyed, Strategy::Baked] {
        let jit = Jit::builder()
            .strategy(strategy)
            .bytes(BYTES)
            .code_bytes(code_bytes)
            .kernels(KERNELS)
            .build();
        let most = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for thread in 0..16 {
                let (jit, programs, most) = (&jit, &programs, &most);
                scope.spawn(move || {
                    for round in 0..60 {
                        let at = (round * 7 + thread * 3) % programs.len();
                        let rows = 1 + (round + thread) % 5;
                        let signature = Signature::new().operand(ElementType::U16, &[rows, 100]);
                        let kernel = jit
                            .compile(&programs[at], &signature)
                            .expect("a legal shape");
                        let stats = jit.stats();
                        assert!(stats.bytes <= BYTES, "{stats:?}");
                        assert!(stats.code_bytes <= code_bytes, "{stats:?}");
                        assert!(stats.kernels <= KERNELS, "{stats:?}");
                        most.fetch_max(stats.kernels, Ordering::Relaxed);
                        run(&kernel, rows, 20 + at);
                    }
                });
            }
        });
        assert_eq!(most.into_inner(), KERNELS, "the bound is never reached");
        jit.clear();
        assert_eq!(jit.stats().code_bytes_in_use, 0);
    }
}
