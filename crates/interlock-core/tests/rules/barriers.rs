//! Lifecycle tasks are barriers: the rank floor, the chain, `behind`, `doomed`, and what a delete or
//! a create takes with it (design §4).

use crate::givens::REPOSITORIES;
use crate::scenario::play;

/// Kinds that fail fast: short waits, or none.
const FAST: &str = "
    kind update retry=5s
    kind publish op=read retry=5s
    kind create op=create retry=5s for=8s
    kind delete op=delete retry=5s for=8s
    kind burn op=delete retry=none
    kind found op=create retry=none
    register w1 update publish create delete burn found
    register w2 update publish create delete burn found
";

#[test]
fn a_delete_goes_behind_everyone_in_line_whatever_its_priority() {
    play(
        REPOSITORIES,
        "submit update repository:f16 prio=0        | accepted 1
         take w1                                    | 1
         submit update repository:f16 prio=0        | postponed 2: held by 1
         submit publish repository:f16 prio=1       | postponed 3: held by 1
         submit delete repository:f16 prio=9        | postponed 4: held by 1, ahead 2 3
         take w1 ok                                 | succeeded, 3
         take w1 ok                                 | succeeded, 2
         take w1 ok                                 | succeeded, 4",
    );
}

#[test]
fn nothing_that_comes_after_a_create_runs_before_it() {
    play(
        REPOSITORIES,
        "submit create repository:f16 prio=0        | accepted 1
         submit update repository:f16 prio=9        | postponed 2: behind 1
         submit publish repository:f16 prio=9       | postponed 3: behind 1
         show 1                                     | waiting: ready
         take w1 max=5                              | 1
         take w2                                    | parked
         finish w1 ok                               | succeeded; w2 gets 2",
    );
}

#[test]
fn the_floor_of_a_barrier_is_its_rank_in_every_line() {
    // The delete of `a` also updates `b`: there it stands no better than at `a`.
    play(
        REPOSITORIES,
        "submit update repository:a prio=0                          | accepted 1
         submit sync repository:a/delete repository:b/update prio=9 | postponed 2: ahead 1 on repository:a
         submit update repository:b prio=1                          | accepted 3
         take w1 max=3                                              | 3 1
         finish w1 1 ok                                             | succeeded
         show 2                                                     | waiting: held by 3 on repository:b
         finish w1 3 ok                                             | succeeded
         take w1                                                    | 2",
    );
}

#[test]
fn those_behind_a_create_join_by_rank_when_it_is_done() {
    play(
        REPOSITORIES,
        "submit create repository:f16               | accepted 1
         submit update repository:f16 prio=3        | postponed 2: behind 1
         submit update repository:f16 prio=8        | postponed 3: behind 1
         submit update repository:f16 prio=3        | postponed 4: behind 1
         take w1                                    | 1
         take w1 ok                                 | succeeded, 3
         take w1 ok                                 | succeeded, 2
         take w1 ok                                 | succeeded, 4",
    );
}

#[test]
fn a_task_behind_a_barrier_is_outside_all_lines() {
    play(
        REPOSITORIES,
        "submit create repository:a                     | accepted 1
         submit update repository:a repository:b        | postponed 2: behind 1 on repository:a
         submit update repository:b                     | accepted 3
         resource repository:b                          | queued; line 3; waiting 2
         take w1 max=5                                  | 1 3",
    );
}

#[test]
fn a_delete_that_succeeds_takes_every_waiting_task_with_it() {
    play(
        FAST,
        "at 0    submit update repository:f16           | accepted 1
         at 0    take w1                                | 1
         at 0    finish w1 fail                         | retrying at 5s
         at 0    submit update repository:f16 due=1h    | postponed 2: scheduled until 1h
         at 0    submit update repository:f16 hold      | postponed 3: held: task 3
         at 0    submit update repository:f17 due=1h    | postponed 4: scheduled until 1h
         at 1s   submit delete repository:f16           | accepted 5
         at 1s   take w1                                | 5
         at 2s   finish w1 ok                           | succeeded
         at 2s   show 1                                 | cancelled: deleted by 5
         at 2s   show 2                                 | cancelled: deleted by 5
         at 2s   show 3                                 | cancelled: deleted by 5
         at 2s   show 4                                 | waiting: scheduled until 1h
         at 2s   submit update repository:f16           | accepted 6",
    );
}

