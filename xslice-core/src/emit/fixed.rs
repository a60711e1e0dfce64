//! Nests that a Move does better than loops of the compiler's own: vectors by the processor that is there, streamed stores, prefetches.
//!
//! What is written is a `static` of [`crate::fixed`], proved when it is compiled, and its call.

use super::Emitter;
use crate::access::{Access, Buffer, IndexType, Lookup, Names, Shown};
use crate::elem::ElementType;
use crate::nest::schedule::Move;
use crate::nest::{LoopNest, Source};
use crate::plan::{Check, PlannedNest, Step};
use crate::range::Progression;
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

/// Bytes from which a Move pays for its call where compilers make scalar loops.
const SCALAR: usize = 1 << 10;

/// The same where compilers make vectors or calls of `memcpy`: from here on the caches decide.
const VECTOR: usize = 1 << 16;

/// Indices of a constant table at most.
const INDICES: usize = 1 << 13;

/// The parts of a nest that its kinds differ in, as text.
struct Kind {
    name: &'static str,
    /// Its method that runs it.
    run: &'static str,
    /// Generic arguments.
    generics: String,
    /// Arguments of the constructor between the loops and the destination.
    numbers: String,
    /// Arguments of the call before the destination.
    sources: String,
}

impl Emitter<'_> {
    /// Writes the nest as a Move if that pays; `false`: it is still to be written.
    pub(super) fn fixed(&mut self, planned: &PlannedNest) -> bool {
        let nest = planned.nest();
        if !self.pays(planned) {
            return false;
        }
        let kind = match (nest.source(), nest.src().lookups.first()) {
            (Source::Range(values), _) => Some(self.fill(nest, values)),
            (Source::Buffer(source), None) => Some(self.copy(nest, source)),
            (Source::Buffer(source), Some(lookup)) => self.gather(nest, source, lookup),
        };
        let Some(kind) = kind else {
            return false;
        };
        let is_fallible = kind.name == "Gather" && kind.run == "run";
        let Kind {
            name,
            run,
            generics,
            numbers,
            sources,
        } = kind;
        let path = format!("{}::__private::{name}", self.wanted.root);
        let nest_name = format!("NEST{}", self.statics);
        self.statics += 1;
        self.describe(nest);
        let (extents, dst) = (nest.extents(), side(nest.destination_len(), nest.dst()));
        self.line(format_args!(
            "static {nest_name}: {path}<{generics}> = {path}::new(&{extents:?}, {numbers}, {dst});"
        ));
        let to = match (planned.scratch(), self.wanted.destination) {
            (Some(at), _) => format!("&mut {}", self.scratch(at)),
            (None, super::Destination::Parameter) => self.local("dst"),
            (None, _) => format!("&mut {}", self.local("dst")),
        };
        let call = format!("{nest_name}.{run}({sources}{to})");
        if is_fallible {
            self.or_return(format_args!("{call}"));
        } else {
            self.line(format_args!("{call};"));
        }
        true
    }

    /// Whether the nest is one that a Move can do, and better.
    pub(super) fn pays(&self, planned: &PlannedNest) -> bool {
        let Some(schedule) = planned.schedule().filter(|_| !self.is_const()) else {
            return false;
        };
        let least = match schedule.inner() {
            Move::Shuffle { .. } | Move::Lookup { .. } | Move::Fill { .. } => SCALAR,
            Move::Copy { .. } | Move::Strided { .. } => VECTOR,
        };
        let one_table = match &planned.nest().src().lookups[..] {
            [] => true,
            [lookup] => lookup.access.is_affine(),
            _ => false,
        };
        schedule.bytes() >= least && one_table
    }

    /// What the nest does, for a reader.
    pub(super) fn describe(&mut self, nest: &LoopNest) {
        let names: Vec<String> = self
            .wanted
            .parameters
            .iter()
            .map(ToString::to_string)
            .collect();
        let names = Names(&names);
        let (dst, src) = (Shown(nest.dst(), names), Shown(nest.src(), names));
        let source = match nest.source() {
            Source::Range(values) => format!("({values})"),
            Source::Buffer(buffer) => self.buffer(buffer),
        };
        let block = match nest.block() {
            1 => String::new(),
            block => format!(", {block} elements"),
        };
        let text = format!("// dst[{dst}] <- {source}[{src}]{block}");
        self.line(format_args!("{text}"));
    }

    fn copy(&mut self, nest: &LoopNest, source: Buffer) -> Kind {
        Kind {
            name: "Nest",
            run: "run",
            generics: self.element(nest.element_type()),
            numbers: format!("{}, {}", nest.block(), side(nest.source_len(), nest.src())),
            sources: format!("{}, ", self.reference(source)),
        }
    }

    fn fill(&self, nest: &LoopNest, values: Progression) -> Kind {
        let values = match values {
            Progression::I16(start, delta) => format!("I16({start}, {delta})"),
            Progression::I32(start, delta) => format!("I32({start}, {delta})"),
            Progression::I64(start, delta) => format!("I64({start}, {delta})"),
            Progression::F32(start, delta) => format!("F32({start:#010x}, {delta:#010x})"),
            Progression::F64(start, delta) => format!("F64({start:#018x}, {delta:#018x})"),
        };
        Kind {
            name: "Fill",
            run: "run",
            generics: self.element(nest.element_type()),
            numbers: format!(
                "{}::__private::Progression::{values}, ({}, &{:?})",
                self.wanted.root,
                nest.src().offset,
                nest.src().strides
            ),
            sources: String::new(),
        }
    }

    /// `None` where the indices are not looked at as a whole.
    fn gather(&mut self, nest: &LoopNest, source: Buffer, lookup: &Lookup) -> Option<Kind> {
        let (size, len) = (lookup.size, self.len(lookup.table));
        let (index, run, indices) = match lookup.table {
            Buffer::Constant(_) if len > INDICES => return None,
            Buffer::Constant(at) => {
                let (root, table) = (self.wanted.root, self.integers(at));
                let checked =
                    format!("const {{ {root}::__private::Checked::fixed(&{table}, {size}) }}");
                (ElementType::I64, "run_checked", checked)
            }
            Buffer::Operand(_) | Buffer::Scratch(_) => {
                let origin = self.unchecked.take()?;
                let index = match lookup.index {
                    IndexType::I32 => ElementType::I32,
                    IndexType::I64 => ElementType::I64,
                };
                let table = self.reference(lookup.table);
                (index, "run", format!("{table}, {origin}"))
            }
        };
        let (ty, index) = (self.element(nest.element_type()), self.element(index));
        let (from, table) = (
            side(nest.source_len(), nest.src()),
            side(len, &lookup.access),
        );
        Some(Kind {
            name: "Gather",
            run,
            generics: format!("{ty}, {index}"),
            numbers: format!(
                "{}, {from}, ({}, {size}, {table})",
                nest.block(),
                lookup.scale
            ),
            sources: format!("{}, {indices}, ", self.reference(source)),
        })
    }

    /// Leaves a check to the Move of the next step, which looks at all indices of the table; `false`: it is still to be written.
    pub(super) fn leaves(&mut self, check: &Check, next: Option<&Step>) -> bool {
        let Some(Step::Nest(next)) = next else {
            return false;
        };
        let mut lookups = next.nest().src().lookups.iter();
        let leaves = self.pays(next) && lookups.any(|lookup| self.is_whole(check, lookup));
        if leaves {
            self.unchecked = Some(Self::origin(check));
        }
        leaves
    }

    /// The elements of a buffer.
    pub(super) fn len(&self, buffer: Buffer) -> usize {
        match buffer {
            Buffer::Operand(at) => self.plan.operands[at].len,
            Buffer::Constant(at) => self.plan.constants()[at].len(),
            Buffer::Scratch(at) => self.plan.temporaries()[at].len,
        }
    }

    /// A buffer as a reference to its array.
    pub(super) fn reference(&mut self, buffer: Buffer) -> String {
        match buffer {
            Buffer::Operand(_) => self.buffer(buffer),
            Buffer::Constant(at) => format!("&{}", self.elements(at)),
            Buffer::Scratch(_) => format!("&{}", self.buffer(buffer)),
        }
    }
}

fn side(len: usize, access: &Access) -> String {
    format!("({len}, {}, &{:?})", access.offset, access.strides)
}
