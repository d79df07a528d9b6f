//! A worker that adds numbers, and a client that asks it to.
//!
//! With a server running (`interlock serve`): `cargo run -p interlock-client --example worker`.
//! It submits three tasks, does them, and leaves.

use interlock_api::claim::Claim;
use interlock_api::json::Json;
use interlock_api::submission::Submission;
use interlock_api::task::{Until, WaitQuery};
use interlock_client::Client;
use interlock_client::worker::{Error, KindPolicy, Run, Worker};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Numbers {
    numbers: Vec<u64>,
}

async fn add(run: Run, payload: Numbers) -> Result<u64, Error> {
    let mut sum: u64 = 0;
    let total = payload.numbers.len() as u64;
    for (done, number) in (1..).zip(&payload.numbers) {
        run.check()?;
        let next = sum.checked_add(*number);
        sum = next.ok_or_else(|| Error::give_up("the sum is too large"))?;
        run.progress(done, total, format!("added {number}"));
    }
    Ok(sum)
}

/// What a client hears that asks for three sums.
async fn ask(client: &Client) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut heard = Vec::new();
    for numbers in [vec![40, 2], vec![1, 2, 3], vec![u64::MAX, 1]] {
        let resource = "sum:1".to_owned();
        let mut sum = Submission::new("add", [Claim { resource, op: None }]);
        sum.payload = Some(Json::of(&Numbers { numbers })?);
        let report = client.tasks().submit(&sum).await?;
        let wait = WaitQuery {
            wait: Some("30s".parse()?),
            until: Until::Ended,
        };
        let task = report.task.ok_or("it was not submitted")?;
        let task = client.tasks().wait(task, &wait).await?;
        heard.push(match &task.result {
            Some(result) => format!("task {}: {}", task.task, result.get()),
            None => format!("task {}: {:?}", task.task, task.state),
        });
    }
    Ok(heard)
}

/// Starts a worker, asks it for three sums, and lets it go.
pub(crate) async fn demonstrate(client: Client) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let kind = KindPolicy::default();
    client.kinds().set("add", &kind).await?;
    let worker = Worker::new(client.clone())
        .concurrency(4)
        .handler("add", kind, add);
    let stop = worker.stop();
    let working = tokio::spawn(worker.run());
    let heard = ask(&client).await;
    stop.drain();
    working.await??;
    heard
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = std::env::var("INTERLOCK_SERVER");
    let client = Client::new(server.as_deref().unwrap_or("http://127.0.0.1:7420"))?;
    for line in demonstrate(client).await? {
        println!("{line}");
    }
    Ok(())
}
