//! Caps give back-pressure; whatever breaks a rule of form is refused by a stable code, and nothing
//! is changed (design §3, §14). That a refusal changes nothing is checked in every table.

use crate::givens::REPOSITORIES;
use crate::scenario::{World, name, play, resource};
use interlock_core::command::{Beat, Submit};
use interlock_core::reply::Answer;
use interlock_core::words::{Claim, Due, Name, Op, Payload, ResourceName, Submission, TaskId};
use interlock_core::{Command, Refusal, Reply, limits};

#[test]
fn a_full_namespace_refuses_until_something_starts() {
    play(
        "namespace waiting=2
         kind sync
         register w1 sync",
        "submit sync repository:a           | accepted 1
         submit sync repository:b           | accepted 2
         submit sync repository:c           | refused: namespace_full
         take w1                            | 1
         submit sync repository:c           | accepted 3
         submit sync repository:d           | refused: namespace_full
         cancel 2                           | cancelled
         submit sync repository:d           | accepted 4",
    );
}

#[test]
fn a_full_kind_leaves_room_for_others() {
    play(
        "kind sync waiting=1
         kind update
         register w1 sync update",
        "submit sync repository:a           | accepted 1
         submit sync repository:b           | refused: kind_full
         submit update repository:b         | accepted 2",
    );
}

#[test]
fn a_full_resource_leaves_room_for_others() {
    play(
        "namespace per_resource=1
         kind sync
         register w1 sync",
        "submit sync repository:a                       | accepted 1
         submit sync repository:a                       | refused: resource_full
         submit sync repository:b repository:a          | refused: resource_full
         submit sync repository:b                       | accepted 2
         take w1 max=9                                  | 1 2
         submit sync repository:a                       | postponed 3: held by 1",
    );
}

#[test]
fn scheduled_and_held_tasks_count_as_waiting() {
    play(
        "kind sync waiting=2
         register w1 sync",
        "submit sync repository:a due=1h    | postponed 1: scheduled until 1h
         submit sync repository:b hold      | postponed 2: held: task 2
         submit sync repository:c           | refused: kind_full",
    );
}

#[test]
fn merging_needs_no_room() {
    play(
        "kind sync waiting=1 coalesce=latest
         register w1 sync",
        "submit sync repository:a           | accepted 1
         submit sync repository:a           | coalesced 1 x2, accepted
         submit sync repository:b           | refused: kind_full",
    );
}

#[test]
fn a_batch_is_cut_off_at_the_cap_item_by_item() {
    play(
        "kind sync waiting=2
         register w1 sync",
        "submit sync repository:a ; sync repository:b ; sync repository:c   | accepted 1; accepted 2; refused: kind_full",
    );
}

#[test]
fn a_group_beyond_the_cap_is_refused_as_a_whole() {
    play(
        "kind sync waiting=2
         register w1 sync",
        "group sync repository:a ; sync repository:b ; sync repository:c    | *refused: kind_full*
         live                                                               | none",
    );
}

#[test]
fn runs_that_come_back_are_never_refused_by_a_cap() {
    play(
        "kind sync waiting=1 retry=1s
         register w1 sync",
        "at 0    submit sync repository:a           | accepted 1
         at 0    take w1                            | 1
         at 0    submit sync repository:b           | accepted 2
         at 0    finish w1 fail                     | retrying at 1s
         at 0    submit sync repository:c           | refused: kind_full
         at 1s   take w1 max=2                      | 2 1",
    );
}

#[test]
fn the_cap_refusals_say_that_a_repetition_may_help() {
    let retryable = [
        Refusal::NamespaceFull { max: 1 },
        Refusal::KindFull {
            kind: name("sync"),
            max: 1,
        },
        Refusal::ResourceFull {
            resource: resource("shop:1"),
            max: 1,
        },
        Refusal::IdempotencyFull { max: 1 },
        Refusal::NameInUse {
            name: name("w1"),
            wait_ms: 1,
        },
    ];
    assert!(retryable.iter().all(Refusal::is_retryable));
    let others = [
        Refusal::Cycle,
        Refusal::StaleToken,
        Refusal::UnknownTask(TaskId(1)),
    ];
    assert!(!others.iter().any(Refusal::is_retryable));
}

