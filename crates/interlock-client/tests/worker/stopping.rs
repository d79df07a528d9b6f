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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_for_a_worker_that_vanished_goes_to_another_within_its_lease() {
    let server = Running::start().await;
    let quick = |_: Run, (): ()| async { Ok(()) };
    for round in 0..8 {
        let gone = server.worker(&format!("gone-{round}"));
        let gone = AtWork::begin(gone.handler("quick", lease(1_000), quick));
        server.idle(&format!("gone-{round}")).await;
        // Its take is parked at the server, which is told nothing. If that has seen the connection
        // closed when it has a task for it, the task is back at once; else when the lease ends.
        gone.working.abort();
        assert!(gone.working.await.unwrap_err().is_cancelled());
        let task = server.submit("quick", "a:1").await;
        let other = server.worker("other").handler("quick", None, quick);
        let other = AtWork::begin(other);
        let began = std::time::Instant::now();
        assert_eq!(server.ended(task).await.state, State::Succeeded);
        // A lease, at most a second more until that is seen, and some for a busy machine.
        assert!(began.elapsed() < Duration::from_secs(4), "round {round}");
        other.drained().await.unwrap();
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lanes_share_the_work_and_all_of_them_leave() {
    let server = Running::start().await;
    let worker = server.worker("w1").concurrency(5).lanes(2);
    let worker = worker.handler("quick", lease(15_000), |_: Run, (): ()| async { Ok(()) });
    let worker = AtWork::begin(worker);
    server.idle("w1").await;
    server.idle("w1.2").await;
    let mut tasks = Vec::new();
    for number in 0..100 {
        tasks.push(server.submit("quick", &format!("a:{}", number % 7)).await);
    }
    for task in tasks {
        assert_eq!(server.ended(task).await.state, State::Succeeded);
    }
    worker.drained().await.unwrap();
    let left = server
        .client
        .workers()
        .list(&Default::default())
        .await
        .unwrap();
    assert!(left.items.is_empty(), "{left:?}");
    server.stop().await;
}
