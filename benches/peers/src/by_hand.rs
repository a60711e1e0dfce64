//! Each workload by the loop that an expert writes for its constant shapes: what xslice is held against.
//!
//! ```text
//! plain     loops that the compiler is left to vectorise, for each target
//! rows      long rows, with both sides fetched ahead
//! avx512    what compilers do badly, by intrinsics
//! streamed  past the caches
//! ```
//! A workload has several candidates; the fastest on this machine, found by a few rounds of their own, is the peer. Indices are wrapped
//! and checked, as xslice does it. Nothing is streamed past the caches unless no cache keeps the result.

use crate::peers::{Verified, failed};
use std::time::{Duration, Instant};
use xslice::Error;
use xslice_cli::Result;
use xslice_cli::bench::Peer;
use xslice_cli::bench::data::Data;
use xslice_cli::bench::prepared::Prepared;

const NAME: &str = "hand";

/// Rounds in which candidates are compared, and what each is repeated for in one.
const ROUNDS: usize = 7;
const SAMPLE: Duration = Duration::from_micros(500);

/// What a loop is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// What the crate is compiled for.
    Default,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX2, for results that no cache keeps.
    #[cfg(target_arch = "x86_64")]
    Streamed,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Target {
    /// Whether the processor has it, for a result of `bytes` bytes.
    fn is_for(self, bytes: usize) -> bool {
        let _ = bytes;
        match self {
            Self::Default => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => has_avx2(),
            #[cfg(target_arch = "x86_64")]
            Self::Streamed => {
                has_avx2() && last_level_cache().is_some_and(|cache| bytes >= cache / 4 * 3)
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vbmi")
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("movbe")
        && is_x86_feature_detected!("popcnt")
}

/// Bytes of the largest cache, where Linux tells.
#[cfg(target_arch = "x86_64")]
fn last_level_cache() -> Option<usize> {
    let caches = std::fs::read_dir("/sys/devices/system/cpu/cpu0/cache").ok()?;
    let sizes = caches.filter_map(|cache| {
        let size = std::fs::read_to_string(cache.ok()?.path().join("size")).ok()?;
        size.trim().strip_suffix('K')?.parse::<usize>().ok()
    });
    Some(sizes.max()? << 10)
}

/// A loop, to be run a number of times.
#[derive(Clone, Copy)]
struct Candidate {
    target: Target,
    /// The processor has the instructions of `target`.
    run: unsafe fn(&[Data], &mut Data, u64) -> Result<(), Error>,
}

/// A body that moves arrays, as a function that runs it on operands a number of times; with instructions of its own, if they are named.
macro_rules! timed {
    ($([$features:literal])? ($($x:ident: $ty:ident[$len:expr]),*) $y:ident: $out:ident[$size:expr] $body:block) => {{
        $(#[target_feature(enable = $features)])?
        #[allow(unused_mut, unused_variables, reason = "a Range has no operands")]
        fn timed(operands: &[Data], output: &mut Data, times: u64) -> Result<(), Error> {
            #[inline]
            $(#[target_feature(enable = $features)])?
            fn once($($x: &[$ty; $len],)* $y: &mut [$out; $size]) -> Option<()> {
                $body
                Some(())
            }
            let mut operands = operands.chunks(1);
            $(let $x = operand::<$ty, { $len }>(operands.next().unwrap_or_default(), 0)?;)*
            let $y = result::<$out, { $size }>(output)?;
            for _ in 0..times {
                let done = once($(black_box($x),)* black_box(&mut *$y));
                done.ok_or_else(|| Error::new(ErrorKind::IndexRange, "an index is out of range"))?;
            }
            Ok(())
        }
        timed
    }};
}

/// Adds a body for one target, if the architecture has it.
macro_rules! candidate {
    ($all:ident Default $($rest:tt)*) => {
        $all.push(Candidate { target: Target::Default, run: timed! { $($rest)* } });
    };
    ($all:ident Avx512 $($rest:tt)*) => {
        #[cfg(target_arch = "x86_64")]
        $all.push(Candidate {
            target: Target::Avx512,
            run: timed! { ["avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi"] $($rest)* },
        });
    };
    ($all:ident $target:ident $($rest:tt)*) => {
        #[cfg(target_arch = "x86_64")]
        $all.push(Candidate {
            target: Target::$target,
            run: timed! { ["avx2,bmi1,bmi2,fma,lzcnt,movbe,popcnt"] $($rest)* },
        });
    };
}

/// Workloads with their operands and result as arrays, and one or more bodies, each for every target that is named first.
macro_rules! table {
    (for $targets:tt $($name:ident $operands:tt -> $y:ident: $out:ident[$size:expr] $($body:block)+)*) => {
        /// The candidates for a workload.
        pub(super) fn of(name: &str) -> Vec<Candidate> {
            let mut all = Vec::new();
            match name {
                $(stringify!($name) => {
                    $(table! { @each all $targets $operands $y: $out[$size] $body })+
                })*
                _ => {}
            }
            all
        }
    };
    (@each $all:ident [$($target:ident)*] $operands:tt $y:ident: $out:ident[$size:expr] $body:block) => {
        $(candidate! { $all $target $operands $y: $out[$size] $body })*
    };
}

#[cfg(target_arch = "x86_64")]
mod avx512;
mod plain;
mod rows;
#[cfg(target_arch = "x86_64")]
mod streamed;

/// A loop by hand.
pub struct Hand(Candidate);

impl Peer for Hand {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&mut self, operands: &[Data], output: &mut Data, times: u64) -> Result<()> {
        // SAFETY: `candidates` gives those alone whose target this processor has.
        let ran = unsafe { (self.0.run)(operands, output, times) };
        ran.map_err(|error| failed(NAME, error))
    }
}

impl Verified for Hand {
    fn result(&mut self, _: &mut Data) -> Result<()> {
        Ok(())
    }
}

/// The loops for a workload that this processor can run.
pub fn candidates(name: &str, bytes: usize) -> Vec<Hand> {
    let all = plain::of(name).into_iter();
    #[cfg(target_arch = "x86_64")]
    let all = all.chain(avx512::of(name)).chain(streamed::of(name));
    all.filter(|candidate| candidate.target.is_for(bytes))
        .map(Hand)
        .collect()
}

/// The fastest of them.
///
/// # Errors
/// None of loops that ran before.
pub fn fastest(mut hands: Vec<Hand>, prepared: &mut Prepared) -> Result<Option<Hand>> {
    let mut least = vec![f64::INFINITY; hands.len()];
    for _ in 0..ROUNDS {
        for (hand, least) in hands.iter_mut().zip(&mut least) {
            *least = least.min(time(hand, prepared)?);
        }
    }
    let all = hands.into_iter().zip(least);
    let best = all.min_by(|(_, one), (_, other)| one.total_cmp(other));
    Ok(best.map(|(hand, _)| hand))
}

/// Nanoseconds of a call, after one that warms up.
fn time(hand: &mut Hand, prepared: &mut Prepared) -> Result<f64> {
    let (operands, output) = prepared.buffers();
    hand.run(operands, output, 1)?;
    let mut times = 1;
    loop {
        let start = Instant::now();
        hand.run(operands, output, times)?;
        let elapsed = start.elapsed();
        if elapsed >= SAMPLE {
            return Ok(elapsed.as_nanos() as f64 / times as f64);
        }
        times *= 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workload_has_a_loop() {
        for workload in xslice_cli::bench::workloads::all() {
            assert!(
                !candidates(workload.name, 0).is_empty(),
                "{}",
                workload.name
            );
        }
    }
}
