//! Short rows as the tables of a level move them, found once: to find it takes as long as to move them.

use super::Shuffle;
use crate::level::Level;
#[cfg(target_arch = "x86_64")]
use alloc::vec::Vec;

/// What moves known rows of a Shuffle: where the first is written and read, the rows, the operand's first byte and the one after its last.
pub(crate) type MoveRows =
    unsafe fn(&Shuffle, *mut u8, *const u8, &KnownRows, *const u8, *const u8);

/// Rows of whole periods.
#[derive(Clone, Debug)]
pub(crate) struct KnownRows {
    /// It is that of the level and the tables.
    pub moved_by: MoveRows,
    pub level: Level,
    pub loops: RowLoops,
    /// Of a row.
    pub bytes: usize,
    /// Tiles of a row, from its place on.
    pub tiles: RowTiles,
    #[cfg_attr(
        not(any(
            target_arch = "x86_64",
            all(target_arch = "aarch64", target_feature = "neon")
        )),
        expect(dead_code, reason = "only vectors spill")
    )]
    pub spilled: Spilled,
    /// Where one more begins that ends with the row: in the destination and in the source.
    pub last: Option<(usize, isize)>,
    /// What a row reads, from its place.
    pub reach: (isize, isize),
    /// What all rows read, from the place of the first.
    pub reach_of_all: (isize, isize),
    /// Their tiles one by one, where that is how they are moved.
    #[cfg(target_arch = "x86_64")]
    pub listed: Option<ListedTiles>,
}

/// The tiles of all rows, those that are moved whole first: what one of these has too many, a later one or one of the others writes again.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Debug, Default)]
pub(crate) struct ListedTiles {
    pub whole: Vec<TileAt>,
    /// Tiles of which only so many bytes are written.
    pub cut: Vec<(TileAt, usize)>,
    /// The same, some of whose loads leave the operand.
    pub at_ends: Vec<(TileAt, usize)>,
    /// What those read that are not at its ends, from the place of the first row.
    pub reach: (isize, isize),
}

/// How far a tile is written and read from the place of the first row.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileAt {
    pub to: i32,
    pub from: i32,
}

#[cfg(target_arch = "x86_64")]
impl ListedTiles {
    pub fn heap_bytes(&self) -> usize {
        let others = self.cut.capacity() + self.at_ends.capacity();
        self.whole.capacity() * size_of::<TileAt>() + others * size_of::<(TileAt, usize)>()
    }
}

/// Rows, from the first of the innermost loop on, whose tiles are all moved whole: what is too much of the last one lies in later rows,
/// which write it again.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    not(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_feature = "neon")
    )),
    expect(dead_code, reason = "only vectors spill")
)]
pub(crate) struct Spilled {
    /// In the last turn of the loops around it.
    pub last: usize,
    /// In each other one.
    pub each: usize,
}

#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon")
))]
impl Spilled {
    /// Those of a turn of the loops around the innermost one, which may be the last.
    pub fn of_turn(self, is_last: bool) -> usize {
        if is_last { self.last } else { self.each }
    }
}

impl KnownRows {
    /// Whether vectors move all bytes.
    pub fn have_vectors(&self) -> bool {
        self.tiles.rest == 0 || self.tiles.cut > 0
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        #[cfg(target_arch = "x86_64")]
        {
            self.listed.as_ref().map_or(0, ListedTiles::heap_bytes)
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            0
        }
    }
}

/// The tiles of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowTiles {
    /// Whole ones.
    pub whole: usize,
    /// Those that are cut.
    pub cut: usize,
    /// Bytes of those that are cut, or of the row after the whole ones, or of whole rows, that no tile moves.
    pub rest: usize,
    /// How much earlier than where the whole ones end those that are cut begin, in the destination and in the source.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "only tiles with masks are cut")
    )]
    pub earlier: (usize, isize),
    /// Loads of the last vector of those that are cut which give some of its bytes.
    #[cfg(target_arch = "x86_64")]
    pub loads: usize,
}

impl RowTiles {
    #[cfg(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_feature = "neon")
    ))]
    pub const fn whole(whole: usize) -> Self {
        Self {
            whole,
            cut: 0,
            rest: 0,
            earlier: (0, 0),
            #[cfg(target_arch = "x86_64")]
            loads: usize::MAX,
        }
    }
}

/// The loops around rows, innermost last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowLoops(pub [RowLoop; 3]);

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowLoop {
    pub turns: usize,
    /// How far a turn is from the next in the destination and in the source.
    pub apart: (isize, isize),
}

impl RowLoops {
    /// A single row.
    pub const ONE: Self = Self([RowLoop::ONCE; 3]);

