//! A core in virtual time, with its log, its workers' memories and a cell that never sleeps through
//! a timer. Runs one command at a time; what a row means is in `steps`.

use super::oracle::Oracle;
use super::parse;
use interlock_core::command::{Command, Take};
use interlock_core::event::Record;
use interlock_core::reply::{HandOut, Taken, Wake};
use interlock_core::words::{Elapsed, GroupId, Now, SessionId, TaskId, Token, Wall};
use interlock_core::{Core, Decision, Reply};
use std::collections::BTreeMap;

/// Where the wall clock begins: 2026-01-01T00:00:00Z, a Thursday.
pub(crate) const EPOCH: Wall = Wall(1_767_225_600_000);

/// How long a take of a table waits unless it says otherwise.
const WAIT_MS: u64 = 60_000;

/// A core in virtual time.
pub(crate) struct World {
    pub(crate) core: Core,
    pub(crate) log: Vec<Record>,
    pub(crate) oracle: Oracle,
    pub(crate) epoch: Wall,
    pub(crate) generation: u32,
    /// The boot-time clock.
    pub(crate) at: u64,
    /// How far the wall clock was set forward or back.
    pub(crate) wall_shift: i64,
    pub(crate) up: bool,
    /// Timers may be overdue: the table slept through them.
    pub(crate) late: bool,
    pub(crate) workers: BTreeMap<String, Worker>,
    pub(crate) groups: Vec<GroupId>,
    pub(crate) handed: BTreeMap<TaskId, HandOut>,
    /// Full scans after every decision; off for tables with thousands of tasks.
    pub(crate) checked: bool,
}

/// What a worker remembers.
pub(crate) struct Worker {
    pub(crate) session: SessionId,
    pub(crate) take_number: u64,
    pub(crate) runs: Vec<WorkerRun>,
    /// Takes again when a take came back empty, as a real worker does.
    pub(crate) loops: bool,
}

/// A run as its worker remembers it, also after the server forgot it.
pub(crate) struct WorkerRun {
    pub(crate) task: TaskId,
    pub(crate) token: Token,
    /// The worker has not finished it.
    pub(crate) open: bool,
}

