//! How a result is cut into lines of memory or words, for vectors of a line, and what they cost.

use super::orders::Orders;
use super::runs::{Moved, Span};
use super::windows;
use super::{Cut as _, Lines, Part, Piece, Source, Word};
use super::{HALF, KEPT, LEAST_OF_TWO, LEAST_STORED, LINE, MASKS, MOST_LOADS, Order, SAMPLE};
use super::{stored_whole, written};
use std::collections::VecDeque;

/// How pieces are found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    cut: Cut,
    /// Loads of a part at most; with none, a part is neighbours.
    loads: usize,
}

/// Where pieces begin.
#[derive(Clone, Copy, Debug)]
enum Cut {
    /// Where lines of the destination do; whether parts may go on in the next one.
    Lines { goes_on: bool },
    /// As if one began with each row, wherever that is in memory, so that all rows are put together by the same orders.
    Rows { goes_on: bool },
    /// Anywhere.
    Words,
}

/// Lines of the source that give the elements of a part.
type Windows = windows::Windows<MOST_LOADS>;

/// What pieces take.
#[derive(Debug, Default)]
struct Cost {
    /// Lines of memory that loads read.
    loads: usize,
    /// Twice the instructions that put elements in order or make a mask: one unit of the processor has them.
    orders: usize,
    /// Those that one of two units has.
    vectors: usize,
    /// Twice the lines that whole vectors are written to, and once those of less.
    stores: usize,
    instructions: usize,
}

impl Cost {
    /// What takes longest, and two thirds of all together. Fitted to 820 patterns of up to 16 KB, each cut in all ways: the cheapest takes 4 %
    /// longer than the quickest in the mean.
    fn all(&self) -> usize {
        let all = [
            6 * self.loads,
            2 * self.orders,
            3 * self.vectors,
            6 * self.stores,
            2 * self.instructions,
        ];
        let longest = all.iter().max().unwrap_or(&0);
        3 * longest + 2 * all.iter().sum::<usize>()
    }
}

/// In the place of the number of an order: that of a line, which is not complete.
const OF_LINE: usize = usize::MAX;

/// Bytes below which the call of a Move counts beside what it moves.
const SHORT: usize = 2 << 10;

/// Pieces at most. So many words lie far apart, and the precompiled Move fetches them ahead.
const MOST_PIECES: usize = 640;

pub(super) struct Cutter<'a> {
    moved: &'a Moved,
    rows: Option<&'a [Span]>,
    /// Of all that was cut.
    orders: Orders,
    /// The rest is of what is cut now: where the buffers begin in a line, the order of the line that is put together, the last masks.
    phase: i32,
    of_line: Order,
    masks: VecDeque<(usize, usize)>,
    pieces: Vec<Piece>,
    cost: Cost,
}

impl<'a> super::Cut<'a> for Cutter<'a> {
    type Way = Way;

    const VECTOR: usize = LINE;

    fn new(moved: &'a Moved, rows: Option<&'a [Span]>) -> Self {
        Self {
            moved,
            rows,
            orders: Orders::default(),
            phase: 0,
            of_line: [0; LINE],
            masks: VecDeque::new(),
            pieces: Vec::new(),
            cost: Cost::default(),
        }
    }

    fn ways(&self) -> Vec<Way> {
        let most = if self.moved.unit >= LEAST_OF_TWO {
            MOST_LOADS
        } else {
            1
        };
        let way = |cut: Cut, loads: usize| Way { cut, loads };
        let mut all = vec![
            way(Cut::Lines { goes_on: false }, 0),
            way(Cut::Lines { goes_on: false }, most),
            way(Cut::Lines { goes_on: true }, most),
            way(Cut::Words, 0),
            way(Cut::Words, most),
        ];
        if self.rows.is_some() {
            all.extend([
                way(Cut::Rows { goes_on: false }, 0),
                way(Cut::Rows { goes_on: false }, most),
                way(Cut::Rows { goes_on: true }, most),
            ]);
        }
        all
    }

    fn cost(&mut self, way: Way, phase: i32) -> usize {
        let orders = std::mem::take(&mut self.orders);
        self.all(way, phase, SAMPLE / self.moved.unit);
        self.orders = orders;
        self.cost.all()
    }

    /// Short results may cost twice as much, since a call of a Move has more to begin with than it moves, and twice again as words, which
    /// take no masks.
    fn most_cost(way: Way, bytes: usize) -> usize {
        match bytes {
            ..SHORT if matches!(way.cut, Cut::Words) => 1536,
            ..SHORT => 768,
            _ => 384,
        }
    }

    fn cut(&mut self, way: Way, phase: i32) -> Option<Vec<Piece>> {
        self.all(way, phase, usize::MAX);
        let pieces = std::mem::take(&mut self.pieces);
        (pieces.len() <= MOST_PIECES).then_some(pieces)
    }

    fn named(&self) -> usize {
        match self.moved.unit {
            2 => 1,
            unit => unit,
        }
    }

    fn orders(self) -> Vec<Order> {
        self.orders.into_all()
    }
}

