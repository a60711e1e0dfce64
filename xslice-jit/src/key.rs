//! What of a schedule decides machine code, and what is only a number.
//!
//! [`split`] takes a [`Schedule`] apart: the [`Structure`] is everything that changes instructions (how many loops, which move, the
//! tree of tables, which strides are 0, small run lengths), the numbers are the rest in one fixed order. Keyed code reads the numbers
//! at run time from an array in that order, baked code has them as immediates; both ask the structure where a number stands, so the
//! order is known in this file only. Two schedules with equal structures run the same keyed code.
//!
//! What machine code moves itself is decided here too, by [`is_long`]: short rows, a few of them a turn of the loops, are loads and stores
//! in place, where a call would cost more than they do. Everything longer, and every shuffle that baked code has no vectors for, is left to the
//! precompiled Moves with the innermost loop around it, or with all loops where rows are near or known, or turns look up the same ones: they have
//! wider vectors, fetch ahead, and write past the caches.

use crate::origin::Loop;
use crate::pieces::{self, Pieces};
use crate::vectors::{self, Vector};
use xslice_core::ir::{
    Access, Buffer, IndexType, List, LookedUp, Lookup, Move, Progression, Reader, Row, Schedule,
};

/// Runs of at most this many bytes are moved by loads and stores in place; their length belongs to the structure.
const INLINE_BYTES: usize = 64;

/// At most this many bytes a turn of the loops are moved in place.
const INLINE_TURN: usize = 512;

/// At most this many rows of a look-up a turn are moved in place: the Move tests many indices at once.
const INLINE_LOOKUPS: usize = 160;

/// At most this many bytes of a Range a turn are computed in place: the Move has wider vectors.
const INLINE_RANGE: usize = 256;

/// At most this many short runs are moved without a loop; their count belongs to the structure.
const FEW: usize = 4;

/// The shape of a schedule, without its numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Structure {
    /// Loops around the move.
    pub loops: usize,
    /// The source, then each table after the position that it serves.
    pub positions: List<Position>,
    /// What one turn of the loops does.
    pub inner: Inner,
}

/// A position that moves through a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Position {
    /// Bit `k` is set if loop `k` moves it.
    pub moves: u64,
    /// How an index is read here, and for which position; `None` for the source.
    pub table: Option<Table>,
}

/// A position at which an index is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Table {
    /// The position that the index is added to.
    pub serves: usize,
    /// The type of the index.
    pub index: IndexType,
    /// Whether it is tested here, and not by a check before.
    pub tested: bool,
}

/// The move, without its numbers. `packed`: neighbours in the destination touch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Inner {
    Copy {
        bytes: usize,
    },
    Strided {
        count: Count,
        bytes: usize,
        packed: bool,
    },
    Lookup(LookupShape),
    Fill {
        values: Values,
        packed: bool,
    },
    /// Short runs as vectors; baked only.
    Vectors(Vec<Vector>),
    /// By a helper, which reads the schedule itself: the move and the loops that are not around it.
    Innermost {
        /// The position of the index of a lookup.
        table: Option<usize>,
    },
    /// By a helper, which reads the schedule itself and the tables of its loops: all.
    Whole,
}

/// A look-up, without its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LookupShape {
    pub count: Count,
    pub bytes: usize,
    /// Neighbours in the destination touch.
    pub packed: bool,
    /// The position of the index.
    pub table: usize,
    /// Neighbouring indices touch.
    pub table_packed: bool,
    /// Each turn moves the source besides the index.
    pub src_moves: bool,
}

/// The turns of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Count {
    /// At most [`FEW`]: straight code. Channels of a pixel, halves of a pair.
    Few(usize),
    /// A number.
    Many,
}

/// The type of a Range's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Values {
    I16,
    I32,
    I64,
    F32,
    F64,
}

impl Values {
    /// Bytes of one value.
    pub fn size(self) -> usize {
        match self {
            Self::I16 => 2,
            Self::I32 | Self::F32 => 4,
            Self::I64 | Self::F64 => 8,
        }
    }
}

