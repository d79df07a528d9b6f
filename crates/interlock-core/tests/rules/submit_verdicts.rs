//! `submit`: accepted, postponed or rejected, and why (design §3).

use crate::givens::REPOSITORIES;
use crate::scenario::play;
use interlock_core::command::Submit;
use interlock_core::reply::Answer;
use interlock_core::words::{Claim, Due, Name, Op, ResourceName, Submission};
use interlock_core::{Command, Reply};

#[test]
fn an_update_during_a_sync_is_postponed() {
    play(
        REPOSITORIES,
        "at 0    take w1                          | parked
         at 0    submit sync repository:f16       | accepted 1; w1 gets 1
         at 10   submit update repository:f16     | postponed 2: held by 1
         at 20   take w2                          | parked
         at 30   finish w1 ok                     | succeeded; w2 gets 2
         at 40   finish w2 ok                     | succeeded",
    );
}

#[test]
fn an_update_after_a_queued_delete_is_rejected() {
    play(
        REPOSITORIES,
        "submit sync repository:f16         | accepted 1
         take w1                            | 1
         submit delete repository:f16       | postponed 2: held by 1
         submit update repository:f16       | rejected: future decided by delete 2
         submit publish repository:f16      | rejected: future decided by delete 2
         submit delete repository:f16       | rejected: future decided by delete 2
         submit update repository:f17       | accepted 3",
    );
}

#[test]
fn a_running_delete_decides_the_future_too() {
    play(
        REPOSITORIES,
        "submit delete repository:f16       | accepted 1
         take w1                            | 1
         submit update repository:f16       | rejected: future decided by delete 1
         submit create repository:f16       | postponed 2: behind 1",
    );
}

#[test]
fn after_delete_then_create_an_update_is_postponed_not_rejected() {
    play(
        REPOSITORIES,
        "submit delete repository:f16       | accepted 1
         submit create repository:f16       | postponed 2: behind 1
         submit update repository:f16       | postponed 3: behind 2
         submit create repository:f16       | rejected: future decided by create 2
         submit delete repository:f16       | postponed 4: behind 2
         submit update repository:f16       | rejected: future decided by delete 4
         take w1                            | 1
         take w1 ok                         | succeeded, 2
         take w1 ok                         | succeeded, 3
         take w1 ok                         | succeeded, 4
         take w1 ok                         | succeeded, parked",
    );
}

#[test]
fn a_second_create_is_rejected() {
    play(
        REPOSITORIES,
        "submit create repository:f16       | accepted 1
         submit create repository:f16       | rejected: future decided by create 1
         take w1                            | 1
         submit create repository:f16       | rejected: future decided by create 1
         finish w1 ok                       | succeeded
         submit create repository:f16       | accepted 2",
    );
}

#[test]
fn readers_share_and_writers_do_not() {
    play(
        REPOSITORIES,
        "submit publish repository:f16      | accepted 1
         submit publish repository:f16      | accepted 2
         take w1 max=2                      | 1 2
         submit publish repository:f16      | accepted 3
         submit update repository:f16       | postponed 4: held by 1 2, ahead 3
         submit publish repository:f16      | postponed 5: ahead 4
         submit update repository:f17       | accepted 6",
    );
}

#[test]
fn every_claim_has_its_own_reasons() {
    play(
        REPOSITORIES,
        "submit sync repository:a                       | accepted 1
         submit publish repository:b                    | accepted 2
         take w1 max=2                                  | 1 2
         submit update repository:a repository:b        | postponed 3: held by 1 on repository:a, held by 2 on repository:b
         submit update repository:a/read repository:c   | postponed 4: held by 1 on repository:a, ahead 3 on repository:a
         submit update repository:b/read repository:c   | postponed 5: ahead 3 on repository:b, ahead 4 on repository:c
         submit update repository:d repository:e        | accepted 6",
    );
}

#[test]
fn one_impossible_claim_rejects_the_whole_task() {
    play(
        REPOSITORIES,
        "submit delete repository:b                             | accepted 1
         submit update repository:a repository:b                | rejected: future decided by delete 1 on repository:b
         submit update repository:a repository:b/create         | postponed 2: behind 1 on repository:b
         submit update repository:b/read repository:c/create    | postponed 3: behind 2 on repository:b",
    );
}

#[test]
fn a_task_without_claims_is_in_nobodys_way() {
    play(
        REPOSITORIES,
        "submit sync                        | accepted 1
         submit sync                        | accepted 2
         take w1 max=5                      | 1 2",
    );
}

#[test]
fn the_reasons_say_who_holds_it_where_how_long_and_how_far() {
    play(
        REPOSITORIES,
        "at 0   submit sync repository:f16              | accepted 1
         at 0   take w1                                 | 1
         at 5s  beat w1 progress=3/10                   | 1 go on
         at 7s  submit update repository:f16 long       | postponed 2: held by 1 (sync on w1 for 7s, 3/10 files) [repository:f16 1]
         at 8s  submit publish repository:f16 long      | postponed 3: held by 1 (sync on w1 for 8s, 3/10 files), ahead 2 (update) [repository:f16 2]",
    );
}