#[test]
fn a_delete_spares_a_queued_create_and_what_came_after_it() {
    play(
        FAST,
        "submit update repository:f16 due=1h        | postponed 1: scheduled until 1h
         submit delete repository:f16               | accepted 2
         submit update repository:f16 due=1h        | postponed 3: scheduled until 1h
         submit create repository:f16               | postponed 4: behind 2
         submit update repository:f16               | postponed 5: behind 4
         submit update repository:f16 due=1h        | postponed 6: scheduled until 1h
         take w1                                    | 2
         finish w1 ok                               | succeeded
         show 1                                     | cancelled: deleted by 2
         show 3                                     | cancelled: deleted by 2
         show 4                                     | waiting: ready
         show 5                                     | waiting: behind 4
         show 6                                     | waiting: scheduled until 1h
         take w1                                    | 4
         take w1 ok                                 | succeeded, 5",
    );
}

#[test]
fn a_delete_that_fails_leaves_everything_as_it_was() {
    play(
        FAST,
        "submit update repository:f16 due=10s       | postponed 1: scheduled until 10s
         submit burn repository:f16                 | accepted 2
         take w1                                    | 2
         finish w1 fail                             | failed
         show 1                                     | waiting: scheduled until 10s
         submit update repository:f16               | accepted 3",
    );
}

#[test]
fn a_delete_that_fails_lets_the_create_behind_it_go() {
    play(
        FAST,
        "submit burn repository:f16                 | accepted 1
         submit create repository:f16               | postponed 2: behind 1
         submit update repository:f16               | postponed 3: behind 2
         take w1                                    | 1
         take w1 fail                               | failed, 2
         take w1 ok                                 | succeeded, 3",
    );
}

#[test]
fn a_create_that_fails_takes_what_came_after_it_up_to_the_next_barrier() {
    play(
        FAST,
        "submit update repository:f16 due=1h        | postponed 1: scheduled until 1h
         submit found repository:f16                | accepted 2
         submit update repository:f16               | postponed 3: behind 2
         submit update repository:f16 due=1h        | postponed 4: scheduled until 1h
         submit delete repository:f16               | postponed 5: behind 2
         submit create repository:f16               | postponed 6: behind 5
         submit update repository:f16               | postponed 7: behind 6
         take w1                                    | 2
         finish w1 fail                             | failed
         show 1                                     | waiting: scheduled until 1h
         show 3                                     | cancelled: not created by 2
         show 4                                     | cancelled: not created by 2
         show 5                                     | waiting: ready
         show 6                                     | waiting: behind 5
         show 7                                     | waiting: behind 6",
    );
}

#[test]
fn a_create_that_is_cancelled_while_it_waits_takes_them_too() {
    play(
        FAST,
        "submit create repository:f16               | accepted 1
         submit update repository:f16               | postponed 2: behind 1
         cancel 1                                   | cancelled
         show 2                                     | cancelled: not created by 1
         submit update repository:f16               | accepted 3",
    );
}

#[test]
fn a_create_that_is_cancelled_while_it_runs_takes_them_when_it_ends() {
    play(
        FAST,
        "submit create repository:f16               | accepted 1
         submit update repository:f16               | postponed 2: behind 1
         take w1                                    | 1
         cancel 1                                   | stopping
         show 2                                     | waiting: behind 1
         finish w1 fail                             | cancelled
         show 2                                     | cancelled: not created by 1",
    );
}

#[test]
fn a_create_that_succeeds_after_a_retry_takes_nobody() {
    play(
        FAST,
        "at 0    submit create repository:f16           | accepted 1
         at 0    submit update repository:f16           | postponed 2: behind 1
         at 0    take w1                                | 1
         at 0    finish w1 fail                         | retrying at 5s
         at 0    show 2                                 | waiting: behind 1
         at 5s   take w1                                | 1
         at 5s   take w1 ok                             | succeeded, 2",
    );
}

#[test]
fn a_barrier_keeps_its_place_while_it_waits_for_a_retry() {
    play(
        FAST,
        "at 0    submit delete repository:f16           | accepted 1
         at 0    take w1                                | 1
         at 0    finish w1 fail                         | retrying at 5s
         at 1s   submit update repository:f16           | rejected: future decided by delete 1
         at 1s   submit delete repository:f16           | rejected: future decided by delete 1
         at 1s   submit create repository:f16           | postponed 2: behind 1
         at 1s   take w2                                | parked
         at 5s   tick                                   | w2 gets 1",
    );
}