#[test]
fn unknown_things_are_refused_by_name() {
    play(
        REPOSITORIES,
        "cancel 9                           | refused: unknown_task
         bump 9 9                           | refused: unknown_task
         hold task 9                        | refused: unknown_task
         drain w9                           | refused: unknown_worker
         pause quota nonsense 1s            | refused: unknown_quota
         remove quota nonsense              | refused: unknown_quota
         remove schedule nonsense           | refused: unknown_schedule
         remove kind nonsense               | refused: unknown_kind*
         kind bad quota=nonsense            | refused: unknown_quota
         schedule bad every=1h : nonsense shop:1 | *",
    );
}

#[test]
fn what_is_in_use_cannot_be_removed() {
    play(
        "quota calls 1/1s
         kind sync quota=calls
         kind idle
         register w1 sync",
        "submit sync repository:a           | accepted 1
         remove kind sync                   | refused: kind_in_use 1
         remove quota calls                 | refused: quota_in_use
         remove kind idle                   | done
         submit idle repository:a           | refused: unknown_kind, known: sync
         take w1                            | 1
         remove kind sync                   | refused: kind_in_use 1
         finish w1 ok                       | succeeded
         remove kind sync                   | done
         remove quota calls                 | done",
    );
}

#[test]
fn kinds_out_of_range_are_refused() {
    play(
        "",
        "kind bad priority=10               | refused: bad_value
         kind bad lease=999                 | refused: bad_value
         kind bad lease=301s                | refused: bad_value
         kind good lease=5m                 | done",
    );
}

#[test]
fn schedules_that_fire_too_often_are_refused() {
    play(
        "kind sync",
        "schedule bad every=99ms : sync shop:1   | refused: bad_value
         schedule good every=100ms : sync shop:1 | done",
    );
}

#[test]
fn quotas_out_of_range_are_refused() {
    play(
        "",
        "quota bad 1/0                      | refused: bad_value
         quota bad                          | refused: *
         quota good 1/1s                    | done",
    );
}

#[test]
fn submissions_out_of_range_are_refused() {
    let claims = |count: usize| -> Vec<Claim> {
        let one = |index| Claim::new(resource(&format!("shop:{index}")), Op::Read);
        (0..count).map(one).collect()
    };
    let plain = || Submission::new(name("sync"), claims(1));
    let twice = vec![
        Claim::new(resource("shop:1"), Op::Read),
        Claim::new(resource("shop:1"), Op::Read),
    ];
    let big = vec![0; limits::PAYLOAD_BYTES_MAX + 1];
    let tags = (0..=limits::TAGS_MAX)
        .map(|tag| name(&tag.to_string()))
        .collect();
    let cases = [
        (
            Submission {
                priority: Some(10),
                ..plain()
            },
            "bad_value",
        ),
        (
            Submission {
                claims: claims(limits::CLAIMS_MAX + 1),
                ..plain()
            },
            "too_many",
        ),
        (
            Submission {
                claims: twice,
                ..plain()
            },
            "duplicate_resource",
        ),
        (
            Submission {
                payload: Payload::from(big),
                ..plain()
            },
            "too_many",
        ),
        (Submission { tags, ..plain() }, "too_many"),
        (
            Submission {
                due: Some(Due::In(limits::DURATION_MS_MAX + 1)),
                ..plain()
            },
            "bad_value",
        ),
        (
            Submission {
                start_within_ms: Some(limits::DURATION_MS_MAX + 1),
                ..plain()
            },
            "bad_value",
        ),
        (
            Submission {
                kind: name("nonsense"),
                ..plain()
            },
            "unknown_kind",
        ),
    ];
    let mut world = play("", "kind sync");
    for (submission, code) in cases {
        let shown = format!("{:?}", (&submission.kind, submission.claims.len(), code));
        match submit(&mut world, submission) {
            // Where a size is a number of bytes, either word will do.
            Answer::Refused(refusal) => {
                let same = refusal.code() == code
                    || [refusal.code(), code]
                        .iter()
                        .all(|c| ["bad_value", "too_many"].contains(c));
                assert!(same, "{shown}: {refusal}");
            }
            other => panic!("{shown}: {other:?}"),
        }
    }
    let most = Submission {
        claims: claims(limits::CLAIMS_MAX),
        ..plain()
    };
    assert!(
        matches!(submit(&mut world, most), Answer::Admitted(_)),
        "the limit itself is fine"
    );
}

