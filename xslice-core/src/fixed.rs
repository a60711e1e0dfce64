//! Nests whose numbers are literals: what [`crate::emit`] writes where a Move does better than the compiler's own loops.
//!
//! A [`Nest`], [`Fill`] or [`Gather`] is a `static`, and each call names the numbers. The first one makes a nest of them, by the
//! constructor of every nest, so it proves I3 and I4, and the schedule for the processor that it runs on. Both are kept; the numbers of
//! later calls are not looked at. So nothing rests on who wrote them: numbers that break a rule panic before anything moves. Proved in the
//! `static` itself, they would cost their reader's compiler as much again as all the rest of an invocation.
//!
//! A call compares the lengths of its buffers with those of the proof. They are no part of the types, because the compiler would make
//! every function anew for each.
//!
//! ```
//! use xslice_core::fixed::Nest;
//! static SWAP: Nest<u8> = Nest::new();
//! let numbers = ([4, 3], 1, (12, 2, [3, -1]), (12, 0, [3, 1]));
//! let (bgr, mut rgb) = ([3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10], [0; 12]);
//! SWAP.run(numbers, &bgr, &mut rgb);
//! assert_eq!(rgb, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
//! ```
//! ```should_panic
//! # use xslice_core::fixed::Nest;
//! static BEYOND: Nest<u8> = Nest::new();
//! BEYOND.run(([4, 3], 1, (12, 3, [3, -1]), (12, 0, [3, 1])), &[0; 12], &mut [0; 12]);
//! ```
//! ```should_panic
//! # use xslice_core::fixed::Nest;
//! static TWICE: Nest<u8> = Nest::new();
//! TWICE.run(([4, 3], 1, (12, 2, [3, -1]), (12, 0, [2, 1])), &[0; 12], &mut [0; 12]);
//! ```
//! ```should_panic
//! # use xslice_core::fixed::Nest;
//! static SWAP: Nest<u8> = Nest::new();
//! SWAP.run(([4, 3], 1, (12, 2, [3, -1]), (12, 0, [3, 1])), &[0; 11], &mut [0; 12]);
//! ```

use crate::access::{Access, Buffer, IndexType, Lookup};
use crate::elem::{Element, ElementType};
use crate::error::Error;
use crate::index::is_outside;
use crate::level::Level;
use crate::move_;
pub use crate::move_::copy_block;
use crate::nest::schedule::{Move, Schedule};
use crate::nest::{LoopNest, Parts, Source};
use crate::operand::{Input, Output};
use crate::plan::refuse_index;
use crate::range::Progression;
use crate::steps;
use core::marker::PhantomData;

/// A buffer as the loops see it: its elements, where the loops start, and what a turn of each adds, outermost first.
pub type Side<const LOOPS: usize> = (usize, i64, [i64; LOOPS]);

/// The operator of a check, the axis it gathers, the shape of its indices: for its refusal.
pub type Origin<'a> = (&'a str, usize, &'a [usize]);

/// Moves elements of `T`; lengths, positions and the block are in elements.
#[derive(Debug, Default)]
pub struct Nest<T>(Kept, PhantomData<fn() -> T>);

/// Turns of each loop, the elements that each innermost turn moves, source, destination.
pub type Copied<const LOOPS: usize> = ([usize; LOOPS], usize, Side<LOOPS>, Side<LOOPS>);

impl<T: Element> Nest<T> {
    /// One that has not been called.
    #[must_use]
    pub const fn new() -> Self {
        Self(Kept::new(), PhantomData)
    }

    /// Moves.
    ///
    /// # Panics
    /// If a position lies outside its buffer or one might be written twice, or if a length is not that of the nest.
    #[inline]
    pub fn run<const LOOPS: usize>(&self, numbers: Copied<LOOPS>, src: &[T], dst: &mut [T]) {
        self.0.with(numbers, Self::numbers, |proof| {
            proof.run(&[src.into()], dst.into());
        });
    }

    fn numbers<const LOOPS: usize>(copied: &Copied<LOOPS>) -> Numbers<'_> {
        Numbers::copied(T::TYPE, copied)
    }
}

