//! A small result as pieces, for machine code in vectors; of a larger one, a turn of the loops around them.
//!
//! Where all numbers are known, it is known of each byte where it comes from. With vectors of a line, a result is cut where lines of memory
//! end, and each line is put together out of parts: elements of one load or two, which one instruction puts where they belong in the line.
//! What is left over of a part begins the next line. Rows may be cut as if a line began with each of them, so that all of them are put
//! together by the same orders. Where either takes longer, a result is cut into words, each out of one part, which may write more than it
//! has: what comes after it writes that again. With vectors of half a line and two lanes there are no masks, and all pieces are words
//! (`pieces/lanes.rs`). Pieces that repeat are a loop. There are some lists of pieces, since the destination may begin anywhere in a line;
//! each moves the same, wherever it begins.
//!
//! The values of a Range are known as well, and moved as if a buffer had them.
//!
//! No byte is read before the first or behind the last one that the nest reads, which are in the operand (I3) or the values of a Range, and no
//! byte is written but those of the result (I4).

mod around;
mod cutter;
mod lanes;
mod loops;
mod orders;
mod runs;
#[cfg(test)]
mod tests;
mod windows;

pub(crate) use around::MOST_LOOPS;
use cutter::Cutter;
use runs::{Moved, Span};
use std::fmt;
use std::ops::Range;
use xslice_core::ir::Schedule;

/// Bytes of a line of memory, which are those of a vector of AVX-512.
pub(crate) const LINE: usize = 64;

/// Bytes of a vector of AVX2, and of each of its lanes.
pub(crate) const TWO_LANES: usize = 32;
pub(crate) const LANE: usize = 16;

/// Orders of a result at most: each is a vector behind the code.
const MOST_ORDERS: usize = 256;

/// Bytes by which it is found how a result is cut.
const SAMPLE: usize = 512;

/// Loads of a part at most.
pub(crate) const MOST_LOADS: usize = 2;

/// Bytes of elements that are taken out of two loads by one instruction. There is one for those of fewer, which takes longer than two.
const LEAST_OF_TWO: usize = 4;

/// Bytes of a word that passes through a register for numbers, or that is half of one store.
pub(crate) const HALF: usize = 8;

/// Bytes of a vector that one store writes at least.
const LEAST_STORED: usize = 4;

/// Registers for masks, and those in which orders stay.
pub(crate) const MASKS: usize = 7;
pub(crate) const KEPT: usize = 10;

/// Where buffers may begin in a line of memory, as allocators have it. That is asked of the destination alone, and the source is taken to
/// begin there too: both are often large, and begin alike. Where they do not, more lines are read.
pub(crate) const PHASES: [i32; 4] = [0, 16, 32, 48];

/// Which element of one or two loads each element of a vector is, as the instruction reads it.
pub(crate) type Order = [u8; LINE];

/// All that a nest moves. Places are counted from the starts of the buffers, in the first turn of all loops.
#[derive(Debug)]
pub(crate) struct Pieces {
    /// The loops around all pieces, the outermost first.
    pub around: Vec<Turns>,
    /// Bytes of a vector.
    pub vector: usize,
    /// For each of its [`phases`].
    pub of_phases: Vec<Vec<Stretch>>,
    /// The different orders of parts and words, each for the bytes of a vector.
    pub orders: Vec<Order>,
    /// Bytes of the elements that an order of parts names: 1, 4 or 8.
    pub unit: usize,
    /// What is read, if it is no buffer: the values of a Range.
    pub data: Vec<u8>,
}

/// The turns of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turns {
    pub count: i32,
    /// What one adds to all places, in the destination and in the source.
    pub steps: [i32; 2],
}

/// Pieces in turns; straight code is one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub turns: Turns,
    pub pieces: Vec<Piece>,
}

/// Bytes of the destination.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// So many, a power of two. Those that are not elements of the source are written again by what follows (I4).
    Word { dst: i32, bytes: usize, word: Word },
    /// The parts that a line consists of.
    Line { dst: i32, parts: Vec<Part> },
}

/// Where the bytes of a word come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// Neighbours.
    Run(i32),
    /// Two runs of half its bytes.
    Pair([i32; 2]),
    /// Elements of lines, by an order.
    Ordered(Lines, usize),
    /// Elements of windows of two lanes, which give 4 bytes each to any place. Of each place that a window does not give, the top bit of
    /// its order is set.
    Windows(Vec<(i32, usize)>),
    /// Bytes of windows of a lane for each lane, which give each to any place of that lane. Of a byte that they do not give, the top bit of
    /// the order is set: it is zero there, and another one's.
    Lanes(Vec<([i32; 2], usize)>, Crossing),
}

/// Which halves of lanes then change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crossing {
    None,
    /// The upper one of the lower lane, and the lower one of the upper lane.
    Inner,
    /// The lanes.
    Lanes,
}

/// Lines of the source.
pub(crate) type Lines = [Option<i32>; MOST_LOADS];

/// Bytes of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Which; those of the parts of a line are neighbours.
    pub bytes: Range<usize>,
    pub source: Source,
}

