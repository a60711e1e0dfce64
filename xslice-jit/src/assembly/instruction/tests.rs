//! Instructions beside what another assembler makes of them.

use super::Instruction::*;
use super::Place::{Destination, Source};
use super::vex::Vex;
use super::*;

fn of(unit: usize, vector: u8, mask: u8) -> Elements {
    let vector = Zmm(vector);
    Elements { vector, unit, mask }
}

fn load(unit: usize, vector: u8, bytes: usize, at: i32) -> Instruction {
    let (to, from) = (of(unit, vector, 0), Source(at));
    Load { to, bytes, from }
}

fn order(to: Elements, order: u8, at: i32) -> Instruction {
    let (order, from) = (Zmm(order), Source(at));
    Order { to, order, from }
}

fn order_both(to: Elements, order: u8, at: i32) -> Instruction {
    let (order, from) = (Zmm(order), Source(at));
    OrderBoth { to, order, from }
}

fn store(vector: u8, bytes: usize, at: i32) -> Instruction {
    let (vector, to) = (Zmm(vector), Destination(at));
    Store { vector, bytes, to }
}

fn store_masked(from: Elements, at: i32) -> Instruction {
    let to = Destination(at);
    StoreMasked { from, to }
}

fn load_word(bytes: usize, at: i32) -> Instruction {
    let from = Source(at);
    LoadWord { bytes, from }
}

fn store_word(bytes: usize, at: i32) -> Instruction {
    let to = Destination(at);
    StoreWord { bytes, to }
}

