//! Quotas at hand-out: windows, `at_once`, costs, one queue in order, units set aside (design §9).

use crate::scenario::{play, play_on};

const CALLS: &str = "
    quota calls 2/10s
    kind sync quota=calls
    kind free
    register w1 sync free
    register w2 sync free
";

const ONE: &str = "
    quota one at_once:1
    kind a quota=one
    kind b quota=one
    kind free
    register w1 a b free
    register w2 b
";

#[test]
fn a_window_lets_so_many_start_and_no_more() {
    play(
        CALLS,
        "at 0       submit sync shop:1              | accepted 1
         at 0       submit sync shop:2              | accepted 2
         at 0       submit sync shop:3              | accepted 3
         at 0       take w1 max=9                   | 1 2
         at 0       show 3                          | waiting: throttled by calls until 10*s
         at 0       finish w1 1 ok                  | succeeded
         at 0       finish w1 2 ok                  | succeeded
         at 9999    take w1 wait=0                  | nothing
         at 10.4s   take w1 wait=0                  | 3",
    );
}

#[test]
fn a_submission_against_an_exhausted_quota_is_postponed() {
    play(
        CALLS,
        "at 0       submit sync shop:1              | accepted 1
         at 0       submit sync shop:2              | accepted 2
         at 0       take w1 max=9                   | 1 2
         at 1s      submit sync shop:3              | postponed 3: throttled by calls until 10*s
         at 1s      submit free shop:4              | accepted 4",
    );
}

#[test]
fn windows_slide() {
    play(
        CALLS,
        "at 0       submit sync shop:1              | accepted 1
         at 0       submit sync shop:2              | accepted 2
         at 0       submit sync shop:3              | accepted 3
         at 0       submit sync shop:4              | *
         at 0       take w1                         | 1
         at 6s      take w2                         | 2
         at 9.9s    beat w1                         | 1 go on
         at 10.4s   take w1                         | 3
         at 10.4s   take w1 wait=0                  | nothing
         at 16.4s   take w1 wait=0                  | 4",
    );
}

#[test]
fn several_limits_hold_at_once() {
    play(
        "quota calls 2/1s 3/1m
         kind sync quota=calls
         register w1 sync",
        "at 0       submit sync shop:1 ; sync shop:2 ; sync shop:3 ; sync shop:4    | *
         at 0       take w1 max=9                   | 1 2
         at 0       take w1 max=9 ok                | succeeded, succeeded, parked
         at 1.1s    tick                            | *w1 gets 3
         at 1.1s    take w1 max=9 ok                | succeeded, parked
         at 59s     show 4                          | waiting: throttled by calls until 1m*
         at 62s     show 4                          | *w1 gets 4; running on w1",
    );
}

#[test]
fn at_once_counts_live_runs_and_the_end_of_a_run_frees_it() {
    play(
        ONE,
        "submit a shop:1                    | accepted 1
         submit a shop:2                    | accepted 2
         take w1 max=9                      | 1
         show 2                             | waiting: throttled by one
         take w1                            | parked
         finish w1 1 ok                     | succeeded; w1 gets 2
         usage one                          | 1 of at_once:1; waiting 0",
    );
}

#[test]
fn every_way_a_run_ends_frees_its_unit_once() {
    for end in ["ok", "fail again=never", "fail again=5s", "release"] {
        let mut world = play(ONE, "submit a shop:1 | accepted 1");
        assert_eq!(world.step("take w1"), "1");
        world.step(&format!("finish w1 {end}"));
        assert_eq!(
            world.step("usage one"),
            "0 of at_once:1; waiting 0",
            "after {end}"
        );
    }
    let others = [
        "goodbye w1",
        "return w1",
        "register w1 a takeover",
        "at 15s tick",
    ];
    for end in others {
        let mut world = play(ONE, "submit a shop:1 | accepted 1");
        assert_eq!(world.step("take w1"), "1");
        world.step(end);
        assert_eq!(
            world.step("usage one"),
            "0 of at_once:1; waiting 0",
            "after {end}"
        );
    }
}

#[test]
fn a_throttled_task_leaves_its_lines_and_blocks_no_one() {
    play(
        ONE,
        "submit a shop:1                    | accepted 1
         take w1                            | 1
         submit a shop:2                    | postponed 2: throttled by one
         take w1                            | parked
         submit free shop:2                 | accepted 3; w1 gets 3
         resource shop:2                    | busy; holders 3; waiting 1
         finish w1 1 ok                     | succeeded
         show 2                             | waiting: held by 3",
    );
}