#[test]
fn a_barrier_keeps_its_place_while_it_waits_for_a_quota() {
    play(
        "quota one at_once:1
         kind update
         kind create op=create quota=one
         kind other quota=one
         register w1 update create other
         register w2 update create other",
        "submit other shop:1                        | accepted 1
         take w1                                    | 1
         submit create repository:f16               | postponed 2: throttled by one
         take w2                                    | parked
         show 2                                     | waiting: throttled by one
         submit update repository:f16               | postponed 3: behind 2
         submit create repository:f16               | rejected: future decided by create 2
         finish w1 ok                               | succeeded; w2 gets 2
         take w2 ok                                 | succeeded, 3",
    );
}

#[test]
fn a_barrier_keeps_its_place_while_it_is_held() {
    play(
        REPOSITORIES,
        "submit create repository:f16               | accepted 1
         hold task 1                                | done
         show 1                                     | waiting: held: task 1
         submit update repository:f16               | postponed 2: behind 1
         take w1                                    | parked
         release task 1                             | done; w1 gets 1
         take w1 ok                                 | succeeded, 2",
    );
}

#[test]
fn a_lost_create_goes_back_to_work() {
    play(
        REPOSITORIES,
        "at 0     submit create repository:f16          | accepted 1
         at 0     submit update repository:f16          | postponed 2: behind 1
         at 0     take w1                               | 1
         at 1s    take w2                               | parked
         at 15s   show 2                                | w2 gets 1; waiting: behind 1
         at 15s   take w2 ok                            | succeeded, 2",
    );
}

#[test]
fn a_scheduled_delete_decides_nothing_until_it_is_due() {
    play(
        FAST,
        "at 0    submit delete repository:f16 due=5s    | postponed 1: scheduled until 5s
         at 1s   submit update repository:f16           | accepted 2
         at 5s   show 1                                 | waiting: ahead 2
         at 5s   submit update repository:f16           | rejected: future decided by delete 1
         at 5s   take w1                                | 2
         at 5s   take w1 ok                             | succeeded, 1",
    );
}

#[test]
fn a_scheduled_task_meets_the_future_when_it_joins() {
    play(
        FAST,
        "at 0    submit update repository:f16 due=5s    | postponed 1: scheduled until 5s
         at 0    submit create repository:f16 due=6s    | postponed 2: scheduled until 6s
         at 1s   submit delete repository:f16           | accepted 3
         at 1s   take w1                                | 3
         at 5s   show 1                                 | cancelled: future decided by 3
         at 6s   show 2                                 | waiting: behind 3
         at 7s   take w1 ok                             | succeeded, 2",
    );
}

#[test]
fn two_scheduled_creates_do_not_both_run() {
    play(
        FAST,
        "at 0    submit create repository:f16 due=5s    | postponed 1: scheduled until 5s
         at 0    submit create repository:f16 due=6s    | postponed 2: scheduled until 6s
         at 5s   show 1                                 | waiting: ready
         at 6s   show 2                                 | cancelled: future decided by 1",
    );
}

#[test]
fn a_retry_behind_a_delete_that_succeeds_is_doomed() {
    play(
        FAST,
        "at 0    submit update repository:f16           | accepted 1
         at 0    take w1                                | 1
         at 0    finish w1 fail                         | retrying at 5s
         at 1s   submit delete repository:f16           | accepted 2
         at 1s   take w1                                | 2
         at 5s   show 1                                 | waiting: doomed by 2
         at 6s   finish w1 ok                           | succeeded
         at 6s   show 1                                 | cancelled: deleted by 2",
    );
}

#[test]
fn a_retry_behind_a_delete_that_fails_joins_again() {
    play(
        FAST,
        "at 0    submit update repository:f16           | accepted 1
         at 0    take w1                                | 1
         at 0    finish w1 fail                         | retrying at 5s
         at 1s   submit burn repository:f16             | accepted 2
         at 1s   take w1                                | 2
         at 5s   show 1                                 | waiting: doomed by 2
         at 6s   take w1 fail                           | failed, 1",
    );
}

