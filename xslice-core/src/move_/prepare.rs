//! What is found when a nest is planned, so that no call has to.

use super::{begun, fill, picks, runs, shuffled};
use crate::access::Buffer;
use crate::error::Error;
use crate::level::Level;
use crate::nest::LoopNest;
use crate::nest::schedule::{Drive, Known, KnownMove, Move, Row, Schedule};
use alloc::sync::Arc;

/// The schedule of a nest for the best level, with what moves it and which way its loops are taken, verified when nothing changes it any
/// more (I2); `None` for strings. `table_len` gives the elements of an index table.
///
/// # Errors
/// As [`Schedule::verify`].
pub(crate) fn prepared(
    nest: &LoopNest,
    known: Known<'_>,
    table_len: &dyn Fn(Buffer) -> usize,
) -> Result<Option<Arc<Schedule>>, Error> {
    let Some(mut schedule) = Schedule::new(nest, known) else {
        return Ok(None);
    };
    prepare(Arc::make_mut(&mut schedule));
    schedule.verify(nest, table_len)?;
    Ok(Some(schedule))
}

fn prepare(schedule: &mut Schedule) {
    match schedule.inner() {
        Move::Strided(strided) => {
            let known = runs::known(schedule, strided).map(KnownMove::Runs);
            schedule.keep(known);
        }
        Move::Shuffle(periods) => {
            let (rows, by_other_loads) = shuffled::known(schedule, periods);
            schedule.keep(rows.map(KnownMove::Rows));
            schedule.keep_loads(by_other_loads);
        }
        Move::Fill(values) => {
            let known = fill::known::known(schedule, values);
            schedule.keep(known.map(KnownMove::Values));
        }
        &Move::Copy { bytes } => {
            let known = runs::known_alone(schedule, bytes).map(KnownMove::Runs);
            schedule.keep(known);
        }
        Move::Lookup(picks) => match &picks.row {
            Row::Run => {
                let known = picks::known(schedule, picks);
                schedule.keep_picks(known);
            }
            Row::Periods(periods) => {
                let by_other_loads = shuffled::inside_for_all(schedule, picks, periods);
                schedule.keep_loads(by_other_loads);
            }
        },
    }
    let drive = schedule.drive_at(
        Level::settled(),
        schedule.extents(),
        schedule.inner().count(),
    );
    let outer_loops = schedule.loops_of_code(drive);
    match begun::known(schedule) {
        Some((loops, known)) => {
            schedule.keep_inside(known);
            schedule.keep_drive(Drive::Begun(loops), outer_loops);
        }
        None => schedule.keep_drive(drive, outer_loops),
    }
}
