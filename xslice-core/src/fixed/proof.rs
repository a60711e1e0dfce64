//! What the first call of a nest proves, and what later ones are compared with.

use super::{Copied, Indices, LookedUp};
use crate::access::{Access, Buffer, IndexType, Lookup};
use crate::elem::{Element, ElementType};
use crate::level::Level;
use crate::move_;
use crate::nest::schedule::{Move, Schedule};
use crate::nest::{LoopNest, Parts, Source};
use crate::operand::{Input, Output};
use crate::plan::{OneTurn, Picks};
use alloc::{sync::Arc, vec::Vec};

/// A buffer as a nest of any number of loops sees it.
type AnySide<'a> = (usize, i64, &'a [i64]);

/// The numbers of a nest.
pub(super) struct Numbers<'a> {
    pub ty: ElementType,
    pub extents: &'a [usize],
    pub block: usize,
    pub source: Source,
    pub src: AnySide<'a>,
    pub dst: AnySide<'a>,
    pub tables: Vec<Table<'a>>,
}

/// What is looked up on the way to the source.
pub(super) struct Table<'a> {
    ty: ElementType,
    index: IndexType,
    scale: i64,
    size: i64,
    side: AnySide<'a>,
    /// The indices, where they are the same in every call.
    known: &'a [i64],
}

impl<'a> Table<'a> {
    /// One of indices of this type.
    ///
    /// # Panics
    /// If there are no such indices.
    pub fn of<const LOOPS: usize>(
        ty: ElementType,
        (scale, size, side): &'a LookedUp<LOOPS>,
    ) -> Self {
        let index = match ty {
            ElementType::I32 => IndexType::I32,
            ElementType::I64 => IndexType::I64,
            _ => panic!("indices are i32 or i64"),
        };
        Self {
            ty,
            index,
            scale: *scale,
            size: *size,
            side: (side.0, side.1, &side.2),
            known: &[],
        }
    }

    /// One of these indices, of which the numbers of those that are known are read.
    ///
    /// # Panics
    /// If they are known, and were checked for a larger axis, or if they are no indices.
    pub fn new<const LOOPS: usize>(indices: Indices<'_>, numbers: &'a LookedUp<LOOPS>) -> Self {
        if let Indices::Known(known) = indices {
            known.are_for(numbers.1);
        }
        Self {
            known: indices.known(),
            ..Self::of(indices.as_input().element_type(), numbers)
        }
    }
}

impl<'a> Numbers<'a> {
    pub fn copied<const LOOPS: usize>(
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
            tables: Vec::new(),
        }
    }

    pub fn gathered<const LOOPS: usize>(
        ty: ElementType,
        copied: &'a Copied<LOOPS>,
        tables: Vec<Table<'a>>,
    ) -> Self {
        Self {
            tables,
            ..Self::copied(ty, copied)
        }
    }

    /// The table that is read as an operand.
    fn table(&self, buffer: Buffer) -> Option<&Table<'a>> {
        match buffer {
            Buffer::Operand(at) => self.tables.get(at.checked_sub(1)?),
            Buffer::Constant(_) | Buffer::Scratch(_) => None,
        }
    }

    fn parts(&self) -> Parts {
        let access = |(_, offset, strides): AnySide<'_>| Access::affine(offset, strides.into());
        let lookup = |(at, table): (usize, &Table<'_>)| Lookup {
            scale: table.scale,
            table: Buffer::Operand(1 + at),
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
                lookups: self.tables.iter().enumerate().map(lookup).collect(),
                ..access(self.src)
            },
            dst_len: self.dst.0,
            dst: access(self.dst),
        }
    }
}

/// The proof of the first call.
#[derive(Debug, Default)]
pub(super) struct Kept {
    #[cfg(feature = "std")]
    proof: std::sync::OnceLock<Proof>,
}

impl Kept {
    pub const fn new() -> Self {
        Self {
            #[cfg(feature = "std")]
            proof: std::sync::OnceLock::new(),
        }
    }

