//! Machine code, keyed and baked, against the interpreter.

mod common;

use common::{Numbers, agree, ids32, ids64, signature, slice, tensor};
use xslice_core::{
    ElementType, Entry, ErrorKind, Gather, Graph, Index, OnnxSlice, Program, Range, Signature,
    Slice, Tensor,
};

fn run(name: &str, program: &Program, tensors: &[Tensor]) -> Tensor {
    agree(name, program, &signature(tensors), tensors).unwrap()
}

fn chain(op: impl Into<xslice_core::Op>) -> Program {
    Program::chain("x").then(op).build().unwrap()
}

#[test]
fn slices_of_every_element_type_agree() {
    for ty in ElementType::ALL {
        let x = tensor(ty, &[5, 7, 9]);
        for (name, op) in [
            ("whole", slice([0], [5], [1])),
            ("rows", slice([1], [4], [1])),
            ("crop", slice([1, 2, 3], [4, 6, 8], [1, 1, 1])),
            ("every other", slice([0, 0, 0], [5, 7, 9], [2, 2, 2])),
            ("reversed", slice([-1, -1, -1], [-9, -9, -99], [-1, -1, -1])),
            ("one element", slice([2, 3, 4], [3, 4, 5], [1, 1, 1])),
            ("nothing", slice([2, 3, 4], [3, 3, 5], [1, 1, 1])),
        ] {
            run(
                &format!("{name} of {ty}"),
                &chain(op),
                std::slice::from_ref(&x),
            );
        }
    }
}

#[test]
fn gathers_of_every_element_type_agree() {
    for ty in ElementType::ALL {
        let x = tensor(ty, &[6, 5, 7]);
        for axis in 0..3 {
            let program = chain(Gather::onnx(13).indices("ids").axis(axis));
            let wide = ids64(&[2, 3], &[0, -1, 4, -5, 2, 2]);
            let narrow = ids32(&[2, 3], &[0, -1, 4, -5, 2, 2]);
            let scalar = ids64(&[], &[-2]);
            for ids in [wide, narrow, scalar, ids64(&[0], &[])] {
                run(
                    &format!("gather on axis {axis} of {ty}"),
                    &program,
                    &[x.clone(), ids],
                );
            }
        }
    }
}

fn scalars<T: xslice_core::Element>(values: [T; 3]) -> [Tensor; 3] {
    values.map(Tensor::scalar)
}

/// Alone; sliced, so that the step differs from 1; and gathered, so that positions come out of a table.
fn ranges_agree([start, limit, delta]: [Tensor; 3]) {
    let name = format!("range of {}", start.element_type());
    let range = Range::onnx(11).start(start).limit(limit).delta(delta);
    run(&name, &Program::generate(range.clone()).unwrap(), &[]);
    let mut graph = Graph::new();
    let operand = graph.operand("ids", None).unwrap();
    let values = graph.apply(range, None, None).unwrap();
    let sliced = slice([-1], [-1000], [-2]);
    let sliced = graph.apply(sliced, Some(values), None).unwrap();
    let program = graph.finish(sliced).unwrap();
    run(&name, &program, &[ids64(&[1], &[0])]);
    let gathered = Gather::onnx(13).indices(operand);
    let gathered = graph.apply(gathered, Some(values), None).unwrap();
    let program = graph.finish(gathered).unwrap();
    let tensors = [ids64(&[2, 2], &[0, -1, 0, 0])];
    // An empty Range has no element to gather.
    if let Err(error) = agree(&name, &program, &signature(&tensors), &tensors) {
        assert_eq!(error.kind(), ErrorKind::IndexRange);
    }
}

#[test]
fn ranges_of_every_type_agree() {
    ranges_agree(scalars([3i16, 30_000, 7]));
    ranges_agree(scalars([10i32, -70, -3]));
    ranges_agree(scalars([i64::MIN, i64::MAX, i64::MAX / 9]));
    ranges_agree(scalars([0.0f32, 100.0, 0.1]));
    ranges_agree(scalars([-5.5f64, 5.0, 0.3]));
    ranges_agree(scalars([0i64, 3, 1]));
    ranges_agree(scalars([0.0f32, 0.5, 1.0]));
    ranges_agree(scalars([0i32, 0, 1]));
    ranges_agree(scalars([i16::MIN, i16::MAX, 1]));
    ranges_agree(scalars([-1000i64, 1000, 3]));
}

