//! Events about runs.

use crate::oracle::ledger::Ledger;
use crate::oracle::rows::RunRow;
use crate::oracle::step::{Findings, Step};
use interlock_core::Event;
use interlock_core::event::{InstanceName, RunEnd, RunEnded, Stage, Started, Then};
use interlock_core::reply::StopWhy;
use interlock_core::words::Token;
use std::collections::BTreeMap;

impl Ledger {
    pub(super) fn concerns_run(event: &Event) -> bool {
        matches!(
            event,
            Event::Started(_)
                | Event::Beaten { .. }
                | Event::BudgetUsed { .. }
                | Event::PermitGranted { .. }
                | Event::PermitDropped { .. }
                | Event::StopAsked { .. }
                | Event::RunEnded(_)
        )
    }

    pub(super) fn fold_run(
        &mut self,
        step: &Step,
        position: u64,
        event: &Event,
        found: &mut Findings,
    ) {
        match event {
            Event::Started(started) => self.fold_started(step, position, started, found),
            Event::RunEnded(ended) => self.fold_run_ended(step, ended, found),
            Event::Beaten { token } => self.with_run(*token, found, |run| {
                run.granted_at_open = None;
            }),
            Event::BudgetUsed {
                token,
                quota,
                used,
                added,
            } => self.with_run(*token, found, |run| {
                let slice = run.slices.iter_mut().find(|(name, _)| name.quota == *quota);
                if let Some((_, units)) = slice {
                    *units = units.saturating_sub(*used) + added;
                }
            }),
            Event::PermitGranted {
                token,
                instance,
                units,
            } => self.with_run(*token, found, |run| {
                *run.permits.entry(instance.clone()).or_default() += units;
            }),
            Event::PermitDropped {
                token,
                instance,
                units,
            } => self.with_run(*token, found, |run| {
                let held: &mut u64 = run.permits.entry(instance.clone()).or_default();
                *held = held.saturating_sub(*units);
            }),
            Event::StopAsked { token, why, .. } => {
                let now = self.now.elapsed;
                self.with_run(*token, found, |run| {
                    run.stop.get_or_insert((*why, now));
                    if *why == StopWhy::Cancelled {
                        run.stop = run.stop.map(|(_, at)| (StopWhy::Cancelled, at));
                    }
                });
            }
            _ => {}
        }
    }

    fn with_run(&mut self, token: Token, found: &mut Findings, change: impl FnOnce(&mut RunRow)) {
        match self.runs.get_mut(&token).filter(|run| !run.ended) {
            Some(run) => change(run),
            None => found.add(format!("an event concerns run {token}, which is not live")),
        }
    }

    fn fold_started(
        &mut self,
        step: &Step,
        position: u64,
        started: &Started,
        found: &mut Findings,
    ) {
        let token = Token {
            generation: self.generation,
            position,
        };
        let covers = self
            .tasks
            .get(&started.task)
            .map_or(0, |task| task.submissions.len());
        let deadline = step.at.elapsed.plus(started.lease_ms);
        let run = RunRow {
            task: started.task,
            session: started.session,
            take: started.take,
            lease_ms: started.lease_ms,
            started: step.at,
            covers,
            deadline,
            granted_at_open: None,
            stop: None,
            charges: started.charges.to_vec(),
            slices: started
                .budgets
                .iter()
                .cloned()
                .collect::<BTreeMap<InstanceName, u64>>(),
            permits: BTreeMap::new(),
            ended: false,
        };
        self.deadlines.insert((deadline, token));
        self.runs.insert(token, run);
        if let Some(session) = self.sessions.get_mut(&started.session) {
            session.runs.insert(token);
        }
        self.change(started.task, found, |task| {
            task.stage = Stage::Running { token };
            task.spot_of_run = task.spot;
            task.runs += 1;
            task.window_start.get_or_insert(step.at.wall);
            task.set_aside = false;
            task.moved = step.at;
        });
    }

    fn fold_run_ended(&mut self, step: &Step, ended: &RunEnded, found: &mut Findings) {
        let token = ended.token;
        let Some(run) = self.runs.get_mut(&token).filter(|run| !run.ended) else {
            return found.add(format!("run {token} ended but is not live"));
        };
        run.ended = true;
        self.deadlines.remove(&(run.deadline, token));
        let (task, session) = (run.task, run.session);
        found.expect(task == ended.task, || {
            format!(
                "run {token} of task {task} ended as one of task {}",
                ended.task
            )
        });
        if let Some(row) = self.sessions.get_mut(&session) {
            row.runs.remove(&token);
            row.lost |= matches!(ended.how, RunEnd::Lost | RunEnd::Stopped { lost: true, .. });
        }
        match &ended.then {
            Then::Done { outcome, .. } => self.end(task, *outcome, found),
            Then::Wait { to, spot } => self.change(task, found, |row| {
                row.stage = to.clone();
                row.spot = *spot;
                row.moved = step.at;
                count(row, &ended.how, step);
            }),
        }
    }

    /// After a recovery each live run has one fresh lease, but not a second one without a beat.
    pub(super) fn fold_fresh_leases(&mut self) {
        let now = self.now.elapsed;
        let live: Vec<Token> = self.deadlines.iter().map(|(_, token)| *token).collect();
        for token in live {
            let Some(run) = self.runs.get_mut(&token) else {
                continue;
            };
            let granted = *run.granted_at_open.get_or_insert(now);
            let deadline = granted.plus(run.lease_ms);
            self.set_deadline(token, deadline);
        }
    }
}

fn count(row: &mut crate::oracle::rows::TaskRow, how: &RunEnd, step: &Step) {
    match how {
        RunEnd::Failed { .. } | RunEnd::Stopped { .. } => {
            row.tries += 1;
            row.last_failure = Some(step.at.wall);
        }
        RunEnd::Lost => row.losses += 1,
        RunEnd::Succeeded { .. } | RunEnd::Released | RunEnd::Returned => {}
    }
}
