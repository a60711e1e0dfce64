//! The few instructions that code of pieces consists of, and their bytes.

#[cfg(test)]
mod tests;
mod text;
mod vex;

pub(crate) use vex::{Vex, Ymm};

use crate::pieces::{LINE, MOST_LOOPS};

/// A vector register. No calling convention keeps those from 16 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Zmm(pub u8);

/// Elements of a vector: all, or those of a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Elements {
    pub vector: Zmm,
    /// Bytes of one: 1, 4 or 8.
    pub unit: usize,
    /// The register of the mask, from 1 to 7; 0 for all.
    pub mask: u8,
}

/// An address: bytes from where the register of a buffer points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Source(i32),
    Destination(i32),
}

/// An instruction, or some that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instruction {
    /// So many bytes into a vector: 16, 32 or 64. Elements that are not of the mask stay.
    Load {
        to: Elements,
        bytes: usize,
        from: Place,
    },
    /// A line into a vector. Elements that are not of the mask are zero.
    LoadAlone { to: Elements, from: Place },
    /// An order, which lies behind the code. Its distance is the last 4 bytes.
    LoadOrder { vector: Zmm, order: usize },
    /// Elements of a line, by an order. Those that are not of the mask stay.
    Order {
        to: Elements,
        order: Zmm,
        from: Place,
    },
    /// Elements of the vector and of a line, by an order; all.
    OrderBoth {
        to: Elements,
        order: Zmm,
        from: Place,
    },
    /// 8 bytes into a vector.
    LoadLow { vector: Zmm, from: Place },
    /// The next 8 bytes of it; the first ones stay.
    LoadHigh { vector: Zmm, from: Place },
    /// The elements of a mask, out of another vector. The others stay.
    Merge { to: Elements, from: Zmm },
    /// So many bytes of a vector: 4, 8, 16, 32 or 64.
    Store {
        vector: Zmm,
        bytes: usize,
        to: Place,
    },
    /// The elements of a mask.
    StoreMasked { from: Elements, to: Place },
    /// The register of a mask gets these elements.
    Mask { mask: u8, elements: u64 },
    /// So many bytes into the word that passes: 1, 2, 4 or 8.
    LoadWord { bytes: usize, from: Place },
    /// So many bytes of it.
    StoreWord { bytes: usize, to: Place },
    /// Makes the source what lies behind the orders. Its distance is the last 4 bytes.
    LoadData,
    /// Finds where the destination begins in a line, by the bits of an address that the last place has.
    Phase(i32),
    /// Goes on elsewhere if it begins there. The distance is the last 4 bytes.
    IfPhase(i32),
    /// Nothing: the place where to go on.
    OfPhase(i32),
    /// Goes on where all phases do. The distance is the last 4 bytes.
    ForAll,
    /// Nothing: the place where all of them go on.
    OfAll,
    /// A loop of so many turns begins.
    Turns(Counter, i32),
    /// What a turn adds to the registers of the destination and of the source, and back where the loop begins, unless it was the last
    /// one. The distance is the last 4 bytes.
    NextTurn(Counter, [i32; 2]),
    /// What is added to them.
    Step([i32; 2]),
    /// One of AVX2.
    Vex(Vex),
    /// Back, with the result `true`.
    Return,
}

/// Which of the loops around each other a register counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    /// That of some pieces.
    Pieces,
    /// The one around all pieces, or the outer one of two.
    Around,
    /// The inner one.
    Within,
}

impl Counter {
    pub const ALL: usize = 3;

    /// Those around all pieces.
    pub const AROUND: [Self; MOST_LOOPS] = [Self::Around, Self::Within];
}

