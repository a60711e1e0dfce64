//! What vectors of two lanes do: the instructions of AVX2 for words.
//!
//! Neighbours are one load, and two runs are two. What comes out of windows is put in order by an instruction for each of them and merged.
//! On Windows the calling convention keeps the registers from 6 on: there none has an order that stays.

use super::Writer;
use super::instruction::{Instruction, Place, Vex, Ymm};
use crate::pieces::{Crossing, HALF, KEPT, LANE};
use std::ops::Range;

/// Registers for words, in turn.
const WORDS: [Ymm; 3] = [Ymm(0), Ymm(1), Ymm(2)];

/// Registers for what is used once, in turn.
const PASSING: [Ymm; 3] = [Ymm(3), Ymm(4), Ymm(5)];

/// The numbers of the registers in which orders stay.
pub(super) const KEEPING: Range<u8> = match cfg!(windows) {
    true => 6..6,
    false => 6..16,
};
const _: () = assert!(cfg!(windows) || (KEEPING.end - KEEPING.start) as usize == KEPT);

impl Writer<'_> {
    pub(super) fn run(&mut self, to: Place, bytes: usize, src: i32) {
        let (vector, from) = (self.next_word(), self.source(src));
        self.vex(Vex::Load {
            vector,
            bytes,
            from,
        });
        self.vex(Vex::Store { vector, bytes, to });
    }

    /// Two runs, of half a lane or of a lane each.
    pub(super) fn pair(&mut self, to: Place, bytes: usize, places: [i32; 2]) {
        let vector = self.next_word();
        let [from, upper] = places.map(|src| self.source(src));
        match bytes / 2 {
            HALF => {
                self.vex(Vex::LoadLow { vector, from });
                let from = upper;
                self.vex(Vex::LoadHigh { vector, from });
            }
            bytes => {
                self.vex(Vex::Load {
                    vector,
                    bytes,
                    from,
                });
                let from = upper;
                self.vex(Vex::LoadUpper { vector, from });
            }
        }
        self.vex(Vex::Store { vector, bytes, to });
    }

    pub(super) fn windows(&mut self, to: Place, bytes: usize, windows: &[(i32, usize)]) {
        let vector = self.next_word();
        for (number, &(src, order)) in windows.iter().enumerate() {
            let given = if number == 0 {
                vector
            } else {
                self.next_passing()
            };
            let from = self.source(src);
            let by = match self.keep(order) {
                Some(register) => Ymm(register),
                None => {
                    self.vex(Vex::LoadOrder {
                        vector: given,
                        order,
                    });
                    given
                }
            };
            self.vex(Vex::Permute {
                to: given,
                order: by,
                from,
            });
            if number > 0 {
                let elements = self.elements_of(order);
                self.vex(Vex::Blend {
                    to: vector,
                    from: given,
                    elements,
                });
            }
        }
        self.vex(Vex::Store { vector, bytes, to });
    }

    /// The elements that an order of a window gives, a bit for each.
    fn elements_of(&self, order: usize) -> u8 {
        const ELEMENT: usize = 4;
        let elements = self.of.orders[order].chunks(ELEMENT).take(8).enumerate();
        elements.fold(0, |all, (number, element)| {
            let is_given = element[ELEMENT - 1] >> 7 == 0;
            all | u8::from(is_given) << number
        })
    }

    pub(super) fn lanes(
        &mut self,
        to: Place,
        bytes: usize,
        lanes: &[([i32; 2], usize)],
        crossing: Crossing,
    ) {
        let vector = self.next_word();
        for (number, &(places, order)) in lanes.iter().enumerate() {
            let given = if number == 0 {
                vector
            } else {
                self.next_passing()
            };
            self.load_lanes(given, bytes, places);
            match self.keep(order) {
                Some(register) => self.vex(Vex::Shuffle {
                    vector: given,
                    bytes,
                    order: Ymm(register),
                }),
                None => self.vex(Vex::ShuffleBy {
                    vector: given,
                    bytes,
                    order,
                }),
            }
            if number > 0 {
                self.vex(Vex::Or {
                    to: vector,
                    from: given,
                    bytes,
                });
            }
        }
        match crossing {
            Crossing::None => {}
            Crossing::Inner => self.vex(Vex::Cross {
                vector,
                halves: [0, 2, 1, 3],
            }),
            Crossing::Lanes => self.vex(Vex::Cross {
                vector,
                halves: [2, 3, 0, 1],
            }),
        }
        self.vex(Vex::Store { vector, bytes, to });
    }

    /// Each lane from its place; of a word that has but one, the first alone.
    fn load_lanes(&mut self, vector: Ymm, bytes: usize, [low, high]: [i32; 2]) {
        let is_one_load = bytes <= LANE || high == low + LANE as i32;
        let bytes = if is_one_load { bytes.max(LANE) } else { LANE };
        let from = self.source(low);
        self.vex(Vex::Load {
            vector,
            bytes,
            from,
        });
        if !is_one_load {
            let from = self.source(high);
            self.vex(Vex::LoadUpper { vector, from });
        }
    }

    fn vex(&mut self, instruction: Vex) {
        self.code.push(Instruction::Vex(instruction));
    }

    fn next_word(&mut self) -> Ymm {
        self.lines += 1;
        WORDS[self.lines % WORDS.len()]
    }

    fn next_passing(&mut self) -> Ymm {
        self.passing += 1;
        PASSING[self.passing % PASSING.len()]
    }
}
