//! `register`: every start of a worker is a new session; the same name, with and without takeover
//! (design §7).

use crate::givens::REPOSITORIES;
use crate::scenario::play;

#[test]
fn a_name_with_live_runs_is_refused_with_the_time_to_wait() {
    play(
        REPOSITORIES,
        "at 0       submit sync repository:f16              | accepted 1
         at 0       take w1                                 | 1
         at 5s      register w1 as new sync                 | refused: name_in_use for 10s
         at 6s      beat w1                                 | 1 go on
         at 7s      register w1 as new sync                 | refused: name_in_use for 14s
         at 21s     register w1 as new sync                 | welcome
         at 21s     take new                                | 1",
    );
}

#[test]
fn a_takeover_ends_the_old_runs_at_once() {
    play(
        REPOSITORIES,
        "at 0       submit sync repository:f16              | accepted 1
         at 0       take w1                                 | 1
         at 1s      submit sync repository:f16              | postponed 2: held by 1
         at 5s      register w1 as new sync takeover        | welcome
         at 5s      show 1                                  | waiting: ready
         at 5s      show 1 tries                            | tries 0, losses 1
         at 5s      take new                                | 1
         at 6s      finish w1 ok                            | refused: stale_*
         at 6s      show 1                                  | running on w1
         at 7s      finish new ok                           | succeeded",
    );
}

#[test]
fn the_zombie_of_a_taken_over_session_is_refused_everything() {
    play(
        REPOSITORIES,
        "submit sync repository:f16                 | accepted 1
         submit sync repository:f17                 | accepted 2
         take w1                                    | 1
         register w1 as new sync takeover           | welcome
         take w1                                    | refused: stale_session
         beat w1                                    | *
         finish w1 ok                               | refused: stale_*
         show 1                                     | waiting: ready
         take new max=2                             | 1 2
         beat w1                                    | *
         finish w1 1 fail                           | refused: stale_*
         show 1                                     | running on w1
         finish new 1 ok                            | succeeded",
    );
}

#[test]
fn a_takeover_counts_as_a_loss_for_kinds_that_cancel() {
    play(
        "kind sync loss=cancel
         register w1 sync",
        "submit sync repository:f16                 | accepted 1
         take w1                                    | 1
         register w1 as new sync takeover           | welcome
         show 1                                     | cancelled: worker lost",
    );
}

#[test]
fn a_name_without_live_runs_is_welcome_at_any_time() {
    play(
        REPOSITORIES,
        "submit sync repository:f16                 | accepted 1
         take w1                                    | 1
         finish w1 ok                               | succeeded
         register w1 as new sync                    | welcome
         take w1                                    | refused: stale_session
         take new                                   | parked
         workers                                    | w1 parked; w2",
    );
}

#[test]
fn a_worker_that_was_lost_is_welcome_again_under_its_name() {
    play(
        REPOSITORIES,
        "at 0       submit sync repository:f16              | accepted 1
         at 0       take w1                                 | 1
         at 15s     take w1                                 | refused: session_lost
         at 15s     register w1 sync                        | welcome
         at 15s     take w1                                 | 1",
    );
}

#[test]
fn another_name_has_nothing_to_do_with_it() {
    play(
        REPOSITORIES,
        "submit sync repository:f16                 | accepted 1
         take w1                                    | 1
         register w3 sync takeover                  | welcome
         show 1                                     | running on w1",
    );
}

#[test]
fn a_new_session_starts_its_takes_anew() {
    play(
        REPOSITORIES,
        "submit sync repository:a                   | accepted 1
         submit sync repository:b                   | accepted 2
         take w1 number=7                           | 1
         finish w1 ok                               | succeeded
         register w1 sync                           | welcome
         take w1 number=1                           | 2",
    );
}

#[test]
fn the_take_parked_by_the_old_session_gets_nothing_any_more() {
    play(
        REPOSITORIES,
        "take w1                                    | parked
         register w1 as new sync                    | welcome*
         submit sync repository:a                   | accepted 1
         take new                                   | 1",
    );
}

#[test]
fn a_session_handles_the_kinds_it_registered_with() {
    play(
        REPOSITORIES,
        "register w3 publish                        | welcome
         submit sync repository:a                   | accepted 1
         take w3                                    | parked
         submit publish repository:b                | accepted 2; w3 gets 2",
    );
}
