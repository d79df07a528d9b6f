//! A connection that comes back: made when it is needed, dropped when it is lost, and what a loss
//! means for whoever was in the middle of something.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::fault::{Fault, Tried};
use super::held::Held;
use super::runtime::Runtime;
use super::session::Session;
use super::target::Target;
use super::{ground, place};
use crate::error::StoreError;
use crate::limits::CALL_WITHIN;
use crate::store::Result;
use crate::types::NamespaceId;

/// What all connections of a store share.
pub(super) struct Shared {
    pub(super) runtime: Runtime,
    pub(super) target: Target,
    pub(super) held: Held,
    generation: AtomicU32,
}

impl Shared {
    pub(super) fn new(runtime: Runtime, target: Target) -> Self {
        Self {
            runtime,
            target,
            held: Held::default(),
            generation: AtomicU32::new(0),
        }
    }

    pub(super) fn generation(&self) -> u32 {
        self.generation.load(Ordering::SeqCst)
    }

    /// A connection says which generation the database has. If it is another one, the database was
    /// restored or failed over: what was known of it counts no more.
    fn note_generation(&self, found: u32) {
        let before = self.generation.swap(found, Ordering::SeqCst);
        if before != 0 && before != found {
            self.held.forget_all();
        }
    }
}

/// A connection that comes back.
pub(super) struct Link {
    pub(super) shared: Arc<Shared>,
    session: Option<Session>,
    /// How many connections were made.
    made: u64,
}

/// A failure, and whether something may have been committed nevertheless.
struct Failed {
    fault: Fault,
    in_doubt: bool,
}

impl Link {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            session: None,
            made: 0,
        }
    }

    /// How many connections were made so far: whether it is still the same as before.
    pub(super) fn made(&self) -> u64 {
        self.made
    }

    /// Makes a connection if there is none.
    pub(super) fn ensure(&mut self, doing: &'static str) -> Result<()> {
        let is_up = |session: &Session| !session.is_closed();
        if self.session.as_ref().is_some_and(is_up) {
            return Ok(());
        }
        self.read(doing, async |_| Ok(()))
    }

    /// Reads. If the connection is lost it is made anew, once.
    pub(super) fn read<T>(
        &mut self,
        doing: &'static str,
        mut work: impl AsyncFnMut(&mut Session) -> Tried<T>,
    ) -> Result<T> {
        let answer = match self.attempt(Some(CALL_WITHIN), &mut work) {
            Err(failed) if failed.fault.is_lost() => self.attempt(Some(CALL_WITHIN), &mut work),
            answer => answer,
        };
        answer.map_err(|failed| failed.fault.harmless(doing))
    }

    /// Reads once, for as long as it takes.
    pub(super) fn read_at_length<T>(
        &mut self,
        doing: &'static str,
        work: impl AsyncFnOnce(&mut Session) -> Tried<T>,
    ) -> Result<T> {
        let answer = self.attempt(None, work);
        answer.map_err(|failed| failed.fault.harmless(doing))
    }

    /// Writes once. If nobody knows whether it was done, none of the namespaces that it concerned is
    /// owned any more.
    pub(super) fn write<T>(
        &mut self,
        doing: &'static str,
        concerned: &[NamespaceId],
        work: impl AsyncFnOnce(&mut Session) -> Tried<T>,
    ) -> Result<T> {
        self.write_within(CALL_WITHIN, doing, concerned, work)
    }

    /// The same within a time of the caller's.
    pub(super) fn write_within<T>(
        &mut self,
        limit: Duration,
        doing: &'static str,
        concerned: &[NamespaceId],
        work: impl AsyncFnOnce(&mut Session) -> Tried<T>,
    ) -> Result<T> {
        let done = self.attempt(Some(limit), work);
        self.blamed(doing, concerned, done)
    }

    /// Writes once, on the connection that something is known from, and on no other.
    pub(super) fn write_on<T>(
        &mut self,
        made: u64,
        doing: &'static str,
        concerned: &[NamespaceId],
        work: impl AsyncFnOnce(&mut Session) -> Tried<T>,
    ) -> Result<T> {
        let is_closed = |session: &Session| session.is_closed();
        let done = if made != self.made || self.session.as_ref().is_none_or(is_closed) {
            let (fault, in_doubt) = (Fault::Gone, false);
            Err(Failed { fault, in_doubt })
        } else {
            self.attempt_on_this(Some(CALL_WITHIN), work)
        };
        self.blamed(doing, concerned, done)
    }

    fn blamed<T>(
        &self,
        doing: &'static str,
        concerned: &[NamespaceId],
        done: Result<T, Failed>,
    ) -> Result<T> {
        done.map_err(|failed| {
            if !failed.in_doubt || failed.fault.is_answer() {
                return failed.fault.harmless(doing);
            }
            for &namespace in concerned {
                self.shared.held.forget(namespace);
            }
            StoreError::Unsure {
                doing,
                why: failed.fault.why(),
            }
        })
    }

    fn attempt<T>(
        &mut self,
        limit: Option<Duration>,
        work: impl AsyncFnOnce(&mut Session) -> Tried<T>,
    ) -> Result<T, Failed> {
        let shared = Arc::clone(&self.shared);
        if let Err(fault) = shared.runtime.wait(self.connect()) {
            let in_doubt = false;
            return Err(Failed { fault, in_doubt });
        }
        self.attempt_on_this(limit, work)
    }

    fn attempt_on_this<T>(
        &mut self,
        limit: Option<Duration>,
        work: impl AsyncFnOnce(&mut Session) -> Tried<T>,
    ) -> Result<T, Failed> {
        let shared = Arc::clone(&self.shared);
        let done = shared.runtime.wait(async {
            let work = work(self.session.as_mut().ok_or(Fault::Gone)?);
            match limit {
                Some(limit) => tokio::time::timeout(limit, work)
                    .await
                    .unwrap_or(Err(Fault::Late)),
                None => work.await,
            }
        });
        done.map_err(|fault| {
            let in_doubt = self.session.as_mut().is_some_and(Session::end_doubt);
            if fault.is_lost() {
                self.session = None;
            }
            Failed { fault, in_doubt }
        })
    }

    async fn connect(&mut self) -> Tried<()> {
        self.session.take_if(|session| session.is_closed());
        if self.session.is_some() {
            return Ok(());
        }
        let connecting = connect(self.shared.target.clone());
        let connecting = self.shared.runtime.handle.spawn(connecting);
        let connected = connecting.await.map_err(|_stopping| Fault::Gone)?;
        let (session, generation) = connected.map_err(|fault| match fault {
            // Once it was good ground: in the middle of a failover this will pass.
            Fault::Refused(StoreError::BadGround { cause, .. }) if self.made > 0 => {
                let (doing, why) = ("connecting again", cause);
                StoreError::Unreachable { doing, why }.into()
            }
            fault => fault,
        })?;
        self.shared.note_generation(generation);
        self.made += 1;
        self.session = Some(session);
        Ok(())
    }
}

/// A connection on ground that was looked at, and the generation of the store there.
async fn connect(target: Target) -> Tried<(Session, u32)> {
    let mut session = connect_bare(target).await?;
    let generation = place::settle(&mut session).await?;
    Ok((session, generation))
}

/// The same where there may be no tables yet.
pub(super) async fn connect_bare(target: Target) -> Tried<Session> {
    let shown = target.shown();
    let mut session = Session::connect(target)
        .await
        .map_err(|fault| ground::why_not(fault, &shown))?;
    ground::check(&mut session).await?;
    session.settle().await?;
    Ok(session)
}
