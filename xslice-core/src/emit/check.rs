//! The indices of a gather, looked at before anything moves.

use super::Emitter;
use super::position::Indices;
use crate::access::Buffer;
use crate::error::Error;
use crate::plan::Check;
use alloc::{format, string::String, vec::Vec};

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
