//! The shape of each answer, as JSON. What changes here changes for every client.

use crate::codes::refusals;
use crate::world::World;
use interlock_api::convert::{
    explain, group, kind, namespace, quota, refusal, resource, run, schedule, status, submission,
    task, verdict, worker,
};
use interlock_api::id::RunToken;
use interlock_api::{parse, task as wire_task};
use interlock_core::command::{self, Beat, BeatRun, Finish, FinishHow, Progress, RunError};
use interlock_core::event::{EndWhy, Fired};
use interlock_core::reply::{Reply, Spending, Verdict};
use interlock_core::view::{GroupView, ScheduleView};
use interlock_core::words::{
    GroupId, Name, Namespace, Outcome, ResourceName, SessionId, TaskId, Wall,
};
use interlock_core::{Command, Refusal};

/// A world in which task 1 runs on repository:f16 and is at 45 %.
fn running() -> (World, SessionId) {
    let (mut world, session) = World::busy();
    world.submit(
        r#"{"kind": "update", "resources": ["repository:f16"], "payload": {"full": true}}"#,
    );
    let token = world.take(session, 1, 1).hand_outs[0].token;
    world.pass(1_000);
    world.decide(Command::Beat(Beat {
        session,
        runs: vec![BeatRun {
            token,
            progress: Some(Progress {
                done: 450,
                total: Some(1000),
                unit: "packages".into(),
                message: "fetching".into(),
            }),
            used: Vec::new(),
            dropped: Vec::new(),
        }],
    }));
    (world, session)
}

