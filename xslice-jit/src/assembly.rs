//! From pieces to machine code of AVX-512 or AVX2, without the code generator, which has no vectors of more than 16 bytes.
//!
//! The function has the signature of every other one: see `codegen`. It finds where the destination begins in a line and takes the
//! pieces for that: `avx512` writes what vectors of a line do, `avx2` what those of two lanes do. Pieces that repeat are a loop around
//! them. The orders lie behind the code, and behind them the values of a Range; orders that are used again stay in registers. Around all
//! pieces there may be loops, each turn of which finds anew where it begins. Only registers that the calling convention does not keep are
//! written: nothing is to be saved.

mod avx2;
mod avx512;
mod instruction;

use crate::pieces::{HALF, LINE, MASKS, PHASES, Piece, Pieces, Stretch, Turns, Word, phases};
pub(crate) use instruction::Instruction;
use instruction::{Assembler, Counter, Place, Vex, Ymm, Zmm};

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
        give_back(pieces, &mut code);
    }
    code
}

/// The end of the function. Upper halves that are not clear would slow down what follows.
fn give_back(pieces: &Pieces, code: &mut Vec<Instruction>) {
    if pieces.vector < LINE {
        code.push(Instruction::Vex(Vex::ZeroUpper));
    }
    code.push(Instruction::Return);
}

/// The instructions for buffers that begin anywhere in a line. They return, or come to their end if there are loops around them.
fn of_phases(pieces: &Pieces, code: &mut Vec<Instruction>) {
    let Some((first, _)) = pieces.of_phases.split_first() else {
        return;
    };
    let others = PHASES.into_iter().zip(&pieces.of_phases);
    let others = others.filter(|(_, way)| *way != first);
    if others.clone().next().is_some() {
        let last = phases(pieces.vector).last();
        code.extend(last.map(|&last| Instruction::Phase(last)));
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
        of,
        kept: kept(of, stretches),
        masks: [0; MASKS],
        next_mask: 0,
        lines: 0,
        passing: 0,
        left_over: avx512::LINES[0],
        gone: [0, 0],
    };
    for stretch in stretches {
        writer.stretch(stretch);
    }
    let gone = writer.gone;
    if of.around.is_empty() {
        return give_back(of, code);
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
            Instruction::LoadOrder { order, .. }
            | Instruction::Vex(Vex::LoadOrder { order, .. } | Vex::ShuffleBy { order, .. }) => {
                constants.push((end, order));
            }
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
    let constants = constants.map(|&(end, order)| (end, orders + order * pieces.vector));
    let branches = branches.iter();
    let branches = branches.map(|&(end, way)| (end, way.map_or(of_all, |way| ways[way])));
    for (end, target) in constants.chain(branches) {
        put_distance(&mut bytes, end, target);
    }
    let orders = pieces.orders.iter();
    bytes.extend(orders.flat_map(|order| &order[..pieces.vector]));
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
fn kept(pieces: &Pieces, stretches: &[Stretch]) -> Vec<Option<(u8, bool)>> {
    let mut uses = vec![0; pieces.orders.len()];
    for stretch in stretches {
        for order in stretch.pieces.iter().flat_map(Piece::orders) {
            uses[order] += stretch.turns.count;
        }
    }
    let mut often: Vec<usize> = (0..uses.len()).filter(|&order| uses[order] > 1).collect();
    often.sort_by_key(|&order| std::cmp::Reverse(uses[order]));
    let registers = match pieces.vector {
        LINE => avx512::KEEPING,
        _ => avx2::KEEPING,
    };
    let mut kept = vec![None; uses.len()];
    for (order, register) in often.into_iter().zip(registers) {
        kept[order] = Some((register, false));
    }
    kept
}

struct Writer<'a> {
    code: &'a mut Vec<Instruction>,
    of: &'a Pieces,
    kept: Vec<Option<(u8, bool)>>,
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
            self.keep(order);
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
        match piece {
            Piece::Word { dst, bytes, word } => self.word(self.destination(*dst), *bytes, word),
            Piece::Line { dst, parts } => self.line(self.destination(*dst), parts),
        }
    }

    fn word(&mut self, to: Place, bytes: usize, word: &Word) {
        match (word, self.of.vector) {
            (Word::Run(src), _) if bytes <= HALF => {
                let from = self.source(*src);
                self.code.push(Instruction::LoadWord { bytes, from });
                self.code.push(Instruction::StoreWord { bytes, to });
            }
            (Word::Run(src), LINE) => self.run_in_line(to, bytes, *src),
            (Word::Pair(places), LINE) => self.pair_in_line(to, bytes, *places),
            (Word::Ordered(lines, order), _) => self.ordered_word(to, bytes, *lines, *order),
            (Word::Run(src), _) => self.run(to, bytes, *src),
            (Word::Pair(places), _) => self.pair(to, bytes, *places),
            (Word::Windows(windows), _) => self.windows(to, bytes, windows),
            (Word::Lanes(lanes, crossing), _) => self.lanes(to, bytes, lanes, *crossing),
        }
    }

    /// The number of the register that keeps an order, which is there from now on. `None`: there is none.
    fn keep(&mut self, order: usize) -> Option<u8> {
        let (register, is_there) = self.kept[order].as_mut()?;
        let register = *register;
        if !std::mem::replace(is_there, true) {
            self.code.push(match self.of.vector {
                LINE => Instruction::LoadOrder {
                    vector: Zmm(register),
                    order,
                },
                _ => Instruction::Vex(Vex::LoadOrder {
                    vector: Ymm(register),
                    order,
                }),
            });
        }
        Some(register)
    }

    fn destination(&self, at: i32) -> Place {
        Place::Destination(at - self.gone[0])
    }

    fn source(&self, at: i32) -> Place {
        Place::Source(at - self.gone[1])
    }
}
