//! The line: ranks, places, readers and writers; only what could run now stands in it (design §4).

use crate::givens::{REPOSITORIES, SHOPS};
use crate::scenario::play;

#[test]
fn first_come_first_served_among_equals() {
    play(
        REPOSITORIES,
        "submit sync repository:f16         | accepted 1
         submit update repository:f16       | postponed 2: ahead 1
         submit sync repository:f16         | postponed 3: ahead 1 2
         take w1 max=3                      | 1
         take w1 max=3 ok                   | succeeded, 2
         take w1 max=3 ok                   | succeeded, 3",
    );
}

#[test]
fn on_demand_goes_before_regular() {
    play(
        SHOPS,
        "at 0    submit regular_download shop:42    | accepted 1
         at 1s   submit forced_download shop:42     | accepted 2
         at 2s   submit upload_changes shop:42      | accepted 3
         at 2s   show 1                             | waiting: ahead 2 3
         at 2s   show 2                             | waiting: ahead 3
         at 2s   take w1                            | 3
         at 2s   take w1 ok                         | succeeded, 2
         at 2s   take w1 ok                         | succeeded, 1",
    );
}

#[test]
fn on_demand_goes_first_also_between_shops() {
    play(
        SHOPS,
        "submit regular_download shop:1     | accepted 1
         submit regular_download shop:2     | accepted 2
         submit forced_download shop:3      | accepted 3
         submit regular_download shop:4 prio=9 | accepted 4
         take w1 max=4                      | 4 3 1 2",
    );
}

#[test]
fn a_shop_that_is_being_processed_is_left_alone() {
    play(
        SHOPS,
        "submit forced_download shop:1      | accepted 1
         take w1                            | 1
         submit upload_changes shop:1       | postponed 2: held by 1
         submit regular_download shop:2     | accepted 3
         take w2                            | 3
         take w2                            | parked
         finish w1 ok                       | succeeded; w2 gets 2",
    );
}

#[test]
fn waiting_outweighs_priority_in_the_end() {
    // Nine levels of a second each: what has waited nine seconds is passed by no newcomer.
    play(
        "namespace step=1s
         kind sync",
        "at 0       submit sync shop:1 prio=0       | accepted 1
         at 8999    submit sync shop:1 prio=9       | accepted 2
         at 9s      submit sync shop:1 prio=9       | postponed 3: ahead 1 2
         at 9s      register w1 sync                | welcome
         at 9s      take w1                         | 2
         at 9s      take w1 ok                      | succeeded, 1
         at 9s      take w1 ok                      | succeeded, 3",
    );
}

#[test]
fn a_task_waits_for_no_unrelated_one() {
    play(
        REPOSITORIES,
        "submit sync repository:a                   | accepted 1
         take w1                                    | 1
         submit sync repository:a                   | postponed 2: held by 1
         submit sync repository:b                   | accepted 3
         submit publish repository:c                | accepted 4
         take w2 max=4                              | 3 4",
    );
}

#[test]
fn a_task_waits_by_a_chain_of_conflicts() {
    play(
        REPOSITORIES,
        "submit sync repository:a                   | accepted 1
         take w1                                    | 1
         submit sync repository:a repository:b      | postponed 2: held by 1 on repository:a
         submit sync repository:b                   | postponed 3: ahead 2
         take w2                                    | parked
         finish w1 ok                               | succeeded; w2 gets 2
         take w1                                    | parked
         finish w2 ok                               | succeeded; w1 gets 3",
    );
}

#[test]
fn crossed_claims_do_not_deadlock() {
    play(
        REPOSITORIES,
        "submit sync repository:a repository:b      | accepted 1
         submit sync repository:b repository:a      | postponed 2: ahead 1 on repository:a, ahead 1 on repository:b
         submit sync repository:b repository:c      | postponed 3: ahead 1 2 on repository:b
         submit sync repository:c repository:a      | postponed 4: ahead 1 2 on repository:a, ahead 3 on repository:c
         take w1 max=4                              | 1
         take w1 max=4 ok                           | succeeded, 2
         take w1 max=4 ok                           | succeeded, 3
         take w1 max=4 ok                           | succeeded, 4",
    );
}

