//! The indices of a gather, looked at before anything moves.

use super::nest::numbers;
use super::position::Indices;
use super::{Destination, Emitter};
use crate::access::{Access, Buffer, Lookup};
use crate::elem::ElementType;
use crate::error::Error;
use crate::nest::Source;
use crate::plan::{Check, Step};
use alloc::{format, string::String, vec, vec::Vec};

impl Emitter<'_> {
    pub(super) fn check(&mut self, check: &Check) -> Result<(), Error> {
        if check.extents().contains(&0) {
            return Ok(());
        }
        let (root, origin) = (self.wanted.root, Self::origin(check));
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
            self.or_return(format_args!(
                "{root}::__private::check({by_reference}{table}, {offset}, &[{loops}], {size}, {origin})"
            ));
            return Ok(());
        }
        let counters = self.counters(check.extents().len());
        let indices = Indices::new(access);
        let at = self.local("at");
        self.line(format_args!("let mut {at} = 0;"));
        self.load(&indices, 0, &counters)?;
        for (k, extent) in check.extents().iter().enumerate() {
            self.open_loop(&counters[k], *extent);
            self.load(&indices, k + 1, &counters)?;
        }
        let position = self.position(&indices, &counters);
        self.or_return(format_args!(
            "{root}::__private::check_one({table}[{position}], {size}, {at}, {origin})"
        ));
        self.line(format_args!("{at} += 1;"));
        for counter in counters.iter().rev() {
            self.close_loop(counter);
        }
        Ok(())
    }

    /// Writes a check and the nest behind it, the last step, as one call if the outermost loop goes through the indices; `false`: they
    /// are still to be written.
    pub(super) fn rows_by_index(&mut self, check: &Check, rest: &[Step]) -> bool {
        let [Step::Nest(planned)] = rest else {
            return false;
        };
        let nest = planned.nest();
        let (Source::Buffer(source), [lookup]) = (nest.source(), &nest.src().lookups[..]) else {
            return false;
        };
        let Some((count, inner @ ([] | [_]))) = nest.extents().split_first() else {
            return false;
        };
        let one_by_one = lookup.access
            == Access::affine(0, [&[1], &vec![0; inner.len()][..]].concat()[..].into())
            && *count == self.len(check.table());
        if !one_by_one || !self.is_whole(check, lookup) || self.pays(planned) {
            return false;
        }
        if self.is_const() || nest.element_type() == ElementType::String {
            return false;
        }
        self.describe(nest);
        let (src, table) = (self.reference(source), self.reference(check.table()));
        let dst = self.target(planned);
        let (operator, axis, dims) = check.origin();
        let written = self.written(nest);
        let (kind, numbers) = numbers(nest, &written);
        let call = format!(
            "{}::__private::gather_{kind}({}{dst}, {src}, ({table}, {}, {}, ({operator:?}, {axis}, {dims:?})), {numbers})",
            self.wanted.root,
            self.mutable(&dst),
            check.size(),
            lookup.scale,
        );
        self.returned = self.wanted.destination == Destination::Parameter;
        if self.returned {
            self.line(format_args!("{call}"));
        } else {
            self.or_return(format_args!("{call}"));
        }
        true
    }

    /// Whether a check looks at a whole table of run-time indices, and a lookup is through it, in the same order.
    pub(super) fn is_whole(&self, check: &Check, lookup: &Lookup) -> bool {
        let len = self.len(check.table());
        !matches!(check.table(), Buffer::Constant(_))
            && (lookup.table, lookup.size) == (check.table(), check.size())
            && check.extents().iter().product::<usize>() == len
            && check.access() == &Access::row_major(check.extents())
    }

    /// What a refusal says of where the indices belong.
    pub(super) fn origin(check: &Check) -> String {
        let (operator, axis, dims) = check.origin();
        format!("({operator:?}, {axis}, &{dims:?})")
    }

    /// Returns what is wrong, if anything is. `?` would be shorter, and more work for the compiler.
    pub(super) fn or_return(&mut self, call: core::fmt::Arguments<'_>) {
        self.open(format_args!(
            "if let ::core::result::Result::Err(error) = {call}"
        ));
        self.line(format_args!("return ::core::result::Result::Err(error);"));
        self.close();
    }
}
