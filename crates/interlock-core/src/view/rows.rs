//! Hard state as rows of text, to compare two states and to see where they differ.

use crate::Core;
use crate::state::State;
use crate::state::task::Task;
use crate::words::Elapsed;
use std::collections::BTreeMap;

impl Core {
    /// Whether the hard state of both is the same, compared row by row. For tests.
    pub fn same_hard_state(&self, other: &Core) -> Result<(), String> {
        let now = self.state.now.no_earlier_than(other.state.now).elapsed;
        let (ours, theirs) = (self.state.rows(now), other.state.rows(now));
        for (name, row) in &ours {
            match theirs.get(name) {
                Some(their_row) if their_row == row => {}
                Some(their_row) => return Err(format!("{name}:\n  {row}\n  {their_row}")),
                None => return Err(format!("{name} is missing: {row}")),
            }
        }
        match theirs.keys().find(|name| !ours.contains_key(*name)) {
            Some(name) => Err(format!("{name} is too much: {}", theirs[name])),
            None => Ok(()),
        }
    }
}

impl State {
    /// The rows, with use of quotas as far as it matters at this time.
    fn rows(&self, now: Elapsed) -> BTreeMap<String, String> {
        let mut rows = BTreeMap::new();
        let mut row = |name: String, text: String| {
            rows.insert(name, text);
        };
        row(
            "counters".into(),
            format!(
                "{} {} {} {} {} {:?} {}",
                self.position,
                self.generation,
                self.next_task,
                self.next_place,
                self.next_sweep,
                self.namespace,
                self.hold
            ),
        );
        for (id, kind) in self.kinds.iter() {
            let text = format!("{:?} {} {}", kind.kind, kind.hold, kind.staffed);
            row(format!("kind {id}"), text);
            for task in &kind.tasks {
                row(format!("task {task}"), self.task_text(self.task(*task)));
            }
        }
        for (id, quota) in self.quotas.iter() {
            row(format!("quota {id}"), format!("{quota:?}"));
        }
        for (name, instance) in self.quotas.instances.sorted() {
            if !instance.is_unused(now) {
                row(format!("count {name:?}"), instance.row(now));
            }
        }
        for (_, resource) in self.resources.iter() {
            if resource.hold {
                row(format!("resource {}", resource.name), "held".into());
            }
        }
        for (token, run) in &self.runs {
            row(format!("run {token}"), format!("{run:?}"));
        }
        for (id, session) in &self.sessions {
            row(format!("session {id}"), format!("{session:?}"));
        }
        for (name, schedule) in &self.schedules {
            row(format!("schedule {name}"), format!("{schedule:?}"));
        }
        for (id, group) in &self.groups {
            row(format!("group {id}"), format!("{group:?}"));
        }
        for (id, sweep) in &self.sweeps {
            row(format!("sweep {id}"), format!("{sweep:?}"));
        }
        for (key, kept) in &self.remembered {
            row(format!("remembered {key}"), format!("{kept:?}"));
        }
        row("names".into(), format!("{:?}", self.session_names));
        row("aliases".into(), format!("{:?}", self.aliases));
        row("dependents".into(), format!("{:?}", self.dependents));
        rows
    }

    /// A task without what is derived, and with resources by name.
    fn task_text(&self, task: &Task) -> String {
        let claims: Vec<String> = (task.claims.iter())
            .map(|claim| format!("{} {}", claim.op, self.resources.get(claim.resource).name))
            .collect();
        format!(
            "{claims:?} {:?} priority {} coalesces {} hold {} arrived {} at {} joined {} last_run {:?} \
             payload {:?} of {} spot {:?} arrival {} stands_for {} tries {} losses {} at {:?} {:?}",
            task.stage,
            task.priority,
            task.coalesces,
            task.hold,
            task.arrived,
            task.accepted,
            task.joined,
            task.last_run,
            task.payload,
            task.payload_seq,
            task.spot,
            task.arrival,
            task.stands_for,
            task.tries,
            task.losses,
            task.submitted,
            task.extra,
        )
    }
}
