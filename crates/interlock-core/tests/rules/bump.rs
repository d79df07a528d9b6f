//! `bump`: a waiting task gets a higher priority (design §11).

use crate::givens::{REPOSITORIES, SHOPS};
use crate::scenario::play;

#[test]
fn a_bumped_task_goes_first() {
    play(
        SHOPS,
        "submit regular_download shop:1     | accepted 1
         submit forced_download shop:1      | accepted 2
         bump 1 9                           | done
         show 1                             | waiting: ready
         show 2                             | waiting: ahead 1
         show 1 priority                    | priority 9
         take w1                            | 1",
    );
}

#[test]
fn a_bump_may_make_a_task_ready_and_wakes_a_worker() {
    play(
        REPOSITORIES,
        "submit publish repository:f16      | accepted 1
         take w1                            | 1
         submit sync repository:f16         | postponed 2: held by 1
         submit publish repository:f16      | postponed 3: ahead 2
         take w2                            | parked
         bump 3 9                           | done; w2 gets 3",
    );
}

#[test]
fn a_bump_only_raises() {
    play(
        SHOPS,
        "submit regular_download shop:1     | accepted 1
         bump 1 2                           | refused: bad_value
         bump 1 1                           | refused: bad_value
         bump 1 10                          | refused: bad_value
         bump 1 3                           | done",
    );
}

#[test]
fn only_waiting_tasks_can_be_bumped() {
    play(
        SHOPS,
        "submit regular_download shop:1     | accepted 1
         take w1                            | 1
         bump 1 9                           | refused: running
         finish w1 ok                       | succeeded
         bump 1 9                           | refused: ended succeeded
         bump 9 9                           | refused: unknown_task",
    );
}

#[test]
fn a_bumped_scheduled_task_uses_its_priority_when_it_is_due() {
    play(
        SHOPS,
        "at 0    submit regular_download shop:1 due=5s  | postponed 1: scheduled until 5s
         at 0    bump 1 9                               | done
         at 1s   submit upload_changes shop:1           | accepted 2
         at 5s   take w1                                | 1",
    );
}

#[test]
fn a_bump_does_not_carry_a_delete_over_those_before_it() {
    play(
        REPOSITORIES,
        "submit sync repository:f16 prio=0      | accepted 1
         submit delete repository:f16 prio=1    | postponed 2: ahead 1
         bump 2 9                               | done
         show 2                                 | waiting: ahead 1
         take w1                                | 1
         take w1 ok                             | succeeded, 2",
    );
}

#[test]
fn a_bump_does_not_carry_a_task_over_the_barrier_before_it() {
    play(
        REPOSITORIES,
        "submit create repository:f16 prio=0    | accepted 1
         submit sync repository:f16 prio=0      | postponed 2: behind 1
         bump 2 9                               | done
         show 2                                 | waiting: behind 1
         take w1                                | 1",
    );
}

#[test]
fn a_bumped_task_still_runs_before_the_barrier_behind_it() {
    play(
        REPOSITORIES,
        "submit sync repository:f16 prio=0      | accepted 1
         submit delete repository:f16 prio=9    | postponed 2: ahead 1
         bump 1 9                               | done
         show 2                                 | waiting: ahead 1
         take w1                                | 1",
    );
}

#[test]
fn a_bumped_throttled_task_is_first_in_its_queue() {
    play(
        "quota one at_once:1
         kind sync quota=one
         register w1 sync",
        "submit sync shop:1                     | accepted 1
         take w1                                | 1
         submit sync shop:2                     | postponed 2: throttled by one
         submit sync shop:3                     | postponed 3: throttled by one
         take w1                                | parked
         bump 3 9                               | done
         finish w1 ok                           | succeeded; w1 gets 3",
    );
}
