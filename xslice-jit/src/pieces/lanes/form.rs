//! How the bytes of one word are found, and what that costs.

use crate::pieces::runs::Moved;
use crate::pieces::windows::Windows;
use crate::pieces::{Crossing, HALF, LANE, LEAST_STORED, LINE, Order, TWO_LANES};

/// Windows of a word, or of a lane of it, at most.
const MOST_WINDOWS: usize = 6;

/// Bytes of an element that a window of two lanes gives to any place.
const ANYWHERE: usize = 4;

/// In an order: another window gives it.
const NOT_GIVEN: u8 = 0x80;

/// What instructions take, in twelfths of a cycle of Zen 3: of a word, its store or all the others, whichever takes longer.
pub(super) mod cost {
    pub const LOAD: usize = 6;
    /// A load into the upper lane, or into the upper half of a lane.
    pub const UPPER: usize = 8;
    pub const SHUFFLE: usize = 2;
    pub const MERGE: usize = 1;
    pub const CROSSING: usize = 6;
    /// From memory to memory through a register for numbers.
    pub const THROUGH: usize = 7;
    /// A shuffle from lane to lane, with its load.
    pub const WINDOW: usize = 24;
    /// An order that is in no register.
    pub const ORDER: usize = 4;
    /// What lies in two lines of memory.
    pub const LINE_READ: usize = 3;
    pub const LINE_WRITTEN: usize = 12;
    /// What is not worth to be taken apart, with what gives all of it.
    pub const WHOLE: usize = 16;

    /// A store out of a vector, with what gives the vector.
    pub fn stored(given: usize) -> usize {
        given.max(12)
    }
}

/// How a word is put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Run(i32),
    Pair([i32; 2]),
    Windows,
    Lanes(Crossing),
}

/// Of each lane what gives its elements.
type Lanes = [Windows<MOST_WINDOWS>; 2];

/// The forms of what is moved between buffers that begin there in a line.
pub(super) struct Forms<'a> {
    pub moved: &'a Moved,
    pub phase: i32,
}

impl Crossing {
    /// What is to lie in a vector before, so that these elements do after it. Both are in the first places.
    fn before(self, from: &[i32], unit: usize) -> [i32; TWO_LANES] {
        let mut before = [0; TWO_LANES];
        before[..from.len()].copy_from_slice(from);
        let half = HALF / unit;
        match self {
            Self::None => {}
            Self::Inner => before[half..3 * half].rotate_left(half),
            Self::Lanes => before[..4 * half].rotate_left(2 * half),
        }
        before
    }
}

