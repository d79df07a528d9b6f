//! The committer's thread: jobs one after another, and in between what nobody waits for.

use super::Job;
use super::writer::{Chore, Desk};
use crate::cell::Batch;
use crate::limits;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

pub(super) struct Thread {
    desk: Arc<Desk>,
    inbox: Receiver<Job>,
    /// Jobs that arrived and wait for the commit under way.
    waiting: VecDeque<Job>,
    /// How many commits there were when it was last looked whether anybody comes.
    commits: u64,
    /// Whether nobody has come since there was time for what nobody waits for.
    quiet: bool,
}

impl Thread {
    pub(super) fn new(desk: Arc<Desk>, inbox: Receiver<Job>) -> Self {
        Self {
            desk,
            inbox,
            waiting: VecDeque::new(),
            commits: 0,
            quiet: false,
        }
    }

    /// Until it is told to stop, nobody is left who could, or somebody has panicked with the writer:
    /// then everybody is told that the server stops.
    pub(super) fn run(mut self) {
        while self.step().is_some() {}
    }

    fn step(&mut self) -> Option<()> {
        match self.next()? {
            Ok(Job::Wake) => {}
            Ok(Job::Batch(batch)) => {
                let batches = self.gather(*batch);
                let jobs = batches.len();
                self.desk.take()?.write(batches);
                self.desk.done(jobs);
            }
            Ok(Job::Call(call)) => {
                self.desk.take()?.call(call);
                self.desk.done(1);
            }
            Ok(Job::Look(look)) => {
                look(&mut *self.desk.take()?.store);
                self.desk.done(1);
            }
            Ok(Job::Stop(done)) => {
                let _gone = done.send(self.desk.clear()?.stop());
                return None;
            }
            Err(RecvTimeoutError::Timeout) => self.idle()?,
            Err(RecvTimeoutError::Disconnected) => return None,
        }
        Some(())
    }

    /// The next job. Waits for one, unless nobody has come for a while and there is something else to
    /// do.
    fn next(&mut self) -> Option<Result<Job, RecvTimeoutError>> {
        let mut writer = self.desk.take()?;
        let came = std::mem::replace(&mut self.commits, writer.commits()) != self.commits;
        self.quiet &= !came;
        if let Some(job) = self.waiting.pop_front() {
            return Some(Ok(job));
        }
        let chore = writer.chore();
        writer.is_thread_asleep = chore.is_none();
        drop(writer);
        Some(match chore {
            None => (self.inbox.recv()).map_err(|_| RecvTimeoutError::Disconnected),
            Some(_) if self.quiet => self.inbox.try_recv().map_err(|error| match error {
                TryRecvError::Empty => RecvTimeoutError::Timeout,
                TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
            }),
            Some(chore) => self.inbox.recv_timeout(patience(chore)),
        })
    }

    /// There is time for what nobody waits for, unless a cell has used the writer meanwhile.
    fn idle(&mut self) -> Option<()> {
        let mut writer = self.desk.take()?;
        self.quiet = writer.commits() == self.commits;
        if self.quiet {
            writer.idle();
        }
        Some(())
    }

    /// This batch and those that have arrived behind it, up to another job.
    fn gather(&mut self, first: Batch) -> Vec<Batch> {
        self.waiting.extend(self.inbox.try_iter());
        let mut bytes = first.bytes.len();
        let mut batches = vec![first];
        while bytes < limits::COMMIT_BYTES_MAX {
            match self.waiting.pop_front() {
                Some(Job::Batch(batch)) => {
                    bytes += batch.bytes.len();
                    batches.push(*batch);
                }
                Some(Job::Wake) => {}
                Some(other) => {
                    self.waiting.push_front(other);
                    break;
                }
                None => break,
            }
        }
        batches
    }
}

/// How long nobody must have come for there to be time.
fn patience(chore: Chore) -> Duration {
    match chore {
        Chore::Fold => limits::IDLE_AFTER,
        Chore::Tend => limits::TEND_AFTER,
    }
}
