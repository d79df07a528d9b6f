//! What must hold in every table, whatever it is about: the log has no gaps and its time never goes
//! back, two conflicting runs are never live together, and tokens only grow.

use interlock_core::event::{Admitted, EndWhy, Event, Record, Then};
use interlock_core::words::{Now, Op, Outcome, ResourceName, TaskId, Token};
use std::collections::BTreeMap;

/// How a task ended, as the log says.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub(crate) outcome: Outcome,
    pub(crate) why: EndWhy,
    pub(crate) keep_ms: u64,
}

/// Follows the log, with no knowledge of the core's insides.
#[derive(Default)]
pub(crate) struct Oracle {
    position: Option<u64>,
    at: Now,
    generation: u32,
    claims: BTreeMap<TaskId, Vec<(ResourceName, Op)>>,
    live: BTreeMap<u64, TaskId>,
    tokens: BTreeMap<u64, TaskId>,
    ends: BTreeMap<TaskId, End>,
}

impl Oracle {
    pub(crate) fn see(&mut self, record: &Record) {
        if let Some(position) = self.position {
            assert_eq!(record.position, position, "the log has a gap");
        }
        assert!(
            self.at.elapsed <= record.at.elapsed && self.at.wall <= record.at.wall,
            "the log's time went back from {:?} to {:?}",
            self.at,
            record.at,
        );
        assert!(!record.events.is_empty(), "an empty record was logged");
        self.at = record.at;
        self.position = Some(record.position + record.events.len() as u64);
        for (position, event) in (record.position..).zip(&record.events) {
            self.event(position, event);
        }
    }

    /// The task that a token was handed out for.
    pub(crate) fn task_of(&self, token: Token) -> Option<TaskId> {
        self.tokens.get(&token.position).copied()
    }

    pub(crate) fn end(&self, task: TaskId) -> Option<&End> {
        self.ends.get(&task)
    }

    fn event(&mut self, position: u64, event: &Event) {
        match event {
            Event::Opened { generation } => {
                assert!(*generation >= self.generation, "the generation went back");
                self.generation = *generation;
            }
            Event::Admitted(admitted) => self.admitted(admitted),
            Event::Started(started) => self.started(position, started.task),
            Event::RunEnded(ended) => {
                let task = self.live.remove(&ended.token.position);
                let task = task.expect("only a live run ends");
                if let Then::Done {
                    outcome,
                    why,
                    keep_ms,
                } = &ended.then
                {
                    self.ended(task, *outcome, why, *keep_ms);
                }
            }
            Event::Ended {
                task,
                outcome,
                why,
                keep_ms,
            } => {
                assert!(
                    !self.live.values().any(|live| live == task),
                    "{task} ended while running"
                );
                self.ended(*task, *outcome, why, *keep_ms);
            }
            _ => {}
        }
    }

    fn admitted(&mut self, admitted: &Admitted) {
        let claims = admitted.claims.iter().cloned().collect();
        let before = self.claims.insert(admitted.task, claims);
        assert!(before.is_none(), "{} was admitted twice", admitted.task);
    }

    fn started(&mut self, position: u64, task: TaskId) {
        assert!(
            !self.ends.contains_key(&task),
            "{task} started after its end"
        );
        for other in self.live.values() {
            assert_ne!(*other, task, "{task} runs twice");
            assert!(
                !self.conflict(task, *other),
                "P1: {task} and {other} run together"
            );
        }
        self.live.insert(position, task);
        self.tokens.insert(position, task);
    }

    fn conflict(&self, a: TaskId, b: TaskId) -> bool {
        let claims = |task| self.claims.get(&task).expect("a task that was admitted");
        let meets = |(resource, op): &(ResourceName, Op)| {
            claims(b)
                .iter()
                .any(|(other, other_op)| resource == other && op.conflicts(*other_op))
        };
        claims(a).iter().any(meets)
    }

    fn ended(&mut self, task: TaskId, outcome: Outcome, why: &EndWhy, keep_ms: u64) {
        let end = End {
            outcome,
            why: why.clone(),
            keep_ms,
        };
        assert!(self.ends.insert(task, end).is_none(), "{task} ended twice");
    }
}
