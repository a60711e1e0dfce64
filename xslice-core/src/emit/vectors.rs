//! Small patterns and short rows by vectors that their reader's compiler knows: constants of [`crate::fixed::VectorRows`].
//!
//! What stands behind them is done where the processor has no such vectors.

use super::Emitter;
use super::fixed::compilers_make_vectors;
use crate::access::Buffer;
use crate::fixed::{MOST_AROUND, VectorLoop};
use crate::nest::schedule::{Move, Periods, Schedule, Strided, constant_in};
use crate::nest::{LoopNest, Source};
use crate::plan::PlannedNest;
use crate::shuffle::{Anchor, LINE, LOAD_COST, Load, MASKS, Pattern, RowLoops, Shuffle, Tables};
use alloc::{format, string::String, vec, vec::Vec};
use core::ops::RangeInclusive;

/// Vectors that are stored, at most: beside more of them the call of a Move weighs little.
const MOST_STORES: usize = 128;

/// Loads of a tile, at most: each has an order, in the text and in a register.
const MOST_ORDERS: usize = 9;

/// Fewer lines of the result take as long by vectors of 16 bytes.
const LEAST_LINES: usize = 7;

/// What runs one by one cost at least, as [`Pattern::cost_of_runs`] counts: 32 of 4 bytes. Fewer are over as soon.
const LEAST: usize = 1 << 7;

/// Bytes of rows that are copied so: those of fewer are as quick by parts of 16 bytes, those of more by `memcpy`.
const COPIED: RangeInclusive<usize> = 129..=1 << 10;

/// Bytes of all rows that are copied so, at most: where there are more, lines are fetched ahead.
const MOST_COPIED: usize = 16 << 10;

/// Bytes of destination and source.
fn lens(nest: &LoopNest) -> [usize; 2] {
    let size = nest.element_type().size();
    [nest.destination_len(), nest.source_len()].map(|len| len * size)
}

/// The loops of a schedule.
fn around(schedule: &Schedule) -> impl Iterator<Item = VectorLoop> {
    let strides = schedule.dst().strides.iter().zip(&schedule.src().strides);
    let around = schedule.extents().iter().zip(strides);
    around.map(|(&turns, (&dst, &src))| (turns, [dst as isize, src as isize]))
}

/// What a [`VectorRows`](crate::fixed::VectorRows) is made of.
struct Rows {
    /// Bytes of destination and source.
    lens: [usize; 2],
    first: [i64; 2],
    around: Vec<VectorLoop>,
    period: usize,
    row: Tiled,
}

/// A row by the tiles of some tables.
struct Tiled {
    tables: Tables<64>,
    /// Tiles of which all that loads give is stored.
    whole: usize,
    /// What is left after them, and where it begins in destination and source.
    last: (usize, [isize; 2]),
}

impl Tiled {
    /// Rows of `bytes` bytes. A tile that fills its vectors may overlap the one before it at the end.
    fn new(bytes: usize, pattern: &Pattern, tables: Tables<64>) -> Self {
        let (tile, given) = (tables.tile, tables.given);
        let whole = bytes.checked_sub(given).map_or(0, |rest| rest / tile + 1);
        let done = match whole {
            0 => 0,
            _ => (whole - 1) * tile + given,
        };
        let at = match whole > 0 && tables.fill_vectors() {
            true => bytes - tile,
            false => whole * tile,
        };
        let last = match bytes - done {
            0 => (0, [0, 0]),
            _ => (bytes - at, [at as isize, pattern.place(at)]),
        };
        Self {
            tables,
            whole,
            last,
        }
    }

    /// What its loads reach, from the place of the row.
    fn reach(&self) -> (isize, isize) {
        let (tables, (bytes, [_, place])) = (&self.tables, self.last);
        let end = match bytes {
            0 => (self.whole as isize - 1) * tables.src_stride,
            _ => place,
        };
        (tables.reach.0 + end.min(0), tables.reach.1 + end.max(0))
    }

    /// Permutations of a tile, and masks: by what each load but the first of a vector gives, and by what each reads where some would leave
    /// the source.
    fn steps(&self, are_inside: bool) -> (usize, usize) {
        let (loads, vectors) = (self.tables.loads.len(), self.tables.vectors);
        let reads = if are_inside { 0 } else { loads };
        match self.tables.by_words() {
            Some(_) => (loads - vectors, reads),
            None => (loads, loads - vectors + reads),
        }
    }