#[test]
fn a_doomed_task_is_cancelled_also_if_a_create_is_queued() {
    play(
        FAST,
        "at 0    submit update repository:f16           | accepted 1
         at 0    take w1                                | 1
         at 0    finish w1 fail                         | retrying at 5s
         at 1s   submit delete repository:f16           | accepted 2
         at 1s   submit create repository:f16           | postponed 3: behind 2
         at 1s   take w1                                | 2
         at 5s   show 1                                 | waiting: doomed by 2
         at 6s   finish w1 ok                           | succeeded
         at 6s   show 1                                 | cancelled: deleted by 2
         at 6s   show 3                                 | waiting: ready",
    );
}

#[test]
fn if_one_in_the_middle_is_cancelled_the_next_is_behind_the_one_before() {
    play(
        FAST,
        "submit create repository:f16               | accepted 1
         take w1                                    | 1
         submit delete repository:f16               | postponed 2: behind 1
         submit create repository:f16               | postponed 3: behind 2
         submit update repository:f16               | postponed 4: behind 3
         cancel 2                                   | cancelled
         show 3                                     | waiting: behind 1
         show 4                                     | waiting: behind 3
         take w1 ok                                 | succeeded, 3
         take w1 ok                                 | succeeded, 4",
    );
}

#[test]
fn the_last_of_the_chain_decides_also_after_a_cancel() {
    play(
        FAST,
        "submit create repository:f16               | accepted 1
         submit delete repository:f16               | postponed 2: behind 1
         submit update repository:f16               | rejected: future decided by delete 2
         cancel 2                                   | cancelled
         submit update repository:f16               | postponed 3: behind 1",
    );
}

#[test]
fn a_lost_run_goes_back_before_the_delete_that_waited_for_it() {
    play(
        REPOSITORIES,
        "at 0     submit update repository:f16          | accepted 1
         at 0     take w1                               | 1
         at 1s    submit delete repository:f16          | postponed 2: held by 1
         at 1s    take w2                               | parked
         at 15s   show 2                                | w2 gets 1; waiting: held by 1
         at 16s   take w2 ok                            | succeeded, 2",
    );
}

#[test]
fn a_released_run_goes_back_before_the_delete_that_waited_for_it() {
    play(
        REPOSITORIES,
        "submit update repository:f16               | accepted 1
         take w1                                    | 1
         submit delete repository:f16 prio=9        | postponed 2: held by 1
         finish w1 release                          | waiting
         show 2                                     | waiting: ahead 1
         take w1                                    | 1",
    );
}

#[test]
fn two_barriers_that_need_each_others_resource_do_not_deadlock() {
    play(
        REPOSITORIES,
        "submit sync repository:a/create repository:b/update    | accepted 1
         submit sync repository:b/create repository:a/update    | postponed 2: behind 1 on repository:a
         take w1 max=2                                          | 1
         take w1 max=2 ok                                       | succeeded, 2
         take w1 max=2 ok                                       | succeeded, parked",
    );
}

#[test]
fn a_barrier_that_comes_back_waits_behind_one_at_work_where_it_only_updates() {
    play(
        FAST,
        "at 0    submit update repository:a/create repository:b/update  | accepted 1
         at 0    take w1                                                | 1
         at 0    finish w1 fail                                         | retrying at 5s
         at 1s   submit create repository:b                             | accepted 2
         at 1s   take w2                                                | 2
         at 1s   submit update repository:a                             | postponed 3: behind 1
         at 5s   show 1                                                 | waiting: behind 2 on repository:b
         at 6s   finish w2 ok                                           | succeeded
         at 6s   take w1 max=3                                          | 1
         at 6s   take w1 max=3 ok                                       | succeeded, 3",
    );
}

#[test]
fn a_delete_waits_for_the_readers_before_it_and_stops_those_after_it() {
    play(
        REPOSITORIES,
        "submit publish repository:f16      | accepted 1
         submit publish repository:f16      | accepted 2
         take w1 max=2                      | 1 2
         submit delete repository:f16       | postponed 3: held by 1 2
         submit publish repository:f16      | rejected: future decided by delete 3
         finish w1 1 ok                     | succeeded
         show 3                             | waiting: held by 2
         take w2                            | parked
         finish w1 2 ok                     | succeeded; w2 gets 3",
    );
}

