//! The Shuffles that were made last.

use super::Shuffle;
use crate::hash::WordHash;
use alloc::sync::Arc;
use core::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

/// A key and what was derived from it.
type Known<K> = Option<(K, Option<Arc<Shuffle>>)>;

/// Shuffles by their keys, of which each has one of so many places.
pub(super) struct Recent<K, const PLACES: usize>(Mutex<[Known<K>; PLACES]>);

impl<K: Clone + Hash + Eq, const PLACES: usize> Recent<K, PLACES> {
    pub const fn new() -> Self {
        Self(Mutex::new([const { None }; PLACES]))
    }

    /// The Shuffle of a key, and whether it was known.
    pub fn shuffle(
        &self,
        key: &K,
        derive: impl FnOnce() -> Option<Arc<Shuffle>>,
    ) -> (Option<Arc<Shuffle>>, bool) {
        let mut hash = WordHash::default();
        key.hash(&mut hash);
        let place = (hash.finish() >> 32) as usize % PLACES;
        let recent = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, shuffle)) = &recent()[place]
            && known == key
        {
            return (shuffle.clone(), true);
        }
        // Derived without the lock; two threads that derive the same keep either.
        let shuffle = derive();
        recent()[place] = Some((key.clone(), shuffle.clone()));
        (shuffle, false)
    }
}