/// Where each number stands. A position owns its offset, scale, size and strides; scale and size are 0 for the source.
impl Structure {
    /// Turns of loop `k`.
    pub fn extent(&self, k: usize) -> usize {
        k
    }

    /// Offset of the destination.
    pub fn dst_offset(&self) -> usize {
        self.loops
    }

    /// What loop `k` adds to the destination.
    pub fn dst_stride(&self, k: usize) -> usize {
        self.loops + 1 + k
    }

    /// Offset of position `p`.
    pub fn offset(&self, p: usize) -> usize {
        2 * self.loops + 1 + p * (self.loops + 3)
    }

    /// What one step of the index read at position `p` is worth.
    pub fn scale(&self, p: usize) -> usize {
        self.offset(p) + 1
    }

    /// The size of the axis that the index read at position `p` selects from.
    pub fn size(&self, p: usize) -> usize {
        self.offset(p) + 2
    }

    /// What loop `k` adds to position `p`.
    pub fn stride(&self, p: usize, k: usize) -> usize {
        self.offset(p) + 3 + k
    }

    /// Number `j` of the move.
    pub fn of_move(&self, j: usize) -> usize {
        self.offset(self.positions.len()) + j
    }
}

/// The numbers of a move, by name. [`split`] writes them in this order.
pub(crate) mod slot {
    pub(crate) const COUNT: usize = 0;
    pub(crate) const DST_STRIDE: usize = 1;
    pub(crate) const SRC_STRIDE: usize = 2;
    pub(crate) const INDEX_STRIDE: usize = 3;
    pub(crate) const START: usize = 3;
    pub(crate) const DELTA: usize = 4;
    /// Every move has this many numbers, except one run by a helper.
    pub(crate) const ALL: usize = 5;
    /// The only number of what a helper moves: the address of its schedule.
    pub(crate) const SCHEDULE: usize = 0;
}

/// A schedule taken apart.
#[derive(Debug)]
pub(crate) struct Parts {
    pub structure: Structure,
    pub arguments: Arguments,
}

/// What a call of machine code takes.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    /// In the order that the structure knows; none for pieces.
    pub numbers: Vec<i64>,
    /// The buffer of each position; `None` for a Range, which reads nothing.
    pub reads: List<Option<Buffer>>,
    /// Whether all that there is to do is a call of a precompiled Move.
    pub is_call: bool,
}

/// A schedule taken apart for code that knows its numbers.
#[derive(Debug)]
pub(crate) enum Known {
    Parts(Box<Parts>),
    Pieces(Box<Pieces>, Arguments),
}

/// What machine code is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Body<'a> {
    /// A structure, whose numbers are arguments.
    Keyed(&'a Structure),
    /// One whose numbers are constants.
    Baked(&'a Structure, &'a [i64]),
    /// Pieces, without the code generator.
    Pieces(&'a Pieces),
}

impl Known {
    pub fn body(&self) -> Body<'_> {
        match self {
            Self::Parts(parts) => Body::Baked(&parts.structure, &parts.arguments.numbers),
            Self::Pieces(pieces, _) => Body::Pieces(pieces),
        }
    }

    pub fn into_arguments(self) -> Arguments {
        match self {
            Self::Parts(parts) => parts.arguments,
            Self::Pieces(_, arguments) => arguments,
        }
    }

    /// Whether the code has vectors for it.
    pub fn has_vectors(&self) -> bool {
        match self {
            Self::Parts(parts) => matches!(parts.structure.inner, Inner::Vectors(_)),
            Self::Pieces(..) => true,
        }
    }
}

/// Whether the precompiled Moves run the move of a schedule, with some of the loops around it.
pub(crate) fn is_long(schedule: &Schedule) -> bool {
    let is_long_turn =
        |count: usize, bytes: usize| bytes > INLINE_BYTES || count * bytes > INLINE_TURN;
    match schedule.inner() {
        Move::Copy { bytes } => *bytes > INLINE_BYTES,
        Move::Strided(rows) => is_long_turn(rows.count, rows.bytes),
        Move::Lookup(rows) => {
            matches!(rows.row, Row::Periods(_))
                || is_long_turn(rows.count, rows.bytes)
                || rows.count > INLINE_LOOKUPS
                || schedule.repeats_lookups()
        }
        Move::Fill(fill) => fill.count * progression(fill.values).0.size() > INLINE_RANGE,
        Move::Shuffle(_) => true,
    }
}

