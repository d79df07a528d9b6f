//! Groups, all or nothing, and `after` (design §10).

use crate::givens::REPOSITORIES;
use crate::scenario::play;

const ONCE: &str = "
    kind sync retry=none
    kind publish op=read retry=none
    kind delete op=delete retry=none
    kind create op=create retry=none
    register w1 sync publish delete create
    register w2 sync publish delete create
";

#[test]
fn a_task_waits_for_others_to_succeed() {
    play(
        ONCE,
        "submit sync repository:a                   | accepted 1
         submit sync repository:b                   | accepted 2
         submit publish repository:c after=1,2      | postponed 3: dependent on 1 2
         take w1 max=9                              | 1 2
         take w2                                    | parked
         finish w1 1 ok                             | succeeded
         show 3                                     | waiting: dependent on 2
         finish w1 2 ok                             | succeeded; w2 gets 3",
    );
}

#[test]
fn a_dependent_task_stands_in_no_line() {
    play(
        ONCE,
        "submit sync repository:a                   | accepted 1
         submit sync repository:b after=1           | postponed 2: dependent on 1
         submit sync repository:b                   | accepted 3
         take w1 max=9                              | 1 3",
    );
}

#[test]
fn if_one_ends_otherwise_its_dependents_are_cancelled_down_the_chain() {
    play(
        ONCE,
        "submit sync repository:a                   | accepted 1
         submit sync repository:b after=1           | postponed 2: dependent on 1
         submit sync repository:c after=2           | postponed 3: dependent on 2
         submit sync repository:d                   | accepted 4
         take w1                                    | 1
         finish w1 fail                             | failed
         show 2                                     | cancelled: dependency failed 1
         show 3                                     | cancelled: dependency failed 2
         show 4                                     | waiting: ready",
    );
}

#[test]
fn a_cancelled_dependency_fails_its_dependents() {
    play(
        ONCE,
        "submit sync repository:a                   | accepted 1
         submit sync repository:b after=1           | postponed 2: dependent on 1
         cancel 1                                   | cancelled
         show 2                                     | cancelled: dependency failed 1",
    );
}

#[test]
fn a_retry_of_the_dependency_is_waited_for() {
    play(
        "kind sync retry=1s
         register w1 sync",
        "at 0    submit sync repository:a               | accepted 1
         at 0    submit sync repository:b after=1       | postponed 2: dependent on 1
         at 0    take w1                                | 1
         at 0    finish w1 fail                         | retrying at 1s
         at 0    show 2                                 | waiting: dependent on 1
         at 1s   take w1                                | 1
         at 1s   take w1 ok                             | succeeded, 2",
    );
}

#[test]
fn what_has_succeeded_already_is_met_and_what_failed_rejects() {
    play(
        ONCE,
        "submit sync repository:a                   | accepted 1
         submit sync repository:b                   | accepted 2
         take w1 max=2                              | 1 2
         finish w1 1 ok                             | succeeded
         finish w1 2 fail                           | failed
         submit sync repository:c after=1           | accepted 3
         submit sync repository:c after=1,2         | rejected: dependency failed 2
         submit sync repository:c after=99          | refused: unknown_task",
    );
}

#[test]
fn a_dependent_task_is_ranked_from_when_its_dependency_was_met() {
    play(
        ONCE,
        "at 0    submit sync repository:a               | accepted 1
         at 0    submit sync repository:b after=1       | postponed 2: dependent on 1
         at 0    take w1                                | 1
         at 1s   submit sync repository:b               | accepted 3
         at 2s   finish w1 ok                           | succeeded
         at 2s   show 2                                 | waiting: ahead 3",
    );
}

#[test]
fn a_dependent_task_meets_the_future_when_it_joins() {
    play(
        ONCE,
        "submit sync repository:a                   | accepted 1
         submit sync repository:b after=1           | postponed 2: dependent on 1
         submit delete repository:b                 | accepted 3
         take w1                                    | 1
         finish w1 ok                               | succeeded
         show 2                                     | cancelled: future decided by 3",
    );
}

#[test]
fn a_dependent_task_may_also_be_due_later() {
    play(
        ONCE,
        "at 0    submit sync repository:a                   | accepted 1
         at 0    submit sync repository:b after=1 due=5s    | postponed 2: *dependent on 1
         at 0    take w1                                    | 1
         at 0    take w1 ok                                 | succeeded, parked
         at 0    show 2                                     | waiting: scheduled until 5s
         at 5s   tick                                       | w1 gets 2",
    );
}

#[test]
fn a_group_is_admitted_as_a_whole_with_the_reasons_per_item() {
    play(
        ONCE,
        "group sync repository:a ; sync repository:a ; publish repository:b after=#0,#1  | g1: accepted 1; postponed 2: ahead 1; postponed 3: dependent on 1 2
         members g1                                     | 1 live, 2 live, 3 live
         take w1                                        | 1
         take w1 ok                                     | succeeded, 2
         members g1                                     | 1 succeeded, 2 live, 3 live
         take w1 ok                                     | succeeded, 3
         take w1 ok                                     | succeeded, parked",
    );
}

