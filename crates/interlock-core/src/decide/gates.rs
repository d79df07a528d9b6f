//! The gates that a task passes on its way to its lines, in one order for every path:
//! held, no worker, behind a barrier, in line.

use crate::Core;
use crate::bugs::Bug;
use crate::command::HoldTarget;
use crate::event::{Behind, EndWhy, Event, Spot, Stage};
use crate::state::task::{ResourceIx, Task};
use crate::words::{Elapsed, KindId, Op, Outcome, ResourceName, TaskId};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// What the gates need to know of a task, or of a submission that is not a task yet.
pub(crate) struct Candidate {
    pub(crate) id: Option<TaskId>,
    pub(crate) kind: KindId,
    /// `None` for a resource that nobody claims yet.
    pub(crate) claims: SmallVec<[(Option<ResourceIx>, Op); 2]>,
    /// The names of those.
    pub(crate) unclaimed: SmallVec<[ResourceName; 1]>,
    pub(crate) hold: bool,
    /// When it passed the test against the futures; `None` if it never did.
    pub(crate) accepted: Option<u64>,
    /// Place in the chains of its lifecycle claims; 0 if it never came there.
    pub(crate) arrival: u64,
    /// The rooms it was just let out of: whoever came later there does not stand in its way.
    pub(crate) let_out_of: SmallVec<[ResourceIx; 1]>,
}

impl Candidate {
    pub(crate) fn of(task: &Task) -> Self {
        Self {
            id: Some(task.id),
            kind: task.kind,
            claims: (task.claims.iter())
                .map(|claim| (Some(claim.resource), claim.op))
                .collect(),
            unclaimed: SmallVec::new(),
            hold: task.hold,
            accepted: task.arrived.then_some(task.accepted),
            arrival: task.arrival,
            let_out_of: SmallVec::new(),
        }
    }
}

impl Core {
    /// Where a task goes that is possible now. `place` is the one it would draw.
    pub(crate) fn gate(&self, candidate: &Candidate, place: u64) -> Stage {
        if self.is_held(candidate) {
            return Stage::Held;
        }
        if !self.state.kinds.get(candidate.kind).staffed {
            return Stage::NoWorker;
        }
        let behind = self.behind(candidate, place);
        if behind.is_empty() || self.bug(Bug::BarrierIgnored) {
            Stage::InLine
        } else {
            Stage::Outside(behind)
        }
    }

    pub(crate) fn is_held(&self, candidate: &Candidate) -> bool {
        let state = &self.state;
        candidate.hold
            || state.hold
            || state.kinds.get(candidate.kind).hold
            || (candidate.claims.iter())
                .any(|(index, _)| index.is_some_and(|index| state.resources.get(index).hold))
    }

    /// What holds a candidate.
    pub(crate) fn holds_on(&self, candidate: &Candidate) -> Vec<HoldTarget> {
        let state = &self.state;
        let mut holds = Vec::new();
        if candidate.hold {
            let id = candidate.id.unwrap_or(TaskId(state.next_task));
            holds.push(HoldTarget::Task(id));
        }
        for index in candidate.claims.iter().filter_map(|(index, _)| *index) {
            let resource = state.resources.get(index);
            if resource.hold {
                holds.push(HoldTarget::Resource(resource.name.clone()));
            }
        }
        let kind = state.kinds.get(candidate.kind);
        if kind.hold {
            holds.push(HoldTarget::Kind(kind.kind.name.clone()));
        }
        if state.hold {
            holds.push(HoldTarget::Namespace);
        }
        holds
    }

    /// What a candidate would wait behind, outside its lines.
    pub(crate) fn behind(&self, candidate: &Candidate, place: u64) -> SmallVec<[Behind; 1]> {
        let mut found = SmallVec::new();
        for (at, (index, op)) in candidate.claims.iter().enumerate() {
            let Some(index) = *index else { continue };
            if let Some((arrival, doomed)) = self.behind_on(candidate, index, *op, place) {
                found.push(Behind {
                    claim: at as u8,
                    arrival,
                    doomed,
                });
            }
        }
        found
    }

