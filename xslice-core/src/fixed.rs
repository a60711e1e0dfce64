//! Nests whose numbers are literals: what [`crate::emit`] writes where a Move does better than the compiler's own loops.
//!
//! A [`Nest`] or [`Gather`] is made in a `static`, so its `const` constructor proves I3 and I4 while the user's crate is compiled, by the same rules
//! as those of every nest, and an expansion that breaks them does not compile. A call compares the lengths of its buffers with those of the proof.
//! They are no part of the types, because the compiler would make every function anew for each. The schedule is made at the first call, for the
//! processor that it runs on.
//!
//! ```
//! use xslice_core::fixed::Nest;
//! static SWAP: Nest<u8> = Nest::new(&[4, 3], 1, (12, 2, &[3, -1]), (12, 0, &[3, 1]));
//! let (bgr, mut rgb) = ([3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10], [0; 12]);
//! SWAP.run(&bgr, &mut rgb);
//! assert_eq!(rgb, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
//! ```
//! ```compile_fail
//! # use xslice_core::fixed::Nest;
//! static BEYOND: Nest<u8> = Nest::new(&[4, 3], 1, (12, 3, &[3, -1]), (12, 0, &[3, 1]));
//! ```
//! ```compile_fail
//! # use xslice_core::fixed::Nest;
//! static TWICE: Nest<u8> = Nest::new(&[4, 3], 1, (12, 2, &[3, -1]), (12, 0, &[2, 1]));
//! ```
//! ```should_panic
//! # use xslice_core::fixed::Nest;
//! static SWAP: Nest<u8> = Nest::new(&[4, 3], 1, (12, 2, &[3, -1]), (12, 0, &[3, 1]));
//! SWAP.run(&[0; 11], &mut [0; 12]);
//! ```

use crate::access::{Access, Buffer, IndexType, Lookup, affine_span};
use crate::elem::{Element, ElementType};
use crate::error::Error;
use crate::move_;
use crate::nest::schedule::{Move, Schedule};
use crate::nest::{LoopNest, Parts, Source, verify};
use crate::operand::{Input, Output};
use crate::plan::refuse_index;
use crate::range::Progression;
use crate::runner;
use core::marker::PhantomData;