#[test]
fn reports() {
    let (mut world, _) = running();
    let clock = world.clock();
    let mut shown = |text: &str| verdict::answer(&world.submit(text), &clock);
    assert_shape!(
        "report_accepted",
        shown(r#"{"kind": "update", "resources": ["repository:f17"]}"#).expect("let in")
    );
    assert_shape!(
        "report_postponed",
        shown(r#"{"kind": "update", "resources": ["repository:f16"]}"#).expect("let in")
    );
    assert_shape!(
        "report_scheduled",
        shown(r#"{"kind": "update", "resources": ["repository:f16"], "due": "10m"}"#)
            .expect("let in")
    );
    shown(r#"{"kind": "sync", "resources": ["repository:f18"]}"#).expect("let in");
    assert_shape!(
        "report_coalesced",
        shown(r#"{"kind": "sync", "resources": ["repository:f18"]}"#).expect("let in")
    );
    shown(r#"{"kind": "remove", "resources": ["repository:f19"]}"#).expect("let in");
    assert_shape!(
        "problem_rejected",
        shown(r#"{"kind": "update", "resources": ["repository:f19"]}"#).expect_err("rejected")
    );
    assert_shape!(
        "problem_if_busy",
        shown(r#"{"kind": "update", "resources": ["repository:f16"], "if_busy": "reject"}"#)
            .expect_err("rejected")
    );
    assert_shape!(
        "problem_unknown_kind",
        shown(r#"{"kind": "snyc"}"#).expect_err("unknown")
    );
}

#[test]
fn statuses_of_reports() {
    let (mut world, _) = World::busy();
    let clock = world.clock();
    let mut status = |text: &str| match verdict::answer(&world.submit(text), &clock) {
        Ok(report) => report.status(),
        Err(problem) => problem.status(),
    };
    let table = [
        (
            r#"{"kind": "sync", "resources": ["a:1"], "idempotency_key": "k"}"#,
            202,
        ),
        (
            r#"{"kind": "sync", "resources": ["a:1"], "idempotency_key": "k"}"#,
            200,
        ),
        (
            r#"{"kind": "sync", "resources": ["a:2"], "idempotency_key": "k"}"#,
            422,
        ),
        (r#"{"kind": "sync", "resources": ["a:1"]}"#, 200),
        (r#"{"kind": "remove", "resources": ["a:3"]}"#, 202),
        (r#"{"kind": "update", "resources": ["a:3"]}"#, 409),
        (r#"{"kind": "nonsense"}"#, 404),
        (r#"{"kind": "call"}"#, 422),
        (r#"{"kind": "update", "priority": 10}"#, 422),
    ];
    for (text, expected) in table {
        assert_eq!(status(text), expected, "{text}");
    }
}

#[test]
fn batches_and_groups() {
    let (mut world, _) = World::busy();
    let clock = world.clock();
    let text = br#"{"items": [
        {"kind": "update", "resources": ["a:1"]},
        {"kind": "update", "resources": ["a:1", "nonsense"]},
        {"kind": "update", "resource": ["a:1"]},
        {"kind": "update", "priority": 77}
    ]}"#;
    let batch = submission::batch(parse::body(text).expect("a body")).expect("a batch");
    let answers = world.submit_all(batch.submissions.clone(), false);
    assert_shape!("batch_report", batch.report(&answers, &clock));

    let batch = submission::batch(parse::body(text).expect("a body")).expect("a batch");
    let report = batch.into_group().expect_err("items that can't be read");
    assert_eq!(report.status(), 422);
    assert_shape!("group_report_unreadable", report);

    let text = br#"{"items": [
        {"kind": "update", "resources": ["a:2"]},
        {"kind": "update", "resources": ["a:3"], "after": [{"item": 0}]}
    ]}"#;
    let batch = submission::batch(parse::body(text).expect("a body")).expect("a batch");
    let answers = world.submit_all(batch.into_group().expect("a group"), true);
    let report = submission::group_report(Some(GroupId(5)), &answers, &clock);
    assert_eq!(report.status(), 202);
    assert_shape!("group_report", report);
}

#[test]
fn tasks() {
    let (mut world, _) = running();
    world.submit(
        r#"{"kind": "update", "resources": ["repository:f16", {"resource": "a:1", "op": "read"}],
            "tags": ["nightly"], "priority": 7}"#,
    );
    world.pass(500);
    let payload = interlock_core::words::Payload::from("{\"full\":  true}");
    let clock = world.clock();
    assert_shape!(
        "task_running",
        task::live(&world.view(1), Some(&payload), &clock)
    );
    assert_shape!("task_waiting", task::live(&world.view(2), None, &clock));
    assert_shape!("task_forgotten", task::ended(TaskId(9), Outcome::Cancelled));
    let ended = wire_task::Task {
        end: Some(task::end(&EndWhy::Failure {
            error: RunError {
                message: "connection refused".into(),
                detail: "mirror.example.org".into(),
            },
        })),
        ended: Some(clock.now()),
        ..task::ended(TaskId(9), Outcome::Failed)
    };
    assert_shape!("task_failed", ended);
}

#[test]
fn explanations() {
    let (mut world, _) = running();
    world.submit(r#"{"kind": "update", "resources": ["repository:f16"]}"#);
    world.submit(r#"{"kind": "update", "resources": ["repository:f16"]}"#);
    world.pass(199_000 - 185_500);
    let explained = world.core.explain(TaskId(3)).expect("live");
    let shown = explain::explanation(&explained, &world.view(3), &world.clock());
    assert_shape!("explanation", shown);
    let explained = world.core.explain(TaskId(1)).expect("live");
    let shown = explain::explanation(&explained, &world.view(1), &world.clock());
    assert_shape!("explanation_running", shown);
}

#[test]
fn resources() {
    let (mut world, session) = running();
    world.submit(r#"{"kind": "update", "resources": ["repository:f16"]}"#);
    world.submit(r#"{"kind": "remove", "resources": ["repository:f16"]}"#);
    world.submit(r#"{"kind": "call", "resources": ["shop:42"]}"#);
    world.submit(r#"{"kind": "call", "resources": ["shop:42"]}"#);
    world.take(session, 2, 4);
    let show = |world: &World, text: &str| {
        let name = ResourceName::new(text).expect("a resource");
        let view = world.core.resource(&name);
        let task = |id: TaskId| Some(world.view(id.0));
        (
            resource::resource(&view, task, &world.clock()),
            resource::row(&view),
        )
    };
    assert_shape!("resource_busy", show(&world, "repository:f16").0);
    assert_shape!("resource_row", show(&world, "repository:f16").1);
    assert_shape!("resource_with_quota", show(&world, "shop:42").0);
    assert_shape!("resource_idle", show(&world, "host:1").0);
}

#[test]
fn definitions() {
    let full = |text: &str| {
        let kind = kind::kind(Some("sync"), parse::body(text.as_bytes()).expect("a body"));
        kind::shown(&kind.expect("a kind"))
    };
    assert_shape!("kind_by_default", full("{}"));
    assert_shape!(
        "kind_in_full",
        full(
            r#"{"name": "sync", "priority": 7, "op": "read",
                "coalesce": {"payload": "append", "gather": "3s"}, "cancels": ["remove"],
                "retry": {"waits": {"first": "1s", "most": "1h"}, "for": "6h", "tries": 5},
                "quotas": [{"quota": "calls"}, {"quota": "other", "cost": 0}],
                "on_loss": "cancel", "lease": "1m", "run_within": "2h", "grace": "30s",
                "waiting_max": 1000,
                "retention": {"succeeded": "0s", "failed": "4w"}}"#
        )
    );
    let text = br#"{"per": "shop", "limits": ["10/1s", "10000/24h", {"at_once": 4}]}"#;
    let found = quota::quota(Some("calls"), &parse::body(text).expect("a body"));
    assert_shape!("quota", quota::shown(&found.expect("a quota")));
    let (_, settings) = namespace::namespace(
        Some("shop"),
        &parse::body(b"{\"step\": \"30m\"}").expect("a body"),
    )
    .expect("a namespace");
    assert_shape!("namespace", namespace::shown("shop", &settings));
    assert_shape!(
        "namespace_default",
        namespace::shown("default", &Namespace::default())
    );
}

#[test]
fn schedules() {
    let text = br#"{"cron": "30 3 * * *", "zone": "Europe/Prague",
        "submission": {"kind": "sync", "resources": ["repository:f16"], "payload": [1,  2]}}"#;
    let found = schedule::schedule(Some("nightly"), parse::body(text).expect("a body"));
    let definition = found.expect("a schedule");
    let view = ScheduleView {
        name: definition.name.clone(),
        paused: false,
        last: Some(Wall(crate::world::START_MS)),
        last_fired: Some(Fired::Submitted {
            task: TaskId(4),
            verdict: Verdict::Postponed,
        }),
        next: Some(Wall(crate::world::START_MS + 86_400_000)),
        live: Some(TaskId(4)),
        fired: 3,
    };
    let shown = schedule::schedule_now(&view, &definition);
    assert_shape!("schedule", shown);
    let text = serde_json::to_string(&shown).expect("JSON");
    let read: interlock_api::schedule::Schedule = serde_json::from_str(&text).expect("a schedule");
    assert_eq!(read, shown, "a client can read it, payload and all");

    let text = br#"{"every": "15m", "start": "2026-11-15T10:00:00Z", "count": 3,
        "submission": {"kind": "sync"}}"#;
    let found = schedule::schedule(Some("often"), parse::body(text).expect("a body"));
    assert_shape!(
        "schedule_every",
        schedule::shown(&found.expect("a schedule"))
    );
}

#[test]
fn work() {
    let (mut world, session) = World::busy();
    world.submit(
        r#"{"kind": "update", "resources": ["repository:f16"], "payload": {"b":1,  "a":2}}"#,
    );
    world.submit(r#"{"kind": "call", "resources": ["shop:42"]}"#);
    let taken = world.take(session, 1, 4);
    let shown = run::taken(&taken, &[]);
    assert_shape!("taken", shown);
    let text = serde_json::to_string(&shown).expect("JSON");
    assert!(text.contains(r#""payload":{"b":1,  "a":2}"#), "{text}");
    let read: interlock_api::run::Taken = serde_json::from_str(&text).expect("taken");
    assert_eq!(read, shown, "a worker can read it, payload and all");

    let token = taken.hand_outs[0].token;
    world.decide(Command::Cancel {
        task: taken.hand_outs[0].task,
        all: false,
        by: None,
    });
    let beat = Beat {
        session,
        runs: (taken.hand_outs.iter())
            .map(|hand_out| BeatRun {
                token: hand_out.token,
                progress: None,
                used: Vec::new(),
                dropped: Vec::new(),
            })
            .collect(),
    };
    let Reply::Beaten(runs) = world.decide(Command::Beat(beat)) else {
        panic!("a beat is answered");
    };
    assert_shape!("beaten", run::beaten(&runs));

    let fail = |token| Finish {
        token,
        how: FinishHow::Fail {
            error: RunError {
                message: "no".into(),
                detail: "".into(),
            },
            again: command::Again::AsKindSays,
        },
        used: Vec::new(),
    };
    let tokens = [
        taken.hand_outs[1].token,
        token,
        interlock_core::words::Token {
            generation: 1,
            position: 0,
        },
    ];
    let finishes = tokens.map(fail).to_vec();
    let Reply::Finished(answers) = world.decide(Command::Finish { session, finishes }) else {
        panic!("finishes are answered");
    };
    assert_shape!("finished", run::finished(&answers, &tokens.map(RunToken)));
    assert_shape!(
        "spending",
        [
            run::spending(Spending::Granted),
            run::spending(Spending::Wait { wait_ms: 1_500 }),
        ]
    );
}

#[test]
fn workers_groups_and_counts() {
    let (world, _) = running();
    let clock = world.clock();
    let workers = world.core.workers();
    let workers: Vec<_> = (workers.iter())
        .map(|view| worker::worker(view, &clock))
        .collect();
    assert_shape!("workers", workers);
    let view = GroupView {
        group: GroupId(5),
        tasks: vec![
            (TaskId(6), Some(Outcome::Succeeded)),
            (TaskId(7), None),
            (TaskId(8), None),
        ],
    };
    let state = |task| match task {
        TaskId(7) => wire_task::State::Running,
        _ => wire_task::State::Waiting,
    };
    let after = |task| match task {
        TaskId(8) => vec![7],
        _ => Vec::new(),
    };
    let shown = group::group(&view, state, after);
    assert_shape!("group", shown);
    assert_shape!("counts", status::counts(&world.core.counts()));
}

#[test]
fn refusals_as_problems() {
    let problems: Vec<_> = refusals().iter().map(refusal::refusal).collect();
    assert_shape!("problems_of_refusals", problems);
    let cycle = refusal::of_submission(&Refusal::Cycle).in_item("items", 3);
    assert_eq!(
        cycle.to_string(),
        "items[3].after: the items wait for one another in a circle"
    );
}

#[test]
fn a_hold_shows_what_is_held() {
    let (mut world, _) = World::busy();
    let by = Name::new("ada").ok();
    world.decide(Command::Hold {
        what: command::HoldTarget::Namespace,
        by: by.clone(),
    });
    world.submit(r#"{"kind": "update", "resources": ["a:1"], "hold": true}"#);
    assert_shape!(
        "task_held",
        task::live(&world.view(1), None, &world.clock()).reasons
    );
}
