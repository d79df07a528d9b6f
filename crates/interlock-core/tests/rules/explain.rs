//! `explain`: the real cause, and the causes of the causes (design §11, P6).

use crate::givens::REPOSITORIES;
use crate::scenario::play;

#[test]
fn the_chain_of_causes_is_followed_to_what_runs() {
    play(
        REPOSITORIES,
        "submit sync repository:a                       | accepted 1
         take w1                                        | 1
         submit sync repository:a repository:b          | postponed 2: held by 1 on repository:a
         submit sync repository:b                       | postponed 3: ahead 2
         explain 1                                      | running
         explain 2                                      | held by 1 { running }
         explain 3                                      | ahead 2 { held by 1 { running } }",
    );
}

#[test]
fn every_sort_of_waiting_has_its_cause() {
    play(
        "quota one at_once:1
         kind sync
         kind dear quota=one
         kind create op=create
         kind gathered coalesce=latest gather=3s
         register w1 sync dear create gathered",
        "at 0    submit sync shop:1                     | accepted 1
         at 0    explain 1                              | ready
         at 0    take w1                                | 1
         at 0    finish w1 fail                         | retrying at 3m
         at 0    explain 1                              | retrying until 3m
         at 0    submit sync shop:2 due=1h              | postponed 2: scheduled until 1h
         at 0    explain 2                              | scheduled until 1h
         at 0    submit sync shop:3 after=2             | postponed 3: dependent on 2
         at 0    explain 3                              | dependent on 2 { scheduled until 1h }
         at 0    submit gathered shop:4                 | postponed 4: gathering until 3s
         at 0    explain 4                              | gathering until 3s
         at 0    submit create shop:5                   | accepted 5
         at 0    submit sync shop:5                     | postponed 6: behind 5
         at 0    explain 6                              | behind 5 { ready }
         at 0    submit dear shop:6                     | accepted 7
         at 0    take w1 max=9                          | 5 7
         at 0    submit dear shop:7                     | postponed 8: throttled by one
         at 0    explain 8                              | throttled by one
         at 0    submit sync shop:8 hold                | postponed 9: held: task 9
         at 0    explain 9                              | held: task 9
         at 0    explain 6                              | behind 5 { running }
         at 0    explain 99                             | not live",
    );
}

#[test]
fn the_place_in_each_line_is_counted() {
    play(
        REPOSITORIES,
        "submit publish repository:a                    | accepted 1
         submit publish repository:a                    | accepted 2
         submit sync repository:a                       | postponed 3: ahead 1 2
         submit sync repository:a repository:b          | postponed 4: ahead 1 2 3 on repository:a
         submit publish repository:a                    | postponed 5: ahead 3 4
         places 1                                       | 0 ahead in repository:a
         places 3                                       | 2 ahead in repository:a
         places 4                                       | 3 ahead in repository:a, 0 ahead in repository:b
         places 5                                       | 2 ahead in repository:a
         submit sync repository:c due=1h                | postponed 6: scheduled until 1h
         places 6                                       | in no line",
    );
}

#[test]
fn a_chain_without_end_is_cut_off() {
    let mut world = play(REPOSITORIES, "submit sync repository:0 | accepted 1");
    for task in 1..60 {
        world.step(&format!(
            "submit sync repository:{} repository:{task}",
            task - 1
        ));
    }
    let said = world.step("explain 60");
    let depth = said.matches('{').count();
    assert!(depth >= 4, "only {depth} deep: {said}");
    assert!(depth <= 200, "{depth} deep");
}

#[test]
fn explain_and_the_verdict_agree() {
    let mut world = play(
        REPOSITORIES,
        "submit sync repository:a                       | accepted 1
         take w1                                        | 1
         submit create repository:b                     | accepted 2",
    );
    let rows = [
        "sync repository:a",
        "sync repository:b",
        "sync repository:c",
        "publish repository:a",
    ];
    for (row, task) in rows.iter().zip(3..) {
        let said = world.step(&format!("submit {row}"));
        let shown = world.step(&format!("show {task}"));
        let reasons = said
            .split_once(": ")
            .map_or("ready", |(_, reasons)| reasons);
        assert_eq!(shown, format!("waiting: {reasons}"), "{row}");
    }
}

#[test]
fn what_is_explained_changes_with_the_cause() {
    play(
        REPOSITORIES,
        "at 0     submit sync repository:a              | accepted 1
         at 0     take w1                               | 1
         at 0     submit sync repository:a              | postponed 2: held by 1
         at 14s   register w3 sync                      | welcome
         at 14s   explain 2 long                        | held by 1 (sync on w1 for 14s) { running }
         # The worker is dead; nobody is shown as running on it past its lease.
         at 15s   explain 2 long                        | ahead 1 (sync) { ready }
         at 15s   take w3                               | 1
         at 15s   explain 2 long                        | held by 1 (sync on w3 for 0) { running }",
    );
}

#[test]
fn a_doomed_task_says_so() {
    play(
        "kind sync retry=2s
         kind delete op=delete
         register w1 sync delete",
        "at 0    submit sync repository:a               | accepted 1
         at 0    take w1                                | 1
         at 0    finish w1 fail                         | retrying at 2s
         at 1s   submit delete repository:a             | accepted 2
         at 2s   explain 1                              | doomed by 2 { ready }",
    );
}
