//! From a structure to machine code: the moves.
//!
//! A move repeats one small body over cursors, which are pointers (or positions in a Range) with a step. Short runs become loads and stores
//! in place, 16 bytes at a time and overlapping at the end of the run. Bodies of few instructions are unrolled; a count that is known and
//! small becomes straight code. Where all numbers are known, short runs are parts of vectors, which [`crate::vectors`] lays out. What is
//! long is one call: `key` decides.

use super::{ELEMENTS, Emitter, Num, OURS, Place, Pointers, arguments};
use crate::key::{Count, Inner, LookupShape, Values, slot};
use crate::vectors::{Load, Vector};
use cranelift_codegen::ir::types::{F32, F64, I8, I8X16, I16, I32, I64};
use cranelift_codegen::ir::{ConstantData, InstBuilder, Type, Value};

/// Pointer or position, and what one turn adds.
#[derive(Clone, Copy)]
struct Cursor {
    at: Value,
    step: Num,
}

/// Straight code from carried values to the next ones.
type Round<'b, 'e> = &'b mut dyn FnMut(&mut Emitter<'e>, &[Value]) -> Vec<Value>;

/// What one turn does, given where each cursor stands.
type Body<'b, 'e> = &'b mut dyn FnMut(&mut Emitter<'e>, &[Place]);

impl<'e> Emitter<'e> {
    /// The move, with every position where the loops have put it.
    pub(super) fn inner(&mut self, pointers: &Pointers) {
        let (dst, src) = (pointers.dst, pointers.at[0]);
        match &self.structure.inner {
            &Inner::Copy { bytes } => self.copy(bytes, Place::at(dst), Place::at(src)),
            &Inner::Strided {
                count,
                bytes,
                packed,
            } => self.strided(count, bytes, packed, dst, src),
            &Inner::Lookup(shape) => self.lookup(shape, pointers),
            &Inner::Fill { values, packed } => match values {
                Values::I16 | Values::I32 | Values::I64 => {
                    self.fill_integers(values, packed, dst, src)
                }
                Values::F32 | Values::F64 => self.fill_floats(values, packed, dst, src),
            },
            Inner::Vectors(vectors) => self.vectors(vectors, dst, src),
            &Inner::Innermost { table } => {
                let table = table.map(|table| pointers.at[table]);
                self.innermost(dst, src, table);
            }
            // It has no loops and no positions.
            Inner::Whole => {}
        }
    }

    /// All, by the helper.
    pub(super) fn whole(&mut self, dst: Value) {
        let schedule = self.schedule();
        let (signature, helper) = self.whole;
        let helper = self.builder.ins().iconst(I64, helper as i64);
        let arguments = [schedule, self.buffers, dst];
        let call = self
            .builder
            .ins()
            .call_indirect(signature, helper, &arguments);
        let inside = self.builder.inst_results(call)[0];
        self.go_on_if(inside);
    }

    /// The address of the schedule that a helper reads.
    fn schedule(&mut self) -> Value {
        let at = 8 * self.structure.of_move(slot::SCHEDULE);
        self.builder.ins().load(I64, OURS, self.numbers, at as i32)
    }

    /// The move and the loops inside those that were entered, by the helper.
    fn innermost(&mut self, dst: Value, src: Value, table: Option<Value>) {
        let operand = self.buffer(0);
        let schedule = self.schedule();
        let (signature, helper) = self.innermost;
        let helper = self.builder.ins().iconst(I64, helper as i64);
        let arguments = [dst, src, operand, schedule, table.unwrap_or(operand)];
        let call = self
            .builder
            .ins()
            .call_indirect(signature, helper, &arguments);
        if table.is_some() {
            let inside = self.builder.inst_results(call)[0];
            self.go_on_if(inside);
        }
    }

    /// The orders that vectors need, before all loops.
    pub(super) fn orders(&mut self) {
        let Inner::Vectors(vectors) = &self.structure.inner else {
            return;
        };
        for order in vectors.iter().flat_map(Vector::kept_orders) {
            self.orders.entry(order).or_insert_with(|| {
                let order = ConstantData::from(&order[..]);
                let order = self.builder.func.dfg.constants.insert(order);
                self.builder.ins().vconst(I8X16, order)
            });
        }
    }

