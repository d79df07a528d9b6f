//! Children: tasks that a run submits (design §10).

use crate::givens::REPOSITORIES;
use crate::scenario::play;

#[test]
fn a_child_is_shown_under_its_parent() {
    play(
        REPOSITORIES,
        "submit sync repository:a                       | accepted 1
         take w1                                        | 1
         submit publish repository:b parent=w1          | accepted 2
         show 2 parent                                  | under 1
         show 1 parent                                  | no parent",
    );
}

#[test]
fn a_child_that_conflicts_with_its_parent_is_refused() {
    play(
        REPOSITORIES,
        "submit sync repository:a repository:b/read     | accepted 1
         take w1                                        | 1
         submit publish repository:a parent=w1          | refused: conflicts_with_ancestor 1
         submit update repository:b parent=w1           | refused: conflicts_with_ancestor 1
         submit publish repository:b parent=w1          | accepted 2
         submit publish repository:a                    | postponed 3: held by 1",
    );
}

#[test]
fn a_grandchild_that_conflicts_with_a_live_grandparent_is_refused() {
    play(
        REPOSITORIES,
        "submit sync repository:a                       | accepted 1
         take w1                                        | 1
         submit sync repository:b parent=w1             | accepted 2
         take w2                                        | 2
         submit update repository:a parent=w2           | refused: conflicts_with_ancestor 1
         submit update repository:b parent=w2           | refused: conflicts_with_ancestor 2
         submit update repository:c parent=w2           | accepted 3",
    );
}

#[test]
fn an_ancestor_that_has_ended_holds_nothing() {
    play(
        REPOSITORIES,
        "submit sync repository:a                       | accepted 1
         take w1                                        | 1
         submit sync repository:b parent=w1             | accepted 2
         take w2                                        | 2
         finish w1 ok                                   | succeeded
         submit update repository:a parent=w2           | accepted 3",
    );
}

#[test]
fn a_run_that_has_ended_has_no_children() {
    play(
        REPOSITORIES,
        "submit sync repository:a                       | accepted 1
         take w1                                        | 1
         finish w1 ok                                   | succeeded
         submit publish repository:b parent=w1          | refused: stale_token",
    );
}

#[test]
fn a_child_outlives_its_parent() {
    play(
        REPOSITORIES,
        "submit sync repository:a                       | accepted 1
         take w1                                        | 1
         submit publish repository:b parent=w1          | accepted 2
         take w1 ok                                     | succeeded, 2
         finish w1 2 ok                                 | succeeded",
    );
}

#[test]
fn children_may_not_nest_without_end() {
    let mut world = play(REPOSITORIES, "submit sync shop:0 | accepted 1");
    assert_eq!(world.step("take w1"), "1");
    for depth in 1..=interlock_core::limits::ANCESTORS_MAX + 2 {
        let said = world.step(&format!("submit sync shop:{depth} parent=w1/{depth}"));
        if said.starts_with("refused") {
            assert!(
                depth >= interlock_core::limits::ANCESTORS_MAX,
                "only {depth} deep: {said}"
            );
            return;
        }
        assert_eq!(world.step("take w1"), (depth + 1).to_string());
    }
    panic!("children nest without end");
}
