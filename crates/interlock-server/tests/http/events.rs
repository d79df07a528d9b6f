//! Streams of events: from a cursor, as they happen, and after a reset.

use crate::client::{Caller, Running};
use crate::talk::blot;
use axum::body::{Bytes, HttpBody};
use http_body_util::BodyExt;
use serde_json::Value;
use std::fmt::Write;

/// A stream, read message by message.
struct Stream<B> {
    body: B,
    text: String,
}

/// One message.
struct Message {
    id: Option<u64>,
    data: Value,
}

impl<B: HttpBody<Data = Bytes, Error: std::fmt::Debug> + Unpin> Stream<B> {
    async fn next(&mut self) -> Message {
        loop {
            if let Some((message, rest)) = self.text.split_once("\n\n") {
                let (message, rest) = (message.to_owned(), rest.to_owned());
                self.text = rest;
                if !message.starts_with(':') {
                    return read(&message);
                }
                continue;
            }
            let frame = self.body.frame().await.expect("more").expect("a frame");
            let data = frame.into_data().expect("data");
            self.text += std::str::from_utf8(&data).expect("text");
        }
    }

    /// Messages up to one of this name, for a snapshot.
    async fn until(&mut self, event: &str) -> (String, u64) {
        let (mut text, mut last) = (String::new(), 0);
        loop {
            let mut message = self.next().await;
            last = message.id.unwrap_or(last);
            let name = message.data["event"].clone();
            blot(&mut message.data);
            let id = message.id.map_or("no id", |_| "id");
            let _infallible = writeln!(text, "{id} {}", message.data);
            if name == event {
                return (text, last);
            }
        }
    }
}

fn read(message: &str) -> Message {
    let field = |name: &str| {
        let mut lines = message.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    };
    Message {
        id: field("id").map(|id| id.parse().expect("a number")),
        data: serde_json::from_str(field("data").expect("data")).expect("JSON"),
    }
}

async fn follow(
    caller: &Caller,
    query: &str,
    headers: &[(&str, &str)],
) -> Stream<impl HttpBody<Data = Bytes, Error: std::fmt::Debug> + Unpin + use<>> {
    let path = format!("/v1/events{query}");
    let response = caller.open("GET", &path, None, headers).await;
    assert_eq!(response.status(), 200);
    let body = response.into_body();
    let text = String::new();
    Stream { body, text }
}

/// A kind, a worker, a run of a task on one resource, and a task on another.
async fn happen(caller: &Caller) {
    let body = r#"{"name": "w1", "kinds": ["sync"], "policies": [{"name": "sync"}]}"#;
    let welcome = caller
        .call("POST", "/v1/work/register", Some(body))
        .await
        .json();
    let session = &welcome["session"];
    let body = r#"{"kind": "sync", "resources": ["repository:f16"]}"#;
    caller.call("POST", "/v1/tasks", Some(body)).await;
    let body = r#"{"kind": "sync", "resources": ["repository:f17"]}"#;
    caller.call("POST", "/v1/tasks", Some(body)).await;
    let body = format!(r#"{{"session": {session}, "number": 1}}"#);
    let taken = caller
        .call("POST", "/v1/work/take", Some(&body))
        .await
        .json();
    let token = &taken["hand_outs"][0]["token"];
    let body = format!(
        r#"{{"session": {session}, "finishes": [{{"token": {token}, "how": "succeed"}}]}}"#
    );
    caller.call("POST", "/v1/work/finish", Some(&body)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_come_as_they_happen_and_again_from_the_log() {
    let running = Running::start().await;
    let caller = &running.caller;
    let mut live = follow(caller, "", &[]).await;
    let (first, begun) = live.until("caught_up").await;
    assert_eq!(first, "id {\"at\":\"[time]\",\"event\":\"caught_up\"}\n");
    happen(caller).await;
    let (told, _) = live.until("ended").await;
    insta::assert_snapshot!("events_live", told);
    let from = format!("?from={begun}");
    let (again, last) = follow(caller, &from, &[]).await.until("ended").await;
    assert_eq!(again, told, "the log has the same");
    let id = begun.to_string();
    let (again, _) = follow(caller, "?from=0", &[("Last-Event-ID", &id)])
        .await
        .until("ended")
        .await;
    assert_eq!(again, told, "the header goes before the query");
    let last = last.to_string();
    let (rest, _) = follow(caller, "", &[("Last-Event-ID", &last)])
        .await
        .until("caught_up")
        .await;
    assert!(!rest.contains("submitted"), "{rest}");
    drop(live);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_task_or_resource_can_be_followed() {
    let running = Running::start().await;
    let caller = &running.caller;
    let mut live = follow(caller, "?resource=repository:f16", &[]).await;
    live.until("caught_up").await;
    happen(caller).await;
    let (told, _) = live.until("ended").await;
    let (task, _) = follow(caller, "?task=1&from=0", &[])
        .await
        .until("caught_up")
        .await;
    let (resource, _) = follow(caller, "?resource=repository:f16&from=0", &[])
        .await
        .until("caught_up")
        .await;
    assert_eq!(task, resource);
    assert!(resource.starts_with(&told), "{resource}");
    insta::assert_snapshot!("events_of_a_task", task);
    drop(live);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cursor_that_is_not_kept_gets_the_current_state() {
    let running = Running::start().await;
    let caller = &running.caller;
    happen(caller).await;
    let (state, _) = follow(caller, "?from=1000000", &[])
        .await
        .until("caught_up")
        .await;
    insta::assert_snapshot!("events_after_a_reset", state);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn progress_is_told_as_it_is_now() {
    let running = Running::start().await;
    let caller = &running.caller;
    let body = r#"{"name": "w1", "kinds": ["sync"], "policies": [{"name": "sync"}]}"#;
    let welcome = caller
        .call("POST", "/v1/work/register", Some(body))
        .await
        .json();
    let session = &welcome["session"];
    caller
        .call("POST", "/v1/tasks", Some(r#"{"kind": "sync"}"#))
        .await;
    let body = format!(r#"{{"session": {session}, "number": 1}}"#);
    let taken = caller
        .call("POST", "/v1/work/take", Some(&body))
        .await
        .json();
    let token = &taken["hand_outs"][0]["token"];
    let mut live = follow(caller, "?task=1", &[]).await;
    live.until("caught_up").await;
    for done in 1..=5 {
        let body = format!(
            r#"{{"session": {session}, "token": {token}, "progress": {{"done": {done}, "total": 5}}}}"#
        );
        caller.call("POST", "/v1/work/progress", Some(&body)).await;
    }
    let mut message = live.next().await;
    while message.data["progress"]["done"] != 5 {
        message = live.next().await;
    }
    assert_eq!(message.data["event"], "progress");
    assert_eq!(message.data["progress"]["percent"], 100);
    assert_eq!(message.id, None);
    drop(live);
    running.stop().await;
}
