//! `gather`: the first of a flurry waits so that more can join it. `cancels`: what a submission calls
//! off (design §5).

use crate::givens::HOSTS;
use crate::scenario::play;

#[test]
fn the_first_of_a_flurry_waits_three_seconds() {
    play(
        HOSTS,
        "at 0       take w1                                 | parked
         at 0       submit applicability host:17            | postponed 1: gathering until 3s
         at 1s      submit applicability host:17            | coalesced 1 x2, postponed: gathering until 3s
         at 2999    submit applicability host:17            | coalesced 1 x3, postponed: gathering until 3s
         at 3s      handed 1 count                          | w1 gets 1; x3",
    );
}

#[test]
fn gathering_never_lasts_longer_than_its_span() {
    play(
        HOSTS,
        "at 0       take w1                                 | parked
         at 0       submit applicability host:17            | postponed 1: gathering until 3s
         at 2s      submit applicability host:17            | coalesced 1 x2, postponed: gathering until 3s
         at 3s      submit applicability host:17            | w1 gets 1; postponed 3: gathering until 6s
         at 4s      submit applicability host:17            | coalesced 3 x2, postponed: gathering until 6s
         at 5s      take w1 ok                              | succeeded, parked
         at 6s      tick                                    | w1 gets 3",
    );
}

#[test]
fn an_event_during_the_run_causes_exactly_one_more_run() {
    play(
        HOSTS,
        "at 0       take w1                                 | parked
         at 0       submit applicability host:17            | postponed 1: gathering until 3s
         at 3s      tick                                    | w1 gets 1
         at 4s      submit applicability host:17            | postponed 2: gathering until 7s
         at 5s      submit applicability host:17            | coalesced 2 x2, postponed: gathering until 7s
         at 8s      submit applicability host:17            | coalesced 2 x3, postponed: held by 1
         at 9s      take w1 ok                              | succeeded, 2
         at 10s     take w1 ok                              | succeeded, parked
         at 1h      live                                    | none",
    );
}

#[test]
fn what_gathers_blocks_no_one() {
    play(
        "kind applicability coalesce=latest gather=3s
         kind update
         register w1 applicability update",
        "at 0    submit applicability host:17       | postponed 1: gathering until 3s
         at 1s   submit update host:17              | accepted 2
         at 1s   take w1                            | 2
         at 3s   show 1                             | waiting: held by 2",
    );
}

#[test]
fn gathering_survives_a_restart_and_is_not_prolonged() {
    play(
        HOSTS,
        "at 0    submit applicability host:17       | postponed 1: gathering until 3s
         at 1s   crash                              | open
         at 1s   take w1                            | parked
         at 2s   submit applicability host:17       | coalesced 1 x2, postponed: gathering until 3s
         at 3s   tick                               | w1 gets 1",
    );
}

#[test]
fn registering_again_within_ten_minutes_keeps_the_hosts_queue() {
    play(
        HOSTS,
        "at 0     take w1                               | parked
         at 0     submit remove_queue host:17 due=10m   | postponed 1: scheduled until 10m
         at 0     submit remove_queue host:18 due=10m   | postponed 2: scheduled until 10m
         at 5m    submit register_host host:17          | accepted 3; w1 gets 3
         at 5m    show 1                                | cancelled: cancelled by 3
         at 5m    take w1 ok                            | succeeded, parked
         at 10m   tick                                  | w1 gets 2
         at 10m   take w1 ok                            | succeeded, parked
         at 11m   live                                  | none",
    );
}

#[test]
fn without_registering_again_the_queue_goes_after_ten_minutes() {
    play(
        HOSTS,
        "at 0     take w1                               | parked
         at 0     submit remove_queue host:17 due=10m   | postponed 1: scheduled until 10m
         at 9m59s show 1                                | waiting: scheduled until 10m
         at 10m   tick                                  | w1 gets 1",
    );
}

#[test]
fn registering_after_the_removal_ran_finds_nothing_to_cancel() {
    play(
        HOSTS,
        "at 0     take w1                               | parked
         at 0     submit remove_queue host:17           | accepted 1; w1 gets 1
         at 1s    take w1 ok                            | succeeded, parked
         at 2s    submit register_host host:17          | accepted 2; w1 gets 2
         at 2s    show 1                                | succeeded",
    );
}