    /// Turns of vectors.
    fn vectors(&mut self, vectors: &[Vector], dst: Value, src: Value) {
        let [count, dst_stride, src_stride] =
            [slot::COUNT, slot::DST_STRIDE, slot::SRC_STRIDE].map(|at| self.of_move(at));
        let cursors = [(dst, dst_stride), (src, src_stride)].map(|(at, step)| Cursor { at, step });
        // A vector is many runs: their turns are unrolled further than those of one.
        let loads: usize = vectors.iter().map(|vector| vector.loads.len()).sum();
        self.repeat(count, loads.div_ceil(4), &cursors, &mut |this, at| {
            for vector in vectors {
                if let Some(value) = this.vector(vector, at[1]) {
                    let offset = at[0].offset + vector.at;
                    this.builder
                        .ins()
                        .store(ELEMENTS, value, at[0].base, offset);
                }
            }
        });
    }

    /// The bytes of a vector, from a source at that place.
    fn vector(&mut self, vector: &Vector, src: Place) -> Option<Value> {
        let load = |this: &mut Self, load: &Load| {
            let offset = src.offset + load.offset;
            this.builder.ins().load(I8X16, ELEMENTS, src.base, offset)
        };
        if let Some(order) = vector.in_words() {
            let first = load(self, vector.loads.first()?);
            let last = match &vector.loads[1..] {
                [] => first,
                [other, ..] => load(self, other),
            };
            let order = ConstantData::from(&order[..]);
            let order = self.builder.func.dfg.immediates.push(order);
            return Some(self.builder.ins().shuffle(first, last, order));
        }
        let mut value = None;
        for part in &vector.loads {
            let loaded = load(self, part);
            let given = match self.orders.get(&part.order) {
                None => loaded,
                Some(&order) => self.ordered(loaded, order),
            };
            value = Some(match value {
                None => given,
                Some(others) => self.builder.ins().bor(others, given),
            });
        }
        value
    }

    /// The bytes that `order` names; 0 where its top bit is set.
    fn ordered(&mut self, bytes: Value, order: Value) -> Value {
        if cfg!(target_arch = "x86_64") {
            self.builder.ins().x86_pshufb(bytes, order)
        } else {
            self.builder.ins().swizzle(bytes, order)
        }
    }

    fn strided(&mut self, count: Count, bytes: usize, packed: bool, dst: Value, src: Value) {
        let count = self.count(count);
        let cursors = [
            self.dst_cursor(dst, packed, bytes),
            Cursor {
                at: src,
                step: self.of_move(slot::SRC_STRIDE),
            },
        ];
        let cost = pieces(bytes).len();
        self.repeat(count, cost, &cursors, &mut |this, at| {
            this.copy(bytes, at[0], at[1]);
        });
    }

    fn lookup(&mut self, shape: LookupShape, pointers: &Pointers) {
        let (table, bytes) = (shape.table, shape.bytes);
        let Some(read) = self.structure.positions[table].table else {
            return;
        };
        let count = self.count(shape.count);
        let size = self.number(self.structure.size(table));
        let scale = self.number(self.structure.scale(table));
        let index_stride = if shape.table_packed {
            Num::Known(read.index.size() as i64)
        } else {
            self.of_move(slot::INDEX_STRIDE)
        };
        let mut cursors = vec![
            self.dst_cursor(pointers.dst, shape.packed, bytes),
            Cursor {
                at: pointers.at[table],
                step: index_stride,
            },
        ];
        if shape.src_moves {
            cursors.push(Cursor {
                at: pointers.at[0],
                step: self.of_move(slot::SRC_STRIDE),
            });
        }
        let still = Place::at(pointers.at[0]);
        let cost = 3 + pieces(bytes).len();
        self.repeat(count, cost, &cursors, &mut |this, at| {
            let chosen = this.index(at[1], read, size, scale);
            let from = at.get(2).copied().unwrap_or(still);
            let base = this.builder.ins().iadd(from.base, chosen);
            this.copy(bytes, at[0], Place { base, ..from });
        });
    }

