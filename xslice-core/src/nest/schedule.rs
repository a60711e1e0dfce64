//! Which part of a nest becomes one Move, in bytes.
//!
//! A pass from a verified, simplified nest to a [`Schedule`]: the outer loops stay loops, the innermost part becomes a [`Move`], and
//! every number is in bytes from here on. It is decided once, here, for every engine and for `explain`. Elements that have no
//! fixed bytes (strings) have no schedule: engines move them by the nest.

mod drive;
mod known;
mod order;
mod period;
#[cfg(test)]
mod tests;

pub(crate) use drive::{Drive, Together};
pub(crate) use known::{
    KnownMove, KnownPicks, KnownRuns, KnownValues, MovePicks, MoveRuns, WriteValues,
};
#[cfg(target_arch = "x86_64")]
pub(crate) use order::KEPT;
pub use period::NoShuffle;

use super::{LoopNest, Source, verify};
use crate::access::{Access, Buffer, Lookup};
use crate::elem::ElementType;
use crate::error::Error;
use crate::level::Level;
use crate::list::List;
use crate::range::Progression;
use crate::shuffle::{LINE, Shuffle};
use crate::tensor::Tensor;
use alloc::{borrow::Cow, boxed::Box, format, sync::Arc};
use core::fmt;

/// The innermost part of a nest: what one turn of the outer loops does from `src` to `dst`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// One contiguous run.
    Copy {
        /// Bytes of the run.
        bytes: usize,
    },
    /// Runs at constant distances.
    Strided(Strided),
    /// Periods of a pattern.
    Shuffle(Periods),
    /// Rows, each where the next index of a table points.
    Lookup(LookedUp),
    /// Values of a Range.
    Fill(Fill),
}

/// Runs at constant distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Strided {
    /// How many.
    pub count: usize,
    /// Bytes of each.
    pub bytes: usize,
    /// Distance in the destination.
    pub dst_stride: i64,
    /// Distance in the source.
    pub src_stride: i64,
}

/// Periods of a pattern of bytes, side by side in the destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Periods {
    /// How many.
    pub count: usize,
    /// Bytes of the source's buffer: no vector reads beyond.
    pub source_bytes: usize,
    /// The pattern, and how vectors read it.
    pub shuffle: Arc<Shuffle>,
}

/// Rows, each where the next index of a table points.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LookedUp {
    /// How many.
    pub count: usize,
    /// Bytes of each in the destination.
    pub bytes: usize,
    /// What of the source they are.
    pub row: Row,
    /// Distance in the destination.
    pub dst_stride: i64,
    /// What each turn adds in the source besides the index.
    pub src_stride: i64,
    /// The index; its `access` is over the outer loops and in bytes, its `scale` in bytes.
    pub lookup: Lookup,
    /// Distance of neighbouring indices in the table, in bytes.
    pub index_stride: i64,
}

/// The bytes of a row of a look-up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Row {
    /// Neighbours.
    Run,
    /// Periods of a pattern.
    Periods(Periods),
}

/// Values of a Range at constant distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fill {
    /// How many.
    pub count: usize,
    /// Distance in the destination.
    pub dst_stride: i64,
    /// What each turn adds to the position in the Range.
    pub step: i64,
    /// The Range.
    pub values: Progression,
}

impl Periods {
    /// Bytes that they write.
    pub(crate) fn bytes(&self) -> usize {
        self.count.saturating_mul(self.shuffle.pattern().period())
    }
}

impl Row {
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Run => 0,
            Self::Periods(periods) => periods.shuffle.memory(),
        }
    }
}

