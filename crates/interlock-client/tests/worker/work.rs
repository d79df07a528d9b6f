//! What handlers are given, and what becomes of what they give back.

use crate::server::{AtWork, Running, lease, submission};
use interlock_api::json::Json;
use interlock_api::kind::{KindPolicy, Retry, Waits};
use interlock_api::task::State;
use interlock_client::worker::{Error, Run};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[derive(Serialize, Deserialize)]
struct Numbers {
    a: u64,
    b: u64,
}

#[tokio::test]
async fn a_payload_is_read_and_a_result_is_kept() {
    let server = Running::start().await;
    let worker = server.worker("w1").handler(
        "add",
        KindPolicy::default(),
        |run: Run, numbers: Numbers| async move {
            assert_eq!((run.kind(), run.attempt(), run.stands_for()), ("add", 1, 1));
            assert_eq!(run.resources()[0].resource, "a:1");
            Ok(numbers.a + numbers.b)
        },
    );
    let worker = AtWork::begin(worker);
    server.kind("add").await;
    let mut sum = submission("add", "a:1");
    sum.payload = Some(Json::of(&Numbers { a: 40, b: 2 }).unwrap());
    let task = server.client.tasks().submit(&sum).await.unwrap();
    let ended = server.ended(task.task.unwrap()).await;
    assert_eq!(ended.state, State::Succeeded);
    assert_eq!(ended.result.unwrap().get(), "42");
    let bad = server.submit("add", "a:1").await;
    let ended = server.ended(bad).await;
    assert_eq!(ended.state, State::Failed);
    worker.drained().await.unwrap();
    assert!(server.client.workers().show("w1").await.is_err());
    server.stop().await;
}

/// Retries after a moment.
fn quick_retry() -> KindPolicy {
    let waits = Waits::Ladder(vec![interlock_api::Span::from_ms(1)]);
    KindPolicy {
        retry: Some(Retry {
            waits: Some(waits),
            ..Retry::default()
        }),
        ..KindPolicy::default()
    }
}

#[tokio::test]
async fn failures_are_tried_again_as_the_kind_or_the_handler_says() {
    let server = Running::start().await;
    let worker =
        server
            .worker("w1")
            .handler("flaky", quick_retry(), |run: Run, (): ()| async move {
                match (run.resources()[0].resource.as_str(), run.attempt()) {
                    ("a:1", 1 | 2) => Err("no".parse::<u64>().unwrap_err().into()),
                    ("a:2", 1) => Err(Error::retry_in(Duration::from_millis(30), "not yet")),
                    ("a:3", _) => Err(Error::give_up("never").with_detail("it is gone")),
                    ("a:4", 1) => panic!("oh no"),
                    _ => Ok(run.attempt()),
                }
            });
    let worker = AtWork::begin(worker);
    server.kind("flaky").await;
    for (resource, state, result) in [
        ("a:1", State::Succeeded, Some("3")),
        ("a:2", State::Succeeded, Some("2")),
        ("a:3", State::Failed, None),
        ("a:4", State::Succeeded, Some("2")),
    ] {
        let task = server.submit("flaky", resource).await;
        let ended = server.ended(task).await;
        assert_eq!(ended.state, state, "{resource}");
        let found = ended.result.as_ref().map(Json::get);
        assert_eq!(found, result, "{resource}");
    }
    worker.drained().await.unwrap();
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_worker_and_two_tasks_a_moment_apart_never_get_stuck() {
    let server = Running::start().await;
    let ran = Arc::new(AtomicU64::new(0));
    let counted = ran.clone();
    let worker = server.worker("w1").concurrency(2).handler(
        "blink",
        lease(15_000),
        move |_: Run, (): ()| {
            counted.fetch_add(1, Ordering::Relaxed);
            async { Ok(()) }
        },
    );
    let worker = AtWork::begin(worker);
    server.kind("blink").await;
    for round in 0..2_000_u64 {
        let one = server.submit("blink", "a:1");
        let two = async {
            tokio::time::sleep(Duration::from_micros(round % 10 * 100)).await;
            server
                .submit("blink", if round % 2 == 0 { "a:1" } else { "a:2" })
                .await
        };
        let (one, two) = tokio::join!(one, two);
        for task in [one, two] {
            let began = Instant::now();
            assert_eq!(server.ended(task).await.state, State::Succeeded);
            assert!(began.elapsed() < Duration::from_secs(2), "round {round}");
        }
    }
    assert_eq!(ran.load(Ordering::Relaxed), 4_000);
    worker.drained().await.unwrap();
    server.stop().await;
}

#[tokio::test]
async fn the_example_does_what_it_says() {
    let server = Running::start().await;
    let heard = crate::example::demonstrate(server.client.clone())
        .await
        .unwrap();
    assert_eq!(heard, ["task 1: 42", "task 2: 6", "task 3: Failed"]);
    server.stop().await;
}

#[tokio::test]
async fn children_belong_to_their_parent_and_its_trace() {
    let server = Running::start().await;
    let parent = |run: Run, (): ()| async move {
        let conflict = run.submit(&submission("child", "a:1")).await;
        let code = conflict.unwrap_err().code();
        assert_eq!(code, Some(interlock_api::Code::ConflictsWithAncestor));
        let child = run.submit(&submission("child", "a:2")).await?;
        Ok((child.task, run.trace().map(ToOwned::to_owned)))
    };
    let child = |run: Run, (): ()| async move { Ok(run.trace().map(ToOwned::to_owned)) };
    let worker = server.worker("w1").concurrency(2);
    let worker = worker.handler("parent", lease(15_000), parent);
    let worker = AtWork::begin(worker.handler("child", lease(15_000), child));
    server.kind("child").await;
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let client = server.client.clone().in_trace(trace).unwrap();
    let report = client
        .tasks()
        .submit(&submission("parent", "a:1"))
        .await
        .unwrap();
    let ended = server.ended(report.task.unwrap()).await;
    assert_eq!(ended.state, State::Succeeded, "{ended:?}");
    let (child, seen): (u64, String) = ended.result.unwrap().read().unwrap();
    assert_eq!(seen, trace);
    let child = server.ended(child).await;
    assert_eq!(child.parent, report.task);
    assert_eq!(child.result.unwrap().read::<String>().unwrap(), trace);
    worker.drained().await.unwrap();
    drop(client);
    server.stop().await;
}