/// Where the bytes of a part come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Neighbours. If the first byte of the line were one, it would come from here; whether as many as a line has may be read there.
    Run { src: i32, is_whole: bool },
    /// Elements of lines, by an order; whether there are some in the next line.
    Ordered {
        lines: Lines,
        order: usize,
        goes_on: bool,
    },
    /// What the last part of the line before has left over.
    LeftOver,
}

/// The result of a schedule as pieces, if the processor has vectors for them and they are quick, and it, or a turn of the loops around
/// them, is small.
pub(crate) fn of(schedule: &Schedule) -> Option<Pieces> {
    const IS_X86: bool = cfg!(target_arch = "x86_64");
    match xslice_core::Level::best().vector() {
        LINE if IS_X86 => of_lines(schedule),
        TWO_LANES if IS_X86 => of_lanes(schedule),
        _ => None,
    }
}

fn of_lines(schedule: &Schedule) -> Option<Pieces> {
    let moved = Moved::by(schedule)?;
    let rows = moved.rows(schedule, LINE);
    let cutter = Cutter::new(&moved, rows.as_deref());
    cut(cutter, schedule.bytes(), &moved)
}

fn of_lanes(schedule: &Schedule) -> Option<Pieces> {
    let moved = Moved::by(schedule)?;
    let rows = moved.rows(schedule, LANE);
    let cutter = lanes::Cutter::new(&moved, rows.as_deref());
    cut(cutter, schedule.bytes(), &moved)
}

/// What is moved, of a result of so many bytes, as the pieces of the cheapest ways.
fn cut<'a, C: Cut<'a>>(mut cutter: C, bytes: usize, moved: &Moved) -> Option<Pieces> {
    let mut ways: Vec<_> = cutter
        .ways()
        .into_iter()
        .map(|way| (cutter.cost(way, PHASES[0]), way))
        .collect();
    ways.sort_by_key(|&(cost, _)| cost);
    let (least, way) = *ways.first()?;
    let sample = moved.bytes.min(SAMPLE);
    if least * LINE > C::most_cost(way, bytes) * sample {
        return None;
    }
    // Others are hardly ever the cheapest for another phase.
    ways.truncate(2);
    ways.retain(|&(cost, _)| 2 * cost <= 3 * least);
    let cut = |&phase: &i32| {
        let cost = |&&(_, way): &&(usize, C::Way)| cutter.cost(way, phase);
        let (_, way) = match &ways[..] {
            [only] => only,
            ways => ways.iter().min_by_key(cost)?,
        };
        loops::rolled(cutter.cut(*way, phase)?)
    };
    let of_phases: Option<Vec<_>> = phases(C::VECTOR).iter().map(cut).collect();
    let of_phases = of_phases?;
    let unit = cutter.named();
    let orders = cutter.orders();
    (orders.len() <= MOST_ORDERS).then(|| Pieces {
        around: moved.around.clone(),
        vector: C::VECTOR,
        of_phases,
        orders,
        unit,
        data: moved.data.clone(),
    })
}

/// Those of [`PHASES`] that differ for vectors of so many bytes.
pub(crate) fn phases(vector: usize) -> &'static [i32] {
    &PHASES[..vector * PHASES.len() / LINE]
}

/// Who cuts a result for vectors of some bytes.
trait Cut<'a>: Sized {
    /// How pieces are found.
    type Way: Copy;

    /// Bytes of a vector.
    const VECTOR: usize;

    /// Rows are the spans taken apart where turns of the move end.
    fn new(moved: &'a Moved, rows: Option<&'a [Span]>) -> Self;

    /// All ways that may be the cheapest.
    fn ways(&self) -> Vec<Self::Way>;

    /// What the first pieces of a way cost, where buffers begin there in a line.
    fn cost(&mut self, way: Self::Way, phase: i32) -> usize;

    /// What a line of so large a result costs at most; what costs more is moved as without pieces.
    fn most_cost(way: Self::Way, bytes: usize) -> usize;

    /// The pieces of a way. `None`: there are too many.
    fn cut(&mut self, way: Self::Way, phase: i32) -> Option<Vec<Piece>>;

    /// Bytes of the elements that an order names.
    fn named(&self) -> usize;

    /// The different orders of all that was cut.
    fn orders(self) -> Vec<Order>;
}

impl Part {
    /// Whether a mask says which bytes it is, as part of that number of a line: what comes after it may write the others, what came before
    /// may not.
    pub fn is_masked(&self, number: usize) -> bool {
        match self.source {
            Source::Run { is_whole, .. } => number > 0 || !is_whole,
            Source::Ordered { .. } => number > 0,
            Source::LeftOver => false,
        }
    }
}

impl Piece {
    /// The bytes of each mask that it takes.
    pub fn masks(&self) -> impl Iterator<Item = Range<usize>> {
        let parts = self.of_line();
        let numbered = parts.iter().enumerate();
        let masked = numbered.filter(|(number, part)| part.is_masked(*number));
        let written = Some(written(parts)).filter(|written| stored_whole(written).is_none());
        let of_parts = masked.map(|(_, part)| part.bytes.clone());
        of_parts.chain(written.filter(|_| !parts.is_empty()))
    }

