//! xslice
pub use xslice_core::*;
