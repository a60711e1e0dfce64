//! Short runs as vectors, for code that knows its numbers.
//!
//! The innermost turns that lie side by side in the destination make a group. Where its bytes come from is known, so that each 16 bytes of
//! it are a few loads whose bytes are put in order, and one store: a row that runs backwards, or takes every second element, costs as many
//! instructions as vectors, not as elements. Loads lie between the first and the last byte that the group reads, which are in the operand
//! (I3).

use crate::origin::{self, Loop, Run, bytes_of};
use std::collections::HashSet;
use std::ops::Range;
use xslice_core::ir::{Move, Periods, Schedule};

/// Bytes of a vector.
const VECTOR: usize = 16;

/// Bytes of a group at most.
const MOST_GROUP: usize = 256;

/// Loads of one vector at most.
const MOST_LOADS: usize = 4;

/// Results of more bytes have to gain twice: what is read and written counts as well, and the model was not fitted to them.
const MOST_FITTED: usize = 8 << 10;

/// What a precompiled Shuffle costs: a call and what it sets up, each of its rows, less where they are known, and each load of a vector, more
/// where a tile is no whole vectors. An instruction of code in place is 1. Fitted to 950 patterns of 1, 3 and 7 KB; known rows to 145 of up to
/// 4 KB; rows that lie anywhere to the phases of images, of 1 KB a row.
const OF_CALL: usize = 500;
const OF_KNOWN_CALL: usize = 100;
const OF_ROW: usize = 20;
const OF_KNOWN_ROW: usize = 8;
const OF_ROW_ANYWHERE: usize = 180;
const OF_LOAD: usize = 6;
const OF_STRADDLING_LOAD: usize = 9;

/// What a vector costs in place at least: a load, an instruction that puts it in order, a store.
const LEAST_COST: usize = 3;

/// Positions in a group are immediates.
const MOST_REACH: i64 = 1 << 19;

/// In an order: the byte comes from another load.
const NONE: u8 = 0x80;

/// A load of 16 bytes, from the place of the group, and the byte of it for each byte of the vector.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Load {
    pub offset: i32,
    pub order: [u8; VECTOR],
}

impl Load {
    /// One that gives the bytes of `part`, which come `from` there, if they lie close enough; none from `high` on is read.
    fn of(part: Range<usize>, from: &[i64], high: i64) -> Option<Self> {
        let first = *from[part.clone()].iter().min()?;
        let offset = first.min(high - VECTOR as i64);
        let mut order = [NONE; VECTOR];
        for (byte, &at) in order[part.clone()].iter_mut().zip(&from[part]) {
            let within = u8::try_from(at - offset).ok()?;
            *byte = Some(within).filter(|&within| usize::from(within) < VECTOR)?;
        }
        Some(Self {
            offset: offset as i32,
            order,
        })
    }

    /// One that gives the same and begins at a multiple of [`VECTOR`], counted `from_start` of the operand, if that is at `low` or after it.
    fn aligned(&self, from_start: i64, low: i64) -> Option<Self> {
        let earlier = (from_start + i64::from(self.offset)).rem_euclid(VECTOR as i64);
        let last = *self.order.iter().filter(|&&byte| byte != NONE).max()?;
        let offset = i64::from(self.offset) - earlier;
        let fits = i64::from(last) + earlier < VECTOR as i64 && offset >= low;
        fits.then(|| Self {
            offset: offset as i32,
            order: self.order.map(|byte| match byte {
                NONE => NONE,
                byte => byte + earlier as u8,
            }),
        })
    }

    /// Whether it gives these bytes and no others.
    fn gives(&self, part: Range<usize>) -> bool {
        let mut order = self.order.iter().enumerate();
        order.all(|(at, &byte)| part.contains(&at) == (byte != NONE))
    }

    /// Whether it is the vector as it is.
    fn is_in_order(&self) -> bool {
        self.order.iter().zip(0..).all(|(&byte, at)| byte == at)
    }
}

/// The halves of a vector.
const LOW: Range<usize> = 0..VECTOR / 2;
const HIGH: Range<usize> = VECTOR / 2..VECTOR;

/// 16 bytes of the destination, from the place of the group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Vector {
    pub at: i32,
    pub loads: Vec<Load>,
}

impl Vector {
    /// The same bytes by loads that lie in one line of memory where the operand begins with one, as far as that takes no more
    /// instructions.
    fn aligned(&self, base: i64, low: i64) -> Self {
        let align = |load: &Load| load.aligned(base, low).unwrap_or_else(|| load.clone());
        let aligned = Self {
            at: self.at,
            loads: self.loads.iter().map(align).collect(),
        };
        match self.in_words().is_none() || aligned.in_words().is_some() {
            true => aligned,
            false => self.clone(),
        }
    }

