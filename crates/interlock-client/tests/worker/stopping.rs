//! Drain, stop at once, cancel: what happens to what runs.

use crate::server::{AtWork, Running, lease};
use interlock_api::task::{Cancel, State};
use interlock_client::worker::{Run, StopReason};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

#[tokio::test]
async fn a_drained_worker_finishes_what_runs_and_takes_nothing_new() {
    let server = Running::start().await;
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (begun.clone(), go_on.clone());
    let worker =
        server
            .worker("w1")
            .concurrency(4)
            .handler("slow", lease(15_000), move |_: Run, (): ()| {
                tell.notify_one();
                let wait = wait.clone();
                async move {
                    wait.notified().await;
                    Ok("done")
                }
            });
    let worker = AtWork::begin(worker);
    server.kind("slow").await;
    let first = server.submit("slow", "a:1").await;
    begun.notified().await;
    worker.stop.drain();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let second = server.submit("slow", "a:2").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(
        server.client.tasks().show(second).await.unwrap().state,
        State::Waiting
    );
    go_on.notify_one();
    worker.working.await.unwrap().unwrap();
    assert_eq!(server.ended(first).await.state, State::Succeeded);
    assert_eq!(
        server.client.tasks().show(second).await.unwrap().state,
        State::Waiting
    );
    assert!(server.client.workers().show("w1").await.is_err());
    server.stop().await;
}

#[tokio::test]
async fn a_second_word_stops_at_once_and_gives_back() {
    let server = Running::start().await;
    let worker =
        server
            .worker("w1")
            .handler("slow", lease(15_000), |run: Run, (): ()| async move {
                run.cancelled().await;
                std::future::pending::<()>().await;
                Ok(())
            });
    let worker = AtWork::begin(worker);
    server.kind("slow").await;
    let task = server.submit("slow", "a:1").await;
    server.started(task).await;
    worker.stop.drain();
    worker.stop.at_once();
    worker.working.await.unwrap().unwrap();
    let shown = server.client.tasks().show(task).await.unwrap();
    assert_eq!(shown.state, State::Waiting);
    server.stop().await;
}

#[tokio::test]
async fn a_cancelled_run_frees_its_resource_only_when_it_has_stopped() {
    let server = Running::start().await;
    let (told, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (told.clone(), go_on.clone());
    let worker = server.worker("w1").concurrency(2).handler(
        "slow",
        lease(3_000),
        move |run: Run, (): ()| {
            let (tell, wait) = (tell.clone(), wait.clone());
            async move {
                if run.task() > 1 {
                    return Ok(());
                }
                assert_eq!(run.cancelled().await, StopReason::Cancelled);
                tell.notify_one();
                wait.notified().await;
                run.check()
            }
        },
    );
    let worker = AtWork::begin(worker);
    server.kind("slow").await;
    let task = server.submit("slow", "a:1").await;
    server.started(task).await;
    let next = server.submit("slow", "a:1").await;
    server
        .client
        .tasks()
        .cancel(task, Cancel::default())
        .await
        .unwrap();
    told.notified().await;
    let shown = server.client.tasks().show(next).await.unwrap();
    assert_eq!(shown.state, State::Waiting);
    go_on.notify_one();
    assert_eq!(server.ended(task).await.state, State::Cancelled);
    assert_eq!(server.ended(next).await.state, State::Succeeded);
    worker.drained().await.unwrap();
    server.stop().await;
}
