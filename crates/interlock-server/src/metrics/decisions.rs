//! What a cell counts: commands, verdicts, and how runs end.

use super::{DecisionLabels, Metrics, NamespaceLabels, RunLabels, VerdictLabels};
use interlock_api::overview::Totals;
use interlock_core::event::{Event, RunEnd};
use interlock_core::reply::{Answer, Verdict};
use interlock_core::{Command, Record, Reply};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;

/// The commands that are counted, by name.
const COMMANDS: [&str; 8] = [
    "submit", "register", "take", "beat", "finish", "spend", "tick", "other",
];
const VERDICTS: [&str; 5] = ["accepted", "postponed", "coalesced", "rejected", "refused"];
const ENDS: [&str; 6] = [
    "succeeded",
    "failed",
    "released",
    "returned",
    "lost",
    "stopped",
];

/// The counters of one cell, found once.
#[derive(Clone)]
pub struct DecisionMetrics {
    commands: [Counter; COMMANDS.len()],
    verdicts: [Counter; VERDICTS.len()],
    started: Counter,
    ends: [Counter; ENDS.len()],
}

impl DecisionMetrics {
    pub(super) fn new(metrics: &Metrics, namespace: &str) -> Self {
        let namespace = namespace.to_owned();
        Self {
            commands: COMMANDS.map(|command| {
                let namespace = namespace.clone();
                counter(&metrics.decisions, DecisionLabels { namespace, command })
            }),
            verdicts: VERDICTS.map(|verdict| {
                let namespace = namespace.clone();
                counter(&metrics.verdicts, VerdictLabels { namespace, verdict })
            }),
            started: counter(
                &metrics.started,
                NamespaceLabels {
                    namespace: namespace.clone(),
                },
            ),
            ends: ENDS.map(|end| {
                let namespace = namespace.clone();
                counter(&metrics.runs, RunLabels { namespace, end })
            }),
        }
    }

    /// A command is decided.
    pub fn command(&self, command: &Command) {
        let at = match command {
            Command::Submit(_) => 0,
            Command::Register(_) => 1,
            Command::Take(_) => 2,
            Command::Beat(_) => 3,
            Command::Finish { .. } => 4,
            Command::Spend(_) => 5,
            Command::Tick => 6,
            _ => 7,
        };
        self.commands[at].inc();
    }

    /// What came of it.
    pub fn decided(&self, reply: &Reply, record: Option<&Record>) {
        if let Reply::Submitted { answers, .. } = reply {
            for answer in answers {
                self.verdicts[verdict(answer)].inc();
            }
        }
        for event in record.iter().flat_map(|record| &record.events) {
            match event {
                Event::Started(_) => _ = self.started.inc(),
                Event::RunEnded(ended) => _ = self.ends[end(&ended.how)].inc(),
                _ => {}
            }
        }
    }

    /// What was counted so far.
    pub fn totals(&self) -> Totals {
        let [accepted, postponed, coalesced, rejected, refused] =
            self.verdicts.each_ref().map(Counter::get);
        let [succeeded, failed, released, returned, lost, stopped] =
            self.ends.each_ref().map(Counter::get);
        Totals {
            accepted,
            postponed,
            coalesced,
            rejected,
            refused,
            started: self.started.get(),
            succeeded,
            failed,
            released: released + returned,
            lost,
            stopped,
        }
    }
}

fn counter<L>(family: &Family<L, Counter>, labels: L) -> Counter
where
    L: Clone + std::hash::Hash + Eq,
{
    family.get_or_create(&labels).clone()
}

fn verdict(answer: &Answer) -> usize {
    match answer {
        Answer::Admitted(report) if report.verdict == Verdict::Accepted => 0,
        Answer::Admitted(_) => 1,
        Answer::Coalesced(_) => 2,
        Answer::Rejected { .. } => 3,
        Answer::Refused(_) => 4,
    }
}

fn end(how: &RunEnd) -> usize {
    match how {
        RunEnd::Succeeded { .. } => 0,
        RunEnd::Failed { .. } => 1,
        RunEnd::Released => 2,
        RunEnd::Returned => 3,
        RunEnd::Lost => 4,
        RunEnd::Stopped { .. } => 5,
    }
}
