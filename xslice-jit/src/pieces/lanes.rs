//! How a result is cut into words, for vectors of two lanes as AVX2 has them, and what they cost.
//!
//! There are no masks. What does not fill a word ends with one that begins earlier, and writes again what was written before; or the word
//! writes more than it has, where what follows writes that again.

mod form;

use super::loops;
use super::orders::Orders;
use super::runs::{Moved, Span};
use super::{KEPT, LINE, Order, Piece, SAMPLE, TWO_LANES, Word};
use form::{Form, Forms, cost};
use std::ops::Range;

/// Where words begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Where vectors of the destination do.
    Vectors,
    /// As if one began with each row, so that all rows are put together by the same orders.
    Rows,
    /// Anywhere: with each run, or with what one window gives.
    Words,
}

/// Pieces at most.
const MOST_PIECES: usize = 1536;

/// A word of a vector: where it begins there, its bytes and its form.
type Part = (usize, usize, Form);

/// Vectors that are remembered.
const MOST_KNOWN: usize = 4;

/// A vector that was cut, to move its pieces where another one is the same but for its place.
struct Known {
    from: Vec<i32>,
    bytes: usize,
    dst: i32,
    /// Their numbers.
    pieces: Range<usize>,
    /// What they cost, but for the lines that they are written to.
    cost: usize,
}

impl Known {
    /// How much farther these elements come from, if that is the same for all.
    fn shift(&self, from: &[i32]) -> Option<i32> {
        let shift = from.first()? - self.from.first()?;
        let mut pairs = self.from.iter().zip(from);
        let is_same = self.from.len() == from.len() && pairs.all(|(one, next)| next - one == shift);
        is_same.then_some(shift)
    }
}

pub(super) struct Cutter<'a> {
    forms: Forms<'a>,
    rows: Option<&'a [Span]>,
    /// Of all that was cut.
    orders: Orders,
    /// The rest is of what is cut now: its pieces, and what they cost.
    pieces: Vec<Piece>,
    cost: usize,
    known: Vec<Known>,
    /// Of the vector that is cut now.
    parts: Vec<Part>,
}

impl<'a> super::Cut<'a> for Cutter<'a> {
    type Way = Way;

    const VECTOR: usize = TWO_LANES;

    fn new(moved: &'a Moved, rows: Option<&'a [Span]>) -> Self {
        Self {
            forms: Forms { moved, phase: 0 },
            rows,
            orders: Orders::default(),
            pieces: Vec::new(),
            cost: 0,
            known: Vec::new(),
            parts: Vec::new(),
        }
    }

    fn ways(&self) -> Vec<Way> {
        let mut ways = vec![Way::Vectors, Way::Words];
        ways.extend(self.rows.map(|_| Way::Rows));
        ways
    }

    fn cost(&mut self, way: Way, phase: i32) -> usize {
        let orders = std::mem::take(&mut self.orders);
        self.all(way, phase, SAMPLE / self.forms.moved.unit);
        self.orders = orders;
        self.cost
    }

    /// As much as a word for each byte takes. More was never seen, and less is quicker than the code generator's loops.
    fn most_cost(_: Way, _: usize) -> usize {
        640
    }

    fn cut(&mut self, way: Way, phase: i32) -> Option<Vec<Piece>> {
        self.all(way, phase, usize::MAX);
        let pieces = std::mem::take(&mut self.pieces);
        (pieces.len() <= MOST_PIECES).then_some(pieces)
    }

    /// Orders of windows and lanes say it themselves.
    fn named(&self) -> usize {
        1
    }

    fn orders(self) -> Vec<Order> {
        self.orders.into_all()
    }
}

