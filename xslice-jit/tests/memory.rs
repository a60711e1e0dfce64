//! Code is freed with the last kernel that uses it. Alone in its process, so that nothing else moves the figure.
//! `XSLICE_TEST_KERNELS=50000` makes it so many kernels.
#![cfg(target_os = "linux")]

mod common;

use common::{resident, slice};
use xslice_core::{ElementType, Program, Signature};
use xslice_jit::{Engine, Jit, Strategy};

/// Mappings of this process: each function owns one.
fn mappings() -> usize {
    std::fs::read_to_string("/proc/self/maps")
        .unwrap()
        .lines()
        .count()
}

#[test]
fn dropped_kernels_leave_nothing() {
    let count = std::env::var("XSLICE_TEST_KERNELS").ok();
    let count = count.and_then(|text| text.parse().ok()).unwrap_or(2000);
    let program = Program::chain("x")
        .then(slice([0, 0], [i64::MAX; 2], [2, 3]))
        .build()
        .unwrap();
    let compile_and_drop = |count: usize| {
        for rows in (0..1000).cycle().take(count) {
            let jit = Jit::with_strategy(Strategy::Baked);
            let signature = Signature::new().operand(ElementType::F32, &[20 + rows, 40]);
            let kernel = jit.compile(&program, &signature).unwrap();
            assert_eq!(kernel.engine(), Engine::Baked);
        }
    };
    // Every shape once: what the allocator keeps for the largest is no leak.
    compile_and_drop(1000);
    let (before, mapped) = (resident(), mappings());
    compile_and_drop(count);
    let (after, still_mapped) = (resident(), mappings());
    println!(
        "resident {before} KiB, after {count} more {after} KiB; {mapped} and {still_mapped} mappings"
    );
    // 2000 leaked pages alone would be 8000 KiB.
    assert!(after < before + 2000, "{before} KiB, then {after} KiB");
    assert!(
        still_mapped < mapped + 50,
        "{mapped} mappings, then {still_mapped}"
    );
}
