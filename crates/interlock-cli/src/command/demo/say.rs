//! What the demo tells: what to try at the beginning, what happened at the end.

use super::repositories::VAULT;
use super::tally::{Story, Tally};
use crate::{print, style};
use interlock_api::overview::Totals;
use interlock_api::sentence;
use serde::Serialize;
use std::time::Duration;

/// Where it is, and what to try. Each command works as it is printed.
pub fn welcome(server: &str, held: u64) {
    let program = program();
    print::own(format_args!("Interlock's demo runs on {server}\n"));
    print::own(
        "Repositories are synchronised, published, copied and deleted; bursts of events of hosts\n\
         become few runs; shops are called as often as they allow, and again if they fail.\n",
    );
    print::own(style::heading("Try in another terminal:"));
    let tries = [
        ("top".to_owned(), "everything at a glance, live"),
        (
            "tasks list --state waiting".to_owned(),
            "who waits, and why",
        ),
        (format!("tasks explain {held}"), "the whole chain of causes"),
        (format!("resources release {VAULT}"), "ends it"),
        (
            "submit sync repository:f16 --wait".to_owned(),
            "one more, to its end",
        ),
        (
            "resources show shop:42".to_owned(),
            "a shop, and what is left of its calls",
        ),
        ("failures list".to_owned(), "what failed for good"),
    ];
    for (arguments, what) in tries {
        print::line(format_args!("  {program} --server {server} {arguments}"));
        print::line(format_args!("      {what}"));
    }
    print::line(format_args!("  {server}/docs in a browser"));
    print::own("      the reference of all routes\n");
    print::own("Ctrl-C stops it. Nothing is left behind.\n");
}

/// This program as it was called, so that a command can be copied; quoted if a shell needs that.
fn program() -> String {
    let name = std::env::args().next();
    quoted(name.as_deref().unwrap_or("interlock"))
}

fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+@%".contains(c);
    match !name.is_empty() && name.chars().all(plain) {
        true => name.to_owned(),
        false => format!("'{}'", name.replace('\'', r"'\''")),
    }
}

/// What happened.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// For how long it ran.
    seconds: u64,
    /// Runs of each story.
    runs: Runs,
    /// What the server counted.
    totals: Totals,
    /// Runs of tasks that had failed before.
    retried: u64,
    /// Runs that met a conflicting one.
    conflicts: u64,
    /// Calls beyond what a shop allows.
    too_many_calls: u64,
}

#[derive(Debug, Serialize)]
struct Runs {
    repositories: u64,
    hosts: u64,
    shops: u64,
}

impl Summary {
    /// Counts what was seen.
    pub fn new(length: Duration, totals: Totals, tally: &Tally) -> Self {
        Self {
            seconds: length.as_secs(),
            runs: Runs {
                repositories: tally.runs(Story::Repositories),
                hosts: tally.runs(Story::Hosts),
                shops: tally.runs(Story::Shops),
            },
            totals,
            retried: tally.retried(),
            conflicts: tally.conflicts(),
            too_many_calls: tally.too_many_calls(),
        }
    }

    /// Whether everything was as promised.
    pub fn is_good(&self) -> bool {
        self.conflicts == 0 && self.too_many_calls == 0
    }

    /// Prints it.
    pub fn print(&self, json: bool) {
        match json {
            true => print::json(self),
            false => self.lines().iter().for_each(print::line),
        }
    }

    fn lines(&self) -> Vec<String> {
        let (runs, totals) = (&self.runs, &self.totals);
        let all = runs.repositories + runs.hosts + runs.shops;
        let submissions = totals.accepted + totals.postponed + totals.coalesced + totals.rejected;
        vec![
            format!("Stopped after {}.", sentence::length(self.seconds * 1_000)),
            format!(
                "  {}: {} accepted, {} postponed, {} coalesced, {} rejected",
                print::count(submissions, "submission"),
                totals.accepted,
                totals.postponed,
                totals.coalesced,
                totals.rejected
            ),
            format!(
                "  {}: {} of repositories, {} of hosts, {} of shops",
                print::count(all, "run"),
                runs.repositories,
                runs.hosts,
                runs.shops
            ),
            format!(
                "  {} failed, {} tried again",
                print::count(totals.failed, "run"),
                print::count(self.retried, "task")
            ),
            format!(
                "  {} met, {} beyond what a shop allows",
                none_or("two conflicting runs", self.conflicts),
                none_or_count(self.too_many_calls, "call")
            ),
        ]
    }
}

/// `no two conflicting runs`, or how often.
fn none_or(what: &str, times: u64) -> String {
    match times {
        0 => format!("no {what} ever"),
        _ => format!("{times} times {what}"),
    }
}

fn none_or_count(number: u64, noun: &str) -> String {
    match number {
        0 => format!("no {noun}"),
        _ => print::count(number, noun),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_quoted_only_if_a_shell_needs_that() {
        assert_eq!(
            quoted("target/release/interlock"),
            "target/release/interlock"
        );
        assert_eq!(quoted("/my tools/interlock"), "'/my tools/interlock'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }

    #[test]
    fn a_broken_promise_is_told() {
        let totals = Totals {
            accepted: 3,
            postponed: 2,
            coalesced: 1,
            failed: 1,
            ..Totals::default()
        };
        let mut summary = Summary::new(Duration::from_secs(65), totals, &Tally::default());
        assert!(summary.is_good());
        insta::assert_snapshot!(summary.lines().join("\n"), @r"
        Stopped after 1 min 5 s.
          6 submissions: 3 accepted, 2 postponed, 1 coalesced, 0 rejected
          0 runs: 0 of repositories, 0 of hosts, 0 of shops
          1 run failed, 0 tasks tried again
          no two conflicting runs ever met, no call beyond what a shop allows
        ");
        summary.conflicts = 2;
        assert!(!summary.is_good());
        assert!(summary.lines()[4].contains("2 times two conflicting runs met"));
    }
}
