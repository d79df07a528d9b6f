//! A worker that lives through the deaths of its server: it repeats what got no answer, and goes on
//! with the runs that it has.

use super::ledger::Ledger;
use crate::wire::{Connection, post};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Registers the kind, with a lease that outlasts a restart by far.
pub(super) async fn register_kind(address: SocketAddr) -> anyhow::Result<()> {
    let mut worker = Worker::new(address);
    let policy = json!({"name": "sync", "lease": "15s", "retention": {"succeeded": "1d"}});
    let register = json!({"name": "first", "kinds": ["sync"], "policies": [policy]});
    let (status, answer) = worker.ask("/v1/work/register", &register).await?;
    anyhow::ensure!(status == 200, "{status}: {answer}");
    Ok(())
}

pub(super) async fn work(
    number: u64,
    address: SocketAddr,
    ledger: Arc<Ledger>,
    go_on: Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let mut worker = Worker::new(address);
    let register = json!({"name": format!("w{number}"), "kinds": ["sync"], "takeover": true});
    let (status, answer) = worker.ask("/v1/work/register", &register).await?;
    anyhow::ensure!(status == 200, "{status}: {answer}");
    let session = answer["session"].as_u64();
    let mut take = 0;
    while go_on.load(Ordering::Relaxed) {
        take += 1;
        let request = json!({"session": session, "number": take, "max": 3, "wait": "500ms"});
        let (status, taken) = worker.ask("/v1/work/take", &request).await?;
        if status != 200 {
            ledger.violation(format!("a take was refused: {status}: {taken}"));
            return Ok(());
        }
        let hand_outs = taken["hand_outs"].as_array().cloned().unwrap_or_default();
        for hand_out in hand_outs {
            run(&mut worker, session, &hand_out, &ledger).await?;
        }
    }
    Ok(())
}

async fn run(
    worker: &mut Worker,
    session: Option<u64>,
    hand_out: &Value,
    ledger: &Ledger,
) -> anyhow::Result<()> {
    let task = hand_out["task"].as_u64().unwrap_or_default();
    let token = hand_out["token"].as_str().unwrap_or_default();
    let resource = hand_out["resources"][0]["resource"]
        .as_str()
        .unwrap_or_default();
    ledger.begins(task, token, resource);
    tokio::time::sleep(Duration::from_millis(3)).await;
    ledger.stops(resource);
    let finish = json!({"token": token, "how": "succeed", "result": task});
    let request = json!({"session": session, "finishes": [finish]});
    let (status, answer) = worker.ask("/v1/work/finish", &request).await?;
    let outcome = answer["finished"][0]["outcome"].as_str();
    if status == 200 && outcome == Some("succeeded") {
        ledger.succeeded(task);
    } else {
        ledger.violation(format!("the finish of run {token} got {status}: {answer}"));
    }
    Ok(())
}

struct Worker {
    address: SocketAddr,
    connection: Option<Connection>,
}

impl Worker {
    fn new(address: SocketAddr) -> Self {
        Self {
            address,
            connection: None,
        }
    }

    /// Asks until there is an answer. Every call of a worker may be repeated.
    async fn ask(&mut self, path: &str, body: &Value) -> anyhow::Result<(u16, Value)> {
        let request = post(path, &body.to_string());
        loop {
            if self.connection.is_none() {
                self.connection = Connection::open(self.address).await.ok();
            }
            if let Some(open) = &mut self.connection {
                match open.ask(&request).await {
                    Ok((503 | 507, _)) => {}
                    Ok((status, answer)) => return Ok((status, serde_json::from_slice(answer)?)),
                    Err(_broken) => self.connection = None,
                }
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
