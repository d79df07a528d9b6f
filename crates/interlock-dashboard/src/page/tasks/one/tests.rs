use super::*;
use crate::viewer::sample::{HOSTILE, lines, with};
use serde_json::json;

fn read<T: serde::de::DeserializeOwned>(value: serde_json::Value) -> T {
    serde_json::from_value(value).expect("a sample")
}

fn none() -> Listed<Task> {
    Listed {
        items: Vec::new(),
        next: None,
        as_of: None,
    }
}

/// A task that waits for one that waits for one that runs.
fn waiting() -> Data {
    let by = json!({"task": 12, "kind": "sync"});
    let holder = json!({
        "task": 9, "kind": "sync", "worker": "w1", "running": "3m20s",
        "progress": {"done": 45, "total": 100, "unit": "packages", "percent": 45,
            "estimated_end": "2026-11-16T10:04:00Z"},
    });
    let task = json!({
        "task": 17, "kind": "publish", "state": "waiting", "priority": 4,
        "resources": [{"resource": "repository:f16", "op": "read"}],
        "reasons": [{"reason": "ahead", "resource": "repository:f16", "by": by, "sentence": "It waits."}],
        "told": {"verdict": "postponed", "reasons": [{"reason": "no_worker", "kind": "publish", "sentence": "No live worker handles kind publish."}]},
        "stands_for": 3, "submitted": "2026-11-16T09:55:00Z", "tags": ["nightly"],
    });
    let then = json!({
        "task": 12, "state": "waiting",
        "causes": [{"reason": "held_by", "resource": "repository:f16", "by": holder,
            "sentence": "Task 9 (sync) holds repository:f16.", "then": {"task": 9, "state": "running", "causes": []}}],
    });
    let explanation = json!({
        "task": 17, "state": "waiting", "sentence": "Task 17 waits for task 12, which waits for task 9.",
        "causes": [{"reason": "ahead", "resource": "repository:f16", "by": by,
            "sentence": "Task 12 (sync) is ahead in the line of repository:f16.", "then": then}],
        "places": [{"resource": "repository:f16", "ahead": 2}],
    });
    Data {
        asked: 15,
        task: read(task),
        explanation: Some(read(explanation)),
        children: none(),
    }
}

#[test]
fn a_task_that_waits_shows_the_chain_of_its_causes() {
    let drawn = draw(&with(&[Scope::Read, Scope::Operate]), &waiting());
    insta::assert_snapshot!(lines(&drawn));
}

#[test]
fn a_task_that_failed_shows_its_runs_and_offers_a_retry() {
    let task = json!({
        "task": 5, "kind": "import", "state": "failed", "resources": ["shop:42"], "tries": 1, "losses": 1,
        "submitted": "2026-11-16T09:00:00Z", "started": "2026-11-16T09:10:00Z", "ended": "2026-11-16T09:11:00Z",
        "end": {"why": "failure", "message": "exit code 1", "sentence": "Its last run failed."},
        "runs": [
            {"token": "1.7", "started": "2026-11-16T09:01:00Z", "ended": "2026-11-16T09:02:00Z", "how": "lost"},
            {"token": "1.9", "worker": "w2", "started": "2026-11-16T09:10:00Z", "ended": "2026-11-16T09:11:00Z",
                "how": "failed", "message": "exit code 1", "detail": "line 1\nline 2"},
        ],
        "payload": {"full": true},
    });
    let data = Data {
        asked: 5,
        task: read(task),
        explanation: None,
        children: none(),
    };
    let drawn = draw(&with(&[Scope::Read, Scope::Operate]), &data);
    insta::assert_snapshot!(lines(&drawn));
    let drawn = draw(&with(&[Scope::Read]), &data).into_string();
    assert!(!drawn.contains("<form"), "offered to whoever may only look");
}

#[test]
fn texts_of_strangers_stay_texts() {
    let run = json!({"token": "1.7", "worker": HOSTILE, "started": "2026-11-16T09:01:00Z",
        "ended": "2026-11-16T09:02:00Z", "how": "failed", "message": HOSTILE, "detail": HOSTILE});
    let task = json!({
        "task": 5, "kind": HOSTILE, "state": "failed", "resources": [HOSTILE], "worker": HOSTILE,
        "end": {"why": "failure", "message": HOSTILE, "sentence": HOSTILE}, "runs": [run],
        "payload": {HOSTILE: HOSTILE}, "result": {"log": HOSTILE}, "tags": [HOSTILE], "schedule": HOSTILE,
    });
    let data = Data {
        asked: 5,
        task: read(task),
        explanation: None,
        children: none(),
    };
    let drawn = draw(&with(&[Scope::Read, Scope::Operate]), &data).into_string();
    assert!(!drawn.contains("<script"), "{drawn}");
    assert!(!drawn.contains("<img"), "{drawn}");
    assert!(drawn.contains("&lt;script&gt;"), "{drawn}");
}
