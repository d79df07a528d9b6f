//! Quotas in the run: kept by the worker where it has the resource, through the server elsewhere.

use crate::server::{AtWork, Running, lease, submission};
use interlock_api::kind::{KindPolicy, QuotaUse};
use interlock_api::quota::{QuotaPolicy, QuotaQuery};
use interlock_api::task::State;
use interlock_client::worker::Run;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn metered(lease_ms: u64) -> KindPolicy {
    KindPolicy {
        quotas: vec![QuotaUse {
            quota: "calls".to_owned(),
            cost: 0,
        }],
        ..lease(lease_ms)
    }
}

async fn quota(server: &Running, per: Option<&str>, limits: &[&str]) {
    let policy = QuotaPolicy {
        name: None,
        per: per.map(ToOwned::to_owned),
        limits: limits.iter().map(|limit| limit.parse().unwrap()).collect(),
    };
    server.client.quotas().set("calls", &policy).await.unwrap();
}

/// Calls to an outside system, by resource.
type Calls = Arc<Mutex<BTreeMap<String, Vec<Instant>>>>;

/// The most calls within any span of this length.
fn most_within(calls: &[Instant], span: Duration) -> usize {
    let count = |from: &Instant| {
        let within = |at: &&Instant| **at >= *from && **at - *from < span;
        calls.iter().filter(within).count()
    };
    calls.iter().map(count).max().unwrap_or(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shop_that_moves_between_workers_is_never_called_too_often() {
    let server = Running::start().await;
    quota(&server, Some("shop"), &["5/500ms", "1000/1d"]).await;
    let calls: Calls = Arc::default();
    let workers: Vec<AtWork> = (0..3)
        .map(|number| {
            let calls = calls.clone();
            let worker = server.worker(&format!("w{number}"));
            AtWork::begin(
                worker.handler("sync", metered(5_000), move |run: Run, (): ()| {
                    let calls = calls.clone();
                    async move {
                        for _ in 0..4 {
                            let _permit = run.spend("calls", 1).await?;
                            let shop = run.resources()[0].resource.clone();
                            let mut calls = calls.lock().unwrap();
                            calls.entry(shop).or_default().push(Instant::now());
                        }
                        Ok(())
                    }
                }),
            )
        })
        .collect();
    server.kind("sync").await;
    let mut tasks = Vec::new();
    for round in 0..8 {
        tasks.push(server.submit("sync", &format!("shop:{}", round % 2)).await);
    }
    for task in tasks {
        assert_eq!(server.ended(task).await.state, State::Succeeded);
    }
    for (shop, calls) in &*calls.lock().unwrap() {
        assert_eq!(calls.len(), 16, "{shop}");
        let most = most_within(calls, Duration::from_millis(500));
        assert!(most <= 5, "{most} calls of {shop} within half a second");
    }
    // What was used is counted, and shown.
    let query = QuotaQuery {
        resource: Some("shop:0".to_owned()),
    };
    let shown = server.client.quotas().count("calls", &query).await.unwrap();
    let text = serde_json::to_string(&shown).unwrap();
    assert!(text.contains("\"used\":16"), "{text}");
    for worker in workers {
        worker.drained().await.unwrap();
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_small_budget_comes_in_slices_and_all_of_it_can_be_spent() {
    let server = Running::start().await;
    quota(&server, Some("shop"), &["12/1d"]).await;
    let worker =
        server
            .worker("w1")
            .handler("sync", metered(2_000), |run: Run, (): ()| async move {
                for units in [1, 4, 1, 3, 3] {
                    let permit = run.spend("calls", units).await?;
                    assert_eq!(permit.units(), units);
                }
                assert!(run.spend("calls", 13).await.is_err());
                Ok(())
            });
    let worker = AtWork::begin(worker);
    server.kind("sync").await;
    let task = server.submit("sync", "shop:1").await;
    assert_eq!(server.ended(task).await.state, State::Succeeded);
    worker.drained().await.unwrap();
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_quota_of_all_is_spent_through_the_server() {
    let server = Running::start().await;
    quota(&server, None, &["6/400ms"]).await;
    let calls: Calls = Arc::default();
    let note = calls.clone();
    let worker = server.worker("w1").concurrency(8).handler(
        "sync",
        metered(5_000),
        move |run: Run, (): ()| {
            let calls = note.clone();
            async move {
                for _ in 0..3 {
                    let _permit = run.spend("calls", 1).await?;
                    let mut calls = calls.lock().unwrap();
                    calls.entry(String::new()).or_default().push(Instant::now());
                }
                Ok(())
            }
        },
    );
    let worker = AtWork::begin(worker);
    server.kind("sync").await;
    let mut tasks = Vec::new();
    for shop in 0..6 {
        tasks.push(server.submit("sync", &format!("shop:{shop}")).await);
    }
    for task in tasks {
        assert_eq!(server.ended(task).await.state, State::Succeeded);
    }
    let calls = calls.lock().unwrap()[""].clone();
    assert_eq!(calls.len(), 18);
    assert!(most_within(&calls, Duration::from_millis(400)) <= 6);
    worker.drained().await.unwrap();
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retry_after_from_outside_pauses_the_quota_for_everyone() {
    let server = Running::start().await;
    quota(&server, Some("shop"), &["100/1s"]).await;
    let spent: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let note = spent.clone();
    let worker = server
        .worker("w1")
        .handler("sync", metered(5_000), move |run: Run, (): ()| {
            let spent = note.clone();
            async move {
                let _permit = run.spend("calls", 1).await?;
                spent.lock().unwrap().push(Instant::now());
                if run.task() == 1 {
                    run.pause_quota("calls", Duration::from_millis(600)).await?;
                }
                Ok(())
            }
        });
    let worker = AtWork::begin(worker);
    server.kind("sync").await;
    for shop in ["shop:1", "shop:1"] {
        let task = server
            .client
            .tasks()
            .submit(&submission("sync", shop))
            .await
            .unwrap();
        assert_eq!(
            server.ended(task.task.unwrap()).await.state,
            State::Succeeded
        );
    }
    let spent = spent.lock().unwrap().clone();
    assert!(
        spent[1] - spent[0] >= Duration::from_millis(590),
        "{:?}",
        spent[1] - spent[0]
    );
    worker.drained().await.unwrap();
    server.stop().await;
}
