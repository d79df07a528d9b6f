//! Lifecycle tasks as barriers: the chain, who is behind whom, and what an end of one cancels
//! (design §4).

use super::{Index, Model, Resource, State, Why};
use interlock_core::words::{Op, Outcome};

impl Model {
    /// The pending lifecycle tasks of a resource, in the order they came.
    pub(crate) fn chain(&self, resource: Resource) -> Vec<Index> {
        let mut chain = self.all(|task| {
            task.is_live()
                && task.came.is_some()
                && task.op_on(resource).is_some_and(Op::is_lifecycle)
        });
        chain.sort_by_key(|&task| self.tasks[task].came);
        chain
    }

    /// Why a newcomer can never run: behind a delete only a create is possible, behind a create
    /// another create is not.
    pub(crate) fn decided_against(&self, me: Index) -> Vec<Why> {
        let decided = self.tasks[me].claims.iter().filter_map(|&(resource, op)| {
            let last = *self.chain(resource).last()?;
            let impossible = match self.tasks[last].op_on(resource)? {
                Op::Delete => op != Op::Create,
                _ => op == Op::Create,
            };
            impossible.then(|| Why::FutureDecided(resource, self.tasks[last].id))
        });
        decided.collect()
    }

    /// A task comes to its resources, and joins its lines if no barrier is in its way.
    pub(crate) fn come(&mut self, me: Index) {
        self.tasks[me].state = State::Outside;
        let now = self.tick();
        let has_come = self.tasks[me].came.is_some();
        let keeps = self.tasks[me].is_lifecycle() && has_come;
        self.tasks[me].position = if keeps { self.tasks[me].position } else { now };
        for claim in 0..self.tasks[me].claims.len() {
            let resource = self.tasks[me].claims[claim].0;
            let is_let_out = self.tasks[me].let_out[claim] == self.decision;
            let behind = match keeps {
                true => self.barrier_for_barrier(me, resource),
                false if is_let_out => None,
                false => self.doom(me, resource).or(self.last_barrier(me, resource)),
            };
            let behind = behind.and_then(|barrier| self.tasks[barrier].came);
            self.tasks[me].behind[claim] = behind.map(|came| came + 1);
        }
        self.tasks[me].came.get_or_insert(now);
        if self.tasks[me].behind.iter().all(Option::is_none) {
            self.join(me);
        }
    }

    fn others(&self, me: Index, resource: Resource) -> impl DoubleEndedIterator<Item = Index> {
        self.chain(resource)
            .into_iter()
            .filter(move |&barrier| barrier != me)
    }

    /// Whoever comes waits behind the last of the chain.
    fn last_barrier(&self, me: Index, resource: Resource) -> Option<Index> {
        self.others(me, resource).next_back()
    }

    /// Somebody who was admitted earlier waits behind the first pending delete that came since: it
    /// is doomed by it. One that never came before is after all those submitted before it, though.
    fn doom(&self, me: Index, resource: Resource) -> Option<Index> {
        let is_submitted_before_me =
            |barrier: Index| self.tasks[barrier].number < self.tasks[me].number;
        self.others(me, resource).find(|&delete| {
            let mut later = self
                .others(me, resource)
                .skip_while(|&other| other != delete)
                .skip(1);
            let is_passed = self.tasks[me].came.is_none() && later.any(is_submitted_before_me);
            self.dooms(delete, me, resource) && !is_passed
        })
    }

    /// A barrier that comes again waits for those that came before it, and where it only reads or
    /// updates also for one that is at work there.
    fn barrier_for_barrier(&self, me: Index, resource: Resource) -> Option<Index> {
        let came = self.tasks[me].came;
        self.others(me, resource)
            .rfind(|&barrier| self.tasks[barrier].came < came || self.tasks[barrier].at_work)
    }

    /// Whether a barrier is a delete that came after somebody was admitted who only uses the resource.
    pub(crate) fn dooms(&self, barrier: Index, me: Index, resource: Resource) -> bool {
        let (barrier, me) = (&self.tasks[barrier], &self.tasks[me]);
        let is_delete = barrier.op_on(resource) == Some(Op::Delete);
        let is_use = me.op_on(resource).is_some_and(|op| !op.is_lifecycle());
        is_delete && is_use && me.admitted.is_some() && barrier.came > me.admitted
    }