fn submit(world: &mut World, submission: Submission) -> Answer {
    let submit = Submit {
        items: vec![submission],
        group: false,
        dry_run: false,
    };
    match world.decide(Command::Submit(submit)).reply {
        Reply::Submitted { mut answers, .. } => answers.remove(0),
        Reply::Refused(refusal) => Answer::Refused(refusal),
        other => panic!("{other:?}"),
    }
}

#[test]
fn calls_with_too_many_items_are_refused_as_a_whole() {
    let mut world = play("kind sync", "register w1 sync | welcome");
    let item = Submission::new(name("sync"), Vec::new());
    let items = vec![item; limits::BATCH_MAX + 1];
    let submit = Submit {
        items,
        group: false,
        dry_run: false,
    };
    let reply = world.decide(Command::Submit(submit)).reply;
    assert!(
        matches!(reply, Reply::Refused(Refusal::TooMany { .. })),
        "{reply:?}"
    );
    let session = world.workers["w1"].session;
    world.step("submit sync shop:1");
    world.step("take w1");
    let token = world.workers["w1"].runs[0].token;
    let run = interlock_core::command::BeatRun {
        token,
        progress: None,
        used: Vec::new(),
        dropped: Vec::new(),
    };
    let runs = vec![run; limits::RUNS_PER_CALL_MAX + 1];
    let reply = world.decide(Command::Beat(Beat { session, runs })).reply;
    assert!(
        matches!(reply, Reply::Refused(Refusal::TooMany { .. })),
        "{reply:?}"
    );
}

#[test]
fn names_are_checked_at_the_door() {
    let long = "x".repeat(limits::NAME_BYTES_MAX + 1);
    for bad in ["", " a", "a ", "a\nb", "a\0b", &long] {
        assert!(Name::new(bad).is_err(), "{bad:?}");
    }
    for good in ["a", "nächtlicher Lauf", &"x".repeat(limits::NAME_BYTES_MAX)] {
        assert!(Name::new(good).is_ok(), "{good:?}");
    }
    for bad in ["", "shop", "shop:", ":42", "shop:\u{7}"] {
        assert!(ResourceName::new(bad).is_err(), "{bad:?}");
    }
    let nested = ResourceName::new("shop:42:orders").expect("ids may have colons");
    assert_eq!(nested.resource_type(), "shop");
}

#[test]
fn every_refusal_has_a_code_of_its_own() {
    let name = || name("x");
    let resource = || resource("a:b");
    let all = [
        Refusal::BadName {
            name: "".into(),
            why: "",
        },
        Refusal::BadValue { field: "", why: "" },
        Refusal::TooMany { what: "", max: 0 },
        Refusal::UnknownKind {
            kind: name(),
            known: Vec::new(),
        },
        Refusal::UnknownTask(TaskId(1)),
        Refusal::UnknownQuota(name()),
        Refusal::UnknownSchedule(name()),
        Refusal::UnknownGroup(1),
        Refusal::UnknownWorker(name()),
        Refusal::NamespaceFull { max: 0 },
        Refusal::KindFull {
            kind: name(),
            max: 0,
        },
        Refusal::ResourceFull {
            resource: resource(),
            max: 0,
        },
        Refusal::IdempotencyFull { max: 0 },
        Refusal::IdempotencyMismatch { key: name() },
        Refusal::DuplicateResource {
            resource: resource(),
        },
        Refusal::QuotaNeedsOneResource {
            quota: name(),
            resource_type: name(),
        },
        Refusal::ConflictsWithAncestor {
            ancestor: TaskId(1),
            resource: resource(),
        },
        Refusal::Cycle,
        Refusal::GroupNotAdmitted { item: 0 },
        Refusal::StaleSession,
        Refusal::SessionLost,
        Refusal::StaleToken,
        Refusal::StaleTake { number: 0, last: 0 },
        Refusal::NameInUse {
            name: name(),
            wait_ms: 0,
        },
        Refusal::StandsForSeveral {
            task: TaskId(1),
            count: 2,
        },
        Refusal::Running(TaskId(1)),
        Refusal::KindInUse {
            kind: name(),
            tasks: 0,
        },
        Refusal::QuotaInUse {
            quota: name(),
            kind: name(),
        },
        Refusal::SpentLocally(name()),
        Refusal::NeverEnough {
            quota: name(),
            units: 0,
        },
    ];
    let mut codes: Vec<_> = all.iter().map(Refusal::code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), all.len());
    assert!(
        codes
            .iter()
            .all(|code| code.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
    );
}
