//! How many bytes a workload cannot avoid, in units of a plain copy.
//!
//! A copy of n bytes reads n and writes n. A workload may have to read more: every cache line that holds a wanted element, and the
//! indices. Traffic is (distinct lines read + index bytes + output bytes) / (2 x output bytes), at least 1; counted exactly, by walking
//! every position that the plan reads.

use super::data::LINE;
use super::prepared::Prepared;
use xslice::Plan;
use xslice::ir::{Buffer, IndexType, Lookup, LoopNest, Source, Step};

/// The traffic of a workload.
#[must_use]
pub fn traffic(prepared: &Prepared) -> f64 {
    let operands = prepared.operands();
    let output = prepared.output().bytes();
    let mut lines: Vec<Lines> = operands
        .iter()
        .map(|data| Lines::of(data.bytes()))
        .collect();
    let constants = prepared.plan().constants();
    for planned in prepared.plan().nests() {
        walk(planned.nest(), &mut lines, &|table, at| match table {
            Buffer::Operand(operand) => operands.get(operand)?.index(at),
            Buffer::Constant(constant) => constants.get(constant)?.integer(at),
            Buffer::Scratch(_) => None,
        });
    }
    let read: usize = lines.iter().map(Lines::bytes).sum();
    let tables = operands.iter().zip(index_axes(prepared.plan()));
    let tables = tables.filter(|(_, axis)| axis.is_some());
    let indices: usize = tables.map(|(data, _)| data.bytes()).sum();
    let (read, output) = ((read + indices) as f64, output as f64);
    f64::max((read + output) / (2.0 * output), 1.0)
}

/// For each operand that holds indices, their type and the size of the axis that they are of; the smallest, where they are of several.
pub fn index_axes(plan: &Plan) -> Vec<Option<(IndexType, u64)>> {
    let mut axes = vec![None; plan.operand_types().count()];
    for step in plan.steps() {
        let Step::Check(check) = step else { continue };
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

/// A set of lines.
struct Lines(Vec<u64>);

impl Lines {
    fn of(bytes: usize) -> Self {
        Self(vec![0; bytes.div_ceil(LINE).div_ceil(64)])
    }

    fn add(&mut self, first: usize, end: usize) {
        for line in first / LINE..end.div_ceil(LINE) {
            if let Some(word) = self.0.get_mut(line / 64) {
                *word |= 1 << (line % 64);
            }
        }
    }

    fn bytes(&self) -> usize {
        let lines: u32 = self.0.iter().map(|word| word.count_ones()).sum();
        lines as usize * LINE
    }
}

/// Adds what a nest reads; `index` is an index of a table.
fn walk(nest: &LoopNest, lines: &mut [Lines], index: &dyn Fn(Buffer, usize) -> Option<i64>) {
    let Source::Buffer(Buffer::Operand(operand)) = nest.source() else {
        return;
    };
    let Some(lines) = lines.get_mut(operand) else {
        return;
    };
    let size = nest.element_type().size();
    let load = |lookup: &Lookup, at| index(lookup.table, at as usize).unwrap_or(0);
    let mut counters = vec![0; nest.extents().len()];
    loop {
        let first = nest.src().position(&counters, &load) as usize * size;
        lines.add(first, first + nest.block() * size);
        if !advance(&mut counters, nest.extents()) {
            return;
        }
    }
}

/// The next turn of the innermost loop, or of the one above; `false` after the last.
fn advance(counters: &mut [usize], extents: &[usize]) -> bool {
    for (counter, extent) in counters.iter_mut().zip(extents).rev() {
        *counter += 1;
        if *counter < *extent {
            return true;
        }
        *counter = 0;
    }
    false
}