    /// Its parts; a word counts as one, or as what it is put together out of.
    fn count_parts(&self) -> usize {
        match self {
            Self::Word { word, .. } => word.orders().count().max(1),
            Self::Line { parts, .. } => parts.len(),
        }
    }

    pub fn dst(&self) -> i32 {
        match *self {
            Self::Word { dst, .. } | Self::Line { dst, .. } => dst,
        }
    }

    fn of_line(&self) -> &[Part] {
        match self {
            Self::Word { .. } => &[],
            Self::Line { parts, .. } => parts,
        }
    }

    /// The numbers of its orders.
    pub fn orders(&self) -> impl Iterator<Item = usize> {
        let of_word = match self {
            Self::Word { word, .. } => Some(word.orders()),
            Self::Line { .. } => None,
        };
        let of_part = |part: &Part| match part.source {
            Source::Ordered { order, .. } => Some(order),
            Source::Run { .. } | Source::LeftOver => None,
        };
        let of_line = self.of_line().iter().filter_map(of_part);
        of_word.into_iter().flatten().chain(of_line)
    }
}

impl Word {
    /// The numbers of its orders.
    fn orders(&self) -> impl Iterator<Item = usize> {
        let (only, windows, lanes) = match self {
            Self::Run(_) | Self::Pair(_) => (None, &[][..], &[][..]),
            Self::Ordered(_, order) => (Some(*order), &[][..], &[][..]),
            Self::Windows(windows) => (None, &windows[..], &[][..]),
            Self::Lanes(lanes, _) => (None, &[][..], &lanes[..]),
        };
        let of_windows = windows.iter().map(|&(_, order)| order);
        let of_lanes = lanes.iter().map(|&(_, order)| order);
        only.into_iter().chain(of_windows).chain(of_lanes)
    }
}

/// The bytes of a line that its parts are.
pub(crate) fn written(parts: &[Part]) -> Range<usize> {
    let start = parts.first().map_or(0, |part| part.bytes.start);
    start..parts.last().map_or(0, |part| part.bytes.end)
}

/// How many bytes these are, if one store writes them and no others.
pub(crate) fn stored_whole(written: &Range<usize>) -> Option<usize> {
    let is_whole =
        written.start == 0 && written.end.is_power_of_two() && written.end >= LEAST_STORED;
    is_whole.then_some(written.end)
}

impl fmt::Display for Pieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for turns in &self.around {
            writeln!(f, "{turns}")?;
        }
        for (phase, way) in PHASES.iter().zip(&self.of_phases) {
            let place = if self.vector == LINE {
                "a line"
            } else {
                "half a line"
            };
            writeln!(f, "function for a destination at {phase} bytes of {place}")?;
            for stretch in way {
                writeln!(f, "  {}", stretch.turns)?;
                for piece in &stretch.pieces {
                    writeln!(f, "    {piece}")?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [dst, src] = self.steps;
        write!(f, "{} x, dst {dst:+}, src {src:+}", self.count)
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word { dst, bytes, word } => write!(f, "dst[{dst}..][..{bytes}] <- {word}"),
            Self::Line { dst, parts } => {
                write!(f, "dst[{dst}..][..{LINE}] <-")?;
                for Part { bytes, source } in parts {
                    write!(f, " {bytes:?}: {source}")?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(src) => write!(f, "src[{src}..]"),
            Self::Pair([one, other]) => write!(f, "src[{one}..], src[{other}..]"),
            Self::Ordered(lines, order) => ordered(f, *lines, *order),
            Self::Windows(windows) => listed(f, windows, |f, (at, order)| {
                write!(f, "src[{at}..], order {order}")
            }),
            Self::Lanes(lanes, crossing) => {
                listed(f, lanes, |f, ([low, high], order)| {
                    write!(f, "src[{low}..], src[{high}..], order {order}")
                })?;
                f.write_str(match crossing {
                    Crossing::None => "",
                    Crossing::Inner => ", inner halves crossed",
                    Crossing::Lanes => ", lanes crossed",
                })
            }
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Run { src, .. } => write!(f, "src[{src}..]"),
            Self::Ordered { lines, order, .. } => ordered(f, lines, order),
            Self::LeftOver => f.write_str("left over"),
        }
    }
}

fn ordered(f: &mut fmt::Formatter<'_>, lines: Lines, order: usize) -> fmt::Result {
    for line in lines.into_iter().flatten() {
        write!(f, "src[{line}..], ")?;
    }
    write!(f, "order {order}")
}

/// What a word is put together out of.
fn listed<T>(
    f: &mut fmt::Formatter<'_>,
    all: &[T],
    each: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (number, one) in all.iter().enumerate() {
        f.write_str(if number > 0 { " | " } else { "" })?;
        each(f, one)?;
    }
    Ok(())
}
