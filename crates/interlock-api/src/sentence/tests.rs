//! Sentences, as people read them.

use super::*;
use crate::progress::ShownProgress;
use crate::span::Span;
use crate::task::State;

const NOW: &str = "2026-11-15T10:30:00Z";

fn time(text: &str) -> Time {
    text.parse().expect("a time")
}

fn waiting(task: u64, kind: &str) -> Brief {
    Brief {
        task,
        kind: kind.to_owned(),
        worker: None,
        running: None,
        progress: None,
    }
}

fn busy(task: u64, kind: &str, running: &str, percent: Option<u8>) -> Brief {
    Brief {
        worker: Some("w1".to_owned()),
        running: Some(running.parse::<Span>().expect("a span")),
        progress: percent.map(|percent| ShownProgress {
            done: 450,
            total: Some(1000),
            unit: "packages".to_owned(),
            message: String::new(),
            percent: Some(percent),
            rate: None,
            estimated_end: None,
        }),
        ..waiting(task, kind)
    }
}

fn claim(resource: &str) -> Claim {
    Claim {
        resource: resource.to_owned(),
        op: Some(Op::Update),
    }
}

fn held_by(by: Brief) -> Why {
    Why::HeldBy {
        resource: "repository:f16".to_owned(),
        by,
    }
}

fn ahead(by: Brief) -> Why {
    Why::Ahead {
        resource: "repository:f16".to_owned(),
        by,
    }
}

fn cause(why: Why, then: Option<Link>) -> Cause {
    Cause {
        sentence: reason(&why, time(NOW)),
        why,
        then: then.map(Box::new),
    }
}

fn link(task: u64, causes: Vec<Cause>) -> Link {
    Link {
        task,
        state: if causes.is_empty() {
            State::Running
        } else {
            State::Waiting
        },
        causes,
        places: Vec::new(),
    }
}

#[test]
fn each_reason_has_its_sentence() {
    let soon = time("2026-11-15T10:33:20Z");
    let resource = || "repository:f16".to_owned();
    let table = [
        (
            Why::Scheduled { until: soon },
            "It is due at 2026-11-15 10:33:20 UTC, in 3 min 20 s.",
        ),
        (
            Why::Scheduled {
                until: time("2026-11-15T10:00:00Z"),
            },
            "It is due at 2026-11-15 10:00:00 UTC, now.",
        ),
        (
            Why::Gathering {
                until: time("2026-11-15T10:30:03Z"),
            },
            "It waits so that more submissions can join it, and goes on in 3 s.",
        ),
        (
            Why::Retrying {
                until: soon,
                tries: 1,
            },
            "It failed and is tried again at 2026-11-15 10:33:20 UTC, in 3 min 20 s.",
        ),
        (
            Why::Retrying {
                until: soon,
                tries: 3,
            },
            "It failed 3 times and is tried again at 2026-11-15 10:33:20 UTC, in 3 min 20 s.",
        ),
        (
            held_by(busy(12, "sync", "3m20s", Some(45))),
            "Task 12 (sync) holds repository:f16; it has been running on worker w1 for 3 min 20 s and is at 45 %.",
        ),
        (
            held_by(waiting(12, "sync")),
            "Task 12 (sync) holds repository:f16.",
        ),
        (
            ahead(waiting(12, "sync")),
            "Task 12 (sync) is ahead in the line of repository:f16.",
        ),
        (
            Why::Behind {
                resource: resource(),
                by: waiting(12, "remove"),
            },
            "It comes after task 12 (remove), which creates or deletes repository:f16.",
        ),
        (
            Why::Doomed {
                resource: resource(),
                by: waiting(12, "remove"),
            },
            "Task 12 (remove) is about to delete repository:f16; if that succeeds, this one is cancelled.",
        ),
        (
            Why::FutureDecided {
                resource: resource(),
                by: waiting(12, "remove"),
                op: Op::Delete,
            },
            "Task 12 (remove) will delete repository:f16, and only a create can come after that.",
        ),
        (
            Why::FutureDecided {
                resource: resource(),
                by: waiting(12, "make"),
                op: Op::Create,
            },
            "Task 12 (make) will create repository:f16, which can't be created twice.",
        ),
        (
            Why::EarlierItem {
                resource: resource(),
                item: 0,
                op: Op::Delete,
            },
            "Item 0 of the group will delete repository:f16, and only a create can come after that.",
        ),
        (
            Why::Throttled {
                quota: "calls".into(),
                resource: Some("shop:42".into()),
                until: Some(soon),
            },
            "Quota calls of shop:42 has no units for it until 2026-11-15 10:33:20 UTC, in 3 min 20 s.",
        ),
        (
            Why::Throttled {
                quota: "calls".into(),
                resource: None,
                until: None,
            },
            "Quota calls has no units for it yet: others are ahead of it, or a run has to give some back.",
        ),
        (
            Why::Dependent {
                on: waiting(12, "sync"),
            },
            "It waits for task 12 (sync) to succeed.",
        ),
        (
            Why::DependencyFailed { on: 12 },
            "Task 12, which it depends on, did not succeed.",
        ),
        (
            Why::Held {
                what: HoldTarget::Task(17),
            },
            "Somebody holds it.",
        ),
        (
            Why::Held {
                what: HoldTarget::Resource(resource()),
            },
            "Somebody holds repository:f16.",
        ),
        (
            Why::Held {
                what: HoldTarget::Kind("sync".into()),
            },
            "Somebody holds kind sync.",
        ),
        (
            Why::Held {
                what: HoldTarget::Namespace,
            },
            "Somebody holds the namespace.",
        ),
        (
            Why::NoWorker {
                kind: "sync".into(),
            },
            "No live worker handles kind sync.",
        ),
        (
            Why::Ready,
            "Nothing stands in its way: the next free worker gets it.",
        ),
    ];
    for (why, sentence) in table {
        assert_eq!(reason(&why, time(NOW)), sentence);
    }
}

