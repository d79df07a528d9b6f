//! Due times and schedules (design §6).

use crate::givens::REPOSITORIES;
use crate::scenario::play;

const NIGHTLY: &str = "
    kind sync retry=none
    kind delete op=delete retry=none
    register w1 sync delete
";

#[test]
fn a_task_due_later_blocks_nobody_today() {
    play(
        REPOSITORIES,
        "at 0     submit sync repository:f16 due=1h     | postponed 1: scheduled until 1h
         at 0     submit update repository:f16          | accepted 2
         at 0     take w1 max=2                         | 2
         at 0     take w1 ok                            | succeeded, parked
         at 1h    tick                                  | w1 gets 1",
    );
}

#[test]
fn a_due_time_may_be_a_time_or_a_delay() {
    play(
        REPOSITORIES,
        "at 5s    submit sync repository:a due=10s      | postponed 1: scheduled until 15s
         at 5s    submit sync repository:b due=@10s     | postponed 2: scheduled until 10s
         at 5s    submit sync repository:c due=@4s      | accepted 3
         at 5s    submit sync repository:d due=0        | accepted 4
         at 5s    take w1 max=4                         | 3 4",
    );
}

#[test]
fn a_task_is_handed_out_the_moment_it_is_due() {
    play(
        REPOSITORIES,
        "at 0      take w1                              | parked
         at 0      submit sync repository:f16 due=10s   | postponed 1: scheduled until 10s
         at 9999   tick                                 | -
         at 10s    tick                                 | w1 gets 1",
    );
}

#[test]
fn due_times_follow_the_wall_clock_when_it_is_set_forward() {
    play(
        REPOSITORIES,
        "at 0      take w1                              | parked
         at 0      submit sync repository:f16 due=1h    | postponed 1: scheduled until 1h
         at 1s     wall +1h                             | w1 gets 1",
    );
}

#[test]
fn a_schedule_submits_at_its_interval() {
    play(
        NIGHTLY,
        "at 0     schedule often every=10m : sync repository:f16    | done
         at 0     schedules                                         | often, next 10m
         at 0     take w1                                           | parked
         at 10m   schedules                                         | w1 gets 1; often last 10m accepted 1, next 20m
         at 10m   show 1 schedule                                   | often
         at 10m   take w1 ok                                        | succeeded, parked
         at 20m   schedules                                         | w1 gets 2; often last 20m accepted 2, next 30m
         at 20m   finish w1 ok                                      | succeeded",
    );
}

#[test]
fn a_schedule_may_have_a_start_and_a_count() {
    play(
        NIGHTLY,
        "at 0     schedule twice every=10m from=5m times=2 : sync repository:f16    | done
         at 0     take w1                                           | parked
         at 5m    schedules                                         | w1 gets 1; twice last 5m accepted 1, next 15m
         at 5m    take w1 ok                                        | succeeded, parked
         at 15m   schedules                                         | w1 gets 2; twice last 15m accepted 2, next never
         at 15m   take w1 ok                                        | succeeded, parked
         at 2h    live                                              | none",
    );
}

#[test]
fn a_schedule_never_has_two_live_tasks() {
    play(
        NIGHTLY,
        "at 0     schedule often every=10s : sync repository:f16    | done
         at 9s    take w1                                           | parked
         at 10s   tick                                              | w1 gets 1
         at 19s   beat w1                                           | 1 go on
         at 20s   schedules                                         | often last 20s still live 1, next 30s
         at 21s   finish w1 ok                                      | succeeded
         at 30s   schedules                                         | often last 30s accepted 2, next 40s
         at 30s   counts                                            | waiting 1, running 0",
    );
}

#[test]
fn after_an_outage_a_schedule_fires_at_most_once() {
    play(
        NIGHTLY,
        "at 0     schedule often every=10m : sync repository:f16    | done
         at 1m    down                                              | done
         at 60m   up                                                | open
         at 60m   live                                              | 1
         at 60m   schedules                                         | often last 1h * 1, next 1h10m",
    );
}

#[test]
fn a_paused_schedule_does_not_fire() {
    play(
        NIGHTLY,
        "at 0     schedule often every=10m : sync repository:f16    | done
         at 5m    pause schedule often                              | done
         at 34m   live                                              | none
         at 35m   resume schedule often                             | done
         at 36m   live                                              | none
         at 45m   live                                              | 1
         at 46m   pause schedule nonsense                           | refused: unknown_schedule",
    );
}

#[test]
fn a_rejected_firing_is_visible_and_the_schedule_goes_on() {
    play(
        NIGHTLY,
        "at 0     schedule often every=10s : sync repository:f16    | done
         at 5s    submit delete repository:f16                      | accepted 1
         at 6s    take w1                                           | 1
         at 10s   schedules                                         | often last 10s not admitted: rejected, next 20s
         at 11s   take w1 ok                                        | succeeded, parked
         at 20s   schedules                                         | w1 gets *; often last 20s accepted *, next 30s",
    );
}

#[test]
fn a_removed_schedule_leaves_its_task() {
    play(
        NIGHTLY,
        "at 0     schedule often every=10s : sync repository:f16    | done
         at 10s   remove schedule often                             | done
         at 10s   schedules                                         | -
         at 10s   live                                              | 1
         at 1m    live                                              | 1
         at 1m    remove schedule often                             | refused: unknown_schedule",
    );
}

#[test]
fn cron_is_read_in_its_time_zone() {
    // 2026-01-01T00:00Z is one o'clock in Prague.
    play(
        NIGHTLY,
        "schedule nightly cron=0_3_*_*_* zone=Europe/Prague : sync repository:f16      | done
         schedule midday cron=0_12_*_*_* : sync repository:f17                         | done
         schedules                                                                     | midday, next 12h; nightly, next 2h",
    );
}

#[test]
fn cron_follows_daylight_saving_time() {
    // 2026-03-28; clocks go forward on the 29th, so the next night is an hour shorter.
    play(
        "begin 86",
        "kind sync retry=none
         register w1 sync
         schedule nightly cron=0_3_*_*_* zone=Europe/Prague : sync repository:f16      | done
         take w1                                                                       | parked
         at 2h    schedules                                                            | w1 gets 1; nightly last 2h accepted 1, next 25h
         at 2h    take w1 ok                                                           | succeeded, parked
         at 25h   schedules                                                            | w1 gets 2; nightly last 25h accepted 2, next 49h",
    );
}

#[test]
fn nonsense_is_refused_when_the_schedule_is_defined() {
    play(
        NIGHTLY,
        "schedule bad cron=61_3_*_*_* : sync repository:f16                    | refused: bad_value
         schedule bad cron=0_3_*_*_* zone=Europe/Atlantis : sync repository:f16 | refused: bad_value
         schedule bad every=0 : sync repository:f16                            | refused: bad_value
         schedules                                                             | -",
    );
}

#[test]
fn a_schedule_that_is_due_fires_once_also_if_the_wall_clock_jumps_over_several() {
    play(
        NIGHTLY,
        "at 0     schedule often every=10m : sync repository:f16    | done
         at 1s    wall +3h                                          | *
         at 1s    live                                              | 1",
    );
}

#[test]
fn setting_the_wall_clock_back_fires_nothing_twice() {
    play(
        NIGHTLY,
        "at 0     schedule often every=10s : sync repository:f16    | done
         at 10s   take w1                                           | 1
         at 10s   take w1 ok                                        | succeeded, parked
         at 11s   wall -5s                                          | -
         at 15s   live                                              | none
         at 19s   live                                              | none",
    );
}