impl Move {
    /// The name in the printed form.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Copy { .. } => "copy",
            Self::Strided(_) => "strided",
            Self::Shuffle(_) => "shuffle",
            Self::Lookup(_) => "lookup",
            Self::Fill(_) => "fill",
        }
    }

    /// The look-up of its rows, if it is one.
    #[must_use]
    pub fn lookup(&self) -> Option<&Lookup> {
        match self {
            Self::Lookup(rows) => Some(&rows.lookup),
            Self::Copy { .. } | Self::Strided(_) | Self::Shuffle(_) | Self::Fill(_) => None,
        }
    }

    /// The pattern that it moves, or that the rows have which it looks up.
    fn periods_mut(&mut self) -> Option<&mut Periods> {
        match self {
            Self::Shuffle(periods) => Some(periods),
            Self::Lookup(rows) => match &mut rows.row {
                Row::Periods(periods) => Some(periods),
                Row::Run => None,
            },
            Self::Copy { .. } | Self::Strided(_) | Self::Fill(_) => None,
        }
    }

    /// Elements that one turn of the loops around it moves.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Copy { bytes } => *bytes,
            Self::Strided(rows) => rows.count,
            Self::Shuffle(periods) => periods.count,
            Self::Lookup(rows) => rows.count,
            Self::Fill(fill) => fill.count,
        }
    }
}

/// The element of a constant table at a position of its buffer; `None` where it is not known.
pub(crate) type Known<'a> = &'a dyn Fn(Buffer, usize) -> Option<i64>;

/// The elements of the constants of a plan.
pub(crate) fn constant_in(constants: &[Arc<Tensor>]) -> impl Fn(Buffer, usize) -> Option<i64> {
    |buffer, at| match buffer {
        Buffer::Constant(constant) => constants.get(constant)?.integer(at),
        Buffer::Operand(_) | Buffer::Scratch(_) => None,
    }
}

/// A nest in bytes, its innermost part a [`Move`].
///
/// `src` and `dst` are positions in bytes over the outer loops; for a Range, `src` is a position in the Range. Accesses of tables are
/// in bytes too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Schedule {
    extents: List<usize>,
    source: Source,
    src: Access,
    dst: Access,
    bytes: usize,
    inner: Move,
    known: Option<KnownMove>,
    /// The same of the Move with the loops inside those whose turns begin where indices say.
    inside: Option<Box<KnownMove>>,
    /// The same of a Move that looks rows up.
    picks: Option<Box<KnownPicks>>,
    /// How the best level takes the loops.
    drive: Drive,
    /// Loops that machine code takes itself; `u8::MAX`, which is all of them, until it is known.
    outer_loops: u8,
}

/// What a loop moves in the tables of the source.
pub(crate) enum MovedTables {
    None,
    /// The position in this one, which no other table moves: what a [`Move::Lookup`] reads.
    One(usize),
    Several,
}

impl Schedule {
    /// The schedule of a nest whose constants are known, for the best level; `None` for strings. To be [verified](Self::verify) before
    /// anything runs it.
    pub(crate) fn new(nest: &LoopNest, known: Known<'_>) -> Option<Arc<Self>> {
        Self::for_vectors(Level::best().vector(), nest, known)
    }

    /// Proves I3 and I4 of the schedule of a nest as it will run, whatever the passes were. `table_len` gives the elements of an index
    /// table.
    ///
    /// # Errors
    /// [`Internal`](crate::ErrorKind::Internal): a pass has broken a rule.
    pub(crate) fn verify(
        &self,
        nest: &LoopNest,
        table_len: &dyn Fn(Buffer) -> usize,
    ) -> Result<(), Error> {
        if verify::schedule(self, nest, table_len) {
            return Ok(());
        }
        let text = format!("the schedule `{self}` leaves its buffers");
        Err(Error::internal(text))
    }

    /// The same for vectors of `vector` bytes. That is all in which levels differ here: a longer vector holds longer runs, and
    /// those of a line pay for fewer rows.
    fn for_vectors(vector: usize, nest: &LoopNest, known: Known<'_>) -> Option<Arc<Self>> {
        let size = nest.element_type().size();
        // Changed where it stays: it is large.
        let mut made = Self::unscheduled(nest)?;
        let schedule = Arc::make_mut(&mut made);
        match nest.source() {
            Source::Range(values) => schedule.fill(values),
            Source::Buffer(_) => {
                let (bytes, source_bytes) = (nest.block() * size, nest.source_len() * size);
                schedule.rows(bytes, source_bytes, known, vector);
                schedule.order();
            }
        }
        Some(made)
    }

