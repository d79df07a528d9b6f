//! The barrier rule on its own, without the core: (rank, place) with rank floors is one total order,
//! so nobody waits in a circle, with any number of claims per task, and no barrier is crossed.
//!
//! The yard below knows only lines, chains and who is outside. Whether a barrier was crossed is
//! judged apart from ranks, by what was promised when somebody came or joined.

use crate::check;
use interlock_core::words::Op;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// What happens in a yard. Numbers choose among whoever it can happen to.
#[derive(Clone, Debug)]
enum Act {
    /// A task comes to its resources, with the rank that its priority gives it.
    Come(Vec<(u8, Op)>, i64),
    /// A ready task starts.
    Start(usize),
    /// A run ends, and so does its task.
    End(usize),
    /// A run is lost: its task goes back to its old place.
    Lose(usize),
    /// A run fails, or a task in line is held or short of units: it is in no line.
    Leave(usize),
    /// Somebody who left comes back, with a new rank.
    Return(usize, i64),
    /// Somebody who waits is called off.
    Cancel(usize),
    /// The rank of somebody who waits gets better: a bump, or a merge.
    Better(usize, i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Outside,
    InLine,
    Running,
    Away,
    Gone,
}

#[derive(Clone, Debug)]
struct Task {
    claims: BTreeMap<u8, Op>,
    at: At,
    rank: i64,
    place: u64,
    /// When it last came to its resources; a lifecycle task keeps the first such time.
    came: u64,
    /// It is a lifecycle task and has stood in line.
    at_work: bool,
    /// These must not be in line or running when it starts.
    lets_pass: Vec<usize>,
    /// These must be gone when it starts.
    outlives: Vec<usize>,
}

impl Task {
    fn is_lifecycle(&self) -> bool {
        self.claims.values().any(|op| op.is_lifecycle())
    }

    fn is_barrier_on(&self, resource: u8) -> bool {
        self.claims
            .get(&resource)
            .is_some_and(|op| op.is_lifecycle())
    }

    fn conflicts(&self, other: &Task) -> bool {
        self.claims.iter().any(|(resource, op)| {
            other
                .claims
                .get(resource)
                .is_some_and(|theirs| op.conflicts(*theirs))
        })
    }