    /// Whom a task waits behind on one of its claims: the last barrier before its position there.
    pub(crate) fn behind(&self, me: Index, claim: usize) -> Option<Index> {
        let position = self.tasks[me].behind[claim]?;
        let resource = self.tasks[me].claims[claim].0;
        self.others(me, resource)
            .rfind(|&barrier| self.tasks[barrier].came < Some(position))
    }

    /// Who waits outside a line for a barrier in it.
    pub(crate) fn outside(&self, resource: Resource) -> Vec<Index> {
        let mut outside = self.all(|task| task.state == State::Outside);
        outside.retain(|&task| {
            let mut claims = self.tasks[task].claims.iter();
            let claim = claims.position(|claim| claim.0 == resource);
            claim.is_some_and(|claim| self.behind(task, claim).is_some())
        });
        outside
    }

    /// Lets those out whose barriers have ended. Whoever is behind nobody any more comes again, to
    /// those of its resources that it was not let out of just now, and joins if nobody is there.
    /// Barriers come last, so that they are after those who came before them.
    pub(crate) fn let_out(&mut self) {
        loop {
            for task in self.all(|task| task.state == State::Outside) {
                for claim in 0..self.tasks[task].claims.len() {
                    let is_behind = self.tasks[task].behind[claim].is_some();
                    if is_behind && self.behind(task, claim).is_none() {
                        self.tasks[task].behind[claim] = None;
                        self.tasks[task].let_out[claim] = self.decision;
                    }
                }
            }
            let mut free = self.all(|task| {
                task.state == State::Outside && task.behind.iter().all(Option::is_none)
            });
            free.sort_by_key(|&task| {
                let task = &self.tasks[task];
                (task.is_lifecycle(), task.position, task.number)
            });
            let Some(&task) = free.first() else {
                return;
            };
            self.come(task);
        }
    }

    /// Whether a barrier on its resources came after this task or dooms it, so that a newcomer must
    /// not join it.
    pub(crate) fn has_barrier_after(&self, me: Index) -> bool {
        self.tasks[me].claims.iter().any(|&(resource, _)| {
            self.others(me, resource).any(|barrier| {
                let is_after = self.tasks[barrier].came > Some(self.tasks[me].position);
                is_after || self.dooms(barrier, me, resource)
            })
        })
    }

    /// A delete that succeeded takes everything on the resource with it, up to the next create; a
    /// create that did not takes what was to come after it, up to the next barrier.
    pub(crate) fn end_of_a_barrier(&mut self, me: Index, outcome: Outcome) {
        if self.tasks[me].came.is_none() {
            return;
        }
        for (resource, op) in self.tasks[me].claims.clone() {
            match (op, outcome == Outcome::Succeeded) {
                (Op::Delete, true) => self.resource_deleted(resource),
                (Op::Create, false) => self.resource_not_created(resource, me),
                _ => {}
            }
        }
    }

    fn resource_deleted(&mut self, resource: Resource) {
        let mut creates = self.chain(resource);
        creates.retain(|&task| self.tasks[task].op_on(resource) == Some(Op::Create));
        let until = creates
            .first()
            .map_or(u64::MAX, |&create| self.tasks[create].number);
        self.cancel_waiting(resource, |op, number| op != Op::Create && number < until);
    }

    fn resource_not_created(&mut self, resource: Resource, create: Index) {
        let from = self.tasks[create].number;
        let mut next = self.chain(resource);
        next.retain(|&task| {
            self.tasks[task].came > self.tasks[create].came && self.tasks[task].number > from
        });
        let until = next
            .iter()
            .map(|&task| self.tasks[task].number)
            .min()
            .unwrap_or(u64::MAX);
        self.cancel_waiting(resource, |_, number| from < number && number < until);
    }

    fn cancel_waiting(&mut self, resource: Resource, is_meant: impl Fn(Op, u64) -> bool) {
        let meant = self.all(|task| {
            task.is_waiting()
                && task
                    .op_on(resource)
                    .is_some_and(|op| is_meant(op, task.number))
        });
        for task in meant {
            if self.tasks[task].is_waiting() {
                self.end(task, Outcome::Cancelled);
            }
        }
    }
}
