//! The bytes that a cache holds are bounded, whatever the constants of its programs. Alone in its process, so that nothing else moves
//! the resident size.
#![cfg(target_os = "linux")]

mod common;

use common::{gather_of_constants, resident, table};
use xslice_jit::{Jit, Strategy};

const MIB: usize = 1 << 20;

const BYTES: usize = 16 * MIB;

#[test]
fn large_constants_are_bounded_and_given_back() {
    for strategy in [Strategy::Runner, Strategy::Keyed, Strategy::Baked] {
        let jit = Jit::builder().strategy(strategy).bytes(BYTES).build();
        let before = resident();
        let mut most = 0;
        for seed in 0..100 {
            let program = gather_of_constants(MIB / 8, seed);
            jit.compile(&program, &table(97)).expect("a legal shape");
            let stats = jit.stats();
            assert!(stats.bytes <= BYTES, "{stats:?}");
            most = most.max(stats.kernels);
        }
        let (held, kept) = (jit.stats().bytes, resident().saturating_sub(before));
        println!("{strategy:?}: {most} kernels at most, {held} bytes held, {kept} KiB resident");
        assert!((8..=16).contains(&most), "{most} kernels of 1 MiB");
        // Freed blocks, and what one compilation takes besides.
        assert!(kept < (BYTES + 8 * MIB) >> 10, "{kept} KiB");
        jit.clear();
        assert_eq!(jit.stats().bytes, 0);
    }
}
