//! Every buffer of bytes in this process lies flush against a page that nobody may touch, after it or before it: a read or write of one
//! byte too many ends the process, whoever does it. So run the case table, strided and dense, and random chains, on every engine and level.

#![cfg(target_os = "linux")]

#[path = "random/agree.rs"]
mod agree;
#[path = "random/call.rs"]
mod call;
#[path = "suite/cases/mod.rs"]
mod cases;
#[path = "random/operators.rs"]
mod operators;
#[path = "random/program.rs"]
mod program;
#[path = "suite/mod.rs"]
mod suite;

use agree::{Tally, check};
use cases::ways;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use suite::from_naive;
use suite::rng::Rng;

/// Gives memory of alignment 1, which is that of tensors, from slots between inaccessible pages; all other memory, and what is too large for
/// a slot, is the system's.
struct Fence;

#[global_allocator]
static FENCE: Fence = Fence;

/// Fenced allocations so far.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The largest that a kernel for the processor has: smaller ones divide it.
const PAGE: usize = if cfg!(target_arch = "x86_64") {
    4 << 10
} else {
    64 << 10
};

/// Bytes of a slot, and of a slot with the page after it.
const ROOM: usize = 64 << 10;
const SLOT: usize = ROOM + PAGE;

const SLOTS: usize = 24_000;

/// Slots that are tried for one that is free: most are, but for names that live long.
const TRIES: usize = 64;

/// Which slots are taken, and where the last free one was found.
static TAKEN: [AtomicBool; SLOTS] = [const { AtomicBool::new(false) }; SLOTS];
static HINT: AtomicUsize = AtomicUsize::new(0);

/// The page before the first slot, once there is one.
static ARENA: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

/// Maps the slots: no page is accessible but those inside of them.
fn map_slots() -> *mut u8 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let len = PAGE + SLOTS * SLOT;
    // SAFETY: a fresh anonymous mapping; what is made accessible lies inside.
    unsafe {
        let map = libc::mmap(std::ptr::null_mut(), len, libc::PROT_NONE, flags, -1, 0);
        if map == libc::MAP_FAILED {
            return std::ptr::null_mut();
        }
        let map = map.cast::<u8>();
        for slot in 0..SLOTS {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let inside = map.add(PAGE + slot * SLOT);
            if libc::mprotect(inside.cast(), ROOM, access) != 0 {
                return std::ptr::null_mut();
            }
        }
        map
    }
}

/// The slot of an address.
fn slot_of(at: *mut u8) -> Option<usize> {
    let first = ARENA.load(Ordering::Acquire).addr() + PAGE;
    let slot = at.addr().checked_sub(first)? / SLOT;
    (first > PAGE && slot < SLOTS).then_some(slot)
}

// SAFETY: a slot is given to one at a time, memory of alignment 1 lies inside it whole; all other memory is given and taken by the system.
unsafe impl GlobalAlloc for Fence {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let arena = ARENA.load(Ordering::Acquire);
        if layout.align() == 1 && layout.size() <= ROOM && !arena.is_null() {
            let hint = HINT.fetch_add(1, Ordering::Relaxed);
            let free = (0..TRIES)
                .map(|turn| (hint + turn) % SLOTS)
                .find(|slot| !TAKEN[*slot].swap(true, Ordering::Acquire));
            if let Some(slot) = free {
                let inside = arena.wrapping_add(PAGE + slot * SLOT);
                // Every second one ends at the page after it, the others begin at the page before.
                return match COUNT.fetch_add(1, Ordering::Relaxed) % 2 {
                    0 => inside.wrapping_add(ROOM - layout.size()),
                    _ => inside,
                };
            }
        }
        // SAFETY: by the contract of this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        match slot_of(at) {
            Some(slot) => TAKEN[slot].store(false, Ordering::Release),
            // SAFETY: by the contract of this function.
            None => unsafe { System.dealloc(at, layout) },
        }
    }
}

/// Fences what is allocated from now on.
fn fence() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let arena = map_slots();
        assert!(!arena.is_null(), "the system gives no pages");
        ARENA.store(arena, Ordering::Release);
    });
}

/// Alternates which buffers are fenced before and which after.
fn twice(mut run: impl FnMut()) {
    fence();
    run();
    COUNT.fetch_add(1, Ordering::Relaxed);
    run();
}

#[test]
fn the_case_table_touches_nothing_outside() {
    let mut runs = 0;
    twice(|| {
        for case in cases::all() {
            match case.expected() {
                Ok(expected) => runs += ways::gives(&case, &from_naive(&expected)),
                Err(_) => drop(ways::refuses(&case)),
            }
        }
    });
    println!(
        "{runs} runs, {} fenced buffers",
        COUNT.load(Ordering::Relaxed)
    );
}

#[test]
fn random_chains_touch_nothing_outside() {
    fence();
    let count = if cfg!(debug_assertions) { 1500 } else { 20_000 };
    let mut tally = Tally::default();
    for seed in 1_000_000..1_000_000 + count {
        check(&format!("seed {seed}"), &mut Rng::new(seed), &mut tally);
    }
    println!(
        "{tally:?}, {} fenced buffers",
        COUNT.load(Ordering::Relaxed)
    );
    assert!(tally.equal > 0);
}

#[test]
fn the_fence_is_there() {
    fence();
    // Where many names live around the next slots, memory is the system's: of many buffers most are fenced.
    let buffers: Vec<_> = (0..2000).map(|_| vec![7u8; 5000]).collect();
    let fenced = |bytes: &&Vec<u8>| slot_of(bytes.as_ptr().cast_mut()).is_some();
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the pages of this process");
    let mut sides = [0, 0];
    for bytes in buffers.iter().filter(fenced) {
        let (first, last) = (bytes.as_ptr().addr(), bytes.as_ptr().addr() + bytes.len());
        let slots = ARENA.load(Ordering::Acquire).addr() + PAGE;
        let is_first = (first - slots).is_multiple_of(SLOT);
        let outside = if is_first { first - 1 } else { last };
        sides[usize::from(is_first)] += 1;
        let is_closed = maps.lines().any(|line| {
            let (range, rest) = line.split_once(' ').expect("a range");
            let (low, high) = range.split_once('-').expect("two ends");
            let number = |text| usize::from_str_radix(text, 16).expect("a number");
            (number(low)..number(high)).contains(&outside) && rest.starts_with("---p")
        });
        assert!(is_closed, "{outside:#x} of {first:#x}..{last:#x}\n{maps}");
        if sides[0] > 5 && sides[1] > 5 {
            return;
        }
    }
    panic!("before and behind: {sides:?}");
}
