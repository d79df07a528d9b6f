//! Everything that can be seen of the core's state, against the model's.

use super::{World, kind_name, resource_name, submit};
use crate::reference::{Index, Run, State, Why};
use crate::steps::RESOURCES;
use interlock_core::command::HoldTarget;
use interlock_core::limits::{OUTCOME_MS, REASONS_MAX};
use interlock_core::reply::Reason;
use interlock_core::view::{Found, TaskState, TaskView};
use interlock_core::words::{Name, ResourceName, SessionId};

impl World {
    /// The core's own invariants hold, and every task and resource is as the model says.
    pub(super) fn compare(&self) -> Result<(), String> {
        self.core.check()?;
        (0..self.setup.kinds.len()).try_for_each(|kind| self.model.check_staffed(kind))?;
        self.compare_spots()?;
        for task in 0..self.model.tasks.len() {
            self.compare_task(task)
                .map_err(|why| format!("task {}: {why}", self.id(task)))?;
        }
        for (resource, name) in RESOURCES.iter().enumerate() {
            self.compare_resource(resource)
                .map_err(|why| format!("{name}: {why}"))?;
        }
        let live = self.ids(self.model.all(|task| task.is_live()));
        same("live tasks", &sorted(self.core.live_tasks()), &sorted(live))?;
        let counts = self.core.counts();
        let waiting = self.model.all(|task| task.is_waiting()).len() as u64;
        let running = self.model.all(|task| task.run().is_some()).len() as u64;
        same(
            "counts",
            &(counts.waiting, counts.running),
            &(waiting, running),
        )
    }

    fn ids(&self, tasks: Vec<Index>) -> Vec<interlock_core::words::TaskId> {
        tasks.into_iter().map(|task| self.id(task)).collect()
    }

    fn compare_task(&self, index: Index) -> Result<(), String> {
        let lead = self.model.lead(index);
        let task = &self.model.tasks[lead];
        match (self.core.task(self.id(index)), &task.state) {
            (Found::Ended(got), State::Ended(expected, _)) => same("outcome", &got, expected),
            (Found::Unknown, State::Ended(_, at)) if self.model.now.wall.0 >= at + OUTCOME_MS => {
                Ok(())
            }
            (Found::Live(view), _) if task.is_live() => self.compare_view(lead, &view),
            (found, state) => Err(format!("the core has {found:?}, the model {state:?}")),
        }
    }

    fn compare_view(&self, index: Index, view: &TaskView) -> Result<(), String> {
        let task = &self.model.tasks[index];
        let mut claims: Vec<_> = view
            .claims
            .iter()
            .map(|claim| {
                (
                    self.resource(&claim.resource),
                    claim.op.expect("a task has operations"),
                )
            })
            .collect();
        claims.sort_unstable();
        same("id", &view.task, &task.id)?;
        same("kind", &view.kind, &kind_name(task.kind))?;
        same("claims", &claims, &task.claims)?;
        same("priority", &view.priority, &task.priority)?;
        same("stands for", &view.stands_for, &task.stands_for())?;
        same("tries", &view.tries, &task.tries)?;
        same("losses", &view.losses, &task.losses)?;
        match (&view.state, &task.state) {
            (TaskState::Running { .. }, State::Running(run)) => self.compare_run(run, &view.state),
            (TaskState::Waiting, state) if task.is_waiting() => self
                .compare_reasons(index, view)
                .and_then(|()| self.compare_places(index))
                .map_err(|why| format!("{why}, in state {state:?}")),
            (got, expected) => Err(format!("the state is {got:?} instead of {expected:?}")),
        }
    }

    fn compare_run(&self, run: &Run, got: &TaskState) -> Result<(), String> {
        let expected = TaskState::Running {
            token: run.token,
            worker: self.worker_name(run.session),
            running_ms: self.model.now.elapsed.since(run.started.elapsed),
            lease_ends: interlock_core::words::Elapsed(run.lease_ends),
            progress: None,
            stopping: run.stop.is_some(),
        };
        same("run", got, &expected)
    }

    fn compare_reasons(&self, index: Index, view: &TaskView) -> Result<(), String> {
        let said: Vec<_> = view.reasons.iter().map(|reason| self.why(reason)).collect();
        self.model.reasons(index).agree(&said, REASONS_MAX)
    }

