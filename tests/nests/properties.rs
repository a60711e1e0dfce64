//! What holds of the plan of every program, over the case table and over random chains of slices.

use crate::cases::describe::{At, Case, Step as Done, x};
use crate::suite::rng::Rng;
use crate::suite::{self, from_naive, numbered, to_naive};
use crate::{cases, steps};
use xslice::ElementType::I32;
use xslice::ir::{Buffer, LoopNest, PlannedNest, Source};
use xslice::{Plan, Program, Signature, Tensor};

/// Program, signature and plan of a case that is not refused.
fn compiled(case: &Case) -> Option<(Program, Signature, Plan)> {
    let program = case.program().ok()?;
    let operands: Vec<_> = case.operands.iter().map(|(_, tensor)| tensor).collect();
    let signature = suite::signature(&program, &operands);
    let plan = program.compile(&signature).ok()?;
    Some((program, signature, plan))
}

/// No loop of one turn, no neighbours that are one loop, no innermost loop that makes the block longer.
#[track_caller]
fn is_simple(nest: &LoopNest) {
    let (extents, src, dst) = (nest.extents(), nest.src(), nest.dst());
    assert!(!extents.contains(&1), "{nest}");
    let both = |outer: usize, turns: i64| {
        let folds = |strides: &[i64]| strides[outer] == strides[outer + 1] * turns;
        folds(&src.strides) && folds(&dst.strides)
    };
    if !src.is_affine() {
        return;
    }
    for outer in 0..extents.len().saturating_sub(1) {
        assert!(
            !both(outer, extents[outer + 1] as i64),
            "loops {outer} and the next fold: {nest}"
        );
    }
    let last = |strides: &[i64]| strides.last() == Some(&(nest.block() as i64));
    let is_buffer = matches!(nest.source(), Source::Buffer(_));
    assert!(
        !(is_buffer && last(&src.strides) && last(&dst.strides)),
        "{nest}"
    );
}

#[test]
fn nests_are_simple_and_write_as_many_elements_as_the_shape_has() {
    for case in cases::all() {
        let Some((_, _, plan)) = compiled(&case) else {
            continue;
        };
        let mut written = 0;
        for planned in plan.nests() {
            let nest = planned.nest();
            is_simple(nest);
            match planned.scratch() {
                None => written += nest.element_count(),
                Some(at) => assert_eq!(nest.element_count(), plan.temporaries()[at].len),
            }
            assert!(
                nest.covers(),
                "{}: a row-major destination is covered",
                case.name
            );
        }
        let doomed = written == 0 && steps(&plan).1 > 0;
        assert!(
            written == plan.output_len() || doomed,
            "{}\n{plan}",
            case.name
        );
        assert!(plan.covers_output() || doomed, "{}\n{plan}", case.name);
    }
}

/// But for indices that others pick, which are written first because that is quicker.
#[test]
fn a_chain_without_reshapes_can_be_one_nest() {
    let mut chains = 0;
    for case in cases::all() {
        let Some((program, signature, _)) = compiled(&case) else {
            continue;
        };
        let plan = suite::plan(&program, &signature.temporaries(0));
        let steps_of = &case.value.steps;
        let reshapes = |step: &Done| matches!(step, Done::Reshape(_));
        let written_first = [
            "gathers_in_a_row",
            "gathered_range_across_zero",
            "gathered_range_beyond_the_axis",
        ];
        let is_written_first = written_first.iter().any(|part| case.name.contains(part));
        if reshapes_anywhere(steps_of, &reshapes) || is_written_first {
            continue;
        }
        assert!(steps(&plan).0 <= 1, "{}\n{plan}", case.name);
        chains += usize::from(steps_of.len() > 1);
    }
    assert!(chains > 40, "{chains}");
}

fn reshapes_anywhere(steps: &[Done], is_reshape: &dyn Fn(&Done) -> bool) -> bool {
    steps.iter().any(|step| match step {
        Done::Gather { indices, .. } => reshapes_anywhere(&indices.steps, is_reshape),
        Done::Index(entries) => entries.iter().any(|entry| match entry {
            At::Gather(value) => reshapes_anywhere(&value.steps, is_reshape),
            At::Int(_) | At::Slice(_) | At::Dots | At::New => false,
        }),
        step => is_reshape(step),
    })
}