    /// Whether its tiles begin with lines of the destination wherever that lies, and are so many that it pays.
    fn are_lines(&self, pattern: &Pattern) -> bool {
        let tables = &self.tables;
        (tables.vectors, tables.tile, tables.given) == (1, LINE, LINE)
            && LINE.is_multiple_of(pattern.period())
            && self.whole >= LEAST_LINES
    }

    /// Whether it pays, beside what compilers make of the moves of its runs, whose numbers they know: where these are single units of 4 or
    /// 8 bytes side by side, vectors of 16 bytes, which straddle no lines.
    fn pays(&self, pattern: &Pattern, are_vectors: bool, are_inside: bool) -> bool {
        let (permutations, masks) = self.steps(are_inside);
        let runs = self.tables.tile / pattern.period() * pattern.cost_of_runs();
        let is_quick = match pattern.unit() {
            1 | 2 => true,
            4 if !are_vectors => true,
            _ => self.are_lines(pattern),
        };
        is_quick && masks <= MASKS && 2 * runs >= 5 * LOAD_COST * permutations
    }

    /// Vectors that are stored.
    fn stores(&self) -> usize {
        (self.whole + usize::from(self.last.0 > 0)) * self.tables.vectors
    }
}

impl Rows {
    /// Those of a schedule for vectors of 64 bytes, if that pays.
    fn of(nest: &LoopNest, schedule: &Schedule) -> Option<Self> {
        match schedule.inner() {
            Move::Shuffle(periods) => Self::shuffled(nest, schedule, periods),
            Move::Strided(rows) => Self::copied(nest, schedule, rows),
            Move::Copy { .. } | Move::Lookup(_) | Move::Fill(_) => None,
        }
    }

    fn shuffled(nest: &LoopNest, schedule: &Schedule, periods: &Periods) -> Option<Self> {
        let Periods { count, shuffle, .. } = periods;
        let (src, lens) = (schedule.src(), lens(nest));
        let loops = RowLoops::new(schedule.extents(), &schedule.dst().strides, &src.strides)?;
        let holds = |of_row| {
            let (first, end) = loops.reach(of_row);
            let place = src.offset as isize;
            place.saturating_add(first) >= 0 && place.saturating_add(end) <= lens[1] as isize
        };
        let (pattern, row) = (shuffle.pattern(), tiled(shuffle, *count, holds)?);
        let (rows, tables) = (loops.count(), &row.tables);
        let pays = rows * row.stores() <= MOST_STORES
            && tables.loads.len() <= MOST_ORDERS
            && rows * count * pattern.cost_of_runs() >= LEAST
            && row.pays(pattern, compilers_make_vectors(nest), holds(row.reach()));
        (pays && src.is_affine()).then(|| Self {
            lens,
            first: [schedule.dst().offset, src.offset],
            around: around(schedule).collect(),
            period: pattern.period(),
            row,
        })
    }

    /// Rows of neighbouring bytes: the pattern of a byte.
    fn copied(nest: &LoopNest, schedule: &Schedule, rows: &Strided) -> Option<Self> {
        let pattern = Pattern::new(vec![0], Some(1), false, Anchor::First)?;
        let row = Tiled::new(rows.bytes, &pattern, Tables::wide(&pattern)?);
        let inner = [rows.dst_stride, rows.src_stride].map(|stride| stride as isize);
        let around: Vec<_> = around(schedule).chain([(rows.count, inner)]).collect();
        let pays = COPIED.contains(&rows.bytes) && schedule.bytes() <= MOST_COPIED;
        let is_affine = schedule.src().is_affine();
        (pays && is_affine && around.len() <= MOST_AROUND).then(|| Self {
            lens: lens(nest),
            first: [schedule.dst().offset, schedule.src().offset],
            around,
            period: pattern.period(),
            row,
        })
    }

