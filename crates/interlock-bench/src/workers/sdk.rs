//! A worker as users write it, whose handler only counts.

use interlock_client::Client;
use interlock_client::worker::{Run, Stop, Worker, WorkerError};
use serde::Deserialize;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// How long anything may take.
const STUCK_AFTER: Duration = Duration::from_secs(600);

/// What the payload of the benchmarks holds.
#[derive(Deserialize)]
pub(super) struct Payload {
    /// The number of the submission.
    pub(super) number: String,
}

/// A worker at work, and what it has done.
pub(super) struct Working {
    counted: Arc<Counted>,
    stop: Stop,
    worker: JoinHandle<Result<(), WorkerError>>,
}

struct Counted {
    done: AtomicU64,
    wanted: u64,
    enough: Notify,
}

impl Counted {
    fn add(&self) {
        if self.done.fetch_add(1, Ordering::Relaxed) + 1 == self.wanted {
            self.enough.notify_one();
        }
    }
}

impl Working {
    /// Starts a worker that is wanted to do so many tasks.
    pub(super) fn start(
        address: SocketAddr,
        (concurrency, lanes): (usize, usize),
        wanted: u64,
    ) -> anyhow::Result<Self> {
        let counted = Arc::new(Counted {
            done: AtomicU64::new(0),
            wanted,
            enough: Notify::new(),
        });
        let count = counted.clone();
        let worker = Worker::new(client(address)?)
            .name("bench")
            .concurrency(concurrency)
            .lanes(lanes)
            .without_signals()
            .handler("sync", None, move |_run: Run, payload: Payload| {
                let count = count.clone();
                async move {
                    count.add();
                    Ok(payload.number.len())
                }
            });
        let stop = worker.stop();
        let worker = tokio::spawn(worker.run());
        Ok(Self {
            counted,
            stop,
            worker,
        })
    }

    /// Waits until it has done what was wanted, and lets it leave.
    pub(super) async fn finish(mut self) -> anyhow::Result<()> {
        tokio::select! {
            () = self.counted.enough.notified() => {}
            ended = &mut self.worker => anyhow::bail!("the worker ended too early: {ended:?}"),
            () = tokio::time::sleep(STUCK_AFTER) => anyhow::bail!("the worker is stuck"),
        }
        self.stop.drain();
        self.worker.await??;
        Ok(())
    }
}

/// A client of the server.
pub(super) fn client(address: SocketAddr) -> anyhow::Result<Client> {
    Ok(Client::new(&format!("http://{address}"))?)
}