/// All kinds of registers, masks and offsets, as text and as bytes: for System V, and for Windows if that has others.
#[rustfmt::skip]
fn known() -> Vec<(Instruction, &'static str, &'static str, &'static str)> {
    vec![
        (load(8, 17, 64, 0), "vmovdqu64 zmm17, [rcx+0]", "62e1fe486f4900", "62c1fe486f4900"),
        (load(8, 31, 32, -96), "vmovdqu64 ymm31, [rcx-96]", "6261fe286f79fd", "6241fe286f79fd"),
        (load(1, 17, 16, 0), "vmovdqu8 xmm17, [rcx+0]", "62e17f086f4900", "62c17f086f4900"),
        (load(4, 18, 32, 32), "vmovdqu32 ymm18, [rcx+32]", "62e17e286f5101", "62c17e286f5101"),
        (load(8, 24, 16, 2032), "vmovdqu64 xmm24, [rcx+2032]", "6261fe086f417f", "6241fe086f417f"),
        (LoadAlone { to: of(1, 16, 1), from: Source(5) }, "vmovdqu8 zmm16 {k1}{z}, [rcx+5]", "62e17fc96f8105000000", "62c17fc96f8105000000"),
        (Load { to: of(4, 18, 7), bytes: 64, from: Source(64) }, "vmovdqu32 zmm18 {k7}, [rcx+64]", "62e17e4f6f5101", "62c17e4f6f5101"),
        (LoadOrder { vector: Zmm(22), order: 3 }, "vmovdqu64 zmm22, [rip + order 3]", "62e1fe486f3500000000", ""),
        (order(of(1, 19, 0), 24, 128), "vpermb zmm19, zmm24, [rcx+128]", "62e23d408d5902", "62c23d408d5902"),
        (order(of(4, 20, 3), 31, 100_000), "vpermd zmm20 {k3}, zmm31, [rcx+100000]", "62e2054336a1a0860100", "62c2054336a1a0860100"),
        (order(of(8, 25, 0), 16, -64), "vpermq zmm25, zmm16, [rcx-64]", "6262fd403649ff", "6242fd403649ff"),
        (order_both(of(4, 16, 0), 30, 8128), "vpermt2d zmm16, zmm30, [rcx+8128]", "62e20d407e417f", "62c20d407e417f"),
        (order_both(of(8, 29, 0), 23, 8192), "vpermt2q zmm29, zmm23, [rcx+8192]", "6262c5407ea900200000", "6242c5407ea900200000"),
        (LoadLow { vector: Zmm(17), from: Source(16) }, "vmovq xmm17, [rcx+16]", "62e1fe087e4902", "62c1fe087e4902"),
        (LoadHigh { vector: Zmm(30), from: Source(1000) }, "vmovhpd xmm30, xmm30, [rcx+1000]", "62618d0016717d", "62418d0016717d"),
        (Merge { to: of(1, 16, 2), from: Zmm(31) }, "vmovdqu8 zmm16 {k2}, zmm31", "62817f4a6fc7", ""),
        (Merge { to: of(4, 24, 5), from: Zmm(17) }, "vmovdqu32 zmm24 {k5}, zmm17", "62217e4d6fc1", ""),
        (Merge { to: of(8, 18, 6), from: Zmm(20) }, "vmovdqu64 zmm18 {k6}, zmm20", "62a1fe4e6fd4", ""),
        (store(17, 64, -64), "vmovdqu64 [rdx-64], zmm17", "62e1fe487f4aff", "62c1fe487f48ff"),
        (store(26, 32, 24), "vmovdqu64 [rdx+24], ymm26", "6261fe287f9218000000", "6241fe287f9018000000"),
        (store(16, 16, 48), "vmovdqu64 [rdx+48], xmm16", "62e1fe087f4203", "62c1fe087f4003"),
        (store(20, 8, 72), "vmovq [rdx+72], xmm20", "62e1fd08d66209", "62c1fd08d66009"),
        (store(27, 4, 508), "vmovd [rdx+508], xmm27", "62617d087e5a7f", "62417d087e587f"),
        (Mask { mask: 1, elements: 0xffff_0000_ffff_fff0 }, "mov rax, 0xffff0000fffffff0; kmovq k1, rax", "48b8f0ffffff0000ffffc4e1fb92c8", ""),
        (Mask { mask: 7, elements: 3 }, "mov rax, 0x3; kmovq k7, rax", "48b80300000000000000c4e1fb92f8", ""),
        (store_masked(of(1, 18, 1), 0), "vmovdqu8 [rdx+0] {k1}, zmm18", "62e17f497f5200", "62c17f497f5000"),
        (store_masked(of(4, 19, 2), 640), "vmovdqu32 [rdx+640] {k2}, zmm19", "62e17e4a7f5a0a", "62c17e4a7f580a"),
        (store_masked(of(8, 30, 4), -16), "vmovdqu64 [rdx-16] {k4}, zmm30", "6261fe4c7fb2f0ffffff", "6241fe4c7fb0f0ffffff"),
        (load_word(1, 1), "movzx eax, byte ptr [rcx+1]", "0fb64101", "410fb64101"),
        (load_word(2, -2), "movzx eax, word ptr [rcx-2]", "0fb741fe", "410fb741fe"),
        (load_word(4, 400), "mov eax, [rcx+400]", "8b8190010000", "418b8190010000"),
        (load_word(8, 16), "mov rax, [rcx+16]", "488b4110", "498b4110"),
        (store_word(1, 0), "mov [rdx+0], al", "884200", "41884000"),
        (store_word(2, 254), "mov [rdx+254], ax", "668982fe000000", "66418980fe000000"),
        (store_word(4, 4), "mov [rdx+4], eax", "894204", "41894004"),
        (store_word(8, -8), "mov [rdx-8], rax", "488942f8", "498940f8"),
        (LoadData, "lea rcx, [rip + data]", "488d0d00000000", "4c8d0d00000000"),
        (Phase(48), "mov rax, rdx; and eax, 48", "4889d083e030", "4c89c083e030"),
        (Phase(16), "mov rax, rdx; and eax, 16", "4889d083e010", "4c89c083e010"),
        (IfPhase(32), "cmp eax, 32; je phase32", "83f8200f8400000000", ""),
        (OfPhase(32), "phase32:", "", ""),
        (ForAll, "jmp all", "e900000000", ""),
        (OfAll, "all:", "", ""),
        (Turns(Counter::Pieces, 1000), "mov r10d, 1000; turn:", "41bae8030000", ""),
        (Turns(Counter::Around, 1000), "mov r11d, 1000; around:", "41bbe8030000", ""),
        (Turns(Counter::Within, 100_000), "mov esi, 100000; within:", "bea0860100", "baa0860100"),
        (Step([-512, 4096]), "add rdx, -512; add rcx, 4096", "4881c200feffff4881c100100000", "4981c000feffff4981c100100000"),
        (NextTurn(Counter::Around, [64, 4096]), "add rdx, 64; add rcx, 4096; dec r11d; jnz around", "4881c2400000004881c10010000041ffcb0f8500000000", "4981c0400000004981c10010000041ffcb0f8500000000"),
        (NextTurn(Counter::Within, [64, 4096]), "add rdx, 64; add rcx, 4096; dec esi; jnz within", "4881c2400000004881c100100000ffce0f8500000000", "4981c0400000004981c100100000ffca0f8500000000"),
        (NextTurn(Counter::Pieces, [512, -4096]), "add rdx, 512; add rcx, -4096; dec r10d; jnz turn", "4881c2000200004881c100f0ffff41ffca0f8500000000", "4981c0000200004981c100f0ffff41ffca0f8500000000"),
        (Return, "mov eax, 1; ret", "b801000000c3", ""),
    ]
}

