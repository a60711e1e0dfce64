//! Loops and copies.
//!
//! A nest of a few turns is written out, and so are a few turns of innermost loops: compilers vectorise bytes that are moved by
//! statements of their own, but not copies of three bytes. Up to three affine loops are one call with their
//! numbers; what else loops is written with its loops, and a block is one copy.

use super::call::Call;
use super::data::{f32_value, f64_value};
use super::position::{Counter, Indices, Sum};
use super::{Destination, Emitter};
use crate::access::{Access, Buffer};
use crate::elem::ElementType;
use crate::nest::{LoopNest, Source};
use crate::plan::PlannedNest;
use crate::range::Progression;
use alloc::{format, string::String, vec, vec::Vec};

/// Turns of a nest that are all written out.
const TINY: usize = 16;

/// Turns of innermost loops that are written out in any nest.
const INNER: usize = 4;

/// A nest as it is written: a block may have become a loop.
pub(super) struct Written {
    extents: Vec<usize>,
    block: usize,
    src: Indices,
    dst: Indices,
    /// Loops that stay loops; those below are written out.
    loops: usize,
}

/// Which function does a nest, and its numbers: the block, the loops, where they start in destination and source and what a turn of each
/// adds.
pub(super) fn numbers(nest: &LoopNest, written: &Written) -> (String, String) {
    let extents = &written.extents;
    let (kind, block) = match written.block {
        1 => ("elements", String::new()),
        block => ("blocks", format!("{block}, ")),
    };
    let position = |access: &Access| {
        let mut position = vec![access.offset];
        position.extend(&access.strides);
        // A block that became a loop.
        position.resize(extents.len() + 1, 1);
        format!("{position:?}")
    };
    let (to, from) = (position(nest.dst()), position(nest.src()));
    (
        format!("{kind}{}", extents.len()),
        format!("{block}{extents:?}, {to}, {from}"),
    )
}

