//! Recovery: the fold of the log, one fresh lease for live runs, and everything goes on (design §7,
//! §12).

use crate::givens::REPOSITORIES;
use crate::scenario::play;

#[test]
fn nobody_is_declared_lost_because_the_server_was_away() {
    play(
        REPOSITORIES,
        "at 0       submit sync repository:a        | accepted 1
         at 0       take w1                         | 1
         at 1s      down                            | done
         at 10m     up                              | open
         at 10m     show 1                          | running on w1
         at 10m5s   beat w1                         | 1 go on
         at 10m19s  finish w1 ok                    | succeeded",
    );
}

#[test]
fn the_fresh_lease_is_of_the_runs_own_length() {
    play(
        "kind sync lease=40s
         register w1 sync",
        "at 0       submit sync repository:a        | accepted 1
         at 0       take w1                         | 1
         at 1s      down                            | done
         at 100s    up                              | open
         at 139s    show 1                          | running on w1
         at 140s    show 1                          | waiting: *",
    );
}

#[test]
fn a_run_that_never_beat_is_not_granted_afresh_a_second_time() {
    play(
        REPOSITORIES,
        "at 0       submit sync repository:a        | accepted 1
         at 0       submit sync repository:b        | accepted 2
         at 0       take w1                         | 1
         at 0       take w2                         | 2
         at 1s      crash                           | open
         at 5s      beat w1                         | 1 go on
         at 10s     crash                           | open
         # w1 beat after the first restart: a fresh lease from 10 s. w2 did not: until 16 s.
         at 15999   show 2                          | running on w2
         at 16s     show 2                          | waiting: *
         at 24s     show 1                          | running on w1
         at 25s     show 1                          | waiting: *",
    );
}

#[test]
fn a_server_that_restarts_in_a_loop_does_not_keep_a_dead_workers_run_alive() {
    let mut world = play(
        REPOSITORIES,
        "at 0       submit sync repository:a        | accepted 1
         at 0       take w1                         | 1",
    );
    for second in 1..=30 {
        world.step(&format!("at {second}s crash"));
    }
    assert!(world.step("show 1").starts_with("waiting"), "P5");
}

#[test]
fn sessions_and_their_take_numbers_survive() {
    play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         submit sync repository:b           | accepted 2
         take w1 number=1                   | 1
         crash                              | open
         take w1 number=1                   | 1
         take w1 number=2                   | 2",
    );
}

#[test]
fn a_repeated_finish_gets_its_first_answer_also_after_a_restart() {
    play(
        REPOSITORIES,
        "at 0    submit sync repository:a       | accepted 1
         at 0    take w1                        | 1
         at 1s   finish w1 fail                 | retrying at 3m1s
         at 2s   crash                          | open
         at 3s   finish w1 fail                 | retrying at 3m1s
         at 3s   show 1 tries                   | tries 1, losses 0",
    );
}

#[test]
fn a_parked_take_is_forgotten_and_the_worker_takes_again() {
    play(
        REPOSITORIES,
        "take w1                            | parked
         crash                              | open
         submit sync repository:a           | accepted 1
         take w1                            | 1",
    );
}

#[test]
fn what_was_decided_but_not_committed_never_happened() {
    play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         take w1                            | 1
         finish w1 ok                       | succeeded
         crash lose=1                       | open
         show 1                             | running on w1
         finish w1 1 ok                     | succeeded",
    );
}

#[test]
fn an_uncommitted_hand_out_is_handed_out_again_under_a_token_that_still_grows() {
    let mut world = play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         submit sync repository:b           | accepted 2
         take w1                            | 1",
    );
    let first = world.workers["w1"].runs[0].token;
    world.step("crash lose=1");
    assert_eq!(world.step("take w2"), "1");
    // The reply with the first token was never let go, so nobody has seen it.
    let second = world.workers["w2"].runs[0].token;
    assert!(second >= first);
}

#[test]
fn waiting_tasks_of_every_sort_come_back_as_they_were() {
    let rows = [1, 2, 3, 4, 5, 6, 7, 8].map(|task| format!("show {task}"));
    let mut world = play(
        "quota one at_once:1
         kind sync retry=1h
         kind dear quota=one
         kind create op=create
         kind gathered coalesce=latest gather=1m
         register w1 sync dear create gathered",
        "submit dear shop:0                 | accepted 1
         submit sync shop:1                 | accepted 2
         take w1 max=2                      | 1 2
         finish w1 2 fail                   | retrying at 1h
         submit sync shop:2 due=2h          | postponed 3: scheduled until 2h
         submit sync shop:3 after=3         | postponed 4: dependent on 3
         submit gathered shop:4             | postponed 5: gathering until 1m
         submit create shop:5               | accepted 6
         submit sync shop:5                 | postponed 7: behind 6
         submit dear shop:6                 | postponed 8: throttled by one
         take w1                            | 6",
    );
    let before = rows.clone().map(|row| world.step(&row));
    world.step("crash");
    assert_eq!(rows.map(|row| world.step(&row)), before);
    world.same_after_replay();
}

#[test]
fn time_goes_on_from_the_last_logged_value() {
    // The boot-time clock of the new machine may be behind: the core's never is.
    let mut world = play(
        REPOSITORIES,
        "at 10s     submit sync repository:a        | accepted 1
         at 10s     take w1                         | 1",
    );
    world.die(0);
    world.at = 0;
    world.open();
    assert_eq!(world.core.now().elapsed.0, 10_000);
    assert_eq!(world.step("show 1"), "running on w1");
}

#[test]
fn a_restore_takes_a_higher_generation() {
    let mut world = play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         take w1                            | 1
         restore                            | open
         take w2                            | parked
         submit sync repository:b           | accepted 2; w2 gets 2",
    );
    let old = world.workers["w1"].runs[0].token;
    let new = world.workers["w2"].runs[0].token;
    assert!(new > old && new.generation == 2);
    // The run from before the restore is still live under its own token.
    assert_eq!(world.step("finish w1 ok"), "succeeded");
}

#[test]
fn a_quota_pause_and_its_end_survive() {
    play(
        "quota calls 10/1s
         kind sync quota=calls
         register w1 sync",
        "at 0    pause quota calls 10s          | done
         at 1s   crash                          | open
         at 1s   submit sync shop:1             | postponed 1: throttled by calls until 10s
         at 1s   take w1                        | parked
         at 10s  tick                           | w1 gets 1",
    );
}

#[test]
fn a_stop_that_was_asked_for_is_not_forgotten() {
    play(
        REPOSITORIES,
        "at 0    submit sync repository:a       | accepted 1
         at 0    take w1                        | 1
         at 1s   cancel 1                       | stopping
         at 2s   crash                          | open
         at 3s   beat w1                        | 1 stop: cancelled
         at 4s   finish w1 fail                 | cancelled",
    );
}