#[test]
fn a_quota_per_shop_counts_each_shop_by_itself() {
    play(
        "quota second per=shop 1/10s
         kind sync quota=second op=read
         register w1 sync",
        "submit sync shop:1                 | accepted 1
         submit sync shop:1                 | accepted 2
         submit sync shop:2                 | accepted 3
         take w1 max=9                      | 1 3
         show 2                             | waiting: throttled by second until 10*s
         usage second@shop:1                | 1 of 1/10s; waiting 1
         usage second@shop:2                | 1 of 1/10s; waiting 0",
    );
}

#[test]
fn a_kind_with_a_quota_per_shop_must_claim_exactly_one_shop() {
    play(
        "quota second per=shop 1/10s
         kind sync quota=second",
        "submit sync repository:a               | refused: quota_needs_one_resource
         submit sync shop:1 shop:2              | refused: quota_needs_one_resource
         submit sync shop:1 repository:a        | accepted 1",
    );
}

#[test]
fn a_start_may_cost_several_units_or_none() {
    play(
        "quota calls 3/10s
         kind dear quota=calls:2
         kind cheap quota=calls:1
         kind nothing quota=calls:0
         register w1 dear cheap nothing",
        "submit dear shop:1                 | accepted 1
         submit dear shop:2                 | accepted 2
         submit nothing shop:3              | accepted 3
         take w1 max=9                      | 1 3
         show 2                             | waiting: throttled by calls until 10*s
         usage calls                        | 2 of 3/10s; waiting 1",
    );
}

#[test]
fn the_queue_of_a_quota_is_in_order_of_rank() {
    play(
        ONE,
        "submit a shop:1                    | accepted 1
         take w1                            | 1
         submit a shop:2 prio=2             | *2*
         submit a shop:3 prio=8             | *3*
         submit a shop:4 prio=5             | *4*
         take w1                            | parked
         finish w1 1 ok                     | succeeded; w1 gets 3
         take w1                            | parked
         finish w1 3 ok                     | succeeded; w1 gets 4
         take w1                            | parked
         finish w1 4 ok                     | succeeded; w1 gets 2",
    );
}

#[test]
fn units_that_come_free_are_set_aside_for_the_first_in_the_queue() {
    // w2 handles only `b`; the unit is meant for 2, which only w1 can run.
    play(
        ONE,
        "submit a shop:1                    | accepted 1
         take w1                            | 1
         submit a shop:2                    | postponed 2: throttled by one
         submit b shop:3                    | postponed 3: throttled by one
         take w1 wait=0                     | nothing
         take w2                            | parked
         finish w1 ok                       | succeeded
         show 2                             | waiting: ready
         show 3                             | waiting: throttled by one
         take w1                            | 2
         finish w1 ok                       | succeeded; w2 gets 3",
    );
}

#[test]
fn units_set_aside_for_a_task_that_is_cancelled_go_to_the_next() {
    play(
        ONE,
        "submit a shop:1                    | accepted 1
         take w1                            | 1
         submit a shop:2                    | postponed 2: throttled by one
         submit b shop:3                    | postponed 3: throttled by one
         take w1 wait=0                     | nothing
         take w2                            | parked
         finish w1 ok                       | succeeded
         cancel 2                           | cancelled; w2 gets 3",
    );
}

#[test]
fn units_set_aside_for_a_task_that_is_held_go_to_the_next() {
    play(
        ONE,
        "submit a shop:1                    | accepted 1
         take w1                            | 1
         submit a shop:2                    | postponed 2: throttled by one
         submit b shop:3                    | postponed 3: throttled by one
         take w1 wait=0                     | nothing
         take w2                            | parked
         finish w1 ok                       | succeeded
         hold task 2                        | done; w2 gets 3
         release task 2                     | done
         show 2                             | waiting: *",
    );
}

#[test]
fn a_newcomer_does_not_overtake_the_queue() {
    play(
        ONE,
        "submit a shop:1                    | accepted 1
         take w1                            | 1
         submit a shop:2                    | postponed 2: throttled by one
         take w1 wait=0                     | nothing
         finish w1 1 ok                     | succeeded
         submit a shop:4                    | postponed 3: throttled by one
         take w1 max=9                      | 2",
    );
}

