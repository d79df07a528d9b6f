//! What is shown of a task and of a resource beyond the present moment: the last failure, the groups
//! that led to an ended task, and how a quota stands.

use crate::client::{Caller, Running};
use interlock_store::{MemoryStore, SqliteStore, Store};
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// Somebody who asks, and is always answered well.
struct Asking<'a>(&'a Caller);

impl Asking<'_> {
    async fn ask(&self, method: &str, path: &str, body: Value) -> Value {
        let body = (method != "GET").then(|| body.to_string());
        let answer = self.0.call(method, path, body.as_deref()).await;
        assert!(answer.status < 300, "{method} {path}: {}", answer.text);
        answer.json()
    }

    async fn get(&self, path: &str) -> Value {
        self.ask("GET", path, Value::Null).await
    }

    /// A worker of this kind.
    async fn register(&self, kind: &str) -> Value {
        let body = json!({"name": "w1", "kinds": [kind]});
        self.ask("POST", "/v1/work/register", body).await["session"].clone()
    }

    async fn take(&self, session: &Value, number: u64) -> Value {
        let body = json!({"session": session, "number": number});
        let taken = self.ask("POST", "/v1/work/take", body).await;
        taken["hand_outs"][0].clone()
    }

    async fn finish(&self, session: &Value, finish: Value) -> Value {
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