    /// Loops of these turns and strides, outermost first; `None` if they are too many.
    pub fn new(extents: &[usize], dst: &[i64], src: &[i64]) -> Option<Self> {
        let mut all = Self::ONE;
        let skipped = all.0.len().checked_sub(extents.len())?;
        let strides = dst.iter().zip(src);
        for ((one, &turns), (&dst, &src)) in all.0[skipped..].iter_mut().zip(extents).zip(strides) {
            let apart = (dst as isize, src as isize);
            *one = RowLoop { turns, apart };
        }
        Some(all)
    }

    /// The same around this loop, which is the innermost one.
    pub fn around(inner: RowLoop, extents: &[usize], dst: &[i64], src: &[i64]) -> Option<Self> {
        let [none, outermost, around] = Self::new(extents, dst, src)?.0;
        (none == RowLoop::ONCE).then_some(Self([outermost, around, inner]))
    }

    /// The innermost loop.
    pub fn inner(&self) -> RowLoop {
        self.0[self.0.len() - 1]
    }

    /// Whether the loops around the innermost one have a turn each.
    pub fn is_one(&self) -> bool {
        let [outermost, middle, _] = self.0;
        (outermost.turns, middle.turns) == (1, 1)
    }

    /// Rows of all turns.
    pub fn count(&self) -> usize {
        self.0.iter().map(|one| one.turns).product()
    }

    /// What all rows read, from the place of the first, by what one reads from its own.
    pub fn reach(&self, of_row: (isize, isize)) -> (isize, isize) {
        self.0.iter().fold(of_row, |(first, last), one| {
            let others = one.turns.saturating_sub(1) as isize * one.apart.1;
            (first + others.min(0), last + others.max(0))
        })
    }

    /// Whether each row begins with a vector of so many bytes of the result, the first of them at `dst`.
    #[cfg(target_arch = "x86_64")]
    pub fn begin_with<const VECTOR: usize>(&self, dst: *mut u8) -> bool {
        let strides = self.0.iter().fold(0, |all, one| all | one.apart.0);
        (dst.addr() | strides.cast_unsigned()).is_multiple_of(VECTOR)
    }

    /// Whether each row of `bytes` bytes begins in the destination where the one before it ends.
    #[cfg(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_feature = "neon")
    ))]
    pub fn touch(&self, bytes: usize) -> bool {
        let mut next = bytes as isize;
        self.0.iter().rev().all(|one| {
            let touches = one.turns == 1 || one.apart.0 == next;
            next *= one.turns as isize;
            touches
        })
    }

    /// How far every row is from the first, in the destination and in the source, and its number in the innermost loop.
    #[cfg(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_feature = "neon")
    ))]
    pub fn rows(&self) -> impl Iterator<Item = (isize, isize, usize)> {
        let [outermost, middle, inner] = self.0;
        let all = (0..outermost.turns).flat_map(move |i| (0..middle.turns).map(move |j| (i, j)));
        all.flat_map(move |(i, j)| {
            let turns = [(outermost, i), (middle, j)].map(|(one, turn)| one.place(turn));
            (0..inner.turns).map(move |k| {
                let own = inner.place(k);
                let [(to_i, from_i), (to_j, from_j)] = turns;
                (to_i + to_j + own.0, from_i + from_j + own.1, k)
            })
        })
    }

    /// How far the last turn of the loops around the innermost one is from the first, in the destination and in the source.
    #[cfg(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_feature = "neon")
    ))]
    pub fn last_turn(&self) -> (isize, isize) {
        let [outermost, middle, _] = self.0;
        let [one, other] = [outermost, middle].map(|turns| turns.place(turns.turns - 1));
        (one.0 + other.0, one.1 + other.1)
    }

    /// Calls `each` with how far every turn of the loops around the innermost one is from the first, in the destination and in the source.
    #[inline(always)]
    pub fn outer(&self, mut each: impl FnMut(isize, isize)) {
        let [outermost, middle, _] = self.0;
        for i in 0..outermost.turns as isize {
            for j in 0..middle.turns as isize {
                let place = |a: isize, b: isize| i * a + j * b;
                let to = place(outermost.apart.0, middle.apart.0);
                each(to, place(outermost.apart.1, middle.apart.1));
            }
        }
    }
}

impl RowLoop {
    const ONCE: Self = Self {
        turns: 1,
        apart: (0, 0),
    };

    /// How far a turn is from the first.
    #[cfg(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_feature = "neon")
    ))]
    fn place(&self, turn: usize) -> (isize, isize) {
        let (to, from) = self.apart;
        (turn as isize * to, turn as isize * from)
    }
}
