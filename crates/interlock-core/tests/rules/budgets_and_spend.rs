//! Quotas inside a run: budgets in slices for who holds the resource alone, permits through the
//! server for everyone else (design §9).

use crate::scenario::{World, play, play_on};
use interlock_core::reply::{Budget, HandOut};
use interlock_core::words::{Limit, TaskId};

const SHOPS: &str = "
    quota second per=shop 10/1s 1000/24h
    kind sync quota=second:0 retry=1s
    kind watch op=read quota=second:0
    register w1 sync watch
    register w2 sync watch
";

const CALLS: &str = "
    quota calls 3/10s
    kind sync quota=calls:0
    register w1 sync
";

fn handed(world: &World, task: u64) -> &HandOut {
    &world.handed[&TaskId(task)]
}

fn budget(world: &World, task: u64) -> &Budget {
    match &handed(world, task).budgets[..] {
        [budget] => budget,
        other => panic!("one budget was expected: {other:?}"),
    }
}

#[test]
fn an_exclusive_run_is_handed_the_quota_of_its_shop() {
    let world = play(
        SHOPS,
        "submit sync shop:1             | accepted 1
         take w1                        | 1
         handed 1 budgets               | second 10/1s 1000/24h recent 0 0",
    );
    let budget = budget(&world, 1);
    assert!(budget.slice >= 1 && budget.slice <= 1_000, "{budget:?}");
    assert_eq!(
        budget.limits[0],
        Limit::Window {
            units: 10,
            per_ms: 1_000
        }
    );
    assert_eq!(budget.paused_ms, 0);
}

#[test]
fn a_reader_gets_no_budget_and_spends_through_the_server() {
    play(
        SHOPS,
        "submit watch shop:1            | accepted 1
         take w1                        | 1
         handed 1 budgets               | no budget
         spend w1 second 10             | granted
         spend w1 second 1              | wait *",
    );
}

#[test]
fn an_exclusive_run_may_not_spend_its_own_quota_through_the_server() {
    play(
        SHOPS,
        "submit sync shop:1             | accepted 1
         take w1                        | 1
         spend w1 second 1              | refused: spent_locally",
    );
}

#[test]
fn a_quota_of_the_namespace_is_spent_through_the_server_by_everyone() {
    play(
        CALLS,
        "at 0       submit sync shop:1          | accepted 1
         at 0       take w1                     | 1
         at 0       handed 1 budgets            | no budget
         at 0       spend w1 calls 2            | granted
         at 0       spend w1 calls 2            | wait *
         at 0       spend w1 calls 1            | granted
         at 0       spend w1 calls 1            | wait *
         at 0       spend w1 calls 4            | refused: never_enough
         at 0       usage calls                 | 3 of 3/10s; waiting 0",
    );
}

#[test]
fn a_permit_occupies_its_window_from_the_grant_until_one_window_after_the_drop() {
    play(
        CALLS,
        "at 0       submit sync shop:1          | accepted 1
         at 0       take w1                     | 1
         at 0       spend w1 calls 3            | granted
         at 9s      beat w1                     | 1 go on
         # A window has passed, but the permit is still in hand.
         at 11s     spend w1 calls 1            | wait *
         at 12s     beat w1 dropped=calls:3     | 1 go on
         at 20s     beat w1                     | 1 go on
         at 21.9s   spend w1 calls 1            | wait *
         at 22.4s   spend w1 calls 1            | granted",
    );
}

#[test]
fn permits_are_dropped_when_the_run_ends() {
    play(
        CALLS,
        "at 0       submit sync shop:1          | accepted 1
         at 0       submit sync shop:2          | accepted 2
         at 0       take w1                     | 1
         at 0       spend w1 calls 3            | granted
         at 5s      finish w1 ok                | succeeded
         at 14.9s   take w1                     | 2
         at 14.9s   spend w1 calls 1            | wait *
         at 15.4s   spend w1 calls 1            | granted",
    );
}

#[test]
fn permits_of_a_lost_run_are_dropped_at_its_loss() {
    play(
        "quota calls 3/10s
         kind sync quota=calls:0
         register w1 sync
         register w2 sync",
        "at 0       submit sync shop:1          | accepted 1
         at 0       take w1                     | 1
         at 0       spend w1 calls 3            | granted
         at 1s      take w2                     | parked
         at 15s     spend w1 calls 1            | w2 gets 1; refused: *
         at 24.9s   spend w2 calls 1            | wait *
         at 25.4s   spend w2 calls 1            | granted",
    );
}

#[test]
fn use_reported_with_beats_is_handed_to_the_next_run_of_the_shop() {
    play(
        SHOPS,
        "at 0       submit sync shop:1          | accepted 1
         at 0       submit sync shop:1          | postponed 2: ahead 1
         at 0       take w1                     | 1
         at 500     beat w1 used=second:4       | 1 go on*
         at 600     finish w1 ok used=second:3  | succeeded
         at 700     take w2                     | 2
         at 700     handed 2 budgets            | second 10/1s 1000/24h recent 7 7
         at 1s      finish w2 ok                | succeeded
         at 2s      usage second@shop:1         | 0 of 10/1s; 7 of 1000/24h; waiting 0",
    );
}

