//! The ways to take the loops around a Move.

/// How the loops around a Move are taken: what is done once for all turns, for some, or for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Drive {
    /// Each turn by itself.
    Each,
    /// All turns of the innermost loop at once.
    Innermost,
    /// The same where each turn has few narrow rows, whose places stay in registers.
    Few,
    /// Each turn by a mover of short rows that is found once.
    Short,
    /// All turns by the same rows of a look-up, which are found once.
    Kept,
    /// All turns, which begin where indices say, by a list of their few rows.
    Listed,
    /// Each turn of so many loops, the last of which alone begins where indices say, with all loops inside it, of which it is known how they
    /// are moved. In a byte, as every schedule has one.
    Begun(u8),
    /// The few rows of one or more innermost loops at once.
    Together(Together),
}

/// Loops whose rows are moved together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Together {
    /// In a byte, as every schedule has one.
    loops: u8,
    /// Their rows lie at one distance in the destination.
    pub in_sequence: bool,
}

impl Together {
    /// So many loops; fewer than 64, as each has two turns at least.
    pub fn new(loops: usize, in_sequence: bool) -> Self {
        let loops = loops as u8;
        Self { loops, in_sequence }
    }

    /// How many, from the innermost on.
    pub fn loops(self) -> usize {
        self.loops.into()
    }
}
