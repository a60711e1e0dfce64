//! Nests whose numbers are literals: what [`crate::emit`] writes where a Move does better than the compiler's own loops.
//!
//! A [`Nest`] or [`Gather`] is made in a `static`, so its `const` constructor proves I3 and I4 while the user's crate is compiled, by the same rules
//! as those of every nest, and an expansion that breaks them does not compile. Lengths are in the types: a call compares nothing. The schedule is
//! made at the first call, for the processor that it runs on.
//!
//! ```
//! use xslice_core::fixed::Nest;
//! static SWAP: Nest<u8, 12, 12> = Nest::new(&[4, 3], 1, (2, &[3, -1]), (0, &[3, 1]));
//! let (bgr, mut rgb) = ([3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10], [0; 12]);
//! SWAP.run(&bgr, &mut rgb);
//! assert_eq!(rgb, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
//! ```
//! ```compile_fail
//! # use xslice_core::fixed::Nest;
//! static BEYOND: Nest<u8, 12, 12> = Nest::new(&[4, 3], 1, (3, &[3, -1]), (0, &[3, 1]));
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

/// A position over the loops: where it starts, and what a turn of each adds, outermost first.
pub type Position = (i64, &'static [i64]);

/// The operator of a check, the axis it gathers, the shape of its indices: for its refusal.
pub type Origin<'a> = (&'a str, usize, &'a [usize]);

/// Moves elements of `T` from an array of `S` to an array of `D`; positions and the block are in elements.
#[derive(Debug)]
pub struct Nest<T, const S: usize, const D: usize>(Fixed, PhantomData<fn() -> T>);

impl<T: Element, const S: usize, const D: usize> Nest<T, S, D> {
    /// A nest of these turns of each loop and elements that each innermost turn moves.
    ///
    /// # Panics
    /// If a position lies outside its array or one might be written twice.
    #[must_use]
    pub const fn new(
        extents: &'static [usize],
        block: usize,
        src: Position,
        dst: Position,
    ) -> Self {
        let source = Source::Buffer(Buffer::Operand(0));
        let fixed = Fixed::new(T::TYPE, extents, block, (source, S, src), (D, dst));
        Self(fixed.verified(), PhantomData)
    }

    /// Moves.
    pub fn run(&self, src: &[T; S], dst: &mut [T; D]) {
        self.0.run(&[src.into()], dst.into());
    }
}

/// Values of a Range, in an array of `D`.
#[derive(Debug)]
pub struct Fill<T, const D: usize>(Fixed, PhantomData<fn() -> T>);

impl<T: Element, const D: usize> Fill<T, D> {
    /// The values of `values` at positions `src`.
    ///
    /// # Panics
    /// If a position lies outside the array or one might be written twice, and for another element type than that of the values.
    #[must_use]
    pub const fn new(
        extents: &'static [usize],
        values: Progression,
        src: Position,
        dst: Position,
    ) -> Self {
        assert!(T::TYPE as u8 == values.element_type() as u8);
        let source = (Source::Range(values), usize::MAX, src);
        let fixed = Fixed::new(T::TYPE, extents, 1, source, (D, dst));
        Self(fixed.verified(), PhantomData)
    }

    /// Writes the values.
    pub fn run(&self, dst: &mut [T; D]) {
        self.0.run(&[], dst.into());
    }
}

/// Moves elements of `T` from an array of `S` to an array of `D`, by `L` indices of an axis of size `SIZE`.
#[derive(Debug)]
pub struct Gather<T, const S: usize, I, const L: usize, const SIZE: i64, const D: usize>(
    Fixed,
    PhantomData<fn() -> (T, I)>,
);

impl<T: Element, const S: usize, I: Element, const L: usize, const SIZE: i64, const D: usize>
    Gather<T, S, I, L, SIZE, D>
{
    /// A nest as [`Nest::new`] makes it, whose source position has `scale` times the index at `table` added.
    ///
    /// # Panics
    /// If a position lies outside its array, whatever the indices, or one might be written twice; if `I` is not `i32` or `i64`.
    #[must_use]
    pub const fn new(
        extents: &'static [usize],
        block: usize,
        src: Position,
        (scale, table): (i64, Position),
        dst: Position,
    ) -> Self {
        let index = match I::TYPE {
            ElementType::I32 => IndexType::I32,
            ElementType::I64 => IndexType::I64,
            _ => panic!("indices are i32 or i64"),
        };
        let source = Source::Buffer(Buffer::Operand(0));
        let mut fixed = Fixed::new(T::TYPE, extents, block, (source, S, src), (D, dst));
        fixed.table = Some(Table {
            index,
            scale,
            size: SIZE,
            len: L,
            position: table,
        });
        Self(fixed.verified(), PhantomData)
    }

    /// Looks at every index, and moves.
    ///
    /// # Errors
    /// [`IndexRange`](crate::ErrorKind::IndexRange) for the first index that is outside, as every engine refuses it.
    pub fn run(
        &self,
        src: &[T; S],
        indices: &[I; L],
        origin: Origin<'_>,
        dst: &mut [T; D],
    ) -> Result<(), Error> {
        if !self.0.tests_every_index() {
            let checked = Checked::new(indices, origin)?;
            self.run_checked(src, checked, dst);
        } else if !self.0.run(&[src.into(), indices.into()], dst.into()) {
            Checked::<I, L, SIZE>::new(indices, origin)?;
        }
        Ok(())
    }

    /// Moves.
    pub fn run_checked(&self, src: &[T; S], indices: Checked<'_, I, L, SIZE>, dst: &mut [T; D]) {
        self.0.run(&[src.into(), indices.0.into()], dst.into());
    }
}

/// The proof that each of `L` indices lies in `-SIZE..SIZE`. It is made by looking at them, and its types name the axis:
///
/// ```compile_fail
/// use xslice_core::fixed::{Checked, Gather};
/// static FOUR: Gather<u8, 4, i64, 2, 4, 2> =
///     Gather::new(&[2], 1, (0, &[0]), (1, (0, &[1])), (0, &[1]));
/// const OF_NINE: Checked<i64, 2, 9> = Checked::fixed(&[8, 0]);
/// FOUR.run_checked(&[1, 2, 3, 4], OF_NINE, &mut [0; 2]); // a proof for an axis of 9 is none for one of 4
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a, I, const L: usize, const SIZE: i64>(&'a [I; L]);

impl<'a, const L: usize, const SIZE: i64> Checked<'a, i64, L, SIZE> {
    /// Of indices that are known when they are compiled.
    ///
    /// # Panics
    /// If one is outside.
    #[must_use]
    pub const fn fixed(indices: &'a [i64; L]) -> Self {
        let mut at = 0;
        while at < L {
            assert!(-SIZE <= indices[at] && indices[at] < SIZE);
            at += 1;
        }
        Self(indices)
    }
}

impl<'a, I: Element, const L: usize, const SIZE: i64> Checked<'a, I, L, SIZE> {
    /// Looks at every index.
    ///
    /// # Errors
    /// [`IndexRange`](crate::ErrorKind::IndexRange) for the first that is outside, as every engine refuses it. An array that is not of
    /// `i32` or `i64` has no such index and is no table of a [`Gather`].
    fn new(indices: &'a [I; L], origin: Origin<'_>) -> Result<Self, Error> {
        match runner::find_outside(indices.into(), 0..L, SIZE) {
            None => Ok(Self(indices)),
            Some((at, index)) => Err(refuse_index(origin, SIZE, index, at)),
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
    src_len: usize,
    src: Position,
    dst_len: usize,
    dst: Position,
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
    len: usize,
    position: Position,
}

impl Fixed {
    const fn new(
        ty: ElementType,
        extents: &'static [usize],
        block: usize,
        (source, src_len, src): (Source, usize, Position),
        (dst_len, dst): (usize, Position),
    ) -> Self {
        Self {
            ty,
            extents,
            block,
            source,
            src_len,
            src,
            dst_len,
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
        let loops = extents.len();
        assert!(self.src.1.len() == loops && self.dst.1.len() == loops);
        let mut src = affine_span(self.src.0, self.src.1, extents);
        if let Some(table) = &self.table {
            assert!(table.size > 0 && table.position.1.len() == loops);
            let span = affine_span(table.position.0, table.position.1, extents);
            assert!(verify::lies_in(span, 1, table.len));
            let reach = table.scale as i128 * (table.size as i128 - 1);
            src = match reach {
                ..0 => (src.0 + reach, src.1),
                0.. => (src.0, src.1 + reach),
            };
        }
        assert!(verify::lies_in(src, self.block, self.src_len));
        let dst = affine_span(self.dst.0, self.dst.1, extents);
        assert!(verify::lies_in(dst, self.block, self.dst_len));
        assert!(verify::is_injective(extents, self.dst.1, self.block));
        self
    }

    /// Runs the nest, whose indices have been checked or are all tested by its Move; then `false` says that one is outside.
    fn run(&self, inputs: &[Input<'_>], output: Output<'_>) -> bool {
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
        let reads_all = self.extents == [table.len] && table.position == (0, &[1]);
        let by_move = |schedule: &Schedule| {
            matches!(schedule.inner(), Move::Lookup { .. }) && schedule.src().is_affine()
        };
        reads_all && self.with_schedule(by_move)
    }

    /// Elements have fixed bytes (see [`Fixed::verified`]), so there is a schedule.
    fn with_schedule(&self, run: impl FnOnce(&Schedule) -> bool) -> bool {
        let make = || Schedule::new(&LoopNest::fixed(self));
        #[cfg(feature = "std")]
        let schedule = self.schedule.get_or_init(make);
        #[cfg(not(feature = "std"))]
        let schedule = &make();
        schedule.as_ref().is_some_and(run)
    }

    /// The nest as the schedule reads it.
    pub(crate) fn parts(&self) -> Parts {
        let access = |(offset, strides): Position| Access::affine(offset, strides.to_vec());
        let lookup = |table: &Table| Lookup {
            scale: table.scale,
            table: Buffer::Operand(1),
            index: table.index,
            size: table.size,
            access: access(table.position),
        };
        Parts {
            ty: self.ty,
            extents: self.extents.to_vec(),
            block: self.block,
            source: self.source,
            src_len: self.src_len,
            src: Access {
                lookups: self.table.iter().map(lookup).collect(),
                ..access(self.src)
            },
            dst_len: self.dst_len,
            dst: access(self.dst),
        }
    }
}