    /// Calls the function on the proof, which is one of these numbers if there was no call before: where there was, they are not even
    /// put in order.
    #[cfg(feature = "std")]
    #[inline]
    pub fn with<N, R>(
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
    pub fn with<N, R>(
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
pub(super) struct Proof {
    /// The best one, kept here so that a call need not ask for it.
    level: Level,
    schedule: Schedule,
    /// The source, unless it is a Range, then the tables.
    inputs: Vec<Need>,
    output: usize,
    /// Whether the Move reads every index of the only table, from its first on, and tests it.
    pub tests_every_index: bool,
    /// Types and lengths of the source and of the table, where one turn of such a Move is all.
    picks: Option<[(ElementType, usize); 2]>,
    /// Type and length of the source, where the nest is one turn of a Move that reads nothing else; a Range has no elements.
    turn: Option<(ElementType, usize)>,
}

/// An input as the schedule reads it.
#[derive(Debug)]
struct Need {
    ty: ElementType,
    len: usize,
    /// The size of the axis, for a table.
    axis: i64,
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
        let table_len = |buffer| numbers.table(buffer).map_or(0, |table| table.side.0);
        let nest = LoopNest::new(numbers.parts(), &table_len);
        let nest = nest.unwrap_or_else(|error| panic!("{error}"));
        let known = |buffer, at| numbers.table(buffer)?.known.get(at).copied();
        let schedule = match move_::prepared(&nest, &known, &table_len) {
            Ok(Some(schedule)) => Arc::unwrap_or_clone(schedule),
            Ok(None) => panic!("elements without fixed bytes"),
            Err(error) => panic!("{error}"),
        };
        // One loop takes all indices, those inside it what is wanted of each row, and those around it each the same.
        let reads_all = match &numbers.tables[..] {
            [table] => {
                let (len, first, strides) = table.side;
                let loops = numbers.extents.iter().zip(strides);
                let mut moving = loops.filter(|&(_, &stride)| stride != 0);
                first == 0 && moving.next() == Some((&len, &1)) && moving.next().is_none()
            }
            _ => false,
        };
        let source = numbers.source.buffer().map(|_| Need {
            ty: numbers.ty,
            len: numbers.src.0,
            axis: 0,
        });
        let tables = numbers.tables.iter().map(|table| Need {
            ty: table.ty,
            len: table.side.0,
            axis: table.size,
        });
        let is_turn = schedule.is_one_turn() && numbers.tables.is_empty();
        let source_len = numbers.source.buffer().map_or(0, |_| numbers.src.0);
        let knows_picks = schedule.known_picks().is_some();
        let tests_indices = matches!(schedule.inner(), Move::Lookup(_))
            && (schedule.extents().is_empty() || knows_picks);
        let picks = match &numbers.tables[..] {
            [table] if reads_all && knows_picks => {
                Some([(numbers.ty, numbers.src.0), (table.ty, table.side.0)])
            }
            _ => None,
        };
        Self {
            tests_every_index: reads_all && tests_indices,
            picks,
            turn: is_turn.then_some((numbers.ty, source_len)),
            inputs: source.into_iter().chain(tables).collect(),
            output: numbers.dst.0,
            level: Level::best(),
            schedule,
        }
    }

    /// The size of the axis that indices of a table are of; 0 where there is none.
    pub fn axis(&self, table: usize) -> i64 {
        self.inputs.get(1 + table).map_or(0, |need| need.axis)
    }

    /// Runs the nest if one turn of a Move is all of it, from `src`, which is empty for a Range, and if the buffers are those of the nest;
    /// `false`: it has not run. Small ones have moved before buffers would have been described in memory.
    #[inline]
    pub fn run_turn<T: Element>(&self, src: &[T], dst: &mut [T]) -> bool {
        let is_turn = self.turn == Some((T::TYPE, src.len())) && self.output == dst.len();
        if is_turn {
            move_::only_turn(OneTurn::new(&self.schedule, src, dst));
        }
        is_turn
    }

    /// The same of a nest whose Move [tests every index](Self::tests_every_index); `false`: it has not run, or one is outside.
    #[inline]
    pub fn run_picks<T: Element, I: Element>(
        &self,
        src: &[T],
        indices: &[I],
        dst: &mut [T],
    ) -> bool {
        let given = [(T::TYPE, src.len()), (I::TYPE, indices.len())];
        self.picks == Some(given)
            && self.output == dst.len()
            && move_::only_picks(Picks::new(&self.schedule, src, indices, dst))
    }

    /// Runs the nest, whose indices have been checked or are all tested by its Move; then `false` says that one is outside.
    ///
    /// # Panics
    /// If these are not buffers of the types and lengths of the nest.
    pub fn run(&self, inputs: &[Input<'_>], output: Output<'_>) -> bool {
        let mut pairs = inputs.iter().zip(&self.inputs);
        let same =
            pairs.all(|(input, need)| input.len() == need.len && input.element_type() == need.ty);
        assert!(
            same && inputs.len() == self.inputs.len() && output.len() == self.output,
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