#[test]
fn bypass_is_impossible_also_for_one_accepted_before_and_coming_back_from_a_hold() {
    // Held, so it left the line; the create came meanwhile; it may not run before that any more.
    play(
        REPOSITORIES,
        "submit update repository:f16       | accepted 1
         hold task 1                        | done
         submit create repository:f16       | accepted 2
         release task 1                     | done
         show 1                             | waiting: behind 2
         take w1                            | 2
         take w1 ok                         | succeeded, 1",
    );
}

#[test]
fn a_task_behind_two_barriers_waits_for_both() {
    play(
        REPOSITORIES,
        "submit create repository:a                     | accepted 1
         submit create repository:b                     | accepted 2
         submit update repository:a repository:b        | postponed 3: behind 1 on repository:a, behind 2 on repository:b
         take w1 max=2                                  | 1 2
         finish w1 1 ok                                 | succeeded
         show 3                                         | waiting: behind 2 on repository:b
         finish w1 2 ok                                 | succeeded
         take w1                                        | 3",
    );
}

#[test]
fn what_a_failed_create_cancels_fails_its_dependents_too() {
    play(
        FAST,
        "submit found repository:a                      | accepted 1
         submit update repository:a                     | postponed 2: behind 1
         submit update repository:b after=2             | postponed 3: dependent on 2
         take w1                                        | 1
         finish w1 fail                                 | failed
         show 2                                         | cancelled: not created by 1
         show 3                                         | cancelled: dependency failed 2",
    );
}

#[test]
fn a_delete_that_succeeds_cancels_also_what_claims_other_resources_besides() {
    play(
        FAST,
        "submit update repository:a repository:b due=1h | postponed 1: scheduled until 1h
         submit update repository:b due=1h              | postponed 2: scheduled until 1h
         submit delete repository:a                     | accepted 3
         take w1                                        | 3
         finish w1 ok                                   | succeeded
         show 1                                         | cancelled: deleted by 3
         show 2                                         | waiting: scheduled until 1h",
    );
}

#[test]
fn a_delete_cancelled_while_it_waits_lets_everyone_go_on() {
    play(
        REPOSITORIES,
        "submit sync repository:a                       | accepted 1
         take w1                                        | 1
         submit delete repository:a                     | postponed 2: held by 1
         submit create repository:a                     | postponed 3: behind 2
         cancel 2                                       | cancelled
         submit sync repository:a                       | postponed 4: behind 3
         show 3                                         | waiting: held by 1
         take w1 ok                                     | succeeded, 3",
    );
}

#[test]
fn a_chain_of_lifecycles_survives_a_restart() {
    play(
        REPOSITORIES,
        "submit delete repository:a                     | accepted 1
         submit create repository:a                     | postponed 2: behind 1
         submit sync repository:a                       | postponed 3: behind 2
         submit delete repository:a                     | postponed 4: behind 2
         take w1                                        | 1
         crash                                          | open
         show 3                                         | waiting: behind 2
         submit sync repository:a                       | rejected: future decided by delete 4
         take w1 ok                                     | succeeded, 2
         take w1 ok                                     | succeeded, 3
         take w1 ok                                     | succeeded, 4",
    );
}

#[test]
fn a_doomed_task_behind_a_lost_delete_stays_doomed() {
    play(
        "kind update retry=5s
         kind delete op=delete
         register w1 update delete
         register w2 update delete",
        "at 0    submit update repository:a             | accepted 1
         at 0    take w1                                | 1
         at 0    finish w1 fail                         | retrying at 5s
         at 1s   submit delete repository:a             | accepted 2
         at 1s   take w1                                | 2
         at 5s   show 1                                 | waiting: doomed by 2
         at 6s   take w2                                | parked
         at 16s  show 1                                 | w2 gets 2; waiting: doomed by 2
         at 17s  finish w2 ok                           | succeeded
         at 17s  show 1                                 | cancelled: deleted by 2",
    );
}

