//! Quotas once more, slowly: every start ever made is on one list, and what is left of a limit is
//! counted anew each time (design §9).

use interlock_core::words::{Limit, Op, TaskId, Token};

/// One count of a quota: which one, and the shop if it is per shop.
pub(super) type Instance = (usize, Option<usize>);
/// Where a task that waits for units goes: to another queue, or back to its lines.
pub(super) type Move = (usize, Option<Instance>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    InLine,
    /// In the queue of the first quota that it is short of.
    Throttled(Instance),
    Running(Token),
    Ended,
}

#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) id: TaskId,
    pub(super) kind: usize,
    pub(super) shop: usize,
    pub(super) op: Op,
    pub(super) rank: i64,
    pub(super) place: u64,
    pub(super) state: State,
    /// Units are set aside for it.
    pub(super) is_paid: bool,
}

impl Task {
    pub(super) fn order(&self) -> (i64, u64) {
        (self.rank, self.place)
    }
}

/// A start that took units.
#[derive(Clone, Debug)]
struct Charge {
    instance: Instance,
    units: u64,
    at: u64,
    /// The task, until its run ends.
    by: Option<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) now: u64,
    pub(super) quotas: Vec<(Vec<Limit>, bool)>,
    pub(super) kinds: Vec<Vec<(usize, u32)>>,
    pub(super) tasks: Vec<Task>,
    /// The places that the core drew.
    pub(super) places: Vec<(TaskId, u64)>,
    charges: Vec<Charge>,
    pauses: Vec<(Instance, u64)>,
}

impl Model {
    pub(super) fn new(setup: &super::Setup, now: u64) -> Self {
        Self {
            now,
            quotas: setup.quotas.clone(),
            kinds: setup.kinds.clone(),
            tasks: Vec::new(),
            places: Vec::new(),
            charges: Vec::new(),
            pauses: Vec::new(),
        }
    }

    pub(super) fn all(&self, is_wanted: impl Fn(&Task) -> bool) -> Vec<usize> {
        (0..self.tasks.len())
            .filter(|&task| is_wanted(&self.tasks[task]))
            .collect()
    }

    /// The place that the core drew for a task. The design leaves open in which order those draw
    /// them who join in one decision.
    fn place(&self, task: usize) -> u64 {
        let told = self
            .places
            .iter()
            .rfind(|told| told.0 == self.tasks[task].id);
        told.map_or(u64::MAX, |told| told.1)
    }

    pub(super) fn submit(
        &mut self,
        id: TaskId,
        (kind, shop, op): (usize, usize, Op),
        rank: i64,
    ) -> usize {
        let (place, state) = (0, State::InLine);
        self.tasks.push(Task {
            id,
            kind,
            shop,
            op,
            rank,
            place,
            state,
            is_paid: false,
        });
        let task = self.tasks.len() - 1;
        self.tasks[task].place = self.place(task);
        task
    }

    /// Whether runs of a kind get a budget of their own if they hold a shop alone.
    pub(super) fn has_budgets(&self, kind: usize) -> bool {
        self.kinds[kind].iter().any(|used| self.quotas[used.0].1)
    }

    /// What a start of the task takes, and of which counts; nothing for a cost of 0.
    fn costs(&self, task: usize) -> Vec<(Instance, u64)> {
        let uses = self.kinds[self.tasks[task].kind]
            .iter()
            .filter(|(_, cost)| *cost > 0);
        let shop = self.tasks[task].shop;
        uses.map(|&(quota, cost)| (self.instance(quota, shop), u64::from(cost)))
            .collect()
    }

    pub(super) fn instance(&self, quota: usize, shop: usize) -> Instance {
        (quota, self.quotas[quota].1.then_some(shop))
    }

    /// Whether so many units more are to be had: of those that nobody holds, spent in a window, or has
    /// set aside for him.
    fn has(&self, instance: Instance, more: u64) -> bool {
        let paid = self.all(|task| task.is_paid);
        let paid = paid.into_iter().flat_map(|task| self.costs(task));
        let aside: u64 = paid
            .filter(|cost| cost.0 == instance)
            .map(|cost| cost.1)
            .sum();
        let charges = || {
            self.charges
                .iter()
                .filter(|charge| charge.instance == instance)
        };
        let fits = |limit: &Limit| match *limit {
            Limit::AtOnce(units) => {
                let held = charges().filter(|charge| charge.by.is_some());
                held.map(|charge| charge.units).sum::<u64>() + aside + more <= units
            }
            Limit::Window { units, per_ms } => {
                let recent = charges().filter(|charge| charge.at + per_ms > self.now);
                recent.map(|charge| charge.units).sum::<u64>() + aside + more <= units
            }
        };
        !self.is_paused(instance) && self.quotas[instance.0].0.iter().all(fits)
    }

    pub(super) fn is_paused(&self, instance: Instance) -> bool {
        let pauses = self.pauses.iter().filter(|pause| pause.0 == instance);
        pauses
            .map(|pause| pause.1)
            .next_back()
            .is_some_and(|until| until > self.now)
    }

