//! A worker that can't renew its leases stops its handlers before they end, and one that does not
//! stop is ended.

use crate::server::{AtWork, Running, lease, submission};
use interlock_api::task::State;
use interlock_client::Client;
use interlock_client::worker::{Run, StopReason, Worker};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_without_its_server_stops_before_the_lease_ends() {
    let server = Running::start().await;
    let (tell, mut told) = mpsc::unbounded_channel();
    let worker = server
        .worker("w1")
        .handler("slow", lease(1_000), move |run: Run, (): ()| {
            let tell = tell.clone();
            async move {
                let _begun = tell.send(None);
                let why = run.cancelled().await;
                let _stopped = tell.send(Some((why, run.time_left())));
                Ok("too late")
            }
        });
    let worker = AtWork::begin(worker);
    server.kind("slow").await;
    let task = server.submit("slow", "a:1").await;
    assert!(told.recv().await.unwrap().is_none());
    // It goes on for longer than a lease while there is a server.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert_eq!(
        server.client.tasks().show(task).await.unwrap().state,
        State::Running
    );
    server.stop().await;
    let (why, left) = told.recv().await.unwrap().unwrap();
    assert_eq!(why, StopReason::Lost);
    assert!(
        left > Duration::ZERO && left <= Duration::from_millis(200),
        "{left:?}"
    );
    worker.stop.at_once();
    worker.working.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_that_blocks_and_does_not_stop_ends_the_process_before_the_lease_ends() {
    let server = Running::start().await;
    let ended: Arc<Mutex<Option<Instant>>> = Arc::default();
    let (note, release) = (ended.clone(), Arc::new(AtomicBool::new(false)));
    let wait = release.clone();
    let began: Arc<Mutex<Option<Instant>>> = Arc::default();
    let begun = began.clone();
    // With connections of its own: those of the test must not be driven by the runtime that is blocked.
    let client = Client::new(server.client.server()).unwrap();
    let worker = Worker::new(client)
        .name("w1")
        .without_signals()
        .last_resort(move |why| {
            assert!(why.contains("slow"), "{why}");
            note.lock().unwrap().get_or_insert_with(Instant::now);
        })
        .handler("slow", lease(1_000), move |_: Run, (): ()| {
            let (wait, begun) = (wait.clone(), begun.clone());
            async move {
                *begun.lock().unwrap() = Some(Instant::now());
                while !wait.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Ok(())
            }
        });
    // The loop of the worker is on another runtime, which its handler blocks.
    let stop = worker.stop();
    let working = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(worker.run())
    });
    server.kind("slow").await;
    let task = server.submit("slow", "a:1").await;
    server.started(task).await;
    while ended.lock().unwrap().is_none() {
        let shown = server.client.tasks().show(task).await.unwrap();
        assert_eq!(shown.state, State::Running, "the resource was handed on");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let took = ended.lock().unwrap().unwrap() - began.lock().unwrap().unwrap();
    assert!(took < Duration::from_millis(1_000), "{took:?}");
    release.store(true, Ordering::Relaxed);
    stop.at_once();
    let _lost = working.join().unwrap();
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_takes_too_long_is_told_and_in_the_end_dropped() {
    let server = Running::start().await;
    let mut policy = lease(1_000);
    policy.run_within = Some(interlock_api::Span::from_ms(200));
    policy.grace = Some(interlock_api::Span::from_ms(300));
    policy.retry = Some(interlock_api::kind::Retry {
        tries: Some(1),
        ..Default::default()
    });
    let dropped = Arc::new(AtomicBool::new(false));
    struct Noticed(Arc<AtomicBool>);
    impl Drop for Noticed {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    let notice = dropped.clone();
    let worker = server
        .worker("w1")
        .handler("slow", policy, move |run: Run, (): ()| {
            let noticed = Noticed(notice.clone());
            async move {
                let _noticed = noticed;
                assert_eq!(run.cancelled().await, StopReason::TooLong);
                std::future::pending::<()>().await;
                Ok(())
            }
        });
    let worker = AtWork::begin(worker);
    server.kind("slow").await;
    let task = server.submit("slow", "a:1").await;
    let ended = server.ended(task).await;
    assert!(
        dropped.load(Ordering::Acquire),
        "the resource was freed too early"
    );
    assert_eq!(ended.state, State::Failed);
    worker.drained().await.unwrap();
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_process_of_the_name_replaces_the_first_only_by_takeover() {
    use interlock_client::worker::{IfNamed, WorkerError};
    let server = Running::start().await;
    let slow = |run: Run, (): ()| async move {
        run.cancelled().await;
        run.check()
    };
    let first = AtWork::begin(server.worker("w1").handler("slow", lease(3_000), slow));
    server.kind("slow").await;
    let task = server.submit("slow", "a:1").await;
    server.started(task).await;
    let refused = server.worker("w1").if_named(IfNamed::Refuse);
    let refused = refused.handler("slow", None, slow).run().await;
    assert!(
        matches!(refused, Err(WorkerError::NameInUse { .. })),
        "{refused:?}"
    );
    let second = server.worker("w1").if_named(IfNamed::TakeOver);
    let second = second.handler("slow", None, |_: Run, (): ()| async { Ok("second") });
    let second = AtWork::begin(second);
    let ended = server.ended(task).await;
    assert_eq!(ended.result.unwrap().get(), "\"second\"");
    let replaced = first.working.await.unwrap();
    assert!(
        matches!(replaced, Err(WorkerError::NameInUse { .. })),
        "{replaced:?}"
    );
    second.drained().await.unwrap();
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_outlives_its_server_and_goes_on_with_what_it_holds() {
    let dir = tempfile::TempDir::new().unwrap();
    let server = Running::start_in(dir.path(), 0).await;
    let port = server.port;
    let (tell, mut told) = mpsc::unbounded_channel();
    let worker = server.worker("w1").concurrency(2).handler(
        "slow",
        lease(5_000),
        move |run: Run, length_ms: u64| {
            let tell = tell.clone();
            async move {
                let _begun = tell.send(run.task());
                run.sleep(Duration::from_millis(length_ms)).await?;
                Ok(run.attempt())
            }
        },
    );
    let worker = AtWork::begin(worker);
    server.kind("slow").await;
    let mut tasks = Vec::new();
    // One ends while the server is away, one after it has come back.
    for (resource, length_ms) in [("a:1", "300"), ("a:2", "2500")] {
        let mut slow = submission("slow", resource);
        slow.payload = Some(interlock_api::json::Json::new(length_ms.to_owned()).unwrap());
        let report = server.client.tasks().submit(&slow).await.unwrap();
        tasks.push(report.task.unwrap());
        told.recv().await.unwrap();
    }
    server.stop().await;
    tokio::time::sleep(Duration::from_millis(800)).await;
    let server = Running::start_in(dir.path(), port).await;
    for task in tasks {
        let ended = server.ended(task).await;
        assert_eq!(ended.state, State::Succeeded);
        assert_eq!(ended.result.unwrap().get(), "1", "it ran once");
    }
    worker.drained().await.unwrap();
    server.stop().await;
}
