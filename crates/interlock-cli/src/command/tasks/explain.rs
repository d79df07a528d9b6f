//! `interlock tasks explain`: the sentence, and the chain of causes as a small tree.

use crate::exit::Outcome;
use crate::global::Context;
use crate::{print, word};
use clap::Args;
use interlock_api::explain::{Cause, Explanation, Link, Place};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  interlock tasks explain 17
      Says why task 17 is not running, and why the task that it waits for is not done.";

/// Says why a task is not running: the whole chain of causes.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Explain {
    /// The task
    id: u64,
}

impl Explain {
    pub(super) async fn run(self, context: &Context) -> Outcome {
        let explanation = context.client.tasks().explain(self.id).await?;
        context.show(&explanation, |explanation| {
            for line in tree(explanation) {
                print::line(line);
            }
        });
        Ok(ExitCode::SUCCESS)
    }
}

/// The sentence, and the tree if there is more to see in it.
pub fn tree(explanation: &Explanation) -> Vec<String> {
    let mut lines = vec![explanation.sentence.clone()];
    if explanation.causes.is_empty() {
        return lines;
    }
    lines.push(String::new());
    let state = word::text(&explanation.state);
    let places = places(&explanation.places);
    lines.push(format!("task {}: {state}{places}", explanation.task));
    branches(&explanation.causes, "", &mut lines);
    lines
}

fn branches(causes: &[Cause], indent: &str, lines: &mut Vec<String>) {
    for (at, cause) in causes.iter().enumerate() {
        let is_last = at + 1 == causes.len();
        let (branch, below) = match is_last {
            true => ("└─ ", "   "),
            false => ("├─ ", "│  "),
        };
        lines.push(format!("{indent}{branch}{}", cause.sentence));
        let Some(then) = &cause.then else { continue };
        link(then, &format!("{indent}{below}"), lines);
    }
}

/// A task that runs is the end of its chain: the cause above has said so.
fn link(link: &Link, indent: &str, lines: &mut Vec<String>) {
    if link.causes.is_empty() {
        return;
    }
    let (state, places) = (word::text(&link.state), places(&link.places));
    lines.push(format!("{indent}task {}: {state}{places}", link.task));
    branches(&link.causes, indent, lines);
}

/// `, 2 ahead of it at repository:f16`.
fn places(places: &[Place]) -> String {
    let shown = places.iter().filter(|place| place.ahead > 0).map(|place| {
        let least = if place.at_least { "at least " } else { "" };
        format!(", {least}{} ahead of it at {}", place.ahead, place.resource)
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_a_tree() {
        let explanation = serde_json::json!({
            "task": 17, "state": "waiting", "sentence": "Task 17 waits for task 12.",
            "places": [{"resource": "repository:f16", "ahead": 2}],
            "causes": [
                {"reason": "held_by", "resource": "repository:f16", "sentence": "Task 12 holds it.",
                 "by": {"task": 12, "kind": "sync"},
                 "then": {"task": 12, "state": "running", "causes": []}},
                {"reason": "ahead", "resource": "repository:f16", "sentence": "Task 13 is ahead.",
                 "by": {"task": 13, "kind": "sync"},
                 "then": {"task": 13, "state": "waiting", "causes": [
                     {"reason": "ready", "sentence": "Nothing stands in its way."}]}},
            ],
        });
        let explanation: Explanation = serde_json::from_value(explanation).unwrap();
        let expected = "\
Task 17 waits for task 12.

task 17: waiting, 2 ahead of it at repository:f16
├─ Task 12 holds it.
└─ Task 13 is ahead.
   task 13: waiting
   └─ Nothing stands in its way.";
        assert_eq!(tree(&explanation).join("\n"), expected);
    }
}