    /// Pauses a count; a pause that is longer already stays, and none at all ends it.
    pub(super) fn pause(&mut self, instance: Instance, for_ms: u64) {
        let pauses = self.pauses.iter().filter(|pause| pause.0 == instance);
        let until = pauses.map(|pause| pause.1).next_back().unwrap_or(0);
        let until = if for_ms == 0 {
            0
        } else {
            until.max(self.now + for_ms)
        };
        self.pauses.push((instance, until));
    }

    /// The queue of a count, in order.
    pub(super) fn queue(&self, instance: Instance) -> Vec<usize> {
        let mut queue = self.all(|task| task.state == State::Throttled(instance));
        queue.sort_by_key(|&task| self.tasks[task].order());
        queue
    }

    /// The first count that a task is short of: its units are not there, or somebody ahead of it
    /// waits for them already.
    pub(super) fn short_of(&self, task: usize) -> Option<Instance> {
        let is_paid = self.tasks[task].is_paid;
        let mut short = self.costs(task).into_iter().filter(|&(instance, units)| {
            if is_paid {
                // Unless it was paused, or its limits were lowered.
                return !self.has(instance, 0);
            }
            let first = self
                .queue(instance)
                .into_iter()
                .find(|&other| other != task);
            let is_behind =
                first.is_some_and(|first| self.tasks[first].order() < self.tasks[task].order());
            is_behind || !self.has(instance, units)
        });
        short.next().map(|short| short.0)
    }

    /// Follows the core as it lets those wait for another quota who are short of it by now, and sets
    /// units aside for those who are the first in a queue and short of nothing; these rejoin their
    /// lines. Then nobody may be left who is the first and short of nothing.
    pub(super) fn follow(&mut self, moves: &[Move]) -> Result<(), String> {
        for &(task, to) in moves {
            let id = self.tasks[task].id;
            if !self.is_first(task) {
                return Err(format!(
                    "task {id} is not the first to wait, but goes to {to:?}"
                ));
            }
            if self.short_of(task) != to {
                let short = self.short_of(task);
                return Err(format!(
                    "task {id} is short of {short:?}, but goes to {to:?}"
                ));
            }
            match to {
                Some(instance) => self.tasks[task].state = State::Throttled(instance),
                None => {
                    self.tasks[task].is_paid = true;
                    self.tasks[task].state = State::InLine;
                    self.tasks[task].place = self.place(task);
                }
            }
        }
        let mut left = self.all(|task| matches!(task.state, State::Throttled(_)));
        left.retain(|&task| self.is_first(task) && self.short_of(task).is_none());
        match left.first() {
            Some(&task) => Err(format!("task {} is short of nothing", self.tasks[task].id)),
            None => Ok(()),
        }
    }

    fn is_first(&self, task: usize) -> bool {
        match self.tasks[task].state {
            State::Throttled(instance) => self.queue(instance).first() == Some(&task),
            _ => false,
        }
    }

    fn conflicts(&self, task: usize, other: usize) -> bool {
        let (task, other) = (&self.tasks[task], &self.tasks[other]);
        task.shop == other.shop && task.op.conflicts(other.op)
    }

    /// Whether a task in line has its shop for itself.
    pub(super) fn is_free(&self, task: usize) -> bool {
        let order = self.tasks[task].order();
        let in_the_way = self.all(|other| match other.state {
            State::Running(_) => true,
            State::InLine => other.order() < order,
            State::Throttled(_) | State::Ended => false,
        });
        !in_the_way
            .into_iter()
            .any(|other| self.conflicts(task, other))
    }

    /// The next task to start. Whoever is best but short of units leaves the line.
    pub(super) fn next_start(&mut self) -> Option<usize> {
        loop {
            let mut ready = self.all(|task| task.state == State::InLine);
            ready.retain(|&task| self.is_free(task));
            ready.sort_by_key(|&task| self.tasks[task].order());
            let best = *ready.first()?;
            match self.short_of(best) {
                Some(instance) => {
                    self.tasks[best].is_paid = false;
                    self.tasks[best].state = State::Throttled(instance);
                }
                None => return Some(best),
            }
        }
    }

    pub(super) fn start(&mut self, task: usize, token: Token) {
        for (instance, units) in self.costs(task) {
            self.charges.push(Charge {
                instance,
                units,
                at: self.now,
                by: Some(task),
            });
        }
        self.tasks[task].is_paid = false;
        self.tasks[task].state = State::Running(token);
    }

    /// A run ends: its units are held no longer, but stay spent in their windows.
    pub(super) fn end(&mut self, task: usize, goes_back: bool) {
        for charge in &mut self.charges {
            if charge.by == Some(task) {
                charge.by = None;
            }
        }
        self.tasks[task].is_paid = false;
        self.tasks[task].state = if goes_back {
            State::InLine
        } else {
            State::Ended
        };
    }
}
