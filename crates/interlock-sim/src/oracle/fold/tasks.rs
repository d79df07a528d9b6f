//! Events about tasks that wait.

use crate::oracle::ledger::Ledger;
use crate::oracle::rows::{EndedRow, SubmissionRow, TaskRow};
use crate::oracle::step::{Findings, Step};
use interlock_core::Event;
use interlock_core::event::{Admitted, Spot, Stage};
use interlock_core::words::{Outcome, Payload, PayloadRule, TaskId};

impl Ledger {
    pub(super) fn fold_task(&mut self, step: &Step, event: &Event, found: &mut Findings) {
        match event {
            Event::Admitted(admitted) => self.fold_admitted(step, admitted, found),
            Event::Merged {
                into,
                seq,
                payload,
                priority,
                rank,
            } => {
                self.draw(*seq, found);
                self.folded.insert(*seq, *into);
                self.change(*into, found, |task| {
                    task.priority = *priority;
                    task.spot.rank = *rank;
                });
                self.fold_merged(*into, *seq, payload);
            }
            Event::Folded {
                from,
                into,
                priority,
                rank,
            } => {
                self.fold_folded(*from, *into, found);
                self.change(*into, found, |task| {
                    task.priority = *priority;
                    task.spot.rank = *rank;
                });
            }
            Event::Moved { task, to, spot } => self.fold_moved(step, *task, to, *spot, found),
            Event::DependencyMet { task, on } => {
                let led = |id: &TaskId| self.leads_to(*id) == self.leads_to(*on);
                let waits = self
                    .tasks
                    .get(task)
                    .map(|row| row.unmet.clone())
                    .unwrap_or_default();
                let left = waits.into_iter().filter(|id| !led(id)).collect();
                self.change(*task, found, |row| row.unmet = left);
            }
            Event::Bumped {
                task,
                priority,
                rank,
                ..
            } => self.change(*task, found, |row| {
                row.priority = *priority;
                row.spot.rank = *rank;
            }),
            Event::SetAside { task, charges } => self.change(*task, found, |row| {
                row.set_aside = true;
                row.aside = charges.to_vec();
            }),
            Event::LastRun { task, by } => {
                self.change(*task, found, |row| row.last_run_by = Some(*by));
            }
            Event::Ended { task, outcome, .. } => {
                let running = self.tasks.get(task).is_some_and(TaskRow::is_running);
                found.expect(!running, || format!("task {task} ended while it runs"));
                self.end(*task, *outcome, found);
            }
            other => found.add(format!("the ledger does not know {other:?}")),
        }
    }

    fn draw(&mut self, id: TaskId, found: &mut Findings) {
        let last = self.last_task;
        found.expect(last.is_none_or(|last| last < id), || {
            format!("task {id} was numbered after {last:?}")
        });
        self.last_task = Some(id);
    }

    fn fold_admitted(&mut self, step: &Step, admitted: &Admitted, found: &mut Findings) {
        self.draw(admitted.task, found);
        self.told.insert(admitted.task);
        let mut task = new_row(step, admitted);
        for (resource, _) in &task.claims {
            self.row(resource).tasks.insert(task.id);
        }
        self.arrive(&mut task);
        self.put(task, found);
    }

    /// Changes a task in place, keeping the indexes right.
    pub(super) fn change(
        &mut self,
        id: TaskId,
        found: &mut Findings,
        change: impl FnOnce(&mut TaskRow),
    ) {
        let Some(mut task) = self.tasks.remove(&id) else {
            return found.add(format!("an event concerns task {id}, which is not live"));
        };
        self.unlist(&task);
        change(&mut task);
        self.arrive(&mut task);
        self.put(task, found);
    }

    fn put(&mut self, task: TaskRow, found: &mut Findings) {
        let alone = self.list(&task);
        found.expect(alone, || {
            format!("task {} has the spot {:?} of another", task.id, task.spot)
        });
        self.tasks.insert(task.id, task);
    }

    fn fold_moved(
        &mut self,
        step: &Step,
        id: TaskId,
        to: &Stage,
        spot: Spot,
        found: &mut Findings,
    ) {
        let running = self.tasks.get(&id).is_some_and(TaskRow::is_running);
        found.expect(!running && !matches!(to, Stage::Running { .. }), || {
            format!("task {id} moved to {to:?} without a run that began or ended")
        });
        self.change(id, found, |task| {
            task.stage = to.clone();
            task.spot = spot;
            task.moved = step.at;
            if !matches!(to, Stage::InLine | Stage::Outside(_)) {
                task.set_aside = false;
            }
        });
    }