impl Cutter<'_> {
    /// Cuts so many elements.
    fn all(&mut self, Way { cut, loads }: Way, phase: i32, elements: usize) {
        self.phase = phase;
        self.orders.begin();
        self.masks.clear();
        self.pieces.clear();
        self.cost = Cost::default();
        let spans = match (cut, self.rows) {
            (Cut::Rows { .. }, Some(rows)) => rows,
            _ => &self.moved.spans,
        };
        let mut left = elements;
        for (dst, from) in spans {
            let from = &from[..from.len().min(left)];
            match cut {
                Cut::Lines { goes_on } => {
                    let at = (dst + phase).rem_euclid(LINE as i32) as usize;
                    self.lines(*dst, from, at, loads, goes_on);
                }
                Cut::Rows { goes_on } => self.lines(*dst, from, 0, loads, goes_on),
                Cut::Words => self.words(*dst, from, loads),
            }
            left -= from.len();
            if self.pieces.len() > MOST_PIECES {
                return;
            }
        }
    }

    /// Lines of memory that so many bytes lie in.
    fn touched(&self, at: i32, bytes: usize) -> usize {
        let begin = (at + self.phase).rem_euclid(LINE as i32) as usize;
        1 + usize::from(begin + bytes > LINE)
    }

    /// A span as words.
    fn words(&mut self, dst: i32, from: &[i32], loads: usize) {
        let unit = self.moved.unit;
        let mut done = 0;
        while done < from.len() && self.pieces.len() <= MOST_PIECES {
            let rest = &from[done..];
            let at = dst + (done * unit) as i32;
            let windows = Windows::of(self.vector(rest, LINE), unit, loads, LINE);
            let run = self.run_of(rest);
            if run >= windows.elements && run * unit == HALF && self.run_of(&rest[run..]) == run {
                self.pair(at, [rest[0], rest[run]]);
                done += 2 * run;
            } else if run >= windows.elements {
                self.run_of_words(at, rest[0], run * unit);
                done += run;
            } else {
                self.word_in_order(at, rest, &windows);
                done += windows.elements;
            }
        }
    }

    /// Neighbours: one word, or two that overlap.
    fn run_of_words(&mut self, dst: i32, src: i32, bytes: usize) {
        let whole = 1 << bytes.ilog2();
        let words = 1 + usize::from(bytes > whole);
        for after in [0, bytes - whole].into_iter().take(words) {
            let (dst, src) = (dst + after as i32, src + after as i32);
            self.cost.loads += self.touched(src, whole);
            self.cost.instructions += 1;
            self.word(dst, whole, Word::Run(src));
        }
    }

    /// Two runs of half a word.
    fn pair(&mut self, dst: i32, places: [i32; 2]) {
        for src in places {
            self.cost.loads += self.touched(src, HALF);
        }
        self.cost.orders += 2;
        self.cost.vectors += 1;
        self.cost.instructions += places.len();
        self.word(dst, places.len() * HALF, Word::Pair(places));
    }

    /// The first of the elements that come `from` there, as a word.
    fn word_in_order(&mut self, dst: i32, from: &[i32], windows: &Windows) {
        let (unit, elements) = (self.moved.unit, windows.elements);
        let bytes = elements * unit;
        let whole = bytes.next_power_of_two().max(LEAST_STORED);
        let lines = self.lines_of(windows);
        let from_lines = &from[..elements];
        if whole <= from.len() * unit {
            let mut order = [0; LINE];
            self.put(&mut order, from_lines, lines, 0);
            let order = self.order(order);
            self.word(dst, whole, Word::Ordered(lines, order));
        } else {
            let source = self.ordered(from_lines, lines, 0);
            let bytes = 0..bytes;
            self.close(dst, vec![Part { bytes, source }]);
        }
    }

    fn word(&mut self, dst: i32, bytes: usize, word: Word) {
        self.cost.stores += match self.touched(dst, bytes) {
            1 if bytes < LINE => 1,
            touched => 2 * touched,
        };
        self.cost.instructions += 1;
        self.pieces.push(Piece::Word { dst, bytes, word });
    }

    /// So many bytes of elements at most.
    fn vector<'f>(&self, from: &'f [i32], bytes: usize) -> &'f [i32] {
        &from[..from.len().min(bytes / self.moved.unit)]
    }

    /// Neighbouring elements at the beginning, as many as a vector has at most.
    fn run_of(&self, from: &[i32]) -> usize {
        let vector = self.vector(from, LINE);
        let unit = self.moved.unit as i32;
        let mut pairs = vector.windows(2);
        let last = pairs.position(|pair| pair[1] != pair[0] + unit);
        last.map_or(vector.len(), |at| at + 1)
    }

    /// A span as lines, of which the first has so many bytes before it.
    fn lines(&mut self, dst: i32, from: &[i32], mut at: usize, loads: usize, goes_on: bool) {
        let unit = self.moved.unit;
        let mut line = dst - at as i32;
        let (mut parts, mut done) = (Vec::new(), 0);
        while done < from.len() {
            let rest = &from[done..];
            let room = LINE - at;
            let vector = self.vector(rest, if goes_on { LINE } else { room });
            let windows = Windows::of(vector, unit, loads, LINE);
            let run = self.run_of(rest).min(room / unit);
            let (elements, source) = match run >= windows.elements.min(room / unit) {
                true => (run, self.run(rest[0] - at as i32)),
                false => {
                    let elements = windows.elements;
                    let lines = self.lines_of(&windows);
                    let source = self.ordered(&rest[..elements], lines, at);
                    (elements, source)
                }
            };
            let end = at + elements * unit;
            parts.push(Part {
                bytes: at..end.min(LINE),
                source,
            });
            (done, at) = (done + elements, end);
            if end >= LINE {
                self.close(line, std::mem::take(&mut parts));
                (at, line) = (end - LINE, line + LINE as i32);
                if at > 0 {
                    parts.push(Part {
                        bytes: 0..at,
                        source: Source::LeftOver,
                    });
                }
            }
        }
        if !parts.is_empty() {
            self.close(line, parts);
        }
    }

    /// Neighbours, of which the first of a line would come from there.
    fn run(&mut self, src: i32) -> Source {
        self.cost.loads += self.touched(src, LINE);
        self.cost.instructions += 1;
        let reach = &self.moved.reach;
        let is_whole = src >= reach.start && src + LINE as i32 <= reach.end;
        Source::Run { src, is_whole }
    }

    /// A line is complete.
    fn close(&mut self, dst: i32, mut parts: Vec<Part>) {
        let mut of_line = None;
        for part in &mut parts {
            if let Source::Ordered { order, .. } = &mut part.source
                && *order == OF_LINE
            {
                *order = *of_line.get_or_insert_with(|| self.order_of_line());
            }
        }
        // What is masked is an instruction of its own, or a part of one.
        let numbered = parts.iter().enumerate();
        let masked = numbered.filter(|(number, part)| part.is_masked(*number));
        self.cost.vectors += masked.clone().count();
        self.cost.instructions += 1 + masked.count();
        let written = written(&parts);
        self.cost.stores += 2 * self.touched(dst + written.start as i32, written.len());
        self.cost.stores += usize::from(stored_whole(&written).is_none());
        let line = Piece::Line { dst, parts };
        for mask in line.masks() {
            self.mask((mask.start, mask.end));
        }
        self.pieces.push(line);
    }

    /// A register gets a mask, if none has it.
    fn mask(&mut self, bytes: (usize, usize)) {
        if self.masks.contains(&bytes) {
            return;
        }
        self.masks.truncate(MASKS - 1);
        self.masks.push_front(bytes);
        self.cost.orders += 2;
        self.cost.vectors += 1;
        self.cost.instructions += 2;
    }

    /// The lines that are loaded for windows, and put in order by an instruction for both.
    fn lines_of(&mut self, windows: &Windows) -> Lines {
        let mut lines = [None; MOST_LOADS];
        for (line, &given) in lines.iter_mut().zip(windows.given()) {
            let begin = self.line(given);
            self.cost.loads += self.touched(begin, LINE);
            *line = Some(begin);
        }
        self.cost.orders += 2;
        self.cost.vectors += 1;
        self.cost.instructions += windows.given().len();
        lines
    }

    /// Elements of lines, the first of which belongs `at` there in the line of the destination.
    fn ordered(&mut self, from: &[i32], lines: Lines, at: usize) -> Source {
        let goes_on = at + from.len() * self.moved.unit > LINE;
        let order = match goes_on {
            true => {
                let mut order = [0; LINE];
                self.put(&mut order, from, lines, at);
                self.order(order)
            }
            // Together with those of the other parts.
            false => {
                let mut order = self.of_line;
                self.put(&mut order, from, lines, at);
                self.of_line = order;
                OF_LINE
            }
        };
        Source::Ordered {
            lines,
            order,
            goes_on,
        }
    }

    /// Where a line with these bytes is loaded: where one of memory begins, if the operand begins where the phase says.
    fn line(&self, (first, end): (i32, i32)) -> i32 {
        let (line, reach) = (LINE as i32, &self.moved.reach);
        let earlier = (first + self.phase).rem_euclid(line);
        let begin = first - earlier;
        let fits = begin >= reach.start
            && begin + line >= end
            && begin + line <= reach.end
            && earlier % self.moved.unit as i32 == 0;
        match fits {
            true => begin,
            false => first.min(reach.end - line),
        }
    }

    /// Puts elements of those lines `at` there and behind, and in front what is left over.
    fn put(&self, order: &mut Order, from: &[i32], lines: Lines, at: usize) {
        let (unit, named) = (self.moved.unit, self.named());
        let shift = named.trailing_zeros();
        let [one, other] = lines.map(|line| line.unwrap_or(0));
        let mut at = at;
        for &place in from {
            let within = match place - one {
                within if (0..LINE as i32).contains(&within) => within,
                _ => place - other + LINE as i32,
            };
            let element = (within >> shift) as u8;
            order[at % LINE] = element;
            // Pairs of bytes are named one by one.
            if unit > named {
                order[(at + 1) % LINE] = element + 1;
            }
            at += unit;
        }
    }

    /// The number of the order of the line that is put together, and the next line begins.
    fn order_of_line(&mut self) -> usize {
        let order = std::mem::replace(&mut self.of_line, [0; LINE]);
        self.order(order)
    }

    /// The number of an order.
    fn order(&mut self, order: Order) -> usize {
        let (number, is_loaded) = self.orders.number(order, KEPT);
        if is_loaded {
            self.cost.loads += 1;
            self.cost.instructions += 1;
        }
        number
    }
}
