//! How many bytes a movement cannot avoid, in units of a plain copy.
//!
//! A copy of n bytes reads n and writes n. A movement may have to read more: every cache line that holds a wanted element, and the
//! indices. Traffic is (distinct lines read + bytes of distinct indices read + output bytes) / (2 x output bytes), at least 1; counted
//! exactly, by walking every position that the plan reads. Only what an index that is itself computed into a temporary picks is not known
//! here: it counts as the first row.

use super::data::{Data, LINE};
use super::prepared::Prepared;
use crate::coordinates::each;
use std::cell::RefCell;
use xslice::Plan;
use xslice::ir::{Access, Buffer, IndexType, Lookup, LoopNest, Source};

/// The traffic of a movement.
#[must_use]
pub fn traffic(prepared: &Prepared) -> f64 {
    let plan = prepared.fused();
    let read = Read {
        plan,
        operands: prepared.operands(),
        lines: RefCell::new(Marked::new(plan)),
        indices: RefCell::new(Marked::new(plan)),
    };
    for check in plan.checks() {
        read.check(check.extents(), check.access(), check.table());
    }
    for planned in plan.nests() {
        read.nest(planned.nest());
    }
    let output = prepared.output().bytes() as f64;
    f64::max((read.bytes() as f64 + output) / (2.0 * output), 1.0)
}

/// For each operand that holds indices, their type and the size of the axis that they are of; the smallest, where they are of several.
pub fn index_axes(plan: &Plan) -> Vec<Option<(IndexType, u64)>> {
    let mut axes = vec![None; plan.operand_types().count()];
    for check in plan.checks() {
        let Buffer::Operand(operand) = check.table() else {
            continue;
        };
        if let Some(axis) = axes.get_mut(operand) {
            let size = check.size().unsigned_abs();
            let least = axis.map_or(size, |(_, other)| size.min(other));
            *axis = Some((check.index(), least));
        }
    }
    axes
}

/// What a plan reads of operands and constants.
struct Read<'a> {
    plan: &'a Plan,
    operands: &'a [Data],
    lines: RefCell<Marked>,
    /// By element.
    indices: RefCell<Marked>,
}

/// What is marked of each operand and of each constant.
struct Marked([Vec<Marks>; 2]);

impl Marked {
    fn new(plan: &Plan) -> Self {
        let counts = [plan.operand_types().count(), plan.constants().len()];
        Self(counts.map(|count| (0..count).map(|_| Marks::default()).collect()))
    }

    fn of(&mut self, buffer: Buffer) -> Option<&mut Marks> {
        let [operands, constants] = &mut self.0;
        match buffer {
            Buffer::Operand(at) => operands.get_mut(at),
            Buffer::Constant(at) => constants.get_mut(at),
            Buffer::Scratch(_) => None,
        }
    }
}

impl Read<'_> {
    fn bytes(&self) -> usize {
        let lines = self.lines.borrow().0.concat();
        let lines = lines.iter().map(|marks| marks.count() * LINE);
        let [operands, constants] = &self.indices.borrow().0;
        let types = self.plan.operand_types().map(|(ty, _)| ty);
        let tensors = self.plan.constants().iter();
        let types = types.chain(tensors.map(|tensor| tensor.element_type()));
        let indices = operands.iter().chain(constants).zip(types);
        let indices = indices.map(|(marks, ty)| marks.count() * ty.size());
        lines.chain(indices).sum()
    }

    fn check(&self, extents: &[usize], access: &Access, table: Buffer) {
        each(extents, |counters| {
            self.index(
                table,
                access.position(counters, &|lookup, at| self.load(lookup, at)),
            );
        });
    }

    fn nest(&self, nest: &LoopNest) {
        let size = nest.element_type().size();
        each(nest.extents(), |counters| {
            let load = |lookup: &Lookup, at| self.load(lookup, at);
            let first = nest.src().position(counters, &load) as usize * size;
            let end = first + nest.block() * size;
            if let Source::Buffer(source) = nest.source()
                && let Some(lines) = self.lines.borrow_mut().of(source)
            {
                (first / LINE..end.div_ceil(LINE)).for_each(|line| lines.add(line));
            }
        });
    }

    fn load(&self, lookup: &Lookup, at: i64) -> i64 {
        self.index(lookup.table, at).unwrap_or(0)
    }

    /// An index, which is read; `None` if it is computed.
    fn index(&self, table: Buffer, at: i64) -> Option<i64> {
        let at = at as usize;
        self.indices.borrow_mut().of(table)?.add(at);
        match table {
            Buffer::Operand(operand) => self.operands.get(operand)?.index(at),
            Buffer::Constant(constant) => self.plan.constants().get(constant)?.integer(at),
            Buffer::Scratch(_) => None,
        }
    }
}

/// A set of numbers.
#[derive(Clone, Default)]
struct Marks(Vec<u64>);

impl Marks {
    fn add(&mut self, at: usize) {
        if self.0.len() <= at / 64 {
            self.0.resize(at / 64 + 1, 0);
        }
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn count(&self) -> usize {
        let words = self.0.iter();
        words.map(|word| word.count_ones() as usize).sum()
    }
}
