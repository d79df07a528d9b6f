//! `cancel`: waiting tasks at once, running ones by asking their worker (design §7, §11).

use crate::givens::REPOSITORIES;
use crate::scenario::play;

#[test]
fn a_waiting_task_is_cancelled_at_once_and_makes_way() {
    play(
        REPOSITORIES,
        "submit sync repository:f16         | accepted 1
         submit sync repository:f16         | postponed 2: ahead 1
         submit sync repository:f16 due=1h  | postponed 3: scheduled until 1h
         cancel 3 by=ada                    | cancelled
         show 3                             | cancelled: asked by ada
         cancel 1                           | cancelled
         show 2                             | waiting: ready
         take w1                            | 2",
    );
}

#[test]
fn a_cancelled_waiting_task_wakes_whoever_waited_for_it() {
    play(
        REPOSITORIES,
        "submit publish repository:f16      | accepted 1
         take w1                            | 1
         submit sync repository:f16         | postponed 2: held by 1
         submit publish repository:f16      | postponed 3: ahead 2
         take w2                            | parked
         cancel 2                           | cancelled; w2 gets 3",
    );
}

#[test]
fn a_running_task_is_told_to_stop_and_ends_when_its_worker_says_so() {
    play(
        REPOSITORIES,
        "at 0    submit sync repository:f16     | accepted 1
         at 0    take w1                        | 1
         at 0    submit sync repository:f16     | postponed 2: held by 1
         at 1s   cancel 1                       | stopping
         at 1s   show 1                         | running on w1, stopping
         at 1s   show 2                         | waiting: held by 1
         at 5s   beat w1                        | 1 stop: cancelled
         at 6s   finish w1 fail                 | cancelled
         at 6s   show 1                         | cancelled: asked
         at 6s   take w1                        | 2",
    );
}

#[test]
fn after_the_grace_the_run_is_renewed_no_more() {
    // Cancelled at 5 s with a grace of 10 s: the last renewal is the one at 14 s.
    play(
        REPOSITORIES,
        "at 0       submit sync repository:f16  | accepted 1
         at 0       take w1                     | 1
         at 5s      cancel 1                    | stopping
         at 6s      beat w1                     | 1 stop: cancelled
         at 14s     beat w1                     | 1 stop: cancelled
         at 16s     beat w1                     | 1 ending: cancelled
         at 28999   show 1                      | running on w1, stopping
         at 29s     show 1                      | cancelled: asked
         at 29s     finish w1 ok                | refused: stale_token",
    );
}

#[test]
fn a_success_reported_in_time_counts() {
    play(
        REPOSITORIES,
        "submit sync repository:f16         | accepted 1
         take w1                            | 1
         cancel 1                           | stopping
         finish w1 ok                       | succeeded
         show 1                             | succeeded",
    );
}

#[test]
fn a_cancelled_run_that_is_released_or_lost_is_not_run_again() {
    play(
        REPOSITORIES,
        "at 0    submit sync repository:a       | accepted 1
         at 0    submit sync repository:b       | accepted 2
         at 0    take w1                        | 1
         at 0    take w2                        | 2
         at 0    cancel 1                       | stopping
         at 0    cancel 2                       | stopping
         at 0    finish w1 release              | cancelled
         at 15s  show 2                         | cancelled: asked",
    );
}

#[test]
fn cancelling_twice_changes_nothing() {
    play(
        REPOSITORIES,
        "at 0    submit sync repository:a       | accepted 1
         at 0    take w1                        | 1
         at 1s   cancel 1                       | stopping
         at 9s   beat w1                        | 1 stop: cancelled
         at 10s  cancel 1                       | stopping
         # The grace counts from the first time.
         at 12s  beat w1                        | 1 ending: cancelled",
    );
}

#[test]
fn what_has_ended_or_never_was_cannot_be_cancelled() {
    play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         take w1                            | 1
         finish w1 ok                       | succeeded
         cancel 1                           | refused: ended succeeded
         cancel 7                           | refused: unknown_task",
    );
}

#[test]
fn a_cancelled_retry_is_gone() {
    play(
        "kind sync retry=5s
         register w1 sync",
        "at 0    submit sync repository:a       | accepted 1
         at 0    take w1                        | 1
         at 0    take w1 fail                   | retrying at 5s, parked
         at 1s   cancel 1                       | cancelled
         at 6s   live                           | none",
    );
}

#[test]
fn cancelling_by_a_folded_id_reaches_the_task_that_stands_for_it() {
    play(
        "kind sync coalesce=latest retry=5s
         register w1 sync",
        "submit sync repository:a           | accepted 1
         take w1                            | 1
         submit sync repository:a           | postponed 2: held by 1
         finish w1 fail                     | retrying at 5s
         cancel 2                           | refused: stands_for_several 2
         cancel 2 all                       | cancelled
         show 1                             | cancelled: asked",
    );
}

#[test]
fn every_end_but_success_of_a_cancelled_run_is_its_end() {
    let ends = [
        "finish w1 fail",
        "finish w1 release",
        "return w1",
        "goodbye w1",
        "register w1 as again sync takeover",
        "at 15s tick",
    ];
    for end in ends {
        let mut world = play(
            REPOSITORIES,
            "submit sync repository:a       | accepted 1
             take w1                        | 1
             cancel 1                       | stopping",
        );
        world.step(end);
        assert_eq!(world.step("show 1"), "cancelled: asked", "{end}");
    }
}