#[test]
fn a_running_removal_gets_no_further_run() {
    play(
        HOSTS,
        "at 0     submit remove_queue host:17           | accepted 1
         at 0     take w1                               | 1
         at 1s    submit register_host host:17          | postponed 2: held by 1
         at 2s    show 1                                | running on w1
         at 2s    finish w1 fail                        | cancelled
         at 2s    show 1                                | cancelled: cancelled by 2
         at 2s    take w1                               | 2",
    );
}

#[test]
fn a_running_removal_that_succeeds_has_succeeded() {
    play(
        HOSTS,
        "submit remove_queue host:17           | accepted 1
         take w1                               | 1
         submit register_host host:17          | postponed 2: held by 1
         take w1 ok                            | succeeded, 2
         show 1                                | succeeded",
    );
}

#[test]
fn a_lost_removal_gets_no_further_run_either() {
    play(
        HOSTS,
        "at 0     submit remove_queue host:17           | accepted 1
         at 0     take w1                               | 1
         at 1s    submit register_host host:17          | postponed 2: held by 1
         at 1s    register w2 remove_queue register_host | welcome
         at 1s    take w2                               | parked
         at 15s   show 1                                | w2 gets 2; cancelled: cancelled by 2",
    );
}

#[test]
fn removals_that_wait_for_a_retry_a_hold_or_a_quota_are_cancelled_too() {
    play(
        "quota one at_once:1
         kind other quota=one
         kind remove_queue retry=1m quota=one
         kind register_host cancels=remove_queue
         register w1 other remove_queue register_host",
        "submit remove_queue host:1             | accepted 1
         take w1                                | 1
         finish w1 fail                         | retrying at 1m
         submit remove_queue host:2 hold        | postponed 2: held: task 2
         submit other shop:1                    | accepted 3
         take w1                                | 3
         submit remove_queue host:3             | postponed 4: throttled by one
         submit register_host host:1 host:2 host:3 | accepted 5
         show 1                                 | cancelled: cancelled by 5
         show 2                                 | cancelled: cancelled by 5
         show 4                                 | cancelled: cancelled by 5",
    );
}

#[test]
fn only_earlier_tasks_are_cancelled() {
    play(
        HOSTS,
        "submit remove_queue host:17 due=10m    | postponed 1: scheduled until 10m
         submit register_host host:17           | accepted 2
         submit remove_queue host:17 due=10m    | postponed 3: scheduled until 10m
         show 1                                 | cancelled: cancelled by 2
         show 3                                 | waiting: scheduled until 10m",
    );
}

#[test]
fn a_merged_submission_cancels_as_well() {
    play(
        "kind remove_queue
         kind register_host cancels=remove_queue coalesce=latest
         register w1 remove_queue register_host",
        "submit register_host host:17           | accepted 1
         submit remove_queue host:17 due=10m    | postponed 2: scheduled until 10m
         submit register_host host:17           | coalesced 1 x2, accepted
         show 2                                 | cancelled: cancelled by 1",
    );
}

#[test]
fn what_was_not_acknowledged_cancels_nothing() {
    play(
        "kind remove_queue
         kind delete op=delete
         kind register_host cancels=remove_queue
         register w1 remove_queue register_host delete",
        "submit remove_queue host:17 due=10m            | postponed 1: scheduled until 10m
         submit register_host host:17 dry               | accepted -
         submit register_host host:17 prio=10           | refused: bad_value
         submit delete host:17                          | accepted 2
         submit register_host host:17                   | rejected: future decided by delete 2
         show 1                                         | waiting: scheduled until 10m",
    );
}

#[test]
fn a_cancelled_removal_makes_way_for_the_registration() {
    // The removal stood in line before it; it is gone before the verdict is read.
    play(
        HOSTS,
        "submit remove_queue host:17            | accepted 1
         submit register_host host:17           | accepted 2
         show 2                                 | waiting: ready
         take w1                                | 2
         take w1 ok                             | succeeded, parked",
    );
}

#[test]
fn every_end_but_success_of_a_run_that_was_called_off_is_its_end() {
    let ends = [
        "finish w1 fail",
        "finish w1 release",
        "return w1",
        "goodbye w1",
        "register w1 as again remove_queue takeover",
        "at 15s tick",
    ];
    for end in ends {
        let mut world = play(
            HOSTS,
            "submit remove_queue host:17            | accepted 1
             take w1                                | 1
             submit register_host host:17           | postponed 2: held by 1",
        );
        world.step(end);
        assert_eq!(world.step("show 1"), "cancelled: cancelled by 2", "{end}");
    }
}
