//! `finish`: success, failure with the retry ladder and its window, release; stale and repeated
//! finishes (design §7, §8).

use crate::givens::HOSTS;
use crate::scenario::{World, play, play_on};
use interlock_core::command::{Again, Finish, FinishHow, RunError};
use interlock_core::event::{Event, RunEnd};
use interlock_core::reply::Finished;
use interlock_core::words::Payload;
use interlock_core::{Command, Reply};

#[test]
fn the_ladder_is_3_minutes_20_minutes_3_hours_24_hours() {
    // The default, and Vela's. With a window of three days a sixth run would come too late.
    play(
        "kind regular_download
         register w1 regular_download",
        "at 0         submit regular_download shop:42   | accepted 1
         at 0         take w1                           | 1
         at 0         take w1 fail                      | retrying at 3m, parked
         at 3m        tick                              | w1 gets 1
         at 3m        take w1 fail                      | retrying at 23m, parked
         at 23m       tick                              | w1 gets 1
         at 23m       take w1 fail                      | retrying at 3h23m, parked
         at 3h23m     tick                              | w1 gets 1
         at 3h23m     take w1 fail                      | retrying at 27h23m, parked
         at 27h23m    tick                              | w1 gets 1
         at 27h23m    take w1 fail                      | retrying at 51h23m, parked
         at 51h23m    tick                              | w1 gets 1
         at 51h23m    finish w1 fail error=etsy_is_down | failed
         at 51h23m    show 1                            | failed: etsy_is_down",
    );
}

#[test]
fn each_kind_has_its_own_waits() {
    play(
        "kind quick retry=1s
         kind slow retry=1h
         register w1 quick slow",
        "submit quick shop:1                | accepted 1
         submit slow shop:2                 | accepted 2
         take w1                            | 1
         finish w1 fail                     | retrying at 1s
         take w1                            | 2
         finish w1 fail                     | retrying at 1h",
    );
}

#[test]
fn the_window_bounds_the_elapsed_time_not_the_count() {
    // Katello: every three minutes for six hours, however many tries that is.
    let mut world = play(HOSTS, "take w1 | parked");
    assert_eq!(
        world.step("submit remove_queue host:17"),
        "accepted 1; w1 gets 1"
    );
    let mut tries = 1;
    for minute in (3..=360).step_by(3) {
        let said = world.step(&format!("at {}m take w1 fail", minute - 3));
        assert!(said.starts_with("retrying at"), "at {minute}m: {said}");
        assert_eq!(world.step(&format!("at {minute}m tick")), "w1 gets 1");
        tries += 1;
    }
    assert_eq!(tries, 121);
    play_on(
        &mut world,
        "at 6h  show 1 tries    | tries 120, losses 0
         at 6h  finish w1 fail  | failed",
    );
}

#[test]
fn the_window_counts_from_the_first_run_not_from_the_submission() {
    play(
        "kind remove_queue retry=3h for=6h
         register w1 remove_queue",
        "at 0     submit remove_queue host:17 due=10h    | postponed 1: scheduled until 10h
         at 0     take w1                               | parked
         at 10h   tick                                  | w1 gets 1
         at 10h   take w1 fail                          | retrying at 13h, parked
         at 13h   tick                                  | w1 gets 1
         at 13h   take w1 fail                          | retrying at 16h, parked
         at 16h   tick                                  | w1 gets 1
         at 16h   finish w1 fail                        | failed",
    );
}

#[test]
fn if_the_next_try_would_be_too_late_it_has_failed_now() {
    play(
        "kind sync retry=10s for=15s
         register w1 sync",
        "at 0     submit sync shop:1        | accepted 1
         at 0     take w1                   | 1
         at 2s    take w1 fail              | retrying at 12s, parked
         at 12s   tick                      | w1 gets 1
         at 12s   finish w1 fail            | failed",
    );
}

#[test]
fn the_last_rung_repeats() {
    play(
        "kind sync retry=1s,2s
         register w1 sync",
        "at 0     submit sync shop:1        | accepted 1
         at 0     take w1                   | 1
         at 0     take w1 fail              | retrying at 1s, parked
         at 1s    tick                      | w1 gets 1
         at 1s    take w1 fail              | retrying at 3s, parked
         at 3s    tick                      | w1 gets 1
         at 3s    take w1 fail              | retrying at 5s, parked
         at 5s    tick                      | w1 gets 1
         at 5s    take w1 fail              | retrying at 7s, parked",
    );
}

#[test]
fn a_kind_may_limit_the_tries_or_have_none() {
    play(
        "kind twice retry=1s tries=2
         kind once retry=none
         register w1 twice once",
        "at 0     submit once shop:2        | accepted 1
         at 0     take w1                   | 1
         at 0     finish w1 fail            | failed
         at 0     submit twice shop:1       | accepted 2
         at 0     take w1                   | 2
         at 0     take w1 fail              | retrying at 1s, parked
         at 1s    tick                      | w1 gets 2
         at 1s    finish w1 fail            | failed",
    );
}

