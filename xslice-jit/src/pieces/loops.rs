//! Pieces that repeat, as loops.

use super::{Lines, Piece, Source, Stretch, Turns, Word};

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
    let parts = |pieces: &[Piece]| pieces.iter().map(Piece::count_parts).sum::<usize>();
    let all = parts(&pieces);
    if all <= MOST_STRAIGHT {
        return Some(vec![straight(pieces)]);
    }
    let found = (0..=MOST_BEFORE)
        .filter_map(|before| {
            let repeated = Repeated::in_pieces(pieces.get(before..)?)?;
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
                turns: Turns {
                    count: turns as i32,
                    steps: steps.map(|step| step * joined as i32),
                },
                pieces: body,
            };
            return Some(vec![straight(pieces), body, straight(after)]);
        }
    }
    (all <= MOST_PARTS).then(|| vec![straight(pieces)])
}

fn straight(pieces: Vec<Piece>) -> Stretch {
    let turns = Turns {
        count: 1,
        steps: [0, 0],
    };
    Stretch { turns, pieces }
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
        let first = pieces.first()?;
        (1..=pieces.len() / 2).find_map(|period| {
            // Nothing is left over from one turn to the next: the first piece of each begins anew.
            let steps = steps(first, &pieces[period])?;
            let pairs = pieces.iter().zip(&pieces[period..]);
            let same = pairs
                .take_while(|(one, next)| moved(one, steps) == **next)
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
    Some([next.dst() - one.dst(), place(next)? - place(one)?])
}

/// Where a piece is read first. `None`: it begins with what is left over.
fn place(piece: &Piece) -> Option<i32> {
    match piece {
        Piece::Word { word, .. } => match word {
            Word::Run(src) | Word::Pair([src, _]) => Some(*src),
            Word::Ordered(lines, _) => lines[0],
            Word::Windows(windows) => windows.first().map(|&(src, _)| src),
            Word::Lanes(lanes, _) => lanes.first().map(|&([src, _], _)| src),
        },
        Piece::Line { parts, .. } => match parts.first()?.source {
            Source::Run { src, .. } => Some(src),
            Source::Ordered { lines, .. } => lines[0],
            Source::LeftOver => None,
        },
    }
}

/// A piece, so much farther.
pub(super) fn moved(piece: &Piece, [by_dst, by_src]: [i32; 2]) -> Piece {
    let lines = |lines: Lines| lines.map(|line| line.map(|at| at + by_src));
    match piece {
        Piece::Word { dst, bytes, word } => Piece::Word {
            dst: dst + by_dst,
            bytes: *bytes,
            word: match word {
                Word::Run(src) => Word::Run(src + by_src),
                Word::Pair(places) => Word::Pair(places.map(|src| src + by_src)),
                Word::Ordered(of, order) => Word::Ordered(lines(*of), *order),
                Word::Windows(windows) => {
                    let each = |&(src, order)| (src + by_src, order);
                    Word::Windows(windows.iter().map(each).collect())
                }
                Word::Lanes(lanes, crossing) => {
                    let each =
                        |&(both, order): &([i32; 2], _)| (both.map(|src| src + by_src), order);
                    Word::Lanes(lanes.iter().map(each).collect(), *crossing)
                }
            },
        },
        Piece::Line { dst, parts } => {
            let mut parts = parts.clone();
            for part in &mut parts {
                match &mut part.source {
                    Source::Run { src, .. } => *src += by_src,
                    Source::Ordered { lines: of, .. } => *of = lines(*of),
                    Source::LeftOver => {}
                }
            }
            let dst = dst + by_dst;
            Piece::Line { dst, parts }
        }
    }
}
