//! Workers: processes that do the work, in a dozen lines.
//!
//! ```no_run
//! use interlock_client::Client;
//! use interlock_client::worker::{KindPolicy, Run, Worker};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Deserialize)]
//! struct Sync { url: String }
//! #[derive(Serialize)]
//! struct Synced { packages: u64 }
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::new("http://127.0.0.1:7420")?;
//! Worker::new(client)
//!     .name("w1")
//!     .concurrency(8)
//!     .handler("sync", KindPolicy::default(), |run: Run, payload: Sync| async move {
//!         for done in 0..10 {
//!             let _permit = run.spend("mirror-calls", 1).await?; // waits as the quota demands
//!             // … fetch the next part of payload.url …
//!             run.progress(done, 10, format!("fetching {}", payload.url));
//!         }
//!         Ok(Synced { packages: 42 })
//!     })
//!     .run()
//!     .await?;
//! # Ok(())
//! # }
//! ```
//!
//! - **Kinds** are registered with their policy when the worker starts; `None` for one that is
//!   registered elsewhere.
//! - **Failures**: any error becomes an [`Error`] by `?` and is tried again as the kind says;
//!   [`Error::retry_in`] and [`Error::give_up`] say otherwise. A handler that panics has failed.
//! - **Stopping**: on SIGTERM or SIGINT the worker takes nothing new, finishes what runs and leaves;
//!   a second signal cancels what runs and gives it back. [`Worker::stop`] does both without signals.
//! - **Cancelling**: [`Run::cancelled`] fires when the task is cancelled or runs too long. A handler
//!   that returns soon is waited for, and a success that comes in time counts; after the kind's grace
//!   it is dropped where it waits.
//! - **Self-fencing**: each run has a lease, which beats renew. A run that can't be renewed is told
//!   to stop at 0.8 of its lease, counted on a clock that goes on while the machine sleeps, and is
//!   dropped at 0.9. If its handler is still at work shortly before the end, the process ends
//!   ([`Worker::last_resort`]): by then the resource is about to be handed on. Don't block in an
//!   `async` handler; give the blocking thread a clone of the [`Run`] and look at
//!   [`Run::is_cancelled`] there.
//! - **A server that is away** is waited for: runs go on while their leases last, and what they came
//!   to is told when it is back.

mod budget;
mod clock;
mod engine;
mod error;
mod fence;
mod handler;
mod lease;
mod live;
mod run;
mod spend;
mod stop;

pub use engine::IfNamed;
pub use error::{Error, WorkerError};
pub use interlock_api::kind::KindPolicy;
pub use live::StopReason;
pub use run::Run;
pub use spend::Permit;
pub use stop::Stop;

use crate::client::Client;
use engine::{Engine, Settings};
use futures_util::stream::{FuturesUnordered, StreamExt};
use handler::Handler;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use tokio_util::task::AbortOnDropHandle;

/// With what a process ends whose handler does not stop.
pub const NOT_STOPPED: i32 = 70;
/// Sessions of one worker, at most.
const LANES_MAX: usize = 16;
/// Runs at once, at most: one beat names all of them.
const CONCURRENCY_MAX: usize = 1_000;

/// A worker: a name, handlers, and how much it does at once.
pub struct Worker {
    client: Client,
    name: String,
    concurrency: usize,
    lanes: usize,
    if_named: IfNamed,
    handlers: BTreeMap<String, Handler>,
    policies: BTreeMap<String, KindPolicy>,
    last_resort: Arc<dyn Fn(&str) + Send + Sync>,
    stop: Stop,
    signals: bool,
}

impl Worker {
    /// A worker of this server, named after machine and process, that does one thing at a time.
    pub fn new(client: Client) -> Self {
        let host = rustix::system::uname();
        let host = host.nodename().to_string_lossy().into_owned();
        Self {
            client,
            name: format!("{host}-{}", std::process::id()),
            concurrency: 1,
            lanes: 1,
            if_named: IfNamed::Wait,
            handlers: BTreeMap::new(),
            policies: BTreeMap::new(),
            last_resort: Arc::new(end_process),
            stop: Stop::new(),
            signals: true,
        }
    }

    /// Its name. Each start of a worker of one name is a new session; two at the same time can't be.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The name it has.
    pub fn named(&self) -> &str {
        &self.name
    }