    /// The orders that are kept in registers: all that is not in place already, unless one instruction has it as an immediate.
    pub fn kept_orders(&self) -> impl Iterator<Item = [u8; VECTOR]> {
        let in_words = self.in_words().is_some();
        let loads = self
            .loads
            .iter()
            .filter(move |load| !in_words && !load.is_in_order());
        loads.map(|load| load.order)
    }

    /// The bytes as those of the only load, or of the first and, from [`VECTOR`] on, of the second one, if one instruction of x86-64 puts
    /// them in order: words of 4 bytes, each half of them out of one load.
    pub fn in_words(&self) -> Option<[u8; VECTOR]> {
        let bytes = match &self.loads[..] {
            [only] => only.order,
            [low, high] if low.gives(LOW) && high.gives(HIGH) => {
                let mut bytes = low.order;
                for (byte, from) in bytes[HIGH].iter_mut().zip(&high.order[HIGH]) {
                    *byte = from + VECTOR as u8;
                }
                bytes
            }
            _ => return None,
        };
        let (words, _) = bytes.as_chunks::<4>();
        let is_word = |word: &[u8; 4]| {
            let in_order = word.iter().zip(word[0]..).all(|(&byte, at)| byte == at);
            word[0].is_multiple_of(4) && in_order
        };
        (cfg!(target_arch = "x86_64") && words.iter().all(is_word)).then_some(bytes)
    }
}

/// The innermost turns of a schedule as vectors.
#[derive(Debug)]
pub(crate) struct Group {
    pub vectors: Vec<Vector>,
    /// Loops around the turns of groups.
    pub loops: usize,
    /// Turns of groups.
    pub turns: Loop,
}

/// The innermost turns of a schedule as vectors, if that takes fewer instructions than its runs one by one.
pub(crate) fn group(schedule: &Schedule) -> Option<Group> {
    if !host_orders_bytes() || !schedule.src().is_affine() {
        return None;
    }
    let most = match schedule.inner() {
        Move::Shuffle(periods) => cost_of_move(schedule, periods),
        _ => usize::MAX,
    };
    if schedule.bytes() / VECTOR * LEAST_COST > most {
        return None;
    }
    let (runs, loops, turns) = side_by_side(schedule)?;
    let of_all = |cost: usize, bytes: usize| cost.saturating_mul(schedule.bytes() / bytes);
    let longer = part(&runs, turns).into_iter();
    let (cost, group) = longer
        .chain([(runs, turns)])
        .filter_map(|(runs, turns)| {
            let from = places(&runs);
            let (vectors, cost) = vectors(&from, schedule.src().offset)?;
            let group = Group {
                vectors,
                loops,
                turns,
            };
            Some((of_all(cost, from.len()), group))
        })
        .min_by_key(|&(cost, _)| cost)?;
    (cost <= most).then_some(group)
}

/// The innermost turns that lie side by side, all turns of some loops, as few bytes as a group has: their runs, the loops around, and the
/// turns of the innermost of these. `None`: runs are longer than vectors, or not known.
fn side_by_side(schedule: &Schedule) -> Option<(Vec<Run>, usize, Loop)> {
    let is_short = match schedule.inner() {
        Move::Copy { bytes } => *bytes < VECTOR,
        Move::Strided(rows) => rows.bytes < VECTOR,
        Move::Shuffle(_) => true,
        Move::Lookup(_) | Move::Fill(_) => false,
    };
    let (mut runs, loops) = origin::of(schedule).filter(|_| is_short)?;
    for (around, &turns) in loops.iter().enumerate().rev() {
        let bytes = bytes_of(&runs);
        if turns.dst != bytes as i64 || turns.count > MOST_GROUP / bytes {
            return Some((runs, around, turns));
        }
        runs = turns.repeated(&runs);
    }
    let (count, dst, src) = (1, 0, 0);
    Some((runs, 0, Loop { count, dst, src }))
}

/// Several turns, if they lie side by side: as many as a group has room for and as divide all of them.
fn part(runs: &[Run], turns: Loop) -> Option<(Vec<Run>, Loop)> {
    let bytes = bytes_of(runs);
    let most = (MOST_GROUP / bytes).min(turns.count);
    let count = (2..=most)
        .rev()
        .find(|&part| turns.count.is_multiple_of(part))?;
    (turns.dst == bytes as i64).then(|| {
        let rest = Loop {
            count: turns.count / count,
            dst: turns.dst.wrapping_mul(count as i64),
            src: turns.src.wrapping_mul(count as i64),
        };
        (Loop { count, ..turns }.repeated(runs), rest)
    })
}

