//! What a program becomes below its [`Plan`](crate::Plan): for those who read plans, or write an engine.
//!
//! The stages are those in the head of this crate. From a map on, each has its types here, and [`Plan::steps`](crate::Plan::steps)
//! leads to all of them:
//!
//! | stage | types |
//! |---|---|
//! | a position, as a function of loop counters | [`Access`]: offset and strides, and [`Lookup`]s of indices of an [`IndexType`] in a [`Buffer`] |
//! | lowered, simplified, verified, in elements | [`LoopNest`]: loops, a block, and a [`Source`], which is a buffer or the [`Progression`] of a Range |
//! | scheduled, verified again, in bytes | [`Schedule`]: the loops around one [`Move`] |
//! | what a move does | a copy, [`Strided`] runs, [`Periods`] of a [`Pattern`] by a [`Shuffle`], a look-up of rows ([`LookedUp`], each a [`Row`]), a [`Fill`]; [`NoShuffle`] says why it is no shuffle |
//! | the steps of a plan | [`Step`]: a [`Check`], or a [`PlannedNest`], whose [`Reader`] may do the last check before it ([`Tested`]), and which may write a [`Temporary`] |
//!
//! A [`List`] is a slice where it is read. Nobody but the compiler makes a [`LoopNest`], a [`Schedule`] or a [`PlannedNest`]: holding one is the
//! proof of I2 to I4.
//!
//! ```
//! use xslice_core::ir::{Move, Step, Strided};
//! use xslice_core::{ElementType, Program, Signature};
//! // Half of each row.
//! let signature = Signature::new().operand(ElementType::F32, &[100, 768]);
//! let plan = Program::parse("x[:, 384:]")?.compile(&signature)?;
//! let [Step::Nest(planned)] = plan.steps() else { panic!("slices have no checks") };
//!
//! let nest = planned.nest();
//! assert_eq!((nest.extents(), nest.block()), (&[100][..], 384));
//! assert_eq!((nest.src().offset, &nest.src().strides[..]), (384, &[768][..]));
//!
//! let schedule = planned.schedule().expect("floats have bytes");
//! let rows = Strided { count: 100, bytes: 1536, dst_stride: 1536, src_stride: 3072 };
//! assert_eq!((schedule.inner(), schedule.extents()), (&Move::Strided(rows), &[][..]));
//! # Ok::<(), xslice_core::Error>(())
//! ```

pub use crate::access::{Access, Buffer, IndexType, Lookup};
pub use crate::list::List;
pub use crate::nest::schedule::{Fill, LookedUp, Move, NoShuffle, Periods, Row, Schedule, Strided};
pub use crate::nest::{LoopNest, Source};
pub use crate::plan::{Check, PlannedNest, Reader, Step, Tested};
pub use crate::range::Progression;
pub use crate::scratch::Temporary;
pub use crate::shuffle::{Pattern, Shuffle};
