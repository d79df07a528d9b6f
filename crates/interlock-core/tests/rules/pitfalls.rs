//! What has bitten others: one test per bug that concerns the rules, with the peers that had it.

use crate::givens::REPOSITORIES;
use crate::scenario::{Random, World, name, play, play_on, resource};
use interlock_core::command::{FinishHow, Submit};
use interlock_core::reply::Answer;
use interlock_core::words::{Claim, Op, Payload, Submission};
use interlock_core::{Command, Reply};

const LIMITED: &str = "
    quota one at_once:1
    kind limited quota=one retry=1s for=1m
    register w1 limited
    register w2 limited
    register w3 limited
";

// A lock or counter kept apart from the job it belongs to is released twice or never; a limit-1 job
// ran 11 times: solid_queue PR 761, hatchet 4494, trigger.dev PR 2907, bullmq 4311.
#[test]
fn a_limit_of_one_holds_whatever_happens_to_the_runs_and_everything_ends() {
    for seed in 0..30 {
        let mut world = play(LIMITED, "");
        for shop in 1..=11 {
            world.step(&format!("submit limited shop:{shop}"));
        }
        let mut random = Random(seed);
        let mut steps = 0;
        while !world.core.live_tasks().is_empty() {
            one_mishap(&mut world, &mut random);
            assert!(
                world.core.counts().running <= 1,
                "seed {seed}: two run at once"
            );
            steps += 1;
            assert!(
                steps < 3_000,
                "seed {seed}: {} never end",
                world.step("live")
            );
        }
        assert_eq!(
            world.step("usage one"),
            "0 of at_once:1; waiting 0",
            "seed {seed}"
        );
    }
}

fn one_mishap(world: &mut World, random: &mut Random) {
    let worker = random.pick(&["w1", "w2", "w3"]);
    let last = world.workers[worker].runs.last().map(|run| run.task);
    let row = match (random.below(12), last) {
        (8, _) => format!("register {worker} limited takeover"),
        (9, _) => format!("return {worker}"),
        (10, _) => format!("at {} tick", world.at + random.below(20_000)),
        (11, _) => "crash".to_owned(),
        (0..=3, _) | (_, None) => format!("take {worker}"),
        (4, Some(task)) => format!("finish {worker} {task} ok"),
        (5, Some(task)) => format!("finish {worker} {task} fail"),
        (6, Some(task)) => format!("finish {worker} {task} release"),
        (_, Some(task)) => format!("cancel {task}"),
    };
    world.step(&row);
}

// A finish or rescue keyed by job instead of attempt: a zombie completes its successor's run:
// oban 1496, river 1302.
#[test]
fn a_zombie_cannot_finish_fail_or_beat_its_successors_run() {
    play(
        REPOSITORIES,
        "at 0    submit sync repository:f16     | accepted 1
         at 0    take w1                        | 1
         at 1s   take w2                        | parked
         at 15s  tick                           | w2 gets 1
         at 16s  finish w1 ok                   | refused: stale_token
         at 16s  finish w1 fail                 | refused: stale_token
         at 16s  finish w1 release              | refused: stale_token
         at 16s  beat w1                        | 1 gone
         at 16s  show 1                         | running on w2
         at 17s  finish w2 ok                   | succeeded
         at 18s  finish w1 ok                   | refused: stale_token",
    );
}

// The same, within one process: the first attempt's reply comes after the second attempt began.
#[test]
fn a_late_finish_of_the_first_attempt_does_not_end_the_second_on_the_same_worker() {
    play(
        REPOSITORIES,
        "at 0    submit sync repository:f16     | accepted 1
         at 0    take w1                        | 1
         at 15s  register w1 as again sync      | welcome
         at 15s  take again                     | 1
         at 16s  finish again w1/1 ok           | refused: stale_token
         at 16s  show 1                         | running on w1
         at 17s  finish again ok                | succeeded",
    );
}

