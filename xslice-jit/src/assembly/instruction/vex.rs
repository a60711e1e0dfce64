//! Instructions of AVX2, with the prefix VEX.

use super::{Assembler, BEHIND_CODE, Place};
use crate::pieces::TWO_LANES;
use std::fmt;

/// A vector register of two lanes, or the lower one alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ymm(pub u8);

/// An instruction of vectors of two lanes, or of one where it is given so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vex {
    /// 16 or 32 bytes into a vector.
    Load {
        vector: Ymm,
        bytes: usize,
        from: Place,
    },
    /// 16 bytes into the upper lane; the lower one stays.
    LoadUpper { vector: Ymm, from: Place },
    /// 8 bytes into a vector.
    LoadLow { vector: Ymm, from: Place },
    /// The next 8 bytes of it; the first ones stay.
    LoadHigh { vector: Ymm, from: Place },
    /// An order, which lies behind the code. Its distance is the last 4 bytes.
    LoadOrder { vector: Ymm, order: usize },
    /// Puts the bytes of each lane in order.
    Shuffle {
        vector: Ymm,
        bytes: usize,
        order: Ymm,
    },
    /// The same by an order that lies behind the code. Its distance is the last 4 bytes.
    ShuffleBy {
        vector: Ymm,
        bytes: usize,
        order: usize,
    },
    /// Elements of 4 bytes out of 32 bytes of memory, by an order.
    Permute { to: Ymm, order: Ymm, from: Place },
    /// What either of two vectors has.
    Or { to: Ymm, from: Ymm, bytes: usize },
    /// Elements of 4 bytes, a bit for each, out of another vector. The others stay.
    Blend { to: Ymm, from: Ymm, elements: u8 },
    /// Halves of lanes out of these places.
    Cross { vector: Ymm, halves: [u8; 4] },
    /// So many bytes of a vector: 4, 8, 16 or 32.
    Store {
        vector: Ymm,
        bytes: usize,
        to: Place,
    },
    /// Clears the upper lanes of all vectors.
    ZeroUpper,
}

const MAP_0F: u8 = 1;
const MAP_0F38: u8 = 2;
const MAP_0F3A: u8 = 3;
const PREFIX_66: u8 = 1;
const PREFIX_F3: u8 = 2;

/// What a VEX prefix says beside registers: the map of the operation code, its implied prefix, and whether both lanes take part.
#[derive(Clone, Copy)]
struct Operation {
    map: u8,
    prefix: u8,
    code: u8,
    is_wide: bool,
    /// Whether elements have 8 bytes.
    is_of_words: bool,
}

impl Operation {
    const fn new(map: u8, prefix: u8, code: u8, bytes: usize) -> Self {
        let is_wide = bytes == TWO_LANES;
        Self {
            map,
            prefix,
            code,
            is_wide,
            is_of_words: false,
        }
    }

    /// `vmovd`, `vmovq` and `vmovdqu` into memory.
    const fn stores(bytes: usize) -> Self {
        match bytes {
            4 => Self::new(MAP_0F, PREFIX_66, 0x7e, bytes),
            8 => Self::new(MAP_0F, PREFIX_66, 0xd6, bytes),
            _ => Self::new(MAP_0F, PREFIX_F3, 0x7f, bytes),
        }
    }

    /// `vmovdqu` into a vector.
    const fn loads(bytes: usize) -> Self {
        Self::new(MAP_0F, PREFIX_F3, 0x6f, bytes)
    }

    /// `vmovdqu` into a vector.
    const LOADS_ORDER: Self = Self::new(MAP_0F, PREFIX_F3, 0x6f, TWO_LANES);

    /// `vmovq` into a vector, and `vmovhpd`.
    const LOADS_LOW: Self = Self::new(MAP_0F, PREFIX_F3, 0x7e, 8);
    const LOADS_HIGH: Self = Self::new(MAP_0F, PREFIX_66, 0x16, 8);

    /// `vinserti128`
    const LOADS_UPPER: Self = Self::new(MAP_0F3A, PREFIX_66, 0x38, TWO_LANES);

    /// `vpshufb`
    const fn shuffles(bytes: usize) -> Self {
        Self::new(MAP_0F38, PREFIX_66, 0x00, bytes)
    }

    /// `vpermd`
    const PERMUTES: Self = Self::new(MAP_0F38, PREFIX_66, 0x36, TWO_LANES);

    /// `vpor`
    const fn merges(bytes: usize) -> Self {
        Self::new(MAP_0F, PREFIX_66, 0xeb, bytes)
    }

    /// `vpermq`
    const CROSSES: Self = Self {
        is_of_words: true,
        ..Self::new(MAP_0F3A, PREFIX_66, 0x00, TWO_LANES)
    };

    /// `vpblendd`
    const BLENDS: Self = Self::new(MAP_0F3A, PREFIX_66, 0x02, TWO_LANES);
}

/// Two bits for each.
fn places(halves: [u8; 4]) -> u8 {
    halves
        .into_iter()
        .rev()
        .fold(0, |all, half| all << 2 | half)
}

/// Where an instruction names no second vector.
const NO_OTHER: Ymm = Ymm(0);