/// What one command led to.
pub(crate) struct Outcome {
    pub(crate) reply: Reply,
    pub(crate) wakes: Vec<Wake>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::beginning(0)
    }

    /// A world whose wall clock begins so many days after [`EPOCH`].
    pub(crate) fn beginning(days: u64) -> Self {
        let mut world = Self {
            core: Core::new(7),
            log: Vec::new(),
            oracle: Oracle::default(),
            epoch: EPOCH.plus(days * 86_400_000),
            generation: 1,
            at: 0,
            wall_shift: 0,
            up: false,
            late: false,
            workers: BTreeMap::new(),
            groups: Vec::new(),
            handed: BTreeMap::new(),
            checked: true,
        };
        world.open();
        world
    }

    /// The time now.
    pub(crate) fn now(&self) -> Now {
        let wall = self.epoch.0 + self.at;
        Now {
            elapsed: Elapsed(self.at),
            wall: Wall(
                wall.checked_add_signed(self.wall_shift)
                    .expect("a wall after 1970"),
            ),
        }
    }

    /// Begins to serve what is in the log.
    pub(crate) fn open(&mut self) -> Vec<Wake> {
        let decision = self.core.open(self.now(), self.generation);
        self.up = true;
        let mut wakes = Vec::new();
        self.commit(decision, &mut wakes);
        wakes
    }

    /// The process dies. Soft state is gone; of the log, all but the last `lost` records stay.
    pub(crate) fn die(&mut self, lost: usize) {
        self.up = false;
        self.log.truncate(self.log.len() - lost);
        self.core = Core::new(self.log.len() as u64);
        self.oracle = Oracle::default();
        for record in &self.log {
            self.core.replay(record);
            self.oracle.see(record);
        }
    }

    /// Decides one command, after the timers that are due and with the slices it leaves.
    pub(crate) fn decide(&mut self, command: Command) -> Outcome {
        assert!(self.up, "the server is down");
        let dry = matches!(&command, Command::Submit(submit) if submit.dry_run);
        let decision = self.core.decide(self.now(), command);
        let late = std::mem::take(&mut self.late);
        let idle = !late && (dry || matches!(decision.reply, Reply::Refused(_)));
        if idle && let Some(record) = &decision.record {
            panic!("{:?} changed something: {record:?}", decision.reply);
        }
        let mut wakes = Vec::new();
        let reply = self.commit(decision, &mut wakes);
        Outcome { reply, wakes }
    }

    /// Moves the clocks on, ticking at every timer on the way. Returns who was woken, and when.
    pub(crate) fn advance(&mut self, to: u64) -> Vec<(u64, Wake)> {
        assert!(to >= self.at, "a table's time goes forward");
        let mut woken = Vec::new();
        if !self.up {
            self.at = to;
            return woken;
        }
        let mut patience = 100_000;
        while let Some(due) = self.next_timer().filter(|due| *due <= to) {
            patience -= 1;
            assert!(patience > 0, "the timer at {due} is due for ever");
            self.at = self.at.max(due);
            let wakes = self.tick();
            woken.extend(wakes.into_iter().map(|wake| (self.at, wake)));
        }
        self.at = to;
        woken
    }

    fn tick(&mut self) -> Vec<Wake> {
        let outcome = self.decide(Command::Tick);
        assert_eq!(outcome.reply, Reply::Done, "a tick has nothing to say");
        outcome.wakes
    }

    /// The next timer on the boot-time clock.
    fn next_timer(&self) -> Option<u64> {
        let next = self.core.next_timer();
        let wall = next.wall.map(|wall| {
            let since = i128::from(wall.0) - i128::from(self.epoch.0) - i128::from(self.wall_shift);
            u64::try_from(since).unwrap_or(0)
        });
        [next.elapsed.map(|elapsed| elapsed.0), wall]
            .into_iter()
            .flatten()
            .min()
    }

    fn commit(&mut self, decision: Decision, wakes: &mut Vec<Wake>) -> Reply {
        let mut more = decision.more;
        let reply = decision.reply;
        self.append(decision.record);
        self.remember_reply(&reply);
        self.deliver(decision.wakes, wakes);
        let mut patience = 50;
        while more {
            patience -= 1;
            assert!(patience > 0, "a sweep never ends");
            let decision = self.core.decide(self.now(), Command::Tick);
            more = decision.more;
            self.append(decision.record);
            self.deliver(decision.wakes, wakes);
        }
        if self.checked
            && let Err(broken) = self.core.check()
        {
            panic!("an invariant is broken: {broken}");
        }
        reply
    }

    fn append(&mut self, record: Option<Record>) {
        if let Some(record) = record {
            self.oracle.see(&record);
            self.log.push(record);
        }
    }

    fn remember_reply(&mut self, reply: &Reply) {
        if let Reply::Submitted {
            group: Some(group), ..
        } = reply
        {
            self.groups.push(*group);
        }
    }

    /// Hands wakes to their workers. One that came back empty takes again, as its worker would.
    fn deliver(&mut self, new: Vec<Wake>, wakes: &mut Vec<Wake>) {
        for wake in new {
            let alias = self.alias(wake.session);
            let empty = wake.taken.hand_outs.is_empty() && !wake.taken.draining;
            let loops = alias
                .as_ref()
                .is_some_and(|alias| self.workers[alias].loops);
            let waits = alias.is_some_and(|alias| self.workers[&alias].take_number == wake.number);
            assert!(
                waits || empty,
                "a wake for take {} that nobody waits for",
                wake.number
            );
            if empty && !waits {
                continue;
            }
            if empty && loops {
                self.take_again(wake.session, wakes);
                continue;
            }
            self.remember_taken(wake.session, &wake.taken);
            wakes.push(wake);
        }
    }

    fn take_again(&mut self, session: SessionId, wakes: &mut Vec<Wake>) {
        let alias = self.alias(session).expect("a worker of the table");
        let worker = self.workers.get_mut(&alias).expect("a worker of the table");
        worker.take_number += 1;
        let number = worker.take_number;
        let take = Take {
            session,
            number,
            max: 1,
            wait_ms: WAIT_MS,
            finishes: Vec::new(),
        };
        let outcome = self.decide(Command::Take(take));
        if let Reply::Taken(taken) = outcome.reply {
            self.remember_taken(session, &taken);
            wakes.push(Wake {
                session,
                number,
                taken,
            });
        }
        wakes.extend(outcome.wakes);
    }

    /// The worker's name in the table.
    pub(crate) fn alias(&self, session: SessionId) -> Option<String> {
        let mut workers = self.workers.iter();
        workers
            .find(|(_, worker)| worker.session == session)
            .map(|(alias, _)| alias.clone())
    }

    pub(crate) fn worker(&mut self, alias: &str) -> &mut Worker {
        self.workers
            .get_mut(alias)
            .unwrap_or_else(|| panic!("{alias} never registered"))
    }

    pub(crate) fn remember_taken(&mut self, session: SessionId, taken: &Taken) {
        let Some(alias) = self.alias(session) else {
            return;
        };
        for hand_out in &taken.hand_outs {
            self.handed.insert(hand_out.task, hand_out.clone());
            let runs = &mut self.worker(&alias).runs;
            if runs.iter().all(|run| run.token != hand_out.token) {
                let newest = runs.last().is_none_or(|run| run.token < hand_out.token);
                assert!(newest, "a token did not grow");
                runs.push(WorkerRun {
                    task: hand_out.task,
                    token: hand_out.token,
                    open: true,
                });
            }
        }
    }

    /// Recovery is the fold of the log: whatever a table did, replaying it gives the same state.
    pub(crate) fn same_after_replay(&self) {
        let mut replayed = Core::new(99);
        for record in &self.log {
            replayed.replay(record);
        }
        if let Err(difference) = self.core.same_hard_state(&replayed) {
            panic!("replay gives another state: {difference}");
        }
    }

    /// A run by `[alias/]task[#nth]`; without a task the only open one, or the last one.
    pub(crate) fn run(&self, alias: &str, text: Option<&str>) -> (usize, String) {
        let (owner, which) = match text.map(|text| text.split_once('/').ok_or(text)) {
            None => (alias, None),
            Some(Ok((owner, which))) => (owner, Some(which)),
            Some(Err(which)) => (alias, Some(which)),
        };
        let runs = &self
            .workers
            .get(owner)
            .unwrap_or_else(|| panic!("no worker {owner}"))
            .runs;
        let index = match which {
            None => only_open(runs).unwrap_or_else(|| panic!("{owner} runs several: name one")),
            Some(which) => numbered(runs, which),
        };
        (index, owner.to_owned())
    }
}

fn only_open(runs: &[WorkerRun]) -> Option<usize> {
    let open: Vec<usize> = (0..runs.len()).filter(|index| runs[*index].open).collect();
    match open[..] {
        [] => Some(
            runs.len()
                .checked_sub(1)
                .expect("this worker never ran anything"),
        ),
        [only] => Some(only),
        _ => None,
    }
}

fn numbered(runs: &[WorkerRun], which: &str) -> usize {
    let (task, nth) = which
        .split_once('#')
        .map_or((which, None), |(t, n)| (t, Some(n)));
    let task = parse::task(task);
    let mut of_task: Vec<usize> = (0..runs.len()).filter(|i| runs[*i].task == task).collect();
    match nth {
        Some(nth) => of_task[nth.parse::<usize>().expect("a number") - 1],
        None => of_task
            .pop()
            .unwrap_or_else(|| panic!("this worker never ran {task}")),
    }
}