/// A buffer as the loops see it: its elements, where the loops start, and what a turn of each adds, outermost first.
pub type Side = (usize, i64, &'static [i64]);

/// The operator of a check, the axis it gathers, the shape of its indices: for its refusal.
pub type Origin<'a> = (&'a str, usize, &'a [usize]);

/// Moves elements of `T`; lengths, positions and the block are in elements.
#[derive(Debug)]
pub struct Nest<T>(Fixed, PhantomData<fn() -> T>);

impl<T: Element> Nest<T> {
    /// A nest of these turns of each loop and elements that each innermost turn moves.
    ///
    /// # Panics
    /// If a position lies outside its buffer or one might be written twice.
    #[must_use]
    pub const fn new(extents: &'static [usize], block: usize, src: Side, dst: Side) -> Self {
        let source = Source::Buffer(Buffer::Operand(0));
        let fixed = Fixed::new(T::TYPE, extents, block, (source, src), dst);
        Self(fixed.verified(), PhantomData)
    }

    /// Moves.
    ///
    /// # Panics
    /// If a length is not that of the nest.
    pub fn run(&self, src: &[T], dst: &mut [T]) {
        self.0.run(&[src.into()], dst.into());
    }
}

/// Values of a Range.
#[derive(Debug)]
pub struct Fill<T>(Fixed, PhantomData<fn() -> T>);

impl<T: Element> Fill<T> {
    /// The values of `values` at these positions: where they start, and what a turn of each loop adds.
    ///
    /// # Panics
    /// If a position lies outside the buffer or one might be written twice, and for another element type than that of the values.
    #[must_use]
    pub const fn new(
        extents: &'static [usize],
        values: Progression,
        (start, strides): (i64, &'static [i64]),
        dst: Side,
    ) -> Self {
        assert!(T::TYPE as u8 == values.element_type() as u8);
        let source = (Source::Range(values), (usize::MAX, start, strides));
        let fixed = Fixed::new(T::TYPE, extents, 1, source, dst);
        Self(fixed.verified(), PhantomData)
    }

    /// Writes the values.
    ///
    /// # Panics
    /// If the length is not that of the nest.
    pub fn run(&self, dst: &mut [T]) {
        self.0.run(&[], dst.into());
    }
}

/// Moves elements of `T` by indices of an axis.
#[derive(Debug)]
pub struct Gather<T, I>(Fixed, PhantomData<fn() -> (T, I)>);

impl<T: Element, I: Element> Gather<T, I> {
    /// A nest as [`Nest::new`] makes it, whose source position has `scale` times the index at `table` added, one of an axis of size `size`.
    ///
    /// # Panics
    /// If a position lies outside its buffer, whatever the indices, or one might be written twice; if `I` is not `i32` or `i64`.
    #[must_use]
    pub const fn new(
        extents: &'static [usize],
        block: usize,
        src: Side,
        (scale, size, table): (i64, i64, Side),
        dst: Side,
    ) -> Self {
        let index = match I::TYPE {
            ElementType::I32 => IndexType::I32,
            ElementType::I64 => IndexType::I64,
            _ => panic!("indices are i32 or i64"),
        };
        let source = Source::Buffer(Buffer::Operand(0));
        let mut fixed = Fixed::new(T::TYPE, extents, block, (source, src), dst);
        fixed.table = Some(Table {
            index,
            scale,
            size,
            side: table,
        });
        Self(fixed.verified(), PhantomData)
    }

    /// Looks at every index, and moves.
    ///
    /// # Errors
    /// [`IndexRange`](crate::ErrorKind::IndexRange) for the first index that is outside, as every engine refuses it.
    ///
    /// # Panics
    /// If a length is not that of the nest.
    pub fn run(
        &self,
        src: &[T],
        indices: &[I],
        origin: Origin<'_>,
        dst: &mut [T],
    ) -> Result<(), Error> {
        let check = || Checked::new(indices, self.0.axis(), origin);
        if !self.0.tests_every_index() {
            self.run_checked(src, check()?, dst);
        } else if !self.0.run(&[src.into(), indices.into()], dst.into()) {
            check()?;
        }
        Ok(())
    }

    /// Moves.
    ///
    /// # Panics
    /// If a length is not that of the nest, or the indices were checked for a larger axis.
    pub fn run_checked(&self, src: &[T], indices: Checked<'_, I>, dst: &mut [T]) {
        assert!(indices.size <= self.0.axis(), "a proof for another axis");
        self.0
            .run(&[src.into(), indices.indices.into()], dst.into());
    }
}

/// The proof that each index lies in `-size..size`. It is made by looking at them, and names the axis:
///
/// ```should_panic
/// use xslice_core::fixed::{Checked, Gather};
/// static FOUR: Gather<u8, i64> =
///     Gather::new(&[2], 1, (4, 0, &[0]), (1, 4, (2, 0, &[1])), (2, 0, &[1]));
/// const OF_NINE: Checked<'_, i64> = Checked::fixed(&[8, 0], 9);
/// FOUR.run_checked(&[1, 2, 3, 4], OF_NINE, &mut [0; 2]); // a proof for an axis of 9 is none for one of 4
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a, I> {
    indices: &'a [I],
    size: i64,
}

impl<'a> Checked<'a, i64> {
    /// Of indices that are known when they are compiled.
    ///
    /// # Panics
    /// If one is outside.
    #[must_use]
    pub const fn fixed(indices: &'a [i64], size: i64) -> Self {
        let mut at = 0;
        while at < indices.len() {
            assert!(-size <= indices[at] && indices[at] < size);
            at += 1;
        }
        Self { indices, size }
    }
}

impl<'a, I: Element> Checked<'a, I> {
    /// Looks at every index.
    ///
    /// # Errors
    /// [`IndexRange`](crate::ErrorKind::IndexRange) for the first that is outside, as every engine refuses it. An array that is not of
    /// `i32` or `i64` has no such index and is no table of a [`Gather`].
    fn new(indices: &'a [I], size: i64, origin: Origin<'_>) -> Result<Self, Error> {
        match runner::find_outside(indices.into(), 0..indices.len(), size) {
            None => Ok(Self { indices, size }),
            Some((at, index)) => Err(refuse_index(origin, size, index, at)),
        }
    }
}

/// The numbers of a nest.
#[derive(Debug)]
pub(crate) struct Fixed {
    ty: ElementType,
    extents: &'static [usize],
    block: usize,
    source: Source,
    src: Side,
    dst: Side,
    table: Option<Table>,
    #[cfg(feature = "std")]
    schedule: std::sync::OnceLock<Option<Schedule>>,
}

/// A call that needs no comparison: buffers of the lengths of the schedule, and indices that have been checked or that its Move
/// tests. Made only here.
pub(crate) struct Proven<'a> {
    schedule: &'a Schedule,
    inputs: &'a [Input<'a>],
    output: Output<'a>,
}

