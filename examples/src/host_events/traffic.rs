//! The traffic: a burst of events, a host that comes back, a service that is away.

use super::kinds;
use super::worker::Import;
use crate::args::Speed;
use crate::ask::{Outcome, ended, on, task};
use crate::journal::now_ms;
use interlock_api::due::Due;
use interlock_api::json::Json;
use interlock_api::submission::{Submission, Submissions, SubmitOptions};
use interlock_client::Client;
use std::collections::{BTreeMap, BTreeSet};

/// So many events are sent with one request.
const BATCH: u64 = 50;

/// What became of a burst.
#[derive(Debug, Default)]
pub struct Burst {
    /// The tasks that it became.
    pub tasks: BTreeSet<u64>,
    /// When the last event of each host was sent, in milliseconds since 1970.
    pub last_ms: BTreeMap<String, u64>,
}

/// The host of an event.
pub fn host(event: u64, hosts: u64) -> String {
    format!("host:{}", event % hosts)
}

/// Sends so many events of so many hosts, as fast as it goes. Every event is acknowledged.
pub async fn burst(client: &Client, events: u64, hosts: u64) -> Outcome<Burst> {
    let mut burst = Burst::default();
    for first in (0..events).step_by(usize::try_from(BATCH)?) {
        let mut items = Vec::new();
        for event in first..events.min(first + BATCH) {
            let host = host(event, hosts);
            items.push(Json::of(&on("applicability", &host, &[event])?)?);
            burst.last_ms.insert(host, now_ms());
        }
        let items = Submissions { items };
        let answer = client
            .tasks()
            .batch(&items, SubmitOptions::default())
            .await?;
        for outcome in answer.outcomes {
            let report = outcome.report.ok_or("an event was refused")?;
            burst.tasks.insert(task(&report));
        }
    }
    Ok(burst)
}

/// The removal of a host's queue, when the host has been away for long enough.
pub fn removal(host: &str, speed: Speed) -> Result<Submission, serde_json::Error> {
    let mut removal = on("queue-removal", host, &())?;
    removal.due = Some(Due::In(kinds::removal_after(speed)));
    Ok(removal)
}

/// The whole story: what is asked for, and how it ends.
pub async fn tell(client: &Client, speed: Speed) -> Outcome<()> {
    let (events, hosts) = (10_000, 200);
    let burst = burst(client, events, hosts).await?;
    for task in &burst.tasks {
        ended(client, *task).await?;
    }
    println!(
        "{events} events of {hosts} hosts became {} runs.",
        burst.tasks.len()
    );

    let mut tasks = Vec::new();
    for host in ["host:1", "host:2"] {
        let report = client.tasks().submit(&removal(host, speed)?).await?;
        tasks.push(task(&report));
        println!(
            "{host} is away: task {} will remove its queue.",
            task(&report)
        );
    }
    client
        .tasks()
        .submit(&on("register", "host:1", &())?)
        .await?;
    println!("host:1 registers again.");
    let import = on(
        "import",
        "host:3",
        &Import {
            answers_at: Some(3),
        },
    )?;
    tasks.push(task(&client.tasks().submit(&import).await?));
    for task in tasks {
        let task = ended(client, task).await?;
        let why = task.end.map(|end| end.sentence).unwrap_or_default();
        println!(
            "task {}: {:?} after {} failures. {why}",
            task.task, task.state, task.tries
        );
    }
    Ok(())
}
