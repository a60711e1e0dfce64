//! The different orders of a result.

use super::Order;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use xslice_core::WordHash;

/// All that were asked for, and the number of each.
#[derive(Default)]
pub(super) struct Orders {
    all: Vec<Order>,
    known: HashMap<Order, usize, BuildHasherDefault<WordHash>>,
    /// Those of what is cut now.
    seen: HashSet<usize, BuildHasherDefault<WordHash>>,
}

impl Orders {
    /// What comes now begins without any in registers.
    pub fn begin(&mut self) {
        self.seen.clear();
    }

    /// The number of an order, and whether it is to be loaded, where so many stay in registers.
    pub fn number(&mut self, order: Order, kept: usize) -> (usize, bool) {
        let Self { all, known, seen } = self;
        let number = *known.entry(order).or_insert_with(|| {
            all.push(order);
            all.len() - 1
        });
        let is_new = seen.insert(number);
        (number, is_new || seen.len() > kept)
    }

    pub fn into_all(self) -> Vec<Order> {
        self.all
    }
}