/// Values of a Range.
#[derive(Debug, Default)]
pub struct Fill<T>(Kept, PhantomData<fn() -> T>);

/// Turns of each loop, the values, where the loops start in them and what a turn of each adds, the destination.
pub type Filled<const LOOPS: usize> = (
    [usize; LOOPS],
    Progression,
    (i64, [i64; LOOPS]),
    Side<LOOPS>,
);

impl<T: Element> Fill<T> {
    /// One that has not been called.
    #[must_use]
    pub const fn new() -> Self {
        Self(Kept::new(), PhantomData)
    }

    /// Writes the values.
    ///
    /// # Panics
    /// If a position lies outside the buffer or one might be written twice, for another element type than that of the values, or if the
    /// length is not that of the nest.
    #[inline]
    pub fn run<const LOOPS: usize>(&self, numbers: Filled<LOOPS>, dst: &mut [T]) {
        self.0.with(numbers, Self::numbers, |proof| {
            proof.run(&[], dst.into());
        });
    }

    fn numbers<const LOOPS: usize>(
        (extents, values, (start, strides), to): &Filled<LOOPS>,
    ) -> Numbers<'_> {
        Numbers {
            ty: T::TYPE,
            extents,
            block: 1,
            source: Source::Range(*values),
            src: (i64::MAX as usize, *start, strides),
            dst: (to.0, to.1, &to.2),
            table: None,
        }
    }
}

/// Moves elements of `T` by indices of an axis.
#[derive(Debug, Default)]
pub struct Gather<T, I>(Kept, PhantomData<fn() -> (T, I)>);

/// Numbers as those of a [`Nest`], and what the indices add to the position in the source: a scale, the size of the axis, the table.
pub type Gathered<const LOOPS: usize> = (Copied<LOOPS>, (i64, i64, Side<LOOPS>));

impl<T: Element> Gather<T, i64> {
    /// Moves by indices that are the same in every call: a pattern that repeats may hold them.
    ///
    /// # Panics
    /// As [`Gather::run`], and if the indices were checked for a larger axis.
    #[inline]
    pub fn run_fixed<const LOOPS: usize>(
        &self,
        numbers: Gathered<LOOPS>,
        src: &[T],
        indices: Checked<'static, i64>,
        dst: &mut [T],
    ) {
        let numbers = (numbers, indices);
        self.0.with(numbers, Self::fixed_numbers, |proof| {
            indices.are_for(proof.axis);
            proof.run(&[src.into(), indices.indices.into()], dst.into());
        });
    }

    fn fixed_numbers<'n, const LOOPS: usize>(
        (gathered, indices): &'n (Gathered<LOOPS>, Checked<'static, i64>),
    ) -> Numbers<'n> {
        let mut numbers = Self::numbers(gathered);
        if let Some(table) = &mut numbers.table {
            indices.are_for(table.size);
            table.known = indices.indices;
        }
        numbers
    }
}

impl<T: Element, I: Element> Gather<T, I> {
    /// One that has not been called.
    #[must_use]
    pub const fn new() -> Self {
        Self(Kept::new(), PhantomData)
    }

    /// Looks at every index, and moves.
    ///
    /// # Errors
    /// [`IndexRange`](crate::ErrorKind::IndexRange) for the first index that is outside, as every engine refuses it.
    ///
    /// # Panics
    /// If a position lies outside its buffer, whatever the indices, or one might be written twice; if `I` is not `i32` or `i64`, or if a
    /// length is not that of the nest.
    #[inline]
    pub fn run<const LOOPS: usize>(
        &self,
        numbers: Gathered<LOOPS>,
        (src, indices): (&[T], &[I]),
        origin: Origin<'_>,
        dst: &mut [T],
    ) -> Result<(), Error> {
        self.0.with(numbers, Self::numbers, |proof| {
            let inputs = [src.into(), indices.into()];
            let check = || Checked::new(indices, proof.axis, origin);
            if !proof.tests_every_index {
                check()?;
                proof.run(&inputs, dst.into());
            } else if !proof.run(&inputs, dst.into()) {
                check()?;
                return Err(Error::internal("a nest stopped whose indices are in range"));
            }
            Ok(())
        })
    }