#[test]
fn a_decision_wakes_no_more_tasks_than_the_units_pay_for() {
    let mut world = play(ONE, "submit a shop:0 | accepted 1");
    assert_eq!(world.step("take w1"), "1");
    for shop in 1..=100 {
        world.step(&format!("submit a shop:{shop}"));
    }
    assert_eq!(world.step("take w1 wait=0"), "nothing");
    let before = world.log.len();
    world.step("finish w1 1 ok");
    let events: usize = world.log[before..]
        .iter()
        .map(|record| record.events.len())
        .sum();
    assert!(
        events < 10,
        "one unit came free, and {events} events followed"
    );
    play_on(&mut world, "take w1 max=9 | 2");
}

#[test]
fn a_raised_limit_lets_the_next_ones_go() {
    play(
        ONE,
        "submit a shop:1                    | accepted 1
         take w1                            | 1
         submit a shop:2                    | postponed 2: throttled by one
         submit a shop:3                    | postponed 3: throttled by one
         submit a shop:4                    | postponed 4: throttled by one
         take w1 max=9                      | parked
         quota one at_once:3                | done; w1 gets 2 3
         show 4                             | waiting: throttled by one",
    );
}

#[test]
fn a_lowered_limit_stops_no_run_but_the_next_start() {
    play(
        "quota some at_once:3
         kind a quota=some
         register w1 a",
        "submit a shop:1 ; a shop:2 ; a shop:3      | accepted 1; accepted 2; accepted 3
         take w1 max=9                              | 1 2 3
         quota some at_once:1                       | done
         submit a shop:4                            | postponed 4: throttled by some
         take w1                                    | parked
         finish w1 1 ok                             | succeeded
         finish w1 2 ok                             | succeeded
         finish w1 3 ok                             | succeeded; w1 gets 4",
    );
}

#[test]
fn a_pause_holds_for_everyone_and_ends() {
    play(
        "quota calls 100/1s
         kind sync quota=calls
         register w1 sync",
        "at 0    pause quota calls 10s          | done
         at 0    submit sync shop:1             | postponed 1: throttled by calls until 10s
         at 0    take w1                        | parked
         at 0    show 1                         | waiting: throttled by calls until 10s
         at 5s   submit sync shop:2             | postponed 2: throttled by calls*
         at 10s  tick                           | w1 gets 1
         at 10s  take w1                        | 2",
    );
}

#[test]
fn a_pause_may_be_ended_early() {
    play(
        "quota calls 100/1s
         kind sync quota=calls
         register w1 sync",
        "at 0    pause quota calls 10m          | done
         at 0    submit sync shop:1             | postponed 1: throttled by calls until 10m
         at 0    take w1                        | parked
         at 5s   pause quota calls 0            | done; w1 gets 1
         at 5s   pause quota nonsense 1s        | refused: unknown_quota",
    );
}

#[test]
fn a_pause_of_one_shop_is_no_pause_of_another() {
    play(
        "quota calls per=shop 100/1s
         kind sync quota=calls
         register w1 sync",
        "pause quota calls@shop:1 10s           | done
         submit sync shop:1                     | postponed 1: throttled by calls until 10s
         submit sync shop:2                     | accepted 2
         take w1 max=9                          | 2",
    );
}

#[test]
fn use_survives_a_restart() {
    play(
        CALLS,
        "at 0       submit sync shop:1              | accepted 1
         at 0       submit sync shop:2              | accepted 2
         at 0       take w1 max=9                   | 1 2
         at 1s      finish w1 1 ok                  | succeeded
         at 1s      finish w1 2 ok                  | succeeded
         at 1s      crash                           | open
         at 1s      submit sync shop:3              | postponed 3: throttled by calls until 10*s
         at 9.9s    take w1 wait=0                  | nothing
         at 10.4s   take w1 wait=0                  | 3",
    );
}

#[test]
fn a_task_short_of_one_quota_takes_no_units_of_another() {
    play(
        "quota one at_once:1
         quota two at_once:1
         kind both quota=one,two
         kind first quota=one
         kind second quota=two
         register w1 both first second",
        "submit second shop:1               | accepted 1
         take w1                            | 1
         submit both shop:2                 | postponed 2: throttled by two
         take w1 wait=0                     | nothing
         submit first shop:3                | accepted 3
         take w1                            | 3
         take w1                            | parked
         finish w1 1 ok                     | succeeded
         show 2                             | waiting: throttled by one
         finish w1 3 ok                     | succeeded; w1 gets 2",
    );
}

