//! The lease of a run as its worker counts it: from the *sending* of the call that granted it, so
//! that it never ends later than the server's own count.

use std::sync::atomic::{AtomicU64, Ordering};

/// How long it may take until a process has ended.
const ENDED_MS: u64 = 100;
/// How long it may take until a handler that was dropped is seen to be gone.
const SEEN_GONE_MS: u64 = 70;

/// A lease, in milliseconds of the clock that includes sleep.
#[derive(Debug)]
pub(super) struct Lease {
    granted_from: AtomicU64,
    length_ms: u64,
}

impl Lease {
    pub(super) fn new(granted_from: u64, length_ms: u64) -> Self {
        Self {
            granted_from: AtomicU64::new(granted_from),
            length_ms,
        }
    }

    /// A call that was sent then has renewed it.
    pub(super) fn renew(&self, sent: u64) {
        self.granted_from.fetch_max(sent, Ordering::AcqRel);
    }

    /// When the next beat is due: after a third.
    pub(super) fn beat_at(&self) -> u64 {
        self.at(1, 3)
    }

    /// From when on a handler is not begun before a beat was answered.
    pub(super) fn late_at(&self) -> u64 {
        self.at(1, 2)
    }

    /// When the handler is told to stop, and its result counts no more.
    pub(super) fn cancel_at(&self) -> u64 {
        self.at(80, 100)
    }

    /// When the handler is dropped: at 0.9, or as much earlier as it takes to see that it is gone.
    pub(super) fn abort_at(&self) -> u64 {
        self.exit_at() - (self.length_ms * 7 / 100).max(SEEN_GONE_MS)
    }

    /// When the process ends if the handler is still there: at 0.97, or as much earlier as it takes
    /// to end a process on a busy machine.
    pub(super) fn exit_at(&self) -> u64 {
        self.at(1, 1) - (self.length_ms * 3 / 100).max(ENDED_MS)
    }

    pub(super) fn is_over(&self, now: u64) -> bool {
        now >= self.cancel_at()
    }

    fn at(&self, part: u64, of: u64) -> u64 {
        self.granted_from.load(Ordering::Acquire) + self.length_ms * part / of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_happens_before_the_lease_ends_and_in_order() {
        let lease = Lease::new(1_000, 15_000);
        let steps = [
            lease.beat_at(),
            lease.late_at(),
            lease.cancel_at(),
            lease.abort_at(),
            lease.exit_at(),
        ];
        assert_eq!(steps, [6_000, 8_500, 13_000, 14_500, 15_550]);
        assert!(steps.is_sorted() && lease.exit_at() < 16_000);
    }

    #[test]
    fn a_short_lease_leaves_time_to_end_the_process_too() {
        for length_ms in 1_000..10_000 {
            let lease = Lease::new(0, length_ms);
            let steps = [lease.cancel_at(), lease.abort_at(), lease.exit_at()];
            assert!(steps.is_sorted(), "{length_ms}: {steps:?}");
            assert!(lease.exit_at() + ENDED_MS <= length_ms, "{length_ms}");
        }
    }

    #[test]
    fn an_older_answer_does_not_shorten_it() {
        let lease = Lease::new(1_000, 10_000);
        lease.renew(5_000);
        lease.renew(3_000);
        assert!(!lease.is_over(12_999));
        assert!(lease.is_over(13_000));
    }
}
