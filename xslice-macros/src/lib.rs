//! The `xslice!` macro: entry points only.
//!
//! This crate is the place of the compile-time engine. It exports no macro yet: use `Program::parse` and the JIT
//! of the facade for the same notation at run time.