#[test]
fn the_worker_may_say_not_again() {
    play(
        "kind sync
         register w1 sync",
        "submit sync shop:1                             | accepted 1
         take w1                                        | 1
         finish w1 fail error=no_such_shop again=never  | failed
         show 1                                         | failed: no_such_shop",
    );
}

#[test]
fn the_worker_may_say_again_in_ninety_seconds() {
    play(
        "kind sync retry=3m,20m
         register w1 sync",
        "at 0     submit sync shop:1            | accepted 1
         at 0     take w1                       | 1
         at 0     take w1 fail again=90s        | retrying at 1m30s, parked
         at 90s   tick                          | w1 gets 1
         at 90s   show 1 tries                  | tries 1, losses 0",
    );
}

#[test]
fn again_in_beyond_the_window_is_the_end() {
    play(
        "kind sync retry=3m for=10m
         register w1 sync",
        "submit sync shop:1                     | accepted 1
         take w1                                | 1
         finish w1 fail again=11m               | failed",
    );
}

#[test]
fn a_failed_task_blocks_no_one_while_it_waits_for_its_retry() {
    play(
        "kind sync retry=3m
         register w1 sync",
        "submit sync shop:1                     | accepted 1
         submit sync shop:1                     | postponed 2: ahead 1
         take w1                                | 1
         take w1 fail                           | retrying at 3m, 2",
    );
}

#[test]
fn releasing_a_run_is_no_failure() {
    play(
        "kind sync retry=none
         register w1 sync",
        "submit sync shop:1                     | accepted 1
         take w1                                | 1
         finish w1 release                      | waiting
         show 1 tries                           | tries 0, losses 0
         take w1                                | 1
         finish w1 ok                           | succeeded",
    );
}

#[test]
fn a_repeated_finish_gets_its_first_answer() {
    play(
        "kind sync retry=1m
         register w1 sync",
        "at 0    submit sync shop:1             | accepted 1
         at 0    submit sync shop:2             | accepted 2
         at 0    take w1 max=2                  | 1 2
         at 1s   finish w1 1 ok                 | succeeded
         at 2s   finish w1 1 ok                 | succeeded
         at 2s   finish w1 2 fail               | retrying at 1m2s
         at 3s   finish w1 2 fail               | retrying at 1m2s
         at 3s   show 2 tries                   | tries 1, losses 0",
    );
}

#[test]
fn a_repeated_finish_does_not_touch_the_next_run_of_the_task() {
    play(
        "kind sync retry=1s
         register w1 sync",
        "at 0    submit sync shop:1             | accepted 1
         at 0    take w1                        | 1
         at 0    finish w1 1#1 fail             | retrying at 1s
         at 1s   take w1                        | 1
         at 2s   finish w1 1#1 fail             | retrying at 1s
         at 2s   show 1                         | running on w1
         at 2s   finish w1 1#2 ok               | succeeded",
    );
}

#[test]
fn another_sessions_token_finishes_nothing() {
    play(
        "kind sync
         register w1 sync
         register w2 sync",
        "submit sync shop:1                     | accepted 1
         take w1                                | 1
         finish w2 w1/1 ok                      | refused: stale_token
         show 1                                 | running on w1",
    );
}

#[test]
fn each_finish_of_a_call_has_its_own_answer() {
    let mut world = play(
        "kind sync retry=1m
         register w1 sync",
        "submit sync shop:1                     | accepted 1
         submit sync shop:2                     | accepted 2
         submit sync shop:3                     | accepted 3
         take w1 max=3                          | 1 2 3
         return w1                              | done
         take w1 max=2                          | 1 2",
    );
    let runs = &world.workers["w1"].runs;
    let tokens: Vec<_> = runs.iter().map(|run| run.token).collect();
    let succeed = FinishHow::Succeed {
        result: Payload::from("{}"),
    };
    let fail = FinishHow::Fail {
        error: RunError {
            message: "boom".into(),
            detail: "at line 1".into(),
        },
        again: Again::AsKindSays,
    };
    let finish = |token, how| Finish {
        token,
        how,
        used: Vec::new(),
    };
    let finishes = vec![
        finish(tokens[0], succeed.clone()),
        finish(tokens[3], succeed),
        finish(tokens[4], fail),
    ];
    let session = world.workers["w1"].session;
    let reply = world.decide(Command::Finish { session, finishes }).reply;
    let Reply::Finished(answers) = reply else {
        panic!("{reply:?}")
    };
    assert_eq!(
        answers[0].as_ref().map_err(|refusal| refusal.code()),
        Err("stale_token")
    );
    assert!(matches!(answers[1], Ok(Finished::Ended(_))));
    assert!(matches!(answers[2], Ok(Finished::Retrying(_))));
}

