//! Sweeps: what concerns many tasks takes effect at once by one event; the tasks are moved in
//! slices, and a crash in between loses nothing, since the sweep itself is in the log.

use super::gates::Candidate;
use crate::Core;
use crate::bugs::Bug;
use crate::command::HoldTarget;
use crate::event::{EndWhy, Event, Stage, Sweep};
use crate::state::SweepState;
use crate::state::task::ResourceIx;
use crate::words::{KindId, Op, Outcome, ResourceName, TaskId};

type Cursor = (KindId, TaskId);

impl Core {
    /// Begins a sweep, unless there is nothing to sweep.
    pub(crate) fn begin_sweep(&mut self, sweep: Sweep) {
        if self.next_swept(&sweep, SweepState::START).is_some() {
            let id = self.state.next_sweep;
            self.emit(Event::SweepBegun { id, sweep });
        }
    }

    /// Goes on with the oldest sweep. Returns whether there was one.
    pub(crate) fn run_sweep(&mut self) -> bool {
        let Some((&id, state)) = self.state.sweeps.first_key_value() else {
            return false;
        };
        let (sweep, mut cursor) = (state.sweep.clone(), state.cursor);
        while self.moves > 0 {
            let Some(next) = self.next_swept(&sweep, cursor) else {
                self.emit(Event::SweepEnded { id });
                return true;
            };
            cursor = next;
            self.moves -= 1;
            self.sweep_one(&sweep, next.1);
        }
        self.emit(Event::SweepMoved { id, cursor });
        true
    }

    /// Whether a sweep under way is going to cancel this task, and why.
    pub(crate) fn swept(&self, id: TaskId) -> Option<EndWhy> {
        if self.state.sweeps.is_empty() {
            return None;
        }
        let task = self.state.task(id);
        let by_group = task.extra().groups.iter().find_map(|group| {
            let by = self.state.groups.get(group)?.cancelled.clone()?;
            Some(EndWhy::Asked { by })
        });
        by_group
            .or_else(|| (task.claims.iter()).find_map(|claim| self.swept_on(claim.resource, id)))
    }

    fn swept_on(&self, index: ResourceIx, id: TaskId) -> Option<EndWhy> {
        let name = &self.state.resources.get(index).name;
        let sweeps = self.state.sweeps_on.get(name)?;
        sweeps.iter().find_map(|sweep| {
            let sweep = &self.state.sweeps[sweep].sweep;
            match sweep {
                Sweep::CancelOnResource { why, .. } if self.is_covered(sweep, id) => {
                    Some(why.clone())
                }
                _ => None,
            }
        })
    }

    fn is_covered(&self, sweep: &Sweep, id: TaskId) -> bool {
        let Sweep::CancelOnResource {
            resource,
            kinds,
            after,
            before,
            spare_creates,
            why,
        } = sweep
        else {
            return false;
        };
        let task = self.state.task(id);
        let spared = *spare_creates && self.creates(id, resource);
        let self_made = matches!(why, EndWhy::CancelledBy { by } if *by == id);
        let too_early = self.bug(Bug::CancelsOnlyDue)
            && matches!(why, EndWhy::CancelledBy { .. })
            && matches!(task.stage, Stage::Scheduled { .. });
        (kinds.is_empty() || kinds.contains(&task.kind))
            && *after < id
            && id < *before
            && !(spared || self_made || too_early)
    }

    fn creates(&self, id: TaskId, resource: &ResourceName) -> bool {
        let claims = &self.state.task(id).claims;
        claims.iter().any(|claim| {
            claim.op == Op::Create && self.state.resources.get(claim.resource).name == *resource
        })
    }

    /// The next task that a sweep has to look at.
    fn next_swept(&self, sweep: &Sweep, cursor: Cursor) -> Option<Cursor> {
        match sweep {
            Sweep::CancelOnResource {
                resource,
                kinds,
                after,
                before,
                ..
            } => self.next_on_resource(resource, cursor, |kind| {
                let wanted = kinds.is_empty() || kinds.contains(&kind);
                wanted.then_some((*after, *before))
            }),
            Sweep::Dependents { of, .. } => {
                let first = self.state.dependents.get(of)?.first()?;
                Some((cursor.0, *first))
            }
            Sweep::CancelGroup { group, .. } => {
                let live = &self.state.groups.get(group)?.live;
                let next = live.range(TaskId(cursor.1.0 + 1)..).next()?;
                Some((cursor.0, *next))
            }
            Sweep::Reroute { what } => match what {
                HoldTarget::Task(_) => None,
                HoldTarget::Resource(name) => self.next_in_order(name, cursor),
                HoldTarget::Kind(name) => {
                    let kind = self.state.kinds.find(name)?;
                    let tasks = &self.state.kinds.get(kind).tasks;
                    let next = tasks.range(TaskId(cursor.1.0 + 1)..).next()?;
                    Some((cursor.0, *next))
                }
                HoldTarget::Namespace => {
                    let next = self.state.tasks.next_after(cursor.1)?;
                    Some((cursor.0, next))
                }
            },
        }
    }