/// Takes a schedule apart for code that knows its numbers: as [`split`], as vectors where that takes fewer instructions, or as pieces.
pub(crate) fn split_known(schedule: &Schedule, reader: Option<Reader>) -> Known {
    if let Some(pieces) = pieces::of(schedule) {
        let mut arguments = Arguments::default();
        arguments.reads.push(schedule.source().buffer());
        return Known::Pieces(Box::new(pieces), arguments);
    }
    let Some(group) = vectors::group(schedule) else {
        return Known::Parts(split(schedule, reader));
    };
    let mut parts = Parts::outer(schedule, group.loops, 1, slot::ALL);
    let Loop { count, dst, src } = group.turns;
    let numbers = [count as i64, dst, src, 0, 0];
    parts.arguments.numbers.extend(numbers);
    parts.structure.inner = Inner::Vectors(group.vectors);
    parts.test(reader);
    Known::Parts(parts)
}

/// Takes a schedule apart; boxed, because the parts are large and handed on. The indices that `reader` reads are tested in its code.
pub(crate) fn split(schedule: &Schedule, reader: Option<Reader>) -> Box<Parts> {
    // What loops test in place of a check, no helper does.
    let is_whole = reader != Some(Reader::Loops) && schedule.is_quicker_whole();
    let is_long = is_whole || is_long(schedule);
    let loops = match is_long {
        true if is_whole => 0,
        true => schedule.outer_loops(),
        false => schedule.extents().len(),
    };
    let lookup = schedule.inner().lookup();
    let tables = lookup.map_or(0, |lookup| 1 + lookup.access.lookup_count());
    let positions = 1 + schedule.src().lookup_count() + tables;
    let of_move = if is_long { 1 } else { slot::ALL };
    let mut parts = Parts::outer(schedule, loops, positions, of_move);
    match is_long {
        true => parts.innermost(schedule),
        false => parts.inner(schedule.inner()),
    }
    if is_whole {
        parts.structure.inner = Inner::Whole;
    }
    parts.test(reader);
    parts
}

impl Parts {
    /// The loops around a move, and the positions in them; room for those of its tables and for its numbers.
    fn outer(schedule: &Schedule, loops: usize, positions: usize, of_move: usize) -> Box<Self> {
        // More with two turns each would write more elements than memory has.
        debug_assert!(loops < u64::BITS as usize, "loops do not fit a mask");
        let mut parts = Box::new(Self {
            structure: Structure {
                loops,
                positions: List::new(),
                inner: Inner::Innermost { table: None },
            },
            arguments: Arguments {
                numbers: Vec::with_capacity(2 * loops + 1 + positions * (loops + 3) + of_move),
                ..Arguments::default()
            },
        });
        let numbers = &mut parts.arguments.numbers;
        let extents = schedule.extents()[..loops].iter();
        numbers.extend(extents.map(|&extent| extent as i64));
        numbers.push(schedule.dst().offset);
        numbers.extend(&schedule.dst().strides[..loops]);
        parts.position(schedule.src(), schedule.source().buffer(), None);
        parts
    }

    fn position(
        &mut self,
        access: &Access,
        buffer: Option<Buffer>,
        served: Option<(Table, &Lookup)>,
    ) {
        let at = self.structure.positions.len();
        let strides = &access.strides[..self.structure.loops];
        let moving = (0u64..).zip(strides).filter(|(_, stride)| **stride != 0);
        self.structure.positions.push(Position {
            moves: moving.fold(0, |mask, (k, _)| mask | 1 << k),
            table: served.map(|(table, _)| table),
        });
        let Arguments { numbers, reads, .. } = &mut self.arguments;
        reads.push(buffer);
        let (scale, size) = served.map_or((0, 0), |(_, lookup)| (lookup.scale, lookup.size));
        numbers.extend([access.offset, scale, size]);
        numbers.extend(strides);
        for lookup in &access.lookups {
            self.table(lookup, at);
        }
    }

