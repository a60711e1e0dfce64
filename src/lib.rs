//! A compiler for tensor data movement.
//!
//! xslice takes Slice, StridedSlice, Gather and Range exactly as ONNX and OpenVINO define them, alone or chained, and produces code
//! that moves exactly the elements wanted, near the speed of memory.
//!
//! ```
//! use xslice::{ElementType, Jit, Program, Signature};
//!
//! let program = Program::parse("x[1:, ::-1]")?;
//! let signature = Signature::new().operand(ElementType::I32, &[3, 4]);
//! let kernel = Jit::new().compile(&program, &signature)?;
//!
//! let x: Vec<i32> = (0..12).collect();
//! assert_eq!(kernel.collect::<i32>(&[(&x).into()])?, [7, 6, 5, 4, 11, 10, 9, 8]);
//! # Ok::<(), xslice::Error>(())
//! ```
//!
//! # The pipeline
//!
//! ```text
//! notation text / builders / ONNX model / OpenVINO IR
//!         |
//!      Program        operators with their attributes, free of shapes
//!         |  + Signature: types, shapes, strides, values of parameters
//!       Plan          one loop nest for the whole chain, its checks, verified
//!         |
//!   interpreter       the reference
//!   runner            precompiled, runs everywhere
//!   JIT keyed         machine code for every shape of one structure
//!   JIT baked         machine code for one shape
//! ```
//!
//! [`Program`] comes from [`Program::parse`], from the builders ([`Slice`], [`StridedSlice`], [`Gather`], [`Range`], [`Index`]) in a
//! [`Program::chain`], or from a [`Graph`]. A [`Jit`] compiles it for a [`Signature`] into a [`Kernel`]; [`interp`] and [`runner`] run
//! its [`Plan`] directly. [`index()`] does all of it in one call.
//!
//! # Features
//!
//! `std`, `macros` and `jit` are on by default; `ndarray` lets [`index()`] take and give arrays of that crate;
//! `rayon` adds `run_parallel` to kernels and the runner. Without `jit` there is no
//! Cranelift, and Rust 1.89 is enough; without `std` the crate is `no_std` with `alloc`.

#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "jit")]
mod index;
#[cfg(feature = "macros")]
mod private;

#[cfg(feature = "jit")]
pub use index::{Array, ArrayOperand, Nested, index, index_with};
#[cfg(feature = "macros")]
#[doc(hidden)]
pub use private::expansion as __private;
pub use xslice_core::*;
#[cfg(feature = "jit")]
pub use xslice_jit::*;

/// The crates whose types are element types.
pub use {half, num_complex};

/// The code blocks of the documents run as tests; those of the guide need every feature of theirs.
#[cfg(all(doctest, feature = "jit", feature = "macros"))]
mod documents {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/notation.md")]
    struct Notation;
    #[cfg(feature = "rayon")]
    #[doc = include_str!("../docs/guide.md")]
    struct Guide;
}
