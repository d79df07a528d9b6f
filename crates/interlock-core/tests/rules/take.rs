//! `take`: the best first, of the kinds a session handles, up to n, numbered (design §7).

use crate::givens::{REPOSITORIES, SHOPS};
use crate::scenario::play;

#[test]
fn the_best_rank_goes_first_over_all_kinds_of_the_session() {
    play(
        SHOPS,
        "submit regular_download shop:1     | accepted 1
         submit upload_changes shop:2       | accepted 2
         submit forced_download shop:3      | accepted 3
         submit upload_changes shop:4       | accepted 4
         take w1                            | 2
         take w2 max=9                      | 4 3 1",
    );
}

#[test]
fn a_worker_gets_only_the_kinds_it_handles() {
    play(
        "kind sync
         kind publish op=read
         register w1 sync
         register w2 publish",
        "submit sync repository:a           | accepted 1
         submit publish repository:b        | accepted 2
         take w2 max=9                      | 2
         take w2 max=9                      | parked
         take w1 max=9                      | 1",
    );
}

#[test]
fn one_take_never_gets_two_that_conflict() {
    play(
        REPOSITORIES,
        "submit sync repository:a                   | accepted 1
         submit sync repository:a                   | postponed 2: ahead 1
         submit publish repository:b                | accepted 3
         submit publish repository:b                | accepted 4
         submit sync repository:b                   | postponed 5: ahead 3 4
         take w1 max=9                              | 1 3 4",
    );
}

#[test]
fn a_parked_take_is_woken_by_a_submission() {
    play(
        REPOSITORIES,
        "at 0    take w1                            | parked
         at 1s   submit sync repository:a           | accepted 1; w1 gets 1
         at 2s   submit sync repository:b           | accepted 2
         at 2s   take w1                            | 2",
    );
}

#[test]
fn one_submission_wakes_one_worker() {
    play(
        REPOSITORIES,
        "take w1                            | parked
         take w2                            | parked
         submit sync repository:a           | accepted 1; w* gets 1
         submit sync repository:b           | accepted 2; w* gets 2
         submit sync repository:c           | accepted 3",
    );
}

#[test]
fn a_parked_take_comes_back_empty_when_its_time_is_up() {
    play(
        REPOSITORIES,
        "at 0     take w1 wait=5s                   | parked
         at 5s    tick                              | w1 gets nothing
         at 6s    submit sync repository:a          | accepted 1
         at 6s    take w1 wait=10m                  | 1
         at 6s    take w1 wait=10m ok               | succeeded, parked
         at 67s   tick                              | [1m6s] w1 gets nothing",
    );
}

#[test]
fn a_take_that_does_not_wait_is_answered_at_once() {
    play(
        REPOSITORIES,
        "take w1 wait=0                     | nothing
         submit sync repository:a           | accepted 1
         take w1 wait=0                     | 1",
    );
}

#[test]
fn repeating_the_last_number_gets_the_same_answer() {
    play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         submit sync repository:b           | accepted 2
         submit sync repository:c           | accepted 3
         take w1 max=2 number=1             | 1 2
         take w1 max=2 number=1             | 1 2
         take w1 max=2 number=2             | 3
         take w1 max=2 number=2             | 3
         take w1 max=2 number=1             | refused: stale_take",
    );
}

#[test]
fn a_repeated_take_with_finishes_gets_the_first_answers() {
    play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         submit sync repository:b           | accepted 2
         take w1 number=1                   | 1
         take w1 number=2 ok                | succeeded, 2
         take w1 number=2                   | 2
         finish w1 1 ok                     | succeeded
         show 2                             | running on w1",
    );
}

#[test]
fn a_new_take_replaces_a_parked_one() {
    play(
        REPOSITORIES,
        "take w1                            | parked
         take w1                            | parked
         submit sync repository:a           | accepted 1; w1 gets 1
         submit sync repository:b           | accepted 2",
    );
}

#[test]
fn a_take_may_carry_the_finishes_of_the_last_batch() {
    play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         submit sync repository:b           | accepted 2
         submit sync repository:a           | postponed 3: ahead 1
         take w1 max=2                      | 1 2
         take w1 max=2 ok                   | succeeded, succeeded, 3
         take w1 max=2 ok                   | succeeded, parked",
    );
}

