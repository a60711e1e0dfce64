//! Where an element is, as text: `29 - 4 * i + 768 * row0`.
//!
//! Every partial sum from the left is itself a position of the nest, with the counters and indices that are still missing at 0. So it
//! lies in the buffer (I3), and unsigned numbers suffice.

use super::Emitter;
use crate::access::{Access, Buffer, IndexType};
use crate::list::List;
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;
use core::ops::RangeInclusive;

/// A loop counter: a variable, or in an unrolled loop a number.
#[derive(Clone, Debug)]
pub(super) enum Counter {
    Name(String),
    Turn(usize),
}

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Turn(turn) => write!(f, "{turn}"),
        }
    }
}

/// A constant and multiples of variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sum {
    pub constant: i64,
    pub terms: Vec<(i64, String)>,
}

impl Sum {
    /// A variable.
    pub fn of(name: String) -> Self {
        Self {
            constant: 0,
            terms: [(1, name)].into(),
        }
    }

    /// Whether no variable takes part.
    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether it is more than one number or variable.
    pub fn is_compound(&self) -> bool {
        let plain = self.constant == 0 && matches!(self.terms[..], [(1, _)]);
        !self.is_constant() && !plain
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Relative to a variable: `s + 1`, `s - 1`.
        if let [(1, name)] = &self.terms[..]
            && self.constant != 0
        {
            let sign = if self.constant < 0 { '-' } else { '+' };
            return write!(f, "{name} {sign} {}", self.constant.unsigned_abs());
        }
        let starts_negative = self.terms.first().is_some_and(|(factor, _)| *factor < 0);
        let mut first = self.constant == 0 && !starts_negative && !self.is_constant();
        if !first {
            write!(f, "{}", self.constant)?;
        }
        for (factor, name) in &self.terms {
            match (first, *factor < 0) {
                (true, _) => {}
                (false, true) => f.write_str(" - ")?,
                (false, false) => f.write_str(" + ")?,
            }
            match factor.unsigned_abs() {
                1 => f.write_str(name)?,
                factor => write!(f, "{factor} * {name}")?,
            }
            first = false;
        }
        Ok(())
    }
}

/// An access whose lookups are variables.
#[derive(Debug)]
struct Position {
    offset: i64,
    strides: List<i64>,
    /// Scale, and the index among all.
    rows: Vec<(i64, usize)>,
}

/// One lookup: an index that is loaded as soon as the loops that it depends on are open.
#[derive(Debug)]
struct LoadedIndex {
    table: Buffer,
    index: IndexType,
    size: i64,
    position: Position,
    /// Loops that must be open.
    level: usize,
    /// The turns of its loop, where those of loops around it read the same indices, neighbours in their table: each is wrapped once.
    kept: Option<usize>,
}

/// An access and the indices that it is through, inner ones first.
#[derive(Debug)]
pub(super) struct Indices {
    rows: Vec<LoadedIndex>,
    top: Position,
}

impl Indices {
    pub fn new(access: &Access) -> Self {
        let mut rows = Vec::new();
        let top = flatten(access, &mut rows);
        Self { rows, top }
    }

    /// Keeps the indices that turns of loops around theirs read again.
    pub fn keep_repeated(&mut self, extents: &[usize]) {
        for row in &mut self.rows {
            let (strides, k) = (&row.position.strides, row.level.saturating_sub(1));
            let (Some(around), Some(&turns)) = (extents.get(..k), extents.get(k)) else {
                continue;
            };
            let is_given = !matches!(row.table, Buffer::Constant(_));
            let is_alone = row.position.rows.is_empty() && strides[..k].iter().all(|&one| one == 0);
            let is_run = is_given && is_alone && strides[k] == 1;
            let fits = KEPT.contains(&turns) && u32::try_from(row.size).is_ok();
            let repeats = around.iter().product::<usize>() > 1;
            row.kept = (is_run && fits && repeats).then_some(turns);
        }
    }

    /// Whether loops from `first` on can be unrolled: an index that depends on one must be a constant and depend on no other.
    pub fn unrolls_from(&self, first: usize) -> bool {
        self.rows.iter().all(|row| {
            let inside = row.level > first;
            let fixed = row.position.rows.is_empty()
                && row.position.strides[..first]
                    .iter()
                    .all(|stride| *stride == 0);
            !inside || (fixed && matches!(row.table, Buffer::Constant(_)))
        })
    }
}

