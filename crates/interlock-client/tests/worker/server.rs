//! A server with its door open, in this process.

use interlock_api::claim::Claim;
use interlock_api::submission::Submission;
use interlock_api::task::{Task, Until, WaitQuery};
use interlock_api::{Span, kind::KindPolicy};
use interlock_client::Client;
use interlock_client::worker::{Stop, Worker, WorkerError};
use interlock_server::door::{Door, DoorConfig};
use interlock_server::server::Server;
use interlock_store::MemoryStore;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A server with its door open.
pub(crate) struct Running {
    server: Arc<Server>,
    pub(crate) client: Client,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

impl Running {
    pub(crate) async fn start() -> Self {
        let store = Box::new(MemoryStore::new());
        let server = Server::start(store, "memory", |error| panic!("{error}")).unwrap();
        let config = DoorConfig::at("127.0.0.1:0".parse().unwrap());
        let door = Door::open(server.clone(), &config).await.unwrap();
        let client = Client::new(&format!("http://{}", door.address())).unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(door.serve(async {
            let _stop = stopped.await;
        }));
        Self {
            server,
            client,
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
