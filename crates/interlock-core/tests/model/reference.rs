//! The rules once more, slowly: plain lists and loops, no index, nothing remembered that a look at
//! all tasks can tell. Written from the design; where it leaves a choice, the comment says so.
//!
//! The model knows tasks, resources, sessions and runs. It does not choose who gets a task: the
//! world tells it what the core handed out, and it says whether that was the right one.

mod admit;
mod barrier;
mod coalesce;
mod line;
mod run;
mod steer;
mod time;
mod why;

pub(crate) use admit::{Answer, Wish};
pub(crate) use run::{Over, Run, Session, Take};
pub(crate) use why::{Reasons, Why};

use interlock_core::words::{Kind, Now, Op, Outcome, TaskId};

/// A task, by its index in the list of all tasks: that is the order of submission.
pub(crate) type Index = usize;
/// A resource, by its number.
pub(crate) type Resource = usize;

/// Everything the rules need to know.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) now: Now,
    pub(crate) step_ms: i64,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) tasks: Vec<Task>,
    pub(crate) sessions: Vec<Session>,
    pub(crate) takes: Vec<Take>,
    pub(crate) held_kinds: Vec<bool>,
    pub(crate) held_resources: Vec<bool>,
    pub(crate) held_all: bool,
    /// Whether each kind has a worker. Told by the world, within the bounds below.
    pub(crate) staffed: Vec<bool>,
    /// When a live session that handles the kind was last heard of.
    pub(crate) heard_at: Vec<u64>,
    /// When a live session that handles the kind last waited for work, worked or was heard of.
    pub(crate) handled_at: Vec<u64>,
    /// Numbers submissions, merged ones included.
    pub(crate) submissions: u64,
    /// Numbers comings.
    pub(crate) clock: u64,
    /// Numbers decisions.
    pub(crate) decision: u64,
    /// Who joined its lines in this decision. The world tells them their places.
    pub(crate) joined: Vec<Index>,
    /// In which order the core moved tasks in this decision.
    pub(crate) order: Vec<TaskId>,
    /// The last submission cancelled others.
    pub(crate) has_cancelled: bool,
    /// A barrier was cancelled by the end of another. The core does that a little later in the same
    /// decision, and whoever comes in between still meets it; so the story ends here. The simulator
    /// has such stories.
    pub(crate) is_unclear: bool,
    /// Whose end has still to be told to those who depend on it.
    pub(crate) ended: Vec<(Index, Outcome)>,
}

/// A task.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    /// What the core calls it.
    pub(crate) id: TaskId,
    /// Its number among submissions.
    pub(crate) number: u64,
    pub(crate) kind: usize,
    /// Sorted by resource.
    pub(crate) claims: Vec<(Resource, Op)>,
    pub(crate) key: Option<u8>,
    pub(crate) priority: u8,
    /// The payloads of all submissions that it stands for, by number.
    pub(crate) pieces: Vec<(u64, String)>,
    pub(crate) due: Option<u64>,
    pub(crate) start_by: Option<u64>,
    /// Tasks that must succeed first.
    pub(crate) after: Vec<Index>,
    pub(crate) group: Option<usize>,
    /// It may be the same as another submission.
    pub(crate) coalesces: bool,
    /// Held by itself.
    pub(crate) held: bool,
    /// Held by whatever, when it was last looked at.
    pub(crate) was_held: bool,
    pub(crate) state: State,
    pub(crate) since: u64,
    pub(crate) rank: i64,
    pub(crate) place: u64,
    /// Its rank when it joined, before a barrier's floor.
    pub(crate) own_rank: i64,
    /// When it was let past the futures of its resources.
    pub(crate) admitted: Option<u64>,
    /// When it first came to its resources; a barrier's number in its chains.
    pub(crate) came: Option<u64>,
    /// When it last came to each of its resources, or could have but for being kept from it: those
    /// barriers that came later are after it.
    pub(crate) positions: Vec<u64>,
    /// On which of its claims it waits outside, for every barrier that came before this number.
    pub(crate) behind: Vec<Option<u64>>,
    /// The deletes that doom it there.
    pub(crate) doomed_by: Vec<Option<Index>>,
    /// In which decision each of these waits ended.
    pub(crate) let_out: Vec<u64>,
    /// It is a lifecycle task and has stood in line.
    pub(crate) at_work: bool,
    pub(crate) starts: u32,
    pub(crate) tries: u32,
    pub(crate) losses: u32,
    /// The window for retries counts from here.
    pub(crate) first_run: Option<u64>,
    pub(crate) last_failure: u64,
    /// A submission of a kind that cancels it came while it ran.
    pub(crate) last_run: bool,
}

