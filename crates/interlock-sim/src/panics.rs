//! Panics of the core are violations like any other: caught, with the place they came from.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};

/// The name that panics are reported under.
pub const PANIC: &str = "panic";

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// From now on panics are remembered instead of printed.
pub fn listen() {
    set_hook(Box::new(|info| {
        let place = info
            .location()
            .map_or_else(String::new, |at| format!("{at}: "));
        let text = info.payload_as_str().unwrap_or("panic");
        LAST.with(|last| *last.borrow_mut() = format!("{place}{text}"));
    }));
}

/// Runs something; a panic becomes its message.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| LAST.with(|last| last.borrow().clone()))
}