#[test]
fn in_no_window_start_more_than_the_limit() {
    // Whatever the phase, and with buckets rounded against the spender.
    let mut world = play(
        "quota calls 3/1s
         kind sync quota=calls
         register w1 sync",
        "",
    );
    let mut starts = Vec::new();
    for shop in 1..=40 {
        world.step(&format!("submit sync shop:{shop}"));
    }
    while starts.len() < 40 {
        world.advance(world.at + 37);
        let said = world.step("take w1 wait=0 max=9 ok");
        let taken = said.split(", ").last().expect("a take says something");
        starts.extend(
            taken
                .split(' ')
                .filter(|id| id.parse::<u64>().is_ok())
                .map(|_| world.at),
        );
        assert!(
            world.at < 60_000,
            "the quota starves its tasks: {} started",
            starts.len()
        );
    }
    for window in starts.windows(4) {
        assert!(
            window[3] - window[0] >= 1_000,
            "four starts within a second: {window:?}"
        );
    }
}

#[test]
fn a_throttled_task_that_is_given_up_leaves_its_queue() {
    play(
        ONE,
        "at 0    submit a shop:1                     | accepted 1
         at 0    take w1                             | 1
         at 0    submit a shop:2 start_within=5s     | postponed 2: throttled by one
         at 0    submit b shop:3                     | postponed 3: throttled by one
         at 0    take w1 wait=0                      | nothing
         at 5s   show 2                              | cancelled: not started in time
         at 6s   take w2                             | parked
         at 6s   finish w1 ok                        | succeeded; w2 gets 3",
    );
}

#[test]
fn parking_on_a_quota_does_not_move_the_rank() {
    play(
        ONE,
        "at 0    submit a shop:1                     | accepted 1
         at 0    take w1                             | 1
         at 1s   submit a shop:2                     | postponed 2: throttled by one
         at 1s   take w1 wait=0                      | nothing
         at 2s   submit free shop:2                  | accepted 3
         at 3s   finish w1 1 ok                      | succeeded
         # Back in line it stands before the one that came while it was parked.
         at 3s   show 3                              | waiting: ahead 2
         at 3s   take w1                             | 2",
    );
}

#[test]
fn units_are_not_taken_by_a_task_that_waits_in_line() {
    play(
        ONE,
        "submit free shop:1                  | accepted 1
         take w1                             | 1
         submit a shop:1                     | postponed 2: held by 1
         submit a shop:2                     | accepted 3
         take w1                             | 3",
    );
}

#[test]
fn a_shop_that_is_idle_is_still_metered() {
    play(
        "quota second per=shop 1/10s
         kind sync quota=second op=read
         register w1 sync",
        "at 0       submit sync shop:1              | accepted 1
         at 0       take w1                         | 1
         at 0       finish w1 ok                    | succeeded
         at 1s      submit sync shop:1              | postponed 2: throttled by second until 10*s
         at 1s      submit sync shop:2              | accepted 3
         at 1s      take w1 max=9 wait=0            | 3",
    );
}

#[test]
fn a_worker_that_meets_thousands_of_throttled_tasks_still_gets_the_ready_one() {
    let mut world = play(ONE, "submit a shop:0 | accepted 1");
    world.checked = false;
    assert_eq!(world.step("take w1"), "1");
    for shop in 1..=3_000 {
        world.step(&format!("submit a shop:{shop} prio=9"));
    }
    assert_eq!(world.step("submit free shop:9999 prio=0"), "accepted 3002");
    assert_eq!(world.step("take w1"), "3002");
}

#[test]
fn limits_of_the_same_length_count_a_start_once() {
    play(
        "quota calls 3/10s 5/10s
         kind sync quota=calls
         register w1 sync",
        "at 0       submit sync shop:1              | accepted 1
         at 0       submit sync shop:2              | accepted 2
         at 0       submit sync shop:3              | accepted 3
         at 0       submit sync shop:4              | accepted 4
         at 0       take w1 max=9                   | 1 2 3
         at 0       show 4                          | waiting: throttled by calls until 10*s",
    );
}
