//! Coalescing: a run satisfies every submission of the same thing that was accepted before it
//! started and was due by then (design §5, P3).

use crate::scenario::{World, play, play_on};
use interlock_core::command::Submit;
use interlock_core::reply::Answer;
use interlock_core::words::{Claim, Op, Payload, Submission, TaskId};
use interlock_core::{Command, Reply, limits};

const EVENTS: &str = "
    kind applicability coalesce=latest retry=3s,20s,30s for=10m
    kind other
    kind create op=create
    register w1 applicability other create
    register w2 applicability other create
";

#[test]
fn a_flurry_of_applicability_events_runs_once() {
    play(
        EVENTS,
        "at 0    submit applicability host:17   | accepted 1
         at 1    submit applicability host:17   | coalesced 1 x2, accepted
         at 2    submit applicability host:17   | coalesced 1 x3, accepted
         at 3    submit applicability host:18   | accepted 4
         at 4    submit applicability host:17   | coalesced 1 x4, accepted
         at 5    take w1                        | 1
         at 5    handed 1 count                 | x4
         at 6    finish w1 ok                   | succeeded
         at 7    take w1                        | 4
         at 8    take w1 ok                     | succeeded, parked",
    );
}

#[test]
fn events_that_arrive_during_the_run_cause_exactly_one_more() {
    play(
        EVENTS,
        "at 0    submit applicability host:17   | accepted 1
         at 1    take w1                        | 1
         at 2    submit applicability host:17   | postponed 2: held by 1
         at 3    submit applicability host:17   | coalesced 2 x2, postponed: held by 1
         at 4    submit applicability host:17   | coalesced 2 x3, postponed: held by 1
         at 5    finish w1 ok                   | succeeded
         at 6    take w1                        | 2
         at 7    handed 2 count                 | x3
         at 8    take w1 ok                     | succeeded, parked",
    );
}

#[test]
fn the_same_means_kind_key_and_claims() {
    play(
        "kind applicability coalesce=latest
         kind reindex coalesce=latest",
        "submit applicability host:17                   | accepted 1
         submit reindex host:17                         | postponed 2: ahead 1
         submit applicability host:17 key=errata        | postponed 3: ahead 1 2
         submit applicability host:17 key=errata        | coalesced 3 x2, postponed: ahead 1 2
         submit applicability host:17/read              | postponed 5: ahead 1 2 3
         submit applicability host:17 host:18           | postponed 6: ahead 1 2 3 5 on host:17
         submit applicability host:18 host:17           | coalesced 6 x2, postponed: ahead 1 2 3 5 on host:17
         submit applicability host:17                   | coalesced 1 x2, accepted",
    );
}

#[test]
fn what_waits_for_others_or_has_a_deadline_or_is_held_is_never_merged() {
    play(
        EVENTS,
        "submit other shop:1                                | accepted 1
         submit applicability host:17                       | accepted 2
         submit applicability host:17 after=1               | postponed 3: dependent on 1
         submit applicability host:17 start_within=1h       | postponed 4: ahead 2
         submit applicability host:17 hold                  | postponed 5: held: task 5
         submit applicability host:17                       | coalesced 2 x2, accepted",
    );
}

#[test]
fn a_kind_that_does_not_coalesce_never_merges() {
    play(
        EVENTS,
        "submit other host:17                   | accepted 1
         submit other host:17                   | postponed 2: ahead 1",
    );
}

#[test]
fn the_payload_is_the_latest_the_first_or_all_of_them() {
    play(
        "kind latest coalesce=latest
         kind first coalesce=first
         kind append coalesce=append
         register w1 latest first append",
        "submit latest host:1 payload=a         | accepted 1
         submit latest host:1 payload=b         | coalesced 1 x2, accepted
         submit latest host:1 payload=c         | coalesced 1 x3, accepted
         submit first host:2 payload=a          | accepted 4
         submit first host:2 payload=b          | coalesced 4 x2, accepted
         submit append host:3 payload=[1]       | accepted 6
         submit append host:3 payload=[2,3]     | coalesced 6 x2, accepted
         submit append host:3 payload=[]        | coalesced 6 x3, accepted
         take w1 max=3                          | 1 4 6
         handed 1 payload                       | c
         handed 4 payload                       | a
         handed 6 payload                       | [1,2,3]",
    );
}

