//! One conversation per noun.

use crate::client::Running;
use crate::talk::Talk;
use interlock_store::SqliteStore;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("not a number: {value}"))
}

/// A worker and what it takes.
async fn worker(talk: &mut Talk, name: &str, kinds: &str) -> u64 {
    let body =
        format!(r#"{{"name": "{name}", "kinds": {kinds}, "policies": [{{"name": "sync"}}]}}"#);
    let welcome = talk.send("POST", "/v1/work/register", &body).await;
    number(&welcome["session"])
}

async fn take(talk: &mut Talk, session: u64, number: u64) -> Value {
    let body = format!(r#"{{"session": {session}, "number": {number}, "max": 4}}"#);
    talk.send("POST", "/v1/work/take", &body).await
}

fn token(taken: &Value) -> String {
    let token = taken["hand_outs"][0]["token"].as_str();
    token
        .unwrap_or_else(|| panic!("no hand-out: {taken}"))
        .to_owned()
}

async fn finish(talk: &mut Talk, session: u64, token: &str, how: &str) -> Value {
    let body = format!(r#"{{"session": {session}, "finishes": [{{"token": "{token}", {how}}}]}}"#);
    talk.send("POST", "/v1/work/finish", &body).await
}

async fn work_through(running: &Running) -> String {
    let mut talk = Talk::new(&running.caller);
    let session = worker(&mut talk, "w1", r#"["sync"]"#).await;
    let submission =
        r#"{"kind": "sync", "resources": ["repository:f16"], "payload": {"full": true}}"#;
    talk.send("POST", "/v1/tasks", submission).await;
    talk.send("POST", "/v1/tasks", submission).await;
    let taken = take(&mut talk, session, 1).await;
    let token = token(&taken);
    let run = format!(r#"{{"session": {session}, "runs": [{{"token": "{token}"}}]}}"#);
    talk.send("POST", "/v1/work/beat", &run).await;
    let progress = format!(
        r#"{{"session": {session}, "token": "{token}", "progress": {{"done": 1, "total": 2, "unit": "packages"}}}}"#
    );
    talk.send("POST", "/v1/work/progress", &progress).await;
    let spend =
        format!(r#"{{"session": {session}, "token": "{token}", "quota": "calls", "units": 1}}"#);
    talk.send("POST", "/v1/work/spend", &spend).await;
    finish(
        &mut talk,
        session,
        &token,
        r#""how": "succeed", "result": 7"#,
    )
    .await;
    talk.send("POST", "/v1/work/progress", &progress).await;
    talk.ask("GET", "/v1/tasks/1").await;
    talk.send(
        "POST",
        "/v1/work/goodbye",
        &format!(r#"{{"session": {session}}}"#),
    )
    .await;
    talk.send(
        "POST",
        "/v1/work/goodbye",
        &format!(r#"{{"session": {session}}}"#),
    )
    .await;
    talk.text()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work() {
    let running = Running::start().await;
    let text = work_through(&running).await;
    insta::assert_snapshot!("work", text);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_on_sqlite_is_the_same() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = SqliteStore::open(dir.path()).expect("it opens");
    let running = Running::on(Box::new(store)).await;
    let text = work_through(&running).await;
    insta::assert_snapshot!("work", text);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_take_waits_and_may_carry_finishes() {
    let running = Running::start().await;
    let mut talk = Talk::new(&running.caller);
    let session = worker(&mut talk, "w1", r#"["sync"]"#).await;
    let caller = running.caller.clone();
    let parked = tokio::spawn(async move {
        let body = format!(r#"{{"session": {session}, "number": 1, "wait": "30s"}}"#);
        caller.call("POST", "/v1/work/take", Some(&body)).await
    });
    talk.send("POST", "/v1/tasks", r#"{"kind": "sync"}"#).await;
    let taken = parked.await.expect("no panic").json();
    let token = token(&taken);
    let body = format!(
        r#"{{"session": {session}, "number": 2, "finishes": [{{"token": "{token}", "how": "succeed"}}]}}"#
    );
    let taken = talk.send("POST", "/v1/work/take", &body).await;
    assert_eq!(taken["finished"][0]["outcome"], "succeeded");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_hangs_up_gives_its_tasks_back() {
    let running = Running::start().await;
    let mut talk = Talk::new(&running.caller);
    let session = worker(&mut talk, "w1", r#"["sync"]"#).await;
    let body = format!(r#"{{"session": {session}, "number": 1, "wait": "30s"}}"#);
    let head = "POST /v1/work/take HTTP/1.1\r\nhost: x\r\ncontent-type: application/json";
    let ask = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let mut parked = tokio::net::TcpStream::connect(running.caller.address())
        .await
        .expect("a connection");
    parked.write_all(ask.as_bytes()).await.expect("it is sent");
    // The worker is idle once its take is parked.
    while running
        .caller
        .call("GET", "/v1/workers/w1", None)
        .await
        .json()["state"]
        != "idle"
    {
        tokio::task::yield_now().await;
    }
    parked.shutdown().await.expect("it hangs up");
    // The server has noticed when it hangs up too. What it would have sent before, the worker would
    // have had to take for its own.
    let mut nothing = Vec::new();
    parked.read_to_end(&mut nothing).await.expect("the end");
    assert!(nothing.is_empty());
    let other = worker(&mut talk, "w2", r#"["sync"]"#).await;
    talk.send("POST", "/v1/tasks", r#"{"kind": "sync"}"#).await;
    let body = format!(r#"{{"session": {other}, "number": 1, "wait": "10s"}}"#);
    let taken = talk.send("POST", "/v1/work/take", &body).await;
    assert_eq!(taken["hand_outs"][0]["task"], 1);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kinds() {
    let running = Running::start().await;
    let mut talk = Talk::new(&running.caller);
    talk.send(
        "PUT",
        "/v1/kinds/sync",
        r#"{"priority": 7, "coalesce": {"gather": "3s"}}"#,
    )
    .await;
    talk.send("PUT", "/v1/kinds/publish", "{}").await;
    talk.ask("GET", "/v1/kinds?limit=1").await;
    talk.ask("GET", "/v1/kinds?limit=1&cursor=n-publish").await;
    talk.ask("POST", "/v1/kinds/sync/hold").await;
    let held = talk.ask("GET", "/v1/kinds/sync").await;
    assert_eq!(held["held"], true);
    talk.ask("POST", "/v1/kinds/sync/release").await;
    talk.ask("GET", "/v1/kinds/none").await;
    talk.send("POST", "/v1/tasks", r#"{"kind": "sync"}"#).await;
    talk.ask("DELETE", "/v1/kinds/sync").await;
    talk.ask("DELETE", "/v1/kinds/publish").await;
    talk.send("PUT", "/v1/kinds/sync", r#"{"name": "other"}"#)
        .await;
    talk.send("PUT", "/v1/kinds/sync", r#"{"lease": "1h"}"#)
        .await;
    insta::assert_snapshot!(talk.text());
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn resources() {
    let running = Running::start().await;
    let mut talk = Talk::new(&running.caller);
    let shops = r#"{"per": "shop", "limits": ["10/24h", {"at_once": 4}]}"#;
    talk.send("PUT", "/v1/quotas/shops", shops).await;
    let kind = r#"{"quotas": [{"quota": "shops"}], "retry": {"waits": []}}"#;
    talk.send("PUT", "/v1/kinds/call", kind).await;
    let session = worker(&mut talk, "w1", r#"["call"]"#).await;
    for due in ["0s", "0s", "0s", "0s", "1h"] {
        let body = format!(r#"{{"kind": "call", "resources": ["shop:42"], "due": "{due}"}}"#);
        talk.send("POST", "/v1/tasks", &body).await;
    }
    for (at, how) in [
        (1, r#""how": "succeed""#),
        (2, r#""how": "fail", "error": {"message": "no"}"#),
    ] {
        let taken = take(&mut talk, session, at).await;
        finish(&mut talk, session, &token(&taken), how).await;
    }
    take(&mut talk, session, 3).await;
    talk.ask("GET", "/v1/resources/shop:42").await;
    talk.ask("GET", "/v1/resources/shop%3A42").await;
    talk.ask("GET", "/v1/failures").await;
    talk.ask("GET", "/v1/resources?prefix=shop:").await;
    talk.ask("GET", "/v1/resources?state=idle").await;
    talk.ask("POST", "/v1/resources/shop:43/hold").await;
    talk.ask("GET", "/v1/resources/shop:43").await;
    talk.ask("POST", "/v1/resources/shop:43/release").await;
    talk.ask("GET", "/v1/resources/nothing").await;
    insta::assert_snapshot!(talk.text());
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers() {
    let running = Running::start().await;
    let mut talk = Talk::new(&running.caller);
    worker(&mut talk, "w1", r#"["sync"]"#).await;
    let session = worker(&mut talk, "w2", r#"["sync"]"#).await;
    talk.send("POST", "/v1/tasks", r#"{"kind": "sync"}"#).await;
    take(&mut talk, session, 1).await;
    talk.ask("GET", "/v1/workers?limit=1").await;
    talk.ask("GET", "/v1/workers?cursor=n-w1").await;
    talk.ask("POST", "/v1/workers/w1/drain").await;
    talk.ask("GET", "/v1/workers/w1").await;
    talk.ask("GET", "/v1/workers/w3").await;
    talk.ask("POST", "/v1/workers/w3/drain").await;
    insta::assert_snapshot!(talk.text());
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn groups() {
    let running = Running::start().await;
    let mut talk = Talk::new(&running.caller);
    let session = worker(&mut talk, "w1", r#"["sync"]"#).await;
    let items = r#"{"items": [{"kind": "sync"}, {"kind": "sync", "after": [{"item": 0}]}]}"#;
    let group = number(&talk.send("POST", "/v1/groups", items).await["group"]);
    talk.send(
        "POST",
        "/v1/groups",
        r#"{"items": [{"kind": "sync"}, {"kind": "none"}]}"#,
    )
    .await;
    talk.send(
        "POST",
        "/v1/groups",
        r#"{"items": [{"kind": "sync"}, {"bad": 1}]}"#,
    )
    .await;
    talk.send("POST", "/v1/groups", r#"{"items": []}"#).await;
    let taken = take(&mut talk, session, 1).await;
    talk.ask("GET", "/v1/groups").await;
    finish(&mut talk, session, &token(&taken), r#""how": "succeed""#).await;
    talk.ask("GET", &format!("/v1/groups/{group}")).await;
    talk.ask("POST", &format!("/v1/groups/{group}/cancel"))
        .await;
    talk.ask("GET", &format!("/v1/groups/{group}")).await;
    running
        .server
        .namespaces
        .find("default")
        .expect("it is there")
        .cell
        .settle()
        .await
        .expect("settled");
    let ended = talk.ask("GET", &format!("/v1/groups/{group}")).await;
    assert_eq!(ended["state"], "cancelled");
    talk.ask("GET", "/v1/groups/999").await;
    talk.ask("POST", &format!("/v1/groups/{group}/cancel"))
        .await;
    insta::assert_snapshot!(talk.text());
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schedules() {
    let running = Running::start().await;
    let mut talk = Talk::new(&running.caller);
    talk.send("PUT", "/v1/kinds/sync", "{}").await;
    let nightly =
        r#"{"cron": "30 3 * * *", "zone": "Europe/Prague", "submission": {"kind": "sync"}}"#;
    talk.send("PUT", "/v1/schedules/nightly", nightly).await;
    talk.send(
        "PUT",
        "/v1/schedules/often",
        r#"{"every": "1h", "submission": {"kind": "sync"}}"#,
    )
    .await;
    talk.ask("POST", "/v1/schedules/nightly/pause").await;
    talk.ask("GET", "/v1/schedules").await;
    talk.ask("POST", "/v1/schedules/nightly/resume").await;
    talk.ask("GET", "/v1/schedules/nightly").await;
    talk.ask("DELETE", "/v1/schedules/nightly").await;
    talk.ask("GET", "/v1/schedules/nightly").await;
    talk.ask("POST", "/v1/schedules/nightly/pause").await;
    talk.send(
        "PUT",
        "/v1/schedules/bad",
        r#"{"cron": "x", "submission": {"kind": "sync"}}"#,
    )
    .await;
    insta::assert_snapshot!(talk.text());
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn quotas() {
    let running = Running::start().await;
    let mut talk = Talk::new(&running.caller);
    talk.send(
        "PUT",
        "/v1/quotas/calls",
        r#"{"limits": ["10/1s", {"at_once": 4}]}"#,
    )
    .await;
    talk.send(
        "PUT",
        "/v1/quotas/shops",
        r#"{"per": "shop", "limits": ["10000/24h"]}"#,
    )
    .await;
    talk.ask("GET", "/v1/quotas?limit=1").await;
    talk.ask("GET", "/v1/quotas/shops?resource=shop:42").await;
    talk.ask("GET", "/v1/quotas/shops?resource=host:42").await;
    talk.ask("GET", "/v1/quotas/calls?resource=host:42").await;
    talk.send(
        "POST",
        "/v1/quotas/shops/pause",
        r#"{"for": "30s", "resource": "shop:42"}"#,
    )
    .await;
    talk.ask("GET", "/v1/quotas/shops?resource=shop:42").await;
    talk.send(
        "POST",
        "/v1/quotas/shops/pause",
        r#"{"for": "8w", "resource": "shop:42"}"#,
    )
    .await;
    talk.send(
        "PUT",
        "/v1/kinds/call",
        r#"{"quotas": [{"quota": "calls"}]}"#,
    )
    .await;
    talk.ask("DELETE", "/v1/quotas/calls").await;
    talk.ask("DELETE", "/v1/quotas/shops").await;
    talk.ask("GET", "/v1/quotas/shops").await;
    insta::assert_snapshot!(talk.text());
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn namespaces() {
    let running = Running::start().await;
    let mut talk = Talk::new(&running.caller);
    talk.send("PUT", "/v1/namespaces/other", r#"{"step": "2h"}"#)
        .await;
    talk.ask("GET", "/v1/namespaces").await;
    talk.ask("GET", "/v1/namespaces?limit=1").await;
    talk.ask("POST", "/v1/namespaces/other/hold").await;
    talk.ask("GET", "/v1/namespaces/other").await;
    talk.ask("POST", "/v1/namespaces/other/release").await;
    let mut inside = Talk::new(&running.caller.with(None, Some("other")));
    inside.send("PUT", "/v1/kinds/sync", "{}").await;
    inside
        .send("POST", "/v1/tasks", r#"{"kind": "sync"}"#)
        .await;
    talk.ask("DELETE", "/v1/namespaces/other").await;
    inside.ask("POST", "/v1/tasks/1/cancel").await;
    talk.ask("DELETE", "/v1/namespaces/other").await;
    talk.ask("GET", "/v1/namespaces/other").await;
    talk.ask("DELETE", "/v1/namespaces/default").await;
    talk.send("PUT", "/v1/namespaces/b%C3%B6se", "{}").await;
    talk.send("PUT", "/v1/namespaces/other", "{}").await;
    let tasks = inside.ask("GET", "/v1/tasks").await;
    assert_eq!(tasks["items"], serde_json::json!([]));
    insta::assert_snapshot!(talk.text());
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens() {
    let running = Running::start().await;
    let mut talk = Talk::new(&running.caller);
    talk.send("PUT", "/v1/namespaces/other", "{}").await;
    talk.send(
        "POST",
        "/v1/tokens",
        r#"{"name": "first", "scopes": ["submit"]}"#,
    )
    .await;
    let first = r#"{"name": "first", "scopes": ["submit", "read", "admin"]}"#;
    let first = talk.send("POST", "/v1/tokens", first).await;
    let secret = first["secret"].as_str().expect("a secret");
    assert!(secret.starts_with("ilk_"), "{secret}");
    talk.ask("GET", "/v1/tokens").await;
    let mut admin = Talk::new(&running.caller.with(Some(secret), None));
    admin
        .send(
            "POST",
            "/v1/tokens",
            r#"{"name": "more", "scopes": ["operate"]}"#,
        )
        .await;
    let bound = r#"{"name": "bound", "namespace": "other", "scopes": ["read", "admin"]}"#;
    let bound = admin.send("POST", "/v1/tokens", bound).await;
    let secret = bound["secret"].as_str().expect("a secret");
    let mut bound = Talk::new(&running.caller.with(Some(secret), None));
    bound
        .send(
            "POST",
            "/v1/tokens",
            r#"{"name": "all", "scopes": ["read"]}"#,
        )
        .await;
    bound
        .send(
            "POST",
            "/v1/tokens",
            r#"{"name": "d", "namespace": "default", "scopes": ["read"]}"#,
        )
        .await;
    bound.ask("GET", "/v1/tokens").await;
    bound.ask("GET", "/v1/namespaces").await;
    bound.ask("GET", "/v1/namespaces/default").await;
    bound.ask("DELETE", "/v1/tokens/1").await;
    bound.send("PUT", "/v1/namespaces/new", "{}").await;
    admin.ask("DELETE", "/v1/tokens/2").await;
    bound.ask("GET", "/v1/tokens").await;
    admin.ask("DELETE", "/v1/tokens/2").await;
    admin.ask("DELETE", "/v1/tokens/nine").await;
    admin.ask("GET", "/v1/tokens").await;
    let text = [talk.text(), admin.text(), bound.text()].join("---\n\n");
    insta::assert_snapshot!(text);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overview() {
    let running = Running::start().await;
    let mut talk = Talk::new(&running.caller);
    let quota = r#"{"per": "shop", "limits": ["10/1h"]}"#;
    talk.send("PUT", "/v1/quotas/calls", quota).await;
    let kind = r#"{"quotas": [{"quota": "calls", "cost": 4}]}"#;
    talk.send("PUT", "/v1/kinds/push", kind).await;
    let session = worker(&mut talk, "w1", r#"["sync", "push"]"#).await;
    for _ in 0..3 {
        let sync = r#"{"kind": "sync", "resources": ["repository:f16"]}"#;
        talk.send("POST", "/v1/tasks", sync).await;
    }
    let push = r#"{"kind": "push", "resources": ["shop:42"]}"#;
    talk.send("POST", "/v1/tasks", push).await;
    take(&mut talk, session, 1).await;
    let seen = talk.ask("GET", "/v1/overview").await;
    assert_eq!(seen["namespace"], "default");
    assert_eq!(seen["counts"]["running"], 2);
    assert_eq!(seen["totals"]["accepted"], 2);
    assert_eq!(seen["totals"]["postponed"], 2);
    assert_eq!(seen["totals"]["started"], 2);
    let tasks = |stage: &str| {
        let mut stages = seen["stages"].as_array().into_iter().flatten();
        stages
            .find(|found| found["stage"] == stage)
            .map(|found| &found["tasks"])
    };
    assert_eq!(tasks("in_line"), Some(&2.into()));
    assert_eq!(seen["kinds"][0]["kind"], "sync", "the one with most tasks");
    let line = &seen["lines"][0];
    assert_eq!(seen["lines"].as_array().map(Vec::len), Some(1), "{seen}");
    assert_eq!(line["resource"], "repository:f16");
    assert_eq!((&line["running"], &line["waiting"]), (&1.into(), &2.into()));
    assert_eq!(line["holder"]["task"], 1);
    assert_eq!(line["first"]["task"], 2);
    assert_eq!(line["first"]["reasons"][0]["reason"], "held_by");
    let quota = &seen["quotas"][0];
    assert_eq!(
        (&quota["quota"], &quota["resource"]),
        (&"calls".into(), &"shop:42".into())
    );
    // Four for the start, and one that the run may spend without asking.
    assert_eq!(quota["limits"][0]["left"], 5);
    assert!(quota["limits"][0]["frees"].is_string(), "{quota}");
    let none = running
        .caller
        .call("GET", "/v1/overview?limit=0", None)
        .await;
    assert_eq!(none.status, 400, "{}", none.text);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn status() {
    let running = Running::start().await;
    let mut talk = Talk::new(&running.caller);
    talk.ask("GET", "/v1/status").await;
    talk.ask("GET", "/healthz").await;
    talk.ask("GET", "/readyz").await;
    insta::assert_snapshot!(talk.text());
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failures() {
    let running = Running::start().await;
    let mut talk = Talk::new(&running.caller);
    let session = worker(&mut talk, "w1", r#"["sync"]"#).await;
    for at in 1..=3 {
        let body = format!(r#"{{"kind": "sync", "resources": ["repository:{at}"]}}"#);
        talk.send("POST", "/v1/tasks", &body).await;
        let taken = take(&mut talk, session, at).await;
        let how = r#""how": "fail", "again": "never", "error": {"message": "connection refused"}"#;
        finish(&mut talk, session, &token(&taken), how).await;
    }
    talk.ask("GET", "/v1/failures").await;
    talk.send(
        "POST",
        "/v1/failures/retry",
        r#"{"kind": "sync", "error": "another"}"#,
    )
    .await;
    talk.send(
        "POST",
        "/v1/failures/retry",
        r#"{"kind": "sync", "error": "connection refused", "cursor": "i-3"}"#,
    )
    .await;
    // What was submitted again a moment ago is left out.
    talk.send(
        "POST",
        "/v1/failures/retry",
        r#"{"kind": "sync", "error": "connection refused"}"#,
    )
    .await;
    talk.send("POST", "/v1/failures/retry", r#"{"kind": "sync"}"#)
        .await;
    talk.send("POST", "/v1/failures/retry", "{}").await;
    insta::assert_snapshot!(talk.text());
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_for_people() {
    let running = Running::start().await;
    for (path, wanted) in [
        (
            "/docs",
            "<span class=\"path\">/v1/tasks/{id}/explain</span>",
        ),
        ("/docs/errors", "<a href=\"/docs/errors/kind_full\">"),
        ("/docs/errors/kind_full", "<h2>What to do</h2>"),
    ] {
        let answer = running.caller.call("GET", path, None).await;
        assert_eq!(
            (answer.status, &*answer.media),
            (200, "text/html; charset=utf-8")
        );
        assert!(answer.text.contains(wanted), "{path} has no {wanted}");
        assert!(!answer.text.contains("<script"), "{path} has a script");
    }
    let none = running.caller.call("GET", "/docs/errors/none", None).await;
    assert_eq!(
        (none.status, &*none.media),
        (404, "application/problem+json")
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_waits_is_told_that_the_server_stops() {
    let running = Running::start().await;
    let mut talk = Talk::new(&running.caller);
    let session = worker(&mut talk, "w1", r#"["sync"]"#).await;
    let caller = running.caller.clone();
    let parked = tokio::spawn(async move {
        let body = format!(r#"{{"session": {session}, "number": 1, "wait": "60s"}}"#);
        caller.call("POST", "/v1/work/take", Some(&body)).await
    });
    let events = running.caller.open("GET", "/v1/events", None, &[]).await;
    while running
        .caller
        .call("GET", "/v1/workers/w1", None)
        .await
        .json()["state"]
        != "idle"
    {
        tokio::task::yield_now().await;
    }
    let begun = std::time::Instant::now();
    running.stop().await;
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
    let answer = parked.await.expect("no panic");
    assert_eq!(answer.status, 503, "{}", answer.text);
    let rest = http_body_util::BodyExt::collect(events.into_body()).await;
    assert!(rest.is_ok(), "the stream ends in order");
}
