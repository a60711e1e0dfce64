//! Machine code at run time for xslice.
//!
//! A [`Jit`] turns a program and a signature into a [`Kernel`], which moves the elements. [`Jit::compile`] is meant to be called before
//! every run: a known program and signature is found in a cache. What runs is decided here, by [`Strategy`], which says how.
//!
//! ```
//! use xslice_core::{ElementType, Program, Signature, Slice};
//! let program = Program::chain("x").then(Slice::onnx(13).starts([1]).ends([8])).build()?;
//! let signature = Signature::new().operand(ElementType::F32, &[10]);
//! let kernel = xslice_jit::global().compile(&program, &signature)?;
//! let x: Vec<f32> = (0u8..10).map(f32::from).collect();
//! let mut y = [0.0f32; 7];
//! kernel.run(&[(&x).into()], &mut y)?;
//! assert_eq!(y, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
//! # Ok::<(), xslice_core::Error>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

mod assembly;
mod attempts;
mod cache;
mod codegen;
mod engine;
mod jit;
#[expect(
    unsafe_code,
    reason = "machine code is owned and called here, and only here"
)]
mod kernel;
mod key;
mod nests;
mod origin;
mod pieces;
mod vectors;

pub use engine::{Decline, Engine, Form, Strategy};
pub use jit::{Jit, JitBuilder, Stats};
pub use kernel::Kernel;
pub use nests::{Listing, listing};

#[doc(hidden)]
pub use {kernel::MemoryPolicy, nests::gains};

use std::sync::OnceLock;

/// The `Jit` of this process, made at its first use: `Auto`, with the default bounds.
///
/// ```
/// assert_eq!(xslice_jit::global().strategy(), xslice_jit::Jit::new().strategy());
/// ```
#[must_use]
pub fn global() -> &'static Jit {
    static GLOBAL: OnceLock<Jit> = OnceLock::new();
    GLOBAL.get_or_init(Jit::new)
}
