//! From a structure to machine code: the loops.
//!
//! One function for each structure: `fn(numbers, buffers, dst, first, second) -> bool`, `false` where an index that it tests lies outside its
//! axis. `buffers[p]` is the start of the buffer of position `p`, and the first two are arguments as well: what a call has just put into
//! memory is read back late. Each position is a pointer that the loops step by its strides; an index is read, wrapped and added to the
//! position that it serves as soon as no deeper loop moves its table. The innermost part is in [`moves`]. With `baked` numbers every number
//! is an immediate, without them it is loaded where it is needed: once before an innermost loop, once a turn in the others.
//!
//! Nothing here is `unsafe`. Bounds were proved when the nest was made (I2 to I4); what is tested is an index that no check before has
//! read.

mod moves;

use crate::key::{Inner, Structure, Table};
use cranelift_codegen::Context;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I64};
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, InstBuilder, MemFlagsData, SigRef, Signature, Value,
};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use std::collections::HashMap;
use std::sync::OnceLock;
use xslice_core::ir::IndexType;

/// The instruction set of this machine, or why there is no code for it. Settled once.
pub(crate) fn host() -> Result<&'static OwnedTargetIsa, &'static str> {
    static HOST: OnceLock<Result<OwnedTargetIsa, String>> = OnceLock::new();
    HOST.get_or_init(find_host).as_ref().map_err(String::as_str)
}

fn find_host() -> Result<OwnedTargetIsa, String> {
    let mut flags = settings::builder();
    let verify = if cfg!(debug_assertions) {
        "true"
    } else {
        "false"
    };
    for (name, value) in [
        // Loops are emitted in their final form: the optimiser would take most of the compile time and find little.
        ("opt_level", "none"),
        // The single-pass allocator compiles in two thirds of the time, and its loops take two to four times as long.
        ("regalloc_algorithm", "backtracking"),
        ("enable_verifier", verify),
        // What a JIT in absolute addresses needs.
        ("use_colocated_libcalls", "false"),
        ("is_pic", "false"),
        // Nothing unwinds through this code: the helpers that it calls do not panic.
        ("unwind_info", "false"),
    ] {
        flags.set(name, value).map_err(|error| error.to_string())?;
    }
    let isa = cranelift_native::builder()?;
    isa.finish(settings::Flags::new(flags))
        .map_err(|error| error.to_string())
}

/// Buffers whose starts are arguments of a compiled function.
pub(crate) const IN_REGISTERS: usize = 2;

/// The signature of every compiled function.
pub(crate) fn signature(isa: &OwnedTargetIsa) -> Signature {
    signature_of(isa, 3 + IN_REGISTERS)
}

/// That of `count` words. The result fills its register, as a `bool` of `extern "C"` does: where the convention wants more than its byte, the
/// rest is zero.
fn signature_of(isa: &OwnedTargetIsa, count: usize) -> Signature {
    let mut signature = Signature::new(isa.default_call_conv());
    signature
        .params
        .extend(std::iter::repeat_n(AbiParam::new(I64), count));
    signature.returns.push(AbiParam::new(I8).uext());
    signature
}

/// The addresses of what machine code calls.
#[derive(Clone, Copy)]
pub(crate) struct Helpers {
    /// `extern "C" fn(dst, src, operand, schedule, table) -> bool`, which runs the move and the loops inside those of machine code.
    pub innermost: usize,
    /// `extern "C" fn(schedule, buffers, dst) -> bool`, which runs all.
    pub whole: usize,
}

/// Writes the function of `structure` into `context`.
pub(crate) fn write(
    context: &mut Context,
    frontend: &mut FunctionBuilderContext,
    isa: &OwnedTargetIsa,
    structure: &Structure,
    baked: Option<&[i64]>,
    helpers: Helpers,
) {
    context.clear();
    context.func.signature = signature(isa);
    let mut builder = FunctionBuilder::new(&mut context.func, frontend);
    let innermost = (
        builder.import_signature(signature_of(isa, 5)),
        helpers.innermost,
    );
    let whole = (
        builder.import_signature(signature_of(isa, 3)),
        helpers.whole,
    );
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let [numbers, buffers, dst, first, second] =
        [0, 1, 2, 3, 4].map(|at| builder.block_params(entry)[at]);
    let mut emitter = Emitter {
        builder,
        structure,
        baked,
        numbers,
        buffers,
        starts: [first, second],
        innermost,
        whole,
        complete: complete_levels(structure),
        orders: HashMap::new(),
        outside: None,
    };
    emitter.orders();
    emitter.function(dst);
    let Emitter {
        mut builder,
        outside,
        ..
    } = emitter;
    let passed = builder.ins().iconst(I8, 1);
    builder.ins().return_(&[passed]);
    if let Some(outside) = outside {
        builder.switch_to_block(outside);
        let failed = builder.ins().iconst(I8, 0);
        builder.ins().return_(&[failed]);
    }
    builder.seal_all_blocks();
    builder.finalize(isa.frontend_config());
}

