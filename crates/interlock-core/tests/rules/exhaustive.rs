//! Every sequence of up to three pending operations on a resource × the next operation. The verdict
//! comes from an independent statement of the rule, a few lines long (design §3, §4).

use crate::scenario::{World, play};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Read,
    Update,
    Create,
    Delete,
}
use Op::{Create, Delete, Read, Update};

const OPS: [Op; 4] = [Read, Update, Create, Delete];

/// The rule: the last pending lifecycle task decides what is possible; of what is possible, whatever
/// conflicts with something pending waits.
fn verdict(pending: &[Op], next: Op) -> &'static str {
    let last_lifecycle = pending.iter().rfind(|op| matches!(op, Create | Delete));
    match (last_lifecycle, next) {
        (Some(Delete), Read | Update | Delete) => "rejected",
        (Some(Create), Create) => "rejected",
        _ if pending.iter().any(|op| conflict(*op, next)) => "postponed",
        _ => "accepted",
    }
}

fn conflict(one: Op, other: Op) -> bool {
    (one, other) != (Read, Read)
}

/// The same for one of the highest priority among others of a lower one: it passes those that wait,
/// but no run and no barrier, and a barrier passes nobody.
fn hurried_verdict(pending: &[Op], running: usize, next: Op) -> &'static str {
    let barrier = |op: &Op| matches!(op, Create | Delete);
    if barrier(&next) || pending.iter().any(barrier) {
        return verdict(pending, next);
    }
    verdict(&pending[..running], next)
}

fn sequences() -> Vec<Vec<Op>> {
    let mut all = vec![Vec::new()];
    let mut longest = all.clone();
    for _ in 0..3 {
        let longer = longest
            .iter()
            .flat_map(|ops| OPS.map(|op| [&ops[..], &[op]].concat()));
        longest = longer.collect();
        all.extend(longest.clone());
    }
    all
}

const KINDS: &str = "
    kind read op=read
    kind update op=update
    kind create op=create
    kind delete op=delete
    register w1 read update create delete
";

fn submit(world: &mut World, op: Op, options: &str) -> String {
    let kind = format!("{op:?}").to_lowercase();
    let said = world.step(&format!("submit {kind} repository:f16 {options}"));
    said.split([' ', ':']).next().expect("a verdict").to_owned()
}

/// Submits the operations, expects the rule's verdict on each, and returns those that were let in.
fn fill(world: &mut World, ops: &[Op], running: usize) -> Vec<Op> {
    let mut pending = Vec::new();
    for (index, op) in ops.iter().enumerate() {
        let said = submit(world, *op, "");
        assert_eq!(said, verdict(&pending, *op), "{op:?} after {pending:?}");
        if said != "rejected" {
            pending.push(*op);
        }
        if index == 0 && running == 1 {
            assert_eq!(world.step("take w1 wait=0"), "1");
        }
    }
    pending
}

fn cases() -> impl Iterator<Item = (Vec<Op>, Op, usize)> {
    let with_next = |ops: Vec<Op>| OPS.map(|next| (ops.clone(), next));
    let with_running = |(ops, next): (Vec<Op>, Op)| {
        let most = usize::from(!ops.is_empty());
        (0..=most).map(move |running| (ops.clone(), next, running))
    };
    sequences()
        .into_iter()
        .flat_map(with_next)
        .flat_map(with_running)
}

#[test]
fn there_are_as_many_cases_as_the_issue_asks_for() {
    // 1 + 4 + 16 + 64 sequences, 4 next operations, the first one running or not if there is one.
    assert_eq!(cases().count(), 4 + 84 * 4 * 2);
}

#[test]
fn every_verdict_follows_from_the_rule() {
    for (ops, next, running) in cases() {
        let mut world = play(KINDS, "");
        let pending = fill(&mut world, &ops, running);
        let said = submit(&mut world, next, "");
        assert_eq!(
            said,
            verdict(&pending, next),
            "{next:?} after {pending:?}, {running} running"
        );
    }
}

#[test]
fn every_dry_run_says_what_the_submission_would_be_told() {
    for (ops, next, running) in cases() {
        let mut world = play(KINDS, "");
        let pending = fill(&mut world, &ops, running);
        let said = submit(&mut world, next, "dry");
        assert_eq!(
            said,
            verdict(&pending, next),
            "{next:?} after {pending:?}, {running} running"
        );
    }
}

#[test]
fn every_verdict_on_a_hurried_one_follows_from_the_rule() {
    for (ops, next, running) in cases() {
        let mut world = play(KINDS, "");
        let pending = fill(&mut world, &ops, running);
        let said = submit(&mut world, next, "prio=9");
        let expected = hurried_verdict(&pending, running, next);
        assert_eq!(
            said, expected,
            "hurried {next:?} after {pending:?}, {running} running"
        );
    }
}

/// Those that may run together now: no conflicting one is before them.
fn ready(left: &[(usize, Op)]) -> Vec<usize> {
    let free = |index: &usize| {
        !left[..*index]
            .iter()
            .any(|(_, op)| conflict(*op, left[*index].1))
    };
    (0..left.len()).filter(free).collect()
}

#[test]
fn whatever_was_let_in_runs_in_order_readers_together() {
    for (ops, next, running) in cases() {
        let mut world = play(KINDS, "");
        let mut pending = fill(&mut world, &ops, running);
        if submit(&mut world, next, "") != "rejected" {
            pending.push(next);
        }
        let mut left: Vec<(usize, Op)> = pending.iter().copied().enumerate().collect();
        let mut holding: Vec<usize> = (0..running).collect();
        while !left.is_empty() {
            let batch = ready(&left);
            let new = batch
                .iter()
                .map(|index| left[*index].0)
                .filter(|id| !holding.contains(id));
            let expected: Vec<String> = new.map(|id| (id + 1).to_string()).collect();
            let taken = world.step("take w1 max=9 wait=0");
            let expected = if expected.is_empty() {
                "nothing".to_owned()
            } else {
                expected.join(" ")
            };
            assert_eq!(
                taken, expected,
                "of {pending:?}, {left:?} left, {holding:?} running"
            );
            for index in batch.into_iter().rev() {
                let (id, _) = left.remove(index);
                assert_eq!(world.step(&format!("finish w1 {} ok", id + 1)), "succeeded");
            }
            holding.clear();
        }
        assert_eq!(world.step("live"), "none", "of {pending:?}");
        world.same_after_replay();
    }
}
