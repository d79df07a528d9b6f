//! The inbox of the database: how much came through it, and whether its notifications are heard.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// What whoever drains the inbox counts.
#[derive(Clone, Default)]
pub struct InboxMetrics {
    consumed: Counter,
    listening: Gauge,
}

impl InboxMetrics {
    /// So many submissions were consumed.
    pub fn consumed(&self, count: u64) {
        self.consumed.inc_by(count);
    }

    /// Notifications are heard, or not.
    pub fn listening(&self, yes: bool) {
        self.listening.set(i64::from(yes));
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        let help = "Submissions from within transactions that this node consumed";
        registry.register("inbox_consumed", help, self.consumed.clone());
        let help = "Whether notifications of the database are heard; without them the inbox is \
                    looked at once a second";
        registry.register("inbox_listening", help, self.listening.clone());
    }
}