impl<'a> Proven<'a> {
    /// The schedule, what it reads, what it writes.
    pub(crate) fn call(self) -> (&'a Schedule, &'a [Input<'a>], Output<'a>) {
        (self.schedule, self.inputs, self.output)
    }
}

/// What is looked up on the way to the source.
#[derive(Debug)]
struct Table {
    index: IndexType,
    scale: i64,
    size: i64,
    side: Side,
}

impl Fixed {
    const fn new(
        ty: ElementType,
        extents: &'static [usize],
        block: usize,
        (source, src): (Source, Side),
        dst: Side,
    ) -> Self {
        Self {
            ty,
            extents,
            block,
            source,
            src,
            dst,
            table: None,
            #[cfg(feature = "std")]
            schedule: std::sync::OnceLock::new(),
        }
    }

    /// Itself, if it has what [`verify`] asks of a nest: from here on it is the proof of I3 and I4.
    const fn verified(self) -> Self {
        assert!(!matches!(self.ty, ElementType::String) && self.block > 0);
        let (extents, mut k) = (self.extents, 0);
        while k < extents.len() {
            assert!(extents[k] > 0);
            k += 1;
        }
        let mut src = self.span(self.src);
        if let Some(table) = &self.table {
            assert!(table.size > 0);
            assert!(verify::lies_in(self.span(table.side), 1, table.side.0));
            let reach = table.scale as i128 * (table.size as i128 - 1);
            src = match reach {
                ..0 => (src.0 + reach, src.1),
                0.. => (src.0, src.1 + reach),
            };
        }
        assert!(verify::lies_in(src, self.block, self.src.0));
        assert!(verify::lies_in(self.span(self.dst), self.block, self.dst.0));
        assert!(verify::is_injective(extents, self.dst.2, self.block));
        self
    }

    /// The first and the last position of the loops.
    const fn span(&self, (_, start, strides): Side) -> (i128, i128) {
        assert!(strides.len() == self.extents.len());
        affine_span(start, strides, self.extents)
    }

    /// The size of the axis that is gathered; none is smaller than that of a nest without one.
    fn axis(&self) -> i64 {
        self.table.as_ref().map_or(0, |table| table.size)
    }

    /// Runs the nest, whose indices have been checked or are all tested by its Move; then `false` says that one is outside.
    fn run(&self, inputs: &[Input<'_>], output: Output<'_>) -> bool {
        let sides = [Some(self.src), self.table.as_ref().map(|table| table.side)];
        let mut sides = inputs.iter().zip(sides.into_iter().flatten());
        let lengths = sides.all(|(input, side)| input.len() == side.0);
        assert!(
            lengths && output.len() == self.dst.0,
            "buffers of other lengths than those of the nest"
        );
        self.with_schedule(|schedule| {
            move_::proven(Proven {
                schedule,
                inputs,
                output,
            })
        })
    }

    /// Whether the Move tests each index of the table as it reads it.
    fn tests_every_index(&self) -> bool {
        let Some(table) = &self.table else {
            return false;
        };
        let reads_all = self.extents == [table.side.0] && matches!(table.side, (_, 0, [1]));
        let by_move = |schedule: &Schedule| {
            matches!(schedule.inner(), Move::Lookup { .. }) && schedule.src().is_affine()
        };
        reads_all && self.with_schedule(by_move)
    }

    /// Elements have fixed bytes (see [`Fixed::verified`]), so there is a schedule.
    fn with_schedule(&self, run: impl FnOnce(&Schedule) -> bool) -> bool {
        let make = || Schedule::new(&LoopNest::fixed(self), &|_, _| None);
        #[cfg(feature = "std")]
        let schedule = self.schedule.get_or_init(make);
        #[cfg(not(feature = "std"))]
        let schedule = &make();
        schedule.as_ref().is_some_and(run)
    }

    /// The nest as the schedule reads it.
    pub(crate) fn parts(&self) -> Parts {
        let access = |(_, offset, strides): Side| Access::affine(offset, strides.into());
        let lookup = |table: &Table| Lookup {
            scale: table.scale,
            table: Buffer::Operand(1),
            index: table.index,
            size: table.size,
            access: access(table.side),
        };
        Parts {
            ty: self.ty,
            extents: self.extents.into(),
            block: self.block,
            source: self.source,
            src_len: self.src.0,
            src: Access {
                lookups: self.table.iter().map(lookup).collect(),
                ..access(self.src)
            },
            dst_len: self.dst.0,
            dst: access(self.dst),
        }
    }
}
