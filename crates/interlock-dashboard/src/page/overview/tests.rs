use super::*;
use crate::viewer::sample::{lines, with};
use serde_json::json;

fn totals(succeeded: u64, failed: u64) -> serde_json::Value {
    json!({"accepted": 9, "postponed": 3, "coalesced": 0, "rejected": 0, "refused": 0, "started": succeeded + failed,
        "succeeded": succeeded, "failed": failed, "released": 0, "lost": 0, "stopped": 0})
}

fn stretch(step: &str) -> serde_json::Value {
    json!({
        "step": step, "counts": totals(5, 2), "waits": {"tasks": 7, "p50": "120ms", "p95": "3s", "max": "4s"},
        "buckets": [
            {"from": "2026-11-16T09:57:00Z", "counts": totals(4, 1), "waits": {"tasks": 5, "p50": "100ms", "p95": "3s", "max": "4s"}},
            {"from": "2026-11-16T09:58:00Z", "counts": totals(1, 1), "waits": {"tasks": 2, "p50": "200ms", "p95": "300ms", "max": "300ms"}},
        ],
    })
}

fn data() -> Data {
    let overview = json!({
        "namespace": "default", "version": "0.0.0", "now": "2026-11-16T10:00:00Z", "held": true,
        "counts": {"waiting": 12, "running": 1, "resources": 3, "sessions": 2, "idle_workers": 1},
        "totals": totals(5, 2),
        "stages": [{"stage": "running", "tasks": 1}, {"stage": "in_line", "tasks": 9}, {"stage": "no_worker", "tasks": 3}],
        "kinds": [
            {"kind": "sync", "running": 1, "waiting": 9, "staffed": true, "held": false, "oldest": "2026-11-16T08:00:00Z"},
            {"kind": "it's", "running": 0, "waiting": 3, "staffed": false, "held": false, "oldest": "2026-11-16T09:59:00Z"},
        ],
        "lines": [{"resource": "repository:f16", "state": "failing", "running": 0, "waiting": 9,
            "first": {"task": 2, "kind": "sync", "op": "update", "priority": 4, "state": "waiting",
                "submitted": "2026-11-16T08:00:00Z",
                "reasons": [{"reason": "retrying", "until": "2026-11-16T10:03:00Z", "tries": 2, "sentence": "It failed twice."}]}}],
        "quotas": [{"quota": "calls", "waiting": 4, "next": "2026-11-16T10:00:09Z", "limits": []}],
    });
    let activity = json!({"now": "2026-11-16T10:00:00Z", "since": "2026-11-16T09:57:00Z",
        "hour": stretch("1m"), "day": stretch("15m")});
    let worker = json!({"name": "w9", "state": "lost", "session": 4, "kinds": [], "running": [], "heard": "2026-11-16T09:58:00Z"});
    let failed = |task: u64, ended: &str| {
        json!({"task": task, "kind": "sync", "state": "failed", "resources": ["repository:f16"], "ended": ended,
            "end": {"why": "failure", "message": "exit code 1", "sentence": "Its last run failed."}})
    };
    let failed = json!({"items": [failed(8, "2026-11-16T09:59:00Z"), failed(7, "2026-11-16T09:30:00Z"),
        failed(1, "2026-11-15T09:30:00Z")]});
    Data {
        overview: serde_json::from_value(overview).expect("a sample"),
        running: Listed {
            items: Vec::new(),
            next: None,
            as_of: None,
        },
        activity: serde_json::from_value(activity).expect("a sample"),
        failed: serde_json::from_value(failed).expect("a sample"),
        workers: vec![serde_json::from_value(worker).expect("a sample")],
    }
}

#[test]
fn what_needs_attention_comes_first_and_plots_say_it_in_words_too() {
    let drawn = draw(&with(&[Scope::Read, Scope::Operate]), &data());
    insta::assert_snapshot!(lines(&drawn));
}

#[test]
fn a_server_where_nothing_has_happened_says_what_to_type() {
    let mut data = data();
    data.overview.counts = Default::default();
    data.overview.totals = Default::default();
    data.failed.items.clear();
    let drawn = draw(&with(&[Scope::Read]), &data).into_string();
    assert!(drawn.contains("interlock kinds set sync"), "{drawn}");
}
