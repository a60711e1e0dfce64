//! The few instructions that straight code consists of: as bytes, and as text.

#[cfg(test)]
mod tests;
mod text;

/// A vector register. Those from 16 on are written by no one else and kept by no calling convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Zmm(pub u8);

/// An address: bytes from the start of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Source(i32),
    Destination(i32),
}

/// One instruction, but for [`Mask`](Self::Mask) and [`Return`](Self::Return), which are two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instruction {
    /// So many bytes of a vector: 16, 32 or 64; with a mask the elements of it, and the others stay or are zero.
    Load {
        unit: usize,
        vector: Zmm,
        bytes: usize,
        from: Place,
        mask: u8,
        zeroes: bool,
    },
    /// An order, which lies behind the code. Its distance is the last 4 bytes.
    LoadOrder { vector: Zmm, order: usize },
    /// Elements of a line: all, or with a mask those of it, and the others stay.
    Order {
        unit: usize,
        vector: Zmm,
        order: Zmm,
        from: Place,
        mask: u8,
    },
    /// Elements of the vector and a line.
    OrderBoth {
        unit: usize,
        vector: Zmm,
        order: Zmm,
        from: Place,
    },
    /// The elements of a mask, out of another vector; the others stay.
    Merge {
        unit: usize,
        vector: Zmm,
        from: Zmm,
        mask: u8,
    },
    /// So many bytes of a vector: 4, 8, 16, 32 or 64.
    Store {
        vector: Zmm,
        bytes: usize,
        to: Place,
    },
    /// The register of a mask gets these elements.
    Mask { mask: u8, elements: u64 },
    /// The elements of the mask.
    StoreMasked {
        unit: usize,
        vector: Zmm,
        to: Place,
        mask: u8,
    },
    /// So many bytes into the word that passes: 1, 2, 4 or 8.
    LoadWord { bytes: usize, from: Place },
    /// So many bytes of it.
    StoreWord { bytes: usize, to: Place },
    /// Finds where the destination begins in a line.
    Phase,
    /// Goes on elsewhere if it begins there. The distance is the last 4 bytes.
    IfPhase(i32),
    /// Nothing: the place where to go on.
    OfPhase(i32),
    /// A loop of so many turns begins.
    Turns(i32),
    /// What a turn adds to the registers of the destination and of the source, and back where the loop begins, unless it was the last one. The
    /// distance is the last 4 bytes.
    NextTurn { steps: [i32; 2] },
    /// Back, with the result `true`.
    Return,
}

/// The registers of the calling convention in which the destination comes, and the source, which is the first buffer.
const ARGUMENTS: [(u8, &str); 2] = if cfg!(windows) {
    [(8, "r8"), (9, "r9")]
} else {
    [(2, "rdx"), (1, "rcx")]
};

impl Place {
    /// The number of its register, and its name.
    fn register(self) -> (u8, &'static str) {
        match self {
            Self::Destination(_) => ARGUMENTS[0],
            Self::Source(_) => ARGUMENTS[1],
        }
    }

