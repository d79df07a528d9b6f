//! Those who wait at a shutdown are answered with what is known; and looking at failures writes
//! nothing that need not be written.

use crate::client::Running;
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_for_a_task_at_a_shutdown_is_told_how_it_is() {
    let running = Running::start().await;
    let caller = running.caller.clone();
    caller.call("PUT", "/v1/kinds/sync", Some("{}")).await;
    let body = r#"{"kind": "sync", "resources": ["shop:1"]}"#;
    let task = caller.call("POST", "/v1/tasks", Some(body)).await.json()["task"].clone();
    let waiting = tokio::spawn(async move {
        let path = format!("/v1/tasks/{task}?wait=50s");
        caller.call("GET", &path, None).await
    });
    // Whether the request comes before or after: nothing will happen any more.
    running.server.begin_stop();
    let begun = Instant::now();
    let answer = waiting.await.expect("no panic");
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.json()["state"], "waiting", "{}", answer.text);
    assert!(begun.elapsed() < Duration::from_secs(30));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn looking_at_failures_forces_no_checkpoint_unless_something_failed() {
    let running = Running::start().await;
    let caller = &running.caller;
    let kind = r#"{"retry": {"tries": 1}}"#;
    let made = caller.call("PUT", "/v1/kinds/sync", Some(kind)).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let register = r#"{"name": "w1", "kinds": ["sync"]}"#;
    let registered = caller
        .call("POST", "/v1/work/register", Some(register))
        .await;
    let session = registered.json()["session"].clone();
    for number in 1..=2 {
        let body = format!(r#"{{"kind": "sync", "resources": ["shop:{number}"]}}"#);
        caller.call("POST", "/v1/tasks", Some(&body)).await;
    }
    let take = format!(r#"{{"session": {session}, "number": 1, "max": 2}}"#);
    let taken = caller
        .call("POST", "/v1/work/take", Some(&take))
        .await
        .json();
    let finish = async |index: usize, how: &str| {
        let token = &taken["hand_outs"][index]["token"];
        let body =
            format!(r#"{{"session": {session}, "finishes": [{{"token": {token}, {how}}}]}}"#);
        let done = caller.call("POST", "/v1/work/finish", Some(&body)).await;
        assert_eq!(done.status, 200, "{}", done.text);
    };
    let cell = running.server.namespaces.find("default").expect("one");
    let unkept = async || {
        let read = cell
            .cell
            .read(|view| (view.pending.len(), view.core.changed()));
        read.await.expect("it answers")
    };
    finish(0, r#""how": "succeed""#).await;
    let before = unkept().await;
    assert!(before.0 == 1 && before.1 > 0, "{before:?}");
    for _ in 0..3 {
        let listed = caller.call("GET", "/v1/failures", None).await.json();
        assert_eq!(listed["items"].as_array().map(Vec::len), Some(0));
    }
    assert_eq!(unkept().await, before, "looking wrote something");
    finish(1, r#""how": "fail", "error": {"message": "no"}"#).await;
    let listed = caller.call("GET", "/v1/failures", None).await.json();
    assert_eq!(listed["items"][0]["error"], "no", "{listed}");
    assert_eq!(unkept().await.0, 0);
    running.stop().await;
}
