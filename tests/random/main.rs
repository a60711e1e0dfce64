//! Random chains of all operators: every engine and the oracle agree bit for bit, or all refuse, with one refusal among the engines.

mod agree;
mod call;
mod operators;
mod program;
#[path = "../suite/mod.rs"]
mod suite;

use agree::{Tally, check};
use suite::rng::Rng;

#[test]
fn engines_agree_with_the_oracle_on_random_chains() {
    let count = std::env::var("XSLICE_RANDOM_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(20_000);
    let mut tally = Tally::default();
    for seed in 0..count {
        check(&format!("seed {seed}"), &mut Rng::new(seed), &mut tally);
    }
    println!("{count} chains: {tally:?}");
    assert!(
        tally.equal * 3 > count as usize,
        "too few valid chains: {tally:?}"
    );
}
