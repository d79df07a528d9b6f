//! What strangers may send: poison in every field of every request. Each is answered with a precise
//! problem or accepted; nothing panics, and nothing of it comes back raw in a message.

use crate::world::World;
use interlock_api::convert::{kind, namespace, query, quota, run, schedule, submission, token};
use interlock_api::{Code, Problem, parse};
use interlock_core::{Command, command};
use serde_json::Value;

/// Values as JSON texts: what is wrong about them is for each field to find out.
fn poisons() -> Vec<String> {
    let text = |text: &str| serde_json::to_string(text).expect("a text");
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let object = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    let mut all = vec![
        text(""),
        text(" "),
        text("\0"),
        text("a\0b"),
        text("\u{1b}[2J"),
        text("\u{202e}evil\u{2066}"),
        text("שלום עולם"),
        text("مرحبا:بالعالم"),
        text("a:\u{202e}b"),
        text("\u{feff}a"),
        text("\u{ffff}"),
        text("👩‍👩‍👧‍👦:👩‍👩‍👧‍👦"),
        text("e\u{301}".repeat(300).as_str()),
        text("../../etc/passwd"),
        text("'; DROP TABLE tasks; --"),
        text("{{7*7}}${7*7}"),
        text("null"),
        text("-1s"),
        text("99999999999999999999w"),
        text("18446744073709551615ms"),
        text("9999-12-31T23:59:59Z"),
        text("+999999-01-01T00:00:00Z"),
        text("99999999999999999999/1s"),
        text("1/99999999999999999999s"),
        text("4294967296.1"),
        text("1.18446744073709551616"),
        text("1."),
        text("."),
        text(&"x".repeat(199)),
        text(&"x".repeat(201)),
        text(&format!("a:{}", "x".repeat(399))),
        text(&"é".repeat(101)),
        text(&"x".repeat(100_000)),
        text(&":".repeat(400)),
        text("* * * * * *"),
        text("99 99 99 99 99"),
        text("Mars/Olympus"),
    ];
    all.extend(
        [
            // Lone and swapped surrogates, which no text can hold.
            r#""\ud800""#,
            r#""\udc00\ud800""#,
            r#""a:\udfff""#,
            r#""\uD83D\u0041""#,
            "null",
            "true",
            "0",
            "-0",
            "-1",
            "1.5",
            "1e2",
            "1e400",
            "-1e400",
            "18446744073709551615",
            "18446744073709551616",
            "99999999999999999999999999999999999999999999999999",
            "9007199254740993",
            "[]",
            "{}",
            "[[]]",
            "[null]",
            "[\"a:1\", \"a:1\"]",
            "{\"item\": 18446744073709551615}",
            "{\"item\": 0, \"item\": 0}",
            "{\"at_once\": 18446744073709551615}",
            "{\"retry\": 4294967295}",
            "{\"retry\": 4294967296}",
            "{\"\\u0000\": 1}",
            "{\"__proto__\": {}}",
            "nul",
            "\"open",
            "\u{0}",
            "01",
            "NaN",
            "[1,]",
            "{\"a\":1,}",
            "\"\t\"",
        ]
        .map(str::to_owned),
    );
    all.extend([
        nested(50),
        nested(100),
        nested(101),
        nested(127),
        nested(128),
        nested(200),
    ]);
    all.extend([
        nested(20_000),
        object(99),
        object(101),
        object(20_000),
        "[".repeat(20_000),
    ]);
    all.push(format!("[{}]", vec!["\"a:1\""; 5_000].join(",")));
    all
}

/// A request: a name, and a body with everything in it. Poison takes the place of each value in turn.
struct Request {
    body: &'static str,
    read: fn(&mut World, &[u8]) -> Result<(), Problem>,
}

