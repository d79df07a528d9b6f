//! Leases, beats, lost runs, and runs that take too long (design §7, P5).

use crate::givens::REPOSITORIES;
use crate::scenario::play;

#[test]
fn a_run_whose_lease_ended_is_lost_and_its_task_goes_to_another_worker() {
    play(
        REPOSITORIES,
        "at 0       submit sync repository:f16      | accepted 1
         at 0       take w1                         | 1
         at 1s      take w2                         | parked
         at 14999   show 1                          | running on w1
         at 15s     show 1                          | w2 gets 1; running on w2
         at 15s     show 1 tries                    | tries 0, losses 1
         at 16s     finish w1 ok                    | refused: stale_token
         at 16s     beat w1                         | 1 gone
         at 17s     finish w2 ok                    | succeeded",
    );
}

#[test]
fn beats_keep_a_run_alive_for_ever() {
    play(
        "kind sync lease=15s
         register w1 sync",
        "at 0       submit sync repository:f16      | accepted 1
         at 0       take w1                         | 1
         at 10s     beat w1                         | 1 go on
         at 20s     beat w1                         | 1 go on
         at 30s     beat w1                         | 1 go on
         at 40s     beat w1                         | 1 go on
         at 54999   show 1                          | running on w1
         at 55s     show 1                          | waiting: *",
    );
}

#[test]
fn one_beat_renews_only_the_runs_it_names() {
    play(
        REPOSITORIES,
        "at 0       submit sync repository:a        | accepted 1
         at 0       submit sync repository:b        | accepted 2
         at 0       take w1 max=2                   | 1 2
         at 10s     beat w1 1                       | 1 go on
         at 15s     show 1                          | running on w1
         at 15s     show 2                          | waiting: *",
    );
}

#[test]
fn a_lost_worker_gets_no_work_until_it_registers_again() {
    play(
        REPOSITORIES,
        "at 0       submit sync repository:a        | accepted 1
         at 0       submit sync repository:b        | accepted 2
         at 0       take w1 max=2                   | 1 2
         at 10s     beat w1 1                       | 1 go on
         at 15s     workers                         | w1 runs 1 lost; w2
         at 15s     take w1                         | refused: session_lost
         # Its other run is not punished.
         at 20s     beat w1 1                       | 1 go on
         at 21s     finish w1 1 ok                  | succeeded
         at 21s     register w1 sync                | welcome
         at 21s     take w1                         | 2",
    );
}

#[test]
fn a_session_without_runs_needs_no_beat() {
    play(
        REPOSITORIES,
        "at 59m     submit sync repository:a        | postponed 1: no worker for sync
         at 59m     take w1                         | 1",
    );
}

#[test]
fn a_lost_run_goes_back_to_its_old_place() {
    play(
        REPOSITORIES,
        "at 0       submit sync repository:f16      | accepted 1
         at 0       take w1                         | 1
         at 1s      submit sync repository:f16      | postponed 2: held by 1
         at 2s      take w2                         | parked
         at 15s     show 2                          | w2 gets 1; waiting: held by 1",
    );
}

#[test]
fn three_losses_are_forgiven_the_fourth_is_not() {
    play(
        "kind sync
         register w1 sync
         register w2 sync
         register w3 sync
         register w4 sync
         register w5 sync",
        "at 0       submit sync repository:f16      | accepted 1
         at 0       take w1                         | 1
         at 0       take w2                         | parked
         at 15s     take w3                         | w2 gets 1; parked
         at 30s     take w4                         | w3 gets 1; parked
         at 45s     show 1 tries                    | w4 gets 1; tries 0, losses 3
         at 60s     show 1                          | failed: worker lost
         at 60s     take w5                         | parked",
    );
}

#[test]
fn a_kind_may_cancel_what_a_lost_worker_ran() {
    // Pulp: a missing worker is noticed after five minutes and stalls its tasks for six at most.
    play(
        "kind sync lease=5m loss=cancel
         kind update lease=5m
         register w1 sync update
         register w2 sync update",
        "at 0         submit sync repository:f16    | accepted 1
         at 0         submit update repository:f16  | postponed 2: ahead 1
         at 0         take w1                       | 1
         at 0         take w2                       | parked
         at 4m59s     show 1                        | running on w1
         at 5m        show 1                        | w2 gets 2; cancelled: worker lost
         at 6m        workers                       | w1 lost; w2 runs 2
         at 6m        take w1                       | refused: session_lost
         at 6m        register w1 sync              | welcome
         at 6m        submit sync repository:f17    | accepted 3
         at 6m        take w1                       | 3",
    );
}

