//! Every refusal has a code, every code a page, every page a code.

use interlock_api::convert::refusal;
use interlock_api::{Code, Problem};
use interlock_core::Refusal;
use interlock_core::words::{Name, Outcome, ResourceName, TaskId};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// One refusal of each variant.
pub(crate) fn refusals() -> Vec<Refusal> {
    let name = || Name::new("sync").expect("a name");
    let resource = || ResourceName::new("repository:f16").expect("a resource");
    vec![
        Name::new("").expect_err("an empty name"),
        Refusal::BadValue {
            field: "priority",
            why: "it must be from 0 to 9",
        },
        Refusal::TooMany {
            what: "tags",
            max: 16,
        },
        Refusal::UnknownKind {
            kind: name(),
            known: vec![name()],
        },
        Refusal::UnknownTask(TaskId(17)),
        Refusal::UnknownQuota(name()),
        Refusal::UnknownSchedule(name()),
        Refusal::UnknownGroup(9),
        Refusal::UnknownWorker(name()),
        Refusal::NamespaceFull { max: 5 },
        Refusal::KindFull {
            kind: name(),
            max: 5,
        },
        Refusal::ResourceFull {
            resource: resource(),
            max: 5,
        },
        Refusal::IdempotencyFull { max: 5 },
        Refusal::IdempotencyMismatch { key: name() },
        Refusal::DuplicateResource {
            resource: resource(),
        },
        Refusal::QuotaNeedsOneResource {
            quota: name(),
            resource_type: name(),
        },
        Refusal::ConflictsWithAncestor {
            ancestor: TaskId(12),
            resource: resource(),
        },
        Refusal::Cycle,
        Refusal::GroupNotAdmitted { item: 2 },
        Refusal::StaleSession,
        Refusal::SessionLost,
        Refusal::StaleToken,
        Refusal::StaleTake { number: 3, last: 5 },
        Refusal::NameInUse {
            name: name(),
            wait_ms: 12_000,
        },
        Refusal::StandsForSeveral {
            task: TaskId(17),
            count: 3,
        },
        Refusal::Ended {
            task: TaskId(17),
            outcome: Outcome::Succeeded,
        },
        Refusal::Running(TaskId(17)),
        Refusal::KindInUse {
            kind: name(),
            tasks: 3,
        },
        Refusal::QuotaInUse {
            quota: name(),
            kind: name(),
        },
        Refusal::SpentLocally(name()),
        Refusal::NeverEnough {
            quota: name(),
            units: 20,
        },
    ]
}

#[test]
fn every_refusal_of_the_core_keeps_its_code() {
    for refused in refusals() {
        let code = refusal::code(&refused);
        assert_eq!(code.as_str(), refused.code());
        assert_eq!(code.is_retryable(), refused.is_retryable(), "{code}");
        assert!(
            code.had_no_side_effects(),
            "{code}: a refusal changes nothing"
        );
        assert!((400..500).contains(&code.status()), "{code}");
    }
}

#[test]
fn a_code_reads_as_it_is_written() {
    for code in Code::ALL {
        assert_eq!(code.as_str().parse(), Ok(*code));
        let json = serde_json::to_string(code).expect("a code is a text");
        assert_eq!(json, format!("\"{code}\""));
    }
    let unknown = "nonsense".parse::<Code>().expect_err("no such code");
    assert_eq!(unknown.to_string(), "there is no error code \"nonsense\"");
}

#[test]
fn codes_and_titles_are_told_apart() {
    let texts: BTreeSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let titles: BTreeSet<_> = Code::ALL.iter().map(|code| code.title()).collect();
    assert_eq!(texts.len(), Code::ALL.len());
    assert_eq!(titles.len(), Code::ALL.len());
}

fn pages() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors")
}

fn yes(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

#[test]
fn every_code_has_a_page_that_says_what_the_code_says() {
    let index = fs::read_to_string(pages().join("README.md")).expect("an index of codes");
    for code in Code::ALL {
        let page = fs::read_to_string(pages().join(format!("{code}.md")));
        let page = page.unwrap_or_else(|error| panic!("the page of {code}: {error}"));
        assert!(page.starts_with(&format!("# {}\n", code.title())), "{code}");
        let (again, clean) = (yes(code.is_retryable()), yes(code.had_no_side_effects()));
        let row = format!("| `{code}` | {} | {again} | {clean} |", code.status());
        assert!(page.contains(&row), "{code}: {row}");
        for part in [
            "## What it means\n\n",
            "## What to do\n\n",
            "## Example\n\n",
        ] {
            assert!(page.contains(part), "{code}: {part}");
        }
        let row = format!("| [`{code}`]({code}.md) | {} |", code.status());
        assert!(index.contains(&row), "the index: {row}");
    }
}

#[test]
fn every_page_has_a_code() {
    for entry in fs::read_dir(pages()).expect("pages") {
        let path = entry.expect("a page").path();
        let name = path.file_stem().and_then(|name| name.to_str());
        let name = name.expect("a readable name");
        assert!(name == "README" || name.parse::<Code>().is_ok(), "{name}");
    }
}

#[test]
fn the_example_of_a_page_is_a_problem_of_its_code() {
    for code in Code::ALL {
        let page = fs::read_to_string(pages().join(format!("{code}.md"))).expect("a page");
        let example = page.split("```json\n").nth(1).expect("an example");
        let example = example.split("```").next().expect("its end");
        let problem: Problem = serde_json::from_str(example).expect("a problem");
        assert_eq!(problem.code, *code);
        let written = serde_json::to_value(&problem).expect("JSON");
        let read: serde_json::Value = serde_json::from_str(example).expect("JSON");
        assert_eq!(written, read, "{code}");
    }
}

#[test]
fn a_code_of_a_newer_server_is_read_as_the_nearest() {
    let table = [
        (418, false, Code::BadRequest),
        (500, false, Code::Internal),
        (503, true, Code::OutcomeUnknown),
    ];
    for (status, retryable, nearest) in table {
        let text = format!(
            r#"{{"type": "/x", "title": "New", "status": {status}, "code": "brand_new",
                 "detail": "kind: what?", "retryable": {retryable}, "field": "kind", "other": 1}}"#
        );
        let problem: Problem = serde_json::from_str(&text).expect("a problem");
        assert_eq!(problem.code, nearest);
        assert_eq!(problem.to_string(), "kind: what?");
    }
}