/// For each position the number of loops after which nothing moves it any more.
fn complete_levels(structure: &Structure) -> Vec<usize> {
    let mut moves: Vec<u64> = structure.positions.iter().map(|p| p.moves).collect();
    // Tables stand after what they serve.
    for (p, position) in structure.positions.iter().enumerate().rev() {
        if let Some(table) = position.table {
            moves[table.serves] |= moves[p];
        }
    }
    moves
        .into_iter()
        .map(|mask| 64 - mask.leading_zeros() as usize)
        .collect()
}

/// A number as codegen sees it.
#[derive(Clone, Copy, Debug)]
enum Num {
    Known(i64),
    Loaded(Value),
}

/// Where the positions stand inside some of the loops.
#[derive(Clone)]
struct Pointers {
    dst: Value,
    at: Vec<Value>,
}

struct Emitter<'a> {
    builder: FunctionBuilder<'a>,
    structure: &'a Structure,
    baked: Option<&'a [i64]>,
    numbers: Value,
    buffers: Value,
    starts: [Value; IN_REGISTERS],
    /// The helpers with their signatures.
    innermost: (SigRef, usize),
    whole: (SigRef, usize),
    complete: Vec<usize>,
    /// The orders of the bytes of vectors, each in a register around all loops.
    orders: HashMap<[u8; 16], Value>,
    /// Where the function ends if an index lies outside its axis.
    outside: Option<Block>,
}

/// Flags of a load or store of elements: proved in bounds, of any alignment.
const ELEMENTS: MemFlagsData = MemFlagsData::new().with_notrap();

/// Flags of a load of our own arrays.
const OURS: MemFlagsData = MemFlagsData::trusted().with_readonly().with_can_move();