/// A view is there exactly where the plan is one affine nest over an operand, without a check; and it sees the result.
#[test]
fn views_are_where_maps_are_affine() {
    let mut views = 0;
    for case in cases::all() {
        let Some((program, signature, plan)) = compiled(&case) else {
            continue;
        };
        let view = program.view(&signature).expect("it compiles");
        let affine = |planned: &PlannedNest| {
            let nest = planned.nest();
            let source = matches!(nest.source(), Source::Buffer(Buffer::Operand(_)));
            source && nest.src().is_affine()
        };
        if plan.output_len() > 0 {
            let one = steps(&plan) == (1, 0) && plan.nests().all(affine);
            assert_eq!(view.is_some(), one, "{}\n{plan}", case.name);
        }
        let Some(view) = view else { continue };
        let expected = case.expected().expect("it compiles");
        assert_eq!(view.shape, expected.shape, "{}", case.name);
        let seen = seen(&view, &case.operands[view.operand].1);
        assert!(seen == from_naive(&expected), "{}: {view:?}", case.name);
        views += 1;
    }
    println!("{views} views");
    assert!(views > 200, "{views}");
}

/// The elements that a view names.
fn seen(view: &xslice::View, operand: &Tensor) -> Tensor {
    let operand = to_naive(operand);
    let mut positions = vec![view.offset as isize];
    for (&dim, &stride) in view.shape.iter().zip(&view.strides) {
        let steps = |&p: &isize| (0..dim as isize).map(move |i| p + i * stride);
        positions = positions.iter().flat_map(steps).collect();
    }
    let elems = positions.iter().map(|&p| operand.elems[p as usize].clone());
    from_naive(&suite::naive::Tensor {
        elems: elems.collect(),
        shape: view.shape.clone(),
        ..operand
    })
}

fn random_slice(rng: &mut Rng) -> At {
    let mut bound = || rng.once_in(4).then(|| rng.within(-6, 6));
    let (start, end) = (bound(), bound());
    At::Slice([start, end, Some(rng.pick(&[1, 1, -1, 2, -2, 3]))])
}

#[test]
fn random_chains_of_slices_are_one_simple_nest_and_a_view() {
    let mut moved = 0;
    for seed in 0..2000 {
        let mut rng = Rng::new(seed);
        let mut case = x(
            I32,
            [
                1 + rng.below(6),
                1 + rng.below(6),
                1 + rng.below(6),
                1 + rng.below(6),
            ],
        );
        for _ in 0..1 + rng.below(4) {
            let entries: Vec<_> = (0..1 + rng.below(4))
                .map(|_| random_slice(&mut rng))
                .collect();
            case = case.at(entries);
        }
        let (program, signature, plan) = compiled(&case).expect("slices are never refused");
        assert_eq!(
            steps(&plan),
            (usize::from(plan.output_len() > 0), 0),
            "seed {seed}\n{plan}"
        );
        plan.nests().for_each(|planned| is_simple(planned.nest()));
        let view = program
            .view(&signature)
            .expect("it compiles")
            .expect("slices are affine");
        let expected = from_naive(&case.expected().expect("slices are never refused"));
        assert!(
            seen(&view, &case.operands[0].1) == expected,
            "seed {seed}: {view:?}\n{plan}"
        );
        moved += usize::from(plan.output_len() > 0);
    }
    println!("{moved} of 2000 chains move something");
    assert!(moved > 500, "{moved}");
}

#[test]
fn a_destination_is_covered_where_every_element_is_written() {
    let program = Program::parse("x[...]").expect("valid");
    let covers = |strides: &[isize], offset| {
        let signature = Signature::new()
            .operand(I32, &[3, 4])
            .output(strides, offset);
        program
            .compile(&signature)
            .expect("an injective layout")
            .covers_output()
    };
    assert!(covers(&[4, 1], 0));
    // Transposed, reversed: every element still.
    assert!(covers(&[1, 3], 0) && covers(&[-4, -1], 11) && covers(&[-1, 3], 2));
    // Gaps between rows, between elements, in front.
    assert!(!covers(&[5, 1], 0) && !covers(&[8, 2], 0) && !covers(&[4, 1], 1));
}

#[test]
fn a_plan_prints_the_same_each_time_and_names_its_operands() {
    let data = numbered(I32, &[4, 5], 0);
    let case = cases::describe::of("pixels")
        .given("pixels", data)
        .gather([3, 0, 2]);
    let (program, signature, plan) = compiled(&case).expect("valid");
    assert_eq!(
        plan.to_string(),
        suite::plan(&program, &signature).to_string()
    );
    assert!(plan.to_string().contains("pixels[5*wrap("), "{plan}");
}
