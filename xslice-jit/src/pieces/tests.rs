//! Pieces, run on bytes by what they say, beside the interpreter.

use super::*;
use xslice_core::{ElementType, Output, Plan, Program, Scratch, Signature, interp};

/// The last axis are the bytes of an element.
fn plan(shape: &[usize], text: &str) -> Plan {
    let signature = Signature::new().operand(ElementType::U8, shape);
    let program = Program::parse(text).expect(text);
    program.compile(&signature).expect(text)
}

/// Who cuts for vectors of a line, and for those of two lanes.
type CutBy = fn(&Schedule) -> Option<Pieces>;
const CUTTERS: [CutBy; 2] = [of_lines, of_lanes];

fn pieces_by(cut: CutBy, plan: &Plan) -> Option<Pieces> {
    plan.nests().find_map(|nest| cut(nest.schedule()?))
}

fn pieces_of(plan: &Plan) -> Option<Pieces> {
    pieces_by(of_lines, plan)
}

/// Moves bytes as machine code does, reads none but what the nest reads and those between, and writes none outside of the destination.
struct Machine<'a> {
    pieces: &'a Pieces,
    src: &'a [u8],
    reach: Range<i32>,
    dst: Vec<u8>,
    left_over: [u8; LINE],
}

/// What each of the turns adds to the places in the destination and in the source, beside what those around it do.
fn each(turns: &Turns, [dst, src]: [i32; 2]) -> impl Iterator<Item = [i32; 2]> + use<> {
    let Turns { count, steps } = *turns;
    (0..count).map(move |turn| [dst + turn * steps[0], src + turn * steps[1]])
}

impl Machine<'_> {
    /// All turns of the loops around pieces.
    fn way(&mut self, way: &[Stretch]) {
        let mut starts = vec![[0, 0]];
        for turns in &self.pieces.around {
            starts = starts
                .into_iter()
                .flat_map(|start| each(turns, start))
                .collect();
        }
        for start in starts {
            way.iter().for_each(|stretch| self.stretch(stretch, start));
        }
    }

    fn stretch(&mut self, stretch: &Stretch, start: [i32; 2]) {
        for [dst, src] in each(&stretch.turns, start) {
            for piece in &stretch.pieces {
                match piece {
                    Piece::Word {
                        dst: at,
                        bytes,
                        word,
                    } => {
                        let line = self.word(word, *bytes, src);
                        self.store(at + dst, &line, 0..*bytes);
                    }
                    Piece::Line { dst: at, parts } => self.line(at + dst, parts, src),
                }
            }
        }
    }

    fn line(&mut self, dst: i32, parts: &[Part], src: i32) {
        let mut line = [0; LINE];
        for (number, part) in parts.iter().enumerate() {
            let is_masked = part.is_masked(number);
            let read = if is_masked {
                part.bytes.clone()
            } else {
                0..LINE
            };
            let loaded = self.load(part.source, read, src);
            match is_masked {
                true => line[part.bytes.clone()].copy_from_slice(&loaded[part.bytes.clone()]),
                false => line = loaded,
            }
            if let Source::Ordered { goes_on: true, .. } = part.source {
                self.left_over = loaded;
            }
        }
        self.store(dst, &line, written(parts));
    }

    fn word(&self, word: &Word, bytes: usize, by: i32) -> [u8; LINE] {
        match word {
            Word::Run(src) => self.run(src + by, 0..bytes),
            Word::Pair([one, other]) => {
                let half = bytes / 2;
                let mut line = self.run(one + by, 0..half);
                let high = self.run(other + by, 0..half);
                line[half..bytes].copy_from_slice(&high[..half]);
                line
            }
            Word::Ordered(lines, order) => self.ordered(*lines, *order, by),
            Word::Windows(windows) => self.windows(windows, by),
            Word::Lanes(lanes, crossing) => {
                let [a, b, c, d] = match crossing {
                    Crossing::None => [0, 1, 2, 3],
                    Crossing::Inner => [0, 2, 1, 3],
                    Crossing::Lanes => [2, 3, 0, 1],
                };
                let before = self.lanes(lanes, bytes, by);
                let halves = [a, b, c, d].map(|half| &before[half * HALF..][..HALF]);
                let mut line = [0xee; LINE];
                line[..TWO_LANES].copy_from_slice(&halves.concat());
                line
            }
        }
    }

    fn windows(&self, windows: &[(i32, usize)], by: i32) -> [u8; LINE] {
        let mut line = [0xee; LINE];
        for &(at, order) in windows {
            let read = self.run(at + by, 0..TWO_LANES);
            let order = self.pieces.orders[order][..TWO_LANES].chunks(4);
            for (element, line) in order.zip(line.chunks_mut(4)) {
                if element[3] < 0x80 {
                    line.copy_from_slice(&read[usize::from(element[0]) * 4..][..4]);
                }
            }
        }
        line
    }

    /// Lanes before halves cross.
    fn lanes(&self, lanes: &[([i32; 2], usize)], bytes: usize, by: i32) -> [u8; LINE] {
        let mut line = [0; LINE];
        for &(places, order) in lanes {
            let order = &self.pieces.orders[order][..bytes.max(LANE)];
            let lanes = order.chunks(LANE).zip(line.chunks_mut(LANE));
            for ((order, line), at) in lanes.zip(places) {
                let read = self.run(at + by, 0..LANE);
                for (&order, byte) in order.iter().zip(line) {
                    *byte |= if order < 0x80 {
                        read[usize::from(order)]
                    } else {
                        0
                    };
                }
            }
        }
        line
    }

    /// A line of which a run reads these bytes.
    fn load(&self, source: Source, read: Range<usize>, by: i32) -> [u8; LINE] {
        match source {
            Source::LeftOver => self.left_over,
            Source::Run { src, .. } => self.run(src + by, read),
            Source::Ordered { lines, order, .. } => self.ordered(lines, order, by),
        }
    }

    fn run(&self, src: i32, read: Range<usize>) -> [u8; LINE] {
        let mut line = [0xee; LINE];
        for at in read {
            line[at] = self.read(src + at as i32);
        }
        line
    }

    fn ordered(&self, lines: Lines, order: usize, by: i32) -> [u8; LINE] {
        let mut line = [0xee; LINE];
        let lines = lines.into_iter().flatten();
        let places = lines.flat_map(|line| line..line + LINE as i32);
        let read: Vec<u8> = places.map(|at| self.read(at + by)).collect();
        let unit = self.pieces.unit;
        let order = &self.pieces.orders[order];
        for (element, line) in order.chunks(unit).zip(line.chunks_mut(unit)) {
            let at = usize::from(element[0]) * unit % read.len();
            line.copy_from_slice(&read[at..at + unit]);
        }
        line
    }

    fn read(&self, at: i32) -> u8 {
        assert!(self.reach.contains(&at), "{at} is read");
        self.src[at as usize]
    }

    fn store(&mut self, dst: i32, line: &[u8; LINE], bytes: Range<usize>) {
        for at in bytes {
            self.dst[usize::try_from(dst + at as i32).unwrap()] = line[at];
        }
    }
}

