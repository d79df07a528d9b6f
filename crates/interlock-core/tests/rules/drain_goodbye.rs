//! `drain` and `goodbye`: how a worker leaves (design §7, §11).

use crate::givens::REPOSITORIES;
use crate::scenario::play;

#[test]
fn a_draining_worker_gets_no_new_work_and_finishes_what_it_has() {
    play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         submit sync repository:b           | accepted 2
         take w1                            | 1
         drain w1                           | done
         workers                            | w1 runs 1 draining; w2
         beat w1                            | 1 go on
         take w1                            | nothing, draining
         finish w1 ok                       | succeeded
         take w1                            | nothing, draining
         take w2                            | 2",
    );
}

#[test]
fn a_parked_take_is_answered_when_its_worker_is_drained() {
    play(
        REPOSITORIES,
        "take w1                            | parked
         drain w1                           | done; w1 gets nothing, draining
         submit sync repository:a           | accepted 1
         take w2                            | 1",
    );
}

#[test]
fn a_drained_worker_starts_afresh_when_it_registers_again() {
    play(
        REPOSITORIES,
        "drain w1                           | done
         goodbye w1                         | done
         register w1 sync                   | welcome
         submit sync repository:a           | accepted 1
         take w1                            | 1
         drain nobody                       | refused: unknown_worker",
    );
}

#[test]
fn a_worker_that_says_goodbye_gives_its_tasks_back_to_their_places() {
    play(
        REPOSITORIES,
        "at 0    submit sync repository:a   | accepted 1
         at 1s   submit sync repository:a   | postponed 2: ahead 1
         at 1s   take w1                    | 1
         at 1s   take w2                    | parked
         at 2s   goodbye w1                 | done; w2 gets 1
         at 2s   show 1 tries               | tries 0, losses 0
         at 2s   workers                    | w2 runs 1
         at 3s   finish w1 ok               | refused: stale_*
         at 3s   take w1                    | refused: stale_session
         at 3s   goodbye w1                 | refused: stale_session
         at 4s   take w2 ok                 | succeeded, 2",
    );
}

#[test]
fn goodbye_is_welcome_back_under_the_same_name_at_once() {
    play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         take w1                            | 1
         goodbye w1                         | done
         register w1 sync                   | welcome
         take w1                            | 1",
    );
}

#[test]
fn a_drain_survives_a_restart() {
    play(
        REPOSITORIES,
        "drain w1                           | done
         crash                              | open
         submit sync repository:a           | accepted 1
         take w1                            | nothing, draining",
    );
}

#[test]
fn the_last_worker_of_a_kind_may_leave_and_its_tasks_wait() {
    play(
        "kind sync
         kind other
         register w1 sync
         register w2 other",
        "at 0    goodbye w1                     | done
         at 0    take w2                        | parked
         at 1s   submit sync repository:a       | accepted 1
         at 16s  submit other repository:a      | accepted 2; w2 gets 2
         at 16s  show 1                         | waiting: no worker for sync",
    );
}
