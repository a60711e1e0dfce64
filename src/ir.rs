//! What a program becomes on its way to code: for those who read plans, compare engines, or write one.
//!
//! To move elements, none of it is needed. Every engine runs the same [`Plan`](crate::Plan), and its steps lead to all that was decided:
//!
//! ```text
//!   Program + Signature
//!     -> resolved     wraps, clamps, masks and defaults of the operators become numbers
//!     -> composed     one map for the chain: where in the source is each element of the result      Access, Lookup
//!     -> lowered      the map as loops over blocks of neighbours, in elements                       LoopNest, Source
//!     -> simplified   loops of one turn gone, neighbours folded; no position outside, none written twice
//!     -> scheduled    the innermost part is one Move, the loops in the order of memory, in bytes    Schedule, Move
//!     -> Plan         checks of indices and nests, in order                                         Step, Check, PlannedNest
//!     -> interp | runner | machine code | Rust
//! ```
//!
//! | to read | look at |
//! |---|---|
//! | the steps of a plan | [`Plan::steps`](crate::Plan::steps): a [`Step`] is a [`Check`], or a [`PlannedNest`], whose [`Reader`] may do the last check before it ([`Tested`]), and which may write a [`Temporary`] |
//! | which elements move | [`LoopNest`]: loops, a block, and a [`Source`], which is a [`Buffer`] or the [`Progression`] of a Range |
//! | where they are | [`Access`]: offset and strides, and [`Lookup`]s of indices of an [`IndexType`] |
//! | how they move | [`Schedule`]: loops around one [`Move`], which is a copy, [`Strided`] runs, [`Periods`] of a [`Pattern`] by a [`Shuffle`], a look-up of rows ([`LookedUp`], each a [`Row`]), or a [`Fill`]; [`NoShuffle`] says why it is no shuffle |
//! | the whole as text | `plan.to_string()`, or `xslice explain` on the command line |
//! | the code | [`emit::function`](crate::emit::function) for Rust; with the feature `jit`, `listing` for what machine code of a `Form` is made of, and its assembly |
//!
//! A [`List`] is a slice where it is read. Fields may be read, and nobody but the compiler makes a nest or a schedule: holding one is the
//! proof that every access is in bounds and no element is written twice.
//!
//! ```
//! use xslice::ir::{LookedUp, Move, Step};
//! use xslice::{ElementType, Program, Signature};
//!
//! let program = Program::parse("table[@ids, :384]")?;
//! let signature = Signature::new()
//!     .operand(ElementType::F32, &[30522, 768])
//!     .operand(ElementType::I64, &[8, 128]);
//! let plan = program.compile(&signature)?;
//!
//! // One nest, and a check of all indices, which it does as it reads them: 1024 rows of 384 elements, each where an index says.
//! let [Step::Nest(planned)] = plan.steps() else { panic!("one gather") };
//! let check = planned.tested().expect("its Move reads all of them").check();
//! assert_eq!((check.extents(), check.size()), (&[1024][..], 30522));
//! assert_eq!((planned.nest().extents(), planned.nest().block()), (&[1024][..], 384));
//! assert_eq!(planned.nest().src().lookups[0].scale, 768);
//!
//! let schedule = planned.schedule().expect("floats have bytes");
//! let Move::Lookup(LookedUp { count, bytes, .. }) = schedule.inner() else { panic!("one look-up") };
//! assert_eq!((*count, *bytes), (1024, 1536));
//! # Ok::<(), xslice::Error>(())
//! ```

pub use xslice_core::ir::{
    Access, Buffer, Check, Fill, IndexType, List, LookedUp, Lookup, LoopNest, Move, NoShuffle,
    Pattern, Periods, PlannedNest, Progression, Reader, Row, Schedule, Shuffle, Source, Step,
    Strided, Temporary, Tested,
};
#[cfg(feature = "jit")]
pub use xslice_jit::{Form, Listing, listing};
