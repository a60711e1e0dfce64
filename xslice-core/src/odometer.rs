//! Counting through nested loops, for whoever looks positions up with the counters: checks, strings, moves whose tables say where turns are.

/// The most loops that a nest can have: each has at least 2 turns, and their product fits in memory.
pub(crate) const MOST_LOOPS: usize = 64;

/// Nested loops, of which one may begin later.
#[derive(Clone, Copy)]
pub(crate) struct Loops<'a> {
    /// Turns that each takes, outermost first.
    pub extents: &'a [usize],
    /// The loop that does not begin at turn 0, and where it begins.
    pub late: Option<(usize, usize)>,
}

impl<'a> Loops<'a> {
    pub fn whole(extents: &'a [usize]) -> Self {
        let late = None;
        Self { extents, late }
    }

    /// The turn that loop `k` begins at.
    pub fn begin(&self, k: usize) -> usize {
        match self.late {
            Some((late, turn)) if late == k => turn,
            _ => 0,
        }
    }
}

/// Counters of nested loops, the last one fastest.
pub(crate) struct Odometer<'a> {
    loops: Loops<'a>,
    counters: [usize; MOST_LOOPS],
}

impl<'a> Odometer<'a> {
    pub fn new(loops: Loops<'a>) -> Self {
        let mut counters = [0; MOST_LOOPS];
        if let Some((k, turn)) = loops.late {
            counters[k] = turn;
        }
        Self { loops, counters }
    }

    pub fn counters(&self) -> &[usize] {
        &self.counters[..self.loops.extents.len()]
    }

    /// The next turn; `false` after the last.
    pub fn advance(&mut self) -> bool {
        let loops = self.counters.iter_mut().zip(self.loops.extents);
        for (k, (counter, &extent)) in loops.enumerate().rev() {
            let begin = self.loops.begin(k);
            *counter += 1;
            if *counter < begin + extent {
                return true;
            }
            *counter = begin;
        }
        false
    }
}
