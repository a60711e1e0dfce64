//! Nests whose numbers are literals: what [`crate::emit`] writes where a Move does better than the compiler's own loops.
//!
//! A [`Nest`], [`Fill`], [`Gather`] or [`Gathers`] is a `static`, and each call names the numbers. The first one makes a nest of them, by the
//! constructor of every nest, so it proves I3 and I4, and the schedule for the processor that it runs on. Both are kept; the numbers of
//! later calls are not looked at. So nothing rests on who wrote them: numbers that break a rule panic before anything moves. Proved in the
//! `static` itself, they would cost their reader's compiler as much again as all the rest of an invocation.
//!
//! [`VectorRows`] of a small pattern, or of short rows, are such a proof all the same, of a few numbers: that they stay in their buffers. What
//! they move rests on who wrote them.
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

mod checked;
mod proof;
mod vectors;

pub use crate::move_::{by_vectors, copy_block};
pub use checked::{Checked, Indices};
pub(crate) use proof::Proven;
pub(crate) use vectors::MOST_AROUND;
pub use vectors::{VectorLoad, VectorLoop, VectorRows, Vectors};

use crate::elem::Element;
use crate::error::Error;
use crate::nest::Source;
use crate::operand::Input;
use crate::range::Progression;
use alloc::{vec, vec::Vec};
use core::marker::PhantomData;
use proof::{Kept, Numbers, Proof, Table};

/// Tables of a [`Gathers`] at most.
pub(crate) const MOST_TABLES: usize = 4;

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
            if !proof.run_turn(src, dst) {
                proof.run(&[src.into()], dst.into());
            }
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
            if !proof.run_turn(&[], dst) {
                proof.run(&[], dst.into());
            }
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
            tables: Vec::new(),
        }
    }
}

/// Moves elements of `T` by indices of an axis.
#[derive(Debug, Default)]
pub struct Gather<T, I>(Kept, PhantomData<fn() -> (T, I)>);

/// What indices add to the position in the source: a scale, the size of the axis, the table.
pub type LookedUp<const LOOPS: usize> = (i64, i64, Side<LOOPS>);

/// Numbers as those of a [`Nest`], and what the indices add.
pub type Gathered<const LOOPS: usize> = (Copied<LOOPS>, LookedUp<LOOPS>);

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
            indices.are_for(proof.axis(0));
            proof.run(&[src.into(), indices.as_input()], dst.into());
        });
    }

    fn fixed_numbers<'n, const LOOPS: usize>(
        (gathered, indices): &'n (Gathered<LOOPS>, Checked<'static, i64>),
    ) -> Numbers<'n> {
        let (copied, table) = gathered;
        let table = Table::new(Indices::Known(*indices), table);
        Numbers::gathered(T::TYPE, copied, vec![table])
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
            if proof.run_picks(src, indices, dst) {
                return Ok(());
            }
            let inputs = [src.into(), indices.into()];
            let check = || Checked::new(indices, proof.axis(0), origin);
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

    fn numbers<const LOOPS: usize>((copied, table): &Gathered<LOOPS>) -> Numbers<'_> {
        Numbers::gathered(T::TYPE, copied, vec![Table::of(I::TYPE, table)])
    }
}

/// Moves elements of `T` by indices of several axes, each of which has a table of its own.
#[derive(Debug, Default)]
pub struct Gathers<T>(Kept, PhantomData<fn() -> T>);

/// Numbers as those of a [`Gather`], with what each table adds.
pub type GatheredBy<const LOOPS: usize, const TABLES: usize> =
    (Copied<LOOPS>, [LookedUp<LOOPS>; TABLES]);

impl<T: Element> Gathers<T> {
    /// One that has not been called.
    #[must_use]
    pub const fn new() -> Self {
        Self(Kept::new(), PhantomData)
    }

