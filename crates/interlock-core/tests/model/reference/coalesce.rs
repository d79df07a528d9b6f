//! Coalescing: which submissions are the same, and how two become one (design §5).

use super::{Index, Model, Resource, State, Wish};
use interlock_core::words::{Kind, Op, PayloadRule, Waits};

impl Model {
    /// The waiting task that a submission joins instead of becoming a task.
    pub(crate) fn joinable(&self, wish: &Wish) -> Option<Index> {
        let is_later = wish.due.is_some_and(|due| due > self.now.wall.0);
        if !self.may_coalesce(wish) || is_later {
            return None;
        }
        self.same_waiting(wish.kind, wish.key, &wish.sorted_claims())
    }

    /// Whether a submission can be the same as another at all.
    pub(crate) fn may_coalesce(&self, wish: &Wish) -> bool {
        self.kinds[wish.kind].coalesce.is_some()
            && wish.after.is_empty()
            && wish.start_within.is_none()
            && !wish.hold
    }

    /// The newest of the same that waits and is due, or waits for a retry, with no barrier after it.
    pub(crate) fn same_waiting(
        &self,
        kind: usize,
        key: Option<u8>,
        claims: &[(Resource, Op)],
    ) -> Option<Index> {
        let same = self.all(|task| {
            let is_same = task.kind == kind && task.key == key && task.claims == claims;
            let is_due = !matches!(task.state, State::Scheduled | State::Dependent);
            is_same && task.coalesces && !task.held && task.is_waiting() && is_due
        });
        let mut newest_first = same.into_iter().rev();
        newest_first.find(|&task| !self.has_barrier_after(task))
    }

    /// A submission joins a waiting task.
    pub(crate) fn merge(&mut self, wish: &Wish, into: Index) {
        let number = self.next_submission();
        let priority = wish.priority.unwrap_or(self.kinds[wish.kind].priority);
        let rank = self.now.elapsed.0.cast_signed() - i64::from(priority) * self.step_ms;
        self.tasks[into].pieces.push((number, wish.payload.clone()));
        self.become_one(into, priority, rank);
        match self.tasks[into].state {
            State::Retrying { until } if until <= self.now.wall.0 => self.become_possible(into),
            _ => {}
        }
    }

    /// A task becomes one with another; both ids lead to the one that stays.
    pub(crate) fn fold(&mut self, from: Index, into: Index) {
        let pieces = self.tasks[from].pieces.clone();
        self.tasks[into].pieces.extend(pieces);
        self.tasks[into].pieces.sort();
        let (priority, rank) = (self.tasks[from].priority, self.tasks[from].rank);
        self.tasks[from].state = State::Folded(into);
        self.become_one(into, priority, rank);
    }

    /// The better priority and rank, and a new window; one that waits for a retry is due no later than
    /// its first wait after the failure.
    fn become_one(&mut self, into: Index, priority: u8, rank: i64) {
        let first_wait = first_wait(self.policy(into));
        let task = &mut self.tasks[into];
        task.priority = task.priority.max(priority);
        task.first_run = None;
        if let State::Retrying { until } = task.state {
            let until = until.min(task.last_failure + first_wait);
            task.state = State::Retrying { until };
        } else if !task.at_work {
            task.rank = task.rank.min(rank);
        }
    }

    /// The same that waits for a task to end its run, unless there is a barrier after either.
    pub(crate) fn follow_up(&mut self, me: Index) -> Option<Index> {
        let task = &self.tasks[me];
        if !task.coalesces || task.held || self.has_barrier_after(me) {
            return None;
        }
        let (kind, key, claims) = (task.kind, task.key, task.claims.clone());
        // So that it does not find itself.
        let state = std::mem::replace(&mut self.tasks[me].state, State::Dependent);
        let follow_up = self.same_waiting(kind, key, &claims);
        self.tasks[me].state = state;
        follow_up
    }

    /// A task that was scheduled is due: if the same waits already, it becomes one with that.
    pub(crate) fn come_due(&mut self, me: Index) {
        let task = &self.tasks[me];
        if task.coalesces && !task.held {
            let (kind, key, claims) = (task.kind, task.key, task.claims.clone());
            if let Some(into) = self.same_waiting(kind, key, &claims) {
                self.tasks[me].since = self.now.elapsed.0;
                self.tasks[me].rank = self.natural_rank(me);
                self.fold(me, into);
                return;
            }
        }
        self.become_possible(me);
    }

    /// What a run is given: the last payload, the first one, or all of them, by order of submission.
    pub(crate) fn payload(&self, me: Index) -> String {
        let pieces: Vec<_> = self.tasks[me]
            .pieces
            .iter()
            .map(|piece| piece.1.as_str())
            .collect();
        match self
            .policy(me)
            .coalesce
            .as_ref()
            .map(|coalesce| coalesce.payload)
        {
            Some(PayloadRule::First) => pieces[0].to_owned(),
            Some(PayloadRule::Append) if pieces.len() > 1 => {
                let inner = pieces.iter().map(|piece| piece.trim_matches(['[', ']']));
                format!("[{}]", inner.collect::<Vec<_>>().join(","))
            }
            _ => pieces[pieces.len() - 1].to_owned(),
        }
    }
}

pub(super) fn first_wait(kind: &Kind) -> u64 {
    match &kind.retry.waits {
        // Without a ladder whoever joins has nothing to wait for.
        Waits::Ladder(waits) => waits.first().copied().unwrap_or(0),
        Waits::Exponential { first_ms, .. } => *first_ms,
    }
}
