//! The indices of a gather, looked at before anything moves.

use super::Emitter;
use super::call::Call;
use super::nest::numbers;
use super::position::Indices;
use crate::access::{Access, Buffer, Lookup};
use crate::nest::Source;
use crate::plan::{Check, PlannedNest};
use alloc::{format, string::String, vec, vec::Vec};

impl Emitter<'_> {
    pub(super) fn check(&mut self, check: &Check) {
        if check.extents().contains(&0) {
            return;
        }
        let (root, origin) = (self.wanted.root, Self::origin(check, "&"));
        let (access, size) = (check.access(), check.size());
        let table = match check.table() {
            Buffer::Constant(at) => self.integers(at),
            Buffer::Operand(_) | Buffer::Scratch(_) => self.buffer(check.table()),
        };
        if access.is_affine() {
            let loops: Vec<String> = check
                .extents()
                .iter()
                .zip(&access.strides)
                .map(|(extent, stride)| format!("({extent}, {stride})"))
                .collect();
            let (loops, offset) = (loops.join(", "), access.offset);
            let by_reference = match check.table() {
                Buffer::Operand(_) => "",
                Buffer::Constant(_) | Buffer::Scratch(_) => "&",
            };
            return self.or_return(format_args!(
                "{root}::__private::check({by_reference}{table}, {offset}, &[{loops}], {size}, {origin})"
            ));
        }
        let counters = self.counters(check.extents().len());
        let indices = Indices::new(access);
        let at = self.local("at");
        self.line(format_args!("let mut {at} = 0;"));
        self.load(&indices, 0, &counters);
        for (k, extent) in check.extents().iter().enumerate() {
            self.open_loop(&counters[k], *extent);
            self.load(&indices, k + 1, &counters);
        }
        let position = self.position(&indices, &counters);
        self.or_return(format_args!(
            "{root}::__private::check_one({table}[{position}], {size}, {at}, {origin})"
        ));
        self.line(format_args!("{at} += 1;"));
        for counter in counters.iter().rev() {
            self.close_loop(counter);
        }
    }

    /// A check and the nest after it, the last steps, as one call if the outermost loop goes through the indices.
    pub(super) fn rows_by_index(&mut self, check: &Check, planned: &PlannedNest) -> Option<Call> {
        let nest = planned.nest();
        let (Source::Buffer(source), [lookup]) = (nest.source(), &nest.src().lookups[..]) else {
            return None;
        };
        let Some((count, inner @ ([] | [_]))) = nest.extents().split_first() else {
            return None;
        };
        let one_by_one = lookup.access
            == Access::affine(0, [&[1], &vec![0; inner.len()][..]].concat()[..].into())
            && *count == self.len(check.table());
        let by_rows = one_by_one && self.is_whole(check, lookup);
        if !by_rows || !self.has_loops_of_facade(nest) || self.pays(planned) {
            return None;
        }
        self.describe(nest);
        let written = self.written(nest);
        let (kind, numbers) = numbers(nest, &written);
        let (size, scale, origin) = (check.size(), lookup.scale, Self::origin(check, ""));
        Some(Call {
            name: format!("gather_{kind}"),
            sources: vec![source, check.table()],
            scratch: planned.scratch(),
            numbers: format!("{origin}, [{size}, {scale}], {numbers}"),
            fallible: true,
        })
    }

    /// Whether a check looks at a whole table of run-time indices, and a lookup is through it, in the same order.
    pub(super) fn is_whole(&self, check: &Check, lookup: &Lookup) -> bool {
        let len = self.len(check.table());
        !matches!(check.table(), Buffer::Constant(_))
            && (lookup.table, lookup.size) == (check.table(), check.size())
            && check.extents().iter().product::<usize>() == len
            && check.access() == &Access::row_major(check.extents())
    }

    /// What a refusal says of where the indices belong; `by` is how their shape is passed.
    pub(super) fn origin(check: &Check, by: &str) -> String {
        let (operator, axis, dims) = check.origin();
        format!("({operator:?}, {axis}, {by}{dims:?})")
    }
}
