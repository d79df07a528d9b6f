//! Runs begin, spend and end. Who holds a resource or a unit is derived from them and nothing else.

use super::end::Ending;
use crate::bugs::Bug;
use crate::event::{InstanceName, RunEnd, RunEnded, Stage, Started, Then};
use crate::limits;
use crate::row::{PastRun, RowKey};
use crate::state::State;
use crate::state::timers::WallTimer;
use crate::state::worker::Run;
use crate::words::{Payload, QuotaId, TaskId, Token};

impl State {
    pub(crate) fn run_mut(&mut self, token: Token) -> &mut Run {
        self.touched.touch(|| RowKey::Run(token));
        self.runs
            .get_mut(&token)
            .expect("events name live runs only")
    }

    pub(crate) fn apply_started(&mut self, started: &Started, position: u64) {
        let token = Token {
            generation: self.generation,
            position,
        };
        self.return_set_aside(started.task);
        for (name, cost) in &started.charges {
            let cost = u64::from(*cost);
            self.use_units(name, cost);
            self.count_mut(name).live += cost;
        }
        for (name, slice) in &started.budgets {
            self.count_mut(name).out += slice;
        }
        let run = Run {
            token,
            task: started.task,
            session: started.session,
            take: started.take,
            started: self.now,
            lease_ms: started.lease_ms,
            stop: None,
            granted_afresh: None,
            charges: started.charges.clone(),
            budgets: started.budgets.clone(),
            permits: Vec::new(),
        };
        self.runs.insert(token, run);
        self.touched.touch(|| RowKey::Run(token));
        if let Some(session) = self.session_mut(started.session) {
            session.runs.insert(token);
            session.last_take = started.take;
        }
        self.started_in_time(started.task);
        let spot = self.task(started.task).spot;
        self.restage(started.task, Stage::Running { token }, spot);
    }

    /// It has started, so it is not given up any more.
    fn started_in_time(&mut self, id: TaskId) {
        let extra = self.task_mut(id).extra.as_mut();
        if let Some(start_by) = extra.and_then(|extra| extra.start_by.take()) {
            self.timers.wall.remove(&(start_by, WallTimer::StartBy(id)));
        }
    }

    pub(crate) fn apply_budget_used(
        &mut self,
        token: Token,
        quota: QuotaId,
        used: u64,
        added: u64,
    ) {
        let run = self.run_mut(token);
        let budget = run.budgets.iter_mut().find(|(name, _)| name.quota == quota);
        let (name, slice) = budget.expect("the run has this budget");
        let name = name.clone();
        let before = *slice;
        *slice = before.saturating_sub(used) + added;
        let after = *slice;
        let instance = self.count_mut(&name);
        instance.out = instance.out + after - before;
        self.use_units(&name, used);
        // What was out with a run is now a matter of time: timers have to be set anew.
        self.dirty.instances.insert(name);
    }

    pub(crate) fn apply_permit_granted(&mut self, token: Token, name: &InstanceName, units: u64) {
        let instance = self.count_mut(name);
        instance.out += units;
        instance.permits += units;
        let permits = &mut self.run_mut(token).permits;
        match permits.iter_mut().find(|(held, _)| held == name) {
            Some((_, held)) => *held += units,
            None => permits.push((name.clone(), units)),
        }
    }

    pub(crate) fn apply_permit_dropped(&mut self, token: Token, name: &InstanceName, units: u64) {
        let permits = &mut self.run_mut(token).permits;
        let held = permits.iter_mut().find(|(held, _)| held == name);
        held.expect("the run has this permit").1 -= units;
        self.return_permits(name, units);
    }

    /// Permits that are given back occupy their windows from now.
    fn return_permits(&mut self, name: &InstanceName, units: u64) {
        let instance = self.count_mut(name);
        instance.out -= units;
        instance.permits -= units;
        self.use_units(name, units);
        self.dirty.instances.insert(name.clone());
    }

    pub(crate) fn apply_run_ended(&mut self, ended: &RunEnded) {
        let run = self.runs.remove(&ended.token).expect("it was live");
        self.touched.run_is_gone(ended.token);
        let lost = matches!(ended.how, RunEnd::Lost | RunEnd::Stopped { lost: true, .. });
        self.settle_units(&run, lost);
        if let Some(session) = self.session_mut(run.session) {
            session.runs.remove(&ended.token);
            if lost {
                session.lost = true;
            } else if ended.how != RunEnd::Returned {
                session.remember(ended.token, ended.then.answer());
            }
        }
        let now = self.now.wall;
        let task = self.task_mut(run.task);
        match &ended.how {
            RunEnd::Failed { error } => {
                task.tries += 1;
                let extra = task.extra_mut();
                extra.last_failure = Some(now);
                extra.last_error = Some(error.clone());
            }
            RunEnd::Stopped { .. } => {
                task.tries += 1;
                task.extra_mut().last_failure = Some(now);
            }
            RunEnd::Lost => task.losses += 1,
            RunEnd::Succeeded { .. } | RunEnd::Released | RunEnd::Returned => {}
        }
        match &ended.then {
            Then::Done {
                outcome,
                why,
                keep_ms,
            } => {
                let (outcome, keep_ms) = (*outcome, *keep_ms);
                let run_ended = self.touched.on.then(|| self.past_run(&run, &ended.how));
                let ending = Ending {
                    outcome,
                    why,
                    keep_ms,
                    run: run_ended,
                };
                self.end_task(run.task, &ending);
            }
            Then::Wait { to, spot } => {
                let (past, _) = self.past_run(&run, &ended.how);
                let extra = self.task_mut(run.task).extra_mut();
                extra.first_run.get_or_insert(run.started.wall);
                if ended.how != RunEnd::Returned {
                    remember_run(&mut extra.runs, past);
                }
                self.restage(run.task, to.clone(), *spot);
            }
        }
    }

    /// A run as the history keeps it, and what it left for the submitter.
    fn past_run(&self, run: &Run, how: &RunEnd) -> (PastRun, Payload) {
        let (how, result) = match how {
            RunEnd::Succeeded { result } => {
                let kept_apart = Payload::default();
                (RunEnd::Succeeded { result: kept_apart }, result.clone())
            }
            how => (how.clone(), Payload::default()),
        };
        let session = self.sessions.get(&run.session);
        let past = PastRun {
            token: run.token,
            worker: session.map(|session| session.name.clone()),
            started: run.started.wall,
            ended: self.now.wall,
            how,
        };
        (past, result)
    }

    /// Units of a run that ended go back or count as used.
    fn settle_units(&mut self, run: &Run, lost: bool) {
        for (name, cost) in &run.charges {
            self.count_mut(name).live -= u64::from(*cost);
            self.dirty.instances.insert(name.clone());
        }
        for (name, slice) in &run.budgets {
            self.count_mut(name).out -= slice;
            if lost && !self.bug(Bug::LostSliceIsFree) {
                self.use_units(name, *slice);
            }
            self.dirty.instances.insert(name.clone());
        }
        for (name, units) in &run.permits {
            self.return_permits(name, *units);
        }
    }

    /// Counts units as used now.
    fn use_units(&mut self, name: &InstanceName, units: u64) {
        let now = self.now.elapsed;
        if let Some(quota) = self.quotas.get(name.quota).cloned() {
            self.count_mut(name).add_use(&quota, now, units);
        }
    }
}

/// Adds a run to those that are remembered; of too many the second oldest goes.
fn remember_run(runs: &mut Vec<PastRun>, run: PastRun) {
    if runs.len() == limits::RUNS_REMEMBERED {
        runs.remove(1);
    }
    runs.push(run);
}
