//! Folds events into the ledger. Written from the events' documentation alone; it shares no code with
//! the core's `apply`, so that a mistake there does not hide itself here.

mod runs;
mod tasks;

use super::ledger::Ledger;
use super::rows::{KindRow, ScheduleRow, SessionRow};
use super::step::{Findings, Step};
use interlock_core::Event;
use interlock_core::command::HoldTarget;
use interlock_core::words::{Kind, KindId, Name, Schedule, SessionId, TaskId, Wall};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl Ledger {
    /// Folds one event.
    pub fn fold(&mut self, step: &Step, position: u64, event: &Event, found: &mut Findings) {
        let first = self.position == 0;
        found.expect(first || position == self.position, || {
            format!(
                "the log has a gap: position {position}, expected {}",
                self.position
            )
        });
        self.position = position + 1;
        match event {
            Event::Opened { generation } => self.fold_opened(*generation, found),
            Event::NamespaceSet(namespace) => self.namespace = *namespace,
            Event::KindSet { id, kind } => self.fold_kind(*id, kind),
            Event::KindRemoved { id } => self.fold_kind_removed(*id, found),
            Event::KindStaffed { kind, staffed } => {
                if let Some(row) = self.kinds.get_mut(kind) {
                    row.staffed = *staffed;
                }
            }
            Event::QuotaSet { id, quota } => {
                self.quotas.insert(*id, quota.clone());
            }
            Event::QuotaRemoved { id } => {
                self.quotas.remove(id);
            }
            Event::QuotaPaused { instance, until } => {
                self.pauses.insert(instance.clone(), *until);
            }
            Event::ScheduleSet { .. }
            | Event::ScheduleRemoved { .. }
            | Event::SchedulePaused { .. }
            | Event::ScheduleFired { .. } => self.fold_schedule(event),
            Event::Registered { name, kinds } => self.fold_registered(position, name, kinds),
            Event::Departed { session } => self.fold_departed(*session, found),
            Event::Drained { session, .. } => {
                if let Some(row) = self.sessions.get_mut(session) {
                    row.drained = true;
                }
            }
            Event::HoldSet { what, held, .. } => self.fold_hold(what, *held),
            Event::SweepBegun { id, sweep } => {
                self.sweeps.insert(*id, sweep.clone());
            }
            Event::SweepMoved { .. } => {}
            Event::SweepEnded { id } => {
                let known = self.sweeps.remove(id).is_some();
                found.expect(known, || format!("sweep {id} ended but never began"));
            }
            Event::GroupFormed { id, tasks } => {
                self.groups.insert(*id, tasks.clone());
            }
            // What was answered is the idempotency checker's business.
            Event::Remembered { .. } => {}
            _ if Self::concerns_run(event) => self.fold_run(step, position, event, found),
            _ => self.fold_task(step, event, found),
        }
    }

    fn fold_opened(&mut self, generation: u32, found: &mut Findings) {
        found.expect(generation >= self.generation, || {
            format!("generation {generation} after {}", self.generation)
        });
        self.generation = generation;
        self.opened = self.now.elapsed;
        for session in self.sessions.values_mut() {
            session.parked = None;
            session.heard = self.now.elapsed;
        }
        self.fold_fresh_leases();
    }

    fn fold_kind(&mut self, id: KindId, kind: &Arc<Kind>) {
        if let Some(row) = self.kinds.get_mut(&id) {
            let same_rule = row.kind.coalesce == kind.coalesce;
            row.kind = kind.clone();
            row.version += 1;
            // What two rules make of one task is nobody's business.
            for task in self
                .tasks
                .values_mut()
                .filter(|task| task.kind == id && !same_rule)
            {
                if task.submissions.len() > 1 {
                    task.payload = None;
                }
            }
            return;
        }
        let row = KindRow {
            kind: kind.clone(),
            staffed: true,
            line: BTreeMap::new(),
            version: 0,
        };
        self.kinds.insert(id, row);
    }

    fn fold_kind_removed(&mut self, id: KindId, found: &mut Findings) {
        let used = self
            .tasks
            .values()
            .find(|task| task.kind == id)
            .map(|task| task.id);
        found.expect(used.is_none(), || {
            format!("kind {id:?} was removed while task {used:?} has it")
        });
        if used.is_some() {
            return;
        }
        // A hold goes with the kind: another one of the same name begins without.
        if let Some(row) = self.kinds.remove(&id) {
            self.holds.remove(&HoldTarget::Kind(row.kind.name.clone()));
        }
    }

    fn fold_schedule(&mut self, event: &Event) {
        let now = self.now;
        match event {
            Event::ScheduleSet { schedule, next } => self.fold_schedule_set(schedule, *next),
            Event::ScheduleRemoved { name } => {
                self.schedules.remove(name);
            }
            Event::SchedulePaused { name, paused, next } => {
                if let Some(row) = self.schedules.get_mut(name) {
                    row.paused = *paused;
                    row.next = *next;
                }
            }
            Event::ScheduleFired { name, fired, next } => {
                if let Some(row) = self.schedules.get_mut(name) {
                    row.last = Some((now, fired.clone()));
                    row.next = *next;
                    row.fired += 1;
                }
            }
            _ => {}
        }
    }

    fn fold_schedule_set(&mut self, schedule: &Arc<Schedule>, next: Option<Wall>) {
        let old = self.schedules.get(&schedule.name);
        let row = ScheduleRow {
            schedule: schedule.clone(),
            paused: old.is_some_and(|row| row.paused),
            next,
            last: old.and_then(|row| row.last.clone()),
            fired: 0,
        };
        self.schedules.insert(schedule.name.clone(), row);
    }

    fn fold_registered(&mut self, position: u64, name: &Name, kinds: &[KindId]) {
        let row = SessionRow {
            name: name.clone(),
            kinds: kinds.to_vec(),
            lost: false,
            drained: false,
            runs: BTreeSet::new(),
            heard: self.now.elapsed,
            parked: None,
        };
        self.sessions.insert(SessionId(position), row);
    }

    fn fold_departed(&mut self, session: SessionId, found: &mut Findings) {
        let Some(row) = self.sessions.remove(&session) else {
            return found.add(format!("session {session} departed but was not there"));
        };
        found.expect(row.runs.is_empty(), || {
            format!("session {session} departed with live runs {:?}", row.runs)
        });
    }

    fn fold_hold(&mut self, what: &HoldTarget, held: bool) {
        if let HoldTarget::Task(id) = what {
            let id: TaskId = self.leads_to(*id);
            if let Some(task) = self.tasks.get_mut(&id) {
                task.held = held;
            }
        } else if held {
            self.holds.insert(what.clone());
        } else {
            self.holds.remove(what);
        }
    }
}