fn requests() -> Vec<Request> {
    vec![
        Request {
            body: r#"{"kind": "update", "resources": ["a:1", {"resource": "a:2", "op": "read"}],
                "payload": {"x": 1}, "priority": 5, "due": "10m", "key": "k", "if_busy": "wait",
                "start_within": "1h", "after": [1, {"item": 0}], "tags": ["t"], "hold": true,
                "idempotency_key": "i", "parent": "1.4711"}"#,
            read: |world, bytes| {
                let item = submission::submission(parse::body(bytes)?)?;
                world.submit_all(vec![item], false);
                Ok(())
            },
        },
        Request {
            body: r#"{"items": [{"kind": "update", "resources": ["a:1"]}]}"#,
            read: |world, bytes| {
                let batch = submission::batch(parse::body(bytes)?)?;
                let answers = world.submit_all(batch.submissions.clone(), false);
                let report = batch.report(&answers, &world.clock());
                for outcome in &report.outcomes {
                    outcome.problem.iter().for_each(check_problem);
                }
                Ok(())
            },
        },
        Request {
            body: r#"{"name": "a", "priority": 5, "op": "read",
                "coalesce": {"payload": "append", "gather": "3s"}, "cancels": ["update"],
                "retry": {"waits": ["3m"], "for": "6h", "tries": 5},
                "quotas": [{"quota": "calls", "cost": 1}], "on_loss": {"retry": 3},
                "lease": "1m", "run_within": "2h", "grace": "30s", "waiting_max": 1000,
                "retention": {"succeeded": "0s", "failed": "4w", "cancelled": "1d"}}"#,
            read: |world, bytes| {
                let kind = kind::kind(None, parse::body(bytes)?)?;
                world.decide(Command::SetKind(Box::new(kind)));
                Ok(())
            },
        },
        Request {
            body: r#"{"retry": {"waits": {"first": "1s", "most": "1h"}}}"#,
            read: |_, bytes| kind::kind(Some("a"), parse::body(bytes)?).map(drop),
        },
        Request {
            body: r#"{"name": "q", "per": "shop", "limits": ["10/1s", {"at_once": 4}]}"#,
            read: |world, bytes| {
                let quota = quota::quota(None, &parse::body(bytes)?)?;
                world.decide(Command::SetQuota(Box::new(quota)));
                Ok(())
            },
        },
        Request {
            body: r#"{"for": "30s", "resource": "shop:42"}"#,
            read: |world, bytes| {
                let calls = interlock_api::convert::name("calls", "quota")?;
                let pause = quota::pause(calls, &parse::body(bytes)?)?;
                world.decide(pause);
                Ok(())
            },
        },
        Request {
            body: r#"{"name": "s", "cron": "30 3 * * *", "zone": "UTC",
                "submission": {"kind": "update", "resources": ["a:1"], "payload": 1, "due": "1m"}}"#,
            read: |world, bytes| {
                let schedule = schedule::schedule(None, parse::body(bytes)?)?;
                world.decide(Command::SetSchedule(Box::new(schedule)));
                Ok(())
            },
        },
        Request {
            body: r#"{"name": "s", "every": "1h", "start": "2026-11-15T10:00:00Z", "count": 3,
                "submission": {"kind": "update"}}"#,
            read: |world, bytes| {
                let schedule = schedule::schedule(None, parse::body(bytes)?)?;
                world.decide(Command::SetSchedule(Box::new(schedule)));
                Ok(())
            },
        },
        Request {
            body: r#"{"name": "n", "step": "1h", "waiting_max": 5, "waiting_per_resource_max": 5}"#,
            read: |_, bytes| namespace::namespace(None, &parse::body(bytes)?).map(drop),
        },
        Request {
            body: r#"{"name": "t", "namespace": "n", "scopes": ["read"]}"#,
            read: |_, bytes| token::create_token(&parse::body(bytes)?).map(drop),
        },
        Request {
            body: r#"{"outcomes": ["failed"], "kind": "a", "resource": "a:1",
                "ended_before": "2026-11-15T10:00:00Z"}"#,
            read: |_, bytes| query::purge(&parse::body(bytes)?).map(drop),
        },
        Request {
            body: r#"{"kind": "a", "error": "connection refused"}"#,
            read: |_, bytes| parse::body::<interlock_api::failure::RetryFailures>(bytes).map(drop),
        },
        Request {
            body: r#"{"all": true}"#,
            read: |_, bytes| parse::body::<interlock_api::task::Cancel>(bytes).map(drop),
        },
        Request {
            body: r#"{"priority": 9}"#,
            read: |world, bytes| {
                let bump: interlock_api::task::Bump = parse::body(bytes)?;
                world.decide(Command::Bump {
                    task: interlock_core::words::TaskId(1),
                    priority: bump.priority,
                    by: None,
                });
                Ok(())
            },
        },
        Request {
            body: r#"{"name": "w2", "kinds": ["update"], "takeover": true,
                "policies": [{"name": "new", "lease": "1m"}]}"#,
            read: |world, bytes| {
                let (_, register) = run::register(parse::body(bytes)?)?;
                world.decide(Command::Register(register));
                Ok(())
            },
        },
        Request {
            body: r#"{"session": 1, "number": 1, "max": 1, "wait": "1s", "finishes": [
                {"token": "1.5", "how": "succeed", "result": {"x": 1},
                 "used": [{"quota": "calls", "units": 1}]}]}"#,
            read: |world, bytes| {
                let take = run::take(parse::body(bytes)?)?;
                world.decide(Command::Take(take));
                Ok(())
            },
        },
        Request {
            body: r#"{"session": 1, "runs": [{"token": "1.5",
                "progress": {"done": 1, "total": 2, "unit": "u", "message": "m"},
                "used": [{"quota": "calls", "units": 1}],
                "dropped": [{"quota": "calls", "units": 1}]}]}"#,
            read: |world, bytes| {
                let beat = run::beat(parse::body(bytes)?)?;
                world.decide(Command::Beat(beat));
                Ok(())
            },
        },
        Request {
            body: r#"{"session": 1, "token": "1.5", "progress": {"done": 1, "message": "m"}}"#,
            read: |_, bytes| parse::body::<interlock_api::run::ReportProgress>(bytes).map(drop),
        },
        Request {
            body: r#"{"session": 1, "finishes": [{"token": "1.5", "how": "fail",
                "error": {"message": "m", "detail": "d"}, "again": "90s"}]}"#,
            read: |world, bytes| {
                let wire: interlock_api::run::Finishes = parse::body(bytes)?;
                let session = interlock_core::words::SessionId(wire.session);
                let finishes = run::finishes(wire.finishes)?;
                world.decide(Command::Finish { session, finishes });
                Ok(())
            },
        },
        Request {
            body: r#"{"session": 1, "token": "1.5", "quota": "calls", "units": 1}"#,
            read: |world, bytes| {
                let spend: command::Spend = run::spend(&parse::body(bytes)?)?;
                world.decide(Command::Spend(spend));
                Ok(())
            },
        },
        Request {
            body: r#"{"session": 1}"#,
            read: |_, bytes| parse::body::<interlock_api::run::Goodbye>(bytes).map(drop),
        },
    ]
}