impl Cutter<'_> {
    /// Cuts so many elements.
    fn all(&mut self, way: Way, phase: i32, elements: usize) {
        self.forms.phase = phase;
        self.orders.begin();
        self.pieces.clear();
        self.known.clear();
        self.cost = 0;
        let spans = match (way, self.rows) {
            (Way::Rows, Some(rows)) => rows,
            _ => &self.forms.moved.spans,
        };
        let mut left = elements;
        let mut rest = spans;
        while let Some(((dst, from), after)) = rest.split_first() {
            let room = self.room(*dst, rest);
            let from = &from[..from.len().min(left)];
            self.span(way, *dst, from, room);
            left -= from.len();
            if left == 0 || self.pieces.len() > MOST_PIECES {
                return;
            }
            rest = after;
        }
    }

    /// Neighbouring bytes of the destination from there on, as far as a vector may count.
    fn room(&self, dst: i32, spans: &[Span]) -> usize {
        let mut end = dst;
        for (next, from) in spans {
            if *next != end || end - dst >= LINE as i32 {
                break;
            }
            end += (from.len() * self.forms.moved.unit) as i32;
        }
        (end - dst) as usize
    }

    /// A span, with what follows it in the destination at once: so many bytes together.
    fn span(&mut self, way: Way, dst: i32, from: &[i32], room: usize) {
        let unit = self.forms.moved.unit;
        let all = from.len() * unit;
        let mut done = 0;
        while done < all && self.pieces.len() <= MOST_PIECES {
            let rest = &from[done / unit..];
            let aim = match way {
                Way::Vectors => self.up_to_vector(dst + done as i32),
                Way::Rows => TWO_LANES,
                Way::Words => self.forms.given_by_one(rest),
            };
            let aim = aim.min(all - done);
            let whole = aim.next_power_of_two();
            let (start, bytes) = match whole {
                _ if done + whole <= room.max(all) => (done, whole),
                _ if whole <= done + aim => (done + aim - whole, whole),
                _ => (done, 1 << aim.ilog2()),
            };
            let end = (start + bytes).min(done + aim);
            // What is there anyway makes a run of it, or fewer orders.
            let given = match way {
                Way::Vectors => (start + bytes).min(all),
                Way::Rows | Way::Words => end,
            };
            self.vector(dst + start as i32, &from[start / unit..given / unit], bytes);
            done = end;
        }
    }

    /// Bytes from there to where a vector begins.
    fn up_to_vector(&self, dst: i32) -> usize {
        TWO_LANES - (dst + self.forms.phase).rem_euclid(TWO_LANES as i32) as usize
    }

    /// So many bytes of the destination, the first of which come `from` there; what follows writes the others.
    fn vector(&mut self, dst: i32, from: &[i32], bytes: usize) {
        let known = self.known.iter().rev();
        let known = known.filter(|known| known.bytes == bytes);
        let mut known = known.filter_map(|known| Some((known, known.shift(from)?)));
        if let Some((known, shift)) = known.next()
            && self.is_within(from)
        {
            self.cost += known.cost;
            let steps = [dst - known.dst, shift];
            for piece in known.pieces.clone() {
                let piece = loops::moved(&self.pieces[piece], steps);
                self.push(piece);
            }
            return;
        }
        let first = self.pieces.len();
        let cost = self.new_vector(dst, from, bytes);
        if self.is_within(from) {
            if self.known.len() == MOST_KNOWN {
                self.known.remove(0);
            }
            self.known.push(Known {
                from: from.to_vec(),
                bytes,
                dst,
                pieces: first..self.pieces.len(),
                cost,
            });
        }
    }

    /// Whether no window of these elements comes near the ends of what is read.
    fn is_within(&self, from: &[i32]) -> bool {
        let reach = &self.forms.moved.reach;
        let inner = reach.start + LINE as i32..=reach.end - LINE as i32;
        from.iter().all(|at| inner.contains(at))
    }

    /// What it costs, but for the lines that it is written to.
    fn new_vector(&mut self, dst: i32, from: &[i32], bytes: usize) -> usize {
        let mut parts = std::mem::take(&mut self.parts);
        let before = self.cost;
        let cost = self.best(from, 0, bytes, &mut parts);
        let mut words = Vec::with_capacity(parts.len());
        for (at, bytes, form) in parts.drain(..) {
            let first = at / self.forms.moved.unit;
            let end = (first + bytes / self.forms.moved.unit).min(from.len());
            let from = &from[first..end];
            let dst = dst + at as i32;
            let word = self.word(form, from, bytes);
            words.push(Piece::Word { dst, bytes, word });
        }
        self.parts = parts;
        let cost = cost + self.cost - before;
        self.cost = before + cost;
        words.into_iter().for_each(|word| self.push(word));
        cost
    }

    fn push(&mut self, piece: Piece) {
        if let Piece::Word { dst, bytes, .. } = piece {
            self.cost += cost::LINE_WRITTEN * self.forms.lines_but_one(dst, bytes);
        }
        self.pieces.push(piece);
    }

    /// The cheapest way to write so many bytes `at` there in a vector: at once, or half by half. What it costs.
    fn best(&self, from: &[i32], at: usize, bytes: usize, parts: &mut Vec<Part>) -> usize {
        if from.is_empty() {
            return 0;
        }
        let (form, at_once) = match self.forms.cheapest(from, bytes) {
            Some((form, cost)) => (Some(form), cost),
            None => (None, usize::MAX),
        };
        let mark = parts.len();
        if at_once > cost::WHOLE && !matches!(form, Some(Form::Pair(_))) {
            let half = bytes / 2;
            let (low, high) = from.split_at(from.len().min(half / self.forms.moved.unit));
            let halves = self.best(low, at, half, parts);
            let halves = halves + self.best(high, at + half, half, parts);
            if halves < at_once {
                return halves;
            }
        }
        parts.truncate(mark);
        parts.extend(form.map(|form| (at, bytes, form)));
        at_once
    }

    fn word(&mut self, form: Form, from: &[i32], bytes: usize) -> Word {
        match form {
            Form::Run(src) => Word::Run(src),
            Form::Pair(places) => Word::Pair(places),
            Form::Windows => {
                let windows = self.forms.windows_in_order(from).into_iter();
                Word::Windows(windows.map(|(at, order)| (at, self.order(order))).collect())
            }
            Form::Lanes(crossing) => {
                let lanes = self.forms.lanes_in_order(from, bytes, crossing).into_iter();
                let lanes = lanes.map(|(places, order)| (places, self.order(order)));
                Word::Lanes(lanes.collect(), crossing)
            }
        }
    }

    /// The number of an order.
    fn order(&mut self, order: Order) -> usize {
        let (number, is_loaded) = self.orders.number(order, KEPT);
        self.cost += if is_loaded { cost::ORDER } else { 0 };
        number
    }
}
