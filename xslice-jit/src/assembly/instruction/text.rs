//! Instructions as people write them.

use super::{Convention, Counter, Elements, Instruction, Place, Zmm};
use crate::pieces::LINE;
use std::fmt;

/// Elements of a vector with their mask.
struct Masked(Elements, &'static str);

/// So many bytes of a vector.
struct Part(Zmm, usize);

fn letter(unit: usize) -> char {
    match unit {
        1 => 'b',
        4 => 'd',
        _ => 'q',
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((_, register), offset) = Convention::HOST.address(*self);
        write!(f, "[{register}{offset:+}]")
    }
}

impl fmt::Display for Zmm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "zmm{}", self.0)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Zmm(vector), bytes) = *self;
        let size = match bytes {
            LINE.. => 'z',
            32.. => 'y',
            _ => 'x',
        };
        write!(f, "{size}mm{vector}")
    }
}

impl fmt::Display for Masked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Elements { vector, mask, .. }, zeroes) = *self;
        match mask {
            0 => write!(f, "{vector}"),
            _ => write!(f, "{vector} {{k{mask}}}{zeroes}"),
        }
    }
}

/// The name of the place where a turn begins.
impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pieces => "turn",
            Self::Around => "around",
            Self::Within => "within",
        })
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Convention {
            destination: (_, destination),
            source: (_, source),
            ..
        } = Convention::HOST;
        match *self {
            Self::Load { to, bytes, from } if bytes < LINE => {
                let vector = Part(to.vector, bytes);
                write!(f, "vmovdqu{} {vector}, {from}", 8 * to.unit)
            }
            Self::Load { to, from, .. } => {
                write!(f, "vmovdqu{} {}, {from}", 8 * to.unit, Masked(to, ""))
            }
            Self::LoadAlone { to, from } => {
                write!(f, "vmovdqu{} {}, {from}", 8 * to.unit, Masked(to, "{z}"))
            }
            Self::LoadOrder { vector, order } => {
                write!(f, "vmovdqu64 {vector}, [rip + order {order}]")
            }
            Self::Order { to, order, from } => {
                let letter = letter(to.unit);
                write!(f, "vperm{letter} {}, {order}, {from}", Masked(to, ""))
            }
            Self::OrderBoth { to, order, from } => {
                let letter = letter(to.unit);
                write!(f, "vpermt2{letter} {}, {order}, {from}", Masked(to, ""))
            }
            Self::LoadLow { vector, from } => write!(f, "vmovq {}, {from}", Part(vector, 16)),
            Self::LoadHigh { vector, from } => {
                let vector = Part(vector, 16);
                write!(f, "vmovhpd {vector}, {vector}, {from}")
            }
            Self::Merge { to, from } => {
                write!(f, "vmovdqu{} {}, {from}", 8 * to.unit, Masked(to, ""))
            }
            Self::Store { vector, bytes, to } => match bytes {
                ..=8 => write!(f, "vmov{} {to}, {}", letter(bytes), Part(vector, bytes)),
                _ => write!(f, "vmovdqu64 {to}, {}", Part(vector, bytes)),
            },
            Self::StoreMasked { from, to } => {
                let Elements { vector, unit, mask } = from;
                write!(f, "vmovdqu{} {to} {{k{mask}}}, {vector}", 8 * unit)
            }
            Self::Mask { mask, elements } => {
                write!(f, "mov rax, {elements:#x}; kmovq k{mask}, rax")
            }
            Self::LoadWord { bytes, from } => match bytes {
                1 => write!(f, "movzx eax, byte ptr {from}"),
                2 => write!(f, "movzx eax, word ptr {from}"),
                4 => write!(f, "mov eax, {from}"),
                _ => write!(f, "mov rax, {from}"),
            },
            Self::StoreWord { bytes, to } => match bytes {
                1 => write!(f, "mov {to}, al"),
                2 => write!(f, "mov {to}, ax"),
                4 => write!(f, "mov {to}, eax"),
                _ => write!(f, "mov {to}, rax"),
            },
            Self::Vex(instruction) => instruction.fmt(f),
            Self::LoadData => write!(f, "lea {source}, [rip + data]"),
            Self::Phase(last) => write!(f, "mov rax, {destination}; and eax, {last}"),
            Self::IfPhase(phase) => write!(f, "cmp eax, {phase}; je phase{phase}"),
            Self::OfPhase(phase) => write!(f, "phase{phase}:"),
            Self::ForAll => f.write_str("jmp all"),
            Self::OfAll => f.write_str("all:"),
            Self::Turns(of, turns) => {
                let (_, counter) = Convention::HOST.counter(of);
                write!(f, "mov {counter}, {turns}; {of}:")
            }
            Self::NextTurn(of, steps) => {
                let (_, counter) = Convention::HOST.counter(of);
                write!(f, "{}; dec {counter}; jnz {of}", Self::Step(steps))
            }
            Self::Step([dst, src]) => {
                write!(f, "add {destination}, {dst}; add {source}, {src}")
            }
            Self::Return => f.write_str("mov eax, 1; ret"),
        }
    }
}
