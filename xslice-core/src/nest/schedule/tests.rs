//! A schedule with a wrong number is found before it runs, whichever number it is; few rows of one period are a shuffle for long vectors alone.

use super::{LookedUp, Move, Row, Schedule};
use crate::access::Buffer;
use crate::elem::ElementType;
use crate::nest::LoopNest;
use crate::program::Program;
use crate::shuffle::LINE;
use crate::signature::Signature;
use alloc::vec::Vec;

/// Elements of an index table, of every one.
const INDICES: usize = 6;

/// Programs over all of `f32[5, 6, 7, 8]`, or of some `i64` values, and indices: one for each kind of Move, with and without loops.
const PROGRAMS: [&str; 9] = [
    "x[1:]",
    "x[:, 1:5, 2:6]",
    "x[:, :, :, ::-1]",
    "x[:, :, ::3, ::2]",
    "x[:, ::-1, :, 1::4]",
    "x[:, @ids]",
    "x[:, @ids, :, ::2]",
    "x[@ids][:, :, @ids, ::-1]",
    "<i64> onnx::Range@11(start = 3, limit = 60, delta = 7)",
];

fn schedules() -> Vec<(LoopNest, Schedule)> {
    let mut all = Vec::new();
    for text in PROGRAMS {
        let program = Program::parse(text).unwrap();
        let types = [
            (ElementType::F32, &[5, 6, 7, 8][..]),
            (ElementType::I64, &[INDICES]),
        ];
        let types = &types[..program.operands().len()];
        let signature = types
            .iter()
            .fold(Signature::new(), |all, (ty, dims)| all.operand(*ty, dims));
        for planned in program.compile(&signature).unwrap().nests() {
            let schedule = planned.schedule().unwrap().clone();
            all.push((planned.nest().clone(), schedule));
        }
    }
    all
}

/// The bytes that vectors may read, where there are any.
fn vectors_read(schedule: &mut Schedule) -> Option<&mut usize> {
    match &mut schedule.inner {
        Move::Shuffle(periods) => Some(&mut periods.source_bytes),
        Move::Lookup(rows) => match &mut rows.row {
            Row::Run => None,
            Row::Periods(periods) => Some(&mut periods.source_bytes),
        },
        Move::Copy { .. } | Move::Strided(_) | Move::Fill(_) => None,
    }
}

/// Every copy of a schedule with one number changed so that it reads or writes too much.
fn broken(nest: &LoopNest, good: &Schedule) -> Vec<Schedule> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Schedule)| {
        let mut bad = good.clone();
        change(&mut bad);
        all.push(bad);
    };
    let far = (nest.source_len().max(INDICES) * nest.element_type().size().max(8)) as i64;
    for by in [-far, far] {
        with(&|bad| bad.src.offset += by);
        with(&|bad| bad.dst.offset += by.signum());
        for k in 0..good.extents.len() {
            with(&|bad| bad.src.strides[k] += by);
            with(&|bad| bad.dst.strides[k] += by.signum());
            with(&|bad| bad.extents[k] = bad.extents[k].wrapping_add_signed(by.signum() as isize));
        }
        for at in 0..good.src.lookups.len() {
            with(&|bad| bad.src.lookups[at].access.offset += by);
            with(&|bad| bad.src.lookups[at].scale += by);
            with(&|bad| bad.src.lookups[at].size = by);
        }
        with(&|bad| match &mut bad.inner {
            Move::Copy { bytes } => *bytes += 1,
            Move::Strided(rows) => rows.count += 1,
            Move::Shuffle(periods) => periods.count -= 1,
            Move::Lookup(rows) => rows.count -= 1,
            Move::Fill(fill) => fill.count += 1,
        });
        with(&|bad| match &mut bad.inner {
            Move::Copy { bytes } => *bytes = 0,
            Move::Strided(rows) => rows.src_stride += by,
            Move::Shuffle(periods) => periods.count += 1,
            Move::Lookup(rows) => rows.src_stride += by,
            Move::Fill(fill) => fill.step += by,
        });
        with(&|bad| match &mut bad.inner {
            Move::Copy { bytes } => *bytes -= 1,
            Move::Strided(rows) => rows.dst_stride -= 1,
            Move::Shuffle(periods) => periods.count = 0,
            Move::Lookup(rows) => rows.dst_stride -= 1,
            Move::Fill(fill) => fill.dst_stride -= 1,
        });
        if vectors_read(&mut good.clone()).is_some() {
            let by = by.unsigned_abs() as usize;
            with(&|bad| *vectors_read(bad).unwrap() += by);
        }
        if let Move::Lookup(rows) = &good.inner {
            let mut with_rows = |change: &dyn Fn(&mut LookedUp)| {
                let mut rows = rows.clone();
                change(&mut rows);
                with(&|bad| bad.inner = Move::Lookup(rows.clone()));
            };
            with_rows(&|rows| rows.index_stride += by);
            with_rows(&|rows| rows.lookup.size += far);
            with_rows(&|rows| rows.lookup.access.offset += by);
        }
    }
    all
}

