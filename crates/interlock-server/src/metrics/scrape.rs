//! The answer to a scrape: what was counted, and what the state shows now.

use super::{Metrics, NamespaceLabels};
use crate::cell::View;
use crate::cluster::{Cluster, state};
use crate::server::Server;
use interlock_api::node::NodeState;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct KindLabels {
    namespace: String,
    kind: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct CauseLabels {
    namespace: String,
    cause: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct NodeLabels {
    state: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OwnerLabels {
    namespace: String,
    node: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct QuotaLabels {
    namespace: String,
    quota: String,
    limit: String,
}

/// What the state of the namespaces shows.
#[derive(Default)]
struct Gauges {
    waiting: Family<KindLabels, Gauge>,
    running: Family<KindLabels, Gauge>,
    oldest: Family<KindLabels, Gauge>,
    causes: Family<CauseLabels, Gauge>,
    quotas: Family<QuotaLabels, Gauge>,
    sessions: Family<NamespaceLabels, Gauge>,
    parked: Family<NamespaceLabels, Gauge>,
    ready: Family<NamespaceLabels, Gauge>,
    unfolded: Family<NamespaceLabels, Gauge>,
}

/// What a node knows of the others.
#[derive(Default)]
struct ClusterGauges {
    nodes: Family<NodeLabels, Gauge>,
    epochs: Family<OwnerLabels, Gauge>,
    lease: Gauge,
}

/// What one namespace shows.
struct Seen {
    kinds: Vec<(String, u64, u64, u64)>,
    causes: Vec<(&'static str, u64)>,
    quotas: Vec<(String, String, u64)>,
    sessions: u64,
    parked: u64,
    unfolded: u64,
}

impl Metrics {
    /// Everything, in the text format that Prometheus reads.
    pub async fn text(&self, server: &Server) -> String {
        let mut registry = Registry::with_prefix("interlock");
        self.register(&mut registry);
        let gauges = Gauges::default();
        gauges.register(&mut registry);
        if let Some(cluster) = &server.cluster {
            self.inbox.register(&mut registry);
            let gauges = ClusterGauges::default();
            gauges.register(&mut registry);
            gauges.show(cluster);
        }
        for hosted in server.namespaces.all() {
            let namespace = hosted.name.clone();
            let ready = NamespaceLabels {
                namespace: namespace.clone(),
            };
            let is_ready = i64::from(hosted.cell.is_ready());
            gauges.ready.get_or_create(&ready).set(is_ready);
            if let Ok(seen) = hosted.cell.read(Seen::of).await {
                gauges.show(&namespace, seen);
            }
        }
        let mut text = String::new();
        // Writing to a string can't fail.
        let _written = encode(&mut text, &registry);
        text
    }
}

impl Seen {
    fn of(view: &View<'_>) -> Self {
        let counts = view.core.counts();
        let kinds = view.core.kinds().into_iter().map(|kind| {
            let age = kind
                .oldest
                .map_or(0, |oldest| view.now.wall.since(oldest) / 1_000);
            (kind.kind.name.to_string(), kind.waiting, kind.running, age)
        });
        // Counts per resource are too many to be listed here.
        let quotas = view.core.quotas().into_iter();
        let quotas = quotas.filter_map(|quota| view.core.quota(&quota.name, None));
        let quotas = quotas.flat_map(|count| {
            let quota = count.quota.to_string();
            let limits = count.limits.into_iter();
            limits.map(move |one| (quota.clone(), format!("{:?}", one.limit), one.used))
        });
        Self {
            kinds: kinds.collect(),
            causes: view.core.stages().collect(),
            quotas: quotas.collect(),
            sessions: counts.sessions,
            parked: counts.parked_takes,
            unfolded: view.unfolded,
        }
    }
}

impl Gauges {
    fn register(&self, registry: &mut Registry) {
        registry.register("waiting", "Tasks that wait, by kind", self.waiting.clone());
        registry.register("running", "Tasks that run, by kind", self.running.clone());
        let help = "How long the oldest waiting task has been there";
        registry.register("oldest_waiting_seconds", help, self.oldest.clone());
        registry.register("tasks", "Tasks by where they are", self.causes.clone());
        let help = "Units in use of quotas of a whole namespace";
        registry.register("quota_used", help, self.quotas.clone());
        registry.register("sessions", "Sessions of workers", self.sessions.clone());
        let help = "Workers that wait for work";
        registry.register("parked_takes", help, self.parked.clone());
        let help = "Whether the namespace is being served";
        registry.register("namespace_ready", help, self.ready.clone());
        let help = "Events of the log that no checkpoint has folded into the tables yet";
        registry.register("checkpoint_lag_events", help, self.unfolded.clone());
    }

    fn show(&self, namespace: &str, seen: Seen) {
        let gauge = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        for (kind, waiting, running, age) in seen.kinds {
            let labels = KindLabels {
                namespace: namespace.to_owned(),
                kind,
            };
            self.waiting.get_or_create(&labels).set(gauge(waiting));
            self.running.get_or_create(&labels).set(gauge(running));
            self.oldest.get_or_create(&labels).set(gauge(age));
        }
        for (cause, count) in seen.causes {
            let labels = CauseLabels {
                namespace: namespace.to_owned(),
                cause,
            };
            self.causes.get_or_create(&labels).set(gauge(count));
        }
        for (quota, limit, used) in seen.quotas {
            let labels = QuotaLabels {
                namespace: namespace.to_owned(),
                quota,
                limit,
            };
            self.quotas.get_or_create(&labels).set(gauge(used));
        }
        let labels = NamespaceLabels {
            namespace: namespace.to_owned(),
        };
        self.sessions
            .get_or_create(&labels)
            .set(gauge(seen.sessions));
        self.parked.get_or_create(&labels).set(gauge(seen.parked));
        self.unfolded
            .get_or_create(&labels)
            .set(gauge(seen.unfolded));
    }
}

impl ClusterGauges {
    fn register(&self, registry: &mut Registry) {
        registry.register("nodes", "Nodes by state", self.nodes.clone());
        let help = "The epoch of each namespace, and the node that serves it";
        registry.register("namespace_epoch", help, self.epochs.clone());
        let help = "What is left of this node's lease, on its own clock";
        registry.register("node_lease_left_ms", help, self.lease.clone());
    }

    fn show(&self, cluster: &Cluster) {
        let directory = cluster.directory();
        let states = [
            ("alive", NodeState::Alive),
            ("draining", NodeState::Draining),
            ("dead", NodeState::Dead),
        ];
        for (word, wanted) in states {
            let count = directory.nodes.iter().filter(|node| state(node) == wanted);
            let count = i64::try_from(count.count()).unwrap_or(i64::MAX);
            let labels = NodeLabels { state: word };
            self.nodes.get_or_create(&labels).set(count);
        }
        for claim in directory.claims.iter().filter(|claim| claim.is_alive) {
            let owner = claim.owner.and_then(|owner| directory.node(owner));
            let labels = OwnerLabels {
                namespace: claim.name.clone(),
                node: owner.map(|node| node.name.clone()).unwrap_or_default(),
            };
            let epoch = i64::try_from(claim.epoch).unwrap_or(i64::MAX);
            self.epochs.get_or_create(&labels).set(epoch);
        }
        let left = i64::try_from(cluster.lease_left().as_millis());
        self.lease.set(left.unwrap_or(i64::MAX));
    }
}
