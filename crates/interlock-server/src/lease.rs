//! Keeps the lease of the node that this process is: renews it on a thread of its own, and says so when
//! it can't be relied on any more.
//!
//! A lease counts from the sending of the call that granted it, on a clock that goes on while the
//! machine sleeps. It is given up before it is over, so that nobody else has it yet.

use crate::clock::boot_ms;
use interlock_store::StoreError;
use interlock_store::postgres::{Lease, Ownership};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tracing::warn;

/// What part of a lease is left when it is given up: a fifth.
const MARGIN: u32 = 5;
/// Renewed after a third of it.
const RENEW_AFTER: u32 = 3;
/// How soon a renewal that failed is tried again: after a tenth of it.
const AGAIN_AFTER: u32 = 10;

/// Renews a lease until it is dropped.
pub struct LeaseKeeper {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// The boot-time clock, to be read before the call that asks for a lease is sent.
pub fn sent_now() -> Sent {
    Sent(boot_ms())
}

/// When a call was sent.
#[derive(Clone, Copy, Debug)]
pub struct Sent(u64);

impl LeaseKeeper {
    /// Keeps a lease that was asked for at this time. `lost` is called once if it can't be kept.
    pub fn start(
        ownership: Ownership,
        lease: Lease,
        sent: Sent,
        lost: impl FnOnce(&StoreError) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (stop, stopped) = channel();
        let mut keeping = Keeping {
            generation: ownership.generation(),
            ownership,
            length: lease.left,
            until_ms: until(sent.0, lease.left),
        };
        let thread = std::thread::Builder::new()
            .name("lease".into())
            .spawn(move || {
                let mut wait = keeping.length / RENEW_AFTER;
                while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(wait) {
                    wait = match keeping.renew() {
                        Ok(wait) => wait,
                        Err(error) => return lost(&error),
                    };
                }
            })?;
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for LeaseKeeper {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

struct Keeping {
    ownership: Ownership,
    /// If it changes, the database is not the one that everything here was loaded from.
    generation: u32,
    length: Duration,
    /// Not to be relied on after this.
    until_ms: u64,
}

impl Keeping {
    /// Renews once. Says when to do so again, or why there is no more reason to.
    fn renew(&mut self) -> Result<Duration, StoreError> {
        if self.ownership.has_left() {
            // In order: nobody minds.
            return Ok(self.length);
        }
        let sent = boot_ms();
        if sent >= self.until_ms {
            return Err(StoreError::LeaseEnded);
        }
        match self.ownership.renew() {
            Ok(_) if self.ownership.generation() != self.generation => {
                let why = "the database was restored, or another server has taken its place";
                Err(StoreError::Poisoned(why.to_owned()))
            }
            Ok(lease) => {
                self.until_ms = until(sent, lease.left);
                Ok(self.length / RENEW_AFTER)
            }
            Err(_) if self.ownership.has_left() => Ok(self.length),
            Err(StoreError::LeaseEnded) => Err(StoreError::LeaseEnded),
            Err(error) => {
                warn!(%error, "the lease of this node was not renewed");
                Ok(self.length / AGAIN_AFTER)
            }
        }
    }
}

fn until(sent_ms: u64, left: Duration) -> u64 {
    let relied_on = left - left / MARGIN;
    sent_ms + u64::try_from(relied_on.as_millis()).unwrap_or(u64::MAX / 2)
}
