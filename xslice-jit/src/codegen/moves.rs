//! From a structure to machine code: the moves.
//!
//! A move repeats one small body over cursors, which are pointers (or positions in a Range) with a step. Short runs become loads and stores in
//! place, 16 bytes at a time and overlapping at the end of the run; longer runs call the copy helper. Bodies of few instructions
//! are unrolled; a count that is known and small becomes straight code.

use super::{ELEMENTS, Emitter, Num, Place, Pointers};
use crate::key::{Inner, Run, Table, Values, slot};
use cranelift_codegen::ir::types::{F32, F64, I8, I8X16, I16, I32, I64};
use cranelift_codegen::ir::{BlockArg, InstBuilder, Type, Value};

/// Pointer or position, and what one turn adds.
#[derive(Clone, Copy)]
struct Cursor {
    at: Value,
    step: Num,
}

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
            Inner::Strided { run, packed } => self.strided(run, packed, dst, src),
            Inner::Lookup {
                run, packed, table, ..
            } => self.lookup(run, packed, table, pointers),
            Inner::Fill { values, packed } => match values {
                Values::I16 | Values::I32 | Values::I64 => {
                    self.fill_integers(values, packed, dst, src)
                }
                Values::F32 | Values::F64 => self.fill_floats(values, packed, dst, src),
            },
        }
    }

    fn strided(&mut self, run: Run, packed: bool, dst: Value, src: Value) {
        let bytes = self.run_bytes(run);
        let count = self.of_move(slot::COUNT);
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
        let count = self.of_move(slot::COUNT);
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
        let cursors = [
            self.dst_cursor(dst, packed, bytes),
            Cursor {
                at: first,
                step: difference,
            },
        ];
        self.repeat(count, 1, &cursors, &mut |this, at| {
            let value = this.address(at[1]);
            let Place { base, offset } = at[0];
            match values {
                Values::I16 => this.builder.ins().istore16(ELEMENTS, value, base, offset),
                Values::I32 => this.builder.ins().istore32(ELEMENTS, value, base, offset),
                Values::I64 | Values::F32 | Values::F64 => {
                    this.builder.ins().store(ELEMENTS, value, base, offset)
                }
            };
        });
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
                let (signature, helper) = self.copy;
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
            Num::Known(count) if count as u64 <= (16 / cost.max(1)) as u64 => {
                self.turns(count as usize, &at, cursors, body);
            }
            Num::Known(count) => {
                let rounds = self.value(Num::Known(count / unrolled));
                let at = self.rounds(rounds, unrolled, &at, cursors, body);
                self.turns((count % unrolled) as usize, &at, cursors, body);
            }
            Num::Loaded(count) if unrolled == 1 => {
                self.rounds(count, 1, &at, cursors, body);
            }
            Num::Loaded(count) => self.unrolled(count, unrolled, &at, cursors, body),
        }
    }

    /// Rounds of `unrolled` turns while there are so many left, then the rest one by one.
    fn unrolled(
        &mut self,
        count: Value,
        unrolled: i64,
        at: &[Value],
        cursors: &[Cursor],
        body: Body<'_, 'e>,
    ) {
        let [many, rest, one, done] = [(); 4].map(|()| self.builder.create_block());
        for _ in at {
            self.builder.append_block_param(rest, I64);
        }
        let shift = i64::from(unrolled.trailing_zeros());
        let rounds = self.builder.ins().ushr_imm_u(count, shift);
        let left = self.builder.ins().band_imm_u(count, unrolled - 1);
        let arguments: Vec<BlockArg> = at.iter().map(|&value| value.into()).collect();
        self.builder.ins().brif(rounds, many, &[], rest, &arguments);
        self.builder.switch_to_block(many);
        let after = self.rounds(rounds, unrolled, at, cursors, body);
        let arguments: Vec<BlockArg> = after.iter().map(|&value| value.into()).collect();
        self.builder.ins().jump(rest, &arguments);
        self.builder.switch_to_block(rest);
        let at = self.builder.block_params(rest).to_vec();
        self.builder.ins().brif(left, one, &[], done, &[]);
        self.builder.switch_to_block(one);
        self.rounds(left, 1, &at, cursors, body);
        self.builder.ins().jump(done, &[]);
        self.builder.switch_to_block(done);
    }

    /// A loop of `rounds` (at least 1), each of `unrolled` turns. Gives the cursors after it.
    fn rounds(
        &mut self,
        rounds: Value,
        unrolled: i64,
        at: &[Value],
        cursors: &[Cursor],
        body: Body<'_, 'e>,
    ) -> Vec<Value> {
        let first: Vec<Value> = [rounds].iter().chain(at).copied().collect();
        let (block, carried) = self.enter_loop(&first);
        let after = self.turns(unrolled as usize, &carried[1..], cursors, body);
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

/// The widest type that is loaded and stored in one piece: every host with vectors in its base instruction set has 16 bytes.
const WIDEST: Type = if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
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
