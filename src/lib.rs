//! A compiler for tensor data movement.
//!
//! xslice takes Slice, Gather and Range exactly as ONNX defines them, and Slice and StridedSlice as OpenVINO does, alone or chained, and
//! produces code that moves exactly the elements wanted, near the speed of memory.
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
//! # What to look at
//!
//! | for | there is |
//! |---|---|
//! | which elements are wanted | [`Program`]: a text for [`Program::parse`], a [`Program::chain`] of [`Slice`], [`StridedSlice`], [`Gather`], [`Range`] and [`Index`], or a [`Graph`] |
//! | types, shapes, strides, values of parameters | [`Signature`], [`ElementType`], [`Tensor`] |
//! | running it | [`Jit::compile`] to a [`Kernel`], which takes [`Input`]s and an [`Output`]; [`index()`] does all of it in one call |
//! | the same without machine code | [`Program::compile`] to a [`Plan`], and [`runner`] or [`interp`] with a [`Scratch`] |
//! | an answer without running | [`Program::output_shape`], [`Program::view`] |
//! | shapes known when Rust compiles | [`xslice!`](macro@xslice) |
//! | what was refused, and why | [`Error`], [`ErrorKind`] |
//! | what the compiler decided | [`ir`], [`Kernel::engine`], [`Jit::stats`] |
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
pub mod ir;
#[cfg(feature = "macros")]
mod private;

#[cfg(feature = "jit")]
pub use index::{Array, ArrayOperand, Nested, index, index_with};
#[cfg(feature = "macros")]
#[doc(hidden)]
pub use private::expansion as __private;
pub use xslice_core::{
    Chain, Declared, Dialect, Element, ElementType, Entry, Error, ErrorKind, Gather, Graph, Index,
    Input, Layout, Level, OnnxGather, OnnxRange, OnnxSlice, Op, OpenVinoSlice,
    OpenVinoStridedSlice, Operand, OperandType, Output, Param, Plan, Program, Range, Reshape,
    ReshapeRule, Scratch, Signature, Slice, StridedSlice, Tensor, ValueId, View, emit, interp,
    notation, runner,
};
#[cfg(feature = "jit")]
pub use xslice_jit::{Decline, Engine, Jit, JitBuilder, Kernel, Stats, Strategy, global};

/// The crates whose types are element types.
pub use {half, num_complex};

// What the command line and the tests share with the other crates.
#[doc(hidden)]
pub use xslice_core::{
    breaks_line, byte_count, counted, element_count, is_index_outside, refuse_later,
    refuse_missing, refuse_twice, refuse_type, refuse_version,
};

#[cfg(feature = "jit")]
#[doc(hidden)]
pub use xslice_jit::gains;

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
