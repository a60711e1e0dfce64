//! What was derived last, by what it was derived from.

use crate::hash::WordHash;
use core::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

/// Values by their keys, of which each has one of `PLACES` places.
pub(super) struct Recent<K, V, const PLACES: usize>(Mutex<[Option<(K, V)>; PLACES]>);

impl<K: Clone + Hash + Eq, V: Clone, const PLACES: usize> Recent<K, V, PLACES> {
    pub const fn new() -> Self {
        Self(Mutex::new([const { None }; PLACES]))
    }

    /// The value of a key, and whether it was known.
    pub fn get(&self, key: &K, derive: impl FnOnce(&K) -> V) -> (V, bool) {
        let mut hash = WordHash::default();
        key.hash(&mut hash);
        let place = (hash.finish() >> 32) as usize % PLACES;
        let recent = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, value)) = &recent()[place]
            && known == key
        {
            return (value.clone(), true);
        }
        // Derived without the lock; two threads that derive the same keep either.
        let value = derive(key);
        let derived = Some((key.clone(), value.clone()));
        // What had the place is dropped without it, too.
        let _earlier = core::mem::replace(&mut recent()[place], derived);
        (value, false)
    }
}
