//! Submissions that people wrote to the database within transactions of their own: found, decided by
//! the cell of their namespace, and consumed by the commit that keeps what they cause.
//!
//! Nothing of them is remembered here. What is in the inbox is pending, and what the store would not
//! let a commit consume is looked at again.

use crate::cell::{CellError, Intake};
use crate::metrics::InboxMetrics;
use crate::server::{Hosted, Server};
use interlock_api::verdict::ItemOutcome;
use interlock_api::{Clock, Problem, convert, parse};
use interlock_core::command::Submit;
use interlock_core::reply::Answer;
use interlock_core::words::{Now, Submission};
use interlock_core::{Command, Reply};
use interlock_store::postgres::{Inbox, Pending};
use interlock_store::{Consumed, NamespaceId, StoreError};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tracing::{info, warn};

/// How long a notification is waited for before somebody looks whether one was lost.
const LOOK_EVERY: Duration = Duration::from_millis(900);
/// How many submissions of a namespace are decided in one go.
const AT_ONCE: usize = 500;
/// How long outcomes can be read.
const OUTCOMES_KEPT: Duration = Duration::from_hours(7 * 24);
/// How often those that are older are looked for, and how many go at once.
const FORGET_EVERY: Duration = Duration::from_mins(1);
const FORGET_AT_ONCE: usize = 5_000;

/// Drains the inbox for as long as the server is there.
pub(crate) fn start(inbox: Inbox, server: &Arc<Server>) -> std::io::Result<()> {
    let drain = Drain {
        inbox,
        server: Arc::downgrade(server),
        metrics: server.metrics.inbox(),
        forgotten: Instant::now(),
        failing: false,
    };
    let thread = std::thread::Builder::new().name("inbox".into());
    thread.spawn(move || drain.run()).map(drop)
}

struct Drain {
    inbox: Inbox,
    server: Weak<Server>,
    metrics: InboxMetrics,
    /// When old outcomes were last looked for.
    forgotten: Instant,
    /// Whether the last look failed, which is told once.
    failing: bool,
}

impl Drain {
    fn run(mut self) {
        loop {
            let waited = self.inbox.wait(LOOK_EVERY);
            let Some(server) = self.server.upgrade() else {
                return;
            };
            if server.is_stopping() {
                return;
            }
            self.metrics.listening(self.inbox.is_listening());
            let drained = waited.and_then(|found| self.drain(&server, &found));
            let drained = drained.and_then(|()| self.forget());
            self.note(drained);
        }
    }

    /// Says once that the inbox can't be read, and once that it can be again.
    fn note(&mut self, result: Result<(), StoreError>) {
        match &result {
            Err(error) if !self.failing => warn!(%error, "the inbox can't be drained"),
            Ok(()) if self.failing => info!("the inbox is drained again"),
            _ => {}
        }
        self.failing = result.is_err();
        if self.failing {
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Consumes what is pending in those of these namespaces that are served here.
    fn drain(&mut self, server: &Server, found: &[NamespaceId]) -> Result<(), StoreError> {
        let mut here = server.namespaces.all();
        here.retain(|hosted| found.contains(&hosted.id));
        while !here.is_empty() {
            let (done, consumed) = channel();
            for hosted in &here {
                let pending = self.inbox.pending(hosted.id, &[], AT_ONCE)?;
                if !pending.is_empty() {
                    hand_in(hosted, pending, &done);
                }
            }
            // Every sender goes when its submissions are decided, or never will be.
            drop(done);
            let consumed: Vec<(NamespaceId, usize)> = consumed.iter().collect();
            self.metrics
                .consumed(consumed.iter().map(|(_, count)| *count as u64).sum());
            // Where nothing could be consumed there is no use in trying again at once.
            here.retain(|hosted| consumed.contains(&(hosted.id, AT_ONCE)));
        }
        Ok(())
    }

    fn forget(&mut self) -> Result<(), StoreError> {
        if self.forgotten.elapsed() < FORGET_EVERY {
            return Ok(());
        }
        self.forgotten = Instant::now();
        self.inbox.forget_outcomes(OUTCOMES_KEPT, FORGET_AT_ONCE)?;
        Ok(())
    }
}

/// Has a cell decide these; it says how many were consumed, once they are.
fn hand_in(hosted: &Hosted, pending: Vec<Pending>, done: &Sender<(NamespaceId, usize)>) {
    let (done, id) = (done.clone(), hosted.id);
    let consumed = Arc::new(AtomicUsize::new(0));
    let counted = consumed.clone();
    let read = pending.iter().map(read).collect::<Vec<_>>();
    let items: Vec<Submission> = read.iter().flatten().cloned().collect();
    let command = (!items.is_empty()).then_some(Command::Submit(Submit {
        items,
        group: false,
        dry_run: false,
    }));
    let problems = read.into_iter().map(Result::err);
    let pending = pending.into_iter().zip(problems).collect();
    let handed_in = hosted.cell.consume(Intake {
        command,
        consumed: Box::new(move |reply, now| {
            let outcomes = outcomes(pending, reply, now);
            consumed.store(outcomes.len(), Ordering::Relaxed);
            outcomes
        }),
        then: Box::new(move |result: Result<(), CellError>| {
            if result.is_ok() {
                let _gone = done.send((id, counted.load(Ordering::Relaxed)));
            }
        }),
    });
    // Whatever is in the way, the next look finds them again.
    let _later = handed_in;
}

/// A submission as the HTTP API would read it.
fn read(pending: &Pending) -> Result<Submission, Problem> {
    parse::body(pending.submission.as_bytes()).and_then(convert::submission::submission)
}

/// What became of each. What could not be decided now stays where it is.
fn outcomes(
    pending: Vec<(Pending, Option<Problem>)>,
    reply: Option<Reply>,
    now: Now,
) -> Vec<Consumed> {
    let mut answers = match reply {
        Some(Reply::Submitted { answers, .. }) => answers.into_iter(),
        // The core refused all of them: none of those that it was given is consumed.
        _ => Vec::new().into_iter(),
    };
    let clock = Clock {
        wall_now: now.wall,
        elapsed_now: now.elapsed,
    };
    let become_of = |problem: Option<Problem>, answers: &mut std::vec::IntoIter<Answer>| {
        let answer = match problem {
            Some(problem) => Err(problem),
            None => convert::verdict::answer(&answers.next()?, &clock),
        };
        let stays = matches!(&answer, Err(problem) if problem.code.is_retryable());
        (!stays).then(|| ItemOutcome::from(answer))
    };
    let all = pending.into_iter().filter_map(|(pending, problem)| {
        let outcome = become_of(problem, &mut answers)?;
        Some(Consumed {
            id: pending.id,
            outcome: serde_json::to_string(&outcome).expect("plain data becomes JSON"),
        })
    });
    all.collect()
}
