//! Instructions beside what another assembler makes of them.

use super::Instruction::{IfPhase, LoadOrder, NextTurn, OfPhase, Phase, Return, Turns};
use super::Place::{Destination, Source};
use super::{Instruction, Zmm};

fn load(unit: usize, vector: u8, bytes: usize, at: i32) -> Instruction {
    Instruction::Load {
        unit,
        vector: Zmm(vector),
        bytes,
        from: Source(at),
        mask: 0,
        zeroes: false,
    }
}

fn load_masked(unit: usize, vector: u8, at: i32, mask: u8, zeroes: bool) -> Instruction {
    Instruction::Load {
        unit,
        vector: Zmm(vector),
        bytes: 64,
        from: Source(at),
        mask,
        zeroes,
    }
}

fn order(unit: usize, vector: u8, order: u8, at: i32, mask: u8) -> Instruction {
    Instruction::Order {
        unit,
        vector: Zmm(vector),
        order: Zmm(order),
        from: Source(at),
        mask,
    }
}

fn order_both(unit: usize, vector: u8, order: u8, at: i32) -> Instruction {
    Instruction::OrderBoth {
        unit,
        vector: Zmm(vector),
        order: Zmm(order),
        from: Source(at),
    }
}

fn merge(unit: usize, vector: u8, from: u8, mask: u8) -> Instruction {
    Instruction::Merge {
        unit,
        vector: Zmm(vector),
        from: Zmm(from),
        mask,
    }
}

fn store(vector: u8, bytes: usize, at: i32) -> Instruction {
    Instruction::Store {
        vector: Zmm(vector),
        bytes,
        to: Destination(at),
    }
}

fn store_masked(unit: usize, vector: u8, at: i32, mask: u8) -> Instruction {
    Instruction::StoreMasked {
        unit,
        vector: Zmm(vector),
        to: Destination(at),
        mask,
    }
}

fn mask(mask: u8, elements: u64) -> Instruction {
    Instruction::Mask { mask, elements }
}

fn load_word(bytes: usize, at: i32) -> Instruction {
    let from = Source(at);
    Instruction::LoadWord { bytes, from }
}

fn store_word(bytes: usize, at: i32) -> Instruction {
    let to = Destination(at);
    Instruction::StoreWord { bytes, to }
}