// An event that arrives while the previous run is finishing is merged into it and lost: Katello
// (inserted between SELECT and UPDATE), river 1183, Expensify/Bedrock 2723.
#[test]
fn an_event_is_never_swallowed_by_a_run_that_began_before_it() {
    // The event arrives at each point of one run's life; count the runs that begin after it.
    let life = [
        "submit event host:1",
        "take w1",
        "beat w1",
        "finish w1 ok",
        "tick",
    ];
    for arrival in 0..=life.len() {
        let mut world = play(
            "kind event coalesce=latest
             register w1 event",
            "",
        );
        for (index, row) in life.iter().enumerate() {
            if index == arrival {
                world.step("submit event host:1");
            }
            world.step(row);
        }
        if arrival == life.len() {
            world.step("submit event host:1");
        }
        let further = world.step("take w1 wait=0");
        // Merged into the one that had not begun, or one more run; never nothing after it.
        let expected = if arrival <= 1 { "nothing" } else { "2" };
        assert_eq!(further, expected, "arrived at {arrival}");
    }
}

// Lost wake-up, a task waits although a worker is idle: pulpcore 2506, 6873; graphile 541;
// solid_queue 456.
#[test]
fn one_worker_and_two_tasks_under_a_millisecond_apart_are_never_stuck() {
    play(
        "kind sync
         register w1 sync",
        "at 0    take w1                        | parked
         at 5    submit sync repository:a       | accepted 1; w1 gets 1
         at 5    submit sync repository:b       | accepted 2
         at 6    take w1 ok                     | succeeded, 2
         at 6    take w1 ok                     | succeeded, parked
         at 7    submit sync repository:c       | accepted 3; w1 gets 3
         at 7    submit sync repository:c       | postponed 4: held by 3
         at 7    finish w1 ok                   | succeeded
         at 7    take w1                        | 4
         at 7    take w1 ok                     | succeeded, parked",
    );
}

#[test]
fn whatever_a_task_waited_for_its_end_wakes_an_idle_worker() {
    let waits = [
        ("submit sync shop:1 due=5s", "at 5s tick"),
        ("submit sync shop:1 hold", "release task 1"),
        ("hold kind sync ; submit sync shop:1", "release kind sync"),
        ("hold namespace ; submit sync shop:1", "release namespace"),
        (
            "hold resource shop:1 ; submit sync shop:1",
            "release resource shop:1",
        ),
        ("submit gathered shop:1", "at 3s tick"),
        ("pause quota calls 4s ; submit dear shop:1", "at 4s tick"),
        (
            "pause quota calls 4s ; submit dear shop:1",
            "pause quota calls 0",
        ),
    ];
    for (wait, end) in waits {
        let mut world = play(
            "quota calls 10/1s
             kind sync
             kind gathered coalesce=latest gather=3s
             kind dear quota=calls
             register w1 sync gathered dear",
            "",
        );
        for row in wait.split(" ; ") {
            world.step(row);
        }
        assert_eq!(world.step("take w1"), "parked", "{wait}");
        let said = world.step(end);
        assert!(said.ends_with("w1 gets 1"), "{wait}, then {end}: {said}");
    }
}

#[test]
fn whatever_a_run_blocked_its_end_wakes_an_idle_worker() {
    let ends = [
        "finish w1 ok",
        "finish w1 fail",
        "finish w1 fail again=never",
        "goodbye w1",
        "at 15s tick",
        "register w1 as again publish takeover",
    ];
    for end in ends {
        let mut world = play(
            REPOSITORIES,
            "submit sync repository:a                   | accepted 1
             take w1                                    | 1
             submit update repository:a repository:b    | postponed 2: held by 1 on repository:a
             register w3 update                         | welcome
             take w3                                    | parked",
        );
        if end.starts_with("goodbye") || end.starts_with("at") || end.starts_with("register") {
            // The task itself comes back first; it must not hide the one behind it.
            world.step("cancel 1");
        }
        let said = world.step(end);
        assert!(said.contains("w3 gets 2"), "{end}: {said}");
    }
}