    /// How many runs it has at once, from 1 to 1,000.
    pub fn concurrency(mut self, runs: usize) -> Self {
        self.concurrency = runs.clamp(1, CONCURRENCY_MAX);
        self
    }

    /// Splits the worker into so many sessions that share its concurrency, named `w1`, `w1.2`,
    /// `w1.3` …: while one waits for the server's answer, another has something to do. Worth it for a
    /// great many tasks that each take less than a millisecond; 1 by default.
    pub fn lanes(mut self, lanes: usize) -> Self {
        self.lanes = lanes.clamp(1, LANES_MAX);
        self
    }

    /// What to do if another process works under its name.
    pub fn if_named(mut self, then: IfNamed) -> Self {
        self.if_named = then;
        self
    }

    /// Handles tasks of this kind. The kind is registered with the policy when the worker starts;
    /// with `None` it must have been registered already.
    ///
    /// Payload and result are any types that JSON can be read into and written from. A payload that
    /// can't be read fails for good.
    pub fn handler<P, R, H, F>(
        mut self,
        kind: impl Into<String>,
        policy: impl Into<Option<KindPolicy>>,
        handler: H,
    ) -> Self
    where
        P: DeserializeOwned + Send + 'static,
        R: Serialize + Send + 'static,
        H: Fn(Run, P) -> F + Send + Sync + 'static,
        F: Future<Output = Result<R, Error>> + Send + 'static,
    {
        let kind = kind.into();
        if let Some(mut policy) = policy.into() {
            policy.name = Some(kind.clone());
            self.policies.insert(kind.clone(), policy);
        }
        self.handlers.insert(kind, handler::erased(handler));
        self
    }

    /// What to do if a handler does not stop although its resource is about to be handed on. It is
    /// called on a thread of its own, again and again; unless it ends the process, two runs may touch
    /// the resource at once. By default the process exits with [`NOT_STOPPED`].
    pub fn last_resort(mut self, end: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.last_resort = Arc::new(end);
        self
    }

    /// Leaves signals alone.
    pub fn without_signals(mut self) -> Self {
        self.signals = false;
        self
    }

    /// By which it can be told to stop.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Works until told to stop.
    pub async fn run(self) -> Result<(), WorkerError> {
        if self.handlers.is_empty() {
            return Err(WorkerError::NoHandler);
        }
        let signals = match self.signals {
            true => Some(self.stop.on_signals().map_err(WorkerError::Signals)?),
            false => None,
        };
        let lanes = (1..=self.lanes.min(self.concurrency)).map(|lane| self.lane(lane));
        let mut lanes: FuturesUnordered<_> = lanes.collect::<Result<_, _>>()?;
        let mut ended = Ok(());
        while let Some(lane) = lanes.next().await {
            if lane.is_err() && ended.is_ok() {
                ended = lane;
                self.stop.drain();
            }
        }
        if let Some(signals) = signals {
            signals.abort();
        }
        ended
    }

    /// One session, with its share of the concurrency.
    fn lane(
        &self,
        lane: usize,
    ) -> Result<impl Future<Output = Result<(), WorkerError>>, WorkerError> {
        let lanes = self.lanes.min(self.concurrency);
        let rest = usize::from(lane <= self.concurrency % lanes);
        let settings = Settings {
            client: self.client.clone(),
            name: match lane {
                1 => self.name.clone(),
                lane => format!("{}.{lane}", self.name),
            },
            concurrency: self.concurrency / lanes + rest,
            if_named: self.if_named,
            handlers: self.handlers.clone(),
            policies: self.policies.values().cloned().collect(),
            last_resort: self.last_resort.clone(),
        };
        let engine = Engine::new(settings, self.stop.listen()).map_err(WorkerError::Thread)?;
        let working = tokio::spawn(engine.run());
        let working = AbortOnDropHandle::new(working);
        Ok(async move {
            match working.await {
                Ok(ended) => ended,
                Err(error) => Err(WorkerError::Thread(error.into())),
            }
        })
    }
}

fn end_process(why: &str) {
    let why = format!("{why}: the process ends before the resource is handed on");
    tracing::error!("{why}");
    // Nobody shall wonder why a process is gone, also if nobody listens to its log.
    if !tracing::dispatcher::has_been_set() {
        let _nobody_reads = writeln!(std::io::stderr(), "{why}");
    }
    std::process::exit(NOT_STOPPED);
}
