//! Why tasks wait, as a picture: one bar for each reason.

use crate::part::bar;
use crate::part::number::{counted, grouped};
use interlock_api::overview::Overview;
use maud::{Markup, html};

/// The stages in which tasks wait: as the API names them, in words, and what they wait for.
const STAGES: [(&str, &str, &str); 9] = [
    (
        "in_line",
        "In line",
        "for their turn, or for the next free worker",
    ),
    ("behind", "Behind", "for a create or delete of the resource"),
    ("throttled", "Throttled", "for units of a quota"),
    ("retrying", "Retrying", "for the next try after a failure"),
    ("scheduled", "Scheduled", "for their time"),
    (
        "gathering",
        "Gathering",
        "for more submissions to join them",
    ),
    ("dependent", "Dependent", "for other tasks to succeed"),
    ("held", "Held", "for an operator to release them"),
    ("no_worker", "No worker", "for a worker of their kind"),
];

/// The picture.
pub(crate) fn draw(overview: &Overview) -> Markup {
    let tasks = |stage: &str| {
        let found = overview.stages.iter().find(|found| found.stage == stage);
        found.map_or(0, |found| found.tasks)
    };
    let most = STAGES
        .iter()
        .map(|(stage, ..)| tasks(stage))
        .max()
        .unwrap_or(0);
    html! {
        section.card aria-labelledby="waiting" {
            h2 #waiting { "Why the rest waits" span.muted { (counted(overview.counts.waiting, "task", "tasks")) } }
            ul.reasons {
                @for (stage, word, what) in STAGES {
                    @let count = tasks(stage);
                    li.none[count == 0] data-key={ "stage-" (stage) } title={ "They wait " (what) } {
                        span.reason-word { (word) }
                        (bar::meter(tone(stage), count, most, &format!("{word}: {count}, {what}")))
                        span.reason-count { (grouped(count)) }
                    }
                }
            }
        }
    }
}

fn tone(stage: &str) -> &'static str {
    match stage {
        "retrying" | "no_worker" => "bad",
        "held" => "hold",
        _ => "wait",
    }
}