#[test]
fn a_chain_of_causes_is_one_sentence() {
    let busy_12 = || busy(12, "sync", "3m20s", Some(45));
    let table: Vec<(&str, Vec<Cause>, &[&str], &str)> = vec![
        (
            "update",
            vec![cause(held_by(busy_12()), Some(link(12, vec![])))],
            &["repository:f16"],
            "Task 17 (update of repository:f16) waits for task 12 (sync), which has been running on worker w1 for 3 min 20 s and is at 45 %.",
        ),
        (
            "update",
            vec![cause(
                ahead(waiting(15, "publish")),
                Some(link(
                    15,
                    vec![cause(held_by(busy_12()), Some(link(12, vec![])))],
                )),
            )],
            &["repository:f16", "repository:f17"],
            "Task 17 (update of repository:f16 and repository:f17) waits for task 15 (publish), which waits for task 12 (sync), which has been running on worker w1 for 3 min 20 s and is at 45 %.",
        ),
        (
            "update",
            vec![
                cause(held_by(busy_12()), None),
                cause(ahead(waiting(13, "sync")), None),
            ],
            &["a:1", "a:2", "a:3"],
            "Task 17 (update of a:1 and 2 more) waits for task 12 (sync), which has been running on worker w1 for 3 min 20 s and is at 45 %; task 13 is in its way too.",
        ),
        (
            "update",
            vec![
                cause(ahead(waiting(12, "sync")), None),
                cause(ahead(waiting(12, "sync")), None),
                cause(ahead(waiting(13, "sync")), None),
                cause(ahead(waiting(14, "sync")), None),
            ],
            &["a:1"],
            "Task 17 (update of a:1) waits for task 12 (sync); 2 more tasks are in its way.",
        ),
        (
            "report",
            vec![cause(
                Why::Dependent {
                    on: waiting(12, "sync"),
                },
                Some(link(
                    12,
                    vec![cause(
                        Why::NoWorker {
                            kind: "sync".into(),
                        },
                        None,
                    )],
                )),
            )],
            &[],
            "Task 17 (report) waits for the success of task 12 (sync), which waits for a worker that handles kind sync.",
        ),
        (
            "sync",
            vec![cause(
                Why::Doomed {
                    resource: "a:1".into(),
                    by: waiting(12, "remove"),
                },
                Some(link(12, vec![cause(Why::Ready, None)])),
            )],
            &["a:1"],
            "Task 17 (sync of a:1) is cancelled if task 12 (remove) deletes a:1, which waits for the next free worker.",
        ),
        (
            "sync",
            vec![cause(
                Why::Throttled {
                    quota: "calls".into(),
                    resource: Some("shop:42".into()),
                    until: Some(time("2026-11-15T12:35:00Z")),
                },
                None,
            )],
            &["shop:42"],
            "Task 17 (sync of shop:42) waits for units of quota calls of shop:42 and goes on in 2 h 5 min.",
        ),
        (
            "sync",
            vec![cause(
                Why::Held {
                    what: HoldTarget::Kind("sync".into()),
                },
                None,
            )],
            &["a:1"],
            "Task 17 (sync of a:1) waits, since somebody holds kind sync.",
        ),
        (
            "sync",
            vec![cause(
                Why::Retrying {
                    until: time("2026-11-15T10:50:00Z"),
                    tries: 2,
                },
                None,
            )],
            &["a:1"],
            "Task 17 (sync of a:1) failed twice and is tried again in 20 min.",
        ),
    ];
    for (kind, causes, resources, sentence) in table {
        let claims: Vec<Claim> = resources.iter().map(|resource| claim(resource)).collect();
        let found = explanation(&link(17, causes), kind, &claims, None, time(NOW));
        assert_eq!(found, sentence);
    }
}

