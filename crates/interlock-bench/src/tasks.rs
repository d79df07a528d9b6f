//! What the load sends: submissions, and a worker's calls, as text.

use crate::wire::{Connection, post};
use std::fmt::Write;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::task::JoinHandle;

/// Tasks in one call of a batch.
pub(crate) const BATCH: u64 = 100;

/// The submission of this number, on a resource of its own, with 100 bytes of payload.
pub(crate) fn submission(number: u64) -> String {
    submission_on(number, number)
}

/// The same on a given resource.
pub(crate) fn submission_on(number: u64, resource: u64) -> String {
    let mut body = String::with_capacity(192);
    write_submission(&mut body, number, resource);
    body
}

fn write_submission(body: &mut String, number: u64, resource: u64) {
    let written = write!(
        body,
        r#"{{"kind":"sync","resources":["repository:{resource}"],"payload":{{"number":"{number:012}","source":"benchmark","note":"padded until all of it has one hundred bytes"}}}}"#
    );
    written.expect("a string takes everything");
}

/// The request that submits the batch of this number.
pub(crate) fn batch(number: u64, resource_of: impl Fn(u64) -> u64) -> Vec<u8> {
    let mut body = String::with_capacity(BATCH as usize * 192);
    body.push_str("{\"items\":[");
    for item in number * BATCH..(number + 1) * BATCH {
        if item > number * BATCH {
            body.push(',');
        }
        write_submission(&mut body, item, resource_of(item));
    }
    body.push_str("]}");
    post("/v1/tasks/batch", &body)
}

/// Submits tasks in batches over a few connections, the numbers `0..count`.
pub(crate) async fn submit(
    address: SocketAddr,
    count: u64,
    resource_of: fn(u64) -> u64,
) -> anyhow::Result<()> {
    const CONNECTIONS: u64 = 8;
    let submitters = (0..CONNECTIONS).map(|first| {
        tokio::spawn(async move {
            let mut connection = Connection::open(address).await?;
            for number in (first..count / BATCH).step_by(CONNECTIONS as usize) {
                ask(&mut connection, &batch(number, resource_of)).await?;
            }
            anyhow::Ok(())
        })
    });
    for submitter in submitters.collect::<Vec<_>>() {
        submitter.await??;
    }
    Ok(())
}

/// Sends a request; anything but success is an error.
pub(crate) async fn ask<'a>(
    connection: &'a mut Connection,
    request: &[u8],
) -> anyhow::Result<&'a [u8]> {
    let (status, body) = connection.ask(request).await?;
    anyhow::ensure!(status < 300, "{status}: {}", String::from_utf8_lossy(body));
    Ok(body)
}

/// How often a worker that does nothing says that it is there.
const BEAT_EVERY: Duration = Duration::from_millis(1_500);

/// A worker that is there and takes nothing: without one every submission is postponed.
pub(crate) struct Idle(JoinHandle<()>);

impl Idle {
    /// Registers a worker of this name, and the kind; it lives through restarts of the server.
    pub(crate) async fn register(address: SocketAddr, name: &str) -> anyhow::Result<Self> {
        let Session { session, .. } = Session::register(address, name).await?;
        let request = post("/v1/work/beat", &format!(r#"{{"session":{session}}}"#));
        Ok(Self(tokio::spawn(async move {
            loop {
                // A server that is being started again has no answer yet.
                let _again = beat_on(address, &request).await;
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        })))
    }
}

impl Drop for Idle {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn beat_on(address: SocketAddr, request: &[u8]) -> anyhow::Result<()> {
    let mut connection = Connection::open(address).await?;
    loop {
        ask(&mut connection, request).await?;
        tokio::time::sleep(BEAT_EVERY).await;
    }
}

/// A worker's session.
pub(crate) struct Session {
    connection: Connection,
    session: u64,
    number: u64,
}

impl Session {
    /// Registers a worker of this name, and the kind.
    pub(crate) async fn register(address: SocketAddr, name: &str) -> anyhow::Result<Self> {
        let mut connection = Connection::open(address).await?;
        let request = post(
            "/v1/work/register",
            &format!(r#"{{"name":"{name}","kinds":["sync"],"policies":[{{"name":"sync"}}]}}"#),
        );
        let answer: serde_json::Value =
            serde_json::from_slice(ask(&mut connection, &request).await?)?;
        let session = answer["session"].as_u64();
        Ok(Self {
            connection,
            session: session.ok_or_else(|| anyhow::anyhow!("no session in {answer}"))?,
            number: 0,
        })
    }

    /// Finishes runs and takes others in one call; returns their tokens.
    pub(crate) async fn take(
        &mut self,
        max: usize,
        wait: &str,
        finish: &[String],
    ) -> anyhow::Result<Vec<String>> {
        self.number += 1;
        let (session, number) = (self.session, self.number);
        let finishes = finishes(finish);
        let body = format!(
            r#"{{"session":{session},"number":{number},"max":{max},"wait":"{wait}",{finishes}}}"#
        );
        let answer = ask(&mut self.connection, &post("/v1/work/take", &body)).await?;
        Ok(tokens(answer))
    }

    /// Finishes the last runs, and says goodbye: nobody waits for a lease to end.
    pub(crate) async fn leave(mut self, finish: &[String]) -> anyhow::Result<()> {
        let (session, finishes) = (self.session, finishes(finish));
        let finish = format!(r#"{{"session":{session},{finishes}}}"#);
        ask(&mut self.connection, &post("/v1/work/finish", &finish)).await?;
        let goodbye = format!(r#"{{"session":{session}}}"#);
        ask(&mut self.connection, &post("/v1/work/goodbye", &goodbye)).await?;
        Ok(())
    }
}

/// Runs that were done, as a field of a call.
fn finishes(tokens: &[String]) -> String {
    let mut field = String::from(r#""finishes":["#);
    for (nth, token) in tokens.iter().enumerate() {
        let comma = if nth > 0 { "," } else { "" };
        let written = write!(field, r#"{comma}{{"token":"{token}","how":"succeed"}}"#);
        written.expect("a string takes everything");
    }
    field.push(']');
    field
}

/// The tokens of the hand-outs in an answer. Looks for their field rather than reading the JSON, so
/// that the load costs little.
fn tokens(answer: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(answer);
    let hand_outs = text.split("\"finished\":").next().unwrap_or("");
    (hand_outs.split("\"token\":\"").skip(1))
        .filter_map(|after| after.split_once('"'))
        .map(|(token, _)| token.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_has_100_bytes() {
        let body = submission(7);
        let (_, payload) = body.split_once("\"payload\":").expect("a payload");
        assert_eq!(payload.len() - 1, 100, "{payload}");
        let json: serde_json::Value = serde_json::from_str(&body).expect("it is JSON");
        assert_eq!(json["resources"][0], "repository:7");
    }
}
