use super::*;
use crate::viewer::sample::{HOSTILE, lines, with};
use serde_json::json;

fn data(resource: serde_json::Value) -> Data {
    Data {
        resource: serde_json::from_value(resource).expect("a sample"),
        ended: Vec::new(),
    }
}

fn in_line(task: u64, kind: &str, op: &str) -> serde_json::Value {
    json!({
        "task": task, "kind": kind, "op": op, "priority": 4, "state": "waiting",
        "submitted": "2026-11-16T09:57:00Z",
        "reasons": [{"reason": "held_by", "resource": "repository:f16",
            "by": {"task": 1, "kind": "sync"}, "sentence": "Task 1 (sync) holds repository:f16."}],
    })
}

#[test]
fn a_line_has_a_holder_readers_side_by_side_and_a_barrier() {
    let resource = json!({
        "resource": "repository:f16", "state": "busy", "held": false, "waiting": 70,
        "holders": [{"task": 1, "kind": "sync", "worker": "w1", "running": "90s",
            "progress": {"done": 3, "total": 4, "percent": 75, "estimated_end": "2026-11-16T10:00:30Z"}}],
        "line": [in_line(2, "publish", "read"), in_line(3, "export", "read"), in_line(4, "remove", "delete")],
        "barriers": [{"task": 4, "kind": "remove"}, {"task": 6, "kind": "again"}],
        "outside": [in_line(5, "sync", "update")],
        "quotas": [{"quota": "calls", "resource": "repository:f16", "waiting": 2,
            "limits": [{"limit": "10/1s", "used": 10, "left": 0, "resets": "2026-11-16T10:00:01Z"},
                {"limit": {"at_once": 4}, "used": 1, "left": 3}]}],
        "last": [{"kind": "sync", "succeeded": {"task": 90, "ended": "2026-11-16T08:00:00Z"},
            "failed": {"task": 80, "ended": "2026-11-15T08:00:00Z", "error": "exit code 1"}}],
    });
    let drawn = draw(
        &with(&[Scope::Read, Scope::Operate, Scope::Submit]),
        &data(resource),
    );
    insta::assert_snapshot!(lines(&drawn));
}

#[test]
fn what_nobody_has_named_yet_says_how_to_name_it() {
    let resource = json!({"resource": "shop:it's", "state": "idle", "held": false, "waiting": 0,
        "holders": [], "line": []});
    let drawn = draw(&with(&[Scope::Read]), &data(resource)).into_string();
    assert!(
        drawn.contains("interlock submit sync 'shop:it'\\''s'"),
        "{drawn}"
    );
    assert!(!drawn.contains("<form"), "offered to whoever may only look");
}

#[test]
fn texts_of_strangers_stay_texts() {
    let resource = json!({
        "resource": HOSTILE, "state": "busy", "held": false, "waiting": 1,
        "holders": [{"task": 1, "kind": HOSTILE, "worker": HOSTILE, "running": "90s",
            "progress": {"done": 3, "unit": HOSTILE, "message": HOSTILE}}],
        "line": [in_line(2, HOSTILE, "read")],
        "quotas": [{"quota": HOSTILE, "resource": HOSTILE, "waiting": 2, "limits": []}],
        "last": [{"kind": HOSTILE, "failed": {"task": 80, "ended": "2026-11-15T08:00:00Z", "error": HOSTILE}}],
    });
    let drawn = draw(&with(&[Scope::Read, Scope::Operate]), &data(resource)).into_string();
    assert!(!drawn.contains("<script"), "{drawn}");
    assert!(!drawn.contains("<img"), "{drawn}");
}