/// Where every value of a body begins, as JSON pointers.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                places(field, &format!("{at}/{name}"), all);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{at}/{index}"), all);
            }
        }
        _ => {}
    }
}

/// The body with the value at this place taken out, and poison put in as it is written.
fn poisoned(body: &Value, at: &str, poison: &str) -> String {
    const MARK: &str = "\"the poison goes here\"";
    let mut body = body.clone();
    let place = body.pointer_mut(at).expect("a place");
    *place = serde_json::from_str(MARK).expect("a mark");
    body.to_string().replace(MARK, poison)
}

fn check_problem(problem: &Problem) {
    let shown = serde_json::to_string(problem).expect("a problem is JSON");
    assert!(shown.len() < 8_000, "{} bytes: {problem}", shown.len());
    assert!((400..500).contains(&problem.status()), "{problem}");
    assert!(!problem.detail.is_empty());
    let raw = |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
    assert!(!problem.to_string().contains(raw), "{problem:?}");
}

#[test]
fn every_field_of_every_request_stands_poison() {
    let poisons = poisons();
    let (mut world, _) = World::busy();
    let (mut refused, mut taken) = (0_u64, 0_u64);
    for request in requests() {
        (request.read)(&mut world, request.body.as_bytes()).expect("the body itself is fine");
        let body: Value = serde_json::from_str(request.body).expect("JSON");
        let mut all = Vec::new();
        places(&body, "", &mut all);
        for at in &all {
            for poison in &poisons {
                let text = poisoned(&body, at, poison);
                match (request.read)(&mut world, text.as_bytes()) {
                    Ok(()) => taken += 1,
                    Err(problem) => {
                        check_problem(&problem);
                        let placed = problem.more.field.is_some() || at.is_empty();
                        let precise = placed || problem.code == Code::BadJson;
                        assert!(precise, "{at} in {problem:?}");
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(refused > 5_000, "{refused} refused");
    assert!(taken > 300, "{taken} taken");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    for request in requests() {
        let (mut world, _) = World::busy();
        for byte in [0x00, 0x80, 0xc0, 0xfe, 0xff] {
            for at in [0, 1, request.body.len() / 2, request.body.len() - 1] {
                let mut bytes = request.body.as_bytes().to_vec();
                bytes[at] = byte;
                if let Err(problem) = (request.read)(&mut world, &bytes) {
                    check_problem(&problem);
                }
                bytes.truncate(at);
                if let Err(problem) = (request.read)(&mut world, &bytes) {
                    check_problem(&problem);
                }
            }
        }
    }
}

#[test]
fn query_strings_stand_poison() {
    let fields = [
        "state", "kind", "resource", "worker", "tag", "schedule", "group", "since", "until",
        "cursor", "limit", "nonsense",
    ];
    let values = [
        "",
        "%00",
        "%ff",
        "%ed%a0%80",
        "%E2%80%AEx",
        "%",
        "%zz",
        "a%3A1",
        "-1",
        "99999999999999999999",
        "1e5",
        "i-",
        "i--1",
        "n-",
        "i-99999999999999999999",
        "+",
        "%F0%9F%92%A9",
        ",,,",
        "waiting,,",
    ];
    for field in fields {
        for value in values {
            let text = format!("{field}={value}&{field}2={value}");
            let text = if value.len() % 2 == 0 {
                text
            } else {
                format!("{field}={value}")
            };
            let read = parse::query(&text).and_then(|wire| query::task_filter(&wire));
            if let Err(problem) = read {
                check_problem(&problem);
            }
            let read = parse::query(&text).and_then(|wire| query::wait(&wire));
            if let Err(problem) = read {
                check_problem(&problem);
            }
        }
    }
}