/// Where each byte comes from.
fn places(runs: &[Run]) -> Vec<i64> {
    let each = |run: &Run| run.src..run.src.wrapping_add(run.bytes as i64);
    runs.iter().flat_map(each).collect()
}

/// What code in place may cost instead of the shuffle of a schedule as it is precompiled.
fn cost_of_move(schedule: &Schedule, periods: &Periods) -> usize {
    let (outer, inner) = schedule.extents().split_at(schedule.outer_loops());
    let (calls, rows) = (
        outer.iter().product::<usize>(),
        inner.iter().product::<usize>(),
    );
    let loads = periods.shuffle.loads(periods.count);
    let each = loads.saturating_mul(match periods.shuffle.fills_vectors() {
        true => OF_LOAD,
        false => OF_STRADDLING_LOAD,
    });
    let (call, of_row) = match (schedule.knows_rows(), schedule.rows_lie_anywhere()) {
        (true, _) => (OF_KNOWN_CALL, OF_KNOWN_ROW),
        (false, true) => (OF_CALL, OF_ROW_ANYWHERE),
        (false, false) => (OF_CALL, OF_ROW),
    };
    let of_call = rows
        .saturating_mul(of_row.saturating_add(each))
        .saturating_add(call);
    let all = calls.saturating_mul(of_call);
    match schedule.bytes() {
        ..=MOST_FITTED => all,
        _ => all / 2,
    }
}

/// Whether code can order the bytes of a vector by another.
fn host_orders_bytes() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("ssse3")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        cfg!(all(target_arch = "aarch64", target_endian = "little"))
    }
}

/// The vectors of a group whose place is `base`, the last one overlapping the one before it, and their instructions; `None` if runs one
/// by one take no more.
fn vectors(from: &[i64], base: i64) -> Option<(Vec<Vector>, usize)> {
    let (low, high) = (*from.iter().min()?, *from.iter().max()? + 1);
    let is_near = low >= -MOST_REACH && high <= MOST_REACH;
    if from.len() < VECTOR || high - low < VECTOR as i64 || !is_near {
        return None;
    }
    let last = from.len() - VECTOR;
    let at = (0..from.len().div_ceil(VECTOR)).map(|vector| (vector * VECTOR).min(last));
    let vectors: Option<Vec<_>> = at
        .map(|at| {
            let loads = loads(&from[at..at + VECTOR], high)?;
            let at = at as i32;
            Some(Vector { at, loads })
        })
        .collect();
    let vectors = vectors?;
    let aligned: Vec<_> = vectors.iter().map(|each| each.aligned(base, low)).collect();
    let kept = |vectors: &[Vector]| {
        let orders = vectors.iter().flat_map(Vector::kept_orders);
        orders.collect::<HashSet<_>>().len()
    };
    let vectors = match kept(&aligned) <= kept(&vectors) {
        true => aligned,
        false => vectors,
    };
    // A load, an order and a merge each, then a store, or loads, one instruction and a store; or a load and a store for each unit.
    let cost = |vector: &Vector| match vector.in_words() {
        Some(_) => vector.loads.len() + 2,
        None => 3 * vector.loads.len(),
    };
    let by_vectors: usize = vectors.iter().map(cost).sum();
    (by_vectors < 2 * from.len() / unit(from)).then_some((vectors, by_vectors))
}

/// Bytes that stay together.
fn unit(from: &[i64]) -> usize {
    let together = |unit: &usize| {
        let units = from.chunks(*unit);
        from.len().is_multiple_of(*unit)
            && units.into_iter().all(|unit| {
                let mut pairs = unit.iter().zip(&unit[1..]);
                pairs.all(|(&one, &next)| next == one + 1)
            })
    };
    [8, 4, 2].into_iter().find(together).unwrap_or(1)
}