impl Emitter<'_> {
    /// Writes a nest with its loops.
    pub(super) fn nest(&mut self, planned: &PlannedNest) {
        let nest = planned.nest();
        let written = self.written(nest);
        let mut counters = self.counters(written.loops);
        self.keep(&written.src);
        self.load(&written.src, 0, &counters);
        for (k, &extent) in written.extents[..written.loops].iter().enumerate() {
            self.open_loop(&counters[k], extent);
            self.load(&written.src, k + 1, &counters);
        }
        counters.resize(written.extents.len(), Counter::Turn(0));
        let dst = self.target(planned.scratch());
        self.turns(&written, nest, &dst, &mut counters);
        for k in (0..written.loops).rev() {
            self.close_loop(&counters[k]);
        }
    }

    /// The variable of what a nest writes.
    pub(super) fn target(&self, scratch: Option<usize>) -> String {
        match scratch {
            Some(at) => self.scratch(at),
            None => self.dst(),
        }
    }

    /// Loops as one call if there is a function for them, which costs their reader's compiler less.
    pub(super) fn by_numbers(&mut self, planned: &PlannedNest) -> Option<Call> {
        let nest = planned.nest();
        let Source::Buffer(source) = nest.source() else {
            return None;
        };
        let written = self.written(nest);
        let most = if written.block == 1 { 3 } else { 2 };
        if written.loops == 0
            || written.extents.len() > most
            || !self.has_loops_of_facade(nest)
            || !nest.src().is_affine()
        {
            return None;
        }
        self.describe(nest);
        let (name, numbers) = numbers(nest, &written);
        Some(Call {
            name,
            sources: vec![source],
            scratch: planned.scratch(),
            numbers,
            fallible: false,
        })
    }

    /// Whether functions of the facade loop over such elements: they copy, and are not `const`.
    pub(super) fn has_loops_of_facade(&self, nest: &LoopNest) -> bool {
        !self.is_const() && nest.element_type() != ElementType::String
    }

    /// What makes a mutable reference of a variable.
    pub(super) fn mutable(&self, dst: &str) -> &'static str {
        let is_reference = self.wanted.destination == Destination::Parameter && dst == self.dst();
        if is_reference { "" } else { "&mut " }
    }

    pub(super) fn written(&self, nest: &LoopNest) -> Written {
        let mut extents = nest.extents().to_vec();
        let mut block = nest.block();
        let constant_strings = matches!(nest.source(), Source::Buffer(Buffer::Constant(_)))
            && nest.element_type() == ElementType::String;
        let (mut src, mut dst) = (nest.src().clone(), nest.dst().clone());
        let odd = block <= INNER && !(block * nest.element_type().size()).is_power_of_two();
        if block > 1 && (self.is_const() || odd || constant_strings) {
            extents.push(block);
            block = 1;
            for access in [&mut src, &mut dst] {
                access.edit_strides(&|strides| strides.push(0));
                if let Some(last) = access.strides.last_mut() {
                    *last = 1;
                }
            }
        }
        let (mut src, dst) = (Indices::new(&src), Indices::new(&dst));
        let loops = self.loops(&extents, &src);
        if !self.is_const() {
            src.keep_repeated(&extents[..loops]);
        }
        Written {
            extents,
            block,
            src,
            dst,
            loops,
        }
    }

    /// How many loops stay loops.
    fn loops(&self, extents: &[usize], src: &Indices) -> usize {
        let most = |total: usize| if total <= TINY { TINY } else { INNER };
        let total = extents.iter().product::<usize>();
        let mut loops = extents.len();
        let mut turns = 1;
        while let Some(first) = loops.checked_sub(1) {
            let next = turns * extents[first];
            if next > most(total).min(self.unrolled_left) || !src.unrolls_from(first) {
                break;
            }
            (loops, turns) = (first, next);
        }
        loops
    }

    /// `while` and not `for`: a constant may have nothing else, and the compiler has less to do, in builds without optimisation most of
    /// all.
    pub(super) fn open_loop(&mut self, counter: &Counter, extent: usize) {
        self.line(format_args!("let mut {counter} = 0;"));
        self.open(format_args!("while {counter} < {extent}"));
    }

    pub(super) fn close_loop(&mut self, counter: &Counter) {
        self.line(format_args!("{counter} += 1;"));
        self.close();
    }

    /// The statements inside the loops, one for each turn that is written out.
    fn turns(
        &mut self,
        written: &Written,
        nest: &LoopNest,
        dst_name: &str,
        counters: &mut [Counter],
    ) {
        let unrolled = &written.extents[written.loops..];
        let many = written.block > 1 || unrolled.iter().any(|extent| *extent > 1);
        let dst = self.position(&written.dst, counters);
        let src = self.position(&written.src, counters);
        let dst = self.base("d", dst, many);
        let src = self.base("s", src, many);
        let turns: usize = unrolled.iter().product();
        if turns > 1 {
            self.unrolled_left -= turns;
        }
        for turn in 0..turns {
            let mut rest: usize = turn;
            for (counter, extent) in counters[written.loops..].iter_mut().zip(unrolled).rev() {
                *counter = Counter::Turn(rest % extent);
                rest /= extent;
            }
            let to = dst.at(self.position(&written.dst, counters).constant);
            let from = src.at(self.position(&written.src, counters).constant);
            self.statement(nest, written.block, (dst_name, &to), &from);
        }
    }

    /// A position that several statements are relative to, in a variable if it is more than a name.
    fn base(&mut self, name: &str, sum: Sum, many: bool) -> Base {
        if !many || !sum.is_compound() {
            return Base { origin: 0, sum };
        }
        let name = self.local(name);
        self.line(format_args!("let {name} = {sum};"));
        Base {
            origin: sum.constant,
            sum: Sum::of(name),
        }
    }

    fn statement(&mut self, nest: &LoopNest, block: usize, (dst, to): (&str, &Sum), from: &Sum) {
        let is_string = nest.element_type() == ElementType::String;
        let buffer = match nest.source() {
            Source::Range(values) => {
                let value = progression(values, from);
                return self.line(format_args!("{dst}[{to}] = {value};"));
            }
            Source::Buffer(buffer) => buffer,
        };
        let src = match buffer {
            Buffer::Constant(at) => self.elements(at),
            Buffer::Operand(_) | Buffer::Scratch(_) => self.buffer(buffer),
        };
        let is_constant = matches!(buffer, Buffer::Constant(_));
        if block == 1 {
            let element = format!("{src}[{from}]");
            // By their full names: where the text stands, other traits may have methods of these.
            let moved = match (is_string, is_constant) {
                (false, _) => element,
                (true, false) => format!("::core::clone::Clone::clone(&{element})"),
                (true, true) => format!("::core::convert::Into::into({element})"),
            };
            return self.line(format_args!("{dst}[{to}] = {moved};"));
        }
        // Not by ranges of arrays: for each length the compiler would make functions of its own.
        let (root, mutable) = (self.wanted.root, self.mutable(dst));
        let shared = match buffer {
            Buffer::Operand(_) | Buffer::Constant(_) => "",
            Buffer::Scratch(_) => "&",
        };
        self.line(format_args!(
            "{root}::__private::copy({mutable}{dst}, {to}, {shared}{src}, {from}, {block});"
        ));
    }
}

/// What positions are relative to.
struct Base {
    /// The constant that the variable already holds.
    origin: i64,
    sum: Sum,
}

impl Base {
    fn at(&self, constant: i64) -> Sum {
        Sum {
            constant: constant - self.origin,
            ..self.sum.clone()
        }
    }
}

/// The value of a Range at a position: a literal where the position is one.
fn progression(values: Progression, at: &Sum) -> String {
    if at.is_constant() {
        let bits = values.bits(at.constant);
        return match values {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the low bits hold the value"
            )]
            Progression::I16(..) => format!("{}", bits as i16),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the low bits hold the value"
            )]
            Progression::I32(..) => format!("{}", bits as i32),
            Progression::I64(..) => format!("{}", bits.cast_signed()),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the low bits hold the value"
            )]
            Progression::F32(..) => f32_value(bits as u32),
            Progression::F64(..) => f64_value(bits),
        };
    }
    let position = Emitter::grouped(at);
    let integer = |start: i64, delta: i64, ty: &str| {
        format!("({start}_{ty}).wrapping_add(({position} as {ty}).wrapping_mul({delta}))")
    };
    match values {
        Progression::I16(start, delta) => integer(start.into(), delta.into(), "i16"),
        Progression::I32(start, delta) => integer(start.into(), delta.into(), "i32"),
        Progression::I64(start, delta) => integer(start, delta, "i64"),
        Progression::F32(start, delta) => {
            let (start, delta) = (f32_value(start), f32_value(delta));
            format!("{start} + {position} as f32 * {delta}")
        }
        Progression::F64(start, delta) => {
            let (start, delta) = (f64_value(start), f64_value(delta));
            format!("{start} + {position} as f64 * {delta}")
        }
    }
}