fn flatten(access: &Access, rows: &mut Vec<LoadedIndex>) -> Position {
    let mut position = Position {
        offset: access.offset,
        strides: access.strides.clone(),
        rows: Vec::new(),
    };
    for lookup in &access.lookups {
        let inner = flatten(&lookup.access, rows);
        let last = inner.strides.iter().rposition(|stride| *stride != 0);
        let inner_levels = inner.rows.iter().map(|(_, row)| rows[*row].level);
        let level = inner_levels.chain(last.map(|last| last + 1)).max();
        rows.push(LoadedIndex {
            table: lookup.table,
            index: lookup.index,
            size: lookup.size,
            position: inner,
            level: level.unwrap_or(0),
            kept: None,
        });
        position.rows.push((lookup.scale, rows.len() - 1));
    }
    position
}

/// Indices of one table that are kept wrapped: fewer stay in registers, or are as quickly wrapped again; more would take over 4 KiB of the
/// stack.
const KEPT: RangeInclusive<usize> = 28..=1 << 10;

impl Emitter<'_> {
    /// Wraps the indices that are kept, before any loop.
    pub(super) fn keep(&mut self, indices: &Indices) {
        for (at, row) in indices.rows.iter().enumerate() {
            let Some(count) = row.kept else { continue };
            let (name, table) = (self.local(&format!("rows{at}")), self.reference(row.table));
            let (root, first, size) = (self.wanted.root, row.position.offset, row.size);
            self.line(format_args!("let mut {name} = [0_u32; {count}];"));
            self.line(format_args!(
                "{root}::__private::wrap_run({table}, {first}, {size}, &mut {name});"
            ));
        }
    }

    /// The names of that many loops.
    pub(super) fn counters(&self, loops: usize) -> Vec<Counter> {
        let letters = ["i", "j", "k", "l", "m", "n", "o", "p"];
        let name = |at: usize| match letters.get(at) {
            Some(letter) => self.local(letter),
            // Not `i8`, which is a type.
            None => self.local(&format!("loop{at}")),
        };
        (0..loops).map(|at| Counter::Name(name(at))).collect()
    }

    /// Loads the indices that depend on the innermost of `level` open loops, or on none.
    pub(super) fn load(&mut self, indices: &Indices, level: usize, counters: &[Counter]) {
        for (at, row) in indices.rows.iter().enumerate() {
            if row.level != level {
                continue;
            }
            let position = self.sum(indices, &row.position, counters);
            let name = self.local(&format!("row{at}"));
            let value = match row.table {
                _ if row.kept.is_some() => {
                    let counter = &counters[level - 1];
                    format!("{}[{counter}] as usize", self.local(&format!("rows{at}")))
                }
                Buffer::Constant(constant) => {
                    let table = self.rows(constant, row.size);
                    format!("{table}[{position}] as usize")
                }
                Buffer::Operand(_) | Buffer::Scratch(_) => {
                    let (root, table) = (self.wanted.root, self.buffer(row.table));
                    let index = format!("{table}[{position}]");
                    let wide = match row.index {
                        IndexType::I32 => format!("::core::convert::Into::into({index})"),
                        IndexType::I64 => index,
                    };
                    format!("{root}::__private::wrap({wide}, {})", row.size)
                }
            };
            self.line(format_args!("let {name} = {value};"));
        }
    }

    /// The position of an access for these counters.
    pub(super) fn position(&mut self, indices: &Indices, counters: &[Counter]) -> Sum {
        self.sum(indices, &indices.top, counters)
    }

    fn sum(&mut self, indices: &Indices, position: &Position, counters: &[Counter]) -> Sum {
        let mut sum = Sum {
            constant: position.offset,
            terms: Vec::new(),
        };
        for (&stride, counter) in position.strides.iter().zip(counters) {
            match counter {
                _ if stride == 0 => {}
                Counter::Name(name) => sum.terms.push((stride, name.clone())),
                Counter::Turn(turn) => sum.constant += stride * *turn as i64,
            }
        }
        for &(scale, at) in &position.rows {
            let row = &indices.rows[at];
            let open = counters
                .iter()
                .take_while(|counter| matches!(counter, Counter::Name(_)))
                .count();
            if row.level <= open {
                let name = self.local(&format!("row{at}"));
                sum.terms.push((scale, name));
            } else if let Buffer::Constant(constant) = row.table {
                let at = self.sum(indices, &row.position, counters).constant;
                sum.constant += scale * self.row_value(constant, row.size, at as usize);
            }
        }
        sum
    }

    /// A position in brackets or as an operand of `as`.
    pub(super) fn grouped(sum: &Sum) -> String {
        if sum.is_compound() {
            format!("({sum})")
        } else {
            sum.to_string()
        }
    }
}
