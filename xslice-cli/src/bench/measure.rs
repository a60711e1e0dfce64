//! Time.
//!
//! A round times every strategy and every copy in turn, so that a slow moment of the machine meets all of them; the figure is the
//! minimum over the rounds. A strategy is repeated within a round until a clock can tell.

use super::data::Data;
use super::prepared::{Copy, Prepared, Strategy};
use super::traffic::traffic;
use crate::error::Result;
use std::time::{Duration, Instant};

/// The least time of a strategy in a round.
const SAMPLE: Duration = Duration::from_millis(1);

/// Calls of a strategy before those of a round that count. One does not bring back all that a streaming copy took from the caches: after it
/// a reversed 32 MiB took 1.4 times as long as after three.
const WARMING: u64 = 3;

/// Time after which a workload has no further round, but for the first [`LEAST_ROUNDS`].
const ENOUGH: Duration = Duration::from_secs(3);

const LEAST_ROUNDS: usize = 5;

/// Bytes of a result that the interpreter is asked for; one round is enough to know how slow it is.
const INTERPRETED: usize = 1 << 20;

/// A way to run a workload that is not ours.
pub trait Peer {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Runs it that many times. One that cannot write into `output` keeps its result.
    ///
    /// # Errors
    /// Its own.
    fn run(&mut self, operands: &[Data], output: &mut Data, times: u64) -> Result<()>;
}

/// What was measured of a workload.
#[derive(Clone, Debug)]
pub struct Row {
    /// The workload, or the output of one's own.
    pub name: String,
    /// Bytes of its result.
    pub bytes: usize,
    /// Nanoseconds of the fastest copy of these bytes.
    pub limit: f64,
    /// See [`traffic`].
    pub traffic: f64,
    /// The 90th percentile of `memcpy`, in units of its minimum: how noisy the machine was.
    pub spread: f64,
    /// Nanoseconds by the name of a strategy or a peer.
    pub times: Vec<(&'static str, f64)>,
}

impl Row {
    /// Nanoseconds in units of the least that the memory allows.
    #[must_use]
    pub fn ratio(&self, nanoseconds: f64) -> f64 {
        nanoseconds / (self.limit * self.traffic)
    }

    /// Nanoseconds of a strategy, if it was timed.
    #[must_use]
    pub fn time(&self, strategy: Strategy) -> Option<f64> {
        let mut times = self.times.iter();
        let (_, time) = times.find(|(name, _)| *name == strategy.name())?;
        Some(*time)
    }

    /// Whether the call counts for more than the bytes.
    #[must_use]
    pub fn is_small(&self) -> bool {
        self.bytes < 10 << 10
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    Copy(Copy),
    Strategy(Strategy),
    Peer(usize),
}

struct Samples {
    subject: Subject,
    times: u64,
    nanoseconds: Vec<f64>,
}

impl Samples {
    fn least(&self) -> f64 {
        self.nanoseconds
            .iter()
            .copied()
            .fold(f64::INFINITY, f64::min)
    }

    fn spread(&self) -> f64 {
        let mut sorted = self.nanoseconds.clone();
        sorted.sort_by(f64::total_cmp);
        let at = (sorted.len() * 9).div_ceil(10).max(1) - 1;
        sorted.get(at).map_or(1.0, |p90| p90 / self.least())
    }
}

/// Measures a movement, by our strategies and by peers.
///
/// # Errors
/// Those of a peer; none of ours, once it has run.
pub fn measure(
    prepared: &mut Prepared,
    strategies: &[Strategy],
    peers: &mut [Box<dyn Peer>],
    rounds: usize,
) -> Result<Row> {
    let bytes = prepared.output().bytes();
    let copies = Copy::candidates(prepared.generates())
        .iter()
        .copied()
        .map(Subject::Copy);
    let strategies = strategies
        .iter()
        .copied()
        .filter(|strategy| match strategy {
            Strategy::Interp => bytes <= INTERPRETED,
            Strategy::Memcpy => false,
            other => prepared.has(*other),
        });
    let own = copies.chain(strategies.map(Subject::Strategy));
    let subjects: Vec<_> = own.chain((0..peers.len()).map(Subject::Peer)).collect();
    let mut all = Vec::with_capacity(subjects.len());
    for subject in subjects {
        all.push(Samples {
            subject,
            times: calibrate(prepared, peers, subject)?,
            // Not room for all rounds: [`ENOUGH`] ends them long before some numbers would.
            nanoseconds: Vec::new(),
        });
    }
    let start = Instant::now();
    for round in 0..rounds {
        if round >= LEAST_ROUNDS && start.elapsed() > ENOUGH {
            break;
        }
        // Who comes first finds the caches as others left them, so each round begins with the next one.
        let first = round % all.len().max(1);
        let (early, late) = all.split_at_mut(first);
        for samples in late.iter_mut().chain(early) {
            if round > 0 && samples.subject == Subject::Strategy(Strategy::Interp) {
                continue;
            }
            let elapsed = time(prepared, peers, samples.subject, samples.times)?;
            let nanoseconds = elapsed.as_nanos() as f64 / samples.times as f64;
            samples.nanoseconds.push(nanoseconds);
        }
    }
    Ok(row(prepared, peers, &all))
}

fn row(prepared: &Prepared, peers: &[Box<dyn Peer>], all: &[Samples]) -> Row {
    let copies = all
        .iter()
        .filter(|samples| matches!(samples.subject, Subject::Copy(_)));
    let times = all.iter().enumerate().filter_map(|(at, samples)| {
        let name = match samples.subject {
            Subject::Strategy(strategy) => strategy.name(),
            Subject::Peer(peer) => peers.get(peer)?.name(),
            Subject::Copy(_) if at == 0 => Strategy::Memcpy.name(),
            Subject::Copy(_) => return None,
        };
        Some((name, samples.least()))
    });
    Row {
        name: prepared.name().into(),
        bytes: prepared.output().bytes(),
        limit: copies.map(Samples::least).fold(f64::INFINITY, f64::min),
        traffic: traffic(prepared),
        spread: all.first().map_or(1.0, Samples::spread),
        times: times.collect(),
    }
}

/// How often it must be repeated to take [`SAMPLE`].
fn calibrate(
    prepared: &mut Prepared,
    peers: &mut [Box<dyn Peer>],
    subject: Subject,
) -> Result<u64> {
    let mut times = 1;
    loop {
        let elapsed = time(prepared, peers, subject, times)?;
        if elapsed >= SAMPLE {
            return Ok(times);
        }
        let more = SAMPLE.as_nanos() * 5 / 4 / elapsed.as_nanos().max(1);
        times *= (more as u64).clamp(2, 100);
    }
}

/// The time of that many calls, after [`WARMING`] ones.
fn time(
    prepared: &mut Prepared,
    peers: &mut [Box<dyn Peer>],
    subject: Subject,
    times: u64,
) -> Result<Duration> {
    let mut run = |times| -> Result<()> {
        match subject {
            Subject::Copy(copy) => prepared.copy(copy, times)?,
            Subject::Strategy(strategy) => prepared.run(strategy, times)?,
            Subject::Peer(peer) => {
                if let Some(peer) = peers.get_mut(peer) {
                    let (operands, output) = prepared.buffers();
                    peer.run(operands, output, times)?;
                }
            }
        }
        Ok(())
    };
    run(WARMING)?;
    let start = Instant::now();
    run(times)?;
    Ok(start.elapsed())
}