#[test]
fn at_the_payload_limit_a_new_task_begins() {
    let mut world = play("", "kind append coalesce=append");
    let big = format!("[\"{}\"]", "x".repeat(limits::PAYLOAD_BYTES_MAX * 2 / 3));
    for task in 1..=3 {
        let Answer::Admitted(report) = submit_append(&mut world, &big) else {
            panic!("two thirds and two thirds do not fit into one");
        };
        assert_eq!(report.task, Some(TaskId(task)));
    }
}

#[test]
fn small_payloads_go_on_joining_the_task_that_began_at_the_limit() {
    let mut world = play("", "kind append coalesce=append");
    let big = format!("[\"{}\"]", "x".repeat(limits::PAYLOAD_BYTES_MAX - 100));
    let medium = format!("[\"{}\"]", "y".repeat(200));
    assert!(matches!(
        submit_append(&mut world, &big),
        Answer::Admitted(_)
    ));
    assert!(matches!(
        submit_append(&mut world, &medium),
        Answer::Admitted(_)
    ));
    let Answer::Coalesced(report) = submit_append(&mut world, &medium) else {
        panic!("there is room in the second task");
    };
    // By order of submission: the newest task gathers, the older one is closed.
    assert_eq!(report.task, Some(TaskId(2)));
}