// 17,000 tasks on one repository idle nine of ten workers: pulpcore 7900.
#[test]
fn seventeen_thousand_tasks_on_one_resource_idle_nobody() {
    let mut world = play("kind sync", "");
    world.checked = false;
    for worker in 1..=10 {
        world.step(&format!("register w{worker} sync"));
    }
    crowd(&mut world, 17_000);
    assert_eq!(world.step("take w1"), "1");
    for worker in 2..=10 {
        assert_eq!(world.step(&format!("take w{worker}")), "parked");
    }
    for worker in 2..=10 {
        let before = world.log.len();
        let said = world.step(&format!("submit sync repository:{worker}"));
        assert!(
            said.contains(" gets "),
            "an idle worker was not woken: {said}"
        );
        let events: usize = world.log[before..]
            .iter()
            .map(|record| record.events.len())
            .sum();
        assert!(events <= 4, "{events} events for one submission");
    }
    // And the crowd itself is handed over one by one, in order.
    assert_eq!(world.step("take w1 ok"), "succeeded, 2");
    assert_eq!(world.step("take w1 ok"), "succeeded, 3");
    world.core.check().expect("every invariant holds");
}

fn crowd(world: &mut World, count: usize) {
    let claim = Claim::new(resource("repository:crowded"), Op::Update);
    let item = Submission::new(name("sync"), vec![claim]);
    for _ in 0..count / 1_000 {
        let items = vec![item.clone(); 1_000];
        let submit = Submit {
            items,
            group: false,
            dry_run: false,
        };
        let reply = world.decide(Command::Submit(submit)).reply;
        assert!(matches!(reply, Reply::Submitted { .. }));
    }
}

// A fast path overtakes earlier waiters: pulpcore 7730.
#[test]
fn an_idle_worker_does_not_let_a_newcomer_overtake_those_who_wait() {
    play(
        REPOSITORIES,
        "submit publish repository:f16      | accepted 1
         take w1                            | 1
         submit update repository:f16       | postponed 2: held by 1
         take w2                            | parked
         # The reader could run beside the reader, and a worker is idle: still it waits its turn.
         submit publish repository:f16      | postponed 3: ahead 2
         show 3                             | waiting: ahead 2
         finish w1 ok                       | succeeded; w2 gets 2",
    );
}

// A job scheduled for later blocks its lock today: procrastinate 1599.
#[test]
fn a_task_scheduled_for_later_does_not_block_today() {
    play(
        REPOSITORIES,
        "submit delete repository:f16 due=1h    | postponed 1: scheduled until 1h
         submit update repository:f16           | accepted 2
         submit create repository:f17 due=1h    | postponed 3: scheduled until 1h
         submit create repository:f17           | accepted 4
         take w1 max=9                          | 2 4",
    );
}

// A throttled key blocks everyone behind it: celery 8119.
#[test]
fn a_throttled_task_does_not_block_those_behind_it() {
    play(
        "quota slow 1/1h
         kind throttled quota=slow
         kind free
         register w1 throttled free",
        "submit throttled shop:1            | accepted 1
         submit throttled shop:2            | accepted 2
         submit free shop:2                 | postponed 3: ahead 2
         submit free shop:3                 | accepted 4
         take w1 max=9                      | 1 3 4
         show 2                             | waiting: throttled by slow*",
    );
}

// Uniqueness as a database constraint makes retry and rescue impossible: procrastinate 1446,
// pg-boss 535.
#[test]
fn a_follow_up_does_not_make_the_retry_of_the_run_before_it_impossible() {
    play(
        "kind event coalesce=latest retry=2s
         register w1 event
         register w2 event",
        "at 0     submit event host:1            | accepted 1
         at 0     take w1                        | 1
         at 0     submit event host:1            | postponed 2: held by 1
         at 0     finish w1 fail                 | retrying at 2s
         at 2s    take w1                        | 1
         at 2s    submit event host:1            | postponed 3: held by 1
         at 3s    take w2                        | parked
         # Rescue after a loss, with the follow-up waiting.
         at 17s   handed 1 count                 | w2 gets 1; x3
         at 17s   take w2 ok                     | succeeded, parked
         at 17s   live                           | none",
    );
}

