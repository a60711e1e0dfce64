//! From pieces to machine code of AVX-512, whose vectors of a line the code generator has none of.
//!
//! The function has the signature of every other one: see `codegen`. It finds where the destination begins in a line and takes the
//! pieces for that: for each part one load or two, and for elements that are no neighbours an instruction that puts them in order; for each
//! word and each line a store. Pieces that repeat are a loop around them. The orders lie behind the code, and behind them the values of a
//! Range; orders that several parts have stay in registers. Around all pieces there may be loops, each turn of which finds anew where it
//! begins. Only registers that the calling convention does not keep are written, of vectors `zmm16` and up, which none keeps: nothing is to
//! be saved, and no upper half to be cleared.

mod instruction;

use crate::pieces::{
    HALF, KEPT, LINE, Lines, MASKS, PHASES, Part, Piece, Pieces, Source, Stretch, Turns, Word,
    stored_whole, written,
};
pub(crate) use instruction::Instruction;
use instruction::{Assembler, Counter, Elements, Place, Zmm};
use std::ops::Range;

/// Registers for lines, in turn: one is put together while the next one has begun.
const LINES: [Zmm; 3] = [Zmm(16), Zmm(17), Zmm(18)];

/// Registers for what is used once, in turn: an order and what it gives.
const PASSING: [Zmm; 3] = [Zmm(19), Zmm(20), Zmm(21)];

/// The first of the registers for orders; the others follow it, up to the last one that there is.
const KEPT_FROM: u8 = 22;
const _: () = assert!(KEPT_FROM as usize + KEPT == 32);

/// In the place of the register of a mask: all elements.
const NO_MASK: u8 = 0;

/// The instructions for `pieces`.
pub(crate) fn instructions(pieces: &Pieces) -> Vec<Instruction> {
    let mut code = Vec::new();
    if !pieces.data.is_empty() {
        code.push(Instruction::LoadData);
    }
    let counters = Counter::AROUND.into_iter().zip(&pieces.around);
    code.extend(
        counters
            .clone()
            .map(|(counter, turns)| Instruction::Turns(counter, turns.count)),
    );
    of_phases(pieces, &mut code);
    // How far the loops within have moved the registers of the buffers.
    let mut gone = [0, 0];
    for (counter, turns) in counters.rev() {
        let mut steps = turns.steps;
        for (step, gone) in steps.iter_mut().zip(&mut gone) {
            let all = turns.count * *step;
            *step -= *gone;
            *gone = all;
        }
        code.push(Instruction::NextTurn(counter, steps));
    }
    if !pieces.around.is_empty() {
        code.push(Instruction::Return);
    }
    code
}

/// The instructions for buffers that begin anywhere in a line. They return, or come to their end if there are loops around them.
fn of_phases(pieces: &Pieces, code: &mut Vec<Instruction>) {
    let [first, ..] = &pieces.of_phases;
    let others = PHASES.into_iter().zip(&pieces.of_phases);
    let others = others.filter(|(_, way)| *way != first);
    if others.clone().next().is_some() {
        code.push(Instruction::Phase);
    }
    code.extend(others.clone().map(|(phase, _)| Instruction::IfPhase(phase)));
    way(pieces, first, code);
    for (phase, other) in others {
        code.push(Instruction::OfPhase(phase));
        way(pieces, other, code);
    }
    if !pieces.around.is_empty() {
        code.push(Instruction::OfAll);
    }
}

/// The instructions for buffers that begin at one place of a line.
fn way(of: &Pieces, stretches: &[Stretch], code: &mut Vec<Instruction>) {
    let mut writer = Writer {
        code,
        kept: kept(of.orders.len(), stretches),
        unit: of.unit,
        masks: [0; MASKS],
        next_mask: 0,
        lines: 0,
        passing: 0,
        left_over: LINES[0],
        gone: [0, 0],
    };
    for stretch in stretches {
        writer.stretch(stretch);
    }
    let gone = writer.gone;
    if of.around.is_empty() {
        return code.push(Instruction::Return);
    }
    if gone != [0, 0] {
        code.push(Instruction::Step(gone.map(|gone| -gone)));
    }
    code.push(Instruction::ForAll);
}

/// The same to be read by people, a line for each.
pub(crate) fn text(code: &[Instruction]) -> String {
    code.iter().map(|each| format!("{each}\n")).collect()
}