    fn numbers<const LOOPS: usize>(
        (copied, (scale, size, table)): &Gathered<LOOPS>,
    ) -> Numbers<'_> {
        let index = match I::TYPE {
            ElementType::I32 => IndexType::I32,
            ElementType::I64 => IndexType::I64,
            _ => panic!("indices are i32 or i64"),
        };
        Numbers {
            table: Some(Table {
                index,
                scale: *scale,
                size: *size,
                side: (table.0, table.1, &table.2),
                known: &[],
            }),
            ..Numbers::copied(T::TYPE, copied)
        }
    }
}

/// The proof that each index lies in `-size..size`. It is made by looking at them, and names the axis:
///
/// ```should_panic
/// use xslice_core::fixed::{Checked, Gather};
/// static FOUR: Gather<u8, i64> = Gather::new();
/// let numbers = (([2], 1, (4, 0, [0]), (2, 0, [1])), (1, 4, (2, 0, [1])));
/// const OF_NINE: Checked<'_, i64> = Checked::fixed(&[8, 0], 9);
/// FOUR.run_fixed(numbers, &[1, 2, 3, 4], OF_NINE, &mut [0; 2]); // a proof for an axis of 9 is none for one of 4
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
            assert!(!is_outside(indices[at], size));
            at += 1;
        }
        Self { indices, size }
    }
}

impl<I> Checked<'_, I> {
    /// Panics if they were checked for a larger axis.
    fn are_for(&self, axis: i64) {
        assert!(self.size <= axis, "a proof for another axis");
    }
}

impl<'a, I: Element> Checked<'a, I> {
    /// Looks at every index.
    ///
    /// # Errors
    /// [`IndexRange`](crate::ErrorKind::IndexRange) for the first that is outside, as every engine refuses it. An array that is not of
    /// `i32` or `i64` has no such index and is no table of a [`Gather`].
    pub fn new(indices: &'a [I], size: i64, origin: Origin<'_>) -> Result<Self, Error> {
        match steps::find_outside(indices.into(), steps::Row::all(indices.len()), size) {
            None => Ok(Self { indices, size }),
            Some((at, index)) => Err(refuse_index(origin, size, index, at)),
        }
    }
}

/// A buffer as a nest of any number of loops sees it.
type AnySide<'a> = (usize, i64, &'a [i64]);

/// The numbers of a nest.
struct Numbers<'a> {
    ty: ElementType,
    extents: &'a [usize],
    block: usize,
    source: Source,
    src: AnySide<'a>,
    dst: AnySide<'a>,
    table: Option<Table<'a>>,
}

/// What is looked up on the way to the source.
struct Table<'a> {
    index: IndexType,
    scale: i64,
    size: i64,
    side: AnySide<'a>,
    /// The indices, where they are the same in every call.
    known: &'a [i64],
}

impl<'a> Numbers<'a> {
    fn copied<const LOOPS: usize>(
        ty: ElementType,
        (extents, block, src, dst): &'a Copied<LOOPS>,
    ) -> Self {
        Self {
            ty,
            extents,
            block: *block,
            source: Source::Buffer(Buffer::Operand(0)),
            src: (src.0, src.1, &src.2),
            dst: (dst.0, dst.1, &dst.2),
            table: None,
        }
    }

