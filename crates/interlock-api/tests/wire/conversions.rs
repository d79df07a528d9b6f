//! Requests that are well-formed and still wrong: the code, the place, the words. And events.

use crate::world::World;
use interlock_api::convert::event::{self, Directory};
use interlock_api::convert::{kind, query, quota, run, schedule, submission, token};
use interlock_api::{Clock, Problem, page, parse};
use interlock_core::command;
use interlock_core::words::{KindId, Name, QuotaId, SessionId, TaskId, Wall};
use interlock_core::{Command, Core};

fn said<T>(outcome: Result<T, Problem>) -> String {
    match outcome {
        Ok(_) => "fine".to_owned(),
        Err(problem) => format!("{} {problem}", problem.code),
    }
}

fn submit(text: &str) -> String {
    said(parse::body(text.as_bytes()).and_then(submission::submission))
}

#[test]
fn submissions() {
    let long = "x".repeat(201);
    let deep = format!("{}{}", "[".repeat(101), "]".repeat(101));
    let fits = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let brackets = format!("\"{}\"", "[".repeat(1000));
    let large = format!("\"{}\"", "x".repeat((1 << 20) - 1));
    let just = format!("\"{}\"", "x".repeat((1 << 20) - 2));
    let table = [
        (
            r#"{"kind": ""}"#.to_owned(),
            "bad_name kind: bad name \"\": it is empty".to_owned(),
        ),
        (
            r#"{"kind": " a"}"#.to_owned(),
            "bad_name kind: bad name \" a\": it begins or ends with a blank".to_owned(),
        ),
        (
            r#"{"kind": "a\u0000"}"#.to_owned(),
            "bad_name kind: bad name \"a\\0\": it has a control character".to_owned(),
        ),
        (
            format!(r#"{{"kind": "{long}"}}"#),
            format!(
                "bad_name kind: bad name {:?}: it is too long",
                "x".repeat(64)
            ),
        ),
        (
            r#"{"kind": "a", "resources": ["a:1", "f16"]}"#.to_owned(),
            "bad_name resources[1]: bad name \"f16\": a resource is written type:id".to_owned(),
        ),
        (
            r#"{"kind": "a", "resources": [{"resource": ":1", "op": "read"}]}"#.to_owned(),
            "bad_name resources[0]: bad name \":1\": a resource is written type:id".to_owned(),
        ),
        (
            r#"{"kind": "a", "tags": ["b", ""]}"#.to_owned(),
            "bad_name tags[1]: bad name \"\": it is empty".to_owned(),
        ),
        (
            r#"{"kind": "a", "key": "\n"}"#.to_owned(),
            "bad_name key: bad name \"\\n\": it has a control character".to_owned(),
        ),
        (
            r#"{"kind": "a", "idempotency_key": ""}"#.to_owned(),
            "bad_name idempotency_key: bad name \"\": it is empty".to_owned(),
        ),
        (
            format!(r#"{{"kind": "a", "payload": {deep}}}"#),
            "too_deep payload: it nests deeper than 100 levels".to_owned(),
        ),
        (
            format!(r#"{{"kind": "a", "payload": {fits}}}"#),
            "fine".to_owned(),
        ),
        (
            format!(r#"{{"kind": "a", "payload": {brackets}}}"#),
            "fine".to_owned(),
        ),
        (
            format!(r#"{{"kind": "a", "payload": {large}}}"#),
            "payload_too_large payload: it has 1048577 bytes, at most 1048576 are allowed"
                .to_owned(),
        ),
        (
            format!(r#"{{"kind": "a", "payload": {just}}}"#),
            "fine".to_owned(),
        ),
        (
            r#"{"kind": "שלום", "resources": ["a:שלום"]}"#.to_owned(),
            "fine".to_owned(),
        ),
        (
            r#"{"kind": "שלום", "resources": ["a:\u202ex"]}"#.to_owned(),
            "bad_name resources[0]: bad name \"a:\\u{202e}x\": it has a character that changes the \
             direction of text"
                .to_owned(),
        ),
    ];
    for (text, expected) in table {
        assert_eq!(submit(&text), expected);
    }
}

#[test]
fn batches() {
    let said = |text: &str| said(parse::body(text.as_bytes()).and_then(submission::batch));
    assert_eq!(
        said(r#"{"items": []}"#),
        "bad_value items: there is nothing in it"
    );
    assert_eq!(said("{}"), "bad_request items: it is missing");
    let many = vec!["{}"; 1001].join(",");
    assert_eq!(
        said(&format!(r#"{{"items": [{many}]}}"#)),
        "too_many items: there are 1001, at most 1000 are allowed"
    );
    assert_eq!(said(r#"{"items": [7, null, [], "x", {}]}"#), "fine");
}

#[test]
fn an_item_that_cannot_be_read_has_its_place_in_the_batch() {
    let text = br#"{"items": [
        {"kind": "a", "resources": ["x:1"]},
        7,
        {"kind": "a", "resources": ["x:1", "nonsense"]},
        ["a"],
        {"kind": "a", "after": [{"item": "0"}]}
    ]}"#;
    let batch = submission::batch(parse::body(text).expect("a body")).expect("a batch");
    assert_eq!(batch.submissions.len(), 1);
    let report = batch.into_group().expect_err("not readable");
    let problems: Vec<String> = (report.outcomes.iter())
        .filter_map(|outcome| outcome.problem.as_ref())
        .map(|problem| format!("{} {problem}", problem.code))
        .collect();
    assert_eq!(
        problems,
        [
            "group_not_admitted item 1 of the group was not admitted, so none was",
            "bad_request items[1]: invalid type: integer `7`, expected struct Submission",
            "bad_name items[2].resources[1]: bad name \"nonsense\": a resource is written type:id",
            "bad_request items[3]: it must be a JSON object, not a list",
            "bad_request items[4].after[0].item: invalid type: string \"0\", expected u64",
        ]
    );
}

#[test]
fn definitions() {
    let kind = |text: &str| {
        said(parse::body(text.as_bytes()).and_then(|body| kind::kind(Some("a"), body)))
    };
    let quota = |text: &str| {
        said(parse::body(text.as_bytes()).and_then(|body| quota::quota(Some("a"), &body)))
    };
    let schedule = |text: &str| {
        said(parse::body(text.as_bytes()).and_then(|body| schedule::schedule(Some("a"), body)))
    };
    let table = [
        (kind(""), "fine"),
        (kind(r#"{"name": "a"}"#), "fine"),
        (
            kind(r#"{"name": "b"}"#),
            "bad_request name: the path names \"a\", the body \"b\"",
        ),
        (
            kind(r#"{"cancels": ["b", ""]}"#),
            "bad_name cancels[1]: bad name \"\": it is empty",
        ),
        (
            kind(r#"{"quotas": [{"quota": "q"}, {"quota": "\u0007"}]}"#),
            "bad_name quotas[1].quota: bad name \"\\u{7}\": it has a control character",
        ),
        (
            quota(r#"{"limits": ["10/1s"], "per": ""}"#),
            "bad_name per: bad name \"\": it is empty",
        ),
        (
            kind(r#"{"retry": {"tries": 0}}"#),
            "bad_value retry.tries: it must be at least one",
        ),
        (quota("{}"), "bad_request limits: it is missing"),
        (
            schedule(r#"{"submission": {"kind": "a"}}"#),
            "bad_value cron: a schedule needs cron or every",
        ),
        (
            schedule(r#"{"cron": "* * * * *", "every": "1m", "submission": {"kind": "a"}}"#),
            "bad_value every: a schedule has either cron or every",
        ),
        (
            schedule(r#"{"cron": "* * * * *", "count": 1, "submission": {"kind": "a"}}"#),
            "bad_value count: it goes with every, not cron",
        ),
        (
            schedule(r#"{"every": "1m", "zone": "UTC", "submission": {"kind": "a"}}"#),
            "bad_value zone: it goes with cron, not every",
        ),
        (
            schedule(r#"{"every": "1m", "submission": {"kind": "a", "resources": ["x"]}}"#),
            "bad_name submission.resources[0]: bad name \"x\": a resource is written type:id",
        ),
        (
            schedule(r#"{"every": "1m", "submission": {"kind": "a", "resource": "x"}}"#),
            "unknown_field submission.resource: there is no field \"resource\"",
        ),
    ];
    for (found, expected) in table {
        assert_eq!(found, expected);
    }
}

#[test]
fn work() {
    let finish = |text: &str| {
        let text = format!(r#"{{"session": 1, "finishes": [{{"token": "1.2", {text}}}]}}"#);
        let body = parse::body::<interlock_api::run::Finishes>(text.as_bytes());
        said(body.and_then(|body| run::finishes(body.finishes)))
    };
    let take = |max: u64| {
        let text = format!(r#"{{"session": 1, "number": 1, "max": {max}}}"#);
        said(parse::body(text.as_bytes()).and_then(run::take))
    };
    let register = |text: &str| said(parse::body(text.as_bytes()).and_then(run::register));
    let table = [
        (finish(r#""how": "succeed""#), "fine"),
        (
            finish(r#""how": "fail", "error": {"message": "no"}, "again": "90s""#),
            "fine",
        ),
        (
            finish(r#""how": "fail""#),
            "bad_value finishes[0].error: a run that fails must say why",
        ),
        (
            finish(r#""how": "release", "result": 1"#),
            "bad_value finishes[0].result: only a run that succeeds has a result",
        ),
        (
            finish(r#""how": "succeed", "error": {"message": "no"}"#),
            "bad_value finishes[0].error: only a run that fails has an error",
        ),
        (
            finish(r#""how": "succeed", "again": "never""#),
            "bad_value finishes[0].again: only a run that fails can ask to be tried again",
        ),
        (
            finish(r#""how": "succeed", "used": [{"quota": "", "units": 1}]"#),
            "bad_name finishes[0].used[0].quota: bad name \"\": it is empty",
        ),
        (take(1), "fine"),
        (take(0), "bad_value max: it must be from 1 to 256"),
        (take(257), "bad_value max: it must be from 1 to 256"),
        (
            register(r#"{"name": "w1", "kinds": ["a", " "]}"#),
            "bad_name kinds[1]: bad name \" \": it begins or ends with a blank",
        ),
        (
            register(r#"{"name": "w1", "kinds": [], "policies": [{"priority": 1}]}"#),
            "bad_request policies[0].name: it is missing",
        ),
    ];
    for (found, expected) in table {
        assert_eq!(found, expected);
    }
}

#[test]
fn queries() {
    let tasks = |text: &str| said(parse::query(text).and_then(|wire| query::task_filter(&wire)));
    let wait = |text: &str| said(parse::query(text).and_then(|wire| query::wait(&wire)));
    let purge =
        |text: &str| said(parse::body(text.as_bytes()).and_then(|wire| query::purge(&wire)));
    let token =
        |text: &str| said(parse::body(text.as_bytes()).and_then(|wire| token::create_token(&wire)));
    let table = [
        (tasks(""), "fine"),
        (tasks("state=waiting,running&cursor=i-17"), "fine"),
        (
            tasks("state=done"),
            "bad_request state: there is no state \"done\"",
        ),
        (
            tasks("limit=0"),
            "bad_request limit: it must be from 1 to 1000",
        ),
        (
            tasks("limit=1001"),
            "bad_request limit: it must be from 1 to 1000",
        ),
        (
            tasks("cursor=17"),
            "bad_request cursor: \"17\" is not a cursor that a list has given",
        ),
        (
            tasks("cursor=n-sync"),
            "bad_request cursor: the cursor belongs to another list",
        ),
        (
            tasks("resource=f16"),
            "bad_name resource: bad name \"f16\": a resource is written type:id",
        ),
        (tasks("kind="), "bad_name kind: bad name \"\": it is empty"),
        (wait("wait=1m&until=started"), "fine"),
        (
            wait("wait=61s"),
            "bad_value wait: it must be at most a minute",
        ),
        (
            purge("{}"),
            "bad_value a purge needs at least one of outcomes, kind, resource and ended_before",
        ),
        (purge(r#"{"outcomes": ["failed"]}"#), "fine"),
        (
            token(r#"{"name": "x", "scopes": []}"#),
            "bad_value scopes: a token without scopes allows nothing",
        ),
        (
            token(r#"{"name": "x", "scopes": ["root"]}"#),
            "bad_request scopes[0]: unknown variant `root`, expected one of `submit`, `work`, `read`, `operate`, `admin`",
        ),
    ];
    for (found, expected) in table {
        assert_eq!(found, expected);
    }
    assert_eq!(
        page::after_name(Some("n-a:1"))
            .expect("a cursor")
            .as_deref(),
        Some("a:1")
    );
}

#[test]
fn what_is_read_is_what_was_shown() {
    let texts = [
        "{}",
        r#"{"priority": 0, "op": "create", "coalesce": {}, "retry": {"waits": []}, "on_loss": {"retry": 0}}"#,
        r#"{"retry": {"waits": {"first": "1s", "most": "1h"}, "tries": 3}, "waiting_max": 5, "run_within": "90s"}"#,
    ];
    for text in texts {
        let first = kind::kind(Some("a"), parse::body(text.as_bytes()).expect("a body"));
        let first = first.expect("a kind");
        let shown = serde_json::to_vec(&kind::shown(&first)).expect("JSON");
        let again = kind::kind(Some("a"), parse::body(&shown).expect("what was shown"));
        assert_eq!(again.expect("a kind"), first);
    }
    let text = r#"{"kind":"sync","resources":["a:1",{"resource":"a:2","op":"read"}],"payload":{"x": 1},"priority":7,"due":"10m","key":"k","if_busy":"reject","start_within":"1h","after":[17,{"item":0}],"tags":["t"],"hold":true,"idempotency_key":"i","parent":"1.4711"}"#;
    let wire = parse::body(text.as_bytes()).expect("a body");
    let core = submission::submission(wire).expect("a submission");
    let shown = serde_json::to_string(&submission::shown(&core)).expect("JSON");
    assert_eq!(shown, text);
}

struct Names;

impl Directory for Names {
    fn kind(&self, kind: KindId) -> Option<Name> {
        Name::new(&format!("kind-{kind}")).ok()
    }

    fn quota(&self, _: QuotaId) -> Option<Name> {
        Name::new("calls").ok()
    }

    fn worker(&self, _: SessionId) -> Option<Name> {
        Name::new("w1").ok()
    }
}

#[test]
fn events() {
    let (mut world, session) = World::busy();
    let mut lines = Vec::new();
    let mut act = |core: &mut Core, now: interlock_core::words::Now, command| {
        let decision = core.decide(now, command);
        let record = decision.record.expect("something happened");
        for (at, happened) in record.events.iter().enumerate() {
            let position = record.position + at as u64;
            let clock = Clock::from(record.at);
            lines.extend(event::event(position, 1, happened, &Names, &clock));
        }
    };
    let now = interlock_core::words::Now {
        wall: Wall(crate::world::START_MS),
        ..interlock_core::words::Now::default()
    };
    let wire = parse::body(br#"{"kind": "update", "resources": ["a:1"], "payload": 1}"#);
    let item = submission::submission(wire.expect("a body")).expect("a submission");
    let commands = [
        Command::Submit(command::Submit {
            items: vec![item.clone(), item],
            group: true,
            dry_run: false,
        }),
        Command::Take(command::Take {
            session,
            number: 1,
            max: 1,
            wait_ms: 0,
            finishes: Vec::new(),
        }),
        Command::Cancel {
            task: TaskId(1),
            all: false,
            by: Name::new("ada").ok(),
        },
        Command::Bump {
            task: TaskId(2),
            priority: 9,
            by: None,
        },
        Command::Hold {
            what: command::HoldTarget::Kind(Name::new("update").expect("a name")),
            by: None,
        },
        Command::Cancel {
            task: TaskId(2),
            all: false,
            by: None,
        },
        Command::Goodbye { session },
    ];
    for command in commands {
        act(&mut world.core, now, command);
    }
    for line in &lines {
        let text = serde_json::to_string(line).expect("JSON");
        let read: interlock_api::event::Event = serde_json::from_str(&text).expect("an event");
        assert_eq!(read, *line);
    }
    assert_shape!("events", lines);
}