// A lock that expires while the work goes on; rescue by elapsed time alone: solid_queue 735,
// oban 1141.
#[test]
fn a_run_that_beats_is_never_rescued_however_long_it_takes() {
    let mut world = play(
        REPOSITORIES,
        "submit sync repository:f16         | accepted 1
         take w1                            | 1
         take w2                            | parked",
    );
    for second in (10..=36_000).step_by(10) {
        assert_eq!(world.step(&format!("at {second}s beat w1")), "1 go on");
    }
    play_on(
        &mut world,
        "submit sync repository:f16         | postponed 2: held by 1
         finish w1 ok                       | succeeded; w2 gets 2",
    );
}

// A reused worker name steals or orphans live work: apalis 504, oban 862.
#[test]
fn a_reused_name_neither_steals_nor_orphans_live_work() {
    play(
        REPOSITORIES,
        "at 0    submit sync repository:a           | accepted 1
         at 0    take w1                            | 1
         at 1s   register w1 as twin sync           | refused: name_in_use for 14s
         at 2s   beat w1                            | 1 go on
         at 2s   show 1                             | running on w1
         at 3s   register w1 as twin sync takeover  | welcome
         at 3s   take twin                          | 1
         at 4s   finish w1 ok                       | refused: stale_*
         at 4s   beat twin                          | 1 go on
         at 5s   finish twin ok                     | succeeded",
    );
}

// Recovery acts on a stale read, or dies half-way; 5,133 jobs stuck for up to 91 days:
// dbos-transact-py 742, 716; river 1258.
#[test]
fn five_thousand_lost_runs_all_come_back_also_if_the_rescue_dies_half_way() {
    let mut world = play("kind sync", "");
    world.checked = false;
    for worker in 0..21 {
        world.step(&format!("register w{worker} sync"));
        for shop in 0..250 {
            world.step(&format!("submit sync shop:{worker}-{shop}"));
        }
        let said = world.step(&format!("take w{worker} max=250"));
        assert_eq!(said.split(' ').count(), 250);
    }
    assert_eq!(world.core.counts().running, 5_250);
    world.advance(14_999);
    // The timers of all leases are due; the process dies after the first decision about them.
    world.at = 15_000;
    let decision = world.core.decide(world.now(), Command::Tick);
    let record = decision.record.expect("runs were lost");
    world.oracle.see(&record);
    world.log.push(record);
    world.step("crash");
    assert_eq!(world.step("at 31s counts"), "waiting 5250, running 0");
    world.core.check().expect("every invariant holds");
    world.same_after_replay();
}

// Claims computed anew on retry differ from those admitted: good_job 622.
#[test]
fn claims_are_frozen_at_admission_also_when_the_kinds_operation_changes() {
    play(
        "kind sync op=update retry=1s
         kind publish op=read
         register w1 sync publish",
        "at 0    submit sync repository:a           | accepted 1
         at 0    take w1                            | 1
         at 0    kind sync op=read retry=1s         | done
         at 0    finish w1 fail                     | retrying at 1s
         at 1s   show 1 claims                      | update repository:a
         at 1s   take w1                            | 1
         at 1s   handed 1 claims                    | update repository:a
         at 1s   submit publish repository:a        | postponed 2: held by 1
         at 1s   submit sync repository:b           | accepted 3
         at 1s   show 3 claims                      | read repository:b",
    );
}

