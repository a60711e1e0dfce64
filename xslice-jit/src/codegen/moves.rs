//! From a structure to machine code: the moves.
//!
//! A move repeats one small body over cursors, which are pointers (or positions in a Range) with a step. Short runs become loads and stores in
//! place, 16 bytes at a time and overlapping at the end of the run; longer runs call the copy helper. Bodies of few instructions
//! are unrolled; a count that is known and small becomes straight code.

use super::{ELEMENTS, Emitter, Num, OURS, Place, Pointers, arguments};
use crate::key::{Count, Inner, Run, Table, Values, slot};
use cranelift_codegen::ir::types::{F32, F64, I8, I8X16, I16, I32, I64};
use cranelift_codegen::ir::{InstBuilder, Type, Value};

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
        match self.structure.inner {
            Inner::Copy { run } => {
                let bytes = self.run_bytes(run);
                self.copy(run, bytes, Place::at(dst), Place::at(src));
            }
            Inner::Strided { count, run, packed } => self.strided(count, run, packed, dst, src),
            Inner::Lookup {
                run, packed, table, ..
            } => self.lookup(run, packed, table, pointers),
            Inner::Fill { values, packed } => match values {
                Values::I16 | Values::I32 | Values::I64 => {
                    self.fill_integers(values, packed, dst, src)
                }
                Values::F32 | Values::F64 => self.fill_floats(values, packed, dst, src),
            },
            Inner::Shuffle => self.shuffle(dst, src),
        }
    }

    /// One row of a shuffle, by the helper.
    fn shuffle(&mut self, dst: Value, src: Value) {
        let operand = self.builder.ins().load(I64, OURS, self.buffers, 0);
        let first = (8 * self.structure.of_move(0)) as i64;
        let numbers = self.builder.ins().iadd_imm_s(self.numbers, first);
        let (signature, helper) = self.helpers.shuffle;
        let helper = self.builder.ins().iconst(I64, helper as i64);
        self.builder
            .ins()
            .call_indirect(signature, helper, &[dst, src, operand, numbers]);
    }

    fn strided(&mut self, count: Count, run: Run, packed: bool, dst: Value, src: Value) {
        let bytes = self.run_bytes(run);
        let count = self.count(count);
        let cursors = [
            self.dst_cursor(dst, packed, bytes),
            Cursor {
                at: src,
                step: self.of_move(slot::SRC_STRIDE),
            },
        ];
        let cost = pieces_of(run);
        self.repeat(count, cost, &cursors, &mut |this, at| {
            this.copy(run, bytes, at[0], at[1]);
        });
    }

    fn lookup(&mut self, run: Run, packed: bool, table: usize, pointers: &Pointers) {
        let Inner::Lookup {
            count,
            table_packed,
            src_moves,
            ..
        } = self.structure.inner
        else {
            return;
        };
        let Some(Table { index, .. }) = self.structure.positions[table].table else {
            return;
        };
        let bytes = self.run_bytes(run);
        let count = self.count(count);
        let size = self.number(self.structure.size(table));
        let scale = self.number(self.structure.scale(table));
        let index_stride = if table_packed {
            Num::Known(index.size() as i64)
        } else {
            self.of_move(slot::INDEX_STRIDE)
        };
        let mut cursors = vec![
            self.dst_cursor(pointers.dst, packed, bytes),
            Cursor {
                at: pointers.at[table],
                step: index_stride,
            },
        ];
        if src_moves {
            cursors.push(Cursor {
                at: pointers.at[0],
                step: self.of_move(slot::SRC_STRIDE),
            });
        }
        let still = Place::at(pointers.at[0]);
        let cost = 3 + pieces_of(run);
        self.repeat(count, cost, &cursors, &mut |this, at| {
            let chosen = this.index(at[1], index, size, scale);
            let from = at.get(2).copied().unwrap_or(still);
            let base = this.builder.ins().iadd(from.base, chosen);
            this.copy(run, bytes, at[0], Place { base, ..from });
        });
    }

    /// Position `p` has the value `start + p * delta`, modulo the width: so neighbours differ by `step * delta`.
    fn fill_integers(&mut self, values: Values, packed: bool, dst: Value, p: Value) {
        let bytes = Num::Known(values.size() as i64);
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
        let one_by_one = |this: &mut Self, count, dst, first| {
            let cursors = [
                this.dst_cursor(dst, packed, bytes),
                Cursor {
                    at: first,
                    step: difference,
                },
            ];
            this.repeat(count, 1, &cursors, &mut |this, at| {
                let value = this.address(at[1]);
                this.store_low(values, value, at[0]);
            });
        };
        if !packed || WIDEST == I64 || matches!(count, Num::Known(..=16)) {
            return one_by_one(self, count, dst, first);
        }
        let count = self.value(count);
        let (left, at) = self.fill_vectors(values, count, dst, first, difference);
        self.unless_none(left, &mut |this| {
            let value = this.builder.ins().extractlane(at[1], 0);
            let value = match values.size() {
                8 => value,
                _ => this.builder.ins().sextend(I64, value),
            };
            one_by_one(this, Num::Loaded(left), at[0], value);
        });
    }

    /// Two vectors a round, as long as there are values for both. Gives the number of values left, the destination, and
    /// vectors of which the first begins with the next value.
    fn fill_vectors(
        &mut self,
        values: Values,
        count: Value,
        dst: Value,
        first: Value,
        difference: Num,
    ) -> (Value, Vec<Value>) {
        let size = values.size();
        let (lanes, ty) = (16 / size as i64, narrow(values).by(16 / size as u32));
        let Some(ty) = ty else {
            return (count, vec![dst]);
        };
        let numbered: Vec<u8> = (0..16)
            .map(|byte| {
                if byte % size == 0 {
                    (byte / size) as u8
                } else {
                    0
                }
            })
            .collect();
        let numbered = self.builder.func.dfg.constants.insert(numbered.into());
        let numbered = self.builder.ins().vconst(ty, numbered);
        let difference = self.value(difference);
        let difference = self.splat(values, ty, difference);
        let offsets = self.builder.ins().imul(numbered, difference);
        let start = self.splat(values, ty, first);
        let start = self.builder.ins().iadd(start, offsets);
        let shift = self
            .builder
            .ins()
            .iconst(I32, i64::from(lanes.trailing_zeros()));
        let next = self.builder.ins().ishl(difference, shift);
        let second = self.builder.ins().iadd(start, next);
        let step = self.builder.ins().iadd(next, next);
        self.while_many(count, 2 * lanes, &[dst, start, second], &mut |this, at| {
            this.builder.ins().store(ELEMENTS, at[1], at[0], 0);
            this.builder.ins().store(ELEMENTS, at[2], at[0], 16);
            vec![
                this.builder.ins().iadd_imm_s(at[0], 32),
                this.builder.ins().iadd(at[1], step),
                this.builder.ins().iadd(at[2], step),
            ]
        })
    }

    /// A number in every lane, modulo the width.
    fn splat(&mut self, values: Values, ty: Type, value: Value) -> Value {
        let value = match values.size() {
            8 => value,
            _ => self.builder.ins().ireduce(narrow(values), value),
        };
        self.builder.ins().splat(ty, value)
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
        let bytes = Num::Known(values.size() as i64);
        let [count, start, delta, step] =
            [slot::COUNT, slot::START, slot::DELTA, slot::SRC_STRIDE].map(|at| self.of_move(at));
        let [start, delta] = [start, delta].map(|bits| self.float(ty, bits));
        let cursors = [self.dst_cursor(dst, packed, bytes), Cursor { at: p, step }];
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
    fn copy(&mut self, run: Run, bytes: Num, dst: Place, src: Place) {
        match run {
            Run::Short(bytes) => {
                let pieces = pieces(bytes);
                let loaded: Vec<Value> = pieces
                    .iter()
                    .map(|&(ty, at)| {
                        self.builder
                            .ins()
                            .load(ty, ELEMENTS, src.base, src.offset + at)
                    })
                    .collect();
                for (value, (_, at)) in loaded.into_iter().zip(pieces) {
                    self.builder
                        .ins()
                        .store(ELEMENTS, value, dst.base, dst.offset + at);
                }
            }
            Run::Long => {
                let arguments = [self.address(dst), self.address(src), self.value(bytes)];
                let (signature, helper) = self.helpers.copy;
                let helper = self.builder.ins().iconst(I64, helper as i64);
                self.builder
                    .ins()
                    .call_indirect(signature, helper, &arguments);
            }
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

    /// Rounds of `many` (a power of two) turns while there are so many left. Gives the number left, and the values after it.
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

    fn run_bytes(&mut self, run: Run) -> Num {
        match run {
            Run::Short(bytes) => Num::Known(bytes as i64),
            Run::Long => self.of_move(slot::BYTES),
        }
    }

    fn dst_cursor(&mut self, dst: Value, packed: bool, bytes: Num) -> Cursor {
        let step = if packed {
            bytes
        } else {
            self.of_move(slot::DST_STRIDE)
        };
        Cursor { at: dst, step }
    }
}

/// Loads (and as many stores) of a run; a call counts as many.
fn pieces_of(run: Run) -> usize {
    match run {
        Run::Short(bytes) => pieces(bytes).len(),
        Run::Long => 8,
    }
}

/// The integer as wide as a value of a Range.
fn narrow(values: Values) -> Type {
    match values {
        Values::I16 => I16,
        Values::I32 | Values::F32 => I32,
        Values::I64 | Values::F64 => I64,
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
