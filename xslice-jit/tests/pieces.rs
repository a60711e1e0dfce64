//! Code of pieces beside the interpreter: rows, columns, reversed and picked ones, at every place in a line, with what lies around the
//! result.

use xslice_core::{
    ElementType, Input, Level, Output, Plan, Program, Range, Scratch, Signature, Tensor, interp,
};
use xslice_jit::{Form, Jit, Strategy};

/// Bytes around a result.
const AROUND: usize = 64;

/// Whether the code of a plan is pieces.
fn is_pieces(plan: &Plan) -> bool {
    let listings = xslice_jit::listing(plan, Form::Baked).unwrap_or_default();
    let mut forms = listings.iter().map(|listing| &listing.clif);
    forms.any(|form| form.contains("function for a destination"))
}

/// Whether the processor has vectors for pieces.
fn has_vectors() -> bool {
    ["avx2", "avx512"].contains(&Level::best().name())
}

/// Of as many programs, so many are pieces, where the processor has vectors for them.
fn assert_most_are_pieces(pieces: usize, programs: usize) {
    println!("{pieces} of {programs} programs are pieces");
    assert!(!has_vectors() || 2 * pieces > programs);
}

/// What a kernel writes at each place of buffers in a line, and nothing around it; whether it is pieces. The last axis are the bytes of an
/// element.
fn assert_moves(jit: &Jit, shape: &[usize], text: &str) -> bool {
    let size = shape[shape.len() - 1];
    let program = Program::parse(text).expect(text);
    let signature = Signature::new().operand(ElementType::U8, shape);
    let kernel = jit.compile(&program, &signature).expect(text);
    let source = shape.iter().product::<usize>();
    let bytes = |at: usize| (at * 37 + at / 251) as u8;
    let src: Vec<u8> = (0..source).map(bytes).collect();
    let mut expected = vec![0u8; kernel.plan().output_len()];
    let output = Output::from(&mut expected);
    interp::run(
        kernel.plan(),
        &[Input::from(&src)],
        output,
        &mut Scratch::new(),
    )
    .expect(text);
    for place in (0..64).step_by(size) {
        let mut from = vec![0u8; source + 128];
        let skip = from.as_ptr().align_offset(64) + (place * 5) % 64;
        from[skip..][..source].copy_from_slice(&src);
        let mut to = vec![0x55u8; expected.len() + 128 + 2 * AROUND];
        let skip_to = to.as_ptr().align_offset(64) + AROUND + place;
        let result = &mut to[skip_to..][..expected.len()];
        kernel
            .run(&[Input::from(&from[skip..][..source])], result)
            .expect(text);
        let (before, rest) = to.split_at(skip_to);
        let (result, after) = rest.split_at(expected.len());
        assert!(result == expected, "{shape:?} {text} at {place}");
        let around = before.iter().chain(after);
        assert!(
            around.into_iter().all(|&byte| byte == 0x55),
            "around {shape:?} {text} at {place}"
        );
    }
    is_pieces(kernel.plan())
}

#[test]
fn code_of_pieces_moves_what_the_interpreter_moves() {
    let jit = Jit::with_strategy(Strategy::Baked);
    let (mut pieces, mut programs) = (0, 0);
    for size in [1, 2, 4, 8, 16] {
        for (rows, columns) in [
            (1, 300),
            (7, 40),
            (3, 333),
            (20, 17),
            (64, 33),
            (130, 9),
            (500, 3),
        ] {
            for text in [
                "x[:, 1:]",
                "x[:, ::-1]",
                "x[::-1, ::2]",
                "x[::2, 1:]",
                "x[::-1, 1:]",
                "x[:, 1::3]",
                "x[::-2, ::-5]",
                "x[:, :2]",
                "x[:, 2:0:-1]",
                "x[:, 1]",
                "x[..., ::-1]",
            ] {
                pieces += usize::from(assert_moves(&jit, &[rows, columns, size], text));
                programs += 1;
            }
        }
    }
    assert_most_are_pieces(pieces, programs);
}

