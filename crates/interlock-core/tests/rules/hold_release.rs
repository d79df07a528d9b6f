//! `hold` and `release` of a task, a resource, a kind, a namespace (design §11).

use crate::givens::REPOSITORIES;
use crate::scenario::play;

#[test]
fn a_held_task_blocks_no_one() {
    play(
        REPOSITORIES,
        "submit sync repository:f16         | accepted 1
         submit sync repository:f16         | postponed 2: ahead 1
         hold task 1                        | done
         show 1                             | waiting: held: task 1
         show 2                             | waiting: ready
         take w1                            | 2
         release task 1                     | done
         show 1                             | waiting: held by 2",
    );
}

#[test]
fn a_task_may_be_held_from_the_start() {
    play(
        REPOSITORIES,
        "take w1                            | parked
         submit sync repository:f16 hold    | postponed 1: held: task 1
         release task 1                     | done; w1 gets 1",
    );
}

#[test]
fn a_hold_does_not_move_the_rank() {
    // It waited all along, so it goes before one that came later, though its place is new.
    play(
        REPOSITORIES,
        "at 0    submit sync repository:f16     | accepted 1
         at 0    hold task 1                    | done
         at 1s   submit sync repository:f16     | accepted 2
         at 2s   release task 1                 | done
         at 2s   take w1                        | 1",
    );
}

#[test]
fn a_held_resource_keeps_every_task_that_claims_it() {
    play(
        REPOSITORIES,
        "submit sync repository:a                   | accepted 1
         submit sync repository:a repository:b      | postponed 2: ahead 1 on repository:a
         submit sync repository:c                   | accepted 3
         hold resource repository:a                 | done
         submit publish repository:a                | postponed 4: held: resource repository:a
         submit sync repository:b                   | accepted 5
         resource repository:a                      | held; waiting 3
         take w1 max=9                              | 3 5
         release resource repository:a              | done
         take w2 max=9                              | 1",
    );
}

#[test]
fn a_held_kind_keeps_its_tasks_and_no_others() {
    play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         submit publish repository:b        | accepted 2
         hold kind sync                     | done
         submit sync repository:c           | postponed 3: held: kind sync
         submit publish repository:a        | accepted 4
         take w1 max=9                      | 2 4
         take w2 max=9                      | parked
         release kind sync                  | done; w2 gets 3",
    );
}

#[test]
fn a_held_namespace_keeps_everything() {
    play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         hold namespace                     | done
         submit publish repository:b        | postponed 2: held: namespace
         take w1 max=9                      | parked
         release namespace                  | done; w1 gets 1 2",
    );
}

#[test]
fn runs_that_have_begun_go_on() {
    play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         take w1                            | 1
         hold namespace                     | done
         beat w1                            | 1 go on
         finish w1 ok                       | succeeded",
    );
}

#[test]
fn each_hold_must_be_released() {
    play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         hold task 1                        | done
         hold kind sync                     | done
         hold resource repository:a         | done
         hold namespace                     | done
         release namespace                  | done
         take w1                            | parked
         release task 1                     | done
         release resource repository:a      | done
         show 1                             | waiting: held: kind sync
         release kind sync                  | done; w1 gets 1",
    );
}

#[test]
fn a_run_that_ends_without_success_meets_the_hold() {
    play(
        "kind sync retry=1s
         register w1 sync",
        "at 0    submit sync repository:a       | accepted 1
         at 0    submit sync repository:b       | accepted 2
         at 0    take w1 max=2                  | 1 2
         at 0    hold kind sync                 | done
         at 0    finish w1 1 fail               | retrying at 1s
         at 0    finish w1 2 release            | waiting
         at 0    take w1                        | parked
         at 1s   show 1                         | waiting: held: kind sync
         at 1s   show 2                         | waiting: held: kind sync
         at 2s   release kind sync              | done; w1 gets 2",
    );
}

#[test]
fn a_held_scheduled_task_waits_for_both() {
    play(
        REPOSITORIES,
        "at 0    submit sync repository:a due=5s | postponed 1: scheduled until 5s
         at 0    hold task 1                     | done
         at 0    take w1                         | parked
         at 5s   show 1                          | waiting: held: task 1
         at 6s   release task 1                  | done; w1 gets 1",
    );
}

#[test]
fn a_released_task_is_admitted_anew_against_the_future() {
    play(
        REPOSITORIES,
        "submit sync repository:f16         | accepted 1
         hold task 1                        | done
         submit delete repository:f16       | accepted 2
         release task 1                     | done
         show 1                             | waiting: doomed by 2
         take w1                            | 2
         finish w1 ok                       | succeeded
         show 1                             | cancelled: deleted by 2",
    );
}

#[test]
fn what_does_not_exist_cannot_be_held() {
    play(
        REPOSITORIES,
        "hold task 9                        | refused: unknown_task
         hold kind nonsense                 | refused: unknown_kind*
         hold resource repository:new       | done
         submit sync repository:new         | postponed 1: held: resource repository:new",
    );
}

#[test]
fn holds_survive_a_restart() {
    play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         hold kind sync                     | done
         hold resource repository:b         | done
         crash                              | open
         show 1                             | waiting: held: kind sync
         submit publish repository:b        | postponed 2: held: resource repository:b
         release kind sync                  | done
         take w1                            | 1",
    );
}