#[test]
fn a_wrong_number_is_found_before_it_runs() {
    let table_len = |_: Buffer| INDICES;
    let (mut kinds, mut count) = (Vec::new(), 0);
    for (nest, good) in schedules() {
        assert!(good.verify(&nest, &table_len).is_ok(), "{good}");
        for bad in broken(&nest, &good) {
            assert!(bad.verify(&nest, &table_len).is_err(), "{bad:?}");
            count += 1;
        }
        kinds.push(good.inner.name());
    }
    for kind in ["copy", "strided", "shuffle", "lookup", "fill"] {
        assert!(kinds.contains(&kind), "{kind}");
    }
    assert!(count > 100, "{count}");
}

/// A source and a table that are used to their first or last byte: beyond it is one byte, not one element.
#[test]
fn one_byte_beyond_an_end_is_found() {
    let table_len = |_: Buffer| INDICES;
    let (mut fronts, mut ends, mut tables, mut vectors) = (0, 0, 0, 0);
    for (nest, good) in schedules() {
        let refuses = |change: &dyn Fn(&mut Schedule)| {
            let mut bad = good.clone();
            change(&mut bad);
            assert!(bad.verify(&nest, &table_len).is_err(), "{bad:?}");
        };
        let (low, high) = nest.src().span(nest.extents());
        if low == 0 {
            refuses(&|bad| bad.src.offset -= 1);
            fronts += 1;
        }
        if high + nest.block() as i128 == nest.source_len() as i128 {
            refuses(&|bad| bad.src.offset += 1);
            ends += 1;
        }
        if vectors_read(&mut good.clone()).is_some() {
            refuses(&|bad| *vectors_read(bad).unwrap() += 1);
            vectors += 1;
        }
        // Every index is read, so a table has no byte left either.
        if let Move::Lookup(rows) = &good.inner {
            for by in [-1, 1] {
                let mut rows = rows.clone();
                rows.lookup.access.offset += by;
                refuses(&|bad| bad.inner = Move::Lookup(rows.clone()));
            }
            tables += 1;
        }
    }
    assert!(
        fronts > 4 && ends > 4 && tables > 0 && vectors > 1,
        "{fronts} {ends} {tables} {vectors}"
    );
}

#[test]
fn few_rows_of_one_period_are_a_shuffle_for_vectors_of_a_line() {
    let is_shuffle = |(rows, inner): (usize, usize), vector| {
        let program = Program::parse("x[::4, ::2, ::4]").unwrap();
        let signature = Signature::new().operand(ElementType::U8, &[4 * rows, inner, 6]);
        let plan = program.compile(&signature).unwrap();
        let nest = plan.nests().next().unwrap().nest();
        let schedule = Schedule::for_vectors(vector, nest, &|_, _| None).unwrap();
        matches!(schedule.inner, Move::Shuffle(_))
    };
    assert!(is_shuffle((28, 9), LINE) && is_shuffle((64, 9), LINE) && is_shuffle((64, 9), 16));
    // Vectors that are too short for that, too few runs in all rows, and too few rows, whose runs are enough.
    assert!(!is_shuffle((28, 9), 16) && !is_shuffle((9, 9), LINE));
    assert!(is_shuffle((8, 17), LINE) && !is_shuffle((7, 17), LINE));
}
