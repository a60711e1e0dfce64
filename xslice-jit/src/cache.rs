//! What a `Jit` remembers: kernels by program and signature, code by structure; bounded.
//!
//! Both tables are found by a 64-bit hash and confirmed by the whole key, by reference: a hit clones nothing but an `Arc`. Two keys
//! with one hash push each other out, which costs time and is never wrong. Errors are not kept.

use crate::kernel::{Code, Kernel};
use crate::key::Structure;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::Arc;
use xslice_core::{Program, Signature, WordHash};

/// Bounds of a cache: see [`Cache`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Bytes of everything.
    pub bytes: usize,
    /// Bytes of code.
    pub code_bytes: usize,
    /// Kernels, and as many structures.
    pub kernels: usize,
}

/// A kernel and what it was compiled from.
#[derive(Debug)]
pub(crate) struct Cached {
    program: Program,
    signature: Signature,
    pub kernel: Kernel,
    /// How often it was asked for again.
    pub hits: u32,
    /// Bytes that no other entry has.
    own: usize,
}

impl Cached {
    pub(crate) fn new(program: &Program, signature: &Signature, kernel: &Kernel) -> Self {
        Self {
            program: program.clone(),
            signature: signature.clone(),
            kernel: kernel.clone(),
            hits: 0,
            own: size_of::<Slot<Self>>() + signature.memory() + kernel.memory(),
        }
    }

    /// What other entries may have too.
    fn shared(&self) -> impl Iterator<Item = Shared> {
        let program = Shared {
            address: self.program.address(),
            bytes: self.program.memory(),
            code: 0,
        };
        std::iter::once(program).chain(self.kernel.codes().map(Shared::code))
    }
}

/// A structure that was seen.
#[derive(Debug)]
struct Known {
    structure: Structure,
    /// How often it was asked for with new numbers.
    asked: u32,
    code: Option<Arc<Code>>,
}

impl Known {
    const OWN: usize = size_of::<Slot<Self>>();

    fn shared(&self) -> impl Iterator<Item = Shared> {
        self.code.iter().map(Shared::code)
    }
}

/// Kernels and code, within [`Limits`] after every insertion.
///
/// Three things are bounded: the kernels (and as many structures), the bytes of machine code in whole pages, and the bytes of everything
/// that lives because the cache holds it, which are plans with their numbers, programs with their constants, signatures, and code. What
/// several entries hold is counted once. While a bound is exceeded, an entry goes: of those that hold what is too much, the oldest that was
/// not used since it was last looked at (second chance). What by itself exceeds the bytes is not kept at all. A kernel that is in use lives
/// on when its entry goes, and its memory is free when the last user is done.
#[derive(Debug)]
pub(crate) struct Cache {
    kernels: Clock<Cached>,
    structures: Clock<Known>,
    held: Held,
    limits: Limits,
}

/// The hash of a whole key.
pub(crate) fn hash_of(program: &Program, signature: &Signature) -> u64 {
    let mut hash = WordHash::default();
    hash.write_u64(program.fingerprint());
    signature.hash(&mut hash);
    hash.finish()
}

fn hash_of_structure(structure: &Structure) -> u64 {
    let mut hash = WordHash::default();
    structure.hash(&mut hash);
    hash.finish()
}

impl Cache {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            kernels: Clock::default(),
            structures: Clock::default(),
            held: Held::default(),
            limits,
        }
    }

    /// The kernel of this program and signature.
    pub(crate) fn find(
        &mut self,
        hash: u64,
        program: &Program,
        signature: &Signature,
    ) -> Option<&mut Cached> {
        let cached = self.kernels.get(hash)?;
        (cached.program == *program && cached.signature == *signature).then_some(cached)
    }

    /// Keeps a kernel, in the place of what has its hash.
    pub(crate) fn keep(&mut self, hash: u64, cached: Cached) {
        let shared = cached.shared().map(|shared| shared.bytes);
        if cached.own + shared.sum::<usize>() > self.limits.bytes {
            return;
        }
        self.held.take(cached.own, cached.shared());
        if let Some(old) = self.kernels.insert(hash, cached) {
            self.held.give(old.own, old.shared());
        }
        self.trim();
    }

    /// Counts a request for `structure` with new numbers, and gives the count and the code that is there.
    pub(crate) fn ask(&mut self, structure: &Structure) -> (u32, Option<Arc<Code>>) {
        let hash = hash_of_structure(structure);
        if let Some(known) = self.structures.get(hash)
            && known.structure == *structure
        {
            known.asked = known.asked.saturating_add(1);
            return (known.asked, known.code.clone());
        }
        let known = Known {
            structure: structure.clone(),
            asked: 1,
            code: None,
        };
        self.replace_structure(hash, known);
        (1, None)
    }

    /// Keeps the code of `structure`, unless another thread was quicker: gives the code to use.
    pub(crate) fn keep_code(&mut self, structure: &Structure, code: Arc<Code>) -> Arc<Code> {
        let hash = hash_of_structure(structure);
        let mut asked = 1;
        if let Some(known) = self.structures.get(hash)
            && known.structure == *structure
        {
            if let Some(first) = &known.code {
                return Arc::clone(first);
            }
            asked = known.asked;
        }
        let known = Known {
            structure: structure.clone(),
            asked,
            code: Some(Arc::clone(&code)),
        };
        self.replace_structure(hash, known);
        code
    }

    fn replace_structure(&mut self, hash: u64, known: Known) {
        self.held.take(Known::OWN, known.shared());
        if let Some(old) = self.structures.insert(hash, known) {
            self.held.give(Known::OWN, old.shared());
        }
        self.trim();
    }

    /// Back within the bounds.
    fn trim(&mut self) {
        let limits = self.limits;
        while self.kernels.len() > limits.kernels {
            self.drop_kernel(|_| true);
        }
        while self.structures.len() > limits.kernels {
            self.drop_structure(|_| true);
        }
        // Code is gone when neither table holds it: the oldest of each go in turn.
        let mut dropped = true;
        while dropped && self.held.code > limits.code_bytes {
            dropped = self.drop_structure(|known| known.code.is_some());
            if self.held.code > limits.code_bytes {
                dropped |= self.drop_kernel(|cached| cached.kernel.codes().next().is_some());
            }
        }
        // The table with more entries gives one: were it always the kernels', structures could leave no room for any.
        let mut dropped = true;
        while dropped && self.held.bytes > limits.bytes {
            dropped = match self.kernels.len() > self.structures.len() {
                true => self.drop_kernel(|_| true),
                false => self.drop_structure(|_| true),
            };
        }
        debug_assert!(self.kernels.len() <= limits.kernels);
        debug_assert!(self.held.code <= limits.code_bytes && self.held.bytes <= limits.bytes);
    }

    fn drop_kernel(&mut self, which: impl Fn(&Cached) -> bool) -> bool {
        let evicted = self.kernels.evict(which);
        if let Some(cached) = &evicted {
            self.held.give(cached.own, cached.shared());
        }
        evicted.is_some()
    }

    fn drop_structure(&mut self, which: impl Fn(&Known) -> bool) -> bool {
        let evicted = self.structures.evict(which);
        if let Some(known) = &evicted {
            self.held.give(Known::OWN, known.shared());
        }
        evicted.is_some()
    }

    /// Number of kernels.
    pub(crate) fn len(&self) -> usize {
        self.kernels.len()
    }

    /// Bytes of everything that the cache keeps alive.
    pub(crate) fn bytes(&self) -> usize {
        self.held.bytes
    }

    /// Bytes of code that the cache keeps alive.
    pub(crate) fn code_bytes(&self) -> usize {
        self.held.code
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.limits);
    }
}