#[test]
fn a_shop_that_moves_to_another_worker_cannot_exceed_its_second() {
    let mut world = play(
        SHOPS,
        "at 0       submit sync shop:1          | accepted 1
         at 0       submit sync shop:1          | postponed 2: ahead 1
         at 0       take w1                     | 1
         at 100     finish w1 ok used=second:10 | succeeded
         at 200     take w2                     | 2",
    );
    let recent: u64 = budget(&world, 2).recent[0]
        .iter()
        .map(|(_, units)| units)
        .sum();
    assert_eq!(recent, 10, "the second is full, and the new worker knows");
    let oldest = budget(&world, 2).recent[0]
        .iter()
        .map(|(ago, _)| *ago)
        .max();
    assert!(
        oldest <= Some(200),
        "use is never said to be older than it is: {oldest:?}"
    );
    play_on(&mut world, "at 300 finish w2 ok | succeeded");
}

#[test]
fn a_lost_runs_slice_counts_as_used() {
    let mut world = play(
        SHOPS,
        "at 0       submit sync shop:1          | accepted 1
         at 0       take w1                     | 1
         at 0       take w2                     | parked",
    );
    let slice = budget(&world, 1).slice;
    world.advance(15_000);
    assert_eq!(world.step("show 1"), "running on w2");
    let recent: u64 = budget(&world, 1).recent[1]
        .iter()
        .map(|(_, units)| units)
        .sum();
    assert_eq!(recent, slice, "what it may have used counts as used");
}

#[test]
fn a_lost_runs_reported_use_is_not_counted_twice() {
    let mut world = play(
        SHOPS,
        "at 0       submit sync shop:1          | accepted 1
         at 0       take w1                     | 1
         at 0       take w2                     | parked
         at 1s      beat w1 used=second:3       | 1 go on*",
    );
    let slice = budget(&world, 1).slice;
    world.advance(16_000);
    let recent: u64 = budget(&world, 1).recent[1]
        .iter()
        .map(|(_, units)| units)
        .sum();
    assert!(recent >= slice.max(3), "{recent} of a slice of {slice}");
    assert!(
        recent <= 3 + slice,
        "3 were reported, at most {slice} unreported, {recent} counted"
    );
}

#[test]
fn budgets_are_granted_in_slices_that_never_add_up_to_more_than_the_limit() {
    let mut world = play(
        "quota day per=shop 100/24h
         kind sync quota=day:0
         register w1 sync",
        "submit sync shop:1             | accepted 1
         take w1                        | 1",
    );
    let mut slice = budget(&world, 1).slice;
    let mut used = 0;
    for beat in 1..=200 {
        assert!(
            used + slice <= 100,
            "{used} used and {slice} in hand of 100"
        );
        let spent = slice;
        used += spent;
        let said = world.step(&format!("at {}s beat w1 used=day:{spent}", beat * 5));
        slice = said
            .split_once("slice ")
            .and_then(|(_, rest)| rest.trim_end_matches(']').split(' ').next()?.parse().ok())
            .unwrap_or(0);
    }
    assert_eq!(used, 100, "the whole day is spent in the end");
    assert_eq!(world.step("usage day@shop:1"), "100 of 100/24h; waiting 0");
}

#[test]
fn a_pause_is_told_with_the_hand_out_and_with_the_beat() {
    let world = play(
        SHOPS,
        "at 0       submit sync shop:1              | accepted 1
         at 0       take w1                         | 1
         at 1s      pause quota second@shop:1 30s   | done
         at 2s      beat w1                         | 1 go on [second slice * paused for 29s]
         at 3s      finish w1 ok                    | succeeded",
    );
    assert_eq!(budget(&world, 1).paused_ms, 0);
}

#[test]
fn a_stale_run_spends_nothing() {
    play(
        CALLS,
        "submit sync shop:1             | accepted 1
         take w1                        | 1
         finish w1 ok                   | succeeded
         spend w1 calls 1               | refused: stale_token
         usage calls                    | 0 of 3/10s; waiting 0",
    );
}

#[test]
fn granted_permits_survive_a_restart() {
    play(
        CALLS,
        "at 0       submit sync shop:1          | accepted 1
         at 0       take w1                     | 1
         at 0       spend w1 calls 3            | granted
         at 1s      crash                       | open
         at 2s      beat w1                     | 1 go on
         at 11s     spend w1 calls 1            | wait *
         at 11s     usage calls                 | 3 of 3/10s; waiting 0",
    );
}

#[test]
fn starts_and_spending_share_the_same_units() {
    play(
        "quota calls 3/10s
         kind sync quota=calls:1
         register w1 sync",
        "at 0       submit sync shop:1          | accepted 1
         at 0       submit sync shop:2          | accepted 2
         at 0       take w1                     | 1
         at 0       spend w1 calls 2            | granted
         at 0       take w1 wait=0              | nothing
         at 0       show 2                      | waiting: throttled by calls*",
    );
}
