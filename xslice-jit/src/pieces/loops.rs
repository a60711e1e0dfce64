//! Pieces that repeat, as loops.

use super::{Part, Piece, Source, Stretch};

/// Parts of straight code at most; more are a loop where they repeat.
const MOST_STRAIGHT: usize = 128;

/// Parts of what does not repeat at most.
const MOST_PARTS: usize = 256;

/// Parts of one turn of a loop at least.
const LEAST_OF_TURN: usize = 32;

/// Pieces at the beginning that may be others than those that repeat.
const MOST_BEFORE: usize = 2;

/// `pieces` as stretches. `None`: they are too many for straight code, and do not repeat.
pub(super) fn rolled(pieces: Vec<Piece>) -> Option<Vec<Stretch>> {
    let parts = |pieces: &[Piece]| pieces.iter().map(Piece::parts).sum::<usize>();
    let all = parts(&pieces);
    if all <= MOST_STRAIGHT {
        return Some(vec![straight(pieces)]);
    }
    let found = (0..=MOST_BEFORE)
        .filter_map(|before| {
            let repeated = Repeated::in_pieces(&pieces[before..])?;
            Some((before, repeated))
        })
        .max_by_key(|(_, repeated)| repeated.turns * repeated.period);
    if let Some((before, repeated)) = found {
        let Repeated {
            turns,
            period,
            steps,
        } = repeated;
        let of_turn = parts(&pieces[before..][..period]);
        // Some turns together, if they are short.
        let joined = LEAST_OF_TURN.div_ceil(of_turn).min(turns);
        let (turns, period) = (turns / joined, period * joined);
        let looped = turns * period;
        let left = all - parts(&pieces[before..][..looped]);
        if turns > 1 && left + of_turn * joined <= MOST_PARTS {
            let mut pieces = pieces;
            let after = pieces.split_off(before + looped);
            let mut body = pieces.split_off(before);
            body.truncate(period);
            let body = Stretch {
                turns: turns as i32,
                steps: steps.map(|step| step * joined as i32),
                pieces: body,
            };
            return Some(vec![straight(pieces), body, straight(after)]);
        }
    }
    (all <= MOST_PARTS).then(|| vec![straight(pieces)])
}

fn straight(pieces: Vec<Piece>) -> Stretch {
    Stretch {
        turns: 1,
        steps: [0, 0],
        pieces,
    }
}

/// Pieces that are the same again and again, at other places.
struct Repeated {
    turns: usize,
    /// Pieces of a turn.
    period: usize,
    /// What a turn adds to their places.
    steps: [i32; 2],
}

impl Repeated {
    /// The shortest period of the first pieces that covers half of them.
    fn in_pieces(pieces: &[Piece]) -> Option<Self> {
        // Nothing is left over from one turn to the next.
        let first = pieces.first()?;
        if first.sources().any(|source| source == Source::LeftOver) {
            return None;
        }
        (1..=pieces.len() / 2).find_map(|period| {
            let steps = steps(first, &pieces[period])?;
            let pairs = pieces.iter().zip(&pieces[period..]);
            let same = pairs
                .take_while(|(one, next)| is_moved(one, next, steps))
                .count();
            let turns = 1 + same / period;
            (turns > 1 && 2 * turns * period >= pieces.len()).then_some(Self {
                turns,
                period,
                steps,
            })
        })
    }
}

/// What the places of `next` are farther than those of `one`.
fn steps(one: &Piece, next: &Piece) -> Option<[i32; 2]> {
    let place = |piece: &Piece| piece.sources().find_map(place);
    Some([next.dst() - one.dst(), place(next)? - place(one)?])
}

/// Where a source is read first.
fn place(source: Source) -> Option<i32> {
    match source {
        Source::Run { src, .. } => Some(src),
        Source::Ordered { lines, .. } => lines[0],
        Source::LeftOver => None,
    }
}

/// Whether `next` is `one`, so much farther.
fn is_moved(one: &Piece, next: &Piece, [dst, src]: [i32; 2]) -> bool {
    match (one, next) {
        (
            Piece::Word {
                dst: at,
                bytes,
                source,
            },
            Piece::Word {
                dst: next,
                bytes: next_bytes,
                source: next_source,
            },
        ) => at + dst == *next && bytes == next_bytes && moved(*source, src) == *next_source,
        (
            Piece::Line { dst: at, parts },
            Piece::Line {
                dst: next,
                parts: next_parts,
            },
        ) => {
            let is_moved = |(one, next): (&Part, &Part)| {
                one.bytes == next.bytes && moved(one.source, src) == next.source
            };
            at + dst == *next
                && parts.len() == next_parts.len()
                && parts.iter().zip(next_parts).all(is_moved)
        }
        (Piece::Word { .. }, Piece::Line { .. }) | (Piece::Line { .. }, Piece::Word { .. }) => {
            false
        }
    }
}

/// The same source, so much farther.
fn moved(source: Source, by: i32) -> Source {
    match source {
        Source::Run { src, is_whole } => Source::Run {
            src: src + by,
            is_whole,
        },
        Source::Ordered {
            lines,
            order,
            goes_on,
        } => Source::Ordered {
            lines: lines.map(|line| line.map(|at| at + by)),
            order,
            goes_on,
        },
        Source::LeftOver => source,
    }
}
