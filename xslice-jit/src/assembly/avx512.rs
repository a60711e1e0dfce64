//! What vectors of a line do: the instructions of AVX-512 for parts, lines and words.
//!
//! For each part one load or two, and for elements that are no neighbours an instruction that puts them in order; for each line and each
//! word a store. Of vectors, only `zmm16` and up are written, which no calling convention keeps, and of which no upper half is to be
//! cleared.

use super::Writer;
use super::instruction::{Elements, Instruction, Place, Zmm};
use crate::pieces::{KEPT, LINE, Lines, Part, Source, stored_whole, written};
use std::ops::Range;

/// Registers for lines, in turn: one is put together while the next one has begun.
pub(super) const LINES: [Zmm; 3] = [Zmm(16), Zmm(17), Zmm(18)];

/// Registers for what is used once, in turn: an order and what it gives.
const PASSING: [Zmm; 3] = [Zmm(19), Zmm(20), Zmm(21)];

/// The numbers of the registers in which orders stay.
pub(super) const KEEPING: Range<u8> = 22..32;
const _: () = assert!((KEEPING.end - KEEPING.start) as usize == KEPT);

/// In the place of the register of a mask: all elements.
const NO_MASK: u8 = 0;

impl Writer<'_> {
    pub(super) fn run_in_line(&mut self, to: Place, bytes: usize, src: i32) {
        let (vector, from) = (self.next_line(), self.source(src));
        let loaded = self.elements(vector, NO_MASK);
        self.code.push(Instruction::Load {
            to: loaded,
            bytes,
            from,
        });
        self.code.push(Instruction::Store { vector, bytes, to });
    }

    pub(super) fn pair_in_line(&mut self, to: Place, bytes: usize, places: [i32; 2]) {
        let vector = self.next_line();
        let [from, high] = places.map(|src| self.source(src));
        self.code.push(Instruction::LoadLow { vector, from });
        let from = high;
        self.code.push(Instruction::LoadHigh { vector, from });
        self.code.push(Instruction::Store { vector, bytes, to });
    }

    pub(super) fn ordered_word(&mut self, to: Place, bytes: usize, lines: Lines, order: usize) {
        let vector = self.next_line();
        self.ordered(vector, lines, order);
        self.code.push(Instruction::Store { vector, bytes, to });
    }

    pub(super) fn line(&mut self, to: Place, parts: &[Part]) {
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
        let unit = self.of.unit;
        Elements { vector, unit, mask }
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
    pub(super) fn mask(&mut self, bytes: &Range<usize>) -> u8 {
        let below = |bytes: usize| {
            1u64.unbounded_shl((bytes / self.of.unit) as u32)
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
        if let Some(register) = self.keep(order) {
            return Zmm(register);
        }
        let vector = self.passing();
        self.code.push(Instruction::LoadOrder { vector, order });
        vector
    }
}
