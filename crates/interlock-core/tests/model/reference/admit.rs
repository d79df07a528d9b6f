//! Submission and verdict (design §3). Whatever is turned away leaves no trace: it is judged on a copy.

use super::{Index, Model, State, Task, Why};
use interlock_core::words::{Op, Outcome, TaskId};

/// A submission in the model's terms.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    pub(crate) kind: usize,
    pub(crate) claims: Vec<(usize, Op)>,
    pub(crate) key: Option<u8>,
    pub(crate) priority: Option<u8>,
    pub(crate) payload: String,
    /// On the wall clock.
    pub(crate) due: Option<u64>,
    pub(crate) reject_if_busy: bool,
    pub(crate) start_within: Option<u64>,
    pub(crate) hold: bool,
    pub(crate) after: Vec<Index>,
    pub(crate) group: Option<usize>,
}

impl Wish {
    pub(crate) fn sorted_claims(&self) -> Vec<(usize, Op)> {
        let mut claims = self.claims.clone();
        claims.sort_unstable();
        claims
    }
}

/// What becomes of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It became a task.
    Admitted(Index),
    /// It joined a task.
    Coalesced(Index),
    /// It can never run, or must not wait.
    Rejected(Vec<Why>),
    /// It asks for what does not fit together.
    Refused,
}

impl Model {
    /// Judges a submission and, unless it is turned away, takes it in. Its task's id is told later.
    pub(crate) fn submit(&mut self, wish: &Wish) -> Answer {
        match self.clone().judge(wish) {
            Answer::Admitted(_) | Answer::Coalesced(_) => self.take_in(wish),
            turned_away => turned_away,
        }
    }

    /// Takes in a submission that was judged: first what it cancels goes, then it comes.
    pub(crate) fn take_in(&mut self, wish: &Wish) -> Answer {
        let joins = self.joinable(wish);
        self.cancel_earlier(wish, joins);
        if let Some(into) = joins {
            self.merge(wish, into);
            self.settle();
            return Answer::Coalesced(into);
        }
        let me = self.new_task(wish);
        let is_later = wish.due.is_some_and(|due| due > self.now.wall.0);
        let is_immediate = !is_later && self.has_met_all(me);
        if !self.failed_dependencies(wish).is_empty() {
            self.end(me, Outcome::Cancelled);
        } else if is_immediate && !self.decided_against(me).is_empty() {
            // It cancelled what made it possible, and is looked at as if it came due just now.
            self.come_due(me);
        } else {
            self.pass_dependencies(me);
        }
        self.settle();
        Answer::Admitted(me)
    }

    /// What becomes of a submission if it cancels nobody.
    pub(crate) fn judge(&mut self, wish: &Wish) -> Answer {
        let is_later = wish.due.is_some_and(|due| due > self.now.wall.0);
        if wish.reject_if_busy && (is_later || !wish.after.is_empty()) {
            return Answer::Refused;
        }
        if let Some(into) = self.joinable(wish) {
            self.merge(wish, into);
            self.settle();
            return Answer::Coalesced(into);
        }
        let failed = self.failed_dependencies(wish);
        if !failed.is_empty() {
            return Answer::Rejected(failed);
        }
        let me = self.new_task(wish);
        // What is scheduled or dependent is tested when it becomes possible, not now.
        let decided = self.decided_against(me);
        if !is_later && self.has_met_all(me) && !decided.is_empty() {
            return Answer::Rejected(decided);
        }
        self.pass_dependencies(me);
        self.settle();
        let in_the_way = self.in_the_way(me);
        if wish.reject_if_busy && !in_the_way.is_empty() {
            return Answer::Rejected(in_the_way);
        }
        Answer::Admitted(me)
    }

    pub(crate) fn next_submission(&mut self) -> u64 {
        self.submissions += 1;
        self.submissions
    }

    fn failed_dependencies(&self, wish: &Wish) -> Vec<Why> {
        let known = wish.after.iter().filter(|&&task| task < self.tasks.len());
        let failed = known.filter(|&&task| match self.tasks[self.lead(task)].state {
            State::Ended(outcome, _) => outcome != Outcome::Succeeded,
            _ => false,
        });
        failed
            .map(|&task| Why::DependencyFailed(self.tasks[task].id))
            .collect()
    }

    fn new_task(&mut self, wish: &Wish) -> Index {
        let number = self.next_submission();
        let claims = wish.sorted_claims();
        self.tasks.push(Task {
            id: TaskId(u64::MAX),
            number,
            kind: wish.kind,
            positions: vec![self.clock; claims.len()],
            behind: vec![None; claims.len()],
            doomed_by: vec![None; claims.len()],
            let_out: vec![0; claims.len()],
            claims,
            key: wish.key,
            priority: wish.priority.unwrap_or(self.kinds[wish.kind].priority),
            pieces: vec![(number, wish.payload.clone())],
            due: wish.due,
            start_by: wish
                .start_within
                .map(|within| wish.due.unwrap_or(0).max(self.now.wall.0) + within),
            after: wish.after.clone(),
            group: wish.group,
            coalesces: self.may_coalesce(wish),
            held: wish.hold,
            was_held: false,
            state: State::Dependent,
            since: self.now.elapsed.0,
            rank: 0,
            place: 0,
            own_rank: 0,
            admitted: None,
            came: None,
            at_work: false,
            starts: 0,
            tries: 0,
            losses: 0,
            first_run: None,
            last_failure: 0,
            last_run: false,
        });
        let me = self.tasks.len() - 1;
        self.tasks[me].rank = self.natural_rank(me);
        me
    }

    /// Whether all that a task waits for have succeeded.
    fn has_met_all(&self, me: Index) -> bool {
        self.tasks[me].after.iter().all(|&task| {
            task < self.tasks.len()
                && matches!(
                    self.tasks[self.lead(task)].state,
                    State::Ended(Outcome::Succeeded, _)
                )
        })
    }

    /// The gates before a task is possible, in order: dependencies, then its time.
    pub(crate) fn pass_dependencies(&mut self, me: Index) {
        if !self.has_met_all(me) {
            return;
        }
        let gather_ms = match &self.policy(me).coalesce {
            Some(coalesce) if self.tasks[me].coalesces => coalesce.gather_ms,
            _ => 0,
        };
        if self.tasks[me].due.is_some_and(|due| due > self.now.wall.0) {
            self.tasks[me].state = State::Scheduled;
        } else if gather_ms > 0 {
            self.tasks[me].admitted = Some(self.clock);
            self.tasks[me].state = State::Gathering {
                until: self.now.elapsed.0 + gather_ms,
            };
        } else {
            self.become_possible(me);
        }
    }

    /// `cancels` of a kind: earlier tasks of those kinds on the same resources are cancelled if they
    /// wait, and get no further run if they run. Items of one group are not earlier than each other.
    fn cancel_earlier(&mut self, wish: &Wish, joins: Option<Index>) {
        let cancels = self.kinds[wish.kind].cancels.clone();
        let meant = self.all(|task| {
            let mut claims = wish.claims.iter();
            let shares = claims.any(|claim| task.op_on(claim.0).is_some());
            let is_other = wish.group.is_none() || task.group != wish.group;
            let is_meant = cancels.contains(&self.kinds[task.kind].name) && shares && is_other;
            is_meant && task.is_live()
        });
        self.has_cancelled = !meant.is_empty();
        for task in meant.into_iter().filter(|&task| Some(task) != joins) {
            if self.tasks[task].is_waiting() {
                self.end(task, Outcome::Cancelled);
            } else if self.tasks[task].is_live() {
                self.tasks[task].last_run = true;
            }
        }
        self.settle();
    }
}