#[test]
fn a_running_task_is_said_to_run() {
    let run = busy(17, "sync", "2d3h", None);
    let found = explanation(
        &link(17, vec![]),
        "sync",
        &[claim("a:1")],
        Some(&run),
        time(NOW),
    );
    let sentence = "Task 17 (sync of a:1) has been running on worker w1 for 2 d 3 h.";
    assert_eq!(found, sentence);
}

#[test]
fn lengths_of_time_have_two_units_at_most() {
    let table = [
        (0, "0 s"),
        (450, "450 ms"),
        (1_450, "1 s"),
        (59_999, "59 s"),
        (200_000, "3 min 20 s"),
        (180_000, "3 min"),
        (3_600_000, "1 h"),
        (3_660_000, "1 h 1 min"),
        (3_601_000, "1 h"),
        (100 * 86_400_000, "100 d"),
    ];
    for (ms, text) in table {
        assert_eq!(length(ms), text);
    }
}

#[test]
fn each_end_has_its_sentence() {
    let table = [
        (EndWhy::Success, "A run succeeded."),
        (
            EndWhy::Failure {
                message: "connection refused".into(),
                detail: "x".into(),
            },
            "Its last run failed, and there is no next try: connection refused",
        ),
        (
            EndWhy::WorkerLost,
            "Its worker was lost, and there is no next try.",
        ),
        (EndWhy::RanTooLong, "It ran longer than its kind allows."),
        (
            EndWhy::Asked {
                by: Some("ada".into()),
            },
            "ada cancelled it.",
        ),
        (EndWhy::Asked { by: None }, "Somebody cancelled it."),
        (EndWhy::NotStartedInTime, "It did not start in time."),
        (
            EndWhy::ResourceDeleted {
                resource: "a:1".into(),
                by: 12,
            },
            "Task 12 deleted a:1.",
        ),
        (
            EndWhy::ResourceNotCreated {
                resource: "a:1".into(),
                by: 12,
            },
            "Task 12 did not create a:1.",
        ),
        (
            EndWhy::DependencyFailed { on: 12 },
            "Task 12, which it depends on, did not succeed.",
        ),
        (
            EndWhy::FutureDecided {
                resource: "a:1".into(),
                by: 12,
            },
            "When its time came, task 12 had decided the future of a:1 against it.",
        ),
        (
            EndWhy::CancelledBy { by: 12 },
            "Task 12 came after it and cancels its kind.",
        ),
    ];
    for (why, sentence) in table {
        assert_eq!(end(&why), sentence);
    }
}
