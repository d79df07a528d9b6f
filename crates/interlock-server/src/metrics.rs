//! What is counted, for Prometheus. Counters are found once and then only added to; what can be read
//! from the state is read when somebody asks.

mod commits;
mod decisions;
mod inbox;
mod scrape;

pub use commits::CommitMetrics;
pub use decisions::DecisionMetrics;
pub use inbox::InboxMetrics;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

/// Everything that is counted in this process.
#[derive(Clone)]
pub struct Metrics {
    decisions: Family<DecisionLabels, Counter>,
    verdicts: Family<VerdictLabels, Counter>,
    started: Family<NamespaceLabels, Counter>,
    runs: Family<RunLabels, Counter>,
    commits: CommitMetrics,
    inbox: InboxMetrics,
    /// Requests by route, method and status.
    pub requests: Family<RequestLabels, Counter>,
    /// How long they took, long polls included.
    pub request_seconds: Family<RouteLabels, Histogram>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct DecisionLabels {
    namespace: String,
    command: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct VerdictLabels {
    namespace: String,
    verdict: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct NamespaceLabels {
    namespace: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RunLabels {
    namespace: String,
    end: &'static str,
}

/// A route and how it was answered.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct RequestLabels {
    /// The path as it is declared.
    pub route: String,
    /// The method.
    pub method: &'static str,
    /// The status.
    pub status: u16,
}

/// A route.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct RouteLabels {
    /// The path as it is declared.
    pub route: String,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            decisions: Family::default(),
            verdicts: Family::default(),
            started: Family::default(),
            runs: Family::default(),
            commits: CommitMetrics::default(),
            inbox: InboxMetrics::default(),
            requests: Family::default(),
            request_seconds: Family::new_with_constructor(seconds),
        }
    }
}

impl Metrics {
    /// What the committer counts.
    pub fn commits(&self) -> CommitMetrics {
        self.commits.clone()
    }

    /// What whoever drains the inbox counts.
    pub fn inbox(&self) -> InboxMetrics {
        self.inbox.clone()
    }

    /// What a cell counts.
    pub fn decisions(&self, namespace: &str) -> DecisionMetrics {
        DecisionMetrics::new(self, namespace)
    }

    fn register(&self, registry: &mut Registry) {
        registry.register("decisions", "Commands decided", self.decisions.clone());
        registry.register("verdicts", "Submissions by verdict", self.verdicts.clone());
        registry.register("runs_started", "Runs that began", self.started.clone());
        registry.register("runs_ended", "Runs by how they ended", self.runs.clone());
        registry.register("requests", "HTTP requests", self.requests.clone());
        let seconds = self.request_seconds.clone();
        registry.register("request_seconds", "How long requests took", seconds);
        self.commits.register(registry);
    }
}

fn seconds() -> Histogram {
    Histogram::new(exponential_buckets(0.000_1, 2.0, 18))
}