#[test]
fn readers_behind_a_waiting_writer_wait() {
    play(
        REPOSITORIES,
        "submit publish repository:f16      | accepted 1
         take w1                            | 1
         submit update repository:f16       | postponed 2: held by 1
         submit publish repository:f16      | postponed 3: ahead 2
         submit publish repository:f16      | postponed 4: ahead 2
         take w2                            | parked
         finish w1 ok                       | succeeded; w2 gets 2
         take w1 max=5                      | parked
         finish w2 ok                       | succeeded; w1 gets 3 4",
    );
}

#[test]
fn a_reader_of_higher_priority_passes_a_waiting_writer() {
    play(
        REPOSITORIES,
        "submit publish repository:f16              | accepted 1
         take w1                                    | 1
         submit update repository:f16               | postponed 2: held by 1
         submit publish repository:f16 prio=9       | accepted 3
         take w2                                    | 3",
    );
}

#[test]
fn a_released_run_goes_back_to_its_old_place() {
    play(
        REPOSITORIES,
        "at 0    submit sync repository:f16         | accepted 1
         at 1s   submit sync repository:f16         | postponed 2: ahead 1
         at 2s   take w1                            | 1
         at 3s   finish w1 release                  | waiting
         at 3s   show 2                             | waiting: ahead 1
         at 3s   take w2                            | 1",
    );
}

#[test]
fn a_retry_joins_anew_at_its_retry_time() {
    play(
        "kind sync retry=5s
         register w1 sync",
        "at 0    submit sync repository:f16         | accepted 1
         at 0    submit sync repository:f16         | postponed 2: ahead 1
         at 0    take w1                            | 1
         at 1s   finish w1 fail                     | retrying at 6s
         at 1s   show 2                             | waiting: ready
         at 2s   submit sync repository:f16         | postponed 3: ahead 2
         at 6s   show 1                             | waiting: ahead 2 3
         at 6s   take w1                            | 2
         at 6s   take w1 ok                         | succeeded, 3
         at 6s   take w1 ok                         | succeeded, 1",
    );
}

#[test]
fn a_scheduled_task_stands_in_no_line_until_it_is_due() {
    play(
        REPOSITORIES,
        "at 0    submit sync repository:f16 due=5s  | postponed 1: scheduled until 5s
         at 1s   submit sync repository:f16         | accepted 2
         at 2s   submit sync repository:f16         | postponed 3: ahead 2
         at 5s   show 1                             | waiting: ahead 2 3
         at 5s   take w1                            | 2
         at 5s   take w1 ok                         | succeeded, 3
         at 5s   take w1 ok                         | succeeded, 1",
    );
}

#[test]
fn a_due_task_counts_from_its_due_time() {
    // Between two that came before and after it became due.
    play(
        REPOSITORIES,
        "at 0    submit sync repository:f16 due=5s  | postponed 1: scheduled until 5s
         at 4s   submit sync repository:f16         | accepted 2
         at 6s   submit sync repository:f16         | postponed 3: ahead 1 2
         at 6s   take w1                            | 2
         at 6s   take w1 ok                         | succeeded, 1
         at 6s   take w1 ok                         | succeeded, 3",
    );
}

#[test]
fn a_kind_without_a_worker_leaves_the_line() {
    play(
        "kind orphan
         kind sync
         register w1 sync",
        "at 0     submit orphan repository:f16      | accepted 1
         at 1s    submit sync repository:f16        | postponed 2: ahead 1
         at 1s    take w1                           | parked
         at 16s   show 1                            | *w1 gets 2; waiting: no worker for orphan
         at 16s   finish w1 ok                      | succeeded
         at 16s   submit orphan repository:f17      | postponed 3: no worker for orphan
         at 17s   register w2 orphan                | welcome
         at 17s   show 3                            | waiting: ready
         at 17s   take w2 max=2                     | 1 3",
    );
}

#[test]
fn a_worker_that_waits_for_work_keeps_its_kinds_staffed() {
    play(
        "kind sync
         register w1 sync
         kind other
         register w2 other",
        "at 0     take w1 max=1                     | parked
         at 10m   submit sync repository:f16        | accepted 1; w1 gets 1
         at 10m   submit other repository:f17       | postponed 2: no worker for other
         at 10m   take w2                           | 2",
    );
}