#[test]
fn runs_of_every_length_agree() {
    for bytes in (1..=80).chain([100, 127, 128, 129, 255, 256, 257, 1000]) {
        let x = tensor(ElementType::U8, &[11, bytes + 3]);
        let rows = slice([1, 2], [10, 2 + bytes as i64], [2, 1]);
        run(
            &format!("rows of {bytes} bytes"),
            &chain(rows),
            std::slice::from_ref(&x),
        );
        let program = Program::chain("x")
            .then(Gather::onnx(13).indices("ids"))
            .then(slice([0, 1], [99, 1 + bytes as i64], [1, 1]))
            .build()
            .unwrap();
        let ids = ids32(&[9], &[0, 10, -1, -11, 5, 5, 6, 7, 1]);
        run(
            &format!("gathered rows of {bytes} bytes"),
            &program,
            &[x, ids],
        );
    }
}

#[test]
fn counts_around_the_unrolling_agree() {
    for count in (1..=40i64).chain([63, 64, 65, 1000]) {
        for (ty, step) in [
            (ElementType::U8, 2),
            (ElementType::F32, -3),
            (ElementType::C128, 2),
        ] {
            let x = tensor(ty, &[3 * count as usize]);
            let op = if step > 0 {
                slice([0], [step * count], [step])
            } else {
                slice([-1], [-i64::MAX], [step])
            };
            run(
                &format!("{count} of {ty} by {step}"),
                &chain(op),
                std::slice::from_ref(&x),
            );
        }
        let range = Range::onnx(11)
            .start(Tensor::scalar(1i32))
            .limit(Tensor::scalar(1 + 2 * count as i32))
            .delta(Tensor::scalar(2i32));
        run(
            &format!("{count} values"),
            &Program::generate(range).unwrap(),
            &[],
        );
        let x = tensor(ElementType::U16, &[50]);
        let ids: Vec<i64> = (0..count)
            .map(|at| at % 100 - 50)
            .map(|at| at.min(49))
            .collect();
        let program = chain(Gather::onnx(13).indices("ids"));
        run(
            &format!("{count} indices"),
            &program,
            &[x, ids64(&[count as usize], &ids)],
        );
    }
}

/// Rows that touch, rows with gaps, and channels, in results that are small enough for vectors in place.
#[test]
fn patterns_of_small_results_agree() {
    for ty in [
        ElementType::U8,
        ElementType::U16,
        ElementType::F32,
        ElementType::F64,
    ] {
        for (rows, row) in [(1, 240), (2, 77), (6, 75), (16, 20), (24, 12), (40, 30)] {
            for step in [2i64, 3, 5, -1, -2, -3] {
                for spare in [0, 3] {
                    let x = tensor(ty, &[rows, row * step.unsigned_abs() as usize + spare]);
                    let (first, last) = if step > 0 { (0, -1) } else { (-1, 0) };
                    let op = slice([0, first], [i64::MAX, last], [1, step]);
                    let name = format!("{rows} rows of {row} {ty} by {step}");
                    run(&name, &chain(op), std::slice::from_ref(&x));
                }
            }
            let x = tensor(ty, &[row, rows, 4]);
            for (name, first, step) in [("channels", 1, 1), ("backwards", -1, -1)] {
                let op = slice([0, 0, first], [i64::MAX, i64::MAX, step * 3], [1, 1, step]);
                let name = format!("{name} of {rows} x {row} {ty}");
                run(&name, &chain(op), std::slice::from_ref(&x));
            }
        }
    }
}

/// Rows where indices point, of which a pattern says what is wanted: short and long, near the ends of the operand, in blocks and fewer.
#[test]
fn patterns_of_picked_rows_agree() {
    let texts = [
        "x[@a][:, :, ::2]",
        "x[@a][:, 1:3, ::-1]",
        "x[:, @b][:, :, ::-3]",
        "x[@a][::-1, ::-2, 1:]",
        "x[@a][:, @b][:, :, ::2]",
        "x[@a][:, :, [1, 0, 2]]",
        "x[:, :, @c][:, :, ::2]",
        "x[@a][:, :, @c]",
    ];
    for (ty, columns) in [
        (ElementType::U8, 3),
        (ElementType::U8, 11),
        (ElementType::U16, 5),
        (ElementType::F32, 4),
        (ElementType::F32, 30),
        (ElementType::F64, 9),
    ] {
        let x = tensor(ty, &[17, 4, columns]);
        for count in [1, 7, 70, 600] {
            let below = |axis: i64| move |k: i64| (k * 7 + k * k) % (2 * axis) - axis;
            let indices = |axis| (0..count).map(below(axis)).collect::<Vec<_>>();
            let a = ids64(&[count as usize], &indices(17));
            let narrow: Vec<i32> = indices(4).into_iter().map(|index| index as i32).collect();
            let b = ids32(&[count as usize], &narrow);
            let c = ids64(&[5], &[0, -1, 2, -3, 1]);
            for text in texts {
                let program = Program::parse(text).expect(text);
                let tables = [("@a", &a), ("@b", &b), ("@c", &c)];
                let used = tables.into_iter().filter(|(name, _)| text.contains(name));
                let operands = [&x].into_iter().chain(used.map(|(_, table)| table));
                let operands: Vec<_> = operands.cloned().collect();
                run(
                    &format!("{text} of {ty} {columns}, {count}"),
                    &program,
                    &operands,
                );
            }
        }
    }
}

