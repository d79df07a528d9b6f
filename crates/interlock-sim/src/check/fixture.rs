//! For tests of checkers: tells an observer a story, event by event, as a core would or should not.

use super::Checker;
use crate::oracle::{Deed, Oracle, Step};
use crate::scenery::{name, resource};
use interlock_core::event::{
    Admitted, EndWhy, Event, Record, RunEnd, RunEnded, Spot, Stage, Started, Then,
};
use interlock_core::reply::Verdict;
use interlock_core::words::{
    Elapsed, Kind, KindId, Now, Op, Outcome, Payload, SessionId, TaskId, Token, Wall,
};
use interlock_core::{Command, NextTimer, Reply};
use std::sync::Arc;

/// A story told to one checker.
pub struct Story {
    /// The observer.
    pub oracle: Oracle,
    /// The time of the next decision, on all clocks.
    pub time: u64,
    position: u64,
    steps: u64,
}

impl Story {
    /// Begins with kind 0 (`plain`) and a session that handles it, registered at position 2.
    pub fn new(checker: impl Checker + 'static) -> Self {
        Self::with_kind(checker, |_| {})
    }

    /// The same with a policy of one's own.
    pub fn with_kind(checker: impl Checker + 'static, policy: impl FnOnce(&mut Kind)) -> Self {
        let mut story = Self {
            oracle: Oracle::with(vec![Box::new(checker)]),
            time: 1_000,
            position: 0,
            steps: 0,
        };
        story.events(vec![Event::Opened { generation: 1 }]);
        let mut kind = Kind::new(name("plain"));
        policy(&mut kind);
        story.events(vec![Event::KindSet {
            id: KindId(0),
            kind: Arc::new(kind),
        }]);
        story.events(vec![Event::Registered {
            name: name("w0"),
            kinds: vec![KindId(0)],
        }]);
        story
    }

    /// Moves all clocks.
    pub fn at(&mut self, time: u64) -> &mut Self {
        self.time = time;
        self
    }

    /// The time on the server's clocks.
    pub fn now(&self) -> Now {
        Now {
            elapsed: Elapsed(self.time),
            wall: Wall(self.time),
        }
    }

    /// The token that a start has if it is the next event.
    pub fn next_token(&self) -> Token {
        Token {
            generation: 1,
            position: self.position,
        }
    }

    /// Events by themselves, as a tick may cause them.
    pub fn events(&mut self, events: Vec<Event>) -> &mut Self {
        self.decide(Command::Tick, Reply::Done, events)
    }

    /// A whole decision.
    pub fn decide(&mut self, command: Command, reply: Reply, events: Vec<Event>) -> &mut Self {
        self.steps += 1;
        let now = self.now();
        let later = NextTimer {
            elapsed: Some(now.elapsed.plus(1)),
            wall: Some(now.wall.plus(1)),
        };
        let position = self.position;
        self.position += events.len() as u64;
        let step = Step {
            number: self.steps,
            time: self.time,
            at: now,
            command: Some(command),
            reply,
            wakes: Vec::new(),
            record: (!events.is_empty()).then_some(Record {
                at: now,
                position,
                events,
            }),
            more: false,
            next: later,
        };
        self.oracle.observe(&step);
        self
    }

    /// Something a worker really did.
    pub fn deed(&mut self, deed: Deed) -> &mut Self {
        self.oracle.deed(self.time, &deed);
        self
    }

    /// Admits a task of kind 0 into its lines, rank and place equal to its id.
    pub fn admit(&mut self, id: u64, claims: &[(&str, Op)]) -> &mut Self {
        self.admit_with(id, claims, |_| {})
    }

    /// The same with changes.
    pub fn admit_with(
        &mut self,
        id: u64,
        claims: &[(&str, Op)],
        change: impl FnOnce(&mut Admitted),
    ) -> &mut Self {
        let mut admitted = admitted(id, claims);
        change(&mut admitted);
        self.events(vec![Event::Admitted(Box::new(admitted))])
    }

    /// Starts a task in a session (2 is there from the beginning) and says its token.
    pub fn start(&mut self, id: u64, session: u64) -> Token {
        let token = self.next_token();
        self.events(vec![started(id, session)]);
        token
    }

    /// Ends a run.
    pub fn end(&mut self, token: Token, how: RunEnd, then: Then) -> &mut Self {
        let task = self.oracle.ledger.runs[&token].task;
        self.events(vec![run_ended(task, token, how, then)])
    }

    /// The checker must have found nothing so far.
    pub fn fine(&mut self) -> &mut Self {
        assert_eq!(self.oracle.findings.all(), &[], "nothing was wrong yet");
        self
    }

    /// The checker must have found something by now, with these words in it.
    pub fn caught(&self, words: &str) {
        let found = self
            .oracle
            .findings
            .first()
            .expect("the checker found nothing");
        assert!(
            found.message.contains(words),
            "found something else: {found:?}"
        );
        assert_ne!(
            found.checker, "ledger",
            "the story itself is broken: {found:?}"
        );
    }
}

/// A task of kind 0 in its lines, rank and place equal to its id.
pub fn admitted(id: u64, claims: &[(&str, Op)]) -> Admitted {
    Admitted {
        task: TaskId(id),
        kind: KindId(0),
        claims: claims
            .iter()
            .map(|(text, op)| (resource(text), *op))
            .collect(),
        payload: Payload::from("[1]"),
        priority: 4,
        key: None,
        coalesces: false,
        due: None,
        start_by: None,
        after: Vec::new(),
        hold: false,
        tags: Vec::new(),
        group: None,
        parent: None,
        schedule: None,
        retry_of: None,
        trace: None,
        verdict: Verdict::Accepted,
        to: Stage::InLine,
        spot: spot(id),
    }
}

/// A spot whose rank and place are this.
pub fn spot(n: u64) -> Spot {
    Spot {
        since: Elapsed(0),
        rank: n as i64,
        place: n,
    }
}

/// The start of a task.
pub fn started(id: u64, session: u64) -> Event {
    Event::Started(Box::new(Started {
        task: TaskId(id),
        session: SessionId(session),
        take: 1,
        lease_ms: 15_000,
        charges: Default::default(),
        budgets: Default::default(),
    }))
}

/// The end of a run.
pub fn run_ended(task: TaskId, token: Token, how: RunEnd, then: Then) -> Event {
    Event::RunEnded(Box::new(RunEnded {
        token,
        task,
        how,
        then,
    }))
}

/// The end of a task that waits.
pub fn ended(id: u64, outcome: Outcome, why: EndWhy) -> Event {
    Event::Ended {
        task: TaskId(id),
        outcome,
        why,
        keep_ms: 0,
    }
}

/// A run's success.
pub fn success() -> RunEnd {
    RunEnd::Succeeded {
        result: Payload::default(),
    }
}

/// A run's failure.
pub fn failure() -> RunEnd {
    RunEnd::Failed {
        error: interlock_core::command::RunError {
            message: "no".into(),
            detail: "".into(),
        },
    }
}

/// The task has ended.
pub fn done(outcome: Outcome, why: EndWhy) -> Then {
    Then::Done {
        outcome,
        why,
        keep_ms: 0,
    }
}

/// The task waits again.
pub fn wait(to: Stage, spot: Spot) -> Then {
    Then::Wait { to, spot }
}
