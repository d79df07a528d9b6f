//! What went on lately: what is counted, by whom it can be seen, and how failures grow.

use crate::client::Running;
use crate::shown::Asking;
use interlock_api::activity::Activity;
use serde_json::{Value, json};

async fn activity(asking: &Asking<'_>) -> Activity {
    let seen = asking.get("/v1/activity").await;
    let seen: Activity = serde_json::from_value(seen).expect("an activity");
    for stretch in [&seen.hour, &seen.day] {
        let sum = |count: fn(&interlock_api::overview::Totals) -> u64| -> u64 {
            let buckets = stretch.buckets.iter();
            buckets.map(|bucket| count(&bucket.counts)).sum()
        };
        assert_eq!(stretch.counts.accepted, sum(|counts| counts.accepted));
        assert_eq!(stretch.counts.succeeded, sum(|counts| counts.succeeded));
        assert!(stretch.buckets[0].from <= seen.since);
        assert!(stretch.buckets.last().expect("one").from <= seen.now);
        assert!(stretch.buckets.len() <= 2, "it was started just now");
    }
    assert_eq!(seen.hour.step.to_string(), "1m");
    assert_eq!(seen.day.step.to_string(), "15m");
    seen
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn submissions_runs_and_waits_are_counted() {
    let running = Running::start().await;
    let asking = Asking(&running.caller);
    let nothing = activity(&asking).await;
    assert_eq!(nothing.hour.counts, Default::default());
    assert_eq!(nothing.hour.waits, None);
    let kind = json!({"coalesce": {}, "retry": {"tries": 1}});
    asking.ask("PUT", "/v1/kinds/sync", kind).await;
    let session = asking.register("sync").await;
    let sync = json!({"kind": "sync", "resources": ["repository:f16"]});
    asking.ask("POST", "/v1/tasks", sync.clone()).await;
    let first = asking.take(&session, 1).await;
    asking.ask("POST", "/v1/tasks", sync.clone()).await;
    asking.ask("POST", "/v1/tasks", sync).await;
    let finish = json!({"token": first["token"], "how": "succeed"});
    asking.finish(&session, finish).await;
    let second = asking.take(&session, 2).await;
    let error = json!({"message": "no such host"});
    let finish = json!({"token": second["token"], "how": "fail", "error": error});
    asking.finish(&session, finish).await;
    let seen = activity(&asking).await;
    for stretch in [seen.hour, seen.day] {
        let counts = stretch.counts;
        assert_eq!((counts.accepted, counts.postponed), (1, 1));
        assert_eq!((counts.coalesced, counts.rejected), (1, 0));
        assert_eq!((counts.started, counts.succeeded), (2, 1));
        assert_eq!((counts.failed, counts.lost), (1, 0));
        let waits = stretch.waits.expect("two began");
        assert_eq!(waits.tasks, 2);
        assert!(waits.p50 <= waits.p95 && waits.p95 <= waits.max);
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_namespace_has_counts_of_its_own() {
    let running = Running::start().await;
    let asking = Asking(&running.caller);
    asking.ask("PUT", "/v1/namespaces/other", json!({})).await;
    asking.ask("PUT", "/v1/kinds/sync", json!({})).await;
    asking
        .ask("POST", "/v1/tasks", json!({"kind": "sync"}))
        .await;
    let there = running.caller.with(None, Some("other"));
    let submitted = async |asking: Asking<'_>| {
        let counts = activity(&asking).await.hour.counts;
        counts.accepted + counts.postponed
    };
    assert_eq!(submitted(asking).await, 1);
    assert_eq!(submitted(Asking(&there)).await, 0);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failures_show_how_they_grow() {
    let running = Running::start().await;
    let asking = Asking(&running.caller);
    let kind = json!({"retry": {"tries": 1}});
    asking.ask("PUT", "/v1/kinds/sync", kind).await;
    let session = asking.register("sync").await;
    for number in 1..=3 {
        asking
            .ask("POST", "/v1/tasks", json!({"kind": "sync"}))
            .await;
        let token = asking.take(&session, number).await["token"].clone();
        let error = json!({"message": "no such host"});
        let finish = json!({"token": token, "how": "fail", "error": error});
        asking.finish(&session, finish).await;
    }
    let failures = asking.get("/v1/failures").await;
    let trend = failures["items"][0]["trend"].as_array().expect("a trend");
    assert_eq!(trend.len(), 24);
    // The hour may have turned meanwhile.
    let lately = trend[22..].iter().filter_map(Value::as_u64);
    assert_eq!(lately.sum::<u64>(), 3);
    running.stop().await;
}