/// What the interpreter writes of this source over this filler.
fn interpreted(plan: &Plan, src: &[u8], filler: u8, text: &str) -> Vec<u8> {
    let written = plan.nests().map(|nest| nest.nest().destination_len());
    let mut dst = vec![filler; written.max().expect(text)];
    let output = Output::from(&mut dst);
    interp::run(plan, &[src.into()], output, &mut Scratch::new()).expect(text);
    dst
}

/// From the first byte that the interpreter reads to the end of the last: it moves the bytes of their places, one after the other.
fn read_by(plan: &Plan, len: usize, text: &str) -> Range<i32> {
    let bytes_of_places = |shift: usize, filler: u8| {
        let places: Vec<u8> = (0..len).map(|at| (at >> shift) as u8).collect();
        interpreted(plan, &places, filler, text)
    };
    let moved = [0, 8, 16].map(|shift| bytes_of_places(shift, 0));
    // What lies between the rows of a part keeps the filler.
    let again = bytes_of_places(0, 1);
    let is_moved = |at: &usize| moved[0][*at] == again[*at];
    let place = |at: usize| i32::from_le_bytes([moved[0][at], moved[1][at], moved[2][at], 0]);
    let places: Vec<i32> = (0..again.len()).filter(is_moved).map(place).collect();
    let first = places.iter().min().expect(text);
    let last = places.iter().max().expect(text);
    *first..last + 1
}

/// Every way of a plan of one nest gives what the interpreter gives, and writes nothing else.
fn assert_moves(plan: &Plan, pieces: &Pieces, text: &str) {
    let len = plan.nests().map(|nest| nest.nest().source_len()).max();
    let len = len.expect(text);
    let src: Vec<u8> = (0..len).map(|at| (at * 37 + at / 251) as u8).collect();
    let expected = interpreted(plan, &src, 0x55, text);
    let reach = read_by(plan, len, text);
    for (way, phase) in pieces.of_phases.iter().zip(PHASES) {
        let mut machine = Machine {
            pieces,
            src: &src,
            reach: reach.clone(),
            dst: vec![0x55; expected.len()],
            left_over: [0; LINE],
        };
        machine.way(way);
        assert!(machine.dst == expected, "{text} at {phase}");
    }
}

