//! Lifecycle tasks as barriers: the future of a resource, the rank floor, who is let out of the
//! room behind one, and what its end means for others.

use super::gates::Candidate;
use crate::Core;
use crate::bugs::Bug;
use crate::event::{EndWhy, Event, Stage, Sweep};
use crate::state::task::ResourceIx;
use crate::words::{Op, Outcome, ResourceName, TaskId};
use smallvec::SmallVec;

/// What the end of a lifecycle task is judged by, noted before it is gone.
pub(crate) struct LifecycleEnd {
    task: TaskId,
    arrival: u64,
    claims: Vec<(ResourceIx, ResourceName, Op)>,
}

impl Core {
    /// The resource, task and operation that decide against a candidate, if any: behind a delete
    /// only a create is possible, behind a create no other create is. Once accepted, a task can
    /// only be doomed; but of two creates that were, only the first to come is possible.
    pub(crate) fn future_against(
        &self,
        candidate: &Candidate,
    ) -> Option<(ResourceName, TaskId, Op)> {
        if self.bug(Bug::FutureNotTested) {
            return None;
        }
        candidate.claims.iter().find_map(|(index, op)| {
            let resource = self.state.resources.get((*index)?);
            let (task, pending) = resource.future()?;
            let settled = candidate.accepted.is_some() && *op != Op::Create;
            let possible = settled || candidate.arrival != 0 || is_possible_behind(*op, pending);
            (!possible).then(|| (resource.name.clone(), task, pending))
        })
    }

    /// A lifecycle task goes behind everyone in its lines, runs included.
    pub(crate) fn rank_floor(&self, candidate: &Candidate) -> i64 {
        let lifecycle = candidate.claims.iter().any(|(_, op)| op.is_lifecycle());
        if !lifecycle {
            return i64::MIN;
        }
        let indexes = candidate.claims.iter().filter_map(|(index, _)| *index);
        indexes
            .filter_map(|index| self.state.resources.get(index).last_rank())
            .max()
            .unwrap_or(i64::MIN)
    }

    /// Lets out those whose barrier has ended, in order. Returns whether all of them are out.
    pub(crate) fn let_out(&mut self, index: ResourceIx) -> bool {
        loop {
            let barrier = self.state.resources.get(index).barrier.as_ref();
            let Some(next) = barrier.and_then(|barrier| barrier.next_to_release()) else {
                return true;
            };
            if self.moves == 0 {
                return false;
            }
            self.moves -= 1;
            self.leave_room(next.task, index);
        }
    }

    /// A task is no longer behind anything on this resource, and perhaps not on others either: it
    /// leaves those rooms with this one, before whoever came behind it does.
    fn leave_room(&mut self, id: TaskId, index: ResourceIx) {
        let task = self.state.task(id);
        let Stage::Outside(behind) = &task.stage else {
            unreachable!("only those outside are in a room");
        };
        let (mut rest, mut left) = (behind.clone(), SmallVec::<[ResourceIx; 2]>::new());
        rest.retain(|behind| {
            let claim = &task.claims[behind.claim as usize];
            let leaves = claim.resource == index
                || (!claim.op.is_lifecycle() && self.has_lifted(claim.resource, behind.arrival));
            if leaves {
                left.push(claim.resource);
            }
            !leaves
        });
        if rest.is_empty() {
            return self.arrive(id, None, &left);
        }
        let (to, spot) = (Stage::Outside(rest), task.spot);
        self.emit(Event::Moved { task: id, to, spot });
    }

    /// Whether every lifecycle task up to this arrival has ended.
    fn has_lifted(&self, index: ResourceIx, arrival: u64) -> bool {
        let barrier = self.state.resources.get(index).barrier.as_ref();
        let first = barrier.and_then(|barrier| barrier.chain.first_key_value());
        first.is_none_or(|(first, _)| *first > arrival)
    }

    /// Notes what the end of this task will be judged by.
    pub(crate) fn note_lifecycle(&self, id: TaskId) -> Option<LifecycleEnd> {
        let task = self.state.task(id);
        if task.arrival == 0 {
            return None;
        }
        let claims = (task.claims.iter())
            .filter(|claim| claim.op.is_lifecycle())
            .map(|claim| {
                let name = self.state.resources.get(claim.resource).name.clone();
                (claim.resource, name, claim.op)
            })
            .collect();
        Some(LifecycleEnd {
            task: id,
            arrival: task.arrival,
            claims,
        })
    }

    /// A delete that succeeded ends what waits on the resource; a create that did not ends what
    /// was submitted after it.
    pub(crate) fn lifecycle_ended(&mut self, end: LifecycleEnd, outcome: Outcome) {
        let succeeded = outcome == Outcome::Succeeded;
        for (index, resource, op) in end.claims {
            let sweep = match op {
                Op::Delete if succeeded && !self.bug(Bug::DeleteCancelsNobody) => {
                    self.delete_sweep(index, resource, end.task, end.arrival)
                }
                Op::Create if !succeeded && !self.bug(Bug::FailedCreateCancelsNobody) => {
                    self.create_sweep(index, resource, end.task, end.arrival)
                }
                _ => continue,
            };
            self.begin_sweep(sweep);
        }
    }

    fn delete_sweep(
        &self,
        index: ResourceIx,
        resource: ResourceName,
        task: TaskId,
        arrival: u64,
    ) -> Sweep {
        let queued = self.later_in_chain(index, arrival, |_, op| op == Op::Create);
        let submitted = self.next_create(index, task);
        let create = [queued, submitted].into_iter().flatten().min();
        let before = create.filter(|_| !self.bug(Bug::DeleteCancelsBeyondCreate));
        Sweep::CancelOnResource {
            kinds: Vec::new(),
            after: TaskId(0),
            before: before.unwrap_or(TaskId(self.state.next_task)),
            spare_creates: true,
            why: EndWhy::ResourceDeleted {
                resource: resource.clone(),
                by: task,
            },
            resource,
        }
    }

    fn create_sweep(
        &self,
        index: ResourceIx,
        resource: ResourceName,
        task: TaskId,
        arrival: u64,
    ) -> Sweep {
        let next = self.later_in_chain(index, arrival, |other, _| other > task);
        Sweep::CancelOnResource {
            kinds: Vec::new(),
            after: task,
            before: next.unwrap_or(TaskId(self.state.next_task)),
            spare_creates: false,
            why: EndWhy::ResourceNotCreated {
                resource: resource.clone(),
                by: task,
            },
            resource,
        }
    }

    /// The first create that was submitted after this task, wherever it waits.
    fn next_create(&self, index: ResourceIx, task: TaskId) -> Option<TaskId> {
        let barrier = self.state.resources.get(index).barrier.as_ref()?;
        barrier.creates.range(task..).next().copied()
    }

    fn later_in_chain(
        &self,
        index: ResourceIx,
        arrival: u64,
        wanted: impl Fn(TaskId, Op) -> bool,
    ) -> Option<TaskId> {
        let barrier = self.state.resources.get(index).barrier.as_ref()?;
        let mut later = barrier.chain.range(arrival..).map(|(_, found)| *found);
        later
            .find(|&(task, op)| wanted(task, op))
            .map(|(task, _)| task)
    }
}

/// Whether an operation is possible behind a pending lifecycle operation.
pub(crate) fn is_possible_behind(op: Op, pending: Op) -> bool {
    match pending {
        Op::Delete => op == Op::Create,
        Op::Create => op != Op::Create,
        Op::Read | Op::Update => true,
    }
}