    /// As they are constructed: the numbers, one on a line.
    fn lines(&self) -> Vec<String> {
        let load = |Load { offset, bytes, .. }: &Load<64>| {
            let order: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
            format!("({offset}, *b\"{order}\")")
        };
        let (tables, row) = (&self.row.tables, &self.row);
        let vectors = tables.loads.chunks(tables.per_vector);
        let vectors = vectors.map(|loads| format!("[{}]", listed(loads.iter().map(load))));
        vec![
            format!("{:?}", self.lens),
            format!("{:?}", self.first),
            format!("&{:?}", self.around),
            format!("({}, [{}, {}])", row.whole, tables.tile, tables.src_stride),
            format!("[{}, {}]", self.period, tables.given),
            format!("{:?}", row.last),
            format!("[{}]", listed(vectors)),
        ]
    }
}

fn listed(each: impl Iterator<Item = String>) -> String {
    each.collect::<Vec<_>>().join(", ")
}

/// Rows of `count` periods, by loads that all lie inside the source, which `holds` says of what a row reaches, if there are such.
fn tiled(shuffle: &Shuffle, count: usize, holds: impl Fn((isize, isize)) -> bool) -> Option<Tiled> {
    let pattern = shuffle.pattern();
    let by = |pattern: &Pattern, tables| Tiled::new(count * pattern.period(), pattern, tables);
    let first = by(pattern, shuffle.wide()?.clone());
    if holds(first.reach()) {
        return Some(first);
    }
    let periods = first.tables.tile / pattern.period();
    let mut others = pattern.by_other_loads(count, (LINE, periods), &holds);
    let other = others.find_map(|other| {
        let other = by(&other, Tables::wide(&other)?);
        holds(other.reach()).then_some(other)
    });
    Some(other.unwrap_or(first))
}

/// A nest by vectors in place.
pub(super) struct InPlace {
    source: Buffer,
    rows: Rows,
}

