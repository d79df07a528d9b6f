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
        if self.comes_to_create_again(me) {
            return self.end(me, Outcome::Cancelled);
        }
        self.tasks[me].state = State::Outside;
        let now = self.tick();
        let has_come = self.tasks[me].came.is_some();
        let keeps = self.tasks[me].is_lifecycle() && has_come;
        for claim in 0..self.tasks[me].claims.len() {
            let resource = self.tasks[me].claims[claim].0;
            let is_let_out = self.tasks[me].let_out[claim] == self.decision;
            if !keeps {
                self.tasks[me].positions[claim] = now;
            }
            let doom = self.doom(me, resource);
            let behind = match keeps {
                true => self.barrier_for_barrier(me, resource),
                false if is_let_out => None,
                false => doom.or(self.last_barrier(me, resource)),
            };
            let is_doom = |&barrier: &Index| match keeps {
                true => self.is_later_delete(barrier, me, resource),
                false => Some(barrier) == doom,
            };
            let doomed_by = behind.filter(is_doom);
            let behind = behind.and_then(|barrier| self.tasks[barrier].came);
            self.tasks[me].behind[claim] = behind.map(|came| came + 1);
            self.tasks[me].doomed_by[claim] = doomed_by;
        }
        self.tasks[me].came.get_or_insert(now);
        if self.tasks[me].behind.iter().all(Option::is_none) {
            self.join(me);
        }
    }

    /// Of two creates that were admitted while they were kept from coming, the first one to come is
    /// possible.
    pub(crate) fn comes_to_create_again(&self, me: Index) -> bool {
        let has_come = self.tasks[me].came.is_some();
        let mut claims = self.tasks[me].claims.iter().filter(|_| !has_come);
        claims.any(|&(resource, op)| {
            let last = self.last_barrier(me, resource);
            let last = last.and_then(|barrier| self.tasks[barrier].op_on(resource));
            (op, last) == (Op::Create, Some(Op::Create))
        })
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

    /// Somebody who was admitted earlier is doomed by the first pending delete that came since, and
    /// waits behind it: unless that would not cancel it, since it was submitted after a create that
    /// follows. A create is never doomed: no delete cancels it.
    fn doom(&self, me: Index, resource: Resource) -> Option<Index> {
        if self.tasks[me].op_on(resource) == Some(Op::Create) {
            return None;
        }
        let is_doom = |&barrier: &Index| self.is_later_delete(barrier, me, resource);
        let delete = self.others(me, resource).find(is_doom)?;
        let mut later = self
            .others(me, resource)
            .skip_while(|&other| other != delete);
        let is_spared = later.any(|barrier| {
            let barrier = &self.tasks[barrier];
            let is_create = barrier.op_on(resource) == Some(Op::Create);
            is_create && barrier.number < self.tasks[me].number
        });
        (!is_spared).then_some(delete)
    }

    /// Whether a barrier is a delete that came after somebody was admitted.
    fn is_later_delete(&self, barrier: Index, me: Index, resource: Resource) -> bool {
        let (barrier, me) = (&self.tasks[barrier], &self.tasks[me]);
        let is_delete = barrier.op_on(resource) == Some(Op::Delete);
        is_delete && me.admitted.is_some() && barrier.came > me.admitted
    }

    /// A barrier that comes again waits for those that came before it, and where it only reads or
    /// updates also for one that is at work there.
    fn barrier_for_barrier(&self, me: Index, resource: Resource) -> Option<Index> {
        let came = self.tasks[me].came;
        self.others(me, resource)
            .rfind(|&barrier| self.tasks[barrier].came < came || self.tasks[barrier].at_work)
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
            // The design leaves open who goes first if several are free at once; so the core does.
            free.sort_by_key(|&task| {
                let told = self.order.iter().rposition(|id| *id == self.tasks[task].id);
                let task = &self.tasks[task];
                (
                    told,
                    task.is_lifecycle(),
                    task.positions.iter().max().copied(),
                    task.number,
                )
            });
            let Some(&task) = free.first() else {
                return;
            };
            self.come(task);
        }
    }

    /// Whether a newcomer of the same would have a barrier before it that this task has not: then it
    /// must not join it.
    pub(crate) fn has_barrier_after(&self, me: Index) -> bool {
        let task = &self.tasks[me];
        (0..task.claims.len()).any(|claim| {
            let resource = task.claims[claim].0;
            match self.chain(resource).last() {
                None => false,
                Some(&last) if last == me => false,
                Some(&last) => match task.state {
                    State::InLine | State::Running(_) => true,
                    State::Outside => {
                        self.behind(me, claim) != Some(last) || task.doomed_by[claim].is_some()
                    }
                    _ => {
                        self.tasks[last].came > Some(task.positions[claim])
                            || self.doom(me, resource).is_some()
                    }
                },
            }
        })
    }

    /// A delete that succeeded takes everything on the resource with it, up to the next create; a
    /// create that did not takes what was to come after it, up to the next barrier.
    pub(crate) fn end_of_a_barrier(&mut self, me: Index, outcome: Outcome) {
        if self.tasks[me].came.is_none() {
            return;
        }
        let mut meant = Vec::new();
        for &(resource, op) in &self.tasks[me].claims {
            match (op, outcome == Outcome::Succeeded) {
                (Op::Delete, true) => meant.extend(self.deleted_with(resource, me)),
                (Op::Create, false) => meant.extend(self.not_created_with(resource, me)),
                _ => {}
            }
        }
        for task in meant {
            if self.tasks[task].is_waiting() {
                let has_come = self.tasks[task].came.is_some();
                self.is_unclear |= has_come && self.tasks[task].is_lifecycle();
                self.end(task, Outcome::Cancelled);
            }
        }
    }

    fn deleted_with(&self, resource: Resource, delete: Index) -> Vec<Index> {
        // The next create in the chain, or the next one submitted, whichever was submitted first.
        let creates =
            self.all(|task| task.is_waiting() && task.op_on(resource) == Some(Op::Create));
        let number = |create: Index| self.tasks[create].number;
        let mut chain = self.chain(resource).into_iter();
        let queued = chain.find(|&task| {
            self.tasks[task].came > self.tasks[delete].came && creates.contains(&task)
        });
        let mut submitted = creates.iter().copied();
        let submitted = submitted.find(|&create| number(create) > number(delete));
        let until = queued.into_iter().chain(submitted).map(number).min();
        let until = until.unwrap_or(u64::MAX);
        self.waiting_on(resource, |op, number| op != Op::Create && number < until)
    }

    fn not_created_with(&self, resource: Resource, create: Index) -> Vec<Index> {
        let from = self.tasks[create].number;
        let chain = self.chain(resource);
        let is_later = |&&task: &&Index| {
            self.tasks[task].came > self.tasks[create].came && self.tasks[task].number > from
        };
        let next = chain
            .iter()
            .find(is_later)
            .map(|&task| self.tasks[task].number);
        self.waiting_on(resource, |_, number| {
            from < number && next.is_none_or(|next| number < next)
        })
    }

    fn waiting_on(&self, resource: Resource, is_meant: impl Fn(Op, u64) -> bool) -> Vec<Index> {
        self.all(|task| {
            let op = task.op_on(resource);
            task.is_waiting() && op.is_some_and(|op| is_meant(op, task.number))
        })
    }
}