impl Assembler {
    /// Writes the bytes of an instruction.
    pub(super) fn write_vex(&mut self, instruction: Vex) {
        use Operation as O;
        match instruction {
            Vex::Load {
                vector,
                bytes,
                from,
            } => {
                self.vex_of_memory(O::loads(bytes), [vector, NO_OTHER], from);
            }
            Vex::LoadUpper { vector, from } => {
                self.vex_of_memory(O::LOADS_UPPER, [vector, vector], from);
                self.code.push(1);
            }
            Vex::LoadLow { vector, from } => {
                self.vex_of_memory(O::LOADS_LOW, [vector, NO_OTHER], from);
            }
            Vex::LoadHigh { vector, from } => {
                self.vex_of_memory(O::LOADS_HIGH, [vector, vector], from);
            }
            Vex::LoadOrder { vector, .. } => {
                self.vex_behind_code(O::LOADS_ORDER, [vector, NO_OTHER]);
            }
            Vex::Shuffle {
                vector,
                bytes,
                order,
            } => {
                self.vex_of_vectors(O::shuffles(bytes), [vector, vector], order);
            }
            Vex::ShuffleBy { vector, bytes, .. } => {
                self.vex_behind_code(O::shuffles(bytes), [vector, vector]);
            }
            Vex::Permute { to, order, from } => self.vex_of_memory(O::PERMUTES, [to, order], from),
            Vex::Or { to, from, bytes } => self.vex_of_vectors(O::merges(bytes), [to, to], from),
            Vex::Blend { to, from, elements } => {
                self.vex_of_vectors(O::BLENDS, [to, to], from);
                self.code.push(elements);
            }
            Vex::Cross { vector, halves } => {
                self.vex_of_vectors(O::CROSSES, [vector, NO_OTHER], vector);
                self.code.push(places(halves));
            }
            Vex::Store { vector, bytes, to } => {
                self.vex_of_memory(O::stores(bytes), [vector, NO_OTHER], to);
            }
            Vex::ZeroUpper => self.code.extend([0xc5, 0xf8, 0x77]),
        }
    }

    fn vex_of_memory(&mut self, operation: Operation, vectors: [Ymm; 2], place: Place) {
        let ((base, _), _) = self.convention.address(place);
        self.vex_prefix(operation, vectors, base);
        self.address(vectors[0].0, place, 1);
    }

    fn vex_behind_code(&mut self, operation: Operation, vectors: [Ymm; 2]) {
        self.vex_prefix(operation, vectors, BEHIND_CODE);
        self.behind_code(vectors[0].0);
    }

    fn vex_of_vectors(&mut self, operation: Operation, vectors: [Ymm; 2], from: Ymm) {
        self.vex_prefix(operation, vectors, from.0);
        self.code
            .push(0b11 << 6 | (vectors[0].0 & 7) << 3 | from.0 & 7);
    }

    /// The prefix and the operation code. `base` is the register of the address, or that in its place.
    fn vex_prefix(&mut self, operation: Operation, [vector, other]: [Ymm; 2], base: u8) {
        // Bits of registers are written inverted.
        let high = (!vector.0 >> 3 & 1) << 7;
        let rest = (!other.0 & 0xf) << 3 | u8::from(operation.is_wide) << 2 | operation.prefix;
        match operation.map {
            MAP_0F if base < 8 => self.code.extend([0xc5, high | rest]),
            map => {
                let (index, base) = (1 << 6, (!base >> 3 & 1) << 5);
                let wide = u8::from(operation.is_of_words) << 7;
                self.code
                    .extend([0xc4, high | index | base | map, wide | rest]);
            }
        }
        self.code.push(operation.code);
    }
}

/// So many bytes of a vector.
struct Part(Ymm, usize);

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Ymm(vector), bytes) = *self;
        let size = if bytes == TWO_LANES { 'y' } else { 'x' };
        write!(f, "{size}mm{vector}")
    }
}

impl fmt::Display for Ymm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ymm{}", self.0)
    }
}

impl fmt::Display for Vex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Load {
                vector,
                bytes,
                from,
            } => {
                write!(f, "vmovdqu {}, {from}", Part(vector, bytes))
            }
            Self::LoadUpper { vector, from } => {
                write!(f, "vinserti128 {vector}, {vector}, {from}, 1")
            }
            Self::LoadLow {
                vector: Ymm(vector),
                from,
            } => write!(f, "vmovq xmm{vector}, {from}"),
            Self::LoadHigh {
                vector: Ymm(vector),
                from,
            } => {
                write!(f, "vmovhpd xmm{vector}, xmm{vector}, {from}")
            }
            Self::LoadOrder { vector, order } => {
                write!(f, "vmovdqu {vector}, [rip + order {order}]")
            }
            Self::Shuffle {
                vector,
                bytes,
                order,
            } => {
                let (vector, order) = (Part(vector, bytes), Part(order, bytes));
                write!(f, "vpshufb {vector}, {vector}, {order}")
            }
            Self::ShuffleBy {
                vector,
                bytes,
                order,
            } => {
                let vector = Part(vector, bytes);
                write!(f, "vpshufb {vector}, {vector}, [rip + order {order}]")
            }
            Self::Permute { to, order, from } => write!(f, "vpermd {to}, {order}, {from}"),
            Self::Or { to, from, bytes } => {
                let (to, from) = (Part(to, bytes), Part(from, bytes));
                write!(f, "vpor {to}, {to}, {from}")
            }
            Self::Blend { to, from, elements } => {
                write!(f, "vpblendd {to}, {to}, {from}, {elements:#x}")
            }
            Self::Cross { vector, halves } => {
                write!(f, "vpermq {vector}, {vector}, {:#x}", places(halves))
            }
            Self::Store { vector, bytes, to } => {
                let name = match bytes {
                    4 => "vmovd",
                    8 => "vmovq",
                    _ => "vmovdqu",
                };
                write!(f, "{name} {to}, {}", Part(vector, bytes))
            }
            Self::ZeroUpper => f.write_str("vzeroupper"),
        }
    }
}