/// What several entries may hold.
struct Shared {
    address: usize,
    bytes: usize,
    /// Of them, code.
    code: usize,
}

impl Shared {
    fn code(code: &Arc<Code>) -> Self {
        Self {
            address: Arc::as_ptr(code).addr(),
            bytes: code.bytes() + Code::HEAP,
            code: code.bytes(),
        }
    }
}

/// Bytes held by the cache; what is shared is counted once however many entries share it.
#[derive(Debug, Default)]
struct Held {
    /// Entries that hold what lies at an address.
    entries: HashMap<usize, usize, BuildHasherDefault<WordHash>>,
    bytes: usize,
    /// Of them, code.
    code: usize,
}

impl Held {
    fn take(&mut self, own: usize, shared: impl Iterator<Item = Shared>) {
        self.bytes += own;
        for shared in shared {
            let entries = self.entries.entry(shared.address).or_insert(0);
            *entries += 1;
            if *entries == 1 {
                self.bytes += shared.bytes;
                self.code += shared.code;
            }
        }
    }

    fn give(&mut self, own: usize, shared: impl Iterator<Item = Shared>) {
        self.bytes -= own;
        for shared in shared {
            let Some(entries) = self.entries.get_mut(&shared.address) else {
                continue;
            };
            *entries -= 1;
            if *entries == 0 {
                self.entries.remove(&shared.address);
                self.bytes -= shared.bytes;
                self.code -= shared.code;
            }
        }
    }
}

/// A table whose keys are hashes, with second chance.
#[derive(Debug)]
struct Clock<V> {
    slots: HashMap<u64, Slot<V>, BuildHasherDefault<Ready>>,
    /// Every key once, the next candidate first.
    ring: VecDeque<u64>,
}

#[derive(Debug)]
struct Slot<V> {
    value: V,
    used: bool,
}

impl<V> Default for Clock<V> {
    fn default() -> Self {
        Self {
            slots: HashMap::default(),
            ring: VecDeque::new(),
        }
    }
}

impl<V> Clock<V> {
    fn len(&self) -> usize {
        self.slots.len()
    }

    fn get(&mut self, hash: u64) -> Option<&mut V> {
        let slot = self.slots.get_mut(&hash)?;
        slot.used = true;
        Some(&mut slot.value)
    }

    /// Gives what had this hash before.
    fn insert(&mut self, hash: u64, value: V) -> Option<V> {
        let old = self.slots.insert(hash, Slot { value, used: false });
        if old.is_none() {
            self.ring.push_back(hash);
        }
        old.map(|slot| slot.value)
    }

    /// Takes out the oldest entry of `which` that was not used since it was last looked at.
    fn evict(&mut self, which: impl Fn(&V) -> bool) -> Option<V> {
        // After one round no entry of `which` is marked as used any more.
        for _ in 0..2 * self.ring.len() {
            let hash = self.ring.pop_front()?;
            if let Some(slot) = self.slots.get_mut(&hash) {
                let wanted = which(&slot.value);
                if wanted && !slot.used {
                    return self.slots.remove(&hash).map(|slot| slot.value);
                }
                slot.used &= !wanted;
            }
            self.ring.push_back(hash);
        }
        None
    }
}

/// The key is a hash already.
#[derive(Debug, Default)]
struct Ready(u64);

impl Hasher for Ready {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
