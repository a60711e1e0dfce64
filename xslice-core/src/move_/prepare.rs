//! What is found when a schedule is planned, so that no call has to.

use super::{fill, picks, runs, shuffled};
use crate::level::Level;
use crate::nest::schedule::{KnownMove, Move, Schedule};

/// Finds what moves a verified schedule, and builds what it is moved by.
pub(crate) fn prepare(schedule: &mut Schedule) {
    match schedule.inner() {
        Move::Strided(strided) => {
            let known = runs::known(schedule, strided).map(KnownMove::Runs);
            schedule.keep(known, None);
        }
        Move::Shuffle(periods) => {
            let (rows, by_other_loads) = shuffled::known(schedule, periods);
            schedule.keep(rows.map(KnownMove::Rows), by_other_loads);
        }
        Move::Fill(values) => {
            let known = fill::known::known(schedule, values);
            schedule.keep(known.map(KnownMove::Values), None);
        }
        &Move::Copy { bytes } => {
            let known = runs::known_alone(schedule, bytes).map(KnownMove::Runs);
            schedule.keep(known, None);
        }
        Move::Lookup(picks) => {
            let known = picks::known(schedule, picks);
            schedule.keep_picks(known);
        }
    }
    let drive = schedule.drive_at(
        Level::settled(),
        schedule.extents(),
        schedule.inner().count(),
    );
    schedule.keep_drive(drive, schedule.loops_of_code(drive));
}
