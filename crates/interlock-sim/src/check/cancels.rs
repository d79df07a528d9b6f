//! Cancels: by people, with `all` for tasks that stand for several; and by submissions of kinds that
//! cancel other kinds, whatever those wait for.

use super::Checker;
use crate::oracle::{Findings, Ledger, Step};
use interlock_core::event::Event;
use interlock_core::words::{KindId, ResourceName, TaskId};
use interlock_core::{Command, Refusal, Reply};

/// Watches cancels.
#[derive(Default)]
pub struct Cancels {
    /// Submissions that cancel others, not settled yet.
    pending: Vec<Sweeping>,
    /// The first number that the group at hand drew.
    group_from: Option<TaskId>,
}

struct Sweeping {
    by: TaskId,
    kinds: Vec<KindId>,
    resources: Vec<ResourceName>,
    /// Tasks from this one on are items of the same group, and left alone.
    group_from: Option<TaskId>,
}

impl Checker for Cancels {
    fn name(&self) -> &'static str {
        "cancels"
    }

    fn event(&mut self, ledger: &Ledger, step: &Step, _: u64, event: &Event, _: &mut Findings) {
        let group = matches!(&step.command, Some(Command::Submit(submit)) if submit.group);
        if let (true, Some(drawn)) = (group, drawn(event)) {
            self.group_from.get_or_insert(drawn);
        }
        match event {
            Event::Admitted(task) => {
                let resources = task
                    .claims
                    .iter()
                    .map(|(resource, _)| resource.clone())
                    .collect();
                self.note(ledger, task.task, task.kind, resources);
            }
            Event::Merged { into, seq, .. } => {
                if let Some(task) = ledger.tasks.get(into) {
                    let claims = task.claims.iter();
                    let resources = claims.map(|(resource, _)| resource.clone()).collect();
                    self.note(ledger, *seq, task.kind, resources);
                }
            }
            _ => {}
        }
    }

    fn step(&mut self, ledger: &Ledger, step: &Step, found: &mut Findings) {
        self.group_from = None;
        if let Some(Command::Cancel { task, all, .. }) = &step.command {
            judge(ledger, *task, *all, &step.reply, found);
        }
        if step.more || !ledger.is_settled() {
            return;
        }
        for sweeping in std::mem::take(&mut self.pending) {
            sweeping.judge(ledger, found);
        }
    }
}

impl Cancels {
    fn note(&mut self, ledger: &Ledger, by: TaskId, kind: KindId, resources: Vec<ResourceName>) {
        let names = ledger.kind(kind).map_or(&[][..], |row| &row.kind.cancels);
        let kinds: Vec<KindId> = names
            .iter()
            .filter_map(|name| Some(ledger.kind_named(name)?.0))
            .collect();
        if !kinds.is_empty() {
            self.pending.push(Sweeping {
                by,
                kinds,
                resources,
                group_from: self.group_from,
            });
        }
    }
}

fn drawn(event: &Event) -> Option<TaskId> {
    match event {
        Event::Admitted(admitted) => Some(admitted.task),
        Event::Merged { seq, .. } => Some(*seq),
        _ => None,
    }
}

impl Sweeping {
    fn judge(&self, ledger: &Ledger, found: &mut Findings) {
        let rows = self
            .resources
            .iter()
            .filter_map(|resource| ledger.resources.get(resource));
        for task in rows
            .flat_map(|row| &row.tasks)
            .filter_map(|id| ledger.tasks.get(id))
        {
            let together = self.group_from.is_some_and(|first| task.id >= first);
            if task.id >= self.by || together || !self.kinds.contains(&task.kind) {
                continue;
            }
            found.expect(task.is_running() && task.last_run_by.is_some(), || {
                format!(
                    "task {} in {:?} was not cancelled by {}",
                    task.id, task.stage, self.by
                )
            });
        }
    }
}

fn judge(ledger: &Ledger, id: TaskId, all: bool, reply: &Reply, found: &mut Findings) {
    let at = ledger.leads_to(id);
    let task = ledger.tasks.get(&at);
    match reply {
        Reply::Cancelling { running: true } => {
            let told = task.is_some_and(|task| {
                let run = ledger
                    .runs
                    .values()
                    .rev()
                    .find(|run| run.task == task.id && !run.ended);
                run.is_some_and(|run| run.stop.is_some())
            });
            found.expect(told, || {
                format!("the worker of task {id} was not told to stop")
            });
        }
        Reply::Cancelling { running: false } => {
            found.expect(task.is_none(), || {
                format!("task {id} was cancelled but lives on")
            });
        }
        Reply::Refused(Refusal::StandsForSeveral { .. }) => {
            let several = task.is_some_and(|task| task.submissions.len() > 1);
            found.expect(several && !all, || {
                format!("the cancel of {id} (all: {all}) was refused")
            });
        }
        Reply::Refused(Refusal::Ended { outcome, .. }) => {
            let ended = ledger.ended.get(&at).map(|row| row.outcome);
            found.expect(ended == Some(*outcome), || {
                format!("task {id} is said to have ended as {outcome:?}, but {ended:?}")
            });
        }
        Reply::Refused(refusal) => found.expect(task.is_none(), || {
            format!("the cancel of live task {id} was refused: {refusal}")
        }),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture::Story;
    use crate::scenery::name;
    use interlock_core::words::{Kind, Op};
    use std::sync::Arc;

    #[test]
    fn a_scheduled_removal_is_undone() {
        let mut story = Story::new(Cancels::default());
        let mut enroll = Kind::new(name("enroll"));
        enroll.cancels = vec![name("plain")];
        story.events(vec![Event::KindSet {
            id: KindId(1),
            kind: Arc::new(enroll),
        }]);
        story
            .admit(1, &[("host:1", Op::Update)])
            .admit(2, &[("host:2", Op::Update)])
            .fine();
        story.admit_with(3, &[("host:1", Op::Update)], |task| task.kind = KindId(1));
        story.caught("task 1");
    }

    #[test]
    fn a_cancelled_task_is_gone() {
        let mut story = Story::new(Cancels::default());
        story.admit(1, &[]);
        let cancel = Command::Cancel {
            task: TaskId(1),
            all: true,
            by: None,
        };
        story.decide(cancel, Reply::Cancelling { running: false }, Vec::new());
        story.caught("lives on");
    }
}
