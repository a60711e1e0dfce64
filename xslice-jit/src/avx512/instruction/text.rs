//! Instructions as people write them.

use super::{ARGUMENTS, Instruction, Place, Zmm};
use std::fmt;

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}{:+}]", self.register().1, self.offset())
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |unit: usize| match unit {
            1 => 'b',
            4 => 'd',
            _ => 'q',
        };
        let named = |vector: Zmm, bytes: usize| match bytes {
            64 => format!("zmm{}", vector.0),
            32 => format!("ymm{}", vector.0),
            _ => format!("xmm{}", vector.0),
        };
        match *self {
            Self::Load {
                unit,
                vector,
                bytes,
                from,
                mask,
                zeroes,
            } => {
                write!(f, "vmovdqu{} {}", 8 * unit, named(vector, bytes))?;
                if mask > 0 {
                    write!(f, " {{k{mask}}}")?;
                }
                write!(f, "{}, {from}", if zeroes { "{z}" } else { "" })
            }
            Self::Merge {
                unit,
                vector: Zmm(vector),
                from: Zmm(from),
                mask,
            } => write!(f, "vmovdqu{} zmm{vector} {{k{mask}}}, zmm{from}", 8 * unit),
            Self::LoadOrder { vector, order } => {
                write!(f, "vmovdqu64 zmm{}, [rip + order {order}]", vector.0)
            }
            Self::Order {
                unit,
                vector: Zmm(vector),
                order: Zmm(order),
                from,
                mask,
            } => {
                write!(f, "vperm{} zmm{vector}", letter(unit))?;
                if mask > 0 {
                    write!(f, " {{k{mask}}}")?;
                }
                write!(f, ", zmm{order}, {from}")
            }
            Self::OrderBoth {
                unit,
                vector: Zmm(vector),
                order: Zmm(order),
                from,
            } => write!(f, "vpermt2{} zmm{vector}, zmm{order}, {from}", letter(unit)),
            Self::Store {
                vector,
                bytes: bytes @ ..=8,
                to,
            } => write!(f, "vmov{} {to}, {}", letter(bytes), named(vector, bytes)),
            Self::Store { vector, bytes, to } => {
                write!(f, "vmovdqu64 {to}, {}", named(vector, bytes))
            }
            Self::Mask { mask, elements } => {
                write!(f, "mov rax, {elements:#x}; kmovq k{mask}, rax")
            }
            Self::StoreMasked {
                unit,
                vector: Zmm(vector),
                to,
                mask,
            } => write!(f, "vmovdqu{} {to} {{k{mask}}}, zmm{vector}", 8 * unit),
            Self::LoadWord { bytes, from } => write!(
                f,
                "{} {from}",
                match bytes {
                    1 => "movzx eax, byte ptr",
                    2 => "movzx eax, word ptr",
                    4 => "mov eax,",
                    _ => "mov rax,",
                }
            ),
            Self::StoreWord { bytes, to } => write!(
                f,
                "mov {to}, {}",
                match bytes {
                    1 => "al",
                    2 => "ax",
                    4 => "eax",
                    _ => "rax",
                }
            ),
            Self::Phase => write!(f, "mov rax, {}; and eax, 48", ARGUMENTS[0].1),
            Self::IfPhase(phase) => write!(f, "cmp eax, {phase}; je phase{phase}"),
            Self::OfPhase(phase) => write!(f, "phase{phase}:"),
            Self::Turns(turns) => write!(f, "mov r10d, {turns}; turn:"),
            Self::NextTurn { steps } => {
                for ((_, register), step) in ARGUMENTS.into_iter().zip(steps) {
                    write!(f, "add {register}, {step}; ")?;
                }
                f.write_str("dec r10d; jnz turn")
            }
            Self::Return => f.write_str("mov eax, 1; ret"),
        }
    }
}