    fn fold_merged(&mut self, into: TaskId, seq: TaskId, payload: &Payload) {
        let rule = self
            .tasks
            .get(&into)
            .and_then(|task| self.payload_rule(task));
        let Some(task) = self.tasks.get_mut(&into) else {
            return;
        };
        task.payload = join(rule, task.payload.take(), Some(payload.clone()));
        task.window_start = None;
        task.submissions.push(SubmissionRow { seq, due: None });
    }

    fn fold_folded(&mut self, from: TaskId, into: TaskId, found: &mut Findings) {
        let Some(gone) = self.tasks.remove(&from) else {
            return found.add(format!("task {from} was folded but is not live"));
        };
        found.expect(!gone.is_running(), || {
            format!("task {from} was folded while it runs")
        });
        self.unlist(&gone);
        self.forget(&gone);
        self.folded.insert(from, into);
        let rule = self.payload_rule(&gone);
        let Some(task) = self.tasks.get_mut(&into) else {
            return found.add(format!(
                "task {from} was folded into {into}, which is not live"
            ));
        };
        let before = ends(task) < starts(&gone);
        let after = ends(&gone) < starts(task);
        let (mine, other) = (task.payload.take(), gone.payload.clone());
        task.payload = match rule {
            Some(PayloadRule::Latest) if ends(&gone) > ends(task) => other,
            Some(PayloadRule::First) if starts(&gone) < starts(task) => other,
            Some(PayloadRule::Latest | PayloadRule::First) => mine,
            Some(PayloadRule::Append) if before => join(rule, mine, other),
            Some(PayloadRule::Append) if after => join(rule, other, mine),
            _ => None,
        };
        task.window_start = None;
        task.schedule = task.schedule.take().or(gone.schedule);
        task.submissions.extend(gone.submissions);
        task.submissions.sort_by_key(|submission| submission.seq);
    }

    fn payload_rule(&self, task: &TaskRow) -> Option<PayloadRule> {
        let kind = self.kind(task.kind)?;
        kind.kind.coalesce.as_ref().map(|coalesce| coalesce.payload)
    }

    /// Ends a task that no run holds any more.
    pub(super) fn end(&mut self, id: TaskId, outcome: Outcome, found: &mut Findings) {
        let Some(task) = self.tasks.remove(&id) else {
            return found.add(format!("task {id} ended but is not live"));
        };
        self.unlist(&task);
        self.forget(&task);
        let row = EndedRow {
            outcome,
            at: self.now,
            last_joined: (task.submissions.last()).map_or(id, |submission| submission.seq),
            claims: task.claims,
        };
        self.ended.insert(id, row);
    }
}

fn starts(task: &TaskRow) -> Option<TaskId> {
    task.submissions.first().map(|submission| submission.seq)
}

fn ends(task: &TaskRow) -> Option<TaskId> {
    task.submissions.last().map(|submission| submission.seq)
}

/// The payload of two submissions, the second one later; unknown if either or the rule is.
fn join(
    rule: Option<PayloadRule>,
    first: Option<Payload>,
    second: Option<Payload>,
) -> Option<Payload> {
    match rule? {
        PayloadRule::Latest => second,
        PayloadRule::First => first,
        PayloadRule::Append => Some(first?.joined(&second?)),
    }
}

fn new_row(step: &Step, admitted: &Admitted) -> TaskRow {
    TaskRow {
        id: admitted.task,
        kind: admitted.kind,
        claims: admitted.claims.to_vec(),
        priority: admitted.priority,
        key: admitted.key.clone(),
        coalesces: admitted.coalesces,
        start_by: admitted.start_by,
        after: admitted.after.clone(),
        unmet: admitted.after.iter().copied().collect(),
        held: admitted.hold,
        parent: admitted.parent,
        schedule: admitted.schedule.clone(),
        stage: admitted.to.clone(),
        spot: admitted.spot,
        spot_of_run: admitted.spot,
        tested: false,
        arrived: false,
        stood: false,
        visiting: false,
        came: Vec::new(),
        let_in: Vec::new(),
        submissions: vec![SubmissionRow {
            seq: admitted.task,
            due: admitted.due,
        }],
        tries: 0,
        losses: 0,
        runs: 0,
        window_start: None,
        last_failure: None,
        last_run_by: None,
        set_aside: false,
        aside: Vec::new(),
        payload: Some(admitted.payload.clone()),
        moved: step.at,
    }
}
