//! Nodes are killed, stopped in order and made to stand still while clients submit and workers work:
//! nothing that was acknowledged is lost, nothing runs beside itself, and somebody answers again soon.

use crate::nodes::Nodes;
use interlock_api::claim::Claim;
use interlock_api::kind::KindPolicy;
use interlock_api::submission::Submission;
use interlock_api::task::State;
use interlock_client::Client;
use interlock_client::worker::{Run, Worker};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const ROUNDS: usize = 6;
const RESOURCES: usize = 8;
/// A node's lease, and five seconds.
const BACK_WITHIN: Duration = Duration::from_secs(6 + 5);
const DONE_WITHIN: Duration = Duration::from_secs(90);

/// What happened, as seen from outside.
#[derive(Default)]
struct Ledger {
    acknowledged: BTreeSet<u64>,
    /// Runs that are under way, by resource.
    running: BTreeMap<String, u64>,
    finished: BTreeSet<u64>,
    overlaps: Vec<String>,
}

type Shared = Arc<Mutex<Ledger>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_and_nothing_runs_beside_itself() {
    let mut nodes = Nodes::start().await;
    let client = nodes.client_of_all();
    let ledger = Shared::default();
    let stop = Arc::new(AtomicBool::new(false));
    let worker = worker(client.clone(), ledger.clone());
    let leave = worker.stop();
    let working = tokio::spawn(worker.run());
    client
        .kinds()
        .set("sync", &KindPolicy::default())
        .await
        .unwrap();
    let submitting: Vec<_> = (0..4)
        .map(|nth| tokio::spawn(submit(client.clone(), nth, ledger.clone(), stop.clone())))
        .collect();

    for round in 0..ROUNDS {
        tokio::time::sleep(Duration::from_millis(700)).await;
        let owner = nodes.owner("default").await;
        match round % 3 {
            0 => drop(nodes.end(owner, "-KILL")),
            1 => assert_eq!(nodes.end(owner, "-TERM"), Some(0)),
            _ => nodes.signal(owner, "-STOP"),
        }
        let away = answers_again(&nodes.client((owner + 1) % 3), round).await;
        assert!(
            away < BACK_WITHIN,
            "round {round}: nobody answered for {away:?}"
        );
        if round % 3 == 2 {
            // It wakes up long after its lease, and changes nothing.
            nodes.signal(owner, "-CONT");
        } else {
            nodes.begin(owner);
        }
        nodes.wait_for(3).await;
    }

    stop.store(true, Ordering::Relaxed);
    for submitter in submitting {
        submitter.await.unwrap();
    }
    all_done(&client, &ledger).await;
    leave.drain();
    working.await.unwrap().unwrap();
    let ledger = ledger.lock().unwrap();
    assert!(ledger.overlaps.is_empty(), "{:?}", ledger.overlaps);
    assert!(
        ledger.acknowledged.len() > ROUNDS,
        "there was something to lose"
    );
}

/// Takes its time over each task, so that some run whenever a node goes.
fn worker(client: Client, ledger: Shared) -> Worker {
    Worker::new(client)
        .name("w")
        .concurrency(4)
        .without_signals()
        .handler("sync", KindPolicy::default(), move |run: Run, (): ()| {
            let ledger = ledger.clone();
            async move {
                let (task, resource) = (run.task(), run.resources()[0].resource.clone());
                let before = ledger
                    .lock()
                    .unwrap()
                    .running
                    .insert(resource.clone(), task);
                if let Some(other) = before {
                    let overlap = format!("{task} beside {other} on {resource}");
                    ledger.lock().unwrap().overlaps.push(overlap);
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
                let mut ledger = ledger.lock().unwrap();
                ledger.running.remove(&resource);
                ledger.finished.insert(task);
                Ok(())
            }
        })
}

async fn submit(client: Client, nth: usize, ledger: Shared, stop: Arc<AtomicBool>) {
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let claim = Claim {
            resource: format!("repository:{}", (nth + number) % RESOURCES),
            op: None,
        };
        if let Ok(report) = client
            .tasks()
            .submit(&Submission::new("sync", [claim]))
            .await
        {
            ledger.lock().unwrap().acknowledged.extend(report.task);
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}

/// How long it takes until a node that is still there answers something that no memory can answer by
/// itself.
async fn answers_again(client: &Client, round: usize) -> Duration {
    let begun = Instant::now();
    loop {
        let claim = Claim {
            resource: format!("probe:{round}"),
            op: None,
        };
        let (tasks, probe) = (client.tasks(), Submission::new("sync", [claim]));
        let asked = tokio::time::timeout(DONE_WITHIN, tasks.submit(&probe)).await;
        if let Ok(Ok(_)) = asked {
            return begun.elapsed();
        }
        assert!(begun.elapsed() < DONE_WITHIN, "nobody answers: {asked:?}");
    }
}

/// Every task that was acknowledged has run to its end.
async fn all_done(client: &Client, ledger: &Shared) {
    let begun = Instant::now();
    let acknowledged = ledger.lock().unwrap().acknowledged.clone();
    for task in acknowledged {
        loop {
            let shown = client.tasks().show(task).await;
            if matches!(&shown, Ok(shown) if shown.state == State::Succeeded) {
                break;
            }
            assert!(begun.elapsed() < DONE_WITHIN, "task {task}: {shown:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert!(
            ledger.lock().unwrap().finished.contains(&task),
            "{task} was never run"
        );
    }
}