/// Many masks in a loop, rows of no whole lines, and six axes.
#[test]
fn so_does_code_of_long_turns() {
    let jit = Jit::with_strategy(Strategy::Baked);
    let programs = [
        (&[120, 11, 1][..], "x[:, 2:9]"),
        (&[300, 33, 1], "x[:, :5]"),
        (&[100, 40, 2], "x[:, 1:]"),
        (&[100, 17, 2], "x[:, ::-1]"),
        (&[400, 5, 2], "x[:, :3]"),
        (&[90, 7, 13, 1], "x[::2, 1:4, 3:10]"),
        (&[200, 3, 7, 1], "x[:, ::2, :5]"),
        (
            &[4, 4, 4, 4, 4, 4, 4],
            "x[:, 1:, ::2, 1::2, 3:0:-1, 3:0:-2]",
        ),
        (&[300, 20, 8], "x[:, 3]"),
        (&[150, 20, 8], "x[:, ::7]"),
        (&[33, 129, 4], "x[::-1, 1:]"),
    ];
    let moved = programs.map(|(shape, text)| assert_moves(&jit, shape, text));
    let pieces = moved.into_iter().filter(|is_pieces| *is_pieces).count();
    assert_most_are_pieces(pieces, programs.len());
}

/// One loop and two around all pieces, forwards and backwards.
#[test]
fn so_does_code_of_loops_around_pieces() {
    let jit = Jit::with_strategy(Strategy::Baked);
    for (shape, text) in [
        (&[3000, 2, 8][..], "x[:, ::-1]"),
        (&[1999, 2, 8], "x[::-1, ::-1]"),
        (&[900, 40, 1], "x[::-1, 4:20:2]"),
        (&[600, 5, 20], "x[::-1, :4]"),
        (&[12, 310, 4, 8], "x[:, 1:, ::-1]"),
        (&[9, 713, 4, 4], "x[::-1, 1:, ::-1]"),
    ] {
        let is_pieces = assert_moves(&jit, shape, text);
        assert!(
            is_pieces || Level::best().name() != "avx512",
            "{shape:?} {text}"
        );
    }
}

/// Rows of a part whose images lie as far apart as places may go: nothing overflows while code is made for them.
#[test]
fn parts_that_lie_far_apart_are_pieces() {
    let jit = Jit::with_strategy(Strategy::Baked);
    let program = Program::parse("x[:, :, ::-1]").expect("a reversed axis");
    for apart in [1 << 15, 1 << 20, 1 << 24] {
        let signature = Signature::new()
            .operand(ElementType::F32, &[8, 8, 2000])
            .output(&[2048, apart, 1], 0);
        // It does not run: the result would need 512 MiB.
        let kernel = jit.compile(&program, &signature).expect("a part");
        let is_pieces = is_pieces(kernel.plan());
        assert!(is_pieces || Level::best().name() != "avx512", "{apart}");
    }
}

/// The values of a Range lie behind the code. With gaps between them there are so many words that they are a loop.
#[test]
fn code_of_a_range_writes_its_values_at_every_place() {
    let jit = Jit::with_strategy(Strategy::Baked);
    let programs = [1, 15, 17, 100, 1000, 1024, 1025].map(|count| (count, 1));
    for (count, distance) in programs.into_iter().chain([(300, 2), (500, 3)]) {
        let range = Range::onnx(11)
            .start(Tensor::scalar(-90i32))
            .limit(Tensor::scalar(-90 + 7 * count))
            .delta(Tensor::scalar(7i32));
        let program = Program::generate(range).expect("a range");
        let signature = Signature::new().output(&[distance as isize], 0);
        let kernel = jit.compile(&program, &signature).expect("a range");
        let mut expected = vec![0x5555_5555; (count as usize - 1) * distance + 1];
        for (at, value) in (0..count).zip(expected.iter_mut().step_by(distance)) {
            *value = -90 + 7 * at;
        }
        for place in 0..16 {
            let mut to = vec![0x5555_5555; expected.len() + 48];
            let skip = to.as_ptr().align_offset(64) + place;
            let result = &mut to[skip..][..expected.len()];
            kernel.run(&[], result).expect("a range");
            let (before, rest) = to.split_at(skip);
            let (result, after) = rest.split_at(expected.len());
            assert_eq!(result, expected, "at {place}");
            let mut around = before.iter().chain(after);
            assert!(
                around.all(|&value| value == 0x5555_5555),
                "around {count} at {place}"
            );
        }
    }
}