/// Rows of a few runs, in several loops around them.
#[test]
fn short_rows_in_several_loops_agree() {
    // As many rows as whole blocks of them have.
    let x = tensor(ElementType::F32, &[8, 21, 20, 300]);
    let text = "x[:, :20, :16, [3, 1, 2]]";
    let program = Program::parse(text).expect(text);
    run(text, &program, std::slice::from_ref(&x));
    for (ty, row) in [
        (ElementType::U8, 7),
        (ElementType::U16, 24),
        (ElementType::F32, 9),
        (ElementType::F64, 40),
    ] {
        for outer in [[9, 8, 3], [70, 3, 2], [2, 30, 17]] {
            let [a, b, c] = outer;
            let x = tensor(ty, &[a, b, c, row]);
            for text in [
                "x[:, ::2, ::-1, ::3]",
                "x[::-1, ::-2, 1:, 1:4]",
                "x[:, ::3, :, ::-1]",
                "x[:, ::2, :, 2:]",
                "x[::2, :, ::2, -1:0:-2]",
            ] {
                let program = Program::parse(text).expect(text);
                let name = format!("{text} of {ty} {outer:?} {row}");
                run(&name, &program, std::slice::from_ref(&x));
            }
        }
    }
}

#[test]
fn chains_through_tables_agree() {
    let x = tensor(ElementType::F32, &[8, 6, 5]);
    let a = ids64(&[7], &[7, -1, 0, 3, 3, -8, 2]);
    let b = ids32(&[4], &[6, -7, 0, 2]);
    // A table of a table, on one axis.
    let program = Program::chain("x")
        .then(Gather::onnx(13).indices("a"))
        .then(Gather::onnx(13).indices("b"))
        .build()
        .unwrap();
    run("x[a][b]", &program, &[x.clone(), a.clone(), b.clone()]);
    // Tables on two axes, sliced before and after.
    let program = Program::chain("x")
        .then(slice([0, 1, 0], [8, 6, 5], [1, 1, 2]))
        .then(Gather::onnx(13).indices("a"))
        .then(Gather::onnx(13).indices("b").axis(2))
        .then(slice([1, 0, -1], [6, 5, -9], [2, 2, -1]))
        .build()
        .unwrap();
    let c = ids32(&[2, 2], &[2, -3, 0, 1]);
    run("two axes", &program, &[x.clone(), a.clone(), c]);
    // Indices that come out of a slice and of a gather.
    let mut graph = Graph::new();
    let data = graph.operand("x", None).unwrap();
    let a_ids = graph.operand("a", None).unwrap();
    let b_ids = graph.operand("b", None).unwrap();
    let sliced = graph
        .apply(slice([-1], [-99], [-2]), Some(a_ids), None)
        .unwrap();
    let chosen = graph
        .apply(Gather::onnx(13).indices(b_ids), Some(sliced), None)
        .unwrap();
    let y = graph
        .apply(Gather::onnx(13).indices(chosen), Some(data), None)
        .unwrap();
    let program = graph.finish(y).unwrap();
    let b = ids32(&[2, 3], &[3, -4, 0, 2, 1, -1]);
    run("x[a[::-2][b]]", &program, &[x, a, b]);
}

#[test]
fn many_tables_agree() {
    for depth in [5usize, 9, 12, 30] {
        let mut graph = Graph::new();
        let mut value = graph.operand("x", None).unwrap();
        let mut tensors = vec![tensor(ElementType::U16, &[6, 2])];
        for at in 0..depth {
            let ids = graph.operand(&format!("ids{at}"), None).unwrap();
            value = graph
                .apply(Gather::onnx(13).indices(ids), Some(value), None)
                .unwrap();
            tensors.push(ids64(&[6], &[1, -6, 3, -1, 5, at as i64 % 6]));
        }
        let program = graph.finish(value).unwrap();
        run(&format!("{depth} tables"), &program, &tensors);
    }
}

#[test]
fn the_first_bad_index_is_refused_by_all() {
    let x = tensor(ElementType::F32, &[4, 3]);
    let program = Program::chain("x")
        .then(Gather::onnx(13).indices("a"))
        .then(Gather::onnx(13).indices("b").axis(1))
        .build()
        .unwrap();
    for (a, b) in [
        ([0, 4], [0, 1]),
        ([0, -5], [7, 1]),
        ([0, 3], [0, 3]),
        ([1, i64::MIN], [0, i64::MAX]),
    ] {
        let tensors = [x.clone(), ids64(&[2], &a), ids64(&[2], &b)];
        let error = agree("bad index", &program, &signature(&tensors), &tensors).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::IndexRange);
    }
}

