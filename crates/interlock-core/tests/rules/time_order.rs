//! All timers that are due fire in order before a command is decided, also after a long sleep
//! (design §12).

use crate::givens::REPOSITORIES;
use crate::scenario::play;

#[test]
fn a_finish_after_a_sleep_past_the_lease_is_stale() {
    play(
        REPOSITORIES,
        "submit sync repository:a               | accepted 1
         take w1                                | 1
         sleep 15s                              | -
         finish w1 ok                           | refused: stale_token
         show 1 tries                           | tries 0, losses 1",
    );
}

#[test]
fn a_beat_after_a_sleep_past_the_lease_comes_too_late() {
    play(
        REPOSITORIES,
        "submit sync repository:a               | accepted 1
         take w1                                | 1
         sleep 30s                              | -
         beat w1                                | 1 gone",
    );
}

#[test]
fn what_becomes_due_during_a_sleep_joins_in_order_of_due_times() {
    play(
        REPOSITORIES,
        "submit sync repository:a due=5s        | postponed 1: scheduled until 5s
         submit sync repository:a due=3s        | postponed 2: scheduled until 3s
         submit sync repository:a due=4s        | postponed 3: scheduled until 4s
         sleep 10s                              | -
         take w1                                | 2
         take w1 ok                             | succeeded, 3
         take w1 ok                             | succeeded, 1",
    );
}

#[test]
fn a_delete_that_became_due_before_an_update_decides_against_it() {
    play(
        REPOSITORIES,
        "submit update repository:a due=5s      | postponed 1: scheduled until 5s
         submit delete repository:a due=3s      | postponed 2: scheduled until 3s
         sleep 10s                              | -
         take w1                                | 2
         show 1                                 | cancelled: future decided by 2",
    );
}

#[test]
fn a_deadline_that_passed_before_the_resource_came_free_is_kept() {
    play(
        REPOSITORIES,
        "at 0    submit sync repository:a                      | accepted 1
         at 0    take w1                                       | 1
         at 1s   submit sync repository:a start_within=5s      | postponed 2: held by 1
         at 1s   sleep 30s                                     | -
         at 31s  register w3 sync                              | welcome
         at 31s  show 2                                        | cancelled: not started in time
         at 31s  take w3                                       | 1",
    );
}

#[test]
fn a_take_whose_time_was_up_gets_nothing_that_became_due_later() {
    play(
        REPOSITORIES,
        "submit sync repository:a due=20s       | postponed 1: scheduled until 20s
         take w1 wait=10s                       | parked
         sleep 30s                              | -
         tick                                   | w1 gets nothing
         take w1                                | 1",
    );
}

#[test]
fn a_submission_after_a_sleep_does_not_overtake_what_became_due_meanwhile() {
    play(
        REPOSITORIES,
        "submit sync repository:a due=3s        | postponed 1: scheduled until 3s
         take w1 max=1 wait=1s                  | parked
         sleep 10s                              | -
         submit sync repository:a               | postponed 2: ahead 1*",
    );
}

#[test]
fn a_retry_and_a_gathering_end_during_a_sleep() {
    play(
        "kind sync retry=2s
         kind event coalesce=latest gather=3s
         register w1 sync event",
        "submit sync repository:a               | accepted 1
         take w1                                | 1
         finish w1 fail                         | retrying at 2s
         submit event repository:a              | postponed 2: gathering until 3s
         sleep 5s                               | -
         take w1                                | 1
         take w1 ok                             | succeeded, 2",
    );
}

#[test]
fn a_sleep_over_several_leases_loses_each_run_once() {
    play(
        REPOSITORIES,
        "submit sync repository:a               | accepted 1
         submit sync repository:b               | accepted 2
         take w1                                | 1
         take w2                                | 2
         sleep 2h                               | -
         register w1 sync                       | welcome
         take w1 max=9                          | 1 2
         show 1 tries                           | tries 0, losses 1
         show 2 tries                           | tries 0, losses 1",
    );
}

#[test]
fn who_a_timer_has_just_called_off_decides_no_future() {
    // The create gives up, and with it the delete that was to read what it would have made: that
    // holds at once, also for the very submission by which the core comes to know.
    play(
        REPOSITORIES,
        "submit update repository:a                     | accepted 1
         take w1                                        | 1
         submit create repository:a start_within=5s     | postponed 2: held by 1
         submit delete repository:b repository:a/read   | postponed 3: behind 2 on repository:a
         submit update repository:b                     | rejected*
         sleep 5s                                       | -
         submit update repository:b                     | accepted 4
         show 3                                         | cancelled: not created by 2",
    );
}