#[test]
fn a_doomed_task_joins_when_the_delete_is_cancelled() {
    play(
        FAST,
        "at 0    submit update repository:a             | accepted 1
         at 0    take w1                                | 1
         at 0    finish w1 fail                         | retrying at 5s
         at 1s   submit delete repository:a             | accepted 2
         at 5s   show 1                                 | waiting: doomed by 2
         at 6s   cancel 2                               | cancelled
         at 6s   show 1                                 | waiting: ready",
    );
}

#[test]
fn a_doomed_task_stays_doomed_while_the_delete_waits_for_its_retry() {
    play(
        FAST,
        "at 0    submit update repository:a             | accepted 1
         at 0    take w1                                | 1
         at 0    finish w1 fail                         | retrying at 5s
         at 1s   submit delete repository:a             | accepted 2
         at 1s   take w1                                | 2
         at 4s   finish w1 fail                         | retrying at 9s
         at 5s   show 1                                 | waiting: doomed by 2
         at 9s   take w1                                | 2
         at 9s   finish w1 ok                           | succeeded
         at 9s   show 1                                 | cancelled: deleted by 2",
    );
}

#[test]
fn a_failed_delete_releases_the_doomed_one_before_the_create_behind_it() {
    // It was accepted before the delete, and the create behind that; so it goes first, but it may
    // not run after the create has begun.
    play(
        FAST,
        "at 0    submit update repository:a             | accepted 1
         at 0    take w1                                | 1
         at 0    finish w1 fail                         | retrying at 5s
         at 1s   submit burn repository:a               | accepted 2
         at 1s   submit create repository:a             | postponed 3: behind 2
         at 1s   take w1                                | 2
         at 5s   show 1                                 | waiting: doomed by 2
         at 6s   finish w1 fail                         | failed
         at 6s   take w1                                | 1
         at 6s   show 3                                 | waiting: held by 1
         at 6s   take w1 ok                             | succeeded, 3",
    );
}

#[test]
fn whoever_waits_behind_one_barrier_on_several_resources_leaves_all_of_them_at_once() {
    // Else the delete would pass it on the one while it is let out of the other.
    play(
        FAST,
        "submit create repository:a repository:b        | accepted 1
         submit update repository:a repository:b        | postponed 2: *
         submit delete repository:a                     | postponed 3: behind 1
         take w1                                        | 1
         finish w1 ok                                   | succeeded
         show 2                                         | waiting: ready
         take w1                                        | 2
         take w1 ok                                     | succeeded, 3",
    );
}

#[test]
fn of_those_whom_a_delete_doomed_the_barriers_go_on_last() {
    // Nobody stands in line behind a barrier.
    play(
        FAST,
        "at 0    submit update repository:a             | accepted 1
         at 0    take w1                                | 1
         at 0    finish w1 fail                         | retrying at 5s
         at 0    submit delete repository:a hold        | *
         at 1s   submit delete repository:a             | accepted 3
         at 2s   release task 2                         | *
         at 2s   show 2                                 | waiting: doomed by 3
         at 5s   show 1                                 | waiting: doomed by 3
         at 6s   cancel 3                               | cancelled
         at 6s   show 1                                 | waiting: ready
         at 6s   show 2                                 | waiting: ahead 1
         at 6s   take w1                                | 1
         at 6s   take w1 ok                             | succeeded, 2",
    );
}

#[test]
fn a_delete_that_was_doomed_leaves_nobody_behind_who_came_before_it() {
    // The update came behind the create; delete 1, accepted first but held, came after it. So the
    // update goes first, though what it waited for is gone and the doomed are let out first.
    play(
        FAST,
        "at 0    hold kind delete                       | done
         at 0    submit delete repository:a             | postponed 1: held: kind delete
         at 0    submit burn repository:a               | accepted 2
         at 0    take w1                                | 2
         at 1s   submit create repository:a             | postponed 3: behind 2
         at 1s   submit burn repository:a due=1s        | postponed 4: scheduled until 2s
         at 1s   submit update repository:a             | postponed 5: behind 3
         at 2s   show 4                                 | waiting: behind 3
         at 2s   cancel 3                               | cancelled
         at 2s   release kind delete                    | done
         at 2s   show 1                                 | waiting: doomed by 2
         at 2s   cancel 4                               | cancelled
         at 3s   finish w1 fail                         | failed
         at 3s   show 1                                 | waiting: ahead 5
         at 3s   take w1                                | 5
         at 3s   take w1 ok                             | succeeded, 1",
    );
}
