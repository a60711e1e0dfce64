//! Operators, IR, interpreter and runner of xslice.
//!
//! ```text
//! text / macro tokens / ONNX / OpenVINO IR / builder
//!   -> Op           attributes exactly as the texts write them (+ version, dialect)      op.rs
//!   -> AxisIndex    after all rules: wrap, clamp, masks, ellipsis, defaults              resolve.rs   <- rules end here
//!   -> CoordMap     result coordinate -> source coordinate; composes; checks             coord.rs
//!   -> LoopNest     loops, element strides, offsets, block; numbers only                 nest.rs
//!   -> simplified   unit loops gone, neighbours folded, contiguous tail in the block     nest/simplify.rs
//!   -> verified     every nest, by its constructor                                       nest/verify.rs
//!   -> scheduled    innermost part becomes a Move: copy, strided, shuffle, lookup, fill  nest/schedule.rs
//!   -> verified     every schedule, in bytes, as it will run                             nest/verify/bytes.rs
//!   -> Plan         scheduled nests, checks, numbers, tables: what every engine runs     plan.rs
//!   -> interpreter | runner | machine code | Rust (emit.rs)
//! ```
//!
//! `docs/architecture.md` has the order of the modules: each imports only what stands before it.
//!
//! # Invariants
//!
//! - **I1 Numbers only.** A nest holds no symbol, no negative-means-from-the-end, no mask: resolving is cheap host arithmetic
//!   for each new shape.
//! - **I2 Born verified.** A nest has private fields, and its constructor ends in the checks of `nest::verify`; of its schedule they are
//!   asked again, in bytes, when every pass is done. Holding a nest or a [`Plan`] is the proof of I3 to I5.
//! - **I3 In bounds.** Every access lies inside its buffer; buffer lengths are compared once a call ([`Plan::admit`]). Loaded indices are
//!   proved by the checks that run before the nest, or by what reads them (the Move, machine code): an index outside its axis is never
//!   used as an address.
//! - **I4 Written once.** The destination access is injective. A call of a Move, which is for some turns one after the other, may write
//!   a byte of its turns more than once, the last time with its value: what it writes too much belongs to later turns of the same call.
//!   Whether a nest *covers* its destination is a separate recorded fact: only a covering nest is given uninitialised memory.
//! - **I5 No aliasing.** Sources and destination are distinct borrows.
//! - **I6 Passes keep meaning.** `run(simplify(n)) == run(n)`, bit for bit; `simplify` is idempotent.
//! - **I7 Bits, not numbers.** Moving keeps bit patterns. Only Range computes, by one documented formula.
//! - **I8 One refusal.** The same request is refused with the same error by every engine and front door. After a refusal at run time
//!   a caller's buffer is initialised but unspecified.
//! - **I9 No panic, no abort** on any input through the safe API, allocation included: what grows with elements is asked for and may be
//!   refused, but for [`Tensor::vector`], [`Tensor::scalar`] and [`Tensor::integers`], and the texts of strings: they ask as `Vec` does.

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod access;
mod compile;
mod coord;
mod elem;
pub mod emit;
mod error;
pub mod fixed;
mod hash;
mod index;
pub mod interp;
pub mod ir;
mod level;
mod list;
#[expect(
    unsafe_code,
    reason = "memory that was proved is moved here, and only here"
)]
mod move_;
mod nest;
pub mod notation;
mod odometer;
mod op;
#[expect(unsafe_code, reason = "buffers are taken apart into bytes here")]
mod operand;
mod plan;
mod program;
mod range;
mod resolve;
pub mod runner;
mod scratch;
mod shuffle;
mod signature;
mod sources;
mod steps;
mod tensor;

pub use elem::{Element, ElementType};
pub use error::{Error, ErrorKind};
pub use level::Level;
pub use move_::collect;
pub use op::{
    Dialect, Entry, Gather, Index, OnnxGather, OnnxRange, OnnxSlice, Op, OpenVinoSlice,
    OpenVinoStridedSlice, Param, Range, Reshape, ReshapeRule, Slice, StridedSlice, ValueId,
};
pub use operand::{Input, Output};
pub use plan::{Plan, View};
pub use program::{Chain, Declared, Graph, Operand, Program};
pub use scratch::Scratch;
pub use signature::{Layout, OperandType, Signature};
pub use tensor::Tensor;

// What the other crates of this repository share, and nobody else needs.
#[doc(hidden)]
pub use {
    error::{breaks_line, counted},
    hash::WordHash,
    index::{is_outside as is_index_outside, wrapped as wrapped_index},
    op::{refuse_later, refuse_missing, refuse_twice, refuse_type, refuse_version},
    plan::{refuse_index, refuse_length},
    sources::Sources,
    tensor::{byte_count, element_count},
};