#[test]
fn a_message_is_one_short_line_and_the_rest_goes_to_the_detail() {
    let (ended, _) = failed_with("\n  no room \nleft on /data\n", "at line 1");
    assert_eq!(&*ended.message, "no room");
    assert_eq!(&*ended.detail, "left on /data\n\nat line 1");
    let long = "x".repeat(20_000);
    let (ended, bytes) = failed_with(&long, &long);
    assert_eq!(ended.message.len(), 1_024);
    assert_eq!(bytes, 16_384);
}

/// The error that is kept of a run that fails for good, and how many bytes it has.
fn failed_with(message: &str, detail: &str) -> (RunError, usize) {
    let mut world = play(
        "kind sync retry=1m
         register w1 sync",
        "submit sync shop:1                     | accepted 1
         take w1                                | 1",
    );
    let finish = Finish {
        token: world.workers["w1"].runs[0].token,
        how: FinishHow::Fail {
            error: RunError {
                message: message.into(),
                detail: detail.into(),
            },
            again: Again::Never,
        },
        used: Vec::new(),
    };
    let session = world.workers["w1"].session;
    let finishes = vec![finish];
    world.decide(Command::Finish { session, finishes });
    let record = world.log.last().expect("it ended");
    let error = record.events.iter().find_map(|event| match event {
        Event::RunEnded(ended) => match &ended.how {
            RunEnd::Failed { error } => Some(error.clone()),
            _ => None,
        },
        _ => None,
    });
    let error = error.expect("it failed");
    let bytes = error.message.len() + error.detail.len();
    (error, bytes)
}

#[test]
fn exponential_waits_double_up_to_a_cap_and_are_shortened_by_at_most_a_quarter() {
    let waits = exponential_waits();
    let full = [1_000, 2_000, 4_000, 8_000, 8_000, 8_000];
    for (wait, full) in waits.iter().zip(full) {
        assert!(*wait <= full && *wait * 4 >= full * 3, "{wait} of {full}");
    }
    assert_eq!(
        waits,
        exponential_waits(),
        "the jitter is drawn from nothing but the state"
    );
}

fn exponential_waits() -> Vec<u64> {
    let mut world = play(
        "kind sync retry=exp:1s..8s
         register w1 sync",
        "submit sync shop:1                     | accepted 1",
    );
    (0..6).map(|_| next_wait(&mut world)).collect()
}

fn next_wait(world: &mut World) -> u64 {
    let at = world.at;
    assert_eq!(world.step("take w1"), "1");
    world.step("finish w1 fail");
    let mut wall_timer = world.core.next_timer().wall.expect("a retry is due").0;
    wall_timer -= world.epoch.0;
    world.advance(wall_timer);
    wall_timer - at
}

#[test]
fn a_changed_ladder_holds_for_tasks_that_wait() {
    play(
        "kind sync retry=1h
         register w1 sync",
        "submit sync shop:1                     | accepted 1
         kind sync retry=5s                     | done
         take w1                                | 1
         finish w1 fail                         | retrying at 5s",
    );
}

#[test]
fn an_operators_retry_is_a_new_submission_through_admission() {
    play(
        "kind sync retry=none
         kind delete op=delete
         register w1 sync delete",
        "submit sync shop:1                     | accepted 1
         take w1                                | 1
         finish w1 fail                         | failed
         submit sync shop:1 retry_of=1          | accepted 2
         take w1                                | 2
         finish w1 fail                         | failed
         submit delete shop:1                   | accepted 3
         submit sync shop:1 retry_of=2          | rejected: future decided by delete 3",
    );
}

#[test]
fn the_outcome_stays_known_for_fifteen_minutes() {
    let world = play(
        "kind sync keep=0
         register w1 sync",
        "at 0         submit sync shop:1        | accepted 1
         at 0         take w1                   | 1
         at 0         finish w1 ok              | succeeded
         at 14m59s    show 1                    | succeeded",
    );
    let end = world
        .oracle
        .end(interlock_core::words::TaskId(1))
        .expect("it ended");
    assert_eq!(end.keep_ms, 0, "deleted on success, as its kind says");
}

#[test]
fn the_history_keeps_each_outcome_as_long_as_its_kind_says() {
    let world = play(
        "kind sync keep=1h retry=none
         register w1 sync",
        "submit sync shop:1                     | accepted 1
         submit sync shop:2                     | accepted 2
         submit sync shop:3                     | accepted 3
         take w1 max=2                          | 1 2
         finish w1 1 ok                         | succeeded
         finish w1 2 fail                       | failed
         cancel 3                               | cancelled",
    );
    const DAY: u64 = 86_400_000;
    let keep = [1, 2, 3].map(|task| {
        let end = world.oracle.end(interlock_core::words::TaskId(task));
        end.expect("it ended").keep_ms
    });
    assert_eq!(keep, [3_600_000, 30 * DAY, 7 * DAY]);
}