/// The bytes of a function of these instructions, its orders behind it, and its data behind these.
pub(crate) fn assemble(code: &[Instruction], pieces: &Pieces) -> Vec<u8> {
    let mut assembler = Assembler::new();
    // The ends of instructions that name a distance, and what lies there.
    let (mut constants, mut branches) = (Vec::new(), Vec::new());
    // Where it goes on for each phase, behind all of them, and in the next turn of each loop.
    let (mut ways, mut of_all, mut turns) = ([0; PHASES.len()], 0, [0; Counter::ALL]);
    let way_of = |phase: i32| PHASES.iter().position(|&other| other == phase).unwrap_or(0);
    for &instruction in code {
        assembler.write(instruction);
        let end = assembler.code.len();
        match instruction {
            Instruction::LoadOrder { order, .. } => constants.push((end, order)),
            Instruction::LoadData => constants.push((end, pieces.orders.len())),
            Instruction::IfPhase(phase) => branches.push((end, Some(way_of(phase)))),
            Instruction::OfPhase(phase) => ways[way_of(phase)] = end,
            Instruction::ForAll => branches.push((end, None)),
            Instruction::OfAll => of_all = end,
            Instruction::Turns(counter, _) => turns[counter as usize] = end,
            Instruction::NextTurn(counter, _) => {
                put_distance(&mut assembler.code, end, turns[counter as usize]);
            }
            // No other names a distance.
            _ => {}
        }
    }
    let mut bytes = assembler.code;
    bytes.resize(bytes.len().next_multiple_of(LINE), 0);
    let orders = bytes.len();
    let constants = constants.iter();
    let constants = constants.map(|&(end, order)| (end, orders + order * LINE));
    let branches = branches.iter();
    let branches = branches.map(|&(end, way)| (end, way.map_or(of_all, |way| ways[way])));
    for (end, target) in constants.chain(branches) {
        put_distance(&mut bytes, end, target);
    }
    bytes.extend(pieces.orders.iter().flatten());
    bytes.extend(&pieces.data);
    bytes
}

/// Completes the instruction that ends there.
fn put_distance(bytes: &mut [u8], end: usize, target: usize) {
    let distance = target as i32 - end as i32;
    bytes[end - 4..end].copy_from_slice(&distance.to_le_bytes());
}

/// For each order the register that keeps it, and whether it is there yet; `None` for those that one part alone has, or for which there is
/// no register.
fn kept(orders: usize, stretches: &[Stretch]) -> Vec<Option<(Zmm, bool)>> {
    let mut uses = vec![0; orders];
    for stretch in stretches {
        for order in stretch.pieces.iter().flat_map(Piece::orders) {
            uses[order] += stretch.turns.count;
        }
    }
    let mut often: Vec<usize> = (0..uses.len()).filter(|&order| uses[order] > 1).collect();
    often.sort_by_key(|&order| std::cmp::Reverse(uses[order]));
    let mut kept = vec![None; uses.len()];
    for (order, register) in often.into_iter().take(KEPT).zip(KEPT_FROM..) {
        kept[order] = Some((Zmm(register), false));
    }
    kept
}

struct Writer<'a> {
    code: &'a mut Vec<Instruction>,
    kept: Vec<Option<(Zmm, bool)>>,
    unit: usize,
    /// What the registers of masks hold, from the first that is one; 0 for nothing.
    masks: [u64; MASKS],
    next_mask: usize,
    lines: usize,
    passing: usize,
    /// What the last part of a line has left over.
    left_over: Zmm,
    /// How far loops have moved the registers of the destination and of the source.
    gone: [i32; 2],
}

