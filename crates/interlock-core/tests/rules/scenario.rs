//! Tables: one row per step, what came of it as the last column.
//!
//! ```text
//! at 0    submit sync repository:f16      | accepted 1
//! at 10   submit update repository:f16    | postponed 2: ahead 1
//! at 20   take w1                         | 1
//!         finish w1 ok                    | succeeded
//! ```
//!
//! A row without `at` happens at the same time as the one before it. On the way to a later time the
//! table ticks at every timer, as a cell does; who is woken then is told with the row. A row without
//! a last column is a given: it may not be refused or rejected. `*` in the last column stands for
//! anything, where the design leaves the words open. A worker whose take came back empty takes
//! again, unless the row said how long to wait.
//!
//! Every table is also checked for what must hold in all of them: see `oracle`, `Core::check` after
//! each decision, refusals change nothing, and the log replayed at the end gives the same state.

mod look;
mod oracle;
mod parse;
mod random;
mod render;
mod say;
mod server_steps;
mod span;
mod steps;
mod words;
mod worker_steps;
mod world;

pub(crate) use parse::{kind, name, resource};
pub(crate) use random::{Random, Script};
pub(crate) use words::Words;
pub(crate) use world::{EPOCH, World};

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Plays a table, `given` first, and compares every last column. Returns the world for more.
#[track_caller]
pub(crate) fn play(given: &str, table: &str) -> World {
    let mut world = World::new();
    play_on(&mut world, given);
    play_on(&mut world, table);
    world.same_after_replay();
    world
}

/// Goes on with a table in a world that is there already.
#[track_caller]
pub(crate) fn play_on(world: &mut World, table: &str) {
    let mut shown = Vec::new();
    let mut wrong = 0;
    let rows = table
        .lines()
        .map(str::trim)
        .filter(|row| !row.is_empty() && !row.starts_with('#'));
    for row in rows {
        let (step, expected) = match row.split_once('|') {
            Some((step, expected)) => (step.trim(), Some(expected.trim())),
            None => (row, None),
        };
        let actual = match catch_unwind(AssertUnwindSafe(|| world.step(step))) {
            Ok(actual) => actual,
            Err(why) => {
                let why = panic_text(why.as_ref());
                panic!("\n{}{step}\n  ^^^ panicked: {why}\n", shown.concat());
            }
        };
        let good = match expected {
            Some(expected) => matches(expected, &actual),
            None => !actual.contains("refused") && !actual.contains("rejected"),
        };
        wrong += usize::from(!good);
        let mark = if good { ' ' } else { '✗' };
        let expected = if good {
            ""
        } else {
            expected.unwrap_or("(a given)")
        };
        let note = if good {
            String::new()
        } else {
            format!("   <-- expected: {expected}")
        };
        shown.push(format!("{mark} {step:<60} | {actual}{note}\n"));
    }
    assert!(
        wrong == 0,
        "{wrong} rows came out otherwise:\n{}",
        shown.concat()
    );
}

fn panic_text(why: &(dyn std::any::Any + Send)) -> String {
    let text = why.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| why.downcast_ref::<&str>().copied())
        .unwrap_or("?")
        .to_owned()
}

/// Whether the text is as expected, `*` standing for anything.
fn matches(expected: &str, actual: &str) -> bool {
    let Some((head, tail)) = expected.split_once('*') else {
        return expected.split_whitespace().eq(actual.split_whitespace());
    };
    let Some(rest) = actual.strip_prefix(head) else {
        return false;
    };
    rest.char_indices()
        .map(|(index, _)| index)
        .chain([rest.len()])
        .any(|index| matches(tail, &rest[index..]))
}

#[test]
fn a_star_stands_for_anything() {
    assert!(matches("refused: *", "refused: cycle"));
    assert!(matches(
        "postponed 3: throttled by api until 10*s",
        "postponed 3: throttled by api until 10.2s"
    ));
    assert!(!matches("accepted *", "postponed 2: ahead 1"));
    assert!(!matches("accepted 1", "accepted 12"));
}

#[test]
#[should_panic(expected = "1 rows came out otherwise")]
fn a_table_with_a_wrong_column_fails() {
    play("", "kind sync | refused: bad_name");
}

#[test]
#[should_panic(expected = "P1: 2 and 1 run together")]
fn the_oracle_sees_two_conflicting_runs() {
    let mut world = play(
        "",
        "kind sync
         register w1 sync
         submit sync repository:f16     | accepted 1
         submit sync repository:f16     | postponed 2: ahead 1
         take w1                        | 1",
    );
    let mut forged = world.log.last().expect("the hand-out was logged").clone();
    forged.position = world.core.position();
    for event in &mut forged.events {
        if let interlock_core::Event::Started(started) = event {
            started.task = interlock_core::words::TaskId(2);
        }
    }
    world.oracle.see(&forged);
}