impl Forms<'_> {
    /// How one store writes so many bytes, and what that costs. `None`: there is no way.
    pub fn cheapest(&self, from: &[i32], bytes: usize) -> Option<(Form, usize)> {
        let unit = self.moved.unit;
        if let Some(run) = self.whole_run(from, bytes) {
            let cost = match bytes {
                ..=HALF => cost::THROUGH,
                _ => cost::stored(cost::LOAD),
            };
            let lines = self.lines_but_one(run, bytes) * cost::LINE_READ;
            return Some((Form::Run(run), cost + lines));
        }
        if bytes < LEAST_STORED.max(2 * unit) {
            return None;
        }
        if let Some(pair) = self.pair(from, bytes) {
            let lines = pair.map(|at| self.lines_but_one(at, bytes / 2));
            let lines = lines.iter().sum::<usize>() * cost::LINE_READ;
            let cost = cost::stored(cost::LOAD + cost::UPPER) + lines;
            return Some((Form::Pair(pair), cost));
        }
        let mut best = self.lanes(from, bytes, Crossing::None);
        let mut offer = |form: &dyn Fn() -> Option<(Form, usize)>, least: usize| {
            if best.is_none_or(|(_, cost)| cost > least)
                && let Some(other) = form()
                && best.is_none_or(|(_, cost)| cost > other.1)
            {
                best = Some(other);
            }
        };
        if from.len() * unit == TWO_LANES {
            for crossing in [Crossing::Lanes, Crossing::Inner] {
                let least = cost::LOAD + cost::SHUFFLE + cost::CROSSING;
                offer(&|| self.lanes(from, bytes, crossing), least);
            }
        }
        if unit >= ANYWHERE && bytes >= LANE {
            offer(&|| self.windows(from), cost::WINDOW);
        }
        best
    }

    /// Neighbouring elements at the beginning.
    pub fn run_of(&self, from: &[i32]) -> usize {
        let unit = self.moved.unit as i32;
        let mut pairs = from.windows(2);
        let last = pairs.position(|pair| pair[1] != pair[0] + unit);
        last.map_or(from.len(), |at| at + 1)
    }

    /// Bytes that a run or one window gives.
    pub fn given_by_one(&self, from: &[i32]) -> usize {
        let unit = self.moved.unit;
        let width = if unit >= ANYWHERE { TWO_LANES } else { LANE };
        let vector = &from[..from.len().min(width / unit)];
        let windows = Windows::<1>::of(vector, unit, 1, width);
        let run = self.run_of(&from[..from.len().min(TWO_LANES / unit)]);
        run.max(windows.elements) * unit
    }

    /// Lines of memory that so many bytes lie in, but one.
    pub fn lines_but_one(&self, at: i32, bytes: usize) -> usize {
        let begin = (at + self.phase).rem_euclid(LINE as i32) as usize;
        usize::from(begin + bytes > LINE)
    }

    /// Where a run begins that gives so many bytes.
    fn whole_run(&self, from: &[i32], bytes: usize) -> Option<i32> {
        let &first = from.first()?;
        let fits = first + bytes as i32 <= self.moved.reach.end;
        (fits && self.run_of(from) == from.len()).then_some(first)
    }

    /// Where two runs begin that give half of so many bytes each.
    fn pair(&self, from: &[i32], bytes: usize) -> Option<[i32; 2]> {
        let half = bytes / 2;
        if half < HALF || from.len() * self.moved.unit <= half {
            return None;
        }
        let (low, high) = from.split_at(half / self.moved.unit);
        Some([self.whole_run(low, half)?, self.whole_run(high, half)?])
    }

    fn windows(&self, from: &[i32]) -> Option<(Form, usize)> {
        let places = self.windows_of(from)?;
        let lines = places.iter().map(|&at| self.lines_but_one(at, TWO_LANES));
        let lines = lines.sum::<usize>() * cost::LINE_READ;
        let given = places.len() * cost::WINDOW + (places.len() - 1) * cost::MERGE;
        Some((Form::Windows, cost::stored(given) + lines))
    }

    /// Where windows of two lanes are loaded that give these elements. `None`: they are too many.
    fn windows_of(&self, from: &[i32]) -> Option<Vec<i32>> {
        let windows = Windows::<MOST_WINDOWS>::of(from, self.moved.unit, MOST_WINDOWS, TWO_LANES);
        let places = windows.given().iter();
        let places = places.map(|&(first, _)| self.window(first, TWO_LANES));
        (windows.elements == from.len()).then(|| places.collect())
    }

    fn lanes(&self, from: &[i32], bytes: usize, crossing: Crossing) -> Option<(Form, usize)> {
        let crossed;
        let (from, mut given) = match crossing {
            Crossing::None => (from, 0),
            Crossing::Inner | Crossing::Lanes => {
                crossed = crossing.before(from, self.moved.unit);
                (&crossed[..from.len()], cost::CROSSING)
            }
        };
        let lanes = self.lanes_of(from)?;
        let count = count(&lanes);
        let mut lines = 0;
        for number in 0..count {
            let [low, high] = self.both(&lanes, number);
            given += cost::LOAD + cost::SHUFFLE;
            if bytes <= LANE {
                lines += self.lines_but_one(low, LANE);
            } else if high == low + LANE as i32 {
                lines += self.lines_but_one(low, TWO_LANES);
            } else {
                given += cost::UPPER;
                lines += self.lines_but_one(low, LANE) + self.lines_but_one(high, LANE);
            }
        }
        given += (count - 1) * cost::MERGE;
        let cost = cost::stored(given) + lines * cost::LINE_READ;
        Some((Form::Lanes(crossing), cost))
    }

    /// What gives these elements to each lane. `None`: it is too much.
    fn lanes_of(&self, from: &[i32]) -> Option<Lanes> {
        let unit = self.moved.unit;
        let (low, high) = from.split_at(from.len().min(LANE / unit));
        let lanes = [low, high].map(|lane| Windows::of(lane, unit, MOST_WINDOWS, LANE));
        (lanes[0].elements + lanes[1].elements == from.len()).then_some(lanes)
    }

    /// Where the windows of this number of both lanes are loaded. One that gives nothing is where both are one load, if it can be.
    fn both(&self, lanes: &Lanes, number: usize) -> [i32; 2] {
        const NEXT: i32 = LANE as i32;
        let reach = &self.moved.reach;
        let given = |lane: &Windows<MOST_WINDOWS>| lane.given().get(number).copied();
        let at = |(first, _)| self.window(first, LANE);
        match [given(&lanes[0]), given(&lanes[1])] {
            [Some(low), None] => match at(low) {
                low if low + 2 * NEXT <= reach.end => [low, low + NEXT],
                low => [low, low],
            },
            [None, Some(high)] => match at(high) {
                high if high - NEXT >= reach.start => [high - NEXT, high],
                high => [high, high],
            },
            [Some(low), Some((first, end))] => {
                let next = at(low) + NEXT;
                let is_next = first >= next && end <= next + NEXT && next + NEXT <= reach.end;
                let high = if is_next { next } else { at((first, end)) };
                [at(low), high]
            }
            [None, None] => [reach.start; 2],
        }
    }

    /// Where a window is loaded that gives what begins there.
    fn window(&self, first: i32, width: usize) -> i32 {
        first.min(self.moved.reach.end - width as i32)
    }

    /// The windows of two lanes that give these elements, each with its order.
    pub fn windows_in_order(&self, from: &[i32]) -> Vec<(i32, Order)> {
        const ORDER: Order = {
            let mut order = [0; LINE];
            let mut top = ANYWHERE - 1;
            while top < TWO_LANES {
                order[top] = NOT_GIVEN;
                top += ANYWHERE;
            }
            order
        };
        let places = self.windows_of(from).unwrap_or_default();
        let mut windows: Vec<_> = places.into_iter().map(|at| (at, ORDER)).collect();
        let parts = |&at: &i32| (at..at + self.moved.unit as i32).step_by(ANYWHERE);
        for (at, place) in from.iter().flat_map(parts).enumerate() {
            let within = |window: i32| (0..TWO_LANES as i32).contains(&(place - window));
            let window = windows.iter_mut().find(|(window, _)| within(*window));
            if let Some((window, order)) = window {
                let element = (place - *window) as u32 / ANYWHERE as u32;
                order[at * ANYWHERE..][..ANYWHERE].copy_from_slice(&element.to_le_bytes());
            }
        }
        windows
    }

    /// The windows of lanes that give these elements, those of the same number together, with their order.
    pub fn lanes_in_order(
        &self,
        from: &[i32],
        bytes: usize,
        crossing: Crossing,
    ) -> Vec<([i32; 2], Order)> {
        let unit = self.moved.unit;
        let from = &crossing.before(from, unit)[..from.len()];
        let Some(lanes) = self.lanes_of(from) else {
            return Vec::new();
        };
        let mut order = [0; LINE];
        order[..bytes.max(LANE)].fill(NOT_GIVEN);
        let each = |number| (self.both(&lanes, number), order);
        let mut windows: Vec<_> = (0..count(&lanes)).map(each).collect();
        for (element, &place) in from.iter().enumerate() {
            let at = element * unit;
            let within = |windows: [i32; 2]| place - windows[at / LANE];
            let is_given = |within: i32| (0..=(LANE - unit) as i32).contains(&within);
            let window = windows.iter_mut().find(|(at, _)| is_given(within(*at)));
            if let Some((window, order)) = window {
                let bytes = within(*window) as u8..;
                order[at..at + unit]
                    .iter_mut()
                    .zip(bytes)
                    .for_each(|(order, byte)| *order = byte);
            }
        }
        windows
    }
}

/// The windows of both lanes, those of the same number together.
fn count(lanes: &Lanes) -> usize {
    lanes[0].given().len().max(lanes[1].given().len())
}