impl Writer<'_> {
    /// Straight code, or a loop around it.
    fn stretch(&mut self, stretch: &Stretch) {
        let Turns { count, steps } = stretch.turns;
        if count > 1 {
            self.keep_all(&stretch.pieces);
            self.code.push(Instruction::Turns(Counter::Pieces, count));
        }
        for piece in &stretch.pieces {
            self.piece(piece);
        }
        if count > 1 {
            self.code
                .push(Instruction::NextTurn(Counter::Pieces, steps));
            for (gone, step) in self.gone.iter_mut().zip(steps) {
                *gone += count * step;
            }
        }
    }

    /// Puts what a loop needs in each turn into registers, as far as there are enough.
    fn keep_all(&mut self, pieces: &[Piece]) {
        for order in pieces.iter().flat_map(Piece::orders) {
            if self.kept[order].is_some() {
                self.order(order);
            }
        }
        let mut masks = Vec::new();
        for bytes in pieces.iter().flat_map(Piece::masks) {
            if !masks.contains(&bytes) {
                masks.push(bytes);
            }
        }
        // More of them are made anew in each turn, as if none were there: at its end others are than at its beginning.
        (self.masks, self.next_mask) = ([0; MASKS], 0);
        if masks.len() <= MASKS {
            for bytes in &masks {
                self.mask(bytes);
            }
        }
    }

    fn piece(&mut self, piece: &Piece) {
        match *piece {
            Piece::Word { dst, bytes, word } => self.word(self.destination(dst), bytes, word),
            Piece::Line { dst, ref parts } => self.line(self.destination(dst), parts),
        }
    }

    fn word(&mut self, to: Place, bytes: usize, word: Word) {
        let vector = self.next_line();
        match word {
            Word::Run(src) if bytes <= HALF => {
                let from = self.source(src);
                self.code.push(Instruction::LoadWord { bytes, from });
                self.code.push(Instruction::StoreWord { bytes, to });
                return;
            }
            Word::Run(src) => {
                let (to, from) = (self.elements(vector, NO_MASK), self.source(src));
                self.code.push(Instruction::Load { to, bytes, from });
            }
            Word::Pair(places) => {
                let [from, high] = places.map(|src| self.source(src));
                self.code.push(Instruction::LoadLow { vector, from });
                let from = high;
                self.code.push(Instruction::LoadHigh { vector, from });
            }
            Word::Ordered(lines, order) => self.ordered(vector, lines, order),
        }
        self.code.push(Instruction::Store { vector, bytes, to });
    }

    fn line(&mut self, to: Place, parts: &[Part]) {
        let Some((first, others)) = parts.split_first() else {
            return;
        };
        let line = self.first(first);
        for part in others {
            self.part(line, part);
        }
        let written = written(parts);
        let vector = line;
        match stored_whole(&written) {
            Some(bytes) => self.code.push(Instruction::Store { vector, bytes, to }),
            None => {
                let mask = self.mask(&written);
                let from = self.elements(line, mask);
                self.code.push(Instruction::StoreMasked { from, to });
            }
        }
    }

    /// The register of a line with its first part.
    fn first(&mut self, part: &Part) -> Zmm {
        match part.source {
            Source::LeftOver => self.left_over,
            Source::Run { src, .. } => {
                let vector = self.next_line();
                let from = self.source(src);
                match part.is_masked(0) {
                    true => {
                        let mask = self.mask(&part.bytes);
                        let to = self.elements(vector, mask);
                        self.code.push(Instruction::LoadAlone { to, from });
                    }
                    false => self.load(vector, NO_MASK, from),
                }
                vector
            }
            Source::Ordered {
                lines,
                order,
                goes_on,
            } => {
                let vector = self.next_line();
                self.ordered(vector, lines, order);
                if goes_on {
                    self.left_over = vector;
                }
                vector
            }
        }
    }

    /// Puts another part into the register of a line.
    fn part(&mut self, line: Zmm, part: &Part) {
        let mask = self.mask(&part.bytes);
        let to = self.elements(line, mask);
        match part.source {
            Source::LeftOver => {}
            Source::Run { src, .. } => self.load(line, mask, self.source(src)),
            Source::Ordered {
                lines: [Some(only), None],
                order,
                goes_on: false,
            } => {
                let (order, from) = (self.order(order), self.source(only));
                self.code.push(Instruction::Order { to, order, from });
            }
            Source::Ordered {
                lines,
                order,
                goes_on,
            } => {
                let from = match goes_on {
                    true => self.next_line(),
                    false => self.passing(),
                };
                self.ordered(from, lines, order);
                self.code.push(Instruction::Merge { to, from });
                if goes_on {
                    self.left_over = from;
                }
            }
        }
    }

    fn load(&mut self, vector: Zmm, mask: u8, from: Place) {
        let (to, bytes) = (self.elements(vector, mask), LINE);
        self.code.push(Instruction::Load { to, bytes, from });
    }

    /// Elements of lines in a register of their own.
    fn ordered(&mut self, vector: Zmm, [one, other]: Lines, order: usize) {
        let (to, order) = (self.elements(vector, NO_MASK), self.order(order));
        let from = self.source(one.unwrap_or(0));
        match other {
            None => self.code.push(Instruction::Order { to, order, from }),
            Some(other) => {
                self.load(vector, NO_MASK, from);
                let from = self.source(other);
                self.code.push(Instruction::OrderBoth { to, order, from });
            }
        }
    }

    fn elements(&self, vector: Zmm, mask: u8) -> Elements {
        let unit = self.unit;
        Elements { vector, unit, mask }
    }

    fn destination(&self, at: i32) -> Place {
        Place::Destination(at - self.gone[0])
    }

    fn source(&self, at: i32) -> Place {
        Place::Source(at - self.gone[1])
    }

    fn next_line(&mut self) -> Zmm {
        self.lines += 1;
        LINES[self.lines % LINES.len()]
    }

    fn passing(&mut self) -> Zmm {
        self.passing += 1;
        PASSING[self.passing % PASSING.len()]
    }

    /// The register of a mask of these bytes.
    fn mask(&mut self, bytes: &Range<usize>) -> u8 {
        let below = |bytes: usize| {
            1u64.unbounded_shl((bytes / self.unit) as u32)
                .wrapping_sub(1)
        };
        let elements = below(bytes.end) & !below(bytes.start);
        if let Some(at) = self.masks.iter().position(|&kept| kept == elements) {
            return at as u8 + 1;
        }
        let at = self.next_mask;
        self.next_mask = (at + 1) % self.masks.len();
        self.masks[at] = elements;
        let mask = at as u8 + 1;
        self.code.push(Instruction::Mask { mask, elements });
        mask
    }

    /// The register of an order.
    fn order(&mut self, order: usize) -> Zmm {
        let (vector, is_there) = match &mut self.kept[order] {
            Some((vector, is_there)) => (*vector, std::mem::replace(is_there, true)),
            None => (self.passing(), false),
        };
        if !is_there {
            self.code.push(Instruction::LoadOrder { vector, order });
        }
        vector
    }
}
