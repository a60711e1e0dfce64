//! Nests in any number of parts: the same elements, each once.

use super::*;
use crate::ir::Step;
use crate::{ElementType, Input, Program, Scratch, Signature};
use alloc::{vec, vec::Vec};
use std::collections::BTreeSet;

/// Every kind of move, below no loop, one, two, more; a lookup in the loops.
const PROGRAMS: [(&str, ElementType, &[usize]); 21] = [
    ("x[1:]", ElementType::U8, &[5001]),
    ("x[:, 1:]", ElementType::U16, &[40, 90]),
    ("x[::-1]", ElementType::U8, &[3001]),
    ("x[::-1]", ElementType::U64, &[700]),
    ("x[:, ::3]", ElementType::U8, &[3, 900]),
    ("x[:, :, 0:3]", ElementType::U8, &[9, 31, 4]),
    ("x[:, :, ::-1]", ElementType::U8, &[2, 333, 3]),
    ("x[::2, ::7]", ElementType::U32, &[11, 300]),
    ("x[:, @ids, ::2]", ElementType::C128, &[2, 40, 9]),
    ("x[::2, ::2, ::2, ::2]", ElementType::C128, &[3, 40, 5, 9]),
    ("x[::2, ::2, ::2, ::2]", ElementType::U16, &[7, 6, 5, 9]),
    ("x[@ids]", ElementType::U8, &[40, 3]),
    ("x[:, @ids]", ElementType::U32, &[6, 40]),
    // Places that are kept: out of windows, blended, by gathers, out of columns, row by row. Then periods that are far apart.
    ("x[:, @ids]", ElementType::U8, &[50, 40]),
    ("x[:, @ids]", ElementType::U8, &[100, 400]),
    ("x[:, @ids]", ElementType::U64, &[50, 40]),
    ("x[:, @ids]", ElementType::U16, &[70, 200]),
    ("x[:, @ids, 1:]", ElementType::U16, &[9, 40, 60]),
    ("x[:, 0:3]", ElementType::U8, &[900, 30]),
    ("x[@ids, ::-1, ::2]", ElementType::U16, &[40, 5, 7]),
    (
        "<i64> onnx::Range@11(start = 0, limit = 900, delta = 1)",
        ElementType::U8,
        &[],
    ),
];

/// A buffer per fill: what is the same as the fill in both has not been written.
fn written(run: impl Fn(&mut [u8]), bytes: usize) -> BTreeSet<usize> {
    let filled = |fill: u8| {
        let mut buffer = vec![fill; bytes];
        run(&mut buffer);
        buffer
    };
    let (first, second) = (filled(0xA5), filled(0x5A));
    let both = first.iter().zip(&second).enumerate();
    let written = both.filter(|(_, (a, b))| (**a, **b) != (0xA5, 0x5A));
    written.map(|(at, _)| at).collect()
}

/// The nest of a program, every part of it alone, at every level: parts that share no byte and together write the whole.
#[test]
fn parts_write_what_is_theirs_and_nothing_else() {
    let ids: Vec<i64> = (0..97).map(|k| k * 31 % 80 - 40).collect();
    for (text, ty, shape) in PROGRAMS {
        let program = Program::parse(text).expect("a valid program");
        let bytes = vec![1u8; shape.iter().product::<usize>() * ty.size()];
        let x = Input::from_bits(ty, &bytes);
        let (mut signature, mut inputs) = (Signature::new(), Vec::new());
        if !shape.is_empty() {
            signature = signature.operand(ty, shape);
            inputs.push(x);
        }
        if text.contains("@ids") {
            signature = signature.operand(ElementType::I64, &[ids.len()]);
            inputs.push((&ids).into());
        }
        let plan = program.compile(&signature).expect("a valid signature");
        let scratch = Scratch::new();
        let sources = Sources::new(&plan, &inputs, scratch.sources());
        let schedule = plan.steps().iter().find_map(|step| match step {
            Step::Nest(planned) => planned.schedule(),
            Step::Check(_) => None,
        });
        let schedule = schedule.expect("a nest");
        let run = |level, part: Option<&Part>, buffer: &mut [u8]| {
            // SAFETY: indices are within their axes, and the buffers have the lengths of the signature.
            unsafe { scheduled(level, schedule, &sources, buffer.as_mut_ptr(), part) };
        };
        let all = plan.output_len() * plan.element_type().size();
        for (level, parts) in Level::all().flat_map(|l| [2, 3, 7].map(|parts| (l, parts))) {
            let (split, pieces) = Split::of(schedule, parts);
            let mut seen = BTreeSet::new();
            for at in 0..parts {
                let range = pieces * at / parts..pieces * (at + 1) / parts;
                let part = Part::new(schedule, split, range.clone());
                let mine = match range.is_empty() {
                    true => BTreeSet::new(),
                    false => written(|buffer| run(level, Some(&part), buffer), all),
                };
                assert!(
                    seen.is_disjoint(&mine),
                    "{text}, {split:?} {range:?} of {pieces}"
                );
                seen.extend(mine);
            }
            assert_eq!(seen.len(), all, "{text}, {split:?} in {parts}");
        }
    }
}