/// The registers in which a function is given the destination, and the source, which is the first buffer; with their names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Convention {
    destination: (u8, &'static str),
    source: (u8, &'static str),
    /// That of an argument which is not read.
    free: (u8, &'static str),
}

impl Convention {
    const SYSTEM_V: Self = Self {
        destination: (2, "rdx"),
        source: (1, "rcx"),
        free: (6, "esi"),
    };
    const WINDOWS: Self = Self {
        destination: (8, "r8"),
        source: (9, "r9"),
        free: (2, "edx"),
    };
    const HOST: Self = match cfg!(windows) {
        true => Self::WINDOWS,
        false => Self::SYSTEM_V,
    };

    /// The register that counts the turns of a loop.
    fn counter(self, counter: Counter) -> (u8, &'static str) {
        match counter {
            Counter::Pieces => (10, "r10d"),
            Counter::Around => (11, "r11d"),
            Counter::Within => self.free,
        }
    }

    /// The number and the name of a register, and what is added to it.
    fn address(self, place: Place) -> ((u8, &'static str), i32) {
        match place {
            Place::Source(offset) => (self.source, offset),
            Place::Destination(offset) => (self.destination, offset),
        }
    }
}

/// What an EVEX prefix says beside registers: the map of the operation code, its implied prefix, and the width of elements.
#[derive(Clone, Copy)]
struct Operation {
    map: u8,
    prefix: u8,
    wide: bool,
    code: u8,
    /// The register of the mask, 0 for none; with the top bit set, elements that are not of it are zero.
    mask: u8,
}

const MAP_0F: u8 = 1;
const MAP_0F38: u8 = 2;
const PREFIX_66: u8 = 1;
const PREFIX_F3: u8 = 2;
const PREFIX_F2: u8 = 3;
const ZEROES: u8 = 1 << 7;

impl Operation {
    /// `vmovdqu8`, `vmovdqu32` and `vmovdqu64`.
    const fn moves(unit: usize, code: u8) -> Self {
        Self {
            map: MAP_0F,
            prefix: if unit == 1 { PREFIX_F2 } else { PREFIX_F3 },
            wide: unit == 8,
            code,
            mask: 0,
        }
    }

    const fn loads(unit: usize) -> Self {
        Self::moves(unit, 0x6f)
    }

    const fn stores(unit: usize) -> Self {
        Self::moves(unit, 0x7f)
    }

    /// `vmovq` into a vector.
    const LOADS_LOW: Self = Self {
        map: MAP_0F,
        prefix: PREFIX_F3,
        wide: true,
        code: 0x7e,
        mask: 0,
    };

    /// `vmovhpd`
    const LOADS_HIGH: Self = Self {
        map: MAP_0F,
        prefix: PREFIX_66,
        wide: true,
        code: 0x16,
        mask: 0,
    };

    /// `vmovd` and `vmovq` out of a vector.
    const fn stores_word(bytes: usize) -> Self {
        Self {
            map: MAP_0F,
            prefix: PREFIX_66,
            wide: bytes == 8,
            code: if bytes == 8 { 0xd6 } else { 0x7e },
            mask: 0,
        }
    }

    /// `vpermb`, `vpermd` and `vpermq`.
    const fn orders(unit: usize) -> Self {
        Self {
            map: MAP_0F38,
            prefix: PREFIX_66,
            wide: unit == 8,
            code: if unit == 1 { 0x8d } else { 0x36 },
            mask: 0,
        }
    }

    /// `vpermt2d` and `vpermt2q`.
    const fn orders_both(unit: usize) -> Self {
        Self {
            code: 0x7e,
            ..Self::orders(unit)
        }
    }

    /// The same of the elements of a mask.
    const fn masked(self, mask: u8) -> Self {
        Self { mask, ..self }
    }
}

/// Where an instruction names no second vector.
const NO_OTHER: Zmm = Zmm(0);

/// In the place of a register: the distance from the end of the instruction.
const BEHIND_CODE: u8 = 0b101;

/// Code as it is written.
pub(crate) struct Assembler {
    pub code: Vec<u8>,
    convention: Convention,
}

impl Assembler {
    pub fn new() -> Self {
        Self {
            code: Vec::new(),
            convention: Convention::HOST,
        }
    }

    /// Writes the bytes of an instruction.
    pub fn write(&mut self, instruction: Instruction) {
        use Instruction as I;
        match instruction {
            I::Load { to, bytes, from } => {
                let operation = Operation::loads(to.unit).masked(to.mask);
                self.of_memory(operation, [to.vector, NO_OTHER], from, bytes);
            }
            I::LoadAlone { to, from } => {
                let operation = Operation::loads(to.unit).masked(to.mask | ZEROES);
                self.of_memory(operation, [to.vector, NO_OTHER], from, LINE);
            }
            I::LoadOrder { vector, .. } => {
                self.prefix(Operation::loads(8), [vector, NO_OTHER], LINE, 0);
                self.behind_code(vector.0);
            }
            I::Order { to, order, from } => {
                let operation = Operation::orders(to.unit).masked(to.mask);
                self.of_memory(operation, [to.vector, order], from, LINE);
            }
            I::OrderBoth { to, order, from } => {
                let operation = Operation::orders_both(to.unit).masked(to.mask);
                self.of_memory(operation, [to.vector, order], from, LINE);
            }
            I::LoadLow { vector, from } => {
                self.of_memory(Operation::LOADS_LOW, [vector, NO_OTHER], from, 8);
            }
            I::LoadHigh { vector, from } => {
                self.of_memory(Operation::LOADS_HIGH, [vector, vector], from, 8);
            }
            I::Merge { to, from } => {
                let operation = Operation::loads(to.unit).masked(to.mask);
                self.of_vectors(operation, to.vector, from);
            }
            I::Store { vector, bytes, to } => {
                let operation = match bytes {
                    ..=8 => Operation::stores_word(bytes),
                    _ => Operation::stores(8),
                };
                self.of_memory(operation, [vector, NO_OTHER], to, bytes);
            }
            I::StoreMasked { from, to } => {
                let operation = Operation::stores(from.unit).masked(from.mask);
                self.of_memory(operation, [from.vector, NO_OTHER], to, LINE);
            }
            I::LoadWord { bytes, from } => self.of_word(bytes, from, true),
            I::StoreWord { bytes, to } => self.of_word(bytes, to, false),
            I::Mask { mask, elements } => self.mask(mask, elements),
            // lea source, distance
            I::LoadData => {
                let (source, _) = self.convention.source;
                self.code.extend([0x48 | source >> 3 << 2, 0x8d]);
                self.behind_code(source);
            }
            I::Phase(last) => self.phase(last),
            // cmp eax, phase; je distance
            I::IfPhase(phase) => {
                let code = [0x83, 0xf8, phase as u8, 0x0f, 0x84];
                self.code.extend(code.into_iter().chain([0; 4]));
            }
            I::OfPhase(_) => {}
            I::ForAll => self.code.extend([0xe9, 0, 0, 0, 0]),
            I::OfAll => {}
            I::Turns(counter, turns) => self.turns(counter, turns),
            I::NextTurn(counter, steps) => self.next_turn(counter, steps),
            I::Step(steps) => self.step(steps),
            I::Vex(instruction) => self.write_vex(instruction),
            // mov eax, 1; ret
            I::Return => self.code.extend([0xb8, 1, 0, 0, 0, 0xc3]),
        }
    }

    /// The register of an instruction, and the distance of what lies behind the code, which is not known yet.
    fn behind_code(&mut self, register: u8) {
        self.code.push((register & 7) << 3 | BEHIND_CODE);
        self.code.extend([0; 4]);
    }

    /// `mov rax, elements; kmovq mask, rax`
    fn mask(&mut self, mask: u8, elements: u64) {
        self.code.extend([0x48, 0xb8]);
        self.code.extend(elements.to_le_bytes());
        self.code.extend([0xc4, 0xe1, 0xfb, 0x92, 0xc0 | mask << 3]);
    }

    /// `mov rax, destination; and eax, last phase`
    fn phase(&mut self, last: i32) {
        let (destination, _) = self.convention.destination;
        let register = 0b11 << 6 | (destination & 7) << 3;
        let moves = [0x48 | destination >> 3 << 2, 0x89, register];
        self.code.extend(moves);
        self.code.extend([0x83, 0xe0, last as u8]);
    }

    /// `mov counter, turns`
    fn turns(&mut self, counter: Counter, turns: i32) {
        let (register, _) = self.convention.counter(counter);
        self.high(register);
        self.code.push(0xb8 | register & 7);
        self.code.extend(turns.to_le_bytes());
    }

    /// `add destination, step; add source, step; dec counter; jnz distance`
    fn next_turn(&mut self, counter: Counter, steps: [i32; 2]) {
        self.step(steps);
        let (register, _) = self.convention.counter(counter);
        self.high(register);
        self.code.extend([0xff, 0xc8 | register & 7]);
        self.code.extend([0x0f, 0x85, 0, 0, 0, 0]);
    }

    /// `add destination, step; add source, step`
    fn step(&mut self, steps: [i32; 2]) {
        let Convention {
            destination,
            source,
            ..
        } = self.convention;
        for ((register, _), step) in [destination, source].into_iter().zip(steps) {
            let add = [0x48 | register >> 3, 0x81, 0xc0 | register & 7];
            self.code.extend(add);
            self.code.extend(step.to_le_bytes());
        }
    }

    /// The prefix of an instruction of 32 bits whose register has a number above 7.
    fn high(&mut self, register: u8) {
        if register > 7 {
            self.code.push(0x41);
        }
    }

    /// An instruction of vectors and so many bytes of memory.
    fn of_memory(&mut self, operation: Operation, vectors: [Zmm; 2], place: Place, bytes: usize) {
        let ((base, _), _) = self.convention.address(place);
        self.prefix(operation, vectors, bytes, base);
        self.address(vectors[0].0, place, bytes as i32);
    }

    /// An instruction of two vectors alone, the second in the place of memory.
    fn of_vectors(&mut self, operation: Operation, vector: Zmm, from: Zmm) {
        let second = self.code.len() + 1;
        self.prefix(operation, [vector, NO_OTHER], LINE, from.0);
        // Bit 4 of its number is where the register of an index would have one.
        self.code[second] ^= (from.0 >> 4) << 6;
        self.code.push(0b11 << 6 | (vector.0 & 7) << 3 | from.0 & 7);
    }

    /// The prefix of an instruction of vectors, and its operation code. `base` is the register of its address.
    fn prefix(&mut self, operation: Operation, [vector, other]: [Zmm; 2], bytes: usize, base: u8) {
        // Bits of registers are written inverted.
        let inverted = |register: u8, bit: u32, to: u32| (!register >> bit & 1) << to;
        let index = 1 << 6;
        let high = inverted(vector.0, 3, 7) | inverted(vector.0, 4, 4) | inverted(base, 3, 5);
        let wide = u8::from(operation.wide) << 7;
        let length = match bytes {
            64.. => 2,
            32.. => 1,
            _ => 0,
        };
        self.code.extend([
            0x62,
            high | index | operation.map,
            wide | (!other.0 & 0xf) << 3 | 1 << 2 | operation.prefix,
            length << 5 | inverted(other.0, 4, 3) | operation.mask,
            operation.code,
        ]);
    }

    /// The registers of an instruction and its address, whose offset is one byte where it counts few `steps`.
    fn address(&mut self, register: u8, place: Place, step: i32) {
        let ((base, _), offset) = self.convention.address(place);
        let registers = (register & 7) << 3 | base & 7;
        match i8::try_from(offset / step) {
            Ok(steps) if offset % step == 0 => {
                let steps = steps.cast_unsigned();
                self.code.extend([0b01 << 6 | registers, steps]);
            }
            _ => {
                self.code.push(0b10 << 6 | registers);
                self.code.extend(offset.to_le_bytes());
            }
        }
    }

    /// A move between memory and `rax`.
    fn of_word(&mut self, bytes: usize, place: Place, loads: bool) {
        let ((base, _), _) = self.convention.address(place);
        if bytes == 2 && !loads {
            self.code.push(0x66);
        }
        // Bytes of 64 bits, and the high bit of the base.
        let rex = 0x40 | u8::from(bytes == 8) << 3 | base >> 3;
        if rex != 0x40 {
            self.code.push(rex);
        }
        match (loads, bytes) {
            (true, 1) => self.code.extend([0x0f, 0xb6]),
            (true, 2) => self.code.extend([0x0f, 0xb7]),
            (true, _) => self.code.push(0x8b),
            (false, 1) => self.code.push(0x88),
            (false, _) => self.code.push(0x89),
        }
        self.address(0, place, 1);
    }
}
