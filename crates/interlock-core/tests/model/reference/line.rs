//! The line: who stands in it, in which order, and who is ready (design §4).

use super::{Index, Model, Resource, State, Task};
use interlock_core::words::{Op, Outcome};

impl Model {
    /// The tasks that stand in the line of a resource, in order.
    pub(crate) fn line(&self, resource: Resource) -> Vec<Index> {
        let mut line =
            self.all(|task| task.state == State::InLine && task.op_on(resource).is_some());
        line.sort_by_key(|&task| self.tasks[task].order());
        line
    }

    /// The tasks whose runs hold a resource.
    pub(crate) fn holders(&self, resource: Resource) -> Vec<Index> {
        self.all(|task| task.run().is_some() && task.op_on(resource).is_some())
    }

    /// The runs on a resource that exclude this operation.
    pub(crate) fn conflicting_holders(&self, resource: Resource, op: Op) -> Vec<Index> {
        let mut holders = self.holders(resource);
        holders.retain(|&task| conflicts(&self.tasks[task], resource, op));
        holders
    }

    /// The tasks ahead of this one in the line of a resource that exclude its operation, in order.
    pub(crate) fn conflicting_ahead(&self, me: Index, resource: Resource, op: Op) -> Vec<Index> {
        let mut line = self.line(resource);
        line.retain(|&task| {
            self.tasks[task].order() < self.tasks[me].order()
                && conflicts(&self.tasks[task], resource, op)
        });
        line
    }

    /// A task in line is ready when all of its claims are free.
    pub(crate) fn is_ready(&self, me: Index) -> bool {
        self.tasks[me].state == State::InLine
            && self.tasks[me].claims.iter().all(|&(resource, op)| {
                self.conflicting_holders(resource, op).is_empty()
                    && self.conflicting_ahead(me, resource, op).is_empty()
            })
    }

    /// The ready tasks of the kinds wanted, best first.
    pub(crate) fn ready(&self, wants_kind: impl Fn(usize) -> bool) -> Vec<Index> {
        let mut ready = self.all(|task| task.state == State::InLine && wants_kind(task.kind));
        ready.retain(|&task| self.is_ready(task));
        ready.sort_by_key(|&task| self.tasks[task].order());
        ready
    }

    /// A task has become possible: from now on it only waits for others. The first time it is tested
    /// against the futures of its resources.
    pub(crate) fn become_possible(&mut self, me: Index) {
        if self.tasks[me].admitted.is_none() {
            if !self.decided_against(me).is_empty() {
                return self.end(me, Outcome::Cancelled);
            }
            self.tasks[me].admitted = Some(self.clock);
        } else if self.comes_to_create_again(me) {
            return self.end(me, Outcome::Cancelled);
        }
        self.tasks[me].since = self.now.elapsed.0;
        if self.tasks[me].came.is_none() || !self.tasks[me].is_lifecycle() {
            self.tasks[me].positions.fill(self.clock);
        }
        if !self.tasks[me].at_work {
            self.tasks[me].rank = self.natural_rank(me);
        }
        self.tasks[me].state = State::Kept;
        if !self.is_kept(me) {
            self.come(me);
        }
    }

    /// t − priority × step.
    pub(crate) fn natural_rank(&self, me: Index) -> i64 {
        let task = &self.tasks[me];
        task.since.cast_signed() - i64::from(task.priority) * self.step_ms
    }

    /// Moves everybody to where the rules want them, after something changed: out of the lines if
    /// kept, to the resources if not kept any more, into the lines if behind nobody any more.
    pub(crate) fn settle(&mut self) {
        for task in self.all(|task| matches!(task.state, State::Outside | State::InLine)) {
            if self.is_kept(task) {
                self.tasks[task].state = State::Kept;
            }
        }
        for task in self.all(|task| task.state == State::Kept) {
            // Whoever is released is looked at again, also if it has no worker yet.
            let is_held = self.is_held(task);
            let was_held = std::mem::replace(&mut self.tasks[task].was_held, is_held);
            if was_held && !is_held && self.comes_to_create_again(task) {
                self.end(task, Outcome::Cancelled);
            }
            if self.tasks[task].state == State::Kept && !self.is_kept(task) {
                self.come(task);
            }
        }
        self.let_out();
        if !self.ended.is_empty() {
            let (task, outcome) = self.ended.remove(0);
            self.tell_dependents(task, outcome);
            self.settle();
        }
    }

    /// Held, or without a worker.
    pub(crate) fn is_kept(&self, me: Index) -> bool {
        self.is_held(me) || !self.staffed[self.tasks[me].kind]
    }

    /// A task enters its lines. A barrier goes after everybody in them, runs included; once it has
    /// stood in line its rank and place are frozen.
    pub(crate) fn join(&mut self, me: Index) {
        self.tasks[me].state = State::InLine;
        if self.tasks[me].at_work {
            return;
        }
        // Later than every place that the world has told so far.
        self.tasks[me].place = u64::MAX / 2 + self.tick();
        self.joined.push(me);
        self.tasks[me].own_rank = self.tasks[me].rank;
        if self.tasks[me].is_lifecycle() {
            self.tasks[me].at_work = true;
            let resources: Vec<_> = self.tasks[me].claims.iter().map(|claim| claim.0).collect();
            for resource in resources {
                for other in [self.line(resource), self.holders(resource)].concat() {
                    self.tasks[me].rank = self.tasks[me].rank.max(self.tasks[other].rank);
                }
            }
        }
    }
}

fn conflicts(task: &Task, resource: Resource, op: Op) -> bool {
    task.op_on(resource)
        .is_some_and(|theirs| theirs.conflicts(op))
}