#[test]
fn a_group_is_all_or_nothing() {
    play(
        ONCE,
        "submit delete repository:b                     | accepted 1
         group sync repository:a ; sync repository:b ; sync repository:c    | refused: group_not_admitted #1; rejected: future decided by delete 1; refused: group_not_admitted #1
         group sync repository:a ; nonsense repository:c                    | refused: group_not_admitted #1; refused: unknown_kind*
         live                                           | 1
         submit sync repository:a                       | accepted 2",
    );
}

#[test]
fn an_item_that_the_group_itself_makes_impossible_is_rejected() {
    play(
        ONCE,
        "group delete repository:a ; sync repository:a      | refused: group_not_admitted #1; rejected: future decided by delete *
         live                                               | none",
    );
}

#[test]
fn a_group_that_undoes_its_own_future_is_still_let_in_as_a_whole() {
    play(
        "kind delete op=delete retry=none
         kind create op=create retry=none
         kind undo cancels=create retry=none
         kind sync retry=none",
        "submit delete repository:a                         | accepted 1
         submit create repository:a                         | postponed 2: behind 1
         group undo repository:a ; sync repository:a        | g1: postponed 3: behind 2; postponed 4: behind 2
         show 2                                             | cancelled: cancelled by 3
         show 3                                             | cancelled: future decided by 1
         show 4                                             | cancelled: future decided by 1",
    );
}

#[test]
fn cycles_are_refused() {
    play(
        ONCE,
        "group sync repository:a after=#1 ; sync repository:b after=#0      | *refused: cycle*
         group sync repository:a after=#0                                   | *refused: cycle*
         group sync repository:a after=#1 ; sync repository:b               | g1: postponed *: dependent on *; accepted *
         live                                                               | 1 2",
    );
}

#[test]
fn an_item_that_is_not_there_is_refused() {
    play(
        ONCE,
        "group sync repository:a after=#5               | *refused: *
         submit sync repository:a after=#0              | refused: *
         live                                           | none",
    );
}

#[test]
fn a_delete_then_a_create_that_depends_on_it() {
    play(
        ONCE,
        "group delete repository:a ; create repository:a after=#0   | g1: accepted 1; postponed 2: dependent on 1
         take w1                                                    | 1
         take w1 ok                                                 | succeeded, 2",
    );
}

#[test]
fn cancelling_a_group_cancels_what_waits_and_stops_what_runs() {
    play(
        ONCE,
        "group sync repository:a ; sync repository:a ; sync repository:b after=#1   | g1: accepted 1; postponed 2: ahead 1; postponed 3: dependent on 2
         submit sync repository:c                       | accepted 4
         take w1                                        | 1
         cancel g1 by=ada                               | done
         show 1                                         | running on w1, stopping
         show 2                                         | cancelled: asked by ada
         show 3                                         | cancelled: *
         show 4                                         | waiting: ready
         finish w1 1 fail                               | cancelled
         members g1                                     | over
         cancel g2                                      | refused: unknown_group",
    );
}

#[test]
fn a_group_that_is_over_is_unknown() {
    play(
        ONCE,
        "group sync repository:a                        | g1: accepted 1
         take w1                                        | 1
         finish w1 ok                                   | succeeded
         cancel g1                                      | refused: unknown_group",
    );
}

#[test]
fn dependencies_survive_a_restart() {
    play(
        ONCE,
        "submit sync repository:a                       | accepted 1
         submit sync repository:b after=1               | postponed 2: dependent on 1
         take w1                                        | 1
         crash                                          | open
         show 2                                         | waiting: dependent on 1
         take w2                                        | parked
         finish w1 ok                                   | succeeded; w2 gets 2",
    );
}

#[test]
fn depending_on_a_task_that_was_folded_means_the_task_that_stands_for_it() {
    play(
        "kind sync coalesce=latest retry=1s
         kind publish op=read
         register w1 sync publish",
        "at 0    submit sync repository:a               | accepted 1
         at 0    take w1                                | 1
         at 0    submit sync repository:a               | postponed 2: held by 1
         at 0    submit publish repository:b after=2    | postponed 3: dependent on 2
         at 0    finish w1 fail                         | retrying at 1s
         at 0    show 3                                 | waiting: dependent on 1
         at 1s   take w1                                | 1
         at 1s   take w1 ok                             | succeeded, 3",
    );
}

#[test]
fn a_dependency_is_met_only_by_success_not_by_an_earlier_run() {
    play(
        REPOSITORIES,
        "submit sync repository:a                       | accepted 1
         submit sync repository:b after=1               | postponed 2: dependent on 1
         take w1                                        | 1
         finish w1 release                              | waiting
         show 2                                         | waiting: dependent on 1",
    );
}

#[test]
fn a_delete_a_create_and_an_update_that_wait_for_one_another() {
    play(
        ONCE,
        "group delete repository:a ; create repository:a after=#0 ; sync repository:a after=#1 | g1: accepted 1; postponed 2: dependent on 1; postponed 3: dependent on 2
         take w1                        | 1
         take w1 ok                     | succeeded, 2
         take w1 ok                     | succeeded, 3",
    );
}
