//! The entry functions of `tests/fuzz`, for `cargo fuzz run programs` and the like.

#[path = "../../tests/random/agree.rs"]
mod agree;
#[path = "../../tests/random/call.rs"]
mod call;
#[path = "../../tests/fuzz/entries.rs"]
pub mod entries;
#[path = "../../tests/random/operators.rs"]
mod operators;
#[path = "../../tests/random/program.rs"]
mod program;
#[path = "../../tests/suite/mod.rs"]
mod suite;