    /// Position `p` has the value `start + p * delta`, modulo the width: so neighbours differ by `step * delta`.
    fn fill_integers(&mut self, values: Values, packed: bool, dst: Value, p: Value) {
        let [count, start, delta, step] =
            [slot::COUNT, slot::START, slot::DELTA, slot::SRC_STRIDE].map(|at| self.of_move(at));
        let scaled = self.multiply(p, delta);
        let first = self.add(scaled, start);
        let difference = match (step, delta) {
            (Num::Known(step), Num::Known(delta)) => Num::Known(step.wrapping_mul(delta)),
            (Num::Known(_) | Num::Loaded(_), _) => {
                let step = self.value(step);
                Num::Loaded(self.multiply(step, delta))
            }
        };
        let cursors = [
            self.dst_cursor(dst, packed, values.size()),
            Cursor {
                at: first,
                step: difference,
            },
        ];
        self.repeat(count, 1, &cursors, &mut |this, at| {
            let value = this.address(at[1]);
            this.store_low(values, value, at[0]);
        });
    }

    /// Stores the low bytes of an integer.
    fn store_low(&mut self, values: Values, value: Value, place: Place) {
        let Place { base, offset } = place;
        match values.size() {
            2 => self.builder.ins().istore16(ELEMENTS, value, base, offset),
            4 => self.builder.ins().istore32(ELEMENTS, value, base, offset),
            _ => self.builder.ins().store(ELEMENTS, value, base, offset),
        };
    }

    /// The position is rounded to the type, multiplied, added: three instructions, never fused (I7).
    fn fill_floats(&mut self, values: Values, packed: bool, dst: Value, p: Value) {
        let ty = if values == Values::F32 { F32 } else { F64 };
        let [count, start, delta, step] =
            [slot::COUNT, slot::START, slot::DELTA, slot::SRC_STRIDE].map(|at| self.of_move(at));
        let [start, delta] = [start, delta].map(|bits| self.float(ty, bits));
        let cursors = [
            self.dst_cursor(dst, packed, values.size()),
            Cursor { at: p, step },
        ];
        self.repeat(count, 3, &cursors, &mut |this, at| {
            let position = this.address(at[1]);
            let position = this.builder.ins().fcvt_from_sint(ty, position);
            let product = this.builder.ins().fmul(position, delta);
            let value = this.builder.ins().fadd(start, product);
            this.builder
                .ins()
                .store(ELEMENTS, value, at[0].base, at[0].offset);
        });
    }

    /// A float from its bits in the low bytes of a number.
    fn float(&mut self, ty: Type, bits: Num) -> Value {
        let mut bits = self.value(bits);
        if ty == F32 {
            bits = self.builder.ins().ireduce(I32, bits);
        }
        self.builder
            .ins()
            .bitcast(ty, cranelift_codegen::ir::MemFlagsData::new(), bits)
    }

    /// Moves one run.
    fn copy(&mut self, bytes: usize, dst: Place, src: Place) {
        let pieces = pieces(bytes);
        let loaded: Vec<Value> = pieces
            .iter()
            .map(|&(ty, at)| {
                let at = src.offset + at;
                self.builder.ins().load(ty, ELEMENTS, src.base, at)
            })
            .collect();
        for (value, (_, at)) in loaded.into_iter().zip(pieces) {
            let at = dst.offset + at;
            self.builder.ins().store(ELEMENTS, value, dst.base, at);
        }
    }

    /// Repeats `body` `count` times, at least once; each turn costs about `cost` instructions.
    fn repeat(&mut self, count: Num, cost: usize, cursors: &[Cursor], body: Body<'_, 'e>) {
        let unrolled = match cost {
            0..=1 => 4,
            2..=4 => 2,
            _ => 1,
        };
        let at: Vec<Value> = cursors.iter().map(|cursor| cursor.at).collect();
        match count {
            Num::Known(count) if count.unsigned_abs() <= (16 / cost.max(1)).max(1) as u64 => {
                self.turns(count as usize, &at, cursors, body);
            }
            Num::Known(count) => {
                let rounds = self.value(Num::Known(count / unrolled));
                let at = self.rounds(rounds, &at, &mut |this, at| {
                    this.turns(unrolled as usize, at, cursors, body)
                });
                self.turns((count % unrolled) as usize, &at, cursors, body);
            }
            Num::Loaded(count) if unrolled == 1 => {
                self.rounds(count, &at, &mut |this, at| this.turns(1, at, cursors, body));
            }
            Num::Loaded(count) => {
                let (left, at) = self.while_many(count, unrolled, &at, &mut |this, at| {
                    this.turns(unrolled as usize, at, cursors, body)
                });
                self.unless_none(left, &mut |this| {
                    this.rounds(left, &at, &mut |this, at| this.turns(1, at, cursors, body));
                });
            }
        }
    }