// NUL in a payload loops for ever; one bad row fails the batch: firecrawl 4113, hatchet 4619.
#[test]
fn payloads_are_bytes() {
    let nasty: [&[u8]; 4] = [b"\0", b"a\0b", b"\xff\xfe\x00\xd8", b"{\"a\": \"\\u0000\"}"];
    let mut world = play("kind sync", "register w1 sync | welcome");
    for (bytes, shop) in nasty.iter().zip(1..) {
        let claim = Claim::new(resource(&format!("shop:{shop}")), Op::Update);
        let mut item = Submission::new(name("sync"), vec![claim]);
        item.payload = Payload::from(bytes.to_vec());
        let bad = Submission {
            priority: Some(99),
            ..item.clone()
        };
        let items = vec![bad, item];
        let submit = Submit {
            items,
            group: false,
            dry_run: false,
        };
        let Reply::Submitted { answers, .. } = world.decide(Command::Submit(submit)).reply else {
            panic!("a batch has an answer per item");
        };
        assert!(matches!(answers[0], Answer::Refused(_)));
        assert!(matches!(answers[1], Answer::Admitted(_)));
    }
    assert_eq!(world.step("take w1 max=9"), "1 2 3 4");
    for (bytes, hand_out) in nasty.iter().zip(world.handed.values()) {
        assert_eq!(hand_out.payload.bytes(), *bytes);
    }
    let result = FinishHow::Succeed {
        result: Payload::from(b"\0".to_vec()),
    };
    assert!(matches!(result, FinishHow::Succeed { .. }));
    world.same_after_replay();
}

// Commit outcome unknown, treated as failure (duplicate) or success (loss): Temporal's fault test.
#[test]
fn a_client_that_repeats_after_an_unknown_outcome_gets_exactly_one_task() {
    for lose in [0, 1] {
        let mut world = play(REPOSITORIES, "submit sync repository:a idem=k | accepted 1");
        world.step(&format!("crash lose={lose}"));
        let said = world.step("submit sync repository:a idem=k");
        assert!(said.starts_with("accepted 1"), "{said}");
        assert_eq!(world.step("live"), "1");
    }
}

// Order by timestamps: ties and clocks going back: hatchet PR 1164, Katello `created_at`.
#[test]
fn ties_are_broken_by_order_of_arrival_and_a_clock_that_goes_back_changes_nothing() {
    play(
        REPOSITORIES,
        "at 0    submit sync repository:f16     | accepted 1
         at 0    submit update repository:f16   | postponed 2: ahead 1
         at 0    wall -1h                       | -
         at 0    submit sync repository:f16     | postponed 3: ahead 1 2
         at 1s   submit update repository:f16   | postponed 4: ahead 1 2 3
         at 1s   take w1                        | 1
         at 2s   take w1 ok                     | succeeded, 2
         at 3s   take w1 ok                     | succeeded, 3
         # Leases know nothing of the wall clock.
         at 4s   wall +3h                       | -
         at 5s   beat w1                        | 3 go on
         at 6s   take w1 ok                     | succeeded, 4",
    );
}

#[test]
fn a_boot_clock_that_goes_back_is_not_believed() {
    let mut world = play(
        REPOSITORIES,
        "at 10s  submit sync repository:f16     | accepted 1
         at 10s  take w1                        | 1",
    );
    world.at = 3_000;
    assert_eq!(world.step("beat w1"), "1 go on");
    assert_eq!(world.core.now().elapsed.0, 10_000);
    world.at = 24_999;
    assert_eq!(world.step("show 1"), "running on w1");
    world.at = 25_000;
    assert!(world.step("show 1").starts_with("waiting"));
}

// A quota window stuck after midnight: oban 750.
#[test]
fn a_quota_window_slides_over_midnight_and_over_a_wall_clock_that_is_set() {
    play(
        "quota day 2/24h
         kind sync quota=day",
        "at 23h50m    register w1 sync                  | welcome
         at 23h50m    submit sync shop:1                | *1*
         at 23h50m    submit sync shop:2                | *2*
         at 23h50m    submit sync shop:3                | *3*
         at 23h50m    take w1 max=9                     | 1 2
         at 23h50m    take w1 ok                        | succeeded, succeeded, parked
         at 24h10m    show 3                            | waiting: throttled by day until 4*
         at 24h10m    wall +48h                         | -
         at 24h11m    show 3                            | waiting: throttled by day until 4*
         at 47h49m    show 3                            | waiting: throttled by day until 4*
         at 48h20m    tick                              | *w1 gets 3",
    );
}

