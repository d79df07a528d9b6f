//! Commits: how many, how large, how long.

use crate::committer::Commit;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

/// What the committer counts.
#[derive(Clone)]
pub struct CommitMetrics {
    seconds: Histogram,
    bytes: Histogram,
    batches: Histogram,
}

impl Default for CommitMetrics {
    fn default() -> Self {
        Self {
            seconds: super::seconds(),
            bytes: Histogram::new(exponential_buckets(64.0, 4.0, 12)),
            batches: Histogram::new(exponential_buckets(1.0, 2.0, 8)),
        }
    }
}

impl CommitMetrics {
    /// A commit was made.
    pub fn note(&self, commit: &Commit) {
        self.seconds.observe(commit.took.as_secs_f64());
        self.bytes.observe(commit.bytes as f64);
        self.batches.observe(commit.batches as f64);
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        let seconds = self.seconds.clone();
        registry.register("commit_seconds", "How long commits took", seconds);
        registry.register(
            "commit_bytes",
            "Bytes of events per commit",
            self.bytes.clone(),
        );
        let batches = self.batches.clone();
        registry.register("commit_batches", "Batches per commit", batches);
    }
}