fn submit_append(world: &mut World, payload: &str) -> Answer {
    let claim = Claim::new(crate::scenario::resource("host:17"), Op::Update);
    let mut submission = Submission::new(crate::scenario::name("append"), vec![claim]);
    submission.payload = Payload::from(payload);
    let submit = Submit {
        items: vec![submission],
        group: false,
        dry_run: false,
    };
    match world.decide(Command::Submit(submit)).reply {
        Reply::Submitted { mut answers, .. } => answers.remove(0),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_merged_task_has_the_better_rank() {
    play(
        EVENTS,
        "submit applicability host:1 prio=2     | accepted 1
         submit applicability host:2 prio=5     | accepted 2
         submit applicability host:1 prio=8     | coalesced 1 x2, accepted
         submit applicability host:2 prio=0     | coalesced 2 x2, accepted
         show 1 priority                        | priority 8
         show 2 priority                        | priority 5
         take w1 max=2                          | 1 2",
    );
}

#[test]
fn a_submission_merges_with_a_retry_and_brings_it_forward() {
    // The second wait is 20 s; the merge makes it the first one, counted from the last failure.
    play(
        EVENTS,
        "at 0    submit applicability host:17   | accepted 1
         at 0    take w1                        | 1
         at 0    take w1 fail                   | retrying at 3s, parked
         at 3s   tick                           | w1 gets 1
         at 3s   take w1 fail                   | retrying at 23s, parked
         at 4s   submit applicability host:17   | coalesced 1 x2, postponed: retrying until 6s
         at 6s   tick                           | w1 gets 1
         at 6s   handed 1 count                 | x2
         # The rung stays: the third failure waits as a third one.
         at 6s   finish w1 fail                 | retrying at 36s",
    );
}

#[test]
fn a_merge_with_a_retry_that_is_overdue_by_the_first_wait_runs_now() {
    play(
        EVENTS,
        "at 0    submit applicability host:17   | accepted 1
         at 0    take w1                        | 1
         at 0    take w1 fail                   | retrying at 3s, parked
         at 3s   tick                           | w1 gets 1
         at 3s   take w1 fail                   | retrying at 23s, parked
         at 10s  submit applicability host:17   | coalesced 1 x2, accepted; w1 gets 1",
    );
}

#[test]
fn a_merge_with_a_retry_starts_the_window_anew() {
    play(
        "kind applicability coalesce=latest retry=3m,20m for=30m
         register w1 applicability",
        "at 0     submit applicability host:17  | accepted 1
         at 0     take w1                       | 1
         at 0     take w1 fail                  | retrying at 3m, parked
         at 3m    tick                          | w1 gets 1
         at 3m    take w1 fail                  | retrying at 23m, parked
         at 20m   submit applicability host:17  | coalesced 1 x2, accepted; w1 gets 1
         # By the old window, ending at 30m, this would be the end.
         at 20m   take w1 fail                  | retrying at 40m, parked
         at 40m   tick                          | w1 gets 1
         at 40m   finish w1 fail                | failed",
    );
}

#[test]
fn a_failed_run_becomes_one_task_with_its_follow_up() {
    play(
        EVENTS,
        "at 0    submit applicability host:17   | accepted 1
         at 0    take w1                        | 1
         at 1s   submit applicability host:17   | postponed 2: held by 1
         at 2s   finish w1 fail                 | retrying at 5s
         at 2s   live                           | 1
         at 2s   show 2                         | as 1, waiting: retrying until 5s
         at 2s   show 2 count                   | as 1, x2
         at 5s   take w1                        | 1
         at 6s   take w1 ok                     | succeeded, parked
         at 6s   show 1                         | succeeded
         at 6s   show 2                         | succeeded",
    );
}

#[test]
fn a_second_failure_with_a_follow_up_waits_only_the_first_wait() {
    play(
        EVENTS,
        "at 0    submit applicability host:17   | accepted 1
         at 0    take w1                        | 1
         at 0    take w1 fail                   | retrying at 3s, parked
         at 3s   tick                           | w1 gets 1
         at 4s   submit applicability host:17   | postponed 2: held by 1
         at 5s   finish w1 fail                 | retrying at 8s
         at 5s   show 2                         | as 1, waiting: retrying until 8s",
    );
}

#[test]
fn a_lost_run_becomes_one_task_with_its_follow_up_in_its_old_place() {
    play(
        EVENTS,
        "at 0     submit applicability host:17  | accepted 1
         at 0     take w1                       | 1
         at 1s    submit other host:17          | postponed 2: held by 1
         at 2s    submit applicability host:17  | postponed 3: held by 1, ahead 2
         at 2s    take w2                       | parked
         at 15s   show 3 count                  | w2 gets 1; as 1, x2
         at 15s   take w2 ok                    | succeeded, 2",
    );
}

#[test]
fn a_released_run_becomes_one_task_with_its_follow_up() {
    play(
        EVENTS,
        "submit applicability host:17           | accepted 1
         take w1                                | 1
         submit applicability host:17 payload=b | postponed 2: held by 1
         finish w1 release                      | waiting
         live                                   | 1
         take w1                                | 1
         handed 1 payload count                 | b, x2",
    );
}

#[test]
fn cancelling_a_run_leaves_its_follow_up() {
    play(
        EVENTS,
        "submit applicability host:17           | accepted 1
         take w1                                | 1
         submit applicability host:17           | postponed 2: held by 1
         cancel 1                               | stopping
         finish w1 fail                         | cancelled
         show 1                                 | cancelled: asked
         take w1                                | 2",
    );
}

#[test]
fn what_arrives_while_the_worker_finishes_is_not_swallowed() {
    play(
        EVENTS,
        "submit applicability host:17           | accepted 1
         take w1                                | 1
         cancel 1                               | stopping
         submit applicability host:17           | postponed 2: held by 1
         finish w1 ok                           | succeeded
         show 2                                 | waiting: ready",
    );
}

#[test]
fn a_later_explicit_time_is_kept_apart() {
    play(
        EVENTS,
        "at 0    submit applicability host:17 due=5s    | postponed 1: scheduled until 5s
         at 1s   submit applicability host:17           | accepted 2
         at 1s   submit applicability host:17 due=5s    | postponed 3: scheduled until 6s
         at 2s   take w1                                | 2
         at 2s   handed 2 count                         | x1
         at 3s   take w1 ok                             | succeeded, parked
         at 5s   tick                                   | w1 gets 1
         at 5s   finish w1 ok                           | succeeded
         at 6s   take w1                                | 3",
    );
}

#[test]
fn those_due_when_a_run_starts_are_absorbed_by_it() {
    play(
        EVENTS,
        "at 0    submit other host:17                   | accepted 1
         at 0    take w1                                | 1
         at 0    submit applicability host:17 due=2s    | postponed 2: scheduled until 2s
         at 0    submit applicability host:17 due=3s    | postponed 3: scheduled until 3s
         at 0    submit applicability host:17 due=9s    | postponed 4: scheduled until 9s
         at 1s   submit applicability host:17           | postponed 5: held by 1
         at 4s   take w1 ok                             | succeeded, *
         at 4s   counts                                 | waiting 1, running 1
         at 4s   show 4                                 | waiting: scheduled until 9s
         at 5s   finish w1 ok                           | succeeded
         at 5s   show 2                                 | succeeded
         at 5s   show 3                                 | succeeded
         at 5s   show 5                                 | succeeded
         at 9s   take w1                                | 4",
    );
}

#[test]
fn one_that_becomes_due_during_the_run_is_not_satisfied_by_it() {
    play(
        EVENTS,
        "at 0    submit applicability host:17           | accepted 1
         at 0    submit applicability host:17 due=2s    | postponed 2: scheduled until 2s
         at 0    take w1                                | 1
         at 2s   show 2                                 | waiting: held by 1
         at 3s   submit applicability host:17           | coalesced 2 x2, postponed: held by 1
         at 4s   take w1 ok                             | succeeded, 2",
    );
}

#[test]
fn merging_never_crosses_a_barrier() {
    play(
        EVENTS,
        "submit applicability host:17           | accepted 1
         submit create host:17                  | postponed 2: ahead 1
         submit applicability host:17           | postponed 3: behind 2
         submit applicability host:17           | coalesced 3 x2, postponed: behind 2
         take w1 max=4                          | 1
         take w1 max=4 ok                       | succeeded, 2
         take w1 max=4 ok                       | succeeded, 3
         handed 3 count                         | x2",
    );
}

#[test]
fn merging_never_crosses_a_barrier_on_any_resource() {
    play(
        EVENTS,
        "submit applicability host:17 host:18   | accepted 1
         submit create host:18                  | postponed 2: ahead 1
         submit applicability host:17 host:18   | postponed 3: behind 2 on host:18",
    );
}

#[test]
fn a_waiting_task_that_is_held_by_its_kind_still_gathers() {
    play(
        EVENTS,
        "hold kind applicability                | done
         submit applicability host:17           | postponed 1: held: kind applicability
         submit applicability host:17           | coalesced 1 x2, postponed: held: kind applicability
         release kind applicability             | done
         take w1                                | 1
         handed 1 count                         | x2",
    );
}

#[test]
fn cancelling_one_of_several_needs_all() {
    play(
        EVENTS,
        "submit applicability host:17           | accepted 1
         submit applicability host:17           | coalesced 1 x2, accepted
         submit applicability host:17           | coalesced 1 x3, accepted
         cancel 1                               | refused: stands_for_several 3
         show 1                                 | waiting: ready
         cancel 1 all                           | cancelled
         show 1                                 | cancelled: asked",
    );
}

#[test]
fn a_follow_up_of_a_task_that_fails_for_good_is_not_lost() {
    // The design makes them one task "under the same rule"; whichever id stays, a run follows.
    let mut world = play(
        EVENTS,
        "submit applicability host:17           | accepted 1
         take w1                                | 1
         submit applicability host:17           | postponed 2: held by 1
         finish w1 fail again=never             | *",
    );
    play_on(
        &mut world,
        "at 1m  register w3 applicability       | welcome
         at 1m  take w3                         | *
         at 1m  take w3 ok                      | succeeded, parked
         at 1m  show 2                          | succeeded",
    );
}

#[test]
fn every_end_without_success_makes_one_task_of_run_and_follow_up() {
    let ends = [
        ("finish w1 fail", "retrying"),
        ("finish w1 release", "ready"),
        ("return w1", "ready"),
        ("goodbye w1", "ready"),
        ("register w1 as again applicability takeover", "ready"),
    ];
    for (end, reason) in ends {
        let mut world = play(
            EVENTS,
            "submit applicability host:17 payload=a | accepted 1
             take w1                                | 1
             submit applicability host:17 payload=b | postponed 2: held by 1",
        );
        world.step(end);
        assert_eq!(world.step("live"), "1", "{end}");
        let shown = world.step("show 2");
        assert!(
            shown.starts_with(&format!("as 1, waiting: {reason}")),
            "{end}: {shown}"
        );
        assert_eq!(world.step("show 2 count"), "as 1, x2", "{end}");
    }
}

#[test]
fn a_run_that_took_too_long_becomes_one_task_with_its_follow_up() {
    play(
        "kind event coalesce=latest within=5s grace=1s retry=3s,1h
         register w1 event",
        "at 0    submit event host:1        | accepted 1
         at 0    take w1                    | 1
         at 1s   submit event host:1        | postponed 2: held by 1
         at 6s   finish w1 fail             | retrying at 9s
         at 6s   live                       | 1
         at 9s   take w1                    | 1
         at 9s   handed 1 count             | x2",
    );
}

#[test]
fn a_follow_up_that_still_gathers_is_not_forgotten_when_the_run_fails() {
    play(
        "kind event coalesce=latest gather=3s retry=10s
         register w1 event",
        "at 0    submit event host:1        | postponed 1: gathering until 3s
         at 3s   take w1                    | 1
         at 4s   submit event host:1        | postponed 2: gathering until 7s
         at 5s   finish w1 fail             | retrying at 15s
         at 5s   take w1                    | parked
         at 15s  tick                       | *w1 gets 1
         at 15s  finish w1 ok               | succeeded
         at 15s  show 2                     | succeeded",
    );
}

#[test]
fn the_latest_payload_is_the_last_one_submitted_whatever_is_folded_into_what() {
    play(
        EVENTS,
        "at 0    submit applicability host:17 payload=a        | accepted 1
         at 0    take w1                                       | 1
         at 1s   submit applicability host:17 payload=b due=3s | postponed 2: scheduled until 4s
         at 2s   submit applicability host:17 payload=c        | postponed 3: held by 1
         at 4s   finish w1 fail                                | retrying at 7s
         at 7s   take w1                                       | 1
         at 7s   handed 1 payload count                        | c, x3",
    );
}

#[test]
fn a_merge_wakes_a_retry_only_as_far_as_the_rule_says() {
    // The first rung is shorter than the time to the retry only after the second failure.
    play(
        EVENTS,
        "at 0    submit applicability host:17   | accepted 1
         at 0    take w1                        | 1
         at 0    finish w1 fail                 | retrying at 3s
         at 1s   submit applicability host:17   | coalesced 1 x2, postponed: retrying until 3s",
    );
}

#[test]
fn a_merge_keeps_the_priority_of_a_bump() {
    play(
        EVENTS,
        "submit applicability host:17           | accepted 1
         bump 1 9                               | done
         submit applicability host:17 prio=2    | coalesced 1 x2, accepted
         show 1 priority                        | priority 9",
    );
}

#[test]
fn a_task_that_an_operator_holds_is_not_joined() {
    play(
        EVENTS,
        "submit applicability host:17           | accepted 1
         hold task 1                            | done
         submit applicability host:17           | accepted 2
         submit applicability host:17           | coalesced 2 x2, accepted",
    );
}

#[test]
fn only_appended_payloads_are_bounded_by_their_sum() {
    let mut world = play(
        "kind append coalesce=latest retry=1s
         register w1 append",
        "",
    );
    let big = format!("[\"{}\"]", "x".repeat(limits::PAYLOAD_BYTES_MAX * 2 / 3));
    assert!(matches!(
        submit_append(&mut world, &big),
        Answer::Admitted(_)
    ));
    assert!(matches!(
        submit_append(&mut world, &big),
        Answer::Coalesced(_)
    ));
    play_on(&mut world, "take w1 | 1");
    assert!(matches!(
        submit_append(&mut world, &big),
        Answer::Admitted(_)
    ));
    play_on(
        &mut world,
        "finish w1 fail     | retrying at 1s
         live               | 1
         show 1 count       | x3",
    );
}

#[test]
fn one_that_was_scheduled_brings_the_rank_of_its_due_time() {
    // Not that of its submission: it would go before the other that came meanwhile.
    play(
        EVENTS,
        "at 0    submit applicability host:17 due=4s    | postponed 1: scheduled until 4s
         at 1s   submit other host:17                   | accepted 2
         at 2s   submit applicability host:17           | postponed 3: ahead 2
         at 4s   show 1                                 | as 3, waiting: ahead 2
         at 4s   take w1                                | 2",
    );
}

#[test]
fn what_was_scheduled_is_appended_by_order_of_submission() {
    play(
        "kind append coalesce=append
         register w1 append",
        "at 0    submit append host:3 payload=[1]           | accepted 1
         at 0    submit append host:3 payload=[2] due=6s    | postponed 2: scheduled until 6s
         at 0    submit append host:3 payload=[3] due=5s    | postponed 3: scheduled until 5s
         at 1s   submit append host:3 payload=[4,5]         | coalesced 1 x2, accepted
         at 2s   submit append host:3 payload=[]            | coalesced 1 x3, accepted
         at 6s   take w1                                    | 1
         at 6s   handed 1 payload count                     | [1,2,3,4,5], x5",
    );
}

#[test]
fn nobody_joins_a_task_that_is_about_to_be_cancelled() {
    // Both times pass at once: the create is given up, and with it what came after it.
    play(
        EVENTS,
        "at 0    submit other host:17                       | accepted 1
         at 0    take w1                                    | 1
         at 0    submit applicability host:17 due=1h        | postponed 2: scheduled until 1h
         at 0    submit create host:17 start_within=10s     | postponed 3: held by 1
         at 0    submit applicability host:17               | postponed 4: behind 3
         at 1s   wall +2h                                   | -
         at 1s   show 4                                     | cancelled: *
         at 1s   show 2                                     | waiting: held by 1",
    );
}

#[test]
fn a_follow_up_behind_a_barrier_stays_there_when_the_run_fails() {
    // Also if the barrier came while the task was doomed by another; and the answer is true.
    play(
        EVENTS,
        "kind delete op=delete
         at 0    submit applicability host:17           | accepted 1
         at 0    take w1                                | 1
         at 0    finish w1 fail again=5s                | retrying at 5s
         at 1s   submit delete host:17                  | accepted 2
         at 5s   show 1                                 | waiting: doomed by 2
         at 6s   submit create host:17                  | postponed 3: behind 2
         at 7s   cancel 2                               | cancelled
         at 7s   submit applicability host:17           | postponed 4: behind 3
         at 7s   take w1                                | 1
         at 8s   finish w1 fail again=90s               | retrying at 1m38s
         at 8s   show 1                                 | waiting: retrying until 1m38s
         at 8s   show 4                                 | waiting: behind 3",
    );
}