/// All kinds of registers, masks and offsets, by the calling convention of all systems but one.
#[test]
#[cfg(not(windows))]
fn instructions_are_encoded_as_elsewhere() {
    for (instruction, text, bytes) in [
        (
            load(8, 17, 64, 0),
            "vmovdqu64 zmm17, [rcx+0]",
            "62e1fe486f4900",
        ),
        (
            load(8, 31, 32, -96),
            "vmovdqu64 ymm31, [rcx-96]",
            "6261fe286f79fd",
        ),
        (
            load(8, 24, 16, 2032),
            "vmovdqu64 xmm24, [rcx+2032]",
            "6261fe086f417f",
        ),
        (
            load_masked(1, 16, 5, 1, true),
            "vmovdqu8 zmm16 {k1}{z}, [rcx+5]",
            "62e17fc96f8105000000",
        ),
        (
            load_masked(4, 18, 64, 7, false),
            "vmovdqu32 zmm18 {k7}, [rcx+64]",
            "62e17e4f6f5101",
        ),
        (
            LoadOrder {
                vector: Zmm(22),
                order: 3,
            },
            "vmovdqu64 zmm22, [rip + order 3]",
            "62e1fe486f3500000000",
        ),
        (
            order(1, 19, 24, 128, 0),
            "vpermb zmm19, zmm24, [rcx+128]",
            "62e23d408d5902",
        ),
        (
            order(4, 20, 31, 100_000, 3),
            "vpermd zmm20 {k3}, zmm31, [rcx+100000]",
            "62e2054336a1a0860100",
        ),
        (
            order(8, 25, 16, -64, 0),
            "vpermq zmm25, zmm16, [rcx-64]",
            "6262fd403649ff",
        ),
        (
            order_both(4, 16, 30, 8128),
            "vpermt2d zmm16, zmm30, [rcx+8128]",
            "62e20d407e417f",
        ),
        (
            order_both(8, 29, 23, 8192),
            "vpermt2q zmm29, zmm23, [rcx+8192]",
            "6262c5407ea900200000",
        ),
        (
            merge(1, 16, 31, 2),
            "vmovdqu8 zmm16 {k2}, zmm31",
            "62817f4a6fc7",
        ),
        (
            merge(4, 24, 17, 5),
            "vmovdqu32 zmm24 {k5}, zmm17",
            "62217e4d6fc1",
        ),
        (
            merge(8, 18, 20, 6),
            "vmovdqu64 zmm18 {k6}, zmm20",
            "62a1fe4e6fd4",
        ),
        (
            store(17, 64, -64),
            "vmovdqu64 [rdx-64], zmm17",
            "62e1fe487f4aff",
        ),
        (
            store(26, 32, 24),
            "vmovdqu64 [rdx+24], ymm26",
            "6261fe287f9218000000",
        ),
        (
            store(16, 16, 48),
            "vmovdqu64 [rdx+48], xmm16",
            "62e1fe087f4203",
        ),
        (store(20, 8, 72), "vmovq [rdx+72], xmm20", "62e1fd08d66209"),
        (
            store(27, 4, 508),
            "vmovd [rdx+508], xmm27",
            "62617d087e5a7f",
        ),
        (
            mask(1, 0xffff_0000_ffff_fff0),
            "mov rax, 0xffff0000fffffff0; kmovq k1, rax",
            "48b8f0ffffff0000ffffc4e1fb92c8",
        ),
        (
            mask(7, 3),
            "mov rax, 0x3; kmovq k7, rax",
            "48b80300000000000000c4e1fb92f8",
        ),
        (
            store_masked(1, 18, 0, 1),
            "vmovdqu8 [rdx+0] {k1}, zmm18",
            "62e17f497f5200",
        ),
        (
            store_masked(4, 19, 640, 2),
            "vmovdqu32 [rdx+640] {k2}, zmm19",
            "62e17e4a7f5a0a",
        ),
        (
            store_masked(8, 30, -16, 4),
            "vmovdqu64 [rdx-16] {k4}, zmm30",
            "6261fe4c7fb2f0ffffff",
        ),
        (load_word(1, 1), "movzx eax, byte ptr [rcx+1]", "0fb64101"),
        (load_word(2, -2), "movzx eax, word ptr [rcx-2]", "0fb741fe"),
        (load_word(4, 400), "mov eax, [rcx+400]", "8b8190010000"),
        (load_word(8, 16), "mov rax, [rcx+16]", "488b4110"),
        (store_word(1, 0), "mov [rdx+0], al", "884200"),
        (store_word(2, 254), "mov [rdx+254], ax", "668982fe000000"),
        (store_word(4, 4), "mov [rdx+4], eax", "894204"),
        (store_word(8, -8), "mov [rdx-8], rax", "488942f8"),
        (Phase, "mov rax, rdx; and eax, 48", "4889d083e030"),
        (IfPhase(32), "cmp eax, 32; je phase32", "83f8200f8400000000"),
        (OfPhase(32), "phase32:", ""),
        (Turns(1000), "mov r10d, 1000; turn:", "41bae8030000"),
        (
            NextTurn {
                steps: [512, -4096],
            },
            "add rdx, 512; add rcx, -4096; dec r10d; jnz turn",
            "4881c2000200004881c100f0ffff41ffca0f8500000000",
        ),
        (Return, "mov eax, 1; ret", "b801000000c3"),
    ] {
        let mut code = Vec::new();
        instruction.encode(&mut code);
        let code: String = code.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!((instruction.to_string().as_str(), &*code), (text, bytes));
    }
}