impl Emitter<'_> {
    /// The nest by vectors in place, if that pays.
    pub(super) fn in_place(&self, planned: &PlannedNest) -> Option<InPlace> {
        let nest = planned.nest();
        let Source::Buffer(source) = nest.source() else {
            return None;
        };
        if self.is_const() {
            return None;
        }
        let schedule = Schedule::for_lines(nest, &constant_in(self.plan.constants()))?;
        let rows = Rows::of(nest, &schedule)?;
        Some(InPlace { source, rows })
    }

    /// Writes a nest by vectors in place, and behind them what is done where the processor has none.
    pub(super) fn by_vectors(&mut self, in_place: &InPlace, planned: &PlannedNest) {
        let (root, tables) = (self.wanted.root, &in_place.rows.row.tables);
        let (vectors, loads) = (tables.vectors, tables.per_vector);
        let name = format!("{}VECTORS{}", self.constants.prefix(), self.in_place);
        self.in_place += 1;
        let (path, types) = (
            format!("{root}::__private::Vector"),
            format!("<{vectors}, {loads}>"),
        );
        self.line(format_args!("struct {name};"));
        self.open(format_args!("impl {path}s{types} for {name}"));
        self.line(format_args!(
            "const ROWS: {path}Rows{types} = {path}Rows::new("
        ));
        self.depth += 1;
        for numbers in in_place.rows.lines() {
            self.line(format_args!("{numbers},"));
        }
        self.depth -= 1;
        self.line(format_args!(");"));
        self.close();
        let source = self.reference(in_place.source);
        let target = self.target(planned.scratch());
        let target = format!("{}{target}", self.mutable(&target));
        self.open(format_args!(
            "if !{root}::__private::by_vectors({source}, {target}, {name})"
        ));
        match self.one_nest(planned) {
            Some(call) => self.write(&call, false),
            None => self.nest(planned),
        }
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{Access, Lookup};
    use crate::fixed::VectorRows;
    use crate::plan::{Plan, Step};
    use crate::{ElementType, Program, Signature};

    /// Which byte of the source stands at each byte of a destination; `None`: no one knows.
    type Map = Vec<Option<usize>>;

    /// What a nest says.
    fn wanted(nest: &LoopNest, plan: &Plan) -> Map {
        let index = constant_in(plan.constants());
        let index =
            |lookup: &Lookup, at: i64| index(lookup.table, at as usize).expect("a constant");
        let size = nest.element_type().size();
        let mut map = vec![None; nest.destination_len() * size];
        let count: usize = nest.extents().iter().product();
        for turn in 0..count {
            let mut rest = turn;
            let mut counters: Vec<usize> = nest.extents().to_vec();
            for counter in counters.iter_mut().rev() {
                let extent = *counter;
                (*counter, rest) = (rest % extent, rest / extent);
            }
            let at = |access: &Access| access.position(&counters, &index) as usize * size;
            let (to, from) = (at(nest.dst()), at(nest.src()));
            (0..nest.block() * size).for_each(|byte| map[to + byte] = Some(from + byte));
        }
        map
    }

    /// What rows move, in the order of a processor, of which every load and byte is looked at; all of them from their first byte on, where a
    /// processor begins with lines of the destination if it can.
    fn moved<const VECTORS: usize, const LOADS: usize>(rows: &VectorRows<VECTORS, LOADS>) -> Map {
        let mut map = vec![None; rows.lens[0]];
        let place = |[to, from]: [isize; 2], [dst, src]: [isize; 2], turn: usize| {
            [to + turn as isize * dst, from + turn as isize * src]
        };
        let mut tile = |[to, from]: [isize; 2], bytes: usize| {
            for v in 0..bytes.div_ceil(64) {
                let mut vector = [None; 64];
                for (l, (offset, order)) in rows.loads[v].iter().enumerate() {
                    let reads = match bytes >= rows.stored {
                        true => rows.reads[v][l],
                        false => rows.used(v * LOADS + l, bytes),
                    };
                    for (byte, from_load) in order.iter().enumerate() {
                        let source = from + offset + *from_load as isize;
                        let is_given = rows.gives[v][l] >> byte & 1 == 1;
                        assert_eq!(is_given, *from_load < 64);
                        if is_given && reads >> from_load & 1 == 1 {
                            assert!((0..rows.lens[1] as isize).contains(&source), "{rows:?}");
                            vector[byte] = Some(source as usize);
                        }
                    }
                    let (first, end) = (from + offset, from + offset + 64);
                    let is_inside = 0 <= first && end <= rows.lens[1] as isize;
                    assert!(is_inside || rows.is_masked, "{rows:?}");
                }
                let stored = (bytes - v * 64).min(64);
                let to = to as usize + v * 64;
                map[to..to + stored].copy_from_slice(&vector[..stored]);
            }
        };
        let [a, b, c] = rows.around;
        for i in 0..a.0 {
            for j in 0..b.0 {
                for k in 0..c.0 {
                    let row = place(place(place(rows.first, a.1, i), b.1, j), c.1, k);
                    for t in 0..rows.tiles.0 {
                        let (spilled, width) = rows.spilled;
                        let bytes = if t < spilled { width } else { rows.stored };
                        tile(place(row, rows.tiles.1, t), bytes);
                    }
                    tile(place(row, rows.last.1, 1), rows.last.0);
                }
            }
        }
        map
    }

    /// Those rows as a value: what the compiler makes of their text.
    fn built<const VECTORS: usize, const LOADS: usize>(of: &Rows) -> VectorRows<VECTORS, LOADS> {
        let load = |v: usize, l: usize| {
            let load = &of.row.tables.loads[v * LOADS + l];
            (load.offset, load.bytes)
        };
        let tables = &of.row.tables;
        VectorRows::new(
            of.lens,
            of.first.map(|first| first as isize),
            &of.around,
            (of.row.whole, [tables.tile as isize, tables.src_stride]),
            [of.period, tables.given],
            of.row.last,
            core::array::from_fn(|v| core::array::from_fn(|l| load(v, l))),
        )
    }

    /// What was met.
    #[derive(Debug)]
    struct Found {
        shape: (usize, usize),
        around: usize,
        tiles: usize,
        last: usize,
        spilled: usize,
        is_masked: bool,
    }

    impl Found {
        fn new(rows: &Rows, spilled: usize, is_masked: bool) -> Self {
            Self {
                shape: (rows.row.tables.vectors, rows.row.tables.per_vector),
                around: rows.around.len(),
                tiles: rows.row.whole,
                last: rows.row.last.0,
                spilled,
                is_masked,
            }
        }
    }

    /// Whether the nest of a text is moved by vectors in place, as it says then.
    fn agrees(text: &str, ty: ElementType, dims: &[usize]) -> Option<Found> {
        let program = Program::parse(text).expect("a legal text");
        let signature = Signature::new().operand(ty, dims);
        let plan = program.compile(&signature).expect("a legal program");
        let [Step::Nest(planned)] = plan.steps() else {
            return None;
        };
        let nest = planned.nest();
        let schedule = Schedule::for_lines(nest, &constant_in(plan.constants()))?;
        let rows = Rows::of(nest, &schedule)?;
        macro_rules! each {
            ($(($vectors:literal, $loads:literal))*) => {
                match (rows.row.tables.vectors, rows.row.tables.per_vector) {
                    $(($vectors, $loads) => {
                        let built = built::<$vectors, $loads>(&rows);
                        (moved(&built), Found::new(&rows, built.spilled.0, built.is_masked))
                    })*
                    shape => panic!("{text} {dims:?}: {shape:?} is a shape to be listed here"),
                }
            };
        }
        let (map, found) = each! {
            (1, 1) (1, 2) (1, 3) (1, 4) (1, 5) (1, 6) (1, 7) (1, 8) (2, 1) (2, 2) (2, 3) (2, 4) (3, 1) (3, 2) (3, 3) (5, 1) (7, 1)
        };
        let wanted = wanted(nest, &plan);
        let first = map
            .iter()
            .zip(&wanted)
            .position(|(got, wanted)| got != wanted);
        assert_eq!(
            first, None,
            "{text} {ty} {dims:?}: the first byte that is another"
        );
        Some(found)
    }

    #[test]
    fn rows_in_place_move_what_their_nest_says() {
        let texts = [
            "x[..., ::-1]",
            "x[..., ::2]",
            "x[..., 1::3]",
            "x[..., ::-4]",
            "x[..., 2:]",
            "x[::-1]",
            "x[::2, ::-1]",
            "x[::-2, 1::2]",
            "x[1:, :-1]",
            "x[:, ::-1, ::-2]",
            "x[::-1, ::2, :3]",
            "x[..., [2, 0, 1]]",
            "x[:, [1, 0]]",
        ];
        let shapes: [&[usize]; 11] = [
            &[16, 16, 3],
            &[8, 8, 4],
            &[5, 7, 6],
            &[3, 4, 9],
            &[2, 30, 5],
            &[40, 3, 3],
            &[6, 5, 12],
            &[2, 3, 64],
            &[7, 3, 17],
            &[4, 4, 4, 4, 4, 4],
            &[4, 4, 4, 6],
        ];
        let mut found = Vec::new();
        for text in texts {
            for dims in shapes {
                for ty in [
                    ElementType::U8,
                    ElementType::I16,
                    ElementType::F32,
                    ElementType::F64,
                ] {
                    found.extend(agrees(text, ty, dims));
                }
            }
        }
        found.extend(agrees(
            "x[:, ::2, ::-1, 1:4]",
            ElementType::I16,
            &[54, 3, 3, 4],
        ));
        found.extend(agrees("x[3:4, 3:23, ::-1]", ElementType::U8, &[8, 2000, 3]));
        found.extend(agrees(
            "x[::3, 1::3, ::-3, ::2]",
            ElementType::U8,
            &[6, 6, 6, 160],
        ));
        for (text, dims) in [
            ("x[:, 3:140]", &[9, 200][..]),
            ("x[::-1]", &[7, 192]),
            ("x[::2, ::-1, 1:]", &[4, 3, 600]),
            ("x[::-2, :, ::2, 1:]", &[3, 2, 3, 1025]),
            ("x[::-1, ::2]", &[2, 5, 129]),
        ] {
            found.push(agrees(text, ElementType::U8, dims).expect("rows that are copied"));
        }
        assert!(found.len() > 150, "{} are moved in place", found.len());
        // Tiles of one vector and of several, which overlap, spill, end with a part of one, or have masks.
        let has = |what, is: fn(&Found) -> bool| {
            assert!(found.iter().any(is), "none {what}");
        };
        has("is one vector of one load", |found| found.shape == (1, 1));
        has("is one of five loads", |found| found.shape == (1, 5));
        has("is of three vectors", |found| found.shape == (3, 2));
        has("stands in three loops", |found| found.around == 3);
        has("spills up to its end", |found| {
            found.spilled > 0 && found.last == 0
        });
        has("spills and has a rest", |found| {
            found.spilled > 0 && found.last > 0
        });
        has("is a part of a tile", |found| found.tiles == 0);
        has("has masks", |found| found.is_masked && found.shape.1 > 1);
    }
}
