//! What plans are made of.

use crate::level::Level;
use crate::nest::schedule::{Drive, Move, Row, Together};
use crate::plan::{Plan, Reader, Step, Tested};
use crate::program::Program;
use crate::signature::Signature;
use alloc::vec::Vec;

/// That of a text which declares its operands.
fn plan(text: &str) -> Plan {
    let program = Program::parse(text).expect("it is a program");
    let signature = program
        .operands()
        .iter()
        .fold(Signature::new(), |signature, operand| {
            let declared = operand
                .declared
                .as_ref()
                .expect("its operands are declared");
            let dims: Vec<usize> = declared.shape.iter().flatten().flatten().copied().collect();
            signature.operand(declared.element_type, &dims)
        });
    program.compile(&signature).expect("it has a plan")
}

/// Indices are tested where they are read if all of them are, in whatever order, once or more often; else before.
#[test]
fn indices_are_tested_where_all_of_them_are_read() {
    let tested = |text| match plan(text).steps() {
        [Step::Nest(planned)] => planned.tested().map(Tested::reader),
        [Step::Check(_), Step::Nest(_)] => None,
        steps => panic!("{text}: {steps:?}"),
    };
    for text in [
        "<f32[9], i: i64[8]> x[@i]",
        "<f32[9], i: i64[8]> x[@i][::-1]",
        "<f32[9], i: i32[8]> x[@(i[1:7:2])][::-1]",
        "<f32[9], i: i64[4, 6]> x[@i][:, ::-1]",
        "<f32[9], i: i64[4, 6]> x[@i][::-1]",
        "<f32[9], i: i64[4, 6]> x[@(i[:, 1:5])]",
        "<f32[9], i: i64[4, 6]> x[@(i[::-1, 1:5])][:, ::-1]",
        "<f32[5, 9], i: i64[4, 6]> x[:, @i][..., ::-1]",
    ] {
        assert_eq!(tested(text), Some(Reader::Move), "{text}");
    }
    for text in [
        "<f32[9], i: i64[8]> x[@i][1:]",
        "<f32[9], i: i64[8]> x[@i][::2]",
        "<f32[9], i: i64[4, 6]> x[@i][:, 1:]",
        "<f32[9], i: i64[4, 6]> x[@i][::-2, ::-1]",
        "<f32[9], i: i64[8]> x[@i][2:6]",
    ] {
        assert_eq!(tested(text), None, "{text}");
    }
}

/// Whether all rows that indices name move as is known before the call, and whether that is the whole call.
#[test]
fn rows_that_indices_name_are_known_where_they_are_the_same_in_all_turns() {
    let known = |text| {
        let plan = plan(text);
        let (mut nests, has_turn) = (plan.nests(), plan.has_turn());
        let nest = nests.next().unwrap_or_else(|| panic!("{text}: no nest"));
        let schedule = nest.schedule().unwrap_or_else(|| panic!("{text}: strings"));
        let is_known = schedule.known_picks().is_some();
        assert!(nests.next().is_none(), "{text}: more than one nest");
        assert!(schedule.knows_rows() || !is_known, "{text}");
        (is_known, has_turn)
    };
    for text in [
        "<f32[9], i: i64[8]> x[@i]",
        "<f32[9], i: i64[8]> x[@i][::-1]",
        "<f32[9], i: i32[8]> x[@(i[1:7:2])][::-1]",
        "<u8[9, 12], i: i32[200]> x[@i]",
        "<f32[9, 16], i: i64[8]> x[::-1][@i]",
        "<f32[5, 9], i: i64[40]> x[:, @i]",
        "<f32[2, 5, 9, 4], i: i64[40]> x[::-1, ::2, @i]",
    ] {
        assert_eq!(known(text), (true, true), "{text}");
    }
    for (text, what) in [
        ("<u8[9, 3], i: i64[700]> x[@i]", "many narrow rows alone"),
        (
            "<u8[90, 16], i: i64[4]> x[@i][:, ::2]",
            "rows that are patterns",
        ),
        (
            "<f32[9, 64], i: i64[9000]> x[@i]",
            "a result that leaves the near caches",
        ),
        (
            "<f32[200000, 32], i: i64[8]> x[@i]",
            "a table that no near cache has",
        ),
        (
            "<f32[3, 4, 5, 9, 3], i: i64[8]> x[::-1, :, ::-1, @i]",
            "many loops",
        ),
    ] {
        assert_eq!(known(text), (false, false), "{text}: {what}");
    }
    // The table is the source itself, or a constant says which of its indices are read.
    for text in ["<i64[9]> x[@x]", "<f32[9], i: i64[8]> x[@(i[[7, 0, 1]])]"] {
        assert!(!plan(text).has_turn(), "{text}");
    }
    // One index is tested where a turn begins.
    for text in [
        "<f32[9, 700], i: i64[1]> x[@i]",
        "<f32[9, 64], i: i32[4]> x[@(i[2]), ::-1]",
    ] {
        assert_eq!(known(text), (false, true), "{text}");
    }
}

/// Every fourth element of 8 bytes is a shuffle where all that is read and written is in the first cache, lines with it that rows read of.
#[test]
fn patterns_of_near_rows_are_shuffles() {
    let is_shuffle = |text: &str| {
        let plan = plan(text);
        let nest = plan.nests().next().expect("it moves");
        let schedule = nest.schedule().expect("elements have bytes");
        matches!(schedule.inner(), Move::Shuffle(_))
    };
    assert!(is_shuffle("<f64[4000]> x[::4]") && !is_shuffle("<f64[5000]> x[::4]"));
    assert!(is_shuffle("<f64[4, 600]> x[:, ::4]") && !is_shuffle("<f64[9, 600]> x[:, ::4]"));
    // Few bytes of many lines.
    assert!(
        is_shuffle("<f64[20, 200]> x[:, 1:50:4]") && !is_shuffle("<f64[100, 200]> x[:, 1:50:4]")
    );
}