/// Rows, columns, reversed and picked ones, of elements of 1 to 8 bytes; and where they are straight code, loops and neither.
#[test]
fn pieces_move_what_the_interpreter_moves() {
    let mut cut = [0; CUTTERS.len()];
    for size in [1, 2, 4, 8] {
        for (rows, columns) in [(1, 300), (7, 40), (3, 333), (20, 17), (130, 9), (500, 3)] {
            for text in [
                "x[:]",
                "x[:, ::-1]",
                "x[::-1, ::2]",
                "x[::2, 1:]",
                "x[::-1, 1:]",
                "x[:, 1::3]",
                "x[::-2, ::-5]",
                "x[:, :2]",
                "x[:, 2:0:-1]",
                "x[:, 1]",
                "x[..., ::-1]",
            ] {
                let plan = plan(&[rows, columns, size], text);
                let name = format!("[{rows}, {columns}, {size}] {text}");
                for pieces in CUTTERS.iter().filter_map(|&cut| pieces_by(cut, &plan)) {
                    assert_moves(&plan, &pieces, &name);
                    cut[usize::from(pieces.vector < LINE)] += 1;
                }
            }
        }
    }
    assert!(cut.iter().all(|&cut| cut > 150), "only {cut:?} are pieces");
}

/// No byte between the rows of a part is written.
#[test]
fn what_lies_between_rows_stays() {
    let program = Program::parse("x[:, ::-1, :]").expect("a reversed axis");
    for (row, distance) in [(5usize, 7isize), (16, 20), (20, 24), (33, 40)] {
        let signature = Signature::new()
            .operand(ElementType::U8, &[12, row, 4])
            .output(&[4 * distance, 4, 1], 3);
        let plan = program.compile(&signature).expect("a part");
        for cut in CUTTERS {
            let pieces = pieces_by(cut, &plan).expect("a small part");
            assert_moves(&plan, &pieces, &format!("rows of {row} at {distance}"));
        }
    }
}

/// What repeats is a loop, unless it is short.
#[test]
fn what_repeats_is_a_loop() {
    let turns = |shape: &[usize], text: &str| {
        let pieces = pieces_of(&plan(shape, text))?;
        let turns = |way: &Vec<Stretch>| way.iter().map(|stretch| stretch.turns.count).max();
        pieces.of_phases.iter().filter_map(turns).max()
    };
    assert_eq!(turns(&[200, 4], "x[:, ::-1]"), Some(1));
    assert!(turns(&[1000, 2, 8], "x[:, ::-1]") > Some(1));
}

/// Loops around pieces: none, one, two; with turns that overlap, and back through the source.
#[test]
fn large_results_are_moved_in_turns() {
    for (shape, text, loops) in [
        (&[1000, 2, 8][..], "x[:, ::-1]", 0),
        (&[3000, 2, 8], "x[:, ::-1]", 1),
        (&[1999, 2, 8], "x[::-1, ::-1]", 1),
        (&[1777, 12, 4], "x[:, 3:11:2]", 1),
        (&[900, 40, 1], "x[::-1, 4:20:2]", 1),
        (&[600, 5, 20], "x[::-1, :4]", 1),
        (&[12, 310, 4, 8], "x[:, 1:, ::-1]", 2),
        (&[9, 513, 4, 4], "x[::-1, 1:, ::-1]", 1),
        (&[9, 713, 4, 4], "x[::-1, 1:, ::-1]", 2),
    ] {
        let plan = plan(shape, text);
        let name = format!("{shape:?} {text}");
        for cut in CUTTERS {
            let pieces = pieces_by(cut, &plan).expect(&name);
            assert_eq!(pieces.around.len(), loops, "{name}");
            assert_moves(&plan, &pieces, &name);
        }
    }
}

/// Too large, read from too far, at places of a line that have no pieces, in too many loops, or rows of less than a line.
#[test]
fn others_are_left_to_the_moves() {
    for (shape, text) in [
        (&[70_000, 2, 8][..], "x[:, ::-1]"),
        (&[4000, 60, 8], "x[:, 4:0:-1]"),
        (&[40, 701, 1], "x[:, ::-1]"),
        (&[3, 5, 5, 300, 4, 4], "x[:, 1:, 1:, 1:, ::-1]"),
        (&[2000, 5, 8], "x[:, :2]"),
    ] {
        let plan = plan(shape, text);
        let pieces = CUTTERS.map(|cut| pieces_by(cut, &plan).is_some());
        assert_eq!(pieces, [false; 2], "{shape:?} {text}");
    }
}