    fn parts(&self) -> Parts {
        let access = |(_, offset, strides): AnySide<'_>| Access::affine(offset, strides.into());
        let lookup = |table: &Table<'_>| Lookup {
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

/// The proof of the first call.
#[derive(Debug, Default)]
struct Kept {
    #[cfg(feature = "std")]
    proof: std::sync::OnceLock<Proof>,
}

impl Kept {
    const fn new() -> Self {
        Self {
            #[cfg(feature = "std")]
            proof: std::sync::OnceLock::new(),
        }
    }

    /// Calls the function on the proof, which is one of these numbers if there was no call before: where there was, they are not even
    /// put in order.
    #[cfg(feature = "std")]
    #[inline]
    fn with<N, R>(
        &self,
        numbers: N,
        order: fn(&N) -> Numbers<'_>,
        run: impl FnOnce(&Proof) -> R,
    ) -> R {
        run(match self.proof.get() {
            Some(proof) => proof,
            None => self.first(numbers, order),
        })
    }

    /// By value, so that numbers are put into memory where they are wanted, not in front of every call.
    #[cfg(feature = "std")]
    #[cold]
    #[inline(never)]
    fn first<N>(&self, numbers: N, order: fn(&N) -> Numbers<'_>) -> &Proof {
        self.proof.get_or_init(|| Proof::new(&order(&numbers)))
    }

    /// The same without a place to keep it.
    #[cfg(not(feature = "std"))]
    #[inline(never)]
    #[expect(clippy::unused_self, reason = "it keeps the proof where it can")]
    fn with<N, R>(
        &self,
        numbers: N,
        order: fn(&N) -> Numbers<'_>,
        run: impl FnOnce(&Proof) -> R,
    ) -> R {
        run(&Proof::new(&order(&numbers)))
    }
}

/// The schedule of a nest, which was verified when it was made (I2), and what a call is compared with.
#[derive(Debug)]
struct Proof {
    /// The best one, kept here so that a call need not ask for it.
    level: Level,
    schedule: Schedule,
    /// The lengths of source and table.
    inputs: [usize; 2],
    output: usize,
    /// The size of the axis that is gathered; 0 for a nest that gathers nothing.
    axis: i64,
    /// Whether the Move tests each index of the table as it reads it.
    tests_every_index: bool,
}

/// A call that needs no comparison: buffers of the lengths of the schedule, and indices that have been checked or that its Move
/// tests. Made only here.
pub(crate) struct Proven<'a> {
    level: Level,
    schedule: &'a Schedule,
    inputs: &'a [Input<'a>],
    output: Output<'a>,
}

impl<'a> Proven<'a> {
    /// The level to run at, the schedule, what it reads, what it writes.
    pub(crate) fn call(self) -> (Level, &'a Schedule, &'a [Input<'a>], Output<'a>) {
        (self.level, self.schedule, self.inputs, self.output)
    }
}

impl Proof {
    fn new(numbers: &Numbers<'_>) -> Self {
        if let Source::Range(values) = numbers.source {
            assert!(
                numbers.ty == values.element_type(),
                "values of another type"
            );
        }
        let table = numbers.table.as_ref();
        let table_len = table.map_or(0, |table| table.side.0);
        let nest = LoopNest::new(numbers.parts(), &|_| table_len);
        let nest = nest.unwrap_or_else(|error| panic!("{error}"));
        let known = |_, at| table.and_then(|table| table.known.get(at).copied());
        let Some(mut schedule) = Schedule::new(&nest, &known) else {
            panic!("elements without fixed bytes");
        };
        let verified = schedule.verify(&nest, &|_| table_len);
        verified.unwrap_or_else(|error| panic!("{error}"));
        move_::prepare(&mut schedule);
        // The outermost loop takes all indices, those inside it what is wanted of each row.
        let reads_all = table.is_some_and(|table| match (table.side, numbers.extents) {
            ((len, 0, [1, still @ ..]), [turns, ..]) => {
                *turns == len && still.iter().all(|&stride| stride == 0)
            }
            _ => false,
        });
        Self {
            tests_every_index: reads_all
                && matches!(schedule.inner(), Move::Lookup(_))
                && schedule.is_one_turn(),
            inputs: [numbers.src.0, table_len],
            output: numbers.dst.0,
            axis: table.map_or(0, |table| table.size),
            level: Level::best(),
            schedule,
        }
    }

    /// Runs the nest, whose indices have been checked or are all tested by its Move; then `false` says that one is outside.
    fn run(&self, inputs: &[Input<'_>], output: Output<'_>) -> bool {
        let mut lengths = inputs.iter().zip(self.inputs);
        let same = lengths.all(|(input, len)| input.len() == len);
        assert!(
            same && output.len() == self.output,
            "buffers of other lengths than those of the nest"
        );
        move_::proven(Proven {
            level: self.level,
            schedule: &self.schedule,
            inputs,
            output,
        })
    }
}