    /// Looks at every index that is not known, table after table, and moves.
    ///
    /// ```
    /// use xslice_core::fixed::{Checked, Gathers, Indices};
    /// static CORNERS: Gathers<u8> = Gathers::new();
    /// let rows = (3, 3, (2, 0, [1, 0]));
    /// let columns = (1, 3, (2, 0, [0, 1]));
    /// let numbers = (([2, 2], 1, (9, 0, [0, 0]), (4, 0, [2, 1])), [rows, columns]);
    /// let last_then_first = Indices::Known(Checked::fixed(&[-1, 0], 3));
    /// let given = Indices::Given([0_i64, 2][..].into(), ("index", 1, &[2]));
    /// let mut corners = [0; 4];
    /// CORNERS.run(numbers, &[1, 2, 3, 4, 5, 6, 7, 8, 9], [last_then_first, given], &mut corners)?;
    /// assert_eq!(corners, [7, 9, 1, 3]);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    /// ```should_panic
    /// # use xslice_core::fixed::{Gathers, Indices};
    /// # static DIAGONAL: Gathers<u8> = Gathers::new();
    /// # let table = (1, 4, (2, 0, [1]));
    /// # let numbers = (([2], 1, (7, 0, [0]), (2, 0, [1])), [table, table]);
    /// # let origin = ("index", 0, &[2][..]);
    /// # let mut dst = [0; 2];
    /// let mut run = |a, b| DIAGONAL.run(numbers, &[1, 2, 3, 4, 5, 6, 7], [a, b], &mut dst);
    /// let wide = || Indices::Given([3_i64, 0][..].into(), origin);
    /// run(wide(), wide()).expect("indices in range");
    /// run(wide(), Indices::Given([3_i32, 0][..].into(), origin)); // the first call had others
    /// ```
    ///
    /// # Errors
    /// [`IndexRange`](crate::ErrorKind::IndexRange) for the first index that is outside, as every engine refuses it.
    ///
    /// # Panics
    /// As [`Gather::run`], if known indices were checked for a larger axis, and if the indices are not of the types of the first call.
    #[inline]
    pub fn run<const LOOPS: usize, const TABLES: usize>(
        &self,
        numbers: GatheredBy<LOOPS, TABLES>,
        src: &[T],
        indices: [Indices<'_>; TABLES],
        dst: &mut [T],
    ) -> Result<(), Error> {
        self.0.with((numbers, indices), Self::numbers, |proof| {
            for (k, indices) in indices.iter().enumerate() {
                indices.check(proof.axis(k))?;
            }
            Self::run_checked(proof, src, indices, dst);
            Ok(())
        })
    }

    /// Moves by indices that are all the same in every call.
    ///
    /// # Panics
    /// As [`Gathers::run`].
    #[inline]
    pub fn run_fixed<const LOOPS: usize, const TABLES: usize>(
        &self,
        numbers: GatheredBy<LOOPS, TABLES>,
        src: &[T],
        indices: [Checked<'static, i64>; TABLES],
        dst: &mut [T],
    ) {
        let known = indices.map(Indices::Known);
        self.0.with((numbers, known), Self::numbers, |proof| {
            for (k, indices) in indices.iter().enumerate() {
                indices.are_for(proof.axis(k));
            }
            Self::run_checked(proof, src, known, dst);
        });
    }

    fn run_checked<const TABLES: usize>(
        proof: &Proof,
        src: &[T],
        indices: [Indices<'_>; TABLES],
        dst: &mut [T],
    ) {
        const { assert!(TABLES <= MOST_TABLES, "too many tables") };
        let mut inputs: [Input<'_>; MOST_TABLES + 1] = [src.into(); MOST_TABLES + 1];
        for (input, indices) in inputs[1..].iter_mut().zip(indices) {
            *input = indices.as_input();
        }
        proof.run(&inputs[..=TABLES], dst.into());
    }

    fn numbers<'n, const LOOPS: usize, const TABLES: usize>(
        ((copied, tables), indices): &'n (GatheredBy<LOOPS, TABLES>, [Indices<'_>; TABLES]),
    ) -> Numbers<'n> {
        let tables = indices.iter().zip(tables);
        let tables = tables.map(|(indices, table)| Table::new(*indices, table));
        Numbers::gathered(T::TYPE, copied, tables.collect())
    }
}
