//! What is shown of a task and of a resource beyond the present moment: the last failure, the groups
//! that led to an ended task, and how a quota stands.

use crate::client::{Caller, Running};
use interlock_store::{MemoryStore, SqliteStore, Store};
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// Somebody who asks, and is always answered well.
pub(crate) struct Asking<'a>(pub(crate) &'a Caller);

impl Asking<'_> {
    pub(crate) async fn ask(&self, method: &str, path: &str, body: Value) -> Value {
        let body = (method != "GET").then(|| body.to_string());
        let answer = self.0.call(method, path, body.as_deref()).await;
        assert!(answer.status < 300, "{method} {path}: {}", answer.text);
        answer.json()
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        self.ask("GET", path, Value::Null).await
    }

    /// A worker of this kind.
    pub(crate) async fn register(&self, kind: &str) -> Value {
        let body = json!({"name": "w1", "kinds": [kind]});
        self.ask("POST", "/v1/work/register", body).await["session"].clone()
    }

    pub(crate) async fn take(&self, session: &Value, number: u64) -> Value {
        let body = json!({"session": session, "number": number});
        let taken = self.ask("POST", "/v1/work/take", body).await;
        taken["hand_outs"][0].clone()
    }

    pub(crate) async fn finish(&self, session: &Value, finish: Value) -> Value {
        let body = json!({"session": session, "finishes": [finish]});
        let finished = self.ask("POST", "/v1/work/finish", body).await;
        finished["finished"][0].clone()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_that_is_tried_again_shows_what_went_wrong() {
    let running = Running::start().await;
    let asking = Asking(&running.caller);
    let kind = json!({"retry": {"waits": ["0s"]}});
    asking.ask("PUT", "/v1/kinds/sync", kind).await;
    let session = asking.register("sync").await;
    let submitted = asking
        .ask("POST", "/v1/tasks", json!({"kind": "sync"}))
        .await;
    let path = format!("/v1/tasks/{}", submitted["task"]);
    assert_eq!(asking.get(&path).await["last_failure"], Value::Null);
    for (number, message) in [(1, "connection refused"), (2, "no such host")] {
        let token = asking.take(&session, number).await["token"].clone();
        let error = json!({"message": message, "detail": "mirror.example.org"});
        let finish = json!({"token": token, "how": "fail", "error": error});
        asking.finish(&session, finish).await;
        let failure = asking.get(&path).await["last_failure"].clone();
        assert_eq!(failure["message"], message);
        assert_eq!(failure["detail"], "mirror.example.org");
        assert_eq!(failure["worker"], "w1");
        assert!(failure["started"].as_str() <= failure["ended"].as_str());
    }
    // A list is light.
    let listed = asking.get("/v1/tasks").await;
    assert_eq!(listed["items"][0]["last_failure"], Value::Null);
    // It is still known when a later run has succeeded.
    let token = asking.take(&session, 3).await["token"].clone();
    let finish = json!({"token": token, "how": "succeed"});
    asking.finish(&session, finish).await;
    let ended = asking.get(&path).await;
    assert_eq!(ended["state"], "succeeded");
    assert_eq!(ended["last_failure"]["message"], "no such host");
    let runs = ended["runs"].as_array().expect("runs");
    let hows: Vec<_> = runs.iter().map(|run| run["how"].as_str()).collect();
    assert_eq!(hows, [Some("failed"), Some("failed"), Some("succeeded")]);
    assert_eq!(runs[0]["message"], "connection refused");
    assert_eq!(runs[0]["worker"], "w1");
    assert_eq!(ended["started"], runs[2]["started"]);
    let listed = asking.get("/v1/tasks?state=succeeded").await;
    assert_eq!(listed["items"][0]["started"], runs[2]["started"]);
    assert_eq!(listed["items"][0]["runs"], Value::Null);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ended_task_is_found_by_each_of_its_groups() {
    let dir = tempfile::tempdir().expect("a directory");
    let sqlite = SqliteStore::open(dir.path()).expect("it opens");
    let stores: [Box<dyn Store>; 2] = [Box::new(MemoryStore::new()), Box::new(sqlite)];
    for store in stores {
        let running = Running::on(store).await;
        let asking = Asking(&running.caller);
        let kind = json!({"coalesce": {}, "retry": {"tries": 1}});
        asking.ask("PUT", "/v1/kinds/sync", kind).await;
        let session = asking.register("sync").await;
        let items = json!({"items": [{"kind": "sync", "resources": ["shop:1"]}]});
        let mut groups = Vec::new();
        for _ in 0..2 {
            let made = asking.ask("POST", "/v1/groups", items.clone()).await;
            groups.push(made["group"].clone());
        }
        assert_ne!(groups[0], groups[1]);
        let taken = asking.take(&session, 1).await;
        assert_eq!(taken["stands_for"], 2);
        let error = json!({"message": "no"});
        let finish = json!({"token": taken["token"], "how": "fail", "error": error});
        asking.finish(&session, finish).await;
        let look = async || {
            for group in &groups {
                let listed = asking.get(&format!("/v1/tasks?group={group}")).await;
                assert_eq!(listed["items"][0]["task"], taken["task"], "group {group}");
                let shown = asking.get(&format!("/v1/groups/{group}")).await;
                assert_eq!(shown["tasks"][0]["task"], taken["task"], "group {group}");
            }
        };
        look().await;
        // Looking at failures puts what ended into the history.
        asking.get("/v1/failures").await;
        let cell = running.server.namespaces.find("default").expect("one");
        let pending = cell.cell.read(|view| view.pending.len()).await;
        assert_eq!(pending.expect("it answers"), 0);
        look().await;
        running.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_resource_shows_what_is_used_of_its_quotas_and_when_it_is_free_again() {
    let running = Running::start().await;
    let asking = Asking(&running.caller);
    let quota = json!({"per": "shop", "limits": ["1000/1h"]});
    asking.ask("PUT", "/v1/quotas/calls", quota).await;
    let kind = json!({"quotas": [{"quota": "calls", "cost": 2}]});
    asking.ask("PUT", "/v1/kinds/sync", kind).await;
    let session = asking.register("sync").await;
    let shop = json!({"kind": "sync", "resources": ["shop:42"]});
    asking.ask("POST", "/v1/tasks", shop).await;
    let fresh = count(&asking).await;
    assert_eq!((&fresh["used"], &fresh["left"]), (&json!(0), &json!(1000)));
    assert_eq!(fresh["resets"], Value::Null);
    let taken = asking.take(&session, 1).await;
    // What the run may spend by itself counts as used until it has told what it was.
    let slice = taken["budgets"][0]["slice"].as_u64().expect("a slice");
    let during = count(&asking).await;
    assert_eq!(during["lent"], json!(slice));
    assert_eq!(during["used"], json!(slice + 2));
    assert_eq!(during["resets"], Value::Null);
    let used = json!([{"quota": "calls", "units": 3}]);
    let finish = json!({"token": taken["token"], "how": "succeed", "used": used});
    asking.finish(&session, finish).await;
    let after = count(&asking).await;
    assert_eq!((&after["used"], &after["left"]), (&json!(5), &json!(995)));
    assert_eq!(after["lent"], json!(0));
    let resets: interlock_api::Time =
        serde_json::from_value(after["resets"].clone()).expect("a time");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("now");
    let in_ms = resets.ms().saturating_sub(now.as_millis() as u64);
    // An hour, and the bucket that the use fell into.
    let minute = 60_000;
    assert!(
        (55 * minute..=62 * minute).contains(&in_ms),
        "in {in_ms} ms"
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn children_are_found_by_their_parent() {
    let running = Running::start().await;
    let asking = Asking(&running.caller);
    asking.ask("PUT", "/v1/kinds/sync", json!({})).await;
    let session = asking.register("sync").await;
    let parent = asking.ask("POST", "/v1/tasks", json!({"kind": "sync"}));
    let parent = parent.await["task"].clone();
    let taken = asking.take(&session, 1).await;
    let child = json!({"kind": "sync", "parent": taken["token"]});
    let child = asking.ask("POST", "/v1/tasks", child).await["task"].clone();
    let path = format!("/v1/tasks?parent={parent}");
    let found = asking.get(&path).await["items"].clone();
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(found[0]["task"], child);
    // Also when it has ended, before and after it is in the history.
    let cancel = format!("/v1/tasks/{child}/cancel");
    asking.ask("POST", &cancel, json!({})).await;
    assert_eq!(asking.get(&path).await["items"][0]["state"], "cancelled");
    let hosted = running.server.namespaces.find("default").expect("one");
    hosted.cell.settle().await.expect("it settles");
    assert_eq!(asking.get(&path).await["items"][0]["state"], "cancelled");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_shows_what_came_after_what_until_its_end() {
    let running = Running::start().await;
    let asking = Asking(&running.caller);
    asking.ask("PUT", "/v1/kinds/sync", json!({})).await;
    let session = asking.register("sync").await;
    let items = json!({"items": [
        {"kind": "sync"},
        {"kind": "sync", "after": [{"item": 0}]},
    ]});
    let made = asking.ask("POST", "/v1/groups", items).await;
    let path = format!("/v1/groups/{}", made["group"]);
    for number in 1..=3 {
        let group = asking.get(&path).await;
        assert_eq!(group["tasks"][0]["after"], Value::Null);
        assert_eq!(
            group["tasks"][1]["after"],
            json!([group["tasks"][0]["task"]])
        );
        if number < 3 {
            let token = asking.take(&session, number).await["token"].clone();
            let finish = json!({"token": token, "how": "succeed"});
            asking.finish(&session, finish).await;
        } else {
            assert_eq!(group["state"], "succeeded");
        }
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_schedule_tells_its_next_firings() {
    let running = Running::start().await;
    let asking = Asking(&running.caller);
    asking.ask("PUT", "/v1/kinds/sync", json!({})).await;
    let daily = json!({
        "cron": "30 3 * * *", "zone": "Europe/Prague",
        "submission": {"kind": "sync"},
    });
    let daily = asking.ask("PUT", "/v1/schedules/daily", daily).await;
    let times: Vec<interlock_api::Time> =
        serde_json::from_value(daily["upcoming"].clone()).expect("times");
    assert_eq!(times.len(), 5);
    assert_eq!(daily["upcoming"][0], daily["next"]);
    for pair in times.windows(2) {
        let hours = (pair[1].ms() - pair[0].ms()) / 3_600_000;
        assert!((23..=25).contains(&hours), "{hours} hours apart");
    }
    let twice = json!({"every": "1h", "count": 2, "submission": {"kind": "sync"}});
    let twice = asking.ask("PUT", "/v1/schedules/twice", twice).await;
    assert_eq!(twice["upcoming"].as_array().map(Vec::len), Some(2));
    asking
        .ask("POST", "/v1/schedules/daily/pause", json!({}))
        .await;
    let paused = asking.get("/v1/schedules/daily").await;
    assert_eq!(paused["upcoming"], Value::Null);
    running.stop().await;
}

/// The one limit of the shop's quota as the resource shows it, and as the quota does.
async fn count(asking: &Asking<'_>) -> Value {
    let resource = asking.get("/v1/resources/shop:42").await;
    let quota = asking.get("/v1/quotas/calls?resource=shop:42").await;
    let count = &resource["quotas"][0];
    assert_eq!(count["quota"], "calls");
    assert_eq!(count["lent"], quota["count"]["lent"]);
    assert_eq!(
        count["limits"][0]["used"],
        quota["count"]["limits"][0]["used"]
    );
    let mut limit = count["limits"][0].clone();
    limit["lent"] = count["lent"].clone();
    limit
}