#[test]
fn a_lost_run_is_released_within_a_second_of_its_lease_end_by_the_next_timer() {
    let mut world = play(
        REPOSITORIES,
        "at 0       submit sync repository:f16      | accepted 1
         at 0       take w1                         | 1
         at 7s      beat w1                         | 1 go on",
    );
    let timer = world.core.next_timer().elapsed.expect("the lease ends");
    assert!(timer.0 <= 23_000, "the cell would sleep until {timer:?}");
    world.advance(22_000);
    assert_eq!(world.step("tick"), "-");
    assert!(world.step("show 1").starts_with("waiting"));
}

#[test]
fn a_run_that_takes_too_long_is_told_then_renewed_no_more_then_ended() {
    play(
        "kind sync within=20s grace=10s retry=none
         register w1 sync",
        "at 0       submit sync repository:f16      | accepted 1
         at 0       take w1                         | 1
         at 10s     beat w1                         | 1 go on
         at 20s     beat w1                         | 1 stop: too long
         at 29s     beat w1                         | 1 stop: too long
         at 31s     beat w1                         | 1 ending: too long
         at 40s     beat w1                         | 1 ending: too long
         at 43999   show 1                          | running on w1, stopping
         at 44s     show 1                          | failed: ran too long",
    );
}

#[test]
fn a_run_that_takes_too_long_counts_as_a_failure() {
    play(
        "kind sync within=10s grace=5s retry=1m
         register w1 sync",
        "at 0       submit sync repository:f16      | accepted 1
         at 0       take w1                         | 1
         at 10s     beat w1                         | 1 stop: too long
         at 12s     finish w1 fail                  | retrying at 1m12s
         at 12s     show 1 tries                    | tries 1, losses 0",
    );
}

#[test]
fn a_run_that_never_answers_the_stop_is_retried_from_its_lease_end() {
    play(
        "kind sync within=10s grace=5s retry=1m
         register w1 sync",
        "at 0       submit sync repository:f16      | accepted 1
         at 0       take w1                         | 1
         at 10s     beat w1                         | 1 stop: too long
         at 25s     show 1                          | waiting: retrying until 1m25s",
    );
}

#[test]
fn a_success_in_time_counts_also_after_the_stop() {
    play(
        "kind sync within=10s grace=5s
         register w1 sync",
        "at 0       submit sync repository:f16      | accepted 1
         at 0       take w1                         | 1
         at 10s     beat w1                         | 1 stop: too long
         at 24s     finish w1 ok                    | succeeded",
    );
}

#[test]
fn the_resource_is_freed_only_when_the_run_has_ended() {
    play(
        "kind sync within=10s grace=5s retry=none
         register w1 sync
         register w2 sync",
        "at 0       submit sync repository:f16      | accepted 1
         at 0       take w1                         | 1
         at 0       submit sync repository:f16      | postponed 2: held by 1
         at 0       take w2                         | parked
         at 10s     beat w1                         | 1 stop: too long
         at 24s     show 2                          | waiting: held by 1
         at 25s     show 1                          | w2 gets 2; failed: ran too long",
    );
}

#[test]
fn a_changed_lease_length_holds_for_new_runs() {
    play(
        REPOSITORIES,
        "at 0       submit sync repository:a        | accepted 1
         at 0       submit sync repository:b        | accepted 2
         at 0       take w1                         | 1
         at 0       kind sync lease=1m              | done
         at 0       take w2                         | 2
         at 0       handed 2 lease                  | lease 1m
         at 15s     show 1                          | waiting: *
         at 59s     show 2                          | running on w2",
    );
}

#[test]
fn a_beat_after_the_lease_end_comes_too_late() {
    play(
        REPOSITORIES,
        "at 0       submit sync repository:a        | accepted 1
         at 0       take w1                         | 1
         at 15s     beat w1                         | 1 gone
         at 15s     show 1                          | waiting: *",
    );
}

#[test]
fn a_lost_workers_parked_take_gets_no_new_work() {
    play(
        REPOSITORIES,
        "at 0       submit sync repository:a        | accepted 1
         at 0       take w1                         | 1
         at 1s      take w1                         | parked
         at 14s     register w2 sync                | welcome
         at 16s     workers                         | w1 lost; w2
         at 16s     submit sync repository:b        | accepted 2
         at 16s     take w2 max=9                   | 1 2",
    );
}

#[test]
fn a_run_within_changed_while_it_runs_does_not_lose_the_run() {
    play(
        REPOSITORIES,
        "at 0       submit sync repository:a        | accepted 1
         at 0       take w1                         | 1
         at 1s      kind sync within=5s             | done
         at 10s     beat w1                         | 1 *
         at 12s     finish w1 ok                    | succeeded",
    );
}
