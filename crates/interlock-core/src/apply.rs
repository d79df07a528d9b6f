//! Applies events. Dumb on purpose: everything was decided already, so this never refuses.

mod end;
mod run;
mod stage;
mod task;

use crate::command::HoldTarget;
use crate::event::{Event, Fired, Sweep};
use crate::limits;
use crate::row::RowKey;
use crate::state::worker::{Session, Stop};
use crate::state::{Group, Remembered, ScheduleState, State, SweepState, timers::WallTimer};
use crate::words::{GroupId, Name, SessionId, TaskId, Wall};
use end::Ending;
use std::collections::{BTreeSet, VecDeque};

impl State {
    /// Folds one event, decided at `self.now`, into the state.
    pub(crate) fn apply(&mut self, event: &Event) {
        let position = self.position;
        self.position += 1;
        match event {
            Event::Opened { generation } => self.apply_opened(*generation),
            Event::NamespaceSet(namespace) => self.namespace = *namespace,
            Event::KindSet { id, kind } => {
                self.kinds.set(*id, kind.clone());
                self.touched.touch(|| RowKey::Kind(*id));
                // Its quotas may be others now: whoever waits for units is looked at anew.
                self.dirty
                    .instances
                    .extend(self.quotas.queues.iter().cloned());
            }
            Event::KindRemoved { id } => {
                self.kinds.remove(*id);
                self.touched.touch(|| RowKey::Kind(*id));
            }
            Event::KindStaffed { kind, staffed } => {
                self.kinds.get_mut(*kind).staffed = *staffed;
                self.touched.touch(|| RowKey::Kind(*kind));
                self.dirty.kinds.insert(*kind);
            }
            Event::QuotaSet { id, quota } => {
                self.quotas.set(*id, quota.clone());
                self.touched.touch(|| RowKey::Quota(*id));
                let waiting = self.quotas.queues.iter().filter(|name| name.quota == *id);
                self.dirty.instances.extend(waiting.cloned());
            }
            Event::QuotaRemoved { id } => {
                self.quotas.remove(*id);
                self.touched.touch(|| RowKey::Quota(*id));
            }
            Event::QuotaPaused { instance, until } => {
                self.count_mut(instance).paused_until = *until;
                self.dirty.instances.insert(instance.clone());
            }
            Event::ScheduleSet { .. }
            | Event::ScheduleRemoved { .. }
            | Event::SchedulePaused { .. }
            | Event::ScheduleFired { .. } => self.apply_schedule(event),
            Event::Registered { name, kinds } => {
                let id = SessionId(position);
                self.session_names.insert(name.clone(), id);
                let session = Session {
                    id,
                    name: name.clone(),
                    kinds: kinds.as_slice().into(),
                    runs: BTreeSet::new(),
                    last_take: 0,
                    lost: false,
                    draining: false,
                    finished: VecDeque::new(),
                };
                self.sessions.insert(id, session);
                self.touched.touch(|| RowKey::Session(id));
            }
            Event::Departed { session } => {
                self.touched.touch(|| RowKey::Session(*session));
                if let Some(gone) = self.sessions.remove(session)
                    && self.session_names.get(&gone.name) == Some(session)
                {
                    self.session_names.remove(&gone.name);
                }
            }
            Event::Drained { session, .. } => {
                if let Some(session) = self.session_mut(*session) {
                    session.draining = true;
                }
            }
            Event::Admitted(admitted) => self.apply_admitted(admitted),
            Event::Merged {
                into,
                seq,
                payload,
                priority,
                rank,
            } => {
                self.next_task = self.next_task.max(seq.0 + 1);
                self.apply_merged(*into, *seq, payload, *priority, *rank);
            }
            Event::Folded {
                from,
                into,
                priority,
                rank,
            } => self.apply_folded(*from, *into, *priority, *rank),
            Event::Moved { task, to, spot } => self.restage(*task, to.clone(), *spot),
            Event::DependencyMet { task, on } => self.apply_dependency_met(*task, *on),
            Event::Bumped {
                task,
                priority,
                rank,
                ..
            } => {
                self.task_mut(*task).priority = *priority;
                self.rerank(*task, *rank);
            }
            Event::HoldSet { what, held, .. } => self.apply_hold(what, *held),
            Event::SetAside { task, charges } => self.apply_set_aside(*task, charges),
            Event::Started(started) => self.apply_started(started, position),
            Event::Beaten { token } => self.run_mut(*token).granted_afresh = None,
            Event::BudgetUsed {
                token,
                quota,
                used,
                added,
            } => self.apply_budget_used(*token, *quota, *used, *added),
            Event::PermitGranted {
                token,
                instance,
                units,
            } => self.apply_permit_granted(*token, instance, *units),
            Event::PermitDropped {
                token,
                instance,
                units,
            } => self.apply_permit_dropped(*token, instance, *units),
            Event::StopAsked { token, why, by, .. } => {
                let now = self.now.elapsed;
                let run = self.run_mut(*token);
                // The grace counts from the first time it was asked.
                let at = run.stop.as_ref().map_or(now, |stop| stop.at);
                let (why, by) = (*why, by.clone());
                run.stop = Some(Stop { why, at, by });
            }
            Event::LastRun { task, by } => self.task_mut(*task).last_run = Some(*by),
            Event::RunEnded(ended) => self.apply_run_ended(ended),
            Event::Ended {
                task,
                outcome,
                why,
                keep_ms,
            } => {
                let (outcome, keep_ms) = (*outcome, *keep_ms);
                let run = None;
                self.end_task(
                    *task,
                    &Ending {
                        outcome,
                        why,
                        keep_ms,
                        run,
                    },
                );
            }
            Event::SweepBegun { id, sweep } => self.apply_sweep_begun(*id, sweep),
            Event::SweepMoved { id, cursor } => {
                self.touched.touch(|| RowKey::Sweep(*id));
                if let Some(state) = self.sweeps.get_mut(id) {
                    state.cursor = *cursor;
                }
            }
            Event::SweepEnded { id } => self.apply_sweep_ended(*id),
            Event::GroupFormed { id, tasks } => self.apply_group_formed(*id, tasks),
            Event::Remembered {
                key,
                digest,
                reports,
                group,
            } => self.apply_remembered(
                key,
                Remembered {
                    digest: *digest,
                    reports: reports.clone(),
                    group: *group,
                    until: self.now.wall.plus(limits::IDEMPOTENCY_MS),
                },
            ),
        }
    }

