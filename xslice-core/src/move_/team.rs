//! Threads that help one thread with what it shares out.
//!
//! Each calling thread has a [`Team`]. It invites threads of its pool, begins to work, and when no part is left it closes the work and
//! waits for those that are at it, never for one that has not come: an invitation that is taken up when the work is closed does nothing. So
//! no call waits for a core that something else uses, but for the end of parts that run. Invitations that nobody has taken up are good for
//! the next work of the same thread, and no more are out than there are threads.
//!
//! To wake a thread takes as long as to move some hundred KiB. So one that has helped stays for a while, as if it were invited: calls often
//! follow each other.

use super::parallel::Shared;
use alloc::sync::Arc;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// In the state: there is work.
const OPEN: usize = 1 << (usize::BITS - 1);

/// In the state: one helper that is at the work, of as many as the lower half has room for; the rest numbers the work.
const HELPER: usize = 1;
const HELPERS: usize = (1 << (usize::BITS / 2)) - 1;

/// A helper stays as long as it has helped, so that it wastes at most half of its time, and at most this long.
const LONGEST_STAY: Duration = Duration::from_micros(100);

/// Then it goes back to its pool, where others may wait for it. A call that follows wakes it at once: it is looking for work there.
const LONGEST_HELP: Duration = Duration::from_millis(1);

/// Looks at the state between two at the clock.
const LOOKS_A_TIME: usize = 32;

/// Looks at the state before a thread that waits goes to sleep: about as many as the end of a part takes.
const LOOKS: usize = 1000;

/// What [`Team`] hands to other threads by its address.
const _: () = {
    const fn may_be_shared<T: Sync>() {}
    may_be_shared::<Shared<'static>>();
};

struct Team {
    caller: Thread,
    /// Invitations that nobody has taken up, and helpers that stay.
    invited: AtomicUsize,
    state: AtomicUsize,
    /// The work, while the state is open or counts a helper.
    work: AtomicPtr<Shared<'static>>,
}

std::thread_local! {
    static TEAM: Arc<Team> = Arc::new(Team {
        caller: thread::current(),
        invited: AtomicUsize::new(0),
        state: AtomicUsize::new(0),
        work: AtomicPtr::new(ptr::null_mut()),
    });
}

/// Runs all parts of `work`, with up to `helpers` helpers. They are all done when this returns.
///
/// # Safety
/// As [`Shared::run`].
pub(super) unsafe fn run(work: &Shared<'_>, helpers: usize) {
    let team = TEAM.try_with(Arc::clone);
    let _open = team.as_ref().ok().map(|team| {
        let missing = helpers.saturating_sub(team.invited.load(Ordering::Relaxed));
        // SAFETY: the guard lives until the end of this function, and so does `work`.
        let open = unsafe { Open::new(team, work) };
        team.invite(missing);
        open
    });
    // SAFETY: by the contract of this function.
    unsafe { work.run() };
}

impl Team {
    /// Invites `threads` threads of the current pool.
    fn invite(self: &Arc<Self>, threads: usize) {
        for _ in 0..threads {
            self.invited.fetch_add(1, Ordering::Relaxed);
            let team = Arc::clone(self);
            rayon::spawn(move || team.help());
        }
    }

    /// What an invited thread does.
    fn help(&self) {
        let (came, mut done) = (Instant::now(), None);
        loop {
            self.invited.fetch_sub(1, Ordering::Relaxed);
            let Some(work) = self.enter(done) else { return };
            let began = Instant::now();
            let inside = Inside(self);
            // SAFETY: the work was open when this thread was counted, and [`Open`] keeps it where it is until nobody is counted any more;
            // its parts may be run by the contract of [`run`].
            unsafe { (*self.work.load(Ordering::Relaxed)).run() };
            if came.elapsed() >= LONGEST_HELP {
                return;
            }
            // Before the caller goes on: it need not invite this thread again.
            self.invited.fetch_add(1, Ordering::Relaxed);
            drop(inside);
            self.stay(work, began.elapsed().min(LONGEST_STAY));
            done = Some(work);
        }
    }

    /// Counts this thread among the helpers and gives the number of the work; `None` if none is open, or only what is `done` here.
    fn enter(&self, done: Option<usize>) -> Option<usize> {
        let enter = |state: usize| {
            let is_new = state & OPEN != 0 && Some(number(state)) != done;
            is_new.then_some(state + HELPER)
        };
        let before = self
            .state
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, enter);
        before.ok().map(number)
    }

    /// Waits for work that follows this one, no longer than `most`.
    fn stay(&self, work: usize, most: Duration) {
        let begin = Instant::now();
        let mut looks = 0;
        loop {
            let state = self.state.load(Ordering::Relaxed);
            let follows = state & OPEN != 0 && number(state) != work;
            if follows || looks == LOOKS_A_TIME && begin.elapsed() >= most {
                return;
            }
            looks = looks % LOOKS_A_TIME + 1;
            core::hint::spin_loop();
        }
    }
}

/// The number of the work of a state.
fn number(state: usize) -> usize {
    state & !OPEN & !HELPERS
}

/// A helper that is at the work.
struct Inside<'a>(&'a Team);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        // Nothing of the work is read after this.
        let before = self.0.state.fetch_sub(HELPER, Ordering::Release);
        if before & (OPEN | HELPERS) == HELPER {
            self.0.caller.unpark();
        }
    }
}

/// Work that helpers may come to. It ends when it is closed and none of them is left.
struct Open<'a>(&'a Team);

impl<'a> Open<'a> {
    /// # Safety
    /// The value is dropped before `work` ends, and [`Shared::run`] may be called until then.
    unsafe fn new(team: &'a Team, work: &Shared<'_>) -> Self {
        let work = ptr::from_ref(work).cast_mut().cast();
        team.work.store(work, Ordering::Relaxed);
        // Nobody is at the work before this one.
        let next = number(team.state.load(Ordering::Relaxed) + HELPERS + 1);
        team.state.store(OPEN | next, Ordering::Release);
        Self(team)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let mut inside = self.0.state.fetch_and(!OPEN, Ordering::Acquire) & HELPERS;
        let mut looks = 0;
        while inside > 0 {
            match looks {
                ..LOOKS => core::hint::spin_loop(),
                _ => thread::park(),
            }
            looks += 1;
            inside = self.0.state.load(Ordering::Acquire) & HELPERS;
        }
    }
}
