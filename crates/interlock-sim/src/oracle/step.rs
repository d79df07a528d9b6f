//! What is observed: committed decisions, and deeds of workers.

use interlock_core::event::{Event, Record};
use interlock_core::reply::{Answer, Wake};
use interlock_core::row::EndedTask;
use interlock_core::words::{Name, Now, Op, ResourceName, Submission, TaskId, Token};
use interlock_core::{Command, NextTimer, Reply};

/// One committed decision.
#[derive(Clone, Debug)]
pub struct Step {
    /// Counts the decisions of a world.
    pub number: u64,
    /// The world's own time, which no clock of the server can change.
    pub time: u64,
    /// The time of the decision on the server's clocks.
    pub at: Now,
    /// What was asked; `None` for the opening after a recovery.
    pub command: Option<Command>,
    /// What was answered.
    pub reply: Reply,
    /// Parked takes that were answered.
    pub wakes: Vec<Wake>,
    /// What was decided, as read back from the log.
    pub record: Option<Record>,
    /// Slices are left.
    pub more: bool,
    /// When the core wants to be called again.
    pub next: NextTimer,
}

impl Step {
    /// The events.
    pub fn events(&self) -> &[Event] {
        self.record.as_ref().map_or(&[], |record| &record.events)
    }

    /// The position of the first event.
    pub fn position(&self) -> u64 {
        self.record.as_ref().map_or(0, |record| record.position)
    }

    /// Whether a wake answers an earlier request of the very take that this decision parked or
    /// answered: the wait of that one was over before this one was looked at.
    pub fn is_for_earlier(&self, wake: &Wake) -> bool {
        let (Some(Command::Take(take)), Reply::Parked { .. } | Reply::Taken(_)) =
            (&self.command, &self.reply)
        else {
            return false;
        };
        (take.session, take.number) == (wake.session, wake.number)
            && wake.taken.hand_outs.is_empty()
    }

    /// The submissions that this decision let in, with the number that each of them drew.
    pub fn let_in(&self) -> Vec<(TaskId, &Submission)> {
        let (Some(Command::Submit(submit)), Reply::Submitted { answers, .. }) =
            (&self.command, &self.reply)
        else {
            return Vec::new();
        };
        if submit.dry_run {
            return Vec::new();
        }
        let joined = answers
            .iter()
            .filter(|a| matches!(a, Answer::Coalesced(r) if !r.repeated));
        // A schedule that fired just before may have joined something, too.
        let merged: Vec<TaskId> = self.events().iter().filter_map(merged_seq).collect();
        let mut seqs = merged[merged.len().saturating_sub(joined.count())..].iter();
        let drawn = |answer: &Answer| match answer {
            Answer::Admitted(report) if !report.repeated => report.task,
            Answer::Coalesced(report) if !report.repeated => seqs.next().copied(),
            _ => None,
        };
        let ids: Vec<Option<TaskId>> = answers.iter().map(drawn).collect();
        let items = submit.items.iter().zip(ids);
        items.filter_map(|(item, id)| Some((id?, item))).collect()
    }
}

fn merged_seq(event: &Event) -> Option<TaskId> {
    match event {
        Event::Merged { seq, .. } => Some(*seq),
        _ => None,
    }
}

/// What a worker really did, as opposed to what the server thinks.
#[derive(Clone, Debug)]
pub enum Deed {
    /// It works on a run, and will not go on beyond `until` unless its lease is renewed.
    Acts {
        /// The run.
        token: Token,
        /// Its claims.
        claims: Vec<(ResourceName, Op)>,
        /// In the world's time.
        until: u64,
    },
    /// It stopped working on a run.
    Stops {
        /// The run.
        token: Token,
    },
    /// It used units of a quota.
    Spends {
        /// The quota.
        quota: Name,
        /// The resource, for a quota per resource.
        resource: Option<ResourceName>,
        /// Units.
        units: u64,
    },
}

/// Something that must not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Who noticed.
    pub checker: &'static str,
    /// What.
    pub message: String,
}

/// Where checkers put what they find.
#[derive(Debug, Default)]
pub struct Findings {
    checker: &'static str,
    found: Vec<Violation>,
}

impl Findings {
    /// Who speaks from now on.
    pub fn name(&mut self, checker: &'static str) {
        self.checker = checker;
    }

    /// Adds a violation.
    pub fn add(&mut self, message: impl Into<String>) {
        self.found.push(Violation {
            checker: self.checker,
            message: message.into(),
        });
    }

    /// Adds a violation unless the condition holds.
    pub fn expect(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.add(message());
        }
    }

    /// Everything found.
    #[cfg(test)]
    pub fn all(&self) -> &[Violation] {
        &self.found
    }

    /// The first one.
    pub fn first(&self) -> Option<&Violation> {
        self.found.first()
    }
}

/// What a checkpoint keeps.
#[derive(Default)]
pub struct Kept {
    /// Tasks that are in the history now.
    pub ended: Vec<EndedTask>,
    /// Tasks that ended since its cut.
    pub later: Vec<EndedTask>,
}