    /// Rounds of `many` (a power of two) turns while that many are left. Gives the number left, and the values after it.
    fn while_many(
        &mut self,
        count: Value,
        many: i64,
        at: &[Value],
        round: Round<'_, 'e>,
    ) -> (Value, Vec<Value>) {
        let (enter, after) = (self.builder.create_block(), self.block_for(at));
        let shift = i64::from(many.trailing_zeros());
        let rounds = self.builder.ins().ushr_imm_u(count, shift);
        let left = self.builder.ins().band_imm_u(count, many - 1);
        self.builder
            .ins()
            .brif(rounds, enter, &[], after, &arguments(at));
        self.builder.switch_to_block(enter);
        let moved = self.rounds(rounds, at, round);
        self.builder.ins().jump(after, &arguments(&moved));
        self.builder.switch_to_block(after);
        (left, self.builder.block_params(after).to_vec())
    }

    /// `code` unless `count` is 0.
    fn unless_none(&mut self, count: Value, code: &mut dyn FnMut(&mut Self)) {
        let [some, done] = [(); 2].map(|()| self.builder.create_block());
        self.builder.ins().brif(count, some, &[], done, &[]);
        self.builder.switch_to_block(some);
        code(self);
        self.builder.ins().jump(done, &[]);
        self.builder.switch_to_block(done);
    }

    /// A loop of `rounds`, at least 1. Gives the values after it.
    fn rounds(&mut self, rounds: Value, at: &[Value], round: Round<'_, 'e>) -> Vec<Value> {
        let first: Vec<Value> = [rounds].iter().chain(at).copied().collect();
        let (block, carried) = self.enter_loop(&first);
        let after = round(self, &carried[1..]);
        let next = [carried[0]].iter().chain(&after).copied().collect();
        self.close_loop(block, next);
        after
    }

    /// Straight code for `count` turns. Gives the cursors after them.
    fn turns(
        &mut self,
        count: usize,
        at: &[Value],
        cursors: &[Cursor],
        body: Body<'_, 'e>,
    ) -> Vec<Value> {
        let mut places: Vec<Place> = at.iter().map(|&at| Place::at(at)).collect();
        for _ in 0..count {
            body(self, &places);
            for (place, cursor) in places.iter_mut().zip(cursors) {
                *place = self.step(*place, cursor.step);
            }
        }
        places
            .into_iter()
            .map(|place| self.address(place))
            .collect()
    }

    /// One step on: in the immediate as long as it stays small, which leaves room for offsets inside a run.
    fn step(&mut self, place: Place, step: Num) -> Place {
        if let Num::Known(step) = step
            && let Some(offset) = i64::from(place.offset).checked_add(step)
            && offset.unsigned_abs() < 1 << 20
        {
            return Place {
                offset: offset as i32,
                ..place
            };
        }
        let base = self.address(place);
        Place::at(self.add(base, step))
    }

    fn address(&mut self, place: Place) -> Value {
        self.add(place.base, Num::Known(place.offset.into()))
    }

    fn of_move(&mut self, at: usize) -> Num {
        self.number(self.structure.of_move(at))
    }

    fn count(&mut self, count: Count) -> Num {
        match count {
            Count::Few(count) => Num::Known(count as i64),
            Count::Many => self.of_move(slot::COUNT),
        }
    }

    fn dst_cursor(&mut self, dst: Value, packed: bool, bytes: usize) -> Cursor {
        let step = if packed {
            Num::Known(bytes as i64)
        } else {
            self.of_move(slot::DST_STRIDE)
        };
        Cursor { at: dst, step }
    }
}

/// The widest type that is loaded and stored in one piece: every host with vectors in its base instruction set has 16 bytes.
const WIDEST: Type = if cfg!(all(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_endian = "little"
)) {
    I8X16
} else {
    I64
};

/// How a short run is cut: the widest pieces, the last one ending with the run and overlapping its neighbour.
fn pieces(bytes: usize) -> Vec<(Type, i32)> {
    if bytes == 3 {
        return vec![(I16, 0), (I8, 2)];
    }
    let ty = [WIDEST, I64, I32, I16]
        .into_iter()
        .find(|ty| ty.bytes() as usize <= bytes)
        .unwrap_or(I8);
    let width = ty.bytes() as usize;
    (0..bytes.div_ceil(width))
        .map(|piece| (ty, (piece * width).min(bytes - width) as i32))
        .collect()
}
