//! `idempotency_key`: a client that lost the reply can repeat the request safely (design §3).

use crate::givens::REPOSITORIES;
use crate::scenario::play;

#[test]
fn repeating_the_request_returns_the_first_answer() {
    play(
        REPOSITORIES,
        "submit sync repository:a idem=k1           | accepted 1
         submit sync repository:a idem=k1           | accepted 1 (repeated)
         submit sync repository:b idem=k2           | accepted 2
         live                                       | 1 2",
    );
}

#[test]
fn the_first_answer_stays_although_the_world_moved_on() {
    play(
        REPOSITORIES,
        "submit sync repository:a                   | accepted 1
         submit sync repository:a idem=k            | postponed 2: ahead 1
         take w1                                    | 1
         take w1 ok                                 | succeeded, 2
         take w1 ok                                 | succeeded, parked
         submit sync repository:a idem=k            | postponed 2: ahead 1 (repeated)
         live                                       | none",
    );
}

#[test]
fn the_same_key_with_another_body_is_refused() {
    play(
        REPOSITORIES,
        "submit sync repository:a idem=k                    | accepted 1
         submit sync repository:b idem=k                    | refused: idempotency_mismatch
         submit update repository:a idem=k                  | refused: idempotency_mismatch
         submit sync repository:a idem=k payload=other      | refused: idempotency_mismatch
         submit sync repository:a idem=k prio=9             | refused: idempotency_mismatch
         submit sync repository:a idem=k                    | accepted 1 (repeated)",
    );
}

#[test]
fn a_key_is_kept_for_a_day() {
    play(
        REPOSITORIES,
        "at 0          submit sync repository:a idem=k      | accepted 1
         at 23h59m     submit sync repository:a idem=k      | accepted 1 (repeated)
         at 24h1m      submit sync repository:a idem=k      | postponed 2: *",
    );
}

#[test]
fn refusals_are_not_remembered() {
    play(
        "kind sync waiting=1
         register w1 sync",
        "submit sync repository:a                   | accepted 1
         submit sync repository:b idem=k            | refused: kind_full
         take w1                                    | 1
         submit sync repository:b idem=k            | accepted 2
         submit sync repository:b idem=k            | accepted 2 (repeated)",
    );
}

#[test]
fn a_merged_submission_is_remembered_as_merged() {
    play(
        "kind sync coalesce=latest
         register w1 sync",
        "submit sync repository:a                   | accepted 1
         submit sync repository:a idem=k            | coalesced 1 x2, accepted
         submit sync repository:a idem=k            | coalesced 1 x2, accepted (repeated)
         take w1                                    | 1
         handed 1 count                             | x2",
    );
}

#[test]
fn a_dry_run_is_not_remembered() {
    play(
        REPOSITORIES,
        "submit sync repository:a idem=k dry        | accepted -
         submit sync repository:b idem=k            | accepted 1",
    );
}

#[test]
fn a_key_survives_a_restart() {
    play(
        REPOSITORIES,
        "submit sync repository:a idem=k            | accepted 1
         crash                                      | open
         submit sync repository:a idem=k            | accepted 1 (repeated)
         submit sync repository:b idem=k            | refused: idempotency_mismatch",
    );
}

#[test]
fn an_answer_that_was_never_committed_is_not_remembered() {
    play(
        REPOSITORIES,
        "submit sync repository:a idem=k            | accepted 1
         crash lose=1                               | open
         live                                       | none
         submit sync repository:a idem=k            | accepted 1",
    );
}

#[test]
fn the_same_key_twice_in_one_batch_is_one_task() {
    play(
        REPOSITORIES,
        "submit sync repository:a idem=k ; sync repository:a idem=k     | accepted 1; accepted 1 (repeated)
         live                                                           | 1",
    );
}

#[test]
fn a_repeated_key_does_not_count_against_a_cap() {
    play(
        "kind sync waiting=1
         register w1 sync",
        "submit sync repository:a idem=k            | accepted 1
         submit sync repository:a idem=k            | accepted 1 (repeated)",
    );
}

#[test]
fn a_repetition_under_another_trace_is_the_same_request() {
    // The trace context comes with the call, not in its body: each repetition has its own.
    play(
        REPOSITORIES,
        "submit sync repository:a idem=k trace=00-first     | accepted 1
         submit sync repository:a idem=k trace=00-second    | accepted 1 (repeated)",
    );
}