    fn apply_opened(&mut self, generation: u32) {
        self.generation = generation;
        let now = self.now.elapsed;
        for run in self.runs.values_mut() {
            run.granted_afresh.get_or_insert(now);
            self.touched.touch(|| RowKey::Run(run.token));
        }
    }

    pub(crate) fn apply_sweep_begun(&mut self, id: u64, sweep: &Sweep) {
        self.next_sweep = id + 1;
        if let Sweep::CancelOnResource { resource, .. } = sweep {
            let on = self.sweeps_on.entry(resource.clone()).or_default();
            on.insert(id);
        }
        if let Sweep::CancelGroup { group, by } = sweep
            && let Some(group) = self.group_mut(*group)
        {
            group.cancelled = Some(by.clone());
        }
        let state = SweepState {
            sweep: sweep.clone(),
            cursor: SweepState::START,
        };
        self.sweeps.insert(id, state);
        self.touched.touch(|| RowKey::Sweep(id));
    }

    fn apply_sweep_ended(&mut self, id: u64) {
        self.touched.touch(|| RowKey::Sweep(id));
        let ended = self.sweeps.remove(&id).map(|state| state.sweep);
        if let Some(Sweep::CancelOnResource { resource, .. }) = ended
            && let Some(on) = self.sweeps_on.get_mut(&resource)
        {
            on.remove(&id);
            if on.is_empty() {
                self.sweeps_on.remove(&resource);
            }
        }
    }