/// The loads of a vector whose bytes come `from` there; none from `high` on is read. `None` if they are too many.
fn loads(from: &[i64], high: i64) -> Option<Vec<Load>> {
    let load = |part| Load::of(part, from, high);
    if let Some(only) = load(0..VECTOR) {
        return Some(vec![only]);
    }
    if let (Some(low), Some(high)) = (load(LOW), load(HIGH)) {
        return Some(vec![low, high]);
    }
    let mut loads = Vec::new();
    let mut given = [false; VECTOR];
    let missing = |given: &[bool; VECTOR]| {
        let left = from.iter().zip(given).filter(|(_, given)| !**given);
        left.map(|(&at, _)| at).min()
    };
    while let Some(first) = missing(&given) {
        if loads.len() == MOST_LOADS {
            return None;
        }
        let offset = first.min(high - VECTOR as i64);
        let mut order = [NONE; VECTOR];
        for ((byte, given), &at) in order.iter_mut().zip(&mut given).zip(from) {
            if !*given && (offset..offset + VECTOR as i64).contains(&at) {
                (*byte, *given) = ((at - offset) as u8, true);
            }
        }
        loads.push(Load {
            offset: offset as i32,
            order,
        });
    }
    Some(loads)
}

#[cfg(test)]
mod tests {
    use super::*;
    use xslice_core::{ElementType, Plan, Program, Signature};

    fn plan(text: &str) -> Plan {
        let program = Program::parse(text).expect(text);
        program
            .compile(&Signature::new().operand(ElementType::U8, &[6, 8, 4]))
            .expect(text)
    }

    fn group_of(plan: &Plan) -> Option<Group> {
        plan.nests().find_map(|nest| group(nest.schedule()?))
    }

    #[test]
    fn short_runs_become_vectors_and_long_ones_do_not() {
        for (text, bytes) in [
            ("x[:, 6:1:-1, 3:0:-1]", Some(90)),
            ("x[..., 0]", Some(48)),
            ("x[:, 1:7]", None),
            ("x[0, 0, 1:]", None),
        ] {
            let found = group_of(&plan(text)).map(|group| {
                assert_eq!((group.loops, group.turns.count), (0, 1), "{text}");
                group
                    .vectors
                    .last()
                    .map_or(0, |vector| vector.at as usize + VECTOR)
            });
            assert_eq!(found, bytes.filter(|_| host_orders_bytes()), "{text}");
        }
    }

    /// Each byte is given by one load, from where it lies, and no load leaves what the group reads.
    fn assert_gives(vectors: &[Vector], from: &[i64]) {
        let (low, high) = (from.iter().min().unwrap(), from.iter().max().unwrap() + 1);
        for vector in vectors {
            for (k, &at) in from[vector.at as usize..][..VECTOR].iter().enumerate() {
                let given = vector.loads.iter().filter(|load| load.order[k] != NONE);
                let places = given.map(|load| i64::from(load.offset) + i64::from(load.order[k]));
                assert_eq!(places.collect::<Vec<_>>(), [at]);
            }
            let in_words = vector.in_words().into_iter().flatten();
            for (&at, byte) in from[vector.at as usize..].iter().zip(in_words) {
                let (load, byte) = (usize::from(byte) / VECTOR, usize::from(byte) % VECTOR);
                assert_eq!(i64::from(vector.loads[load].offset) + byte as i64, at);
            }
            let mut offsets = vector.loads.iter().map(|load| i64::from(load.offset));
            assert!(offsets.all(|offset| *low <= offset && offset + VECTOR as i64 <= high));
        }
    }

    #[test]
    fn loads_give_each_byte_once_and_lie_within_what_is_read() {
        for (step, extent, row) in [
            (-1, 16, 40),
            (-2, 7, -33),
            (3, 5, 64),
            (-8, 3, 20),
            (1, 4, 9),
        ] {
            let turns = (0..5).flat_map(|turn| (0..extent).map(move |k| turn * row + k * step));
            let from: Vec<i64> = turns.collect();
            for base in [0, 5, 8, 28] {
                if let Some((vectors, _)) = vectors(&from, base) {
                    assert_gives(&vectors, &from);
                }
            }
        }
    }

    /// Two words of each row of four, from the last one back: no load of them leaves the 16 bytes of its row but where the first row or the
    /// last one would be left.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn loads_begin_at_whole_vectors_of_the_operand() {
        let words = (0..12).map(|word| (word / 2) * 16 - (word % 2) * 8);
        let from: Vec<i64> = words.flat_map(|at| at..at + 4).collect();
        let base = 28;
        let (vectors, _) = vectors(&from, base).expect("six rows");
        assert_gives(&vectors, &from);
        let loads = vectors.iter().flat_map(|vector| &vector.loads);
        let places = loads.map(|load| base + i64::from(load.offset));
        assert_eq!(places.collect::<Vec<_>>(), [20, 32, 48, 64, 80, 96]);
    }
}