/// Those of AVX2: all kinds of registers and offsets.
#[rustfmt::skip]
fn known_of_avx2() -> Vec<(Vex, &'static str, &'static str, &'static str)> {
    vec![
        (Vex::Load { vector: Ymm(0), bytes: 32, from: Source(64) }, "vmovdqu ymm0, [rcx+64]", "c5fe6f4140", "c4c17e6f4140"),
        (Vex::Load { vector: Ymm(2), bytes: 16, from: Source(-16) }, "vmovdqu xmm2, [rcx-16]", "c5fa6f51f0", "c4c17a6f51f0"),
        (Vex::Load { vector: Ymm(1), bytes: 32, from: Source(1000) }, "vmovdqu ymm1, [rcx+1000]", "c5fe6f89e8030000", "c4c17e6f89e8030000"),
        (Vex::LoadUpper { vector: Ymm(1), from: Source(48) }, "vinserti128 ymm1, ymm1, [rcx+48], 1", "c4e37538493001", "c4c37538493001"),
        (Vex::LoadUpper { vector: Ymm(5), from: Source(-200) }, "vinserti128 ymm5, ymm5, [rcx-200], 1", "c4e35538a938ffffff01", "c4c35538a938ffffff01"),
        (Vex::LoadLow { vector: Ymm(2), from: Source(16) }, "vmovq xmm2, [rcx+16]", "c5fa7e5110", "c4c17a7e5110"),
        (Vex::LoadHigh { vector: Ymm(2), from: Source(400) }, "vmovhpd xmm2, xmm2, [rcx+400]", "c5e9169190010000", "c4c169169190010000"),
        (Vex::LoadOrder { vector: Ymm(6), order: 3 }, "vmovdqu ymm6, [rip + order 3]", "c5fe6f3500000000", ""),
        (Vex::LoadOrder { vector: Ymm(15), order: 0 }, "vmovdqu ymm15, [rip + order 0]", "c57e6f3d00000000", ""),
        (Vex::Shuffle { vector: Ymm(1), bytes: 32, order: Ymm(15) }, "vpshufb ymm1, ymm1, ymm15", "c4c27500cf", ""),
        (Vex::Shuffle { vector: Ymm(4), bytes: 8, order: Ymm(6) }, "vpshufb xmm4, xmm4, xmm6", "c4e25900e6", ""),
        (Vex::ShuffleBy { vector: Ymm(3), bytes: 32, order: 2 }, "vpshufb ymm3, ymm3, [rip + order 2]", "c4e265001d00000000", ""),
        (Vex::ShuffleBy { vector: Ymm(0), bytes: 16, order: 2 }, "vpshufb xmm0, xmm0, [rip + order 2]", "c4e279000500000000", ""),
        (Vex::Permute { to: Ymm(1), order: Ymm(12), from: Source(96) }, "vpermd ymm1, ymm12, [rcx+96]", "c4e21d364960", "c4c21d364960"),
        (Vex::Permute { to: Ymm(4), order: Ymm(4), from: Source(300) }, "vpermd ymm4, ymm4, [rcx+300]", "c4e25d36a12c010000", "c4c25d36a12c010000"),
        (Vex::Or { to: Ymm(1), from: Ymm(4), bytes: 32 }, "vpor ymm1, ymm1, ymm4", "c5f5ebcc", ""),
        (Vex::Or { to: Ymm(2), from: Ymm(3), bytes: 16 }, "vpor xmm2, xmm2, xmm3", "c5e9ebd3", ""),
        (Vex::Blend { to: Ymm(1), from: Ymm(5), elements: 0xa5 }, "vpblendd ymm1, ymm1, ymm5, 0xa5", "c4e37502cda5", ""),
        (Vex::Cross { vector: Ymm(2), halves: [0, 2, 1, 3] }, "vpermq ymm2, ymm2, 0xd8", "c4e3fd00d2d8", ""),
        (Vex::Cross { vector: Ymm(0), halves: [2, 3, 0, 1] }, "vpermq ymm0, ymm0, 0x4e", "c4e3fd00c04e", ""),
        (Vex::Store { vector: Ymm(1), bytes: 32, to: Destination(64) }, "vmovdqu [rdx+64], ymm1", "c5fe7f4a40", "c4c17e7f4840"),
        (Vex::Store { vector: Ymm(2), bytes: 16, to: Destination(24) }, "vmovdqu [rdx+24], xmm2", "c5fa7f5218", "c4c17a7f5018"),
        (Vex::Store { vector: Ymm(0), bytes: 8, to: Destination(8) }, "vmovq [rdx+8], xmm0", "c5f9d64208", "c4c179d64008"),
        (Vex::Store { vector: Ymm(1), bytes: 4, to: Destination(300) }, "vmovd [rdx+300], xmm1", "c5f97e8a2c010000", "c4c1797e882c010000"),
        (Vex::ZeroUpper, "vzeroupper", "c5f877", ""),
    ]
}

fn all_known() -> impl Iterator<Item = (Instruction, &'static str, &'static str, &'static str)> {
    let of_avx2 = known_of_avx2().into_iter();
    let of_avx2 =
        of_avx2.map(|(vex, text, bytes, windows)| (Instruction::Vex(vex), text, bytes, windows));
    known().into_iter().chain(of_avx2)
}

#[test]
fn instructions_are_encoded_as_elsewhere() {
    for (instruction, text, system_v, windows) in all_known() {
        let windows = if windows.is_empty() {
            system_v
        } else {
            windows
        };
        for (convention, bytes) in [
            (Convention::SYSTEM_V, system_v),
            (Convention::WINDOWS, windows),
        ] {
            let code = Vec::new();
            let mut assembler = Assembler { code, convention };
            assembler.write(instruction);
            let code = assembler.code.iter();
            let code: String = code.map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(code, bytes, "{text}");
        }
    }
}

#[test]
#[cfg(not(windows))]
fn instructions_are_written_as_elsewhere() {
    for (instruction, text, ..) in all_known() {
        assert_eq!(instruction.to_string(), text);
    }
}