    fn apply_hold(&mut self, what: &HoldTarget, held: bool) {
        // Tasks that were ready all the time may be handed out again.
        let ready = self.kinds.iter().filter(|(_, kind)| !kind.ready.is_empty());
        self.dirty.kinds.extend(ready.map(|(id, _)| id));
        match what {
            HoldTarget::Task(task) => {
                self.same_out(*task);
                self.task_mut(*task).hold = held;
                self.same_in(*task);
            }
            HoldTarget::Resource(name) => {
                let index = self.resources.find_or_add(name);
                self.resources.get_mut(index).hold = held;
                self.touched.touch(|| RowKey::Resource(name.clone()));
                self.mark(index);
            }
            HoldTarget::Kind(name) => {
                if let Some(id) = self.kinds.find(name) {
                    self.kinds.get_mut(id).hold = held;
                    self.touched.touch(|| RowKey::Kind(id));
                }
            }
            HoldTarget::Namespace => self.hold = held,
        }
    }

    fn apply_schedule(&mut self, event: &Event) {
        match event {
            Event::ScheduleSet { schedule, next } => {
                let old = self.forget_firing(&schedule.name);
                let state = ScheduleState {
                    schedule: schedule.clone(),
                    paused: old.as_ref().is_some_and(|old| old.paused),
                    next: None,
                    last: old.as_ref().and_then(|old| old.last),
                    last_fired: old.as_ref().and_then(|old| old.last_fired.clone()),
                    fired: 0,
                    live: old.and_then(|old| old.live),
                };
                self.schedules.insert(schedule.name.clone(), state);
                self.set_firing(&schedule.name, *next);
            }
            Event::ScheduleRemoved { name } => {
                self.forget_firing(name);
            }
            Event::SchedulePaused { name, paused, next } => {
                if let Some(mut state) = self.forget_firing(name) {
                    state.paused = *paused;
                    self.schedules.insert(name.clone(), state);
                    self.set_firing(name, *next);
                }
            }
            Event::ScheduleFired { name, fired, next } => {
                if let Some(mut state) = self.forget_firing(name) {
                    state.last = Some(self.now.wall);
                    state.fired += 1;
                    if let Fired::Submitted { task, .. } = fired {
                        state.live = Some(*task);
                    }
                    state.last_fired = Some(fired.clone());
                    self.schedules.insert(name.clone(), state);
                    self.set_firing(name, *next);
                }
            }
            _ => unreachable!("only events of schedules come here"),
        }
    }

    fn forget_firing(&mut self, name: &Name) -> Option<ScheduleState> {
        self.touched.touch(|| RowKey::Schedule(name.clone()));
        let state = self.schedules.remove(name)?;
        if let Some(next) = state.next {
            let timer = WallTimer::Schedule(name.clone());
            self.timers.wall.remove(&(next, timer));
        }
        Some(state)
    }

    pub(crate) fn set_firing(&mut self, name: &Name, next: Option<Wall>) {
        self.touched.touch(|| RowKey::Schedule(name.clone()));
        if let Some(state) = self.schedules.get_mut(name) {
            state.next = next;
            if let Some(next) = next {
                let timer = WallTimer::Schedule(name.clone());
                self.timers.wall.insert((next, timer));
            }
        }
    }

    fn apply_group_formed(&mut self, id: GroupId, tasks: &[TaskId]) {
        // One item may have cancelled another that had joined an older task.
        let tasks = tasks.iter().map(|task| (*task, self.tasks.outcome(*task)));
        let tasks: Vec<_> = tasks.collect();
        let live = tasks.iter().filter(|(_, outcome)| outcome.is_none());
        let group = Group {
            live: live.map(|(task, _)| *task).collect(),
            tasks,
            cancelled: None,
        };
        for task in &group.live {
            self.task_mut(*task).extra_mut().groups.push(id);
        }
        if !group.live.is_empty() {
            self.groups.insert(id, group);
            self.touched.touch(|| RowKey::Group(id));
        }
    }

    fn apply_remembered(&mut self, key: &Name, remembered: Remembered) {
        while let Some((until, old)) = self.remembered_order.front() {
            if *until > self.now.wall {
                break;
            }
            if self
                .remembered
                .get(old)
                .is_some_and(|kept| kept.until == *until)
            {
                self.remembered.remove(old);
                self.touched.touch(|| RowKey::Remembered(old.clone()));
            }
            self.remembered_order.pop_front();
        }
        self.remembered_order
            .push_back((remembered.until, key.clone()));
        self.remembered.insert(key.clone(), remembered);
        self.touched.touch(|| RowKey::Remembered(key.clone()));
    }
}