    fn behind_on(
        &self,
        candidate: &Candidate,
        index: ResourceIx,
        op: Op,
        place: u64,
    ) -> Option<(u64, bool)> {
        let barrier = self.state.resources.get(index).barrier.as_ref()?;
        let chain = &barrier.chain;
        let let_out = candidate.let_out_of.contains(&index);
        if candidate.arrival != 0 {
            // A lifecycle task keeps its position: it waits for those that came before it, and for
            // one that is already at work. Waiting for any other could make a circle. Where it
            // decides it leaves nobody behind, also if it was doomed and so is let out first.
            let before = chain.range(..candidate.arrival).next_back();
            let before = before.map(|(arrival, _)| *arrival);
            let in_room = (barrier.last_before(candidate.arrival, candidate.id))
                .filter(|_| op.is_lifecycle() || !let_out);
            if let Some(arrival) = before.max(in_room) {
                return Some((arrival, false));
            }
            if op.is_lifecycle() {
                return None;
            }
            let (&arrival, &(task, op)) = chain.first_key_value()?;
            let at_work = candidate.id != Some(task) && self.state.task(task).joined;
            return at_work.then_some((arrival, op == Op::Delete));
        }
        if let_out {
            return None;
        }
        if op != Op::Create
            && let Some(delete) = doomed_by(candidate, chain)
        {
            return Some((delete, true));
        }
        match chain.last_key_value() {
            // Never before those who are in the room: what they came behind may have ended.
            Some((arrival, _)) => {
                let last = barrier.room.last().map_or(0, |key| key.behind);
                Some((last.max(*arrival), false))
            }
            None => (!barrier.room.is_empty()).then_some((place, false)),
        }
    }

    /// A waiting task became possible, or may have: it comes (back) to its resources.
    /// `since` is given if the time it last became possible is now another.
    pub(crate) fn arrive(&mut self, id: TaskId, since: Option<Elapsed>, let_out_of: &[ResourceIx]) {
        if let Some(why) = self.swept(id) {
            return self.end_waiting(id, Outcome::Cancelled, why);
        }
        if self.fold_when_due(id) {
            return;
        }
        let task = self.state.task(id);
        let candidate = Candidate {
            let_out_of: let_out_of.into(),
            ..Candidate::of(task)
        };
        if let Some((resource, by, _)) = self.future_against(&candidate) {
            let why = EndWhy::FutureDecided { resource, by };
            return self.end_waiting(id, Outcome::Cancelled, why);
        }
        let to = self.gate(&candidate, self.state.next_place);
        let task = self.state.task(id);
        let spot = if task.is_at_work() {
            task.spot
        } else {
            let rank = match since {
                Some(since) => self.rank(since, task.priority),
                None => task.spot.rank,
            };
            let since = since.unwrap_or(task.spot.since);
            self.spot(&candidate, since, rank, &to)
        };
        self.emit(Event::Moved { task: id, to, spot });
    }

    /// The spot that a task draws on arrival.
    pub(crate) fn spot(
        &self,
        candidate: &Candidate,
        since: Elapsed,
        mut rank: i64,
        to: &Stage,
    ) -> Spot {
        if *to == Stage::InLine && !self.bug(Bug::NoRankFloor) {
            rank = rank.max(self.rank_floor(candidate));
        }
        Spot {
            since,
            rank,
            place: self.state.next_place,
        }
    }

    /// Lower goes first: each level of priority is a head start of one step.
    pub(crate) fn rank(&self, since: Elapsed, priority: u8) -> i64 {
        let priority = if self.bug(Bug::PriorityIgnored) {
            0
        } else {
            priority
        };
        let head_start = self.state.namespace.step_ms * u64::from(priority);
        since.0 as i64 - head_start as i64
    }

    /// Back to its old place after a run that does not count.
    pub(crate) fn old_place(&self, id: TaskId) -> (Stage, Spot) {
        let task = self.state.task(id);
        let candidate = Candidate::of(task);
        let to = if self.is_held(&candidate) {
            Stage::Held
        } else if !self.state.kinds.get(task.kind).staffed {
            Stage::NoWorker
        } else {
            Stage::InLine
        };
        (to, task.spot)
    }
}

/// The arrival of the first pending delete that came after a candidate was accepted and would
/// cancel it: none, if the candidate was submitted after a create that follows the delete.
pub(crate) fn doomed_by(candidate: &Candidate, chain: &BTreeMap<u64, (TaskId, Op)>) -> Option<u64> {
    let mut later = chain.range(candidate.accepted?..);
    let (&delete, _) = later.find(|(_, (_, op))| *op == Op::Delete)?;
    let created_first = later
        .any(|(_, (create, op))| *op == Op::Create && candidate.id.is_some_and(|id| *create < id));
    (!created_first).then_some(delete)
}