    /// The next task on a resource in order of submission, whatever its kind: those who come back
    /// together come back in the order in which they were accepted.
    fn next_in_order(&self, name: &ResourceName, cursor: Cursor) -> Option<Cursor> {
        let tasks = &self
            .state
            .resources
            .get(self.state.resources.find(name)?)
            .tasks;
        let mut next: Option<TaskId> = None;
        let mut kind = tasks.first().map(|(kind, _)| *kind);
        while let Some(found) = kind {
            let after = (found, TaskId(cursor.1.0 + 1));
            let mine = tasks
                .from(after)
                .next()
                .filter(|(other, _)| *other == found);
            next = [next, mine.map(|(_, task)| *task)]
                .into_iter()
                .flatten()
                .min();
            let others = (KindId(found.0 + 1), TaskId(0));
            kind = tasks.from(others).next().map(|(kind, _)| *kind);
        }
        Some((cursor.0, next?))
    }

    /// The next task on a resource after the cursor, of a kind that is wanted and with an id
    /// strictly between the bounds that `wanted` gives.
    fn next_on_resource(
        &self,
        name: &ResourceName,
        cursor: Cursor,
        wanted: impl Fn(KindId) -> Option<(TaskId, TaskId)>,
    ) -> Option<Cursor> {
        let tasks = &self
            .state
            .resources
            .get(self.state.resources.find(name)?)
            .tasks;
        let mut from = (cursor.0, TaskId(cursor.1.0 + 1));
        loop {
            let &(kind, id) = tasks.from(from).next()?;
            let next_kind = (KindId(kind.0 + 1), TaskId(0));
            from = match wanted(kind) {
                Some((after, _)) if id <= after => (kind, TaskId(after.0 + 1)),
                Some((_, before)) if id < before => return Some((kind, id)),
                _ => next_kind,
            };
        }
    }

    fn sweep_one(&mut self, sweep: &Sweep, id: TaskId) {
        match sweep {
            Sweep::CancelOnResource { why, .. } => {
                if !self.is_covered(sweep, id) {
                    return;
                }
                if !self.state.task(id).is_running() {
                    self.end_waiting(id, Outcome::Cancelled, why.clone());
                } else if let EndWhy::CancelledBy { by } = why {
                    let (task, by) = (id, *by);
                    self.emit(Event::LastRun { task, by });
                }
            }
            Sweep::Dependents { of, succeeded } => self.dependency_ended(id, *of, *succeeded),
            Sweep::CancelGroup { by, .. } => self.cancel_found(id, by.clone()),
            Sweep::Reroute { .. } => self.reroute(id),
        }
    }

    fn dependency_ended(&mut self, id: TaskId, on: TaskId, succeeded: bool) {
        if !succeeded && !self.bug(Bug::DependencyFailureIgnored) {
            let why = EndWhy::DependencyFailed { on };
            return self.end_waiting(id, Outcome::Cancelled, why);
        }
        self.emit(Event::DependencyMet { task: id, on });
        let task = self.state.task(id);
        if task.extra().after.is_empty() && task.stage == Stage::Dependent {
            self.become_possible(id);
        }
    }

    /// A task whose dependencies are met waits for its due time, if that is still to come.
    fn become_possible(&mut self, id: TaskId) {
        let task = self.state.task(id);
        let now = self.state.now;
        match task.extra().due {
            Some(until) if until > now.wall => {
                let (to, spot) = (Stage::Scheduled { until }, task.spot);
                self.emit(Event::Moved { task: id, to, spot });
            }
            _ => self.arrive(id, Some(now.elapsed), &[]),
        }
    }

    /// Looks at a waiting task anew: is it held, has its kind a worker?
    pub(crate) fn reroute(&mut self, id: TaskId) {
        let task = self.state.task(id);
        let candidate = Candidate::of(task);
        let held = self.is_held(&candidate);
        let staffed = self.state.kinds.get(task.kind).staffed;
        let to = match &task.stage {
            Stage::Held if !held => return self.arrive(id, None, &[]),
            Stage::NoWorker if staffed => return self.arrive(id, None, &[]),
            Stage::NoWorker | Stage::InLine | Stage::Outside(_) | Stage::Throttled { .. }
                if held =>
            {
                Stage::Held
            }
            Stage::InLine | Stage::Outside(_) | Stage::Throttled { .. } if !staffed => {
                Stage::NoWorker
            }
            _ => return,
        };
        let spot = task.spot;
        self.emit(Event::Moved { task: id, to, spot });
    }
}