    /// `explain` counts those ahead in each line.
    fn compare_places(&self, index: Index) -> Result<(), String> {
        let task = &self.model.tasks[index];
        let explanation = self.core.explain(task.id).ok_or("it has no explanation")?;
        let said: Vec<_> = explanation
            .causes
            .iter()
            .map(|cause| self.why(&cause.reason))
            .collect();
        self.model.reasons(index).agree(&said, REASONS_MAX)?;
        let got = explanation
            .places
            .iter()
            .map(|place| (self.resource(&place.resource), place.ahead));
        let expected = task.claims.iter().filter(|_| task.state == State::InLine);
        let expected = expected.map(|&(resource, op)| {
            (
                resource,
                self.model.conflicting_ahead(index, resource, op).len(),
            )
        });
        same(
            "places",
            &sorted(got.collect()),
            &sorted(expected.collect()),
        )
    }

    fn compare_resource(&self, resource: usize) -> Result<(), String> {
        let view = self.core.resource(&resource_name(resource));
        let model = &self.model;
        let claims_it = |task: &crate::reference::Task| task.op_on(resource).is_some();
        let outside = model.outside(resource);
        let waiting = model.all(|task| task.is_waiting() && claims_it(task)).len() as u64;
        let holders = self.ids(model.holders(resource));
        same("holders", &sorted(view.holders), &sorted(holders))?;
        same("line", &view.line, &self.ids(model.line(resource)))?;
        same("barriers", &view.barriers, &self.ids(model.chain(resource)))?;
        same("outside", &sorted(view.outside), &sorted(self.ids(outside)))?;
        same("waiting", &view.waiting, &waiting)?;
        same("held", &view.held, &model.held_resources[resource])
    }

    pub(super) fn resource(&self, name: &ResourceName) -> usize {
        RESOURCES
            .iter()
            .position(|known| *known == name.as_str())
            .unwrap_or(usize::MAX)
    }

    fn kind(&self, name: &Name) -> usize {
        self.setup
            .kinds
            .iter()
            .position(|kind| kind.name == *name)
            .unwrap_or(usize::MAX)
    }

    fn worker_name(&self, session: SessionId) -> Name {
        let worker = self
            .workers
            .iter()
            .position(|worker| worker.session == session);
        let name = worker.map_or("keeper".to_owned(), |worker| format!("w{worker}"));
        Name::new(&name).expect("a good name")
    }

    /// A reason in the model's terms.
    pub(super) fn why(&self, reason: &Reason) -> Why {
        let at = |resource: &ResourceName| self.resource(resource);
        match reason {
            Reason::Scheduled { until } => Why::Scheduled(until.0),
            Reason::Gathering { until } => Why::Gathering(until.0),
            Reason::Retrying { until, tries } => Why::Retrying(until.0, *tries),
            Reason::HeldBy { resource, by } => Why::HeldBy(at(resource), by.task),
            Reason::Ahead { resource, by } => Why::Ahead(at(resource), by.task),
            Reason::Behind { resource, by } => Why::Behind(at(resource), by.task),
            Reason::Doomed { resource, by } => Why::Doomed(at(resource), by.task),
            Reason::FutureDecided { resource, by, .. } => Why::FutureDecided(at(resource), by.task),
            Reason::Dependent { on } => Why::Dependent(on.task),
            Reason::DependencyFailed { on } => Why::DependencyFailed(*on),
            Reason::NoWorker { kind } => Why::NoWorker(self.kind(kind)),
            Reason::Ready => Why::Ready,
            Reason::Held { what } => Why::Held(match what {
                HoldTarget::Task(task) => format!("task {task}"),
                HoldTarget::Resource(resource) => format!("resource {}", at(resource)),
                HoldTarget::Kind(kind) => format!("kind {}", self.kind(kind)),
                HoldTarget::Namespace => "namespace".to_owned(),
            }),
            Reason::Throttled { .. } => submit::other("throttled"),
            Reason::EarlierItem { .. } => submit::other("an earlier item"),
        }
    }
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort();
    list
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: &T, expected: &T) -> Result<(), String> {
    if got == expected {
        return Ok(());
    }
    Err(format!("{what}: {got:?} instead of {expected:?}"))
}