// A default time-out silently cancels waiting work: hatchet (5 min).
#[test]
fn nothing_that_waits_is_ever_given_up_by_itself() {
    play(
        REPOSITORIES,
        "at 0       submit sync repository:a            | accepted 1
         at 720h    show 1                              | waiting: no worker for sync
         at 720h    register w9 sync                    | welcome
         at 720h    take w9                             | 1",
    );
}

// The dashboard shows a job as running on a dead worker: temporal ui 3475.
#[test]
fn no_view_shows_a_run_on_a_dead_worker() {
    play(
        REPOSITORIES,
        "at 0       submit sync repository:a            | accepted 1
         at 0       take w1                             | 1
         at 15s     workers                             | w1 lost; w2
         at 15s     resource repository:a               | queued; *waiting 1
         at 15s     counts                              | waiting 1, running 0",
    );
}

// The same where more tasks move than one decision may: the wake-up comes with one of the slices.
#[test]
fn no_wake_up_is_lost_when_thousands_become_possible_together() {
    // What each of 3,000 tasks waits for, with `#` for its number; then what ends the wait.
    let crowds = [
        ("hold kind sync", "sync shop:#", "release kind sync"),
        ("hold namespace", "sync shop:#", "release namespace"),
        (
            "hold resource shop:1",
            "sync shop:1/read shop:x#",
            "release resource shop:1",
        ),
        ("tick", "sync shop:# due=5s", "at 5s tick"),
        (
            "submit create shop:1",
            "sync shop:1/read shop:x#",
            "finish w2 ok",
        ),
        (
            "submit create shop:1",
            "sync shop:y# after=1",
            "finish w2 ok",
        ),
        ("pause quota calls 5s", "dear shop:#", "at 5s tick"),
        ("tick", "gathered shop:#", "at 3s tick"),
    ];
    for (first, crowd, end) in crowds {
        let mut world = play(
            "quota calls 1000000/1s
             kind sync
             kind dear quota=calls
             kind create op=create
             kind gathered coalesce=latest gather=3s
             register w1 sync dear gathered
             register w2 create",
            "",
        );
        world.checked = false;
        world.step(first);
        world.step("take w2");
        for number in 0..3_000 {
            world.step(&format!(
                "submit {}",
                crowd.replace('#', &number.to_string())
            ));
        }
        let parked = world.step("take w1");
        assert_eq!(parked, "parked", "{crowd}");
        let said = world.step(end);
        assert!(said.contains("w1 gets "), "{crowd}, then {end}: {said}");
        world
            .core
            .check()
            .unwrap_or_else(|broken| panic!("{crowd}: {broken}"));
    }
}

// A worker that must wade through thousands it can't have still gets the one it can.
#[test]
fn what_can_run_is_found_behind_thousands_that_cannot() {
    let crowds = [
        ("submit sync shop:1", "sync shop:1"),
        ("submit sync shop:1", "sync shop:1 shop:x#"),
        ("submit create shop:1", "sync shop:1"),
        ("hold resource shop:1", "sync shop:1/read shop:x#"),
        ("pause quota calls 10s", "dear shop:#"),
        ("submit limited shop:1", "limited shop:x#"),
        ("tick", "sync shop:# due=10s"),
        ("tick", "sync shop:# hold"),
    ];
    let mut missed = Vec::new();
    for (first, crowd) in crowds {
        let mut world = play(
            "quota calls 10/1s
             quota one at_once:1
             kind sync
             kind dear quota=calls
             kind limited quota=one
             kind create op=create
             register w1 sync dear limited create
             register w2 sync dear limited create",
            "",
        );
        world.checked = false;
        world.step(first);
        if first.starts_with("submit") {
            assert_eq!(world.step("take w2"), "1");
        }
        for number in 0..3_000 {
            let item = crowd.replace('#', &number.to_string());
            world.step(&format!("submit {item} prio=9"));
        }
        world.step("submit sync shop:free prio=0");
        let free = world
            .core
            .live_tasks()
            .last()
            .expect("it was admitted")
            .to_string();
        if world.step("take w1") != free {
            missed.push(crowd);
        }
    }
    assert_eq!(
        missed,
        Vec::<&str>::new(),
        "an idle worker waits beside a ready task"
    );
}
