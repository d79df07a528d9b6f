//! Why a task is not running: every true reason, and those that an answer must not leave out.

use super::{Index, Model, Resource, State};
use interlock_core::words::TaskId;

/// A reason, without the details that the model does not know.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    Scheduled(u64),
    Gathering(u64),
    Retrying(u64, u32),
    HeldBy(Resource, TaskId),
    Ahead(Resource, TaskId),
    Behind(Resource, TaskId),
    Doomed(Resource, TaskId),
    FutureDecided(Resource, TaskId),
    Dependent(TaskId),
    DependencyFailed(TaskId),
    Held(String),
    NoWorker(usize),
    Ready,
    /// Something that this model knows nothing of.
    Other(String),
}

/// What may be said of a task, and what must be, as long as there is room for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reasons {
    pub(crate) all: Vec<Why>,
    pub(crate) needed: Vec<Why>,
}

impl Reasons {
    fn exactly(all: Vec<Why>) -> Self {
        Self {
            needed: all.clone(),
            all,
        }
    }

    /// Whether what was said is true, says it once, and leaves nothing out that fits.
    pub(crate) fn agree(&self, said: &[Why], room: usize) -> Result<(), String> {
        let mut once = said.to_vec();
        once.sort();
        once.dedup();
        let missing = self.needed.iter().find(|why| !said.contains(why));
        let wrong = said.iter().find(|why| !self.all.contains(why));
        if once.len() < said.len() || said.len() > room {
            Err(format!("says too much: {said:?}"))
        } else if let Some(wrong) = wrong {
            Err(format!("{wrong:?} is not so, but {:?}", self.all))
        } else if let Some(missing) = missing.filter(|_| said.len() < room) {
            Err(format!("{missing:?} is missing in {said:?}"))
        } else if said.is_empty() && !self.all.is_empty() {
            Err(format!("says nothing instead of {:?}", self.all))
        } else {
            Ok(())
        }
    }
}

impl Model {
    /// Why a waiting task waits.
    pub(crate) fn reasons(&self, me: Index) -> Reasons {
        let task = &self.tasks[me];
        match task.state {
            State::Dependent => Reasons::exactly(self.unmet(me)),
            State::Scheduled => Reasons::exactly(vec![Why::Scheduled(task.due.unwrap_or(0))]),
            State::Gathering { until } => Reasons::exactly(vec![Why::Gathering(until)]),
            State::Retrying { until } => Reasons::exactly(vec![Why::Retrying(until, task.tries)]),
            State::Kept if self.is_held(me) => Reasons {
                all: self.holds_on(me),
                needed: Vec::new(),
            },
            State::Kept => Reasons::exactly(vec![Why::NoWorker(task.kind)]),
            State::Outside => {
                let whys = self.whom_behind(me);
                if !task.is_lifecycle() {
                    return Reasons::exactly(whys);
                }
                // Whether a barrier behind a delete is called doomed is a matter of taste.
                let called = whys.iter().flat_map(|why| match *why {
                    Why::Behind(resource, id) | Why::Doomed(resource, id) => {
                        vec![Why::Behind(resource, id), Why::Doomed(resource, id)]
                    }
                    _ => Vec::new(),
                });
                Reasons {
                    all: called.collect(),
                    needed: Vec::new(),
                }
            }
            State::InLine if self.is_ready(me) => Reasons::exactly(vec![Why::Ready]),
            State::InLine => self.in_line_reasons(me),
            State::Running(_) | State::Ended(..) | State::Folded(_) => Reasons::default(),
        }
    }

    fn unmet(&self, me: Index) -> Vec<Why> {
        let after = self.tasks[me]
            .after
            .iter()
            .map(|&task| &self.tasks[self.lead(task)]);
        let mut unmet: Vec<_> = after
            .filter(|task| task.is_live())
            .map(|t| Why::Dependent(t.id))
            .collect();
        unmet.sort();
        unmet.dedup();
        unmet
    }

    fn whom_behind(&self, me: Index) -> Vec<Why> {
        let task = &self.tasks[me];
        let claims = task.claims.iter().enumerate();
        let behind = claims.filter_map(|(claim, &(resource, _))| {
            let barrier = self.behind(me, claim)?;
            let id = self.tasks[barrier].id;
            Some(if task.doomed_by[claim] == Some(barrier) {
                Why::Doomed(resource, id)
            } else {
                Why::Behind(resource, id)
            })
        });
        behind.collect()
    }

    /// All conflicting holders and tasks ahead are true; the holders and the nearest one ahead on
    /// each claim are needed.
    fn in_line_reasons(&self, me: Index) -> Reasons {
        let mut reasons = Reasons::default();
        for &(resource, op) in &self.tasks[me].claims {
            for holder in self.conflicting_holders(resource, op) {
                let why = Why::HeldBy(resource, self.tasks[holder].id);
                reasons.all.push(why.clone());
                reasons.needed.push(why);
            }
            let ahead = self.conflicting_ahead(me, resource, op);
            let mut whys = ahead
                .iter()
                .map(|&task| Why::Ahead(resource, self.tasks[task].id));
            reasons.all.extend(whys.clone());
            reasons.needed.extend(whys.next_back());
        }
        reasons
    }

    /// What conflicting tasks stand in the way of a task, for those who must not wait.
    pub(crate) fn in_the_way(&self, me: Index) -> Vec<Why> {
        match self.tasks[me].state {
            State::Outside => self.whom_behind(me),
            State::InLine => self.in_line_reasons(me).all,
            _ => Vec::new(),
        }
    }

    fn holds_on(&self, me: Index) -> Vec<Why> {
        let task = &self.tasks[me];
        let mut holds = Vec::new();
        if task.held {
            holds.push(Why::Held(format!("task {}", task.id)));
        }
        if self.held_kinds[task.kind] {
            holds.push(Why::Held(format!("kind {}", task.kind)));
        }
        if self.held_all {
            holds.push(Why::Held("namespace".to_owned()));
        }
        for &(resource, _) in &task.claims {
            if self.held_resources[resource] {
                holds.push(Why::Held(format!("resource {resource}")));
            }
        }
        holds
    }
}
