//! Submits one task after the other. Whoever gets no answer asks again with the same key.

use super::ledger::Ledger;
use crate::wire::{Connection, post};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How many resources the tasks are about: few, so that they meet.
const RESOURCES: u64 = 12;

pub(super) async fn submit(
    number: u64,
    address: SocketAddr,
    ledger: Arc<Ledger>,
    go_on: Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let mut connection = None;
    let mut count = 0;
    while go_on.load(Ordering::Relaxed) {
        count += 1;
        let resource = (number * 7 + count * 5) % RESOURCES;
        let body = format!(
            r#"{{"kind":"sync","resources":["repository:{resource}"],"payload":[{number},{count}],"idempotency_key":"{number}-{count}"}}"#
        );
        let task = ask_until_answered(&mut connection, address, &body).await?;
        ledger.submitted(task);
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    Ok(())
}

async fn ask_until_answered(
    connection: &mut Option<Connection>,
    address: SocketAddr,
    body: &str,
) -> anyhow::Result<u64> {
    let request = post("/v1/tasks", body);
    loop {
        if connection.is_none() {
            *connection = Connection::open(address).await.ok();
        }
        if let Some(open) = connection {
            match open.ask(&request).await {
                Ok((200 | 202, answer)) => {
                    let report: Value = serde_json::from_slice(answer)?;
                    let task = report["task"].as_u64();
                    return task.ok_or_else(|| anyhow::anyhow!("no task in {report}"));
                }
                Ok((503 | 507, _)) => {}
                Ok((status, answer)) => {
                    anyhow::bail!("{status}: {}", String::from_utf8_lossy(answer))
                }
                Err(_broken) => *connection = None,
            }
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