/// Their indices are tested by the precompiled move that machine code calls, in the middle of its loops.
#[test]
fn a_bad_index_of_a_long_move_is_refused_by_all() {
    for (shape, axis) in [
        (&[3, 4, 50, 2][..], 2),
        (&[50, 70], 0),
        (&[5, 50], 1),
        (&[50], 0),
    ] {
        let x = tensor(ElementType::F32, shape);
        let program = chain(Gather::onnx(13).indices("ids").axis(axis));
        for bad in [None, Some((0, 50)), Some((299, -51)), Some((150, i64::MAX))] {
            let mut ids: Vec<i64> = (0..300).map(|at| at * 7 % 100 - 50).collect();
            if let Some((at, value)) = bad {
                ids[at] = value;
            }
            let tensors = [x.clone(), ids64(&[300], &ids)];
            let name = format!("{shape:?} {bad:?}");
            let result = agree(&name, &program, &signature(&tensors), &tensors);
            let refused = result.err().map(|error| error.kind());
            assert_eq!(refused, bad.map(|_| ErrorKind::IndexRange), "{name}");
        }
    }
}

#[test]
fn strided_operands_and_results_agree() {
    let x = tensor(ElementType::F64, &[40]);
    let program = chain(slice([1, 0], [4, 3], [1, 2]));
    let signature = Signature::new()
        .strided(ElementType::F64, &[4, 3], &[-9, 2], 30)
        .output(&[-7, 3], 20);
    agree("strided", &program, &signature, &[x]).unwrap();
}

#[test]
fn many_axes_agree() {
    let x = tensor(ElementType::U8, &[3; 9]);
    let op = slice([0; 9], [3; 9], [2; 9]);
    run("nine loops", &chain(op), std::slice::from_ref(&x));
    let op = slice([-1; 9], [-99; 9], [-2; 9]);
    run("nine loops backwards", &chain(op), &[x]);
}

#[test]
fn the_notation_s_own_index_agrees() {
    let x = tensor(ElementType::C64, &[4, 5, 6]);
    let entries = [
        Entry::NewAxis,
        Entry::Ellipsis,
        Entry::Integer(-1),
        Entry::Gather([5, 0, -1].into()),
    ];
    run("index", &chain(Index::new(entries)), &[x]);
}

fn random_slice(numbers: &mut Numbers, rank: usize) -> OnnxSlice {
    let mut list =
        |low, high| -> Vec<i64> { (0..rank).map(|_| numbers.between(low, high)).collect() };
    let (starts, ends) = (list(-7, 7), list(-7, 7));
    let steps: Vec<i64> = list(-3, 3)
        .into_iter()
        .map(|step| if step == 0 { 1 } else { step })
        .collect();
    Slice::onnx(13).starts(starts).ends(ends).steps(steps)
}

#[test]
fn random_chains_agree() {
    let mut numbers = Numbers(0x5eed);
    let mut moved = 0;
    for round in 0..600 {
        let rank = 1 + numbers.below(4);
        let shape: Vec<usize> = (0..rank).map(|_| 1 + numbers.below(6)).collect();
        let ty = ElementType::ALL[numbers.below(15)];
        let mut tensors = vec![tensor(ty, &shape)];
        let mut graph = Graph::new();
        let mut value = graph.operand("x", None).unwrap();
        let mut dims = rank;
        for step in 0..1 + numbers.below(4) {
            value = if numbers.below(2) == 0 {
                graph
                    .apply(random_slice(&mut numbers, dims), Some(value), None)
                    .unwrap()
            } else {
                let count = 1 + numbers.below(5);
                let ids: Vec<i64> = (0..count).map(|_| numbers.between(-2, 1)).collect();
                tensors.push(match numbers.below(2) {
                    0 => ids64(&[count], &ids),
                    _ => ids32(
                        &[count],
                        &ids.iter().map(|&id| id as i32).collect::<Vec<_>>(),
                    ),
                });
                let operand = graph.operand(&format!("ids{step}"), None).unwrap();
                let axis = numbers.below(dims) as i64;
                graph
                    .apply(
                        Gather::onnx(13).indices(operand).axis(axis),
                        Some(value),
                        None,
                    )
                    .unwrap()
            };
            dims = rank;
        }
        let program = graph.finish(value).unwrap();
        let result = agree(
            &format!("round {round}"),
            &program,
            &signature(&tensors),
            &tensors,
        );
        moved += usize::from(result.is_ok_and(|output| !output.is_empty()));
    }
    println!("{moved} of 600 chains moved something");
    assert!(moved > 100, "{moved}");
}