    fn table(&mut self, lookup: &Lookup, serves: usize) {
        let table = Table {
            serves,
            index: lookup.index,
            tested: false,
        };
        self.position(&lookup.access, Some(lookup.table), Some((table, lookup)));
    }

    /// The table that `reader` reads is tested. That of a long move is tested by the helper.
    fn test(&mut self, reader: Option<Reader>) {
        let table = match (reader, &self.structure.inner) {
            (Some(Reader::Loops), _) => 1,
            (Some(Reader::Move), Inner::Lookup(shape)) => shape.table,
            (Some(Reader::Move) | None, _) => return,
        };
        let position = self.structure.positions.get_mut(table);
        if let Some(table) = position.and_then(|position| position.table.as_mut()) {
            table.tested = true;
        }
    }

    fn innermost(&mut self, schedule: &Schedule) {
        let lookup = schedule.inner().lookup();
        let table = lookup.map(|lookup| {
            let table = self.structure.positions.len();
            self.table(lookup, 0);
            table
        });
        self.structure.inner = Inner::Innermost { table };
        self.arguments.is_call = self.structure.loops == 0;
        // The plan keeps the schedule where it is for as long as a kernel holds it.
        let address = std::ptr::from_ref(schedule).expose_provenance();
        self.arguments.numbers.push(address as i64);
    }

    fn inner(&mut self, inner: &Move) {
        let (kind, numbers): (_, [i64; slot::ALL]) = match inner {
            &Move::Copy { bytes } => (Inner::Copy { bytes }, [1, 0, 0, 0, 0]),
            Move::Strided(rows) => {
                let kind = Inner::Strided {
                    count: turns(rows.count),
                    bytes: rows.bytes,
                    packed: rows.dst_stride == rows.bytes as i64,
                };
                let (dst, src) = (rows.dst_stride, rows.src_stride);
                (kind, [rows.count as i64, dst, src, 0, 0])
            }
            Move::Lookup(rows @ LookedUp { row: Row::Run, .. }) => {
                let table = self.structure.positions.len();
                self.table(&rows.lookup, 0);
                let kind = Inner::Lookup(LookupShape {
                    count: turns(rows.count),
                    bytes: rows.bytes,
                    packed: rows.dst_stride == rows.bytes as i64,
                    table,
                    table_packed: rows.index_stride == rows.lookup.index.size() as i64,
                    src_moves: rows.src_stride != 0,
                });
                let (dst, src, index) = (rows.dst_stride, rows.src_stride, rows.index_stride);
                (kind, [rows.count as i64, dst, src, index, 0])
            }
            Move::Fill(fill) => {
                let (values, start, delta) = progression(fill.values);
                let (count, dst) = (fill.count as i64, fill.dst_stride);
                let packed = dst == values.size() as i64;
                let kind = Inner::Fill { values, packed };
                (kind, [count, dst, fill.step, start, delta])
            }
            // Always long.
            Move::Shuffle(_) | Move::Lookup(_) => return,
        };
        self.structure.inner = kind;
        self.arguments.numbers.extend(numbers);
    }
}

fn turns(count: usize) -> Count {
    match count {
        ..=FEW => Count::Few(count),
        _ => Count::Many,
    }
}

/// Type, start and delta; floats by their bits.
fn progression(values: Progression) -> (Values, i64, i64) {
    match values {
        Progression::I16(start, delta) => (Values::I16, start.into(), delta.into()),
        Progression::I32(start, delta) => (Values::I32, start.into(), delta.into()),
        Progression::I64(start, delta) => (Values::I64, start, delta),
        Progression::F32(start, delta) => (Values::F32, start.into(), delta.into()),
        Progression::F64(start, delta) => (Values::F64, start as i64, delta as i64),
    }
}