    fn offset(self) -> i32 {
        match self {
            Self::Source(offset) | Self::Destination(offset) => offset,
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

impl Operation {
    /// `vmovdqu64`, into a vector or out of it.
    const fn moves(code: u8) -> Self {
        Self {
            map: MAP_0F,
            prefix: PREFIX_F3,
            wide: true,
            code,
            mask: 0,
        }
    }

    const LOAD: Self = Self::moves(0x6f);
    const STORE: Self = Self::moves(0x7f);

    /// `vmovdqu8`, `vmovdqu32` and `vmovdqu64` into a vector.
    const fn loads_elements(unit: usize) -> Self {
        Self {
            code: Self::LOAD.code,
            ..Self::stores_elements(unit)
        }
    }

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

    /// `vmovdqu8`, `vmovdqu32` and `vmovdqu64` out of a vector.
    const fn stores_elements(unit: usize) -> Self {
        Self {
            prefix: if unit == 1 { PREFIX_F2 } else { PREFIX_F3 },
            wide: unit == 8,
            ..Self::STORE
        }
    }

    /// The same of the elements of a mask.
    const fn masked(self, mask: u8) -> Self {
        Self { mask, ..self }
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
}

impl Instruction {
    /// Writes its bytes.
    pub fn encode(self, code: &mut Vec<u8>) {
        match self {
            Self::Load {
                unit,
                vector,
                bytes,
                from,
                mask,
                zeroes,
            } => {
                let zeroes = u8::from(zeroes) << 7;
                let operation = Operation::loads_elements(unit).masked(mask | zeroes);
                of_vector(code, operation, [vector, NO_OTHER], (from, bytes));
            }
            Self::Merge {
                unit,
                vector,
                from,
                mask,
            } => {
                let operation = Operation::loads_elements(unit).masked(mask);
                evex_of_both(code, operation, vector, from);
            }
            Self::LoadOrder { vector, .. } => {
                evex(code, Operation::LOAD, [vector, NO_OTHER], 64, 0);
                code.push((vector.0 & 7) << 3 | BEHIND_CODE);
                code.extend([0; 4]);
            }
            Self::Order {
                unit,
                vector,
                order,
                from,
                mask,
            } => of_vector(
                code,
                Operation::orders(unit).masked(mask),
                [vector, order],
                (from, 64),
            ),
            Self::OrderBoth {
                unit,
                vector,
                order,
                from,
            } => of_vector(
                code,
                Operation::orders_both(unit),
                [vector, order],
                (from, 64),
            ),
            Self::Store { vector, bytes, to } => {
                let operation = match bytes {
                    ..=8 => Operation::stores_word(bytes),
                    _ => Operation::STORE,
                };
                of_vector(code, operation, [vector, NO_OTHER], (to, bytes));
            }
            Self::Mask { mask, elements } => {
                // mov rax, elements; kmovq mask, rax
                code.extend([0x48, 0xb8]);
                code.extend(elements.to_le_bytes());
                code.extend([0xc4, 0xe1, 0xfb, 0x92, 0xc0 | mask << 3]);
            }
            Self::StoreMasked {
                unit,
                vector,
                to,
                mask,
            } => {
                let operation = Operation::stores_elements(unit).masked(mask);
                of_vector(code, operation, [vector, NO_OTHER], (to, 64));
            }
            Self::LoadWord { bytes, from } => of_word(code, bytes, from, true),
            Self::StoreWord { bytes, to } => of_word(code, bytes, to, false),
            Self::Phase => {
                // mov rax, destination; and eax, 48
                let (base, _) = ARGUMENTS[0];
                code.extend([0x48 | base >> 3 << 2, 0x89, 0b11 << 6 | (base & 7) << 3]);
                code.extend([0x83, 0xe0, 48]);
            }
            // cmp eax, phase; je distance
            Self::IfPhase(phase) => {
                code.extend([0x83, 0xf8, phase as u8, 0x0f, 0x84, 0, 0, 0, 0]);
            }
            Self::OfPhase(_) => {}
            // mov r10d, turns
            Self::Turns(turns) => {
                code.extend([0x41, 0xba]);
                code.extend(turns.to_le_bytes());
            }
            Self::NextTurn { steps } => {
                // add register, step
                for ((register, _), step) in ARGUMENTS.into_iter().zip(steps) {
                    code.extend([0x48 | register >> 3, 0x81, 0xc0 | register & 7]);
                    code.extend(step.to_le_bytes());
                }
                // dec r10d; jnz distance
                code.extend([0x41, 0xff, 0xca, 0x0f, 0x85, 0, 0, 0, 0]);
            }
            // mov eax, 1; ret
            Self::Return => code.extend([0xb8, 1, 0, 0, 0, 0xc3]),
        }
    }
}

/// Where an instruction names no second vector.
const NO_OTHER: Zmm = Zmm(0);

/// In the place of a register: the distance from the end of the instruction.
const BEHIND_CODE: u8 = 0b101;

/// The prefix of an instruction of vectors, and its operation code. `base` is the register of its address.
fn evex(
    code: &mut Vec<u8>,
    operation: Operation,
    [vector, other]: [Zmm; 2],
    bytes: usize,
    base: u8,
) {
    // Bits of registers are written inverted.
    let inverted = |register: u8, bit: u32, to: u32| (!register >> bit & 1) << to;
    let index = 1 << 6;
    code.push(0x62);
    let high = inverted(vector.0, 3, 7) | inverted(vector.0, 4, 4) | inverted(base, 3, 5);
    code.push(high | index | operation.map);
    let wide = u8::from(operation.wide) << 7;
    code.push(wide | (!other.0 & 0xf) << 3 | 1 << 2 | operation.prefix);
    let length = match bytes {
        64.. => 2,
        32.. => 1,
        _ => 0,
    };
    code.push(length << 5 | inverted(other.0, 4, 3) | operation.mask);
    code.push(operation.code);
}

/// An instruction of two vectors alone, the second in the place of memory.
fn evex_of_both(code: &mut Vec<u8>, operation: Operation, vector: Zmm, from: Zmm) {
    let prefix = code.len() + 1;
    evex(code, operation, [vector, NO_OTHER], 64, from.0);
    // The fourth bit of its number is where the register of an index would have one.
    code[prefix] ^= (from.0 >> 4) << 6;
    code.push(0b11 << 6 | (vector.0 & 7) << 3 | from.0 & 7);
}

/// An instruction of vectors and so many bytes of memory.
fn of_vector(code: &mut Vec<u8>, operation: Operation, vectors: [Zmm; 2], memory: (Place, usize)) {
    let (place, bytes) = memory;
    let (base, _) = place.register();
    evex(code, operation, vectors, bytes, base);
    address(code, vectors[0].0, place, bytes as i32);
}

/// The registers of an instruction and its address, whose offset is one byte where it counts few `steps`.
fn address(code: &mut Vec<u8>, register: u8, place: Place, step: i32) {
    let (base, _) = place.register();
    let registers = (register & 7) << 3 | base & 7;
    let offset = place.offset();
    match i8::try_from(offset / step) {
        Ok(steps) if offset % step == 0 => {
            code.extend([0b01 << 6 | registers, steps.to_le_bytes()[0]])
        }
        _ => {
            code.push(0b10 << 6 | registers);
            code.extend(offset.to_le_bytes());
        }
    }
}

/// A move between memory and `rax`.
fn of_word(code: &mut Vec<u8>, bytes: usize, place: Place, loads: bool) {
    let (base, _) = place.register();
    if bytes == 2 && !loads {
        code.push(0x66);
    }
    // Bytes of 64 bits, and the high bit of the base.
    let rex = 0x40 | u8::from(bytes == 8) << 3 | base >> 3;
    if rex != 0x40 {
        code.push(rex);
    }
    match (loads, bytes) {
        (true, 1) => code.extend([0x0f, 0xb6]),
        (true, 2) => code.extend([0x0f, 0xb7]),
        (true, _) => code.push(0x8b),
        (false, 1) => code.push(0x88),
        (false, _) => code.push(0x89),
    }
    address(code, 0, place, 1);
}
