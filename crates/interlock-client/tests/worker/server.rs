//! A server with its door open, in this process.

use interlock_api::claim::Claim;
use interlock_api::submission::Submission;
use interlock_api::task::{Task, Until, WaitQuery};
use interlock_api::worker::WorkerState;
use interlock_api::{Span, kind::KindPolicy};
use interlock_client::Client;
use interlock_client::worker::{Stop, Worker, WorkerError};
use interlock_server::door::{Door, DoorConfig, Tls};
use interlock_server::server::Server;
use interlock_store::{MemoryStore, SqliteStore, Store};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A server with its door open.
pub(crate) struct Running {
    server: Arc<Server>,
    pub(crate) client: Client,
    pub(crate) port: u16,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

impl Running {
    pub(crate) async fn start() -> Self {
        Self::start_with(None).await
    }

    pub(crate) async fn start_with(tls: Option<Tls>) -> Self {
        Self::open(Box::new(MemoryStore::new()), 0, tls).await
    }

    /// On a directory, so that it can be started again.
    pub(crate) async fn start_in(dir: &Path, port: u16) -> Self {
        let store = SqliteStore::open(dir).unwrap();
        Self::open(Box::new(store), port, None).await
    }

    async fn open(store: Box<dyn Store>, port: u16, tls: Option<Tls>) -> Self {
        let server = Server::start(store, "test", |error| panic!("{error}")).unwrap();
        let mut config = DoorConfig::at(SocketAddr::from(([127, 0, 0, 1], port)));
        config.tls = tls;
        let door = Door::open(server.clone(), &config).await.unwrap();
        let port = door.address().port();
        let client = Client::new(&format!("http://{}", door.address())).unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(door.serve(async {
            let _stop = stopped.await;
        }));
        Self {
            server,
            client,
            port,
            stop,
            serving,
        }
    }

    pub(crate) async fn stop(self) {
        let _gone = self.stop.send(());
        drop(self.client);
        self.serving.await.unwrap();
        self.server.stop().await.unwrap();
    }

    /// A worker of this server, that signals don't reach.
    pub(crate) fn worker(&self, name: &str) -> Worker {
        Worker::new(self.client.clone())
            .name(name)
            .without_signals()
            .last_resort(|why| panic!("{why}"))
    }

    /// Waits until a worker has registered this kind.
    pub(crate) async fn kind(&self, name: &str) {
        while self
            .client
            .workers()
            .list(&Default::default())
            .await
            .unwrap()
            .items
            .is_empty()
            || self.client.kinds().show(name).await.is_err()
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until a worker waits for work.
    pub(crate) async fn idle(&self, worker: &str) {
        loop {
            let shown = self.client.workers().show(worker).await;
            if shown.is_ok_and(|shown| shown.state == WorkerState::Idle) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub(crate) async fn submit(&self, kind: &str, resource: &str) -> u64 {
        let submission = submission(kind, resource);
        let report = self.client.tasks().submit(&submission).await.unwrap();
        report.task.unwrap()
    }

    /// Waits until a task has ended.
    pub(crate) async fn ended(&self, task: u64) -> Task {
        self.until(task, Until::Ended).await
    }

    /// Waits until a task has started.
    pub(crate) async fn started(&self, task: u64) -> Task {
        self.until(task, Until::Started).await
    }

    async fn until(&self, task: u64, until: Until) -> Task {
        let wait = Some(Span::from_ms(30_000));
        let query = WaitQuery { wait, until };
        self.client.tasks().wait(task, &query).await.unwrap()
    }
}

pub(crate) fn submission(kind: &str, resource: &str) -> Submission {
    let resource = resource.to_owned();
    Submission::new(kind, [Claim { resource, op: None }])
}

/// A kind with this lease.
pub(crate) fn lease(ms: u64) -> KindPolicy {
    KindPolicy {
        lease: Some(Span::from_ms(ms)),
        grace: Some(Span::from_ms(ms)),
        ..KindPolicy::default()
    }
}

/// A worker at work, until the test has seen enough.
pub(crate) struct AtWork {
    pub(crate) stop: Stop,
    pub(crate) working: JoinHandle<Result<(), WorkerError>>,
}

impl AtWork {
    pub(crate) fn begin(worker: Worker) -> Self {
        Self {
            stop: worker.stop(),
            working: tokio::spawn(worker.run()),
        }
    }

    /// Tells it to drain, and waits until it has.
    pub(crate) async fn drained(self) -> Result<(), WorkerError> {
        self.stop.drain();
        self.working.await.unwrap()
    }
}