    fn shares_a_line(&self, other: &Task) -> bool {
        self.claims
            .keys()
            .any(|resource| other.claims.contains_key(resource))
    }
}

/// Lines, chains, and who is outside.
#[derive(Debug)]
struct Yard {
    tasks: Vec<Task>,
    clock: u64,
    /// Whether lifecycle tasks get a rank floor. Without it the rule is broken.
    floors: bool,
}

impl Yard {
    fn new(floors: bool) -> Self {
        Self {
            tasks: Vec::new(),
            clock: 0,
            floors,
        }
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    fn all(&self, at: &[At]) -> Vec<usize> {
        (0..self.tasks.len())
            .filter(|&task| at.contains(&self.tasks[task].at))
            .collect()
    }

    /// Pending lifecycle tasks of a resource other than `me`.
    fn barriers(&self, resource: u8, me: usize) -> Vec<usize> {
        let pending = [At::Outside, At::InLine, At::Running, At::Away];
        let mut barriers = self.all(&pending);
        barriers.retain(|&task| task != me && self.tasks[task].is_barrier_on(resource));
        barriers
    }

    /// Whom a task that is outside waits for: barriers that came before it, and those at work.
    fn behind(&self, me: usize) -> Vec<usize> {
        let resources = self.tasks[me].claims.keys();
        let mut behind: Vec<_> = resources.flat_map(|&r| self.barriers(r, me)).collect();
        behind.retain(|&task| {
            self.tasks[task].at_work || self.tasks[task].came < self.tasks[me].came
        });
        behind
    }

    /// Whom a task in line waits for: conflicting runs, and conflicting tasks ahead of it.
    fn ahead(&self, me: usize) -> Vec<usize> {
        let order = |task: usize| (self.tasks[task].rank, self.tasks[task].place);
        let mut ahead = self.all(&[At::InLine, At::Running]);
        ahead.retain(|&task| {
            let goes_first = self.tasks[task].at == At::Running || order(task) < order(me);
            task != me && goes_first && self.tasks[task].conflicts(&self.tasks[me])
        });
        ahead
    }

    fn ready(&self) -> Vec<usize> {
        let mut ready = self.all(&[At::InLine]);
        ready.retain(|&task| self.ahead(task).is_empty());
        ready
    }

    fn come(&mut self, me: usize, rank: i64) {
        let came = self.tick();
        let keeps = self.tasks[me].came > 0 && self.tasks[me].is_lifecycle();
        if !keeps {
            self.tasks[me].came = came;
            self.tasks[me].outlives = self.behind(me);
        }
        if !self.tasks[me].at_work {
            self.tasks[me].rank = rank;
        }
        self.tasks[me].at = At::Outside;
        self.settle();
    }

    /// Whoever is outside and behind nobody joins: the barriers last, so that they are after those
    /// who came before them.
    fn settle(&mut self) {
        loop {
            let mut free = self.all(&[At::Outside]);
            free.retain(|&task| self.behind(task).is_empty());
            free.sort_by_key(|&task| (self.tasks[task].is_lifecycle(), self.tasks[task].came));
            match free.first() {
                Some(&task) => self.join(task),
                None => return,
            }
        }
    }

    fn join(&mut self, me: usize) {
        self.tasks[me].at = At::InLine;
        if self.tasks[me].at_work {
            return;
        }
        self.tasks[me].place = self.tick();
        if !self.tasks[me].is_lifecycle() {
            return;
        }
        self.tasks[me].at_work = true;
        let mut in_lines = self.all(&[At::InLine, At::Running]);
        in_lines.retain(|&task| task != me && self.tasks[task].shares_a_line(&self.tasks[me]));
        if self.floors {
            let floor = in_lines.iter().map(|&task| self.tasks[task].rank).max();
            self.tasks[me].rank = self.tasks[me].rank.max(floor.unwrap_or(i64::MIN));
        }
        let barred: Vec<_> = (0..=u8::MAX)
            .filter(|&r| self.tasks[me].is_barrier_on(r))
            .collect();
        let stand = |task: &usize| {
            barred
                .iter()
                .any(|r| self.tasks[*task].claims.contains_key(r))
        };
        let lets_pass = in_lines.iter().copied().filter(stand).collect();
        self.tasks[me].lets_pass = lets_pass;
    }

    /// A task starts, if no barrier is crossed by it.
    fn start(&mut self, me: usize) -> Result<(), String> {
        let Task {
            lets_pass,
            outlives,
            ..
        } = &self.tasks[me];
        let crossed = lets_pass
            .iter()
            .find(|&&task| self.tasks[task].at == At::InLine);
        if let Some(before) = crossed {
            return Err(format!(
                "barrier {me} starts before {before}, which was in line first"
            ));
        }
        if let Some(barrier) = outlives
            .iter()
            .find(|&&task| self.tasks[task].at != At::Gone)
        {
            return Err(format!(
                "{me} starts before barrier {barrier}, which came first"
            ));
        }
        self.tasks[me].at = At::Running;
        Ok(())
    }

    fn act(&mut self, act: &Act) -> Result<(), String> {
        let pick = |from: Vec<usize>, n: usize| (!from.is_empty()).then(|| from[n % from.len()]);
        let waiting = [At::InLine, At::Outside, At::Away];
        match act {
            Act::Come(claims, rank) => {
                self.tasks.push(newcomer(claims));
                self.come(self.tasks.len() - 1, *rank);
            }
            Act::Start(n) => {
                if let Some(me) = pick(self.ready(), *n) {
                    self.start(me)?;
                }
            }
            Act::End(n) => self.put(pick(self.all(&[At::Running]), *n), At::Gone),
            Act::Lose(n) => self.put(pick(self.all(&[At::Running]), *n), At::InLine),
            Act::Leave(n) => self.put(pick(self.all(&[At::Running, At::InLine]), *n), At::Away),
            Act::Cancel(n) => self.put(pick(self.all(&waiting), *n), At::Gone),
            Act::Return(n, rank) => {
                if let Some(me) = pick(self.all(&[At::Away]), *n) {
                    self.come(me, *rank);
                }
            }
            Act::Better(n, by) => {
                let mut waiting = self.all(&waiting);
                waiting.retain(|&task| !self.tasks[task].at_work);
                if let Some(me) = pick(waiting, *n) {
                    self.tasks[me].rank -= by.abs();
                }
            }
        }
        Ok(())
    }

    fn put(&mut self, task: Option<usize>, at: At) {
        if let Some(task) = task {
            // Whoever leaves gives its place up; a barrier keeps what it was promised.
            for other in &mut self.tasks {
                if at != At::InLine {
                    other.lets_pass.retain(|&before| before != task);
                }
            }
            self.tasks[task].at = at;
            self.settle();
        }
    }

    /// Nobody waits for himself, by however long a chain; and if nothing runs, the first of the
    /// total order is ready.
    fn check(&self) -> Result<(), String> {
        let mut free = self.all(&[At::Running, At::Away, At::Gone]);
        while free.len() < self.tasks.len() {
            let next = self
                .all(&[At::InLine, At::Outside])
                .into_iter()
                .find(|task| {
                    !free.contains(task) && self.waits_for(*task).iter().all(|on| free.contains(on))
                });
            free.push(next.ok_or_else(|| format!("a circle among those who wait: {self:#?}"))?);
        }
        let in_line = self.all(&[At::InLine]);
        let first = in_line
            .iter()
            .min_by_key(|&&t| (self.tasks[t].rank, self.tasks[t].place));
        match first {
            Some(first) if self.all(&[At::Running]).is_empty() && !self.ready().contains(first) => {
                Err(format!("{first} is the first, and not ready: {self:#?}"))
            }
            _ => Ok(()),
        }
    }

    fn waits_for(&self, me: usize) -> Vec<usize> {
        match self.tasks[me].at {
            At::Outside => self.behind(me),
            At::InLine => self.ahead(me),
            At::Running | At::Away | At::Gone => Vec::new(),
        }
    }

    /// Lets everybody run until nobody is left.
    fn drain(&mut self) -> Result<(), String> {
        while !self
            .all(&[At::Outside, At::InLine, At::Running, At::Away])
            .is_empty()
        {
            let acts = [Act::Return(0, 0), Act::Start(0), Act::End(0)];
            let before = format!("{:?}", self.tasks);
            for act in &acts {
                self.act(act)?;
                self.check()?;
            }
            if format!("{:?}", self.tasks) == before {
                return Err(format!("nobody can go on: {self:#?}"));
            }
        }
        Ok(())
    }
}

fn newcomer(claims: &[(u8, Op)]) -> Task {
    Task {
        claims: claims.iter().copied().collect(),
        at: At::Away,
        rank: 0,
        place: 0,
        came: 0,
        at_work: false,
        lets_pass: Vec::new(),
        outlives: Vec::new(),
    }
}

fn claims() -> impl Strategy<Value = Vec<(u8, Op)>> {
    let ops = prop_oneof![
        3 => Just(Op::Read),
        4 => Just(Op::Update),
        1 => Just(Op::Create),
        1 => Just(Op::Delete),
    ];
    prop::collection::vec((0..5_u8, ops), 1..6)
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let n = || 0..20_usize;
    let act = prop_oneof![
        8 => (claims(), -30..30_i64).prop_map(|(claims, rank)| Act::Come(claims, rank)),
        5 => n().prop_map(Act::Start),
        2 => n().prop_map(Act::End),
        1 => n().prop_map(Act::Lose),
        3 => n().prop_map(Act::Leave),
        2 => (n(), -30..30_i64).prop_map(|(n, rank)| Act::Return(n, rank)),
        1 => n().prop_map(Act::Cancel),
        1 => (n(), 0..30_i64).prop_map(|(n, by)| Act::Better(n, by)),
    ];
    prop::collection::vec(act, 1..60)
}

fn run(acts: &[Act], floors: bool) -> Result<(), String> {
    let mut yard = Yard::new(floors);
    for act in acts {
        yard.act(act)?;
        yard.check()?;
    }
    yard.drain()
}

#[test]
fn with_rank_floors_no_barrier_is_crossed_and_nobody_waits_in_a_circle() {
    check(400, &acts(), |acts| run(&acts, true));
}

#[test]
fn without_rank_floors_a_barrier_is_crossed() {
    // A late delete of high priority starts before an update that stood in line first.
    let acts = [
        Act::Come(vec![(0, Op::Update)], 10),
        Act::Come(vec![(0, Op::Delete)], -10),
        Act::Start(0),
    ];
    assert_eq!(run(&acts, true), Ok(()));
    let crossed = run(&acts, false).expect_err("the checker must see it");
    assert!(crossed.contains("barrier 1 starts before 0"), "{crossed}");
}
