//! The view of a resource: its state, its holders, its line in order (design §11).

use crate::givens::REPOSITORIES;
use crate::scenario::{play, resource};
use interlock_core::limits;
use interlock_core::words::TaskId;

#[test]
fn a_resource_needs_no_declaration() {
    play(
        REPOSITORIES,
        "resource repository:never_heard_of | idle; waiting 0",
    );
}

#[test]
fn idle_queued_busy_failing_and_held() {
    play(
        REPOSITORIES,
        "resource repository:a              | idle; waiting 0
         submit sync repository:a           | accepted 1
         resource repository:a              | queued; line 1; waiting 1
         take w1                            | 1
         resource repository:a              | busy; holders 1; waiting 0
         finish w1 fail                     | retrying at 3m
         resource repository:a              | failing; waiting 1
         hold resource repository:a         | done
         resource repository:a              | held; waiting 1
         release resource repository:a      | done
         cancel 1                           | cancelled
         resource repository:a              | idle; waiting 0",
    );
}

#[test]
fn holders_the_line_the_barriers_and_those_outside_in_order() {
    play(
        REPOSITORIES,
        "submit publish repository:a        | accepted 1
         submit publish repository:a        | accepted 2
         take w1 max=2                      | 1 2
         submit sync repository:a           | postponed 3: held by 1 2
         submit sync repository:a prio=9    | postponed 4: held by 1 2
         submit delete repository:a         | postponed 5: held by 1 2, ahead 3 4
         submit create repository:a         | postponed 6: behind 5
         submit sync repository:a           | postponed 7: behind 6
         submit sync repository:a due=1h    | postponed 8: scheduled until 1h
         resource repository:a              | busy; holders 1 2; line 4 3 5; barriers 5 6; outside *7; waiting 6",
    );
}

#[test]
fn a_long_line_is_shown_up_to_a_limit() {
    let mut world = play(REPOSITORIES, "");
    world.checked = false;
    for _ in 0..limits::LINE_SHOWN_MAX + 20 {
        world.step("submit sync repository:a");
    }
    let view = world.core.resource(&resource("repository:a"));
    assert_eq!(view.line.len(), limits::LINE_SHOWN_MAX);
    assert_eq!(view.waiting, limits::LINE_SHOWN_MAX as u64 + 20);
}

#[test]
fn a_resource_shows_its_quotas() {
    let world = play(
        "quota second per=shop 10/1s 1000/24h
         kind sync quota=second:3
         register w1 sync",
        "submit sync shop:42                | accepted 1
         take w1                            | 1
         finish w1 ok                       | succeeded",
    );
    let view = world.core.resource(&resource("shop:42"));
    let used: Vec<u64> = view
        .quotas
        .iter()
        .flat_map(|quota| &quota.limits)
        .map(|limit| limit.used)
        .collect();
    assert_eq!(used, [3, 3]);
}

#[test]
fn the_worker_view_follows_the_leases() {
    play(
        REPOSITORIES,
        "at 0    workers                        | w1; w2
         at 0    take w2                        | parked
         at 0    submit sync repository:a       | accepted 1; w2 gets 1
         at 0    take w1                        | parked
         at 0    workers                        | w1 parked; w2 runs 1
         at 15s  workers                        | w1 gets 1; w1 runs 1; w2 lost",
    );
}

#[test]
fn progress_is_shown_with_the_task_and_its_latest_value_wins() {
    play(
        REPOSITORIES,
        "at 0    submit sync repository:a       | accepted 1
         at 0    take w1                        | 1
         at 1s   beat w1 progress=1/10          | 1 go on
         at 2s   beat w1 progress=7/10          | 1 go on
         at 2s   show 1 long                    | running on w1, 7/10 files",
    );
}

#[test]
fn the_busiest_lines_come_first_and_say_who_is_next() {
    let world = play(
        REPOSITORIES,
        "submit sync repository:alone       | accepted 1
         submit publish repository:read     | accepted 2
         submit publish repository:read     | accepted 3
         take w1 max=3                      | 1 2 3
         submit sync repository:two         | accepted 4
         submit sync repository:two         | postponed 5: ahead 4
         submit sync repository:busy        | accepted 6
         submit sync repository:busy        | postponed 7: ahead 6
         submit sync repository:busy        | postponed 8: ahead 6 7
         submit sync repository:busy        | postponed 9: ahead 6 7 8
         take w2                            | 4
         submit delete repository:two       | postponed 10: held by 4, ahead 5
         submit sync repository:later due=1h | postponed 11: scheduled until 1h
         submit sync repository:later due=1h | postponed 12: scheduled until 1h",
    );
    let seen = |limit| -> Vec<String> {
        let lines = world.core.busiest(limit).into_iter();
        lines
            .map(|line| {
                let id = |task: Option<TaskId>| task.map_or(0, |task| task.0);
                format!(
                    "{}: {} by {}, {} wait, {} is next",
                    line.resource,
                    line.running,
                    id(line.holder),
                    line.waiting,
                    id(line.first)
                )
            })
            .collect()
    };
    // Nobody waits where all are readers that run, or where one task is alone.
    assert_eq!(
        seen(10),
        [
            "repository:busy: 0 by 0, 4 wait, 6 is next",
            "repository:later: 0 by 0, 2 wait, 11 is next",
            "repository:two: 1 by 4, 2 wait, 5 is next",
        ]
    );
    assert_eq!(seen(1).len(), 1);
}

#[test]
fn the_counts_of_quotas_that_matter_are_shown() {
    let world = play(
        "quota all 5/1m
         quota second per=shop 2/1s 1000/24h
         kind sync quota=second:2,all:1
         kind free
         register w1 sync free",
        "submit sync shop:1                 | accepted 1
         submit sync shop:2                 | accepted 2
         take w1 max=2                      | 1 2
         finish w1 1 ok                 | succeeded
         finish w1 2 ok                 | succeeded
         submit sync shop:2                 | postponed 3: *
         submit free shop:1                 | accepted 4
         take w1                            | 4",
    );
    let counts = world.core.counts_in_use(10);
    let seen: Vec<String> = (counts.iter())
        .map(|count| {
            let of = count.resource.as_ref().map_or("all", |name| name.as_str());
            let limits = count.limits.iter();
            let limits = limits.map(|limit| (limit.used, limit.frees.is_some()));
            format!("{} {of} {:?}", count.quota, limits.collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(
        seen,
        [
            "all all [(2, true)]",
            "second shop:2 [(2, true), (2, true)]",
            "second shop:1 [(2, true), (2, true)]",
        ]
    );
}