/// Small operands of which rows read the first element or the last: the loads of a vector that begin with the first byte that they give, or
/// are lines, would leave them.
#[test]
fn known_rows_at_the_ends_of_an_operand_are_read_inside_it() {
    let texts = [
        "<f32[200]> x[::3]",
        "<f32[192]> x[::-2]",
        "<u8[100]> x[::2]",
        "<u8[30, 4]> x[:, 2::-1]",
        "<u8[20, 30]> x[:, 15::-1]",
        "<u8[100, 66]> x[:, 54:50:-1]",
        "<f32[20, 39]> x[:, ::-2]",
        "<f32[8, 10, 8]> x[:, 1:9, ::-1]",
        "<i64[6, 10, 4]> x[1:5, 2:8, ::-1]",
        "<f64[25, 8]> x[:, ::-3]",
        "<f32[45, 8]> x[:, ::3]",
    ];
    for text in texts.into_iter().filter(|_| Level::best() != Level::SCALAR) {
        let plan = plan(text);
        let nest = plan.nests().next().expect("it moves");
        let schedule = nest.schedule().expect("elements have bytes");
        let Move::Shuffle(periods) = schedule.inner() else {
            panic!("{text} is a shuffle");
        };
        let known = schedule.known_rows().unwrap_or_else(|| panic!("{text}"));
        let (first, last) = known.reach_of_all;
        let at = schedule.src().offset as isize;
        let reads = at + first..at + last;
        // Without masks the last rows may be left to units.
        assert!(
            known.have_vectors() || Level::best().vector() < 64,
            "{text}"
        );
        assert!(
            reads.start >= 0 && reads.end.unsigned_abs() <= periods.source_bytes,
            "{text}: {reads:?} of {}",
            periods.source_bytes
        );
    }
}

/// Patterns that indices pick out of small tables: their loads are inside the operand at the first place and at the last.
#[test]
fn picked_patterns_are_read_inside_the_operand() {
    for (text, first, last) in [
        ("<f32[3, 3, 11], i: i64[34]> x[@i, :, ::-2]", 40, 304),
        ("<f32[6, 40], i: i32[20]> x[@i, 3:40:2]", 12, 812),
        ("<i16[5, 2, 27], i: i64[9]> x[@i, :, ::-2]", 52, 484),
        (
            "<u8[4, 2, 130], i: i64[30]> x[1::-1, @i, 129:9:-3]",
            129,
            779,
        ),
    ] {
        let plan = plan(text);
        let nest = plan.nests().next().expect("it moves");
        let schedule = nest.schedule().expect("elements have bytes");
        let Move::Lookup(picks) = schedule.inner() else {
            panic!("{text} looks rows up");
        };
        let Row::Periods(periods) = &picks.row else {
            panic!("{text} picks patterns");
        };
        // Vectors of 16 bytes seldom leave it.
        let (Some(tables), _) = periods.shuffle.tables(Level::best()) else {
            continue;
        };
        let of_last_tile = picks.bytes.saturating_sub(tables.tile);
        let (begin, end) = tables.reach_to(periods.shuffle.pattern().place(of_last_tile));
        let source = periods.source_bytes as isize;
        assert!(first + begin >= 0, "{text}: from {begin}");
        assert!(last + end <= source, "{text}: up to {end}");
    }
}

/// How the loops around a move are taken, and how many of them machine code takes itself.
#[test]
fn loops_are_taken_as_their_rows_are_moved_best() {
    let taken = |text: &str| {
        let plan = plan(text);
        let nest = plan.nests().next().expect("it moves");
        let schedule = nest.schedule().expect("elements have bytes");
        (schedule.drive(), schedule.outer_loops())
    };
    for (text, drive, outer_loops) in [
        (
            "<f32[64, 99, 3000]> x[::2, 1:9:3, :2900]",
            Drive::Innermost,
            0,
        ),
        ("<f32[900, 40, 30]> x[:, 1:15:4, 1:7]", Drive::Few, 0),
        ("<f32[90, 400, 30]> x[:, 1:350:2, 1:7]", Drive::Short, 0),
        (
            "<f32[70, 80, 90], i: i64[70]> x[::2, ::2, @i]",
            Drive::Kept,
            0,
        ),
        (
            "<f32[9, 90, 200], i: i64[40]> x[:, @i, 1:]",
            Drive::Innermost,
            0,
        ),
        (
            "<f32[9, 90, 70], i: i64[7], j: i64[70]> x[@i][:, ::2, @j]",
            Drive::Kept,
            1,
        ),
        (
            "<f32[900, 9, 200], i: i64[400]> x[@i, ::2, :100]",
            Drive::Listed,
            1,
        ),
        (
            "<f32[11, 10, 62], i: i64[3]> x[@i, 4:6, 40:52]",
            Drive::Begun(1),
            1,
        ),
        (
            "<u8[3, 9, 10, 62], i: i32[40]> x[:, @i, ::2, :7]",
            Drive::Short,
            2,
        ),
        (
            "<f32[900, 9, 200]> x[:, ::2, :100]",
            Drive::Together(Together::new(1, true)),
            0,
        ),
    ] {
        assert_eq!(taken(text), (drive, outer_loops), "{text}");
    }
}