#[test]
fn the_hand_out_carries_what_the_run_needs() {
    play(
        "kind sync lease=20s within=1m retry=1s
         register w1 sync",
        "at 0    submit sync repository:b/read repository:a payload=hello trace=00-abc | accepted 1
         at 0    take w1                                        | 1
         at 0    handed 1 kind claims payload attempt count     | sync, update repository:a + read repository:b, hello, attempt 1, x1
         at 0    handed 1 lease within trace                    | lease 20s, 1m, 00-abc
         at 0    finish w1 fail                                 | retrying at 1s
         at 1s   take w1                                        | 1
         at 1s   handed 1 attempt payload                       | attempt 2, hello",
    );
}

#[test]
fn a_hand_out_that_could_not_be_delivered_goes_back_at_once() {
    play(
        REPOSITORIES,
        "at 0    submit sync repository:a           | accepted 1
         at 1s   submit sync repository:a           | postponed 2: ahead 1
         at 1s   take w1                            | 1
         at 1s   take w2                            | parked
         at 2s   return w1                          | done; w2 gets 1
         at 2s   finish w1 1 ok                     | refused: stale_token
         at 2s   finish w2 ok                       | succeeded
         at 2s   take w1                            | 2",
    );
}

#[test]
fn a_returned_take_leaves_runs_that_have_beaten() {
    play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         submit sync repository:b           | accepted 2
         take w1 max=2                      | 1 2
         beat w1 1                          | 1 go on
         return w1                          | done
         show 1                             | running on w1
         show 2                             | waiting: ready",
    );
}

#[test]
fn a_take_that_was_answered_twice_is_not_returned() {
    // Of the two answers one may have arrived.
    play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         take w1 number=1                   | 1
         take w1 number=1                   | 1
         return w1                          | done
         show 1                             | running on w1",
    );
}

#[test]
fn returning_burns_neither_a_try_nor_a_loss() {
    play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         take w1                            | 1
         return w1                          | done
         show 1 tries                       | tries 0, losses 0",
    );
}

#[test]
fn a_returned_run_that_was_called_off_has_no_finish_to_repeat() {
    play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         take w1                            | 1
         cancel 1                           | stopping
         return w1                          | done
         show 1                             | cancelled: asked
         finish w1 1 ok                     | refused: stale_token",
    );
}

#[test]
fn a_returned_run_can_not_have_taken_too_long() {
    play(
        "kind sync within=5s
         register w1 sync",
        "at 0    submit sync repository:a           | accepted 1
         at 0    take w1                            | 1
         at 6s   return w1                          | done
         at 6s   show 1 tries                       | tries 0, losses 0
         at 6s   finish w1 1 ok                     | refused: stale_token
         at 6s   take w1                            | 1",
    );
}

#[test]
fn a_returned_parked_take_is_dropped() {
    play(
        REPOSITORIES,
        "take w1                            | parked
         return w1                          | done
         submit sync repository:a           | accepted 1
         counts                             | waiting 1, running 0",
    );
}

#[test]
fn every_hand_out_has_a_greater_token_across_restarts_and_restores() {
    let mut world = play(
        REPOSITORIES,
        "submit sync repository:a           | accepted 1
         submit sync repository:b           | accepted 2
         submit sync repository:c           | accepted 3
         take w1                            | 1",
    );
    world.step("crash");
    assert_eq!(world.step("take w1"), "2");
    world.step("restore");
    assert_eq!(world.step("take w1"), "3");
    let tokens: Vec<_> = world
        .handed
        .values()
        .map(|hand_out| hand_out.token)
        .collect();
    assert!(tokens.is_sorted() && tokens[1] != tokens[2] && tokens[0] != tokens[1]);
    assert_eq!(tokens[2].generation, 2);
}

#[test]
fn a_take_of_an_unknown_session_is_refused() {
    play(
        REPOSITORIES,
        "register w1 as again sync          | welcome
         take w1                            | refused: stale_session
         take again                         | parked",
    );
}
