//! A submission: what a client asks for.

use super::{Claim, Name, Payload, TaskId, Token, Wall};
use serde::{Deserialize, Serialize};

/// What a client asks for. One admission function judges it, whatever path it comes by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// The kind of task.
    pub kind: Name,
    /// What it touches.
    pub claims: Vec<Claim>,
    /// Bytes for the run.
    pub payload: Payload,
    /// 0 to 9; the kind's if none.
    pub priority: Option<u8>,
    /// Not to start before; at once if none.
    pub due: Option<Due>,
    /// Tells apart things that are otherwise the same (see coalescing).
    pub key: Option<Name>,
    /// What to do if something conflicting is in the way.
    pub if_busy: IfBusy,
    /// Give up if not started within this time of its being submitted or, if later, due.
    pub start_within_ms: Option<u64>,
    /// Tasks that must succeed first.
    pub after: Vec<After>,
    /// Admitted but held until released.
    pub hold: bool,
    /// Free words to find it by.
    pub tags: Vec<Name>,
    /// Repeating the request with the same key returns the first acknowledged answer. Of a group
    /// only the first item carries one: it is the group's.
    pub idempotency_key: Option<Name>,
    /// The run that submits this as its child.
    pub parent: Option<Token>,
    /// The finished task that this one repeats at an operator's wish.
    pub retry_of: Option<TaskId>,
    /// The caller's trace context, handed to the run.
    pub trace: Option<Box<str>>,
}

impl Submission {
    /// A submission with defaults for everything but kind and claims.
    pub fn new(kind: Name, claims: Vec<Claim>) -> Self {
        Self {
            kind,
            claims,
            payload: Payload::default(),
            priority: None,
            due: None,
            key: None,
            if_busy: IfBusy::Wait,
            start_within_ms: None,
            after: Vec::new(),
            hold: false,
            tags: Vec::new(),
            idempotency_key: None,
            parent: None,
            retry_of: None,
            trace: None,
        }
    }
}

/// When a task may start at the earliest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Due {
    /// At this time.
    At(Wall),
    /// This long from now.
    In(u64),
}

/// What to do if something conflicting is running or ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IfBusy {
    /// Wait in line.
    Wait,
    /// Reject the submission.
    Reject,
}

/// A task that must succeed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum After {
    /// An earlier task.
    Task(TaskId),
    /// An item of the same group, by its index.
    Item(usize),
}
