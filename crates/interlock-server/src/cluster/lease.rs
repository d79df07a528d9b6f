//! The lease of this node, on its own clock: the one that goes on while the machine sleeps.

use super::Term;
use crate::clock::boot_ms;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A tenth of each lease is left unused, for clocks that don't go alike.
const MARGIN: u32 = 10;

/// Until when this node may answer. Never, at first.
#[derive(Default)]
pub struct LeaseClock {
    until_ms: AtomicU64,
    term: AtomicU64,
}

impl LeaseClock {
    /// A lease was granted by an answer to a call that was sent at this time: from then on it counts.
    pub fn granted(&self, sent_ms: u64, left: Duration) {
        let usable = left - left / MARGIN;
        let usable = u64::try_from(usable.as_millis()).unwrap_or(u64::MAX);
        let until = sent_ms.saturating_add(usable);
        self.until_ms.fetch_max(until, Ordering::AcqRel);
    }

    /// It is over, whatever was granted. A lease that is granted after this is another node's.
    pub fn end(&self) {
        self.term.fetch_add(1, Ordering::AcqRel);
        self.until_ms.store(0, Ordering::Release);
    }

    /// Which unbroken time this is.
    pub fn term(&self) -> Term {
        Term(self.term.load(Ordering::Acquire))
    }

    /// For how long it still counts.
    pub fn left(&self) -> Duration {
        let until = self.until_ms.load(Ordering::Acquire);
        Duration::from_millis(until.saturating_sub(boot_ms()))
    }

    /// Whether it still counts.
    pub fn is_valid(&self) -> bool {
        boot_ms() < self.until_ms.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_counts_from_the_sending_and_ends_before_its_end() {
        let lease = LeaseClock::default();
        assert!(!lease.is_valid(), "nothing was granted yet");
        lease.granted(boot_ms(), Duration::from_secs(60));
        assert!(lease.is_valid());
        lease.end();
        assert!(!lease.is_valid());
        // Sent 58 s ago: what is left by this clock is within the margin.
        let lease = LeaseClock::default();
        lease.granted(boot_ms().saturating_sub(58_000), Duration::from_secs(60));
        assert!(!lease.is_valid());
    }

    #[test]
    fn a_late_answer_takes_nothing_back() {
        let lease = LeaseClock::default();
        lease.granted(boot_ms(), Duration::from_secs(60));
        lease.granted(boot_ms().saturating_sub(70_000), Duration::from_secs(60));
        assert!(lease.is_valid());
    }
}
