//! Submitters that ask again with the same key until they are answered, and workers by the SDK.

use super::ledger::Ledger;
use crate::nodes::Cluster;
use interlock_api::claim::Claim;
use interlock_api::kind::KindPolicy;
use interlock_api::submission::Submission;
use interlock_api::task::State;
use interlock_client::Client;
use interlock_client::worker::{Run, Stop, Worker};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

const SUBMITTERS: usize = 4;
const WORKERS: usize = 2;
/// Few, so that tasks meet.
const RESOURCES: usize = 8;
/// How long a run works, so that some are under way whenever something fails.
const WORK: Duration = Duration::from_millis(20);
/// How long everything may take to drain in the end.
const DRAIN_WITHIN: Duration = Duration::from_secs(90);

pub(super) struct Traffic {
    go_on: Arc<AtomicBool>,
    submitters: Vec<JoinHandle<()>>,
    workers: Vec<(Stop, JoinHandle<anyhow::Result<()>>)>,
}

impl Traffic {
    pub(super) async fn begin(cluster: &Cluster, ledger: &Arc<Ledger>) -> anyhow::Result<Self> {
        let policy = KindPolicy::default();
        let client = cluster.client_of_all()?;
        client.kinds().set("sync", &policy).await?;
        let go_on = Arc::new(AtomicBool::new(true));
        let mut workers = Vec::new();
        for number in 0..WORKERS {
            let worker = worker(cluster.client_of_all()?, number, &policy, ledger);
            let stop = worker.stop();
            let working = tokio::spawn(async move { Ok(worker.run().await.map(drop)?) });
            workers.push((stop, working));
        }
        let mut submitters = Vec::new();
        for number in 0..SUBMITTERS {
            let (ledger, go_on) = (ledger.clone(), go_on.clone());
            let client = cluster.client_of_all()?;
            submitters.push(tokio::spawn(submit(client, number, ledger, go_on)));
        }
        Ok(Self {
            go_on,
            submitters,
            workers,
        })
    }

    /// Stops submitting, and sees to it that everything acknowledged has been done.
    pub(super) async fn end(self, cluster: &Cluster, ledger: &Ledger) -> anyhow::Result<()> {
        self.go_on.store(false, Ordering::Relaxed);
        for submitter in self.submitters {
            submitter.await?;
        }
        let (client, until) = (cluster.client_of_all()?, Instant::now() + DRAIN_WITHIN);
        for task in ledger.acknowledged() {
            match ended(&client, task, until).await {
                Some(State::Succeeded) if ledger.has_run(task) => {}
                Some(State::Succeeded) => {
                    ledger.violation(format!("task {task} succeeded without a run"));
                }
                state => ledger.violation(format!("task {task} was acknowledged and is {state:?}")),
            }
        }
        for (stop, working) in self.workers {
            stop.drain();
            working.await??;
        }
        Ok(())
    }
}

/// The state that a task has in the end; none if it is not known.
async fn ended(client: &Client, task: u64, until: Instant) -> Option<State> {
    loop {
        let state = client
            .tasks()
            .show(task)
            .await
            .ok()
            .map(|shown| shown.state);
        let is_over = !matches!(state, None | Some(State::Waiting | State::Running));
        if is_over || Instant::now() > until {
            return state;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn worker(client: Client, number: usize, policy: &KindPolicy, ledger: &Arc<Ledger>) -> Worker {
    let ledger = ledger.clone();
    Worker::new(client)
        .name(format!("w{number}"))
        .concurrency(4)
        .without_signals()
        .handler("sync", policy.clone(), move |run: Run, (): ()| {
            let ledger = ledger.clone();
            async move {
                let resource = run.resources()[0].resource.clone();
                let _working = Working::begin(ledger, run.task(), resource);
                tokio::time::sleep(WORK).await;
                Ok(())
            }
        })
}

/// A run under way. One that is dropped because its lease may be over has stopped too.
struct Working {
    ledger: Arc<Ledger>,
    task: u64,
    resource: String,
}

impl Working {
    fn begin(ledger: Arc<Ledger>, task: u64, resource: String) -> Self {
        ledger.begins(task, &resource);
        Self {
            ledger,
            task,
            resource,
        }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.ledger.stops(self.task, &self.resource);
    }
}

async fn submit(client: Client, number: usize, ledger: Arc<Ledger>, go_on: Arc<AtomicBool>) {
    for count in 0_usize.. {
        let claim = Claim {
            resource: format!("repository:{}", (number + count) % RESOURCES),
            op: None,
        };
        let mut wanted = Submission::new("sync", [claim]);
        wanted.idempotency_key = Some(format!("{number}-{count}"));
        // Whoever gets no answer asks again, with the same key.
        while go_on.load(Ordering::Relaxed) {
            if let Ok(report) = client.tasks().submit(&wanted).await {
                report
                    .task
                    .into_iter()
                    .for_each(|task| ledger.submitted(task));
                break;
            }
        }
        if !go_on.load(Ordering::Relaxed) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}
