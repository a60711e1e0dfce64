//! The last line of defence: a defect of xslice becomes a message, not a torrent.
//!
//! No input should ever reach a panic. Where one does, `check` counts a failure and goes on, and every other command ends
//! with one line.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// From now on a panic prints nothing by itself.
pub fn install() {
    panic::set_hook(Box::new(|info| {
        let place = info
            .location()
            .map(|at| format!(" at {}:{}", at.file(), at.line()));
        PLACE.with(|slot| *slot.borrow_mut() = place.unwrap_or_default());
    }));
}

/// The result of `work`, or what its panic says.
pub fn quietly<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let place = PLACE.with(|slot| slot.take());
        format!("{}{place}", message(&*payload))
    })
}

fn message(payload: &(dyn Any + Send)) -> &str {
    if let Some(text) = payload.downcast_ref::<&str>() {
        text
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text
    } else {
        "a panic without a message"
    }
}
