//! When to try again what has failed: ever more rarely, until it succeeds.

use std::sync::atomic::{AtomicU32, Ordering};

/// Requests since the last success, from the first that failed on.
#[derive(Debug, Default)]
pub(crate) struct Attempts(AtomicU32);

impl Attempts {
    /// Whether a request is worth an attempt. After a failure the 2nd request is, then the 4th, the 8th and so on.
    pub(crate) fn is_due(&self) -> bool {
        let before = self.0.load(Ordering::Relaxed);
        if before == 0 {
            return true;
        }
        let request = before.saturating_add(1);
        self.0.store(request, Ordering::Relaxed);
        request.is_power_of_two()
    }

    /// Notes what became of an attempt.
    pub(crate) fn note(&self, succeeded: bool) {
        if succeeded {
            self.0.store(0, Ordering::Relaxed);
        } else {
            self.0.fetch_max(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_is_tried_ever_more_rarely_and_then_always() {
        let attempts = Attempts::default();
        let failing: Vec<bool> = (0..16)
            .map(|_| {
                let is_due = attempts.is_due();
                if is_due {
                    attempts.note(false);
                }
                is_due
            })
            .collect();
        let tried = [1, 2, 4, 8, 16];
        let expected: Vec<bool> = (1..=16).map(|request| tried.contains(&request)).collect();
        assert_eq!(failing, expected);
        attempts.note(true);
        assert!((0..3).all(|_| attempts.is_due()));
    }
}