impl Emitter<'_> {
    fn function(&mut self, dst: Value) {
        if matches!(self.structure.inner, Inner::Whole) {
            return self.whole(dst);
        }
        let offset = self.number(self.structure.dst_offset());
        let mut pointers = Pointers {
            dst: self.add(dst, offset),
            at: Vec::with_capacity(self.structure.positions.len()),
        };
        for p in 0..self.structure.positions.len() {
            let offset = self.number(self.structure.offset(p));
            // Null for a Range, so that positions in it count from 0.
            let start = self.buffer(p);
            pointers.at.push(self.add(start, offset));
        }
        self.read_indices(0, &mut pointers);
        self.loops(0, &pointers);
    }

    /// The start of the buffer of position `p`.
    fn buffer(&mut self, p: usize) -> Value {
        match self.starts.get(p) {
            Some(&start) => start,
            None => {
                let at = (8 * p) as i32;
                self.builder.ins().load(I64, OURS, self.buffers, at)
            }
        }
    }

    /// Loop `k` and everything inside it.
    fn loops(&mut self, k: usize, outside: &Pointers) {
        let structure = self.structure;
        if k == structure.loops {
            return self.inner(outside);
        }
        let moving: Vec<usize> = (0..structure.positions.len())
            .filter(|&p| structure.positions[p].moves & (1 << k) != 0)
            .collect();
        let extent = self.number(structure.extent(k));
        let mut first = vec![self.value(extent), outside.dst];
        first.extend(moving.iter().map(|&p| outside.at[p]));
        let (body, left) = self.enter_loop(&first);
        let mut turn = outside.clone();
        turn.dst = left[1];
        for (&p, &at) in moving.iter().zip(&left[2..]) {
            turn.at[p] = at;
        }
        self.read_indices(k + 1, &mut turn);
        self.loops(k + 1, &turn);
        let mut next = left.clone();
        let strides = moving.iter().map(|&p| structure.stride(p, k));
        let strides = [structure.dst_stride(k)].into_iter().chain(strides);
        for (at, stride) in next[1..].iter_mut().zip(strides) {
            let stride = self.number(stride);
            *at = self.add(*at, stride);
        }
        self.close_loop(body, next);
    }

    /// Adds every index whose table no loop from `level` on moves to the position that it serves. Tables of tables come first.
    fn read_indices(&mut self, level: usize, pointers: &mut Pointers) {
        let structure = self.structure;
        let of_move = match &structure.inner {
            Inner::Lookup(shape) => Some(shape.table),
            Inner::Innermost { table } => *table,
            Inner::Copy { .. } | Inner::Strided { .. } => None,
            Inner::Fill { .. } | Inner::Vectors(_) | Inner::Whole => None,
        };
        for p in (0..structure.positions.len()).rev() {
            let Some(table) = structure.positions[p].table else {
                continue;
            };
            if self.complete[p] == level && of_move != Some(p) {
                let place = Place::at(pointers.at[p]);
                let [size, scale] =
                    [structure.size(p), structure.scale(p)].map(|at| self.number(at));
                let moved = self.index(place, table, size, scale);
                let served = pointers.at[table.serves];
                pointers.at[table.serves] = self.builder.ins().iadd(served, moved);
            }
        }
    }

    /// `scale * (v < 0 ? v + size : v)` for the index `v` at `place`, which is tested first if the table says so.
    fn index(&mut self, place: Place, table: Table, size: Num, scale: Num) -> Value {
        let v = match table.index {
            IndexType::I32 => self
                .builder
                .ins()
                .sload32(ELEMENTS, place.base, place.offset),
            IndexType::I64 => self
                .builder
                .ins()
                .load(I64, ELEMENTS, place.base, place.offset),
        };
        let from_end = self.add(v, size);
        let negative = self.builder.ins().icmp_imm_s(IntCC::SignedLessThan, v, 0);
        let wrapped = self.builder.ins().select(negative, from_end, v);
        if table.tested {
            let size = self.value(size);
            let is_less = IntCC::UnsignedLessThan;
            let inside = self.builder.ins().icmp(is_less, wrapped, size);
            self.go_on_if(inside);
        }
        self.multiply(wrapped, scale)
    }

    /// Leaves the function where an index does not lie `inside` its axis.
    fn go_on_if(&mut self, inside: Value) {
        let go_on = self.builder.create_block();
        let builder = &mut self.builder;
        let outside = *self.outside.get_or_insert_with(|| builder.create_block());
        builder.ins().brif(inside, go_on, &[], outside, &[]);
        builder.switch_to_block(go_on);
    }

    /// A new block with parameters for such values.
    fn block_for(&mut self, values: &[Value]) -> Block {
        let block = self.builder.create_block();
        for &value in values {
            let ty = self.builder.func.dfg.value_type(value);
            self.builder.append_block_param(block, ty);
        }
        block
    }

    /// Starts a loop that carries `first`; its first value counts down to 0. Gives the block to close, and the carried values.
    fn enter_loop(&mut self, first: &[Value]) -> (Block, Vec<Value>) {
        let body = self.block_for(first);
        self.builder.ins().jump(body, &arguments(first));
        self.builder.switch_to_block(body);
        (body, self.builder.block_params(body).to_vec())
    }

    /// Ends the loop: counts down and goes on with `next`, or leaves.
    fn close_loop(&mut self, body: Block, mut next: Vec<Value>) {
        let done = self.builder.create_block();
        next[0] = self.builder.ins().iadd_imm_s(next[0], -1);
        let next_arguments = arguments(&next);
        self.builder
            .ins()
            .brif(next[0], body, &next_arguments, done, &[]);
        self.builder.switch_to_block(done);
    }

    /// Number `at` in the order of the structure.
    fn number(&mut self, at: usize) -> Num {
        match self.baked {
            Some(numbers) => Num::Known(numbers[at]),
            None => Num::Loaded(
                self.builder
                    .ins()
                    .load(I64, OURS, self.numbers, (8 * at) as i32),
            ),
        }
    }

    fn value(&mut self, number: Num) -> Value {
        match number {
            Num::Known(known) => self.builder.ins().iconst(I64, known),
            Num::Loaded(value) => value,
        }
    }

    fn add(&mut self, x: Value, number: Num) -> Value {
        match number {
            Num::Known(0) => x,
            Num::Known(known) => self.builder.ins().iadd_imm_s(x, known),
            Num::Loaded(value) => self.builder.ins().iadd(x, value),
        }
    }

    fn multiply(&mut self, x: Value, number: Num) -> Value {
        match number {
            Num::Known(1) => x,
            Num::Known(known) if known > 0 && known.count_ones() == 1 => self
                .builder
                .ins()
                .ishl_imm_u(x, i64::from(known.trailing_zeros())),
            Num::Known(known) => self.builder.ins().imul_imm_s(x, known),
            Num::Loaded(value) => self.builder.ins().imul(x, value),
        }
    }
}

fn arguments(values: &[Value]) -> Vec<BlockArg> {
    values.iter().map(|&value| value.into()).collect()
}

/// An address: a pointer and an immediate.
#[derive(Clone, Copy, Debug)]
struct Place {
    base: Value,
    offset: i32,
}

impl Place {
    fn at(base: Value) -> Self {
        Self { base, offset: 0 }
    }
}