    /// The schedule for the shortest vectors of any level, which is `best`, that of the best level, where this has no longer ones.
    pub(crate) fn for_any_level<'a>(
        best: &'a Self,
        nest: &LoopNest,
        known: Known<'_>,
    ) -> Option<Cow<'a, Self>> {
        if Level::best().vector() == Level::SHORTEST_VECTOR {
            return Some(Cow::Borrowed(best));
        }
        let shortest = Self::for_vectors(Level::SHORTEST_VECTOR, nest, known)?;
        Some(Cow::Owned(Arc::unwrap_or_clone(shortest)))
    }

    /// The schedule for vectors of 64 bytes.
    pub(crate) fn for_lines(nest: &LoopNest, known: Known<'_>) -> Option<Arc<Self>> {
        Self::for_vectors(LINE, nest, known)
    }

    /// Why the innermost part of a nest of a plan with these constants is no shuffle; `None` where it is one, for strings and for a Range.
    #[must_use]
    pub fn no_shuffle(nest: &LoopNest, constants: &[Arc<Tensor>]) -> Option<NoShuffle> {
        let all = Self::unscheduled(nest)?;
        match nest.source() {
            Source::Range(_) => None,
            Source::Buffer(_) => {
                let block = nest.block() * nest.element_type().size();
                let vector = Level::best().vector();
                all.shuffled(block, &constant_in(constants), vector).err()
            }
        }
    }

    /// A nest in bytes with every loop outside; `None` for strings.
    fn unscheduled(nest: &LoopNest) -> Option<Arc<Self>> {
        if nest.element_type() == ElementType::String {
            return None;
        }
        let width = nest.element_type().size() as i64;
        let bytes = nest.block() * nest.element_type().size();
        let is_range = matches!(nest.source(), Source::Range(_));
        let src = in_bytes(nest.src(), if is_range { 1 } else { width });
        let dst = in_bytes(nest.dst(), width);
        let written = nest.element_count() * nest.element_type().size();
        Some(Arc::new(Self {
            extents: nest.extents().into(),
            source: nest.source(),
            src,
            dst,
            bytes: written,
            inner: Move::Copy { bytes },
            known: None,
            inside: None,
            picks: None,
            drive: Drive::Each,
            outer_loops: u8::MAX,
        }))
    }

    fn fill(&mut self, values: Progression) {
        let inner = self.extents.len().checked_sub(1);
        let is_still = |inner: usize| self.src.all_table_strides(&|strides| strides[inner] == 0);
        let (count, step, dst_stride) = match inner.is_some_and(is_still) {
            true => self.take_innermost(),
            false => (1, 0, 0),
        };
        self.inner = Move::Fill(Fill {
            count,
            dst_stride,
            step,
            values,
        });
    }

    fn rows(&mut self, bytes: usize, source_bytes: usize, known: Known<'_>, vector: usize) {
        let (mut bytes, mut row) = (bytes, Row::Run);
        if let Some(loops) = self.looked_up_rows(bytes, known, vector) {
            let periods = self.take_periods(loops, source_bytes);
            bytes = periods.bytes();
            row = Row::Periods(periods);
        } else if let Ok(loops) = self.shuffled(bytes, known, vector) {
            self.inner = Move::Shuffle(self.take_periods(loops, source_bytes));
            return;
        }
        let Some(inner) = self.extents.len().checked_sub(1) else {
            return;
        };
        match self.moved_tables(inner) {
            MovedTables::None => {
                let (count, src_stride, dst_stride) = self.take_innermost();
                self.inner = Move::Strided(Strided {
                    count,
                    bytes,
                    dst_stride,
                    src_stride,
                });
            }
            MovedTables::One(at) => {
                let index_stride = self.src.lookups[at].access.strides[inner];
                let (count, src_stride, dst_stride) = self.take_innermost();
                self.inner = Move::Lookup(LookedUp {
                    count,
                    bytes,
                    row,
                    dst_stride,
                    src_stride,
                    lookup: self.src.lookups.remove(at),
                    index_stride,
                });
            }
            MovedTables::Several => {}
        }
    }

    /// What loop `k` moves in the tables of the source; nothing if there is no such loop.
    pub(crate) fn moved_tables(&self, k: usize) -> MovedTables {
        let is_still = |strides: &[i64]| strides.get(k).is_none_or(|&stride| stride == 0);
        let moves = |lookup: &Lookup| !lookup.access.all_strides(&is_still);
        let lookups = self.src.lookups.iter().enumerate();
        let mut moved = lookups.filter(|(_, lookup)| moves(lookup));
        match (moved.next(), moved.next()) {
            (None, _) => MovedTables::None,
            (Some((at, only)), None) if only.access.is_affine() => MovedTables::One(at),
            (Some(_), _) => MovedTables::Several,
        }
    }

    /// Takes the innermost loop away: its turns, and what one turn adds in the source and in the destination.
    fn take_innermost(&mut self) -> (usize, i64, i64) {
        let inner = self.extents.len() - 1;
        let taken = (
            self.extents[inner],
            self.src.strides[inner],
            self.dst.strides[inner],
        );
        let drop_last = |strides: &mut List<i64>| strides.truncate(inner);
        self.src.edit_strides(&drop_last);
        self.dst.edit_strides(&drop_last);
        self.extents.pop();
        taken
    }

    /// Turns of the outer loops, outermost first; each at least 1.
    #[inline]
    #[must_use]
    pub fn extents(&self) -> &[usize] {
        &self.extents
    }

    /// Where the elements come from.
    #[inline]
    #[must_use]
    pub fn source(&self) -> Source {
        self.source
    }

    /// Position in the source, in bytes (in a Range: its position).
    #[inline]
    #[must_use]
    pub fn src(&self) -> &Access {
        &self.src
    }

    /// Position in the destination, in bytes; affine.
    #[inline]
    #[must_use]
    pub fn dst(&self) -> &Access {
        &self.dst
    }

    /// Bytes that are written in all.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes on the heap. A shuffle counts with every plan that shares it.
    pub(crate) fn heap_bytes(&self) -> usize {
        let inner = match &self.inner {
            Move::Shuffle(periods) => periods.shuffle.memory(),
            Move::Lookup(rows) => rows.lookup.access.heap_bytes() + rows.row.heap_bytes(),
            Move::Copy { .. } | Move::Strided(_) | Move::Fill(_) => 0,
        };
        let known = self.known.as_ref().map_or(0, KnownMove::heap_bytes);
        let inside = self.inside.as_deref();
        let inside = inside.map_or(0, |known| size_of_val(known) + known.heap_bytes());
        let known = known + inside + self.picks.as_deref().map_or(0, size_of_val);
        self.extents.heap_bytes() + self.src.heap_bytes() + self.dst.heap_bytes() + inner + known
    }

    /// Whether one turn of the Move is all of it, and no index takes part: there is no loop, or it is known how all of them are moved.
    #[doc(hidden)]
    #[must_use]
    pub fn is_one_turn(&self) -> bool {
        let reads_indices = !self.src.is_affine() || self.inner.lookup().is_some();
        !reads_indices && (self.extents.is_empty() || self.known.is_some())
    }

    /// How the best level moves all rows that the Move looks up, if it was [kept](Self::keep_picks).
    #[inline]
    pub(crate) fn known_picks(&self) -> Option<&KnownPicks> {
        self.picks.as_deref()
    }

    /// Keeps how the best level moves all rows that the Move looks up, which must be what was found for them: calls rest on that.
    pub(crate) fn keep_picks(&mut self, picks: Option<KnownPicks>) {
        self.picks = picks.map(Box::new);
    }

    /// The rows of the Move as the best level moves them, if they were [kept](Self::keep): those of a turn where indices say where it
    /// begins, else all.
    #[cfg(test)]
    pub(crate) fn known_rows(&self) -> Option<&crate::shuffle::KnownRows> {
        match &self.known {
            Some(KnownMove::Rows(rows)) => Some(rows),
            Some(KnownMove::Runs(_) | KnownMove::Values(_)) | None => None,
        }
    }

    /// What is known of the Move, for the best level, if it was [kept](Self::keep): of a turn where indices say where it begins, else of all.
    #[inline]
    pub(crate) fn known(&self) -> Option<&KnownMove> {
        self.known.as_ref()
    }

    /// Keeps how the best level moves what the Move does, which must be what was found for it: calls rest on that.
    pub(crate) fn keep(&mut self, known: Option<KnownMove>) {
        self.known = known;
    }

    /// Reads what a pattern names by the loads of this shuffle, which has the same bytes.
    pub(crate) fn keep_loads(&mut self, by_other_loads: Option<Arc<Shuffle>>) {
        if let (Some(periods), Some(shuffle)) = (self.inner.periods_mut(), by_other_loads) {
            periods.shuffle = shuffle;
        }
    }

    /// What is known of the Move with the loops inside those whose turns begin where indices say, if it was [kept](Self::keep_inside).
    #[inline]
    pub(crate) fn inside(&self) -> Option<&KnownMove> {
        self.inside.as_deref()
    }

    /// Keeps how the best level moves what the Move does in all turns of the loops inside those whose turns begin where indices say, which must
    /// be what was found for it: calls rest on that.
    pub(crate) fn keep_inside(&mut self, known: KnownMove) {
        self.inside = Some(Box::new(known));
    }

    /// How the best level takes the loops around the Move, if it was [kept](Self::keep_drive); each turn by itself, if not.
    #[inline]
    pub(crate) fn drive(&self) -> Drive {
        self.drive
    }

    /// Loops that machine code takes itself, around what it leaves to the precompiled Moves; all of them, if it was not
    /// [kept](Self::keep_drive) how they are taken.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn outer_loops(&self) -> usize {
        usize::from(self.outer_loops).min(self.extents.len())
    }

    /// Keeps how the best level takes the loops, and how many of them machine code takes itself, which must be what was found for them: calls
    /// rest on that. Loops are fewer than 64, as each has two turns at least.
    pub(crate) fn keep_drive(&mut self, drive: Drive, outer_loops: usize) {
        debug_assert!(outer_loops <= self.extents.len(), "some of its loops");
        (self.drive, self.outer_loops) = (drive, outer_loops as u8);
    }

    /// What one turn of the outer loops does.
    #[inline]
    #[must_use]
    pub fn inner(&self) -> &Move {
        &self.inner
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.inner.name())?;
        match &self.inner {
            Move::Copy { bytes } => write!(f, " {bytes} bytes")?,
            Move::Strided(rows) => write!(
                f,
                " {} x {} bytes, dst {:+}, src {:+}",
                rows.count, rows.bytes, rows.dst_stride, rows.src_stride
            )?,
            Move::Shuffle(Periods { count, shuffle, .. }) => {
                let pattern = shuffle.pattern();
                let (offsets, src_stride) = (pattern.offsets(), pattern.src_stride());
                write!(f, " {count} x {offsets:?}, src {src_stride:+}")?;
            }
            Move::Lookup(rows) => {
                write!(
                    f,
                    " {} x {} bytes, dst {:+}, src by index of {} bytes",
                    rows.count, rows.bytes, rows.dst_stride, rows.lookup.scale
                )?;
                if let Row::Periods(periods) = &rows.row {
                    let pattern = periods.shuffle.pattern();
                    write!(f, ", each {} x {:?}", periods.count, pattern.offsets())?;
                    if !pattern.is_alone() {
                        write!(f, ", src {:+}", pattern.src_stride())?;
                    }
                }
            }
            Move::Fill(fill) => write!(
                f,
                " {} values, dst {:+}, by {}",
                fill.count, fill.dst_stride, fill.step
            )?,
        }
        if !self.extents.is_empty() {
            write!(f, ", in loops {:?}", self.extents)?;
        }
        Ok(())
    }
}

fn in_bytes(access: &Access, unit: i64) -> Access {
    let times = |value: i64| value.wrapping_mul(unit);
    Access {
        offset: times(access.offset),
        strides: access.strides.iter().copied().map(times).collect(),
        lookups: access
            .lookups
            .iter()
            .map(|lookup| Lookup {
                scale: times(lookup.scale),
                access: in_bytes(&lookup.access, lookup.index.size() as i64),
                ..*lookup
            })
            .collect(),
    }
}