#[test]
fn a_verdict_names_at_most_eight_tasks() {
    let mut world = play(REPOSITORIES, "");
    for task in 1..=20 {
        let said = world.step("submit publish repository:f16");
        assert_eq!(said, format!("accepted {task}"));
    }
    assert_eq!(world.step("take w1 max=5"), "1 2 3 4 5");
    let said = world.step("submit update repository:f16");
    let (held, ahead) = said
        .split_once(", ahead ")
        .expect("holders and tasks ahead");
    assert_eq!(held, "postponed 21: held by 1 2 3 4 5");
    assert_eq!(
        ahead.split(' ').count(),
        3,
        "eight in all, but it said {ahead}"
    );
}

#[test]
fn if_busy_reject_takes_no_for_an_answer() {
    play(
        REPOSITORIES,
        "submit sync repository:f16 if_busy=reject      | accepted 1
         submit update repository:f16 if_busy=reject    | rejected: ahead 1
         take w1                                        | 1
         submit update repository:f16 if_busy=reject    | rejected: held by 1
         submit delete repository:f16                   | postponed 2: held by 1
         submit create repository:f16 if_busy=reject    | rejected: behind 2
         submit update repository:f17 if_busy=reject    | accepted 3",
    );
}

#[test]
fn a_dry_run_changes_nothing() {
    play(
        REPOSITORIES,
        "submit sync repository:f16 dry         | accepted -
         submit sync repository:f16 dry         | accepted -
         submit delete repository:f16           | accepted 1
         submit update repository:f16 dry       | rejected: future decided by delete 1
         submit create repository:f16 dry       | postponed -: behind 1
         submit nonsense repository:f16 dry     | refused: unknown_kind, known: create delete publish sync update
         counts                                 | waiting 1, running 0",
    );
}

#[test]
fn a_dry_run_tells_the_lines_as_they_would_be() {
    let mut world = play(REPOSITORIES, "counts | waiting 0, running 0");
    let mut lines = |due: Option<Due>, dry_run: bool| {
        let name = ResourceName::new("repository:f16").expect("a name");
        let kind = Name::new("update").expect("a name");
        let mut item = Submission::new(kind, vec![Claim::new(name, Op::Update)]);
        item.due = due;
        let submit = Submit {
            items: vec![item],
            group: false,
            dry_run,
        };
        match world.decide(Command::Submit(submit)).reply {
            Reply::Submitted { answers, .. } => match &answers[..] {
                [Answer::Admitted(report)] => report.lines[0].waiting,
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    };
    let later = Some(Due::In(60_000));
    for (due, waiting) in [(later, 0), (None, 1), (None, 2), (later, 2)] {
        assert_eq!(lines(due, true), waiting, "tried");
        assert_eq!(lines(due, false), waiting, "done");
    }
}

#[test]
fn a_task_that_did_not_start_in_time_is_given_up() {
    play(
        REPOSITORIES,
        "at 0       submit sync repository:f16                      | accepted 1
         at 0       take w1                                         | 1
         at 0       submit update repository:f16 start_within=10s   | postponed 2: held by 1
         at 9999    show 2                                          | waiting: held by 1
         at 10s     show 2                                          | cancelled: not started in time
         at 10s     finish w1 ok                                    | succeeded
         at 10s     take w1                                         | parked",
    );
}

#[test]
fn start_within_is_about_the_first_start_only() {
    play(
        "kind sync retry=20s
         register w1 sync",
        "at 0       submit sync repository:f16 start_within=10s     | accepted 1
         at 5s      take w1                                         | 1
         at 6s      finish w1 fail                                  | retrying at 26s
         at 6s      take w1                                         | parked
         at 26s     tick                                            | w1 gets 1
         at 27s     finish w1 ok                                    | succeeded",
    );
}

#[test]
fn start_within_counts_from_the_due_time_if_there_is_one() {
    play(
        REPOSITORIES,
        "at 0       submit sync repository:f16 due=20s start_within=10s | postponed 1: scheduled until 20s
         at 29s     show 1                                              | waiting: *
         at 30s     show 1                                              | cancelled: not started in time",
    );
}

#[test]
fn each_item_of_a_batch_has_its_own_outcome() {
    play(
        REPOSITORIES,
        "submit sync repository:a ; nonsense repository:b ; delete repository:c ; update repository:c ; sync repository:d prio=10 ; sync repository:e | accepted 1; refused: unknown_kind, known: create delete publish sync update; accepted 2; rejected: future decided by delete 2; refused: bad_value; accepted 3
         live                               | 1 2 3",
    );
}

#[test]
fn an_unregistered_kind_is_refused_with_the_known_ones() {
    play(
        "kind sync
         kind publish op=read",
        "submit snyc repository:f16         | refused: unknown_kind, known: publish sync
         kind snyc                          | done
         submit snyc repository:f16         | accepted 1",
    );
}

#[test]
fn namespaces_never_meet() {
    let busy = play(
        REPOSITORIES,
        "submit delete repository:f16       | accepted 1
         take w1                            | 1
         submit update repository:f16       | rejected: future decided by delete 1",
    );
    let idle = play(REPOSITORIES, "submit update repository:f16 | accepted 1");
    assert_eq!(busy.core.counts().running, 1);
    assert_eq!(idle.core.counts().running, 0);
}