/// Where a task is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Waits for others to succeed.
    Dependent,
    /// Waits for its due time.
    Scheduled,
    /// Waits so that more can join it.
    Gathering { until: u64 },
    /// Waits for the next try.
    Retrying { until: u64 },
    /// Could run, but is held or has no worker.
    Kept,
    /// Waits behind barriers.
    Outside,
    /// Stands in its lines.
    InLine,
    /// A run is live.
    Running(Run),
    /// It has ended, at this time.
    Ended(Outcome, u64),
    /// It became one with another.
    Folded(Index),
}

impl Task {
    pub(crate) fn op_on(&self, resource: Resource) -> Option<Op> {
        self.claims
            .iter()
            .find(|claim| claim.0 == resource)
            .map(|claim| claim.1)
    }

    pub(crate) fn is_lifecycle(&self) -> bool {
        self.claims.iter().any(|claim| claim.1.is_lifecycle())
    }

    pub(crate) fn run(&self) -> Option<&Run> {
        match &self.state {
            State::Running(run) => Some(run),
            _ => None,
        }
    }

    pub(crate) fn is_live(&self) -> bool {
        !matches!(self.state, State::Ended(..) | State::Folded(_))
    }

    pub(crate) fn is_waiting(&self) -> bool {
        self.is_live() && self.run().is_none()
    }

    /// (rank, place): the total order.
    pub(crate) fn order(&self) -> (i64, u64) {
        (self.rank, self.place)
    }

    pub(crate) fn stands_for(&self) -> u64 {
        self.pieces.len() as u64
    }
}

impl Model {
    pub(crate) fn new(now: Now, step_ms: u64, kinds: Vec<Kind>, resources: usize) -> Self {
        Self {
            now,
            step_ms: step_ms.try_into().expect("a step is short"),
            held_kinds: vec![false; kinds.len()],
            held_resources: vec![false; resources],
            held_all: false,
            staffed: vec![true; kinds.len()],
            heard_at: vec![now.elapsed.0; kinds.len()],
            handled_at: vec![now.elapsed.0; kinds.len()],
            kinds,
            tasks: Vec::new(),
            sessions: Vec::new(),
            takes: Vec::new(),
            submissions: 0,
            clock: 0,
            decision: 0,
            joined: Vec::new(),
            order: Vec::new(),
            has_cancelled: false,
            is_unclear: false,
            ended: Vec::new(),
        }
    }

    pub(crate) fn policy(&self, task: Index) -> &Kind {
        &self.kinds[self.tasks[task].kind]
    }

    /// The tasks for which something is true, in order of submission.
    pub(crate) fn all(&self, is_wanted: impl Fn(&Task) -> bool) -> Vec<Index> {
        (0..self.tasks.len())
            .filter(|&task| is_wanted(&self.tasks[task]))
            .collect()
    }

    /// Where an id leads after folds.
    pub(crate) fn lead(&self, task: Index) -> Index {
        match self.tasks[task].state {
            State::Folded(into) => self.lead(into),
            _ => task,
        }
    }

    pub(crate) fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// A task ends, with what follows for others.
    pub(crate) fn end(&mut self, task: Index, outcome: Outcome) {
        self.tasks[task].state = State::Ended(outcome, self.now.wall.0);
        self.end_of_a_barrier(task, outcome);
        self.ended.push((task, outcome));
    }

    /// Tells those who depend on a task that it has ended, one after the other.
    pub(crate) fn tell_dependents(&mut self, of: Index, outcome: Outcome) {
        for task in self.all(|task| task.state == State::Dependent && task.after.contains(&of)) {
            if self.tasks[task].state != State::Dependent {
                continue;
            }
            if outcome == Outcome::Succeeded {
                self.pass_dependencies(task);
            } else {
                self.end(task, Outcome::Cancelled);
            }
        }
    }
}
